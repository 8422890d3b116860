#include "evaluation_example.h"

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

sp_chain *example_chain(void)
{
    sp_error err;
    sp_model *model = example_model();
    sp_chain_options options = sp_chain_options_default();
    options.is_boolean = true;
    sp_chain *chain = NULL;
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* Three recordings: n1 of 6 steps, n2 of 4 with a gap in the middle, n3 of 3 that greedy cannot decode. */
static const int64_t offsets[] = {0, 6, 10, 13};
static const char *const ids[] = {"n1", "n2", "n3"};
const int64_t example_segments[] = {0, 0, 0, 0, 0, 0, 5, 5, 6, 6, 0, 0, 0};
/*                                 n1                n2          n3     */
const int32_t example_labels[] = {A, A, B, C, N, C, A, A, C, C, C, A, C};
const int32_t example_argmax[] = {A, C, B, C, C, A, A, B, C, C, C, A, C};
const int32_t example_greedy[] = {A, A, B, B, C, C, A, A, C, A, C, A, C}; /* of n3 nothing counts: it was not decoded */
const sp_decoded example_argmax_results[] = {{.status = SP_OK, .step = -1, .score = -INFINITY},
                                             {.status = SP_OK, .step = -1, .score = -2},
                                             {.status = SP_OK, .step = -1, .score = -INFINITY}};
const sp_decoded example_greedy_results[] = {{.status = SP_OK, .step = -1, .score = -3.5},
                                             {.status = SP_OK, .step = -1, .score = -2.25},
                                             {.status = SP_EDEADEND, .step = 1, .score = -INFINITY}};

static const char *const names[] = {"argmax", "greedy"};
static const bool is_legal[] = {false, true};
static const int32_t *const paths[] = {example_argmax, example_greedy};
static const sp_decoded *const results[] = {example_argmax_results, example_greedy_results};
static const double seconds[] = {0.25, 0.5};

sp_evaluation_block example_block(void)
{
    return (sp_evaluation_block){.n_recordings = 3,
                                 .offsets = offsets,
                                 .ids = ids,
                                 .labels = example_labels,
                                 .segments = example_segments,
                                 .paths = paths,
                                 .results = results,
                                 .seconds = seconds};
}

sp_evaluation_options example_options(void)
{
    sp_evaluation_options options = sp_evaluation_options_default();
    options.has_labels = true;
    options.n_strategies = 2;
    options.names = names;
    options.is_legal = is_legal;
    options.trace_steps = 13;
    options.bootstrap.n_resamples = 500;
    return options;
}

sp_comparison *example_comparison(const sp_evaluation_options *options)
{
    sp_error err;
    sp_chain *chain = example_chain();
    sp_evaluation *evaluation = NULL;
    sp_evaluation_block block = example_block();
    if (!options->has_labels)
        block.labels = NULL;
    assert_ok(sp_evaluation_new(chain, chain, options, &evaluation, &err), &err);
    assert_ok(sp_evaluation_add(evaluation, &block, NULL, &err), &err);
    sp_comparison *comparison = NULL;
    assert_ok(sp_evaluation_finish(evaluation, &comparison, &err), &err);
    sp_evaluation_free(evaluation);
    sp_chain_free(chain);
    return comparison;
}
