/* Fixed-lag decoding.
 *
 * Two frontiers are carried along:
 *
 *   anchor   at the last decided step: the best partial path into each state of the decided class, among those that agree with
 *            everything decided before. Exact, one state for a plain chain.
 *   now      at the newest step, with back-pointers over the window of at most lag + 1 steps between them.
 *
 * A decision at step t drops the partial paths that have another class there. For most steps there is nothing to drop: the best
 * paths into all live states come from one state of some step m >= t, so t .. m are as good as decided, and everything in the
 * window stays true. Otherwise a live state may have been reached best through the wrong class and second best through the right
 * one, which is no longer known; the window is then decoded again from the new anchor. So the answer is that of the definition,
 * and the price of a replay is paid only where paths compete for longer than the lag.
 *
 * An exact stream decides a step as soon as all survivors have one class there. The survivors are a tree: of each state of the window is
 * known how many of the step after it come from it, and of each class how many of its states are in the tree. A state that nobody comes from
 * falls out, and so, perhaps, does the one before it: all in all each state is put in and taken out once.
 */
#include "statepath/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "decode/rules_watch.h"
#include "decode/strategies/can_end.h"
#include "decode/strategies/frontier.h"
#include "decode/strategies/online.h"
#include "decode/strategy.h"
#include "decode/walk/reach.h"

enum { FIRST_CAPACITY = 16, REBASE_EVERY = 1024 };

struct sp_online {
    const sp_chain *chain;
    int32_t lag;
    bool has_reach; /* keep reach[], to tell SP_ENOPATH from SP_EDEADEND */

    int64_t n_pushed, n_decided;
    int64_t n_fixed; /* steps before it have their class in fixed[]; >= n_decided */

    /* Of an exact stream, rings likewise. */
    bool is_exact, has_anchor;
    int32_t *
        children; /* [capacity,M] states of the next step that come from it; of the newest step 1 of those that are live */
    int32_t *alive;    /* [capacity,K] states of the class in the tree */
    int32_t *distinct; /* [capacity] classes that have any */
    int64_t n_forced;  /* steps decided at the lag, before all survivors agreed */

    int64_t n_steps;    /* of each recording; 0: not known */
    sp_can_end can_end; /* where n_steps is known */

    /* The window, rings of `capacity` steps; step t is at t % capacity. */
    size_t capacity;
    double *rows;   /* [capacity,K] */
    int32_t *back;  /* [capacity,M] */
    uint8_t *gaps;  /* [capacity] */
    int32_t *fixed; /* [capacity] */

    double *doubles; /* what the frontiers lie in */
    int32_t *ints;
    sp_frontier frontiers[4];
    sp_frontier *now, *next, *anchor, *spare;
    sp_frontier_room room;
    int32_t *spare_back; /* [M] */
    int32_t *ancestors;  /* [M] */
    uint8_t *is_seen;    /* [M] all 0 between uses */
    uint8_t *
        reach; /* [2,M] states that some path reaches at the newest step, whatever was decided; and room for the next */
    sp_rules_watch watch; /* what was decided */
};

sp_status sp_online_new(const sp_chain *chain, int32_t lag, sp_online **out, sp_error *err)
{
    if (lag < 0)
        return sp_fail(err, SP_EINVAL,
                       "online lag %d: a step cannot be decided before it is seen; use 0 or more", (int)lag);
    sp_online *o = calloc(1, sizeof *o);
    if (!o)
        return sp_no_memory(err);
    size_t n_states = (size_t)chain->n_states;
    o->chain = chain;
    o->lag = lag;
    o->has_reach = true;
    o->doubles = malloc(sp_frontier_doubles(chain, 4) * sizeof *o->doubles);
    o->ints = malloc((sp_frontier_ints(chain, 4) + 2 * n_states) * sizeof *o->ints);
    o->is_seen = calloc(3 * n_states, 1);
    if (!o->doubles || !o->ints || !o->is_seen || !sp_rules_watch_init(&o->watch, chain)) {
        sp_online_free(o);
        return sp_no_memory(err);
    }
    sp_frontier_layout(chain, 4, o->frontiers, &o->room, o->doubles, o->ints);
    o->now = &o->frontiers[0];
    o->next = &o->frontiers[1];
    o->anchor = &o->frontiers[2];
    o->spare = &o->frontiers[3];
    o->spare_back = o->ints + sp_frontier_ints(chain, 4);
    o->ancestors = o->spare_back + n_states;
    o->reach = o->is_seen + n_states;
    *out = o;
    return SP_OK;
}

static void free_window(sp_online *o)
{
    free(o->rows);
    free(o->back);
    free(o->gaps);
    free(o->fixed);
    free(o->children);
    free(o->alive);
    free(o->distinct);
}

void sp_online_free(sp_online *o)
{
    if (!o)
        return;
    free_window(o);
    free(o->doubles);
    free(o->ints);
    free(o->is_seen);
    sp_can_end_clear(&o->can_end);
    sp_rules_watch_clear(&o->watch);
    free(o);
}

sp_status sp_online_new_exact(const sp_chain *chain, int32_t most_lag, sp_online **out, sp_error *err)
{
    const sp_status status = sp_online_new(chain, most_lag < 0 ? INT32_MAX - 1 : most_lag, out, err);
    if (status == SP_OK) {
        (*out)->is_exact = true;
        (*out)->has_anchor = most_lag >= 0;
    }
    return status;
}

void sp_online_forget_reach(sp_online *o)
{
    o->has_reach = false;
}

int64_t sp_online_forced(const sp_online *o)
{
    return o->n_forced;
}

sp_status sp_online_end_after(sp_online *o, int64_t n_steps, sp_error *err)
{
    if (n_steps < 0 || o->n_pushed > 0)
        return sp_fail(err, SP_EINVAL,
                       o->n_pushed > 0
                           ? "the length of a recording is to be said before its first step"
                           : "a recording of less than 0 steps: give its number of steps, or 0 for any");
    sp_can_end_clear(&o->can_end);
    o->n_steps = 0;
    if (n_steps == 0)
        return SP_OK;
    const int32_t M = o->chain->n_states;
    uint8_t *last = malloc((size_t)M);
    for (int32_t i = 0; last && i < M; i++)
        last[i] = o->chain->end[i] > -INFINITY;
    if (!last || !sp_can_end_init(&o->can_end, o->chain, last)) {
        free(last);
        return sp_no_memory(err);
    }
    o->n_steps = n_steps;
    return SP_OK;
}

void sp_online_restart(sp_online *o)
{
    for (int f = 0; f < 4; f++)
        sp_frontier_clear(&o->frontiers[f]);
    o->n_pushed = o->n_decided = o->n_fixed = o->n_forced = 0;
    sp_rules_watch_restart(&o->watch);
}

int32_t sp_online_pending(const sp_online *o)
{
    return (int32_t)(o->n_pushed - o->n_decided);
}

/* ---- the window ---- */

static double *row_of(const sp_online *o, int64_t t)
{
    return o->rows + (size_t)t % o->capacity * (size_t)o->chain->n_classes;
}

static int32_t *back_of(const sp_online *o, int64_t t)
{
    return o->back + (size_t)t % o->capacity * (size_t)o->chain->n_states;
}

/* Room for one more step. Rings that grow are laid out anew. */
static sp_status window_reserve(sp_online *o, sp_error *err)
{
    size_t need = (size_t)(o->n_pushed - o->n_decided) + 1, capacity = o->capacity;
    if (need <= capacity)
        return SP_OK;
    capacity = capacity ? 2 * capacity : FIRST_CAPACITY;
    if (capacity > (size_t)o->lag + 1)
        capacity = (size_t)o->lag + 1;
    size_t n_classes = (size_t)o->chain->n_classes, n_states = (size_t)o->chain->n_states;
    if (capacity > SIZE_MAX / sizeof(double) / n_states || capacity > SIZE_MAX / sizeof(double) / n_classes)
        return sp_no_memory(err);
    sp_online wider = *o;
    wider.capacity = capacity;
    wider.rows = malloc(capacity * n_classes * sizeof *wider.rows);
    wider.back = malloc(capacity * n_states * sizeof *wider.back);
    wider.gaps = malloc(capacity);
    wider.fixed = malloc(capacity * sizeof *wider.fixed);
    wider.children = o->is_exact ? malloc(capacity * n_states * sizeof *wider.children) : NULL;
    wider.alive = o->is_exact ? malloc(capacity * n_classes * sizeof *wider.alive) : NULL;
    wider.distinct = o->is_exact ? malloc(capacity * sizeof *wider.distinct) : NULL;
    if (!wider.rows || !wider.back || !wider.gaps || !wider.fixed ||
        (o->is_exact && (!wider.children || !wider.alive || !wider.distinct))) {
        free_window(&wider);
        return sp_no_memory(err);
    }
    for (int64_t t = o->n_decided; t < o->n_pushed; t++) {
        size_t to = (size_t)t % capacity, from = (size_t)t % o->capacity;
        memcpy(row_of(&wider, t), row_of(o, t), n_classes * sizeof *o->rows);
        memcpy(back_of(&wider, t), back_of(o, t), n_states * sizeof *o->back);
        wider.gaps[to] = o->gaps[from];
        wider.fixed[to] = o->fixed[from];
        if (o->is_exact) {
            memcpy(wider.children + to * n_states, o->children + from * n_states,
                   n_states * sizeof *o->children);
            memcpy(wider.alive + to * n_classes, o->alive + from * n_classes, n_classes * sizeof *o->alive);
            wider.distinct[to] = o->distinct[from];
        }
    }
    free_window(o);
    *o = wider;
    return SP_OK;
}

/* ---- frontiers ---- */

static void swap(sp_frontier **a, sp_frontier **b)
{
    sp_frontier *other = *a;
    *a = *b;
    *b = other;
}

/* The states that may be in play at step t [M]; NULL: all. Of a step that has been asked for it is kept. */
static const uint8_t *usable_at(sp_online *o, int64_t t)
{
    return o->n_steps > 0 ? sp_can_end_in(&o->can_end, o->n_steps - 1 - t) : NULL;
}

/* Takes those out of play that may not be. */
static void keep_usable(sp_frontier *f, const uint8_t *usable)
{
    int32_t n_left = 0;
    for (int32_t n = 0; n < f->n_live; n++) {
        const int32_t i = f->live[n];
        if (usable[i])
            f->live[n_left++] = i;
        else
            f->value[i] = -INFINITY;
    }
    f->n_live = n_left;
}

/* *to at step t from `from` at t-1. */
static void step_to(sp_online *o, int64_t t, const sp_frontier *from, sp_frontier *to, int32_t *back)
{
    if (t == 0)
        sp_frontier_start(o->chain, row_of(o, t), to);
    else
        sp_frontier_step(o->chain, row_of(o, t), o->gaps[(size_t)t % o->capacity], from, to, back, &o->room);
    if (o->n_steps > 0)
        keep_usable(to, usable_at(o, t));
}

/* Takes the value of the best live state out of all. */
static void rebase(sp_frontier *f)
{
    int32_t best = sp_frontier_best(f, NULL);
    double value = f->value[best];
    for (int32_t n = 0; n < f->n_live; n++)
        f->value[f->live[n]] -= value;
}

/* Moves the anchor to step t, where class k has been decided. As in greedy decoding the best value is taken out: only differences
 * matter from here on. */
static void move_anchor(sp_online *o, int64_t t, int32_t k)
{
    step_to(o, t, o->anchor, o->spare, o->spare_back);
    swap(&o->anchor, &o->spare);
    int32_t n_left = 0;
    for (int32_t n = 0; n < o->anchor->n_live; n++) {
        int32_t i = o->anchor->live[n];
        if (o->chain->state_class[i] == k)
            o->anchor->live[n_left++] = i;
        else
            o->anchor->value[i] = -INFINITY;
    }
    o->anchor->n_live = n_left;
    rebase(o->anchor);
}

/* Decodes the window again from the anchor at step t. */
static void replay(sp_online *o, int64_t t)
{
    sp_frontier_clear(o->now);
    o->now->n_live = o->anchor->n_live;
    for (int32_t n = 0; n < o->anchor->n_live; n++) {
        int32_t i = o->anchor->live[n];
        o->now->live[n] = i;
        o->now->value[i] = o->anchor->value[i];
    }
    for (int64_t m = t + 1; m < o->n_pushed; m++) {
        step_to(o, m, o->now, o->next, back_of(o, m));
        swap(&o->now, &o->next);
    }
}

/* ---- decisions ---- */

/* Writes down the classes of state i at step m and of its predecessors down to step t. */
static void fix(sp_online *o, int64_t t, int64_t m, int32_t i)
{
    o->n_fixed = m + 1;
    for (;; m--) {
        o->fixed[(size_t)m % o->capacity] = o->chain->state_class[i];
        if (m == t)
            break;
        i = back_of(o, m)[i];
    }
}

/* Follows the best paths into all live states back, until they are one or step t is reached; fixes the class of t, and of later
 * steps where it can. Returns whether all agree at t. */
static bool settle(sp_online *o, int64_t t)
{
    int32_t *list = o->ancestors, count = 0, best = sp_frontier_best(o->now, NULL);
    list[count++] = best; /* stays first */
    for (int32_t n = 0; n < o->now->n_live; n++)
        if (o->now->live[n] != best)
            list[count++] = o->now->live[n];
    int64_t m = o->n_pushed - 1;
    for (; m > t && count > 1; m--) {
        const int32_t *back = back_of(o, m);
        int32_t n_before = 0;
        for (int32_t n = 0; n < count; n++) {
            int32_t i = back[list[n]];
            if (!o->is_seen[i])
                list[n_before++] = i;
            o->is_seen[i] = 1;
        }
        count = n_before;
        for (int32_t n = 0; n < count; n++)
            o->is_seen[list[n]] = 0;
    }
    if (count == 1) {
        fix(o, t, m, list[0]);
        return true;
    }
    fix(o, t, t, list[0]);
    bool agree = true;
    for (int32_t n = 1; n < count; n++)
        agree = agree && o->chain->state_class[list[n]] == o->chain->state_class[list[0]];
    return agree;
}

static int32_t decide(sp_online *o)
{
    int64_t t = o->n_decided;
    bool agree = t < o->n_fixed || settle(o, t);
    int32_t k = o->fixed[(size_t)t % o->capacity];
    move_anchor(o, t, k);
    if (!agree || t == o->n_pushed - 1)
        replay(o, t);
    else if ((t + 1) % REBASE_EVERY == 0 && !o->is_exact) /* streams have no end; values must */
        rebase(o->now);
    o->n_decided++;
    return k;
}

/* States that some path reaches at this step, into the second half of o->reach. Returns whether there is any. */
static bool reach_step(const sp_online *o, const double *row, bool is_gap, const uint8_t *usable)
{
    const int32_t n = o->chain->n_states;
    uint8_t *next = o->reach + n;
    const sp_reach how = o->n_pushed == 0 ? SP_REACH_START : is_gap ? SP_REACH_ENTRY : SP_REACH_NEXT;
    sp_reach_step(o->chain, how, row, o->reach, next);
    for (int32_t j = 0; usable && j < n; j++)
        next[j] &= usable[j] != 0;
    return memchr(next, 1, (size_t)n) != NULL;
}

static sp_status row_check(const sp_online *o, const double *row, sp_error *err)
{
    for (int32_t k = 0; k < o->chain->n_classes; k++)
        if (!(row[k] < INFINITY))
            return sp_fail_at(err, SP_EDATA, o->n_pushed,
                              "step %lld, class %d: the score is %s; give a number or -inf, and 0 for every "
                              "class of a step that "
                              "is missing",
                              (long long)o->n_pushed, (int)k, isnan(row[k]) ? "not a number" : "+inf");
    return SP_OK;
}

static sp_status stuck(const sp_online *o, bool is_reached, sp_error *err)
{
    if (o->has_reach && !is_reached)
        return sp_fail_at(err, SP_ENOPATH, o->n_pushed,
                          "no allowed path has a finite score: step %lld cannot be reached from the steps "
                          "before it; look at its "
                          "scores and masks, or tell of a gap before it",
                          (long long)o->n_pushed);
    return sp_fail_at(err, SP_EDEADEND, o->n_pushed,
                      "online decoding met a dead end: no path that agrees with what has been decided has a "
                      "finite score at step "
                      "%lld; use a longer lag, or tell of a gap before it",
                      (long long)o->n_pushed);
}

/* Is class k, decided at step t, one that an allowed path can have there? The anchor is empty where nothing leads to it from what was
 * decided before. */
static bool is_lawful(sp_online *o, int64_t t, int32_t k, bool has_anchor)
{
    sp_rules_watch_step(&o->watch, k, o->gaps[(size_t)t % o->capacity]);
    return !o->watch.is_broken && !(has_anchor && o->anchor->n_live == 0);
}

/* Takes a step into the window. */
static sp_status take(sp_online *o, const double *row, bool is_gap, sp_error *err)
{
    sp_status status = row_check(o, row, err);
    if (status == SP_OK)
        status = window_reserve(o, err);
    if (status != SP_OK)
        return status;
    int64_t t = o->n_pushed;
    if (o->n_steps > 0 && t >= o->n_steps)
        return sp_fail_at(err, SP_EDATA, t,
                          "a recording of %lld steps was announced, and this is step %lld, counted from 0: "
                          "say how many come, or nothing",
                          (long long)o->n_steps, (long long)t);
    const uint8_t *usable = usable_at(o, t);
    if (o->n_steps > 0 && !usable)
        return sp_no_memory(err);
    bool is_reached = o->has_reach && reach_step(o, row, is_gap, usable);
    memcpy(row_of(o, t), row, (size_t)o->chain->n_classes * sizeof *row);
    o->gaps[(size_t)t % o->capacity] = is_gap && t > 0;
    step_to(o, t, o->now, o->next, back_of(o, t));
    if (o->next->n_live == 0)
        return stuck(o, is_reached, err);
    if (o->has_reach)
        memcpy(o->reach, o->reach + o->chain->n_states, (size_t)o->chain->n_states);
    swap(&o->now, &o->next);
    o->n_pushed++;
    return SP_OK;
}

sp_status sp_online_push(sp_online *o, const double *row, bool is_gap, int32_t *decided, sp_error *err)
{
    if (o->is_exact)
        return sp_fail(
            err, SP_EINVAL,
            "an exact stream decides any number of steps at once: sp_online_push_exact() gives them");
    const sp_status status = take(o, row, is_gap, err);
    if (status != SP_OK)
        return status;
    *decided = o->n_pushed - o->n_decided > o->lag ? decide(o) : -1;
    if (*decided >= 0 && !is_lawful(o, o->n_decided - 1, *decided, true))
        return sp_decode_bug(NAN, -INFINITY, err);
    return SP_OK;
}

/* ---- exact ---- */

static int32_t *children_of(const sp_online *o, int64_t t)
{
    return o->children + (size_t)t % o->capacity * (size_t)o->chain->n_states;
}

static int32_t *alive_of(const sp_online *o, int64_t t)
{
    return o->alive + (size_t)t % o->capacity * (size_t)o->chain->n_classes;
}

static int32_t *distinct_at(const sp_online *o, int64_t t)
{
    return &o->distinct[(size_t)t % o->capacity];
}

/* Puts state i of step t into the tree, with one more that comes from it. Returns whether it was not there. */
static bool grow(sp_online *o, int64_t t, int32_t i)
{
    if (children_of(o, t)[i]++ > 0)
        return false;
    *distinct_at(o, t) += alive_of(o, t)[o->chain->state_class[i]]++ == 0;
    return true;
}

/* One less comes from state i of step t: takes it out where it was the last, and goes on before it, as far as steps are pending. */
static void prune(sp_online *o, int64_t t, int32_t i)
{
    for (;; t--) {
        if (--children_of(o, t)[i] > 0)
            return;
        *distinct_at(o, t) -= --alive_of(o, t)[o->chain->state_class[i]] == 0;
        if (t == o->n_decided)
            return;
        i = back_of(o, t)[i];
    }
}

static void empty(sp_online *o, int64_t t)
{
    memset(children_of(o, t), 0, (size_t)o->chain->n_states * sizeof *o->children);
    memset(alive_of(o, t), 0, (size_t)o->chain->n_classes * sizeof *o->alive);
    *distinct_at(o, t) = 0;
}

/* The newest step joins the tree. `before` are the states that were live one step before. */
static void add_step(sp_online *o, const sp_frontier *before)
{
    const int64_t t = o->n_pushed - 1;
    empty(o, t);
    for (int32_t n = 0; n < o->now->n_live; n++)
        grow(o, t, o->now->live[n]);
    if (t == o->n_decided)
        return;
    for (int32_t n = 0; n < o->now->n_live; n++)
        children_of(o, t - 1)[back_of(o, t)[o->now->live[n]]]++;
    for (int32_t n = 0; n < before->n_live; n++) /* each had one of its own, as the newest */
        prune(o, t - 1, before->live[n]);
}

/* The tree of the pending steps anew, after a replay. */
static void plant(sp_online *o)
{
    for (int64_t t = o->n_decided; t < o->n_pushed; t++)
        empty(o, t);
    for (int32_t n = 0; n < o->now->n_live && o->n_decided < o->n_pushed; n++) {
        int32_t i = o->now->live[n];
        for (int64_t t = o->n_pushed - 1; grow(o, t, i) && t > o->n_decided; t--)
            i = back_of(o, t)[i];
    }
}

/* The class of the oldest pending step, where all survivors agree on it; -1 where they do not. */
static int32_t agreed(const sp_online *o)
{
    if (*distinct_at(o, o->n_decided) != 1)
        return -1;
    int32_t k = 0;
    while (alive_of(o, o->n_decided)[k] == 0)
        k++;
    return k;
}

sp_status sp_online_push_exact(sp_online *o, const double *row, bool is_gap, int32_t *classes, int32_t *n,
                               sp_error *err)
{
    if (!o->is_exact)
        return sp_fail(err, SP_EINVAL,
                       "this stream decides at a fixed lag: sp_online_push() gives what is decided");
    const sp_status status = take(o, row, is_gap, err);
    if (status != SP_OK)
        return status;
    *n = 0;
    add_step(o, o->next); /* what was now before */
    while (o->n_decided < o->n_pushed) {
        int32_t k = agreed(o);
        if (k >= 0) {
            if (o->has_anchor)
                move_anchor(o, o->n_decided, k);
            o->n_decided++;
        } else if (o->n_pushed - o->n_decided > o->lag) {
            k = decide(o);
            o->n_forced++;
            plant(o);
        } else {
            break;
        }
        if (!is_lawful(o, o->n_decided - 1, k, o->has_anchor))
            return sp_decode_bug(NAN, -INFINITY, err);
        classes[(*n)++] = k;
    }
    return SP_OK;
}

sp_status sp_online_finish(sp_online *o, int32_t *classes, int32_t *n, sp_error *err)
{
    int32_t n_pending = sp_online_pending(o);
    if (o->n_pushed > 0) {
        int32_t i = sp_frontier_best(o->now, o->chain->end);
        if (i < 0) {
            bool may_end = !o->has_reach;
            for (int32_t j = 0; j < o->chain->n_states && !may_end; j++)
                may_end = o->reach[j] && o->chain->end[j] > -INFINITY;
            return may_end ? sp_fail_at(err, SP_EDEADEND, o->n_pushed - 1,
                                        "online decoding met a dead end: no path that agrees with what has "
                                        "been decided may end at "
                                        "step %lld; use a longer lag",
                                        (long long)(o->n_pushed - 1))
                           : sp_fail_at(err, SP_ENOPATH, o->n_pushed - 1,
                                        "no allowed path may end at step %lld, the last one",
                                        (long long)(o->n_pushed - 1));
        }
        for (int64_t t = o->n_pushed - 1; t >= o->n_decided; t--) {
            classes[t - o->n_decided] = o->chain->state_class[i];
            if (t > o->n_decided)
                i = back_of(o, t)[i];
        }
        for (int64_t t = o->n_decided; t < o->n_pushed; t++)
            sp_rules_watch_step(&o->watch, classes[t - o->n_decided], o->gaps[(size_t)t % o->capacity]);
        if (sp_rules_watch_end(&o->watch))
            return sp_decode_bug(NAN, -INFINITY, err);
    }
    *n = n_pending;
    sp_online_restart(o);
    return SP_OK;
}
