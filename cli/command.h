/* What a command is, and the frame in which each of them runs: options are read, the work is done, an exit status is decided. */
#ifndef STATEPATH_CLI_COMMAND_H
#define STATEPATH_CLI_COMMAND_H

#include "options.h"

/* What became of the work, beside its status. */
typedef struct outcome {
    sp_comparison *comparison; /* what --fail-if is about, freed by the frame; or NULL */
    sp_run_result result;
    int exit_status; /* of an error, where it is another than the usual one; or 0 */
} outcome;

/* A first word that says what a command does, and those of its options that are of use then; others are refused. */
typedef struct command_verb {
    const char *name;
    uint32_t takes;
} command_verb;

typedef struct command {
    const char *name, *summary; /* as the list of commands has it */
    usage use;
    uint32_t takes,
        lacks; /* its options: those of these commands of the table (C_COMPARE ...), but for those of the latter */
    /* SP_OK, or an error whose sentence is printed. words  end with NULL; [use.max_words] where that is a number */
    sp_status (*work)(options *o, const char **words, outcome *out, sp_error *err);
    const command_verb *verbs; /* end with NULL; or NULL: each option is of use */
    bool watches_signals;      /* the work asks o->run.hooks whether to stop */
    bool output_is_text;       /* -o may be standard output */
    const char
        *also_writes; /* endings that -o may have beside HDF5's, see sp_output_name_check(); NULL: none */
} command;

extern const command convert_command, inspect_command, compare_command, decode_command, evaluate_command,
    model_command, fit_command, stream_command, mask_command, simulate_command, train_command,
    predict_command;

/* argv[0] is the command's name. Returns an exit status: of an error EXIT_USAGE for SP_EINVAL, else EXIT_FAILED; of work that was
 * done EXIT_GATE where a condition of --fail-if holds, EXIT_FAILED where a path failed its check, EXIT_UNDECODED where one is
 * missing, else EXIT_DONE. */
int command_main(const command *c, int argc, const char **argv);

#endif
