/* Subjects of the recordings of a map, for the files that have one; private to io/. As sp_source_subjects(). */
#ifndef STATEPATH_IO_SUBJECTS_PRIVATE_H
#define STATEPATH_IO_SUBJECTS_PRIVATE_H

#include "io/h5_map.h"
#include "statepath/subjects.h"

sp_status sp_h5_subjects(const sp_h5_map *map, const char *groups, sp_subjects **out, sp_error *err);

#endif
