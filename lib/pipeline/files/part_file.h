/* Parts in files. */
#ifndef PIPELINE_FILES_PART_FILE_H
#define PIPELINE_FILES_PART_FILE_H

#include "pipeline/parts/part_run.h"
#include "statepath/pipeline_file.h"

/* Makes an open pipeline count for the part that its options name; nothing without one. `kind`: the command, as headers say it.
 * `run` stays where it is until it is closed, on failure too. SP_OK; SP_EINVAL (options that do not go with parts; a shard
 * without a part). */
sp_status sp_part_file_open(sp_part_run *run, sp_pipeline *p, const char *kind, sp_error *err);

/* With SP_OK writes the part, unless it is there. Returns `status`, or why it cannot be written. */
sp_status sp_part_file_close(sp_part_run *run, sp_status status, sp_error *err);

/* Writes a part aside, then renames it. SP_OK; as all outputs. */
sp_status sp_part_save(const char *file, bool force, sp_part_content *part, sp_error *err);

/* Reads a part. On failure it can (and must) still be cleared. */
sp_status sp_part_load(const char *file, sp_part_content *out, sp_error *err);

/* Bytes, time and, where that is wanted, a checksum of a file; of a folder or a pattern those of all its files, and the latest
 * time. SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_part_input_look(const char *name, bool with_checksum, sp_part_input *out, sp_error *err);

#endif
