/* Labels of tools that count classes from 1 (MATLAB): here they count from 0 unless a map says otherwise. Private to io/. */
#ifndef STATEPATH_IO_ARRAY_BASE_H
#define STATEPATH_IO_ARRAY_BASE_H

#include "io/arrays/array_map.h"

enum { SP_ARRAY_BASE = 500 };

/* The map that reads such labels as classes 0 .. K-1, "'1=Wake,2=N1,3=REM'": by the names of the file or the model, as many as
 * fit. Returns text. */
char *sp_array_base_map(const sp_source *source, char text[SP_ARRAY_BASE]);

/* Where the numbers of labels may count from 1 (none is 0, all are from 1 to K-1): says so in `remark`, else that is "". For
 * files that are in memory. SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_array_base_look(const sp_source *source, const sp_array_map *map, char remark[SP_ARRAY_BASE],
                             sp_error *err);

#endif
