#include "pipeline/rules/rule_variants.h"

#include <stdlib.h>

#include "core/model/model.h"
#include "core/try.h"

/* ---- which rules ---- */

static int64_t count_in(const sp_pair_count *pairs, int64_t n, int32_t from, int32_t to)
{
    for (int64_t i = 0; i < n; i++)
        if (pairs[i].from == from && pairs[i].to == to)
            return pairs[i].count;
    return 0;
}

static const sp_strategy_result *argmax_of(const sp_comparison *c)
{
    const int32_t s = c->n_strategies ? c->strategies[0].argmax : -1;
    return s < 0 ? NULL : &c->strategies[s];
}

static int64_t broken(const sp_rule_cost *rule)
{
    return rule->reference_count + (rule->argmax_count > 0 ? rule->argmax_count : 0);
}

static int by_broken(const void *a, const void *b)
{
    const sp_rule_cost *x = a, *y = b;
    if (broken(x) != broken(y))
        return broken(x) > broken(y) ? -1 : 1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static void put_rule(const sp_comparison *c, int32_t from, int32_t to, sp_rule_cost *out)
{
    const sp_strategy_result *argmax = argmax_of(c);
    *out = (sp_rule_cost){
        .rule = -1,
        .from = from,
        .to = to,
        .reference_count = count_in(c->reference_illegal_pairs, c->n_reference_illegal_pairs, from, to),
        .argmax_count = argmax ? count_in(argmax->illegal_pairs, argmax->n_illegal_pairs, from, to) : -1};
}

/* Rule r over more than two steps. */
static void put_named(const sp_comparison *c, int32_t r, sp_rule_cost *out)
{
    const sp_rule_violations *by = c->rules[r].by;
    const sp_strategy_result *argmax = argmax_of(c);
    *out = (sp_rule_cost){.rule = r,
                          .from = -1,
                          .to = -1,
                          .reference_count = by[c->n_strategies].violations,
                          .argmax_count = argmax ? by[argmax - c->strategies].violations : -1};
}

static bool is_there(const sp_rule_cost *rules, int64_t n, const sp_pair_count *pair)
{
    for (int64_t i = 0; i < n; i++)
        if (rules[i].from == pair->from && rules[i].to == pair->to)
            return true;
    return false;
}

/* Rules over more than two steps, all of them. Of the pairs that somebody breaks as many as may be in question, then others as long
 * as there is room; the most broken ones stay. */
sp_status sp_rule_choose(sp_rule_run *w, sp_error *err)
{
    const sp_comparison *c = w->comparison;
    const sp_strategy_result *argmax = argmax_of(c);
    const struct {
        const sp_pair_count *pairs;
        int64_t n, most;
    } lists[] = {{c->reference_illegal_pairs, c->n_reference_illegal_pairs, SP_MOST_RULE_COSTS},
                 {argmax ? argmax->illegal_pairs : NULL, argmax ? argmax->n_illegal_pairs : 0,
                  INT64_C(2) * SP_MOST_RULE_COSTS},
                 {c->forbidden, c->n_forbidden, INT64_C(3) * SP_MOST_RULE_COSTS}};
    w->to->rules = calloc((size_t)c->n_rules + (size_t)3 * SP_MOST_RULE_COSTS, sizeof *w->to->rules);
    if (!w->to->rules)
        return sp_no_memory(err);
    for (int32_t r = 0; r < c->n_rules; r++)
        put_named(c, r, &w->to->rules[r]);
    sp_rule_cost *rules = w->to->rules + c->n_rules;
    int64_t n = 0;
    for (int i = 0; i < 3; i++)
        for (int64_t j = 0; j < lists[i].n && n < lists[i].most; j++)
            if (!is_there(rules, n, &lists[i].pairs[j]))
                put_rule(c, lists[i].pairs[j].from, lists[i].pairs[j].to, &rules[n++]);
    qsort(rules, (size_t)n, sizeof *rules, by_broken);
    n = n < SP_MOST_RULE_COSTS ? n : SP_MOST_RULE_COSTS;
    w->to->n_rules = c->n_rules + n;
    w->to->n_left_out = c->forbidden_count - n;
    return SP_OK;
}

/* ---- chains ---- */

/* The least weight of a state's transitions; 0 without any. */
static double least_weight(const sp_model *model, int32_t state)
{
    double least = 0;
    for (int64_t e = model->row[state]; model->weight && e < model->row[state + 1]; e++)
        least = e == model->row[state] || model->weight[e] < least ? model->weight[e] : least;
    return least;
}

/* The model's transitions, and those from each state of one class to each of another: `out` shares the rest with the model.
 * Arrays are of `own`. */
static bool allow_pair(const sp_model *model, int32_t from, int32_t to, sp_owned *own, sp_model *out)
{
    const size_t M = (size_t)model->n_states;
    int64_t extra = 0, n = 0;
    for (size_t i = 0; i < M; i++)
        extra += sp_model_state_class(model, (int32_t)i) == from ? (int64_t)M : 0;
    const size_t most = (size_t)(model->row[M] + extra);
    *out = *model;
    out->row = sp_zeros(own, M + 1, sizeof *out->row);
    out->to = sp_zeros(own, most, sizeof *out->to);
    out->weight = model->weight ? sp_zeros(own, most, sizeof *out->weight) : NULL;
    if (!out->row || !out->to || (model->weight && !out->weight))
        return false;
    for (int32_t i = 0; i < model->n_states; i++) {
        const bool is_from = sp_model_state_class(model, i) == from;
        int64_t e = model->row[i];
        for (int32_t j = 0; j < model->n_states; j++) {
            const bool is_edge = e < model->row[i + 1] && model->to[e] == j;
            if (is_edge || (is_from && sp_model_state_class(model, j) == to)) {
                if (out->weight)
                    out->weight[n] = is_edge ? model->weight[e] : least_weight(model, i);
                out->to[n++] = j;
            }
            e += is_edge;
        }
        out->row[i + 1] = n;
    }
    return true;
}

/* The model without rule r over more than two steps: `out` shares the rest with it. */
static bool drop_rule(const sp_model *model, int32_t r, sp_owned *own, sp_model *out)
{
    out->rules = sp_zeros(own, (size_t)model->n_rules, sizeof *out->rules);
    if (!out->rules)
        return false;
    out->n_rules = 0;
    for (int32_t i = 0; i < model->n_rules; i++)
        if (i != r)
            out->rules[out->n_rules++] = model->rules[i];
    return true;
}

sp_status sp_rule_variant_open(sp_rule_run *w, sp_rule_variant *v, sp_error *err)
{
    const sp_pipeline *p = w->p;
    const size_t N = (size_t)w->comparison->n_recordings;
    sp_owned own = {0};
    sp_model model = *p->model;
    v->correct = sp_zeros(&w->own, N, sizeof *v->correct);
    v->kept = sp_zeros(&w->own, N, sizeof *v->kept);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&w->own, err));
    if (v->rule >= 0) {
        const sp_rule_cost *rule = &w->to->rules[v->rule];
        if (!(rule->rule >= 0 ? drop_rule(p->model, rule->rule, &own, &model)
                              : allow_pair(p->model, p->class_of_column[rule->from],
                                           p->class_of_column[rule->to], &own, &model)))
            TRY(sp_no_memory(err));
    }
    sp_chain_options compile = sp_pipeline_chain_options(
        p, sp_first_given(p->opt->decode.transition_weight, p->model->transition_weight, 1));
    TRY(sp_chain_new(&model, &compile, &v->chain, err));
    compile.is_boolean = true;
    TRY(sp_chain_new(&model, &compile, &v->rules, err));
done:
    sp_owned_free(&own);
    return status;
}
