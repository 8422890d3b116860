#include "sample.h"

#include "check.h"
#include "evaluated.h"

sp_comparison *sample_small(const sp_run_options *options)
{
    static const char *const classes[] = {"Wake", "NREM", "REM"}, *const ids[] = {"night_1", "night_2"},
                             *const names[] = {"argmax", "greedy", "viterbi"},
                             *const people[] = {"ann", "<bob>"};
    static const uint8_t allow[] = {1, 1, 0, 1, 1, 1, 1, 1, 1};
    static const int64_t offsets[] = {0, 8, 14};
    static const int32_t labels[] = {0, 0, 1, 1, 2, 2, 1, 0, /**/ 0, 0, 2, 2, 2, -1};
    static const int32_t argmax[] = {0, 0, 2, 1, 2, 2, 1, 0, /**/ 0, 0, 2, 2, 1, 1};
    static const int32_t greedy[] = {0, 0, 1, 1, 2, 2, 1, 0, /**/ -1, -1, -1, -1, -1, -1};
    static const int32_t viterbi[] = {0, 0, 1, 1, 2, 2, 1, 0, /**/ 0, 1, 2, 2, 1, 1};
    const int32_t *const paths[] = {argmax, greedy, viterbi}, *const said[] = {labels, viterbi};
    static const sp_decoded illegal = {.status = SP_OK, .step = -1, .score = -INFINITY},
                            fine = {.status = SP_OK, .step = -1, .score = -10.5},
                            none = {.status = SP_EDEADEND, .step = 1, .score = -INFINITY};
    const sp_decoded results[3][2] = {{illegal, illegal}, {fine, none}, {fine, fine}};
    const sp_decoded *const of_paths[] = {results[0], results[1], results[2]};
    sp_error err;
    sp_model *model = sp_model_new("sample-rules", 3, classes);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    const sp_arrays arrays = {
        .info = {.file = "scores.h5", .n_recordings = 2, .offsets = offsets, .ids = ids},
        .labels = labels,
        .n_raters = 2,
        .raters = people,
        .rater_labels = said};
    sp_comparison *c = evaluated(model, &arrays, &(sp_array_paths){3, names, paths, of_paths}, options);
    sp_model_free(model);
    return c;
}
