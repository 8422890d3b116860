/* Violations of rules over more than two steps, by rule, recording and path. */
#include "core/rules/rules.h"
#include "core/try.h"
#include "evaluate/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int32_t n_paths(const sp_evaluation *e)
{
    return e->result->n_strategies + 1;
}

sp_status sp_rule_counts_open(sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    const int32_t n = sp_chain_n_rules(e->chain);
    if (n == 0)
        return SP_OK;
    if (!(c->rules = sp_calloc(n, sizeof *c->rules)))
        return sp_no_memory(err);
    c->n_rules = n;
    for (int32_t r = 0; r < n; r++) {
        const sp_chain_rule *rule = sp_chain_rule_at(e->chain, r);
        c->rules[r] = (sp_rule_result){strdup(rule->name), strdup(rule->text), rule->cost, rule->may_at_gap,
                                       sp_calloc(n_paths(e), sizeof(sp_rule_violations))};
        if (!c->rules[r].name || !c->rules[r].text || !c->rules[r].by)
            return sp_no_memory(err);
    }
    return SP_OK;
}

void sp_rule_counts_reserve(sp_evaluation *e, int64_t n, bool *is_whole)
{
    sp_comparison *c = e->result;
    const size_t width = (size_t)c->n_rules * (size_t)n_paths(e);
    if (width == 0)
        return;
    c->rule_violations = sp_grown(c->rule_violations, n, width * sizeof *c->rule_violations, is_whole);
    if (*is_whole)
        memset(c->rule_violations + (size_t)e->capacity * width, 0,
               (size_t)(n - e->capacity) * width * sizeof *c->rule_violations);
}

/* Of recording r: [n_rules, n_strategies + 1], and how many these are. */
static int64_t *counts_of(const sp_evaluation *e, int64_t r, int64_t *n)
{
    *n = (int64_t)e->result->n_rules * n_paths(e);
    return *n > 0 ? e->result->rule_violations + r * *n : NULL;
}

static sp_status add_place(sp_evaluation *e, const sp_rule_place *place, sp_error *err)
{
    sp_comparison *c = e->result;
    const int64_t n = c->n_rule_places;
    bool is_whole = true;
    c->rule_places_cut |= n == SP_MOST_ILLEGAL_PLACES;
    if (c->rule_places_cut)
        return SP_OK;
    c->rule_places = sp_room_for_one(c->rule_places, n, sizeof *c->rule_places, &is_whole);
    if (!is_whole)
        return sp_no_memory(err);
    c->rule_places[c->n_rule_places++] = *place;
    return SP_OK;
}

/* Counts and lists the violations of one path along one rule. */
static sp_status walk_path(sp_evaluation *e, const sp_recording *r, const int32_t *path,
                           const sp_chain_rule *rule, sp_rule_place place, int64_t *count, sp_error *err)
{
    sp_rule_walk walk = {0};
    sp_status status = SP_OK;
    int64_t n;
    for (int64_t t = 0; t < r->n_steps; t++) {
        const bool is_gap = t > 0 && !sp_is_joined(r, t);
        n = sp_rule_walk_step(&walk, rule, path[t], is_gap);
        *count += n;
        place.step = t;
        if (n > 0)
            TRY(add_place(e, &place, err));
    }
    n = sp_rule_walk_end(&walk, rule, &place.step);
    *count += n;
    if (n > 0)
        TRY(add_place(e, &place, err));
done:
    return status;
}

sp_status sp_add_rule_counts(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths,
                             const sp_decoded *results, sp_error *err)
{
    const int32_t S = e->result->n_strategies;
    int64_t n, *counts = counts_of(e, r->index, &n);
    sp_status status = SP_OK;
    if (r->n_steps == 0)
        return SP_OK;
    for (int64_t i = 0; i < n; i++) {
        const int32_t who = (int32_t)(i % (S + 1)), rule = (int32_t)(i / (S + 1));
        const int32_t *path = who < S ? paths[who] : r->labels;
        const sp_rule_place place = {.recording = r->index, .who = who, .rule = rule};
        if (path && (who == S || results[who].status == SP_OK))
            TRY(walk_path(e, r, path, sp_chain_rule_at(e->chain, rule), place, &counts[i], err));
    }
done:
    return status;
}

static int by_place(const void *a, const void *b)
{
    const sp_rule_place *x = a, *y = b;
    if (x->recording != y->recording)
        return x->recording < y->recording ? -1 : 1;
    if (x->who != y->who)
        return x->who < y->who ? -1 : 1;
    return x->step != y->step ? (x->step > y->step) - (x->step < y->step)
                              : (x->rule > y->rule) - (x->rule < y->rule);
}

/* What all rules together come to. */
static void sum_up(sp_comparison *c)
{
    for (int32_t r = 0; r < c->n_rules; r++)
        for (int32_t who = 0; who <= c->n_strategies; who++) {
            sp_violation_counts *sum =
                who < c->n_strategies ? &c->strategies[who].violations : &c->reference_violations;
            *(isfinite(c->rules[r].cost) ? &sum->priced : &sum->hard) += c->rules[r].by[who].violations;
        }
}

void sp_rule_counts_finish(sp_evaluation *e)
{
    sp_comparison *c = e->result;
    if (c->n_rule_places > 0)
        qsort(c->rule_places, (size_t)c->n_rule_places, sizeof *c->rule_places, by_place);
    for (int64_t r = 0; c->n_rules > 0 && r < c->n_recordings; r++) {
        int64_t n;
        const int64_t *counts = counts_of(e, r, &n);
        for (int64_t i = 0; counts && i < n; i++) {
            sp_rule_violations *by = &c->rules[i / n_paths(e)].by[i % n_paths(e)];
            by->violations += counts[i];
            by->recordings += counts[i] > 0;
            c->rule_places_cut |= counts[i] > 0 && c->n_rule_places == 0;
        }
    }
    sum_up(c);
}
