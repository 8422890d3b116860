/* Attention and losses against numpy, scipy and scikit-learn: tests/peers/mask_cases.py makes random cases and their answers. Masked softmax and
 * leak: tests/cli/test_mask_commands.py. */
#include "check.h"
#include "statepath/mask.h"

#include <jansson.h>
#include <sys/wait.h>

static json_t *cases; /* NULL: no Python with these packages here */

/* Runs the script with that Python. 0: fine, or the packages (or the Python) are not there; else it went wrong. */
static int make_cases_with(const char *python)
{
    char command[4096];
    snprintf(command, sizeof command, "%s '%s/tests/peers/mask_cases.py'", python, SOURCE_DIR);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return -1;
    json_error_t error;
    cases = json_loadf(pipe, 0, &error);
    int status = pclose(pipe);
    if (cases || (WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)))
        return 0;
    print_error("%s: status %d, %s\n", command, status, error.text);
    return -1;
}

static int make_cases(void **state)
{
    (void)state;
    int wrong =
        make_cases_with("/usr/bin/python3"); /* the system's, as for the other scripts; else the user's */
    if (!wrong && !cases)
        wrong = make_cases_with("python3");
    if (!wrong && !cases)
        print_message("skipped: no python3 with numpy, scipy and scikit-learn\n");
    return wrong;
}

static int free_cases(void **state)
{
    (void)state;
    json_decref(cases);
    return 0;
}

static int64_t whole(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

/* The array of that name, on the heap; `expected` values. */
static double *numbers(const json_t *object, const char *key, int64_t expected)
{
    const json_t *array = json_object_get(object, key);
    assert_int_equal(json_array_size(array), expected);
    double *x = malloc((size_t)(expected + 1) * sizeof *x);
    for (int64_t i = 0; i < expected; i++) {
        const json_t *value = json_array_get(array, (size_t)i);
        x[i] = json_is_string(value) ? -INFINITY : json_number_value(value);
    }
    return x;
}

static void test_attention(void **state)
{
    (void)state;
    if (!cases)
        skip();
    size_t at;
    const json_t *c;
    json_array_foreach(json_object_get(cases, "attention"), at, c)
    {
        int64_t items = whole(c, "items"), steps = whole(c, "steps"), n = items * steps * steps;
        double *wanted = numbers(c, "lengths", items), *scores = numbers(c, "scores", n);
        double *additive = numbers(c, "additive", n), *weights = numbers(c, "weights", n);
        double *out = malloc((size_t)n * sizeof *out);
        int64_t lengths[8];
        for (int64_t i = 0; i < items; i++)
            lengths[i] = (int64_t)wanted[i];
        uint8_t *padding = malloc((size_t)(items * steps));
        sp_error err;
        assert_ok(sp_padding_mask_from_lengths(lengths, items, steps, padding, &err), &err);
        sp_attention_mask_additive(padding, true, items, steps, SP_F64, out);
        for (int64_t i = 0; i < n; i++)
            assert_true(out[i] == additive[i]);
        sp_attention a = {.scores = scores,
                          .dtype = SP_F64,
                          .n_items = items,
                          .n_queries = steps,
                          .n_keys = (int32_t)steps,
                          .additive = additive};
        assert_ok(sp_attention_softmax(&a, out, &err), &err);
        for (int64_t i = 0; i < n; i++)
            assert_close(out[i], weights[i], 1e-14, 0);
        free(wanted);
        free(scores);
        free(additive);
        free(weights);
        free(out);
        free(padding);
    }
}

static void test_loss(void **state)
{
    (void)state;
    if (!cases)
        skip();
    size_t at;
    const json_t *c;
    json_array_foreach(json_object_get(cases, "loss"), at, c)
    {
        int64_t steps = whole(c, "steps"), classes = whole(c, "classes");
        double *logits = numbers(c, "logits", steps * classes), *wanted = numbers(c, "labels", steps);
        double *weights = numbers(c, "weights", steps), *losses = numbers(c, "losses", steps);
        double *used = malloc((size_t)steps * sizeof *used), mean;
        int32_t *labels = malloc((size_t)steps * sizeof *labels);
        for (int64_t t = 0; t < steps; t++)
            labels[t] = (int32_t)wanted[t];
        sp_error err;
        sp_loss_weights_from_labels(labels, -1, weights, steps, used);
        assert_ok(sp_loss_mean(losses, used, steps, &mean, &err), &err);
        assert_close(mean, json_number_value(json_object_get(c, "mean")), 1e-13, 0);
        sp_nll nll = {0};
        sp_scores scores = {.data = logits, .dtype = SP_F64, .n_classes = (int32_t)classes, .n_steps = steps};
        assert_ok(sp_nll_add(&nll, &scores, labels, weights, &err), &err);
        assert_ok(sp_nll_mean(&nll, &mean, &err), &err);
        assert_close(mean, json_number_value(json_object_get(c, "nll")), 1e-12, 0);
        free(logits);
        free(wanted);
        free(weights);
        free(losses);
        free(used);
        free(labels);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_loss),
    };
    return cmocka_run_group_tests(tests, make_cases, free_cases);
}
