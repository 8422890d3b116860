/* A fusion of several classifiers of the same recordings: learnt, and held against each of them and their mean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/fusion.h"
#include "core/numbers.h"
#include "core/owned.h"
#include "core/try.h"
#include "learn/crf/crf.h"
#include "learn/training.h"
#include "learn/tune.h"

static double score_of(const sp_training *training, int32_t c, size_t i)
{
    const sp_scores *first = &training->batch.scores;
    return c ? training->beside[c - 1][i] : number_get(first->data, first->dtype, i);
}

void sp_training_fuse(const sp_training *training, const double *weight, double floor, double *out)
{
    const size_t size = (size_t)(training->batch.scores.n_steps * training->batch.scores.n_classes);
    const int32_t n = 1 + training->n_beside;
    const double least = log(floor);
    for (size_t i = 0; i < size; i++) {
        out[i] = 0;
        for (int32_t c = 0; c < n; c++) {
            const double w = weight ? weight[c] : 1. / n, e = score_of(training, c, i);
            if (w > 0)
                out[i] += w * (e < least ? least : e);
        }
    }
}

/* ---- learning the weights ---- */

/* Standard deviation 1 about the equal weights, which 100 steps outweigh. */
static const double penalty = 1;

/* What may be kept: each classifier, their mean, the fusion. */
typedef struct candidates {
    sp_owned own;
    int32_t n;             /* classifiers; number n is the mean, n + 1 the fusion */
    double **sets;         /* [n + 1][S,K] of each, with the floor, and their mean */
    double *room;          /* [S,K] of the fusion, by weights that did not see the recording */
    sp_evidence *evidence; /* [n + 2] */
} candidates;

/* The weights that make the labels of a training set most likely, of sum 1: how much all of them weigh beside transitions is left to tuning. */
static sp_status learn(const candidates *k, const sp_training *training, const sp_fit_options *options,
                       const sp_rules *rules, sp_workers *workers, double *weight, sp_error *err)
{
    const sp_crf_scores scores = {k->n, (const double *const *)k->sets, penalty};
    sp_training seen = *training;
    sp_rules of_classes = *rules; /* borrows */
    double *theta = NULL, sum = 0;
    sp_crf *crf = NULL;
    sp_status status = SP_OK;
    sp_training_take_scores(&seen, k->sets[k->n]); /* of which a label is possible where it is by all */
    of_classes.hidden =
        NULL; /* weights of scores are learnt under what the rules say of classes, whatever the states */
    TRY(sp_crf_new(&seen, &of_classes, 1, &crf, err));
    TRY((theta = malloc((size_t)sp_crf_n_parameters(crf) * sizeof *theta)) ? SP_OK : sp_no_memory(err));
    TRY(sp_crf_from_counts(crf, options->smoothing > 0 ? options->smoothing : 0.5, &(sp_crf_weights){1, 1, 0},
                           workers, theta, err));
    TRY(sp_crf_weigh(crf, theta, &scores, 1e-7, workers, weight, err));
    for (int32_t c = 0; c < k->n; c++)
        sum += weight[c];
    for (int32_t c = 0; c < k->n; c++) /* as many digits as a reader of the model wants */
        weight[c] = round(weight[c] / sum * 1e4) / 1e4;
done:
    free(theta);
    sp_crf_free(crf);
    return status;
}

/* ---- choosing ---- */

static sp_status candidates_init(candidates *k, const sp_training *training, double floor, sp_error *err)
{
    const size_t S = (size_t)training->batch.scores.n_steps, K = (size_t)training->batch.scores.n_classes;
    k->n = 1 + training->n_beside;
    k->sets = sp_zeros(&k->own, (size_t)k->n + 1, sizeof *k->sets);
    k->evidence = sp_zeros(&k->own, (size_t)k->n + 2, sizeof *k->evidence);
    k->room = sp_zeros(&k->own, S, K * sizeof *k->room);
    for (int32_t i = 0; k->sets && i <= k->n; i++) {
        double weight[SP_MOST_CLASSIFIERS] = {0};
        if (!(k->sets[i] = sp_zeros(&k->own, S, K * sizeof **k->sets)))
            break;
        weight[i < k->n ? i : 0] = 1;
        sp_training_fuse(training, i < k->n ? weight : NULL, isnan(floor) ? 0 : floor, k->sets[i]);
    }
    return sp_owned_status(&k->own, err);
}

/* The scores of a recording by these weights, into the room. */
static void fuse_rows(const candidates *k, const double *weight, const sp_batch *batch, int64_t recording)
{
    const int32_t K = batch->scores.n_classes;
    const int64_t first = batch->offsets[recording], n = batch->offsets[recording + 1] - first;
    double *rows = k->room + first * K;
    memset(rows, 0, (size_t)(n * K) * sizeof *rows);
    for (int32_t c = 0; c < k->n; c++)
        sp_fusion_add(weight[c], k->sets[c] + first * K, NULL, n, K, rows);
}

/* What tuned counts make of the scores of candidate i, those of the fusion by weights that did not see the recording. */
static sp_status judge(candidates *k, int32_t i, const sp_tuner *u, const sp_rules *rules, sp_error *err)
{
    sp_fit_report unused = {.before = NAN, .after = NAN};
    sp_training seen = *u->training;
    sp_settings settings;
    double weight[SP_MOST_CLASSIFIERS];
    sp_status status = SP_OK;
    seen.n_beside = 0;
    sp_training_take_scores(&seen, i <= k->n ? k->sets[i] : k->room);
    for (int32_t f = 0; i > k->n && f < u->n_folds; f++) {
        const sp_training others = sp_tuner_without(u, f);
        TRY(learn(k, &others, u->options, rules, u->workers, weight, err));
        for (int64_t r = 0; r < seen.batch.n_recordings; r++)
            if (u->fold[r] == f)
                fuse_rows(k, weight, &seen.batch, r);
    }
    TRY(sp_tune_counts(&seen, u->options, rules, u->workers, &settings, &k->evidence[i], &unused, err));
done:
    return status;
}

/* The simplest within one standard error of the best. */
static void choose(const candidates *k, sp_learnt_fusion *found)
{
    const sp_evidence *evidence = k->evidence, *mean = &evidence[k->n], *learnt = &evidence[k->n + 1], *best;
    double error;
    for (int32_t c = 0; c < k->n; c++) {
        found->figure[c] = evidence[c].value;
        found->best =
            evidence[c].value > evidence[found->best < 0 ? 0 : found->best].value || c == 0 ? c : found->best;
    }
    const sp_evidence *alone = &evidence[found->best];
    found->mean = mean->value;
    found->mean_gain = sp_evidence_gain(mean, alone, &found->mean_error);
    found->learnt = learnt->value;
    found->learnt_gain = sp_evidence_gain(learnt, alone, &found->learnt_error);
    best = mean->value > alone->value ? mean : alone;
    best = learnt->value > best->value ? learnt : best;
    found->kept = sp_evidence_gain(best, alone, &error) <= error  ? SP_FUSION_ALONE
                  : sp_evidence_gain(best, mean, &error) <= error ? SP_FUSION_MEAN
                                                                  : SP_FUSION_LEARNT;
}

/* Judged where there is something to judge by; else the weights that are learnt stand. */
static sp_status judge_all(candidates *k, sp_tuner *u, const sp_rules *rules, sp_learnt_fusion *found,
                           sp_error *err)
{
    const sp_fit_options *options = u->options;
    sp_status status = SP_OK;
    if (options->tune == SP_TUNE_NONE || sp_tuner_reason_against(u))
        return SP_OK;
    for (int32_t i = 0; i < k->n + 2; i++) {
        TRY(judge(k, i, u, rules, err));
        if (options->progress)
            options->progress(options->progress_arg, "fusion", i + 1, k->n + 2);
    }
    choose(k, found);
done:
    return status;
}

sp_status sp_fit_fusion(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                        double floor, sp_workers *workers, sp_fusion **out, double **scores,
                        sp_fit_report *report, sp_error *err)
{
    sp_tuner u = {.training = training, .options = options, .workers = workers, .most_steps = SP_TUNED_STEPS};
    candidates k = {.n = 0};
    sp_learnt_fusion *found = &report->fusion;
    sp_status status = SP_OK;
    if (training->n_beside == 0)
        return SP_OK;
    if (training->n_beside >= SP_MOST_CLASSIFIERS)
        return sp_fail(err, SP_EINVAL, "%d classifiers: at most %d are fused", 1 + training->n_beside,
                       SP_MOST_CLASSIFIERS);
    if (!training->labels || !training->batch.scores.data || options->method == SP_FIT_EM)
        return sp_fail(err, SP_EINVAL,
                       "several classifiers are fused by weights that are learnt from scores and labels%s",
                       options->method == SP_FIT_EM
                           ? ", and `method` em learns from the scores alone; give it one of them"
                           : "");
    TRY(sp_tuner_init(&u, err));
    if (u.n_groups == 0 && training->label_set)
        TRY(sp_fail(err, SP_EINVAL,
                    "several classifiers are fused by weights that are learnt from steps with one class, and "
                    "every labelled step has "
                    "several; give one of them"));
    TRY(candidates_init(&k, training, floor, err));
    found->n = k.n;
    found->best = -1;
    found->kept = SP_FUSION_LEARNT;
    found->mean = found->mean_gain = found->mean_error = found->learnt = found->learnt_gain =
        found->learnt_error = NAN;
    for (int32_t c = 0; c < k.n; c++)
        found->figure[c] = NAN;
    TRY(judge_all(&k, &u, rules, found, err));
    sp_training judged = *training;
    judged.use = u.n_folds ? u.judged : training->use;
    TRY(learn(&k, &judged, options, rules, workers, found->learnt_weights, err));
    for (int32_t c = 0; c < k.n; c++)
        found->weights[c] = found->kept == SP_FUSION_LEARNT ? found->learnt_weights[c]
                            : found->kept == SP_FUSION_MEAN ? 1. / k.n
                                                            : c == found->best;
    TRY((*out = sp_fusion_new(k.n, training->classifiers, found->weights)) ? SP_OK : sp_no_memory(err));
    TRY((*scores = malloc(((size_t)(training->batch.scores.n_steps * training->batch.scores.n_classes) + 1) *
                          sizeof **scores))
            ? SP_OK
            : sp_no_memory(err));
    sp_training_fuse(training, found->weights, isnan(floor) ? 0 : floor, *scores);
done:
    sp_tuner_clear(&u);
    sp_owned_free(&k.own);
    return status;
}
