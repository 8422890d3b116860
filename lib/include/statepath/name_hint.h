/* Help with names that are not known: the nearest one, and the list. Allocates nothing. */
#ifndef STATEPATH_NAME_HINT_H
#define STATEPATH_NAME_HINT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Index of the name most like `word` (edit distance with neighbours swapped counting once, case ignored), or -1 when none is
 * near: more than a third of the letters would have to change. Ties go to the first. */
int32_t sp_name_nearest(const char *word, int32_t n, const char *const *names);

/* "Wake, N1, N2 and 1897 more" into out, cut so that it fits. Returns out. */
char *sp_name_list(char *out, size_t size, int32_t n, const char *const *names);

/* `; did you mean "Wake"?` when a name is near, else the empty string. Returns out. */
char *sp_name_hint(char *out, size_t size, const char *word, int32_t n, const char *const *names);

#ifdef __cplusplus
}
#endif
#endif
