#include "io/row_kind.h"

#include <math.h>

static sp_row_kind one_row(const double *values, int64_t n_classes, int64_t column)
{
    const double tolerance = SP_ROW_TOLERANCE_PERCENT / 100.0;
    double sum = 0, sum_exp = 0, low = INFINITY, high = -INFINITY;
    for (int64_t k = 0; k < n_classes; k++) {
        const double value = values[k * column];
        if (isnan(value))
            return SP_ROW_SILENT;
        sum += value;
        sum_exp += exp(value);
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (high == -INFINITY || (low == 0 && high == 0 && n_classes > 1))
        return SP_ROW_SILENT;
    if (low >= 0 && high <= 1 + tolerance && fabs(sum - 1) <= tolerance)
        return SP_ROW_PROBS;
    return high <= tolerance && fabs(log(sum_exp)) <= tolerance ? SP_ROW_LOG_PROBS : SP_ROW_OTHER;
}

sp_row_kind sp_row_kind_of(const double *values, int64_t n, int64_t n_classes, int64_t row, int64_t column)
{
    sp_row_kind found = SP_ROW_SILENT;
    for (int64_t t = 0; found == SP_ROW_SILENT && t < n; t++)
        found = one_row(values + t * row, n_classes, column);
    return found;
}

bool sp_rows_sum_to(const double *values, int64_t n, int64_t n_classes, double total)
{
    const double tolerance = SP_ROW_TOLERANCE_PERCENT / 100.0;
    bool is_any = false;
    for (int64_t t = 0; t < n; t++) {
        double sum = 0;
        bool is_inside = true;
        for (int64_t k = 0; k < n_classes; k++) {
            const double part = values[t * n_classes + k] / total;
            is_inside &= !(part < 0 || part > 1 + tolerance); /* true for NaN */
            sum += part;
        }
        if (isnan(sum))
            continue;
        if (!is_inside || fabs(sum - 1) > tolerance)
            return false;
        is_any = true;
    }
    return is_any;
}

bool sp_row_kind_known(sp_row_kind rows, sp_kind *kind)
{
    if (rows == SP_ROW_PROBS)
        *kind = SP_KIND_PROBS;
    if (rows == SP_ROW_LOG_PROBS)
        *kind = SP_KIND_LOG_PROBS;
    return rows == SP_ROW_PROBS || rows == SP_ROW_LOG_PROBS;
}
