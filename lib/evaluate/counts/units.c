/* Recordings put together by subject. */
#include "evaluate/counts/units.h"

#include "core/try.h"
#include "evaluate/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

sp_status sp_units_open(const sp_comparison *c, bool only_scored, sp_units *out, sp_error *err)
{
    *out = (sp_units){.n_recordings = c->n_recordings, .is_subjects = c->subject_of != NULL};
    size_t N = (size_t)c->n_recordings, n_rows = 0;
    int64_t *unit_of_subject = malloc(((size_t)c->n_subjects + 1) * sizeof *unit_of_subject);
    out->of_recording = malloc((2 * N + 1) * sizeof *out->of_recording);
    if (!unit_of_subject || !out->of_recording) {
        free(unit_of_subject);
        return sp_no_memory(err);
    }
    out->of_row = out->of_recording + N;
    for (int32_t s = 0; s < c->n_subjects; s++)
        unit_of_subject[s] = -1;
    for (size_t i = 0; i < N; i++) {
        out->of_recording[i] = -1;
        if (only_scored && c->scored_steps[i] == 0)
            continue;
        int64_t none = -1, *unit = out->is_subjects ? &unit_of_subject[c->subject_of[i]] : &none;
        if (*unit < 0)
            *unit = out->n++;
        out->of_recording[i] = out->of_row[n_rows++] = *unit;
    }
    free(unit_of_subject);
    return SP_OK;
}

void sp_units_free(sp_units *units)
{
    free(units->of_recording);
    *units = (sp_units){0};
}

sp_status sp_units_mean(const sp_units *units, const double *values, double *out, sp_error *err)
{
    static const double grid = 1099511627776.0; /* 2^40 */
    int64_t *counts = calloc((size_t)units->n + 1, sizeof *counts);
    if (!counts)
        return sp_no_memory(err);
    for (int64_t u = 0; u < units->n; u++)
        out[u] = 0;
    for (int64_t i = 0; i < units->n_recordings; i++) {
        int64_t u = units->of_recording[i];
        if (u < 0 || isnan(values[i]))
            continue;
        out[u] += values[i];
        counts[u]++;
    }
    for (int64_t u = 0; u < units->n; u++) {
        if (counts[u] == 0)
            out[u] = NAN;
        else if (units->is_subjects)
            out[u] = nearbyint(out[u] / (double)counts[u] * grid) / grid;
    }
    free(counts);
    return SP_OK;
}

void sp_units_reason(const sp_units *units, int64_t n, sp_difference *differences)
{
    static const char *const words[][2] = {{"one recording", "one subject"},
                                           {"too few recordings differ", "too few subjects differ"},
                                           {"all recordings differ alike", "all subjects differ alike"}};
    for (int64_t i = 0; units->is_subjects && i < n; i++) {
        sp_difference *d = &differences[i];
        sp_value *const ends[] = {&d->low, &d->high};
        for (size_t e = 0; e < 2; e++)
            for (size_t w = 0; w < sizeof words / sizeof *words; w++)
                if (ends[e]->undefined && strcmp(ends[e]->undefined, words[w][0]) == 0)
                    ends[e]->undefined = words[w][1];
    }
}

sp_status sp_units_bootstrap(const sp_units *units, const sp_clusters *rows, const sp_statistics *statistics,
                             const sp_bootstrap_options *options, sp_workers *workers, sp_difference *out,
                             sp_error *err)
{
    sp_clusters clusters = *rows;
    sp_count_rows grouped = {0};
    sp_status status = SP_OK;
    if (units->is_subjects) {
        if (!sp_clusters_group(rows, units->n, units->of_row, &grouped))
            TRY(sp_no_memory(err));
        clusters = sp_count_rows_view(&grouped, rows->width);
    }
    TRY(sp_clusters_bootstrap(&clusters, statistics, options, workers, out, err));
    sp_units_reason(units, statistics->n, out);
done:
    sp_count_rows_free(&grouped);
    return status;
}

static double number_at(const void *numbers, int64_t i)
{
    return ((const double *)numbers)[i];
}

int64_t sp_units_describe(const sp_units *units, double *d, const char *none, sp_pair_comparison *out)
{
    const int64_t n = units->n;
    int64_t m;
    value_summary(n, number_at, d, none, units->is_subjects ? "one subject" : "one recording", &m, &out->mean,
                  &out->sd);
    for (int64_t i = 0, at = 0; i < n; i++)
        if (!isnan(d[i]))
            d[at++] = d[i];
    qsort(d, (size_t)m, sizeof *d, value_ascending);
    out->median = m ? value_of((d[(m - 1) / 2] + d[m / 2]) / 2) : value_undefined(none);
    return m;
}
