/* Training of the reference classifier, with and without masks on the logits.
 *
 * Cross entropy by Adam (Kingma, Ba 2015, doi:10.48550/arXiv.1412.6980; beta 0.9 and 0.999, epsilon 1e-8), in shuffled batches:
 *
 *     loss of a batch = sum_i w_i (-log p_i[label_i]) / sum_i w_i          steps without a label (-1) do not count
 *
 * Masking says which logits may take part in log p = log-softmax(logits) of a step in training; predicting never masks.
 * Weights w_i and step masks come with the data.
 *
 *     none             all
 *     random-previous  with probability 0.5 a step gets the row of a class drawn at random, as if that had come before: logits of
 *                      classes that may not follow it are replaced by -1e9. Published elsewhere as a way to teach the rules. It
 *                      teaches nothing: where the drawn row forbids the step's own label, that logit is a constant without
 *                      gradient, the loss is 1e9, and all that the gradient can do is to push the other logits down, for ever
 *     true-previous    the row of the label of the step before (of the same recording), forbidden logits are -INFINITY: they get
 *                      probability 0 and no gradient. It never forbids the label; labels that break the rules are an error
 *     step-mask        the row of the step's own mask: classes that cannot occur there (legal moves, a sensor that was off) are
 *                      -INFINITY. The mask is known when one predicts too, so the test steps are judged under theirs. A label
 *                      that its mask forbids is an error
 *
 * Everything that is drawn (order of steps, dropout, masks) is drawn from GSL's mt19937, seeded by the seed and the number of the
 * epoch: training that was interrupted goes on exactly as if it had not been.
 */
#ifndef STATEPATH_NETWORK_TRAIN_H
#define STATEPATH_NETWORK_TRAIN_H

#include "network.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_masking {
    SP_MASKING_NONE,
    SP_MASKING_RANDOM_PREVIOUS,
    SP_MASKING_TRUE_PREVIOUS,
    SP_MASKING_STEP_MASK,
    SP_N_MASKINGS
} sp_masking;

const char *sp_masking_name(sp_masking masking); /* "none", "random-previous", "true-previous", "step-mask" */
bool sp_masking_needs_rules(sp_masking masking); /* random-previous, true-previous */
sp_status sp_masking_parse(const char *text, sp_masking *out, sp_error *err);

/* Steps to learn from or to test on; borrowed. */
typedef struct sp_training_data {
    int64_t n;
    const float *signals;  /* [n, C, samples] finite */
    const int32_t *labels; /* [n] 0..K-1, or -1: left out */
    const int32_t *
        previous; /* [n] label of the step before in the same recording, -1 where there is none; or NULL: none has */
    const double *weights; /* [n] finite, >= 0, 0 = left out; NULL: all 1 */
    const uint8_t *mask;   /* [n, K] 1 = can occur; NULL: everything can. Used by step-mask only */
} sp_training_data;

typedef struct sp_training_options {
    int32_t batch; /* 32 */
    double rate;   /* 0.001 */
    uint32_t seed; /* 1 */
    sp_masking masking;
    const uint8_t
        *allow;  /* [K,K] rows = from, non-zero = may follow; needed by random-previous and true-previous */
    int threads; /* 0: as many as there are processors. The weights do not depend on it */
} sp_training_options;
sp_training_options sp_training_options_default(void);

/* What an epoch came to. Loss and accuracy over the training steps as they were met (with dropout, the loss with masks, the
 * accuracy with those of step-mask alone);
 * over the test steps after the epoch, without dropout, and masked by step-mask alone. Steps of weight 0 do not count. NaN: there
 * are no test steps. */
typedef struct sp_epoch {
    double loss, accuracy, test_loss, test_accuracy;
} sp_epoch;

/* How far training has come: what must be kept besides the network to go on. Open struct; owns what it points to. */
typedef struct sp_training_state {
    size_t n_parameters;
    int64_t n_updates;
    float *first, *second; /* [n_parameters] Adam's means of gradients and of their squares */
    int32_t n_epochs;
    sp_epoch *epochs; /* [n_epochs] */
} sp_training_state;

sp_status sp_training_state_new(const sp_network *network, sp_training_state **out, sp_error *err);
void sp_training_state_free(sp_training_state *state);

typedef struct sp_trainer sp_trainer;

/* Everything is borrowed until _free: the network and the state are changed by training. test may be NULL.
 * SP_OK; SP_EINVAL (options; masking without rules, step-mask without masks); SP_EDATA with err->step = the step of `train`: no
 * label to learn from, a weight that cannot be used, with true-previous a label that the rules forbid, with step-mask one that
 * its mask forbids (err->step counts on into `test` from train->n); SP_ENOMEM. */
sp_status sp_trainer_new(sp_network *network, sp_training_state *state, const sp_training_data *train,
                         const sp_training_data *test, const sp_training_options *options, sp_trainer **out,
                         sp_error *err);
void sp_trainer_free(sp_trainer *trainer);

/* One more epoch; appended to state->epochs. `told` is called after each batch with the number of steps done so far; may be NULL.
 * SP_OK; SP_EDATA where the loss is no number any more (the network is then of no use); SP_ENOMEM. */
sp_status sp_trainer_epoch(sp_trainer *trainer, void (*told)(void *arg, int64_t n_steps), void *arg,
                           sp_error *err);

/* Loss of a batch of at most options->batch steps and its gradient, without dropout and without changing anything: what the tests
 * hold against finite differences.
 *   rows      [n] steps of `train`
 *   mask      [n,K] 1 = takes part, forbidden logits are -INFINITY; or NULL
 *   gradient  out [n_parameters] */
sp_status sp_trainer_gradient(sp_trainer *trainer, const int64_t *rows, int32_t n, const uint8_t *mask,
                              double *loss, float *gradient, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
