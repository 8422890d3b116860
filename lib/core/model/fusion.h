/* Weights of several classifiers whose scores become one (sp_fusion). Not installed. */
#ifndef STATEPATH_CORE_FUSION_H
#define STATEPATH_CORE_FUSION_H

#include "statepath/model.h"

void sp_fusion_free(sp_fusion *fusion);
/* Names and weights are copied; NULL on lack of memory. */
sp_fusion *sp_fusion_new(int32_t n, const char *const *names, const double *weights);

/* out[t,k] += weight scores[t,column[k]], nats; weight 0: nothing, whatever the scores are.
 *   column  [K] or NULL: the same */
void sp_fusion_add(double weight, const double *scores, const int32_t *column, int64_t n_steps,
                   int32_t n_classes, double *out);

/* Are there the scores of as many classifiers as the model fuses? n: 1 without fusion. SP_OK, SP_EMODEL. */
sp_status sp_fusion_check_count(const sp_model *model, int32_t n, sp_error *err);

#endif
