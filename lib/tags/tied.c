/* Tied weights of tags: one for each kind of transition, the same for all types. */
#include "tags/tied.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "tags/tags.h"

const char *const sp_tag_bias_keys[SP_N_TAG_BIASES] = {
    SP_TAG_BIAS_PREFIX "background_stay",    SP_TAG_BIAS_PREFIX "background_to_start",
    SP_TAG_BIAS_PREFIX "end_to_background",  SP_TAG_BIAS_PREFIX "end_to_start",
    SP_TAG_BIAS_PREFIX "inside_to_continue", SP_TAG_BIAS_PREFIX "inside_to_end",
};

/* The kind of a transition; SP_N_TAG_BIASES: none of them. */
static sp_tag_bias bias_of(sp_tag from, sp_tag to)
{
    const bool begins = to.kind == SP_TAG_BEGIN || to.kind == SP_TAG_SINGLE;
    switch (from.kind) {
    case SP_TAG_OUTSIDE:
        return to.kind == SP_TAG_OUTSIDE ? SP_BIAS_OUTSIDE_STAY
               : begins                  ? SP_BIAS_OUTSIDE_START
                                         : SP_N_TAG_BIASES;
    case SP_TAG_END:
    case SP_TAG_SINGLE:
        return to.kind == SP_TAG_OUTSIDE ? SP_BIAS_END_OUTSIDE : begins ? SP_BIAS_END_START : SP_N_TAG_BIASES;
    default:
        return to.type != from.type       ? SP_N_TAG_BIASES
               : to.kind == SP_TAG_INSIDE ? SP_BIAS_INSIDE_GO_ON
               : to.kind == SP_TAG_END    ? SP_BIAS_INSIDE_END
                                          : SP_N_TAG_BIASES;
    }
}

/* Weights of the allowed transitions into weight [K,K], and which they are into allow [K,K]. */
static sp_status tie(const sp_model *model, const sp_tag *tags, const sp_tag_biases *biases, uint8_t *allow,
                     double *weight, sp_error *err)
{
    const size_t K = (size_t)model->n_classes;
    for (size_t i = 0; i < K; i++)
        for (int64_t e = model->row[i]; e < model->row[i + 1]; e++) {
            const size_t j = (size_t)model->to[e];
            const sp_tag_bias bias = bias_of(tags[i], tags[j]);
            if (bias == SP_N_TAG_BIASES)
                return sp_fail(err, SP_EINVAL,
                               "biases by kind of transition are of tags that say where an entity ends, such "
                               "as BIOES; model %s "
                               "allows %s -> %s",
                               model->name, model->classes[i], model->classes[j]);
            allow[i * K + j] = 1;
            weight[i * K + j] = biases->nats[bias];
        }
    return SP_OK;
}

sp_status sp_model_tie_tags(sp_model *model, const sp_tag_biases *biases, sp_error *err)
{
    const size_t K = (size_t)model->n_classes;
    sp_tag *tags = malloc(K * sizeof *tags);
    uint8_t *allow = calloc(K * K, 1);
    double *weight = calloc(K * K, sizeof *weight);
    bool are_tags = false;
    sp_status status = SP_OK;
    TRY(tags && allow && weight ? SP_OK : sp_no_memory(err));
    TRY(sp_tags_read(model->n_classes, (const char *const *)model->classes, tags, &are_tags, err));
    if (!are_tags || model->n_states > model->n_classes)
        TRY(sp_fail(
            err, SP_EINVAL,
            "biases by kind of transition are of tags, such as BIOES; the classes of model %s are none",
            model->name));
    TRY(tie(model, tags, biases, allow, weight, err));
    TRY(sp_model_set_matrix(model, allow, weight, err));
done:
    free(tags);
    free(allow);
    free(weight);
    return status;
}

/* Are the weights those of their kinds? To the last bit: writing them as biases must lose nothing. */
static bool are_tied(const sp_model *model, const sp_tag *tags, sp_tag_biases *biases)
{
    bool has[SP_N_TAG_BIASES] = {false};
    for (int32_t i = 0; i < model->n_classes; i++)
        for (int64_t e = model->row[i]; e < model->row[i + 1]; e++) {
            const sp_tag_bias bias = bias_of(tags[i], tags[model->to[e]]);
            if (bias == SP_N_TAG_BIASES)
                return false;
            const double weight = model->weight[e], seen = biases->nats[bias];
            if (has[bias] &&
                (weight != seen || signbit(weight) != signbit(seen))) /* 0 and -0 are written as such */
                return false;
            biases->nats[bias] = weight;
            has[bias] = true;
        }
    return true;
}

sp_status sp_model_tied(const sp_model *model, bool *is_tied, sp_tag_biases *out, sp_error *err)
{
    *is_tied = false;
    *out = (sp_tag_biases){{0}};
    if (!model->weight || model->weight_form == SP_WEIGHTS_PROBABILITIES || model->states)
        return SP_OK;
    sp_tag *tags = malloc((size_t)model->n_classes * sizeof *tags);
    bool are_tags = false;
    sp_status status =
        tags ? sp_tags_read(model->n_classes, (const char *const *)model->classes, tags, &are_tags, err)
             : sp_no_memory(err);
    if (status == SP_OK && are_tags)
        *is_tied = are_tied(model, tags, out);
    free(tags);
    return status;
}
