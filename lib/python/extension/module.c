/* statepath._core: the library for Python. statepath/_core.pyi says what each function takes. */
#include "extension.h"

static PyObject *version(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyUnicode_FromString(sp_version());
}

/* [(name, parameter or None, least, is_legal, summary, when)] of the table of strategies. */
static PyObject *strategies(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    PyObject *list = PyList_New(sp_strategy_count());
    for (int i = 0; list && i < sp_strategy_count(); i++) {
        const sp_strategy_info *about = sp_strategy_about(i);
        PyObject *row = Py_BuildValue("(zziOzz)", about->name, about->parameter, (int)about->least,
                                      about->is_legal ? Py_True : Py_False, about->summary, about->when);
        if (!row || PyList_SetItem(list, i, row) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* isa() -> name of the instruction set in use; isa(name) sets it. */
static PyObject *isa(PyObject *module, PyObject *args)
{
    const char *name = NULL;
    sp_isa set;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "|s", &name))
        return NULL;
    if (name && (sp_isa_parse(name, &set, &err) != SP_OK || sp_isa_set(set, &err) != SP_OK))
        return raise_error(&err);
    return PyUnicode_FromString(sp_isa_name(sp_isa_current()));
}

static PyMethodDef methods[] = {{"version", version, METH_NOARGS, NULL},
                                {"strategies", strategies, METH_NOARGS, NULL},
                                {"isa", isa, METH_VARARGS, NULL},
                                {"kind_of", py_kind_of, METH_O, NULL},
                                {"decode", py_decode, METH_VARARGS, NULL},
                                {"forward_backward", py_forward_backward, METH_VARARGS, NULL},
                                {"path_scores", py_path_scores, METH_VARARGS, NULL},
                                {"review", py_review, METH_VARARGS, NULL},
                                {"field", py_field, METH_VARARGS, NULL},
                                {"span_values", py_span_values, METH_VARARGS, NULL},
                                {"window_texts", py_window_texts, METH_VARARGS, NULL},
                                {"join_windows", py_join_windows, METH_VARARGS, NULL},
                                {"tag_entities", py_tag_entities, METH_VARARGS, NULL},
                                {"tag_scheme", py_tag_scheme, METH_O, NULL},
                                {"unscored_words", py_unscored_words, METH_VARARGS, NULL},
                                {"read_hypnogram", py_read_hypnogram, METH_VARARGS, NULL},
                                {"coded_labels", py_coded_labels, METH_VARARGS, NULL},
                                {"write_hypnogram", py_write_hypnogram, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "statepath._core", .m_size = -1,
                                 .m_methods = methods};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && errors_init(module) && model_init(module) && online_init(module) &&
        PyModule_AddFunctions(module, mask_methods) == 0)
        return module;
    Py_XDECREF(module);
    return NULL;
}
