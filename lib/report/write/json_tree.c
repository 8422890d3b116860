#include "report/write/json_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sp_json sp_json_root(bool *failed)
{
    return (sp_json){json_object(), failed};
}

/* The value where it now stands; NULL where it could not. */
static sp_json place(sp_json in, const char *key, json_t *value)
{
    const int status =
        key ? json_object_set_new_nocheck(in.at, key, value) : json_array_append_new(in.at, value);
    *in.failed |= status != 0;
    return (sp_json){status == 0 ? value : NULL, in.failed};
}

void sp_json_set(sp_json in, const char *key, json_t *value)
{
    place(in, key, value);
}

sp_json sp_json_object(sp_json in, const char *key)
{
    return place(in, key, json_object());
}

sp_json sp_json_array(sp_json in, const char *key)
{
    return place(in, key, json_array());
}

sp_json sp_json_get(sp_json in, const char *key)
{
    return (sp_json){json_object_get(in.at, key), in.failed};
}

json_t *sp_json_clean(const char *text)
{
    sp_buffer clean = {0};
    sp_buffer_utf8(&clean, text);
    json_t *value = clean.failed ? NULL : json_stringn_nocheck(sp_buffer_string(&clean), clean.length);
    sp_buffer_free(&clean);
    return value;
}

void sp_json_text(sp_json in, const char *key, const char *text)
{
    sp_json_set(in, key, sp_json_clean(text));
}

void sp_json_count(sp_json in, const char *key, int64_t n)
{
    sp_json_set(in, key, json_integer(n));
}

void sp_json_seed(sp_json in, const char *key, uint64_t seed)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    sp_json_set(in, key, seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_string(digits));
}

void sp_json_real(sp_json in, const char *key, double value)
{
    sp_json_set(in, key, json_real(value));
}

void sp_json_flag(sp_json in, const char *key, bool is_true)
{
    sp_json_set(in, key, json_boolean(is_true));
}

void sp_json_set_named(sp_json object, const char *name, json_t *value)
{
    sp_buffer key = {0};
    sp_buffer_utf8(&key, name);
    size_t length = key.length;
    for (int n = 2; !key.failed && key.data && json_object_get(object.at, key.data); n++) {
        key.length = length;
        sp_buffer_format(&key, "#%d", n);
    }
    if (key.failed) {
        json_decref(value);
        *object.failed = true;
    } else {
        sp_json_set(object, sp_buffer_string(&key), value);
    }
    sp_buffer_free(&key);
}

sp_json sp_json_named(sp_json object, const char *name)
{
    json_t *value = json_object();
    const bool had_failed = *object.failed;
    sp_json_set_named(object, name, value);
    return (sp_json){had_failed || *object.failed ? NULL : value, object.failed};
}

static void set_undefined(sp_json object, const char *key, const char *reason)
{
    char name[64];
    snprintf(name, sizeof name, "%s_undefined", key);
    sp_json_set(object, key, json_null());
    sp_json_set(object, name, json_string(reason));
}

void sp_json_value(sp_json object, const char *key, const sp_value *value)
{
    if (value->undefined)
        set_undefined(object, key, value->undefined);
    else
        sp_json_real(object, key, value->value);
}

void sp_json_score(sp_json object, const char *key, double score)
{
    if (isfinite(score))
        sp_json_real(object, key, score);
    else
        set_undefined(object, key, "the path is illegal, impossible or missing");
}

void sp_json_interval(sp_json object, const char *key, sp_value low, sp_value high)
{
    if (low.undefined || high.undefined) {
        set_undefined(object, key, low.undefined ? low.undefined : high.undefined);
        return;
    }
    const sp_json interval = sp_json_array(object, key);
    sp_json_real(interval, NULL, low.value);
    sp_json_real(interval, NULL, high.value);
}

/* ---- figures ---- */

/* The object in which the last part of the path stands, made where it is not there yet; *key is that part. */
static sp_json parent_of(sp_json object, const char *path, const char **key)
{
    for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
        char part[64];
        snprintf(part, sizeof part, "%.*s", (int)(dot - path), path);
        object = json_object_get(object.at, part) ? sp_json_get(object, part) : sp_json_object(object, part);
    }
    *key = path;
    return object;
}

static void set_figure(sp_json object, const char *key, const sp_figure *figure, const sp_figure_owner *owner)
{
    const sp_value value = sp_figure_at(&figure->place, owner);
    const char *text = sp_figure_text(figure, owner);
    if (figure->place.type == SP_FIGURE_TEXT && text)
        sp_json_text(object, key, text);
    else if (figure->place.type == SP_FIGURE_TEXT)
        sp_json_set(object, key, json_null());
    else if (figure->place.type == SP_FIGURE_FLAG)
        sp_json_flag(object, key, value.value != 0);
    else if (figure->place.type == SP_FIGURE_U64)
        sp_json_seed(object, key, (uint64_t)sp_figure_count(figure, owner));
    else if (sp_figure_is_count(figure))
        sp_json_count(object, key, sp_figure_count(figure, owner));
    else
        sp_json_value(object, key, &value);
}

void sp_json_figures(sp_json object, sp_figure_scope scope, const void *own, const sp_strategy_result *s,
                     const sp_comparison *c)
{
    const sp_figures figures = sp_figures_of(scope);
    const sp_figure_owner owner = {own, s, c};
    for (size_t i = 0; i < figures.n; i++) {
        const sp_figure *f = &figures.list[i];
        const char *key, *path = f->json ? f->json : f->key;
        if (!*path || sp_figure_missing(f, &owner) ||
            (f->is_optional && !sp_figure_text(f, &owner) && !(sp_figure_at(&f->place, &owner).value != 0)))
            continue;
        const sp_json parent = parent_of(object, path, &key);
        set_figure(parent, key, f, &owner);
    }
}

/* ---- writing ---- */

static void to_buffer(void *to, const char *text, size_t n)
{
    sp_buffer_add(to, text, n);
    sp_buffer_drain(to);
}

void sp_json_finish(sp_json root, const sp_json_list *lists, int32_t n_lists, sp_buffer *out)
{
    sp_json_writer writer;
    sp_json_writer_open_on(&writer, to_buffer, out);
    if (root.at && !*root.failed)
        sp_json_put_tree(&writer, root.at, lists, n_lists, root.failed);
    sp_json_put(&writer, "\n");
    *root.failed |= !root.at || sp_json_writer_close(&writer, NULL, NULL) != SP_OK;
    json_decref(root.at);
    out->failed |= *root.failed;
}
