/* Results for people and programs, all from one sp_comparison. Every function returns the whole document as text the caller
 * frees; the same comparison gives the same bytes. */
#ifndef STATEPATH_REPORT_H
#define STATEPATH_REPORT_H

#include <stdbool.h>

#include "statepath/comparison.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The table for a terminal. `width` columns (0: 100), colour by ANSI codes when asked. Shows per strategy: illegal, accuracy,
 * kappa, macro F1, changes, undecoded; then confusion matrices (K <= 12), forbidden pairs met, reference's own, mask ceiling,
 * comparisons. */
typedef struct sp_text_options {
    int width;
    bool colour, ascii, verbose;
} sp_text_options;
sp_status sp_report_text(const sp_comparison *comparison, const sp_text_options *options, char **out, sp_error *err);

/* JSON as the contract of results says (schema: models/ has none; see docs in report/). */
sp_status sp_report_json(const sp_comparison *comparison, char **out, sp_error *err);
/* Long CSV: strategy,recording,class,metric,value,n,low,high. Undefined values are empty. RFC 4180 quoting. */
sp_status sp_report_csv(const sp_comparison *comparison, char **out, sp_error *err);
/* Markdown tables as GitHub shows them. */
sp_status sp_report_markdown(const sp_comparison *comparison, char **out, sp_error *err);
/* One self-contained HTML page: inline SVG and CSS, no external request, readable without script. */
sp_status sp_report_html(const sp_comparison *comparison, char **out, sp_error *err);

/* Writes text to a file: a temporary file beside it, then rename. `force` to replace an existing one. "-" is standard output. */
sp_status sp_text_save(const char *file, const char *text, bool force, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
