/* Files among several that cannot be read: a run names them, leaves them out, and goes on with the others. */
#ifndef PIPELINE_FILES_FAULTY_H
#define PIPELINE_FILES_FAULTY_H

#include "pipeline/pipeline.h"
#include "statepath/pipeline_file.h"

/* What is known of the files of a run, in their order; names and faults are owned. {0}: nothing. */
typedef struct sp_faulty_files {
    int64_t n;
    sp_source_file *files;
    bool *is_told; /* [n] the fault has been said */
} sp_faulty_files;

void sp_faulty_files_clear(sp_faulty_files *known);

/* A run has ended with `status`. Where its recordings come from several files, and one of them was why, reads all of them and
 * notes those that cannot be read or prepared: the run can begin again without them. Returns whether it can.
 * Cost: the files are read once more. */
bool sp_faulty_files_find(sp_faulty_files *known, sp_pipeline *p, sp_status status);

/* A notice for each of the first few files that are left out and of which nothing was said before, and how many more there are.
 * known: NULL where nothing is known of them. */
void sp_faulty_files_tell(const sp_faulty_files *known, const sp_run_options *o, const sp_source_info *info);

#endif
