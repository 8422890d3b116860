/* Walking along paths by stretches in which nothing changes; private to evaluate/. */
#ifndef EVALUATE_STRETCHES_H
#define EVALUATE_STRETCHES_H

#include <stdbool.h>
#include <stdint.h>

enum { SP_STRETCH_SIDES = 3 };

/* Steps first .. end-1 of one segment, in which each side keeps its class. With one side a stretch is a
 * run.
 *
 *     sp_stretch at = {.n_steps = n, .segments = segments, .n_sides = 2, .sides = {labels, path}};
 *     while (sp_stretch_next(&at))
 *         counts[labels[at.first]][path[at.first]] += at.end - at.first;
 *
 * Changes are looked for in 64 steps at a time without a branch, so that short runs cost no more than long
 * ones. */
typedef struct sp_stretch {
    int64_t n_steps;
    const int64_t *segments; /* or NULL: one */
    int n_sides;
    const int32_t *sides[SP_STRETCH_SIDES]; /* [n_steps] each */
    /* Filled in. */
    int64_t first, end;
    bool is_joined; /* to the step before: first > 0, and no gap is there */
    int64_t seen;   /* steps that were looked at: a multiple of 64, or all */
    uint64_t
        marks; /* of the last 64 of them, bit i: a stretch begins at step i; those before `end` are gone */
} sp_stretch;

/* The marks of the 64 steps from `seen` on; stretches.c. */
uint64_t sp_stretch_look(const sp_stretch *s);

/* The next stretch. False: there is none. */
static inline bool sp_stretch_next(sp_stretch *s)
{
    const int64_t first = s->end;
    if (first >= s->n_steps)
        return false;
    while (s->marks == 0 && s->seen < s->n_steps) {
        s->marks = sp_stretch_look(s);
        s->seen += 64;
    }
    s->first = first;
    s->end = s->marks ? s->seen - 64 + __builtin_ctzll(s->marks) : s->n_steps;
    s->marks &= s->marks - 1;
    s->is_joined = first > 0 && (!s->segments || s->segments[first] == s->segments[first - 1]);
    return true;
}

#endif
