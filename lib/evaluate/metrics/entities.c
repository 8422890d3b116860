/* Named entities: which spans a sequence of tags means, and how many of them are right. */
#include "core/try.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <string.h>

/* ---- what the classes say as tags ---- */

/* Types are numbered in the order of the classes, and named. */
static sp_status name_types(sp_evaluation *e, const char *const *classes, sp_error *err)
{
    sp_comparison *c = e->result;
    for (int32_t k = 0; k < e->K; k++) {
        const int32_t first = e->tags[k].type;
        if (first < 0)
            continue;
        if (first < k) {
            e->tags[k].type = e->tags[first].type;
            continue;
        }
        sp_tag_kind kind;
        const char *type;
        sp_tag_parse(classes[k], &kind, &type);
        if (!(c->entity_types[c->n_entity_types] = strdup(type)))
            return sp_no_memory(err);
        e->tags[k].type = c->n_entity_types++;
    }
    return SP_OK;
}

static sp_status find_scheme(sp_evaluation *e, const char *const *classes, const sp_tag_scheme *named,
                             sp_error *err)
{
    e->scheme = named ? named : sp_tag_scheme_of(e->K, classes);
    e->result->entity_scheme = sp_tag_scheme_name(e->scheme);
    return named ? sp_tags_check(named, e->K, classes, err) : SP_OK;
}

sp_status sp_tags_find(sp_evaluation *e, const char *const *classes, const sp_tag_scheme *scheme,
                       sp_error *err)
{
    sp_comparison *c = e->result;
    if (!classes)
        return SP_OK;
    sp_tag *tags = sp_zeros(&e->own, (size_t)e->K, sizeof *tags);
    if (!tags)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    TRY(sp_tags_read(e->K, classes, tags, &c->has_entities, err));
    if (!c->has_entities)
        return scheme ? sp_fail(err, SP_EINVAL,
                                "`scheme`: the classes are no tags of entities, such as O, B-PER and I-PER")
                      : SP_OK;
    e->tags = tags;
    c->entity_types = calloc((size_t)e->K, sizeof *c->entity_types);
    TRY(c->entity_types ? name_types(e, classes, err) : sp_no_memory(err));
    TRY(find_scheme(e, classes, scheme, err));
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_entities *entities = &c->strategies[s].entities;
        entities->types = calloc((size_t)c->n_entity_types, sizeof *entities->types);
        if (!entities->types)
            TRY(sp_no_memory(err));
    }
done:
    return status;
}

/* ---- spans ---- */

/* The tag of step t; outside where the path has no class or the reference is unscored. */
static sp_tag tag_at(const sp_tag *tags, const sp_recording *r, const int32_t *steps, int64_t t)
{
    return steps[t] < 0 || r->labels[t] < 0 ? sp_tag_outside : tags[steps[t]];
}

/* Is the sequence of tags broken before step t, or at the end? */
static bool is_cut_at(const sp_recording *r, int64_t t)
{
    return t == r->n_steps || (t > 0 && !sp_is_joined(r, t));
}

static int64_t read_spans(const sp_tag *tags, const sp_recording *r, const int32_t *steps,
                          sp_entity_span *spans)
{
    sp_tag before = sp_tag_outside;
    int64_t n = 0, first = -1;
    for (int64_t t = 0; t <= r->n_steps; t++) {
        const bool is_cut = is_cut_at(r, t);
        const sp_tag now = t == r->n_steps ? sp_tag_outside : tag_at(tags, r, steps, t);
        if (is_cut ? before.type >= 0 : sp_entity_ends(before, now))
            spans[n++] = (sp_entity_span){first, t - 1, before.type};
        if (sp_entity_starts(is_cut ? sp_tag_outside : before, now))
            first = t;
        before = now;
    }
    return n;
}

/* The same as the scheme reads them strictly. */
static int64_t read_strict_spans(const sp_evaluation *e, const sp_recording *r, const int32_t *steps,
                                 sp_entity_span *spans)
{
    const int64_t none = -1; /* no span is open */
    sp_tag before = sp_tag_outside;
    int64_t n = 0, first = none;
    for (int64_t t = 0; t <= r->n_steps; t++) {
        const bool is_cut = is_cut_at(r, t);
        const sp_tag now = t == r->n_steps ? sp_tag_outside : tag_at(e->tags, r, steps, t);
        if (first == none || is_cut || !sp_entity_goes_on(e->scheme, before, now)) {
            if (first != none && sp_entity_ends_strictly(e->scheme, before, is_cut ? sp_tag_outside : now))
                spans[n++] = (sp_entity_span){first, t - 1, before.type};
            first = sp_entity_starts_strictly(e->scheme, is_cut ? sp_tag_outside : before, now) ? t : none;
        }
        before = now;
    }
    return n;
}

/* ---- counts ---- */

/* Both lists ascend, and no step is in two spans of one list. types [n_entity_types]
 * or NULL. */
static void count_spans(int64_t m, const sp_entity_span *reference, int64_t n, const sp_entity_span *decoded,
                        sp_entity_counts *all, sp_entity_counts *types)
{
    all->reference += m;
    all->decoded += n;
    for (int64_t i = 0; types && i < m; i++)
        types[reference[i].k].reference++;
    for (int64_t j = 0; types && j < n; j++)
        types[decoded[j].k].decoded++;
    for (int64_t i = 0, j = 0; i < m && j < n;) {
        if (reference[i].first != decoded[j].first) {
            *(reference[i].first < decoded[j].first ? &i : &j) += 1;
            continue;
        }
        if (reference[i].last == decoded[j].last && reference[i].k == decoded[j].k) {
            all->correct++;
            if (types)
                types[reference[i].k].correct++;
        }
        i++;
        j++;
    }
}

void sp_count_entities(const sp_tag *tags, const sp_recording *r, const int32_t *path,
                       sp_entity_span *reference, sp_entity_span *decoded, sp_entity_counts *all)
{
    int64_t m = read_spans(tags, r, r->labels, reference), n = read_spans(tags, r, path, decoded);
    count_spans(m, reference, n, decoded, all, NULL);
}

void sp_add_entities(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path)
{
    sp_entities *out = &e->result->strategies[strategy].entities;
    sp_entity_span *reference = e->scratch.reference_spans, *decoded = e->scratch.spans;
    int64_t m = read_spans(e->tags, r, r->labels, reference);
    int64_t n = read_spans(e->tags, r, path, decoded);
    count_spans(m, reference, n, decoded, &out->pooled, out->types);
    m = read_strict_spans(e, r, r->labels, reference);
    n = read_strict_spans(e, r, path, decoded);
    count_spans(m, reference, n, decoded, &out->strict, NULL);
}

static void counts_finish(sp_entity_counts *c)
{
    c->precision = value_ratio((double)c->correct, (double)c->decoded, "never predicted");
    c->recall = value_ratio((double)c->correct, (double)c->reference, "absent from the reference");
    c->f1 = value_ratio(2 * (double)c->correct, (double)(c->reference + c->decoded),
                        "neither predicted nor in the reference");
}

void sp_entities_finish(const sp_evaluation *e, sp_entities *entities)
{
    counts_finish(&entities->pooled);
    counts_finish(&entities->strict);
    for (int32_t i = 0; entities->types && i < e->result->n_entity_types; i++)
        counts_finish(&entities->types[i]);
}
