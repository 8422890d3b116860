/* One long recording in chunks side by side in the lanes of vectors, the bits of the plain kernel; not installed.
 *
 * For plain chains of up to SP_LANES_MOST_CLASSES classes and recordings without gaps.
 *
 *     delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j]
 *
 * A chunk cannot know delta before its first step. But it need not: while all of delta lies between two powers of two its last
 * bit u is worth the same, every sum is rounded to a multiple of u, and what delta is shifted by, a multiple of u, changes no
 * difference and no choice. So a chunk starts SP_CHUNK_WARM steps earlier from one value for all classes, somewhere between the
 * two powers of two where delta is guessed to stand. Once all paths that are alive have come through one state, it is the true
 * delta but for a shift. It is accepted only when that is proved:
 *
 *     its delta before its first step is that at the last of the chunk before, shifted by one S, the same classes impossible;
 *     its own delta and the true one stay between the powers of two from there to its end (those that fall out on the way
 *     and do not come back do not matter: they lose against those inside, rounded as they may be);
 *     S is an even multiple of u, or no score and no weight ends half way between two multiples, which is rounded up or down as
 *     the sum is odd or even.
 *
 * Any other chunk is done again, one step after another, from the true delta, part by part, until what is left of it is proved:
 * those over which delta passes a power of two, and those that do not meet or are odd where it matters (the first half makes the
 * sum even). Sticky models may never meet: they are as slow as one after another.
 *
 * So delta at the last step, and with it the score, is the plain kernel's bit for bit, and so are the choices on the way.
 */
#ifndef STATEPATH_DECODE_CHUNKS_H
#define STATEPATH_DECODE_CHUNKS_H

#include <stdatomic.h>

#include "core/workers.h"
#include "decode/kernels/lanes/lanes.h"
#include "decode/kernels/single.h"

enum {
    SP_CHUNKS_LEAST = 100000, /* recordings of more are never put side by side */
    SP_CHUNKS_PAY = 20000,    /* steps from which a recording alone is quicker in chunks */
    SP_CHUNK_WARM = 128,      /* steps */
    SP_CHUNK_PART = 512,      /* steps after which a chunk may be proved from there on */
    SP_PIECE_STEPS = 16       /* the pieces of stream.h begin at multiples of this */
};

/* As many chunks as there are lanes. */
typedef struct sp_chunk_band {
    const sp_lane_rules *rules;
    sp_dtype dtype;
    int32_t n_chunks;                /* >= 1 */
    int64_t n_steps;                 /* of each chunk, a multiple of SP_LANES_TILE */
    int64_t n_parts;                 /* of each chunk, of SP_CHUNK_PART steps but the last */
    const void *rows[SP_LANES_MOST]; /* SP_CHUNK_WARM more before each */
    double begin[SP_LANES_MOST];     /* delta before the warm-up */
    int32_t *path[SP_LANES_MOST];    /* out: from the likeliest last state */
    char *words;                     /* out: sp_lane_words_bytes() */
    double *arrive; /* out [n_chunks,n_parts,K]: delta before each part; before the first from the warm-up */
    double *leave;  /* out [n_chunks,K]: delta at the last step */
} sp_chunk_band;

typedef void sp_chunks_kernel(const sp_chunk_band *band);

/* Is this recording, of a chain that has lane rules, one for chunks? It has no gap, and more than SP_CHUNKS_LEAST steps. */
bool sp_chunks_fit(const sp_scores *scores);

/* A piece of a recording (a whole one is its own only piece): head, chunks, tail. Set what is in front and clear the rest; valid
 * until the workers decode something else. */
typedef struct sp_chunked {
    sp_isa isa;
    const sp_lane_rules *rules;
    const sp_scores *scores; /* of the piece, without gaps */
    const double *before;    /* [K] delta at the step before it; NULL: the recording begins here */
    int32_t *path;           /* out [n_steps]; NULL: nothing will be traced */

    int64_t n_chunks, chunk_steps, n_parts, n_bands;
    int64_t n_head;  /* steps before the first chunk, one after another */
    int64_t n_whole; /* steps before the tail */
    size_t band_bytes;
    char *words;            /* [n_bands] bands */
    uint64_t *loose_words;  /* [head + tail] */
    double *arrive, *leave; /* [n_chunks,n_parts,K], [n_chunks,K] */
    double *most;           /* [n_chunks] greatest score in it */
    _Atomic double *growth; /* [n_bands] of delta over each, NAN until it is known */
    uint8_t
        *has_half; /* [n_chunks] a score may be half way between two multiples of u, where the chunk stands */
    uint8_t *n_redone; /* [n_chunks] parts, from the first on */
    double top, rate;  /* of delta at the end of the head, and by which it grows a step there */
} sp_chunked;

/* Delta at the last step: after[K], the plain kernel's. On all threads. SP_OK, SP_ENOMEM. */
sp_status sp_chunks_forward(sp_chunked *c, sp_workers *workers, double *after);
/* The path into `state` at the last step; returns the state before the piece (any where the recording begins). */
int32_t sp_chunks_trace(const sp_chunked *c, int32_t state);
/* The likeliest last state of a recording, the lowest of equals, from the last delta; -1: there is none. */
int32_t sp_chunks_last(const sp_lane_rules *rules, const double *delta);

/* Decodes one recording without gaps, of any number of steps but none, on all threads, as sp_viterbi(). SP_OK; SP_ENOPATH without
 * a message: ask the plain kernel; SP_ENOMEM. */
sp_status sp_chunks_viterbi(sp_isa isa, const sp_lane_rules *rules, const sp_scores *scores,
                            sp_workers *workers, int32_t *path, double *score);

#endif
