/* The evaluation of a run: what compare and evaluate share but for where paths come from. */
#ifndef PIPELINE_EVALUATION_H
#define PIPELINE_EVALUATION_H

#include "pipeline/pipeline.h"

/* Steps kept for a page and the recordings that it draws come from a second look at these, once all are evaluated. */
typedef struct sp_evaluated {
    bool has_labels, has_path_scores, has_length_trim;
    const bool *is_legal;    /* [n_strategies] by construction */
    sp_source *source;       /* where the length of a step may stand, or NULL */
    sp_paths_reader *reader; /* likewise */
    int64_t file_size;
    const char *const *input_classes; /* as the file of scores or paths names them, or NULL */
    const char *path_codes;           /* or NULL */
    /* Evaluates all recordings (n -1), or some (ascending) once more, for their steps alone: `recordings` [n]. */
    sp_status (*run)(void *arg, int64_t n, const int64_t *recordings, sp_evaluation *evaluation, sp_error *err);
    void *arg;
} sp_evaluated;

/* Evaluates what `what->run` brings, with the statistics that the options name, and describes it. */
sp_status sp_pipeline_evaluate(sp_pipeline *p, const sp_evaluated *what, sp_comparison **out, sp_error *err);

#endif
