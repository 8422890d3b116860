/* A small problem for tests of evaluations: classes A, B, C, where C may not follow A and may not start; three recordings, n1 of 6
 * steps, n2 of 4 with a gap in the middle, n3 of 3 that greedy cannot decode; two strategies, argmax and greedy. */
#ifndef TEST_EXAMPLE_PATHS_H
#define TEST_EXAMPLE_PATHS_H

#include "statepath/pipeline.h"

enum { N = -1, A, B, C };

/* [13] each but the results and ids, which are [3], and offsets [4]. */
extern const int64_t example_offsets[], example_segments[];
extern const char *const example_ids[];
extern const int32_t example_labels[], example_argmax[], example_greedy[];
extern const sp_decoded example_argmax_results[], example_greedy_results[];

sp_model *example_model(void); /* to be freed */

/* Evaluated by sp_evaluate(); options may be NULL. */
sp_comparison *example_evaluated(const sp_run_options *options);

#endif
