/* What a file of spans says of each beside its place: its score, and how probable it is. */
#ifndef PIPELINE_FILES_SPAN_VALUES_H
#define PIPELINE_FILES_SPAN_VALUES_H

#include "io/paths_writer.h"
#include "pipeline/pipeline.h"
#include "statepath/advanced.h"
#include "tags/tags.h"

/* Begins as {0}; its buffers only grow. */
typedef struct sp_span_values {
    double *values[SP_SPAN_VALUES]; /* [S of a block] at the first step of each span */
    sp_tag *tags;                   /* [K] */
    sp_tagged_span *found;          /* [S] */
    sp_span_place *places;          /* [S] */
    double *posteriors;             /* [S] */
    int64_t room;                   /* steps */
} sp_span_values;

/* Of the spans that the paths of a prepared block read as: entities, or runs where the classes are no tags.
 * Posteriors are those of the model that decodes each recording, NaN where the models of folds do or no allowed path exists. SP_OK, SP_ENOMEM. */
sp_status sp_span_values_find(sp_span_values *v, const sp_pipeline *p, const sp_block *block,
                              const sp_decode_output *output, sp_error *err);
void sp_span_values_clear(sp_span_values *v);

#endif
