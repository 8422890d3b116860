/* HDF5 for the table of formats, whose library is not in the extension: h5py reads, by statepath/_hdf5.py. */
#include "evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "io/elsewhere/h5_elsewhere.h"

/* Calls a function of statepath._hdf5 with `what`, which it takes over (NULL: an exception); it returns (what was asked for,
 * None) or (None, sentence). NULL with err. */
static PyObject *ask(const char *function, const char *file, PyObject *what, sp_status *status, sp_error *err)
{
    PyObject *module = what ? PyImport_ImportModule("statepath._hdf5") : NULL;
    PyObject *bytes = module ? PyBytes_FromString(file) : NULL;
    PyObject *pair = bytes ? PyObject_CallMethod(module, function, "OO", bytes, what) : NULL;
    PyObject *found = pair ? PyTuple_GetItem(pair, 0) : NULL;
    PyObject *said = found == Py_None ? PyTuple_GetItem(pair, 1) : NULL;
    PyObject *encoded = said ? PyUnicode_AsUTF8String(said) : NULL;
    if (encoded)
        *status = sp_fail(err, SP_EFILE, "%s", PyBytes_AsString(encoded));
    else if (!found || said)
        *status = sp_fail(err, SP_EFILE, "%s: cannot be read by h5py", file);
    PyErr_Clear();
    if (found && !said)
        Py_INCREF(found);
    else
        found = NULL;
    Py_XDECREF(encoded);
    Py_XDECREF(pair);
    Py_XDECREF(bytes);
    Py_XDECREF(what);
    Py_XDECREF(module);
    return found;
}

/* The same of a list of texts. */
static sp_status ask_texts(const char *function, const char *file, PyObject *what, sp_texts *out, int64_t *n, sp_error *err)
{
    sp_status status = SP_OK;
    texts found = {.n = 0};
    PyObject *list = ask(function, file, what, &status, err);
    if (list && !texts_take(list, "names", -1, &found)) {
        PyErr_Clear();
        status = sp_fail(err, SP_EFILE, "%s: a name in it is no text", file);
    }
    if (status == SP_OK) {
        *out = sp_texts_copy(found.items, found.n);
        *n = found.n;
        status = *out ? SP_OK : sp_no_memory(err);
    }
    texts_release(&found);
    Py_XDECREF(list);
    return status;
}

sp_status sp_h5_elsewhere_names(const char *file, const char *place, const char *labels, sp_texts *names, int64_t *n,
                                sp_error *err)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    const sp_status status = ask_texts("names", file, Py_BuildValue("(zz)", place, labels), names, n, err);
    PyGILState_Release(state);
    return status;
}

sp_status sp_h5_elsewhere_array(const char *file, const char *name, unsigned char **bytes, int64_t *n, sp_error *err)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    sp_status status = SP_OK;
    char *from = NULL;
    Py_ssize_t size = 0;
    PyObject *values = ask("array", file, Py_BuildValue("s", name), &status, err);
    if (values && PyBytes_AsStringAndSize(values, &from, &size) != 0) {
        PyErr_Clear();
        status = sp_fail(err, SP_EFILE, "%s: %s cannot be read by h5py", file, name);
    }
    if (status == SP_OK) {
        *bytes = malloc((size_t)size + 1);
        *n = (int64_t)size;
        if (*bytes)
            memcpy(*bytes, from, (size_t)size);
        else
            status = sp_no_memory(err);
    }
    Py_XDECREF(values);
    PyGILState_Release(state);
    return status;
}

sp_status sp_h5_elsewhere_subjects(const char *file, const char *pattern, const char *name, int64_t n, const char *const *ids,
                                   sp_texts *names, sp_error *err)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *list = PyList_New((Py_ssize_t)n);
    int64_t n_found = 0;
    sp_status status;
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *id = PyUnicode_FromString(ids[i]);
        if (!id || PyList_SetItem(list, (Py_ssize_t)i, id) != 0)
            Py_CLEAR(list);
    }
    status = ask_texts("subjects", file, list ? Py_BuildValue("(ssN)", pattern, name, list) : NULL, names, &n_found, err);
    if (status == SP_OK && n_found != n)
        status =
            sp_fail(err, SP_EFILE, "%s: h5py finds %lld recordings in place of %lld", file, (long long)n_found, (long long)n);
    PyGILState_Release(state);
    return status;
}
