/* A model for people, on standard output. */
#ifndef STATEPATH_CLI_MODEL_SHOW_H
#define STATEPATH_CLI_MODEL_SHOW_H

#include <statepath-kit.h>

/* with_marks: what is allowed has a check mark. step_seconds: length of a step, for durations; 0: not known. SP_OK;
 * SP_ENOMEM, when a part of it has been printed. */
sp_status model_show(const sp_model *model, bool with_marks, double step_seconds, int64_t max_states,
                     sp_error *err);

#endif
