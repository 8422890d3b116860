/* Reading a recording chunk by chunk, the next one while this one is worked on. */
#include "core/try.h"
#include "decode/long.h"
#include "pipeline/long/long_recording.h"

#include <stdlib.h>

enum { LOOK_STEPS = 1 << 20 /* labels and the like, at a time */ };

int64_t sp_long_whole_bytes(void)
{
    const char *text = getenv("STATEPATH_WHOLE_BYTES");
    long long given = text ? strtoll(text, NULL, 10) : 0;
    return given > 0 ? given : LONG_WHOLE_BYTES;
}

/* ---- labels and segments ---- */

static sp_status look_through(long_recording *r, sp_error *err)
{
    const sp_pipeline *p = r->p;
    const unsigned parts = SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS;
    if (!p->info->has_labels && !p->info->has_segments && !p->info->has_weights)
        return SP_OK;
    int64_t last_segment = 0;
    sp_status status = SP_OK;
    for (int64_t first = 0; first < r->n_steps; first += LOOK_STEPS) {
        int64_t n = r->n_steps - first < LOOK_STEPS ? r->n_steps - first : LOOK_STEPS;
        sp_part part = {.recording = r->recording, .first = first, .n = n};
        bool is_new;
        TRY(sp_read_ahead_get(&r->chunks, &part, parts, &is_new, err));
        const sp_block *block = r->chunks.now.block;
        for (int64_t t = 0; block->segments && t < n; t++) {
            r->has_gap |= (first > 0 || t > 0) && block->segments[t] != last_segment;
            last_segment = block->segments[t];
        }
        if (p->wake.stages && block->labels)
            sp_wake_look(&r->sleep, first, n, p->wake.stages, block->labels);
        TRY(sp_consumers_labels(p, r->first_step + first, n, block->labels, block->segments, err));
    }
done:
    return status;
}

sp_status sp_long_open(long_recording *r, sp_pipeline *p, int64_t recording, sp_error *err)
{
    const int64_t *offsets = p->info->offsets;
    *r = (long_recording){.p = p,
                          .wants = sp_consumers_want(p),
                          .recording = recording,
                          .first_step = offsets[recording],
                          .n_steps = offsets[recording + 1] - offsets[recording],
                          .sleep = {-1, -1}};
    return sp_read_ahead_open(&r->chunks, &p->from, NULL, 0, NULL) ? look_through(r, err) : sp_no_memory(err);
}

void sp_long_close(long_recording *r)
{
    for (int s = 0; s < SP_RUN_STRATEGIES; s++) {
        sp_path_spill_free(r->spills[s]);
        sp_long_score_free(r->sums[s]);
    }
    sp_read_ahead_close(&r->chunks);
}

/* ---- chunks ---- */

void sp_long_read_next(long_recording *r, int64_t first, int64_t n, unsigned parts)
{
    sp_part part = {.recording = r->recording, .first = first, .n = n};
    if (n > 0)
        sp_read_ahead_start(&r->chunks, &part, parts | SP_BLOCK_SCORES);
}

static void show(long_recording *r, int64_t n)
{
    double share = r->n_expected > 0 ? (double)r->n_read / (double)r->n_expected : 0;
    sp_run_progress(r->p->opt, "steps",
                    r->first_step + (int64_t)((double)r->n_steps * (share < 1 ? share : 1)),
                    r->p->info->n_steps);
    r->n_read += n;
}

sp_status sp_long_read_steps(long_recording *r, int64_t first, int64_t n, unsigned parts,
                             const sp_block **block, sp_error *err)
{
    sp_pipeline *p = r->p;
    parts |= SP_BLOCK_SCORES;
    if (sp_run_go_on(p->opt, err) != SP_OK)
        return SP_EFILE;
    show(r, n);
    sp_part part = {.recording = r->recording, .first = first, .n = n};
    bool is_read, is_first = first >= r->n_counted;
    sp_status status = sp_read_ahead_get(&r->chunks, &part, parts, &is_read, err);
    *block = r->chunks.now.block;
    if (status != SP_OK ||
        !is_read) /* at a turn, forward to the end, then back from there, it is prepared already */
        return status;
    if ((*block)->scores)
        status =
            sp_prepare(r->chunks.now.block, &p->prepare, p->workers, is_first ? &p->done.scores : NULL, err);
    if (status == SP_OK && is_first)
        r->n_counted = first + n;
    return status;
}
