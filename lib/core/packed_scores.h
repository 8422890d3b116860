/* Scores in 24 bits a number, as a page holds them; not installed.
 *
 * Of each row only differences between classes decide, so a row is packed less its greatest score: e - max is 0 or less, and is
 * rounded to a multiple of 2^-18 nats and kept from -60 nats on. A number is three bytes, the lowest first:
 *
 *     0 .. 60 * 2^18          -(e - max) * 2^18, rounded
 *     SP_PACKED_SAYS_NOTHING  of a step that says nothing (missing): 0 whatever temperature and prior are
 *     SP_PACKED_IMPOSSIBLE    -INFINITY
 *
 * Packed are scores before temperature and prior, so that both can be changed where they are unpacked.
 */
#ifndef STATEPATH_CORE_PACKED_SCORES_H
#define STATEPATH_CORE_PACKED_SCORES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SP_PACKED_BYTES = 3,
    SP_PACKED_MOST = 60 << 18,
    SP_PACKED_SAYS_NOTHING = 0xFFFFFE,
    SP_PACKED_IMPOSSIBLE = 0xFFFFFF,
};

/* One row.
 *   e               [K] nats; no NaN, no +INFINITY
 *   says_nothing    its scores are those of a missing step: 0, or -INFINITY where a mask has taken them away
 *   out             [K * SP_PACKED_BYTES] */
void sp_pack_row(int32_t n_classes, const double *e, bool says_nothing, uint8_t *out);

/* Many rows, divided by the temperature, then less prior_weight times log_prior, as sp_prepare() does it.
 *   packed      [T, K * SP_PACKED_BYTES]
 *   log_prior   [K] nats; read only where prior_weight is not 0
 *   out         [T,K] nats
 * False: a score does not stay finite. */
bool sp_unpack_scores(int64_t n_steps, int32_t n_classes, const uint8_t *packed, double temperature, double prior_weight,
                      const double *log_prior, double *out);

#endif
