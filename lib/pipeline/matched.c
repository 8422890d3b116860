#include "pipeline/matched.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/block.h"
#include "core/names/id_pattern.h"
#include "core/try.h"
#include "pipeline/recordings.h"

/* ---- which is which ---- */

enum { MOST_NAMED = 10, LIST_TEXT = 900 };

typedef struct named {
    const char *id;
    int64_t index;
} named;

static int by_id(const void *a, const void *b)
{
    const named *x = a, *y = b;
    const int order = strcmp(x->id, y->id);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

sp_match_side sp_match_side_of(const sp_source_info *info, const char *name, double step_seconds)
{
    return (sp_match_side){.name = name,
                           .n = info->n_recordings,
                           .ids = info->has_ids ? info->ids : NULL,
                           .offsets = info->offsets,
                           .step_seconds = step_seconds,
                           .files = info->n_files == info->n_recordings ? info->files : NULL,
                           .unread = info->unread};
}

static bool is_unread(const sp_match_side *side, int64_t n)
{
    return side->unread && side->unread[n];
}

/* May the recording be one of those in a file that cannot be opened? They begin with its name. */
static bool is_in_unread(const sp_match_side *side, const char *id)
{
    for (int64_t n = 0; side->unread && n < side->n; n++) {
        const size_t length = strlen(side->ids[n]);
        if (side->unread[n] && strncmp(id, side->ids[n], length) == 0 && id[length] == '/')
            return true;
    }
    return false;
}

static named *sorted_ids(const sp_match_side *side)
{
    named *list = malloc((size_t)(side->n + 1) * sizeof *list);
    for (int64_t i = 0; list && i < side->n; i++)
        list[i] = (named){side->ids[i], i};
    if (list)
        qsort(list, (size_t)side->n, sizeof *list, by_id);
    return list;
}

/* Names of recordings in a sentence: the first ten, and how many more. */
typedef struct name_list {
    int64_t n;
    size_t used;
    char text[LIST_TEXT];
} name_list;

static void add_name(name_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_name(name_list *list, const char *format, ...)
{
    if (list->n++ >= MOST_NAMED)
        return;
    va_list arguments;
    va_start(arguments, format);
    list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used, "%s",
                                   list->used ? ", " : "");
    const int n = vsnprintf(list->text + list->used, sizeof list->text - list->used, format, arguments);
    list->used += n > 0 ? (size_t)n : 0;
    if (list->used >= sizeof list->text)
        list->used = sizeof list->text - 1;
    va_end(arguments);
}

static void end_names(name_list *list)
{
    if (list->n > MOST_NAMED)
        snprintf(list->text + list->used, sizeof list->text - list->used, " and %" PRId64 " more",
                 list->n - MOST_NAMED);
}

/* Fills in recording [ours->n], -1 where there is none, and names those of theirs that are none of ours. */
static sp_status match_ids(const sp_match_side *ours, const sp_match_side *theirs, int64_t *recording,
                           name_list *only_theirs, sp_error *err)
{
    named *a = sorted_ids(ours), *b = sorted_ids(theirs);
    uint8_t *is_taken = calloc((size_t)theirs->n + 1, 1);
    const bool is_whole = a && b && is_taken;
    for (int64_t i = 0, j = 0; is_whole && i < ours->n; i++) {
        while (j < theirs->n && strcmp(b[j].id, a[i].id) < 0)
            j++;
        const bool is_there = j < theirs->n && strcmp(b[j].id, a[i].id) == 0;
        recording[a[i].index] = is_there ? b[j].index : -1;
        if (is_there)
            is_taken[b[j++].index] = 1;
    }
    for (int64_t m = 0; is_whole && m < theirs->n; m++)
        if (!is_taken[m] && !is_unread(theirs, m) && !is_in_unread(ours, theirs->ids[m]))
            add_name(only_theirs, "%s", theirs->ids[m]);
    free(a);
    free(b);
    free(is_taken);
    return is_whole ? SP_OK : sp_no_memory(err);
}

static int64_t steps_of(const sp_match_side *side, int64_t n)
{
    return side->offsets[n + 1] - side->offsets[n];
}

/* Where all numbers of steps differ by one factor, their steps have probably another length in time: "; ..." Of one recording
 * only where that would be a round number of seconds. */
static void guess_seconds(const sp_match_side *ours, const sp_match_side *theirs, const int64_t *recording,
                          char *text, size_t size)
{
    const double a = (double)ours->offsets[ours->n], b = (double)theirs->offsets[theirs->n];
    const double seconds = b > 0 ? ours->step_seconds * a / b : 0;
    text[0] = '\0';
    if (theirs->step_seconds > 0) /* it is known, and the same */
        return;
    if (!(seconds > 0) || fabs(a - b) <= 0.1 * a ||
        (ours->n == 1 && fabs(seconds - round(seconds)) > 0.01 * seconds))
        return;
    for (int64_t n = 0; n < ours->n; n++)
        if (recording[n] < 0 ||
            fabs((double)steps_of(theirs, recording[n]) - (double)steps_of(ours, n) * b / a) > 1)
            return;
    snprintf(
        text, size,
        "; every recording has %.3g times as many there, as if a step of %s were %.3g s and one of %s %.3g s",
        b / a, ours->name, ours->step_seconds, theirs->name, seconds);
}

/* Where each recording has a whole number of steps of `many` for one of `few`, as frames that were counted twice as often: ";
 * ..." The last may be cut off. recording: the place in the second side of each recording of the first, which is `few` or `many`.
 * Few steps fit by chance. */
static void guess_factor(const sp_match_side *few, const sp_match_side *many, const int64_t *recording,
                         bool is_few_first, char *text, size_t size)
{
    enum { LEAST = 20 };
    const sp_match_side *first = is_few_first ? few : many;
    int64_t factor = 0;
    for (int64_t n = 0; n < first->n; n++) {
        const int64_t a = steps_of(few, is_few_first ? n : recording[n]),
                      b = steps_of(many, is_few_first ? recording[n] : n);
        factor = factor || a == 0 ? factor : (b + a - 1) / a;
        if (factor < 2 || (b + factor - 1) / factor != a)
            return;
    }
    if (few->offsets[few->n] >= LEAST)
        snprintf(text, size,
                 "; every recording of %s has %" PRId64
                 " times as many, as frames of 30 a second beside those of 15: keep every "
                 "%" PRId64 "%s (awk 'NR %% %" PRId64 " == 1' FILE of a text, [::%" PRId64 "] of an array)",
                 many->name, factor, factor,
                 factor == 2   ? "nd"
                 : factor == 3 ? "rd"
                               : "th",
                 factor, factor);
}

/* A sentence that grows, cut so that it fits. */
typedef struct text {
    size_t used;
    char letters[SP_ERROR_SIZE];
} text;

static void say(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t room = sizeof out->letters - out->used;
    const int n = vsnprintf(out->letters + out->used, room, format, arguments);
    va_end(arguments);
    if (n > 0)
        out->used += (size_t)n < room ? (size_t)n : room - 1;
}

/* What does not match. */
typedef struct mismatches {
    name_list only_ours, only_theirs, steps;
} mismatches;

/* recording [ours->n], -1: there is none */
static void find_mismatches(const sp_match_side *ours, const sp_match_side *theirs, bool lengths,
                            const int64_t *recording, mismatches *found)
{
    for (int64_t n = 0; n < ours->n; n++) {
        const int64_t m = recording[n];
        if (m < 0 ? is_unread(ours, n) || is_in_unread(theirs, ours->ids[n])
                  : is_unread(ours, n) || is_unread(theirs, m))
            continue;
        if (m < 0) {
            add_name(&found->only_ours, "%s", ours->ids[n]);
            continue;
        }
        const char *id = ours->ids ? ours->ids[n] : theirs->ids ? theirs->ids[m] : NULL;
        const int64_t a = steps_of(ours, n), b = steps_of(theirs, m);
        if (lengths && a != b && id)
            add_name(&found->steps, "%s (%" PRId64 " and %" PRId64 ")", id, a, b);
        else if (lengths && a != b)
            add_name(&found->steps, "number %" PRId64 " (%" PRId64 " and %" PRId64 ")", n, a, b);
    }
}

/* ---- what ids that do not match have in common ---- */

enum { PROPOSAL = 700 };

/* The name of a file with something else in place of the recording's id. */
static bool name_with(const char *file, const char *id, const char *instead, char *out, size_t size)
{
    const char *at = NULL;
    for (const char *next = file; *id && (next = strstr(next, id)); next++)
        at = next;
    if (!at)
        return false;
    const int n = snprintf(out, size, "%.*s%s%s", (int)(at - file), file, instead, at + strlen(id));
    return n >= 0 && (size_t)n < size;
}

/* By what pattern of its files, or of datasets in its file, the side has ids as this pattern of ids says:
 * "hyp is named 'hyp/{id}-H.txt'". False: by none. */
static bool describe_pattern(const sp_match_side *side, const char *of_ids, char out[PROPOSAL])
{
    const char *scores = side->scores_path, *path = scores ? scores : side->labels_path;
    char usual[PROPOSAL], name[PROPOSAL];
    if (!side->files && path && !strchr(of_ids, '*') && name_with(path, SP_ID_HOLE, of_ids, name, PROPOSAL))
        return snprintf(out, PROPOSAL, "%s is %s'%s%s%s'", side->name,
                        scores ? "read by `scores` " : "named `labels` ", scores ? "" : side->name,
                        scores ? "" : ":", name) < PROPOSAL;
    if (!side->files || !name_with(side->files[0].name, side->ids[0], SP_ID_HOLE, usual, PROPOSAL))
        return false;
    for (int64_t n = 0; n < side->n; n++)
        if (!name_with(usual, SP_ID_HOLE, side->ids[n], name, PROPOSAL) ||
            strcmp(name, side->files[n].name) != 0)
            return false;
    return name_with(usual, SP_ID_HOLE, of_ids, name, PROPOSAL) &&
           snprintf(out, PROPOSAL, "%s is named '%s'", side->name, name) < PROPOSAL;
}

static const char *matching(int64_t n)
{
    return n == 1 ? "recording matches" : "recordings match";
}

static sp_status describe_alike(const sp_ids *a, const sp_ids *b, text *out, sp_error *err)
{
    static const char *const in[] = {[SP_IDS_CASE] = "case",
                                     [SP_IDS_ZEROS] = "leading zeros",
                                     [SP_IDS_CASE | SP_IDS_ZEROS] = "case and leading zeros"};
    const char *pair[2];
    int64_t n = 0;
    sp_status status = SP_OK;
    for (unsigned differ = SP_IDS_CASE; n == 0 && differ <= (SP_IDS_CASE | SP_IDS_ZEROS); differ++) {
        TRY(sp_ids_alike(a, b, differ, &n, pair, err));
        if (n > 0)
            say(out, "; %" PRId64 " %s but for %s (%s and %s): write both alike", n, matching(n), in[differ],
                pair[0], pair[1]);
    }
done:
    return status;
}

/* Of which names the recordings of both sides would match: "; ...", or nothing. */
static sp_status propose(const sp_match_side *ours, const sp_match_side *theirs, text *out, sp_error *err)
{
    const sp_ids a = {ours->n, ours->ids}, b = {theirs->n, theirs->ids};
    const size_t before = out->used;
    sp_id_patterns found = {.n = 0};
    char of_a[PROPOSAL], of_b[PROPOSAL];
    sp_status status = SP_OK;
    TRY(describe_alike(&a, &b, out, err));
    if (out->used == before)
        TRY(sp_id_patterns_find(&a, &b, &found, err));
    if (out->used != before || found.n == 0)
        return SP_OK;
    const bool a_stays = strcmp(found.a, SP_ID_HOLE) == 0, b_stays = strcmp(found.b, SP_ID_HOLE) == 0;
    const bool has_a = describe_pattern(ours, found.a, of_a), has_b = describe_pattern(theirs, found.b, of_b);
    if (a_stays && b_stays)
        return SP_OK;
    say(out, "; %" PRId64 " %s", found.n, matching(found.n));
    if ((!has_a && !a_stays) || (!has_b && !b_stays)) {
        say(out, " by {id} of '%s' and '%s': write both alike", found.a, found.b);
        return SP_OK;
    }
    say(out, " where %s%s%s", a_stays ? "" : of_a, a_stays || b_stays ? "" : " and ", b_stays ? "" : of_b);
done:
    return status;
}

static sp_status say_mismatches(const sp_match_side *ours, const sp_match_side *theirs, mismatches *found,
                                const char *hint, sp_error *err)
{
    text out = {.letters = ""};
    const bool is_ours = found->only_ours.n > 0, is_theirs = found->only_theirs.n > 0;
    sp_status status = SP_OK;
    end_names(&found->only_ours);
    end_names(&found->only_theirs);
    end_names(&found->steps);
    if (is_ours && is_theirs)
        TRY(propose(ours, theirs, &out, err));
    if (is_ours)
        say(&out, "; only in %s: %s", ours->name, found->only_ours.text);
    if (is_theirs)
        say(&out, "; only in %s: %s", theirs->name, found->only_theirs.text);
    if (is_ours != is_theirs && ours->is_folder && theirs->is_folder)
        say(&out, "; `only` LIST, a text with a recording a line, chooses those that are meant");
    if (found->steps.n)
        say(&out, "; steps differ: %s%s", found->steps.text, hint ? hint : "");
    return sp_fail(err, SP_EDATA, "%s and %s do not match%s", ours->name, theirs->name, out.letters);
done:
    return status;
}

sp_status sp_match_recordings(const sp_match_side *ours, const sp_match_side *theirs, bool lengths,
                              const char *hint, int64_t *recording, sp_error *err)
{
    mismatches found = {.only_ours = {.n = 0}};
    const bool by_name = ours->ids && theirs->ids;
    char guess[400];
    if (ours->step_seconds > 0 && theirs->step_seconds > 0 && ours->step_seconds != theirs->step_seconds)
        return sp_fail(err, SP_EDATA,
                       "a step of %s is %g s long, one of %s %g s; bring both to one length (attribute "
                       "epoch_seconds), so that "
                       "step t is the same time in both",
                       ours->name, ours->step_seconds, theirs->name, theirs->step_seconds);
    if (!by_name && ours->n != theirs->n)
        return sp_fail(err, SP_EDATA,
                       "%s has %" PRId64 " recording%s, %s has %" PRId64 "; they must be the same recordings",
                       ours->name, ours->n, ours->n == 1 ? "" : "s", theirs->name, theirs->n);
    for (int64_t n = 0; n < ours->n; n++)
        recording[n] = n;
    sp_status status = by_name ? match_ids(ours, theirs, recording, &found.only_theirs, err) : SP_OK;
    if (status != SP_OK)
        return status;
    find_mismatches(ours, theirs, lengths, recording, &found);
    if (found.only_ours.n + found.only_theirs.n + found.steps.n == 0)
        return SP_OK;
    guess_seconds(ours, theirs, recording, guess, sizeof guess);
    if (!*guess && !found.only_ours.n && !ours->unread && !theirs->unread) {
        guess_factor(ours, theirs, recording, true, guess, sizeof guess);
        guess_factor(theirs, ours, recording, false, guess, sizeof guess);
    }
    return say_mismatches(ours, theirs, &found, *guess ? guess : hint, err);
}

sp_status sp_match_steps(const sp_match_side *ours, const sp_match_side *theirs, const int64_t *recording,
                         sp_common_steps *out, sp_error *err)
{
    const size_t size = (size_t)ours->n + 1;
    *out = (sp_common_steps){calloc(size, sizeof(int64_t)), calloc(size, sizeof(int64_t)),
                             calloc(size, sizeof(int64_t))};
    if (!out->offsets || !out->cut_ours || !out->cut_theirs)
        return sp_no_memory(err);
    for (int64_t n = 0; n < ours->n; n++) {
        const int64_t a = steps_of(ours, n), b = recording[n] < 0 ? 0 : steps_of(theirs, recording[n]);
        const int64_t both = a < b ? a : b;
        out->offsets[n + 1] = out->offsets[n] + both;
        out->cut_ours[n] = a - both;
        out->cut_theirs[n] = b - both;
    }
    return SP_OK;
}

void sp_common_steps_clear(sp_common_steps *steps)
{
    free(steps->offsets);
    free(steps->cut_ours);
    free(steps->cut_theirs);
}

sp_status sp_match_columns(int32_t K, const int32_t *our_class, const int32_t *their_class, int32_t **out,
                           sp_error *err)
{
    int32_t *column = malloc((size_t)K * sizeof *column);
    bool is_same = true;
    if (!column)
        return sp_no_memory(err);
    for (int32_t k = 0; k < K; k++)
        for (int32_t c = 0; c < K; c++)
            if (their_class[c] == our_class[k]) {
                column[k] = c;
                is_same &= c == k;
            }
    if (is_same)
        free(column);
    *out = is_same ? NULL : column;
    return SP_OK;
}

/* ---- reading ---- */

/* Recordings as another place has them. */
typedef struct place {
    const sp_recordings *from;
    const int64_t *recording; /* or NULL: the same */
    const int64_t *offsets;   /* [N+1] of the steps that are read */
} place;

/* Is recording n longer there? */
static bool is_cut(const place *p, int64_t n)
{
    const int64_t m = p->recording ? p->recording[n] : n, *there = p->from->info->offsets + m;
    return there[1] - there[0] > p->offsets[n + 1] - p->offsets[n];
}

/* Recordings of a part that are read at once: whole ones that follow one another there, or one that is cut. */
static int64_t run_length(const place *p, int64_t n, int64_t end)
{
    int64_t run = 1;
    if (is_cut(p, n))
        return run;
    while (n + run < end && (!p->recording || p->recording[n + run] == p->recording[n] + run) &&
           !is_cut(p, n + run))
        run++;
    return run;
}

/* Reads from `from` into the block; parts it does not have become NULL. */
static sp_status read_in_order(sp_matched *m, const sp_recordings *from, const int64_t *recording,
                               const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    const place there = {from, recording, m->info.offsets};
    const int64_t first = part->recording, count = part->count, end = first + count;
    const int64_t *offsets = m->info.offsets + first;
    if (count > 0 && run_length(&there, first, end) == count && !is_cut(&there, first)) {
        const sp_part all = {.recording = recording ? recording[first] : first, .count = count};
        return from->read(from->arg, &all, parts, block, err);
    }
    sp_status status = SP_OK;
    for (int64_t n = first, many; n < end; n += many) {
        many = run_length(&there, n, end);
        const sp_part some = {.recording = recording ? recording[n] : n, .count = many};
        TRY(from->read(from->arg, &some, parts, m->read, err));
        if (n == first)
            TRY(sp_block_reserve(block, count, offsets[count] - offsets[0], m->read->n_classes,
                                 m->read->dtype, sp_block_parts(m->read), err));
        const int64_t steps = offsets[n + many - first] - offsets[n - first]; /* one that is cut has more */
        sp_copy_steps(block, offsets[n - first] - offsets[0], m->read, 0, steps);
    }
    block->file = m->read->file;
    block->dataset = m->read->dataset;
    block->classes = m->read->classes;
    for (int64_t r = 0; r <= count; r++)
        block->offsets[r] = offsets[r] - offsets[0];
done:
    return status;
}

/* Labels that both say must be one class. */
static sp_status check_labels(const sp_matched *m, const sp_block *block, const int32_t *beside,
                              sp_error *err)
{
    for (int64_t t = 0; t < block->n_steps; t++) {
        const int32_t own = block->labels[t], other = beside[t];
        if (own < 0 || other < 0 || own == other)
            continue;
        char where[256];
        sp_block at = *block;
        at.file = at.dataset = NULL;
        const int64_t step = sp_block_where(&at, t, -1, where, sizeof where);
        return sp_fail_at(err, SP_EDATA, step,
                          "%s: the label is %s in %s and %s in %s; labels are taken from %s, and those of "
                          "the other must agree",
                          where, m->classes ? m->classes[other] : "another", m->beside_name,
                          m->classes ? m->classes[own] : "not", m->name, m->beside_name);
    }
    return SP_OK;
}

/* Labels of the other place, told in our columns. */
static sp_status tell_labels(const sp_matched *m, const char *file, int64_t n, int32_t *labels, sp_error *err)
{
    for (int64_t t = 0; t < n; t++) {
        if (labels[t] >= m->info.n_classes)
            return sp_fail(err, SP_EDATA,
                           "%s: label %d, but there are %d classes; unscored steps are -1, and `codes` or "
                           "`map` reads others' "
                           "numbers",
                           file ? file : m->beside_name, labels[t], m->info.n_classes);
        labels[t] = labels[t] >= 0 && m->column_of_label ? m->column_of_label[labels[t]] : labels[t];
    }
    return SP_OK;
}

static sp_status read_matched(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    sp_matched *m = arg;
    const unsigned beside = SP_BLOCK_LABELS | (m->all_beside ? SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS : 0u);
    const bool is_checked = m->all_beside && m->from.info->has_labels && m->info.has_labels;
    unsigned own = parts & ~beside;
    if (is_checked)
        own |= parts & SP_BLOCK_LABELS;
    sp_status status = read_in_order(m, &m->from, m->recording, part, own, block, err);
    block->first = part->recording;
    block->ids = m->info.ids ? m->info.ids + part->recording : NULL;
    if (status != SP_OK || !(parts & beside))
        return status;
    sp_block *other = m->read_beside;
    TRY(read_in_order(m, &m->beside, m->beside_recording, part, parts & beside, other, err));
    if (other->labels) {
        TRY(tell_labels(m, other->file, block->n_steps, other->labels, err));
        if (block->labels)
            TRY(check_labels(m, block, other->labels, err));
    }
    const sp_block said = {.n_classes = block->n_classes,
                           .dtype = block->dtype,
                           .labels = other->labels,
                           .segments = other->segments,
                           .weights = other->weights};
    TRY(sp_block_add_parts(block, sp_block_parts(&said), err));
    sp_copy_steps(block, 0, &said, 0, block->n_steps);
done:
    return status;
}

/* Labels of a rater for recording n of the order, of which there are more steps there. */
static sp_status read_cut_rater(const sp_matched *m, int32_t rater, int64_t n, int32_t *labels, sp_error *err)
{
    const int64_t there = m->beside_recording ? m->beside_recording[n] : n;
    const int64_t *theirs = m->beside.info->offsets + there, *ours = m->info.offsets + n;
    const sp_part one = {.recording = there, .count = 1};
    int32_t *all = malloc(((size_t)(theirs[1] - theirs[0]) + 1) * sizeof *all);
    sp_status status = all ? m->beside.read_rater(m->beside.arg, rater, &one, all, err) : sp_no_memory(err);
    if (status == SP_OK)
        memcpy(labels, all, (size_t)(ours[1] - ours[0]) * sizeof *labels);
    free(all);
    return status;
}

static sp_status read_matched_rater(void *arg, int32_t rater, const sp_part *part, int32_t *labels,
                                    sp_error *err)
{
    const sp_matched *m = arg;
    const int64_t first = part->recording, end = first + part->count;
    const int64_t *offsets = m->info.offsets;
    const place there = {&m->beside, m->beside_recording, offsets};
    sp_status status = SP_OK;
    for (int64_t n = first, run; status == SP_OK && n < end; n += run) {
        run = run_length(&there, n, end);
        const sp_part some = {.recording = m->beside_recording ? m->beside_recording[n] : n, .count = run};
        int32_t *to = labels + (offsets[n] - offsets[first]);
        status = is_cut(&there, n) ? read_cut_rater(m, rater, n, to, err)
                                   : m->beside.read_rater(m->beside.arg, rater, &some, to, err);
    }
    return status == SP_OK ? tell_labels(m, NULL, offsets[end] - offsets[first], labels, err) : status;
}

sp_status sp_matched_open(sp_matched *m, const sp_source_info *order, sp_recordings *out, sp_error *err)
{
    const sp_source_info *beside = m->beside.info;
    m->info = *m->from.info;
    m->info.n_recordings = order->n_recordings;
    m->info.n_steps = order->n_steps;
    m->info.ids = order->ids;
    m->info.has_ids = order->has_ids;
    m->info.offsets = order->offsets;
    m->info.has_labels = beside->has_labels;
    if (m->all_beside) {
        m->info.has_segments = beside->has_segments;
        m->info.has_weights = beside->has_weights;
    }
    m->read = sp_block_new();
    m->read_beside = sp_block_new();
    *out = (sp_recordings){.info = &m->info,
                           .n_raters = m->beside.n_raters,
                           .raters = m->beside.raters,
                           .subjects = m->from.subjects,
                           .read = read_matched,
                           .read_rater = m->beside.read_rater ? read_matched_rater : NULL,
                           .arg = m};
    return m->read && m->read_beside ? SP_OK : sp_no_memory(err);
}

void sp_matched_close(sp_matched *m)
{
    free(m->recording);
    free(m->beside_recording);
    free(m->column_of_label);
    sp_block_free(m->read);
    sp_block_free(m->read_beside);
}
