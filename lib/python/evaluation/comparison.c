/* The result of a run as a Python object, which writes itself in each form. It does not change, so threads share it. */
#include "evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "statepath/files.h"
#include "statepath/report.h"

typedef struct comparison_object {
    PyObject_HEAD sp_comparison *comparison;
} comparison_object;

static PyTypeObject *comparison_type;

static const sp_comparison *comparison_of(PyObject *self)
{
    return ((comparison_object *)self)->comparison;
}

static void free_object(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    sp_comparison_free(((comparison_object *)self)->comparison);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

PyObject *comparison_wrap(sp_comparison *comparison)
{
    PyObject *self = ((allocfunc)PyType_GetSlot(comparison_type, Py_tp_alloc))(comparison_type, 0);
    if (self)
        ((comparison_object *)self)->comparison = comparison;
    else
        sp_comparison_free(comparison);
    return self;
}

/* ---- forms ---- */

static sp_status write_terminal(const sp_comparison *comparison, char **out, sp_error *err)
{
    return sp_report_text(comparison, NULL, out, err);
}

static const struct {
    const char *name;
    sp_status (*write)(const sp_comparison *comparison, char **out, sp_error *err);
} forms[] = {{"json", sp_report_json}, {"csv", sp_report_csv},   {"md", sp_report_markdown},
             {"tex", sp_report_latex}, {"html", sp_report_html}, {"txt", write_terminal}};

static sp_status write_form(PyObject *self, const char *name, char **out, sp_error *err)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0)
            return forms[i].write(comparison_of(self), out, err);
    return sp_fail(err, SP_EINVAL, "there is no form \"%s\"", name);
}

/* text(form) -> str */
static PyObject *comparison_text(PyObject *self, PyObject *args)
{
    const char *name;
    char *text = NULL;
    sp_error err;
    sp_status status;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = write_form(self, name, &text, &err);
    Py_END_ALLOW_THREADS;
    if (status != SP_OK)
        return raise_error(&err);
    PyObject *made = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    free(text);
    return made;
}

/* save(form, file, force) */
static PyObject *comparison_save(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *file;
    int force;
    char *text = NULL;
    sp_error err;
    sp_status status;
    if (!PyArg_ParseTuple(args, "sO&p", &name, PyUnicode_FSConverter, &file, &force))
        return NULL;
    const char *target = PyBytes_AsString(file);
    Py_BEGIN_ALLOW_THREADS;
    status = write_form(self, name, &text, &err);
    if (status == SP_OK)
        status = sp_text_save(target, text, force, &err);
    free(text);
    Py_END_ALLOW_THREADS;
    Py_DECREF(file);
    if (status != SP_OK)
        return raise_error(&err);
    Py_RETURN_NONE;
}

/* ---- conditions ---- */

/* [(is true, is undefined, sentence)] of the conditions. */
static PyObject *verdicts(const sp_gate *gate, const sp_comparison *comparison)
{
    char sentence[4096];
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list && i < sp_gate_n_conditions(gate); i++) {
        const sp_gate_verdict verdict = sp_gate_judge(gate, i, comparison, sentence, sizeof sentence);
        PyObject *row = Py_BuildValue("(OOs)", verdict == SP_GATE_TRIPPED ? Py_True : Py_False,
                                      verdict == SP_GATE_UNDEFINED ? Py_True : Py_False, sentence);
        if (!row || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *comparison_judge(PyObject *self, PyObject *args)
{
    const sp_comparison *c = comparison_of(self);
    const char *text;
    sp_error err;
    sp_gate *gate = NULL;
    if (!PyArg_ParseTuple(args, "s", &text))
        return NULL;
    const char **names = calloc((size_t)c->n_strategies + (size_t)c->n_against + 1, sizeof *names);
    if (!names)
        return PyErr_NoMemory();
    for (int32_t i = 0; i < c->n_strategies; i++)
        names[i] = c->strategies[i].name;
    for (int32_t i = 0; i < c->n_against; i++)
        names[c->n_strategies + i] = c->against[i].name;
    const sp_gate_scope scope = {.n_strategies = c->n_strategies,
                                 .strategies = names,
                                 .n_classes = c->n_classes,
                                 .classes = (const char *const *)c->classes,
                                 .has_labels = c->has_labels,
                                 .n_against = c->n_against,
                                 .against = names + c->n_strategies};
    const sp_status status = sp_gate_new(text, &scope, &gate, &err);
    PyObject *made = status == SP_OK ? verdicts(gate, c) : raise_error(&err);
    sp_gate_free(gate);
    free(names);
    return made;
}

static PyMethodDef methods[] = {{"text", comparison_text, METH_VARARGS, NULL},
                                {"save", comparison_save, METH_VARARGS, NULL},
                                {"judge", comparison_judge, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_dealloc, free_object}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {
    .name = "statepath._evaluation.Comparison",
    .basicsize = sizeof(comparison_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

bool comparison_init(PyObject *module)
{
    comparison_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return comparison_type && PyModule_AddType(module, comparison_type) == 0;
}
