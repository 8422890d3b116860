/* Rules by their definition (models/rules.md). An expression is written out as positions, one for each step
 * that it names, each with what may
 * follow it (Glushkov 1961); counts and places are counted along the path. */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

void oracle_expression_free(oracle_expression *e)
{
    if (!e)
        return;
    oracle_expression_free(e->one);
    oracle_expression_free(e->other);
    free(e);
}

int32_t oracle_positions(const oracle_expression *e)
{
    if (e->sort == ORACLE_STEP)
        return 1;
    if (e->sort == ORACLE_TIMES) {
        const int64_t n = (int64_t)oracle_positions(e->one) * (e->most < 0 ? e->least + 1 : e->most);
        return n > 10000 ? 10000 : (int32_t)n;
    }
    return oracle_positions(e->one) + oracle_positions(e->other);
}

/* ---- expressions as positions ---- */

typedef struct positions {
    int n;
    uint32_t classes[ORACLE_POSITIONS];
    uint64_t follow[ORACLE_POSITIONS];
} positions;

/* A piece of an expression: where it may begin and end; may it be nothing? */
typedef struct piece {
    uint64_t first, last;
    bool may_be_empty;
} piece;

static const piece empty = {0, 0, true};

static void join(positions *p, uint64_t last, uint64_t first)
{
    for (int i = 0; i < p->n; i++)
        if (last >> i & 1)
            p->follow[i] |= first;
}

static piece then(positions *p, piece a, piece b)
{
    join(p, a.last, b.first);
    return (piece){a.first | (a.may_be_empty ? b.first : 0), b.last | (b.may_be_empty ? a.last : 0),
                   a.may_be_empty && b.may_be_empty};
}

static piece write_out(positions *p, const oracle_expression *e)
{
    if (e->sort == ORACLE_STEP) {
        p->classes[p->n] = e->classes;
        const uint64_t bit = UINT64_C(1) << p->n++;
        return (piece){bit, bit, false};
    }
    if (e->sort == ORACLE_TIMES) {
        piece all = empty;
        for (int32_t i = 0; i < e->least || i < e->most; i++) {
            piece one = write_out(p, e->one);
            one.may_be_empty |= i >= e->least;
            all = then(p, all, one);
        }
        if (e->most < 0) {
            piece rest = write_out(p, e->one);
            join(p, rest.last, rest.first);
            rest.may_be_empty = true;
            all = then(p, all, rest);
        }
        return all;
    }
    const piece a = write_out(p, e->one), b = write_out(p, e->other);
    if (e->sort == ORACLE_THEN)
        return then(p, a, b);
    return (piece){a.first | b.first, a.last | b.last, a.may_be_empty || b.may_be_empty};
}

static uint64_t followers(const positions *p, uint64_t at)
{
    uint64_t out = 0;
    for (int i = 0; i < p->n; i++)
        out |= at >> i & 1 ? p->follow[i] : 0;
    return out;
}

static uint64_t of_class(const positions *p, uint64_t at, int32_t k)
{
    for (int i = 0; i < p->n; i++)
        if (!(p->classes[i] >> k & 1))
            at &= ~(UINT64_C(1) << i);
    return at;
}

static int64_t count_never(const oracle_rule *rule, int64_t T, const int32_t *path, const bool *is_gap)
{
    positions p = {0};
    const piece all = write_out(&p, rule->expression);
    uint64_t at = 0;
    int64_t n = 0;
    for (int64_t t = 0; t < T; t++) {
        at = of_class(&p, all.first | (is_gap[t] ? 0 : followers(&p, at)), path[t]);
        n += (at & all.last) != 0;
    }
    return n;
}

static int64_t count_whole(const oracle_rule *rule, int64_t T, const int32_t *path, const bool *is_gap)
{
    positions p = {0};
    const piece all = write_out(&p, rule->expression);
    uint64_t at = 0;
    for (int64_t t = 0; t < T; t++) {
        for (uint64_t before = 0; is_gap[t] && rule->may_at_gap && before != at;) { /* it may have gone on */
            before = at;
            at |= followers(&p, at);
        }
        at = of_class(&p, t == 0 ? all.first : followers(&p, at), path[t]);
    }
    return (at & all.last) == 0;
}

/* ---- counts and places ---- */

static bool is_in(uint32_t classes, int32_t k)
{
    return classes >> k & 1;
}

/* The step from which is counted; T: there is none. */
static int64_t first_counted(const oracle_rule *rule, int64_t T, const int32_t *path)
{
    int64_t t = 0;
    while (rule->other && t < T && !is_in(rule->other, path[t]))
        t++;
    return t;
}

static int64_t count_steps(const oracle_rule *rule, int64_t T, const int32_t *path, const bool *is_gap)
{
    const int64_t begin = first_counted(rule, T, path);
    int64_t n = 0;
    for (int64_t t = begin; t < T; t++)
        n += is_in(rule->of, path[t]) &&
             (!rule->is_of_runs || t == begin || is_gap[t] || !is_in(rule->of, path[t - 1]));
    return n;
}

static int64_t count_places(const oracle_rule *rule, int64_t T, const int32_t *path, int64_t first_gap)
{
    const int64_t begin = first_counted(rule, T, path);
    int64_t first = 0, last = T, n = 0; /* the steps that are forbidden: first .. last - 1 */
    if (rule->form == ORACLE_NOT_AFTER)
        first = begin == T ? T : begin + rule->n + 1;
    else if (begin < T && begin + rule->n < T)
        last = begin + rule->n;
    if (rule->form == ORACLE_NOT_BEFORE && rule->may_at_gap && first_gap < last)
        last = first_gap;
    for (int64_t t = first; t < last; t++)
        n += is_in(rule->of, path[t]);
    return n;
}

/* Steps of `of` without one of `other` on that side, nor a gap that may have hidden one. */
static int64_t count_lonely(const oracle_rule *rule, int64_t T, const int32_t *path, const bool *is_gap)
{
    int64_t n = 0;
    for (int64_t t = 0; t < T; t++) {
        bool has_other = false;
        for (int64_t u = 0; u < T; u++) {
            const bool is_there = rule->form == ORACLE_FOLLOWED_BY ? u > t : u < t;
            has_other |= is_there && is_in(rule->other, path[u]);
            has_other |= rule->may_at_gap && is_gap[u] && (rule->form == ORACLE_FOLLOWED_BY ? u > t : u <= t);
        }
        n += is_in(rule->of, path[t]) && !has_other;
    }
    return n;
}

int64_t oracle_violations(const oracle_rule *rule, int64_t T, const int32_t *path, const bool *is_gap)
{
    int64_t first_gap = 0, n;
    while (first_gap < T && !is_gap[first_gap])
        first_gap++;
    switch (rule->form) {
    case ORACLE_WHOLE:
        return count_whole(rule, T, path, is_gap);
    case ORACLE_NEVER:
        return count_never(rule, T, path, is_gap);
    case ORACLE_AT_LEAST:
        n = rule->n - count_steps(rule, T, path, is_gap);
        return n < 0 || (rule->may_at_gap && first_gap < T) ? 0 : n;
    case ORACLE_AT_MOST:
        n = count_steps(rule, T, path, is_gap) - rule->n;
        return n < 0 ? 0 : n;
    case ORACLE_NOT_BEFORE:
    case ORACLE_NOT_AFTER:
        return count_places(rule, T, path, first_gap);
    case ORACLE_FOLLOWED_BY:
    case ORACLE_PRECEDED_BY:
        return count_lonely(rule, T, path, is_gap);
    case ORACLE_FIRST:
        return !is_in(rule->of, path[0]);
    default:
        return !is_in(rule->of, path[T - 1]);
    }
}
