/* Steps that are worth a look: by how much knowing the class of a step makes the others surer. The posterior is a Markov chain: with
 * a[t,i] of forward_backward.c, and the last step first as in draws.c,
 *
 *     p(s[t] = i, s[t+1] = j)  =  p(s[t+1] = j) exp(a[t,i] + w[i,j]) / sum over i' of exp(a[t,i'] + w[i',j])
 *     p(s[t] = i)              =  sum over j of that
 *
 * These are kept for the whole recording. What a class at step t says of the steps after it spreads by p(s[u+1] | s[u]), of those
 * before it by p(s[u] | s[u+1]), as far as it says anything; gaps stop it. Confirming a step changes the pairs as far as it spreads,
 * and so what its neighbours are worth, which is computed anew.
 */
#include <math.h>

#include "core/try.h"
#include "decode/kernels/sum_steps.h"
#include "statepath/advanced.h"

/* What is known of a step is followed until all that it says of another is less than this, in probability. */
#define LITTLE 1e-6

/* What leads into a step: nothing that says anything of it, as at the first step and after most gaps; the chain's transitions; those of
 * a chain across gaps. */
enum link { ALONE, WITHIN, ACROSS };

typedef struct review {
    const sp_sum_steps *f;
    int64_t n_steps;
    int32_t n_states, n_classes;
    int64_t most_pairs;  /* transitions into a step, at most */
    uint8_t *link;       /* [T] a number of enum link */
    double *state;       /* [T,M] probabilities */
    double *pair;        /* [T,most_pairs] of each transition into a step */
    double *gain;        /* [T] */
    int32_t *first;      /* [T] likeliest class before anything was confirmed */
    double *probability; /* [T] of it */
    int64_t *winner;     /* [2 n_leaves] tree of steps: each inner node has the better child */
    int64_t n_leaves;
    /* Of the step looked at, the classes c that it may have, n_asked of them: */
    size_t n_asked;
    int32_t *place;       /* [K] of each class among them, -1: it is none */
    double *share;        /* [n_asked] p(c) */
    double rest;          /* p(another one), which is taken to say nothing */
    double *known, *next; /* [M,n_asked] p(c, s[u] = i) */
    double *ratio;        /* [M,n_asked] room */
    double *classes;      /* [K,K] room */
} review;

/* ---- the posterior chain ---- */

static double *state_of(const review *r, int64_t t)
{
    return r->state + t * r->n_states;
}

/* Whose transitions lead into a step; NULL: nothing before says anything of it. */
static const sp_chain *into_of(const review *r, int64_t t)
{
    const sp_chain *chain = r->f->chain;
    return r->link[t] == ALONE ? NULL : r->link[t] == WITHIN ? chain : chain->across;
}

static double *pair_of(const review *r, int64_t t)
{
    return r->pair + t * r->most_pairs;
}

/* As sp_weigh_states(), `all` in total. */
static void share_out(const double *forward, int64_t n, const int32_t *states, const double *weight,
                      double all, double *p)
{
    const double sum = sp_weigh_states(forward, n, states, weight, p);
    for (int64_t i = 0; i < n && sum > 0; i++)
        p[i] *= all / sum;
}

static void keep_row(void *arg, int64_t t, const double *forward)
{
    review *r = arg;
    const sp_chain *c = r->f->chain;
    const int32_t M = r->n_states;
    const bool is_last = t + 1 == r->n_steps;
    sp_reach how = is_last ? SP_REACH_START : sp_scores_reach(r->f->scores, t + 1);
    const sp_chain *into = sp_chain_into(c, &how);
    double *now = state_of(r, t);
    if (is_last || how != SP_REACH_NEXT) {
        share_out(forward, M, NULL, is_last ? c->end : c->leave, 1, now);
        if (!is_last)
            r->link[t + 1] = ALONE;
        return;
    }
    const double *after = state_of(r, t + 1);
    double *pair = pair_of(r, t + 1);
    r->link[t + 1] = into == c ? WITHIN : ACROSS;
    for (int32_t i = 0; i < M; i++)
        now[i] = 0;
    for (int32_t j = 0; j < M; j++) {
        const int64_t row = into->pred_row[j], n = into->pred_row[j + 1] - row;
        share_out(forward, n, into->pred + row, into->pred_weight + row, after[j], pair + row);
        for (int64_t p = row; p < row + n; p++)
            now[into->pred[p]] += pair[p];
    }
}

/* The likeliest class of p[M] states. room [K] */
static double likeliest(const review *r, const double *p, double *room, int32_t *which)
{
    const int32_t *class_of = r->f->chain->state_class;
    int32_t best = 0;
    for (int32_t k = 0; k < r->n_classes; k++)
        room[k] = 0;
    for (int32_t i = 0; i < r->n_states; i++)
        room[class_of[i]] += p[i];
    for (int32_t k = 1; k < r->n_classes; k++)
        best = room[k] > room[best] ? k : best;
    if (which)
        *which = best;
    return room[best];
}

/* ---- what a step is worth ---- */

/* a / b where b is above 0, and not more than 1: the parts of a probability */
static double part(double a, double b)
{
    return b > 0 ? fmin(a / b, 1) : 0;
}

/* r->known from step u, `to` being the step after it (u + 1) or before it (u - 1), to that step. */
static void spread(review *r, int64_t u, int64_t to)
{
    const int64_t late = u < to ? to : u;
    const sp_chain *into = into_of(r, late);
    const double *pair = pair_of(r, late), *now = state_of(r, u);
    const size_t C = r->n_asked, M = (size_t)r->n_states;
    for (size_t i = 0; i < M; i++)
        for (size_t c = 0; c < C; c++)
            r->ratio[i * C + c] = part(r->known[i * C + c], now[i]);
    for (size_t i = 0; i < M * C; i++)
        r->next[i] = 0;
    for (size_t j = 0; j < M; j++)
        for (int64_t p = into->pred_row[j]; p < into->pred_row[j + 1]; p++) {
            const size_t i = (size_t)into->pred[p];
            const double *from = r->ratio + (u < to ? i : j) * C;
            double *sum = r->next + (u < to ? j : i) * C;
            for (size_t c = 0; c < C; c++)
                sum[c] += pair[p] * from[c];
        }
    double *before = r->known;
    r->known = r->next;
    r->next = before;
}

/* By how much the likeliest class of step u is likelier on average for what is known, and how much of its distribution that moves. */
static double told(const review *r, int64_t u, double *moved)
{
    const size_t C = r->n_asked, K = (size_t)r->n_classes, M = (size_t)r->n_states;
    const int32_t *class_of = r->f->chain->state_class;
    const double *now = state_of(r, u);
    double sum = (r->rest - 1) * likeliest(r, now, r->classes, NULL);
    *moved = 0;
    for (size_t i = 0; i < C * K; i++)
        r->classes[i] = 0;
    for (size_t i = 0; i < M; i++)
        for (size_t c = 0; c < C; c++) {
            const double x = r->known[i * C + c];
            r->classes[c * K + (size_t)class_of[i]] += x;
            *moved += fabs(x - r->share[c] * now[i]) / 2;
        }
    for (size_t c = 0; c < C; c++) {
        double best = 0;
        for (size_t k = 0; k < K; k++)
            best = fmax(best, r->classes[c * K + k]);
        sum += best;
    }
    return fmax(sum, 0);
}

/* Which classes step t may have; returns the probability of the likeliest. */
static double ask(review *r, int64_t t)
{
    const double best = likeliest(r, state_of(r, t), r->share, NULL);
    size_t n = 0;
    r->rest = 1;
    for (int32_t k = 0; k < r->n_classes; k++) {
        const bool is_asked = r->share[k] > LITTLE;
        r->place[k] = is_asked ? (int32_t)n : -1;
        if (!is_asked)
            continue;
        r->rest -= r->share[k];
        r->share[n++] = r->share[k];
    }
    r->rest = fmax(r->rest, 0);
    r->n_asked = n;
    return best;
}

static void know_classes(review *r, int64_t t)
{
    const size_t C = r->n_asked, M = (size_t)r->n_states;
    const double *now = state_of(r, t);
    for (size_t i = 0; i < M * C; i++)
        r->known[i] = 0;
    for (size_t i = 0; i < M; i++) {
        const int32_t place = r->place[r->f->chain->state_class[i]];
        if (place >= 0)
            r->known[i * C + (size_t)place] = now[i];
    }
}

static double gain_of(review *r, int64_t t)
{
    double moved = 1, sum = 1 - ask(r, t);
    if (sum < LITTLE)
        return 0;
    know_classes(r, t);
    for (int64_t u = t; moved >= LITTLE && u + 1 < r->n_steps && into_of(r, u + 1); u++) {
        spread(r, u, u + 1);
        sum += told(r, u + 1, &moved);
    }
    know_classes(r, t);
    moved = 1;
    for (int64_t u = t; moved >= LITTLE && u > 0 && into_of(r, u); u--) {
        spread(r, u, u - 1);
        sum += told(r, u - 1, &moved);
    }
    return sum;
}

/* ---- the best of all steps ---- */

static int64_t better(const review *r, int64_t a, int64_t b)
{
    return b < r->n_steps && (a >= r->n_steps || r->gain[b] > r->gain[a]) ? b : a;
}

static void set_gain(review *r, int64_t t, double gain)
{
    r->gain[t] = gain;
    for (int64_t node = (r->n_leaves + t) / 2; node > 0; node /= 2)
        r->winner[node] = better(r, r->winner[2 * node], r->winner[2 * node + 1]);
}

static void look_at_all(review *r)
{
    for (int64_t t = 0; t < r->n_steps; t++) {
        r->probability[t] = likeliest(r, state_of(r, t), r->share, &r->first[t]);
        r->gain[t] = gain_of(r, t);
    }
    for (int64_t t = 0; t < r->n_leaves; t++)
        r->winner[r->n_leaves + t] = t;
    for (int64_t node = r->n_leaves - 1; node > 0; node--)
        r->winner[node] = better(r, r->winner[2 * node], r->winner[2 * node + 1]);
}

/* ---- a step is confirmed ---- */

/* The states of step u become those in known[M]; ratio [M] becomes by how much each changes. Returns how much of the distribution moves. */
static double become(const review *r, int64_t u, const double *known, double *ratio)
{
    double *now = state_of(r, u), moved = 0;
    for (int32_t i = 0; i < r->n_states; i++) {
        ratio[i] = now[i] > 0 ? known[i] / now[i] : 0;
        moved += fabs(known[i] - now[i]) / 2;
        now[i] = known[i];
    }
    return moved;
}

/* From step u on in one direction, until what follows stays as it is: pairs and states. Returns the last step that changed. */
static int64_t confirm_onwards(review *r, int64_t t, bool is_forward)
{
    double *ratio = r->ratio, *known = r->known;
    const size_t M = (size_t)r->n_states;
    double moved = 1;
    int64_t u = t;
    while (moved >= LITTLE &&
           (is_forward ? u + 1 < r->n_steps && into_of(r, u + 1) : u > 0 && into_of(r, u))) {
        const int64_t late = is_forward ? u + 1 : u;
        const sp_chain *into = into_of(r, late);
        double *pair = pair_of(r, late);
        for (size_t i = 0; i < M; i++)
            known[i] = 0;
        for (size_t j = 0; j < M; j++)
            for (int64_t p = into->pred_row[j]; p < into->pred_row[j + 1]; p++) {
                const size_t i = (size_t)into->pred[p];
                pair[p] *= ratio[is_forward ? i : j];
                known[is_forward ? j : i] += pair[p];
            }
        u += is_forward ? 1 : -1;
        moved = become(r, u, known, ratio);
    }
    return u;
}

/* As if the likeliest class of step t were its class; then the steps that this says something of are looked at again. */
static void confirm(review *r, int64_t t)
{
    int32_t c;
    const double p = likeliest(r, state_of(r, t), r->share, &c);
    const size_t M = (size_t)r->n_states;
    double *first = r->next; /* how the states of step t change, for both directions */
    for (size_t i = 0; i < M; i++)
        r->known[i] = r->f->chain->state_class[i] == c ? state_of(r, t)[i] / p : 0;
    become(r, t, r->known, first);
    for (size_t i = 0; i < M; i++)
        r->ratio[i] = first[i];
    const int64_t end = confirm_onwards(r, t, true);
    for (size_t i = 0; i < M; i++)
        r->ratio[i] = first[i];
    const int64_t start = confirm_onwards(r, t, false);
    for (int64_t u = start; u <= end; u++)
        set_gain(r, u, u == t ? 0 : gain_of(r, u));
}

/* ---- all together ---- */

static bool make_room(review *r, sp_scratch *scratch)
{
    const size_t T = (size_t)r->n_steps, M = (size_t)r->n_states, K = (size_t)r->n_classes;
    for (r->n_leaves = 1; r->n_leaves < r->n_steps;)
        r->n_leaves *= 2;
    r->link = sp_scratch_get(scratch, T, sizeof *r->link);
    r->state = sp_scratch_get(scratch, T * M, sizeof *r->state);
    r->pair = sp_scratch_get(scratch, T * (size_t)r->most_pairs, sizeof *r->pair);
    r->gain = sp_scratch_get(scratch, T, sizeof *r->gain);
    r->first = sp_scratch_get(scratch, T, sizeof *r->first);
    r->probability = sp_scratch_get(scratch, T, sizeof *r->probability);
    r->winner = sp_scratch_get(scratch, 2 * (size_t)r->n_leaves, sizeof *r->winner);
    r->known = sp_scratch_get(scratch, M * K, sizeof *r->known);
    r->next = sp_scratch_get(scratch, M * K, sizeof *r->next);
    r->ratio = sp_scratch_get(scratch, M * K, sizeof *r->ratio);
    r->classes = sp_scratch_get(scratch, K * K, sizeof *r->classes);
    r->share = sp_scratch_get(scratch, K, sizeof *r->share);
    r->place = sp_scratch_get(scratch, K, sizeof *r->place);
    if (r->link)
        r->link[0] = ALONE;
    return r->link && r->state && r->pair && r->gain && r->first && r->probability && r->winner && r->known &&
           r->next && r->ratio && r->classes && r->share && r->place;
}

sp_status sp_review(const sp_chain *chain, const sp_scores *scores, int64_t n, double least,
                    sp_scratch *scratch, sp_review_step *steps, int64_t *n_found, double *probability,
                    sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    sp_sum_steps f;
    double log_z;
    sp_status status = SP_OK;
    int64_t found = 0;
    TRY(sp_decode_check(chain, scores, err));
    const int32_t M = chain->n_states;
    const int64_t across = chain->across ? chain->across->pred_row[M] : 0;
    review r = {.f = &f,
                .n_steps = scores->n_steps,
                .n_states = M,
                .n_classes = scores->n_classes,
                .most_pairs = chain->pred_row[M] > across ? chain->pred_row[M] : across};
    if (r.n_steps == 0 || n <= 0) {
        *n_found = 0;
        goto done;
    }
    if (!make_room(&r, scratch) || !sp_sum_steps_init(&f, chain, scores, scratch)) {
        status = sp_no_memory(err);
        goto done;
    }
    const sp_forward_sink sink = {keep_row, &r, 0};
    TRY(sp_forward_rows(&f, scratch, &sink, &log_z, err));
    look_at_all(&r);
    for (int64_t t = 0; probability && t < r.n_steps; t++)
        probability[t] = r.probability[t];
    for (double gain = INFINITY; found < n; found++) {
        const int64_t t = r.winner[1];
        gain = fmin(gain, r.gain[t]);
        if (!(gain > 0) || gain < least)
            break;
        steps[found] = (sp_review_step){
            .step = t, .likeliest = r.first[t], .probability = r.probability[t], .gain = gain};
        confirm(&r, t);
    }
    *n_found = found;
done:
    sp_scratch_release(scratch, mark);
    return status;
}
