/* Are the classes sleep stages, and how long is a step? */
#ifndef PIPELINE_SLEEP_H
#define PIPELINE_SLEEP_H

#include "pipeline/options.h"

typedef struct sp_sleep_choice {
    int32_t stage_of_class[SP_N_STAGES]; /* of the columns */
    bool is_sleep;
    double epoch_seconds;
    bool is_assumed;
} sp_sleep_choice;

/* Classes are stages when the shipped sleep models know all of them, by name or alias, and all five are there. The length of a
 * step is what epoch_seconds says, else what the source says, else what the paths say; else, of stages, 30 s, which is
 * an assumption, and of other classes 0: not known.
 *   classes  [K] names in the order of the columns;   source, paths  NULL where there is none
 * SP_OK; SP_EINVAL (epoch_seconds is not above 0), SP_EDATA (a file says nonsense), SP_ENOMEM. */
sp_status sp_sleep_choose(const sp_run_options *o, int32_t K, const char *const *classes, sp_source *source,
                          sp_paths_reader *paths, sp_sleep_choice *out, sp_error *err);

/* Tells the evaluation; `choice` must stay until it is made. */
void sp_sleep_apply(const sp_sleep_choice *choice, sp_evaluation_options *how);

#endif
