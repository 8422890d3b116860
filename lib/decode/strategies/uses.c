/* Expected uses of weights, in logs. With a, b, w and e of forward_backward.c
 *
 *     p(s[t] = j)                ~  exp(a[t,j] + b[t,j])
 *     p(s[t] = i, s[t+1] = j)    ~  exp(a[t,i] + w[i,j] + e[t+1,j] + b[t+1,j])
 *
 * each normalised by itself, so that log Z never enters.
 */
#include "core/logmath.h"
#include "decode/strategies/uses_numbers.h"

#include <math.h>

#include "core/try.h"
#include "decode/kernels/sum_steps.h"

static const double tiny = 1e-280; /* as in sum_steps.c: below it the sum of a step is done in logs */
enum { MOST_NUMBERS = 1 << 24 };   /* of rows that are kept: 128 MB */

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
            sum += sp_sum_weight(d, n) * c->to[d->other[n]];
        total += c->from[i] * sum;
    }
    if (total <= tiny) {
        add_in_logs(c, forward);
        return;
    }
    for (int32_t i = 0; i < M; i++) {
        const double share = c->from[i] / total;
        for (int64_t n = d->row[i]; share > 0 && n < d->row[i + 1]; n++)
            if (c->uses->place[n] >= 0)
                c->uses->next[c->uses->place[n]] += share * sp_sum_weight(d, n) * c->to[d->other[n]];
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

static sp_status count_in_logs(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                               const sp_uses *uses, double *log_z, sp_error *err)
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

sp_status sp_uses_add(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                      const sp_uses *uses, double *log_z, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const bool is_small =
        scores->n_steps <= MOST_NUMBERS / chain->n_states && !(chain->across && sp_scores_have_gap(scores));
    double found = 0;
    bool is_known = scores->n_steps == 0;
    sp_status status = SP_OK;
    TRY(sp_decode_check(chain, scores, err));
    if (!is_known && is_small)
        TRY(sp_uses_in_numbers(chain, scores, scratch, uses, &found, &is_known, err));
    sp_scratch_release(scratch, mark);
    if (!is_known)
        TRY(count_in_logs(chain, scores, scratch, uses, &found, err));
    *log_z = found;
done:
    sp_scratch_release(scratch, mark);
    return status;
}
