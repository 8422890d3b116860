#include "io/text/label_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/names.h"
#include "core/try.h"
#include "sleep/stages.h"

sp_status sp_label_words_new(char *const *texts, int64_t n, const char *where, int32_t *index,
                             sp_label_words **out, sp_error *err)
{
    sp_names known = {0};
    sp_label_words *words = calloc(1, sizeof *words);
    sp_text_span *spans =
        malloc((size_t)(n < SP_LABEL_WORDS_MOST ? n + 1 : SP_LABEL_WORDS_MOST) * sizeof *spans);
    sp_status status = SP_OK;
    if (!words || !spans ||
        sp_names_init(&known, n < SP_LABEL_WORDS_MOST ? n + 1 : SP_LABEL_WORDS_MOST) != SP_OK)
        TRY(sp_no_memory(err));
    for (int64_t i = 0; i < n; i++) {
        int32_t found =
            i > 0 && strcmp(texts[i], texts[i - 1]) == 0 ? index[i - 1] : sp_names_find(&known, texts[i]);
        if (found < 0 && words->n == SP_LABEL_WORDS_MOST - 1)
            TRY(sp_fail(err, SP_EDATA,
                        "%s: holds more than %lld different words; labels are names of classes", where,
                        (long long)words->n));
        if (found < 0) {
            found = sp_names_add(&known, texts[i], (int32_t)words->n);
            spans[words->n++] = (sp_text_span){texts[i], strlen(texts[i])};
        }
        index[i] = found;
    }
    words->words = sp_texts_pack(spans, words->n);
    words->class_of = calloc((size_t)words->n + 1, sizeof *words->class_of);
    if (!words->words || !words->class_of)
        TRY(sp_no_memory(err));
    *out = words;
    words = NULL;
done:
    sp_names_clear(&known);
    free(spans);
    sp_label_words_free(words);
    return status;
}

void sp_label_words_free(sp_label_words *words)
{
    if (!words)
        return;
    free(words->words);
    free(words->class_of);
    free(words);
}

/* The column that has the model's class; without names of columns the class itself. */
static int32_t column_of(const sp_word_meaning *m, int32_t k)
{
    if (!m->classes)
        return k;
    for (int32_t c = 0; c < m->n_classes; c++)
        if (sp_model_class(m->model, m->classes[c], true) == k)
            return c;
    return SP_CODE_UNKNOWN;
}

static bool is_of_sleep(const sp_word_meaning *m)
{
    return (m->classes && sp_classes_are_stages(m->n_classes, m->classes)) ||
           (m->model && sp_classes_are_stages(m->model->n_classes, (const char *const *)m->model->classes));
}

int32_t sp_word_class(const char *word, const sp_word_meaning *m)
{
    if (m->codes)
        return sp_codes_text(m->codes, word);
    if (!*word || strcmp(word, "-1") == 0)
        return SP_CODE_UNSCORED;
    for (int32_t c = 0; m->classes && c < m->n_classes; c++)
        if (strcmp(m->classes[c], word) == 0)
            return c;
    const int32_t k = m->model ? sp_model_class(m->model, word, true) : -1;
    if (k >= 0)
        return column_of(m, k);
    return sp_is_unscored_word(word) && is_of_sleep(m) ? SP_CODE_UNSCORED : SP_CODE_UNKNOWN;
}

void sp_label_words_tell(sp_label_words *words, const sp_word_meaning *meaning)
{
    for (int64_t i = 0; i < words->n; i++)
        words->class_of[i] = sp_word_class(words->words[i], meaning);
}

const char *sp_label_words_explain(const char *word, const sp_word_meaning *m, char buffer[SP_CODES_SENTENCE])
{
    char list[300];
    if (m->codes)
        return sp_codes_explain(m->codes, word, buffer);
    if (!m->classes && !m->model) {
        snprintf(buffer, SP_CODES_SENTENCE,
                 "label \"%.60s\" is a word; a model says which class it is (`model` or `rules` M)", word);
        return buffer;
    }
    sp_name_list(list, sizeof list, m->classes ? m->n_classes : m->model->n_classes,
                 m->classes ? m->classes : (const char *const *)m->model->classes);
    snprintf(buffer, SP_CODES_SENTENCE,
             "label \"%.60s\" is no class; write one of %s, or nothing for an unscored step; `codes` or "
             "`map` reads the words of "
             "others",
             word, list);
    return buffer;
}
