/* A made policy as HDF5: an array file with its recipe. */
#include <stdlib.h>

#include "io/json/policy_json.h"
#include "statepath/model_json.h"
#include "statepath/signals_file.h"

sp_status sp_policy_save(const sp_policy *policy, const sp_policy_recipe *recipe, const char *file, bool force, sp_error *err)
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
