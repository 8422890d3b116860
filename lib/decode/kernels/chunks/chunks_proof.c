/* A chunk and the true delta before it: the conditions of chunks.h, one by one.
 *
 * Why those suffice. Let a sum grow by less than g a step (room / steps below). By induction over the steps t of the chunk, what
 * stands more than t g above the lower power of two is made of what stood more than (t-1) g above it, which is the same here and
 * there but for the shift, and whose sums, between the powers of two, are rounded alike; what stands lower stands lower here and
 * there and has lost, or does so at the next step. What is alive at the end of the chunk stands more than `room` above.
 */
#include "decode/kernels/chunks/chunks_proof.h"

#include <float.h>
#include <math.h>

double sp_power_below(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent - 1);
}

double sp_last_bit(double power)
{
    return power * DBL_EPSILON;
}

double sp_chunk_top(int32_t K, const double *delta)
{
    double top = delta[0];
    for (int32_t j = 1; j < K; j++)
        top = delta[j] > top ? delta[j] : top;
    return top;
}

bool sp_is_half(double x, double bit)
{
    double halves = x / (bit / 2);
    return halves == rint(halves) && fabs(halves) < 0x1p53 &&
           fmod(halves, 2) != 0; /* in the order of their cost */
}

static bool has_half_weight(const sp_lane_rules *r, double bit)
{
    for (int32_t p = 0; p < r->row[r->n_classes]; p++)
        if (r->weight[p] > -INFINITY && sp_is_half(r->weight[p], bit))
            return true;
    return false;
}

static double greatest_addition(const sp_chunked *c, int64_t chunk)
{
    double weight = 0, score = c->most[chunk] > 0 ? c->most[chunk] : 0;
    for (int32_t p = 0; p < c->rules->row[c->rules->n_classes]; p++)
        weight = c->rules->weight[p] > weight ? c->rules->weight[p] : weight;
    return weight + score;
}

/* The scores were looked at for where the chunk began. */
static bool may_have_half(const sp_chunked *c, int64_t chunk, double power)
{
    double begun = sp_chunk_top(c->rules->n_classes, c->arrive + chunk * c->n_parts * c->rules->n_classes);
    return begun == 0 || !isfinite(begun) || sp_power_below(begun) != power || c->has_half[chunk] ||
           has_half_weight(c->rules, sp_last_bit(power));
}

bool sp_chunk_claim_is_proved(const sp_chunk_claim *claim, double *shift, bool *needs_even)
{
    const double *delta = claim->delta, *arrive = claim->arrive, *leave = claim->leave;
    double top = sp_chunk_top(claim->n, delta), own_top = sp_chunk_top(claim->n, arrive);
    if (!isfinite(top) || !isfinite(own_top) || top == 0)
        return false;
    double power = sp_power_below(top), bit = sp_last_bit(power), s = top - own_top;
    double room = (double)(claim->n_steps + 1) * (claim->most + 8 * bit) *
                  1.001; /* delta grows by less, rounding and all */
    double low = (top < 0 ? -2 * power : power), high = (top < 0 ? -power : 2 * power) - room;
    if (!(top < high && own_top < high))
        return false;
    for (int32_t j = 0; j < claim->n; j++) {
        if (delta[j] == -INFINITY && arrive[j] == -INFINITY)
            continue;
        if (!(delta[j] > low && arrive[j] > low) || delta[j] - arrive[j] != s)
            return false;
    }
    for (int32_t j = 0; j < claim->n; j++)
        if (leave[j] != -INFINITY && !(leave[j] > low + room && leave[j] + s > low + room))
            return false;
    *shift = s;
    *needs_even = fmod(s / bit, 2) != 0;
    return true;
}

bool sp_chunk_is_proved(const sp_chunked *c, int64_t chunk, int64_t part, const double *delta, double *shift)
{
    const int32_t K = c->rules->n_classes;
    const sp_chunk_claim claim = {.n = K,
                                  .arrive = c->arrive + (chunk * c->n_parts + part) * K,
                                  .leave = c->leave + chunk * K,
                                  .delta = delta,
                                  .n_steps = c->chunk_steps,
                                  .most = greatest_addition(c, chunk)};
    bool needs_even;
    return sp_chunk_claim_is_proved(&claim, shift, &needs_even) &&
           (!needs_even || !may_have_half(c, chunk, sp_power_below(sp_chunk_top(K, delta))));
}
