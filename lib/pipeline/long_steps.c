#include "pipeline/long_steps.h"

#include <stdlib.h>

enum { LOOK_STEPS = 1 << 20 /* labels and the like, at a time */ };

int64_t sp_long_whole_bytes(void)
{
    const char *text = getenv("STATEPATH_WHOLE_BYTES");
    long long given = text ? strtoll(text, NULL, 10) : 0;
    return given > 0 ? given : LONG_WHOLE_BYTES;
}

/* ---- labels and segments ---- */

static sp_status look_through(long_steps *s, sp_paths_writer *writer, sp_error *err)
{
    const sp_source_info *info = s->p->info;
    const unsigned parts = SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS;
    if (!info->has_labels && !info->has_segments && !info->has_weights)
        return SP_OK;
    int64_t last_segment = 0;
    sp_status status = SP_OK;
    for (int64_t first = 0; status == SP_OK && first < s->n_steps; first += LOOK_STEPS) {
        int64_t n = s->n_steps - first < LOOK_STEPS ? s->n_steps - first : LOOK_STEPS;
        sp_part part = {.recording = s->recording, .first = first, .n = n};
        bool is_new;
        status = sp_read_ahead_get(&s->pieces, &part, parts, &is_new, err);
        if (status != SP_OK)
            break;
        const int64_t *segments = s->pieces.now.block->segments;
        for (int64_t t = 0; segments && t < n; t++) {
            s->has_gap |= (first > 0 || t > 0) && segments[t] != last_segment;
            last_segment = segments[t];
        }
        if (s->p->wake_stages && s->pieces.now.block->labels)
            sp_wake_look(&s->sleep, first, n, s->p->wake_stages, s->pieces.now.block->labels);
        if (writer)
            status = sp_paths_writer_add_labels(writer, s->first_step + first, n, s->pieces.now.block->labels, segments, err);
    }
    return status;
}

sp_status sp_long_steps_open(long_steps *s, sp_pipeline *p, int64_t recording, sp_paths_writer *writer, sp_error *err)
{
    const int64_t *offsets = p->info->offsets;
    *s = (long_steps){.p = p,
                      .recording = recording,
                      .first_step = offsets[recording],
                      .n_steps = offsets[recording + 1] - offsets[recording],
                      .sleep = {-1, -1}};
    if (!sp_read_ahead_open(&s->pieces, &p->from, NULL))
        return sp_fail(err, SP_ENOMEM, "no memory");
    return look_through(s, writer, err);
}

void sp_long_steps_close(long_steps *s)
{
    sp_read_ahead_close(&s->pieces);
}

/* ---- pieces ---- */

void sp_long_steps_ahead(long_steps *s, int64_t first, int64_t n, unsigned parts)
{
    sp_part part = {.recording = s->recording, .first = first, .n = n};
    if (n > 0)
        sp_read_ahead_start(&s->pieces, &part, parts | SP_BLOCK_SCORES);
}

void sp_long_steps_expect(long_steps *s, int64_t n)
{
    s->n_expected += n;
}

static void show(long_steps *s, int64_t n)
{
    double share = s->n_expected > 0 ? (double)s->n_read / (double)s->n_expected : 0;
    sp_run_progress(s->p->opt, "steps", s->first_step + (int64_t)((double)s->n_steps * (share < 1 ? share : 1)),
                    s->p->info->n_steps);
    s->n_read += n;
}

sp_status sp_long_steps_read(long_steps *s, int64_t first, int64_t n, unsigned parts, const sp_block **block, sp_error *err)
{
    parts |= SP_BLOCK_SCORES;
    if (sp_run_go_on(s->p->opt, err) != SP_OK)
        return SP_EFILE;
    show(s, n);
    sp_part part = {.recording = s->recording, .first = first, .n = n};
    bool is_read, is_first = first >= s->n_counted;
    sp_status status = sp_read_ahead_get(&s->pieces, &part, parts, &is_read, err);
    *block = s->pieces.now.block;
    if (status != SP_OK || !is_read) /* at a turn, forward to the end, then back from there, it is prepared already */
        return status;
    if ((*block)->scores)
        status = sp_prepare_threads(s->pieces.now.block, &s->p->prepare, s->p->workers, is_first ? &s->p->counts : NULL, err);
    if (status == SP_OK && is_first)
        s->n_counted = first + n;
    return status;
}

sp_block sp_long_part(const sp_block *block, int64_t before, int64_t n, int64_t offsets[2])
{
    sp_block part = *block;
    size_t K = (size_t)block->n_classes, at = (size_t)before;
    offsets[0] = 0;
    offsets[1] = n;
    part.offsets = offsets;
    part.n_steps = n;
    part.first_step += before;
    part.scores = block->scores ? (char *)block->scores + at * K * (size_t)block->dtype : NULL;
    part.labels = block->labels ? block->labels + at : NULL;
    part.segments = block->segments ? block->segments + at : NULL;
    part.weights = block->weights ? block->weights + at : NULL;
    part.mask = block->mask ? block->mask + at * K : NULL;
    return part;
}
