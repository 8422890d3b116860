/* statepath._evaluation: comparing, evaluating, fitting. statepath/_evaluation.pyi says what each function takes. */
#include "evaluation.h"

static PyMethodDef methods[] = {{"compare", py_compare, METH_VARARGS, NULL},
                                {"evaluate", py_evaluate, METH_VARARGS, NULL},
                                {"fit", py_fit, METH_VARARGS, NULL},
                                {"judge", py_judge, METH_VARARGS, NULL},
#ifdef STATEPATH_PYTHON_FILES
                                {"read_files", py_read_files, METH_VARARGS, NULL},
#endif
                                {NULL, NULL, 0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "statepath._evaluation", .m_size = -1,
                                 .m_methods = methods};

PyMODINIT_FUNC PyInit__evaluation(void);
PyMODINIT_FUNC PyInit__evaluation(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && errors_init(module) && comparison_init(module))
        return module;
    Py_XDECREF(module);
    return NULL;
}
