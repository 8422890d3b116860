/* What holds on this page: the conventions that held, with their numbers, before the definitions, which are the same on
 * every page. */
#include "evaluate/compared.h"
#include "evaluate/work.h"
#include "report/html/assets.h"
#include "report/html/page.h"

static void unit(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    if (c->n_subjects)
        sp_page_item(page, "one observation is",
                     "The subject: %jd of them, told apart by %s. All {recordings} of one are drawn "
                     "together, and in the tests count "
                     "as their mean.",
                     (int64_t)c->n_subjects, c->subjects_place ? c->subjects_place : "what was given");
    else
        sp_page_item(page, "one observation is",
                     "The {recording}. If several are of one person, say so (<code>{=groups}</code>): the "
                     "person is then drawn as a "
                     "whole.");
}

static void undecoded(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer list = {0};
    for (int32_t s = 0; s < c->n_strategies; s++)
        if (c->strategies[s].n_undecoded)
            sp_buffer_say(&list, "%s%jd of %s", list.length ? ", " : "", c->strategies[s].n_undecoded,
                          c->strategies[s].name);
    if (c->has_labels && list.length)
        sp_page_item(page, "undecoded {recordings}",
                     "%s. Wrong at each of their scored {steps}, in no column of a confusion matrix.",
                     list.data);
    else
        sp_page_item(page, "undecoded {recordings}", "%s. ", list.length ? list.data : "None");
    sp_buffer_drop(&list, &page->out);
}

static void trimmed(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    if (c->has_wake_trim)
        sp_page_item(page, "wake before and after sleep",
                     "Left out of agreement beyond %g minutes from the reference’s sleep: %jd {steps}. Sleep "
                     "statistics and the "
                     "strategies’ own transitions are of whole {recordings}.",
                     c->wake_trim_minutes, c->n_trimmed_steps);
    else
        sp_page_item(page, "wake before and after sleep", "All of it counts (no <code>{=wake-trim}</code>).");
}

static void no_intervals(sp_page *page, const char *reason)
{
    sp_buffer text = {.words = &page->comparison->words};
    sp_buffer_term(&text, reason);
    sp_page_item(page, "intervals", "None: %s.", text.data);
    sp_buffer_drop(&text, &page->out);
}

static void intervals(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    const sp_difference *d = &c->comparisons[0].difference;
    sp_buffer holm = {0};
    if (d->n_resamples)
        sp_page_item(page, "intervals", "%g %%, %s, from %jd paired bootstrap draws of %s, seed %llu.",
                     100 * c->level, sp_interval_name(c), (int64_t)d->n_resamples,
                     sp_unit_name(c, page->out.words, 2), (unsigned long long)c->seed);
    else
        no_intervals(page, d->low.undefined ? d->low.undefined : "no draws");
    if (sp_tested_pairs(c).n > 1)
        sp_buffer_format(&holm, "; Holm over %d pairs", (int)sp_tested_pairs(c).n);
    sp_page_item(
        page, "tests",
        "Wilcoxon signed rank over %s, two-sided, of accuracy alone; differences of 0 are dropped%s.",
        sp_unit_name(c, page->out.words, 2), holm.length ? holm.data : "");
    sp_buffer_drop(&holm, &page->out);
    if (c->has_margin)
        sp_page_item(page, "margin",
                     "%.4f, set with <code>{=margin}</code>: no harm is shown where the interval’s lower end "
                     "lies above minus that.",
                     c->margin);
}

static void conventions(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer_text(&page->out, "<h3>In force on this page</h3>\n<dl class=\"card\">\n");
    unit(page);
    if (c->has_labels)
        sp_page_item(page, "{steps} without reference",
                     "%jd of %jd. They are decoded, left out of agreement, and end the reference’s chain of "
                     "transitions: nothing is "
                     "bridged.",
                     c->n_steps - c->n_scored_steps - c->n_trimmed_steps, c->n_steps);
    undecoded(page);
    sp_page_item(page, "ties",
                 "Among classes of equal score the first in the order of the score columns, at each {step} "
                 "of argmax and "
                 "along a whole path.");
    sp_page_item(
        page, "segments",
        "Between segments of {a recording} no transition is judged and none is counted; runs end there. "
        "{Recordings} are never joined.");
    if (c->has_labels) {
        sp_page_item(page, "classes without a figure",
                     "Left out of means over classes; a note says of how many they are.");
        if (c->sleep)
            trimmed(page);
    }
    if (c->sleep)
        sp_page_item(page, "length of {a step}",
                     c->sleep->epoch_is_assumed
                         ? "%g s, assumed: the file does not say (<code>{=epoch-seconds}</code>)."
                         : "%g s.",
                     c->sleep->epoch_seconds);
    if (sp_step_number(c->work, 0) > 0)
        sp_page_item(page, "numbers of {steps}", "From %jd here, from 0 in addresses, JSON, CSV and files.",
                     sp_step_number(c->work, 0));
    if (c->n_folds)
        sp_page_item(page, "cross-validation",
                     "%d folds: each {recording} is decoded with a model fitted without it.",
                     (int)c->n_folds);
    if (sp_has_differences(c))
        intervals(page);
    sp_buffer_text(&page->out, "</dl>\n");
}

void sp_page_methods_section(sp_page *page)
{
    conventions(page);
    sp_buffer_words(&page->out, sp_page_methods);
}
