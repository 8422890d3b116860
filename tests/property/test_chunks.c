/* Long recordings in chunks against the plain kernel: path and score byte for byte, on every instruction set that the machine
 * has, and chunks that are done again only where they must be. */
#include "check.h"
#include "random_model.h"
#include "statepath/decode.h"

/* Nobody chooses the length of chunks, nor learns which of them were done again. */
#include "decode/kernels/chunks/chunks.h"
#include "decode/kernels/isa_kernels.h"
#include "decode/kernels/kernels.h"

/* What may come up. */
typedef struct kind {
    int32_t n_classes;
    double allowed; /* share of transitions */
    bool has_weights;
    double grid;       /* scores and weights are multiples of it; 0: of nothing */
    double shift;      /* is added to them */
    double impossible; /* share of -INFINITY scores */
    double sure;       /* share of steps whose score is near 0 for one class and low for the others */
} kind;

typedef struct sample {
    sp_chain *chain;
    sp_lane_rules rules;
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
    char text[SP_LANES_MOST_CLASSES][16];
    const char *names[SP_LANES_MOST_CLASSES];
    uint8_t allow[SP_LANES_MOST_CLASSES * SP_LANES_MOST_CLASSES];
    double weight[SP_LANES_MOST_CLASSES * SP_LANES_MOST_CLASSES];
    sp_chain *chain = NULL;
    sp_error err;
    for (int32_t c = 0; c < k->n_classes; c++) {
        snprintf(text[c], sizeof text[c], "c%d", (int)c);
        names[c] = text[c];
    }
    for (int32_t p = 0; p < k->n_classes * k->n_classes; p++) {
        allow[p] = random_chance(random, k->allowed) || p % (k->n_classes + 1) == 0;
        weight[p] = draw_value(random, k);
    }
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
    assert_true(s.data && s.expected && sp_lane_rules_init(&s.rules, s.chain));
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

/* How many chunks there were, and how many of them were done again, with the best instruction set. */
typedef struct counts {
    int64_t n_chunks, n_redone, n_half;
} counts;

static counts compare(const sample *s)
{
    counts n = {0};
    size_t n_steps = (size_t)s->scores.n_steps;
    int32_t *path = malloc(n_steps * sizeof *path);
    assert_non_null(path);
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
        sp_workers *workers = sp_workers_new(1 + isa % 3);
        double score, after[SP_LANES_MOST_CLASSES];
        assert_non_null(workers);
        memset(path, 0x55, n_steps * sizeof *path);
        assert_int_equal(sp_chunks_viterbi(isa, &s->rules, &s->scores, workers, path, &score), s->status);
        if (s->status == SP_OK) {
            assert_memory_equal(path, s->expected, n_steps * sizeof *path);
            assert_memory_equal(&score, &s->score, sizeof score);
        }
        sp_chunked c = {.isa = isa, .rules = &s->rules, .scores = &s->scores};
        assert_int_equal(sp_chunks_forward(&c, workers, after), SP_OK);
        n = (counts){.n_chunks = c.n_chunks};
        for (int64_t i = 0; i < c.n_chunks; i++) {
            n.n_redone += c.n_redone[i] > 0;
            n.n_half += c.has_half[i];
        }
        sp_workers_free(workers);
    }
    free(path);
    return n;
}

static counts compare_kind(const kind *k, uint64_t first_seed, int n_cases, int64_t n_steps)
{
    counts sum = {0};
    for (int i = 0; i < n_cases; i++) {
        sample s = draw_sample(first_seed + (uint64_t)i, k, n_steps - 37 * i, i % 2 ? SP_F64 : SP_F32);
        counts n = compare(&s);
        sum.n_chunks += n.n_chunks;
        sum.n_redone += n.n_redone;
        sum.n_half += n.n_half;
        free_sample(&s);
    }
    return sum;
}

enum { STEPS = 40000 };

static void most_chunks_are_accepted(void **state)
{
    (void)state;
    static const kind kinds[] = {
        {5, 0.6, false, 0, 0, 0, 0}, {5, 0.6, true, 0, 0, 0, 0},
        {8, 0.5, true, 0, 0, 0, 0},  {16, 0.4, true, 0, 0, 0.1, 0},
        {2, 1, false, 0, 0, 0, 0},   {5, 0.8, false, 0, 1.5, 0, 0}, /* of both signs */
        {6, 0.8, true, 0, 5, 0, 0},  {5, 0.8, false, 0, 0, 0.05, 0.5}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        counts n = compare_kind(&kinds[i], 810000 + 100 * i, 4, STEPS);
        assert_true(n.n_chunks > 0);
        assert_true(n.n_redone < n.n_chunks / 2);
    }
}

/* Sums that are exact, so that ties are many. */
static void ties_fall_as_in_the_plain_kernel(void **state)
{
    (void)state;
    static const kind kinds[] = {
        {5, 0.6, false, 0.25, 0, 0, 0}, {7, 0.5, true, 1, 0, 0, 0}, {12, 0.4, true, 0.5, 0, 0.1, 0}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        compare_kind(&kinds[i], 820000 + 100 * i, 4, STEPS);
}

/* Scores of which many lie half way between two multiples of delta's last bit: of 2^-38 or so here. */
static void halves_are_rounded_as_in_the_plain_kernel(void **state)
{
    (void)state;
    int64_t n_half = 0;
    for (int bits = 36; bits < 42; bits++) {
        kind k = {4, 0.7, bits % 2 == 0, ldexp(1, -bits), 0, 0, 0.2};
        n_half += compare_kind(&k, 830000 + 100 * (uint64_t)bits, 2, STEPS).n_half;
    }
    assert_true(n_half > 20);
}

/* The same of a weight, of a transition that few steps take: sums are not all even soon after it. */
/* The weights of the predecessor lists into the successor lists. */
static void copy_weights(sp_chain *c)
{
    for (int32_t i = 0; i < c->n_states; i++)
        for (int64_t s = c->succ_row[i]; s < c->succ_row[i + 1]; s++)
            for (int64_t p = c->pred_row[c->succ[s]]; p < c->pred_row[c->succ[s] + 1]; p++)
                if (c->pred[p] == i)
                    c->succ_weight[s] = c->pred_weight[p];
}

static void half_weights_are_rounded_as_in_the_plain_kernel(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 8; i++) {
        random_source random = {835000 + i};
        sample s = draw_sample(836000 + i, &(kind){4, 1, true, 0, 0, 0, 0}, STEPS, SP_F64);
        for (int64_t p = 0; p < s.chain->pred_row[4]; p++)
            s.chain->pred_weight[p] = -0.1 - 0.3 * random_unit(&random);
        /* The sum stands between -2^17 and -2^16 for the most part: its last bit is worth 2^-36. */
        s.chain->pred_weight[1] = -ldexp(floor(ldexp(0.45, 36)) + 0.5, -36);
        copy_weights(s.chain);
        assert_true(sp_lane_rules_init(&s.rules, s.chain));
        double *x = s.data;
        for (int64_t t = 0; t < 4 * STEPS; t++)
            x[t] = -2 - random_unit(&random) / 3;
        decode_plainly(&s);
        counts n = compare(&s);
        assert_true(n.n_half < n.n_chunks / 2);
        free_sample(&s);
    }
}

/* Near certain scores have bits far below the last of the sum, and ties that only its rounding makes. */
static void ties_of_rounding_fall_as_in_the_plain_kernel(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 6; i++) {
        sample s = draw_sample(840000 + i, &(kind){3, 1, false, 0, 0, 0, 0.98}, STEPS, SP_F32);
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
    counts n = compare_kind(&(kind){4, 0, true, 0, 0, 0, 0}, 850000, 3, STEPS);
    assert_true(n.n_redone == n.n_chunks);
}

/* The sum stands still, jumps, changes its sign, grows ever faster, or is lost half way. */
static void any_growth(void **state)
{
    (void)state;
    for (int way = 0; way < 6; way++) {
        sample s = draw_sample(860000 + (uint64_t)way, &(kind){4, 0.8, way % 2, 0, 0, 0, 0}, STEPS, SP_F64);
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

/* Pieces go on from any delta; here at first fast and then by halves of last bits, so that guesses of where delta stands are
 * wrong. */
static void pieces_go_on_from_any_delta(void **state)
{
    (void)state;
    enum { K = 4 };
    for (uint64_t i = 0; i < 24; i++) {
        random_source random = {890000 + i};
        sample s = draw_sample(891000 + i, &(kind){K, 0.8, false, 0, 0, 0, 0}, STEPS / 2, SP_F64);
        double *x = s.data, before[K], expected[K], next[K], after[SP_LANES_MOST_CLASSES],
               fall = 0.4 + 0.01 * (double)i;
        for (int64_t t = 0; t < s.scores.n_steps; t++)
            for (int j = 0; j < K; j++)
                x[K * t + j] = t < 1024 ? -fall - 0.1 * random_unit(&random)
                                        : -0x1p-44 * (random_below(&random, 1 << 18) +
                                                      (random_chance(&random, 0.02) ? 0.25 : 0));
        for (int j = 0; j < K; j++)
            before[j] = expected[j] = 350 - 20 * random_unit(&random);
        for (int64_t t = 0; t < s.scores.n_steps; t++) {
            for (int j = 0; j < K; j++) {
                double best = -INFINITY;
                for (int64_t p = s.chain->pred_row[j]; p < s.chain->pred_row[j + 1]; p++)
                    best = fmax(best, expected[s.chain->pred[p]] + s.chain->pred_weight[p]);
                next[j] = best + x[K * t + j];
            }
            memcpy(expected, next, sizeof expected);
        }
        for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
            sp_workers *workers = sp_workers_new(2);
            sp_chunked c = {.isa = isa, .rules = &s.rules, .scores = &s.scores, .before = before};
            assert_non_null(workers);
            assert_int_equal(sp_chunks_forward(&c, workers, after), SP_OK);
            assert_memory_equal(after, expected, sizeof expected);
            sp_workers_free(workers);
        }
        free_sample(&s);
    }
}

static void short_ones(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 12000; n = n * 3 + 1) {
        sample s = draw_sample(870000 + (uint64_t)n, &(kind){5, 0.6, true, 0, 0, 0, 0}, n, SP_F32);
        compare(&s);
        free_sample(&s);
    }
}

/* The look at a chunk's scores against one by one. */
static void scores_are_looked_at(void **state)
{
    (void)state;
    int n_found = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        random_source random = {880000 + seed};
        float x[70];
        double y[70], bit = ldexp(1, -30 - (int)(seed % 12)), most = -INFINITY;
        int n = 1 + random_below(&random, 70);
        bool has_half = false;
        for (int i = 0; i < n; i++) {
            x[i] = (float)(-bit * random_below(&random, 1 << 12)); /* whole */
            if (random_chance(&random, 0.3))
                x[i] = random_chance(&random, 0.5) ? -INFINITY : -1.5F;
            if (random_chance(&random, 0.005))
                x[i] = (float)(-bit * (random_below(&random, 1 << 12) + (seed % 3 ? 0.5 : 0.25)));
            y[i] = x[i];
            most = y[i] > most ? y[i] : most;
            has_half |=
                y[i] > -INFINITY && fmod(y[i] / bit * 2, 2) != 0 && y[i] / bit * 2 == rint(y[i] / bit * 2);
        }
        n_found += has_half;
        for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
            bool found;
            assert_true(sp_isa_kernels_of(isa)->look(SP_F32, x, n, bit, &found) == most);
            assert_int_equal(found, has_half);
            assert_true(sp_isa_kernels_of(isa)->look(SP_F64, y, n, bit, &found) == most);
            assert_int_equal(found, has_half);
        }
    }
    assert_true(n_found > 50 && n_found < 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_chunks_are_accepted),
        cmocka_unit_test(ties_fall_as_in_the_plain_kernel),
        cmocka_unit_test(halves_are_rounded_as_in_the_plain_kernel),
        cmocka_unit_test(half_weights_are_rounded_as_in_the_plain_kernel),
        cmocka_unit_test(ties_of_rounding_fall_as_in_the_plain_kernel),
        cmocka_unit_test(chunks_that_never_meet_are_done_again),
        cmocka_unit_test(any_growth),
        cmocka_unit_test(pieces_go_on_from_any_delta),
        cmocka_unit_test(short_ones),
        cmocka_unit_test(scores_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
