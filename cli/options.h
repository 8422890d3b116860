/* Options of the commands: their tables (lib/options/option_rows.h, option_rows.h), what was given, and how a command names those that it takes. */
#ifndef STATEPATH_CLI_OPTIONS_H
#define STATEPATH_CLI_OPTIONS_H

#include <popt.h>
#include <stdbool.h>

#include "cli.h"
#include "help/help.h"

typedef enum option_id {
    OPTION_END,
    OPTION_HEADING, /* help is the heading of the options that follow */
#define OPTION_ROW(id, ...) OPTION_##id,
#define LIBRARY_ROW(...)
#include "options/option_rows.h"
#undef LIBRARY_ROW
#include "option_rows.h"
#undef OPTION_ROW
    N_OPTIONS
} option_id;

typedef struct talk_options {
    int quiet, verbose;
} talk_options;

/* What was given to a command; texts belong to the struct and are NULL where not given. */
typedef struct options {
    sp_run_options run;
    talk_options talk;
    int skip_existing;                                      /* decode */
    char *parts;                                            /* statepath-mpi */
    bool output_is_text;                                    /* and may be standard output */
    char *report, *figures, *json, *csv, *markdown, *latex; /* compare and evaluate */
    char *what_if;                                          /* compare: "on", "off" or NULL */
    int what_if_bytes;                                      /* -1 where not given */
    char **fail_if;                                         /* as often as given, ends with NULL; or NULL */
    char *seed;
    int lag; /* stream */
    /* model new */
    char *types, *min_count;
    int step;
    int marks;  /* model show */
    char *data; /* model audit; NULL for every other command */
    struct {
        char *losses, *values;
        int multiply, causal, steps;
        double fill;
    } masks; /* mask */
    /* train, predict */
    char *weights, *split, *signals, *masking, *beside;
    int epochs, batch, resume;
    double rate; /* NaN where not given */
    long network_seed;
    bool given[N_OPTIONS];
} options;

/* Is `absent_class` (or absent-class) of a sentence an option? */
bool option_is_known(const char *key, size_t length);

void options_init(options *o);
void options_clear(options *o);

/* An option of a command; help and argument are the table's where they are NULL. The argument is the name of the value; one with
 * a bar in it ("report|relax|error") is a choice. */
typedef struct option_choice {
    option_id id;
    const char *help, *argument;
} option_choice;

#define HEADING(text)                                                                                                            \
    {                                                                                                                            \
        OPTION_HEADING, text, NULL                                                                                               \
    }
#define OPTION(name)                                                                                                             \
    {                                                                                                                            \
        OPTION_##name, NULL, NULL                                                                                                \
    }
#define OPTION_AS(name, help, argument)                                                                                          \
    {                                                                                                                            \
        OPTION_##name, help, argument                                                                                            \
    }

/* Those that several commands share. */
#define PLACE_OPTIONS OPTION(SCORES), OPTION(LABELS), PLACES_BESIDE
#define PLACES_BESIDE                                                                                                            \
    OPTION(OFFSETS), OPTION(LENGTHS), OPTION(IDS), OPTION(CLASSES), OPTION(ONLY), OPTION(KIND), OPTION(GAPS), OPTION(UNSCORED),  \
        TABLE_OPTIONS, OPTION(TRANSPOSE), OPTION(ALLOW_EXTERNAL)
#define TABLE_OPTIONS OPTION(HEADER), OPTION(NO_HEADER)
#define LABEL_FILE_OPTIONS                                                                                                       \
    OPTION_AS(LABELS, "dataset of the labels, or a file of them", NULL), OPTION(REFERENCE), OPTION(LABELS_DATASET)
#define SCORE_OPTIONS                                                                                                            \
    OPTION(MISSING), OPTION(FLOOR), OPTION(ON_INFEASIBLE), OPTION(TEMPERATURE), OPTION(TRANSITION_WEIGHT), OPTION(PRIOR_WEIGHT)
#define DECODE_OPTIONS OPTION(THREADS), SCORE_OPTIONS, OPTION(CLAMP)
#define PART_OPTIONS HEADING("Parts, for many machines:"), OPTION(PART), OPTION(SHARD), OPTION(PART_STEPS), OPTION(CHECK_INPUTS)
#define FIT_OPTIONS OPTION(METHOD), OPTION(TUNE), OPTION(FOR), OPTION(SMOOTHING), OPTION(PENALTY), OPTION(MEMORY), OPTION(FOLDS)
#define RESULT_OPTIONS                                                                                                           \
    HEADING("Results:"), OPTION(REPORT), OPTION(FIGURES), OPTION(DRAW), OPTION(JSON), OPTION(CSV), OPTION(MARKDOWN),             \
        OPTION(LATEX), OPTION(FAIL_IF), HEADING("Statistics:"), OPTION(GROUPS), OPTION(LEVEL), OPTION(INTERVAL), OPTION(ZEROS),  \
        OPTION(SEED), OPTION(MARGIN), OPTION(WEIGHTED_KAPPA), OPTION(ABSENT_CLASS), OPTION(SCHEME), OPTION(COLLAPSE),            \
        OPTION(PRESET), OPTION(UNIT), OPTION(BACKGROUND), OPTION(WAKE_TRIM), OPTION(EPOCH_SECONDS), OPTION(NLL_CLIP),            \
        OPTION(BRIDGE_UNSCORED)
/* They end each table. */
#define MESSAGE_OPTIONS HEADING("Messages:"), OPTION(QUIET), OPTION(VERBOSE), HEADING_END
#define QUIET_OPTION HEADING("Messages:"), OPTION(QUIET), HEADING_END /* of commands that have no more to say */
#define HEADING_END                                                                                                              \
    {                                                                                                                            \
        OPTION_END, NULL, NULL                                                                                                   \
    }

/* A table of popt, made of a command's options and of those that each command has (--help); it points into `o`. */
enum { MOST_OPTIONS = 96, MOST_GROUPS = 14 };
typedef struct option_table {
    struct poptOption rows[MOST_OPTIONS + MOST_GROUPS], groups[MOST_GROUPS];
} option_table;
void options_fill(option_table *table, options *o, const option_choice *choices);

enum { MOST_WORDS = 3 }; /* that a command with a fixed number of them takes */

/* Reads a command's words into `o`, which the table points into; prints its help where that is asked for.
 *   words  [argc + MOST_WORDS] out: the words that are not options, at most `max_words` and at least `min_words`, and NULL after
 *          them; borrowed from argv
 * Returns -1 to go on, else an exit status (after --help: EXIT_DONE; wrong usage: EXIT_USAGE, the reason printed). */
int options_read(int argc, const char **argv, const struct poptOption *table, const usage *use, options *o, const char **words);

/* Is every option that is given of use: does the verb take it (NULL: there are none), is there what it needs? SP_OK, SP_EINVAL.
 */
sp_status options_check(const options *o, const char *command, const option_choice *choices, const option_choice *verb_takes,
                        const char *verb, sp_error *err);

#endif
