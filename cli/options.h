/* Options that several commands share, read by popt. */
#ifndef STATEPATH_CLI_OPTIONS_H
#define STATEPATH_CLI_OPTIONS_H

#include <popt.h>
#include <stdbool.h>

#include "cli.h"
#include "help.h"
#include "statepath/name_hint.h"

/* Where things are in a file. Strings belong to the struct. */
typedef struct place_options {
    char *scores, *labels, *offsets, *lengths, *ids, *kind;
} place_options;

/* How to decode. NaN: not given. */
typedef struct decode_options {
    char *missing, *on_infeasible;
    double floor, temperature, transition_weight, prior_weight;
    int clamp, threads;
} decode_options;

typedef struct talk_options {
    int quiet, verbose;
} talk_options;

typedef struct options {
    place_options place;
    decode_options decode;
    talk_options talk;
    char *model, *strategies, *output;
    int force, confidence, n_best;
    bool output_is_text;                          /* and may be standard output */
    char *report, *json, *csv, *markdown, *latex; /* compare and evaluate */
    char **fail_if;                               /* as often as given, ends with NULL; or NULL */
    double epoch_seconds;                         /* NaN: not given */
    char *seed;
    double level; /* of intervals; NaN: not given */
    char *groups; /* whose the recordings are; NULL: what the file says */
    char *weighted_kappa, *absent_class, *interval, *zeros;
    char **collapse;                    /* as fail_if */
    double margin, wake_trim, nll_clip; /* NaN: not given */
    int bridge_unscored, trim_to_shortest;
    char *codes, *map, *label_codes, *label_map; /* of others' step labels */
    char *extra[6];                              /* strings of one command alone */
    int number;                                  /* a number of one command alone */
} options;

void options_init(options *o);
void options_clear(options *o);

/* Tables of popt for parts of `o`; they point into it. A table ends with POPT_TABLEEND and lives as long as the caller's array.
 */
enum { PLACE_TABLE = 7, CODES_TABLE = 3, DECODE_TABLE = 9, RESULT_TABLE = 7, STATISTICS_TABLE = 14, TALK_TABLE = 3 };
#define THREADS_HELP "0, the default, takes all processors"
void place_table(options *o, struct poptOption table[PLACE_TABLE]);
void decode_table(options *o, struct poptOption table[DECODE_TABLE]);
#define GROUPS_HELP                                                                                                              \
    "recordings that belong together, in intervals and folds: a dataset of names (subjects, where there are), prefix:C for "     \
    "ids equal up to the first C, or none"
#define CODES_HELP "what the numbers and words of others' sleep stages mean in the labels"
#define CODES_LIST "yasa|utime|sleep-edf|pops|sleepecg|nsrr|profusion|rk|cap|dreem"
#define MAP_HELP "the same code by code, '0=Wake,5=REM,9=unscored', or a file of such lines"
void codes_table(options *o, struct poptOption table[CODES_TABLE]);
void result_table(options *o, struct poptOption table[RESULT_TABLE]);
void statistics_table(options *o, struct poptOption table[STATISTICS_TABLE]);
void talk_table(options *o, struct poptOption table[TALK_TABLE]);

/* Reads a command's words; prints its help, or its part of the manual page or of the completion, where that is asked for.
 *   words  out: the words that are not options, at most `max_words` and at least `min_words`; borrowed from argv
 * Returns -1 to go on, else an exit status (after --help: EXIT_DONE; wrong usage: EXIT_USAGE, the reason printed). */
int options_read(int argc, const char **argv, const struct poptOption *table, const usage *use, const char **words);

/* The library's options from the user's. */
sp_status source_options_from(const options *o, sp_source_options *out, sp_error *err);

/* The first of them that is not NaN: the option, what the model says, what is usual. */
double first_given(double option, double model, double usual);

/* What --on-infeasible says. */
typedef enum infeasible_rule { INFEASIBLE_REPORT, INFEASIBLE_RELAX, INFEASIBLE_ERROR } infeasible_rule;
sp_status infeasible_from(const options *o, int *rule, sp_error *err);

/* --missing, --floor, --temperature, --prior-weight, --clamp, over what the model says under "decoding"; also checks --threads.
 * The kind is left alone. log_prior holds [K] and is filled, in column order, where a prior is used; `out` borrows it. */
sp_status prepare_options_from(const options *o, const sp_model *model, const int32_t *class_of_column, double *log_prior,
                               sp_prepare_options *out, sp_error *err);

/* The model's names in the order of the columns; the array is the caller's, the names the model's. NULL on lack of memory. */
const char **names_in_columns(const sp_model *model, const int32_t *class_of_column);

/* A comma-separated list, split in place; returns the number of parts (0 for an empty text). parts[] points into text. */
int split_list(char *text, int max_parts, char **parts);

#endif
