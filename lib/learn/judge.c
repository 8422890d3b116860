/* Figures of what models made of recordings that they did not see: counts of blocks of recordings, added up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "evaluate/metrics/sequences.h"
#include "learn/learn.h"
#include "learn/training.h"
#include "learn/tune.h"
#include "statepath/metrics.h"

bool sp_judged_new(sp_owned *own, const sp_training *training, sp_tune tune, sp_judged *out)
{
    const bool is_nll = tune == SP_TUNE_NLL;
    *out = (sp_judged){0};
    if (is_nll)
        out->nll = sp_zeros(own, (size_t)training->batch.n_recordings, sizeof *out->nll);
    else
        out->paths = sp_zeros(own, (size_t)training->batch.scores.n_steps, sizeof *out->paths);
    return out->nll || out->paths;
}

/* ---- what the figures are made of ---- */

/* Of a recording, added into a row of `width` numbers: of steps the confusion [K,K] and what has no class [K]; of entities 2 correct, and
 * reference + decoded; of the edit score and of likelihoods a sum, and how many it is of. */
typedef struct counting {
    const sp_training *training;
    sp_tune tune;
    const sp_judged *judged;
    size_t width;
    sp_entity_counts *entities; /* [N] or NULL */
    double *edit;               /* [N] or NULL */
} counting;

static bool is_of_steps(sp_tune tune)
{
    return tune != SP_TUNE_ENTITY_F1 && tune != SP_TUNE_EDIT && tune != SP_TUNE_NLL;
}

static void add_ratio(double *row, double above, double below)
{
    row[0] += above;
    row[1] += below;
}

static void count_recording(const counting *c, int64_t r, double *row)
{
    const sp_batch *batch = &c->training->batch;
    const size_t K = (size_t)batch->scores.n_classes;
    const int32_t *labels = c->training->labels;
    if (c->entities)
        add_ratio(row, 2 * (double)c->entities[r].correct, (double)(c->entities[r].reference + c->entities[r].decoded));
    if (c->edit && !isnan(c->edit[r]))
        add_ratio(row, c->edit[r], 1);
    if (c->tune == SP_TUNE_NLL)
        row[0] -= c->judged->nll[r];
    for (int64_t t = batch->offsets[r]; !c->entities && !c->edit && t < batch->offsets[r + 1]; t++) {
        if (labels[t] < 0)
            continue;
        if (c->tune == SP_TUNE_NLL)
            row[1]++;
        else if (c->judged->paths[t] >= 0)
            row[(size_t)labels[t] * K + (size_t)c->judged->paths[t]]++;
        else
            row[K * K + (size_t)labels[t]]++;
    }
}

static sp_status counting_init(counting *c, sp_owned *own, sp_error *err)
{
    const sp_training *training = c->training;
    const size_t K = (size_t)training->batch.scores.n_classes, N = (size_t)training->batch.n_recordings;
    const sp_labelled_paths view = {.n_classes = training->batch.scores.n_classes,
                                    .n_recordings = training->batch.n_recordings,
                                    .offsets = training->batch.offsets,
                                    .segments = training->batch.scores.segments,
                                    .labels = training->labels,
                                    .paths = c->judged->paths,
                                    .use = training->use};
    sp_status status = SP_OK;
    c->width = is_of_steps(c->tune) ? K * K + K : 2;
    if (c->tune == SP_TUNE_ENTITY_F1)
        c->entities = sp_zeros(own, N, sizeof *c->entities);
    if (c->tune == SP_TUNE_EDIT)
        c->edit = sp_zeros(own, N, sizeof *c->edit);
    TRY(sp_owned_status(own, err));
    if (c->entities)
        TRY(sp_entities_count(&view, training->classes, c->entities, err));
    if (c->edit)
        TRY(sp_edit_scores(&view, c->edit, err));
done:
    return status;
}

/* The figure of summed rows; 0 where it is not defined. whole [width]: room. */
static double figure_of(const counting *c, const double *sum, int64_t *whole)
{
    if (!is_of_steps(c->tune))
        return sum[1] > 0 ? sum[0] / sum[1] : 0;
    const size_t K = (size_t)c->training->batch.scores.n_classes;
    sp_agreement a;
    for (size_t i = 0; i < c->width; i++)
        whole[i] = (int64_t)sum[i];
    sp_agreement_from_confusion((int32_t)K, whole, whole + K * K, &a, NULL);
    const sp_value v = c->tune == SP_TUNE_KAPPA ? a.kappa : c->tune == SP_TUNE_MACRO_F1 ? a.macro_f1 : a.accuracy;
    return v.undefined ? 0 : v.value;
}

/* Recordings that take part and have a labelled step without a class. */
static int64_t count_lost(const sp_training *training, const sp_judged *judged)
{
    const int64_t *offsets = training->batch.offsets;
    int64_t n_lost = 0;
    for (int64_t r = 0; judged->paths && r < training->batch.n_recordings; r++) {
        bool is_lost = false;
        for (int64_t t = offsets[r]; sp_training_uses(training, r) && t < offsets[r + 1]; t++)
            is_lost |= training->labels[t] >= 0 && judged->paths[t] < 0;
        n_lost += is_lost;
    }
    return n_lost;
}

sp_status sp_evidence_of(const sp_training *training, const int32_t *group, sp_tune tune, const sp_judged *judged,
                         sp_evidence *out, sp_error *err)
{
    counting c = {.training = training, .tune = tune, .judged = judged};
    sp_owned own = {0};
    int32_t *number = sp_zeros(&own, (size_t)training->batch.n_recordings, sizeof *number);
    int64_t n_groups = 0;
    sp_status status = SP_OK;
    TRY(counting_init(&c, &own, err));
    TRY(sp_groups_number(training->batch.n_recordings, group, training->use, number, &n_groups, err));
    double *rows = sp_zeros(&own, SP_MOST_BLOCKS + 2, c.width * sizeof *rows), *sum = rows + SP_MOST_BLOCKS * c.width;
    int64_t *whole = sp_zeros(&own, c.width, sizeof *whole);
    TRY(sp_owned_status(&own, err));
    out->n_blocks = n_groups < SP_MOST_BLOCKS ? (int32_t)n_groups : SP_MOST_BLOCKS;
    for (int64_t r = 0; r < training->batch.n_recordings; r++)
        if (number[r] >= 0)
            count_recording(&c, r, rows + (size_t)(number[r] % SP_MOST_BLOCKS) * c.width);
    for (size_t i = 0; i < (size_t)out->n_blocks * c.width; i++)
        sum[i % c.width] += rows[i];
    out->value = figure_of(&c, sum, whole);
    out->n_lost = count_lost(training, judged);
    double *rest = sum + c.width;
    for (int32_t b = 0; b < out->n_blocks; b++) {
        for (size_t i = 0; i < c.width; i++)
            rest[i] = sum[i] - rows[(size_t)b * c.width + i];
        out->without[b] = figure_of(&c, rest, whole);
    }
done:
    sp_owned_free(&own);
    return status;
}

double sp_evidence_gain(const sp_evidence *with, const sp_evidence *without, double *error)
{
    const int32_t n = with->n_blocks;
    double mean = 0, squares = 0;
    for (int32_t b = 0; b < n; b++)
        mean += (with->without[b] - without->without[b]) / n;
    for (int32_t b = 0; b < n; b++)
        squares += pow(with->without[b] - without->without[b] - mean, 2);
    *error = n > 1 ? sqrt((double)(n - 1) / n * squares) : INFINITY;
    return with->value - without->value;
}
