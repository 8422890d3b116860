/* Small pieces of the JSON: texts, counts, lists of names and of pairs, matrices, lengths of runs. */
#include "report/write/json_tree.h"

void sp_json_set_text(json_t *object, const char *key, const char *text, bool *failed)
{
    sp_json_set(object, key, sp_json_text(text, failed), failed);
}

void sp_json_set_count(json_t *object, const char *key, int64_t n, bool *failed)
{
    sp_json_set(object, key, json_integer(n), failed);
}

json_t *sp_json_figures(sp_figure_scope scope, const void *own, const sp_strategy_result *s, const sp_comparison *c, bool *failed)
{
    json_t *object = json_object();
    sp_json_set_figures(object, scope, &(sp_figure_owner){.own = own, .strategy = s, .comparison = c}, failed);
    return object;
}

json_t *sp_json_names(int32_t n, char *const *names, bool *failed)
{
    json_t *list = json_array();
    for (int32_t i = 0; names && i < n; i++)
        sp_json_append(list, sp_json_text(names[i], failed), failed);
    return list;
}

json_t *sp_json_matrix(size_t n, const int64_t *counts, bool *failed)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < n; j++)
            sp_json_append(row, json_integer(counts[i * n + j]), failed);
        sp_json_append(rows, row, failed);
    }
    return rows;
}

json_t *sp_json_pairs(const sp_comparison *c, const sp_pair_count *pairs, int64_t n, bool with_count, bool *failed)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++) {
        json_t *from = sp_json_text(c->classes[pairs[i].from], failed), *to = sp_json_text(c->classes[pairs[i].to], failed);
        json_t *pair = with_count ? json_object() : json_array();
        if (with_count) {
            sp_json_set(pair, "from", from, failed);
            sp_json_set(pair, "to", to, failed);
            sp_json_set_count(pair, "count", pairs[i].count, failed);
        } else {
            sp_json_append(pair, from, failed);
            sp_json_append(pair, to, failed);
        }
        sp_json_append(list, pair, failed);
    }
    return list;
}

json_t *sp_json_lengths(const sp_class_runs *runs, bool *failed)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < runs->n_lengths; i++) {
        json_t *pair = json_array();
        sp_json_append(pair, json_integer(runs->lengths[i].length), failed);
        sp_json_append(pair, json_integer(runs->lengths[i].count), failed);
        sp_json_append(list, pair, failed);
    }
    return list;
}
