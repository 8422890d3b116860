#define _GNU_SOURCE /* F_OFD_SETLK */
#include "io/temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TRIES = 1000, HOST_TEXT = 65, TARGET_LETTERS = 140 };

/* Letters of the host's name that may stand in a file's name; '@' is not among them, so it separates. */
static void host_name(char host[HOST_TEXT])
{
    if (gethostname(host, HOST_TEXT) != 0)
        strcpy(host, "unknown");
    host[HOST_TEXT - 1] = '\0';
    for (char *c = host; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            *c = '_';
}

/* The name's last component. */
static const char *last_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static bool file_lock(int fd)
{
#ifdef F_OFD_SETLK
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &whole) == 0;
#else
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
#endif
}

/* Is `name`, in the folder, still the file that is open as fd? */
static bool is_name_of(int folder, const char *name, int fd)
{
    struct stat named, opened;
    return fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &opened) == 0 &&
           named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* A sweeper may have found the file between its creation and its lock; then it is the sweeper's. */
static bool is_ours(const char *name, int fd)
{
    if (!file_lock(fd) && (errno == EAGAIN || errno == EACCES))
        return false;
    return is_name_of(AT_FDCWD, name, fd);
}

int sp_temporary_create(const char *target, mode_t mode, char **name)
{
    char host[HOST_TEXT];
    host_name(host);
    const char *last = last_of(target);
    const size_t folder = (size_t)(last - target), size = folder + NAME_MAX + 2;
    int reason = EEXIST;
    *name = malloc(size);
    if (!*name) {
        errno = ENOMEM;
        return -1;
    }
    for (int attempt = 0; attempt < MOST_TRIES && reason == EEXIST; attempt++) {
        snprintf(*name, size, "%.*s.%.*s.%ld-%d@%s.tmp", (int)folder, target, TARGET_LETTERS, last,
                 (long)getpid(), attempt, host);
        int fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0) {
            reason = errno;
            continue;
        }
        if (is_ours(*name, fd))
            return fd;
        (void)close(fd);
    }
    free(*name);
    *name = NULL;
    errno = reason;
    return -1;
}

/* What follows ".<target>." in a temporary file's name: "<process>-<try>@<host>.tmp". */
static bool is_rest(const char *rest, const char *host)
{
    const size_t process = strspn(rest, "0123456789");
    if (process == 0 || rest[process] != '-')
        return false;
    rest += process + 1;
    const size_t attempt = strspn(rest, "0123456789"), n = strlen(host);
    if (attempt == 0 || rest[attempt] != '@')
        return false;
    rest += attempt + 1;
    return strncmp(rest, host, n) == 0 && strcmp(rest + n, ".tmp") == 0;
}

static void remove_if_left(int folder, const char *name)
{
    struct stat info;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
        return;
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (file_lock(fd) && is_name_of(folder, name, fd))
        (void)unlinkat(folder, name, 0);
    (void)close(fd);
}

void sp_temporary_sweep(const char *folder, const char *target)
{
    char host[HOST_TEXT], prefix[TARGET_LETTERS + 3];
    host_name(host);
    snprintf(prefix, sizeof prefix, ".%.*s.", TARGET_LETTERS, last_of(target));
    const size_t n = strlen(prefix);
    DIR *entries = opendir(folder);
    for (struct dirent *one; entries && (one = readdir(entries)) != NULL;)
        if (strncmp(one->d_name, prefix, n) == 0 && is_rest(one->d_name + n, host))
            remove_if_left(dirfd(entries), one->d_name);
    if (entries)
        (void)closedir(entries);
}
