/* What holds on this page: the conventions that were in force, with their numbers, before the definitions, which are the same on
 * every page. */
#include "report/html/assets.h"
#include "report/html/page.h"

static void item(sp_page *page, const char *name)
{
    sp_buffer_format(&page->out, "<dt>%s</dt><dd>", name);
}

static void item_end(sp_page *page)
{
    sp_buffer_text(&page->out, "</dd>\n");
}

static void fixed_item(sp_page *page, const char *name, const char *text)
{
    item(page, name);
    sp_buffer_text(&page->out, text);
    item_end(page);
}

static void unit(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    item(page, "unit of inference");
    if (c->n_subjects) {
        sp_buffer_say(out, "The subject: %jd of them, told apart by ", (int64_t)c->n_subjects);
        sp_page_name(page, c->subjects_place ? c->subjects_place : "what was given");
        sp_buffer_text(out, ". All recordings of one are drawn together, and in the tests count as their mean.");
    } else {
        sp_buffer_text(out,
                       "The recording. If several are of one person, say so (<code>--groups</code>): the person is then drawn "
                       "as a whole.");
    }
    item_end(page);
}

static void unscored(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    int64_t n = c->n_steps - c->n_scored_steps - c->n_trimmed_steps;
    item(page, "steps without reference");
    sp_buffer_say(
        out,
        "%jd of %jd. They are decoded, left out of agreement, and end the reference’s chain of transitions: nothing is bridged.",
        n, c->n_steps);
    item_end(page);
}

static void undecoded(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    bool has_any = false;
    item(page, "undecoded recordings");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        if (!c->strategies[s].n_undecoded)
            continue;
        sp_buffer_say(out, "%s%jd of ", has_any ? ", " : "", c->strategies[s].n_undecoded);
        sp_page_name(page, c->strategies[s].name);
        has_any = true;
    }
    sp_buffer_text(out, has_any ? ". " : "None. ");
    if (c->has_labels && has_any)
        sp_buffer_text(out, "Wrong at each of their scored steps, in no column of a confusion matrix.");
    item_end(page);
}

static void trimmed(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    item(page, "wake before and after sleep");
    if (c->has_wake_trim) {
        sp_buffer_say(&page->out,
                      "Left out of agreement beyond %g minutes from the reference’s sleep: %jd steps. Sleep statistics and the "
                      "strategies’ own transitions are of whole recordings.",
                      c->wake_trim_minutes, c->n_trimmed_steps);
    } else {
        sp_buffer_text(&page->out, "All of it counts (no <code>--wake-trim</code>).");
    }
    item_end(page);
}

static void intervals(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    int32_t pairs = sp_tested_pairs(c);
    if (!sp_has_differences(c))
        return;
    const sp_difference *d = &c->comparisons[0].difference;
    item(page, "intervals");
    if (d->n_resamples) {
        sp_add_level(out, c->level);
        sp_buffer_say(out, ", bias-corrected and accelerated (BCa), from %jd", (int64_t)d->n_resamples);
        sp_buffer_format(out, " paired bootstrap draws of %s, seed %llu.", sp_unit_name(c, 2), (unsigned long long)c->seed);
    } else {
        sp_buffer_format(out, "None: %s.", d->low.undefined ? d->low.undefined : "no draws");
    }
    item_end(page);
    item(page, "tests");
    sp_buffer_format(out, "Wilcoxon signed rank over %s, two-sided, of accuracy alone; differences of 0 are dropped",
                     sp_unit_name(c, 2));
    if (pairs > 1)
        sp_buffer_format(out, "; Holm over %d pairs", (int)pairs);
    sp_buffer_text(out, ".");
    item_end(page);
    if (c->has_margin) {
        item(page, "margin");
        sp_buffer_say(
            out, "%.4f, set with <code>--margin</code>: no harm is shown where the interval’s lower end lies above minus that.",
            c->margin);
        item_end(page);
    }
}

static void absent(sp_page *page)
{
    static const char *const texts[] = {[SP_ABSENT_EXCLUDE] = "Left out of means over classes; a note says of how many they are.",
                                        [SP_ABSENT_ZERO] = "Count as 0 in means over classes (<code>--absent-class zero</code>).",
                                        [SP_ABSENT_ONE] = "Count as 1 in means over classes (<code>--absent-class one</code>)."};
    fixed_item(page, "classes without a figure", texts[page->comparison->absent_class]);
}

static void conventions(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer_text(&page->out, "<h3>In force on this page</h3>\n<dl class=\"card\">\n");
    unit(page);
    if (c->has_labels)
        unscored(page);
    undecoded(page);
    fixed_item(page, "ties",
               "Among classes of equal score the first in the order of the score columns, at each step of argmax and "
               "along a whole path.");
    fixed_item(page, "segments",
               "Between segments of a recording no transition is judged and none is counted; runs end there. "
               "Recordings are never joined.");
    if (c->has_labels) {
        absent(page);
        if (c->sleep)
            trimmed(page);
    }
    if (c->sleep) {
        item(page, "length of a step");
        sp_buffer_format(&page->out, "%g s%s", c->sleep->epoch_seconds,
                         c->sleep->epoch_is_assumed ? ", assumed: the file does not say (<code>--epoch-seconds</code>)." : ".");
        item_end(page);
    }
    if (c->n_folds) {
        item(page, "cross-validation");
        sp_buffer_format(&page->out, "%d folds: each recording is decoded with a model fitted without it.", (int)c->n_folds);
        item_end(page);
    }
    intervals(page);
    sp_buffer_text(&page->out, "</dl>\n");
}

void sp_page_methods_section(sp_page *page)
{
    sp_page_section(page, "methods", "Methods");
    conventions(page);
    sp_buffer_say(&page->out, "%s</section>\n", sp_page_methods);
}
