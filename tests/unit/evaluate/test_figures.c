/* The table of figures: keys that are unique, places that hold what the JSON says, conditions that can name them all; and the
 * table of the report's tables. */
#include "check.h"
#include "sample_comparison.h"
#include "statepath/report.h"

#include <jansson.h>

/* The tables themselves, of which results and documents show the rows that apply. */
#include "evaluate/compared.h"
#include "report/document.h"

/* Text of the JSON that is no figure: names, notes, how things were found. "count" and "steps" of lists are rows' too. */
static const char *const others[] = {"statepath",
                                     "id",
                                     "from",
                                     "to",
                                     "a",
                                     "b",
                                     "metric",
                                     "status",
                                     "unit",
                                     "interval",
                                     "zeros",
                                     "note",
                                     "name",
                                     "step",
                                     "recording",
                                     "link",
                                     "trimmed",
                                     "subject",
                                     "p_method",
                                     "longest_recording",
                                     "longest_step",
                                     "non_inferior",
                                     "kappa_weights",
                                     "absent_class",
                                     "illegal_rate_ci",
                                     "ci",
                                     "ci_bca",
                                     "ci_percentile",
                                     "count"};

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static bool is_known(const char *key)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(key, others[i]))
            return true;
    if (ends_with(key, "_undefined") || ends_with(key, "_note") || ends_with(key, "_method"))
        return true;
    for (int scope = 0; scope < SP_N_FIGURE_SCOPES; scope++) {
        const sp_figures figures = sp_figures_of((sp_figure_scope)scope);
        for (size_t i = 0; i < figures.n; i++)
            if (!strcmp(key, last_part(figures.list[i].json ? figures.list[i].json : figures.list[i].key)))
                return true;
    }
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++)
        if (!strcmp(key, sp_sleep_measure_key((sp_sleep_measure)m)))
            return true;
    return false;
}

/* Objects whose keys are names from the file. */
static bool holds_names(const char *key)
{
    static const char *const names[] = {"undecoded_steps", "min_dwell", "mean_ranks", "names"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(key, names[i]))
            return true;
    return false;
}

static int walk(const json_t *value, const char *key)
{
    const char *name;
    json_t *element;
    size_t i;
    int n = 0;
    if (json_is_array(value)) {
        json_array_foreach(value, i, element) n += json_is_object(element) ? walk(element, "") : 0;
        return n;
    }
    json_object_foreach((json_t *)value, name, element)
    {
        if (json_is_object(element) || json_is_array(element)) {
            n += walk(element, name);
            continue;
        }
        n++;
        if (!holds_names(key) && !is_known(name))
            fail_msg("\"%s\" is neither a row of the table of figures nor known text", name);
    }
    return n;
}

static json_t *json_of(const sp_comparison *c)
{
    sp_error err = {0};
    char *text = NULL;
    assert_ok(sp_report_json(c, &text, &err), &err);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

static void test_rows_are_whole(void **state)
{
    (void)state;
    size_t n = 0;
    for (int scope = 0; scope < SP_N_FIGURE_SCOPES; scope++) {
        const sp_figures figures = sp_figures_of((sp_figure_scope)scope);
        sp_figure_description d;
        assert_true(figures.n > 0 && sp_figure_scope_name((sp_figure_scope)scope)[0]);
        for (size_t i = 0; i < figures.n; i++, n++) {
            const sp_figure *f = &figures.list[i];
            assert_ptr_equal(sp_figure_find((sp_figure_scope)scope, f->key, strlen(f->key)),
                             f); /* the first: unique */
            assert_true(f->label[0] && f->definition[0] && strlen(f->key) < 28 && strlen(f->definition) < 90);
            assert_true(f->place.base != SP_IN_NOTHING);
            assert_true(f->decimals != SP_PERCENT || f->n[0].base != SP_IN_NOTHING); /* a share of what? */
            assert_int_equal(f->low.base, f->high.base);
            assert_true(sp_figure_describe((sp_figure_scope)scope, i, &d));
            assert_string_equal(d.key, f->key);
        }
        assert_false(sp_figure_describe((sp_figure_scope)scope, figures.n, &d));
    }
    assert_true(n > 150);
    assert_null(sp_figure_find(SP_OF_STRATEGY, "accuracy", 4));
    assert_null(sp_figure_find(SP_OF_STRATEGY, "accuracy_", 9));
}

/* Figures by which pairs are compared: one has all tests, a share of sequences says what a recording adds, and titles name it. */
static void test_compared_figures(void **state)
{
    (void)state;
    const sp_figures figures = sp_figures_of(SP_OF_STRATEGY);
    int32_t n = 0, n_tested = 0;
    for (size_t i = 0; i < figures.n; i++) {
        const sp_compared *how = figures.list[i].compared;
        if (!how)
            continue;
        n++;
        n_tested += how->tests == SP_ALL_TESTS;
        assert_ptr_equal(sp_compared_by(figures.list[i].key), how);
        assert_true(how->name[0] && how->heading[0] && (how->scale == 1 || how->scale == 100) &&
                    how->decimals > 0);
        assert_non_null(strstr(how->title, "{recordings}"));
        assert_non_null(strstr(how->title_subjects, "subjects"));
        assert_int_equal(how->from == SP_FROM_SHARES, how->share != NULL);
        assert_int_equal(how->from == SP_FROM_SHARES, how->works != 0);
        assert_int_not_equal(figures.list[i].tone, SP_NO_TONE);
    }
    assert_int_equal(n, 9);
    assert_int_equal(n_tested, 1);
}

/* Pairs of one metric stand together. */
static void test_pairs_by_metric(void **state)
{
    (void)state;
    sample *s = sample_small();
    const sp_comparison *c = &s->comparison;
    const sp_pairs tested = sp_tested_pairs(c), accuracy = sp_pairs_by(c, "accuracy");
    assert_ptr_equal(tested.list, accuracy.list);
    assert_int_equal(tested.n, accuracy.n);
    int32_t n = 0;
    const sp_figures figures = sp_figures_of(SP_OF_STRATEGY);
    for (size_t i = 0; i < figures.n; i++)
        n += figures.list[i].compared ? sp_pairs_by(c, figures.list[i].key).n : 0;
    assert_int_equal(n, c->n_comparisons);
    assert_int_equal(sp_pairs_by(c, "no such metric").n, 0);
    sample_free(s);
}

/* Each number of the JSON has a row. */
static void test_json_is_in_the_table(void **state)
{
    (void)state;
    sample *samples[] = {sample_small(), sample_nights(3, 100), sample_band(4, 10, 30)};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        json_t *root = json_of(&samples[i]->comparison);
        assert_true(walk(root, "") > 200);
        json_decref(root);
        sample_free(samples[i]);
    }
}

/* The value at the path of each row is that of the row, and a condition that names it finds the same. */
static void check_owner(const sp_comparison *c, const json_t *object, sp_figure_scope scope,
                        const sp_figure_owner *owner, const char *prefix)
{
    const sp_figures figures = sp_figures_of(scope);
    sp_gate_scope names = {
        .n_strategies = c->n_strategies, .n_classes = c->n_classes, .has_labels = c->has_labels};
    const char *strategies[8];
    names.strategies = strategies;
    names.classes = (const char *const *)c->classes;
    for (int32_t s = 0; s < c->n_strategies; s++)
        strategies[s] = c->strategies[s].name;
    for (size_t i = 0; i < figures.n; i++) {
        const sp_figure *f = &figures.list[i];
        const sp_value value = sp_figure_value(f, owner);
        char path[128], text[256], sentence[256];
        const json_t *at = object;
        snprintf(path, sizeof path, "%s", f->json ? f->json : f->key);
        for (char *part = strtok(path, "."); part && at; part = strtok(NULL, "."))
            at = json_object_get(at, part);
        if (f->place.type == SP_FIGURE_TEXT || (f->json && !*f->json) || (f->is_optional && !at))
            continue;
        if (sp_figure_missing(f, owner)) {
            assert_null(at);
        } else if (value.undefined) {
            assert_true(json_is_null(at));
        } else if (!json_is_boolean(at)) {
            assert_true(json_number_value(at) == value.value);
        }
        sp_error err = {0};
        sp_gate *gate = NULL;
        snprintf(text, sizeof text, "%s%s == %.17g", prefix, f->key, value.undefined ? 0 : value.value);
        assert_ok(sp_gate_new(text, &names, &gate, &err), &err);
        assert_int_equal(sp_gate_judge(gate, 0, c, sentence, sizeof sentence),
                         value.undefined ? SP_GATE_UNDEFINED : SP_GATE_TRIPPED);
        sp_gate_free(gate);
    }
}

static void test_conditions_name_them_all(void **state)
{
    (void)state;
    sample *s = sample_small();
    const sp_comparison *c = &s->comparison;
    json_t *root = json_of(c), *viterbi = json_object_get(json_object_get(root, "strategies"), "viterbi");
    const sp_strategy_result *one = &c->strategies[2];
    check_owner(c, root, SP_OF_COMPARISON, &(sp_figure_owner){c, NULL, c}, "");
    check_owner(c, json_object_get(root, "reference"), SP_OF_REFERENCE, &(sp_figure_owner){c, NULL, c},
                "reference.");
    check_owner(c, viterbi, SP_OF_STRATEGY, &(sp_figure_owner){one, one, c}, "viterbi.");
    check_owner(c, json_object_get(json_object_get(viterbi, "classes"), c->classes[1]), SP_OF_CLASS,
                &(sp_figure_owner){&one->classes[1], one, c}, "viterbi.classes.NREM.");
    json_decref(root);
    sample_free(s);
}

/* Figures of strategies that stand in a table, each in a place of its own. */
static int columns_in(sp_figure_table in)
{
    const sp_figures figures = sp_figures_of(SP_OF_STRATEGY);
    bool is_taken[UINT8_MAX + 1] = {0};
    int n = 0;
    for (size_t i = 0; i < figures.n; i++)
        for (const sp_figure_column *column = figures.list[i].columns; column && column->table; column++) {
            if (column->table != in)
                continue;
            assert_false(is_taken[column->place]);
            is_taken[column->place] = true;
            n++;
        }
    return n;
}

/* Keys of the report's tables are unique where they are shown, and every row is shown somewhere. */
static void test_document(void **state)
{
    (void)state;
    size_t n = 0;
    const sp_document_row *row, *other;
    for (; (row = sp_document_at(n)); n++) {
        assert_true(row->where && !row->fill == (row->columns != SP_IN_NO_TABLE));
        assert_true(!row->columns || columns_in(row->columns) > 1);
        assert_true(!(row->where & SP_PAGE) || (row->classes && sp_document_find(row->key) == row));
        for (size_t i = 0; i < n; i++) {
            other = sp_document_at(i);
            assert_true(strcmp(other->key, row->key) != 0);
        }
    }
    assert_true(n > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_whole),           cmocka_unit_test(test_compared_figures),
        cmocka_unit_test(test_pairs_by_metric),          cmocka_unit_test(test_json_is_in_the_table),
        cmocka_unit_test(test_conditions_name_them_all), cmocka_unit_test(test_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
