#include "decode/kernels/dense_team.h"

#include <sched.h>

/* Transitions of a step for each member: with fewer it waits for too long, and for what others have written. Of a sparse model
 * most are never looked at. */
enum { LEAST_TRANSITIONS = 1 << 17 };

/* Looks at a number before others may have the processor: about a tenth of a millisecond. */
enum { SPINS = 8192 };

enum { LEAST_PENALTY = 16, MOST_PENALTY = 1 << 20 };

int32_t sp_dense_team_size(const sp_dense *dense, int n_threads)
{
    const int64_t pay = dense->chain->pred_row[dense->n] / LEAST_TRANSITIONS;
    int64_t most = n_threads < SP_DENSE_TEAM_MOST ? n_threads : SP_DENSE_TEAM_MOST;
    most = most < dense->n_blocks ? most : dense->n_blocks;
    most = most < pay ? most : pay;
    return !dense->weight || most < 1 ? 1 : (int32_t)most;
}

void sp_dense_team_init(sp_dense_team *team, const sp_dense *dense, const sp_scores *scores, int32_t most)
{
    team->dense = dense;
    team->scores = scores;
    team->most = most;
    team->number = team->n_alone = team->penalty = 0;
    team->part = team->all = sp_dense_part_all(dense);
    atomic_init(&team->announced, 0);
    atomic_init(&team->n_come, 1);
    for (int i = 0; i < SP_DENSE_TEAM_MOST; i++)
        atomic_init(&team->members[i].done, 0);
}

/* Waits until the number is another than `old`: a thread that is at work changes it within microseconds. Returns it; *is_long:
 * that was too long to spin. */
static int64_t wait_for_change(atomic_llong *number, int64_t old, bool *is_long)
{
    int64_t now;
    for (int n_looks = 0; (now = atomic_load_explicit(number, memory_order_acquire)) == old; n_looks++)
        if (n_looks >= SPINS) {
            *is_long = true;
            sched_yield();
        } else {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    return now;
}

/* ---- the leader ---- */

static void step_together(sp_dense_team *team, int32_t size, int64_t t, const double *now, double *next)
{
    bool is_long = false;
    team->t = t;
    team->now = now;
    team->next = next;
    team->number++;
    atomic_store_explicit(&team->announced, team->number * SP_DENSE_TEAM_MOST + size - 1,
                          memory_order_release);
    sp_dense_part_take(&team->part, team->dense, 0, size);
    sp_dense_forward(team->dense, team->scores, t, now, next, &team->part);
    for (int32_t i = 1; i < size; i++)
        for (int64_t done = 0; done != team->number;)
            done = wait_for_change(&team->members[i].done, done, &is_long);
    if (is_long && team->penalty < MOST_PENALTY)
        team->penalty = 2 * team->penalty + LEAST_PENALTY;
    else if (team->penalty > 0)
        team->penalty--;
    team->n_alone = is_long ? team->penalty : 0;
}

void sp_dense_team_step(sp_dense_team *team, int64_t t, const double *now, double *next)
{
    const int32_t come = atomic_load_explicit(&team->n_come, memory_order_relaxed);
    if (come > 1 && team->n_alone == 0) {
        step_together(team, come < team->most ? come : team->most, t, now, next);
        return;
    }
    team->n_alone -= team->n_alone > 0;
    sp_dense_forward(team->dense, team->scores, t, now, next, &team->all);
}

void sp_dense_team_end(sp_dense_team *team)
{
    atomic_store_explicit(&team->announced, -1, memory_order_release);
}

/* ---- the others ---- */

void sp_dense_team_help(sp_dense_team *team)
{
    const int32_t index = atomic_fetch_add_explicit(&team->n_come, 1, memory_order_relaxed);
    sp_dense_part part = sp_dense_part_all(team->dense);
    bool is_long;
    if (index >= team->most)
        return;
    for (int64_t announced = 0; (announced = wait_for_change(&team->announced, announced, &is_long)) >= 0;) {
        const int32_t size = (int32_t)(announced % SP_DENSE_TEAM_MOST) + 1;
        if (index >= size)
            continue;
        sp_dense_part_take(&part, team->dense, index, size);
        sp_dense_forward(team->dense, team->scores, team->t, team->now, team->next, &part);
        atomic_store_explicit(&team->members[index].done, announced / SP_DENSE_TEAM_MOST,
                              memory_order_release);
    }
}

/* ---- a recording ---- */

typedef struct team_work {
    sp_dense_team team;
    int32_t *path;
    double *score;
    sp_status status;
} team_work;

/* Member 0 leads. Whoever comes when all is done goes at once. */
static void do_member(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    team_work *w = arg;
    for (int64_t member = first; member < last; member++) {
        if (member > 0) {
            sp_dense_team_help(&w->team);
            continue;
        }
        const int64_t block = sp_dense_choose_block(w->team.dense, w->team.scores->n_steps);
        w->status = sp_dense_viterbi_in_blocks(w->team.dense, w->team.scores, block, &w->team, scratch,
                                               w->path, w->score);
        sp_dense_team_end(&w->team);
    }
}

sp_status sp_dense_team_viterbi(const sp_dense *dense, const sp_scores *scores, sp_workers *workers,
                                int32_t *path, double *score)
{
    team_work w = {.path = path, .score = score};
    const int32_t size = sp_dense_team_size(dense, sp_workers_count(workers));
    sp_dense_team_init(&w.team, dense, scores, size);
    sp_workers_share(workers, size, do_member, &w);
    return w.status;
}
