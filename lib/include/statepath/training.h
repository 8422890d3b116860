/* What learners learn from: recordings in memory with labels, and the rules that stay as they are.
 *
 * Everything here is in the order of the score columns.
 */
#ifndef STATEPATH_TRAINING_H
#define STATEPATH_TRAINING_H

#include "statepath/model.h"
#include "statepath/scores.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A view; borrows everything. */
typedef struct sp_training {
    sp_batch batch;             /* scores [S,K] in nats, temperature 1, no prior taken out; data NULL: labels only. Offsets,
                                   segments, n_classes and n_steps are always set */
    const int32_t *labels;      /* [S], -1 = unscored, else 0..K-1; NULL: none */
    const char *const *classes; /* [K] distinct names */
    const uint8_t *use;         /* [N], 0 = the recording takes no part (it is held out); NULL: all take part */
    /* Asked before each pass over the data: all but SP_OK ends learning, with that. NULL: nothing ends it. */
    sp_status (*go_on)(void *arg, sp_error *err);
    void *go_on_arg;
} sp_training;

/* Does recording n take part? */
static inline bool sp_training_uses(const sp_training *training, int64_t n)
{
    return !training->use || training->use[n];
}

static inline sp_status sp_training_go_on(const sp_training *training, sp_error *err)
{
    return training->go_on ? training->go_on(training->go_on_arg, err) : SP_OK;
}

/* Rules of one state per class as tables: what a learner must leave forbidden. */
typedef struct sp_rules {
    int32_t n_classes; /* K */
    uint8_t *allow;    /* [K,K] rows = from */
    uint8_t *start;    /* [K] */
    uint8_t *end;      /* [K] */
    int32_t *dwell;    /* [K] >= 1 */
    bool dwell_at_end;
} sp_rules;

/* From a model, brought into the order of `classes`; from nothing (model NULL): everything is allowed.
 * SP_OK; SP_EMODEL (the classes differ; several states for one class: such a model's weights cannot be counted from labels of
 * classes; no class may follow); SP_ENOMEM. */
sp_status sp_rules_init(sp_rules *rules, const sp_model *model, int32_t n_classes, const char *const *classes, sp_error *err);

/* What the labels show: transitions, starts and ends seen at least min_count >= 1 times; staying where a class is seen. A class
 * never seen may stay, and may follow and be followed by every class: the labels say nothing about it.
 * SP_OK, SP_EINVAL, SP_ENOMEM. */
sp_status sp_rules_from_labels(sp_rules *rules, const sp_training *training, int64_t min_count, sp_error *err);

void sp_rules_clear(sp_rules *rules); /* frees */

/* What the labels of a training set hold that cannot be learnt from. A recording is cut there; the parts are learnt from. */
typedef struct sp_violations {
    int64_t scored;      /* labelled steps */
    int64_t transitions; /* neighbouring labelled pairs */
    int64_t illegal;     /* of them forbidden by the rules */
    int64_t illegal_start, illegal_end;
    int64_t short_runs;     /* runs shorter than the minimum dwell */
    int64_t impossible;     /* labelled steps whose class has score -INFINITY */
    int64_t recordings;     /* that take part */
    int64_t labelled;       /* of them with a labelled step */
    int64_t *illegal_pairs; /* [K,K] */
} sp_violations;
void sp_violations_clear(sp_violations *violations);

#ifdef __cplusplus
}
#endif
#endif
