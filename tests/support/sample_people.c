#include "sample_people.h"
#include "evaluate/evaluation.h"

#include <stdio.h>

void sample_add_sleep(sample *s, double epoch_seconds, bool is_assumed)
{
    sp_comparison *c = &s->comparison;
    int32_t *stages = sample_alloc(s, (size_t)c->n_classes, sizeof *stages);
    for (int32_t k = 0; k < c->n_classes; k++)
        stages[k] = k % SP_N_STAGES;
    sp_sleep *sleep = sample_alloc(s, 1, sizeof *sleep);
    size_t N = (size_t)c->n_recordings;
    sleep->epoch_seconds = s->comparison.epoch_seconds = epoch_seconds;
    s->comparison.epoch_is_assumed = is_assumed;
    sp_frequencies_fill(&s->comparison);
    sleep->epoch_is_assumed = is_assumed;
    sleep->n_nights = c->n_recordings;
    sleep->n_strategies = c->n_strategies;
    sleep->reference = sample_alloc(s, N, sizeof *sleep->reference);
    sleep->strategies = sample_alloc(s, (size_t)c->n_strategies, sizeof *sleep->strategies);
    for (int32_t i = 0; i < c->n_strategies; i++)
        sleep->strategies[i].nights = sample_alloc(s, N, sizeof *sleep->strategies[i].nights);
    for (int64_t t = 0; t < c->n_traces; t++) {
        const sp_trace *trace = &c->traces[t];
        int64_t r = trace->recording;
        sp_sleep_statistics_of(trace->n_steps, trace->labels, trace->labels, trace->segments, stages,
                               epoch_seconds, &sleep->reference[r]);
        for (int32_t i = 0; i < c->n_strategies; i++) {
            bool is_decoded = c->strategies[i].recordings[r].decoded.status == SP_OK;
            sp_sleep_statistics_of(trace->n_steps, is_decoded ? trace->paths[i] : NULL, trace->labels,
                                   trace->segments, stages, epoch_seconds, &sleep->strategies[i].nights[r]);
        }
    }
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        sp_sleep_mean_of(sleep->n_nights, sleep->reference, (sp_sleep_measure)m, &sleep->reference_means[m]);
        for (int32_t i = 0; i < c->n_strategies; i++) {
            sp_sleep_strategy *one = &sleep->strategies[i];
            sp_sleep_mean_of(sleep->n_nights, one->nights, (sp_sleep_measure)m, &one->means[m]);
            sp_sleep_agreement_of(sleep->n_nights, sleep->reference, one->nights, (sp_sleep_measure)m,
                                  &one->agreement[m]);
            sp_sleep_agreement_intervals(0.95, &one->agreement[m]);
        }
    }
    c->sleep = sleep;
}

static void fill_row(sample *s, sp_rater_row *row, const char *name, int32_t n, int32_t index, int32_t itself)
{
    row->name = name;
    row->with = sample_alloc(s, (size_t)n, sizeof *row->with);
    for (int32_t i = 0; i < n; i++) {
        sp_value kappa = {.value = 0.7 + 0.01 * ((index + i) % 7)},
                 accuracy = {.value = 0.8 + 0.01 * ((index + i) % 7)};
        sp_value none = {.undefined = "itself"};
        row->with[i] = (sp_rater_pair){.steps = 1000,
                                       .agreed = 800,
                                       .accuracy = i == itself ? none : accuracy,
                                       .kappa = i == itself ? none : kappa};
    }
    row->mean_accuracy = (sp_value){.value = 0.8 + 0.01 * index};
    row->mean_kappa = (sp_value){.value = 0.7 + 0.01 * index};
    row->soft = (sp_value){.value = 0.85 + 0.01 * index};
    row->soft_steps = 1000;
}

void sample_add_raters(sample *s, int32_t n)
{
    sp_comparison *c = &s->comparison;
    sp_raters *raters = sample_alloc(s, 1, sizeof *raters);
    raters->n_raters = n;
    raters->n_strategies = c->n_strategies;
    raters->names = sample_alloc(s, (size_t)n, sizeof *raters->names);
    raters->has_reference = true;
    raters->strategies = sample_alloc(s, (size_t)c->n_strategies, sizeof *raters->strategies);
    raters->raters = sample_alloc(s, (size_t)n, sizeof *raters->raters);
    fill_row(s, &raters->reference, "reference", n, 0, -1);
    for (int32_t i = 0; i < c->n_strategies; i++)
        fill_row(s, &raters->strategies[i], c->strategies[i].name, n, 1 + i, -1);
    for (int32_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "<person> %d", (int)i + 1);
        raters->names[i] = sample_text(s, name);
        fill_row(s, &raters->raters[i], raters->names[i], n, 2 + i, i);
    }
    raters->mean_accuracy = (sp_value){.value = 0.81};
    raters->mean_kappa = (sp_value){.value = 0.72};
    raters->fleiss = n > 2 ? (sp_value){.value = 0.715} : (sp_value){.undefined = "fewer than three scorers"};
    raters->fleiss_steps = n > 2 ? 987 : 0;
    c->raters = raters;
}
