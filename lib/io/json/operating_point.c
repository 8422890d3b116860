/* Operating points of a BIOES tagger: six biases of transitions by kind, as viterbi_calibration.json has them.
 *
 *     {"operating_points": {"default": {"biases": {"transition_bias_background_stay": -0.25, ...}}}} */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/names.h"
#include "core/try.h"
#include "io/text/text_read.h"
#include "statepath/files.h"
#include "statepath/learn.h"
#include "statepath/model_json.h"
#include "tags/tied.h"
#include "json/json_read.h"
#include "json/json_write.h"

enum { MOST_POINTS = 1000 };

/* The object at a key of another; fails where there is none. */
static sp_status member(const sp_json_doc *doc, const sp_json_at *up, const json_t *object, const char *key,
                        sp_json_at *at, json_t **out)
{
    *at = (sp_json_at){up, key, 0};
    *out = json_object_get(object, key);
    if (!*out)
        return sp_json_missing(doc, at, key, "");
    return json_is_object(*out) ? SP_OK
                                : sp_json_fail(doc, at, "key \"%s\": an object is needed; this is %s", key,
                                               sp_json_kind(*out));
}

static sp_status no_such_point(const sp_json_doc *doc, const sp_json_at *at, json_t *points,
                               const char *point)
{
    const char *names[MOST_POINTS], *key;
    char list[300];
    json_t *value;
    int32_t n = 0;
    json_object_foreach(points, key, value) if (n < MOST_POINTS) names[n++] = key;
    return sp_json_fail(doc, at, "there is no operating point \"%s\"; there %s %s", point,
                        n == 1 ? "is" : "are", n ? sp_name_list(list, sizeof list, n, names) : "none");
}

static sp_status read_biases(const sp_json_doc *doc, const char *point, sp_tag_biases *out)
{
    sp_json_at root = {NULL, NULL, 0}, at_points, at_point, at_biases;
    json_t *points, *one, *biases, *value;
    const char *key;
    sp_status status = SP_OK;
    TRY(member(doc, &root, doc->root, "operating_points", &at_points, &points));
    if (!json_object_get(points, point))
        TRY(no_such_point(doc, &at_points, points, point));
    TRY(member(doc, &at_points, points, point, &at_point, &one));
    TRY(member(doc, &at_point, one, "biases", &at_biases, &biases));
    TRY(sp_json_check_keys(doc, &at_biases, biases, SP_N_TAG_BIASES, sp_tag_bias_keys));
    json_object_foreach(biases, key, value)
    {
        const sp_json_at at = {&at_biases, key, 0};
        for (int i = 0; i < SP_N_TAG_BIASES; i++)
            if (strcmp(key, sp_tag_bias_keys[i]) == 0)
                TRY(sp_json_want_number(doc, &at, key, value, &out->nats[i]));
    }
done:
    return status;
}

sp_status sp_operating_point_load(const char *file, const char *point, sp_tag_biases *out, sp_error *err)
{
    char *text = NULL;
    sp_json_doc doc;
    *out = (sp_tag_biases){{0}};
    sp_status status = sp_text_read(file, "a file of operating points", &text, err);
    if (status == SP_OK &&
        (status = sp_json_open(&doc, text, file, "a file of operating points", SP_EINVAL, err)) == SP_OK) {
        status = read_biases(&doc, point ? point : "default", out);
        sp_json_close(&doc);
    }
    free(text);
    return status;
}

/* ---- writing ---- */

/* Each value as it is; objects one member a line. */
static void put_value(sp_json_writer *writer, json_t *value, int indent)
{
    char line[64];
    const char *key;
    json_t *item;
    size_t i;
    bool is_first = true;
    snprintf(line, sizeof line, "\n%*s", indent < 60 ? indent : 60, "");
    if (json_is_object(value)) {
        sp_json_put(writer, "{");
        json_object_foreach(value, key, item)
        {
            sp_json_put(writer, is_first ? "" : ",");
            sp_json_put(writer, line);
            sp_json_put_string(writer, key);
            sp_json_put(writer, ": ");
            put_value(writer, item, indent + 2);
            is_first = false;
        }
        line[strlen(line) > 2 ? strlen(line) - 2 : 0] = '\0';
        sp_json_put(writer, is_first ? "" : line);
        sp_json_put(writer, "}");
    } else if (json_is_array(value)) {
        sp_json_put(writer, "[");
        json_array_foreach(value, i, item)
        {
            sp_json_put(writer, i ? ", " : "");
            put_value(writer, item, indent + 2);
        }
        sp_json_put(writer, "]");
    } else if (json_is_string(value)) {
        sp_json_put_string(writer, json_string_value(value));
    } else if (json_is_integer(value)) {
        sp_json_put_integer(writer, json_integer_value(value));
    } else if (json_is_real(value)) {
        sp_json_put_number(writer, json_real_value(value));
    } else {
        sp_json_put(writer, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
    }
}

/* Puts the point among those of the document. */
static sp_status set_point(const sp_json_doc *doc, const sp_tag_biases *biases, const char *point, bool force)
{
    sp_json_at root = {NULL, NULL, 0}, at_points, at_point;
    json_t *points, *one, *made = NULL;
    sp_status status = SP_OK;
    TRY(member(doc, &root, doc->root, "operating_points", &at_points, &points));
    if (json_object_get(points, point)) {
        TRY(member(doc, &at_points, points, point, &at_point, &one));
        if (!force)
            TRY(sp_json_fail(doc, &at_point,
                             "there is an operating point \"%s\" already; `force` replaces it", point));
    } else if (json_object_set_new(points, point, json_object()) != 0) {
        TRY(sp_no_memory(doc->err));
    }
    made = json_object();
    for (int i = 0; i < SP_N_TAG_BIASES; i++)
        if (json_object_set_new(made, sp_tag_bias_keys[i], json_real(biases->nats[i])) != 0)
            TRY(sp_no_memory(doc->err));
    if (json_object_set(json_object_get(points, point), "biases", made) != 0)
        TRY(sp_no_memory(doc->err));
done:
    json_decref(made);
    return status;
}

sp_status sp_operating_point_save(const sp_tag_biases *biases, const char *point, const char *file,
                                  bool force, sp_error *err)
{
    static const char empty[] = "{\"operating_points\": {}}", what[] = "a file of operating points";
    char *text = NULL, *made = NULL;
    struct stat s;
    sp_json_doc doc;
    sp_json_writer writer;
    sp_status status = SP_OK;
    point = point ? point : "default";
    if (strcmp(file, "-") != 0 && stat(file, &s) == 0)
        TRY(sp_text_read(file, what, &text, err));
    TRY(sp_json_open(&doc, text ? text : empty, file, what, SP_EINVAL, err));
    status = set_point(&doc, biases, point, force);
    if (status == SP_OK) {
        sp_json_writer_open(&writer);
        put_value(&writer, doc.root, 2);
        sp_json_put(&writer, "\n");
        status = sp_json_writer_close(&writer, &made, err);
    }
    sp_json_close(&doc);
    TRY(status);
    TRY(sp_text_save(file, made, text != NULL, err));
done:
    free(text);
    free(made);
    return status;
}
