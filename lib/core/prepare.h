/* The check of the options of preparing, before there is a block. Not installed. */
#ifndef STATEPATH_CORE_PREPARE_H
#define STATEPATH_CORE_PREPARE_H

#include "statepath/scores.h"

/* Can these options be used? SP_OK or SP_EINVAL (message names the option and the mend). */
sp_status sp_prepare_options_check(const sp_prepare_options *options, sp_error *err);

/* Do these options make doubles of floats? Then sp_prepare() leaves floats alone that are not in the block's own memory. */
bool sp_prepare_widens(const sp_prepare_options *options);

#endif
