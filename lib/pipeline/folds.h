/* Comparing by cross-validation: each recording is decoded with a model fitted on the others. */
#ifndef PIPELINE_CROSS_H
#define PIPELINE_CROSS_H

#include "pipeline/options.h"

typedef struct cross {
    sp_run_options options;
    sp_fitting fit;
    int32_t n_folds;
    int32_t *fold;     /* [N] of the file */
    sp_model **models; /* [n_folds] */
} cross;

/* Fits the models of all folds. `o->groups` keeps recordings together. On failure the cross can (and must) still be closed.
 */
sp_status sp_folds_open(cross *c, const char *file, const sp_run_options *o, sp_error *err);
void sp_folds_close(cross *c);

/* Decodes a block of the same file by one strategy, the way sp_decode_batch() would. argmax is decoded from the scores as they
 * are. */
sp_status sp_folds_decode(const cross *c, const sp_block *block, const sp_decode_options *how, sp_workers *workers,
                          const sp_decode_output *output, sp_error *err);

/* Was the model fitted on this very file? Then its figures there are too good. Known by what the model's source says: as many
 * recordings and steps, and the same name or, where the file was renamed, the same size. */
bool sp_is_fitted_on(const sp_model *model, const sp_source_info *info);

#endif
