/* What the oracle says of an answer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "strategy_law.h"

typedef struct judged {
    law_case *x;
    const sp_strategy *strategy;
    bool is_relaxed;
    int64_t n; /* recording */
    sp_scores scores;
    const sp_decoded *found;
    const int32_t *path;
} judged;

static void differ(const judged *j, const char *what)
{
    law_fail(j->x, j->strategy, j->is_relaxed, "oracle", j->n, what);
}

static bool is_close(double a, double b, double tolerance)
{
    return a == b || fabs(a - b) <= tolerance * (1 + fabs(b));
}

const double *law_marginals(law_case *x, int64_t n, double *log_z)
{
    const sp_scores scores = sp_batch_recording(&x->batch, n);
    const int64_t n_values = scores.n_steps * scores.n_classes;
    if (!x->marginals[n]) {
        double *out = x->marginals[n] = oracle_array((size_t)n_values, sizeof *out);
        if (x->graph)
            x->log_z[n] = oracle_marginals(x->graph, &scores, out);
        else if (x->lists && scores.n_steps > 0)
            x->log_z[n] = x->lists[n].log_z;
        else
            x->log_z[n] = scores.n_steps == 0 ? 0 : NAN;
        for (int64_t i = 0; !x->graph && x->lists && i < n_values; i++)
            out[i] = log(x->lists[n].marginal[i]);
    }
    if (log_z)
        *log_z = x->log_z[n];
    return x->log_z[n] == -INFINITY ? NULL : x->marginals[n];
}

double law_path_score(const law_case *x, const sp_scores *scores, int64_t n, const int32_t *path)
{
    const int64_t T = scores->n_steps, K = scores->n_classes;
    if (!x->graph && x->lists && T > 0) {
        const oracle_path *p = oracle_list_find(&x->lists[n], path);
        return p ? p->score : -INFINITY;
    }
    if (!x->graph)
        return T == 0 ? 0 : NAN;
    double *only = oracle_array((size_t)(T * K), sizeof *only); /* the classes of the path, and no other */
    int32_t *same = oracle_array((size_t)T, sizeof *same);
    sp_scores clamped = *scores;
    clamped.data = only;
    clamped.dtype = SP_F64;
    for (int64_t i = 0; i < T * K; i++)
        only[i] = i % K == path[i / K] ? sp_scores_at(scores, i / K, (int32_t)(i % K)) : -INFINITY;
    const oracle_answer a = oracle_viterbi(x->graph, &clamped, false, same);
    free(only);
    free(same);
    return a.status == SP_OK ? a.score : -INFINITY;
}

static void check_score(const judged *j)
{
    const double expected =
        j->found->n_broken > 0 ? -INFINITY : law_path_score(j->x, &j->scores, j->n, j->path);
    if (isnan(expected))
        return;
    if (!(j->x->is_exact ? j->found->score == expected : is_close(j->found->score, expected, 1e-9)))
        differ(j, "the score of the path");
    if (j->found->score == -INFINITY && j->found->n_broken == 0 &&
        sp_strategy_about(j->strategy->kind)->is_legal)
        differ(j, "the path is not allowed");
}

/* A step is marked where a rule breaks at it, one to three of them, and where its class is impossible. */
static void check_marks(const judged *j, const uint8_t *broken)
{
    int64_t n_marked = 0;
    for (int64_t t = 0; t < j->scores.n_steps; t++) {
        n_marked += broken[t];
        if (j->found->status == SP_OK && j->is_relaxed && j->found->n_broken > 0 && !broken[t] &&
            sp_scores_at(&j->scores, t, j->path[t]) == -INFINITY)
            differ(j, "an impossible class that is not marked");
    }
    if (n_marked > j->found->n_broken || 3 * n_marked < j->found->n_broken)
        differ(j, "how many steps are marked as breaking rules");
}

/* ---- by marginals ---- */

/* Marginals within 2^-40 of the greatest are equal to it, give or take what two ways to sum differ by. */
static bool is_posterior(const double *log_marginal, int32_t K, int32_t found)
{
    double best = 0, doubt = 1e-11;
    for (int32_t k = 0; k < K; k++)
        best = fmax(best, exp(log_marginal[k]));
    if (found < 0 || found >= K || exp(log_marginal[found]) < best - 0x1p-40 - doubt)
        return false;
    for (int32_t k = 0; k < found; k++)
        if (exp(log_marginal[k]) >= best - 0x1p-40 + doubt)
            return false;
    return true;
}

static double rounded(double x)
{
    return fabs(x) < 8388608 ? nearbyint(x * 0x1p30) * 0x1p-30 : x;
}

/* The objective of mea or posterior-viterbi: of each step and class. */
static double worth(const judged *j, const double *log_marginal, int64_t t, int32_t k)
{
    const double value = log_marginal[t * j->scores.n_classes + k];
    if (j->strategy->kind == SP_MEA)
        return sp_scores_at(&j->scores, t, k) == -INFINITY ? -INFINITY : rounded(exp(value));
    return rounded(value);
}

static double worth_of_path(const judged *j, const double *log_marginal, const int32_t *path)
{
    double sum = 0;
    for (int64_t t = 0; t < j->scores.n_steps; t++)
        sum += worth(j, log_marginal, t, path[t]);
    return sum;
}

/* The best allowed path by that objective: by the bare graph, or of the list of all. */
static double find_best_worth(const judged *j, const double *log_marginal, int32_t *path)
{
    const int64_t T = j->scores.n_steps, K = j->scores.n_classes;
    double best = -INFINITY;
    if (j->x->graph) {
        double *values = oracle_array((size_t)(T * K), sizeof *values);
        oracle_model *bare = oracle_model_bare(j->x->graph);
        sp_scores objective = j->scores;
        objective.data = values;
        objective.dtype = SP_F64;
        for (int64_t i = 0; i < T * K; i++)
            values[i] = worth(j, log_marginal, i / K, (int32_t)(i % K));
        const oracle_answer a = oracle_viterbi(bare, &objective, false, path);
        best = a.status == SP_OK ? a.score : -INFINITY;
        oracle_model_free(bare);
        free(values);
    }
    for (int i = 0; !j->x->graph && i < j->x->lists[j->n].n; i++) {
        const double value = worth_of_path(j, log_marginal, j->x->lists[j->n].paths[i].path);
        if (value > best)
            memcpy(path, j->x->lists[j->n].paths[i].path, (size_t)T * sizeof *path);
        best = fmax(best, value);
    }
    return best;
}

static void check_by_marginals(const judged *j)
{
    const int64_t T = j->scores.n_steps;
    const double *log_marginal = law_marginals(j->x, j->n, NULL);
    if (j->strategy->kind == SP_POSTERIOR) {
        for (int64_t t = 0; t < T; t++)
            if (!is_posterior(log_marginal + t * j->scores.n_classes, j->scores.n_classes, j->path[t]))
                differ(j, "a class that is not of the greatest marginal");
        return;
    }
    int32_t *path = oracle_array((size_t)T, sizeof *path);
    const double best = find_best_worth(j, log_marginal, path),
                 found = worth_of_path(j, log_marginal, j->path),
                 tolerance = (double)(T + 1) * 0x1p-29 + 1e-12 * fabs(best);
    if (memcmp(path, j->path, (size_t)T * sizeof *path) != 0 && !(fabs(best - found) <= tolerance))
        differ(j, "a path that is not the best by marginals");
    free(path);
}

/* ---- what each recording must be ---- */

/* The answer that the definition gives, in path; false: of this strategy in this model only that its path is
 * allowed is known. */
static bool expect(const judged *j, int32_t *path, oracle_answer *out)
{
    const law_case *x = j->x;
    const oracle_model *g = x->graph;
    const int32_t parameter = j->strategy->parameter;
    const int64_t T = j->scores.n_steps;
    const bool is_all = (j->strategy->kind == SP_BEAM && parameter >= 10000) ||
                        (j->strategy->kind == SP_ONLINE && parameter >= T) || j->strategy->kind == SP_VITERBI;
    if (j->strategy->kind == SP_ARGMAX) {
        *out = oracle_argmax(&j->scores, j->is_relaxed, path);
        return true;
    }
    if (!g) {
        if (!is_all || !x->lists || T == 0 || x->lists[j->n].n == 0)
            return false;
        *out = (oracle_answer){SP_OK, -1, 0, 0, x->lists[j->n].paths[0].score};
        memcpy(path, x->lists[j->n].paths[0].path, (size_t)T * sizeof *path);
        return true;
    }
    const bool looks_ahead = x->has_durations;
    if (is_all)
        *out = oracle_viterbi(g, &j->scores, false, path);
    else if (j->strategy->kind == SP_GREEDY)
        *out = oracle_greedy(g, &j->scores, false, looks_ahead, path);
    else if (j->strategy->kind == SP_ONLINE)
        *out = oracle_online(g, &j->scores, parameter, false, path);
    else if (j->strategy->kind == SP_BEAM && !x->has_durations)
        *out = oracle_beam(g, &j->scores, parameter, path);
    else {
        const bool is_sum = j->strategy->kind != SP_BEAM;
        *out = oracle_viterbi(g, &j->scores, false, path);
        if (out->status == SP_OK || (!is_sum && j->found->status == SP_EDEADEND))
            return false;
    }
    if (out->status != SP_OK && j->is_relaxed)
        *out = j->strategy->kind == SP_GREEDY ? oracle_greedy(g, &j->scores, true, false, path)
                                              : oracle_viterbi(g, &j->scores, true, path);
    return true;
}

/* Under rules the order of equals hangs on what the rules remember, which the oracle does not know: but
 * not at the last step. */
static bool is_equal_to_first(const judged *j, const int32_t *path)
{
    if (j->x->graph)
        return false;
    const oracle_list *l = &j->x->lists[j->n];
    const oracle_path *p = oracle_list_find(l, path);
    const int64_t last = l->n_steps - 1;
    return p && p->score == l->paths[0].score && p->state[last] == l->paths[0].state[last];
}

static bool has_impossible(const judged *j)
{
    for (int64_t i = 0; i < j->scores.n_steps * j->scores.n_classes; i++)
        if (sp_scores_at(&j->scores, i / j->scores.n_classes, (int32_t)(i % j->scores.n_classes)) ==
            -INFINITY)
            return true;
    return false;
}

/* Is there a path at all? */
static bool is_possible(const judged *j)
{
    if (j->scores.n_steps == 0)
        return true;
    return j->x->graph ? oracle_first_unreachable(j->x->graph, &j->scores) < 0 : j->x->lists[j->n].n > 0;
}

static void check_failure(const judged *j)
{
    if (j->found->score != -INFINITY)
        differ(j, "the score of a failure");
    for (int64_t t = 0; t < j->scores.n_steps; t++)
        if (j->path[t] != -1)
            differ(j, "a class at an undecoded step");
    if (j->is_relaxed)
        differ(j, "relaxed, and no path");
    if (!j->x->graph && !j->x->lists)
        return;
    const bool possible = is_possible(j);
    if (j->strategy->kind != SP_ARGMAX && (j->found->status == SP_ENOPATH) != !possible)
        differ(j, possible ? "no path where there is one" : "a dead end where there is no path");
    if (j->x->graph && !possible && j->strategy->kind != SP_ARGMAX &&
        j->found->step != oracle_first_unreachable(j->x->graph, &j->scores))
        differ(j, "the step that no state reaches");
    if (possible && j->strategy->kind == SP_GREEDY && (j->x->has_durations || j->x->c.n_rules > 0) &&
        !has_impossible(j))
        differ(j, "greedy is stuck where scores rule nothing out");
}

static void check_expected(const judged *j, const oracle_answer *expected, const int32_t *path)
{
    const bool is_stepwise =
        j->strategy->kind == SP_GREEDY || j->strategy->kind == SP_ONLINE || j->strategy->kind == SP_BEAM;
    const bool is_loose = j->x->has_near_ties && j->strategy->kind != SP_ARGMAX;
    if (is_stepwise && is_loose)
        return;
    if (j->found->status != expected->status)
        differ(j, "the status");
    if (j->found->step != expected->step)
        differ(j, "the step of the failure");
    if (j->found->n_broken != expected->n_broken)
        differ(j, "how many rules are broken");
    if (j->strategy->kind == SP_GREEDY && expected->status == SP_OK && !j->is_relaxed &&
        j->found->n_redirected != expected->n_redirected)
        differ(j, "how many steps greedy left for the rules");
    if (expected->status != SP_OK || memcmp(path, j->path, (size_t)j->scores.n_steps * sizeof *path) == 0)
        return;
    if (j->x->has_run_weights && expected->n_broken > 0) /* rounding decides between equals */
        return;
    if (is_equal_to_first(j, j->path))
        return;
    if (!is_loose || expected->n_broken > 0 || !is_close(j->found->score, expected->score, 1e-9))
        differ(j, "the path");
}

void law_compare(law_case *x, const sp_strategy *strategy, bool is_relaxed, const law_answer *a)
{
    for (int64_t n = 0; n < x->batch.n_recordings; n++) {
        judged j = {x,
                    strategy,
                    is_relaxed,
                    n,
                    sp_batch_recording(&x->batch, n),
                    &a->results[n],
                    a->paths + x->offsets[n]};
        int32_t *path = oracle_array((size_t)j.scores.n_steps, sizeof *path);
        oracle_answer expected;
        const bool is_sum = strategy->kind == SP_POSTERIOR || strategy->kind == SP_MEA ||
                            strategy->kind == SP_POSTERIOR_VITERBI;
        check_marks(&j, a->broken + x->offsets[n]);
        if (strategy->kind > SP_ONLINE) { /* the oracle has no definition of it: its forms agree */
            free(path);
            continue;
        }
        if (j.found->status == SP_OK)
            check_score(&j);
        else
            check_failure(&j);
        if (is_sum && j.found->status == SP_OK && j.found->n_broken == 0 && (x->graph || x->lists)) {
            if (is_possible(&j) && j.scores.n_steps > 0)
                check_by_marginals(&j);
            else if (j.scores.n_steps > 0 && !is_relaxed)
                differ(&j, "a path where there is none");
        } else if (expect(&j, path, &expected)) {
            check_expected(&j, &expected, path);
        }
        free(path);
    }
}
