/* sp_evaluate_file(): paths that are there already are read and evaluated. */
#include "core/try.h"
#include "pipeline/files/given.h"
#include "pipeline/judging.h"
#include "statepath/comparison.h"

sp_status sp_evaluate_file(const char *file, const sp_run_options *o, sp_comparison **out,
                           sp_run_result *result, sp_error *err)
{
    sp_given j = {.run = {.file = file, .word = file}, .options = *o};
    sp_comparison *made = NULL;
    sp_status status = SP_OK;
    j.run.opt = &j.options;
    TRY(sp_given_open(&j, file, err));
    TRY(sp_pipeline_evaluate(&j.run, &made, err));
done:
    if (status == SP_OK)
        *out = made;
    else
        sp_comparison_free(made);
    sp_pipeline_result(&j.run, result);
    sp_given_close(&j);
    return status;
}
