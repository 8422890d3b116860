/* How sure the path of a long recording is: marginals of its classes, log Z, and its margin over the best other path. */
#include <math.h>
#include <stdlib.h>

#include "decode/confidence.h"
#include "decode/piece_marginals.h"

/* ---- the margin ----
 *
 *     follow[t,j]   best score of the state paths into j whose classes are those of the path
 *     depart[t,j]   best score of those that have another class somewhere
 *
 * by the recurrence of Viterbi, so that both are what sp_path_score() says, bit for bit. */

typedef struct rivals {
    const sp_chain *chain;
    double *follow, *depart, *next_follow, *next_depart; /* [M] */
} rivals;

static double greatest_after(const sp_chain *c, int32_t j, const double *before)
{
    double best = -INFINITY;
    for (int64_t n = c->pred_row[j]; n < c->pred_row[j + 1]; n++) {
        double candidate = before[c->pred[n]] + c->pred_weight[n];
        best = candidate > best ? candidate : best;
    }
    return best;
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

static void swap(double **a, double **b)
{
    double *other = *a;
    *a = *b;
    *b = other;
}

/* One step of scores e[K], at which the path has class k. */
static void rivals_step(rivals *r, sp_reach how, const double *e, int32_t k)
{
    const sp_chain *c = r->chain;
    bool is_gap = how == SP_REACH_ENTRY, is_next = how == SP_REACH_NEXT;
    double best_follow = is_gap ? greatest_of(r->follow, NULL, c->n_states) : -INFINITY;
    double best_depart = is_gap ? greatest_of(r->depart, NULL, c->n_states) : -INFINITY;
    for (int32_t j = 0; j < c->n_states; j++) {
        double follow = -INFINITY, depart = -INFINITY;
        if (is_next) {
            follow = greatest_after(c, j, r->follow);
            depart = greatest_after(c, j, r->depart);
        } else if (!is_gap) {
            follow = c->start[j];
        } else if (c->entry[j]) {
            follow = best_follow;
            depart = best_depart;
        }
        if (c->state_class[j] != k) {
            depart = follow > depart ? follow : depart;
            follow = -INFINITY;
        }
        r->next_follow[j] = follow + e[c->state_class[j]];
        r->next_depart[j] = depart + e[c->state_class[j]];
    }
    swap(&r->follow, &r->next_follow);
    swap(&r->depart, &r->next_depart);
}

static double rivals_margin(const rivals *r)
{
    double own = greatest_of(r->follow, r->chain->end, r->chain->n_states);
    double other = greatest_of(r->depart, r->chain->end, r->chain->n_states);
    return own == -INFINITY ? -INFINITY : own - other; /* INFINITY where there is no other */
}

/* ---- the whole ---- */

typedef struct sure {
    sp_sequence *p;
    const sp_long_given *given;
    float *confidence; /* [steps] */
    rivals rivals;
    double *row, *room;
} sure;

static bool sure_init(sure *s)
{
    size_t M = (size_t)s->p->chain->n_states;
    s->confidence = malloc((size_t)s->p->steps * sizeof *s->confidence);
    s->room = malloc((4 * M + (size_t)s->p->chain->n_classes) * sizeof *s->room);
    if (!s->confidence || !s->room)
        return false;
    s->rivals = (rivals){s->p->chain, s->room, s->room + M, s->room + 2 * M, s->room + 3 * M};
    s->row = s->room + 4 * M;
    return true;
}

static sp_status read_path(const sure *s, int64_t first, int64_t n, sp_error *err)
{
    const int32_t *path = s->p->path;
    sp_status status = s->given->path(s->given->arg, first, n, s->p->path, err);
    for (int64_t t = 0; status == SP_OK && t < n; t++)
        if (path[t] < 0 || path[t] >= s->p->chain->n_classes)
            return sp_fail_at(err, SP_EINVAL, first + t,
                              "step %lld of the path has class %d, and there are %d: give a decoded path", (long long)first + t,
                              (int)path[t], (int)s->p->chain->n_classes);
    return status;
}

/* Along a path that there are marginals for. */
static sp_status follow_path(sure *s, const sp_marginals *m, sp_error *err)
{
    sp_sequence *p = s->p;
    sp_confidence_of out = {p->path, s->confidence};
    sp_marginal_sink sink = {.row = sp_confidence_row, .arg = &out};
    sp_status status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < p->n; i++) {
        int64_t first = i * p->steps, n = i == p->n - 1 ? p->recording.n_steps - first : p->steps;
        sp_scores scores;
        status = read_path(s, first, n, err);
        if (status == SP_OK)
            status = sp_marginals_piece(m, i, &sink, &scores, err);
        for (int64_t t = 0; status == SP_OK && t < n; t++)
            rivals_step(&s->rivals, sp_sequence_reach(p, i, &scores, t), sp_row(&scores, t, s->row), p->path[t]);
        if (status == SP_OK)
            status = s->given->write(s->given->arg, first, n, s->confidence, err);
    }
    return status;
}

static sp_status write_none(const sure *s, sp_error *err)
{
    sp_status status = SP_OK;
    int64_t T = s->p->recording.n_steps;
    for (int64_t t = 0; t < s->p->steps; t++)
        s->confidence[t] = NAN;
    for (int64_t first = 0; status == SP_OK && first < T; first += s->p->steps)
        status = s->given->write(s->given->arg, first, T - first < s->p->steps ? T - first : s->p->steps, s->confidence, err);
    return status;
}

sp_status sp_confidence_long(const sp_chain *chain, const sp_long_recording *recording, const sp_long_given *given,
                             sp_workers *workers, sp_long_sureness *out, sp_error *err)
{
    sp_long_sureness found = {0, given->path ? INFINITY : NAN};
    if (recording->n_steps == 0) {
        *out = found;
        return SP_OK;
    }
    sp_sequence sequence;
    sure s = {.p = &sequence, .given = given};
    sp_marginals m = {.starts = NULL};
    bool has_room = sp_sequence_open(&sequence, chain, recording, workers) && sure_init(&s);
    sp_status status = has_room ? sp_marginals_open(&m, &sequence, err) : sp_no_memory(err);
    bool is_possible = status != SP_ENOPATH;
    found.log_partition = is_possible ? m.log_z : -INFINITY;
    if (status == SP_OK && given->path) {
        status = follow_path(&s, &m, err);
        found.margin = rivals_margin(&s.rivals);
    } else if (status == SP_OK || !is_possible) {
        status = write_none(&s, err);
        found.margin = given->path ? -INFINITY : NAN;
    }
    sp_marginals_clear(&m);
    free(s.confidence);
    free(s.room);
    sp_sequence_clear(&sequence);
    if (status == SP_OK)
        *out = found;
    return status;
}
