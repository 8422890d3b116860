/* Figures of whole sequences, not of single steps, for whoever judges many paths: what an evaluation reports, by itself. Not
 * installed.
 *
 * Both sides are looked at inside stretches of scored steps; gaps (segments) cut.
 */
#ifndef EVALUATE_SEQUENCES_H
#define EVALUATE_SEQUENCES_H

#include "statepath/comparison.h"
#include "statepath/metrics.h"

/* Are these class names BIO or BIOES tags (BILOU too)? All of them can be read as one, one is O and one begins
 * something. SP_OK, SP_ENOMEM. */
sp_status sp_classes_are_tags(int32_t n_classes, const char *const *classes, bool *are_tags, sp_error *err);

/* A view; borrows everything. */
typedef struct sp_labelled_paths {
    int32_t n_classes;       /* K */
    int64_t n_recordings;    /* N */
    const int64_t *offsets;  /* [N+1] */
    const int64_t *segments; /* [S] or NULL */
    const int32_t *labels;   /* [S] -1 = unscored */
    const int32_t *paths;    /* [S] -1 = undecoded */
    const uint8_t *use;      /* [N] 0 = the recording does not count; NULL: all do */
} sp_labelled_paths;

/* Entities of each recording, read as conlleval does (comparison.h, sp_entity_counts); 0 of recordings that do not
 * count.
 *   classes  [K] names; those that are no tags have no entities
 *   out      [N], of which `reference`, `decoded` and `correct` are set
 * SP_OK, SP_ENOMEM. O(S). */
sp_status sp_entities_count(const sp_labelled_paths *paths, const char *const *classes, sp_entity_counts *out,
                            sp_error *err);

/* Of each recording 1 - Levenshtein(runs, runs of the reference) / the longer of both, in 0..1: out [N]; NaN without scored steps,
 * where the recording does not count, and where the numbers of runs multiply to more than 2^32. SP_OK, SP_ENOMEM.
 * Source  Lea et al. 2017, doi:10.1109/CVPR.2017.113. */
sp_status sp_edit_scores(const sp_labelled_paths *paths, double *out, sp_error *err);

/* What F1@10, 25, 50 and the edit score of one recording are made of (comparison.h, sp_segments). */
typedef struct sp_segment_counts {
    int64_t reference, decoded; /* segments on each side */
    int64_t matched[3];         /* at overlaps of 0.1, 0.25, 0.5 */
    double edit; /* 1 - Levenshtein distance / the longer of both; NaN: no segments, or too many as above */
} sp_segment_counts;

/* Of recording n; its `use` is not looked at.
 *   background  [K] 1: runs of the class are no segments; NULL: all are
 * SP_OK, SP_ENOMEM. O(T) and the distance. */
sp_status sp_segments_count(const sp_labelled_paths *paths, int64_t n, const uint8_t *background,
                            sp_segment_counts *out, sp_error *err);

#endif
