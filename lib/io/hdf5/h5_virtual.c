#include "io/hdf5/h5_virtual.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_driver.h"
#include "io/hdf5/h5_file.h"

/* MOST_VISITS: of virtual datasets that are sources; each may have many sources of its own, so hops alone bound nothing. */
enum { MOST_HOPS = 16, MOST_VISITS = 256, MOST_SOURCES = 1 << 20 };

/* Which dataset in which file. */
typedef struct identity {
    unsigned long file;
    haddr_t address;
} identity;

typedef struct walk {
    const char *file_name, *path; /* of the dataset that was asked for */
    hid_t opened;                 /* its file */
    identity above[MOST_HOPS];
    int n_above, n_visits;
    hid_t files[SP_H5_MOST_LINKED]; /* kept open, so that as many are open at once as when values are read */
    int n_files;
    sp_error *err;
} walk;

/* The sentence for a source: what is wrong with it, which may also be what a link on the way to it ran into. */
static sp_status bad_source(const walk *w, const char *file, const char *dataset, const char *what)
{
    return sp_fail(w->err, SP_EDATA, "%s: dataset %s is virtual, and its source %s in the file %s %s",
                   w->file_name, w->path, dataset, strcmp(file, ".") == 0 ? "itself" : file, what);
}

static sp_status dataset_check(walk *w, hid_t dataset, hid_t created);

/* ---- files of sources ---- */

/* "<folder of `beside`>/<name>". The caller frees it. */
static char *path_beside(const char *beside, const char *name)
{
    const char *slash = strrchr(beside, '/');
    const size_t n = slash ? (size_t)(slash - beside) + 1 : 0, length = strlen(name);
    char *out = malloc(n + length + 1);
    if (out) {
        memcpy(out, beside, n);
        memcpy(out + n, name, length + 1);
    }
    return out;
}

/* Opens what HDF5 would: the name where it is a whole path, else beside the file that says so, where a whole path is looked for
 * by its last part too. < 0: there is none. */
static hid_t file_open(hid_t file, const char *name)
{
    hid_t access = H5Fget_access_plist(file), out = -1;
    const ssize_t n = H5Fget_name(file, NULL, 0);
    char *own = n > 0 ? malloc((size_t)n + 1) : NULL;
    const bool is_whole = name[0] == '/';
    if (own && access >= 0 && H5Fget_name(file, own, (size_t)n + 1) >= 0) {
        if (is_whole)
            out = H5Fopen(name, H5F_ACC_RDONLY, access);
        char *there = out < 0 ? path_beside(own, is_whole ? strrchr(name, '/') + 1 : name) : NULL;
        if (there)
            out = H5Fopen(there, H5F_ACC_RDONLY, access);
        free(there);
    }
    free(own);
    sp_h5_close(access);
    return out;
}

/* ---- sources ---- */

/* What a mapping says: the name of a file or of a dataset. The caller frees it. */
static char *mapped_name(hid_t created, size_t i, ssize_t (*ask)(hid_t, size_t, char *, size_t))
{
    const ssize_t n = ask(created, i, NULL, 0);
    char *name = n >= 0 ? malloc((size_t)n + 1) : NULL;
    if (name && ask(created, i, name, (size_t)n + 1) < 0) {
        free(name);
        return NULL;
    }
    return name;
}

static sp_status source_check(walk *w, hid_t file, const char *file_name, const char *name)
{
    hid_t source = H5Dopen2(file, name, H5P_DEFAULT);
    if (source < 0) {
        const sp_h5_vfile *of = sp_h5_vfile_of(w->opened);
        const sp_h5_refusal why = of ? sp_h5_vfile_refusal(of) : SP_H5_NOT_REFUSED;
        return bad_source(w, file_name, name,
                          why > SP_H5_NOT_THERE ? sp_h5_refusal_text(why) : "is not there; write it again");
    }
    hid_t created = H5Dget_create_plist(source);
    sp_status status = created >= 0 ? dataset_check(w, source, created) : sp_no_memory(w->err);
    sp_h5_close(created);
    H5Dclose(source);
    return status;
}

/* The file of a source, kept open until the end. */
static sp_status source_file(walk *w, hid_t file, const char *file_name, const char *name, hid_t *out)
{
    sp_h5_vfile *of = sp_h5_vfile_of(w->opened);
    if (of)
        sp_h5_vfile_forget(of);
    hid_t id = w->n_files < SP_H5_MOST_LINKED ? file_open(file, file_name) : -1;
    if (id < 0)
        return bad_source(w, file_name, name,
                          sp_h5_refusal_text(w->n_files == SP_H5_MOST_LINKED ? SP_H5_TOO_MANY_FILES
                                             : of                            ? sp_h5_vfile_refusal(of)
                                                                             : SP_H5_NOT_THERE));
    w->files[w->n_files++] = id;
    *out = id;
    return SP_OK;
}

/* All mappings; one after the other they are mostly of the same file and dataset, or of the same file. */
static sp_status sources_check(walk *w, hid_t dataset, hid_t created)
{
    size_t n = 0;
    char *last_file = NULL, *last_name = NULL;
    hid_t own = H5Iget_file_id(dataset), file = own;
    sp_status status = own >= 0 ? SP_OK : sp_no_memory(w->err);
    if (H5Pget_virtual_count(created, &n) < 0 || n > MOST_SOURCES)
        status =
            sp_fail(w->err, SP_EDATA,
                    "%s: dataset %s is virtual with more than %d sources; write it again as an ordinary one",
                    w->file_name, w->path, MOST_SOURCES);
    for (size_t i = 0; status == SP_OK && i < n; i++) {
        char *file_name = mapped_name(created, i, H5Pget_virtual_filename),
             *name = mapped_name(created, i, H5Pget_virtual_dsetname);
        const bool is_same_file = file_name && last_file && strcmp(file_name, last_file) == 0;
        const bool is_same = is_same_file && name && strcmp(name, last_name) == 0;
        if (!file_name || !name)
            status = sp_no_memory(w->err);
        else if (strchr(file_name, '%') || strchr(name, '%'))
            status = bad_source(w, file_name, name,
                                "is a pattern, which is not followed; write it again with plain names");
        else if (!is_same_file && strcmp(file_name, ".") == 0)
            file = own;
        else if (!is_same_file)
            status = source_file(w, own, file_name, name, &file);
        if (status == SP_OK && !is_same)
            status = source_check(w, file, file_name, name);
        free(last_file);
        free(last_name);
        last_file = file_name;
        last_name = name;
    }
    free(last_file);
    free(last_name);
    if (own >= 0)
        H5Fclose(own);
    return status;
}

static sp_status virtual_check(walk *w, hid_t dataset, hid_t created)
{
    H5O_info_t info;
    if (H5Oget_info2(dataset, &info, H5O_INFO_BASIC) < 0)
        return sp_no_memory(w->err);
    for (int i = 0; i < w->n_above; i++)
        if (w->above[i].file == info.fileno && w->above[i].address == info.addr)
            return sp_fail(w->err, SP_EDATA,
                           "%s: dataset %s is virtual and its own source; write it again as an ordinary one",
                           w->file_name, w->path);
    if (w->n_above == MOST_HOPS || w->n_visits == MOST_VISITS)
        return sp_fail(w->err, SP_EDATA,
                       "%s: dataset %s is virtual, and so are its sources and theirs, more than %d one "
                       "behind the other or %d in all; "
                       "write it again as an ordinary one",
                       w->file_name, w->path, MOST_HOPS, MOST_VISITS);
    w->above[w->n_above++] = (identity){info.fileno, info.addr};
    w->n_visits++;
    sp_status status = sources_check(w, dataset, created);
    w->n_above--;
    return status;
}

/* HDF5 (1.10) reads what lies behind the values of a compact dataset when a damaged file holds fewer than the shape says. */
static sp_status compact_check(const walk *w, hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const uint64_t n = space >= 0 ? (uint64_t)H5Sget_simple_extent_npoints(space) : 0,
                   each = type >= 0 ? H5Tget_size(type) : 0, asked = n * each,
                   stored = H5Dget_storage_size(dataset);
    sp_h5_close(space);
    sp_h5_close(type);
    if (type < 0 || space < 0)
        return sp_h5_refused(w->file_name, w->path, w->err);
    if (n == 0 || (n <= stored && asked <= stored))
        return SP_OK;
    return sp_fail(w->err, SP_EDATA,
                   "%s: dataset %s holds %llu bytes, but its shape and type ask for %llu; the file is "
                   "damaged: copy or write it "
                   "again",
                   w->file_name, w->path, (unsigned long long)stored, (unsigned long long)asked);
}

static sp_status dataset_check(walk *w, hid_t dataset, hid_t created)
{
    if (H5Pget_layout(created) == H5D_COMPACT)
        return compact_check(w, dataset);
    if (H5Pget_external_count(created) > 0)
        return sp_fail(w->err, SP_EDATA,
                       "%s: dataset %s has its values outside HDF5 files (external raw storage), which is "
                       "not read; write it again "
                       "with h5py or h5repack",
                       w->file_name, w->path);
    return H5Pget_layout(created) == H5D_VIRTUAL ? virtual_check(w, dataset, created) : SP_OK;
}

sp_status sp_h5_storage_check(hid_t dataset, hid_t created, const char *file_name, const char *path,
                              sp_error *err)
{
    walk w = {.file_name = file_name, .path = path, .err = err};
    if ((w.opened = H5Iget_file_id(dataset)) < 0)
        return sp_no_memory(err);
    sp_status status = dataset_check(&w, dataset, created);
    for (int i = 0; i < w.n_files; i++)
        H5Fclose(w.files[i]);
    H5Fclose(w.opened);
    return status;
}
