#include "report/html/look.h"

#include <stdlib.h>
#include <strings.h>

static const struct {
    const char *name, *style;
    int32_t rank;
} stages[] = {{"Wake", "wake", 0}, {"W", "wake", 0}, {"REM", "rem", 1}, {"R", "rem", 1},    {"N1", "n1", 2},
              {"N2", "n2", 3},     {"N3", "n3", 4},  {"NREM", "n2", 3}, {"Light", "n1", 2}, {"Deep", "n3", 4}};

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
        for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
            if (!strcasecmp(classes[k], stages[i].name)) {
                look->names[k] = stages[i].style;
                look->rank[k] = stages[i].rank;
                has_wake |= stages[i].rank == 0;
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
