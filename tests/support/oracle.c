#include "oracle.h"

#include "check.h"

static void *new_array(size_t n, size_t size)
{
    void *array = calloc(n > 0 ? n : 1, size);
    assert_non_null(array);
    return array;
}

/* ---- textbook Viterbi ---- */

/* Compares the class histories that end in states a and b at step t, the last step first. */
static int compare_histories(const dense_model *m, const int32_t *back, int64_t t, int32_t a, int32_t b)
{
    for (; t >= 0 && a != b; t--) {
        if (m->state_class[a] != m->state_class[b])
            return m->state_class[a] < m->state_class[b] ? -1 : 1;
        a = back[t * m->n_states + a];
        b = back[t * m->n_states + b];
    }
    return 0;
}

bool oracle_viterbi(const dense_model *m, const sp_scores *scores, int32_t *path, double *score)
{
    int32_t n = m->n_states;
    int64_t n_steps = scores->n_steps;
    if (n_steps == 0) {
        *score = 0;
        return true;
    }
    double *delta = new_array((size_t)n, sizeof *delta), *next = new_array((size_t)n, sizeof *next);
    int32_t *back = new_array((size_t)n_steps * (size_t)n, sizeof *back);
    for (int32_t j = 0; j < n; j++)
        delta[j] = m->start[j] + dense_emission(m, scores, 0, j);
    for (int64_t t = 1; t < n_steps; t++) {
        for (int32_t j = 0; j < n; j++) {
            double best = -INFINITY;
            int32_t from = 0;
            for (int32_t i = 0; i < n; i++) {
                double value = delta[i] + dense_weight(m, scores, t, i, j);
                if (value > best ||
                    (value == best && value > -INFINITY && compare_histories(m, back, t - 1, i, from) < 0)) {
                    best = value;
                    from = i;
                }
            }
            next[j] = best + dense_emission(m, scores, t, j);
            back[t * n + j] = from;
        }
        memcpy(delta, next, (size_t)n * sizeof *delta);
    }
    double best = -INFINITY;
    int32_t state = 0;
    for (int32_t j = 0; j < n; j++) {
        double value = delta[j] + m->end[j];
        if (value > best ||
            (value == best && value > -INFINITY && compare_histories(m, back, n_steps - 1, j, state) < 0)) {
            best = value;
            state = j;
        }
    }
    for (int64_t t = n_steps - 1; best > -INFINITY && t >= 0; t--) {
        path[t] = m->state_class[state];
        state = back[t * n + state];
    }
    if (best > -INFINITY)
        *score = best;
    free(delta);
    free(next);
    free(back);
    return best > -INFINITY;
}

double oracle_viterbi_score(const dense_model *m, const sp_scores *scores)
{
    int32_t n = m->n_states;
    if (scores->n_steps == 0)
        return 0;
    double *delta = new_array((size_t)n, sizeof *delta), *next = new_array((size_t)n, sizeof *next),
           score = -INFINITY;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        for (int32_t j = 0; j < n; j++) {
            double best = t == 0 ? m->start[j] : -INFINITY;
            for (int32_t i = 0; t > 0 && i < n; i++) {
                double value = delta[i] + dense_weight(m, scores, t, i, j);
                best = value > best ? value : best;
            }
            next[j] = best + dense_emission(m, scores, t, j);
        }
        memcpy(delta, next, (size_t)n * sizeof *delta);
    }
    for (int32_t j = 0; j < n; j++)
        score = fmax(score, delta[j] + m->end[j]);
    free(delta);
    free(next);
    return score;
}

/* ---- enumeration ---- */

/* Rules broken and the sum of the finite terms. */
typedef struct price {
    int64_t n_broken;
    double score;
} price;

static price price_add(price p, double term)
{
    return term == -INFINITY ? (price){p.n_broken + 1, p.score} : (price){p.n_broken, p.score + term};
}

static bool price_is_less(price a, price b)
{
    return a.n_broken != b.n_broken ? a.n_broken < b.n_broken : a.score > b.score;
}

typedef struct enumeration {
    const dense_model *m;
    const sp_scores *scores;
    oracle_visit *visit;
    void *arg;
    int32_t path[ORACLE_STEPS];
    double *strict[ORACLE_STEPS]; /* [M] best state path to each state that emits path[0..t] */
    price *relaxed[ORACLE_STEPS]; /* [M]; n_broken < 0: none */
} enumeration;

static void fill_strict(const enumeration *x, int64_t t, int32_t j)
{
    const dense_model *m = x->m;
    double best = t == 0 ? m->start[j] : -INFINITY;
    for (int32_t i = 0; t > 0 && i < m->n_states; i++)
        if (m->state_class[i] == x->path[t - 1])
            best = fmax(best, x->strict[t - 1][i] + dense_weight(m, x->scores, t, i, j));
    x->strict[t][j] = best + dense_emission(m, x->scores, t, j);
}

static void fill_relaxed(const enumeration *x, int64_t t, int32_t j)
{
    const dense_model *m = x->m;
    price best = {-1, 0};
    if (t == 0 && m->is_entry[j])
        best = price_add((price){0, 0}, m->start[j]);
    for (int32_t i = 0; t > 0 && i < m->n_states; i++) {
        double weight = dense_weight(m, x->scores, t, i, j);
        if (m->state_class[i] != x->path[t - 1] || x->relaxed[t - 1][i].n_broken < 0)
            continue;
        if (weight == -INFINITY && !m->is_entry[j])
            continue;
        price p = price_add(x->relaxed[t - 1][i], weight);
        if (best.n_broken < 0 || price_is_less(p, best))
            best = p;
    }
    x->relaxed[t][j] = best.n_broken < 0 ? best : price_add(best, dense_emission(m, x->scores, t, j));
}

static void finish_path(const enumeration *x, int64_t last)
{
    const dense_model *m = x->m;
    double score = -INFINITY;
    price best = {-1, 0};
    for (int32_t j = 0; j < m->n_states; j++) {
        if (m->state_class[j] != x->path[last])
            continue;
        score = fmax(score, x->strict[last][j] + m->end[j]);
        if (x->relaxed[last][j].n_broken < 0)
            continue;
        price p = price_add(x->relaxed[last][j], m->end[j]);
        if (best.n_broken < 0 || price_is_less(p, best))
            best = p;
    }
    x->visit(x->arg, x->path, score, best.n_broken, best.score);
}

static void extend(enumeration *x, int64_t t)
{
    if (t == x->scores->n_steps) {
        finish_path(x, t - 1);
        return;
    }
    for (int32_t k = 0; k < x->m->n_classes; k++) {
        x->path[t] = k;
        for (int32_t j = 0; j < x->m->n_states; j++)
            if (x->m->state_class[j] == k) {
                fill_strict(x, t, j);
                fill_relaxed(x, t, j);
            }
        extend(x, t + 1);
    }
}

void oracle_enumerate(const dense_model *m, const sp_scores *scores, oracle_visit *visit, void *arg)
{
    assert_in_range(scores->n_steps, 1, ORACLE_STEPS);
    enumeration x = {.m = m, .scores = scores, .visit = visit, .arg = arg};
    for (int64_t t = 0; t < scores->n_steps; t++) {
        x.strict[t] = new_array((size_t)m->n_states, sizeof(double));
        x.relaxed[t] = new_array((size_t)m->n_states, sizeof(price));
    }
    extend(&x, 0);
    for (int64_t t = 0; t < scores->n_steps; t++) {
        free(x.strict[t]);
        free(x.relaxed[t]);
    }
}

typedef struct best_so_far {
    int64_t n_steps;
    oracle_best best;
} best_so_far;

/* Lower class at the last step where they differ. */
static bool is_lower(const int32_t *a, const int32_t *b, int64_t n_steps)
{
    for (int64_t t = n_steps - 1; t >= 0; t--)
        if (a[t] != b[t])
            return a[t] < b[t];
    return false;
}

static void keep_best(void *arg, const int32_t *path, double score, int64_t n_broken, double relaxed_score)
{
    best_so_far *s = arg;
    oracle_best *b = &s->best;
    if (score > -INFINITY &&
        (!b->has_path || score > b->score || (score == b->score && is_lower(path, b->path, s->n_steps)))) {
        b->has_path = true;
        b->score = score;
        memcpy(b->path, path, sizeof b->path);
    }
    if (n_broken < 0)
        return;
    price now = {n_broken, relaxed_score}, before = {b->n_broken, b->relaxed_score};
    if (b->n_broken < 0 || price_is_less(now, before) ||
        (!price_is_less(before, now) && is_lower(path, b->relaxed_path, s->n_steps))) {
        b->n_broken = n_broken;
        b->relaxed_score = relaxed_score;
        memcpy(b->relaxed_path, path, sizeof b->relaxed_path);
    }
}

oracle_best oracle_enumerate_best(const dense_model *m, const sp_scores *scores)
{
    best_so_far s = {scores->n_steps, {.score = -INFINITY, .n_broken = -1}};
    oracle_enumerate(m, scores, keep_best, &s);
    return s.best;
}

int64_t oracle_first_unreachable(const dense_model *m, const sp_scores *scores)
{
    int32_t n = m->n_states;
    bool *now = new_array((size_t)n, sizeof *now), *next = new_array((size_t)n, sizeof *next), any = true;
    int64_t step = -1;
    for (int64_t t = 0; t < scores->n_steps && any; t++) {
        any = false;
        for (int32_t j = 0; j < n; j++) {
            next[j] = t == 0 && m->start[j] > -INFINITY;
            for (int32_t i = 0; t > 0 && i < n; i++)
                next[j] |= now[i] && dense_weight(m, scores, t, i, j) > -INFINITY;
            next[j] &= dense_emission(m, scores, t, j) > -INFINITY;
            any |= next[j];
        }
        bool *before = now;
        now = next;
        next = before;
        if (!any)
            step = t;
    }
    bool may_end = scores->n_steps == 0;
    for (int32_t j = 0; j < n; j++)
        may_end |= now[j] && m->end[j] > -INFINITY;
    if (any && !may_end)
        step = scores->n_steps - 1;
    free(now);
    free(next);
    return step;
}

/* ---- single paths ---- */

double oracle_path_score(const dense_model *m, const sp_scores *scores, const int32_t *path)
{
    int32_t n = m->n_states;
    if (scores->n_steps == 0)
        return 0;
    double *now = new_array((size_t)n, sizeof *now), *next = new_array((size_t)n, sizeof *next),
           score = -INFINITY;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        for (int32_t j = 0; j < n; j++) {
            double best = t == 0 ? m->start[j] : -INFINITY;
            for (int32_t i = 0; t > 0 && i < n; i++)
                best = fmax(best, now[i] + dense_weight(m, scores, t, i, j));
            next[j] = m->state_class[j] == path[t] ? best + dense_emission(m, scores, t, j) : -INFINITY;
        }
        memcpy(now, next, (size_t)n * sizeof *now);
    }
    for (int32_t j = 0; j < n; j++)
        score = fmax(score, now[j] + m->end[j]);
    free(now);
    free(next);
    return score;
}

double oracle_path_weight(const dense_model *m, const sp_scores *scores, const int32_t *path)
{
    double *now = new_array((size_t)m->n_states, sizeof *now),
           *next = new_array((size_t)m->n_states, sizeof *next), sum = 0;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        for (int32_t j = 0; j < m->n_states; j++) {
            next[j] = t == 0 ? exp(m->start[j]) : 0;
            for (int32_t i = 0; t > 0 && i < m->n_states; i++)
                next[j] += now[i] * exp(dense_weight(m, scores, t, i, j));
            next[j] = m->state_class[j] == path[t] ? next[j] * exp(dense_emission(m, scores, t, j)) : 0;
        }
        double *other = now;
        now = next;
        next = other;
    }
    for (int32_t j = 0; j < m->n_states; j++)
        sum += now[j] * exp(m->end[j]);
    free(now);
    free(next);
    return sum;
}

double oracle_rules_score(const sp_model *model, const int32_t *class_of_column, const sp_scores *scores,
                          const int32_t *path)
{
    int64_t n_steps = scores->n_steps, run = 0;
    double score = 0;
    for (int64_t t = 0; t < n_steps; t++) {
        int32_t now = class_of_column[path[t]], before = t > 0 ? class_of_column[path[t - 1]] : now;
        bool is_gap = sp_scores_is_gap(scores, t);
        if (t == 0)
            score = model->start ? model->start[now] : 0;
        else if (!is_gap)
            score += declared_weight(model, before, now);
        if (t > 0 && !is_gap && before != now && run < declared_dwell(model, before))
            return -INFINITY;
        run = t > 0 && !is_gap && before == now ? run + 1 : 1;
        score += sp_scores_at(scores, t, path[t]);
    }
    if (n_steps > 0) {
        int32_t last = class_of_column[path[n_steps - 1]];
        if (model->min_dwell_at_end && run < declared_dwell(model, last))
            return -INFINITY;
        score += model->end ? model->end[last] : 0;
    }
    return score;
}

/* ---- greedy by sets ---- */

/* One state path that emits the classes chosen so far: where it is, and its price. */
typedef struct partial {
    int32_t state;
    price price;
} partial;

typedef struct partial_set {
    partial *items;
    size_t n, capacity;
} partial_set;

static void set_put(partial_set *set, int32_t state, price p)
{
    if (set->n == set->capacity) {
        set->capacity = 2 * set->capacity + 16;
        set->items = realloc(set->items, set->capacity * sizeof *set->items);
        assert_non_null(set->items);
    }
    set->items[set->n++] = (partial){state, p};
}

/* All partial paths one step longer; those that break rules only when `relaxed`. */
static partial_set grow(const dense_model *m, const sp_scores *scores, int64_t t, const partial_set *set,
                        bool relaxed)
{
    partial_set grown = {0};
    for (int32_t j = 0; j < m->n_states; j++)
        for (size_t n = 0; n < (t == 0 ? 1 : set->n); n++) {
            double into = t == 0 ? m->start[j] : dense_weight(m, scores, t, set->items[n].state, j);
            if (into == -INFINITY && !m->is_entry[j])
                continue;
            price p = price_add(t == 0 ? (price){0, 0} : set->items[n].price, into);
            p = price_add(p, dense_emission(m, scores, t, j));
            if (t == scores->n_steps - 1)
                p = price_add(p, m->end[j]);
            if (relaxed || p.n_broken == 0)
                set_put(&grown, j, p);
        }
    return grown;
}

/* Chooses step by step. Returns the step of the dead end, or -1; *n_broken of the best path that emits the choices. */
static int64_t choose_by_sets(const dense_model *m, const sp_scores *scores, bool relaxed, int32_t *path,
                              int64_t *n_broken)
{
    partial_set set = {0};
    int64_t dead_end = -1;
    *n_broken = 0;
    for (int64_t t = 0; t < scores->n_steps && dead_end < 0; t++) {
        partial_set grown = grow(m, scores, t, &set, relaxed);
        const partial *best = NULL;
        for (size_t n = 0; n < grown.n; n++) {
            const partial *p = &grown.items[n];
            bool is_tie =
                best && !price_is_less(p->price, best->price) && !price_is_less(best->price, p->price);
            if (!best || price_is_less(p->price, best->price) ||
                (is_tie && m->state_class[p->state] < m->state_class[best->state]))
                best = p;
        }
        set.n = 0;
        if (best) {
            path[t] = m->state_class[best->state];
            *n_broken = best->price.n_broken;
        } else {
            dead_end = t;
        }
        for (size_t n = 0; best && n < grown.n; n++)
            if (m->state_class[grown.items[n].state] == path[t])
                set_put(&set, grown.items[n].state, grown.items[n].price);
        free(grown.items);
    }
    free(set.items);
    return dead_end;
}

int64_t oracle_greedy(const dense_model *m, const sp_scores *scores, int32_t *path)
{
    int64_t n_broken;
    return choose_by_sets(m, scores, false, path, &n_broken);
}

int64_t oracle_greedy_relaxed(const dense_model *m, const sp_scores *scores, int32_t *path)
{
    int64_t n_broken, dead_end = choose_by_sets(m, scores, true, path, &n_broken);
    assert_int_equal(dead_end, -1);
    return n_broken;
}
