/* Several files as one source: a format that the table of formats does not know, made of sources that it does. Private to io/.
 *
 * many_open.c opens each file once and puts together what all of them have; many_read.c reads, with a few files open at a time.
 */
#ifndef STATEPATH_IO_MANY_H
#define STATEPATH_IO_MANY_H

#include "core/owned.h"
#include "io/format.h"
#include "io/text/texts.h"

/* Opens every file once, looks at it and closes it again; a few are kept open for reading. Takes the list over, also on failure.
 * The source must be new. SP_OK; what opening a file says; SP_EDATA (two files do not go together). */
sp_status sp_many_open(sp_source *source, const sp_request *request, sp_file_list *list, sp_error *err);

/* How many steps each file has, which its source (sp_source_file) says, once holes are left out. */
void sp_many_count_steps(sp_source *source);

/* ---- what both files share ---- */

enum { SP_MANY_OPEN_FILES = 16 /* at a time */ };

typedef struct sp_many_member {
    int64_t first, n;  /* recordings of all files */
    sp_source *source; /* or NULL: closed */
    bool has_labels;
    double seconds; /* length of a step; 0: the file does not say */
    sp_decoded *
        result; /* [n_strategies][n][2] decoded and undecoded, of files that say what became of recordings; or NULL */
} sp_many_member;

typedef struct sp_many {
    sp_file_list *list;
    sp_many_member *members;
    sp_source_file *files; /* [n] with owned faults */
    int64_t first;         /* the file that others are compared with */
    sp_error first_fault;  /* of the first that cannot */
    int64_t n_left_out;    /* that cannot */
    uint8_t *unread;       /* [N] recordings of these; NULL: there are none */
    sp_owned own;          /* texts below and in info */
    /* The request again, for files that are opened once more; texts are our own. */
    sp_source_options options;
    const char *paths_text;
    bool is_paths;
    int n_threads;
    int64_t opened[SP_MANY_OPEN_FILES]; /* members that are open, in a ring; -1 */
    int next_place;
    /* What info points to. */
    int64_t *offsets;
    char **ids; /* [N] owned */
    int64_t n_ids, room;
    /* Files of paths that one run decoded, share by share: their recordings are called as each file says. */
    bool are_shares;
    char **own_ids; /* [n_own] owned: these names, until all files are known */
    int64_t n_own;
    sp_texts classes, strategies;
    char *remark;
    int64_t n_remarks;
    bool *has_path_scores;
    sp_texts rater_names;
    sp_status seconds_status; /* the first file that says something that is no length */
    sp_error seconds_error;
} sp_many;

/* The row: reading, and what is looked for only when asked. */
extern const sp_format sp_many_format;

/* Makes file i open. One that was opened long ago is closed for it. SP_OK; what opening it says. */
sp_status sp_many_open_member(sp_many *a, int64_t i, sp_source **out, sp_error *err);

/* The file that holds a recording. */
int64_t sp_many_member_of(const sp_source *source, int64_t recording);

#endif
