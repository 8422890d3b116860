/* The parts of a sample that come from scores. */
#include "evaluate/comparison.h"
#include "sample_comparison.h"

#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/statistics/hypothesis_tests.h"
#include "statepath/comparison.h"

#include <math.h>
#include <string.h>

static sp_value defined(double value)
{
    return (sp_value){.value = value};
}

static sp_value undefined(const char *reason)
{
    return (sp_value){.undefined = reason};
}

/* Three classes: the class of the first path alone, or at every third step tied with the next one; exact in every libm. Else a
 * random walk of weights that favours the class of the first path. */
static double *make_scores(sample *s, const sample_input *in)
{
    int64_t S = in->offsets[in->n_recordings];
    int32_t K = in->n_classes;
    double *scores = sample_alloc(s, (size_t)S * (size_t)K, sizeof *scores), sure = 0;
    uint64_t state = 7;
    for (int64_t t = 0; t < S; t++) {
        int32_t top = in->paths[0][t] < 0 ? 0 : in->paths[0][t];
        state = state * 6364136223846793005u + 1442695040888963407u;
        sure = 0.8 * sure + 0.2 * (double)(state >> 33 & 0xFF) / 40;
        for (int32_t k = 0; k < K; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            if (K == 3)
                scores[t * K + k] = k == top || (t % 3 == 0 && k == (top + 1) % K) ? 0 : -INFINITY;
            else
                scores[t * K + k] = (k == top ? sure : 0) + (double)(state >> 33 & 0xFF) / 128;
        }
    }
    return scores;
}

static void require(bool is_right)
{
    if (!is_right)
        abort();
}

void sample_add_probabilities(sample *s, const sample_input *in)
{
    sp_comparison *c = &s->comparison;
    double *scores = make_scores(s, in);
    sp_batch batch = {.scores = {.data = scores,
                                 .dtype = SP_F64,
                                 .n_classes = in->n_classes,
                                 .n_steps = in->offsets[in->n_recordings]},
                      .n_recordings = in->n_recordings,
                      .offsets = in->offsets};
    if (in->labels) {
        sp_reliability_sums *sums = NULL;
        require(sp_reliability_new(in->n_classes, &sums, NULL) == SP_OK);
        require(sp_probabilities_add(NULL, sums, &batch.scores, in->labels, NULL, NULL) == SP_OK);
        require(sp_reliability_finish(sums, c->level, &c->reliability, NULL) == SP_OK);
        sp_reliability_sums_free(sums);
    }
    for (int64_t i = 0; i < c->n_traces && in->n_classes <= SP_DENSITY_CLASSES; i++) {
        sp_scores recording = sp_batch_recording(&batch, c->traces[i].recording);
        size_t size = (size_t)recording.n_steps * (size_t)recording.n_classes;
        c->traces[i].density = sample_alloc(s, size, 1);
        sp_density_fill(&recording, c->traces[i].density);
    }
}

static void add_metric(sp_comparison *c, const sp_pair_comparison *accuracy, const char *metric, double d)
{
    sp_pair_comparison *pair = &c->comparisons[c->n_comparisons++];
    *pair = *accuracy;
    pair->metric = metric;
    pair->difference.difference = defined(d);
    if (!pair->difference.low.undefined) {
        pair->difference.low = defined(d - 0.015);
        pair->difference.high = defined(d + 0.025);
        pair->difference.bca[0] = pair->difference.studentised[0] = pair->difference.low;
        pair->difference.bca[1] = pair->difference.studentised[1] = pair->difference.high;
        pair->difference.percentile[0] = defined(d - 0.014);
        pair->difference.percentile[1] = defined(d + 0.024);
    }
    pair->test.p = pair->test.p_least = pair->test.rank_biserial = pair->p_holm = pair->permutation.p =
        undefined("only accuracy is tested");
    sp_mcnemar_test(0, 0, &pair->mcnemar);
    pair->mcnemar_cluster = pair->bowker = pair->stuart_maxwell = (sp_chi2){pair->test.p, pair->test.p, 0};
}

void sample_add_metrics(sample *s)
{
    sp_comparison *c = &s->comparison;
    int32_t n = c->n_comparisons;
    for (int32_t i = 0; i < n; i++)
        add_metric(c, &c->comparisons[i], "kappa", 0.0125);
    for (int32_t i = 0; i < n; i++)
        add_metric(c, &c->comparisons[i], "macro_f1", -0.005);
    for (int32_t i = 0; i < c->n_strategies; i++) {
        sp_strategy_result *strategy = &c->strategies[i];
        double illegal = (double)strategy->counts.illegal, all = (double)strategy->counts.transitions;
        sp_difference *rate = &strategy->illegal_rate;
        *rate = (sp_difference){.n = c->n_recordings, .n_resamples = 10000};
        rate->difference = all > 0 ? defined(illegal / all) : undefined("no transitions");
        rate->low = illegal > 0 ? defined(illegal / all / 2) : undefined("0 by construction");
        rate->high = illegal > 0 ? defined(illegal / all * 2) : undefined("0 by construction");
    }
}

void sample_drop_labels(sample *s)
{
    sp_comparison *c = &s->comparison;
    c->has_labels = false;
    c->n_scored_steps = c->n_comparisons = 0;
    for (int i = 0; i < c->n_strategies; i++)
        c->strategies[i].has_agreement = c->strategies[i].has_changes = false;
    sp_reliability_free(c->reliability);
    c->reliability = NULL;
}
