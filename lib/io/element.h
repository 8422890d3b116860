/* Numbers as files store them, read raw and turned into ours: floats of 16, 32 and 64 bits, integers of 1 to 8 bytes, either byte
 * order. Private to io/.
 *
 * Values are read in the file's own type and converted in place: the raw values lie at the end of the place that they grow to
 * fill.
 */
#ifndef STATEPATH_IO_ELEMENT_H
#define STATEPATH_IO_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sp_element_kind {
    SP_ELEMENT_NONE,
    SP_ELEMENT_FLOAT,
    SP_ELEMENT_INT,
    SP_ELEMENT_UINT
} sp_element_kind;

typedef struct sp_element {
    sp_element_kind kind; /* NONE: nothing we can read as a number */
    uint8_t size;         /* bytes: 1, 2, 4, 8 */
    bool is_big;          /* big-endian */
} sp_element;

/* What values are turned into, and what is asked of them. */
typedef enum sp_target {
    SP_TO_F32,      /* float; from floats of 16 and 32 bits, exact */
    SP_TO_F64,      /* double; from any float, exact */
    SP_TO_I32,      /* int32_t, -1 .. limit-1 (labels, paths); floats must be whole */
    SP_TO_LABEL,    /* the same, and -100 becomes -1 */
    SP_TO_PREVIOUS, /* the same, and whatever is negative becomes -1 */
    SP_TO_I64,      /* int64_t; floats must be whole */
    SP_TO_WEIGHT,   /* double >= 0, finite; from any number */
    SP_TO_BOOL      /* uint8_t, 0 or 1 */
} sp_target;

size_t sp_target_size(sp_target target); /* bytes of one value */
/* Is the stored form the wanted one, bit for bit, and nothing asked of the values? */
bool sp_element_is(const sp_element *element, sp_target target);

/* Turns n raw values into `target`. raw may overlap out only in this way: it ends where out ends. Returns -1, or the index of the
 * first value that cannot be one of the target's; *bad is that value (NaN where it is that). */
int64_t sp_element_convert(const sp_element *element, const void *raw, int64_t n, sp_target target,
                           int64_t limit, void *out, double *bad);

/* IEEE half precision to single, exact. Subnormals, infinities and NaN included. */
float sp_half_to_float(uint16_t half);

/* The end of the sentence for such a value: "label 7 is not one of the 5 classes 0..4; ...". noun: of a value, "label". */
enum { SP_ELEMENT_REFUSAL = 240 };
void sp_element_refuse(const char *noun, sp_target target, int64_t limit, double bad,
                       char text[SP_ELEMENT_REFUSAL]);

#endif
