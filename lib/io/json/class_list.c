#include "io/json/class_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/text/cells.h"
#include "io/text/table_columns.h"
#include "io/text/texts.h"
#include "json/json_read.h"

enum { MOST_CLASSES = 10000 };

/* Lines of a text, each a name as it stands. */
#define LINES(text)                                                                                          \
    {                                                                                                        \
        .at = (text), .delimiter = '\n', .is_plain = true, .next_line = 1                                    \
    }

/* The next line that is not blank, without blanks around it; NULL: there is none. */
static char *next_line(sp_cells *in)
{
    char *name = NULL;
    bool is_last;
    sp_cells_skip_empty_lines(in);
    in->line = in->next_line;
    if (*in->at)
        sp_cells_next(in, &name, &is_last);
    return name;
}

/* Where the name of a line begins, and its number; NULL: it is no number and a name. */
static const char *name_of(const char *line, int32_t *number)
{
    const size_t digits = strspn(line, "0123456789"), blanks = strspn(line + digits, " \t");
    if (digits == 0 || digits > 6 || blanks == 0 || !line[digits + blanks] ||
        strchr("\r\n", line[digits + blanks]))
        return NULL;
    *number = (int32_t)strtol(line, NULL, 10);
    return line + digits + blanks;
}

/* What id2label or label2id holds, alone in a file: numbers and names, the first key, or its value, is a
 * number. */
static bool is_bare(const char *text)
{
    text += strspn(text, " \t\r\n");
    const char *key = *text == '{' ? text + 1 + strspn(text + 1, " \t\r\n") : text, *value = strchr(key, ':');
    if (*text != '{' || *key != '"' || !value || strpbrk(key, "{["))
        return false;
    value += 1 + strspn(value + 1, " \t\r\n\"");
    const size_t digits = strspn(key + 1, "0123456789");
    return (digits > 0 && key[1 + digits] == '"') || strspn(value, "0123456789") > 0;
}

/* The configuration of a model of transformers, whose keys these are; or a list, which is refused with what
 * else to do. */
static bool is_config(const char *text)
{
    const char first = text[strspn(text, " \t\r\n")];
    const bool is_ours = strstr(text, "\"statepath_model\"");
    return !is_ours && (first == '[' || is_bare(text) ||
                        (first == '{' && (strstr(text, "\"id2label\"") || strstr(text, "\"label2id\""))));
}

/* Lines of text: two at least, and no JSON. */
static bool is_lines(const char *text)
{
    text += strspn(text, " \t\r\n");
    const char *end = text + strcspn(text, "\r\n");
    return *text && !strchr("{[", *text) && end[strspn(end, " \t\r\n")];
}

bool sp_class_list_is(const char *text)
{
    int32_t number;
    return is_config(text) || is_lines(text) || name_of(text + strspn(text, " \t\r\n"), &number) != NULL;
}

/* What a line is that is no number and name: the end of a sentence. */
static const char *mend_of(const char *line)
{
    const size_t digits = strspn(line, "0123456789"), n = strlen(line);
    size_t last = n;
    while (last > 0 && strchr("0123456789", line[last - 1]))
        last--;
    return *sp_line_mend(line)                   ? sp_line_mend(line)
           : strchr(line, '"')                   ? "; without quotes: tr -d '\"' < OLD > NEW"
           : strpbrk(line, ",:=;") && digits > 0 ? "; a blank parts them: tr ',:=;' ' ' < OLD > NEW"
           : last > 0 && last < n && strpbrk(line, " \t,:=;")
               ? "; the number comes first: awk -F'[[:blank:],:=;]+' "
                 "'{n = $NF; $NF = \"\"; print n, $0}' OLD > NEW"
           : digits == 0 && strpbrk(line, " \t") ? "; names of columns? delete the line"
           : digits == 0                         ? "; of names alone: nl -v 0 OLD > NEW"
                                                 : "";
}

/* names [n] point into the text, those that are missing stay NULL. */
static sp_status read_lines(char *text, const char *file, int32_t n, const char **names, sp_error *err)
{
    sp_cells in = LINES(text);
    for (const char *at; (at = next_line(&in));) {
        const long long line = (long long)in.line;
        int32_t number;
        const char *name = name_of(at, &number);
        if (!name)
            return sp_fail(err, SP_EMODEL,
                           "%s:%lld: \"%.60s\" is no number and name of a class, such as \"0 background\"%s",
                           file, line, at, mend_of(at));
        if (number >= n)
            return sp_fail(err, SP_EMODEL,
                           "%s:%lld: class %d, but there are %d lines: the numbers go from 0 on without gaps",
                           file, line, number, n);
        if (names[number])
            return sp_fail(err, SP_EMODEL, "%s:%lld: %s and %s are both class %d", file, line, names[number],
                           name, number);
        for (int32_t k = 0; k < n; k++)
            if (names[k] && strcmp(names[k], name) == 0)
                return sp_fail(err, SP_EMODEL, "%s:%lld: %s is class %d already", file, line, name, k);
        names[number] = name;
    }
    return SP_OK;
}

static sp_status make(const char *file, int32_t n, const char *const *names, sp_model **out, sp_error *err)
{
    char *name = sp_file_stem(file);
    uint8_t *allow = malloc((size_t)n * (size_t)n);
    sp_model *model = name && allow ? sp_model_new(name, n, names) : NULL;
    sp_status status = SP_OK;
    if (!model)
        TRY(sp_no_memory(err));
    memset(allow, 1, (size_t)n * (size_t)n);
    TRY(sp_model_set_matrix(model, allow, NULL, err));
    *out = model;
    model = NULL;
done:
    free(name);
    free(allow);
    sp_model_free(model);
    return status;
}

/* The number of a class in text or JSON, below n; -1: it is none. */
static long number_of(const char *text, int32_t n)
{
    const size_t digits = strspn(text, "0123456789");
    const long number = digits > 0 && digits < 7 && !text[digits] ? strtol(text, NULL, 10) : -1;
    return number < n ? number : -1;
}

/* names [n] point into the document. by_name: keys are names, and values numbers (label2id). */
static sp_status read_entries(const sp_json_doc *doc, const sp_json_at *at, json_t *entries, bool by_name,
                              const char **names)
{
    const int32_t n = (int32_t)json_object_size(entries);
    const char *key, *what = by_name ? "label2id" : "id2label";
    json_t *value;
    json_object_foreach(entries, key, value)
    {
        const sp_json_at place = {at, key, 0};
        char digits[32] = "";
        if (json_is_integer(value))
            snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(value));
        const char *text = json_is_string(value) ? json_string_value(value) : digits,
                   *name = by_name ? key : text;
        const long number = number_of(by_name ? text : key, n);
        if (number < 0)
            return sp_json_fail(
                doc, &place, "key \"%s\": \"%.40s\" is no number of a class; %d classes are \"0\" to \"%d\"",
                what, by_name ? text : key, n, n - 1);
        if ((!by_name && !json_is_string(value)) || !*name)
            return sp_json_fail(doc, &place, "key \"%s\": class %ld has no name", what, number);
        if (names[number])
            return sp_json_fail(doc, &place, "key \"%s\": class %ld is named twice", what, number);
        for (int32_t k = 0; k < n; k++)
            if (names[k] && strcmp(names[k], name) == 0)
                return sp_json_fail(doc, &place, "key \"%s\": %s is class %d already", what, names[k], k);
        names[number] = name;
    }
    return SP_OK;
}

static sp_status read_config(const char *text, const char *file, sp_model **out, sp_error *err)
{
    sp_json_doc doc;
    sp_status status = sp_json_open(
        &doc, text, file, "a file of names of classes (a list of them is `classes` A,B,C)", SP_EMODEL, err);
    if (status != SP_OK)
        return status;
    const bool is_alone = is_bare(text);
    json_t *entries = is_alone ? doc.root : json_object_get(doc.root, "id2label");
    const bool by_name =
        is_alone ? !json_is_string(json_object_iter_value(json_object_iter(doc.root))) : !entries;
    if (!entries)
        entries = json_object_get(doc.root, "label2id");
    const sp_json_at root = {0}, at = {&root, by_name ? "label2id" : "id2label", 0};
    const size_t n = json_object_size(entries);
    const char **names = calloc(n + 1, sizeof *names);
    if (!names)
        TRY(sp_no_memory(err));
    else if (!entries)
        TRY(sp_json_fail(&doc, &root, "there is no key \"id2label\", which names the classes"));
    else if (n == 0 || n > MOST_CLASSES)
        TRY(sp_json_fail(
            &doc, &at, "key \"%s\": an object of 1 to %d names of classes is needed, such as {\"0\": \"O\"}",
            at.key, MOST_CLASSES));
    TRY(read_entries(&doc, is_alone ? &root : &at, entries, by_name, names));
    TRY(make(file, (int32_t)n, names, out, err));
done:
    free(names);
    sp_json_close(&doc);
    return status;
}

sp_status sp_class_list_split(const char *list, sp_model **out, sp_error *err)
{
    char *copy = strdup(list), *rest = NULL;
    const char **names = calloc(strlen(list) / 2 + 2, sizeof *names);
    int32_t n = 0;
    sp_status status = SP_OK;
    TRY(copy && names ? SP_OK : sp_no_memory(err));
    for (char *name = copy ? strtok_r(copy, ",", &rest) : NULL; name; name = strtok_r(NULL, ",", &rest)) {
        name += strspn(name, " \t");
        for (size_t end = strlen(name); end > 0 && strchr(" \t", name[end - 1]); end--)
            name[end - 1] = '\0';
        for (int32_t k = 0; k < n; k++)
            if (strcmp(names[k], name) == 0)
                TRY(sp_fail(err, SP_EINVAL, "`classes` %s: names %s twice", list, name));
        if (*name)
            names[n++] = name;
    }
    if (n == 0)
        TRY(sp_fail(err, SP_EINVAL, "`classes` names nothing; a list such as A,B,C, or a file of them"));
    TRY(make("classes", n, names, out, err));
done:
    free(names);
    free(copy);
    return status;
}

sp_status sp_class_list_read(const char *text, const char *file, sp_model **out, sp_error *err)
{
    if (is_config(text))
        return read_config(text, file, out, err);
    char *lines = strdup(text), *copy = strdup(text);
    int32_t n = 0;
    sp_cells in = LINES(lines);
    while (lines && next_line(&in))
        n++;
    const char **names = calloc((size_t)n + 1, sizeof *names);
    sp_status status = SP_OK;
    TRY(lines && copy && names ? SP_OK : sp_no_memory(err));
    if (n > MOST_CLASSES)
        TRY(sp_fail(err, SP_EMODEL,
                    "%s: has %d lines of a number and a name, more than the %d classes that can be", file, n,
                    MOST_CLASSES));
    TRY(read_lines(copy, file, n, names, err));
    TRY(make(file, n, names, out, err));
done:
    free(names);
    free(copy);
    free(lines);
    return status;
}
