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

/* Null where there are no rows. */
static void add_real(sp_json in, const char *key, bool has_rows, double value)
{
    sp_json_set(in, key, has_rows ? json_real(value) : json_null());
}

sp_status sp_report_leak_json(const sp_leak_report *report, char **out, sp_error *err)
{
    const sp_leak_summary *s = &report->summary;
    bool failed = false, has_rows = s->n_rows > 0;
    sp_buffer text = {0};
    const sp_json root = sp_json_root(&failed);
    sp_json_text(root, "statepath", sp_version());
    sp_json_text(root, "file", report->file);
    sp_json_text(root, "what", report->what);
    sp_json_count(root, "rows", s->n_rows);
    sp_json_count(root, "left_out", s->n_left_out);
    sp_json_count(root, "leaking", s->n_leaking);
    add_real(root, "mean", has_rows, s->mean);
    const sp_json quantiles = sp_json_object(root, "quantiles");
    for (int i = 0; i < SP_LEAK_QUANTILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%g", sp_leak_probabilities[i]);
        add_real(quantiles, name, has_rows, report->quantiles[i]);
    }
    add_real(root, "maximum", has_rows, s->maximum);
    sp_json_set(root, "recording", has_rows ? sp_json_clean(report->recording) : json_null());
    sp_json_set(root, "step", has_rows ? json_integer(report->step) : json_null());
    sp_json_finish(root, NULL, 0, &text);
    return sp_buffer_finish(&text, out, err);
}
