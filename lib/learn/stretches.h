/* Recordings cut where labels cannot be followed; not installed.
 *
 * A stretch is a run of steps in a row that are labelled, possible (score above -INFINITY) and obey the rules. It is what a
 * conditional likelihood can be written for: inside it every factor is finite.
 */
#ifndef STATEPATH_LEARN_STRETCHES_H
#define STATEPATH_LEARN_STRETCHES_H

#include "learn/training.h"
#include "statepath/learn.h"

typedef struct sp_stretch {
    int64_t first;     /* row of the batch */
    int64_t n_steps;   /* >= 1 */
    int64_t recording; /* of the batch */
    bool is_start;     /* begins with its recording, in a class that may start: start weights count */
    bool is_end;       /* ends with its recording, in a class that may end: end weights count */
    bool
        is_entry; /* its first run is known to begin there; false: an unscored step hides how long it has lasted */
} sp_stretch;

typedef struct sp_stretches {
    int64_t n;
    sp_stretch *list; /* [n] */
} sp_stretches;

/* Cuts. violations out (cleared and filled), freed by the caller. SP_OK, SP_ENOMEM. */
sp_status sp_stretches_init(sp_stretches *stretches, const sp_training *training, const sp_rules *rules,
                            sp_violations *violations, sp_error *err);
void sp_stretches_clear(sp_stretches *stretches);

/* Whole recordings that take part, cut at gaps only, labels not looked at: what an unsupervised learner sees. SP_OK, SP_ENOMEM.
 */
sp_status sp_stretches_unlabelled(sp_stretches *stretches, const sp_training *training, sp_error *err);

#endif
