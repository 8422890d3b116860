/* Runs of classes in the labels of a training set; not installed. */
#ifndef STATEPATH_LEARN_RUNS_H
#define STATEPATH_LEARN_RUNS_H

#include "statepath/learn.h"

typedef struct sp_label_run {
    int32_t k;
    bool is_cut; /* its end is not seen: the recording ends, a gap or an unscored step follows */
    int64_t length, recording;
} sp_label_run;

typedef struct sp_run_list {
    int64_t n, capacity;
    sp_label_run *list; /* [n] by class, then by length */
} sp_run_list;

/* Runs whose begin is a change of class, of the recordings that take part. with_cut: those too whose end is not seen. Runs whose begin
 * is not seen are left out: a run is the likelier to lie across the begin of a recording the longer it is, so what is left of it there
 * says less of how long runs are than of how long the run is in which one falls. SP_OK, SP_ENOMEM; to be cleared in any case. */
sp_status sp_run_list_collect(const sp_training *training, bool with_cut, sp_run_list *out, sp_error *err);
void sp_run_list_clear(sp_run_list *runs);

/* Place of the first run of class k or a later one. */
int64_t sp_run_list_from(const sp_run_list *runs, int32_t k);

#endif
