/* visbrain's hypnogram by times: lines of a stage and the second at which it ends, each beginning where the one before ended;
 * before them lines that begin with *, of which *Duration_sec says how long the recording is. */
#include <string.h>
#include <strings.h>

#include "io/events/event_reader.h"

static bool is_visbrain(const sp_file_look *look)
{
    return sp_look_begins(look, "*Duration_sec") || sp_look_begins(look, "*Datafile");
}

static sp_status read_line(sp_lines *l)
{
    sp_event event = {.is_stage = true, .onset = l->end};
    const bool is_about = *l->begin == '*';
    sp_lines_split(l, strchr(l->begin, '\t') ? '\t' : ' ');
    if (is_about)
        return strcasecmp(l->fields[0], "*Duration_sec") == 0
                   ? sp_lines_seconds(l, 1, "Duration_sec", &l->events->total)
                   : SP_OK;
    if (l->n_fields < 2)
        return sp_lines_fail(l, " has one field; it needs a stage and the second at which it ends");
    sp_status status = sp_lines_seconds(l, 1, "the end", &l->end);
    if (status != SP_OK)
        return status;
    if (l->end < event.onset)
        return sp_lines_fail(l, " ends at %.40s s, before the line above", l->fields[1]);
    event.duration = l->end - event.onset;
    return sp_lines_add(l, event, l->fields[0]);
}

const sp_event_reader sp_visbrain_events = {
    .name = "a hypnogram of visbrain", .recognise = is_visbrain, .preset = "words", .line = read_line};
