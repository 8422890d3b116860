/* fit(). */
#include "evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/learn.h"
#include "statepath/model_json.h"

typedef struct fitting {
    given input;
    calls calls;
    array groups;
    sp_model *rules, *model;
    sp_block *block;
    sp_workers *workers;
    sp_prepare_options how;
    sp_training training;
    sp_fit_options options;
    sp_fit_report report;
    sp_status status;
    sp_error err;
} fitting;

static sp_status go_on(void *arg, sp_error *err)
{
    return calls_is_stopped(arg) ? sp_fail(err, SP_EFILE, "stopped by a signal") : SP_OK;
}

static bool number_from(PyObject *dict, const char *name, double *out)
{
    PyObject *value = PyDict_GetItemString(dict, name);
    if (value && value != Py_None)
        *out = PyFloat_AsDouble(value);
    return !PyErr_Occurred();
}

static bool integer_from(PyObject *dict, const char *name, int32_t *out)
{
    PyObject *value = PyDict_GetItemString(dict, name);
    if (value && value != Py_None)
        *out = (int32_t)PyLong_AsLong(value);
    return !PyErr_Occurred();
}

static sp_status parse_words(PyObject *dict, sp_fit_options *o, sp_error *err)
{
    const char *method = text_from(dict, "method"), *tune = text_from(dict, "tune"), *strategy = text_from(dict, "strategy");
    sp_status status = SP_OK;
    if (method)
        status = sp_fit_method_parse(method, &o->method, err);
    if (status == SP_OK && tune)
        status = sp_tune_parse(tune, &o->tune, err);
    if (status == SP_OK && strategy)
        status = sp_strategy_parse(strategy, &o->strategy, err);
    return status;
}

static bool options_from(PyObject *dict, fitting *f)
{
    sp_fit_options *o = &f->options;
    int32_t seen = 0, threads = 0, missing = 0;
    f->how = sp_prepare_options_default();
    *o = sp_fit_options_default();
    if (!number_from(dict, "smoothing", &o->smoothing) || !number_from(dict, "penalty", &o->penalty) ||
        !integer_from(dict, "memory", &o->memory) || !integer_from(dict, "folds", &o->n_folds) ||
        !integer_from(dict, "seen", &seen) || !integer_from(dict, "threads", &threads) ||
        !integer_from(dict, "missing_uniform", &missing) || !number_from(dict, "floor", &f->how.floor))
        return false;
    o->seen = seen;
    o->name = text_from(dict, "name");
    o->name = o->name ? o->name : "fitted";
    o->group = f->groups.data;
    o->rules = f->rules;
    o->progress = calls_progress;
    o->progress_arg = &f->calls;
    f->how.kind = f->input.arrays.info.kind;
    f->how.missing_uniform = missing != 0;
    f->workers = sp_workers_new(threads);
    sp_status status = f->workers ? parse_words(dict, o, &f->err) : sp_no_memory(&f->err);
    if (status == SP_OK)
        status = sp_fit_options_check(o, &f->err);
    if (status != SP_OK && !PyErr_Occurred())
        raise_error(&f->err);
    return !PyErr_Occurred();
}

/* Everything that needs no GIL. */
static sp_status work(fitting *f)
{
    const sp_source_info *info = &f->input.arrays.info;
    const unsigned parts =
        SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | (info->has_scores ? (unsigned)SP_BLOCK_SCORES | SP_BLOCK_MASK : 0);
    const sp_part all = {.count = info->n_recordings};
    if (!(f->block = sp_block_new()))
        return sp_no_memory(&f->err);
    sp_status status = f->input.recordings.read(f->input.recordings.arg, &all, parts, f->block, &f->err);
    if (status == SP_OK && info->has_scores)
        status = sp_prepare(f->block, &f->how, f->workers, NULL, &f->err);
    if (status != SP_OK)
        return status;
    f->training = (sp_training){.batch = sp_block_batch(f->block),
                                .labels = f->block->labels,
                                .classes = info->classes,
                                .go_on = go_on,
                                .go_on_arg = &f->calls};
    return sp_fit(&f->training, &f->options, f->workers, &f->model, &f->report, &f->err);
}

static PyObject *optional(double x)
{
    return isnan(x) ? Py_NewRef(Py_None) : PyFloat_FromDouble(x);
}

/* (JSON, {"labels_illegal", "before", "after", "candidates", "iterations"}) */
static PyObject *answer(const fitting *f)
{
    char *text = NULL;
    sp_error err;
    if (sp_model_to_json(f->model, &text, &err) != SP_OK)
        return raise_error(&err);
    const double sign = f->report.tune == SP_TUNE_NLL ? -1 : 1;
    PyObject *made = Py_BuildValue("(s{s:L,s:N,s:N,s:i,s:i})", text, "labels_illegal", (long long)f->report.violations.illegal,
                                   "before", optional(sign * f->report.before), "after", optional(sign * f->report.after),
                                   "candidates", (int)f->report.n_candidates, "iterations", f->report.iterations);
    free(text);
    return made;
}

static void fitting_release(fitting *f)
{
    sp_fit_report_clear(&f->report);
    sp_model_free(f->model);
    sp_model_free(f->rules);
    sp_block_free(f->block);
    sp_workers_free(f->workers);
    array_release(&f->groups);
    given_release(&f->input);
}

PyObject *py_fit(PyObject *module, PyObject *args)
{
    const char *rules;
    PyObject *inputs, *options, *groups, *progress, *made = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "zO!O!OO", &rules, &PyDict_Type, &inputs, &PyDict_Type, &options, &groups, &progress))
        return NULL;
    fitting f = {.calls.progress = progress};
    bool is_right = given_take(inputs, &f.input);
    if (is_right && !f.input.classes.items) {
        PyErr_SetString(PyExc_ValueError, "classes are needed");
        is_right = false;
    }
    is_right = is_right && array_take(groups, "groups", INT32, f.input.arrays.info.n_recordings, false, &f.groups);
    if (is_right && rules && sp_model_from_json(rules, "rules", &f.rules, &f.err) != SP_OK) {
        raise_error(&f.err);
        is_right = false;
    }
    if (is_right && options_from(options, &f)) {
        Py_BEGIN_ALLOW_THREADS;
        f.status = work(&f);
        Py_END_ALLOW_THREADS;
        if (calls_end(&f.calls, f.status, &f.err))
            made = answer(&f);
    }
    fitting_release(&f);
    return made;
}
