/* Buffers as arrays of one type. */
#include "extension.h"

#include <string.h>

static const struct {
    const char *name, *formats; /* native letters of the struct module that are this type here */
    Py_ssize_t size;
} types[] = {
    [BYTES] = {"uint8 or bool", "Bb?", 1}, [INT32] = {"int32", "il", 4},    [INT64] = {"int64", "lq", 8},
    [FLOAT32] = {"float32", "f", 4},       [FLOAT64] = {"float64", "d", 8},
};

/* Is the view an array of the type? Native byte order; '=' and '@' say so, and on little-endian machines '<'. */
static bool is_type(const Py_buffer *view, array_type type)
{
    const char *format = view->format ? view->format : "B";
    const uint16_t one = 1;
    const bool is_little = *(const uint8_t *)&one == 1;
    if (*format == '@' || *format == '=' || *format == (is_little ? '<' : '>'))
        format++;
    return *format && !format[1] && strchr(types[type].formats, *format) &&
           view->itemsize == types[type].size;
}

static bool fail(PyObject *class, const char *name, const char *what)
{
    PyErr_Format(class, "%s: the array must be %s", name, what);
    return false;
}

/* A contiguous view, of whatever type. */
static bool take_view(PyObject *object, const char *name, bool is_output, array *out)
{
    const int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (is_output ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, &out->view, flags) == 0)
        return true;
    memset(out, 0, sizeof *out);
    PyErr_Clear();
    return fail(PyExc_TypeError, name,
                is_output ? "a writable C-contiguous buffer" : "a C-contiguous buffer");
}

/* The view that was taken as an array of so many items of that type. */
static bool check_view(const char *name, array_type type, int64_t count, array *out)
{
    if (!is_type(&out->view, type))
        return fail(PyExc_TypeError, name, types[type].name);
    out->count = out->view.len / types[type].size;
    if ((uintptr_t)out->view.buf % (uintptr_t)types[type].size != 0)
        return fail(PyExc_ValueError, name, "aligned");
    if (count >= 0 && out->count != count) {
        PyErr_Format(PyExc_ValueError, "%s: the array has %lld items, not %lld", name, (long long)out->count,
                     (long long)count);
        return false;
    }
    static char nothing; /* an array that was given is never NULL */
    out->data = out->view.buf ? out->view.buf : &nothing;
    return true;
}

bool array_take(PyObject *object, const char *name, array_type type, int64_t count, bool is_output,
                array *out)
{
    memset(out, 0, sizeof *out);
    if (!object || object == Py_None)
        return true;
    if (take_view(object, name, is_output, out) && check_view(name, type, count, out))
        return true;
    array_release(out);
    return false;
}

bool array_take_scores(PyObject *object, array *out, sp_dtype *dtype)
{
    memset(out, 0, sizeof *out);
    if (!take_view(object, "scores", false, out))
        return false;
    *dtype = is_type(&out->view, FLOAT32) ? SP_F32 : SP_F64;
    if (check_view("scores", *dtype == SP_F32 ? FLOAT32 : FLOAT64, -1, out))
        return true;
    array_release(out);
    return false;
}

PyObject *member_of(PyObject *dict, PyObject **kept, const char *name)
{
    if (!*kept)
        *kept = PyUnicode_InternFromString(name);
    return *kept ? PyDict_GetItem(dict, *kept) : NULL;
}

void array_release(array *a)
{
    if (!a->view.obj)
        return;
    PyBuffer_Release(&a->view);
    memset(a, 0, sizeof *a);
}
