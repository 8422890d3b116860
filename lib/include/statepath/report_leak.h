/* What a classifier's scores put on forbidden classes (leak.h), for people and programs. */
#ifndef STATEPATH_REPORT_LEAK_H
#define STATEPATH_REPORT_LEAK_H

#include "statepath/leak.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SP_LEAK_QUANTILES = 4 };
/* The quantiles that are shown: 0.5, 0.9, 0.99, 0.999. */
extern const double sp_leak_probabilities[SP_LEAK_QUANTILES];

typedef struct sp_leak_report {
    const char *file;
    const char *what; /* "the step mask of the file", or "model sleep-strict, after the class before on the path of viterbi" */
    sp_leak_summary summary;
    double quantiles[SP_LEAK_QUANTILES];
    const char *recording; /* of the maximum; NULL when there is no row */
    int64_t step;          /* of the maximum, in its recording */
} sp_leak_report;

/* Both return the whole document as text the caller frees. JSON: file, what, rows, left_out, leaking, mean, quantiles, maximum,
 * recording, step; null where there is no row. */
sp_status sp_report_leak_text(const sp_leak_report *report, char **out, sp_error *err);
sp_status sp_report_leak_json(const sp_leak_report *report, char **out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
