/* What kappa and F1 of a recording need of its confusion matrix: the diagonal and both margins, the numbers above 0; not
 * installed.
 *
 * Slots of a recording: r_k (reference steps of class k) at k; of strategy s the right steps of class k at K + 2 s K + k, the
 * decoded scored steps of class k at K + (2 s + 1) K + k. */
#ifndef EVALUATE_MARGINS_H
#define EVALUATE_MARGINS_H

#include "evaluate/statistics/count_rows.h"

enum { SP_MAX_MARGIN_COUNTS = 1 << 20 }; /* kept in all: 8 MB */

typedef struct sp_margins {
    sp_count_rows rows;   /* recordings with scored steps */
    const char *left_out; /* why there are none, or NULL */
    /* The recording being counted: [width] counts, all 0 between recordings, and the slots that are not. */
    int64_t *row;
    uint32_t *touched;
    int64_t n_touched;
} sp_margins;

void sp_margins_free(sp_margins *margins);

/* n steps of the recording at hand. */
static inline void sp_margins_count(sp_margins *margins, int32_t slot, int64_t n)
{
    if (margins->row[slot] == 0)
        margins->touched[margins->n_touched++] = (uint32_t)slot;
    margins->row[slot] += n;
}

struct sp_evaluation;
int32_t sp_margins_width(const struct sp_evaluation *evaluation);

/* Of strategy s from summed margins, as in sp_agreement_from_confusion(); NaN where undefined. */
enum { SP_MARGIN_KAPPA, SP_MARGIN_F1, SP_N_MARGIN_FIGURES };
void sp_margin_figures(const struct sp_evaluation *evaluation, const int64_t *sums, int32_t s,
                       double figures[SP_N_MARGIN_FIGURES]);

#endif
