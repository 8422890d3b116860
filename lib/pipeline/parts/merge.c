#include "pipeline/parts/merge.h"

sp_status sp_merging_join(sp_pipeline *p, sp_evaluation *evaluation, sp_error *err)
{
    const sp_merging *m = p->merging;
    sp_status status = sp_evaluation_join(evaluation, &m->joining, p->workers, err);
    for (int64_t i = 0; status == SP_OK && i < m->n_parts; i++) {
        sp_counting run = {.from = &m->parts[i].run};
        sp_part_count_run(&run, p);
        status = sp_counting_end(&run, m->parts[i].name, err);
    }
    return status;
}
