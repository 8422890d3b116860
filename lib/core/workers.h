/* The caller's part in work shared among threads; not installed. */
#ifndef STATEPATH_CORE_WORKERS_H
#define STATEPATH_CORE_WORKERS_H

#include "core/scratch.h"

/* The scratch of thread 0, which is the caller of sp_workers_share(). */
sp_scratch *sp_workers_scratch(sp_workers *workers);

#endif
