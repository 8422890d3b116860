#include "evaluate/statistics/count_rows.h"

#include "core/owned.h"

bool sp_count_rows_add(sp_count_rows *r, uint32_t slot, int64_t count)
{
    while (count > 0) {
        if (r->n_counts == r->capacity) {
            int64_t room = 2 * r->capacity + 64;
            bool is_whole = true;
            r->slots = sp_grown(r->slots, room, sizeof *r->slots, &is_whole);
            r->counts = sp_grown(r->counts, room, sizeof *r->counts, &is_whole);
            if (!is_whole)
                return false;
            r->capacity = room;
        }
        uint32_t part = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
        r->slots[r->n_counts] = slot;
        r->counts[r->n_counts++] = part;
        count -= part;
    }
    return true;
}

bool sp_count_rows_end(sp_count_rows *r)
{
    if (r->n + 2 > r->row_capacity) {
        int64_t room = 2 * r->row_capacity + 16;
        bool is_whole = true;
        r->offsets = sp_grown(r->offsets, room, sizeof *r->offsets, &is_whole);
        if (!is_whole)
            return false;
        r->row_capacity = room;
    }
    r->offsets[0] = 0;
    r->offsets[++r->n] = r->n_counts;
    return true;
}

void sp_count_rows_free(sp_count_rows *r)
{
    free(r->offsets);
    free(r->slots);
    free(r->counts);
    *r = (sp_count_rows){0};
}

sp_clusters sp_count_rows_view(const sp_count_rows *r, int32_t width)
{
    static const int64_t none[1] = {0};
    return (sp_clusters){.n = r->n,
                         .width = width,
                         .offsets = r->offsets ? r->offsets : none,
                         .slots = r->slots,
                         .counts = r->counts};
}

bool sp_clusters_group(const sp_clusters *c, int64_t n_groups, const int64_t *group, sp_count_rows *out)
{
    size_t n_counts = (size_t)c->offsets[c->n] + 1;
    int64_t *offsets = calloc((size_t)n_groups + 2, sizeof *offsets);
    *out = (sp_count_rows){.n = n_groups,
                           .offsets = offsets,
                           .slots = malloc(n_counts * sizeof *out->slots),
                           .counts = malloc(n_counts * sizeof *out->counts)};
    if (!offsets || !out->slots || !out->counts)
        return false;
    for (int64_t i = 0; i < c->n; i++)
        offsets[group[i] + 2] += c->offsets[i + 1] - c->offsets[i];
    for (int64_t g = 0; g < n_groups; g++)
        offsets[g + 2] += offsets[g + 1];
    for (int64_t i = 0; i < c->n; i++) {
        int64_t *end = &offsets[group[i] + 1]; /* becomes the offset of the next group */
        for (int64_t j = c->offsets[i]; j < c->offsets[i + 1]; j++, ++*end) {
            out->slots[*end] = c->slots[j];
            out->counts[*end] = c->counts[j];
        }
    }
    return true;
}
