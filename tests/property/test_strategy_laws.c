/* What must hold for every strategy, whatever it chooses. */
#include "check.h"
#include "decode_one.h"
#include "random_model.h"
#include "statepath/advanced.h"

enum { MOST_STEPS = 50, MOST_CLASSES = 6, N_BEST = 4 };

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {MOST_CLASSES, MOST_STEPS, 1, 1, NO, WEIGHTS, GAPS, 0.1},
    {MOST_CLASSES, MOST_STEPS, 1, 4, NO, WEIGHTS, GAPS, 0.02},
    {MOST_CLASSES, MOST_STEPS, 3, 2, NO, WEIGHTS, GAPS, 0.02},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 150 };

/* Everything that can be decoded from one recording: every strategy, and those with a parameter by several values. The first ones
 * are those of the constants. */
enum { MOST_STRATEGIES = 64 };
static sp_strategy strategies[MOST_STRATEGIES];
static int n_strategies;

static int list_strategies(void **state)
{
    (void)state;
    for (int kind = 0; kind < sp_strategy_count(); kind++)
        strategies[n_strategies++] = (sp_strategy){kind, sp_strategy_about(kind)->sample};
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const sp_strategy_info *about = sp_strategy_about(kind);
        const int32_t more[] = {about->least, about->least + 1, about->sample + 3};
        for (size_t i = 0; about->parameter && i < sizeof more / sizeof *more; i++)
            strategies[n_strategies++] = (sp_strategy){kind, more[i]};
    }
    return n_strategies <= MOST_STRATEGIES ? 0 : 1;
}

typedef struct decoded {
    int32_t paths[MOST_STRATEGIES][MOST_STEPS];
    sp_decoded results[MOST_STRATEGIES];
    int32_t best_paths[N_BEST * MOST_STEPS];
    double best_scores[N_BEST], log_partition, margin[MOST_STRATEGIES];
    float confidence[MOST_STRATEGIES][MOST_STEPS];
    int32_t n_found;
} decoded;

static void decode_all(const sp_chain *chain, const sp_scores *scores, decoded *out)
{
    sp_workers *workers = sp_workers_new(1);
    int64_t offsets[2] = {0, scores->n_steps};
    sp_batch batch = {*scores, 1, offsets};
    for (int i = 0; i < n_strategies; i++) {
        sp_decode_options options = {.strategy = strategies[i]};
        sp_decode_output output = {.paths = out->paths[i],
                                   .results = &out->results[i],
                                   .confidence = out->confidence[i],
                                   .log_partition = &out->log_partition,
                                   .margins = &out->margin[i],
                                   .n_best = i == 0 ? N_BEST : 0,
                                   .best_paths = out->best_paths,
                                   .best_scores = out->best_scores,
                                   .n_best_found = &out->n_found};
        sp_error err;
        assert_ok(sp_decode_batch(chain, &batch, &options, workers, &output, &err), &err);
    }
    sp_workers_free(workers);
}

static void assert_near(double a, double b)
{
    if (isnan(a) || isnan(b))
        assert_true(isnan(a) && isnan(b));
    else
        assert_close(a, b, 1e-7, 0);
}

/* The answers agree, classes of `b` renamed by class_of[], scores of b higher by `sum`. */
static void assert_same_answers(uint64_t seed, int64_t n_steps, const decoded *a, const decoded *b,
                                const int32_t *class_of, double sum)
{
    for (int i = 0; i < n_strategies; i++) {
        assert_int_equal(a->results[i].status, b->results[i].status);
        assert_int_equal(a->results[i].step, b->results[i].step);
        assert_near(a->results[i].score + sum, b->results[i].score);
        assert_near(a->margin[i], b->margin[i]);
        for (int64_t t = 0; t < n_steps; t++) {
            int32_t k = b->paths[i][t];
            if (a->paths[i][t] != (k < 0 ? -1 : class_of[k]))
                fail_msg("seed %llu, strategy %d: step %lld", (unsigned long long)seed, i, (long long)t);
            assert_near(a->confidence[i][t], b->confidence[i][t]);
        }
    }
    assert_near(a->log_partition + sum, b->log_partition);
    assert_int_equal(a->n_found, b->n_found);
    for (int32_t r = 0; r < a->n_found; r++) {
        assert_near(a->best_scores[r] + sum, b->best_scores[r]);
        for (int64_t t = 0; t < n_steps; t++)
            assert_int_equal(a->best_paths[r * n_steps + t], class_of[b->best_paths[r * n_steps + t]]);
    }
}

/* Score columns in another order give the same paths in other numbers. The scores are drawn so that there are no
 * ties. */
static void test_relabelling(void **state)
{
    (void)state;
    int n_paths = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        random_source random = {seed};
        int32_t n_classes = c.scores.n_classes, class_of[MOST_CLASSES], model_class[MOST_CLASSES];
        int64_t n_steps = c.scores.n_steps;
        for (int32_t k = 0; k < n_classes; k++)
            class_of[k] = k;
        for (int32_t k = n_classes - 1; k > 0; k--) {
            int32_t other = random_below(&random, k + 1), swap = class_of[k];
            class_of[k] = class_of[other];
            class_of[other] = swap;
        }
        double data[MOST_STEPS * MOST_CLASSES];
        for (int64_t t = 0; t < n_steps; t++)
            for (int32_t k = 0; k < n_classes; k++)
                data[t * n_classes + k] = c.data[t * n_classes + class_of[k]];
        for (int32_t k = 0; k < n_classes; k++)
            model_class[k] = c.class_of_column[class_of[k]];
        sp_chain_options options = sp_chain_options_default();
        options.class_of_column = model_class;
        sp_chain *chain;
        sp_error err;
        assert_ok(sp_chain_new(c.model, &options, &chain, &err), &err);
        sp_scores scores = c.scores;
        scores.data = data;
        decoded a, b;
        decode_all(c.chain, &c.scores, &a);
        decode_all(chain, &scores, &b);
        assert_same_answers(seed, n_steps, &a, &b, class_of, 0);
        n_paths += a.results[SP_VITERBI].status == SP_OK;
        sp_chain_free(chain);
        random_case_free(&c);
    }
    assert_true(n_paths > CASES);
}

/* A constant added to a row adds to every path alike. Whole numbers keep sums exact. */
static void test_row_constants(void **state)
{
    (void)state;
    const int32_t same[MOST_CLASSES] = {0, 1, 2, 3, 4, 5};
    int n_paths = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_shape shape = shapes[seed % N_SHAPES];
        shape.has_ties = true;
        random_case c = random_case_new(seed, &shape);
        random_source random = {seed};
        decoded a, b;
        double sum = 0;
        decode_all(c.chain, &c.scores, &a);
        for (int64_t t = 0; t < c.scores.n_steps; t++) {
            double constant = random_below(&random, 2000) - 1000;
            sum += constant;
            for (int32_t k = 0; k < c.scores.n_classes; k++)
                c.data[t * c.scores.n_classes + k] += constant;
        }
        decode_all(c.chain, &c.scores, &b);
        assert_same_answers(seed, c.scores.n_steps, &a, &b, same, sum);
        n_paths += a.results[SP_VITERBI].status == SP_OK;
        random_case_free(&c);
    }
    assert_true(n_paths > CASES);
}

/* Paths of strategies that promise it are legal; no path beats Viterbi's, and the best of the n best is it. */
static void test_order_of_strategies(void **state)
{
    (void)state;
    int n_paths = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed + 5000, &shapes[seed % N_SHAPES]);
        decoded a;
        decode_all(c.chain, &c.scores, &a);
        double best = a.results[SP_VITERBI].score;
        for (int i = 0; i < n_strategies; i++) {
            if (a.results[i].status != SP_OK)
                continue;
            assert_true(a.results[i].score <= best);
            if (sp_strategy_about(strategies[i].kind)->is_legal)
                assert_true(a.results[i].score > -INFINITY);
            if (a.results[i].score < best)
                assert_true(a.margin[i] == a.results[i].score - best);
        }
        if (a.results[SP_VITERBI].status == SP_OK) {
            assert_true(a.best_scores[0] == best && a.margin[SP_VITERBI] >= 0 &&
                        best <= a.log_partition + 1e-9);
            for (int32_t r = 1; r < a.n_found; r++)
                assert_true(a.best_scores[r] <= a.best_scores[r - 1]);
            n_paths++;
        } else {
            assert_int_equal(a.n_found, 0);
            assert_true(a.log_partition == -INFINITY);
        }
        random_case_free(&c);
    }
    assert_true(n_paths > CASES);
}

/* 1,900 classes of 30 successors each: what a sparse model costs is its transitions, and the strategies still agree. */
static void test_large_sparse_model(void **state)
{
    (void)state;
    enum { CLASSES = 1900, SUCCESSORS = 30, STEPS = 40 };
    random_source random = {7};
    const char **names = malloc(CLASSES * sizeof *names);
    char(*text)[16] = malloc(CLASSES * sizeof *text);
    for (int32_t k = 0; k < CLASSES; k++) {
        snprintf(text[k], sizeof text[k], "c%d", (int)k);
        names[k] = text[k];
    }
    sp_model *model = sp_model_new("sparse", CLASSES, names);
    free(model->to);
    model->to = malloc(CLASSES * SUCCESSORS * sizeof *model->to);
    for (int32_t i = 0; i < CLASSES; i++) {
        int32_t step = 1 + random_below(&random, CLASSES / SUCCESSORS - 1),
                first = random_below(&random, step);
        for (int32_t n = 0; n < SUCCESSORS; n++)
            model->to[i * SUCCESSORS + n] = first + n * step;
        model->row[i + 1] = (int64_t)(i + 1) * SUCCESSORS;
    }
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    double *data = malloc(STEPS * CLASSES * sizeof *data),
           *marginals = malloc(STEPS * CLASSES * sizeof *marginals), log_z;
    for (int i = 0; i < STEPS * CLASSES; i++)
        data[i] = 6 * random_unit(&random);
    sp_scores scores = {data, SP_F64, CLASSES, STEPS, NULL, NULL, NULL};
    sp_scratch *scratch = sp_scratch_new();
    int32_t best[STEPS], path[STEPS], two[2 * STEPS];
    double score, own = NAN, both[2];
    assert_ok(sp_viterbi(chain, &scores, scratch, best, &score, &err), &err);
    assert_ok(decode_beam(chain, &scores, CLASSES, scratch, path, &own, &err), &err);
    assert_memory_equal(path, best, sizeof best);
    assert_ok(decode_online(chain, &scores, STEPS, scratch, path, &own, &err), &err);
    assert_memory_equal(path, best, sizeof best);
    sp_nbest_paths out = {.paths = two, .stride = STEPS, .scores = both};
    assert_ok(sp_nbest(chain, &scores, 2, scratch, &out, &err), &err);
    assert_memory_equal(two, best, sizeof best);
    assert_true(both[0] == score && both[1] < score);
    assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, &log_z, &err), &err);
    assert_true(log_z > score);
    for (int64_t t = 0; t < STEPS; t++) {
        double sum = 0;
        for (int64_t k = 0; k < CLASSES; k++)
            sum += marginals[t * CLASSES + k];
        assert_close(sum, 1, 1e-12, 0);
    }
    assert_ok(decode_mea(chain, &scores, scratch, path, &own, &err), &err);
    assert_true(own > -INFINITY && own <= score);
    for (int32_t width = 1; width < CLASSES; width *= 8) { /* selection at the edge of the beam */
        assert_ok(decode_beam(chain, &scores, width, scratch, path, &own, &err), &err);
        assert_true(own <= score && own > -INFINITY);
    }
    sp_scratch_free(scratch);
    sp_chain_free(chain);
    sp_model_free(model);
    free(data);
    free(marginals);
    free(names);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relabelling),
        cmocka_unit_test(test_row_constants),
        cmocka_unit_test(test_order_of_strategies),
        cmocka_unit_test(test_large_sparse_model),
    };
    return cmocka_run_group_tests(tests, list_strategies, NULL);
}
