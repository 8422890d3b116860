/* What decode(), forward_backward() and path_scores() share: scores with what stands beside them, made nats group by group. */
#ifndef STATEPATH_PYTHON_REQUEST_H
#define STATEPATH_PYTHON_REQUEST_H

#include "extension.h"

/* Members of the dictionary `inputs`: scores float32 or float64 [S,K]; offsets int64 [N+1]; segments int64 [S], mask uint8 [S,K],
 * labels int32 [S] or absent. Of `options`: kind (an sp_kind, -1: told from the first row), missing_uniform, clamp, floor,
 * temperature, prior_weight, log_prior float64 [K], threads. */
typedef struct request {
    chain_object *chain;
    array scores, offsets, segments, mask, labels, log_prior;
    sp_dtype dtype;
    int64_t n_recordings, n_steps;       /* N, S */
    int64_t most_recordings, most_steps; /* of one group */
    sp_prepare_options how;
    bool is_changed; /* nats are not the scores as they stand, so groups are copied */
    context *context;
    sp_prepare_counts counts;
    PyThreadState *released; /* while the library works */
    double looked;           /* for signals, seconds */
} request;

/* Recordings first .. first+n_recordings-1, as nats. */
typedef struct group {
    int64_t first, n_recordings, first_step, n_steps;
    sp_block *block;
} group;

/* Takes everything from the dictionaries and checks lengths. False with an exception. Close in every case. */
bool request_open(request *r, PyObject *chain, PyObject *inputs, PyObject *options);
void request_close(request *r);

/* Calls work, without the GIL, for groups of recordings that together are all of them, in order. False with an exception: of the
 * scores, of work, or of a signal. */
typedef sp_status group_work(void *arg, const request *r, const group *g, sp_error *err);
bool request_run(request *r, group_work *work, void *arg);

/* {"kind", "floored", "missing", "masked"}: what was found and done. */
PyObject *request_counts(const request *r);

#endif
