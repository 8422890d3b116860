/* Figures of each recording, such as total sleep time, and their intervals over paths drawn from the posterior (sp_draws()). A consumer of a run:
 * it asks for draws beside the path of one strategy, and keeps the figures, not the draws. */
#ifndef PIPELINE_DRAW_FIGURES_H
#define PIPELINE_DRAW_FIGURES_H

#include "pipeline/judging.h"
#include "statepath/comparison.h"
#include "tags/tags.h"

enum { SP_MOST_DRAW_FIGURES = SP_N_SLEEP_MEASURES + 3 };

typedef struct sp_draw_figures {
    sp_consumer consumer; /* what the pipeline sees */
    const sp_pipeline *p;
    sp_posterior_intervals
        *made; /* columns of recordings are filled in as they are decoded; NULL: no draws are asked for */
    sp_sleep_choice sleep;
    bool are_tags, has_reference; /* some recording has a label at every step */
    sp_tag *tags;                 /* [K] of tags */
    sp_tagged_span *spans;        /* [span_room] */
    int64_t span_room;
    double *values;        /* [n, n_draws] of the recording at hand */
    const sp_block *block; /* lent by reserve(), of the paths that follow */
    int32_t *draws;    /* [n_draws, steps of a block] of the block at hand: what output->draws points to */
    int64_t draw_room; /* steps */
} sp_draw_figures;

/* Where the options ask for draws: finds out which figures the classes of an open pipeline have (of stages of sleep those of sp_sleep_statistics, and
 * `awakenings`; of tags `entities`; of all classes `runs`), and makes itself a consumer of the pipeline, of the paths of the strategy
 * that sp_pipeline_lawful() says. A consumer that writes draws and figures is added after it. `f` stays where it is until it is
 * cleared, which has to be done in any case. SP_OK; SP_EINVAL (no such strategy), SP_EDATA (nonsense about the length of a step), SP_ENOMEM. */
sp_status sp_draw_figures_open(sp_draw_figures *f, sp_pipeline *p, sp_error *err);

/* After the run: judges all intervals by the references.
 *   out  the same for a comparison; to be freed (sp_posterior_free()); NULL where no draws are asked for. NULL: what intervals hold is said by the
 *        notice hook instead */
sp_status sp_draw_figures_finish(sp_draw_figures *f, sp_posterior_intervals **out, sp_error *err);
void sp_draw_figures_clear(sp_draw_figures *f);

#endif
