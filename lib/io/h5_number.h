/* A single number as attribute. Private to io/. */
#ifndef STATEPATH_IO_H5_NUMBER_H
#define STATEPATH_IO_H5_NUMBER_H

#include <hdf5.h>

#include "statepath/status.h"

/* Attribute epoch_seconds, the length of a step: the first of the objects that has it, in the order given. *seconds is 0 where
 * none has it. SP_OK; SP_EDATA (not one finite number above 0: the message names it). Cost: opening each object. */
sp_status sp_h5_epoch_seconds(hid_t file, const char *file_name, int n_places, const char *const *places, double *seconds,
                              sp_error *err);

#endif
