/* Steps of recordings as runs; how a list of them is read is of use to other rooms. Not installed. */
#ifndef EVALUATE_KEPT_STEPS_H
#define EVALUATE_KEPT_STEPS_H

#include "evaluate/counts/count_list.h"

/* What of a recording: its labels, all wake included; its segments; the path of each strategy, of -1 where it is undecoded. Of
 * relaxed paths there follows for each strategy which steps break a rule: 1, else 0. */
enum { SP_KEPT_LABELS, SP_KEPT_SEGMENTS, SP_KEPT_PATHS };

/* What is kept of a run. */
typedef struct sp_kept_form {
    bool has_labels, has_segments, is_relaxed;
    int32_t n_strategies, n_classes;
} sp_kept_form;

/* Where each of n recordings begins in a list: places [n]. n_steps [n], each at least 0. False: it is no list of such recordings,
 * each of which has so many steps of each kind, with classes below n_classes. */
bool sp_kept_steps_check(const sp_count_list *list, const sp_kept_form *form, int64_t n,
                         const int64_t *n_steps, int64_t *places);

/* Steps first .. first+n-1 of the recording at a place of a list that was checked: into `out`, or of segments into `wide`. */
void sp_kept_steps_read(const sp_count_list *list, int64_t place, int32_t stream, int64_t first, int64_t n,
                        int32_t *out, int64_t *wide);

#endif
