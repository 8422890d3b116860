/* Judging models by recordings they did not see; not installed. */
#ifndef STATEPATH_LEARN_CROSS_H
#define STATEPATH_LEARN_CROSS_H

#include "statepath/agreement.h"
#include "statepath/fit.h"

/* Decodes every recording with the model of its fold and judges against the labels; greater is better (the negative of nll).
 * Undecoded steps are wrong; a labelled step costs at most 20 nats. SP_OK, SP_ENOMEM and what decoding returns. */
sp_status sp_cross_judge(const sp_training *training, const sp_model *const *models, const int32_t *fold, int32_t n_folds,
                         const sp_strategy *strategy, sp_tune tune, sp_workers *workers, double *value, sp_error *err);

#endif
