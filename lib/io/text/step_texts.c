#include "io/text/step_texts.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "core/try.h"
#include "io/text/text_read.h"
#include "io/text/texts.h"

typedef struct reader {
    const char *file;
    int64_t n;
    const char *const *ids;
    const int64_t *offsets;
    sp_step_texts *out;
    sp_names number; /* of an id */
    sp_error *err;
} reader;

void sp_step_texts_free(sp_step_texts *texts)
{
    if (!texts)
        return;
    for (int64_t n = 0; texts->texts && n < texts->n; n++)
        free(texts->texts[n]);
    free(texts->texts);
    free(texts->start);
    free(texts->end);
    free(texts);
}

/* Past n characters, or to the end of the text; *n becomes how many these were. */
static const char *go_on(const char *at, int64_t *n)
{
    int64_t done = 0;
    while (done < *n && *at) {
        at++;
        while (((unsigned char)*at & 0xC0) == 0x80)
            at++;
        done++;
    }
    *n = done;
    return at;
}

int64_t sp_step_texts_cut(const sp_step_texts *texts, int64_t n, int64_t start, int64_t end, const char **at)
{
    int64_t length = end - start;
    *at = go_on(texts->texts[n], &start);
    return go_on(*at, &length) - *at;
}

static bool is_blank(char c)
{
    return c != '\0' && strchr(" \t\r\n\v\f", c) != NULL;
}

/* The words of the recording's text are its tokens. */
static sp_status find_words(const reader *r, int64_t n)
{
    const int64_t T = r->offsets[n + 1] - r->offsets[n];
    int64_t *start = r->out->start + r->offsets[n], *end = r->out->end + r->offsets[n], words = 0, place = 0;
    for (const char *at = r->out->texts[n]; *at;) {
        int64_t one = 1;
        const bool is_first = !is_blank(*at) && (place == 0 || is_blank(at[-1]));
        words += is_first;
        if (is_first && words <= T)
            start[words - 1] = place;
        if (!is_blank(*at) && words <= T)
            end[words - 1] = place + 1;
        at = go_on(at, &one);
        place++;
    }
    return words == T
               ? SP_OK
               : sp_fail(
                     r->err, SP_EDATA,
                     "%s: the text of %s has %lld words between blanks, and the scores have %lld steps; say "
                     "where in the "
                     "text each step stands: a JSON file {\"text\": ..., \"offset_mapping\": [[0, 4], ...]}",
                     r->file, r->ids[n], (long long)words, (long long)T);
}

/* ---- JSON ---- */

static bool read_place(const json_t *pair, int64_t *start, int64_t *end)
{
    const json_t *a = json_array_get(pair, 0), *b = json_array_get(pair, 1);
    if (json_array_size(pair) != 2 || !json_is_integer(a) || !json_is_integer(b))
        return false;
    *start = json_integer_value(a);
    *end = json_integer_value(b);
    return true;
}

static sp_status read_places(const reader *r, int64_t n, const json_t *list)
{
    const int64_t T = r->offsets[n + 1] - r->offsets[n];
    int64_t letters = INT64_MAX, before = 0, *last_end = T > 0 ? &r->out->end[r->offsets[n] + T - 1] : NULL;
    (void)go_on(r->out->texts[n], &letters);
    if ((int64_t)json_array_size(list) < T)
        return sp_fail(r->err, SP_EDATA,
                       "%s: offset_mapping of %s has %lld tokens, and the scores have %lld steps", r->file,
                       r->ids[n], (long long)json_array_size(list), (long long)T);
    for (int64_t t = 0; t < (int64_t)json_array_size(list); t++) {
        int64_t start, end;
        if (!read_place(json_array_get(list, (size_t)t), &start, &end))
            return sp_fail(
                r->err, SP_EDATA,
                "%s: offset_mapping of %s, token %lld: is no pair of whole numbers, such as [0, 4]", r->file,
                r->ids[n], (long long)t);
        if (start < 0 || end < start || end > letters)
            return sp_fail(r->err, SP_EDATA,
                           "%s: offset_mapping of %s, token %lld: [%lld, %lld] is no part of its text of "
                           "%lld characters",
                           r->file, r->ids[n], (long long)t, (long long)start, (long long)end,
                           (long long)letters);
        const bool is_piece =
            t >= T && last_end && *last_end > 0 && start == *last_end; /* of the last word */
        if (is_piece)
            *last_end = end;
        if (t >= T && end > start && !is_piece)
            return sp_fail(
                r->err, SP_EDATA,
                "%s: offset_mapping of %s has a token %lld in the text, and the scores have %lld steps",
                r->file, r->ids[n], (long long)t, (long long)T);
        if (t >= T || end == start)
            continue;
        if (start < before)
            return sp_fail(r->err, SP_EDATA,
                           "%s: offset_mapping of %s, token %lld: begins at %lld, before the token before it",
                           r->file, r->ids[n], (long long)t, (long long)start);
        before = start;
        r->out->start[r->offsets[n] + t] = start;
        r->out->end[r->offsets[n] + t] = end;
    }
    return SP_OK;
}

static sp_status find_recording(const reader *r, const json_t *id, int64_t *next, int64_t *out)
{
    char number[32];
    const char *name = json_string_value(id);
    if (json_is_integer(id)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
        name = number;
    }
    *out = !id ? (*next)++ : name ? sp_names_find(&r->number, name) : -1;
    if (*out < 0)
        return sp_fail(r->err, SP_EDATA, "%s: id \"%s\" is no recording of the scores, whose first is \"%s\"",
                       r->file, name ? name : "", r->n > 0 ? r->ids[0] : "");
    if (*out >= r->n)
        return sp_fail(r->err, SP_EDATA, "%s: has more texts than there are recordings, %lld", r->file,
                       (long long)r->n);
    if (r->out->texts[*out])
        return sp_fail(r->err, SP_EDATA, "%s: has two texts of recording %s", r->file, r->ids[*out]);
    return SP_OK;
}

static sp_status read_object(const reader *r, const json_t *object, int64_t *next)
{
    const json_t *text = json_object_get(object, "text"), *places = json_object_get(object, "offset_mapping");
    int64_t n;
    if (!json_is_string(text) || (places && !json_is_array(places)))
        return sp_fail(r->err, SP_EDATA,
                       "%s: an object {\"text\": \"...\", \"offset_mapping\": [[0, 4], ...]} is needed for "
                       "each recording",
                       r->file);
    sp_status status = find_recording(r, json_object_get(object, "id"), next, &n);
    if (status != SP_OK)
        return status;
    if (!(r->out->texts[n] = strdup(json_string_value(text))))
        return sp_no_memory(r->err);
    return places ? read_places(r, n, places) : find_words(r, n);
}

/* Objects one after the other, or lists of them. */
static sp_status read_json(const reader *r, const char *text)
{
    json_error_t fault;
    int64_t next = 0;
    sp_status status = SP_OK;
    while (status == SP_OK && text[strspn(text, " \t\r\n")]) {
        json_t *value = json_loads(text, JSON_DISABLE_EOF_CHECK, &fault);
        if (!value)
            return json_error_code(&fault) == json_error_out_of_memory
                       ? sp_no_memory(r->err)
                       : sp_fail(r->err, SP_EDATA, "%s: is no JSON: %s", r->file, fault.text);
        const size_t many = json_array_size(value);
        for (size_t i = 0; status == SP_OK && i < (json_is_array(value) ? many : 1); i++)
            status = read_object(r, json_is_array(value) ? json_array_get(value, i) : value, &next);
        text += fault.position;
        json_decref(value);
    }
    return status;
}

/* ---- plain texts ---- */

static sp_status read_plain(const reader *r, const char *text)
{
    sp_status status = SP_OK;
    for (int64_t n = 0; status == SP_OK && n < r->n; n++) {
        const size_t length = r->n == 1 ? strlen(text) : strcspn(text, "\n");
        if (!*text && r->n > 1)
            return sp_fail(r->err, SP_EDATA,
                           "%s: has %lld lines, and there are %lld recordings; write a line for each",
                           r->file, (long long)n, (long long)r->n);
        if (!(r->out->texts[n] = strndup(text, length)))
            return sp_no_memory(r->err);
        status = find_words(r, n);
        text += length + (text[length] == '\n');
    }
    return status != SP_OK || r->n == 1 || !text[strspn(text, " \t\r\n")]
               ? status
               : sp_fail(r->err, SP_EDATA, "%s: has more lines than there are recordings, %lld", r->file,
                         (long long)r->n);
}

sp_status sp_step_texts_read(const char *file, int64_t n, const char *const *ids, const int64_t *offsets,
                             sp_step_texts **out, sp_error *err)
{
    const size_t S = (size_t)offsets[n];
    char *text = NULL;
    sp_step_texts *made = calloc(1, sizeof *made);
    reader r = {.file = file, .n = n, .ids = ids, .offsets = offsets, .out = made, .err = err};
    sp_status status = SP_OK;
    TRY(made ? SP_OK : sp_no_memory(err));
    *made = (sp_step_texts){.texts = calloc((size_t)n + 1, sizeof *made->texts),
                            .start = calloc(S + 1, sizeof *made->start),
                            .end = calloc(S + 1, sizeof *made->end),
                            .n = n};
    TRY(made->texts && made->start && made->end ? sp_text_read(file, "a text", &text, err)
                                                : sp_no_memory(err));
    TRY(sp_names_init(&r.number, n) == SP_OK ? SP_OK : sp_no_memory(err));
    for (int64_t i = 0; i < n; i++)
        sp_names_add(&r.number, ids[i], (int32_t)i);
    TRY(sp_file_has_ending(file, ".json .jsonl .ndjson") ? read_json(&r, text) : read_plain(&r, text));
    for (int64_t i = 0; i < n; i++)
        if (!made->texts[i])
            TRY(sp_fail(err, SP_EDATA, "%s: has no text of recording %s", file, ids[i]));
    *out = made;
    made = NULL;
done:
    sp_names_clear(&r.number);
    free(text);
    sp_step_texts_free(made);
    return status;
}
