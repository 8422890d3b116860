/* Body: one recording of a random field (field.h), vectors across classes.
 *
 *     in[t,k] = log sum_j exp(a[t-1,j] + move[j,k])       a[t,k] = in[t,k] + e[t,k]          a[0] = start + e[0]
 *     r[t,k]  = e[t,k] + b[t,k]                           b[t-1,j] = log sum_k exp(move[j,k] + r[t,k])     b[T-1] = end
 *     p(y_t = k) ~ exp(a[t,k] + b[t,k])                   p(y_(t-1) = j, y_t = k) ~ exp(a[t-1,j] + move[j,k] + r[t,k])
 *
 * The gradient of f = sum along[t,k] p(y_t = k) needs what along adds up to on both sides, in expectation:
 *
 *     before[t,k] = along[t,k] + E(before[t-1,.] | y_t = k, e[..t])       after[t-1,j] = E(along[t,.] + after[t,.] | y_(t-1) = j, e[t..])
 *     by e[t,k]      p(y_t = k) (before[t,k] + after[t,k] - f)
 *     by move[j,k]   sum_t p(y_(t-1) = j, y_t = k) (before[t-1,j] + along[t,k] + after[t,k] - f)
 */
#include "decode/kernels/field.h"

/* Smaller sums of exponentials may have lost digits: each has lost what is below exp(-690). */
static const double field_tiny = 1e-280;
/* A factor of more than exp(345) goes into the moves in logs, where exp(move - greatest) might have become 0. */
static const double field_far = -345;

typedef struct field_pass {
    const sp_field_part *part;
    const sp_field *f;
    int64_t n, T;
    size_t K, R, V;   /* classes; numbers, and vectors, of a row */
    double tiny, far; /* as above, or so that everything is done in logs */
    bool has_along, keeps;
    /* Rows [T,R], of the last two steps where there is no gradient: a, its exponentials; with along: before, else NULL. */
    double *a, *left, *before;
    /* Rows [R] */
    double *x, *g, *in, *mean, *b, *r, *q, *q2, *joint, *after;
} field_pass;

SP_ALWAYS_INLINE double *field_row(const field_pass *s, double *rows, int64_t t)
{
    return !rows ? NULL : rows + (size_t)(s->keeps ? t : t & 1) * s->R;
}

SP_ALWAYS_INLINE size_t field_place(const field_pass *s, int64_t t)
{
    return (size_t)(s->f->first[s->n] + t * s->f->stride) * s->K;
}

/* K numbers of `from` at a step, as doubles. */
SP_ALWAYS_INLINE void field_load(const field_pass *s, const void *from, int64_t t, double *x)
{
    const size_t at = field_place(s, t);
    if (s->f->dtype == SP_F32)
        for (size_t k = 0; k < s->K; k++)
            x[k] = ((const float *)from)[at + k];
    else
        memcpy(x, (const double *)from + at, s->K * sizeof *x);
}

SP_ALWAYS_INLINE void field_fault(const field_pass *s, sp_field_fault_kind kind, int64_t step, int64_t class_)
{
    s->f->fault[s->n] = (sp_field_fault){.kind = (int64_t)kind, .step = step, .class_ = class_};
    s->f->value[s->n] = NAN;
}

SP_ALWAYS_INLINE double field_greatest(const field_pass *s, const double *x)
{
    vd best = spread(-INFINITY);
    for (size_t v = 0; v < s->V; v++)
        best = PICK(vd, (vi)(((const vd *)x)[v] > best), ((const vd *)x)[v], best);
    for (size_t half = LANE_W / 2; half > 0; half /= 2) /* the same in every order */
        for (size_t i = 0; i < half; i++)
            best[i] = best[i + half] > best[i] ? best[i + half] : best[i];
    return best[0];
}

/* out = exp(x - shift), 0 below exp(-690). */
SP_ALWAYS_INLINE void field_exp(const field_pass *s, const double *x, double shift, double *out)
{
    const vd least = spread(-690), none = {0}, one = nearest_power(none);
    for (size_t v = 0; v < s->V; v++) {
        const vd d = ((const vd *)x)[v] - spread(shift);
        const vi is_lost = (vi)(d < least);
        ((vd *)out)[v] = PICK(vd, is_lost, none, scaled_exp(PICK(vd, is_lost, least, d), one));
    }
}

/* The sum of a row: eight sums side by side, whatever a vector holds. */
SP_ALWAYS_INLINE double field_sum(const field_pass *s, const double *x)
{
    double sums[SP_FIELD_ROUND] = {0};
    for (size_t i = 0; i < s->R; i += SP_FIELD_ROUND)
        for (size_t j = 0; j < SP_FIELD_ROUND; j++)
            sums[j] += x[i + j];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/* out[j] = sum_i p[i] m[i,j], even i and odd i apart: that is two chains of additions for each vector. */
SP_ALWAYS_INLINE void field_columns(const field_pass *s, const double *m, const double *p, size_t v, size_t n,
                                    vd *out)
{
    vd even[4] = {{0}}, odd[4] = {{0}};
    const vd *row = (const vd *)m + v;
    size_t i = 0;
    for (; i + 1 < s->K; i += 2, row += 2 * s->V) {
        const vd p0 = spread(p[i]), p1 = spread(p[i + 1]);
        for (size_t c = 0; c < n; c++) {
            even[c] += p0 * row[c];
            odd[c] += p1 * row[s->V + c];
        }
    }
    for (size_t c = 0; i < s->K && c < n; c++)
        even[c] += spread(p[i]) * row[c];
    for (size_t c = 0; c < n; c++)
        out[v + c] = even[c] + odd[c];
}

SP_ALWAYS_INLINE void field_product(const field_pass *s, const double *m, const double *p, double *out)
{
    size_t v = 0;
    for (; v + 4 <= s->V; v += 4)
        field_columns(s, m, p, v, 4, (vd *)out);
    if (v + 2 <= s->V) {
        field_columns(s, m, p, v, 2, (vd *)out);
        v += 2;
    }
    if (v < s->V)
        field_columns(s, m, p, v, 1, (vd *)out);
}

/* A class whose sum over the others is 0, or too small: out and mean by the greatest of x[i] + move[i,k] (turned: move[k,i]). */
static void field_sum_in_logs(const field_pass *s, size_t k, bool is_turned, const double *x, const double *w,
                              double *out, double *mean)
{
    const double *move = s->f->move + (is_turned ? k * s->K : k);
    const size_t step = is_turned ? 1 : s->K;
    double best = -INFINITY, sum = 0, weighed = 0;
    for (size_t i = 0; i < s->K; i++)
        best = x[i] + move[i * step] > best ? x[i] + move[i * step] : best;
    for (size_t i = 0; best > -INFINITY && i < s->K; i++) {
        const double p = exp(x[i] + move[i * step] - best);
        sum += p;
        weighed += mean && p > 0 ? p * w[i] : 0;
    }
    out[k] = best > -INFINITY ? best - s->part->greatest + log(sum) : -INFINITY;
    if (mean)
        mean[k] = sum > 0 ? weighed / sum : 0;
}

/* out[k] = log sum_i exp(x[i] + move[i,k] - greatest) from p = exp(x); mean[k] = the mean of w[i] by the terms of that sum. Behind the
 * classes stands something finite. */
SP_ALWAYS_INLINE void field_step(const field_pass *s, bool is_turned, const double *x, const double *p,
                                 const double *w, double *out, double *mean)
{
    const double *m = is_turned ? s->part->turned : s->part->linear;
    const vd tiny = spread(s->tiny);
    vi is_small = {0};
    field_product(s, m, p, out);
    if (mean) {
        for (size_t v = 0; v < s->V; v++)
            ((vd *)s->q2)[v] = ((const vd *)p)[v] * ((const vd *)w)[v];
        field_product(s, m, s->q2, mean);
    }
    for (size_t v = 0; v < s->V; v++) {
        const vd sum = ((vd *)out)[v], is_one = spread(1);
        const vi is_there = (vi)(sum > tiny);
        const vd safe = PICK(vd, is_there, sum, is_one);
        ((vd *)out)[v] = PICK(vd, is_there, normal_log(safe), spread(-INFINITY));
        if (mean)
            ((vd *)mean)[v] /= safe;
        is_small |= ~is_there;
    }
    bool any = false;
    for (size_t i = 0; i < LANE_W; i++)
        any = any || is_small[i];
    for (size_t k = 0; any && k < s->K; k++)
        if (out[k] == -INFINITY)
            field_sum_in_logs(s, k, is_turned, x, w, out, mean);
}

/* sums[i,j] += left[i] right[j] */
SP_ALWAYS_INLINE void field_outer(const field_pass *s, const double *left, const double *right, double *sums)
{
    vd *row = (vd *)sums;
    for (size_t i = 0; i < s->K; i++, row += s->V) {
        const vd l = spread(left[i]);
        for (size_t v = 0; v < s->V; v++)
            row[v] += l * ((const vd *)right)[v];
    }
}

/* True: all of e[t] are numbers, or -INFINITY. */
SP_ALWAYS_INLINE bool field_check(const field_pass *s, int64_t t)
{
    const vd infinite = spread(INFINITY);
    vi is_right = ~(vi){0};
    for (size_t v = 0; v < s->V; v++)
        is_right &= (vi)(((const vd *)s->x)[v] < infinite);
    bool all = true;
    for (size_t i = 0; i < LANE_W; i++)
        all = all && is_right[i];
    for (size_t k = 0; !all && k < s->K; k++)
        if (!(s->x[k] < INFINITY)) {
            field_fault(s, SP_FIELD_NOT_A_NUMBER, t, (int64_t)k);
            return false;
        }
    return true;
}

/* Fills the rows and the value. False: there is a fault. */
SP_ALWAYS_INLINE bool field_forward(const field_pass *s, double *log_z)
{
    const sp_field *f = s->f;
    double total = (double)(s->T - 1) * s->part->greatest;
    for (int64_t t = 0; t < s->T; t++) {
        double *a = field_row(s, s->a, t), *left = field_row(s, s->left, t),
               *before = field_row(s, s->before, t);
        field_load(s, f->e, t, s->x);
        if (!field_check(s, t))
            return false;
        for (size_t k = 0; t == 0 && k < s->K; k++)
            s->in[k] = f->start[k];
        if (t > 0)
            field_step(s, false, field_row(s, s->a, t - 1), field_row(s, s->left, t - 1),
                       field_row(s, s->before, t - 1), s->in, s->has_along ? s->mean : NULL);
        for (size_t v = 0; v < s->V; v++)
            ((vd *)a)[v] = ((vd *)s->in)[v] + ((vd *)s->x)[v];
        const double greatest = field_greatest(s, a);
        if (!(greatest > -INFINITY)) {
            field_fault(s, SP_FIELD_NO_PATH, t, -1);
            return false;
        }
        total += greatest;
        for (size_t v = 0; v < s->V; v++)
            ((vd *)a)[v] -= spread(greatest);
        field_exp(s, a, 0, left);
        if (!s->has_along)
            continue;
        field_load(s, f->along, t, s->g);
        for (size_t k = 0; k < s->R; k++)
            before[k] = s->g[k] + (t > 0 ? s->mean[k] : 0);
    }
    const double *last = field_row(s, s->a, s->T - 1);
    for (size_t k = 0; k < s->K; k++)
        s->joint[k] = last[k] + f->end[k];
    const double greatest = field_greatest(s, s->joint);
    if (!(greatest > -INFINITY)) {
        field_fault(s, SP_FIELD_NO_PATH, s->T, -1);
        return false;
    }
    field_exp(s, s->joint, greatest, s->joint);
    *log_z = total + greatest + log(field_sum(s, s->joint));
    return true;
}

/* The score of the targets. False: there is a fault. */
SP_ALWAYS_INLINE bool field_score(const field_pass *s, double *score)
{
    const sp_field *f = s->f;
    int64_t last = 0;
    *score = 0;
    for (int64_t t = 0; t < s->T; t++) {
        const int64_t y = f->targets[field_place(s, t) / s->K];
        if (y < 0 || y >= (int64_t)s->K) {
            field_fault(s, SP_FIELD_NO_CLASS, t, y);
            return false;
        }
        const size_t at = field_place(s, t) + (size_t)y;
        *score += t > 0 ? f->move[(size_t)last * s->K + (size_t)y] : f->start[y];
        *score += f->dtype == SP_F32 ? (double)((const float *)f->e)[at] : ((const double *)f->e)[at];
        if (*score == -INFINITY) {
            field_fault(s, SP_FIELD_NO_TARGET, t, y);
            return false;
        }
        last = y;
    }
    *score += f->end[last];
    if (*score > -INFINITY)
        return true;
    field_fault(s, SP_FIELD_NO_TARGET, s->T, last);
    return false;
}

/* The gradient by a step whose classes have probabilities p. */
SP_ALWAYS_INLINE void field_put(const field_pass *s, int64_t t, double *p)
{
    const sp_field *f = s->f;
    const size_t at = field_place(s, t);
    if (f->targets)
        p[f->targets[at / s->K]] -= f->weight[s->n];
    for (size_t k = 0; t == 0 && k < s->K; k++)
        s->part->starts[k] += p[k];
    for (size_t k = 0; t == s->T - 1 && k < s->K; k++)
        s->part->ends[k] += p[k];
    if (f->targets && t > 0) {
        const size_t from = (size_t)f->targets[field_place(s, t - 1) / s->K];
        s->part->moves_in_logs[from * s->R + (size_t)f->targets[at / s->K]] -= f->weight[s->n];
    }
    if (!f->by_e)
        return;
    if (f->dtype == SP_F32)
        for (size_t k = 0; k < s->K; k++)
            ((float *)f->by_e)[at + k] = (float)p[k];
    else
        memcpy((double *)f->by_e + at, p, s->K * sizeof *p);
}

/* Moves of a step in logs: norm is the log of the sum of them all. right[j] and, with along, what it is multiplied by beside
 * before[t-1,i] - value are those of the step. */
static void field_moves_in_logs(const field_pass *s, const double *a, const double *before, double norm,
                                double weight, double value)
{
    for (size_t i = 0; i < s->K; i++)
        for (size_t j = 0; j < s->K; j++) {
            const double x = a[i] + s->f->move[i * s->K + j] - s->part->greatest + s->r[j];
            const double by = s->has_along ? before[i] + s->after[j] - value : weight;
            if (x > -INFINITY)
                s->part->moves_in_logs[i * s->R + j] += exp(x - norm) * by;
        }
}

SP_ALWAYS_INLINE void field_backward(const field_pass *s)
{
    const sp_field *f = s->f;
    const double weight = s->has_along ? 1 : f->weight[s->n];
    double value = 0;
    for (size_t k = 0; k < s->R; k++) {
        s->b[k] = k < s->K ? f->end[k] : -INFINITY;
        s->after[k] = 0;
    }
    for (int64_t t = s->T - 1;; t--) {
        /* b, and in `mean` what comes after, are those of step t; q, r and `after` still those of step t + 1. */
        const double *a = field_row(s, s->a, t), *before = field_row(s, s->before, t);
        double *mean = t == s->T - 1 ? s->after : s->mean;
        for (size_t v = 0; v < s->V; v++)
            ((vd *)s->joint)[v] = ((const vd *)a)[v] + ((const vd *)s->b)[v];
        const double greatest = field_greatest(s, s->joint);
        field_exp(s, s->joint, greatest, s->joint);
        const double sum = field_sum(s, s->joint);
        for (size_t v = 0; v < s->V; v++)
            ((vd *)s->joint)[v] *= spread(weight / sum);
        for (size_t k = 0; s->has_along && t == s->T - 1 && k < s->K; k++)
            value += s->joint[k] * before[k];
        if (t < s->T - 1 && f->by_move) { /* the moves from step t to step t + 1 */
            if (greatest > s->far) {
                const double factor = weight * exp(-greatest) / sum;
                const double *left = field_row(s, s->left, t);
                for (size_t k = 0; k < s->R; k++)
                    s->q[k] *= factor;
                if (s->has_along) {
                    for (size_t k = 0; k < s->R; k++) {
                        s->q2[k] = s->q[k] * (s->after[k] - value);
                        s->in[k] = left[k] * before[k];
                    }
                    field_outer(s, left, s->q2, s->part->moves);
                    field_outer(s, s->in, s->q, s->part->moves);
                } else {
                    field_outer(s, left, s->q, s->part->moves);
                }
            } else {
                field_moves_in_logs(s, a, before, greatest + log(sum), weight, value);
            }
        }
        for (size_t k = 0; s->has_along && k < s->K; k++)
            s->joint[k] *= before[k] + mean[k] - value;
        field_put(s, t, s->joint);
        if (t == 0)
            return;
        field_load(s, f->e, t, s->x);
        for (size_t v = 0; v < s->V; v++)
            ((vd *)s->r)[v] = ((vd *)s->x)[v] + ((vd *)s->b)[v];
        const double most = field_greatest(s, s->r);
        for (size_t v = 0; v < s->V; v++)
            ((vd *)s->r)[v] -= spread(most);
        field_exp(s, s->r, 0, s->q);
        if (s->has_along) {
            field_load(s, f->along, t, s->g);
            for (size_t k = 0; k < s->K; k++)
                s->after[k] = s->g[k] + mean[k];
        }
        field_step(s, true, s->r, s->q, s->after, s->b, s->has_along ? s->mean : NULL);
    }
}

static bool field_any(const sp_field_part *part, int64_t n, sp_scratch *scratch)
{
    const sp_field *f = part->field;
    field_pass s = {.part = part,
                    .f = f,
                    .n = n,
                    .T = f->length[n],
                    .K = (size_t)f->n_classes,
                    .R = (size_t)part->n_row,
                    .V = (size_t)part->n_row / LANE_W,
                    .tiny = f->is_plain ? INFINITY : field_tiny,
                    .far = f->is_plain ? INFINITY : field_far,
                    .has_along = f->along != NULL,
                    .keeps = f->along || f->weight};
    f->fault[n] = (sp_field_fault){.kind = SP_FIELD_FINE};
    f->value[n] = 0;
    if (s.T == 0)
        return true;
    enum { ROWS = 10 };
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const size_t n_rows = s.keeps ? (size_t)s.T : 2, row = s.R * sizeof(double);
    s.a = sp_scratch_get(scratch, n_rows, row);
    s.left = sp_scratch_get(scratch, n_rows, row);
    s.before = s.has_along ? sp_scratch_get(scratch, n_rows, row) : NULL;
    double *rows = sp_scratch_get(scratch, ROWS, row);
    const bool has_room = s.a && s.left && (s.before || !s.has_along) && rows;
    if (has_room) {
        double **const all[ROWS] = {&s.x, &s.g, &s.in, &s.mean, &s.b, &s.r, &s.q, &s.q2, &s.joint, &s.after};
        for (size_t i = 0; i < ROWS; i++)
            *all[i] = rows + i * s.R;
        for (size_t i = 0; i < ROWS * s.R; i++)
            rows[i] = 0;
        for (size_t k = s.K; k < s.R; k++) /* behind the classes nothing is possible */
            s.x[k] = s.in[k] = s.joint[k] = -INFINITY;
        double log_z, score = 0;
        if (field_forward(&s, &log_z) && (!f->targets || field_score(&s, &score))) {
            f->value[n] = log_z - score;
            if (s.keeps)
                field_backward(&s);
        }
    }
    sp_scratch_release(scratch, mark);
    return has_room;
}
