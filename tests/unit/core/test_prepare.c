/* From a file's numbers to nats: every kind, every option, everything that can be wrong with a row. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/scores.h"

static const char *const ids[] = {"n1", "n2", "n3"};
static const char *const classes[] = {"Wake", "NREM", "REM"};

enum { K = 3 };

/* A block of `n` rows of 3 classes, in recordings of two rows; values are given as doubles and stored as `dtype`. */
static sp_block *block_of(sp_dtype dtype, int64_t n, const double *values, unsigned parts)
{
    sp_block *b = sp_block_new();
    sp_error err;
    int64_t n_recordings = (n + 1) / 2;
    assert_ok(sp_block_reserve(b, n_recordings, n, K, dtype, SP_BLOCK_SCORES | parts, &err), &err);
    for (int64_t r = 0; r <= n_recordings; r++)
        b->offsets[r] = 2 * r < n ? 2 * r : n;
    for (int64_t i = 0; i < n * K; i++)
        if (dtype == SP_F32)
            ((float *)b->scores)[i] = (float)values[i];
        else
            ((double *)b->scores)[i] = values[i];
    b->file = "night.h5";
    b->dataset = "/recordings/{id}/log_probs";
    b->ids = n_recordings <= 3 ? ids : NULL;
    b->classes = classes;
    return b;
}

static double at(const sp_block *b, int64_t t, int32_t k)
{
    sp_scores scores = sp_block_batch(b).scores;
    return sp_scores_at(&scores, t, k);
}

static sp_prepare_options of_kind(sp_kind kind)
{
    sp_prepare_options o = sp_prepare_options_default();
    o.kind = kind;
    return o;
}

/* Prepares rows, expects the sentence and the step. Frees the block. */
static void expect_failure(sp_block *b, const sp_prepare_options *o, sp_status status, int64_t step,
                           const char *sentence)
{
    sp_error err = {0};
    sp_prepare_counts counts = {5, 6, 7};
    sp_status got = sp_prepare(b, o, NULL, &counts, &err);
    assert_string_equal(err.message, sentence);
    assert_int_equal(got, status);
    assert_int_equal(err.step, step);
    assert_int_equal(counts.floored, 5); /* outputs stay as they were */
    assert_int_equal(counts.missing, 6);
    assert_int_equal(counts.masked, 7);
    assert_int_equal(sp_prepare(b, o, NULL, NULL, NULL), status);
    sp_block_free(b);
}

static void test_kind_names(void **state)
{
    (void)state;
    sp_error err;
    for (int i = 0; i < SP_N_KINDS; i++) {
        sp_kind kind = SP_N_KINDS;
        assert_ok(sp_kind_parse(sp_kind_name((sp_kind)i), &kind, &err), &err);
        assert_int_equal(kind, i);
    }
    assert_string_equal(sp_kind_name(SP_KIND_LOGITS), "logits");
    sp_kind kind = SP_KIND_PROBS;
    assert_int_equal(sp_kind_parse("prob", &kind, &err), SP_EINVAL);
    assert_int_equal(kind, SP_KIND_PROBS);
    assert_string_equal(
        err.message, "`kind` prob: there is no such kind of scores; use log_probs, probs, logits or scores");
}

static void expect_option(sp_prepare_options o, const char *part)
{
    sp_error err = {0};
    sp_block *b = block_of(SP_F64, 0, NULL, 0);
    assert_int_equal(sp_prepare(b, &o, NULL, NULL, &err), SP_EINVAL);
    sp_block_free(b);
    if (!strstr(err.message, part))
        fail_msg("\"%s\" is not in: %s", part, err.message);
}

static void test_options(void **state)
{
    (void)state;
    sp_error err;
    sp_prepare_options o = sp_prepare_options_default();
    sp_block *b = block_of(SP_F64, 0, NULL, 0);
    assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
    sp_block_free(b);
    assert_int_equal(o.kind, SP_KIND_LOG_PROBS);
    assert_true(o.temperature == 1 && o.floor == 0 && o.prior_weight == 0 && !o.missing_uniform && !o.clamp);

    const double bad_temperatures[] = {0, -0.0, -1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad_temperatures / sizeof *bad_temperatures; i++) {
        o = sp_prepare_options_default();
        o.temperature = bad_temperatures[i];
        expect_option(o, "`temperature`");
    }
    const double bad_floors[] = {1, 1.5, -1e-9, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad_floors / sizeof *bad_floors; i++) {
        o = sp_prepare_options_default();
        o.floor = bad_floors[i];
        expect_option(o, "`floor`");
    }
    o = of_kind(SP_KIND_SCORES);
    o.floor = 1e-6;
    expect_option(o, "these are scores, not probabilities");
    o = sp_prepare_options_default();
    o.prior_weight = 0.5;
    expect_option(o, "`prior_weight` 0.5 needs the class frequencies");
    o.prior_weight = NAN;
    expect_option(o, "`prior_weight` nan");
    o = of_kind((sp_kind)9);
    expect_option(o, "kind of scores 9");
}

static void test_log_probs_stay_as_they_are(void **state)
{
    (void)state;
    const double rows[] = {log(0.25), log(0.25), log(0.5),  0,        -INFINITY,
                           -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (int type = 0; type < 2; type++) {
        sp_error err;
        sp_dtype dtype = type ? SP_F64 : SP_F32;
        sp_block *b = block_of(dtype, 3, rows, 0);
        sp_prepare_options o = of_kind(SP_KIND_LOG_PROBS);
        sp_prepare_counts counts = {0};
        assert_ok(sp_prepare(b, &o, NULL, &counts, &err), &err);
        assert_int_equal(b->dtype, dtype);
        for (int i = 0; i < 9; i++)
            assert_true(at(b, i / 3, i % 3) == (type ? rows[i] : (double)(float)rows[i]));
        assert_int_equal(counts.floored + counts.missing + counts.masked, 0);
        sp_block_free(b);
    }
}

static void test_probs(void **state)
{
    (void)state;
    const double rows[] = {0.25, 0.25, 0.5, 1, 0, 0, 0, 0, 0, 0.7, 0.2, -0.0};
    for (int type = 0; type < 2; type++) {
        sp_error err;
        sp_block *b = block_of(type ? SP_F64 : SP_F32, 3, rows, 0);
        sp_prepare_options o = of_kind(SP_KIND_PROBS);
        assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
        assert_int_equal(b->dtype, SP_F64);
        for (int i = 0; i < 9; i++)
            assert_true(at(b, i / 3, i % 3) == log(rows[i])); /* exact: -inf for 0 */
        sp_block_free(b);
    }
    sp_error err;
    const double third[] = {0.1, 0.2, 0.7};
    sp_block *b = block_of(SP_F32, 1, third, 0); /* the log of the float, in double */
    sp_prepare_options o = of_kind(SP_KIND_PROBS);
    assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
    assert_true(at(b, 0, 0) == log((double)0.1f));
    sp_block_free(b);
}

static void test_logits(void **state)
{
    (void)state;
    const double rows[] = {1,         2,         3,         1000,  1001,  -INFINITY,
                           -INFINITY, -INFINITY, -INFINITY, -5000, -5000, -5000};
    const double z = log(exp(-2.0) + exp(-1.0) + 1);
    const double expected[] = {-2 - z,
                               -1 - z,
                               -z,
                               -1 - log1p(exp(-1.0)),
                               -log1p(exp(-1.0)),
                               -INFINITY,
                               -INFINITY,
                               -INFINITY,
                               -INFINITY,
                               -log(3),
                               -log(3),
                               -log(3)};
    for (int type = 0; type < 2; type++) {
        sp_error err;
        sp_block *b = block_of(type ? SP_F64 : SP_F32, 4, rows, 0);
        sp_prepare_options o = of_kind(SP_KIND_LOGITS);
        assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
        assert_int_equal(b->dtype, SP_F64);
        for (int i = 0; i < 12; i++)
            assert_close(at(b, i / 3, i % 3), expected[i], 1e-12, 0);
        sp_block_free(b);
    }
}

static void test_scores_are_anything(void **state)
{
    (void)state;
    const double rows[] = {1e30, -1e30, 3, 0, 0, -INFINITY};
    for (int type = 0; type < 2; type++) {
        sp_error err;
        sp_block *b = block_of(type ? SP_F64 : SP_F32, 2, rows, 0);
        sp_prepare_options o = of_kind(SP_KIND_SCORES);
        assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
        for (int i = 0; i < 6; i++)
            assert_true(at(b, i / 3, i % 3) == (type ? rows[i] : (double)(float)rows[i]));
        sp_block_free(b);
    }
}

/* NaN and +inf in every place of every kind and type, in the first row and deep in a later chunk. */
static void test_nan_and_infinity(void **state)
{
    (void)state;
    for (int kind = 0; kind < SP_N_KINDS; kind++)
        for (int type = 0; type < 2; type++)
            for (int place = 0; place < 6; place++)
                for (int infinite = 0; infinite < 2; infinite++) {
                    double rows[6];
                    for (int i = 0; i < 6; i++)
                        rows[i] = kind == SP_KIND_PROBS ? 1.0 / 3 : -log(3);
                    rows[place] = infinite ? INFINITY : NAN;
                    sp_block *b = block_of(type ? SP_F64 : SP_F32, 2, rows, 0);
                    sp_prepare_options o = of_kind((sp_kind)kind);
                    char sentence[256];
                    snprintf(sentence, sizeof sentence,
                             "night.h5: /recordings/n1/log_probs, recording n1, step %d, class %s: %s",
                             place / 3, classes[place % 3],
                             infinite ? "+infinity is no score; was a probability of 1 turned into log-odds? "
                                        "write 1 / (1 + "
                                        "numpy.exp(-x)) instead (numpy)"
                                      : "NaN; `missing` uniform treats such steps as saying nothing");
                    expect_failure(b, &o, SP_EDATA, place / 3, sentence);
                }
}

/* Far from the first row the recording and its step are still named rightly. */
static void test_late_row(void **state)
{
    (void)state;
    enum { N = 30001 };
    double *rows = malloc(N * K * sizeof *rows);
    for (int type = 0; type < 2; type++)
        for (int64_t bad = N - 6; bad < N; bad++) {
            for (int i = 0; i < N * K; i++)
                rows[i] = log(1.0 / 3);
            rows[bad * K + 1] = NAN;
            sp_prepare_options o = of_kind(SP_KIND_LOG_PROBS);
            sp_block *b = block_of(type ? SP_F64 : SP_F32, N, rows, 0);
            b->file = b->dataset = NULL;
            b->first = 100;
            char sentence[256];
            snprintf(sentence, sizeof sentence,
                     "recording %lld, step %d, class NREM: NaN; `missing` uniform treats such steps as "
                     "saying nothing",
                     (long long)(100 + bad / 2), (int)(bad % 2));
            expect_failure(b, &o, SP_EDATA, bad % 2, sentence);
        }
    free(rows);
}

static void test_rows_that_are_something_else(void **state)
{
    (void)state;
    sp_prepare_options o = of_kind(SP_KIND_PROBS);
    const double logits[] = {0.2, 0.3, 0.5, 1.2, 0.5, 1};
    for (int type = 0; type < 2; type++)
        expect_failure(block_of(type ? SP_F64 : SP_F32, 2, logits, 0), &o, SP_EDATA, 1,
                       "night.h5: /recordings/n1/log_probs, recording n1, step 1: the row sums to 2.7, not 1 "
                       "(probs): are these "
                       "logits? `kind` logits applies the softmax, `kind` scores uses them as they are");
    const double negative[] = {0.5, 0.5, 0, 0.25, 1, -0.25};
    expect_failure(block_of(SP_F64, 2, negative, 0), &o, SP_EDATA, 1,
                   "night.h5: /recordings/n1/log_probs, recording n1, step 1, class REM: -0.25 is not a "
                   "probability (probs): are "
                   "these logits? `kind` logits applies the softmax, `kind` scores uses them as they are");
    const double logs[] = {log(0.25), log(0.25), log(0.5)};
    expect_failure(block_of(SP_F64, 1, logs, 0), &o, SP_EDATA, 0,
                   "night.h5: /recordings/n1/log_probs, recording n1, step 0, class Wake: -1.38629 is not a "
                   "probability (probs): "
                   "these look like log probabilities: `kind` log_probs reads them so");
    const double impossible[] = {-INFINITY, 0, -INFINITY};
    expect_failure(block_of(SP_F64, 1, impossible, 0), &o, SP_EDATA, 0,
                   "night.h5: /recordings/n1/log_probs, recording n1, step 0, class Wake: -inf is not a "
                   "probability (probs): "
                   "these look like log probabilities: `kind` log_probs reads them so");

    o = of_kind(SP_KIND_LOG_PROBS);
    const double twice[] = {log(0.25), log(0.25), log(0.5), 0, 0, -INFINITY};
    for (int type = 0; type < 2; type++)
        expect_failure(block_of(type ? SP_F64 : SP_F32, 2, twice, 0), &o, SP_EDATA, 1,
                       "night.h5: /recordings/n1/log_probs, recording n1, step 1: the probabilities of the "
                       "row sum to 2, not 1 "
                       "(log_probs): are these logits? `kind` logits applies the softmax, `kind` scores uses "
                       "them as they are");
    const double probs[] = {0.2, 0.3, 0.5};
    expect_failure(block_of(SP_F64, 1, probs, 0), &o, SP_EDATA, 0,
                   "night.h5: /recordings/n1/log_probs, recording n1, step 0: the probabilities of the row "
                   "sum to 4.21998, not 1 "
                   "(log_probs): these look like probabilities: `kind` probs takes their logarithm");
    const double tiny[] = {-1000, -1000, -1000};
    expect_failure(block_of(SP_F64, 1, tiny, 0), &o, SP_EDATA, 0,
                   "night.h5: /recordings/n1/log_probs, recording n1, step 0: the probabilities of the row "
                   "sum to 0, not 1 "
                   "(log_probs): all are below 0, and no power of them sums to 1: log-likelihoods? `kind` "
                   "scores uses them as they are, `kind` logits applies the softmax");
}

/* The tolerance is 0.03, decided exactly: a hair inside passes, a hair outside does not. */
static void test_tolerance(void **state)
{
    (void)state;
    const double sums[] = {0.03, -0.03};
    for (int i = 0; i < 2; i++)
        for (int inside = 0; inside < 2; inside++) {
            double off = sums[i] * (inside ? 1 - 1e-9 : 1 + 1e-9);
            double logs[] = {log(0.2) + off, log(0.3) + off, log(0.5) + off};
            double probs[] = {0.2, 0.3, 0.5 + off};
            double single[] = {off, -INFINITY, -800};
            const double *rows[] = {logs, single, probs};
            for (int r = 0; r < 3; r++) {
                sp_block *b = block_of(SP_F64, 1, rows[r], 0);
                sp_prepare_options o = of_kind(r == 2 ? SP_KIND_PROBS : SP_KIND_LOG_PROBS);
                assert_int_equal(sp_prepare(b, &o, NULL, NULL, NULL), inside ? SP_OK : SP_EDATA);
                sp_block_free(b);
            }
        }
}

/* Random rows that miss by a little less and a little more than the tolerance: the quick look must never decide wrongly. */
static void test_tolerance_of_random_rows(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        double x[K], out[K];
        for (int k = 0; k < K; k++) {
            seed = seed * 1664525u + 1013904223u;
            x[k] = (double)(seed >> 8) / (1 << 24) * (i % 3 ? 4 : 90);
        }
        sp_log_softmax(x, K, out);
        double off = (i & 1 ? 0.03 : -0.03) + (i & 2 ? 1e-9 : -1e-9);
        for (int k = 0; k < K; k++)
            out[k] += off;
        bool inside = (i & 1) == !(i & 2);
        sp_block *b = block_of(SP_F64, 1, out, 0);
        sp_prepare_options o = of_kind(SP_KIND_LOG_PROBS);
        if (sp_prepare(b, &o, NULL, NULL, NULL) != (inside ? SP_OK : SP_EDATA))
            fail_msg("row %d: %.17g %.17g %.17g", i, out[0], out[1], out[2]);
        sp_block_free(b);
    }
}

/* Rows of many classes, longer than any piece of the loops: right rows pass, a wrong one is found. */
static void test_many_classes(void **state)
{
    (void)state;
    const int32_t sizes[] = {1, 2, 7, 1000, 1024, 1900, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = SP_KIND_LOG_PROBS; kind <= SP_KIND_PROBS; kind++)
            for (int64_t bad = -1; bad < 9; bad += 3) {
                sp_error err;
                int32_t n = sizes[i];
                sp_block *b = sp_block_new();
                assert_ok(sp_block_reserve(b, 1, 9, n, SP_F32, SP_BLOCK_SCORES, &err), &err);
                b->offsets[0] = 0;
                b->offsets[1] = 9;
                for (int64_t t = 0; t < 9; t++) {
                    double sum = t == bad ? (bad % 2 ? 0.96 : 1.04) : t % 2 ? 0.98 : 1.02;
                    for (int32_t k = 0; k < n; k++) {
                        double p = sum * 2 * (k + 1) / ((double)n * (n + 1));
                        ((float *)b->scores)[t * n + k] = (float)(kind == SP_KIND_PROBS ? p : log(p));
                    }
                }
                sp_prepare_options o = of_kind((sp_kind)kind);
                sp_status status = sp_prepare(b, &o, NULL, NULL, &err);
                assert_int_equal(status, bad < 0 ? SP_OK : SP_EDATA);
                if (bad >= 0)
                    assert_int_equal(err.step, bad);
                sp_block_free(b);
            }
}

static void test_missing(void **state)
{
    (void)state;
    const double rows[] = {NAN, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5, NAN, 7, 0, 1, 0};
    const double log_prior[] = {log(0.5), log(0.25), log(0.25)};
    for (int type = 0; type < 2; type++) {
        sp_error err;
        sp_block *b = block_of(type ? SP_F64 : SP_F32, 4, rows, SP_BLOCK_MASK | SP_BLOCK_LABELS);
        memset(b->mask, 1, 12);
        b->mask[0] = b->mask[3] = b->mask[9] =
            0; /* a score of a missing step, a finite one, an impossible one */
        memcpy(b->labels, (int32_t[]){-1, -1, 2, 1}, 4 * sizeof(int32_t));
        sp_prepare_options o = of_kind(SP_KIND_PROBS);
        o.missing_uniform = true;
        o.floor = 0.01;
        o.temperature = 2;
        o.prior_weight = 1;
        o.log_prior = log_prior;
        o.clamp = true;
        sp_prepare_counts counts = {100, 100, 100};
        assert_ok(sp_prepare(b, &o, NULL, &counts, &err), &err);
        const double expected[] = {-INFINITY,
                                   0,
                                   0, /* says nothing: no floor, no prior, but the mask */
                                   -INFINITY,
                                   log(0.25) / 2 - log(0.25),
                                   log(0.5) / 2 - log(0.25), /* */
                                   -INFINITY,
                                   -INFINITY,
                                   0, /* says nothing, but is certain */
                                   -INFINITY,
                                   0 - log(0.25),
                                   -INFINITY};
        for (int i = 0; i < 12; i++)
            assert_true(at(b, i / 3, i % 3) == expected[i]);
        assert_int_equal(counts.missing, 102);
        assert_int_equal(counts.floored, 102);
        assert_int_equal(counts.masked, 103); /* the third was raised to the floor first, so it was finite */
        sp_block_free(b);
    }
}

/* NaN beside +inf: the +inf is still an error. */
static void test_missing_is_not_infinite(void **state)
{
    (void)state;
    const double row[] = {NAN, 0.5, INFINITY};
    sp_prepare_options o = of_kind(SP_KIND_SCORES);
    o.missing_uniform = true;
    expect_failure(
        block_of(SP_F32, 1, row, 0), &o, SP_EDATA, 0,
        "night.h5: /recordings/n1/log_probs, recording n1, step 0, class REM: +infinity is no score; was a "
        "probability of 1 turned into log-odds? write 1 / (1 + "
        "numpy.exp(-x)) instead (numpy)");
}

/* Numbers that are finite, but whose sums are not; the least double stands for impossible and is let through. */
static void test_too_large(void **state)
{
    (void)state;
    const double rows[] = {0, 1e300, -1.7e308, 0, 1.1e300, 0};
    for (int kind = SP_KIND_LOGITS; kind <= SP_KIND_SCORES; kind++) {
        sp_prepare_options o = of_kind((sp_kind)kind);
        expect_failure(block_of(SP_F64, 2, rows, 0), &o, SP_EDATA, 1,
                       "night.h5: /recordings/n1/log_probs, recording n1, step 1, class NREM: 1.1e+300 is so "
                       "large that scores of "
                       "several steps cannot be added; divide them all");
    }
}

static void test_floor(void **state)
{
    (void)state;
    const double rows[] = {1, 0, 0, 0.5, 0.499, 0.001, 0.98, 0.01, 0.01};
    for (int type = 0; type < 2; type++)
        for (int kind = SP_KIND_LOG_PROBS; kind <= SP_KIND_LOGITS; kind++) {
            sp_error err;
            double values[9];
            for (int i = 0; i < 9; i++)
                values[i] = kind == SP_KIND_PROBS ? rows[i] : log(rows[i]);
            sp_block *b = block_of(type ? SP_F64 : SP_F32, 3, values, 0);
            sp_prepare_options o = of_kind((sp_kind)kind);
            o.floor = 0.005;
            sp_prepare_counts counts = {0};
            assert_ok(sp_prepare(b, &o, NULL, &counts, &err), &err);
            assert_int_equal(counts.floored, 3);
            assert_int_equal(b->dtype, SP_F64); /* log 0.005 is no float */
            for (int i = 0; i < 9; i++)
                assert_close(at(b, i / 3, i % 3), log(fmax(rows[i], 0.005)),
                             type || rows[i] < 0.005 ? 1e-15 : 1e-6, 0);
            sp_block_free(b);
        }
    for (int kind = SP_KIND_LOG_PROBS; kind <= SP_KIND_PROBS;
         kind++) { /* what stands at the floor is not raised */
        sp_error err;
        double values[] = {0.99, 0.005, 0.005};
        for (int i = 0; i < 3; i++)
            values[i] = kind == SP_KIND_PROBS ? values[i] : log(values[i]);
        sp_block *b = block_of(SP_F64, 1, values, 0);
        sp_prepare_options o = of_kind((sp_kind)kind);
        o.floor = 0.005;
        sp_prepare_counts counts = {0};
        assert_ok(sp_prepare(b, &o, NULL, &counts, &err), &err);
        assert_int_equal(counts.floored, 0);
        assert_true(at(b, 0, 1) == log(0.005));
        sp_block_free(b);
    }
}

/* Arithmetic in float64 even when the scores are f32; temperature first, then the prior. */
static void test_temperature_and_prior(void **state)
{
    (void)state;
    const double rows[] = {-1.1f, -INFINITY, -0.7f, 3.3f, 0.1f, -2};
    const double log_prior[] = {log(0.6), log(0.3), log(0.1)};
    const double temperatures[] = {3, 3, 1}, weights[] = {0.7, 0, 0.7}; /* both, and each alone */
    for (int i = 0; i < 6; i++) {
        sp_error err;
        sp_block *b = block_of(i % 2 ? SP_F64 : SP_F32, 2, rows, 0);
        sp_prepare_options o = of_kind(SP_KIND_SCORES);
        o.temperature = temperatures[i / 2];
        o.prior_weight = weights[i / 2];
        o.log_prior = log_prior;
        assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
        assert_int_equal(b->dtype, SP_F64);
        for (int n = 0; n < 6; n++)
            assert_true(at(b, n / 3, n % 3) == rows[n] / o.temperature - o.prior_weight * log_prior[n % 3]);
        sp_block_free(b);
    }
    sp_error err; /* without a weight the prior is not even looked at */
    const double useless[] = {NAN, -INFINITY, INFINITY};
    sp_block *b = block_of(SP_F32, 2, rows, 0);
    sp_prepare_options o = of_kind(SP_KIND_SCORES);
    o.log_prior = useless;
    assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
    assert_int_equal(b->dtype, SP_F32);
    sp_block_free(b);
}

static void test_prior_of_zero(void **state)
{
    (void)state;
    const double row[] = {-1, -1, -1}, log_prior[] = {log(0.5), -INFINITY, log(0.5)};
    sp_prepare_options o = of_kind(SP_KIND_SCORES);
    o.prior_weight = 0.5;
    o.log_prior = log_prior;
    expect_failure(block_of(SP_F32, 1, row, 0), &o, SP_EINVAL, -1,
                   "`prior_weight` 0.5: class NREM has prior 0, which cannot be divided by; give the model a "
                   "\"prior\" greater "
                   "than 0 for every class");
}

static void test_overflow(void **state)
{
    (void)state;
    const double rows[] = {1, 2, 3, 1e300, -INFINITY, -1e300};
    sp_prepare_options o = of_kind(SP_KIND_SCORES);
    o.temperature = 1e-10;
    expect_failure(
        block_of(SP_F64, 2, rows, 0), &o, SP_EDATA, 1,
        "night.h5: /recordings/n1/log_probs, recording n1, step 1, class Wake: the score is too large for "
        "`temperature` 1e-10 and `prior_weight` 0 to stay finite");
}

static void test_mask_and_clamp(void **state)
{
    (void)state;
    const double rows[] = {log(0.5), log(0.5), -INFINITY, log(0.25), log(0.25),
                           log(0.5), 0,        -INFINITY, -INFINITY};
    for (int type = 0; type < 2; type++) {
        sp_error err;
        sp_block *b = block_of(type ? SP_F64 : SP_F32, 3, rows, SP_BLOCK_MASK | SP_BLOCK_LABELS);
        memcpy(b->mask, (uint8_t[]){0, 1, 0, 1, 1, 0, 0, 1, 1}, 9);
        memcpy(b->labels, (int32_t[]){-1, 1, 2}, 3 * sizeof(int32_t));
        sp_prepare_options o = of_kind(SP_KIND_LOG_PROBS);
        sp_prepare_counts counts = {0};
        assert_ok(sp_prepare(b, &o, NULL, &counts, &err), &err);
        const double masked[] = {-INFINITY, log(0.5),  -INFINITY, log(0.25), log(0.25),
                                 -INFINITY, -INFINITY, -INFINITY, -INFINITY};
        for (int i = 0; i < 9; i++)
            assert_close(at(b, i / 3, i % 3), masked[i], type ? 0 : 1e-7, 0);
        assert_int_equal(counts.masked, 3); /* the score that was -inf already is not counted */
        assert_int_equal(b->dtype, type ? SP_F64 : SP_F32);

        o.kind = SP_KIND_SCORES; /* the rows have lost mass by now */
        o.clamp = true;
        assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
        const double clamped[] = {-INFINITY, log(0.5),  -INFINITY, -INFINITY, log(0.25),
                                  -INFINITY, -INFINITY, -INFINITY, -INFINITY};
        for (int i = 0; i < 9; i++)
            assert_close(at(b, i / 3, i % 3), clamped[i], type ? 0 : 1e-7, 0);
        sp_block_free(b);
    }
}

static void test_clamp_needs_labels(void **state)
{
    (void)state;
    const double row[] = {-1, -1, -1};
    sp_prepare_options o = of_kind(SP_KIND_SCORES);
    o.clamp = true;
    expect_failure(block_of(SP_F32, 1, row, 0), &o, SP_EINVAL, -1,
                   "night.h5: `clamp` needs labels, and there are none; name them with `labels`");
    sp_block *b = block_of(SP_F32, 1, row, SP_BLOCK_LABELS);
    b->labels[0] = 3;
    expect_failure(b, &o, SP_EDATA, 0,
                   "night.h5: /recordings/n1/log_probs, recording n1, step 0: label 3 is none of the 3 "
                   "classes, so `clamp` cannot "
                   "fix it");
}

static sp_status prepare_some_probs(void *arg)
{
    sp_block *b = arg;
    sp_prepare_options o = of_kind(SP_KIND_PROBS);
    sp_prepare_counts counts = {1, 2, 3};
    sp_status status = sp_prepare(b, &o, NULL, &counts, NULL);
    assert_int_equal(counts.floored, 1);
    assert_int_equal(b->dtype, status == SP_OK ? SP_F64 : SP_F32);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    const double row[] = {0.2, 0.3, 0.5};
    sp_block *b = block_of(SP_F32, 1, row, 0);
    assert_int_equal(assert_each_alloc_may_fail(prepare_some_probs, b), 1);
    assert_true(at(b, 0, 2) == log(0.5));
    sp_block_free(b);
}

/* Many rows on many threads: the same scores, counts and, of several bad rows, the first. */
static void test_threads(void **state)
{
    (void)state;
    enum { N = 300000, N_THREADS = 5 };
    double *values = malloc((size_t)N * K * sizeof *values);
    for (int64_t t = 0; t < N; t++) {
        double p[K] = {1.0 + (double)(t % 7), 2.0 + (double)(t % 11), 1e-9}, sum = p[0] + p[1] + p[2];
        for (int k = 0; k < K; k++)
            values[t * K + k] = log(p[k] / sum);
        if (t % 1001 == 5)
            values[t * K] = NAN;
    }
    sp_prepare_options o = of_kind(SP_KIND_LOG_PROBS);
    o.missing_uniform = true;
    o.floor = 1e-4;
    sp_block *one = block_of(SP_F32, N, values, 0);
    sp_prepare_counts expected = {0};
    sp_error err;
    assert_ok(sp_prepare(one, &o, NULL, &expected, &err), &err);
    assert_int_equal(expected.missing, (N - 6) / 1001 + 1);
    assert_int_equal(expected.floored, N - expected.missing);
    for (int n_threads = 1; n_threads <= N_THREADS; n_threads++) {
        sp_block *many = block_of(SP_F32, N, values, 0);
        sp_prepare_counts counts = {0};
        sp_workers *workers = sp_workers_new(n_threads);
        assert_ok(sp_prepare(many, &o, workers, &counts, &err), &err);
        sp_workers_free(workers);
        assert_memory_equal(many->scores, one->scores, (size_t)N * K * sizeof(float));
        assert_memory_equal(&counts, &expected, sizeof counts);
        sp_block_free(many);
    }
    const int64_t bad[] = {299999, 200001, 90000, 89999}; /* each before those that are bad already */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        values[bad[i] * K + 1] = INFINITY;
        for (int n_threads = 1; n_threads <= N_THREADS; n_threads++) {
            sp_block *many = block_of(SP_F32, N, values, 0);
            sp_prepare_counts counts = {5, 6, 7};
            char sentence[300];
            snprintf(sentence, sizeof sentence,
                     "night.h5: /recordings/{id}/log_probs, recording %lld, step %lld, class NREM: +infinity "
                     "is no score; was a "
                     "probability of 1 turned into log-odds? write 1 / (1 + "
                     "numpy.exp(-x)) instead (numpy)",
                     (long long)bad[i] / 2, (long long)bad[i] % 2);
            sp_workers *workers = sp_workers_new(n_threads);
            assert_int_equal(sp_prepare(many, &o, workers, &counts, &err), SP_EDATA);
            sp_workers_free(workers);
            assert_string_equal(err.message, sentence);
            assert_int_equal(err.step, bad[i] % 2);
            assert_int_equal(counts.floored, 5);
            sp_block_free(many);
        }
    }
    sp_block_free(one);
    free(values);
}

static void test_empty(void **state)
{
    (void)state;
    sp_error err;
    for (int kind = 0; kind < SP_N_KINDS; kind++) {
        sp_block *b = block_of(SP_F32, 0, NULL, 0);
        sp_prepare_options o = of_kind((sp_kind)kind);
        assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
        sp_block_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kind_names),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_log_probs_stay_as_they_are),
        cmocka_unit_test(test_probs),
        cmocka_unit_test(test_logits),
        cmocka_unit_test(test_scores_are_anything),
        cmocka_unit_test(test_nan_and_infinity),
        cmocka_unit_test(test_late_row),
        cmocka_unit_test(test_rows_that_are_something_else),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_tolerance_of_random_rows),
        cmocka_unit_test(test_many_classes),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_missing_is_not_infinite),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_temperature_and_prior),
        cmocka_unit_test(test_prior_of_zero),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_mask_and_clamp),
        cmocka_unit_test(test_clamp_needs_labels),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
