/* Named entities of WNUT 17: steps right, forbidden transitions and entity F1 of three strategies, as published with the data. */
#include "check.h"
#include "evaluate/evaluate.h"

#include <hdf5.h>
#include <hdf5_hl.h>

enum { K = 13 };

typedef struct data {
    int64_t N, S;
    int64_t *offsets;
    int32_t *labels;
    float *log_probs;
    sp_chain *chain;
} data;

static const char *const classes[K] = {"O",        "B-corporation", "I-corporation", "B-creative-work", "I-creative-work",
                                       "B-group",  "I-group",       "B-location",    "I-location",      "B-person",
                                       "I-person", "B-product",     "I-product"};

static void *room(int64_t n, size_t size)
{
    void *p = malloc((size_t)n * size);
    assert_non_null(p);
    return p;
}

static sp_chain *make_chain(const uint8_t *allow, const uint8_t *start)
{
    sp_error err;
    sp_model *model = sp_model_new("wnut17", K, classes);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->start = room(K, sizeof *model->start);
    for (int32_t k = 0; k < K; k++)
        model->start[k] = start[k] ? 0 : -INFINITY;
    sp_chain_options options = sp_chain_options_default();
    options.is_boolean = true;
    sp_chain *chain = NULL;
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* /packed of the file, and its rules from the root's attributes. */
static void load(const char *name, data *d)
{
    hsize_t size[2];
    hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(H5LTget_dataset_info(file, "/packed/log_probs", size, NULL, NULL) >= 0);
    assert_int_equal(size[1], K);
    d->S = (int64_t)size[0];
    assert_true(H5LTget_dataset_info(file, "/packed/offsets", size, NULL, NULL) >= 0);
    d->N = (int64_t)size[0] - 1;
    d->offsets = room(d->N + 1, sizeof *d->offsets);
    d->labels = room(d->S, sizeof *d->labels);
    d->log_probs = room(d->S * K, sizeof *d->log_probs);
    assert_true(H5LTread_dataset(file, "/packed/offsets", H5T_NATIVE_INT64, d->offsets) >= 0);
    assert_true(H5LTread_dataset(file, "/packed/labels", H5T_NATIVE_INT32, d->labels) >= 0);
    assert_true(H5LTread_dataset(file, "/packed/log_probs", H5T_NATIVE_FLOAT, d->log_probs) >= 0);
    uint8_t allow[K * K], start[K];
    assert_true(H5LTget_attribute(file, "/", "transitions", H5T_NATIVE_UINT8, allow) >= 0);
    assert_true(H5LTget_attribute(file, "/", "start", H5T_NATIVE_UINT8, start) >= 0);
    H5Fclose(file);
    d->chain = make_chain(allow, start);
}

static sp_comparison *compare(const data *d)
{
    static const char *const names[] = {"argmax", "greedy", "viterbi"};
    static const sp_strategy_kind kinds[] = {SP_ARGMAX, SP_GREEDY, SP_VITERBI};
    static const bool is_legal[] = {false, true, true};
    sp_error err;
    sp_workers *workers = sp_workers_new(2);
    assert_non_null(workers);
    sp_batch batch = {.scores = {.data = d->log_probs, .dtype = SP_F32, .n_classes = K, .n_steps = d->S},
                      .n_recordings = d->N,
                      .offsets = d->offsets};
    int32_t *paths[3];
    sp_decoded *results[3];
    for (int s = 0; s < 3; s++) {
        paths[s] = room(d->S, sizeof *paths[s]);
        results[s] = room(d->N, sizeof *results[s]);
        sp_decode_options options = sp_decode_options_default();
        options.strategy = (sp_strategy){kinds[s], 0};
        sp_decode_output output = {.paths = paths[s], .results = results[s]};
        assert_ok(sp_decode_batch(d->chain, &batch, &options, workers, &output, &err), &err);
    }
    sp_evaluation_options options = sp_evaluation_options_default();
    options.has_labels = true;
    options.n_strategies = 3;
    options.names = names;
    options.is_legal = is_legal;
    options.classes = classes;
    options.bootstrap.n_resamples = 200;
    sp_evaluation *e = NULL;
    sp_comparison *c = NULL;
    assert_ok(sp_evaluation_new(d->chain, d->chain, &options, &e, &err), &err);
    sp_evaluation_block block = {.n_recordings = d->N,
                                 .offsets = d->offsets,
                                 .labels = d->labels,
                                 .paths = (const int32_t *const *)paths,
                                 .results = (const sp_decoded *const *)results};
    assert_ok(sp_evaluation_add(e, &block, workers, &err), &err);
    assert_ok(sp_evaluation_finish(e, &c, &err), &err);
    sp_evaluation_free(e);
    sp_workers_free(workers);
    for (int s = 0; s < 3; s++) {
        free(paths[s]);
        free(results[s]);
    }
    return c;
}

static void test_wnut(void **state)
{
    (void)state;
    const char *name = shared_file("data/wnut17_linear.h5");
    if (!name) {
        print_message("skipped: data/wnut17_linear.h5 is not there\n");
        skip();
        return;
    }
    data d;
    load(name, &d);
    sp_comparison *c = compare(&d);
    static const int64_t correct[] = {21696, 21695, 21705}, illegal[] = {49, 0, 0};
    static const double f1[] = {9.22, 9.50, 10.17};
    assert_int_equal(c->n_scored_steps, 23394);
    assert_int_equal(c->n_entity_types, 6);
    for (int s = 0; s < 3; s++) {
        const sp_strategy_result *r = &c->strategies[s];
        assert_int_equal(r->agreement.correct, correct[s]);
        assert_int_equal(r->counts.illegal + r->counts.illegal_start, illegal[s]);
        assert_close(100 * r->entities.pooled.f1.value, f1[s], 0.005, 0);
        assert_int_equal(r->entities.pooled.reference, 1079);
        int64_t by_type = 0;
        for (int32_t i = 0; i < c->n_entity_types; i++)
            by_type += r->entities.types[i].correct;
        assert_int_equal(by_type, r->entities.pooled.correct);
    }
    /* Strictly read, argmax loses what it never began; paths that obey the rules lose nothing. */
    assert_int_equal(c->strategies[0].entities.strict.correct, 59);
    assert_int_equal(c->strategies[2].entities.strict.correct, c->strategies[2].entities.pooled.correct);
    assert_int_equal(c->reference.illegal + c->reference.illegal_start, 0);
    assert_close(c->mask_ceiling.value, 1, 0, 0);
    assert_int_equal(c->ceiling_infeasible, 0);
    sp_comparison_free(c);
    sp_chain_free(d.chain);
    free(d.offsets);
    free(d.labels);
    free(d.log_probs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wnut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
