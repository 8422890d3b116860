/* Recordings of files that cannot be read, among several files: they have no path and stand in no figure.
 *
 * A file is checked as a whole before anything of it is handed on: where one recording cannot be read, or its
 * scores cannot be prepared, all recordings of its file are unread. A unit is the least run of recordings
 * beside which no file, of scores, of paths or of labels, goes on. Units that fit into a block are read with
 * it, and looked at file by file only where that fails; the files of a longer one are read once before.
 */
#ifndef PIPELINE_UNREAD_H
#define PIPELINE_UNREAD_H

#include "statepath/pipeline.h"

typedef struct sp_pipeline sp_pipeline; /* pipeline.h */
typedef struct sp_unread sp_unread;

/* Where the recordings of a run come from. */
typedef struct sp_unread_input {
    const sp_source_info *info;   /* of scores or paths */
    const sp_source_info *labels; /* in files of their own; NULL: there are none */
    const int64_t *beside;        /* [N] which recording of `labels` each is, -1: none */
    const uint8_t *unread;        /* [N] 1: a file of paths says so; NULL: none does */
} sp_unread_input;

/* Recordings that are known to be unread are marked, and files that cannot be opened told in notices. *out
 * NULL: there is one file, whose fault is the run's. To be freed in any case. SP_OK; SP_EFILE (all are
 * unread), SP_ENOMEM. */
sp_status sp_unread_new(const sp_pipeline *p, const sp_unread_input *input, sp_unread **out, sp_error *err);
void sp_unread_free(sp_unread *u); /* NULL is fine, as with all that follow: then no recording is unread */

bool sp_is_unread(const sp_unread *u, int64_t recording);
int64_t sp_unread_count(const sp_unread *u);       /* recordings */
int64_t sp_unread_count_files(const sp_unread *u); /* that cannot be read */
/* The first recording from `first` on that is (not) unread; `end`: there is none before. */
int64_t sp_unread_next(const sp_unread *u, bool is_unread, int64_t first, int64_t end);

/* The place of a recording among those that are not unread, and the recording at such a place; O(log N), once
 * all are known. */
int64_t sp_unread_place(const sp_unread *u, int64_t recording);
int64_t sp_unread_recording(const sp_unread *u, int64_t place);

/* ---- the run ---- */

/* The next part: recordings from `first` on, which is not unread, of whole units that have no more than so
 * many steps, or of a longer unit. */
sp_part sp_unread_fit(const sp_pipeline *p, int64_t first, int64_t end, int64_t most);

/* Is the recording one of a unit that has more steps, and was not looked at yet? */
bool sp_unread_is_to_check(const sp_pipeline *p, int64_t recording, int64_t most);

/* Was its unit looked at? */
bool sp_unread_was_checked(const sp_unread *u, int64_t recording);

/* Reads the files of all units of recordings first .. end-1, marks those that cannot be read or prepared, and
 * says so in notices.
 *   n_new  out: files that were not known before
 * SP_OK; SP_EINVAL (stopped), SP_ENOMEM; what is wrong with the first file, where no recording at all is
 * left. */
sp_status sp_unread_check(sp_pipeline *p, int64_t first, int64_t end, int64_t most, int64_t *n_new,
                          sp_error *err);

/* The run has ended: how many files more were not named, and which recordings are counted by place. SP_OK,
 * SP_ENOMEM. */
sp_status sp_unread_end(const sp_pipeline *p, sp_error *err);

/* ---- what is said of it ---- */

/* The fault of file i of the scores or paths; NULL: it has none. */
const char *sp_unread_fault(const sp_unread *u, int64_t i);
/* Of the files of labels the i-th that has one; NULL: there is none more. */
const sp_source_file *sp_unread_labels(const sp_unread *u, int64_t i);

#endif
