/* Compiling a model: see statepath/model.h for what happens and chain_states.h for what comes out. */
#include "core/chain_states.h"
#include "core/model/unfold.h"
#include "core/numbers.h"
#include "core/owned.h"
#include "core/rules/product.h"
#include "core/rules/rules.h"
#include "core/try.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t MOST_TRANSITIONS = INT64_C(1) << 28;

sp_chain_options sp_chain_options_default(void)
{
    return (sp_chain_options){.transition_weight = 1, .max_states = 100000};
}

static void free_runs(sp_run_graph *runs)
{
    if (!runs)
        return;
    free(runs->rows);
    free(runs->leave);
    free(runs->go_on);
    free(runs->pred_row);
    free(runs->pred);
    free(runs->pred_weight);
    free(runs);
}

static void free_transitions(sp_chain *chain)
{
    free(chain->pred_row);
    free(chain->pred);
    free(chain->pred_weight);
    free(chain->succ_row);
    free(chain->succ);
    free(chain->succ_weight);
}

void sp_chain_free(sp_chain *chain)
{
    if (!chain)
        return;
    free(chain->state_class);
    free(chain->declared);
    free(chain->class_first);
    free_transitions(chain);
    if (chain->across)
        free_transitions(chain->across);
    free(chain->across);
    for (int32_t r = 0; r < chain->n_rules; r++) {
        free(chain->rules[r].name);
        free(chain->rules[r].text);
        sp_rule_automaton_clear(&chain->rules[r].automaton);
    }
    free(chain->rules);
    free(chain->start);
    free(chain->end);
    free(chain->entry);
    free(chain->fresh);
    free(chain->leave);
    free(chain->min_dwell);
    for (int32_t k = 0; chain->durations && k < chain->n_classes; k++)
        sp_run_weights_clear(&chain->durations[k]);
    free(chain->durations);
    free_runs(chain->runs);
    free(chain->legal_row);
    free(chain->legal_to);
    free(chain->legal_bits);
    free(chain->legal_start);
    free(chain->legal_end);
    free(chain);
}

/* Sorts edges into rows by `to` (by_target) or `from`, keeping the order of the input inside a row. */
static void fill_rows(int32_t n_states, int64_t n_edges, const sp_edge *edges, bool by_target, int64_t *row,
                      int32_t *other, double *weight, int64_t *next)
{
    for (int64_t e = 0; e < n_edges; e++)
        row[(by_target ? edges[e].to : edges[e].from) + 1]++;
    for (int32_t s = 0; s < n_states; s++)
        row[s + 1] += row[s];
    memcpy(next, row, (size_t)n_states * sizeof *next);
    for (int64_t e = 0; e < n_edges; e++) {
        int64_t at = next[by_target ? edges[e].to : edges[e].from]++;
        other[at] = by_target ? edges[e].from : edges[e].to;
        weight[at] = edges[e].weight;
    }
}

/* Predecessor and successor lists, both ascending: sorting by one end and then, stably, by the other orders both. */
static sp_status connect(const sp_chain_options *options, const sp_placement *place, const sp_chain *owner,
                         sp_edge_kind kind, sp_chain *chain, sp_error *err)
{
    const int32_t m = owner->n_states;
    sp_edge_list count = {NULL, 0};
    sp_list_edges(options, place, owner, kind, &count);
    if (count.n > MOST_TRANSITIONS)
        return sp_fail(err, SP_EMODEL, "model %s: it unfolds into %lld transitions; shorten its durations",
                       place->model->name, (long long)count.n);
    sp_edge *edges = sp_calloc(count.n, sizeof *edges);
    int64_t *next = sp_calloc(m, sizeof *next);
    chain->pred_row = sp_calloc(m + 1, sizeof *chain->pred_row);
    chain->succ_row = sp_calloc(m + 1, sizeof *chain->succ_row);
    chain->pred = sp_calloc(count.n, sizeof *chain->pred);
    chain->succ = sp_calloc(count.n, sizeof *chain->succ);
    chain->pred_weight = sp_calloc(count.n, sizeof *chain->pred_weight);
    chain->succ_weight = sp_calloc(count.n, sizeof *chain->succ_weight);
    sp_status status = SP_OK;
    if (!edges || !next || !chain->pred_row || !chain->succ_row || !chain->pred || !chain->succ ||
        !chain->pred_weight || !chain->succ_weight)
        status = sp_no_memory(err);
    if (status == SP_OK) {
        sp_edge_list list = {edges, 0};
        sp_list_edges(options, place, owner, kind, &list);
        int64_t n = list.n;
        fill_rows(m, n, edges, false, chain->succ_row, chain->succ, chain->succ_weight, next);
        int64_t e = 0;
        for (int32_t i = 0; i < m; i++) /* now by `from` */
            for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1]; s++)
                edges[e++] = (sp_edge){i, chain->succ[s], chain->succ_weight[s]};
        fill_rows(m, n, edges, true, chain->pred_row, chain->pred, chain->pred_weight, next);
        e = 0;
        for (int32_t j = 0; j < m; j++) /* now by `to`, and by `from` inside */
            for (int64_t p = chain->pred_row[j]; p < chain->pred_row[j + 1]; p++)
                edges[e++] = (sp_edge){chain->pred[p], j, chain->pred_weight[p]};
        memset(chain->succ_row, 0, (size_t)(m + 1) * sizeof *chain->succ_row);
        fill_rows(m, n, edges, false, chain->succ_row, chain->succ, chain->succ_weight, next);
    }
    free(edges);
    free(next);
    return status;
}

static int compare_sources(const void *a, const void *b)
{
    const int32_t x = ((const sp_edge *)a)->from, y = ((const sp_edge *)b)->from;
    return (x > y) - (x < y);
}

/* The graph of runs: what leads to each state, rows of runs being one. */
static sp_status connect_rows(const sp_chain_options *options, const sp_placement *place, sp_chain *chain,
                              sp_error *err)
{
    const int32_t m = chain->n_states;
    sp_edge_list list = {NULL, 0};
    sp_list_edges(options, place, chain, SP_EDGES_BY_ROWS, &list);
    sp_run_graph *g = chain->runs = sp_calloc(1, sizeof *g);
    sp_edge *edges = sp_calloc(list.n, sizeof *edges);
    int64_t *next = sp_calloc(m, sizeof *next);
    sp_status status = SP_OK;
    TRY(g && edges && next ? SP_OK : sp_no_memory(err));
    g->rows = sp_calloc(place->model->n_classes, sizeof *g->rows);
    g->leave = sp_calloc(m, sizeof *g->leave);
    g->go_on = sp_calloc(m, sizeof *g->go_on);
    g->pred_row = sp_calloc(m + 1, sizeof *g->pred_row);
    g->pred = sp_calloc(list.n, sizeof *g->pred);
    g->pred_weight = sp_calloc(list.n, sizeof *g->pred_weight);
    TRY(g->rows && g->leave && g->go_on && g->pred_row && g->pred && g->pred_weight ? SP_OK
                                                                                    : sp_no_memory(err));
    list = (sp_edge_list){edges, 0};
    sp_list_edges(options, place, chain, SP_EDGES_BY_ROWS, &list);
    qsort(edges, (size_t)list.n, sizeof *edges,
          compare_sources); /* those into one state differ in their sources */
    fill_rows(m, list.n, edges, true, g->pred_row, g->pred, g->pred_weight, next);
    sp_place_runs(place, g);
done:
    free(edges);
    free(next);
    return status;
}

/* Legal pairs of classes: the classes of the successors of each class's states, each once. */
static sp_status list_legal_pairs(sp_chain *chain, sp_error *err)
{
    int32_t K = chain->n_classes;
    int64_t most = chain->succ_row[chain->n_states];
    int32_t *seen_from = sp_calloc(K, sizeof *seen_from);
    chain->legal_row = sp_calloc(K + 1, sizeof *chain->legal_row);
    chain->legal_to = sp_calloc(most, sizeof *chain->legal_to);
    if (K <= SP_LEGAL_BITS_CLASSES)
        chain->legal_bits = sp_calloc((int64_t)K * K / 64 + 1, sizeof *chain->legal_bits);
    if (!seen_from || !chain->legal_row || !chain->legal_to ||
        (K <= SP_LEGAL_BITS_CLASSES && !chain->legal_bits)) {
        free(seen_from);
        return sp_no_memory(err);
    }
    int64_t n = 0;
    for (int32_t k = 0; k < K; k++) {
        for (int32_t s = chain->class_first[k]; s < chain->class_first[k + 1]; s++)
            for (int64_t e = chain->succ_row[s]; e < chain->succ_row[s + 1]; e++) {
                int32_t to = chain->state_class[chain->succ[e]];
                if (seen_from[to] == k + 1)
                    continue;
                seen_from[to] = k + 1;
                chain->legal_to[n++] = to;
                if (chain->legal_bits)
                    chain->legal_bits[((int64_t)k * K + to) / 64] |= UINT64_C(1)
                                                                     << ((int64_t)k * K + to) % 64;
            }
        qsort(chain->legal_to + chain->legal_row[k], (size_t)(n - chain->legal_row[k]),
              sizeof *chain->legal_to, number_compare_int32);
        chain->legal_row[k + 1] = n;
    }
    free(seen_from);
    return SP_OK;
}

static void list_legal_ends(sp_chain *chain)
{
    for (int32_t s = 0; s < chain->n_states; s++) {
        chain->legal_start[chain->state_class[s]] |= chain->start[s] > -INFINITY;
        chain->legal_end[chain->state_class[s]] |= chain->end[s] > -INFINITY;
    }
}

/* Has each state one successor of a class at most? */
static bool classes_tell_successors(const sp_chain *chain)
{
    for (int32_t i = 0; i < chain->n_states; i++)
        for (int64_t s = chain->succ_row[i] + 1; s < chain->succ_row[i + 1]; s++)
            if (chain->state_class[chain->succ[s]] == chain->state_class[chain->succ[s - 1]])
                return false;
    return true;
}

bool sp_chain_tells_states(const sp_chain *chain, bool has_gap)
{
    for (int32_t k = 0; k < chain->n_classes; k++) {
        int32_t n_starts = 0, n_entries = 0;
        for (int32_t j = chain->class_first[k]; j < chain->class_first[k + 1]; j++) {
            n_starts += chain->start[j] > -INFINITY;
            n_entries += has_gap && !chain->across && chain->entry[j];
        }
        if (n_starts > 1 || n_entries > 1)
            return false;
    }
    return classes_tell_successors(chain) &&
           (!has_gap || !chain->across || classes_tell_successors(chain->across));
}

static bool weighs_nothing(const sp_chain *chain)
{
    for (int64_t e = 0; e < chain->succ_row[chain->n_states]; e++)
        if (chain->succ_weight[e] != 0)
            return false;
    return true;
}

/* Across gaps the chain is the same but for its transitions. */
static void share_with_across(sp_chain *chain)
{
    const sp_chain own = *chain->across;
    *chain->across = *chain;
    chain->across->pred_row = own.pred_row;
    chain->across->pred = own.pred;
    chain->across->pred_weight = own.pred_weight;
    chain->across->succ_row = own.succ_row;
    chain->across->succ = own.succ;
    chain->across->succ_weight = own.succ_weight;
    chain->across->across = NULL;
}

static void note_shape(sp_chain *chain)
{
    for (int32_t k = 0; k < chain->n_classes; k++)
        if (chain->min_dwell[k] > chain->longest_dwell)
            chain->longest_dwell = chain->min_dwell[k];
    bool leaves = false;
    for (int32_t s = 0; chain->leave && s < chain->n_states; s++)
        leaves |= chain->leave[s] != 0;
    if (!leaves) {
        free(chain->leave);
        chain->leave = NULL;
    }
    if (chain->across)
        share_with_across(chain);
    chain->is_told = sp_chain_tells_states(chain, true);
    chain->is_plain = chain->n_states == chain->n_classes && !leaves && !chain->across;
    chain->is_boolean = weighs_nothing(chain) && (!chain->across || weighs_nothing(chain->across));
    for (int32_t s = 0; s < chain->n_states; s++) {
        chain->is_plain &= chain->state_class[s] == s && chain->entry[s];
        chain->is_boolean &= (chain->start[s] == 0 || chain->start[s] == -INFINITY) &&
                             (chain->end[s] == 0 || chain->end[s] == -INFINITY);
        chain->is_boolean &= sp_chain_leave(chain, s) == 0 || sp_chain_leave(chain, s) == -INFINITY;
    }
}

static void drop_end_weights(sp_chain *chain)
{
    for (int32_t s = 0; s < chain->n_states; s++) {
        chain->start[s] = chain->start[s] == -INFINITY ? -INFINITY : 0;
        chain->end[s] = chain->end[s] == -INFINITY ? -INFINITY : 0;
    }
}

/* The weights of runs go to the chain, in the order of its columns. */
static sp_status keep_durations(sp_placement *place, const int32_t *column_of_class, sp_chain *chain,
                                sp_error *err)
{
    if (!place->weight)
        return SP_OK;
    if (!(chain->durations = sp_calloc(chain->n_classes, sizeof *chain->durations)))
        return sp_no_memory(err);
    for (int32_t k = 0; k < chain->n_classes; k++) {
        chain->durations[column_of_class[k]] = place->weight[k];
        place->weight[k] = (sp_run_weights){.n_whole = 0};
    }
    return SP_OK;
}

/* Compiles a model without a look at its rules. gaps: NULL: each state may stand first after one. */
static sp_status compile(const sp_model *model, const sp_declared_gaps *gaps, const sp_chain_options *options,
                         sp_chain **out, sp_error *err)
{
    const int32_t K = model->n_classes;
    sp_placement place = {.model = NULL};
    sp_chain *chain = calloc(1, sizeof *chain);
    int32_t *column_of_class = sp_calloc(K, sizeof *column_of_class);
    sp_status status = SP_OK;
    if (chain) {
        chain->n_classes = K;
        chain->min_dwell_at_end = model->min_dwell_at_end;
        chain->whole_at_start = model->whole_at_start;
        chain->whole_at_end = model->whole_at_end;
        chain->class_first = sp_calloc(K + 1, sizeof *chain->class_first);
        chain->min_dwell = sp_calloc(K, sizeof *chain->min_dwell);
        chain->legal_start = sp_calloc(K, 1);
        chain->legal_end = sp_calloc(K, 1);
    }
    if (!chain || !column_of_class || !chain->class_first || !chain->min_dwell || !chain->legal_start ||
        !chain->legal_end)
        TRY(sp_no_memory(err));
    assert(chain); /* sp_no_memory() never returns SP_OK */
    for (int32_t c = 0; c < K; c++)
        column_of_class[options->class_of_column ? options->class_of_column[c] : c] = c;
    TRY(sp_placement_make(&place, model, gaps, options, column_of_class, chain, err));
    TRY(connect(options, &place, chain, SP_EDGES_NEXT, chain, err));
    if (gaps && gaps->row) {
        TRY((chain->across = calloc(1, sizeof *chain->across)) ? SP_OK : sp_no_memory(err));
        TRY(connect(options, &place, chain, SP_EDGES_ACROSS, chain->across, err));
    }
    TRY(list_legal_pairs(chain, err));
    list_legal_ends(chain);
    if (chain->n_states > SP_RUNS_LEAST && !gaps && sp_has_plain_runs(&place))
        TRY(connect_rows(options, &place, chain, err));
    TRY(keep_durations(&place, column_of_class, chain, err));
    if (options->is_boolean)
        drop_end_weights(chain);
    note_shape(chain);
    *out = chain;
    chain = NULL;
done:
    sp_chain_free(chain);
    sp_placement_clear(&place);
    free(column_of_class);
    return status;
}

/* ---- rules ---- */

/* What the matrix says stays what it says: which pairs are legal, how short runs may be. */
static sp_status keep_matrix(const sp_model *model, const sp_chain_options *options, sp_chain *chain,
                             sp_error *err)
{
    sp_chain *from;
    const sp_status status = compile(model, NULL, options, &from, err);
    if (status != SP_OK)
        return status;
    sp_chain old = *chain;
    chain->legal_row = from->legal_row;
    chain->legal_to = from->legal_to;
    chain->legal_bits = from->legal_bits;
    chain->legal_start = from->legal_start;
    chain->legal_end = from->legal_end;
    chain->min_dwell = from->min_dwell;
    chain->longest_dwell = from->longest_dwell;
    from->legal_row = old.legal_row;
    from->legal_to = old.legal_to;
    from->legal_bits = old.legal_bits;
    from->legal_start = old.legal_start;
    from->legal_end = old.legal_end;
    from->min_dwell = old.min_dwell;
    sp_chain_free(from);
    return SP_OK;
}

/* The automata, which are taken from the product, and whose letters become the chain's columns. */
static sp_status keep_rules(const sp_model *model, sp_product *product, const sp_chain_options *options,
                            sp_chain *chain, sp_error *err)
{
    const size_t K = (size_t)model->n_classes, L = K + 2;
    int32_t *next = sp_calloc((int64_t)L, sizeof *next);
    uint8_t *broken = sp_calloc((int64_t)L, 1);
    sp_status status = SP_OK;
    TRY(next && broken && (chain->rules = sp_calloc(model->n_rules, sizeof *chain->rules))
            ? SP_OK
            : sp_no_memory(err));
    chain->n_rules = model->n_rules;
    for (int32_t r = 0; r < model->n_rules; r++) {
        sp_chain_rule *rule = &chain->rules[r];
        sp_rule_automaton *a = &rule->automaton;
        rule->name = strdup(model->rules[r].name);
        rule->text = strdup(model->rules[r].text);
        rule->cost = model->rules[r].cost;
        rule->may_at_gap = model->rules[r].may_at_gap;
        TRY(rule->name && rule->text ? SP_OK : sp_no_memory(err));
        *a = product->automata[r];
        product->automata[r] = (sp_rule_automaton){0};
        for (int32_t i = 0; options->class_of_column && i < a->n_states; i++) {
            memcpy(next, a->next + (size_t)i * L, K * sizeof *next);
            memcpy(broken, a->broken + (size_t)i * L, K);
            for (size_t c = 0; c < K; c++) {
                a->next[(size_t)i * L + c] = next[options->class_of_column[c]];
                a->broken[(size_t)i * L + c] = broken[options->class_of_column[c]];
            }
        }
    }
done:
    free(next);
    free(broken);
    return status;
}

/* Does some path lead from a start to an end, over gaps if need be? *out is false, and SP_ENOMEM returned, on lack of memory. */
static sp_status find_path(const sp_chain *chain, bool *out, sp_error *err)
{
    const int32_t M = chain->n_states;
    uint8_t *is_seen = sp_calloc(M, 1);
    int32_t *queue = sp_calloc(M, sizeof *queue), n = 0;
    bool has_left = false;
    *out = false;
    for (int32_t j = 0; is_seen && queue && j < M; j++)
        if (chain->start[j] > -INFINITY) {
            is_seen[j] = 1;
            queue[n++] = j;
        }
    for (int32_t at = 0; is_seen && queue && at < n; at++) {
        const int32_t i = queue[at];
        *out |= chain->end[i] > -INFINITY;
        for (const sp_chain *c = chain; c; c = c->across)
            for (int64_t s = c->succ_row[i]; s < c->succ_row[i + 1]; s++)
                if (!is_seen[c->succ[s]]) {
                    is_seen[c->succ[s]] = 1;
                    queue[n++] = c->succ[s];
                }
        for (int32_t j = 0; !chain->across && !has_left && sp_chain_leave(chain, i) > -INFINITY && j < M; j++)
            if (chain->entry[j] && !is_seen[j]) {
                is_seen[j] = 1;
                queue[n++] = j;
            }
        has_left |= sp_chain_leave(chain, i) > -INFINITY;
    }
    const sp_status status = is_seen && queue ? SP_OK : sp_no_memory(err);
    free(is_seen);
    free(queue);
    return status;
}

/* With all its rules. *is_empty: no path keeps them; *out is NULL then. */
static sp_status compile_rules(const sp_model *model, const sp_chain_options *options, sp_chain **out,
                               bool *is_empty, sp_error *err)
{
    sp_chain_options as_declared = *options;
    sp_product product;
    sp_status status = SP_OK;
    *out = NULL;
    as_declared.transition_weight = 1;
    TRY(sp_product_make(&product, model, options, err));
    *is_empty = product.is_empty;
    if (product.is_empty)
        goto done;
    TRY(compile(&product.model, &product.gaps, &as_declared, out, err));
    if ((*out)->n_states > options->max_states)
        TRY(sp_fail(err, SP_EMODEL,
                    "model %s: its durations make the %d states that it has with its rules into %d, more "
                    "than %lld; shorten them, or "
                    "allow more states (`max_states`)",
                    model->name, (int)product.model.n_states, (int)(*out)->n_states,
                    (long long)options->max_states));
    for (int32_t s = 0; s < (*out)->n_states; s++)
        (*out)->declared[s] = product.declared[(*out)->declared[s]];
    TRY(find_path(*out, is_empty, err));
    *is_empty = !*is_empty;
    TRY(keep_rules(model, &product, options, *out, err));
done:
    if (status != SP_OK || *is_empty) {
        sp_chain_free(*out);
        *out = NULL;
    }
    sp_product_clear(&product);
    return status;
}

static sp_status is_empty_with(void *arg, const sp_model *model, bool *out, sp_error *err)
{
    sp_chain *chain;
    const sp_status status = compile_rules(model, arg, &chain, out, err);
    sp_chain_free(chain);
    return status;
}

sp_status sp_chain_new(const sp_model *model, const sp_chain_options *options, sp_chain **out, sp_error *err)
{
    sp_chain_options own = options ? *options : sp_chain_options_default();
    sp_chain *chain = NULL;
    bool is_empty = false;
    sp_status status = SP_OK;
    if (own.max_states <= 0)
        own.max_states = sp_chain_options_default().max_states;
    if (!isfinite(own.transition_weight))
        return sp_fail(err, SP_EINVAL,
                       "transition weight %g: it multiplies log weights and must be a finite number",
                       own.transition_weight);
    TRY(sp_model_check(model, err));
    if (model->n_rules == 0 || own.without_rules)
        return compile(model, NULL, &own, out, err);
    TRY(compile_rules(model, &own, &chain, &is_empty, err));
    TRY(is_empty ? sp_product_blame(model, is_empty_with, &own, err) : SP_OK);
    TRY(keep_matrix(model, &own, chain, err));
    *out = chain;
    chain = NULL;
done:
    sp_chain_free(chain);
    return status;
}
