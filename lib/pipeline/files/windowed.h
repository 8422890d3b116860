/* Recordings that are windows of longer texts, joined to these before anything else sees them: scores and labels. */
#ifndef PIPELINE_FILES_WINDOWED_H
#define PIPELINE_FILES_WINDOWED_H

#include "io/source.h"
#include "pipeline/pipeline.h"
#include "tags/join.h"

typedef struct sp_windowed {
    sp_recordings from; /* the windows */
    sp_join how;
    sp_prepare_options read; /* their kind, and what a NaN is */
    int64_t *start;          /* [windows] */
    sp_joined_texts texts;
    sp_source_info info;
    const char **ids, **tokens; /* [N], [S], of each text's first window; tokens NULL: none */
    sp_block *windows;          /* scratch */
    int64_t *seen, room;        /* of the steps at hand */
} sp_windowed;

/* p->from, whose recordings and holes are the source's, becomes that of the texts. To be closed in any case. SP_OK; SP_EINVAL (nobody
 * says where windows begin; what cannot be joined), SP_EDATA as sp_joined_texts_find(), what reading says, SP_ENOMEM. */
sp_status sp_windowed_open(sp_windowed *w, sp_pipeline *p, sp_source *source, sp_error *err);
void sp_windowed_close(sp_windowed *w);

#endif
