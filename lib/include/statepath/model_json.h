/* Models as JSON: reading with errors that name file, line, column and key; writing; finding shipped ones by name.
 *
 *     sp_model_load("sleep-aasm", &model, &err);
 *
 * Recipes of made data are JSON, too.
 */
#ifndef STATEPATH_MODEL_JSON_H
#define STATEPATH_MODEL_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/learn.h"
#include "statepath/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads one model from text. `name` is what messages call it (a file name).
 * SP_OK (a checked model, sp_model_check), SP_EMODEL ("sleep.json:7:12: key \"allow\", class \"Wke\": ..." with what to do),
 * SP_ENOMEM. */
sp_status sp_model_from_json(const char *text, const char *name, sp_model **out, sp_error *err);

/* Reads a model by file name, or a shipped one by its name ("sleep-strict"; the shipped models are compiled in). A file of that
 * name in the working folder comes first; a name with '/' or ending in ".json" is only ever a file. A text of lines such as
 * "0 background" (mapping.txt of action segmentation) is a model of these classes without rules; so is a configuration of a model
 * of transformers, which names its classes in id2label.
 * SP_OK, SP_EFILE (not found: lists the shipped models and a near name), SP_EMODEL, SP_ENOMEM. */
sp_status sp_model_load(const char *name_or_file, sp_model **out, sp_error *err);

/* The names of classes in their order, as a model: a list "A,B,C"; or a file, which is what sp_model_load() reads: mapping.txt,
 * or the config.json of a model of transformers (id2label). SP_OK; SP_EINVAL (an empty list, a name twice), SP_EFILE, SP_EMODEL,
 * SP_ENOMEM. */
sp_status sp_classes_load(const char *list_or_file, sp_model **out, sp_error *err);

/* What a model may have and what is rarely meant, each with its place ("sleep.json:6:13: key "allow": class "REM" can never be
 * left ..."): a state that no start reaches, that reaches no end, that is never left; a class without state. As sp_model_load().
 */
sp_status sp_model_load_warnings(const char *name_or_file, void (*warn)(void *arg, const char *sentence),
                                 void *arg, sp_error *err);

/* The model as JSON text, as a person would write it: `allow` by names where boolean, matrices one row a line; large dense models
 * as `matrix`. The caller frees *text. Reading it back gives the same model, to the last bit of each weight (weights declared as
 * probabilities that no longer sum to 1 are written as log weights).
 * SP_OK, SP_EINVAL (a name that is not UTF-8), SP_ENOMEM. */
sp_status sp_model_to_json(const sp_model *model, char **text, sp_error *err);

/* Writes it to a file, atomically; `force` to replace. Returns as sp_model_to_json() and sp_text_save(). */
sp_status sp_model_save(const sp_model *model, const char *file, bool force, sp_error *err);

/* The biases of an operating point (NULL: "default") of a file of operating points of a BIOES tagger (viterbi_calibration.json); a bias that is
 * not in it is 0. SP_OK; SP_EFILE; SP_EINVAL, which says where (no such point: lists them; no such bias), SP_ENOMEM. */
sp_status sp_operating_point_load(const char *file, const char *point, sp_tag_biases *out, sp_error *err);
/* Writes biases as an operating point (NULL: "default") into a file ("-": standard output), which is made where there is none; what else it
 * says stays. `force` to replace a point of that name. SP_OK; SP_EFILE; SP_EINVAL (no such file of points; the point is there), SP_ENOMEM. */
sp_status sp_operating_point_save(const sp_tag_biases *biases, const char *point, const char *file,
                                  bool force, sp_error *err);

/* Names of the shipped models, sorted; the caller frees the array and each name. */
sp_status sp_model_list(char ***names, int32_t *n_names, sp_error *err);

/* ---- recipes ----
 *
 * Recipes as JSON, and made data as HDF5 (packed layout).
 *
 *     {"statepath_recipe": 1, "name": "...", "description": "...", "seed": 1,
 *      "classes": ["Wake", "N1"],
 *      "recordings": 20, "steps": [700, 1100],                     one number: all of that length
 *      "start": {"Wake": 1},                                       who is not named never starts
 *      "transitions": [[0.9, 0.1], [0.2, 0.8]],                    rows = from
 *      "model": "sleep-strict",                                    optional: transitions that it forbids become 0, the rest of
 *                                                                  their row is made to sum to 1 again
 *      "unscored": 0.01,                                           default 0
 *      "epoch_seconds": 30,                                        optional: an attribute of the file
 *      "generator": "numpy", "unused": 100,                        optional, with "signals": numpy's legacy draws, after a
 *                                                                  sequence of so many steps that is used for nothing (default 0)
 *      "classifier": {"confusion": [[0.9, 0.1], [0.3, 0.7]],       rows = true class
 *                     "error_run": 3, "noise": 0.7,                defaults 1 and 0
 *                     "overconfidence": 1.3, "floor": 0.001}}      defaults 1 and 0.001 (1/K where that is less)
 * What each means: simulate.h. In place of "classifier", "signals" makes signals instead of scores (simulate.h):
 *
 *      "signals": {"rate": 100, "samples": 3000,                   per second, per step
 *                  "tones": {"Wake": [[0.8, 12], [0.6, 20]],       by class: amplitude, Hz; who is not named is silent
 *                            "N1": [[0.9, 10]]},
 *                  "channels": [{"noise": 0.8},                    the first: gain (default 1) times the tones, plus noise (0)
 *                               {"gain": 0.7, "noise": 0.3}],      the others: gain times the first, plus noise
 *                  "phase_jitter": 0, "amplitude_drift": 0, "overlap": 0,
 *                  "both_ends": true,                              default false: samples from 0 to 30 s, both ends included
 *                  "test": 5}}                                     the last recordings are for testing; default 0
 */

/* Reads a recipe file. SP_OK (a checked recipe), SP_EFILE, SP_EINVAL ("night.json:7:12: key \"transitions\", row \"N1\": ..."),
 * SP_ENOMEM. */
sp_status sp_recipe_load(const char *file, sp_recipe **out, sp_error *err);
/* The recipe as JSON text, which the caller frees; reading it back gives the same recipe. SP_OK, SP_EINVAL (a name that is not
 * UTF-8), SP_ENOMEM. */
sp_status sp_recipe_to_json(const sp_recipe *recipe, char **text, sp_error *err);

/* Writes /log_probs f32 [S,K], /labels int8 [S] (int16, int32 where K needs it), /offsets int64 [N+1], /ids, /classes; root
 * attributes `recipe` (JSON text) and `seed`. Atomic; `force` to replace. SP_OK, SP_EFILE, SP_EINVAL, SP_ENOMEM. */
sp_status sp_simulated_save(const sp_simulated *simulated, const sp_recipe *recipe, const char *file,
                            bool force, sp_error *err);

/* ---- recipes of policies ----
 *
 * All keys but name and description must be there:
 *     {"statepath_recipe": 1, "name": "...", "description": "...", "seed": 1,
 *      "policy": {"moves": 1900, "positions": 2000, "legal": [1, 218], "usual_legal": 30, "legal_spread": 0.5,
 *                 "sharpness": 2, "leak": 0.0001, "leak_spread": 1.7}}
 */

/* Reads a recipe file of a policy; *out is NULL where it is a recipe of something else, which sp_recipe_load() reads. SP_OK (a
 * checked recipe), SP_EFILE, SP_EINVAL ("chess.json:7:12: ..."), SP_ENOMEM. */
sp_status sp_policy_recipe_load(const char *file, sp_policy_recipe **out, sp_error *err);

/* Writes /logits f32 [S,K] and /mask bool [S,K], and the root attribute `recipe` (JSON text). Atomic; `force` to replace. SP_OK,
 * SP_EFILE, SP_EINVAL (a name that is not UTF-8), SP_ENOMEM. */
sp_status sp_policy_save(const sp_policy *policy, const sp_policy_recipe *recipe, const char *file,
                         bool force, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
