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
    array groups, label_set, label_sets;
    sp_model *rules, *model;
    sp_block *block;
    sp_workers *workers;
    sp_prepare_options how;
    sp_training training;
    sp_fit_options options;
    double *costs; /* of the options */
    sp_fit_report report;
    sp_status status;
    sp_error err;
} fitting;

static sp_status go_on(void *arg, sp_error *err)
{
    return calls_is_stopped(arg) ? sp_fail(err, SP_EFILE, "stopped by a signal") : SP_OK;
}

/* The words of a run, as the program has them; beside them `seen`, and what there is by now. */
static bool options_from(PyObject *dict, fitting *f)
{
    sp_run_options o;
    PyObject *seen = PyDict_GetItemString(dict, "seen");
    f->options = sp_fit_options_default();
    if (!run_options_from(dict, &o))
        return false;
    f->options.seen = seen ? PyLong_AsLong(seen) : 0;
    f->options.method = sp_fit_method_for(f->input.arrays.info.has_labels, f->label_set.data != NULL,
                                          f->input.arrays.info.has_scores, f->rules);
    const sp_source_info *info = &f->input.arrays.info;
    sp_status status =
        sp_run_fit_options(&o, info->has_scores, info->n_classes, (const char *const *)info->classes,
                           &f->options, &f->costs, &f->err);
    f->training.step_seconds = o.epoch_seconds > 0 ? o.epoch_seconds : 0;
    f->options.group = f->groups.data;
    f->options.rules = f->rules;
    f->options.progress = calls_progress;
    f->options.progress_arg = &f->calls;
    if (status == SP_OK)
        status = sp_fit_options_check(&f->options, &f->err);
    f->how = sp_run_prepare_plain(&o);
    f->how.kind = f->input.arrays.info.kind;
    if (status == SP_OK && !(f->workers = sp_workers_new(o.decode.threads)))
        status = sp_no_memory(&f->err);
    if (status != SP_OK && !PyErr_Occurred())
        raise_error(&f->err);
    return !PyErr_Occurred();
}

/* Labels that say several classes: "label_set" [S], rows of "label_sets" [n,K] or -1; or neither. */
static bool take_sets(PyObject *inputs, fitting *f)
{
    const sp_source_info *info = &f->input.arrays.info;
    const int64_t S = info->offsets[info->n_recordings];
    if (!array_from(inputs, "label_set", INT32, S, false, &f->label_set) ||
        !array_from(inputs, "label_sets", BYTES, -1, false, &f->label_sets))
        return false;
    const int32_t *set = f->label_set.data;
    bool is_right = f->label_sets.count % info->n_classes == 0;
    for (int64_t t = 0; set && is_right && t < S; t++)
        is_right = set[t] >= -1 && set[t] < f->label_sets.count / info->n_classes;
    if (!is_right)
        PyErr_SetString(PyExc_ValueError, "label_set is rows of label_sets [n,K], or -1");
    return is_right;
}

/* Everything that needs no GIL. */
static sp_status work(fitting *f)
{
    const sp_source_info *info = &f->input.arrays.info;
    const unsigned parts = SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS |
                           (info->has_scores ? (unsigned)SP_BLOCK_SCORES | SP_BLOCK_MASK : 0);
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
                                .label_set = f->label_set.data,
                                .label_sets = f->label_sets.data,
                                .n_label_sets = (int32_t)(f->label_sets.count / info->n_classes),
                                .classes = info->classes,
                                .step_seconds = f->training.step_seconds,
                                .may_have_floor = info->kind != SP_KIND_SCORES && !info->has_mask,
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
    const double sign = sp_tune_is_loss(f->report.tune) ? -1 : 1;
    PyObject *made = Py_BuildValue(
        "(s{s:L,s:N,s:N,s:i,s:i})", text, "labels_illegal", (long long)f->report.violations.illegal, "before",
        optional(sign * f->report.before), "after", optional(sign * f->report.after), "candidates",
        (int)f->report.n_candidates, "iterations", f->report.iterations);
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
    array_release(&f->label_set);
    array_release(&f->label_sets);
    free(f->costs);
    given_release(&f->input);
}

PyObject *py_fit(PyObject *module, PyObject *args)
{
    const char *rules;
    PyObject *inputs, *options, *groups, *progress, *made = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "zO!O!OO", &rules, &PyDict_Type, &inputs, &PyDict_Type, &options, &groups,
                          &progress))
        return NULL;
    fitting f = {.calls.progress = progress};
    bool is_right = given_take(inputs, &f.input);
    if (is_right && !f.input.classes.items) {
        PyErr_SetString(PyExc_ValueError, "classes are needed");
        is_right = false;
    }
    is_right = is_right && take_sets(inputs, &f);
    is_right =
        is_right && array_take(groups, "groups", INT32, f.input.arrays.info.n_recordings, false, &f.groups);
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
