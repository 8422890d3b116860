/* Labels of an HDF5 file in others' codes; private to io/. */
#ifndef STATEPATH_IO_H5_CODES_H
#define STATEPATH_IO_H5_CODES_H

#include "io/h5_map.h"
#include "statepath/codes.h"

/* As sp_h5_part_read() and sp_h5_part_steps() (steps first_step.. of recording `first` alone when n_steps >= 0), as classes of
 * the codes' model, -1 unscored. A code that means nothing: SP_EDATA with recording, step, and the codes that are known. */
sp_status sp_h5_part_codes(sp_h5_map *map, const sp_h5_part *part, int64_t first, int64_t count, int64_t first_step,
                           int64_t n_steps, const sp_codes *codes, int32_t *out, sp_error *err);

#endif
