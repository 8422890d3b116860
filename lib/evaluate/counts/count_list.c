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

const int64_t *sp_count_next(sp_counting *c, int64_t n)
{
    if (c->is_short || c->is_odd)
        return NULL;
    if (n < 0 || n > c->from->n - c->next) {
        c->is_odd = true;
        return NULL;
    }
    const int64_t *at = c->from->at + c->next;
    c->next += n;
    return at;
}

static void put(sp_counting *c, const int64_t *values, int64_t n)
{
    c->is_short = c->is_short || !sp_count_list_put(c->to, values, n);
}

void sp_count(sp_counting *c, int64_t *counts, int64_t n)
{
    if (!counts)
        return;
    if (c->to) {
        put(c, counts, n);
        return;
    }
    const int64_t *more = sp_count_next(c, n);
    for (int64_t i = 0; more && i < n; i++) {
        c->is_odd |= __builtin_add_overflow(counts[i], more[i], &counts[i]);
        if (c->is_odd)
            return;
    }
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
    sp_count(c, &value, 1);
    *sum = (double)value;
}

/* place, infinite, digits */
enum { INTEGERS = SP_EXACT_DIGITS + 2 };

void sp_count_exact(sp_counting *c, sp_exact_sum *sums, int64_t n)
{
    const int64_t most = INT64_MAX / 4; /* of a digit, so that no addition overflows */
    for (int64_t i = 0; i < n; i++) {
        if (c->to) {
            put(c, &sums[i].place, 1);
            put(c, &sums[i].infinite, 1);
            put(c, sums[i].digits, SP_EXACT_DIGITS);
            continue;
        }
        const int64_t *from = sp_count_next(c, INTEGERS);
        if (!from)
            return;
        sp_exact_sum more = {.place = from[0], .infinite = from[1]};
        memcpy(more.digits, from + 2, sizeof more.digits);
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
        return sp_fail(err, SP_EDATA, "%s: its counts are not those of such a run; it is damaged, or was made by another build",
                       what);
    return SP_OK;
}
