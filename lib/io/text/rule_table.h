/* A table of rules by recording: `own_rules` as a file. */
#ifndef STATEPATH_IO_RULE_TABLE_H
#define STATEPATH_IO_RULE_TABLE_H

#include <stdbool.h>

#include "statepath/status.h"

/* Is the name that of a table, .csv or .tsv? */
bool sp_rule_table_has_ending(const char *name);

/* Reads a table whose first line names its columns: `id` (or `recording`), and of these at least one:
 *     rule     a rule, or several with ";" between them
 *     allowed  classes: no others          [a b]*
 *     first    classes it may begin with   first [a b]
 *     last     classes it may end with     last [a b]
 *     order    one run of each             order [a b]
 * An empty cell says nothing. Recordings that are not in the table have no rules of their own, rows of others are passed over.
 *   ids    [n] of the recordings
 *   n_others  out, rows that are of none of these
 *   texts  out [n] rules with ";" between them, "" without any; each to be freed
 * SP_OK; SP_EFILE (cannot be read; no such columns; no row is of any recording; a recording twice; a line of too few cells), SP_ENOMEM. */
sp_status sp_rule_table_read(const char *file, int64_t n, const char *const *ids, int64_t *n_others,
                             char **texts, sp_error *err);

#endif
