/* The usual shapes of models. */
#include "statepath/learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/edges.h"
#include "core/names.h"
#include "core/try.h"
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
    for (int32_t i = 0; i < n; i++) {
        if (!*names[i])
            TRY(sp_fail(err, SP_EINVAL, "%s %d has an empty name", what, i));
        if (sp_names_add(&seen, names[i], i) != i)
            TRY(sp_fail(err, SP_EINVAL, "the %s \"%s\" is given twice; names must differ", what, names[i]));
    }
done:
    sp_names_clear(&seen);
    return status;
}

/* Is class k in the set of those that may start, or end? */
typedef bool member(const void *arg, int32_t k);

typedef struct shape {
    const char *name, *description;
    sp_edge_may *may_follow;
    member *may_start, *may_end; /* NULL: all, and the model has no list of them */
    const void *arg;
} shape;

/* The list of starts or ends as weights, 0 or -inf; NULL on lack of memory. */
static double *weights_of(const shape *s, int32_t n, member *is_in)
{
    double *weight = malloc((size_t)n * sizeof *weight);
    for (int32_t k = 0; weight && k < n; k++)
        weight[k] = is_in(s->arg, k) ? 0 : -INFINITY;
    return weight;
}

/* The names were checked. */
static sp_status build(const shape *s, int32_t n, const char *const *classes, sp_model **out, sp_error *err)
{
    sp_model *model = sp_model_new(s->name, n, classes);
    sp_status status = SP_OK;
    if (!model || !(model->description = strdup(s->description)) ||
        (s->may_start && !(model->start = weights_of(s, n, s->may_start))) ||
        (s->may_end && !(model->end = weights_of(s, n, s->may_end))))
        TRY(sp_no_memory(err));
    TRY(sp_edges_fill(model, s->may_follow, s->arg, err));
    model->start_is_list = s->may_start != NULL;
    model->end_is_list = s->may_end != NULL;
    *out = model;
    model = NULL;
done:
    sp_model_free(model);
    return status;
}

/* ---- tags of entities ---- */

/* Class 0 is O; then the tags of each type, in the order of the scheme. The caller frees them with free_tags(). */
static sp_status list_tags(const sp_tag_scheme *s, int32_t n_types, const char *const *types, char ***out,
                           int32_t *n_out, sp_error *err)
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

/* What classes are as tags. */
typedef struct tagging {
    const sp_tag_scheme *scheme;
    sp_tag *tags; /* [K] */
} tagging;

static bool tag_follows(const void *arg, int32_t from, int32_t to)
{
    const tagging *t = arg;
    return sp_tag_may_follow(t->scheme, t->tags[from], t->tags[to]);
}

static bool tag_starts(const void *arg, int32_t k)
{
    const tagging *t = arg;
    return sp_tag_may_start(t->scheme, t->tags[k]);
}

static bool tag_ends(const void *arg, int32_t k)
{
    const tagging *t = arg;
    return sp_tag_may_end(t->scheme, t->tags[k]);
}

/* NULL where all may. */
static member *unless_all(member *is_in, int32_t n, const tagging *t)
{
    for (int32_t k = 0; k < n; k++)
        if (!is_in(t, k))
            return is_in;
    return NULL;
}

static sp_status model_of_tags(const sp_tag_scheme *s, const char *name, int32_t n, const char *const *names,
                               sp_model **out, sp_error *err)
{
    bool are_tags; /* what they are was checked */
    tagging t = {.scheme = s};
    sp_status status = SP_OK;
    TRY(check_names("class", n, names, err));
    TRY(sp_tags_check(s, n, names, err));
    if (!(t.tags = malloc((size_t)n * sizeof *t.tags)))
        TRY(sp_no_memory(err));
    TRY(sp_tags_read(n, names, t.tags, &are_tags, err));
    const shape tags = {.name = name,
                        .description = sp_tag_scheme_description(s),
                        .may_follow = tag_follows,
                        .may_start = unless_all(tag_starts, n, &t),
                        .may_end = unless_all(tag_ends, n, &t),
                        .arg = &t};
    TRY(build(&tags, n, names, out, err));
done:
    free(t.tags);
    return status;
}

sp_status sp_model_new_tags(const char *scheme, int32_t n, const char *const *types, sp_model **out,
                            sp_error *err)
{
    const sp_tag_scheme *s = NULL;
    char name[SP_TAG_SCHEME_NAME], **tags = NULL;
    int32_t n_tags = 0;
    sp_status status = SP_OK;
    TRY(sp_tag_scheme_find(scheme, &s, err));
    sp_tag_model_name(s, name);
    if (sp_tags_are_listed(s, n, types))
        return model_of_tags(s, name, n, types, out, err);
    TRY(list_tags(s, n, types, &tags, &n_tags, err));
    TRY(model_of_tags(s, name, n_tags, (const char *const *)tags, out, err));
done:
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

typedef struct order {
    int32_t n_classes, step;
} order;

static bool is_first(const void *arg, int32_t k)
{
    (void)arg;
    return k == 0;
}

static bool left_right_follows(const void *arg, int32_t from, int32_t to)
{
    return to >= from && to - from <= ((const order *)arg)->step;
}

static bool cycle_follows(const void *arg, int32_t from, int32_t to)
{
    return to == from || to == (from + 1) % ((const order *)arg)->n_classes;
}

static bool band_follows(const void *arg, int32_t from, int32_t to)
{
    return (to > from ? to - from : from - to) <= ((const order *)arg)->step;
}

static sp_status model_of_order(shape s, order o, const char *const *classes, sp_model **out, sp_error *err)
{
    sp_status status = SP_OK;
    if (o.step < 1)
        TRY(sp_fail(err, SP_EINVAL, "step %d: must be at least 1", o.step));
    TRY(check_names("class", o.n_classes, classes, err));
    s.arg = &o;
    TRY(build(&s, o.n_classes, classes, out, err));
done:
    return status;
}

sp_status sp_model_new_left_right(int32_t n_classes, const char *const *classes, int32_t step, sp_model **out,
                                  sp_error *err)
{
    char text[128];
    snprintf(text, sizeof text,
             "stay, or go on by up to %d in the order of the classes; starts with the first", step);
    const shape s = {
        .name = "left-right", .description = text, .may_follow = left_right_follows, .may_start = is_first};
    return model_of_order(s, (order){n_classes, step}, classes, out, err);
}

sp_status sp_model_new_cycle(int32_t n_classes, const char *const *classes, sp_model **out, sp_error *err)
{
    const shape s = {.name = "cycle",
                     .description = "stay, or go on to the next class; after the last comes the first",
                     .may_follow = cycle_follows};
    return model_of_order(s, (order){n_classes, 1}, classes, out, err);
}

sp_status sp_model_new_band(int32_t n_classes, const char *const *classes, int32_t step, sp_model **out,
                            sp_error *err)
{
    char text[128];
    snprintf(text, sizeof text, "stay, or move by up to %d classes either way in their order", step);
    const shape s = {.name = "band", .description = text, .may_follow = band_follows};
    return model_of_order(s, (order){n_classes, step}, classes, out, err);
}
