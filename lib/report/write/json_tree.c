#include "report/write/json_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *sp_json_text(const char *text, bool *failed)
{
    sp_buffer clean = {0};
    sp_buffer_utf8(&clean, text);
    json_t *value = clean.failed ? NULL : json_stringn_nocheck(sp_buffer_string(&clean), clean.length);
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
        sp_json_set(object, sp_buffer_string(&key), value, failed);
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

/* ---- writing ---- */

static void to_buffer(void *to, const char *text, size_t n)
{
    sp_buffer_add(to, text, n);
    sp_buffer_drain(to);
}

void sp_json_write_lists(const json_t *root, const sp_json_list *lists, int32_t n_lists, sp_buffer *out, bool *failed)
{
    sp_json_writer writer;
    sp_json_writer_open_on(&writer, to_buffer, out);
    if (root && !*failed)
        sp_json_put_tree(&writer, root, lists, n_lists, failed);
    sp_json_put(&writer, "\n");
    *failed |= !root || sp_json_writer_close(&writer, NULL, NULL) != SP_OK;
}

void sp_json_write(const json_t *root, sp_buffer *out, bool *failed)
{
    sp_json_write_lists(root, NULL, 0, out, failed);
}
