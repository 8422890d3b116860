/* Completion of the shells, from the commands' tables of options. The program is asked nothing when a shell completes: models,
 * strategies and figures stand in the script. */
#ifndef STATEPATH_CLI_COMPLETION_H
#define STATEPATH_CLI_COMPLETION_H

#include <stddef.h>

#include "command.h"

/* Prints the script for `shell` ("bash", "zsh", "fish"). Returns an exit status: EXIT_USAGE for another shell. */
int completion_print(const char *shell, const command *const *commands, int n);

/* ---- for the scripts: completion_SHELL.c ---- */

/* What may stand in a place. */
typedef enum value_kind {
    VALUES_ANY,        /* a number, a name, a dataset: nothing is offered */
    VALUES_WORDS,      /* one of some words */
    VALUES_COMMAND,    /* a command's name */
    VALUES_MODEL,      /* a shipped model or a .json file */
    VALUES_RULES,      /* the same, or "seen" */
    VALUES_STRATEGY,   /* "beam:8" */
    VALUES_STRATEGIES, /* some, with commas between */
    VALUES_CONDITION,  /* figures and numbers */
    VALUES_FILE,       /* a file by its ending, or any */
    N_VALUE_KINDS
} value_kind;

typedef struct values {
    value_kind kind;
    const char *text; /* VALUES_WORDS: "a|b"; VALUES_FILE: "json", or "" for any file */
    int length;
} values;

/* By the name of an option's value, or of a word in a command's usage; NULL is none. `use` says what KIND is. */
values values_of(const char *name, int length, const usage *use);

/* Does the first word say what the command does (model list)? */
bool usage_has_verbs(const usage *use);
/* Calls `visit` for each alternative of such a usage line, with the words that begin it ("show") and what follows one of them
 * ("M"). */
typedef void words_visit(values first, values second, void *arg);
void usage_visit(const usage *use, words_visit *visit, void *arg);

/* The usage of `statepath help`. */
extern const usage help_usage;

/* Prints the words with `between` between: v's own, the commands, the shipped models, the strategies (with a colon where a
 * parameter follows). */
typedef struct vocabulary {
    const command *const *commands;
    int n_commands;
    char **models;
    int32_t n_models;
} vocabulary;
void words_print(const vocabulary *v, values of, const char *between);

/* The figures that a condition can name, as words with braces, which each of the shells expands: "reference.{illegal,n_steps}".
 */
void figures_print(void);

/* Text in single quotes; `escaped_quote` is how the shell writes one inside. */
void quoted_print(const char *text, const char *escaped_quote);

typedef struct shell {
    const char *name;
    void (*head)(const vocabulary *v);
    command_visit *command; /* with the vocabulary */
    void (*foot)(const vocabulary *v);
} shell;
extern const shell shell_bash, shell_zsh, shell_fish;

#endif
