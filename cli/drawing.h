/* Steps for the pictures of a page, where a file has too many to keep all: the recordings are chosen when all are evaluated, and
 * looked at once more. */
#ifndef STATEPATH_CLI_DRAWING_H
#define STATEPATH_CLI_DRAWING_H

#include "statepath/report.h"

/* Steps kept for a page; of each a class a strategy, the label, the gap and a byte a class. */
enum { DRAWN_STEPS = 1000000 };

/* Evaluates these recordings (ascending) again, as they were. */
typedef sp_status judge_again(void *arg, int64_t n, const int64_t *recordings, sp_evaluation *evaluation, sp_error *err);

/* Gives the comparison the steps that its page draws; nothing to do where it has all, or no page is wanted.
 *   chain, how   as of the evaluation that the comparison comes from */
sp_status drawing_fetch(const sp_chain *chain, const sp_evaluation_options *how, judge_again *judge, void *arg,
                        sp_comparison *comparison, sp_error *err);

#endif
