/* Agreement with several raters, beside that of the raters with each other. */
#include "report/html/page.h"

#include <math.h>

bool sp_has_raters(const sp_comparison *c)
{
    return c->raters != NULL;
}

/* ---- mean kappa on one scale: strategies beside raters ---- */

typedef struct kappa_scale {
    const sp_comparison *comparison;
    sp_axis axis;
    double least, greatest; /* of the raters' own means */
} kappa_scale;

/* Rows of the table as sp_fill_raters writes them: reference, strategies, raters, and last the pairs of raters (NULL). */
static const sp_rater_row *row_of(const sp_raters *s, size_t row, int32_t *strategy)
{
    size_t first = s->has_reference ? 1 : 0;
    *strategy = -1;
    if (row < first)
        return &s->reference;
    row -= first;
    if (row < (size_t)s->n_strategies) {
        *strategy = (int32_t)row;
        return &s->strategies[row];
    }
    row -= (size_t)s->n_strategies;
    return row < (size_t)s->n_raters ? &s->raters[row] : NULL;
}

static void scale_fill(kappa_scale *scale)
{
    const sp_raters *s = scale->comparison->raters;
    double least = 0.9;
    int32_t strategy;
    scale->least = INFINITY;
    scale->greatest = -INFINITY;
    for (int32_t i = 0; i < s->n_raters; i++)
        if (!s->raters[i].mean_kappa.undefined) {
            scale->least = fmin(scale->least, s->raters[i].mean_kappa.value);
            scale->greatest = fmax(scale->greatest, s->raters[i].mean_kappa.value);
        }
    for (size_t row = 0; row_of(s, row, &strategy); row++)
        if (!row_of(s, row, &strategy)->mean_kappa.undefined)
            least = fmin(least, row_of(s, row, &strategy)->mean_kappa.value);
    scale->axis = (sp_axis){.low = floor(10 * least) / 10, .high = 1, .decimals = 1, .name = "mean kappa"};
}

static void strip(const void *arg, size_t row, sp_buffer *out)
{
    const kappa_scale *scale = arg;
    const sp_raters *s = scale->comparison->raters;
    int32_t strategy;
    const sp_rater_row *one = row_of(s, row, &strategy);
    const sp_value *kappa = one ? &one->mean_kappa : &s->mean_kappa;
    if (scale->least <= scale->greatest)
        sp_strip_band(out, &scale->axis, scale->least, scale->greatest);
    if (!s->mean_kappa.undefined)
        sp_strip_tick(out, &scale->axis, "zero", s->mean_kappa.value);
    if (!kappa->undefined && strategy >= 0)
        sp_strip_mark(out, &scale->axis, strategy, s->n_strategies, kappa->value);
    else if (!kappa->undefined)
        sp_strip_dot(out, &scale->axis, kappa->value);
}

/* ---- section ---- */

void sp_page_raters(sp_page *page)
{
    const sp_raters *s = page->comparison->raters;
    sp_buffer *out = &page->out;
    const sp_fill_options wide = {.is_wide = true};
    sp_table notes = {.text.words = &page->comparison->words};
    sp_buffer_say(out,
                  "<p>%d people scored these {recordings}. What a strategy can reach is bounded by how far "
                  "they agree with each "
                  "other.",
                  (int)s->n_raters);
    sp_fill_rater_notes(page->comparison, &wide, &notes);
    for (size_t i = 1; i <= sp_page_rows(page, &notes); i++)
        sp_html_say(out, " %s", sp_table_get(&notes, i, 0));
    sp_buffer_text(out, "</p>\n");
    kappa_scale scale = {.comparison = page->comparison};
    scale_fill(&scale);
    sp_page_strips(page, sp_fill_raters, &(sp_fill_options){.is_wide = false}, "wide",
                   &(sp_strips){scale.axis, true, strip, &scale});
    sp_buffer_words(out,
                    "<p class=\"small\">Band: from the scorer who agrees least with the others to the one "
                    "who agrees most. Dashed: the "
                    "mean over pairs of scorers. A strategy within the band agrees with people as people do "
                    "with each other. Accuracy "
                    "and kappa (Cohen): mean over the scorers, of a scorer over the others. Soft agreement: "
                    "mean over {steps} of the votes for the class that stands here over the votes for the "
                    "class with most, of a "
                    "scorer against the others. {A step} that a strategy left undecoded is wrong. All are "
                    "pooled over {steps} and "
                    "descriptive.</p>\n");
    sp_table_free(&notes);
    sp_page_filled(page, "Kappa with each scorer", sp_fill_raters, &wide, "");
}
