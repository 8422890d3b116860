/* Masked softmax, masked logits, and leak. */
#include "request.h"

#include <stdlib.h>

/* ---- rows with a mask of their own ---- */

/* The arrays of a call on rows [n,K]. */
typedef struct rows {
    array logits, mask, out;
    sp_scores view;
} rows;

static void rows_release(rows *r)
{
    array_release(&r->logits);
    array_release(&r->mask);
    array_release(&r->out);
}

/* logits [n,K] and out, of one type. */
static bool rows_take(PyObject *logits, PyObject *out, rows *r)
{
    *r = (rows){.view = {.data = NULL}};
    if (!array_take_scores(logits, &r->logits, &r->view.dtype))
        return false;
    const bool is_table =
        r->logits.view.ndim == 2 && r->logits.view.shape[1] >= 1 && r->logits.view.shape[1] <= INT32_MAX;
    if (!is_table) {
        PyErr_SetString(PyExc_ValueError, "logits [n,K] are needed");
        return false;
    }
    r->view.data = r->logits.data;
    r->view.n_classes = (int32_t)r->logits.view.shape[1];
    r->view.n_steps = (int64_t)r->logits.view.shape[0];
    const bool is_taken =
        array_take(out, "out", r->view.dtype == SP_F32 ? FLOAT32 : FLOAT64, r->logits.count, true, &r->out);
    if (is_taken && !r->out.data)
        PyErr_SetString(PyExc_TypeError, "out is needed");
    return is_taken && r->out.data;
}

/* masked_softmax(logits [n,K], mask uint8 [n,K] or None, out, is_log) */
static PyObject *masked_softmax(PyObject *module, PyObject *args)
{
    PyObject *logits, *mask, *out;
    int is_log;
    rows r;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOp", &logits, &mask, &out, &is_log))
        return NULL;
    bool is_taken =
        rows_take(logits, out, &r) && array_take(mask, "mask", BYTES, r.logits.count, false, &r.mask);
    sp_status status = SP_OK;
    if (is_taken) {
        Py_BEGIN_ALLOW_THREADS;
        status = is_log
                     ? sp_masked_log_softmax(&r.view, r.mask.data, SP_SOFTMAX_MASK_LOGITS, r.out.data, &err)
                     : sp_masked_softmax(&r.view, r.mask.data, SP_SOFTMAX_MASK_LOGITS, r.out.data, &err);
        Py_END_ALLOW_THREADS;
    }
    rows_release(&r);
    if (status != SP_OK)
        return raise_error(&err);
    return is_taken ? Py_NewRef(Py_None) : NULL;
}

/* apply_logit_masking(logits [n,K], previous int32 [n], matrix uint8 [K,K], out) */
static PyObject *apply_logit_masking(PyObject *module, PyObject *args)
{
    PyObject *logits, *previous, *matrix, *out;
    array before = {.data = NULL};
    rows r;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOO", &logits, &previous, &matrix, &out))
        return NULL;
    bool is_taken =
        rows_take(logits, out, &r) &&
        array_take(matrix, "matrix", BYTES, (int64_t)r.view.n_classes * r.view.n_classes, false, &r.mask) &&
        array_take(previous, "previous", INT32, r.view.n_steps, false, &before);
    if (is_taken && (!r.mask.data || !before.data)) {
        PyErr_SetString(PyExc_TypeError, "previous and matrix are needed");
        is_taken = false;
    }
    sp_status status = SP_OK;
    if (is_taken) {
        Py_BEGIN_ALLOW_THREADS;
        status = sp_apply_logit_masking(&r.view, before.data, r.mask.data, r.out.data, &err);
        Py_END_ALLOW_THREADS;
    }
    array_release(&before);
    rows_release(&r);
    if (status != SP_OK)
        return raise_error(&err);
    return is_taken ? Py_NewRef(Py_None) : NULL;
}

/* ---- leak ---- */

typedef struct leaking {
    request r;
    array paths; /* int32 [S]: what the model forbids after the class before; none: what the mask forbids */
    array mask;  /* uint8 [S,K] */
    array leak;  /* out float64 [S] */
} leaking;

static void leaking_release(request *job)
{
    leaking *l = (leaking *)job;
    array_release(&l->paths);
    array_release(&l->mask);
    array_release(&l->leak);
}

static sp_status leak_group(request *r, const group *g, sp_error *err)
{
    const leaking *l = (const leaking *)r;
    const int32_t *paths = l->paths.data;
    const uint8_t *mask = l->mask.data;
    double *values = l->leak.data;
    const sp_batch batch = sp_block_batch(g->block);
    sp_status status = SP_OK;
    for (int64_t n = 0; status == SP_OK && n < g->n_recordings; n++) {
        const sp_scores scores = sp_batch_recording(&batch, n);
        const int64_t step = g->first_step + batch.offsets[n];
        status = paths ? sp_chain_leak(r->chain->chain, &scores, paths + step, values + step, err)
                       : sp_mask_leak(&scores, mask + step * r->chain->n_classes, values + step, err);
    }
    return status;
}

/* leak(chain, inputs, options, paths int32 [S] or None, mask uint8 [S,K] or None, leak float64 [S]) -> counts */
static PyObject *leak(PyObject *module, PyObject *args)
{
    PyObject *chain, *inputs, *options, *paths, *mask, *out, *done = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!OOO", &chain, &PyDict_Type, &inputs, &PyDict_Type, &options, &paths,
                          &mask, &out))
        return NULL;
    leaking *l = request_new(sizeof *l, leaking_release);
    if (!l)
        return NULL;
    bool is_taken = request_open(&l->r, chain, inputs, options) &&
                    array_take(paths, "paths", INT32, l->r.n_steps, false, &l->paths) &&
                    array_take(mask, "mask", BYTES, l->r.n_steps * l->r.chain->n_classes, false, &l->mask) &&
                    array_take(out, "leak", FLOAT64, l->r.n_steps, true, &l->leak);
    if (is_taken && (!l->leak.data || (!l->paths.data && !l->mask.data))) {
        PyErr_SetString(PyExc_TypeError, "paths or a mask, and an array for the leak, are needed");
        is_taken = false;
    }
    if (is_taken && request_run(&l->r, leak_group))
        done = request_counts(&l->r);
    request_close(&l->r);
    return done;
}

/* leak_summary(leak float64 [n], probabilities float64 [q], quantiles float64 [q]) -> (mean, maximum, row of the maximum, rows)
 */
static PyObject *leak_summary(PyObject *module, PyObject *args)
{
    PyObject *values, *probabilities, *quantiles;
    array l = {.data = NULL}, p = {.data = NULL}, q = {.data = NULL};
    sp_leak_summary s;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &values, &probabilities, &quantiles))
        return NULL;
    const bool is_taken = array_take(values, "leak", FLOAT64, -1, false, &l) &&
                          array_take(probabilities, "probabilities", FLOAT64, -1, false, &p) &&
                          array_take(quantiles, "quantiles", FLOAT64, p.count, true, &q);
    sp_status status = SP_OK;
    if (is_taken)
        status = sp_leak_summarise(l.data, l.count, p.data, (int32_t)p.count, q.data, &s, &err);
    array_release(&l);
    array_release(&p);
    array_release(&q);
    if (status != SP_OK)
        return raise_error(&err);
    return is_taken
               ? Py_BuildValue("(ddLL)", s.mean, s.maximum, (long long)s.maximum_row, (long long)s.n_rows)
               : NULL;
}

PyMethodDef mask_methods[] = {{"masked_softmax", masked_softmax, METH_VARARGS, NULL},
                              {"apply_logit_masking", apply_logit_masking, METH_VARARGS, NULL},
                              {"leak", leak, METH_VARARGS, NULL},
                              {"leak_summary", leak_summary, METH_VARARGS, NULL},
                              {NULL, NULL, 0, NULL}};
