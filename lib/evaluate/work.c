#include "evaluate/work.h"

#include <stdio.h>
#include <string.h>

#include "evaluate/evaluate.h"

/* THE table of presets. Of actions the marks are the classes without an action in GTEA, Breakfast and 50 Salads; the published
 * script leaves out "background" alone. */
static const sp_work_row rows[SP_N_WORKS] = {
    [SP_WORK_STEPS] = {.name = "none"},
    [SP_WORK_SLEEP] = {.name = "sleep", .unit = "night/epoch", .first = 1},
    [SP_WORK_TAGS] = {.name = "tags", .unit = "sentence/token", .leads = {"entity_f1"}, .tune = "entity_f1"},
    [SP_WORK_ACTIONS] = {.name = "actions",
                         .unit = "video/frame",
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
    return words && words->text[word][0] ? words->text[word] : usual[word];
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters, with a hyphen or a space between them. */
static bool copy_word(const char *from, size_t n, char to[SP_MOST_WORD])
{
    if (n == 0 || n >= SP_MOST_WORD || !is_letter(from[0]) || !is_letter(from[n - 1]))
        return false;
    for (size_t i = 1; i < n; i++)
        if (!is_letter(from[i]) && !((from[i] == '-' || from[i] == ' ') && is_letter(from[i - 1])))
            return false;
    memcpy(to, from, n);
    to[n] = '\0';
    return true;
}

/* "night" to "nights", "story" to "stories", "batch" to "batches", but "epoch" to "epochs". */
static bool make_plural(const char *one, char many[SP_MOST_WORD])
{
    const size_t n = strlen(one);
    const char last = one[n - 1];
    char before = '\0';
    if (n > 1)
        before = one[n - 2];
    const bool is_y = last == 'y' && !strchr("aeiou", before);
    const bool is_ch = last == 'h' && before == 'c' && n > 2 && strchr("tnr", one[n - 3]);
    const bool hisses = last == 's' || last == 'x' || last == 'z' || (last == 'h' && before == 's') || is_ch;
    const int length = snprintf(many, SP_MOST_WORD, "%.*s%s", (int)(is_y ? n - 1 : n), one,
                                is_y     ? "ies"
                                : hisses ? "es"
                                         : "s");
    return length < SP_MOST_WORD;
}

/* "night", or "series:series" with its plural. */
static bool read_word(const char *from, size_t n, char one[SP_MOST_WORD], char many[SP_MOST_WORD])
{
    const char *colon = memchr(from, ':', n);
    const size_t n_one = colon ? (size_t)(colon - from) : n;
    if (!copy_word(from, n_one, one))
        return false;
    return colon ? copy_word(colon + 1, n - n_one - 1, many) : make_plural(one, many);
}

sp_status sp_words_read(const char *unit, sp_words *out, sp_error *err)
{
    sp_words words = {0};
    const char *slash = unit ? strchr(unit, '/') : NULL;
    if (unit &&
        (!slash ||
         !read_word(unit, (size_t)(slash - unit), words.text[SP_RECORDING], words.text[SP_RECORDINGS]) ||
         !read_word(slash + 1, strlen(slash + 1), words.text[SP_STEP], words.text[SP_STEPS])))
        return sp_fail(err, SP_EINVAL,
                       "`unit` %s: it is what one recording and one step are called, such as night/epoch, in "
                       "letters, each word "
                       "shorter than %d; a plural may follow: series:series/sample",
                       unit, SP_MOST_WORD - 2);
    *out = words;
    return SP_OK;
}
