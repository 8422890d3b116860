/* Models from JSON: every key, and every sentence for what is wrong with one, with its line and column. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/model_json.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

static sp_model *read_model(const char *text)
{
    sp_error err;
    sp_model *model = NULL;
    assert_ok(sp_model_from_json(text, "m.json", &model, &err), &err);
    assert_non_null(model);
    return model;
}

static void assert_edges(const sp_model *model, const char *rows)
{
    for (int32_t i = 0; i < model->n_states; i++)
        for (int32_t j = 0; j < model->n_states; j++)
            if ((sp_model_edge(model, i, j) >= 0) != (*rows++ == '1'))
                fail_msg("%s -> %s is not as it should be", sp_model_state_name(model, i),
                         sp_model_state_name(model, j));
    assert_int_equal(*rows, 0);
}

/* ---- what can be read ---- */

static void the_example_of_the_format(void **state)
{
    (void)state;
    sp_model *m =
        read_model("{\n"
                   "  \"statepath_model\": 1,\n"
                   "  \"name\": \"sleep-strict\",\n"
                   "  \"classes\": [\"Wake\", \"N1\", \"N2\", \"N3\", \"REM\"],\n"
                   "  \"allow\": {\"Wake\": [\"Wake\", \"N1\"], \"N1\": [\"Wake\", \"N1\", \"N2\"],\n"
                   "            \"N2\": [\"N1\", \"N2\", \"N3\", \"REM\"], \"N3\": [\"N2\", \"N3\"],\n"
                   "            \"REM\": [\"Wake\", \"N2\", \"REM\"]},\n"
                   "  \"start\": [\"Wake\", \"N1\", \"N2\"],\n"
                   "  \"min_dwell\": {\"N1\": 2}\n"
                   "}\n");
    assert_string_equal(m->name, "sleep-strict");
    assert_int_equal(m->n_classes, 5);
    assert_string_equal(m->classes[4], "REM");
    assert_edges(m, "11000"
                    "11100"
                    "01111"
                    "00110"
                    "10101");
    assert_true(m->start[0] == 0 && m->start[2] == 0 && m->start[3] == -INFINITY && m->start_is_list);
    assert_null(m->end);
    assert_null(m->weight);
    assert_int_equal(m->min_dwell[1], 2);
    assert_int_equal(m->min_dwell[0], 1);
    assert_false(m->min_dwell_at_end);
    assert_true(isnan(m->temperature) && isnan(m->transition_weight) && isnan(m->prior_weight) &&
                isnan(m->floor));
    sp_model_free(m);
}

static void forbid_and_matrix_say_the_same(void **state)
{
    (void)state;
    const char *texts[] = {
        "{\"statepath_model\":1,\"classes\":[\"a\",\"b\"],\"forbid\":{\"a\":[\"b\"]}}",
        "{\"forbid\":{\"b\":[],\"a\":[\"b\"]},\"classes\":[\"a\",\"b\"],\"statepath_model\":1}",
        "{\"statepath_model\":1,\"classes\":[\"a\",\"b\"],\"matrix\":[[1,0],[1,1]]}",
        "{\"statepath_model\":1,\"classes\":[\"a\",\"b\"],\"matrix\":[[true,false],[1.0,true]]}",
        ("\xEF\xBB\xBF{\"statepath_model\":1,\"classes\":[\"a\",\"b\"],"
         "\"allow\":{\"b\":[\"b\",\"a\"],\"a\":[\"a\"]}}")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sp_model *m = read_model(texts[i]);
        assert_edges(m, "1011");
        assert_string_equal(m->name, "m");
        sp_model_free(m);
    }
}

static void weights_of_both_forms(void **state)
{
    (void)state;
    sp_model *m = read_model(
        "{\"statepath_model\":1,\"classes\":[\"a\",\"b\",\"c\"],\"matrix\":[[1,1,0],[0,1,1],[0,0,0]],"
        "\"probabilities\":[[0.25,0.75,0],[0,0.5,0.5],[0,0,0]],\"start\":{\"a\":0.25,\"c\":0.75},"
        "\"end\":{\"b\":0.25}}");
    assert_int_equal(m->weight_form, SP_WEIGHTS_PROBABILITIES);
    assert_true(m->weight[0] == log(0.25) && m->weight[1] == log(0.75) && m->weight[3] == log(0.5));
    assert_true(m->start[0] == log(0.25) && m->start[1] == -INFINITY && m->start[2] == log(0.75) &&
                !m->start_is_list);
    assert_true(m->end[0] == -INFINITY && m->end[1] == log(0.25));
    sp_model_free(m);

    m = read_model("{\"statepath_model\":1,\"classes\":[\"a\",\"b\"],\"forbid\":{\"a\":[\"b\"]},"
                   "\"log_weights\":[[3,null],[-1.5,2e3]],\"start_log_weights\":{\"b\":0.5,\"a\":null},"
                   "\"end\":[\"b\"],\"end_log_weights\":{\"a\":-7,\"b\":-2}}");
    assert_int_equal(m->weight_form, SP_WEIGHTS_LOG);
    assert_true(m->weight[0] == 3 && m->weight[1] == -1.5 && m->weight[2] == 2000);
    assert_true(m->start[0] == -INFINITY && m->start[1] == 0.5 && !m->start_is_list);
    assert_true(m->end[0] == -INFINITY && m->end[1] == -2 && !m->end_is_list);
    sp_model_free(m);
}

static void states_speak_in_the_rules(void **state)
{
    (void)state;
    sp_model *m = read_model(
        "{\"statepath_model\":1,\"classes\":[\"x\",\"y\"],\"states\":{\"y1\":\"y\",\"x1\":\"x\",\"x2\":\"x\"}"
        ","
        "\"allow\":{\"x1\":[\"x2\"],\"x2\":[\"y1\"],\"y1\":[\"y1\",\"x1\"]},\"start\":[\"x1\"],"
        "\"min_dwell\":{\"y1\":4},\"min_dwell_at_end\":true,\"aliases\":{\"x\":\"X\",\"y\":[\"Y\",\"Y\","
        "\"y\"]},"
        "\"prior\":{\"y\":0.25,\"x\":0.75},"
        "\"decoding\":{\"temperature\":2,\"transition_weight\":0.5,\"prior_weight\":0,\"floor\":0.25},"
        "\"description\":\"d\",\"source\":\"s\"}");
    assert_int_equal(m->n_states, 3);
    assert_string_equal(m->states[0], "y1");
    assert_int_equal(m->state_class[0], 1);
    assert_int_equal(m->state_class[2], 0);
    assert_edges(m, "110"
                    "001"
                    "100");
    assert_true(m->start[1] == 0 && m->start[0] == -INFINITY);
    assert_int_equal(m->min_dwell[0], 4);
    assert_true(m->min_dwell_at_end);
    assert_int_equal(m->n_aliases, 2); /* the repetition and the class's own name say nothing new */
    sp_error err;
    int32_t columns[2];
    assert_ok(sp_model_align(m, 2, (const char *[]){"Y", "X"}, columns, &err), &err);
    assert_true(columns[0] == 1 && columns[1] == 0);
    assert_true(m->prior[0] == 0.75 && m->prior[1] == 0.25);
    assert_true(m->temperature == 2 && m->transition_weight == 0.5 && m->prior_weight == 0 &&
                m->floor == 0.25);
    assert_string_equal(m->description, "d");
    assert_string_equal(m->source, "s");
    sp_model_free(m);
}

static void names_in_any_script(void **state)
{
    (void)state;
    sp_model *m = read_model("{\"statepath_model\":1,\"name\":\"\xE7\x9D\xA1\xE7\x9C\xA0\",\"classes\":["
                             "\"\xC3\xA9veil\",\"a\\\"b\\u0301\"],"
                             "\"allow\":{\"\\u00e9veil\":[\"a\\\"b\xCC\x81\"],\"a\\\"b\\u0301\":[]}}");
    assert_edges(m, "0100");
    assert_string_equal(m->classes[0], "\xC3\xA9veil");
    sp_model_free(m);
}

/* ---- what cannot ---- */

#define AB "{\"statepath_model\": 1, \"classes\": [\"a\", \"b\"],\n" /* column 1 of line 2 follows */
#define OPEN AB "\"forbid\": {},\n"                                  /* column 1 of line 3 follows */
#define KNOWN                                                                                                \
    "(known: statepath_model, name, description, source, classes, aliases, states, allow, forbid, matrix, "  \
    "probabilities, log_weights, tied, start, end, start_log_weights, end_log_weights, min_dwell, "          \
    "min_dwell_at_end, durations, durations_at_ends, rules, prior, decoding, labeller, windows)"
#define X64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X222 X64 X64 X64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" /* fits into 240 alone, not with what follows */

static const struct broken {
    const char *text, *message;
} broken[] = {
    /* syntax */
    {" \n", "m.json:1:1: empty; a model is a JSON object, {\"key\": ...}"},
    {"[1, 2]", "m.json:1:1: a model is a JSON object, {\"key\": ...}; this is a list"},
    {"\n  \"abc\"", "m.json:2:3: a model is a JSON object, {\"key\": ...}; this is a string"},
    {"{\"a\": 1,\n \"b\" 2}", "m.json:2:6: not valid JSON: ':' expected near '2'"},
    {"{\"a\": [1, 2,]}", "m.json:1:13: not valid JSON: unexpected token near ']'; drop the comma before it"},
    {"{\"a\": 1,\n}",
     "m.json:2:1: not valid JSON: string or '}' expected near '}'; drop the comma before it"},
    {"{\"a\": 1\n// why\n}",
     "m.json:2:1: not valid JSON: '}' expected near '/'; JSON has no comments, use the key \"description\""},
    {"{'a': 1}",
     "m.json:1:2: not valid JSON: string or '}' expected near '''; strings are written in double quotes"},
    {"{\"a\": NaN}",
     "m.json:1:9: not valid JSON: invalid token near 'NaN'; JSON has no NaN and no infinity, use null"},
    {"{\"a\": True}",
     "m.json:1:10: not valid JSON: invalid token near 'True'; write true and false in small letters"},
    {"{\"a\": 1,\n\"a\": 2}", "m.json:2:3: not valid JSON: duplicate object key near '\"a\"'"},
    {"{\"a\": 1} x", "m.json:1:10: not valid JSON: end of file expected near 'x'"},
    {"{\"a\": \"\xFF\"}", "m.json:1:7: not valid JSON: unable to decode byte 0xff near '\"'"},
    {"{\"a\": 1", "m.json:1:7: not valid JSON: '}' expected near end of file"},
    /* version and keys */
    {"{\"classes\": []}",
     "m.json:1:1: key \"statepath_model\" is missing; a model begins with \"statepath_model\": 1"},
    {"{\"statepath-model\": 1}",
     "m.json:1:2: key \"statepath-model\" is not known; did you mean \"statepath_model\"?"},
    {"{\"statepath_model\": 2}",
     "m.json:1:2: key \"statepath_model\": this is statepath 1.0.0, which reads models of format 1; write "
     "1, or use the version that wrote this model"},
    {AB "\"min_dwel\": 1}",
     "m.json:2:1: key \"min_dwel\" is not known " KNOWN "; did you mean \"min_dwell\"?"},
    /* brackets and quotes in texts, lists in lists, blanks; keys with escapes; columns count characters */
    {" {\"statepath_model\":1, \"name\": \"]}\\\"}\", \"matrix\" : [[1, {\"]\": \"\\\\\"}], [[2], \"[\"]],\n"
     "\t\"source\": \"\xC3\xA9\", \"forbid\":-1.5e3 ,\"klasses\":[]}",
     "m.json:2:34: key \"klasses\" is not known " KNOWN "; did you mean \"classes\"?"},
    {OPEN "\"\\u0070rior\": {\"b\": 0.5,\n \"\\u0061\": \"x\"}}",
     "m.json:4:2: key \"prior\", class \"a\": needs the class's share of the training set, a number from 0 "
     "to 1"},
    {OPEN "\"decoding\": {\"temprature\": 1}}",
     "m.json:3:14: key \"temprature\" is not known in decoding (known: temperature, "
     "transition_weight, prior_weight, floor); did you mean "
     "\"temperature\"?"},
    /* names */
    {"{\"statepath_model\": 1}",
     "m.json:1:1: key \"classes\" is missing; name the classes in order: \"classes\": [\"Wake\", \"N1\"]"},
    {"{\"statepath_model\": 1,\n \"classes\": []}",
     "m.json:2:2: key \"classes\": needs a list of at least one name; this is empty"},
    {"{\"statepath_model\": 1,\n \"classes\": 5}",
     "m.json:2:2: key \"classes\": needs a list of at least one name; this is a number"},
    {"{\"statepath_model\": 1,\n \"classes\": [\"\xC3\xA9\", \"b\", \"\xC3\xA9\"]}",
     "m.json:2:24: key \"classes\", class \"\xC3\xA9\": listed twice; names must differ"},
    {"{\"statepath_model\": 1,\n \"classes\": [\"a\", \"\"]}",
     "m.json:2:19: key \"classes\": a class must not be empty"},
    {"{\"statepath_model\": 1,\n \"classes\": [\"a\", 7]}",
     "m.json:2:19: key \"classes\": a class is a string in double quotes; this is a number"},
    {AB "\"name\": \"\", \"forbid\": {}}", "m.json:2:1: key \"name\": the model's name must not be empty"},
    {AB "\"source\": [\"x\"], \"forbid\": {}}",
     "m.json:2:1: key \"source\": needs a string in double quotes; this is a list"},
    {AB "\"aliases\": {\"a\": [\"x\"],\n  \"b\": [\"y\", \"x\"]}}",
     "m.json:3:14: key \"aliases\", class \"b\": \"x\" already means class \"a\"; a name may mean one class "
     "only"},
    {AB "\"aliases\": {\"a\": [\"b\"]}}", "m.json:2:19: key \"aliases\", class \"a\": \"b\" already means "
                                          "class \"b\"; a name may mean one class only"},
    {AB "\"aliases\": {\"A\": [\"x\"]}}", "m.json:2:13: key \"aliases\", class \"A\": the model has no such "
                                          "class (it has a, b); did you mean \"a\"?"},
    {AB "\"aliases\": [\"x\"]}", "m.json:2:1: key \"aliases\": needs an object, class -> other names, as "
                                 "{\"Wake\": [\"W\"]}; this is a list"},
    {AB "\"aliases\": {\"a\": 1}}",
     "m.json:2:13: key \"aliases\", class \"a\": needs a list of other names for it; this is a number"},
    {AB "\"states\": {\"s\": \"c\"}}",
     "m.json:2:12: key \"states\", class \"c\": the model has no such class (it has a, b)"},
    {AB "\"states\": {}}",
     "m.json:2:1: key \"states\": needs at least one state; leave the key out for one state per class"},
    {AB "\"states\": {\"s\": 1}}",
     "m.json:2:12: key \"states\", state \"s\": needs the name of the class it emits; this is a number"},
    {AB "\"states\": {\"\": \"a\"}}", "m.json:2:12: key \"states\": a state's name must not be empty"},
    {AB "\"states\": {\"s\": \"a\", \"t\": \"b\"},\n\"allow\": {\"a\": []}}",
     "m.json:3:11: key \"allow\", state \"a\": the model has no such state (it is a class; with \"states\", "
     "rules speak of "
     "states) (it "
     "has s, t)"},
    /* rules */
    {AB "\"name\": \"x\"}", "m.json:1:1: one of the keys allow, forbid and matrix is missing; say what may "
                            "follow what, as \"allow\": {\"a\": "
                            "[\"a\"], ...}"},
    {AB "\"forbid\": {},\n\"matrix\": []}",
     "m.json:3:1: key \"matrix\": the model has \"forbid\" already; keep one of allow, forbid and matrix"},
    {AB "\"log_weights\": []}", "m.json:2:1: key \"log_weights\": the model also needs one of allow, forbid "
                                "and matrix, which say what is "
                                "forbidden; \"forbid\": {} forbids nothing"},
    {"{\"statepath_model\": 1, \"classes\": [\"Wake\", \"N1\"],\n \"allow\": {\"Wake\": [\"Wake\", "
     "\"Wkae\"], \"N1\": []}}",
     "m.json:2:29: key \"allow\", class \"Wkae\": the model has no such class (it has Wake, N1); did you "
     "mean \"Wake\"?"},
    {AB "\"allow\": {\"a\": [\"a\"]}}", "m.json:2:1: key \"allow\", class \"b\": missing; say what may "
                                        "follow it, as \"b\": [\"b\"], or [] for nothing"},
    {AB "\"allow\": {\"a\": \"b\"}}",
     "m.json:2:11: key \"allow\", class \"a\": needs a list of names; this is a string"},
    {AB "\"forbid\": {\"a\": [\"b\",\n \"b\"]}}",
     "m.json:3:2: key \"forbid\", class \"a\": \"b\" is listed twice"},
    {AB "\"forbid\": {\"a\": [\"b\", 3]}}",
     "m.json:2:23: key \"forbid\": a class is a string in double quotes; this is a number"},
    {AB "\"forbid\": [[\"a\", \"b\"]]}",
     "m.json:2:1: key \"forbid\": needs an object, from -> list of what may not follow; this is a list"},
    {AB "\"matrix\": [[1, 0]]}",
     "m.json:2:1: key \"matrix\": 1 rows for 2 classes; give one row for each, in their order"},
    {AB "\"matrix\": {}}",
     "m.json:2:1: key \"matrix\": needs a list of rows, one for each class; this is an object"},
    {AB "\"matrix\": [[1, 0],\n [1]]}", "m.json:3:2: key \"matrix\", row \"b\": has 1 of 2 columns"},
    {AB "\"matrix\": [[1, 0],\n 1]}",
     "m.json:3:2: key \"matrix\", row \"b\": needs a list of 2; this is a number"},
    {AB "\"matrix\": [[1, 0],\n [1, 0.5]]}",
     "m.json:3:6: key \"matrix\", row \"b\", column \"b\": needs 1 (allowed) or 0 (forbidden); weights go "
     "into \"probabilities\" or \"log_weights\""},
    /* weights */
    {OPEN "\"probabilities\": [[0.5, 0.5], [1, 0]]}",
     "m.json:3:35: key \"probabilities\", row \"b\", column \"b\": 0, but b -> "
     "b is allowed; forbid it, or give it a probability above 0"},
    {AB "\"matrix\": [[1, 0], [1, 1]],\n\"probabilities\": [[0.5, 0.5], [0.5, 0.5]]}",
     "m.json:3:25: key \"probabilities\", row \"a\", column \"b\": 0.5, but a -> b is forbidden; allow it, "
     "or make it 0"},
    {OPEN "\"probabilities\": [[0.5, 0.5], [0.5, 0.51]]}",
     "m.json:3:31: key \"probabilities\", row \"b\": sums to 1.01, not to 1"},
    {OPEN "\"probabilities\": [[0.5, null], [0.5, 0.51]]}",
     "m.json:3:25: key \"probabilities\", row \"a\", column \"b\": needs a probability from 0 to 1"},
    {OPEN "\"probabilities\": [[1.5, -0.5], [0.5, 0.5]]}",
     "m.json:3:20: key \"probabilities\", row \"a\", column \"a\": needs a probability from 0 to 1"},
    {OPEN "\"probabilities\": [], \"log_weights\": []}",
     "m.json:3:22: key \"log_weights\": the model has \"probabilities\" already; keep one"},
    {OPEN "\"tied\": {}}", "m.json:3:1: key \"tied\": biases by kind of transition are of tags, such as "
                           "BIOES; the classes of model m are none"},
    {OPEN "\"log_weights\": [[0, null], [0, 0]]}",
     "m.json:3:21: key \"log_weights\", row \"a\", column \"b\": null, but a -> b is allowed; forbid it, or "
     "give it a number"},
    {AB "\"forbid\": {\"a\": [\"b\"]},\n\"log_weights\": [[0, 1], [0, 0]]}",
     "m.json:3:21: key \"log_weights\", row \"a\", column \"b\": a number, but a -> b is forbidden; allow "
     "it, or make it null"},
    {OPEN "\"log_weights\": [[0, \"-inf\"], [0, 0]]}",
     "m.json:3:21: key \"log_weights\", row \"a\", column \"b\": needs a number, or null where "
     "the transition is forbidden; this is a string"},
    /* start and end */
    {OPEN "\"start\": [\"c\"]}",
     "m.json:3:11: key \"start\", class \"c\": the model has no such class (it has a, b)"},
    {OPEN "\"start\": []}",
     "m.json:3:1: key \"start\": no class may start a recording; name at least one, or leave the key out"},
    {OPEN "\"end\": []}",
     "m.json:3:1: key \"end\": no class may end a recording; name at least one, or leave the key out"},
    {OPEN "\"start\": [\"a\", \"a\"]}", "m.json:3:16: key \"start\": \"a\" is listed twice"},
    {OPEN "\"start\": 1}",
     "m.json:3:1: key \"start\": needs a list of names, or an object of probabilities; this is a number"},
    {OPEN "\"start\": {\"a\": 0.4}}", "m.json:3:1: key \"start\": the probabilities sum to 0.4, not to 1; "
                                      "give a list of names where all weigh "
                                      "the same"},
    {OPEN "\"end\": {\"a\": 0}}",
     "m.json:3:1: key \"end\": no class may end a recording; name at least one, or leave the key out"},
    {OPEN "\"end\": {\"b\": 2}}", "m.json:3:9: key \"end\", class \"b\": needs a probability from 0 to 1"},
    {OPEN "\"start\": {\"a\": 1}, \"start_log_weights\": {\"a\": 1}}",
     "m.json:3:20: key \"start_log_weights\": \"start\" has probabilities already; keep one, or make "
     "\"start\" a list"},
    {OPEN "\"start\": [\"a\"],\n\"start_log_weights\": {\"b\": 1}}",
     "m.json:4:1: key \"start_log_weights\", class \"a\": no number, though \"start\" lists it"},
    {OPEN "\"end_log_weights\": {\"a\": \"x\"}}",
     "m.json:3:21: key \"end_log_weights\", class \"a\": needs a number, or null "
     "where a recording may not end; this is a string"},
    {OPEN "\"end_log_weights\": {\"c\": 1}}",
     "m.json:3:21: key \"end_log_weights\", class \"c\": the model has no such class (it has a, b)"},
    {OPEN "\"end_log_weights\": {\"a\": null}}", "m.json:3:1: key \"end_log_weights\": no class may end a "
                                                 "recording; name at least one, or leave the key out"},
    {OPEN "\"end_log_weights\": [1, 2]}",
     "m.json:3:1: key \"end_log_weights\": needs an object, name -> log weight; this is a list"},
    /* dwell, prior, decoding */
    {OPEN "\"min_dwell\": {\"a\": 2, \"b\": 0}}",
     "m.json:3:23: key \"min_dwell\", class \"b\": needs a whole number of steps from 1 to 2147483647"},
    {OPEN "\"min_dwell\": {\"a\": 1.5}}",
     "m.json:3:15: key \"min_dwell\", class \"a\": needs a whole number of steps from 1 to 2147483647"},
    {OPEN "\"min_dwell\": 3}", "m.json:3:1: key \"min_dwell\": needs an object, how many steps each stays at "
                               "least, as {\"N1\": 2}; this is a number"},
    {AB "\"forbid\": {\"a\": [\"a\"]},\n\"min_dwell\": {\"a\": 2}}",
     "m.json:3:15: key \"min_dwell\", class \"a\": must stay for 2 steps, but a -> a is "
     "forbidden; allow it, or take this min_dwell out"},
    {OPEN "\"min_dwell_at_end\": 1}",
     "m.json:3:1: key \"min_dwell_at_end\": needs true or false; this is a number"},
    /* durations */
    {OPEN "\"durations\": [3]}", "m.json:3:1: key \"durations\": needs an object, how long the runs of each "
                                 "class are, as {\"N2\": {\"min\": 3, \"max\": "
                                 "40}}; this is a list"},
    {OPEN "\"durations\": {\"c\": {\"min\": 2}}}",
     "m.json:3:15: key \"durations\", class \"c\": the model has no such class (it has a, b)"},
    {OPEN "\"durations\": {\"a\": {\"min\": \"2\"}}}",
     "m.json:3:21: key \"durations\", class \"a\": \"min\" needs a whole "
     "number of steps, as 3, or a time, as \"90s\", \"15min\" or "
     "\"1h\""},
    {OPEN "\"durations\": {\"a\": {\"min\": 5, \"max\": 4}}}",
     "m.json: model m: the duration of \"a\" has min 5 steps above max 4 steps"},
    {OPEN "\"durations\": {\"a\": {\"pmf\": [0, 0]}}}",
     "m.json: model m: the pmf of the duration of \"a\" sums to 0; some length must be possible"},
    {OPEN "\"durations\": {\"a\": {\"pmf\": [1, -2]}}}",
     "m.json:3:32: key \"durations\", class \"a\": \"pmf\" needs numbers of at least 0; length 2 has less"},
    {OPEN "\"durations\": {\"a\": {\"pmf\": [1], \"max\": 3}}}",
     "m.json:3:15: key \"durations\", class \"a\": needs one of a \"pmf\", which says all, a named "
     "distribution, or \"min\" and "
     "\"max\" alone"},
    {OPEN "\"durations\": {\"a\": {\"poisson\": {\"mean\": 0.5}}}}",
     "m.json: model m: the mean of the duration of \"a\" is 0.5; it is a length, at least 1 step"},
    {OPEN "\"durations\": {\"a\": {\"negative_binomial\": {\"mean\": 2}}}}",
     "m.json:3:21: key \"durations\", class \"a\": \"negative_binomial\" needs an object of \"mean\", a "
     "length, and "
     "\"dispersion\", a "
     "number"},
    {OPEN "\"durations_at_ends\": \"open\"}", "m.json:3:1: key \"durations_at_ends\": needs \"cut\" or "
                                              "\"whole\", or {\"start\": \"whole\", \"end\": \"cut\"}"},
    {AB "\"forbid\": {\"a\": [\"b\"]}, \"start\": [\"a\"],\n\"durations\": {\"b\": {\"min\": 2}}}",
     "m.json: model m: \"b\" has a duration, but may neither start a recording nor follow another class; "
     "allow it somewhere, or "
     "drop the duration"},
    {OPEN "\"min_dwell\": {\"a\": 2}, \"durations\": {\"a\": {\"min\": 2}}}",
     "m.json: model m: \"a\" has both a duration and a min_dwell (2 steps); write the least length as the "
     "duration's \"min\", or "
     "drop one of the two"},
    {OPEN "\"prior\": {\"a\": 1}}",
     "m.json:3:1: key \"prior\", class \"b\": missing; give the share of each class"},
    {OPEN "\"prior\": {\"a\": 0.5, \"b\": 0.6}}",
     "m.json:3:1: key \"prior\": the shares sum to 1.1, not to 1; divide each by the sum"},
    {OPEN "\"prior\": {\"a\": 1.5, \"b\": -0.5}}", "m.json:3:21: key \"prior\", class \"b\": needs the "
                                                   "class's share of the training set, a number from 0 to 1"},
    {OPEN "\"prior\": [1]}", "m.json:3:1: key \"prior\": 1 numbers for 2 classes; give one for each"},
    {OPEN "\"prior\": \"uniform\"}", "m.json:3:1: key \"prior\": needs class -> share of the training set, "
                                     "as {\"Wake\": 0.2, \"N1\": 0.8}; this is "
                                     "a string"},
    {OPEN "\"decoding\": {\"temperature\": 0}}",
     "m.json:3:14: key \"decoding\", \"temperature\": scores are divided by it, so it must be above 0"},
    {OPEN "\"decoding\": {\"prior_weight\": true}}",
     "m.json:3:14: key \"decoding\", \"prior_weight\": needs a number; this is true"},
    {OPEN "\"decoding\": {\"floor\": 1}}", "m.json:3:14: key \"decoding\", \"floor\": smaller probabilities "
                                           "are raised to it, so it must lie between 0 and 1"},
    {OPEN "\"rules\": \"never a\"}",
     "m.json:3:1: key \"rules\": needs a list of rules, as [\"never REM Wake REM\"], not a string"},
    {OPEN "\"rules\": [7]}",
     "m.json:3:11: key \"rules\": a rule is a string, as \"never REM Wake REM\", or an object, as {\"name\": "
     "\"n3\", \"rule\": \"at_least 1 N3\", \"cost\": 2.3, \"at_gap\": \"may\"}"},
    {OPEN "\"rules\": [\"first a\", {\"rule\": \"a\", \"name\": \"rule1\"}]}",
     "m.json:3:22: key \"rules\": model m: two rules are called \"rule1\"; give one of them another name"},
    {OPEN "\"rules\": [{\"rule\": \"a\", \"cost\": -1}]}",
     "m.json:3:25: key \"rules\": \"cost\" needs nats a violation, not below 0, or null where no path may "
     "break the rule"},
    {OPEN "\"rules\": [{\"rule\": \"a\", \"at_gap\": 1}]}",
     "m.json:3:25: key \"rules\": \"at_gap\" is \"must\", what the rule "
     "asks for must be seen (the default), or \"may\", a gap may have "
     "held it"},
    {OPEN "\"rules\": [\"never a q\"]}",
     "m.json:3:11: key \"rules\": rule rule1: line 1, column 9: \"q\" is no class of model m: a, b\n"
     "  never a q\n          ^"},
    {"{\"statepath_model\": 1, \"classes\": [\"a\", \"b\", \"" X222
     "\"], \"forbid\": {},\n\"rules\": [\"never a q\"]}",
     "m.json:2:11: key \"rules\": rule rule1: line 1, column 9: \"q\" is no class of model m: a, b and 1 "
     "more\n"
     "  never a q\n          ^"},
    {"{\"statepath_model\": 1, \"classes\": [\"" X222
     "\", \"a\"], \"forbid\": {},\n\"rules\": [\"never a q\"]}",
     "m.json:2:11: key \"rules\": rule rule1: line 1, column 9: \"q\" is no class of model m: 2 of them\n"
     "  never a q\n          ^"},
};

static void every_fault_has_its_sentence(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        sp_error err = {0};
        sp_model *model = NULL;
        sp_status status = sp_model_from_json(broken[i].text, "m.json", &model, &err);
        if (status == SP_EMODEL && !model && strcmp(err.message, broken[i].message) == 0)
            continue;
        n_wrong++;
        print_error("%s\n  gave     %s: %s\n  expected %s\n", broken[i].text, sp_status_name(status),
                    err.message, broken[i].message);
        sp_model_free(model);
    }
    assert_int_equal(n_wrong, 0);
    assert_int_equal(sp_model_from_json("{}", "m.json", &(sp_model *){NULL}, NULL),
                     SP_EMODEL); /* err may be NULL */
}

/* tests/data/models.json, which the schema is tested with too: what is good to one is good to the other. */
static void the_reader_agrees_with_the_schema(void **state)
{
    (void)state;
    json_t *cases = json_load_file(SOURCE_DIR "/tests/data/models.json", 0, NULL), *model;
    size_t i;
    assert_non_null(cases);
    assert_true(json_array_size(json_object_get(cases, "good")) > 3 &&
                json_array_size(json_object_get(cases, "broken")) > 30);
    for (int is_good = 0; is_good < 2; is_good++)
        json_array_foreach(json_object_get(cases, is_good ? "good" : "broken"), i, model)
        {
            char *text = json_dumps(model, 0);
            sp_model *read = NULL;
            sp_error err = {0};
            assert_non_null(text);
            if (sp_model_from_json(text, "m.json", &read, &err) != (is_good ? SP_OK : SP_EMODEL))
                fail_msg("%s: %s", text, is_good ? err.message : "accepted");
            sp_model_free(read);
            free(text);
        }
    json_decref(cases);
}

/* ---- finding models ---- */

static void shipped_models_by_name(void **state)
{
    (void)state;
    sp_error err;
    char **names;
    int32_t n;
    assert_ok(sp_model_list(&names, &n, &err), &err);
    assert_true(n >= 4);
    for (int32_t i = 0; i < n; i++) {
        sp_model *m = NULL;
        assert_ok(sp_model_load(names[i], &m, &err), &err);
        assert_string_equal(m->name, names[i]);
        assert_non_null(m->source);
        sp_model_free(m);
        if (i)
            assert_true(strcmp(names[i - 1], names[i]) < 0);
    }
    for (int32_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

static void what_the_sleep_models_forbid(void **state)
{
    (void)state;
    const char *const names[] = {"sleep-strict", "sleep-textbook", "sleep-aasm", "sleep-permissive"};
    const char *const rows[] = {"11000"
                                "11100"
                                "01111"
                                "00110"
                                "10101",
                                "11100"
                                "11101"
                                "11111"
                                "10110"
                                "11101",
                                "11100"
                                "11101"
                                "11111"
                                "11111"
                                "11101",
                                "11111"
                                "11111"
                                "11111"
                                "11111"
                                "11111"};
    const char *const used[][5] = {
        {"W", "N1", "N2", "N3", "R"},
        {"REM", "N3", "N2", "N1", "Wake"},
        {"WAKE", "S1", "S2", "S3", "REM"},
        {"Sleep stage W", "Sleep stage 1", "Sleep stage 2", "Sleep stage 3", "Sleep stage R"},
        {"Wake|0", "Stage 1 sleep|1", "Stage 2 sleep|2", "Stage 3 sleep|3", "REM sleep|5"},
        {"wake", "NREM1", "NREM2", "NREM3", "rem"}};
    for (int i = 0; i < 4; i++) {
        sp_error err;
        sp_model *m = NULL;
        assert_ok(sp_model_load(names[i], &m, &err), &err);
        assert_edges(m, rows[i]);
        assert_true(!m->start && !m->end && !m->min_dwell);
        for (size_t u = 0; u < sizeof used / sizeof *used; u++) {
            int32_t column[5];
            assert_ok(sp_model_align(m, 5, used[u], column, &err), &err);
            assert_int_equal(column[0], u == 1 ? 4 : 0);
        }
        for (int32_t a = 0; a < m->n_aliases;
             a++) /* bare digits mean different stages in different sources */
            assert_true(strspn(m->aliases[a].name, "0123456789") == 0);
        sp_model_free(m);
    }
}

static void write_file(const char *name, const char *text, size_t n)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static void assert_load_fails(const char *name, sp_status status, const char *message)
{
    sp_error err;
    sp_model *m = NULL;
    assert_int_equal(sp_model_load(name, &m, &err), status);
    assert_null(m);
    assert_string_equal(err.message, message);
}

static void files_and_their_faults(void **state)
{
    (void)state;
    char folder[] = "/tmp/statepath-test-XXXXXX", back[4096];
    assert_non_null(getcwd(back, sizeof back));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    static const char text[] = "{\"statepath_model\": 1, \"classes\": [\"a\"], \"forbid\": {}}";
    write_file("own.model.json", text, sizeof text - 1);
    write_file("sleep-strict", text, sizeof text - 1);
    write_file("scores.h5", "\x89HDF\r\n\x1a\n rest", 13);
    write_file("wide.json", "{\0\"\0", 4);
    write_file("bad.json", "{\"statepath_model\": 1,\n", 23);
    assert_int_equal(mkdir("sleep-aasm", 0777), 0);

    sp_error err;
    sp_model *m = NULL;
    assert_ok(sp_model_load("own.model.json", &m, &err), &err);
    assert_string_equal(m->name, "own");
    sp_model_free(m);
    assert_ok(sp_model_load("sleep-strict", &m, &err), &err); /* the file here comes first */
    assert_int_equal(m->n_classes, 1);
    sp_model_free(m);
    assert_ok(sp_model_load("sleep-aasm", &m, &err), &err); /* a folder is no model */
    assert_int_equal(m->n_classes, 5);
    sp_model_free(m);

    char list[256] = "the shipped models are ", message[512];
    char **names;
    int32_t n_names;
    assert_ok(sp_model_list(&names, &n_names, &err), &err);
    for (int32_t i = 0; i < n_names; i++) {
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
        free(names[i]);
    }
    free(names);
    snprintf(message, sizeof message,
             "there is no model \"sleep-stirct\": no file of that name here, and %s; did you mean "
             "\"sleep-strict\"?",
             list);
    assert_load_fails("sleep-stirct", SP_EFILE, message);
    snprintf(message, sizeof message, "there is no model \"./mine.json\": no file of that name, and %s",
             list);
    assert_load_fails("./mine.json", SP_EFILE, message);
    assert_load_fails("own", SP_EFILE,
                      "there is no model \"own\"; did you mean the file \"own.model.json\"?");
    assert_load_fails(".", SP_EFILE, ".: is a folder; give the model's file in it");
    assert_load_fails("scores.h5", SP_EFILE,
                      "scores.h5: is an HDF5 file, not a model; did you swap two arguments?");
    assert_load_fails("wide.json", SP_EFILE,
                      "wide.json: is not a text file in UTF-8, so it cannot be a model");
    assert_load_fails("bad.json", SP_EMODEL,
                      "bad.json:2:1: not valid JSON: string or '}' expected near end of file");

    const char *const files[] = {"own.model.json", "sleep-strict", "scores.h5", "wide.json", "bad.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(unlink(files[i]), 0);
    assert_int_equal(rmdir("sleep-aasm"), 0);
    assert_int_equal(chdir(back), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void saving(void **state)
{
    (void)state;
    char folder[] = "/tmp/statepath-test-XXXXXX", file[64], message[128];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/m.json", folder);
    sp_error err;
    sp_model *m = NULL, *back = NULL;
    assert_ok(sp_model_load("sleep-textbook", &m, &err), &err);
    assert_ok(sp_model_save(m, file, false, &err), &err);
    assert_int_equal(sp_model_save(m, file, false, &err), SP_EFILE);
    snprintf(message, sizeof message, "%s: exists already; use `force` to replace it", file);
    assert_string_equal(err.message, message);
    free(m->name);
    m->name = strdup("other");
    assert_ok(sp_model_save(m, file, true, &err), &err);
    assert_ok(sp_model_load(file, &back, &err), &err);
    assert_string_equal(back->name, "other");
    assert_int_equal(back->n_aliases, m->n_aliases);
    assert_edges(back, "11100"
                       "11101"
                       "11111"
                       "10110"
                       "11101");
    sp_model_free(m);
    sp_model_free(back);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing is left beside it */
}

static void the_models_of_real_data(void **state)
{
    (void)state;
    const struct {
        const char *file;
        int32_t n_classes, n_states, n_edges;
    } models[] = {{"accusleep_mouse", 3, 3, 8}, {"applewatch_balanced", 5, 5, 19},
                  {"dodh_votes", 5, 5, 19},     {"salads_eval_edtcn", 10, 10, 50},
                  {"tmbed_sample", 5, 27, 39},  {"wnut17_linear", 13, 13, 103}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char name[128];
        snprintf(name, sizeof name, "data/%s.model.json", models[i].file);
        const char *file = shared_file(name);
        if (!file) {
            print_message("skipped: no shared data here\n");
            skip();
        }
        sp_error err;
        sp_model *m = NULL;
        assert_ok(sp_model_load(file, &m, &err), &err);
        assert_int_equal(m->n_classes, models[i].n_classes);
        assert_int_equal(m->n_states, models[i].n_states);
        assert_int_equal(m->row[m->n_states], models[i].n_edges);
        sp_model_free(m);
    }
}

static void keep_sentence(void *arg, const char *sentence)
{
    char *all = arg;
    strcat(strcat(all, sentence), "\n");
}

static void warnings_say_where(void **state)
{
    (void)state;
    char file[] = "/tmp/statepath-test-XXXXXX", all[4096] = "", expected[4096];
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    static const char text[] = "{\"statepath_model\": 1,\n \"classes\": [\"a\", \"b\", \"c\"],\n \"allow\": "
                               "{\"a\": [\"a\"],\n  \"b\": [\"a\"],\n"
                               "  \"c\": [\"c\", \"b\"]},\n \"start\": [\"b\"]}\n";
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    sp_error err;
    assert_ok(sp_model_load_warnings(file, keep_sentence, all, &err), &err);
    snprintf(expected, sizeof expected,
             "%s:3:12: key \"allow\": class \"a\" can never be left: only itself may follow it\n"
             "%s:5:3: key \"allow\": class \"c\" can never be reached: nothing that may start leads to it\n",
             file, file);
    assert_string_equal(all, expected);
    unlink(file);
    all[0] = 0;
    assert_ok(sp_model_load_warnings("sleep-strict", keep_sentence, all, &err), &err);
    assert_string_equal(all, "");
}

/* ---- lack of memory ---- */

static const char everything[] =
    "{\"statepath_model\":1,\"name\":\"all\",\"description\":\"d\",\"source\":\"s\",\"classes\":[\"x\",\"y\"]"
    ","
    "\"aliases\":{\"x\":[\"X\"],\"y\":\"Y\"},\"states\":{\"x1\":\"x\",\"y1\":\"y\",\"x2\":\"x\"},"
    "\"matrix\":[[1,1,0],[0,1,1],[1,0,1]],\"probabilities\":[[0.5,0.5,0],[0,0.5,0.5],[1e-3,0,0.999]],"
    "\"start\":{\"x1\":1},\"end\":[\"x2\"],\"min_dwell\":{\"y1\":3},\"min_dwell_at_end\":true,\"prior\":[0.5,"
    "0.5],"
    "\"decoding\":{\"temperature\":2}}";

static sp_status attempt_read(void *arg)
{
    (void)arg;
    sp_model *m = NULL;
    sp_status status = sp_model_from_json(everything, "m.json", &m, NULL);
    assert_int_equal(status == SP_OK, m != NULL);
    sp_model_free(m);
    return status;
}

static sp_status attempt_write(void *arg)
{
    char *text = NULL;
    sp_status status = sp_model_to_json(arg, &text, NULL);
    assert_int_equal(status == SP_OK, text != NULL);
    free(text);
    return status;
}

static void no_warning(void *arg, const char *sentence)
{
    (void)arg, (void)sentence;
}

static sp_status attempt_warnings(void *arg)
{
    return sp_model_load_warnings(arg, no_warning, NULL, NULL);
}

static sp_status attempt_load(void *arg)
{
    sp_model *m = NULL;
    sp_status status = sp_model_load(arg, &m, NULL);
    assert_int_equal(status == SP_OK, m != NULL);
    sp_model_free(m);
    return status;
}

static sp_status attempt_list(void *arg)
{
    (void)arg;
    char **names = NULL;
    int32_t n = 0;
    sp_status status = sp_model_list(&names, &n, NULL);
    assert_int_equal(status == SP_OK, names != NULL);
    for (int32_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    char file[] = SOURCE_DIR "/models/sleep-strict.model.json", shipped[] = "sleep-aasm";
    sp_model *m = read_model(everything);
    assert_true(assert_each_alloc_may_fail(attempt_read, NULL) > 25);
    assert_int_equal(assert_each_alloc_may_fail(attempt_write, m), 0); /* jansson's and the stream's only */
    assert_true(assert_each_alloc_may_fail(attempt_load, file) > 60);
    assert_true(assert_each_alloc_may_fail(attempt_warnings, shipped) > 60);
    assert_true(assert_each_alloc_may_fail(attempt_list, NULL) >= 5);
    sp_model_free(m);
}

/* malloc and free as functions of this program, so that jansson's allocations can be made to fail too. */
static void *own_malloc(size_t size)
{
    return malloc(size);
}

static void own_free(void *p)
{
    free(p);
}

/* jansson calls some of its own lack of memory a syntax error; nothing worse may come of it. */
static void jansson_may_fail(void **state)
{
    (void)state;
    sp_model *m = read_model(everything);
    json_malloc_t malloc_before;
    json_free_t free_before;
    json_get_alloc_funcs(&malloc_before, &free_before);
    json_set_alloc_funcs(own_malloc, own_free);
    bool is_reading = true, is_writing = true;
    for (int n = 0; is_reading || is_writing; n++) {
        failing_alloc_arm(n);
        sp_status status = attempt_read(NULL);
        is_reading = failing_alloc_disarm();
        assert_true(is_reading ? status == SP_ENOMEM || status == SP_EMODEL : status == SP_OK);
        failing_alloc_arm(n);
        status = attempt_write(m);
        is_writing = failing_alloc_disarm();
        assert_int_equal(status, is_writing ? SP_ENOMEM : SP_OK);
    }
    json_set_alloc_funcs(malloc_before, free_before);
    sp_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_format),
        cmocka_unit_test(forbid_and_matrix_say_the_same),
        cmocka_unit_test(weights_of_both_forms),
        cmocka_unit_test(states_speak_in_the_rules),
        cmocka_unit_test(names_in_any_script),
        cmocka_unit_test(every_fault_has_its_sentence),
        cmocka_unit_test(the_reader_agrees_with_the_schema),
        cmocka_unit_test(shipped_models_by_name),
        cmocka_unit_test(what_the_sleep_models_forbid),
        cmocka_unit_test(files_and_their_faults),
        cmocka_unit_test(warnings_say_where),
        cmocka_unit_test(saving),
        cmocka_unit_test(the_models_of_real_data),
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(jansson_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
