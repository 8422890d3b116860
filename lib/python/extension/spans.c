/* span_values(), window_texts() and join_windows(): entities of decoded tags, and windows of long texts. */
#include <math.h>
#include <stdlib.h>

#include "core/try.h"
#include "request.h"
#include "statepath/advanced.h"
#include "tags/join.h"
#include "tags/tags.h"

/* ---- entities ---- */

/* A job: each recording of a group alone, on the threads of the context. */
typedef struct span_job {
    request r;
    array paths, last, type, score, posterior; /* [S] */
    sp_tag *tags;                              /* [K] */
    const group *g;
    atomic_int failed; /* an sp_status */
} span_job;

static void span_job_release(request *job)
{
    span_job *s = (span_job *)job;
    enum { N_ARRAYS = 5 };
    array *const all[N_ARRAYS] = {&s->paths, &s->last, &s->type, &s->score, &s->posterior};
    for (int i = 0; i < N_ARRAYS; i++)
        array_release(all[i]);
    free(s->tags);
}

static bool reads(const void *tags, int32_t type, sp_span_pair pair, int32_t before, int32_t now)
{
    return (pair == SP_SPAN_BEGINS ? sp_tagged_begins
            : pair == SP_SPAN_ENDS ? sp_tagged_ends
                                   : sp_tagged_goes_on)(tags, type, before, now);
}

/* The entities of one recording, whose values begin at step `at` of all. */
static sp_status value_spans(const span_job *s, const sp_scores *scores, int64_t at, sp_scratch *scratch)
{
    const int32_t *path = (const int32_t *)s->paths.data + at;
    const size_t T = (size_t)scores->n_steps;
    sp_tagged_span *found = malloc((T + 1) * sizeof *found);
    sp_span_place *places = malloc((T + 1) * sizeof *places);
    double *posteriors = malloc((T + 1) * sizeof *posteriors);
    sp_status status = found && places && posteriors ? SP_OK : SP_ENOMEM;
    int64_t n = 0;
    if (status == SP_OK) {
        n = sp_tagged_spans(s->tags, scores->n_steps, path, scores->segments, found);
        for (int64_t i = 0; i < n; i++) {
            places[i] = (sp_span_place){found[i].first, found[i].last, found[i].type};
            posteriors[i] = NAN;
        }
        status = sp_span_posteriors(s->r.chain->chain, scores, scratch, reads, s->tags, n, places, posteriors,
                                    NULL);
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = at + found[i].first;
        double score = 0;
        for (int64_t t = found[i].first; t <= found[i].last; t++)
            score += sp_scores_at(scores, t, path[t]);
        ((int64_t *)s->last.data)[first] = found[i].last;
        ((int32_t *)s->type.data)[first] = found[i].type;
        ((double *)s->score.data)[first] = score;
        ((double *)s->posterior.data)[first] = posteriors[i];
    }
    free(found);
    free(places);
    free(posteriors);
    return status == SP_ENOPATH ? SP_OK : status;
}

static void run(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    span_job *s = arg;
    const sp_batch batch = sp_block_batch(s->g->block);
    for (int64_t i = first; i < last && !s->failed; i++) {
        const sp_scores scores = sp_batch_recording(&batch, i);
        const sp_status status = value_spans(s, &scores, s->g->first_step + batch.offsets[i], scratch);
        if (status != SP_OK)
            s->failed = (int)status;
    }
}

static sp_status run_group(request *r, const group *g, sp_error *err)
{
    span_job *s = (span_job *)r;
    s->g = g;
    sp_workers_share(r->context->workers, g->n_recordings, run, s);
    return s->failed == SP_OK ? SP_OK : sp_no_memory(err);
}

/* Of the columns' names; of classes of which `runs` are asked for each is a type of its own. False with an exception. */
static bool take_tags(span_job *s, PyObject *classes, bool are_runs)
{
    PyObject *list = NULL;
    int32_t n = 0;
    bool are_tags = false;
    sp_error err;
    const char **names = strings(classes, &list, &n);
    if (!names)
        return false;
    s->tags = malloc(((size_t)n + 1) * sizeof *s->tags);
    const bool is_whole = s->tags && sp_tags_read(n, names, s->tags, &are_tags, &err) == SP_OK;
    free(names);
    Py_XDECREF(list);
    if (is_whole && are_runs) {
        sp_tags_of_runs(n, s->tags);
        are_tags = true;
    }
    if (!is_whole)
        PyErr_NoMemory();
    else if (!are_tags || n != s->r.chain->n_classes)
        PyErr_SetString(PyExc_ValueError, "the classes are no tags of entities, such as O, B-PER and I-PER");
    return is_whole && are_tags && n == s->r.chain->n_classes;
}

static bool are_paths(const span_job *s)
{
    const int32_t *path = s->paths.data;
    for (int64_t t = 0; t < s->r.n_steps; t++)
        if (path[t] < -1 || path[t] >= s->r.chain->n_classes) {
            PyErr_SetString(PyExc_ValueError, "the path names a class that does not exist");
            return false;
        }
    int64_t *last = s->last.data;
    for (int64_t t = 0; t < s->r.n_steps; t++)
        last[t] = -1;
    return true;
}

PyObject *py_span_values(PyObject *module, PyObject *args)
{
    PyObject *chain, *inputs, *options, *classes, *paths, *last, *type, *score, *posterior, *done = NULL;
    int are_runs;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!OpOOOOO", &chain, &PyDict_Type, &inputs, &PyDict_Type, &options,
                          &classes, &are_runs, &paths, &last, &type, &score, &posterior))
        return NULL;
    span_job *s = request_new(sizeof *s, span_job_release);
    if (!s)
        return NULL;
    if (request_open(&s->r, chain, inputs, options) && take_tags(s, classes, are_runs) &&
        array_take(paths, "paths", INT32, s->r.n_steps, false, &s->paths) &&
        array_take(last, "last", INT64, s->r.n_steps, true, &s->last) &&
        array_take(type, "type", INT32, s->r.n_steps, true, &s->type) &&
        array_take(score, "score", FLOAT64, s->r.n_steps, true, &s->score) &&
        array_take(posterior, "posterior", FLOAT64, s->r.n_steps, true, &s->posterior) && are_paths(s) &&
        request_run(&s->r, run_group))
        done = request_counts(&s->r);
    request_close(&s->r);
    return done;
}

/* ---- windows ---- */

static PyObject *list_of(const int64_t *values, int64_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *one = PyLong_FromLongLong(values[i]);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) != 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *py_window_texts(PyObject *module, PyObject *args)
{
    PyObject *given_offsets, *given_starts, *given_texts, *done = NULL;
    array offsets = {.data = NULL}, starts = {.data = NULL}, texts = {.data = NULL};
    sp_joined_texts found = {.n = 0};
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &given_offsets, &given_starts, &given_texts))
        return NULL;
    if (array_take(given_starts, "starts", INT64, -1, false, &starts) &&
        array_take(given_offsets, "offsets", INT64, starts.count + 1, false, &offsets) &&
        array_take(given_texts, "texts", INT64, starts.count, false, &texts)) {
        if (sp_joined_texts_find(starts.count, offsets.data, starts.data, texts.data, "scores", NULL, &found,
                                 &err) != SP_OK) {
            raise_error(&err);
        } else {
            PyObject *first = list_of(found.first, found.n + 1), *steps = list_of(found.offsets, found.n + 1);
            done = first && steps ? PyTuple_Pack(2, first, steps) : NULL;
            Py_XDECREF(first);
            Py_XDECREF(steps);
        }
    }
    sp_joined_texts_clear(&found);
    array_release(&offsets);
    array_release(&starts);
    array_release(&texts);
    return done;
}

/* What the Python code has made: offsets [N+1] of S rows, first [n+1] of N, text_offsets [n+1] of T. */
typedef struct join_job {
    array scores, offsets, starts, first, text_offsets, out;
    sp_dtype dtype;
    int64_t n_windows, n_texts, n_steps;
    int32_t n_classes;
    sp_join how;
    sp_prepare_options read;
} join_job;

static bool ascends(const array *a, int64_t n, int64_t end)
{
    const int64_t *x = a->data;
    bool is_fine = x[0] == 0 && x[n] == end;
    for (int64_t i = 0; i < n; i++)
        is_fine = is_fine && x[i] <= x[i + 1];
    return is_fine;
}

static sp_status join(const join_job *j, sp_error *err)
{
    const int64_t *offsets = j->offsets.data, *starts = j->starts.data, *first = j->first.data,
                  *steps = j->text_offsets.data;
    const size_t K = (size_t)j->n_classes;
    double *out = j->out.data;
    sp_status status = SP_OK;
    sp_block *window = sp_block_new();
    int64_t *seen = calloc((size_t)j->n_steps + 1, sizeof *seen);
    TRY(window && seen ? SP_OK : sp_no_memory(err));
    for (size_t i = 0; i < (size_t)j->n_steps * K; i++)
        out[i] = 0;
    for (int64_t n = 0; n < j->n_texts; n++) {
        const int64_t T = steps[n + 1] - steps[n];
        for (int64_t w = first[n]; w < first[n + 1]; w++) {
            TRY(sp_block_reserve(window, 1, offsets[w + 1] - offsets[w], j->n_classes, j->dtype, 0, err));
            window->scores = (char *)j->scores.data + (size_t)offsets[w] * K * (size_t)j->dtype;
            window->offsets[0] = 0;
            window->offsets[1] = window->n_steps;
            window->first = w;
            TRY(sp_join_add(j->how, window, &j->read, starts[w], T, out + (size_t)steps[n] * K,
                            seen + steps[n], err));
        }
        sp_join_end(j->how, j->read.kind, T, j->n_classes, out + (size_t)steps[n] * K, seen + steps[n]);
    }
done:
    sp_block_free(window);
    free(seen);
    return status;
}

PyObject *py_join_windows(PyObject *module, PyObject *args)
{
    PyObject *scores, *offsets, *starts, *first, *text_offsets, *out, *done = NULL;
    int is_mean, kind, missing_uniform;
    join_job j = {.dtype = SP_F64};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOpipO", &scores, &offsets, &starts, &first, &text_offsets, &is_mean,
                          &kind, &missing_uniform, &out))
        return NULL;
    bool is_taken = array_take_scores(scores, &j.scores, &j.dtype) &&
                    array_take(starts, "starts", INT64, -1, false, &j.starts) &&
                    array_take(offsets, "offsets", INT64, j.starts.count + 1, false, &j.offsets) &&
                    array_take(first, "first", INT64, -1, false, &j.first) && j.first.count > 0 &&
                    array_take(text_offsets, "text_offsets", INT64, j.first.count, false, &j.text_offsets) &&
                    array_take(out, "out", FLOAT64, -1, true, &j.out);
    if (is_taken) {
        j.n_windows = j.starts.count;
        j.n_texts = j.first.count - 1;
        const int64_t S = ((const int64_t *)j.offsets.data)[j.n_windows];
        j.n_steps = ((const int64_t *)j.text_offsets.data)[j.n_texts];
        j.n_classes = S > 0 ? (int32_t)(j.scores.count / S) : 1;
        j.how = is_mean ? SP_JOIN_MEAN : SP_JOIN_MIDDLE;
        j.read = sp_prepare_options_default();
        j.read.missing_uniform = missing_uniform;
        is_taken = S >= 0 && ascends(&j.offsets, j.n_windows, S) &&
                   ascends(&j.first, j.n_texts, j.n_windows) &&
                   ascends(&j.text_offsets, j.n_texts, j.n_steps) && j.scores.count == S * j.n_classes &&
                   j.out.count == j.n_steps * j.n_classes;
    }
    if (!is_taken && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "windows and texts do not fit the arrays");
    const sp_scores raw = {.data = j.scores.data,
                           .dtype = j.dtype,
                           .n_classes = j.n_classes,
                           .n_steps = is_taken ? j.scores.count / j.n_classes : 0};
    if (is_taken && kind_from_scores(&raw, kind, &j.read.kind)) {
        sp_status status;
        sp_error err;
        Py_BEGIN_ALLOW_THREADS status = join(&j, &err);
        Py_END_ALLOW_THREADS done =
            status == SP_OK ? PyLong_FromLong(sp_join_kind(j.how, j.read.kind)) : raise_error(&err);
    }
    enum { N_ARRAYS = 6 };
    array *const all[N_ARRAYS] = {&j.scores, &j.offsets, &j.starts, &j.first, &j.text_offsets, &j.out};
    for (int i = 0; i < N_ARRAYS; i++)
        array_release(all[i]);
    return done;
}
