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
 */
#include "statepath/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "decode/strategies/can_end.h"
#include "decode/strategies/frontier.h"
#include "decode/strategy.h"

enum { FIRST_CAPACITY = 16, REBASE_EVERY = 1024, FLUSH_EVERY = 1024 };

struct sp_online {
    const sp_chain *chain;
    int32_t lag;
    bool has_reach; /* keep reach[], to tell SP_ENOPATH from SP_EDEADEND */

    int64_t n_pushed, n_decided;
    int64_t n_fixed; /* steps before it have their class in fixed[]; >= n_decided */

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
    uint8_t *reach;      /* [2,M] states that some path reaches at the newest step, whatever was decided; and room for the next */
};

sp_status sp_online_new(const sp_chain *chain, int32_t lag, sp_online **out, sp_error *err)
{
    if (lag < 0)
        return sp_fail(err, SP_EINVAL, "online lag %d: a step cannot be decided before it is seen; use 0 or more", (int)lag);
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
    if (!o->doubles || !o->ints || !o->is_seen) {
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

void sp_online_free(sp_online *o)
{
    if (!o)
        return;
    free(o->rows);
    free(o->back);
    free(o->gaps);
    free(o->fixed);
    free(o->doubles);
    free(o->ints);
    free(o->is_seen);
    sp_can_end_clear(&o->can_end);
    free(o);
}

sp_status sp_online_end_after(sp_online *o, int64_t n_steps, sp_error *err)
{
    if (n_steps < 0 || o->n_pushed > 0)
        return sp_fail(err, SP_EINVAL,
                       o->n_pushed > 0 ? "the length of a recording is to be said before its first step"
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
    o->n_pushed = o->n_decided = o->n_fixed = 0;
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
    if (!wider.rows || !wider.back || !wider.gaps || !wider.fixed) {
        free(wider.rows);
        free(wider.back);
        free(wider.gaps);
        free(wider.fixed);
        return sp_no_memory(err);
    }
    for (int64_t t = o->n_decided; t < o->n_pushed; t++) {
        size_t to = (size_t)t % capacity, from = (size_t)t % o->capacity;
        memcpy(row_of(&wider, t), row_of(o, t), n_classes * sizeof *o->rows);
        memcpy(back_of(&wider, t), back_of(o, t), n_states * sizeof *o->back);
        wider.gaps[to] = o->gaps[from];
        wider.fixed[to] = o->fixed[from];
    }
    free(o->rows);
    free(o->back);
    free(o->gaps);
    free(o->fixed);
    o->capacity = capacity;
    o->rows = wider.rows;
    o->back = wider.back;
    o->gaps = wider.gaps;
    o->fixed = wider.fixed;
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
    else if (t % REBASE_EVERY == 0) /* streams have no end; values must */
        rebase(o->now);
    o->n_decided++;
    return k;
}

/* States that some path reaches at this step, into the second half of o->reach. Returns whether there is any. */
static bool reach_step(const sp_online *o, const double *row, bool is_gap, const uint8_t *usable)
{
    const sp_chain *c = o->chain;
    uint8_t *now = o->reach, *next = now + c->n_states;
    memset(next, 0, (size_t)c->n_states);
    sp_reach how = o->n_pushed == 0 ? SP_REACH_START : is_gap ? SP_REACH_ENTRY : SP_REACH_NEXT;
    const sp_chain *into = sp_chain_into(c, &how);
    const bool is_left = how == SP_REACH_ENTRY && sp_chain_may_leave(c, now);
    for (int32_t i = 0; i < c->n_states; i++) {
        if (how == SP_REACH_START)
            next[i] = c->start[i] > -INFINITY;
        else if (how == SP_REACH_ENTRY)
            next[i] = is_left && c->entry[i];
        else if (now[i])
            for (int64_t s = into->succ_row[i]; s < into->succ_row[i + 1]; s++)
                next[into->succ[s]] = 1;
    }
    bool any = false;
    for (int32_t j = 0; j < c->n_states; j++) {
        next[j] = next[j] && row[c->state_class[j]] > -INFINITY && (!usable || usable[j]);
        any = any || next[j];
    }
    return any;
}

static sp_status row_check(const sp_online *o, const double *row, sp_error *err)
{
    for (int32_t k = 0; k < o->chain->n_classes; k++)
        if (!(row[k] < INFINITY))
            return sp_fail_at(err, SP_EDATA, o->n_pushed,
                              "step %lld, class %d: the score is %s; give a number or -inf, and 0 for every class of a step that "
                              "is missing",
                              (long long)o->n_pushed, (int)k, isnan(row[k]) ? "not a number" : "+inf");
    return SP_OK;
}

static sp_status stuck(const sp_online *o, bool is_reached, sp_error *err)
{
    if (o->has_reach && !is_reached)
        return sp_fail_at(err, SP_ENOPATH, o->n_pushed,
                          "no allowed path has a finite score: step %lld cannot be reached from the steps before it; look at its "
                          "scores and masks, or tell of a gap before it",
                          (long long)o->n_pushed);
    return sp_fail_at(err, SP_EDEADEND, o->n_pushed,
                      "online decoding met a dead end: no path that agrees with what has been decided has a finite score at step "
                      "%lld; use a longer lag, or tell of a gap before it",
                      (long long)o->n_pushed);
}

sp_status sp_online_push(sp_online *o, const double *row, bool is_gap, int32_t *decided, sp_error *err)
{
    sp_status status = row_check(o, row, err);
    if (status == SP_OK)
        status = window_reserve(o, err);
    if (status != SP_OK)
        return status;
    int64_t t = o->n_pushed;
    if (o->n_steps > 0 && t >= o->n_steps)
        return sp_fail_at(
            err, SP_EDATA, t,
            "a recording of %lld steps was announced, and this is step %lld, counted from 0: say how many come, or nothing",
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
    *decided = o->n_pushed - o->n_decided > o->lag ? decide(o) : -1;
    if (*decided >= 0 && o->anchor->n_live == 0) /* nothing leads there from what was decided before */
        return sp_decode_bug(NAN, -INFINITY, err);
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
            return may_end
                       ? sp_fail_at(err, SP_EDEADEND, o->n_pushed - 1,
                                    "online decoding met a dead end: no path that agrees with what has been decided may end at "
                                    "step %lld; use a longer lag",
                                    (long long)(o->n_pushed - 1))
                       : sp_fail_at(err, SP_ENOPATH, o->n_pushed - 1, "no allowed path may end at step %lld, the last one",
                                    (long long)(o->n_pushed - 1));
        }
        for (int64_t t = o->n_pushed - 1; t >= o->n_decided; t--) {
            classes[t - o->n_decided] = o->chain->state_class[i];
            if (t > o->n_decided)
                i = back_of(o, t)[i];
        }
    }
    *n = n_pending;
    sp_online_restart(o);
    return SP_OK;
}

/* ---- the strategy ---- */

/* A path lags behind the scores: steps written .. written+n_rows-1 have been seen, the first n_path of them are decided. */
typedef struct lagging {
    sp_online *online;
    size_t room;       /* steps: the lag twice, so that few rows are moved, and some more */
    double *rows;      /* [room,K] */
    int64_t *segments; /* [room], or NULL */
    int32_t *path;     /* [room] */
    int64_t written, n_rows, n_path;
} lagging;

static bool lagging_init(lagging *l, const sp_sequence *s, int32_t lag)
{
    size_t K = (size_t)s->chain->n_classes;
    int64_t most = s->recording.n_steps, wanted = 2 * ((int64_t)lag + 1) + FLUSH_EVERY;
    l->room = (size_t)(wanted < most ? wanted : most);
    l->rows = l->room <= SIZE_MAX / sizeof *l->rows / K ? malloc(l->room * K * sizeof *l->rows) : NULL;
    l->segments = s->recording.has_gap ? malloc(l->room * sizeof *l->segments) : NULL;
    l->path = malloc(l->room * sizeof *l->path);
    return l->rows && l->path && (l->segments || !s->recording.has_gap);
}

static void lagging_free(lagging *l)
{
    sp_online_free(l->online);
    free(l->rows);
    free(l->segments);
    free(l->path);
}

/* Writes what is decided. */
static sp_status flush(lagging *l, sp_sequence *s, sp_error *err)
{
    size_t K = (size_t)s->chain->n_classes, done = (size_t)l->n_path, left = (size_t)(l->n_rows - l->n_path);
    if (done == 0)
        return SP_OK;
    sp_scores scores = {l->rows, SP_F64, s->chain->n_classes, l->n_path, l->segments};
    sp_status status = sp_sequence_write(s, l->written, &scores, l->path, NULL, err);
    memmove(l->rows, l->rows + done * K, left * K * sizeof *l->rows);
    if (l->segments)
        memmove(l->segments, l->segments + done, left * sizeof *l->segments);
    l->written += l->n_path;
    l->n_rows -= l->n_path;
    l->n_path = 0;
    return status;
}

/* Takes row t of piece i. */
static sp_status push(lagging *l, sp_sequence *s, int64_t i, const sp_scores *scores, int64_t t, sp_error *err)
{
    double *row = l->rows + (size_t)l->n_rows * (size_t)s->chain->n_classes;
    const double *e = sp_row(scores, t, row);
    if (e != row)
        memcpy(row, e, (size_t)s->chain->n_classes * sizeof *row);
    if (l->segments)
        l->segments[l->n_rows] = scores->segments[t];
    l->n_rows++;
    int32_t k;
    sp_status status = sp_online_push(l->online, row, sp_sequence_is_gap(s, i, scores, t), &k, err);
    if (status == SP_OK && k >= 0)
        l->path[l->n_path++] = k;
    return status == SP_OK && (size_t)l->n_rows == l->room ? flush(l, s, err) : status;
}

static sp_status go_online(lagging *l, sp_sequence *s, sp_error *err)
{
    sp_status status = SP_OK;
    int64_t step = -1; /* the last one pushed */
    int32_t n_rest = 0;
    for (int64_t i = 0; i < s->n; i++) {
        sp_scores scores;
        TRY(sp_sequence_read(s, i, &scores, err));
        for (int64_t t = 0; t < scores.n_steps; t++) {
            step = i * s->steps + t;
            TRY(push(l, s, i, &scores, t, err));
        }
    }
    TRY(sp_online_finish(l->online, l->path + l->n_path, &n_rest, err));
    l->n_path += n_rest;
    TRY(flush(l, s, err));
done:
    return status == SP_ENOPATH || status == SP_EDEADEND ? sp_sequence_stuck(s, "online decoding", step, err) : status;
}

static sp_status decode(sp_sequence *s, int32_t lag, sp_error *err)
{
    lagging l = {.online = NULL};
    sp_status status = SP_OK;
    TRY(lagging_init(&l, s, lag) ? sp_online_new(s->chain, lag, &l.online, err) : sp_no_memory(err));
    l.online->has_reach = false;
    TRY(go_online(&l, s, err));
done:
    lagging_free(&l);
    return status;
}

const sp_strategy_row sp_online_row = {{.name = "online",
                                        .parameter = "LAG",
                                        .sample = 5,
                                        .is_legal = true,
                                        .knows_rules = true,
                                        .readings = 1,
                                        .summary = "decides each step once LAG more steps have been seen",
                                        .when = "live correction while a recording goes on (`statepath stream`)"},
                                       .decode = decode};
