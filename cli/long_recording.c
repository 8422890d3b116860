#include "long_recording.h"

#include <stdlib.h>
#include <unistd.h>

#include "long_judging.h"
#include "long_steps.h"
#include "spool.h"

enum {
    JUDGE_BYTES = 8 << 20, /* scores evaluated at a time */
    FILL_STEPS = 1 << 12   /* written at a time where a path has to be made or fetched */
};

bool long_recording_can(const pipeline *p, const beside *extras)
{
    return extras->n_best == 0 && !p->cross;
}

static int64_t row_bytes(const pipeline *p)
{
    return (int64_t)p->info->dtype * p->info->n_classes;
}

int64_t long_recording_next(const pipeline *p, int64_t first)
{
    const sp_source_info *info = p->info;
    const int64_t most = long_whole_bytes() / row_bytes(p);
    while (first < info->n_recordings && info->offsets[first + 1] - info->offsets[first] <= most)
        first++;
    return first;
}

sp_status long_recording_warn(const pipeline *p, const beside *extras, sp_error *err)
{
    const sp_source_info *info = p->info;
    int64_t longest = 0;
    for (int64_t n = 1; n < info->n_recordings; n++)
        if (info->offsets[n + 1] - info->offsets[n] > info->offsets[longest + 1] - info->offsets[longest])
            longest = n;
    if (long_recording_can(p, extras) || long_recording_next(p, 0) == info->n_recordings)
        return SP_OK;
    const double step = (double)row_bytes(p) + (double)sizeof(int32_t) * (extras->n_best + p->n_strategies);
    const double T = (double)(info->offsets[longest + 1] - info->offsets[longest]), need = step * T;
    const double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const char *what = p->cross ? "--cv" : "--nbest", *without = p->cross ? "fit, then compare" : "leave --nbest out";
    char n[COUNT_TEXT];
    count_text((int64_t)T, n);
    if (need > there)
        return sp_fail(
            err, SP_ENOMEM,
            "recording %s has %s steps, of which %s needs all in memory, at least %.1f GB, and this machine has %.1f; %s, "
            "or cut the recording",
            info->ids[longest], n, what, 1e-9 * need, 1e-9 * there, without);
    if (!p->opt->talk.quiet)
        complain(
            "note: recording %s has %s steps, of which %s needs all in memory, at least %.1f GB; without it memory is bounded",
            info->ids[longest], n, what, 1e-9 * need);
    return SP_OK;
}

typedef struct long_recording {
    long_steps steps;
    sp_evaluation *evaluation;
    sp_paths_writer *writer;
    beside *extras;
    bool has_spools;                    /* paths are wanted again once they are known: by an evaluation, or for confidence */
    unsigned parts;                     /* that decoding reads */
    int64_t last_first, last_n, most_n; /* piece read last; steps of the longest so far */
    int s;                              /* strategy */
    int64_t n_written;                  /* steps of its path in the file */
    spool *spools[MAX_STRATEGIES];      /* with has_spools */
    spool *broken[MAX_STRATEGIES];      /* with confidence and relaxing: 1 where rules are broken */
    sp_decoded results[MAX_STRATEGIES];
    double seconds[MAX_STRATEGIES];
} long_recording;

/* ---- pieces for the library ---- */

/* Pieces are asked for forwards or backwards; whoever asks for an outer piece twice turns. */
static void read_next_ahead(long_recording *r, int64_t first, int64_t n)
{
    bool is_turn = first == r->last_first && n == r->last_n;
    bool is_back = first + n == r->last_first || (is_turn && first > 0);
    r->most_n = n > r->most_n ? n : r->most_n;
    r->last_first = first;
    r->last_n = n;
    int64_t end = r->steps.n_steps, next = is_back ? first - r->most_n : first + n;
    if (next >= 0 && next < end)
        long_steps_ahead(&r->steps, next, next + r->most_n < end ? r->most_n : end - next, r->parts);
}

static sp_status read_piece(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err)
{
    long_recording *r = arg;
    const sp_block *block;
    sp_status status = long_steps_read(&r->steps, first, n, r->parts, &block, err);
    if (status != SP_OK)
        return status;
    *scores = sp_block_batch(block).scores;
    read_next_ahead(r, first, n);
    return SP_OK;
}

/* Paths, and what is written with them, are the answers of the writer's strategy r->s. */
static sp_status write_steps(long_recording *r, int64_t first, int64_t n, const sp_decode_output *output, sp_error *err)
{
    r->n_written += n;
    return sp_paths_writer_add(r->writer, r->s, r->steps.recording, 0, r->steps.first_step + first, n, output, err);
}

static sp_status write_piece(void *arg, int64_t first, int64_t n, const int32_t *path, const uint8_t *broken, sp_error *err)
{
    long_recording *r = arg;
    if (!path) {
        if (r->writer)
            sp_paths_writer_forget(r->writer, r->s, r->n_written);
        r->n_written = 0;
        return SP_OK;
    }
    int32_t marks[FILL_STEPS];
    sp_status status = r->has_spools ? spool_put(r->spools[r->s], first, n, path, err) : SP_OK;
    for (int64_t at = 0; status == SP_OK && r->broken[r->s] && at < n; at += FILL_STEPS) {
        int64_t count = n - at < FILL_STEPS ? n - at : FILL_STEPS;
        for (int64_t t = 0; t < count; t++)
            marks[t] = broken && broken[at + t];
        status = spool_put(r->broken[r->s], first + at, count, marks, err);
    }
    if (status != SP_OK || !r->writer || r->extras->with_confidence)
        return status;
    sp_decode_output output = {.paths = (int32_t *)path, .broken = (uint8_t *)broken}; /* only looked at */
    return write_steps(r, first, n, &output, err);
}

static sp_status write_nothing(long_recording *r, sp_error *err)
{
    int32_t none[FILL_STEPS];
    for (int64_t t = 0; t < FILL_STEPS; t++)
        none[t] = -1;
    sp_decode_output output = {.paths = none};
    sp_status status = SP_OK;
    for (int64_t first = 0; status == SP_OK && first < r->steps.n_steps; first += FILL_STEPS) {
        int64_t rest = r->steps.n_steps - first;
        status = write_steps(r, first, rest < FILL_STEPS ? rest : FILL_STEPS, &output, err);
    }
    return status;
}

/* ---- confidence ---- */

static sp_status read_path(void *arg, int64_t first, int64_t n, int32_t *path, sp_error *err)
{
    long_recording *r = arg;
    return spool_get(r->spools[r->s], first, n, path, err);
}

static sp_status write_sure(void *arg, int64_t first, int64_t n, const float *confidence, sp_error *err)
{
    long_recording *r = arg;
    int32_t path[FILL_STEPS], marks[FILL_STEPS];
    uint8_t broken[FILL_STEPS];
    bool has_path = r->results[r->s].status == SP_OK, has_marks = has_path && r->broken[r->s];
    sp_status status = SP_OK;
    for (int64_t at = 0; status == SP_OK && at < n; at += FILL_STEPS) {
        int64_t count = n - at < FILL_STEPS ? n - at : FILL_STEPS;
        for (int64_t t = 0; !has_path && t < count; t++)
            path[t] = -1;
        if (has_path)
            status = spool_get(r->spools[r->s], first + at, count, path, err);
        if (status == SP_OK && has_marks)
            status = spool_get(r->broken[r->s], first + at, count, marks, err);
        for (int64_t t = 0; status == SP_OK && has_marks && t < count; t++)
            broken[t] = (uint8_t)marks[t];
        sp_decode_output output = {
            .paths = path, .broken = has_marks ? broken : NULL, .confidence = (float *)confidence + at}; /* only looked at */
        if (status == SP_OK)
            status = write_steps(r, first + at, count, &output, err);
    }
    return status;
}

static sp_status add_confidence(long_recording *r, const sp_long_recording *pieces, int s, sp_error *err)
{
    pipeline *p = r->steps.p;
    sp_long_given given = {r->results[s].status == SP_OK ? read_path : NULL, write_sure, r};
    sp_long_sureness sure;
    r->s = s;
    r->last_first = -1;
    sp_status status = sp_confidence_long(p->chain, pieces, &given, p->workers, &sure, err);
    if (status != SP_OK)
        return status;
    int64_t offsets[2] = {0, 0};
    sp_block one = {.first = r->steps.recording, .n_recordings = 1, .offsets = offsets};
    sp_decode_output output = {.results = &r->results[s]};
    status = beside_reserve(r->extras, s, &one, &output, err);
    output.log_partition = &sure.log_partition;
    output.margins = &sure.margin;
    return status == SP_OK ? beside_write(r->extras, s, &one, r->steps.first_step, &output, r->writer, err) : status;
}

/* ---- decoding ---- */

static sp_status decode_by(long_recording *r, const sp_long_recording *pieces, int s, sp_error *err)
{
    pipeline *p = r->steps.p;
    sp_decode_options how = sp_decode_options_default();
    how.strategy = p->strategies[s];
    how.relax = p->on_infeasible == INFEASIBLE_RELAX;
    sp_decoded *result = &r->results[s];
    r->s = s;
    r->n_written = 0;
    r->last_first = -1;
    double started = now_seconds();
    sp_status status = r->has_spools ? spool_new(p->info->n_classes, &r->spools[s], err) : SP_OK;
    if (status == SP_OK)
        status = sp_decode_long(p->chain, pieces, &how, p->workers, result, err);
    r->seconds[s] = now_seconds() - started;
    if (status == SP_OK && result->status != SP_OK && r->writer && !r->extras->with_confidence)
        status = write_nothing(r, err);
    if (status != SP_OK)
        return status;
    sp_block one = {.first = r->steps.recording, .n_recordings = 1, .ids = p->info->ids + r->steps.recording};
    return pipeline_look_at_failures(p, s, &one, result, err);
}

static sp_status write_results(long_recording *r, int s, sp_error *err)
{
    int32_t unused = 0;
    float unused_too = 0;
    sp_decode_output output = {.paths = &unused, .results = &r->results[s], .confidence = &unused_too};
    return sp_paths_writer_add(r->writer, s, r->steps.recording, 1, r->steps.first_step, 0, &output, err);
}

static void expect(long_recording *r)
{
    const pipeline *p = r->steps.p;
    int readings = r->evaluation ? 1 : 0;
    for (int s = 0; s < p->n_strategies; s++)
        readings += sp_strategy_about(p->strategies[s].kind)->readings + (r->writer && r->extras->with_confidence ? 3 : 0);
    long_steps_expect(&r->steps, readings * r->steps.n_steps);
}

/* By all strategies, one after the other. */
static sp_status go(long_recording *r, sp_error *err)
{
    const pipeline *p = r->steps.p;
    const int64_t most = long_whole_bytes();
    const sp_long_recording pieces = {.n_steps = r->steps.n_steps,
                                      .piece_steps = most < LONG_WHOLE_BYTES ? most / row_bytes(p) / 2 : 0,
                                      .has_gap = r->steps.has_gap,
                                      .read = read_piece,
                                      .write = write_piece,
                                      .arg = r};
    long_judging judging = {r->evaluation, r->spools, r->results, r->seconds,
                            (most < JUDGE_BYTES ? most : JUDGE_BYTES) / row_bytes(p)};
    judging.piece_steps = judging.piece_steps > 16 ? judging.piece_steps : 16;
    sp_status status = SP_OK;
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++)
        status = decode_by(r, &pieces, s, err);
    if (status == SP_OK && r->evaluation)
        status = long_judge(&r->steps, &judging, err);
    for (int s = 0; status == SP_OK && r->writer && s < p->n_strategies; s++) {
        if (r->extras->with_confidence)
            status = add_confidence(r, &pieces, s, err);
        if (status == SP_OK)
            status = write_results(r, s, err);
    }
    return status;
}

sp_status long_recording_run(pipeline *p, int64_t recording, sp_evaluation *evaluation, sp_paths_writer *writer, beside *extras,
                             progress *line, sp_error *err)
{
    long_recording r = {.evaluation = evaluation, .writer = writer, .extras = extras};
    bool with_confidence = writer && extras->with_confidence;
    sp_status status = long_steps_open(&r.steps, p, recording, writer, line, err);
    r.has_spools = evaluation || with_confidence;
    r.parts =
        SP_BLOCK_SCORES | SP_BLOCK_MASK | (p->prepare.clamp ? SP_BLOCK_LABELS : 0u) | (r.steps.has_gap ? SP_BLOCK_SEGMENTS : 0u);
    expect(&r);
    for (int s = 0; status == SP_OK && with_confidence && p->on_infeasible == INFEASIBLE_RELAX && s < p->n_strategies; s++)
        status = spool_new(2, &r.broken[s], err);
    if (status == SP_OK)
        status = go(&r, err);
    for (int s = 0; s < MAX_STRATEGIES; s++) {
        spool_free(r.spools[s]);
        spool_free(r.broken[s]);
    }
    long_steps_close(&r.steps);
    return status;
}
