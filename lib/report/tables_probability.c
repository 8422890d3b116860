/* Tables and sentences about the scores' own probabilities. */
#include "report/tables.h"

#include <stdio.h>

static void row(sp_table *table, const char *name, const sp_value *value, const char *meaning)
{
    sp_table_cell_text(table, SP_TONE_PLAIN, name);
    sp_cell_value(table, value, 4, SP_TONE_PLAIN);
    sp_table_cell_text(table, SP_TONE_PLAIN, meaning);
}

void sp_fill_probabilities(const sp_comparison *comparison, sp_table *table)
{
    const sp_reliability *c = comparison->reliability;
    if (!c || c->brier.undefined)
        return;
    table->title = "Probabilities before any decoding: the same for every strategy";
    sp_table_column(table, SP_LEFT, "measure");
    sp_table_column(table, SP_RIGHT, "value");
    sp_table_column(table, SP_LEFT, "what it is");
    row(table, "accuracy", &c->accuracy, "of the most probable class");
    row(table, "confidence", &c->confidence, "mean probability of the most probable class");
    if (comparison->has_nll)
        row(table, "negative log-likelihood", &comparison->nll, "nats per step, from 0");
    row(table, "Brier score", &c->brier, "sum over the classes, 0 to 2");
    row(table, "expected calibration error", &c->ece, "15 bins of equal width, top class");
    row(table, "maximum calibration error", &c->mce, "the worst of these bins, however small");
    row(table, "RMS calibration error", &c->rmsce, "root mean square over these bins");
    row(table, "classwise calibration error", &c->classwise_ece, "mean over the classes");
    row(table, "adaptive calibration error", &c->adaptive_ece, "bins of equal weight, top class");
}

/* ---- before and after ---- */

const char *sp_scaling_key(sp_scaling scaling)
{
    static const char *const keys[] = {"given", "decoded", "temperature", "vector"};
    return keys[scaling];
}

const char *sp_scaling_name(sp_scaling scaling)
{
    static const char *const names[] = {"as given", "as decoded", "one temperature", "scale and bias a class"};
    return names[scaling];
}

const sp_reliability *sp_scaled_reliability(const sp_comparison *comparison, sp_scaling scaling, const sp_value **nll)
{
    if (comparison->scaling == scaling) {
        *nll = &comparison->nll;
        return comparison->reliability;
    }
    for (int32_t i = 0; i < comparison->n_calibrations; i++)
        if (comparison->calibrations[i].scaling == scaling) {
            *nll = &comparison->calibrations[i].nll;
            return comparison->calibrations[i].reliability;
        }
    return NULL;
}

void sp_fill_calibrations(const sp_comparison *comparison, sp_table *table)
{
    if (!comparison->n_calibrations)
        return;
    table->title = "Calibration before and after";
    sp_table_column(table, SP_LEFT, "scores");
    sp_table_column(table, SP_RIGHT, "negative log-likelihood");
    sp_table_column(table, SP_RIGHT, "Brier score");
    sp_table_column(table, SP_RIGHT, "calibration error");
    sp_table_column(table, SP_RIGHT, "confidence");
    sp_table_column(table, SP_RIGHT, "accuracy");
    for (int s = 0; s <= SP_SCALING_VECTOR; s++) {
        const sp_value *nll = NULL;
        const sp_reliability *c = sp_scaled_reliability(comparison, (sp_scaling)s, &nll);
        if (!c)
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, sp_scaling_name((sp_scaling)s));
        sp_cell_value(table, nll, 4, SP_TONE_PLAIN);
        sp_cell_value(table, &c->brier, 4, SP_TONE_PLAIN);
        sp_cell_value(table, &c->ece, 4, SP_TONE_PLAIN);
        sp_cell_value(table, &c->confidence, 4, SP_TONE_PLAIN);
        sp_cell_value(table, &c->accuracy, 4, SP_TONE_PLAIN);
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
        sp_buffer_format(line, "%s%s ", n++ ? ", " : "", sp_scaling_name((sp_scaling)s));
        sp_buffer_fixed(line, c->ece.value, 4);
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
    if (!c->brier.undefined) {
        sp_buffer_text(line, "Probabilities before any decoding, the same for every strategy: Brier score ");
        sp_buffer_fixed(line, c->brier.value, 4);
        sp_buffer_text(line, " (0 to 2), expected calibration error ");
        sp_buffer_fixed(line, c->ece.value, 4);
        sp_buffer_text(line, "; mean confidence ");
        sp_buffer_fixed(line, c->confidence.value, 3);
        sp_buffer_text(line, " against accuracy ");
        sp_buffer_fixed(line, c->accuracy.value, 3);
        sp_buffer_text(line, c->n_impossible ? ". " : ".");
    }
    if (c->n_impossible) {
        sp_buffer_count(line, c->n_impossible);
        sp_buffer_format(line, " step%s without any possible class %s left out of calibration.", c->n_impossible == 1 ? "" : "s",
                         c->n_impossible == 1 ? "is" : "are");
    }
    if (comparison->n_calibrations && !c->brier.undefined)
        note_calibrations(comparison, lines);
}

static void cell_edges(sp_table *table, double low, double high)
{
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_fixed(cell, low, 3);
    sp_buffer_text(cell, " to ");
    sp_buffer_fixed(cell, high, 3);
}

void sp_fill_reliability(const sp_comparison *comparison, bool adaptive, sp_table *table)
{
    const sp_reliability *c = comparison->reliability;
    sp_buffer level = {0};
    if (!c)
        return;
    const sp_reliability_bin *bins = adaptive ? c->adaptive : c->bins;
    int32_t n = adaptive ? c->n_adaptive : SP_RELIABILITY_BINS;
    sp_add_level(&level, c->level);
    sp_buffer_text(&level, " interval (Wilson)");
    table->title = adaptive ? "Bins of equal weight" : "Bins of equal width";
    sp_table_column(table, SP_LEFT, "confidence");
    sp_table_column(table, SP_RIGHT, "steps");
    if (c->is_weighted)
        sp_table_column(table, SP_RIGHT, "weight");
    sp_table_column(table, SP_RIGHT, "mean confidence");
    sp_table_column(table, SP_RIGHT, "accuracy");
    sp_table_column(table, SP_RIGHT, level.data);
    table->failed |= level.failed;
    sp_buffer_free(&level);
    for (int32_t b = 0; b < n; b++) {
        cell_edges(table, bins[b].low, bins[b].high);
        sp_table_cell_count(table, SP_TONE_PLAIN, bins[b].n);
        if (c->is_weighted)
            sp_buffer_fixed(sp_table_cell(table, SP_TONE_PLAIN), bins[b].weight, 2);
        sp_cell_value(table, &bins[b].confidence, 4, SP_TONE_PLAIN);
        sp_cell_value(table, &bins[b].accuracy, 4, SP_TONE_PLAIN);
        if (bins[b].accuracy_low.undefined)
            sp_table_cell_text(table, SP_TONE_MUTED, "–");
        else
            cell_edges(table, bins[b].accuracy_low.value, bins[b].accuracy_high.value);
    }
}

void sp_fill_class_calibration(const sp_comparison *comparison, sp_table *table)
{
    const sp_reliability *c = comparison->reliability;
    if (!c)
        return;
    table->title = "Calibration error by class";
    sp_table_column(table, SP_LEFT, "class");
    sp_table_column(table, SP_RIGHT, "calibration error");
    for (int32_t k = 0; k < c->n_classes; k++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->classes[k]);
        sp_cell_value(table, &c->class_ece[k], 4, SP_TONE_PLAIN);
    }
}

void sp_fill_coverage(const sp_comparison *comparison, sp_table *table)
{
    const sp_reliability *c = comparison->reliability;
    if (!c)
        return;
    table->title = "Accuracy of the steps of greatest confidence";
    sp_table_column(table, SP_LEFT, "share kept");
    sp_table_column(table, SP_RIGHT, "steps");
    sp_table_column(table, SP_RIGHT, "confidence from");
    sp_table_column(table, SP_RIGHT, "accuracy");
    for (int32_t i = 0; i < c->n_coverage; i++) {
        const sp_coverage_point *p = &c->coverage[i];
        sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
        sp_buffer_fixed(cell, 100 * p->share, 1);
        sp_buffer_text(cell, " %");
        sp_table_cell_count(table, SP_TONE_PLAIN, p->n);
        sp_buffer_fixed(sp_table_cell(table, SP_TONE_PLAIN), p->confidence, 4);
        sp_buffer_fixed(sp_table_cell(table, SP_TONE_PLAIN), p->accuracy, 4);
    }
}

/* ---- differences of any metric, and illegal rates ---- */

void sp_add_level(sp_buffer *out, double level)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", 100 * level);
    for (char *c = text; *c; c++)
        if (*c == ',') /* the locale's point */
            *c = '.';
    sp_buffer_text(out, text);
    sp_buffer_text(out, " %");
}
