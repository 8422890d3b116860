/* The usual shapes of models. */
#include "statepath/learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/edges.h"
#include "core/names.h"

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

/* Class 0 is O; then the tags of each type, in the order of `tags`. */
static sp_status build_tags(const shape *s, const char *tags, int32_t n_types, const char *const *types, sp_model **out,
                            sp_error *err)
{
    sp_status status = check_names("entity type", n_types, types, err);
    if (status != SP_OK)
        return status;
    int32_t n_tags = (int32_t)strlen(tags);
    if (n_types > (INT32_MAX - 1) / n_tags)
        return sp_fail(err, SP_EINVAL, "%d entity types are too many", n_types);
    int32_t n = 1 + n_types * n_tags;
    char **classes = calloc((size_t)n, sizeof *classes);
    bool is_complete = classes && (classes[0] = strdup("O"));
    for (int32_t k = 1; is_complete && k < n; k++) {
        const char *type = types[(k - 1) / n_tags];
        size_t size = strlen(type) + 3;
        if ((is_complete = (classes[k] = malloc(size)) != NULL))
            snprintf(classes[k], size, "%c-%s", tags[(k - 1) % n_tags], type);
    }
    status = is_complete ? build(s, n, (const char *const *)classes, out, err) : sp_no_memory(err);
    for (int32_t k = 0; classes && k < n; k++)
        free(classes[k]);
    free(classes);
    return status;
}

static bool bio_starts(int32_t k)
{
    return k == 0 || k % 2 == 1;
}

/* I-X (even numbers above 0) only after B-X, the number before, or I-X. */
static bool bio_follows(int32_t n, int32_t step, int32_t from, int32_t to)
{
    (void)n, (void)step;
    return bio_starts(to) || from == to || from == to - 1;
}

sp_status sp_model_new_bio(int32_t n_types, const char *const *types, sp_model **out, sp_error *err)
{
    static const shape bio = {"bio", "BIO tags: I-X only after B-X or I-X, never first", 0, bio_follows, bio_starts, NULL};
    return build_tags(&bio, "BI", n_types, types, out, err);
}

/* Tag of a class: which of B, I, E, S it is; O like S, an entity that is complete. */
enum { TAG_B, TAG_I, TAG_E, TAG_S };

static int bioes_tag(int32_t k)
{
    return k == 0 ? TAG_S : (k - 1) % 4;
}

static bool bioes_starts(int32_t k)
{
    return bioes_tag(k) == TAG_B || bioes_tag(k) == TAG_S;
}

static bool bioes_ends(int32_t k)
{
    return bioes_tag(k) == TAG_E || bioes_tag(k) == TAG_S;
}

/* After B-X and I-X the entity goes on, I-X or E-X; after all else something new begins. */
static bool bioes_follows(int32_t n, int32_t step, int32_t from, int32_t to)
{
    (void)n, (void)step;
    if (bioes_ends(from))
        return bioes_starts(to);
    return !bioes_starts(to) && (from - 1) / 4 == (to - 1) / 4;
}

sp_status sp_model_new_bioes(int32_t n_types, const char *const *types, sp_model **out, sp_error *err)
{
    static const shape bioes = {"bioes",
                                "BIOES tags: B-X and I-X are followed by I-X or E-X, all else by O, B or S; starts with O, B or "
                                "S, ends with O, E or S",
                                0,
                                bioes_follows,
                                bioes_starts,
                                bioes_ends};
    return build_tags(&bioes, "BIES", n_types, types, out, err);
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
