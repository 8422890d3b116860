/* Metrics from counts: values by hand, and every way in which one is undefined. */
#include "check.h"
#include "evaluated.h"
#include "statepath/metrics.h"

static void test_two_classes(void **state)
{
    (void)state;
    const int64_t confusion[4] = {40, 10, 5, 45};
    sp_agreement a;
    sp_class_agreement c[2];
    sp_agreement_from_confusion(2, confusion, NULL, &a, c);
    assert_int_equal(a.scored, 100);
    assert_int_equal(a.correct, 85);
    assert_int_equal(a.undecoded, 0);
    assert_value(a.accuracy, 0.85);
    assert_value(a.kappa, 0.7); /* po 0.85, pe 0.5 */
    assert_value(a.balanced_accuracy, (0.8 + 0.9) / 2);
    assert_value(a.mcc, (40. * 45 - 10 * 5) / sqrt(50. * 50 * 45 * 55));
    assert_value(c[0].precision, 40. / 45);
    assert_value(c[0].recall, 0.8);
    assert_value(c[0].f1, 80. / 95);
    assert_value(c[0].specificity, 0.9);
    assert_value(c[0].npv, 45. / 55);
    assert_value(c[0].prevalence, 0.5);
    assert_value(c[0].kappa, 0.7);
    assert_value(c[0].pabak, 1 - 2 * 0.15);
    assert_value(c[0].bias, (5 - 10) / 100.);
    assert_value(c[1].bias, (10 - 5) / 100.);
    assert_value(c[0].prevalence_index, (40 - 45) / 100.);
    assert_int_equal(c[1].support, 50);
    assert_int_equal(c[1].predicted, 55);
    assert_value(a.macro_f1, (80. / 95 + 90. / 105) / 2);
    assert_value(a.macro_precision, (40. / 45 + 45. / 55) / 2);
    assert_value(a.weighted_f1, 0.5 * 80 / 95 + 0.5 * 90 / 105);
}

static void test_nothing_scored(void **state)
{
    (void)state;
    const int64_t confusion[4] = {0};
    sp_agreement a;
    sp_class_agreement c[2];
    sp_agreement_from_confusion(2, confusion, NULL, &a, c);
    const sp_value *all[] = {&a.accuracy, &a.balanced_accuracy, &a.kappa,
                             &a.mcc,      &a.macro_precision,   &a.macro_recall,
                             &a.macro_f1, &a.weighted_f1,       &c[0].specificity,
                             &c[0].npv,   &c[0].kappa,          &c[0].prevalence};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_undefined(*all[i], "no scored steps");
    assert_undefined(c[0].precision, "never predicted");
    assert_undefined(c[0].recall, "absent from the reference");
    assert_undefined(c[0].f1, "neither predicted nor in the reference");
}

/* A class that is in neither side takes no part in any mean; one that is never predicted has F1 0. */
static void test_absent_classes(void **state)
{
    (void)state;
    const int64_t confusion[9] = {3, 0, 0, 1, 0, 0, 0, 0, 0};
    sp_agreement a;
    sp_class_agreement c[3];
    sp_agreement_from_confusion(3, confusion, NULL, &a, c);
    assert_undefined(c[1].precision, "never predicted");
    assert_value(c[1].f1, 0);
    assert_undefined(c[2].f1, "neither predicted nor in the reference");
    assert_undefined(c[2].kappa, "one class only");
    assert_undefined(c[0].npv, "predicted at every step");
    assert_int_equal(a.macro_f1_classes, 2);
    assert_int_equal(a.macro_precision_classes, 1);
    assert_int_equal(a.macro_recall_classes, 2);
    assert_value(a.macro_f1, (6. / 7) / 2);
    assert_value(a.mcc, 0); /* one factor is 0 */
    assert_value(a.kappa, 0);
}

static void test_one_class_only(void **state)
{
    (void)state;
    const int64_t confusion[4] = {0, 0, 0, 7};
    sp_agreement a;
    sp_class_agreement c[2];
    sp_agreement_from_confusion(2, confusion, NULL, &a, c);
    assert_value(a.accuracy, 1);
    assert_undefined(a.kappa, "one class only");
    assert_undefined(a.mcc, "one class only");
    assert_undefined(c[1].specificity, "the only class of the reference");
    assert_undefined(c[1].kappa, "one class only");
}

/* The reference says one class, the path another: chance agreement is 0, so kappa is defined, and MCC is not. */
static void test_two_different_single_classes(void **state)
{
    (void)state;
    const int64_t confusion[4] = {0, 9, 0, 0};
    sp_agreement a;
    sp_agreement_from_confusion(2, confusion, NULL, &a, NULL);
    assert_value(a.accuracy, 0);
    assert_value(a.kappa, 0);
    assert_undefined(a.mcc, "one class only");
}

/* Undecoded steps are wrong and in no column: accuracy, recall and kappa see them, precision does not. */
static void test_undecoded(void **state)
{
    (void)state;
    const int64_t confusion[4] = {6, 2, 1, 5}, undecoded[2] = {4, 2};
    sp_agreement a;
    sp_class_agreement c[2];
    sp_agreement_from_confusion(2, confusion, undecoded, &a, c);
    assert_int_equal(a.scored, 20);
    assert_int_equal(a.undecoded, 6);
    assert_value(a.accuracy, 11. / 20);
    assert_int_equal(c[0].support, 12);
    assert_value(c[0].recall, 6. / 12);
    assert_value(c[0].precision, 6. / 7);
    assert_value(c[0].f1, 12. / (12 + 7));
    double pe = (12. * 7 + 8. * 7) / 400;
    assert_value(a.kappa, (11. / 20 - pe) / (1 - pe));
    assert_value(a.mcc, (20. * 11 - (12 * 7 + 8 * 7)) / sqrt((400. - 144 - 64) * (400. - 49 - 49 - 36)));
    /* All steps undecoded: no agreement, and chance agreement 0. */
    const int64_t none[4] = {0};
    sp_agreement_from_confusion(2, none, undecoded, &a, c);
    assert_value(a.accuracy, 0);
    assert_value(a.kappa, 0);
    assert_value(a.mcc, 0);
    assert_undefined(a.macro_precision, "no class is ever predicted");
}

/* Counts whose products leave 64 bits, and more classes than one tile of columns. */
static void test_large(void **state)
{
    (void)state;
    const int64_t billion = 1000000000, big[4] = {400 * billion, 100 * billion, 50 * billion, 450 * billion};
    sp_agreement a;
    sp_agreement_from_confusion(2, big, NULL, &a, NULL);
    assert_value(a.kappa, 0.7);
    assert_value(a.mcc, (40. * 45 - 10 * 5) / sqrt(50. * 50 * 45 * 55));

    int32_t K = 700;
    int64_t *confusion = calloc((size_t)K * (size_t)K, sizeof *confusion);
    sp_class_agreement *c = calloc((size_t)K, sizeof *c);
    assert_non_null(confusion);
    assert_non_null(c);
    for (int32_t i = 0; i < K; i++) {
        confusion[i * K + i] = i + 1;
        confusion[i * K + (i + 300) % K] += 2;
    }
    sp_agreement_from_confusion(K, confusion, NULL, &a, c);
    for (int32_t k = 0; k < K; k++) {
        assert_int_equal(c[k].support, k + 3);
        assert_int_equal(c[k].predicted, k + 3);
        assert_value(c[k].precision, (k + 1.) / (k + 3));
    }
    free(confusion);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_classes),
        cmocka_unit_test(test_nothing_scored),
        cmocka_unit_test(test_absent_classes),
        cmocka_unit_test(test_one_class_only),
        cmocka_unit_test(test_two_different_single_classes),
        cmocka_unit_test(test_undecoded),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
