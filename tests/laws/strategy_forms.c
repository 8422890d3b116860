/* The forms in which a strategy can be asked for. A form is a row of a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statepath.h"
#include "strategy_law.h"

void law_fail(const law_case *x, const sp_strategy *strategy, bool is_relaxed, const char *form,
              int64_t recording, const char *what)
{
    char text[SP_STRATEGY_TEXT] = "";
    const sp_model *model = x->c.model;
    if (strategy)
        sp_strategy_format(strategy, text);
    printf("seed %llu, %s%s, %s, recording %lld: %s\n", (unsigned long long)x->c.seed, text,
           is_relaxed ? " relaxed" : "", form, (long long)recording, what);
    printf("  %d classes, %d states%s%s%s%s%s%s, %lld recordings of %lld steps\n", (int)model->n_classes,
           (int)model->n_states, model->weight ? ", weights" : "", model->min_dwell ? ", minimum dwells" : "",
           model->durations ? ", durations" : "", x->c.segments ? ", gaps" : "",
           x->shape.has_ties ? ", ties" : "", x->narrow ? ", f32" : "", (long long)x->batch.n_recordings,
           (long long)x->batch.scores.n_steps);
    for (int32_t r = 0; r < model->n_rules; r++)
        printf("  rule {%s; %g%s}\n", model->rules[r].text, model->rules[r].cost,
               model->rules[r].may_at_gap ? "; may" : "");
    exit(1);
}

static void require_ok(const law_case *x, const sp_strategy *strategy, const char *form, sp_status status,
                       const sp_error *err)
{
    if (status != SP_OK)
        law_fail(x, strategy, false, form, -1, err->message);
}

/* ---- answers ---- */

law_answer law_answer_new(const sp_batch *batch)
{
    const size_t S = (size_t)batch->scores.n_steps, N = (size_t)batch->n_recordings;
    law_answer a = {oracle_array(S, sizeof *a.paths), oracle_array(N, sizeof *a.results), oracle_array(S, 1)};
    memset(a.paths, 0x55, S * sizeof *a.paths);
    memset(a.results, 0x55, N * sizeof *a.results);
    memset(a.broken, 0x55, S);
    return a;
}

void law_answer_free(law_answer *a)
{
    free(a->paths);
    free(a->results);
    free(a->broken);
}

static sp_workers *workers_of(int n_threads)
{
    static sp_workers *kept[4];
    if (!kept[n_threads] && !(kept[n_threads] = sp_workers_new(n_threads)))
        exit(1);
    return kept[n_threads];
}

static sp_scratch *own_scratch(void)
{
    static sp_scratch *kept;
    if (!kept && !(kept = sp_scratch_new()))
        exit(1);
    return kept;
}

static sp_batch narrow_of(const law_case *x)
{
    sp_batch batch = x->batch;
    batch.scores.data = x->narrow;
    batch.scores.dtype = SP_F32;
    return batch;
}

/* ---- forms ---- */

typedef struct asked {
    const law_case *x;
    sp_decode_options options;
    const char *form;
} asked;

static void by_batch(const asked *q, const sp_batch *batch, int n_threads, law_answer *a)
{
    const sp_decode_output output = {.paths = a->paths, .results = a->results, .broken = a->broken};
    sp_error err;
    require_ok(q->x, &q->options.strategy, q->form,
               sp_decode_batch(q->x->c.chain, batch, &q->options, workers_of(n_threads), &output, &err),
               &err);
}

static void on_one_thread(const asked *q, law_answer *a)
{
    by_batch(q, &q->x->batch, 1, a);
}

static void on_three_threads(const asked *q, law_answer *a)
{
    by_batch(q, &q->x->batch, 3, a);
}

static void of_floats(const asked *q, law_answer *a)
{
    const sp_batch batch = narrow_of(q->x);
    by_batch(q, q->x->narrow ? &batch : &q->x->batch, 2, a);
}

/* sp_decode() says nothing of which steps are broken: those of the batch are taken. */
static void alone(const asked *q, law_answer *a)
{
    const law_case *x = q->x;
    law_answer whole = law_answer_new(&x->batch);
    on_one_thread(q, &whole);
    memcpy(a->broken, whole.broken, (size_t)x->batch.scores.n_steps);
    law_answer_free(&whole);
    for (int64_t n = 0; n < x->batch.n_recordings; n++) {
        const sp_scores scores = sp_batch_recording(&x->batch, n);
        int32_t *path = a->paths + x->offsets[n];
        sp_decoded result;
        sp_error err;
        memset(&result, 0x55, sizeof result);
        const sp_decoded untouched = result;
        const sp_status status =
            sp_decode(x->c.chain, &scores, &q->options, own_scratch(), path, &result, &err);
        if (status != SP_OK) {
            bool is_touched = memcmp(&result, &untouched, sizeof result) != 0;
            for (int64_t t = 0; t < scores.n_steps; t++) {
                is_touched |= path[t] != 0x55555555;
                path[t] = -1;
            }
            if (is_touched)
                law_fail(x, &q->options.strategy, q->options.relax, q->form, n, "outputs after a failure");
            result = (sp_decoded){.status = status, .step = err.step, .score = -INFINITY};
            if (status != SP_ENOPATH && status != SP_EDEADEND)
                law_fail(x, &q->options.strategy, q->options.relax, q->form, n, err.message);
        }
        a->results[n] = result;
    }
}

static void assert_same(const asked *q, const law_answer *a, const law_answer *b, double tolerance)
{
    const law_case *x = q->x;
    for (int64_t n = 0; n < x->batch.n_recordings; n++) {
        const sp_decoded *r = &a->results[n], *s = &b->results[n];
        if (r->status != s->status || r->step != s->step)
            law_fail(x, &q->options.strategy, q->options.relax, q->form, n, "status, or step of the failure");
        if (r->n_broken != s->n_broken || (tolerance == 0 && r->n_redirected != s->n_redirected))
            law_fail(x, &q->options.strategy, q->options.relax, q->form, n, "counts");
        if (memcmp(&r->score, &s->score, sizeof r->score) != 0 &&
            !(fabs(r->score - s->score) <= tolerance * (1 + fabs(s->score))))
            law_fail(x, &q->options.strategy, q->options.relax, q->form, n, "score");
        for (int64_t t = x->offsets[n]; t < x->offsets[n + 1]; t++)
            if (a->paths[t] != b->paths[t] || a->broken[t] != b->broken[t])
                law_fail(x, &q->options.strategy, q->options.relax, q->form, n,
                         "path, or steps that break rules");
    }
}

static const struct {
    const char *name;
    void (*decode)(const asked *q, law_answer *a);
} forms[] = {
    {"alone", alone}, {"one thread", on_one_thread}, {"three threads", on_three_threads}, {"f32", of_floats}};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* ---- streams ---- */

typedef struct stream {
    sp_online *online;
    bool is_exact; /* pushed by sp_online_push_exact() */
    int32_t *path, n_decided;
    sp_error err;
} stream;

/* One step; false where what is refused is written, or the number of pending steps is wrong. */
static bool push(stream *s, const sp_scores *scores, int64_t t, sp_status *status)
{
    const double *row = (const double *)scores->data + t * scores->n_classes;
    const bool is_gap = sp_scores_is_gap(scores, t);
    int32_t n = -5, k = -5;
    *status = s->is_exact ? sp_online_push_exact(s->online, row, is_gap, s->path + s->n_decided, &n, &s->err)
                          : sp_online_push(s->online, row, is_gap, &k, &s->err);
    if (*status != SP_OK)
        return n == -5 && k == -5 && s->err.step == t;
    if (!s->is_exact && (n = k >= 0) > 0)
        s->path[s->n_decided] = k;
    s->n_decided += n;
    return sp_online_pending(s->online) == t + 1 - s->n_decided;
}

/* The first failure: no path at all reaches the step, or none that agrees with what was decided. */
static sp_status expected_failure(const law_case *x, const sp_scores *scores, int64_t step)
{
    const int64_t unreachable = oracle_first_unreachable(x->graph, scores);
    return unreachable >= 0 && unreachable <= step ? SP_ENOPATH : SP_EDEADEND;
}

/* Pushes a recording. Returns what is wrong; NULL: nothing. */
static const char *push_all(const law_case *x, stream *s, const sp_scores *scores, sp_status *status)
{
    int32_t n_rest = -5;
    int64_t t = 0;
    s->n_decided = 0;
    *status = SP_OK;
    for (; t < scores->n_steps && *status == SP_OK; t++)
        if (!push(s, scores, t, status))
            return "what a push says, or the number of pending steps";
    const bool is_at_end = *status == SP_OK; /* a push does not know that it is the last one */
    if (is_at_end) {
        *status = sp_online_finish(s->online, s->path + s->n_decided, &n_rest, &s->err);
        if (*status == SP_OK ? s->n_decided + n_rest != scores->n_steps : n_rest != -5)
            return "how many steps the end decides";
    }
    if (*status != SP_OK && x->graph && (is_at_end || t < scores->n_steps) &&
        *status != expected_failure(x, scores, t - 1))
        return "the status of the failure";
    if (*status != SP_OK)
        sp_online_restart(s->online);
    return sp_online_pending(s->online) == 0 ? NULL : "steps are pending after the end";
}

/* What a stream decides is what the whole recording gives. One stream, one recording after the other. */
static void check_stream(const asked *q, const law_answer *whole, stream *s)
{
    const law_case *x = q->x;
    s->path = oracle_array((size_t)x->batch.scores.n_steps + 1, sizeof *s->path);
    for (int64_t n = 0; n < x->batch.n_recordings; n++) {
        const sp_scores scores = sp_batch_recording(&x->batch, n);
        sp_status status;
        const char *wrong = push_all(x, s, &scores, &status);
        if (!wrong && (status == SP_OK) != (whole->results[n].status == SP_OK))
            wrong = "whether there is a path";
        if (!wrong && status == SP_OK &&
            memcmp(s->path, whole->paths + x->offsets[n], (size_t)scores.n_steps * sizeof *s->path) != 0)
            wrong = "path";
        if (!wrong && status == SP_OK && q->options.strategy.kind == SP_VITERBI &&
            sp_online_forced(s->online) != 0)
            wrong = "a step that was forced";
        if (wrong)
            law_fail(x, &q->options.strategy, false, q->form, n, wrong);
    }
    free(s->path);
    sp_online_free(s->online);
}

/* Viterbi by the exact stream; online by that of its lag, and by the exact one with that as its greatest lag.
 * */
static void check_streams(asked *q, const law_answer *whole)
{
    const bool is_viterbi = q->options.strategy.kind == SP_VITERBI;
    const int32_t lag = is_viterbi ? -1 : q->options.strategy.parameter;
    for (int is_exact = is_viterbi; is_exact < 2; is_exact++) {
        stream s = {.is_exact = is_exact};
        q->form = is_exact ? "exact stream" : "stream";
        require_ok(q->x, &q->options.strategy, q->form,
                   (is_exact ? sp_online_new_exact : sp_online_new)(q->x->c.chain, lag, &s.online, &s.err),
                   &s.err);
        check_stream(q, whole, &s);
    }
}

/* ---- all forms ---- */

law_answer law_decode(const law_case *x, const sp_strategy *strategy, bool is_relaxed)
{
    asked q = {x, {*strategy, is_relaxed}, "alone"};
    law_answer first = law_answer_new(&x->batch);
    const sp_isa chosen = sp_isa_current();
    alone(&q, &first);
    for (sp_isa isa = SP_ISA_BASE; isa <= chosen; isa++)
        for (int f = 1; f < N_FORMS; f++) {
            if (isa < chosen && f != 1 + (int)((x->c.seed + isa) % (N_FORMS - 1)))
                continue;
            char name[64];
            snprintf(name, sizeof name, "%s, %s", forms[f].name, sp_isa_name(isa));
            law_answer a = law_answer_new(&x->batch);
            sp_error err;
            q.form = name;
            require_ok(x, strategy, name, sp_isa_set(isa, &err), &err);
            forms[f].decode(&q, &a);
            assert_same(&q, &a, &first, 0);
            law_answer_free(&a);
        }
    if (!is_relaxed && (strategy->kind == SP_VITERBI || strategy->kind == SP_ONLINE))
        check_streams(&q, &first);
    return first;
}
