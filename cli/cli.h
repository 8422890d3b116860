/* What the commands share: exit statuses, messages, signals. */
#ifndef STATEPATH_CLI_H
#define STATEPATH_CLI_H

#include <stdint.h>

#include "statepath.h"
#include "statepath/files.h"
#include "statepath/learn.h"
#include "statepath/model_json.h"
#include "statepath/pipeline_file.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNDECODED = 3, EXIT_GATE = 4 };

/* As messages and help call it. */
extern const char program_name[];

/* "statepath: <sentence>" on stderr, on one line. Control characters become '?': names in a file may hold an escape sequence
 * that speaks to the terminal. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same without "statepath: ": what was done, "wrote paths.h5". Both come after what was printed to standard output so far,
 * also where both streams are one file. */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes fields that a sentence of the library names, `temperature`, as options, --temperature, as complain() does. */
void name_options(char *text);
/* printf() to standard output for texts with names from files: control characters other than newlines become '?'. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes out what was printed to standard output. Returns why something of all that was printed was lost (a value of errno), or
 * 0.
 */
int results_flush(void);

/* Prints err's sentence; returns the exit status that goes with `status`: EXIT_USAGE for SP_EINVAL, else EXIT_FAILED. */
int fail_with(sp_status status, const sp_error *err);

/* From here on the first SIGINT or SIGTERM only makes is_interrupted() true, so that work can end and leave no half-written file;
 * a second one ends the program at once. */
void watch_signals(void);
bool is_interrupted(void);

/* The command line as the shell would need it, for reports: without what changes no byte of any result (--threads, outputs, --force,
 * --quiet). files  [ends with NULL] words that stand in the order in which they are read; or NULL. The caller frees it. Ends the
 * program on lack of memory. */
char *command_line(int argc, const char **argv, const char *const *files);

#endif
