/* Steps of recordings as runs; how a list of them is read is of use to other rooms. Not installed. */
#ifndef EVALUATE_KEPT_STEPS_H
#define EVALUATE_KEPT_STEPS_H

#include "evaluate/counts/count_list.h"

/* What of a recording: its labels, all wake included; its segments; the path of each strategy, of -1 where it is undecoded. Of
 * relaxed paths there follows for each strategy which steps break a rule: 1, else 0. */
enum { SP_KEPT_LABELS, SP_KEPT_SEGMENTS, SP_KEPT_PATHS };

/* Where each of n recordings begins in a list: places [n]. False: it is not a list of so many. */
bool sp_kept_steps_find(const sp_count_list *list, int64_t n, int64_t *places);

/* Steps [n_steps] of the recording at a place: into `out`, where they are classes or -1, or else into `wide`. False: it has not
 * so many, or none of that kind. */
bool sp_kept_steps_read(const sp_count_list *list, int64_t place, int32_t stream, int64_t n_steps, int32_t *out, int64_t *wide);

#endif
