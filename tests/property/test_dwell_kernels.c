/* Minimum dwells in lanes against the plain kernel with its history ranks, byte for byte, on every instruction set that the
 * machine has: random models, most of them full of ties. */
#include "check.h"
#include "decode/kernels/kernels.h"
#include "random_batch.h"

static sp_workers *workers[3]; /* [n_threads] */

static int new_workers(void **state)
{
    (void)state;
    for (int n = 1; n < 3; n++)
        if (!(workers[n] = sp_workers_new(n)))
            return 1;
    return 0;
}

static int free_workers(void **state)
{
    (void)state;
    for (int n = 1; n < 3; n++)
        sp_workers_free(workers[n]);
    return 0;
}

static answer decode_with(sp_isa isa, int n_threads, const sp_chain *chain, const sp_batch *batch,
                          const sp_decode_options *options)
{
    sp_error err;
    answer a = answer_new(batch);
    sp_decode_output output = answer_output(&a);
    assert_ok(sp_decode_batch_with(isa, chain, batch, options, workers[n_threads], &output, &err), &err);
    return a;
}

/* What one comparison saw. */
typedef struct tally {
    int64_t n_fast, n_decoded, n_stuck;
} tally;

static bool has_lanes(const sp_chain *chain)
{
    sp_dwell_rules rules;
    return sp_dwell_rules_init(&rules, chain);
}

static void compare(const sp_chain *chain, const sp_batch *batch, uint64_t seed, tally *seen)
{
    sp_decode_options options = sp_decode_options_default();
    options.relax = seed % 4 == 0;
    answer expected = decode_with(SP_ISA_PLAIN, 1, chain, batch, &options);
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
        answer found = decode_with(isa, 1 + (int)(seed + isa) % 2, chain, batch, &options);
        assert_same_answer(batch, &expected, &found);
        answer_free(&found);
    }
    seen->n_fast += has_lanes(chain);
    for (int64_t n = 0; n < batch->n_recordings; n++)
        if (batch->offsets[n] < batch->offsets[n + 1])
            *(expected.results[n].status == SP_OK ? &seen->n_decoded : &seen->n_stuck) += 1;
    answer_free(&expected);
}

/* Recordings of 0 .. longest steps of one random model, f64 or f32. */
static void compare_random(uint64_t seed, const random_shape *shape, int32_t most_recordings, int32_t longest, tally *seen)
{
    random_source random = {seed + 1};
    random_case c = random_case_new(seed, shape);
    int64_t offsets[200], n = random_below(&random, most_recordings + 1), usual = random_below(&random, longest + 1);
    bool is_ragged = random_chance(&random, 0.7);
    assert_true(most_recordings < 200);
    offsets[0] = 0;
    for (int64_t r = 0; r < n; r++)
        offsets[r + 1] = offsets[r] + (is_ragged ? random_below(&random, longest + 1) : usual);
    random_case_draw_scores(&c, &random, offsets[n], shape);
    sp_batch batch = {c.scores, n, offsets};
    size_t n_values = (size_t)offsets[n] * (size_t)c.scores.n_classes;
    float *narrow = malloc(n_values * sizeof *narrow + 1); /* no room behind the last row: reading past it is found out */
    assert_non_null(narrow);
    for (size_t i = 0; i < n_values; i++)
        narrow[i] = (float)c.data[i];
    if (seed % 2) {
        batch.scores.data = narrow;
        batch.scores.dtype = SP_F32;
    }
    compare(c.chain, &batch, seed, seen);
    free(narrow);
    random_case_free(&c);
}

static void dwells_equal_plain(void **state)
{
    (void)state;
    static const struct {
        random_shape shape;
        int32_t most_recordings, longest;
        int n_cases;
    } kinds[] = {
        {{5, 1, 1, 4, true, false, false, 0}, 40, 40, 500},    {{5, 1, 1, 4, true, true, false, 0.05}, 40, 40, 400},
        {{4, 1, 1, 2, true, false, false, 0.1}, 70, 25, 400},  {{8, 1, 1, 3, true, true, true, 0.02}, 40, 30, 300},
        {{12, 1, 1, 9, true, false, false, 0}, 20, 60, 150},   {{12, 1, 1, 10, true, true, false, 0.01}, 20, 60, 150},
        {{5, 1, 1, 6, false, true, false, 0.02}, 40, 60, 150}, {{2, 1, 1, 64, true, false, false, 0}, 20, 300, 60},
        {{3, 1, 1, 16, true, true, false, 0}, 34, 200, 100},   {{2, 1, 1, 3, true, false, false, 0}, 120, 12, 400},
        {{6, 1, 1, 5, true, false, true, 0.3}, 40, 12, 300},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        tally seen = {0};
        for (int c = 0; c < kinds[i].n_cases; c++)
            compare_random(700000 + 1000 * i + (uint64_t)c, &kinds[i].shape, kinds[i].most_recordings, kinds[i].longest, &seen);
        assert_true(seen.n_fast > kinds[i].n_cases / 4);
        assert_true(seen.n_decoded > kinds[i].n_cases);
        assert_true(seen.n_stuck > 0 || kinds[i].shape.impossible == 0);
    }
}

/* Several states per class, with and without dwells, in any mixture. */
static void several_states_equal_plain(void **state)
{
    (void)state;
    static const random_shape shapes[] = {{4, 1, 3, 1, true, true, false, 0.02},
                                          {6, 1, 2, 1, true, false, true, 0.02},
                                          {4, 1, 2, 3, true, true, false, 0},
                                          {5, 1, 3, 1, false, true, false, 0.05}};
    tally seen = {0};
    for (uint64_t seed = 0; seed < 800; seed++)
        compare_random(800000 + seed, &shapes[seed % 4], 30, 30, &seen);
    assert_true(seen.n_decoded > 800 && seen.n_stuck > 0);
}

/* What the kernel must refuse: more classes, longer dwells, more states than it has room for. */
static void only_what_fits(void **state)
{
    (void)state;
    static const struct {
        int32_t n_classes, dwell;
        bool fits;
    } cases[] = {{12, 2, true}, {13, 2, false}, {2, 64, true}, {1, 64, true}, {1, 65, false}, {3, 43, false}, {4, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"};
        int32_t n = cases[i].n_classes;
        uint8_t allow[13 * 13];
        sp_chain *chain = NULL;
        sp_error err;
        memset(allow, 1, sizeof allow);
        sp_model *model = sp_model_new("dwell", n, names);
        assert_non_null(model);
        assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
        model->min_dwell = malloc((size_t)n * sizeof *model->min_dwell);
        assert_non_null(model->min_dwell);
        for (int32_t s = 0; s < n; s++)
            model->min_dwell[s] = cases[i].dwell;
        assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
        assert_int_equal(has_lanes(chain), cases[i].fits);
        sp_chain_free(chain);
        sp_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dwells_equal_plain),
        cmocka_unit_test(several_states_equal_plain),
        cmocka_unit_test(only_what_fits),
    };
    return cmocka_run_group_tests(tests, new_workers, free_workers);
}
