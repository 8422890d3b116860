/* Made data: recipes, the process behind them, and the file they become. */
#include "check.h"
#include "failing_alloc.h"
#include "recipe_text.h"
#include "statepath/files.h"
#include "statepath/model_json.h"

#include <unistd.h>

static sp_recipe *recipe_of(const char *text)
{
    sp_error err;
    sp_recipe *recipe = NULL;
    assert_ok(recipe_from_text(text, &recipe, &err), &err);
    return recipe;
}

static sp_simulated *simulate(const sp_recipe *recipe)
{
    sp_error err;
    sp_simulated *s = NULL;
    assert_ok(sp_simulate(recipe, &s, &err), &err);
    return s;
}

/* Three classes with long stays, so that runs of errors can be measured. */
#define THREE                                                                                                \
    "{\"statepath_recipe\": 1, \"seed\": 3, \"classes\": [\"a\", \"b\", \"c\"], \"recordings\": 40, "        \
    "\"steps\": [4000, 6000],\n"                                                                             \
    "\"start\": {\"a\": 0.25, \"c\": 0.75}, \"transitions\": [[0.99, 0.01, 0], [0, 0.99, 0.01], [0.005, "    \
    "0.005, 0.99]],\n"

#define CONFUSION "\"confusion\": [[0.8, 0.15, 0.05], [0.1, 0.85, 0.05], [0.1, 0.1, 0.8]]"

/* ---- the process ---- */

static void the_chain_is_that_of_the_recipe(void **state)
{
    (void)state;
    sp_recipe *r = recipe_of(THREE "\"unscored\": 0, \"classifier\": {" CONFUSION "}}");
    r->n_recordings = 2000;
    r->min_steps = 50;
    r->max_steps = 150;
    sp_simulated *s = simulate(r);
    double starts[3] = {0}, counts[9] = {0}, from[3] = {0};
    int64_t shortest = INT64_MAX, longest = 0;
    for (int64_t n = 0; n < s->n_recordings; n++) {
        int64_t length = s->offsets[n + 1] - s->offsets[n];
        shortest = length < shortest ? length : shortest;
        longest = length > longest ? length : longest;
        starts[s->labels[s->offsets[n]]]++;
        for (int64_t t = s->offsets[n] + 1; t < s->offsets[n + 1]; t++) {
            counts[s->labels[t - 1] * 3 + s->labels[t]]++;
            from[s->labels[t - 1]]++;
        }
    }
    assert_int_equal(shortest, 50);
    assert_int_equal(longest, 150);
    assert_int_equal(s->n_steps, s->offsets[2000]);
    for (int k = 0; k < 3; k++)
        assert_close(starts[k] / 2000, r->start[k], 0.04, 0); /* 4 standard errors */
    for (int i = 0; i < 9; i++)
        assert_close(counts[i] / from[i / 3], r->transitions[i], 0.002, 0);
    assert_true(counts[2] == 0 && counts[3] == 0);
    sp_simulated_free(s);
    sp_recipe_free(r);
}

static int32_t best(const float *row, int32_t k)
{
    int32_t b = 0;
    for (int32_t j = 1; j < k; j++)
        if (row[j] > row[b])
            b = j;
    return b;
}

/* Without noise the best class is the one seen: its shares are the confusion's, in runs of the asked length, and calibrated. */
static void the_classifier_errs_as_asked(void **state)
{
    (void)state;
    sp_recipe *r = recipe_of(THREE "\"classifier\": {" CONFUSION ", \"error_run\": 4, \"floor\": 1e-6}}");
    sp_simulated *s = simulate(r);
    double seen[9] = {0}, of[3] = {0}, confidence = 0, right = 0, runs = 0, errors = 0;
    for (int64_t t = 0; t < s->n_steps; t++) {
        const float *row = s->log_probs + t * 3;
        int32_t c = s->labels[t], d = best(row, 3), before = t ? best(row - 3, 3) : -1;
        seen[c * 3 + d]++;
        of[c]++;
        confidence += exp(row[d]);
        right += c == d;
        if (c != d && t && c == s->labels[t - 1]) { /* inside stays: how long one wrong class goes on */
            errors++;
            runs += d != before;
        }
    }
    for (int i = 0; i < 9; i++)
        assert_close(seen[i] / of[i / 3], r->confusion[i], 0.012, 0);
    assert_close(confidence / (double)s->n_steps, right / (double)s->n_steps, 0.008, 0); /* calibrated */
    assert_close(errors / runs, 4, 0.3, 0);
    sp_simulated_free(s);

    r->overconfidence = 2;
    r->noise = 1;
    s = simulate(r);
    confidence = right = 0;
    for (int64_t t = 0; t < s->n_steps; t++) {
        int32_t d = best(s->log_probs + t * 3, 3);
        confidence += exp(s->log_probs[t * 3 + d]);
        right += s->labels[t] == d;
    }
    assert_true(confidence > right + 0.05 * (double)s->n_steps);
    sp_simulated_free(s);
    sp_recipe_free(r);
}

static void rows_are_log_softmax(void **state)
{
    (void)state;
    sp_recipe *r = recipe_of(THREE "\"unscored\": 0.2, \"classifier\": {" CONFUSION
                                   ", \"noise\": 3, \"overconfidence\": 5}}");
    r->n_recordings = 3;
    sp_simulated *s = simulate(r);
    int64_t hidden = 0;
    for (int64_t t = 0; t < s->n_steps; t++) {
        double row[3];
        for (int k = 0; k < 3; k++) {
            row[k] = s->log_probs[t * 3 + k];
            assert_true(isfinite(row[k]) && row[k] <= 0);
        }
        assert_close(sp_log_softmax(row, 3, row), 0, 3e-7, 0);
        hidden += s->labels[t] == -1;
        assert_true(s->labels[t] >= -1 && s->labels[t] < 3);
    }
    assert_close((double)hidden / (double)s->n_steps, 0.2, 0.02, 0);
    sp_simulated_free(s);
    sp_recipe_free(r);
}

static void a_seed_is_a_seed(void **state)
{
    (void)state;
    sp_recipe *r = recipe_of(THREE "\"classifier\": {" CONFUSION ", \"noise\": 1}}");
    r->n_recordings = 4;
    sp_simulated *a = simulate(r), *b = simulate(r);
    assert_int_equal(a->n_steps, b->n_steps);
    assert_memory_equal(a->labels, b->labels, (size_t)a->n_steps * sizeof *a->labels);
    assert_memory_equal(a->log_probs, b->log_probs, (size_t)a->n_steps * 3 * sizeof *a->log_probs);
    sp_simulated_free(b);

    r->noise = 2; /* another classifier, the same nights */
    b = simulate(r);
    assert_memory_equal(a->labels, b->labels, (size_t)a->n_steps * sizeof *a->labels);
    assert_memory_not_equal(a->log_probs, b->log_probs, (size_t)a->n_steps * 3 * sizeof *a->log_probs);
    sp_simulated_free(b);

    r->n_recordings = 6; /* more nights, the first ones as they were */
    b = simulate(r);
    assert_memory_equal(a->offsets, b->offsets, 5 * sizeof *a->offsets);
    assert_memory_equal(a->labels, b->labels, (size_t)a->n_steps * sizeof *a->labels);
    sp_simulated_free(b);

    r->seed = 4;
    b = simulate(r);
    assert_memory_not_equal(a->labels, b->labels, 4000 * sizeof *a->labels);
    sp_simulated_free(b);
    sp_simulated_free(a);
    sp_recipe_free(r);
}

/* ---- recipes ---- */

#define R                                                                                                    \
    "{\"statepath_recipe\": 1, \"seed\": 1, \"classes\": [\"a\", \"b\"], \"recordings\": 2, \"steps\": 5,\n"
#define RS R "\"start\": {\"a\": 1},\n"
#define RT RS "\"transitions\": [[1, 0], [0, 1]],\n"

#define NIGHTS                                                                                               \
    "{\"statepath_recipe\": 1, \"seed\": 1, \"classes\": [\"a\", \"b\"], \"recordings\": 2, \"start\": "     \
    "{\"a\": 1}, "                                                                                           \
    "\"transitions\": [[1, 0], [0, 1]],\n"
#define SIGNALS "\"signals\": {\"rate\": 10, \"samples\": 8, \"tones\": {}, \"channels\": [{}]"

static const struct broken {
    const char *text, *message;
} broken[] = {
    {"{", "r.json:1:1: not valid JSON: string or '}' expected near end of file"},
    {"[]", "r.json:1:1: a recipe is a JSON object, {\"key\": ...}; this is a list"},
    {"{}", "r.json:1:1: key \"statepath_recipe\" is missing; a recipe begins with \"statepath_recipe\": 1"},
    {"{\"statepath_model\": 1}", "r.json:1:1: key \"statepath_recipe\" is missing; a recipe begins with "
                                 "\"statepath_recipe\": 1 (this is a model)"},
    {"{\"statepath_recipe\": 3}", "r.json:1:2: key \"statepath_recipe\": this is statepath 1.0.0, which "
                                  "reads recipes of format 1; write 1"},
    {"{\"statepath_recipe\": 1,\n \"sed\": 1}",
     "r.json:2:2: key \"sed\" is not known (known: statepath_recipe, name, description, seed, classes, "
     "recordings, steps, start, "
     "transitions, model, unscored, generator, unused, classifier, signals, epoch_seconds); did you mean "
     "\"seed\"?"},
    {"{\"statepath_recipe\": 1}",
     "r.json:1:1: key \"classes\" is missing; as \"classes\": [\"Wake\", \"N1\"]"},
    {"{\"statepath_recipe\": 1, \"classes\": []}",
     "r.json:1:25: key \"classes\": needs a list of at least one name; this is empty"},
    {"{\"statepath_recipe\": 1, \"classes\": [1]}",
     "r.json:1:37: key \"classes\": a class is a string in double quotes; this is a number"},
    {"{\"statepath_recipe\": 1, \"name\": 1}",
     "r.json:1:25: key \"name\": needs a string in double quotes; this is a number"},
    {"{\"statepath_recipe\": 1, \"classes\": [\"a\"]}",
     "r.json:1:1: key \"seed\" is missing; as \"seed\": 1"},
    {"{\"statepath_recipe\": 1, \"classes\": [\"a\"], \"seed\": 1}",
     "r.json:1:1: key \"recordings\" is missing; as \"recordings\": 20"},
    {"{\"statepath_recipe\": 1, \"classes\": [\"a\"],\n\"seed\": 1.5, \"recordings\": 1, \"steps\": 1}",
     "r.json:2:1: key \"seed\": needs a whole number; this is a fraction"},
    {"{\"statepath_recipe\": 1, \"classes\": [\"a\"],\n\"seed\": 1, \"recordings\": 1, \"steps\": [1]}",
     "r.json:2:29: key \"steps\": needs one length, or two: the least and the greatest"},
    {R "\"unscored\": 0}", "r.json:1:1: key \"start\" is missing; as \"start\": {\"Wake\": 1}"},
    {R "\"start\": [\"a\"]}",
     "r.json:2:1: key \"start\": needs class -> probability, as {\"a\": 1}; this is a list"},
    {R "\"start\": {\"A\": 1}}", "r.json:2:11: key \"start\", class \"A\": the recipe has no such class (it "
                                 "has a, b); did you mean \"a\"?"},
    {R "\"start\": {\"a\": \"1\"}}", "r.json:2:11: key \"start\": needs a number; this is a string"},
    {RS "\"transitions\": [[1, 0]]}",
     "r.json:3:1: key \"transitions\": needs a list of 2 rows, one for each class"},
    {RS "\"transitions\": [[1, 0],\n[1]]}",
     "r.json:4:1: key \"transitions\", row \"b\": needs a list of 2 numbers"},
    {RS "\"transitions\": [[1, 0],\n[1, null]]}",
     "r.json:4:5: key \"transitions\": needs a number; this is null"},
    {RT "\"unscored\": 0}", "r.json:1:1: key \"classifier\" is missing; as \"classifier\": {\"confusion\": "
                            "[[0.9, 0.1], [0.2, 0.8]]}"},
    {RT "\"classifier\": 1}", "r.json:4:1: key \"classifier\": needs an object; this is a number"},
    {RT "\"classifier\": {}}",
     "r.json:4:1: key \"confusion\" is missing in classifier; as \"confusion\": [[0.9, 0.1], [0.2, 0.8]]"},
    {RT "\"classifier\": {\"sharpness\": 1}}",
     "r.json:4:16: key \"sharpness\" is not known in classifier (known: confusion, error_run, "
     "noise, overconfidence, floor)"},
    {RT "\"classifier\": {\"confusion\": [[1, 0], [0, 1]], \"noise\": \"much\"}}",
     "r.json:4:47: key \"noise\": needs a number; this is a string"},
    /* ranges, found by sp_recipe_check() */
    {RS "\"transitions\": [[1, 0],\n[0.5, 0.4]], \"classifier\": {\"confusion\": [[1, 0], [0, 1]]}}",
     "r.json:4:1: key \"transitions\", row \"b\": sums to 0.9, not to 1"},
    {RT "\"classifier\": {\"confusion\": [[1, 0],\n[-1, 2]]}}",
     "r.json:5:1: key \"confusion\", row \"b\", class \"a\": -1 is not a probability from 0 to 1"},
    {R "\"start\": {\"a\": 0.5}, \"transitions\": [[1, 0], [0, 1]], \"classifier\": {\"confusion\": [[1, 0], "
       "[0, 1]]}}",
     "r.json:2:1: key \"start\": sums to 0.5, not to 1"},
    {RT "\"unscored\": 1.5, \"classifier\": {\"confusion\": [[1, 0], [0, 1]]}}",
     "r.json:4:1: key \"unscored\": 1.5 is not a share from 0 to 1"},
    {RT "\"epoch_seconds\": -1, \"classifier\": {\"confusion\": [[1, 0], [0, 1]]}}",
     "r.json:4:1: key \"epoch_seconds\": -1 is not the length of a step in seconds"},
    {RT "\"classifier\": {\"confusion\": [[1, 0], [0, 1]], \"error_run\": 0.5}}",
     "r.json:4:47: key \"error_run\": 0.5 is not a mean number of steps; needs 1 or more"},
    {RT "\"classifier\": {\"confusion\": [[1, 0], [0, 1]], \"noise\": -1}}",
     "r.json:4:47: key \"noise\": -1 is not a standard deviation from 0 to 1000"},
    {RT "\"classifier\": {\"confusion\": [[1, 0], [0, 1]], \"overconfidence\": 0}}",
     "r.json:4:47: key \"overconfidence\": 0 is not a factor above 0, at most 1000"},
    {RT "\"classifier\": {\"confusion\": [[1, 0], [0, 1]], \"floor\": 0.6}}",
     "r.json:4:47: key \"floor\": 0.6 is not a probability above 0, at most 1 / 2 classes"},
    {"{\"statepath_recipe\": 1, \"seed\": 0, \"classes\": [\"a\"], \"recordings\": 2, \"steps\": 5, "
     "\"start\": {\"a\": 1}, "
     "\"transitions\": [[1]],\n\"classifier\": {\"confusion\": [[1]]}}",
     "r.json:1:25: key \"seed\": needs a whole number from 1 to 4294967295"},
    {"{\"statepath_recipe\": 1, \"seed\": 1, \"classes\": [\"a\"], \"recordings\": 0, \"steps\": 5, "
     "\"start\": {\"a\": 1}, "
     "\"transitions\": [[1]],\n\"classifier\": {\"confusion\": [[1]]}}",
     "r.json:1:54: key \"recordings\": needs a whole number from 1 to 2147483647"},
    {"{\"statepath_recipe\": 1, \"seed\": 1, \"classes\": [\"a\"], \"recordings\": 1, \"steps\": [6, 5], "
     "\"start\": {\"a\": 1}, "
     "\"transitions\": [[1]],\n\"classifier\": {\"confusion\": [[1]]}}",
     "r.json:1:71: key \"steps\": needs the least and the greatest length of a recording, whole numbers from "
     "1 to 1000000000, as "
     "[700, 1100]"},
    {"{\"statepath_recipe\": 1, \"seed\": 1, \"classes\": [\"a\",\n\"a\"], \"recordings\": 1, \"steps\": 5, "
     "\"start\": {\"a\": "
     "1}, "
     "\"transitions\": [[1, 0], [0, 1]],\n\"classifier\": {\"confusion\": [[1, 0], [0, 1]]}}",
     "r.json:2:1: key \"classes\", class \"a\": listed twice; names must differ"},
    /* nights by numpy's draws (tests/peers/test_numpy_nights.py) */
    {NIGHTS "\"steps\": 5, \"generator\": \"R\", " SIGNALS "}}",
     "r.json:2:13: key \"generator\": \"R\" is not known; it is \"gsl\" or \"numpy\""},
    {NIGHTS "\"steps\": 5, \"unused\": 3, " SIGNALS "}}",
     "r.json:2:13: key \"unused\": only \"generator\": \"numpy\" has unused steps; leave it out"},
    {NIGHTS "\"steps\": 5, \"generator\": \"numpy\",\n\"unused\": -3, " SIGNALS "}}",
     "r.json:3:1: key \"unused\": needs a whole number of steps from 0 to 1000000000"},
    {NIGHTS "\"steps\": [5, 6], \"generator\": \"numpy\", " SIGNALS "}}",
     "r.json:2:1: key \"steps\": with \"generator\": \"numpy\" all recordings have one length; give one "
     "number"},
    {NIGHTS "\"steps\": 5, \"generator\": \"numpy\", \"unscored\": 0.5, " SIGNALS "}}",
     "r.json:2:35: key \"unscored\": with \"generator\": \"numpy\" this is 0, since the order of its "
     "draws has no place for "
     "it"},
    {NIGHTS "\"steps\": 5, \"generator\": \"numpy\",\n" SIGNALS ", \"overlap\": 0.5}}",
     "r.json:3:70: key \"overlap\": with \"generator\": \"numpy\" this is 0, since the order of its "
     "draws has no place for "
     "it"},
    {NIGHTS "\"steps\": 5, \"generator\": \"numpy\",\n\"classifier\": {\"confusion\": [[1, 0], [0, 1]]}}",
     "r.json:2:13: key \"generator\": numpy's draws are for recipes with \"signals\"; leave it out"},
    {NIGHTS "\"steps\": 5,\n" SIGNALS ", \"both_ends\": 1}}",
     "r.json:3:70: key \"both_ends\": needs true or false; this is a number"},
};

static void every_fault_has_its_sentence(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        sp_error err = {0};
        sp_recipe *recipe = NULL;
        sp_status status = recipe_from_text(broken[i].text, &recipe, &err);
        if (status == SP_EINVAL && !recipe && strcmp(err.message, broken[i].message) == 0)
            continue;
        n_wrong++;
        print_error("%s\n  gave     %s: %s\n  expected %s\n", broken[i].text, sp_status_name(status),
                    err.message, broken[i].message);
        sp_recipe_free(recipe);
    }
    assert_int_equal(n_wrong, 0);
}

static void written_and_read_is_the_same(void **state)
{
    (void)state;
    const char *text = "{\n"
                       "  \"statepath_recipe\": 1,\n"
                       "  \"name\": \"two\",\n"
                       "  \"description\": \"\xC3\xA9\",\n"
                       "  \"seed\": 4294967295,\n"
                       "  \"classes\": [\"a\", \"b\"],\n"
                       "  \"recordings\": 3,\n"
                       "  \"steps\": [5, 9],\n"
                       "  \"start\": {\"b\": 1},\n"
                       "  \"transitions\": [\n"
                       "    [0.7, 0.3],\n"
                       "    [0, 1]],\n"
                       "  \"unscored\": 0.1,\n"
                       "  \"classifier\": {\n"
                       "    \"confusion\": [\n"
                       "    [0.9, 0.1],\n"
                       "    [0.25, 0.75]],\n"
                       "    \"error_run\": 2,\n"
                       "    \"noise\": 0,\n"
                       "    \"overconfidence\": 1.5,\n"
                       "    \"floor\": 0.001\n"
                       "  }\n"
                       "}\n";
    sp_error err;
    sp_recipe *r = recipe_of(text);
    char *back = NULL;
    assert_ok(sp_recipe_to_json(r, &back, &err), &err);
    assert_string_equal(back, text);
    free(back);
    sp_recipe_free(r);
    sp_recipe *again = NULL;
    char *first = NULL, *second = NULL;
    assert_ok(sp_recipe_load(SOURCE_DIR "/datasets/published-experiment.recipe.json", &r, &err), &err);
    assert_ok(sp_recipe_to_json(r, &first, &err), &err);
    assert_ok(recipe_from_text(first, &again, &err), &err);
    assert_ok(sp_recipe_to_json(again, &second, &err), &err);
    assert_string_equal(first, second);
    assert_true(again->is_numpy && again->n_unused == 100 && again->signals->both_ends);
    free(first);
    free(second);
    sp_recipe_free(r);
    sp_recipe_free(again);
}

/* ---- files ---- */

/* A float's distance in units of the last place. */
static int64_t ulps(float a, float b)
{
    int32_t i, j;
    memcpy(&i, &a, sizeof i);
    memcpy(&j, &b, sizeof j);
    return llabs((int64_t)i - (int64_t)j);
}

/* Reads the made file as any user's and compares; scores may differ in the last place, where another machine's exp and log do. */
static void assert_file_holds(const char *file, const sp_simulated *s, const sp_recipe *recipe)
{
    sp_error err;
    sp_source *source = NULL;
    sp_source_options options = sp_source_options_default();
    assert_ok(sp_source_open(file, &options, &source, &err), &err);
    const sp_source_info *info = sp_source_info_of(source);
    assert_int_equal(info->layout, SP_LAYOUT_PACKED);
    assert_int_equal(info->kind, SP_KIND_LOG_PROBS);
    assert_int_equal(info->dtype, SP_F32);
    assert_int_equal(info->n_recordings, s->n_recordings);
    assert_int_equal(info->n_steps, s->n_steps);
    assert_int_equal(info->n_classes, s->n_classes);
    for (int32_t k = 0; k < s->n_classes; k++)
        assert_string_equal(info->classes[k], recipe->classes[k]);
    assert_memory_equal(info->offsets, s->offsets, ((size_t)s->n_recordings + 1) * sizeof *s->offsets);
    sp_block *block = sp_block_new();
    assert_non_null(block);
    assert_ok(sp_source_read(source, 0, s->n_recordings, SP_BLOCK_SCORES | SP_BLOCK_LABELS, block, &err),
              &err);
    assert_memory_equal(block->labels, s->labels, (size_t)s->n_steps * sizeof *s->labels);
    const float *scores = block->scores;
    for (int64_t i = 0; i < s->n_steps * s->n_classes; i++)
        if (ulps(scores[i], s->log_probs[i]) > 2)
            fail_msg("score %lld is %.9g in the file, %.9g made again", (long long)i, (double)scores[i],
                     (double)s->log_probs[i]);
    sp_block_free(block);
    sp_source_close(source);
}

static void the_committed_data_can_be_made_again(void **state)
{
    (void)state;
    sp_error err;
    sp_recipe *r = NULL;
    assert_ok(sp_recipe_load(SOURCE_DIR "/datasets/sleep-demo.recipe.json", &r, &err), &err);
    sp_simulated *s = simulate(r);
    assert_file_holds(SOURCE_DIR "/datasets/sleep-demo.h5", s, r);
    sp_simulated_free(s);
    sp_recipe_free(r);
}

static void saving(void **state)
{
    (void)state;
    char folder[] = "/tmp/statepath-test-XXXXXX", file[64], message[256];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/a.h5", folder);
    sp_error err;
    sp_recipe *r = NULL;
    assert_ok(sp_recipe_load(SOURCE_DIR "/datasets/entities-demo.recipe.json", &r, &err), &err);
    r->n_recordings = 3; /* few steps: nothing is worth compressing */
    sp_simulated *s = simulate(r);
    assert_ok(sp_simulated_save(s, r, file, false, &err), &err);
    assert_file_holds(file, s, r);
    sp_simulated_free(s);

    r->n_recordings = 120;
    s = simulate(r);
    assert_int_equal(sp_simulated_save(s, r, file, false, &err), SP_EFILE);
    snprintf(message, sizeof message, "%s: exists already; use `force` to replace it", file);
    assert_string_equal(err.message, message);
    assert_ok(sp_simulated_save(s, r, file, true, &err), &err);
    assert_file_holds(file, s, r);
    assert_int_equal(unlink(file), 0);
    free(r->classes[0]);
    r->classes[0] = calloc(2, 1);
    r->classes[0][0] = '\xFF';
    assert_int_equal(sp_simulated_save(s, r, file, true, &err), SP_EINVAL);
    assert_int_equal(rmdir(folder), 0); /* nothing is left behind */
    sp_simulated_free(s);
    sp_recipe_free(r);

    assert_int_equal(sp_recipe_load("/nowhere/r.json", &r, &err), SP_EFILE);
    assert_string_equal(err.message, "/nowhere/r.json: cannot be opened: No such file or directory");
    assert_int_equal(sp_recipe_load(SOURCE_DIR "/datasets/sleep-demo.h5", &r, &err), SP_EFILE);
    assert_non_null(strstr(err.message, "is an HDF5 file, not a recipe"));
}

static sp_status attempt_recipe(void *arg)
{
    sp_recipe *r = NULL;
    char *text = NULL;
    sp_status status = sp_recipe_load(arg, &r, NULL);
    assert_int_equal(status == SP_OK, r != NULL);
    if (status == SP_OK)
        status = sp_recipe_to_json(r, &text, NULL);
    free(text);
    sp_recipe_free(r);
    return status;
}

static sp_status attempt_simulate(void *arg)
{
    sp_simulated *s = NULL;
    sp_status status = sp_simulate(arg, &s, NULL);
    assert_int_equal(status == SP_OK, s != NULL);
    sp_simulated_free(s);
    return status;
}

static sp_status attempt_nights(void *arg)
{
    sp_recipe *r = NULL;
    sp_signal_maker *maker = NULL;
    sp_status status = recipe_from_text(arg, &r, NULL);
    if (status == SP_OK)
        status = sp_signal_maker_new(r, &maker, NULL);
    sp_signal_maker_free(maker);
    sp_recipe_free(r);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    char nights[] = NIGHTS "\"steps\": 5, \"generator\": \"numpy\", " SIGNALS "}}";
    assert_true(assert_each_alloc_may_fail(attempt_nights, nights) > 10);
    char file[] = SOURCE_DIR "/datasets/sleep-demo.recipe.json";
    assert_true(assert_each_alloc_may_fail(attempt_recipe, file) > 10);
    sp_recipe *r = recipe_of(THREE "\"classifier\": {" CONFUSION "}}");
    r->n_recordings = 1;
    assert_true(assert_each_alloc_may_fail(attempt_simulate, r) > 7);
    sp_recipe_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chain_is_that_of_the_recipe),
        cmocka_unit_test(the_classifier_errs_as_asked),
        cmocka_unit_test(rows_are_log_softmax),
        cmocka_unit_test(a_seed_is_a_seed),
        cmocka_unit_test(every_fault_has_its_sentence),
        cmocka_unit_test(written_and_read_is_the_same),
        cmocka_unit_test(the_committed_data_can_be_made_again),
        cmocka_unit_test(saving),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
