/* Reading a recording that is too long to be held in memory: pieces of it, prepared, the next one read while this one is worked
 * on. */
#ifndef PIPELINE_LONG_STEPS_H
#define PIPELINE_LONG_STEPS_H

#include "pipeline/pipeline.h"
#include "pipeline/read_ahead.h"

/* Bytes up to which a recording is read whole. STATEPATH_WHOLE_BYTES makes it another number, for tests. */
enum { LONG_WHOLE_BYTES = 64 << 20 };
int64_t sp_long_whole_bytes(void);

typedef struct long_steps {
    sp_pipeline *p;
    int64_t recording, first_step, n_steps; /* first_step: in the file */
    bool has_gap;                           /* the chain is broken somewhere */
    sp_wake_bounds sleep;                   /* where wake is trimmed */
    /* Private. */
    sp_read_ahead pieces;
    int64_t n_counted;  /* steps whose floored and missing scores are counted */
    int64_t n_expected; /* steps to read, all ways through */
    int64_t n_read;
} long_steps;

/* Looks through labels, segments and weights: checks them, copies the first two to the writer (or NULL), finds gaps and where
 * sleep begins and ends. On failure the steps can (and must) still be closed. */
sp_status sp_long_steps_open(long_steps *s, sp_pipeline *p, int64_t recording, sp_paths_writer *writer, sp_error *err);
void sp_long_steps_close(long_steps *s);

/* Tells the progress line that so many steps more will be read. */
void sp_long_steps_expect(long_steps *s, int64_t n);

/* Steps first .. first+n-1, prepared, of which at least the parts asked for are there where the file has them; the scores always
 * are. The block is lent until the next call. SP_OK; what reading and preparing say; SP_EFILE after a signal. */
sp_status sp_long_steps_read(long_steps *s, int64_t first, int64_t n, unsigned parts, const sp_block **block, sp_error *err);

/* Begins to read steps that will be asked for next. Nothing where n is 0. */
void sp_long_steps_ahead(long_steps *s, int64_t first, int64_t n, unsigned parts);

/* Steps before .. before+n-1 of a block of one recording, as a block that borrows them. */
sp_block sp_long_part(const sp_block *block, int64_t before, int64_t n, int64_t offsets[2]);

#endif
