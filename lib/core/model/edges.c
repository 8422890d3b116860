#include "core/model/edges.h"
#include "core/try.h"

#include <assert.h>
#include <stdlib.h>

sp_status sp_edges_init(sp_edges *edges, int32_t n_states, sp_error *err)
{
    *edges = (sp_edges){.n_states = n_states, .capacity = (int64_t)n_states * 4};
    edges->row = malloc(((size_t)n_states + 1) * sizeof *edges->row);
    edges->to = malloc((size_t)edges->capacity * sizeof *edges->to);
    if (edges->row && edges->to) {
        edges->row[0] = 0;
        return SP_OK;
    }
    sp_edges_clear(edges);
    return sp_no_memory(err);
}

void sp_edges_clear(sp_edges *edges)
{
    free(edges->row);
    free(edges->to);
    *edges = (sp_edges){0};
}

sp_status sp_edges_add(sp_edges *edges, const uint8_t *allowed, sp_error *err)
{
    assert(edges->n_rows < edges->n_states);
    int64_t n = edges->row[edges->n_rows];
    if (n + edges->n_states > edges->capacity) {
        int64_t capacity =
            edges->capacity * 2 > n + edges->n_states ? edges->capacity * 2 : n + edges->n_states;
        int32_t *to = realloc(edges->to, (size_t)capacity * sizeof *to);
        if (!to)
            return sp_no_memory(err);
        edges->to = to;
        edges->capacity = capacity;
    }
    for (int32_t j = 0; j < edges->n_states; j++)
        if (allowed[j])
            edges->to[n++] = j;
    edges->row[++edges->n_rows] = n;
    return SP_OK;
}

void sp_edges_move(sp_edges *edges, sp_model *model)
{
    assert(edges->n_rows == edges->n_states && edges->n_states == model->n_states);
    free(model->row);
    free(model->to);
    free(model->weight);
    model->row = edges->row;
    model->to = edges->to;
    model->weight = NULL;
    *edges = (sp_edges){0};
}

sp_status sp_edges_fill(sp_model *model, sp_edge_may *may, const void *arg, sp_error *err)
{
    const int32_t n = model->n_states;
    sp_edges edges = {0};
    uint8_t *allowed = malloc((size_t)n);
    sp_status status = SP_OK;
    if (!allowed)
        TRY(sp_no_memory(err));
    TRY(sp_edges_init(&edges, n, err));
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            allowed[j] = may(arg, i, j);
        TRY(sp_edges_add(&edges, allowed, err));
    }
    sp_edges_move(&edges, model);
done:
    sp_edges_clear(&edges);
    free(allowed);
    return status;
}
