/* --fail-if: conditions that make a pipeline stop. */
#ifndef STATEPATH_CLI_GATES_H
#define STATEPATH_CLI_GATES_H

#include "options.h"

/* Reads what --fail-if says, before anything is decoded. *out is NULL where the option was not given. SP_OK, SP_EINVAL,
 * SP_ENOMEM. */
sp_status gates_open(const options *o, const sp_gate_scope *scope, sp_gate **out, sp_error *err);

/* Says on stderr which conditions trip, with the values. True when one does. gate may be NULL. */
bool gates_trip(const sp_gate *gate, const sp_comparison *comparison);

#endif
