/* Forward-backward for learning, in logs.
 *
 *     a[0,k,i] = start[k] + x[0,k]  at the position where a run begins,   x[t,k] = sum_c scale[c] e_c[t,k] + bias[k]
 *     out[t,k] = log sum over i >= dwell[k]-1 of exp(a[t,k,i])
 *     a[t,k,0] = log sum_j exp(out[t-1,j] + exit[j,k]) + x[t,k]
 *     a[t,k,i+1] = a[t-1,k,i] + stay[k,i] + x[t,k]                   (the last position also stays where it is)
 *
 *     r[t,k,i] = x[t,k] + b[t,k,i]
 *     in[t,k] = log sum_j exp(exit[k,j] + r[t+1,j,0])
 *     b[t,k,i] = log( [i >= dwell[k]-1] exp(in[t,k]) + exp(stay[k,i] + r[t+1,k,i+1]) ),   b[T-1] = end
 *
 * Each row has its greatest value taken out, so nothing over- or underflows however long a stretch is. The sums over classes are
 * matrix products of exponentials; where such a sum underflows (a class far behind the best) it is done again in logs, as in
 * decode/forward_backward.c. For D = 1 staying stands on the diagonal of the matrix, and positions cost nothing.
 */
#include <math.h>

#include "core/logmath.h"
#include "learn/crf/crf_pass.h"

static const double tiny = 1e-280, huge = 1e280;

/* exp of what is less than this beside a sum that is at least 1 is lost in its rounding, even 10,000 times (sp_exps(), too). */
static const double lost = -60;

typedef struct pass {
    const sp_factors *f;
    const double *e; /* [S,K] */
    const sp_stretch *stretch;
    int32_t K, D;
    double *x;   /* [T,K] */
    double *a;   /* [T,K,D] */
    double *out; /* [T,K] */
    double *b;   /* [K,D] of the current step */
    double *r;   /* [K,D] of the step after */
    double *in;  /* [K] */
    double *p;   /* [K] exponentials */
    double *q;   /* [K] exponentials of r[.,0] */
    double *s;   /* [K,D] room */
} pass;

/* The position of class k that stays where it is. Those after it, if any, are never reached. */
static int32_t last_of(const pass *s, int32_t k)
{
    return s->f->is_even ? s->f->dwell[k] - 1 : s->D - 1;
}

/* exp(x) for a sum that holds exp(0) too. */
static double share_of(double x)
{
    return x < lost ? 0 : exp(x);
}

/* log sum_j exp(x[j] + weight[k,j]) */
static double log_product(const sp_factors *f, bool is_turned, const double *x, size_t k)
{
    const size_t K = (size_t)f->n_classes;
    double best = -INFINITY, sum = 0;
    for (size_t j = 0; j < K; j++) {
        const double v = x[j] + f->move[is_turned ? j * K + k : k * K + j];
        best = v > best ? v : best;
    }
    for (size_t j = 0; j < K && best > -INFINITY; j++)
        sum += exp(x[j] + f->move[is_turned ? j * K + k : k * K + j] - best);
    return best > -INFINITY ? best + log(sum) : best;
}

/* out[k] = log sum_j exp(x[j] + weight[k,j]); matrix [K,K] = exp(weight - greatest), p [K] = exp(x - shift). is_turned:
 * matrix is the transpose of what f->move holds. */
static void product(const sp_factors *f, const double *matrix, bool is_turned, const double *x,
                    const double *p, double shift, double *out)
{
    const size_t K = (size_t)f->n_classes;
    bool is_low = false;
    for (size_t k = 0; k < K; k++) {
        double sum = 0;
        for (size_t j = 0; j < K; j++)
            sum += matrix[k * K + j] * p[j];
        is_low |= sum <= tiny;
        out[k] = sum;
    }
    if (!is_low)
        sp_logs(out, (int64_t)K);
    for (size_t k = 0; k < K; k++)
        if (!is_low)
            out[k] += f->greatest + shift;
        else
            out[k] = out[k] > tiny ? log(out[k]) + f->greatest + shift : log_product(f, is_turned, x, k);
}

/* exp(x - greatest) into p; returns the greatest (0 when nothing is finite). */
static double exponentials(const double *x, int32_t n, double *p)
{
    double greatest = sp_greatest(x, n);
    greatest = greatest > -INFINITY ? greatest : 0;
    for (int32_t k = 0; k < n; k++)
        p[k] = exp(x[k] - greatest); /* all of it: where a weight is small, what is far behind counts, too */
    return greatest;
}

static void collect_out(const pass *s, const double *a, double *out)
{
    for (int32_t k = 0; k < s->K; k++) {
        int32_t first = s->f->dwell[k] - 1, last = last_of(s, k);
        out[k] = first == last ? a[(size_t)k * (size_t)s->D + (size_t)last]
                               : sp_logsumexp(a + (size_t)k * (size_t)s->D + first, last + 1 - first);
    }
}

/* Returns log Z, -INFINITY when no path survives. */
static double forward(const pass *s)
{
    int64_t T = s->stretch->n_steps;
    int32_t K = s->K, D = s->D;
    double log_z = 0;
    const double *e = s->e + s->stretch->first * K;
    for (int64_t i = 0; i < T * K; i++)
        s->x[i] = s->f->scale * e[i] + s->f->bias[i % K];
    for (int64_t t = 0; t < T; t++) {
        double *a = s->a + t * K * D;
        if (t == 0) {
            for (int32_t i = 0; i < K * D; i++)
                a[i] = -INFINITY;
            for (int32_t k = 0; k < K; k++)
                a[k * D + (s->stretch->is_entry ? 0 : s->f->dwell[k] - 1)] =
                    s->stretch->is_start ? s->f->start[k] : 0;
        } else {
            const double *before = a - (size_t)K * (size_t)D, *out = s->out + (t - 1) * K;
            double shift = exponentials(out, K, s->p);
            product(s->f, s->f->turned, true, out, s->p, shift, s->in);
            for (int32_t k = 0; k < K; k++) {
                double *to = a + (size_t)k * (size_t)D;
                int32_t last = last_of(s, k);
                to[0] = s->in[k];
                if (D == 1)
                    continue;
                const double *from = before + (size_t)k * (size_t)D,
                             *stay = s->f->stay + (size_t)k * (size_t)D;
                for (int32_t i = 0; i < last; i++)
                    to[i + 1] = from[i] + stay[i];
                for (int32_t i = last + 1; i < D; i++)
                    to[i] = -INFINITY;
                to[last] = sp_logaddexp(to[last], from[last] + stay[last]);
            }
        }
        const double *x = s->x + t * K;
        for (int32_t k = 0; k < K; k++)
            for (int32_t i = 0; i <= last_of(s, k); i++)
                a[k * D + i] += x[k];
        double greatest = sp_take_greatest(a, (int64_t)K * D);
        if (!(greatest > -INFINITY))
            return -INFINITY;
        log_z += greatest;
        collect_out(s, a, s->out + t * K);
    }
    return log_z;
}

/* b of the last step. */
static void backward_end(const pass *s)
{
    for (int32_t k = 0; k < s->K; k++)
        for (int32_t i = 0; i < s->D; i++) {
            bool is_too_short = s->stretch->is_end && s->f->dwell_at_end && i < s->f->dwell[k] - 1;
            s->b[k * s->D + i] = is_too_short || i > last_of(s, k) ? -INFINITY
                                 : s->stretch->is_end              ? s->f->end[k]
                                                                   : 0;
        }
}

/* Adds the marginals of step t. */
static void add_marginals(const pass *s, int64_t t, sp_expected *sum)
{
    int32_t K = s->K, D = s->D;
    const double *a = s->a + t * K * D;
    double total = 0;
    for (int32_t i = 0; i < K * D; i++)
        s->s[i] = a[i] + s->b[i];
    sp_take_greatest(s->s, (int64_t)K * D);
    sp_exps(s->s, (int64_t)K * D);
    for (int32_t k = 0; k < K; k++) {
        double mass = 0;
        for (int32_t i = k * D; i <= k * D + last_of(s, k); i++)
            mass += s->s[i];
        s->p[k] = mass;
        total += mass;
    }
    for (int32_t k = 0; k < K; k++) {
        double share = s->p[k] / total;
        sum->bias[k] += share;
        if (share > 0)
            *sum->scale += share * s->e[(s->stretch->first + t) * K + k];
        if (t == 0 && s->stretch->is_start)
            sum->start[k] += share;
        if (t == s->stretch->n_steps - 1 && s->stretch->is_end)
            sum->end[k] += share;
    }
}

/* Adds the expected moves from step t-1 to step t; r, in, q, p are set, `shift` is what q has had taken out. */
static void add_moves(const pass *s, int64_t t, double shift, sp_expected *sum)
{
    int32_t K = s->K, D = s->D;
    const double *a = s->a + (t - 1) * K * D, *out = s->out + (t - 1) * K;
    double greatest = -INFINITY, total = 0;
    for (int32_t k = 0; k < K; k++)
        greatest = out[k] + s->in[k] > greatest ? out[k] + s->in[k] : greatest;
    for (int32_t k = 0; D > 1 && k < K; k++) {
        int32_t last = last_of(s, k);
        for (int32_t i = 0; i <= last; i++) {
            double v = a[k * D + i] + s->f->stay[k * D + i] + s->r[k * D + (i < last ? i + 1 : i)];
            s->s[k * D + i] = v;
            greatest = v > greatest ? v : greatest;
        }
        for (int32_t i = last + 1; i < D; i++)
            s->s[k * D + i] = -INFINITY;
    }
    for (int32_t k = 0; k < K; k++)
        total += share_of(out[k] + s->in[k] - greatest);
    for (int32_t i = 0; D > 1 && i < K * D; i++)
        s->s[i] -= greatest;
    if (D > 1)
        sp_exps(s->s, (int64_t)K * D);
    for (int32_t i = 0; D > 1 && i < K * D; i++)
        total += s->s[i];
    for (int32_t k = 0; D > 1 && k < K; k++)
        for (int32_t i = k * D; i <= k * D + last_of(s, k); i++)
            sum->stay[i] += s->s[i] / total;
    double norm = greatest + log(total), high = exponentials(out, K, s->p);
    double factor = exp(high + s->f->greatest + shift - norm);
    for (int32_t i = 0; i < K; i++) {
        double *row = sum->exit + (size_t)i * (size_t)K;
        const double *w = s->f->linear + (size_t)i * (size_t)K, *move = s->f->move + (size_t)i * (size_t)K;
        if (factor < huge) {
            double left = s->p[i] * factor;
            for (int32_t j = 0; j < K; j++)
                row[j] += left * w[j] * s->q[j];
        } else {
            for (int32_t j = 0; j < K; j++)
                row[j] += exp(out[i] + move[j] + s->r[(size_t)j * (size_t)D] - norm);
        }
    }
}

static void backward(const pass *s, sp_expected *sum)
{
    int32_t K = s->K, D = s->D;
    backward_end(s);
    for (int64_t t = s->stretch->n_steps - 1;; t--) {
        add_marginals(s, t, sum);
        if (t == 0)
            return;
        const double *x = s->x + t * K;
        for (int32_t k = 0; k < K; k++)
            for (int32_t i = 0; i < D; i++)
                s->r[k * D + i] = x[k] + s->b[k * D + i];
        sp_take_greatest(s->r, (int64_t)K * D);
        double *first = s->s; /* r[.,0] */
        for (int32_t k = 0; k < K; k++)
            first[k] = s->r[(size_t)k * (size_t)D];
        double shift = exponentials(first, K, s->q);
        product(s->f, s->f->linear, false, first, s->q, shift, s->in);
        add_moves(s, t, shift, sum);
        for (int32_t k = 0; k < K; k++) {
            int32_t last = last_of(s, k);
            for (int32_t i = 0; i <= last; i++) {
                double leave = i >= s->f->dwell[k] - 1 ? s->in[k] : -INFINITY;
                s->b[k * D + i] =
                    D == 1
                        ? leave
                        : sp_logaddexp(leave, s->f->stay[k * D + i] + s->r[k * D + (i < last ? i + 1 : i)]);
            }
        }
        sp_take_greatest(s->b, (int64_t)K * D);
    }
}

static bool pass_over(const sp_factors *factors, const double *e, const sp_stretch *stretch,
                      bool wants_counts, sp_scratch *scratch, sp_expected *sum)
{
    size_t K = (size_t)factors->n_classes, D = (size_t)factors->n_positions, T = (size_t)stretch->n_steps;
    if (T > SIZE_MAX / sizeof(double) / (K * D))
        return false;
    pass s = {.f = factors, .e = e, .stretch = stretch, .K = factors->n_classes, .D = factors->n_positions};
    s.x = sp_scratch_get(scratch, T * K, sizeof(double));
    s.a = sp_scratch_get(scratch, T * K * D, sizeof(double));
    s.out = sp_scratch_get(scratch, T * K, sizeof(double));
    double *rows = sp_scratch_get(scratch, 3 * K * D + 3 * K, sizeof(double));
    if (!s.x || !s.a || !s.out || !rows)
        return false;
    s.b = rows;
    s.r = s.b + K * D;
    s.s = s.r + K * D;
    s.in = s.s + K * D;
    s.p = s.in + K;
    s.q = s.p + K;
    double log_z = forward(&s);
    if (log_z > -INFINITY) {
        backward_end(&s);
        const double *last = s.a + (T - 1) * K * D;
        for (size_t i = 0; i < K * D; i++)
            s.s[i] = last[i] + s.b[i];
        log_z += sp_logsumexp(s.s, (int64_t)(K * D));
    }
    *sum->log_z += log_z;
    if (wants_counts && log_z > -INFINITY) {
        backward(&s, sum);
        for (size_t k = 0; D == 1 && k < K; k++) { /* staying was counted on the diagonal */
            sum->stay[k] += sum->exit[k * K + k];
            sum->exit[k * K + k] = 0;
        }
    }
    return true;
}

bool sp_crf_pass(const sp_factors *factors, const double *e, const sp_stretch *stretch, bool wants_counts,
                 sp_scratch *scratch, sp_expected *sum)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    bool has_room = pass_over(factors, e, stretch, wants_counts, scratch, sum);
    sp_scratch_release(scratch, mark);
    return has_room;
}
