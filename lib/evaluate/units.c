/* Recordings put together by subject. */
#include "evaluate/units.h"

#include "evaluate/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

sp_status sp_units_open(const sp_comparison *c, bool only_scored, sp_units *out, sp_error *err)
{
    *out = (sp_units){.n_recordings = c->n_recordings, .is_subjects = c->subject_of != NULL};
    int64_t N = c->n_recordings, *unit_of_subject = malloc(((size_t)c->n_subjects + 1) * sizeof *unit_of_subject);
    out->of_recording = malloc(((size_t)N + 1) * sizeof *out->of_recording);
    if (!unit_of_subject || !out->of_recording) {
        free(unit_of_subject);
        return sp_fail(err, SP_ENOMEM, "no memory to group %lld recordings", (long long)N);
    }
    for (int32_t s = 0; s < c->n_subjects; s++)
        unit_of_subject[s] = -1;
    for (int64_t i = 0; i < N; i++) {
        out->of_recording[i] = -1;
        if (only_scored && c->scored_steps[i] == 0)
            continue;
        if (!out->is_subjects) {
            out->of_recording[i] = out->n++;
            continue;
        }
        int64_t *unit = &unit_of_subject[c->subject_of[i]];
        if (*unit < 0)
            *unit = out->n++;
        out->of_recording[i] = *unit;
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
        return sp_fail(err, SP_ENOMEM, "no memory for the means of %lld subjects", (long long)units->n);
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

/* Counts of a slot may stand in a cluster twice: they are only ever added up. */
sp_status sp_units_clusters(const sp_units *units, const sp_clusters *rows, sp_clusters *out, sp_error *err)
{
    size_t n_counts = (size_t)rows->offsets[rows->n];
    int64_t *offsets = calloc((size_t)units->n + 2, sizeof *offsets);
    uint32_t *slots = malloc((n_counts + 1) * sizeof *slots), *counts = malloc((n_counts + 1) * sizeof *counts);
    *out = (sp_clusters){.n = units->n, .width = rows->width, .offsets = offsets, .slots = slots, .counts = counts};
    if (!offsets || !slots || !counts)
        return sp_fail(err, SP_ENOMEM, "no memory to group %lld recordings", (long long)units->n_recordings);
    for (int64_t i = 0, row = 0; i < units->n_recordings; i++)
        if (units->of_recording[i] >= 0) {
            offsets[units->of_recording[i] + 2] += rows->offsets[row + 1] - rows->offsets[row];
            row++;
        }
    for (int64_t u = 0; u < units->n; u++)
        offsets[u + 2] += offsets[u + 1];
    for (int64_t i = 0, row = 0; i < units->n_recordings; i++) {
        int64_t u = units->of_recording[i];
        if (u < 0)
            continue;
        size_t n = (size_t)(rows->offsets[row + 1] - rows->offsets[row]);
        if (n) {
            memcpy(slots + offsets[u + 1], rows->slots + rows->offsets[row], n * sizeof *slots);
            memcpy(counts + offsets[u + 1], rows->counts + rows->offsets[row], n * sizeof *counts);
        }
        offsets[u + 1] += (int64_t)n; /* ends as the offset of the next unit */
        row++;
    }
    return SP_OK;
}

void sp_units_clusters_free(sp_clusters *clusters)
{
    free((void *)clusters->offsets);
    free((void *)clusters->slots);
    free((void *)clusters->counts);
    *clusters = (sp_clusters){0};
}

void sp_units_reason(const sp_units *units, int64_t n, sp_difference *differences)
{
    static const char one[] = "one recording", one_subject[] = "one subject";
    for (int64_t i = 0; units->is_subjects && i < n; i++) {
        if (differences[i].low.undefined && strcmp(differences[i].low.undefined, one) == 0)
            sp_intervals_none(one_subject, &differences[i]);
    }
}
