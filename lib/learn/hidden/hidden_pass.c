/* Passes over all recordings: their pieces are shared out among threads in chunks whose borders do not depend on the number of threads;
 * each chunk has its own sums, which are added in order. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "decode/strategies/marginals.h"
#include "decode/strategies/uses.h"
#include "learn/hidden/hidden_private.h"

enum { MOST_CHUNKS = 64 };

typedef struct run {
    const sp_hidden *h;
    const sp_hidden_pass *pass;
    int64_t n_chunks, size;
    double *sums;      /* [n_chunks,size] */
    atomic_int status; /* the first that is not SP_OK */
} run;

static int64_t size_of_sums(const sp_hidden *h)
{
    return 2 + h->K + h->n_edges + 2 * (int64_t)h->m;
}

static sp_hidden_sums sums_over(const sp_hidden *h, double *all)
{
    sp_hidden_sums s = {.n = size_of_sums(h), .all = all, .log_z = all, .along = all + 1, .steps = all + 2};
    s.next = s.steps + h->K;
    s.start = s.next + h->n_edges;
    s.end = s.start + h->m;
    return s;
}

/* What the steps of a piece weigh: x [n_steps,K]; and the scores as they are: e [n_steps,K]. */
static void fill_rows(const run *w, const sp_stretch *piece, double *x, double *e)
{
    const sp_hidden *h = w->h;
    const sp_scores *scores = &h->training->batch.scores;
    for (int64_t t = 0; t < piece->n_steps; t++)
        for (int32_t k = 0; k < h->K; k++) {
            const bool may = sp_hidden_may(h, w->pass->has_labels, piece->first + t, k);
            double *to = &x[t * h->K + k], *score = &e[t * h->K + k];
            *score = w->pass->has_scores && may ? sp_scores_at(scores, piece->first + t, k) : 0;
            *to = !may                  ? -INFINITY
                  : w->pass->has_scores ? w->pass->scale * *score + (w->pass->bias ? w->pass->bias[k] : 0)
                                        : 0;
        }
}

static sp_status pass_over(const run *w, const sp_stretch *piece, sp_scratch *scratch,
                           const sp_hidden_sums *sums)
{
    const sp_hidden *h = w->h;
    const sp_scores all = sp_batch_recording(&h->training->batch, piece->recording);
    const size_t n = (size_t)piece->n_steps * (size_t)h->K;
    const int64_t from = piece->first - h->training->batch.offsets[piece->recording];
    double *x = sp_scratch_get(scratch, n, sizeof *x), *e = sp_scratch_get(scratch, n, sizeof *e), log_z;
    if (!x || !e)
        return SP_ENOMEM;
    fill_rows(w, piece, x, e);
    sp_chain chain = *h->chain;
    if (!piece->is_start)
        chain.start = h->any_start;
    if (!piece->is_end)
        chain.end = h->any_end;
    const sp_scores scores = {.data = x,
                              .dtype = SP_F64,
                              .n_classes = h->K,
                              .n_steps = piece->n_steps,
                              .segments = all.segments ? all.segments + from : NULL};
    const sp_uses uses = {.place = h->succ_place,
                          .runs_place = h->runs_place,
                          .next = sums->next,
                          .start = piece->is_start ? sums->start : NULL,
                          .end = piece->is_end ? sums->end : NULL,
                          .steps = sums->steps,
                          .scores = e,
                          .along = w->pass->has_scores ? sums->along : NULL};
    const sp_status status = w->pass->wants_counts
                                 ? sp_uses_add(&chain, &scores, scratch, &uses, &log_z, NULL)
                                 : sp_marginal_rows(&chain, &scores, scratch, NULL, &log_z, NULL);
    if (status == SP_OK)
        *sums->log_z += log_z;
    return status;
}

static bool is_labelled(const sp_hidden *h, const sp_stretch *piece)
{
    for (int64_t t = piece->first; t < piece->first + piece->n_steps; t++)
        if (sp_training_says(h->training, t))
            return true;
    return false;
}

static void run_chunks(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    run *w = arg;
    const sp_stretches *pieces = &w->h->pieces;
    for (int64_t c = first; c < last; c++) {
        const sp_hidden_sums sums = sums_over(w->h, w->sums + c * w->size);
        const int64_t from = c * pieces->n / w->n_chunks, to = (c + 1) * pieces->n / w->n_chunks;
        for (int64_t p = from; p < to && w->status == SP_OK; p++) {
            const sp_stretch *piece = &pieces->list[p];
            if ((w->pass->use && !w->pass->use[piece->recording]) ||
                (w->pass->is_labelled && !is_labelled(w->h, piece)))
                continue;
            const sp_scratch_mark mark = sp_scratch_here(scratch);
            const sp_status status = pass_over(w, piece, scratch, &sums);
            sp_scratch_release(scratch, mark);
            if (status != SP_OK)
                w->status = (int)status;
        }
    }
}

sp_status sp_hidden_run(const sp_hidden *h, const sp_hidden_pass *pass, sp_workers *workers,
                        sp_hidden_sums *sums, sp_error *err)
{
    run w = {.h = h, .pass = pass, .size = size_of_sums(h), .status = SP_OK};
    w.n_chunks = h->pieces.n < MOST_CHUNKS ? h->pieces.n : MOST_CHUNKS;
    w.sums = calloc((size_t)(w.n_chunks + 1) * (size_t)w.size, sizeof *w.sums);
    if (!w.sums)
        return sp_no_memory(err);
    sp_workers_share(workers, w.n_chunks, run_chunks, &w);
    for (int64_t i = w.size; i < w.n_chunks * w.size; i++)
        w.sums[i % w.size] += w.sums[i];
    if (w.status == SP_ENOPATH)
        sp_fail(err, SP_ENOPATH, "model %s: its weights leave a recording without a path", h->model->name);
    else if (w.status != SP_OK)
        sp_no_memory(err);
    if (w.status == SP_OK)
        *sums = sums_over(h, w.sums);
    else
        free(w.sums);
    return (sp_status)w.status;
}
