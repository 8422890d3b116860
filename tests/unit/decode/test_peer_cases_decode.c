/* Worked examples and test cases of other decoders, collected in shared/cases/peer_cases.json. */
#include <jansson.h>

#include "check.h"
#include "decode_one.h"
#include "statepath/advanced.h"

/* One case as arrays. */
typedef struct peer_case {
    const char *name;
    sp_chain *chain;
    sp_scores scores;
    double *data; /* [T,K] */
} peer_case;

static double read_number(const json_t *value, bool is_probability)
{
    if (json_is_string(value)) {
        assert_string_equal(json_string_value(value), "-inf");
        return -INFINITY;
    }
    assert_true(json_is_number(value));
    return is_probability ? log(json_number_value(value)) : json_number_value(value);
}

/* [rows,columns] of a JSON matrix, or of a JSON list when columns is 0. */
static double *read_numbers(const json_t *value, size_t rows, size_t columns, bool is_probability)
{
    double *out = malloc(rows * (columns ? columns : 1) * sizeof *out);
    assert_non_null(out);
    assert_int_equal(json_array_size(value), rows);
    for (size_t i = 0; i < rows; i++) {
        const json_t *row = json_array_get(value, i);
        if (columns == 0)
            out[i] = read_number(row, is_probability);
        for (size_t k = 0; k < columns; k++)
            out[i * columns + k] = read_number(json_array_get(row, k), is_probability);
    }
    return out;
}

static sp_model *read_model(const json_t *value, size_t n_classes, bool is_probability)
{
    char text[64][24];
    const char *names[64];
    uint8_t allow[64 * 64];
    sp_error err;
    assert_in_range(n_classes, 1, 64);
    for (size_t k = 0; k < n_classes; k++) {
        snprintf(text[k], sizeof text[k], "c%zu", k);
        names[k] = text[k];
    }
    sp_model *model =
        sp_model_new(json_string_value(json_object_get(value, "name")), (int32_t)n_classes, names);
    assert_non_null(model);
    double *weight = read_numbers(json_object_get(value, "transition"), n_classes, n_classes, is_probability);
    for (size_t i = 0; i < n_classes * n_classes; i++)
        allow[i] = weight[i] > -INFINITY;
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    free(weight);
    model->weight_form = SP_WEIGHTS_LOG;
    if (json_is_array(json_object_get(value, "init")))
        model->start = read_numbers(json_object_get(value, "init"), n_classes, 0, is_probability);
    if (json_is_array(json_object_get(value, "final")))
        model->end = read_numbers(json_object_get(value, "final"), n_classes, 0, is_probability);
    return model;
}

static void apply_step_mask(const json_t *mask, double *data, size_t n_steps, size_t n_classes)
{
    if (!json_is_array(mask))
        return;
    assert_int_equal(json_array_size(mask), n_steps);
    for (size_t t = 0; t < n_steps; t++)
        for (size_t k = 0; k < n_classes; k++)
            if (!json_is_true(json_array_get(json_array_get(mask, t), k)))
                data[t * n_classes + k] = -INFINITY;
}

/* Returns false when the model itself is refused: a model without any start. */
static bool peer_case_read(const json_t *value, peer_case *c)
{
    const json_t *domain = json_object_get(value, "domain"), *emissions = json_object_get(value, "emissions");
    bool is_probability = json_is_string(domain) && strcmp(json_string_value(domain), "prob") == 0;
    size_t n_classes = json_array_size(json_object_get(value, "transition")),
           n_steps = json_array_size(emissions);
    *c = (peer_case){.name = json_string_value(json_object_get(value, "name"))};
    sp_error err;
    sp_model *model = read_model(value, n_classes, is_probability);
    sp_status status = sp_chain_new(model, NULL, &c->chain, &err);
    sp_model_free(model);
    if (status == SP_EMODEL)
        return false;
    assert_ok(status, &err);
    c->data = read_numbers(emissions, n_steps, n_classes, is_probability);
    apply_step_mask(json_object_get(value, "step_mask"), c->data, n_steps, n_classes);
    c->scores = (sp_scores){c->data, SP_F64, (int32_t)n_classes, (int64_t)n_steps, NULL, NULL, NULL};
    return true;
}

static void peer_case_free(peer_case *c)
{
    sp_chain_free(c->chain);
    free(c->data);
}

typedef sp_status decoder(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                          double *score, sp_error *err);

/* Decodes and compares with a JSON list. Returns the path score. */
static double check_path(const peer_case *c, decoder *decode, const char *what, const json_t *expected)
{
    int32_t path[64];
    double score;
    sp_error err;
    assert_in_range(c->scores.n_steps, 1, 64);
    assert_int_equal(json_array_size(expected), c->scores.n_steps);
    sp_scratch *scratch = sp_scratch_new();
    sp_status status = decode(c->chain, &c->scores, scratch, path, &score, &err);
    sp_scratch_free(scratch);
    if (status != SP_OK)
        fail_msg("%s, %s: %s", c->name, what, err.message);
    for (int64_t t = 0; t < c->scores.n_steps; t++)
        if (path[t] != json_integer_value(json_array_get(expected, (size_t)t)))
            fail_msg("%s, %s: step %lld is class %d", c->name, what, (long long)t, (int)path[t]);
    return score;
}

/* log Z and marginals, recomputed by enumeration for the file. */
static void check_marginals(const peer_case *c, const json_t *log_partition, const json_t *expected)
{
    size_t n_steps = (size_t)c->scores.n_steps, n_classes = (size_t)c->scores.n_classes;
    double *marginals = calloc(n_steps * n_classes, sizeof *marginals), log_z;
    double *values = read_numbers(expected, n_steps, n_classes, false);
    sp_error err;
    sp_scratch *scratch = sp_scratch_new();
    assert_ok(sp_forward_backward(c->chain, &c->scores, scratch, marginals, &log_z, &err), &err);
    assert_close(log_z, json_number_value(log_partition), 1e-9, 0);
    for (size_t i = 0; i < n_steps * n_classes; i++)
        assert_close(marginals[i], values[i], 1e-9, 0);
    sp_scratch_free(scratch);
    free(values);
    free(marginals);
}

/* The second best path: its score, and itself where no other has that score. */
static void check_second_best(const peer_case *c, const json_t *second)
{
    int32_t paths[3 * 64], *path = paths + 64;
    double scores[3] = {0, 0, -INFINITY};
    if (!json_is_object(second)) /* too many paths to enumerate */
        return;
    sp_error err;
    sp_scratch *scratch = sp_scratch_new();
    sp_nbest_paths out = {.paths = paths, .stride = 64, .scores = scores};
    assert_ok(sp_nbest(c->chain, &c->scores, 3, scratch, &out, &err), &err);
    sp_scratch_free(scratch);
    assert_true(out.n_found >= 2);
    assert_close(scores[1], json_number_value(json_object_get(second, "score")), 1e-9, 0);
    bool is_alone = scores[0] > scores[1] + 1e-9 && scores[2] < scores[1] - 1e-9;
    for (int64_t t = 0; is_alone && t < c->scores.n_steps; t++)
        assert_int_equal(path[t],
                         json_integer_value(json_array_get(json_object_get(second, "path"), (size_t)t)));
}

static void check_failure(const peer_case *c, decoder *decode, sp_status expected, int64_t step)
{
    int32_t path[64];
    sp_error err;
    sp_scratch *scratch = sp_scratch_new();
    assert_int_equal(decode(c->chain, &c->scores, scratch, path, NULL, &err), expected);
    assert_int_equal(err.step, step);
    sp_scratch_free(scratch);
}

static json_t *load_cases(void)
{
    const char *file = shared_file("cases/peer_cases.json");
    if (!file)
        return NULL;
    json_error_t error;
    json_t *root = json_load_file(file, 0, &error);
    if (!root)
        fail_msg("%s: %s", file, error.text);
    return root;
}

static void test_peers(void **state)
{
    (void)state;
    json_t *root = load_cases(), *value;
    if (!root) {
        print_message("skipped: no shared/cases/peer_cases.json\n");
        skip();
    }
    size_t i, n_checked = 0;
    json_array_foreach(json_object_get(root, "cases"), i, value)
    {
        peer_case c;
        assert_true(peer_case_read(value, &c));
        double score =
            check_path(&c, sp_viterbi, "viterbi", json_object_get(value, "recomputed_path_lowest_index_tie"));
        assert_close(score, json_number_value(json_object_get(value, "expected_log_score")), 1e-9, 0);
        check_path(&c, decode_argmax, "argmax", json_object_get(value, "argmax_path"));
        check_path(&c, decode_greedy, "greedy", json_object_get(value, "greedy_prev_mask_path"));
        check_marginals(&c, json_object_get(value, "log_partition"), json_object_get(value, "marginals"));
        check_second_best(&c, json_object_get(value, "second_best"));
        peer_case_free(&c);
        n_checked++;
    }
    assert_int_equal(n_checked, 14);
    json_decref(root);
}

/* `greedy_naive_path` is what masking without any check returns: where it runs into a dead end it makes up a class, and we
 * report the dead end. */
static void test_edges(void **state)
{
    (void)state;
    json_t *root = load_cases(), *value;
    if (!root) {
        print_message("skipped: no shared/cases/peer_cases.json\n");
        skip();
    }
    size_t i, n_checked = 0;
    json_array_foreach(json_object_get(root, "derived_edge_cases"), i, value)
    {
        peer_case c;
        bool is_model = peer_case_read(value, &c);
        n_checked++;
        if (strcmp(c.name, "infeasible_no_start") == 0) {
            assert_false(is_model); /* said before any score is read */
            continue;
        }
        assert_true(is_model);
        if (json_is_true(json_object_get(value, "feasible"))) {
            double score = check_path(&c, sp_viterbi, "viterbi", json_object_get(value, "expected_path"));
            assert_close(score, json_number_value(json_object_get(value, "expected_log_score")), 1e-9, 0);
        } else {
            assert_string_equal(c.name, "infeasible_all_neginf_row");
            check_failure(&c, sp_viterbi, SP_ENOPATH, 1);
            check_failure(&c, decode_greedy, SP_ENOPATH, 1);
            check_failure(&c, decode_argmax, SP_ENOPATH, 1);
            peer_case_free(&c);
            continue;
        }
        if (strcmp(c.name, "greedy_dead_end") == 0)
            check_failure(&c, decode_greedy, SP_EDEADEND, 1);
        else
            check_path(&c, decode_greedy, "greedy", json_object_get(value, "greedy_naive_path"));
        peer_case_free(&c);
    }
    assert_int_equal(n_checked, 7);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_peers),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
