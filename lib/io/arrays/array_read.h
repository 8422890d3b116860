/* Reading what stands at each step of recordings, in whatever layout. Private to io/. */
#ifndef STATEPATH_IO_ARRAY_READ_H
#define STATEPATH_IO_ARRAY_READ_H

#include "io/arrays/array_map.h"

/* Values of a part (NULL as `out`: nothing) as `target` (limit: as of sp_element_convert()); -1 for recordings that have none of
 * it. Words are their numbers (sp_array_where() and the array's `words`). SP_OK; SP_EFILE; SP_EDATA with err->step (message: array,
 * recording, step, value); SP_ENOMEM. */
sp_status sp_array_part_read(const sp_array_map *map, const sp_array_part *part, const sp_wanted *w,
                             sp_target target, int64_t limit, void *out, sp_error *err);

#endif
