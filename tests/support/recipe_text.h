/* Recipes from text. */
#ifndef TEST_RECIPE_TEXT_H
#define TEST_RECIPE_TEXT_H

#include "statepath/simulate.h"

/* sp_recipe_load() of a file of this text; sentences call it r.json. Allocates nothing itself; err may be NULL. */
sp_status recipe_from_text(const char *text, sp_recipe **out, sp_error *err);

#endif
