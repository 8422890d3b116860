/* The passes of dense_viterbi.c there and back, for those that divide them among threads; not installed. */
#ifndef STATEPATH_DECODE_DENSE_PASS_H
#define STATEPATH_DECODE_DENSE_PASS_H

#include "decode/kernels/dense_team.h"

typedef struct sp_dense_pass {
    const sp_dense *dense;
    const sp_scores *scores;
    int64_t block;    /* steps of a block */
    int64_t n_blocks; /* at least one */
    bool
        goes_on; /* the scores are a piece of a recording: the mark of its first block is delta at the step before it */
    int32_t *path; /* states until the end, then classes; NULL: there is only a way forward */
    double *
        marks; /* [n_blocks + 1, width] delta of the step before each block; the last one is that of the last step */
    uint8_t *is_open;    /* [n_blocks] the border below each block */
    sp_dense_team *team; /* NULL: alone */
    /* Of the thread that makes the pass: */
    double *ring; /* [2 block, width] delta of the last two blocks */
    int64_t held; /* the first of the blocks in the ring, -1: none */
    sp_dense_part part;
} sp_dense_pass;

static inline int64_t sp_dense_block_begin(const sp_dense_pass *p, int64_t b)
{
    int64_t t = b * p->block;
    return t < p->scores->n_steps ? t : p->scores->n_steps;
}

/* Delta of the step before block b. */
static inline double *sp_dense_mark(const sp_dense_pass *p, int64_t b)
{
    return p->marks + (size_t)b * p->dense->width;
}

/* Delta of step t, which is in the ring. */
static inline double *sp_dense_delta(const sp_dense_pass *p, int64_t t)
{
    return p->ring + (size_t)(t % (2 * p->block)) * p->dense->width;
}

/* Memory of the recording, and of the thread. Where there is none: false. */
bool sp_dense_pass_init(sp_dense_pass *p, const sp_dense *dense, const sp_scores *scores, int64_t block,
                        sp_scratch *scratch);
bool sp_dense_pass_take_ring(sp_dense_pass *p, sp_scratch *scratch);

/* Blocks first .. last-1, from the mark of the first: marks, borders and path. leave[width]: delta at the last step. The border
 * below the first is open, the recording's first apart. */
void sp_dense_pass_forward(sp_dense_pass *p, int64_t first, int64_t last, double *leave);

/* The path from the best states at the last step, when all blocks have been made. Returns its score, -INFINITY: there is none. */
double sp_dense_pass_back(sp_dense_pass *p);

/* The same in two parts. The state that the best path ends in, the lowest among equals. */
int32_t sp_dense_best_end(const sp_dense_pass *p, const double *delta, double *score);
/* The path into it, in classes; returns the state before the piece. */
int32_t sp_dense_pass_trace(sp_dense_pass *p, int32_t state);

/* Steps of a block that suit the second-level cache. */
int64_t sp_dense_choose_block(const sp_dense *dense, int64_t n_steps);

#endif
