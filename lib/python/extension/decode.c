/* decode(): scores and rules to paths. Scores are taken in groups of recordings that stay in the cache between the check of their
 * numbers and their decoding; between groups a signal such as Ctrl-C is looked for. */
#include "request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/checked.h"

/* ---- one short recording ---- */

enum { SMALL_SCORES = 4096 };

/* decode_small(scores [T,K], chain, path int32 [T], kind) -> True: viterbi's path is written. False: this is no such case, or
 * there is no path; decode() says more. Never raises for what decode() can say better. */
PyObject *py_decode_small(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    (void)module;
    chain_object *chain = n == 4 ? chain_of(args[1]) : NULL;
    const long given = chain ? PyLong_AsLong(args[3]) : -1;
    array scores, path = {.data = NULL};
    sp_dtype dtype;
    if (!chain || (given < 0 && PyErr_Occurred()))
        return NULL;
    if (!array_take_scores(args[0], &scores, &dtype)) {
        PyErr_Clear();
        Py_RETURN_FALSE;
    }
    const int64_t K = chain->n_classes, T = scores.count / K;
    const bool is_rows = scores.view.ndim == 2 && scores.view.shape[1] == K;
    if (!is_rows || T < 1 || scores.count > SMALL_SCORES || !array_take(args[2], "path", INT32, T, true, &path)) {
        array_release(&scores);
        if (PyErr_Occurred())
            return NULL;
        Py_RETURN_FALSE;
    }
    context *c = context_take(1);
    sp_status status = SP_ENOMEM;
    if (c) {
        int64_t offsets[] = {0, T};
        sp_prepare_options how = sp_prepare_options_default();
        const sp_scores raw = {.data = scores.data, .dtype = dtype, .n_classes = (int32_t)K, .n_steps = T};
        bool is_ready = kind_from_scores(&raw, given, &how.kind);
        Py_BEGIN_ALLOW_THREADS;
        status = is_ready ? sp_block_reserve(c->block, 1, T, (int32_t)K, dtype, SP_BLOCK_SCORES, NULL) : SP_EDATA;
        if (status == SP_OK) {
            memcpy(c->block->scores, scores.data, (size_t)scores.view.len);
            memcpy(c->block->offsets, offsets, sizeof offsets);
            status = sp_prepare(c->block, &how, NULL, NULL, NULL);
        }
        if (status == SP_OK) {
            const sp_scores nats = sp_block_batch(c->block).scores;
            status = sp_viterbi(chain->chain, &nats, c->scratch, path.data, NULL, NULL);
        }
        Py_END_ALLOW_THREADS;
        context_give(c, false);
    }
    array_release(&path);
    array_release(&scores);
    PyErr_Clear();
    return PyBool_FromLong(status == SP_OK);
}

/* ---- any number of recordings ---- */

/* A job, with where the answers go: the members of the dictionary `outputs`. */
typedef struct decoding {
    request r;
    sp_decode_options how;
    array paths, scores, status, step, n_broken, broken, confidence, log_partition, margins, best_paths, best_scores, n_found;
    int32_t n_best;
    sp_decoded *results; /* [most recordings of a group] */
    int32_t *best;       /* [n_best, most steps of a group] */
} decoding;

static void decoding_release(request *job)
{
    decoding *a = (decoding *)job;
    array *const all[] = {&a->paths,      &a->scores,        &a->status,  &a->step,       &a->n_broken,    &a->broken,
                          &a->confidence, &a->log_partition, &a->margins, &a->best_paths, &a->best_scores, &a->n_found};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        array_release(all[i]);
    free(a->results);
    free(a->best);
}

static bool answers_take(PyObject *outputs, decoding *a)
{
    const int64_t N = a->r.n_recordings, S = a->r.n_steps;
    PyObject *n_best = PyDict_GetItemString(outputs, "n_best");
    a->n_best = n_best ? (int32_t)PyLong_AsLong(n_best) : 0;
    if (a->n_best < 0 || PyErr_Occurred())
        return false;
    if (!array_from(outputs, "paths", INT32, S, true, &a->paths) ||
        !array_from(outputs, "scores", FLOAT64, N, true, &a->scores) ||
        !array_from(outputs, "status", BYTES, N, true, &a->status) || !array_from(outputs, "step", INT64, N, true, &a->step) ||
        !array_from(outputs, "n_broken", INT64, N, true, &a->n_broken) ||
        !array_from(outputs, "broken", BYTES, S, true, &a->broken) ||
        !array_from(outputs, "confidence", FLOAT32, S, true, &a->confidence) ||
        !array_from(outputs, "log_partition", FLOAT64, N, true, &a->log_partition) ||
        !array_from(outputs, "margin", FLOAT64, N, true, &a->margins) ||
        !array_from(outputs, "best_paths", INT32, a->n_best * S, true, &a->best_paths) ||
        !array_from(outputs, "best_scores", FLOAT64, a->n_best * N, true, &a->best_scores) ||
        !array_from(outputs, "n_found", INT32, N, true, &a->n_found))
        return false;
    const bool has_all = a->paths.data && a->scores.data && a->status.data && a->step.data && a->n_broken.data &&
                         (a->n_best == 0 || (a->best_paths.data && a->best_scores.data));
    if (!has_all)
        PyErr_SetString(PyExc_TypeError, "an output array is missing");
    return has_all;
}

/* Item i of an array, or NULL where there is none. */
static void *item(const array *a, int64_t i, size_t size)
{
    return a->data ? (char *)a->data + (size_t)i * size : NULL;
}

static uint8_t status_number(sp_status status)
{
    return status == SP_OK ? 0 : status == SP_ENOPATH ? 1 : status == SP_EDEADEND ? 2 : 3;
}

/* The results of a group, to the arrays of all. */
static void put_results(const decoding *a, const group *g)
{
    for (int64_t n = 0; n < g->n_recordings; n++) {
        ((double *)a->scores.data)[g->first + n] = a->results[n].score;
        ((uint8_t *)a->status.data)[g->first + n] = status_number(a->results[n].status);
        ((int64_t *)a->step.data)[g->first + n] = a->results[n].step;
        ((int64_t *)a->n_broken.data)[g->first + n] = a->results[n].n_broken;
    }
    for (int32_t b = 0; b < a->n_best && g->n_steps > 0; b++)
        memcpy((int32_t *)a->best_paths.data + b * a->r.n_steps + g->first_step, a->best + b * g->n_steps,
               (size_t)g->n_steps * sizeof *a->best);
}

static sp_status decode_group(request *r, const group *g, sp_error *err)
{
    decoding *a = (decoding *)r;
    const sp_decode_output output = {
        .paths = item(&a->paths, g->first_step, sizeof(int32_t)),
        .results = a->results,
        .broken = item(&a->broken, g->first_step, 1),
        .confidence = item(&a->confidence, g->first_step, sizeof(float)),
        .log_partition = item(&a->log_partition, g->first, sizeof(double)),
        .margins = item(&a->margins, g->first, sizeof(double)),
        .n_best = a->n_best,
        .best_paths = a->best,
        .best_scores = item(&a->best_scores, g->first * a->n_best, sizeof(double)),
        .n_best_found = item(&a->n_found, g->first, sizeof(int32_t)),
    };
    const sp_batch batch = sp_block_batch(g->block);
    sp_workers *workers = r->context->workers;
    sp_status status = r->looks_along ? sp_decode_checked(r->chain->chain, g->block, r->how.kind, &a->how, workers, &output, err)
                                      : sp_decode_batch(r->chain->chain, &batch, &a->how, workers, &output, err);
    if (status == SP_OK)
        put_results(a, g);
    return status;
}

static bool options_from(PyObject *dict, sp_decode_options *out)
{
    PyObject *strategy = PyDict_GetItemString(dict, "strategy"), *relax = PyDict_GetItemString(dict, "relax");
    sp_error err;
    *out = sp_decode_options_default();
    out->relax = relax && PyObject_IsTrue(relax) == 1;
    if (!strategy)
        return true;
    const char *text = PyUnicode_AsUTF8AndSize(strategy, NULL);
    if (text && sp_strategy_parse(text, &out->strategy, &err) != SP_OK)
        raise_error(&err);
    return !PyErr_Occurred();
}

/* Room for a group's results. */
static bool reserve(decoding *a)
{
    a->results = malloc(((size_t)a->r.most_recordings + 1) * sizeof *a->results);
    a->best = malloc(((size_t)a->n_best * (size_t)a->r.most_steps + 1) * sizeof *a->best);
    return (a->results && a->best) || PyErr_NoMemory();
}

PyObject *py_decode(PyObject *module, PyObject *args)
{
    PyObject *chain, *inputs, *options, *outputs, *done = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!O!", &chain, &PyDict_Type, &inputs, &PyDict_Type, &options, &PyDict_Type, &outputs))
        return NULL;
    decoding *job = request_new(sizeof *job, decoding_release);
    if (!job)
        return NULL;
    job->r.looks_along = true;
    if (request_open(&job->r, chain, inputs, options) && options_from(options, &job->how) && answers_take(outputs, job) &&
        reserve(job) && request_run(&job->r, decode_group))
        done = request_counts(&job->r);
    request_close(&job->r);
    return done;
}
