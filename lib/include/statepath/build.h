/* Building models: the usual shapes, and from counted labels. */
#ifndef STATEPATH_BUILD_H
#define STATEPATH_BUILD_H

#include "statepath/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tagging models over entity types, e.g. {"PER","LOC"} -> O, B-PER, I-PER, B-LOC, I-LOC. I-X only after B-X or I-X, never first.
 * bioes adds E-X and S-X: B-X and I-X are followed by I-X or E-X; nothing ends in B-X or I-X.
 * Returns, as all builders here: SP_OK, SP_EINVAL (no names, an empty or a repeated one, step < 1), SP_ENOMEM. */
sp_status sp_model_new_bio(int32_t n_types, const char *const *types, sp_model **out, sp_error *err);
sp_status sp_model_new_bioes(int32_t n_types, const char *const *types, sp_model **out, sp_error *err);

/* Over given classes: left-right (stay, or go on by up to `step` classes; starts in the first, ends anywhere), cycle (stay or go
 * to the next, the last goes to the first), band (stay, or move by up to `step` classes either way). step >= 1. */
sp_status sp_model_new_left_right(int32_t n_classes, const char *const *classes, int32_t step, sp_model **out, sp_error *err);
sp_status sp_model_new_cycle(int32_t n_classes, const char *const *classes, sp_model **out, sp_error *err);
sp_status sp_model_new_band(int32_t n_classes, const char *const *classes, int32_t step, sp_model **out, sp_error *err);

/* Counts of labels, added to recording by recording. */
typedef struct sp_label_counts {
    int32_t n_classes;
    int64_t *transitions; /* [K,K] inside recordings and segments, both steps scored */
    int64_t *starts;      /* [K] first step of each recording, when scored */
    int64_t *ends;        /* [K] */
    int64_t *steps;       /* [K] */
    int64_t n_recordings;
} sp_label_counts;
sp_status sp_label_counts_init(sp_label_counts *counts, int32_t n_classes, sp_error *err); /* SP_OK, SP_EINVAL, SP_ENOMEM */
void sp_label_counts_clear(sp_label_counts *counts);                                       /* frees */
/* One recording. labels [T] -1 (unscored) to K-1; segments [T] or NULL. */
void sp_label_counts_add(sp_label_counts *counts, int64_t n_steps, const int32_t *labels, const int64_t *segments);

/* The model that allows the transitions and starts seen at least min_count times (staying is always allowed for a class seen at
 * all; classes never seen may be entered from nowhere and are warned about by model check). Boolean; ends anywhere; prior from
 * the steps (used only where prior_weight asks for it). min_count >= 1. SP_OK; SP_EINVAL (min_count, no labelled step, no start
 * seen often enough); SP_EMODEL (names empty or repeated); SP_ENOMEM. */
sp_status sp_model_from_counts(const char *name, const char *const *classes, const sp_label_counts *counts, int64_t min_count,
                               sp_model **out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
