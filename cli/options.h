/* Options of the commands: the table (statepath/options.def), what was given, and reading by popt. */
#ifndef STATEPATH_CLI_OPTIONS_H
#define STATEPATH_CLI_OPTIONS_H

#include <popt.h>
#include <stdbool.h>

#include "cli.h"
#include "help/help.h"

typedef enum option_id {
#define SP_OPTION(id, ...) OPTION_##id,
#define SP_PROGRAM(id, ...) OPTION_##id,
#define SP_SHARED(id, ...) OPTION_##id,
#define SP_HEADING(id, ...) HEADING_##id,
#include "statepath/options.def"
    N_OPTIONS
} option_id;

/* What was given to a command; texts belong to the struct and are NULL where not given. */
typedef struct options {
    sp_run_options run;
#define SP_PROGRAM(id, member, type, ...) SP_MEMBER_##type(member)
#include "statepath/options.def"
    bool output_is_text;     /* and may be standard output */
    const char *also_writes; /* of the command */
    bool given[N_OPTIONS];
} options;

/* The rows, by their ids, with places in `options`; headings have no name. A row without name and help ends them. */
extern const sp_option_row option_rows[N_OPTIONS + 1];

/* Is `absent_class` (or absent-class) of a sentence an option? */
bool option_is_known(const char *key, size_t length);
/* How many words from this one on are an option that no result depends on: 0, 1, or 2 with its value. */
int option_words_left_out(const char *word);

void options_init(options *o);
void options_clear(options *o);

/* A table of popt, made of a command's options and of those that each command has (--help); it points into `o`. */
enum { MOST_OPTIONS = 96, MOST_GROUPS = 14 };
typedef struct option_table {
    struct poptOption rows[MOST_OPTIONS + MOST_GROUPS], groups[MOST_GROUPS];
} option_table;
/* takes, lacks  sets of commands (C_COMPARE ... of the table): options of the former, but for those of the latter */
void options_fill(option_table *table, options *o, uint32_t takes, uint32_t lacks);

enum { MOST_WORDS = 3 }; /* that a command with a fixed number of them takes */

/* Reads a command's words into `o`, which the table points into; prints its help where that is asked for.
 *   words  [argc + MOST_WORDS] out: the words that are not options, at most `max_words` and at least `min_words`, and NULL after
 *          them; borrowed from argv
 * Returns -1 to go on, else an exit status (after --help: EXIT_DONE; wrong usage: EXIT_USAGE, the reason printed). */
int options_read(int argc, const char **argv, const struct poptOption *table, const usage *use, options *o,
                 const char **words);

/* Is every option that is given of use: does the verb take it (NULL: there are none), is its value one, does it go with the others?
 * SP_OK, SP_EINVAL. */
sp_status options_check(const options *o, const char *command, uint32_t takes, const char *verb,
                        sp_error *err);

#endif
