/* The same recordings from two places: which is which, and reading both in one order. */
#ifndef PIPELINE_MATCHED_H
#define PIPELINE_MATCHED_H

#include "pipeline/options.h"

/* One of both places. */
typedef struct sp_match_side {
    const char *name;                      /* for messages: "night.h5", "old (night2.h5)" */
    int64_t n;                             /* recordings */
    const char *const *ids;                /* [n] NULL: it does not name them */
    const int64_t *offsets;                /* [n+1] */
    double step_seconds;                   /* length of a step, 0: not known */
    bool is_folder;                        /* or a pattern: `only` chooses among its files */
    const sp_source_file *files;           /* [n] where each recording has a file of its own; or NULL */
    const char *scores_path, *labels_path; /* of one of them, that of each recording, with {id}; or NULL */
    const uint8_t
        *unread; /* [n] 1: of a file that cannot be opened, so that nothing but its name is known; or NULL */
} sp_match_side;

/* Recordings with their ids, where they have any of their own. */
sp_match_side sp_match_side_of(const sp_source_info *info, const char *name, double step_seconds);

/* Which of their recordings each of ours is: by id where both name them, else by place.
 *   lengths    they must have as many steps; else what differs is left to the caller
 *   hint       what helps where steps differ, added to the message unless their lengths in time seem to; or
 *              NULL
 *   recording  out [ours->n]; -1 where the file of one of both cannot be opened and nothing stands for the
 *              recording there
 * SP_OK; SP_EDATA: steps are of two lengths in time; another number of recordings; ids that one side alone
 * has, other numbers of steps: the first ten of each are named, the others counted. SP_ENOMEM. O(n log n). */
sp_status sp_match_recordings(const sp_match_side *ours, const sp_match_side *theirs, bool lengths,
                              const char *hint, int64_t *recording, sp_error *err);

/* The steps that both have of each recording, from the first on, in the order of ours. The caller frees what is in it. */
typedef struct sp_common_steps {
    int64_t *offsets;               /* [N+1] */
    int64_t *cut_ours, *cut_theirs; /* [N] how many each has more */
} sp_common_steps;
/* recording [ours->n] is which of theirs each is. SP_OK, SP_ENOMEM. */
sp_status sp_match_steps(const sp_match_side *ours, const sp_match_side *theirs, const int64_t *recording,
                         sp_common_steps *out, sp_error *err);
void sp_common_steps_clear(sp_common_steps *steps);

/* Which of their columns is each of ours, [K]; both say which class each column is (sp_model_align()). *out NULL: the same; the
 * caller frees it. SP_OK, SP_ENOMEM. */
sp_status sp_match_columns(int32_t K, const int32_t *our_class, const int32_t *their_class, int32_t **out,
                           sp_error *err);

/* Recordings in the order of others, and what is said of their steps by others. Borrows what it is made of. */
typedef struct sp_matched {
    sp_recordings from;        /* whose scores and masks */
    int64_t *recording;        /* [N] which of `from`; owned; NULL: the same */
    sp_recordings beside;      /* whose labels and raters, and with `all_beside` segments and weights */
    int64_t *beside_recording; /* [N] which of `beside`; owned; NULL: the same */
    int32_t *column_of_label;  /* [K] column of `from` for each label of `beside`; owned; NULL: the same */
    bool all_beside;           /* and labels that `from` has must agree with those of `beside` */
    const char *name, *beside_name; /* for messages */
    const char *const *classes;     /* [K] names of the columns, for messages */
    sp_source_info info;
    sp_block *read, *read_beside; /* scratch */
} sp_matched;

/* With `from`, `beside` and what belongs to both filled in: fills in the rest and hands out the recordings. N, ids and lengths
 * are those of `info`, which is `from` or `beside`'s; where a recording has fewer steps in it than there, the last ones are left
 * out. To be closed in any case. SP_OK, SP_ENOMEM. */
sp_status sp_matched_open(sp_matched *m, const sp_source_info *order, sp_recordings *out, sp_error *err);
void sp_matched_close(sp_matched *m);

#endif
