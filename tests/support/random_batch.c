#include "random_batch.h"

#include "check.h"

random_batch random_batch_new(uint64_t seed, int64_t n_recordings, int32_t longest,
                              int32_t max_states_per_class)
{
    const random_shape shape = {.max_classes = 6,
                                .max_steps = 1,
                                .max_states_per_class = max_states_per_class,
                                .max_dwell = max_states_per_class,
                                .has_ties = true,
                                .has_weights = true,
                                .has_gaps = true,
                                .impossible = 0.1};
    random_source random = {seed};
    random_batch f = {.c = random_case_new(seed, &shape)};
    f.offsets = malloc((size_t)(n_recordings + 1) * sizeof *f.offsets);
    f.offsets[0] = 0;
    for (int64_t n = 0; n < n_recordings; n++)
        f.offsets[n + 1] = f.offsets[n] + random_below(&random, longest + 1);
    random_case_draw_scores(&f.c, &random, f.offsets[n_recordings], &shape);
    f.batch = (sp_batch){f.c.scores, n_recordings, f.offsets};
    return f;
}

void random_batch_free(random_batch *f)
{
    random_case_free(&f->c);
    free(f->offsets);
}

answer answer_new(const sp_batch *batch)
{
    size_t n_steps = (size_t)batch->scores.n_steps + 1, n_recordings = (size_t)batch->n_recordings + 1;
    answer a = {malloc(n_steps * sizeof *a.paths), malloc(n_recordings * sizeof *a.results), malloc(n_steps)};
    memset(a.paths, 0x55, n_steps * sizeof *a.paths);
    memset(a.results, 0x55, n_recordings * sizeof *a.results);
    memset(a.broken, 0x55, n_steps);
    return a;
}

void answer_free(answer *a)
{
    free(a->paths);
    free(a->results);
    free(a->broken);
}

sp_decode_output answer_output(const answer *a)
{
    return (sp_decode_output){.paths = a->paths, .results = a->results, .broken = a->broken};
}

answer answer_decode(int n_threads, const sp_chain *chain, const sp_batch *batch,
                     const sp_decode_options *options)
{
    answer a = answer_new(batch);
    sp_decode_output output = answer_output(&a);
    sp_workers *workers = sp_workers_new(n_threads);
    assert_int_equal(sp_workers_count(workers), n_threads);
    sp_error err;
    assert_ok(sp_decode_batch(chain, batch, options, workers, &output, &err), &err);
    sp_workers_free(workers);
    return a;
}

answer answer_by(sp_isa isa, sp_workers *workers, const sp_chain *chain, const sp_batch *batch,
                 const sp_decode_options *options)
{
    answer a = answer_new(batch);
    sp_decode_output output = answer_output(&a);
    sp_error err;
    assert_ok(sp_isa_set(isa, &err), &err);
    assert_ok(sp_decode_batch(chain, batch, options, workers, &output, &err), &err);
    assert_ok(sp_isa_set(sp_isa_best(), &err), &err);
    return a;
}

void assert_same_result(const sp_decoded *a, const sp_decoded *b)
{
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->step, b->step);
    assert_int_equal(a->n_broken, b->n_broken);
    assert_memory_equal(&a->score, &b->score, sizeof a->score);
}

void assert_same_answer(const sp_batch *batch, const answer *a, const answer *b)
{
    size_t n_steps = (size_t)batch->scores.n_steps;
    assert_memory_equal(a->paths, b->paths, n_steps * sizeof *a->paths);
    assert_memory_equal(a->broken, b->broken, n_steps);
    for (int64_t n = 0; n < batch->n_recordings; n++)
        assert_same_result(&a->results[n], &b->results[n]);
}

void assert_same_path(uint64_t seed, const char *what, const int32_t *path, const int32_t *expected,
                      int64_t n_steps)
{
    for (int64_t t = 0; t < n_steps; t++)
        if (path[t] != expected[t])
            fail_msg("seed %llu: %s: step %lld is class %d, expected %d", (unsigned long long)seed, what,
                     (long long)t, (int)path[t], (int)expected[t]);
}
