/* Parts of recordings in memory: counted, put together, looked at. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "core/owned.h"
#include "core/try.h"
#include "options/options.h"
#include "pipeline/compare.h"
#include "pipeline/matched.h"
#include "pipeline/options.h"
#include "pipeline/parts/merge.h"
#include "pipeline/parts/part_run.h"

/* ---- recordings in the natural order of their ids ---- */

typedef struct in_order {
    sp_owned own;
    sp_matched matched;
} in_order;

typedef struct named {
    const char *id;
    int64_t recording;
} named;

static int compare_named(const void *a, const void *b)
{
    const named *x = a, *y = b;
    const int order = sp_natural_compare(x->id, y->id);
    return order ? order : (x->recording > y->recording) - (x->recording < y->recording);
}

static int64_t *numbers(int64_t n, const named *sorted)
{
    int64_t *out = malloc((size_t)(n + 1) * sizeof *out);
    if (!out)
        return NULL;
    for (int64_t r = 0; r < n; r++)
        out[r] = sorted[r].recording;
    return out;
}

/* *out: the recordings in order, which are read through `o`. To be closed in any case. SP_OK, SP_ENOMEM. */
static sp_status in_order_open(in_order *o, const sp_recordings *from, sp_recordings *out, sp_error *err)
{
    sp_source_info info = *from->info;
    const size_t N = (size_t)info.n_recordings;
    named *sorted = sp_zeros(&o->own, N, sizeof *sorted);
    int64_t *offsets = sp_zeros(&o->own, N + 1, sizeof *offsets);
    const char **ids = sp_zeros(&o->own, N, sizeof *ids), **subjects = sp_zeros(&o->own, N, sizeof *subjects);
    if (o->own.is_short)
        return sp_no_memory(err);
    for (size_t r = 0; r < N; r++)
        sorted[r] = (named){info.ids[r], (int64_t)r};
    qsort(sorted, N, sizeof *sorted, compare_named);
    for (size_t r = 0; r < N; r++) {
        const int64_t there = sorted[r].recording;
        ids[r] = sorted[r].id;
        offsets[r + 1] = offsets[r] + info.offsets[there + 1] - info.offsets[there];
        subjects[r] = from->subjects ? from->subjects[there] : NULL;
    }
    o->matched = (sp_matched){.from = *from,
                              .recording = numbers(info.n_recordings, sorted),
                              .beside = *from,
                              .beside_recording = numbers(info.n_recordings, sorted),
                              .all_beside = true,
                              .name = info.file,
                              .beside_name = info.file};
    if (!o->matched.recording || !o->matched.beside_recording)
        return sp_no_memory(err);
    info.ids = ids;
    info.offsets = offsets;
    sp_status status = sp_matched_open(&o->matched, &info, out, err);
    out->subjects = from->subjects ? subjects : NULL;
    return status;
}

static bool is_in_order(const sp_source_info *info)
{
    for (int64_t r = 1; r < info->n_recordings; r++)
        if (sp_natural_compare(info->ids[r - 1], info->ids[r]) > 0)
            return false;
    return true;
}

static void in_order_close(in_order *o)
{
    sp_matched_close(&o->matched);
    sp_owned_free(&o->own);
}

/* ---- counting ---- */

/* The same number for the same recordings: shards of these are of one run. */
static uint64_t number_of(const sp_source_info *info)
{
    uint64_t sum = SP_CHECKSUM;
    for (int64_t r = 0; r < info->n_recordings; r++) {
        const int64_t steps = info->offsets[r + 1] - info->offsets[r];
        sum = sp_checksum(sum, info->ids[r], strlen(info->ids[r]) + 1);
        sum = sp_checksum(sum, &steps, sizeof steps);
    }
    return sum;
}

static sp_status begin(sp_part_run *run, const sp_evaluation_options *how, sp_error *err)
{
    char name[32];
    snprintf(name, sizeof name, "%016" PRIx64, number_of(run->p->info));
    const sp_part_input input = {.name = name};
    return sp_part_describe(run, how, 1, &input, err);
}

sp_status sp_compare_part(const sp_recordings *recordings, const sp_run_options *o, unsigned char **bytes,
                          size_t *n, sp_run_result *result, sp_error *err)
{
    sp_pipeline p = {.opt = o};
    calibration scaled = {.n = 0};
    sp_part_run run = {.kind = "compare", .begin = begin};
    in_order sorted = {.own = {0}};
    sp_recordings from = *recordings;
    sp_run_plan plan;
    sp_status status = SP_OK;
    TRY(o->n_folds > 0                ? sp_fail(err, SP_EINVAL, "`cv` does not go with parts")
        : o->n_against_recordings > 0 ? sp_fail(err, SP_EINVAL, "`against` does not go with parts")
                                      : sp_run_plan_make(o, SP_CALL_PART, &plan, err));
    if (!o->part.shard && !is_in_order(recordings->info))
        TRY(in_order_open(&sorted, recordings, &from, err));
    TRY(sp_pipeline_open(&p, &from, o, &plan, err));
    TRY(sp_pipeline_use_given(&p, err));
    sp_part_run_open(&run, &p);
    TRY(sp_pipeline_open_comparison(&p, &scaled, err));
    TRY(sp_part_run_count(&run, err));
    TRY(sp_part_write(&run.content, bytes, n, err));
done:
    sp_pipeline_result(&p, result);
    sp_part_run_clear(&run);
    sp_pipeline_close(&p);
    in_order_close(&sorted);
    sp_calibration_close(&scaled);
    return status;
}

/* ---- putting together ---- */

static sp_status open_parts(sp_merged_parts *m, int64_t n, const sp_part_bytes *parts, bool allow_missing,
                            sp_error *err)
{
    char name[32];
    sp_status status =
        n > 0 ? sp_merged_parts_new(m, n, err) : sp_fail(err, SP_EINVAL, "there is no part to merge");
    for (int64_t i = 0; status == SP_OK && i < n; i++) {
        snprintf(name, sizeof name, "part %" PRId64, i + 1);
        status = sp_part_read(parts[i].bytes, parts[i].n, name, &m->parts[i], err);
    }
    return status == SP_OK ? sp_merged_parts_arrange(m, allow_missing, NULL, err) : status;
}

/* The scores that a page draws from, in the order of the merged recordings; labels and segments are those of the parts. */
typedef struct drawn {
    sp_matched matched;
    bool is_open;
} drawn;

static bool have_same_columns(const sp_source_info *a, const sp_source_info *b)
{
    bool is_same = a->n_classes == b->n_classes && !a->classes == !b->classes;
    for (int32_t k = 0; is_same && a->classes && k < a->n_classes; k++)
        is_same = strcmp(a->classes[k], b->classes[k]) == 0;
    return is_same;
}

static sp_status open_drawn(sp_merge_run *r, const sp_recordings *scores, drawn *d, sp_error *err)
{
    const sp_source_info *all = &r->parts.info, *info = scores->info;
    const sp_match_side ours = sp_match_side_of(all, "the parts", 0);
    const sp_match_side theirs = {
        .name = info->file, .n = info->n_recordings, .ids = info->ids, .offsets = info->offsets};
    if (!r->parts.steps)
        return sp_fail(
            err, SP_EINVAL,
            "the parts hold no steps (`part_steps` none), so the page draws none: leave the scores out");
    if (!have_same_columns(all, info))
        return sp_fail(err, SP_EDATA, "the scores have other classes than the parts, or in another order");
    d->matched = (sp_matched){.from = *scores,
                              .beside = r->p.from,
                              .all_beside = true,
                              .name = theirs.name,
                              .beside_name = ours.name,
                              .recording = malloc((size_t)(all->n_recordings + 1) * sizeof(int64_t))};
    sp_recordings from;
    sp_status status = SP_OK;
    TRY(d->matched.recording ? SP_OK : sp_no_memory(err));
    TRY(sp_match_recordings(&ours, &theirs, true, NULL, d->matched.recording, err));
    TRY(sp_matched_open(&d->matched, all, &from, err));
    d->is_open = r->draws = true;
    TRY(sp_pipeline_open(&r->again, &from, &r->options, &r->p.plan, err));
done:
    return status;
}

sp_status sp_merge_parts(int64_t n, const sp_part_bytes *parts, const sp_recordings *scores,
                         const sp_run_options *o, sp_comparison **out, sp_run_result *result, sp_error *err)
{
    sp_merge_run r = {.draws = false};
    drawn d = {.is_open = false};
    sp_status status = SP_OK;
    TRY(open_parts(&r.parts, n, parts, o->part.allow_missing, err));
    TRY(sp_merge_open(&r, o, err));
    if (scores)
        TRY(open_drawn(&r, scores, &d, err));
    else
        sp_merge_draw_parts(&r);
    TRY(sp_merge_join(&r, out, err));
    sp_merge_tell_missing(&r);
done:
    sp_pipeline_result(&r.p, result);
    if (d.is_open)
        sp_pipeline_close(&r.again);
    sp_matched_close(&d.matched);
    sp_merge_close(&r);
    return status;
}

/* ---- looking ---- */

static bool add_steps(const sp_part_content *content, int64_t *sum)
{
    for (int64_t r = 0; r < content->counted.n_recordings; r++) {
        const int64_t steps = sp_part_steps(content, r);
        if (steps < 0 || steps > SP_MOST_COUNTED - *sum)
            return false;
        *sum += steps;
    }
    return true;
}

sp_status sp_part_look(const sp_part_bytes *part, sp_part_about *out, sp_error *err)
{
    sp_part_content content;
    *out = (sp_part_about){.n_recordings = 0};
    sp_status status = SP_OK;
    TRY(sp_part_read(part->bytes, part->n, "the part", &content, err));
    if (!add_steps(&content, &out->n_steps))
        TRY(sp_fail(err, SP_EDATA, "%s: its recordings have no number of steps; it is damaged: make it again",
                    content.name));
    const char *model = json_string_value(json_object_get(content.header, "model"));
    TRY((out->model = strdup(model ? model : "")) ? SP_OK : sp_no_memory(err));
done:
    if (status == SP_OK) {
        out->n_recordings = content.counted.n_recordings;
        out->ids = content.ids;
        content.ids = NULL;
    }
    sp_part_content_clear(&content);
    return status;
}

void sp_part_about_clear(sp_part_about *about)
{
    free(about->ids);
    free(about->model);
    *about = (sp_part_about){.n_recordings = 0};
}
