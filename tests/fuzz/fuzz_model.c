/* Any text as a model and as a recipe: refused with a sentence, or read, written and read again to the same; a model that passes
 * its check decodes. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/class_list.h"
#include "io/json/policy_json.h"
#include "io/json/recipe_reader.h"
#include "statepath-kit.h"

enum { STEPS = 3, MOST_CLASSES = 64 };

static void try_decoding(const sp_model *model)
{
    sp_error err;
    sp_chain *chain = NULL;
    if (model->n_classes > MOST_CLASSES || sp_chain_new(model, NULL, &chain, &err) != SP_OK)
        return;
    double e[STEPS * MOST_CLASSES], score;
    for (int i = 0; i < STEPS * model->n_classes; i++)
        e[i] = -(double)(i * 7 % 5);
    const sp_scores scores = {e, SP_F64, model->n_classes, STEPS, NULL, NULL, NULL};
    int32_t path[STEPS];
    sp_scratch *scratch = sp_scratch_new();
    sp_status status = scratch ? sp_viterbi(chain, &scores, scratch, path, &score, &err) : SP_ENOMEM;
    assert(status == SP_OK || status == SP_ENOPATH || status == SP_ENOMEM);
    for (int t = 0; status == SP_OK && t < STEPS; t++)
        assert(path[t] >= 0 && path[t] < model->n_classes);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
}

static void try_model(const char *text)
{
    sp_error err = {.message = ""};
    sp_model *model = NULL, *again = NULL;
    char *written = NULL, *rewritten = NULL;
    if (sp_model_from_json(text, "fuzz.json", &model, &err) != SP_OK) {
        assert(err.message[0] && !model);
        return;
    }
    try_decoding(model);
    assert(sp_model_to_json(model, &written, &err) == SP_OK);
    assert(sp_model_from_json(written, "again.json", &again, &err) == SP_OK);
    assert(sp_model_to_json(again, &rewritten, &err) == SP_OK && strcmp(written, rewritten) == 0);
    free(written);
    free(rewritten);
    sp_model_free(again);
    sp_model_free(model);
}

static void try_class_list(const char *text)
{
    sp_error err = {.message = ""};
    sp_model *model = NULL;
    if (!sp_class_list_is(text))
        return;
    if (sp_class_list_read(text, "fuzz.txt", &model, &err) != SP_OK) {
        assert(err.message[0] && !model);
        return;
    }
    try_decoding(model);
    sp_model_free(model);
}

static void try_policy(const char *text)
{
    sp_error err = {.message = ""};
    sp_policy_recipe *recipe = NULL;
    sp_policy *policy = NULL;
    if (sp_policy_recipe_from_json(text, "fuzz.json", &recipe, &err) != SP_OK)
        assert(err.message[0] && !recipe);
    else if (recipe && recipe->n_moves * recipe->n_positions < 10000 &&
             sp_policy_simulate(recipe, &policy, &err) == SP_OK)
        assert(policy->n_moves == recipe->n_moves);
    sp_policy_free(policy);
    sp_policy_recipe_free(recipe);
}

static void try_recipe(const char *text)
{
    sp_error err = {.message = ""};
    sp_recipe *recipe = NULL, *again = NULL;
    char *written = NULL, *rewritten = NULL;
    if (sp_recipe_from_json(text, "fuzz.json", &recipe, &err) != SP_OK) {
        assert(err.message[0] && !recipe);
        return;
    }
    assert(sp_recipe_to_json(recipe, &written, &err) == SP_OK);
    assert(sp_recipe_from_json(written, "again.json", &again, &err) == SP_OK);
    assert(sp_recipe_to_json(again, &rewritten, &err) == SP_OK && strcmp(written, rewritten) == 0);
    free(written);
    free(rewritten);
    sp_recipe_free(again);
    sp_recipe_free(recipe);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    try_model(text);
    try_class_list(text);
    try_policy(text);
    try_recipe(text);
    free(text);
    return 0;
}
