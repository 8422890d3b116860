/* The pipeline: recordings in memory and the same in a file give the same bytes, whole or in pieces; options are named without
 * dashes. */
#include "check.h"
#include "made_files.h"
#include "statepath/comparison.h"
#include "statepath/pipeline_file.h"

#include <sys/stat.h>

enum { N = 6, K = 5, STEPS = 300, S = N * STEPS };

static const char *const classes[K] = {"Wake", "N1", "N2", "N3", "REM"};
static const char *const ids[N] = {"a", "b", "c", "d", "e", "f"};
static int64_t offsets[N + 1];
static float scores[S * K];
static int32_t labels[S];
static int64_t segments[S];
static char file[4096];

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Labels that stay for a while, scores that lean to them, a gap in each recording. */
static void draw(void)
{
    uint32_t state = 7;
    for (int64_t t = 0; t < S; t++) {
        double sum = 0, p[K];
        int64_t step = t % STEPS;
        labels[t] = step == 0 ? 0 : next(&state) % 8 ? labels[t - 1] : (int32_t)(next(&state) % K);
        segments[t] = step >= 170;
        for (int k = 0; k < K; k++)
            sum += p[k] = 1 + next(&state) % 100 + (k == labels[t] ? 120 : 0);
        for (int k = 0; k < K; k++)
            scores[t * K + k] = (float)log(p[k] / sum);
        if (next(&state) % 20 == 0)
            labels[t] = -1;
    }
}

static sp_arrays arrays(void)
{
    struct stat info;
    assert_int_equal(stat(file, &info), 0);
    return (sp_arrays){.info = {.file = file,
                                .file_size = info.st_size,
                                .kind = SP_KIND_LOG_PROBS,
                                .dtype = SP_F32,
                                .n_recordings = N,
                                .n_classes = K,
                                .ids = ids,
                                .offsets = offsets,
                                .classes = classes},
                       .scores = scores,
                       .labels = labels,
                       .segments = segments};
}

static int setup(void **state)
{
    (void)state;
    sp_error err;
    sp_scores_writer *writer = NULL;
    for (int n = 0; n <= N; n++)
        offsets[n] = n * STEPS;
    draw();
    made_folder();
    snprintf(file, sizeof file, "%s", made_path("scores.h5"));
    sp_scores_header header = {.kind = SP_KIND_LOG_PROBS,
                               .dtype = SP_F32,
                               .n_recordings = N,
                               .n_steps = S,
                               .n_classes = K,
                               .offsets = offsets,
                               .ids = ids,
                               .classes = classes,
                               .with_labels = true,
                               .with_segments = true};
    sp_block block = {.n_recordings = N,
                      .n_steps = S,
                      .n_classes = K,
                      .offsets = offsets,
                      .dtype = SP_F32,
                      .scores = scores,
                      .labels = labels,
                      .segments = segments};
    assert_ok(sp_scores_writer_open(file, &header, &writer, &err), &err);
    assert_ok(sp_scores_writer_add(writer, &block, &err), &err);
    assert_ok(sp_scores_writer_commit(writer, &err), &err);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    made_folder_remove();
    return 0;
}

static sp_run_options options(void)
{
    sp_run_options o = sp_run_options_default();
    o.model = "sleep-strict";
    o.strategies = "argmax,greedy,viterbi,posterior";
    o.decode.threads = 2;
    return o;
}

static char *json_of(sp_comparison *comparison)
{
    sp_error err;
    char *text = NULL;
    assert_ok(sp_report_json(comparison, &text, &err), &err);
    sp_comparison_free(comparison);
    return text;
}

static char *json_of_arrays(const sp_run_options *o)
{
    sp_error err;
    sp_comparison *comparison = NULL;
    sp_arrays a = arrays();
    sp_recordings r = sp_recordings_of_arrays(&a);
    assert_ok(sp_compare(&r, o, &comparison, NULL, &err), &err);
    return json_of(comparison);
}

static char *json_of_file(const sp_run_options *o)
{
    sp_error err;
    sp_comparison *comparison = NULL;
    assert_ok(sp_compare_file(file, o, &comparison, NULL, &err), &err);
    return json_of(comparison);
}

static void test_same_json(void **state)
{
    (void)state;
    sp_run_options o = options();
    char *prefix[] = {NULL, "uniform"};
    for (int i = 0; i < 2; i++) {
        o.decode.missing = prefix[i];
        char *from_file = json_of_file(&o), *from_arrays = json_of_arrays(&o);
        assert_non_null(strstr(from_file, "\"viterbi\""));
        assert_string_equal(from_arrays, from_file);
        free(from_file);
        free(from_arrays);
    }
}

/* ---- paths ---- */

typedef struct taken {
    int32_t paths[2][S];
    sp_decoded results[2][N];
    int n_calls;
} taken;

static sp_status take(void *arg, int32_t strategy, int64_t first, int64_t n_recordings, int64_t first_step,
                      int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    (void)err;
    taken *t = arg;
    t->n_calls++;
    memcpy(t->paths[strategy] + first_step, output->paths, (size_t)n_steps * sizeof(int32_t));
    if (n_recordings)
        memcpy(t->results[strategy] + first, output->results, (size_t)n_recordings * sizeof(sp_decoded));
    return SP_OK;
}

static void test_same_paths(void **state)
{
    (void)state;
    sp_error err;
    sp_run_options o = options();
    char paths_file[4096];
    snprintf(paths_file, sizeof paths_file, "%s", made_path("paths.h5"));
    o.strategies = "greedy,viterbi";
    o.output = paths_file;
    assert_ok(sp_decode_file(file, &o, NULL, &err), &err);
    o.output = NULL;
    sp_paths_reader *reader = NULL;
    assert_ok(sp_paths_reader_open(paths_file, NULL, NULL, &reader, &err), &err);
    sp_arrays a = arrays();
    sp_recordings r = sp_recordings_of_arrays(&a);
    static taken t;
    static int32_t expected[S];
    memset(&t, 0x55, sizeof t);
    t.n_calls = 0;
    o.hooks = (sp_run_hooks){.arg = &t, .paths = take};
    assert_ok(sp_decode_recordings(&r, &o, NULL, &err), &err);
    assert_true(t.n_calls == 2);
    for (int s = 0; s < 2; s++) {
        const sp_paths_info *info = sp_paths_reader_info(reader);
        int32_t place = strcmp(info->strategies[0], s ? "viterbi" : "greedy") == 0 ? 0 : 1;
        assert_ok(sp_paths_reader_read(reader, place, 0, N, expected, NULL, &err), &err);
        assert_memory_equal(t.paths[s], expected, sizeof expected);
        for (int n = 0; n < N; n++)
            assert_int_equal(t.results[s][n].status, SP_OK);
    }
    sp_source_close(reader);
}

/* ---- evaluating ---- */

static char *json_of_paths(const sp_recordings *r, const sp_array_paths *paths, const sp_run_options *o)
{
    sp_error err;
    sp_comparison *comparison = NULL;
    assert_ok(sp_evaluate(r, paths, o, &comparison, NULL, &err), &err);
    return json_of(comparison);
}

static void test_same_evaluation(void **state)
{
    (void)state;
    static taken t;
    sp_error err;
    struct stat info;
    sp_run_options o = options();
    char paths_file[4096];
    snprintf(paths_file, sizeof paths_file, "%s", made_path("evaluated.h5"));
    o.strategies = "greedy,viterbi";
    o.output = paths_file;
    o.hooks = (sp_run_hooks){.arg = &t, .paths = take};
    assert_ok(sp_decode_file(file, &o, NULL, &err), &err);
    assert_int_equal(stat(paths_file, &info), 0);
    o.output = o.strategies = NULL;
    o.hooks = (sp_run_hooks){.arg = NULL};
    sp_comparison *comparison = NULL;
    assert_ok(sp_evaluate_file(paths_file, &o, &comparison, NULL, &err), &err);
    char *from_file = json_of(comparison);
    sp_arrays a = arrays();
    a.scores = NULL;
    a.info.file = paths_file;
    a.info.file_size = info.st_size;
    sp_recordings r = sp_recordings_of_arrays(&a);
    sp_array_paths paths = {.n_strategies = 2,
                            .names = (const char *const[]){"greedy", "viterbi"},
                            .paths = (const int32_t *const[]){t.paths[0], t.paths[1]},
                            .results = (const sp_decoded *const[]){t.results[0], t.results[1]}};
    char *from_arrays = json_of_paths(&r, &paths, &o);
    assert_string_equal(from_arrays, from_file);
    free(from_file);
    free(from_arrays);
    t.paths[1][9] = K;
    assert_int_equal(sp_evaluate(&r, &paths, &o, &comparison, NULL, &err), SP_EDATA);
    assert_non_null(strstr(err.message, "viterbi: class 5 at step 9"));
}

/* ---- another classifier ---- */

static float flat[S * K]; /* the same scores, less sure, recordings in the other order */
static const char *const ids_back[N] = {"f", "e", "d", "c", "b", "a"};
static char other_file[4096];

static void draw_other(void)
{
    for (int n = 0; n < N; n++)
        for (int64_t t = 0; t < STEPS; t++) {
            const float *from = scores + (n * STEPS + t) * K;
            float *to = flat + ((N - 1 - n) * STEPS + t) * K;
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += exp((double)from[k] / 2);
            for (int k = 0; k < K; k++)
                to[k] = (float)((double)from[k] / 2 - log(sum));
        }
}

static void write_other(void)
{
    sp_error err;
    sp_scores_writer *writer = NULL;
    snprintf(other_file, sizeof other_file, "%s", made_path("other.h5"));
    sp_scores_header header = {.kind = SP_KIND_LOG_PROBS,
                               .dtype = SP_F32,
                               .n_recordings = N,
                               .n_steps = S,
                               .n_classes = K,
                               .offsets = offsets,
                               .ids = ids_back,
                               .classes = classes};
    sp_block block = {
        .n_recordings = N, .n_steps = S, .n_classes = K, .offsets = offsets, .dtype = SP_F32, .scores = flat};
    assert_ok(sp_scores_writer_open(other_file, &header, &writer, &err), &err);
    assert_ok(sp_scores_writer_add(writer, &block, &err), &err);
    assert_ok(sp_scores_writer_commit(writer, &err), &err);
}

static sp_arrays other_arrays(void)
{
    struct stat info;
    sp_arrays a = arrays();
    assert_int_equal(stat(other_file, &info), 0);
    a.info.file = other_file;
    a.info.file_size = info.st_size;
    a.info.scores_path = "/log_probs";
    a.info.ids = ids_back;
    a.scores = flat;
    a.labels = NULL;
    a.segments = NULL;
    return a;
}

static void test_same_against(void **state)
{
    (void)state;
    sp_error err;
    sp_run_options o = options();
    sp_comparison *comparison = NULL;
    char words[5000];
    draw_other();
    write_other();
    snprintf(words, sizeof words, "old=%s", other_file);
    char *against[] = {words, NULL};
    o.against = against;
    char *from_file = json_of_file(&o);
    assert_non_null(strstr(from_file, "\"old.viterbi\""));
    sp_arrays a = other_arrays();
    sp_recordings other = sp_recordings_of_arrays(&a);
    o.against = NULL;
    o.against_recordings = &(sp_named_recordings){"old", &other};
    o.n_against_recordings = 1;
    char *from_arrays = json_of_arrays(&o);
    assert_string_equal(from_arrays, from_file);
    free(from_file);
    free(from_arrays);

    sp_arrays ours = arrays();
    sp_recordings r = sp_recordings_of_arrays(&ours);
    static const char *const others[N] = {"f", "e", "d", "c", "b", "x"};
    a.info.ids = others;
    assert_int_equal(sp_compare(&r, &o, &comparison, NULL, &err), SP_EDATA);
    assert_non_null(strstr(err.message, "do not match; only in "));
    assert_non_null(strstr(err.message, "other.h5): x"));
    a.info.ids = ids_back;
    a.labels = labels; /* in the other order: another night's */
    other = sp_recordings_of_arrays(&a);
    assert_int_equal(sp_compare(&r, &o, &comparison, NULL, &err), SP_EDATA);
    assert_non_null(strstr(err.message, "recording a, step "));
    assert_non_null(strstr(err.message, "those of the other must agree"));
    o.against_recordings = &(sp_named_recordings){"a.b", &other};
    assert_int_equal(sp_compare(&r, &o, &comparison, NULL, &err), SP_EINVAL);
    o.n_against_recordings = 0;
    o.against = against;
    assert_int_equal(sp_compare(&r, &o, &comparison, NULL, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "`against`"));
    assert_null(comparison);
}

/* ---- messages and callbacks ---- */

static bool is_stopped(void *arg)
{
    (void)arg;
    return true;
}

/* What needs another option is refused without it, in memory as by the program; a part in memory is one without `part`, and what only
 * the program can be given is not asked for. */
static void test_needs(void **state)
{
    (void)state;
    sp_error err;
    sp_comparison *comparison = NULL;
    sp_arrays a = arrays();
    sp_recordings r = sp_recordings_of_arrays(&a);
    sp_run_options o = options();
    o.fit.smoothing = 2;
    assert_int_equal(sp_compare(&r, &o, &comparison, NULL, &err), SP_EINVAL);
    assert_string_equal(err.message, "`smoothing` is of use with `cv` only");
    o = options();
    o.confidence = 1;
    assert_int_equal(sp_decode_recordings(&r, &o, NULL, &err), SP_EINVAL);
    assert_string_equal(err.message,
                        "`confidence` is written beside the paths: `output` PATHS.h5 says where");
    o = options();
    o.draw = "one";
    assert_int_equal(sp_compare(&r, &o, &comparison, NULL, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "there is no recording one"));
    assert_null(comparison);
}

static void test_messages(void **state)
{
    (void)state;
    sp_error err;
    sp_comparison *comparison = NULL;
    sp_arrays a = arrays();
    sp_recordings r = sp_recordings_of_arrays(&a);
    sp_run_options o = options();
    o.margin = 2;
    assert_int_equal(sp_compare(&r, &o, &comparison, NULL, &err), SP_EINVAL);
    assert_string_equal(err.message,
                        "`margin` 2: the loss that would still be no harm, from 0 to 1, such as 0.01 for one "
                        "percentage point");
    o = options();
    o.groups = "prefix:_";
    assert_int_equal(sp_compare(&r, &o, &comparison, NULL, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "of files"));
    o = options();
    o.hooks.is_stopped = is_stopped;
    assert_int_equal(sp_compare(&r, &o, &comparison, NULL, &err), SP_EFILE);
    a.scores = NULL;
    sp_recordings unscored = sp_recordings_of_arrays(&a);
    assert_int_equal(sp_decode_recordings(&unscored, &o, NULL, &err), SP_EINVAL);
    a.scores = scores;
    r = sp_recordings_of_arrays(&a);
    labels[7] = K;
    o = options();
    assert_int_equal(sp_compare(&r, &o, &comparison, NULL, &err), SP_EDATA);
    assert_non_null(strstr(err.message, "label 5 at step 7"));
    labels[7] = 0;
    assert_null(comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_json),       cmocka_unit_test(test_same_paths),
        cmocka_unit_test(test_same_evaluation), cmocka_unit_test(test_same_against),
        cmocka_unit_test(test_needs),           cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
