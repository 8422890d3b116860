/* Models from the inside: classes by name and by state, and what is rarely meant. Not installed. */
#ifndef STATEPATH_CORE_MODEL_H
#define STATEPATH_CORE_MODEL_H

#include "statepath/model.h"

/* Class that state s emits. */
int32_t sp_model_state_class(const sp_model *model, int32_t s);

/* Class of that name, by name or, with_aliases, by alias; -1 when there is none. */
int32_t sp_model_class(const sp_model *model, const char *name, bool with_aliases);

/* The same model with its classes in the order of score columns, its states by column and then as declared. Decoding defaults, the floor
 * and the labeller are not taken along.
 *   class_of_column  [K] from sp_model_align()
 * SP_OK, SP_ENOMEM. O(states^2). (model_copy.c) */
sp_status sp_model_in_columns(const sp_model *model, const int32_t *class_of_column, sp_model **out,
                              sp_error *err);

/* Warnings: things that a model may have and that are rarely meant. Calls `warn` once for each: a state that no start reaches,
 * a state from which no end is reached, a state that can never be left (unless it is the only one), a class without state.
 * SP_OK or SP_ENOMEM. */
sp_status sp_model_warnings(const sp_model *model, void (*warn)(void *arg, const char *sentence), void *arg,
                            sp_error *err);

#endif
