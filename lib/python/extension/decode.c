/* decode(): scores and rules to paths. Scores are taken in groups of recordings that stay in the cache between the check of their
 * numbers and their decoding; between groups a signal such as Ctrl-C is looked for. */
#include "request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A job, with where the answers go: those that are given of the members of the dictionary `outputs`. */
typedef struct decoding {
    request r;
    sp_decode_options how;
    array paths, scores, status, step, n_broken, broken, confidence, log_partition, margins, best_paths,
        best_scores, n_found, draws;
    int32_t n_best, n_draws;
    uint64_t seed;
    sp_decoded *results; /* [most recordings of a group] */
    int32_t *best;       /* [n_best, most steps of a group] */
    int32_t *drawn;      /* [n_draws, most steps of a group] */
} decoding;

static void decoding_release(request *job)
{
    decoding *a = (decoding *)job;
    array *const all[] = {&a->paths,       &a->scores,     &a->status,        &a->step,    &a->n_broken,
                          &a->broken,      &a->confidence, &a->log_partition, &a->margins, &a->best_paths,
                          &a->best_scores, &a->n_found,    &a->draws};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        array_release(all[i]);
    free(a->results);
    free(a->best);
    free(a->drawn);
}

/* A number of paths; of NULL 0. False with an exception. */
static bool take_number(PyObject *number, int32_t *out)
{
    *out = number ? (int32_t)PyLong_AsLong(number) : 0;
    return *out >= 0 && !PyErr_Occurred();
}

static bool answers_take(PyObject *outputs, decoding *a)
{
    const int64_t N = a->r.n_recordings, S = a->r.n_steps;
    PyObject *seed = MEMBER(outputs, "seed");
    a->seed = seed ? PyLong_AsUnsignedLongLong(seed) : 0;
    if (PyErr_Occurred() || !take_number(MEMBER(outputs, "n_best"), &a->n_best) ||
        !take_number(MEMBER(outputs, "n_draws"), &a->n_draws))
        return false;
    if (!array_from(outputs, "paths", INT32, S, true, &a->paths) ||
        !array_from(outputs, "scores", FLOAT64, N, true, &a->scores) ||
        !array_from(outputs, "status", BYTES, N, true, &a->status) ||
        !array_from(outputs, "step", INT64, N, true, &a->step) ||
        !array_from(outputs, "n_broken", INT64, N, true, &a->n_broken) ||
        !array_from(outputs, "broken", BYTES, S, true, &a->broken) ||
        !array_from(outputs, "confidence", FLOAT32, S, true, &a->confidence) ||
        !array_from(outputs, "log_partition", FLOAT64, N, true, &a->log_partition) ||
        !array_from(outputs, "margin", FLOAT64, N, true, &a->margins) ||
        !array_from(outputs, "best_paths", INT32, a->n_best * S, true, &a->best_paths) ||
        !array_from(outputs, "best_scores", FLOAT64, a->n_best * N, true, &a->best_scores) ||
        !array_from(outputs, "n_found", INT32, N, true, &a->n_found) ||
        !array_from(outputs, "draws", INT32, a->n_draws * S, true, &a->draws))
        return false;
    const bool has_all = a->paths.data && (a->n_best == 0 || (a->best_paths.data && a->best_scores.data)) &&
                         (a->n_draws == 0 || a->draws.data);
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

/* Paths of a group, one after the other, to those of all recordings. */
static void put_paths(const decoding *a, const group *g, int32_t n, const int32_t *paths, const array *all)
{
    for (int32_t i = 0; i < n && g->n_steps > 0; i++)
        memcpy((int32_t *)all->data + i * a->r.n_steps + g->first_step, paths + i * g->n_steps,
               (size_t)g->n_steps * sizeof *paths);
}

/* The results of a group, to the arrays of all. */
static void put_results(decoding *a, const group *g)
{
    for (int64_t n = 0; n < g->n_recordings; n++) {
        const sp_decoded *result = &a->results[n];
        a->r.failed += result->status != SP_OK;
        if (a->scores.data)
            ((double *)a->scores.data)[g->first + n] = result->score;
        if (a->status.data)
            ((uint8_t *)a->status.data)[g->first + n] = status_number(result->status);
        if (a->step.data)
            ((int64_t *)a->step.data)[g->first + n] = result->step;
        if (a->n_broken.data)
            ((int64_t *)a->n_broken.data)[g->first + n] = result->n_broken;
    }
    put_paths(a, g, a->n_best, a->best, &a->best_paths);
    put_paths(a, g, a->n_draws, a->drawn, &a->draws);
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
        .draw = {.n = a->n_draws, .seed = a->seed, .recording = g->first},
        .draws = a->drawn,
    };
    const sp_batch batch = sp_block_batch(g->block);
    sp_workers *workers = r->context->workers;
    sp_status status =
        r->looks_along
            ? sp_decode_checked(r->chain->chain, g->block, r->how.kind, &a->how, workers, &output, err)
            : sp_decode_batch(r->chain->chain, &batch, &a->how, workers, &output, err);
    if (status == SP_OK)
        put_results(a, g);
    return status;
}

static bool options_from(PyObject *strategy, int relax, sp_decode_options *out)
{
    const char *text = PyUnicode_AsUTF8AndSize(strategy, NULL);
    sp_error err;
    *out = sp_decode_options_default();
    out->relax = relax;
    if (text && sp_strategy_parse(text, &out->strategy, &err) != SP_OK)
        raise_error(&err);
    return !PyErr_Occurred();
}

/* Room for a group's results. */
static bool reserve(decoding *a)
{
    a->results = malloc(((size_t)a->r.most_recordings + 1) * sizeof *a->results);
    a->best = malloc(((size_t)a->n_best * (size_t)a->r.most_steps + 1) * sizeof *a->best);
    a->drawn = malloc(((size_t)a->n_draws * (size_t)a->r.most_steps + 1) * sizeof *a->drawn);
    return (a->results && a->best && a->drawn) || PyErr_NoMemory();
}

PyObject *py_decode(PyObject *module, PyObject *args)
{
    PyObject *chain, *inputs, *options, *strategy, *outputs, *done = NULL;
    int relax;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!UpO!", &chain, &PyDict_Type, &inputs, &PyDict_Type, &options, &strategy,
                          &relax, &PyDict_Type, &outputs))
        return NULL;
    decoding *job = request_new(sizeof *job, decoding_release);
    if (!job)
        return NULL;
    job->r.looks_along = true;
    if (request_open(&job->r, chain, inputs, options) && options_from(strategy, relax, &job->how) &&
        answers_take(outputs, job) && reserve(job) && request_run(&job->r, decode_group))
        done = request_counts(&job->r);
    request_close(&job->r);
    return done;
}
