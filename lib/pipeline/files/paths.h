/* The file of paths that compare and decode write: paths, labels, and when asked the confidence of each step, the N best paths and
 * paths drawn from the posterior.
 *
 *   /confidence/<strategy>       f32 [S]  marginal, given the rules, of the class that the path has; NaN where undecoded
 *   /path_posteriors/<strategy>  f64 [N]  exp(path score - log Z); NaN where undecoded
 *   /margins/<strategy>          f64 [N]  path score less that of the best other path; NaN where undecoded
 *   /log_partition               f64 [N]  log Z
 *   /nbest/paths                 as the paths [n,S], -1 where there are fewer; /nbest/scores f64 [n,N], -inf where there are
 *                                fewer
 *   /draws                       as the paths [n,S], -1 where no allowed path exists
 */
#ifndef PIPELINE_FILES_PATHS_H
#define PIPELINE_FILES_PATHS_H

#include "io/paths_writer.h"
#include "pipeline/files/span_values.h"
#include "pipeline/pipeline.h"
#include "statepath/files.h"

enum { MAX_EXTRAS = 2 * SP_RUN_STRATEGIES + 4 };

typedef struct sp_path_file {
    sp_consumer consumer; /* what the pipeline sees */
    const sp_pipeline *p;
    sp_paths_writer *writer; /* NULL until the first path */
    int nbest_of;            /* the strategy that carries the N best: viterbi; -1 without */
    int draws_of;            /* the strategy that carries the draws; -1: there are none */
    bool is_wide;            /* int32 paths */
    bool takes_spans;        /* it is a file of spans */
    /* Further datasets. */
    int32_t n_extras, draws_at; /* the place of the draws among them */
    sp_paths_extra extras[MAX_EXTRAS];
    char names[MAX_EXTRAS][64];
    /* One block of one strategy; buffers that only grow. */
    float *confidence;
    double *log_partition, *margins, *best_scores;
    int32_t *best_paths, *draws;
    int16_t *narrow;
    int64_t step_room, recording_room;
    sp_span_values spans;  /* of a file of spans */
    const sp_block *block; /* lent by reserve(), of the paths that follow */
    double *row;           /* [recordings of a block] */
    int64_t row_room;
} sp_path_file;

/* Plans what the options of an open pipeline ask for, and makes it a consumer of the pipeline where there is an output; the file itself
 * is made before the first path. `b` stays where it is until it is closed, on failure too.
 * SP_OK, SP_EINVAL (n_best without viterbi, without an output, or out of range; draws without a strategy that obeys the rules). */
sp_status sp_path_file_open(sp_path_file *b, sp_pipeline *p, sp_error *err);

/* With SP_OK puts the file into its place; else nothing is left of it. Returns `status`, or why the file cannot be written. */
sp_status sp_path_file_close(sp_path_file *b, sp_status status, sp_error *err);

#endif
