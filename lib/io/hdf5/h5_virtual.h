/* Datasets whose values lie elsewhere: looked at before HDF5 reads one, because it fills in zeros for a source that it cannot
 * open, never returns from a virtual dataset that is its own source, and reads whatever file external raw storage names. Private
 * to io/. */
#ifndef STATEPATH_IO_H5_VIRTUAL_H
#define STATEPATH_IO_H5_VIRTUAL_H

#include <hdf5.h>

#include "statepath/status.h"

/* Looks at an open dataset and, where it is virtual, at all of its sources and theirs. created: its creation properties.
 * SP_OK; SP_EDATA: external raw storage, a source that is missing or refused (h5_driver.h), a cycle, more than 16 datasets one
 * behind the other; SP_ENOMEM. */
sp_status sp_h5_storage_check(hid_t dataset, hid_t created, const char *file_name, const char *path,
                              sp_error *err);

#endif
