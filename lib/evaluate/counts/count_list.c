#include "evaluate/counts/count_list.h"

#include <stdlib.h>
#include <string.h>

void sp_count_list_free(sp_count_list *list)
{
    free(list->at);
    *list = (sp_count_list){0};
}

bool sp_count_list_put(sp_count_list *list, const int64_t *values, int64_t n)
{
    if (list->n + n > list->room) {
        const int64_t room = 2 * list->room > list->n + n ? 2 * list->room : list->n + n + 16;
        int64_t *at = realloc(list->at, (size_t)room * sizeof *at);
        if (!at)
            return false;
        list->at = at;
        list->room = room;
    }
    for (int64_t i = 0; i < n; i++)
        list->at[list->n + i] = values[i];
    list->n += n;
    return true;
}

/* Bytes of the smallest type. */
static int width_of(const sp_count_list *list)
{
    int64_t low = 0, high = 0;
    for (int64_t i = 0; i < list->n; i++) {
        low = list->at[i] < low ? list->at[i] : low;
        high = list->at[i] > high ? list->at[i] : high;
    }
    return low >= INT8_MIN && high <= INT8_MAX     ? 1
           : low >= INT16_MIN && high <= INT16_MAX ? 2
           : low >= INT32_MIN && high <= INT32_MAX ? 4
                                                   : 8;
}

void sp_count_list_narrow(sp_count_list *list)
{
    const int width = list->width ? 8 : width_of(list);
    if (width == 8)
        return;
    char *bytes = (char *)list->at;
    for (int64_t i = 0; i < list->n; i++) {
        int64_t number;
        memcpy(&number, bytes + (size_t)i * sizeof number, sizeof number);
        const int32_t four = (int32_t)number;
        const int16_t two = (int16_t)number;
        const int8_t one = (int8_t)number;
        memcpy(bytes + (size_t)i * (size_t)width,
               width == 1   ? (const void *)&one
               : width == 2 ? (const void *)&two
                            : &four,
               (size_t)width);
    }
    void *less = realloc(bytes, (size_t)list->n * (size_t)width + 8);
    list->at = less ? less : bytes;
    list->width = width;
    list->room = list->n;
}

int64_t sp_count_next(sp_counting *c, int64_t n)
{
    if (c->is_short || c->is_odd)
        return -1;
    if (n < 0 || n > c->from->n - c->next) {
        c->is_odd = true;
        return -1;
    }
    const int64_t at = c->next;
    c->next += n;
    return at;
}

static void put(sp_counting *c, const int64_t *values, int64_t n)
{
    c->is_short = c->is_short || !sp_count_list_put(c->to, values, n);
}

#define MOST_SUM (INT64_MAX / 4)

/* Neither a count nor their sum may be above what can be counted, so that no addition overflows. */
static void count(sp_counting *c, int64_t *counts, int64_t n, int64_t most)
{
    if (!counts)
        return;
    if (c->to) {
        put(c, counts, n);
        return;
    }
    const int64_t next = sp_count_next(c, n);
    int64_t sum = 0;
    for (int64_t i = 0; next >= 0 && i < n && !c->is_odd; i++) {
        const int64_t more = sp_count_at(c->from, next + i);
        c->is_odd |= more < c->least || more > most;
        if (!c->is_odd)
            sum += counts[i] += more;
        c->is_odd |= counts[i] > most || sum > MOST_SUM;
    }
}

void sp_count(sp_counting *c, int64_t *counts, int64_t n)
{
    count(c, counts, n, SP_MOST_COUNTED);
}

void sp_count_flag(sp_counting *c, bool *flag)
{
    int64_t value = *flag;
    sp_count(c, &value, 1);
    *flag = value != 0;
}

void sp_count_whole(sp_counting *c, double *sum)
{
    int64_t value = (int64_t)*sum;
    count(c, &value, 1, MOST_SUM);
    *sum = (double)value;
}

/* place, infinite, digits */
enum { INTEGERS = SP_EXACT_DIGITS + 2 };

void sp_count_exact(sp_counting *c, sp_exact_sum *sums, int64_t n)
{
    const int64_t most = MOST_SUM; /* of a digit */
    for (int64_t i = 0; i < n; i++) {
        if (c->to) {
            put(c, &sums[i].place, 1);
            put(c, &sums[i].infinite, 1);
            put(c, sums[i].digits, SP_EXACT_DIGITS);
            continue;
        }
        const int64_t next = sp_count_next(c, INTEGERS);
        if (next < 0)
            return;
        sp_exact_sum more = {.place = sp_count_at(c->from, next), .infinite = sp_count_at(c->from, next + 1)};
        for (int d = 0; d < SP_EXACT_DIGITS; d++)
            more.digits[d] = sp_count_at(c->from, next + 2 + d);
        c->is_odd |= more.place < 0 || more.place > 4096 || more.infinite < 0;
        for (int d = 0; d < SP_EXACT_DIGITS; d++)
            c->is_odd |= more.digits[d] > most || more.digits[d] < -most;
        if (c->is_odd)
            return;
        sp_exact_join(&sums[i], &more);
        for (int d = 0; d < SP_EXACT_DIGITS; d++)
            c->is_odd |= sums[i].digits[d] > most || sums[i].digits[d] < -most;
    }
}

sp_status sp_counting_end(const sp_counting *c, const char *what, sp_error *err)
{
    if (c->is_short)
        return sp_fail(err, SP_ENOMEM, "%s: no memory", what);
    if (c->is_odd || (c->from && c->next != c->from->n))
        return sp_fail(
            err, SP_EDATA,
            "%s: its counts are not those of such a run; it is damaged, or was made by another build", what);
    return SP_OK;
}
