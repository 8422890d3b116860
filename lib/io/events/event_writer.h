/* Labels of one recording written as a file of events, which its readers read: by the ending of the name. For io.
 *
 *   .annot   Luna: a line a run, W N1 N2 N3 R ?
 *   .eannot  Luna: a line a step, the same words
 *   .ids     U-Time: a line a run, W N1 N2 N3 REM UNKNOWN
 *   .edf     EDF+ of annotations alone: one a run, Sleep stage W, N1, N2, N3, R, ?
 *
 * A run is steps of one label that follow one another. Classes that are not all stages of sleep are written by their names.
 */
#ifndef STATEPATH_IO_EVENT_WRITER_H
#define STATEPATH_IO_EVENT_WRITER_H

#include "statepath/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sp_event_night {
    int64_t n_steps;
    const int32_t *labels; /* [n_steps] -1: none */
    int32_t n_classes;
    const char *const *classes; /* [n_classes] */
    double epoch_seconds;       /* 0: nobody says; then 30 where the classes are stages of sleep */
} sp_event_night;

/* Endings of the writers (event_writer.c has one each). */
#define SP_EVENT_WRITER_ENDINGS ".annot .eannot .ids .edf"

typedef struct sp_event_writer sp_event_writer;

/* The writer of files whose name ends so, or NULL. */
const sp_event_writer *sp_event_writer_find(const char *file);

/* Can such a file hold such a recording? labels are not looked at. SP_OK, SP_EINVAL as below. */
sp_status sp_event_writer_check(const sp_event_writer *writer, const char *file, const sp_event_night *night,
                                sp_error *err);

/* The bytes of the file, [*n]; the caller frees them. SP_OK; SP_EINVAL (nobody says how long a step is; a name of a class that
 * the format cannot hold), SP_ENOMEM. */
sp_status sp_event_writer_bytes(const sp_event_writer *writer, const char *file, const sp_event_night *night,
                                char **bytes, size_t *n, sp_error *err);

#endif
