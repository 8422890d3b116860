#include "pipeline/files/draw_widening.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/try.h"
#include "evaluate/posterior.h"
#include "statepath/model_json.h"
#include "statepath/signals_file.h"

static sp_status read_widening(sp_posterior_figure *f, double level, const sp_run_options *o, sp_error *err)
{
    static const char mend[] = "`statepath decode` with `draws` writes it";
    char path[64];
    sp_array known = {.rank = 0};
    int64_t n_known = 0;
    sp_status status = SP_OK;
    snprintf(path, sizeof path, "/intervals/%s", f->key);
    TRY(sp_array_read(o->widen_by, path, SP_ARRAY_F64, NULL, mend, &known, err));
    if (known.rank != 2 || known.dims[1] != SP_DRAW_COLUMNS)
        TRY(sp_fail(err, SP_EDATA, "%s: dataset %s is not [N,%d]; %s", o->widen_by, path, SP_DRAW_COLUMNS,
                    mend));
    double *rows = known.data;
    for (int64_t r = 0; r < known.dims[0]; r++) {
        const double miss = sp_posterior_miss(rows + r * SP_DRAW_COLUMNS);
        if (!isnan(miss))
            rows[n_known++] = miss;
    }
    f->widening.value = sp_posterior_widening(rows, n_known, level);
    if (f->widening.value == INFINITY) {
        f->widening = (sp_value){.undefined = "too few references to widen by"};
        sp_run_notice(o, SP_NOTICE_DATA,
                      "no intervals of %s: %s has a reference for %lld of the 19 recordings that 95 %% needs",
                      f->key, o->widen_by, (long long)n_known);
    }
done:
    sp_array_clear(&known);
    return status;
}

/* Other models draw otherwise: what their intervals lacked says nothing of these. */
static sp_status compare_models(const sp_pipeline *p, sp_error *err)
{
    char *text = NULL;
    sp_tensor_file *known = NULL;
    const sp_status status = sp_model_to_json(p->model, &text, err);
    if (status == SP_OK &&
        sp_tensor_file_open(p->opt->widen_by, "model", text, "", NULL, &known, NULL) == SP_EFILE)
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "%s was decoded with another model: how wide its intervals must be may not hold here",
                      p->opt->widen_by);
    sp_tensor_file_close(known);
    free(text);
    return status;
}

sp_status sp_draw_figures_widen(sp_draw_figures *f, sp_error *err)
{
    const sp_run_options *o = f->p->opt;
    sp_status status = SP_OK;
    if (!f->made || !o->widen_by)
        return SP_OK;
    f->made->is_widened = true;
    for (int i = 0; i < f->made->n; i++)
        TRY(read_widening(&f->made->figures[i], f->made->level, o, err));
    TRY(compare_models(f->p, err));
done:
    return status;
}
