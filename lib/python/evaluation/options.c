#include "evaluation.h"

#include <stddef.h>

#include "options/options.h"

static void set(PyObject *dict, const char *key, PyObject *value, sp_option_type type, void *at)
{
    switch (type) {
    case SP_OPTION_TEXT:
        *(const char **)at = text_from(dict, key);
        break;
    case SP_OPTION_TEXTS:
        PyErr_Format(PyExc_TypeError, "%s: lists of texts are no option here", key);
        break;
    case SP_OPTION_NUMBER:
        *(double *)at = PyFloat_AsDouble(value);
        break;
    case SP_OPTION_FLAG:
    case SP_OPTION_INTEGER:
        *(int *)at = (int)PyLong_AsLong(value);
        break;
    case SP_OPTION_LONG:
        *(long *)at = PyLong_AsLong(value);
        break;
    case SP_OPTION_COUNT:
        *(int64_t *)at = PyLong_AsLongLong(value);
        break;
    case SP_OPTION_SEED:
        *(uint64_t *)at = PyLong_AsUnsignedLongLong(value);
    }
}

bool run_options_from(PyObject *dict, sp_run_options *o)
{
    char key[SP_OPTION_KEY];
    *o = sp_run_options_default();
    o->command = text_from(dict, "command");
    for (const sp_option_row *row = sp_option_rows; row->name && !PyErr_Occurred(); row++) {
        PyObject *value = PyDict_GetItemString(dict, sp_option_key(row->name, key));
        if (value && value != Py_None)
            set(dict, key, value, row->type, (char *)o + row->place);
    }
    return !PyErr_Occurred();
}
