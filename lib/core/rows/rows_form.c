#include "core/rows/rows_form.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double tolerance = SP_ROW_TOLERANCE_PERCENT / 100.0;

/* ---- what numbers become probabilities by ---- */

static double hundredth(double x)
{
    return x / 100;
}

static double power_of_ten(double x)
{
    return pow(10, x);
}

static double exp_of_minus(double x)
{
    return exp(-x);
}

static double power_of_tenth(double x)
{
    return pow(10, -x);
}

static double complement(double x)
{
    return 1 - x;
}

static double of_odds(double x)
{
    return x < 0 ? NAN : isinf(x) ? 1 : x / (1 + x);
}

static double of_log_odds(double x)
{
    return 1 / (1 + exp(-x));
}

static double itself(double x)
{
    return x;
}

/* THE table of what rows are taken for: by which function they become probabilities, what is said then. One
 * row alone may be so by chance, but for per cent. */
static const struct {
    double (*probability)(double x);
    const char *mend;
    int64_t least_rows;
} guesses[] = {
    {hundredth, "per cent? write x / 100 instead (numpy)", 1},
    {power_of_ten, "10**x sums to 1: log10? write x * numpy.log(10) instead (numpy)", 2},
    {exp2, "2**x sums to 1: log2? write x * numpy.log(2) instead (numpy)", 2},
    {exp_of_minus, "exp(-x) sums to 1: negative log-likelihoods? write -x instead (numpy)", 2},
    {power_of_tenth, "10**-x sums to 1: negative log10? write x * -numpy.log(10) instead (numpy)", 2},
    {complement, "1 - x sums to 1: probabilities of being wrong? write 1 - x instead (numpy)", 2},
    {of_odds, "x / (1 + x) sums to 1: odds? write x / (1 + x) instead (numpy)", 2},
    {of_log_odds, "1 / (1 + exp(-x)) sums to 1: log-odds? write 1 / (1 + numpy.exp(-x)) instead (numpy)", 2},
};

/* ---- a row ---- */

/* Is f(x) of row t a distribution? */
static bool is_distribution(const sp_scores *rows, int64_t t, double (*f)(double))
{
    double sum = 0;
    for (int32_t k = 0; k < rows->n_classes; k++) {
        const double p = f(sp_scores_at(rows, t, k));
        if (!(p >= -1e-6 && p <= 1 + tolerance))
            return false;
        sum += p;
    }
    return fabs(sum - 1) <= tolerance;
}

typedef struct facts {
    double low, high, sum, sum_exp;
    bool has_nan;
} facts;

static facts look_at(const sp_scores *rows, int64_t t)
{
    facts f = {.low = INFINITY, .high = -INFINITY};
    for (int32_t k = 0; k < rows->n_classes; k++) {
        const double x = sp_scores_at(rows, t, k);
        f.has_nan |= isnan(x);
        f.low = fmin(f.low, x);
        f.high = fmax(f.high, x);
        f.sum += x;
        f.sum_exp += exp(x);
    }
    return f;
}

sp_rows_form sp_row_form(const sp_scores *rows, int64_t t)
{
    const facts f = look_at(rows, t);
    if (f.has_nan || f.high == -INFINITY || (f.low == 0 && f.high == 0 && rows->n_classes > 1))
        return SP_ROWS_SILENT;
    if (f.low >= 0 && f.high <= 1 + tolerance && fabs(f.sum - 1) <= tolerance)
        return SP_ROWS_PROBS;
    return f.high <= tolerance && fabs(log(f.sum_exp)) <= tolerance ? SP_ROWS_LOG_PROBS : SP_ROWS_OTHER;
}

/* ---- rows ---- */

/* The first row from t on that says something; n_steps: none does. */
static int64_t first_loud(const sp_scores *rows, int64_t t)
{
    while (t < rows->n_steps && sp_row_form(rows, t) == SP_ROWS_SILENT)
        t++;
    return t;
}

bool sp_rows_kind(const sp_scores *rows, sp_kind *kind)
{
    const int64_t t = first_loud(rows, 0);
    const sp_rows_form form = t < rows->n_steps ? sp_row_form(rows, t) : SP_ROWS_SILENT;
    if (form == SP_ROWS_PROBS)
        *kind = SP_KIND_PROBS;
    if (form == SP_ROWS_LOG_PROBS)
        *kind = SP_KIND_LOG_PROBS;
    return form == SP_ROWS_PROBS || form == SP_ROWS_LOG_PROBS;
}

bool sp_rows_sum_to(const sp_scores *rows, double total)
{
    bool is_any = false;
    for (int64_t t = 0; t < rows->n_steps; t++) {
        const facts f = look_at(rows, t);
        if (f.has_nan)
            continue;
        if (f.low < 0 || f.high / total > 1 + tolerance || fabs(f.sum / total - 1) > tolerance)
            return false;
        is_any = true;
    }
    return is_any;
}

/* Are the columns of f(x) distributions over all rows? */
static bool columns_are(const sp_scores *rows, double (*f)(double))
{
    for (int32_t k = 0; k < rows->n_classes; k++) {
        double sum = 0;
        for (int64_t t = 0; t < rows->n_steps; t++) {
            const double p = f(sp_scores_at(rows, t, k));
            if (!(p >= 0 && p <= 1 + tolerance))
                return false;
            sum += p;
        }
        if (fabs(sum - 1) > tolerance)
            return false;
    }
    return true;
}

bool sp_rows_are_columns(const sp_scores *rows)
{
    return rows->n_steps > 1 && sp_row_form(rows, 0) == SP_ROWS_OTHER &&
           (columns_are(rows, itself) || columns_are(rows, exp));
}

/* ---- what they may be ---- */

/* Of rows that are at fault. */
typedef struct sample {
    int64_t n, at[SP_ROWS_LOOKED_AT];
    double low, high;           /* of all values */
    double least_sum, most_sum; /* of all rows */
} sample;

static sample take_sample(const sp_scores *rows, int64_t t)
{
    sample s = {.low = INFINITY, .high = -INFINITY, .least_sum = INFINITY, .most_sum = -INFINITY};
    for (; t < rows->n_steps && s.n < SP_ROWS_LOOKED_AT; t++) {
        if (sp_row_form(rows, t) != SP_ROWS_OTHER)
            continue;
        const facts f = look_at(rows, t);
        s.at[s.n++] = t;
        s.low = fmin(s.low, f.low);
        s.high = fmax(s.high, f.high);
        s.least_sum = fmin(s.least_sum, f.sum);
        s.most_sum = fmax(s.most_sum, f.sum);
    }
    return s;
}

static bool all_are(const sp_scores *rows, const sample *s, double (*f)(double))
{
    for (int64_t i = 0; i < s->n; i++)
        if (!is_distribution(rows, s->at[i], f))
            return false;
    return s->n > 0;
}

void sp_rows_mend(const sp_scores *rows, int64_t t, bool whole, char text[SP_ROWS_SENTENCE])
{
    static const char by_sum[] = "write x / x.sum(-1, keepdims=True) instead (numpy)";
    const sample s = take_sample(rows, t);
    const bool are_parts = s.low >= 0 && s.high <= 1 + tolerance;
    const char *guess = NULL;
    for (size_t i = 0; !guess && i < sizeof guesses / sizeof *guesses; i++)
        if (s.n >= guesses[i].least_rows && all_are(rows, &s, guesses[i].probability))
            guess = guesses[i].mend;
    if (whole && sp_rows_are_columns(rows))
        guess = "columns sum to 1, rows do not: softmax over the wrong axis? write scipy.special.softmax("
                "logits, axis=-1) instead";
    if (s.n == 0)
        guess = "`kind` says what they are, and `missing` uniform that a row with a NaN says nothing";
    if (s.n == 1 && rows->n_steps > 2 && s.at[0] == rows->n_steps - 1)
        guess = "the last row alone is so: a line of totals? leave it out";
    if (guess)
        snprintf(text, SP_ROWS_SENTENCE, "%s", guess);
    else if (are_parts && s.least_sum >= .8 && s.most_sum <= 1.2)
        snprintf(text, SP_ROWS_SENTENCE, "outside the tolerance of %g; a class left out, or rounded? %s",
                 tolerance, by_sum);
    else if (are_parts)
        snprintf(text, SP_ROWS_SENTENCE, "all lie in 0 to 1: a sigmoid for each class? %s", by_sum);
    else if (s.n > 1 && s.low >= 0 && s.most_sum - s.least_sum <= tolerance * s.most_sum)
        snprintf(text, SP_ROWS_SENTENCE, "all rows do: counts? %s", by_sum);
    else if (s.high < 0)
        snprintf(text, SP_ROWS_SENTENCE,
                 "all are below 0, and no power of them sums to 1: log-likelihoods? `kind` scores uses them "
                 "as they are, `kind` logits applies the softmax");
    else
        snprintf(text, SP_ROWS_SENTENCE,
                 "are these logits? `kind` logits applies the softmax, `kind` scores uses them as they are%s",
                 s.n > 1 && s.low >= 0
                     ? "; of distances, where the least is best, write -x instead (numpy), as `kind` scores"
                     : "");
}

void sp_rows_look(const sp_scores *rows, char text[SP_ROWS_SENTENCE])
{
    const int64_t t = first_loud(rows, 0);
    if (t == rows->n_steps) {
        snprintf(text, SP_ROWS_SENTENCE, "no row says anything: each holds a NaN, or nothing is possible");
        return;
    }
    const facts f = look_at(rows, t);
    if (f.low >= 0)
        snprintf(text, SP_ROWS_SENTENCE, "the first row sums to %.6g", f.sum);
    else
        snprintf(text, SP_ROWS_SENTENCE, "the first row lies in %.6g to %.6g", f.low, f.high);
}
