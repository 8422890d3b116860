/* What decode(), forward_backward() and path_scores() share: scores with what stands beside them, made nats group by group. */
#ifndef STATEPATH_PYTHON_REQUEST_H
#define STATEPATH_PYTHON_REQUEST_H

#include <pthread.h>
#include <stdatomic.h>

#include "extension.h"

/* A request is the first member of a job, which holds what the call needs besides; see request_new().
 *
 * Members of the dictionary `inputs`: scores float32 or float64 [S,K]; offsets int64 [N+1]; segments int64 [S], mask uint8 [S,K],
 * labels int32 [S] (certain where not -1) or absent. Of `options`: kind (an sp_kind, -1: told from the first row),
 * missing_uniform, floor, temperature, prior_weight, log_prior float64 [K], threads. */
typedef struct request request;
typedef struct group group;

/* Works on a group of recordings, without the GIL. */
typedef sp_status group_work(request *r, const group *g, sp_error *err);

struct request {
    chain_object *chain;
    PyObject *options; /* whose model `how` looks into, also when the caller no longer waits */
    array scores, offsets, segments, mask, labels, log_prior;
    sp_dtype dtype;
    int64_t n_recordings, n_steps;       /* N, S */
    int64_t most_recordings, most_steps; /* of one group */
    int64_t longest;                     /* steps of a recording */
    sp_prepare_options how;
    bool is_changed; /* nats are not the scores as they stand, so groups are copied */
    /* The work looks at the numbers itself. Set before request_open(), which clears it where the numbers are changed. */
    bool looks_along;
    context *context;
    sp_prepare_counts counts;
    int64_t failed; /* recordings, as the work counts them */
    void (*release)(request *job);
    /* While it runs. */
    group_work *work;
    sp_status status;
    sp_error err;
    atomic_bool is_stopped; /* by a signal: no further group is begun */
    /* Of a long run, on a thread of its own; under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t has_ended;
    bool is_done, is_abandoned; /* abandoned: the thread closes the request when it is done */
};

/* Recordings first .. first+n_recordings-1, as nats. */
struct group {
    int64_t first, n_recordings, first_step, n_steps;
    sp_block *block;
};

/* A job of `size` bytes, all 0 but for the request; `release` lets go of what the job has besides. NULL with MemoryError. */
void *request_new(size_t size, void (*release)(request *job));
/* Takes everything from the dictionaries and checks lengths. False with an exception. */
bool request_open(request *r, PyObject *chain, PyObject *inputs, PyObject *options);
/* Frees the job, or leaves that to the thread that still works on it. */
void request_close(request *r);

/* Calls work for groups of recordings that together are all of them, in order. False with an exception: of the scores, of work,
 * or of a signal. A run that may take long goes on a thread of its own while this one looks for signals. After one, no further
 * group is begun; where the group at work takes too long to wait for, the thread is left alone with it and with the job. */
bool request_run(request *r, group_work *work);

/* (kind, failed, floored, missing): what was found and done. */
PyObject *request_counts(const request *r);

#endif
