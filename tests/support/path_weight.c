#include "path_weight.h"

#include "check.h"
#include "oracle.h"

/* ---- p(d) by its definition ---- */

static double density(const sp_duration *d, double n)
{
    const double extra = d->centre.value - 1, r = d->spread;
    switch (d->form) {
    case SP_DURATION_PMF:
        return n <= d->n_pmf ? d->pmf[(int)n - 1] : 0;
    case SP_DURATION_NEGATIVE_BINOMIAL:
        return extra == 0 ? n == 1
                          : exp(lgamma(n - 1 + r) - lgamma(r) - lgamma(n) + r * log(r / (r + extra)) +
                                (n - 1) * log(extra / (r + extra)));
    case SP_DURATION_POISSON:
        return extra == 0 ? n == 1 : exp((n - 1) * log(extra) - extra - lgamma(n));
    case SP_DURATION_LOG_NORMAL: {
        const double a = n == 1 ? -INFINITY : log((n - .5) / d->centre.value) / r,
                     b = log((n + .5) / d->centre.value) / r;
        return .5 * (erfc(-b / sqrt(2)) - erfc(-a / sqrt(2)));
    }
    default:
        return 1;
    }
}

static bool is_supported(const sp_duration *d, double n)
{
    return n >= d->min.value && (d->max.value == 0 || n <= d->max.value);
}

double duration_weight(const sp_duration *d, int64_t length, bool is_cut)
{
    const bool is_named = d->form != SP_DURATION_RANGE && d->form != SP_DURATION_PMF;
    double all = 0, tail = 0;
    if (d->form == SP_DURATION_RANGE)
        return is_cut ? (d->max.value == 0 || length <= d->max.value ? 0 : -INFINITY)
               : is_supported(d, (double)length) ? 0
                                                 : -INFINITY;
    for (int n = 2000; n > 0; n--) {
        const double p = d->form == SP_DURATION_PMF || is_supported(d, n) ? density(d, n) : 0;
        all += p;
        tail += n >= length ? p : 0;
    }
    if (!is_cut)
        tail = d->form == SP_DURATION_PMF || is_supported(d, (double)length) ? density(d, (double)length) : 0;
    return log(tail) - (is_named ? log(all) : 0);
}

const sp_duration *duration_of_column(const random_case *c, int32_t column)
{
    const sp_duration *d = c->model->durations ? &c->model->durations[c->class_of_column[column]] : NULL;
    return d && d->form != SP_DURATION_FREE ? d : NULL;
}

bool is_side(const random_case *c, int64_t t)
{
    return t == 0 || t == c->scores.n_steps || (c->segments && c->segments[t] != c->segments[t - 1]);
}

/* ---- a path ---- */

/* How the only state of a class with a duration stays is the duration's. */
static void free_staying(const random_case *c, dense_model *m)
{
    for (int32_t j = 0; j < m->n_states; j++) {
        int32_t n_own = 0;
        for (int32_t i = 0; i < m->n_states; i++)
            n_own += m->state_class[i] == m->state_class[j];
        if (n_own == 1 && duration_of_column(c, m->state_class[j]))
            m->weight[(size_t)j * (size_t)m->n_states + (size_t)j] = 0;
    }
}

path_weigher path_weigher_new(const random_case *c)
{
    path_weigher w = {.c = c, .states = dense_model_new(c->model, c->class_of_column)};
    const int32_t K = c->model->n_classes;
    sp_error err;
    free_staying(c, w.states);
    assert_true(c->model->n_rules <= PATH_WEIGHT_RULES && c->scores.n_steps <= PATH_WEIGHT_STEPS);
    for (int32_t r = 0; r < c->model->n_rules; r++) {
        w.rules[r].cost = c->model->rules[r].cost;
        assert_ok(sp_rule_compile(c->model, r, 0, &w.rules[r].automaton, &err), &err);
    }
    for (int cut = 0; cut < 2; cut++) {
        w.run[cut] = calloc((size_t)K * PATH_WEIGHT_STEPS, sizeof *w.run[cut]);
        assert_non_null(w.run[cut]);
        for (int32_t k = 0; k < K; k++)
            for (int d = 1; d <= PATH_WEIGHT_STEPS && duration_of_column(c, k); d++)
                w.run[cut][k * PATH_WEIGHT_STEPS + d - 1] = duration_weight(duration_of_column(c, k), d, cut);
    }
    return w;
}

void path_weigher_free(path_weigher *w)
{
    for (int32_t r = 0; r < w->c->model->n_rules; r++)
        sp_rule_automaton_clear(&w->rules[r].automaton);
    dense_model_free(w->states);
    free(w->run[0]);
    free(w->run[1]);
}

static double weigh_runs(const path_weigher *w, const int32_t *path)
{
    const random_case *c = w->c;
    double weight = 0;
    for (int64_t t = 0, begin = 0; t < c->scores.n_steps; t++) {
        if (!is_side(c, t + 1) && path[t + 1] == path[t])
            continue;
        const bool is_cut = (is_side(c, begin) && !c->model->whole_at_start) ||
                            (is_side(c, t + 1) && !c->model->whole_at_end);
        weight += w->run[is_cut][path[t] * PATH_WEIGHT_STEPS + t - begin];
        begin = t + 1;
    }
    return weight;
}

static int64_t violations_of(const random_case *c, const sp_chain_rule *rule, const int32_t *path)
{
    sp_rule_walk walk = {0};
    int64_t n = 0, step;
    for (int64_t t = 0; t < c->scores.n_steps; t++)
        n += sp_rule_walk_step(&walk, rule, c->class_of_column[path[t]], sp_scores_is_gap(&c->scores, t));
    return n + sp_rule_walk_end(&walk, rule, &step);
}

weighed path_weigh(const path_weigher *w, const int32_t *path)
{
    double others = weigh_runs(w, path);
    for (int32_t r = 0; others > -INFINITY && r < w->c->model->n_rules; r++) {
        const int64_t n = w->rules[r].cost == 0 ? 0 : violations_of(w->c, &w->rules[r], path);
        others -= n == 0 ? 0 : w->rules[r].cost * (double)n;
    }
    if (others == -INFINITY)
        return (weighed){-INFINITY, 0};
    return (weighed){oracle_path_score(w->states, &w->c->scores, path) + others,
                     oracle_path_weight(w->states, &w->c->scores, path) * exp(others)};
}
