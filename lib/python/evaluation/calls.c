/* Callbacks of a run: each takes the GIL for itself, whatever thread it comes on. */
#include "evaluation.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Keeps the exception that is raised; the first one counts. */
static void keep_exception(calls *c)
{
    if (c->type)
        PyErr_Clear();
    else
        PyErr_Fetch(&c->type, &c->value, &c->traceback);
}

sp_run_hooks calls_hooks(calls *c)
{
    return (sp_run_hooks){
        .arg = c, .notice = calls_notice, .progress = calls_progress, .is_stopped = calls_is_stopped};
}

void calls_notice(void *arg, sp_notice kind, const char *sentence)
{
    calls *c = arg;
    (void)kind;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *text = PyUnicode_FromString(sentence);
    if (!text || PyList_Append(c->notices, text) != 0)
        keep_exception(c);
    Py_XDECREF(text);
    PyGILState_Release(state);
}

void calls_progress(void *arg, const char *what, int64_t done, int64_t total)
{
    calls *c = arg;
    if (c->progress == Py_None || !what)
        return;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *none =
        c->type ? NULL : PyObject_CallFunction(c->progress, "sLL", what, (long long)done, (long long)total);
    if (!none && !c->type)
        keep_exception(c);
    Py_XDECREF(none);
    PyGILState_Release(state);
}

bool calls_is_stopped(void *arg)
{
    const double LOOK = 0.05;
    calls *c = arg;
    const double seconds = now();
    if (!c->type && seconds - c->looked < LOOK)
        return false;
    const PyGILState_STATE state = PyGILState_Ensure();
    c->looked = seconds;
    if (!c->type && PyErr_CheckSignals() != 0)
        keep_exception(c);
    const bool is_stopped = c->type != NULL;
    PyGILState_Release(state);
    return is_stopped;
}

bool calls_end(calls *c, sp_status status, const sp_error *err)
{
    if (c->type) {
        PyErr_Restore(c->type, c->value, c->traceback);
        c->type = c->value = c->traceback = NULL;
        return false;
    }
    if (status != SP_OK)
        raise_error(err);
    return status == SP_OK;
}
