/* Expected uses of weights, in numbers: the exponentials of a and b of forward_backward.c themselves, rows of which are
 * scaled to a greatest value of `most`. That costs no exponential a state.
 *
 * Numbers of a row below 1 are cut: taken for 0. A path that a is cut on in a row weighs, of the greatest a times the
 * greatest b of that row, less than 1 / most, if b is whole there; so while the sum over the row of exp(a + b) is above
 * `tiny`, less than M / (most tiny) of the whole is lost, which no double shows. The same holds of b where a is whole.
 * Where a row is thinner, or b is cut at the first row where a was, or after it, the answer is not known: a class that
 * falls far behind, and then wins more, is lost on both sides.
 *
 * Weights and scores below `least` of their greatest are no factors: so a product of three factors and a number of a row
 * is no zero.
 */
#include "decode/strategies/uses_numbers.h"

#include <math.h>
#include <string.h>

#include "core/try.h"

static const double most = 0x1p960, least = 1e-100, tiny = 1e-250;
static const double log_least = -230.25850929940457;

typedef struct numbers {
    sp_sum_steps f; /* its exponentials of weights */
    const sp_chain *chain;
    const sp_scores *scores;
    double *start, *end, *leave; /* exp of the weights, greatest 1 */
    double *x, *p;               /* [T,K], [T,M] exp of scores, greatest of a row 1, and of a */
    double *b, *ahead;           /* [M] of the row at hand, and of that after it with its scores */
    double *moves, *first, *last,
        *steps; /* [transitions], [M], [M], [K] what is counted; moves are to be multiplied by their weights */
    double along;
    const double *given; /* [T,K] scores that `along` is the sum of, or NULL */
    int64_t first_cut;   /* the first row where a was cut; T: none */
    bool *cuts_scores;   /* [T] is a score of the row no factor? */
    sp_total log_z;
} numbers;

/* to[i] = exp(x[i] - greatest), 0 below `least`; *is_cut: one that is possible became 0. Returns the
 * greatest. */
static double relative(const double *x, int64_t n, double *to, bool *is_cut)
{
    double greatest = -INFINITY;
    *is_cut = false;
    for (int64_t i = 0; i < n; i++)
        greatest = x[i] > greatest ? x[i] : greatest;
    for (int64_t i = 0; i < n; i++) {
        const double y = x[i] > -INFINITY ? exp(x[i] - greatest) : 0;
        *is_cut |= y < least && x[i] > -INFINITY;
        to[i] = y < least ? 0 : y;
    }
    return greatest;
}

/* Scales the greatest, which was *by times `most`, to `most`; sets *is_cut where numbers are cut. False where
 * all is 0, or nearly so. */
static bool scale(double *x, int32_t n, double *by, bool *is_cut)
{
    double greatest = 0;
    for (int32_t i = 0; i < n; i++)
        greatest = x[i] > greatest ? x[i] : greatest;
    const double times = most / greatest;
    int32_t n_cut = 0;
    for (int32_t i = 0; greatest >= 1 && i < n; i++) {
        const double y = x[i] * times;
        n_cut += (y < 1) & (y > 0);
        x[i] = y < 1 ? 0 : y;
    }
    *is_cut |= n_cut > 0;
    *by = greatest / most;
    return greatest >= 1;
}

/* What leaves each row of runs, and each state that is in none: f.runs.out. */
static void leave_runs(const numbers *w, const double *p)
{
    const sp_run_sums *r = &w->f.runs;
    memset(r->out, 0, (size_t)w->chain->n_states * sizeof *r->out);
    for (int32_t i = 0; i < w->chain->n_states; i++)
        if (p[i] > 0)
            r->out[r->source[i]] += p[i] * r->leave[i];
}

static void forward_by_runs(const numbers *w, const double *from, double *to)
{
    const sp_run_sums *r = &w->f.runs;
    const sp_run_graph *g = r->graph;
    leave_runs(w, from);
    for (int32_t i = 0; i < w->chain->n_states; i++) {
        to[i] += from[i] * r->stay[i];
        if (from[i] > 0 && r->go_on[i] > 0)
            to[i + 1] += from[i] * r->go_on[i];
        for (int64_t n = g->pred_row[i]; n < g->pred_row[i + 1]; n++)
            to[i] += r->out[g->pred[n]] * r->weight[n];
    }
}

static void forward_by_states(const numbers *w, const double *from, double *to)
{
    const sp_chain *c = w->chain;
    for (int32_t i = 0; i < c->n_states; i++)
        for (int64_t n = c->succ_row[i]; from[i] > 0 && n < c->succ_row[i + 1]; n++)
            to[c->succ[n]] += from[i] * sp_sum_weight(&w->f.succ, n);
}

/* Row t of a from the row before, most of which may be 0. */
static bool forward_row(numbers *w, int64_t t)
{
    const sp_chain *c = w->chain;
    const int32_t M = c->n_states;
    const double *x = w->x + t * c->n_classes, *from = w->p + (t - 1) * M;
    double *to = w->p + t * M, by, before = 0;
    bool is_cut = w->cuts_scores[t];
    const bool is_gap = t > 0 && sp_scores_is_gap(w->scores, t);
    for (int32_t i = 0; is_gap && i < M; i++)
        before += from[i] * w->leave[i];
    for (int32_t j = 0; j < M; j++)
        to[j] = t == 0 ? most * w->start[j] : is_gap && c->entry[j] ? before : 0;
    if (t > 0 && !is_gap)
        (c->runs ? forward_by_runs : forward_by_states)(w, from, to);
    for (int32_t j = 0; j < M; j++)
        to[j] *= x[c->state_class[j]];
    const bool is_reached = scale(to, M, &by, &is_cut);
    if (is_cut && t < w->first_cut)
        w->first_cut = t;
    sp_total_add(&w->log_z, log(by));
    return is_reached;
}

/* What the states of row t are; false where too little of the row is known. */
static bool count_states(numbers *w, int64_t t)
{
    const sp_chain *c = w->chain;
    const double *p = w->p + t * c->n_states;
    double sum = 0;
    for (int32_t j = 0; j < c->n_states; j++)
        sum += p[j] * (w->b[j] / most);
    const double times = 1 / sum;
    const bool is_known = sum > tiny * most;
    for (int32_t k = 0; is_known && k < c->n_classes; k++) {
        double all = 0;
        for (int32_t j = c->class_first[k]; j < c->class_first[k + 1]; j++) {
            const double share = p[j] * (w->b[j] / most) * times;
            all += share;
            if (t == 0)
                w->first[j] = share;
            if (t + 1 == w->scores->n_steps)
                w->last[j] = share;
        }
        w->steps[k] += all;
        w->along += w->given && all > 0 ? all * w->given[t * c->n_classes + k] : 0;
    }
    return is_known;
}

/* Both: b of a row, of the states of classes that are possible there, from what is ahead of it. Of others a is 0, and b plays no part. */
static void backward_by_runs(const numbers *w, const double *e)
{
    const sp_run_sums *r = &w->f.runs;
    const sp_run_graph *g = r->graph;
    const int32_t M = w->chain->n_states;
    memset(r->out, 0, (size_t)M * sizeof *r->out);
    for (int32_t j = 0; j < M; j++)
        for (int64_t n = g->pred_row[j]; n < g->pred_row[j + 1]; n++)
            r->out[g->pred[n]] += w->ahead[j] * r->weight[n];
    for (int32_t i = 0; i < M; i++) {
        const double next = r->go_on[i] > 0 ? w->ahead[i + 1] * r->go_on[i] : 0;
        w->b[i] = e[w->chain->state_class[i]] > -INFINITY
                      ? r->out[r->source[i]] * r->leave[i] + next + w->ahead[i] * r->stay[i]
                      : 0;
    }
}

static void backward_by_states(const numbers *w, const double *e)
{
    const sp_chain *c = w->chain;
    for (int32_t i = 0; i < c->n_states; i++) {
        double sum = 0;
        const bool is_possible = e[c->state_class[i]] > -INFINITY;
        for (int64_t n = c->succ_row[i]; is_possible && n < c->succ_row[i + 1]; n++)
            sum += w->ahead[c->succ[n]] * sp_sum_weight(&w->f.succ, n);
        w->b[i] = sum;
    }
}

/* The transitions from a row p to what is ahead, all of which together weigh `all` times `most`. */
static void count_moves(const numbers *w, const double *p, double all)
{
    const sp_chain *c = w->chain;
    const sp_run_graph *g = c->runs;
    if (g)
        leave_runs(w, p);
    for (int32_t s = 0; s < c->n_states; s++) {
        const double share = (g ? w->ahead[s] : p[s]) / all / most;
        if (g)
            for (int64_t n = g->pred_row[s]; share > 0 && n < g->pred_row[s + 1]; n++)
                w->moves[n] += w->f.runs.out[g->pred[n]] * share;
        else
            for (int64_t n = c->succ_row[s]; share > 0 && n < c->succ_row[s + 1]; n++)
                w->moves[n] += share * w->ahead[c->succ[n]];
    }
}

/* b of the row before t, and the transitions between them. */
static bool backward_row(numbers *w, int64_t t)
{
    const sp_chain *c = w->chain;
    const int32_t M = c->n_states;
    const double *x = w->x + t * c->n_classes, *p = w->p + (t - 1) * M;
    double by, all = 0;
    bool is_cut = w->cuts_scores[t];
    if (sp_scores_is_gap(w->scores, t)) { /* what follows is a factor of all alike */
        memcpy(w->b, w->leave, (size_t)M * sizeof *w->b);
        return scale(w->b, M, &by, &is_cut);
    }
    for (int32_t j = 0; j < M; j++)
        w->ahead[j] = w->b[j] * x[c->state_class[j]];
    if (!scale(w->ahead, M, &by, &is_cut))
        return false;
    (c->runs ? backward_by_runs : backward_by_states)(w, sp_row(w->scores, t - 1, w->f.row));
    for (int32_t i = 0; i < M; i++)
        all += p[i] * (w->b[i] / most);
    if (!(all > tiny * most) || !scale(w->b, M, &by, &is_cut) || (is_cut && t > w->first_cut))
        return false;
    count_moves(w, p, all);
    return true;
}

static int64_t n_moves(const sp_chain *chain)
{
    return chain->runs ? chain->runs->pred_row[chain->n_states] : chain->succ_row[chain->n_states];
}

static void hand_out(const numbers *w, const sp_uses *uses)
{
    const sp_chain *c = w->chain;
    const int64_t *place = c->runs ? uses->runs_place : uses->place;
    for (int64_t n = 0; n < n_moves(c); n++)
        if (place[n] >= 0)
            uses->next[place[n]] +=
                w->moves[n] * (c->runs ? w->f.runs.weight[n] : sp_sum_weight(&w->f.succ, n));
    for (int32_t k = 0; k < c->n_classes; k++)
        uses->steps[k] += w->steps[k];
    for (int32_t j = 0; j < c->n_states; j++) {
        if (uses->start)
            uses->start[c->declared[j]] += w->first[j];
        if (uses->end)
            uses->end[c->declared[j]] += w->last[j];
    }
    if (uses->along)
        *uses->along += w->along;
}

static sp_status numbers_init(numbers *w, sp_scratch *scratch, sp_error *err)
{
    const sp_chain *c = w->chain;
    const size_t M = (size_t)c->n_states, K = (size_t)c->n_classes, T = (size_t)w->scores->n_steps,
                 E = (size_t)n_moves(c);
    double *room = sp_scratch_get(scratch, E + 7 * M + K + T * K, sizeof *room);
    w->p = sp_scratch_get(scratch, T * M, sizeof *w->p);
    w->cuts_scores = sp_scratch_get(scratch, T, sizeof *w->cuts_scores);
    w->first_cut = w->scores->n_steps;
    if (!room || !w->p || !w->cuts_scores || !sp_sum_steps_init(&w->f, c, w->scores, scratch))
        return sp_no_memory(err);
    w->moves = room;
    w->start = w->moves + E;
    w->end = w->start + M;
    w->leave = w->end + M;
    w->b = w->leave + M;
    w->ahead = w->b + M;
    w->first = w->ahead + M;
    w->last = w->first + M;
    w->steps = w->last + M;
    w->x = w->steps + K;
    memset(w->moves, 0, E * sizeof *w->moves);
    memset(w->steps, 0, K * sizeof *w->steps);
    return SP_OK;
}

/* Starts, ends and weights of leaving before a gap, and the log of the greatest of each. False where one of
 * them, or of the transitions, is no factor. */
static bool take_weights(numbers *w, double *end, double *leave)
{
    const int32_t M = w->chain->n_states;
    bool cuts_start, cuts_end, cuts_leave;
    sp_total_add(&w->log_z, relative(w->chain->start, M, w->start, &cuts_start));
    *end = relative(w->chain->end, M, w->end, &cuts_end);
    for (int32_t i = 0; i < M; i++)
        w->ahead[i] = sp_chain_leave(w->chain, i);
    *leave = relative(w->ahead, M, w->leave, &cuts_leave);
    const double weakest = w->chain->runs ? w->f.runs.least : w->f.succ.least;
    return !cuts_start && !cuts_end && !cuts_leave && weakest >= log_least;
}

static bool go_forward(numbers *w, double weight, double leave)
{
    const int32_t K = w->chain->n_classes;
    bool goes_on = true;
    for (int64_t t = 0; goes_on && t < w->scores->n_steps; t++) {
        if (t > 0)
            sp_total_add(&w->log_z, sp_scores_is_gap(w->scores, t) ? leave : weight);
        const double *row = sp_row(w->scores, t, w->f.row);
        sp_total_add(&w->log_z, relative(row, K, w->x + t * K, &w->cuts_scores[t]));
        goes_on = forward_row(w, t);
    }
    return goes_on;
}

static bool go_back(numbers *w)
{
    const int64_t T = w->scores->n_steps;
    double by;
    bool is_cut = false, goes_on;
    memcpy(w->b, w->end, (size_t)w->chain->n_states * sizeof *w->b);
    goes_on = scale(w->b, w->chain->n_states, &by, &is_cut);
    for (int64_t t = T - 1; goes_on && t >= 0; t--)
        goes_on = count_states(w, t) && (t == 0 || backward_row(w, t));
    return goes_on;
}

sp_status sp_uses_in_numbers(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                             const sp_uses *uses, double *log_z, bool *is_known, sp_error *err)
{
    const int32_t M = chain->n_states;
    numbers w = {.chain = chain, .scores = scores, .given = uses->along ? uses->scores : NULL};
    double last = 0, end, leave;
    sp_status status = SP_OK;
    TRY(numbers_init(&w, scratch, err));
    const double weight = chain->runs ? w.f.runs.greatest : w.f.succ.greatest;
    bool goes_on = take_weights(&w, &end, &leave) && go_forward(&w, weight, leave);
    for (int32_t j = 0; goes_on && j < M; j++)
        last += w.p[(scores->n_steps - 1) * M + j] * w.end[j] / most;
    *is_known = goes_on && last > tiny && go_back(&w);
    if (*is_known) {
        sp_total_add(&w.log_z, end + log(last));
        *log_z = w.log_z.sum + w.log_z.lost;
        hand_out(&w, uses);
    }
done:
    return status;
}
