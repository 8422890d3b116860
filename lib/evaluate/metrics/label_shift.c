/* Labels that may be shifted: does the path agree better with them some steps earlier or later? */
#include "evaluate/evaluation.h"
#include "evaluate/statistics/hypothesis_tests.h"
#include "evaluate/value.h"

/* A stretch, filled up with what agrees with nothing, so that loops have a length that the compiler knows.
 * Classes are below SP_EVALUATION_MAX_CLASSES. */
enum { ROOM = 64 };
typedef struct stretch {
    int16_t labels[ROOM], path[ROOM + 2 * SP_SHIFT_LAGS]; /* the path begins SP_SHIFT_LAGS steps before */
} stretch;

static void fill(stretch *s, const int32_t *labels, const int32_t *path, int n, int most)
{
    for (int i = 0; i < ROOM; i++)
        s->labels[i] = -2;
    for (int i = 0; i < ROOM + 2 * SP_SHIFT_LAGS; i++)
        s->path[i] = -1;
    for (int i = 0; i < n; i++)
        s->labels[i] = (int16_t)(labels[i] >= 0 ? labels[i] : -2);
    for (int i = -most; i < n + most; i++)
        s->path[SP_SHIFT_LAGS + i] = (int16_t)path[i];
}

static int32_t count_right(const stretch *s, int lag)
{
    const int16_t *path = s->path + SP_SHIFT_LAGS + lag;
    int16_t n = 0;
    for (int i = 0; i < ROOM; i++)
        n = (int16_t)(n + (path[i] == s->labels[i]));
    return n;
}

/* n labels, which have at least `most` steps of their segment on both sides. */
static void add_stretch(sp_shift_sums *sums, const int32_t *labels, const int32_t *path, int n, int most)
{
    stretch s;
    int32_t scored = 0;
    fill(&s, labels, path, n, most);
    const int32_t here = count_right(&s, 0);
    for (int i = 0; i < n; i++)
        scored += labels[i] >= 0;
    for (int lag = -most; lag <= most; lag++) {
        sp_lag_counts *counts = &sums->lags[lag + SP_SHIFT_LAGS];
        const int32_t right = count_right(&s, lag);
        counts->scored += scored;
        counts->here += here;
        counts->right += right;
        counts->better += right > here;
        counts->worse += right < here;
    }
}

void sp_add_shift(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path)
{
    sp_shift_sums *sums = &e->sums[strategy].shift;
    for (int64_t first = 0, end; first < r->n_steps; first = end) {
        for (end = first + 1; end < r->n_steps && sp_is_joined(r, end);)
            end++;
        const int64_t quarter = (end - first) / 4;
        const int most = quarter < SP_SHIFT_LAGS ? (int)quarter : SP_SHIFT_LAGS;
        for (int64_t t = first + most, last = end - most; most > 0 && t < last; t += SP_SHIFT_STRETCH)
            add_stretch(sums, r->labels + t, path + t,
                        last - t < SP_SHIFT_STRETCH ? (int)(last - t) : SP_SHIFT_STRETCH, most);
    }
}

void sp_label_shift_find(const sp_shift_sums *sums, sp_label_shift *out)
{
    const sp_value none = value_undefined("no other lag is better by more than chance");
    double best = 0;
    int at = 0;
    *out = (sp_label_shift){.accuracy = none, .accuracy_here = none, .p = none};
    for (int lag = -SP_SHIFT_LAGS; lag <= SP_SHIFT_LAGS; lag++) {
        const sp_lag_counts *counts = &sums->lags[lag + SP_SHIFT_LAGS];
        const double gain =
            counts->scored ? (double)(counts->right - counts->here) / (double)counts->scored : 0;
        if (gain > best) {
            best = gain;
            at = lag;
        }
    }
    if (best < SP_SHIFT_GAIN)
        return;
    const sp_lag_counts *counts = &sums->lags[at + SP_SHIFT_LAGS];
    sp_mcnemar sign; /* the exact test of discordant pairs is the sign test */
    sp_mcnemar_test(counts->better, counts->worse, &sign);
    const double p = 2 * SP_SHIFT_LAGS * sign.exact.value;
    if (counts->better <= counts->worse || !(p <= SP_SHIFT_P))
        return;
    *out = (sp_label_shift){.is_suspect = true,
                            .steps = at,
                            .better = counts->better,
                            .worse = counts->worse,
                            .accuracy = value_ratio((double)counts->right, (double)counts->scored, ""),
                            .accuracy_here = value_ratio((double)counts->here, (double)counts->scored, ""),
                            .p = value_of(p)};
}
