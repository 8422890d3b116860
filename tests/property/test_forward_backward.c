/* Forward-backward in lanes against the plain kernel in logs, on every instruction set that the machine has;
 * the plain kernel
 * itself is held against enumeration by the law of strategies. Here it goes row by row: in blocks of any
 * length, where exponentials
 * underflow, and where memory lacks, also where the lanes have written before they give up. The exp and log
 * in lanes against the C
 * library's in long double (whose own rounding is up to 0.2 ulp here). */
#include <float.h>

#include "check.h"
#include "failing_alloc.h"
#include "random_batch.h"
#include "random_model.h"
#include "statepath/advanced.h"

/* sp_isa_set() does not take the plain kernel, nobody chooses lanes or blocks, and logs of marginals are in
 * no result. */
#include "decode/kernels/kernels.h"
#include "decode/kernels/lanes/lanes.h"
#include "decode/kernels/lanes/lanes_forward_backward.h"
#include "decode/strategies/marginals.h"

#define LANE_W 2
#include "decode/kernels/lanes/lanes_vector.h"

#include "core/exp_log.h"

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
static sample draw_sample(uint64_t seed, const random_shape *shape, int32_t most_recordings, int32_t longest,
                          double spread)
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
    sure_answer x = {answer_new(&s->batch), malloc((n_steps + 1) * sizeof *x.confidence),
                     malloc((n + 1) * sizeof *x.log_z)};
    assert_true(x.confidence && x.log_z);
    sp_decode_options options = {.strategy = {strategy, 0}, .relax = relax};
    sp_decode_output output = answer_output(&x.a);
    output.confidence = x.confidence;
    output.log_partition = x.log_z;
    assert_ok(sp_decode_batch_with(isa, s->c.chain, &s->batch, &options, workers[n_threads], &output, &err),
              &err);
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
    assert_memory_equal(a->confidence, b->confidence,
                        (size_t)s->batch.scores.n_steps * sizeof *a->confidence);
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

static void compare_sample(const sample *s, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        bool relax = seed % 3 == 0;
        sure_answer plain = decode(SP_ISA_PLAIN, 1, s, strategies[i], relax);
        sure_answer first = decode(SP_ISA_BASE, 1, s, strategies[i], relax);
        assert_close_to_plain(s, &plain, &first);
        for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
            sure_answer found =
                decode(isa, 1 + (int)(seed + (uint64_t)isa) % MOST_THREADS, s, strategies[i], relax);
            assert_same_bytes(s, &first, &found);
            sure_answer_free(&found);
        }
        sure_answer_free(&plain);
        sure_answer_free(&first);
    }
}

static const random_shape usual = {.max_classes = 6,
                                   .max_steps = 1,
                                   .max_states_per_class = 1,
                                   .max_dwell = 1,
                                   .has_weights = true,
                                   .impossible = 0.02};

typedef struct rows {
    double *value;
    size_t n_classes;
    bool is_log;
} rows;

static void keep_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    rows *r = arg;
    memcpy(r->value + (size_t)t * r->n_classes, r->is_log ? log_marginal : marginal,
           r->n_classes * sizeof *marginal);
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
        double *found = malloc(n_values * sizeof *found + 1),
               *expected = malloc(n_values * sizeof *expected + 1), z = 1, plain_z = 2;
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

/* Rules with few changes, at weights: every class may stay, and goes to about one other. */
static sp_chain *draw_sparse(random_source *random, int32_t K)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    sp_model *model = sp_model_new("sparse", K, names);
    uint8_t allow[5 * 5];
    double weight[5 * 5];
    sp_error err;
    sp_chain *chain;
    for (int32_t i = 0; i < K * K; i++) {
        allow[i] = i % (K + 1) == 0 || random_chance(random, 1.0 / K);
        weight[i] = -random_unit(random);
    }
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* For dozens of steps a class falls behind, farther than a weight can be written as a double, and then it
 * wins back more: also
 * where the end of the recording falls behind in the same way, seen from behind. */
static void a_class_that_comes_back(void **state)
{
    (void)state;
    int n_extreme = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        if (is_left_out((int64_t)seed, 5))
            continue;
        random_source random = {seed + 31};
        int32_t K = 2 + random_below(&random, 4);
        enum { RECORDINGS = 20, STEPS = 200 };
        int64_t offsets[RECORDINGS + 1];
        double *data = malloc(RECORDINGS * STEPS * (size_t)K * sizeof *data), drift[5] = {0};
        assert_non_null(data);
        for (int64_t n = 0; n <= RECORDINGS; n++)
            offsets[n] = n * STEPS;
        for (int64_t t = 0; t < RECORDINGS * STEPS; t++)
            for (int32_t k = 0; k < K; k++) {
                if (t % STEPS == 0 || random_chance(&random, 0.02))
                    drift[k] = 60 * (random_unit(&random) - 0.5);
                data[t * K + k] = drift[k] + random_unit(&random);
            }
        sample s = {.c = {.chain = draw_sparse(&random, K)}};
        s.batch = (sp_batch){{data, SP_F64, K, RECORDINGS * STEPS, NULL, NULL, NULL}, RECORDINGS, offsets};
        compare_sample(&s, seed);
        check_marginals(&s);
        double ahead = 0;
        for (int64_t t = 0; t < STEPS; t++) {
            ahead += data[t * K] - data[t * K + 1];
            n_extreme += fabs(ahead) > 1000 && ahead < 0;
        }
        sp_chain_free(s.c.chain);
        free(data);
    }
    assert_true(n_extreme > 100);
}

/* The scores that mea and posterior-viterbi are traced over: multiples of 2^-40 next to the marginals and
 * their exact logs, and
 * -INFINITY where those are (mea: where the score is). What the lanes cannot know so well they leave. Returns
 * how many
 * recordings they did not. */
static int check_scores(const sample *s, sp_sum_use use)
{
    sp_scratch *scratch = sp_scratch_new();
    size_t K = (size_t)s->batch.scores.n_classes;
    int done = 0;
    for (int64_t n = 0; n < s->batch.n_recordings; n++) {
        sp_scores scores = sp_batch_recording(&s->batch, n);
        size_t n_values = (size_t)scores.n_steps * K;
        double *found = malloc(n_values * sizeof *found + 1),
               *expected = malloc(n_values * sizeof *expected + 1);
        assert_true(found && expected);
        sp_sum_group group = {.use = use, .values = {found}};
        sp_marginal_sink sink = {.row = keep_row,
                                 .arg = &(rows){expected, K, use == SP_SUM_PRODUCT},
                                 .wants_log = use == SP_SUM_PRODUCT};
        if (sp_sum_recording(s->c.chain, &scores, scratch, &group) == SP_OK) {
            sp_error err;
            assert_ok(sp_marginal_rows(s->c.chain, &scores, scratch, &sink, NULL, &err), &err);
            done++;
            for (size_t i = 0; i < n_values; i++) {
                if (use == SP_SUM_MEA &&
                    sp_scores_at(&scores, (int64_t)(i / K), (int32_t)(i % K)) == -INFINITY)
                    expected[i] = -INFINITY;
                assert_int_equal(found[i] == -INFINITY, expected[i] == -INFINITY);
                if (found[i] > -INFINITY) {
                    assert_close(found[i], expected[i], 0x1p-30, 0);
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

/* Recordings too long to be kept whole (16 MB of rows): blocks that are made again give what one block gives.
 * */
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

/* ---- rows of marginals, and logs of them, by the plain kernel ---- */

typedef struct collected {
    double *marginals, *logs;
    int32_t n_classes;
    int64_t next; /* rows come last first */
} collected;

static void collect(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    collected *out = arg;
    assert_int_equal(t, --out->next);
    size_t size = (size_t)out->n_classes * sizeof *marginal;
    memcpy(out->marginals + t * out->n_classes, marginal, size);
    memcpy(out->logs + t * out->n_classes, log_marginal, size);
}

/* Keeping the forward pass in blocks of any length changes no bit. */
static void test_blocks(void **state)
{
    (void)state;
    random_shape shape = {.max_classes = 5,
                          .max_steps = 60,
                          .max_states_per_class = 2,
                          .max_dwell = 3,
                          .has_weights = true,
                          .has_gaps = true,
                          .impossible = 0.02};
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        random_case c = random_case_new(seed, &shape);
        double whole[2][60 * 5], part[2][60 * 5];
        int64_t blocks[] = {0, 1, 2, 7, 30, c.scores.n_steps - 1};
        for (int b = 0; b < 6; b++) {
            collected out = {b ? part[0] : whole[0], b ? part[1] : whole[1], c.scores.n_classes,
                             c.scores.n_steps};
            sp_marginal_sink sink = {
                .row = collect, .arg = &out, .wants_log = true, .block = blocks[b] > 0 ? blocks[b] : 0};
            if (sp_marginal_rows(c.chain, &c.scores, scratch, &sink, NULL, NULL) != SP_OK)
                break;
            assert_int_equal(out.next, 0);
            size_t size = (size_t)(c.scores.n_steps * c.scores.n_classes) * sizeof(double);
            if (b > 0) {
                assert_memory_equal(part[0], whole[0], size);
                assert_memory_equal(part[1], whole[1], size);
                n_paths++;
            }
        }
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n_paths > 300);
}

static sp_chain *two_classes(double stay, double change, bool is_left_right)
{
    const char *names[] = {"a", "b"};
    sp_model *model = sp_model_new("two", 2, names);
    uint8_t allow[] = {1, 1, !is_left_right, 1};
    double weight[] = {stay, change, change, stay};
    sp_error err;
    sp_chain *chain;
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* A tenth cannot be written in binary: a million of them, simply added up, are off by 1e-6. */
static void test_log_z_does_not_drift(void **state)
{
    (void)state;
    enum { STEPS = 1000000 };
    sp_chain *chain = two_classes(0, 0, true);
    sp_scratch *scratch = sp_scratch_new();
    double *data = malloc(2 * STEPS * sizeof *data), log_z;
    for (int64_t t = 0; t < STEPS; t++) {
        data[2 * t] = -0.1;
        data[2 * t + 1] = -INFINITY;
    }
    sp_scores scores = {data, SP_F64, 2, STEPS, NULL, NULL, NULL};
    sp_error err;
    assert_ok(sp_marginal_rows(chain, &scores, scratch, NULL, &log_z, &err), &err);
    assert_close(log_z, -0.1 * STEPS, 0, 1e-15);
    free(data);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
}

/* To whole multiples of 2^-30, as far as doubles go finer than that; what rounding decided between equals is
 * gone. */
static void test_rounded_marginals(void **state)
{
    (void)state;
    const double some[] = {0.1, -0.7, -9.3, -100.3, -5000.7, -8191.9, -8388607.4};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        double rounded = sp_marginal_rounded(some[i]), steps = ldexp(rounded, 30);
        assert_true(steps == rint(steps));
        assert_true(fabs(rounded - some[i]) <= 0x1p-31);
        assert_true(sp_marginal_rounded(rounded + 0x1p-32) == rounded &&
                    sp_marginal_rounded(rounded - 0x1p-32) == rounded);
    }
    assert_true(sp_marginal_rounded(-8388608.3) == -8388608.3 && sp_marginal_rounded(-INFINITY) == -INFINITY);
    assert_true(sp_marginal_rounded(0) == 0 && sp_marginal_rounded(1) == 1);
}

/* Marginals that underflow are not impossible, and their logs say how improbable. a a: 0, a b: -5000, b b:
 * -10000 nats. */
static void test_logs_of_underflown(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    sp_chain *chain = two_classes(0, 0, true);
    double far[] = {0, -5000, 0, -5000}, marginals[4], logs[4], log_z;
    const double expected[] = {0, -10000, 0, -5000};
    sp_scores scores = {far, SP_F64, 2, 2, NULL, NULL, NULL};
    collected out = {marginals, logs, 2, 2};
    sp_marginal_sink sink = {.row = collect, .arg = &out, .wants_log = true};
    sp_error err;
    assert_ok(sp_marginal_rows(chain, &scores, scratch, &sink, &log_z, &err), &err);
    for (int i = 0; i < 4; i++)
        assert_true(logs[i] == expected[i] && marginals[i] == (i % 2 ? 0 : 1));
    sp_chain_free(chain);
    sp_scratch_free(scratch);
}

/* Two states that never meet, b so far behind that its exponential has a few bits left, fewer than a double,
 * or none: a step
 * later b is all that there is. */
static void test_underflow_costs_no_digits(void **state)
{
    (void)state;
    const uint8_t allow[] = {1, 0, 0, 1};
    const double zero[4] = {0};
    const char *names[] = {"a", "b"};
    sp_scratch *scratch = sp_scratch_new();
    sp_model *model = sp_model_new("apart", 2, names);
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, allow, zero, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    for (double behind = 600.25; behind < 760; behind += 0.25) {
        const double data[] = {0, -behind, -INFINITY, 0}, last_first[] = {-INFINITY, 0, 0, -behind};
        double marginals[4], logs[4], log_z;
        for (int way = 0; way < 2; way++) {
            sp_scores scores = {way ? last_first : data, SP_F64, 2, 2, NULL, NULL, NULL};
            collected out = {marginals, logs, 2, 2};
            sp_marginal_sink sink = {.row = collect, .arg = &out, .wants_log = true};
            assert_ok(sp_marginal_rows(chain, &scores, scratch, &sink, &log_z, &err), &err);
            assert_close(log_z, -behind, 0, 1e-13);
            assert_true(marginals[1] == 1 && marginals[3] == 1);
        }
        sp_scores scores = {
            (double[]){0, -behind}, SP_F64, 2, 1, NULL, NULL, NULL}; /* and in the log of a marginal */
        collected out = {marginals, logs, 2, 1};
        sp_marginal_sink sink = {.row = collect, .arg = &out, .wants_log = true};
        assert_ok(sp_marginal_rows(chain, &scores, scratch, &sink, NULL, &err), &err);
        assert_close(logs[1], -behind, 0, 1e-13);
    }
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

/* ---- memory ---- */

enum { N_STEPS = 700 };

/* Two classes that are never left: the first half speaks for the one and the second as much for the other, so
 * that forward and
 * backward rows hardly overlap in the middle: e^-350 is too little for the lanes. */
typedef struct overlap {
    sp_chain *chain;
    sp_scores scores;
    double data[2 * N_STEPS], marginals[2 * N_STEPS], expected[2 * N_STEPS];
    int32_t path[N_STEPS];
    float confidence[N_STEPS];
    bool asks_confidence;
} overlap;

static sp_status call(overlap *o, double *log_z)
{
    sp_scratch *scratch = sp_scratch_new();
    sp_error err;
    if (!scratch)
        return SP_ENOMEM;
    sp_status status = o->asks_confidence
                           ? sp_confidence(o->chain, &o->scores, scratch, o->path, o->confidence, log_z, &err)
                           : sp_forward_backward(o->chain, &o->scores, scratch, o->marginals, log_z, &err);
    sp_scratch_free(scratch);
    return status;
}

static sp_status attempt(void *arg)
{
    overlap *o = arg;
    double log_z = -7;
    for (int i = 0; i < 2 * N_STEPS; i++)
        o->marginals[i] = -7;
    for (int t = 0; t < N_STEPS; t++)
        o->confidence[t] = -7;
    sp_status status = call(o, &log_z);
    for (int i = 0; i < 2 * N_STEPS && !o->asks_confidence; i++)
        assert_true(o->marginals[i] == (status == SP_OK ? o->expected[i] : -7));
    for (int t = 0; t < N_STEPS && o->asks_confidence; t++)
        assert_true(o->confidence[t] == (status == SP_OK ? (float)o->expected[2 * t] : -7));
    assert_true((log_z == -7) == (status != SP_OK));
    return status;
}

static void ignore_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)t, (void)marginal, (void)log_marginal;
    ++*(int *)arg;
}

/* What is reserved is all that the plain kernel asks for in blocks of the least size. */
static void reserved_is_enough(void **state)
{
    (void)state;
    const random_shape shape = {6, 300, 2, 2, false, true, true, .impossible = 0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_case c = random_case_new(seed, &shape);
        sp_scratch *scratch = sp_scratch_new();
        int n_rows = 0;
        sp_marginal_sink sink = {ignore_row, &n_rows, true, sp_marginal_least_block(c.scores.n_steps)};
        sp_error err;
        assert_non_null(scratch);
        assert_true(sp_marginal_reserve(c.chain, &c.scores, scratch));
        failing_alloc_arm(0);
        sp_status status = sp_marginal_rows(c.chain, &c.scores, scratch, &sink, NULL, &err);
        bool has_asked = failing_alloc_disarm();
        if (has_asked) /* only to find the step that no path passes */
            assert_int_equal(sp_marginal_rows(c.chain, &c.scores, scratch, &sink, NULL, &err), SP_ENOPATH);
        assert_true(status != SP_OK || n_rows == c.scores.n_steps);
        sp_scratch_free(scratch);
        random_case_free(&c);
    }
}

static void outputs_stay(void **state)
{
    (void)state;
    static overlap o;
    const char *names[] = {"a", "b"};
    const uint8_t allow[] = {1, 0, 0, 1};
    sp_error err;
    sp_model *model = sp_model_new("overlap", 2, names);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &o.chain, &err), &err);
    sp_model_free(model);
    for (int t = 0; t < N_STEPS; t++)
        o.data[2 * t + (t < N_STEPS / 2)] = -1;
    o.scores = (sp_scores){.data = o.data, .dtype = SP_F64, .n_classes = 2, .n_steps = N_STEPS};

    /* The lanes do write and then leave it. */
    sp_scratch *scratch = sp_scratch_new();
    assert_non_null(scratch);
    o.marginals[2 * N_STEPS - 1] = -7;
    sp_sum_group group = {.use = SP_SUM_MARGINALS, .values = {o.marginals}};
    assert_int_equal(sp_sum_recording(o.chain, &o.scores, scratch, &group), SP_ENOPATH);
    assert_true(o.marginals[2 * N_STEPS - 1] != -7);

    assert_ok(sp_forward_backward(o.chain, &o.scores, scratch, o.expected, NULL, &err), &err);
    sp_scratch_free(scratch);
    assert_close(o.expected[0], 0.5, 0, 1e-9);
    for (int asks = 0; asks < 2; asks++) {
        o.asks_confidence = asks;
        assert_true(assert_each_alloc_may_fail(attempt, &o) > 5);
    }
    sp_chain_free(o.chain);
}

/* ---- exp and log ---- */

/* Units in the last place of `expected` that x is off. */
static double ulps(double x, long double expected)
{
    double nearest = (double)expected, ulp = nextafter(fabs(nearest), INFINITY) - fabs(nearest);
    return (double)(fabsl(x - expected) / ulp);
}

static void exp_is_exact_to_its_last_digit(void **state)
{
    (void)state;
    static const long double high = 0x1.62e42feep-1L,
                             low = 0x1.a39ef35793c7673007e5ed5e81e69p-33L; /* ln 2, high times n is exact */
    random_source random = {1};
    for (int i = 0; i < 300000; i++) {
        double span = i % 3 == 0 ? 1 : i % 3 == 1 ? 100 : 690;
        double best = (i % 2 ? 300000 : 20) * (2 * random_unit(&random) - 1),
               x = best - span * random_unit(&random);
        vd power = nearest_power(spread(best));
        double shift = (power - spread(integer_at))[0], found = scaled_exp(spread(x), power)[0];
        assert_true(ulps(found, expl((x - shift * high) - shift * low)) < 1.25);
    }
    assert_true(scaled_exp(spread(0), nearest_power(spread(0)))[0] == 1);
}

static void log_is_exact_to_its_last_digit(void **state)
{
    (void)state;
    random_source random = {2};
    for (int i = 0; i < 300000; i++) {
        double x = i % 2 ? exp(-600 * random_unit(&random)) : 0.5 + random_unit(&random);
        assert_true(ulps(normal_log(spread(x))[0], logl(x)) < 1);
    }
    assert_true(normal_log(spread(1))[0] == 0);
    assert_close(normal_log(spread(0x1p-800))[0], -800 * log(2), 0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginals_equal_plain),
        cmocka_unit_test(a_class_that_comes_back),
        cmocka_unit_test(scores_of_marginals),
        cmocka_unit_test(long_recordings_in_blocks),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_log_z_does_not_drift),
        cmocka_unit_test(test_rounded_marginals),
        cmocka_unit_test(test_logs_of_underflown),
        cmocka_unit_test(test_underflow_costs_no_digits),
        cmocka_unit_test(reserved_is_enough),
        cmocka_unit_test(outputs_stay),
        cmocka_unit_test(exp_is_exact_to_its_last_digit),
        cmocka_unit_test(log_is_exact_to_its_last_digit),
    };
    return cmocka_run_group_tests(tests, new_workers, free_workers);
}
