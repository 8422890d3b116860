/* Other classifiers in files. */
#ifndef PIPELINE_FILES_AGAINST_FILE_H
#define PIPELINE_FILES_AGAINST_FILE_H

#include "pipeline/against.h"
#include "pipeline/files/open.h"

/* {0} is none. */
typedef struct sp_file_against {
    int32_t n;
    sp_rival *rivals;        /* [n] */
    sp_file_input *inputs;   /* [n] */
    sp_against_words *words; /* [n] */
} sp_file_against;

/* Opens what p->opt->against names, and lets p, which is open, compare with it. On failure it can (and must) still be closed. */
sp_status sp_file_against_open(sp_file_against *a, sp_pipeline *p, const sp_file_input *in, sp_error *err);
void sp_file_against_close(sp_file_against *a);

#endif
