/* Posteriors of spans against sums over all paths of small random models, whose classes are read as random
 * tags. */
#include "check.h"
#include "failing_alloc.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/advanced.h"

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {4, 6, 1, 1, NO, WEIGHTS, GAPS, .impossible = 0.3},   {4, 6, 1, 1, TIES, NO, NO, .impossible = 0.2},
    {2, 7, 1, 4, NO, WEIGHTS, GAPS, .impossible = 0.2},   {3, 6, 3, 3, NO, WEIGHTS, GAPS, .impossible = 0.1},
    {3, 6, 3, 1, TIES, WEIGHTS, GAPS, .impossible = 0.2},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 1500, MOST_CLASSES = 4 };

/* What a class says: outside, or of an entity of a type, which begins with it or ends with it or neither. */
typedef struct tag {
    int32_t type; /* -1: outside */
    bool begins, ends;
} tag;
static const tag outside = {.type = -1};

static bool is_border(tag before, tag now)
{
    return now.begins || before.ends || now.type != before.type;
}

/* Is there a border of entities of one type before step t? */
static bool is_parted(const tag *tags, const sp_scores *s, const int32_t *path, int64_t t)
{
    return t == 0 || t == s->n_steps || sp_scores_is_gap(s, t) || is_border(tags[path[t - 1]], tags[path[t]]);
}

static bool reads_as(const tag *tags, const sp_scores *s, const int32_t *path, int64_t first, int64_t last,
                     int32_t type)
{
    if (!is_parted(tags, s, path, first) || !is_parted(tags, s, path, last + 1))
        return false;
    for (int64_t t = first; t <= last; t++)
        if (tags[path[t]].type != type || (t > first && is_parted(tags, s, path, t)))
            return false;
    return true;
}

/* The share of the weight of all paths that those have which read as having the span. */
static double share_of(const tag *tags, const sp_scores *s, const oracle_list *l, const sp_span_place *span)
{
    double sum = 0;
    for (int i = 0; i < l->n; i++)
        if (reads_as(tags, s, l->paths[i].path, span->first, span->last, span->type))
            sum += exp(l->paths[i].log_sum - l->log_z);
    return sum;
}

static bool reads(const void *arg, int32_t type, sp_span_pair pair, int32_t before, int32_t now)
{
    const tag *tags = arg, from = before < 0 ? outside : tags[before], to = now < 0 ? outside : tags[now];
    return pair == SP_SPAN_BEGINS ? to.type == type && is_border(from, to)
                                  : from.type == type && is_border(from, to) == (pair == SP_SPAN_ENDS);
}

static void draw_tags(random_source *random, int32_t n, tag *tags)
{
    for (int32_t k = 0; k < n; k++) {
        tags[k] = outside;
        if (random_chance(random, 0.8))
            tags[k] = (tag){random_below(random, 2), random_chance(random, 0.5), random_chance(random, 0.5)};
    }
}

/* The spans of a path; returns how many. */
static int64_t spans_of(const random_case *c, const tag *tags, const int32_t *path, sp_span_place *spans)
{
    int64_t n = 0;
    for (int64_t first = 0; first < c->scores.n_steps; first++)
        for (int64_t last = first; last < c->scores.n_steps; last++)
            for (int32_t type = 0; type < 2; type++)
                if (reads_as(tags, &c->scores, path, first, last, type))
                    spans[n++] = (sp_span_place){first, last, type};
    return n;
}

static void check_case(uint64_t seed, sp_scratch *scratch, int64_t *n_sure)
{
    random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
    const oracle_declared declared = {c.model, &c.options, 0, NULL};
    random_source random = {seed * 31 + 7};
    tag tags[MOST_CLASSES];
    int32_t path[ORACLE_STEPS];
    sp_span_place spans[ORACLE_STEPS];
    double posteriors[ORACLE_STEPS];
    sp_error err;
    const int64_t T = c.scores.n_steps;
    draw_tags(&random, c.scores.n_classes, tags);
    const bool has_path = sp_viterbi(c.chain, &c.scores, scratch, path, NULL, &err) == SP_OK;
    for (int64_t t = 0; t < T; t++) /* the best path, or any */
        if (!has_path || random_chance(&random, 0.2))
            path[t] = random_below(&random, c.scores.n_classes);
    const int64_t n = spans_of(&c, tags, path, spans);
    for (int64_t i = 0; i < n; i++)
        posteriors[i] = -1;
    if (T > 0 && n > 0) {
        oracle_list all = oracle_list_new(&declared, &c.scores);
        const sp_status status =
            sp_span_posteriors(c.chain, &c.scores, scratch, reads, tags, n, spans, posteriors, &err);
        assert_int_equal(status, has_path ? SP_OK : SP_ENOPATH);
        for (int64_t i = 0; i < n; i++) {
            const double share = share_of(tags, &c.scores, &all, &spans[i]);
            assert_close(posteriors[i], has_path ? share : -1, 1e-9, 1e-9);
            assert_int_equal(posteriors[i] == 0, has_path && share == 0);
            *n_sure += posteriors[i] > 0 && posteriors[i] < 1;
        }
        oracle_list_free(&all);
    }
    random_case_free(&c);
}

static void posteriors_are_sums_over_all_paths(void **state)
{
    (void)state;
    int64_t n_sure = 0;
    sp_scratch *scratch = sp_scratch_new();
    assert_non_null(scratch);
    for (uint64_t seed = 0; seed < CASES; seed++)
        check_case(seed, scratch, &n_sure);
    assert_true(n_sure > CASES / 3); /* the cases say something */
    sp_scratch_free(scratch);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    random_case c = random_case_new(3, &shapes[0]);
    for (uint64_t seed = 4; c.scores.n_steps == 0; seed++) {
        random_case_free(&c);
        c = random_case_new(seed, &shapes[0]);
    }
    const tag one = {.begins = true}, tags[MOST_CLASSES] = {one, one, one, one};
    const sp_span_place span = {0, 0, 0};
    double posterior = -1;
    sp_error err;
    sp_scratch *scratch = sp_scratch_new();
    assert_non_null(scratch);
    failing_alloc_arm(0);
    const sp_status status =
        sp_span_posteriors(c.chain, &c.scores, scratch, reads, tags, 1, &span, &posterior, &err);
    assert_true(failing_alloc_disarm());
    assert_int_equal(status, SP_ENOMEM);
    assert_true(posterior == -1);
    sp_scratch_free(scratch);
    random_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posteriors_are_sums_over_all_paths),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
