/* Figures of a recording that its path says, and how far they vary over paths drawn from the posterior (sp_draws()). */
#ifndef PIPELINE_FILES_DRAW_FIGURES_H
#define PIPELINE_FILES_DRAW_FIGURES_H

#include "pipeline/judging.h"
#include "tags/tags.h"

/* What stands of each figure: its value of the decoded path (NaN: none, or undefined); the 2.5 and 97.5 % quantiles of the draws of which
 * it is defined (NaN: of none), linear between order statistics; the share of draws of which it is defined; its value of the labels (NaN: there
 * are none, not all steps have one, or undefined). */
typedef enum sp_draw_column {
    SP_DRAW_DECODED,
    SP_DRAW_LOW,
    SP_DRAW_HIGH,
    SP_DRAW_DEFINED,
    SP_DRAW_REFERENCE,
    SP_DRAW_COLUMNS
} sp_draw_column;

enum { SP_MOST_DRAW_FIGURES = SP_N_SLEEP_MEASURES + 2 };

typedef struct sp_draw_figures {
    int n; /* of stages of sleep those of sp_sleep_statistics, and `awakenings`; of tags `entities`; of all classes `runs` */
    const char *keys[SP_MOST_DRAW_FIGURES];
    sp_sleep_choice sleep;
    bool are_tags;
    sp_tag *tags;          /* [K] of tags */
    sp_tagged_span *spans; /* [room] */
    int64_t room;
    double *values; /* [n,n_draws] of the recording at hand */
    /* Of the recordings that have both an interval and a reference: */
    int64_t n_known[SP_MOST_DRAW_FIGURES], n_held[SP_MOST_DRAW_FIGURES];
    double *misses; /* [n,recordings] by how much the reference lies outside of each interval; less than 0 within */
    int64_t n_recordings;
    bool has_reference;                    /* some recording has a label at every step */
    double widening[SP_MOST_DRAW_FIGURES]; /* of each side of an interval; infinite: not known, and there is no interval */
} sp_draw_figures;

/* Which figures the classes of an open pipeline have. With `widen_by` each interval becomes wider by what the intervals of that file need to hold 95 %
 * of their references: the least number that ceil(.95 (n + 1)) of their n misses do not exceed; of fewer than 19 there is none. To be cleared
 * in any case. SP_OK; SP_EDATA (nonsense about the length of a step; no intervals), SP_EFILE, SP_ENOMEM.
 * Source  conformalised quantile regression: Romano, Patterson, Candes 2019, arXiv:1905.03222. */
sp_status sp_draw_figures_open(sp_draw_figures *f, const sp_pipeline *p, int32_t n_draws, sp_error *err);
void sp_draw_figures_clear(sp_draw_figures *f);

/* Of the recording of n steps whose path begins at `path` and whose draws begin at draws + r * stride. segments, labels [n] or NULL.
 *   out  [f->n, SP_DRAW_COLUMNS]
 * SP_OK, SP_ENOMEM. */
sp_status sp_draw_figures_find(sp_draw_figures *f, int64_t n, const int32_t *path, const int64_t *segments, const int32_t *labels,
                               int32_t n_draws, const int32_t *draws, int64_t stride, double *out, sp_error *err);

/* Says how many of the references the intervals hold, and by how much wider they had to be. */
void sp_draw_figures_say(sp_draw_figures *f, const sp_run_options *o);

#endif
