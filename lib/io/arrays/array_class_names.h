/* Names that a file of arrays gives: of its classes, of its subjects. Private to io/. */
#ifndef STATEPATH_IO_ARRAY_CLASS_NAMES_H
#define STATEPATH_IO_ARRAY_CLASS_NAMES_H

#include "io/arrays/array_map.h"

enum { SP_ARRAY_PLACE = 320 };

/* Class names into info: those of the file's own, else the first of: array classes beside the scores or in the root; attribute
 * classes or class_names of the scores, their group, the group of the recordings, the root. Numbers of another count than the
 * classes are something else that happens to be called so.
 *   names   out: theirs, in one allocation; NULL: none
 *   place   where they were found
 * SP_OK; SP_EDATA (their number is not K; two are the same; recordings differ), SP_EFILE, SP_ENOMEM. */
sp_status sp_array_find_classes(sp_array_map *map, sp_texts *names, sp_source_info *info,
                                char place[SP_ARRAY_PLACE], sp_error *err);

#endif
