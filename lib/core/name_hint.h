/* Lists of names in sentences; what is near a name stands in statepath/status.h. Not installed. */
#ifndef STATEPATH_CORE_NAME_HINT_H
#define STATEPATH_CORE_NAME_HINT_H

#include "statepath/status.h"

/* "Wake, N1, N2 and 1897 more" into out, cut so that it fits. Returns out. */
char *sp_name_list(char *out, size_t size, int32_t n, const char *const *names);

#endif
