/* A recording that is too long to be held in memory: read, decoded and handed on chunk by chunk, see statepath/stream.h. */
#ifndef PIPELINE_LONG_RECORDING_H
#define PIPELINE_LONG_RECORDING_H

#include "decode/long.h"
#include "pipeline/long/path_spill.h"
#include "pipeline/path_source.h"
#include "pipeline/read_ahead.h"

/* Before anything is read: says in a notice of the longest recording that it has to be read whole, where that is much memory and
 * what is asked for cannot be done in chunks: the N best paths and folds. SP_OK; SP_ENOMEM where this machine has less. */
sp_status sp_long_recording_warn(const sp_pipeline *p, sp_error *err);

/* The first recording from `first` on, before `end`, that is to be run in chunks; `end` when there is none. */
int64_t sp_long_recording_next(const sp_pipeline *p, int64_t first, int64_t end);

/* Its paths by all strategies, labels and segments, to the consumers. As sp_pipeline_run(). */
sp_status sp_long_recording_run(sp_pipeline *p, int64_t recording, sp_error *err);

/* ---- private to the folder, and to the sources of paths ---- */

/* Bytes up to which a recording is read whole. STATEPATH_WHOLE_BYTES makes it another number, for tests. */
enum { LONG_WHOLE_BYTES = 64 << 20 };
int64_t sp_long_whole_bytes(void);

typedef struct long_recording {
    sp_pipeline *p;
    sp_wants wants;                         /* of all consumers */
    int64_t recording, first_step, n_steps; /* first_step: of all recordings */
    bool has_gap;                           /* the chain has a gap somewhere */
    sp_wake_bounds sleep;                   /* where wake is trimmed */
    /* Reading: long_steps.c. */
    sp_read_ahead chunks;
    int64_t n_counted;  /* steps whose floored and missing scores are counted */
    int64_t n_expected; /* steps to read, all ways through */
    int64_t n_read;
    /* Decoding: long_decoding.c. */
    unsigned parts;                           /* that decoding reads */
    int64_t last_first, last_n, most_n;       /* chunk read last; steps of the longest so far */
    int s;                                    /* strategy */
    int64_t n_put;                            /* steps of its path that were handed on */
    sp_path_spill *spills[SP_RUN_STRATEGIES]; /* paths that are wanted again; else NULL */
    sp_long_score
        *sums[SP_RUN_STRATEGIES]; /* their scores, summed once more in the order of sp_path_score() */
    /* What became of it. */
    sp_decoded results[SP_RUN_STRATEGIES];
    double seconds[SP_RUN_STRATEGIES];
    struct long_recording *against; /* [n_against] of the other classifiers; or NULL */
} long_recording;

/* Looks through labels, segments and weights: checks them, hands the first two on, finds gaps and where sleep begins and ends. On
 * failure the recording can (and must) still be closed. */
sp_status sp_long_open(long_recording *r, sp_pipeline *p, int64_t recording, sp_error *err);
void sp_long_close(long_recording *r);

/* Steps first .. first+n-1, prepared, of which at least the parts asked for are there where the file has them; the scores always
 * are. The block is lent until the next call. SP_OK; what reading and preparing say; SP_EFILE after a signal. */
sp_status sp_long_read_steps(long_recording *r, int64_t first, int64_t n, unsigned parts,
                             const sp_block **block, sp_error *err);

/* Begins to read steps that will be asked for next. Nothing where n is 0. */
void sp_long_read_next(long_recording *r, int64_t first, int64_t n, unsigned parts);

/* By sp_decoding_source (path_source.h): decodes by all strategies, one after the other, and hands paths on as they are known; then
 * gives them back chunk by chunk, and sums what they score. */
sp_status sp_long_decode(long_recording *r, sp_error *err);
sp_status sp_long_decoded_chunk(long_recording *r, const sp_long_chunk *chunk, sp_error *err);
/* What became of the recording, to those who take paths, and the confidence of its steps. */
sp_status sp_long_put_results(long_recording *r, sp_error *err);

/* Goes through the recording once more, for consumers that take pieces. SP_OK; what reading and they say. */
sp_status sp_long_pieces(long_recording *r, sp_error *err);

#endif
