#include "io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif
#include <unistd.h>

#include "core/owned.h"
#include "core/try.h"
#include "io/temporary.h"

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
    if (input && stat(input, &source) == 0 && source.st_dev == target.st_dev &&
        source.st_ino == target.st_ino)
        return sp_fail(err, SP_EINVAL,
                       "%s: is the input file, which is never written to; give the output another name",
                       output->file);
    if (!S_ISREG(target.st_mode))
        return sp_fail(err, SP_EFILE, "%s: is not an ordinary file; give the name of a file", output->file);
    output->is_replaced = true;
    output->old = (sp_output_old){.mode = target.st_mode, .user = target.st_uid, .group = target.st_gid};
    if (target.st_size == 0) /* nothing is lost: mktemp and the like make such files to be written to */
        output->force = true;
    if (!output->force)
        return sp_fail(err, SP_EFILE, "%s: exists already; use `force` to replace it", output->file);
    return SP_OK;
}

const char *sp_output_left(const sp_output *output)
{
    return output->is_replaced ? "the old file is untouched" : "nothing was written";
}

sp_status sp_output_failed(const sp_output *output, int reason, sp_error *err)
{
    static const struct {
        int reason;
        const char *what, *mend;
    } known[] = {{ENOSPC, ", the disk is full", "; free some space or write elsewhere"},
                 {EDQUOT, ", your share of the disk is used up", "; free some of it or write elsewhere"},
                 {EFBIG, ", the file would be larger than allowed here", "; see ulimit -f"},
                 {EIO, ", the disk failed", ""},
                 {0, "", ""}};
    const char *left = sp_output_left(output), *why = strerror(reason);
    size_t i = 0;
    if (reason == ENOMEM)
        return sp_no_memory(err);
    if (reason == EACCES || reason == EPERM || reason == EROFS)
        return sp_fail(err, SP_EFILE, "%s: cannot be written, folder %s does not allow it (%s); %s",
                       output->file, output->folder, why, left);
    while (known[i].reason && known[i].reason != reason)
        i++;
    return sp_fail(err, SP_EFILE, "%s: cannot be written%s (%s); %s%s", output->file, known[i].what, why,
                   left, known[i].mend);
}

/* What replaces a file is nobody else's to read meanwhile: it gets the old one's mode at the end. */
static sp_status temporary_create(sp_output *output, sp_error *err)
{
    output->fd = sp_temporary_create(output->target, output->is_replaced ? 0600 : 0666, &output->temporary);
    if (output->fd >= 0)
        return SP_OK;
    if (errno == ENOENT || errno == ENOTDIR)
        return sp_fail(err, SP_EFILE, "%s: cannot be written, there is no folder %s; make it first",
                       output->file, output->folder);
    return sp_output_failed(output, errno, err);
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
        TRY(sp_no_memory(err));
    if (file[strlen(file) - 1] == '/')
        TRY(sp_fail(err, SP_EFILE, "%s: is the name of a folder; give the name of a file", file));
    TRY(target_check(&made, input, err));
    TRY(temporary_create(&made, err));
    *output = made;
    return SP_OK;
done:
    output_free(&made);
    return status;
}

sp_status sp_output_write(const sp_output *output, const void *data, size_t n, int64_t position,
                          sp_error *err)
{
    const char *p = data;
    while (n > 0) {
        ssize_t written = pwrite(output->fd, p, n < (1u << 30) ? n : (1u << 30), (off_t)position);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return sp_output_failed(output, errno, err);
        if (written == 0)
            return sp_output_failed(output, ENOSPC, err);
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
        return sp_output_failed(output, errno, err);
    if (ftruncate(output->fd, 0) != 0)
        return sp_output_failed(output, errno, err);
    struct statvfs disk;
    if (fstatvfs(output->fd, &disk) == 0 && disk.f_blocks > 0 && disk.f_frsize > 0 &&
        (uint64_t)disk.f_bavail < (uint64_t)bytes / disk.f_frsize)
        return sp_fail(
            err, SP_EFILE,
            "%s: cannot be written, it needs %.1f MB and the disk has %.1f MB left; %s; free some space or "
            "write elsewhere",
            output->file, (double)bytes / 1e6, (double)disk.f_bavail * (double)disk.f_frsize / 1e6,
            sp_output_left(output));
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

/* Gives the new file the old one's access list, which may be none: a folder may give its files another. False where that cannot
 * be done: then the group's bits, which with a list bound what the list grants, are not to be trusted. */
static bool keep_access_list(const sp_output *output)
{
#ifdef __linux__
    static const char name[] = "system.posix_acl_access";
    char list[4096];
    const ssize_t size = getxattr(output->target, name, list, sizeof list);
    if (size > 0)
        return fsetxattr(output->fd, name, list, (size_t)size, 0) == 0;
    if (size < 0 && errno == ERANGE)
        return false;
    return fremovexattr(output->fd, name) == 0 || errno == ENODATA || errno == ENOTSUP;
#else
    (void)output;
    return true;
#endif
}

/* Who may read and write a file that replaces another: those who might before, never more. Its owner may be another than the old
 * one's where the system does not let us give files away; a group that is another gets what everybody had. */
static int keep_permissions(const sp_output *output)
{
    struct stat now, made;
    sp_output_old old = output->old;
    const bool is_there = stat(output->target, &now) == 0; /* it may have come, or changed, meanwhile */
    if (!is_there && !output->is_replaced)
        return 0;
    if (is_there)
        old = (sp_output_old){.mode = now.st_mode, .user = now.st_uid, .group = now.st_gid};
    if (fchown(output->fd, old.user, old.group) != 0 && fchown(output->fd, (uid_t)-1, old.group) != 0)
        errno = 0; /* neither owner nor group: not allowed to most of us */
    if (fstat(output->fd, &made) != 0)
        return errno;
    mode_t mode = old.mode & 0777;
    if (made.st_gid != old.group || !keep_access_list(output))
        mode &= 0707 | (mode & 07) << 3;
    return fchmod(output->fd, mode) == 0 || errno == EPERM || errno == ENOTSUP ? 0 : errno;
}

/* Everything is on the disk, and said to be. The lock lasts as long as `lock`, a second descriptor, is open: until the file has
 * its name. Without it (no descriptor left) the file is unlocked for that moment. */
static int flush_and_close(sp_output *output)
{
    int reason = keep_permissions(output);
    if (reason == 0 && fsync(output->fd) != 0 && errno != EINVAL && errno != ENOSYS)
        reason = errno;
    output->lock = fcntl(output->fd, F_DUPFD_CLOEXEC, 1);
    if (close(output->fd) != 0 && reason == 0)
        reason = errno;
    output->fd = -1;
    return reason;
}

static sp_status made_meanwhile(const sp_output *output, sp_error *err)
{
    return sp_fail(err, SP_EFILE, "%s: was made by another program meanwhile; use `force` to replace it",
                   output->file);
}

/* A finished file gets its name. */
static sp_status publish(sp_output *output, sp_error *err)
{
    const int reason = name_final(output);
    if (reason == 0) {
        folder_flush(output->folder);
        sp_temporary_sweep(output->folder, output->target);
        free(output->temporary); /* it is there no more */
        output->temporary = NULL;
    }
    sp_status status = reason == 0        ? SP_OK
                       : reason == EEXIST ? made_meanwhile(output, err)
                                          : sp_output_failed(output, reason, err);
    sp_output_abort(output);
    return status;
}

sp_status sp_output_commit(sp_output *output, sp_error *err)
{
    const int reason = flush_and_close(output);
    sp_status status = reason == 0 ? SP_OK : sp_output_failed(output, reason, err);
    if (status == SP_OK && !output->together)
        return publish(output, err);
    if (status == SP_OK)
        status = sp_outputs_add(output->together, output, err);
    if (status != SP_OK)
        sp_output_abort(output);
    return status;
}

void sp_output_abort(sp_output *output)
{
    if (output->temporary)
        (void)unlink(output->temporary);
    if (output->fd >= 0)
        close(output->fd);
    if (output->lock > 0)
        (void)close(output->lock); /* of a file that is written and flushed */
    output_free(output);
}

/* ---- several that belong together ---- */

struct sp_outputs {
    int n, room;
    sp_output *list; /* [n] finished, in the order of their commits */
};

sp_outputs *sp_outputs_new(void)
{
    return calloc(1, sizeof(sp_outputs));
}

void sp_outputs_free(sp_outputs *outputs)
{
    for (int i = 0; outputs && i < outputs->n; i++)
        sp_output_abort(&outputs->list[i]);
    if (outputs)
        free(outputs->list);
    free(outputs);
}

sp_status sp_outputs_add(sp_outputs *outputs, sp_output *output, sp_error *err)
{
    if (outputs->n == outputs->room) {
        bool is_whole = true;
        outputs->room = outputs->room ? 2 * outputs->room : 8;
        outputs->list = sp_grown(outputs->list, outputs->room, sizeof *outputs->list, &is_whole);
        if (!is_whole)
            return sp_no_memory(err);
    }
    outputs->list[outputs->n++] = *output;
    *output = (sp_output){.fd = -1};
    return SP_OK;
}

sp_status sp_outputs_commit(sp_outputs *outputs, sp_error *err)
{
    struct stat there;
    for (int i = 0; i < outputs->n; i++)
        if (!outputs->list[i].force && stat(outputs->list[i].target, &there) == 0)
            return made_meanwhile(&outputs->list[i], err);
    for (int i = 0; i < outputs->n; i++) {
        sp_status status = publish(&outputs->list[i], err);
        if (status != SP_OK && i > 0)
            return sp_fail(err, status, "%s; %d of the %d other outputs %s in place already",
                           err ? err->message : "", i, outputs->n - 1, i == 1 ? "is" : "are");
        if (status != SP_OK)
            return status;
    }
    outputs->n = 0;
    return SP_OK;
}
