/* Labels of a file that is no array as a source: what such formats share. Private to io/. */
#ifndef STATEPATH_IO_LABEL_FILE_H
#define STATEPATH_IO_LABEL_FILE_H

#include "io/format.h"
#include "io/text/texts.h"

/* The first member of what a format has opened; all owned unless said. */
typedef struct sp_label_file {
    const char *file; /* borrowed */
    char *text;
    char *name; /* of the file without folder and ending: what its path is called */
    const char *names[1];
    bool has_scores[1], has_ids;
    int64_t n_recordings, n_steps;
    int64_t *offsets;       /* [N+1] */
    int32_t *labels, *path; /* [S] or NULL */
    int32_t n_classes;
    sp_texts classes; /* [K] */
} sp_label_file;

/* Makes what a format has opened, `size` bytes, and reads the whole text; `what` says what it should be. source->opened is to be
 * closed in any case. SP_OK; SP_EFILE, SP_ENOMEM. */
sp_status sp_label_file_new(sp_source *source, size_t size, const char *what, sp_label_file **out,
                            sp_error *err);
/* Says in the source what there is. */
void sp_label_file_fill(const sp_label_file *f, const char *const *ids, bool is_paths, sp_source *source);
/* Frees what it owns, and itself. */
void sp_label_file_free(sp_label_file *f);

sp_status sp_label_file_read(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err);
sp_status sp_label_file_read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out,
                                  sp_error *err);

#endif
