/* What a reader sees first, the verdict; and notes, and folded under them what was run. */
#include "evaluate/compared.h"
#include "evaluate/work.h"
#include "report/html/steps/steps.h"

#include <stdint.h>
#include <string.h>

/* Lines first..last, from 1. */
static void add_lines(sp_page *page, const sp_table *lines, size_t first, size_t last, const char *before,
                      const char *after)
{
    for (size_t i = first; i <= last && i <= sp_page_rows(page, lines); i++) {
        sp_buffer_text(&page->out, before);
        sp_buffer_html(&page->out, sp_table_get(lines, i, 0));
        sp_buffer_text(&page->out, after);
    }
}

static void lead_figure(sp_page *page, const sp_strategy_result *strategy, const char *lead)
{
    const sp_figure *figure = sp_figure_find(SP_OF_STRATEGY, lead, strlen(lead));
    const sp_value value = sp_figure_value(figure, &(sp_figure_owner){strategy, strategy, page->comparison});
    if (!value.undefined)
        sp_buffer_say(&page->out, "<p><strong>%.4f</strong>%s</p>", value.value, sp_compared_by(lead)->name);
}

/* How often rules are broken, where the model has such rules: "<strong>2</strong>violations of rules". */
static void count_broken(sp_page *page, const sp_strategy_result *strategy, const char *key, const char *what,
                         const char *of)
{
    const sp_figure *figure = sp_figure_find(SP_OF_STRATEGY, key, strlen(key));
    const sp_figure_owner owner = {strategy, strategy, page->comparison};
    if (sp_figure_missing(figure, &owner))
        return;
    const int64_t n = sp_figure_count(figure, &owner);
    sp_buffer_say(&page->out, "<p><strong%s>%jd</strong>%s%s%s</p>",
                  n && figure->tone == SP_NONE_IS_RIGHT ? " class=\"bad\"" : "", n, what, sp_plural(n), of);
}

static void tile(sp_page *page, const sp_strategy_result *strategy)
{
    sp_buffer *out = &page->out;
    sp_html_say(out, "<li class=\"tile\"><h3>%s</h3>", strategy->name);
    for (const char *const *lead = sp_work_about(page->comparison->work)->leads; *lead; lead++)
        lead_figure(page, strategy, *lead);
    count_broken(page, strategy, "illegal", "illegal transition", "");
    count_broken(page, strategy, "hard_violations", "violation", " of rules");
    count_broken(page, strategy, "priced_violations", "violation", " of priced rules");
    if (strategy->has_agreement && !strategy->agreement.accuracy.undefined) {
        sp_buffer_say(out, "<p><strong>%.4f</strong>accuracy</p>", strategy->agreement.accuracy.value);
        if (!strategy->agreement.kappa.undefined)
            sp_buffer_say(out, "<p><strong>%.4f</strong>kappa</p>", strategy->agreement.kappa.value);
    }
    if (strategy->n_undecoded)
        sp_buffer_say(out, "<p><strong class=\"bad\">%jd</strong>{recording(s)} undecoded</p>",
                      strategy->n_undecoded);
    sp_buffer_text(out, "</li>\n");
}

/* ---- run card ---- */

static void name_item(sp_page *page, const char *name, const char *value)
{
    if (value && *value)
        sp_page_item(page, name, "%s", value);
}

/* Those of the classes that are `among`, NULL: all. */
static void classes_item(sp_page *page, const char *name, const uint8_t *among)
{
    const sp_comparison *c = page->comparison;
    sp_buffer list = {0};
    for (int32_t k = 0; k < c->n_classes; k++)
        if (!among || among[k])
            sp_buffer_say(&list, "%s%s", list.length ? ", " : "", c->classes[k]);
    sp_page_item(page, name, "%s", list.data);
    sp_buffer_drop(&list, &page->out);
}

static bool is_subset(const uint8_t *flags, int32_t n)
{
    for (int32_t k = 0; flags && k < n; k++)
        if (!flags[k])
            return true;
    return false;
}

static void dwell_item(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer list = {.words = &c->words};
    for (int32_t k = 0; c->min_dwell && k < c->n_classes; k++)
        if (c->min_dwell[k] > 1)
            sp_buffer_say(&list, "%s%s %d {steps}", list.length ? ", " : "", c->classes[k],
                          (int)c->min_dwell[k]);
    name_item(page, "Minimum dwell", list.data);
    sp_buffer_drop(&list, &page->out);
}

static void durations_item(sp_page *page)
{
    static const char pieces[] = "may be pieces of longer ones";
    const sp_comparison *c = page->comparison;
    sp_buffer list = {.words = &c->words};
    for (int32_t k = 0; c->durations && k < c->n_classes; k++)
        if (c->durations[k].is_there)
            sp_buffer_say(&list, "%s%s: %s", list.length ? "; " : "", c->classes[k], c->durations[k].text);
    if (list.length && c->whole_at_start == c->whole_at_end)
        sp_buffer_say(&list, ". First and last runs, and those beside a gap, %s",
                      c->whole_at_start ? "are whole" : pieces);
    else if (list.length)
        sp_buffer_say(&list, ". Runs at the start of a {recording} or segment %s, at its end they %s",
                      c->whole_at_start ? "are whole" : pieces, c->whole_at_end ? "are whole" : pieces);
    name_item(page, "Durations", list.data);
    sp_buffer_drop(&list, &page->out);
}

static void run_card(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer_text(&page->out,
                   "<details id=\"run\"><summary>What was run: file, model, options, command</summary>\n"
                   "<dl class=\"card\">\n");
    name_item(page, "Input", c->file);
    if (c->file_size > 0)
        sp_page_item(page, "Size", "%jd bytes", c->file_size);
    name_item(page, "Labels", c->labels_file);
    for (int32_t i = 0; i < c->n_against; i++)
        sp_page_item(page, "Against", "%s: %s%s%s", c->against[i].name,
                     c->against[i].file ? c->against[i].file : "scores in memory",
                     c->against[i].scores ? ":" : "", c->against[i].scores ? c->against[i].scores : "");
    sp_page_item(page, "{Recordings}", "%jd", c->n_recordings);
    if (c->n_subjects)
        sp_page_item(page, "Subjects", "%jd", (int64_t)c->n_subjects);
    name_item(page, "Subjects from", c->subjects_place);
    sp_page_item(page, "{Steps}", "%jd", c->n_steps);
    if (c->has_labels) {
        sp_page_item(page, "Scored {steps}", "%jd", c->n_scored_steps);
        sp_page_item(page, "{Steps} without reference", "%jd", c->n_steps - c->n_scored_steps);
    }
    name_item(page, "Model", c->model_name);
    name_item(page, "Description", c->model_description);
    name_item(page, "Source of the rules", c->model_source);
    classes_item(page, "Classes", NULL);
    if (is_subset(c->start_allowed, c->n_classes))
        classes_item(page, "May start in", c->start_allowed);
    if (is_subset(c->end_allowed, c->n_classes))
        classes_item(page, "May end in", c->end_allowed);
    dwell_item(page);
    durations_item(page);
    if (sp_has_differences(c)) {
        sp_page_item(page, "Bootstrap resamples", "%jd", (int64_t)c->comparisons[0].difference.n_resamples);
        sp_page_item(page, "Level of intervals", "%g %%, %s", 100 * c->level, sp_interval_name(c));
        sp_page_item(page, "Seed", "%llu", (unsigned long long)c->seed);
    }
    if (c->command)
        sp_page_item(page, "Command", "<code>%s</code>", c->command);
    name_item(page, "statepath", sp_version());
    sp_buffer_text(&page->out, "</dl></details>\n");
}

/* ---- sections ---- */

/* Notes of the comparison: warnings, which come first, or the others. */
static void add_notes(sp_page *page, bool warnings)
{
    const sp_fill_options all = {.is_wide = true};
    sp_table notes = {.text.words = &page->comparison->words};
    sp_fill_notes(page->comparison, &all, &notes);
    const size_t n = sp_page_rows(page, &notes);
    size_t n_bad = 0;
    while (n_bad < n && notes.cells[n_bad + 1].tone == SP_TONE_BAD)
        n_bad++;
    const size_t first = warnings ? 1 : n_bad + 1, last = warnings ? n_bad : n;
    if (first <= last) {
        sp_buffer_text(&page->out, "<ul class=\"notes\">\n");
        add_lines(page, &notes, first, last, "<li>", "</li>\n");
        sp_buffer_text(&page->out, "</ul>\n");
    }
    sp_table_free(&notes);
}

void sp_page_verdict(sp_page *page)
{
    const sp_fill_options all = {.is_wide = true};
    sp_table headline = {.text.words = &page->comparison->words};
    sp_fill_headline(page->comparison, &all, &headline);
    add_lines(page, &headline, 1, SIZE_MAX, "<p class=\"headline\">", "</p>\n");
    add_notes(page, true);
    sp_table_free(&headline);
    if (sp_has_what_if(page->comparison)) /* it has the picture and these figures */
        return;
    if (page->comparison->n_traces && page->comparison->n_strategies) {
        sp_step_view view;
        if (sp_step_view_fill(page, &view))
            sp_page_before_after(&view, 0);
        sp_step_view_free(&view);
    }
    if (page->comparison->n_strategies) {
        sp_buffer_text(&page->out, "<ul class=\"tiles\">\n");
        for (int32_t s = 0; s < page->comparison->n_strategies; s++)
            tile(page, &page->comparison->strategies[s]);
        sp_buffer_text(&page->out, "</ul>\n");
    }
}

void sp_page_notes(sp_page *page)
{
    add_notes(page, false);
    run_card(page);
}
