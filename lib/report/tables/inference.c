/* What intervals and tests are, in words. */
#include "evaluate/compared.h"
#include "report/tables/tables.h"

static bool are_studentised(const sp_comparison *c)
{
    return !c->n_comparisons || c->comparisons[0].difference.n <= SP_MOST_STUDENTISED;
}

const char *sp_interval_key(const sp_comparison *c)
{
    return are_studentised(c) ? "studentised" : "bca";
}

const char *sp_interval_name(const sp_comparison *c)
{
    return are_studentised(c) ? "studentised" : "BCa";
}

void sp_add_least_p(const sp_comparison *c, const sp_pair_comparison *pair, sp_buffer *out)
{
    const sp_wilcoxon *test = &pair->test;
    int64_t n = test->better + test->worse;
    if (test->p_least.undefined)
        return;
    sp_buffer_say(out, "with %jd %s", n, sp_unit_name(c, out->words, n));
    if (test->ties)
        sp_buffer_text(out, n == 1 ? " that differs" : " that differ");
    sp_buffer_text(out, " the smallest p possible is ");
    sp_buffer_real(out, test->p_least.value);
}

/* Where p can be as small as it is shown at its smallest, there is nothing to say. */
static const double least_shown = 0.001;

void sp_add_smallest_p(const sp_comparison *c, sp_buffer *out)
{
    const sp_pair_comparison *most = NULL;
    bool differ = false;
    const sp_pairs pairs = sp_tested_pairs(c);
    for (int32_t i = 0; i < pairs.n; i++) {
        const sp_pair_comparison *pair = &pairs.list[i];
        if (pair->test.p_least.undefined)
            continue;
        differ |= most && pair->test.p_least.value != most->test.p_least.value;
        if (!most || pair->test.p_least.value > most->test.p_least.value)
            most = pair;
    }
    if (!most || most->test.p_least.value < least_shown)
        return;
    sp_buffer_text(out, "; ");
    sp_add_least_p(c, most, out);
    if (differ)
        sp_buffer_format(out, " (%s − %s)", c->strategies[most->a].name, c->strategies[most->b].name);
}

/* ---- how far they go ---- */

static bool has_interval(const sp_pair_comparison *pair)
{
    return !pair->difference.low.undefined && !pair->difference.high.undefined;
}

/* Pairs without an interval though there are several units: why. */
static void note_without(const sp_comparison *c, sp_table *lines)
{
    sp_buffer *line = NULL;
    const sp_pairs pairs = sp_tested_pairs(c);
    for (int32_t i = 0; i < pairs.n; i++) {
        const sp_pair_comparison *pair = &pairs.list[i];
        if (has_interval(pair) || pair->difference.n < 2)
            continue;
        const bool is_first = !line;
        if (is_first)
            line = sp_table_cell(lines, SP_TONE_PLAIN);
        sp_buffer_text(line, is_first ? "Without an interval, as too few differ or all alike: " : ", ");
        sp_buffer_say(line, "%s − %s", c->strategies[pair->a].name, c->strategies[pair->b].name);
    }
    if (line)
        sp_buffer_text(line, ".");
}

void sp_note_units(const sp_comparison *c, sp_table *lines)
{
    enum { ENOUGH = 8 };
    if (c->n_subjects) {
        sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
        sp_buffer_say(line,
                      "Intervals and tests are over %jd subject%s (%s): the {recordings} of one are drawn "
                      "together and count as "
                      "their mean.",
                      (int64_t)c->n_subjects, sp_plural(c->n_subjects),
                      c->subjects_place ? c->subjects_place : "given");
    }
    const int64_t n = c->n_comparisons ? c->comparisons[0].difference.n : 0;
    if (n < 1)
        return;
    if (n < ENOUGH) {
        sp_buffer *line = sp_table_cell(lines, SP_TONE_BAD);
        if (n == 1)
            sp_buffer_format(line, "One %s: differences have no interval and no test.",
                             sp_unit_name(c, line->words, 1));
        else
            sp_buffer_format(line, "Only %lld %s: neither intervals nor p say much.", (long long)n,
                             sp_unit_name(c, line->words, n));
    }
    note_without(c, lines);
}
