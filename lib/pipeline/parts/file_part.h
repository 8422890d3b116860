/* Parts in files. */
#ifndef PIPELINE_FILE_PART_H
#define PIPELINE_FILE_PART_H

#include "pipeline/parts/part.h"
#include "statepath/pipeline_file.h"

/* Makes an open pipeline count for the part that its options name; nothing without one. `kind`: the command, as headers say it.
 * `run` stays where it is until it is closed, on failure too. SP_OK; SP_EINVAL (options that do not go with parts; a shard
 * without a part). */
sp_status sp_part_run_open(sp_part_run *run, sp_pipeline *p, const char *kind, sp_error *err);

/* With SP_OK writes the part, unless it is there. Returns `status`, or why it cannot be written. */
sp_status sp_part_run_close(sp_part_run *run, const sp_pipeline *p, sp_status status, sp_error *err);

/* Writes a part aside, then renames it. SP_OK; as all outputs. */
sp_status sp_part_save(const char *file, bool force, sp_part_content *part, sp_error *err);

/* Reads a part. On failure it can (and must) still be cleared. */
sp_status sp_part_load(const char *file, sp_part_content *out, sp_error *err);

/* Where steps of an open pipeline's part stand among those that take no part, for paths that have -1 there. SP_OK, SP_ENOMEM. */
sp_status sp_part_holes_put(const sp_pipeline *p, sp_count_list *out, sp_error *err);
/* The same of all recordings of parts that are joined, in arrays of `own`; is_there false: there are none.
 *   offsets  [N+1] of the recordings, without holes
 * SP_OK; SP_EDATA (a part is damaged), SP_ENOMEM. */
sp_status sp_part_holes_join(const sp_part_content *parts, const sp_joining *joining, const int64_t *offsets, sp_owned *own,
                             sp_holes *out, bool *is_there, sp_error *err);

/* Bytes, time and, where that is wanted, a checksum of a file; of a folder or a pattern those of all its files, and the latest
 * time. SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_part_input_look(const char *name, bool with_checksum, sp_part_input *out, sp_error *err);

#endif
