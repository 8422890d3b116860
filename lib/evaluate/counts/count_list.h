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

/* Integers in the order in which they were put; {0} is empty. Those that were read are held in the smallest type that has room
 * for each of them. */
typedef struct sp_count_list {
    int64_t n, room;
    int width; /* bytes of each: 1, 2, 4; else 8 */
    union {
        int64_t *at; /* [n] owned */
        int32_t *at4;
        int16_t *at2;
        int8_t *at1;
    };
} sp_count_list;

static inline int64_t sp_count_at(const sp_count_list *list, int64_t i)
{
    return list->width == 1   ? list->at1[i]
           : list->width == 2 ? list->at2[i]
           : list->width == 4 ? list->at4[i]
                              : list->at[i];
}

/* Goes over to the smallest type. Nothing can be put afterwards. */
void sp_count_list_narrow(sp_count_list *list);

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
    int64_t least;             /* of sp_count(): `from` has none below */
    bool is_short;             /* no memory */
    bool is_odd;               /* `from` has another number of integers, or one that cannot be */
} sp_counting;

/* Where the next n of `from` begin; -1: there are not so many (is_odd). */
int64_t sp_count_next(sp_counting *c, int64_t n);

/* More steps than all recordings of all parts can have. */
#define SP_MOST_COUNTED (INT64_C(1) << 46)

/* Each of these goes on to the next integers, and does nothing once is_short or is_odd. */
void sp_count(sp_counting *c, int64_t *counts, int64_t n);
void sp_count_flag(sp_counting *c, bool *flag);   /* true where any is */
void sp_count_whole(sp_counting *c, double *sum); /* integers that are held as float64 */
void sp_count_exact(sp_counting *c, sp_exact_sum *sums, int64_t n);

/* At the end. SP_OK; SP_ENOMEM; SP_EDATA (is_odd, or there are more of them): `what` begins the sentence. */
sp_status sp_counting_end(const sp_counting *c, const char *what, sp_error *err);

#endif
