/* Windows over neighbouring steps: against means that are taken one by one, in prepared blocks, and without memory. */
#include "check.h"
#include "core/model/windows.h"
#include "failing_alloc.h"
#include "random_model.h"
#include "statepath/advanced.h"

#include <math.h>

enum { K = 3, MOST = 60, N_WINDOWS = 2 };

static const int32_t steps[N_WINDOWS] = {1, 5};

static sp_windows *random_windows(random_source *random)
{
    sp_windows *w = sp_windows_new(N_WINDOWS, steps, K);
    assert_non_null(w);
    w->scale = 0.7;
    w->floor = -5;
    for (int k = 0; k < K; k++)
        w->bias[k] = random_unit(random) - 0.5;
    for (size_t i = 0; i < sp_windows_n_inputs(N_WINDOWS, K) * K; i++)
        w->weight[i] = random_unit(random) - 0.5;
    return w;
}

/* l or p of class k of the model at step t; column_of_class NULL: in order. */
static double input(const double *e, int64_t t, int kind, int k, double floor, const int32_t *column_of_class)
{
    double sum = 0;
    for (int c = 0; c < K; c++)
        sum += exp(e[t * K + c]);
    const double x = e[t * K + (column_of_class ? column_of_class[k] : k)];
    const double p = sum > 0 ? exp(x) / sum : 1. / K;
    return kind ? p : fmax(log(p), floor);
}

static void plain(const sp_windows *w, const double *e, const int64_t *segments, int64_t T, const int32_t *column_of_class,
                  double *out)
{
    for (int64_t t = 0; t < T; t++) {
        double z[K], sum = 0;
        bool says_nothing = true;
        for (int k = 0; k < K; k++) {
            const double *weight = w->weight + k;
            z[k] = w->scale * input(e, t, 0, k, w->floor, column_of_class) + w->bias[k];
            for (int i = 0; i < N_WINDOWS; i++)
                for (int side = -1; side <= 1; side += 2)
                    for (int kind = 0; kind < 2; kind++)
                        for (int of = 0; of < K; of++, weight += K) {
                            double total = 0;
                            int n = 0;
                            for (int64_t u = t + side; u >= 0 && u < T && llabs(u - t) <= w->steps[i]; u += side, n++) {
                                if (segments && segments[u] != segments[u - side])
                                    break;
                                total += input(e, u, kind, of, w->floor, column_of_class);
                            }
                            z[k] += *weight * (n ? total / n : input(e, t, kind, of, w->floor, column_of_class));
                        }
            says_nothing = says_nothing && e[t * K + k] == 0;
            if (e[t * K + (column_of_class ? column_of_class[k] : k)] > -INFINITY)
                sum += exp(z[k]);
        }
        for (int k = 0; k < K; k++) {
            const int c = column_of_class ? column_of_class[k] : k;
            out[t * K + c] = says_nothing ? 0 : e[t * K + c] == -INFINITY ? -INFINITY : z[k] - log(sum);
        }
    }
}

static int64_t draw(random_source *random, double *e, int64_t *segments)
{
    const int64_t T = random_below(random, MOST);
    for (int64_t t = 0; t < T; t++) {
        segments[t] = t ? segments[t - 1] + random_chance(random, 0.1) : 7;
        const bool says_nothing = random_chance(random, 0.1), is_impossible = random_chance(random, 0.05);
        for (int k = 0; k < K; k++)
            e[t * K + k] = says_nothing                                  ? 0
                           : is_impossible || random_chance(random, 0.1) ? -INFINITY
                                                                         : 9 * random_unit(random) - 9;
    }
    return T;
}

static void assert_rows(const double *got, const double *wanted, int64_t T)
{
    for (int64_t i = 0; i < T * K; i++)
        assert_true(got[i] == wanted[i] || fabs(got[i] - wanted[i]) < 1e-9);
}

static void test_against_means_one_by_one(void **state)
{
    (void)state;
    random_source random = {3};
    static const int32_t turned[] = {2, 0, 1};
    for (int trial = 0; trial < 300; trial++) {
        double e[MOST * K], wanted[MOST * K];
        int64_t segments[MOST];
        sp_windows *w = random_windows(&random);
        const int64_t T = draw(&random, e, segments), *gaps = trial % 3 ? segments : NULL;
        const int32_t *column_of_class = trial % 2 ? turned : NULL;
        double *room = malloc((sp_neighbours_room(T, K) + sp_windows_n_inputs(N_WINDOWS, K) + 2 * K) * sizeof *room);
        plain(w, e, gaps, T, column_of_class, wanted);
        if (!column_of_class) {
            double rows[MOST * K];
            const sp_scores scores = {.data = e, .dtype = SP_F64, .n_classes = K, .n_steps = T, .segments = gaps};
            assert_true(sp_windows_rows(w, &scores, rows));
            assert_rows(rows, wanted, T);
        }
        if (column_of_class) { /* in the order of the columns they are the same */
            static const int32_t class_of_column[] = {1, 2, 0};
            double rows[MOST * K];
            const sp_scores scores = {.data = e, .dtype = SP_F64, .n_classes = K, .n_steps = T, .segments = gaps};
            sp_windows *copy = sp_windows_copy(w, K, class_of_column);
            assert_true(sp_windows_rows(copy, &scores, rows));
            assert_rows(rows, wanted, T);
            sp_windows_free(copy);
        }
        sp_windows_apply(w, column_of_class, e, gaps, T, K, false, room);
        assert_rows(e, wanted, T);
        free(room);
        sp_windows_free(w);
    }
}

/* In a block: recordings apart, then temperature and the mask; argmax goes by what was given; steps that say nothing stay so. */
static void test_in_a_block(void **state)
{
    (void)state;
    random_source random = {5};
    static const int32_t class_of_column[] = {1, 2, 0}, column_of_class[] = {2, 0, 1};
    for (int trial = 0; trial < 100; trial++) {
        double a[MOST * K], b[MOST * K], wanted[2 * MOST * K];
        int64_t segments[2 * MOST];
        sp_windows *w = random_windows(&random);
        const int64_t A = draw(&random, a, segments), B = draw(&random, b, segments + A);
        sp_block *block = sp_block_new();
        sp_error err;
        assert_ok(sp_block_reserve(block, 2, A + B, K, SP_F64, SP_BLOCK_SCORES | SP_BLOCK_SEGMENTS | SP_BLOCK_MASK, &err), &err);
        block->offsets[0] = 0;
        block->offsets[1] = A;
        block->offsets[2] = A + B;
        double *scores = block->scores;
        for (int64_t i = 0; i < (A + B) * K; i++) {
            const double *row = i < A * K ? a + i / K * K : b + (i / K - A) * K;
            const bool says_nothing = row[0] == 0 && row[1] == 0 && row[2] == 0;
            scores[i] = says_nothing ? NAN : row[i % K];
            block->mask[i] = !random_chance(&random, 0.1);
        }
        for (int64_t t = 0; t < A + B; t++)
            block->segments[t] = segments[t];
        plain(w, a, segments, A, column_of_class, wanted);
        plain(w, b, segments + A, B, column_of_class, wanted + A * K);
        sp_prepare_options options = sp_prepare_options_default();
        options.kind = SP_KIND_SCORES;
        options.missing_uniform = true;
        options.temperature = 2;
        options.windows = w;
        options.class_of_column = class_of_column;
        sp_workers *workers = sp_workers_new(2);
        sp_prepare_counts counts = {0};
        assert_ok(sp_prepare(block, &options, workers, &counts, &err), &err);
        scores = block->scores;
        int64_t missing = 0;
        for (int64_t i = 0; i < (A + B) * K; i++) {
            const double given = i < A * K ? a[i] : b[i - A * K];
            const double now = block->mask[i] ? wanted[i] / 2 : -INFINITY;
            assert_true(scores[i] == now || fabs(scores[i] - now) < 1e-9);
            assert_true(block->given[i] == (block->mask[i] ? given : -INFINITY));
            const double *row = i < A * K ? a + i / K * K : b + (i / K - A) * K;
            missing += i % K == 0 && row[0] == 0 && row[1] == 0 && row[2] == 0;
        }
        assert_int_equal(counts.missing, missing);
        const sp_batch batch = sp_block_batch(block);
        const sp_scores second = sp_batch_recording(&batch, 1);
        assert_true(second.given == block->given + A * K);
        sp_workers_free(workers);
        sp_block_free(block);
        sp_windows_free(w);
    }
}

static void test_argmax_goes_by_what_was_given(void **state)
{
    (void)state;
    static const char *const classes[] = {"a", "b"};
    const double e[] = {0, -1, 0, -1}, given[] = {-1, 0, 0, -1};
    const int64_t offsets[] = {0, 2};
    const sp_batch batch = {{.data = e, .dtype = SP_F64, .n_classes = 2, .n_steps = 2, .given = given}, 1, offsets};
    sp_model *model = sp_model_new("m", 2, classes);
    const sp_chain_options compile = sp_chain_options_default();
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, (const uint8_t[]){1, 1, 1, 1}, NULL, &err), &err);
    assert_ok(sp_chain_new(model, &compile, &chain, &err), &err);
    sp_workers *workers = sp_workers_new(1);
    for (int s = SP_ARGMAX; s <= SP_VITERBI; s++) {
        int32_t path[2];
        sp_decoded result;
        sp_decode_options options = sp_decode_options_default();
        options.strategy = (sp_strategy){(sp_strategy_kind)s, s == SP_BEAM ? 2 : 0};
        assert_ok(sp_decode_batch(chain, &batch, &options, workers, &(sp_decode_output){.paths = path, .results = &result}, &err),
                  &err);
        assert_int_equal(path[0], s == SP_ARGMAX);
        assert_int_equal(path[1], 0);
    }
    sp_workers_free(workers);
    sp_chain_free(chain);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_means_one_by_one), cmocka_unit_test(test_in_a_block),
                                       cmocka_unit_test(test_argmax_goes_by_what_was_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
