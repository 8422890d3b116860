/* The extension module statepath._evaluation from the inside: comparing, evaluating and fitting on recordings in memory, by
 * libstatepath-kit, which needs GSL. Arrays and errors are those of statepath._core (../extension/extension.h).
 */
#ifndef STATEPATH_PYTHON_EVALUATION_H
#define STATEPATH_PYTHON_EVALUATION_H

#include "python/extension/extension.h"

#include "statepath/comparison.h"
#include "statepath/pipeline.h"

/* ---- texts.c ---- */

/* Texts borrowed from a sequence of str, which is kept. `items` NULL: there are none. Zeroed is empty. */
typedef struct texts {
    PyObject *list;
    const char **items; /* [n], then NULL */
    int64_t n;
} texts;

/* `count` of them, -1: any number. None is none. False with an exception. */
bool texts_take(PyObject *object, const char *name, int64_t count, texts *out);
void texts_release(texts *t);
/* The text of a str member of a dictionary, borrowed; NULL where there is none, or with an exception. */
const char *text_from(PyObject *dict, const char *name);

/* ---- recordings.c ---- */

/* Recordings as the pipeline takes them, borrowed from the dictionary: scores float32 or float64 [S,K], offsets int64 [N+1],
 * labels int32 [S], segments int64 [S], weights float64 [S], mask uint8 [S,K], ids, subjects [N] and classes [K] str, name str,
 * kind and n_classes int. Only offsets, ids, name and n_classes must be there. */
typedef struct given {
    array scores, offsets, labels, segments, weights, mask;
    texts ids, classes, subjects;
    sp_arrays arrays;
    sp_recordings recordings;
} given;

bool given_take(PyObject *inputs, given *out);
void given_release(given *g);

/* ---- calls.c ---- */

/* What the library calls back during a run. Its thread does not hold the GIL. */
typedef struct calls {
    PyObject *progress;                 /* progress(what, done, total), or None */
    PyObject *notices;                  /* a list, which sentences are appended to */
    PyObject *type, *value, *traceback; /* raised by a signal or by progress(): the run is to stop */
    double looked;                      /* for signals, in seconds */
} calls;

void calls_notice(void *arg, sp_notice kind, const char *sentence);
void calls_progress(void *arg, const char *what, int64_t done, int64_t total);
bool calls_is_stopped(void *arg);
sp_run_hooks calls_hooks(calls *c); /* all three */
/* With the GIL: raises what stopped the run, else the failure where there is one. False: an exception is raised. */
bool calls_end(calls *c, sp_status status, const sp_error *err);

/* ---- options.c ---- */

/* Fills in what the dictionary says, by the names of pipeline.h's fields; borrows its texts. False with an exception. */
bool run_options_from(PyObject *dict, sp_run_options *o);

/* ---- comparison.c ---- */

bool comparison_init(PyObject *module);
/* A Comparison, which owns `comparison` from now on; NULL with an exception. */
PyObject *comparison_wrap(sp_comparison *comparison);
/* judge(conditions, strategies, whose each is, classes, other classifiers, has labels, figures) -> [(is true, is undefined,
 * sentence)], of what Comparison.figures() returned */
PyObject *py_judge(PyObject *module, PyObject *args);

/* ---- run.c, fitting.c: the functions of the module ---- */

/* compare(model JSON, inputs, options, against, progress, notices) -> Comparison */
PyObject *py_compare(PyObject *module, PyObject *args);
/* evaluate(model JSON, inputs, options, names, paths, progress, notices) -> Comparison */
PyObject *py_evaluate(PyObject *module, PyObject *args);
/* read_files(file, options, more files, progress, notices) -> dictionary of what was read; see statepath/_files.py (files.c,
 * which is there where libdeflate is). */
PyObject *py_read_files(PyObject *module, PyObject *args);
/* fit(rules JSON or None, inputs, options, groups, progress) -> (model JSON, what was found) */
PyObject *py_fit(PyObject *module, PyObject *args);

#endif
