#include "evaluation.h"

#include <string.h>

static bool fail(const char *what)
{
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, what);
    return false;
}

static int64_t integer_from(PyObject *dict, const char *name, int64_t usual)
{
    PyObject *value = PyDict_GetItemString(dict, name);
    return value ? PyLong_AsLongLong(value) : usual;
}

/* Offsets that ascend from 0: everything below relies on it. */
static bool check_offsets(const given *g)
{
    const int64_t *offsets = g->offsets.data;
    if (!offsets || g->offsets.count < 1 || offsets[0] != 0)
        return fail("offsets [N+1] from 0 are needed");
    for (int64_t n = 0; n + 1 < g->offsets.count; n++)
        if (offsets[n] > offsets[n + 1])
            return fail("offsets must ascend");
    return true;
}

static bool take_arrays(PyObject *inputs, int64_t K, given *g)
{
    PyObject *scores = PyDict_GetItemString(inputs, "scores");
    if (!array_from(inputs, "offsets", INT64, -1, false, &g->offsets) || !check_offsets(g))
        return false;
    const int64_t S = ((const int64_t *)g->offsets.data)[g->offsets.count - 1];
    if (scores && scores != Py_None && !array_take_scores(scores, &g->scores, &g->arrays.info.dtype))
        return false;
    if (g->scores.data && g->scores.count != S * K)
        return fail("scores [S,K] are needed");
    return array_from(inputs, "labels", INT32, S, false, &g->labels) &&
           array_from(inputs, "segments", INT64, S, false, &g->segments) &&
           array_from(inputs, "weights", FLOAT64, S, false, &g->weights) &&
           array_from(inputs, "mask", BYTES, S * K, false, &g->mask);
}

bool given_take(PyObject *inputs, given *g)
{
    memset(g, 0, sizeof *g);
    const int64_t K = integer_from(inputs, "n_classes", 0), kind = integer_from(inputs, "kind", 0);
    sp_source_info *info = &g->arrays.info;
    info->file = text_from(inputs, "name");
    info->dtype = SP_F64;
    if (PyErr_Occurred() || !info->file || K < 1 || K > INT32_MAX || kind < 0 || kind >= SP_N_KINDS)
        return fail("file, kind and n_classes are needed");
    if (!take_arrays(inputs, K, g))
        return false;
    const int64_t N = g->offsets.count - 1;
    if (!texts_take(PyDict_GetItemString(inputs, "ids"), "ids", N, &g->ids) ||
        !texts_take(PyDict_GetItemString(inputs, "classes"), "classes", K, &g->classes) ||
        !texts_take(PyDict_GetItemString(inputs, "subjects"), "subjects", N, &g->subjects))
        return false;
    if (!g->ids.items)
        return fail("ids are needed");
    info->kind = (sp_kind)kind;
    info->n_recordings = N;
    info->offsets = g->offsets.data;
    info->ids = g->ids.items;
    info->n_classes = (int32_t)K;
    info->classes = g->classes.items;
    g->arrays.scores = g->scores.data;
    g->arrays.labels = g->labels.data;
    g->arrays.segments = g->segments.data;
    g->arrays.weights = g->weights.data;
    g->arrays.mask = g->mask.data;
    g->arrays.subjects = g->subjects.items;
    g->recordings = sp_recordings_of_arrays(&g->arrays);
    return true;
}

void given_release(given *g)
{
    array *const all[] = {&g->scores, &g->offsets, &g->labels, &g->segments, &g->weights, &g->mask};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        array_release(all[i]);
    texts_release(&g->ids);
    texts_release(&g->classes);
    texts_release(&g->subjects);
}
