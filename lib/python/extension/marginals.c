/* forward_backward() and path_scores(): what the whole recording says about each step, and what a given path adds up to. */
#include "request.h"

#include <math.h>
#include <stdatomic.h>

/* Each recording of a group alone, on the threads of the context. */
typedef struct shared {
    const request *r;
    const group *g;
    double *marginals;     /* [S,K] or NULL */
    double *log_partition; /* [N] or NULL */
    const int32_t *paths;  /* [S] or NULL */
    double *scores;        /* [N] of the paths */
    atomic_int failed;     /* an sp_status that is not about the recording */
} shared;

/* No allowed path: log Z is -inf, the marginals NaN. */
static void put_nothing(const shared *s, int64_t n, int64_t first_step, int64_t n_steps)
{
    const int64_t K = s->r->chain->n_classes;
    if (s->log_partition)
        s->log_partition[n] = -INFINITY;
    for (int64_t i = 0; s->marginals && i < n_steps * K; i++)
        s->marginals[first_step * K + i] = NAN;
}

static void run(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    shared *s = arg;
    const sp_chain *chain = s->r->chain->chain;
    const int64_t K = s->r->chain->n_classes;
    const sp_batch batch = sp_block_batch(s->g->block);
    for (int64_t i = first; i < last && !s->failed; i++) {
        const sp_scores scores = sp_batch_recording(&batch, i);
        const int64_t n = s->g->first + i, step = s->g->first_step + batch.offsets[i];
        sp_status status = SP_OK;
        if (s->paths)
            status = sp_path_score(chain, &scores, s->paths + step, &s->scores[n], NULL);
        else
            status = sp_forward_backward(chain, &scores, scratch, s->marginals ? s->marginals + step * K : NULL,
                                         s->log_partition ? &s->log_partition[n] : NULL, NULL);
        if (status == SP_ENOPATH)
            put_nothing(s, n, step, scores.n_steps);
        else if (status != SP_OK)
            s->failed = (int)status;
    }
}

static sp_status run_group(void *arg, const request *r, const group *g, sp_error *err)
{
    shared *s = arg;
    s->r = r;
    s->g = g;
    sp_workers_share(r->context->workers, g->n_recordings, run, s);
    return s->failed == SP_OK       ? SP_OK
           : s->failed == SP_ENOMEM ? sp_no_memory(err)
                                    : sp_fail(err, SP_EINVAL, "the path names a class that does not exist");
}

/* forward_backward(chain, inputs, options, marginals float64 [S,K] or None, log_partition float64 [N] or None) -> counts.
 * Recordings without an allowed path get NaN and -inf. */
PyObject *py_forward_backward(PyObject *module, PyObject *args)
{
    PyObject *chain, *inputs, *options, *marginals, *log_partition, *done = NULL;
    array m = {.data = NULL}, z = {.data = NULL};
    request r;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!OO", &chain, &PyDict_Type, &inputs, &PyDict_Type, &options, &marginals, &log_partition))
        return NULL;
    if (request_open(&r, chain, inputs, options) &&
        array_take(marginals, "marginals", FLOAT64, r.n_steps * r.chain->n_classes, true, &m) &&
        array_take(log_partition, "log_partition", FLOAT64, r.n_recordings, true, &z)) {
        shared s = {.marginals = m.data, .log_partition = z.data};
        done = request_run(&r, run_group, &s) ? request_counts(&r) : NULL;
    }
    array_release(&m);
    array_release(&z);
    request_close(&r);
    return done;
}

/* path_scores(chain, inputs, options, paths int32 [S], scores float64 [N]) -> counts. */
PyObject *py_path_scores(PyObject *module, PyObject *args)
{
    PyObject *chain, *inputs, *options, *paths, *scores, *done = NULL;
    array p = {.data = NULL}, out = {.data = NULL};
    request r;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!OO", &chain, &PyDict_Type, &inputs, &PyDict_Type, &options, &paths, &scores))
        return NULL;
    if (request_open(&r, chain, inputs, options) && array_take(paths, "paths", INT32, r.n_steps, false, &p) &&
        array_take(scores, "path scores", FLOAT64, r.n_recordings, true, &out)) {
        if (p.data && out.data) {
            shared s = {.paths = p.data, .scores = out.data};
            done = request_run(&r, run_group, &s) ? request_counts(&r) : NULL;
        } else {
            PyErr_SetString(PyExc_TypeError, "paths and an array for their scores are needed");
        }
    }
    array_release(&p);
    array_release(&out);
    request_close(&r);
    return done;
}
