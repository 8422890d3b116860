/* From recordings to figures: what the program's commands decode, compare and evaluate, as calls on
 * recordings that are in memory or come part by part from anywhere. The same on files: pipeline_file.h.
 *
 *     sp_arrays night = {.info = {.file = "night", .kind = SP_KIND_PROBS, ...}, .scores = probabilities,
 *                        .labels = labels};
 *     sp_recordings recordings = sp_recordings_of_arrays(&night);
 *     sp_run_options o = sp_run_options_default();
 *     o.model = "sleep-aasm";
 *     sp_compare(&recordings, &o, &comparison, NULL, &err);
 *
 * Nothing is printed: what a user should know besides the result comes as notices, progress comes as calls,
 * and a call is asked whether to stop. Memory is bounded by a block of recordings, or the longest one. A
 * recording that does not fit in memory is refused before anything is read (SP_ENOMEM: what it takes, what
 * there is), but where Viterbi alone writes its path to HDF5.
 */
#ifndef STATEPATH_PIPELINE_H
#define STATEPATH_PIPELINE_H

#include "statepath/decode.h"
#include "statepath/scores.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is in it stands in comparison.h. */
typedef struct sp_comparison sp_comparison;
typedef struct sp_gate_scope sp_gate_scope;

enum { SP_RUN_STRATEGIES = 16 /* at most, in one run */ };

typedef enum sp_notice {
    SP_NOTICE_DATA, /* about the data or what became of it */
    SP_NOTICE_BUG   /* a path failed its check: the library's fault */
} sp_notice;

/* Calls back to whoever runs it; each may be NULL. */
typedef struct sp_run_hooks {
    void *arg;
    void (*notice)(void *arg, sp_notice kind, const char *sentence);
    /* `done` of `total`: steps, or what is fitted. `what` NULL: done, take the display away. */
    void (*progress)(void *arg, const char *what, int64_t done, int64_t total);
    /* True: stop as soon as possible, with SP_EFILE and no output. */
    bool (*is_stopped)(void *arg);
    /* Takes paths, of the first classifier. */
    sp_status (*paths)(void *arg, int32_t strategy, int64_t first, int64_t n_recordings, int64_t first_step,
                       int64_t n_steps, const sp_decode_output *output, sp_error *err);
    /* Before anything is decoded or read block by block: what there will be. An error ends the run. */
    sp_status (*opened)(void *arg, const sp_gate_scope *scope, sp_error *err);
} sp_run_hooks;

/* Recordings with the name of who classified them. */
struct sp_recordings;
typedef struct sp_named_recordings {
    const char *name;
    const struct sp_recordings *recordings;
} sp_named_recordings;

/* Types of options, as members of sp_run_options. */
typedef enum sp_option_type {
    SP_OPTION_TEXT,    /* char *; NULL: not given */
    SP_OPTION_TEXTS,   /* char **, ends with NULL; or NULL */
    SP_OPTION_FLAG,    /* int */
    SP_OPTION_INTEGER, /* int */
    SP_OPTION_LONG,    /* long */
    SP_OPTION_NUMBER,  /* double, NaN: not given */
    SP_OPTION_COUNT,   /* int64_t */
    SP_OPTION_SEED     /* uint64_t */
} sp_option_type;

/* How a model is learnt; and all that a run can be told, as a user writes it. Their members are the rows of statepath/options.def,
 * which say what each means, its range or choices, and what it is where it is not given. Texts are borrowed. Calls that take the
 * options check them first, see sp_options_check(). */
#define SP_MEMBER_TEXT(member) char *member;
#define SP_MEMBER_TEXTS(member) char **member;
#define SP_MEMBER_FLAG(member) int member;
#define SP_MEMBER_INTEGER(member) int member;
#define SP_MEMBER_LONG(member) long member;
#define SP_MEMBER_NUMBER(member) double member;
#define SP_MEMBER_COUNT(member) int64_t member;
#define SP_MEMBER_SEED(member) uint64_t member;
typedef struct sp_fit_words {
#define SP_FIT(id, member, type, ...) SP_MEMBER_##type(member)
#include "statepath/options.def"
} sp_fit_words;

typedef struct sp_run_options {
    struct { /* where things are in the files, and how they are read (files.h) */
#define SP_PLACE(id, member, type, ...) SP_MEMBER_##type(member)
#include "statepath/options.def"
        const char *const
            *more; /* more files of recordings after the one that is named; ends with NULL, or NULL */
    } place;
    struct { /* masks of rows, see sp_masked_open() */
#define SP_MASKS(id, member, type, ...) SP_MEMBER_##type(member)
#include "statepath/options.def"
    } masks;
    struct {
#define SP_DECODE(id, member, type, ...) SP_MEMBER_##type(member)
#include "statepath/options.def"
    } decode;
    sp_fit_words fit; /* with n_folds, and of sp_fitting_open() */
#define SP_RUN(id, member, type, ...) SP_MEMBER_##type(member)
#include "statepath/options.def"
    /* The file that `labels` names, or files, and a dataset in it: filled by the call that reads them.
     * NULL: beside the scores. */
    const char *labels_file, *labels_dataset;
    const char *model_text;      /* of recordings in memory: the model itself as JSON, in place of `model` */
    struct sp_outputs *together; /* the paths get their name with these (files.h); NULL: at once */
    int32_t n_against_recordings;
    const sp_named_recordings *against_recordings; /* in memory, as `against` names files */
    const char *command;                           /* kept in results; or NULL */
    sp_run_hooks hooks;                            /* whoever runs it */
} sp_run_options;
sp_run_options sp_run_options_default(void);

enum { /* sp_option_row.uses; what the columns mean stands in statepath/options.def */
       SP_OPTION_IN_PAGE = 1,
       SP_OPTION_IN_PYTHON = 2,
       SP_OPTION_IN_NO_RESULT = 4,
       SP_OPTION_MORE_WORDS = 8,
       SP_OPTION_OF_LABELS = 16,
       SP_OPTION_OF_SCORES = 32
};
enum { SP_OPTION_EXCLUDES = 5 /* at most */ };
typedef struct sp_option_row {
    const char *name; /* "weighted-kappa"; NULL: a heading, or the end */
    sp_option_type type;
    size_t place; /* in sp_run_options, or in a program's own struct */
    const char *value, *help;
    uint32_t commands;
    char letter;
    unsigned uses, methods;
    const char *range, *must, *usual, *sample, *python;
    struct {
        const char *with, *why;
    } needs, excludes[SP_OPTION_EXCLUDES];
} sp_option_row;

/* Is it given? A flag is set, a text or list is there, a number is another than the usual one. `options` is what row->place is in. */
bool sp_option_is_given(const sp_option_row *row, const void *options);
/* Number of the word among those of a choice, by its place in sp_run_options; -1: it is not given, or none of them. */
int sp_option_word(const sp_run_options *o, size_t place);
/* What has its usual value, in a table that ends with a row of no name and no help. */
void sp_options_init(const sp_option_row *rows, void *options);
/* Values of all options in range or among the choices; what excludes each other is not given together; what needs another one that
 * the commands take is not given without it.
 *   given  [n rows] or NULL: as the values say
 * SP_OK, SP_EINVAL. */
sp_status sp_options_check_table(const sp_option_row *rows, const void *options, const bool *given,
                                 uint32_t commands, sp_error *err);
/* Of a run's, as the call does that takes them; whether the program's own options are given is not known to it. */
typedef enum sp_run_call {
    SP_CALL_COMPARE,
    SP_CALL_DECODE,
    SP_CALL_EVALUATE,
    SP_CALL_FIT,
    SP_CALL_CONVERT,
    SP_CALL_MASK
} sp_run_call;
sp_status sp_options_check(const sp_run_options *o, sp_run_call call, sp_error *err);

/* What became of the recordings. */
typedef struct sp_run_result {
    int64_t n_undecoded; /* paths that are -1, over all strategies */
    int64_t n_bugs;      /* of them, paths that failed their check (SP_EBUG) */
    int64_t n_left_out;  /* of several files, those that could not be read */
    int64_t n_unread;    /* recordings of these, or that a file of paths says to be unread */
} sp_run_result;

/* ---- recordings ---- */

/* `count` recordings from `recording` on. */
typedef struct sp_part {
    int64_t recording, count;
} sp_part;

/* Recordings that are read in parts: in order, one part after the other, some of them again. A part is read on another thread
 * while the one before is worked on, never two at a time. */
typedef struct sp_recordings {
    const sp_source_info *info; /* what there is: shape, ids (always), classes, offsets, kind, dtype, has_* */
    int32_t n_raters;           /* labels by several raters: at most SP_SOURCE_MAX_RATERS */
    const char *const *raters;  /* [n_raters] names */
    const char *const *subjects; /* [N] whose each recording is; NULL: not known */
    /* Fills a block with those of the parts (SP_BLOCK_*) that there are; the others become NULL. */
    sp_status (*read)(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err);
    /* Labels of one rater for all steps of the part. NULL where there are none. */
    sp_status (*read_rater)(void *arg, int32_t rater, const sp_part *part, int32_t *labels, sp_error *err);
    /* The same of steps first .. first+n-1 of one recording, which does not fit in memory; NULL: all must. */
    sp_status (*read_steps)(void *arg, int64_t recording, int64_t first, int64_t n, unsigned parts,
                            sp_block *block, sp_error *err);
    void *arg;
} sp_recordings;

/* Recordings one after the other in memory; borrows everything. Of info are set: file (a name for messages and the report), kind,
 * dtype, n_recordings N, offsets [N+1], ids [N], n_classes K, classes [K] or NULL (then they are the model's). */
typedef struct sp_arrays {
    sp_source_info info;
    const void *scores;      /* [S,K]; NULL where only paths are evaluated */
    const int32_t *labels;   /* [S] or NULL */
    const int64_t *segments; /* [S] or NULL */
    const double *weights;   /* [S] or NULL */
    const uint8_t *mask;     /* [S,K] or NULL */
    int32_t n_raters;
    const char *const *raters;          /* [n_raters] */
    const int32_t *const *rater_labels; /* [n_raters][S] */
    const char *const *subjects;        /* [N] or NULL */
} sp_arrays;
/* Fills in the rest of a->info; borrows `a`. */
sp_recordings sp_recordings_of_arrays(sp_arrays *a);

/* Decodes by each strategy (o->strategies, or argmax,greedy,viterbi) and evaluates, o->against_recordings beside it. Paths go to
 * o->hooks.paths; no file is written (o->output is NULL).
 *   out     the caller frees it; untouched on failure
 *   result  out, may be NULL
 * SP_OK, also where recordings could not be decoded; SP_EINVAL (options, also those of files: folds, codes, groups),
 * SP_EFILE (stopped), SP_EDATA, SP_EMODEL, SP_ENOPATH and SP_EDEADEND (on_infeasible "error"), SP_ENOMEM. */
sp_status sp_compare(const sp_recordings *recordings, const sp_run_options *o, sp_comparison **out,
                     sp_run_result *result, sp_error *err);

/* Decodes them: paths go to o->hooks.paths and nowhere else. */
sp_status sp_decode_recordings(const sp_recordings *recordings, const sp_run_options *o,
                               sp_run_result *result, sp_error *err);

/* Paths in memory, of the same recordings. */
typedef struct sp_array_paths {
    int32_t n_strategies;        /* 1..SP_RUN_STRATEGIES */
    const char *const *names;    /* [n_strategies] */
    const int32_t *const *paths; /* [n_strategies][S] columns of the recordings, -1 = undecoded */
    const sp_decoded *const
        *results; /* [n_strategies][N] with their scores; NULL: undecoded is what is -1 throughout */
} sp_array_paths;

/* Evaluates them against the recordings' labels; their scores, where there are any, give the likelihood of the labels. */
sp_status sp_evaluate(const sp_recordings *recordings, const sp_array_paths *paths, const sp_run_options *o,
                      sp_comparison **out, sp_run_result *result, sp_error *err);

/* ---- parts of it, for programs that do the rest themselves ---- */

typedef enum sp_infeasible_rule {
    SP_INFEASIBLE_REPORT,
    SP_INFEASIBLE_RELAX,
    SP_INFEASIBLE_ERROR
} sp_infeasible_rule;
/* What `on_infeasible` says. */
sp_infeasible_rule sp_run_infeasible(const sp_run_options *o);
/* How scores are read that are learnt from, by what is given of `missing` and `floor`. The kind is left alone. */
sp_prepare_options sp_run_prepare_plain(const sp_run_options *o);
/* What is given for decoding over what the model says, of options that have been checked. The kind is left alone. log_prior
 * holds [K] and is filled, in column order, where a prior is used; `out` borrows it. */
sp_status sp_run_prepare(const sp_run_options *o, const sp_model *model, const int32_t *class_of_column,
                         double *log_prior, sp_prepare_options *out, sp_error *err);
/* How a model is learnt (learn.h): o->fit over what stands in `out`, which knows the usual method. Checks the options first, and that
 * each says something to the method.
 *   classes  [K] names of the columns: by them settings are chosen where `tune` does not say it
 *   costs    out: what out->costs borrows, to be freed; NULL without
 * SP_OK, SP_EINVAL, SP_ENOMEM. */
struct sp_fit_options;
sp_status sp_run_fit_options(const sp_run_options *o, bool has_scores, int32_t K, const char *const *classes,
                             struct sp_fit_options *out, double **costs, sp_error *err);
/* The first of them that is not NaN: the option, what the model says, what is usual. */
double sp_first_given(double option, double model, double usual);
/* What o->output names where `shard` says which of how many: with %i and %n filled in. The caller frees it.
 * SP_OK; SP_EINVAL (no such shard, several shards and no %i), SP_ENOMEM. */
sp_status sp_shard_output(const sp_run_options *o, char **out, sp_error *err);
/* A comma-separated list, split in place; returns the number of parts (0 for an empty text). parts[] points into text. */
int sp_split_list(char *text, int max_parts, char **parts);
/* 1234567 as "1,234,567" in buffer; returns buffer. */
enum { SP_COUNT_TEXT = 32 };
char *sp_count_text(int64_t n, char buffer[SP_COUNT_TEXT]);

/* The model that the options name, or whose text they carry, with the rules that they add. `text` and `text_name`: another's JSON
 * instead, unless NULL. SP_OK; what reading a model and sp_model_add_rule() return. */
sp_status sp_run_load_model(const sp_run_options *o, const char *text, const char *text_name, sp_model **out,
                            sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
