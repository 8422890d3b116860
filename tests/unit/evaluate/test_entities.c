/* Entities: which spans tags mean, read as conlleval does and strictly; which class names are tags at all. */
#include "check.h"
#include "evaluated.h"

/* Evaluates one path against one reference, both as strings of tags; returns the comparison. */
static sp_comparison *evaluate(int32_t K, const char *const *classes, const char *reference, const char *path,
                               const int64_t *segments)
{
    int32_t steps[2][64], n[2] = {0};
    for (int side = 0; side < 2; side++) {
        char text[512];
        snprintf(text, sizeof text, "%s", side ? path : reference);
        for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
            int32_t k = -1;
            for (int32_t i = 0; i < K; i++)
                if (strcmp(classes[i], word) == 0)
                    k = i;
            assert_true(k >= 0 || strcmp(word, "?") == 0);
            steps[side][n[side]++] = k;
        }
    }
    assert_int_equal(n[0], n[1]);
    sp_model *model = model_of_all(K, classes);
    const int64_t offsets[] = {0, n[0]};
    const sp_decoded fine = {.step = -1};
    const sp_arrays arrays = {
        .info = {.n_recordings = 1, .offsets = offsets}, .labels = steps[0], .segments = segments};
    const sp_array_paths paths = {.n_strategies = 1,
                                  .names = (const char *const[]){"path"},
                                  .paths = (const int32_t *const[]){steps[1]},
                                  .results = (const sp_decoded *const[]){&fine}};
    sp_comparison *c = evaluated(model, &arrays, &paths, NULL);
    sp_model_free(model);
    return c;
}

static const char *const bio[] = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"};
static const char *const bioes[] = {"O", "B-x", "I-x", "E-x", "S-x", "B-y", "I-y", "E-y", "S-y"};

/* Counts of both readings: correct / decoded / reference. */
static void check(bool is_bioes, const char *reference, const char *path, const int64_t *segments,
                  const int64_t pooled[3], const int64_t strict[3])
{
    sp_comparison *c = evaluate(is_bioes ? 9 : 5, is_bioes ? bioes : bio, reference, path, segments);
    assert_true(c->has_entities);
    const sp_entities *e = &c->strategies[0].entities;
    assert_int_equal(e->pooled.correct, pooled[0]);
    assert_int_equal(e->pooled.decoded, pooled[1]);
    assert_int_equal(e->pooled.reference, pooled[2]);
    assert_int_equal(e->strict.correct, strict[0]);
    assert_int_equal(e->strict.decoded, strict[1]);
    assert_int_equal(e->strict.reference, strict[2]);
    sp_comparison_free(c);
}

#define COUNTS(correct, decoded, reference) ((const int64_t[]){correct, decoded, reference})

static void test_bio(void **state)
{
    (void)state;
    check(false, "O B-PER I-PER O B-LOC", "O B-PER I-PER O B-LOC", NULL, COUNTS(2, 2, 2), COUNTS(2, 2, 2));
    /* A shorter span, another type, neighbours that begin anew. */
    check(false, "B-PER I-PER O B-LOC B-LOC", "B-PER O O B-PER B-LOC", NULL, COUNTS(1, 3, 3),
          COUNTS(1, 3, 3));
    /* I without B: an entity to conlleval, nothing strictly. */
    check(false, "O B-PER I-PER O", "O I-PER I-PER O", NULL, COUNTS(1, 1, 1), COUNTS(0, 0, 1));
    /* I of another type ends one entity and starts the next; strictly it only ends it. */
    check(false, "B-PER B-LOC O O", "B-PER I-LOC O O", NULL, COUNTS(2, 2, 2), COUNTS(1, 1, 2));
    /* At the end of the recording. */
    check(false, "O O B-LOC I-LOC", "O O O B-LOC", NULL, COUNTS(0, 1, 1), COUNTS(0, 1, 1));
}

static void test_bio_cuts(void **state)
{
    (void)state;
    /* An unscored step cuts both sides. */
    check(false, "B-PER ? I-PER", "B-PER I-PER I-PER", NULL, COUNTS(2, 2, 2), COUNTS(1, 1, 1));
    /* So does a gap. */
    check(false, "B-PER I-PER I-PER", "B-PER I-PER I-PER", (const int64_t[]){0, 0, 1}, COUNTS(2, 2, 2),
          COUNTS(1, 1, 1));
    check(false, "B-PER I-PER I-PER", "O O I-PER", (const int64_t[]){0, 0, 1}, COUNTS(1, 1, 2),
          COUNTS(0, 0, 1));
    check(false, "B-PER I-PER O", "B-PER ? O", NULL, COUNTS(0, 1, 1), COUNTS(0, 1, 1));
}

static void test_bioes(void **state)
{
    (void)state;
    check(true, "B-x I-x E-x S-y O", "B-x I-x E-x S-y O", NULL, COUNTS(2, 2, 2), COUNTS(2, 2, 2));
    /* Never closed: an entity to conlleval, nothing strictly. */
    check(true, "B-x E-x O", "B-x I-x O", NULL, COUNTS(1, 1, 1), COUNTS(0, 0, 1));
    /* Two of one type in a row; E ends the first, I starts another. */
    check(true, "B-x E-x B-x E-x", "B-x E-x I-x E-x", NULL, COUNTS(2, 2, 2), COUNTS(1, 1, 2));
    check(true, "S-x S-x E-y", "S-x E-x E-y", NULL, COUNTS(3, 3, 3), COUNTS(1, 1, 2));
    /* E of another type does not close. */
    check(true, "B-x E-x O", "B-x E-y O", NULL, COUNTS(0, 2, 1), COUNTS(0, 0, 1));
    check(true, "B-x S-x E-x", "B-x S-x E-x", NULL, COUNTS(3, 3, 3), COUNTS(1, 1, 1));
}

static void test_types_and_values(void **state)
{
    (void)state;
    sp_comparison *c = evaluate(5, bio, "B-PER O B-PER O B-PER", "B-PER O B-LOC B-PER O", NULL);
    assert_int_equal(c->n_entity_types, 2);
    assert_string_equal(c->entity_types[0], "PER");
    assert_string_equal(c->entity_types[1], "LOC");
    const sp_entities *e = &c->strategies[0].entities;
    assert_close(e->pooled.precision.value, 1. / 3, 1e-15, 0);
    assert_close(e->pooled.recall.value, 1. / 3, 1e-15, 0);
    assert_close(e->pooled.f1.value, 1. / 3, 1e-15, 0);
    assert_int_equal(e->types[0].reference, 3);
    assert_int_equal(e->types[0].decoded, 2);
    assert_int_equal(e->types[0].correct, 1);
    assert_close(e->types[0].f1.value, 2. / 5, 1e-15, 0);
    assert_string_equal(e->types[1].recall.undefined, "absent from the reference");
    assert_close(e->types[1].f1.value, 0, 0, 0);
    sp_comparison_free(c);
    c = evaluate(5, bio, "O O", "O O", NULL);
    assert_non_null(c->strategies[0].entities.pooled.f1.undefined);
    sp_comparison_free(c);
}

static void test_what_is_a_tag(void **state)
{
    (void)state;
    static const char *const bilou[] = {"O", "B-x", "I-x", "L-x", "U-x"};
    static const char *const sleep[] = {"Wake", "N1", "N2", "N3", "REM"};
    static const char *const odd[] = {"O", "B-x", "I-", "other", "B"};
    static const char *const membrane[] = {"O", "I", "M", "S", "U"};
    static const char *const no_outside[] = {"B-x", "I-x", "B-y", "I-y", "S-y"};
    sp_comparison *c = evaluate(5, bilou, "B-x L-x U-x", "B-x L-x U-x", NULL);
    assert_true(c->has_entities);
    assert_int_equal(c->strategies[0].entities.strict.correct, 2);
    sp_comparison_free(c);
    const char *const *others[] = {sleep, odd, membrane, no_outside};
    for (int i = 0; i < 4; i++) {
        c = evaluate(5, others[i], "?", "?", NULL);
        assert_false(c->has_entities);
        assert_int_equal(c->n_entity_types, 0);
        sp_comparison_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bio),           cmocka_unit_test(test_bio_cuts),
        cmocka_unit_test(test_bioes),         cmocka_unit_test(test_types_and_values),
        cmocka_unit_test(test_what_is_a_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
