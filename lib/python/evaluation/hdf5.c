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
static sp_status ask_texts(const char *function, const char *file, PyObject *what, sp_texts *out, int64_t *n,
                           sp_error *err)
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

/* The same with the interpreter's lock taken. The format makes the argument. */
static sp_status ask_locked(const char *function, const char *file, sp_texts *out, int64_t *n, sp_error *err,
                            const char *format, const char *first, const char *second)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    const sp_status status = ask_texts(function, file, Py_BuildValue(format, first, second), out, n, err);
    PyGILState_Release(state);
    return status;
}

sp_status sp_h5_elsewhere_open(const char *file, sp_error *err)
{
    sp_texts none = NULL;
    int64_t n = 0;
    const sp_status status = ask_locked("open_", file, &none, &n, err, "z", NULL, NULL);
    free(none);
    return status;
}

sp_status sp_h5_elsewhere_what(const char *file, const char *path, int *what, sp_error *err)
{
    sp_texts number = NULL;
    int64_t n = 0;
    const sp_status status = ask_locked("what", file, &number, &n, err, "s", path, NULL);
    if (status == SP_OK && n == 1)
        *what = atoi(number[0]);
    free(number);
    return status;
}

sp_status sp_h5_elsewhere_links(const char *file, const char *group, sp_texts *names, int64_t *n,
                                sp_error *err)
{
    return ask_locked("links", file, names, n, err, "s", group, NULL);
}

sp_status sp_h5_elsewhere_attribute(const char *file, const char *path, const char *name, sp_texts *out,
                                    int64_t *n, sp_error *err)
{
    return ask_locked("attribute", file, out, n, err, "(ss)", path, name);
}

sp_status sp_h5_elsewhere_list(const char *file, sp_texts *out, int64_t *n, sp_error *err)
{
    return ask_locked("listed", file, out, n, err, "z", NULL, NULL);
}

sp_status sp_h5_elsewhere_explain(const char *file, const char *path, const char *mend, sp_error *err)
{
    sp_texts none = NULL;
    int64_t n = 0;
    const sp_status status = ask_locked("explain", file, &none, &n, err, "(ss)", path, mend);
    free(none);
    return status == SP_OK ? sp_fail(err, SP_EFILE, "%s: %s cannot be read by h5py", file, path) : status;
}

sp_status sp_h5_elsewhere_array(const char *file, const char *path, bool has_values, unsigned char **bytes,
                                int64_t *n, sp_error *err)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    sp_status status = SP_OK;
    char *from = NULL;
    Py_ssize_t size = 0;
    PyObject *values = ask("array", file, Py_BuildValue("(si)", path, (int)has_values), &status, err);
    if (values && PyBytes_AsStringAndSize(values, &from, &size) != 0) {
        PyErr_Clear();
        status = sp_fail(err, SP_EFILE, "%s: %s cannot be read by h5py", file, path);
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
