#include "io/text/text_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 1 << 14 };

/* What cannot be JSON, told after the first bytes: nobody waits until gigabytes of scores are read. */
static sp_status check_head(const char *file, const char *what, const char *text, size_t n, sp_error *err)
{
    if (n >= 8 && memcmp(text, "\x89HDF\r\n\x1a\n", 8) == 0)
        return sp_fail(err, SP_EFILE, "%s: is an HDF5 file, not %s; did you swap two arguments?", file, what);
    if (memchr(text, 0, n))
        return sp_fail(err, SP_EFILE, "%s: is not a text file in UTF-8, so it cannot be %s", file, what);
    return SP_OK;
}

static sp_status read_stream(FILE *stream, const char *file, const char *what, char **text, sp_error *err)
{
    size_t n = 0, capacity = FIRST;
    char *buffer = malloc(capacity + 1);
    sp_status status = SP_OK;
    while (buffer && status == SP_OK) {
        size_t got = fread(buffer + n, 1, capacity - n, stream);
        if (ferror(stream))
            status = sp_fail(err, SP_EFILE, "%s: cannot be read: %s", file, strerror(errno));
        else
            status = check_head(file, what, buffer + n, got, err);
        n += got;
        if (n < capacity)
            break;
        char *more = realloc(buffer, 2 * capacity + 1);
        if (!more)
            free(buffer);
        buffer = more;
        capacity *= 2;
    }
    if (!buffer)
        return sp_no_memory(err);
    if (status == SP_OK) {
        buffer[n] = 0;
        *text = buffer;
    } else
        free(buffer);
    return status;
}

sp_status sp_text_read(const char *file, const char *what, char **text, sp_error *err)
{
    FILE *stream = fopen(file, "rb");
    if (!stream)
        return sp_fail(err, SP_EFILE, "%s: cannot be opened: %s", file, strerror(errno));
    sp_status status = read_stream(stream, file, what, text, err);
    fclose(stream);
    return status;
}
