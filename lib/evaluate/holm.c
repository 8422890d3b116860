/* Holm's adjustment. */
#include "statepath/statistics.h"

#include "evaluate/value.h"

#include <stdlib.h>

/* A p-value and where it stood. */
typedef struct ranked {
    double p;
    int64_t place;
} ranked;

static int by_p(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

sp_status sp_holm_adjust(int64_t n, const sp_value *p, sp_value *adjusted, sp_error *err)
{
    ranked *sorted = malloc((size_t)(n > 0 ? n : 1) * sizeof *sorted);
    if (!sorted)
        return sp_no_memory(err);
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        adjusted[i] = p[i];
        if (!p[i].undefined)
            sorted[m++] = (ranked){p[i].value, i};
    }
    qsort(sorted, (size_t)m, sizeof *sorted, by_p);
    double highest = 0;
    for (int64_t j = 0; j < m; j++) {
        double q = (double)(m - j) * sorted[j].p;
        if (q > 1)
            q = 1;
        if (q > highest)
            highest = q;
        adjusted[sorted[j].place] = value_of(highest);
    }
    free(sorted);
    return SP_OK;
}
