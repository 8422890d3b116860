/* Statistics: by hand, by enumeration, by simulation. */
#include "check.h"

#include "statepath/statistics.h"

/* A small generator of the test's own. */
static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* ---- Wilcoxon ---- */

/* Mid-rank of |d[i]| among the differences that are not 0, or all, counted from scratch. */
static double mid_rank(int n, const double *d, int i, bool with_zeros)
{
    double below = 0, equal = 0;
    for (int j = 0; j < n; j++)
        if (d[j] != 0 || with_zeros) {
            below += fabs(d[j]) < fabs(d[i]);
            equal += fabs(d[j]) == fabs(d[i]);
        }
    return below + (equal + 1) / 2;
}

/* Two-sided p by going through all signs. */
static double wilcoxon_brute(int n, const double *d, sp_wilcoxon_zeros zeros)
{
    double rank[16], plus = 0, total = 0;
    int m = 0;
    for (int i = 0; i < n; i++)
        if (d[i] != 0) {
            rank[m] = mid_rank(n, d, i, zeros == SP_ZEROS_PRATT);
            plus += d[i] > 0 ? rank[m] : 0;
            total += rank[m++];
        }
    double w = plus < total - plus ? plus : total - plus;
    int hits = 0;
    for (int signs = 0; signs < 1 << m; signs++) {
        double sum = 0;
        for (int i = 0; i < m; i++)
            sum += signs >> i & 1 ? rank[i] : 0;
        hits += sum <= w;
    }
    return fmin(1, 2. * hits / (1 << m));
}

static void test_wilcoxon_enumeration(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 600; trial++) {
        sp_wilcoxon_zeros zeros = trial % 2 ? SP_ZEROS_PRATT : SP_ZEROS_WILCOX;
        double d[11];
        int n = 1 + (int)(next(&seed) % 11), spread = 1 + (int)(next(&seed) % 9), kept = 0;
        for (int i = 0; i < n; i++) {
            d[i] = (double)((int)(next(&seed) % (uint64_t)(2 * spread + 1)) - spread) /
                   8; /* many ties, some zeros */
            kept += d[i] != 0;
        }
        sp_wilcoxon w;
        sp_error err;
        assert_ok(sp_wilcoxon_signed_rank(n, d, zeros, &w, &err), &err);
        assert_int_equal(w.better + w.worse + w.ties, n);
        if (kept == 0) {
            assert_undefined(w.p, "no difference");
            continue;
        }
        assert_true(w.is_exact);
        assert_close(w.p.value, wilcoxon_brute(n, d, zeros), 1e-14, 1e-13);
        assert_close(w.p_least.value, ldexp(1, 1 - kept), 0, 0);
        assert_true(w.p.value >= w.p_least.value);
    }
}

static void test_wilcoxon_by_hand(void **state)
{
    (void)state;
    sp_wilcoxon w;
    sp_error err;
    const double d[] = {0.5, 0.1, -0.2, 0.3, 0, 0.4}; /* ranks 5 1 -2 3 . 4: W- = 2 of 15; P(W <= 2) = 3/32 */
    assert_ok(sp_wilcoxon_signed_rank(6, d, SP_ZEROS_WILCOX, &w, &err), &err);
    assert_close(w.p.value, 6. / 32, 1e-15, 0);
    assert_close(w.rank_biserial.value, (13. - 2) / 15, 1e-15, 0);
    assert_int_equal(w.better, 4);
    assert_int_equal(w.worse, 1);
    assert_int_equal(w.ties, 1);
    assert_close(w.p_least.value, 1. / 16, 0, 0);
    const double zeros[] = {0, 1, -2, 3,
                            4, 5}; /* Pratt: ranks . 2 -3 4 5 6: W- = 3 of 20; P(W <= 3) = 3/32: {} {2} {3} */
    assert_ok(sp_wilcoxon_signed_rank(6, zeros, SP_ZEROS_PRATT, &w, &err), &err);
    assert_close(w.p.value, 6. / 32, 1e-15, 0);
    assert_close(w.rank_biserial.value, (17. - 3) / 20, 1e-15, 0);
    const double none[] = {0, 0};
    assert_ok(sp_wilcoxon_signed_rank(2, none, SP_ZEROS_PRATT, &w, &err), &err);
    assert_undefined(w.p, "no difference");
    assert_undefined(w.p_least, "no difference");
    assert_ok(sp_wilcoxon_signed_rank(2, none, SP_ZEROS_WILCOX, &w, &err), &err);
    assert_undefined(w.p, "no difference");
    assert_undefined(w.rank_biserial, "no difference");
    assert_ok(sp_wilcoxon_signed_rank(0, NULL, SP_ZEROS_WILCOX, &w, &err), &err);
    assert_undefined(w.p, "no recordings");
    const double bad[] = {1, NAN};
    w.better = 99;
    assert_int_equal(sp_wilcoxon_signed_rank(2, bad, SP_ZEROS_WILCOX, &w, &err), SP_EINVAL);
    assert_int_equal(w.better, 99);
}

/* 1,000 differences of one sign: the least p there is, 2^(1-n); and the approximation takes over where the count ends. */
static void test_wilcoxon_large(void **state)
{
    (void)state;
    enum { MAX = 1100 };
    double *d = malloc(MAX * sizeof *d);
    assert_non_null(d);
    sp_wilcoxon w, v;
    sp_error err;
    for (int i = 0; i < MAX; i++)
        d[i] = i + 1;
    assert_ok(sp_wilcoxon_signed_rank(1000, d, SP_ZEROS_WILCOX, &w, &err), &err);
    assert_true(w.is_exact);
    assert_close(w.p.value, ldexp(1, -999), 0, 1e-12);
    assert_close(w.p_least.value, ldexp(1, -999), 0, 0);
    uint64_t seed = 3;
    for (int i = 0; i < MAX; i++)
        d[i] = (next(&seed) % 100 < 53 ? 1 : -1) * (double)(1 + next(&seed) % 50);
    assert_ok(sp_wilcoxon_signed_rank(1000, d, SP_ZEROS_WILCOX, &w, &err), &err);
    assert_ok(sp_wilcoxon_signed_rank(1001, d, SP_ZEROS_WILCOX, &v, &err), &err);
    assert_true(w.is_exact);
    assert_false(v.is_exact);
    assert_close(v.p.value, w.p.value, 5e-3, 0.05); /* one difference more, another method */
    free(d);
}

/* Hundreds of thousands of zeros with ranks of their own: counted exactly for a few differences, approximated for many. */
static void test_wilcoxon_many_zeros(void **state)
{
    (void)state;
    enum { ZEROS = 300000, MAX = 1100 };
    double *d = calloc(ZEROS + MAX, sizeof *d);
    assert_non_null(d);
    sp_wilcoxon w;
    sp_error err;
    for (int i = 0; i < MAX; i++)
        d[ZEROS + i] = i % 5 ? i + 1 : -i - 1;
    assert_ok(sp_wilcoxon_signed_rank(ZEROS + 10, d, SP_ZEROS_PRATT, &w, &err), &err);
    assert_true(w.is_exact); /* all ranks as good as equal: a sign test of 8 against 2 */
    assert_int_equal(w.ties, ZEROS);
    assert_close(w.p.value, 2 * (1 + 10 + 9) / 1024., 1e-12,
                 0); /* 9 pairs have ranks of no greater sum than 1 and 6 */
    assert_ok(sp_wilcoxon_signed_rank(ZEROS + MAX, d, SP_ZEROS_PRATT, &w, &err), &err);
    assert_false(w.is_exact);
    assert_true(w.p.value < 1e-80);
    free(d);
}

/* ---- sign flips ---- */

static double sign_flip_brute(int n, const long *d)
{
    long observed = 0;
    for (int i = 0; i < n; i++)
        observed += d[i];
    int hits = 0;
    for (int signs = 0; signs < 1 << n; signs++) {
        long sum = 0;
        for (int i = 0; i < n; i++)
            sum += signs >> i & 1 ? d[i] : -d[i];
        hits += labs(sum) >= labs(observed);
    }
    return (double)hits / (1 << n);
}

static void test_sign_flip(void **state)
{
    (void)state;
    sp_bootstrap_options options = sp_bootstrap_options_default();
    uint64_t seed = 11;
    sp_sign_flip s;
    sp_error err;
    for (int trial = 0; trial < 100; trial++) {
        int n = 1 + (int)(next(&seed) % 12);
        long whole[12], any = 0;
        double d[12];
        for (int i = 0; i < n; i++) {
            whole[i] = (long)(next(&seed) % 21) - 8;
            d[i] = (double)whole[i] / 10; /* not exact in binary: ties must still be found */
            any |= whole[i];
        }
        assert_ok(sp_sign_flip_test(n, d, &options, &s, &err), &err);
        if (!any) {
            assert_undefined(s.p, "no difference");
            continue;
        }
        assert_true(s.is_exact);
        assert_close(s.p.value, sign_flip_brute(n, whole), 1e-15, 0);
    }
    double d[21];
    for (int i = 0; i < 21; i++)
        d[i] = i % 3 ? 1 : -1; /* 14 of 21: 2 P(Bin(21, 1/2) >= 14) */
    assert_ok(sp_sign_flip_test(21, d, &options, &s, &err), &err);
    assert_false(s.is_exact);
    assert_close(s.p.value, 0.189247, 0.02, 0);
    assert_ok(sp_sign_flip_test(20, d, &options, &s, &err), &err);
    assert_true(s.is_exact);
    d[0] = INFINITY;
    assert_int_equal(sp_sign_flip_test(20, d, &options, &s, &err), SP_EINVAL);
}

/* ---- Holm ---- */

static void test_holm(void **state)
{
    (void)state;
    sp_value p[] = {{0.01, NULL}, {0.04, NULL}, {0, "no difference"}, {0.03, NULL}, {0.005, NULL}}, q[5];
    const double expected[] = {0.03, 0.06, 0, 0.06, 0.02}; /* R: p.adjust(c(.01, .04, .03, .005), "holm") */
    sp_error err;
    assert_ok(sp_holm_adjust(5, p, q, &err), &err);
    for (int i = 0; i < 5; i++)
        if (i == 2)
            assert_undefined(q[i], "no difference");
        else
            assert_close(q[i].value, expected[i], 1e-15, 0);
    p[0].value = p[1].value = 0.9;
    assert_ok(sp_holm_adjust(2, p, p, &err), &err); /* in place; never above 1 */
    assert_close(p[0].value, 1, 0, 0);
    assert_close(p[1].value, 1, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wilcoxon_enumeration),
        cmocka_unit_test(test_wilcoxon_by_hand),
        cmocka_unit_test(test_wilcoxon_large),
        cmocka_unit_test(test_wilcoxon_many_zeros),
        cmocka_unit_test(test_sign_flip),
        cmocka_unit_test(test_holm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
