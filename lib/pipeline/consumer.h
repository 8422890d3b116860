/* Who takes what a run makes of its recordings: an evaluation, a file of paths, sums of likelihood, a hook. Each is a struct of
 * callbacks, in a file of its own; a run asks all of them in the order in which they were added and knows nothing else of them. */
#ifndef PIPELINE_CONSUMER_H
#define PIPELINE_CONSUMER_H

#include "evaluate/evaluate.h"
#include "statepath.h"
#include "statepath/pipeline.h"

typedef struct sp_pipeline sp_pipeline; /* pipeline.h */

typedef struct sp_consumer {
    void *arg;            /* of all callbacks, each of which may be NULL */
    bool with_confidence; /* it takes the confidence of each step */
    int32_t n_best;       /* so many best paths of viterbi, for which recordings are read whole; 0: none */
    int32_t n_draws;      /* so many paths drawn from the posterior, likewise */
    bool whole;           /* recordings are read whole for it: it looks at scores together with paths */

    /* Before the first recording. */
    sp_status (*open)(void *arg, sp_error *err);
    /* A block of whole recordings, or a chunk of a long one, whose scores are prepared. `sleep` of that recording, NULL: the block
     * holds whole ones. */
    sp_status (*prepared)(void *arg, const sp_block *block, const sp_wake_bounds *sleep, sp_error *err);
    /* Points `output` of strategy s at room for what else it takes, for whole recordings of a block. */
    sp_status (*reserve)(void *arg, int s, const sp_block *block, sp_decode_output *output, sp_error *err);
    /* Paths of one strategy, as sp_run_hooks.paths. */
    sp_status (*paths)(void *arg, int32_t s, int64_t first, int64_t n_recordings, int64_t first_step,
                       int64_t n_steps, const sp_decode_output *output, sp_error *err);
    /* Steps of a long recording that were put come once more. */
    void (*forget)(void *arg, int32_t s, int64_t n_steps);
    /* A recording whose file cannot be read; after all others. */
    sp_status (*unread)(void *arg, int64_t recording, sp_error *err);
    sp_status (*labels)(void *arg, int64_t first_step, int64_t n_steps, const int32_t *labels,
                        const int64_t *segments, sp_error *err);
    /* Whole recordings with the paths of all strategies, those of the other classifiers among them. */
    sp_status (*block)(void *arg, const sp_evaluation_block *block, sp_error *err);
    /* The same of a long recording: it begins (its labels can be read once more), its chunks follow, it ends. */
    sp_status (*begin)(void *arg, const sp_evaluation_recording *recording, bool has_gap,
                       sp_labels_read *read, void *read_arg, sp_error *err);
    sp_status (*piece)(void *arg, const sp_evaluation_piece *piece, sp_error *err);
    sp_status (*end)(void *arg, sp_error *err);
} sp_consumer;

enum { SP_MOST_CONSUMERS = 5 };

/* It is asked from then on; copied. */
void sp_pipeline_add_consumer(sp_pipeline *p, const sp_consumer *consumer);

void sp_pipeline_remove_consumer(sp_pipeline *p, const void *arg);

/* The hook for paths, where there is one. */
void sp_pipeline_add_hook(sp_pipeline *p);

/* What they take, all together. */
typedef struct sp_wants {
    bool paths, confidence;
    bool pieces; /* a long recording once more, when its paths are known */
    bool whole;  /* no recording in pieces */
    int32_t n_best, n_draws;
} sp_wants;
sp_wants sp_consumers_want(const sp_pipeline *p);

/* One callback of each. */
sp_status sp_consumers_open(const sp_pipeline *p, sp_error *err);
sp_status sp_consumers_prepared(const sp_pipeline *p, const sp_block *block, const sp_wake_bounds *sleep,
                                sp_error *err);
sp_status sp_consumers_reserve(const sp_pipeline *p, int s, const sp_block *block, sp_decode_output *output,
                               sp_error *err);
sp_status sp_consumers_paths(const sp_pipeline *p, int32_t s, int64_t first, int64_t n_recordings,
                             int64_t first_step, int64_t n_steps, const sp_decode_output *output,
                             sp_error *err);
sp_status sp_consumers_unread(const sp_pipeline *p, int64_t recording, sp_error *err);
void sp_consumers_forget(const sp_pipeline *p, int32_t s, int64_t n_steps);
sp_status sp_consumers_labels(const sp_pipeline *p, int64_t first_step, int64_t n_steps,
                              const int32_t *labels, const int64_t *segments, sp_error *err);
sp_status sp_consumers_block(const sp_pipeline *p, const sp_evaluation_block *block, sp_error *err);
sp_status sp_consumers_begin(const sp_pipeline *p, const sp_evaluation_recording *recording, bool has_gap,
                             sp_labels_read *read, void *read_arg, sp_error *err);
sp_status sp_consumers_piece(const sp_pipeline *p, const sp_evaluation_piece *piece, sp_error *err);
sp_status sp_consumers_end(const sp_pipeline *p, sp_error *err);

#endif
