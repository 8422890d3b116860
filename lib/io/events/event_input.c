/* Bytes of files of events. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/events/event_reader.h"

enum { MOST_BYTES = 1 << 28 };

sp_status sp_event_input_open(const char *file, const sp_file_access *access, sp_event_input *out,
                              sp_error *err)
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
        return sp_fail(
            err, SP_EFILE,
            "%s: is cut short: it ends at byte %lld, where %zu bytes from byte %lld on are expected",
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
            return sp_fail(err, SP_EFILE, "%s: cannot be read at byte %lld: %s", in->file,
                           (long long)offset + (long long)done,
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
