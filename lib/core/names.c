#include "core/names.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash(const char *text)
{
    uint64_t h = 14695981039346656037u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

/* Slot of the name: where it is, or the free slot where it would go. */
static int64_t slot_of(const sp_names *names, const char *name)
{
    int64_t slot = (int64_t)(hash(name) & (uint64_t)(names->n_slots - 1));
    while (names->name[slot] && strcmp(names->name[slot], name) != 0)
        slot = (slot + 1) & (names->n_slots - 1);
    return slot;
}

sp_status sp_names_init(sp_names *names, int64_t n)
{
    names->n_slots = 8;
    while (names->n_slots < 2 * n)
        names->n_slots *= 2;
    names->name = calloc((size_t)names->n_slots, sizeof *names->name);
    names->value = malloc((size_t)names->n_slots * sizeof *names->value);
    if (names->name && names->value)
        return SP_OK;
    sp_names_clear(names);
    return SP_ENOMEM;
}

void sp_names_clear(sp_names *names)
{
    free(names->name);
    free(names->value);
    *names = (sp_names){0, NULL, NULL};
}

int32_t sp_names_add(sp_names *names, const char *name, int32_t value)
{
    int64_t slot = slot_of(names, name);
    if (!names->name[slot]) {
        names->name[slot] = name;
        names->value[slot] = value;
    }
    return names->value[slot];
}

int32_t sp_names_find(const sp_names *names, const char *name)
{
    int64_t slot = slot_of(names, name);
    return names->name[slot] ? names->value[slot] : -1;
}

int32_t sp_name_find(const char *letters, size_t n_letters, int32_t n, const char *const *names)
{
    for (int32_t i = 0; i < n; i++)
        if (strncmp(names[i], letters, n_letters) == 0 && !names[i][n_letters])
            return i;
    return -1;
}

/* ---- natural order ---- */

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
