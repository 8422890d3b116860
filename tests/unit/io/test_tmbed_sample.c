/* Protein topologies that TMbed published: 27 states over 5 classes, a run of at least five residues in a membrane. TMbed adds up
 * probabilities, so they are decoded as scores. */
#include <hdf5.h>
#include <hdf5_hl.h>

#include "check.h"
#include "decode_one.h"
#include "statepath/advanced.h"
#include "statepath/model_json.h"

enum { PROTEINS = 5, MOST_RESIDUES = 1000, CLASSES = 5, STATES = 27 };
static const char *const ids[PROTEINS] = {"P21796", "P45880", "P57764", "Q96QA5", "Q9Y277"};

static sp_chain *load_chain(const char *file)
{
    sp_model *model;
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_load(file, &model, &err), &err);
    assert_int_equal(model->n_states, STATES);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* Scores [T,5] and the published path, as classes, of one protein. Returns T. */
static int64_t load_protein(hid_t file, const char *id, float *probs, int32_t *published)
{
    static const int32_t class_of[] = {0, 0, 1, 1, 2, 3, 4}; /* B b H h S i o */
    char place[64];
    hsize_t dims[2];
    snprintf(place, sizeof place, "/recordings/%s/probs", id);
    assert_true(H5LTget_dataset_info(file, place, dims, NULL, NULL) >= 0);
    assert_true(dims[0] <= MOST_RESIDUES && dims[1] == CLASSES);
    assert_true(H5LTread_dataset_float(file, place, probs) >= 0);
    snprintf(place, sizeof place, "/recordings/%s/decoded_by_tmbed", id);
    assert_true(H5LTread_dataset(file, place, H5T_NATIVE_INT32, published) >= 0);
    for (hsize_t t = 0; t < dims[0]; t++)
        published[t] = class_of[published[t]];
    return (int64_t)dims[0];
}

static void test_published_topologies(void **state)
{
    (void)state;
    const char *name = shared_file("data/tmbed_sample.model.json");
    if (!name) {
        print_message("skipped: no shared/data/tmbed_sample.model.json\n");
        skip();
    }
    sp_chain *chain = load_chain(name);
    hid_t file = H5Fopen(shared_file("data/tmbed_sample.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    static float probs[MOST_RESIDUES * CLASSES], confidence[MOST_RESIDUES];
    static int32_t published[MOST_RESIDUES], path[MOST_RESIDUES], best[3 * MOST_RESIDUES];
    sp_scratch *scratch = sp_scratch_new();
    int n_same = 0;
    for (int p = 0; p < PROTEINS; p++) {
        int64_t n_steps = load_protein(file, ids[p], probs, published), n_unlike = 0;
        sp_scores scores = {probs, SP_F32, CLASSES, n_steps, NULL, NULL, NULL};
        double score, margin, log_z, best_scores[3];
        sp_error err;
        assert_ok(sp_viterbi(chain, &scores, scratch, path, &score, &err), &err);
        for (int64_t t = 0; t < n_steps; t++)
            n_unlike += path[t] != published[t];
        assert_true(n_unlike <= 1);
        n_same += n_unlike == 0;

        /* The rest of the family agrees on it. */
        sp_nbest_paths out = {.paths = best, .stride = MOST_RESIDUES, .scores = best_scores};
        assert_ok(sp_nbest(chain, &scores, 3, scratch, &out, &err), &err);
        assert_int_equal(out.n_found, 3);
        assert_memory_equal(best, path, (size_t)n_steps * sizeof *path);
        assert_true(memcmp(best + MOST_RESIDUES, path, (size_t)n_steps * sizeof *path) != 0);
        assert_true(best_scores[0] == score && best_scores[1] <= score && best_scores[2] <= best_scores[1]);
        assert_ok(sp_margin(chain, &scores, scratch, path, &margin, &err), &err);
        assert_true(margin == best_scores[0] - best_scores[1]);
        assert_ok(sp_confidence(chain, &scores, scratch, path, confidence, &log_z, &err), &err);
        assert_true(log_z > score);
        assert_ok(decode_beam(chain, &scores, STATES, scratch, path, &score, &err), &err);
        assert_memory_equal(path, best, (size_t)n_steps * sizeof *path);
        assert_ok(decode_mea(chain, &scores, scratch, path, &score, &err), &err);
        assert_true(score > -INFINITY && score <= best_scores[0]);
    }
    assert_true(n_same >= 4);
    sp_scratch_free(scratch);
    H5Fclose(file);
    sp_chain_free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_topologies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
