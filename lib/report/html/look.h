/* How classes look, the same in every figure and on every page: stages of sleep in colours of their own and in the order of a
 * hypnogram, other classes in eight colours that take turns. */
#ifndef STATEPATH_REPORT_HTML_LOOK_H
#define STATEPATH_REPORT_HTML_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "report/buffer.h"

typedef struct sp_class_look {
    int32_t *rank;            /* [K] place from the top; classes of sleep as in the AASM manual: W, R, N1, N2, N3 */
    const char *const *sleep; /* [K] style of a sleep stage, or NULL: not all classes are sleep stages */
    const char **names;       /* what `sleep` points to */
} sp_class_look;

bool sp_class_look_fill(const char *const *classes, int32_t n_classes, sp_class_look *look); /* false: no memory */
void sp_class_look_free(sp_class_look *look);

/* Adds the name of the style of class k: "s-wake" or "s3" (use 's': filled), 'k': stroked, 't': a stop of a gradient. */
void sp_class_style(sp_buffer *out, const sp_class_look *look, char use, int32_t k);

#endif
