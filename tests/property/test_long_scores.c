/* The score of a long recording is sp_path_score() of its path bit for bit, however its chunks were added up. */
#include "check.h"
#include "random_batch.h"
#include "statepath/decode.h"

enum { N_CLASSES = 4, N_STEPS = 120000 /* from 100,000 on they are decoded in chunks */ };

/* Scores of every kind that a sum by chunks must tell apart. */
static float draw_score(random_source *random, int kind, int64_t t, bool is_first)
{
    double unit = random_unit(random);
    switch (kind) {
    case 0: /* log-probabilities */
        return (float)-log1p(7 * unit);
    case 1: /* of both signs */
        return (float)(unit - 0.7);
    case 2: /* growing, so that no chunk tells where the sum stands */
        return (float)(-unit * (double)(t + 1) / 1000);
    case 3: /* few bits: half way between two multiples of the last bit again and again */
        return -(float)(1 + random_below(random, 64)) * 0x1p-35f - (t % 5000 == 0 ? 1e4f : 0);
    case 4: /* classes that are not possible, but for the first, and losses too small to count */
        return !is_first && random_chance(random, 0.1) ? -INFINITY : -0x1p-24f;
    default: /* nothing at all, for a long time */
        return t < N_STEPS / 2 ? 0 : (float)-unit;
    }
}

static sp_chain *new_chain(random_source *random, bool has_weights)
{
    const char *names[] = {"a", "b", "c", "d"};
    uint8_t allow[N_CLASSES * N_CLASSES];
    double weight[N_CLASSES * N_CLASSES];
    sp_chain *chain = NULL;
    sp_error err;
    for (int i = 0; i < N_CLASSES * N_CLASSES; i++) {
        allow[i] = i % (N_CLASSES + 1) == 0 || random_chance(random, 0.8);
        weight[i] = -random_unit(random);
    }
    sp_model *model = sp_model_new("long", N_CLASSES, names);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, has_weights ? weight : NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

static void score_is_that_of_the_path(void **state)
{
    (void)state;
    float *scores = malloc((size_t)N_STEPS * N_CLASSES * sizeof *scores);
    int32_t *path = malloc((size_t)N_STEPS * sizeof *path);
    sp_workers *workers = sp_workers_new(2);
    assert_true(scores && path && workers);
    for (int kind = 0; kind < 6; kind++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            random_source random = {600000 + seed};
            sp_chain *chain = new_chain(&random, seed == 2);
            for (int64_t i = 0; i < (int64_t)N_STEPS * N_CLASSES; i++)
                scores[i] = draw_score(&random, kind, i / N_CLASSES, i % N_CLASSES == 0);
            sp_scores recording = {.data = scores,
                                   .dtype = SP_F32,
                                   .n_classes = N_CLASSES,
                                   .n_steps = N_STEPS - (int64_t)seed * 7};
            for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
                int64_t offsets[] = {0, recording.n_steps};
                sp_batch batch = {recording, 1, offsets};
                sp_decode_options options = sp_decode_options_default();
                sp_decoded result;
                sp_decode_output output = {.paths = path, .results = &result};
                double score;
                sp_error err;
                assert_ok(sp_isa_set(isa, &err), &err);
                assert_ok(sp_decode_batch(chain, &batch, &options, workers, &output, &err), &err);
                assert_int_equal(result.status, SP_OK);
                assert_ok(sp_path_score(chain, &recording, path, &score, &err), &err);
                assert_true(result.score == score);
            }
            sp_chain_free(chain);
        }
    sp_workers_free(workers);
    free(path);
    free(scores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(score_is_that_of_the_path)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
