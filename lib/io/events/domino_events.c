/* DOMINO's (Somnomedics) sleep profile as text: lines "Name: value", then "hh:mm:ss,000; stage", a date perhaps before the time.
 * Start Time is where the recording begins, Rate how long an epoch is. Numbers are Physip's. */
#include <string.h>
#include <strings.h>

#include "io/events/event_reader.h"

static bool is_domino(const sp_file_look *look)
{
    return sp_look_begins(look, "Signal ID:") ||
           (sp_look_has(look, "Signal Type:") && sp_look_has(look, "Events list:"));
}

/* "Name: value". What is not known says nothing about stages. */
static sp_status read_about(sp_lines *l)
{
    const char *colon = strchr(l->begin, ':'), *value = colon ? colon + 1 : "";
    const size_t name = colon ? (size_t)(colon - l->begin) : 0;
    sp_time clock;
    bool is_half;
    if (!colon)
        return SP_OK;
    if (strncasecmp(l->begin, "Rate", name) == 0) {
        const size_t blanks = strspn(value, " \t"), n = strspn(value + blanks, "0123456789.,");
        if (!sp_time_seconds(value + blanks, n, &l->events->epoch) || l->events->epoch <= 0)
            return sp_lines_fail(l, ": Rate \"%.40s\" is no number of seconds", value);
    } else if (strncasecmp(l->begin, "Start Time", name) == 0) {
        if (sp_time_clock(value, strlen(value), &clock, &is_half))
            (void)sp_clocks_next(&l->clocks, clock);
    } else if (strncasecmp(l->begin, "Signal Type", name) == 0 && !strstr(value, "Disc"))
        return sp_lines_fail(l, ": a signal of type%.40s, not the sleep profile, which is Discret", value);
    return SP_OK;
}

static sp_status read_line(sp_lines *l)
{
    const sp_time epoch = l->events->epoch;
    sp_time clock;
    bool is_half;
    l->has_header |= l->begin[0] >= '0' && l->begin[0] <= '9' && strchr(l->begin, ';');
    if (!l->has_header)
        return read_about(l);
    sp_lines_split(l, ';');
    for (int i = 0; i + 1 < l->n_fields; i++)
        if (sp_time_clock(l->fields[i], strlen(l->fields[i]), &clock, &is_half)) {
            const sp_event event = {.onset = sp_clocks_next(&l->clocks, clock),
                                    .duration = epoch ? epoch : SP_EVENT_UNTIL_NEXT,
                                    .is_stage = true};
            return sp_lines_add(l, event, l->fields[i + 1]);
        }
    return sp_lines_fail(l, ": \"%.40s\" is no line hh:mm:ss,000; stage", l->fields[0]);
}

const sp_event_reader sp_domino_events = {
    .name = "a sleep profile of DOMINO", .recognise = is_domino, .preset = "physip", .line = read_line};
