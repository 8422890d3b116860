#include "core/rows/row_check.h"

#include <math.h>
#include <string.h>

#include "core/block.h"
#include "core/isa.h"
#include "core/rows/rows_form.h"

static const double tolerance = SP_ROW_TOLERANCE_PERCENT / 100.0;

/* Sums of 10^8 of these stay finite. Only upwards: what is lost below is impossible, as whoever writes the
 * least double means. */
static const double most = 1e300;

/* exp(x) for -83 <= x <= 0.1 with a relative error below 5e-5. 2^y is taken apart into 2^n, written
 * straight into the exponent bits, and 2^f with f in [-1/2,1/2], the Taylor series of exp(f ln 2) up to
 * the fourth power. */
SP_ALWAYS_INLINE float rough_exp(float x)
{
    float y = x * 1.44269504f;
    float n = (y + 12582912.0f) - 12582912.0f; /* 1.5 * 2^23: rounds to a whole number */
    float f = y - n;
    float p = 1.0f + f * (0.693147181f + f * (0.240226507f + f * (0.0555041087f + f * 0.00961812911f)));
    int32_t exponent = ((int32_t)n + 127) * (1 << 23);
    float power;
    memcpy(&power, &exponent, sizeof power);
    return p * power;
}

/* A log probability brought into the range of rough_exp; *bad is set when it is NaN or above 0.03. On the
 * bits, because compilers make vectors of integer minima but, for fear of floating-point traps, not of
 * float comparisons. */
SP_ALWAYS_INLINE float into_range(float x, int32_t *bad)
{
    enum {
        BITS_TOP = 0x3cf5c28f /* 0.03f */,
        BITS_DEEP = 0x42a60000 /* 83.0f */,
        BITS_INFINITY = 0x7f800000
    };
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t negative = (int32_t)(bits >> 31), size = (int32_t)(bits & 0x7fffffffu);
    int32_t nearest = BITS_TOP + negative * (BITS_DEEP - BITS_TOP),
            highest = BITS_TOP + negative * (BITS_INFINITY - BITS_TOP);
    *bad |= size > highest;
    size = size < nearest ? size : nearest;
    bits = (uint32_t)size | (uint32_t)negative << 31;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Three loops below, the first two and that over scores, are most of what scores cost beyond reading and
 * decoding them, so they are compiled for each instruction set. */
enum { PIECE = 1024, MOST_WINDOW = 16 };

/* exp of n log probabilities into `out`; not 0 when one of them is NaN or above 0.03. */
SP_ALWAYS_INLINE int32_t piece_exp_f32_any(const float *x, int n, float *out)
{
    int32_t bad = 0;
    for (int i = 0; i < n; i++)
        out[i] = rough_exp(into_range(x[i], &bad));
    return bad;
}

SP_FOR_EACH_ISA(int32_t, piece_exp_f32, (const float *x, int n, float *out),
                return piece_exp_f32_any(x, n, out);)

static int32_t piece_exp_f64(const double *x, int n, float *out)
{
    int32_t bad = 0;
    for (int i = 0; i < n; i++)
        out[i] = rough_exp(into_range((float)x[i], &bad));
    return bad;
}

/* Probabilities as floats into `out`; not 0 when one of them is NaN, below 0 (-0.0 too) or above 1.5. */
SP_ALWAYS_INLINE int32_t piece_probs_f32_any(const float *x, int n, float *out)
{
    int32_t bad = 0;
    for (int i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= bits > UINT32_C(0x3fc00000);
        out[i] = x[i];
    }
    return bad;
}

SP_FOR_EACH_ISA(int32_t, piece_probs_f32, (const float *x, int n, float *out),
                return piece_probs_f32_any(x, n, out);)

SP_ALWAYS_INLINE int32_t piece_probs_f64_any(const double *x, int n, float *out)
{
    int32_t bad = 0;
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= bits > UINT64_C(0x3ff8000000000000);
        out[i] = (float)x[i];
    }
    return bad;
}

SP_FOR_EACH_ISA(int32_t, piece_probs_f64, (const double *x, int n, float *out),
                return piece_probs_f64_any(x, n, out);)

/* Rows of few classes: sums[i] = p[i] + .. + p[i+K-1] at every i, though only those at the beginning of a
 * row are asked about. That is K times the additions, but of whole vectors and without a shuffle. n: a
 * multiple of K, at least 2; p has K-1 more. Sums are positive, so their bits are in order as the sums
 * are, and may be compared as integers (see into_range()). */
SP_ALWAYS_INLINE int32_t windows_are_bad_any(const float *restrict p, int n, int32_t n_classes, float low,
                                             float high, float *restrict sums,
                                             const int32_t *restrict is_first)
{
    uint32_t low_bits, high_bits, bits;
    memcpy(&low_bits, &low, sizeof low_bits);
    memcpy(&high_bits, &high, sizeof high_bits);
    const uint32_t span = high_bits - low_bits;
    for (int i = 0; i < n; i++)
        sums[i] = p[i] + p[i + 1];
    int32_t k = 2;
    for (; k + 1 < n_classes; k += 2)
        for (int i = 0; i < n; i++)
            sums[i] += p[i + k] + p[i + k + 1];
    for (int i = 0; k < n_classes && i < n; i++)
        sums[i] += p[i + k];
    int32_t bad = 0;
    for (int i = 0; i < n; i++) {
        memcpy(&bits, &sums[i], sizeof bits);
        bad |= bits - low_bits >= span ? is_first[i] : 0;
    }
    return bad;
}

SP_FOR_EACH_ISA(int32_t, windows_are_bad,
                (const float *restrict p, int n, int32_t n_classes, float low, float high,
                 float *restrict sums, const int32_t *restrict is_first),
                return windows_are_bad_any(p, n, n_classes, low, high, sums, is_first);)

/* Four sums at once, because one would wait for itself. */
static double piece_sum(const float *p, int n)
{
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        a += (double)p[i];
        b += (double)p[i + 1];
        c += (double)p[i + 2];
        d += (double)p[i + 3];
    }
    for (; i < n; i++)
        a += (double)p[i];
    return (a + b) + (c + d);
}

/* n numbers from `first` on as probabilities, log probabilities by their rough exp. */
static int32_t piece_of(const void *data, sp_kind kind, sp_dtype dtype, int64_t first, int n, float *out)
{
    if (kind == SP_KIND_PROBS)
        return dtype == SP_F32
                   ? SP_BY_ISA(piece_probs_f32, sp_isa_current())((const float *)data + first, n, out)
                   : SP_BY_ISA(piece_probs_f64, sp_isa_current())((const double *)data + first, n, out);
    return dtype == SP_F32 ? SP_BY_ISA(piece_exp_f32, sp_isa_current())((const float *)data + first, n, out)
                           : piece_exp_f64((const double *)data + first, n, out);
}

/* The rows' sums, of log_probs by the rough exp. A row counts as plain when its sum is so far inside the
 * tolerance that the roughness cannot matter; the exact check decides about the others. Here: 2 to
 * MOST_WINDOW classes, whole rows at a time. */
static bool narrow_rows_are_plain(const void *data, sp_kind kind, sp_dtype dtype, int64_t n,
                                  int32_t n_classes, float low, float high)
{
    float p[PIECE + MOST_WINDOW] = {0}, sums[PIECE]; /* windows look beyond the last row */
    int32_t is_first[PIECE] = {0};
    const int whole = PIECE / n_classes * n_classes;
    for (int i = 0; i < whole; i += n_classes)
        is_first[i] = 1;
    for (int64_t done = 0; done < n; done += whole) {
        int count = n - done < whole ? (int)(n - done) : whole;
        if (piece_of(data, kind, dtype, done, count, p) ||
            SP_BY_ISA(windows_are_bad, sp_isa_current())(p, count, n_classes, low, high, sums, is_first))
            return false;
    }
    return true;
}

/* The same for any number of classes, in pieces that may end inside a row. */
static bool wide_rows_are_plain(const void *data, sp_dtype dtype, int64_t n, int32_t n_classes, double low,
                                double high)
{
    float p[PIECE];
    int32_t rest = n_classes; /* of the row */
    double sum = 0;
    for (int64_t done = 0; done < n; done += PIECE) {
        int count = n - done < PIECE ? (int)(n - done) : PIECE;
        if (piece_of(data, SP_KIND_LOG_PROBS, dtype, done, count, p))
            return false;
        for (int i = 0; i < count;) {
            int run = count - i < rest ? count - i : rest;
            sum += piece_sum(p + i, run);
            i += run;
            rest -= run;
            if (rest > 0)
                break;
            if (!(sum > low && sum < high))
                return false;
            sum = 0;
            rest = n_classes;
        }
    }
    return true;
}

static bool log_rows_are_plain(const void *data, sp_dtype dtype, int64_t n_rows, int32_t n_classes)
{
    const double low = exp(-tolerance) + 1e-4, high = exp(tolerance) - 1e-4;
    const int64_t n = n_rows * n_classes;
    return n_classes >= 2 && n_classes <= MOST_WINDOW
               ? narrow_rows_are_plain(data, SP_KIND_LOG_PROBS, dtype, n, n_classes, (float)low, (float)high)
               : wide_rows_are_plain(data, dtype, n, n_classes, low, high);
}

SP_ALWAYS_INLINE bool prob_row_is_plain(const void *row, sp_dtype dtype, int32_t n_classes)
{
    double sum = 0;
    int bad = 0;
    for (int32_t k = 0; k < n_classes; k++) {
        const double p = dtype == SP_F32 ? (double)((const float *)row)[k] : ((const double *)row)[k];
        bad |= !(p >= 0);
        sum += p;
    }
    return !bad && fabs(sum - 1) <= tolerance;
}

static bool prob_rows_are_plain(const void *rows, sp_dtype dtype, int64_t n_rows, int32_t n_classes)
{
    const float low = (float)(1 - tolerance + 1e-4), high = (float)(1 + tolerance - 1e-4);
    if (n_classes >= 2 && n_classes <= MOST_WINDOW &&
        narrow_rows_are_plain(rows, SP_KIND_PROBS, dtype, n_rows * n_classes, n_classes, low, high))
        return true;
    for (int64_t i = 0; i < n_rows * n_classes; i += n_classes)
        if (!(dtype == SP_F32 ? prob_row_is_plain((const float *)rows + i, SP_F32, n_classes)
                              : prob_row_is_plain((const double *)rows + i, SP_F64, n_classes)))
            return false;
    return true;
}

/* Not 0 when one of n numbers is NaN or +infinity. */
SP_ALWAYS_INLINE int32_t f32_are_bad_any(const float *x, int64_t n)
{
    int32_t bad = 0;
    for (int64_t i = 0; i < n; i++)
        bad |= !(x[i] < INFINITY);
    return bad;
}

SP_FOR_EACH_ISA(int32_t, f32_are_bad, (const float *x, int64_t n), return f32_are_bad_any(x, n);)

/* Not 0 when one of n numbers is NaN or above `most`. */
SP_ALWAYS_INLINE int32_t f64_are_bad_any(const double *x, int64_t n)
{
    int32_t bad = 0;
    for (int64_t i = 0; i < n; i++)
        bad |= !(x[i] <= most);
    return bad;
}

SP_FOR_EACH_ISA(int32_t, f64_are_bad, (const double *x, int64_t n), return f64_are_bad_any(x, n);)

/* logits, scores: anything that is neither NaN nor too large. */
static bool are_small_enough(const void *data, sp_dtype dtype, int64_t n)
{
    return dtype == SP_F32 ? !SP_BY_ISA(f32_are_bad, sp_isa_current())(data, n)
                           : !SP_BY_ISA(f64_are_bad, sp_isa_current())(data, n);
}

bool sp_rows_are_plain(const void *rows, sp_dtype dtype, int32_t n_classes, sp_kind kind, int64_t count)
{
    if (kind == SP_KIND_LOG_PROBS)
        return log_rows_are_plain(rows, dtype, count, n_classes);
    if (kind == SP_KIND_PROBS)
        return prob_rows_are_plain(rows, dtype, count, n_classes);
    return are_small_enough(rows, dtype, count * n_classes);
}

/* What a row is, seen from all sides: which kinds it would pass for. */
typedef struct row_view {
    int32_t nan, infinite, large, negative; /* first class that is so, or -1 */
    double sum;                             /* of the numbers */
    double exp_sum;                         /* of their exponentials */
    bool is_nothing;                        /* all -INFINITY */
} row_view;

static row_view look_at_row(const sp_scores *scores, int64_t row)
{
    row_view v = {.nan = -1, .infinite = -1, .large = -1, .negative = -1, .is_nothing = true};
    for (int32_t k = 0; k < scores->n_classes; k++) {
        double x = sp_scores_at(scores, row, k);
        if (isnan(x) && v.nan < 0)
            v.nan = k;
        if (x == INFINITY && v.infinite < 0)
            v.infinite = k;
        if (x > most && v.large < 0)
            v.large = k;
        if (x < 0 && v.negative < 0)
            v.negative = k;
        v.sum += x;
        v.exp_sum += exp(x);
        v.is_nothing = v.is_nothing && x == -INFINITY;
    }
    return v;
}

static bool looks_like_probs(const row_view *v)
{
    return v->negative < 0 && fabs(v->sum - 1) <= tolerance;
}

static bool looks_like_log_probs(const row_view *v)
{
    return fabs(log(v->exp_sum)) <= tolerance;
}

enum { PLACE = SP_ERROR_SIZE / 2 };

/* What the row, and those after it, may be. */
static const char *mend_of(const sp_block *block, int64_t row, char text[SP_ROWS_SENTENCE])
{
    const sp_batch batch = sp_block_batch(block);
    const int64_t n = sp_recording_at(block->offsets, block->n_recordings, row);
    const sp_scores recording = sp_batch_recording(&batch, n);
    sp_rows_mend(&recording, row - block->offsets[n], n > 0 || block->first_step == 0, text);
    return text;
}

static sp_status fail_probs(const sp_block *block, const sp_scores *scores, const row_view *v, int64_t row,
                            sp_error *err)
{
    char place[PLACE], text[SP_ROWS_SENTENCE];
    int64_t step = sp_block_where(block, row, v->negative, place, sizeof place);
    const char *mend = looks_like_log_probs(v)
                           ? "these look like log probabilities: `kind` log_probs reads them so"
                           : mend_of(block, row, text);
    if (v->negative >= 0)
        return sp_fail_at(err, SP_EDATA, step, "%s: %.6g is not a probability (probs): %s", place,
                          sp_scores_at(scores, row, v->negative), mend);
    return sp_fail_at(err, SP_EDATA, step, "%s: the row sums to %.6g, not 1 (probs): %s", place, v->sum,
                      mend);
}

static sp_status fail_log_probs(const sp_block *block, const row_view *v, int64_t row, sp_error *err)
{
    char place[PLACE], text[SP_ROWS_SENTENCE];
    int64_t step = sp_block_where(block, row, -1, place, sizeof place);
    const char *mend = looks_like_probs(v)
                           ? "these look like probabilities: `kind` probs takes their logarithm"
                           : mend_of(block, row, text);
    if (v->negative < 0 && !looks_like_probs(v))
        return sp_fail_at(err, SP_EDATA, step,
                          "%s: the row sums to %.6g, and its exponentials to %.6g, not 1 (log_probs): %s",
                          place, v->sum, v->exp_sum, mend);
    return sp_fail_at(err, SP_EDATA, step,
                      "%s: the probabilities of the row sum to %.6g, not 1 (log_probs): %s", place,
                      v->exp_sum, mend);
}

sp_status sp_row_check(const sp_block *block, const sp_prepare_options *options, int64_t row,
                       bool *is_missing, sp_error *err)
{
    sp_scores scores = sp_block_batch(block).scores;
    row_view v = look_at_row(&scores, row);
    char place[PLACE];
    *is_missing = false;

    if (v.infinite >= 0) {
        int64_t step = sp_block_where(block, row, v.infinite, place, sizeof place);
        return sp_fail_at(
            err, SP_EDATA, step,
            "%s: +infinity is no score; was a probability of 1 turned into log-odds? write 1 / (1 + "
            "numpy.exp(-x)) instead (numpy)",
            place);
    }
    if (v.nan >= 0) {
        if (options->missing_uniform) {
            *is_missing = true;
            return SP_OK;
        }
        int64_t step = sp_block_where(block, row, v.nan, place, sizeof place);
        return sp_fail_at(err, SP_EDATA, step,
                          "%s: NaN; `missing` uniform treats such steps as saying nothing", place);
    }
    if (v.large >= 0 && (options->kind == SP_KIND_LOGITS || options->kind == SP_KIND_SCORES)) {
        int64_t step = sp_block_where(block, row, v.large, place, sizeof place);
        return sp_fail_at(
            err, SP_EDATA, step,
            "%s: %.6g is so large that scores of several steps cannot be added; divide them all", place,
            sp_scores_at(&scores, row, v.large));
    }
    if (options->kind == SP_KIND_PROBS) {
        bool is_nothing = v.sum == 0 && v.negative < 0;
        if (!is_nothing && !looks_like_probs(&v))
            return fail_probs(block, &scores, &v, row, err);
    }
    if (options->kind == SP_KIND_LOG_PROBS && !v.is_nothing && !looks_like_log_probs(&v))
        return fail_log_probs(block, &v, row, err);
    return SP_OK;
}
