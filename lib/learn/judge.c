/* Figures of what models made of recordings that they did not see: counts of blocks of recordings, added up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "evaluate/metrics/sequences.h"
#include "evaluate/work.h"
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

/* Plain figures, and places of what each is made of in a row of numbers of a recording, behind the confusion [K,K] and the labelled steps
 * without a class [K] of those of steps: its numerator, then its denominator. */
enum { ACCURACY, KAPPA, MACRO_F1, ENTITY_F1, EDIT, OVERLAP_F1, LIKELIHOOD, COST, N_FIGURES };

/* What a choice goes by: the mean of these figures. */
static const struct {
    int32_t n;
    int32_t figures[3];
} objectives[SP_N_TUNES] = {
    [SP_TUNE_ACCURACY] = {1, {ACCURACY}},
    [SP_TUNE_KAPPA] = {1, {KAPPA}},
    [SP_TUNE_MACRO_F1] = {1, {MACRO_F1}},
    [SP_TUNE_ENTITY_F1] = {1, {ENTITY_F1}},
    [SP_TUNE_EDIT] = {1, {EDIT}},
    [SP_TUNE_NLL] = {1, {LIKELIHOOD}},
    [SP_TUNE_STAGES] = {3, {ACCURACY, KAPPA, MACRO_F1}},
    [SP_TUNE_SEGMENTS] = {3, {ACCURACY, EDIT, OVERLAP_F1}},
    [SP_TUNE_COST] = {1, {COST}},
};

typedef struct counting {
    const sp_training *training;
    const double *costs; /* [K,K] or NULL */
    sp_tune tune;
    const sp_judged *judged;
    size_t width;
    sp_entity_counts *entities;  /* [N] or NULL */
    double *edit;                /* [N] or NULL */
    sp_segment_counts *segments; /* [N] or NULL */
} counting;

static bool needs(sp_tune tune, int32_t figure)
{
    bool is_among = false;
    for (int32_t i = 0; i < objectives[tune].n; i++)
        is_among |= objectives[tune].figures[i] == figure;
    return is_among;
}

static bool is_of_steps(sp_tune tune)
{
    return needs(tune, ACCURACY) || needs(tune, KAPPA) || needs(tune, MACRO_F1) || needs(tune, COST);
}

/* Where the two numbers of a figure begin in a row. */
static size_t place_of(const counting *c, int32_t figure)
{
    const size_t K = (size_t)c->training->batch.scores.n_classes;
    return K * K + K + 2 * (size_t)figure;
}

static void add_ratio(const counting *c, double *row, int32_t figure, double above, double below)
{
    row[place_of(c, figure)] += above;
    row[place_of(c, figure) + 1] += below;
}

static void count_steps(const counting *c, int64_t r, double *row)
{
    const sp_batch *batch = &c->training->batch;
    const size_t K = (size_t)batch->scores.n_classes;
    const int32_t *labels = c->training->labels;
    for (int64_t t = batch->offsets[r]; t < batch->offsets[r + 1]; t++) {
        if (labels[t] < 0)
            continue;
        if (c->judged->paths[t] >= 0)
            row[(size_t)labels[t] * K + (size_t)c->judged->paths[t]]++;
        else
            row[K * K + (size_t)labels[t]]++;
    }
}

static void count_recording(const counting *c, int64_t r, double *row)
{
    const sp_batch *batch = &c->training->batch;
    if (c->entities)
        add_ratio(c, row, ENTITY_F1, 2 * (double)c->entities[r].correct,
                  (double)(c->entities[r].reference + c->entities[r].decoded));
    if (c->edit && !isnan(c->edit[r]))
        add_ratio(c, row, EDIT, c->edit[r], 1);
    if (c->segments && !isnan(c->segments[r].edit))
        add_ratio(c, row, EDIT, c->segments[r].edit, 1);
    if (c->segments)
        add_ratio(c, row, OVERLAP_F1, 2 * (double)c->segments[r].matched[2],
                  (double)(c->segments[r].reference + c->segments[r].decoded));
    if (c->tune == SP_TUNE_NLL)
        for (int64_t t = batch->offsets[r]; t < batch->offsets[r + 1]; t++)
            row[place_of(c, LIKELIHOOD) + 1] += c->training->labels[t] >= 0;
    if (c->tune == SP_TUNE_NLL)
        row[place_of(c, LIKELIHOOD)] -= c->judged->nll[r];
    if (is_of_steps(c->tune))
        count_steps(c, r, row);
}

/* The class that is no segment, as the published script has it: out [K], NULL where there is none. */
static uint8_t *find_background(const sp_training *training, sp_owned *own)
{
    const char *const *names = sp_work_about(SP_WORK_ACTIONS)->background;
    const size_t K = (size_t)training->batch.scores.n_classes;
    uint8_t *out = NULL;
    for (size_t k = 0; training->classes && k < K; k++)
        for (const char *const *name = names; *name; name++)
            if (strcmp(training->classes[k], *name) == 0 && (out || (out = sp_zeros(own, K, 1))))
                out[k] = 1;
    return out;
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
    c->width = K * K + K + 2 * (size_t)N_FIGURES;
    if (needs(c->tune, ENTITY_F1))
        c->entities = sp_zeros(own, N, sizeof *c->entities);
    if (needs(c->tune, EDIT) && !needs(c->tune, OVERLAP_F1)) /* whose counts have it */
        c->edit = sp_zeros(own, N, sizeof *c->edit);
    if (needs(c->tune, OVERLAP_F1))
        c->segments = sp_zeros(own, N, sizeof *c->segments);
    const uint8_t *background = c->segments ? find_background(training, own) : NULL;
    TRY(sp_owned_status(own, err));
    if (c->entities)
        TRY(sp_entities_count(&view, training->classes, c->entities, err));
    if (c->edit)
        TRY(sp_edit_scores(&view, c->edit, err));
    for (int64_t r = 0; c->segments && r < training->batch.n_recordings; r++)
        if (sp_training_uses(training, r))
            TRY(sp_segments_count(&view, r, background, &c->segments[r], err));
done:
    return status;
}

/* Mean cost of a labelled step, less: greater is better. One without a class costs what its dearest error does. */
static double gain_of_costs(const counting *c, const double *sum)
{
    const size_t K = (size_t)c->training->batch.scores.n_classes;
    double cost = 0, n = 0;
    for (size_t i = 0; i < K; i++) {
        double most = 0;
        for (size_t j = 0; j < K; j++) {
            cost += sum[i * K + j] * c->costs[i * K + j];
            n += sum[i * K + j];
            most = fmax(most, c->costs[i * K + j]);
        }
        cost += sum[K * K + i] * most;
        n += sum[K * K + i];
    }
    return n > 0 ? -cost / n : 0;
}

/* The figure of summed rows; 0 where it is not defined. agreement is of the same. */
static double plain_figure(const counting *c, int32_t figure, const double *sum,
                           const sp_agreement *agreement)
{
    const double *ratio = sum + place_of(c, figure);
    if (figure == COST)
        return gain_of_costs(c, sum);
    if (figure > MACRO_F1)
        return ratio[1] > 0 ? ratio[0] / ratio[1] : 0;
    const sp_value v = figure == KAPPA      ? agreement->kappa
                       : figure == MACRO_F1 ? agreement->macro_f1
                                            : agreement->accuracy;
    return v.undefined ? 0 : v.value;
}

/* What the choice goes by, of summed rows. whole [width]: room. */
static double figure_of(const counting *c, const double *sum, int64_t *whole)
{
    const size_t K = (size_t)c->training->batch.scores.n_classes;
    const int32_t n = objectives[c->tune].n;
    sp_agreement agreement = {0};
    double mean = 0;
    for (size_t i = 0; i < K * K + K; i++)
        whole[i] = (int64_t)sum[i];
    if (is_of_steps(c->tune))
        sp_agreement_from_confusion((int32_t)K, whole, whole + K * K, &agreement, NULL);
    for (int32_t i = 0; i < n; i++)
        mean += plain_figure(c, objectives[c->tune].figures[i], sum, &agreement) / n;
    return mean;
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

sp_status sp_evidence_of(const sp_training *training, const sp_fit_options *options, const sp_judged *judged,
                         sp_evidence *out, sp_error *err)
{
    counting c = {.training = training, .costs = options->costs, .tune = options->tune, .judged = judged};
    sp_owned own = {0};
    int32_t *number = sp_zeros(&own, (size_t)training->batch.n_recordings, sizeof *number);
    int64_t n_groups = 0;
    sp_status status = SP_OK;
    TRY(counting_init(&c, &own, err));
    TRY(sp_groups_number(training->batch.n_recordings, options->group, training->use, number, &n_groups,
                         err));
    double *rows = sp_zeros(&own, SP_MOST_BLOCKS + 2, c.width * sizeof *rows),
           *sum = rows + SP_MOST_BLOCKS * c.width;
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
