#include "report/html/page.h"
#include "evaluate/work.h"
#include "statepath/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sp_page_item(sp_page *page, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sp_buffer_text(&page->out, "<dt>");
    sp_buffer_words(&page->out, name);
    sp_buffer_text(&page->out, "</dt><dd>");
    sp_html_vsay(&page->out, format, arguments);
    sp_buffer_text(&page->out, "</dd>\n");
    va_end(arguments);
}

size_t sp_page_rows(sp_page *page, const sp_table *table)
{
    page->out.failed |= sp_table_failed(table);
    return page->out.failed ? 0 : sp_table_rows(table);
}

void sp_page_table(sp_page *page, sp_table *table, const char *classes)
{
    sp_table_html(table, classes, NULL, &page->out);
    sp_table_free(table);
}

bool sp_page_document(sp_page *page, const char *key, int32_t strategy)
{
    enum { TALL = 20 };
    const sp_document_row *row = sp_document_find(key);
    const sp_fill_options options = {
        .is_wide = true, .strategy = strategy, .metric = row->metric, .most_rows = row->most_rows[1]};
    sp_table table = {0}; /* the row gives it its words */
    char classes[64];
    sp_document_fill(row, page->comparison, &options, &table);
    const size_t n = sp_page_rows(page, &table);
    snprintf(classes, sizeof classes, "%s%s", row->classes,
             n > TALL && strstr(row->classes, "sortable") ? " tall" : "");
    sp_table_html(&table, classes, NULL, &page->out);
    if (table.n_left_out)
        sp_buffer_say(&page->out, "<p class=\"small\">The first %jd of %jd.</p>\n", (int64_t)n,
                      (int64_t)n + table.n_left_out);
    sp_table_free(&table);
    return n > 0;
}

void sp_page_filled(sp_page *page, const char *summary, sp_filler *fill, const sp_fill_options *options,
                    const char *classes)
{
    sp_table table = {.text.words = &page->comparison->words};
    fill(page->comparison, options, &table);
    if (summary)
        sp_page_folded(page, summary, &table, classes);
    else
        sp_page_table(page, &table, classes);
}

static void strip_cell(const void *arg, size_t row, sp_buffer *out)
{
    const sp_strips *strips = arg;
    if (row == 0) {
        sp_strip_head(out, &strips->axis);
        return;
    }
    sp_strip_open(out, strips->has_rule);
    strips->draw(strips->arg, row - 1, out);
    sp_strip_close(out);
}

void sp_page_strips(sp_page *page, sp_filler *fill, const sp_fill_options *options, const char *classes,
                    const sp_strips *strips)
{
    sp_table table = {.text.words = &page->comparison->words};
    fill(page->comparison, options, &table);
    sp_table_html(&table, classes, &(sp_extra_column){strip_cell, strips}, &page->out);
    sp_table_free(&table);
}

void sp_page_note(sp_page *page, sp_noter *noter)
{
    sp_buffer note = {.words = &page->comparison->words};
    noter(page->comparison, &note);
    if (note.length)
        sp_html_say(&page->out, "<p class=\"small\">%s</p>\n", note.data);
    sp_buffer_drop(&note, &page->out);
}

void sp_page_folded(sp_page *page, const char *summary, sp_table *table, const char *classes)
{
    if (sp_page_rows(page, table)) {
        sp_html_say(&page->out, "<details><summary>%s</summary>\n", summary);
        sp_table_html(table, classes, NULL, &page->out);
        sp_buffer_text(&page->out, "</details>\n");
    }
    sp_table_free(table);
}

void sp_page_numbers(sp_page *page, sp_table *table)
{
    sp_buffer_text(&page->out, "<details class=\"screen\"><summary>In numbers</summary>\n");
    sp_page_table(page, table, sp_table_rows(table) > 12 ? "sortable tall" : "sortable");
    sp_buffer_text(&page->out, "</details>");
}

sp_chart sp_page_chart(sp_page *page, const sp_chart_area *area, sp_axis x, sp_axis y)
{
    const sp_buffer text = {.words = page->out.words};
    return (sp_chart){&page->out,          &page->n_pictures, area,          x, y, .title = text,
                      .description = text, .x_name = text,    .y_name = text};
}

void sp_page_key(sp_page *page)
{
    sp_buffer_text(&page->out, "<ul class=\"key\">");
    for (int32_t s = 0; s < page->comparison->n_strategies; s++)
        sp_series_key(&page->out, s, page->comparison->strategies[s].name);
    sp_buffer_text(&page->out, "</ul>\n");
}

/* ---- what there is ---- */

bool sp_has_agreement(const sp_comparison *c)
{
    return c->has_labels && c->n_scored_steps > 0 && c->n_strategies > 0;
}

bool sp_has_differences(const sp_comparison *c)
{
    return c->n_comparisons > 0;
}

bool sp_has_changes(const sp_comparison *c)
{
    for (int32_t s = 0; s < c->n_strategies; s++)
        if (c->strategies[s].has_changes && s != c->strategies[s].argmax)
            return true;
    return false;
}

bool sp_has_runs(const sp_comparison *c)
{
    for (int32_t s = 0; s < c->n_strategies; s++)
        if (c->strategies[s].class_runs)
            return c->n_steps > 0;
    return false;
}

static bool has_recordings(const sp_comparison *c)
{
    return c->n_recordings > 0 && c->n_strategies > 0;
}

static bool has_steps(const sp_comparison *c)
{
    bool is_wanted = c->trace_steps > 0 && c->n_steps > 0;
    return c->n_strategies > 0 && (c->n_traces > 0 || is_wanted);
}

static bool always(const sp_comparison *c)
{
    (void)c;
    return true;
}

/* What stands open, then what is folded; of that PRINTED what belongs to a paper. */
static const struct {
    const char *id, *name;
    sp_frame_fold fold;
    sp_section_exists *is_there;
    sp_section *write;
} sections[] = {
    {"verdict", "In short", SP_FRAME_OPEN, always, sp_page_verdict},
    {"what-if", "What if", SP_FRAME_OPEN, sp_has_what_if_section, sp_page_what_if},
    {"notes", "Notes", SP_FRAME_OPEN, always, sp_page_notes},
    {"strategies", "Strategies", SP_FRAME_OPEN, always, sp_page_leaderboard},
    {"differences", "Differences", SP_FRAME_OPEN, sp_has_differences, sp_page_differences},
    {"steps", "{Step} by {step}", SP_FRAME_OPEN, has_steps, sp_page_steps},
    {"recordings", "{Recordings}", SP_FRAME_OPEN, has_recordings, sp_page_recordings},
    {"legality", "Illegal transitions", SP_FRAME_PRINTED, sp_has_legality, sp_page_legality},
    {"rules", "What rules cost", SP_FRAME_PRINTED, sp_has_rule_costs, sp_page_rule_costs},
    {"confusion", "Confusion", SP_FRAME_PRINTED, sp_has_agreement, sp_page_confusions},
    {"classes", "Classes", SP_FRAME_PRINTED, sp_has_agreement, sp_page_classes},
    {"sleep", "Sleep statistics", SP_FRAME_FOLDED, sp_has_sleep, sp_page_sleep},
    {"changes", "What changed", SP_FRAME_FOLDED, sp_has_changes, sp_page_changes},
    {"runs", "Runs", SP_FRAME_FOLDED, sp_has_runs, sp_page_runs},
    {"places", "Illegal {steps}", SP_FRAME_FOLDED, sp_has_places, sp_page_places},
    {"scorers", "Scorers", SP_FRAME_FOLDED, sp_has_raters, sp_page_raters},
    {"probabilities", "Probabilities", SP_FRAME_FOLDED, sp_has_probabilities, sp_page_probabilities},
    {"methods", "Methods", SP_FRAME_FOLDED, always, sp_page_methods_section},
};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

/* ---- page ---- */

/* A link to a file in the same folder: whatever its name holds, it is one segment of a path. */
static void twin(sp_page *page, const char *before, const char *name)
{
    if (!name)
        return;
    sp_buffer_format(&page->out, "%s<a href=\"./", before);
    sp_buffer_address(&page->out, name);
    sp_html_say(&page->out, "\">%s</a>", name);
}

static void top(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_html_say(out, "<header class=\"top\">\n<div><h1>Decoding report: %s</h1>\n<p class=\"sub\">",
                c->file ? c->file : "scores");
    sp_buffer_sizes(out, c);
    sp_html_say(out, ". Model %s: %d class%s, %jd forbidden transition%s.</p>",
                c->model_name ? c->model_name : "without a name", (int)c->n_classes,
                c->n_classes == 1 ? "" : "es", c->forbidden_count, sp_plural(c->forbidden_count));
    for (int32_t i = 0; i < c->n_against; i++)
        sp_html_say(out, "\n<p class=\"sub\">Against %s: %s.</p>", c->against[i].name,
                    c->against[i].file ? c->against[i].file : "scores in memory");
    if (c->is_simulated)
        sp_buffer_text(
            out,
            "\n<p class=\"sub\"><strong>Made-up data:</strong> the file says that it was simulated.</p>");
    if (c->json_link || c->csv_link) {
        sp_buffer_text(out, "\n<p class=\"sub\">The same figures for programs:");
        twin(page, " ", c->json_link);
        twin(page, c->json_link ? ", " : " ", c->csv_link);
        sp_buffer_text(out, "</p>");
    }
    sp_buffer_text(out, "</div>\n");
    sp_frame_contents(out);
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (sections[i].is_there(c))
            sp_frame_item(out, sections[i].id, sections[i].name);
    sp_frame_main(out, sp_step_number(c->work, 0));
}

static void write_section(sp_page *page, size_t i)
{
    sp_frame_section(&page->out, i ? "" : "verdict", sections[i].fold, sections[i].id, sections[i].name);
    sections[i].write(page);
    sp_frame_section_end(&page->out, sections[i].fold);
}

sp_buffer sp_page_text(const sp_comparison *comparison, struct sp_picture_files *files)
{
    sp_page page = {.comparison = comparison,
                    .files = files,
                    .out.words = &comparison->words,
                    .focus = sp_focus_strategy(comparison),
                    .argmax = sp_argmax_strategy(comparison)};
    sp_frame_begin(&page.out, comparison->file ? comparison->file : "scores", " – decoding report", "verdict",
                   sp_has_what_if(comparison));
    top(&page);
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (sections[i].is_there(comparison))
            write_section(&page, i);
    sp_frame_end(&page.out, sp_has_what_if(comparison));
    sp_buffer_free(&page.picture_names);
    return page.out;
}

sp_status sp_report_html(const sp_comparison *comparison, char **out, sp_error *err)
{
    sp_buffer text = sp_page_text(comparison, NULL);
    return sp_buffer_finish(&text, out, err);
}
