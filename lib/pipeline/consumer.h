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
    int32_t n_best;       /* so many best paths of viterbi; 0: none */
    int32_t n_draws;      /* so many paths drawn from the posterior, likewise */

    /* Before the first recording. */
    sp_status (*open)(void *arg, sp_error *err);
    /* A block, whose scores are prepared. */
    sp_status (*prepared)(void *arg, const sp_block *block, sp_error *err);
    /* Points `output` of strategy s at room for what else it takes. */
    sp_status (*reserve)(void *arg, int s, const sp_block *block, sp_decode_output *output, sp_error *err);
    /* Paths of one strategy, as sp_run_hooks.paths. */
    sp_status (*paths)(void *arg, int32_t s, int64_t first, int64_t n_recordings, int64_t first_step,
                       int64_t n_steps, const sp_decode_output *output, sp_error *err);
    /* Of a recording that does not fit in memory: classes of some of its steps, which may come again, as -1;
     * then what became of it. NULL: it takes no such recordings. */
    sp_status (*steps)(void *arg, int32_t s, int64_t first_step, int64_t n_steps, const int32_t *path,
                       sp_error *err);
    sp_status (*ended)(void *arg, int32_t s, int64_t recording, const sp_decoded *result, sp_error *err);
    /* A recording whose file cannot be read; after all others. */
    sp_status (*unread)(void *arg, int64_t recording, sp_error *err);
    sp_status (*labels)(void *arg, int64_t first_step, int64_t n_steps, const int32_t *labels,
                        const int64_t *segments, sp_error *err);
    /* Whole recordings with the paths of all strategies, those of the other classifiers among them. */
    sp_status (*block)(void *arg, const sp_evaluation_block *block, sp_error *err);
} sp_consumer;

enum { SP_MOST_CONSUMERS = 5 };

/* It is asked from then on; copied. */
void sp_pipeline_add_consumer(sp_pipeline *p, const sp_consumer *consumer);

void sp_pipeline_remove_consumer(sp_pipeline *p, const void *arg);

/* The hook for paths, where there is one. */
void sp_pipeline_add_hook(sp_pipeline *p);

/* What they take, all together. */
typedef struct sp_wants {
    bool confidence;
    int32_t n_best, n_draws;
} sp_wants;
sp_wants sp_consumers_want(const sp_pipeline *p);

/* One callback of each. */
sp_status sp_consumers_open(const sp_pipeline *p, sp_error *err);
sp_status sp_consumers_prepared(const sp_pipeline *p, const sp_block *block, sp_error *err);
sp_status sp_consumers_reserve(const sp_pipeline *p, int s, const sp_block *block, sp_decode_output *output,
                               sp_error *err);
sp_status sp_consumers_paths(const sp_pipeline *p, int32_t s, int64_t first, int64_t n_recordings,
                             int64_t first_step, int64_t n_steps, const sp_decode_output *output,
                             sp_error *err);
sp_status sp_consumers_unread(const sp_pipeline *p, int64_t recording, sp_error *err);
sp_status sp_consumers_steps(const sp_pipeline *p, int32_t s, int64_t first_step, int64_t n_steps,
                             const int32_t *path, sp_error *err);
sp_status sp_consumers_ended(const sp_pipeline *p, int32_t s, int64_t recording, const sp_decoded *result,
                             sp_error *err);
sp_status sp_consumers_labels(const sp_pipeline *p, int64_t first_step, int64_t n_steps,
                              const int32_t *labels, const int64_t *segments, sp_error *err);
sp_status sp_consumers_block(const sp_pipeline *p, const sp_evaluation_block *block, sp_error *err);

#endif
