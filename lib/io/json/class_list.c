#include "io/json/class_list.h"

#include <stdlib.h>
#include <string.h>

#include "json/json_read.h"

enum { MOST_CLASSES = 10000 };

/* The next line that is not blank, cut at its end and without blanks around it; NULL: there is none. *line counts lines. */
static char *next_line(char **rest, int64_t *line)
{
    while (**rest) {
        char *at = *rest, *end = at + strcspn(at, "\n");
        *rest = *end ? end + 1 : end;
        ++*line;
        at += strspn(at, " \t\r");
        while (end > at && strchr(" \t\r", end[-1]))
            end--;
        if (end > at) {
            *end = '\0';
            return at;
        }
    }
    return NULL;
}

/* Where the name of a line begins, and its number; NULL: it is no number and a name. */
static const char *name_of(const char *line, int32_t *number)
{
    const size_t digits = strspn(line, "0123456789"), blanks = strspn(line + digits, " \t");
    if (digits == 0 || digits > 6 || blanks == 0 || !line[digits + blanks] || strchr("\r\n", line[digits + blanks]))
        return NULL;
    *number = (int32_t)strtol(line, NULL, 10);
    return line + digits + blanks;
}

/* The configuration of a model of transformers, whose key it is. */
static bool is_config(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '{' && strstr(text, "\"id2label\"") && !strstr(text, "\"statepath_model\"");
}

bool sp_class_list_is(const char *text)
{
    int32_t number;
    return is_config(text) || name_of(text + strspn(text, " \t\r\n"), &number) != NULL;
}

/* names [n] point into the text, those that are missing stay NULL. */
static sp_status read_lines(char *text, const char *file, int32_t n, const char **names, sp_error *err)
{
    int64_t line = 0;
    for (const char *at; (at = next_line(&text, &line));) {
        int32_t number;
        const char *name = name_of(at, &number);
        if (!name)
            return sp_fail(err, SP_EMODEL, "%s:%lld: \"%.60s\" is no number and name of a class, such as \"0 background\"", file,
                           (long long)line, at);
        if (number >= n)
            return sp_fail(err, SP_EMODEL, "%s:%lld: class %d, but there are %d lines: the numbers go from 0 on without gaps",
                           file, (long long)line, number, n);
        if (names[number])
            return sp_fail(err, SP_EMODEL, "%s:%lld: %s and %s are both class %d", file, (long long)line, names[number], name,
                           number);
        for (int32_t k = 0; k < n; k++)
            if (names[k] && strcmp(names[k], name) == 0)
                return sp_fail(err, SP_EMODEL, "%s:%lld: %s is class %d already", file, (long long)line, name, k);
        names[number] = name;
    }
    return SP_OK;
}

static sp_status make(const char *file, int32_t n, const char *const *names, sp_model **out, sp_error *err)
{
    const char *slash = strrchr(file, '/'), *from = slash ? slash + 1 : file, *dot = strrchr(from, '.');
    char *name = strndup(from, dot && dot > from ? (size_t)(dot - from) : strlen(from));
    uint8_t *allow = malloc((size_t)n * (size_t)n);
    sp_model *model = name && allow ? sp_model_new(name, n, names) : NULL;
    sp_status status = model ? SP_OK : sp_no_memory(err);
    if (status == SP_OK) {
        memset(allow, 1, (size_t)n * (size_t)n);
        status = sp_model_set_matrix(model, allow, NULL, err);
    }
    free(name);
    free(allow);
    if (status == SP_OK)
        *out = model;
    else
        sp_model_free(model);
    return status;
}

/* names [n] point into the document. */
static sp_status read_entries(const sp_json_doc *doc, json_t *entries, const char **names)
{
    const sp_json_at root = {0}, at = {&root, "id2label", 0};
    const int32_t n = (int32_t)json_object_size(entries);
    const char *key;
    json_t *value;
    json_object_foreach(entries, key, value)
    {
        const sp_json_at place = {&at, key, 0};
        const size_t digits = strspn(key, "0123456789");
        const long number = digits > 0 && digits < 7 && !key[digits] ? strtol(key, NULL, 10) : -1;
        if (number < 0 || number >= n)
            return sp_json_fail(doc, &place,
                                "key \"id2label\": \"%.40s\" is no number of a class; %d classes are \"0\" to \"%d\"", key, n,
                                n - 1);
        if (!json_is_string(value) || !*json_string_value(value))
            return sp_json_fail(doc, &place, "key \"id2label\": class %ld has no name", number);
        if (names[number])
            return sp_json_fail(doc, &place, "key \"id2label\": class %ld is named twice", number);
        for (int32_t k = 0; k < n; k++)
            if (names[k] && strcmp(names[k], json_string_value(value)) == 0)
                return sp_json_fail(doc, &place, "key \"id2label\": %s is class %d already", names[k], k);
        names[number] = json_string_value(value);
    }
    return SP_OK;
}

static sp_status read_config(const char *text, const char *file, sp_model **out, sp_error *err)
{
    sp_json_doc doc;
    sp_status status = sp_json_open(&doc, text, file, "a model's configuration", SP_EMODEL, err);
    if (status != SP_OK)
        return status;
    const sp_json_at root = {0}, at = {&root, "id2label", 0};
    json_t *entries = json_object_get(doc.root, "id2label");
    const size_t n = json_object_size(entries);
    const char **names = calloc(n + 1, sizeof *names);
    if (!names)
        status = sp_no_memory(err);
    else if (!entries)
        status = sp_json_fail(&doc, &root, "there is no key \"id2label\", which names the classes");
    else if (n == 0 || n > MOST_CLASSES)
        status = sp_json_fail(&doc, &at, "key \"id2label\": an object of 1 to %d names of classes is needed", MOST_CLASSES);
    if (status == SP_OK)
        status = read_entries(&doc, entries, names);
    if (status == SP_OK)
        status = make(file, (int32_t)n, names, out, err);
    free(names);
    sp_json_close(&doc);
    return status;
}

sp_status sp_class_list_split(const char *list, sp_model **out, sp_error *err)
{
    char *copy = strdup(list), *rest = NULL;
    const char **names = calloc(strlen(list) / 2 + 2, sizeof *names);
    int32_t n = 0;
    sp_status status = copy && names ? SP_OK : sp_no_memory(err);
    for (char *name = copy ? strtok_r(copy, ",", &rest) : NULL; status == SP_OK && name; name = strtok_r(NULL, ",", &rest)) {
        name += strspn(name, " \t");
        for (size_t end = strlen(name); end > 0 && strchr(" \t", name[end - 1]); end--)
            name[end - 1] = '\0';
        for (int32_t k = 0; status == SP_OK && k < n; k++)
            if (strcmp(names[k], name) == 0)
                status = sp_fail(err, SP_EINVAL, "`classes` %s: names %s twice", list, name);
        if (*name)
            names[n++] = name;
    }
    if (status == SP_OK && n == 0)
        status = sp_fail(err, SP_EINVAL, "`classes` names nothing; a list such as A,B,C, or a file of them");
    if (status == SP_OK)
        status = make("classes", n, names, out, err);
    free(names);
    free(copy);
    return status;
}

sp_status sp_class_list_read(const char *text, const char *file, sp_model **out, sp_error *err)
{
    if (is_config(text))
        return read_config(text, file, out, err);
    char *lines = strdup(text), *copy = strdup(text), *rest = lines;
    int64_t line = 0;
    int32_t n = 0;
    while (lines && next_line(&rest, &line))
        n++;
    const char **names = calloc((size_t)n + 1, sizeof *names);
    sp_status status = lines && copy && names ? SP_OK : sp_no_memory(err);
    if (status == SP_OK && n > MOST_CLASSES)
        status = sp_fail(err, SP_EMODEL, "%s: has %d lines of a number and a name, more than the %d classes that can be", file, n,
                         MOST_CLASSES);
    if (status == SP_OK)
        status = read_lines(copy, file, n, names, err);
    if (status == SP_OK)
        status = make(file, n, names, out, err);
    free(names);
    free(copy);
    free(lines);
    return status;
}
