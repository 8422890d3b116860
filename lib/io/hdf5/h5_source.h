/* HDF5 as a format of sources: what the files of its row share. Private to io/. */
#ifndef STATEPATH_IO_H5_SOURCE_H
#define STATEPATH_IO_H5_SOURCE_H

#include "io/arrays/array_source.h"
#include "io/hdf5/h5_store.h"

/* What a file of paths says of a strategy's recordings; NULL where it does not. */
typedef struct sp_h5_verdicts {
    int64_t *status, *broken; /* [N] */
    double *scores;           /* [N] */
} sp_h5_verdicts;

/* Of a source that was opened for its paths: what statepath's own files say of them, the model, the input. (h5_verdicts.c) */
sp_status sp_h5_verdicts_open(sp_source *source, const sp_request *request, sp_error *err);
sp_decoded sp_h5_verdicts_result(const sp_source *source, int32_t strategy, int64_t recording, bool is_undecoded);
void sp_h5_verdicts_close(sp_h5_store *h);

sp_status sp_h5_source_list_unused(sp_source *source, sp_unused_sink *sink, void *arg, sp_error *err); /* (h5_source_unused.c) */

#endif
