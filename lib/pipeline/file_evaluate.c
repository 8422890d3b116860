/* sp_evaluate_file(): paths that are there already are read and evaluated. */
#include "pipeline/evaluation.h"
#include "pipeline/given.h"
#include "pipeline/run.h"

static sp_status run(void *arg, int64_t n, const int64_t *recordings, sp_evaluation *evaluation, sp_error *err)
{
    sp_given *j = arg;
    sp_extra_outputs none = {.n_best = 0};
    return n < 0 ? sp_pipeline_run(&j->run, evaluation, NULL, &none, err)
                 : sp_pipeline_run_again(&j->run, n, recordings, evaluation, err);
}

sp_status sp_evaluate_file(const char *file, const sp_run_options *o, sp_comparison **out, sp_run_result *result, sp_error *err)
{
    const bool is_legal[SP_RUN_STRATEGIES] = {false}; /* of paths from elsewhere legality is counted, never assumed */
    sp_given j = {.run = {.opt = o, .file = file}};
    sp_status status = sp_given_open(&j, file, err);
    if (status == SP_OK) {
        sp_evaluated what = {.has_labels = j.has_labels,
                             .has_path_scores = !j.cut_path_steps, /* they are of whole paths */
                             .has_length_trim = j.cut_path_steps != NULL,
                             .is_legal = is_legal,
                             .source = j.labels.source,
                             .reader = j.reader,
                             .file_size = j.info->file_size,
                             .input_classes = j.path_codes ? NULL : j.info->classes,
                             .path_codes = j.path_codes ? sp_codes_name(j.path_codes) : NULL,
                             .run = run,
                             .arg = &j};
        for (int s = 0; s < j.run.n_strategies; s++)
            what.has_path_scores &= j.info->has_path_scores[j.strategy[s]];
        status = sp_pipeline_evaluate(&j.run, &what, out, err);
    }
    sp_pipeline_count(&j.run, result);
    sp_given_close(&j);
    return status;
}
