/* Threads that make each step of a model of many states together; not installed.
 *
 * One leads: it decodes the recording, and calls sp_dense_team_step() for each step. The others, as soon as they come, make their
 * part of the states of the step; the leader makes its own and waits for them, which takes a fifth of a microsecond.
 *
 * Nobody waits for a thread that has not come, so a leader alone decodes all by itself. A thread that has come may lose its
 * processor to somebody else, for milliseconds. So where the leader has waited for long, it makes the next steps alone: twice as
 * many each time, until steps together go well again.
 */
#ifndef STATEPATH_DECODE_DENSE_TEAM_H
#define STATEPATH_DECODE_DENSE_TEAM_H

#include <stdatomic.h>

#include "decode/kernels/dense.h"

enum { SP_DENSE_TEAM_MOST = 64 };

/* Alone in its line of the cache. */
typedef struct sp_dense_member {
    _Alignas(64) atomic_llong done; /* the number of the last step that it has made its part of */
} sp_dense_member;

typedef struct sp_dense_team {
    const sp_dense *dense;
    const sp_scores *scores;
    int32_t most; /* members that are wanted, the leader among them: 1 .. SP_DENSE_TEAM_MOST */
    /* Of the leader: */
    int64_t number;          /* of the announced step */
    int64_t n_alone;         /* steps that it still makes alone */
    int64_t penalty;         /* how many those were the last time, less the steps together since */
    sp_dense_part part, all; /* of a step together, and alone */
    /* The announced step, read by those that make it. */
    int64_t t;
    const double *now;
    double *next;
    _Alignas(64) atomic_llong
        announced; /* number * SP_DENSE_TEAM_MOST + members that make it - 1; -1: none comes any more */
    _Alignas(64) atomic_int n_come; /* members so far */
    sp_dense_member members[SP_DENSE_TEAM_MOST];
} sp_dense_team;

/* sp_dense_viterbi() by a team of the threads of the workers. Errors: SP_ENOPATH, SP_ENOMEM. */
sp_status sp_dense_team_viterbi(const sp_dense *dense, const sp_scores *scores, sp_workers *workers,
                                int32_t *path, double *score);

/* How many threads pay for a step, 1 .. n_threads. */
int32_t sp_dense_team_size(const sp_dense *dense, int n_threads);

void sp_dense_team_init(sp_dense_team *team, const sp_dense *dense, const sp_scores *scores, int32_t most);
/* The leader's: next[width] = delta[t] from now[width] = delta[t-1]. */
void sp_dense_team_step(sp_dense_team *team, int64_t t, const double *now, double *next);
/* The leader's: no step comes any more. */
void sp_dense_team_end(sp_dense_team *team);
/* The others': helps until the end. */
void sp_dense_team_help(sp_dense_team *team);

#endif
