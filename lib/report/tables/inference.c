/* What intervals and tests are, in words. */
#include "report/tables/tables.h"

#include <string.h>

const char *sp_interval_key(sp_interval_kind interval)
{
    return interval == SP_INTERVAL_PERCENTILE ? "percentile" : "bca";
}

const char *sp_interval_name(sp_interval_kind interval)
{
    return interval == SP_INTERVAL_PERCENTILE ? "percentile" : "BCa";
}

const char *sp_zeros_key(sp_wilcoxon_zeros zeros)
{
    return zeros == SP_ZEROS_PRATT ? "pratt" : "wilcox";
}

void sp_add_test_name(const sp_comparison *c, sp_buffer *out)
{
    sp_buffer_text(out, "Wilcoxon signed rank");
    if (c->zeros == SP_ZEROS_PRATT)
        sp_buffer_text(out, ", differences of 0 ranked (Pratt)");
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
    for (int32_t i = 0; i < c->n_comparisons; i++) {
        const sp_pair_comparison *pair = &c->comparisons[i];
        if (strcmp(pair->metric, "accuracy") != 0 || pair->test.p_least.undefined)
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
