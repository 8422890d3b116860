/* HDF5 as a format of sources: what the files of its row share. Private to io/. */
#ifndef STATEPATH_IO_H5_SOURCE_H
#define STATEPATH_IO_H5_SOURCE_H

#include "io/arrays/array_source.h"
#include "io/hdf5/h5_store.h"

sp_status sp_h5_source_list_unused(sp_source *source, sp_unused_sink *sink, void *arg,
                                   sp_error *err); /* (h5_source_unused.c) */

#endif
