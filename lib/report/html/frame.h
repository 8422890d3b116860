/* What every page has around its sections. */
#ifndef STATEPATH_REPORT_HTML_FRAME_H
#define STATEPATH_REPORT_HTML_FRAME_H

#include "report/write/buffer.h"

/* What pictures refer to, for <defs>: hatching, stripes, shapes of series and the triangle of an illegal transition. */
extern const char sp_frame_shapes[];
/* Shapes of series, #m0 to #m5: circle, square, triangle, ... */
enum { SP_N_SHAPES = 6 };

/* From the doctype to the shapes that the page's pictures share, with a link over the contents to the section `first`. `what`:
 * what the title says after the name, "– training" or "". decodes: the page has the section that decodes, and its policy lets a
 * WebAssembly module run. */
void sp_frame_begin(sp_buffer *out, const char *name, const char *what, const char *first, bool decodes);
/* The button for light and dark, the end of <header> and the beginning of the contents; then one item a section; then main. */
void sp_frame_contents(sp_buffer *out);
void sp_frame_item(sp_buffer *out, const char *id, const char *name);
void sp_frame_main(sp_buffer *out,
                   int64_t first_step); /* the number of a recording's first step, for the script */
/* <section> of a class, "" for none, and its <h2>. A folded one is opened by a click, by a link that leads into it and, where it
 * belongs to a paper, for printing (script.js). */
typedef enum sp_frame_fold { SP_FRAME_OPEN, SP_FRAME_PRINTED, SP_FRAME_FOLDED } sp_frame_fold;
void sp_frame_section(sp_buffer *out, const char *class, sp_frame_fold fold, const char *id,
                      const char *title);
void sp_frame_section_end(sp_buffer *out, sp_frame_fold fold);
void sp_frame_end(sp_buffer *out, bool decodes);

/* ---- matrices: a row and a column a class ---- */

/* corner, label and `last`, further columns or NULL, are markup; caption is text or NULL. Up to SP_TWO_LINE_CLASSES a cell has room for a count and a per cent. */
enum { SP_TWO_LINE_CLASSES = 14 };
typedef struct sp_matrix {
    const char *const *classes;
    int32_t n;
    const char *corner, *label, *caption, *last;
    const char *
        counts; /* what its cells count, for the script: "confusion", "transitions"; NULL: nothing that can be listed */
    int32_t strategy; /* by whom; n_strategies: the reference */
    /* Writes the cell of row i and column j, a whole <td>; those of the last columns too, where j is n or more. */
    void (*cell)(const void *arg, int32_t i, int32_t j, sp_buffer *out);
    const void *arg;
    int32_t n_last;                                /* columns in `last` */
    void (*foot)(const void *arg, sp_buffer *out); /* a last row; NULL: none */
} sp_matrix;
/* The whole matrix. */
void sp_matrix_write(sp_buffer *out, const sp_matrix *matrix);
#endif
