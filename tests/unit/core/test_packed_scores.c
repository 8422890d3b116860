/* Scores in 24 bits a number. */
#include "check.h"

#include "core/packed_scores.h"

static uint32_t code(const uint8_t *packed, int k)
{
    packed += (ptrdiff_t)k * SP_PACKED_BYTES;
    return packed[0] | (uint32_t)packed[1] << 8 | (uint32_t)packed[2] << 16;
}

static void test_codes(void **state)
{
    (void)state;
    const double e[] = {-1, -1.5, -INFINITY, -61, -62, -1 - 0x1p-18, -1 - 0x1.8p-19};
    uint8_t packed[7 * SP_PACKED_BYTES];
    sp_pack_row(7, e, false, packed);
    const uint32_t right[] = {0, 1 << 17, 0xFFFFFF, 60 << 18, 60 << 18, 1, 1}; /* less the greatest, -1; kept from -60 on */
    for (int k = 0; k < 7; k++)
        assert_int_equal(code(packed, k), right[k]);
    assert_int_equal(packed[3], 0); /* the lowest byte first: 0x020000 */
    assert_int_equal(packed[5], 2);
}

static void test_missing_and_impossible(void **state)
{
    (void)state;
    const double missing[] = {0, -INFINITY, 0}, impossible[] = {-INFINITY, -INFINITY, -INFINITY};
    const double log_prior[] = {-1, -2, -3};
    uint8_t packed[2 * 3 * SP_PACKED_BYTES];
    double e[6];
    sp_pack_row(3, missing, true, packed);
    sp_pack_row(3, impossible, false, packed + 3 * SP_PACKED_BYTES);
    assert_int_equal(code(packed, 0), SP_PACKED_SAYS_NOTHING);
    assert_true(sp_unpack_scores(2, 3, packed, 2, 0.5, log_prior, e));
    const double right[] = {0, -INFINITY, 0, -INFINITY, -INFINITY, -INFINITY}; /* neither temperature nor prior */
    for (int i = 0; i < 6; i++)
        assert_true(e[i] == right[i]);
}

static void test_temperature_and_prior(void **state)
{
    (void)state;
    const double e[] = {3, 1, 2.25}, log_prior[] = {-0.25, -2, -3};
    uint8_t packed[3 * SP_PACKED_BYTES];
    double out[3];
    sp_pack_row(3, e, false, packed);
    assert_true(sp_unpack_scores(1, 3, packed, 4, 0.5, log_prior, out));
    for (int k = 0; k < 3; k++)
        assert_true(out[k] == (e[k] - 3) / 4 - 0.5 * log_prior[k]);
    assert_true(sp_unpack_scores(1, 3, packed, 1, 0, NULL, out));
    assert_true(out[0] == 0 && out[1] == -2 && out[2] == -0.75);
    assert_false(sp_unpack_scores(1, 3, packed, 1e-308, 0, NULL, out)); /* -2e308 is no number */
}

/* No score between 0 and 60 below the greatest is off by more than half a unit. */
static void test_rounding(void **state)
{
    (void)state;
    double e[2] = {0, 0}, out[2];
    uint8_t packed[2 * SP_PACKED_BYTES];
    for (int i = 0; i < 20000; i++) {
        e[1] = -59.9 * i / 20000 - 1e-7;
        sp_pack_row(2, e, false, packed);
        assert_true(sp_unpack_scores(1, 2, packed, 1, 0, NULL, out));
        assert_true(fabs(out[1] - e[1]) <= 0x1p-19);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_codes), cmocka_unit_test(test_missing_and_impossible),
                                       cmocka_unit_test(test_temperature_and_prior), cmocka_unit_test(test_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
