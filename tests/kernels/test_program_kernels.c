/* Drawn combinations of rules, recordings, strategies and ways to decode them, on one instruction set, against a plain decoder.
 *
 *     test_program_kernels FIRST COUNT     combinations FIRST .. FIRST + COUNT - 1; COUNT 0: all
 *
 * STATEPATH_ISA chooses the instruction set as it does for the program: a process each, and the library as it ships. Paths,
 * statuses and steps must be the plain decoder's, scores its bits (in pieces: to 1e-12); marginals to rounding. Of mea and
 * posterior-viterbi a path is right when its objective is the greatest but for rounding to multiples of 2^-40.
 * Needs libstatepath, libm and threads only. Exit status 0, 1 (a difference, on standard output), 2 (wrong usage), 77 (skipped:
 * the processor lacks the instruction set).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "combination.h"

/* Confidence of a recording in pieces is given by runs on files alone, which need more than libstatepath. */
#include "decode/long.h"

/* ---- what the library says ---- */

typedef struct answers {
    int32_t *paths;
    sp_decoded *results;
    float *confidence;
    double *log_z, *margins;
    int32_t *best_paths, *n_found;
    double *best_scores;
} answers;

static sp_workers *workers_of(int n_threads)
{
    static sp_workers *kept[8];
    if (!kept[n_threads])
        kept[n_threads] = sp_workers_new(n_threads);
    if (!kept[n_threads])
        exit(1);
    return kept[n_threads];
}

static answers *answers_new(const combination *c, const material *m)
{
    answers *a = plain_alloc(1, sizeof *a);
    int64_t S = m->batch.scores.n_steps, N = c->n_recordings;
    a->paths = plain_alloc(S, sizeof *a->paths);
    a->results = plain_alloc(N, sizeof *a->results);
    a->confidence = plain_alloc(S, sizeof *a->confidence);
    a->log_z = plain_alloc(N, sizeof *a->log_z);
    a->margins = plain_alloc(N, sizeof *a->margins);
    a->best_paths = plain_alloc(S * c->n_best, sizeof *a->best_paths);
    a->best_scores = plain_alloc(N * c->n_best, sizeof *a->best_scores);
    a->n_found = plain_alloc(N, sizeof *a->n_found);
    for (int64_t t = 0; t < S; t++)
        a->paths[t] = 77777;
    return a;
}

static void answers_free(answers *a)
{
    free(a->paths);
    free(a->results);
    free(a->confidence);
    free(a->log_z);
    free(a->margins);
    free(a->best_paths);
    free(a->best_scores);
    free(a->n_found);
    free(a);
}

static sp_status decode_whole(const combination *c, const material *m, answers *a, sp_error *err)
{
    sp_decode_options options = sp_decode_options_default();
    sp_decode_output output = {.paths = a->paths, .results = a->results, .n_best = c->n_best};
    options.strategy = c->strategy;
    if (c->wants_confidence) {
        output.confidence = a->confidence;
        output.log_partition = a->log_z;
    }
    if (c->n_best) {
        output.best_paths = a->best_paths;
        output.best_scores = a->best_scores;
        output.n_best_found = a->n_found;
        output.margins = a->margins;
    }
    return sp_decode_batch(m->chain, &m->batch, &options, workers_of(c->n_threads), &output, err);
}

/* One recording in pieces. */
typedef struct pieces {
    sp_scores scores; /* of the whole */
    int32_t *path;
    float *confidence;
} pieces;

static sp_status read_piece(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err)
{
    const pieces *p = arg;
    (void)err;
    *scores = p->scores;
    scores->data =
        (const char *)p->scores.data + (size_t)first * (size_t)p->scores.n_classes * (size_t)p->scores.dtype;
    scores->n_steps = n;
    if (scores->segments)
        scores->segments += first;
    return SP_OK;
}

static sp_status write_piece(void *arg, int64_t first, int64_t n, const int32_t *path, const uint8_t *broken,
                             sp_error *err)
{
    const pieces *p = arg;
    (void)broken;
    (void)err;
    for (int64_t t = 0; t < (path ? n : p->scores.n_steps); t++)
        p->path[path ? first + t : t] = path ? path[t] : -1;
    return SP_OK;
}

static sp_status give_path(void *arg, int64_t first, int64_t n, int32_t *path, sp_error *err)
{
    const pieces *p = arg;
    (void)err;
    memcpy(path, p->path + first, (size_t)n * sizeof *path);
    return SP_OK;
}

static sp_status take_confidence(void *arg, int64_t first, int64_t n, const float *confidence, sp_error *err)
{
    const pieces *p = arg;
    (void)err;
    memcpy(p->confidence + first, confidence, (size_t)n * sizeof *confidence);
    return SP_OK;
}

static sp_status decode_in_pieces(const combination *c, const material *m, answers *a, sp_error *err)
{
    sp_decode_options options = sp_decode_options_default();
    sp_status status = SP_OK;
    options.strategy = c->strategy;
    for (int64_t n = 0; n < c->n_recordings && status == SP_OK; n++) {
        int64_t first = m->offsets[n];
        pieces p = {sp_batch_recording(&m->batch, n), a->paths + first, a->confidence + first};
        sp_long_recording recording = {p.scores.n_steps, c->piece_steps, m->segments != NULL,
                                       read_piece,       write_piece,    &p};
        sp_long_given given = {give_path, take_confidence, &p};
        sp_long_sureness sureness = {0};
        status =
            sp_decode_long(m->chain, &recording, &options, workers_of(c->n_threads), &a->results[n], err);
        if (status == SP_OK && a->results[n].status != SP_OK) {
            given.path = NULL;
            for (int64_t t = 0; t < p.scores.n_steps; t++)
                p.path[t] =
                    p.path[t] == 77777 ? -1 : p.path[t]; /* what was never written need not be given up */
        }
        if (status == SP_OK && c->wants_confidence)
            status =
                sp_confidence_long(m->chain, &recording, &given, workers_of(c->n_threads), &sureness, err);
        a->log_z[n] = sureness.log_partition;
    }
    return status;
}

/* ---- comparing ---- */

typedef struct verdict {
    const combination *c;
    const material *m;
    int64_t n_differences, n_paths, n_ties;
} verdict;

static void differ(verdict *v, int64_t recording, int64_t step, const char *what, double found,
                   double expected)
{
    if (v->n_differences++ == 0)
        combination_print(v->c, v->m);
    if (v->n_differences <= 3)
        printf("  recording %" PRId64 " (of %" PRId64 " steps), step %" PRId64 ": %s is %.17g, not %.17g\n",
               recording, v->m->offsets[recording + 1] - v->m->offsets[recording], step, what, found,
               expected);
}

static void expect_near(verdict *v, int64_t n, int64_t t, const char *what, double found, double expected,
                        double tolerance)
{
    if (!(found == expected || fabs(found - expected) <= tolerance || (isnan(found) && isnan(expected))))
        differ(v, n, t, what, found, expected);
}

/* The first step where they differ; -1. */
static int64_t first_difference(int64_t n_steps, const int32_t *a, const int32_t *b)
{
    for (int64_t t = 0; t < n_steps; t++)
        if (a[t] != b[t])
            return t;
    return -1;
}

/* Marginals within 2^-40 of the greatest are equal to it, give or take what two ways to sum differ by. */
static bool is_posterior(const double *log_marginal, int32_t K, int32_t found)
{
    double best = 0, doubt = 1e-11;
    for (int32_t k = 0; k < K; k++)
        best = exp(log_marginal[k]) > best ? exp(log_marginal[k]) : best;
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

/* The objective of mea or posterior-viterbi, [T,K]. */
static double *objective_of(const combination *c, const plain_scores *s, const double *log_marginal)
{
    int64_t n = s->n_steps * c->n_classes;
    double *value = plain_alloc(n, sizeof *value);
    for (int64_t i = 0; i < n; i++)
        if (c->strategy.kind == SP_MEA)
            value[i] = s->e[i] == -INFINITY ? -INFINITY : rounded(exp(log_marginal[i]));
        else
            value[i] = rounded(log_marginal[i]);
    return value;
}

/* mea, posterior-viterbi: expected becomes the plain path; a path of the same objective, but for rounding, is as good. */
static void expect_best_sum(verdict *v, int64_t n, const plain_model *model, const plain_scores *s,
                            const double *log_marginal, const int32_t *found)
{
    plain_model *bare = plain_model_bare(model);
    double *value = objective_of(v->c, s, log_marginal);
    plain_scores objective = {s->n_steps, value, s->is_gap};
    int32_t *path = plain_alloc(s->n_steps, sizeof *path);
    bool is_ok = plain_viterbi(bare, &objective, path).status == PLAIN_OK;
    int64_t t = first_difference(s->n_steps, found, path);
    if (!is_ok) {
        differ(v, n, -1, "the status of the objective's path", 0, 1);
    } else if (t >= 0) {
        double best = plain_path_score(bare, &objective, path), ours = -INFINITY;
        bool in_range = true;
        for (int64_t u = 0; u < s->n_steps; u++)
            in_range = in_range && found[u] >= 0 && found[u] < v->c->n_classes;
        if (in_range)
            ours = plain_path_score(bare, &objective, found);
        if (fabs(best - ours) <= (double)(s->n_steps + 1) * 0x1p-29 + 1e-12 * fabs(best))
            v->n_ties++;
        else
            differ(v, n, t, "the class", found[t], path[t]);
    }
    plain_model_free(bare);
    free(value);
    free(path);
}

static void expect_path(verdict *v, int64_t n, const plain_model *model, const plain_scores *s,
                        const double *log_marginal, const int32_t *expected, const int32_t *found)
{
    sp_strategy_kind kind = v->c->strategy.kind;
    if (kind == SP_MEA || kind == SP_POSTERIOR_VITERBI) {
        expect_best_sum(v, n, model, s, log_marginal, found);
    } else if (kind == SP_POSTERIOR) {
        for (int64_t t = 0; t < s->n_steps; t++)
            if (!is_posterior(log_marginal + t * v->c->n_classes, v->c->n_classes, found[t]))
                differ(v, n, t, "the class of the greatest marginal", found[t], NAN);
    } else {
        int64_t t = first_difference(s->n_steps, found, expected);
        if (t >= 0)
            differ(v, n, t, "the class", found[t], expected[t]);
    }
}

static plain_answer decode_plainly(const combination *c, const plain_model *model, const plain_scores *s,
                                   plain_answer sums, int32_t *path)
{
    switch (c->strategy.kind) {
    case SP_ARGMAX:
        return plain_argmax(model, s, path);
    case SP_GREEDY:
        return plain_greedy(model, s, path);
    case SP_BEAM:
        return plain_beam(model, s, c->strategy.parameter, path);
    case SP_VITERBI:
        return plain_viterbi(model, s, path);
    case SP_ONLINE:
        return plain_online(model, s, c->strategy.parameter, path);
    default:
        return sums;
    }
}

static void compare_confidence(verdict *v, int64_t n, const plain_scores *s, const answers *a,
                               plain_answer sums, const double *log_marginal, double log_z)
{
    int64_t first = v->m->offsets[n];
    bool has_path = a->results[n].status == SP_OK;
    expect_near(v, n, -1, "log Z", a->log_z[n], log_z, 1e-9 * (1 + fabs(log_z)));
    for (int64_t t = 0; t < s->n_steps; t++) {
        double expected = NAN;
        if (has_path && sums.status == PLAIN_OK)
            expected = exp(log_marginal[t * v->c->n_classes + a->paths[first + t]]);
        expect_near(v, n, t, "the confidence", a->confidence[first + t], expected, 1e-6);
    }
}

static void compare_nbest(verdict *v, int64_t n, const plain_model *model, const plain_scores *s,
                          const answers *a)
{
    int64_t S = v->m->batch.scores.n_steps, T = s->n_steps, first = v->m->offsets[n];
    int32_t wanted = v->c->n_best, asked = wanted > 2 ? wanted : 2;
    int32_t *paths = plain_alloc(T * asked, sizeof *paths);
    double *scores = plain_alloc(asked, sizeof *scores), margin = NAN;
    int32_t n_found = plain_nbest(model, s, asked, paths, scores),
            n_expected = n_found < wanted ? n_found : wanted;
    expect_near(v, n, -1, "the number of best paths", a->n_found[n], n_expected, 0);
    for (int32_t r = 0; r < n_expected && r < a->n_found[n]; r++) {
        const int32_t *found = a->best_paths + r * S + first;
        int64_t t = first_difference(T, found, paths + r * T);
        expect_near(v, n, -1, "the score of one of the N best", a->best_scores[n * wanted + r], scores[r], 0);
        if (t >= 0)
            differ(v, n, t, "the class of one of the N best", found[t], paths[r * T + t]);
    }
    if (a->results[n].status == SP_OK && n_found == 0)
        margin = -INFINITY;
    else if (a->results[n].status == SP_OK) {
        bool is_best = first_difference(T, a->paths + first, paths) < 0;
        double other = is_best ? n_found > 1 ? scores[1] : -INFINITY : scores[0];
        margin = plain_path_score(model, s, a->paths + first) - other;
    }
    expect_near(v, n, -1, "the margin", a->margins[n], margin, 1e-9);
    free(paths);
    free(scores);
}

static bool needs_sums(const combination *c)
{
    return c->wants_confidence || c->strategy.kind == SP_POSTERIOR || c->strategy.kind == SP_MEA ||
           c->strategy.kind == SP_POSTERIOR_VITERBI;
}

static void compare_recording(verdict *v, int64_t n, const plain_model *model, const answers *a)
{
    static const sp_status statuses[] = {
        [PLAIN_OK] = SP_OK, [PLAIN_NO_PATH] = SP_ENOPATH, [PLAIN_DEAD_END] = SP_EDEADEND};
    const combination *c = v->c;
    int64_t first = v->m->offsets[n], T = v->m->offsets[n + 1] - first, K = c->n_classes;
    plain_scores s = {T, v->m->values + first * K, v->m->is_gap ? v->m->is_gap + first : NULL};
    int32_t *path = plain_alloc(T, sizeof *path);
    double *log_marginal = needs_sums(c) ? plain_alloc(T * K, sizeof *log_marginal) : NULL, log_z = 0;
    plain_answer sums =
        needs_sums(c) ? plain_marginals(model, &s, log_marginal, &log_z) : (plain_answer){PLAIN_OK, -1};
    plain_answer expected = decode_plainly(c, model, &s, sums, path);
    const sp_decoded *found = &a->results[n];
    expect_near(v, n, -1, "the status", found->status, statuses[expected.status], 0);
    expect_near(v, n, -1, "the step of the failure", (double)found->step, (double)expected.step, 0);
    if (found->status == SP_OK && expected.status == PLAIN_OK) {
        expect_path(v, n, model, &s, log_marginal, path, a->paths + first);
        double score = v->n_differences ? found->score : plain_path_score(model, &s, a->paths + first);
        expect_near(v, n, -1, "the path score", found->score, score,
                    c->in_pieces ? 1e-12 * (1 + fabs(score)) : 0);
        v->n_paths++;
    } else if (found->status != SP_OK) {
        expect_near(v, n, -1, "the path score", found->score, -INFINITY, 0);
        for (int64_t t = 0; t < T; t++)
            expect_near(v, n, t, "the class of an undecoded step", a->paths[first + t], -1, 0);
    }
    if (c->wants_confidence && v->n_differences == 0)
        compare_confidence(v, n, &s, a, sums, log_marginal, log_z);
    if (c->n_best && v->n_differences == 0)
        compare_nbest(v, n, model, &s, a);
    free(path);
    free(log_marginal);
}

typedef struct totals {
    int64_t n_different, n_paths, n_ties;
} totals;

static void compare(int64_t number, totals *sum)
{
    combination c = combination_of(number);
    material *m = material_new(&c);
    answers *a = answers_new(&c, m);
    verdict v = {&c, m, 0, 0, 0};
    sp_error err;
    sp_status status = c.in_pieces ? decode_in_pieces(&c, m, a, &err) : decode_whole(&c, m, a, &err);
    if (status != SP_OK) {
        combination_print(&c, m);
        printf("  %s: %s\n", sp_status_name(status), err.message);
        v.n_differences = 1;
    } else {
        plain_model *model = plain_model_new(&m->rules);
        for (int64_t n = 0; n < c.n_recordings; n++)
            compare_recording(&v, n, model, a);
        plain_model_free(model);
    }
    sum->n_different += v.n_differences > 0;
    sum->n_paths += v.n_paths;
    sum->n_ties += v.n_ties;
    answers_free(a);
    material_free(m);
}

/* As the program does it: 2 for an unknown value; 77, skipped, for one that the processor lacks. */
static int choose_isa(void)
{
    const char *name = getenv("STATEPATH_ISA");
    sp_isa isa;
    sp_error err;
    if (!name || !*name)
        return 0;
    int result = sp_isa_parse(name, &isa, &err) != SP_OK ? 2 : sp_isa_set(isa, &err) != SP_OK ? 77 : 0;
    if (result)
        printf("%s%s\n", result == 77 ? "skipped: " : "", err.message);
    return result;
}

int main(int argc, char **argv)
{
    int wrong = choose_isa();
    if (wrong)
        return wrong;
    char *end = "";
    int64_t first = argc == 3 ? strtoll(argv[1], &end, 10) : -1,
            count = *end == 0 && argc == 3 ? strtoll(argv[2], &end, 10) : -1;
    if (first < 0 || count < 0 || *end != 0) {
        fprintf(stderr,
                "test_program_kernels FIRST COUNT: which of the %" PRId64 " combinations; COUNT 0: all\n",
                combination_count());
        return 2;
    }
    totals sum = {0};
    if (count == 0)
        count = combination_count();
    for (int64_t i = 0; i < count && sum.n_different < 20; i++)
        compare((first + i) % combination_count(), &sum);
    printf("instruction set %s: %" PRId64 " of %" PRId64
           " combinations differ from the plain decoder (%" PRId64 " paths; %" PRId64
           " of mea or posterior-viterbi as good as the plain one)\n",
           sp_isa_name(sp_isa_current()), sum.n_different, count, sum.n_paths, sum.n_ties);
    return sum.n_different > 0;
}
