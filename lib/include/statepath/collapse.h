/* Fewer, coarser classes: paths are scored again after classes have been put together (always after decoding).
 */
#ifndef STATEPATH_COLLAPSE_H
#define STATEPATH_COLLAPSE_H

#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_collapse {
    int32_t n_classes, n_groups;
    char *name;              /* the groups, "Wake / Light / N3 / REM" */
    char **groups;           /* [n_groups] names, in the order of their first class */
    int32_t *group_of_class; /* [n_classes] */
} sp_collapse;

void sp_collapse_clear(sp_collapse *collapse); /* leaves {0} */

/* From words such as "Light=N1,N2; Deep=N3": groups with a name and their classes; a class that is not named stays itself. Blanks
 * around names do not count. classes [n_classes] in the order of the columns.
 * SP_OK; SP_EINVAL (no "=", a class that is not one or is named twice, two groups of one name, one group only); SP_ENOMEM. */
sp_status sp_collapse_parse(const char *text, int32_t n_classes, const char *const *classes, sp_collapse *out, sp_error *err);

/* From numbers: group_of_class [n_classes] any ids below n_ids, names [n_ids]. SP_OK, SP_ENOMEM. */
sp_status sp_collapse_make(int32_t n_classes, const int32_t *group_of_class, const char *const *names, sp_collapse *out,
                           sp_error *err);

/* Sums a confusion matrix [K,K] and undecoded steps [K] into [G,G] and [G]. */
void sp_collapse_counts(const sp_collapse *collapse, const int64_t *confusion, const int64_t *undecoded, int64_t *out_confusion,
                        int64_t *out_undecoded);

#ifdef __cplusplus
}
#endif
#endif
