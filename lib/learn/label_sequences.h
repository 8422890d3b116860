/* Label sequences of a recipe, before anything is measured or classified. Private to learn/. */
#ifndef STATEPATH_LEARN_LABEL_SEQUENCES_H
#define STATEPATH_LEARN_LABEL_SEQUENCES_H

#include <gsl/gsl_rng.h>

#include "statepath/simulate.h"

/* One generator for each thing that is drawn, so that changing one of them leaves the others as they were. Numbers are kept. */
enum sp_draw {
    SP_DRAW_LENGTH,
    SP_DRAW_CLASS,
    SP_DRAW_CLASSIFIER,
    SP_DRAW_HIDDEN,
    SP_DRAW_TONES,
    SP_DRAW_NOISE
};

/* The recipe's generator number `what`; NULL on lack of memory. */
gsl_rng *sp_draw_new(const sp_recipe *recipe, enum sp_draw what);

/* A class by its probabilities p[n] (`skip` has none; -1: nobody is skipped) and u in [0,1). Own and simple, so that every
 * version of every library draws the same. */
int32_t sp_draw_class(double u, int32_t n, const double *p, int32_t skip);

typedef struct sp_label_sequences {
    int64_t n_recordings, n_steps;
    int64_t *offsets; /* [N+1] */
    int32_t *classes; /* [S] what came true */
    int32_t *labels;  /* [S] the same, -1 where hidden */
} sp_label_sequences;

/* False on lack of memory, with nothing to clear. */
bool sp_label_sequences_draw(const sp_recipe *recipe, sp_label_sequences *drawn);
void sp_label_sequences_clear(sp_label_sequences *drawn);

#endif
