/* field(): a random field whose weights come with the call, for statepath.torch. */
#include <stdlib.h>

#include "extension.h"

#include "statepath/field.h"

/* The arrays of a call. */
typedef struct field_arrays {
    array scores, first, length, move, start, end, targets, weight, along, value, fault, by_scores, by_move,
        by_start, by_end;
} field_arrays;

static void arrays_release(field_arrays *a)
{
    array *all = &a->scores;
    for (size_t i = 0; i < sizeof *a / sizeof *all; i++)
        array_release(&all[i]);
}

/* scores [rows,K], and what is as large. */
static bool scores_from(PyObject *inputs, PyObject *outputs, field_arrays *a, sp_field *f)
{
    PyObject *scores = MEMBER(inputs, "scores");
    if (!scores || !array_take_scores(scores, &a->scores, &f->dtype))
        return false;
    const array_type type = f->dtype == SP_F32 ? FLOAT32 : FLOAT64;
    if (a->scores.view.ndim < 1 || a->scores.view.shape[a->scores.view.ndim - 1] < 1 ||
        a->scores.view.shape[a->scores.view.ndim - 1] > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "scores [...,K] are needed");
        return false;
    }
    f->n_classes = (int32_t)a->scores.view.shape[a->scores.view.ndim - 1];
    return array_from(inputs, "along", type, a->scores.count, false, &a->along) &&
           array_from(inputs, "targets", INT64, a->scores.count / f->n_classes, false, &a->targets) &&
           array_from(outputs, "by_scores", type, a->scores.count, true, &a->by_scores);
}

static bool numbers_from(PyObject *inputs, PyObject *outputs, field_arrays *a, sp_field *f)
{
    const int64_t K = f->n_classes;
    if (!array_from(inputs, "first", INT64, -1, false, &a->first))
        return false;
    const int64_t N = f->n_recordings = a->first.count;
    return array_from(inputs, "length", INT64, N, false, &a->length) &&
           array_from(inputs, "move", FLOAT64, K * K, false, &a->move) &&
           array_from(inputs, "start", FLOAT64, K, false, &a->start) &&
           array_from(inputs, "end", FLOAT64, K, false, &a->end) &&
           array_from(inputs, "weight", FLOAT64, N, false, &a->weight) &&
           array_from(outputs, "value", FLOAT64, N, true, &a->value) &&
           array_from(outputs, "fault", INT64, 3 * N, true, &a->fault) &&
           array_from(outputs, "by_move", FLOAT64, K * K, true, &a->by_move) &&
           array_from(outputs, "by_start", FLOAT64, K, true, &a->by_start) &&
           array_from(outputs, "by_end", FLOAT64, K, true, &a->by_end);
}

/* All that is needed is there, and every step is a row. */
static bool check(const field_arrays *a, const sp_field *f)
{
    const int64_t rows = a->scores.count / f->n_classes;
    bool is_right = a->first.data && a->length.data && a->move.data && a->start.data && a->end.data &&
                    a->value.data && a->fault.data && f->stride >= 1 &&
                    !(a->along.data && (a->weight.data || a->targets.data)) &&
                    (!a->by_move.data || (a->by_start.data && a->by_end.data));
    for (int64_t n = 0; is_right && n < f->n_recordings; n++) {
        const int64_t first = ((const int64_t *)a->first.data)[n],
                      length = ((const int64_t *)a->length.data)[n];
        is_right = first >= 0 && length >= 0 &&
                   (length == 0 || (first < rows && length - 1 <= (rows - 1 - first) / f->stride));
    }
    if (!is_right)
        PyErr_SetString(PyExc_ValueError,
                        "an array is missing, or a step is not among the rows of the scores");
    return is_right;
}

/* Less than another thread would take to begin. */
static bool is_short(const field_arrays *a, const sp_field *f)
{
    enum { SHORT_WORK = 1 << 16 };
    return (double)a->scores.count * f->n_classes <= SHORT_WORK;
}

static sp_status run(const field_arrays *a, sp_field *f, context *c, sp_error *err)
{
    sp_status status;
    f->e = a->scores.data;
    f->first = a->first.data;
    f->length = a->length.data;
    f->move = a->move.data;
    f->start = a->start.data;
    f->end = a->end.data;
    f->targets = a->targets.data;
    f->weight = a->weight.data;
    f->along = a->along.data;
    f->value = a->value.data;
    f->fault = a->fault.data;
    f->by_e = a->by_scores.data;
    f->by_move = a->by_move.data;
    f->by_start = a->by_start.data;
    f->by_end = a->by_end.data;
    Py_BEGIN_ALLOW_THREADS;
    status = sp_field_run(f, c->workers, err);
    Py_END_ALLOW_THREADS;
    return status;
}

PyObject *py_field(PyObject *module, PyObject *args)
{
    enum { KEPT_NUMBERS = 1 << 23 };
    PyObject *inputs, *outputs;
    int is_plain, n_threads;
    long long stride;
    field_arrays a = {.scores = {.data = NULL}};
    sp_field f = {.n_classes = 0};
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!LiO!p", &PyDict_Type, &inputs, &stride, &n_threads, &PyDict_Type, &outputs,
                          &is_plain))
        return NULL;
    f.stride = stride;
    f.is_plain = is_plain;
    context *c = NULL;
    sp_status status = SP_OK;
    if (scores_from(inputs, outputs, &a, &f) && numbers_from(inputs, outputs, &a, &f) && check(&a, &f) &&
        threads_from(n_threads))
        c = context_take(is_short(&a, &f) ? 1 : n_threads);
    if (c) {
        status = run(&a, &f, c, &err);
        context_give(c, a.scores.count > KEPT_NUMBERS);
    }
    arrays_release(&a);
    if (status != SP_OK)
        return raise_error(&err);
    return c ? Py_NewRef(Py_None) : NULL;
}
