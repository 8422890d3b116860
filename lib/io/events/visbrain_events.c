/* visbrain's hypnogram by times: lines of a stage and the second at which it ends, each beginning where the one before ended;
 * before them lines that begin with *, of which *Duration_sec says how long the recording is. */
#include <string.h>
#include <strings.h>

#include "io/events/event_reader.h"

static bool is_visbrain(const sp_file_look *look)
{
    char line[64];
    sp_look_first_line(look, line, sizeof line);
    return strncasecmp(line, "*Duration_sec", 13) == 0 || strncasecmp(line, "*Datafile", 9) == 0;
}

static sp_status read_row(sp_lines *l, sp_events *events, sp_time *at, sp_error *err)
{
    sp_event event = {.place = l->line, .is_stage = true, .onset = *at};
    sp_time end;
    sp_lines_split(l, strchr(l->begin, '\t') ? '\t' : ' ');
    if (l->n_fields < 2)
        return sp_fail(err, SP_EDATA, "%s: line %lld has one field; it needs a stage and the second at which it ends", l->file,
                       (long long)l->line);
    sp_status status = sp_lines_seconds(l, 1, "the end", &end, err);
    if (status == SP_OK && end < *at)
        status = sp_fail(err, SP_EDATA, "%s: line %lld ends at %.40s s, before the line above", l->file, (long long)l->line,
                         l->fields[1]);
    if (status != SP_OK)
        return status;
    event.duration = end - *at;
    *at = end;
    return sp_events_add(events, &event, l->fields[0], strlen(l->fields[0]), err);
}

static sp_status read_visbrain(const sp_event_input *in, sp_events *events, sp_error *err)
{
    sp_lines l;
    sp_time at = 0;
    events->place_name = "line";
    events->preset = "words";
    sp_status status = sp_lines_open(in, &l, err);
    while (status == SP_OK && sp_lines_next(&l)) {
        if (*l.begin != '*') {
            status = read_row(&l, events, &at, err);
            continue;
        }
        sp_lines_split(&l, strchr(l.begin, '\t') ? '\t' : ' ');
        if (strcasecmp(l.fields[0], "*Duration_sec") == 0)
            status = sp_lines_seconds(&l, 1, "Duration_sec", &events->total, err);
    }
    sp_lines_close(&l);
    return status;
}

const sp_event_reader sp_visbrain_events = {.name = "a hypnogram of visbrain", .recognise = is_visbrain, .read = read_visbrain};
