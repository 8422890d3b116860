/* The library's statuses as Python exceptions. Which class stands for which is said in statepath/_errors.py. */
#include "extension.h"

#include <string.h>

static PyObject *make_error; /* statepath._errors.from_library(status, message, step) */

bool errors_init(PyObject *module)
{
    (void)module;
    PyObject *errors = PyImport_ImportModule("statepath._errors");
    if (!errors)
        return false;
    Py_XDECREF(make_error);
    make_error = PyObject_GetAttrString(errors, "from_library");
    Py_DECREF(errors);
    return make_error != NULL;
}

PyObject *raise_error(const sp_error *err)
{
    if (err->status == SP_ENOMEM)
        return PyErr_NoMemory();
    PyObject *message = PyUnicode_DecodeUTF8(err->message, (Py_ssize_t)strlen(err->message), "replace");
    PyObject *made = message ? PyObject_CallFunction(make_error, "sOL", sp_status_name(err->status), message,
                                                     (long long)err->step)
                             : NULL;
    if (made)
        PyErr_SetObject((PyObject *)Py_TYPE(made), made);
    Py_XDECREF(message);
    Py_XDECREF(made);
    return NULL;
}
