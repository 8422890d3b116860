/* Online: fixed-lag decoding, one row at a time. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

typedef struct online_object {
    PyObject_HEAD PyObject *chain;
    sp_online *online;
    double *row;       /* [K] */
    double *log_prior; /* [K] */
    sp_prepare_options how;
    bool is_exact; /* decides any number of steps at once */
    bool is_busy;  /* a push works without the GIL */
} online_object;

static PyTypeObject *online_type;

static void online_free(PyObject *object)
{
    online_object *self = (online_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    sp_online_free(self->online);
    free(self->row);
    free(self->log_prior);
    Py_XDECREF(self->chain);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* Takes how scores become nats from a dictionary, and keeps the prior. */
static sp_status keep_preparation(online_object *self, PyObject *options, int kind, int32_t n_classes,
                                  sp_error *err)
{
    array prior = {.data = NULL};
    if (!preparation_from(options, n_classes, &self->how, &prior)) /* the package's own fault */
        return sp_fail(err, SP_EINVAL, "options of the wrong type");
    self->how.kind = (sp_kind)kind;
    sp_status status = SP_OK;
    if (prior.data) {
        self->log_prior = malloc((size_t)n_classes * sizeof *self->log_prior);
        if (self->log_prior)
            memcpy(self->log_prior, prior.data, (size_t)n_classes * sizeof *self->log_prior);
        else
            status = sp_no_memory(err);
    }
    self->how.log_prior = self->log_prior;
    array_release(&prior);
    return status;
}

/* Online(chain, lag, remaining steps or 0, is_exact, kind, options); lag -1: none, of an exact one */
static PyObject *online_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *chain, *options;
    long long lag, remaining;
    int kind, is_exact;
    sp_error err;
    if (names && PyDict_Size(names) > 0) {
        PyErr_SetString(PyExc_TypeError, "Online takes no names");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "OLLpiO!", &chain, &lag, &remaining, &is_exact, &kind, &PyDict_Type,
                          &options) ||
        !chain_of(chain))
        return NULL;
    if (lag < (is_exact ? -1 : 0) || lag > INT32_MAX / 2) {
        sp_fail(&err, SP_EINVAL, "lag %lld: a number of steps from 0 to %d", lag, INT32_MAX / 2);
        return raise_error(&err);
    }
    PyObject *object = ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!object)
        return NULL;
    online_object *self = (online_object *)object;
    const chain_object *c = chain_of(chain);
    self->chain = Py_NewRef(chain);
    self->row = malloc((size_t)c->n_classes * sizeof *self->row);
    sp_status status =
        self->row ? keep_preparation(self, options, kind, c->n_classes, &err) : sp_no_memory(&err);
    if (status == SP_OK)
        status =
            (is_exact ? sp_online_new_exact : sp_online_new)(c->chain, (int32_t)lag, &self->online, &err);
    self->is_exact = is_exact;
    if (status == SP_OK)
        status = sp_online_end_after(self->online, remaining, &err);
    if (status == SP_OK)
        return object;
    Py_DECREF(object);
    return PyErr_Occurred() ? NULL : raise_error(&err);
}

/* The row as nats, checked like every other: the block is the object's own row. */
static sp_status prepare(const online_object *self, int32_t n_classes, sp_error *err)
{
    int64_t offsets[] = {0, 1};
    sp_block block = {.n_recordings = 1,
                      .n_steps = 1,
                      .n_classes = n_classes,
                      .offsets = offsets,
                      .dtype = SP_F64,
                      .scores = self->row};
    return sp_prepare(&block, &self->how, NULL, NULL, err);
}

static bool begin(online_object *self)
{
    if (self->is_busy)
        PyErr_SetString(PyExc_RuntimeError,
                        "another thread is using this OnlineDecoder; give each stream its own");
    return !self->is_busy;
}

static PyObject *list_of_classes(const int32_t *classes, int32_t n)
{
    PyObject *list = PyList_New(n);
    for (int32_t i = 0; list && i < n; i++) {
        PyObject *class = PyLong_FromLong(classes[i]);
        if (!class || PyList_SetItem(list, i, class) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* push(row float64 [K], is_gap) -> the class of the step `lag` back, or None; of an exact one the list of those decided now */
static PyObject *online_push(PyObject *object, PyObject *args)
{
    online_object *self = (online_object *)object;
    const int32_t K = chain_of(self->chain)->n_classes;
    PyObject *row;
    int is_gap;
    array values;
    int32_t decided = -1, n = 0, *several = NULL;
    sp_error err;
    if (!PyArg_ParseTuple(args, "Op", &row, &is_gap) || !begin(self) ||
        !array_take(row, "row", FLOAT64, K, false, &values))
        return NULL;
    if (!values.data) {
        PyErr_SetString(PyExc_TypeError, "a row is needed");
        return NULL;
    }
    if (self->is_exact &&
        !(several = malloc(((size_t)sp_online_pending(self->online) + 1) * sizeof *several))) {
        array_release(&values);
        return PyErr_NoMemory();
    }
    self->is_busy = true;
    memcpy(self->row, values.data, (size_t)K * sizeof *self->row);
    array_release(&values);
    sp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = prepare(self, K, &err);
    if (status == SP_OK)
        status = several ? sp_online_push_exact(self->online, self->row, is_gap, several, &n, &err)
                         : sp_online_push(self->online, self->row, is_gap, &decided, &err);
    Py_END_ALLOW_THREADS;
    self->is_busy = false;
    if (status != SP_OK || several) {
        PyObject *result = status == SP_OK ? list_of_classes(several, n) : raise_error(&err);
        free(several);
        return result;
    }
    return decided >= 0 ? PyLong_FromLong(decided) : Py_NewRef(Py_None);
}

/* finish() -> the classes that were pending */
static PyObject *online_finish(PyObject *object, PyObject *none)
{
    online_object *self = (online_object *)object;
    int32_t n = 0;
    sp_error err;
    (void)none;
    if (!begin(self))
        return NULL;
    int32_t *rest = malloc(((size_t)sp_online_pending(self->online) + 1) * sizeof *rest);
    if (!rest)
        return PyErr_NoMemory();
    const sp_status status = sp_online_finish(self->online, rest, &n, &err);
    PyObject *list = status == SP_OK ? list_of_classes(rest, n) : raise_error(&err);
    free(rest);
    return list;
}

static PyObject *online_restart(PyObject *object, PyObject *none)
{
    (void)none;
    if (!begin((online_object *)object))
        return NULL;
    sp_online_restart(((online_object *)object)->online);
    Py_RETURN_NONE;
}

static PyObject *online_pending(PyObject *object, PyObject *none)
{
    (void)none;
    return PyLong_FromLong(sp_online_pending(((online_object *)object)->online));
}

static PyObject *online_forced(PyObject *object, PyObject *none)
{
    (void)none;
    return PyLong_FromLongLong(sp_online_forced(((online_object *)object)->online));
}

static PyMethodDef methods[] = {
    {"push", online_push, METH_VARARGS, NULL},      {"finish", online_finish, METH_NOARGS, NULL},
    {"restart", online_restart, METH_NOARGS, NULL}, {"pending", online_pending, METH_NOARGS, NULL},
    {"forced", online_forced, METH_NOARGS, NULL},   {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_new, online_new}, {Py_tp_dealloc, online_free}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {.name = "statepath._core.Online",
                           .basicsize = sizeof(online_object),
                           .flags = Py_TPFLAGS_DEFAULT,
                           .slots = slots};

bool online_init(PyObject *module)
{
    online_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return online_type && PyModule_AddType(module, online_type) == 0;
}
