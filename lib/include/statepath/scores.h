/* Scores: borrowed views of one recording and of many; blocks that own them; and the way from what a file holds to nats.
 *
 * Letters used everywhere: T steps of a recording, S steps of a batch, N recordings, K classes.
 *
 *     const double log_probs[] = {...};  [T,K] nats
 *     const sp_scores scores = {.data = log_probs, .dtype = SP_F64, .n_classes = K, .n_steps = T};
 *
 * is all that a decoder needs (decode.h). What else is here is for scores that are not log probabilities yet: probabilities,
 * logits, missing steps, masks (sp_prepare()).
 */
#ifndef STATEPATH_SCORES_H
#define STATEPATH_SCORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statepath/context.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- views: plain structs that borrow; nothing here allocates or frees ---- */

typedef enum sp_dtype { SP_F32 = 4, SP_F64 = 8 } sp_dtype; /* the value is the size in bytes */

/* The scores of one recording: e[t,k] in nats, row-major, contiguous. -INFINITY means impossible. No NaN, no +INFINITY:
 * sp_prepare() has looked at them; the decoders do not look again. */
typedef struct sp_scores {
    const void *data; /* [T,K] */
    sp_dtype dtype;
    int32_t n_classes; /* K >= 1 */
    int64_t n_steps;   /* T >= 0 */
    const int64_t *
        segments; /* [T] or NULL: where the id changes the chain is broken, no transition is required across */
    const double *
        taken_off; /* [K] nats that sp_prepare() took off every score for the prior, which argmax adds again; or NULL */
    const double *
        given; /* [T,K] nats before windows of a model (sp_windows) changed them, which argmax goes by; or NULL */
} sp_scores;

/* e[t,k] as a double; exact for both types. */
static inline double sp_scores_at(const sp_scores *s, int64_t t, int32_t k)
{
    size_t i = (size_t)t * (size_t)s->n_classes + (size_t)k;
    return s->dtype == SP_F32 ? (double)((const float *)s->data)[i] : ((const double *)s->data)[i];
}

/* Is the chain broken between t-1 and t? */
static inline bool sp_scores_is_gap(const sp_scores *s, int64_t t)
{
    return s->segments && t > 0 && s->segments[t] != s->segments[t - 1];
}

/* Many recordings, concatenated. Recording n is rows offsets[n] .. offsets[n+1]-1 of `scores`. */
typedef struct sp_batch {
    sp_scores scores;       /* [S,K] */
    int64_t n_recordings;   /* N */
    const int64_t *offsets; /* [N+1], ascending, offsets[0] = 0, offsets[N] = S */
} sp_batch;

/* Recording n of a batch, borrowed from it. */
static inline sp_scores sp_batch_recording(const sp_batch *b, int64_t n)
{
    sp_scores r = b->scores;
    int64_t first = b->offsets[n];
    if (r.data) /* NULL: a batch of labels only */
        r.data = (const char *)r.data + (size_t)first * (size_t)r.n_classes * (size_t)r.dtype;
    if (r.given)
        r.given += first * r.n_classes;
    r.n_steps = b->offsets[n + 1] - first;
    if (r.segments)
        r.segments += first;
    return r;
}

/* Log softmax in nats. -INFINITY is exact zero probability; NaN never goes in. out[k] = x[k] - logsumexp(x); out may be x. A row
 * with nothing finite stays -INFINITY. Returns the logsumexp. */
double sp_log_softmax(const double *x, int64_t n, double *out);

/* ---- blocks ----
 *
 * A block: some consecutive recordings of a file in memory, with everything that stands beside their scores.
 *
 * The way of the data: a source (io) fills a block, sp_prepare() turns it into nats, sp_block_batch() shows it to the
 * decoders, the evaluation reads its labels. One block is filled again and again; its buffers only grow.
 */

typedef struct sp_block {
    /* Shape. */
    int64_t first;        /* index in the file of the block's first recording */
    int64_t n_recordings; /* N */
    int64_t n_steps;      /* S */
    int32_t n_classes;    /* K */
    int64_t
        first_step; /* of the first recording that is in the block; 0 but where a part of one recording was read */
    /* Contents, owned by the block; each is NULL where the file has none or it was not asked for. */
    int64_t *offsets;  /* [N+1], from 0 */
    sp_dtype dtype;    /* of scores */
    void *scores;      /* [S,K] raw after reading, nats after sp_prepare() */
    int32_t *labels;   /* [S], -1 = unscored, else 0..K-1 in the order of the score columns */
    int64_t *segments; /* [S] */
    double *weights;   /* [S], >= 0 */
    uint8_t *mask;     /* [S,K], 1 = possible */
    double *taken_off; /* [K] as in sp_scores; set by sp_prepare() */
    double *given;     /* [S,K] likewise */
    /* Where it came from, borrowed, for messages; may be NULL. */
    const char *file;       /* name of the file */
    const char *dataset;    /* path of the scores, with {id} where the layout has one dataset a recording */
    const char *const *ids; /* [N] of this block's recordings */
    const char *const *classes; /* [K] names of the score columns */
    /* Private to the block's functions: memory of the eight arrays above, kept while an array is NULL, and its bytes. */
    void *memory[8];
    size_t capacity[8];
} sp_block;

enum {
    SP_BLOCK_SCORES = 1,
    SP_BLOCK_LABELS = 2,
    SP_BLOCK_SEGMENTS = 4,
    SP_BLOCK_WEIGHTS = 8,
    SP_BLOCK_MASK = 16
};

sp_block *sp_block_new(void); /* empty; NULL on lack of memory */
void sp_block_free(sp_block *block);

/* Makes room for N recordings, S steps, K classes, scores of `dtype` and the parts named in `parts` (SP_BLOCK_* or-ed); parts
 * not named become NULL (their memory is kept). Contents are undefined afterwards. Returns SP_OK or SP_ENOMEM (the block is
 * empty then). */
sp_status sp_block_reserve(sp_block *block, int64_t n_recordings, int64_t n_steps, int32_t n_classes,
                           sp_dtype dtype, unsigned parts, sp_error *err);

/* The block as the decoders see it; borrows. */
sp_batch sp_block_batch(const sp_block *block);

/* ---- prepare ----
 *
 * From what a file holds to nats: kinds, checks, missing steps, floor, temperature, prior, step masks, clamping.
 *
 * In this order, per row t:
 *   1. NaN: an error, or with missing_uniform the whole row becomes 0 (it says nothing; 3 to 6 leave it alone); +inf: an error
 *   2. the row is checked against its kind (below)
 *   3. e = log p (probs), log-softmax (logits), as it is (log_probs, scores)
 *   4. floor: where exp(e) < floor, e = log(floor); counted. Not for scores
 *      windows: e = what windows over neighbouring steps make of it (model.h, sp_windows); block->given keeps what it was
 *   5. temperature: e = e / temperature, not renormalised
 *   6. prior: e[k] = e[k] - prior_weight * log_prior[k]
 *   7. mask: e[k] = -inf where mask[t,k] = 0 (missing rows too)
 *   8. clamp: where labels[t] >= 0, e[k] = -inf for every other class (missing rows too)
 * -inf stays -inf through 5 and 6.
 *
 * probs and logits become f64 (a log rounded to f32 can merge two classes); log_probs and scores keep their type unless 4, 5
 * or 6 ask for arithmetic, which is done in f64. Where neither an option nor a mask asks for a change, these two are only read.
 */

typedef enum sp_kind { SP_KIND_LOG_PROBS, SP_KIND_PROBS, SP_KIND_LOGITS, SP_KIND_SCORES, SP_N_KINDS } sp_kind;

/* "log_probs", "probs", "logits", "scores": also the names of the datasets. */
const char *sp_kind_name(sp_kind kind);
sp_status sp_kind_parse(const char *text, sp_kind *out, sp_error *err);

typedef struct sp_prepare_options {
    sp_kind kind;         /* SP_KIND_LOG_PROBS */
    bool missing_uniform; /* false: NaN is an error */
    bool clamp;           /* false */
    double floor;         /* 0: none; else in (0,1) */
    double temperature;   /* 1; > 0 */
    double prior_weight;  /* 0 */
    const double
        *log_prior; /* [K] nats in the order of the score columns, borrowed; needed when prior_weight != 0 */
    const struct sp_windows *windows; /* NULL; of a model, borrowed. The block must hold whole recordings */
    const int32_t *class_of_column;   /* [K] of the windows' model; NULL: in order */
} sp_prepare_options;

sp_prepare_options sp_prepare_options_default(void);

/* What was done; added to by each call, so one struct serves a whole file. */
typedef struct sp_prepare_counts {
    int64_t floored; /* scores raised to the floor */
    int64_t missing; /* steps that said nothing */
    int64_t masked;  /* finite scores that the mask took away */
} sp_prepare_counts;

enum { SP_ROW_TOLERANCE_PERCENT = 3 }; /* rows may miss their sum by 0.03 */

/* Turns block->scores from what the file holds into nats, in place (block->dtype may become SP_F64).
 *
 * Row checks, with a tolerance of 0.03: probs are not negative and sum to 1; log_probs have logsumexp 0; logits and scores are
 * anything finite or -inf. A row of zeros (probs) or of -inf (the others) passes: it is an impossible step, for the decoder
 * to report, unless a floor lifts it. +inf is an error in every kind, in rows with a NaN too; so are logits and scores above
 * 1e300.
 *
 *   block    scores as read; labels where clamping is asked for; mask or NULL
 *   workers  threads; NULL: one. The same scores, counts and error whatever their number
 *   counts   added to; may be NULL; untouched on failure
 *
 * Returns SP_OK; SP_EDATA with err->step, the message naming file, dataset, recording, step (from 0, in its recording), class,
 * what was found, and the option that helps (a finite score that temperature and prior would make infinite is one more
 * such error); SP_EINVAL (options, a zero prior, clamping without labels); SP_ENOMEM. On failure the scores are undefined.
 * Cost: O(S K); no more memory than the float64 scores. */
sp_status sp_prepare(sp_block *block, const sp_prepare_options *options, sp_workers *workers,
                     sp_prepare_counts *counts, sp_error *err);

/* ---- recordings before their numbers are read ----
 *
 * Shape, names, lengths. Filled in by an open source (files.h), or by hand for recordings in memory (pipeline.h).
 */

typedef enum sp_layout { SP_LAYOUT_PACKED, SP_LAYOUT_PADDED, SP_LAYOUT_SINGLE, SP_LAYOUT_GROUPS } sp_layout;

/* One of several files. */
typedef struct sp_source_file {
    const char *name;
    int64_t n_recordings, n_steps; /* 1 and 0 of a file that cannot be opened */
    const char *fault; /* why its recordings are unread, a sentence that names it; NULL: they are not */
} sp_source_file;

/* Texts and arrays are borrowed from whoever filled it in. */
typedef struct sp_source_info {
    const char *file;  /* as given; of several files what they are called together */
    int64_t file_size; /* bytes */
    sp_layout layout;
    sp_kind kind;
    bool kind_from_name; /* false: given, or guessed from the first row */
    bool has_scores;
    sp_dtype dtype;          /* in memory: f16 is widened to f32 */
    const char *stored_type; /* "float16", "float32", "float64", "float32 big-endian" */
    const char
        *storage; /* "contiguous", "chunks 4096 x 5, shuffle, gzip 4", ... of the first scores dataset */
    const char *scores_path;       /* "/recordings/{id}/log_probs" */
    int64_t n_recordings, n_steps; /* N, S */
    int32_t n_classes;             /* K; 0 for a file of labels only without class names */
    const char *const
        *ids;     /* [N] from the file, or "0", "1", ... ; single: the file's base name without ending */
    bool has_ids; /* the ids are the file's own */
    const int64_t *offsets;     /* [N+1] from 0 */
    const char *const *classes; /* [K] names of the columns, or NULL: the file has none */
    const char *classes_place;  /* "attribute classes of /", ... or NULL */
    bool has_labels, has_segments, has_weights, has_mask;
    bool
        is_simulated; /* the file has an attribute `recipe`: its recordings are made up (`statepath simulate`) */
    const char *labels_path; /* or NULL */
    int64_t n_unlabelled;    /* recordings without labels where others have them; all their steps are -1 */
    int64_t n_files;         /* 0: it is one file, called `file` */
    const sp_source_file *files; /* [n_files] in the order of their recordings; or NULL */
    int64_t n_left_out;          /* of them, those that cannot be opened */
    const uint8_t *
        unread; /* [N] 1: of a file that cannot be opened, and as if it were one of no steps; NULL: none is */
    const char *remark; /* what was assumed or passed over, clauses; or NULL */
    bool can_be_turned; /* `transpose` reads scores that are stored [classes, steps] */
} sp_source_info;

/* Labels by several raters for the same recordings: at most so many. */
enum { SP_SOURCE_MAX_RATERS = 32 };

#ifdef __cplusplus
}
#endif
#endif
