/* What --help prints, the manual page and the completion of the shell: all from the commands' tables of options. */
#ifndef STATEPATH_CLI_HELP_H
#define STATEPATH_CLI_HELP_H

#include <popt.h>
#include <stdbool.h>

enum { MANY_WORDS = 1 << 30 };

/* What a command is, beside its options. */
typedef struct usage {
    const char *arguments;         /* what follows its name in the usage line */
    const char *summary, *example; /* the example is whole lines of at most 80 columns */
    int min_words, max_words;      /* words that are not options; MANY_WORDS: as many as there are */
    bool has_strategies;           /* the help lists them */
} usage;

/* A table's rows are read so: the name of an option's value is what stands in argDescrip; one with a bar in it
 * ("report|relax|error") is a choice: the value is then called WHAT, and the choices stand before the description. */

/* Help of a command for people, at most 80 columns wide, on standard output. */
void help_print(const char *name, const usage *use, const struct poptOption *table);

/* All figures: scope, key, label, definition. */
void help_figures(void);

/* The manual page (roff): its head, a section a command, its foot. */
void manual_head(void);
void manual_command(const char *name, const usage *use, const struct poptOption *table);
void manual_foot(void);

/* Completion for bash: its head, a branch a command, its foot. `commands` is a list with spaces between. */
void completion_head(void);
void completion_command(const char *name, const struct poptOption *table);
void completion_foot(const char *commands);

/* Goes through the options of a table and of those inside it, in order, and through the headings of the latter: these have no
 * longName, and descrip. */
typedef void option_visit(const struct poptOption *option, void *arg);
void options_visit(const struct poptOption *table, option_visit *visit, void *arg);

/* What a value is called. NULL where an option takes none. */
const char *option_value(const struct poptOption *option);
/* "report, relax or error" of a choice, else "". Returns text. */
enum { CHOICES_TEXT = 160 };
char *option_choices(const struct poptOption *option, char text[CHOICES_TEXT]);

#endif
