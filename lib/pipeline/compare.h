/* Comparing and decoding, whatever the recordings come from. */
#ifndef PIPELINE_COMPARE_H
#define PIPELINE_COMPARE_H

#include "pipeline/calibration.h"
#include "pipeline/pipeline.h"

/* The strategies that are compared, where the options name none. */
extern const char sp_usual_strategies[];

/* Was the model fitted on these very recordings? */
bool sp_is_fitted_on(const sp_model *model, const sp_source_info *info);

/* An open pipeline for decoding: checks that there are scores, and warns of recordings that have to be read whole. Where p->sink
 * is wanted it is there by now. */
sp_status sp_pipeline_check_decoding(const sp_pipeline *p, sp_error *err);

/* Makes an open pipeline ready to be compared: likelihood, calibration (`scaled`, to be closed after the pipeline), and the
 * above. p->folds stands by now. */
sp_status sp_pipeline_open_comparison(sp_pipeline *p, calibration *scaled, sp_error *err);

/* Decodes, hands on, evaluates. */
sp_status sp_pipeline_compare(sp_pipeline *p, sp_comparison **out, sp_error *err);

#endif
