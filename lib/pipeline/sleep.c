#include "pipeline/sleep.h"

#include <math.h>
#include <string.h>

/* What the field uses where nobody says otherwise (AASM). */
#define USUAL_SECONDS 30.0

/* False when the classes are no stages. */
static sp_status find_stages(int32_t K, const char *const *classes, sp_sleep_choice *out, sp_error *err)
{
    int32_t class_of_column[SP_N_STAGES];
    sp_model *aasm = NULL;
    out->is_sleep = false;
    if (K != SP_N_STAGES)
        return SP_OK;
    sp_status status = sp_model_load("sleep-aasm", &aasm, err);
    if (status != SP_OK)
        return status == SP_ENOMEM ? status : SP_OK;
    if (aasm->n_classes == SP_N_STAGES && (status = sp_model_align(aasm, K, classes, class_of_column, err)) == SP_OK) {
        int32_t n_found = 0;
        for (int32_t c = 0; c < K; c++)
            for (int s = 0; s < SP_N_STAGES; s++)
                if (strcmp(aasm->classes[class_of_column[c]], sp_sleep_stage_name((sp_sleep_stage)s)) == 0) {
                    out->stage_of_class[c] = s;
                    n_found++;
                }
        out->is_sleep = n_found == K;
    }
    sp_model_free(aasm);
    return status == SP_ENOMEM ? status : SP_OK;
}

sp_status sp_sleep_choose(const sp_run_options *o, int32_t K, const char *const *classes, sp_source *source,
                          sp_paths_reader *paths, sp_sleep_choice *out, sp_error *err)
{
    *out = (sp_sleep_choice){.epoch_seconds = o->epoch_seconds};
    sp_status status = find_stages(K, classes, out, err);
    if (status != SP_OK)
        return status;
    if (!isnan(o->epoch_seconds)) {
        if (!(o->epoch_seconds > 0) || !isfinite(o->epoch_seconds))
            return sp_run_fail(o, err, SP_EINVAL, "@epoch-seconds %g: the length of a step is above 0", o->epoch_seconds);
        return SP_OK;
    }
    out->epoch_seconds = 0;
    if (source)
        status = sp_source_epoch_seconds(source, &out->epoch_seconds, err);
    if (status == SP_OK && out->epoch_seconds == 0 && paths)
        status = sp_paths_reader_epoch_seconds(paths, &out->epoch_seconds, err);
    if (status == SP_EDATA && !out->is_sleep) { /* of others, the attribute may mean something else */
        out->epoch_seconds = 0;
        status = SP_OK;
    }
    if (out->is_sleep && out->epoch_seconds == 0) {
        out->epoch_seconds = USUAL_SECONDS;
        out->is_assumed = true;
    }
    return status;
}

void sp_sleep_apply(const sp_sleep_choice *choice, sp_evaluation_options *how)
{
    if (choice->is_sleep)
        how->stage_of_class = choice->stage_of_class;
    how->epoch_seconds = choice->epoch_seconds;
    how->epoch_is_assumed = choice->is_assumed;
}
