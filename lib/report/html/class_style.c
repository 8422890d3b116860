#include "report/html/class_style.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static const struct {
    const char *name, *style;
    int32_t rank;
} stages[] = {{"Wake", "wake", 0}, {"W", "wake", 0}, {"REM", "rem", 1}, {"R", "rem", 1},    {"N1", "n1", 2},
              {"N2", "n2", 3},     {"N3", "n3", 4},  {"NREM", "n2", 3}, {"Light", "n1", 2}, {"Deep", "n3", 4}};

bool sp_class_style_fill(const char *const *classes, int32_t n_classes, sp_class_style *style)
{
    size_t n = (size_t)n_classes;
    *style = (sp_class_style){.rank = malloc(n * sizeof *style->rank), .names = calloc(n, sizeof *style->names)};
    if (!style->rank || !style->names) {
        sp_class_style_free(style);
        return false;
    }
    bool is_sleep = n > 1, has_wake = false;
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
            if (!strcasecmp(classes[k], stages[i].name)) {
                style->names[k] = stages[i].style;
                style->rank[k] = stages[i].rank;
                has_wake |= stages[i].rank == 0;
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
        snprintf(name.text, sizeof name.text, "%c%d", use, (int)k % 8);
    return name;
}
