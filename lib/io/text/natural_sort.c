#include "io/text/natural_sort.h"

#include <stdlib.h>
#include <string.h>

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int sp_natural_compare(const char *a, const char *b)
{
    const char *p = a, *q = b;
    while (*p && *q) {
        if (is_digit(*p) && is_digit(*q)) {
            /* No conversion to an integer: a longer run without leading zeros is the greater number. */
            while (*p == '0')
                p++;
            while (*q == '0')
                q++;
            size_t m = 0, n = 0;
            while (is_digit(p[m]))
                m++;
            while (is_digit(q[n]))
                n++;
            if (m != n)
                return m < n ? -1 : 1;
            int order = memcmp(p, q, m);
            if (order)
                return order;
            p += m;
            q += n;
        } else if (*p != *q) {
            return (unsigned char)*p < (unsigned char)*q ? -1 : 1;
        } else {
            p++;
            q++;
        }
    }
    if (*p || *q)
        return *p ? 1 : -1;
    return strcmp(a, b);
}

static int compare_entries(const void *a, const void *b)
{
    return sp_natural_compare(*(char *const *)a, *(char *const *)b);
}

void sp_natural_sort(char **names, int64_t n)
{
    if (n > 1)
        qsort(names, (size_t)n, sizeof *names, compare_entries);
}
