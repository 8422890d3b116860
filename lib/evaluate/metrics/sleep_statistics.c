/* Sleep statistics of one night, and their agreement over nights. */
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *key, *name, *unit;
} measures[SP_N_SLEEP_MEASURES] = {
    [SP_SLEEP_TIB] = {"tib", "time in bed", "min"},
    [SP_SLEEP_TST] = {"tst", "total sleep time", "min"},
    [SP_SLEEP_SE] = {"se", "sleep efficiency", "%"},
    [SP_SLEEP_SOL] = {"sol", "sleep latency", "min"},
    [SP_SLEEP_WASO] = {"waso", "wake after sleep onset", "min"},
    [SP_SLEEP_WAKE_WITHIN] = {"wake_within_sleep", "wake within sleep", "min"},
    [SP_SLEEP_REM_LATENCY] = {"rem_latency", "REM latency", "min"},
    [SP_SLEEP_WAKE] = {"wake", "Wake", "min"},
    [SP_SLEEP_N1] = {"n1", "N1", "min"},
    [SP_SLEEP_N2] = {"n2", "N2", "min"},
    [SP_SLEEP_N3] = {"n3", "N3", "min"},
    [SP_SLEEP_REM] = {"rem", "REM", "min"},
    [SP_SLEEP_SFI] = {"sfi", "sleep fragmentation", "1/h"},
};

const char *sp_sleep_measure_key(sp_sleep_measure measure)
{
    return measures[measure].key;
}

const char *sp_sleep_measure_name(sp_sleep_measure measure)
{
    return measures[measure].name;
}

const char *sp_sleep_measure_unit(sp_sleep_measure measure)
{
    return measures[measure].unit;
}

/* ---- one night ---- */

/* What is counted in steps, and places from the first step that counts, -1: none. */
typedef struct night {
    int64_t first, last; /* steps that count */
    bool has_begun;
    int32_t before; /* stage of the step before in the same stretch; -1: none */
    int64_t stage[SP_N_STAGES];
    int64_t first_sleep, last_sleep, first_rem;
    int64_t wake_after, wake_within; /* after the first sleep; of it before the last */
    int64_t awakenings;
} night;

/* Steps count from the first that is scored to the last; without `scored`, that has a class. */
static night find_night(const sp_recording *r, const int32_t *path, const int32_t *scored,
                        const int32_t *stage_of_class)
{
    const int32_t *counted = scored ? scored : path;
    night c = {.has_begun = false};
    sp_stretch at = sp_walk(r, path, scored);
    while (sp_stretch_next(&at)) {
        const int64_t length = at.end - at.first;
        const bool is_counted = counted[at.first] >= 0;
        if (!c.has_begun && !is_counted)
            continue;
        if (!c.has_begun)
            c = (night){.has_begun = true,
                        .first = at.first,
                        .before = -1,
                        .first_sleep = -1,
                        .last_sleep = -1,
                        .first_rem = -1};
        else if (!at.is_joined)
            c.before = -1;
        const int64_t since = at.first - c.first;
        const int32_t stage = path[at.first] >= 0 && is_counted ? stage_of_class[path[at.first]] : -1;
        if (is_counted)
            c.last = at.end - 1;
        if (stage >= 0)
            c.stage[stage] += length;
        if (stage == SP_STAGE_WAKE) {
            c.wake_after += c.first_sleep >= 0 ? length : 0;
            c.awakenings += c.before > SP_STAGE_WAKE;
        } else if (stage > SP_STAGE_WAKE) {
            if (c.first_sleep < 0)
                c.first_sleep = since;
            c.last_sleep = since + length - 1;
            c.wake_within = c.wake_after; /* all wake so far after onset lies before this step of sleep */
            if (stage == SP_STAGE_REM && c.first_rem < 0)
                c.first_rem = since;
        }
        c.before = stage;
    }
    return c;
}

static void all_undefined(sp_sleep_statistics *out, const char *reason)
{
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++)
        out->values[m] = value_undefined(reason);
    out->awakenings = value_undefined(reason);
}

static void night_values(const night *counted, double epoch_seconds, sp_sleep_statistics *out)
{
    if (!counted->has_begun) {
        all_undefined(out, "no scored steps");
        return;
    }
    const night c = *counted;
    const double minute = epoch_seconds / 60;
    int64_t in_bed = c.last - c.first + 1;
    int64_t sleep =
        c.stage[SP_STAGE_N1] + c.stage[SP_STAGE_N2] + c.stage[SP_STAGE_N3] + c.stage[SP_STAGE_REM];
    sp_value *v = out->values;
    out->awakenings = value_of((double)c.awakenings);
    v[SP_SLEEP_TIB] = value_of((double)in_bed * minute);
    v[SP_SLEEP_TST] = value_of((double)sleep * minute);
    v[SP_SLEEP_SE] = value_of(100 * (double)sleep / (double)in_bed);
    for (int s = 0; s < SP_N_STAGES; s++)
        v[SP_SLEEP_WAKE + s] = value_of((double)c.stage[s] * minute);
    static const sp_sleep_measure need_sleep[] = {SP_SLEEP_SOL, SP_SLEEP_WASO, SP_SLEEP_WAKE_WITHIN,
                                                  SP_SLEEP_REM_LATENCY, SP_SLEEP_SFI};
    if (sleep == 0) {
        for (size_t i = 0; i < sizeof need_sleep / sizeof *need_sleep; i++)
            v[need_sleep[i]] = value_undefined("no sleep");
        return;
    }
    v[SP_SLEEP_SOL] = value_of((double)c.first_sleep * minute);
    v[SP_SLEEP_WASO] = value_of((double)c.wake_after * minute);
    v[SP_SLEEP_WAKE_WITHIN] = value_of((double)c.wake_within * minute);
    v[SP_SLEEP_REM_LATENCY] = c.first_rem < 0 ? value_undefined("no REM")
                                              : value_of((double)(c.first_rem - c.first_sleep) * minute);
    v[SP_SLEEP_SFI] = value_of((double)c.awakenings / ((double)sleep * epoch_seconds / 3600));
}

void sp_sleep_statistics_of(int64_t n, const int32_t *path, const int32_t *scored, const int64_t *segments,
                            const int32_t *stage_of_class, double epoch_seconds, sp_sleep_statistics *out)
{
    if (!path) {
        all_undefined(out, "not decoded");
        return;
    }
    const sp_recording r = {.n_steps = n, .segments = segments};
    const night counted = find_night(&r, path, scored, stage_of_class);
    night_values(&counted, epoch_seconds, out);
}

/* ---- over nights ---- */

typedef struct measured {
    const sp_sleep_statistics *nights, *others; /* others NULL: 0 */
    sp_sleep_measure measure;
} measured;

/* A measure of one night minus the same of another. NaN where either is undefined. */
static double value_at(const void *arg, int64_t i)
{
    const measured *m = arg;
    const sp_value *v = &m->nights[i].values[m->measure],
                   *other = m->others ? &m->others[i].values[m->measure] : NULL;
    return v->undefined || (other && other->undefined) ? NAN : v->value - (other ? other->value : 0);
}

void sp_sleep_mean_of(int64_t n, const sp_sleep_statistics *nights, sp_sleep_measure measure,
                      sp_sleep_mean *out)
{
    measured m = {nights, NULL, measure};
    value_summary(n, value_at, &m, "defined in no night", "one night", &out->n, &out->mean, &out->sd);
}

void sp_sleep_agreement_of(int64_t n, const sp_sleep_statistics *reference,
                           const sp_sleep_statistics *decoded, sp_sleep_measure measure,
                           sp_sleep_agreement *out)
{
    measured m = {decoded, reference, measure};
    value_summary(n, value_at, &m, "no night where both are defined", "one night", &out->n, &out->bias,
                  &out->sd);
    out->low = out->high = out->sd;
    if (!out->sd.undefined) {
        out->low = value_of(out->bias.value - 1.96 * out->sd.value);
        out->high = value_of(out->bias.value + 1.96 * out->sd.value);
    }
}

/* middle -+ half, or why there is none. */
static void interval_around(const sp_value *middle, double half, sp_value *low, sp_value *high)
{
    *low = *high = *middle;
    low->value -= half;
    high->value += half;
}

void sp_sleep_agreement_intervals(double level, sp_sleep_agreement *a)
{
    if (a->sd.undefined) {
        a->bias_low = a->bias_high = a->low_low = a->low_high = a->high_low = a->high_high = a->sd;
        return;
    }
    const double n = (double)a->n, t = gsl_cdf_tdist_Pinv((1 + level) / 2, n - 1), sd = a->sd.value;
    const double of_limit = t * sd * sqrt(1 / n + 1.96 * 1.96 / (2 * (n - 1)));
    interval_around(&a->bias, t * sd / sqrt(n), &a->bias_low, &a->bias_high);
    interval_around(&a->low, of_limit, &a->low_low, &a->low_high);
    interval_around(&a->high, of_limit, &a->high_low, &a->high_high);
}

/* ---- inside an evaluation ---- */

sp_status sp_sleep_open(sp_evaluation *e, const sp_evaluation_options *options, sp_error *err)
{
    if (!options->stage_of_class)
        return SP_OK;
    if (!(options->epoch_seconds > 0) || !isfinite(options->epoch_seconds))
        return sp_fail(err, SP_EINVAL, "a step of %g seconds: sleep statistics need a length above 0",
                       options->epoch_seconds);
    size_t K = (size_t)e->K, n = (size_t)options->n_strategies;
    sp_sleep *sleep = e->result->sleep = calloc(1, sizeof *sleep);
    e->stage_of_class = sp_zeros(&e->own, K, sizeof *e->stage_of_class);
    if (sleep)
        sleep->strategies = calloc(n ? n : 1, sizeof *sleep->strategies);
    if (!sleep || !sleep->strategies || !e->stage_of_class)
        return sp_no_memory(err);
    memcpy(e->stage_of_class, options->stage_of_class, K * sizeof *e->stage_of_class);
    sleep->n_strategies = options->n_strategies;
    sleep->epoch_seconds = options->epoch_seconds;
    sleep->epoch_is_assumed = options->epoch_is_assumed;
    return SP_OK;
}

/* Room as the comparison's own lists have it. */
void sp_sleep_reserve(sp_evaluation *e, int64_t n, bool *is_whole)
{
    sp_sleep *sleep = e->result->sleep;
    if (sleep && e->result->has_labels)
        sleep->reference = sp_grown(sleep->reference, n, sizeof *sleep->reference, is_whole);
    for (int32_t s = 0; sleep && s < sleep->n_strategies; s++)
        sleep->strategies[s].nights =
            sp_grown(sleep->strategies[s].nights, n, sizeof *sleep->strategies[s].nights, is_whole);
}

static void add_night(const sp_evaluation *e, const sp_recording *r, const int32_t *path,
                      sp_sleep_statistics *out)
{
    const night counted = find_night(r, path, r->whole, e->stage_of_class);
    night_values(&counted, e->result->sleep->epoch_seconds, out);
}

void sp_add_sleep(sp_evaluation *e, const sp_recording *r, const sp_views *views)
{
    sp_sleep *sleep = e->result->sleep;
    if (sleep && r->labels)
        add_night(e, r, r->whole, &sleep->reference[r->index]);
    for (int32_t s = 0; sleep && s < sleep->n_strategies; s++) {
        sp_sleep_statistics *out = &sleep->strategies[s].nights[r->index];
        if (views->results[s].status == SP_OK)
            add_night(e, r, views->paths[s], out);
        else
            all_undefined(out, "not decoded");
    }
}

void sp_sleep_finish(sp_evaluation *e)
{
    sp_sleep *sleep = e->result->sleep;
    if (!sleep)
        return;
    int64_t n = sleep->n_nights = e->result->n_recordings;
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        sp_sleep_mean_of(sleep->reference ? n : 0, sleep->reference, (sp_sleep_measure)m,
                         &sleep->reference_means[m]);
        for (int32_t s = 0; s < sleep->n_strategies; s++) {
            sp_sleep_strategy *one = &sleep->strategies[s];
            sp_sleep_mean_of(n, one->nights, (sp_sleep_measure)m, &one->means[m]);
            sp_sleep_agreement_of(sleep->reference ? n : 0, sleep->reference, one->nights,
                                  (sp_sleep_measure)m, &one->agreement[m]);
            sp_sleep_agreement_intervals(e->result->level, &one->agreement[m]);
        }
    }
}
