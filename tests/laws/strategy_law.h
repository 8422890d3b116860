/* The law of strategies: each strategy, in each form in which it can be asked for, gives what the oracle
 * says.
 *
 * Needs the public headers of libstatepath and the oracle only, so that it is built wherever the library is.
 * */
#ifndef TEST_STRATEGY_LAW_H
#define TEST_STRATEGY_LAW_H

#include "random_model.h"
#include "statepath/decode.h"

/* A model and recordings, drawn together; of each recording what the oracle needs. */
typedef struct law_case {
    random_case c; /* its scores are those of all recordings, one after the other */
    random_shape shape;
    bool is_exact;        /* all sums of weights are exact */
    bool has_near_ties;   /* they are not, and paths of equal weight are many */
    bool has_run_weights; /* lengths weigh something that is not a whole number */
    bool has_durations;   /* some class has one */
    sp_batch batch;       /* f64 */
    int64_t *offsets;
    float *narrow;       /* [S,K] the same scores, which floats hold; NULL: they do not */
    bool is_of_kernels;  /* numbers of classes, states and recordings are those around limits of kernels */
    oracle_model *graph; /* NULL: there are rules */
    oracle_list *lists;  /* [N] all paths of each recording; NULL: there are too many */
    double **marginals;  /* [N][T,K] logs, filled when they are asked for */
    double *log_z;
} law_case;

/* From that seed on recordings are too long, or too many, for all their paths: what kernels are for. */
enum { LAW_OF_KERNELS = 10000 };
law_case law_case_new(uint64_t seed);
/* Fills in what follows from the model, the shape and the batch. is_enumerated: recordings have a few steps.
 * */
void law_case_finish(law_case *x, bool is_enumerated);
void law_case_free(law_case *x);

/* Ends the program with the case, the strategy and what is wrong. */
void law_fail(const law_case *x, const sp_strategy *strategy, bool is_relaxed, const char *form,
              int64_t recording, const char *what);

/* ---- answers: strategy_forms.c ---- */

typedef struct law_answer {
    int32_t *paths;      /* [S] */
    sp_decoded *results; /* [N] */
    uint8_t *broken;     /* [S] */
} law_answer;

law_answer law_answer_new(const sp_batch *batch);
void law_answer_free(law_answer *a);

/* What every form says, and whether there is one that differs. The first, alone on the calling thread, is
 * handed back. */
law_answer law_decode(const law_case *x, const sp_strategy *strategy, bool is_relaxed);

/* Confidence, margins, N best paths and draws beside paths, in every form that has them. */
void law_check_extras(const law_case *x, const sp_strategy *strategy);

/* Streams whose length was told. */
void law_check_announced(const law_case *x);

/* ---- what the oracle says of it: strategy_oracle.c ---- */

void law_compare(law_case *x, const sp_strategy *strategy, bool is_relaxed, const law_answer *a);

/* Log marginals [T,K] of a recording that has a path; NULL: it has none. *log_z may be NULL. */
const double *law_marginals(law_case *x, int64_t recording, double *log_z);

/* Weight of a path of classes; -INFINITY: not allowed. NAN: the oracle does not know (rules, and too many
 * steps). */
double law_path_score(const law_case *x, const sp_scores *scores, int64_t recording, const int32_t *path);

#endif
