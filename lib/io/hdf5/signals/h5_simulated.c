/* What is made, as HDF5: data in the packed layout, a policy as a file of arrays with its recipe. */
#include <stdlib.h>

#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_put.h"
#include "io/json/policy_json.h"
#include "statepath/model_json.h"
#include "statepath/signals_file.h"

typedef struct contents {
    const sp_simulated *simulated;
    const sp_recipe *recipe;
    const char *const *ids;
    const char *text;
} contents;

static bool put_all(hid_t file, void *arg)
{
    const contents *c = arg;
    const sp_simulated *s = c->simulated;
    hid_t label_type = s->n_classes <= 128     ? H5T_STD_I8LE
                       : s->n_classes <= 32768 ? H5T_STD_I16LE
                                               : H5T_STD_I32LE;
    return sp_h5_put_text(file, "recipe", c->text) &&
           sp_h5_put_attribute(file, "seed", H5T_STD_I64LE, H5T_NATIVE_INT64, &c->recipe->seed) &&
           (!(c->recipe->epoch_seconds > 0) ||
            sp_h5_put_attribute(file, "epoch_seconds", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                                &c->recipe->epoch_seconds)) &&
           sp_h5_put_names(file, "/classes", s->n_classes, (const char *const *)c->recipe->classes) &&
           sp_h5_put_names(file, "/ids", s->n_recordings, c->ids) &&
           sp_h5_put_numbers(file, "/offsets", H5T_STD_I64LE, H5T_NATIVE_INT64, s->n_recordings + 1, 0,
                             s->offsets) &&
           sp_h5_put_numbers(file, "/labels", label_type, H5T_NATIVE_INT32, s->n_steps, 0, s->labels) &&
           sp_h5_put_numbers(file, "/log_probs", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, s->n_steps, s->n_classes,
                             s->log_probs);
}

static sp_status save(const sp_simulated *simulated, const sp_recipe *recipe, const char *text,
                      const char *file, bool force, sp_error *err)
{
    char **ids = sp_recording_ids_new(simulated->n_recordings);
    if (!ids)
        return sp_no_memory(err);
    contents all = {simulated, recipe, (const char *const *)ids, text};
    sp_output output;
    sp_status status = sp_output_begin(&output, file, force, NULL, err);
    if (status == SP_OK)
        status = sp_h5_save(&output, put_all, &all, err);
    sp_recording_ids_free(ids, simulated->n_recordings);
    return status;
}

sp_status sp_simulated_save(const sp_simulated *simulated, const sp_recipe *recipe, const char *file,
                            bool force, sp_error *err)
{
    char *text;
    sp_status status = sp_recipe_to_json(recipe, &text, err);
    if (status != SP_OK)
        return status;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    status = sp_h5_quiet_end(&quiet, save(simulated, recipe, text, file, force, err), err);
    free(text);
    return status;
}

sp_status sp_policy_save(const sp_policy *policy, const sp_policy_recipe *recipe, const char *file,
                         bool force, sp_error *err)
{
    char *text = NULL;
    sp_status status = sp_policy_recipe_to_json(recipe, &text, err);
    if (status != SP_OK)
        return status;
    const sp_tensor tensors[] = {
        {"/logits", SP_TENSOR_F32, 2, {policy->n_positions, policy->n_moves}, policy->logits},
        {"/mask", SP_TENSOR_BOOL, 2, {policy->n_positions, policy->n_moves}, policy->mask},
    };
    const sp_tensor_text texts[] = {{"recipe", text}};
    const sp_tensors all = {.n_tensors = 2, .tensors = tensors, .n_texts = 1, .texts = texts};
    status = sp_tensors_save(&all, file, force, err);
    free(text);
    return status;
}
