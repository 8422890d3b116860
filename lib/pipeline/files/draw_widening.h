/* Intervals of draws made as wide as those of labelled recordings have to be. */
#ifndef PIPELINE_FILES_DRAW_WIDENING_H
#define PIPELINE_FILES_DRAW_WIDENING_H

#include "pipeline/draw_figures.h"

/* Before the run, where `widen_by` names a file of paths with intervals: each interval becomes wider by what those need to hold 95 % of their references
 * (sp_posterior_widening()). SP_OK; SP_EDATA (no intervals), SP_EFILE, SP_ENOMEM. */
sp_status sp_draw_figures_widen(sp_draw_figures *f, sp_error *err);

#endif
