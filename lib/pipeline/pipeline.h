/* What a run of the pipeline knows: recordings, model, strategies, and what became of them.
 *
 * This and all files of the folder but files/ are the layer in memory: they see recordings through callbacks (sp_recordings) and
 * hand what they make to callbacks (sp_consumer), and never include a file format. files/ fills the callbacks in.
 */
#ifndef PIPELINE_PIPELINE_H
#define PIPELINE_PIPELINE_H

#include "core/subjects.h"
#include "evaluate/evaluate.h"
#include "pipeline/consumer.h"
#include "pipeline/folds.h"
#include "pipeline/plan.h"
#include "pipeline/recordings.h"
#include "pipeline/unread.h"

enum {
    NAMED_FAILURES = 5 /* failed recordings named in notices, per strategy; all are in the files */
};

struct calibration;
struct sp_rival;
typedef struct sp_path_source sp_path_source; /* path_source.h */

/* Paths that are there already, in place of decoding. */
typedef struct sp_given_paths {
    /* Those of a part, and what became of its recordings. */
    sp_status (*read)(void *arg, int32_t s, const sp_part *part, int32_t *paths, sp_decoded *results,
                      sp_error *err);
    void *arg;
} sp_given_paths;

/* What is known of the input beside its recordings. */
typedef struct sp_input_about {
    int64_t first;                     /* of a shard: which of all recordings its first one is */
    const struct sp_holes *holes;      /* of the file (files.h), or NULL */
    const char *const *tokens;         /* [S] likewise, where `output` writes them */
    const struct sp_step_texts *texts; /* of `text`; or NULL */
    const char *(*word)(const void *arg, int64_t recording,
                        int64_t t); /* what a step is, for a page; NULL: nobody says */
    const void *word_arg;
    const char *labels_file; /* where it is another one; or NULL */
    const char *path_codes,
        *label_codes;               /* names of the codings that paths and labels were read by; or NULL */
    const int32_t *column_of_label; /* [K] where labels are numbered another way than paths; or NULL */
    const int64_t *cut_path_steps, *cut_label_steps; /* [N] left out at the end of each side; or NULL */
    bool has_path_scores;                            /* the results have scores */
    sp_status (*step_seconds)(void *arg, double *seconds,
                              sp_error *err); /* as sp_source_epoch_seconds(); or NULL */
    void *step_seconds_arg;
} sp_input_about;

/* Wake that does not count before and after sleep. */
typedef struct sp_wake {
    const int32_t *stages; /* the stage of each class of the labels; NULL: nothing is trimmed */
    int32_t room[SP_N_STAGES];
    int64_t margin;
} sp_wake;

/* Likelihood of the labels under the scores as they are given, weighted by the file's weights, and calibration (calibration.h). */
typedef struct sp_likelihood {
    bool is_wanted;
    sp_nll_sums nll;
    sp_reliability_sums *reliability; /* or NULL */
    struct calibration *calibration;  /* borrowed: the same by other scalings; or NULL */
    double *rows;                     /* [room,K] of a block, scaled otherwise */
    int64_t room;                     /* steps */
} sp_likelihood;

/* What happened. */
typedef struct sp_run_counts {
    int64_t n_recordings; /* that were handed on so far */
    sp_prepare_counts scores;
    int64_t undecoded[SP_RUN_STRATEGIES], relaxed[SP_RUN_STRATEGIES];
    int64_t n_bugs; /* paths that did not stand their check; counted in undecoded too */
    int n_named;    /* recordings without a path that were named once for all strategies */
    int64_t named[NAMED_FAILURES];
} sp_run_counts;

struct sp_pipeline {
    const sp_run_options *opt;
    sp_run_plan plan;   /* what its words mean */
    const char *file;   /* a name for messages and the report */
    const char *word;   /* the same as it was given */
    sp_recordings from; /* what is decoded */
    const sp_source_info *info;
    int64_t step_bytes; /* in memory, of a step */
    sp_input_about about;
    bool learns; /* labels that say several classes are told, for learning; else they are unscored */
    /* What is run: paths of a source, to consumers (consumer.h). */
    const sp_path_source *source;
    const sp_given_paths *given; /* of sp_given_source */
    int n_consumers;
    sp_consumer consumers[SP_MOST_CONSUMERS];
    /* How it is decoded. */
    sp_model *model;
    int32_t *class_of_column; /* [K] */
    double *log_prior;        /* [K], or NULL */
    sp_work work;             /* what notices call recordings and steps, and count these from; as evaluated */
    sp_chain *chain;          /* as decoded */
    sp_chain *rules;          /* boolean */
    sp_prepare_options prepare;
    sp_infeasible_rule on_infeasible;
    sp_workers *workers;
    const sp_folds *folds; /* decode with the models of its folds; or NULL */
    int n_strategies;
    sp_strategy strategies[SP_RUN_STRATEGIES];
    const char *names[SP_RUN_STRATEGIES]; /* of another classifier with its name; borrowed, or of: */
    char texts[SP_RUN_STRATEGIES][SP_STRATEGY_TEXT];
    /* Other classifiers of the same recordings (against.h): what they decode is evaluated beside it. Owned by whoever opened
     * them. */
    int32_t n_against;
    struct sp_rival *against;
    const char *classifier; /* name of another classifier; NULL: of the first */
    sp_rater_labels raters; /* found by whoever wants them */
    sp_subjects *subjects;  /* or NULL */
    bool leaves_out;   /* of several files those that cannot be read are left out; else they are errors */
    sp_unread *unread; /* NULL: no recording is unread */
    sp_wake wake;
    sp_likelihood likelihood;
    sp_run_counts done;
};

/* Opening is done in three steps, between which a file is opened and its labels' coding is read: options, and the plan that was
 * made of them; with p->from there, the model, matched to the columns; the way of decoding. On failure of any of them the pipeline
 * can (and must) still be closed. */
sp_status sp_pipeline_begin(sp_pipeline *p, const char *file, const sp_run_options *opt,
                            const sp_run_plan *plan, sp_error *err);
sp_status sp_pipeline_load_model(sp_pipeline *p, sp_error *err); /* unless p->model is there already */
sp_status sp_pipeline_compile(sp_pipeline *p, sp_error *err);
void sp_pipeline_close(sp_pipeline *p);

/* All three for recordings from anywhere. */
sp_status sp_pipeline_open(sp_pipeline *p, const sp_recordings *from, const sp_run_options *opt,
                           const sp_run_plan *plan, sp_error *err);

/* Takes the plan, with its strategies. */
void sp_pipeline_use_plan(sp_pipeline *p, const sp_run_plan *plan);

/* Compiles the model, for columns of these classes, to what is decoded and to its rules. */
sp_status sp_pipeline_new_chains(sp_pipeline *p, double transition_weight, sp_error *err);
/* How the model is compiled: for the columns, with steps of the length that the user says, else the file. */
sp_chain_options sp_pipeline_chain_options(const sp_pipeline *p, double transition_weight);

/* Names [K] of the columns: the file's, else the model's. */
const char *const *sp_pipeline_columns(const sp_pipeline *p);

/* The strategy whose path draws and steps to review are shown with: the first that is legal by construction, but for greedy; of a single
 * strategy that one. -1: there is none. */
int sp_pipeline_lawful(const sp_pipeline *p);

/* Raters and subjects of recordings that are not of a file. */
sp_status sp_pipeline_use_given(sp_pipeline *p, sp_error *err);

/* Counts the failures of strategy s among n recordings from `first` on, names the first few in notices. SP_OK; with on_infeasible
 * "error" what the first one is. */
sp_status sp_pipeline_count_failures(sp_pipeline *p, int s, int64_t first, int64_t n,
                                     const sp_decoded *results, sp_error *err);

/* What became of the recordings; `result` may be NULL. */
void sp_pipeline_result(const sp_pipeline *p, sp_run_result *result);

#endif
