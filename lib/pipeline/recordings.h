/* Where recordings come from. */
#ifndef PIPELINE_RECORDINGS_H
#define PIPELINE_RECORDINGS_H

#include "pipeline/options.h"

/* Those of a file; borrows the source. */
sp_recordings sp_recordings_of_source(sp_source *source);

/* The part that is recordings first .. first+count-1, as many of them before `end` as have no more than so many steps. */
sp_part sp_recordings_fit(const sp_recordings *r, int64_t first, int64_t end, int64_t steps);

#endif
