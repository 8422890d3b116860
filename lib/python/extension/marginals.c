/* forward_backward() and path_scores(): what the whole recording says about each step, and what a given path adds up to. */
#include <math.h>

#include "request.h"

/* A job: each recording of a group alone, on the threads of the context. */
typedef struct passes {
    request r;
    array marginals;     /* [S,K], or none */
    array log_partition; /* [N], or none */
    array paths;         /* [S], or none: then the two above */
    array scores;        /* [N] of the paths */
    const group *g;
    atomic_int failed; /* an sp_status that is not about the recording */
} passes;

static void passes_release(request *job)
{
    passes *p = (passes *)job;
    array_release(&p->marginals);
    array_release(&p->log_partition);
    array_release(&p->paths);
    array_release(&p->scores);
}

/* No allowed path: log Z is -inf, the marginals NaN. */
static void put_nothing(const passes *p, int64_t n, int64_t first_step, int64_t n_steps)
{
    const int64_t K = p->r.chain->n_classes;
    double *marginals = p->marginals.data, *log_partition = p->log_partition.data;
    if (log_partition)
        log_partition[n] = -INFINITY;
    for (int64_t i = 0; marginals && i < n_steps * K; i++)
        marginals[first_step * K + i] = NAN;
}

static void run(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    passes *p = arg;
    const sp_chain *chain = p->r.chain->chain;
    const int64_t K = p->r.chain->n_classes;
    const sp_batch batch = sp_block_batch(p->g->block);
    const int32_t *paths = p->paths.data;
    double *marginals = p->marginals.data, *log_partition = p->log_partition.data,
           *path_scores = p->scores.data;
    for (int64_t i = first; i < last && !p->failed; i++) {
        const sp_scores scores = sp_batch_recording(&batch, i);
        const int64_t n = p->g->first + i, step = p->g->first_step + batch.offsets[i];
        sp_status status = SP_OK;
        if (paths)
            status = sp_path_score(chain, &scores, paths + step, &path_scores[n], NULL);
        else
            status = sp_forward_backward(chain, &scores, scratch, marginals ? marginals + step * K : NULL,
                                         log_partition ? &log_partition[n] : NULL, NULL);
        if (status == SP_ENOPATH)
            put_nothing(p, n, step, scores.n_steps);
        else if (status != SP_OK)
            p->failed = (int)status;
    }
}

static sp_status run_group(request *r, const group *g, sp_error *err)
{
    passes *p = (passes *)r;
    p->g = g;
    sp_workers_share(r->context->workers, g->n_recordings, run, p);
    return p->failed == SP_OK       ? SP_OK
           : p->failed == SP_ENOMEM ? sp_no_memory(err)
                                    : sp_fail(err, SP_EINVAL, "the path names a class that does not exist");
}

PyObject *py_forward_backward(PyObject *module, PyObject *args)
{
    PyObject *chain, *inputs, *options, *marginals, *log_partition, *done = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!OO", &chain, &PyDict_Type, &inputs, &PyDict_Type, &options, &marginals,
                          &log_partition))
        return NULL;
    passes *p = request_new(sizeof *p, passes_release);
    if (!p)
        return NULL;
    if (request_open(&p->r, chain, inputs, options) &&
        array_take(marginals, "marginals", FLOAT64, p->r.n_steps * p->r.chain->n_classes, true,
                   &p->marginals) &&
        array_take(log_partition, "log_partition", FLOAT64, p->r.n_recordings, true, &p->log_partition) &&
        request_run(&p->r, run_group))
        done = request_counts(&p->r);
    request_close(&p->r);
    return done;
}

PyObject *py_path_scores(PyObject *module, PyObject *args)
{
    PyObject *chain, *inputs, *options, *paths, *scores, *done = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!OO", &chain, &PyDict_Type, &inputs, &PyDict_Type, &options, &paths,
                          &scores))
        return NULL;
    passes *p = request_new(sizeof *p, passes_release);
    if (!p)
        return NULL;
    bool is_taken = request_open(&p->r, chain, inputs, options) &&
                    array_take(paths, "paths", INT32, p->r.n_steps, false, &p->paths) &&
                    array_take(scores, "path scores", FLOAT64, p->r.n_recordings, true, &p->scores);
    if (is_taken && (!p->paths.data || !p->scores.data)) {
        PyErr_SetString(PyExc_TypeError, "paths and an array for their scores are needed");
        is_taken = false;
    }
    if (is_taken && request_run(&p->r, run_group))
        done = request_counts(&p->r);
    request_close(&p->r);
    return done;
}
