#include "io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static void output_free(sp_output *output)
{
    free(output->file);
    free(output->target);
    free(output->temporary);
    free(output->folder);
    *output = (sp_output){.fd = -1};
}

/* Length of the folder part of a name, its last '/' included; 0 for a bare name. */
static size_t folder_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) + 1 : 0;
}

static char *folder_of(const char *name)
{
    size_t n = folder_length(name);
    if (n > 1)
        n--; /* "/" keeps its slash */
    return n ? strndup(name, n) : strdup(".");
}

static sp_status target_check(sp_output *output, const char *input, sp_error *err)
{
    struct stat target, source;
    if (stat(output->target, &target) != 0)
        return SP_OK; /* not there yet; whether it can be made is seen when the temporary file is */
    if (S_ISDIR(target.st_mode))
        return sp_fail(err, SP_EFILE, "%s: is a folder; give the name of a file", output->file);
    if (input && stat(input, &source) == 0 && source.st_dev == target.st_dev && source.st_ino == target.st_ino)
        return sp_fail(err, SP_EINVAL, "%s: is the input file, which is never written to; give the output another name",
                       output->file);
    if (!S_ISREG(target.st_mode))
        return sp_fail(err, SP_EFILE, "%s: is not an ordinary file; give the name of a file", output->file);
    if (target.st_size == 0) /* nothing is lost: mktemp and the like make such files to be written to */
        output->force = true;
    if (!output->force)
        return sp_fail(err, SP_EFILE, "%s: exists already; use --force to replace it", output->file);
    return SP_OK;
}

/* A name beside the target that nobody uses: ".<target>.<process>-<try>.tmp". */
static sp_status temporary_create(sp_output *output, sp_error *err)
{
    const size_t folder = folder_length(output->target);
    const size_t size = folder + NAME_MAX + 2;
    output->temporary = malloc(size);
    if (!output->temporary)
        return sp_fail(err, SP_ENOMEM, "%s: not enough memory", output->file);
    for (int attempt = 0; attempt < 1000; attempt++) {
        snprintf(output->temporary, size, "%.*s.%.180s.%ld-%d.tmp", (int)folder, output->target, output->target + folder,
                 (long)getpid(), attempt);
        output->fd = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->fd >= 0)
            return SP_OK;
        if (errno != EEXIST)
            break;
    }
    const int reason = errno;
    const char *shown = output->folder;
    sp_status status;
    if (reason == ENOENT || reason == ENOTDIR)
        status = sp_fail(err, SP_EFILE, "%s: cannot be written, there is no folder %s; make it first", output->file, shown);
    else if (reason == EACCES || reason == EPERM || reason == EROFS)
        status = sp_fail(err, SP_EFILE, "%s: cannot be written, folder %s does not allow it (%s)", output->file, shown,
                         strerror(reason));
    else
        status = sp_fail(err, SP_EFILE, "%s: cannot be written (%s)", output->file, strerror(reason));
    return status;
}

sp_status sp_output_begin(sp_output *output, const char *file, bool force, const char *input, sp_error *err)
{
    sp_output made = {.fd = -1, .force = force};
    if (!file[0])
        return sp_fail(err, SP_EINVAL, "the name of the output file is empty");
    /* A symbolic link stays a link: what it points to is replaced. One that points nowhere is replaced itself. */
    struct stat link;
    if (lstat(file, &link) == 0 && S_ISLNK(link.st_mode))
        made.target = realpath(file, NULL);
    if (!made.target)
        made.target = strdup(file);
    made.file = strdup(file);
    made.folder = folder_of(made.target ? made.target : file);
    sp_status status = SP_OK;
    if (!made.target || !made.file || !made.folder)
        status = sp_fail(err, SP_ENOMEM, "%s: not enough memory", file);
    if (status == SP_OK && file[strlen(file) - 1] == '/')
        status = sp_fail(err, SP_EFILE, "%s: is the name of a folder; give the name of a file", file);
    if (status == SP_OK)
        status = target_check(&made, input, err);
    if (status == SP_OK)
        status = temporary_create(&made, err);
    if (status != SP_OK) {
        output_free(&made);
        return status;
    }
    *output = made;
    return SP_OK;
}

static sp_status write_failed(const sp_output *output, int reason, sp_error *err)
{
    if (reason == ENOSPC || reason == EDQUOT)
        return sp_fail(err, SP_EFILE, "%s: cannot be written, the disk is full (%s); free some space or write elsewhere",
                       output->file, strerror(reason));
    if (reason == EFBIG)
        return sp_fail(err, SP_EFILE, "%s: cannot be written, the file would be larger than allowed here (%s); see ulimit -f",
                       output->file, strerror(reason));
    return sp_fail(err, SP_EFILE, "%s: cannot be written (%s)", output->file, strerror(reason));
}

sp_status sp_output_write(const sp_output *output, const void *data, size_t n, int64_t position, sp_error *err)
{
    const char *p = data;
    while (n > 0) {
        ssize_t written = pwrite(output->fd, p, n < (1u << 30) ? n : (1u << 30), (off_t)position);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return write_failed(output, errno, err);
        if (written == 0)
            return write_failed(output, ENOSPC, err);
        p += written;
        position += written;
        n -= (size_t)written;
    }
    return SP_OK;
}

sp_status sp_output_room(const sp_output *output, int64_t bytes, sp_error *err)
{
    /* Growing the file meets the limit of the process without writing anything; it is empty again afterwards. */
    if (ftruncate(output->fd, (off_t)bytes) != 0)
        return write_failed(output, errno, err);
    if (ftruncate(output->fd, 0) != 0)
        return write_failed(output, errno, err);
    struct statvfs disk;
    if (fstatvfs(output->fd, &disk) == 0 && disk.f_blocks > 0 && disk.f_frsize > 0 &&
        (uint64_t)disk.f_bavail < (uint64_t)bytes / disk.f_frsize)
        return sp_fail(err, SP_EFILE,
                       "%s: cannot be written, it needs %.1f MB and the disk has %.1f MB left; free some space or write "
                       "elsewhere",
                       output->file, (double)bytes / 1e6, (double)disk.f_bavail * (double)disk.f_frsize / 1e6);
    return SP_OK;
}

/* The new name reaches the disk with its folder. File systems that cannot do this say EINVAL; nothing is lost then but the
 * promise for a power cut. */
static void folder_flush(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

/* Gives the temporary file its name. Without `force` a file that appeared meanwhile must not be lost: link() refuses to replace,
 * rename() does not. Where links are not to be had (some network and FAT file systems) the check of the beginning has to do. */
static int name_final(const sp_output *output)
{
    if (!output->force) {
        if (link(output->temporary, output->target) == 0) {
            (void)unlink(output->temporary);
            return 0;
        }
        struct stat there; /* a link that points nowhere is not there for stat() */
        if (stat(output->target, &there) == 0)
            return EEXIST;
    }
    return rename(output->temporary, output->target) == 0 ? 0 : errno;
}

sp_status sp_output_commit(sp_output *output, sp_error *err)
{
    int reason = 0;
    if (fsync(output->fd) != 0 && errno != EINVAL && errno != ENOSYS)
        reason = errno;
    if (close(output->fd) != 0 && reason == 0)
        reason = errno;
    output->fd = -1;
    sp_status status = SP_OK;
    if (reason) {
        status = write_failed(output, reason, err);
    } else if ((reason = name_final(output)) != 0) {
        if (reason == EEXIST)
            status = sp_fail(err, SP_EFILE, "%s: was made by another program meanwhile; use --force to replace it", output->file);
        else
            status = write_failed(output, reason, err);
    }
    if (status != SP_OK) {
        sp_output_abort(output);
        return status;
    }
    folder_flush(output->folder);
    output_free(output);
    return SP_OK;
}

void sp_output_abort(sp_output *output)
{
    if (output->fd >= 0)
        close(output->fd);
    if (output->temporary)
        (void)unlink(output->temporary);
    output_free(output);
}
