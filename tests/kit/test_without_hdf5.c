/* The pipeline in memory where there is no HDF5: this program is linked with the whole kit and without that library, and
 * compares, decodes and evaluates recordings that it holds. What the results are is tested by
 * tests/unit/pipeline/test_pipeline.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statepath/comparison.h"
#include "statepath/model_json.h"
#include "statepath/pipeline.h"
#include "statepath/report.h"

enum { N = 2, S = 6, K = 5 };

static const double probs[S][K] = {{.8, .1, .05, .03, .02}, {.2, .5, .2, .05, .05}, {.1, .1, .7, .05, .05},
                                   {.1, .2, .1, .5, .1},    {.6, .1, .1, .1, .1},   {.1, .2, .2, .1, .4}};
static const int32_t labels[S] = {0, 1, 2, 3, 0, 4};
static const int64_t offsets[N + 1] = {0, 4, 6};
static const char *const ids[N] = {"a", "b"};

typedef struct taken {
    int64_t n_steps;
    int32_t path[S];
} taken;

static sp_status take(void *arg, int32_t strategy, int64_t first, int64_t n_recordings, int64_t first_step,
                      int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    taken *t = arg;
    (void)strategy, (void)first, (void)n_recordings, (void)err;
    memcpy(t->path + first_step, output->paths, (size_t)n_steps * sizeof *t->path);
    t->n_steps += n_steps;
    return SP_OK;
}

static int fail(const char *what, const sp_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->message);
    return 1;
}

int main(void)
{
    sp_arrays arrays = {.info = {.file = "memory",
                                 .kind = SP_KIND_PROBS,
                                 .dtype = SP_F64,
                                 .n_recordings = N,
                                 .offsets = offsets,
                                 .ids = ids,
                                 .n_classes = K},
                        .scores = probs,
                        .labels = labels};
    const sp_recordings recordings = sp_recordings_of_arrays(&arrays);
    sp_run_options o = sp_run_options_default();
    sp_error err = {.status = SP_OK};
    o.model = "sleep-aasm";
    taken t = {.n_steps = 0};
    o.hooks = (sp_run_hooks){.arg = &t, .paths = take};
    if (sp_decode_recordings(&recordings, &o, NULL, &err) != SP_OK)
        return fail("decoding", &err);
    o.hooks = (sp_run_hooks){.arg = NULL};
    sp_comparison *compared = NULL, *evaluated = NULL;
    if (sp_compare(&recordings, &o, &compared, NULL, &err) != SP_OK)
        return fail("comparing", &err);
    const char *names[] = {"viterbi"};
    const int32_t *paths[] = {t.path};
    const sp_array_paths given = {.n_strategies = 1, .names = names, .paths = paths};
    if (sp_evaluate(&recordings, &given, &o, &evaluated, NULL, &err) != SP_OK)
        return fail("evaluating", &err);
    char *page = NULL;
    if (sp_report_html(compared, &page, &err) != SP_OK)
        return fail("reporting", &err);
    bool is_same = t.n_steps == S && compared->n_strategies == 3 && evaluated->n_strategies == 1;
    is_same = is_same && compared->strategies[2].agreement.accuracy.value ==
                             evaluated->strategies[0].agreement.accuracy.value;
    is_same = is_same && strstr(page, "</html>");
    if (!is_same)
        fprintf(stderr, "what was compared is not what was decoded and evaluated\n");
    free(page);
    sp_comparison_free(compared);
    sp_comparison_free(evaluated);
    return is_same ? 0 : 1;
}
