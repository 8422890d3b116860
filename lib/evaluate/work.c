#include "evaluate/work.h"

#include <string.h>

#include "evaluate/evaluate.h"

/* THE table of presets. Of actions the marks are the classes without an action in GTEA, Breakfast and 50 Salads; the published
 * script leaves out "background" alone. */
static const sp_work_row rows[SP_N_WORKS] = {
    [SP_WORK_STEPS] = {.name = "none"},
    [SP_WORK_SLEEP] = {.name = "sleep",
                       .words = {.text = {"night", "nights", "epoch", "epochs"}},
                       .first = 1},
    [SP_WORK_TAGS] = {.name = "tags",
                      .words = {.text = {"sentence", "sentences", "token", "tokens"}},
                      .leads = {"entity_f1"},
                      .tune = "entity_f1"},
    [SP_WORK_ACTIONS] = {.name = "actions",
                         .words = {.text = {"video", "videos", "frame", "frames"}},
                         .leads = {"f1_at_50", "edit_score"},
                         .marks = {"background", "SIL", "action_start"},
                         .background = {"background"},
                         .tune = "segments"},
};

const sp_work_row *sp_work_about(sp_work work)
{
    return &rows[work];
}

int64_t sp_step_number(sp_work work, int64_t step)
{
    return step + rows[work].first;
}

static bool has_mark(const sp_work_row *row, int32_t n_classes, const char *const *classes)
{
    for (const char *const *mark = row->marks; *mark; mark++)
        for (int32_t k = 0; k < n_classes; k++)
            if (strcmp(classes[k], *mark) == 0)
                return true;
    return false;
}

sp_status sp_work_guess(bool is_sleep, int32_t n_classes, const char *const *classes, sp_work *out,
                        sp_error *err)
{
    bool are_tags = false;
    *out = SP_WORK_SLEEP;
    if (is_sleep)
        return SP_OK;
    const sp_status status = sp_classes_are_tags(n_classes, classes, &are_tags, err);
    *out = are_tags ? SP_WORK_TAGS : SP_WORK_STEPS;
    for (int work = 0; work < SP_N_WORKS && !are_tags; work++)
        if (has_mark(&rows[work], n_classes, classes)) {
            *out = (sp_work)work;
            break;
        }
    return status;
}

/* ---- what recordings and steps are called ---- */

const char *sp_word_of(const sp_words *words, sp_word word)
{
    static const char *const usual[SP_N_WORDS] = {"recording", "recordings", "step", "steps"};
    return words && words->text[word] ? words->text[word] : usual[word];
}
