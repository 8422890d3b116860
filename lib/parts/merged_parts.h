/* Parts that are put together: which there are, in which order, and what their recordings look like. */
#ifndef PARTS_MERGED_PARTS_H
#define PARTS_MERGED_PARTS_H

#include "core/subjects.h"
#include "parts/part.h"

/* A file of recordings, of one part or several; of recordings in memory everything that was given. */
typedef struct sp_merged_input {
    const char *name;
    const char *stem; /* ids of its recordings begin with it; NULL: they are as the parts say */
    json_t *said;     /* borrowed: its object in the first header that names it */
    int64_t part;     /* whose header that is */
    int64_t n_recordings, n_steps, bytes;
} sp_merged_input;

typedef struct sp_merged_parts {
    sp_owned own; /* of all arrays and texts below */
    int64_t n_parts, n_inputs, n_recordings;
    sp_part_content *parts;  /* [n_parts] */
    sp_merged_input *inputs; /* [n_inputs] in the order of their recordings */
    bool is_of_files;        /* not of recordings in memory */
    bool is_one_run;         /* the parts are shards of one run */
    bool is_relaxed;         /* steps say which of them break a rule */
    char *missing;           /* what is missing, a clause; NULL: nothing */
    sp_counted_place *order; /* [n_recordings] */
    int64_t *offsets;        /* [n_recordings + 1] */
    const char **ids;        /* [n_recordings] */
    int64_t **steps;         /* [n_parts][recordings] places in the list of steps, or NULL: there are none */
    sp_source_file *files;   /* [n_inputs] */
    const char *about;       /* what the inputs are called together */
    sp_source_info info;     /* of all recordings */
} sp_merged_parts;

/* Room for n parts. SP_OK, SP_ENOMEM. On failure of this and what follows it can (and must) still be closed. */
sp_status sp_merged_parts_new(sp_merged_parts *m, int64_t n, sp_error *err);
void sp_merged_parts_close(sp_merged_parts *m);

/* Once m->parts are read: puts them in order. Recordings of files stand in the natural order of these. `name_inputs` says what
 * the inputs are called, once they are known and in order (m->about, stems); NULL: the parts are of recordings in memory, which
 * stand in the order of their arrays where all are shards of the same, else in the natural order of their ids. SP_OK; SP_EDATA
 * (they do not go together, one is missing, a recording comes twice); what name_inputs returns; SP_ENOMEM. */
typedef sp_status sp_name_inputs(sp_merged_parts *m, sp_error *err);
sp_status sp_merged_parts_arrange(sp_merged_parts *m, bool allow_missing, sp_name_inputs *name_inputs,
                                  sp_error *err);

/* Subjects of all recordings; *out NULL: not known. */
sp_status sp_merged_parts_subjects(const sp_merged_parts *m, const sp_groups *groups, sp_subjects **out,
                                   sp_error *err);

/* Frees what has been counted, once it is joined; steps, holes and headers stay. */
void sp_merged_parts_drop_counts(sp_merged_parts *m);

/* Steps first .. first+n-1 of a recording of all, where the parts have steps; into `out`, or of segments into `wide`. */
void sp_merged_parts_steps(const sp_merged_parts *m, int64_t recording, int32_t stream, int64_t first,
                           int64_t n, int32_t *out, int64_t *wide);

#endif
