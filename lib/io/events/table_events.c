/* Tables with columns onset and duration: BIDS events.tsv, NCHSDB, and what MNE writes of its annotations as text. n/a in
 * duration: until the next stage. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/events/event_reader.h"

enum { ONSET, DURATION, LABEL, N_COLUMNS };

/* The first of these names that a table has holds the labels. */
static const char *const label_names[] = {"stage", "sleep_stage", "staging", "description", "trial_type", "label", "value"};
enum { N_LABEL_NAMES = sizeof label_names / sizeof *label_names };

static const char mne[] = "# MNE-Annotations";

typedef struct reading {
    sp_lines lines;
    sp_events *events;
    char delimiter;
    int columns[N_COLUMNS];
    sp_time begin; /* where onsets are dates: that of the first */
    bool has_begun;
    sp_time last_blank; /* end of the last row without a label: time without a stage, which belongs to the recording */
    sp_error *err;
} reading;

static char delimiter_of(const char *line)
{
    return (char)(strchr(line, '\t') ? '\t' : strchr(line, ';') ? ';' : ',');
}

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
           (has_name(line, "onset") && has_name(line, "duration") && !has_name(line, "recording") && !has_name(line, "step"));
}

static sp_status read_header(reading *r)
{
    sp_lines *l = &r->lines;
    int rank = N_LABEL_NAMES;
    l->begin += strspn(l->begin, "# ");
    r->delimiter = delimiter_of(l->begin);
    sp_lines_split(l, r->delimiter);
    for (int c = 0; c < N_COLUMNS; c++)
        r->columns[c] = -1;
    for (int i = l->n_fields - 1; i >= 0; i--) {
        if (strcasecmp(l->fields[i], "onset") == 0)
            r->columns[ONSET] = i;
        if (strcasecmp(l->fields[i], "duration") == 0)
            r->columns[DURATION] = i;
        for (int k = 0; k < rank; k++)
            if (strcasecmp(l->fields[i], label_names[k]) == 0) {
                r->columns[LABEL] = i;
                rank = k;
            }
    }
    if (r->columns[ONSET] >= 0 && r->columns[DURATION] >= 0 && r->columns[LABEL] >= 0)
        return SP_OK;
    return sp_fail(
        r->err, SP_EDATA,
        "%s: line %lld names no column for the %s; it needs onset, duration and one of stage, description, trial_type, "
        "label or value",
        l->file, (long long)l->line,
        r->columns[ONSET] < 0      ? "onset"
        : r->columns[DURATION] < 0 ? "duration"
                                   : "labels");
}

static bool is_missing(const char *text)
{
    return !*text || strcasecmp(text, "n/a") == 0 || strcasecmp(text, "nan") == 0;
}

/* Dates of MNE count from 1970 where the recording has none; else from the first of them. */
static sp_status read_onset(reading *r, sp_time *out)
{
    const char *text = r->lines.fields[r->columns[ONSET]];
    sp_time date;
    if (!sp_time_date(text, strlen(text), &date))
        return sp_lines_seconds(&r->lines, r->columns[ONSET], "the onset", out, r->err);
    if (!r->has_begun && date >= 365 * SP_DAY) {
        r->begin = date;
        r->events->remark = "its onsets are dates: the first is taken for the beginning of the recording";
    }
    r->has_begun = true;
    *out = date - r->begin;
    return SP_OK;
}

static sp_status read_row(reading *r)
{
    sp_lines *l = &r->lines;
    sp_event event = {.place = l->line, .duration = SP_EVENT_UNTIL_NEXT};
    sp_lines_split(l, r->delimiter);
    for (int c = 0; c < N_COLUMNS; c++)
        if (r->columns[c] >= l->n_fields)
            return sp_fail(r->err, SP_EDATA, "%s: line %lld has %d fields, fewer than the header", l->file, (long long)l->line,
                           l->n_fields);
    sp_status status = read_onset(r, &event.onset);
    if (status == SP_OK && !is_missing(l->fields[r->columns[DURATION]]))
        status = sp_lines_seconds(l, r->columns[DURATION], "the duration", &event.duration, r->err);
    if (status == SP_OK && event.duration < 0 && event.duration != SP_EVENT_UNTIL_NEXT)
        status = sp_fail(r->err, SP_EDATA, "%s: line %lld: the duration %.40s is below 0", l->file, (long long)l->line,
                         l->fields[r->columns[DURATION]]);
    if (event.duration == 0)
        event.duration = SP_EVENT_UNTIL_NEXT;
    const char *label = l->fields[r->columns[LABEL]];
    if (status == SP_OK && is_missing(label) && event.duration > 0 && event.onset + event.duration > r->last_blank)
        r->last_blank = event.onset + event.duration;
    return status == SP_OK
               ? sp_events_add(r->events, &event, is_missing(label) ? "" : label, is_missing(label) ? 0 : strlen(label), r->err)
               : status;
}

static sp_status read_table(const sp_event_input *in, sp_events *events, sp_error *err)
{
    reading r = {.events = events, .err = err};
    bool has_header = false;
    events->place_name = "line";
    events->preset = "words";
    sp_status status = sp_lines_open(in, &r.lines, err);
    while (status == SP_OK && sp_lines_next(&r.lines)) {
        const char *line = r.lines.begin;
        if (has_header)
            status = read_row(&r);
        else if (*line != '#' || has_name(line, "onset")) {
            status = read_header(&r);
            has_header = true;
        }
    }
    sp_lines_close(&r.lines);
    events->total = r.last_blank;
    return status;
}

const sp_event_reader sp_table_events = {.name = "a table of onsets and durations", .recognise = is_table, .read = read_table};
