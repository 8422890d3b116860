#include "pipeline/long/long_recording.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/try.h"
#include "evaluate/evaluate.h"
#include "pipeline/against.h"

static int64_t length_of(const sp_pipeline *p, int64_t n)
{
    return p->info->offsets[n + 1] - p->info->offsets[n];
}

int64_t sp_long_recording_next(const sp_pipeline *p, int64_t first, int64_t end)
{
    if (!p->source->takes_chunks(p))
        return end;
    const int64_t most = sp_long_whole_bytes() / p->step_bytes;
    while (first < end && length_of(p, first) <= most)
        first++;
    return first;
}

sp_status sp_long_recording_warn(const sp_pipeline *p, sp_error *err)
{
    const sp_source_info *info = p->info;
    int64_t longest = 0;
    for (int64_t n = 1; n < info->n_recordings; n++)
        longest = length_of(p, n) > length_of(p, longest) ? n : longest;
    if (p->source->takes_chunks(p) || info->n_recordings == 0 ||
        length_of(p, longest) <= sp_long_whole_bytes() / p->step_bytes)
        return SP_OK;
    const sp_wants wants = sp_consumers_want(p);
    const int32_t n_best = wants.n_best, n_draws = wants.n_draws;
    const double step =
        (double)p->step_bytes + (double)sizeof(int32_t) * ((double)n_best + n_draws + p->n_strategies);
    const double T = (double)length_of(p, longest), need = step * T;
    const double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const char *what = p->folds             ? "`cv`"
                       : n_best             ? "`nbest`"
                       : n_draws            ? "`draws`"
                       : p->prepare.windows ? "a model with windows"
                                            : "`output`";
    char n[SP_COUNT_TEXT];
    sp_count_text((int64_t)T, n);
    if (need > there)
        return sp_fail(err, SP_ENOMEM,
                       "recording %s has %s steps, of which %s needs all in memory, at least %.1f GB, and "
                       "this machine has %.1f; %s, "
                       "or cut the recording",
                       info->ids[longest], n, what, 1e-9 * need, 1e-9 * there,
                       p->folds             ? "fit, then compare"
                       : n_best             ? "leave `nbest` out"
                       : n_draws            ? "leave `draws` out"
                       : p->prepare.windows ? "fit it with `features` none"
                                            : "write .h5");
    sp_run_notice(p->opt, SP_NOTICE_DATA,
                  "note: recording %s has %s steps, of which %s needs all in memory, at least %.1f GB; "
                  "without it memory is bounded",
                  info->ids[longest], n, what, 1e-9 * need);
    return SP_OK;
}

/* ---- one recording ---- */

/* How often the recording is read, for the line of progress. */
static int64_t count_readings(const long_recording *r)
{
    const sp_pipeline *p = r->p;
    int64_t readings = r->wants.pieces ? 1 : 0;
    for (int s = 0; p->source->is_decoded && s < p->n_strategies; s++)
        readings += sp_strategy_about(p->strategies[s].kind)->readings + (r->wants.confidence ? 3 : 0);
    return readings;
}

/* Looks through the recording, makes it ready, and finds its paths. `pieces`: they are wanted again. To be closed in any case. */
static sp_status begin(long_recording *r, sp_pipeline *p, int64_t recording, bool pieces, sp_error *err)
{
    sp_status status = sp_long_open(r, p, recording, err);
    sp_read_ahead_rest(&r->chunks);
    r->wants.pieces |= pieces;
    r->parts = SP_BLOCK_SCORES | SP_BLOCK_MASK | (p->prepare.clamp ? SP_BLOCK_LABELS : 0u) |
               (r->has_gap ? SP_BLOCK_SEGMENTS : 0u);
    r->n_expected = count_readings(r) * r->n_steps;
    if (status == SP_OK)
        status = p->source->recording(r, err);
    sp_read_ahead_rest(&r->chunks);
    return status;
}

/* The same by the other classifiers. */
static sp_status begin_against(long_recording *r, sp_error *err)
{
    sp_pipeline *p = r->p;
    sp_status status = SP_OK;
    r->against = calloc((size_t)p->n_against, sizeof *r->against);
    if (!r->against)
        return sp_no_memory(err);
    for (int32_t i = 0; status == SP_OK && i < p->n_against; i++)
        status = begin(&r->against[i], &p->against[i].p, r->recording, true, err);
    return status;
}

sp_status sp_long_recording_run(sp_pipeline *p, int64_t recording, sp_error *err)
{
    long_recording r;
    sp_status status = SP_OK;
    TRY(begin(&r, p, recording, false, err));
    if (r.wants.pieces && p->n_against)
        TRY(begin_against(&r, err));
    if (r.wants.pieces)
        TRY(sp_long_pieces(&r, err));
    TRY(sp_long_put_results(&r, err));
done:
    for (int32_t i = 0; r.against && i < p->n_against; i++)
        sp_long_close(&r.against[i]);
    free(r.against);
    sp_long_close(&r);
    return status;
}
