/* Counting what several raters say: a confusion matrix for each pair of a row and a rater, and votes for each step. */
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <string.h>

struct sp_rater_sums {
    int32_t n_rows;     /* reference, strategies, raters */
    int64_t *confusion; /* [n_rows][n_raters][K,K] rater by row */
    int64_t *undecoded; /* [n_rows][n_raters][K] */
    sp_exact_sum *soft; /* [n_rows] */
    int64_t *soft_steps;
    int64_t fleiss_steps, fleiss_squares;
    int64_t *fleiss_totals; /* [K] */
    int32_t *votes;         /* [K] zero between uses */
};

/* Fleiss' kappa of R raters: with n_ij of them putting subject i into category j,
 *     P_i = (sum_j n_ij^2 - R) / (R (R - 1)),  p_j = sum_i n_ij / (N R),  kappa = (mean P_i - sum p_j^2) / (1 - sum p_j^2)
 * from sums over subjects: squares = sum_ij n_ij^2 and totals[j] = sum_i n_ij. Undefined "no scored steps" for N = 0, "one rater"
 * for R < 2, "one class only" where all say one category. Source  Fleiss 1971, doi:10.1037/h0031619. */
static sp_value fleiss_kappa(int64_t n_subjects, int32_t n_raters, int32_t n_categories, int64_t squares,
                             const int64_t *totals)
{
    if (n_raters < 2)
        return value_undefined("one rater");
    if (n_subjects == 0)
        return value_undefined("no scored steps");
    double N = (double)n_subjects, R = n_raters, chance = 0;
    double observed = ((double)squares - N * R) / (N * R * (R - 1));
    for (int32_t k = 0; k < n_categories; k++) {
        if (totals[k] == n_subjects * n_raters)
            return value_undefined("one class only");
        chance += (double)totals[k] / (N * R) * ((double)totals[k] / (N * R));
    }
    return value_of((observed - chance) / (1 - chance));
}

/* ---- opening ---- */

static sp_rater_row *row_at(sp_raters *s, int32_t row)
{
    if (row == 0)
        return &s->reference;
    return row <= s->n_strategies ? &s->strategies[row - 1] : &s->raters[row - 1 - s->n_strategies];
}

static bool open_result(sp_raters *s, const sp_evaluation_options *options, int32_t n_rows)
{
    size_t n = (size_t)options->n_raters;
    s->n_strategies = options->n_strategies;
    s->has_reference = options->has_labels;
    s->names = sp_calloc((int64_t)n, sizeof *s->names);
    s->strategies = sp_calloc(options->n_strategies, sizeof *s->strategies);
    s->raters = sp_calloc((int64_t)n, sizeof *s->raters);
    s->reference.with = sp_calloc(n_rows * (int64_t)n, sizeof *s->reference.with);
    s->n_raters = options->n_raters;
    if (!s->names || !s->strategies || !s->raters || !s->reference.with)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!(s->names[i] = strdup(options->raters[i])))
            return false;
    for (int32_t row = 1; row < n_rows; row++)
        row_at(s, row)->with = s->reference.with + (size_t)row * n;
    return true;
}

sp_status sp_raters_open(sp_evaluation *e, const sp_evaluation_options *options, sp_error *err)
{
    if (options->n_raters <= 0)
        return SP_OK;
    if (options->n_raters > SP_MAX_RATERS || e->K > SP_RATERS_MAX_CLASSES)
        return sp_fail(err, SP_EINVAL,
                       "%d scorers of %d classes: at most %d scorers of %d classes are compared",
                       options->n_raters, e->K, SP_MAX_RATERS, SP_RATERS_MAX_CLASSES);
    int32_t n_rows = 1 + options->n_strategies + options->n_raters;
    size_t K = (size_t)e->K, cells = (size_t)n_rows * (size_t)options->n_raters;
    e->result->raters = calloc(1, sizeof *e->result->raters);
    sp_rater_sums *sums = e->raters = sp_zeros(&e->own, 1, sizeof *sums);
    if (!sums || !e->result->raters || !open_result(e->result->raters, options, n_rows))
        return sp_no_memory(err);
    sums->n_rows = n_rows;
    sums->confusion = sp_zeros(&e->own, cells * K * K, sizeof *sums->confusion);
    sums->undecoded = sp_zeros(&e->own, cells * K, sizeof *sums->undecoded);
    sums->soft = sp_zeros(&e->own, (size_t)n_rows, sizeof *sums->soft);
    sums->soft_steps = sp_zeros(&e->own, (size_t)n_rows, sizeof *sums->soft_steps);
    sums->fleiss_totals = sp_zeros(&e->own, K, sizeof *sums->fleiss_totals);
    sums->votes = sp_zeros(&e->own, K, sizeof *sums->votes);
    return sp_owned_status(&e->own, err);
}

/* ---- a recording ---- */

/* Confusion of a row with a rater: steps that the rater has scored and, where the row is a rater or the reference too, the
 * row. */
static void add_pair(sp_rater_sums *sums, int32_t K, size_t cell, int64_t n, const int32_t *rater,
                     const int32_t *row, bool is_rater)
{
    int64_t *confusion = sums->confusion + cell * (size_t)K * (size_t)K,
            *undecoded = sums->undecoded + cell * (size_t)K;
    for (int64_t t = 0; t < n; t++) {
        if (rater[t] < 0)
            continue;
        if (row[t] >= 0)
            confusion[(size_t)rater[t] * (size_t)K + (size_t)row[t]]++;
        else if (!is_rater)
            undecoded[rater[t]]++;
    }
}

/* n(k) / max n of the votes, without the one for `own` (-1: all count). -1 where nobody is left. */
static double soft_of(const int32_t *votes, int32_t K, int32_t k, int32_t own)
{
    int32_t most = 0, here = 0;
    for (int32_t j = 0; j < K; j++) {
        int32_t n = votes[j] - (j == own);
        most = n > most ? n : most;
        here = j == k ? n : here;
    }
    return most == 0 ? -1 : (double)here / most;
}

static void add_soft(sp_rater_sums *sums, int32_t row, double soft)
{
    if (soft < 0)
        return;
    sp_exact_add(&sums->soft[row], soft);
    sums->soft_steps[row]++;
}

/* All rows at one step. */
static void add_votes(sp_evaluation *e, const int32_t *const *rows, int64_t t)
{
    sp_rater_sums *sums = e->raters;
    int32_t K = e->K, n_raters = e->options.n_raters, first = sums->n_rows - n_raters, n_votes = 0;
    for (int32_t i = first; i < sums->n_rows; i++)
        if (rows[i][t] >= 0) {
            sums->votes[rows[i][t]]++;
            n_votes++;
        }
    for (int32_t i = 0; n_votes && i < sums->n_rows; i++) {
        bool is_rater = i >= first;
        if (!rows[i] || (rows[i][t] < 0 && (is_rater || i == 0)))
            continue; /* who did not score a step is not wrong about it */
        add_soft(sums, i, soft_of(sums->votes, K, rows[i][t], is_rater ? rows[i][t] : -1));
    }
    bool is_full = n_votes == n_raters;
    sums->fleiss_steps += is_full;
    for (int32_t k = 0; k < K; k++) {
        if (is_full) {
            sums->fleiss_squares += (int64_t)sums->votes[k] * sums->votes[k];
            sums->fleiss_totals[k] += sums->votes[k];
        }
        sums->votes[k] = 0;
    }
}

void sp_add_raters(sp_evaluation *e, const sp_recording *r, const int32_t *const *raters,
                   const int32_t *const *paths)
{
    sp_rater_sums *sums = e->raters;
    if (!sums)
        return;
    const int32_t *rows[1 + SP_EVALUATION_MAX_STRATEGIES + SP_MAX_RATERS];
    int32_t n_raters = e->options.n_raters, n_strategies = e->options.n_strategies;
    rows[0] = r->labels;
    for (int32_t s = 0; s < n_strategies; s++)
        rows[1 + s] = paths[s];
    for (int32_t i = 0; i < n_raters; i++)
        rows[1 + n_strategies + i] = raters[i];
    for (int32_t row = 0; row < sums->n_rows; row++)
        for (int32_t i = 0; rows[row] && i < n_raters; i++)
            if (row != 1 + n_strategies + i)
                add_pair(sums, e->K, (size_t)row * (size_t)n_raters + (size_t)i, r->n_steps,
                         rows[1 + n_strategies + i], rows[row], row == 0 || row > n_strategies);
    for (int64_t t = 0; t < r->n_steps; t++)
        add_votes(e, rows, t);
}

/* ---- finishing ---- */

/* Adds what is defined of a row with the first n raters to a sum and its number. */
static void add_values(const sp_rater_row *row, int32_t n, bool is_kappa, double *sum, int32_t *m)
{
    for (int32_t i = 0; i < n; i++) {
        sp_value v = is_kappa ? row->with[i].kappa : row->with[i].accuracy;
        *sum += v.undefined ? 0 : v.value;
        *m += !v.undefined;
    }
}

static sp_value mean_of(const sp_rater_row *row, int32_t n, bool is_kappa)
{
    double sum = 0;
    int32_t m = 0;
    add_values(row, n, is_kappa, &sum, &m);
    return value_ratio(sum, m, "defined with no scorer");
}

static void finish_row(const sp_evaluation *e, int32_t index, sp_rater_row *row)
{
    const sp_rater_sums *sums = e->raters;
    int32_t n = e->options.n_raters, itself = index - 1 - e->options.n_strategies;
    size_t K = (size_t)e->K;
    for (int32_t i = 0; i < n; i++) {
        size_t cell = (size_t)index * (size_t)n + (size_t)i;
        sp_agreement a;
        sp_agreement_from_confusion(e->K, sums->confusion + cell * K * K, sums->undecoded + cell * K, &a,
                                    NULL);
        row->with[i] =
            (sp_rater_pair){.steps = a.scored, .agreed = a.correct, .accuracy = a.accuracy, .kappa = a.kappa};
        if (i == itself)
            row->with[i].accuracy = row->with[i].kappa = value_undefined("itself");
    }
    row->mean_accuracy = mean_of(row, n, false);
    row->mean_kappa = mean_of(row, n, true);
    row->soft_steps = sums->soft_steps[index];
    row->soft = value_ratio(sp_exact_value(&sums->soft[index]), (double)row->soft_steps, "no scored steps");
}

/* Mean over the pairs of raters, each once: that of their rows would weigh a pair less where others are undefined. */
static sp_value mean_of_pairs(const sp_raters *s, bool is_kappa)
{
    double sum = 0;
    int32_t m = 0;
    for (int32_t i = 0; i < s->n_raters; i++)
        add_values(&s->raters[i], i, is_kappa, &sum, &m);
    return value_ratio(sum, m, s->n_raters < 2 ? "one scorer" : "defined for no pair");
}

void sp_raters_finish(sp_evaluation *e)
{
    sp_raters *s = e->result->raters;
    sp_rater_sums *sums = e->raters;
    if (!sums)
        return;
    for (int32_t row = 0; row < sums->n_rows; row++)
        finish_row(e, row, row_at(s, row));
    s->reference.name = "reference";
    for (int32_t i = 0; i < s->n_strategies; i++)
        s->strategies[i].name = e->result->strategies[i].name;
    for (int32_t i = 0; i < s->n_raters; i++)
        s->raters[i].name = s->names[i];
    s->mean_accuracy = mean_of_pairs(s, false);
    s->mean_kappa = mean_of_pairs(s, true);
    s->fleiss_steps = sums->fleiss_steps;
    s->fleiss = s->n_raters > 2 ? fleiss_kappa(sums->fleiss_steps, s->n_raters, e->K, sums->fleiss_squares,
                                               sums->fleiss_totals)
                                : value_undefined("fewer than three scorers");
}
