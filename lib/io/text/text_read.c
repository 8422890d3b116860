#include "io/text/text_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/owned.h"
#include "core/try.h"

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
    size_t n = 0, room = FIRST / 2, got;
    char *bytes = NULL;
    bool is_whole = true;
    sp_status status = SP_OK;
    do {
        room *= 2;
        bytes = sp_grown(bytes, (int64_t)room + 1, 1, &is_whole);
        if (!is_whole)
            TRY(sp_no_memory(err));
        got = fread(bytes + n, 1, room - n, stream);
        if (ferror(stream))
            TRY(sp_fail(err, SP_EFILE, "%s: cannot be read: %s", file, strerror(errno)));
        TRY(check_head(file, what, bytes + n, got, err));
        n += got;
    } while (n == room);
    bytes[n] = '\0';
    *text = bytes;
    bytes = NULL;
done:
    free(bytes);
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
