/* Agreement with several scorers, beside that of the scorers with each other. */
#include "report/html/page.h"

#include <math.h>

bool sp_has_scorers(const sp_comparison *comparison)
{
    return comparison->scorers != NULL;
}

/* ---- mean kappa on one scale: strategies beside people ---- */

typedef struct kappa_scale {
    sp_page *page;
    double low;
    double people_low, people_high; /* of the scorers' own means */
} kappa_scale;

/* Rows of the table as sp_fill_raters writes them: reference, strategies, scorers, and last the pairs of scorers (NULL). */
static const sp_scorer_row *row_of(const sp_scorers *s, size_t row, int32_t *strategy)
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
    return row < (size_t)s->n_scorers ? &s->scorers[row] : NULL;
}

static void scale_fill(kappa_scale *scale)
{
    const sp_scorers *s = scale->page->comparison->scorers;
    double least = 0.9;
    int32_t strategy;
    scale->people_low = INFINITY;
    scale->people_high = -INFINITY;
    for (int32_t i = 0; i < s->n_scorers; i++)
        if (!s->scorers[i].mean_kappa.undefined) {
            scale->people_low = fmin(scale->people_low, s->scorers[i].mean_kappa.value);
            scale->people_high = fmax(scale->people_high, s->scorers[i].mean_kappa.value);
        }
    for (size_t row = 0; row_of(s, row, &strategy); row++)
        if (!row_of(s, row, &strategy)->mean_kappa.undefined)
            least = fmin(least, row_of(s, row, &strategy)->mean_kappa.value);
    scale->low = floor(10 * least) / 10;
}

static double place(const kappa_scale *scale, double kappa)
{
    return 2 + 96 * (kappa - scale->low) / (1 - scale->low);
}

static void add_percent(sp_buffer *out, const char *name, double value)
{
    sp_buffer_say(out, " %s=\"%.2f%%\"", name, value);
}

/* The table is being written into the page's own buffer, so the marks can go there too. */
static void strip(const void *arg, size_t row, sp_buffer *out)
{
    const kappa_scale *scale = arg;
    const sp_scorers *s = scale->page->comparison->scorers;
    int32_t strategy;
    if (row == 0) {
        sp_buffer_say(out,
                      "<th scope=\"col\" class=\"strip\"><span class=\"axis\"><span>%.1f</span><span>mean "
                      "kappa</span><span>1.0</span></span></th>",
                      scale->low);
        return;
    }
    const sp_scorer_row *one = row_of(s, row - 1, &strategy);
    const sp_value *kappa = one ? &one->mean_kappa : &s->mean_kappa;
    sp_buffer_text(out, "<td class=\"strip\"><svg aria-hidden=\"true\">");
    if (scale->people_low <= scale->people_high) {
        sp_buffer_text(out, "<rect class=\"people\" height=\"26\"");
        add_percent(out, "x", place(scale, scale->people_low));
        add_percent(out, "width", place(scale, scale->people_high) - place(scale, scale->people_low));
        sp_buffer_text(out, "/>");
    }
    sp_buffer_text(out, "<line class=\"rule\" x1=\"2%\" x2=\"98%\" y1=\"13\" y2=\"13\"/>");
    if (!s->mean_kappa.undefined) {
        sp_buffer_text(out, "<line class=\"zero\" y1=\"0\" y2=\"26\"");
        add_percent(out, "x1", place(scale, s->mean_kappa.value));
        add_percent(out, "x2", place(scale, s->mean_kappa.value));
        sp_buffer_text(out, "/>");
    }
    if (!kappa->undefined && strategy >= 0) {
        sp_page_mark(scale->page, strategy, place(scale, kappa->value), 13);
    } else if (!kappa->undefined) {
        sp_buffer_text(out, "<circle class=\"dot\" cy=\"13\" r=\"5\"");
        add_percent(out, "cx", place(scale, kappa->value));
        sp_buffer_text(out, "/>");
    }
    sp_buffer_text(out, "</svg></td>");
}

/* ---- section ---- */

void sp_page_scorers(sp_page *page)
{
    const sp_scorers *s = page->comparison->scorers;
    sp_buffer *out = &page->out;
    const sp_fill_options wide = {.is_wide = true};
    sp_table table = {0}, notes = {0};
    sp_page_section(page, "scorers", "Scorers");
    sp_buffer_format(out,
                     "<p>%d people scored these recordings. What a strategy can reach is bounded by how far they agree with each "
                     "other.",
                     (int)s->n_scorers);
    sp_fill_rater_notes(page->comparison, &wide, &notes);
    out->failed |= notes.failed || notes.text.failed;
    for (size_t i = 1; !out->failed && i <= sp_table_rows(&notes); i++) {
        sp_buffer_text(out, " ");
        sp_buffer_html(out, sp_table_get(&notes, i, 0));
    }
    sp_buffer_text(out, "</p>\n");
    kappa_scale scale = {.page = page};
    scale_fill(&scale);
    sp_fill_raters(page->comparison, &(sp_fill_options){.is_wide = false}, &table);
    sp_table_html(&table, "wide", &(sp_extra_column){.cell = strip, .arg = &scale}, out);
    sp_buffer_text(
        out, "<p class=\"small\">Band: from the scorer who agrees least with the others to the one who agrees most. Dashed: the "
             "mean over pairs of scorers. A strategy within the band agrees with people as people do with each other. Accuracy "
             "and kappa (Cohen): mean over the scorers, of a scorer over the others. Soft agreement: "
             "mean over steps of the votes for the class that stands here over the votes for the class with most, of a "
             "scorer against the others. A step that a strategy left undecoded is wrong. All are pooled over steps and "
             "descriptive.</p>\n");
    sp_table_free(&table);
    sp_table_free(&notes);
    sp_fill_raters(page->comparison, &wide, &table);
    sp_page_folded(page, "Kappa with each scorer", &table, "");
    sp_buffer_text(out, "</section>\n");
}
