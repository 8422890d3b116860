/* Hypnograms in files, for statepath.sleep. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

#include "io/events/hypnogram.h"
#include "sleep/label_coding_new.h"
#include "sleep/label_coding_use.h"
#include "sleep/stages.h"

static const char one_class[] = "a label here is one; fit() takes boolean labels [T,K] of several";

PyObject *py_read_hypnogram(PyObject *module, PyObject *args)
{
    PyObject *file, *given, *out = NULL;
    const char *preset, *map;
    double epoch_seconds;
    sp_codes *codes = NULL;
    sp_hypnogram h = {.labels = NULL};
    sp_status status = SP_OK;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&Ozzd", PyUnicode_FSConverter, &file, &given, &preset, &map,
                          &epoch_seconds))
        return NULL;
    const sp_model *model = model_of_object(given);
    const char *name = model ? PyBytes_AsString(file) : NULL;
    if (name) {
        Py_BEGIN_ALLOW_THREADS;
        if (preset || map)
            status = sp_label_coding_new(preset, map, map, model, &codes, &err);
        if (status == SP_OK && codes)
            status = sp_codes_refuse_sets(codes, one_class, &err);
        if (status == SP_OK)
            status = sp_hypnogram_read(name, model, codes, epoch_seconds, &h, &err);
        Py_END_ALLOW_THREADS;
        if (status == SP_OK)
            out = Py_BuildValue("(y#dN)", (const char *)h.labels,
                                (Py_ssize_t)h.n_steps * (Py_ssize_t)sizeof *h.labels, h.epoch_seconds,
                                PyUnicode_DecodeUTF8(h.remark, (Py_ssize_t)strlen(h.remark), "replace"));
        else
            raise_error(&err);
    }
    sp_codes_free(codes);
    free(h.labels);
    Py_DECREF(file);
    return out;
}

PyObject *py_coded_labels(PyObject *module, PyObject *args)
{
    PyObject *texts, *given, *list, *out = NULL;
    const char *preset, *map;
    sp_codes *codes = NULL;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOzz", &texts, &given, &preset, &map))
        return NULL;
    const sp_model *model = model_of_object(given);
    int32_t n = 0;
    const char **items = model ? strings(texts, &list, &n) : NULL;
    if (!items)
        return NULL;
    if (sp_label_coding_new(preset, map, map, model, &codes, &err) != SP_OK ||
        sp_codes_refuse_sets(codes, one_class, &err) != SP_OK)
        raise_error(&err);
    else
        out = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n * (Py_ssize_t)sizeof(int32_t));
    int32_t *labels = out ? (int32_t *)(void *)PyBytes_AsString(out) : NULL;
    for (int32_t i = 0; labels && i < n; i++)
        labels[i] = sp_codes_text(codes, items[i]);
    sp_codes_free(codes);
    free(items);
    Py_DECREF(list);
    return out;
}

PyObject *py_write_hypnogram(PyObject *module, PyObject *args)
{
    PyObject *file, *labels, *names, *list;
    double epoch_seconds;
    int force;
    array path;
    sp_error err;
    sp_status status = SP_OK;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&OOdp", PyUnicode_FSConverter, &file, &labels, &names, &epoch_seconds,
                          &force))
        return NULL;
    int32_t n_classes = 0;
    const char **classes = strings(names, &list, &n_classes);
    const bool is_taken = classes && array_take(labels, "labels", INT32, -1, false, &path);
    if (is_taken && !path.data)
        PyErr_SetString(PyExc_TypeError, "labels are needed");
    if (is_taken && path.data) {
        const sp_event_night night = {path.count, path.data, n_classes, classes, epoch_seconds};
        const char *name = PyBytes_AsString(file);
        for (int64_t t = 0; status == SP_OK && t < night.n_steps; t++)
            if (night.labels[t] < -1 || night.labels[t] >= n_classes)
                status = sp_fail(&err, SP_EINVAL, "step %lld: %d is none of the %d classes, and not -1",
                                 (long long)t, (int)night.labels[t], (int)n_classes);
        Py_BEGIN_ALLOW_THREADS;
        if (status == SP_OK)
            status = sp_hypnogram_write(name, &night, force, &err);
        Py_END_ALLOW_THREADS;
        if (status != SP_OK)
            raise_error(&err);
    }
    if (is_taken)
        array_release(&path);
    if (classes) {
        free(classes);
        Py_DECREF(list);
    }
    Py_DECREF(file);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

PyObject *py_unscored_words(PyObject *module, PyObject *args)
{
    PyObject *words, *classes, *list = NULL, *names = NULL, *out = NULL;
    int32_t n = 0, n_classes = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &words, &classes))
        return NULL;
    const char **items = strings(words, &list, &n),
               **of = items ? strings(classes, &names, &n_classes) : NULL;
    out = of ? PyList_New(0) : NULL;
    const bool is_sleep = out && sp_classes_are_stages(n_classes, of);
    for (int32_t i = 0; out && is_sleep && i < n; i++)
        if (sp_is_unscored_word(items[i]) && PyList_Append(out, PyList_GetItem(list, i)) != 0)
            Py_CLEAR(out);
    free(items);
    free(of);
    Py_XDECREF(list);
    Py_XDECREF(names);
    return out;
}
