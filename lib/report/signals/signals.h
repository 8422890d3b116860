/* The page about training: what its parts share. */
#ifndef STATEPATH_REPORT_HTML_SIGNALS_H
#define STATEPATH_REPORT_HTML_SIGNALS_H

#include "report/html/class_style.h"
#include "report/html/frame.h"
#include "statepath/report.h"

typedef struct sp_drawing {
    const sp_signals_report *r;
    sp_buffer out;
    int64_t *counts; /* [K,K] */
    sp_class_style style;
    int n_pictures;
} sp_drawing;

/* signals_page.c */
void sp_drawing_class_key(sp_drawing *d);
/* A matrix of all classes; the cells are of d->counts, whose row i has the sum sp_drawing_row(). */
typedef void sp_drawing_cell(const void *d, int32_t i, int32_t j, sp_buffer *out);
void sp_drawing_matrix(sp_drawing *d, const char *caption, const char *corner, sp_drawing_cell *cell);
int64_t sp_drawing_row(const sp_drawing *d, int32_t i);
int sp_drawing_heat(int64_t part, int64_t whole); /* 0 to 10: the style of a cell */

/* signals_data.c */
void sp_drawing_signals(sp_drawing *d);
void sp_drawing_distribution(sp_drawing *d);
void sp_drawing_timeline(sp_drawing *d);
void sp_drawing_transitions(sp_drawing *d);

/* signals_training.c */
void sp_drawing_outcome(sp_drawing *d); /* one sentence: what came of the training */
void sp_drawing_learning(sp_drawing *d);
void sp_drawing_hypnograms(sp_drawing *d);
void sp_drawing_confusions(sp_drawing *d);

#endif
