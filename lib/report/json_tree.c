#include "report/json_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *sp_json_text(const char *text, bool *failed)
{
    sp_buffer clean = {0};
    sp_buffer_utf8(&clean, text);
    json_t *value = clean.failed ? NULL : json_stringn_nocheck(clean.data ? clean.data : "", clean.length);
    sp_buffer_free(&clean);
    *failed |= !value;
    return value;
}

void sp_json_set(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new_nocheck(object, key, value) != 0)
        *failed = true;
}

void sp_json_set_named(json_t *object, const char *name, json_t *value, bool *failed)
{
    sp_buffer key = {0};
    sp_buffer_utf8(&key, name);
    size_t length = key.length;
    for (int n = 2; !key.failed && key.data && json_object_get(object, key.data); n++) {
        key.length = length;
        sp_buffer_format(&key, "#%d", n);
    }
    if (key.failed) {
        json_decref(value);
        *failed = true;
    } else {
        sp_json_set(object, key.data ? key.data : "", value, failed);
    }
    sp_buffer_free(&key);
}

void sp_json_append(json_t *array, json_t *value, bool *failed)
{
    if (json_array_append_new(array, value) != 0)
        *failed = true;
}

static void set_undefined(json_t *object, const char *key, const char *reason, bool *failed)
{
    char name[64];
    snprintf(name, sizeof name, "%s_undefined", key);
    sp_json_set(object, key, json_null(), failed);
    sp_json_set(object, name, json_string(reason), failed);
}

void sp_json_set_value(json_t *object, const char *key, const sp_value *value, bool *failed)
{
    if (value->undefined)
        set_undefined(object, key, value->undefined, failed);
    else
        sp_json_set(object, key, json_real(value->value), failed);
}

void sp_json_set_score(json_t *object, const char *key, double score, bool *failed)
{
    if (isfinite(score))
        sp_json_set(object, key, json_real(score), failed);
    else
        set_undefined(object, key, "the path is illegal, impossible or missing", failed);
}

void sp_json_set_interval(json_t *object, const char *key, sp_value low, sp_value high, bool *failed)
{
    if (low.undefined || high.undefined) {
        set_undefined(object, key, low.undefined ? low.undefined : high.undefined, failed);
        return;
    }
    json_t *interval = json_array();
    sp_json_append(interval, json_real(low.value), failed);
    sp_json_append(interval, json_real(high.value), failed);
    sp_json_set(object, key, interval, failed);
}

/* ---- figures ---- */

/* The object in which the last part of the path stands, made where it is not there yet; *key is that part. */
static json_t *parent_of(json_t *object, const char *path, const char **key, bool *failed)
{
    for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
        char part[64];
        snprintf(part, sizeof part, "%.*s", (int)(dot - path), path);
        if (!json_object_get(object, part))
            sp_json_set(object, part, json_object(), failed);
        object = json_object_get(object, part);
    }
    *key = path;
    return object;
}

static void set_figure(json_t *object, const char *key, const sp_figure *figure, const sp_figure_owner *owner, bool *failed)
{
    const sp_value value = sp_figure_at(&figure->place, owner);
    const char *text = sp_figure_text(figure, owner);
    if (figure->place.type == SP_FIGURE_TEXT)
        sp_json_set(object, key, text ? sp_json_text(text, failed) : json_null(), failed);
    else if (figure->place.type == SP_FIGURE_FLAG)
        sp_json_set(object, key, json_boolean(value.value != 0), failed);
    else if (sp_figure_is_count(figure))
        sp_json_set(object, key, json_integer(sp_figure_count(figure, owner)), failed);
    else
        sp_json_set_value(object, key, &value, failed);
}

void sp_json_set_figures(json_t *object, sp_figure_scope scope, const sp_figure_owner *owner, bool *failed)
{
    const sp_figures figures = sp_figures_of(scope);
    for (size_t i = 0; i < figures.n; i++) {
        const sp_figure *f = &figures.list[i];
        const char *key, *path = f->json ? f->json : f->key;
        if (!*path || sp_figure_missing(f, owner) ||
            (f->is_optional && !sp_figure_text(f, owner) && !(sp_figure_at(&f->place, owner).value != 0)))
            continue;
        json_t *parent = parent_of(object, path, &key, failed);
        set_figure(parent, key, f, owner, failed);
    }
}

/* ---- layout ---- */

static bool is_plain(const json_t *value)
{
    return !json_is_array(value) && !json_is_object(value);
}

/* What a tree is written with. */
typedef struct pen {
    sp_buffer *out;
    const sp_json_list *lists;
    int32_t n_lists;
    bool *failed;
} pen;

/* The list that stands at a value, or NULL. */
static const sp_json_list *list_at(const pen *p, const json_t *value)
{
    for (int32_t i = 0; i < p->n_lists; i++)
        if (p->lists[i].place == value)
            return &p->lists[i];
    return NULL;
}

/* A list of numbers or a small object of plain values reads best on one line. */
static bool is_inline(const pen *p, const json_t *value)
{
    size_t i;
    const sp_json_list *list = list_at(p, value);
    if (list)
        return list->n == 0;
    json_t *element;
    const char *key;
    if (json_is_array(value)) {
        json_array_foreach(value, i, element)
        {
            if (!is_plain(element) && !(json_is_array(element) && json_array_size(element) == 2 && /* pairs stay together */
                                        is_plain(json_array_get(element, 0)) && is_plain(json_array_get(element, 1))))
                return false;
        }
        return true;
    }
    if (json_object_size(value) > 16)
        return false;
    json_object_foreach((json_t *)value, key, element)
    {
        if (!is_plain(element) && !(json_is_array(element) && is_inline(p, element)))
            return false;
    }
    return true;
}

static void write_plain(const json_t *value, sp_buffer *out)
{
    if (json_is_real(value)) {
        size_t start = out->length;
        sp_buffer_real(out, json_real_value(value));
        if (!out->failed && !strpbrk(out->data + start, ".e")) /* 1.0, not 1: a metric stays a real number in every reader */
            sp_buffer_text(out, ".0");
        return;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    out->failed |= !text;
    sp_buffer_text(out, text);
    free(text);
}

static void write_key(const char *key, sp_buffer *out, bool *failed)
{
    json_t *name = json_string_nocheck(key);
    *failed |= !name;
    if (name)
        write_plain(name, out);
    json_decref(name);
    sp_buffer_text(out, ": ");
}

static void new_line(sp_buffer *out, bool is_one_line, int depth)
{
    if (is_one_line)
        return;
    sp_buffer_text(out, "\n");
    sp_buffer_repeat(out, ' ', (int64_t)2 * depth);
}

static void write_value(const pen *p, const json_t *value, int depth);

/* Its items are objects, so each begins a line. */
static void write_list(const pen *p, const sp_json_list *list, int depth)
{
    sp_buffer_text(p->out, "[");
    for (int64_t i = 0; i < list->n && !*p->failed && !p->out->failed; i++) {
        json_t *item = list->item(list->comparison, list->strategy, i, p->failed);
        sp_buffer_text(p->out, i ? "," : "");
        new_line(p->out, false, depth + 1);
        if (!*p->failed)
            write_value(p, item, depth + 1);
        json_decref(item);
        sp_buffer_drain(p->out);
    }
    new_line(p->out, list->n == 0, depth);
    sp_buffer_text(p->out, "]");
}

/* depth: of the value; the tree of a report is at most five deep. */
static void write_value(const pen *p, const json_t *value, int depth)
{
    sp_buffer *out = p->out;
    const sp_json_list *items = list_at(p, value);
    if (items) {
        write_list(p, items, depth);
        return;
    }
    if (is_plain(value)) {
        write_plain(value, out);
        return;
    }
    bool is_list = json_is_array(value), is_one_line = is_inline(p, value), is_first = true;
    size_t i, n = is_list ? json_array_size(value) : json_object_size(value);
    const char *key, *between = is_one_line ? ", " : ",";
    json_t *element;
    sp_buffer_text(out, is_list ? "[" : "{");
    if (is_list) {
        json_array_foreach(value, i, element)
        {
            sp_buffer_text(out, is_first ? "" : between);
            new_line(out, is_one_line, depth + 1);
            write_value(p, element, depth + 1);
            is_first = false;
        }
    } else {
        json_object_foreach((json_t *)value, key, element)
        {
            sp_buffer_text(out, is_first ? "" : between);
            new_line(out, is_one_line, depth + 1);
            write_key(key, out, p->failed);
            write_value(p, element, depth + 1);
            is_first = false;
        }
    }
    new_line(out, is_one_line || n == 0, depth);
    sp_buffer_text(out, is_list ? "]" : "}");
}

void sp_json_write_lists(const json_t *root, const sp_json_list *lists, int32_t n_lists, sp_buffer *out, bool *failed)
{
    const pen p = {.out = out, .lists = lists, .n_lists = n_lists, .failed = failed};
    if (!root || *failed) {
        *failed = true;
        return;
    }
    write_value(&p, root, 0);
    sp_buffer_text(out, "\n");
}

void sp_json_write(const json_t *root, sp_buffer *out, bool *failed)
{
    sp_json_write_lists(root, NULL, 0, out, failed);
}
