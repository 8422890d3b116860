/* A floor for probabilities, where scores have zeros: an exact 0, as float32 makes of what a network is sure of, leaves a recording without a
 * path as soon as the rules lead through it. */
#include <math.h>
#include <stdlib.h>

#include "core/numbers.h"
#include "core/try.h"
#include "learn/training.h"
#include "learn/tune.h"

/* None, then from the mildest on. */
static const double floors[] = {0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
enum { N_FLOORS = sizeof floors / sizeof *floors };

static bool has_zeros(const sp_training *training)
{
    const sp_batch *batch = &training->batch;
    const size_t K = (size_t)batch->scores.n_classes;
    for (int64_t n = 0; n < batch->n_recordings; n++) {
        const size_t end = (size_t)batch->offsets[n + 1] * K;
        for (size_t i = (size_t)batch->offsets[n] * K; sp_training_uses(training, n) && i < end; i++)
            if (number_get(batch->scores.data, batch->scores.dtype, i) == -INFINITY)
                return true;
    }
    return false;
}

/* The scores with a floor; 0: none. out [S,K] */
static void raise_scores(const sp_scores *scores, double floor, double *out)
{
    const size_t size = (size_t)scores->n_steps * (size_t)scores->n_classes;
    const double least = log(floor);
    for (size_t i = 0; i < size; i++) {
        const double e = number_get(scores->data, scores->dtype, i);
        out[i] = e < least ? least : e;
    }
}

/* What counts as they are make, with each floor, of recordings that they did not see. room [S,K] */
static sp_status judge(sp_tuner *u, const sp_rules *rules, double *room, sp_evidence *out, sp_error *err)
{
    const sp_training *given = u->training;
    sp_training raised = *given;
    sp_status status = SP_OK;
    sp_training_take_scores(&raised, room);
    u->training = &raised;
    for (int i = 0; i < N_FLOORS; i++) {
        raise_scores(&given->batch.scores, floors[i], room);
        for (int32_t f = 0; f < u->n_folds; f++) {
            const sp_training others = sp_tuner_without(u, f);
            sp_model_free(u->models[f]);
            u->models[f] = NULL;
            TRY(sp_model_from_labels(&others, rules, u->options->smoothing, u->workers, "fold", &u->models[f],
                                     NULL, err));
        }
        TRY(sp_tuner_judge(u, u->models, &out[i], err));
    }
done:
    u->training = given;
    return status;
}

/* The fewest recordings without a path; of those the mildest within one standard error of the best. */
static int choose(const sp_evidence *evidence)
{
    int best = 0;
    for (int i = 1; i < N_FLOORS; i++) {
        const int64_t more = evidence[i].n_lost - evidence[best].n_lost;
        if (more < 0 || (more == 0 && evidence[i].value > evidence[best].value))
            best = i;
    }
    for (int i = 0; i < best; i++) {
        double error;
        if (evidence[i].n_lost == evidence[best].n_lost &&
            sp_evidence_gain(&evidence[best], &evidence[i], &error) <= error)
            return i;
    }
    return best;
}

sp_status sp_fit_floor(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                       sp_workers *workers, double **scores, sp_fit_report *report, sp_error *err)
{
    const sp_scores *given = &training->batch.scores;
    sp_tuner u = {.training = training, .options = options, .workers = workers, .most_steps = SP_TUNED_STEPS};
    sp_evidence evidence[N_FLOORS];
    double *room = NULL;
    sp_status status = SP_OK;
    if (!training->may_have_floor || !training->labels || !given->data || options->method == SP_FIT_EM ||
        options->tune == SP_TUNE_NONE || !has_zeros(training))
        return SP_OK;
    TRY(sp_tuner_init(&u, err));
    if (sp_tuner_reason_against(&u))
        goto done;
    TRY((room = malloc(((size_t)given->n_steps * (size_t)given->n_classes + 1) * sizeof *room))
            ? SP_OK
            : sp_no_memory(err));
    TRY(judge(&u, rules, room, evidence, err));
    report->n_candidates += u.n_done;
    const int chosen = choose(evidence);
    if (floors[chosen] > 0) {
        report->floor = floors[chosen];
        report->n_lost = evidence[0].n_lost;
        raise_scores(given, floors[chosen], room);
        *scores = room;
        room = NULL;
    }
done:
    free(room);
    sp_tuner_clear(&u);
    return status;
}
