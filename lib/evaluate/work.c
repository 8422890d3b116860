#include "evaluate/work.h"

#include <string.h>

#include "evaluate/evaluate.h"

/* THE table of presets. Of actions the marks are the classes without an action in GTEA, Breakfast and 50 Salads; the published
 * script leaves out "background" alone. */
static const sp_work_row rows[SP_N_WORKS] = {
    [SP_WORK_STEPS] = {.name = "none"},
    [SP_WORK_SLEEP] = {.name = "sleep"},
    [SP_WORK_TAGS] = {.name = "tags", .leads = {{"entity_f1", "Entity F1"}}},
    [SP_WORK_ACTIONS] = {.name = "actions",

                         .leads = {{"f1_at_50", "F1@50"}, {"edit_score", "Edit score"}},
                         .marks = {"background", "SIL", "action_start"},
                         .background = {"background"}},
};

const sp_work_row *sp_work_about(sp_work work)
{
    return &rows[work];
}

sp_work sp_work_find(const char *name)
{
    int work = 0;
    while (work < SP_N_WORKS && strcmp(rows[work].name, name) != 0)
        work++;
    return (sp_work)work;
}

static bool has_mark(const sp_work_row *row, int32_t n_classes, const char *const *classes)
{
    for (const char *const *mark = row->marks; *mark; mark++)
        for (int32_t k = 0; k < n_classes; k++)
            if (strcmp(classes[k], *mark) == 0)
                return true;
    return false;
}

sp_work sp_work_guess(bool is_sleep, int32_t n_classes, const char *const *classes)
{
    if (is_sleep)
        return SP_WORK_SLEEP;
    if (sp_classes_are_tags(n_classes, classes))
        return SP_WORK_TAGS;
    for (int work = 0; work < SP_N_WORKS; work++)
        if (has_mark(&rows[work], n_classes, classes))
            return (sp_work)work;
    return SP_WORK_STEPS;
}
