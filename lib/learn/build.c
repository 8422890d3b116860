/* The usual shapes of models. */
#include "statepath/learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/edges.h"
#include "core/names.h"
#include "tags/tags.h"

/* ---- what all shapes share ---- */

/* Names that make a model: given, not empty, distinct. `what` is "class" or "entity type". */
static sp_status check_names(const char *what, int32_t n, const char *const *names, sp_error *err)
{
    if (n < 1)
        return sp_fail(err, SP_EINVAL, "a model needs at least one %s", what);
    sp_names seen;
    if (sp_names_init(&seen, n) != SP_OK)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    for (int32_t i = 0; status == SP_OK && i < n; i++) {
        if (!*names[i])
            status = sp_fail(err, SP_EINVAL, "%s %d has an empty name", what, i);
        else if (sp_names_add(&seen, names[i], i) != i)
            status = sp_fail(err, SP_EINVAL, "the %s \"%s\" is given twice; names must differ", what, names[i]);
    }
    sp_names_clear(&seen);
    return status;
}

/* Says whether `from` may be followed by `to` in a shape. */
typedef bool (*follows)(int32_t n_classes, int32_t step, int32_t from, int32_t to);
/* Is k in the set of those that may start, or end? */
typedef bool (*member)(int32_t k);

/* The classes' list of starts or ends as weights, 0 or -inf; NULL on lack of memory. */
static double *weights_of(int32_t n, member is_in)
{
    double *weight = malloc((size_t)n * sizeof *weight);
    for (int32_t k = 0; weight && k < n; k++)
        weight[k] = is_in(k) ? 0 : -INFINITY;
    return weight;
}

typedef struct shape {
    const char *name, *description;
    int32_t step;
    follows may_follow;
    member may_start, may_end; /* NULL: all */
} shape;

static sp_status build(const shape *s, int32_t n, const char *const *classes, sp_model **out, sp_error *err)
{
    sp_status status = check_names("class", n, classes, err);
    if (status != SP_OK)
        return status;
    sp_edges edges = {0};
    uint8_t *allowed = malloc((size_t)n);
    sp_model *model = sp_model_new(s->name, n, classes);
    status = SP_ENOMEM;
    if (allowed && model && (model->description = strdup(s->description)) &&
        (!s->may_start || (model->start = weights_of(n, s->may_start))) &&
        (!s->may_end || (model->end = weights_of(n, s->may_end))))
        status = sp_edges_init(&edges, n, err);
    for (int32_t i = 0; status == SP_OK && i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            allowed[j] = s->may_follow(n, s->step, i, j);
        status = sp_edges_add(&edges, allowed, err);
    }
    free(allowed);
    if (status == SP_OK) {
        sp_edges_move(&edges, model);
        model->start_is_list = s->may_start != NULL;
        model->end_is_list = s->may_end != NULL;
        *out = model;
        return SP_OK;
    }
    sp_edges_clear(&edges);
    sp_model_free(model);
    return sp_no_memory(err);
}

/* ---- tags of entities ---- */

/* Class 0 is O; then the tags of each type, in the order of the scheme. The caller frees them with free_tags(). */
static sp_status list_tags(const sp_tag_scheme *s, int32_t n_types, const char *const *types, char ***out, int32_t *n_out,
                           sp_error *err)
{
    const char *letters = sp_tag_scheme_letters(s);
    const int32_t n_letters = (int32_t)strlen(letters);
    sp_status status = check_names("entity type", n_types, types, err);
    if (status != SP_OK)
        return status;
    if (n_types > (INT32_MAX - 1) / n_letters)
        return sp_fail(err, SP_EINVAL, "%d entity types are too many", n_types);
    const int32_t n = 1 + n_types * n_letters;
    char **tags = calloc((size_t)n, sizeof *tags);
    *n_out = tags ? n : 0;
    *out = tags;
    if (!tags || !(tags[0] = strdup("O")))
        return sp_no_memory(err);
    for (int32_t k = 1; k < n; k++) {
        const char *type = types[(k - 1) / n_letters];
        const size_t size = strlen(type) + 3;
        if (!(tags[k] = malloc(size)))
            return sp_no_memory(err);
        snprintf(tags[k], size, "%c-%s", letters[(k - 1) % n_letters], type);
    }
    return SP_OK;
}

static void free_tags(char **tags, int32_t n)
{
    for (int32_t k = 0; tags && k < n; k++)
        free(tags[k]);
    free(tags);
}

/* Log weights [n] 0 or -inf; *out NULL where every tag may. */
static sp_status ends_of(const sp_tag_scheme *s, int32_t n, const sp_tag *tags, bool (*may)(const sp_tag_scheme *, sp_tag),
                         double **out, sp_error *err)
{
    bool all = true;
    double *weight = malloc((size_t)n * sizeof *weight);
    if (!weight)
        return sp_no_memory(err);
    for (int32_t k = 0; k < n; k++) {
        const bool is_allowed = may(s, tags[k]);
        weight[k] = is_allowed ? 0 : -INFINITY;
        all = all && is_allowed;
    }
    if (all) {
        free(weight);
        weight = NULL;
    }
    *out = weight;
    return SP_OK;
}

static sp_status add_tag_rules(const sp_tag_scheme *s, int32_t n, const sp_tag *tags, sp_model *model, sp_error *err)
{
    sp_edges edges = {0};
    uint8_t *allowed = malloc((size_t)n);
    sp_status status = allowed ? sp_edges_init(&edges, n, err) : sp_no_memory(err);
    for (int32_t i = 0; status == SP_OK && i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            allowed[j] = sp_tag_may_follow(s, tags[i], tags[j]);
        status = sp_edges_add(&edges, allowed, err);
    }
    free(allowed);
    if (status == SP_OK)
        sp_edges_move(&edges, model);
    sp_edges_clear(&edges);
    if (status == SP_OK)
        status = ends_of(s, n, tags, sp_tag_may_start, &model->start, err);
    if (status == SP_OK)
        status = ends_of(s, n, tags, sp_tag_may_end, &model->end, err);
    model->start_is_list = model->start != NULL;
    model->end_is_list = model->end != NULL;
    return status;
}

static sp_status model_of_tags(const sp_tag_scheme *s, const char *name, int32_t n, const char *const *names, sp_model **out,
                               sp_error *err)
{
    bool are_tags; /* what they are was checked */
    sp_status status = check_names("class", n, names, err);
    if (status == SP_OK)
        status = sp_tags_check(s, n, names, err);
    if (status != SP_OK)
        return status;
    sp_tag *tags = malloc((size_t)n * sizeof *tags);
    sp_model *model = sp_model_new(name, n, names);
    if (tags && model && (model->description = strdup(sp_tag_scheme_description(s))))
        status = sp_tags_read(n, names, tags, &are_tags, err);
    else
        status = sp_no_memory(err);
    if (status == SP_OK)
        status = add_tag_rules(s, n, tags, model, err);
    free(tags);
    if (status == SP_OK)
        *out = model;
    else
        sp_model_free(model);
    return status;
}

sp_status sp_model_new_tags(const char *scheme, int32_t n, const char *const *types, sp_model **out, sp_error *err)
{
    const sp_tag_scheme *s = NULL;
    char name[SP_TAG_SCHEME_NAME], **tags = NULL;
    int32_t n_tags = 0;
    sp_status status = sp_tag_scheme_find(scheme, &s, err);
    if (status != SP_OK)
        return status;
    sp_tag_model_name(s, name);
    if (sp_tags_are_listed(s, n, types))
        return model_of_tags(s, name, n, types, out, err);
    status = list_tags(s, n, types, &tags, &n_tags, err);
    if (status == SP_OK)
        status = model_of_tags(s, name, n_tags, (const char *const *)tags, out, err);
    free_tags(tags, n_tags);
    return status;
}

sp_status sp_model_new_bio(int32_t n_types, const char *const *types, sp_model **out, sp_error *err)
{
    return sp_model_new_tags("BIO", n_types, types, out, err);
}

sp_status sp_model_new_bioes(int32_t n_types, const char *const *types, sp_model **out, sp_error *err)
{
    return sp_model_new_tags("BIOES", n_types, types, out, err);
}

/* ---- orders ---- */

static sp_status check_step(int32_t step, sp_error *err)
{
    return step >= 1 ? SP_OK : sp_fail(err, SP_EINVAL, "step %d: must be at least 1", step);
}

static bool is_first(int32_t k)
{
    return k == 0;
}

static bool left_right_follows(int32_t n, int32_t step, int32_t from, int32_t to)
{
    (void)n;
    return to >= from && to - from <= step;
}

sp_status sp_model_new_left_right(int32_t n_classes, const char *const *classes, int32_t step, sp_model **out, sp_error *err)
{
    sp_status status = check_step(step, err);
    char text[128];
    snprintf(text, sizeof text, "stay, or go on by up to %d in the order of the classes; starts with the first", step);
    const shape s = {"left-right", text, step, left_right_follows, is_first, NULL};
    return status == SP_OK ? build(&s, n_classes, classes, out, err) : status;
}

static bool cycle_follows(int32_t n, int32_t step, int32_t from, int32_t to)
{
    (void)step;
    return to == from || to == (from + 1) % n;
}

sp_status sp_model_new_cycle(int32_t n_classes, const char *const *classes, sp_model **out, sp_error *err)
{
    static const shape cycle = {
        "cycle", "stay, or go on to the next class; after the last comes the first", 0, cycle_follows, NULL, NULL};
    return build(&cycle, n_classes, classes, out, err);
}

static bool band_follows(int32_t n, int32_t step, int32_t from, int32_t to)
{
    (void)n;
    return (to > from ? to - from : from - to) <= step;
}

sp_status sp_model_new_band(int32_t n_classes, const char *const *classes, int32_t step, sp_model **out, sp_error *err)
{
    sp_status status = check_step(step, err);
    char text[128];
    snprintf(text, sizeof text, "stay, or move by up to %d classes either way in their order", step);
    const shape s = {"band", text, step, band_follows, NULL, NULL};
    return status == SP_OK ? build(&s, n_classes, classes, out, err) : status;
}
