#include "pipeline/raters.h"

#include <stdlib.h>

sp_status sp_raters_find(sp_raters *s, const sp_run_options *o, sp_source *source, int32_t n_classes, sp_error *err)
{
    *s = (sp_raters){.room = 0};
    sp_status status = sp_source_find_scorers(source, &s->found, err);
    if (status == SP_OK && s->found.n_scorers && n_classes > SP_SCORERS_MAX_CLASSES) {
        sp_run_notice(o, SP_NOTICE_DATA,
                      "the file has labels by %d scorers, which are left out: they are compared for up to %d classes",
                      s->found.n_scorers, SP_SCORERS_MAX_CLASSES);
        s->found.n_scorers = 0;
    }
    return status;
}

void sp_raters_clear(sp_raters *s)
{
    for (int i = 0; i < SP_SOURCE_MAX_SCORERS; i++) {
        free(s->labels[i]);
        s->labels[i] = NULL;
    }
    s->room = 0;
}

sp_status sp_raters_reserve(sp_raters *s, int64_t n_steps, sp_error *err)
{
    if (n_steps < s->room || s->found.n_scorers == 0)
        return SP_OK;
    sp_raters_clear(s);
    for (int i = 0; i < s->found.n_scorers; i++)
        if (!(s->labels[i] = malloc(((size_t)n_steps + 1) * sizeof *s->labels[i])))
            return sp_fail(err, SP_ENOMEM, "no memory for the labels of %d scorers", s->found.n_scorers);
    s->room = n_steps + 1;
    return SP_OK;
}

sp_status sp_raters_read(sp_raters *s, const sp_recordings *from, const sp_part *part, int64_t n_steps, sp_error *err)
{
    sp_status status = sp_raters_reserve(s, n_steps, err);
    for (int32_t i = 0; status == SP_OK && i < s->found.n_scorers; i++)
        status = from->read_rater(from->arg, i, part, s->labels[i], err);
    return status;
}
