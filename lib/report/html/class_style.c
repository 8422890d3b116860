#include "report/html/class_style.h"

#include <stdio.h>
#include <stdlib.h>

#include "sleep/stages.h"

/* By stage: its style, and its place from the top of a hypnogram. */
static const struct {
    const char *style;
    int32_t rank;
} stages[SP_N_STAGES] = {{"wake", 0}, {"n1", 2}, {"n2", 3}, {"n3", 4}, {"rem", 1}};

bool sp_class_style_fill(const char *const *classes, int32_t n_classes, sp_class_style *style)
{
    size_t n = (size_t)n_classes;
    *style =
        (sp_class_style){.rank = malloc(n * sizeof *style->rank), .names = calloc(n, sizeof *style->names)};
    if (!style->rank || !style->names) {
        sp_class_style_free(style);
        return false;
    }
    bool is_sleep = n > 1, has_wake = false;
    for (size_t k = 0; k < n; k++) {
        const sp_stage_name *found = sp_stage_name_find(classes[k]);
        if (found) {
            style->names[k] = stages[found->drawn].style;
            style->rank[k] = stages[found->drawn].rank;
            has_wake |= found->drawn == SP_STAGE_WAKE;
        }
        is_sleep &= style->names[k] != NULL;
    }
    style->sleep = is_sleep && has_wake ? (const char *const *)style->names : NULL;
    for (size_t k = 0; k < n && !style->sleep; k++)
        style->rank[k] = (int32_t)k;
    return true;
}

void sp_class_style_free(sp_class_style *style)
{
    free(style->rank);
    free(style->names);
    *style = (sp_class_style){0};
}

sp_style_name sp_class_style_name(const sp_class_style *style, char use, int32_t k)
{
    sp_style_name name;
    if (style->sleep)
        snprintf(name.text, sizeof name.text, "%c-%s", use, style->sleep[k]);
    else
        snprintf(name.text, sizeof name.text, "%c%d", use, (int)k % SP_CLASS_COLOURS);
    return name;
}
