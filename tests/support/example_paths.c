#include "example_paths.h"

#include "check.h"
#include "evaluated.h"

sp_model *example_model(void)
{
    const char *const names[] = {"A", "B", "C"};
    static const uint8_t allow[9] = {1, 1, 0, 1, 1, 1, 1, 1, 1};
    sp_error err;
    sp_model *model = sp_model_new("abc", 3, names);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->start = malloc(3 * sizeof *model->start);
    assert_non_null(model->start);
    model->start[0] = model->start[1] = 0;
    model->start[2] = -INFINITY;
    return model;
}

/* Three recordings: n1 of 6 steps, n2 of 4 with a gap in the middle, n3 of 3 that greedy cannot decode. */
const int64_t example_offsets[] = {0, 6, 10, 13};
const char *const example_ids[] = {"n1", "n2", "n3"};
const int64_t example_segments[] = {0, 0, 0, 0, 0, 0, 5, 5, 6, 6, 0, 0, 0};
/*                                 n1                n2          n3     */
const int32_t example_labels[] = {A, A, B, C, N, C, A, A, C, C, C, A, C};
const int32_t example_argmax[] = {A, C, B, C, C, A, A, B, C, C, C, A, C};
const int32_t example_greedy[] = {A, A, B, B, C, C, A,
                                  A, C, A, C, A, C}; /* of n3 nothing counts: it was not decoded */
const sp_decoded example_argmax_results[] = {{.status = SP_OK, .step = -1, .score = -INFINITY},
                                             {.status = SP_OK, .step = -1, .score = -2},
                                             {.status = SP_OK, .step = -1, .score = -INFINITY}};
const sp_decoded example_greedy_results[] = {{.status = SP_OK, .step = -1, .score = -3.5},
                                             {.status = SP_OK, .step = -1, .score = -2.25},
                                             {.status = SP_EDEADEND, .step = 1, .score = -INFINITY}};

sp_comparison *example_evaluated(const sp_run_options *options)
{
    static const char *const names[] = {"argmax", "greedy"};
    static const int32_t *const paths[] = {example_argmax, example_greedy};
    static const sp_decoded *const results[] = {example_argmax_results, example_greedy_results};
    sp_model *model = example_model();
    const sp_arrays all = {.info = {.n_recordings = 3, .offsets = example_offsets, .ids = example_ids},
                           .labels = example_labels,
                           .segments = example_segments};
    sp_comparison *c = evaluated(model, &all, &(sp_array_paths){2, names, paths, results}, options);
    sp_model_free(model);
    return c;
}
