/* Options of a run as JSON: those that results depend on. */
#include "core/owned.h"
#include "options/options.h"
#include "parts/part.h"

#include <limits.h>

static json_t *texts_write(char *const *texts)
{
    json_t *list = json_array();
    for (int i = 0; list && texts[i]; i++)
        if (json_array_append_new(list, json_string(texts[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* NULL: no memory, or a text that is not UTF-8. */
static json_t *write_one(const sp_option_row *row, const sp_run_options *o)
{
    const void *at = (const char *)o + row->place;
    switch (row->type) {
    case SP_OPTION_TEXT:
        return json_string(*(char *const *)at);
    case SP_OPTION_TEXTS:
        return texts_write(*(char *const *const *)at);
    case SP_OPTION_FLAG:
    case SP_OPTION_INTEGER:
        return json_integer(*(const int *)at);
    case SP_OPTION_LONG:
        return json_integer(*(const long *)at);
    case SP_OPTION_NUMBER:
        return json_real(*(const double *)at);
    case SP_OPTION_COUNT:
        return json_integer(*(const int64_t *)at);
    case SP_OPTION_SEED:
        return json_integer((json_int_t) * (const uint64_t *)at);
    }
    return NULL;
}

json_t *sp_part_options_write(const sp_run_options *o)
{
    char key[SP_OPTION_KEY];
    json_t *out = json_object();
    bool is_whole = out != NULL;
    for (const sp_option_row *row = sp_option_rows; is_whole && row->name; row++)
        if (row->uses & SP_OPTION_IN_PART && (sp_option_is_given(row, o) || row->type == SP_OPTION_SEED)) {
            json_t *value = write_one(row, o);
            is_whole = value && json_object_set_new(out, sp_option_key(row->name, key), value) == 0;
        }
    if (is_whole)
        return out;
    json_decref(out);
    return NULL;
}

static bool texts_read(const json_t *list, sp_owned *own, char ***out)
{
    const size_t n = json_array_size(list);
    char **texts = sp_zeros(own, n + 1, sizeof(char *));
    for (size_t i = 0; texts && i < n; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text || !(texts[i] = sp_owned_text(own, text)))
            return false;
    }
    *out = texts;
    return texts != NULL;
}

/* False: the value is none for that option, or there is no memory. */
static bool read_one(const sp_option_row *row, const json_t *value, sp_owned *own, sp_run_options *o)
{
    void *at = (char *)o + row->place;
    const json_int_t whole = json_integer_value(value);
    switch (row->type) {
    case SP_OPTION_TEXT:
        return json_is_string(value) && (*(char **)at = sp_owned_text(own, json_string_value(value)));
    case SP_OPTION_TEXTS:
        return json_is_array(value) && texts_read(value, own, at);
    case SP_OPTION_FLAG:
    case SP_OPTION_INTEGER:
        *(int *)at = (int)whole;
        return json_is_integer(value) && whole >= 0 && whole <= INT_MAX;
    case SP_OPTION_LONG:
        *(long *)at = (long)whole;
        return json_is_integer(value);
    case SP_OPTION_NUMBER:
        *(double *)at = json_number_value(value);
        return json_is_number(value);
    case SP_OPTION_COUNT:
        *(int64_t *)at = whole;
        return json_is_integer(value);
    case SP_OPTION_SEED:
        *(uint64_t *)at = (uint64_t)whole;
        return json_is_integer(value);
    }
    return false;
}

bool sp_part_options_read(const json_t *options, sp_owned *own, sp_run_options *o)
{
    char key[SP_OPTION_KEY];
    for (const sp_option_row *row = sp_option_rows; row->name; row++) {
        const json_t *value =
            row->uses & SP_OPTION_IN_PART ? json_object_get(options, sp_option_key(row->name, key)) : NULL;
        if (value && !read_one(row, value, own, o))
            return false;
    }
    return true;
}

int sp_part_read_names(const sp_run_options *o, const char *names[SP_PART_READ])
{
    const char *const all[SP_PART_READ] = {o->model, o->map, o->label_map, o->fit.rules};
    int n = 0;
    for (int i = 0; i < SP_PART_READ; i++)
        if (all[i])
            names[n++] = all[i];
    return n;
}
