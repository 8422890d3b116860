/* Posteriors of spans. With a[t,j], w, e and b as in forward_backward.c, of one span [first,last]:
 *
 *     q[first,j]  = log sum_i exp(a[first-1,i] + w[i,j]) + e[first,j]     over pairs (i,j) with which the span begins
 *     q[t,j]      = log sum_i exp(q[t-1,i] + w[i,j]) + e[t,j]             over those with which it goes on
 *     q[last+1,j] = likewise                                              over those at which it ends
 *     posterior   = sum_j exp(q[r,j] + b[r,j]) / sum_j exp(a[r,j] + b[r,j]),   r = last+1, or `last` where nothing follows
 *
 * q has the same values taken out as a, so the quotient needs no log Z. */
#include "statepath/advanced.h"

#include <math.h>
#include <string.h>

#include "core/logmath.h"
#include "core/try.h"
#include "decode/kernels/sum_steps.h"

typedef struct spans {
    const sp_chain *chain;
    const sp_scores *scores;
    sp_span_reads *reads;
    const void *arg;
    int64_t n;
    const sp_span_place *list;
    double *all, *own; /* [n,M] a and q at the row of each span */
    double *q, *next;  /* [M] of the span at hand */
} spans;

/* Does the chain go on from step t to the next? */
static bool is_followed(const spans *s, int64_t t)
{
    return t + 1 < s->scores->n_steps && !sp_scores_is_gap(s->scores, t + 1);
}

static int64_t row_of(const spans *s, int64_t i)
{
    return s->list[i].last + is_followed(s, s->list[i].last);
}

/* From the row before to a step of scores e, along the pairs that read so; `taken` is what was taken out of a there. */
static void step_along(const spans *s, int32_t type, sp_span_pair pair, const double *from, const double *e,
                       double taken, double *to)
{
    const sp_chain *c = s->chain;
    for (int32_t j = 0; j < c->n_states; j++) {
        const int32_t now = c->state_class[j];
        double greatest = -INFINITY, sum = 0;
        for (int way = 0; way < 2; way++)
            for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++) {
                const double x = from[c->pred[p]] + c->pred_weight[p];
                if (x == -INFINITY || !s->reads(s->arg, type, pair, c->state_class[c->pred[p]], now))
                    continue;
                if (way == 0)
                    greatest = x > greatest ? x : greatest;
                else
                    sum += exp(x - greatest);
            }
        to[j] = greatest > -INFINITY ? greatest + log(sum) + e[now] - taken : -INFINITY;
    }
}

/* The states of a row whose class may stand beside the side of the recording or of a gap. */
static void keep_beside(const spans *s, int32_t type, sp_span_pair pair, const double *from, double *to)
{
    for (int32_t j = 0; j < s->chain->n_states; j++) {
        const int32_t k = s->chain->state_class[j];
        const bool is_first = pair == SP_SPAN_BEGINS;
        to[j] = s->reads(s->arg, type, pair, is_first ? -1 : k, is_first ? k : -1) ? from[j] : -INFINITY;
    }
}

/* What step t, of rows a before and now, adds to span i; true when the span is done. */
static bool follow(spans *s, int64_t i, int64_t t, const double *before, const double *now, const double *e,
                   double taken)
{
    const sp_span_place *span = &s->list[i];
    const size_t M = (size_t)s->chain->n_states;
    const bool is_begun = t > span->first, is_after = t > span->last;
    if (t < span->first)
        return false;
    if (is_begun)
        step_along(s, span->type, is_after ? SP_SPAN_ENDS : SP_SPAN_GOES_ON, s->q, e, taken, s->next);
    else if (sp_scores_reach(s->scores, t) == SP_REACH_NEXT)
        step_along(s, span->type, SP_SPAN_BEGINS, before, e, taken, s->next);
    else
        keep_beside(s, span->type, SP_SPAN_BEGINS, now, s->next);
    memcpy(s->q, s->next, M * sizeof *s->q);
    if (t != row_of(s, i))
        return false;
    if (!is_after)
        keep_beside(s, span->type, SP_SPAN_ENDS, s->next, s->q);
    memcpy(s->own + (size_t)i * M, s->q, M * sizeof *s->q);
    memcpy(s->all + (size_t)i * M, now, M * sizeof *now);
    return true;
}

/* False when some step is not reached. rows [2,M] is room. */
static bool go_forward(spans *s, const sp_sum_steps *f, double *rows)
{
    const size_t M = (size_t)s->chain->n_states;
    const double *last = NULL;
    int64_t i = 0;
    for (int64_t t = 0; t < s->scores->n_steps; t++) {
        double *to = rows + (size_t)(t % 2) * M;
        const double taken = sp_sum_forward(f, sp_scores_reach(s->scores, t), t, last, to);
        if (taken == -INFINITY)
            return false;
        const double *e = sp_row(s->scores, t, f->row);
        while (i < s->n && follow(s, i, t, last, to, e, taken))
            i++; /* the next one may begin where this one was seen to end */
        last = to;
    }
    for (size_t j = 0; last && j < M; j++) /* there is a last row, since spans are of steps */
        f->ahead[j] = last[j] + s->chain->end[j];
    return sp_logsumexp(f->ahead, s->chain->n_states) > -INFINITY;
}

static double weight_of(const sp_sum_steps *f, const double *row, double greatest)
{
    double sum = 0;
    for (int32_t j = 0; j < f->chain->n_states; j++)
        sum += exp(row[j] + f->back[j] - greatest);
    return sum;
}

static double posterior_of(const spans *s, const sp_sum_steps *f, int64_t i)
{
    const size_t M = (size_t)s->chain->n_states;
    const double *all = s->all + (size_t)i * M;
    double greatest = -INFINITY;
    for (size_t j = 0; j < M; j++)
        greatest = all[j] + f->back[j] > greatest ? all[j] + f->back[j] : greatest;
    const double share = weight_of(f, s->own + (size_t)i * M, greatest) / weight_of(f, all, greatest);
    return share < 1 ? share : 1; /* sums of other orders differ in the last place */
}

static void go_backward(const spans *s, const sp_sum_steps *f, double *posteriors)
{
    int64_t i = s->n;
    memcpy(f->back, s->chain->end, (size_t)s->chain->n_states * sizeof *f->back);
    sp_take_greatest(f->back, s->chain->n_states);
    for (int64_t t = s->scores->n_steps - 1; i > 0; t--) {
        for (; i > 0 && row_of(s, i - 1) == t; i--)
            posteriors[i - 1] = posterior_of(s, f, i - 1);
        if (i > 0)
            sp_sum_backward(f, sp_scores_is_gap(s->scores, t), t);
    }
}

sp_status sp_span_posteriors(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                             sp_span_reads *reads, const void *arg, int64_t n, const sp_span_place *list,
                             double *posteriors, sp_error *err)
{
    const size_t M = (size_t)chain->n_states;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    spans s = {.chain = chain, .scores = scores, .reads = reads, .arg = arg, .n = n, .list = list};
    sp_sum_steps f;
    sp_status status = SP_OK;
    TRY(sp_decode_check(chain, scores, err));
    if (n == 0)
        goto done;
    double *room =
        (size_t)n < SIZE_MAX / M / 4 ? sp_scratch_get(scratch, (2 * (size_t)n + 4) * M, sizeof *room) : NULL;
    TRY(room && sp_sum_steps_init(&f, chain, scores, scratch) ? SP_OK : sp_no_memory(err));
    s.all = room + 4 * M;
    s.own = s.all + (size_t)n * M;
    s.q = room + 2 * M;
    s.next = room + 3 * M;
    TRY(go_forward(&s, &f, room) ? SP_OK : sp_decode_no_path(chain, scores, scratch, err));
    go_backward(&s, &f, posteriors);
done:
    sp_scratch_release(scratch, mark);
    return status;
}
