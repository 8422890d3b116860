/* Reading ahead: one thread reads what will be asked for next while this is worked on. */
#ifndef PIPELINE_READ_AHEAD_H
#define PIPELINE_READ_AHEAD_H

#include <pthread.h>

#include "core/subjects.h"
#include "pipeline/recordings.h"

/* What was read. */
typedef struct sp_slot {
    sp_part part;
    unsigned parts; /* SP_BLOCK_* */
    bool is_there;
    sp_block *block;
    sp_block **more; /* [n_more] the same part of others */
    sp_rater_labels raters;
    sp_status status;
    sp_error err;
} sp_slot;

typedef struct sp_read_ahead {
    const sp_recordings *from;
    int32_t n_more;
    const sp_recordings *const *more; /* [n_more] */
    sp_slot now, ahead;
    bool is_reading; /* the thread fills `ahead`; nobody else may read */
    pthread_t thread;
} sp_read_ahead;

/* With each part the labels of these raters (NULL: none) are read, and the same part of n_more others, which are the same
 * recordings; borrowed. False on lack of memory; close in any case. */
bool sp_read_ahead_open(sp_read_ahead *a, const sp_recordings *from, const sp_raters_found *raters,
                        int32_t n_more, const sp_recordings *const *more);
void sp_read_ahead_close(sp_read_ahead *a);

/* Makes a->now that part, with at least these parts of it: what stands there, what was read ahead, or read now.
 *   is_new  out: false where it stood there already
 * SP_OK; what reading says. */
sp_status sp_read_ahead_get(sp_read_ahead *a, const sp_part *part, unsigned parts, bool *is_new,
                            sp_error *err);

/* Begins to read a part that will be asked for next. Where no thread can be started it is read when it is asked for. */
void sp_read_ahead_start(sp_read_ahead *a, const sp_part *part, unsigned parts);

/* Waits for what is read ahead, so that others may read. */
void sp_read_ahead_rest(sp_read_ahead *a);

#endif
