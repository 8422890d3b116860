/* Kinds of work: by what each is recognised, what it reads first, which classes it leaves out. Not installed. */
#ifndef EVALUATE_WORK_H
#define EVALUATE_WORK_H

#include "statepath/metrics.h"

typedef struct sp_work_row {
    const char *name; /* "actions" */
    sp_words words;
    const char *leads[4]; /* keys of figures of a strategy that are read before accuracy; ends with NULL */
    const char *marks
        [4]; /* classes by whose names it is recognised, besides those that are stages or tags; ends with NULL */
    const char *background[2]; /* classes that are no segments, where there are such; ends with NULL */
    const char *tune;          /* what settings of models are chosen by (sp_tune_name()); NULL: accuracy */
    int first;                 /* what its readers call the first step of a recording */
} sp_work_row;

const sp_work_row *sp_work_about(sp_work work);

/* The number by which a reader knows a step: scorers of sleep count epochs from 1. Data and addresses count all steps from 0. */
int64_t sp_step_number(sp_work work, int64_t step);

/* What the names of classes say, SP_WORK_STEPS where nothing; whether they are stages of sleep the caller knows.
 * SP_OK, SP_ENOMEM. */
sp_status sp_work_guess(bool is_sleep, int32_t n_classes, const char *const *classes, sp_work *out,
                        sp_error *err);

/* ---- what recordings and steps are called ---- */

/* One of the words; words may be NULL. */
const char *sp_word_of(const sp_words *words, sp_word word);

#endif
