/* The page, one section a function, each in a file of its name. Each adds its section, or nothing where the comparison has no
 * data for it. All names are escaped; the page's policy forbids every request. */
#ifndef STATEPATH_REPORT_HTML_PAGE_H
#define STATEPATH_REPORT_HTML_PAGE_H

#include "report/document.h"

typedef struct sp_page {
    const sp_comparison *comparison;
    sp_buffer out;
    int32_t focus, argmax; /* strategies; -1: none */
    size_t density_bytes;  /* written for score densities, and how many recordings have one */
    int64_t n_densities;
    int n_tracks;               /* paths drawn so far: their ids */
    int64_t n_named, n_unnamed; /* marks of illegal transitions with a title of their own, and without */
    int64_t most_named;         /* marks that may have a title of their own by now */
    int n_pictures;             /* drawn so far: the ids of their titles */
} sp_page;

/* Opens <section id="..."><h2>; closed with "</section>\n". */
void sp_page_section(sp_page *page, const char *id, const char *title);
void sp_page_name(sp_page *page, const char *name); /* escaped */
/* A <dt> and <dd>; the format is that of sp_html_say(). */
void sp_page_item(sp_page *page, const char *name, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
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
/* A table behind a fold, nothing where it has no rows. */
void sp_page_folded(sp_page *page, const char *summary, sp_table *table, const char *classes);

/* verdict.c */
void sp_page_verdict(sp_page *page);
/* leaderboard.c */
void sp_page_leaderboard(sp_page *page);
/* differences.c */
void sp_page_differences(sp_page *page);
/* legality.c */
bool sp_has_legality(const sp_comparison *c);
void sp_page_legality(sp_page *page);
/* confusion.c */
void sp_page_confusions(sp_page *page);
/* A matrix of all classes: opens the table with its header row (and one more column `last`, unless NULL), a row, closes it. Up to
 * SP_TWO_LINE_CLASSES a cell has room for a count and a per cent. */
enum { SP_TWO_LINE_CLASSES = 14 };
void sp_page_matrix_begin(sp_page *page, const char *corner, const char *label, const char *last);
void sp_page_row_begin(sp_page *page, int32_t i);
void sp_page_matrix_end(sp_page *page);
/* [K,K] 1 where forbidden, to be freed; NULL: not all forbidden pairs are listed, K is too great, or no memory (then the page has
 * failed). */
uint8_t *sp_page_forbidden_matrix(sp_page *page);
/* transitions.c: all transitions, folded, in the section on legality; forbidden [K,K] */
void sp_page_transitions(sp_page *page, const uint8_t *forbidden);
/* plane.c: accuracy and legality, in the section on strategies; nothing where there is no agreement */
void sp_page_plane(sp_page *page);
/* slopes.c: accuracy of each recording from strategy to strategy, beside it */
void sp_page_slopes(sp_page *page);
/* paired.c: one strategy against argmax by recording, in the section on differences */
void sp_page_paired(sp_page *page);
/* benchmark.c: agreement of people with each other beside that of the strategies; the five stages of sleep only */
void sp_page_benchmark(sp_page *page);
/* classes.c */
void sp_page_classes(sp_page *page);
/* changes.c */
void sp_page_changes(sp_page *page);
/* runs.c */
void sp_page_runs(sp_page *page);
/* sleep.c */
bool sp_has_sleep(const sp_comparison *c);
void sp_page_sleep(sp_page *page);
/* scorers.c */
bool sp_has_scorers(const sp_comparison *c);
void sp_page_scorers(sp_page *page);
/* probability.c */
bool sp_has_probabilities(const sp_comparison *c);
void sp_page_probabilities(sp_page *page);
/* recordings.c */
void sp_page_recordings(sp_page *page);
/* steps.c */
void sp_page_steps(sp_page *page);
/* methods.c */
void sp_page_methods_section(sp_page *page);

/* Which sections there are: the navigation and the page ask the same question. */
bool sp_has_differences(const sp_comparison *c);
bool sp_has_agreement(const sp_comparison *c);
bool sp_has_changes(const sp_comparison *c);
bool sp_has_runs(const sp_comparison *c);

#endif
