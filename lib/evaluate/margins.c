/* Margins of each recording's confusion matrices, and the comparisons that are made of them: kappa, macro F1, illegal rate. */
#include "evaluate/margins.h"
#include "evaluate/clusters.h"
#include "evaluate/evaluation.h"
#include "evaluate/units.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

static const char metric_kappa[] = "kappa", metric_f1[] = "macro_f1", metric_illegal[] = "illegal_rate";
static const char too_long[] = "a recording of more than 4,294,967,295 steps", no_transitions[] = "no transitions";

void sp_margins_free(sp_margins *margins)
{
    free(margins->offsets);
    free(margins->slots);
    free(margins->counts);
    free(margins->row);
    free(margins->touched);
    *margins = (sp_margins){.left_out = margins->left_out};
}

/* ---- counting ---- */

static int32_t width_of(const sp_evaluation *e)
{
    return e->K * (1 + 2 * e->result->n_strategies);
}

static bool grow(void **array, int64_t n, size_t size)
{
    void *bigger = realloc(*array, (size_t)n * size);
    *array = bigger ? bigger : *array;
    return bigger != NULL;
}

static bool reserve(sp_margins *m, int32_t width, int64_t more)
{
    if (!m->row) {
        m->row = calloc((size_t)width, sizeof *m->row);
        m->touched = malloc((size_t)width * sizeof *m->touched);
        if (!m->row || !m->touched)
            return false;
    }
    if (m->n + 2 > m->row_capacity) {
        int64_t room = 2 * m->row_capacity + 16;
        if (!grow((void **)&m->offsets, room, sizeof *m->offsets))
            return false;
        m->row_capacity = room;
    }
    if (m->n_counts + more > m->capacity) {
        int64_t room = 2 * m->capacity + more;
        if (!grow((void **)&m->slots, room, sizeof *m->slots) || !grow((void **)&m->counts, room, sizeof *m->counts))
            return false;
        m->capacity = room;
    }
    m->offsets[0] = 0;
    return true;
}

static void leave_out(sp_margins *m, const char *reason)
{
    sp_margins_free(m);
    m->left_out = reason;
}

sp_status sp_add_margins(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths, sp_error *err)
{
    sp_margins *m = &e->margins;
    int32_t K = e->K;
    if (e->n_pairs == 0 || m->left_out || !r->labels)
        return SP_OK;
    if (r->n_steps > UINT32_MAX) {
        leave_out(m, too_long);
        return SP_OK;
    }
    if (!reserve(m, width_of(e), 0))
        return sp_fail(err, SP_ENOMEM, "no memory to compare the kappas of recordings");
    for (int64_t t = 0; t < r->n_steps; t++) {
        int32_t label = r->labels[t];
        if (label < 0)
            continue;
        sp_margins_count(m, (uint32_t)label);
        for (int32_t s = 0; s < e->result->n_strategies; s++) {
            int32_t chosen = paths[s][t], first = K + 2 * s * K;
            if (chosen == label)
                sp_margins_count(m, (uint32_t)(first + label));
            if (chosen >= 0)
                sp_margins_count(m, (uint32_t)(first + K + chosen));
        }
    }
    if (m->n_counts + m->n_touched > SP_MAX_MARGIN_COUNTS) {
        leave_out(m, "too many recordings and classes for intervals of kappa and macro F1");
        return SP_OK;
    }
    if (m->n_touched == 0)
        return SP_OK;
    if (!reserve(m, width_of(e), m->n_touched))
        return sp_fail(err, SP_ENOMEM, "no memory to compare the kappas of recordings");
    for (int64_t i = 0; i < m->n_touched; i++) {
        m->slots[m->n_counts] = m->touched[i];
        m->counts[m->n_counts++] = (uint32_t)m->row[m->touched[i]];
        m->row[m->touched[i]] = 0;
    }
    m->n_touched = 0;
    m->offsets[++m->n] = m->n_counts;
    return SP_OK;
}

/* ---- statistics of summed margins ---- */

/* Kappa and macro F1 of strategy s, as in sp_agreement_from_confusion(); NaN where undefined. */
static void kappa_and_f1(const int64_t *sums, int32_t K, int32_t s, sp_absent_class absent, double *kappa, double *f1)
{
    const int64_t *reference = sums, *right = sums + (size_t)K * (size_t)(1 + 2 * s), *decoded = right + K;
    double n = 0, correct = 0, chance = 0, total = 0;
    int32_t defined = 0;
    bool is_single = false;
    for (int32_t k = 0; k < K; k++) {
        n += (double)reference[k];
        correct += (double)right[k];
    }
    for (int32_t k = 0; k < K; k++) {
        double r = (double)reference[k], c = (double)decoded[k];
        chance += r * c;
        is_single |= r == n && c == n;
        if (r + c > 0) {
            total += 2 * (double)right[k] / (r + c);
            defined++;
        }
    }
    double expected = chance / n / n;
    *kappa = n == 0 || is_single ? NAN : (correct / n - expected) / (1 - expected);
    *f1 = defined == 0                  ? NAN
          : absent == SP_ABSENT_EXCLUDE ? total / defined
                                        : (total + (absent == SP_ABSENT_ONE ? K - defined : 0)) / K;
}

/* Differences of every pair: kappa first, then macro F1. */
static void agreement_differences(const void *arg, const int64_t *sums, double *values)
{
    const sp_evaluation *e = arg;
    double kappa[SP_EVALUATION_MAX_STRATEGIES], f1[SP_EVALUATION_MAX_STRATEGIES];
    for (int32_t s = 0; s < e->result->n_strategies; s++)
        kappa_and_f1(sums, e->K, s, e->options.absent_class, &kappa[s], &f1[s]);
    for (int32_t p = 0; p < e->n_pairs; p++) {
        values[p] = kappa[e->pairs[p][0]] - kappa[e->pairs[p][1]];
        values[e->n_pairs + p] = f1[e->pairs[p][0]] - f1[e->pairs[p][1]];
    }
}

static double rate(const int64_t *sums, int32_t s)
{
    return sums[2 * s + 1] ? (double)sums[2 * s] / (double)sums[2 * s + 1] : NAN;
}

/* Illegal rates of all strategies, then the differences of all pairs. Sums: illegal, transitions by strategy. */
static void illegal_rates(const void *arg, const int64_t *sums, double *values)
{
    const sp_evaluation *e = arg;
    int32_t S = e->result->n_strategies;
    for (int32_t s = 0; s < S; s++)
        values[s] = rate(sums, s);
    for (int32_t p = 0; p < e->n_pairs; p++)
        values[S + p] = values[e->pairs[p][0]] - values[e->pairs[p][1]];
}

/* ---- comparisons ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Counts, mean, median and sd of a pair's differences over units, d [n]; NaN where undefined. A lower illegal rate is the better
 * one. The defined ones are then the first of d. */
static void describe(sp_pair_comparison *out, int64_t n, double *d, bool is_subjects)
{
    double sum = 0, squares = 0, sign = out->metric == metric_illegal ? -1 : 1;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(d[i])) {
            out->test.better += sign * d[i] > 0;
            out->test.worse += sign * d[i] < 0;
            out->test.ties += d[i] == 0;
            sum += d[i];
            d[m++] = d[i];
        }
    if (m == 0) {
        out->mean = out->median = out->sd = value_undefined("defined in no recording");
        return;
    }
    for (int64_t i = 0; i < m; i++)
        squares += (d[i] - sum / (double)m) * (d[i] - sum / (double)m);
    qsort(d, (size_t)m, sizeof *d, ascending);
    out->mean = value_of(sum / (double)m);
    out->median = value_of((d[(m - 1) / 2] + d[m / 2]) / 2);
    out->sd = m > 1 ? value_of(sqrt(squares / (double)(m - 1))) : value_undefined(is_subjects ? "one subject" : "one recording");
}

/* The next comparison of the result, which has room for it. */
static sp_pair_comparison *append(sp_evaluation *e, int32_t pair, const char *metric, const sp_difference *difference)
{
    sp_comparison *c = e->result;
    sp_pair_comparison *out = &c->comparisons[c->n_comparisons++];
    *out = (sp_pair_comparison){.a = e->pairs[pair][0], .b = e->pairs[pair][1], .metric = metric, .difference = *difference};
    sp_mcnemar_test(0, 0, &out->mcnemar);
    sp_value none = value_undefined("only accuracy is tested");
    out->test.p = out->test.p_least = out->test.rank_biserial = out->p_holm = out->permutation.p = none;
    out->mcnemar_cluster = out->bowker = out->stuart_maxwell = (sp_chi2){none, none, 0};
    return out;
}

/* Differences of one recording each, [2 n_pairs, N], from the margins; NaN where undefined or nothing is scored. */
static void recording_differences(sp_evaluation *e, double *values, double *differences)
{
    sp_margins *m = &e->margins;
    const sp_comparison *c = e->result;
    for (int64_t r = 0, i = 0; r < c->n_recordings; r++) {
        bool is_scored = c->scored_steps[r] > 0;
        if (is_scored) {
            for (int64_t j = m->offsets[i]; j < m->offsets[i + 1]; j++)
                m->row[m->slots[j]] = m->counts[j];
            agreement_differences(e, m->row, values);
            for (int64_t j = m->offsets[i]; j < m->offsets[i + 1]; j++)
                m->row[m->slots[j]] = 0;
            i++;
        }
        for (int32_t v = 0; v < 2 * e->n_pairs; v++)
            differences[v * c->n_recordings + r] = is_scored ? values[v] : NAN;
    }
}

/* The bootstrap over units of what is counted by recording. */
static sp_status bootstrap(const sp_evaluation *e, const sp_units *units, const sp_clusters *rows,
                           const sp_statistics *statistics, sp_difference *out, sp_error *err)
{
    sp_clusters clusters = {0};
    sp_status status = units->is_subjects ? sp_units_clusters(units, rows, &clusters, err) : SP_OK;
    if (status == SP_OK) {
        sp_bootstrap_part part = {units->is_subjects ? clusters : *rows, *statistics, out};
        status = sp_clusters_bootstrap(1, &part, &e->options.bootstrap, e->workers, err);
    }
    if (status == SP_OK)
        sp_units_reason(units, statistics->n, out);
    sp_units_clusters_free(&clusters);
    return status;
}

static sp_status compare_agreement(sp_evaluation *e, sp_error *err)
{
    sp_margins *m = &e->margins;
    int64_t N = e->result->n_recordings;
    if (m->left_out || m->n == 0)
        return SP_OK;
    sp_clusters rows = {.n = m->n, .width = width_of(e), .offsets = m->offsets, .slots = m->slots, .counts = m->counts};
    sp_statistics statistics = {
        .n = 2 * e->n_pairs, .compute = agreement_differences, .arg = e, .undefined = "undefined for one of the strategies"};
    sp_difference out[2 * SP_MAX_COMPARISONS];
    sp_units units = {0};
    double values[2 * SP_MAX_COMPARISONS], *differences = malloc((size_t)statistics.n * (size_t)N * sizeof *differences);
    double *d = malloc((size_t)N * sizeof *d);
    sp_status status = sp_units_open(e->result, true, &units, err);
    if (status == SP_OK && (!differences || !d))
        status = sp_fail(err, SP_ENOMEM, "no memory to compare the kappas of recordings");
    if (status == SP_OK)
        status = bootstrap(e, &units, &rows, &statistics, out, err);
    if (status == SP_OK)
        recording_differences(e, values, differences);
    for (int32_t v = 0; status == SP_OK && v < statistics.n; v++) {
        status = sp_units_mean(&units, differences + v * N, d, err);
        if (status == SP_OK)
            describe(append(e, v % e->n_pairs, v < e->n_pairs ? metric_kappa : metric_f1, &out[v]), units.n, d,
                     units.is_subjects);
    }
    sp_units_free(&units);
    free(differences);
    free(d);
    return status;
}

/* ---- illegal rates ---- */

/* Illegal transitions and transitions of every recording as clusters; false: no memory. Arrays are the caller's to free. */
static bool fill_illegal(const sp_comparison *c, sp_clusters *out, int64_t **offsets, uint32_t **slots, uint32_t **counts)
{
    size_t N = (size_t)c->n_recordings, width = 2 * (size_t)c->n_strategies;
    *offsets = malloc((N + 1) * sizeof **offsets);
    *slots = malloc((N * width + 1) * sizeof **slots);
    *counts = malloc((N * width + 1) * sizeof **counts);
    if (!*offsets || !*slots || !*counts)
        return false;
    int64_t n = 0;
    (*offsets)[0] = 0;
    for (size_t r = 0; r < N; r++) {
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_transition_counts *t = &c->strategies[s].recordings[r].counts;
            const int64_t pair[2] = {t->illegal, t->transitions};
            for (int i = 0; i < 2; i++)
                if (pair[i]) {
                    (*slots)[n] = (uint32_t)(2 * s + i);
                    (*counts)[n++] = (uint32_t)pair[i];
                }
        }
        (*offsets)[r + 1] = n;
    }
    *out = (sp_clusters){.n = c->n_recordings, .width = (int32_t)width, .offsets = *offsets, .slots = *slots, .counts = *counts};
    return true;
}

static double recording_rate(const sp_strategy_result *s, int64_t r)
{
    const sp_transition_counts *t = &s->recordings[r].counts;
    return t->transitions ? (double)t->illegal / (double)t->transitions : NAN;
}

static sp_status compare_illegal(sp_evaluation *e, const sp_units *units, const sp_difference *differences, sp_error *err)
{
    sp_comparison *c = e->result;
    sp_status status = SP_OK;
    double *rates = malloc((size_t)(c->n_recordings + 1) * sizeof *rates), *d = malloc((size_t)(units->n + 1) * sizeof *d);
    if (!rates || !d)
        status = sp_fail(err, SP_ENOMEM, "no memory to compare the illegal rates of recordings");
    for (int32_t p = 0; status == SP_OK && p < e->n_pairs; p++) {
        const sp_strategy_result *a = &c->strategies[e->pairs[p][0]], *b = &c->strategies[e->pairs[p][1]];
        if (a->is_legal_by_construction || b->is_legal_by_construction || a->counts.illegal + b->counts.illegal == 0)
            continue;
        for (int64_t r = 0; r < c->n_recordings; r++)
            rates[r] = recording_rate(a, r) - recording_rate(b, r);
        status = sp_units_mean(units, rates, d, err);
        if (status != SP_OK)
            break;
        sp_pair_comparison *out = append(e, p, metric_illegal, &differences[p]);
        describe(out, units->n, d, units->is_subjects);
        status = sp_sign_flip_test(out->test.better + out->test.worse + out->test.ties, d, &e->options.bootstrap,
                                   &out->permutation, err);
    }
    free(rates);
    free(d);
    return status;
}

static void rates_without_interval(sp_comparison *c)
{
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_transition_counts *t = &c->strategies[s].counts;
        c->strategies[s].illegal_rate = (sp_difference){
            .difference = value_ratio((double)t->illegal, (double)t->transitions, no_transitions), .n = c->n_recordings};
        sp_intervals_none(too_long, &c->strategies[s].illegal_rate);
    }
}

/* A rate that is 0 by construction, or that nobody saw above 0, has no interval: the bootstrap would give 0 to 0. */
static void finish_rates(sp_comparison *c, const sp_difference *rates)
{
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_strategy_result *strategy = &c->strategies[s];
        strategy->illegal_rate = rates[s];
        const char *reason = strategy->is_legal_by_construction && !strategy->counts.illegal ? "0 by construction"
                             : !strategy->counts.illegal                                     ? "no illegal transition"
                                                                                             : NULL;
        if (reason && !rates[s].difference.undefined)
            sp_intervals_none(reason, &strategy->illegal_rate);
    }
}

static sp_status illegal_intervals(sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    for (int64_t r = 0; r < c->n_recordings; r++)
        if (c->steps[r] > UINT32_MAX) { /* more than a count of a cluster holds */
            rates_without_interval(c);
            return SP_OK;
        }
    sp_difference out[SP_EVALUATION_MAX_STRATEGIES + SP_MAX_COMPARISONS];
    sp_clusters clusters = {0};
    sp_statistics statistics = {
        .n = c->n_strategies + e->n_pairs, .compute = illegal_rates, .arg = e, .undefined = no_transitions};
    int64_t *offsets = NULL;
    uint32_t *slots = NULL, *counts = NULL;
    sp_units units = {0};
    sp_status status = sp_units_open(c, false, &units, err);
    if (status == SP_OK && !fill_illegal(c, &clusters, &offsets, &slots, &counts))
        status = sp_fail(err, SP_ENOMEM, "no memory for the illegal rates of %lld recordings", (long long)c->n_recordings);
    if (status == SP_OK)
        status = bootstrap(e, &units, &clusters, &statistics, out, err);
    free(offsets);
    free(slots);
    free(counts);
    if (status == SP_OK)
        finish_rates(c, out);
    if (status == SP_OK && e->n_pairs)
        status = compare_illegal(e, &units, out + c->n_strategies, err);
    sp_units_free(&units);
    return status;
}

sp_status sp_margins_compare(sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    c->other_metrics_left_out = e->margins.left_out;
    if (e->n_pairs > 0) { /* room for the other three metrics of each pair */
        void *bigger = realloc(c->comparisons, 4 * (size_t)e->n_pairs * sizeof *c->comparisons);
        if (!bigger)
            return sp_fail(err, SP_ENOMEM, "no memory to compare %d pairs of strategies", e->n_pairs);
        c->comparisons = bigger;
    }
    sp_status status = e->n_pairs ? compare_agreement(e, err) : SP_OK;
    return status == SP_OK && c->n_strategies ? illegal_intervals(e, err) : status;
}
