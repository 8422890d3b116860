/* Numbers of labels in another file than the scores: are they columns of the scores, or classes of the model? */
#ifndef PIPELINE_FILES_LABEL_ORDER_H
#define PIPELINE_FILES_LABEL_ORDER_H

#include "pipeline/files/reference.h"

/* Are the columns of p's scores or paths in the order of its model's classes? */
bool sp_columns_are_in_order(const sp_pipeline *p);

/* What p's run says of it: the numbers are classes of the model; else columns, or nothing is said. */
bool sp_label_order_is_model(const sp_pipeline *p);

/* The same for a text: the class of the model that each number is, [K]; NULL: in the model's order. */
const int32_t *sp_label_order_of_text(const sp_pipeline *p);

/* The column that stands at each step of a recording of p, by its scores or by a path, -1 where none does: out [n_steps]. */
typedef sp_status sp_standing(void *arg, int64_t recording, int64_t n_steps, int32_t *out, sp_error *err);
/* Of the scores: the greatest; arg: the sp_recordings. */
sp_standing sp_standing_of_scores;

/* After the recordings of both files are matched. Names of classes in the labels' file, words and codes say what a label is; bare numbers
 * mean the columns where these are in the order of the model. Where they are in another order and `label_order` does not say which is
 * meant: SP_EDATA, with the share of labelled steps (of the first 10 million) at which each reading agrees with what stands there.
 *   beside     what the numbers stand beside, for the sentence: "scores", "paths"
 *   own_steps  [N+1] offsets of p's recordings
 * A `label_order` that changes nothing is said in a notice. SP_OK; SP_EDATA; SP_ENOMEM, and what reading returns. */
sp_status sp_label_order_check(const sp_reference *l, const sp_pipeline *p, const char *beside,
                               const int64_t *own_steps, int64_t n_recordings, sp_standing *standing,
                               void *arg, sp_error *err);

#endif
