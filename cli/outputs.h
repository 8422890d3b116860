/* Writing a finished comparison wherever the options ask: the table on stdout, files beside. */
#ifndef STATEPATH_CLI_OUTPUTS_H
#define STATEPATH_CLI_OUTPUTS_H

#include "command.h"

/* A file that a command reads. */
typedef struct input_file {
    const char *what, *file; /* "the input file", its name (NULL: none is read) */
} input_file;

/* Before hours of work: may each output that the options name be written? Names the first that may not. What is read, by
 * whatever name or link, never may: `inputs`, which end with {NULL, NULL}, and the model and the maps of codes of the options.
 * Two outputs may not be one file, nor the file that standard output goes to. SP_OK; SP_EINVAL (names both files); SP_EFILE
 * (exists and is not to be replaced, no such folder). */
sp_status outputs_check(const options *o, const input_file *inputs, sp_error *err);

/* Puts the number of --seed into the options of the run: of the bootstrap, and of draws where there are any. SP_OK,
 * SP_EINVAL. */
sp_status seed_read(options *o, sp_error *err);

/* What compare and evaluate share: checks the outputs, makes the comparison from inputs[0], writes it wherever the options ask.
 * The table goes to stdout unless one of the files is "-". Where one of the files cannot be written, none is; a stdout that
 * cannot is left to main(). */
typedef sp_status comparison_maker(const char *file, const sp_run_options *o, sp_comparison **out,
                                   sp_run_result *result, sp_error *err);
sp_status outputs_make(options *o, const input_file *inputs, comparison_maker *make, outcome *out,
                       sp_error *err);

/* sp_text_save(); a standard output ("-") that cannot be written is left to main(). */
sp_status output_text(const char *file, const char *text, bool force, sp_error *err);

#endif
