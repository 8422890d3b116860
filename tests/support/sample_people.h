/* Sleep statistics and scorers for a made comparison. */
#ifndef TEST_SAMPLE_PEOPLE_H
#define TEST_SAMPLE_PEOPLE_H

#include "sample_comparison.h"

/* Counts sleep statistics from the traces (which must hold all recordings); class k is stage k. */
void sample_add_sleep(sample *s, double epoch_seconds, bool is_assumed);

/* Made-up agreement of n scorers. */
void sample_add_scorers(sample *s, int32_t n);

#endif
