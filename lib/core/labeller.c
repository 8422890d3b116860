#include "core/labeller.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void sp_labeller_count(int32_t n_classes, int64_t n, const int32_t *reference, const int32_t *labels,
                       double *confusion)
{
    for (int64_t t = 0; t < n; t++)
        if (reference[t] >= 0 && labels[t] >= 0)
            confusion[(size_t)reference[t] * (size_t)n_classes + (size_t)labels[t]]++;
}

void sp_labeller_table(int32_t n_classes, const double *confusion, const int32_t *class_of_column,
                       double *table)
{
    const size_t K = (size_t)n_classes;
    for (size_t k = 0; k < K; k++) {
        const double *row = confusion + K * (class_of_column ? (size_t)class_of_column[k] : k);
        double sum = 0;
        for (size_t l = 0; l < K; l++)
            sum += row[l];
        for (size_t l = 0; l < K; l++)
            table[l * K + k] = log(row[class_of_column ? (size_t)class_of_column[l] : l] / sum);
    }
}

void sp_labeller_even_table(int32_t n_classes, double confidence, double *table)
{
    const size_t K = (size_t)n_classes;
    const double right = K > 1 ? log(confidence) : 0,
                 wrong = K > 1 ? log((1 - confidence) / (double)(K - 1)) : 0;
    for (size_t l = 0; l < K; l++)
        for (size_t k = 0; k < K; k++)
            table[l * K + k] = l == k ? right : wrong;
}

void sp_labeller_scores(int32_t n_classes, const double *table, int64_t n, const int32_t *labels,
                        double *scores)
{
    const size_t K = (size_t)n_classes;
    for (int64_t t = 0; t < n; t++, scores += K)
        if (labels[t] >= 0)
            memcpy(scores, table + (size_t)labels[t] * K, K * sizeof *scores);
        else
            memset(scores, 0, K * sizeof *scores);
}
