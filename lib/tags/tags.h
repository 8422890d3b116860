/* Tags of entities, such as B-PER and I-PER: THE table of tagging schemes, and what follows from it: which tags may follow one
 * another, where an entity begins and ends, which tag stands for which step of an entity. Not installed.
 *
 * A tag is O, outside of all entities, or a letter, a hyphen and the entity's type. A letter alone is of the type "_".
 */
#ifndef STATEPATH_TAGS_TAGS_H
#define STATEPATH_TAGS_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

/* What the letter of a tag says; L is E, U is S, M is I in schemes with other letters. */
typedef enum sp_tag_kind {
    SP_TAG_OUTSIDE,
    SP_TAG_BEGIN,
    SP_TAG_INSIDE,
    SP_TAG_END,
    SP_TAG_SINGLE,
    SP_N_TAG_KINDS
} sp_tag_kind;

typedef struct sp_tag {
    sp_tag_kind kind;
    int32_t type; /* of the entity; -1 outside */
} sp_tag;
static const sp_tag sp_tag_outside = {SP_TAG_OUTSIDE, -1};

typedef struct sp_tag_scheme sp_tag_scheme;

/* ---- names ---- */

/* The scheme of a name in any case: IOB1, IOB2 (BIO), IOE1, IOE2, BIOES (IOBES), BILOU (BIOUL), BMES. SP_OK; SP_EINVAL (lists
 * them). */
sp_status sp_tag_scheme_find(const char *name, const sp_tag_scheme **out, sp_error *err);
/* The scheme that tags of so many kinds are read in where nobody names one: kinds[letter] says whether it occurs, of "BIELMSU".
 * BILOU with L or U, BMES with M, BIOES with B and E or with S, IOE2 with E, else IOB2. */
const sp_tag_scheme *sp_tag_scheme_of(int32_t n, const char *const *tags);
const char *sp_tag_scheme_name(const sp_tag_scheme *s); /* "BIOES" */
const char *sp_tag_scheme_letters(
    const sp_tag_scheme *s); /* "BIES": the tags of a type, in the order of a list of tags */
const char *sp_tag_scheme_description(const sp_tag_scheme *s); /* of a model */
enum { SP_TAG_SCHEME_NAME = 8 };
void sp_tag_model_name(const sp_tag_scheme *s,
                       char name[SP_TAG_SCHEME_NAME]);        /* in small letters; of IOB2 "bio" */
char sp_tag_letter(const sp_tag_scheme *s, sp_tag_kind kind); /* 0: the scheme has no such tag */

/* Reads a name as a tag of any scheme; *type NULL outside, else it points into the name (or to "_"). False: it is none. */
bool sp_tag_parse(const char *name, sp_tag_kind *kind, const char **type);
/* Reads class names [n] as tags; types are numbered by their first class. False: they are no tags of entities: one of them cannot
 * be read, or nothing among them is O, or begins, or ends. SP_ENOMEM only. */
sp_status sp_tags_read(int32_t n, const char *const *names, sp_tag *tags, bool *are_tags, sp_error *err);
/* Each class [n] is a type of its own, whose entities are its runs. */
void sp_tags_of_runs(int32_t n, sp_tag *tags);
/* sp_tags_read(), and where the names are no tags sp_tags_of_runs(). SP_ENOMEM only. */
sp_status sp_tags_or_runs(int32_t n, const char *const *names, sp_tag *tags, bool *are_tags, sp_error *err);
/* Are names tags of the scheme, rather than types? One of them is O, or begins with a letter of it and a hyphen. */
bool sp_tags_are_listed(const sp_tag_scheme *s, int32_t n, const char *const *names);
/* SP_EINVAL where a tag's letter is none of the scheme's. */
sp_status sp_tags_check(const sp_tag_scheme *s, int32_t n, const char *const *tags, sp_error *err);

/* ---- rules ---- */

/* In a correct sequence. */
bool sp_tag_may_start(const sp_tag_scheme *s, sp_tag tag);
bool sp_tag_may_end(const sp_tag_scheme *s, sp_tag tag);
bool sp_tag_may_follow(const sp_tag_scheme *s, sp_tag from, sp_tag to);

/* ---- entities ---- */

/* As conlleval reads any sequence of tags of any scheme, correct or not, which is seqeval's default: does an entity end after
 * `before` where `now` follows; does one start at `now`? */
bool sp_entity_ends(sp_tag before, sp_tag now);
bool sp_entity_starts(sp_tag before, sp_tag now);

/* An entity in a sequence of tags. */
typedef struct sp_tagged_span {
    int64_t first, last; /* steps, both in it */
    int32_t type;
} sp_tagged_span;

/* The entities, read so, of a path [n] whose class k is tags[k]; a step of class -1 is outside. Where a step's segment is another
 * than that of the step before, an entity ends; segments NULL: nowhere. Into out [n], ascending; returns how many. */
int64_t sp_tagged_spans(const sp_tag *tags, int64_t n, const int32_t *path, const int64_t *segments,
                        sp_tagged_span *out);

/* The same by pairs of classes, of an entity of a type: does it begin with `now`, go on from `before` to `now`, end with `before`? A
 * class of -1: the side of the sequence. */
bool sp_tagged_begins(const sp_tag *tags, int32_t type, int32_t before, int32_t now);
bool sp_tagged_goes_on(const sp_tag *tags, int32_t type, int32_t before, int32_t now);
bool sp_tagged_ends(const sp_tag *tags, int32_t type, int32_t before, int32_t now);

/* As seqeval's mode "strict" reads them in a scheme: an entity starts only where the scheme starts one, goes on while it may, and
 * counts only if it then ends as the scheme ends one. */
bool sp_entity_starts_strictly(const sp_tag_scheme *s, sp_tag before, sp_tag now);
bool sp_entity_goes_on(const sp_tag_scheme *s, sp_tag before, sp_tag now);
bool sp_entity_ends_strictly(const sp_tag_scheme *s, sp_tag before, sp_tag now);

/* The kind of tag that a step of an entity has: is it its first, its last; does an entity of the same type end right before it,
 * begin right after it? */
sp_tag_kind sp_tag_for(const sp_tag_scheme *s, bool is_first, bool is_last, bool same_before,
                       bool same_after);

#endif
