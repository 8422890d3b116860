/* Results for people and programs, all from one sp_comparison. Most functions return the whole document as text the caller frees;
 * the same comparison gives the same bytes. */
#ifndef STATEPATH_REPORT_H
#define STATEPATH_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "statepath/comparison.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The table for a terminal. `width` columns (0: 100, at least 40), colour by ANSI codes when asked, ascii: no byte above 127.
 * Shows per strategy: illegal, accuracy, kappa, macro F1, changes, path score, undecoded; then what must be known to read them
 * (undecoded recordings, the reference's own violations, mask ceiling, undefined figures), paired differences, confusion matrices
 * side by side (K <= 12), F1 by class (K <= 30), illegal pairs. verbose: all classes, pairs, recordings, and the time spent.
 * options may be NULL. SP_OK or SP_ENOMEM, like all of these; on failure *out is untouched. */
typedef struct sp_text_options {
    int width;
    bool colour, ascii, verbose;
} sp_text_options;
sp_status sp_report_text(const sp_comparison *comparison, const sp_text_options *options, char **out, sp_error *err);

/* JSON: counts, metrics, transitions, recordings and comparisons, in full precision (each number reads back as the same double).
 * Metrics without labels are absent; an undefined value is null and has "<key>_undefined": reason beside it; NaN never appears.
 * What the keys are: `statepath help figures`. Time is left out, so that the same input gives the same bytes. */
sp_status sp_report_json(const sp_comparison *comparison, char **out, sp_error *err);
/* Long CSV: strategy,recording,class,metric,value,n,low,high. Undefined values are empty. RFC 4180: quoting, CRLF. The metrics
 * are the keys of the JSON; "decoded_as B" (class A): steps of reference A decoded as B, those above 0. */
sp_status sp_report_csv(const sp_comparison *comparison, char **out, sp_error *err);
/* The same text piece by piece, about a MiB at a time, for files of many recordings: memory does not grow with their number. A
 * piece is not terminated. What the sink returns but SP_OK ends the writing and is returned, with its message. */
typedef sp_status sp_report_sink(void *arg, const char *text, size_t n, sp_error *err);
sp_status sp_report_json_to(const sp_comparison *comparison, sp_report_sink *sink, void *arg, sp_error *err);
sp_status sp_report_csv_to(const sp_comparison *comparison, sp_report_sink *sink, void *arg, sp_error *err);
/* Markdown tables as GitHub shows them. */
sp_status sp_report_markdown(const sp_comparison *comparison, char **out, sp_error *err);
/* Tables for LaTeX with the package booktabs, each a float with caption and label; means over recordings as mean ± SD, the best
 * of a column bold. Names are escaped; letters beyond ASCII stay as UTF-8. */
sp_status sp_report_latex(const sp_comparison *comparison, char **out, sp_error *err);
/* One self-contained HTML page: inline SVG and CSS, no external request (its content security policy forbids any), readable
 * without script, light and dark. Sections without data are left out; what is cut says so. Matrices up to K = 60, above that
 * lists; the table of recordings holds at most 1,000 (the worst); step plots of traces take about 600 kB, worst, median and best
 * of all recordings first, and score densities under them 150 kB, in the same order, for at most SP_DENSITY_CLASSES classes. */
sp_status sp_report_html(const sp_comparison *comparison, char **out, sp_error *err);
/* Recordings whose steps the page wants, ascending, where the comparison does not have those of all; *n 0: it has. Chosen over
 * all recordings: the least accurate by the strategy that the page is about, the most accurate and the median (without labels by
 * illegal transitions of argmax), then the next to the least accurate; at most SP_REPORT_DRAWN with most_steps steps in all. One
 * of the first three with more steps than are left is passed over, and the page says so. recordings: malloc; free() them.
 * SP_OK, SP_ENOMEM. O(N log N). The steps come from a second evaluation, of these alone (sp_evaluation_move_traces). */
enum { SP_REPORT_DRAWN = 100 };
sp_status sp_report_drawn(const sp_comparison *comparison, int64_t most_steps, int64_t **recordings, int64_t *n, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
