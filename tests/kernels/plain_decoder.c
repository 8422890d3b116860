#include "plain_decoder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *plain_alloc(int64_t n, size_t size)
{
    void *room = calloc(n > 0 ? (size_t)n : 1, size);
    if (!room) {
        fprintf(stderr, "no memory for the test\n");
        exit(1);
    }
    return room;
}

/* ---- states ---- */

static int32_t dwell_of(const plain_rules *r, int32_t k)
{
    return r->dwell ? r->dwell[k] : 1;
}

static void add_edge(plain_model *m, int32_t from, double weight, int64_t *n)
{
    m->from[*n] = from;
    m->weight[(*n)++] = weight;
}

static double weight_of(const plain_rules *r, int32_t from, int32_t to)
{
    return r->weight ? r->weight[(int64_t)from * r->n_classes + to] : 0;
}

/* Predecessors of class k's states: its first one is reached from the last ones of other classes, and of its own where d = 1. */
static void add_class(plain_model *m, const plain_rules *r, int32_t k, int64_t *n)
{
    int32_t d = dwell_of(r, k), first = m->entry[k];
    m->row[first] = *n;
    for (int32_t i = 0; i < r->n_classes; i++)
        if (r->allow[(int64_t)i * r->n_classes + k] && (i != k || d == 1))
            add_edge(m, m->entry[i] + dwell_of(r, i) - 1, weight_of(r, i, k), n);
    for (int32_t place = 1; place < d; place++) {
        m->row[first + place] = *n;
        add_edge(m, first + place - 1, weight_of(r, k, k), n);
    }
    if (d > 1)
        add_edge(m, first + d - 1, weight_of(r, k, k), n);
}

plain_model *plain_model_new(const plain_rules *r)
{
    plain_model *m = plain_alloc(1, sizeof *m);
    int32_t K = r->n_classes;
    int64_t n_edges = 0, n = 0;
    m->n_classes = K;
    m->entry = plain_alloc(K, sizeof *m->entry);
    for (int32_t k = 0; k < K; k++) {
        m->entry[k] = m->n_states;
        m->n_states += dwell_of(r, k);
    }
    for (int64_t p = 0; p < (int64_t)K * K; p++)
        n_edges += r->allow[p] != 0;
    n_edges += m->n_states;
    m->class_of = plain_alloc(m->n_states, sizeof *m->class_of);
    m->start = plain_alloc(m->n_states, sizeof *m->start);
    m->end = plain_alloc(m->n_states, sizeof *m->end);
    m->row = plain_alloc(m->n_states + 1, sizeof *m->row);
    m->from = plain_alloc(n_edges, sizeof *m->from);
    m->weight = plain_alloc(n_edges, sizeof *m->weight);
    for (int32_t k = 0; k < K; k++) {
        int32_t d = dwell_of(r, k);
        add_class(m, r, k, &n);
        for (int32_t place = 0; place < d; place++) {
            int32_t j = m->entry[k] + place;
            m->class_of[j] = k;
            m->start[j] = place > 0 ? -INFINITY : r->start ? r->start[k] : 0;
            m->end[j] = place < d - 1 && r->dwell_at_end ? -INFINITY : r->end ? r->end[k] : 0;
        }
    }
    m->row[m->n_states] = n;
    return m;
}

void plain_model_free(plain_model *m)
{
    free(m->class_of);
    free(m->entry);
    free(m->start);
    free(m->end);
    free(m->row);
    free(m->from);
    free(m->weight);
    free(m);
}

static void *copy(const void *data, int64_t n, size_t size)
{
    return memcpy(plain_alloc(n, size), data, (size_t)n * size);
}

plain_model *plain_model_bare(const plain_model *m)
{
    plain_model *bare = copy(m, 1, sizeof *m);
    int32_t M = m->n_states;
    bare->class_of = copy(m->class_of, M, sizeof *m->class_of);
    bare->entry = copy(m->entry, m->n_classes, sizeof *m->entry);
    bare->start = copy(m->start, M, sizeof *m->start);
    bare->end = copy(m->end, M, sizeof *m->end);
    bare->row = copy(m->row, M + 1, sizeof *m->row);
    bare->from = copy(m->from, m->row[M], sizeof *m->from);
    bare->weight = plain_alloc(m->row[M], sizeof *m->weight);
    for (int32_t j = 0; j < M; j++) {
        bare->start[j] = m->start[j] == -INFINITY ? -INFINITY : 0;
        bare->end[j] = m->end[j] == -INFINITY ? -INFINITY : 0;
    }
    return bare;
}

static bool is_gap(const plain_scores *s, int64_t t)
{
    return t > 0 && s->is_gap && s->is_gap[t];
}

static const double *row_of(const plain_model *m, const plain_scores *s, int64_t t)
{
    return s->e + t * m->n_classes;
}

static bool is_entry(const plain_model *m, int32_t j)
{
    return m->entry[m->class_of[j]] == j;
}

/* ---- partial paths: one into each state, with its place in the order of ties ---- */

typedef struct front {
    double *value; /* [M] -INFINITY: none */
    int32_t *rank; /* [M] */
} front;

static front front_new(const plain_model *m)
{
    return (front){plain_alloc(m->n_states, sizeof(double)), plain_alloc(m->n_states, sizeof(int32_t))};
}

static void front_free(front *f)
{
    free(f->value);
    free(f->rank);
}

static void front_swap(front *a, front *b)
{
    front c = *a;
    *a = *b;
    *b = c;
}

static void front_start(const plain_model *m, const double *e, front *next)
{
    for (int32_t j = 0; j < m->n_states; j++) {
        next->value[j] = m->start[j] + e[m->class_of[j]];
        next->rank[j] = j;
    }
}

/* Is a, of such a value and rank, the better one? */
static bool is_better(double a, int32_t rank_a, double b, int32_t rank_b)
{
    return a > b || (a == b && a > -INFINITY && rank_a < rank_b);
}

/* Ranks after a step: by class, then by the rank of what came before. M^2, but only where a class has several states. */
static void rank_states(const plain_model *m, const front *now, front *next, const int32_t *back)
{
    for (int32_t j = 0; j < m->n_states; j++)
        next->rank[j] = m->n_states == m->n_classes ? j : 0;
    if (m->n_states == m->n_classes)
        return;
    for (int32_t j = 0; j < m->n_states; j++)
        for (int32_t i = 0; i < m->n_states; i++) {
            if (next->value[i] == -INFINITY || next->value[j] == -INFINITY)
                continue;
            int32_t a = m->class_of[i], b = m->class_of[j];
            next->rank[j] += a < b || (a == b && now->rank[back[i]] < now->rank[back[j]]);
        }
}

/* next[j] = max_i (now[i] + weight[i,j]) + e[j]; back [M]: the best i. False: no state is reached. */
static bool front_step(const plain_model *m, const double *e, bool gap, const front *now, front *next,
                       int32_t *back)
{
    bool is_alive = false;
    for (int32_t j = 0; j < m->n_states; j++) {
        double best = -INFINITY;
        int64_t first = gap ? 0 : m->row[j], last = gap ? is_entry(m, j) ? m->n_states : 0 : m->row[j + 1];
        back[j] = 0;
        for (int64_t n = first; n < last; n++) {
            int32_t i = gap ? (int32_t)n : m->from[n];
            double value = now->value[i] + (gap ? 0 : m->weight[n]);
            if (is_better(value, now->rank[i], best, now->rank[back[j]])) {
                best = value;
                back[j] = i;
            }
        }
        next->value[j] = best + e[m->class_of[j]];
        is_alive = is_alive || next->value[j] > -INFINITY;
    }
    rank_states(m, now, next, back);
    return is_alive;
}

/* The best state, end weights added where they count; -1: none. */
static int32_t front_best(const plain_model *m, const front *f, bool is_end)
{
    int32_t best = -1;
    double most = -INFINITY;
    for (int32_t j = 0; j < m->n_states; j++) {
        double value = f->value[j] + (is_end ? m->end[j] : 0);
        if (value > most || (best >= 0 && is_better(value, f->rank[j], most, f->rank[best]))) {
            most = value;
            best = j;
        }
    }
    return best;
}

/* ---- is there a path? ---- */

/* The first step that no state reaches, T-1 where none may end, -1. */
static int64_t unreachable(const plain_model *m, const plain_scores *s)
{
    uint8_t *now = plain_alloc(m->n_states, 1), *next = plain_alloc(m->n_states, 1);
    int64_t step = -1;
    for (int64_t t = 0; t < s->n_steps && step < 0; t++) {
        bool is_alive = false, any = false;
        for (int32_t i = 0; i < m->n_states; i++)
            any = any || now[i];
        for (int32_t j = 0; j < m->n_states; j++) {
            bool can = t == 0 ? m->start[j] > -INFINITY : is_gap(s, t) && any && is_entry(m, j);
            for (int64_t n = m->row[j]; t > 0 && !is_gap(s, t) && !can && n < m->row[j + 1]; n++)
                can = now[m->from[n]];
            next[j] = can && row_of(m, s, t)[m->class_of[j]] > -INFINITY;
            is_alive = is_alive || next[j];
        }
        uint8_t *before = now;
        now = next;
        next = before;
        step = is_alive ? -1 : t;
    }
    bool may_end = s->n_steps == 0;
    for (int32_t j = 0; j < m->n_states; j++)
        may_end = may_end || (now[j] && m->end[j] > -INFINITY);
    free(now);
    free(next);
    return step < 0 && !may_end ? s->n_steps - 1 : step;
}

/* A strategy can go on no further at a step. */
static plain_answer stuck(const plain_model *m, const plain_scores *s, int64_t step)
{
    int64_t first = unreachable(m, s);
    return first >= 0 ? (plain_answer){PLAIN_NO_PATH, first} : (plain_answer){PLAIN_DEAD_END, step};
}

static const plain_answer done = {PLAIN_OK, -1};

/* ---- each step alone; step by step ---- */

plain_answer plain_argmax(const plain_model *m, const plain_scores *s, int32_t *path)
{
    for (int64_t t = 0; t < s->n_steps; t++) {
        const double *e = row_of(m, s, t);
        int32_t best = 0;
        for (int32_t k = 1; k < m->n_classes; k++)
            best = e[k] > e[best] ? k : best;
        if (e[best] == -INFINITY)
            return (plain_answer){PLAIN_NO_PATH, t};
        path[t] = best;
    }
    return done;
}

/* Weight of the step from state i into state j; -INFINITY: none. */
static double step_weight(const plain_model *m, bool gap, int32_t i, int32_t j)
{
    if (gap)
        return is_entry(m, j) ? 0 : -INFINITY;
    for (int64_t n = m->row[j]; n < m->row[j + 1]; n++)
        if (m->from[n] == i)
            return m->weight[n];
    return -INFINITY;
}

plain_answer plain_greedy(const plain_model *m, const plain_scores *s, int32_t *path)
{
    int32_t at = -1;
    for (int64_t t = 0; t < s->n_steps; t++) {
        const double *e = row_of(m, s, t);
        double most = -INFINITY;
        int32_t best = -1;
        for (int32_t j = 0; j < m->n_states; j++) {
            double weight = t == 0 ? m->start[j] : step_weight(m, is_gap(s, t), at, j);
            double value = weight + e[m->class_of[j]];
            if (t == s->n_steps - 1)
                value += m->end[j];
            if (value >
                most) { /* states are in order of classes, and one class has but one state that may follow */
                most = value;
                best = j;
            }
        }
        if (best < 0)
            return stuck(m, s, t);
        path[t] = m->class_of[at = best];
    }
    return done;
}

/* ---- Viterbi and beam search ---- */

/* Keeps the `width` best partial paths. */
static void prune(const plain_model *m, front *f, int32_t width, uint8_t *is_kept)
{
    for (int32_t j = 0; j < m->n_states; j++)
        is_kept[j] = 0;
    for (int32_t n = 0; n < width; n++) {
        int32_t best = -1;
        for (int32_t j = 0; j < m->n_states; j++)
            if (!is_kept[j] && f->value[j] > -INFINITY &&
                (best < 0 || is_better(f->value[j], f->rank[j], f->value[best], f->rank[best])))
                best = j;
        if (best < 0)
            return;
        is_kept[best] = 1;
    }
    for (int32_t j = 0; j < m->n_states; j++)
        if (!is_kept[j])
            f->value[j] = -INFINITY;
}

plain_answer plain_beam(const plain_model *m, const plain_scores *s, int32_t width, int32_t *path)
{
    front now = front_new(m), next = front_new(m);
    int32_t *back = plain_alloc(s->n_steps * m->n_states, sizeof *back);
    uint8_t *is_kept = plain_alloc(m->n_states, 1);
    plain_answer answer = done;
    for (int64_t t = 0; t < s->n_steps && answer.status == PLAIN_OK; t++) {
        const double *e = row_of(m, s, t);
        if (t == 0)
            front_start(m, e, &next);
        else
            front_step(m, e, is_gap(s, t), &now, &next, back + t * m->n_states);
        if (width < m->n_states)
            prune(m, &next, width, is_kept);
        front_swap(&now, &next);
        if (front_best(m, &now, false) < 0)
            answer = stuck(m, s, t);
    }
    int32_t at = answer.status == PLAIN_OK && s->n_steps > 0 ? front_best(m, &now, true) : -1;
    if (answer.status == PLAIN_OK && s->n_steps > 0 && at < 0)
        answer = stuck(m, s, s->n_steps - 1);
    for (int64_t t = s->n_steps - 1; t >= 0 && answer.status == PLAIN_OK; t--) {
        path[t] = m->class_of[at];
        at = t > 0 ? back[t * m->n_states + at] : at;
    }
    front_free(&now);
    front_free(&next);
    free(back);
    free(is_kept);
    return answer;
}

plain_answer plain_viterbi(const plain_model *m, const plain_scores *s, int32_t *path)
{
    return plain_beam(m, s, m->n_states, path);
}

/* ---- fixed lag ---- */

typedef struct window {
    front now, next;
    int32_t *back;  /* [lag + 1,M] */
    int32_t anchor; /* state of the last decided step */
    double value;   /* of the partial path that ends there */
} window;

/* Goes on from the anchor over steps first .. last. False: nothing that agrees with it reaches the last. */
static bool window_fill(const plain_model *m, const plain_scores *s, window *w, int64_t first, int64_t last)
{
    for (int32_t j = 0; j < m->n_states; j++) {
        w->now.value[j] = j == w->anchor ? w->value : -INFINITY;
        w->now.rank[j] = j;
    }
    for (int64_t t = first; t <= last; t++) {
        if (t == 0)
            front_start(m, row_of(m, s, 0), &w->next);
        else
            front_step(m, row_of(m, s, t), is_gap(s, t), &w->now, &w->next,
                       w->back + (t - first) * m->n_states);
        front_swap(&w->now, &w->next);
    }
    return front_best(m, &w->now, false) >= 0;
}

static void window_trace(const plain_model *m, const window *w, int64_t first, int64_t last, int32_t at,
                         int32_t *states)
{
    for (int64_t t = last; t >= first; t--) {
        states[t - first] = at;
        at = t > first ? w->back[(t - first) * m->n_states + at] : at;
    }
}

static void window_decide(const plain_model *m, const plain_scores *s, window *w, int64_t t, int32_t state)
{
    double weight = t == 0 ? m->start[state] : step_weight(m, is_gap(s, t), w->anchor, state);
    w->value = (t == 0 ? weight : w->value + weight) + row_of(m, s, t)[m->class_of[state]];
    w->anchor = state;
}

plain_answer plain_online(const plain_model *m, const plain_scores *s, int32_t lag, int32_t *path)
{
    int64_t T = s->n_steps, first = 0; /* first: not decided yet */
    int64_t length = lag < T ? lag : T;
    window w = {front_new(m), front_new(m), plain_alloc((length + 1) * m->n_states, sizeof(int32_t)), -1, 0};
    int32_t *states = plain_alloc(length + 1, sizeof *states);
    plain_answer answer = done;
    for (int64_t t = 0; t < T && answer.status == PLAIN_OK; t++) {
        if (!window_fill(m, s, &w, first, t)) {
            answer = stuck(m, s, t);
        } else if (t - first == lag) {
            window_trace(m, &w, first, t, front_best(m, &w.now, false), states);
            window_decide(m, s, &w, first, states[0]);
            path[first++] = m->class_of[states[0]];
        }
    }
    if (answer.status == PLAIN_OK && T > 0) {
        window_fill(m, s, &w, first, T - 1);
        int32_t last = front_best(m, &w.now, true);
        if (last < 0)
            answer = stuck(m, s, T - 1);
        else
            window_trace(m, &w, first, T - 1, last, states);
        for (int64_t t = first; t < T && last >= 0; t++)
            path[t] = m->class_of[states[t - first]];
    }
    front_free(&w.now);
    front_free(&w.next);
    free(w.back);
    free(states);
    return answer;
}

/* ---- the score of a path ---- */

double plain_path_score(const plain_model *m, const plain_scores *s, const int32_t *path)
{
    double score = 0;
    int32_t at = -1;
    for (int64_t t = 0; t < s->n_steps; t++) {
        int32_t k = path[t], next = m->entry[k], last = k + 1 < m->n_classes ? m->entry[k + 1] : m->n_states;
        double weight = t == 0 ? m->start[next] : -INFINITY;
        for (int32_t j = next; t > 0 && j < last; j++)
            if (step_weight(m, is_gap(s, t), at, j) > -INFINITY) {
                weight = step_weight(m, is_gap(s, t), at, j);
                next = j;
            }
        score = (t == 0 ? weight : score + weight) + row_of(m, s, t)[k];
        at = next;
    }
    return s->n_steps > 0 ? score + m->end[at] : 0;
}

/* ---- forward and backward, in logs ---- */

typedef struct log_sum {
    double most, sum; /* exp(most) * sum */
} log_sum;

static void log_add(log_sum *l, double x)
{
    if (x == -INFINITY)
        return;
    if (x > l->most) {
        l->sum = l->sum * exp(l->most - x) + 1;
        l->most = x;
    } else {
        l->sum += exp(x - l->most);
    }
}

static double log_value(const log_sum *l)
{
    return l->most == -INFINITY ? -INFINITY : l->most + log(l->sum);
}

static const log_sum nothing = {-INFINITY, 0};

static void forward_step(const plain_model *m, const double *e, bool gap, const double *now, double *next)
{
    log_sum all = nothing;
    for (int32_t i = 0; gap && i < m->n_states; i++)
        log_add(&all, now[i]);
    for (int32_t j = 0; j < m->n_states; j++) {
        log_sum l = gap && is_entry(m, j) ? all : nothing;
        for (int64_t n = m->row[j]; !gap && n < m->row[j + 1]; n++)
            log_add(&l, now[m->from[n]] + m->weight[n]);
        next[j] = log_value(&l) + e[m->class_of[j]];
    }
}

/* e: of the step after `now`; room [M]. */
static void backward_step(const plain_model *m, const double *e, bool gap, const double *next, double *now,
                          log_sum *room)
{
    log_sum all = nothing;
    for (int32_t j = 0; j < m->n_states; j++)
        room[j] = nothing;
    for (int32_t j = 0; j < m->n_states; j++) {
        double value = next[j] + e[m->class_of[j]];
        if (gap && is_entry(m, j))
            log_add(&all, value);
        for (int64_t n = m->row[j]; !gap && n < m->row[j + 1]; n++)
            log_add(&room[m->from[n]], m->weight[n] + value);
    }
    for (int32_t i = 0; i < m->n_states; i++)
        now[i] = log_value(gap ? &all : &room[i]);
}

plain_answer plain_marginals(const plain_model *m, const plain_scores *s, double *log_marginal, double *log_z)
{
    int64_t T = s->n_steps, M = m->n_states, first = unreachable(m, s);
    *log_z = T == 0 ? 0 : -INFINITY;
    if (T == 0 || first >= 0)
        return T == 0 ? done : (plain_answer){PLAIN_NO_PATH, first};
    double *forward = plain_alloc(T * M, sizeof *forward), *back = plain_alloc(M, sizeof *back),
           *before = plain_alloc(M, sizeof *before);
    log_sum *room = plain_alloc(M, sizeof *room), z = nothing;
    for (int32_t j = 0; j < M; j++)
        forward[j] = m->start[j] + row_of(m, s, 0)[m->class_of[j]];
    for (int64_t t = 1; t < T; t++)
        forward_step(m, row_of(m, s, t), is_gap(s, t), forward + (t - 1) * M, forward + t * M);
    for (int32_t j = 0; j < M; j++) {
        back[j] = m->end[j];
        log_add(&z, forward[(T - 1) * M + j] + m->end[j]);
    }
    *log_z = log_value(&z);
    for (int64_t t = T - 1; t >= 0; t--) {
        for (int32_t k = 0, j = 0; k < m->n_classes; k++) {
            log_sum l = nothing;
            for (; j < M && m->class_of[j] == k; j++)
                log_add(&l, forward[t * M + j] + back[j]);
            log_marginal[t * m->n_classes + k] = log_value(&l) - *log_z;
        }
        if (t > 0) {
            backward_step(m, row_of(m, s, t), is_gap(s, t), back, before, room);
            double *swapped = back;
            back = before;
            before = swapped;
        }
    }
    free(forward);
    free(back);
    free(before);
    free(room);
    return done;
}

/* ---- the N best: each state keeps the n best partial paths into it ---- */

typedef struct entry {
    double value;
    int32_t state, rank; /* of the step before: which state, which of its paths; rank -1: none */
} entry;

typedef struct list_viterbi {
    const plain_model *m;
    int32_t n;
    entry *entries; /* [T,M,n] best first */
} list_viterbi;

static entry *entry_at(const list_viterbi *v, int64_t t, int32_t j, int32_t rank)
{
    return &v->entries[(t * v->m->n_states + j) * v->n + rank];
}

/* Does the path that goes on from a at step t come before the one from b, of the same value? */
static bool comes_before(const list_viterbi *v, int64_t t, entry a, entry b)
{
    for (; t >= 0; t--) {
        int32_t ka = v->m->class_of[a.state], kb = v->m->class_of[b.state];
        if (ka != kb)
            return ka < kb;
        a = *entry_at(v, t, a.state, a.rank);
        b = *entry_at(v, t, b.state, b.rank);
    }
    return false;
}

/* Puts one that goes on from step t into a list of n. */
static void offer(const list_viterbi *v, int64_t t, entry *list, entry one)
{
    int32_t place = v->n;
    while (place > 0 && (list[place - 1].value < one.value ||
                         (list[place - 1].value == one.value && one.value > -INFINITY &&
                          comes_before(v, t, one, list[place - 1]))))
        place--;
    if (place == v->n)
        return;
    memmove(list + place + 1, list + place, (size_t)(v->n - 1 - place) * sizeof *list);
    list[place] = one;
}

static void clear(const list_viterbi *v, entry *list)
{
    for (int32_t r = 0; r < v->n; r++)
        list[r] = (entry){-INFINITY, 0, -1};
}

static void list_step(const list_viterbi *v, const plain_scores *s, int64_t t)
{
    const plain_model *m = v->m;
    bool gap = is_gap(s, t);
    for (int32_t j = 0; j < m->n_states; j++) {
        entry *list = entry_at(v, t, j, 0);
        double e = row_of(m, s, t)[m->class_of[j]];
        int64_t first = gap ? 0 : m->row[j], last = gap ? is_entry(m, j) ? m->n_states : 0 : m->row[j + 1];
        clear(v, list);
        if (t == 0)
            list[0] = (entry){m->start[j] + e, 0, 0};
        for (int64_t n = first; t > 0 && n < last; n++) {
            int32_t i = gap ? (int32_t)n : m->from[n];
            for (int32_t r = 0; r < v->n; r++)
                offer(v, t - 1, list,
                      (entry){entry_at(v, t - 1, i, r)->value + (gap ? 0 : m->weight[n]), i, r});
        }
        for (int32_t r = 0; t > 0 && r < v->n; r++)
            list[r].value += e;
    }
}

int32_t plain_nbest(const plain_model *m, const plain_scores *s, int32_t n, int32_t *paths, double *scores)
{
    int64_t T = s->n_steps;
    list_viterbi v = {m, n, plain_alloc(T * m->n_states * n, sizeof(entry))};
    entry *best = plain_alloc(n, sizeof *best);
    int32_t n_found = 0;
    clear(&v, best);
    for (int64_t t = 0; t < T; t++)
        list_step(&v, s, t);
    for (int32_t j = 0; T > 0 && j < m->n_states; j++)
        for (int32_t r = 0; r < n; r++)
            offer(&v, T - 1, best, (entry){entry_at(&v, T - 1, j, r)->value + m->end[j], j, r});
    for (int32_t r = 0; r < n && best[r].value > -INFINITY; r++) {
        entry at = best[r];
        scores[n_found++] = at.value;
        for (int64_t t = T - 1; t >= 0; t--) {
            paths[r * T + t] = m->class_of[at.state];
            at = *entry_at(&v, t, at.state, at.rank);
        }
    }
    if (T == 0) {
        scores[0] = 0;
        n_found = 1;
    }
    free(v.entries);
    free(best);
    return n_found;
}
