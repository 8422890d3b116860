/* Recipes as JSON, and made data as HDF5 (packed layout). */
#ifndef STATEPATH_RECIPE_JSON_H
#define STATEPATH_RECIPE_JSON_H

#include "statepath/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a recipe file, with errors that name file, line, column and key. */
sp_status sp_recipe_load(const char *file, sp_recipe **out, sp_error *err);
/* Writes /log_probs f32 [S,K], /labels int8/int16 [S], /offsets, /ids, /classes; root attributes recipe (JSON text) and seed.
 * Atomic. */
sp_status sp_simulated_save(const sp_simulated *simulated, const sp_recipe *recipe, const char *file, bool force, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
