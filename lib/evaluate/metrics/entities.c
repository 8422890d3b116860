/* Named entities: which spans a sequence of tags means, and how many of them are right. */
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <string.h>

/* ---- what the classes say as tags ---- */

/* "O" and "B-PER", "I-PER", "E-PER" (or "L-"), "S-PER" (or "U-"). type: the part after the hyphen, NULL outside. */
static bool parse_tag(const char *name, sp_tag_kind *kind, const char **type)
{
    static const char letters[] = "BIELSU";
    static const sp_tag_kind kinds[] = {SP_TAG_BEGIN, SP_TAG_INSIDE, SP_TAG_END, SP_TAG_END, SP_TAG_SINGLE, SP_TAG_SINGLE};
    *type = NULL;
    if (strcmp(name, "O") == 0) {
        *kind = SP_TAG_OUTSIDE;
        return true;
    }
    const char *letter = name[0] ? strchr(letters, name[0]) : NULL;
    if (!letter || name[1] != '-' || !name[2])
        return false;
    *kind = kinds[letter - letters];
    *type = name + 2;
    return true;
}

static int32_t type_index(const sp_comparison *c, const char *type)
{
    for (int32_t i = 0; i < c->n_entity_types; i++)
        if (strcmp(c->entity_types[i], type) == 0)
            return i;
    return -1;
}

/* Names are tags when all of them can be read as one, one is O and one begins something. */
static bool are_tags(int32_t K, const char *const *classes)
{
    bool has_outside = false, has_begin = false;
    for (int32_t k = 0; k < K; k++) {
        sp_tag_kind kind;
        const char *type;
        if (!parse_tag(classes[k], &kind, &type))
            return false;
        has_outside |= kind == SP_TAG_OUTSIDE;
        has_begin |= kind == SP_TAG_BEGIN;
    }
    return has_outside && has_begin;
}

bool sp_tags_read(int32_t K, const char *const *classes, sp_tag *tags)
{
    if (!are_tags(K, classes))
        return false;
    for (int32_t k = 0; k < K; k++) {
        const char *type, *other;
        sp_tag_kind kind;
        parse_tag(classes[k], &tags[k].kind, &type);
        tags[k].type = type ? k : -1;
        for (int32_t j = 0; type && j < k && tags[k].type == k; j++)
            if (parse_tag(classes[j], &kind, &other) && other && strcmp(type, other) == 0)
                tags[k].type = j;
    }
    return true;
}

sp_status sp_tags_find(sp_evaluation *e, const char *const *classes, sp_error *err)
{
    sp_comparison *c = e->result;
    if (!classes || !are_tags(e->K, classes))
        return SP_OK;
    c->entity_types = calloc((size_t)e->K, sizeof *c->entity_types);
    e->tags = sp_zeros(&e->own, (size_t)e->K, sizeof *e->tags);
    if (!c->entity_types || !e->tags)
        return sp_no_memory(err);
    for (int32_t k = 0; k < e->K; k++) {
        const char *type;
        parse_tag(classes[k], &e->tags[k].kind, &type);
        e->tags[k].type = type ? type_index(c, type) : -1;
        e->has_end_tags |= e->tags[k].kind == SP_TAG_END || e->tags[k].kind == SP_TAG_SINGLE;
        if (!type || e->tags[k].type >= 0)
            continue;
        if (!(c->entity_types[c->n_entity_types] = strdup(type)))
            return sp_no_memory(err);
        e->tags[k].type = c->n_entity_types++;
    }
    c->has_entities = true;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_entities *entities = &c->strategies[s].entities;
        entities->types = calloc((size_t)c->n_entity_types, sizeof *entities->types);
        if (!entities->types)
            return sp_no_memory(err);
    }
    return SP_OK;
}

/* ---- spans ---- */

static const sp_tag outside = {SP_TAG_OUTSIDE, -1};

/* The tag of step t; outside where the path has no class or the reference is unscored. */
static sp_tag tag_at(const sp_tag *tags, const sp_recording *r, const int32_t *steps, int64_t t)
{
    return steps[t] < 0 || r->labels[t] < 0 ? outside : tags[steps[t]];
}

/* conlleval: does a span end after `before`, when `now` follows? */
static bool ends(sp_tag before, sp_tag now)
{
    if (before.type < 0)
        return false;
    return before.kind == SP_TAG_END || before.kind == SP_TAG_SINGLE || now.kind == SP_TAG_BEGIN || now.kind == SP_TAG_SINGLE ||
           now.type != before.type;
}

/* conlleval: does a span start at `now`, after `before`? */
static bool starts(sp_tag before, sp_tag now)
{
    if (now.type < 0)
        return false;
    return now.kind == SP_TAG_BEGIN || now.kind == SP_TAG_SINGLE || before.kind == SP_TAG_END || before.kind == SP_TAG_SINGLE ||
           now.type != before.type;
}

static void walk_begin(sp_tag_walk *w)
{
    if (!w->has_begun)
        *w = (sp_tag_walk){.has_begun = true, .before = outside, .first = -1};
}

/* Is the sequence of tags broken before row t of the piece? */
static bool is_cut_at(const sp_recording *r, int64_t t)
{
    return r->first + t > 0 && !sp_is_joined(r, t);
}

/* Spans that end in this piece, from the walk of the piece before. */
static int64_t read_spans(const sp_tag *tags, sp_tag_walk *w, const sp_recording *r, const int32_t *steps, sp_span *spans)
{
    walk_begin(w);
    int64_t n = 0, end = r->n_steps + (r->rest == 0);
    for (int64_t t = 0; t < end; t++) {
        bool is_cut = t == r->n_steps || is_cut_at(r, t);
        sp_tag now = t == r->n_steps ? outside : tag_at(tags, r, steps, t);
        if (is_cut ? w->before.type >= 0 : ends(w->before, now))
            spans[n++] = (sp_span){w->first, t - 1, w->before.type};
        if (starts(is_cut ? outside : w->before, now))
            w->first = t;
        w->before = now;
    }
    w->first -= r->n_steps; /* seen from the next piece */
    return n;
}

/* Well-formed spans only. A span is open from its B on; what cannot follow drops it in BIOES, where it lacks its end, and closes
 * it in BIO, where any step that does not go on is its end. */
static int64_t read_strict_spans(const sp_evaluation *e, sp_tag_walk *w, const sp_recording *r, const int32_t *steps,
                                 sp_span *spans)
{
    walk_begin(w);
    const int64_t none = INT64_MIN; /* no span is open */
    int64_t n = 0, end = r->n_steps + (r->rest == 0);
    if (r->first == 0)
        w->first = none;
    for (int64_t t = 0; t < end; t++) {
        bool is_cut = t == r->n_steps || is_cut_at(r, t);
        sp_tag now = t == r->n_steps ? outside : tag_at(e->tags, r, steps, t);
        bool goes_on =
            w->first != none && !is_cut && (now.kind == SP_TAG_INSIDE || now.kind == SP_TAG_END) && now.type == w->before.type;
        if (w->first != none && !goes_on) {
            if (!e->has_end_tags)
                spans[n++] = (sp_span){w->first, t - 1, w->before.type};
            w->first = none;
        }
        if (now.kind == SP_TAG_BEGIN) {
            w->first = t;
        } else if (now.kind == SP_TAG_SINGLE) {
            spans[n++] = (sp_span){t, t, now.type};
        } else if (goes_on && now.kind == SP_TAG_END) {
            spans[n++] = (sp_span){w->first, t, now.type};
            w->first = none;
        }
        w->before = now;
    }
    if (w->first != none)
        w->first -= r->n_steps; /* seen from the next piece */
    return n;
}

/* ---- counts ---- */

/* Both lists ascend, and no step is in two spans of one list. Two spans that are the same end in the same piece. types
 * [n_entity_types] or NULL. */
static void count_spans(int64_t m, const sp_span *reference, int64_t n, const sp_span *decoded, sp_entity_counts *all,
                        sp_entity_counts *types)
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

void sp_count_entities(const sp_tag *tags, const sp_recording *r, const int32_t *path, sp_span *reference, sp_span *decoded,
                       sp_entity_counts *all)
{
    sp_tag_walk walks[2] = {{.has_begun = false}, {.has_begun = false}};
    int64_t m = read_spans(tags, &walks[0], r, r->labels, reference), n = read_spans(tags, &walks[1], r, path, decoded);
    count_spans(m, reference, n, decoded, all, NULL);
}

void sp_add_entities(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path)
{
    sp_entities *out = &e->result->strategies[strategy].entities;
    sp_span *reference = e->scratch.reference_spans, *decoded = e->scratch.spans;
    sp_track *track = &e->tracks[strategy];
    int64_t m = read_spans(e->tags, &track->tags[0], r, r->labels, reference);
    int64_t n = read_spans(e->tags, &track->tags[1], r, path, decoded);
    count_spans(m, reference, n, decoded, &out->pooled, out->types);
    m = read_strict_spans(e, &track->strict_tags[0], r, r->labels, reference);
    n = read_strict_spans(e, &track->strict_tags[1], r, path, decoded);
    count_spans(m, reference, n, decoded, &out->strict, NULL);
}

static void counts_finish(sp_entity_counts *c)
{
    c->precision = value_ratio((double)c->correct, (double)c->decoded, "never predicted");
    c->recall = value_ratio((double)c->correct, (double)c->reference, "absent from the reference");
    c->f1 = value_ratio(2 * (double)c->correct, (double)(c->reference + c->decoded), "neither predicted nor in the reference");
}

void sp_entities_finish(const sp_evaluation *e, sp_entities *entities)
{
    counts_finish(&entities->pooled);
    counts_finish(&entities->strict);
    for (int32_t i = 0; entities->types && i < e->result->n_entity_types; i++)
        counts_finish(&entities->types[i]);
}
