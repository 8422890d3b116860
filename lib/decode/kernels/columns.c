#include "decode/kernels/columns.h"

#include "decode/kernels/sparse.h"

bool sp_column_is_same(const sp_chain *c, int32_t state, int32_t other)
{
    const int64_t n = c->pred_row[state + 1] - c->pred_row[state], a = c->pred_row[state],
                  b = c->pred_row[other];
    bool is_same = c->pred_row[other + 1] - b == n;
    for (int64_t p = 0; p < n && is_same; p++)
        is_same = c->pred[a + p] == c->pred[b + p] && c->pred_weight[a + p] == c->pred_weight[b + p];
    return is_same;
}

bool sp_columns_find(sp_columns *columns, const sp_chain *chain, int64_t most, sp_scratch *scratch)
{
    int64_t n_edges = 0;
    int32_t n = 0;
    columns->n = 0;
    columns->of = sp_scratch_get(scratch, (size_t)chain->n_states, sizeof *columns->of);
    if (!columns->of)
        return false;
    for (int32_t j = 0; j < chain->n_states; j++) {
        int32_t c = 0;
        while (c < n && !sp_column_is_same(chain, columns->head[c], j))
            c++;
        columns->of[j] = c;
        if (c < n)
            continue;
        n_edges += sp_sparse_length(chain, j);
        if (n == SP_COLUMNS_MOST || n_edges > most)
            return true;
        columns->head[n++] = j;
    }
    columns->n = n;
    return true;
}
