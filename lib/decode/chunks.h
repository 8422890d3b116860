/* One long recording in chunks side by side in the lanes of vectors; not installed.
 *
 * For plain chains of up to SP_LANES_MOST_CLASSES classes and recordings of more than SP_CHUNKS_LEAST steps without gaps.
 *
 *     delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j];   where 16 divides t: top = max_j delta, delta[t,j] -= top
 *
 * A chunk cannot know delta before its first step, so it warms up: it starts some steps earlier from nothing. Once all paths that
 * are alive have come through one state that was the top one where 16 divided t, everything after is, bit for bit, what it would
 * have been from the true start. So a seam is accepted only when delta there equals the last delta of the chunk before bit for
 * bit; any other chunk is done again, serially, from the true delta. Sticky models may never meet: they are as slow as serial.
 *
 * The score of the path is a sum in order over all of it, but may be made chunk by chunk (path_sum.h) once it is known between
 * which powers of two the sum stands there. That is guessed from how much delta has grown in the chunk. A guess that turns out
 * wrong costs time: that chunk is added up again.
 *
 * Hence the answer is that of the serial recurrence above, whatever the chunks, lanes and threads. It differs from the plain
 * kernel, which never subtracts, in rounding alone, and delta stays small here, so this is the more exact of the two: where two
 * paths differ by less than the plain kernel's rounding (half an ulp of the score a step) either may be found. The score is
 * sp_path_score() of the path, as everywhere.
 */
#ifndef STATEPATH_DECODE_CHUNKS_H
#define STATEPATH_DECODE_CHUNKS_H

#include "decode/lanes.h"
#include "decode/workers.h"

enum {
    SP_CHUNKS_LEAST = 100000,
    SP_CHUNK_WARM = 128, /* steps */
    SP_CHUNK_TOP = 16    /* the top is subtracted at multiples of this */
};

/* As many chunks as there are lanes. */
typedef struct sp_chunk_band {
    const sp_lane_rules *rules;
    sp_dtype dtype;
    bool is_first;    /* chunk 0 begins the recording */
    int32_t n_chunks; /* >= 1 */
    int64_t n_steps;  /* of each chunk, a multiple of SP_CHUNK_TOP */
    int64_t first;    /* step of the recording */
    const void *rows[SP_LANES_MOST];
    int32_t *path[SP_LANES_MOST]; /* out: from the likeliest last state */
    char *words;                  /* out: sp_lane_words_bytes() */
    double *arrive;               /* out [n_chunks,K]: delta before the first step, from the warm-up */
    double *leave;                /* out [n_chunks,K]: delta at the last step */
    double *grown;                /* out [n_chunks]: all tops that were subtracted */
} sp_chunk_band;

typedef void sp_chunks_kernel(const sp_chunk_band *band);
sp_chunks_kernel sp_chunks_forward_base, sp_chunks_forward_avx2, sp_chunks_forward_avx512;
sp_chunks_kernel sp_chunks_trace_base, sp_chunks_trace_avx2, sp_chunks_trace_avx512;

/* Is this recording one for chunks? (Its chain is, when it has lane rules.) */
bool sp_chunks_fit(const sp_scores *scores);

/* What the scores that the path takes in a chunk add to a sum, see sp_sum_in_range. */
typedef struct sp_chunk_sum {
    double power, sum;
    bool holds;
} sp_chunk_sum;

/* A piece of a recording: some steps of it that begin at a multiple of SP_CHUNK_TOP (a whole one is its own only piece). Set what
 * is in front and clear the rest; valid until the workers decode something else. */
typedef struct sp_chunked {
    sp_isa isa;
    const sp_lane_rules *rules;
    const sp_scores *scores; /* of the piece, without gaps */
    const double *before;    /* [K] delta at the step before it; NULL: the recording begins here */
    int32_t *path;           /* out [n_steps]; NULL: nothing will be traced */
    bool takes;              /* the score of the path is wanted, by `sums` or by `taken` */

    int64_t n_chunks, chunk_steps, n_bands;
    int64_t n_whole; /* steps in whole chunks; the others are the tail */
    size_t band_bytes;
    char *words;               /* [n_bands] bands */
    uint64_t *tail_words;      /* [tail] */
    double *arrive, *leave;    /* [n_chunks,K] */
    double *grown;             /* [n_chunks] */
    uint8_t *is_redone;        /* [n_chunks] */
    void *taken;               /* see path_sum.h: [T], with sums [chunk_steps] and of no chunk in particular */
    sp_chunk_sum *sums;        /* [n_chunks] of the path; NULL: by taken */
    sp_lane_rules first_rules; /* of a piece with a before: they start with what comes from there */
} sp_chunked;

/* Delta at the last step: after[K]. On all threads. SP_OK, SP_ENOMEM. */
sp_status sp_chunks_forward(sp_chunked *c, sp_workers *workers, double *after);
/* The path into `state` at the last step; returns the state before the piece (any where the recording begins). */
int32_t sp_chunks_trace(const sp_chunked *c, int32_t state);
/* The likeliest last state of a recording, the lowest of equals, from the last delta; -1: there is none. */
int32_t sp_chunks_last(const sp_lane_rules *rules, const double *delta);

/* Decodes one recording on all threads. SP_OK; SP_ENOPATH without a message: ask the plain kernel; SP_ENOMEM. */
sp_status sp_chunks_viterbi(sp_isa isa, const sp_lane_rules *rules, const sp_scores *scores, sp_workers *workers, int32_t *path,
                            double *score);

#endif
