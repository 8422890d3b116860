/* The N best paths and the margin against the sorted list of all class paths. */
#include "check.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/advanced.h"

#include "nbest_lists.h"

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {3, 5, 1, 1, TIES, WEIGHTS, GAPS, 0.2}, {4, 4, 1, 1, NO, WEIGHTS, NO, 0.1},
    {2, 7, 1, 3, TIES, NO, GAPS, 0.1},      {3, 5, 3, 1, TIES, WEIGHTS, GAPS, 0.1},
    {2, 6, 3, 2, TIES, NO, GAPS, 0.1},      {3, 5, 3, 2, NO, WEIGHTS, GAPS, 0.1},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 500, MOST_PATHS = 300 };

typedef struct listed_path {
    double score;
    int32_t path[ORACLE_STEPS];
} listed_path;

typedef struct path_list {
    int64_t n_steps;
    int32_t n;
    listed_path *paths; /* [MOST_PATHS] */
} path_list;

static int64_t compare_steps; /* T of the list being sorted */

static int compare_paths(const void *a, const void *b)
{
    const listed_path *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    for (int64_t t = compare_steps - 1; t >= 0; t--)
        if (x->path[t] != y->path[t])
            return x->path[t] < y->path[t] ? -1 : 1;
    return 0;
}

static void list_path(void *arg, const int32_t *path, double score, int64_t n_broken, double relaxed_score)
{
    (void)n_broken;
    (void)relaxed_score;
    path_list *l = arg;
    if (score == -INFINITY)
        return;
    assert_true(l->n < MOST_PATHS);
    l->paths[l->n].score = score;
    memcpy(l->paths[l->n++].path, path, (size_t)l->n_steps * sizeof *path);
}

static path_list list_all(const dense_model *m, const sp_scores *scores)
{
    path_list l = {scores->n_steps, 0, calloc(MOST_PATHS, sizeof *l.paths)};
    oracle_enumerate(m, scores, list_path, &l);
    compare_steps = l.n_steps;
    qsort(l.paths, (size_t)l.n, sizeof *l.paths, compare_paths);
    return l;
}

static void check_list(const random_case *c, const path_list *l, int32_t n, sp_scratch *scratch)
{
    int64_t n_steps = c->scores.n_steps, stride = n_steps + 1;
    int32_t paths[(MOST_PATHS + 1) * (ORACLE_STEPS + 1)];
    double scores[MOST_PATHS + 1], viterbi;
    sp_error err;
    memset(paths, 0x55, sizeof paths);
    sp_nbest_paths out = {.paths = paths, .stride = stride, .scores = scores};
    assert_ok(sp_nbest(c->chain, &c->scores, n, scratch, &out, &err), &err);
    assert_int_equal(out.n_found, l->n < n ? l->n : n);
    for (int32_t r = 0; r < out.n_found; r++) {
        if (scores[r] != l->paths[r].score)
            fail_msg("seed %llu: path %d of %d has score %.17g, expected %.17g", (unsigned long long)c->seed,
                     (int)r, (int)n, scores[r], l->paths[r].score);
        assert_same_path(c->seed, "path", r, &paths[r * stride], l->paths[r].path, n_steps);
        assert_int_equal(paths[r * stride + n_steps], 0x55555555); /* what lies between is not ours */
    }
    assert_int_equal(paths[out.n_found * stride], 0x55555555);
    int32_t best[ORACLE_STEPS];
    assert_ok(sp_viterbi(c->chain, &c->scores, scratch, best, &viterbi, &err), &err);
    assert_memory_equal(best, paths, (size_t)n_steps * sizeof *best);
    assert_true(viterbi == scores[0]);
}

static void check_margins(const random_case *c, const path_list *l, sp_scratch *scratch)
{
    for (int32_t r = 0; r < l->n && r < 3; r++) {
        double margin, expected = r > 0 ? l->paths[r].score - l->paths[0].score : INFINITY;
        if (r == 0 && l->n > 1)
            expected = l->paths[0].score - l->paths[1].score;
        sp_error err;
        assert_ok(sp_margin(c->chain, &c->scores, scratch, l->paths[r].path, &margin, &err), &err);
        assert_true(margin == expected);
    }
}

static void test_every_small_model(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0, n_short = 0, n_none = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        dense_model *m = dense_model_new(c.model, c.class_of_column);
        if (c.scores.n_steps > 0) {
            path_list l = list_all(m, &c.scores);
            int32_t n = (int32_t[]){1, 2, 5, 20, 300}[seed / N_SHAPES % 5];
            if (l.n > 0) {
                check_list(&c, &l, n, scratch);
                check_margins(&c, &l, scratch);
                n_paths++;
                n_short += l.n < n;
            } else {
                int32_t path[ORACLE_STEPS] = {77};
                double score = 77;
                sp_error err;
                sp_nbest_paths out = {
                    .paths = path, .stride = c.scores.n_steps, .scores = &score, .n_found = 77};
                assert_int_equal(sp_nbest(c.chain, &c.scores, 1, scratch, &out, &err), SP_ENOPATH);
                assert_int_equal(err.step, oracle_first_unreachable(m, &c.scores));
                assert_true(path[0] == 77 && score == 77 && out.n_found == 77);
                n_none++;
            }
            free(l.paths);
        }
        dense_model_free(m);
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n_paths > CASES && n_short > CASES / 4 && n_none > CASES / 4);
}

/* The search in blocks of sqrt(T) steps finds what the search in one piece finds. 70 classes, each with ten states of its own,
 * and 600 paths make 420,000 entries a step, so that 41 steps are more than are kept whole; a sub-problem small enough to be kept
 * whole has the same first paths. */
static void test_blocks(void **state)
{
    (void)state;
    enum { CLASSES = 70, DWELL = 10, STEPS = 41, MANY = 600, FEW = 40 };
    char *names[CLASSES];
    int32_t dwell[CLASSES];
    for (int k = 0; k < CLASSES; k++) {
        names[k] = calloc(16, 1);
        snprintf(names[k], 16, "c%d", k);
        dwell[k] = DWELL;
    }
    sp_model *model = NULL;
    sp_chain *chain = NULL;
    sp_error err;
    sp_scratch *scratch = sp_scratch_new();
    model = sp_model_new("dwell", CLASSES, (const char *const *)names);
    uint8_t *allow = calloc(CLASSES * CLASSES, 1);
    for (int i = 0; i < CLASSES; i++)
        allow[i * CLASSES + i] = allow[i * CLASSES + (i + 1) % CLASSES] = 1;
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->min_dwell = calloc(CLASSES, sizeof *model->min_dwell);
    memcpy(model->min_dwell, dwell, sizeof dwell);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    random_source random = {5};
    double *data = calloc(STEPS * CLASSES, sizeof *data);
    for (int i = 0; i < STEPS * CLASSES; i++)
        data[i] = random_below(&random, 3) - 1;
    sp_scores scores = {data, SP_F64, CLASSES, STEPS, NULL, NULL, NULL};
    int32_t *many = calloc(MANY * STEPS, sizeof *many), *few = calloc(FEW * STEPS, sizeof *few);
    double many_scores[MANY], few_scores[FEW];
    sp_nbest_paths out = {.paths = many, .stride = STEPS, .scores = many_scores};
    assert_ok(sp_nbest(chain, &scores, MANY, scratch, &out, &err), &err);
    assert_int_equal(out.n_found, MANY);
    sp_nbest_paths out_few = {.paths = few, .stride = STEPS, .scores = few_scores};
    assert_ok(sp_nbest(chain, &scores, FEW, scratch, &out_few, &err), &err);
    assert_memory_equal(few, many, FEW * STEPS * sizeof *few);
    assert_memory_equal(few_scores, many_scores, sizeof few_scores);
    for (int r = 0; r < MANY; r++) {
        double own;
        assert_ok(sp_path_score(chain, &scores, many + r * STEPS, &own, &err), &err);
        assert_true(own == many_scores[r]);
    }
    for (int k = 0; k < CLASSES; k++)
        free(names[k]);
    free(allow);
    free(data);
    free(many);
    free(few);
    sp_model_free(model);
    sp_chain_free(chain);
    sp_scratch_free(scratch);
}

/* A chain of one state a class, each followed by itself and `degree` - 1 others. */
static sp_chain *wide_chain(int32_t K, int32_t degree, random_source *random)
{
    const char **names = calloc((size_t)K, sizeof *names);
    char *text = calloc((size_t)K, 16);
    uint8_t *allow = calloc((size_t)K * (size_t)K, 1);
    for (int32_t k = 0; k < K; k++) {
        names[k] = text + 16 * k;
        snprintf(text + 16 * k, 16, "c%d", (int)k);
        for (int32_t d = 0; d < degree; d++)
            allow[k * K + (d ? random_below(random, K) : k)] = 1;
        allow[k * K + (k + 1) % K] = 1;
    }
    sp_error err;
    sp_model *model = sp_model_new("wide", K, names);
    sp_chain *chain = NULL;
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    free(names);
    free(text);
    free(allow);
    return chain;
}

/* sp_nbest() into one[STEPS rows], the lists' into other: the same. Returns whether there is a path. */
static bool check_against_lists(const sp_chain *chain, const sp_scores *scores, int32_t n,
                                sp_scratch *scratch, sp_nbest_paths *one, sp_nbest_paths *other)
{
    const sp_status listed = nbest_lists(chain, scores, n, scratch, other);
    assert_int_equal(sp_nbest(chain, scores, n, scratch, one, NULL), listed);
    for (int32_t r = 0; listed == SP_OK && r < one->n_found; r++)
        assert_memory_equal(one->paths + r * one->stride, other->paths + r * other->stride,
                            (size_t)scores->n_steps * sizeof *one->paths);
    if (listed == SP_OK) {
        assert_int_equal(one->n_found, other->n_found);
        assert_memory_equal(one->scores, other->scores, (size_t)one->n_found * sizeof *one->scores);
    }
    return listed == SP_OK;
}

/* Paths are those of the lists of all states, and so are their scores, with ties, gaps, impossible classes, f32, dense and sparse
 * chains of one state a class. */
static void test_on_demand(void **state)
{
    (void)state;
    enum { CASES_WIDE = 60, STEPS = 90, MOST = 64, MOST_CLASSES = 40 };
    random_source random = {11};
    sp_scratch *scratch = sp_scratch_new();
    float *data = calloc(STEPS * MOST_CLASSES, sizeof *data);
    int32_t *found = calloc(2 * MOST * STEPS, sizeof *found), *expected = found + MOST * STEPS, n_none = 0;
    for (int trial = 0; trial < CASES_WIDE; trial++) {
        int32_t K = 2 + random_below(&random, MOST_CLASSES - 1), n = 1 + random_below(&random, MOST),
                degree = trial % 2 ? 2 : K;
        int64_t segments[STEPS], n_steps = 1 + random_below(&random, STEPS);
        sp_chain *chain = wide_chain(K, degree, &random);
        for (int32_t i = 0; i < n_steps * K; i++)
            data[i] = random_below(&random, 20) == 0 ? -INFINITY
                      : trial % 3                    ? (float)random_below(&random, 4)
                                                     : (float)random_below(&random, 1 << 20) / 4096;
        for (int64_t t = 0; t < n_steps; t++)
            segments[t] = t * random_below(&random, 3) / 40;
        sp_scores scores = {data, SP_F32, K, n_steps, trial % 4 ? NULL : segments, NULL, NULL};
        double ours[MOST], theirs[MOST];
        sp_nbest_paths one = {.paths = found, .stride = STEPS, .scores = ours},
                       other = {.paths = expected, .stride = STEPS, .scores = theirs};
        n_none += !check_against_lists(chain, &scores, n, scratch, &one, &other);
        sp_chain_free(chain);
    }
    assert_true(n_none < CASES_WIDE / 2);
    free(data);
    free(found);
    sp_scratch_free(scratch);
}

/* The same for several states a class and minimum dwells, recordings longer than can be enumerated, ties and gaps. */
static void test_states(void **state)
{
    (void)state;
    enum { STATE_CASES = 400, STEPS = 60, MOST = 80 };
    static const random_shape large[] = {
        {4, STEPS, 3, 1, TIES, WEIGHTS, GAPS, 0.1},
        {3, STEPS, 4, 2, NO, WEIGHTS, NO, 0.1},
        {3, STEPS, 2, 4, TIES, NO, GAPS, 0.05},
        {5, STEPS, 1, 5, TIES, WEIGHTS, NO, 0.05},
    };
    sp_scratch *scratch = sp_scratch_new();
    int32_t *found = calloc(2 * MOST * STEPS, sizeof *found), n_found = 0;
    for (uint64_t seed = 0; seed < STATE_CASES; seed++) {
        random_case c = random_case_new(1000 + seed, &large[seed % 4]);
        double ours[MOST], theirs[MOST];
        sp_nbest_paths one = {.paths = found, .stride = STEPS, .scores = ours},
                       other = {.paths = found + MOST * STEPS, .stride = STEPS, .scores = theirs};
        const int32_t n = (int32_t[]){1, 2, 7, MOST}[seed / 4 % 4];
        if (c.scores.n_steps > 0)
            n_found += check_against_lists(c.chain, &c.scores, n, scratch, &one, &other);
        random_case_free(&c);
    }
    assert_true(n_found > STATE_CASES / 4);
    free(found);
    sp_scratch_free(scratch);
}

/* Many steps of many classes. */
static void test_many_steps(void **state)
{
    (void)state;
    enum { K = 500, STEPS = (4 << 20) / K + 1 };
    random_source random = {12};
    sp_chain *chain = wide_chain(K, 1, &random);
    sp_scratch *scratch = sp_scratch_new();
    double *data = calloc((size_t)STEPS * K, sizeof *data), score;
    int32_t *path = calloc(2 * STEPS, sizeof *path), *best = path + STEPS;
    for (size_t i = 0; i < (size_t)STEPS * K; i++)
        data[i] = random_below(&random, 3);
    sp_scores scores = {data, SP_F64, K, STEPS, NULL, NULL, NULL};
    sp_nbest_paths out = {.paths = path, .stride = STEPS, .scores = &score};
    sp_error err;
    assert_ok(sp_nbest(chain, &scores, 1, scratch, &out, &err), &err);
    assert_ok(sp_viterbi(chain, &scores, scratch, best, NULL, &err), &err);
    assert_memory_equal(path, best, STEPS * sizeof *path);
    free(data);
    free(path);
    sp_chain_free(chain);
    sp_scratch_free(scratch);
}

static void test_edges(void **state)
{
    (void)state;
    random_shape shape = {.max_classes = 1, .max_steps = 0, .max_states_per_class = 1, .max_dwell = 1};
    random_case c = random_case_new(1, &shape);
    sp_scratch *scratch = sp_scratch_new();
    double score = 77, margin = 77;
    sp_nbest_paths out = {.scores = &score};
    sp_error err;
    assert_ok(sp_nbest(c.chain, &c.scores, 5, scratch, &out, &err), &err); /* one empty path */
    assert_true(out.n_found == 1 && score == 0);
    assert_ok(sp_margin(c.chain, &c.scores, scratch, NULL, &margin, &err), &err);
    assert_true(margin == INFINITY);
    assert_int_equal(sp_nbest(c.chain, &c.scores, 0, scratch, &out, &err), SP_EINVAL);
    assert_int_equal(sp_nbest(c.chain, &c.scores, INT32_MAX, scratch, &out, &err), SP_EINVAL);
    c.scores.n_classes = 2;
    assert_int_equal(sp_nbest(c.chain, &c.scores, 2, scratch, &out, &err), SP_EINVAL);
    c.scores.n_classes = 1;
    sp_scratch_free(scratch);
    random_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_small_model), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_on_demand),         cmocka_unit_test(test_states),
        cmocka_unit_test(test_many_steps),        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
