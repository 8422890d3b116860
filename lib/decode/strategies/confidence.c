/* How sure a path is: the marginals of its classes, log Z, and its margin over the best other path. */
#include <math.h>

#include "core/try.h"
#include "decode/recording.h"
#include "decode/strategies/marginals.h"
#include "statepath/advanced.h"

void sp_confidence_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)log_marginal;
    const sp_confidence_of *out = arg;
    out->confidence[t] = (float)marginal[out->path[t]];
}

/* ---- the margin ----
 *
 *     follow[t,j]   best score of the state paths into j whose classes are those of the path
 *     depart[t,j]   best score of those that have another class somewhere
 *
 * by the recurrence of Viterbi, so that both are what sp_path_score() says, bit for bit. */

typedef struct rivals {
    const sp_chain *chain;
    double *follow, *depart, *next_follow, *next_depart; /* [M] */
    double *row;                                         /* [K] */
} rivals;

static bool rivals_init(rivals *r, const sp_chain *chain, sp_scratch *scratch)
{
    size_t M = (size_t)chain->n_states;
    double *room = sp_scratch_get(scratch, 4 * M + (size_t)chain->n_classes, sizeof *room);
    if (room)
        *r = (rivals){chain, room, room + M, room + 2 * M, room + 3 * M, room + 4 * M};
    return room != NULL;
}

/* to[j] = max_i before[i] + log_trans[i,j] */
static void go_on(const sp_chain *c, const double *before, double *to)
{
    for (int32_t j = 0; j < c->n_states; j++)
        to[j] = -INFINITY;
    for (int32_t i = 0; i < c->n_states; i++) {
        const int64_t first = c->succ_row[i], n = c->succ_row[i + 1] - first;
        const double *weight = c->succ_weight + first;
        const bool is_full = n == c->n_states; /* successor s is state s: a loop of vectors */
        for (int64_t s = 0; before[i] > -INFINITY && is_full && s < n; s++)
            to[s] = before[i] + weight[s] > to[s] ? before[i] + weight[s] : to[s];
        for (int64_t s = 0; before[i] > -INFINITY && !is_full && s < n; s++) {
            double *at = &to[c->succ[first + s]];
            *at = before[i] + weight[s] > *at ? before[i] + weight[s] : *at;
        }
    }
}

static double greatest_of(const double *x, const double *end, int32_t n)
{
    double best = -INFINITY;
    for (int32_t i = 0; i < n; i++) {
        double value = end ? x[i] + end[i] : x[i];
        best = value > best ? value : best;
    }
    return best;
}

/* One step of scores e[K], at which the path has class k. */
static void rivals_step(rivals *r, sp_reach how, const double *e, int32_t k)
{
    const sp_chain *c = r->chain;
    const sp_chain *into = sp_chain_into(c, &how);
    bool is_gap = how == SP_REACH_ENTRY, is_next = how == SP_REACH_NEXT;
    double best_follow = is_gap ? greatest_of(r->follow, c->leave, c->n_states) : -INFINITY;
    double best_depart = is_gap ? greatest_of(r->depart, c->leave, c->n_states) : -INFINITY;
    if (is_next) {
        go_on(into, r->follow, r->next_follow);
        go_on(into, r->depart, r->next_depart);
    }
    for (int32_t j = 0; j < c->n_states; j++) {
        bool is_entered = is_gap && c->entry[j];
        double follow = is_next      ? r->next_follow[j]
                        : is_entered ? best_follow
                        : is_gap     ? -INFINITY
                                     : c->start[j];
        double depart = is_next ? r->next_depart[j] : is_entered ? best_depart : -INFINITY;
        if (c->state_class[j] != k) {
            depart = follow > depart ? follow : depart;
            follow = -INFINITY;
        }
        r->next_follow[j] = follow + e[c->state_class[j]];
        r->next_depart[j] = depart + e[c->state_class[j]];
    }
    *r = (rivals){c, r->next_follow, r->next_depart, r->follow, r->depart, r->row};
}

/* False where neither the path nor any other has a finite score. */
static bool rivals_end(const rivals *r, double *margin)
{
    double own = greatest_of(r->follow, r->chain->end, r->chain->n_states);
    double other = greatest_of(r->depart, r->chain->end, r->chain->n_states);
    *margin = own == -INFINITY ? -INFINITY : own - other; /* INFINITY where there is no other */
    return own > -INFINITY || other > -INFINITY;
}

sp_status sp_margin(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, const int32_t *path,
                    double *margin, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    rivals r = {.chain = chain};
    double found = INFINITY;
    bool is_possible = true;
    sp_status status = SP_OK;
    TRY(sp_decode_check(chain, scores, err));
    TRY(sp_decode_check_path(chain, 0, scores->n_steps, path, err));
    TRY(rivals_init(&r, chain, scratch) ? SP_OK : sp_no_memory(err));
    for (int64_t t = 0; t < scores->n_steps; t++)
        rivals_step(&r, sp_scores_reach(scores, t), sp_row(scores, t, r.row), path[t]);
    if (scores->n_steps > 0)
        is_possible = rivals_end(&r, &found);
    TRY(is_possible ? SP_OK : sp_decode_no_path(chain, scores, scratch, err));
    *margin = found;
done:
    sp_scratch_release(scratch, mark);
    return status;
}
