/* Durations of a model from JSON and to it: `durations`, `durations_at_ends`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/durations.h"
#include "core/try.h"
#include "io/json/model_json_durations.h"
#include "io/json/model_json_reader.h"

/* ---- the forms ---- */

typedef struct form {
    const char *key;
    sp_duration_form form;
    const char *centre, *spread; /* keys of its parameters; NULL: it has none */
} form;

static const form forms[] = {{"negative_binomial", SP_DURATION_NEGATIVE_BINOMIAL, "mean", "dispersion"},
                             {"log_normal", SP_DURATION_LOG_NORMAL, "median", "sigma"},
                             {"poisson", SP_DURATION_POISSON, "mean", NULL}};
enum { N_FORMS = sizeof forms / sizeof *forms };

static const form *form_of(sp_duration_form which)
{
    for (int i = 0; i < N_FORMS; i++)
        if (forms[i].form == which)
            return &forms[i];
    return NULL;
}

/* ---- reading ---- */

/* What is read now: a class, and the place of its object. */
typedef struct one_class {
    const sp_model_reader *reader;
    const char *name;
    sp_duration *out;
} one_class;

/* is_whole: steps are a whole number, at least 1. */
static sp_status read_length(const one_class *c, const sp_json_at *parent, const json_t *object,
                             const char *key, bool is_whole, sp_length *out)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return SP_OK;
    const sp_json_at at = {parent, key, 0};
    bool is_read = json_is_string(value) &&
                   sp_length_parse(json_string_value(value), json_string_length(value), out) &&
                   out->is_seconds && isfinite(out->value);
    if (json_is_number(value)) {
        *out = (sp_length){json_number_value(value), false};
        is_read = !is_whole || (out->value >= 1 && out->value == floor(out->value));
    }
    if (is_read && out->value > 0)
        return SP_OK;
    return sp_json_fail(
        &c->reader->doc, &at,
        "key \"durations\", class \"%s\": \"%s\" needs %s, as 3, or a time, as \"90s\", \"15min\" or \"1h\"",
        c->name, key, is_whole ? "a whole number of steps" : "a number of steps above 0");
}

static sp_status read_pmf(const one_class *c, const sp_json_at *parent, const json_t *object)
{
    const json_t *list = json_object_get(object, "pmf");
    const sp_json_at at = {parent, "pmf", 0};
    const size_t n = json_array_size(list);
    sp_duration *d = c->out;
    if (n == 0 || n > SP_DURATION_MOST)
        return sp_json_fail(&c->reader->doc, &at,
                            "key \"durations\", class \"%s\": \"pmf\" needs a list of 1 to %d probabilities, "
                            "of the lengths 1, 2, ...",
                            c->name, SP_DURATION_MOST);
    if (!(d->pmf = malloc(n * sizeof *d->pmf)))
        return sp_no_memory(c->reader->doc.err);
    d->form = SP_DURATION_PMF;
    d->n_pmf = (int32_t)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);
        const sp_json_at here = {&at, NULL, i};
        d->pmf[i] = json_number_value(item);
        if (!json_is_number(item) || d->pmf[i] < 0)
            return sp_json_fail(
                &c->reader->doc, &here,
                "key \"durations\", class \"%s\": \"pmf\" needs numbers of at least 0; length %zu has %s",
                c->name, i + 1, json_is_number(item) ? "less" : sp_json_kind(item));
    }
    return SP_OK;
}

static sp_status read_named(const one_class *c, const sp_json_at *parent, json_t *object, const form *f)
{
    json_t *inner = json_object_get(object, f->key);
    const sp_json_at at = {parent, f->key, 0};
    const char *const keys[] = {f->centre, f->spread ? f->spread : f->centre};
    const json_t *spread = f->spread ? json_object_get(inner, f->spread) : NULL;
    sp_status status = SP_OK;
    if (!json_is_object(inner) || !json_object_get(inner, f->centre) ||
        (f->spread && !json_is_number(spread)))
        return sp_json_fail(
            &c->reader->doc, &at,
            "key \"durations\", class \"%s\": \"%s\" needs an object of \"%s\", a length%s%s%s", c->name,
            f->key, f->centre, f->spread ? ", and \"" : "", f->spread ? f->spread : "",
            f->spread ? "\", a number" : "");
    TRY(sp_json_check_keys(&c->reader->doc, &at, inner, f->spread ? 2 : 1, keys));
    c->out->form = f->form;
    TRY(read_length(c, &at, inner, f->centre, false, &c->out->centre));
    c->out->spread = f->spread ? json_number_value(spread) : 0;
done:
    return status;
}

/* The duration of one class: its object, which stands at `at`. */
static sp_status read_duration(const one_class *c, const sp_json_at *at, json_t *object)
{
    static const char *const keys[] = {"min", "max", "pmf", "negative_binomial", "log_normal", "poisson"};
    const form *found = NULL;
    int n_forms = json_object_get(object, "pmf") != NULL;
    sp_status status = SP_OK;
    if (!json_is_object(object) || json_object_size(object) == 0)
        return sp_json_fail(&c->reader->doc, at,
                            "key \"durations\", class \"%s\": needs an object, as {\"min\": 2, \"max\": 40}, "
                            "{\"pmf\": [.5, .5]} or "
                            "{\"negative_binomial\": {\"mean\": 20, \"dispersion\": 2}}",
                            c->name);
    TRY(sp_json_check_keys(&c->reader->doc, at, object, sizeof keys / sizeof *keys, keys));
    for (int i = 0; i < N_FORMS; i++)
        if (json_object_get(object, forms[i].key)) {
            found = &forms[i];
            n_forms++;
        }
    if (n_forms > 1 || (json_object_get(object, "pmf") && json_object_size(object) > 1))
        return sp_json_fail(&c->reader->doc, at,
                            "key \"durations\", class \"%s\": needs one of a \"pmf\", which says all, a "
                            "named distribution, or \"min\" "
                            "and \"max\" alone",
                            c->name);
    c->out->form = SP_DURATION_RANGE;
    TRY(read_length(c, at, object, "min", true, &c->out->min));
    TRY(read_length(c, at, object, "max", true, &c->out->max));
    if (found)
        TRY(read_named(c, at, object, found));
    else if (n_forms == 1)
        TRY(read_pmf(c, at, object));
done:
    return status;
}

/* "cut" or "whole". */
static sp_status read_end(const sp_model_reader *reader, const sp_json_at *at, const json_t *value,
                          bool *is_whole)
{
    const char *word = json_string_value(value);
    *is_whole = word && strcmp(word, "whole") == 0;
    if (*is_whole || (word && strcmp(word, "cut") == 0))
        return SP_OK;
    return sp_json_fail(
        &reader->doc, at,
        "key \"durations_at_ends\": needs \"cut\" or \"whole\", or {\"start\": \"whole\", \"end\": \"cut\"}");
}

static sp_status read_ends(sp_model_reader *reader)
{
    static const char *const keys[] = {"start", "end"};
    json_t *value = sp_model_member(reader, "durations_at_ends");
    const sp_json_at at = {&reader->root, "durations_at_ends", 0};
    bool *const whole[] = {&reader->model->whole_at_start, &reader->model->whole_at_end};
    sp_status status = SP_OK;
    if (!value)
        return SP_OK;
    if (json_is_object(value))
        TRY(sp_json_check_keys(&reader->doc, &at, value, 2, keys));
    for (int i = 0; i < 2; i++) {
        const json_t *end = json_is_object(value) ? json_object_get(value, keys[i]) : value;
        const sp_json_at here = {&at, keys[i], 0};
        if (end)
            TRY(read_end(reader, json_is_object(value) ? &here : &at, end, whole[i]));
    }
done:
    return status;
}

sp_status sp_model_read_durations(sp_model_reader *reader)
{
    sp_model *model = reader->model;
    json_t *object = sp_model_member(reader, "durations"), *value;
    const sp_json_at at = {&reader->root, "durations", 0};
    const char *name;
    sp_status status = SP_OK;
    TRY(read_ends(reader));
    if (!object)
        return SP_OK;
    TRY(sp_model_want_object(reader, &at, object,
                             "how long the runs of each class are, as {\"N2\": {\"min\": 3, \"max\": 40}}"));
    if (!(model->durations = calloc((size_t)model->n_classes, sizeof *model->durations)))
        return sp_no_memory(reader->doc.err);
    json_object_foreach(object, name, value)
    {
        const sp_json_at here = {&at, name, 0};
        int32_t k;
        TRY(sp_model_find(reader, &here, "durations", name, true, &k));
        const one_class c = {reader, name, &model->durations[k]};
        TRY(read_duration(&c, &here, value));
    }
done:
    return status;
}

/* ---- writing ---- */

static void put_length(sp_json_writer *writer, bool is_first, const char *key, sp_length length)
{
    char text[64];
    if (length.value == 0)
        return;
    sp_json_put(writer, is_first ? "" : ", ");
    sp_json_put_string(writer, key);
    sp_json_put(writer, ": ");
    if (!length.is_seconds) {
        sp_json_put_number(writer, length.value);
        return;
    }
    snprintf(text, sizeof text, "%.17gs", length.value);
    sp_json_put_string(writer, text);
}

static void put_duration(sp_json_writer *writer, const sp_duration *d)
{
    const form *f = form_of(d->form);
    sp_json_put(writer, "{");
    put_length(writer, true, "min", d->min);
    put_length(writer, d->min.value == 0, "max", d->max);
    if (f) {
        sp_json_put(writer, d->min.value > 0 || d->max.value > 0 ? ", " : "");
        sp_json_put_string(writer, f->key);
        sp_json_put(writer, ": {");
        put_length(writer, true, f->centre, d->centre);
        if (f->spread) {
            sp_json_put(writer, ", ");
            sp_json_put_string(writer, f->spread);
            sp_json_put(writer, ": ");
            sp_json_put_number(writer, d->spread);
        }
        sp_json_put(writer, "}");
    }
    if (d->form == SP_DURATION_PMF) {
        sp_json_put(writer, "\"pmf\": [");
        for (int32_t i = 0; i < d->n_pmf; i++) {
            sp_json_put(writer, i > 0 ? ", " : "");
            sp_json_put_number(writer, d->pmf[i]);
        }
        sp_json_put(writer, "]");
    }
    sp_json_put(writer, "}");
}

void sp_model_put_durations(sp_json_writer *writer, const sp_model *model)
{
    bool is_first = true;
    for (int32_t k = 0; model->durations && k < model->n_classes; k++) {
        if (model->durations[k].form == SP_DURATION_FREE)
            continue;
        if (is_first) {
            sp_json_put_key(writer, "durations");
            sp_json_put(writer, "{");
        }
        sp_json_put_name(writer, is_first, 4, model->classes[k]);
        put_duration(writer, &model->durations[k]);
        is_first = false;
    }
    if (!is_first)
        sp_json_put(writer, "}");
    if (model->whole_at_start && model->whole_at_end)
        sp_json_put(writer, ",\n  \"durations_at_ends\": \"whole\"");
    else if (model->whole_at_start || model->whole_at_end)
        sp_json_put(writer, model->whole_at_start
                                ? ",\n  \"durations_at_ends\": {\"start\": \"whole\", \"end\": \"cut\"}"
                                : ",\n  \"durations_at_ends\": {\"start\": \"cut\", \"end\": \"whole\"}");
}
