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
        sp_sleep_statistics_of(trace->n_steps, trace->labels, trace->labels, trace->segments, stages, epoch_seconds,
                               &sleep->reference[r]);
        for (int32_t i = 0; i < c->n_strategies; i++) {
            bool is_decoded = c->strategies[i].recordings[r].decoded.status == SP_OK;
            sp_sleep_statistics_of(trace->n_steps, is_decoded ? trace->paths[i] : NULL, trace->labels, trace->segments, stages,
                                   epoch_seconds, &sleep->strategies[i].nights[r]);
        }
    }
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        sp_sleep_mean_of(sleep->n_nights, sleep->reference, (sp_sleep_measure)m, &sleep->reference_means[m]);
        for (int32_t i = 0; i < c->n_strategies; i++) {
            sp_sleep_strategy *one = &sleep->strategies[i];
            sp_sleep_mean_of(sleep->n_nights, one->nights, (sp_sleep_measure)m, &one->means[m]);
            sp_sleep_agreement_of(sleep->n_nights, sleep->reference, one->nights, (sp_sleep_measure)m, &one->agreement[m]);
            sp_sleep_agreement_intervals(0.95, &one->agreement[m]);
        }
    }
    c->sleep = sleep;
}

static void fill_row(sample *s, sp_scorer_row *row, const char *name, int32_t n, int32_t index, int32_t itself)
{
    row->name = name;
    row->with = sample_alloc(s, (size_t)n, sizeof *row->with);
    for (int32_t i = 0; i < n; i++) {
        sp_value kappa = {.value = 0.7 + 0.01 * ((index + i) % 7)}, accuracy = {.value = 0.8 + 0.01 * ((index + i) % 7)};
        sp_value none = {.undefined = "itself"};
        row->with[i] = (sp_scorer_pair){
            .steps = 1000, .agreed = 800, .accuracy = i == itself ? none : accuracy, .kappa = i == itself ? none : kappa};
    }
    row->mean_accuracy = (sp_value){.value = 0.8 + 0.01 * index};
    row->mean_kappa = (sp_value){.value = 0.7 + 0.01 * index};
    row->soft = (sp_value){.value = 0.85 + 0.01 * index};
    row->soft_steps = 1000;
}

void sample_add_scorers(sample *s, int32_t n)
{
    sp_comparison *c = &s->comparison;
    sp_scorers *scorers = sample_alloc(s, 1, sizeof *scorers);
    scorers->n_scorers = n;
    scorers->n_strategies = c->n_strategies;
    scorers->names = sample_alloc(s, (size_t)n, sizeof *scorers->names);
    scorers->has_reference = true;
    scorers->strategies = sample_alloc(s, (size_t)c->n_strategies, sizeof *scorers->strategies);
    scorers->scorers = sample_alloc(s, (size_t)n, sizeof *scorers->scorers);
    fill_row(s, &scorers->reference, "reference", n, 0, -1);
    for (int32_t i = 0; i < c->n_strategies; i++)
        fill_row(s, &scorers->strategies[i], c->strategies[i].name, n, 1 + i, -1);
    for (int32_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "<person> %d", (int)i + 1);
        scorers->names[i] = sample_text(s, name);
        fill_row(s, &scorers->scorers[i], scorers->names[i], n, 2 + i, i);
    }
    scorers->mean_accuracy = (sp_value){.value = 0.81};
    scorers->mean_kappa = (sp_value){.value = 0.72};
    scorers->fleiss = n > 2 ? (sp_value){.value = 0.715} : (sp_value){.undefined = "fewer than three scorers"};
    scorers->fleiss_steps = n > 2 ? 987 : 0;
    c->scorers = scorers;
}
