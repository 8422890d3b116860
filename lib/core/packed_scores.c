#include "core/packed_scores.h"

#include <math.h>

static const double unit = 1.0 / (1 << 18);

static void put(uint32_t code, uint8_t *out)
{
    out[0] = (uint8_t)code;
    out[1] = (uint8_t)(code >> 8);
    out[2] = (uint8_t)(code >> 16);
}

void sp_pack_row(int32_t n_classes, const double *e, bool says_nothing, uint8_t *out)
{
    double max = -INFINITY;
    for (int32_t k = 0; k < n_classes; k++)
        max = e[k] > max ? e[k] : max;
    for (int32_t k = 0; k < n_classes; k++, out += SP_PACKED_BYTES) {
        if (e[k] == -INFINITY) {
            put(SP_PACKED_IMPOSSIBLE, out);
            continue;
        }
        double below = (max - e[k]) / unit;
        put(says_nothing ? SP_PACKED_SAYS_NOTHING : below < SP_PACKED_MOST ? (uint32_t)(below + 0.5) : SP_PACKED_MOST, out);
    }
}

bool sp_unpack_scores(int64_t n_steps, int32_t n_classes, const uint8_t *packed, double temperature, double prior_weight,
                      const double *log_prior, double *out)
{
    bool is_finite = true;
    for (int64_t t = 0; t < n_steps; t++)
        for (int32_t k = 0; k < n_classes; k++, packed += SP_PACKED_BYTES, out++) {
            const uint32_t code = packed[0] | (uint32_t)packed[1] << 8 | (uint32_t)packed[2] << 16;
            if (code == SP_PACKED_IMPOSSIBLE || code == SP_PACKED_SAYS_NOTHING) {
                *out = code == SP_PACKED_IMPOSSIBLE ? -INFINITY : 0;
                continue;
            }
            double x = -(double)code * unit / temperature;
            if (prior_weight != 0)
                x -= prior_weight * log_prior[k];
            is_finite &= isfinite(x);
            *out = x;
        }
    return is_finite;
}
