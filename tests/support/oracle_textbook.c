/* Recurrences over the graph of a model. Each state keeps the best partial paths into it, whole:
 *
 *     paths[t,j] = the n best, distinct in classes, of { paths[t-1,i] then j :  score + weight[i,j] },
 * e[t,j] added to each
 *
 * n is 1 but for the N best. Relaxed, fewer broken rules come before a greater score. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

/* ---- partial paths ---- */

typedef struct node {
    const struct node *before;
    double score;
    int64_t n_broken;
    int32_t state, column;
} node;

typedef struct arena {
    struct arena *next;
    int n;
    node nodes[1000];
} arena;

/* The paths into each state at one step. */
typedef struct front {
    int32_t *count; /* [M] */
    node *paths;    /* [M,n] best first */
} front;

typedef struct walk {
    const oracle_model *m;
    const sp_scores *scores;
    int32_t n;
    bool is_relaxed;
    uint8_t *can_end; /* [T,M] or NULL */
    arena *kept;
} walk;

static front front_new(const walk *w)
{
    const size_t M = (size_t)w->m->n_states;
    return (front){oracle_array(M, sizeof(int32_t)), oracle_array(M * (size_t)w->n, sizeof(node))};
}

static void front_free(front *f)
{
    free(f->count);
    free(f->paths);
}

static void front_swap(front *a, front *b)
{
    front c = *a;
    *a = *b;
    *b = c;
}

/* A copy that stays until the end of the walk. */
static const node *keep(walk *w, const node *path)
{
    if (!w->kept || w->kept->n == 1000) {
        arena *more = oracle_array(1, sizeof *more);
        more->next = w->kept;
        w->kept = more;
    }
    node *copy = &w->kept->nodes[w->kept->n++];
    *copy = *path;
    return copy;
}

static void walk_clear(walk *w)
{
    while (w->kept) {
        arena *next = w->kept->next;
        free(w->kept);
        w->kept = next;
    }
    free(w->can_end);
}

static void add_term(node *path, double term)
{
    if (term == -INFINITY)
        path->n_broken++;
    else
        path->score += term;
}

/* A way out of the path's last state that is forbidden breaks one rule; the run that it ends weighs as one
 * beside a gap where that may be. */
static void add_way_out(const walk *w, node *path, double weight)
{
    const double leave = w->m->leave[path->state];
    add_term(path, weight);
    if (weight == -INFINITY && leave > -INFINITY)
        path->score += leave;
}

/* 0: the same classes. */
static int compare_classes(const node *a, const node *b)
{
    for (; a != b && a && b; a = a->before, b = b->before)
        if (a->column != b->column)
            return a->column < b->column ? -1 : 1;
    return 0;
}

/* By states, the last step first. */
static int compare_states(const node *a, const node *b)
{
    for (; a != b && a && b; a = a->before, b = b->before)
        if (a->state != b->state)
            return a->state < b->state ? -1 : 1;
    return 0;
}

static int compare(const node *a, const node *b)
{
    if (a->n_broken != b->n_broken)
        return a->n_broken < b->n_broken ? -1 : 1;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return compare_states(a, b);
}

static void offer(const walk *w, node *list, int32_t *count, const node *path)
{
    if (path->n_broken > 0 && !w->is_relaxed)
        return;
    for (int32_t r = 0; w->n > 1 && r < *count;
         r++) /* of two paths of the same classes the better one stays */
        if (compare_classes(&list[r], path) == 0) {
            if (compare(&list[r], path) <= 0)
                return;
            memmove(list + r, list + r + 1, (size_t)(--*count - r) * sizeof *list);
        }
    int32_t place = *count;
    while (place > 0 && compare(path, &list[place - 1]) < 0)
        place--;
    if (place == w->n)
        return;
    *count += *count < w->n;
    memmove(list + place + 1, list + place, (size_t)(*count - 1 - place) * sizeof *list);
    list[place] = *path;
}

/* ---- one step ---- */

/* Offers state j what comes from the paths into state i. */
static void offer_from(walk *w, const front *now, int32_t i, int32_t j, double weight, front *next)
{
    const oracle_model *m = w->m;
    for (int32_t r = 0; r < now->count[i]; r++) {
        const node *before = &now->paths[i * w->n + r];
        node path = {before, before->score, before->n_broken, i, 0};
        add_way_out(w, &path, weight);
        path.state = j;
        path.column = m->class_of[j];
        offer(w, next->paths + (int64_t)j * w->n, &next->count[j], &path);
    }
}

/* From the paths at step t-1 (none: t is 0) those at step t. */
static void step(walk *w, int64_t t, const front *now, front *next)
{
    const oracle_model *m = w->m;
    const bool is_gap = sp_scores_is_gap(w->scores, t);
    for (int32_t j = 0; j < m->n_states; j++) {
        next->count[j] = 0;
        if (t == 0) {
            node path = {NULL, 0, 0, j, m->class_of[j]};
            add_term(&path, m->start[j]);
            if (m->is_entry[j])
                offer(w, next->paths + (int64_t)j * w->n, &next->count[j], &path);
        } else {
            for (int64_t e = m->row[j]; !is_gap && e < m->row[j + 1]; e++)
                offer_from(w, now, m->from[e], j, m->weight[e], next);
            for (int32_t i = 0; m->is_entry[j] && (is_gap || w->is_relaxed) && i < m->n_states; i++)
                offer_from(w, now, i, j, is_gap ? m->leave[i] : -INFINITY, next);
        }
        const double e = sp_scores_at(w->scores, t, m->class_of[j]);
        for (int32_t r = 0; r < next->count[j]; r++)
            add_term(&next->paths[j * w->n + r], e);
        if (e == -INFINITY && !w->is_relaxed)
            next->count[j] = 0;
        for (int32_t r = 0; r < next->count[j]; r++)
            if (next->paths[j * w->n + r].before)
                next->paths[j * w->n + r].before = keep(w, next->paths[j * w->n + r].before);
    }
}

static bool is_empty(const walk *w, const front *f)
{
    for (int32_t j = 0; j < w->m->n_states; j++)
        if (f->count[j] > 0)
            return false;
    return true;
}

/* The n best of all, end weights added where they count. Returns how many. */
static int32_t best_of(const walk *w, const front *f, bool is_end, node *best)
{
    int32_t n = 0;
    for (int32_t j = 0; j < w->m->n_states; j++)
        for (int32_t r = 0; r < f->count[j]; r++) {
            node path = f->paths[j * w->n + r];
            if (is_end)
                add_way_out(w, &path, w->m->end[j]);
            offer(w, best, &n, &path);
        }
    return n;
}

/* Classes of the last n steps of a path. */
static void write_path(const node *last, int64_t n, int32_t *path)
{
    for (; n > 0; last = last->before)
        path[--n] = last->column;
}

/* ---- what can be reached ---- */

int64_t oracle_first_unreachable(const oracle_model *m, const sp_scores *scores)
{
    const size_t M = (size_t)m->n_states;
    uint8_t *now = oracle_array(M, 1), *next = oracle_array(M, 1), any = 1;
    int64_t found = -1;
    for (int64_t t = 0; t < scores->n_steps && any; t++) {
        const bool is_gap = sp_scores_is_gap(scores, t);
        uint8_t leaves = 0;
        any = 0;
        for (int32_t i = 0; i < m->n_states; i++)
            leaves |= now[i] && m->leave[i] > -INFINITY;
        for (int32_t j = 0; j < m->n_states; j++) {
            next[j] = t == 0 ? m->start[j] > -INFINITY : is_gap && leaves && m->is_entry[j];
            for (int64_t e = m->row[j]; t > 0 && !is_gap && e < m->row[j + 1]; e++)
                next[j] |= now[m->from[e]];
            next[j] &= sp_scores_at(scores, t, m->class_of[j]) > -INFINITY;
            any |= next[j];
        }
        uint8_t *before = now;
        now = next;
        next = before;
        found = any ? -1 : t;
    }
    bool may_end = scores->n_steps == 0;
    for (int32_t j = 0; j < m->n_states; j++)
        may_end |= now[j] && m->end[j] > -INFINITY;
    free(now);
    free(next);
    return found < 0 && !may_end ? scores->n_steps - 1 : found;
}

/* From which states at which steps do the weights, whatever the scores, leave a way to the end? */
static uint8_t *find_ends(const oracle_model *m, const sp_scores *scores)
{
    const int64_t T = scores->n_steps, M = m->n_states;
    uint8_t *can = oracle_array((size_t)(T * M), 1);
    for (int64_t t = T - 1; t >= 0; t--)
        for (int32_t j = 0; j < M; j++) {
            if (t == T - 1) {
                can[t * M + j] = m->end[j] > -INFINITY;
                continue;
            }
            if (!can[(t + 1) * M + j])
                continue;
            for (int32_t i = 0; sp_scores_is_gap(scores, t + 1) && m->is_entry[j] && i < M; i++)
                can[t * M + i] |= m->leave[i] > -INFINITY;
            for (int64_t e = m->row[j]; !sp_scores_is_gap(scores, t + 1) && e < m->row[j + 1]; e++)
                can[t * M + m->from[e]] = 1;
        }
    return can;
}

static oracle_answer found(const node *path)
{
    return (oracle_answer){SP_OK, -1, path ? path->n_broken : 0, 0, path ? path->score : 0};
}

/* A strategy can go on no further at a step. */
static oracle_answer stuck(const oracle_model *m, const sp_scores *scores, int64_t t)
{
    const int64_t first = oracle_first_unreachable(m, scores);
    return (oracle_answer){first >= 0 ? SP_ENOPATH : SP_EDEADEND, first >= 0 ? first : t, 0, 0, -INFINITY};
}

/* ---- Viterbi, the N best, beam search ---- */

/* Goes through a recording. Returns how many paths there are, in best [n]; or the step t where none is left,
 * as -1 - t. */
static int64_t go_through(walk *w, int32_t width, node *best)
{
    const int64_t T = w->scores->n_steps;
    front now = front_new(w), next = front_new(w);
    int64_t n = 0;
    for (int64_t t = 0; t < T && n >= 0; t++) {
        step(w, t, &now, &next);
        front_swap(&now, &next);
        for (int32_t most = w->m->n_states; width > 0 && most > width; most--) { /* the worst one goes */
            int32_t worst = -1;
            int32_t n_left = 0;
            for (int32_t j = 0; j < w->m->n_states; j++) {
                n_left += now.count[j];
                if (now.count[j] > 0 && (worst < 0 || compare(&now.paths[j], &now.paths[worst]) > 0))
                    worst = j;
            }
            if (n_left <= width)
                break;
            now.count[worst] = 0;
        }
        n = is_empty(w, &now) ? -1 - t : 0;
    }
    if (n == 0)
        n = best_of(w, &now, true, best);
    if (n == 0)
        n = -T;
    front_free(&now);
    front_free(&next);
    return n;
}

static oracle_answer best_path(const oracle_model *m, const sp_scores *scores, bool is_relaxed, int32_t width,
                               int32_t *path)
{
    walk w = {.m = m, .scores = scores, .n = 1, .is_relaxed = is_relaxed};
    node best = {.before = NULL};
    if (scores->n_steps == 0)
        return found(NULL);
    const int64_t n = go_through(&w, width, &best);
    oracle_answer answer = n > 0 ? found(&best) : stuck(m, scores, -1 - n);
    if (n > 0)
        write_path(&best, scores->n_steps, path);
    walk_clear(&w);
    return answer;
}

oracle_answer oracle_viterbi(const oracle_model *m, const sp_scores *scores, bool is_relaxed, int32_t *path)
{
    return best_path(m, scores, is_relaxed, 0, path);
}

oracle_answer oracle_beam(const oracle_model *m, const sp_scores *scores, int32_t width, int32_t *path)
{
    return best_path(m, scores, false, width, path);
}

int32_t oracle_nbest(const oracle_model *m, const sp_scores *scores, int32_t n, int32_t *paths,
                     double *values)
{
    walk w = {.m = m, .scores = scores, .n = n};
    node *best = oracle_array((size_t)n, sizeof *best);
    if (scores->n_steps == 0)
        values[0] = 0;
    const int64_t n_found = scores->n_steps == 0 ? 1 : go_through(&w, 0, best);
    for (int64_t r = 0; r < n_found && scores->n_steps > 0; r++) {
        values[r] = best[r].score;
        write_path(&best[r], scores->n_steps, paths + r * scores->n_steps);
    }
    free(best);
    walk_clear(&w);
    return n_found > 0 ? (int32_t)n_found : 0;
}

double oracle_viterbi_score(const oracle_model *m, const sp_scores *scores)
{
    double *delta = oracle_array((size_t)m->n_states, sizeof *delta),
           *next = oracle_array((size_t)m->n_states, sizeof *next), score = -INFINITY;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        for (int32_t j = 0; j < m->n_states; j++) {
            double best = t == 0 ? m->start[j] : -INFINITY;
            for (int64_t e = m->row[j]; t > 0 && e < m->row[j + 1]; e++)
                best = fmax(best, delta[m->from[e]] + m->weight[e]);
            next[j] = best + sp_scores_at(scores, t, m->class_of[j]);
        }
        double *before = delta;
        delta = next;
        next = before;
    }
    for (int32_t j = 0; j < m->n_states; j++)
        score = fmax(score, delta[j] + m->end[j]);
    free(delta);
    free(next);
    return scores->n_steps == 0 ? 0 : score;
}

/* ---- step by step ---- */

oracle_answer oracle_argmax(const sp_scores *scores, bool is_relaxed, int32_t *path)
{
    oracle_answer answer = {SP_OK, -1, 0, 0, 0};
    for (int64_t t = 0; t < scores->n_steps; t++) {
        int32_t best = 0;
        for (int32_t k = 1; k < scores->n_classes; k++)
            best = sp_scores_at(scores, t, k) > sp_scores_at(scores, t, best) ? k : best;
        if (sp_scores_at(scores, t, best) == -INFINITY && !is_relaxed)
            return (oracle_answer){SP_ENOPATH, t, 0, 0, -INFINITY};
        answer.n_broken += sp_scores_at(scores, t, best) == -INFINITY;
        path[t] = best;
    }
    return answer;
}

static void drop_hopeless(const walk *w, int64_t t, front *f)
{
    for (int32_t j = 0; w->can_end && j < w->m->n_states; j++)
        if (!w->can_end[t * w->m->n_states + j])
            f->count[j] = 0;
}

/* Decides step t by the best partial path that ends `lag` steps later (at the end of the recording at the
 * latest), then the next; end
 * weights count at the last step where counts_end, or where there is a lag. */
static oracle_answer decide(walk *w, int64_t lag, bool counts_end, int32_t *path)
{
    const oracle_model *m = w->m;
    const int64_t T = w->scores->n_steps;
    front decided = front_new(w), now = front_new(w), next = front_new(w);
    node best = {.before = NULL};
    int64_t stuck_at = -1, n_redirected = 0;
    for (int64_t t = 0; t < T && stuck_at < 0; t++) {
        const bool is_last = t + lag >= T;
        const int64_t last = is_last ? T - 1 : t + lag;
        memcpy(now.count, decided.count, (size_t)m->n_states * sizeof *now.count);
        memcpy(now.paths, decided.paths, (size_t)m->n_states * sizeof *now.paths);
        int32_t best_of_all = -1;
        for (int64_t u = t; u <= last; u++) {
            step(w, u, &now, &next);
            front_swap(&now, &next);
            if (lag == 0 && best_of(w, &now, counts_end && u == T - 1, &best) > 0)
                best_of_all = best.column;
            drop_hopeless(w, u, &now);
        }
        if (best_of(w, &now, is_last || (counts_end && last == T - 1), &best) == 0) {
            stuck_at = last;
            break;
        }
        const node *at = &best;
        for (int64_t u = last; u > t; u--)
            at = at->before;
        path[t] = at->column;
        n_redirected += lag == 0 && best_of_all != path[t];
        step(w, t, &decided, &next);
        front_swap(&decided, &next);
        drop_hopeless(w, t, &decided);
        for (int32_t j = 0; j < m->n_states; j++)
            if (m->class_of[j] != path[t])
                decided.count[j] = 0;
    }
    if (stuck_at < 0 && T > 0 && best_of(w, &decided, true, &best) == 0)
        stuck_at = T - 1;
    front_free(&decided);
    front_free(&now);
    front_free(&next);
    oracle_answer answer = stuck_at < 0 ? found(&best) : stuck(m, w->scores, stuck_at);
    answer.n_redirected = stuck_at < 0 ? n_redirected : 0;
    walk_clear(w);
    return answer;
}

oracle_answer oracle_greedy(const oracle_model *m, const sp_scores *scores, bool is_relaxed, bool looks_ahead,
                            int32_t *path)
{
    walk w = {.m = m, .scores = scores, .n = 1, .is_relaxed = is_relaxed};
    w.can_end = looks_ahead ? find_ends(m, scores) : NULL;
    return decide(&w, 0, true, path);
}

oracle_answer oracle_online(const oracle_model *m, const sp_scores *scores, int64_t lag, bool looks_ahead,
                            int32_t *path)
{
    walk w = {.m = m, .scores = scores, .n = 1};
    w.can_end = looks_ahead ? find_ends(m, scores) : NULL;
    return decide(&w, lag, false, path);
}
