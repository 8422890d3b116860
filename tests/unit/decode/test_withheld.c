/* A path that is wrong is withheld. The check that stays on finds one wrong step, by its plain form and by that of
 * each instruction set; and a path that breaks a hard rule is found whatever chain it came from: here the rules of
 * one chain are put into another, which knows nothing of them. */
#include "check.h"
#include "decode_one.h"
#include "random_batch.h"
#include "random_model.h"
#include "statepath/advanced.h"
#include "statepath/stream.h"

/* No decoder hands out a wrong path: tests/faults has the whole program do so, for one set and a few lengths. */
#include "core/chain_states.h"
#include "decode/kernels/isa_kernels.h"
#include "decode/verify.h"

/* ---- one wrong step ---- */

enum { MOST_STEPS = 70 };

/* Paths of every length up to some vectors, all of whose transitions are allowed but for one or none. */
static void test_transitions(void **state)
{
    (void)state;
    random_source random = {1};
    for (int i = 0; i < 20000; i++) {
        const int32_t K = 1 + random_below(&random, SP_VERIFY_CLASSES),
                      n = 1 + random_below(&random, MOST_STEPS);
        uint32_t follows[SP_VERIFY_CLASSES] = {0};
        int32_t path[MOST_STEPS];
        for (int32_t from = 0; from < K; from++)
            follows[from] = (uint32_t)random_below(&random, 1 << K) | 1U << from;
        path[0] = random_below(&random, K);
        for (int32_t t = 1; t < n; t++) {
            const int32_t k = random_below(&random, K);
            path[t] = follows[path[t - 1]] >> k & 1 ? k : path[t - 1];
        }
        if (n > 1 && random_chance(&random, 0.7)) {
            const int32_t wrong[] = {-1,      K,         SP_VERIFY_CLASSES, 32,
                                     1 << 20, INT32_MIN, INT32_MAX,         random_below(&random, K)};
            path[1 + random_below(&random, n - 1)] = wrong[random_below(&random, 8)];
        }
        bool expected = true;
        for (int32_t t = 1; t < n && expected; t++)
            expected = path[t] >= 0 && path[t] < K && (follows[path[t - 1]] >> path[t] & 1);
        assert_int_equal(sp_path_is_allowed(follows, path, n), expected);
        for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++)
            assert_int_equal(sp_isa_kernels_of(isa)->path_is_allowed(follows, path, n), expected);
    }
}

/* What a step's class is replaced by. */
static int32_t other_class(random_source *random, int32_t n_classes, int32_t k)
{
    const int32_t none[] = {-1, n_classes, INT32_MAX};
    const int32_t i = random_below(random, n_classes + 2);
    return i < n_classes && i != k ? i : none[random_below(random, 3)];
}

/* Every kind of chain and of scores: the best path passes, and fails with another class at a step, unless that path is as good. */
static void test_one_wrong_step(void **state)
{
    (void)state;
    const random_shape shapes[] = {{16, MOST_STEPS, 1, 1, NO, NO, NO, .impossible = 0},
                                   {16, MOST_STEPS, 1, 1, NO, WEIGHTS, NO, .impossible = 0},
                                   {5, MOST_STEPS, 1, 1, NO, WEIGHTS, GAPS, .impossible = 0},
                                   {4, MOST_STEPS, 2, 2, NO, WEIGHTS, NO, .impossible = 0},
                                   {5, MOST_STEPS, 1, 1, TIES, NO, GAPS, .impossible = 0.1},
                                   {40, MOST_STEPS, 1, 1, NO, NO, NO, .impossible = 0}};
    random_source random = {2};
    sp_scratch *scratch = sp_scratch_new();
    int n_wrong = 0;
    assert_non_null(scratch);
    for (uint64_t seed = 0; seed < 1200; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % (sizeof shapes / sizeof *shapes)]);
        const int64_t T = c.scores.n_steps;
        int32_t path[MOST_STEPS];
        double score, wrong_score = -INFINITY;
        sp_verifier v;
        sp_error err;
        sp_verifier_init(&v, c.chain);
        if (T > 0 && sp_viterbi(c.chain, &c.scores, scratch, path, &score, NULL) == SP_OK) {
            assert_ok(sp_verify(&v, &c.scores, path, score, &err), &err);
            assert_int_equal(sp_verify(&v, &c.scores, path, score + 1e-5, &err), SP_EBUG);
            const int64_t t = random_below(&random, (int32_t)T);
            path[t] = other_class(&random, c.scores.n_classes, path[t]);
            const bool is_path = path[t] >= 0 && path[t] < c.scores.n_classes;
            if (is_path)
                assert_ok(sp_path_score(c.chain, &c.scores, path, &wrong_score, &err), &err);
            const sp_status expected = is_path && fabs(wrong_score - score) <= 1e-9 ? SP_OK : SP_EBUG;
            n_wrong += expected == SP_EBUG;
            for (sp_isa isa = SP_ISA_PLAIN; isa <= sp_isa_best(); isa++) {
                v.is_allowed =
                    isa == SP_ISA_PLAIN ? sp_path_is_allowed : sp_isa_kernels_of(isa)->path_is_allowed;
                assert_int_equal(sp_verify(&v, &c.scores, path, score, &err), expected);
            }
        }
        random_case_free(&c);
    }
    assert_true(n_wrong > 600);
    sp_scratch_free(scratch);
}

/* ---- rules ---- */

enum { K = 2, T = 40, RECORDINGS = 40 };

/* Scores of which the best class is `often`, but for step `rare` of each ten. */
static void put_scores(double *data, int64_t n, int32_t often, int64_t rare)
{
    for (int64_t t = 0; t < n; t++) {
        const int32_t best = t % 10 == rare ? 1 - often : often;
        data[t * K + best] = -.1;
        data[t * K + 1 - best] = -2.5;
    }
}

static sp_chain *chain_with(const char *rule, double cost)
{
    const char *const names[K] = {"a", "b"};
    const uint8_t all[K * K] = {1, 1, 1, 1};
    sp_model *model = sp_model_new("two", K, names);
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, all, NULL, &err), &err);
    assert_ok(sp_model_add_rule(model, "broken", rule, cost, false, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* A chain of a rule that every path keeps, in which `rule` is put in its place. */
static sp_chain *spoilt(const char *kept, const char *rule, double cost)
{
    sp_chain *chain = chain_with(kept, INFINITY), *other = chain_with(rule, cost);
    struct sp_chain_rule *own = chain->rules;
    chain->rules = other->rules;
    other->rules = own;
    if (chain->across)
        chain->across->rules = chain->rules;
    sp_chain_free(other);
    return chain;
}

typedef struct broken_rule {
    const char *rule;
    int32_t often; /* the scores' best class, but for one step in ten */
    bool has_gaps; /* each 16 steps */
} broken_rule;

static const broken_rule rules[] = {
    {"at_most 20 b", 1, false},
    {"never a b a", 0, false},
    {"at_least 30 a", 1, false},
    {"last a", 1, false},
    {"never a b a", 0, true},
    {"at_most 3 runs of a", 1, true},
    {"every b followed_by a", 1, false},
    {"first a", 1, true},
};

static sp_status stream(const sp_chain *chain, const sp_scores *scores, bool is_exact)
{
    sp_online *online;
    int32_t classes[T], n;
    sp_error err;
    assert_ok((is_exact ? sp_online_new_exact : sp_online_new)(chain, 3, &online, &err), &err);
    sp_status status = SP_OK;
    for (int64_t t = 0; t < T && status == SP_OK; t++) {
        const double *row = (const double *)scores->data + t * K;
        status = is_exact ? sp_online_push_exact(online, row, sp_scores_is_gap(scores, t), classes, &n, &err)
                          : sp_online_push(online, row, sp_scores_is_gap(scores, t), classes, &err);
    }
    if (status == SP_OK)
        status = sp_online_finish(online, classes, &n, &err);
    sp_online_free(online);
    return status;
}

static void check(const broken_rule *r, const char *kept, double cost, sp_status expected)
{
    static double data[RECORDINGS * T * K];
    int64_t segments[RECORDINGS * T], offsets[RECORDINGS + 1];
    sp_chain *chain = spoilt(kept, r->rule, cost);
    sp_scratch *scratch = sp_scratch_new();
    sp_workers *workers = sp_workers_new(2);
    for (int64_t t = 0; t < RECORDINGS * T; t++)
        segments[t] = t / 16;
    for (int64_t n = 0; n <= RECORDINGS; n++)
        offsets[n] = n * T;
    put_scores(data, RECORDINGS * T, r->often, 5);
    const sp_scores all = {data, SP_F64, K, RECORDINGS * T, r->has_gaps ? segments : NULL, NULL, NULL};
    const sp_batch batch = {all, RECORDINGS, offsets};
    const sp_scores scores = sp_batch_recording(&batch, 0);
    sp_error err;
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const sp_decode_options options = {.strategy = {kind, sp_strategy_about(kind)->sample}};
        const sp_status wanted = sp_strategy_about(kind)->is_legal ? expected : SP_OK;
        int32_t path[T];
        assert_int_equal(decode_one(options.strategy, chain, &scores, scratch, path, NULL, &err), wanted);
        for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
            answer a = answer_by(isa, workers, chain, &batch, &options);
            for (int n = 0; n < RECORDINGS; n++) {
                assert_int_equal(a.results[n].status, wanted);
                assert_int_equal(a.paths[n * T] < 0, wanted != SP_OK);
            }
            answer_free(&a);
        }
        /* What is relaxed may break rules: here a step is impossible. */
        double none[T * K];
        memcpy(none, data, sizeof none);
        none[0] = none[1] = -INFINITY;
        const sp_scores impossible = {none, SP_F64, K, T, scores.segments, NULL, NULL};
        assert_ok(decode_one_relaxed(options.strategy, chain, &impossible, path, NULL, NULL, &err), &err);
    }
    int32_t path[T];
    double best_score;
    sp_nbest_paths best = {.paths = path, .stride = T, .scores = &best_score};
    assert_int_equal(sp_nbest(chain, &scores, 1, scratch, &best, &err), expected);
    for (int is_exact = 0; is_exact < 2; is_exact++)
        assert_int_equal(stream(chain, &scores, is_exact), expected);
    sp_workers_free(workers);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
}

static void test_broken_rules_are_seen(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        check(&rules[r], "[a b]*", INFINITY, SP_EBUG);       /* one state a class */
        check(&rules[r], "at_most 70 a", INFINITY, SP_EBUG); /* many */
        check(&rules[r], "[a b]*", 1, SP_OK);                /* a priced rule may be broken */
    }
}

/* The same paths under rules that they keep. */
static void test_kept_rules_are_kept(void **state)
{
    (void)state;
    static const broken_rule kept[] = {
        {"at_most 38 b", 1, false},         {"never a a", 1, true},
        {"at_least 4 a", 1, false},         {"last b", 1, true},
        {"never a b a", 1, false},          {"never . . . . . . . . . . . . . . . . .", 0, true},
        {"every a followed_by b", 1, true}, {"at_most 8 runs of b", 1, true}};
    for (size_t r = 0; r < sizeof kept / sizeof *kept; r++)
        check(&kept[r], "[a b]*", INFINITY, SP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transitions),
        cmocka_unit_test(test_one_wrong_step),
        cmocka_unit_test(test_broken_rules_are_seen),
        cmocka_unit_test(test_kept_rules_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
