#include "request.h"

#include <string.h>
#include <time.h>

#include "core/prepare.h"
#include "core/rows/rows_form.h"

/* ---- kinds ---- */

bool kind_from_scores(const sp_scores *scores, long given, sp_kind *kind)
{
    char look[SP_ROWS_SENTENCE], mend[SP_ROWS_SENTENCE];
    sp_error err;
    int64_t t = 0;
    *kind = given >= 0 ? (sp_kind)given : SP_KIND_LOG_PROBS;
    if (given >= 0 || sp_rows_kind(scores, kind))
        return true;
    while (t < scores->n_steps && sp_row_form(scores, t) == SP_ROWS_SILENT)
        t++;
    if (t == scores->n_steps)
        return true;
    sp_rows_look(scores, look);
    sp_rows_mend(scores, t, true, mend);
    sp_fail(&err, SP_EDATA, "nothing says what the scores are, and %s: %s", look, mend);
    raise_error(&err);
    return false;
}

PyObject *py_kind_of(PyObject *module, PyObject *scores)
{
    array a;
    sp_scores raw = {.data = NULL};
    sp_kind kind = SP_KIND_LOG_PROBS;
    (void)module;
    if (!array_take_scores(scores, &a, &raw.dtype))
        return NULL;
    const bool is_table = a.view.ndim == 2 && a.view.shape[1] >= 1 && a.view.shape[1] <= INT32_MAX;
    if (is_table) {
        raw.data = a.data;
        raw.n_steps = (int64_t)a.view.shape[0];
        raw.n_classes = (int32_t)a.view.shape[1];
    } else {
        PyErr_SetString(PyExc_ValueError, "scores [n,K] are needed");
    }
    const bool is_found = is_table && kind_from_scores(&raw, -1, &kind);
    array_release(&a);
    return is_found ? PyLong_FromLong((long)kind) : NULL;
}

/* ---- opening ---- */

static double number_of(PyObject *value, double usual)
{
    return value && value != Py_None ? PyFloat_AsDouble(value) : usual;
}

static bool arrays_from(request *r, PyObject *inputs)
{
    const int64_t K = r->chain->n_classes;
    PyObject *scores = MEMBER(inputs, "scores");
    if (!scores || !array_take_scores(scores, &r->scores, &r->dtype) ||
        !array_from(inputs, "offsets", INT64, -1, false, &r->offsets))
        return false;
    r->n_steps = r->scores.count / K;
    r->n_recordings = r->offsets.count - 1;
    if (r->scores.count % K != 0 || r->scores.view.ndim != 2 ||
        (r->n_steps > 0 && r->scores.view.shape[1] != K) || r->n_recordings < 0) {
        PyErr_Format(PyExc_ValueError, "scores [S,%lld] and offsets [N+1] are needed", (long long)K);
        return false;
    }
    return array_from(inputs, "segments", INT64, r->n_steps, false, &r->segments) &&
           array_from(inputs, "mask", BYTES, r->n_steps * K, false, &r->mask) &&
           array_from(inputs, "labels", INT32, r->n_steps, false, &r->labels);
}

/* Offsets that ascend from 0 to S: everything below relies on it. */
static bool check_offsets(request *r)
{
    const int64_t *offsets = r->offsets.data, N = r->n_recordings;
    bool is_right = offsets[0] == 0 && offsets[N] == r->n_steps;
    for (int64_t n = 0; is_right && n < N; n++) {
        is_right = offsets[n] <= offsets[n + 1];
        const int64_t steps = is_right ? offsets[n + 1] - offsets[n] : 0;
        r->longest = steps > r->longest ? steps : r->longest;
    }
    if (!is_right)
        PyErr_Format(PyExc_ValueError, "offsets must ascend from 0 to the %lld steps", (long long)r->n_steps);
    return is_right;
}

/* Recordings from `first` on that make a group: as many as fit into the cache for each thread, at least one, and else a multiple
 * of what the widest kernel decodes side by side. Where work looks at the numbers itself the group is larger, but ends soon
 * enough for signals. */
enum { GROUP_SCORES = 1 << 18, LARGE_GROUP_SCORES = 1 << 24, SIDE_BY_SIDE = 32 };

static int64_t group_end(const request *r, int64_t first)
{
    const int64_t *offsets = r->offsets.data;
    const int64_t scores = r->looks_along ? LARGE_GROUP_SCORES : GROUP_SCORES;
    const int64_t steps = scores / r->chain->n_classes * sp_workers_count(r->context->workers);
    int64_t end = first + 1;
    while (end < r->n_recordings && offsets[end + 1] - offsets[first] <= steps)
        end++;
    const int64_t n = end - first;
    return end < r->n_recordings && n > SIDE_BY_SIDE ? end - n % SIDE_BY_SIDE : end;
}

static void measure_groups(request *r)
{
    const int64_t *offsets = r->offsets.data;
    for (int64_t first = 0, end; first < r->n_recordings; first = end) {
        end = group_end(r, first);
        const int64_t steps = offsets[end] - offsets[first];
        r->most_recordings = end - first > r->most_recordings ? end - first : r->most_recordings;
        r->most_steps = steps > r->most_steps ? steps : r->most_steps;
    }
}

/* The windows of the model under "windows", and the class of each column; both are borrowed from the dictionary, which must stay. */
static bool windows_from(PyObject *options, int32_t n_classes, sp_prepare_options *how)
{
    PyObject *object = MEMBER(options, "windows"), *classes = MEMBER(options, "class_of_column");
    if (!object || object == Py_None)
        return true;
    const sp_model *model = model_of_object(object);
    if (!model)
        return false;
    how->windows = model->windows;
    if (classes && classes != Py_None) {
        char *bytes;
        Py_ssize_t n;
        if (PyBytes_AsStringAndSize(classes, &bytes, &n) != 0)
            return false;
        if (n != (Py_ssize_t)n_classes * (Py_ssize_t)sizeof(int32_t)) {
            PyErr_SetString(PyExc_ValueError, "class_of_column: one number for each class");
            return false;
        }
        how->class_of_column = (const int32_t *)(const void *)bytes;
    }
    return true;
}

bool preparation_from(PyObject *options, int32_t n_classes, sp_prepare_options *how, array *log_prior)
{
    *how = sp_prepare_options_default();
    how->missing_uniform = MEMBER(options, "missing_uniform") == Py_True;
    how->floor = number_of(MEMBER(options, "floor"), 0);
    how->temperature = number_of(MEMBER(options, "temperature"), 1);
    how->prior_weight = number_of(MEMBER(options, "prior_weight"), 0);
    if (PyErr_Occurred() || !array_from(options, "log_prior", FLOAT64, n_classes, false, log_prior))
        return false;
    how->log_prior = log_prior->data;
    return windows_from(options, n_classes, how);
}

/* One recording that is decoded before another thread would have begun. */
static bool is_short(const request *r)
{
    enum { SHORT_WORK = 1 << 16 }; /* transitions */
    return r->n_recordings == 1 && (double)r->n_steps * r->chain->edges <= SHORT_WORK;
}

static bool options_from(request *r, PyObject *options)
{
    const double kind = number_of(MEMBER(options, "kind"), -1),
                 threads = number_of(MEMBER(options, "threads"), 0);
    const sp_scores raw = {
        .data = r->scores.data, .dtype = r->dtype, .n_classes = r->chain->n_classes, .n_steps = r->n_steps};
    const sp_prepare_options *how = &r->how;
    if (!preparation_from(options, r->chain->n_classes, &r->how, &r->log_prior) ||
        !threads_from((long)threads) || !kind_from_scores(&raw, (long)kind, &r->how.kind))
        return false;
    r->how.clamp = r->labels.data != NULL;
    r->is_changed = how->kind == SP_KIND_PROBS || how->kind == SP_KIND_LOGITS || how->missing_uniform ||
                    how->clamp || how->floor != 0 || how->temperature != 1 || how->prior_weight != 0 ||
                    how->windows || r->mask.data;
    r->looks_along = r->looks_along && !r->is_changed;
    r->context = context_take(is_short(r) ? 1 : (int)threads);
    return r->context != NULL;
}

void *request_new(size_t size, void (*release)(request *job))
{
    request *r = PyMem_Calloc(1, size);
    if (!r)
        return PyErr_NoMemory();
    r->release = release;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->has_ended, NULL);
    return r;
}

bool request_open(request *r, PyObject *chain, PyObject *inputs, PyObject *options)
{
    r->chain = chain_of(chain);
    if (!r->chain)
        return false;
    Py_INCREF(chain);
    r->options = Py_NewRef(options);
    if (!arrays_from(r, inputs) || !check_offsets(r) || !options_from(r, options))
        return false;
    measure_groups(r);
    return true;
}

static void request_free(request *r)
{
    /* What a long recording took is given back to the system. */
    enum { KEPT_WORK = 1 << 23 };
    const double at_once = (double)(r->looks_along ? r->longest : r->most_steps);
    const bool is_large = r->chain && at_once * (r->chain->edges + r->chain->n_classes) > KEPT_WORK;
    array *const all[] = {&r->scores, &r->offsets, &r->segments, &r->mask, &r->labels, &r->log_prior};
    r->release(r);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        array_release(all[i]);
    if (r->context)
        context_give(r->context, is_large);
    Py_XDECREF((PyObject *)r->chain);
    Py_XDECREF(r->options);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->has_ended);
    PyMem_Free(r);
}

void request_close(request *r)
{
    if (!r->is_abandoned)
        request_free(r);
}

/* ---- running ---- */

static void *item(const array *a, int64_t i, size_t size)
{
    return a->data ? (char *)a->data + (size_t)i * size : NULL;
}

static void copy_part(void *to, const array *from, int64_t first, int64_t n, size_t size)
{
    if (to && from->data && n > 0)
        memcpy(to, item(from, first, size), (size_t)n * size);
}

/* The group's scores as a block that may be changed: a copy, but where nothing changes them, or floats become doubles. */
static sp_status fill_block(request *r, group *g, sp_error *err)
{
    const int32_t K = r->chain->n_classes;
    const size_t row = (size_t)K * (size_t)r->dtype;
    sp_block *b = r->context->block;
    const bool is_copied = r->is_changed && !(r->dtype == SP_F32 && sp_prepare_widens(&r->how));
    const unsigned parts = is_copied ? SP_BLOCK_SCORES : 0;
    sp_status status = sp_block_reserve(b, g->n_recordings, g->n_steps, K, r->dtype, parts, err);
    if (status != SP_OK)
        return status;
    copy_part(b->scores, &r->scores, g->first_step, g->n_steps, row);
    /* Only read by sp_prepare() and the decoders, like scores that nothing changes. */
    b->scores = b->scores ? b->scores : item(&r->scores, g->first_step, row);
    b->segments = item(&r->segments, g->first_step, sizeof(int64_t));
    b->mask = item(&r->mask, g->first_step * K, 1);
    b->labels = item(&r->labels, g->first_step, sizeof(int32_t));
    b->first = g->first;
    const int64_t *offsets = (const int64_t *)r->offsets.data + g->first;
    for (int64_t n = 0; n <= g->n_recordings; n++)
        b->offsets[n] = offsets[n] - offsets[0];
    g->block = b;
    return SP_OK;
}

/* All groups, or those before a failure or a signal. */
static void run_groups(request *r)
{
    const int64_t *offsets = r->offsets.data;
    for (int64_t first = 0, end; r->status == SP_OK && !r->is_stopped && first < r->n_recordings;
         first = end) {
        end = group_end(r, first);
        group g = {.first = first,
                   .n_recordings = end - first,
                   .first_step = offsets[first],
                   .n_steps = offsets[end] - offsets[first]};
        r->status = fill_block(r, &g, &r->err);
        if (r->status == SP_OK && !r->looks_along)
            r->status = sp_prepare(g.block, &r->how, r->context->workers, &r->counts, &r->err);
        if (r->status == SP_OK)
            r->status = r->work(r, &g, &r->err);
    }
}

static void *run_thread(void *arg)
{
    request *r = arg;
    run_groups(r);
    pthread_mutex_lock(&r->lock);
    r->is_done = true;
    const bool is_abandoned = r->is_abandoned;
    pthread_cond_signal(&r->has_ended);
    pthread_mutex_unlock(&r->lock);
    if (is_abandoned) {
        const PyGILState_STATE state = PyGILState_Ensure();
        request_free(r);
        PyGILState_Release(state);
    }
    return NULL;
}

/* Waits for the end of the run for some milliseconds. */
static bool is_done_within(request *r, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!r->is_done && pthread_cond_timedwait(&r->has_ended, &r->lock, &until) == 0)
        ;
    return r->is_done;
}

/* Waits for the thread, and for signals; with the GIL. False: a signal has raised an exception. */
static bool watch(request *r, pthread_t thread)
{
    enum { LOOK = 50, GRACE = 200 };
    bool is_raised = false, is_done = false;
    while (!is_done && !is_raised) {
        Py_BEGIN_ALLOW_THREADS;
        pthread_mutex_lock(&r->lock);
        is_done = is_done_within(r, LOOK);
        pthread_mutex_unlock(&r->lock);
        Py_END_ALLOW_THREADS;
        is_raised = PyErr_CheckSignals() != 0;
    }
    r->is_stopped = is_raised;
    Py_BEGIN_ALLOW_THREADS;
    pthread_mutex_lock(&r->lock);
    is_done = is_done || is_done_within(r, GRACE);
    r->is_abandoned = !is_done;
    pthread_mutex_unlock(&r->lock);
    if (is_done)
        pthread_join(thread, NULL);
    else
        pthread_detach(thread);
    Py_END_ALLOW_THREADS;
    return !is_raised;
}

bool request_run(request *r, group_work *work)
{
    const double LONG_WORK = 1e8; /* transitions: a tenth of a second, about */
    pthread_t thread;
    bool is_right = true;
    r->work = work;
    if ((double)r->n_steps * (r->chain->edges + r->chain->n_classes) > LONG_WORK &&
        pthread_create(&thread, NULL, run_thread, r) == 0) {
        is_right = watch(r, thread);
    } else {
        Py_BEGIN_ALLOW_THREADS;
        run_groups(r);
        Py_END_ALLOW_THREADS;
    }
    if (is_right && r->status != SP_OK)
        raise_error(&r->err);
    return is_right && r->status == SP_OK;
}

PyObject *request_counts(const request *r)
{
    return Py_BuildValue("(iLLL)", (int)r->how.kind, (long long)r->failed, (long long)r->counts.floored,
                         (long long)r->counts.missing);
}
