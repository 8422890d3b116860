/* compare_part(), merge() and look_part(): parts are bytes. */
#include "evaluation.h"

#include <stdlib.h>
#include <string.h>

PyObject *py_compare_part(PyObject *module, PyObject *args)
{
    const char *model;
    PyObject *inputs, *options, *progress, *notices, *made = NULL;
    unsigned char *bytes = NULL;
    size_t n = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO!O!OO!", &model, &PyDict_Type, &inputs, &PyDict_Type, &options, &progress,
                          &PyList_Type, &notices))
        return NULL;
    run r = {.status = SP_OK};
    if (run_open(&r, model, inputs, options, progress, notices)) {
        Py_BEGIN_ALLOW_THREADS;
        r.status = sp_compare_part(&r.first.recordings, &r.options, &bytes, &n, NULL, &r.err);
        Py_END_ALLOW_THREADS;
        if (calls_end(&r.calls, r.status, &r.err))
            made = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)n);
    }
    free(bytes);
    given_release(&r.first);
    return made;
}

/* Borrowed from a list of bytes. NULL with an exception. */
static sp_part_bytes *parts_of(PyObject *list)
{
    const Py_ssize_t n = PyList_Size(list);
    sp_part_bytes *parts = calloc((size_t)n + 1, sizeof *parts);
    if (!parts)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; parts && i < n; i++) {
        char *bytes;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &bytes, &size) != 0) {
            free(parts);
            return NULL;
        }
        parts[i] = (sp_part_bytes){(const unsigned char *)bytes, (size_t)size};
    }
    return parts;
}

PyObject *py_merge(PyObject *module, PyObject *args)
{
    PyObject *list, *inputs, *options, *progress, *notices, *made = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OO!OO!", &PyList_Type, &list, &inputs, &PyDict_Type, &options, &progress,
                          &PyList_Type, &notices))
        return NULL;
    const int64_t n = PyList_Size(list);
    run r = {.calls = {.progress = progress, .notices = notices}};
    sp_part_bytes *parts = parts_of(list);
    if (parts && (inputs == Py_None || given_take(inputs, &r.first)) &&
        run_options_from(options, &r.options)) {
        const sp_recordings *scores = inputs == Py_None ? NULL : &r.first.recordings;
        r.options.hooks = calls_hooks(&r.calls);
        Py_BEGIN_ALLOW_THREADS;
        r.status = sp_merge_parts(n, parts, scores, &r.options, &r.comparison, NULL, &r.err);
        Py_END_ALLOW_THREADS;
        made = run_end(&r);
    }
    free(parts);
    given_release(&r.first);
    return made;
}

PyObject *py_look_part(PyObject *module, PyObject *args)
{
    PyObject *object;
    char *bytes;
    Py_ssize_t size;
    sp_part_about about;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "O", &object) || PyBytes_AsStringAndSize(object, &bytes, &size) != 0)
        return NULL;
    const sp_part_bytes part = {(const unsigned char *)bytes, (size_t)size};
    sp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sp_part_look(&part, &about, &err);
    Py_END_ALLOW_THREADS;
    if (status != SP_OK)
        return raise_error(&err);
    PyObject *ids = PyList_New(0);
    for (int64_t r = 0; ids && r < about.n_recordings; r++) {
        PyObject *id = PyUnicode_DecodeUTF8(about.ids[r], (Py_ssize_t)strlen(about.ids[r]), "replace");
        if (!id || PyList_Append(ids, id) != 0)
            Py_CLEAR(ids);
        Py_XDECREF(id);
    }
    PyObject *made = ids ? Py_BuildValue("(NLs)", ids, (long long)about.n_steps, about.model) : NULL;
    sp_part_about_clear(&about);
    return made;
}
