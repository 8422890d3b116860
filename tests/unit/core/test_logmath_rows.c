/* Logarithms and softmax in vectors, as scores are prepared: against libm's, and the same bits by every instruction set. */
#include "check.h"
#include "statepath/scores.h"

#include <float.h>

enum { N = 5000 };

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Prepares rows [n,K] into x. */
static void prepare(sp_kind kind, const double *rows, double *x, int64_t n, int32_t K)
{
    sp_error err;
    sp_prepare_options o = sp_prepare_options_default();
    sp_block *b = sp_block_new();
    assert_non_null(b);
    assert_ok(sp_block_reserve(b, 1, n, K, SP_F64, SP_BLOCK_SCORES, &err),
              &err); /* AddressSanitizer watches its end */
    b->offsets[0] = 0;
    b->offsets[1] = n;
    memcpy(b->scores, rows, (size_t)(n * K) * sizeof *x);
    o.kind = kind;
    assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
    memcpy(x, b->scores, (size_t)(n * K) * sizeof *x);
    sp_block_free(b);
}

/* Prepares by each instruction set of this machine; all must give the same bytes. */
static void by_each_isa(sp_kind kind, const double *rows, double *x, int64_t n, int32_t K)
{
    const size_t size = (size_t)(n * K) * sizeof *x;
    double *first = malloc(size + 1);
    assert_non_null(first);
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
        assert_int_equal(sp_isa_set(isa, NULL), SP_OK);
        prepare(kind, rows, x, n, K);
        if (isa == SP_ISA_BASE)
            memcpy(first, x, size);
        else
            assert_memory_equal(first, x, size);
    }
    assert_int_equal(sp_isa_set(sp_isa_best(), NULL), SP_OK);
    free(first);
}

/* Rows of a probability and the rest. */
static void test_logs(void **state)
{
    (void)state;
    static double p[2 * N], x[2 * N];
    const double edges[] = {0,
                            1,
                            DBL_MIN,
                            DBL_TRUE_MIN,
                            nextafter(DBL_MIN, 0),
                            nextafter(1, 0),
                            nextafter(1, 2),
                            M_SQRT1_2,
                            0x1.6a09e667f3bccp-1,
                            1.02,
                            (double)FLT_MIN,
                            0.2,
                            0.5};
    enum { N_EDGES = sizeof edges / sizeof *edges };
    uint64_t seed = 1;
    for (int i = 0; i < N; i++) {
        p[2 * i] = i < N_EDGES  ? edges[i]
                   : i % 3 == 0 ? draw(&seed) / 2147483648.
                                : ldexp(1 + draw(&seed) / 2147483648., -1 - (int)(draw(&seed) % 1073));
        p[2 * i + 1] = fmax(0, 1 - p[2 * i]);
    }
    by_each_isa(SP_KIND_PROBS, p, x, N, 2);
    assert_true(x[0] == -INFINITY && x[1] == 0 && x[2] == 0);
    for (int i = 0; i < 2 * N; i++) {
        const double right = log(p[i]);
        assert_true(p[i] == 0 ? x[i] == -INFINITY
                              : fabs(x[i] - right) <= 1.1 * (nextafter(fabs(right), INFINITY) - fabs(right)));
    }
    for (int64_t n = 0; n < 40; n++) { /* every length */
        for (int64_t i = 0; i < n; i++)
            p[i] = 1;
        prepare(SP_KIND_PROBS, p, x, n, 1);
        for (int64_t i = 0; i < n; i++)
            assert_true(x[i] == 0);
    }
}

/* Probabilities as floats, also subnormal ones and both zeros: the same bits as of the same numbers as doubles. */
static void test_floats(void **state)
{
    (void)state;
    static float p[2 * N];
    static double wide[2 * N], x[2 * N];
    uint64_t seed = 3;
    for (int i = 0; i < N; i++) {
        const uint32_t bits = draw(&seed) % 0x3f800001; /* up to 1 */
        memcpy(&p[2 * i], &bits, sizeof bits);
        if (i < 8)
            p[2 * i] = (float[]){0, -0.0F, 1, FLT_MIN, FLT_TRUE_MIN, 0.5F, 0x1.fffffep-1F, 0x1p-127F}[i];
        p[2 * i + 1] = i == 1 ? 1 : 1 - p[2 * i];
    }
    for (int i = 0; i < 2 * N; i++)
        wide[i] = (double)p[i];
    by_each_isa(SP_KIND_PROBS, wide, x, N, 2);
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
        assert_int_equal(sp_isa_set(isa, NULL), SP_OK);
        sp_prepare_options o = sp_prepare_options_default();
        o.kind = SP_KIND_PROBS;
        sp_block *b = sp_block_new();
        sp_error err;
        assert_ok(sp_block_reserve(b, 1, N, 2, SP_F32, 0, &err), &err);
        b->offsets[0] = 0;
        b->offsets[1] = N;
        b->scores = p; /* the caller's, so they are widened on the way */
        assert_ok(sp_prepare(b, &o, NULL, NULL, &err), &err);
        assert_memory_equal(b->scores, x, sizeof x);
        sp_block_free(b);
    }
    assert_int_equal(sp_isa_set(sp_isa_best(), NULL), SP_OK);
    assert_true(x[0] == -INFINITY && x[2] == -INFINITY && x[3] == 0);
}

static void test_softmax(void **state)
{
    (void)state;
    const int32_t sizes[] = {1, 2, 3, 5, 9, 16, 17, 100, 511, 512, 513, 700};
    uint64_t seed = 2;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int32_t K = sizes[i], rows = K < 20 ? 700 : 40;
        const int64_t n = (int64_t)K * rows;
        double *e = malloc((size_t)n * sizeof *e), *x = malloc((size_t)n * sizeof *x),
               *row = malloc((size_t)K * sizeof *row);
        assert_true(e && x && row);
        for (int64_t j = 0; j < n; j++) {
            const int32_t t = (int32_t)(j / K), k = (int32_t)(j % K);
            const double unit = draw(&seed) / 2147483648.;
            e[j] = t == 0 || (t == 1 && k) || draw(&seed) % 11 == 0
                       ? -INFINITY
                       : (unit - .5) * pow(10, t % 7) + 1e3 * (t % 5);
        }
        by_each_isa(SP_KIND_LOGITS, e, x, rows, K);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_logs), cmocka_unit_test(test_floats),
                                       cmocka_unit_test(test_softmax)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
