/* Windows over neighbouring steps, as sp_prepare() applies them: against means that are taken one by one. */
#include "check.h"
#include "random_model.h"
#include "statepath/advanced.h"

#include <math.h>

enum { K = 3, MOST = 300, N_WINDOWS = 2, N_WEIGHTS = N_WINDOWS * 2 * 2 * K * K };

/* A model's windows, in memory of their own. */
typedef struct some_windows {
    sp_windows w;
    int32_t steps[N_WINDOWS];
    double bias[K], weight[N_WEIGHTS];
} some_windows;

static void draw_windows(random_source *random, some_windows *s)
{
    *s = (some_windows){.w = {.n = N_WINDOWS,
                              .steps = s->steps,
                              .floor = -5,
                              .scale = 0.7,
                              .bias = s->bias,
                              .weight = s->weight},
                        .steps = {1, 5}};
    for (int k = 0; k < K; k++)
        s->bias[k] = random_unit(random) - 0.5;
    for (int i = 0; i < N_WEIGHTS; i++)
        s->weight[i] = random_unit(random) - 0.5;
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

static void plain(const sp_windows *w, const double *e, const int64_t *segments, int64_t T,
                  const int32_t *column_of_class, double *out)
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
                            for (int64_t u = t + side; u >= 0 && u < T && llabs(u - t) <= w->steps[i];
                                 u += side, n++) {
                                if (segments && segments[u] != segments[u - side])
                                    break;
                                total += input(e, u, kind, of, w->floor, column_of_class);
                            }
                            z[k] +=
                                *weight * (n ? total / n : input(e, t, kind, of, w->floor, column_of_class));
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

/* Of some recordings few rows say nothing, or none, and nothing is impossible: tiles of steps without either are not looked into. */
static int64_t draw(random_source *random, double *e, int64_t *segments)
{
    const int64_t T = random_below(random, MOST);
    const double empty = random_chance(random, 0.5) ? 0.1 : 0.004,
                 forbidden = random_chance(random, 0.5) ? 0.1 : 0;
    for (int64_t t = 0; t < T; t++) {
        segments[t] = t ? segments[t - 1] + random_chance(random, 0.1) : 7;
        const bool says_nothing = random_chance(random, empty),
                   is_impossible = random_chance(random, forbidden / 2);
        for (int k = 0; k < K; k++)
            e[t * K + k] = says_nothing                                        ? 0
                           : is_impossible || random_chance(random, forbidden) ? -INFINITY
                                                                               : 9 * random_unit(random) - 9;
    }
    return T;
}

/* Recordings apart, columns in order or not, with gaps or none; then temperature and the mask. What was given stays beside; steps that say
 * nothing stay so. */
static void test_against_means_one_by_one(void **state)
{
    (void)state;
    random_source random = {5};
    static const int32_t class_of_column[] = {1, 2, 0}, column_of_class[] = {2, 0, 1};
    for (int trial = 0; trial < 300; trial++) {
        double a[MOST * K], b[MOST * K], wanted[2 * MOST * K];
        int64_t segments[2 * MOST];
        some_windows drawn;
        draw_windows(&random, &drawn);
        const sp_windows *w = &drawn.w;
        const bool is_turned = trial % 2, has_gaps = trial % 3;
        const int64_t A = draw(&random, a, segments), B = draw(&random, b, segments + A);
        sp_block *block = sp_block_new();
        sp_error err;
        assert_ok(sp_block_reserve(block, 2, A + B, K, SP_F64,
                                   SP_BLOCK_SCORES | SP_BLOCK_MASK | (has_gaps ? SP_BLOCK_SEGMENTS : 0U),
                                   &err),
                  &err);
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
        for (int64_t t = 0; has_gaps && t < A + B; t++)
            block->segments[t] = segments[t];
        plain(w, a, has_gaps ? segments : NULL, A, is_turned ? column_of_class : NULL, wanted);
        plain(w, b, has_gaps ? segments + A : NULL, B, is_turned ? column_of_class : NULL, wanted + A * K);
        sp_prepare_options options = sp_prepare_options_default();
        options.kind = SP_KIND_SCORES;
        options.missing_uniform = true;
        options.temperature = 2;
        options.windows = w;
        options.class_of_column = is_turned ? class_of_column : NULL;
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
    }
}

static void test_argmax_goes_by_what_was_given(void **state)
{
    (void)state;
    static const char *const classes[] = {"a", "b"};
    const double e[] = {0, -1, 0, -1}, given[] = {-1, 0, 0, -1};
    const int64_t offsets[] = {0, 2};
    const sp_batch batch = {
        {.data = e, .dtype = SP_F64, .n_classes = 2, .n_steps = 2, .given = given}, 1, offsets};
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
        assert_ok(sp_decode_batch(chain, &batch, &options, workers,
                                  &(sp_decode_output){.paths = path, .results = &result}, &err),
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_means_one_by_one),
                                       cmocka_unit_test(test_argmax_goes_by_what_was_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
