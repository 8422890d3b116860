#include "evaluate/posterior.h"

#include <math.h>
#include <stdlib.h>

#include "core/numbers.h"
#include "core/try.h"
#include "evaluate/comparison.h"
#include "evaluate/value.h"
#include "statepath/statistics.h"

sp_posterior_intervals *sp_posterior_new(int32_t n, int64_t n_recordings)
{
    sp_posterior_intervals *p = calloc(1, sizeof *p);
    bool has_room = p && (p->figures = calloc((size_t)n + 1, sizeof *p->figures));
    for (int32_t i = 0; has_room && i < n; i++) {
        sp_posterior_figure *f = &p->figures[p->n++];
        const size_t n_columns = (size_t)n_recordings * SP_DRAW_COLUMNS;
        has_room = (f->columns = malloc((n_columns + 1) * sizeof *f->columns));
        for (size_t c = 0; has_room && c < n_columns; c++)
            f->columns[c] = NAN;
    }
    if (!has_room) {
        sp_posterior_free(p);
        return NULL;
    }
    return p;
}

double sp_posterior_miss(const double *columns)
{
    const double reference = columns[SP_DRAW_REFERENCE];
    return isnan(reference) || isnan(columns[SP_DRAW_LOW])
               ? NAN
               : fmax(columns[SP_DRAW_LOW] - reference, reference - columns[SP_DRAW_HIGH]);
}

double sp_posterior_widening(double *misses, int64_t n, double level)
{
    const int64_t rank = (int64_t)ceil(level * (double)(n + 1) - 1e-9);
    if (n <= 0 || rank > n)
        return INFINITY;
    qsort(misses, (size_t)n, sizeof *misses, number_compare);
    return fmax(misses[rank - 1], 0);
}

static double width_at(const void *arg, int64_t i)
{
    const double *columns = (const double *)arg + i * SP_DRAW_COLUMNS;
    return columns[SP_DRAW_HIGH] - columns[SP_DRAW_LOW];
}

/* misses [N] room */
static void judge(sp_posterior_figure *f, int64_t n_recordings, double level, double *misses)
{
    sp_value spread;
    value_summary(n_recordings, width_at, f->columns, "no interval", "one recording", &f->n_intervals,
                  &f->width, &spread);
    f->n_references = f->n_held = 0;
    for (int64_t i = 0; i < n_recordings; i++) {
        const double miss = sp_posterior_miss(f->columns + i * SP_DRAW_COLUMNS);
        if (isnan(miss))
            continue;
        misses[f->n_references++] = miss;
        f->n_held += miss <= 0;
    }
    const int64_t n = f->n_references;
    f->held = value_ratio((double)f->n_held, (double)n, "no reference");
    if (n > 1)
        sp_exact_interval(f->n_held, n, level, &f->held_low, &f->held_high);
    else
        f->held_low = f->held_high = value_undefined(n ? "one recording" : "no reference");
    const double lacking = sp_posterior_widening(misses, n, level);
    f->lacking = lacking < INFINITY ? value_of(lacking) : value_undefined("too few references");
}

sp_status sp_posterior_judge(sp_posterior_intervals *posterior, int64_t n_recordings, sp_error *err)
{
    double *misses = malloc(((size_t)n_recordings + 1) * sizeof *misses);
    if (!misses)
        return sp_no_memory(err);
    for (int32_t i = 0; i < posterior->n; i++)
        judge(&posterior->figures[i], n_recordings, posterior->level, misses);
    free(misses);
    return SP_OK;
}
