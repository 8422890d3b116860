/* Paired comparison of two strategies over recordings. The unit of inference is the recording, never the step. Uses GSL inside.
 */
#ifndef STATEPATH_STATISTICS_H
#define STATEPATH_STATISTICS_H

#include <stdint.h>

#include "statepath/agreement.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_bootstrap_options {
    uint64_t seed;       /* 1 */
    int32_t n_resamples; /* 10,000; fewer when recordings x resamples would exceed 2e8, at least 1,000 */
    double level;        /* 0.95 */
} sp_bootstrap_options;

sp_bootstrap_options sp_bootstrap_options_default(void);

/* Difference of two ratios of sums, pooled over recordings: sum a_num / sum weight - sum b_num / sum weight, with its interval by
 * the paired bootstrap over recordings (both strategies from the same resample), BCa with the jackknife over recordings. a, b [N]
 * correct steps of each recording by strategy a and b;  scored [N] scored steps low, high out; undefined ("one recording") when N
 * < 2 Source  Efron 1987, doi:10.1080/01621459.1987.10478410. SP_OK, SP_EINVAL, SP_ENOMEM. */
typedef struct sp_difference {
    sp_value difference, low, high;
    int64_t n; /* recordings with scored steps */
    int32_t n_resamples;
} sp_difference;
sp_status sp_bootstrap_accuracy(int64_t n, const int64_t *a, const int64_t *b, const int64_t *scored,
                                const sp_bootstrap_options *options, sp_difference *out, sp_error *err);

/* Wilcoxon signed rank test on paired differences, two-sided, zeros dropped, mid-ranks; the exact null distribution by counting
 * (n <= 1000 after dropping), else the normal approximation with tie correction.
 *   p  out; undefined "no difference" when every difference is 0
 * Source  Wilcoxon 1945; Pratt & Gibbons 1981. */
typedef struct sp_wilcoxon {
    sp_value p, rank_biserial;
    int64_t better, worse, ties; /* d > 0, d < 0, d = 0 */
} sp_wilcoxon;
sp_status sp_wilcoxon_signed_rank(int64_t n, const double *difference, sp_wilcoxon *out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
