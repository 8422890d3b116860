/* Operating points of a BIOES tagger: six biases of transitions by kind, as viterbi_calibration.json has them.
 *
 *     {"operating_points": {"default": {"biases": {"transition_bias_background_stay": -0.25, ...}}}} */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "core/try.h"
#include "io/text/text_read.h"
#include "statepath/learn.h"
#include "statepath/model_json.h"
#include "json/json_read.h"

/* In the order of sp_tag_biases. */
static const char *const keys[] = {"transition_bias_background_stay",    "transition_bias_background_to_start",
                                   "transition_bias_end_to_background",  "transition_bias_end_to_start",
                                   "transition_bias_inside_to_continue", "transition_bias_inside_to_end"};

enum { N_KEYS = sizeof keys / sizeof *keys, MOST_POINTS = 1000 };

/* The object at a key of another; fails where there is none. */
static sp_status member(const sp_json_doc *doc, const sp_json_at *up, const json_t *object, const char *key, sp_json_at *at,
                        json_t **out)
{
    *at = (sp_json_at){up, key, 0};
    *out = json_object_get(object, key);
    if (!*out)
        return sp_json_missing(doc, at, key, "");
    return json_is_object(*out) ? SP_OK
                                : sp_json_fail(doc, at, "key \"%s\": an object is needed; this is %s", key, sp_json_kind(*out));
}

static sp_status no_such_point(const sp_json_doc *doc, const sp_json_at *at, json_t *points, const char *point)
{
    const char *names[MOST_POINTS], *key;
    char list[300];
    json_t *value;
    int32_t n = 0;
    json_object_foreach(points, key, value) if (n < MOST_POINTS) names[n++] = key;
    return sp_json_fail(doc, at, "there is no operating point \"%s\"; there %s %s", point, n == 1 ? "is" : "are",
                        n ? sp_name_list(list, sizeof list, n, names) : "none");
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
    TRY(sp_json_check_keys(doc, &at_biases, biases, N_KEYS, keys));
    json_object_foreach(biases, key, value)
    {
        const sp_json_at at = {&at_biases, key, 0};
        for (int i = 0; i < N_KEYS; i++)
            if (strcmp(key, keys[i]) == 0)
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
    if (status == SP_OK && (status = sp_json_open(&doc, text, file, "a file of operating points", SP_EINVAL, err)) == SP_OK) {
        status = read_biases(&doc, point ? point : "default", out);
        sp_json_close(&doc);
    }
    free(text);
    return status;
}
