/* Which recordings belong together: several nights of one person, several takes of one scene. They are not independent of each
 * other, so they are one cluster of the bootstrap, one unit of a paired test, and never parted between folds.
 * And who else labelled them. Not installed.
 */
#ifndef STATEPATH_CORE_SUBJECTS_H
#define STATEPATH_CORE_SUBJECTS_H

#include <stdbool.h>

#include "statepath/status.h"

typedef struct sp_subjects sp_subjects;
struct sp_subjects {
    int32_t n_subjects;
    char **names;          /* [n_subjects] in the order in which they appear */
    int64_t n_recordings;  /* N */
    int32_t *of_recording; /* [N] 0..n_subjects-1 */
    char *place;           /* where it is said: "dataset /subjects", "ids up to the first '_'" */
};

void sp_subjects_free(sp_subjects *subjects); /* NULL is fine */

/* Where it is to be said. */
typedef enum sp_groups_by {
    SP_GROUPS_USUAL,  /* where it is usually said, if it is */
    SP_GROUPS_NONE,   /* each recording is on its own */
    SP_GROUPS_PREFIX, /* ids up to the first `mark` */
    SP_GROUPS_PLACE   /* a dataset or attribute */
} sp_groups_by;
typedef struct sp_groups {
    sp_groups_by by;
    char mark;
    const char *place; /* borrowed */
} sp_groups;

/* From NULL, "none", "prefix:C", or the name of a place. SP_OK; SP_EINVAL (prefix: without its one character). */
sp_status sp_groups_read(const char *text, sp_groups *out, sp_error *err);

/* From names that are there already: names [n], each up to the first `stop` ('\0': whole). `place` is copied. SP_OK, SP_ENOMEM;
 * SP_EINVAL (more than 2^31 - 1 recordings). */
sp_status sp_subjects_from_names(int64_t n, const char *const *names, char stop, const char *place,
                                 sp_subjects **out, sp_error *err);

/* The same of recordings that have ids only. *out NULL without a mark. `file` is for messages. SP_OK; SP_EINVAL (a place), SP_ENOMEM.
 */
sp_status sp_subjects_from_ids(int64_t n, const char *const *ids, const sp_groups *groups, const char *file,
                               sp_subjects **out, sp_error *err);

/* What each recording says of itself: texts [n], NULL or "" where it says nothing; what: the name of the attribute or dataset.
 * All must say it. `file` and ids are for messages. SP_OK; SP_EFILE where it was asked for by name, else SP_EDATA (a recording
 * says nothing); SP_ENOMEM; SP_EINVAL as above. */
sp_status sp_subjects_of_recordings(int64_t n, const char *const *ids, const char *const *texts,
                                    const char *what, bool is_asked, const char *file, sp_subjects **out,
                                    sp_error *err);

/* Labels by several raters. */
typedef struct sp_raters_found {
    int32_t n_raters;
    const char *const *names; /* [n_raters] "scorer1" */
} sp_raters_found;

#endif
