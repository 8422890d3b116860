/* U-Time's .ids and .sds: lines of start, duration and label, in seconds, without a header. */
#include <string.h>

#include "core/try.h"
#include "io/events/event_reader.h"
#include "io/text/texts.h"

/* Two numbers and a word. */
static bool is_ids(const sp_file_look *look)
{
    char line[80];
    sp_time time;
    if (sp_file_has_ending(look->file, SP_UTIME_ENDINGS))
        return true;
    sp_look_first_line(look, line, sizeof line);
    const char *first = strchr(line, ','), *second = first ? strchr(first + 1, ',') : NULL;
    return second && !strchr(second + 1, ',') && second[1] &&
           sp_time_seconds(line, (size_t)(first - line), &time) &&
           sp_time_seconds(first + 1, (size_t)(second - first) - 1, &time) &&
           !sp_time_seconds(second + 1, strlen(second + 1), &time);
}

static sp_status read_line(sp_lines *l)
{
    sp_event event = {.is_stage = true};
    sp_status status = SP_OK;
    sp_lines_split(l, ',');
    if (l->n_fields != 3)
        return sp_lines_fail(l, " has %d fields; it needs start,duration,label", l->n_fields);
    TRY(sp_lines_seconds(l, 0, "the start", &event.onset));
    TRY(sp_lines_duration(l, 1, &event.duration));
    return sp_lines_add(l, event, l->fields[2]);
done:
    return status;
}

const sp_event_reader sp_ids_events = {
    .name = "U-Time's labels", .recognise = is_ids, .preset = "utime", .line = read_line};
