/* From the text of a rule to its automaton: an expression by a non-deterministic automaton (Thompson 1968) and the subset
 * construction (Rabin and Scott 1959), a short form by what it has to remember; then the least automaton (refine.h).
 *
 * Classes that no set of the rule tells apart are one letter until the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/durations.h"
#include "core/numbers.h"
#include "core/owned.h"
#include "core/rules/intern.h"
#include "core/rules/refine.h"
#include "core/rules/rule_text.h"
#include "core/rules/rules.h"
#include "core/try.h"

enum { MOST_STATES = 1 << 20 };
static const int64_t MOST_CELLS = INT64_C(1) << 28;

typedef struct compiler {
    const sp_rule_text *text;
    const char *name;
    double step_seconds;
    bool may_at_gap;
    int32_t n_classes, n_letters; /* letters: groups of classes, then a gap, then a step without label */
    int32_t *letter_of_class;
    int32_t *class_of_letter; /* any */
    sp_owned own;
    sp_error *err;
} compiler;

static sp_status fail_large(const compiler *c)
{
    return sp_fail(c->err, SP_EMODEL,
                   "rule %s: it has to remember more than %d states; make its numbers smaller", c->name,
                   MOST_STATES);
}

/* ---- letters ---- */

/* Splits letters by a set. */
static void tell_apart(compiler *c, const uint8_t *set, int32_t *new_letter)
{
    if (!set)
        return;
    memset(new_letter, 0, (size_t)c->n_letters * sizeof *new_letter);
    for (int32_t k = 0; k < c->n_classes; k++) {
        const int32_t l = c->letter_of_class[k];
        if (set[k] == set[c->class_of_letter[l]])
            continue;
        if (!new_letter[l]) {
            new_letter[l] = c->n_letters;
            c->class_of_letter[c->n_letters++] = k;
        }
        c->letter_of_class[k] = new_letter[l];
    }
}

static sp_status find_letters(compiler *c)
{
    const size_t K = (size_t)c->n_classes;
    c->letter_of_class = sp_zeros(&c->own, K, sizeof *c->letter_of_class);
    c->class_of_letter = sp_zeros(&c->own, K, sizeof *c->class_of_letter);
    int32_t *room = sp_zeros(&c->own, K, sizeof *room);
    if (c->own.is_short)
        return sp_no_memory(c->err);
    c->n_letters = 1;
    tell_apart(c, c->text->of, room);
    tell_apart(c, c->text->other, room);
    for (int32_t i = 0; i < c->text->n_nodes; i++)
        tell_apart(c, c->text->nodes[i].set, room);
    c->n_letters += 2;
    return SP_OK;
}

static bool is_in(const compiler *c, const uint8_t *set, int32_t letter)
{
    return set && letter < c->n_letters - 2 && set[c->class_of_letter[letter]];
}

/* ---- automata over letters ---- */

typedef struct table {
    int32_t n; /* states */
    int32_t *next;
    uint8_t *broken;  /* [n, letters] */
    int32_t *missing; /* [n] */
} table;

static sp_status new_table(compiler *c, int64_t n, table *out)
{
    if (n > MOST_STATES || n * c->n_letters > MOST_CELLS)
        return fail_large(c);
    const size_t cells = (size_t)n * (size_t)c->n_letters;
    *out = (table){.n = (int32_t)n,
                   .next = sp_zeros(&c->own, cells, sizeof *out->next),
                   .broken = sp_zeros(&c->own, cells, 1),
                   .missing = sp_zeros(&c->own, (size_t)n, sizeof *out->missing)};
    return sp_owned_status(&c->own, c->err);
}

static sp_status reverse(compiler *c, const table *t, sp_refine_edges *out)
{
    return sp_refine_reverse(&c->own, t->n, c->n_letters, NULL, t->next, out) ? SP_OK : sp_no_memory(c->err);
}

/* Drops states that the first does not reach. */
static sp_status keep_reached(compiler *c, table *t)
{
    const int32_t L = c->n_letters;
    int32_t *number = sp_zeros(&c->own, (size_t)t->n, sizeof *number),
            *old = sp_zeros(&c->own, (size_t)t->n, sizeof *old), n = 1;
    if (c->own.is_short)
        return sp_no_memory(c->err);
    for (int32_t i = 1; i < t->n; i++)
        number[i] = -1;
    for (int32_t i = 0; i < n; i++)
        for (int32_t l = 0; l < L; l++) {
            const int32_t to = t->next[old[i] * L + l];
            if (number[to] < 0) {
                number[to] = n;
                old[n++] = to;
            }
        }
    table out;
    sp_status status = new_table(c, n, &out);
    for (int32_t i = 0; status == SP_OK && i < n; i++) {
        out.missing[i] = t->missing[old[i]];
        for (int32_t l = 0; l < L; l++) {
            out.next[i * L + l] = number[t->next[old[i] * L + l]];
            out.broken[i * L + l] = t->broken[old[i] * L + l];
        }
    }
    *t = status == SP_OK ? out : *t;
    return status;
}

/* The least automaton that counts alike, over classes. */
static sp_status minimise(compiler *c, table *t, sp_rule_automaton *out)
{
    const size_t L = (size_t)c->n_letters, K = (size_t)c->n_classes;
    sp_intern kinds = {0};
    sp_refine_edges edges;
    sp_status status = SP_OK;
    TRY(keep_reached(c, t));
    TRY(reverse(c, t, &edges));
    int32_t *block = sp_zeros(&c->own, (size_t)t->n, sizeof *block);
    char *key = sp_zeros(&c->own, L + sizeof *t->missing, 1);
    TRY(sp_owned_status(&c->own, c->err));
    for (int32_t i = 0; i < t->n; i++) {
        memcpy(key, t->broken + (size_t)i * L, L);
        memcpy(key + L, &t->missing[i], sizeof *t->missing);
        block[i] = sp_intern_add(&kinds, key, L + sizeof *t->missing);
    }
    const int32_t n = kinds.is_short ? -1 : sp_refine(&edges, kinds.n, block);
    TRY(n < 0 ? sp_no_memory(c->err) : SP_OK);
    if ((int64_t)n * (int64_t)(K + 2) > MOST_CELLS)
        TRY(fail_large(c));
    const size_t cells = (size_t)n * (K + 2);
    *out = (sp_rule_automaton){.n_states = n,
                               .n_classes = c->n_classes,
                               .is_backward = c->text->form == SP_RULE_FOLLOWED,
                               .next = malloc(cells * sizeof *out->next),
                               .broken = malloc(cells),
                               .missing = malloc((size_t)n * sizeof *out->missing)};
    TRY(out->next && out->broken && out->missing ? SP_OK : sp_no_memory(c->err));
    for (int32_t i = 0; i < t->n; i++)
        for (size_t l = 0; l < K + 2; l++) {
            const size_t from = (size_t)i * L + (l < K ? (size_t)c->letter_of_class[l] : l - K + L - 2),
                         to = (size_t)block[i] * (K + 2) + l;
            out->next[to] = block[t->next[from]];
            out->broken[to] = t->broken[from];
            out->missing[block[i]] = t->missing[i];
        }
done:
    sp_intern_clear(&kinds);
    return status;
}

/* ---- short forms ---- */

/* What a short form remembers. */
typedef struct memory {
    bool has_begun; /* the class of `from first` was seen */
    bool is_inside; /* of a counted run */
    int32_t count;  /* steps or runs so far, or the place of the next step; up to n + 1 */
} memory;

typedef struct short_form {
    const compiler *c;
    sp_rule_form form;
    int32_t n;
    bool has_from, counts_runs, may_at_gap;
} short_form;

static int32_t number_of(memory m)
{
    return 4 * m.count + 2 * m.has_begun + m.is_inside;
}

/* A gap, or a step without label. */
static memory past_unseen(const short_form *f, memory m, bool is_gap)
{
    const bool is_place = f->form == SP_RULE_NOT_BEFORE || f->form == SP_RULE_NOT_AFTER;
    m.is_inside = false;
    if (is_place && !is_gap) { /* the first step of `from first` may be this one */
        m.has_begun |= f->may_at_gap && f->form == SP_RULE_NOT_BEFORE;
        m.count += m.has_begun && m.count <= f->n;
    } else if (f->may_at_gap && (f->form == SP_RULE_AT_LEAST || f->form == SP_RULE_NOT_BEFORE)) {
        m = (memory){.has_begun = true, .count = f->n};
    } else if (f->form == SP_RULE_FIRST || f->form == SP_RULE_LAST) {
        m.count = is_gap ? m.count : 1; /* a first or last step without label breaks nothing */
    } else if (f->form >= SP_RULE_FOLLOWED && f->may_at_gap) {
        m.count = 1;
    }
    return m;
}

/* A step that is one of `of` (is_of), one of `other`. *broken: out. */
static memory past_step(const short_form *f, memory m, bool is_of, bool is_other, uint8_t *broken)
{
    switch (f->form) {
    case SP_RULE_FIRST:
        *broken = m.count == 0 && !is_of;
        m.count = 1;
        return m;
    case SP_RULE_LAST:
        m.count = is_of;
        return m;
    case SP_RULE_FOLLOWED: /* read backward */
    case SP_RULE_PRECEDED:
        *broken = is_of && m.count == 0;
        m.count |= is_other;
        return m;
    default:
        break;
    }
    if (!m.has_begun) {
        m.has_begun = is_other;
        m.is_inside = false;
    }
    if (f->form == SP_RULE_NOT_BEFORE || f->form == SP_RULE_NOT_AFTER) {
        *broken = is_of && (f->form == SP_RULE_NOT_BEFORE ? !m.has_begun || m.count < f->n : m.count > f->n);
        m.count += m.has_begun && m.count <= f->n;
        return m;
    }
    if (m.has_begun && is_of && !(f->counts_runs && m.is_inside)) {
        *broken = f->form == SP_RULE_AT_MOST && m.count == f->n;
        m.count += m.count < f->n;
    }
    m.is_inside = m.has_begun && is_of && f->counts_runs;
    return m;
}

static sp_status fill_short_form(compiler *c, table *t)
{
    const bool has_number = c->text->form >= SP_RULE_AT_LEAST && c->text->form <= SP_RULE_NOT_AFTER;
    const int32_t L = c->n_letters, gap = L - 2;
    double n = 1;
    char what[160];
    snprintf(what, sizeof what, "rule %s: a length", c->name);
    sp_status status = SP_OK;
    if (has_number)
        TRY(sp_length_steps(c->text->length, c->step_seconds, what, &n, c->err));
    if (!(n < (double)(MOST_STATES >> 2) - 2))
        TRY(fail_large(c));
    const short_form f = {
        c, c->text->form, (int32_t)n, has_number && c->text->other, c->text->counts_runs, c->may_at_gap};
    TRY(new_table(c, 4 * ((int64_t)n + 2), t));
    const int32_t first = number_of((memory){.has_begun = !f.has_from});
    for (int32_t s = 0; s < t->n; s++) {
        const memory m = {.has_begun = s & 2, .is_inside = s & 1, .count = s / 4};
        const int32_t i = s == first ? 0 : s == 0 ? first : s; /* the first state is 0 */
        if (f.form == SP_RULE_AT_LEAST)
            t->missing[i] = m.count < f.n ? f.n - m.count : 0;
        else if (f.form == SP_RULE_LAST)
            t->missing[i] = m.count == 0;
        for (int32_t l = 0; l < L; l++) {
            const size_t at = (size_t)i * (size_t)L + (size_t)l;
            const int32_t to = number_of(l >= gap ? past_unseen(&f, m, l == gap)
                                                  : past_step(&f, m, is_in(c, c->text->of, l),
                                                              is_in(c, c->text->other, l), &t->broken[at]));
            t->next[at] = to == first ? 0 : to == 0 ? first : to;
        }
    }
done:
    return status;
}

/* ---- expressions: the non-deterministic automaton ---- */

/* A state goes on by a set of classes, or without a step to up to two others; or not at all. */
typedef struct nfa_state {
    const uint8_t *set;
    int32_t to[2]; /* -1: none */
} nfa_state;

typedef struct nfa {
    compiler *c;
    nfa_state *states;
    int32_t n, room;
    int32_t final;
    int32_t *stack, *seen, stamp; /* [n] of closures */
} nfa;

static sp_status nfa_new(nfa *a, int32_t *out)
{
    bool is_whole = true;
    if (a->n >= MOST_STATES)
        return fail_large(a->c);
    if (a->n == a->room) {
        a->room = a->room ? 2 * a->room : 64;
        a->states = sp_grown(a->states, a->room, sizeof *a->states, &is_whole);
        if (!is_whole)
            return sp_no_memory(a->c->err);
    }
    a->states[a->n] = (nfa_state){NULL, {-1, -1}};
    *out = a->n++;
    return SP_OK;
}

static sp_status nfa_build(nfa *a, int32_t node, int32_t from, int32_t *to);

static sp_status build_either(nfa *a, const sp_rule_node *n, int32_t from, int32_t *to)
{
    int32_t left, right, left_end, right_end;
    sp_status status = SP_OK;
    TRY(nfa_new(a, &left));
    TRY(nfa_new(a, &right));
    a->states[from] = (nfa_state){NULL, {left, right}};
    TRY(nfa_build(a, n->left, left, &left_end));
    TRY(nfa_build(a, n->right, right, &right_end));
    TRY(nfa_new(a, to));
    a->states[left_end].to[0] = a->states[right_end].to[0] = *to;
done:
    return status;
}

static sp_status steps_of(nfa *a, sp_length length, int64_t *out)
{
    double steps;
    char what[160];
    snprintf(what, sizeof what, "rule %s: a length", a->c->name);
    const sp_status status = sp_length_steps(length, a->c->step_seconds, what, &steps, a->c->err);
    if (status == SP_OK && !(steps < MOST_STATES))
        return fail_large(a->c);
    *out = status == SP_OK ? (int64_t)steps : 0;
    return status;
}

static sp_status build_repeat(nfa *a, const sp_rule_node *n, int32_t from, int32_t *to)
{
    int64_t min, max;
    int32_t body, end = -1;
    sp_status status = SP_OK;
    TRY(steps_of(a, n->min, &min));
    TRY(steps_of(a, n->is_unbounded ? n->min : n->max, &max));
    if (max < min)
        TRY(sp_fail(a->c->err, SP_EMODEL,
                    "rule %s: {%lld,%lld} in steps: the second number is less than the first", a->c->name,
                    (long long)min, (long long)max));
    for (int64_t i = 0; i < min; i++)
        TRY(nfa_build(a, n->left, from, &from));
    if (n->is_unbounded) { /* from -> loop -> body .. loop, or end */
        int32_t loop, back;
        TRY(nfa_new(a, &loop));
        TRY(nfa_new(a, &body));
        TRY(nfa_new(a, to));
        a->states[from].to[0] = loop;
        a->states[loop] = (nfa_state){NULL, {body, *to}};
        TRY(nfa_build(a, n->left, body, &back));
        a->states[back].to[0] = loop;
        return SP_OK;
    }
    for (int64_t i = min; i < max; i++) {
        TRY(end < 0 ? nfa_new(a, &end) : SP_OK);
        TRY(nfa_new(a, &body));
        a->states[from] = (nfa_state){NULL, {body, end}};
        TRY(nfa_build(a, n->left, body, &from));
    }
    if (end >= 0)
        a->states[from].to[0] = end;
    *to = end >= 0 ? end : from;
done:
    return status;
}

/* Adds what a node matches behind state `from`, which leads nowhere yet; *to likewise is where it ends. */
static sp_status nfa_build(nfa *a, int32_t node, int32_t from, int32_t *to)
{
    const sp_rule_node *n = &a->c->text->nodes[node];
    sp_status status = SP_OK;
    switch (n->kind) {
    case SP_RULE_SET:
        TRY(nfa_new(a, to));
        a->states[from].set = n->set;
        a->states[from].to[0] = *to;
        break;
    case SP_RULE_SEQUENCE:
        TRY(nfa_build(a, n->left, from, to));
        TRY(nfa_build(a, n->right, *to, to));
        break;
    case SP_RULE_EITHER:
        TRY(build_either(a, n, from, to));
        break;
    case SP_RULE_REPEAT:
        TRY(build_repeat(a, n, from, to));
        break;
    }
done:
    return status;
}

/* Puts states that are reached without a step on the list; with over_all, those reached by any steps too. The list may hold each
 * state once: a->seen. */
static void close_over(nfa *a, int32_t *list, int32_t *n, bool over_all)
{
    for (int32_t at = 0; at < *n; at++) {
        const nfa_state *s = &a->states[list[at]];
        for (int b = 0; b < 2 && (!s->set || over_all); b++)
            if (s->to[b] >= 0 && a->seen[s->to[b]] != a->stamp) {
                a->seen[s->to[b]] = a->stamp;
                list[(*n)++] = s->to[b];
            }
    }
}

static void put(nfa *a, int32_t *list, int32_t *n, int32_t state)
{
    if (a->seen[state] == a->stamp)
        return;
    a->seen[state] = a->stamp;
    list[(*n)++] = state;
}

/* The number of the subset on the list: those of its states that go on by a step, or end. */
static int32_t subset(nfa *a, sp_intern *subsets, int32_t *list, int32_t n)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++)
        if (a->states[list[i]].set || list[i] == a->final)
            list[kept++] = list[i];
    qsort(list, (size_t)kept, sizeof *list, number_compare_int32);
    return sp_intern_add(subsets, list, (size_t)kept * sizeof *list);
}

/* The subset that a letter leads to from subset i. A stretch of `never` may begin at each step. */
static int32_t subset_after(nfa *a, sp_intern *subsets, int32_t i, int32_t letter)
{
    const compiler *c = a->c;
    const bool is_never = c->text->form == SP_RULE_NEVER, is_unseen = letter >= c->n_letters - 2;
    size_t size;
    const int32_t *states = sp_intern_key(subsets, i, &size);
    int32_t *list = a->stack, n = 0;
    if (is_unseen && is_never)
        return 0;
    if (is_unseen && !c->may_at_gap)
        return i;
    a->stamp++;
    for (size_t s = 0; s < size / sizeof *states; s++) {
        const nfa_state *state = &a->states[states[s]];
        if (is_unseen)
            put(a, list, &n, states[s]);
        else if (is_in(c, state->set, letter))
            put(a, list, &n, state->to[0]);
    }
    if (is_never)
        put(a, list, &n, 0);
    close_over(a, list, &n, is_unseen);
    return subset(a, subsets, list, n);
}

/* An expression that is not matched: 1 where no match is possible any more, or at the end. */
static sp_status mark_dead(compiler *c, table *t)
{
    const int32_t L = c->n_letters;
    sp_refine_edges edges;
    uint8_t *is_alive = sp_zeros(&c->own, (size_t)t->n, 1);
    int32_t *queue = sp_zeros(&c->own, (size_t)t->n, sizeof *queue), n = 0;
    sp_status status = reverse(c, t, &edges);
    if (status != SP_OK)
        return status;
    for (int32_t i = 0; i < t->n; i++)
        if (!t->missing[i]) {
            is_alive[i] = 1;
            queue[n++] = i;
        }
    for (int32_t at = 0; at < n; at++)
        for (int64_t e = edges.row[queue[at]]; e < edges.row[queue[at] + 1]; e++)
            if (!is_alive[edges.from[e]]) {
                is_alive[edges.from[e]] = 1;
                queue[n++] = edges.from[e];
            }
    is_alive[0] = 1; /* where nothing matches, the first step breaks the rule */
    for (int32_t i = 0; i < t->n; i++) {
        t->missing[i] = is_alive[i] && t->missing[i];
        for (int32_t l = 0; l < L; l++)
            t->broken[i * L + l] = is_alive[i] && !is_alive[t->next[i * L + l]];
    }
    return SP_OK;
}

static sp_status fill_from_subsets(compiler *c, nfa *a, sp_intern *subsets, table *t)
{
    const int32_t L = c->n_letters;
    const bool is_never = c->text->form == SP_RULE_NEVER;
    int32_t *next = NULL, room = 0;
    bool is_whole = true;
    sp_status status = SP_OK;
    for (int32_t i = 0; i < subsets->n; i++) {
        if (i == room) {
            room = room ? 2 * room : 64;
            next = sp_grown(next, (int64_t)room * L, sizeof *next, &is_whole);
            TRY(is_whole ? SP_OK : sp_no_memory(c->err));
        }
        for (int32_t l = 0; l < L; l++)
            next[i * L + l] = subset_after(a, subsets, i, l);
        TRY(subsets->is_short ? sp_no_memory(c->err) : SP_OK);
        if (subsets->n > MOST_STATES || (int64_t)subsets->n * L > MOST_CELLS)
            TRY(fail_large(c));
    }
    TRY(new_table(c, subsets->n, t));
    memcpy(t->next, next, (size_t)t->n * (size_t)L * sizeof *next);
    for (int32_t i = 0; i < t->n; i++) {
        size_t size;
        const int32_t *states = sp_intern_key(subsets, i, &size);
        bool is_final = false;
        for (size_t s = 0; s < size / sizeof *states; s++)
            is_final |= states[s] == a->final;
        t->missing[i] = !is_final;
    }
    if (is_never) {
        for (int32_t i = 0; i < t->n * L; i++)
            t->broken[i] = i % L < L - 2 && !t->missing[t->next[i]];
        memset(t->missing, 0, (size_t)t->n * sizeof *t->missing);
    } else {
        TRY(mark_dead(c, t));
    }
done:
    free(next);
    return status;
}

static sp_status fill_expression(compiler *c, table *t)
{
    nfa a = {.c = c};
    sp_intern subsets = {0};
    int32_t first, n = 0;
    sp_status status = SP_OK;
    TRY(nfa_new(&a, &first));
    TRY(nfa_build(&a, c->text->root, first, &a.final));
    a.stack = sp_zeros(&c->own, (size_t)a.n, sizeof *a.stack);
    a.seen = sp_zeros(&c->own, (size_t)a.n, sizeof *a.seen);
    TRY(sp_owned_status(&c->own, c->err));
    a.stamp = 1;
    put(&a, a.stack, &n, first);
    close_over(&a, a.stack, &n, false);
    if (c->text->form == SP_RULE_NEVER && a.seen[a.final] == a.stamp)
        TRY(sp_fail(
            c->err, SP_EMODEL,
            "rule %s: what must never be matches the empty stretch, which is everywhere; let it have a step",
            c->name));
    TRY(subset(&a, &subsets, a.stack, n) == 0 ? SP_OK : sp_no_memory(c->err));
    TRY(fill_from_subsets(c, &a, &subsets, t));
done:
    free(a.states);
    sp_intern_clear(&subsets);
    return status;
}

/* ---- door ---- */

sp_status sp_rule_compile(const sp_model *model, int32_t r, double step_seconds, sp_rule_automaton *out,
                          sp_error *err)
{
    const sp_rule *rule = &model->rules[r];
    sp_rule_text text;
    compiler c = {.text = &text,
                  .name = rule->name,
                  .step_seconds = step_seconds,
                  .may_at_gap = rule->may_at_gap,
                  .n_classes = model->n_classes,
                  .err = err};
    table t;
    sp_status status = SP_OK;
    *out = (sp_rule_automaton){.n_states = 0};
    TRY(sp_rule_parse(model, rule->name, rule->text, &text, err));
    TRY(find_letters(&c));
    TRY(text.form == SP_RULE_EXPRESSION || text.form == SP_RULE_NEVER ? fill_expression(&c, &t)
                                                                      : fill_short_form(&c, &t));
    TRY(minimise(&c, &t, out));
done:
    sp_owned_free(&c.own);
    sp_rule_text_clear(&text);
    return status;
}

void sp_rule_automaton_clear(sp_rule_automaton *automaton)
{
    free(automaton->next);
    free(automaton->broken);
    free(automaton->missing);
    *automaton = (sp_rule_automaton){.n_states = 0};
}
