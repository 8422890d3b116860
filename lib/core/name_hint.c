#include "core/names.h"
#include "statepath/status.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 }; /* longer names are compared by their first letters: this is a hint, not a proof */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance. d[i][j] is the distance of the first i letters of a and the first j of b:
 *     d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (a_i != b_j), d[i-2][j-2] + 1 if two letters are swapped) */
static int distance(const char *a, const char *b)
{
    int n_a = (int)strnlen(a, LONGEST), n_b = (int)strnlen(b, LONGEST);
    int d[3][LONGEST + 1];
    for (int j = 0; j <= n_b; j++)
        d[0][j] = j;
    for (int i = 1; i <= n_a; i++) {
        int *now = d[i % 3], *before = d[(i + 2) % 3], *before_that = d[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n_b; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = smaller(smaller(before[j], now[j - 1]) + 1, before[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                tolower((unsigned char)a[i - 2]) == y)
                now[j] = smaller(now[j], before_that[j - 2] + 1);
        }
    }
    return d[n_a % 3][n_b];
}

int32_t sp_name_nearest(const char *word, int32_t n, const char *const *names)
{
    int32_t best = -1;
    int best_distance = LONGEST + 1;
    for (int32_t i = 0; i < n; i++) {
        int far = distance(word, names[i]);
        size_t n_word = strnlen(word, LONGEST), n_name = strnlen(names[i], LONGEST);
        int length = (int)(n_word > n_name ? n_word : n_name);
        if (far > (length + 2) / 3 || far >= length || far >= best_distance)
            continue;
        best = i;
        best_distance = far;
    }
    return best;
}

char *sp_name_list(char *out, size_t size, int32_t n, const char *const *names)
{
    size_t used = 0;
    out[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        size_t need = strlen(names[i]) + 2;
        if (used + need + 24 > size) {
            snprintf(out + used, size - used, i ? " and %d more" : "%d of them", n - i);
            break;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", names[i]);
    }
    return out;
}

char *sp_name_hint(char *out, size_t size, const char *word, int32_t n, const char *const *names)
{
    int32_t near = sp_name_nearest(word, n, names);
    out[0] = 0;
    if (near >= 0)
        snprintf(out, size, "; did you mean \"%s\"?", names[near]);
    return out;
}
