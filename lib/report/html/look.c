#include "report/html/look.h"

#include <stdlib.h>

#include "sleep/stages.h"

/* By stage: its style, and its place from the top of a hypnogram. */
static const struct {
    const char *style;
    int32_t rank;
} stages[SP_N_STAGES] = {{"wake", 0}, {"n1", 2}, {"n2", 3}, {"n3", 4}, {"rem", 1}};

bool sp_class_look_fill(const char *const *classes, int32_t n_classes, sp_class_look *look)
{
    size_t n = (size_t)n_classes;
    *look = (sp_class_look){.rank = malloc(n * sizeof *look->rank), .names = calloc(n, sizeof *look->names)};
    if (!look->rank || !look->names) {
        sp_class_look_free(look);
        return false;
    }
    bool is_sleep = n > 1, has_wake = false;
    for (size_t k = 0; k < n; k++) {
        const sp_stage_name *found = sp_stage_name_find(classes[k]);
        if (found) {
            look->names[k] = stages[found->drawn].style;
            look->rank[k] = stages[found->drawn].rank;
            has_wake |= found->drawn == SP_STAGE_WAKE;
        }
        is_sleep &= look->names[k] != NULL;
    }
    look->sleep = is_sleep && has_wake ? (const char *const *)look->names : NULL;
    for (size_t k = 0; k < n && !look->sleep; k++)
        look->rank[k] = (int32_t)k;
    return true;
}

void sp_class_look_free(sp_class_look *look)
{
    free(look->rank);
    free(look->names);
    *look = (sp_class_look){0};
}

void sp_class_style(sp_buffer *out, const sp_class_look *look, char use, int32_t k)
{
    if (look->sleep)
        sp_buffer_format(out, "%c-%s", use, look->sleep[k]);
    else
        sp_buffer_format(out, "%c%d", use, (int)k % 8);
}
