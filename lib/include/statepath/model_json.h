/* Models as JSON: reading with errors that name file, line, column and key; writing; finding shipped ones by name. */
#ifndef STATEPATH_MODEL_JSON_H
#define STATEPATH_MODEL_JSON_H

#include "statepath/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads one model from text. `name` is what messages call it (a file name).
 * SP_OK (a checked model, sp_model_check), SP_EMODEL ("sleep.json:7:12: key \"allow\", class \"Wke\": ..." with what to do),
 * SP_ENOMEM. */
sp_status sp_model_from_json(const char *text, const char *name, sp_model **out, sp_error *err);

/* Reads a model by file name, or a shipped one by its name ("sleep-strict"; the shipped models are compiled in). A file of that
 * name in the working folder comes first; a name with '/' or ending in ".json" is only ever a file.
 * SP_OK, SP_EFILE (not found: lists the shipped models and a near name), SP_EMODEL, SP_ENOMEM. */
sp_status sp_model_load(const char *name_or_file, sp_model **out, sp_error *err);

/* sp_model_warnings() of the same model, each with its place: "sleep.json:6:13: key "allow": class "REM" can never be left ...".
 * Returns as sp_model_load(). */
sp_status sp_model_load_warnings(const char *name_or_file, void (*warn)(void *arg, const char *sentence), void *arg,
                                 sp_error *err);

/* The model as JSON text, as a person would write it: `allow` by names where boolean, matrices one row a line; large dense models
 * as `matrix`. The caller frees *text. Reading it back gives the same model, to the last bit of each weight (weights declared as
 * probabilities that no longer sum to 1 are written as log weights).
 * SP_OK, SP_EINVAL (a name that is not UTF-8), SP_ENOMEM. */
sp_status sp_model_to_json(const sp_model *model, char **text, sp_error *err);

/* Writes it to a file, atomically; `force` to replace. Returns as sp_model_to_json() and sp_text_save(). */
sp_status sp_model_save(const sp_model *model, const char *file, bool force, sp_error *err);

/* Names of the shipped models, sorted; the caller frees the array and each name. */
sp_status sp_model_list(char ***names, int32_t *n_names, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
