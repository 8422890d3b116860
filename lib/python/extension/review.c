/* review(): the steps of all recordings that are worth a look. */
#include "request.h"

#include "decode/review_batch.h"

typedef struct reviewing {
    request r;
    array recording, step, likeliest, probability, gain; /* [n], out */
    sp_review_best best;
    sp_review_room room;
} reviewing;

static void reviewing_release(request *job)
{
    reviewing *a = (reviewing *)job;
    array *const all[] = {&a->recording, &a->step, &a->likeliest, &a->probability, &a->gain};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        array_release(all[i]);
    sp_review_best_clear(&a->best);
    sp_review_room_clear(&a->room);
}

static sp_status review_group(request *r, const group *g, sp_error *err)
{
    reviewing *a = (reviewing *)r;
    const sp_batch batch = sp_block_batch(g->block);
    const sp_status status =
        sp_review_batch(&batch, r->chain->chain, a->best.most, sp_review_best_least(&a->best),
                        r->context->workers, &a->room, err);
    for (int64_t n = 0; status == SP_OK && n < batch.n_recordings; n++) {
        r->failed += a->room.status[n] != SP_OK;
        for (int64_t i = 0; i < a->room.n_found[n]; i++) {
            const sp_review_step *found = &a->room.found[batch.offsets[n] + i];
            sp_review_best_add(&a->best, &(sp_listed_step){.recording = g->first + n,
                                                           .step = found->step,
                                                           .rank = i,
                                                           .likeliest = found->likeliest,
                                                           .probability = found->probability,
                                                           .gain = found->gain});
        }
    }
    return status;
}

static void put(const reviewing *a)
{
    for (int64_t i = 0; i < a->best.n; i++) {
        const sp_listed_step *step = &a->best.steps[i];
        ((int64_t *)a->recording.data)[i] = step->recording;
        ((int64_t *)a->step.data)[i] = step->step;
        ((int32_t *)a->likeliest.data)[i] = step->likeliest;
        ((double *)a->probability.data)[i] = step->probability;
        ((double *)a->gain.data)[i] = step->gain;
    }
}

PyObject *py_review(PyObject *module, PyObject *args)
{
    PyObject *chain, *inputs, *options, *recording, *step, *likeliest, *probability, *gain, *done = NULL;
    long long most;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!LOOOOO", &chain, &PyDict_Type, &inputs, &PyDict_Type, &options, &most,
                          &recording, &step, &likeliest, &probability, &gain))
        return NULL;
    reviewing *a = request_new(sizeof *a, reviewing_release);
    if (!a)
        return NULL;
    bool is_taken = request_open(&a->r, chain, inputs, options) &&
                    array_take(recording, "recording", INT64, most, true, &a->recording) &&
                    array_take(step, "step", INT64, most, true, &a->step) &&
                    array_take(likeliest, "likeliest", INT32, most, true, &a->likeliest) &&
                    array_take(probability, "probability", FLOAT64, most, true, &a->probability) &&
                    array_take(gain, "gain", FLOAT64, most, true, &a->gain);
    if (is_taken &&
        !(a->recording.data && a->step.data && a->likeliest.data && a->probability.data && a->gain.data)) {
        PyErr_SetString(PyExc_TypeError, "an output array is missing");
        is_taken = false;
    }
    if (is_taken && !sp_review_best_init(&a->best, most)) {
        PyErr_NoMemory();
        is_taken = false;
    }
    if (is_taken && request_run(&a->r, review_group)) {
        sp_review_best_by_gain(&a->best);
        put(a);
        PyObject *counts = request_counts(&a->r);
        done = counts ? Py_BuildValue("LN", (long long)a->best.n, counts) : NULL;
    }
    request_close(&a->r);
    return done;
}
