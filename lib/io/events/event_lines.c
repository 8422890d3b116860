/* Lines of texts of events, their cells, and the way from line to line. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/try.h"
#include "io/events/event_reader.h"
#include "io/text/cells.h"

/* ---- from line to line ---- */

static sp_status open_lines(sp_lines *l, const sp_event_input *in)
{
    size_t n = 0;
    sp_status status = sp_event_input_all(in, &l->text, &n, l->err);
    if (status != SP_OK)
        return status;
    const char *zero = memchr(l->text, 0, n);
    if (zero)
        return sp_fail(l->err, SP_EDATA, "%s: byte %lld is 0, so it is no text in UTF-8; save it as such",
                       in->file, (long long)(zero - l->text));
    l->at = l->text + sp_text_mark(l->text, n);
    return SP_OK;
}

/* The next line that is not blank; false: there is none. */
static bool next_line(sp_lines *l)
{
    while (*l->at) {
        char *begin = l->at, *end = begin + strcspn(begin, "\n");
        l->at = *end ? end + 1 : end;
        l->line++;
        while (end > begin && (end[-1] == ' ' || end[-1] == '\r')) /* a tab may end an empty field */
            end--;
        if (begin + strspn(begin, " \t\r") < end) {
            *end = '\0';
            l->begin = begin;
            return true;
        }
    }
    return false;
}

sp_status sp_event_reader_read(const sp_event_reader *reader, const sp_event_input *in, sp_events *events,
                               sp_error *err)
{
    sp_lines l = {.file = in->file, .events = events, .err = err};
    sp_status status = SP_OK;
    events->place_name = reader->line ? "line" : reader->place_name;
    events->preset = reader->preset;
    events->epoch = reader->epoch;
    if (!reader->line)
        return reader->read(in, events, err);
    TRY(open_lines(&l, in));
    while (next_line(&l))
        TRY(reader->line(&l));
    if (reader->end)
        TRY(reader->end(&l));
done:
    free(l.text);
    return status;
}

/* ---- fields ---- */

void sp_lines_split(sp_lines *l, char delimiter)
{
    sp_cells in = {.at = l->begin, .delimiter = delimiter, .is_free = true};
    bool is_last = false;
    for (l->n_fields = 0; !is_last && l->n_fields < SP_LINE_FIELDS; l->n_fields++)
        sp_cells_next(&in, &l->fields[l->n_fields], &is_last);
}

int sp_lines_find(const sp_lines *l, const char *name)
{
    for (int i = 0; i < l->n_fields; i++)
        if (strcasecmp(l->fields[i], name) == 0)
            return i;
    return -1;
}

sp_status sp_lines_fail(const sp_lines *l, const char *format, ...)
{
    char what[400];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return sp_fail(l->err, SP_EDATA, "%s: line %lld%s", l->file, (long long)l->line, what);
}

static const char *field(const sp_lines *l, int i)
{
    return i < l->n_fields ? l->fields[i] : "";
}

sp_status sp_lines_seconds(const sp_lines *l, int i, const char *what, sp_time *out)
{
    const char *text = field(l, i);
    return sp_time_seconds(text, strlen(text), out)
               ? SP_OK
               : sp_lines_fail(l, ": %s \"%.40s\" is no number of seconds", what, text);
}

sp_status sp_lines_duration(const sp_lines *l, int i, sp_time *out)
{
    sp_status status = sp_lines_seconds(l, i, "the duration", out);
    return status == SP_OK && *out < 0 ? sp_lines_fail(l, ": the duration %.40s is below 0", field(l, i))
                                       : status;
}

sp_status sp_lines_epoch(const sp_lines *l, int i, int64_t least, int64_t *out)
{
    const char *text = field(l, i);
    return sp_cell_whole(text, out) && *out >= least
               ? SP_OK
               : sp_lines_fail(l, ": \"%.40s\" is no number of an epoch from %lld on", text,
                               (long long)least);
}

sp_status sp_lines_check(const sp_lines *l, int n)
{
    for (int c = 0; c < n; c++)
        if (l->columns[c] >= l->n_fields)
            return sp_lines_fail(l, " has %d fields, fewer than the header", l->n_fields);
    return SP_OK;
}

/* ---- events ---- */

sp_status sp_lines_add(sp_lines *l, sp_event event, const char *text)
{
    event.place = l->line;
    return sp_events_add(l->events, &event, text, strlen(text), l->err);
}

sp_status sp_lines_add_epoch(sp_lines *l, int64_t index, const char *text)
{
    const sp_time epoch = l->events->epoch;
    if (index >= SP_TIME_LIMIT / epoch)
        return sp_lines_fail(l, ": epoch %lld is too far from the beginning", (long long)index + 1);
    return sp_lines_add(l, (sp_event){.onset = index * epoch, .duration = epoch, .is_stage = true}, text);
}

/* ---- first bytes ---- */

void sp_look_first_line(const sp_file_look *look, char *line, size_t size)
{
    size_t at = sp_text_mark(look->head, look->n), n = 0;
    while (at < look->n && (look->head[at] == '\n' || look->head[at] == '\r'))
        at++;
    for (; at < look->n && n + 1 < size && look->head[at] != '\n' && look->head[at] != '\r' && look->head[at];
         at++)
        line[n++] = (char)look->head[at];
    line[n] = '\0';
}

bool sp_look_begins(const sp_file_look *look, const char *text)
{
    char line[64];
    sp_look_first_line(look, line, sizeof line);
    return strncasecmp(line, text, strlen(text)) == 0;
}

bool sp_look_has(const sp_file_look *look, const char *text)
{
    const size_t n = strlen(text);
    for (size_t i = 0; i + n <= look->n; i++)
        if (strncasecmp((const char *)look->head + i, text, n) == 0)
            return true;
    return false;
}
