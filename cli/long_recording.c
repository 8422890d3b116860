#include "long_recording.h"

#include <stdlib.h>

enum {
    WHOLE_BYTES = 64 << 20, /* scores of a recording that is still read whole */
    LOOK_STEPS = 1 << 20    /* labels and the like, at a time */
};

bool long_recording_can(const pipeline *p, const beside *extras)
{
    bool can = p->on_infeasible != INFEASIBLE_RELAX && extras->n_extras == 0 && !extras->with_confidence && !p->cross;
    for (int s = 0; s < p->n_strategies; s++)
        can = can && sp_long_can(p->chain, p->strategies[s].kind);
    return can;
}

int64_t long_recording_next(const pipeline *p, int64_t first)
{
    const sp_source_info *info = p->info;
    const int64_t most = WHOLE_BYTES / ((int64_t)info->dtype * info->n_classes);
    while (first < info->n_recordings && info->offsets[first + 1] - info->offsets[first] <= most)
        first++;
    return first;
}

typedef struct long_recording {
    pipeline *p;
    int64_t recording, first_step, n_steps; /* first_step: in the file */
    bool has_gap;
    sp_paths_writer *writer;
    progress *line;
    sp_block *block;
    unsigned parts;     /* that decoding reads */
    int64_t n_counted;  /* steps whose floored and missing scores are counted */
    int64_t n_read;     /* steps, all ways through */
    int64_t n_expected; /* of them */
    int s;              /* strategy */
    int64_t n_written;  /* steps of its path */
} long_recording;

/* ---- labels and segments ---- */

/* Checks them (and weights), copies them, and finds out whether there is a gap. */
static sp_status look_through(long_recording *r, sp_error *err)
{
    const sp_source_info *info = r->p->info;
    const unsigned parts = SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS;
    if (!info->has_labels && !info->has_segments && !info->has_weights)
        return SP_OK;
    int64_t last_segment = 0;
    sp_status status = SP_OK;
    for (int64_t first = 0; status == SP_OK && first < r->n_steps; first += LOOK_STEPS) {
        int64_t n = r->n_steps - first < LOOK_STEPS ? r->n_steps - first : LOOK_STEPS;
        status = sp_source_read_steps(r->p->source, r->recording, first, n, parts, r->block, err);
        if (status != SP_OK)
            break;
        const int64_t *segments = r->block->segments;
        for (int64_t t = 0; segments && t < n; t++) {
            r->has_gap |= (first > 0 || t > 0) && segments[t] != last_segment;
            last_segment = segments[t];
        }
        status = sp_paths_writer_add_labels(r->writer, r->first_step + first, n, r->block->labels, segments, err);
    }
    return status;
}

/* ---- pieces for the library ---- */

static sp_status read_piece(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err)
{
    long_recording *r = arg;
    pipeline *p = r->p;
    if (is_interrupted())
        return sp_fail(err, SP_EFILE, "stopped by a signal; nothing was written");
    sp_status status = sp_source_read_steps(p->source, r->recording, first, n, r->parts, r->block, err);
    bool is_new = first >= r->n_counted;
    if (status == SP_OK)
        status = sp_prepare_threads(r->block, &p->prepare, sp_workers_count(p->workers), is_new ? &p->counts : NULL, err);
    if (status != SP_OK)
        return status;
    if (is_new)
        r->n_counted = first + n;
    *scores = sp_block_batch(r->block).scores;
    double share = (double)r->n_read / (double)r->n_expected;
    progress_show(r->line, r->first_step + (int64_t)((double)r->n_steps * (share < 1 ? share : 1)));
    r->n_read += n;
    return SP_OK;
}

static sp_status write_piece(void *arg, int64_t first, int64_t n, const int32_t *path, sp_error *err)
{
    long_recording *r = arg;
    if (path) {
        sp_decode_output output = {.paths = (int32_t *)path}; /* only looked at */
        r->n_written += n;
        return sp_paths_writer_add(r->writer, r->s, r->recording, 0, r->first_step + first, n, &output, err);
    }
    int32_t *none = malloc(LOOK_STEPS * sizeof *none);
    if (!none)
        return sp_fail(err, SP_ENOMEM, "no memory");
    for (int64_t t = 0; t < LOOK_STEPS; t++)
        none[t] = -1;
    sp_paths_writer_forget(r->writer, r->s, r->n_written);
    sp_decode_output output = {.paths = none};
    sp_status status = SP_OK;
    for (int64_t at = first; status == SP_OK && at < first + n; at += LOOK_STEPS) {
        int64_t count = first + n - at < LOOK_STEPS ? first + n - at : LOOK_STEPS;
        status = sp_paths_writer_add(r->writer, r->s, r->recording, 0, r->first_step + at, count, &output, err);
    }
    free(none);
    return status;
}

/* ---- decoding ---- */

static sp_status decode_by(long_recording *r, int s, sp_error *err)
{
    pipeline *p = r->p;
    sp_long_recording pieces = {.n_steps = r->n_steps, .has_gap = r->has_gap, .read = read_piece, .write = write_piece, .arg = r};
    sp_decoded result;
    r->s = s;
    r->n_written = 0;
    sp_status status = sp_decode_long(p->chain, &pieces, p->strategies[s].kind, p->workers, &result, err);
    if (status != SP_OK)
        return status;
    sp_block one = {.first = r->recording, .n_recordings = 1, .ids = p->info->ids + r->recording};
    status = pipeline_look_at_failures(p, s, &one, &result, err);
    int32_t unused = 0;
    sp_decode_output output = {.paths = &unused, .results = &result};
    return status == SP_OK ? sp_paths_writer_add(r->writer, s, r->recording, 1, r->first_step, 0, &output, err) : status;
}

sp_status long_recording_decode(pipeline *p, int64_t recording, sp_paths_writer *writer, progress *line, sp_error *err)
{
    const sp_source_info *info = p->info;
    long_recording r = {.p = p,
                        .recording = recording,
                        .first_step = info->offsets[recording],
                        .n_steps = info->offsets[recording + 1] - info->offsets[recording],
                        .writer = writer,
                        .line = line,
                        .block = sp_block_new()};
    if (!r.block)
        return sp_fail(err, SP_ENOMEM, "no memory");
    sp_status status = look_through(&r, err);
    r.parts = SP_BLOCK_SCORES | SP_BLOCK_MASK | (p->prepare.clamp ? SP_BLOCK_LABELS : 0u) | (r.has_gap ? SP_BLOCK_SEGMENTS : 0u);
    for (int s = 0; s < p->n_strategies; s++)
        r.n_expected += p->strategies[s].kind == SP_VITERBI ? 2 * r.n_steps : r.n_steps;
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++)
        status = decode_by(&r, s, err);
    sp_block_free(r.block);
    return status;
}
