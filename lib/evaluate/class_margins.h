/* Margins of a confusion matrix; not installed. */
#ifndef EVALUATE_CLASS_MARGINS_H
#define EVALUATE_CLASS_MARGINS_H

#include <stdint.h>

/* Steps of a class on each side; the row with its undecoded steps. */
typedef struct sp_class_margins {
    int64_t row, column;
} sp_class_margins;

/* agreement.c: of n classes from `first` on; undecoded [K] or NULL. */
void sp_tile_margins(int32_t K, const int64_t *confusion, const int64_t *undecoded, int32_t first, int32_t n,
                     sp_class_margins *out);

#endif
