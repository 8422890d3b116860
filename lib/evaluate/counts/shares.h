/* What a recording adds to numerator and denominator of a figure of whole sequences; not installed. */
#ifndef EVALUATE_SHARES_H
#define EVALUATE_SHARES_H

#include <stdint.h>

typedef struct sp_share {
    int64_t of, all;
} sp_share;

struct sp_evaluation;

/* Of the recording at hand, when it ends. */
typedef sp_share sp_share_of(const struct sp_evaluation *evaluation, int32_t strategy);
sp_share_of sp_share_of_edit, sp_share_of_overlap_10, sp_share_of_overlap_25, sp_share_of_overlap_50,
    sp_share_of_entities;

#endif
