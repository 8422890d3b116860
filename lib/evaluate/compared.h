/* How pairs of strategies are compared by a figure: a column of the table of figures (figures.c). Not installed. */
#ifndef EVALUATE_COMPARED_H
#define EVALUATE_COMPARED_H

#include "evaluate/counts/shares.h"
#include "evaluate/figures.h"

/* What is said of a pair's difference beside its interval. */
typedef enum sp_compared_tests {
    SP_INTERVAL_ALONE,
    SP_SIGN_FLIPS, /* a test of the mean of the units' differences */
    SP_ALL_TESTS
} sp_compared_tests;

/* What is counted of each recording, and thereby resampled. */
typedef enum sp_compared_from {
    SP_FROM_SHARES,      /* of whole sequences: `share` */
    SP_FROM_RIGHT_STEPS, /* and scored steps */
    SP_FROM_MARGINS,     /* of confusion matrices: `which` (counts/margins.h) */
    SP_FROM_TRANSITIONS  /* illegal and all, a share too, over all recordings */
} sp_compared_from;

typedef struct sp_compared {
    const char *name;    /* within a sentence, where no table says what it is of: "entity F1" */
    const char *heading; /* over a narrow table */
    const char *title, *title_subjects; /* over any other, where units are recordings or subjects */
    double scale;                       /* 100: differences are shown in percentage points; 1: as they are */
    int decimals;                       /* of these */
    int works;                          /* bits 1 << sp_work of those that are compared by it; 0: all */
    sp_compared_tests tests;
    sp_compared_from from;
    int which;
    sp_share_of *share;
} sp_compared;

/* By the metric of a pair. */
const sp_compared *sp_compared_by(const char *metric);

/* Pairs of one metric, which stand together. */
typedef struct sp_pairs {
    const sp_pair_comparison *list;
    int32_t n;
} sp_pairs;
sp_pairs sp_pairs_by(const sp_comparison *comparison, const char *metric);
sp_pairs sp_tested_pairs(const sp_comparison *comparison); /* by the figure that has all tests: accuracy */

#endif
