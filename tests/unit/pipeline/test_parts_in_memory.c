/* Parts of recordings in memory: two of them give what one run gives, bytes that are damaged give a sentence, and so does each
 * lack of memory. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/comparison.h"
#include "statepath/pipeline.h"
#include "statepath/report.h"

enum { N = 4, K = 5, STEPS = 12, S = N * STEPS };

static const char *const classes[K] = {"Wake", "N1", "N2", "N3", "REM"};
/* One subject: no intervals, so that many runs are soon done. "n10" before "n9": not in natural order. */
static const char *const ids[N] = {"n1", "n10", "n9", "n2"}, *const subjects[N] = {"p", "p", "p", "p"};
static const int64_t offsets[N + 1] = {0, STEPS, 2 * STEPS, 3 * STEPS, S};
static float scores[S * K];
static int32_t labels[S];

static int setup(void **state)
{
    (void)state;
    for (int t = 0; t < S; t++) {
        labels[t] = t * t / 5 % K - (t % 11 == 0);
        for (int k = 0; k < K; k++)
            scores[t * K + k] = (float)((t * 7 + k * 13) % 11) + (k == labels[t] ? 4.0F : 0.0F);
    }
    return 0;
}

/* Recordings first .. first+n-1. */
static sp_arrays arrays(int64_t first, int64_t n)
{
    return (sp_arrays){.info = {.file = "scores",
                                .kind = SP_KIND_SCORES,
                                .dtype = SP_F32,
                                .n_recordings = n,
                                .n_classes = K,
                                .ids = ids + first,
                                .offsets = offsets,
                                .classes = classes},
                       .scores = scores + first * STEPS * K,
                       .labels = labels + first * STEPS,
                       .subjects = subjects};
}

static sp_run_options options(void)
{
    sp_run_options o = sp_run_options_default();
    o.model = "sleep-aasm";
    o.decode.threads = 1;
    return o;
}

static sp_status count(int64_t first, int64_t n, char *shard, unsigned char **bytes, size_t *n_bytes,
                       sp_error *err)
{
    sp_arrays a = arrays(first, n);
    const sp_recordings recordings = sp_recordings_of_arrays(&a);
    sp_run_options o = options();
    o.part.shard = shard;
    return sp_compare_part(&recordings, &o, bytes, n_bytes, NULL, err);
}

typedef struct two_parts {
    unsigned char *bytes[2];
    sp_part_bytes parts[2];
} two_parts;

static sp_status count_two(bool are_shards, two_parts *t, sp_error *err)
{
    sp_status status = SP_OK;
    *t = (two_parts){.bytes = {NULL}};
    for (int i = 0; status == SP_OK && i < 2; i++) {
        status = are_shards
                     ? count(0, N, i ? (char *)"1/2" : (char *)"2/2", &t->bytes[i], &t->parts[i].n, err)
                     : count(i ? 0 : 2, 2, NULL, &t->bytes[i], &t->parts[i].n, err);
        t->parts[i].bytes = t->bytes[i];
    }
    return status;
}

static void free_two(two_parts *t)
{
    free(t->bytes[0]);
    free(t->bytes[1]);
}

static char *json_of(sp_comparison *comparison)
{
    sp_error err;
    char *text = NULL;
    assert_ok(sp_report_json(comparison, &text, &err), &err);
    sp_comparison_free(comparison);
    return text;
}

static char *json_of_parts(const two_parts *t)
{
    const sp_run_options o = options();
    sp_comparison *made = NULL;
    sp_error err;
    assert_ok(sp_merge_parts(2, t->parts, NULL, &o, &made, NULL, &err), &err);
    return json_of(made);
}

static void test_shards(void **unused)
{
    (void)unused;
    sp_arrays a = arrays(0, N);
    const sp_recordings all = sp_recordings_of_arrays(&a);
    const sp_run_options o = options();
    sp_comparison *whole = NULL;
    sp_error err;
    two_parts t;
    assert_ok(sp_compare(&all, &o, &whole, NULL, &err), &err);
    assert_ok(count_two(true, &t, &err), &err);
    char *one = json_of(whole), *two = json_of_parts(&t);
    assert_string_equal(one, two);
    free(one);
    free(two);
    sp_part_about about;
    assert_ok(sp_part_look(&t.parts[0], &about, &err), &err);
    assert_true(about.n_recordings == 2 && about.n_steps == 2 * STEPS && strcmp(about.ids[0], "n9") == 0);
    assert_non_null(strstr(about.model, "\"statepath_model\""));
    sp_part_about_clear(&about);
    free_two(&t);
}

/* By their ids, whatever the order of the arrays. */
static void test_natural_order(void **unused)
{
    (void)unused;
    const sp_run_options o = options();
    sp_comparison *made = NULL;
    sp_error err;
    two_parts t;
    assert_ok(count_two(false, &t, &err), &err);
    assert_ok(sp_merge_parts(2, t.parts, NULL, &o, &made, NULL, &err), &err);
    const char *const wanted[N] = {"n1", "n2", "n9", "n10"};
    for (int r = 0; r < N; r++)
        assert_string_equal(made->ids[r], wanted[r]);
    sp_comparison_free(made);
    free_two(&t);
}

static void test_damage(void **unused)
{
    (void)unused;
    const sp_run_options o = options();
    sp_comparison *made = NULL;
    sp_error err;
    two_parts t;
    assert_ok(count_two(false, &t, &err), &err);
    for (size_t i = 0; i < t.parts[0].n; i += 7) {
        t.bytes[0][i] ^= 16;
        assert_int_equal(sp_merge_parts(2, t.parts, NULL, &o, &made, NULL, &err), SP_EDATA);
        assert_non_null(strstr(err.message, "part 1"));
        t.bytes[0][i] ^= 16;
    }
    for (size_t n = 0; n < t.parts[0].n; n += 61) {
        const sp_part_bytes less = {t.bytes[0], n};
        assert_int_equal(sp_merge_parts(1, &less, NULL, &o, &made, NULL, &err), SP_EDATA);
    }
    assert_int_equal(sp_merge_parts(0, t.parts, NULL, &o, &made, NULL, &err), SP_EINVAL);
    free_two(&t);
}

/* ---- lack of memory ---- */

static sp_status attempt_count(void *arg)
{
    const two_parts *wanted = arg;
    sp_error err;
    two_parts t;
    const sp_status status = count_two(false, &t, &err);
    for (int i = 0; status == SP_OK && i < 2; i++) {
        assert_int_equal(t.parts[i].n, wanted->parts[i].n);
        assert_memory_equal(t.bytes[i], wanted->bytes[i], t.parts[i].n);
    }
    free_two(&t);
    return status;
}

typedef struct merging {
    two_parts *parts;
    const sp_comparison *wanted;
} merging;

static sp_status attempt_merge(void *arg)
{
    const merging *m = arg;
    const sp_run_options o = options();
    sp_arrays a = arrays(0, N);
    const sp_recordings all = sp_recordings_of_arrays(&a);
    sp_comparison *made = NULL;
    sp_error err;
    const sp_status status = sp_merge_parts(2, m->parts->parts, &all, &o, &made, NULL, &err);
    assert_true(status == SP_OK ? made->n_recordings == N : !made);
    for (int32_t s = 0; status == SP_OK && s < made->n_strategies; s++)
        assert_memory_equal(made->strategies[s].confusion, m->wanted->strategies[s].confusion,
                            K * K * sizeof(int64_t));
    sp_comparison_free(made);
    return status;
}

static sp_status attempt_look(void *arg)
{
    const two_parts *t = arg;
    sp_part_about about;
    sp_error err;
    const sp_status status = sp_part_look(&t->parts[0], &about, &err);
    assert_int_equal(about.n_recordings, status == SP_OK ? 2 : 0);
    sp_part_about_clear(&about);
    return status;
}

static void test_memory(void **unused)
{
    (void)unused;
    const sp_run_options o = options();
    sp_comparison *whole = NULL;
    sp_error err;
    two_parts t;
    assert_ok(count_two(false, &t, &err), &err);
    assert_ok(sp_merge_parts(2, t.parts, NULL, &o, &whole, NULL, &err), &err);
    merging m = {&t, whole};
    assert_true(assert_each_alloc_may_fail_or_not_matter(attempt_count, &t) > 100);
    assert_true(assert_each_alloc_may_fail_or_not_matter(attempt_look, &t) > 5);
    assert_true(assert_each_alloc_may_fail_or_not_matter(attempt_merge, &m) > 100);
    sp_comparison_free(whole);
    free_two(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shards), cmocka_unit_test(test_natural_order),
                                       cmocka_unit_test(test_damage), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
