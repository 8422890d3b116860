/* How long the runs of a compiled model are, by class. Not installed. */
#ifndef STATEPATH_CORE_CHAIN_H
#define STATEPATH_CORE_CHAIN_H

#include "statepath/model.h"

/* Shortest run of class k that the model allows: the least min_dwell of its states; 1 without. */
int32_t sp_chain_min_dwell(const sp_chain *chain, int32_t k);

bool sp_chain_has_durations(const sp_chain *chain);
/* Are there runs of some class that do not fit (sp_chain_run_fit())? */
bool sp_chain_bounds_runs(const sp_chain *chain);
/* Lengths of the runs of class k and its weights, log p(d); NULL: it has no duration. */
const struct sp_run_weights *sp_chain_duration(const sp_chain *chain, int32_t k);
/* Are its runs whole at the sides of recordings and gaps? */
void sp_chain_durations_ends(const sp_chain *chain, bool *whole_at_start, bool *whole_at_end);

/* What stands beside a run. */
typedef enum sp_run_side {
    SP_BESIDE_CLASS,    /* another class */
    SP_BESIDE_UNSCORED, /* a step without a class: the run may be longer than is seen */
    SP_BESIDE_GAP,
    SP_BESIDE_END /* the start or the end of the recording */
} sp_run_side;
typedef enum sp_run_fit { SP_RUN_FITS, SP_RUN_TOO_SHORT, SP_RUN_TOO_LONG } sp_run_fit;

/* May a run of class k have d steps, by its minimum dwell or its duration? See short_runs and long_runs in metrics.h. */
sp_run_fit sp_chain_run_fit(const sp_chain *chain, int32_t k, int64_t d, sp_run_side before,
                            sp_run_side after);

#endif
