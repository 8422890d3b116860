/* Tables with columns onset and duration: BIDS events.tsv, NCHSDB, and what MNE writes of its annotations as text. n/a in
 * duration: until the next stage. */
#include <string.h>
#include <strings.h>

#include "core/try.h"
#include "io/events/event_reader.h"
#include "io/text/cells.h"

enum { ONSET, DURATION, LABEL, N_COLUMNS };

/* The first of these names that a table has holds the labels. */
static const char *const label_names[] = {"stage",      "sleep_stage", "staging", "description",
                                          "trial_type", "label",       "value"};
enum { N_LABEL_NAMES = sizeof label_names / sizeof *label_names };

static const char mne[] = "# MNE-Annotations";

static bool is_word(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Is a word one of the names in a line? */
static bool has_name(const char *line, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = line; *at; at++)
        if (strncasecmp(at, name, n) == 0 && (at == line || !is_word(at[-1])) && !is_word(at[n]))
            return true;
    return false;
}

/* A table of steps may have these columns beside its own. */
static bool is_table(const sp_file_look *look)
{
    char line[256];
    sp_look_first_line(look, line, sizeof line);
    return strncmp(line, mne, sizeof mne - 1) == 0 ||
           (has_name(line, "onset") && has_name(line, "duration") && !has_name(line, "recording") &&
            !has_name(line, "step"));
}

static sp_status read_header(sp_lines *l)
{
    l->begin += strspn(l->begin, "# ");
    l->delimiter = sp_cells_delimiter(l->begin);
    sp_lines_split(l, l->delimiter);
    l->columns[ONSET] = sp_lines_find(l, "onset");
    l->columns[DURATION] = sp_lines_find(l, "duration");
    l->columns[LABEL] = -1;
    for (int k = 0; k < N_LABEL_NAMES && l->columns[LABEL] < 0; k++)
        l->columns[LABEL] = sp_lines_find(l, label_names[k]);
    if (l->columns[ONSET] >= 0 && l->columns[DURATION] >= 0 && l->columns[LABEL] >= 0)
        return SP_OK;
    return sp_lines_fail(l,
                         " names no column for the %s; it needs onset, duration and one of stage, "
                         "description, trial_type, label or value",
                         l->columns[ONSET] < 0      ? "onset"
                         : l->columns[DURATION] < 0 ? "duration"
                                                    : "labels");
}

static bool is_missing(const char *text)
{
    return !*text || strcasecmp(text, "n/a") == 0 || strcasecmp(text, "nan") == 0;
}

/* Dates of MNE count from 1970 where the recording has none; else from the first of them. */
static sp_status read_onset(sp_lines *l, sp_time *out)
{
    const char *text = l->fields[l->columns[ONSET]];
    sp_time date;
    if (!sp_time_date(text, strlen(text), &date))
        return sp_lines_seconds(l, l->columns[ONSET], "the onset", out);
    if (!l->clocks.has_begun && date >= 365 * SP_DAY) {
        l->begins = date;
        l->events->remark = "its onsets are dates: the first is taken for the beginning of the recording";
    }
    l->clocks.has_begun = true;
    *out = date - l->begins;
    return SP_OK;
}

/* Time of a row without a label is without a stage, but belongs to the recording. */
static sp_status read_row(sp_lines *l)
{
    sp_event event = {.duration = SP_EVENT_UNTIL_NEXT};
    sp_status status = SP_OK;
    sp_lines_split(l, l->delimiter);
    TRY(sp_lines_check(l, N_COLUMNS));
    TRY(read_onset(l, &event.onset));
    if (!is_missing(l->fields[l->columns[DURATION]]))
        TRY(sp_lines_duration(l, l->columns[DURATION], &event.duration));
    if (event.duration == 0)
        event.duration = SP_EVENT_UNTIL_NEXT;
    const char *label = l->fields[l->columns[LABEL]];
    if (is_missing(label) && event.duration > 0 && event.onset + event.duration > l->events->total)
        l->events->total = event.onset + event.duration;
    return sp_lines_add(l, event, is_missing(label) ? "" : label);
done:
    return status;
}

static sp_status read_line(sp_lines *l)
{
    if (l->has_header)
        return read_row(l);
    l->has_header = *l->begin != '#' || has_name(l->begin, "onset");
    return l->has_header ? read_header(l) : SP_OK;
}

const sp_event_reader sp_table_events = {
    .name = "a table of onsets and durations", .recognise = is_table, .preset = "words", .line = read_line};
