/* Recordings packed without loss. */
#include "check.h"

#include <stdbool.h>

/* What is packed is read by the WebAssembly module of a page alone. */
#include "core/packed_scores.h"

enum { MOST = 3 * 4000 };

typedef struct kept {
    double scores[MOST];
    int32_t labels[4000];
    uint8_t gaps[4000];
} kept;

static sp_packed_steps view(kept *k, int64_t n_steps, bool has_labels, bool has_gaps)
{
    return (sp_packed_steps){n_steps, 3, k->scores, has_labels ? k->labels : NULL, has_gaps ? k->gaps : NULL};
}

/* What is there after the way out and back, in the order of packing; *n bytes in all. */
static void check_there_and_back(int n_recordings, kept *all, const sp_packed_steps *views, size_t *n)
{
    sp_packer *out = sp_packer_new(), *in = sp_packer_new();
    kept *found = calloc(1, sizeof *found);
    *n = 0;
    for (int r = 0; r < n_recordings; r++) {
        kept *right = malloc(sizeof *right);
        *right = all[r];
        uint8_t *bytes;
        size_t size;
        assert_int_equal(sp_pack(out, &views[r], SIZE_MAX, &bytes, &size), SP_OK);
        const size_t T = (size_t)views[r].n_steps;
        sp_packed_steps to = view(found, views[r].n_steps, views[r].labels, views[r].gaps);
        sp_unpack(in, bytes, size, &to);
        for (size_t i = 0; i < 3 * T; i++)
            if (!isnan(right->scores[i]) || !isnan(found->scores[i]))
                assert_memory_equal(&right->scores[i], &found->scores[i], sizeof(double));
        assert_memory_equal(right->scores, all[r].scores, sizeof right->scores); /* packing changes nothing */
        if (to.labels)
            assert_memory_equal(right->labels, found->labels, T * sizeof(int32_t));
        if (to.gaps)
            assert_memory_equal(right->gaps, found->gaps, T);
        *n += size;
        free(bytes);
        free(right);
    }
    free(found);
    sp_packer_free(out);
    sp_packer_free(in);
}

static double draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53;
}

static void test_any_numbers(void **state)
{
    (void)state;
    uint64_t seed = 1;
    const double odd[] = {0, -0.0, -INFINITY, NAN, -1e-320, -1.7e308, 1e300, -0x1p-149, -0.5};
    kept *all = calloc(8, sizeof *all);
    sp_packed_steps views[8];
    for (int r = 0; r < 8; r++) {
        views[r] = view(&all[r], r == 0 ? 0 : r == 1 ? 1 : 50 * r, r % 2, r % 3 == 0);
        for (size_t i = 0; i < MOST; i++)
            all[r].scores[i] = r < 4 && draw(&seed) < 0.3 ? odd[i % 9]
                               : r % 2                    ? log(draw(&seed))
                                                          : (double)(float)log(draw(&seed));
        for (size_t t = 0; t < 4000; t++) {
            all[r].labels[t] = draw(&seed) < 0.1 ? -1 : draw(&seed) < 0.1 ? 254 : (int32_t)(3 * draw(&seed));
            all[r].gaps[t] = draw(&seed) < 0.05;
        }
    }
    size_t n;
    check_there_and_back(8, all, views, &n);
    free(all);
}

/* Bytes a number: floats drawn evenly have 24 bits of their own; votes have few values. */
static void test_sizes(void **state)
{
    (void)state;
    uint64_t seed = 2;
    kept *all = calloc(1, sizeof *all);
    sp_packed_steps steps = view(all, 4000, false, false);
    size_t n;
    for (size_t i = 0; i < MOST; i++)
        all->scores[i] = (double)(float)-draw(&seed);
    check_there_and_back(1, all, &steps, &n);
    assert_true(n < 3.3 * MOST);
    for (size_t i = 0; i < MOST; i++)
        all->scores[i] = log((int)(6 * draw(&seed)) / 5.0);
    check_there_and_back(1, all, &steps, &n);
    assert_true(n < 0.4 * MOST); /* log2(6) bits are 0.32 */
    free(all);
}

/* What does not fit has not happened. */
static void test_too_many_bytes(void **state)
{
    (void)state;
    uint64_t seed = 3;
    kept *all = calloc(1, sizeof *all);
    for (size_t i = 0; i < MOST; i++)
        all->scores[i] = draw(&seed);
    sp_packed_steps steps = view(all, 100, false, false), large = view(all, 4000, false, false);
    sp_packer *one = sp_packer_new(), *other = sp_packer_new();
    uint8_t *a, *b;
    size_t n_a, n_b;
    assert_int_equal(sp_pack(one, &large, 5000, &a, &n_a), SP_EINVAL);
    assert_int_equal(sp_pack(one, &steps, SIZE_MAX, &a, &n_a), SP_OK);
    assert_int_equal(sp_pack(other, &steps, n_a - 1, &b, &n_b), SP_EINVAL);
    assert_int_equal(sp_pack(other, &steps, n_a, &b, &n_b), SP_OK);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(a, b, n_a);
    free(a);
    free(b);
    sp_packer_free(one);
    sp_packer_free(other);
    free(all);
}

/* Any bytes give something. */
static void test_foreign_bytes(void **state)
{
    (void)state;
    uint64_t seed = 4;
    kept *found = calloc(1, sizeof *found);
    sp_packer *packer = sp_packer_new();
    for (size_t n = 0; n < 200; n += 20) {
        uint8_t bytes[200];
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)(256 * draw(&seed));
        sp_packed_steps steps = view(found, 300, true, true);
        sp_unpack(packer, bytes, n, &steps);
    }
    sp_packer_free(packer);
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_numbers), cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_too_many_bytes),
                                       cmocka_unit_test(test_foreign_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
