/* Minimum dwells in lanes against the plain kernel with its history ranks, byte for byte, on every instruction set that the
 * machine has: random models, most of them full of ties. */
#include "check.h"
#include "random_batch.h"
#include "statepath/decode.h"

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

/* What one comparison saw. */
typedef struct tally {
    int64_t n_fast, n_decoded, n_stuck;
} tally;

/* Has the model dwells, and few enough for the lanes of lib/decode/kernels/dwell.h? */
static bool has_lanes(const sp_model *model)
{
    enum { MOST_CLASSES = 12, MOST_DWELL = 64, MOST_STATES = 128 };
    bool has_dwell = false, fits = model->n_classes <= MOST_CLASSES && !model->states;
    int32_t n_states = 0;
    for (int32_t s = 0; s < model->n_states; s++) {
        const int32_t dwell = model->min_dwell ? model->min_dwell[s] : 1;
        has_dwell |= dwell > 1;
        fits &= dwell <= MOST_DWELL;
        n_states += dwell;
    }
    return has_dwell && fits && n_states <= MOST_STATES;
}

static void compare(const random_case *c, const sp_batch *batch, uint64_t seed, tally *seen)
{
    sp_decode_options options = sp_decode_options_default();
    options.relax = seed % 4 == 0;
    answer expected = answer_plain(c->chain, batch, &options);
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
        answer found = answer_by(isa, workers[1 + (int)(seed + isa) % 2], c->chain, batch, &options);
        assert_same_answer(batch, &expected, &found);
        answer_free(&found);
    }
    seen->n_fast += has_lanes(c->model);
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
    compare(&c, &batch, seed, seen);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dwells_equal_plain),
        cmocka_unit_test(several_states_equal_plain),
    };
    return cmocka_run_group_tests(tests, new_workers, free_workers);
}
