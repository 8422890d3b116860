/* A small evaluation for tests: classes A, B, C, where C may not follow A and may not start; three recordings, n1 of 6 steps, n2
 * of 4 with a gap in the middle, n3 of 3 that greedy cannot decode; two strategies, argmax and greedy. */
#ifndef TEST_EVALUATION_EXAMPLE_H
#define TEST_EVALUATION_EXAMPLE_H

#include "check.h"

#include "evaluate/evaluate.h"

enum { N = -1, A, B, C };

/* [13] each but the results, which are [3]. */
extern const int64_t example_segments[];
extern const int32_t example_labels[], example_argmax[], example_greedy[];
extern const sp_decoded example_argmax_results[], example_greedy_results[];

/* New, to be freed; what the others return borrows from the arrays above. */
sp_model *example_model(void);
sp_chain *example_chain(void);
sp_evaluation_block example_block(void);
sp_evaluation_options example_options(void);
sp_comparison *example_comparison(const sp_evaluation_options *options);

#endif
