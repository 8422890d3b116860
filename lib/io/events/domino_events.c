/* DOMINO's (Somnomedics) sleep profile as text: lines "Name: value", then "hh:mm:ss,000; stage", a date perhaps before the time.
 * Start Time is where the recording begins, Rate how long an epoch is. Numbers are Physip's. */
#include <string.h>
#include <strings.h>

#include "io/events/event_reader.h"

static bool is_domino(const sp_file_look *look)
{
    char line[64];
    sp_look_first_line(look, line, sizeof line);
    return strncasecmp(line, "Signal ID:", 10) == 0 || (sp_look_has(look, "Signal Type:") && sp_look_has(look, "Events list:"));
}

typedef struct reading {
    sp_lines lines;
    sp_events *events;
    sp_clocks clocks;
    bool is_body;
    sp_error *err;
} reading;

/* "Name: value". What is not known says nothing about stages. */
static sp_status read_about(reading *r)
{
    const sp_lines *l = &r->lines;
    char *colon = strchr(l->begin, ':');
    if (!colon)
        return SP_OK;
    const size_t name = (size_t)(colon - l->begin);
    const char *value = colon + 1;
    if (strncasecmp(l->begin, "Rate", name) == 0) {
        const size_t blanks = strspn(value, " \t"), n = strspn(value + blanks, "0123456789.,");
        if (!sp_time_seconds(value + blanks, n, &r->events->epoch) || r->events->epoch <= 0)
            return sp_fail(r->err, SP_EDATA, "%s: line %lld: Rate \"%.40s\" is no number of seconds", l->file, (long long)l->line,
                           value);
    } else if (strncasecmp(l->begin, "Start Time", name) == 0) {
        sp_time clock;
        bool is_half;
        if (sp_time_clock(value, strlen(value), &clock, &is_half))
            (void)sp_clocks_next(&r->clocks, clock);
    } else if (strncasecmp(l->begin, "Signal Type", name) == 0 && !strstr(value, "Disc"))
        return sp_fail(r->err, SP_EDATA, "%s: line %lld: a signal of type%.40s, not the sleep profile, which is Discret", l->file,
                       (long long)l->line, value);
    return SP_OK;
}

/* The field of the line that is a time of day; -1: none. */
static int find_clock(const sp_lines *l, sp_time *clock)
{
    bool is_half;
    for (int i = 0; i + 1 < l->n_fields; i++)
        if (sp_time_clock(l->fields[i], strlen(l->fields[i]), clock, &is_half))
            return i;
    return -1;
}

static sp_status read_row(reading *r)
{
    sp_lines *l = &r->lines;
    sp_time clock;
    sp_event event = {.place = l->line, .duration = SP_EVENT_UNTIL_NEXT, .is_stage = true};
    sp_lines_split(l, ';');
    const int at = find_clock(l, &clock);
    if (at < 0)
        return sp_fail(r->err, SP_EDATA, "%s: line %lld: \"%.40s\" is no line hh:mm:ss,000; stage", l->file, (long long)l->line,
                       l->fields[0]);
    event.onset = sp_clocks_next(&r->clocks, clock);
    if (r->events->epoch)
        event.duration = r->events->epoch;
    return sp_events_add(r->events, &event, l->fields[at + 1], strlen(l->fields[at + 1]), r->err);
}

static sp_status read_domino(const sp_event_input *in, sp_events *events, sp_error *err)
{
    reading r = {.events = events, .err = err};
    events->place_name = "line";
    events->preset = "physip";
    sp_status status = sp_lines_open(in, &r.lines, err);
    while (status == SP_OK && sp_lines_next(&r.lines)) {
        r.is_body |= r.lines.begin[0] >= '0' && r.lines.begin[0] <= '9' && strchr(r.lines.begin, ';');
        status = r.is_body ? read_row(&r) : read_about(&r);
    }
    sp_lines_close(&r.lines);
    return status;
}

const sp_event_reader sp_domino_events = {.name = "a sleep profile of DOMINO", .recognise = is_domino, .read = read_domino};
