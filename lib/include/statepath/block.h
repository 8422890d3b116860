/* A block: some consecutive recordings of a file in memory, with everything that stands beside their scores.
 *
 * The way of the data: a source (io) fills a block, sp_prepare() turns it into nats, sp_block_batch() shows it to the
 * decoders, the evaluation reads its labels. One block is filled again and again; its buffers only grow.
 */
#ifndef STATEPATH_BLOCK_H
#define STATEPATH_BLOCK_H

#include "statepath/scores.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_block {
    /* Shape. */
    int64_t first;        /* index in the file of the block's first recording */
    int64_t n_recordings; /* N */
    int64_t n_steps;      /* S */
    int32_t n_classes;    /* K */
    int64_t first_step;   /* of the first recording that is in the block; 0 but where a part of one recording was read */
    /* Contents, owned by the block; each is NULL where the file has none or it was not asked for. */
    int64_t *offsets;  /* [N+1], from 0 */
    sp_dtype dtype;    /* of scores */
    void *scores;      /* [S,K] raw after reading, nats after sp_prepare() */
    int32_t *labels;   /* [S], -1 = unscored, else 0..K-1 in the order of the score columns */
    int64_t *segments; /* [S] */
    double *weights;   /* [S], >= 0 */
    uint8_t *mask;     /* [S,K], 1 = possible */
    /* Where it came from, borrowed, for messages; may be NULL. */
    const char *file;           /* name of the file */
    const char *dataset;        /* path of the scores, with {id} where the layout has one dataset a recording */
    const char *const *ids;     /* [N] of this block's recordings */
    const char *const *classes; /* [K] names of the score columns */
    /* Private to the block's functions: memory of the six arrays above, kept while an array is NULL, and its bytes. */
    void *memory[6];
    size_t capacity[6];
} sp_block;

enum { SP_BLOCK_SCORES = 1, SP_BLOCK_LABELS = 2, SP_BLOCK_SEGMENTS = 4, SP_BLOCK_WEIGHTS = 8, SP_BLOCK_MASK = 16 };

sp_block *sp_block_new(void); /* empty; NULL on lack of memory */
void sp_block_free(sp_block *block);

/* Makes room for N recordings, S steps, K classes, scores of `dtype` and the parts named in `parts` (SP_BLOCK_* or-ed); parts
 * not named become NULL (their memory is kept). Contents are undefined afterwards. Returns SP_OK or SP_ENOMEM (the block is
 * empty then). */
sp_status sp_block_reserve(sp_block *block, int64_t n_recordings, int64_t n_steps, int32_t n_classes, sp_dtype dtype,
                           unsigned parts, sp_error *err);

/* Turns f32 scores into f64 in place, exactly; nothing to do when they are f64 already or absent. SP_OK or SP_ENOMEM (the block
 * is unchanged then). */
sp_status sp_block_widen(sp_block *block, sp_error *err);

/* The block as the decoders see it; borrows. */
sp_batch sp_block_batch(const sp_block *block);

/* Where a row of the block stands, for messages: "night.h5: /recordings/n3/log_probs, recording n3, step 17, class REM".
 *   row    0..S-1 of the block
 *   k      class, or -1 to name none
 *   text   out, `size` bytes, always terminated, cut when too long; what the block does not know is left out (a recording
 *          without id is named by its index in the file, a class without name by its index)
 * Returns the step within its recording, from 0. */
int64_t sp_block_where(const sp_block *block, int64_t row, int32_t k, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
