/* What may be asked for beside paths, and streams whose length was told, against the oracle. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statepath.h"
#include "strategy_law.h"

enum { N_DRAWS = 2 };

/* All that can be asked for. */
typedef struct extras {
    law_answer a;
    int32_t n_best;
    float *confidence;
    double *log_z, *margins, *best_scores;
    int32_t *best_paths, *n_found, *draws;
} extras;

static const sp_draw_options draw = {.n = N_DRAWS, .seed = 8, .recording = 30};

static extras extras_new(const sp_batch *batch, int32_t n_best)
{
    const size_t S = (size_t)batch->scores.n_steps, N = (size_t)batch->n_recordings;
    return (extras){law_answer_new(batch),
                    n_best,
                    oracle_array(S, sizeof(float)),
                    oracle_array(N, sizeof(double)),
                    oracle_array(N, sizeof(double)),
                    oracle_array(N * (size_t)n_best, sizeof(double)),
                    oracle_array(S * (size_t)n_best, sizeof(int32_t)),
                    oracle_array(N, sizeof(int32_t)),
                    oracle_array(S * N_DRAWS, sizeof(int32_t))};
}

static void extras_free(extras *e)
{
    law_answer_free(&e->a);
    free(e->confidence);
    free(e->log_z);
    free(e->margins);
    free(e->best_scores);
    free(e->best_paths);
    free(e->n_found);
    free(e->draws);
}

typedef struct checked {
    const law_case *x;
    const sp_strategy *strategy;
    int64_t n;
    sp_scores scores;
    extras *e;
    sp_scratch *scratch;
} checked;

static void differ(const checked *c, const char *what)
{
    law_fail(c->x, c->strategy, false, "extras", c->n, what);
}

static bool is_close(double a, double b, double tolerance)
{
    return a == b || fabs(a - b) <= tolerance * (1 + fabs(b));
}

static void decode(const law_case *x, const sp_strategy *strategy, sp_isa isa, int n_threads,
                   const sp_batch *batch, extras *e)
{
    const sp_decode_options options = {.strategy = *strategy};
    const sp_decode_output output = {.paths = e->a.paths,
                                     .results = e->a.results,
                                     .broken = e->a.broken,
                                     .confidence = e->confidence,
                                     .log_partition = e->log_z,
                                     .margins = e->margins,
                                     .n_best = e->n_best,
                                     .best_paths = e->best_paths,
                                     .best_scores = e->best_scores,
                                     .n_best_found = e->n_found,
                                     .draw = draw,
                                     .draws = e->draws};
    sp_workers *workers = sp_workers_new(n_threads);
    sp_error err = {.message = "no memory"};
    if (!workers || sp_isa_set(isa, &err) ||
        sp_decode_batch(x->c.chain, batch, &options, workers, &output, &err) != SP_OK)
        law_fail(x, strategy, false, "extras", -1, err.message);
    sp_workers_free(workers);
}

static void check_same(const law_case *x, const sp_strategy *strategy, const extras *a, const extras *b)
{
    const size_t S = (size_t)x->batch.scores.n_steps, N = (size_t)x->batch.n_recordings,
                 n = (size_t)a->n_best;
    if (memcmp(a->confidence, b->confidence, S * sizeof(float)) ||
        memcmp(a->log_z, b->log_z, N * sizeof(double)) ||
        memcmp(a->margins, b->margins, N * sizeof(double)) ||
        memcmp(a->best_scores, b->best_scores, N * n * sizeof(double)) ||
        memcmp(a->best_paths, b->best_paths, S * n * sizeof(int32_t)) ||
        memcmp(a->n_found, b->n_found, N * sizeof(int32_t)) ||
        memcmp(a->draws, b->draws, S * N_DRAWS * sizeof(int32_t)) ||
        memcmp(a->a.paths, b->a.paths, S * sizeof(int32_t)))
        law_fail(x, strategy, false, "extras", -1, "threads, or the instruction set, change something");
}

/* A batch of one recording gives the bytes of that recording in a batch of many. */
static void check_batch_of_one(const checked *c)
{
    const int64_t first = c->x->offsets[c->n], T = c->scores.n_steps, offsets[2] = {0, T};
    const sp_batch batch = {c->scores, 1, offsets};
    extras e = extras_new(&batch, c->e->n_best);
    decode(c->x, c->strategy, sp_isa_current(), 1, &batch, &e);
    if (memcmp(e.confidence, c->e->confidence + first, (size_t)T * sizeof(float)) != 0 ||
        memcmp(e.log_z, c->e->log_z + c->n, sizeof(double)) != 0 ||
        memcmp(e.margins, c->e->margins + c->n, sizeof(double)) != 0 ||
        memcmp(e.best_scores, c->e->best_scores + c->n * e.n_best, (size_t)e.n_best * sizeof(double)) != 0)
        law_fail(c->x, c->strategy, false, "extras", c->n, "a batch of one gives other bytes");
    extras_free(&e);
}

/* ---- confidence ---- */

static void check_marginals(const checked *c, const double *log_marginal, double log_z)
{
    const int64_t n_values = c->scores.n_steps * c->scores.n_classes;
    double *marginals = oracle_array((size_t)n_values, sizeof *marginals), z = 77;
    const sp_status status = sp_forward_backward(c->x->c.chain, &c->scores, c->scratch, marginals, &z, NULL);
    if ((status == SP_OK) != (log_marginal != NULL) ||
        (status == SP_OK ? !is_close(z, log_z, 1e-9) : z != 77))
        differ(c, "log Z");
    for (int64_t i = 0; i < n_values && log_marginal; i++) {
        const double expected = exp(log_marginal[i]);
        if (!is_close(marginals[i], expected, 1e-9) || (log_marginal[i] == -INFINITY && marginals[i] != 0) ||
            (marginals[i] == 0 && expected > 1e-150))
            differ(c, "a marginal");
    }
    free(marginals);
}

static void check_confidence(const checked *c)
{
    const int64_t first = c->x->offsets[c->n];
    const bool has_path = c->e->a.results[c->n].status == SP_OK;
    double log_z;
    const double *log_marginal = law_marginals((law_case *)c->x, c->n, &log_z);
    if (isnan(log_z))
        return;
    check_marginals(c, log_marginal, log_z);
    if (!is_close(c->e->log_z[c->n], log_z, 1e-9))
        differ(c, "log Z of the batch");
    float *alone = oracle_array((size_t)c->scores.n_steps, sizeof *alone);
    double z;
    const bool is_alone =
        has_path && log_marginal &&
        sp_confidence(c->x->c.chain, &c->scores, c->scratch, c->e->a.paths + first, alone, &z, NULL) == SP_OK;
    if (has_path && log_marginal && !is_alone)
        differ(c, "no confidence of the recording alone");
    for (int64_t t = 0; t < c->scores.n_steps && is_alone; t++)
        if (!is_close(z, log_z, 1e-9) || !is_close(alone[t], c->e->confidence[first + t], 1e-7))
            differ(c, "the confidence of the recording alone");
    free(alone);
    for (int64_t t = 0; t < c->scores.n_steps; t++) {
        const double found = c->e->confidence[first + t];
        const int32_t k = c->e->a.paths[first + t];
        if (has_path && log_marginal ? !is_close(found, exp(log_marginal[t * c->scores.n_classes + k]), 1e-6)
                                     : !isnan(found))
            differ(c, "the confidence");
    }
}

/* ---- the N best ---- */

/* The first paths of all, one more than was asked for; -1: the oracle does not know. */
static int32_t expect_best(const checked *c, int32_t *paths, double *values)
{
    const int64_t T = c->scores.n_steps;
    if (c->x->graph)
        return oracle_nbest(c->x->graph, &c->scores, c->e->n_best + 1, paths, values);
    if (T == 0 || !c->x->lists)
        return -1;
    const oracle_list *l = &c->x->lists[c->n];
    for (int r = 0; r < l->n && r <= c->e->n_best; r++) {
        values[r] = l->paths[r].score;
        memcpy(paths + r * T, l->paths[r].path, (size_t)T * sizeof *paths);
    }
    return l->n <= c->e->n_best ? l->n : c->e->n_best + 1;
}

static void check_margin(const checked *c, const int32_t *paths, const double *values, int32_t n_found)
{
    const sp_decoded *found = &c->e->a.results[c->n];
    const size_t size = (size_t)c->scores.n_steps * sizeof *paths;
    double expected = NAN;
    if (found->status == SP_OK && (n_found == 0 || found->score == -INFINITY))
        expected = -INFINITY;
    else if (found->status == SP_OK) {
        const bool is_best = memcmp(c->e->a.paths + c->x->offsets[c->n], paths, size) == 0;
        expected = !is_best ? found->score - values[0] : n_found > 1 ? found->score - values[1] : INFINITY;
    }
    const double margin = c->e->margins[c->n];
    if (!(is_close(margin, expected, 1e-8) || (isnan(margin) && isnan(expected))))
        differ(c, "the margin");
}

static void check_best(const checked *c)
{
    const int64_t T = c->scores.n_steps, S = c->x->batch.scores.n_steps, first = c->x->offsets[c->n];
    const int32_t wanted = c->e->n_best;
    int32_t *paths = oracle_array((size_t)(T * (wanted + 1)), sizeof *paths);
    double *values = oracle_array((size_t)wanted + 1, sizeof *values);
    const int32_t n = expect_best(c, paths, values);
    if (n >= 0 && c->e->n_found[c->n] != (n < wanted ? n : wanted))
        differ(c, "how many N best paths there are");
    for (int32_t r = 0; r < wanted && n >= 0; r++) {
        const int32_t *path = c->e->best_paths + r * S + first;
        const double score = c->e->best_scores[c->n * wanted + r];
        if (r >= n) {
            if (score != -INFINITY || (T > 0 && path[0] != -1))
                differ(c, "a path beyond the last");
            continue;
        }
        if (c->x->is_exact ? score != values[r] : !is_close(score, values[r], 1e-9))
            differ(c, "the score of one of the N best paths");
        if (memcmp(path, paths + r * T, (size_t)T * sizeof *path) == 0)
            continue;
        if ((c->x->graph && !c->x->has_near_ties) ||
            !is_close(law_path_score(c->x, &c->scores, c->n, path), values[r], 1e-9))
            differ(c, "one of the N best paths");
        for (int32_t s = 0; s < r; s++)
            if (memcmp(path, c->e->best_paths + s * S + first, (size_t)T * sizeof *path) == 0)
                differ(c, "one of the N best paths twice");
    }
    if (n >= 0)
        check_margin(c, paths, values, n);
    free(paths);
    free(values);
}

static void check_draws(const checked *c)
{
    const int64_t T = c->scores.n_steps, S = c->x->batch.scores.n_steps, first = c->x->offsets[c->n];
    int32_t *alone = oracle_array((size_t)(T * N_DRAWS), sizeof *alone);
    sp_draw_options options = draw;
    options.recording += c->n;
    const sp_status status = sp_draws(c->x->c.chain, &c->scores, &options, c->scratch, alone, T, NULL);
    for (int32_t r = 0; r < N_DRAWS && T > 0; r++) {
        const int32_t *path = c->e->draws + r * S + first;
        for (int64_t t = 0; t < T; t++)
            if (path[t] != (status == SP_OK ? alone[r * T + t] : -1))
                differ(c, "a draw");
        if (status == SP_OK && law_path_score(c->x, &c->scores, c->n, path) == -INFINITY)
            differ(c, "a draw that is not allowed");
    }
    free(alone);
}

void law_check_extras(const law_case *x, const sp_strategy *strategy)
{
    const sp_isa chosen = sp_isa_current();
    const int32_t most = x->lists ? 300 : x->c.scores.n_classes * x->shape.max_states_per_class > 40 ? 3 : 12;
    const int32_t n_best = (const int32_t[]){1, 2, 5, most}[x->c.seed / 7 % 4];
    extras one = extras_new(&x->batch, n_best), three = extras_new(&x->batch, n_best);
    decode(x, strategy, SP_ISA_BASE, 3, &x->batch, &three);
    decode(x, strategy, chosen, 1, &x->batch, &one);
    check_same(x, strategy, &one, &three);
    sp_scratch *scratch = sp_scratch_new();
    for (int64_t n = 0; n < x->batch.n_recordings; n++) {
        const checked c = {x, strategy, n, sp_batch_recording(&x->batch, n), &one, scratch};
        check_batch_of_one(&c);
        check_confidence(&c);
        check_best(&c);
        check_draws(&c);
    }
    sp_scratch_free(scratch);
    extras_free(&one);
    extras_free(&three);
}

/* ---- streams whose length was told ---- */

static sp_status push_announced(const law_case *x, const sp_scores *scores, int32_t lag, int32_t *path)
{
    sp_online *online;
    sp_error err;
    int32_t n_decided = 0, n = 0, k;
    sp_status status = sp_online_new(x->c.chain, lag, &online, &err);
    if (status == SP_OK)
        status = sp_online_end_after(online, scores->n_steps, &err);
    for (int64_t t = 0; status == SP_OK && t < scores->n_steps; t++) {
        status =
            sp_online_push(online, (const double *)scores->data + t * scores->n_classes, false, &k, &err);
        if (status == SP_OK && k >= 0)
            path[n_decided++] = k;
    }
    if (status == SP_OK && sp_online_push(online, scores->data, false, &k, &err) != SP_EDATA)
        status = SP_EBUG;
    if (status == SP_OK && sp_online_end_after(online, scores->n_steps, &err) != SP_EINVAL)
        status = SP_EBUG;
    if (status == SP_OK)
        status = sp_online_finish(online, path + n_decided, &n, &err);
    sp_online_free(online);
    return status == SP_OK && n_decided + n != scores->n_steps ? SP_EBUG : status;
}

/* Nothing is begun that cannot be ended by then; a step too many is refused, and so is a length in the middle
 * of a recording. */
void law_check_announced(const law_case *x)
{
    int32_t *path = oracle_array((size_t)x->batch.scores.n_steps + 1, sizeof *path),
            *expected = oracle_array((size_t)x->batch.scores.n_steps + 1, sizeof *path);
    for (int64_t n = 0; n < x->batch.n_recordings && !x->c.segments; n++) {
        const sp_scores scores = sp_batch_recording(&x->batch, n);
        const sp_strategy strategy = {SP_ONLINE, (int32_t)(x->c.seed % 3)};
        if (scores.n_steps == 0)
            continue;
        const sp_status status = push_announced(x, &scores, strategy.parameter, path);
        if (status == SP_EBUG)
            law_fail(x, &strategy, false, "length told", n, "what is refused, or how many steps come out");
        if (x->graph) {
            const oracle_answer a = oracle_online(x->graph, &scores, strategy.parameter, true, expected);
            if (!x->has_near_ties &&
                ((a.status == SP_OK) != (status == SP_OK) ||
                 (status == SP_OK && memcmp(path, expected, (size_t)scores.n_steps * sizeof *path) != 0)))
                law_fail(x, &strategy, false, "length told", n, "path, or whether there is one");
        }
        if (status == SP_OK && law_path_score(x, &scores, n, path) == -INFINITY)
            law_fail(x, &strategy, false, "length told", n, "the path is not allowed");
    }
    free(path);
    free(expected);
}
