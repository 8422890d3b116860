/* Recipes of policies as JSON. Private to io/. */
#ifndef STATEPATH_IO_POLICY_JSON_H
#define STATEPATH_IO_POLICY_JSON_H

#include "statepath/policy.h"

/* The recipe as JSON text, which the caller frees. SP_OK, SP_EINVAL (a name that is not UTF-8), SP_ENOMEM. */
sp_status sp_policy_recipe_to_json(const sp_policy_recipe *recipe, char **text, sp_error *err);

#endif
