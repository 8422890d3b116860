/* Events: what a file says was there from when to when. The one engine that turns them into labels of steps. Private to io/.
 *
 * Rules:
 *   a step takes the label that covers most of it; of labels that cover the same, the earlier
 *   time without a stage counts as unscored: it competes with the stages of a step. What says unscored is such time
 *   two stages at the same time are an error with both places; times that differ by up to 1 ms are taken for the same
 *   the recording begins at 0 and lasts until the last event ends, or as long as the file says; the last step is there where
 *   at least half of it is
 *
 *     sp_events events = {.file = name, .place_name = "line"};
 *     sp_events_add(&events, &(sp_event){.onset = 0, .duration = 60 * SP_SECOND, .place = 3}, "Sleep stage W", 13, &err);
 *     sp_events_resolve(&events, codes, 30 * SP_SECOND, &spans, &err);
 *     sp_spans_steps(&spans, 0, spans.n_steps, labels, &err);
 */
#ifndef STATEPATH_IO_EVENTS_H
#define STATEPATH_IO_EVENTS_H

#include "io/events/times.h"
#include "statepath/sleep.h"
#include "statepath/status.h"

enum { SP_EVENT_UNTIL_NEXT = -1 };

typedef struct sp_event {
    sp_time onset;
    sp_time duration; /* SP_EVENT_UNTIL_NEXT: until the next stage begins; of the last one a step */
    int64_t place;    /* line, byte or number in the file, for sentences */
    size_t text;      /* where its text begins in `texts` */
    bool
        is_stage; /* the file says that it is a stage: a text that is none is an error. Else it is passed over */
} sp_event;

typedef struct sp_events {
    const char *file;       /* for sentences; borrowed */
    const char *place_name; /* "line", "byte", "epoch" */
    const char *preset;     /* whose numbers and words its texts are (sleep.h) */
    sp_time epoch;          /* length of a step that the file says, or 0 */
    sp_time total;          /* length of the recording that the file says, or 0 */
    const char *remark;     /* what was taken for granted, a clause; or NULL */
    int64_t n, room;
    sp_event *list;
    char *texts;
    size_t texts_used, texts_room;
} sp_events;

/* Adds an event with its text; `text` of the event is filled in. SP_OK, SP_EDATA (too many), SP_ENOMEM. */
sp_status sp_events_add(sp_events *events, const sp_event *event, const char *text, size_t n, sp_error *err);
void sp_events_clear(sp_events *events);

/* A stage from begin to end. */
typedef struct sp_span {
    sp_time begin, end;
    int32_t label;
    int64_t event; /* index in the list, while resolving */
} sp_span;

typedef struct sp_spans {
    sp_time step; /* length of a step */
    int64_t n_steps, n;
    sp_span *list; /* [n] stages only, in order, none over another */
    int64_t n_passed_over;
    char passed_over[160]; /* "Arousal, Lights off, ..." */
} sp_spans;

/* What the events are by these codes, on steps of a given length. SP_OK; SP_EDATA (no event is a stage, a text that is none, two
 * stages at the same time), SP_ENOMEM. O(n log n). */
sp_status sp_events_resolve(const sp_events *events, const sp_codes *codes, sp_time step, sp_spans *out,
                            sp_error *err);
void sp_spans_clear(sp_spans *spans);

/* Labels of steps first .. first+n-1. SP_OK, SP_ENOMEM. O(log spans + n + spans in them). */
sp_status sp_spans_steps(const sp_spans *spans, int64_t first, int64_t n, int32_t *labels, sp_error *err);

#endif
