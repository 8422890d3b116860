/* Sleep statistics and scorers as lines of the CSV. */
#include "report/csv_line.h"

#include <stdio.h>

static void add_nights(const sp_comparison *c, const sp_sleep_statistics *nights, const sp_sleep_mean *means, sp_csv_line line,
                       sp_buffer *out)
{
    char key[64];
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        snprintf(key, sizeof key, "sleep_%s", sp_sleep_measure_key((sp_sleep_measure)m));
        sp_csv_value(out, line, key, &means[m].mean, means[m].n);
    }
    for (int64_t r = 0; r < c->n_recordings; r++)
        for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
            line.recording = c->ids[r];
            snprintf(key, sizeof key, "sleep_%s", sp_sleep_measure_key((sp_sleep_measure)m));
            sp_csv_value(out, line, key, &nights[r].values[m], 1);
        }
}

static void add_sleep(const sp_comparison *c, sp_buffer *out)
{
    const sp_sleep *sleep = c->sleep;
    if (!sleep)
        return;
    if (sleep->reference)
        add_nights(c, sleep->reference, sleep->reference_means,
                   (sp_csv_line){.strategy = "reference", .recording = "", .class = ""}, out);
    for (int32_t s = 0; s < sleep->n_strategies; s++) {
        sp_csv_line line = {.strategy = c->strategies[s].name, .recording = "", .class = ""};
        add_nights(c, sleep->strategies[s].nights, sleep->strategies[s].means, line, out);
        for (int m = 0; sleep->reference && m < SP_N_SLEEP_MEASURES; m++) {
            const sp_sleep_agreement *a = &sleep->strategies[s].agreement[m];
            char key[64];
            snprintf(key, sizeof key, "sleep_%s_difference", sp_sleep_measure_key((sp_sleep_measure)m));
            sp_csv_interval(out, line, key, &a->bias, a->n, &a->low, &a->high);
        }
    }
}

static void add_scorer_row(const sp_scorers *s, const sp_scorer_row *row, const char *name, sp_buffer *out)
{
    sp_csv_line line = {.strategy = name, .recording = "", .class = ""};
    sp_csv_value(out, line, "scorers_mean_accuracy", &row->mean_accuracy, s->n_scorers);
    sp_csv_value(out, line, "scorers_mean_kappa", &row->mean_kappa, s->n_scorers);
    sp_csv_value(out, line, "soft_agreement", &row->soft, row->soft_steps);
    for (int32_t i = 0; i < s->n_scorers; i++) {
        sp_buffer accuracy = {0}, kappa = {0};
        sp_buffer_format(&accuracy, "accuracy_with %s", s->names[i]);
        sp_buffer_format(&kappa, "kappa_with %s", s->names[i]);
        if (accuracy.failed || kappa.failed) {
            out->failed = true;
        } else {
            sp_csv_value(out, line, accuracy.data, &row->with[i].accuracy, row->with[i].steps);
            sp_csv_value(out, line, kappa.data, &row->with[i].kappa, row->with[i].steps);
        }
        sp_buffer_free(&accuracy);
        sp_buffer_free(&kappa);
    }
}

static void add_scorers(const sp_comparison *c, sp_buffer *out)
{
    const sp_scorers *s = c->scorers;
    if (!s)
        return;
    if (s->has_reference)
        add_scorer_row(s, &s->reference, "reference", out);
    for (int32_t i = 0; i < s->n_strategies; i++)
        add_scorer_row(s, &s->strategies[i], s->strategies[i].name, out);
    for (int32_t i = 0; i < s->n_scorers; i++) {
        sp_buffer name = {0};
        sp_buffer_format(&name, "scorer %s", s->names[i]);
        add_scorer_row(s, &s->scorers[i], name.failed ? "" : name.data, out);
        out->failed |= name.failed;
        sp_buffer_free(&name);
    }
    sp_csv_line line = {.strategy = "scorers", .recording = "", .class = ""};
    sp_csv_value(out, line, "scorers_mean_accuracy", &s->mean_accuracy, s->n_scorers);
    sp_csv_value(out, line, "scorers_mean_kappa", &s->mean_kappa, s->n_scorers);
    sp_csv_value(out, line, "fleiss_kappa", &s->fleiss, s->fleiss_steps);
}

void sp_csv_people(sp_buffer *out, const sp_comparison *comparison)
{
    add_sleep(comparison, out);
    add_scorers(comparison, out);
}
