#include "pipeline/long/long_recording.h"

#include <stdlib.h>
#include <unistd.h>

#include "decode/long.h"
#include "evaluate/evaluate.h"
#include "pipeline/against.h"
#include "pipeline/run.h"

enum { FILL_STEPS = 1 << 12 /* handed on at a time where a path has to be made or fetched */ };

static bool can_be_long(const sp_pipeline *p)
{
    return !(p->sink && p->sink->n_best) && !p->folds && (!p->given || p->given->result);
}

static int64_t length_of(const sp_pipeline *p, int64_t n)
{
    return p->info->offsets[n + 1] - p->info->offsets[n];
}

int64_t sp_long_recording_next(const sp_pipeline *p, int64_t first, int64_t end)
{
    if (!can_be_long(p))
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
    if (can_be_long(p) || info->n_recordings == 0 || length_of(p, longest) <= sp_long_whole_bytes() / p->step_bytes)
        return SP_OK;
    const int32_t n_best = p->sink ? p->sink->n_best : 0;
    const double step = (double)p->step_bytes + (double)sizeof(int32_t) * (n_best + p->n_strategies);
    const double T = (double)length_of(p, longest), need = step * T;
    const double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const char *what = p->folds ? "cv" : "nbest";
    char n[SP_COUNT_TEXT];
    sp_count_text((int64_t)T, n);
    if (need > there)
        return sp_fail(
            err, SP_ENOMEM,
            "recording %s has %s steps, of which `%s` needs all in memory, at least %.1f GB, and this machine has %.1f; %s, "
            "or cut the recording",
            info->ids[longest], n, what, 1e-9 * need, 1e-9 * there, p->folds ? "fit, then compare" : "leave `nbest` out");
    sp_run_notice(
        p->opt, SP_NOTICE_DATA,
        "note: recording %s has %s steps, of which `%s` needs all in memory, at least %.1f GB; without it memory is bounded",
        info->ids[longest], n, what, 1e-9 * need);
    return SP_OK;
}

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
static sp_status put_steps(long_recording *r, int64_t first, int64_t n, const sp_decode_output *output, sp_error *err)
{
    r->n_put += n;
    return sp_pipeline_put_paths(r->p, r->s, r->recording, 0, r->first_step + first, n, output, err);
}

static sp_status put_chunk(void *arg, int64_t first, int64_t n, const int32_t *path, const uint8_t *violations, sp_error *err)
{
    long_recording *r = arg;
    const sp_path_sink *sink = r->p->sink;
    if (!path) {
        if (sink)
            sink->forget(sink->arg, r->s, r->n_put);
        r->n_put = 0;
        return SP_OK;
    }
    sp_status status = r->spills[r->s] ? sp_path_spill_put(r->spills[r->s], first, n, path, violations, err) : SP_OK;
    if (status != SP_OK || !r->has_takers || r->with_confidence)
        return status;
    sp_decode_output output = {.paths = (int32_t *)path, .broken = (uint8_t *)violations}; /* only looked at */
    return put_steps(r, first, n, &output, err);
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
    for (int64_t at = 0; status == SP_OK && at < n; at += FILL_STEPS) {
        int64_t count = n - at < FILL_STEPS ? n - at : FILL_STEPS;
        for (int64_t t = 0; !has_path && t < count; t++)
            path[t] = -1;
        if (has_path)
            status = sp_path_spill_get(r->spills[r->s], first + at, count, path, violations, err);
        sp_decode_output output = {.paths = path,
                                   .broken = has_path && r->p->on_infeasible == SP_INFEASIBLE_RELAX ? violations : NULL,
                                   .confidence = confidence ? (float *)confidence + at : NULL}; /* only looked at */
        if (status == SP_OK)
            status = put_steps(r, first + at, count, &output, err);
    }
    return status;
}

/* What became of the recording, and the confidence of its steps where it is wanted. */
static sp_status put_result(long_recording *r, const sp_long_recording *chunks, int s, sp_error *err)
{
    int32_t no_steps = 0;
    float no_confidence = 0;
    sp_long_sureness sure = {0};
    sp_status status = SP_OK;
    r->s = s;
    r->last_first = -1;
    if (r->with_confidence) {
        sp_long_given given = {r->results[s].status == SP_OK ? get_path : NULL, put_known, r};
        status = sp_confidence_long(r->p->chain, chunks, &given, r->p->workers, &sure, err);
    }
    sp_decode_output output = {.paths = &no_steps,
                               .results = &r->results[s],
                               .confidence = &no_confidence,
                               .log_partition = &sure.log_partition,
                               .margins = &sure.margin};
    return status == SP_OK ? sp_pipeline_put_paths(r->p, s, r->recording, 1, r->first_step, 0, &output, err) : status;
}

/* ---- decoding ---- */

static sp_status decode_by(long_recording *r, const sp_long_recording *chunks, int s, sp_error *err)
{
    sp_pipeline *p = r->p;
    int64_t offsets[2] = {0, 0};
    const sp_block one = {.first = r->recording, .n_recordings = 1, .offsets = offsets};
    const sp_decode_output output = {.results = &r->results[s]};
    const bool has_violations = (r->with_confidence || p->part) && p->on_infeasible == SP_INFEASIBLE_RELAX;
    r->s = s;
    r->n_put = 0;
    r->last_first = -1;
    sp_status status =
        r->evaluation || r->with_confidence ? sp_path_spill_new(p->info->n_classes, has_violations, &r->spills[s], err) : SP_OK;
    if (status == SP_OK)
        status = sp_pipeline_decode(p, s, &one, chunks, &output, &r->seconds[s], err);
    if (status == SP_OK && r->results[s].status != SP_OK && r->has_takers && !r->with_confidence)
        status = put_known(r, 0, r->n_steps, NULL, err);
    return status;
}

/* Of paths that are there already: is there one at all? */
static sp_status look_at_given(long_recording *r, sp_error *err)
{
    sp_pipeline *p = r->p;
    int32_t path[FILL_STEPS];
    sp_status status = SP_OK;
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++) {
        bool is_undecoded = true;
        for (int64_t first = 0; status == SP_OK && first < r->n_steps; first += FILL_STEPS) {
            const int64_t rest = r->n_steps - first;
            const sp_part part = {.recording = r->recording, .first = first, .n = rest < FILL_STEPS ? rest : FILL_STEPS};
            status = p->given->read(p->given->arg, s, &part, path, NULL, err);
            for (int64_t t = 0; status == SP_OK && is_undecoded && t < part.n; t++)
                is_undecoded = path[t] == -1;
        }
        if (status == SP_OK)
            status = sp_run_go_on(p->opt, err);
        r->results[s] = p->given->result(p->given->arg, s, r->recording, is_undecoded);
        p->undecoded[s] += r->results[s].status != SP_OK;
    }
    return status;
}

/* How often the recording is read, for the line of progress. */
static int64_t count_readings(const long_recording *r)
{
    const sp_pipeline *p = r->p;
    int64_t readings = r->evaluation ? 1 : 0;
    for (int s = 0; !p->given && s < p->n_strategies; s++)
        readings += sp_strategy_about(p->strategies[s].kind)->readings + (r->with_confidence ? 3 : 0);
    return readings;
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

/* By all strategies, one after the other. */
static sp_status decode_all(long_recording *r, const sp_long_recording *chunks, sp_error *err)
{
    const sp_pipeline *p = r->p;
    sp_status status = p->given ? look_at_given(r, err) : SP_OK;
    for (int s = 0; status == SP_OK && !p->given && s < p->n_strategies; s++)
        status = decode_by(r, chunks, s, err);
    sp_read_ahead_rest(&r->chunks);
    return status;
}

/* Looks through the recording, and makes it ready to be decoded. To be closed in any case. */
static sp_status open_recording(long_recording *r, sp_pipeline *p, int64_t recording, sp_evaluation *evaluation, sp_error *err)
{
    sp_status status = sp_long_open(r, p, recording, err);
    sp_read_ahead_rest(&r->chunks);
    r->evaluation = evaluation;
    r->has_takers = p->sink || (p->opt->hooks.paths && !p->given);
    r->with_confidence = p->sink && p->sink->with_confidence;
    r->parts =
        SP_BLOCK_SCORES | SP_BLOCK_MASK | (p->prepare.clamp ? SP_BLOCK_LABELS : 0u) | (r->has_gap ? SP_BLOCK_SEGMENTS : 0u);
    r->n_expected = count_readings(r) * r->n_steps;
    return status;
}

/* The same by the other classifiers. */
static sp_status decode_against(long_recording *r, sp_error *err)
{
    sp_pipeline *p = r->p;
    sp_status status = SP_OK;
    for (int32_t i = 0; status == SP_OK && i < p->n_against; i++) {
        long_recording *one = &r->against[i];
        status = open_recording(one, &p->against[i].p, r->recording, r->evaluation, err);
        const sp_long_recording chunks = chunks_of(one);
        if (status == SP_OK)
            status = decode_all(one, &chunks, err);
    }
    return status;
}

static sp_status run(long_recording *r, sp_error *err)
{
    const sp_pipeline *p = r->p;
    const sp_long_recording chunks = chunks_of(r);
    sp_status status = decode_all(r, &chunks, err);
    if (status == SP_OK && r->evaluation && p->n_against) {
        r->against = calloc((size_t)p->n_against, sizeof *r->against);
        status = r->against ? decode_against(r, err) : sp_no_memory(err);
    }
    if (status == SP_OK && r->evaluation)
        status = sp_long_evaluate(r, err);
    for (int s = 0; status == SP_OK && r->has_takers && s < p->n_strategies; s++)
        status = put_result(r, &chunks, s, err);
    return status;
}

sp_status sp_long_recording_run(sp_pipeline *p, int64_t recording, sp_evaluation *evaluation, sp_error *err)
{
    long_recording r;
    sp_status status = open_recording(&r, p, recording, evaluation, err);
    if (status == SP_OK)
        status = run(&r, err);
    for (int32_t i = 0; r.against && i < p->n_against; i++)
        sp_long_close(&r.against[i]);
    free(r.against);
    sp_long_close(&r);
    return status;
}
