/* Bytes and lines of files of events. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/events/event_reader.h"

enum { MOST_BYTES = 1 << 28 };

sp_status sp_event_input_open(const char *file, const sp_file_access *access, sp_event_input *out, sp_error *err)
{
    *out = (sp_event_input){.file = file, .fd = -1};
    if (access && access->image) {
        out->image = access->image;
        out->size = (int64_t)access->image_bytes;
        return SP_OK;
    }
    struct stat info;
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        const int reason = errno;
        if (fd >= 0)
            close(fd);
        return sp_fail(err, SP_EFILE, "%s: cannot be opened: %s", file, strerror(reason));
    }
    out->fd = fd;
    out->size = (int64_t)info.st_size;
    return SP_OK;
}

void sp_event_input_close(sp_event_input *in)
{
    if (in->fd >= 0)
        close(in->fd);
    in->fd = -1;
}

sp_status sp_event_input_at(const sp_event_input *in, int64_t offset, size_t n, void *bytes, sp_error *err)
{
    if (offset < 0 || offset > in->size || (uint64_t)(in->size - offset) < n)
        return sp_fail(err, SP_EFILE, "%s: is cut short: it ends at byte %lld, where %zu bytes from byte %lld on are expected",
                       in->file, (long long)in->size, n, (long long)offset);
    if (in->image) {
        memcpy(bytes, in->image + offset, n);
        return SP_OK;
    }
    for (size_t done = 0; done < n;) {
        const ssize_t got = pread(in->fd, (char *)bytes + done, n - done, (off_t)(offset + (int64_t)done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return sp_fail(err, SP_EFILE, "%s: cannot be read at byte %lld: %s", in->file, (long long)offset + (long long)done,
                           got < 0 ? strerror(errno) : "it was cut short meanwhile");
        done += (size_t)got;
    }
    return SP_OK;
}

sp_status sp_event_input_all(const sp_event_input *in, char **bytes, size_t *n, sp_error *err)
{
    if (in->size > MOST_BYTES)
        return sp_fail(err, SP_EFILE, "%s: has %lld bytes; hypnograms of more than %d are not read", in->file,
                       (long long)in->size, MOST_BYTES);
    char *all = malloc((size_t)in->size + 1);
    if (!all)
        return sp_no_memory(err);
    sp_status status = sp_event_input_at(in, 0, (size_t)in->size, all, err);
    if (status != SP_OK) {
        free(all);
        return status;
    }
    all[in->size] = '\0';
    *bytes = all;
    *n = (size_t)in->size;
    return SP_OK;
}

/* ---- lines ---- */

sp_status sp_lines_open(const sp_event_input *in, sp_lines *out, sp_error *err)
{
    size_t n = 0;
    *out = (sp_lines){.file = in->file};
    sp_status status = sp_event_input_all(in, &out->text, &n, err);
    if (status != SP_OK)
        return status;
    const char *zero = memchr(out->text, 0, n);
    if (zero)
        return sp_fail(err, SP_EDATA, "%s: byte %lld is 0, so it is no text in UTF-8; save it as such", in->file,
                       (long long)(zero - out->text));
    out->at = out->text + (n >= 3 && memcmp(out->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
    return SP_OK;
}

void sp_lines_close(sp_lines *lines)
{
    free(lines->text);
    lines->text = NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool sp_lines_next(sp_lines *l)
{
    while (*l->at) {
        char *begin = l->at, *end = strchr(begin, '\n');
        end = end ? end : begin + strlen(begin);
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

void sp_lines_split(sp_lines *l, char delimiter)
{
    const char stop[3] = {delimiter, delimiter == ' ' ? '\t' : '\0', '\0'};
    char *at = l->begin;
    bool is_last = false;
    for (l->n_fields = 0; !is_last && l->n_fields < SP_LINE_FIELDS; l->n_fields++) {
        at += strspn(at, delimiter == '\t' ? " " : " \t");
        char *end = at + strcspn(at, stop), *next = end;
        is_last = *end == '\0';
        next += !is_last;
        while (end > at && is_blank(end[-1]))
            end--;
        *end = '\0';
        if (end - at > 1 && *at == '"' && end[-1] == '"') {
            at++;
            end[-1] = '\0';
        }
        l->fields[l->n_fields] = at;
        at = next;
    }
}

sp_status sp_lines_seconds(const sp_lines *l, int i, const char *what, sp_time *out, sp_error *err)
{
    const char *text = i < l->n_fields ? l->fields[i] : "";
    if (sp_time_seconds(text, strlen(text), out))
        return SP_OK;
    return sp_fail(err, SP_EDATA, "%s: line %lld: %s \"%.40s\" is no number of seconds", l->file, (long long)l->line, what, text);
}

/* ---- first bytes ---- */

void sp_look_first_line(const sp_file_look *look, char *line, size_t size)
{
    size_t at = look->n >= 3 && memcmp(look->head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0, n = 0;
    while (at < look->n && (look->head[at] == '\n' || look->head[at] == '\r'))
        at++;
    for (; at < look->n && n + 1 < size && look->head[at] != '\n' && look->head[at] != '\r' && look->head[at]; at++)
        line[n++] = (char)look->head[at];
    line[n] = '\0';
}

bool sp_look_has(const sp_file_look *look, const char *text)
{
    const size_t n = strlen(text);
    for (size_t i = 0; i + n <= look->n; i++)
        if (strncasecmp((const char *)look->head + i, text, n) == 0)
            return true;
    return false;
}
