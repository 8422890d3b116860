/* What agreement.c leaves out: kappa with weights, kappa's standard error, and classes that are absent. */
#include "statepath/agreement.h"

#include "evaluate/class_margins.h"
#include "evaluate/value.h"

#include <math.h>
#include <stdlib.h>

/* Margins [K]; how many steps there are, and how many of them undecoded. */
typedef struct margins {
    sp_class_margins *of;
    double n, missing;
} margins;

static sp_status margins_open(int32_t K, const int64_t *confusion, const int64_t *undecoded, margins *out, sp_error *err)
{
    *out = (margins){.of = calloc((size_t)K + 1, sizeof *out->of)};
    if (!out->of)
        return sp_no_memory(err);
    sp_tile_margins(K, confusion, undecoded, 0, K, out->of);
    for (int32_t k = 0; k < K; k++) {
        out->n += (double)out->of[k].row;
        out->missing += undecoded ? (double)undecoded[k] : 0;
    }
    return SP_OK;
}

sp_status sp_weighted_kappa(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded, sp_kappa_weights weights,
                            sp_value *out, sp_error *err)
{
    int32_t K = n_classes;
    margins m;
    *out = value_undefined("not asked for");
    if (weights == SP_KAPPA_UNWEIGHTED)
        return SP_OK;
    sp_status status = margins_open(K, confusion, undecoded, &m, err);
    if (status != SP_OK)
        return status;
    double observed = m.missing, chance = 0, furthest = K > 1 ? K - 1 : 1;
    for (int32_t i = 0; i < K; i++) {
        for (int32_t j = 0; j < K; j++) {
            double w = fabs((double)i - j) / furthest;
            w = weights == SP_KAPPA_QUADRATIC ? w * w : w;
            observed += w * (double)confusion[(size_t)i * (size_t)K + (size_t)j];
            chance += w * (double)m.of[i].row * (double)m.of[j].column;
        }
        chance += (double)m.of[i].row * m.missing;
    }
    *out = m.n == 0      ? value_undefined("no scored steps")
           : chance == 0 ? value_undefined("one class only")
                         : value_of(1 - observed / (chance / m.n));
    free(m.of);
    return SP_OK;
}

sp_status sp_kappa_standard_error(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded,
                                  const sp_agreement *agreement, sp_value *out, sp_error *err)
{
    int32_t K = n_classes;
    double kappa = agreement->kappa.value;
    margins m;
    *out = agreement->kappa;
    if (agreement->kappa.undefined)
        return SP_OK;
    sp_status status = margins_open(K, confusion, undecoded, &m, err);
    if (status != SP_OK)
        return status;
    double pe = 0, a = 0, b = 0;
    for (int32_t i = 0; i < K; i++) {
        double same = (double)confusion[(size_t)i * (size_t)K + (size_t)i] / m.n;
        double term = 1 - ((double)m.of[i].row + (double)m.of[i].column) / m.n * (1 - kappa);
        pe += (double)m.of[i].row * (double)m.of[i].column / m.n / m.n;
        a += same * term * term;
        for (int32_t j = 0; j < K; j++) {
            double other = j == i ? 0 : (double)confusion[(size_t)i * (size_t)K + (size_t)j] / m.n;
            double sum = ((double)m.of[i].column + (double)m.of[j].row) / m.n;
            b += other * sum * sum;
        }
        double sum = (double)m.of[i].column / m.n; /* an undecoded step: a column that no row is called after */
        b += undecoded ? (double)undecoded[i] / m.n * sum * sum : 0;
    }
    double c = kappa - pe * (1 - kappa), variance = (a + (1 - kappa) * (1 - kappa) * b - c * c) / m.n;
    *out = value_of(sqrt(fmax(variance, 0)) / (1 - pe));
    free(m.of);
    return SP_OK;
}

static sp_value with_absent(sp_value mean, int32_t defined, int32_t K, double value)
{
    return mean.undefined ? mean : value_of((mean.value * defined + value * (K - defined)) / K);
}

void sp_agreement_count_absent(sp_agreement *a, int32_t n_classes, sp_absent_class absent)
{
    if (absent == SP_ABSENT_EXCLUDE || a->scored == 0)
        return;
    double value = absent == SP_ABSENT_ONE ? 1 : 0;
    if (a->macro_precision.undefined)
        a->macro_precision = value_of(0); /* over none so far */
    a->macro_precision = with_absent(a->macro_precision, a->macro_precision_classes, n_classes, value);
    a->macro_recall = with_absent(a->macro_recall, a->macro_recall_classes, n_classes, value);
    a->macro_f1 = with_absent(a->macro_f1, a->macro_f1_classes, n_classes, value);
}
