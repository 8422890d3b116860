/* Results for people and programs, all from one sp_comparison. Most functions return the whole document as text the caller frees;
 * the same comparison gives the same bytes.
 *
 *     sp_report_html(comparison, &page, &err);
 *     sp_text_save("report.html", page, false, &err);     files.h
 */
#ifndef STATEPATH_REPORT_H
#define STATEPATH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statepath/mask.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is in it stands in comparison.h. */
typedef struct sp_comparison sp_comparison;

/* The table for a terminal. `width` columns (0: 100, at least 40), colour by ANSI codes when asked, ascii: no byte above 127.
 * Shows per strategy: illegal, accuracy, kappa, macro F1, changes, path score, undecoded; then what must be known to read them
 * (undecoded recordings, the reference's own violations, mask ceiling, undefined figures), paired differences, confusion matrices
 * side by side (K <= 12), F1 by class (K <= 30), illegal pairs. verbose: all classes, pairs, recordings, and the time spent.
 * options may be NULL. SP_OK or SP_ENOMEM, like all of these; on failure *out is untouched. */
typedef struct sp_text_options {
    int width;
    bool colour, ascii, verbose;
} sp_text_options;
sp_status sp_report_text(const sp_comparison *comparison, const sp_text_options *options, char **out,
                         sp_error *err);

/* JSON: counts, metrics, transitions, recordings and comparisons, in full precision (each number reads back as the same double).
 * Metrics without labels are absent; an undefined value is null and has "<key>_undefined": reason beside it; NaN never appears.
 * What the keys are: `statepath help figures`. Time is left out, so that the same input gives the same bytes. */
sp_status sp_report_json(const sp_comparison *comparison, char **out, sp_error *err);
/* Its schema (JSON Schema, draft 2020-12): nesting, types, ranges, and what each key means. SP_OK or SP_ENOMEM. */
sp_status sp_report_schema(char **out, sp_error *err);
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
 * lists; the table of recordings holds at most 1,000 (the worst); step plots and paths for the script take about 400 kB, worst,
 * median and best of all recordings first, and probabilities 200 kB, in the same order, for at most SP_DENSITY_CLASSES classes.
 */
sp_status sp_report_html(const sp_comparison *comparison, char **out, sp_error *err);

/* The figures of the page, each as an SVG file of its own with the styles that it needs, in light colours. `name` says what it shows,
 * "accuracy-by-strategy", "step-plot-of-r04"; the page has it as data-file. It has small letters, digits and "-" of ASCII, and whatever
 * else names of classes, strategies and recordings are made of beyond ASCII, in UTF-8, at most about 150 bytes; no two are the same: where
 * names differ in other signs only, "-2" follows. What the function returns but SP_OK ends it and is returned, with its message.
 * SP_ENOMEM. */
typedef sp_status sp_report_figure(void *arg, const char *name, const char *svg, sp_error *err);
sp_status sp_report_figures(const sp_comparison *comparison, sp_report_figure *figure, void *arg,
                            sp_error *err);

/* ---- leak ----
 *
 * What a classifier's scores put on forbidden classes (mask.h), for people and programs.
 */

enum { SP_LEAK_QUANTILES = 4 };
/* The quantiles that are shown: 0.5, 0.9, 0.99, 0.999. */
extern const double sp_leak_probabilities[SP_LEAK_QUANTILES];

typedef struct sp_leak_report {
    const char *file;
    const char *
        what; /* "the step mask of the file", or "model sleep-strict, after the class before on the path of viterbi" */
    sp_leak_summary summary;
    double quantiles[SP_LEAK_QUANTILES];
    const char *recording; /* of the maximum; NULL when there is no row */
    int64_t step;          /* of the maximum, in its recording */
} sp_leak_report;

/* Both return the whole document as text the caller frees. JSON: file, what, rows, left_out, leaking, mean, quantiles, maximum,
 * recording, step; null where there is no row. */
sp_status sp_report_leak_text(const sp_leak_report *report, char **out, sp_error *err);
sp_status sp_report_leak_json(const sp_leak_report *report, char **out, sp_error *err);

/* ---- training on signals ----
 *
 * The page of a training: signals, stages, rules, how networks learned, what they say of recordings they have not seen.
 */

/* How one network learned and what it says; borrows. */
typedef struct sp_trained {
    const char *name;                        /* "masking none" */
    const char *how;                         /* it was trained: "without masks" */
    bool is_meant_to_fail;                   /* said wherever its result is */
    int32_t n_epochs;                        /* E */
    const double *loss, *accuracy;           /* [E] over the training steps */
    const double *test_loss, *test_accuracy; /* [E], NaN without test steps */
    const int32_t *path; /* [steps of test recordings, in order] its best class of each step */
} sp_trained;

/* Everything the page shows; borrows. */
typedef struct sp_signals_report {
    const char *file, *model_name; /* model_name NULL: no rules */
    int32_t n_classes, n_channels;
    const char *const *classes; /* [K] */
    const uint8_t *allow;       /* [K,K] rows = from, or NULL */
    int64_t n_recordings, n_steps;
    const int64_t *offsets; /* [N+1] */
    const char *const *ids; /* [N] */
    const uint8_t *is_test; /* [N] */
    const int32_t *labels;  /* [S] -1 = none */
    const double *weights;  /* [S] a step of weight 0 is not judged; or NULL */
    double rate;            /* samples per second; 0: not known */
    int64_t n_samples;      /* of each example */
    const float *const *
        examples; /* [K] first samples of a step of each class, [C, n_samples], or NULL where there is none */
    const sp_trained *network;
} sp_signals_report;

/* A whole HTML page that requests nothing, which the caller frees. The same report gives the same bytes. SP_OK, SP_ENOMEM. */
sp_status sp_report_signals_html(const sp_signals_report *report, char **out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
