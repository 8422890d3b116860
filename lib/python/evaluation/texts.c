#include "evaluation.h"

#include <stdlib.h>
#include <string.h>

/* NULL with the exception that says which argument is no text. */
static const char *refuse(PyObject *object, const char *name)
{
    sp_error err;
    PyObject *shown = PyObject_Repr(object);
    const char *text = shown ? PyUnicode_AsUTF8AndSize(shown, NULL) : NULL;
    if (text) {
        sp_fail(&err, SP_EINVAL, "%s=%.60s: a text is needed", name, text);
        raise_error(&err);
    }
    Py_XDECREF(shown);
    return NULL;
}

/* The text of a str without NUL characters. */
static const char *text_of(PyObject *object, const char *name)
{
    Py_ssize_t size;
    if (!PyUnicode_Check(object))
        return refuse(object, name);
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text && strlen(text) != (size_t)size) {
        PyErr_Format(PyExc_ValueError, "%s: a text holds a NUL character", name);
        return NULL;
    }
    return text;
}

static bool read_items(const char *name, texts *out)
{
    out->items = calloc((size_t)out->n + 1, sizeof *out->items);
    if (!out->items)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; out->items && i < (Py_ssize_t)out->n; i++)
        if (!(out->items[i] = text_of(PyList_GetItem(out->list, i), name)))
            return false;
    return out->items != NULL;
}

bool texts_take(PyObject *object, const char *name, int64_t count, texts *out)
{
    memset(out, 0, sizeof *out);
    if (!object || object == Py_None)
        return true;
    out->list = PySequence_List(object);
    out->n = out->list ? (int64_t)PyList_Size(out->list) : 0;
    if (out->list && count >= 0 && out->n != count)
        PyErr_Format(PyExc_ValueError, "%s: there are %lld texts, not %lld", name, (long long)out->n,
                     (long long)count);
    else if (out->list && read_items(name, out))
        return true;
    texts_release(out);
    return false;
}

void texts_release(texts *t)
{
    free(t->items);
    Py_XDECREF(t->list);
    memset(t, 0, sizeof *t);
}

const char *text_from(PyObject *dict, const char *name)
{
    PyObject *value = PyDict_GetItemString(dict, name);
    return value && value != Py_None ? text_of(value, name) : NULL;
}
