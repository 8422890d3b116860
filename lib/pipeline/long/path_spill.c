#include "pipeline/long/path_spill.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_STEPS = 1 << 16 };

struct sp_path_spill {
    int fd;
    int size; /* bytes of a step */
    uint32_t
        n_classes; /* a step that breaks a rule is kept as its class plus that; 0: violations are not kept */
    union {
        uint8_t u8[BUFFER_STEPS];
        uint16_t u16[BUFFER_STEPS];
        uint32_t u32[BUFFER_STEPS];
    } buffer;
};

static const char *folder(void)
{
    const char *given = getenv("TMPDIR");
    return given && *given ? given : "/tmp";
}

static sp_status failed(const char *what, sp_error *err)
{
    return sp_fail(err, SP_EFILE,
                   "a temporary file in %s for the path of a long recording cannot be %s (%s); TMPDIR names "
                   "another folder",
                   folder(), what, strerror(errno));
}

sp_status sp_path_spill_new(int32_t n_classes, bool with_violations, sp_path_spill **out, sp_error *err)
{
    sp_path_spill *s = malloc(sizeof *s);
    char name[4096];
    if (!s)
        return sp_no_memory(err);
    if (snprintf(name, sizeof name, "%s/statepath-XXXXXX", folder()) >= (int)sizeof name)
        name[0] = '\0'; /* mkstemp() then says what is wrong */
    s->n_classes = with_violations ? (uint32_t)n_classes : 0;
    const uint32_t n_codes = (uint32_t)n_classes + s->n_classes;
    s->size = n_codes <= 256 ? 1 : n_codes <= 65536 ? 2 : 4;
    s->fd = mkstemp(name);
    if (s->fd < 0) {
        free(s);
        return failed("made", err);
    }
    (void)unlink(name);
    *out = s;
    return SP_OK;
}

void sp_path_spill_free(sp_path_spill *s)
{
    if (s)
        (void)close(s->fd);
    free(s);
}

static void pack(sp_path_spill *s, int64_t n, const int32_t *path, const uint8_t *violations)
{
    for (int64_t t = 0; t < n; t++) {
        const uint32_t code = (uint32_t)path[t] + (violations && violations[t] ? s->n_classes : 0);
        if (s->size == 1)
            s->buffer.u8[t] = (uint8_t)code;
        else if (s->size == 2)
            s->buffer.u16[t] = (uint16_t)code;
        else
            s->buffer.u32[t] = code;
    }
}

static void unpack(const sp_path_spill *s, int64_t n, int32_t *path, uint8_t *violations)
{
    for (int64_t t = 0; t < n; t++) {
        const uint32_t code = s->size == 1   ? s->buffer.u8[t]
                              : s->size == 2 ? s->buffer.u16[t]
                                             : s->buffer.u32[t];
        const bool is_violation = s->n_classes && code >= s->n_classes;
        path[t] = (int32_t)(is_violation ? code - s->n_classes : code);
        if (violations)
            violations[t] = is_violation;
    }
}

sp_status sp_path_spill_put(sp_path_spill *s, int64_t first, int64_t n, const int32_t *path,
                            const uint8_t *violations, sp_error *err)
{
    for (int64_t at = 0; at < n; at += BUFFER_STEPS) {
        int64_t count = n - at < BUFFER_STEPS ? n - at : BUFFER_STEPS;
        size_t bytes = (size_t)count * (size_t)s->size, done = 0;
        pack(s, count, path + at, violations ? violations + at : NULL);
        while (done < bytes) {
            ssize_t more = pwrite(s->fd, (const char *)&s->buffer + done, bytes - done,
                                  (first + at) * s->size + (off_t)done);
            if (more < 0 && errno != EINTR)
                return failed("written", err);
            done += more > 0 ? (size_t)more : 0;
        }
    }
    return SP_OK;
}

sp_status sp_path_spill_get(sp_path_spill *s, int64_t first, int64_t n, int32_t *path, uint8_t *violations,
                            sp_error *err)
{
    for (int64_t at = 0; at < n; at += BUFFER_STEPS) {
        int64_t count = n - at < BUFFER_STEPS ? n - at : BUFFER_STEPS;
        size_t bytes = (size_t)count * (size_t)s->size, done = 0;
        while (done < bytes) {
            ssize_t more =
                pread(s->fd, (char *)&s->buffer + done, bytes - done, (first + at) * s->size + (off_t)done);
            if (more == 0)
                errno = EIO; /* shorter than what was written */
            if (more == 0 || (more < 0 && errno != EINTR))
                return failed("read", err);
            done += more > 0 ? (size_t)more : 0;
        }
        unpack(s, count, path + at, violations ? violations + at : NULL);
    }
    return SP_OK;
}
