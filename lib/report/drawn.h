/* Which recordings the page draws: for whoever keeps their steps. Not installed. */
#ifndef STATEPATH_REPORT_DRAWN_H
#define STATEPATH_REPORT_DRAWN_H

#include "statepath/report.h"

/* Recordings whose steps the page wants, ascending, where the comparison does not have those of all; *n 0: it has. All, where
 * they have no more than most_steps in all; else chosen over all recordings: those asked for, the least accurate by the strategy
 * that the page is about, the most accurate and the median (without labels by illegal transitions of argmax), then, in turn, the next to the
 * least accurate and some spread over the ranking; at most SP_REPORT_DRAWN with most_steps steps in all. One with more steps than are
 * left is passed over, and the page says so. recordings: malloc; free() them. SP_OK, SP_ENOMEM. O(N log N). The steps come from a second
 * evaluation, of these alone (sp_evaluation_move_traces). */
enum { SP_REPORT_DRAWN = 400 };
sp_status sp_report_drawn(const sp_comparison *comparison, int64_t most_steps, int64_t **recordings,
                          int64_t *n, sp_error *err);

/* The recordings whose steps the comparison has, [*n]: those asked for, then the others so that any first few of them are spread
 * evenly over the ranking. free() them. SP_OK, SP_ENOMEM. */
sp_status sp_report_spread(const sp_comparison *comparison, int64_t **recordings, int64_t *n, sp_error *err);

/* Does the page of this build decode (was statepath.wasm built)? */
bool sp_report_decodes(void);

#endif
