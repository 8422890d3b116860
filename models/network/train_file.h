/* Training from a file of signals to a file of weights, and to a page.
 *
 *     sp_train_plan plan = {.file = "signals.h5", .output = "weights.h5", .rate = NAN};
 *     sp_train_file(&plan, &err);
 */
#ifndef STATEPATH_NETWORK_TRAIN_FILE_H
#define STATEPATH_NETWORK_TRAIN_FILE_H

#include "statepath/signals_file.h"
#include "train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is told while training goes on. */
typedef struct sp_train_news {
    enum { SP_TRAIN_BEGINS, SP_TRAIN_EPOCH_BEGINS, SP_TRAIN_STEPS, SP_TRAIN_EPOCH_ENDS, SP_TRAIN_WROTE } what;
    int32_t epoch, n_epochs; /* which, of how many */
    int64_t n_steps;         /* of an epoch; so far */
    bool has_weights;        /* begins: each step counts by its weight */
    const sp_epoch *result;  /* an epoch ends */
    const char *file;        /* what was written; begins: the signals */
} sp_train_news;

/* Numbers of 0 (rate: NaN) and texts of NULL are not given: their defaults. */
typedef struct sp_train_plan {
    const char *file, *signals; /* and the dataset in it */
    sp_file_access access;
    const char *output; /* weights */
    bool force;         /* replaces files */
    int epochs, batch;  /* 12, 32 */
    double rate;        /* 0.001 */
    long seed;          /* 1 */
    int threads;
    bool has_masking;
    sp_masking masking; /* with has_masking; SP_MASKING_NONE */
    const char *model;  /* file or name of the rules */
    const char *report; /* a page (report.h) */
    void (*told)(void *arg, const sp_train_news *news);
    void *arg;
} sp_train_plan;

/* Reads the signals, trains and writes the weights after each epoch, then the page. A message names an option by its member.
 * SP_OK; SP_EINVAL; SP_EFILE; SP_EDATA; SP_ENOMEM. */
sp_status sp_train_file(const sp_train_plan *plan, sp_error *err);

/* Does the file hold what the network reads? SP_OK, SP_EDATA (names both). */
sp_status sp_network_fits(const sp_network *network, const char *weights, const sp_signals_info *info,
                          sp_error *err);

/* Which class of the network each class of the file is, by name, [K]; NULL (SP_OK) where they are the same in order, or one of
 * them has no names. The caller frees it. SP_OK; SP_EDATA (different names: lists both); SP_ENOMEM. */
sp_status sp_network_match_classes(const sp_network *network, const char *weights,
                                   const sp_signals_info *info, int32_t **out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
