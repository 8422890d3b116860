/* compare() and evaluate(). */
#include "evaluation.h"

#include <stdlib.h>
#include <string.h>

/* What comparing and evaluating take, and what the library makes of it. */
typedef struct run {
    given first;
    calls calls;
    sp_run_options options;
    sp_comparison *comparison;
    sp_status status;
    sp_error err;
} run;

/* False with an exception. r->first is released in any case. */
static bool run_open(run *r, const char *model, PyObject *inputs, PyObject *options, PyObject *progress,
                     PyObject *notices)
{
    r->calls = (calls){.progress = progress, .notices = notices};
    if (!given_take(inputs, &r->first) || !run_options_from(options, &r->options))
        return false;
    r->options.model_text = model;
    r->options.hooks = calls_hooks(&r->calls);
    return true;
}

/* The result, or NULL with an exception. */
static PyObject *run_end(run *r)
{
    if (calls_end(&r->calls, r->status, &r->err))
        return comparison_wrap(r->comparison);
    sp_comparison_free(r->comparison);
    return NULL;
}

/* ---- compare ---- */

/* Other classifiers: a dictionary of inputs by name. */
typedef struct others {
    texts names;
    given *given;
    sp_named_recordings *named;
} others;

static void others_release(others *o)
{
    for (int64_t i = 0; o->given && i < o->names.n; i++)
        given_release(&o->given[i]);
    free(o->given);
    free(o->named);
    texts_release(&o->names);
}

static bool others_take(PyObject *dict, others *out)
{
    memset(out, 0, sizeof *out);
    PyObject *keys = PyDict_Keys(dict);
    const bool is_taken = keys && texts_take(keys, "against", -1, &out->names);
    Py_XDECREF(keys);
    if (!is_taken)
        return false;
    const size_t n = (size_t)out->names.n;
    out->given = calloc(n + 1, sizeof *out->given);
    out->named = calloc(n + 1, sizeof *out->named);
    if (!out->given || !out->named)
        return PyErr_NoMemory() != NULL;
    for (size_t i = 0; i < n; i++) {
        if (!given_take(PyDict_GetItemString(dict, out->names.items[i]), &out->given[i]))
            return false;
        out->named[i] = (sp_named_recordings){out->names.items[i], &out->given[i].recordings};
    }
    return true;
}

PyObject *py_compare(PyObject *module, PyObject *args)
{
    const char *model;
    PyObject *inputs, *options, *against, *progress, *notices, *made = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO!O!O!OO!", &model, &PyDict_Type, &inputs, &PyDict_Type, &options,
                          &PyDict_Type, &against, &progress, &PyList_Type, &notices))
        return NULL;
    run r = {.status = SP_OK};
    others rivals = {.given = NULL};
    if (run_open(&r, model, inputs, options, progress, notices) && others_take(against, &rivals)) {
        r.options.against_recordings = rivals.named;
        r.options.n_against_recordings = (int32_t)rivals.names.n;
        Py_BEGIN_ALLOW_THREADS;
        r.status = sp_compare(&r.first.recordings, &r.options, &r.comparison, NULL, &r.err);
        Py_END_ALLOW_THREADS;
        made = run_end(&r);
    }
    others_release(&rivals);
    given_release(&r.first);
    return made;
}

/* ---- evaluate ---- */

typedef struct paths {
    texts names;
    array arrays[SP_RUN_STRATEGIES];
    const int32_t *items[SP_RUN_STRATEGIES];
} paths;

static void paths_release(paths *p)
{
    for (int i = 0; i < SP_RUN_STRATEGIES; i++)
        array_release(&p->arrays[i]);
    texts_release(&p->names);
}

static bool paths_take(PyObject *names, PyObject *list, int64_t n_steps, paths *out)
{
    memset(out, 0, sizeof *out);
    if (!texts_take(names, "names", (int64_t)PyList_Size(list), &out->names))
        return false;
    if (out->names.n > SP_RUN_STRATEGIES) {
        PyErr_Format(PyExc_ValueError, "%lld paths to evaluate: 1 to %d", (long long)out->names.n,
                     SP_RUN_STRATEGIES);
        return false;
    }
    for (Py_ssize_t i = 0; i < (Py_ssize_t)out->names.n; i++) {
        if (!array_take(PyList_GetItem(list, i), "paths", INT32, n_steps, false, &out->arrays[i]))
            return false;
        out->items[i] = out->arrays[i].data;
    }
    return true;
}

PyObject *py_evaluate(PyObject *module, PyObject *args)
{
    const char *model;
    PyObject *inputs, *options, *names, *list, *progress, *notices, *made = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO!O!OO!OO!", &model, &PyDict_Type, &inputs, &PyDict_Type, &options, &names,
                          &PyList_Type, &list, &progress, &PyList_Type, &notices))
        return NULL;
    run r = {.status = SP_OK};
    paths p = {.names.n = 0};
    if (run_open(&r, model, inputs, options, progress, notices) &&
        paths_take(names, list, r.first.arrays.info.n_steps, &p)) {
        const sp_array_paths all = {
            .n_strategies = (int32_t)p.names.n, .names = p.names.items, .paths = p.items};
        Py_BEGIN_ALLOW_THREADS;
        r.status = sp_evaluate(&r.first.recordings, &all, &r.options, &r.comparison, NULL, &r.err);
        Py_END_ALLOW_THREADS;
        made = run_end(&r);
    }
    paths_release(&p);
    given_release(&r.first);
    return made;
}
