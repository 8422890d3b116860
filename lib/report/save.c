/* A reader of the file sees the old text or the whole new one: written beside the target, flushed, then renamed. */
#include "statepath/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/buffer.h"

static bool write_all(int descriptor, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t written = write(descriptor, text, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        n -= (size_t)written;
    }
    return true;
}

/* A terminal, a pipe or /dev/null cannot be renamed over, and there is no old text to keep. */
static sp_status save_special(const char *file, const char *text, sp_error *err)
{
    int descriptor = open(file, O_WRONLY);
    if (descriptor < 0)
        return sp_fail(err, SP_EFILE, "%s: cannot be opened for writing: %s", file, strerror(errno));
    bool is_written = write_all(descriptor, text, strlen(text));
    int reason = errno;
    if (close(descriptor) != 0 && is_written) {
        is_written = false;
        reason = errno;
    }
    return is_written ? SP_OK : sp_fail(err, SP_EFILE, "%s: cannot be written: %s", file, strerror(reason));
}

static sp_status save_beside(const char *file, const char *temporary, const char *text, sp_error *err)
{
    int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (descriptor < 0)
        return sp_fail(err, SP_EFILE, "%s: cannot be written: %s; does its folder exist, and may you write there?", file,
                       strerror(errno));
    bool is_written = write_all(descriptor, text, strlen(text)) && fsync(descriptor) == 0;
    int reason = errno;
    if (close(descriptor) != 0 && is_written) {
        is_written = false;
        reason = errno;
    }
    if (is_written && rename(temporary, file) != 0) {
        is_written = false;
        reason = errno;
    }
    if (!is_written) {
        unlink(temporary);
        return sp_fail(err, SP_EFILE, "%s: cannot be written: %s", file, strerror(reason));
    }
    return SP_OK;
}

sp_status sp_text_save(const char *file, const char *text, bool force, sp_error *err)
{
    if (!strcmp(file, "-")) {
        fflush(stdout);
        return write_all(STDOUT_FILENO, text, strlen(text))
                   ? SP_OK
                   : sp_fail(err, SP_EFILE, "standard output: cannot be written: %s", strerror(errno));
    }
    struct stat info;
    bool exists = stat(file, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return sp_fail(err, SP_EFILE, "%s: is a folder; name a file in it", file);
    if (exists && !S_ISREG(info.st_mode))
        return save_special(file, text, err);
    if (exists && !force)
        return sp_fail(err, SP_EFILE, "%s: exists already; --force replaces it", file);
    char *target = exists ? realpath(file, NULL) : NULL; /* a link stays a link to the new text */
    sp_buffer temporary = {0};
    sp_buffer_format(&temporary, "%s.%ld.part", target ? target : file, (long)getpid());
    sp_status status = temporary.failed ? sp_fail(err, SP_ENOMEM, "out of memory while writing %s", file)
                                        : save_beside(target ? target : file, temporary.data, text, err);
    sp_buffer_free(&temporary);
    free(target);
    return status;
}
