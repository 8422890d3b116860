/* The score of a long path, bit for bit the sum that sp_path_score() makes one addition after another, but not as slowly; not
 * installed.
 *
 * In a sum s + x0 + x1 + ... each addition waits for the one before. But while s stays within one power of two its last bit, u,
 * is worth the same, and s + x is s + r(x) with r(x) the multiple of u nearest to x: multiples of u add up exactly in any order,
 * so they may be added side by side. What breaks the pattern is added one by one: a block in which s changes its power of two or
 * that is not all of the sign of s, and x half way between two multiples, which goes up or down as s is odd or even.
 */
#ifndef STATEPATH_DECODE_PATH_SUM_H
#define STATEPATH_DECODE_PATH_SUM_H

#include "decode/kernels/lanes/lanes.h"

enum { SP_SUM_BLOCK = 64 };

/* s + x[0] + x[1] + ... + x[n-1], each sum rounded as in that order. No NaN. */
typedef double sp_sum_f32(double s, const float *x, int64_t n);
typedef double sp_sum_f64(double s, const double *x, int64_t n);

/* The scores that a path takes at steps first .. first+n-1, [T] items of the scores' type: what sp_path_sum() adds up. */
void sp_path_take(const sp_scores *scores, const int32_t *path, int64_t first, int64_t n, void *taken);

/* sp_path_score() of a path without gaps under a plain chain; taken[T] as above.
 *   is_legal   every transition of the path is known to be allowed */
double sp_path_sum(sp_isa isa, const sp_lane_rules *rules, const sp_scores *scores, const int32_t *path,
                   const void *taken, bool is_legal);

#endif
