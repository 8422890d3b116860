/* add_scores(): the scores of one of several classifiers, weighed and added. */
#include "extension.h"

#include <string.h>

#include "core/block.h"
#include "core/model/fusion.h"
#include "core/try.h"

/* The call. */
typedef struct adding {
    array scores, out;
    sp_scores view;
    sp_prepare_options how;
    double weight;
    const char *name;
} adding;

static sp_status add(const adding *a, sp_error *err)
{
    const float *narrow;
    sp_status status = SP_OK;
    sp_block *block = sp_block_new();
    TRY(block ? SP_OK : sp_no_memory(err));
    TRY(sp_block_reserve(block, 1, a->view.n_steps, a->view.n_classes, a->view.dtype, SP_BLOCK_SCORES, err));
    memcpy(block->scores, a->view.data,
           (size_t)(a->view.n_steps * a->view.n_classes) * (size_t)a->view.dtype);
    block->offsets[0] = 0;
    block->offsets[1] = a->view.n_steps;
    block->file = a->name;
    TRY(sp_prepare(block, &a->how, NULL, NULL, err));
    TRY(sp_block_widen(block, &narrow, err));
    sp_fusion_add(a->weight, block->scores, NULL, a->view.n_steps, a->view.n_classes, a->out.data);
done:
    sp_block_free(block);
    return status;
}

PyObject *py_add_scores(PyObject *module, PyObject *args)
{
    PyObject *scores, *out, *done = NULL;
    int kind, n_classes, missing_uniform;
    adding a = {.how = sp_prepare_options_default()};
    (void)module;
    if (!PyArg_ParseTuple(args, "sOidipdO", &a.name, &scores, &kind, &a.weight, &n_classes, &missing_uniform,
                          &a.how.floor, &out))
        return NULL;
    a.how.missing_uniform = missing_uniform;
    bool is_taken = array_take_scores(scores, &a.scores, &a.view.dtype) &&
                    array_take(out, "out", FLOAT64, a.scores.count, true, &a.out) && a.out.data;
    if (is_taken && (n_classes < 1 || a.scores.count % n_classes != 0)) {
        PyErr_SetString(PyExc_ValueError, "scores [S,K] are needed");
        is_taken = false;
    }
    if (is_taken) {
        a.view.data = a.scores.data;
        a.view.n_classes = (int32_t)n_classes;
        a.view.n_steps = a.scores.count / n_classes;
    }
    if (is_taken && kind_from_scores(&a.view, kind, &a.how.kind)) {
        sp_status status;
        sp_error err;
        a.how.floor = a.how.kind == SP_KIND_SCORES ? 0 : a.how.floor;
        Py_BEGIN_ALLOW_THREADS;
        status = add(&a, &err);
        Py_END_ALLOW_THREADS;
        done = status == SP_OK ? PyLong_FromLong((long)a.how.kind) : raise_error(&err);
    }
    array_release(&a.scores);
    array_release(&a.out);
    return done;
}
