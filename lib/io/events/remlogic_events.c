/* REMlogic's export as text, as the CAP Sleep Database has it: lines about the recording, a line of names with Time, Event and
 * Duration, then a line an event with its time of day. Stages are SLEEP-S0, ..., SLEEP-REM; phases of CAP (MCAP-A1, ...) lie
 * between them. The recording begins with the first event. */
#include <string.h>
#include <strings.h>

#include "core/try.h"
#include "io/events/event_reader.h"

enum { TIME, EVENT, DURATION, N_COLUMNS };

static bool is_remlogic(const sp_file_look *look)
{
    return sp_look_begins(look, "RemLogic Event Export") ||
           ((sp_look_has(look, "Sleep Stage\t") || sp_look_has(look, "[hh:mm:ss]\t")) &&
            sp_look_has(look, "[hh:mm:ss]"));
}

/* Is this the line of names? French exports name them otherwise, and keep the units in brackets. */
static bool read_header(sp_lines *l)
{
    static const char *const events[] = {"Event", "Evenement", "\xC3\x89v\xC3\xA9nement", "\xC9v\xE9nement"};
    l->columns[TIME] = l->columns[EVENT] = l->columns[DURATION] = -1;
    for (int i = 0; i < l->n_fields; i++)
        if (strstr(l->fields[i], "[hh:mm:ss"))
            l->columns[TIME] = i;
        else if (strstr(l->fields[i], "[s]") || strncasecmp(l->fields[i], "Dur", 3) == 0)
            l->columns[DURATION] = i;
    for (size_t k = 0; k < sizeof events / sizeof *events && l->columns[EVENT] < 0; k++)
        l->columns[EVENT] = sp_lines_find(l, events[k]);
    return l->columns[TIME] >= 0 && l->columns[EVENT] >= 0 && l->columns[DURATION] >= 0;
}

static sp_status read_line(sp_lines *l)
{
    sp_event event = {.onset = 0};
    sp_time clock;
    bool is_half;
    sp_status status = SP_OK;
    sp_lines_split(l, '\t');
    if (!l->has_header) {
        l->has_header = read_header(l);
        return SP_OK;
    }
    TRY(sp_lines_check(l, N_COLUMNS));
    const char *time = l->fields[l->columns[TIME]];
    if (!sp_time_clock(time, strlen(time), &clock, &is_half))
        return sp_lines_fail(l, ": \"%.40s\" is no time of day hh:mm:ss", time);
    event.onset = sp_clocks_next(&l->clocks, clock);
    TRY(sp_lines_duration(l, l->columns[DURATION], &event.duration));
    return sp_lines_add(l, event, l->fields[l->columns[EVENT]]);
done:
    return status;
}

static sp_status check_header(sp_lines *l)
{
    return l->has_header
               ? SP_OK
               : sp_fail(l->err, SP_EDATA,
                         "%s: has no line that names the columns Time [hh:mm:ss], Event and Duration[s]",
                         l->file);
}

const sp_event_reader sp_remlogic_events = {.name = "events of REMlogic",
                                            .recognise = is_remlogic,
                                            .preset = "cap",
                                            .line = read_line,
                                            .end = check_header};
