/* REMlogic's export as text, as the CAP Sleep Database has it: lines about the recording, a line of names with Time, Event and
 * Duration, then a line an event with its time of day. Stages are SLEEP-S0, ..., SLEEP-REM; phases of CAP (MCAP-A1, ...) lie
 * between them. The recording begins with the first event. */
#include <string.h>
#include <strings.h>

#include "io/events/event_reader.h"

enum { TIME, EVENT, DURATION, N_COLUMNS };

static bool is_remlogic(const sp_file_look *look)
{
    char line[64];
    sp_look_first_line(look, line, sizeof line);
    return strncasecmp(line, "RemLogic Event Export", 21) == 0 ||
           ((sp_look_has(look, "Sleep Stage\t") || sp_look_has(look, "[hh:mm:ss]\t")) && sp_look_has(look, "[hh:mm:ss]"));
}

typedef struct reading {
    sp_lines lines;
    sp_events *events;
    sp_clocks clocks;
    int columns[N_COLUMNS];
    bool has_header;
    sp_error *err;
} reading;

/* Is this the line of names? French exports name them otherwise, and keep the units in brackets. */
static bool read_header(reading *r)
{
    static const char *const events[] = {"Event", "Evenement", "\xC3\x89v\xC3\xA9nement", "\xC9v\xE9nement"};
    const sp_lines *l = &r->lines;
    for (int c = 0; c < N_COLUMNS; c++)
        r->columns[c] = -1;
    for (int i = 0; i < l->n_fields; i++) {
        const char *field = l->fields[i];
        if (strstr(field, "[hh:mm:ss"))
            r->columns[TIME] = i;
        else if (strstr(field, "[s]") || strncasecmp(field, "Dur", 3) == 0)
            r->columns[DURATION] = i;
        for (size_t k = 0; k < sizeof events / sizeof *events; k++)
            if (strcasecmp(field, events[k]) == 0)
                r->columns[EVENT] = i;
    }
    return r->columns[TIME] >= 0 && r->columns[EVENT] >= 0 && r->columns[DURATION] >= 0;
}

static sp_status read_row(reading *r)
{
    const sp_lines *l = &r->lines;
    sp_event event = {.place = l->line};
    sp_time clock;
    bool is_half;
    for (int c = 0; c < N_COLUMNS; c++)
        if (r->columns[c] >= l->n_fields)
            return sp_fail(r->err, SP_EDATA, "%s: line %lld has %d fields, fewer than the line of names", l->file,
                           (long long)l->line, l->n_fields);
    const char *time = l->fields[r->columns[TIME]], *text = l->fields[r->columns[EVENT]];
    if (!sp_time_clock(time, strlen(time), &clock, &is_half))
        return sp_fail(r->err, SP_EDATA, "%s: line %lld: \"%.40s\" is no time of day hh:mm:ss", l->file, (long long)l->line,
                       time);
    event.onset = sp_clocks_next(&r->clocks, clock);
    sp_status status = sp_lines_seconds(l, r->columns[DURATION], "the duration", &event.duration, r->err);
    if (status == SP_OK && event.duration < 0)
        status = sp_fail(r->err, SP_EDATA, "%s: line %lld: the duration is below 0", l->file, (long long)l->line);
    return status == SP_OK ? sp_events_add(r->events, &event, text, strlen(text), r->err) : status;
}

static sp_status read_remlogic(const sp_event_input *in, sp_events *events, sp_error *err)
{
    reading r = {.events = events, .err = err};
    events->place_name = "line";
    events->preset = "cap";
    sp_status status = sp_lines_open(in, &r.lines, err);
    while (status == SP_OK && sp_lines_next(&r.lines)) {
        sp_lines_split(&r.lines, '\t');
        if (r.has_header)
            status = read_row(&r);
        else
            r.has_header = read_header(&r);
    }
    if (status == SP_OK && !r.has_header)
        status =
            sp_fail(err, SP_EDATA, "%s: has no line that names the columns Time [hh:mm:ss], Event and Duration[s]", in->file);
    sp_lines_close(&r.lines);
    return status;
}

const sp_event_reader sp_remlogic_events = {.name = "events of REMlogic", .recognise = is_remlogic, .read = read_remlogic};
