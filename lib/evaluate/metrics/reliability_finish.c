/* Calibration, from sums to values. */
#include "evaluate/comparison.h"
#include "evaluate/metrics/reliability.h"
#include "evaluate/value.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Sums as they are asked for: of steps that belong together. */
typedef struct sp_confidence_sums {
    int64_t n;
    double weight, squares; /* of w, of w^2 */
    double confidence;      /* of w conf */
    double right;           /* of w over the steps that are right */
} sp_confidence_sums;

typedef struct slot_sums {
    sp_confidence_slot slot;
    sp_weight_slot weights;
} slot_sums;

static void join_slot(const sp_reliability_sums *sums, size_t i, slot_sums *to)
{
    const sp_confidence_slot *slot = &sums->slots[i];
    to->slot.n += slot->n;
    to->slot.n_right += slot->n_right;
    sp_exact_join(&to->slot.numbers, &slot->numbers);
    if (!sums->weights)
        return;
    const sp_weight_slot *weights = &sums->weights[i];
    to->weights.n += weights->n;
    to->weights.n_right += weights->n_right;
    sp_exact_join(&to->weights.weight, &weights->weight);
    sp_exact_join(&to->weights.squares, &weights->squares);
    sp_exact_join(&to->weights.right, &weights->right);
}

static sp_confidence_sums sums_of(const slot_sums *s)
{
    const double ones = (double)(s->slot.n - s->weights.n);
    return (sp_confidence_sums){.n = s->slot.n,
                                .weight = ones + sp_exact_value(&s->weights.weight),
                                .squares = ones + sp_exact_value(&s->weights.squares),
                                .confidence = sp_exact_value(&s->slot.numbers),
                                .right = (double)(s->slot.n_right - s->weights.n_right) +
                                         sp_exact_value(&s->weights.right)};
}

static sp_confidence_sums slot_at(const sp_reliability_sums *sums, size_t i)
{
    slot_sums one = {.slot = {.n = 0}};
    join_slot(sums, i, &one);
    return sums_of(&one);
}

/* Of all steps: each is in one bin. */
static sp_confidence_sums all_of(const sp_reliability_sums *sums)
{
    slot_sums all = {.slot = {.n = 0}};
    for (size_t b = 0; b < SP_RELIABILITY_BINS; b++)
        join_slot(sums, b, &all);
    return sums_of(&all);
}

static void add_sums(sp_confidence_sums *to, const sp_confidence_sums *from)
{
    to->n += from->n;
    to->weight += from->weight;
    to->squares += from->squares;
    to->confidence += from->confidence;
    to->right += from->right;
}

/* Wilson's interval of a share: (p + z^2/2n -+ z sqrt(p (1 - p) / n + z^2/4n^2)) / (1 + z^2/n). */
static void wilson(double share, double n, double level, sp_value *low, sp_value *high)
{
    double z = gsl_cdf_ugaussian_Pinv((1 + level) / 2), z2 = z * z / n;
    double middle = share + z2 / 2, half = z * sqrt(share * (1 - share) / n + z2 / (4 * n));
    *low = value_of(fmax(0, (middle - half) / (1 + z2)));
    *high = value_of(fmin(1, (middle + half) / (1 + z2)));
}

static sp_reliability_bin bin_from(const sp_confidence_sums *sums, double low, double high, double level)
{
    sp_reliability_bin bin = {.low = low, .high = high, .n = sums->n, .weight = sums->weight};
    bin.confidence = value_ratio(sums->confidence, sums->weight, "no steps");
    bin.accuracy = value_ratio(fmin(sums->right, sums->weight), sums->weight, "no steps");
    bin.accuracy_low = bin.accuracy_high = value_undefined("no steps");
    double n = sums->n ? sums->weight * sums->weight / sums->squares : 0;
    if (n > 0 && isfinite(n))
        wilson(bin.accuracy.value, n, level, &bin.accuracy_low, &bin.accuracy_high);
    else if (sums->n) /* squares of weights that no double holds */
        bin.accuracy_low = bin.accuracy_high = value_undefined("weights too large or too small");
    return bin;
}

static double gap_of(const sp_reliability_bin *bin)
{
    return bin->n ? fabs(bin->accuracy.value - bin->confidence.value) : 0;
}

/* ---- bins of equal width ---- */

static void finish_bins(const sp_reliability_sums *sums, double W, sp_reliability *out)
{
    double first = 0, second = 0, greatest = 0;
    for (int b = 0; b < SP_RELIABILITY_BINS; b++) {
        const sp_confidence_sums bin = slot_at(sums, (size_t)b);
        out->bins[b] = bin_from(&bin, (double)b / SP_RELIABILITY_BINS, (double)(b + 1) / SP_RELIABILITY_BINS,
                                out->level);
        double gap = gap_of(&out->bins[b]);
        first += out->bins[b].weight * gap;
        second += out->bins[b].weight * gap * gap;
        greatest = fmax(greatest, gap);
    }
    out->ece = value_of(first / W);
    out->rmsce = value_of(sqrt(second / W));
    out->mce = value_of(greatest);
}

static void finish_classes(const sp_reliability_sums *sums, double W, sp_reliability *out)
{
    double total = 0;
    for (int32_t k = 0; k < sums->n_classes; k++) {
        double sum = 0;
        for (int b = 0; b < SP_RELIABILITY_BINS; b++) {
            const sp_confidence_sums bin = slot_at(sums, sp_class_slot(k) + (size_t)b);
            sum += fabs(bin.right - bin.confidence);
        }
        out->class_ece[k] = value_of(sum / W);
        total += sum;
    }
    out->classwise_ece = value_of(total / W / sums->n_classes);
}

/* ---- from the histogram of confidence ---- */

/* Doubt of the upper end of a cell, which is the least confidence in it. */
static double cell_doubt(int cell)
{
    double mantissa = 1 - (double)(cell % SP_CONFIDENCE_CELLS) / (2 * SP_CONFIDENCE_CELLS);
    return ldexp(mantissa, -(cell / SP_CONFIDENCE_CELLS));
}

/* Each cell goes as a whole into the bin in which the middle of its weight lies. */
static void finish_adaptive(const sp_reliability_sums *sums, double W, sp_reliability *out)
{
    double before = 0, error = 0, low = 0;
    sp_confidence_sums open = {0};
    int at = -1;
    for (int cell = 0; cell < SP_N_CONFIDENCE_CELLS; cell++) {
        const size_t slot = sp_cell_slot(sums) + (size_t)cell;
        if (sums->slots[slot].n == 0)
            continue;
        const sp_confidence_sums c = slot_at(sums, slot);
        const int b = (int)fmin((before + c.weight / 2) / W * SP_RELIABILITY_BINS, SP_RELIABILITY_BINS - 1);
        if (b != at && open.n) {
            double edge = 1 - cell_doubt(cell);
            out->adaptive[out->n_adaptive++] = bin_from(&open, low, edge, out->level);
            open = (sp_confidence_sums){0};
            low = edge;
        }
        at = b;
        add_sums(&open, &c);
        before += c.weight;
    }
    if (open.n)
        out->adaptive[out->n_adaptive++] = bin_from(&open, low, 1, out->level);
    for (int b = 0; b < out->n_adaptive; b++)
        error += out->adaptive[b].weight * gap_of(&out->adaptive[b]);
    out->adaptive_ece = value_of(error / W);
}

/* Cells from the greatest confidence down; a point wherever another twentieth of the weight is in, which gives 19 points at most.
 * The last point is everything, whatever the sums have rounded to: a cell may weigh less than half a digit of the sum before it.
 */
static void finish_coverage(const sp_reliability_sums *sums, const sp_confidence_sums *all,
                            sp_reliability *out)
{
    const double W = all->weight;
    sp_confidence_sums kept = {0};
    int next = 1;
    for (int cell = SP_N_CONFIDENCE_CELLS - 1; cell >= 0; cell--) {
        const size_t slot = sp_cell_slot(sums) + (size_t)cell;
        if (sums->slots[slot].n == 0)
            continue;
        const sp_confidence_sums c = slot_at(sums, slot);
        add_sums(&kept, &c);
        bool is_all = kept.n == all->n;
        if (!is_all && (next == SP_COVERAGE_POINTS || kept.weight < W * next / SP_COVERAGE_POINTS))
            continue;
        out->coverage[out->n_coverage++] = (sp_coverage_point){.share = is_all ? 1 : fmin(kept.weight / W, 1),
                                                               .confidence = 1 - cell_doubt(cell),
                                                               .accuracy = fmin(kept.right / kept.weight, 1),
                                                               .n = kept.n};
        while (next < SP_COVERAGE_POINTS && kept.weight >= W * next / SP_COVERAGE_POINTS)
            next++;
    }
}

static void undefine(sp_reliability *c, const char *reason)
{
    sp_value none = value_undefined(reason);
    c->accuracy = c->confidence = c->brier = c->ece = c->mce = c->rmsce = c->classwise_ece = c->adaptive_ece =
        none;
    for (int32_t k = 0; k < c->n_classes; k++)
        c->class_ece[k] = none;
    for (int b = 0; b < SP_RELIABILITY_BINS; b++)
        c->bins[b] = bin_from(&(sp_confidence_sums){0}, (double)b / SP_RELIABILITY_BINS,
                              (double)(b + 1) / SP_RELIABILITY_BINS, c->level);
}

static void finish_values(const sp_reliability_sums *sums, const sp_confidence_sums *all, sp_reliability *c)
{
    const double W = all->weight;
    c->accuracy = value_of(fmin(all->right / W, 1));
    c->confidence = value_of(all->confidence / W);
    c->brier = value_of(sp_exact_value(&sums->brier) / W);
    finish_bins(sums, W, c);
    finish_classes(sums, W, c);
    finish_adaptive(sums, W, c);
    finish_coverage(sums, all, c);
}

sp_status sp_reliability_finish(const sp_reliability_sums *sums, double level, sp_reliability **out,
                                sp_error *err)
{
    if (!(level > 0 && level < 1))
        return sp_fail(err, SP_EINVAL, "confidence level %g: must be between 0 and 1, such as 0.95", level);
    sp_reliability *c = calloc(1, sizeof *c);
    if (c)
        c->class_ece = calloc((size_t)sums->n_classes, sizeof *c->class_ece);
    if (!c || !c->class_ece) {
        sp_reliability_free(c);
        return sp_no_memory(err);
    }
    c->n_classes = sums->n_classes;
    const sp_confidence_sums all = all_of(sums);
    c->n_steps = all.n;
    c->n_impossible = sums->n_impossible;
    c->is_weighted = sums->is_weighted;
    c->level = level;
    if (all.n == 0)
        undefine(c, "no scored steps");
    else if (!isfinite(all.weight))
        undefine(c, "the weights sum to more than a float64 holds");
    else
        finish_values(sums, &all, c);
    *out = c;
    return SP_OK;
}
