/* Distance of sequences; not installed. */
#ifndef EVALUATE_EDIT_H
#define EVALUATE_EDIT_H

#include "statepath/status.h"

#include <stdint.h>

/* Levenshtein distance of two sequences of classes 0..K-1, each edit costs 1. */
sp_status sp_edit_distance(int32_t K, int64_t m, const int32_t *a, int64_t n, const int32_t *b,
                           int64_t *distance, sp_error *err);

/* 1 - distance / max(m, n). NAN for two empty sequences, and where m n is above 2^32 (65,536 runs on each
 * side): the distance would take longer than all the rest of an evaluation. */
sp_status sp_edit_score(int32_t K, int64_t m, const int32_t *a, int64_t n, const int32_t *b, double *score,
                        sp_error *err);

#endif
