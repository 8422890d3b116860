#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/output_file.h"
#include "statepath/report.h"

/* A stream, a terminal, /dev/null: nothing to replace, so nothing atomic either. */
static sp_status stream_write(FILE *stream, const char *name, const char *text, sp_error *err)
{
    size_t n = strlen(text);
    if (fwrite(text, 1, n, stream) != n || fflush(stream) != 0)
        return sp_fail(err, SP_EFILE, "%s: cannot be written (%s)", name, strerror(errno));
    return SP_OK;
}

sp_status sp_text_save(const char *file, const char *text, bool force, sp_error *err)
{
    if (strcmp(file, "-") == 0)
        return stream_write(stdout, "standard output", text, err);
    struct stat there;
    if (stat(file, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) {
        FILE *stream = fopen(file, "w");
        if (!stream)
            return sp_fail(err, SP_EFILE, "%s: cannot be written (%s)", file, strerror(errno));
        sp_status status = stream_write(stream, file, text, err);
        if (fclose(stream) != 0 && status == SP_OK)
            status = sp_fail(err, SP_EFILE, "%s: cannot be written (%s)", file, strerror(errno));
        return status;
    }
    sp_output output;
    sp_status status = sp_output_begin(&output, file, force, NULL, err);
    if (status != SP_OK)
        return status;
    status = sp_output_write(&output, text, strlen(text), 0, err);
    if (status != SP_OK) {
        sp_output_abort(&output);
        return status;
    }
    return sp_output_commit(&output, err);
}
