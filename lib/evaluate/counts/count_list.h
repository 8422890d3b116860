/* Counts and sums as one list of integers: so that what was counted here can be kept, sent, and added to what is counted
 * elsewhere. One function names each count of an object once, and thereby both writes the list and adds it to another object:
 *
 *     static void visit(sp_counting *c, object *o)
 *     {
 *         sp_count(c, &o->n, 1);
 *         sp_count_exact(c, &o->sum, 1);
 *     }
 *     sp_counting c = {.to = &list};     visit(&c, one);     // writes
 *     sp_counting d = {.from = &list};   visit(&d, other);   // adds one to the other
 *
 * Not installed. */
#ifndef EVALUATE_COUNT_LIST_H
#define EVALUATE_COUNT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evaluate/counts/exact_sum.h"
#include "statepath/status.h"

/* Integers in the order in which they were put; {0} is empty. */
typedef struct sp_count_list {
    int64_t n, room;
    int64_t *at; /* [n] owned */
} sp_count_list;

void sp_count_list_free(sp_count_list *list); /* leaves {0} */
/* False on lack of memory: the list is as before. */
bool sp_count_list_put(sp_count_list *list, const int64_t *values, int64_t n);
static inline bool sp_count_list_put_one(sp_count_list *list, int64_t value)
{
    return sp_count_list_put(list, &value, 1);
}

typedef struct sp_counting {
    sp_count_list *to;         /* written; or NULL */
    const sp_count_list *from; /* added */
    int64_t next;              /* the next of `from` */
    bool is_short;             /* no memory */
    bool is_odd;               /* `from` has another number of integers, or one that cannot be */
} sp_counting;

/* The next n of `from`; NULL: there are not so many (is_odd). */
const int64_t *sp_count_next(sp_counting *c, int64_t n);

/* Each of these goes on to the next integers, and does nothing once is_short or is_odd. */
void sp_count(sp_counting *c, int64_t *counts, int64_t n);
void sp_count_flag(sp_counting *c, bool *flag);   /* true where any is */
void sp_count_whole(sp_counting *c, double *sum); /* integers that are held as float64 */
void sp_count_exact(sp_counting *c, sp_exact_sum *sums, int64_t n);

/* At the end. SP_OK; SP_ENOMEM; SP_EDATA (is_odd, or there are more of them): `what` begins the sentence. */
sp_status sp_counting_end(const sp_counting *c, const char *what, sp_error *err);

#endif
