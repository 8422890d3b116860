/* Converting labels that are tags to columns of CoNLL; private to the pipeline. */
#ifndef STATEPATH_PIPELINE_FILE_CONVERT_TAGS_H
#define STATEPATH_PIPELINE_FILE_CONVERT_TAGS_H

#include "statepath/pipeline.h"

/* Writes o->output: a token, where the file says what it is, and its tag a line; in the scheme o->scheme, or as they are. SP_OK,
 * SP_EINVAL, SP_EFILE, SP_EDATA, SP_ENOMEM. */
sp_status sp_convert_tags(const char *file, const sp_run_options *o, sp_error *err);

#endif
