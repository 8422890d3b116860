/* Chains in which several states emit one class (minimum dwells, memories, left-to-right ones) against the plain kernel with its history
 * ranks, byte for byte, on every instruction set that the machine has: random models, most of them full of ties. */
#include "check.h"
#include "random_batch.h"
#include "statepath/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    static const sp_strategy_kind strategies[] = {SP_GREEDY, SP_ARGMAX, SP_VITERBI};
    sp_decode_options options = sp_decode_options_default();
    answer expected;
    options.relax = seed % 4 == 0;
    for (int i = 0; i < 3; i++) {
        options.strategy.kind = strategies[i];
        expected = answer_plain(c->chain, batch, &options);
        for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
            answer found = answer_by(isa, workers[1 + (int)(seed + isa) % 2], c->chain, batch, &options);
            assert_same_answer(batch, &expected, &found);
            answer_free(&found);
        }
        if (i < 2)
            answer_free(&expected);
    }
    seen->n_fast += has_lanes(c->model);
    for (int64_t n = 0; n < batch->n_recordings; n++)
        if (batch->offsets[n] < batch->offsets[n + 1])
            *(expected.results[n].status == SP_OK ? &seen->n_decoded : &seen->n_stuck) += 1;
    answer_free(&expected);
}

/* Recordings of 0 .. longest steps of one random model, f64 or f32. */
static void compare_random(uint64_t seed, const random_shape *shape, int32_t most_recordings, int32_t longest,
                           tally *seen)
{
    random_source random = {seed + 1};
    random_case c = random_case_new(seed, shape);
    int64_t offsets[200], n = random_below(&random, most_recordings + 1),
                          usual = random_below(&random, longest + 1);
    bool is_ragged = random_chance(&random, 0.7);
    assert_true(most_recordings < 200);
    offsets[0] = 0;
    for (int64_t r = 0; r < n; r++)
        offsets[r + 1] = offsets[r] + (is_ragged ? random_below(&random, longest + 1) : usual);
    random_case_draw_scores(&c, &random, offsets[n], shape);
    sp_batch batch = {c.scores, n, offsets};
    size_t n_values = (size_t)offsets[n] * (size_t)c.scores.n_classes;
    float *narrow =
        malloc(n_values * sizeof *narrow + 1); /* no room behind the last row: reading past it is found out */
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
        {{5, 1, 1, 4, true, false, false, 0}, 40, 40, 500},
        {{5, 1, 1, 4, true, true, false, 0.05}, 40, 40, 400},
        {{4, 1, 1, 2, true, false, false, 0.1}, 70, 25, 400},
        {{8, 1, 1, 3, true, true, true, 0.02}, 40, 30, 300},
        {{12, 1, 1, 9, true, false, false, 0}, 20, 60, 150},
        {{12, 1, 1, 10, true, true, false, 0.01}, 20, 60, 150},
        {{5, 1, 1, 6, false, true, false, 0.02}, 40, 60, 150},
        {{2, 1, 1, 64, true, false, false, 0}, 20, 300, 60},
        {{3, 1, 1, 16, true, true, false, 0}, 34, 200, 100},
        {{2, 1, 1, 3, true, false, false, 0}, 120, 12, 400},
        {{6, 1, 1, 5, true, false, true, 0.3}, 40, 12, 300},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        tally seen = {0};
        for (int c = 0; c < kinds[i].n_cases; c++)
            compare_random(700000 + 1000 * i + (uint64_t)c, &kinds[i].shape, kinds[i].most_recordings,
                           kinds[i].longest, &seen);
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

/* More states than lanes take: dense and sparse. */
static void many_states_equal_plain(void **state)
{
    (void)state;
    static const random_shape shapes[] = {{9, 1, 6, 1, true, true, false, 0.02},
                                          {30, 1, 3, 1, true, false, true, 0.02},
                                          {12, 1, 4, 3, true, true, false, 0},
                                          {20, 1, 5, 1, false, true, false, 0.05}};
    tally seen = {0};
    for (uint64_t seed = 0; seed < 400; seed++)
        compare_random(810000 + seed, &shapes[seed % 4], 12, 80, &seen);
    assert_true(seen.n_decoded > 400 && seen.n_stuck > 0);
}

/* Numbered along the chain or not; the classes come back or do not. */
static sp_model *left_to_right(random_source *random, int32_t n_classes, int32_t n_states, bool has_weights)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    sp_error err;
    const size_t M = (size_t)n_states;
    sp_model *model = sp_model_new("line", n_classes, names);
    uint8_t *allow = calloc(M * M, 1);
    double *weight = calloc(M * M, sizeof *weight);
    int32_t number[64];
    assert_true(model && allow && weight && n_states <= 64);
    model->n_states = n_states;
    model->states = calloc(M, sizeof *model->states);
    model->state_class = calloc(M, sizeof *model->state_class);
    model->start = calloc(M, sizeof *model->start);
    assert_true(model->states && model->state_class && model->start);
    const bool is_shuffled = random_chance(random, 0.5), comes_back = random_chance(random, 0.5);
    for (int32_t s = 0; s < n_states; s++)
        number[s] = s;
    for (int32_t s = n_states - 1; s > 0 && is_shuffled; s--) {
        const int32_t other = random_below(random, s + 1), kept = number[s];
        number[s] = number[other];
        number[other] = kept;
    }
    for (int32_t s = 0; s < n_states; s++) {
        char name[8];
        snprintf(name, sizeof name, "s%d", (int)number[s]);
        model->states[number[s]] = strdup(name);
        model->state_class[number[s]] =
            comes_back ? random_below(random, n_classes) : s * n_classes / n_states;
        model->start[number[s]] = s < 2 ? -0.25 * random_below(random, 3) : -INFINITY;
        for (int32_t d = 0; d < 3 && s + d < n_states; d++) {
            const size_t edge = (size_t)number[s] * M + (size_t)number[s + d];
            allow[edge] = d == 1 || random_chance(random, 0.6);
            weight[edge] = -0.25 * random_below(random, 4);
        }
    }
    assert_int_equal(sp_model_set_matrix(model, allow, has_weights ? weight : NULL, &err), SP_OK);
    free(allow);
    free(weight);
    return model;
}

static void left_to_right_equals_plain(void **state)
{
    (void)state;
    tally seen = {0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        random_source random = {820000 + seed};
        const random_shape shape = {
            6, 1, 1, 1, seed % 3 != 0, seed % 2 != 0, false, seed % 5 == 0 ? 0.02 : 0};
        random_case c = {.seed = seed};
        sp_error err;
        const int32_t K = 1 + random_below(&random, 6);
        int64_t offsets[4] = {0};
        c.model = left_to_right(&random, K, 17 + random_below(&random, 48), shape.has_weights);
        const sp_chain_options options = sp_chain_options_default();
        assert_int_equal(sp_chain_new(c.model, &options, &c.chain, &err), SP_OK);
        for (int r = 0; r < 3; r++)
            offsets[r + 1] = offsets[r] + random_below(&random, 150);
        c.scores.n_classes = K;
        random_case_draw_scores(&c, &random, offsets[3], &shape);
        const sp_batch batch = {c.scores, 3, offsets};
        compare(&c, &batch, seed, &seen);
        random_case_free(&c);
    }
    assert_true(seen.n_decoded > 300 && seen.n_stuck > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dwells_equal_plain),
        cmocka_unit_test(several_states_equal_plain),
        cmocka_unit_test(many_states_equal_plain),
        cmocka_unit_test(left_to_right_equals_plain),
    };
    return cmocka_run_group_tests(tests, new_workers, free_workers);
}
