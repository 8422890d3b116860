/* What sp_file_recordings (statepath/pipeline_file.h) holds. */
#ifndef PIPELINE_FILES_FILE_RECORDINGS_H
#define PIPELINE_FILES_FILE_RECORDINGS_H

#include "core/owned.h"
#include "core/subjects.h"
#include "pipeline/files/open.h"

struct sp_file_recordings_own {
    sp_run_options options; /* as given, with the file of labels in its place */
    sp_pipeline p;          /* of recordings, with labels of another file where there are any; of its model */
    sp_file_input in;
    sp_owned own;
    sp_subjects *subjects;      /* or NULL */
    const char **subject_names; /* [N] borrowed from them, or NULL */
};

#endif
