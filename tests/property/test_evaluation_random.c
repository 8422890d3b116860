/* Laws of evaluations of random labels and paths: the order of recordings changes nothing that is pooled, a path that is the
 * reference is right in everything, edit distances are those of the table,
 * and the best names of columns those of an enumeration. Figures by formulas: tests/laws/test_figures.py. */
#include "check.h"
#include "evaluated.h"

static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static int32_t below(int32_t n)
{
    return (int32_t)(next() % (uint64_t)n);
}

/* ---- a random problem ---- */

enum { MAX_N = 12, MAX_T = 14, MAX_S = MAX_N * MAX_T, MAX_K = 5, STRATEGIES = 4 };

typedef struct problem {
    int32_t K;
    int64_t N;
    int64_t offsets[MAX_N + 1], segments[MAX_S];
    int32_t labels[MAX_S], paths[STRATEGIES][MAX_S];
    sp_decoded results[STRATEGIES][MAX_N];
    sp_model *model;
} problem;

static const char *const names[STRATEGIES] = {"greedy", "argmax", "viterbi", "beam:4"};
static const char *const class_names[MAX_K] = {"O", "B-x", "I-x", "B-y", "I-y"};

static sp_model *make_model(int32_t K)
{
    sp_error err;
    uint8_t allow[MAX_K * MAX_K];
    sp_model *model = sp_model_new("random", K, class_names);
    assert_non_null(model);
    for (int32_t i = 0; i < K * K; i++)
        allow[i] = below(4) > 0;
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->start = malloc((size_t)K * sizeof *model->start);
    model->end = malloc((size_t)K * sizeof *model->end);
    assert_true(model->start && model->end);
    for (int32_t k = 0; k < K; k++) {
        model->start[k] = k == 0 || below(3) > 0 ? 0 : -INFINITY;
        model->end[k] = k == 0 || below(3) > 0 ? 0 : -INFINITY;
    }
    return model;
}

static void make_problem(problem *p)
{
    *p = (problem){.K = 1 + below(MAX_K), .N = 1 + below(MAX_N)};
    bool has_gaps = below(2);
    for (int64_t n = 0; n < p->N; n++) {
        p->offsets[n + 1] = p->offsets[n] + below(MAX_T + 1);
        int64_t segment = 0;
        for (int64_t t = p->offsets[n]; t < p->offsets[n + 1]; t++) {
            segment += has_gaps && below(5) == 0;
            p->segments[t] = segment;
            p->labels[t] = t > p->offsets[n] && below(2) ? p->labels[t - 1] : below(p->K + 1) - 1;
        }
        for (int s = 0; s < STRATEGIES; s++) {
            bool is_decoded = below(6) > 0;
            p->results[s][n] = (sp_decoded){
                .status = is_decoded ? SP_OK : SP_ENOPATH, .step = is_decoded ? -1 : 0, .score = -1};
            for (int64_t t = p->offsets[n]; t < p->offsets[n + 1]; t++)
                p->paths[s][t] = !is_decoded ? -1
                                 : t > p->offsets[n] && below(3) == 0
                                     ? p->paths[s][t - 1] /* late, so that boundaries move */
                                 : below(3) && p->labels[t] >= 0 ? p->labels[t]
                                                                 : below(p->K);
        }
    }
    p->model = make_model(p->K);
}

/* Evaluates the recordings `order` [n] of the problem. */
static sp_comparison *evaluate(const problem *p, int64_t n, const int64_t *order)
{
    int64_t offsets[MAX_N + 1] = {0}, segments[MAX_S];
    int32_t labels[MAX_S], paths[STRATEGIES][MAX_S];
    sp_decoded results[STRATEGIES][MAX_N];
    for (int64_t i = 0; i < n; i++) {
        int64_t r = order[i], T = p->offsets[r + 1] - p->offsets[r], to = offsets[i];
        offsets[i + 1] = to + T;
        memcpy(labels + to, p->labels + p->offsets[r], (size_t)T * sizeof *labels);
        memcpy(segments + to, p->segments + p->offsets[r], (size_t)T * sizeof *segments);
        for (int s = 0; s < STRATEGIES; s++) {
            memcpy(paths[s] + to, p->paths[s] + p->offsets[r], (size_t)T * sizeof **paths);
            results[s][i] = p->results[s][r];
        }
    }
    const sp_arrays arrays = {
        .info = {.n_recordings = n, .offsets = offsets}, .labels = labels, .segments = segments};
    const sp_array_paths all = {STRATEGIES, names,
                                (const int32_t *const[]){paths[0], paths[1], paths[2], paths[3]},
                                (const sp_decoded *const[]){results[0], results[1], results[2], results[3]}};
    return evaluated(p->model, &arrays, &all, NULL);
}

static void assert_same_runs(int32_t K, const sp_class_runs *a, const sp_class_runs *b)
{
    for (int32_t k = 0; k < K; k++) {
        assert_int_equal(a[k].n_lengths, b[k].n_lengths);
        if (a[k].n_lengths)
            assert_memory_equal(a[k].lengths, b[k].lengths, (size_t)a[k].n_lengths * sizeof *a[k].lengths);
    }
}

/* Everything that is pooled is the same. */
static void assert_same_pooled(const sp_comparison *a, const sp_comparison *b)
{
    assert_int_equal(a->n_scored_steps, b->n_scored_steps);
    assert_memory_equal(&a->reference, &b->reference, sizeof a->reference);
    assert_close(a->mask_ceiling.value, b->mask_ceiling.value, 0, 0);
    assert_same_runs(a->n_classes, a->reference_runs, b->reference_runs);
    for (int s = 0; s < STRATEGIES; s++) {
        const sp_strategy_result *x = &a->strategies[s], *y = &b->strategies[s];
        assert_memory_equal(x->confusion, y->confusion,
                            (size_t)(a->n_classes * a->n_classes) * sizeof *x->confusion);
        assert_memory_equal(x->undecoded_steps, y->undecoded_steps,
                            (size_t)a->n_classes * sizeof *x->undecoded_steps);
        assert_memory_equal(&x->counts, &y->counts, sizeof x->counts);
        assert_memory_equal(&x->changes, &y->changes, sizeof x->changes);
        assert_memory_equal(x->context_correct, y->context_correct, sizeof x->context_correct);
        assert_memory_equal(x->boundaries.matched, y->boundaries.matched, sizeof x->boundaries.matched);
        assert_int_equal(x->n_illegal_pairs, y->n_illegal_pairs);
        assert_memory_equal(x->illegal_pairs, y->illegal_pairs,
                            (size_t)x->n_illegal_pairs * sizeof *x->illegal_pairs);
        assert_same_runs(a->n_classes, x->class_runs, y->class_runs);
        assert_int_equal(x->entities.pooled.correct, y->entities.pooled.correct);
        assert_int_equal(x->entities.strict.decoded, y->entities.strict.decoded);
        assert_close(x->edit_score.value, y->edit_score.value, 1e-12, 0);
        assert_close(x->mean_kappa.value, y->mean_kappa.value, 1e-12, 0);
        assert_int_equal(x->n_undecoded, y->n_undecoded);
    }
    for (int32_t i = 0; i < a->n_comparisons; i++) {
        const sp_pair_comparison *x = &a->comparisons[i], *y = &b->comparisons[i];
        assert_close(x->difference.difference.value, y->difference.difference.value, 0, 0);
        assert_close(x->test.p.value, y->test.p.value, 1e-12, 0);
        assert_close(x->p_holm.value, y->p_holm.value, 1e-12, 0);
        assert_memory_equal(&x->mcnemar.only_a, &y->mcnemar.only_a, sizeof x->mcnemar.only_a);
    }
}

static void test_order_changes_nothing(void **state)
{
    (void)state;
    for (int trial = 0; trial < 30; trial++) {
        problem p;
        make_problem(&p);
        int64_t order[MAX_N], shuffled[MAX_N];
        for (int64_t n = 0; n < p.N; n++)
            order[n] = shuffled[n] = n;
        for (int64_t n = p.N - 1; n > 0; n--) {
            int64_t other = below((int32_t)n + 1), kept = shuffled[n];
            shuffled[n] = shuffled[other];
            shuffled[other] = kept;
        }
        sp_comparison *one = evaluate(&p, p.N, order), *other = evaluate(&p, p.N, shuffled);
        assert_same_pooled(one, other);
        sp_comparison_free(one);
        sp_comparison_free(other);
        sp_model_free(p.model);
    }
}

/* The order of comparisons: each other strategy against argmax, then the rest pairwise, later against earlier. */
static void test_pairs(void **state)
{
    (void)state;
    problem p;
    for (make_problem(&p); p.offsets[1] < 8 || p.K < 3; make_problem(&p))
        sp_model_free(p.model);
    int64_t order[MAX_N] = {0};
    sp_comparison *c = evaluate(&p, 1, order);
    static const int32_t expected[6][2] = {{0, 1}, {2, 1}, {3, 1}, {2, 0}, {3, 0}, {3, 2}};
    assert_true(c->n_comparisons >= 12); /* by accuracy, and by what tags are compared by */
    for (int i = 0; i < 12; i++) {
        assert_int_equal(c->comparisons[i].a, expected[i % 6][0]);
        assert_int_equal(c->comparisons[i].b, expected[i % 6][1]);
        assert_string_equal(c->comparisons[i].metric, c->comparisons[i - i % 6].metric);
    }
    sp_comparison_free(c);
    sp_model_free(p.model);
}

/* A path that is the reference is right in everything. */
static void test_perfect_path(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        problem p;
        make_problem(&p);
        int64_t order[MAX_N];
        for (int64_t n = 0; n < p.N; n++) {
            order[n] = n;
            p.results[2][n] = (sp_decoded){.step = -1, .score = -1};
        }
        memcpy(p.paths[2], p.labels, sizeof p.labels);
        sp_comparison *c = evaluate(&p, p.N, order);
        const sp_strategy_result *s = &c->strategies[2];
        assert_int_equal(s->agreement.correct, c->n_scored_steps);
        assert_int_equal(s->counts.illegal, c->reference.illegal);
        assert_int_equal(s->boundaries.matched[0], s->boundaries.reference);
        assert_int_equal(s->boundaries.decoded, s->boundaries.reference);
        assert_true(s->edit_score.undefined || s->edit_score.value == 1);
        assert_same_runs(p.K, s->class_runs, c->reference_runs);
        assert_int_equal(s->entities.pooled.correct, s->entities.pooled.reference);
        assert_int_equal(s->entities.strict.decoded, s->entities.strict.reference);
        assert_int_equal(s->changes.worsened + s->changes.wrong_to_wrong, 0);
        sp_comparison_free(c);
        sp_model_free(p.model);
    }
}

/* ---- edit distance against the table ---- */

static int64_t table_distance(int64_t m, const int32_t *a, int64_t n, const int32_t *b)
{
    enum { MAX = 300 };
    static int64_t d[MAX + 1][MAX + 1];
    for (int64_t i = 0; i <= m; i++)
        for (int64_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int64_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
            d[i][j] = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
        }
    return d[m][n];
}

/* Runs of random classes, no two neighbours alike, one step each; `from` [m] makes them like another's. Returns how many. */
static int64_t random_runs(int32_t K, int64_t most, const int32_t *from, int64_t m, int32_t *runs)
{
    int64_t n = 1 + below((int32_t)most);
    for (int64_t i = 0; i < n; i++) {
        int32_t before = i ? runs[i - 1] : -1, class = from && i < m && below(8) ? from[i] : below(K);
        runs[i] = class == before ? (class + 1) % K : class;
    }
    return n;
}

/* Edit scores of one recording: of sequences that are alike, or not at all. */
static void test_edit_distance(void **state)
{
    (void)state;
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g"}, *const one[] = {"path"};
    for (int trial = 0; trial < 300; trial++) {
        int32_t K = 2 + below(6), a[300], b[300];
        int64_t most = trial % 3 ? 300 : 8, m = random_runs(K, most, NULL, 0, a),
                n = random_runs(K, most, trial % 2 ? a : NULL, m, b), T = m > n ? m : n;
        const double expected = 1 - (double)table_distance(m, a, n, b) / (double)T;
        for (int64_t t = m; t < T; t++)
            a[t] = a[m - 1];
        for (int64_t t = n; t < T; t++)
            b[t] = b[n - 1];
        sp_model *model = model_of_all(K, letters);
        const sp_arrays arrays = {.info = {.n_recordings = 1, .offsets = (const int64_t[]){0, T}},
                                  .labels = a};
        sp_comparison *c =
            evaluated(model, &arrays, &(sp_array_paths){1, one, (const int32_t *const[]){b}, NULL}, NULL);
        assert_value(c->strategies[0].edit_score, expected);
        sp_comparison_free(c);
        sp_model_free(model);
    }
}

/* ---- names of columns ---- */

/* The most steps on the diagonal by any way to name columns first .. K-1 with the names left in name_of[]. */
static int64_t best_hits(int32_t K, const int64_t *confusion, int32_t *name_of, int32_t first)
{
    int64_t best = 0;
    for (int32_t j = 0; first == K && j < K; j++)
        best += confusion[name_of[j] * K + j];
    for (int32_t j = first; j < K; j++) {
        int32_t name = name_of[j];
        name_of[j] = name_of[first];
        name_of[first] = name;
        int64_t hits = best_hits(K, confusion, name_of, first + 1);
        best = hits > best ? hits : best;
        name_of[first] = name_of[j];
        name_of[j] = name;
    }
    return best;
}

/* A path that has its classes by other names: the best of all names are told. Of one that takes several
 * for one not all of them need be suspicious. */
static void test_best_names(void **state)
{
    (void)state;
    enum { T = 40 * MAX_K };
    static const char *const letters[] = {"a", "b", "c", "d", "e"}, *const one[] = {"path"};
    int n_told = 0;
    for (int trial = 0; trial < 400; trial++) {
        const int32_t K = 2 + below(MAX_K - 1);
        int32_t a[T], b[T], other[MAX_K], name_of[MAX_K], seen = 0;
        for (int32_t k = 0; k < K; k++) {
            name_of[k] = k;
            other[k] = trial % 2 ? (k + 1) % K : below(K);
        }
        for (int t = 0; t < T; t++) {
            a[t] = below(K);
            b[t] = below(10) < 8 ? other[a[t]] : below(K);
        }
        sp_model *model = model_of_all(K, letters);
        const sp_arrays arrays = {.info = {.n_recordings = 1, .offsets = (const int64_t[]){0, T}},
                                  .labels = a};
        sp_comparison *c =
            evaluated(model, &arrays, &(sp_array_paths){1, one, (const int32_t *const[]){b}, NULL}, NULL);
        const sp_label_permutation *found = &c->strategies[0].label_permutation;
        const double best = (double)best_hits(K, c->strategies[0].confusion, name_of, 0) / T;
        n_told += found->name_of != NULL;
        if (found->name_of) {
            assert_true(found->accuracy.value <= best + 1e-12);
            if (trial % 2)
                assert_value(found->accuracy, best);
            for (int32_t k = 0; k < K; k++)
                seen |= 1 << found->name_of[k];
            assert_int_equal(seen, (1 << K) - 1);
        } else {
            assert_true(trial % 2 == 0);
        }
        sp_comparison_free(c);
        sp_model_free(model);
    }
    assert_true(n_told > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_changes_nothing),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_perfect_path),
        cmocka_unit_test(test_edit_distance),
        cmocka_unit_test(test_best_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
