/* The result of a run as a Python object, which writes itself in each form. It does not change, so threads share it. */
#include "evaluation.h"

#include <stdio.h>
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
    if (!self) {
        sp_comparison_free(comparison);
        return NULL;
    }
    ((comparison_object *)self)->comparison = comparison;
    if (comparison)
        comparison->words.in_python = true;
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

/* ---- figures and conditions ---- */

static const struct {
    sp_figure_scope scope;
    const char *name;
} scopes[] = {{SP_OF_COMPARISON, "comparison"}, {SP_OF_REFERENCE, "reference"}, {SP_OF_STRATEGY, "strategy"},
              {SP_OF_CLASS, "class"},           {SP_OF_AGAINST, "against"},     {SP_OF_RULE, "rule"}};
enum { N_SCOPES = sizeof scopes / sizeof *scopes, KEY_SIZE = 128 };

/* Its key in the dictionary: "strategy/0/0/accuracy". */
static const char *key_of(const sp_gate_figure *figure, char buffer[KEY_SIZE])
{
    size_t i = 0;
    while (scopes[i].scope != figure->scope)
        i++;
    snprintf(buffer, KEY_SIZE, "%s/%d/%d/%s", scopes[i].name, (int)figure->strategy, (int)figure->class_index,
             figure->key);
    return buffer;
}

/* Adds the figures of one owner. False with an exception. */
static bool put_figures(PyObject *dict, const sp_comparison *c, sp_gate_figure figure)
{
    char key[KEY_SIZE];
    sp_figure_description row;
    for (size_t i = 0; sp_figure_describe(figure.scope, i, &row); i++) {
        figure.key = row.key;
        const sp_value value = sp_gate_value(c, &figure);
        PyObject *object =
            value.undefined ? PyUnicode_FromString(value.undefined) : PyFloat_FromDouble(value.value);
        const bool is_put = object && PyDict_SetItemString(dict, key_of(&figure, key), object) == 0;
        Py_XDECREF(object);
        if (!is_put)
            return false;
    }
    return true;
}

static PyObject *names_of(int32_t n, const char *(*name)(const sp_comparison *c, int32_t i),
                          const sp_comparison *c)
{
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list && i < n; i++) {
        PyObject *text = PyUnicode_FromString(name(c, i));
        if (!text || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static const char *strategy_name(const sp_comparison *c, int32_t i)
{
    return c->strategies[i].name;
}

static const char *class_name(const sp_comparison *c, int32_t i)
{
    return c->classes[i];
}

static const char *against_name(const sp_comparison *c, int32_t i)
{
    return c->against[i].name;
}

static const char *rule_name(const sp_comparison *c, int32_t i)
{
    return c->rules[i].name;
}

/* Whose each strategy is: 0 the first classifier's. */
static PyObject *classifiers_of(const sp_comparison *c)
{
    PyObject *list = PyList_New(0);
    for (int32_t s = 0; list && s < c->n_strategies; s++) {
        PyObject *number = PyLong_FromLong(c->strategies[s].classifier);
        if (!number || PyList_Append(list, number) != 0)
            Py_CLEAR(list);
        Py_XDECREF(number);
    }
    return list;
}

/* figures() -> (strategies, whose each is, classes, other classifiers, rules over more steps, has labels, {key: value, or why there is none}) */
static PyObject *comparison_figures(PyObject *self, PyObject *none)
{
    const sp_comparison *c = comparison_of(self);
    PyObject *dict = PyDict_New();
    (void)none;
    bool is_put = dict && put_figures(dict, c, (sp_gate_figure){SP_OF_COMPARISON, NULL, 0, 0}) &&
                  put_figures(dict, c, (sp_gate_figure){SP_OF_REFERENCE, NULL, 0, 0});
    for (int32_t i = 0; is_put && i < c->n_against; i++)
        is_put = put_figures(dict, c, (sp_gate_figure){SP_OF_AGAINST, NULL, i, 0});
    for (int32_t i = 0; is_put && i < c->n_strategies; i++) {
        is_put = put_figures(dict, c, (sp_gate_figure){SP_OF_STRATEGY, NULL, i, 0});
        for (int32_t k = 0; is_put && k < c->n_classes; k++)
            is_put = put_figures(dict, c, (sp_gate_figure){SP_OF_CLASS, NULL, i, k});
    }
    for (int32_t r = 0; is_put && r < c->n_rules; r++)
        for (int32_t who = 0; is_put && who <= c->n_strategies; who++)
            is_put = put_figures(dict, c, (sp_gate_figure){SP_OF_RULE, NULL, who, r});
    if (!is_put) {
        Py_XDECREF(dict);
        return NULL;
    }
    return Py_BuildValue("(NNNNNON)", names_of(c->n_strategies, strategy_name, c), classifiers_of(c),
                         names_of(c->n_classes, class_name, c), names_of(c->n_against, against_name, c),
                         names_of(c->n_rules, rule_name, c), c->has_labels ? Py_True : Py_False, dict);
}

static sp_value value_in_dictionary(void *arg, const sp_gate_figure *figure)
{
    char key[KEY_SIZE];
    PyObject *object = PyDict_GetItemString(arg, key_of(figure, key)); /* borrowed, as its text is */
    if (object && PyFloat_Check(object))
        return (sp_value){.value = PyFloat_AsDouble(object)};
    const char *why = object ? PyUnicode_AsUTF8AndSize(object, NULL) : NULL;
    return (sp_value){.undefined = why ? why : "not known"};
}

/* [(is true, is undefined, sentence)] of the conditions. */
static PyObject *verdicts(const sp_gate *gate, PyObject *figures)
{
    char sentence[4096];
    PyObject *list = PyList_New(0);
    const sp_gate_values values = {figures, value_in_dictionary};
    for (int32_t i = 0; list && i < sp_gate_n_conditions(gate); i++) {
        const sp_gate_verdict verdict = sp_gate_judge_values(gate, i, &values, sentence, sizeof sentence);
        PyObject *row = Py_BuildValue("(OOs)", verdict == SP_GATE_TRIPPED ? Py_True : Py_False,
                                      verdict == SP_GATE_UNDEFINED ? Py_True : Py_False, sentence);
        if (!row || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* [n] from a list of as many numbers from 0 to n_against; NULL with an exception. */
static int32_t *classifiers_from(PyObject *list, int64_t n, int64_t n_against)
{
    int32_t *classifiers = calloc((size_t)n + 1, sizeof *classifiers);
    if (!classifiers) {
        PyErr_NoMemory();
        return NULL;
    }
    bool is_right = PyList_Check(list) && PyList_Size(list) == n;
    for (Py_ssize_t s = 0; is_right && s < n; s++) {
        const long of = PyLong_AsLong(PyList_GetItem(list, s));
        is_right = of >= 0 && of <= n_against;
        classifiers[s] = (int32_t)of;
    }
    if (is_right)
        return classifiers;
    free(classifiers);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "whose the strategies are is not as Comparison.figures() says it");
    return NULL;
}

PyObject *py_judge(PyObject *module, PyObject *args)
{
    const char *text;
    PyObject *names[4], *owners, *figures, *made = NULL;
    int has_labels;
    sp_error err;
    sp_gate *gate = NULL;
    int32_t *classifiers = NULL;
    texts strategies = {.n = 0}, classes = {.n = 0}, against = {.n = 0}, rules = {.n = 0};
    (void)module;
    if (!PyArg_ParseTuple(args, "sOOOOOpO!", &text, &names[0], &owners, &names[1], &names[2], &names[3],
                          &has_labels, &PyDict_Type, &figures))
        return NULL;
    if (texts_take(names[0], "strategies", -1, &strategies) &&
        texts_take(names[1], "classes", -1, &classes) && texts_take(names[2], "against", -1, &against) &&
        texts_take(names[3], "rules", -1, &rules) &&
        (classifiers = classifiers_from(owners, strategies.n, against.n))) {
        const sp_gate_scope scope = {.n_strategies = (int32_t)strategies.n,
                                     .strategies = strategies.items,
                                     .n_classes = (int32_t)classes.n,
                                     .classes = classes.items,
                                     .has_labels = has_labels,
                                     .n_against = (int32_t)against.n,
                                     .against = against.items,
                                     .classifiers = classifiers,
                                     .n_rules = (int32_t)rules.n,
                                     .rules = rules.items};
        made = sp_gate_new(text, &scope, &gate, &err) == SP_OK ? verdicts(gate, figures) : raise_error(&err);
    }
    sp_gate_free(gate);
    free(classifiers);
    texts_release(&strategies);
    texts_release(&classes);
    texts_release(&against);
    texts_release(&rules);
    return made;
}

static PyMethodDef methods[] = {{"text", comparison_text, METH_VARARGS, NULL},
                                {"save", comparison_save, METH_VARARGS, NULL},
                                {"figures", comparison_figures, METH_NOARGS, NULL},
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
