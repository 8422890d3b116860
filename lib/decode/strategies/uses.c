/* Expected uses of weights. With a, b, w and e of forward_backward.c
 *
 *     p(s[t] = j)                ~  exp(a[t,j] + b[t,j])
 *     p(s[t] = i, s[t+1] = j)    ~  exp(a[t,i] + w[i,j] + e[t+1,j] + b[t+1,j])
 *
 * each normalised by itself, so that log Z never enters.
 *
 * First the exponentials themselves are computed, rows of a and b scaled to a greatest value of 1, which costs no exponential a state.
 * What is below `least` is taken for 0. A path that is lost there weighs, of the greatest a times the greatest b of that row, less than that;
 * so while the sum over a row of exp(a + b) is above `tiny`, less than M least / tiny of the whole is lost, which no double shows. Where
 * a row is thinner, all is done again in logs.
 */
#include "decode/strategies/uses.h"

#include <math.h>
#include <string.h>

#include "core/try.h"
#include "decode/kernels/sum_steps.h"

static const double least = 1e-290, tiny = 1e-250;
static const double tiny_step = 1e-280; /* as in sum_steps.c: below it the sum of a step is done in logs */
enum { MOST_NUMBERS = 1 << 24 };        /* of rows that are kept: 128 MB */

/* ---- in logs ---- */

typedef struct counting {
    sp_sum_steps f;
    const sp_uses *uses;
    double *from, *to, *state; /* [M] exponentials of both sides of a step; states of a row */
} counting;

static void exponentials(const double *x, int32_t n, double *out)
{
    for (int32_t i = 0; i < n; i++)
        out[i] = x[i] > -INFINITY ? exp(x[i]) : 0;
}

static double linear_weight(const sp_sum_side *side, int64_t n)
{
    return side->linear ? side->linear[n] : 1;
}

static void add_in_logs(const counting *c, const double *forward)
{
    const sp_sum_side *d = &c->f.succ;
    const int32_t M = c->f.chain->n_states;
    double greatest = -INFINITY, sum = 0;
    for (int way = 0; way < 3; way++)
        for (int32_t i = 0; i < M; i++)
            for (int64_t n = d->row[i]; n < d->row[i + 1]; n++) {
                const double x = forward[i] + d->weight[n] + c->f.ahead[d->other[n]];
                if (way == 0)
                    greatest = x > greatest ? x : greatest;
                else if (way == 1)
                    sum += exp(x - greatest);
                else if (c->uses->place[n] >= 0)
                    c->uses->next[c->uses->place[n]] += exp(x - greatest) / sum;
            }
}

/* The transitions between a step and the next, which f.ahead speaks of. */
static void add_moves(const counting *c, const double *forward)
{
    const sp_sum_side *d = &c->f.succ;
    const int32_t M = c->f.chain->n_states;
    double total = 0;
    exponentials(forward, M, c->from);
    exponentials(c->f.ahead, M, c->to);
    for (int32_t i = 0; i < M; i++) {
        double sum = 0;
        for (int64_t n = d->row[i]; c->from[i] > 0 && n < d->row[i + 1]; n++)
            sum += linear_weight(d, n) * c->to[d->other[n]];
        total += c->from[i] * sum;
    }
    if (total <= tiny_step) {
        add_in_logs(c, forward);
        return;
    }
    for (int32_t i = 0; i < M; i++) {
        const double share = c->from[i] / total;
        for (int64_t n = d->row[i]; share > 0 && n < d->row[i + 1]; n++)
            if (c->uses->place[n] >= 0)
                c->uses->next[c->uses->place[n]] += share * linear_weight(d, n) * c->to[d->other[n]];
    }
}

static void add_states(const counting *c, int64_t t, const double *forward)
{
    const sp_chain *chain = c->f.chain;
    const sp_uses *u = c->uses;
    const int32_t K = chain->n_classes;
    double sum = 0;
    for (int32_t j = 0; j < chain->n_states; j++)
        c->state[j] = forward[j] + c->f.back[j];
    sp_take_greatest(c->state, chain->n_states);
    exponentials(c->state, chain->n_states, c->state);
    for (int32_t j = 0; j < chain->n_states; j++)
        sum += c->state[j];
    for (int32_t k = 0; k < K; k++) {
        double p = 0;
        for (int32_t j = chain->class_first[k]; j < chain->class_first[k + 1]; j++)
            p += c->state[j] / sum;
        u->steps[k] += p;
        if (u->along && p > 0)
            *u->along += p * u->scores[t * K + k];
    }
    for (int32_t j = 0; t == 0 && u->start && j < chain->n_states; j++)
        u->start[chain->declared[j]] += c->state[j] / sum;
    for (int32_t j = 0; t + 1 == c->f.scores->n_steps && u->end && j < chain->n_states; j++)
        u->end[chain->declared[j]] += c->state[j] / sum;
}

static void count_row(void *arg, int64_t t, const double *forward)
{
    counting *c = arg;
    const sp_scores *s = c->f.scores;
    const int32_t M = c->f.chain->n_states;
    if (t + 1 < s->n_steps && !sp_scores_is_gap(s, t + 1))
        add_moves(c, forward);
    for (int32_t i = 0; t + 1 == s->n_steps && i < M; i++)
        c->f.back[i] = c->f.chain->end[i];
    add_states(c, t, forward);
    if (t > 0)
        sp_sum_backward(&c->f, sp_scores_is_gap(s, t), t);
}

static sp_status count_in_logs(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, const sp_uses *uses,
                               double *log_z, sp_error *err)
{
    const size_t M = (size_t)chain->n_states;
    counting c = {.uses = uses,
                  .from = sp_scratch_get(scratch, M, sizeof(double)),
                  .to = sp_scratch_get(scratch, M, sizeof(double)),
                  .state = sp_scratch_get(scratch, M, sizeof(double))};
    const sp_forward_sink sink = {count_row, &c, 0};
    if (!c.from || !c.to || !c.state || !sp_sum_steps_init(&c.f, chain, scores, scratch))
        return sp_no_memory(err);
    return sp_forward_rows(&c.f, scratch, &sink, log_z, err);
}

/* ---- in numbers ---- */

typedef struct numbers {
    const sp_chain *chain;
    const sp_scores *scores;
    double *succ, *start, *end, *leave;   /* exp of the weights, greatest 1 */
    double *x, *p;                        /* [T,K], [T,M] exp of scores and of a, greatest of a row 1 */
    double *b, *ahead;                    /* [M] of the row at hand, and of that after it with its scores */
    double *moves, *first, *last, *steps; /* [transitions], [M], [M], [K] what is counted; moves are to be multiplied by succ */
    double along;
    const double *given; /* [T,K] scores that `along` is the sum of, or NULL */
    sp_total log_z;
} numbers;

/* to[i] = exp(x[i] - greatest), 0 below `least`; returns the greatest. */
static double relative(const double *x, int64_t n, double *to)
{
    double greatest = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        greatest = x[i] > greatest ? x[i] : greatest;
    for (int64_t i = 0; i < n; i++) {
        const double y = x[i] > -INFINITY ? exp(x[i] - greatest) : 0;
        to[i] = y > least ? y : 0;
    }
    return greatest;
}

/* Greatest 1; false where all is 0. */
static bool scale(double *x, int32_t n, double *by)
{
    double greatest = 0;
    for (int32_t i = 0; i < n; i++)
        greatest = x[i] > greatest ? x[i] : greatest;
    for (int32_t i = 0; greatest > 0 && i < n; i++) {
        const double y = x[i] / greatest;
        x[i] = y > least ? y : 0;
    }
    *by = greatest;
    return greatest > 0;
}

/* Row t of a from the row before, most of which may be 0. */
static bool forward_row(numbers *w, int64_t t)
{
    const sp_chain *c = w->chain;
    const int32_t M = c->n_states;
    const double *x = w->x + t * c->n_classes, *from = w->p + (t - 1) * M;
    double *to = w->p + t * M, by, before = 0;
    const bool is_gap = t > 0 && sp_scores_is_gap(w->scores, t);
    for (int32_t i = 0; is_gap && i < M; i++)
        before += from[i] * w->leave[i];
    for (int32_t j = 0; j < M; j++)
        to[j] = t == 0 ? w->start[j] : is_gap && c->entry[j] ? before : 0;
    for (int32_t i = 0; t > 0 && !is_gap && i < M; i++)
        for (int64_t n = c->succ_row[i]; from[i] > 0 && n < c->succ_row[i + 1]; n++)
            to[c->succ[n]] += from[i] * w->succ[n];
    for (int32_t j = 0; j < M; j++)
        to[j] *= x[c->state_class[j]];
    const bool is_reached = scale(to, M, &by);
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
        sum += p[j] * w->b[j];
    for (int32_t k = 0; sum > tiny && k < c->n_classes; k++) {
        double all = 0;
        for (int32_t j = c->class_first[k]; j < c->class_first[k + 1]; j++) {
            const double share = p[j] * w->b[j] / sum;
            all += share;
            if (t == 0)
                w->first[j] = share;
            if (t + 1 == w->scores->n_steps)
                w->last[j] = share;
        }
        w->steps[k] += all;
        w->along += w->given && all > 0 ? all * w->given[t * c->n_classes + k] : 0;
    }
    return sum > tiny;
}

/* b of the row before t, and the transitions between them. */
static bool backward_row(numbers *w, int64_t t)
{
    const sp_chain *c = w->chain;
    const int32_t M = c->n_states;
    const double *x = w->x + t * c->n_classes, *p = w->p + (t - 1) * M;
    double by, all = 0;
    if (sp_scores_is_gap(w->scores, t)) {
        for (int32_t i = 0; i < M; i++)
            w->b[i] = w->leave[i];
        return scale(w->b, M, &by);
    }
    for (int32_t j = 0; j < M; j++)
        w->ahead[j] = w->b[j] * x[c->state_class[j]];
    if (!scale(w->ahead, M, &by))
        return false;
    const double *e = sp_row(w->scores, t - 1, w->steps + c->n_classes);
    for (int32_t i = 0; i < M; i++) {
        double sum = 0;
        const bool is_possible = e[c->state_class[i]] > -INFINITY; /* else a is 0, not lost, and b is not asked for */
        for (int64_t n = c->succ_row[i]; is_possible && n < c->succ_row[i + 1]; n++)
            sum += w->ahead[c->succ[n]] * w->succ[n];
        w->b[i] = sum;
        all += p[i] * sum;
    }
    for (int32_t i = 0; all > tiny && i < M; i++) {
        const double share = p[i] / all;
        for (int64_t n = c->succ_row[i]; share > 0 && n < c->succ_row[i + 1]; n++)
            w->moves[n] += share * w->ahead[c->succ[n]];
    }
    return all > tiny && scale(w->b, M, &by);
}

static void hand_out(const numbers *w, const sp_uses *uses)
{
    const sp_chain *c = w->chain;
    for (int64_t n = 0; n < c->succ_row[c->n_states]; n++)
        if (uses->place[n] >= 0)
            uses->next[uses->place[n]] += w->moves[n] * w->succ[n];
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
    const size_t M = (size_t)c->n_states, K = (size_t)c->n_classes, T = (size_t)w->scores->n_steps, E = (size_t)c->succ_row[M];
    double *room = sp_scratch_get(scratch, 2 * E + 7 * M + 2 * K + T * K, sizeof *room);
    w->p = sp_scratch_get(scratch, T * M, sizeof *w->p);
    if (!room || !w->p)
        return sp_no_memory(err);
    w->succ = room;
    w->moves = w->succ + E;
    w->start = w->moves + E;
    w->end = w->start + M;
    w->leave = w->end + M;
    w->b = w->leave + M;
    w->ahead = w->b + M;
    w->first = w->ahead + M;
    w->last = w->first + M;
    w->steps = w->last + M;
    w->x = w->steps + 2 * K;
    memset(w->moves, 0, E * sizeof *w->moves);
    memset(w->steps, 0, K * sizeof *w->steps);
    return SP_OK;
}

/* *is_known false: rows were too thin. */
static sp_status count_in_numbers(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, const sp_uses *uses,
                                  double *log_z, bool *is_known, sp_error *err)
{
    const int32_t M = chain->n_states, K = chain->n_classes;
    const int64_t T = scores->n_steps, E = chain->succ_row[M];
    numbers w = {.chain = chain, .scores = scores, .given = uses->along ? uses->scores : NULL};
    double last = 0;
    sp_status status = SP_OK;
    TRY(numbers_init(&w, scratch, err));
    const double weight = relative(chain->succ_weight, E, w.succ);
    sp_total_add(&w.log_z, relative(chain->start, M, w.start));
    const double end = relative(chain->end, M, w.end);
    for (int32_t i = 0; i < M; i++)
        w.ahead[i] = sp_chain_leave(chain, i);
    const double leave = relative(w.ahead, M, w.leave);
    bool goes_on = true;
    for (int64_t t = 0; goes_on && t < T; t++) {
        if (t > 0)
            sp_total_add(&w.log_z, sp_scores_is_gap(scores, t) ? leave : weight);
        sp_total_add(&w.log_z, relative(sp_row(scores, t, w.steps + K), K, w.x + t * K));
        goes_on = forward_row(&w, t);
    }
    for (int32_t j = 0; goes_on && j < M; j++) {
        last += w.p[(T - 1) * M + j] * w.end[j];
        w.b[j] = w.end[j];
    }
    goes_on = goes_on && last > tiny;
    for (int64_t t = T - 1; goes_on && t >= 0; t--)
        goes_on = count_states(&w, t) && (t == 0 || backward_row(&w, t));
    *is_known = goes_on;
    if (goes_on) {
        sp_total_add(&w.log_z, end + log(last));
        *log_z = w.log_z.sum + w.log_z.lost;
        hand_out(&w, uses);
    }
done:
    return status;
}

sp_status sp_uses_add(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, const sp_uses *uses, double *log_z,
                      sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const bool is_small = scores->n_steps <= MOST_NUMBERS / chain->n_states && !(chain->across && sp_scores_have_gap(scores));
    double found = 0;
    bool is_known = scores->n_steps == 0;
    sp_status status = SP_OK;
    TRY(sp_decode_check(chain, scores, err));
    if (!is_known && is_small)
        TRY(count_in_numbers(chain, scores, scratch, uses, &found, &is_known, err));
    sp_scratch_release(scratch, mark);
    if (!is_known)
        TRY(count_in_logs(chain, scores, scratch, uses, &found, err));
    *log_z = found;
done:
    sp_scratch_release(scratch, mark);
    return status;
}
