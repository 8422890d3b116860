/* What a reader sees first: the verdict, and folded under it what was run. */
#include "report/html/page.h"

#include <stdint.h>
#include <string.h>

/* Lines first..last, from 1. */
static void add_lines(sp_page *page, const sp_table *lines, size_t first, size_t last, const char *before, const char *after)
{
    page->out.failed |= lines->failed || lines->text.failed;
    for (size_t i = first; !page->out.failed && i <= last && i <= sp_table_rows(lines); i++) {
        sp_buffer_text(&page->out, before);
        sp_page_name(page, sp_table_get(lines, i, 0));
        sp_buffer_text(&page->out, after);
    }
}

static void tile(sp_page *page, const sp_strategy_result *strategy)
{
    sp_buffer *out = &page->out;
    int64_t illegal = strategy->counts.illegal;
    sp_buffer_text(out, "<li class=\"tile\"><h3>");
    sp_page_name(page, strategy->name);
    sp_buffer_say(out, "</h3><p><strong%s>%jd</strong>illegal transition%s</p>", illegal ? " class=\"bad\"" : "", illegal,
                  illegal == 1 ? "" : "s");
    if (strategy->has_agreement && !strategy->agreement.accuracy.undefined) {
        sp_buffer_say(out, "<p><strong>%.4f</strong>accuracy</p>", strategy->agreement.accuracy.value);
        if (!strategy->agreement.kappa.undefined) {
            sp_buffer_say(out, "<p><strong>%.4f</strong>kappa</p>", strategy->agreement.kappa.value);
        }
    }
    if (strategy->n_undecoded) {
        sp_buffer_say(out, "<p><strong class=\"bad\">%jd</strong>recording%s undecoded</p>", strategy->n_undecoded,
                      strategy->n_undecoded == 1 ? "" : "s");
    }
    sp_buffer_text(out, "</li>\n");
}

/* The first notes, and all that are warnings, which come first; the others stand behind a fold, unless it would hide one line. */
static size_t notes_to_show(const sp_table *notes, size_t n)
{
    enum { SHOWN = 2 };
    size_t shown = 0;
    while (shown < n && notes->cells[shown + 1].tone == SP_TONE_BAD)
        shown++;
    shown = shown + SHOWN;
    return shown + 1 < n ? shown : n;
}

void sp_page_verdict(sp_page *page)
{
    const sp_fill_options all = {.is_wide = true};
    sp_table headline = {0}, notes = {0};
    sp_buffer_text(&page->out, "<section class=\"verdict\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\">In short</h2>\n");
    sp_fill_headline(page->comparison, &all, &headline);
    add_lines(page, &headline, 1, SIZE_MAX, "<p class=\"headline\">", "</p>\n");
    if (page->comparison->n_strategies) {
        sp_buffer_text(&page->out, "<ul class=\"tiles\">\n");
        for (int32_t s = 0; s < page->comparison->n_strategies; s++)
            tile(page, &page->comparison->strategies[s]);
        sp_buffer_text(&page->out, "</ul>\n");
    }
    sp_fill_notes(page->comparison, &all, &notes);
    page->out.failed |= notes.failed || notes.text.failed;
    size_t n = page->out.failed ? 0 : sp_table_rows(&notes), shown = notes_to_show(&notes, n);
    if (n) {
        sp_buffer_text(&page->out, "<ul class=\"notes\">\n");
        add_lines(page, &notes, 1, shown, "<li>", "</li>\n");
        sp_buffer_text(&page->out, "</ul>\n");
    }
    if (shown < n) {
        sp_buffer_format(&page->out, "<details><summary>%zu more to know</summary>\n<ul class=\"notes\">\n", n - shown);
        add_lines(page, &notes, shown + 1, n, "<li>", "</li>\n");
        sp_buffer_text(&page->out, "</ul></details>\n");
    }
    sp_page_run_card(page);
    sp_buffer_text(&page->out, "</section>\n");
    sp_table_free(&headline);
    sp_table_free(&notes);
}

/* ---- run card ---- */

static void card_begin(sp_page *page, const char *name)
{
    sp_buffer_format(&page->out, "<dt>%s</dt><dd>", name);
}

static void card_end(sp_page *page)
{
    sp_buffer_text(&page->out, "</dd>\n");
}

static void card_name(sp_page *page, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    card_begin(page, name);
    sp_page_name(page, value);
    card_end(page);
}

static void card_count(sp_page *page, const char *name, int64_t n)
{
    card_begin(page, name);
    sp_buffer_count(&page->out, n);
    card_end(page);
}

static void add_classes(sp_page *page, const uint8_t *is_in)
{
    bool is_first = true;
    for (int32_t k = 0; k < page->comparison->n_classes; k++) {
        if (is_in && !is_in[k])
            continue;
        sp_buffer_text(&page->out, is_first ? "" : ", ");
        sp_page_name(page, page->comparison->classes[k]);
        is_first = false;
    }
}

static bool is_subset(const uint8_t *flags, int32_t n)
{
    for (int32_t k = 0; flags && k < n; k++)
        if (!flags[k])
            return true;
    return false;
}

static void card_dwell(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    bool has_one = false;
    for (int32_t k = 0; c->min_dwell && k < c->n_classes; k++) {
        if (c->min_dwell[k] <= 1)
            continue;
        if (!has_one)
            card_begin(page, "Minimum dwell");
        sp_buffer_text(&page->out, has_one ? ", " : "");
        sp_page_name(page, c->classes[k]);
        sp_buffer_format(&page->out, " %d steps", (int)c->min_dwell[k]);
        has_one = true;
    }
    if (has_one)
        card_end(page);
}

void sp_page_run_card(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer_text(&page->out, "<details id=\"run\"><summary>What was run: file, model, options, command</summary>\n"
                               "<dl class=\"card\">\n");
    card_name(page, "Input", c->file);
    if (c->file_size > 0) {
        card_begin(page, "Size");
        sp_buffer_say(&page->out, "%jd bytes", c->file_size);
        card_end(page);
    }
    card_count(page, "Recordings", c->n_recordings);
    if (c->n_subjects)
        card_count(page, "Subjects", c->n_subjects);
    card_name(page, "Subjects from", c->subjects_place);
    card_count(page, "Steps", c->n_steps);
    if (c->has_labels) {
        card_count(page, "Scored steps", c->n_scored_steps);
        card_count(page, "Steps without reference", c->n_steps - c->n_scored_steps);
    }
    card_name(page, "Model", c->model_name);
    card_name(page, "Description", c->model_description);
    card_name(page, "Source of the rules", c->model_source);
    card_begin(page, "Classes");
    add_classes(page, NULL);
    card_end(page);
    if (is_subset(c->start_allowed, c->n_classes)) {
        card_begin(page, "May start in");
        add_classes(page, c->start_allowed);
        card_end(page);
    }
    if (is_subset(c->end_allowed, c->n_classes)) {
        card_begin(page, "May end in");
        add_classes(page, c->end_allowed);
        card_end(page);
    }
    card_dwell(page);
    if (sp_has_differences(c)) {
        card_count(page, "Bootstrap resamples", c->comparisons[0].difference.n_resamples);
        card_begin(page, "Level of intervals");
        sp_add_level(&page->out, c->level);
        sp_buffer_format(&page->out, ", %s", sp_interval_name(c->interval));
        card_end(page);
        card_begin(page, "Seed");
        sp_buffer_format(&page->out, "%llu", (unsigned long long)c->seed);
        card_end(page);
    }
    if (c->command) {
        card_begin(page, "Command");
        sp_buffer_text(&page->out, "<code>");
        sp_page_name(page, c->command);
        sp_buffer_text(&page->out, "</code>");
        card_end(page);
    }
    card_name(page, "statepath", sp_version());
    sp_buffer_text(&page->out, "</dl></details>\n");
}
