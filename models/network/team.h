/* A team of threads that does numbered pieces of work. Private to the module. */
#ifndef STATEPATH_NETWORK_TEAM_H
#define STATEPATH_NETWORK_TEAM_H

#include <stdint.h>

typedef struct sp_team sp_team;

/* Piece `i`, on member `member` (0 .. members-1). */
typedef void sp_team_work(void *arg, int member, int64_t i);

/* threads 0: as many as there are processors. The calling thread is a member. NULL on lack of memory; a thread that cannot be
 * started only makes the team smaller. */
sp_team *sp_team_new(int threads);
void sp_team_free(sp_team *team);
int sp_team_size(const sp_team *team);

/* Does pieces 0 .. n-1, each once, in any order, and returns when all are done. */
void sp_team_run(sp_team *team, int64_t n, sp_team_work *work, void *arg);

#endif
