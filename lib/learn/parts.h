/* Recordings cut where labels cannot be followed; not installed.
 *
 * A part is a run of steps in a row that are labelled, possible (score above -INFINITY) and obey the rules. It is what a
 * conditional likelihood can be written for: inside it every factor is finite.
 */
#ifndef STATEPATH_LEARN_PARTS_H
#define STATEPATH_LEARN_PARTS_H

#include "learn/training.h"
#include "statepath/learn.h"

typedef struct sp_part {
    int64_t first;     /* row of the batch */
    int64_t n_steps;   /* >= 1 */
    int64_t recording; /* of the batch */
    bool is_start;     /* begins with its recording, in a class that may start: start weights count */
    bool is_end;       /* ends with its recording, in a class that may end: end weights count */
    bool is_entry;     /* its first run is known to begin there; false: an unscored step hides how long it has lasted */
} sp_part;

typedef struct sp_parts {
    int64_t n;
    sp_part *list; /* [n] */
} sp_parts;

/* Cuts. violations out (cleared and filled), freed by the caller. SP_OK, SP_ENOMEM. */
sp_status sp_parts_init(sp_parts *parts, const sp_training *training, const sp_rules *rules, sp_violations *violations,
                        sp_error *err);
void sp_parts_clear(sp_parts *parts);

/* Whole recordings that take part, cut at gaps only, labels not looked at: what an unsupervised learner sees. SP_OK, SP_ENOMEM.
 */
sp_status sp_parts_unlabelled(sp_parts *parts, const sp_training *training, sp_error *err);

#endif
