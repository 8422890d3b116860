/* Weights of windows over neighbouring steps (sp_windows), learnt as a logistic regression with a ridge:
 *
 *     minimise over scale, bias, W   sum_t -log softmax(z_t)[label_t] + penalty / 2 |W|^2 + 1/2 |bias|^2
 *     z_t[k] = scale l_t[k] + bias[k] + sum_i W[i,k] x_t[i]                                    (model.h)
 *
 * over labelled steps, of very many over a part that is spread evenly. Log-probabilities among the inputs count a third, which brings them to about
 * the range of probabilities. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa.h"
#include "core/model/windows.h"
#include "core/try.h"
#include "learn/lbfgs.h"
#include "learn/probabilities.h"
#include "learn/tune.h"

static const int32_t window_steps[] = {2, 6, 18, 54};
static const double log_share = 1. / 3;

enum { N_WINDOWS = sizeof window_steps / sizeof *window_steps, GROUP = 64, MOST_ITERATIONS = 50 };

static const double most_numbers = 6e6; /* inputs of all steps that are learnt from */

/* Steps to learn from, in groups of GROUP, the last filled up with steps of weight 0. */
typedef struct sample {
    sp_owned own;
    int32_t K;
    size_t n_inputs;
    int64_t n, n_groups;
    float *x;     /* [n_groups,inputs,GROUP] */
    double *l;    /* [n_groups,K,GROUP] */
    int32_t *y;   /* [n_groups,GROUP] -1: no step */
    double *sums; /* [n_groups,1 + parameters] value, then gradient */
    double penalty;
    sp_workers *workers;
} sample;

static size_t n_parameters(const sample *s)
{
    return 1 + (size_t)s->K * (1 + s->n_inputs);
}

/* ---- value and gradient of a group ---- */

SP_ALWAYS_INLINE void weigh_any(const float *restrict x, const double *restrict weight, size_t n_inputs,
                                int32_t K, double *restrict z)
{
    for (size_t i = 0; i < n_inputs; i++)
        for (int32_t k = 0; k < K; k++) {
            const double w = weight[i * (size_t)K + (size_t)k];
            for (int b = 0; b < GROUP; b++)
                z[k * GROUP + b] += w * (double)x[i * GROUP + (size_t)b];
        }
}
SP_FOR_EACH_ISA(void, weigh,
                (const float *restrict x, const double *restrict weight, size_t n_inputs, int32_t K,
                 double *restrict z),
                weigh_any(x, weight, n_inputs, K, z);)

SP_ALWAYS_INLINE void gather_any(const float *restrict x, const double *restrict g, size_t n_inputs,
                                 int32_t K, double *restrict out)
{
    enum { SUMS = 8 };
    for (size_t i = 0; i < n_inputs; i++)
        for (int32_t k = 0; k < K; k++) {
            double sum[SUMS] = {0};
            for (int b = 0; b < GROUP; b += SUMS)
                for (int j = 0; j < SUMS; j++)
                    sum[j] += (double)x[i * GROUP + (size_t)(b + j)] * g[k * GROUP + b + j];
            out[i * (size_t)K + (size_t)k] =
                ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
        }
}
SP_FOR_EACH_ISA(void, gather,
                (const float *restrict x, const double *restrict g, size_t n_inputs, int32_t K,
                 double *restrict out),
                gather_any(x, g, n_inputs, K, out);)

typedef struct evaluation {
    const sample *s;
    const double *theta;
} evaluation;

static void evaluate_groups(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    const evaluation *e = arg;
    const sample *s = e->s;
    const int32_t K = s->K;
    const size_t n = n_parameters(s);
    const double *bias = e->theta + 1;
    (void)scratch;
    for (int64_t g = first; g < last; g++) {
        const float *x = s->x + (size_t)g * s->n_inputs * GROUP;
        double *sums = s->sums + (size_t)g * (n + 1), *slopes = sums + 1;
        const int32_t *y = s->y + g * GROUP;
        /* z, then its gradient, in the place of l's copy behind the sums of all groups */
        double *z = s->sums + (size_t)s->n_groups * (n + 1) + (size_t)g * (size_t)K * GROUP;
        const double *l = s->l + (size_t)g * (size_t)K * GROUP;
        for (int32_t k = 0; k < K; k++)
            for (int b = 0; b < GROUP; b++)
                z[k * GROUP + b] = e->theta[0] * l[k * GROUP + b] + bias[k];
        SP_BY_ISA(weigh, sp_isa_current())(x, bias + K, s->n_inputs, K, z);
        memset(sums, 0, (size_t)(2 + K) * sizeof *sums);
        for (int b = 0; b < GROUP; b++) {
            double greatest = -INFINITY, sum = 0;
            for (int32_t k = 0; k < K; k++)
                greatest = z[k * GROUP + b] > greatest ? z[k * GROUP + b] : greatest;
            const double own = y[b] < 0 ? 0 : z[y[b] * GROUP + b] - greatest;
            for (int32_t k = 0; k < K; k++)
                sum += z[k * GROUP + b] = exp(z[k * GROUP + b] - greatest);
            for (int32_t k = 0; k < K; k++) {
                const double slope = y[b] < 0 ? 0 : z[k * GROUP + b] / sum - (k == y[b]);
                z[k * GROUP + b] = slope;
                slopes[0] += slope * l[k * GROUP + b];
                slopes[1 + k] += slope;
            }
            sums[0] += y[b] < 0 ? 0 : log(sum) - own;
        }
        SP_BY_ISA(gather, sp_isa_current())(x, z, s->n_inputs, K, slopes + 1 + K);
    }
}

static sp_status evaluate(void *arg, const double *theta, double *value, double *gradient, sp_error *err)
{
    const sample *s = arg;
    const size_t n = n_parameters(s), K = (size_t)s->K;
    const evaluation e = {s, theta};
    (void)err;
    sp_workers_share(s->workers, s->n_groups, evaluate_groups, (void *)(uintptr_t)&e);
    *value = 0;
    for (size_t i = 0; i < n; i++) {
        const double weight = i == 0 ? 0 : i <= K ? 1 : s->penalty;
        *value += weight / 2 * theta[i] * theta[i];
        gradient[i] = weight * theta[i];
    }
    for (int64_t g = 0; g < s->n_groups; g++) { /* in order, whatever the number of threads */
        const double *sums = s->sums + (size_t)g * (n + 1);
        *value += sums[0];
        for (size_t i = 0; i < n; i++)
            gradient[i] += sums[1 + i];
    }
    return SP_OK;
}

/* ---- a sample ---- */

static bool is_learnt_from(const sp_training *training, int64_t t)
{
    const int32_t label = training->labels[t];
    return label >= 0 && sp_scores_at(&training->batch.scores, t, label) > -INFINITY;
}

/* Fills in every `stride`-th step that can be learnt from. */
static sp_status fill(sample *s, const sp_training *training, int64_t stride, sp_error *err)
{
    const sp_batch *batch = &training->batch;
    const size_t K = (size_t)s->K, n_inputs = s->n_inputs;
    double *x = malloc(n_inputs * sizeof *x);
    int64_t seen = 0, at = 0;
    sp_status status = x ? SP_OK : sp_no_memory(err);
    for (int64_t r = 0; status == SP_OK && r < batch->n_recordings; r++) {
        const int64_t first = batch->offsets[r], T = batch->offsets[r + 1] - first;
        if (!sp_training_uses(training, r) || T == 0)
            continue;
        const sp_scores scores = sp_batch_recording(batch, r);
        sp_neighbours n;
        double *room = sp_windows_look_around(&n, &scores, SP_WINDOWS_FLOOR);
        if (!room)
            status = sp_no_memory(err);
        for (int64_t t = 0; status == SP_OK && t < T; t++) {
            if (!is_learnt_from(training, first + t) || seen++ % stride)
                continue;
            const int64_t g = at / GROUP, b = at % GROUP;
            sp_neighbours_inputs(&n, t, N_WINDOWS, window_steps, x);
            for (size_t i = 0; i < n_inputs; i++)
                s->x[((size_t)g * n_inputs + i) * GROUP + (size_t)b] =
                    (float)(x[i] * (i / K % 2 ? 1 : log_share));
            for (size_t k = 0; k < K; k++)
                s->l[((size_t)g * K + k) * GROUP + (size_t)b] = n.own[k * (size_t)T + (size_t)t];
            s->y[at++] = training->labels[first + t];
        }
        free(room);
    }
    free(x);
    return status;
}

static sp_status sample_init(sample *s, const sp_training *training, sp_error *err)
{
    const sp_batch *batch = &training->batch;
    int64_t n = 0;
    sp_status status = SP_OK;
    s->K = batch->scores.n_classes;
    s->n_inputs = sp_windows_n_inputs(N_WINDOWS, s->K);
    for (int64_t r = 0; r < batch->n_recordings; r++)
        for (int64_t t = batch->offsets[r]; sp_training_uses(training, r) && t < batch->offsets[r + 1]; t++)
            n += is_learnt_from(training, t);
    const int64_t most = (int64_t)(most_numbers / (double)s->n_inputs / (s->K > 8 ? s->K / 8. : 1)),
                  stride = n > most ? (n + most - 1) / most : 1;
    s->n = (n + stride - 1) / stride;
    s->n_groups = (s->n + GROUP - 1) / GROUP;
    const size_t groups = (size_t)s->n_groups, K = (size_t)s->K;
    s->x = sp_zeros(&s->own, groups * s->n_inputs, GROUP * sizeof *s->x);
    s->l = sp_zeros(&s->own, groups * K, GROUP * sizeof *s->l);
    s->y = sp_zeros(&s->own, groups, GROUP * sizeof *s->y);
    s->sums = sp_zeros(&s->own, groups * (n_parameters(s) + 1 + K * GROUP), sizeof *s->sums);
    TRY(sp_owned_status(&s->own, err));
    for (size_t i = 0; i < groups * GROUP; i++)
        s->y[i] = -1;
    TRY(fill(s, training, stride, err));
done:
    return status;
}

/* ---- the fit ---- */

static void keep(const sample *s, const double *theta, sp_windows *w)
{
    const size_t K = (size_t)s->K;
    w->scale = sp_five_digits(theta[0]);
    for (size_t k = 0; k < K; k++)
        w->bias[k] = sp_five_digits(theta[1 + k]);
    for (size_t i = 0; i < s->n_inputs * K; i++)
        w->weight[i] = sp_five_digits(theta[1 + K + i] * (i / K / K % 2 ? 1 : log_share));
}

/* For penalties [n], from the greatest on: out [n], NULL before. */
static sp_status learn(const sp_training *training, int n, const double *penalties, sp_workers *workers,
                       sp_windows **out, sp_error *err)
{
    sample s = {.workers = workers};
    double *theta = NULL;
    sp_status status = SP_OK;
    TRY(sample_init(&s, training, err));
    theta = calloc(n_parameters(&s), sizeof *theta);
    TRY(theta ? SP_OK : sp_no_memory(err));
    theta[0] = 1;
    for (int i = 0; i < n; i++) {
        sp_lbfgs_result result;
        s.penalty = penalties[i];
        TRY(sp_training_go_on(training, err));
        TRY(sp_lbfgs((int64_t)n_parameters(&s), theta, evaluate, &s, 1e-5, MOST_ITERATIONS, &result, err));
        TRY((out[i] = sp_windows_new(N_WINDOWS, window_steps, s.K)) ? SP_OK : sp_no_memory(err));
        keep(&s, theta, out[i]);
    }
done:
    free(theta);
    sp_owned_free(&s.own);
    return status;
}

/* ---- chosen ---- */

/* The first leaves nothing but scale and bias: what windows are held against. */
static const double penalties[] = {1e9, 300, 30};
enum { N_PENALTIES = sizeof penalties / sizeof *penalties, LEAST_GROUPS = 5 };

typedef struct choice {
    double *scores
        [N_PENALTIES]; /* [S,K] of recordings by windows that did not see them; of the first none are kept */
    double *nll[N_PENALTIES]; /* [N] of their labels */
    double *rows;             /* [longest,K] */
} choice;

static void choice_clear(choice *c)
{
    for (int i = 0; i < N_PENALTIES; i++) {
        free(c->scores[i]);
        free(c->nll[i]);
    }
    free(c->rows);
}

static sp_status choice_init(choice *c, const sp_batch *batch, sp_error *err)
{
    const size_t K = (size_t)batch->scores.n_classes;
    int64_t longest = 0;
    for (int64_t r = 0; r < batch->n_recordings; r++)
        longest = batch->offsets[r + 1] - batch->offsets[r] > longest
                      ? batch->offsets[r + 1] - batch->offsets[r]
                      : longest;
    bool is_whole = (c->rows = malloc(((size_t)longest + 1) * K * sizeof *c->rows)) != NULL;
    for (int i = 0; i < N_PENALTIES; i++) {
        c->nll[i] = calloc((size_t)batch->n_recordings + 1, sizeof *c->nll[i]);
        if (i > 0)
            c->scores[i] = malloc(((size_t)batch->scores.n_steps + 1) * K * sizeof *c->scores[i]);
        is_whole = is_whole && c->nll[i] && (c->scores[i] || i == 0);
    }
    return is_whole ? SP_OK : sp_no_memory(err);
}

/* The recordings of a fold by windows learnt on the others. */
static sp_status cross_fold(choice *c, const sp_tuner *u, int32_t f, sp_error *err)
{
    const sp_training others = sp_tuner_without(u, f);
    const sp_batch *batch = &u->training->batch;
    const int64_t K = batch->scores.n_classes;
    sp_windows *windows[N_PENALTIES] = {NULL};
    sp_status status = SP_OK;
    TRY(learn(&others, N_PENALTIES, penalties, u->workers, windows, err));
    for (int64_t r = 0; r < batch->n_recordings; r++)
        for (int i = 0; u->fold[r] == f && i < N_PENALTIES; i++) {
            const sp_scores scores = sp_batch_recording(batch, r);
            double *rows = c->scores[i] ? c->scores[i] + batch->offsets[r] * K : c->rows;
            TRY(sp_windows_rows(windows[i], &scores, rows) ? SP_OK : sp_no_memory(err));
            for (int64_t t = 0; t < scores.n_steps; t++)
                if (is_learnt_from(u->training, batch->offsets[r] + t))
                    c->nll[i][r] -= rows[t * K + u->training->labels[batch->offsets[r] + t]];
        }
done:
    for (int i = 0; i < N_PENALTIES; i++)
        sp_windows_free(windows[i]);
    return status;
}

/* What the tuned counts make of these scores [S,K], NULL: those of the training set. */
static sp_status judge(const sp_tuner *u, const sp_rules *rules, const double *scores, sp_evidence *out,
                       sp_error *err)
{
    sp_fit_report unused = {.before = NAN, .after = NAN};
    sp_settings settings;
    sp_training seen = *u->training;
    if (scores)
        sp_training_take_scores(&seen, scores);
    return sp_tune_counts(&seen, u->options, rules, u->workers, &settings, out, &unused, err);
}

/* Why windows are not learnt; NULL: they are. `auto` says nothing of data that they could not be learnt from. Labels of several classes
 * leave out steps of those classes alone, and windows learnt from the others find these too seldom. */
static const char *reason_against(const sp_fit_options *options, const sp_tuner *u)
{
    int64_t n_steps, n_set_steps;
    sp_training_count(u->training, &n_steps, &n_set_steps);
    if (options->features == SP_FEATURES_AUTO && n_set_steps > 0)
        return "they are learnt from steps with one class, and whether a step has several depends on its "
               "class";
    if (options->features == SP_FEATURES_AUTO)
        return u->n_groups < LEAST_GROUPS
                   ? "fewer than five labelled recordings (or groups) are too few to learn them from"
                   : NULL;
    return u->n_folds == 0 ? "there are no two labelled recordings (or groups)" : NULL;
}

static bool can_learn(const sp_training *training, const sp_fit_options *options)
{
    return options->method != SP_FIT_EM && training->labels && training->batch.scores.data;
}

/* Takes windows of this penalty: learnt on what judged; recordings that did not judge get scores by them, which have not seen these. */
static sp_status take(const sp_tuner *u, choice *c, int best, sp_windows **out, double **scores,
                      sp_error *err)
{
    const sp_batch *batch = &u->training->batch;
    sp_training judged = *u->training;
    sp_status status = SP_OK;
    judged.use = u->judged;
    TRY(learn(&judged, 1, &penalties[best], u->workers, out, err));
    for (int64_t r = 0; r < batch->n_recordings; r++) {
        const sp_scores rest = sp_batch_recording(batch, r);
        if (u->fold[r] < 0)
            TRY(sp_windows_rows(*out, &rest, c->scores[best] + batch->offsets[r] * batch->scores.n_classes)
                    ? SP_OK
                    : sp_no_memory(err));
    }
    *scores = c->scores[best];
    c->scores[best] = NULL;
done:
    return status;
}

sp_status sp_fit_windows(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                         sp_workers *workers, sp_windows **out, double **scores, sp_fit_report *report,
                         sp_error *err)
{
    const bool is_auto = options->features == SP_FEATURES_AUTO;
    sp_tuner u = {.training = training, .options = options, .workers = workers, .most_steps = SP_TUNED_STEPS};
    choice c = {.rows = NULL};
    sp_evidence with, without, likelihood[N_PENALTIES];
    sp_status status = SP_OK;
    if (options->features == SP_FEATURES_NONE ||
        (is_auto && (options->tune == SP_TUNE_NONE || !can_learn(training, options))))
        return SP_OK;
    if (!can_learn(training, options))
        return sp_fail(err, SP_EINVAL, "`features` windows: they are learnt from scores and labels");
    TRY(sp_tuner_init(&u, err));
    report->windows_untried = reason_against(options, &u);
    if (report->windows_untried && !is_auto)
        TRY(sp_fail(err, SP_EINVAL, "`features` windows: %s", report->windows_untried));
    if (report->windows_untried)
        goto done;
    TRY(choice_init(&c, &training->batch, err));
    for (int32_t f = 0; f < u.n_folds; f++) {
        TRY(cross_fold(&c, &u, f, err));
        if (options->progress)
            options->progress(options->progress_arg, "windows", f + 1, u.n_folds);
    }
    sp_training judged = *training;
    sp_fit_options by_likelihood = *options;
    judged.use = u.judged;
    by_likelihood.tune = SP_TUNE_NLL;
    for (int i = 0; i < N_PENALTIES; i++)
        TRY(sp_evidence_of(&judged, &by_likelihood, &(sp_judged){.nll = c.nll[i]}, &likelihood[i], err));
    const int best = likelihood[2].value > likelihood[1].value ? 2 : 1;
    report->windows_gain = sp_evidence_gain(&likelihood[best], &likelihood[0], &report->windows_error);
    if (!sp_tuner_reason_against(&u) && options->tune != SP_TUNE_NONE) {
        TRY(judge(&u, rules, NULL, &without, err));
        TRY(judge(&u, rules, c.scores[best], &with, err));
        report->windows_figure_gain = with.value - without.value;
    }
    if (!is_auto || (report->windows_gain > report->windows_error && report->windows_figure_gain > 0))
        TRY(take(&u, &c, best, out, scores, err));
done:
    choice_clear(&c);
    sp_tuner_clear(&u);
    return status;
}
