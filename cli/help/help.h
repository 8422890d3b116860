/* What --help prints, and how a table of options is read: for the manual pages (manual.h) and the completion (completion.h) too.
 */
#ifndef STATEPATH_CLI_HELP_H
#define STATEPATH_CLI_HELP_H

#include <popt.h>
#include <stdbool.h>

enum { MANY_WORDS = 1 << 30 };

/* What a command is, beside its options. Where the first word of a command says what it does, its arguments are alternatives with
 * " | " between: "list | show M | leak|softmax FILE.h5". */
typedef struct usage {
    const char *arguments;         /* what follows its name in the usage line */
    const char *summary, *example; /* the example is whole lines of at most 80 columns */
    int min_words, max_words;      /* words that are not options; MANY_WORDS: as many as there are */
    bool has_strategies;           /* the help lists them */
    const char *kinds;             /* the choice that the usage line calls KIND, or NULL */
} usage;

/* A table's rows are read so: the name of an option's value is what stands in argDescrip; one with a bar in it
 * ("report|relax|error") is a choice: the value is then called WHAT, and the choices stand before the description. */

/* Help of a command for people, at most 80 columns wide, on standard output. */
void help_print(const char *name, const usage *use, const struct poptOption *table);

/* All figures: scope, key, label, definition. */
void help_figures(void);
/* The schema of the JSON of results. Returns an exit status. */
int help_schema(void);

/* Goes through the options of a table and of those inside it, in order, and through the headings of the latter: these have no
 * longName, and descrip. */
typedef void option_visit(const struct poptOption *option, void *arg);
void options_visit(const struct poptOption *table, option_visit *visit, void *arg);

/* What a value is called. NULL where an option takes none. */
const char *option_value(const struct poptOption *option);
/* "report, relax or error" of the choice "report|relax|error"; "" of anything else, and of NULL. Returns text. */
enum { CHOICES_TEXT = 160 };
char *choices_text(const char *choices, char text[CHOICES_TEXT]);
/* What is said of an option: its choices, then its description, other options in it as the program writes them. Returns text. */
enum { ABOUT_TEXT = 1024 };
char *option_about(const struct poptOption *option, char text[ABOUT_TEXT]);

#endif
