/* Agreement from counts. Sums of products are formed in double: N^2 leaves int64 at three billion steps. Whether a value is
 * defined is decided on the integers, never on a rounded difference. */
#include "statepath/metrics.h"

#include "evaluate/metrics/agreement.h"
#include "evaluate/value.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static const char no_steps[] = "no scored steps";
static const char one_class[] = "one class only";

/* Steps of a class on each side; the row with its undecoded steps. */
typedef struct class_margins {
    int64_t row, column;
} class_margins;

/* Columns are summed in tiles, so that a matrix of thousands of classes is still read along its rows. */
enum { TILE = 256 };

static void tile_margins(int32_t K, const int64_t *confusion, const int64_t *undecoded, int32_t first,
                         int32_t n, class_margins *out)
{
    for (int32_t k = 0; k < n; k++) {
        const int64_t *row = confusion + (size_t)(first + k) * (size_t)K;
        int64_t sum = undecoded ? undecoded[first + k] : 0;
        for (int32_t j = 0; j < K; j++)
            sum += row[j];
        out[k] = (class_margins){sum, 0};
    }
    for (int32_t i = 0; i < K; i++)
        for (int32_t k = 0; k < n; k++)
            out[k].column += confusion[(size_t)i * (size_t)K + (size_t)(first + k)];
}

/* Kappa of the class against the rest. po and pe are 1 together, and only where both sides say one thing throughout. */
static sp_value class_kappa(int64_t hit, class_margins m, int64_t n)
{
    if (n == 0)
        return value_undefined(no_steps);
    if ((m.row == 0 && m.column == 0) || (m.row == n && m.column == n))
        return value_undefined(one_class);
    double N = (double)n, r = (double)m.row / N, c = (double)m.column / N;
    double po = (double)(n - m.row - m.column + 2 * hit) / N;
    double pe = r * c + (1 - r) * (1 - c);
    return value_of((po - pe) / (1 - pe));
}

static sp_class_agreement class_agreement(int64_t hit, class_margins m, int64_t n)
{
    int64_t false_positive = m.column - hit, false_negative = m.row - hit, rest = n - m.row - false_positive;
    return (sp_class_agreement){
        .support = m.row,
        .predicted = m.column,
        .precision = value_ratio((double)hit, (double)m.column, "never predicted"),
        .recall = value_ratio((double)hit, (double)m.row, "absent from the reference"),
        .f1 = value_ratio(2 * (double)hit, (double)(m.row + m.column),
                          "neither predicted nor in the reference"),
        .specificity =
            value_ratio((double)rest, (double)(n - m.row), n ? "the only class of the reference" : no_steps),
        .npv = value_ratio((double)rest, (double)(rest + false_negative),
                           n ? "predicted at every step" : no_steps),
        .kappa = class_kappa(hit, m, n),
        .prevalence = value_ratio((double)m.row, (double)n, no_steps),
        .pabak = n ? value_of(1 - 2 * (double)(false_positive + false_negative) / (double)n)
                   : value_undefined(no_steps),
        .bias = value_ratio((double)(false_positive - false_negative), (double)n, no_steps),
        .prevalence_index = value_ratio((double)(hit - rest), (double)n, no_steps),
    };
}

/* A mean over the values that are defined. */
typedef struct mean {
    double sum;
    int32_t n;
} mean;

static void mean_add(mean *m, sp_value v)
{
    if (v.undefined)
        return;
    m->sum += v.value;
    m->n++;
}

static sp_value mean_value(mean m, const char *reason)
{
    return value_ratio(m.sum, m.n, reason);
}

/* Sums over classes that kappa and MCC need. */
typedef struct products {
    int64_t n, hits, undecoded;
    double rc, rr, cc;     /* sum r_i c_i, sum r_i^2, sum c_j^2 */
    int32_t rows, columns; /* classes with steps on each side; undecoded is a column of its own */
    int32_t reference_class, decoded_class; /* the last of them */
} products;

static void products_add(products *p, int32_t k, int64_t hit, class_margins m)
{
    double r = (double)m.row, c = (double)m.column;
    p->hits += hit;
    p->rc += r * c;
    p->rr += r * r;
    p->cc += c * c;
    if (m.row) {
        p->rows++;
        p->reference_class = k;
    }
    if (m.column) {
        p->columns++;
        p->decoded_class = k;
    }
}

static sp_value kappa(const products *p)
{
    if (p->n == 0)
        return value_undefined(no_steps);
    if (p->rows == 1 && p->columns == 1 && p->undecoded == 0 && p->reference_class == p->decoded_class)
        return value_undefined(one_class);
    double N = (double)p->n, po = (double)p->hits / N, pe = p->rc / N / N;
    return value_of((po - pe) / (1 - pe));
}

static sp_value mcc(const products *p)
{
    if (p->n == 0)
        return value_undefined(no_steps);
    if (p->rows == 1 && p->columns == 1)
        return value_undefined(one_class);
    if (p->rows == 1 || p->columns == 1)
        return value_of(0);
    double N = (double)p->n;
    /* Two roots instead of one of the product: N^4 would cost precision long before it overflows. */
    double below = sqrt(N * N - p->rr) * sqrt(N * N - p->cc);
    return value_of((N * (double)p->hits - p->rc) / below);
}

void sp_agreement_from_confusion(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded,
                                 sp_agreement *out, sp_class_agreement *classes)
{
    int32_t K = n_classes;
    products p = {0};
    class_margins tile[TILE];
    for (size_t i = 0; i < (size_t)K * (size_t)K; i++)
        p.n += confusion[i];
    for (int32_t k = 0; undecoded && k < K; k++)
        p.undecoded += undecoded[k];
    p.n += p.undecoded;
    p.cc = (double)p.undecoded * (double)p.undecoded;
    p.columns = p.undecoded > 0;

    mean precision = {0}, recall = {0}, f1 = {0};
    double weighted = 0;
    for (int32_t k = 0; k < K; k++) {
        int64_t hit = confusion[(size_t)k * (size_t)K + (size_t)k];
        if (k % TILE == 0)
            tile_margins(K, confusion, undecoded, k, K - k < TILE ? K - k : TILE, tile);
        class_margins m = tile[k % TILE];
        sp_class_agreement c = class_agreement(hit, m, p.n);
        products_add(&p, k, hit, m);
        mean_add(&precision, c.precision);
        mean_add(&recall, c.recall);
        mean_add(&f1, c.f1);
        if (!c.f1.undefined)
            weighted += (double)m.row * c.f1.value;
        if (classes)
            classes[k] = c;
    }
    *out = (sp_agreement){
        .scored = p.n,
        .correct = p.hits,
        .undecoded = p.undecoded,
        .accuracy = value_ratio((double)p.hits, (double)p.n, no_steps),
        .balanced_accuracy = mean_value(recall, no_steps),
        .kappa = kappa(&p),
        .mcc = mcc(&p),
        .macro_precision = mean_value(precision, p.n ? "no class is ever predicted" : no_steps),
        .macro_recall = mean_value(recall, no_steps),
        .macro_f1 = mean_value(f1, no_steps),
        .weighted_f1 = value_ratio(weighted, (double)p.n, no_steps),
        .macro_precision_classes = precision.n,
        .macro_recall_classes = recall.n,
        .macro_f1_classes = f1.n,
    };
}

/* ---- kappa with weights, its standard error, and classes that are absent ---- */

/* Margins [K]; how many steps there are, and how many of them undecoded. */
typedef struct margins {
    class_margins *of;
    double n, missing;
} margins;

static sp_status margins_open(int32_t K, const int64_t *confusion, const int64_t *undecoded, margins *out,
                              sp_error *err)
{
    *out = (margins){.of = calloc((size_t)K + 1, sizeof *out->of)};
    if (!out->of)
        return sp_no_memory(err);
    tile_margins(K, confusion, undecoded, 0, K, out->of);
    for (int32_t k = 0; k < K; k++) {
        out->n += (double)out->of[k].row;
        out->missing += undecoded ? (double)undecoded[k] : 0;
    }
    return SP_OK;
}

sp_status sp_weighted_kappa(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded,
                            sp_kappa_weights weights, sp_value *out, sp_error *err)
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
        double sum =
            (double)m.of[i].column / m.n; /* an undecoded step: a column that no row is called after */
        b += undecoded ? (double)undecoded[i] / m.n * sum * sum : 0;
    }
    double c = kappa - pe * (1 - kappa), variance = (a + (1 - kappa) * (1 - kappa) * b - c * c) / m.n;
    *out = value_of(sqrt(fmax(variance, 0)) / (1 - pe));
    free(m.of);
    return SP_OK;
}
