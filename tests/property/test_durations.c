/* Durations against their definition: all paths of small random models, weighed run by run (path_weight.h). */
#include "check.h"
#include "decode_one.h"
#include "drawn.h"
#include "path_weight.h"
#include "random_batch.h"
#include "random_model.h"
#include "statepath/advanced.h"
#include "statepath/metrics.h"
#include "statepath/stream.h"

/* The weights of runs themselves. */
#include "core/model/durations.h"

enum { STEPS = 7, CLASSES = 3, PATHS = 2187, CASES = 200 };

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell, ties, weights, gaps, impossible */
    {3, 7, 1, 1, NO, WEIGHTS, NO, 0.2},   {3, 7, 1, 1, NO, WEIGHTS, GAPS, 0.2},
    {3, 7, 1, 1, TIES, NO, GAPS, 0.1},    {2, 7, 1, 1, NO, WEIGHTS, GAPS, 0},
    {3, 6, 2, 1, NO, WEIGHTS, GAPS, 0.1}, {3, 6, 2, 1, TIES, NO, NO, 0},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* ---- all paths ---- */

typedef struct all_paths {
    int n; /* K^T */
    int32_t path[PATHS][STEPS];
    weighed weight[PATHS];
    double z, marginal[STEPS][CLASSES];
    int best; /* lowest of the best: the last step decides first */
    bool has_path;
} all_paths;

static bool is_lower(const int32_t *a, const int32_t *b, int64_t T)
{
    for (int64_t t = T - 1; t >= 0; t--)
        if (a[t] != b[t])
            return a[t] < b[t];
    return false;
}

static void weigh_all(const random_case *c, all_paths *a)
{
    const int32_t K = c->scores.n_classes;
    const int64_t T = c->scores.n_steps;
    path_weigher weigher = path_weigher_new(c);
    memset(a, 0, sizeof *a);
    a->n = (int)lround(pow(K, (double)T));
    for (int i = 0; i < a->n; i++) {
        for (int64_t t = 0, rest = i; t < T; t++, rest /= K)
            a->path[i][t] = (int32_t)(rest % K);
        a->weight[i] = path_weigh(&weigher, a->path[i]);
        a->z += a->weight[i].sum;
        for (int64_t t = 0; t < T; t++)
            a->marginal[t][a->path[i][t]] += a->weight[i].sum;
        const double gain = a->weight[i].best - a->weight[a->best].best;
        if (gain > 0 || (gain == 0 && is_lower(a->path[i], a->path[a->best], T)))
            a->best = i;
    }
    a->has_path = a->weight[a->best].best > -INFINITY;
    for (int64_t t = 0; t < T; t++)
        for (int32_t k = 0; k < K; k++)
            a->marginal[t][k] /= a->has_path ? a->z : 1;
    path_weigher_free(&weigher);
}

static const weighed *weight_of(const random_case *c, const all_paths *a, const int32_t *path)
{
    int64_t i = 0;
    for (int64_t t = c->scores.n_steps - 1; t >= 0; t--)
        i = i * c->scores.n_classes + path[t];
    return &a->weight[i];
}

/* ---- checks of one case ---- */

static void check_viterbi(const random_case *c, const all_paths *a, bool is_exact, sp_scratch *scratch)
{
    int32_t path[STEPS];
    double score, own;
    sp_error err;
    assert_ok(sp_viterbi(c->chain, &c->scores, scratch, path, &score, &err), &err);
    assert_close(score, a->weight[a->best].best, 1e-9, 1e-9);
    assert_close(weight_of(c, a, path)->best, score, 1e-9, 1e-9);
    if (is_exact)
        assert_same_path(c->seed, "viterbi", 0, path, a->path[a->best], c->scores.n_steps);
    for (int i = 0; i < 20 && i < a->n; i++) {
        const int other = (int)(((uint64_t)i * 7919 + c->seed) % (uint64_t)a->n);
        assert_ok(sp_path_score(c->chain, &c->scores, a->path[other], &own, &err), &err);
        assert_close(own, a->weight[other].best, 1e-9, 1e-9);
    }
    assert_ok(decode_beam(c->chain, &c->scores, 1000, scratch, path, &own, &err), &err);
    assert_close(own, score, 1e-9, 1e-9);
    assert_ok(decode_online(c->chain, &c->scores, STEPS, scratch, path, &own, &err), &err);
    assert_close(own, score, 1e-9, 1e-9);
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void check_nbest(const random_case *c, const all_paths *a, sp_scratch *scratch)
{
    enum { N = 12 };
    int32_t paths[N][STEPS];
    double scores[N], expected[PATHS], margin;
    sp_error err;
    sp_nbest_paths found = {&paths[0][0], STEPS, scores, 0};
    int n_legal = 0;
    for (int i = 0; i < a->n; i++)
        if (a->weight[i].best > -INFINITY)
            expected[n_legal++] = a->weight[i].best;
    qsort(expected, (size_t)n_legal, sizeof *expected, descending);
    assert_ok(sp_nbest(c->chain, &c->scores, N, scratch, &found, &err), &err);
    assert_int_equal(found.n_found, n_legal < N ? n_legal : N);
    for (int r = 0; r < found.n_found; r++) {
        assert_close(scores[r], expected[r], 1e-9, 1e-9);
        assert_close(weight_of(c, a, paths[r])->best, scores[r], 1e-9, 1e-9);
    }
    assert_ok(sp_margin(c->chain, &c->scores, scratch, paths[0], &margin, &err), &err);
    assert_close(margin, n_legal > 1 ? expected[0] - expected[1] : INFINITY, 1e-8, 0);
}

static void check_marginals(const random_case *c, const all_paths *a, sp_scratch *scratch)
{
    const int32_t K = c->scores.n_classes;
    const int64_t T = c->scores.n_steps;
    double marginals[STEPS * CLASSES], log_z;
    int32_t path[STEPS];
    sp_error err;
    assert_ok(sp_forward_backward(c->chain, &c->scores, scratch, marginals, &log_z, &err), &err);
    assert_close(log_z, log(a->z), 1e-9, 1e-9);
    for (int64_t t = 0; t < T; t++)
        for (int32_t k = 0; k < K; k++)
            assert_close(marginals[t * K + k], a->marginal[t][k], 1e-9, 0);
    for (int product = 0; product < 2; product++) {
        double most = -INFINITY, own = 0;
        for (int i = 0; i < a->n; i++) {
            double sum = 0;
            for (int64_t t = 0; t < T && a->weight[i].best > -INFINITY; t++)
                sum += product ? log(a->marginal[t][a->path[i][t]]) : a->marginal[t][a->path[i][t]];
            most = a->weight[i].best > -INFINITY ? fmax(most, sum) : most;
        }
        assert_ok((product ? decode_posterior_viterbi : decode_mea)(c->chain, &c->scores, scratch, path, NULL,
                                                                    &err),
                  &err);
        assert_true(weight_of(c, a, path)->best > -INFINITY);
        for (int64_t t = 0; t < T; t++)
            own += product ? log(a->marginal[t][path[t]]) : a->marginal[t][path[t]];
        assert_close(own, most, 1e-8, 0);
    }
    assert_ok(decode_posterior(c->chain, &c->scores, scratch, path, NULL, &err), &err);
    for (int64_t t = 0; t < T; t++)
        for (int32_t k = 0; k < K; k++)
            assert_true(a->marginal[t][path[t]] >= a->marginal[t][k] - 1e-9);
}

typedef struct weighed_case {
    const random_case *c;
    const all_paths *a;
} weighed_case;

static double sum_of(void *arg, const int32_t *path)
{
    const weighed_case *w = arg;
    return weight_of(w->c, w->a, path)->sum;
}

static bool has_durations(const random_case *c)
{
    for (int32_t k = 0; c->model->durations && k < c->model->n_classes; k++)
        if (c->model->durations[k].form != SP_DURATION_FREE)
            return true;
    return false;
}

/* What does not look ahead is legal, or meets a dead end. Greedy looks as far as the rules: scores that are all finite never stop it. */
static void check_short_sighted(const random_case *c, const all_paths *a, sp_scratch *scratch)
{
    bool is_finite = true;
    for (int64_t i = 0; i < c->scores.n_steps * c->scores.n_classes; i++)
        is_finite = is_finite && c->data[i] > -INFINITY;
    int32_t path[STEPS];
    for (int i = 0; i < 5; i++) {
        const sp_status status = i == 0 ? decode_greedy(c->chain, &c->scores, scratch, path, NULL, NULL)
                                 : i < 3
                                     ? decode_beam(c->chain, &c->scores, i, scratch, path, NULL, NULL)
                                     : decode_online(c->chain, &c->scores, i - 3, scratch, path, NULL, NULL);
        assert_true(status == SP_OK || status == (a->has_path ? SP_EDEADEND : SP_ENOPATH));
        if (status == SP_OK)
            assert_true(weight_of(c, a, path)->best > -INFINITY);
        if (i == 0 && has_durations(c) && a->has_path && is_finite)
            assert_int_equal(status, SP_OK);
    }
}

static void check_relaxed(const random_case *c, const all_paths *a, sp_scratch *scratch)
{
    int32_t path[STEPS], strict[STEPS];
    int64_t n_broken;
    sp_error err;
    if (a->has_path) {
        assert_ok(decode_viterbi_relaxed(c->chain, &c->scores, scratch, path, &n_broken, NULL, &err), &err);
        assert_ok(sp_viterbi(c->chain, &c->scores, scratch, strict, NULL, &err), &err);
        assert_int_equal(n_broken, 0);
        assert_same_path(c->seed, "relaxed", 0, path, strict, c->scores.n_steps);
    } else if (decode_viterbi_relaxed(c->chain, &c->scores, scratch, path, &n_broken, NULL, &err) == SP_OK) {
        assert_true(n_broken > 0);
    }
}

static void test_every_small_model(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    all_paths *a = malloc(sizeof *a);
    const int cases = getenv("STATEPATH_LIGHT") ? CASES / 4 : CASES;
    int n_paths = 0, n_none = 0;
    drawn_tally drawn = {0};
    for (uint64_t seed = 0; seed < N_SHAPES * (uint64_t)cases; seed++) {
        const random_shape *shape = &shapes[seed % N_SHAPES];
        random_case c = random_case_new_durations(seed, shape, seed / N_SHAPES % 2 ? 4 : 24);
        if (c.scores.n_steps > 0) {
            weigh_all(&c, a);
            check_short_sighted(&c, a, scratch);
            check_relaxed(&c, a, scratch);
            if (a->has_path) {
                check_viterbi(&c, a, shape->has_ties, scratch);
                check_nbest(&c, a, scratch);
                check_marginals(&c, a, scratch);
                check_drawn(c.chain, &c.scores, seed, sum_of, &(weighed_case){&c, a}, scratch, &drawn);
                n_paths++;
            } else {
                assert_int_equal(sp_viterbi(c.chain, &c.scores, scratch, a->path[0], NULL, NULL), SP_ENOPATH);
                n_none++;
            }
        }
        random_case_free(&c);
    }
    free(a);
    sp_scratch_free(scratch);
    assert_true(n_paths > cases && n_none > cases / 4);
    assert_drawn(&drawn);
}

/* ---- many recordings: what the kernels take, and what they leave ---- */

static void test_batches(void **state)
{
    (void)state;
    enum { RECORDINGS = 40, LENGTH = 60 };
    static const random_shape batch_shapes[] = {{4, LENGTH, 1, 1, NO, WEIGHTS, NO, 0.05},
                                                {5, LENGTH, 1, 2, TIES, NO, GAPS, 0.02},
                                                {3, LENGTH, 2, 1, TIES, WEIGHTS, NO, 0},
                                                {6, LENGTH, 1, 1, NO, WEIGHTS, GAPS, 0.02}};
    int n_decoded = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        const random_shape *shape = &batch_shapes[seed % 4];
        random_case c = random_case_new_durations(seed, shape, seed % 3 ? 3 : 30);
        random_source random = {seed + 99};
        int64_t offsets[RECORDINGS + 1] = {0};
        for (int r = 0; r < RECORDINGS; r++)
            offsets[r + 1] = offsets[r] + random_below(&random, LENGTH);
        random_case_draw_scores(&c, &random, offsets[RECORDINGS], shape);
        const sp_batch batch = {c.scores, RECORDINGS, offsets};
        for (int kind = 0; kind < sp_strategy_count(); kind++) {
            const sp_decode_options options = {.strategy = {kind, sp_strategy_about(kind)->sample},
                                               .relax = seed % 2};
            answer plain = answer_plain(c.chain, &batch, &options),
                   fast = answer_decode(2, c.chain, &batch, &options);
            assert_same_answer(&batch, &fast, &plain);
            for (int r = 0; r < RECORDINGS; r++)
                n_decoded += plain.results[r].status == SP_OK;
            answer_free(&plain);
            answer_free(&fast);
        }
        random_case_free(&c);
    }
    assert_true(n_decoded > 10000);
}

/* ---- the same chain written out ---- */

static sp_chain *chain_of(sp_model *model)
{
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    return chain;
}

typedef struct lengths {
    int32_t min, max;
} lengths;

/* A state for each length of a run, "a3", and "A3" for runs that began before the recording. */
static sp_model *write_out(int32_t K, const lengths *range, const uint8_t *allow, const double *weight)
{
    const char *const names[] = {"a", "b", "c", "d"};
    sp_model *m = sp_model_new("written out", K, names);
    int32_t first[2][4], n = 0;
    sp_error err;
    for (int32_t k = 0; k < K; k++)
        for (int cut = 0; cut < 2; cut++) {
            first[cut][k] = n;
            n += range[k].max;
        }
    m->n_states = n;
    m->states = calloc((size_t)n, sizeof *m->states);
    m->state_class = calloc((size_t)n, sizeof *m->state_class);
    m->start = malloc((size_t)n * sizeof *m->start);
    uint8_t *may = calloc((size_t)n * (size_t)n, 1);
    double *w = calloc((size_t)n * (size_t)n, sizeof *w);
    for (int32_t k = 0; k < K; k++)
        for (int cut = 0; cut < 2; cut++)
            for (int32_t d = 0; d < range[k].max; d++) {
                const size_t s = (size_t)(first[cut][k] + d);
                m->states[s] = malloc(16);
                snprintf(m->states[s], 16, "%c%d", (cut ? 'A' : 'a') + (int)k, (int)d + 1);
                m->state_class[s] = k;
                m->start[s] = cut && d == 0 ? 0 : -INFINITY;
                if (d + 1 < range[k].max)
                    may[s * (size_t)n + s + 1] = 1;
                for (int32_t j = 0; j < K; j++)
                    if (j != k && allow[k * K + j] && (cut || d + 1 >= range[k].min)) {
                        may[s * (size_t)n + (size_t)first[0][j]] = 1;
                        w[s * (size_t)n + (size_t)first[0][j]] = weight[k * K + j];
                    }
            }
    m->row = realloc(m->row, ((size_t)n + 1) * sizeof *m->row);
    assert_ok(sp_model_set_matrix(m, may, w, &err), &err);
    m->weight_form = SP_WEIGHTS_LOG;
    free(may);
    free(w);
    return m;
}

/* Numbers are whole, so sums are exact and ties many: every strategy gives the same path, whatever way it goes by. */
static void test_equals_the_chain_written_out(void **state)
{
    (void)state;
    enum { T = 150, K = 4 };
    const char *const names[K] = {"a", "b", "c", "d"};
    sp_scratch *scratch = sp_scratch_new();
    sp_error err;
    int n_decoded = 0;
    for (uint64_t seed = 0; seed < 80; seed++) {
        random_source random = {seed};
        lengths range[K];
        uint8_t allow[K * K];
        double weight[K * K], data[T * K], score = 0, expected_score = 0;
        int32_t path[T], expected[T];
        for (int k = 0; k < K; k++) {
            range[k].min = 1 + random_below(&random, 4);
            range[k].max = range[k].min + random_below(&random, seed % 2 ? 3 : 20);
        }
        for (int i = 0; i < K * K; i++) {
            allow[i] = random_chance(&random, .7);
            weight[i] = seed % 3 ? random_below(&random, 3) - 1 : 0;
        }
        for (int i = 0; i < T * K; i++)
            data[i] = random_chance(&random, .02) ? -INFINITY : random_below(&random, 3);
        const int64_t n_steps = 1 + random_below(&random, T);
        const sp_scores scores = {data, SP_F64, K, n_steps, NULL, NULL, NULL};
        sp_model *written = write_out(K, range, allow, weight), *model = sp_model_new("ranges", K, names);
        assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
        model->durations = calloc(K, sizeof *model->durations);
        for (int k = 0; k < K; k++)
            model->durations[k] = (sp_duration){
                .form = SP_DURATION_RANGE, .min = {range[k].min, false}, .max = {range[k].max, false}};
        sp_chain *a = chain_of(written), *b = chain_of(model);
        for (int kind = 0; kind < sp_strategy_count(); kind++) {
            const sp_strategy strategy = {kind, sp_strategy_about(kind)->sample};
            const sp_status status =
                decode_one(strategy, a, &scores, scratch, expected, &expected_score, &err);
            if (kind == SP_GREEDY && status != SP_OK) /* looks ahead where the model says durations */
                continue;
            assert_int_equal(decode_one(strategy, b, &scores, scratch, path, &score, &err), status);
            if (status != SP_OK)
                continue;
            assert_same_path(seed, "strategy", kind, path, expected, n_steps);
            assert_true(score == expected_score);
            n_decoded++;
        }
        sp_chain_free(a);
        sp_chain_free(b);
        sp_model_free(written);
        sp_model_free(model);
    }
    sp_scratch_free(scratch);
    assert_true(n_decoded > 300);
}

/* ---- laws ---- */

/* A geometric distribution that is whole at the start and cut at the end is the ordinary chain that stays with a and leaves with
 * 1 - a: for every strategy. */
static void test_geometric_is_the_ordinary_chain(void **state)
{
    (void)state;
    enum { T = 90, K = 3, N_STRATEGIES = 8 };
    static const double stay[K] = {.9, .5, .75};
    static const sp_strategy strategies[N_STRATEGIES] = {
        {SP_GREEDY, 0}, {SP_VITERBI, 0}, {SP_POSTERIOR, 0}, {SP_MEA, 0}, {SP_POSTERIOR_VITERBI, 0},
        {SP_BEAM, 1},   {SP_ONLINE, 2},  {SP_ARGMAX, 0}};
    const char *const names[K] = {"a", "b", "c"};
    const uint8_t all[K * K] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, others[K * K] = {0, 1, 1, 1, 0, 1, 1, 1, 0};
    double weight[K * K], leave[K * K], data[T * K];
    sp_scratch *scratch = sp_scratch_new();
    sp_error err;
    for (int i = 0; i < K * K; i++) {
        const int from = i / K, to = i % K;
        leave[i] = from == to ? 0 : log(to == (from + 1) % K ? .7 : .3);
        weight[i] = from == to ? log(stay[from]) : log(1 - stay[from]) + leave[i];
    }
    sp_model *ordinary = sp_model_new("ordinary", K, names), *explicit = sp_model_new("explicit", K, names);
    assert_ok(sp_model_set_matrix(ordinary, all, weight, &err), &err);
    assert_ok(sp_model_set_matrix(explicit, others, leave, &err), &err);
    explicit->durations = calloc(K, sizeof *explicit->durations);
    explicit->whole_at_start = true;
    for (int k = 0; k < K; k++) /* size 1: geometric, of mean 1 / (1 - a) */
        explicit->durations[k] = (sp_duration){
            .form = SP_DURATION_NEGATIVE_BINOMIAL, .centre = {1 / (1 - stay[k]), false}, .spread = 1};
    sp_chain *a = chain_of(ordinary), *b = chain_of(explicit);
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_source random = {seed};
        for (int i = 0; i < T * K; i++)
            data[i] = 4 * random_unit(&random);
        const sp_scores scores = {data, SP_F64, K, T, NULL, NULL, NULL};
        for (int s = 0; s < N_STRATEGIES; s++) {
            int32_t path[T], expected[T];
            double score = 0, expected_score = 0;
            assert_ok(decode_one(strategies[s], a, &scores, scratch, expected, &expected_score, &err), &err);
            assert_ok(decode_one(strategies[s], b, &scores, scratch, path, &score, &err), &err);
            assert_same_path(seed, "strategy", s, path, expected, T);
            assert_close(score, expected_score, 1e-8, 0);
        }
        double log_z, expected_log_z;
        assert_ok(sp_forward_backward(a, &scores, scratch, NULL, &expected_log_z, &err), &err);
        assert_ok(sp_forward_backward(b, &scores, scratch, NULL, &log_z, &err), &err);
        assert_close(log_z, expected_log_z, 1e-8, 0);
    }
    sp_chain_free(a);
    sp_chain_free(b);
    sp_model_free(ordinary);
    sp_model_free(explicit);
    sp_scratch_free(scratch);
}

/* From 1 to T: Viterbi without weights of staying, with staying allowed where the matrix forbids it. */
static void test_any_length_is_free_staying(void **state)
{
    (void)state;
    enum { T = 50, K = 4 };
    const char *const names[K] = {"a", "b", "c", "d"};
    sp_scratch *scratch = sp_scratch_new();
    sp_error err;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_source random = {seed};
        uint8_t allow[K * K], free_allow[K * K];
        double weight[K * K], free_weight[K * K], data[T * K], score = 0, expected_score = 0;
        int32_t path[T], expected[T];
        for (int i = 0; i < K * K; i++) {
            free_allow[i] = allow[i] = random_chance(&random, .6);
            free_weight[i] = weight[i] = random_unit(&random) - 1;
            if (i / K == i % K) {
                free_allow[i] = 1;
                free_weight[i] = 0;
            }
        }
        for (int i = 0; i < T * K; i++)
            data[i] = 4 * random_unit(&random);
        const sp_scores scores = {data, SP_F64, K, T, NULL, NULL, NULL};
        sp_model *free_model = sp_model_new("free", K, names), *model = sp_model_new("lengths", K, names);
        assert_ok(sp_model_set_matrix(free_model, free_allow, free_weight, &err), &err);
        assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
        model->durations = calloc(K, sizeof *model->durations);
        for (int k = 0; k < K; k++)
            model->durations[k] =
                (sp_duration){.form = SP_DURATION_RANGE, .min = {1, false}, .max = {k % 2 ? T : 0, false}};
        sp_chain *a = chain_of(free_model), *b = chain_of(model);
        assert_ok(sp_viterbi(a, &scores, scratch, expected, &expected_score, &err), &err);
        assert_ok(sp_viterbi(b, &scores, scratch, path, &score, &err), &err);
        assert_same_path(seed, "viterbi", 0, path, expected, T);
        assert_close(score, expected_score, 1e-10, 0);
        sp_chain_free(a);
        sp_chain_free(b);
        sp_model_free(free_model);
        sp_model_free(model);
    }
    sp_scratch_free(scratch);
}

/* A minimum alone, whole at the start and cut at the end, is min_dwell to the byte. */
static void test_minimum_is_min_dwell(void **state)
{
    (void)state;
    enum { T = 80, K = 3 };
    const char *const names[K] = {"a", "b", "c"};
    const uint8_t all[K * K] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    sp_scratch *scratch = sp_scratch_new();
    sp_error err;
    for (int whole_at_end = 0; whole_at_end < 2; whole_at_end++) {
        sp_model *dwell = sp_model_new("dwell", K, names), *model = sp_model_new("min", K, names);
        assert_ok(sp_model_set_matrix(dwell, all, NULL, &err), &err);
        assert_ok(sp_model_set_matrix(model, all, NULL, &err), &err);
        dwell->min_dwell = malloc(K * sizeof *dwell->min_dwell);
        model->durations = calloc(K, sizeof *model->durations);
        model->whole_at_start = true;
        model->whole_at_end = dwell->min_dwell_at_end = whole_at_end;
        for (int k = 0; k < K; k++) {
            dwell->min_dwell[k] = k + 1;
            model->durations[k] = (sp_duration){.form = SP_DURATION_RANGE, .min = {k + 1, false}};
        }
        sp_chain *a = chain_of(dwell), *b = chain_of(model);
        for (uint64_t seed = 0; seed < 100; seed++) {
            random_source random = {seed};
            double data[T * K], score = 0, expected_score = 0;
            int32_t path[T], expected[T];
            for (int i = 0; i < T * K; i++)
                data[i] = seed % 2 ? random_unit(&random) : random_below(&random, 3);
            const sp_scores scores = {data, SP_F64, K, T, NULL, NULL, NULL};
            /* Greedy sees how many steps remain of a duration, but not of a min_dwell. */
            for (sp_strategy_kind kind = whole_at_end ? SP_BEAM : SP_GREEDY; kind <= SP_POSTERIOR_VITERBI;
                 kind++) {
                const sp_strategy strategy = {kind, kind == SP_BEAM || kind == SP_ONLINE ? 3 : 0};
                const sp_status status =
                    decode_one(strategy, a, &scores, scratch, expected, &expected_score, &err);
                assert_int_equal(decode_one(strategy, b, &scores, scratch, path, &score, &err), status);
                if (status != SP_OK)
                    continue;
                assert_same_path(seed, "strategy", (int32_t)kind, path, expected, T);
                assert_true(score == expected_score);
            }
        }
        sp_chain_free(a);
        sp_chain_free(b);
        sp_model_free(dwell);
        sp_model_free(model);
    }
    sp_scratch_free(scratch);
}

/* ---- runs that the durations rule out ---- */

/* Does the path say nothing at t, inside of the segment of the run beside it? */
static bool is_unscored(const random_case *c, const int32_t *path, int64_t t, int64_t gap)
{
    return !is_side(c, gap) && path[t] < 0;
}

static sp_transition_counts count_runs(const random_case *c, const int32_t *path)
{
    sp_transition_counts counts = {.short_runs = 0};
    for (int64_t t = 0, begin = 0; t < c->scores.n_steps; t++) {
        if (!is_side(c, t + 1) && path[t + 1] == path[t])
            continue;
        const sp_duration *d = path[t] >= 0 ? duration_of_column(c, path[t]) : NULL;
        const bool is_cut = is_unscored(c, path, begin - 1, begin) || is_unscored(c, path, t + 1, t + 1) ||
                            (is_side(c, begin) && !c->model->whole_at_start) ||
                            (is_side(c, t + 1) && !c->model->whole_at_end);
        if (d && duration_weight(d, t + 1 - begin, is_cut) == -INFINITY) {
            const bool is_long = duration_weight(d, t + 1 - begin, true) == -INFINITY;
            counts.short_runs += !is_long;
            counts.long_runs += is_long;
        }
        begin = t + 1;
    }
    return counts;
}

static void test_broken_runs(void **state)
{
    (void)state;
    enum { LONG = 40 };
    const random_shape shape = {3, LONG, 2, 1, NO, NO, GAPS, 0};
    int64_t n_short = 0, n_long = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        random_case c = random_case_new_durations(seed, &shape, 4);
        random_source random = {seed};
        const double stay = random_unit(&random), none = random_chance(&random, 0.5) ? 0.1 : 0;
        int32_t path[LONG + 1];
        for (int64_t t = 0; t < c.scores.n_steps; t++)
            path[t] = random_chance(&random, none)            ? -1
                      : t > 0 && random_chance(&random, stay) ? path[t - 1]
                                                              : random_below(&random, c.model->n_classes);
        const sp_transition_counts expected = count_runs(&c, path);
        sp_transition_counts counts = {.short_runs = 0};
        sp_transitions_count(c.chain, c.scores.n_steps, path, c.segments, &counts, NULL, NULL);
        assert_int_equal(counts.short_runs, expected.short_runs);
        assert_int_equal(counts.long_runs, expected.long_runs);
        n_short += counts.short_runs;
        n_long += counts.long_runs;
        random_case_free(&c);
    }
    assert_true(n_short > 100 && n_long > 100);
}

/* A log-normal without a max has weights of all lengths; of one step it has what lies below 1.5, also below
 * 0.5. Only where a millionth of a millionth of it lies beyond what can be counted is it refused. */
static void test_log_normal_lengths(void **state)
{
    (void)state;
    static const char *const classes[] = {"a"};
    static const double of[][2] = {{20, 1}, {20, 0.5}, {0.3, 0.5}, {300, 0.7}, {4, 1.2}};
    sp_model *model = sp_model_new("m", 1, classes);
    sp_run_weights weights;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, (const uint8_t[]){1}, NULL, &err), &err);
    assert_non_null(model->durations = calloc(1, sizeof *model->durations));
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        model->durations[0] =
            (sp_duration){.form = SP_DURATION_LOG_NORMAL, .centre = {of[i][0], false}, .spread = of[i][1]};
        assert_ok(sp_run_weights_make(model, 0, 0, false, &weights, &err), &err);
        for (int64_t d = 1; d < 2000; d = 2 * d + 1) {
            const double a = d == 1 ? -INFINITY : log(((double)d - .5) / of[i][0]) / of[i][1],
                         b = log(((double)d + .5) / of[i][0]) / of[i][1];
            const double p = .5 * (erfc(-b / sqrt(2)) - erfc(-a / sqrt(2)));
            if (p > 1e-9)
                assert_close(exp(sp_run_weight(&weights, d, false)), p, 0, 1e-6);
        }
        sp_run_weights_clear(&weights);
    }
    model->durations[0] = (sp_duration){.form = SP_DURATION_LOG_NORMAL, .centre = {20, false}, .spread = 3};
    assert_int_equal(sp_run_weights_make(model, 0, 0, false, &weights, &err), SP_EMODEL);
    sp_run_weights_clear(&weights);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_runs),
        cmocka_unit_test(test_every_small_model),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_equals_the_chain_written_out),
        cmocka_unit_test(test_geometric_is_the_ordinary_chain),
        cmocka_unit_test(test_any_length_is_free_staying),
        cmocka_unit_test(test_minimum_is_min_dwell),
        cmocka_unit_test(test_log_normal_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
