/* Comparisons by other metrics than accuracy. */
#include "evaluate/metric_pairs.h"
#include "evaluate/value.h"

#include <math.h>
#include <stdlib.h>

const char sp_metric_kappa[] = "kappa", sp_metric_f1[] = "macro_f1", sp_metric_illegal[] = "illegal_rate";

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sp_metric_describe(sp_pair_comparison *out, int64_t n, double *d, bool is_subjects)
{
    double sum = 0, squares = 0, sign = out->metric == sp_metric_illegal ? -1 : 1;
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

sp_pair_comparison *sp_metric_append(sp_evaluation *e, int32_t pair, const char *metric, const sp_difference *difference)
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

sp_status sp_metric_bootstrap(const sp_evaluation *e, const sp_units *units, const sp_clusters *rows,
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
