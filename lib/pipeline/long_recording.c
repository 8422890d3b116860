#include "pipeline/long_recording.h"

#include <stdlib.h>
#include <unistd.h>

#include "pipeline/long_evaluation.h"
#include "pipeline/long_steps.h"
#include "pipeline/path_spill.h"

enum {
    EVALUATE_BYTES = 8 << 20, /* scores evaluated at a time */
    FILL_STEPS = 1 << 12      /* written at a time where a path has to be made or fetched */
};

bool sp_long_recording_can(const sp_pipeline *p, const sp_extra_outputs *extras)
{
    return extras->n_best == 0 && !p->cross && (!p->given || p->given->result);
}

static int64_t row_bytes(const sp_pipeline *p)
{
    return p->step_bytes;
}

int64_t sp_long_recording_next(const sp_pipeline *p, int64_t first)
{
    const sp_source_info *info = p->info;
    const int64_t most = sp_long_whole_bytes() / row_bytes(p);
    while (first < info->n_recordings && info->offsets[first + 1] - info->offsets[first] <= most)
        first++;
    return first;
}

sp_status sp_long_recording_warn(const sp_pipeline *p, const sp_extra_outputs *extras, sp_error *err)
{
    const sp_source_info *info = p->info;
    int64_t longest = 0;
    for (int64_t n = 1; n < info->n_recordings; n++)
        if (info->offsets[n + 1] - info->offsets[n] > info->offsets[longest + 1] - info->offsets[longest])
            longest = n;
    if (sp_long_recording_can(p, extras) || sp_long_recording_next(p, 0) == info->n_recordings)
        return SP_OK;
    const double step = (double)row_bytes(p) + (double)sizeof(int32_t) * (extras->n_best + p->n_strategies);
    const double T = (double)(info->offsets[longest + 1] - info->offsets[longest]), need = step * T;
    const double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const char *what = p->cross ? "cv" : "nbest";
    char n[SP_COUNT_TEXT];
    sp_count_text((int64_t)T, n);
    if (need > there)
        return sp_run_fail(
            p->opt, err, SP_ENOMEM,
            "recording %s has %s steps, of which @%s needs all in memory, at least %.1f GB, and this machine has %.1f; %s, "
            "or cut the recording",
            info->ids[longest], n, what, 1e-9 * need, 1e-9 * there, p->cross ? "fit, then compare" : "leave `nbest` out");
    sp_run_notice(
        p->opt, SP_NOTICE_DATA,
        "note: recording %s has %s steps, of which @%s needs all in memory, at least %.1f GB; without it memory is bounded",
        info->ids[longest], n, what, 1e-9 * need);
    return SP_OK;
}

typedef struct long_recording {
    long_steps steps;
    sp_evaluation *evaluation;
    sp_paths_writer *writer;
    sp_extra_outputs *extras;
    bool has_sink;                      /* a writer, or a hook */
    bool has_spills;                    /* paths are wanted again once they are known: by an evaluation, or for confidence */
    unsigned parts;                     /* that decoding reads */
    int64_t last_first, last_n, most_n; /* piece read last; steps of the longest so far */
    int s;                              /* strategy */
    int64_t n_written;                  /* steps of its path in the file */
    sp_path_spill *spills[SP_RUN_STRATEGIES]; /* with has_spills */
    sp_path_spill *broken[SP_RUN_STRATEGIES]; /* with confidence and relaxing: 1 where rules are broken */
    sp_decoded results[SP_RUN_STRATEGIES];
    double seconds[SP_RUN_STRATEGIES];
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
        sp_long_steps_ahead(&r->steps, next, next + r->most_n < end ? r->most_n : end - next, r->parts);
}

static sp_status read_piece(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err)
{
    long_recording *r = arg;
    const sp_block *block;
    sp_status status = sp_long_steps_read(&r->steps, first, n, r->parts, &block, err);
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
    return sp_pipeline_put_paths(r->steps.p, r->writer, r->s, r->steps.recording, 0, r->steps.first_step + first, n, output, err);
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
    sp_status status = r->has_spills ? sp_path_spill_put(r->spills[r->s], first, n, path, err) : SP_OK;
    for (int64_t at = 0; status == SP_OK && r->broken[r->s] && at < n; at += FILL_STEPS) {
        int64_t count = n - at < FILL_STEPS ? n - at : FILL_STEPS;
        for (int64_t t = 0; t < count; t++)
            marks[t] = broken && broken[at + t];
        status = sp_path_spill_put(r->broken[r->s], first + at, count, marks, err);
    }
    if (status != SP_OK || !r->has_sink || r->extras->with_confidence)
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
    return sp_path_spill_get(r->spills[r->s], first, n, path, err);
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
            status = sp_path_spill_get(r->spills[r->s], first + at, count, path, err);
        if (status == SP_OK && has_marks)
            status = sp_path_spill_get(r->broken[r->s], first + at, count, marks, err);
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
    sp_pipeline *p = r->steps.p;
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
    status = sp_extra_outputs_reserve(r->extras, s, &one, &output, err);
    output.log_partition = &sure.log_partition;
    output.margins = &sure.margin;
    return status == SP_OK ? sp_extra_outputs_write(r->extras, s, &one, r->steps.first_step, &output, r->writer, err) : status;
}

/* ---- decoding ---- */

static sp_status decode_by(long_recording *r, const sp_long_recording *pieces, int s, sp_error *err)
{
    sp_pipeline *p = r->steps.p;
    sp_decode_options how = sp_decode_options_default();
    how.strategy = p->strategies[s];
    how.relax = p->on_infeasible == SP_INFEASIBLE_RELAX;
    sp_decoded *result = &r->results[s];
    r->s = s;
    r->n_written = 0;
    r->last_first = -1;
    double started = sp_now_seconds();
    sp_status status = r->has_spills ? sp_path_spill_new(p->info->n_classes, &r->spills[s], err) : SP_OK;
    if (status == SP_OK)
        status = sp_decode_long(p->chain, pieces, &how, p->workers, result, err);
    r->seconds[s] = sp_now_seconds() - started;
    if (status == SP_OK && result->status != SP_OK && r->has_sink && !r->extras->with_confidence)
        status = write_nothing(r, err);
    if (status != SP_OK)
        return status;
    sp_block one = {.first = r->steps.recording, .n_recordings = 1, .ids = p->info->ids + r->steps.recording};
    return sp_pipeline_look_at_failures(p, s, &one, result, err);
}

/* Of paths that are there already: is there one at all? */
static sp_status look_at_given(long_recording *r, sp_error *err)
{
    sp_pipeline *p = r->steps.p;
    int32_t path[FILL_STEPS];
    sp_status status = SP_OK;
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++) {
        bool is_undecoded = true;
        for (int64_t first = 0; status == SP_OK && first < r->steps.n_steps; first += FILL_STEPS) {
            const int64_t rest = r->steps.n_steps - first;
            const sp_part part = {.recording = r->steps.recording, .first = first, .n = rest < FILL_STEPS ? rest : FILL_STEPS};
            status = p->given->read(p->given->arg, s, &part, path, NULL, err);
            for (int64_t t = 0; status == SP_OK && is_undecoded && t < part.n; t++)
                is_undecoded = path[t] == -1;
        }
        if (status == SP_OK)
            status = sp_run_go_on(p->opt, err);
        r->results[s] = p->given->result(p->given->arg, s, r->steps.recording, is_undecoded);
        p->undecoded[s] += r->results[s].status != SP_OK;
    }
    return status;
}

static sp_status write_results(long_recording *r, int s, sp_error *err)
{
    int32_t unused = 0;
    float unused_too = 0;
    sp_decode_output output = {.paths = &unused, .results = &r->results[s], .confidence = &unused_too};
    return sp_pipeline_put_paths(r->steps.p, r->writer, s, r->steps.recording, 1, r->steps.first_step, 0, &output, err);
}

static void expect(long_recording *r)
{
    const sp_pipeline *p = r->steps.p;
    int readings = r->evaluation ? 1 : 0;
    for (int s = 0; !p->given && s < p->n_strategies; s++)
        readings += sp_strategy_about(p->strategies[s].kind)->readings + (r->writer && r->extras->with_confidence ? 3 : 0);
    sp_long_steps_expect(&r->steps, readings * r->steps.n_steps);
}

/* By all strategies, one after the other. */
static sp_status go(long_recording *r, sp_error *err)
{
    const sp_pipeline *p = r->steps.p;
    const int64_t most = sp_long_whole_bytes();
    const sp_long_recording pieces = {.n_steps = r->steps.n_steps,
                                      .piece_steps = most < LONG_WHOLE_BYTES ? most / row_bytes(p) / 2 : 0,
                                      .has_gap = r->steps.has_gap,
                                      .read = read_piece,
                                      .write = write_piece,
                                      .arg = r};
    long_evaluation how = {r->evaluation, r->spills, r->results, r->seconds,
                           (most < EVALUATE_BYTES ? most : EVALUATE_BYTES) / row_bytes(p)};
    how.piece_steps = how.piece_steps > 16 ? how.piece_steps : 16;
    sp_status status = p->given ? look_at_given(r, err) : SP_OK;
    for (int s = 0; status == SP_OK && !p->given && s < p->n_strategies; s++)
        status = decode_by(r, &pieces, s, err);
    if (status == SP_OK && r->evaluation)
        status = sp_long_evaluate(&r->steps, &how, err);
    for (int s = 0; status == SP_OK && r->has_sink && s < p->n_strategies; s++) {
        if (r->extras->with_confidence)
            status = add_confidence(r, &pieces, s, err);
        if (status == SP_OK)
            status = write_results(r, s, err);
    }
    return status;
}

sp_status sp_long_recording_run(sp_pipeline *p, int64_t recording, sp_evaluation *evaluation, sp_paths_writer *writer,
                                sp_extra_outputs *extras, sp_error *err)
{
    long_recording r = {.evaluation = evaluation, .writer = writer, .extras = extras};
    bool with_confidence = writer && extras->with_confidence;
    sp_status status = sp_long_steps_open(&r.steps, p, recording, writer, err);
    r.has_sink = writer || (p->opt->hooks.paths && !p->given);
    r.has_spills = evaluation || with_confidence;
    r.parts =
        SP_BLOCK_SCORES | SP_BLOCK_MASK | (p->prepare.clamp ? SP_BLOCK_LABELS : 0u) | (r.steps.has_gap ? SP_BLOCK_SEGMENTS : 0u);
    expect(&r);
    for (int s = 0; status == SP_OK && with_confidence && p->on_infeasible == SP_INFEASIBLE_RELAX && s < p->n_strategies; s++)
        status = sp_path_spill_new(2, &r.broken[s], err);
    if (status == SP_OK)
        status = go(&r, err);
    for (int s = 0; s < SP_RUN_STRATEGIES; s++) {
        sp_path_spill_free(r.spills[s]);
        sp_path_spill_free(r.broken[s]);
    }
    sp_long_steps_close(&r.steps);
    return status;
}
