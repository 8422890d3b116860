/* The page's style for programs that draw SVG but know neither variables nor mixed colours. */
#ifndef STATEPATH_REPORT_FIGURE_STYLE_H
#define STATEPATH_REPORT_FIGURE_STYLE_H

#include "report/write/buffer.h"

/* Adds the rules of `css`, from that of `figure` on, that say how shapes and texts are drawn, with the values of the variables of
 * its first :root, mixed colours as numbers and rem as 16 pixels. Left out: rules within @media, those of states (a colon in the
 * selector), and all declarations but fill, stroke, opacity, fonts, text-anchor, vector-effect, overflow and stop-color. */
void sp_figure_style(const char *css, sp_buffer *out);

#endif
