/* Comparing and decoding, whatever the recordings come from. */
#ifndef PIPELINE_COMPARE_H
#define PIPELINE_COMPARE_H

#include "pipeline/calibration.h"
#include "pipeline/pipeline.h"

/* Was the model fitted on these very recordings? */
bool sp_is_fitted_on(const sp_model *model, const sp_source_info *info);

/* Makes an open pipeline ready to be decoded: the hook of paths is a consumer; checks that there are scores, and warns of
 * recordings that have to be read whole. Other consumers of paths are there by now. */
sp_status sp_pipeline_open_decoding(sp_pipeline *p, sp_error *err);

/* Makes an open pipeline ready to be compared: likelihood, calibration (`scaled`, to be closed after the pipeline), and the
 * above. p->folds stands by now. */
sp_status sp_pipeline_open_comparison(sp_pipeline *p, calibration *scaled, sp_error *err);

/* ---- cross-validation ---- */

/* The words as options of fitting; the method of none is CRF. SP_OK; SP_EINVAL. */
sp_status sp_fit_words_read(const sp_fit_words *words, const sp_run_plan *plan, sp_fit_options *out,
                            sp_error *err);

/* Fits the models of o->n_folds folds to all recordings (`training`, borrowed) and has `p` decode
 * by them: each brings its own temperature, so the scores stay as they are. `folds` is zeroed before and cleared after the
 * pipeline, on failure too. SP_OK; SP_EINVAL (options that do not go with folds, no labels, fewer groups than folds); what
 * fitting returns. */
sp_status sp_folds_fit(sp_folds *folds, sp_pipeline *p, const sp_training *training,
                       const sp_fit_options *how, sp_workers *workers, sp_error *err);
void sp_folds_clear(sp_folds *folds);

/* ---- comparing ---- */

/* Decodes, hands on, evaluates. */
sp_status sp_pipeline_compare(sp_pipeline *p, sp_comparison **out, sp_error *err);

#endif
