/* The units of inference: recordings, or where the file says whose they are, subjects; not installed.
 *
 * A unit's difference of two strategies is the mean of the differences of its recordings, each recording counting the same; as a
 * cluster of the bootstrap it is the sum of their counts. */
#ifndef EVALUATE_UNITS_H
#define EVALUATE_UNITS_H

#include "evaluate/statistics/clusters.h"
#include "statepath/comparison.h"

typedef struct sp_units {
    int64_t n, n_recordings;
    int64_t *of_recording; /* [N] unit, in the order of appearance; -1: takes no part */
    int64_t *of_row;       /* [recordings that take part] the same without -1 */
    bool is_subjects;
} sp_units;

/* Units of the recordings with scored steps, or of all. SP_OK, SP_ENOMEM; free with sp_units_free() in any case. */
sp_status sp_units_open(const sp_comparison *c, bool only_scored, sp_units *out, sp_error *err);
void sp_units_free(sp_units *units);

/* out [n units]: means over the unit's recordings of values [N], NaN (undefined) left out; NaN where none is left. Means over
 * subjects are rounded to 2^-40, so that those equal on paper are equal as doubles and tie. SP_OK, SP_ENOMEM. */
sp_status sp_units_mean(const sp_units *units, const double *values, double *out, sp_error *err);

/* The bootstrap over units of statistics of what is counted by recording: row i is the i-th recording that takes part. */
sp_status sp_units_bootstrap(const sp_units *units, const sp_clusters *rows, const sp_statistics *statistics,
                             const sp_bootstrap_options *options, sp_workers *workers, sp_difference *out,
                             sp_error *err);

/* An interval that is missing for want of a second unit says which unit. */
void sp_units_reason(const sp_units *units, int64_t n, sp_difference *differences);

/* Of the differences of units [n], NaN where undefined: mean, median and standard deviation; the defined ones, of which there
 * are as many as returned, are brought to the front and sorted. none: why there may be none. */
int64_t sp_units_describe(const sp_units *units, double *d, const char *none, sp_pair_comparison *out);

#endif
