/* The part of a recipe that speaks of signals: release and check. Private to learn/. */
#ifndef STATEPATH_LEARN_SIGNAL_RECIPE_H
#define STATEPATH_LEARN_SIGNAL_RECIPE_H

#include "statepath/signals.h"

void sp_signal_recipe_free(sp_signal_recipe *signals); /* NULL is fine */

/* Ranges as in signals.h. *place: key and, in "tones", the class; in "channels", the channel. SP_OK, SP_EINVAL. */
sp_status sp_signal_recipe_check(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err);

#endif
