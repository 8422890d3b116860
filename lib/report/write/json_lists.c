/* Small pieces of the JSON: lists of names and of pairs, matrices, lengths of runs. */
#include "report/write/json_tree.h"

void sp_json_names(sp_json in, const char *key, int32_t n, char *const *names)
{
    const sp_json list = sp_json_array(in, key);
    for (int32_t i = 0; names && i < n; i++)
        sp_json_text(list, NULL, names[i]);
}

void sp_json_classes(sp_json in, const char *key, const sp_comparison *c, const uint8_t *among)
{
    const sp_json list = sp_json_array(in, key);
    for (int32_t k = 0; among && k < c->n_classes; k++)
        if (among[k])
            sp_json_text(list, NULL, c->classes[k]);
}

void sp_json_matrix(sp_json in, const char *key, size_t n, const int64_t *counts)
{
    const sp_json rows = sp_json_array(in, key);
    for (size_t i = 0; i < n; i++) {
        const sp_json row = sp_json_array(rows, NULL);
        for (size_t j = 0; j < n; j++)
            sp_json_count(row, NULL, counts[i * n + j]);
    }
}

void sp_json_pairs(sp_json in, const char *key, const sp_comparison *c, const sp_pair_count *pairs, int64_t n,
                   bool with_count)
{
    const sp_json list = sp_json_array(in, key);
    for (int64_t i = 0; i < n; i++) {
        const sp_json pair = with_count ? sp_json_object(list, NULL) : sp_json_array(list, NULL);
        sp_json_text(pair, with_count ? "from" : NULL, c->classes[pairs[i].from]);
        sp_json_text(pair, with_count ? "to" : NULL, c->classes[pairs[i].to]);
        if (with_count)
            sp_json_count(pair, "count", pairs[i].count);
    }
}

void sp_json_lengths(sp_json in, const char *key, const sp_class_runs *runs)
{
    const sp_json list = sp_json_array(in, key);
    for (int64_t i = 0; i < runs->n_lengths; i++) {
        const sp_json pair = sp_json_array(list, NULL);
        sp_json_count(pair, NULL, runs->lengths[i].length);
        sp_json_count(pair, NULL, runs->lengths[i].count);
    }
}
