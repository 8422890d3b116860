#include "pipeline/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/chain.h"
#include "pipeline/against.h"
#include "pipeline/path_source.h"

/* ---- what there is ---- */

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* The number that a file holds; INFINITY where it holds none ("max"), or there is no such file. */
static double number_in(const char *name)
{
    double number = INFINITY;
    FILE *file = fopen(name, "r");
    if (file && fscanf(file, "%lf", &number) != 1)
        number = INFINITY;
    if (file)
        (void)fclose(file);
    return number;
}

/* The least limit of a control group and those around it. */
static double group_limit(const char *root, char *group, const char *limit)
{
    double there = INFINITY;
    for (;;) {
        char name[4352];
        if (snprintf(name, sizeof name, "%s%s/%s", root, group, limit) < (int)sizeof name)
            there = least(there, number_in(name));
        char *slash = strrchr(group, '/');
        if (!slash)
            return there;
        *slash = 0;
    }
}

/* What control groups leave to this process: of version 2 a line "0::/group", of version 1
 * "5:memory:/group". */
static double of_groups(void)
{
    double there = INFINITY;
    char line[4096];
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *first = strchr(line, ':'), *group = first ? strchr(first + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        if (first[1] == 0)
            there = least(there, group_limit("/sys/fs/cgroup", group, "memory.max"));
        else if (strcmp(first + 1, "memory") == 0)
            there = least(there, group_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
    if (file)
        (void)fclose(file);
    return there;
}

static double of_limit(int which, double in_use)
{
    struct rlimit limit;
    return getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
               ? fmax((double)limit.rlim_cur - in_use, 0)
               : INFINITY;
}

double sp_memory_there(void)
{
    const double page = (double)sysconf(_SC_PAGESIZE);
    double there = least((double)sysconf(_SC_PHYS_PAGES) * page, of_groups()), size = 0, data = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lf %*f %*f %*f %*f %lf", &size, &data) != 2)
        size = data = 0;
    if (file)
        (void)fclose(file);
    there = least(there, of_limit(RLIMIT_AS, size * page));
    return least(there, of_limit(RLIMIT_DATA, data * page));
}

/* ---- what is needed ---- */

/* Bytes a step while a strategy decodes: back-pointers, of durations by class; marginals where a second
 * search goes over them. Rows of forward-backward are few. */
static double working_bytes(const sp_pipeline *p, const sp_strategy *strategy)
{
    const double K = p->info->n_classes;
    const double M = sp_chain_has_durations(p->chain) ? K : sp_chain_n_states(p->chain);
    const double back = M * (M <= UINT8_MAX + 1 ? 1 : M <= UINT16_MAX + 1 ? 2 : 4);
    switch (strategy->kind) {
    case SP_ARGMAX:
    case SP_GREEDY:
    case SP_ONLINE:
    case SP_POSTERIOR:
        return 0;
    case SP_MEA:
    case SP_POSTERIOR_VITERBI:
        return K * sizeof(double) + back;
    default:
        return back;
    }
}

/* Bytes a step of the paths of one classifier, and while they are made. */
static double path_bytes(const sp_pipeline *p)
{
    double most = 0;
    for (int s = 0; p->source->is_decoded && s < p->n_strategies; s++)
        most = fmax(most, working_bytes(p, &p->strategies[s]));
    return most + p->n_strategies * (double)(sizeof(int32_t) + 1);
}

static double block_bytes(const sp_source_info *info)
{
    const double K = info->n_classes, label = sizeof(int32_t), segment = sizeof(int64_t),
                 weight = sizeof(double);
    return (info->has_scores ? K * (double)info->dtype : 0) + (info->has_labels ? label : 0) +
           (info->has_segments ? segment : 0) + (info->has_weights ? weight : 0) + (info->has_mask ? K : 0);
}

/* Bytes a step while a recording is evaluated: copies of labels and paths, and the scores that are decoded
 * for the mask ceiling. */
static double judging_bytes(const sp_pipeline *p)
{
    bool is_judged = false;
    for (int i = 0; i < p->n_consumers; i++)
        is_judged |= p->consumers[i].block != NULL;
    if (!is_judged)
        return 0;
    const double ceiling = p->info->n_classes * (double)sizeof(float) + 2 * sizeof(int32_t);
    return 4 * sizeof(int32_t) + 2 * sizeof(double) + 2 + (p->info->has_labels ? ceiling : 0);
}

double sp_memory_needed(const sp_pipeline *p, int64_t n_steps)
{
    const sp_wants wants = sp_consumers_want(p);
    double step = block_bytes(p->info) + path_bytes(p) + judging_bytes(p);
    for (int32_t i = 0; i < p->n_against; i++)
        step += block_bytes(p->against[i].p.info) + path_bytes(&p->against[i].p);
    step += sizeof(int32_t) * ((double)wants.n_best + wants.n_draws + p->raters.found.n_raters);
    if (wants.confidence)
        step += sizeof(float);
    return step * (double)n_steps;
}

/* ---- what is said ---- */

static const char *bytes_text(double bytes, char text[24])
{
    snprintf(text, 24, bytes < 1e9 ? "%.0f MB" : "%.1f GB", bytes < 1e9 ? bytes * 1e-6 : bytes * 1e-9);
    return text;
}

sp_status sp_memory_lacks(const sp_pipeline *p, int64_t recording, double needed, double there, sp_error *err)
{
    const int64_t *offsets = p->info->offsets + recording;
    char n[SP_COUNT_TEXT], a[24], b[24];
    return sp_fail(
        err, SP_ENOMEM,
        "recording %s has %s steps and takes %s of memory, and there are %s; `statepath decode` by "
        "viterbi alone, into a file .h5, holds a part of it at a time, or cut it at gaps into "
        "recordings of their own",
        p->info->ids ? p->info->ids[recording] : "?", sp_count_text(offsets[1] - offsets[0], n),
        bytes_text(needed, a), bytes_text(there, b));
}
