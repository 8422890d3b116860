/* How classes look, the same in every figure and on every page: stages of sleep in colours of their own and in the order of a
 * hypnogram, other classes in eighteen colours that take turns. */
#ifndef STATEPATH_REPORT_HTML_CLASS_STYLE_H
#define STATEPATH_REPORT_HTML_CLASS_STYLE_H

#include <stdbool.h>
#include <stdint.h>

enum { SP_CLASS_COLOURS = 18 /* the first eight are those of series, frame.h */ };

typedef struct sp_class_style {
    int32_t *rank; /* [K] place from the top; classes of sleep as in the AASM manual: W, R, N1, N2, N3 */
    const char *const *sleep; /* [K] style of a sleep stage, or NULL: not all classes are sleep stages */
    const char **names;       /* what `sleep` points to */
} sp_class_style;

bool sp_class_style_fill(const char *const *classes, int32_t n_classes,
                         sp_class_style *style); /* false: no memory */
void sp_class_style_free(sp_class_style *style);

/* The name of the style of class k: "s-wake" or "s3" (use 's': filled), 'k': stroked, 't': a stop of a gradient. */
typedef struct sp_style_name {
    char text[16];
} sp_style_name;
sp_style_name sp_class_style_name(const sp_class_style *style, char use, int32_t k);

#endif
