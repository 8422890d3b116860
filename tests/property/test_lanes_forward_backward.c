/* Forward-backward in lanes against the plain kernel in logs, on every instruction set that the machine has; the plain kernel
 * itself is held against enumeration in test_posterior.c. */
#include <float.h>

#include "check.h"
#include "decode/kernels/kernels.h"
#include "decode/strategies/marginals.h"
#include "random_batch.h"

enum { MOST_THREADS = 3 };

static sp_workers *workers[MOST_THREADS + 1];

static int new_workers(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST_THREADS; n++)
        if (!(workers[n] = sp_workers_new(n)))
            return 1;
    return 0;
}

static int free_workers(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST_THREADS; n++)
        sp_workers_free(workers[n]);
    return 0;
}

/* ---- samples ---- */

typedef struct sample {
    random_case c;
    int64_t *offsets;
    float *narrow; /* the scores as f32, or NULL */
    sp_batch batch;
} sample;

/* spread: scores are stretched by it. */
static sample draw_sample(uint64_t seed, const random_shape *shape, int32_t most_recordings, int32_t longest, double spread)
{
    random_source random = {seed * 77 + 1};
    sample s = {.c = random_case_new(seed, shape)};
    int64_t n = random_below(&random, most_recordings + 1);
    bool is_ragged = random_chance(&random, 0.7);
    int64_t usual = 1 + random_below(&random, longest);
    s.offsets = calloc((size_t)n + 1, sizeof *s.offsets);
    assert_non_null(s.offsets);
    for (int64_t r = 0; r < n; r++)
        s.offsets[r + 1] = s.offsets[r] + (is_ragged ? random_below(&random, longest + 1) : usual);
    random_case_draw_scores(&s.c, &random, s.offsets[n], shape);
    size_t n_values = (size_t)s.offsets[n] * (size_t)s.c.scores.n_classes;
    for (size_t i = 0; i < n_values; i++)
        s.c.data[i] *= spread;
    s.batch = (sp_batch){s.c.scores, n, s.offsets};
    if (random_chance(&random, 0.5)) {
        s.narrow = malloc(n_values * sizeof *s.narrow + 1);
        assert_non_null(s.narrow);
        for (size_t i = 0; i < n_values; i++)
            s.narrow[i] = (float)s.c.data[i];
        s.batch.scores.data = s.narrow;
        s.batch.scores.dtype = SP_F32;
    }
    return s;
}

static void free_sample(sample *s)
{
    random_case_free(&s->c);
    free(s->offsets);
    free(s->narrow);
}

/* ---- answers with confidence and log Z ---- */

typedef struct sure_answer {
    answer a;
    float *confidence;
    double *log_z;
} sure_answer;

static sure_answer decode(sp_isa isa, int n_threads, const sample *s, sp_strategy_kind strategy, bool relax)
{
    sp_error err;
    size_t n_steps = (size_t)s->batch.scores.n_steps, n = (size_t)s->batch.n_recordings;
    sure_answer x = {answer_new(&s->batch), malloc((n_steps + 1) * sizeof *x.confidence), malloc((n + 1) * sizeof *x.log_z)};
    assert_true(x.confidence && x.log_z);
    sp_decode_options options = {.strategy = {strategy, 0}, .relax = relax};
    sp_decode_output output = answer_output(&x.a);
    output.confidence = x.confidence;
    output.log_partition = x.log_z;
    assert_ok(sp_decode_batch_with(isa, s->c.chain, &s->batch, &options, workers[n_threads], &output, &err), &err);
    return x;
}

static void sure_answer_free(sure_answer *x)
{
    answer_free(&x->a);
    free(x->confidence);
    free(x->log_z);
}

static void assert_same_bytes(const sample *s, const sure_answer *a, const sure_answer *b)
{
    assert_same_answer(&s->batch, &a->a, &b->a);
    assert_memory_equal(a->confidence, b->confidence, (size_t)s->batch.scores.n_steps * sizeof *a->confidence);
    assert_memory_equal(a->log_z, b->log_z, (size_t)s->batch.n_recordings * sizeof *a->log_z);
}

/* To what rounding leaves of confidence and log Z; paths to the step. */
static void assert_close_to_plain(const sample *s, const sure_answer *plain, const sure_answer *found)
{
    assert_same_answer(&s->batch, &plain->a, &found->a);
    for (int64_t t = 0; t < s->batch.scores.n_steps; t++)
        if (!(isnan(plain->confidence[t]) && isnan(found->confidence[t])))
            assert_close(found->confidence[t], plain->confidence[t], FLT_EPSILON, 0);
    for (int64_t n = 0; n < s->batch.n_recordings; n++)
        if (plain->log_z[n] != found->log_z[n])
            assert_close(found->log_z[n], plain->log_z[n], 1e-9, 1e-13);
}

/* ---- tests ---- */

static const sp_strategy_kind strategies[] = {SP_POSTERIOR, SP_MEA, SP_POSTERIOR_VITERBI, SP_VITERBI};

static void compare(const random_shape *shape, uint64_t seed, int32_t most_recordings, int32_t longest, double spread)
{
    sample s = draw_sample(seed, shape, most_recordings, longest, spread);
    for (int i = 0; i < 4; i++) {
        bool relax = seed % 3 == 0;
        sure_answer plain = decode(SP_ISA_PLAIN, 1, &s, strategies[i], relax);
        sure_answer first = decode(SP_ISA_BASE, 1, &s, strategies[i], relax);
        assert_close_to_plain(&s, &plain, &first);
        for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
            sure_answer found = decode(isa, 1 + (int)(seed + (uint64_t)isa) % MOST_THREADS, &s, strategies[i], relax);
            assert_same_bytes(&s, &first, &found);
            sure_answer_free(&found);
        }
        sure_answer_free(&plain);
        sure_answer_free(&first);
    }
    free_sample(&s);
}

static const random_shape usual = {
    .max_classes = 6, .max_steps = 1, .max_states_per_class = 1, .max_dwell = 1, .has_weights = true, .impossible = 0.02};

static void batches_equal_plain(void **state)
{
    (void)state;
    random_shape ties = usual, gaps = usual, many = usual, impossible = usual;
    ties.has_ties = true;
    gaps.has_gaps = true;
    many.max_classes = 16;
    impossible.impossible = 0.4;
    const random_shape *shapes[] = {&usual, &ties, &gaps, &many, &impossible};
    for (uint64_t seed = 0; seed < 250; seed++)
        compare(shapes[seed % 5], seed, 1 + (int32_t)(seed % 70), seed % 7 == 0 ? 300 : 40, 1);
}

/* Scores so far apart that weights underflow: some recordings are left to the plain kernel, and no answer changes. */
static void underflow_changes_nothing(void **state)
{
    (void)state;
    static const double spreads[] = {30, 100, 300, 3000, 1e6};
    random_shape ties = usual;
    ties.has_ties = true;
    for (uint64_t seed = 0; seed < 150; seed++)
        compare(seed % 2 ? &usual : &ties, 5000 + seed, 40, 30, spreads[seed % 5]);
}

typedef struct rows {
    double *value;
    size_t n_classes;
    bool is_log;
} rows;

static void keep_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    rows *r = arg;
    memcpy(r->value + (size_t)t * r->n_classes, r->is_log ? log_marginal : marginal, r->n_classes * sizeof *marginal);
}

/* sp_forward_backward() of each recording: marginals to 1e-9, and exact zeros where there are such. */
static void check_marginals(const sample *s)
{
    sp_scratch *scratch = sp_scratch_new();
    size_t K = (size_t)s->batch.scores.n_classes;
    sp_error err;
    for (int64_t n = 0; n < s->batch.n_recordings; n++) {
        sp_scores scores = sp_batch_recording(&s->batch, n);
        size_t n_values = (size_t)scores.n_steps * K;
        double *found = malloc(n_values * sizeof *found + 1), *expected = malloc(n_values * sizeof *expected + 1), z = 1,
               plain_z = 2;
        assert_true(found && expected);
        for (size_t i = 0; i < n_values; i++)
            found[i] = -7;
        sp_marginal_sink sink = {.row = keep_row, .arg = &(rows){expected, K, false}};
        sp_status status = sp_marginal_rows(s->c.chain, &scores, scratch, &sink, &plain_z, &err);
        assert_int_equal(sp_forward_backward(s->c.chain, &scores, scratch, found, &z, &err), status);
        for (size_t i = 0; i < n_values; i++)
            if (status == SP_OK)
                assert_close(found[i], expected[i], 1e-9, 0);
            else
                assert_true(found[i] == -7);
        if (status == SP_OK)
            assert_close(z, plain_z, 1e-9, 1e-13);
        free(found);
        free(expected);
    }
    sp_scratch_free(scratch);
}

static void marginals_equal_plain(void **state)
{
    (void)state;
    random_shape many = usual;
    many.max_classes = 16;
    many.impossible = 0.1;
    for (uint64_t seed = 0; seed < 120; seed++) {
        sample s = draw_sample(9000 + seed, seed % 2 ? &usual : &many, 12, 60, seed % 3 ? 1 : 40);
        check_marginals(&s);
        free_sample(&s);
    }
}

/* The scores that mea and posterior-viterbi are traced over: multiples of 2^-40 next to the marginals and their exact logs, and
 * -INFINITY where those are (mea: where the score is). What the lanes cannot know so well they leave. Returns how many
 * recordings they did not. */
static int check_scores(const sample *s, sp_sum_use use)
{
    sp_scratch *scratch = sp_scratch_new();
    size_t K = (size_t)s->batch.scores.n_classes;
    int done = 0;
    for (int64_t n = 0; n < s->batch.n_recordings; n++) {
        sp_scores scores = sp_batch_recording(&s->batch, n);
        size_t n_values = (size_t)scores.n_steps * K;
        double *found = malloc(n_values * sizeof *found + 1), *expected = malloc(n_values * sizeof *expected + 1);
        assert_true(found && expected);
        sp_sum_group group = {.use = use, .values = {found}};
        sp_marginal_sink sink = {
            .row = keep_row, .arg = &(rows){expected, K, use == SP_SUM_PRODUCT}, .wants_log = use == SP_SUM_PRODUCT};
        if (sp_sum_recording(s->c.chain, &scores, scratch, &group) == SP_OK) {
            sp_error err;
            assert_ok(sp_marginal_rows(s->c.chain, &scores, scratch, &sink, NULL, &err), &err);
            done++;
            for (size_t i = 0; i < n_values; i++) {
                if (use == SP_SUM_MEA && sp_scores_at(&scores, (int64_t)(i / K), (int32_t)(i % K)) == -INFINITY)
                    expected[i] = -INFINITY;
                assert_int_equal(found[i] == -INFINITY, expected[i] == -INFINITY);
                if (found[i] > -INFINITY) {
                    assert_close(found[i], expected[i], 0x1p-40, 0);
                    assert_true(found[i] == sp_marginal_rounded(found[i]));
                }
            }
        }
        free(found);
        free(expected);
    }
    sp_scratch_free(scratch);
    return done;
}

static void scores_of_marginals(void **state)
{
    (void)state;
    static const double spreads[] = {1, 1, 20, 60, 200};
    int done[2] = {0, 0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        sample s = draw_sample(15000 + seed, &usual, 20, 30, spreads[seed % 5]);
        done[0] += check_scores(&s, SP_SUM_MEA);
        done[1] += check_scores(&s, SP_SUM_PRODUCT);
        free_sample(&s);
    }
    assert_true(done[0] > 500 && done[1] > 500);
}

/* Recordings too long to be kept whole (16 MB of rows): blocks that are made again give what one block gives. */
static void long_recordings_in_blocks(void **state)
{
    (void)state;
    random_shape many = usual;
    many.max_classes = 16;
    int done = 0;
    for (uint64_t seed = 0; done < 2; seed++) {
        sample s = draw_sample(12000 + seed, &many, 0, 1, 1);
        if (s.batch.scores.n_classes < 13) { /* four blocks */
            free_sample(&s);
            continue;
        }
        done++;
        random_source random = {seed};
        random_case_draw_scores(&s.c, &random, 61003, &many);
        int64_t offsets[] = {0, 1001, 60000, 61003};
        free(s.narrow);
        s.narrow = NULL;
        s.batch = (sp_batch){s.c.scores, 3, offsets};
        check_marginals(&s);
        sure_answer plain = decode(SP_ISA_PLAIN, 1, &s, SP_POSTERIOR, false);
        sure_answer found = decode(sp_isa_best(), 2, &s, SP_POSTERIOR, false);
        assert_close_to_plain(&s, &plain, &found);
        sure_answer_free(&plain);
        sure_answer_free(&found);
        free_sample(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_equal_plain),       cmocka_unit_test(underflow_changes_nothing),
        cmocka_unit_test(marginals_equal_plain),     cmocka_unit_test(scores_of_marginals),
        cmocka_unit_test(long_recordings_in_blocks),
    };
    return cmocka_run_group_tests(tests, new_workers, free_workers);
}
