/* Named entities of WNUT 17: steps right, forbidden transitions and entity F1 of three strategies, as published with the data. */
#include "check.h"
#include "statepath/comparison.h"
#include "statepath/model_json.h"
#include "statepath/pipeline.h"

#include <hdf5.h>
#include <hdf5_hl.h>

enum { K = 13 };

typedef struct data {
    int64_t N, S;
    int64_t *offsets;
    int32_t *labels;
    float *log_probs;
    sp_model *model;
} data;

static const char *const classes[K] = {
    "O",        "B-corporation", "I-corporation", "B-creative-work", "I-creative-work",
    "B-group",  "I-group",       "B-location",    "I-location",      "B-person",
    "I-person", "B-product",     "I-product"};

static void *room(int64_t n, size_t size)
{
    void *p = malloc((size_t)n * size);
    assert_non_null(p);
    return p;
}

static sp_model *make_model(const uint8_t *allow, const uint8_t *start)
{
    sp_error err;
    sp_model *model = sp_model_new("wnut17", K, classes);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->start = room(K, sizeof *model->start);
    for (int32_t k = 0; k < K; k++)
        model->start[k] = start[k] ? 0 : -INFINITY;
    return model;
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
    d->model = make_model(allow, start);
}

static sp_comparison *compare(const data *d)
{
    sp_error err;
    char *text, (*id)[32] = room(d->N, sizeof *id);
    const char **ids = room(d->N, sizeof *ids);
    for (int64_t n = 0; n < d->N; n++) {
        snprintf(id[n], sizeof id[n], "%lld", (long long)n);
        ids[n] = id[n];
    }
    assert_ok(sp_model_to_json(d->model, &text, &err), &err);
    sp_arrays arrays = {.info = {.file = "wnut17",
                                 .kind = SP_KIND_LOG_PROBS,
                                 .dtype = SP_F32,
                                 .n_recordings = d->N,
                                 .n_classes = K,
                                 .ids = ids,
                                 .offsets = d->offsets},
                        .scores = d->log_probs,
                        .labels = d->labels};
    sp_recordings recordings = sp_recordings_of_arrays(&arrays);
    sp_run_options o = sp_run_options_default();
    o.model_text = text;
    o.strategies = "argmax,greedy,viterbi";
    o.decode.threads = 2;
    sp_comparison *c = NULL;
    assert_ok(sp_compare(&recordings, &o, &c, NULL, &err), &err);
    free(text);
    free(id);
    free(ids);
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
    sp_model_free(d.model);
    free(d.offsets);
    free(d.labels);
    free(d.log_probs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wnut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
