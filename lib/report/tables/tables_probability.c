/* Tables and sentences about the scores' own probabilities. */
#include "report/tables/columns.h"
#include "report/tables/tables.h"

#include <stdio.h>

void sp_fill_probabilities(const sp_comparison *comparison, const sp_fill_options *options, sp_table *table)
{
    const sp_reliability *c = comparison->reliability;
    const sp_figures figures = sp_figures_of(SP_OF_CALIBRATION);
    const sp_figure_owner owner = {.own = c, .comparison = comparison};
    (void)options;
    if (!c || c->brier.undefined)
        return;
    table->title = comparison->n_against ? "Probabilities of the first classifier before any decoding"
                                         : "Probabilities before any decoding: the same for every strategy";
    sp_table_columns(table, "measure|value|<what it is");
    for (size_t i = 0; i < figures.n; i++) {
        const sp_figure *f = &figures.list[i];
        if (f->tone == SP_LESS_IS_BETTER && figures.list[i - 1].tone != SP_LESS_IS_BETTER &&
            comparison->has_nll) {
            const sp_figure *nll = sp_figure_find(SP_OF_COMPARISON, "nll", 3); /* before the first error */
            sp_buffer_term(sp_table_cell(table, SP_TONE_PLAIN), nll->label);
            sp_cell_value(table, &comparison->nll, nll->decimals, SP_TONE_PLAIN);
            sp_table_say(table, SP_TONE_PLAIN, "nats per {step}, from 0");
        }
        if (!f->in_csv)
            continue;
        const sp_value value = sp_figure_value(f, &owner);
        sp_buffer_term(sp_table_cell(table, SP_TONE_PLAIN), f->label);
        sp_cell_value(table, &value, f->decimals, SP_TONE_PLAIN);
        sp_buffer_term(sp_table_cell(table, SP_TONE_PLAIN), f->definition);
    }
}

/* ---- before and after ---- */

const char *sp_scaling_key(sp_scaling scaling)
{
    static const char *const keys[] = {"given", "decoded", "temperature", "vector"};
    return keys[scaling];
}

const char *sp_scaling_name(sp_scaling scaling)
{
    static const char *const names[] = {"as given", "as decoded", "one temperature",
                                        "scale and bias a class"};
    return names[scaling];
}

const sp_reliability *sp_scaled_reliability(const sp_comparison *c, sp_scaling scaling, const sp_value **nll)
{
    if (c->scaling == scaling) {
        *nll = &c->nll;
        return c->reliability;
    }
    for (int32_t i = 0; i < c->n_calibrations; i++)
        if (c->calibrations[i].scaling == scaling) {
            *nll = &c->calibrations[i].nll;
            return c->calibrations[i].reliability;
        }
    return NULL;
}

void sp_fill_calibrations(const sp_comparison *comparison, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    if (!comparison->n_calibrations)
        return;
    table->title = "Calibration before and after";
    sp_table_columns(table, "scores|negative log-likelihood");
    sp_add_heads(comparison, SP_OF_CALIBRATION, SP_IN_CALIBRATIONS, table);
    for (int s = 0; s <= SP_SCALING_VECTOR; s++) {
        const sp_value *nll = NULL;
        const sp_reliability *c = sp_scaled_reliability(comparison, (sp_scaling)s, &nll);
        if (!c)
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, sp_scaling_name((sp_scaling)s));
        sp_cell_value(table, nll, 4, SP_TONE_PLAIN);
        sp_add_figures(SP_OF_CALIBRATION, SP_IN_CALIBRATIONS,
                       &(sp_figure_owner){.own = c, .comparison = comparison}, table);
    }
}

/* "Expected calibration error: as given 0.0667, as decoded 0.0310, ..." */
static void note_calibrations(const sp_comparison *comparison, sp_table *lines)
{
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    bool is_fitted = false;
    sp_buffer_text(line, "Expected calibration error: ");
    for (int s = 0, n = 0; s <= SP_SCALING_VECTOR; s++) {
        const sp_value *nll = NULL;
        const sp_reliability *c = sp_scaled_reliability(comparison, (sp_scaling)s, &nll);
        if (!c || c->ece.undefined)
            continue;
        sp_buffer_say(line, "%s%s %.4f", n++ ? ", " : "", sp_scaling_name((sp_scaling)s), c->ece.value);
        is_fitted |= s >= SP_SCALING_TEMPERATURE;
    }
    sp_buffer_text(line, is_fitted ? " (the last two by maximum likelihood on the other folds)." : ".");
}

void sp_note_probabilities(const sp_comparison *comparison, sp_table *lines)
{
    const sp_reliability *c = comparison->reliability;
    if (!c || (c->brier.undefined && !c->n_impossible))
        return;
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    if (!c->brier.undefined)
        sp_buffer_say(line,
                      "Probabilities%s before any decoding, the same for every strategy: Brier score %.4f (0 "
                      "to 2), expected "
                      "calibration error %.4f; mean confidence %.3f against accuracy %.3f%s",
                      comparison->n_against ? " of the first classifier" : "", c->brier.value, c->ece.value,
                      c->confidence.value, c->accuracy.value, c->n_impossible ? ". " : ".");
    if (c->n_impossible)
        sp_buffer_say(line, "%jd {step(s)} without any possible class %s left out of calibration.",
                      c->n_impossible, c->n_impossible == 1 ? "is" : "are");
    if (comparison->n_calibrations && !c->brier.undefined)
        note_calibrations(comparison, lines);
}

void sp_note_against(const sp_comparison *c, sp_table *lines)
{
    for (int32_t i = 0; i < c->n_against; i++) {
        const sp_against *one = &c->against[i];
        const sp_reliability *r = one->reliability;
        sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
        sp_buffer_say(line, "%s: another classifier", one->name);
        if (one->file)
            sp_buffer_say(line, ", %s%s%s", one->file, one->scores ? ":" : "",
                          one->scores ? one->scores : "");
        if (one->has_nll && !one->nll.undefined)
            sp_buffer_say(line, "; mean negative log-likelihood of the reference %.4f nats per {step}",
                          one->nll.value);
        else if (one->has_nll && one->nll_impossible)
            sp_buffer_say(line,
                          "; mean negative log-likelihood of the reference infinite, %jd of %jd {steps} of "
                          "probability 0",
                          one->nll_impossible, one->nll_steps);
        if (r && !r->brier.undefined)
            sp_buffer_say(line, "; Brier score %.4f, expected calibration error %.4f", r->brier.value,
                          r->ece.value);
        sp_buffer_text(line, ".");
    }
}

static void cell_edges(sp_table *table, double low, double high)
{
    sp_table_say(table, SP_TONE_PLAIN, "%.3f to %.3f", low, high);
}

void sp_fill_bins(const sp_comparison *comparison, const sp_fill_options *options, sp_table *table)
{
    const sp_reliability *c = comparison->reliability;
    if (!c)
        return;
    const sp_reliability_bin *bins = options->is_adaptive ? c->adaptive : c->bins;
    int32_t n = options->is_adaptive ? c->n_adaptive : SP_RELIABILITY_BINS;
    table->title = options->is_adaptive ? "Bins of equal weight" : "Bins of equal width";
    sp_table_columns(table, "confidence|{steps}");
    if (c->is_weighted)
        sp_table_column(table, SP_RIGHT, "weight");
    sp_table_columns(table, "mean confidence|accuracy");
    sp_buffer_say(sp_table_head(table, SP_RIGHT), "%g %% interval (Wilson)", 100 * c->level);
    for (int32_t b = 0; b < n; b++) {
        cell_edges(table, bins[b].low, bins[b].high);
        sp_table_cell_count(table, SP_TONE_PLAIN, bins[b].n);
        if (c->is_weighted)
            sp_buffer_fixed(sp_table_cell(table, SP_TONE_PLAIN), bins[b].weight, 2);
        sp_cell_value(table, &bins[b].confidence, 4, SP_TONE_PLAIN);
        sp_cell_value(table, &bins[b].accuracy, 4, SP_TONE_PLAIN);
        if (bins[b].accuracy_low.undefined)
            sp_cell_none(table);
        else
            cell_edges(table, bins[b].accuracy_low.value, bins[b].accuracy_high.value);
    }
}

void sp_fill_class_calibration(const sp_comparison *comparison, const sp_fill_options *options,
                               sp_table *table)
{
    (void)options;
    const sp_reliability *c = comparison->reliability;
    if (!c)
        return;
    table->title = "Calibration error by class";
    sp_table_columns(table, "class|calibration error");
    for (int32_t k = 0; k < c->n_classes; k++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->classes[k]);
        sp_cell_value(table, &c->class_ece[k], 4, SP_TONE_PLAIN);
    }
}

void sp_fill_coverage(const sp_comparison *comparison, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    const sp_reliability *c = comparison->reliability;
    if (!c)
        return;
    table->title = "Accuracy of the {steps} of greatest confidence";
    sp_table_columns(table, "share kept|{steps}|confidence from|accuracy");
    for (int32_t i = 0; i < c->n_coverage; i++) {
        const sp_coverage_point *p = &c->coverage[i];
        sp_table_say(table, SP_TONE_PLAIN, "%.1f %%", 100 * p->share);
        sp_table_cell_count(table, SP_TONE_PLAIN, p->n);
        sp_buffer_fixed(sp_table_cell(table, SP_TONE_PLAIN), p->confidence, 4);
        sp_buffer_fixed(sp_table_cell(table, SP_TONE_PLAIN), p->accuracy, 4);
    }
}
