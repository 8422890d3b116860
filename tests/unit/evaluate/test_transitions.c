/* Counting transitions, forbidden ones, short runs; what breaks a chain. */
#include "check.h"
#include "statepath/metrics.h"

/* A chain over classes A, B, C from a matrix of what may follow; start, end lists and dwell may be NULL. */
static sp_chain *make_chain(const uint8_t *allow, const char *start, const char *end, const int32_t *dwell,
                            bool dwell_at_end)
{
    const char *const names[] = {"A", "B", "C"};
    sp_error err;
    sp_model *model = sp_model_new("test", 3, names);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    for (int side = 0; side < 2; side++) {
        const char *list = side ? end : start;
        double **out = side ? &model->end : &model->start;
        if (!list)
            continue;
        *out = malloc(3 * sizeof **out);
        assert_non_null(*out);
        for (int k = 0; k < 3; k++)
            (*out)[k] = strchr(list, names[k][0]) ? 0 : -INFINITY;
    }
    if (dwell) {
        model->min_dwell = malloc(3 * sizeof *model->min_dwell);
        assert_non_null(model->min_dwell);
        memcpy(model->min_dwell, dwell, 3 * sizeof *dwell);
    }
    model->min_dwell_at_end = dwell_at_end;
    sp_chain *chain = NULL;
    sp_chain_options options = sp_chain_options_default();
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

static const uint8_t all[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
static const uint8_t some[9] = {1, 1, 0, 1, 0, 1, 1, 1, 1}; /* not A -> C, not B -> B */

enum { N = -1, A, B, C };

static sp_transition_counts count(const sp_chain *chain, int64_t T, const int32_t *path,
                                  const int64_t *segments, int64_t *illegal, uint8_t *flags)
{
    sp_transition_counts counts = {0};
    sp_transitions_count(chain, T, path, segments, &counts, illegal, flags);
    return counts;
}

static void test_counts_and_flags(void **state)
{
    (void)state;
    sp_chain *chain = make_chain(some, NULL, NULL, NULL, false);
    const int32_t path[] = {A, C, C, B, B, B, A, A, C};
    int64_t illegal[9] = {0};
    uint8_t flags[9];
    memset(flags, 7, sizeof flags);
    sp_transition_counts c = count(chain, 9, path, NULL, illegal, flags);
    assert_int_equal(c.transitions, 8);
    assert_int_equal(c.changes, 4);
    assert_int_equal(c.illegal, 4); /* A->C twice, staying in B twice */
    assert_int_equal(illegal[A * 3 + C], 2);
    assert_int_equal(illegal[B * 3 + B], 2);
    const uint8_t expected[] = {0, 1, 0, 0, 1, 1, 0, 0, 1};
    assert_memory_equal(flags, expected, 9);
    assert_int_equal(c.illegal_start + c.illegal_end + c.short_runs, 0);
    sp_chain_free(chain);
}

static void test_chain_breaks(void **state)
{
    (void)state;
    sp_chain *chain = make_chain(some, NULL, NULL, NULL, false);
    const int32_t path[] = {A, N, C, A, C, A, A};
    const int64_t segments[] = {1, 1, 1, 1, 2, 2, 3};
    sp_transition_counts c = count(chain, 7, path, segments, NULL, NULL);
    assert_int_equal(c.transitions, 2); /* C A | C A */
    assert_int_equal(c.changes, 2);
    assert_int_equal(c.illegal, 0);
    c = count(chain, 7, path, NULL, NULL, NULL);
    assert_int_equal(c.transitions, 4);
    assert_int_equal(c.illegal, 1); /* A -> C, no longer across a gap */
    c = count(chain, 0, path, NULL, NULL, NULL);
    assert_int_equal(c.transitions, 0);
    c = count(chain, 1, path, NULL, NULL, NULL);
    assert_int_equal(c.transitions, 0);
    sp_chain_free(chain);
}

static void test_start_and_end(void **state)
{
    (void)state;
    sp_chain *chain = make_chain(all, "AB", "C", NULL, false);
    uint8_t flags[2];
    sp_transition_counts c = count(chain, 2, (const int32_t[]){C, A}, NULL, NULL, flags);
    assert_int_equal(c.illegal_start, 1);
    assert_int_equal(c.illegal_end, 1);
    assert_int_equal(flags[0], 1);
    assert_int_equal(flags[1], 0);
    c = count(chain, 2, (const int32_t[]){A, C}, NULL, NULL, flags);
    assert_int_equal(c.illegal_start + c.illegal_end + flags[0], 0);
    c = count(chain, 2, (const int32_t[]){N, N}, NULL, NULL, flags); /* unknown is not illegal */
    assert_int_equal(c.illegal_start + c.illegal_end, 0);
    c = count(chain, 1, (const int32_t[]){C}, NULL, NULL, NULL);
    assert_int_equal(c.illegal_start, 1);
    assert_int_equal(c.illegal_end, 0);
    /* A gap is neither a start nor an end. */
    c = count(chain, 4, (const int32_t[]){A, A, C, C}, (const int64_t[]){0, 0, 1, 1}, NULL, NULL);
    assert_int_equal(c.illegal_start + c.illegal_end, 0);
    sp_chain_free(chain);
}

static int64_t short_runs(const sp_chain *chain, int64_t T, const int32_t *path, const int64_t *segments)
{
    return count(chain, T, path, segments, NULL, NULL).short_runs;
}

static void test_short_runs(void **state)
{
    (void)state;
    const int32_t dwell[] = {3, 2, 1};
    sp_chain *chain = make_chain(all, NULL, NULL, dwell, false),
             *strict = make_chain(all, NULL, NULL, dwell, true);
    const int32_t whole[] = {A, A, A, B, B, C, A, A, A};
    assert_int_equal(short_runs(chain, 9, whole, NULL), 0);
    assert_int_equal(short_runs(strict, 9, whole, NULL), 0);
    const int32_t brief[] = {A, A, B, C,
                             A, A, B}; /* A A at the start, B, A A; the last B is cut off by the end */
    assert_int_equal(short_runs(chain, 7, brief, NULL), 3);
    assert_int_equal(short_runs(strict, 7, brief, NULL), 4);
    /* A run that a gap ends is long enough; after it the count starts afresh. */
    const int32_t cut[] = {A, A, A, C, C};
    assert_int_equal(short_runs(chain, 5, cut, (const int64_t[]){0, 0, 1, 1, 1}), 1);
    assert_int_equal(short_runs(chain, 5, cut, (const int64_t[]){0, 1, 1, 1, 1}), 1);
    assert_int_equal(short_runs(chain, 5, cut, (const int64_t[]){0, 0, 0, 1, 1}), 0);
    assert_int_equal(short_runs(chain, 4, (const int32_t[]){C, A, A, C}, (const int64_t[]){0, 0, 0, 1}), 0);
    /* A run that an unscored step cuts, on either side, may be longer than it looks. */
    assert_int_equal(short_runs(strict, 5, (const int32_t[]){C, A, N, C, C}, NULL), 0);
    assert_int_equal(short_runs(strict, 5, (const int32_t[]){C, N, A, C, C}, NULL), 0);
    assert_int_equal(short_runs(strict, 4, (const int32_t[]){N, A, B, C}, NULL), 1);
    assert_int_equal(short_runs(strict, 3, (const int32_t[]){C, N, A}, NULL), 0);
    /* ... but not when a gap lies between the unscored step and the run. */
    assert_int_equal(short_runs(chain, 4, (const int32_t[]){C, N, A, C}, (const int64_t[]){0, 0, 1, 1}), 1);
    sp_chain_free(chain);
    sp_chain_free(strict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_and_flags),
        cmocka_unit_test(test_chain_breaks),
        cmocka_unit_test(test_start_and_end),
        cmocka_unit_test(test_short_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
