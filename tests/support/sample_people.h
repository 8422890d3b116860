/* Sleep statistics and raters for a made comparison. */
#ifndef TEST_SAMPLE_PEOPLE_H
#define TEST_SAMPLE_PEOPLE_H

#include "sample_comparison.h"

/* Counts sleep statistics from the traces (which must hold all recordings); class k is stage k. */
void sample_add_sleep(sample *s, double epoch_seconds, bool is_assumed);

/* Made-up agreement of n raters. */
void sample_add_raters(sample *s, int32_t n);

#endif
