/* Labels that are tags as columns of CoNLL, in the scheme that is asked for: what sp_convert_file() does where the output's name
 * says so. */
#ifndef STATEPATH_PIPELINE_FILE_CONVERT_TAGS_H
#define STATEPATH_PIPELINE_FILE_CONVERT_TAGS_H

#include "statepath/pipeline_file.h"

/* As sp_convert_file(); o->scheme NULL: tags stay as they are. */
sp_status sp_convert_tags(const char *file, const sp_run_options *o, sp_error *err);

#endif
