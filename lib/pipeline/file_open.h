/* Files for the pipeline: where its recordings come from. */
#ifndef PIPELINE_FILE_OPEN_H
#define PIPELINE_FILE_OPEN_H

#include "pipeline/pipeline.h"
#include "statepath/pipeline_file.h"

/* A file of scores. */
typedef struct sp_file_input {
    sp_source *source;
    sp_codes *codes; /* of the labels, or NULL */
} sp_file_input;

/* Opens the file and everything that the options name. `strategies` is a comma-separated list. On failure pipeline and input can
 * (and must) still be closed. */
sp_status sp_pipeline_open_file(sp_pipeline *p, sp_file_input *in, const char *file, const sp_run_options *opt,
                                const char *strategies, sp_error *err);
void sp_file_input_close(sp_file_input *in);

/* Paths of a prepared block by the first strategy, [S of the block]; those without are counted, those that failed their check are
 * reported. */
sp_status sp_pipeline_decode_block(sp_pipeline *p, const sp_block *block, int32_t *paths, sp_error *err);

/* Looks for several raters. Too many classes for matrices of pairs: none, with a notice. SP_OK; as sp_source_find_scorers. */
sp_status sp_pipeline_find_raters(sp_pipeline *p, sp_source *source, int32_t n_classes, sp_error *err);

#endif
