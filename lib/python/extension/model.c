/* Models and their compiled form as Python objects. Both are immutable, so threads share them. */
#include "extension.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/rules/rules.h"
#include "statepath/learn.h"
#include "statepath/model_json.h"

typedef struct model_object {
    PyObject_HEAD sp_model *model;
} model_object;

static PyTypeObject *model_type, *chain_type;

static void free_object(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (type == model_type)
        sp_model_free(((model_object *)self)->model);
    else
        sp_chain_free(((chain_object *)self)->chain);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *allocate(PyTypeObject *type)
{
    return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
}

/* The object of a model, which it owns from now on. */
static PyObject *wrap_model(sp_model *model)
{
    PyObject *self = allocate(model_type);
    if (self)
        ((model_object *)self)->model = model;
    else
        sp_model_free(model);
    return self;
}

static const sp_model *model_of(PyObject *self)
{
    return ((model_object *)self)->model;
}

const sp_model *model_of_object(PyObject *object)
{
    if (Py_TYPE(object) == model_type)
        return model_of(object);
    PyErr_SetString(PyExc_TypeError, "a Model is expected");
    return NULL;
}

/* ---- making ---- */

static PyObject *model_from_json(PyObject *module, PyObject *args)
{
    const char *text, *name;
    sp_model *model;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss", &text, &name))
        return NULL;
    return sp_model_from_json(text, name, &model, &err) == SP_OK ? wrap_model(model) : raise_error(&err);
}

const char **strings(PyObject *names, PyObject **list, int32_t *n)
{
    *list = PySequence_List(names);
    if (!*list)
        return NULL;
    *n = (int32_t)PyList_Size(*list);
    const char **out = malloc(((size_t)*n + 1) * sizeof *out);
    for (int32_t i = 0; out && i < *n; i++) {
        Py_ssize_t size;
        PyObject *item = PyList_GetItem(*list, i);
        out[i] = PyUnicode_AsUTF8AndSize(item, &size);
        if (!out[i] || strlen(out[i]) != (size_t)size) {
            if (out[i])
                PyErr_SetString(PyExc_ValueError, "a class name holds a NUL character");
            free(out);
            Py_CLEAR(*list);
            return NULL;
        }
    }
    if (!out) {
        PyErr_NoMemory();
        Py_CLEAR(*list);
    }
    return out;
}

/* model_shape("left-right" | "cycle" | "band", classes, step) */
static PyObject *model_shape(PyObject *module, PyObject *args)
{
    const char *kind;
    PyObject *classes, *list;
    long long step;
    int32_t n = 0;
    sp_model *model = NULL;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOL", &kind, &classes, &step))
        return NULL;
    const char **names = strings(classes, &list, &n);
    if (!names)
        return NULL;
    const int32_t by = step > INT32_MAX ? INT32_MAX : step < 0 ? 0 : (int32_t)step;
    const sp_status status = strcmp(kind, "cycle") == 0 ? sp_model_new_cycle(n, names, &model, &err)
                             : strcmp(kind, "band") == 0
                                 ? sp_model_new_band(n, names, by, &model, &err)
                                 : sp_model_new_left_right(n, names, by, &model, &err);
    free(names);
    Py_DECREF(list);
    return status == SP_OK ? wrap_model(model) : raise_error(&err);
}

/* model_tags(scheme, types or tags, file of operating points or None, point or None) */
static PyObject *model_tags(PyObject *module, PyObject *args)
{
    const char *scheme, *points, *point;
    PyObject *types, *list;
    int32_t n = 0;
    sp_model *model = NULL;
    sp_tag_biases biases;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOzz", &scheme, &types, &points, &point))
        return NULL;
    const char **names = strings(types, &list, &n);
    if (!names)
        return NULL;
    sp_status status = sp_model_new_tags(scheme, n, names, &model, &err);
    free(names);
    Py_DECREF(list);
    if (status == SP_OK && points)
        status = sp_operating_point_load(points, point, &biases, &err);
    if (status == SP_OK && points)
        status = sp_model_tie_tags(model, &biases, &err);
    if (status == SP_OK)
        return wrap_model(model);
    sp_model_free(model);
    return raise_error(&err);
}

/* Are labels and offsets such that nothing beyond them is read or counted? False with ValueError. */
static bool labels_fit(const array *labels, const array *offsets, int32_t n_classes)
{
    const int64_t *at = offsets->data, n = offsets->count - 1;
    const int32_t *label = labels->data;
    bool fits = n >= 0 && at[0] == 0 && at[n] == labels->count;
    for (int64_t i = 0; fits && i < n; i++)
        fits = at[i] <= at[i + 1];
    for (int64_t t = 0; fits && t < labels->count; t++)
        fits = label[t] >= -1 && label[t] < n_classes;
    if (!fits)
        PyErr_SetString(PyExc_ValueError, "labels and offsets do not fit");
    return fits;
}

/* Adds recordings that stand one after the other. */
static void count_labels(sp_label_counts *counts, int64_t n, const int64_t *offsets, const int32_t *labels)
{
    for (int64_t i = 0; i < n; i++)
        sp_label_counts_add(counts, offsets[i + 1] - offsets[i], labels + offsets[i], NULL);
}

/* model_from_labels(classes, labels int32 [S] of which each is -1 to K-1, offsets int64 [N+1], min_count) */
static PyObject *model_from_labels(PyObject *module, PyObject *args)
{
    PyObject *classes, *given_labels, *given_offsets, *list = NULL, *out = NULL;
    long long min_count;
    int32_t n = 0;
    array labels = {0}, offsets = {0};
    sp_label_counts counts = {0};
    sp_model *model = NULL;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOL", &classes, &given_labels, &given_offsets, &min_count))
        return NULL;
    const char **names = strings(classes, &list, &n);
    if (!names)
        return NULL;
    if (array_take(given_labels, "labels", INT32, -1, false, &labels) &&
        array_take(given_offsets, "offsets", INT64, -1, false, &offsets) &&
        labels_fit(&labels, &offsets, n)) {
        sp_status status = sp_label_counts_init(&counts, n, &err);
        if (status == SP_OK) {
            count_labels(&counts, offsets.count - 1, offsets.data, labels.data);
            status = sp_model_from_counts("from-labels", names, &counts, min_count, &model, &err);
        }
        out = status == SP_OK ? wrap_model(model) : raise_error(&err);
    }
    sp_label_counts_clear(&counts);
    array_release(&labels);
    array_release(&offsets);
    free(names);
    Py_DECREF(list);
    return out;
}

static PyObject *model_load(PyObject *module, PyObject *args)
{
    PyObject *name;
    sp_model *model = NULL;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &name))
        return NULL;
    const char *bytes = PyBytes_AsString(name);
    sp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sp_model_load(bytes, &model, &err);
    Py_END_ALLOW_THREADS;
    Py_DECREF(name);
    return status == SP_OK ? wrap_model(model) : raise_error(&err);
}

static PyObject *model_names(PyObject *module, PyObject *none)
{
    char **names = NULL;
    int32_t n = 0;
    sp_error err;
    (void)module, (void)none;
    if (sp_model_list(&names, &n, &err) != SP_OK)
        return raise_error(&err);
    PyObject *list = PyList_New(n);
    for (int32_t i = 0; i < n; i++) {
        PyObject *name = list ? PyUnicode_FromString(names[i]) : NULL;
        if (list && (!name || PyList_SetItem(list, i, name) != 0))
            Py_CLEAR(list);
        free(names[i]);
    }
    free(names);
    return list;
}

/* ---- writing ---- */

static PyObject *model_to_json(PyObject *self, PyObject *none)
{
    char *text;
    sp_error err;
    (void)none;
    if (sp_model_to_json(model_of(self), &text, &err) != SP_OK)
        return raise_error(&err);
    PyObject *json = PyUnicode_FromString(text);
    free(text);
    return json;
}

static PyObject *model_save(PyObject *self, PyObject *args)
{
    PyObject *file;
    int force;
    sp_error err;
    if (!PyArg_ParseTuple(args, "O&p", PyUnicode_FSConverter, &file, &force))
        return NULL;
    const char *bytes = PyBytes_AsString(file);
    sp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sp_model_save(model_of(self), bytes, force, &err);
    Py_END_ALLOW_THREADS;
    Py_DECREF(file);
    if (status != SP_OK)
        return raise_error(&err);
    Py_RETURN_NONE;
}

/* ---- looking ---- */

/* Adds value, whose reference it takes, under the key. */
static bool put(PyObject *dict, const char *key, PyObject *value)
{
    const bool is_done = value && PyDict_SetItemString(dict, key, value) == 0;
    Py_XDECREF(value);
    return is_done;
}

static PyObject *text_or_none(const char *text)
{
    return text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
}

static PyObject *bytes_or_none(const void *data, int64_t count, size_t size)
{
    return data ? PyBytes_FromStringAndSize(data, (Py_ssize_t)((size_t)count * size)) : Py_NewRef(Py_None);
}

static PyObject *texts(int32_t n, char *const *names)
{
    if (!names)
        return Py_NewRef(Py_None);
    PyObject *tuple = PyTuple_New(n);
    for (int32_t i = 0; tuple && i < n; i++) {
        PyObject *name = PyUnicode_FromString(names[i]);
        if (!name || PyTuple_SetItem(tuple, i, name) != 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *aliases(const sp_model *m)
{
    PyObject *list = PyList_New(m->n_aliases);
    for (int32_t i = 0; list && i < m->n_aliases; i++) {
        PyObject *pair = Py_BuildValue("(is)", m->aliases[i].class_index, m->aliases[i].name);
        if (!pair || PyList_SetItem(list, i, pair) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static bool has_time(const sp_duration *d)
{
    return d->min.is_seconds || d->max.is_seconds || d->centre.is_seconds;
}

/* [r] does the rule speak of times? */
static PyObject *timed_rules(const sp_model *m)
{
    PyObject *list = PyList_New(m->n_rules);
    for (int32_t r = 0; list && r < m->n_rules; r++)
        if (PyList_SetItem(list, r, PyBool_FromLong(sp_rule_has_time(m, r))) != 0)
            Py_CLEAR(list);
    return list;
}

/* The fields of sp_model (model.h) by their names; arrays as bytes. Of durations, how many there are and whether some are in time; the same
 * of each rule. */
static PyObject *model_fields(PyObject *self, PyObject *none)
{
    const sp_model *m = model_of(self);
    const int64_t M = m->n_states, edges = m->row[M];
    PyObject *d = PyDict_New();
    bool has_times = false;
    long n_durations = 0;
    (void)none;
    for (int32_t k = 0; m->durations && k < m->n_classes; k++) {
        has_times = has_times || has_time(&m->durations[k]);
        n_durations += m->durations[k].form != SP_DURATION_FREE;
    }
    for (int32_t r = 0; r < m->n_rules; r++)
        has_times = has_times || sp_rule_has_time(m, r);
    if (d && put(d, "name", text_or_none(m->name)) && put(d, "description", text_or_none(m->description)) &&
        put(d, "source", text_or_none(m->source)) && put(d, "classes", texts(m->n_classes, m->classes)) &&
        put(d, "aliases", aliases(m)) && put(d, "states", texts(m->n_states, m->states)) &&
        put(d, "state_class", bytes_or_none(m->state_class, M, sizeof *m->state_class)) &&
        put(d, "row", bytes_or_none(m->row, M + 1, sizeof *m->row)) &&
        put(d, "to", PyBytes_FromStringAndSize(edges ? (const char *)m->to : "", (Py_ssize_t)edges * 4)) &&
        put(d, "weight", bytes_or_none(m->weight, edges, sizeof *m->weight)) &&
        put(d, "start", bytes_or_none(m->start, M, sizeof *m->start)) &&
        put(d, "end", bytes_or_none(m->end, M, sizeof *m->end)) &&
        put(d, "min_dwell", bytes_or_none(m->min_dwell, M, sizeof *m->min_dwell)) &&
        put(d, "min_dwell_at_end", PyBool_FromLong(m->min_dwell_at_end)) &&
        put(d, "has_times", PyBool_FromLong(has_times)) &&
        put(d, "n_durations", PyLong_FromLong(n_durations)) && put(d, "timed_rules", timed_rules(m)) &&
        put(d, "prior", bytes_or_none(m->prior, m->n_classes, sizeof *m->prior)) &&
        put(d, "windows", PyLong_FromLong(m->windows ? m->windows->steps[m->windows->n - 1] : 0)) &&
        put(d, "temperature", PyFloat_FromDouble(m->temperature)) &&
        put(d, "transition_weight", PyFloat_FromDouble(m->transition_weight)) &&
        put(d, "prior_weight", PyFloat_FromDouble(m->prior_weight)) &&
        put(d, "floor", PyFloat_FromDouble(m->floor)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

/* check_stream(): an error where a stream cannot have the model. */
static PyObject *model_check_stream(PyObject *self, PyObject *none)
{
    sp_error err;
    (void)none;
    return sp_model_check_stream(model_of(self), &err) == SP_OK ? Py_NewRef(Py_None) : raise_error(&err);
}

/* align(names) -> the class of each column, as int32 bytes. */
static PyObject *model_align(PyObject *self, PyObject *names)
{
    PyObject *list;
    int32_t n = 0;
    sp_error err;
    const char **columns = strings(names, &list, &n);
    if (!columns)
        return NULL;
    int32_t *class_of = malloc(((size_t)n + 1) * sizeof *class_of);
    PyObject *out = NULL;
    if (!class_of)
        PyErr_NoMemory();
    else if (sp_model_align(model_of(self), n, columns, class_of, &err) != SP_OK)
        raise_error(&err);
    else
        out = PyBytes_FromStringAndSize((const char *)class_of, (Py_ssize_t)n * 4);
    free(class_of);
    free(columns);
    Py_DECREF(list);
    return out;
}

static void add_warning(void *arg, const char *sentence)
{
    PyObject *text = PyUnicode_FromString(sentence);
    if (!text || PyList_Append(arg, text) != 0)
        PyErr_Clear(); /* one warning less, for lack of memory */
    Py_XDECREF(text);
}

static PyObject *model_warnings(PyObject *self, PyObject *none)
{
    PyObject *list = PyList_New(0);
    sp_error err;
    (void)none;
    if (list && sp_model_warnings(model_of(self), add_warning, list, &err) != SP_OK) {
        Py_CLEAR(list);
        raise_error(&err);
    }
    return list;
}

/* ---- chains ---- */

/* What a step costs, about: transitions, and the states that a dwell adds. */
static double count_edges(const sp_model *m)
{
    double n = (double)m->row[m->n_states] + m->n_classes;
    for (int32_t s = 0; m->min_dwell && s < m->n_states; s++)
        n += m->min_dwell[s];
    for (int32_t k = 0; m->durations && k < m->n_classes; k++)
        n += m->durations[k].form != SP_DURATION_FREE ? 1000 : 0;
    for (int32_t r = 0; r < m->n_rules; r++)
        n *= 2;
    return n;
}

/* chain(class_of_column: int32 buffer or None, transition_weight, step_seconds) */
static PyObject *model_chain(PyObject *self, PyObject *args)
{
    const sp_model *m = model_of(self);
    sp_chain_options options = sp_chain_options_default();
    PyObject *columns;
    array class_of;
    sp_error err;
    sp_chain *chain = NULL;
    if (!PyArg_ParseTuple(args, "Odd", &columns, &options.transition_weight, &options.step_seconds) ||
        !array_take(columns, "class_of_column", INT32, m->n_classes, false, &class_of))
        return NULL;
    const int32_t *column = options.class_of_column = class_of.data;
    bool is_inside = true;
    for (int64_t k = 0; column && k < m->n_classes; k++)
        is_inside = is_inside && column[k] >= 0 && column[k] < m->n_classes;
    sp_status status =
        is_inside ? SP_OK : sp_fail(&err, SP_EINVAL, "class_of_column names a class that does not exist");
    Py_BEGIN_ALLOW_THREADS;
    if (status == SP_OK)
        status = sp_chain_new(m, &options, &chain, &err);
    Py_END_ALLOW_THREADS;
    array_release(&class_of);
    if (status != SP_OK)
        return raise_error(&err);
    PyObject *object = allocate(chain_type);
    if (!object) {
        sp_chain_free(chain);
        return NULL;
    }
    chain_object *made = (chain_object *)object;
    made->chain = chain;
    made->n_classes = m->n_classes;
    made->edges = count_edges(m);
    return object;
}

chain_object *chain_of(PyObject *object)
{
    if (Py_TYPE(object) == chain_type)
        return (chain_object *)object;
    PyErr_SetString(PyExc_TypeError, "a Chain is expected");
    return NULL;
}

/* rules() -> bytes: allowed pairs [K,K], starts [K], ends [K], in the order of the columns. */
static PyObject *chain_rules(PyObject *self, PyObject *none)
{
    const sp_chain *chain = ((chain_object *)self)->chain;
    const int32_t K = ((chain_object *)self)->n_classes;
    (void)none;
    const size_t size = (size_t)K * (size_t)K + 2 * (size_t)K;
    char *rules = malloc(size);
    if (!rules)
        return PyErr_NoMemory();
    char *at = rules;
    for (int32_t i = 0; i < K; i++)
        for (int32_t j = 0; j < K; j++)
            *at++ = (char)sp_chain_is_legal(chain, i, j);
    for (int32_t i = 0; i < K; i++)
        *at++ = (char)sp_chain_is_legal_start(chain, i);
    for (int32_t i = 0; i < K; i++)
        *at++ = (char)sp_chain_is_legal_end(chain, i);
    PyObject *bytes = PyBytes_FromStringAndSize(rules, (Py_ssize_t)size);
    free(rules);
    return bytes;
}

/* ---- types ---- */

static PyMethodDef model_methods[] = {{"to_json", model_to_json, METH_NOARGS, NULL},
                                      {"save", model_save, METH_VARARGS, NULL},
                                      {"fields", model_fields, METH_NOARGS, NULL},
                                      {"check_stream", model_check_stream, METH_NOARGS, NULL},
                                      {"align", model_align, METH_O, NULL},
                                      {"chain", model_chain, METH_VARARGS, NULL},
                                      {"warnings", model_warnings, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
static PyType_Slot model_slots[] = {{Py_tp_dealloc, free_object}, {Py_tp_methods, model_methods}, {0, NULL}};
static PyType_Spec model_spec = {
    .name = "statepath._core.Model",
    .basicsize = sizeof(model_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = model_slots,
};

static PyMethodDef chain_methods[] = {{"rules", chain_rules, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyType_Slot chain_slots[] = {{Py_tp_dealloc, free_object}, {Py_tp_methods, chain_methods}, {0, NULL}};
static PyType_Spec chain_spec = {
    .name = "statepath._core.Chain",
    .basicsize = sizeof(chain_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = chain_slots,
};

static PyMethodDef functions[] = {{"model_from_json", model_from_json, METH_VARARGS, NULL},
                                  {"model_shape", model_shape, METH_VARARGS, NULL},
                                  {"model_tags", model_tags, METH_VARARGS, NULL},
                                  {"model_from_labels", model_from_labels, METH_VARARGS, NULL},
                                  {"model_load", model_load, METH_VARARGS, NULL},
                                  {"model_names", model_names, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

bool model_init(PyObject *module)
{
    model_type = (PyTypeObject *)PyType_FromSpec(&model_spec);
    chain_type = (PyTypeObject *)PyType_FromSpec(&chain_spec);
    return model_type && chain_type && PyModule_AddType(module, model_type) == 0 &&
           PyModule_AddType(module, chain_type) == 0 && PyModule_AddFunctions(module, functions) == 0;
}
