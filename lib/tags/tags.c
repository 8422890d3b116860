#include "tags/tags.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/names.h"

/* ---- the table ---- */

/* Where a tag may stand in a correct sequence. SAME: of the step beside it, where that is the end or the beginning of another
 * entity of the same type; OTHER: anything else is beside it. */
enum {
    GOES_ON = 1,    /* the entity goes on at the next step */
    CONTINUES = 2,  /* the entity was there at the step before */
    FIRST_SAME = 4, /* the first step of an entity ... */
    FIRST_OTHER = 8,
    LAST_SAME = 16, /* the last step of an entity ... */
    LAST_OTHER = 32,
    INNER = GOES_ON | CONTINUES,
    FIRST = FIRST_SAME | FIRST_OTHER,
    LAST = LAST_SAME | LAST_OTHER,
    N_NAMES = 2
};

struct sp_tag_scheme {
    const char *names[N_NAMES]; /* the first is the scheme's own */
    const char *letters;        /* of a type, in order */
    char letter[SP_N_TAG_KINDS];
    uint8_t places[SP_N_TAG_KINDS];
    /* Where seqeval's strict mode departs from `places`: pairs of kinds (O, B, I, E) and a relation of types: '=' the same, '!'
     * others, '*' any. */
    const char *also_starts, *never_starts, *never_ends;
    const char *description;
};

#define LETTERS(b, i, e, s)                                                                                  \
    {                                                                                                        \
        [SP_TAG_OUTSIDE] = 'O', [SP_TAG_BEGIN] = b, [SP_TAG_INSIDE] = i, [SP_TAG_END] = e,                   \
        [SP_TAG_SINGLE] = s                                                                                  \
    }
#define PLACES(b, i, e, s)                                                                                   \
    {                                                                                                        \
        [SP_TAG_BEGIN] = b, [SP_TAG_INSIDE] = i, [SP_TAG_END] = e, [SP_TAG_SINGLE] = s                       \
    }
#define WHOLE PLACES(GOES_ON | FIRST, INNER, CONTINUES | LAST, FIRST | LAST)

/* THE table of schemes. */
static const sp_tag_scheme schemes[] = {
    {{"IOB1"},
     "BI",
     LETTERS('B', 'I', 0, 0),
     PLACES(GOES_ON | FIRST_SAME | LAST, INNER | FIRST_OTHER | LAST, 0, 0),
     .also_starts = "BI=",
     .never_ends = "BB!",
     .description = "IOB1 tags: B-X only after a tag of X"},
    {{"IOB2", "BIO"},
     "BI",
     LETTERS('B', 'I', 0, 0),
     PLACES(GOES_ON | FIRST | LAST, INNER | LAST, 0, 0),
     .description = "BIO tags: I-X only after B-X or I-X, never first"},
    {{"IOE1"},
     "IE",
     LETTERS(0, 'I', 'E', 0),
     PLACES(0, INNER | FIRST | LAST_OTHER, CONTINUES | FIRST | LAST_SAME, 0),
     .never_starts = "OE* IE! EE!",
     .description = "IOE1 tags: E-X only before a tag of X, never last"},
    {{"IOE2"},
     "IE",
     LETTERS(0, 'I', 'E', 0),
     PLACES(0, INNER | FIRST, CONTINUES | FIRST | LAST, 0),
     .description = "IOE2 tags: I-X is followed by I-X or E-X, never last"},
    {{"BIOES", "IOBES"},
     "BIES",
     LETTERS('B', 'I', 'E', 'S'),
     WHOLE,
     .description = "BIOES tags: B-X and I-X are followed by I-X or E-X, all else by O, B or S; starts with "
                    "O, B or S, ends with "
                    "O, E or S"},
    {{"BILOU", "BIOUL"},
     "BILU",
     LETTERS('B', 'I', 'L', 'U'),
     WHOLE,
     .description = "BILOU tags: B-X and I-X are followed by I-X or L-X, all else by O, B or U; starts with "
                    "O, B or U, ends with "
                    "O, L or U"},
    {{"BMES"},
     "BMES",
     LETTERS('B', 'M', 'E', 'S'),
     WHOLE,
     .description = "BMES tags: B-X and M-X are followed by M-X or E-X, all else by O, B or S; starts with "
                    "O, B or S, ends with "
                    "O, E or S"},
};
enum { IOB2 = 1, IOE2 = 3, BIOES, BILOU, BMES, N_SCHEMES = sizeof schemes / sizeof schemes[0] };

/* ---- names ---- */

sp_status sp_tag_scheme_find(const char *name, const sp_tag_scheme **out, sp_error *err)
{
    for (int i = 0; i < N_SCHEMES; i++)
        for (int j = 0; j < N_NAMES && schemes[i].names[j]; j++)
            if (strcasecmp(schemes[i].names[j], name) == 0) {
                *out = &schemes[i];
                return SP_OK;
            }
    return sp_fail(err, SP_EINVAL,
                   "`scheme` \"%.40s\": there are IOB1, IOB2 (or BIO), IOE1, IOE2, BIOES, BILOU, BMES", name);
}

const char *sp_tag_scheme_name(const sp_tag_scheme *s)
{
    return s->names[0];
}

const char *sp_tag_scheme_letters(const sp_tag_scheme *s)
{
    return s->letters;
}

const char *sp_tag_scheme_description(const sp_tag_scheme *s)
{
    return s->description;
}

void sp_tag_model_name(const sp_tag_scheme *s, char name[SP_TAG_SCHEME_NAME])
{
    const char *from = s == &schemes[IOB2] ? "BIO" : s->names[0];
    size_t n = 0;
    for (; from[n] && n + 1 < SP_TAG_SCHEME_NAME; n++)
        name[n] = (char)tolower((unsigned char)from[n]);
    name[n] = '\0';
}

char sp_tag_letter(const sp_tag_scheme *s, sp_tag_kind kind)
{
    return s->letter[kind];
}

bool sp_tag_parse(const char *name, sp_tag_kind *kind, const char **type)
{
    static const char letters[] = "BIMELSU";
    static const sp_tag_kind kinds[] = {SP_TAG_BEGIN, SP_TAG_INSIDE, SP_TAG_INSIDE, SP_TAG_END,
                                        SP_TAG_END,   SP_TAG_SINGLE, SP_TAG_SINGLE};
    *type = NULL;
    *kind = SP_TAG_OUTSIDE;
    if (strcmp(name, "O") == 0)
        return true;
    const char *letter = name[0] ? strchr(letters, name[0]) : NULL;
    if (!letter || (name[1] && (name[1] != '-' || !name[2])))
        return false;
    *kind = kinds[letter - letters];
    *type = name[1] ? name + 2 : "_";
    return true;
}

const sp_tag_scheme *sp_tag_scheme_of(int32_t n, const char *const *tags)
{
    bool has[128] = {false};
    for (int32_t k = 0; k < n; k++)
        has[tags[k][0] & 127] = true;
    const int i = has['L'] || has['U']                 ? BILOU
                  : has['M']                           ? BMES
                  : has['S'] || (has['B'] && has['E']) ? BIOES
                  : has['E']                           ? IOE2
                                                       : IOB2;
    return &schemes[i];
}

/* Do the kinds that occur make tags of entities, and not names of one letter or with a hyphen that mean something else? Whole
 * tags need no O; letters without a type need a B, or E and I ("I", "M" and "O" are parts of a membrane protein). */
static bool are_of_entities(const bool kinds[SP_N_TAG_KINDS], bool has_types)
{
    if (!kinds[SP_TAG_OUTSIDE])
        return kinds[SP_TAG_BEGIN] && kinds[SP_TAG_END];
    return kinds[SP_TAG_BEGIN] || (kinds[SP_TAG_END] && kinds[SP_TAG_INSIDE]) ||
           (has_types && kinds[SP_TAG_INSIDE]);
}

sp_status sp_tags_read(int32_t n, const char *const *names, sp_tag *tags, bool *are_tags, sp_error *err)
{
    sp_names types;
    bool kinds[SP_N_TAG_KINDS] = {false}, has_types = false, is_read = true;
    if (sp_names_init(&types, n) != SP_OK)
        return sp_no_memory(err);
    for (int32_t k = 0; k < n && is_read; k++) {
        const char *type;
        is_read = sp_tag_parse(names[k], &tags[k].kind, &type);
        kinds[tags[k].kind] = true;
        has_types |= type && names[k][1];
        tags[k].type = is_read && type ? sp_names_add(&types, type, k) : -1;
    }
    sp_names_clear(&types);
    *are_tags = is_read && are_of_entities(kinds, has_types);
    return SP_OK;
}

void sp_tags_of_runs(int32_t n, sp_tag *tags)
{
    for (int32_t k = 0; k < n; k++)
        tags[k] = (sp_tag){SP_TAG_INSIDE, k};
}

sp_status sp_tags_or_runs(int32_t n, const char *const *names, sp_tag *tags, bool *are_tags, sp_error *err)
{
    const sp_status status = sp_tags_read(n, names, tags, are_tags, err);
    if (status == SP_OK && !*are_tags)
        sp_tags_of_runs(n, tags);
    return status;
}

bool sp_tags_are_listed(const sp_tag_scheme *s, int32_t n, const char *const *names)
{
    bool found = false;
    for (int32_t k = 0; k < n && !found; k++)
        found = strcmp(names[k], "O") == 0 ||
                (names[k][0] && strchr(s->letters, names[k][0]) && names[k][1] == '-' && names[k][2]);
    return found;
}

sp_status sp_tags_check(const sp_tag_scheme *s, int32_t n, const char *const *tags, sp_error *err)
{
    for (int32_t k = 0; k < n; k++) {
        sp_tag_kind kind;
        const char *type;
        if (sp_tag_parse(tags[k], &kind, &type) && s->letter[kind] == tags[k][0])
            continue;
        char list[64];
        size_t used = 0;
        for (const char *c = s->letters; *c; c++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%c-X", used ? ", " : "", *c);
        return sp_fail(err, SP_EINVAL,
                       "tag \"%.60s\" is none of the scheme %s: tags are O and %s (`scheme` names another "
                       "scheme; special tokens "
                       "are no classes)",
                       tags[k], s->names[0], list);
    }
    return SP_OK;
}

/* ---- rules ---- */

static bool is_at(const sp_tag_scheme *s, sp_tag tag, int places)
{
    return (s->places[tag.kind] & places) != 0;
}

bool sp_tag_may_start(const sp_tag_scheme *s, sp_tag tag)
{
    return tag.type < 0 || is_at(s, tag, FIRST_OTHER);
}

bool sp_tag_may_end(const sp_tag_scheme *s, sp_tag tag)
{
    return tag.type < 0 || is_at(s, tag, LAST_OTHER);
}

bool sp_tag_may_follow(const sp_tag_scheme *s, sp_tag from, sp_tag to)
{
    if (from.type >= 0 && from.type == to.type)
        return sp_entity_goes_on(s, from, to) || (is_at(s, from, LAST_SAME) && is_at(s, to, FIRST_SAME));
    return sp_tag_may_end(s, from) && sp_tag_may_start(s, to);
}

/* ---- entities ---- */

bool sp_entity_ends(sp_tag before, sp_tag now)
{
    if (before.type < 0)
        return false;
    return before.kind == SP_TAG_END || before.kind == SP_TAG_SINGLE || now.kind == SP_TAG_BEGIN ||
           now.kind == SP_TAG_SINGLE || now.type != before.type;
}

bool sp_entity_starts(sp_tag before, sp_tag now)
{
    if (now.type < 0)
        return false;
    return now.kind == SP_TAG_BEGIN || now.kind == SP_TAG_SINGLE || before.kind == SP_TAG_END ||
           before.kind == SP_TAG_SINGLE || now.type != before.type;
}

int64_t sp_tagged_spans(const sp_tag *tags, int64_t n, const int32_t *path, const int64_t *segments,
                        sp_tagged_span *out)
{
    int64_t found = 0, first = 0;
    sp_tag before = sp_tag_outside;
    for (int64_t t = 0; t <= n; t++) {
        const bool is_cut = t == n || (segments && t > 0 && segments[t] != segments[t - 1]);
        const sp_tag now = t == n || path[t] < 0 ? sp_tag_outside : tags[path[t]];
        if (is_cut ? before.type >= 0 : sp_entity_ends(before, now))
            out[found++] = (sp_tagged_span){first, t - 1, before.type};
        if (sp_entity_starts(is_cut ? sp_tag_outside : before, now))
            first = t;
        before = now;
    }
    return found;
}

static sp_tag tag_of(const sp_tag *tags, int32_t k)
{
    return k < 0 ? sp_tag_outside : tags[k];
}

bool sp_tagged_begins(const sp_tag *tags, int32_t type, int32_t before, int32_t now)
{
    return tag_of(tags, now).type == type && sp_entity_starts(tag_of(tags, before), tag_of(tags, now));
}

bool sp_tagged_goes_on(const sp_tag *tags, int32_t type, int32_t before, int32_t now)
{
    const sp_tag from = tag_of(tags, before), to = tag_of(tags, now);
    return from.type == type && !sp_entity_ends(from, to) && !sp_entity_starts(from, to);
}

bool sp_tagged_ends(const sp_tag *tags, int32_t type, int32_t before, int32_t now)
{
    return tag_of(tags, before).type == type && sp_entity_ends(tag_of(tags, before), tag_of(tags, now));
}

/* Is the pair one of those that the table lists? */
static bool is_listed(const char *pairs, sp_tag before, sp_tag now)
{
    static const char kinds[SP_N_TAG_KINDS + 1] = "OBIES";
    for (const char *p = pairs; p && *p; p += p[3] ? 4 : 3)
        if (p[0] == kinds[before.kind] && p[1] == kinds[now.kind] &&
            (p[2] == '*' || (p[2] == '=') == (before.type == now.type)))
            return true;
    return false;
}

bool sp_entity_starts_strictly(const sp_tag_scheme *s, sp_tag before, sp_tag now)
{
    const int place = before.type == now.type ? FIRST_SAME : FIRST_OTHER;
    return (is_at(s, now, place) || is_listed(s->also_starts, before, now)) &&
           !is_listed(s->never_starts, before, now);
}

bool sp_entity_goes_on(const sp_tag_scheme *s, sp_tag before, sp_tag now)
{
    return before.type >= 0 && before.type == now.type && is_at(s, before, GOES_ON) &&
           is_at(s, now, CONTINUES);
}

bool sp_entity_ends_strictly(const sp_tag_scheme *s, sp_tag before, sp_tag now)
{
    return is_at(s, before, before.type == now.type ? LAST_SAME : LAST_OTHER) &&
           !is_listed(s->never_ends, before, now);
}

sp_tag_kind sp_tag_for(const sp_tag_scheme *s, bool is_first, bool is_last, bool same_before, bool same_after)
{
    const int wanted = (is_first ? (same_before ? FIRST_SAME : FIRST_OTHER) : CONTINUES) |
                       (is_last ? (same_after ? LAST_SAME : LAST_OTHER) : GOES_ON);
    int kind = SP_TAG_BEGIN;
    while (kind < SP_TAG_SINGLE && (!s->letter[kind] || (s->places[kind] & wanted) != wanted))
        kind++;
    return (sp_tag_kind)kind;
}
