/* Rules that are drawn as what they say, and written as texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_model.h"

typedef struct writer {
    random_source *random;
    const sp_model *model;
    char text[4096];
    size_t n;
} writer;

static void put(writer *w, const char *text)
{
    w->n += (size_t)snprintf(w->text + w->n, sizeof w->text - w->n, "%s", text);
}

/* Classes of the bits of a set; `but`: of those that it lacks. */
static void put_listed(writer *w, uint32_t set, bool but)
{
    for (int32_t k = 0; k < w->model->n_classes; k++)
        if ((set >> k & 1) != but) {
            put(w, w->n > 0 && strchr("[^'", w->text[w->n - 1]) ? " '" : "'");
            put(w, w->model->classes[k]);
            put(w, "'");
        }
}

static void put_set(writer *w, uint32_t set)
{
    const uint32_t all = (UINT32_C(1) << w->model->n_classes) - 1;
    const bool is_one = (set & (set - 1)) == 0, but = set != all && random_chance(w->random, 0.3);
    if (is_one && random_chance(w->random, 0.7)) {
        put_listed(w, set, false);
    } else {
        put(w, but ? "[^" : "[");
        put_listed(w, set, but);
        put(w, "]");
    }
}

static uint32_t draw_set(const writer *w)
{
    const int32_t K = w->model->n_classes;
    uint32_t set = UINT32_C(1) << random_below(w->random, K);
    if (random_chance(w->random, 0.3))
        set |= UINT32_C(1) << random_below(w->random, K);
    return set;
}

/* ---- expressions ---- */

static oracle_expression *draw_expression(writer *w, int depth)
{
    static const int32_t times[][2] = {{0, -1}, {1, -1}, {0, 1}, {2, 2}, {0, 2}, {1, 3}, {2, -1}};
    oracle_expression *e = oracle_array(1, sizeof *e);
    const int32_t sort = depth == 0 ? 0 : random_below(w->random, 5), i = random_below(w->random, 7);
    if (sort <= 1) {
        e->sort = ORACLE_STEP;
        e->classes = random_chance(w->random, .2) ? (UINT32_C(1) << w->model->n_classes) - 1 : draw_set(w);
        return e;
    }
    e->sort = sort == 2 ? ORACLE_THEN : sort == 3 ? ORACLE_EITHER : ORACLE_TIMES;
    e->one = draw_expression(w, depth - 1);
    e->other = sort < 4 ? draw_expression(w, depth - 1) : NULL;
    e->least = times[i][0];
    e->most = times[i][1];
    return e;
}

static bool may_be_empty(const oracle_expression *e)
{
    if (e->sort == ORACLE_STEP)
        return false;
    if (e->sort == ORACLE_TIMES)
        return e->least == 0 || may_be_empty(e->one);
    const bool one = may_be_empty(e->one), other = may_be_empty(e->other);
    return e->sort == ORACLE_THEN ? one && other : one || other;
}

static void put_times(writer *w, const oracle_expression *e)
{
    char text[32];
    if (e->least < 2 && e->most < 0)
        put(w, e->least == 0 ? "*" : "+");
    else if (e->least == 0 && e->most == 1)
        put(w, "?");
    else if (e->least == e->most)
        snprintf(text, sizeof text, "{%d}", (int)e->least), put(w, text);
    else if (e->most < 0)
        snprintf(text, sizeof text, "{%d,}", (int)e->least), put(w, text);
    else
        snprintf(text, sizeof text, "{%d,%d}", (int)e->least, (int)e->most), put(w, text);
}

static void put_expression(writer *w, const oracle_expression *e)
{
    const bool has_brackets = e->sort == ORACLE_EITHER || e->sort == ORACLE_TIMES;
    if (e->sort == ORACLE_STEP) {
        if (e->classes == (UINT32_C(1) << w->model->n_classes) - 1)
            put(w, ".");
        else
            put_set(w, e->classes);
        return;
    }
    put(w, has_brackets ? "(" : "");
    put_expression(w, e->one);
    if (e->sort == ORACLE_TIMES) {
        put(w, ")");
        put_times(w, e);
        return;
    }
    put(w, e->sort == ORACLE_EITHER ? " | " : random_chance(w->random, .5) ? " " : ", ");
    put_expression(w, e->other);
    put(w, has_brackets ? ")" : "");
}

/* ---- rules ---- */

static void put_counted(writer *w, const oracle_rule *r)
{
    static const char *const words[] = {"at_least", "at_most", "not_before", "not_after"};
    char text[64];
    snprintf(text, sizeof text, "%s %d %s", words[r->form - ORACLE_AT_LEAST], (int)r->n,
             r->is_of_runs ? "runs of " : "");
    put(w, text);
    put_set(w, r->of);
    if (r->other) {
        put(w, " from first ");
        put_set(w, r->other);
    }
}

static oracle_rule draw_rule(writer *w)
{
    const int32_t sort = random_below(w->random, 10);
    oracle_rule r = {.of = draw_set(w), .other = draw_set(w)};
    if (sort < 4) {
        r.form = sort < 2 ? ORACLE_NEVER : ORACLE_WHOLE;
        do {
            oracle_expression_free(r.expression);
            r.expression = draw_expression(w, sort < 2 ? 3 : 4);
        } while (oracle_positions(r.expression) > ORACLE_POSITIONS ||
                 (sort < 2 && may_be_empty(r.expression)));
        put(w, sort < 2 ? "never " : "");
        put_expression(w, r.expression);
    } else if (sort < 7) {
        r.form = (oracle_form)(ORACLE_AT_LEAST + random_below(w->random, 4));
        r.n = random_below(w->random, r.form == ORACLE_AT_LEAST ? 4 : 5);
        r.is_of_runs = r.form <= ORACLE_AT_MOST && random_chance(w->random, .4);
        r.other = random_chance(w->random, .3) ? r.other : 0;
        put_counted(w, &r);
    } else if (sort < 9) {
        r.form = random_chance(w->random, .5) ? ORACLE_FOLLOWED_BY : ORACLE_PRECEDED_BY;
        put(w, "every ");
        put_set(w, r.of);
        put(w, r.form == ORACLE_FOLLOWED_BY ? " followed_by " : " preceded_by ");
        put_set(w, r.other);
    } else {
        r.form = random_chance(w->random, .5) ? ORACLE_FIRST : ORACLE_LAST;
        put(w, r.form == ORACLE_FIRST ? "first " : "last ");
        put_set(w, r.of);
    }
    r.cost = random_chance(w->random, .5) ? INFINITY : random_below(w->random, 4);
    r.may_at_gap = random_chance(w->random, .3);
    return r;
}

void random_rules_add(random_case *c, random_source *random, int32_t most)
{
    c->n_rules = random_below(random, most + 1);
    c->rules = oracle_array((size_t)most, sizeof *c->rules);
    for (int32_t r = 0; r < c->n_rules; r++) {
        writer w = {.random = random, .model = c->model};
        sp_error err;
        c->rules[r] = draw_rule(&w);
        random_require(
            sp_model_add_rule(c->model, NULL, w.text, c->rules[r].cost, c->rules[r].may_at_gap, &err), &err,
            c->seed);
    }
}
