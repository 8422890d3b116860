/* Logarithms and softmax in vectors: against libm's, and the same bits by every instruction set. */
#include "check.h"
#include "core/logmath.h"
#include "statepath/context.h"
#include "statepath/scores.h"

#include <float.h>

enum { N = 5000 };

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Runs `work` by each instruction set of this machine; all must leave the same bytes in x [n]. */
static void by_each_isa(void (*work)(double *x, int64_t n, int32_t K), const double *from, double *x, int64_t n, int32_t K)
{
    double *first = malloc((size_t)(n + 1) * sizeof *first);
    assert_non_null(first);
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
        assert_int_equal(sp_isa_set(isa, NULL), SP_OK);
        memcpy(x, from, (size_t)n * sizeof *x);
        work(x, n, K);
        if (isa == SP_ISA_BASE)
            memcpy(first, x, (size_t)n * sizeof *x);
        else
            assert_memory_equal(first, x, (size_t)n * sizeof *x);
    }
    assert_int_equal(sp_isa_set(sp_isa_best(), NULL), SP_OK);
    free(first);
}

static void logs(double *x, int64_t n, int32_t K)
{
    (void)K;
    sp_logs(x, n);
}

static void test_logs(void **state)
{
    (void)state;
    static double p[N], x[N];
    const double edges[] = {0,
                            1,
                            DBL_MIN,
                            DBL_TRUE_MIN,
                            nextafter(DBL_MIN, 0),
                            DBL_MAX,
                            nextafter(1, 0),
                            nextafter(1, 2),
                            M_SQRT1_2,
                            M_SQRT2,
                            0x1.6a09e667f3bccp-1,
                            1.03,
                            (double)FLT_MIN,
                            0.2,
                            0.5};
    uint64_t seed = 1;
    for (int i = 0; i < N; i++)
        p[i] = i % 3 == 0 ? draw(&seed) / 2147483648. : ldexp(1 + draw(&seed) / 2147483648., -(int)(draw(&seed) % 1074));
    memcpy(p, edges, sizeof edges);
    by_each_isa(logs, p, x, N, 1);
    assert_true(x[0] == -INFINITY && x[1] == 0);
    for (int i = 1; i < N; i++) {
        const double right = log(p[i]);
        assert_true(fabs(x[i] - right) <= 1.1 * (nextafter(fabs(right), INFINITY) - fabs(right)));
    }
    for (int64_t n = 0; n < 40; n++) { /* nothing beyond the end */
        memcpy(x, p, sizeof x);
        sp_logs(x, n);
        assert_true(x[n] == p[n]);
    }
}

static void softmax(double *x, int64_t n, int32_t K)
{
    sp_log_softmax_rows(x, n / K, K);
}

static void test_softmax(void **state)
{
    (void)state;
    const int32_t sizes[] = {1, 2, 3, 5, 9, 16, 17, 100, 511, 512, 513, 700};
    uint64_t seed = 2;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int32_t K = sizes[i], rows = K < 20 ? 700 : 40;
        const int64_t n = (int64_t)K * rows;
        double *e = malloc((size_t)n * sizeof *e), *x = malloc((size_t)n * sizeof *x), *row = malloc((size_t)K * sizeof *row);
        assert_true(e && x && row);
        for (int64_t j = 0; j < n; j++) {
            const int32_t t = (int32_t)(j / K), k = (int32_t)(j % K);
            const double unit = draw(&seed) / 2147483648.;
            e[j] = t == 0 || (t == 1 && k) || draw(&seed) % 11 == 0 ? -INFINITY : (unit - .5) * pow(10, t % 7) + 1e3 * (t % 5);
        }
        by_each_isa(softmax, e, x, n, K);
        for (int32_t t = 0; t < rows; t++) {
            sp_log_softmax(e + (int64_t)t * K, K, row);
            for (int32_t k = 0; k < K; k++)
                assert_close(x[(int64_t)t * K + k], row[k], 4e-16 * (1 + log(K)), 1e-15);
        }
        free(e);
        free(x);
        free(row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_logs), cmocka_unit_test(test_softmax)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
