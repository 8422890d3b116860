/* Walking along paths by stretches in which nothing changes; private to evaluate/. */
#ifndef EVALUATE_STRETCHES_H
#define EVALUATE_STRETCHES_H

#include <stdbool.h>
#include <stdint.h>

/* Steps first .. end-1 of one segment, in which each side keeps its class; the next stretch may have the
 * same classes.
 *
 *     sp_stretch at = {.n_steps = n, .segments = segments, .sides = {labels, path}};
 *     while (sp_stretch_next(&at))
 *         counts[labels[at.first]][path[at.first]] += at.end - at.first;
 *
 * Changes are looked for in 64 steps at a time without a branch, so that short stretches cost no more than
 * long ones. A recording that is walked along often is cut once, by sp_stretches_cut(), and then no more
 * looked at. */
typedef struct sp_stretch {
    int64_t n_steps;
    const int64_t *segments; /* or NULL: one */
    const int32_t *sides[2]; /* [n_steps] each; the second may be NULL */
    const int64_t *cut;      /* the ends of all stretches, or NULL */
    /* Filled in. */
    int64_t first, end;
    bool is_joined;   /* to the step before: first > 0, and no gap is there */
    int64_t next;     /* of `cut` */
    int64_t seen;     /* steps that were looked at: a multiple of 64, or all */
    uint64_t changes; /* in the last 64 of them, bit i of the i-th; those before `end` are gone */
} sp_stretch;

/* Of n_sides arrays [n_steps]: the step after each stretch, ascending, the last of them n_steps. ends has
 * room for n_steps; nothing is written for none. */
void sp_stretches_cut(int64_t n_steps, const int64_t *segments, int32_t n_sides, const int32_t *const *sides,
                      int64_t *ends);

/* The end of the next stretch of a recording that is not cut. */
int64_t sp_stretch_look(sp_stretch *s);

/* The next stretch. False: there is none. */
static inline bool sp_stretch_next(sp_stretch *s)
{
    const int64_t first = s->end;
    if (first >= s->n_steps)
        return false;
    s->first = first;
    s->end = s->cut ? s->cut[s->next++] : sp_stretch_look(s);
    s->is_joined = first > 0 && (!s->segments || s->segments[first] == s->segments[first - 1]);
    return true;
}

#endif
