/* A small comparison by the public functions, for tests of what is written and judged. */
#ifndef TEST_SAMPLE_H
#define TEST_SAMPLE_H

#include "statepath/comparison.h"

/* Three classes (Wake, NREM, REM; Wake -> REM is forbidden), two nights of 8 and 6 steps, 13 with a reference, two scorers; argmax breaks
 * the rule twice, greedy did not decode the second night, viterbi breaks nothing. options NULL: the usual ones. */
struct sp_run_options;
sp_comparison *sample_small(const struct sp_run_options *options);

#endif
