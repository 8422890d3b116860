#include "io/events/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/owned.h"
#include "core/try.h"
#include "sleep/label_coding_use.h"

enum { MOST_EVENTS = 1 << 26, ROUNDING = 1000000 /* ns */ };

/* ---- the list ---- */

sp_status sp_events_add(sp_events *e, const sp_event *event, const char *text, size_t n, sp_error *err)
{
    if (e->n == MOST_EVENTS)
        return sp_fail(err, SP_EDATA, "%s: has more than %d events", e->file, MOST_EVENTS);
    bool is_whole = true;
    if (e->n == e->room) {
        e->room = e->room ? 2 * e->room : 64;
        e->list = sp_grown(e->list, e->room, sizeof *e->list, &is_whole);
    }
    if (e->texts_room - e->texts_used <= n) {
        e->texts_room = 2 * (e->texts_room + n) + 256;
        e->texts = sp_grown(e->texts, (int64_t)e->texts_room, 1, &is_whole);
    }
    if (!is_whole)
        return sp_no_memory(err);
    e->list[e->n] = *event;
    e->list[e->n++].text = e->texts_used;
    memcpy(e->texts + e->texts_used, text, n);
    e->texts[e->texts_used + n] = '\0';
    e->texts_used += n + 1;
    return SP_OK;
}

void sp_events_clear(sp_events *e)
{
    free(e->list);
    free(e->texts);
    e->list = NULL;
    e->texts = NULL;
    e->n = e->room = 0;
    e->texts_used = e->texts_room = 0;
}

void sp_spans_clear(sp_spans *s)
{
    free(s->list);
    s->list = NULL;
    s->n = s->n_steps = 0;
}

/* ---- which events are stages ---- */

static const char *text_of(const sp_events *e, int64_t i)
{
    return e->texts + e->list[i].text;
}

static void pass_over(sp_spans *s, const char *text)
{
    const size_t used = strlen(s->passed_over), n = strlen(text);
    s->n_passed_over++;
    if (!n || n > 40 || strstr(s->passed_over, text))
        return;
    if (used + n + 8 < sizeof s->passed_over)
        snprintf(s->passed_over + used, sizeof s->passed_over - used, "%s%s", used ? ", " : "", text);
    else if (used > 3 && strcmp(s->passed_over + used - 3, "...") != 0)
        snprintf(s->passed_over + used, sizeof s->passed_over - used, ", ...");
}

/* Words that say unscored, but are remarks about the signal or the room where they stand among other events. */
static bool is_remark(const char *text)
{
    static const char *const words[] = {"L", "LIGHTS", "G",   "GAP",      "M",        "MOVEMENT",
                                        "A", "AR",     "ART", "ARTEFACT", "ARTEFAKT", "ARTIFACT"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(words[i], text) == 0)
            return true;
    return false;
}

/* A text that claims to be a stage, whatever it is. */
static bool looks_like_stage(const char *text)
{
    return strncasecmp(text, "sleep stage", 11) == 0 || strncasecmp(text, "sleep_stage", 11) == 0 ||
           strncasecmp(text, "sleep-s", 7) == 0;
}

/* Label of an event: a class, unscored, or SP_CODE_UNKNOWN where it is passed over. */
static sp_status label_of(const sp_events *e, int64_t i, const sp_codes *codes, int32_t *label, sp_error *err)
{
    const char *text = text_of(e, i);
    char sentence[SP_CODES_SENTENCE];
    *label = sp_codes_text(codes, text);
    const bool is_stage = e->list[i].is_stage || looks_like_stage(text);
    if (!is_stage && (!*text || (*label == SP_CODE_UNSCORED && is_remark(text))))
        *label = SP_CODE_UNKNOWN;
    if (sp_code_is_known(*label) || (*label == SP_CODE_UNKNOWN && !is_stage))
        return SP_OK;
    return sp_fail(err, SP_EDATA, "%s: %s %lld: %s", e->file, e->place_name, (long long)e->list[i].place,
                   sp_codes_explain(codes, text, sentence));
}

/* The events that are stages or unscored, as spans whose end is not known where it is that of the next. */
static sp_status choose_stages(const sp_events *e, const sp_codes *codes, sp_spans *out, sp_error *err)
{
    int32_t label = 0;
    const char *last = NULL;
    bool last_is_stage = false;
    for (int64_t i = 0; i < e->n; i++) {
        const sp_event *event = &e->list[i];
        if (!last || event->is_stage != last_is_stage ||
            strcmp(last, text_of(e, i)) != 0) { /* mostly it is the same */
            sp_status status = label_of(e, i, codes, &label, err);
            if (status != SP_OK)
                return status;
        }
        last = text_of(e, i);
        last_is_stage = event->is_stage;
        if (label == SP_CODE_UNKNOWN)
            pass_over(out, last);
        else
            out->list[out->n++] = (sp_span){event->onset, event->duration, label, i};
    }
    if (out->n == 0 && e->n == 0)
        return sp_fail(err, SP_EDATA, "%s: holds no events", e->file);
    if (out->n == 0)
        return sp_fail(err, SP_EDATA,
                       "%s: none of its %lld events is a stage or a class of the model: %s; `map` "
                       "'TEXT=CLASS' says what "
                       "they are",
                       e->file, (long long)e->n,
                       out->passed_over[0] ? out->passed_over : "they have no text");
    return SP_OK;
}

/* ---- which stage when ---- */

static int compare_spans(const void *a, const void *b)
{
    const sp_span *x = a, *y = b;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1)
                                : (x->event > y->event) - (x->event < y->event);
}

/* Until now `end` is a duration. */
static void find_ends(sp_spans *s, sp_time step)
{
    sp_time next = 0; /* where the next one begins that begins later */
    bool has_next = false;
    for (int64_t i = s->n - 1; i >= 0; i--) {
        sp_span *span = &s->list[i];
        if (i + 1 < s->n && s->list[i + 1].begin > span->begin) {
            next = s->list[i + 1].begin;
            has_next = true;
        }
        span->end = span->end != SP_EVENT_UNTIL_NEXT ? span->begin + span->end
                    : has_next                       ? next
                                                     : span->begin + step;
    }
}

static sp_status overlap(const sp_events *e, const sp_span *a, const sp_span *b, sp_error *err)
{
    char t[4][SP_TIME_TEXT];
    return sp_fail(err, SP_EDATA,
                   "%s: %s %lld (%.40s, %s s to %s s) and %s %lld (%.40s, %s s to %s s) overlap: a recording "
                   "has one stage at a "
                   "time; take out one of them",
                   e->file, e->place_name, (long long)e->list[a->event].place, text_of(e, a->event),
                   sp_time_text(a->begin, t[0]), sp_time_text(a->end, t[1]), e->place_name,
                   (long long)e->list[b->event].place, text_of(e, b->event), sp_time_text(b->begin, t[2]),
                   sp_time_text(b->end, t[3]));
}

/* Leaves the stages, one after another, those that go on as one. */
static sp_status keep_stages(const sp_events *e, sp_spans *s, sp_error *err)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++) {
        sp_span *next = &s->list[i], *last = n ? &s->list[n - 1] : NULL;
        if (next->label == SP_CODE_UNSCORED || next->end <= next->begin)
            continue;
        if (last && last->end > next->begin && last->label != next->label) {
            if (last->end - next->begin > ROUNDING)
                return overlap(e, last, next, err);
            last->end = next->begin;
        }
        if (last && last->end >= next->begin && last->label == next->label)
            last->end = last->end > next->end ? last->end : next->end;
        else
            s->list[n++] = *next;
    }
    s->n = n;
    return SP_OK;
}

sp_status sp_events_resolve(const sp_events *e, const sp_codes *codes, sp_time step, sp_spans *out,
                            sp_error *err)
{
    sp_spans s = {.step = step, .list = malloc(((size_t)e->n + 1) * sizeof *s.list)};
    char text[SP_TIME_TEXT];
    bool is_sorted = true;
    sp_time end = e->total;
    sp_status status = SP_OK;
    if (!s.list)
        return sp_no_memory(err);
    TRY(choose_stages(e, codes, &s, err));
    for (int64_t i = 1; i < s.n && is_sorted; i++)
        is_sorted = s.list[i - 1].begin <= s.list[i].begin;
    if (!is_sorted)
        qsort(s.list, (size_t)s.n, sizeof *s.list, compare_spans);
    find_ends(&s, step);
    for (int64_t i = 0; i < s.n; i++)
        end = s.list[i].end > end ? s.list[i].end : end;
    s.n_steps = end / step + (end % step >= step - end % step);
    TRY(keep_stages(e, &s, err));
    if (s.n_steps <= 0)
        TRY(sp_fail(err, SP_EDATA, "%s: its stages end before half a step of %s s has passed", e->file,
                    sp_time_text(step, text)));
    *out = s;
    return SP_OK;
done:
    sp_spans_clear(&s);
    return status;
}

/* ---- steps ---- */

/* How long each label covers a step, in the order in which they first appear. */
typedef struct cover {
    int32_t label;
    sp_time time;
} cover;

typedef struct covers {
    int64_t n, room;
    cover *list;
} covers;

static bool add_cover(covers *c, int32_t label, sp_time time)
{
    if (time <= 0)
        return true;
    int64_t i = 0;
    while (i < c->n && c->list[i].label != label)
        i++;
    if (i == c->room) {
        bool is_whole = true;
        c->room = c->room ? 2 * c->room : 8;
        c->list = sp_grown(c->list, c->room, sizeof *c->list, &is_whole);
        if (!is_whole)
            return false;
    }
    if (i == c->n)
        c->list[c->n++] = (cover){label, 0};
    c->list[i].time += time;
    return true;
}

/* The first span that ends after a time. */
static int64_t first_after(const sp_spans *s, sp_time time)
{
    int64_t low = 0, high = s->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (s->list[middle].end > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

sp_status sp_spans_steps(const sp_spans *s, int64_t first, int64_t n, int32_t *labels, sp_error *err)
{
    covers c = {0};
    bool is_ok = true;
    int64_t i = first_after(s, first * s->step);
    for (int64_t t = 0; is_ok && t < n; t++) {
        const sp_time begin = (first + t) * s->step, end = begin + s->step;
        sp_time at = begin;
        c.n = 0;
        while (i < s->n && s->list[i].end <= begin)
            i++;
        for (int64_t j = i; is_ok && j < s->n && s->list[j].begin < end; j++) {
            const sp_span *span = &s->list[j];
            const sp_time to = span->end < end ? span->end : end;
            const sp_time from = span->begin > at ? span->begin : at;
            is_ok = add_cover(&c, SP_CODE_UNSCORED, from - at) && add_cover(&c, span->label, to - from);
            at = to;
        }
        is_ok = is_ok && add_cover(&c, SP_CODE_UNSCORED, end - at);
        cover best = {SP_CODE_UNSCORED, 0};
        for (int64_t j = 0; j < c.n; j++)
            if (c.list[j].time > best.time)
                best = c.list[j];
        labels[t] = best.label;
    }
    free(c.list);
    return is_ok ? SP_OK : sp_no_memory(err);
}
