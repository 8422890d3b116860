/* From files to decoded blocks: what compare and decode share.
 *
 * The way: open the scores, load the model, match its classes to the columns, compile it (pipeline.c), then block by block read,
 * prepare and decode with each strategy; each block is handed to the evaluation and to the file of paths (run.c). Memory is
 * bounded by the block.
 */
#ifndef STATEPATH_CLI_PIPELINE_H
#define STATEPATH_CLI_PIPELINE_H

#include "scorers.h"

enum {
    MAX_STRATEGIES = 16,
    NAMED_FAILURES = 5 /* failed recordings named on stderr, per strategy; all are in the files */
};

struct cross;
struct calibration;

typedef struct pipeline {
    const options *opt;
    const char *file;
    sp_source *source;
    const sp_source_info *info;
    sp_model *model;
    int32_t *class_of_column; /* [K] */
    sp_codes *codes;          /* of the labels, or NULL */
    double *log_prior;        /* [K], or NULL */
    sp_chain *chain;          /* as decoded */
    sp_chain *rules;          /* boolean */
    sp_prepare_options prepare;
    infeasible_rule on_infeasible;
    sp_workers *workers;
    const struct cross *cross; /* --cv: decode with the models of its folds; or NULL */
    int n_strategies;
    sp_strategy strategies[MAX_STRATEGIES];
    char names[MAX_STRATEGIES][SP_STRATEGY_TEXT];
    scorers scorers;            /* found by whoever wants them */
    const int32_t *wake_stages; /* borrowed: the stage of each class where wake is trimmed, or NULL */
    int64_t wake_margin;
    const sp_subjects *subjects; /* borrowed; NULL: none */
    /* What happened. */
    sp_prepare_counts counts;
    bool has_nll;
    sp_reliability_sums *reliability; /* with has_nll; owned */
    struct calibration *calibration;  /* borrowed: the same by other scalings; or NULL */
    sp_nll nll;                       /* of the labels under the prepared scores, weighted by the file's weights */
    int64_t undecoded[MAX_STRATEGIES], relaxed[MAX_STRATEGIES];
    int64_t n_bugs; /* paths that did not stand their check; counted in undecoded too */
    int n_named;    /* recordings without a path that were named once for all strategies */
    int64_t named[NAMED_FAILURES];
} pipeline;

struct beside;

/* Opens everything that the options name. `strategies` is a comma-separated list. On failure the pipeline can (and must) still be
 * closed. */
sp_status pipeline_open(pipeline *p, const char *file, const options *opt, const char *strategies, sp_error *err);
void pipeline_close(pipeline *p);

/* Counts the failures of strategy s among the recordings of a block (first, n_recordings and ids are looked at), names the first
 * few on stderr. SP_OK; with --on-infeasible error what the first one is. */
sp_status pipeline_look_at_failures(pipeline *p, int s, const sp_block *block, const sp_decoded *results, sp_error *err);

/* Counts a path that did not stand its check (SP_EBUG), and says so, also when quiet: it is our fault, and how to report it. */
void pipeline_tell_of_bug(pipeline *p, int s, const char *id, const sp_decoded *result);

/* Opens a file of paths for what the pipeline decodes. */
sp_status pipeline_open_writer(const pipeline *p, const struct beside *extras, const char *command, sp_paths_writer **out,
                               sp_error *err);

/* EXIT_FAILED when some path did not stand its check, EXIT_UNDECODED when some recording could not be decoded, else EXIT_DONE. */
int pipeline_exit_status(const pipeline *p);

#endif
