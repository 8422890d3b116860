/* Recipes as JSON, and made data as HDF5 (packed layout).
 *
 *     {"statepath_recipe": 1, "name": "...", "description": "...", "seed": 1,
 *      "classes": ["Wake", "N1"],
 *      "recordings": 20, "steps": [700, 1100],                     one number: all of that length
 *      "start": {"Wake": 1},                                       who is not named never starts
 *      "transitions": [[0.9, 0.1], [0.2, 0.8]],                    rows = from
 *      "model": "sleep-strict",                                    optional: transitions that it forbids become 0, the rest of
 *                                                                  their row is made to sum to 1 again
 *      "unscored": 0.01,                                           default 0
 *      "generator": "numpy", "unused": 100,                        optional, with "signals": numpy's legacy draws, after a
 * sequence of so many steps that is used for nothing (default 0) "classifier": {"confusion": [[0.9, 0.1], [0.3, 0.7]],       rows
 * = true class "error_run": 3, "noise": 0.7,                defaults 1 and 0 "overconfidence": 1.3, "floor": 0.001}} defaults 1
 * and 0.001 (1/K where that is less) What each means: simulate.h. In place of "classifier", "signals" makes signals instead of
 * scores (signals.h):
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
#ifndef STATEPATH_RECIPE_JSON_H
#define STATEPATH_RECIPE_JSON_H

#include "statepath/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads one recipe from text. `name` is what messages call it. SP_OK (a checked recipe), SP_EINVAL ("night.json:7:12: key
 * \"transitions\", row \"N1\": ..."), SP_ENOMEM. */
sp_status sp_recipe_from_json(const char *text, const char *name, sp_recipe **out, sp_error *err);
/* Reads a recipe file. Also SP_EFILE. */
sp_status sp_recipe_load(const char *file, sp_recipe **out, sp_error *err);
/* The recipe as JSON text, which the caller frees; reading it back gives the same recipe. SP_OK, SP_EINVAL (a name that is not
 * UTF-8), SP_ENOMEM. */
sp_status sp_recipe_to_json(const sp_recipe *recipe, char **text, sp_error *err);

/* Writes /log_probs f32 [S,K], /labels int8 [S] (int16, int32 where K needs it), /offsets int64 [N+1], /ids, /classes; root
 * attributes `recipe` (JSON text) and `seed`. Atomic; `force` to replace. SP_OK, SP_EFILE, SP_EINVAL, SP_ENOMEM. */
sp_status sp_simulated_save(const sp_simulated *simulated, const sp_recipe *recipe, const char *file, bool force, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
