/* Options, messages and callbacks of a run. */
#ifndef PIPELINE_OPTIONS_H
#define PIPELINE_OPTIONS_H

#include "statepath.h"
#include "statepath/learn.h"
#include "statepath/pipeline.h"

void sp_run_notice(const sp_run_options *o, sp_notice kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says in a notice that the rules and durations of a model make decoding slow, where they do. The chain is the model's. */
void sp_run_tell_slow(const sp_run_options *o, const sp_model *model, const sp_chain *chain);

/* Nothing where there is no hook; `what` NULL ends it. */
void sp_run_progress(const sp_run_options *o, const char *what, int64_t done, int64_t total);
/* SP_OK, or SP_EFILE where the run is to stop. */
sp_status sp_run_go_on(const sp_run_options *o, sp_error *err);
/* Fitting that asks and tells the same hooks; `o` is borrowed by both. */
void sp_run_hook_fitting(const sp_run_options *o, sp_training *training, sp_fit_options *how);

/* Adds what `rule` says to a model. As sp_model_add_rule(). */
sp_status sp_run_add_rules(const sp_run_options *o, sp_model *model, sp_error *err);

/* Which options say nothing to strategies [n] that are all argmax, in a notice: scripts go through
 * strategies. judges: paths are judged, too. */
void sp_use_tell_argmax(const sp_run_options *o, int n, const sp_strategy *strategies, bool judges);
/* That nothing asks for the length of a step, where it is given. asks: something but the model does. */
void sp_use_tell_seconds(const sp_run_options *o, const sp_model *model, bool asks);

/* The model's names in the order of the columns; the array is the caller's, the names the model's. NULL on lack of memory. */
const char **sp_names_in_columns(const sp_model *model, const int32_t *class_of_column);

/* Seconds of a clock that only goes forward. */
double sp_now_seconds(void);

#endif
