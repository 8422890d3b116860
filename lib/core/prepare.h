/* The options of preparing, before there is a block. Not installed. */
#ifndef STATEPATH_CORE_PREPARE_H
#define STATEPATH_CORE_PREPARE_H

#include "statepath/model.h"
#include "statepath/scores.h"

/* Can these options be used? SP_OK or SP_EINVAL (message names the option and the mend). */
sp_status sp_prepare_options_check(const sp_prepare_options *options, sp_error *err);

/* Do these options make doubles of floats? Then sp_prepare() leaves floats alone that are not in the block's own memory. */
bool sp_prepare_widens(const sp_prepare_options *options);

/* Temperature and prior weight as given, or, where they are NaN, as the model says, or as is usual; and the logs of its prior,
 * where they are used, into log_prior [K], which options borrow.
 *   class_of_column  [K], or NULL: the columns are in the model's order
 * SP_OK, SP_EINVAL (the model has no prior). */
sp_status sp_prepare_by_model(sp_prepare_options *options, const sp_model *model,
                              const int32_t *class_of_column, double *log_prior, sp_error *err);

#endif
