/* Recordings of more than 100,000 steps, which all threads share in chunks, against the plain kernel: path and score
 * byte for byte, on every instruction set that the machine has. */
#include "check.h"
#include "random_batch.h"
#include "random_model.h"
#include "statepath/decode.h"

enum { STEPS = 101000, MOST_CLASSES = 16 };

/* What may come up. */
typedef struct kind {
    int32_t n_classes;
    double allowed; /* share of transitions */
    bool has_weights;
    double grid;          /* scores and weights are multiples of it; 0: of nothing */
    double shift;         /* is added to them */
    double impossible;    /* share of -INFINITY scores */
    double sure;          /* share of steps whose score is near 0 for one class and low for the others */
    bool has_half_weight; /* a weight that lies half way between two multiples of a sum's last bit */
} kind;

typedef struct sample {
    sp_chain *chain;
    sp_scores scores;
    void *data;
    int32_t *expected; /* path */
    double score;
    sp_status status;
} sample;

static double draw_value(random_source *random, const kind *k)
{
    double value = -4 * random_unit(random);
    return (k->grid > 0 ? k->grid * floor(value / k->grid) : value) + k->shift;
}

static sp_chain *draw_chain(random_source *random, const kind *k)
{
    char text[MOST_CLASSES][16];
    const char *names[MOST_CLASSES];
    uint8_t allow[MOST_CLASSES * MOST_CLASSES];
    double weight[MOST_CLASSES * MOST_CLASSES];
    sp_chain *chain = NULL;
    sp_error err;
    for (int32_t c = 0; c < k->n_classes; c++) {
        snprintf(text[c], sizeof text[c], "c%d", (int)c);
        names[c] = text[c];
    }
    for (int32_t p = 0; p < k->n_classes * k->n_classes; p++) {
        allow[p] = random_chance(random, k->allowed) || p % (k->n_classes + 1) == 0;
        weight[p] = k->has_half_weight ? -0.1 - 0.3 * random_unit(random) : draw_value(random, k);
    }
    if (k->has_half_weight) /* sums stand between -2^17 and -2^16 in the end: their last bit is worth 2^-36 */
        weight[k->n_classes] = -ldexp(floor(ldexp(0.45, 36)) + 0.5, -36);
    sp_model *model = sp_model_new("random", k->n_classes, names);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, k->has_weights ? weight : NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* Again after its scores were changed. */
static void decode_plainly(sample *s)
{
    sp_scratch *scratch = sp_scratch_new();
    assert_non_null(scratch);
    s->status = sp_viterbi(s->chain, &s->scores, scratch, s->expected, &s->score, NULL);
    sp_scratch_free(scratch);
}

static sample draw_sample(uint64_t seed, const kind *k, int64_t n_steps, sp_dtype dtype)
{
    random_source random = {seed};
    sample s = {.chain = draw_chain(&random, k)};
    size_t K = (size_t)k->n_classes, n = (size_t)n_steps * K;
    s.data = malloc(n * (size_t)dtype);
    s.expected = malloc((size_t)n_steps * sizeof *s.expected);
    assert_true(s.data && s.expected);
    size_t winner = K; /* none */
    for (size_t i = 0; i < n; i++) {
        if (i % K == 0)
            winner = random_chance(&random, k->sure) ? i + (size_t)random_below(&random, k->n_classes) : n;
        double value = random_chance(&random, k->impossible) ? -INFINITY : draw_value(&random, k);
        if (winner < n)
            value = i == winner ? -0.001 * random_unit(&random) : value - 6;
        if (dtype == SP_F32)
            ((float *)s.data)[i] = (float)value;
        else
            ((double *)s.data)[i] = value;
    }
    s.scores = (sp_scores){.data = s.data, .dtype = dtype, .n_classes = k->n_classes, .n_steps = n_steps};
    decode_plainly(&s);
    return s;
}

static void free_sample(sample *s)
{
    sp_chain_free(s->chain);
    free(s->data);
    free(s->expected);
}

static void compare(const sample *s)
{
    const int64_t offsets[] = {0, s->scores.n_steps};
    const sp_batch batch = {s->scores, 1, offsets};
    const sp_decode_options viterbi = sp_decode_options_default();
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
        sp_workers *workers = sp_workers_new(1 + isa % 3);
        assert_non_null(workers);
        answer a = answer_by(isa, workers, s->chain, &batch, &viterbi);
        assert_int_equal(a.results[0].status, s->status);
        if (s->status == SP_OK) {
            assert_memory_equal(a.paths, s->expected, (size_t)s->scores.n_steps * sizeof *a.paths);
            assert_memory_equal(&a.results[0].score, &s->score, sizeof s->score);
        }
        answer_free(&a);
        sp_workers_free(workers);
    }
}

static void compare_kind(const kind *k, uint64_t first_seed, int n_cases)
{
    for (int i = 0; i < n_cases; i++) {
        sample s = draw_sample(first_seed + (uint64_t)i, k, STEPS - 37 * i, i % 2 ? SP_F64 : SP_F32);
        compare(&s);
        free_sample(&s);
    }
}

static void any_scores(void **state)
{
    (void)state;
    static const kind kinds[] = {
        {5, 0.6, false, 0, 0, 0, .sure = 0}, {5, 0.6, true, 0, 0, 0, .sure = 0},
        {8, 0.5, true, 0, 0, 0, .sure = 0},  {16, 0.4, true, 0, 0, 0.1, .sure = 0},
        {2, 1, false, 0, 0, 0, .sure = 0},   {5, 0.8, false, 0, 1.5, 0, .sure = 0}, /* of both signs */
        {6, 0.8, true, 0, 5, 0, .sure = 0},  {5, 0.8, false, 0, 0, 0.05, .sure = 0.5}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        compare_kind(&kinds[i], 810000 + 100 * i, 4);
}

/* Sums that are exact, so that ties are many. */
static void ties_fall_as_in_the_plain_kernel(void **state)
{
    (void)state;
    static const kind kinds[] = {{5, 0.6, false, 0.25, 0, 0, .sure = 0},
                                 {7, 0.5, true, 1, 0, 0, .sure = 0},
                                 {12, 0.4, true, 0.5, 0, 0.1, .sure = 0}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        compare_kind(&kinds[i], 820000 + 100 * i, 4);
}

/* Scores of which many lie half way between two multiples of delta's last bit: of 2^-38 or so here. */
static void halves_are_rounded_as_in_the_plain_kernel(void **state)
{
    (void)state;
    for (int bits = 36; bits < 42; bits++) {
        kind k = {4, 0.7, bits % 2 == 0, ldexp(1, -bits), 0, 0, .sure = 0.2};
        compare_kind(&k, 830000 + 100 * (uint64_t)bits, 2);
    }
}

/* The same of a weight, of a transition that few steps take: sums are not all even soon after it. */
static void half_weights_are_rounded_as_in_the_plain_kernel(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 8; i++) {
        random_source random = {835000 + i};
        sample s = draw_sample(836000 + i, &(kind){4, 1, true, 0, 0, 0, .sure = 0, .has_half_weight = true},
                               STEPS, SP_F64);
        double *x = s.data;
        for (int64_t t = 0; t < 4 * STEPS; t++)
            x[t] = -0.8 - random_unit(&random) / 8;
        decode_plainly(&s);
        compare(&s);
        free_sample(&s);
    }
}

/* Near certain scores have bits far below the last of the sum, and ties that only its rounding makes. */
static void ties_of_rounding_fall_as_in_the_plain_kernel(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 6; i++) {
        sample s = draw_sample(840000 + i, &(kind){3, 1, false, 0, 0, 0, .sure = 0.98}, STEPS, SP_F32);
        float *x = s.data;
        for (int64_t t = 0; t < STEPS; t++) /* two classes that differ by less than can be seen */
            x[3 * t + 1] = x[3 * t] * (1 + (float)(i % 3) * 0x1p-23F);
        x[0] = -1e6F - (float)i; /* all of it far from 0 */
        x[1] = x[2] = x[0];
        decode_plainly(&s);
        compare(&s);
        free_sample(&s);
    }
}

/* Classes that are never left: no two paths ever meet. */
static void chunks_that_never_meet_are_done_again(void **state)
{
    (void)state;
    compare_kind(&(kind){4, 0, true, 0, 0, 0, .sure = 0}, 850000, 3);
}

/* The sum stands still, jumps, changes its sign, grows ever faster, or is lost half way. */
static void any_growth(void **state)
{
    (void)state;
    for (int way = 0; way < 6; way++) {
        sample s =
            draw_sample(860000 + (uint64_t)way, &(kind){4, 0.8, way % 2, 0, 0, 0, .sure = 0}, STEPS, SP_F64);
        double *x = s.data;
        for (int64_t t = 0; t < STEPS; t++)
            for (int j = 0; j < 4; j++, x++)
                if (way == 0)
                    *x = t > 2000 ? 0 : *x;
                else if (way == 1)
                    *x -= t % 5000 == 77 ? 1e5 : 0;
                else if (way == 2)
                    *x += t < STEPS / 2 ? -1 : 4;
                else if (way == 3)
                    *x *= (double)t * 0.01;
                else if (way == 4)
                    *x = t == STEPS / 2 ? -INFINITY : *x;
                else
                    *x = t % 700 == 3 && j ? *x - 3e4 : *x;
        decode_plainly(&s);
        assert_true((s.status == SP_OK) == (way != 4));
        compare(&s);
        free_sample(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_scores),
        cmocka_unit_test(ties_fall_as_in_the_plain_kernel),
        cmocka_unit_test(halves_are_rounded_as_in_the_plain_kernel),
        cmocka_unit_test(half_weights_are_rounded_as_in_the_plain_kernel),
        cmocka_unit_test(ties_of_rounding_fall_as_in_the_plain_kernel),
        cmocka_unit_test(chunks_that_never_meet_are_done_again),
        cmocka_unit_test(any_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
