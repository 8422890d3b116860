/* Agreement from counts. Sums of products are formed in double: N^2 leaves int64 at three billion steps. Whether a value is
 * defined is decided on the integers, never on a rounded difference. */
#include "statepath/agreement.h"

#include "evaluate/class_margins.h"
#include "evaluate/value.h"

#include <math.h>
#include <stddef.h>

static const char no_steps[] = "no scored steps";
static const char one_class[] = "one class only";

/* Columns are summed in tiles, so that a matrix of thousands of classes is still read along its rows. */
enum { TILE = 256 };

void sp_tile_margins(int32_t K, const int64_t *confusion, const int64_t *undecoded, int32_t first, int32_t n,
                     sp_class_margins *out)
{
    for (int32_t k = 0; k < n; k++) {
        const int64_t *row = confusion + (size_t)(first + k) * (size_t)K;
        int64_t sum = undecoded ? undecoded[first + k] : 0;
        for (int32_t j = 0; j < K; j++)
            sum += row[j];
        out[k] = (sp_class_margins){sum, 0};
    }
    for (int32_t i = 0; i < K; i++)
        for (int32_t k = 0; k < n; k++)
            out[k].column += confusion[(size_t)i * (size_t)K + (size_t)(first + k)];
}

/* Kappa of the class against the rest. po and pe are 1 together, and only where both sides say one thing throughout. */
static sp_value class_kappa(int64_t hit, sp_class_margins m, int64_t n)
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

static sp_class_agreement class_agreement(int64_t hit, sp_class_margins m, int64_t n)
{
    int64_t false_positive = m.column - hit, false_negative = m.row - hit, rest = n - m.row - false_positive;
    return (sp_class_agreement){
        .support = m.row,
        .predicted = m.column,
        .precision = value_ratio((double)hit, (double)m.column, "never predicted"),
        .recall = value_ratio((double)hit, (double)m.row, "absent from the reference"),
        .f1 = value_ratio(2 * (double)hit, (double)(m.row + m.column), "neither predicted nor in the reference"),
        .specificity = value_ratio((double)rest, (double)(n - m.row), n ? "the only class of the reference" : no_steps),
        .npv = value_ratio((double)rest, (double)(rest + false_negative), n ? "predicted at every step" : no_steps),
        .kappa = class_kappa(hit, m, n),
        .prevalence = value_ratio((double)m.row, (double)n, no_steps),
        .pabak = n ? value_of(1 - 2 * (double)(false_positive + false_negative) / (double)n) : value_undefined(no_steps),
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
    double rc, rr, cc;                      /* sum r_i c_i, sum r_i^2, sum c_j^2 */
    int32_t rows, columns;                  /* classes with steps on each side; undecoded is a column of its own */
    int32_t reference_class, decoded_class; /* the last of them */
} products;

static void products_add(products *p, int32_t k, int64_t hit, sp_class_margins m)
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

void sp_agreement_from_confusion(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded, sp_agreement *out,
                                 sp_class_agreement *classes)
{
    int32_t K = n_classes;
    products p = {0};
    sp_class_margins tile[TILE];
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
            sp_tile_margins(K, confusion, undecoded, k, K - k < TILE ? K - k : TILE, tile);
        sp_class_margins m = tile[k % TILE];
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
