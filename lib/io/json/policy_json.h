/* Recipes of policies as JSON. Private to io/. */
#ifndef STATEPATH_IO_POLICY_JSON_H
#define STATEPATH_IO_POLICY_JSON_H

#include "statepath/simulate.h"

/* Reads one recipe from text. `name` is what messages call it. *out is NULL where it is a recipe of something else. SP_OK (a
 * checked recipe), SP_EINVAL ("chess.json:7:12: ..."), SP_ENOMEM. */
sp_status sp_policy_recipe_from_json(const char *text, const char *name, sp_policy_recipe **out,
                                     sp_error *err);

/* The recipe as JSON text, which the caller frees. SP_OK, SP_EINVAL (a name that is not UTF-8), SP_ENOMEM. */
sp_status sp_policy_recipe_to_json(const sp_policy_recipe *recipe, char **text, sp_error *err);

#endif
