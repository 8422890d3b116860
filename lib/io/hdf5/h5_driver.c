#include "io/hdf5/h5_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/hdf5/h5_file.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* What one opened file and all that it links to have in common. */
typedef struct scope {
    int n_holders;
    char *folder; /* real, of the opened file; NULL of bytes in memory: nothing is beside them */
    sp_file_access access;
    int n_linked; /* open files that are linked to */
    sp_h5_refusal refusal;
} scope;

/* What an access list holds: copied by HDF5 from a file to those that it links to. */
typedef struct access_info {
    scope *scope;
    bool is_linked;
} access_info;

struct sp_h5_vfile {
    H5FD_t base; /* HDF5's own; first */
    scope *scope;
    bool is_linked;
    int fd; /* -1: in memory */
    const unsigned char *image;
    dev_t device;
    ino_t number;
    haddr_t allocated, size;
    size_t expected;
    bool was_odd;
};

/* ---- scopes and access lists ---- */

static void scope_drop(scope *s)
{
    if (--s->n_holders > 0)
        return;
    free(s->folder);
    free(s);
}

static void *info_new(scope *s, bool is_linked)
{
    access_info *info = H5allocate_memory(sizeof *info, false);
    if (!info) {
        sp_h5_note_lack();
        return NULL;
    }
    *info = (access_info){s, is_linked};
    s->n_holders++;
    return info;
}

static void *info_get(H5FD_t *file)
{
    const sp_h5_vfile *f = (const sp_h5_vfile *)file;
    return info_new(f->scope, true);
}

static void *info_copy(const void *from)
{
    const access_info *info = from;
    return info_new(info->scope, info->is_linked);
}

static herr_t info_free(void *arg)
{
    access_info *info = arg;
    scope_drop(info->scope);
    H5free_memory(info);
    return 0;
}

/* ---- opening ---- */

static bool is_inside(const char *folder, const char *path)
{
    const size_t n = strlen(folder);
    return strcmp(folder, "/") == 0 || (strncmp(path, folder, n) == 0 && path[n] == '/');
}

/* A descriptor, or -1 and why not. HDF5 asks for several places in turn; what else it says than "not there" counts. */
static int open_linked(scope *s, const char *name)
{
    sp_h5_refusal why = SP_H5_NOT_THERE;
    struct stat info;
    int fd = -1;
    errno = 0;
    char *real = name[0] == '/' ? realpath(name, NULL) : NULL;
    if (!real && errno == ENOMEM)
        sp_h5_note_lack();
    if (real && !s->access.allow_external && !(s->folder && is_inside(s->folder, real)))
        why = SP_H5_OUTSIDE;
    else if (real && (stat(real, &info) != 0 || !S_ISREG(info.st_mode)))
        why = SP_H5_NOT_REGULAR;
    else if (real && s->n_linked >= SP_H5_MOST_LINKED)
        why = SP_H5_TOO_MANY_FILES;
    else if (real)
        fd = open(real, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    free(real);
    if (fd < 0 && (s->refusal == SP_H5_NOT_REFUSED || s->refusal == SP_H5_NOT_THERE))
        s->refusal = why;
    return fd;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    const access_info *how = H5Pget_driver_info(fapl);
    (void)maxaddr;
    if (!how || (flags & (H5F_ACC_RDWR | H5F_ACC_TRUNC | H5F_ACC_EXCL | H5F_ACC_CREAT)))
        return NULL;
    scope *s = how->scope;
    sp_h5_vfile *f = H5allocate_memory(sizeof *f, true); /* as HDF5's own: it does not tell us why it fails */
    if (!f) {
        sp_h5_note_lack();
        return NULL;
    }
    *f = (sp_h5_vfile){.scope = s, .is_linked = how->is_linked, .fd = -1};
    if (!how->is_linked && s->access.image) {
        f->image = s->access.image;
        f->size = s->access.image_bytes;
    } else {
        struct stat info;
        f->fd = how->is_linked ? open_linked(s, name) : open(name, O_RDONLY | O_CLOEXEC);
        if (f->fd < 0 || fstat(f->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
            if (f->fd >= 0)
                close(f->fd);
            H5free_memory(f);
            return NULL;
        }
        f->device = info.st_dev;
        f->number = info.st_ino;
        f->size = (haddr_t)info.st_size;
    }
    s->n_holders++;
    s->n_linked += how->is_linked;
    return &f->base;
}

static herr_t driver_close(H5FD_t *file)
{
    sp_h5_vfile *f = (sp_h5_vfile *)file;
    if (f->fd >= 0)
        close(f->fd);
    f->scope->n_linked -= f->is_linked;
    scope_drop(f->scope);
    H5free_memory(f);
    return 0;
}

static int driver_compare(const H5FD_t *a, const H5FD_t *b)
{
    const sp_h5_vfile *f = (const sp_h5_vfile *)a, *g = (const sp_h5_vfile *)b;
    const scope *s = f->scope, *t = g->scope;
    /* HDF5 takes two that are alike for one, with what it may lead to. */
    const bool is_one_scope = s == t || (s->folder && t->folder && strcmp(s->folder, t->folder) == 0 &&
                                         s->access.allow_external == t->access.allow_external);
    if (f->fd >= 0 && g->fd >= 0 && f->device == g->device && f->number == g->number && is_one_scope)
        return 0;
    return f < g ? -1 : f > g;
}

/* ---- reading ---- */

static bool read_fd(int fd, unsigned char *out, uint64_t n, uint64_t position, uint64_t *done)
{
    for (*done = 0; *done < n;) {
        const uint64_t left = n - *done;
        ssize_t now =
            pread(fd, out + *done, left < (1u << 30) ? (size_t)left : (1u << 30), (off_t)(position + *done));
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0)
            return false;
        if (now == 0)
            break;
        *done += (uint64_t)now;
    }
    return true;
}

static bool read_some(const sp_h5_vfile *f, void *out, uint64_t n, uint64_t position, uint64_t *done)
{
    if (f->fd >= 0)
        return position <= INT64_MAX && read_fd(f->fd, out, n, position, done);
    *done = position < f->size ? (n < f->size - position ? n : f->size - position) : 0;
    memcpy(out, f->image + (*done ? position : 0), *done);
    return true;
}

bool sp_h5_vfile_read(const sp_h5_vfile *file, void *out, uint64_t n, uint64_t position)
{
    uint64_t done;
    return read_some(file, out, n, position, &done) && done == n;
}

/* What lies beyond the end is zeros, as with HDF5's own driver. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t position, size_t n,
                          void *out)
{
    sp_h5_vfile *f = (sp_h5_vfile *)file;
    uint64_t done = 0;
    (void)transfer;
    if (type == H5FD_MEM_DRAW && f->expected && n != f->expected) {
        f->was_odd = true;
        return -1;
    }
    if (!read_some(f, out, n, position, &done))
        return -1;
    memset((unsigned char *)out + done, 0, n - (size_t)done);
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t position, size_t n,
                           const void *bytes)
{
    (void)file, (void)type, (void)transfer, (void)position, (void)n, (void)bytes;
    return -1;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const sp_h5_vfile *)file)->allocated;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t position)
{
    (void)type;
    ((sp_h5_vfile *)file)->allocated = position;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const sp_h5_vfile *)file)->size;
}

static herr_t driver_get_handle(H5FD_t *file, hid_t fapl, void **handle)
{
    (void)fapl;
    *handle = file;
    return 0;
}

/* Nothing is locked. There are functions for it because HDF5 looks at a file's mark of being written only where there are. */
static herr_t driver_lock(H5FD_t *file, hbool_t is_for_writing)
{
    (void)file, (void)is_for_writing;
    return 0;
}

static herr_t driver_unlock(H5FD_t *file)
{
    (void)file;
    return 0;
}

/* A file that grows while it is read (one writer, many readers) is let in as by HDF5's own driver. */
static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

/* ---- HDF5's side ---- */

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* of the range that is not registered */
#endif
    .name = "statepath",
    .maxaddr = ((haddr_t)1 << 63) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(access_info),
    .fapl_get = info_get,
    .fapl_copy = info_copy,
    .fapl_free = info_free,
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .get_handle = driver_get_handle,
    .read = driver_read,
    .write = driver_write,
    .lock = driver_lock,
    .unlock = driver_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* HDF5 keeps drivers for the whole program, as it does filters; a program may close and open the library in between. */
static hid_t driver_id(void)
{
    static hid_t id = -1;
    if (id < 0 || H5Iget_type(id) != H5I_VFL)
        id = H5FDregister(&driver_class);
    return id;
}

bool sp_h5_driver_use(hid_t access, const char *file, const sp_file_access *how)
{
    scope *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    *s = (scope){.n_holders = 1};
    if (how)
        s->access = *how;
    if (!s->access.image) {
        const char *slash = strrchr(file, '/');
        s->folder = !slash ? NULL : slash == file ? strdup("/") : strndup(file, (size_t)(slash - file));
    }
    const access_info info = {s, false};
    const bool is_set = (s->folder || s->access.image) && H5Pset_driver(access, driver_id(), &info) >= 0;
    scope_drop(s);
    return is_set;
}

sp_h5_vfile *sp_h5_vfile_of(hid_t object)
{
    hid_t file = H5Iget_file_id(object), access = file >= 0 ? H5Fget_access_plist(file) : -1;
    void *handle = NULL;
    bool is_ours =
        access >= 0 && H5Pget_driver(access) == driver_id() && H5Fget_vfd_handle(file, access, &handle) >= 0;
    sp_h5_close(access);
    if (file >= 0)
        H5Fclose(file);
    return is_ours ? handle : NULL;
}

uint64_t sp_h5_vfile_size(const sp_h5_vfile *file)
{
    return file->size;
}

bool sp_h5_vfile_expect(sp_h5_vfile *file, size_t bytes)
{
    const bool was_odd = file->was_odd;
    file->expected = bytes;
    file->was_odd = false;
    return was_odd;
}

/* ---- what was refused ---- */

sp_h5_refusal sp_h5_vfile_refusal(const sp_h5_vfile *file)
{
    return file->scope->refusal;
}

void sp_h5_vfile_forget(sp_h5_vfile *file)
{
    file->scope->refusal = SP_H5_NOT_REFUSED;
}

const char *sp_h5_refusal_text(sp_h5_refusal refusal)
{
    switch (refusal) {
    case SP_H5_OUTSIDE:
        return "lies outside the folder of this file; put it beside this one, or follow links to anywhere "
               "with `allow_external`";
    case SP_H5_NOT_REGULAR:
        return "is not an ordinary file; link to an HDF5 file";
    case SP_H5_TOO_MANY_FILES:
        return "is one file too many: at most 64 that are linked to are open at once; put the values into "
               "fewer files";
    default:
        return "cannot be opened; put that file beside this one";
    }
}
