/* The extension module statepath._core from the inside: CPython's limited API and the library's public headers.
 *
 * The Python code of statepath turns whatever a user gives into plain arrays and checks shapes; the functions here take buffers
 * of exactly one type each, check lengths so that no mistake of the Python code can read beyond one, release the GIL, and call
 * the library. Nothing here knows numpy: arrays come and go as buffers (PEP 3118).
 */
#ifndef STATEPATH_PYTHON_EXTENSION_H
#define STATEPATH_PYTHON_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "statepath.h"

/* ---- errors.c ---- */

/* The exception classes of statepath/_errors.py, looked up once. */
bool errors_init(PyObject *module);
/* Raises what a status stands for, with the sentence and its step. Returns NULL. */
PyObject *raise_error(const sp_error *err);

/* ---- arrays.c ---- */

/* dict[name], borrowed; NULL where it is absent. The name is made a Python text once for each place that asks: making and hashing
 * it each time would cost a small call more than its decoding. */
#define MEMBER(dict, name)                                                                                   \
    __extension__({                                                                                          \
        static PyObject *member_name;                                                                        \
        member_of(dict, &member_name, name);                                                                 \
    })
PyObject *member_of(PyObject *dict, PyObject **kept, const char *name);

/* A view of an array that is one block of memory. `data` NULL: there is none. Zeroed is empty; release in every case. */
typedef struct array {
    Py_buffer view;
    void *data;
    int64_t count; /* items */
} array;

typedef enum array_type { BYTES, INT32, INT64, FLOAT32, FLOAT64 } array_type;

/* Takes a view of `object` as an array of that type; `count` items (-1: any number), writable where asked. None is no array.
 * False with an exception: another type, another length, not contiguous, not aligned. */
bool array_take(PyObject *object, const char *name, array_type type, int64_t count, bool is_output,
                array *out);
/* The same for scores, which are float32 or float64. */
bool array_take_scores(PyObject *object, array *out, sp_dtype *dtype);
/* The same for a member of a dictionary; absent or None: empty. */
#define array_from(dict, name, type, count, is_output, out)                                                  \
    array_take(MEMBER(dict, name), name, type, count, is_output, out)
void array_release(array *a);

/* ---- contexts.c ---- */

/* What one call uses and calls share one after the other: threads, scratch, a block for scores that must be changed. */
typedef struct context {
    struct context *next;
    int n_threads;
    sp_workers *workers;
    sp_scratch *scratch;
    sp_block *block;
} context;

/* A context nobody uses; the caller holds the GIL, here and below. NULL with MemoryError. */
context *context_take(int n_threads);
/* Gives it back; `is_large`: its memory is freed instead of kept. */
void context_give(context *c, bool is_large);
/* The number of threads that an option names: 0 is all processors. */
bool threads_from(long n_threads);

/* ---- model.c ---- */

typedef struct chain_object {
    PyObject_HEAD sp_chain *chain;
    int32_t n_classes;
    double edges; /* transitions of the unfolded model, about: what a step costs */
} chain_object;

bool model_init(PyObject *module);
/* The chain of a Chain object; NULL with TypeError for anything else. */
chain_object *chain_of(PyObject *object);

/* The model of a Model object; NULL with TypeError for anything else. */
const sp_model *model_of_object(PyObject *object);

/* A sequence of str as C strings, whose memory the caller frees; they are borrowed from *list, which the caller releases. NULL
 * with an exception. */
const char **strings(PyObject *names, PyObject **list, int32_t *n);

/* ---- decode.c, marginals.c, field.c, online.c, masks.c, hypnogram.c: the functions of the module ---- */

/* How scores become nats, but for their kind: members of a dictionary, missing_uniform, floor, temperature, prior_weight,
 * and log_prior, a float64 array [K] that `how` borrows. False with an exception. */
bool preparation_from(PyObject *options, int32_t n_classes, sp_prepare_options *how, array *log_prior);

/* The kind of scores by their first row that says it. False with ScoresError. kind < 0: to be found out. */
bool kind_from_scores(const sp_scores *scores, long given, sp_kind *kind);

/* kind_of(scores [n,K]) -> number of the kind that the first row which says it has. */
PyObject *py_kind_of(PyObject *module, PyObject *scores);
/* decode(chain, inputs, options, strategy, relax, outputs) -> (kind, failed, floored, missing); see request.h
 * and answers_take(). */
PyObject *py_decode(PyObject *module, PyObject *args);
/* forward_backward(chain, inputs, options, marginals float64 [S,K] or None, log_partition float64 [N] or None) -> counts.
 * Recordings without an allowed path get NaN and -inf. */
PyObject *py_forward_backward(PyObject *module, PyObject *args);
/* path_scores(chain, inputs, options, paths int32 [S], scores float64 [N]) -> counts */
PyObject *py_path_scores(PyObject *module, PyObject *args);
/* review(chain, inputs, options, n, recording int64 [n], step int64 [n], likeliest int32 [n], probability float64 [n], gain float64 [n])
 * -> (found, counts): of all recordings the steps that are worth a look, the best first; found may be less than n. */
PyObject *py_review(PyObject *module, PyObject *args);
/* span_values(chain, inputs, options, classes, runs, paths int32 [S], last int64 [S], type int32 [S], score float64 [S], posterior float64 [S])
 * -> counts. At the first step of each entity the last one, from the first step of the recording, the class that names its type, and its
 * values; `last` is -1 elsewhere. runs: of the runs of each class, in place of entities. A posterior is NaN where there is no allowed path. */
PyObject *py_span_values(PyObject *module, PyObject *args);
/* window_texts(offsets int64 [N+1], starts int64 [N], texts int64 [N] or None) -> (first, offsets): of n texts their first windows [n+1]
 * and steps [n+1] (tags/join.h). */
PyObject *py_window_texts(PyObject *module, PyObject *args);
/* join_windows(scores [S,K], offsets, starts, first int64 [n+1], text_offsets int64 [n+1], is_mean, kind, missing_uniform,
 * out float64 [T,K]) -> kind */
PyObject *py_join_windows(PyObject *module, PyObject *args);
/* field(inputs, stride, threads, outputs, is_plain): log Z of recordings, and gradients (statepath/field.h). Of `inputs` scores
 * float32 or float64 [...,K], first and length int64 [N], move [K,K], start and end [K] float64; targets int64 [rows], weight float64 [N],
 * along (as scores) or absent. Of `outputs` value float64 [N], fault int64 [N,3]; by_scores (as scores), by_move, by_start, by_end or absent. */
PyObject *py_field(PyObject *module, PyObject *args);
/* tag_entities(tags, scheme or None, has_suffix) -> [(type, first, last)]: as seqeval's default mode reads them, or strictly. */
PyObject *py_tag_entities(PyObject *module, PyObject *args);
/* tag_scheme(tags) -> the scheme that they are read in where nobody names one. */
PyObject *py_tag_scheme(PyObject *module, PyObject *tags);
/* read_hypnogram(file, model, preset or None, map or None, epoch_seconds) -> (labels: bytes of int32, epoch_seconds, remark) */
PyObject *py_read_hypnogram(PyObject *module, PyObject *args);
/* unscored_words(words, classes) -> list of those words that mean an unscored step where the classes are stages of sleep */
PyObject *py_unscored_words(PyObject *module, PyObject *args);
/* coded_labels(texts, model, preset or None, map or None) -> bytes of int32: the class of each text, or SP_CODE_UNSCORED,
 * SP_CODE_UNKNOWN, SP_CODE_NO_CLASS (sleep/label_coding_use.h) */
PyObject *py_coded_labels(PyObject *module, PyObject *args);
/* write_hypnogram(file, labels int32 [T], classes, epoch_seconds, force) */
PyObject *py_write_hypnogram(PyObject *module, PyObject *args);
bool online_init(PyObject *module);
extern PyMethodDef mask_methods[];

#endif
