/* Recordings from files, for read(). */
#include "evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "statepath/pipeline_file.h"

enum { BLOCK_BYTES = 16 << 20, N_PARTS = 5 };

/* What is read of each step: the block's arrays, where they go. */
typedef struct part {
    const char *name;
    unsigned flag;
    bool has_classes; /* K values a step, else one */
    size_t size;      /* bytes of a value */
    bool is_there;
    PyObject *bytes; /* bytearray of all steps, or NULL */
    char *to;
} part;

typedef struct reading {
    calls calls;
    sp_run_options options;
    texts more;
    sp_file_recordings files;
    part parts[N_PARTS];
    sp_status status;
    sp_error err;
} reading;

static void find_parts(reading *r)
{
    const sp_source_info *info = r->files.recordings.info;
    const part parts[N_PARTS] = {
        {"scores", SP_BLOCK_SCORES, true, (size_t)info->dtype, info->has_scores, NULL, NULL},
        {"labels", SP_BLOCK_LABELS, false, sizeof(int32_t), info->has_labels, NULL, NULL},
        {"segments", SP_BLOCK_SEGMENTS, false, sizeof(int64_t), info->has_segments, NULL, NULL},
        {"weights", SP_BLOCK_WEIGHTS, false, sizeof(double), info->has_weights, NULL, NULL},
        {"mask", SP_BLOCK_MASK, true, 1, info->has_mask, NULL, NULL}};
    memcpy(r->parts, parts, sizeof parts);
}

static size_t step_bytes(const reading *r, const part *p)
{
    return p->size * (size_t)(p->has_classes ? r->files.recordings.info->n_classes : 1);
}

/* Room for all steps. False with an exception. */
static bool make_room(reading *r)
{
    const size_t S = (size_t)r->files.recordings.info->n_steps;
    for (int i = 0; i < N_PARTS; i++) {
        part *p = &r->parts[i];
        if (!p->is_there)
            continue;
        if (step_bytes(r, p) && S > (size_t)PY_SSIZE_T_MAX / step_bytes(r, p))
            return PyErr_NoMemory() != NULL;
        p->bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(S * step_bytes(r, p)));
        if (!p->bytes)
            return false;
        p->to = PyByteArray_AsString(p->bytes);
    }
    return true;
}

static void copy_block(reading *r, const sp_block *block)
{
    const void *const from[N_PARTS] = {block->scores, block->labels, block->segments, block->weights,
                                       block->mask};
    const size_t first = (size_t)r->files.recordings.info->offsets[block->first];
    for (int i = 0; i < N_PARTS; i++)
        if (r->parts[i].bytes && from[i] && block->n_steps)
            memcpy(r->parts[i].to + first * step_bytes(r, &r->parts[i]), from[i],
                   (size_t)block->n_steps * step_bytes(r, &r->parts[i]));
}

/* Without the GIL. */
static void read_all(reading *r)
{
    unsigned flags = 0;
    sp_block *block = sp_block_new();
    if (!block)
        r->status = sp_no_memory(&r->err);
    for (int i = 0; i < N_PARTS; i++)
        flags |= r->parts[i].bytes ? r->parts[i].flag : 0;
    for (int64_t n = 0; r->status == SP_OK && n < r->files.recordings.info->n_recordings;
         n += block->n_recordings) {
        r->status = sp_file_recordings_read(&r->files, n, BLOCK_BYTES, flags, block, &r->err);
        if (r->status == SP_OK)
            copy_block(r, block);
    }
    sp_block_free(block);
}

/* ---- what comes back ---- */

static PyObject *text_or_none(const char *text)
{
    if (text)
        return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    Py_RETURN_NONE;
}

static PyObject *list_of(const char *const *items, int64_t n)
{
    if (!items)
        Py_RETURN_NONE;
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *text = text_or_none(items[i]);
        if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Takes over the value, which may be NULL with an exception. */
static bool put(PyObject *dict, const char *name, PyObject *value)
{
    const bool is_put = value && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return is_put;
}

static PyObject *describe(reading *r)
{
    const sp_source_info *info = r->files.recordings.info;
    const int64_t N = info->n_recordings;
    PyObject *dict = PyDict_New();
    bool is_whole = dict != NULL;
    for (int i = 0; is_whole && i < N_PARTS; i++)
        if (r->parts[i].bytes)
            is_whole = PyDict_SetItemString(dict, r->parts[i].name, r->parts[i].bytes) == 0;
    is_whole = is_whole && put(dict, "file", text_or_none(info->file)) &&
               put(dict, "offsets",
                   PyBytes_FromStringAndSize((const char *)info->offsets, (Py_ssize_t)((N + 1) * 8))) &&
               put(dict, "ids", list_of(info->ids, N)) &&
               put(dict, "n_classes", PyLong_FromLong(r->files.n_classes)) &&
               put(dict, "classes", list_of(r->files.classes, r->files.n_classes)) &&
               put(dict, "subjects", list_of(r->files.recordings.subjects, N)) &&
               put(dict, "kind", text_or_none(info->has_scores ? sp_kind_name(info->kind) : NULL)) &&
               put(dict, "is_wide", PyBool_FromLong(info->dtype == SP_F64)) &&
               put(dict, "epoch_seconds", PyFloat_FromDouble(r->files.epoch_seconds)) &&
               put(dict, "type", text_or_none(info->stored_type)) &&
               put(dict, "storage", text_or_none(info->storage)) &&
               put(dict, "scores_path", text_or_none(info->scores_path)) &&
               put(dict, "labels_path", text_or_none(info->labels_path)) &&
               put(dict, "n_files", PyLong_FromLongLong(info->n_files));
    if (!is_whole)
        Py_CLEAR(dict);
    return dict;
}

PyObject *py_read_files(PyObject *module, PyObject *args)
{
    PyObject *file, *options, *more, *progress, *notices, *out = NULL;
    const char *model;
    reading r = {.status = SP_OK};
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O!zOOO!", PyUnicode_FSConverter, &file, &PyDict_Type, &options, &model,
                          &more, &progress, &PyList_Type, &notices))
        return NULL;
    const char *name = PyBytes_AsString(file);
    r.calls = (calls){.progress = progress, .notices = notices};
    if (name && run_options_from(options, &r.options) && texts_take(more, "files", -1, &r.more)) {
        r.options.model_text = model;
        r.options.place.more = r.more.items;
        r.options.hooks = calls_hooks(&r.calls);
        Py_BEGIN_ALLOW_THREADS;
        r.status = sp_file_recordings_open(&r.files, name, &r.options, false, &r.err);
        Py_END_ALLOW_THREADS;
        if (r.status == SP_OK)
            find_parts(&r);
        if (r.status != SP_OK || make_room(&r)) {
            Py_BEGIN_ALLOW_THREADS;
            if (r.status == SP_OK)
                read_all(&r);
            Py_END_ALLOW_THREADS;
            if (calls_end(&r.calls, r.status, &r.err))
                out = describe(&r);
        }
        for (int i = 0; i < N_PARTS; i++)
            Py_XDECREF(r.parts[i].bytes);
        sp_file_recordings_close(&r.files);
    }
    texts_release(&r.more);
    Py_DECREF(file);
    return out;
}
