/* Luna's .annot: a line an annotation, fields parted by tabs.
 *
 *   class  instance  channel  start  stop  meta          also: class instance start stop; class start stop
 *
 * Times are seconds, epochs from 1 ("e:5", of 30 s; "e:5:20", of 20 s), times of day, or elapsed times ("0+00:01:30"); stop may
 * be a length ("+30") or "...": until the next. Lines that begin with # and a first line of names are passed over. Of a class
 * called SleepStage and the like, the instance is the stage. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/events/event_reader.h"
#include "io/text/texts.h"

static bool is_annot(const sp_file_look *look)
{
    return sp_file_has_ending(look->file, SP_ANNOT_ENDINGS) ||
           sp_look_begins(look, "class\tinstance\tchannel\tstart\tstop");
}

/* "e:5" or "e:5:20": where that epoch begins, and how long it is. */
static bool read_epoch(const char *text, sp_time *begin, sp_time *length)
{
    char *end;
    if (strncasecmp(text, "e:", 2) != 0 || text[2] < '0' || text[2] > '9')
        return false;
    const long long epoch = strtoll(text + 2, &end, 10);
    *length = 30 * SP_SECOND;
    if (*end == ':' && (!sp_time_seconds(end + 1, strlen(end + 1), length) || *length <= 0))
        return false;
    if ((*end && *end != ':') || epoch < 1 || epoch - 1 > SP_TIME_LIMIT / *length)
        return false;
    *begin = (epoch - 1) * *length;
    return true;
}

/* A time in any form but epochs; `is_start`: a time of day goes on the clock, else it is after `start`. */
static bool read_time(sp_lines *l, const char *text, const sp_time *start, sp_time start_clock, sp_time *out,
                      sp_time *clock)
{
    bool is_half;
    const size_t n = strlen(text);
    if (sp_time_seconds(text, n, out) && *text != '+')
        return true;
    if (strncmp(text, "0+", 2) == 0) {
        return sp_time_clock(text + 2, n - 2, out, &is_half);
    }
    if (!sp_time_clock(text, n, clock, &is_half))
        return false;
    if (!start) {
        *out = sp_clocks_next(&l->clocks, *clock);
        l->events->remark =
            "it has times of day: its first annotation is taken for the beginning of the recording";
    } else {
        sp_time passed = *clock - start_clock;
        passed += passed < 0 ? SP_DAY : 0;
        *out = *start + passed;
    }
    return true;
}

static sp_status wrong_time(const sp_lines *l, const char *what, const char *text)
{
    return sp_lines_fail(
        l, ": %s \"%.40s\" is no time: write seconds, e:5 (the fifth epoch of 30 s) or hh:mm:ss", what, text);
}

static sp_status read_times(sp_lines *l, const char *start, const char *stop, sp_event *event)
{
    sp_time length = 0, end, clock = 0, unused;
    if (read_epoch(start, &event->onset, &length)) {
        event->duration = length;
        if (strcmp(stop, ".") == 0 || strcmp(stop, start) == 0)
            return SP_OK;
    } else if (!read_time(l, start, NULL, 0, &event->onset, &clock))
        return wrong_time(l, "start", start);
    if (strcmp(stop, "...") == 0) {
        event->duration = SP_EVENT_UNTIL_NEXT;
        return SP_OK;
    }
    if (*stop == '+' && sp_time_seconds(stop + 1, strlen(stop + 1), &event->duration) && event->duration >= 0)
        return SP_OK;
    if (read_epoch(stop, &end, &length))
        end += length;
    else if (strcmp(stop, ".") == 0)
        end = event->onset;
    else if (!read_time(l, stop, &event->onset, clock, &end, &unused))
        return wrong_time(l, "stop", stop);
    event->duration = end - event->onset;
    if (event->duration < 0)
        return sp_lines_fail(l, ": stops at %.40s, before its start %.40s", stop, start);
    return SP_OK;
}

static bool is_stage_class(const char *class)
{
    static const char *const names[] = {"SleepStage", "sleep_stage", "stage", "stages", "hypnogram"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(names[i], class) == 0)
            return true;
    return false;
}

static sp_status read_line(sp_lines *l)
{
    if (*l->begin == '#')
        return SP_OK;
    sp_lines_split(l, strchr(l->begin, '\t') ? '\t' : ' ');
    const int start = l->n_fields == 3 ? 1 : l->n_fields == 4 ? 2 : 3;
    if (l->n_fields < 3)
        return sp_lines_fail(
            l,
            " has %d field%s; an annotation is class, instance, channel, start, stop, meta, parted by tabs",
            l->n_fields, l->n_fields == 1 ? "" : "s");
    if (strcasecmp(l->fields[0], "class") == 0 && strcasecmp(l->fields[start], "start") == 0)
        return SP_OK;
    const bool is_class = l->n_fields > 3 && is_stage_class(l->fields[0]);
    sp_event event = {.is_stage = is_class};
    sp_status status = read_times(l, l->fields[start], l->fields[start + 1], &event);
    return status == SP_OK ? sp_lines_add(l, event, l->fields[is_class ? 1 : 0]) : status;
}

const sp_event_reader sp_annot_events = {
    .name = "Luna's annotations", .recognise = is_annot, .preset = "words", .line = read_line};
