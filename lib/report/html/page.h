/* The page. Each section adds itself, or nothing where the comparison has no data for it. All names are escaped; the page's
 * policy forbids every request. */
#ifndef STATEPATH_REPORT_HTML_PAGE_H
#define STATEPATH_REPORT_HTML_PAGE_H

#include "report/chart/chart.h"
#include "report/document.h"
#include "report/html/frame.h"

typedef struct sp_page {
    const sp_comparison *comparison;
    sp_buffer out;
    int32_t focus, argmax; /* strategies; -1: none */
    size_t density_bytes;  /* written for score densities, and how many recordings have one */
    int64_t n_densities;
    int n_tracks;                   /* paths drawn so far: their ids */
    int64_t n_named, n_unnamed;     /* marks of illegal transitions with a title of their own, and without */
    int64_t most_named;             /* marks that may have a title of their own by now */
    bool has_lane_shapes;           /* sp_page_lane_shapes() was called */
    bool has_bars;                  /* a path has bars in place of triangles */
    int n_pictures;                 /* drawn so far: the ids of their titles */
    sp_buffer picture_names;        /* that are taken, each between two "/" */
    struct sp_picture_files *files; /* where pictures go, too; NULL: nowhere */
    bool is_file;                   /* what is drawn stands in a file of its own, */
    int tall;                       /* which has so many pixels of tracks */
} sp_page;

/* A <dt> and <dd>; the name may have words as in sp_buffer_words(), the format is that of sp_html_say(). */
void sp_page_item(sp_page *page, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A chart of the page, not opened yet. */
sp_chart sp_page_chart(sp_page *page, const sp_chart_area *area, sp_axis x, sp_axis y);
/* The list that says which shape is which strategy's. */
void sp_page_key(sp_page *page);
/* Rows of the table; 0, and the page has failed too, where the table has. */
size_t sp_page_rows(sp_page *page, const sp_table *table);
/* Adds the table, and frees it. Nothing without rows. */
void sp_page_table(sp_page *page, sp_table *table, const char *classes);
/* The numbers of a figure behind a fold, at the end of its caption, which the caller closes. Frees the table. */
void sp_page_numbers(sp_page *page, sp_table *table);
/* The table of the report's document with this key, of strategy `strategy` where it is one of each, and its note; returns whether
 * it has rows. */
bool sp_page_document(sp_page *page, const char *key, int32_t strategy);
/* A table behind a fold, nothing where it has no rows. Frees it. */
void sp_page_folded(sp_page *page, const char *summary, sp_table *table, const char *classes);
/* Adds a table that is not of the document; behind a fold with a summary, which is text, unless that is NULL. */
void sp_page_filled(sp_page *page, const char *summary, sp_filler *fill, const sp_fill_options *options,
                    const char *classes);
/* The same with a last column in which each row has a strip of one scale. */
typedef struct sp_strips {
    sp_axis axis;
    bool has_rule;                                             /* a thin line along each strip */
    void (*draw)(const void *arg, size_t row, sp_buffer *out); /* row 0 is the first below the head */
    const void *arg;
} sp_strips;
void sp_page_strips(sp_page *page, sp_filler *fill, const sp_fill_options *options, const char *classes,
                    const sp_strips *strips);
/* The note that stands under a table, as a small paragraph. */
void sp_page_note(sp_page *page, sp_noter *noter);

/* The whole page; files: as in sp_page. */
sp_buffer sp_page_text(const sp_comparison *comparison, struct sp_picture_files *files);

/* ---- pictures (pictures.c) ----
 *
 *     sp_page_chart_open(page, &chart, "plot", "accuracy-by-strategy"); ... sp_page_chart_close(page, &chart);
 *     sp_buffer_text(&page->out, "<figcaption>...</figcaption></figure>\n");
 */

/* <figure> of a class, "" for none. What follows is drawn into a file of its own where files are wanted (page->is_file), else
 * into the page. name: of the file, a format of sp_buffer_say(), for what the picture shows; where there are several of the kind, with
 * the class, strategy or recording it is of. Names in it may hold anything. area: of its chart; NULL: it is made of tracks. */
void sp_picture_open(sp_page *page, const sp_chart_area *area, const char *class, const char *name, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of a chart, which is opened; and after its shapes. */
void sp_page_chart_open(sp_page *page, sp_chart *chart, const char *class, const char *name, ...)
    __attribute__((format(printf, 4, 5)));
void sp_page_chart_close(sp_page *page, sp_chart *chart);
/* After what is drawn. True: that was a file, and the page is as it was before. Where its bytes are counted, the picture is drawn
 * once more, into the page. */
bool sp_picture_drawn(sp_page *page);

/* ---- sections, each in a file of its name ---- */

typedef void sp_section(sp_page *page);
sp_section sp_page_verdict, sp_page_notes, sp_page_leaderboard, sp_page_differences, sp_page_legality,
    sp_page_confusions, sp_page_classes, sp_page_changes, sp_page_runs, sp_page_sleep, sp_page_raters,
    sp_page_probabilities, sp_page_recordings, sp_page_steps, sp_page_places, sp_page_what_if,
    sp_page_rule_costs, sp_page_methods_section;
/* Parts of sections: accuracy and legality of strategies, and accuracy of each recording from strategy to strategy (nothing where
 * there is no agreement); one strategy against argmax by recording; agreement of human raters beside that of the strategies (the
 * five stages of sleep only). */
sp_section sp_page_plane, sp_page_slopes, sp_page_paired, sp_page_benchmark;
/* One recording before and after, in the verdict. */

/* A strip of a table in which every strategy has a mark at its value of the row (from 0); strategies stand a little below each
 * other, so that equal values stay apart. (classes.c) */
typedef struct sp_marks {
    const sp_comparison *c;
    sp_axis axis; /* one for all rows */
    const sp_value *(*value)(const sp_comparison *c, int32_t strategy, size_t row);
} sp_marks;
void sp_marks_scale(sp_marks *marks, size_t n_rows); /* lowers the axis to the tenth below the least value */
void sp_marks_draw(const void *marks, size_t row, sp_buffer *out);

/* Which sections there are: the navigation and the page ask the same question. */
typedef bool sp_section_exists(const sp_comparison *c);
sp_section_exists sp_has_legality, sp_has_sleep, sp_has_raters, sp_has_probabilities, sp_has_differences,
    sp_has_agreement, sp_has_changes, sp_has_runs, sp_has_places, sp_has_what_if, sp_has_what_if_section,
    sp_has_rule_costs;

/* The address of a step of a recording in the page, under the recording's name; step < 0: of the recording. (places.c) */
void sp_page_link(sp_page *page, int64_t recording, int64_t step);
/* A matrix of all classes (frame.h, whose classes and n it sets) under a title, a format of sp_html_say(). (confusion.c) */
void sp_page_matrix(sp_page *page, sp_matrix matrix, const char *title, ...)
    __attribute__((format(printf, 3, 4)));
/* [K,K] 1 where forbidden, to be freed; NULL: not all forbidden pairs are listed, K is too great, or no memory (then the page has
 * failed). */
uint8_t *sp_page_forbidden_matrix(sp_page *page);
/* The confusion matrix of a strategy as a picture, where files are wanted. (confusion_picture.c) */
void sp_page_confusion_picture(sp_page *page, const sp_strategy_result *strategy);

#endif
