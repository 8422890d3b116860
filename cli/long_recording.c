#include "long_recording.h"

#include <stdlib.h>

#include "long_judging.h"
#include "long_steps.h"
#include "spool.h"

enum {
    WHOLE_BYTES = 64 << 20, /* scores of a recording that is still read whole */
    JUDGE_BYTES = 8 << 20,  /* scores evaluated at a time */
    FILL_STEPS = 1 << 16    /* of an undecoded path, at a time */
};

bool long_recording_can(const pipeline *p, const beside *extras)
{
    bool can = p->on_infeasible != INFEASIBLE_RELAX && extras->n_extras == 0 && !extras->with_confidence && !p->cross;
    for (int s = 0; s < p->n_strategies; s++)
        can = can && sp_long_can(p->chain, p->strategies[s].kind);
    return can;
}

/* Bytes of scores up to which a recording is read whole. STATEPATH_WHOLE_BYTES makes it another number, for tests. */
static int64_t whole_bytes(void)
{
    const char *text = getenv("STATEPATH_WHOLE_BYTES");
    long long given = text ? strtoll(text, NULL, 10) : 0;
    return given > 0 ? given : WHOLE_BYTES;
}

static int64_t row_bytes(const pipeline *p)
{
    return (int64_t)p->info->dtype * p->info->n_classes;
}

int64_t long_recording_next(const pipeline *p, int64_t first)
{
    const sp_source_info *info = p->info;
    const int64_t most = whole_bytes() / row_bytes(p);
    while (first < info->n_recordings && info->offsets[first + 1] - info->offsets[first] <= most)
        first++;
    return first;
}

typedef struct long_recording {
    long_steps steps;
    sp_evaluation *evaluation;
    sp_paths_writer *writer;
    unsigned parts;                     /* that decoding reads */
    int64_t piece_steps;                /* 0: as sp_decode_long() likes */
    int64_t last_first, last_n, most_n; /* piece read last; steps of the longest so far */
    int s;                              /* strategy */
    int64_t n_written;                  /* steps of its path */
    spool *spools[MAX_STRATEGIES];      /* with an evaluation */
    sp_decoded results[MAX_STRATEGIES];
    double seconds[MAX_STRATEGIES];
} long_recording;

/* ---- pieces for the library ---- */

/* Pieces are asked for forwards or backwards; whoever asks for the last piece twice turns back. */
static void read_next_ahead(long_recording *r, int64_t first, int64_t n)
{
    bool is_back = first + n == r->last_first || (first == r->last_first && n == r->last_n);
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

static sp_status write_nothing(long_recording *r, int64_t first, int64_t n, sp_error *err)
{
    int32_t *none = malloc(FILL_STEPS * sizeof *none);
    if (!none)
        return sp_fail(err, SP_ENOMEM, "no memory");
    for (int64_t t = 0; t < FILL_STEPS; t++)
        none[t] = -1;
    sp_paths_writer_forget(r->writer, r->s, r->n_written);
    sp_decode_output output = {.paths = none};
    sp_status status = SP_OK;
    for (int64_t at = first; status == SP_OK && at < first + n; at += FILL_STEPS) {
        int64_t count = first + n - at < FILL_STEPS ? first + n - at : FILL_STEPS;
        status = sp_paths_writer_add(r->writer, r->s, r->steps.recording, 0, r->steps.first_step + at, count, &output, err);
    }
    free(none);
    return status;
}

static sp_status write_piece(void *arg, int64_t first, int64_t n, const int32_t *path, sp_error *err)
{
    long_recording *r = arg;
    if (!path)
        return r->writer ? write_nothing(r, first, n, err) : SP_OK;
    sp_decode_output output = {.paths = (int32_t *)path}; /* only looked at */
    r->n_written += n;
    sp_status status = r->evaluation ? spool_put(r->spools[r->s], first, n, path, err) : SP_OK;
    if (status == SP_OK && r->writer)
        status = sp_paths_writer_add(r->writer, r->s, r->steps.recording, 0, r->steps.first_step + first, n, &output, err);
    return status;
}

/* ---- decoding ---- */

static sp_status decode_by(long_recording *r, int s, sp_error *err)
{
    pipeline *p = r->steps.p;
    sp_long_recording pieces = {.n_steps = r->steps.n_steps,
                                .piece_steps = r->piece_steps,
                                .has_gap = r->steps.has_gap,
                                .read = read_piece,
                                .write = write_piece,
                                .arg = r};
    sp_decoded *result = &r->results[s];
    r->s = s;
    r->n_written = 0;
    r->last_first = -1;
    double started = now_seconds();
    sp_status status = r->evaluation ? spool_new(p->info->n_classes, &r->spools[s], err) : SP_OK;
    if (status == SP_OK)
        status = sp_decode_long(p->chain, &pieces, p->strategies[s].kind, p->workers, result, err);
    r->seconds[s] = now_seconds() - started;
    if (status != SP_OK)
        return status;
    sp_block one = {.first = r->steps.recording, .n_recordings = 1, .ids = p->info->ids + r->steps.recording};
    return pipeline_look_at_failures(p, s, &one, result, err);
}

static sp_status write_results(const long_recording *r, sp_error *err)
{
    sp_status status = SP_OK;
    for (int s = 0; status == SP_OK && r->writer && s < r->steps.p->n_strategies; s++) {
        int32_t unused = 0;
        sp_decode_output output = {.paths = &unused, .results = (sp_decoded *)&r->results[s]}; /* only looked at */
        status = sp_paths_writer_add(r->writer, s, r->steps.recording, 1, r->steps.first_step, 0, &output, err);
    }
    return status;
}

sp_status long_recording_run(pipeline *p, int64_t recording, sp_evaluation *evaluation, sp_paths_writer *writer, progress *line,
                             sp_error *err)
{
    long_recording r = {.evaluation = evaluation, .writer = writer};
    sp_status status = long_steps_open(&r.steps, p, recording, writer, line, err);
    const int64_t T = r.steps.n_steps, most = whole_bytes();
    r.parts =
        SP_BLOCK_SCORES | SP_BLOCK_MASK | (p->prepare.clamp ? SP_BLOCK_LABELS : 0u) | (r.steps.has_gap ? SP_BLOCK_SEGMENTS : 0u);
    r.piece_steps = most < WHOLE_BYTES ? most / row_bytes(p) / 2 : 0;
    long_judging judging = {evaluation, r.spools, r.results, r.seconds, (most < JUDGE_BYTES ? most : JUDGE_BYTES) / row_bytes(p)};
    judging.piece_steps = judging.piece_steps > 16 ? judging.piece_steps : 16;
    for (int s = 0; s < p->n_strategies; s++)
        long_steps_expect(&r.steps, p->strategies[s].kind == SP_VITERBI ? 2 * T : T);
    long_steps_expect(&r.steps, evaluation ? T : 0);
    for (int s = 0; status == SP_OK && s < p->n_strategies; s++)
        status = decode_by(&r, s, err);
    if (status == SP_OK && evaluation)
        status = long_judge(&r.steps, &judging, err);
    if (status == SP_OK)
        status = write_results(&r, err);
    for (int s = 0; s < MAX_STRATEGIES; s++)
        spool_free(r.spools[s]);
    long_steps_close(&r.steps);
    return status;
}
