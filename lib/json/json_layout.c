#include "json/json_layout.h"

#include <stdlib.h>
#include <string.h>

static bool is_plain(const json_t *value)
{
    return !json_is_array(value) && !json_is_object(value);
}

/* What a tree is written with. */
typedef struct pen {
    sp_json_writer *out;
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
            if (!is_plain(element) &&
                !(json_is_array(element) && json_array_size(element) == 2 && /* pairs stay together */
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

static void write_plain(const json_t *value, sp_json_writer *out)
{
    char number[34];
    if (json_is_real(value)) {
        sp_json_number(json_real_value(value), 1, number);
        if (!strpbrk(number, ".e")) /* 1.0, not 1: a metric stays a real number in every reader */
            strcat(number, ".0");
        sp_json_put(out, number);
        return;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    if (!text)
        out->status = SP_ENOMEM;
    else
        sp_json_put(out, text);
    free(text);
}

static void write_key(const char *key, sp_json_writer *out, bool *failed)
{
    json_t *name = json_string_nocheck(key);
    *failed |= !name;
    if (name)
        write_plain(name, out);
    json_decref(name);
    sp_json_put(out, ": ");
}

static void new_line(sp_json_writer *out, bool is_one_line, int depth)
{
    if (is_one_line)
        return;
    sp_json_put(out, "\n");
    for (int i = 0; i < depth; i++)
        sp_json_put(out, "  ");
}

static void write_value(const pen *p, const json_t *value, int depth);

/* Its items are objects, so each begins a line. */
static void write_list(const pen *p, const sp_json_list *list, int depth)
{
    sp_json_put(p->out, "[");
    for (int64_t i = 0; i < list->n && !*p->failed && p->out->status == SP_OK; i++) {
        json_t *item = list->item(list->whole, list->part, i, p->failed);
        sp_json_put(p->out, i ? "," : "");
        new_line(p->out, false, depth + 1);
        if (!*p->failed)
            write_value(p, item, depth + 1);
        json_decref(item);
    }
    new_line(p->out, list->n == 0, depth);
    sp_json_put(p->out, "]");
}

/* depth: of the value; the tree of a report is at most five deep. */
static void write_value(const pen *p, const json_t *value, int depth)
{
    sp_json_writer *out = p->out;
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
    sp_json_put(out, is_list ? "[" : "{");
    if (is_list) {
        json_array_foreach(value, i, element)
        {
            sp_json_put(out, is_first ? "" : between);
            new_line(out, is_one_line, depth + 1);
            write_value(p, element, depth + 1);
            is_first = false;
        }
    } else {
        json_object_foreach((json_t *)value, key, element)
        {
            sp_json_put(out, is_first ? "" : between);
            new_line(out, is_one_line, depth + 1);
            write_key(key, out, p->failed);
            write_value(p, element, depth + 1);
            is_first = false;
        }
    }
    new_line(out, is_one_line || n == 0, depth);
    sp_json_put(out, is_list ? "]" : "}");
}

void sp_json_put_tree(sp_json_writer *writer, const json_t *root, const sp_json_list *lists, int32_t n_lists,
                      bool *failed)
{
    const pen p = {.out = writer, .lists = lists, .n_lists = n_lists, .failed = failed};
    write_value(&p, root, 0);
}
