/* U-Time's .ids and .sds: lines of start, duration and label, in seconds, without a header. */
#include <string.h>

#include "io/events/event_reader.h"
#include "io/text/texts.h"

/* Two numbers and a word. */
static bool is_ids(const sp_file_look *look)
{
    char line[80];
    sp_time time;
    if (sp_file_has_ending(look->file, ".ids .sds"))
        return true;
    sp_look_first_line(look, line, sizeof line);
    const char *first = strchr(line, ','), *second = first ? strchr(first + 1, ',') : NULL;
    return second && !strchr(second + 1, ',') && second[1] && sp_time_seconds(line, (size_t)(first - line), &time) &&
           sp_time_seconds(first + 1, (size_t)(second - first) - 1, &time) &&
           !sp_time_seconds(second + 1, strlen(second + 1), &time);
}

static sp_status read_ids(const sp_event_input *in, sp_events *events, sp_error *err)
{
    sp_lines l;
    events->place_name = "line";
    events->preset = "utime";
    sp_status status = sp_lines_open(in, &l, err);
    while (status == SP_OK && sp_lines_next(&l)) {
        sp_event event = {.place = l.line, .is_stage = true};
        sp_lines_split(&l, ',');
        if (l.n_fields != 3)
            status = sp_fail(err, SP_EDATA, "%s: line %lld has %d fields; it needs start,duration,label", l.file,
                             (long long)l.line, l.n_fields);
        if (status == SP_OK)
            status = sp_lines_seconds(&l, 0, "the start", &event.onset, err);
        if (status == SP_OK)
            status = sp_lines_seconds(&l, 1, "the duration", &event.duration, err);
        if (status == SP_OK && event.duration < 0)
            status =
                sp_fail(err, SP_EDATA, "%s: line %lld: the duration %.40s is below 0", l.file, (long long)l.line, l.fields[1]);
        if (status == SP_OK)
            status = sp_events_add(events, &event, l.fields[2], strlen(l.fields[2]), err);
    }
    sp_lines_close(&l);
    return status;
}

const sp_event_reader sp_ids_events = {.name = "U-Time's labels", .recognise = is_ids, .read = read_ids};
