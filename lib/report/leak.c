/* Leak: the mass on forbidden classes, as text and as JSON. */
#include <stdio.h>

#include "report/write/json_tree.h"
#include "statepath/report.h"

const double sp_leak_probabilities[SP_LEAK_QUANTILES] = {0.5, 0.9, 0.99, 0.999};

sp_status sp_report_leak_text(const sp_leak_report *report, char **out, sp_error *err)
{
    const sp_leak_summary *s = &report->summary;
    sp_buffer text = {0};
    sp_buffer_text(&text, "Leak of ");
    sp_buffer_name(&text, report->file, 0);
    sp_buffer_text(&text, ": the probability on what is forbidden by ");
    sp_buffer_name(&text, report->what, 0);
    sp_buffer_text(&text, "\n");
    if (s->n_rows == 0) {
        sp_buffer_text(&text, "no row to speak of\n");
        return sp_buffer_finish(&text, out, err);
    }
    sp_buffer_say(&text, "rows      %jd, of them leaking %jd", s->n_rows, s->n_leaking);
    if (s->n_left_out)
        sp_buffer_say(&text, "; left out %jd", s->n_left_out);
    sp_buffer_format(&text, "\nmean      %.6f\n", s->mean);
    for (int i = 0; i < SP_LEAK_QUANTILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%g %%", 100 * sp_leak_probabilities[i]);
        sp_buffer_format(&text, "%-9s %.6f\n", name, report->quantiles[i]);
    }
    sp_buffer_format(&text, "maximum   %.6f at recording ", s->maximum);
    sp_buffer_name(&text, report->recording, 60);
    sp_buffer_format(&text, ", step %lld\n", (long long)report->step);
    return sp_buffer_finish(&text, out, err);
}

sp_status sp_report_leak_json(const sp_leak_report *report, char **out, sp_error *err)
{
    const sp_leak_summary *s = &report->summary;
    bool failed = false, has_rows = s->n_rows > 0;
    sp_buffer text = {0};
    json_t *root = json_object(), *quantiles = json_object();
    sp_json_set(root, "statepath", json_string(sp_version()), &failed);
    sp_json_set(root, "file", sp_json_text(report->file, &failed), &failed);
    sp_json_set(root, "what", sp_json_text(report->what, &failed), &failed);
    sp_json_set(root, "rows", json_integer(s->n_rows), &failed);
    sp_json_set(root, "left_out", json_integer(s->n_left_out), &failed);
    sp_json_set(root, "leaking", json_integer(s->n_leaking), &failed);
    sp_json_set(root, "mean", has_rows ? json_real(s->mean) : json_null(), &failed);
    for (int i = 0; i < SP_LEAK_QUANTILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%g", sp_leak_probabilities[i]);
        sp_json_set(quantiles, name, has_rows ? json_real(report->quantiles[i]) : json_null(), &failed);
    }
    sp_json_set(root, "quantiles", quantiles, &failed);
    sp_json_set(root, "maximum", has_rows ? json_real(s->maximum) : json_null(), &failed);
    sp_json_set(root, "recording", has_rows ? sp_json_text(report->recording, &failed) : json_null(), &failed);
    sp_json_set(root, "step", has_rows ? json_integer(report->step) : json_null(), &failed);
    sp_json_write(root, &text, &failed);
    json_decref(root);
    text.failed |= failed;
    return sp_buffer_finish(&text, out, err);
}
