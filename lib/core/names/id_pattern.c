#include "core/names/id_pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/owned.h"
#include "core/try.h"

/* ---- a name of a pattern ---- */

/* Do the first n letters of `pattern` give the first m of `text`? A * stands for letters of one folder's
 * name; where the text goes on otherwise, the last * takes one letter more. */
static bool is_given(const char *pattern, size_t n, const char *text, size_t m)
{
    const char *p = pattern, *t = text, *after_star = NULL, *taken = NULL;
    while (t < text + m) {
        const bool is_there = p < pattern + n;
        if (is_there && *p == '*') {
            after_star = ++p;
            taken = t;
        } else if (is_there && *p == *t) {
            p++, t++;
        } else if (after_star && *taken != '/') {
            p = after_star;
            t = ++taken;
        } else {
            return false;
        }
    }
    while (p < pattern + n && *p == '*')
        p++;
    return p == pattern + n;
}

bool sp_id_find(const char *pattern, const char *name, size_t *first, size_t *length)
{
    const char *hole = strstr(pattern, SP_ID_HOLE), *rest = hole ? hole + strlen(SP_ID_HOLE) : NULL;
    const size_t n = strlen(name);
    size_t best = 0;
    for (size_t i = 0; hole && i < n; i++) {
        const char *slash = strchr(name + i, '/');
        if (!is_given(pattern, (size_t)(hole - pattern), name, i))
            continue;
        for (size_t end = slash ? (size_t)(slash - name) : n; end > i + best; end--)
            if (is_given(rest, strlen(rest), name + end, n - end)) {
                *first = i;
                *length = best = end - i;
            }
    }
    return best > 0;
}

/* ---- one to one ---- */

/* A part of an id. */
typedef struct part {
    const char *at, *id;
    size_t n;
} part;

static int by_letters(const void *a, const void *b)
{
    const part *x = a, *y = b;
    const int order = memcmp(x->at, y->at, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* How many of the fewer are one of the others, where that is all of them, and none stands there twice;
 * else 0. */
static int64_t count_same(part *a, int64_t n_a, part *b, int64_t n_b, const char *pair[2])
{
    int64_t n = 0, i = 0, j = 0;
    qsort(a, (size_t)n_a, sizeof *a, by_letters);
    qsort(b, (size_t)n_b, sizeof *b, by_letters);
    while (i < n_a && j < n_b) {
        const int order = by_letters(&a[i], &b[j]);
        if ((i > 0 && by_letters(&a[i - 1], &a[i]) == 0) || (j > 0 && by_letters(&b[j - 1], &b[j]) == 0))
            return 0;
        if (order == 0 && pair && !pair[0] && strcmp(a[i].id, b[j].id) != 0) {
            pair[0] = a[i].id;
            pair[1] = b[j].id;
        }
        n += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    return n == (n_a < n_b ? n_a : n_b) ? n : 0;
}

static void simplify(const char *id, unsigned differ, char *out)
{
    for (const char *at = id; *at; at++) {
        const bool begins_number =
            isdigit((unsigned char)*at) && (at == id || !isdigit((unsigned char)at[-1]));
        if (differ & SP_IDS_ZEROS && begins_number)
            while (*at == '0' && isdigit((unsigned char)at[1]))
                at++;
        const int letter = (unsigned char)*at;
        *out++ = (char)(differ & SP_IDS_CASE ? tolower(letter) : letter);
    }
    *out = '\0';
}

static part *simplified(const sp_ids *ids, unsigned differ, sp_owned *own)
{
    part *parts = sp_zeros(own, (size_t)ids->n, sizeof *parts);
    for (int64_t i = 0; parts && i < ids->n; i++) {
        char *text = sp_owned_text(own, ids->ids[i]);
        if (text)
            simplify(ids->ids[i], differ, text);
        parts[i] = (part){text, ids->ids[i], text ? strlen(text) : 0};
    }
    return parts;
}

sp_status sp_ids_alike(const sp_ids *a, const sp_ids *b, unsigned differ, int64_t *n, const char *pair[2],
                       sp_error *err)
{
    sp_owned own = {0};
    part *ours = simplified(a, differ, &own), *theirs = simplified(b, differ, &own);
    sp_status status = SP_OK;
    pair[0] = pair[1] = NULL;
    TRY(sp_owned_status(&own, err));
    *n = count_same(ours, a->n, theirs, b->n, pair);
done:
    sp_owned_free(&own);
    return status;
}

/* ---- what ids share ---- */

enum { LONGEST = 100, CANDIDATES = 16, TRIALS = 2000 };

/* One place: an id, and what all of its ids begin and end with. */
typedef struct place {
    const sp_ids *ids;
    const char *id;
    size_t n, begin, end; /* letters */
    part *parts;          /* [n] */
} place;

static place place_of(const sp_ids *ids, sp_owned *own)
{
    place p = {.ids = ids, .id = ids->ids[0], .n = strlen(ids->ids[0])};
    p.begin = p.end = p.n;
    for (int64_t i = 1; i < ids->n; i++) {
        const char *id = ids->ids[i];
        const size_t n = strlen(id);
        size_t same = 0;
        while (same < p.begin && id[same] == p.id[same])
            same++;
        p.begin = same;
        same = 0;
        while (same < p.end && same < n && id[n - 1 - same] == p.id[p.n - 1 - same])
            same++;
        p.end = same;
    }
    p.parts = sp_zeros(own, (size_t)ids->n, sizeof *p.parts);
    return p;
}

/* The pattern in which `length` letters of the id from `first` on are {id}: beside them what all ids have
 * there, else the letter next to them, a *, and what all have at that end. */
static bool make_pattern(const place *p, size_t first, size_t length, char out[SP_ID_PATTERN])
{
    const size_t after = p->n - first - length;
    const char *rest = p->id + first + length;
    char before[LONGEST + 3], behind[LONGEST + 3];
    if (first <= p->begin)
        snprintf(before, sizeof before, "%.*s", (int)first, p->id);
    else
        snprintf(before, sizeof before, "%.*s*%c", (int)p->begin, p->id, p->id[first - 1]);
    if (after <= p->end)
        snprintf(behind, sizeof behind, "%s", rest);
    else
        snprintf(behind, sizeof behind, "%c*%s", *rest, p->id + p->n - p->end);
    return snprintf(out, SP_ID_PATTERN, "%s" SP_ID_HOLE "%s", before, behind) < SP_ID_PATTERN;
}

static bool find_parts(const place *p, const char *pattern, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        size_t first, length;
        if (!sp_id_find(pattern, p->ids->ids[i], &first, &length))
            return false;
        p->parts[i] = (part){p->ids->ids[i] + first, p->ids->ids[i], length};
    }
    return true;
}

/* A few of a place of fewer ids, before all are looked at: is each of them there? */
static bool may_match(const place *few, const place *many)
{
    enum { FEW = 4 };
    for (int64_t i = 0; i < few->ids->n && i < FEW; i++) {
        int64_t j = 0;
        while (j < many->ids->n && by_letters(&few->parts[i], &many->parts[j]) != 0)
            j++;
        if (j == many->ids->n)
            return false;
    }
    return true;
}

static int64_t try_patterns(const place *a, const place *b, const sp_id_patterns *patterns)
{
    if (!find_parts(a, patterns->a, a->ids->n) || !find_parts(b, patterns->b, b->ids->n))
        return 0;
    if (a->ids->n <= b->ids->n ? !may_match(a, b) : !may_match(b, a))
        return 0;
    return count_same(a->parts, a->ids->n, b->parts, b->ids->n, NULL);
}

/* The number of letters of the longest part that two ids share. */
static size_t shared(const char *a, const char *b)
{
    size_t best = 0;
    for (size_t i = 0; a[i]; i++)
        for (size_t j = 0; b[j]; j++) {
            size_t n = 0;
            while (a[i + n] && a[i + n] == b[j + n])
                n++;
            best = n > best ? n : best;
        }
    return best;
}

/* The ids of the other place that share the longest parts with an id: the first of equal ones. */
static int find_candidates(const char *id, const sp_ids *others, int64_t found[CANDIDATES])
{
    size_t letters[CANDIDATES] = {0};
    int n = 0;
    for (int64_t i = 0; i < others->n; i++) {
        const size_t same = shared(id, others->ids[i]);
        int at = n < CANDIDATES ? n++ : CANDIDATES;
        for (; at > 0 && letters[at - 1] < same; at--)
            if (at < CANDIDATES) {
                letters[at] = letters[at - 1];
                found[at] = found[at - 1];
            }
        if (at < CANDIDATES) {
            letters[at] = same;
            found[at] = i;
        }
    }
    return n;
}

/* Parts of so many letters that both ids have; a part begins and ends with a letter or digit. */
static bool try_length(place *a, place *b, size_t length, int *trials, sp_id_patterns *out)
{
    for (size_t i = 0; i + length <= a->n; i++)
        for (size_t j = 0; j + length <= b->n && *trials < TRIALS; j++) {
            const char *at = a->id + i;
            if (strncmp(at, b->id + j, length) != 0 || !isalnum((unsigned char)at[0]) ||
                !isalnum((unsigned char)at[length - 1]))
                continue;
            ++*trials;
            if (make_pattern(a, i, length, out->a) && make_pattern(b, j, length, out->b) &&
                (out->n = try_patterns(a, b, out)) > 0)
                return true;
        }
    return false;
}

static bool can_be_patterns(const sp_ids *ids)
{
    for (int64_t i = 0; i < ids->n; i++)
        if (strpbrk(ids->ids[i], "*/{") || strlen(ids->ids[i]) > LONGEST)
            return false;
    return ids->n > 0;
}

sp_status sp_id_patterns_find(const sp_ids *a, const sp_ids *b, sp_id_patterns *out, sp_error *err)
{
    enum { LEAST_OF_ONE = 3 }; /* letters, where no other id tells chance from meaning */
    sp_owned own = {0};
    int64_t candidates[CANDIDATES];
    int trials = 0;
    sp_status status = SP_OK;
    out->n = 0;
    if (!can_be_patterns(a) || !can_be_patterns(b))
        return SP_OK;
    place ours = place_of(a, &own), theirs = place_of(b, &own);
    TRY(sp_owned_status(&own, err));
    const int n = find_candidates(ours.id, b, candidates);
    const size_t least = a->n == 1 || b->n == 1 ? LEAST_OF_ONE : 1;
    for (size_t length = ours.n; length >= least && trials < TRIALS; length--)
        for (int c = 0; c < n; c++) {
            place other = theirs;
            other.id = b->ids[candidates[c]];
            other.n = strlen(other.id);
            if (try_length(&ours, &other, length, &trials, out))
                goto done;
        }
    out->n = 0;
done:
    sp_owned_free(&own);
    return status;
}
