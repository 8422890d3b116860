#include "learn/durations/durations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "core/owned.h"
#include "core/try.h"

static const double beyond = 1e-6; /* of the distribution, at most, after its last length */
static const double smoothings[] = {INFINITY, 300, 100, 30, 10, 3}; /* imaginary runs */
enum { MOST_LENGTHS = 4096, N_SMOOTHINGS = sizeof smoothings / sizeof *smoothings };

/* ---- runs of one class, by length ---- */

typedef struct tally {
    int32_t longest;     /* 0: none */
    double *whole, *cut; /* [longest] */
    double n_whole, n_cut;
} tally;

/* Does a run count, where recordings of fold f alone (is_of), or all but they, do? */
static bool counts(const sp_label_run *run, const int32_t *fold, int32_t f, bool is_of)
{
    return ((fold ? fold[run->recording] : -1) == f) == is_of;
}

static void tally_runs(const sp_run_list *runs, int32_t k, const int32_t *fold, int32_t f, bool is_of,
                       tally *out)
{
    const int64_t end = sp_run_list_from(runs, k + 1);
    memset(out->whole, 0, (size_t)out->longest * sizeof *out->whole);
    memset(out->cut, 0, (size_t)out->longest * sizeof *out->cut);
    out->n_whole = out->n_cut = 0;
    for (int64_t i = sp_run_list_from(runs, k); i < end; i++) {
        const sp_label_run *run = &runs->list[i];
        if (!counts(run, fold, f, is_of))
            continue;
        (run->is_cut ? out->cut : out->whole)[run->length - 1]++;
        *(run->is_cut ? &out->n_cut : &out->n_whole) += 1;
    }
}

static bool tally_new(sp_owned *own, int32_t longest, tally *out)
{
    out->longest = longest;
    out->whole = sp_zeros(own, (size_t)longest, sizeof *out->whole);
    out->cut = sp_zeros(own, (size_t)longest, sizeof *out->cut);
    return out->cut != NULL;
}

/* ---- the negative binomial ----
 *
 * Of x = d - 1, of mean m and size r: p(x) = gamma(x + r) / (gamma(r) x!) (r / (r + m))^r (m / (r + m))^x. Weakly drawn to the
 * geometric (log r is normal about 0, with standard deviation 1), and half a run to the mean 1 of x, so that few runs say nothing
 * outrageous. */

typedef struct negative_binomial {
    double m, r;
} negative_binomial;

/* P(X >= x). */
static double at_least(double x, negative_binomial nb)
{
    return x < 1 ? 1 : gsl_cdf_negative_binomial_Q((unsigned)x - 1, nb.r / (nb.r + nb.m), nb.r);
}

/* E(X | X >= x), by x p(x; r) = m p(x - 1; r + 1) with the same r / (r + m). */
static double mean_from(double x, negative_binomial nb)
{
    const double all = at_least(x, nb);
    const negative_binomial next = {nb.m * (nb.r + 1) / nb.r, nb.r + 1};
    return all > 1e-200 ? nb.m * at_least(x - 1, next) / all : x + nb.m / nb.r;
}

/* The mean of greatest likelihood for a size, by expectation and maximisation over what the runs without an end have. */
static double mean_for(const tally *t, double r)
{
    enum { MOST = 200 };
    double sum = .5, n = .5 + t->n_whole + t->n_cut, m = 1;
    for (int32_t x = 0; x < t->longest; x++)
        sum += x * t->whole[x];
    for (int i = 0; i < MOST; i++) {
        double all = sum;
        for (int32_t x = 0; t->n_cut > 0 && x < t->longest; x++)
            if (t->cut[x] > 0)
                all += t->cut[x] * mean_from(x, (negative_binomial){m, r});
        const double before = m;
        m = all / n;
        if (fabs(m - before) <= 1e-9 * m)
            break;
    }
    return m;
}

/* log of the likelihood of a size, with its mean. gamma(x + r) / (gamma(r) x!) is the product of (r + j) / (j + 1) over j < x. */
static double log_likelihood(const tally *t, double log_r, negative_binomial *out)
{
    const double r = exp(log_r), m = mean_for(t, r), stay = log(m / (r + m)), none = r * log(r / (r + m));
    double product = 0, sum = -.5 * log_r * log_r;
    *out = (negative_binomial){m, r};
    for (int32_t x = 0; x < t->longest; x++) {
        if (t->whole[x] > 0)
            sum += t->whole[x] * (none + product + x * stay);
        if (t->cut[x] > 0)
            sum += t->cut[x] * log(fmax(at_least(x, *out), 1e-300));
        product += log((r + x) / (x + 1));
    }
    return sum;
}

/* The best size from the least to the greatest that is looked at, by halving the step about the best so far. */
static negative_binomial fit(const tally *t)
{
    const double least = log(.02), most = log(500);
    double step = (most - least) / 16, best = 0;
    negative_binomial found, other;
    double value = log_likelihood(t, best, &found);
    for (; step > 1e-6; step /= 2)
        for (int side = -1; side <= 1; side += 2)
            for (double next = best + side * step; next >= least && next <= most; next += side * step) {
                const double trial = log_likelihood(t, next, &other);
                if (!(trial > value))
                    break;
                value = trial;
                best = next;
                found = other;
            }
    return found;
}

/* Lengths after which less than `beyond` is left. */
static int64_t length_of(negative_binomial nb)
{
    int64_t low = 0, high = 1; /* at_least(low) is more, at_least(high) less */
    while (at_least((double)high, nb) >= beyond && high <= MOST_LENGTHS)
        high *= 2;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(at_least((double)middle, nb) >= beyond ? &low : &high) = middle;
    }
    return high;
}

/* p [n], of sum 1. */
static void tabulate(negative_binomial nb, int32_t n, double *p)
{
    double sum = 0, log_p = nb.r * log(nb.r / (nb.r + nb.m));
    for (int32_t x = 0; x < n; x++) {
        sum += p[x] = exp(log_p);
        log_p += log((nb.r + x) / (x + 1)) + log(nb.m / (nb.r + nb.m));
    }
    for (int32_t x = 0; x < n; x++)
        p[x] /= sum;
}

/* ---- between the runs and the negative binomial ---- */

/* p [n] is that of the negative binomial, and becomes the smoothed one; tail, next [n] room. */
static void smooth(const tally *t, double a, int32_t n, double *p, double *tail, double *next)
{
    enum { TIMES = 30 };
    const double all = t->n_whole + t->n_cut + a;
    if (isinf(a))
        return;
    for (int32_t x = 0; x < n; x++)
        next[x] = a * p[x] + (x < t->longest ? t->whole[x] : 0);
    for (int i = 0; i < (t->n_cut > 0 ? TIMES : 1); i++) {
        double shared = 0;
        tail[n - 1] = p[n - 1];
        for (int32_t x = n - 2; x >= 0; x--)
            tail[x] = tail[x + 1] + p[x];
        for (int32_t x = 0; x < n; x++) {
            if (x < t->longest && t->cut[x] > 0)
                shared += t->cut[x] / tail[x];
            p[x] = (next[x] + shared * p[x]) / all;
        }
    }
}

/* What p says of runs. */
static double log_probability(const tally *t, int32_t n, const double *p)
{
    double tail = 0, sum = 0;
    for (int32_t x = n - 1; x >= 0; x--) {
        tail += p[x];
        if (x < t->longest && t->whole[x] > 0)
            sum += t->whole[x] * log(p[x]);
        if (x < t->longest && t->cut[x] > 0)
            sum += t->cut[x] * log(tail);
    }
    return sum;
}

static int64_t longest_of(const sp_run_list *runs, int32_t k)
{
    const int64_t end = sp_run_list_from(runs, k + 1);
    return end > sp_run_list_from(runs, k) ? runs->list[end - 1].length : 0;
}

/* Adds to gain[] what each smoothing says of the runs of fold f by those of the others. */
static void judge_fold(const sp_run_list *runs, int32_t k, const int32_t *fold, int32_t f, int32_t n,
                       tally *t, double *room, double *gain)
{
    double *nb = room, *p = room + n, *tail = p + n, *next = tail + n;
    tally_runs(runs, k, fold, f, false, &t[0]);
    tally_runs(runs, k, fold, f, true, &t[1]);
    if (t[0].n_whole == 0)
        return;
    tabulate(fit(&t[0]), n, nb);
    for (int i = 0; i < N_SMOOTHINGS; i++) {
        memcpy(p, nb, (size_t)n * sizeof *p);
        smooth(&t[0], smoothings[i], n, p, tail, next);
        gain[i] += log_probability(&t[1], n, p);
    }
}

static sp_status choose(const sp_run_list *runs, int32_t k, const int32_t *fold, int32_t n_folds,
                        sp_learnt_duration *out, sp_error *err)
{
    const int64_t longest = longest_of(runs, k);
    double gain[N_SMOOTHINGS] = {0};
    tally t[2] = {{0}, {0}};
    sp_owned own = {0};
    sp_status status = SP_OK;
    *out = (sp_learnt_duration){.smoothing = INFINITY};
    if (longest == 0)
        return SP_OK;
    if (!tally_new(&own, longest > MOST_LENGTHS ? MOST_LENGTHS : (int32_t)longest, &t[0]) ||
        !tally_new(&own, t[0].longest, &t[1]))
        TRY(sp_no_memory(err));
    if (longest <= MOST_LENGTHS / 2) {
        tally_runs(runs, k, NULL, -2, false, &t[0]);
        out->n_whole = (int64_t)t[0].n_whole;
        out->n_cut = (int64_t)t[0].n_cut;
    }
    if (out->n_whole == 0)
        goto done;
    const int64_t tail = length_of(fit(&t[0])), n = tail > 2 * longest ? tail : 2 * longest;
    if (n > MOST_LENGTHS)
        goto done;
    out->n_lengths = (int32_t)n;
    double *room = sp_zeros(&own, 4 * (size_t)n, sizeof *room);
    if (!room)
        TRY(sp_no_memory(err));
    for (int32_t f = 0; f < n_folds; f++)
        judge_fold(runs, k, fold, f, out->n_lengths, t, room, gain);
    int best = 0;
    for (int i = 1; i < N_SMOOTHINGS; i++)
        best = gain[i] > gain[best] ? i : best;
    out->smoothing = smoothings[best];
done:
    sp_owned_free(&own);
    return status;
}

sp_status sp_durations_choose(const sp_run_list *runs, int32_t n_classes, const int32_t *fold,
                              int32_t n_folds, sp_learnt_duration *out, sp_error *err)
{
    sp_status status = SP_OK;
    for (int32_t k = 0; status == SP_OK && k < n_classes; k++)
        status = choose(runs, k, fold, n_folds, &out[k], err);
    return status;
}

sp_status sp_durations_table(const sp_run_list *runs, int32_t k, sp_learnt_duration *found, double *p,
                             sp_error *err)
{
    const size_t n = (size_t)found->n_lengths;
    sp_owned own = {0};
    tally t = {0};
    sp_status status = SP_OK;
    double *tail = sp_zeros(&own, n, sizeof *tail), *next = sp_zeros(&own, n, sizeof *next);
    if (!tally_new(&own, (int32_t)longest_of(runs, k), &t) || !tail || !next)
        TRY(sp_no_memory(err));
    tally_runs(runs, k, NULL, -2, false, &t);
    const negative_binomial nb = fit(&t);
    found->mean = nb.m + 1;
    found->dispersion = nb.r;
    tabulate(nb, found->n_lengths, p);
    smooth(&t, found->smoothing, found->n_lengths, p, tail, next);
done:
    sp_owned_free(&own);
    return status;
}

/* ---- into a model ---- */

static void weigh_changes(sp_model *model, int32_t k)
{
    double sum = 0;
    for (int64_t e = model->row[k]; e < model->row[k + 1]; e++)
        sum += model->to[e] != k ? exp(model->weight[e]) : 0;
    for (int64_t e = model->row[k]; e < model->row[k + 1]; e++)
        model->weight[e] = model->to[e] != k ? model->weight[e] - log(sum) : 0;
}

void sp_durations_weigh_changes(sp_model *model)
{
    for (int32_t k = 0; model->durations && k < model->n_classes; k++)
        if (model->durations[k].form != SP_DURATION_FREE) {
            weigh_changes(model, k);
            model->weight_form = SP_WEIGHTS_LOG;
        }
}
