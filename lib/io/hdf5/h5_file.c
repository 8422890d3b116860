#include "io/hdf5/h5_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/hdf5/fast/h5_lzf.h"
#include "io/hdf5/h5_driver.h"

/* ---- lack of memory ---- */

static _Thread_local bool lack;

void sp_h5_note_lack(void)
{
    lack = true;
}

static herr_t find_lack(unsigned n, const H5E_error2_t *entry, void *data)
{
    (void)n, (void)data;
    if (entry->min_num == H5E_NOSPACE || entry->min_num == H5E_CANTALLOC)
        sp_h5_note_lack();
    return 0;
}

/* HDF5 calls this at the end of each call that fails. */
static herr_t watch(hid_t stack, void *data)
{
    (void)data;
    (void)H5Ewalk2(stack, H5E_WALK_UPWARD, find_lack, NULL);
    return 0;
}

void sp_h5_quiet_begin(sp_h5_quiet *quiet)
{
    *quiet = (sp_h5_quiet){.had_lack = lack};
    lack = false;
    /* Every object is closed here; what HDF5 would do at exit is to print its own despair over a damaged file. Counts only before
     * anything else is asked of the library. */
    (void)H5dont_atexit();
    (void)H5Eget_auto2(H5E_DEFAULT, &quiet->call, &quiet->data);
    (void)H5Eset_auto2(H5E_DEFAULT, watch, NULL);
}

sp_status sp_h5_quiet_end(const sp_h5_quiet *quiet, sp_status status, sp_error *err)
{
    const bool is_lost = lack && status != SP_ENOMEM; /* another reason may be what comes of it */
    lack = quiet->had_lack;
    (void)H5Eset_auto2(H5E_DEFAULT, quiet->call, quiet->data);
    return is_lost ? sp_no_memory(err) : status;
}

/* ---- reasons ---- */

static herr_t keep_innermost(unsigned n, const H5E_error2_t *entry, void *data)
{
    if (n == 0)
        snprintf(data, SP_H5_REASON, "%s", entry->desc ? entry->desc : "");
    return 0;
}

const char *sp_h5_reason(char buffer[SP_H5_REASON])
{
    buffer[0] = '\0';
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, buffer);
    for (char *p = buffer; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
    if (!buffer[0])
        snprintf(buffer, SP_H5_REASON, "no reason given");
    return buffer;
}

sp_status sp_h5_refused(const char *file_name, const char *path, sp_error *err)
{
    char reason[SP_H5_REASON];
    sp_h5_reason(reason);
    if (lack)
        return sp_no_memory(err);
    return sp_fail(err, SP_EFILE,
                   "%s: dataset %s cannot be read (%s); the file is damaged: copy or write it again",
                   file_name, path, reason);
}

/* ---- opening ---- */

/* Can the file be read, and is there anything in it? What HDF5 says of these is not for people. */
static sp_status file_check(const char *file, int64_t *size, sp_error *err)
{
    struct stat info;
    if (stat(file, &info) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return sp_fail(err, SP_EFILE, "%s: there is no such file", file);
        return sp_fail(err, SP_EFILE, "%s: cannot be opened (%s)", file, strerror(errno));
    }
    if (S_ISDIR(info.st_mode))
        return sp_fail(err, SP_EFILE, "%s: is a folder; give the name of an HDF5 file", file);
    if (!S_ISREG(info.st_mode))
        return sp_fail(err, SP_EFILE,
                       "%s: is not an ordinary file; HDF5 cannot be read from a stream, save it first", file);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (errno == EACCES)
            return sp_fail(err, SP_EFILE, "%s: may not be read (%s); change its permissions", file,
                           strerror(errno));
        return sp_fail(err, SP_EFILE, "%s: cannot be opened (%s)", file, strerror(errno));
    }
    close(fd);
    if (info.st_size == 0)
        return sp_fail(err, SP_EFILE, "%s: is empty; write it again", file);
    *size = (int64_t)info.st_size;
    return SP_OK;
}

static sp_status open_failed(const char *file, const char *reason, int64_t size, sp_error *err)
{
    if (strstr(reason, "truncated file")) {
        const char *stored = strstr(reason, "stored_eof = ");
        if (stored)
            return sp_fail(err, SP_EFILE,
                           "%s: is cut short, %lld of %lld bytes are there; copy or write it again", file,
                           (long long)size, atoll(stored + strlen("stored_eof = ")));
        return sp_fail(err, SP_EFILE, "%s: is cut short; copy or write it again", file);
    }
    if (strstr(reason, "already open for write"))
        return sp_fail(err, SP_EFILE,
                       "%s: is marked as open for writing; close it in the program that writes it, or if "
                       "that program is gone "
                       "run h5clear -s on the file",
                       file);
    return sp_fail(err, SP_EFILE,
                   "%s: cannot be opened as HDF5, it is damaged or not finished (%s); copy or write it again",
                   file, reason);
}

/* A reader has no use for a lock, and our driver has none: a file that another program holds open for writing, or that lies on a
 * file system without locks, is read all the same. */
static hid_t access_new(const char *file, const sp_file_access *how)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && !sp_h5_driver_use(access, file, how)) {
        H5Pclose(access);
        return -1;
    }
    /* Names and headers of recordings are looked at once or twice, in order: a small cache of them serves as well as the 32 MB
     * (several times that in memory) that HDF5 takes for a file of many groups. */
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (access >= 0 && H5Pget_mdc_config(access, &cache) >= 0) {
        cache.max_size = 4 << 20;
        (void)H5Pset_mdc_config(access, &cache);
    }
    return access;
}

/* Opens what is there at the real path, or how's bytes. */
static sp_status real_open(const char *file, const char *real, const sp_file_access *how, int64_t bytes,
                           hid_t *out, sp_error *err)
{
    sp_lzf_register();
    hid_t access = access_new(real, how);
    if (access < 0)
        return sp_no_memory(err);
    char reason[SP_H5_REASON];
    hid_t id = H5Fopen(real, H5F_ACC_RDONLY, access);
    if (id < 0) {
        sp_h5_reason(reason);
        if (strstr(reason, "already open for write"))
            id =
                H5Fopen(real, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access); /* a writer that lets readers in */
    }
    if (id >= 0)
        (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_lack,
                       NULL); /* HDF5 opens a file without what it needs to find groups */
    H5Pclose(access);
    if (id >= 0) {
        *out = id;
        return SP_OK;
    }
    return open_failed(file, reason, bytes, err);
}

sp_status sp_h5_open(const char *file, const sp_file_access *how, hid_t *out, int64_t *size, sp_error *err)
{
    if (how && how->image) {
        *size = (int64_t)how->image_bytes;
        return real_open(file, file, how, *size, out, err);
    }
    sp_status status = file_check(file, size, err);
    if (status != SP_OK)
        return status;
    char *real = realpath(file, NULL); /* where it lies decides what it may lead to */
    if (!real && errno == ENOMEM)
        return sp_no_memory(err);
    if (!real)
        return sp_fail(err, SP_EFILE, "%s: cannot be opened (%s)", file, strerror(errno));
    status = real_open(file, real, how, *size, out, err);
    free(real);
    return status;
}

char *sp_h5_shape(int rank, const hsize_t *dims, char buffer[SP_H5_SHAPE])
{
    size_t used = (size_t)snprintf(buffer, SP_H5_SHAPE, "[");
    for (int i = 0; i < rank && used < SP_H5_SHAPE - 32; i++)
        used += (size_t)snprintf(buffer + used, SP_H5_SHAPE - used, "%s%llu", i ? ", " : "",
                                 (unsigned long long)dims[i]);
    snprintf(buffer + used, SP_H5_SHAPE - used, "]");
    return buffer;
}
