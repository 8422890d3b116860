/* Folds of recordings; decoding each with the model of its fold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/owned.h"
#include "core/try.h"
#include "learn/learn.h"
#include "learn/training.h"
#include "learn/tune.h"
#include "statepath/advanced.h"

/* ---- groups ---- */

typedef struct member {
    int32_t group;
    int32_t recording;
} member;

static int by_group(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->recording > y->recording) - (x->recording < y->recording);
}

sp_status sp_groups_number(int64_t n, const int32_t *group, const uint8_t *use, int32_t *number,
                           int64_t *n_groups, sp_error *err)
{
    member *members = malloc(((size_t)n + 1) * sizeof *members);
    int64_t m = 0, found = 0;
    if (!members)
        return sp_no_memory(err);
    for (int64_t r = 0; r < n; r++)
        if (!use || use[r])
            members[m++] = (member){group ? group[r] : (int32_t)r, (int32_t)r};
    qsort(members, (size_t)m, sizeof *members, by_group);
    for (int64_t r = 0; r < n; r++)
        number[r] = -1;
    for (int64_t i = 0, first = 0; i < m; i++) { /* the first recording of its group */
        first = members[i].group == members[first].group ? first : i;
        number[members[i].recording] = members[first].recording;
    }
    for (int64_t r = 0; r < n; r++)
        if (number[r] >= 0)
            number[r] = number[r] == r ? (int32_t)found++ : number[number[r]];
    *n_groups = found;
    free(members);
    return SP_OK;
}

/* ---- folds ---- */

typedef struct group_size {
    int64_t n_steps;
    int32_t number;
} group_size;

static int largest_first(const void *a, const void *b)
{
    const group_size *x = a, *y = b;
    if (x->n_steps != y->n_steps)
        return x->n_steps > y->n_steps ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

sp_status sp_folds_assign(const sp_batch *batch, const int32_t *group, int32_t n_folds, int32_t *fold,
                          sp_error *err)
{
    const int64_t N = batch->n_recordings;
    int64_t n_groups = 0;
    if (n_folds < 2)
        return sp_fail(err, SP_EINVAL, "%d folds: cross-validation needs at least 2", n_folds);
    sp_owned own = {0};
    group_size *groups = sp_zeros(&own, (size_t)N, sizeof *groups);
    int32_t *number = sp_zeros(&own, (size_t)N, sizeof *number),
            *fold_of = sp_zeros(&own, (size_t)N, sizeof *fold_of);
    int64_t *load = sp_zeros(&own, (size_t)n_folds, sizeof *load);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    TRY(sp_groups_number(N, group, NULL, number, &n_groups, err));
    if (n_groups < n_folds)
        TRY(sp_fail(err, SP_EINVAL,
                    "%lld recordings%s cannot be shared out into %d folds; ask for at most %lld",
                    (long long)n_groups, group ? " that are not to be parted (groups)" : "", n_folds,
                    (long long)n_groups));
    for (int64_t n = 0; n < N; n++) {
        groups[number[n]].n_steps += batch->offsets[n + 1] - batch->offsets[n];
        groups[number[n]].number = number[n];
    }
    qsort(groups, (size_t)n_groups, sizeof *groups, largest_first);
    for (int64_t g = 0; g < n_groups; g++) {
        int32_t least = 0;
        for (int32_t f = 1; f < n_folds; f++)
            least = load[f] < load[least] ? f : least;
        load[least] += groups[g].n_steps ? groups[g].n_steps : 1;
        fold_of[groups[g].number] = least;
    }
    for (int64_t n = 0; n < N; n++)
        fold[n] = fold_of[number[n]];
done:
    sp_owned_free(&own);
    return status;
}

/* ---- decoding by folds ---- */

/* The recordings of one fold, one after the other, their scores as the model decodes them. */
typedef struct fold_batch {
    sp_owned own;
    sp_batch batch;
    int64_t *recordings; /* [n] of the training set */
    int64_t *offsets;    /* [n+1] */
} fold_batch;

static sp_status gather(const sp_training *training, const sp_model *model, const int32_t *fold, int32_t f,
                        fold_batch *out, sp_error *err)
{
    const sp_batch *all = &training->batch;
    int32_t K = all->scores.n_classes;
    int64_t n = 0;
    out->recordings = sp_zeros(&out->own, (size_t)all->n_recordings, sizeof *out->recordings);
    out->offsets = sp_zeros(&out->own, (size_t)all->n_recordings + 1, sizeof *out->offsets);
    if (!out->offsets)
        return sp_no_memory(err);
    for (int64_t r = 0; r < all->n_recordings; r++)
        if (fold[r] == f && sp_training_uses(training, r)) {
            out->offsets[n + 1] = out->offsets[n] + all->offsets[r + 1] - all->offsets[r];
            out->recordings[n++] = r;
        }
    size_t n_steps = (size_t)out->offsets[n];
    int64_t *segments = sp_zeros(&out->own, n_steps, sizeof *segments);
    double *scores = sp_zeros(&out->own, n_steps, (size_t)K * sizeof *scores);
    if (!scores)
        return sp_no_memory(err);
    for (int64_t i = 0; i < n; i++) {
        const sp_scores s = sp_batch_recording(all, out->recordings[i]);
        if (!sp_rows_by_model(model, &s, scores + out->offsets[i] * K))
            return sp_no_memory(err);
        if (s.segments && s.n_steps)
            memcpy(segments + out->offsets[i], s.segments, (size_t)s.n_steps * sizeof *segments);
    }
    out->batch =
        (sp_batch){{scores, SP_F64, K, (int64_t)n_steps, all->scores.segments ? segments : NULL, NULL, NULL},
                   n,
                   out->offsets};
    return SP_OK;
}

/* What is asked of a fold's recordings: paths, or the log marginals of the labels. */
typedef struct wish {
    const sp_decode_options *options;
    const sp_decode_output *output;
    double *nll; /* [N] sum over labelled steps of -log marginal, at most `most_nats` each */
} wish;

static const double most_nats = 20;

static sp_status sum_nll(const sp_chain *chain, const sp_scores *s, const int32_t *labels,
                         sp_scratch *scratch, double *marginals, double *sum, sp_error *err)
{
    sp_status status = sp_forward_backward(chain, s, scratch, marginals, NULL, err);
    *sum = 0;
    for (int64_t t = 0; t < s->n_steps; t++)
        if (labels[t] >= 0) {
            double nats = status == SP_OK ? -log(marginals[t * s->n_classes + labels[t]]) : most_nats;
            *sum += nats < most_nats ? nats : most_nats;
        }
    return status == SP_ENOPATH ? SP_OK : status;
}

static sp_status nll_fold(const sp_training *training, const sp_chain *chain, const fold_batch *b,
                          double *nll, sp_error *err)
{
    sp_owned own = {0};
    sp_scratch *scratch = sp_scratch_new();
    double *marginals = sp_zeros(&own, (size_t)b->batch.scores.n_steps,
                                 (size_t)b->batch.scores.n_classes * sizeof *marginals);
    sp_status status = scratch && marginals ? SP_OK : sp_no_memory(err);
    for (int64_t n = 0; status == SP_OK && n < b->batch.n_recordings; n++) {
        int64_t r = b->recordings[n];
        sp_scores s = sp_batch_recording(&b->batch, n);
        status = sum_nll(chain, &s, training->labels + training->batch.offsets[r], scratch, marginals,
                         &nll[r], err);
    }
    sp_scratch_free(scratch);
    sp_owned_free(&own);
    return status;
}

static sp_status paths_fold(const sp_training *training, const sp_chain *chain, const fold_batch *b,
                            const wish *w, sp_workers *workers, sp_error *err)
{
    size_t n_steps = (size_t)b->batch.scores.n_steps;
    sp_owned own = {0};
    sp_decode_output found = {.paths = sp_zeros(&own, n_steps, sizeof *found.paths),
                              .results = sp_zeros(&own, (size_t)b->batch.n_recordings, sizeof *found.results),
                              .broken = sp_zeros(&own, n_steps, 1)};
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    TRY(sp_decode_batch(chain, &b->batch, w->options, workers, &found, err));
    for (int64_t n = 0; n < b->batch.n_recordings; n++) {
        size_t length = (size_t)(b->offsets[n + 1] - b->offsets[n]);
        int64_t r = b->recordings[n], to = training->batch.offsets[r];
        if (length)
            memcpy(w->output->paths + to, found.paths + b->offsets[n], length * sizeof *found.paths);
        if (length && w->output->broken)
            memcpy(w->output->broken + to, found.broken + b->offsets[n], length);
        if (w->output->results)
            w->output->results[r] = found.results[n];
    }
done:
    sp_owned_free(&own);
    return status;
}

/* class_of_column [K] room. */
static sp_status one_fold(const sp_training *training, const sp_model *model, const int32_t *fold, int32_t f,
                          const wish *w, int32_t *class_of_column, sp_workers *workers, sp_error *err)
{
    sp_chain *chain = NULL;
    fold_batch b = {.recordings = NULL};
    sp_chain_options options = sp_chain_options_default();
    sp_status status = SP_OK;
    options.class_of_column = class_of_column;
    options.step_seconds = training->step_seconds;
    options.max_states = training->max_states;
    if (!isnan(model->transition_weight))
        options.transition_weight = model->transition_weight;
    TRY(sp_model_align(model, training->batch.scores.n_classes, training->classes, class_of_column, err));
    TRY(sp_chain_new(model, &options, &chain, err));
    TRY(gather(training, model, fold, f, &b, err));
    TRY(w->nll ? nll_fold(training, chain, &b, w->nll, err)
               : paths_fold(training, chain, &b, w, workers, err));
done:
    sp_owned_free(&b.own);
    sp_chain_free(chain);
    return status;
}

static sp_status each_fold(const sp_training *training, const sp_model *const *models, const int32_t *fold,
                           int32_t n_folds, const wish *w, sp_workers *workers, sp_error *err)
{
    int32_t *class_of_column = malloc((size_t)training->batch.scores.n_classes * sizeof *class_of_column);
    sp_status status = class_of_column ? SP_OK : sp_no_memory(err);
    for (int32_t f = 0; status == SP_OK && f < n_folds; f++)
        if (models[f])
            status = one_fold(training, models[f], fold, f, w, class_of_column, workers, err);
    free(class_of_column);
    return status;
}

sp_status sp_cross_decode(const sp_training *training, const sp_model *const *models, const int32_t *fold,
                          int32_t n_folds, const sp_decode_options *options, sp_workers *workers,
                          const sp_decode_output *output, sp_error *err)
{
    wish w = {.options = options, .output = output};
    return each_fold(training, models, fold, n_folds, &w, workers, err);
}

sp_status sp_cross_run(const sp_training *training, const sp_model *const *models, const int32_t *fold,
                       int32_t n_folds, const sp_strategy *strategy, sp_workers *workers,
                       const sp_judged *out, sp_error *err)
{
    sp_decode_options options = sp_decode_options_default();
    options.strategy = *strategy;
    const sp_decode_output output = {.paths = out->paths};
    const wish w = {.options = &options, .output = &output, .nll = out->nll};
    return each_fold(training, models, fold, n_folds, &w, workers, err);
}
