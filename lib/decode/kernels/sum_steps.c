/* The steps of forward-backward.
 *
 * The inner sum costs one multiplication a transition, not one exponential: with p[i] = exp(a[i]), greatest 1, and
 * W[i,j] = exp(w[i,j] - greatest w),  log sum_i exp(a[i] + w[i,j]) = log sum_i p[i] W[i,j] + greatest w.  Terms that underflow
 * are below 1e-307, so the sum is as good as exact while it is above 1e-280. Below that (a state reached only from far behind the
 * best, or not at all) it is done again in logs.
 */
#include "decode/kernels/sum_steps.h"
#include "core/logmath.h"

#include <math.h>

static const double tiny = 1e-280;

void sp_total_add(sp_total *s, double x)
{
    double sum = s->sum + x;
    s->lost += fabs(s->sum) >= fabs(x) ? (s->sum - sum) + x : (x - sum) + s->sum;
    s->sum = sum;
}

/* x [n] less `by` as exponentials; *least: the least finite log. */
static void exponentials_of_weights(const double *x, int64_t n, double by, double *to, double *least)
{
    for (int64_t i = 0; i < n; i++) {
        const double below = x[i] - by;
        if (below > -INFINITY && below < *least)
            *least = below;
        to[i] = exp(below);
    }
}

/* log sum over the neighbours of state s of exp(x + weight), in logs. */
static double sum_in_logs(const sp_sum_side *d, int32_t s, const double *x)
{
    double greatest = -INFINITY, sum = 0;
    for (int64_t n = d->row[s]; n < d->row[s + 1]; n++)
        if (x[d->other[n]] + d->weight[n] > greatest)
            greatest = x[d->other[n]] + d->weight[n];
    if (greatest == -INFINITY)
        return -INFINITY;
    for (int64_t n = d->row[s]; n < d->row[s + 1]; n++)
        sum += exp(x[d->other[n]] + d->weight[n] - greatest);
    return greatest + log(sum);
}

/* The same for every state: out[s]. x [M] has greatest value 0; linear [M] is room for its exponentials. */
static void sum_over_neighbours(const sp_sum_side *d, int32_t n_states, const double *x, double *linear,
                                double *out)
{
    for (int32_t i = 0; i < n_states; i++)
        linear[i] = exp(x[i]);
    for (int32_t s = 0; s < n_states; s++) {
        double sum = 0;
        if (d->linear)
            for (int64_t n = d->row[s]; n < d->row[s + 1]; n++)
                sum += linear[d->other[n]] * d->linear[n];
        else
            for (int64_t n = d->row[s]; n < d->row[s + 1]; n++)
                sum += linear[d->other[n]];
        out[s] = sum > tiny ? log(sum) + d->greatest : sum_in_logs(d, s, x);
    }
}

/* ---- the same by rows of runs ---- */

static void exponentials(const double *x, int32_t n, double *linear)
{
    for (int32_t i = 0; i < n; i++)
        linear[i] = x[i] > -INFINITY ? exp(x[i]) : 0; /* most of a row is dead at first */
}

/* The last state of a row has itself before it, too. */
static void add_stay(const double *x, int32_t last, double longer, double *out)
{
    out[last] = sp_logaddexp(out[last], x[last] + longer);
}

/* out[j] = log of the sum over what leads to j. A state inside a row has one or two before it. */
static void runs_forward(const sp_sum_steps *f, const double *x, double *out)
{
    const sp_run_sums *r = &f->runs;
    const sp_run_graph *g = r->graph;
    const int32_t M = f->chain->n_states;
    exponentials(x, M, f->linear);
    for (int32_t i = 0; i < M; i++)
        r->out[i] = 0;
    for (int32_t i = 0; i < M; i++)
        r->out[r->source[i]] += f->linear[i] * r->leave[i];
    for (int32_t j = 0; j < M; j++) {
        if (j > 0 && r->source[j - 1] == r->source[j] && g->go_on[j - 1] > -INFINITY) { /* inside a row */
            out[j] = x[j - 1] + g->go_on[j - 1];
            continue;
        }
        double sum = f->linear[j] * r->stay[j];
        for (int64_t p = g->pred_row[j]; p < g->pred_row[j + 1]; p++)
            sum += r->out[g->pred[p]] * r->weight[p];
        out[j] = sum > tiny ? log(sum) + r->greatest : sum_in_logs(&f->pred, j, x);
    }
    for (int32_t n = 0; n < g->n_rows; n++) {
        const sp_run_row *row = &g->rows[n];
        if (row->longer > -INFINITY && row->n_whole > 1)
            add_stay(x, row->whole + row->n_whole - 1, row->longer, out);
        if (row->longer > -INFINITY && row->n_cut > 1)
            add_stay(x, row->cut + row->n_cut - 1, row->longer, out);
    }
}

static void runs_backward(const sp_sum_steps *f, const double *x, double *out)
{
    const sp_run_sums *r = &f->runs;
    const sp_run_graph *g = r->graph;
    const int32_t M = f->chain->n_states;
    exponentials(x, M, f->linear);
    for (int32_t i = 0; i < M; i++)
        r->out[i] = 0;
    for (int32_t j = 0; j < M; j++)
        for (int64_t p = g->pred_row[j]; p < g->pred_row[j + 1]; p++)
            r->out[g->pred[p]] += f->linear[j] * r->weight[p];
    for (int32_t i = 0; i < M; i++) {
        const double next = i + 1 < M ? f->linear[i + 1] * r->go_on[i] : 0;
        out[i] = r->out[r->source[i]] * r->leave[i] + next + f->linear[i] * r->stay[i];
    }
    for (int32_t i = 0; i < M; i++)
        f->linear[i] = out[i]; /* which of them are too small */
    sp_logs(out, M);
    for (int32_t i = 0; i < M; i++)
        out[i] = f->linear[i] > tiny ? out[i] + r->greatest : sum_in_logs(&f->succ, i, x);
}

/* Numbers that the rows of runs are left, gone along and entered by. */
static void runs_prepare(sp_sum_steps *f, const sp_step_room *room)
{
    const sp_chain *c = f->chain;
    const sp_run_graph *g = c->runs;
    const size_t M = (size_t)c->n_states;
    sp_run_sums *r = &f->runs;
    *r = (sp_run_sums){.graph = g,
                       .leave = room->runs,
                       .go_on = room->runs + M,
                       .stay = room->runs + 2 * M,
                       .out = room->runs + 3 * M,
                       .weight = room->runs + 4 * M,
                       .source = room->source};
    for (size_t i = 0; i < M; i++) { /* logs at first */
        r->source[i] = (int32_t)i;
        r->leave[i] = 0;
        r->go_on[i] = r->stay[i] = -INFINITY;
    }
    for (int32_t n = 0; n < g->n_rows; n++) {
        const sp_run_row *row = &g->rows[n];
        for (int32_t p = 0; p < row->n_whole + row->n_cut; p++) {
            const bool is_cut = p >= row->n_whole;
            const int32_t i = is_cut ? row->cut + p - row->n_whole : row->whole + p;
            r->source[i] = row->whole;
            r->leave[i] = is_cut ? row->leave_cut : g->leave[i];
            r->go_on[i] = g->go_on[i];
        }
        r->stay[row->whole + row->n_whole - 1] = row->longer;
        if (row->n_cut > 0)
            r->stay[row->cut + row->n_cut - 1] = row->longer;
    }
    const int64_t n_edges = g->pred_row[M];
    const double edge = n_edges > 0 ? sp_greatest(g->pred_weight, n_edges) : 0;
    const double leave = sp_greatest(r->leave, (int64_t)M),
                 inside = sp_greatest(r->go_on, 2 * (int64_t)M); /* go_on, then stay */
    r->greatest = fmax(edge + leave, inside);
    exponentials_of_weights(r->leave, (int64_t)M, r->greatest - edge, r->leave, &r->least);
    exponentials_of_weights(r->go_on, 2 * (int64_t)M, r->greatest, r->go_on, &r->least);
    exponentials_of_weights(g->pred_weight, n_edges, edge, r->weight, &r->least);
}

/* ---- a step ---- */

/* The transitions across a gap, of chains that have some. */
static sp_sum_side across(const sp_chain *c, bool is_backward)
{
    return is_backward ? (sp_sum_side){.row = c->succ_row, .other = c->succ, .weight = c->succ_weight}
                       : (sp_sum_side){.row = c->pred_row, .other = c->pred, .weight = c->pred_weight};
}

static void sum_across(const sp_sum_side *d, int32_t n_states, const double *x, double *out)
{
    for (int32_t s = 0; s < n_states; s++)
        out[s] = sum_in_logs(d, s, x);
}

double sp_weigh_states(const double *forward, int64_t n, const int32_t *states, const double *weight,
                       double *p)
{
    double greatest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        p[i] = forward[states ? states[i] : i] + (weight ? weight[i] : 0);
        greatest = p[i] > greatest ? p[i] : greatest;
    }
    for (int64_t i = 0; i < n; i++)
        sum += p[i] = greatest > -INFINITY ? exp(p[i] - greatest) : 0;
    return sum;
}

double sp_sum_forward(const sp_sum_steps *f, sp_reach how, int64_t t, const double *from, double *to)
{
    const sp_chain *c = f->chain;
    if (how == SP_REACH_START) {
        for (int32_t j = 0; j < c->n_states; j++)
            to[j] = c->start[j];
    } else if (how == SP_REACH_ENTRY && c->across) {
        const sp_sum_side side = across(c->across, false);
        sum_across(&side, c->n_states, from, to);
    } else if (how == SP_REACH_ENTRY) {
        for (int32_t i = 0; i < c->n_states; i++)
            f->linear[i] = from[i] + sp_chain_leave(c, i);
        double before = sp_logsumexp(f->linear, c->n_states);
        for (int32_t j = 0; j < c->n_states; j++)
            to[j] = c->entry[j] ? before : -INFINITY;
    } else if (f->runs.graph) {
        runs_forward(f, from, to);
    } else {
        sum_over_neighbours(&f->pred, c->n_states, from, f->linear, to);
    }
    const double *e = sp_row(f->scores, t, f->row);
    for (int32_t j = 0; j < c->n_states; j++)
        to[j] += e[c->state_class[j]];
    return sp_take_greatest(to, c->n_states);
}

void sp_sum_backward(const sp_sum_steps *f, bool is_gap, int64_t t)
{
    const sp_chain *c = f->chain;
    if (is_gap && !c->across) { /* what follows does not depend on the state before: a constant, taken out */
        for (int32_t i = 0; i < c->n_states; i++)
            f->back[i] = sp_chain_leave(c, i);
        sp_take_greatest(f->back, c->n_states);
        return;
    }
    const double *e = sp_row(f->scores, t, f->row);
    for (int32_t j = 0; j < c->n_states; j++)
        f->ahead[j] = e[c->state_class[j]] + f->back[j];
    sp_take_greatest(f->ahead, c->n_states);
    if (is_gap) {
        const sp_sum_side side = across(c->across, true);
        sum_across(&side, c->n_states, f->ahead, f->back);
    } else if (f->runs.graph)
        runs_backward(f, f->ahead, f->back);
    else
        sum_over_neighbours(&f->succ, c->n_states, f->ahead, f->linear, f->back);
    sp_take_greatest(f->back, c->n_states);
}

void sp_sum_hand_out(const sp_sum_steps *f, const sp_marginal_sink *sink, int64_t t, const double *forward)
{
    const sp_chain *c = f->chain;
    double *joint = f->ahead, sum = 0;
    for (int32_t j = 0; j < c->n_states; j++)
        joint[j] = forward[j] + f->back[j];
    sp_take_greatest(joint, c->n_states);
    for (int32_t k = 0; k < c->n_classes; k++) {
        f->sums[k] = 0;
        for (int32_t j = c->class_first[k]; j < c->class_first[k + 1]; j++)
            f->sums[k] += exp(joint[j]);
        sum += f->sums[k];
    }
    for (int32_t k = 0; k < c->n_classes; k++) {
        if (sink->wants_log) {
            int32_t first = c->class_first[k];
            double log_class = f->sums[k] > tiny ? log(f->sums[k])
                                                 : sp_logsumexp(joint + first, c->class_first[k + 1] - first);
            f->logs[k] = log_class - log(sum);
        }
        f->sums[k] /= sum;
    }
    sink->row(sink->arg, t, f->sums, sink->wants_log ? f->logs : NULL);
}

/* Fills linear[n] = exp(weight[n] - greatest) and points d to it; leaves NULL where every weight is 0. */
static void side_prepare(sp_sum_side *d, int64_t n_edges, double *linear)
{
    bool all_zero = true;
    for (int64_t n = 0; n < n_edges && all_zero; n++)
        all_zero = d->weight[n] == 0;
    if (all_zero)
        return;
    d->greatest = sp_greatest(d->weight, n_edges);
    exponentials_of_weights(d->weight, n_edges, d->greatest, linear, &d->least);
    d->linear = linear;
}

bool sp_sum_steps_reserve(sp_step_room *room, const sp_chain *chain, const sp_scores *scores,
                          sp_scratch *scratch)
{
    size_t n_states = (size_t)chain->n_states, n_classes = (size_t)chain->n_classes;
    size_t n_edges = (size_t)chain->pred_row[chain->n_states];
    room->row = sp_row_buffer(scores, scratch);
    room->linear = sp_scratch_get(scratch, chain->is_boolean ? 0 : 2 * n_edges, sizeof *room->linear);
    room->step = sp_scratch_get(scratch, 3 * n_states + 2 * n_classes, sizeof *room->step);
    const size_t n_entries = chain->runs ? (size_t)chain->runs->pred_row[n_states] : 0;
    room->runs = sp_scratch_get(scratch, chain->runs ? 4 * n_states + n_entries : 0, sizeof *room->runs);
    room->source = sp_scratch_get(scratch, chain->runs ? n_states : 0, sizeof *room->source);
    return room->row && room->linear && room->step && room->runs && room->source;
}

bool sp_sum_steps_init(sp_sum_steps *f, const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch)
{
    size_t n_states = (size_t)chain->n_states, n_classes = (size_t)chain->n_classes;
    int64_t n_edges = chain->pred_row[chain->n_states];
    sp_step_room room;
    if (!sp_sum_steps_reserve(&room, chain, scores, scratch))
        return false;
    *f = (sp_sum_steps){.chain = chain,
                        .scores = scores,
                        .pred = {.row = chain->pred_row, .other = chain->pred, .weight = chain->pred_weight},
                        .succ = {.row = chain->succ_row, .other = chain->succ, .weight = chain->succ_weight},
                        .row = room.row};
    if (!chain->is_boolean) {
        side_prepare(&f->pred, n_edges, room.linear);
        side_prepare(&f->succ, n_edges, room.linear + n_edges);
    }
    f->linear = room.step;
    f->ahead = room.step + n_states;
    f->back = room.step + 2 * n_states;
    f->sums = room.step + 3 * n_states;
    f->logs = f->sums + n_classes;
    if (chain->runs)
        runs_prepare(f, &room);
    return true;
}
