/* Figures of agreement beside those of metrics.h; not installed. */
#ifndef EVALUATE_AGREEMENT_H
#define EVALUATE_AGREEMENT_H

#include "statepath/metrics.h"

/* Values [K,K] and [K] as for sp_agreement_from_confusion(); sp_kappa_weights says what the weights are. */
sp_status sp_weighted_kappa(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded,
                            sp_kappa_weights weights, sp_value *out, sp_error *err);

/* Standard error of (unweighted) kappa by Fleiss, Cohen and Everitt 1969, doi:10.1037/h0028106, eq. 14, with p_ij = C_ij / N:
 *     sqrt((A + B - C) / N) / (1 - pe),  A = sum p_ii (1 - (p_i. + p_.i)(1 - kappa))^2,
 *     B = (1 - kappa)^2 sum_{i != j} p_ij (p_.i + p_j.)^2,  C = (kappa - pe (1 - kappa))^2
 * It assumes independent steps, which neighbouring steps are not: it is too small. Undecoded steps are one more column. Undefined
 * where kappa is. SP_OK, SP_ENOMEM. O(K^2). */
sp_status sp_kappa_standard_error(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded,
                                  const sp_agreement *agreement, sp_value *out, sp_error *err);

#endif
