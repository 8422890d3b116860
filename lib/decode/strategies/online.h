/* What the strategy asks of a stream beyond stream.h. Not installed. */
#ifndef STATEPATH_DECODE_ONLINE_H
#define STATEPATH_DECODE_ONLINE_H

#include "statepath/stream.h"

/* Does not find out whether a step can be reached at all: SP_EDEADEND stands for SP_ENOPATH, too. */
void sp_online_forget_reach(sp_online *online);

#endif
