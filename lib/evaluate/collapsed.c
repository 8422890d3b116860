/* Scores after classes have been put together: those asked for, and those that are usual for sleep stages. */
#include "evaluate/evaluation.h"

static const int32_t sleep_groups[][SP_N_STAGES] = {
    /* Wake N1 N2 N3 REM, numbers of names below */
    {0, 1, 1, 2, 3},
    {0, 4, 4, 4, 3},
    {0, 5, 5, 5, 5},
};
static const char *const sleep_names[] = {"Wake", "Light", "N3", "REM", "NREM", "Sleep"};
enum { N_SLEEP = sizeof sleep_groups / sizeof *sleep_groups };

/* A copy of what was asked for, the sleep stages' own first. */
sp_status sp_collapsed_open(sp_evaluation *e, const sp_evaluation_options *options, sp_error *err)
{
    sp_comparison *c = e->result;
    int32_t n_sleep = options->stage_of_class && options->has_labels ? N_SLEEP : 0;
    int32_t n = n_sleep + (options->has_labels ? options->n_collapses : 0);
    if (n == 0)
        return SP_OK;
    c->n_collapsed_asked = n - n_sleep;
    c->collapsed = calloc((size_t)n, sizeof *c->collapsed);
    int32_t *group = malloc((size_t)e->K * sizeof *group);
    sp_status status = c->collapsed && group ? SP_OK : sp_no_memory(err);
    for (int32_t i = 0; status == SP_OK && i < n; i++) {
        const sp_collapse *asked = i < n_sleep ? NULL : &options->collapses[i - n_sleep];
        for (int32_t k = 0; k < e->K; k++)
            group[k] = asked ? asked->group_of_class[k] : sleep_groups[i][options->stage_of_class[k]];
        status =
            sp_collapse_make(e->K, group, asked ? (const char *const *)asked->groups : sleep_names, &c->collapsed[i].how, err);
        if (status == SP_OK)
            c->n_collapsed++;
        int64_t G = c->collapsed[i].how.n_groups;
        if (status == SP_OK) {
            c->collapsed[i].strategies = calloc((size_t)c->n_strategies + 1, sizeof *c->collapsed[i].strategies);
            c->collapsed[i].confusion = calloc((size_t)(c->n_strategies * (G * G + G)) + 1, sizeof(int64_t));
            if (!c->collapsed[i].strategies || !c->collapsed[i].confusion)
                status = sp_no_memory(err);
        }
    }
    free(group);
    return status;
}

void sp_collapsed_finish(sp_evaluation *e)
{
    sp_comparison *c = e->result;
    for (int32_t i = 0; i < c->n_collapsed; i++) {
        sp_collapsed *one = &c->collapsed[i];
        size_t G = (size_t)one->how.n_groups;
        int64_t *undecoded = one->confusion + (size_t)c->n_strategies * G * G;
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_strategy_result *r = &c->strategies[s];
            int64_t *matrix = one->confusion + (size_t)s * G * G;
            sp_collapse_counts(&one->how, r->confusion, r->undecoded_steps, matrix, undecoded + (size_t)s * G);
            sp_agreement_from_confusion((int32_t)G, matrix, undecoded + (size_t)s * G, &one->strategies[s], NULL);
            sp_agreement_count_absent(&one->strategies[s], (int32_t)G, e->options.absent_class);
        }
    }
}

void sp_collapsed_free(int32_t n, sp_collapsed *collapsed)
{
    for (int32_t i = 0; collapsed && i < n; i++) {
        sp_collapse_clear(&collapsed[i].how);
        free(collapsed[i].strategies);
        free(collapsed[i].confusion);
    }
    free(collapsed);
}
