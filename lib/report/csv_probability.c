/* The calibration of the scores as lines of the long CSV, under "reference" like the likelihood. */
#include "report/csv_line.h"

#include <stdio.h>

static void add_bins(sp_buffer *out, sp_csv_line line, const sp_reliability_bin *bins, int32_t n, const char *kind)
{
    for (int32_t b = 0; b < n; b++) {
        char name[48];
        snprintf(name, sizeof name, "%sbin_%d_confidence", kind, (int)b);
        sp_csv_value(out, line, name, &bins[b].confidence, bins[b].n);
        snprintf(name, sizeof name, "%sbin_%d_accuracy", kind, (int)b);
        sp_csv_interval(out, line, name, &bins[b].accuracy, bins[b].n, &bins[b].accuracy_low, &bins[b].accuracy_high);
    }
}

void sp_csv_calibration(sp_buffer *out, const sp_comparison *comparison)
{
    const sp_reliability *c = comparison->reliability;
    sp_csv_line line = {.strategy = "reference", .recording = "", .class = ""};
    sp_csv_value(out, line, "calibration_accuracy", &c->accuracy, c->n_steps);
    sp_csv_value(out, line, "confidence", &c->confidence, c->n_steps);
    sp_csv_value(out, line, "brier", &c->brier, c->n_steps);
    sp_csv_value(out, line, "ece", &c->ece, c->n_steps);
    sp_csv_value(out, line, "mce", &c->mce, c->n_steps);
    sp_csv_value(out, line, "rmsce", &c->rmsce, c->n_steps);
    sp_csv_value(out, line, "classwise_ece", &c->classwise_ece, c->n_steps);
    sp_csv_value(out, line, "adaptive_ece", &c->adaptive_ece, c->n_steps);
    add_bins(out, line, c->bins, SP_RELIABILITY_BINS, "");
    add_bins(out, line, c->adaptive, c->n_adaptive, "adaptive_");
    for (int32_t i = 0; i < c->n_coverage; i++) {
        const sp_coverage_point *p = &c->coverage[i];
        sp_value share = {.value = p->share}, confidence = {.value = p->confidence}, accuracy = {.value = p->accuracy};
        char name[48];
        snprintf(name, sizeof name, "coverage_%d_share", (int)i);
        sp_csv_value(out, line, name, &share, p->n);
        snprintf(name, sizeof name, "coverage_%d_confidence", (int)i);
        sp_csv_value(out, line, name, &confidence, p->n);
        snprintf(name, sizeof name, "coverage_%d_accuracy", (int)i);
        sp_csv_value(out, line, name, &accuracy, p->n);
    }
    for (int32_t k = 0; k < c->n_classes; k++) {
        line.class = comparison->classes[k];
        sp_csv_value(out, line, "ece", &c->class_ece[k], c->n_steps);
    }
}
