/* Random fields against an enumeration of all paths: values, gradients, gradients of marginals; the same bits everywhere. */
#include "check.h"
#include "random_model.h"
#include "statepath/field.h"

enum { CLASSES = 11, STEPS = 5, ROWS = 4, PLACES = ROWS * STEPS, ROUNDS = 1500 };

typedef struct answers {
    double value[ROWS], by_e[PLACES * CLASSES], by_move[CLASSES * CLASSES], by_start[CLASSES],
        by_end[CLASSES];
    float by_floats[PLACES * CLASSES];
    sp_field_fault fault[ROWS];
} answers;

typedef struct field_case {
    int32_t K;
    int64_t first[ROWS], length[ROWS], targets[PLACES];
    double move[CLASSES * CLASSES], start[CLASSES], end[CLASSES], e[PLACES * CLASSES],
        along[PLACES * CLASSES], weight[ROWS];
    float floats[PLACES * CLASSES], along_floats[PLACES * CLASSES];
    sp_field field;
} field_case;

static double nats(random_source *random, double width, double impossible)
{
    return random_chance(random, impossible) ? -INFINITY
                                             : (double)(float)((random_unit(random) - 0.5) * width);
}

/* Rows in padded blocks, or step by step beside each other; few paths. */
static void make_case(random_source *random, field_case *c)
{
    const double widths[] = {0.1, 5, 80, 900, 20000}, width = widths[random_below(random, 5)],
                 e_width = widths[random_below(random, 5)];
    const double impossible = random_chance(random, 0.5) ? 0.25 : 0;
    const int32_t steps = random_chance(random, 0.3) ? 3 : STEPS;
    *c = (field_case){.K = 1 + random_below(random, steps == STEPS ? 4 : CLASSES)};
    const bool is_beside = random_chance(random, 0.3), has_targets = random_chance(random, 0.3);
    for (int i = 0; i < c->K * c->K; i++)
        c->move[i] = nats(random, width, impossible);
    for (int k = 0; k < c->K; k++) {
        c->start[k] = nats(random, width, impossible);
        c->end[k] = nats(random, width, impossible);
    }
    for (int i = 0; i < PLACES * c->K; i++) {
        c->e[i] = c->floats[i] = (float)nats(random, e_width, impossible / 3);
        c->along[i] = c->along_floats[i] = (float)(random_unit(random) - 0.5);
    }
    for (int n = 0; n < ROWS; n++) {
        c->first[n] = is_beside ? n : n * STEPS;
        c->length[n] = random_below(random, steps + 1);
        c->weight[n] = random_unit(random) * 2 - 1;
    }
    for (int i = 0; i < PLACES; i++)
        c->targets[i] = random_below(random, c->K);
    c->field = (sp_field){.n_classes = c->K,
                          .move = c->move,
                          .start = c->start,
                          .end = c->end,
                          .e = c->e,
                          .dtype = SP_F64,
                          .n_recordings = ROWS,
                          .stride = is_beside ? ROWS : 1,
                          .first = c->first,
                          .length = c->length,
                          .targets = has_targets ? c->targets : NULL,
                          .weight = c->weight};
}

static void run(const sp_field *how, sp_workers *workers, answers *a)
{
    sp_field f = *how;
    sp_error err;
    memset(a, 0, sizeof *a);
    f.value = a->value;
    f.fault = a->fault;
    f.by_e = f.dtype == SP_F32 ? (void *)a->by_floats : a->by_e;
    f.by_move = a->by_move;
    f.by_start = a->by_start;
    f.by_end = a->by_end;
    assert_ok(sp_field_run(&f, workers, &err), &err);
}

/* Classes of path number i of so many steps. */
static void path_of(int64_t i, int32_t K, int64_t T, int32_t *y)
{
    for (int64_t t = 0; t < T; t++, i /= K)
        y[t] = (int32_t)(i % K);
}

static int64_t place(const field_case *c, int n, int64_t t)
{
    return c->first[n] + t * c->field.stride;
}

static double score_of(const field_case *c, int n, const int32_t *y)
{
    double sum = c->start[y[0]];
    for (int64_t t = 0; t < c->length[n]; t++)
        sum += c->e[place(c, n, t) * c->K + y[t]] + (t > 0 ? c->move[y[t - 1] * c->K + y[t]] : 0);
    return sum + c->end[y[c->length[n] - 1]];
}

/* What a path with that much of a gradient adds. */
static void add_path(const field_case *c, int n, const int32_t *y, double by, answers *a)
{
    for (int64_t t = 0; t < c->length[n]; t++) {
        a->by_e[place(c, n, t) * c->K + y[t]] += by;
        if (t > 0)
            a->by_move[y[t - 1] * c->K + y[t]] += by;
    }
    a->by_start[y[0]] += by;
    a->by_end[y[c->length[n] - 1]] += by;
}

static void enumerate_row(const field_case *c, int n, answers *a)
{
    const int64_t T = c->length[n];
    const bool has_along = c->field.along != NULL;
    int32_t y[STEPS];
    int64_t n_paths = 1;
    double best = -INFINITY, sum = 0, mean = 0;
    for (int64_t t = 0; t < T; t++)
        n_paths *= c->K;
    for (int64_t i = 0; i < n_paths; i++) {
        path_of(i, c->K, T, y);
        best = fmax(best, score_of(c, n, y));
    }
    if (best == -INFINITY) {
        a->fault[n].kind = SP_FIELD_NO_PATH;
        return;
    }
    for (int pass = 0; pass < 3; pass++)
        for (int64_t i = 0; i < n_paths; i++) {
            path_of(i, c->K, T, y);
            double p = exp(score_of(c, n, y) - best), along = 0;
            for (int64_t t = 0; t < T; t++)
                along += c->along[place(c, n, t) * c->K + y[t]];
            if (pass == 0)
                sum += p;
            else if (pass == 1)
                mean += p / sum * along;
            else
                add_path(c, n, y, p / sum * (has_along ? along - mean : c->weight[n]), a);
        }
    a->value[n] = best + log(sum);
    if (!c->field.targets)
        return;
    for (int64_t t = 0; t < T; t++)
        y[t] = (int32_t)c->targets[place(c, n, t)];
    const double score = score_of(c, n, y);
    a->value[n] -= score;
    add_path(c, n, y, -c->weight[n], a);
    if (score == -INFINITY)
        a->fault[n].kind = SP_FIELD_NO_TARGET;
}

/* Rows with a fault are left out from then on. */
static void check_faults(field_case *c, const answers *a)
{
    for (int n = 0; n < ROWS; n++) {
        answers expected = {.value = {0}};
        if (c->length[n] > 0)
            enumerate_row(c, n, &expected);
        assert_int_equal(a->fault[n].kind, expected.fault[n].kind);
        if (a->fault[n].kind != SP_FIELD_FINE) {
            assert_true(isnan(a->value[n]));
            c->length[n] = 0;
        }
    }
}

#define ALL_CLOSE(x, y, n)                                                                                   \
    for (int i = 0; i < (n); i++)                                                                            \
    assert_close((x)[i], (y)[i], 1e-10, 1e-12)

static void compare(const answers *a, const answers *expected, int32_t K)
{
    ALL_CLOSE(a->value, expected->value, ROWS);
    ALL_CLOSE(a->by_e, expected->by_e, PLACES * K);
    ALL_CLOSE(a->by_move, expected->by_move, K * K);
    ALL_CLOSE(a->by_start, expected->by_start, K);
    ALL_CLOSE(a->by_end, expected->by_end, K);
}

static void check_forms(field_case *c, sp_workers *workers)
{
    static answers expected, fast, plain, other;
    sp_error err;
    const sp_isa best = sp_isa_current();
    memset(&expected, 0, sizeof expected);
    for (int n = 0; n < ROWS; n++)
        if (c->length[n] > 0)
            enumerate_row(c, n, &expected);
    run(&c->field, NULL, &fast);
    compare(&fast, &expected, c->K);
    c->field.is_plain = true;
    run(&c->field, NULL, &plain);
    compare(&plain, &expected, c->K);
    c->field.is_plain = false;
    run(&c->field, workers, &other);
    assert_memory_equal(&other, &fast, sizeof fast);
    for (sp_isa isa = SP_ISA_BASE; isa < best; isa++) {
        assert_ok(sp_isa_set(isa, &err), &err);
        run(&c->field, workers, &other);
        assert_memory_equal(&other, &fast, sizeof fast);
    }
    assert_ok(sp_isa_set(best, &err), &err);
    c->field.dtype = SP_F32;
    c->field.e = c->floats;
    c->field.along = c->field.along ? c->along_floats : NULL;
    run(&c->field, workers, &other);
    assert_memory_equal(other.by_move, fast.by_move, sizeof fast.by_move);
    for (int i = 0; i < PLACES * c->K; i++)
        assert_true(other.by_floats[i] == (float)fast.by_e[i]);
    c->field.dtype = SP_F64;
    c->field.e = c->e;
}

static void test_against_all_paths(void **state)
{
    (void)state;
    random_source random = {1};
    static field_case c;
    static answers a;
    sp_workers *workers = sp_workers_new(2);
    assert_non_null(workers);
    for (int round = 0; round < ROUNDS; round++) {
        make_case(&random, &c);
        run(&c.field, NULL, &a);
        check_faults(&c, &a);
        check_forms(&c, workers);
        c.field.targets = NULL;
        c.field.weight = NULL;
        c.field.along = c.along;
        check_forms(&c, workers);
    }
    sp_workers_free(workers);
}

/* One recording of *length steps; ends weigh alike. */
static sp_field two_classes(const double *move, const double *ends, const double *e, const int64_t *length)
{
    static const int64_t first = 0;
    return (sp_field){.n_classes = 2,
                      .move = move,
                      .start = ends,
                      .end = ends,
                      .e = e,
                      .dtype = SP_F64,
                      .n_recordings = 1,
                      .stride = 1,
                      .first = &first,
                      .length = length};
}

static void test_faults(void **state)
{
    (void)state;
    static answers a;
    const double zero[4] = {0}, e[] = {0, 0, 0, NAN, 0, -INFINITY, 0, INFINITY},
                 forbidden[] = {-INFINITY, -INFINITY};
    const int64_t two = 2, out[] = {0, 2};
    sp_field f = two_classes(zero, zero, e, &two);
    f.weight = zero;
    run(&f, NULL, &a);
    assert_true(a.fault[0].kind == SP_FIELD_NOT_A_NUMBER && a.fault[0].step == 1 && a.fault[0].class_ == 1);
    f.e = e + 4;
    run(&f, NULL, &a);
    assert_true(a.fault[0].kind == SP_FIELD_NOT_A_NUMBER && a.fault[0].step == 1 && a.fault[0].class_ == 1);
    f.e = zero;
    f.targets = out;
    run(&f, NULL, &a);
    assert_true(a.fault[0].kind == SP_FIELD_NO_CLASS && a.fault[0].step == 1 && a.fault[0].class_ == 2);
    f.end = forbidden;
    run(&f, NULL, &a);
    assert_true(a.fault[0].kind == SP_FIELD_NO_PATH && a.fault[0].step == 2);
    f.n_recordings = 0;
    run(&f, NULL, &a);
}

/* A class that is 2,000 nats behind for half of a recording, and wins in the end. */
static void test_a_class_that_comes_back(void **state)
{
    (void)state;
    enum { T = 300 };
    static double e[2 * T], by[2 * T];
    const double move[] = {0, -INFINITY, -INFINITY, 0}, zero[2] = {0}, one = 1;
    const int64_t n = T;
    double value, by_move[4], by_start[2], by_end[2];
    sp_field_fault fault;
    sp_error err;
    for (int t = 0; t < T; t++)
        e[2 * t + 1] = t < 100 ? -20 : t < 200 ? 50 : -20;
    sp_field f = two_classes(move, zero, e, &n);
    f.value = &value;
    f.fault = &fault;
    f.weight = &one;
    f.by_e = by;
    f.by_move = by_move;
    f.by_start = by_start;
    f.by_end = by_end;
    assert_ok(sp_field_run(&f, NULL, &err), &err);
    assert_close(value, 1000, 1e-9, 0);
    for (int t = 0; t < T; t++)
        assert_close(by[2 * t + 1], 1, 1e-12, 0);
    assert_close(by_move[3], T - 1, 1e-9, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_paths),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_a_class_that_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
