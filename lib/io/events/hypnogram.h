/* One hypnogram in a file, read and written whole; for the Python package, not installed. Needs neither HDF5 nor GSL. */
#ifndef STATEPATH_IO_HYPNOGRAM_H
#define STATEPATH_IO_HYPNOGRAM_H

#include <stdbool.h>

#include "io/events/event_writer.h"
#include "statepath/sleep.h"

enum { SP_HYPNOGRAM_REMARK = 400 };

typedef struct sp_hypnogram {
    int64_t n_steps;
    int32_t *labels; /* [n_steps] classes of the model, -1: unscored; owned, free() */
    double
        epoch_seconds; /* of a step; 0: neither the caller nor the file says it. Events are told in steps of 30 s then */
    char remark[SP_HYPNOGRAM_REMARK]; /* what was passed over or taken for granted, a clause; or "" */
} sp_hypnogram;

/* Reads a file of events (event_format.h), or a text of one recording with a label a line (text_labels.h).
 *   model          whose classes the labels are, by names and aliases
 *   codes          what others' labels mean, or NULL: by the words and numbers of the format
 *   epoch_seconds  of a step, or 0: as the file says
 * SP_OK; SP_EFILE (no such file, no such format), SP_EDATA, SP_ENOMEM. */
sp_status sp_hypnogram_read(const char *file, const sp_model *model, const sp_codes *codes,
                            double epoch_seconds, sp_hypnogram *out, sp_error *err);

/* Writes a night in the format that the name ends with (event_writer.h). SP_OK; SP_EINVAL (no such ending, as
 * sp_event_writer_bytes()), SP_EFILE (exists and not `force`, cannot be written), SP_ENOMEM. */
sp_status sp_hypnogram_write(const char *file, const sp_event_night *night, bool force, sp_error *err);

#endif
