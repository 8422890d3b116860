/* From files to decoded blocks: what compare and decode share.
 *
 * The way: open the scores, load the model, match its classes to the columns, compile it (pipeline.c), then block by block read,
 * prepare and decode with each strategy; each block is handed to the evaluation and to the file of paths (run.c). Memory is
 * bounded by the block.
 */
#ifndef PIPELINE_PIPELINE_H
#define PIPELINE_PIPELINE_H

#include "pipeline/raters.h"

enum {
    NAMED_FAILURES = 5 /* failed recordings named in notices, per strategy; all are in the files */
};

struct cross;
struct calibration;

/* Paths that are there already, in place of decoding. */
typedef struct sp_given_paths {
    /* Those of a part; of whole recordings also what became of them. */
    sp_status (*read)(void *arg, int32_t s, const sp_part *part, int32_t *paths, sp_decoded *results, sp_error *err);
    /* What became of a recording that is read in pieces; NULL: they are all read whole. */
    sp_decoded (*result)(void *arg, int32_t s, int64_t recording, bool is_undecoded);
    void *arg;
} sp_given_paths;

typedef struct sp_pipeline {
    const sp_run_options *opt;
    const char *file;
    sp_source *source;  /* or NULL: recordings from elsewhere */
    sp_recordings from; /* what is decoded */
    const sp_source_info *info;
    int64_t step_bytes;                              /* in memory, of a step */
    const sp_given_paths *given;                     /* NULL: decode */
    const int32_t *column_of_label;                  /* [K] where labels are numbered another way than paths; or NULL */
    const char *labels_file;                         /* for messages */
    const int64_t *cut_path_steps, *cut_label_steps; /* [N] left out at the end of each side; or NULL */
    sp_model *model;
    int32_t *class_of_column; /* [K] */
    sp_codes *codes;          /* of the labels, or NULL */
    double *log_prior;        /* [K], or NULL */
    sp_chain *chain;          /* as decoded */
    sp_chain *rules;          /* boolean */
    sp_prepare_options prepare;
    sp_infeasible_rule on_infeasible;
    sp_workers *workers;
    const struct cross *cross; /* decode with the models of its folds; or NULL */
    int n_strategies;
    sp_strategy strategies[SP_RUN_STRATEGIES];
    const char *names[SP_RUN_STRATEGIES]; /* borrowed, or of: */
    char texts[SP_RUN_STRATEGIES][SP_STRATEGY_TEXT];
    sp_raters scorers;          /* found by whoever wants them */
    const int32_t *wake_stages; /* where wake is trimmed: the stage of each class of the labels; or NULL */
    int32_t stages[SP_N_STAGES];
    int64_t wake_margin;
    sp_subjects *subjects; /* or NULL */
    /* What happened. */
    sp_prepare_counts counts;
    bool has_nll;                     /* likelihood of the labels is wanted */
    sp_reliability_sums *reliability; /* or NULL */
    struct calibration *calibration;  /* borrowed: the same by other scalings; or NULL */
    sp_nll nll;                       /* of the labels under the prepared scores, weighted by the file's weights */
    int64_t undecoded[SP_RUN_STRATEGIES], relaxed[SP_RUN_STRATEGIES];
    int64_t n_bugs; /* paths that did not stand their check; counted in undecoded too */
    int n_named;    /* recordings without a path that were named once for all strategies */
    int64_t named[NAMED_FAILURES];
} sp_pipeline;

struct sp_extra_outputs;

/* The same of recordings that are there already. */
sp_status sp_pipeline_open_recordings(sp_pipeline *p, const sp_recordings *from, const sp_run_options *opt,
                                      const char *strategies, sp_error *err);

/* Opens everything that the options name. `strategies` is a comma-separated list. On failure the pipeline can (and must) still be
 * closed. */
sp_status sp_pipeline_open(sp_pipeline *p, const char *file, const sp_run_options *opt, const char *strategies, sp_error *err);
void sp_pipeline_close(sp_pipeline *p);

/* Counts the failures of strategy s among the recordings of a block (first, n_recordings and ids are looked at), names the first
 * few in notices. SP_OK; with on_infeasible "error" what the first one is. */
sp_status sp_pipeline_look_at_failures(sp_pipeline *p, int s, const sp_block *block, const sp_decoded *results, sp_error *err);

/* Counts a path that failed its check (SP_EBUG), and says so in a notice, with how to report it. */
void sp_pipeline_tell_of_bug(sp_pipeline *p, int s, const char *id, const sp_decoded *result);

/* Opens a file of paths for what the pipeline decodes. */
sp_status sp_pipeline_open_writer(const sp_pipeline *p, const struct sp_extra_outputs *extras, sp_paths_writer **out,
                                  sp_error *err);

/* What became of the recordings; `result` may be NULL. */
void sp_pipeline_count(const sp_pipeline *p, sp_run_result *result);

/* Hands paths on to the writer (or NULL) and to whoever wants them. */
sp_status sp_pipeline_put_paths(const sp_pipeline *p, sp_paths_writer *writer, int s, int64_t first, int64_t n_recordings,
                                int64_t first_step, int64_t n_steps, const sp_decode_output *output, sp_error *err);

/* Labels as they come to columns of the paths; in and out may be one. SP_OK; SP_EDATA (no such class). */
sp_status sp_pipeline_to_columns(const sp_pipeline *p, int64_t n, const int32_t *in, int32_t *out, sp_error *err);

/* Raters and subjects of recordings that are not of a file. */
sp_status sp_pipeline_use_given(sp_pipeline *p, sp_error *err);

/* Compiles the model, for columns of these classes, to what is decoded and to its rules. */
sp_status sp_pipeline_compile(sp_pipeline *p, double transition_weight, sp_error *err);

#endif
