/* Decoding a recording that is too long to be held in memory: chunks for the library, paths to the consumers. */
#include "core/try.h"
#include "decode/long.h"
#include "pipeline/long/long_recording.h"

enum { FILL_STEPS = 1 << 12 /* handed on at a time where a path has to be made or fetched */ };

/* ---- chunks for the library ---- */

/* Chunks are asked for forwards or backwards; whoever asks for an outer chunk twice turns. */
static void read_next(long_recording *r, int64_t first, int64_t n)
{
    bool is_turn = first == r->last_first && n == r->last_n;
    bool is_back = first + n == r->last_first || (is_turn && first > 0);
    r->most_n = n > r->most_n ? n : r->most_n;
    r->last_first = first;
    r->last_n = n;
    int64_t end = r->n_steps, next = is_back ? first - r->most_n : first + n;
    if (next >= 0 && next < end)
        sp_long_read_next(r, next, next + r->most_n < end ? r->most_n : end - next, r->parts);
}

static sp_status read_chunk(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err)
{
    long_recording *r = arg;
    const sp_block *block;
    sp_status status = sp_long_read_steps(r, first, n, r->parts, &block, err);
    if (status != SP_OK)
        return status;
    *scores = sp_block_batch(block).scores;
    read_next(r, first, n);
    return SP_OK;
}

/* Paths of strategy r->s, and what goes with them. */
static sp_status put_steps(long_recording *r, int64_t first, int64_t n, const sp_decode_output *output,
                           sp_error *err)
{
    r->n_put += n;
    return sp_consumers_paths(r->p, r->s, r->recording, 0, r->first_step + first, n, output, err);
}

static sp_status put_chunk(void *arg, int64_t first, int64_t n, const int32_t *path,
                           const uint8_t *violations, sp_error *err)
{
    long_recording *r = arg;
    if (!path) {
        sp_consumers_forget(r->p, r->s, r->n_put);
        r->n_put = 0;
        return SP_OK;
    }
    sp_status status =
        r->spills[r->s] ? sp_path_spill_put(r->spills[r->s], first, n, path, violations, err) : SP_OK;
    if (status != SP_OK || !r->wants.paths || r->wants.confidence)
        return status;
    sp_decode_output output = {.paths = (int32_t *)path,
                               .broken = (uint8_t *)violations}; /* only looked at */
    return put_steps(r, first, n, &output, err);
}

static sp_long_recording chunks_of(long_recording *r)
{
    const int64_t most = sp_long_whole_bytes();
    return (sp_long_recording){.n_steps = r->n_steps,
                               .piece_steps = most < LONG_WHOLE_BYTES ? most / r->p->step_bytes / 2 : 0,
                               .has_gap = r->has_gap,
                               .read = read_chunk,
                               .write = put_chunk,
                               .arg = r};
}

/* ---- what is handed on once a path is known, or known not to be there ---- */

static sp_status get_path(void *arg, int64_t first, int64_t n, int32_t *path, sp_error *err)
{
    long_recording *r = arg;
    return sp_path_spill_get(r->spills[r->s], first, n, path, NULL, err);
}

/* The path of steps first .. first+n-1, -1 where there is none, with its confidence (or NULL). */
static sp_status put_known(void *arg, int64_t first, int64_t n, const float *confidence, sp_error *err)
{
    long_recording *r = arg;
    int32_t path[FILL_STEPS];
    uint8_t violations[FILL_STEPS] = {0};
    const bool has_path = r->results[r->s].status == SP_OK;
    sp_status status = SP_OK;
    for (int64_t at = 0; at < n; at += FILL_STEPS) {
        int64_t count = n - at < FILL_STEPS ? n - at : FILL_STEPS;
        for (int64_t t = 0; !has_path && t < count; t++)
            path[t] = -1;
        if (has_path)
            TRY(sp_path_spill_get(r->spills[r->s], first + at, count, path, violations, err));
        sp_decode_output output = {
            .paths = path,
            .broken = has_path && r->p->on_infeasible == SP_INFEASIBLE_RELAX ? violations : NULL,
            .confidence = confidence ? (float *)confidence + at : NULL}; /* only looked at */
        TRY(put_steps(r, first + at, count, &output, err));
    }
done:
    return status;
}

static sp_status put_result(long_recording *r, const sp_long_recording *chunks, int s, sp_error *err)
{
    int32_t no_steps = 0;
    float no_confidence = 0;
    sp_long_sureness sure = {0};
    sp_status status = SP_OK;
    r->s = s;
    r->last_first = -1;
    if (r->wants.confidence) {
        sp_long_given given = {r->results[s].status == SP_OK ? get_path : NULL, put_known, r};
        status = sp_confidence_long(r->p->chain, chunks, &given, r->p->workers, &sure, err);
    }
    sp_decode_output output = {.paths = &no_steps,
                               .results = &r->results[s],
                               .confidence = &no_confidence,
                               .log_partition = &sure.log_partition,
                               .margins = &sure.margin};
    return status == SP_OK ? sp_consumers_paths(r->p, s, r->recording, 1, r->first_step, 0, &output, err)
                           : status;
}

sp_status sp_long_put_results(long_recording *r, sp_error *err)
{
    const sp_long_recording chunks = chunks_of(r);
    sp_status status = SP_OK;
    for (int s = 0; status == SP_OK && r->wants.paths && s < r->p->n_strategies; s++)
        status = put_result(r, &chunks, s, err);
    return status;
}

/* ---- decoding ---- */

static sp_status decode_by(long_recording *r, const sp_long_recording *chunks, int s, sp_error *err)
{
    sp_pipeline *p = r->p;
    int64_t offsets[2] = {0, 0};
    const sp_block one = {.first = r->recording, .n_recordings = 1, .offsets = offsets};
    const sp_decode_output output = {.results = &r->results[s]};
    const bool has_violations = r->wants.confidence && p->on_infeasible == SP_INFEASIBLE_RELAX;
    sp_status status = SP_OK;
    r->s = s;
    r->n_put = 0;
    r->last_first = -1;
    if (r->wants.pieces || r->wants.confidence)
        TRY(sp_path_spill_new(p->info->n_classes, has_violations, &r->spills[s], err));
    TRY(sp_pipeline_decode(p, s, &one, chunks, &output, &r->seconds[s], err));
    if (r->results[s].status != SP_OK && r->wants.paths && !r->wants.confidence)
        TRY(put_known(r, 0, r->n_steps, NULL, err));
done:
    return status;
}

sp_status sp_long_decode(long_recording *r, sp_error *err)
{
    const sp_long_recording chunks = chunks_of(r);
    sp_status status = SP_OK;
    for (int s = 0; status == SP_OK && s < r->p->n_strategies; s++)
        status = decode_by(r, &chunks, s, err);
    return status;
}

/* ---- once more ---- */

sp_status sp_long_decoded_chunk(long_recording *r, const sp_long_chunk *chunk, sp_error *err)
{
    const sp_block *around = chunk->around, *steps = chunk->steps;
    const sp_scores scores = sp_block_batch(steps).scores;
    const bool is_last = steps->first_step + steps->n_steps == r->n_steps;
    sp_status status = SP_OK;
    for (int s = 0; s < r->p->n_strategies; s++) {
        if (r->results[s].status != SP_OK)
            continue;
        if (!r->sums[s] && !(r->sums[s] = sp_long_score_new(r->p->chain)))
            return sp_no_memory(err);
        TRY(sp_path_spill_get(r->spills[s], around->first_step, around->n_steps, chunk->paths[s], NULL, err));
        TRY(sp_long_score_add(r->sums[s], &scores, chunk->paths[s] + chunk->before, err));
        if (is_last)
            r->results[s].score = sp_long_score_end(r->sums[s]);
    }
done:
    return status;
}
