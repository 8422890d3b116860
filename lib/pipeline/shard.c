#include "pipeline/shard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where schedulers say it. Of an array's ids the first and the last are needed too: ids need not begin at 1. */
static const struct variables {
    const char *what, *id, *first, *last, *count, *step;
} known[] = {
    {"the Slurm array", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
     "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP"},
    {"the SGE array", "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", NULL, "SGE_TASK_STEPSIZE"},
    {"the LSF array", "LSB_JOBINDEX", NULL, "LSB_JOBINDEX_END", NULL, "LSB_JOBINDEX_STEP"},
    {"the PBS array", "PBS_ARRAY_INDEX", NULL, NULL, "PBS_ARRAY_COUNT", NULL},
    {"the PBS array", "PBS_ARRAYID", NULL, NULL, "PBS_ARRAY_COUNT", NULL},
    /* Ranks count from 0. */
    {"the Slurm step", "SLURM_PROCID", "0", NULL, "SLURM_NTASKS", NULL},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "0", NULL, "OMPI_COMM_WORLD_SIZE", NULL},
    {"PMI", "PMI_RANK", "0", NULL, "PMI_SIZE", NULL},
};

/* A whole number of digits alone. */
static bool read_number(const char *text, int64_t *out)
{
    char *end;
    if (!text || !*text || strspn(text, "0123456789") != strlen(text))
        return false;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return errno == 0 && *end == 0;
}

static bool read_variable(const char *name, int64_t usual, int64_t *out)
{
    if (name && strcmp(name, "0") == 0) {
        *out = 0;
        return true;
    }
    *out = usual;
    return name && read_number(getenv(name), out);
}

static sp_status read_scheduler(const struct variables *v, sp_shard *out, sp_error *err)
{
    int64_t id, first, last, count, step;
    if (!read_variable(v->id, 0, &id))
        return sp_fail(err, SP_EINVAL, "`shard` auto: %s is '%s', which is no number", v->id, getenv(v->id));
    read_variable(v->first, 1, &first);
    read_variable(v->step, 1, &step);
    const bool has_last = read_variable(v->last, 0, &last), has_count = read_variable(v->count, 0, &count);
    if (!has_last && !has_count)
        return sp_fail(
            err, SP_EINVAL,
            "`shard` auto: %s says which task this is (%s), but not of how many; write `shard` i/n", v->what,
            v->id);
    if (step != 1 || (has_last && has_count && last - first + 1 != count))
        return sp_fail(err, SP_EINVAL,
                       "`shard` auto: the ids of %s have gaps (%s); number its tasks without gaps, such as "
                       "1-16, or write `shard` "
                       "i/n",
                       v->what, step != 1 ? v->step : v->count);
    const int64_t n = has_count ? count : last - first + 1;
    if (id < first || id - first >= n)
        return sp_fail(err, SP_EINVAL, "`shard` auto: %s is %lld, which is not among the %lld tasks of %s",
                       v->id, (long long)id, (long long)n, v->what);
    *out = (sp_shard){id - first + 1, n};
    return SP_OK;
}

static sp_status read_environment(sp_shard *out, sp_error *err)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *id = getenv(known[i].id);
        if (id && *id && strcmp(id, "undefined") != 0 &&
            !(strcmp(known[i].id, "LSB_JOBINDEX") == 0 && strcmp(id, "0") == 0))
            return read_scheduler(&known[i], out, err);
    }
    return sp_fail(err, SP_EINVAL,
                   "`shard` auto: this is no task of an array or rank of Slurm, SGE, LSF, PBS or MPI (no "
                   "SLURM_ARRAY_TASK_ID, "
                   "SGE_TASK_ID, LSB_JOBINDEX, PBS_ARRAY_INDEX, SLURM_PROCID, OMPI_COMM_WORLD_RANK or "
                   "PMI_RANK); write `shard` i/n");
}

sp_status sp_shard_read(const char *text, sp_shard *out, sp_error *err)
{
    *out = (sp_shard){1, 1};
    if (!text)
        return SP_OK;
    if (strcmp(text, "auto") == 0)
        return read_environment(out, err);
    const char *slash = strchr(text, '/');
    char first[32] = "";
    if (slash && (size_t)(slash - text) < sizeof first)
        memcpy(first, text, (size_t)(slash - text));
    if (!slash || !read_number(first, &out->i) || !read_number(slash + 1, &out->n) || out->i < 1 ||
        out->i > out->n)
        return sp_fail(err, SP_EINVAL, "`shard` %s: it is i/n with i from 1 to n, such as 3/16, or auto",
                       text);
    return SP_OK;
}

sp_status sp_shard_output(const sp_run_options *o, char **out, sp_error *err)
{
    sp_shard shard;
    const sp_status status = sp_shard_read(o->shard, &shard, err);
    if (status != SP_OK)
        return status;
    if (shard.n > 1 && !strstr(o->output, "%i"))
        return sp_fail(err, SP_EINVAL,
                       "`output` %s: %lld shards would all write this file; put %%i into its name, such as "
                       "'paths-%%i.h5'",
                       o->output, (long long)shard.n);
    char *name = malloc(21 * strlen(o->output) + 1), *to = name;
    if (!name)
        return sp_no_memory(err);
    for (const char *from = o->output; *from; from++) {
        if (*from == '%' && (from[1] == 'i' || from[1] == 'n'))
            to += sprintf(to, "%lld", (long long)(*++from == 'i' ? shard.i : shard.n));
        else
            *to++ = *from;
    }
    *to = 0;
    *out = name;
    return SP_OK;
}

/* ---- its recordings ---- */

/* The first recording that begins at or after the share j of n of all steps. */
static int64_t boundary(const sp_source_info *info, int64_t j, int64_t n)
{
    if (j == n)
        return info->n_recordings;
    const int64_t S = info->n_steps, wanted = S / n * j + S % n * j / n;
    int64_t low = 0, high = info->n_recordings;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (info->offsets[middle] >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static sp_status read_share(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    const sp_share *share = arg;
    sp_part there = *part;
    there.recording += share->first;
    const sp_status status = share->from.read(share->from.arg, &there, parts, block, err);
    if (status == SP_OK)
        block->first -= share->first;
    return status;
}

static sp_status read_share_steps(void *arg, int64_t recording, int64_t first, int64_t n, unsigned parts,
                                  sp_block *block, sp_error *err)
{
    const sp_share *share = arg;
    return share->from.read_steps(share->from.arg, share->first + recording, first, n, parts, block, err);
}

sp_status sp_share_open(sp_share *share, sp_pipeline *p, sp_error *err)
{
    const sp_source_info *all = p->from.info;
    const sp_shard *shard = &p->plan.shard;
    *share = (sp_share){.from = p->from, .info = *all, .first = boundary(all, shard->i - 1, shard->n)};
    sp_source_info *info = &share->info;
    info->n_recordings = boundary(all, shard->i, shard->n) - share->first;
    if (!(share->offsets = malloc(((size_t)info->n_recordings + 1) * sizeof *share->offsets)))
        return sp_no_memory(err);
    for (int64_t n = 0; n <= info->n_recordings; n++)
        share->offsets[n] = all->offsets[share->first + n] - all->offsets[share->first];
    info->offsets = share->offsets;
    info->n_steps = info->offsets[info->n_recordings];
    info->ids += share->first;
    p->from = (sp_recordings){.info = info, .read = read_share, .arg = share};
    if (share->from.read_steps)
        p->from.read_steps = read_share_steps;
    p->info = info;
    p->about.first = share->first;
    return SP_OK;
}

void sp_share_close(sp_share *share)
{
    free(share->offsets);
}
