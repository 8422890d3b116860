/* Writing a model and reading it back gives the same model, whatever it holds; and no damaged text makes the reader fall. */
#include "check.h"
#include "statepath/model_json.h"

#include <gsl/gsl_rng.h>

/* ---- random models ---- */

static int below(gsl_rng *rng, int n)
{
    return (int)gsl_rng_uniform_int(rng, (unsigned long)n);
}

static const char *const odd_names[] = {
    "Wake", "N1", "\xC3\xA9veil", "a \"quoted\" name", "tab\there", "back\\slash", "x,y", "]}", "0", "B-PER"};

static void random_name(gsl_rng *rng, char *out, size_t size, const char *prefix, int i)
{
    snprintf(out, size, "%s%s%d", prefix, odd_names[below(rng, 10)], i);
}

static char *copy(const char *text)
{
    char *out = malloc(strlen(text) + 1);
    assert_non_null(out);
    return strcpy(out, text);
}

/* Probabilities as a person writes them (tenths) or as a program learns them; zero where `allowed` is. log() of each into weight.
 */
static void random_row(gsl_rng *rng, int32_t n, const uint8_t *allowed, double *weight)
{
    double p[80], sum = 0;
    bool is_round = below(rng, 2);
    for (int32_t j = 0; j < n; j++)
        sum += p[j] = !allowed[j] ? 0 : is_round ? 1 + below(rng, 5) : pow(gsl_rng_uniform_pos(rng), 4);
    for (int32_t j = 0; j < n; j++)
        weight[j] = allowed[j] ? log(p[j] / sum) : -INFINITY;
}

static double *random_ends(gsl_rng *rng, int32_t n, sp_weight_form form, bool *is_list)
{
    if (below(rng, 3) == 0)
        return NULL;
    double *weight = malloc((size_t)n * sizeof *weight);
    uint8_t allowed[80];
    assert_non_null(weight);
    for (int32_t s = 0; s < n; s++)
        allowed[s] = s == 0 || below(rng, 2);
    *is_list = below(rng, 2);
    if (*is_list)
        for (int32_t s = 0; s < n; s++)
            weight[s] = allowed[s] ? 0 : -INFINITY;
    else if (form == SP_WEIGHTS_LOG)
        for (int32_t s = 0; s < n; s++)
            weight[s] = allowed[s] ? 40 * (gsl_rng_uniform(rng) - 0.5) : -INFINITY;
    else
        random_row(rng, n, allowed, weight);
    return weight;
}

static void add_states(gsl_rng *rng, sp_model *m)
{
    int32_t n = m->n_classes + below(rng, 4);
    m->states = calloc((size_t)n, sizeof *m->states);
    m->state_class = calloc((size_t)n, sizeof *m->state_class);
    assert_true(m->states && m->state_class);
    char name[64];
    for (int32_t s = 0; s < n; s++) {
        random_name(rng, name, sizeof name, "s", s);
        m->states[s] = copy(name);
        m->state_class[s] = below(rng, m->n_classes);
    }
    m->n_states = n;
    m->row = realloc(m->row, ((size_t)n + 1) * sizeof *m->row);
    assert_non_null(m->row);
}

static void add_transitions(gsl_rng *rng, sp_model *m)
{
    int32_t n = m->n_states, percent = below(rng, 101);
    static uint8_t allow[80 * 80];
    static double weight[80 * 80];
    m->weight_form = (sp_weight_form)below(rng, 3);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            allow[i * n + j] = below(rng, 100) < percent;
            weight[i * n + j] = ldexp(gsl_rng_uniform(rng) - 0.5, below(rng, 40) - 20);
        }
        if (m->weight_form == SP_WEIGHTS_PROBABILITIES)
            random_row(rng, n, allow + i * n, weight + i * n);
    }
    sp_error err;
    assert_ok(sp_model_set_matrix(m, allow, m->weight_form ? weight : NULL, &err), &err);
}

/* Of classes that may have one. */
static void add_durations(gsl_rng *rng, sp_model *m)
{
    sp_error err;
    if (m->min_dwell || below(rng, 2))
        return;
    m->durations = calloc((size_t)m->n_classes, sizeof *m->durations);
    assert_non_null(m->durations);
    for (int32_t k = 0; k < m->n_classes; k++) {
        sp_duration *d = &m->durations[k];
        d->form = (sp_duration_form)below(rng, 6);
        d->centre = (sp_length){1 + 100 * gsl_rng_uniform(rng), below(rng, 2)};
        if (below(rng, 2))
            d->min = (sp_length){1 + below(rng, 10), below(rng, 2)};
        if (below(rng, 2) || (d->form == SP_DURATION_RANGE && d->min.value == 0))
            d->max = (sp_length){11 + below(rng, 1000), d->min.is_seconds};
        d->spread = d->form == SP_DURATION_NEGATIVE_BINOMIAL || d->form == SP_DURATION_LOG_NORMAL
                        ? gsl_rng_uniform_pos(rng)
                        : 0;
        if (d->form == SP_DURATION_RANGE || d->form == SP_DURATION_PMF || d->form == SP_DURATION_FREE)
            d->centre = (sp_length){0, false};
        if (d->form == SP_DURATION_PMF || d->form == SP_DURATION_FREE)
            d->min = d->max = (sp_length){0, false};
        if (d->form == SP_DURATION_PMF) {
            d->n_pmf = 1 + below(rng, 20);
            d->pmf = calloc((size_t)d->n_pmf, sizeof *d->pmf);
            assert_non_null(d->pmf);
            for (int32_t i = 0; i < d->n_pmf; i++)
                d->pmf[i] = i == 0 || below(rng, 2) ? gsl_rng_uniform_pos(rng) : 0;
        }
        if (sp_model_check(m, &err) == SP_OK)
            continue;
        free(d->pmf); /* a class that nothing leads to */
        *d = (sp_duration){.form = SP_DURATION_FREE};
    }
    m->whole_at_start = below(rng, 2);
    m->whole_at_end = below(rng, 2);
}

static sp_model *random_model(gsl_rng *rng)
{
    int32_t k = below(rng, 20) ? 1 + below(rng, 6) : 70;
    char text[80][64];
    const char *names[80];
    for (int32_t i = 0; i < k; i++) {
        random_name(rng, text[i], sizeof text[i], "", i);
        names[i] = text[i];
    }
    sp_model *m = sp_model_new("round \xE2\x86\xBB trip", k, names);
    assert_non_null(m);
    if (below(rng, 2))
        m->description = copy("two\nlines");
    if (below(rng, 2))
        m->source = copy("");
    if (below(rng, 3) == 0)
        add_states(rng, m);
    add_transitions(rng, m);
    m->start = random_ends(rng, m->n_states, m->weight_form, &m->start_is_list);
    m->end = random_ends(rng, m->n_states, m->weight_form, &m->end_is_list);
    if (below(rng, 2)) {
        m->n_aliases = 1 + below(rng, 5);
        m->aliases = calloc((size_t)m->n_aliases, sizeof *m->aliases);
        for (int32_t i = 0; i < m->n_aliases; i++) {
            random_name(rng, text[0], sizeof text[0], "alias ", i);
            m->aliases[i] =
                (sp_alias){i * k / m->n_aliases, copy(text[0])}; /* by class, as they are written */
        }
    }
    if (below(rng, 2)) {
        m->min_dwell = calloc((size_t)m->n_states, sizeof *m->min_dwell);
        for (int32_t s = 0; s < m->n_states; s++)
            m->min_dwell[s] = sp_model_edge(m, s, s) >= 0 ? 1 + below(rng, 30) : 1;
        m->min_dwell_at_end = below(rng, 2);
    }
    add_durations(rng, m);
    if (below(rng, 2)) {
        uint8_t all[80];
        memset(all, 1, sizeof all);
        m->prior = malloc((size_t)k * sizeof *m->prior);
        random_row(rng, k, all, m->prior);
        for (int32_t i = 0; i < k; i++)
            m->prior[i] = exp(m->prior[i]);
    }
    if (below(rng, 2))
        m->temperature = gsl_rng_uniform_pos(rng);
    if (below(rng, 2))
        m->prior_weight = -gsl_rng_uniform(rng);
    sp_error err;
    assert_ok(sp_model_check(m, &err), &err);
    return m;
}

/* ---- equality ---- */

static void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_string_equal(a, b);
}

static void assert_same_numbers(const double *a, const double *b, int64_t n)
{
    assert_int_equal(!a, !b);
    for (int64_t i = 0; a && i < n; i++)
        if (a[i] != b[i])
            fail_msg("number %lld is %.17g, was %.17g", (long long)i, b[i], a[i]);
}

static void assert_same_option(double a, double b)
{
    assert_true((isnan(a) && isnan(b)) || a == b);
}

static void assert_same_durations(const sp_model *a, const sp_model *b)
{
    static const sp_duration none;
    assert_int_equal(a->whole_at_start, b->whole_at_start);
    assert_int_equal(a->whole_at_end, b->whole_at_end);
    for (int32_t k = 0; k < a->n_classes; k++) {
        const sp_duration *x = a->durations ? &a->durations[k] : &none,
                          *y = b->durations ? &b->durations[k] : &none;
        assert_int_equal(x->form, y->form);
        assert_true(x->min.value == y->min.value && x->max.value == y->max.value &&
                    x->centre.value == y->centre.value);
        assert_true(x->min.is_seconds == y->min.is_seconds && x->max.is_seconds == y->max.is_seconds);
        assert_true(x->centre.is_seconds == y->centre.is_seconds && x->spread == y->spread);
        assert_int_equal(x->n_pmf, y->n_pmf);
        assert_same_numbers(x->pmf, y->pmf, x->n_pmf);
    }
}

static void assert_same_model(const sp_model *a, const sp_model *b)
{
    assert_same_text(a->name, b->name);
    assert_same_text(a->description, b->description);
    assert_same_text(a->source, b->source);
    assert_int_equal(a->n_classes, b->n_classes);
    assert_int_equal(a->n_states, b->n_states);
    assert_int_equal(a->n_aliases, b->n_aliases);
    for (int32_t k = 0; k < a->n_classes; k++)
        assert_string_equal(a->classes[k], b->classes[k]);
    for (int32_t i = 0; i < a->n_aliases; i++) {
        assert_string_equal(a->aliases[i].name, b->aliases[i].name);
        assert_int_equal(a->aliases[i].class_index, b->aliases[i].class_index);
    }
    assert_int_equal(!a->states, !b->states);
    for (int32_t s = 0; s < a->n_states; s++) {
        assert_string_equal(sp_model_state_name(a, s), sp_model_state_name(b, s));
        if (a->states)
            assert_int_equal(a->state_class[s], b->state_class[s]);
        assert_int_equal(a->min_dwell ? a->min_dwell[s] : 1, b->min_dwell ? b->min_dwell[s] : 1);
    }
    assert_memory_equal(a->row, b->row, ((size_t)a->n_states + 1) * sizeof *a->row);
    for (int64_t e = 0; e < a->row[a->n_states]; e++)
        assert_int_equal(a->to[e], b->to[e]);
    assert_int_equal(a->weight_form, b->weight_form);
    assert_same_numbers(a->weight, b->weight, a->row[a->n_states]);
    assert_same_numbers(a->start, b->start, a->n_states);
    assert_same_numbers(a->end, b->end, a->n_states);
    assert_same_numbers(a->prior, b->prior, a->n_classes);
    assert_int_equal(a->min_dwell_at_end, b->min_dwell_at_end);
    assert_same_durations(a, b);
    assert_same_option(a->temperature, b->temperature);
    assert_same_option(a->transition_weight, b->transition_weight);
    assert_same_option(a->prior_weight, b->prior_weight);
}

/* ---- tests ---- */

static void written_and_read_is_the_same(void **state)
{
    (void)state;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 7);
    for (int i = 0; i < 400; i++) {
        sp_model *m = random_model(rng), *back = NULL;
        sp_error err;
        char *text = NULL, *again = NULL;
        assert_ok(sp_model_to_json(m, &text, &err), &err);
        assert_ok(sp_model_from_json(text, "back.json", &back, &err), &err);
        assert_same_model(m, back);
        assert_ok(sp_model_to_json(back, &again, &err), &err);
        assert_string_equal(text, again);
        free(text);
        free(again);
        sp_model_free(m);
        sp_model_free(back);
    }
    gsl_rng_free(rng);
}

/* Weights that no longer are what they were declared as still come back, as log weights. */
static void probabilities_that_are_none(void **state)
{
    (void)state;
    const char *names[] = {"a", "b"};
    const uint8_t allow[] = {1, 1, 0, 1};
    const double weight[] = {0.1, 0.1 + 0.2, -INFINITY, 1e300};
    sp_model *m = sp_model_new("m", 2, names), *back = NULL;
    sp_error err;
    char *text = NULL;
    assert_ok(sp_model_set_matrix(m, allow, weight, &err), &err);
    m->weight_form = SP_WEIGHTS_PROBABILITIES;
    m->start = calloc(2, sizeof *m->start);
    m->start[1] = -3;
    assert_ok(sp_model_to_json(m, &text, &err), &err);
    assert_non_null(strstr(text, "[0.1, 0.30000000000000004],\n    [null, 1e+300]")); /* the fewest digits */
    assert_ok(sp_model_from_json(text, "back.json", &back, &err), &err);
    assert_same_numbers(m->weight, back->weight, 3);
    assert_same_numbers(m->start, back->start, 2);
    free(text);
    sp_model_free(m);
    sp_model_free(back);
}

static void a_person_would_write_it_so(void **state)
{
    (void)state;
    sp_error err;
    sp_model *m = NULL;
    char *text = NULL;
    const char *expected = "{\n"
                           "  \"statepath_model\": 1,\n"
                           "  \"name\": \"two\",\n"
                           "  \"classes\": [\"up\", \"down\"],\n"
                           "  \"aliases\": {\n"
                           "    \"up\": [\"U\"]\n"
                           "  },\n"
                           "  \"allow\": {\n"
                           "    \"up\": [\"up\", \"down\"],\n"
                           "    \"down\": [\"down\"]\n"
                           "  },\n"
                           "  \"probabilities\": [\n"
                           "    [0.7, 0.3],\n"
                           "    [0, 1]\n"
                           "  ],\n"
                           "  \"start\": {\"up\": 0.9, \"down\": 0.1},\n"
                           "  \"end\": [\"down\"],\n"
                           "  \"min_dwell\": {\"up\": 3},\n"
                           "  \"prior\": {\"up\": 0.25, \"down\": 0.75},\n"
                           "  \"decoding\": {\"temperature\": 1.3}\n"
                           "}\n";
    assert_ok(sp_model_from_json(expected, "x", &m, &err), &err);
    assert_ok(sp_model_to_json(m, &text, &err), &err);
    assert_string_equal(text, expected);
    free(text);
    free(m->classes[0]);
    m->classes[0] = copy("\xFF");
    assert_int_equal(sp_model_to_json(m, &text, &err), SP_EINVAL);
    assert_string_equal(err.message, "the name \"\xFF\" is not UTF-8, which JSON needs; rename it");
    sp_model_free(m);
}

/* Large: sparse by names, nearly full by what is forbidden, the rest as a matrix; all in little time. */
static void large_models(void **state)
{
    (void)state;
    enum { K = 300 };
    static char text[K][16];
    const char *names[K];
    static uint8_t allow[K * K];
    for (int i = 0; i < K; i++) {
        snprintf(text[i], sizeof text[i], "c%d", i);
        names[i] = text[i];
    }
    const char *const keys[] = {"\"allow\": {", "\"forbid\": {", "\"matrix\": ["};
    for (int form = 0; form < 3; form++) {
        for (int i = 0; i < K * K; i++)
            allow[i] = form == 0 ? i % K == i / K : form == 1 ? i % K != i / K : i % 3 != 0;
        sp_model *m = sp_model_new("large", K, names), *back = NULL;
        sp_error err;
        char *json = NULL;
        assert_ok(sp_model_set_matrix(m, allow, NULL, &err), &err);
        assert_ok(sp_model_to_json(m, &json, &err), &err);
        assert_non_null(strstr(json, keys[form]));
        assert_ok(sp_model_from_json(json, "large", &back, &err), &err);
        assert_same_model(m, back);
        free(json);
        sp_model_free(m);
        sp_model_free(back);
    }
}

/* Cut short anywhere, or with bytes changed, a model is a model or has a sentence with its place; nothing is leaked. */
static void try_text(const char *text)
{
    sp_error err = {0};
    sp_model *m = NULL;
    sp_status status = sp_model_from_json(text, "f", &m, &err);
    assert_true(status == SP_OK || status == SP_EMODEL);
    assert_int_equal(status == SP_OK, m != NULL);
    if (status != SP_OK) {
        int line = 0, column = 0;
        if (sscanf(err.message, "f:%d:%d: ", &line, &column) != 2)
            fail_msg("no place in: %s", err.message);
        assert_true(line >= 1 && column >= 1);
    }
    sp_model_free(m);
}

static void damaged_texts(void **state)
{
    (void)state;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 11);
    for (int i = 0; i < 30; i++) {
        sp_model *m = random_model(rng);
        sp_error err;
        char *text = NULL;
        if (m->n_states < 20) {
            assert_ok(sp_model_to_json(m, &text, &err), &err);
            size_t n = strlen(text);
            for (size_t cut = 0; cut < n; cut += 1 + (size_t)below(rng, 7)) {
                char kept = text[cut];
                text[cut] = 0;
                try_text(text);
                text[cut] = kept;
            }
            static const char letters[] = "\"[]{},:0123456789.-eE \\nulltruefas\xC3\xA9\x01\xFF";
            for (int flip = 0; flip < 300; flip++) {
                size_t at = (size_t)below(rng, (int)n);
                char kept = text[at];
                text[at] = letters[below(rng, (int)sizeof letters - 1)];
                try_text(text);
                if (below(rng, 4)) /* else the damage adds up */
                    text[at] = kept;
            }
        }
        free(text);
        sp_model_free(m);
    }
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read_is_the_same),
        cmocka_unit_test(probabilities_that_are_none),
        cmocka_unit_test(a_person_would_write_it_so),
        cmocka_unit_test(large_models),
        cmocka_unit_test(damaged_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
