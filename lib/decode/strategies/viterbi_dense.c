#include "decode/strategies/viterbi_dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "decode/kernels/dense_pass.h"
#include "decode/strategies/search.h"

typedef struct by_dense {
    sp_dense dense;
    sp_scores scores;   /* of the piece */
    sp_dense_pass pass; /* over it */
} by_dense;

static const double *after(const by_dense *f)
{
    return sp_dense_mark(&f->pass, f->pass.n_blocks);
}

static sp_status piece(void *self, sp_sequence *s, const sp_scores *scores, const void *saved, bool is_traced,
                       sp_error *err)
{
    by_dense *f = self;
    const int64_t block = sp_dense_choose_block(&f->dense, scores->n_steps);
    f->scores = *scores;
    if (!sp_dense_pass_init(&f->pass, &f->dense, &f->scores, block, s->scratch))
        return sp_no_memory(err);
    f->pass.path = is_traced ? s->path : NULL;
    f->pass.goes_on = saved != NULL;
    if (saved)
        memcpy(sp_dense_mark(&f->pass, 0), saved, f->dense.width * sizeof(double));
    sp_dense_pass_forward(&f->pass, 0, f->pass.n_blocks, sp_dense_mark(&f->pass, f->pass.n_blocks));
    return SP_OK;
}

static bool save(const void *self, void *saved)
{
    const by_dense *f = self;
    bool is_alive = false;
    memcpy(saved, after(f), f->dense.width * sizeof(double));
    for (int32_t j = 0; j < f->dense.n; j++)
        is_alive |= after(f)[j] > -INFINITY;
    return is_alive;
}

static int32_t last(void *self, sp_sequence *s)
{
    by_dense *f = self;
    const int32_t state = sp_dense_best_end(&f->pass, after(f), &s->recurrence);
    s->is_score = true;
    return s->recurrence > -INFINITY ? state : -1;
}

static int32_t trace(void *self, sp_sequence *s, int64_t i, const sp_scores *scores, int32_t state)
{
    by_dense *f = self;
    (void)s, (void)i, (void)scores;
    return sp_dense_pass_trace(&f->pass, state);
}

sp_status sp_viterbi_by_dense(sp_sequence *s, bool *fits, sp_error *err)
{
    sp_status status = SP_OK;
    *fits = !s->is_whole && !s->recording.has_gap && sp_dense_fits(s->chain, s->recording.n_steps);
    if (!*fits)
        return SP_OK;
    by_dense *f = calloc(1, sizeof *f);
    const sp_scratch_mark mark = sp_scratch_here(s->scratch);
    TRY(f && sp_dense_init(&f->dense, sp_isa_current(), s->chain, s->scratch) ? SP_OK : sp_no_memory(err));
    const sp_search search = {.bytes = f->dense.width * sizeof(double),
                              .self = f,
                              .piece = piece,
                              .save = save,
                              .last = last,
                              .trace = trace};
    TRY(sp_search_run(&search, s, false, err));
done:
    sp_scratch_release(s->scratch, mark);
    free(f);
    return status;
}
