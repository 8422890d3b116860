/* Likelihood and calibration of labels, block by block. */
#ifndef PIPELINE_PROBABILITIES_H
#define PIPELINE_PROBABILITIES_H

#include "pipeline/pipeline.h"

/* Adds the labels of a prepared block that count.
 *   sleep   of the recording that the block is a part of, or NULL: the block holds whole recordings */
sp_status sp_likelihood_add(sp_pipeline *p, const sp_block *block, const sp_wake_bounds *sleep, sp_error *err);

#endif
