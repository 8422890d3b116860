/* Built models: each shape against its rule written out, and models counted from labels. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/learn.h"
#include "statepath/model_json.h"

static void assert_matrix(const sp_model *m, const char *rows)
{
    assert_int_equal((int)strlen(rows), m->n_states * m->n_states);
    for (int32_t i = 0; i < m->n_states; i++)
        for (int32_t j = 0; j < m->n_states; j++)
            if ((sp_model_edge(m, i, j) >= 0) != (rows[i * m->n_states + j] == '1'))
                fail_msg("%s -> %s", m->classes[i], m->classes[j]);
}

/* "110": who may. */
static void assert_ends(const double *weight, bool is_list, const char *who)
{
    assert_non_null(weight);
    assert_true(is_list);
    for (; *who; who++, weight++)
        assert_true(*weight == (*who == '1' ? 0 : -INFINITY));
}

static void assert_checked(sp_model *m)
{
    sp_error err;
    assert_ok(sp_model_check(m, &err), &err);
    assert_null(m->weight);
    assert_non_null(m->description);
}

static void bio(void **state)
{
    (void)state;
    const char *types[] = {"PER", "LOC"};
    sp_error err;
    sp_model *m = NULL;
    assert_ok(sp_model_new_bio(2, types, &m, &err), &err);
    assert_checked(m);
    assert_int_equal(m->n_classes, 5);
    const char *names[] = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"};
    for (int k = 0; k < 5; k++)
        assert_string_equal(m->classes[k], names[k]);
    assert_matrix(m, "11010"
                     "11110"
                     "11110"
                     "11011"
                     "11011");
    assert_ends(m->start, m->start_is_list, "11010");
    assert_null(m->end);
    sp_model_free(m);
}

static void bio_is_that_of_the_real_data(void **state)
{
    (void)state;
    const char *file = shared_file("data/wnut17_linear.model.json");
    if (!file) {
        print_message("skipped: no shared data here\n");
        skip();
    }
    const char *types[] = {"corporation", "creative-work", "group", "location", "person", "product"};
    sp_error err;
    sp_model *m = NULL, *real = NULL;
    assert_ok(sp_model_new_bio(6, types, &m, &err), &err);
    assert_ok(sp_model_load(file, &real, &err), &err);
    assert_int_equal(m->n_classes, real->n_classes);
    for (int32_t k = 0; k < m->n_classes; k++)
        assert_string_equal(m->classes[k], real->classes[k]);
    assert_memory_equal(m->row, real->row, 14 * sizeof *m->row);
    assert_memory_equal(m->to, real->to, (size_t)m->row[13] * sizeof *m->to);
    assert_memory_equal(m->start, real->start, 13 * sizeof *m->start);
    sp_model_free(m);
    sp_model_free(real);
}

static void bioes(void **state)
{
    (void)state;
    const char *types[] = {"X", "Y"};
    sp_error err;
    sp_model *m = NULL;
    assert_ok(sp_model_new_bioes(2, types, &m, &err), &err);
    assert_checked(m);
    const char *names[] = {"O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"};
    assert_int_equal(m->n_classes, 9);
    for (int k = 0; k < 9; k++)
        assert_string_equal(m->classes[k], names[k]);
    const char *fresh = "110011001", *in_x = "001100000", *in_y = "000000110";
    char rows[100] = "";
    const char *of[] = {fresh, in_x, in_x, fresh, fresh, in_y, in_y, fresh, fresh};
    for (int k = 0; k < 9; k++)
        strcat(rows, of[k]);
    assert_matrix(m, rows);
    assert_ends(m->start, m->start_is_list, fresh);
    assert_ends(m->end, m->end_is_list, "100110011");
    sp_model_free(m);
}

static void orders(void **state)
{
    (void)state;
    const char *names[] = {"a", "b", "c", "d"};
    sp_error err;
    sp_model *m = NULL;
    assert_ok(sp_model_new_left_right(4, names, 1, &m, &err), &err);
    assert_checked(m);
    assert_matrix(m, "1100"
                     "0110"
                     "0011"
                     "0001");
    assert_ends(m->start, m->start_is_list, "1000");
    assert_null(m->end);
    sp_model_free(m);
    assert_ok(sp_model_new_left_right(4, names, 2, &m, &err), &err);
    assert_matrix(m, "1110"
                     "0111"
                     "0011"
                     "0001");
    sp_model_free(m);
    assert_ok(sp_model_new_cycle(4, names, &m, &err), &err);
    assert_checked(m);
    assert_matrix(m, "1100"
                     "0110"
                     "0011"
                     "1001");
    assert_true(!m->start && !m->end);
    sp_model_free(m);
    assert_ok(sp_model_new_cycle(1, names, &m, &err), &err);
    assert_matrix(m, "1");
    sp_model_free(m);
    assert_ok(sp_model_new_band(4, names, 1, &m, &err), &err);
    assert_checked(m);
    assert_matrix(m, "1100"
                     "1110"
                     "0111"
                     "0011");
    sp_model_free(m);
    assert_ok(sp_model_new_band(4, names, INT32_MAX, &m, &err), &err);
    assert_matrix(m, "1111"
                     "1111"
                     "1111"
                     "1111");
    sp_model_free(m);
}

static void what_cannot_be_built(void **state)
{
    (void)state;
    const char *twice[] = {"a", "b", "a"}, *empty[] = {"a", ""};
    sp_error err;
    sp_model *m = NULL;
    assert_int_equal(sp_model_new_bio(0, NULL, &m, &err), SP_EINVAL);
    assert_string_equal(err.message, "a model needs at least one entity type");
    assert_int_equal(sp_model_new_bioes(3, twice, &m, &err), SP_EINVAL);
    assert_string_equal(err.message, "the entity type \"a\" is given twice; names must differ");
    assert_int_equal(sp_model_new_cycle(2, empty, &m, &err), SP_EINVAL);
    assert_string_equal(err.message, "class 1 has an empty name");
    assert_int_equal(sp_model_new_band(2, twice, 0, &m, &err), SP_EINVAL);
    assert_string_equal(err.message, "step 0: must be at least 1");
    assert_int_equal(sp_model_new_left_right(2, twice, -1, &m, &err), SP_EINVAL);
    assert_null(m);
}

static void counting(void **state)
{
    (void)state;
    sp_error err;
    sp_label_counts c;
    assert_ok(sp_label_counts_init(&c, 3, &err), &err);
    const int32_t one[] = {0, 0, 1, -1, 1, 2, 0}, two[] = {-1, 2}, three[] = {1};
    const int64_t segments[] = {5, 5, 5, 5, 5, 6, 6};
    sp_label_counts_add(&c, 7, one, segments);
    sp_label_counts_add(&c, 2, two, NULL);
    sp_label_counts_add(&c, 1, three, NULL);
    sp_label_counts_add(&c, 0, NULL, NULL);
    const int64_t transitions[] = {1, 1, 0, 0, 0, 0, 1, 0, 0}, starts[] = {1, 1, 0}, ends[] = {1, 1, 1},
                  steps[] = {3, 3, 2};
    assert_memory_equal(c.transitions, transitions, sizeof transitions);
    assert_memory_equal(c.starts, starts, sizeof starts);
    assert_memory_equal(c.ends, ends, sizeof ends);
    assert_memory_equal(c.steps, steps, sizeof steps);
    assert_int_equal(c.n_recordings, 4);

    const char *names[] = {"a", "b", "c"};
    sp_model *m = NULL;
    assert_ok(sp_model_from_counts("learned", names, &c, 1, &m, &err), &err);
    assert_string_equal(m->name, "learned");
    assert_matrix(m, "110"
                     "010"
                     "101");
    assert_ends(m->start, m->start_is_list, "110");
    assert_null(m->end);
    assert_true(m->prior[0] == 0.375 && m->prior[2] == 0.25);
    sp_model_free(m);
    assert_int_equal(sp_model_from_counts("x", names, &c, 2, &m, &err), SP_EINVAL);
    assert_string_equal(err.message, "no class starts at least 2 of the 4 recordings; lower `min_count`");
    assert_int_equal(sp_model_from_counts("x", names, &c, 0, &m, &err), SP_EINVAL);
    assert_string_equal(err.message,
                        "`min_count` 0: must be at least 1; at 0 every transition would be allowed");
    sp_label_counts_clear(&c);

    assert_ok(sp_label_counts_init(&c, 3, &err), &err);
    assert_int_equal(sp_model_from_counts("x", names, &c, 1, &m, &err), SP_EINVAL);
    assert_string_equal(err.message, "no labelled step to learn from; all labels are -1");
    const int32_t twos[] = {1, 1, 0, 1, 1, 0, 0};
    for (int i = 0; i < 2; i++)
        sp_label_counts_add(&c, 7, twos, NULL);
    assert_int_equal(sp_model_from_counts("twice", names, &c, 3, &m, &err), SP_EINVAL);
    assert_ok(sp_model_from_counts("twice", names, &c, 2, &m, &err), &err);
    assert_matrix(m, "110"
                     "110"
                     "000"); /* never seen: nothing may follow it, not even itself */
    sp_model_free(m);
    sp_label_counts_clear(&c);
    assert_int_equal(sp_label_counts_init(&c, 0, &err), SP_EINVAL);
}

static sp_status attempt_bioes(void *arg)
{
    (void)arg;
    const char *types[] = {"A", "B", "C"};
    sp_model *m = NULL;
    sp_status status = sp_model_new_bioes(3, types, &m, NULL);
    assert_int_equal(status == SP_OK, m != NULL);
    sp_model_free(m);
    return status;
}

static sp_status attempt_counts(void *arg)
{
    (void)arg;
    const char *names[] = {"a", "b"};
    const int32_t labels[] = {0, 1, 1};
    sp_label_counts c;
    sp_model *m = NULL;
    sp_status status = sp_label_counts_init(&c, 2, NULL);
    if (status != SP_OK)
        return status;
    sp_label_counts_add(&c, 3, labels, NULL);
    status = sp_model_from_counts("m", names, &c, 1, &m, NULL);
    assert_int_equal(status == SP_OK, m != NULL);
    sp_model_free(m);
    sp_label_counts_clear(&c);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(assert_each_alloc_may_fail(attempt_bioes, NULL) > 30);
    assert_true(assert_each_alloc_may_fail(attempt_counts, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bio),
        cmocka_unit_test(bio_is_that_of_the_real_data),
        cmocka_unit_test(bioes),
        cmocka_unit_test(orders),
        cmocka_unit_test(what_cannot_be_built),
        cmocka_unit_test(counting),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
