/* Beam and fixed-lag decoding against their definitions, and the stream against the file. */
#include "check.h"
#include "decode_one.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/stream.h"

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {4, 6, 1, 1, TIES, WEIGHTS, GAPS, 0.3}, {4, 6, 1, 1, NO, WEIGHTS, GAPS, 0.2},
    {2, 7, 1, 3, TIES, NO, GAPS, 0.2},      {3, 6, 3, 1, TIES, WEIGHTS, GAPS, 0.2},
    {3, 6, 2, 3, TIES, NO, GAPS, 0.1},      {3, 6, 3, 2, NO, WEIGHTS, NO, 0.1},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 800, MOST_STATES = 200 };

static bool is_lower(const int32_t *a, const int32_t *b, int64_t n_steps)
{
    for (int64_t t = n_steps - 1; t >= 0; t--)
        if (a[t] != b[t])
            return a[t] < b[t];
    return false;
}

/* ---- fixed lag by definition: enumerate the partial paths that end at t+L and agree so far ---- */

typedef struct agreeing {
    int64_t n_steps, n_decided;
    const int32_t *decided;
    double score;
    int32_t path[ORACLE_STEPS];
} agreeing;

static void keep_agreeing(void *arg, const int32_t *path, double score, int64_t n_broken,
                          double relaxed_score)
{
    (void)n_broken;
    (void)relaxed_score;
    agreeing *a = arg;
    for (int64_t t = 0; t < a->n_decided; t++)
        if (path[t] != a->decided[t])
            return;
    if (score > a->score || (score == a->score && score > -INFINITY && is_lower(path, a->path, a->n_steps))) {
        a->score = score;
        memcpy(a->path, path, (size_t)a->n_steps * sizeof *path);
    }
}

/* Returns the step where it got stuck, or -1. */
static int64_t oracle_online(dense_model *m, const sp_scores *scores, int64_t lag, int32_t *path)
{
    double no_end[MOST_STATES] = {0}, *end = m->end;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        bool is_last = t + lag >= scores->n_steps;
        sp_scores seen = *scores;
        seen.n_steps = is_last ? scores->n_steps : t + lag + 1;
        agreeing a = {.n_steps = seen.n_steps, .n_decided = t, .decided = path, .score = -INFINITY};
        m->end = is_last ? end : no_end;
        oracle_enumerate(m, &seen, keep_agreeing, &a);
        m->end = end;
        if (a.score == -INFINITY)
            return seen.n_steps - 1;
        path[t] = a.path[t];
    }
    agreeing a = {
        .n_steps = scores->n_steps, .n_decided = scores->n_steps, .decided = path, .score = -INFINITY};
    oracle_enumerate(m, scores, keep_agreeing,
                     &a); /* lag 0 decides the last step before it knows that it is the last */
    return a.score == -INFINITY ? scores->n_steps - 1 : -1;
}

/* ---- beam by definition: whole histories, sorted ---- */

typedef struct partial {
    int32_t state;
    double score;
    int32_t path[ORACLE_STEPS];
    int32_t states[ORACLE_STEPS];
} partial;

static int64_t sort_steps;

/* By classes from the last step back; should they be the same throughout, by states from the first step on. */
static bool is_before(const partial *a, const partial *b, int64_t n_steps)
{
    if (is_lower(a->path, b->path, n_steps))
        return true;
    if (is_lower(b->path, a->path, n_steps))
        return false;
    for (int64_t t = 0; t < n_steps; t++)
        if (a->states[t] != b->states[t])
            return a->states[t] < b->states[t];
    return false;
}

static int compare_partials(const void *a, const void *b)
{
    const partial *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return is_before(x, y, sort_steps) ? -1 : is_before(y, x, sort_steps);
}

/* The best way into state j from those kept; false when there is none. */
static bool extend(const dense_model *m, const sp_scores *scores, int64_t t, const partial *kept, int n_kept,
                   int32_t j, partial *out)
{
    out->state = j;
    out->score = t == 0 ? m->start[j] : -INFINITY;
    for (int n = 0; t > 0 && n < n_kept; n++) {
        double weight = sp_scores_is_gap(scores, t) ? (m->is_entry[j] ? 0 : -INFINITY)
                                                    : m->weight[kept[n].state * m->n_states + j];
        double score = kept[n].score + weight;
        if (score > out->score || (score == out->score && score > -INFINITY && is_before(&kept[n], out, t))) {
            *out = kept[n];
            out->state = j;
            out->score = score;
        }
    }
    out->path[t] = m->state_class[j];
    out->states[t] = j;
    out->score += sp_scores_at(scores, t, m->state_class[j]);
    return out->score > -INFINITY;
}

/* Returns the step where it got stuck, or -1. */
static int64_t oracle_beam(const dense_model *m, const sp_scores *scores, int width, int32_t *path)
{
    partial kept[MOST_STATES], grown[MOST_STATES];
    int n_kept = 0;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        int n_grown = 0;
        for (int32_t j = 0; j < m->n_states; j++)
            n_grown += extend(m, scores, t, kept, n_kept, j, &grown[n_grown]);
        sort_steps = t + 1;
        qsort(grown, (size_t)n_grown, sizeof *grown, compare_partials);
        n_kept = n_grown < width ? n_grown : width;
        memcpy(kept, grown, (size_t)n_kept * sizeof *kept);
        if (n_kept == 0)
            return t;
    }
    for (int n = 0; n < n_kept; n++)
        kept[n].score += m->end[kept[n].state];
    qsort(kept, (size_t)n_kept, sizeof *kept, compare_partials);
    if (kept[0].score == -INFINITY)
        return scores->n_steps - 1;
    memcpy(path, kept[0].path, (size_t)scores->n_steps * sizeof *path);
    return -1;
}

/* ---- checks ---- */

typedef sp_status decoder(const sp_chain *, const sp_scores *, int32_t, sp_scratch *, int32_t *, double *,
                          sp_error *);

/* The expected path with its own score, or the expected failure and nothing written. Returns the status. */
static sp_status check(const random_case *c, const dense_model *m, const char *what, decoder *decode,
                       int32_t parameter, sp_scratch *scratch, int64_t stuck, const int32_t *expected)
{
    int32_t path[ORACLE_STEPS];
    double score = 77, own;
    sp_error err;
    memset(path, 0x55, sizeof path);
    sp_status status = decode(c->chain, &c->scores, parameter, scratch, path, &score, &err);
    if (stuck < 0) {
        assert_ok(status, &err);
        assert_same_path(c->seed, what, parameter, path, expected, c->scores.n_steps);
        assert_ok(sp_path_score(c->chain, &c->scores, path, &own, &err), &err);
        assert_true(own == score && own > -INFINITY);
        return status;
    }
    int64_t unreachable = oracle_first_unreachable(m, &c->scores);
    assert_int_equal(status, unreachable >= 0 ? SP_ENOPATH : SP_EDEADEND);
    assert_int_equal(err.step, unreachable >= 0 ? unreachable : stuck);
    assert_true(score == 77 && path[0] == 0x55555555);
    return status;
}

static void test_definitions(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0, n_dead_ends = 0, n_unlike_viterbi = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        if (c.scores.n_steps > 0) {
            dense_model *m = dense_model_new(c.model, c.class_of_column);
            int32_t expected[ORACLE_STEPS] = {0}, best[ORACLE_STEPS] = {0};
            double best_score;
            bool has_path = oracle_viterbi(m, &c.scores, best, &best_score);
            size_t size = (size_t)c.scores.n_steps * sizeof *best;
            for (int32_t lag = 0; lag <= 3; lag++) {
                int64_t stuck = oracle_online(m, &c.scores, lag, expected);
                sp_status status = check(&c, m, "online", decode_online, lag, scratch, stuck, expected);
                n_dead_ends += status == SP_EDEADEND;
                n_paths += status == SP_OK;
                n_unlike_viterbi += status == SP_OK && memcmp(expected, best, size) != 0;
            }
            for (int32_t width = 1; width <= 5; width++) {
                int64_t stuck = oracle_beam(m, &c.scores, width, expected);
                sp_status status = check(&c, m, "beam", decode_beam, width, scratch, stuck, expected);
                n_dead_ends += status == SP_EDEADEND;
                n_unlike_viterbi += status == SP_OK && memcmp(expected, best, size) != 0;
            }
            /* Enough lag, enough width: Viterbi. */
            int64_t none = has_path ? -1 : 0;
            check(&c, m, "online", decode_online, (int32_t)c.scores.n_steps, scratch, none, best);
            check(&c, m, "online", decode_online, INT32_MAX, scratch, none, best);
            check(&c, m, "beam", decode_beam, m->n_states, scratch, none, best);
            check(&c, m, "beam", decode_beam, INT32_MAX, scratch, none, best);
            dense_model_free(m);
        }
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n_paths > CASES && n_dead_ends > 100 && n_unlike_viterbi > 100);
}

/* Many classes of which few are ever live, and ties everywhere: the beam still knows which comes first. */
static void test_sparse_beam(void **state)
{
    (void)state;
    enum { SUCCESSORS = 3, STEPS = 7 };
    sp_scratch *scratch = sp_scratch_new();
    for (uint64_t seed = 0; seed < 20; seed++) {
        random_source random = {seed};
        char(*text)[16] = malloc(MOST_STATES * sizeof *text);
        const char *names[MOST_STATES];
        for (int32_t k = 0; k < MOST_STATES; k++) {
            snprintf(text[k], sizeof text[k], "c%d", (int)k);
            names[k] = text[k];
        }
        random_case c = {.seed = seed, .model = sp_model_new("sparse", MOST_STATES, names)};
        uint8_t *allow = calloc(MOST_STATES * MOST_STATES, 1);
        for (int32_t i = 0; i < MOST_STATES * SUCCESSORS; i++)
            allow[i / SUCCESSORS * MOST_STATES + random_below(&random, MOST_STATES)] = 1;
        sp_error err;
        assert_ok(sp_model_set_matrix(c.model, allow, NULL, &err), &err);
        assert_ok(sp_chain_new(c.model, NULL, &c.chain, &err), &err);
        double *data = malloc(STEPS * MOST_STATES * sizeof *data);
        for (int i = 0; i < STEPS * MOST_STATES; i++)
            data[i] = random_below(&random, 2);
        c.scores = (sp_scores){data, SP_F64, MOST_STATES, STEPS, NULL, NULL, NULL};
        dense_model *m = dense_model_new(c.model, NULL);
        for (int32_t width = 1; width <= 4; width++) {
            int32_t expected[ORACLE_STEPS];
            int64_t stuck = oracle_beam(m, &c.scores, width, expected);
            check(&c, m, "beam", decode_beam, width, scratch, stuck, expected);
        }
        dense_model_free(m);
        sp_chain_free(c.chain);
        sp_model_free(c.model);
        free(data);
        free(allow);
        free(text);
    }
    sp_scratch_free(scratch);
}

/* online:0 is greedy where nothing is said about the end. */
static void test_lag_zero_is_greedy(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        random_shape shape = shapes[seed % N_SHAPES];
        shape.max_steps = 80;
        shape.impossible = 0.02;
        random_case c = random_case_new(seed, &shape);
        free(c.model->end);
        c.model->end = NULL;
        c.model->min_dwell_at_end = false;
        sp_chain_free(c.chain);
        sp_chain_options options = sp_chain_options_default();
        options.class_of_column = c.class_of_column;
        sp_error err, greedy_err;
        assert_ok(sp_chain_new(c.model, &options, &c.chain, &err), &err);
        int32_t path[80], greedy[80];
        sp_status status = decode_online(c.chain, &c.scores, 0, scratch, path, NULL, &err);
        assert_int_equal(decode_greedy(c.chain, &c.scores, scratch, greedy, NULL, &greedy_err), status);
        if (status == SP_OK)
            assert_same_path(seed, "online", 0, path, greedy, c.scores.n_steps);
        else
            assert_int_equal(err.step, greedy_err.step);
        n_paths += status == SP_OK;
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n_paths > 200);
}

/* ---- streams ---- */

/* Pushes a recording; path gets what is decided. Returns the status of the call that failed, or SP_OK. */
static sp_status stream(sp_online *online, const random_case *c, int32_t lag, int32_t *path, sp_error *err)
{
    int64_t n = 0;
    for (int64_t t = 0; t < c->scores.n_steps; t++) {
        int32_t k = -5;
        const double *row = c->data + t * c->scores.n_classes;
        sp_status status = sp_online_push(online, row, sp_scores_is_gap(&c->scores, t), &k, err);
        if (status != SP_OK) {
            assert_int_equal(k, -5);
            assert_int_equal(err->step, t);
            sp_online_restart(online);
            return status;
        }
        assert_int_equal(k >= 0, t >= lag);
        if (k >= 0)
            path[n++] = k;
        assert_int_equal(sp_online_pending(online), t + 1 - n);
    }
    int32_t n_rest = -5;
    sp_status status = sp_online_finish(online, path + n, &n_rest, err);
    if (status != SP_OK) {
        assert_int_equal(n_rest, -5);
        assert_int_equal(err->step, c->scores.n_steps - 1);
        sp_online_restart(online);
        return status;
    }
    assert_int_equal(n + n_rest, c->scores.n_steps);
    return SP_OK;
}

/* The first failure of a stream: no path reaches the step, or none that agrees. */
static sp_status expected_failure(const random_case *c, const dense_model *m, int64_t step)
{
    int64_t unreachable = oracle_first_unreachable(m, &c->scores);
    return unreachable >= 0 && unreachable <= step ? SP_ENOPATH : SP_EDEADEND;
}

/* One stream object after another recording, of any length, growing on the way. */
static void test_stream_is_file(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0, n_failed = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        random_shape shape = shapes[seed % N_SHAPES];
        shape.max_steps = 120;
        shape.impossible = 0.02;
        random_case c = random_case_new(seed, &shape);
        random_source random = {seed};
        dense_model *m = dense_model_new(c.model, c.class_of_column);
        int32_t lag = (int32_t[]){0, 1, 2, 7, 20, 200}[random_below(&random, 6)];
        sp_online *online;
        sp_error err;
        assert_ok(sp_online_new(c.chain, lag, &online, &err), &err);
        for (int again = 0; again < 3; again++) {
            int32_t path[121], file[121], best[121];
            double best_score;
            sp_status status = stream(online, &c, lag, path, &err);
            int64_t step = err.step;
            assert_int_equal(sp_online_pending(online), 0);
            sp_status file_status = decode_online(c.chain, &c.scores, lag, scratch, file, NULL, &err);
            assert_int_equal(status == SP_OK, file_status == SP_OK);
            if (status == SP_OK)
                assert_same_path(seed, "stream", lag, path, file, c.scores.n_steps);
            else
                assert_int_equal(status, expected_failure(&c, m, step));
            bool has_path = oracle_viterbi(m, &c.scores, best, &best_score);
            if (lag >= c.scores.n_steps) {
                assert_int_equal(status == SP_OK, has_path);
                if (has_path)
                    assert_same_path(seed, "stream", lag, path, best, c.scores.n_steps);
            }
            n_paths += status == SP_OK;
            n_failed += status != SP_OK;
            random_case_draw_scores(&c, &random, random_below(&random, 121), &shape);
        }
        sp_online_free(online);
        dense_model_free(m);
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n_paths > 300 && n_failed > 100);
}

/* ---- exact streams ---- */

/* Pushes a recording to an exact stream. when [T]: the step after which each was decided. The status of the call that failed, or SP_OK. */
static sp_status exact_stream(sp_online *online, const random_case *c, int32_t *path, int64_t *when,
                              sp_error *err)
{
    int64_t done = 0;
    for (int64_t t = 0; t < c->scores.n_steps; t++) {
        int32_t n = -5;
        const sp_status status = sp_online_push_exact(online, c->data + t * c->scores.n_classes,
                                                      sp_scores_is_gap(&c->scores, t), path + done, &n, err);
        if (status != SP_OK) {
            assert_int_equal(n, -5);
            sp_online_restart(online);
            return status;
        }
        for (int32_t i = 0; i < n; i++)
            when[done + i] = t;
        done += n;
        assert_int_equal(sp_online_pending(online), t + 1 - done);
    }
    int32_t n_rest = -5;
    const sp_status status = sp_online_finish(online, path + done, &n_rest, err);
    for (int64_t t = done; status == SP_OK && t < c->scores.n_steps; t++)
        when[t] = c->scores.n_steps;
    if (status != SP_OK)
        sp_online_restart(online);
    return status;
}

/* Without a greatest lag the path is Viterbi's; with one it is that of a fixed lag, and a step is forced where it came at the lag and not all agreed. */
static void test_exact_stream_is_viterbi(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    int64_t n_paths = 0, n_early = 0, n_steps = 0, n_forced = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        random_shape shape = shapes[seed % N_SHAPES];
        shape.max_steps = 120;
        shape.impossible = seed % 2 ? 0 : 0.02;
        random_case c = random_case_new(seed, &shape);
        random_source random = {seed};
        const int32_t lag = (int32_t[]){-1, -1, 0, 1, 3, 12}[random_below(&random, 6)];
        sp_online *online;
        sp_error err;
        assert_ok(sp_online_new_exact(c.chain, lag, &online, &err), &err);
        for (int again = 0; again < 2; again++) {
            int32_t path[122], whole[121];
            int64_t when[121];
            const sp_status status = exact_stream(online, &c, path, when, &err);
            const sp_status expected =
                lag < 0 ? sp_viterbi(c.chain, &c.scores, scratch, whole, NULL, &err)
                        : decode_online(c.chain, &c.scores, lag, scratch, whole, NULL, &err);
            assert_int_equal(status == SP_OK, expected == SP_OK);
            if (status == SP_OK)
                assert_same_path(seed, "exact stream", lag, path, whole, c.scores.n_steps);
            for (int64_t t = 0; status == SP_OK && t < c.scores.n_steps; t++) {
                assert_true(lag < 0 || when[t] <= t + lag || when[t] == c.scores.n_steps);
                n_early += when[t] < c.scores.n_steps;
            }
            n_paths += status == SP_OK;
            n_steps += status == SP_OK ? c.scores.n_steps : 0;
            random_case_draw_scores(&c, &random, random_below(&random, 121), &shape);
        }
        n_forced += lag == 0;
        sp_online_free(online);
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    printf("%lld paths, %lld of %lld steps before the end\n", (long long)n_paths, (long long)n_early,
           (long long)n_steps);
    assert_true(n_paths > 1000 && n_early > n_steps / 4 && n_forced > 50);
}

/* The best partial path into each class, ties to the lowest history. */
typedef struct survivors {
    int64_t n_steps;
    double score[8];
    int32_t path[8][ORACLE_STEPS];
} survivors;

static void keep_survivors(void *arg, const int32_t *path, double score, int64_t n_broken,
                           double relaxed_score)
{
    (void)n_broken;
    (void)relaxed_score;
    survivors *v = arg;
    const int32_t k = path[v->n_steps - 1];
    if (score > v->score[k] ||
        (score == v->score[k] && score > -INFINITY && is_lower(path, v->path[k], v->n_steps))) {
        v->score[k] = score;
        memcpy(v->path[k], path, (size_t)v->n_steps * sizeof *path);
    }
}

/* Not a step later than all survivors agree, by enumeration: models of one state a class. */
static void test_exact_stream_decides_at_once(void **state)
{
    (void)state;
    int64_t n_checked = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % 2]);
        dense_model *m = dense_model_new(c.model, c.class_of_column);
        double no_end[MOST_STATES] = {0}, *end = m->end;
        sp_online *online;
        sp_error err;
        assert_ok(sp_online_new_exact(c.chain, -1, &online, &err), &err);
        int64_t done = 0;
        for (int64_t t = 0; t < c.scores.n_steps; t++) {
            int32_t path[ORACLE_STEPS + 1], n;
            if (sp_online_push_exact(online, c.data + t * c.scores.n_classes, sp_scores_is_gap(&c.scores, t),
                                     path, &n, &err) != SP_OK)
                break;
            done += n;
            survivors v = {.n_steps = t + 1};
            for (int k = 0; k < 8; k++)
                v.score[k] = -INFINITY;
            sp_scores seen = c.scores;
            seen.n_steps = t + 1;
            m->end = no_end;
            oracle_enumerate(m, &seen, keep_survivors, &v);
            m->end = end;
            int64_t agreed = 0;
            for (bool all = true; all && agreed <= t; agreed += all) {
                int32_t of = -1;
                for (int k = 0; k < 8; k++)
                    if (v.score[k] > -INFINITY) {
                        all = all && (of < 0 || v.path[k][agreed] == of);
                        of = v.path[k][agreed];
                    }
            }
            if (agreed != done)
                fail_msg("seed %llu: after step %d %d steps are decided, but survivors agree on %d",
                         (unsigned long long)seed, (int)t, (int)done, (int)agreed);
            n_checked++;
        }
        sp_online_free(online);
        dense_model_free(m);
        random_case_free(&c);
    }
    assert_true(n_checked > 1000);
}

/* Each kind of stream has a call of its own. */
static void test_exact_calls(void **state)
{
    (void)state;
    random_case c = random_case_new(1, &shapes[0]);
    sp_online *fixed, *exact;
    sp_error err;
    int32_t classes[4], n;
    assert_ok(sp_online_new(c.chain, 1, &fixed, &err), &err);
    assert_ok(sp_online_new_exact(c.chain, -1, &exact, &err), &err);
    assert_int_equal(sp_online_push_exact(fixed, c.data, false, classes, &n, &err), SP_EINVAL);
    assert_int_equal(sp_online_push(exact, c.data, false, classes, &err), SP_EINVAL);
    assert_int_equal(sp_online_forced(exact), 0);
    sp_online_free(fixed);
    sp_online_free(exact);
    random_case_free(&c);
}

/* Two classes that never change into each other. */
static sp_chain *two_islands(void)
{
    const char *names[] = {"a", "b"};
    uint8_t allow[] = {1, 0, 0, 1};
    sp_model *model = sp_model_new("islands", 2, names);
    sp_error err;
    sp_chain *chain;
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* A push that fails takes nothing: the stream can go on with another row, or after a gap. */
static void test_failed_push(void **state)
{
    (void)state;
    sp_chain *chain = two_islands();
    sp_online *online;
    sp_error err;
    int32_t k, rest[4], n_rest;
    double both[] = {0, -1}, only_b[] = {-INFINITY, 0}, none[] = {-INFINITY, -INFINITY}, bad[] = {0, NAN},
           worse[] = {INFINITY, 0};
    assert_int_equal(sp_online_new(chain, -1, &online, &err), SP_EINVAL);
    assert_ok(sp_online_new(chain, 1, &online, &err), &err);
    assert_ok(sp_online_push(online, both, false, &k, &err), &err);
    assert_int_equal(k, -1);
    assert_ok(sp_online_push(online, both, false, &k, &err), &err);
    assert_int_equal(k, 0); /* a, and with it for good */
    assert_int_equal(sp_online_push(online, only_b, false, &k, &err), SP_EDEADEND);
    assert_int_equal(err.step, 2);
    assert_int_equal(sp_online_push(online, none, false, &k, &err), SP_ENOPATH);
    assert_int_equal(sp_online_push(online, bad, false, &k, &err), SP_EDATA);
    assert_non_null(strstr(err.message, "class 1"));
    assert_int_equal(sp_online_push(online, worse, false, &k, &err), SP_EDATA);
    assert_int_equal(k, 0);
    assert_ok(sp_online_push(online, only_b, true, &k, &err), &err);
    assert_int_equal(k, 0);
    assert_ok(sp_online_push(online, both, false, &k, &err), &err);
    assert_int_equal(k, 1);
    assert_ok(sp_online_finish(online, rest, &n_rest, &err), &err);
    assert_true(n_rest == 1 && rest[0] == 1);
    assert_ok(sp_online_finish(online, rest, &n_rest, &err), &err); /* an empty recording */
    assert_int_equal(n_rest, 0);
    sp_online_free(online);
    sp_online_free(NULL);
    sp_chain_free(chain);
}

/* A stream as long as one likes: values stay small, decisions stay right. Scores of -1e12 a step would eat all digits of a sum.
 */
static void test_endless_stream(void **state)
{
    (void)state;
    const char *names[] = {"a", "b"};
    uint8_t allow[] = {1, 1, 1, 1};
    double weight[] = {0, -0.5, -0.5, 0};
    sp_model *model = sp_model_new("sticky", 2, names);
    sp_error err;
    sp_chain *chain;
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    for (int32_t lag = 0; lag <= 4; lag += 2) {
        sp_online *online;
        assert_ok(sp_online_new(chain, lag, &online, &err), &err);
        for (int64_t t = 0; t < 20000; t++) {
            bool is_b = t / 10 % 2;
            double row[] = {is_b ? -1e12 - 1 : -1e12, is_b ? -1e12 : -1e12 - 1};
            int32_t k;
            assert_ok(sp_online_push(online, row, false, &k, &err), &err);
            if (t >= lag)
                assert_int_equal(k, (t - lag) / 10 % 2);
        }
        sp_online_free(online);
    }
    sp_model_free(model);
    sp_chain_free(chain);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    sp_chain *chain = two_islands();
    sp_scratch *scratch = sp_scratch_new();
    double one[] = {0, 0}, score = 77;
    sp_scores scores = {one, SP_F64, 2, 1, NULL, NULL, NULL}, empty = {one, SP_F64, 2, 0, NULL, NULL, NULL},
              other = {one, SP_F64, 1, 2, NULL, NULL, NULL};
    int32_t path[2] = {77, 77};
    sp_error err;
    assert_int_equal(decode_beam(chain, &scores, 0, scratch, path, &score, &err), SP_EINVAL);
    assert_int_equal(decode_online(chain, &scores, -1, scratch, path, &score, &err), SP_EINVAL);
    assert_int_equal(decode_beam(chain, &other, 1, scratch, path, &score, &err), SP_EINVAL);
    assert_int_equal(decode_online(chain, &other, 1, scratch, path, &score, &err), SP_EINVAL);
    assert_true(score == 77 && path[0] == 77);
    assert_ok(decode_beam(chain, &empty, 1, scratch, path, &score, &err), &err);
    assert_true(score == 0);
    score = 77;
    assert_ok(decode_online(chain, &empty, 1, scratch, path, &score, &err), &err);
    assert_true(score == 0 && path[0] == 77);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_sparse_beam),
        cmocka_unit_test(test_lag_zero_is_greedy),
        cmocka_unit_test(test_exact_stream_is_viterbi),
        cmocka_unit_test(test_exact_stream_decides_at_once),
        cmocka_unit_test(test_exact_calls),
        cmocka_unit_test(test_stream_is_file),
        cmocka_unit_test(test_failed_push),
        cmocka_unit_test(test_endless_stream),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
