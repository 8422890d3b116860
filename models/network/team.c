#include "team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 256 };

struct sp_team {
    int n_members;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    int64_t round; /* goes up when there is work */
    int n_busy;    /* members that have not finished the round, the caller apart */
    bool is_over;
    sp_team_work *work;
    void *arg;
    int64_t n;
    atomic_int_least64_t next;
    pthread_t threads[MOST];
};

typedef struct member {
    sp_team *team;
    int number;
} member;

static void do_pieces(sp_team *team, int number)
{
    for (int64_t i; (i = atomic_fetch_add(&team->next, 1)) < team->n;)
        team->work(team->arg, number, i);
}

static void *live(void *arg)
{
    member me = *(member *)arg;
    free(arg);
    sp_team *team = me.team;
    pthread_mutex_lock(&team->lock);
    for (int64_t seen = 0;;) {
        while (team->round == seen && !team->is_over)
            pthread_cond_wait(&team->begin, &team->lock);
        if (team->is_over)
            break;
        seen = team->round;
        pthread_mutex_unlock(&team->lock);
        do_pieces(team, me.number);
        pthread_mutex_lock(&team->lock);
        if (--team->n_busy == 0)
            pthread_cond_signal(&team->end);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

sp_team *sp_team_new(int threads)
{
    long n = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    sp_team *team = calloc(1, sizeof *team);
    if (!team)
        return NULL;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begin, NULL);
    pthread_cond_init(&team->end, NULL);
    team->n_members = 1;
    for (; team->n_members < n && team->n_members < MOST; team->n_members++) {
        member *who = malloc(sizeof *who);
        if (!who)
            break;
        *who = (member){team, team->n_members};
        if (pthread_create(&team->threads[team->n_members], NULL, live, who) != 0) {
            free(who);
            break;
        }
    }
    return team;
}

void sp_team_free(sp_team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    team->is_over = true;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    for (int i = 1; i < team->n_members; i++)
        pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->begin);
    pthread_cond_destroy(&team->end);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

int sp_team_size(const sp_team *team)
{
    return team->n_members;
}

void sp_team_run(sp_team *team, int64_t n, sp_team_work *work, void *arg)
{
    pthread_mutex_lock(&team->lock);
    team->work = work;
    team->arg = arg;
    team->n = n;
    atomic_store(&team->next, 0);
    team->n_busy = team->n_members - 1;
    team->round++;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    do_pieces(team, 0);
    pthread_mutex_lock(&team->lock);
    while (team->n_busy > 0)
        pthread_cond_wait(&team->end, &team->lock);
    pthread_mutex_unlock(&team->lock);
}
