/* The memory of a comparison. */
#include "evaluate/comparison.h"

#include <stdlib.h>

#include "statepath/comparison.h"

static void free_strings(int64_t n, char **strings)
{
    for (int64_t i = 0; strings && i < n; i++)
        free(strings[i]);
    free(strings);
}

static void free_all(size_t n, void *const *arrays)
{
    for (size_t i = 0; i < n; i++)
        free(arrays[i]);
}
#define FREE_ALL(...) free_all(sizeof((void *[]){__VA_ARGS__}) / sizeof(void *), (void *[]){__VA_ARGS__})

/* What sp_comparison_describe() fills. */
void sp_comparison_free_texts(sp_comparison *c, int32_t n_classes)
{
    FREE_ALL(c->file, c->command, c->model_name, c->model_description, c->model_source, c->path_codes,
             c->label_codes, c->labels_file);
    free_strings(n_classes, c->classes);
    free_strings(n_classes, c->input_classes);
    free_strings(2 * c->n_files, c->file_names);
    free(c->files);
    free_strings(2 * c->n_label_files, c->label_file_names);
    free(c->label_files);
    free_strings(c->n_unread, c->unread);
}

/* ---- its parts ---- */

void sp_collapse_clear(sp_collapse *c)
{
    free_strings(c->n_groups, c->groups);
    FREE_ALL(c->group_of_class, c->name);
    *c = (sp_collapse){0};
}

static void collapsed_free(int32_t n, sp_collapsed *collapsed)
{
    for (int32_t i = 0; collapsed && i < n; i++) {
        sp_collapse_clear(&collapsed[i].how);
        FREE_ALL(collapsed[i].strategies, collapsed[i].confusion);
    }
    free(collapsed);
}

void sp_illegal_places_free(sp_comparison *c)
{
    for (int64_t i = 0; i < c->n_illegal_places; i++)
        free(c->illegal_places[i].said);
    free(c->illegal_places);
    c->illegal_places = NULL;
    c->n_illegal_places = 0;
}

static void trace_free(int32_t n_strategies, sp_trace *trace)
{
    for (int32_t s = 0; trace->paths && s < n_strategies; s++)
        free(trace->paths[s]);
    FREE_ALL(trace->labels, trace->segments, trace->density, trace->paths);
}

void sp_traces_free(sp_comparison *c)
{
    for (int64_t i = 0; i < c->n_traces; i++)
        trace_free(c->n_strategies, &c->traces[i]);
    free(c->traces);
    c->traces = NULL;
    c->n_traces = 0;
}

static void class_runs_free(int32_t K, sp_class_runs *class_runs)
{
    for (int32_t k = 0; class_runs && k < K; k++)
        free(class_runs[k].lengths);
    free(class_runs);
}

static void raters_free(sp_raters *raters)
{
    if (!raters)
        return;
    free_strings(raters->n_raters, raters->names);
    FREE_ALL(raters->reference.with /* of all rows */, raters->strategies, raters->raters, raters);
}

static void sleep_free(sp_sleep *sleep)
{
    if (!sleep)
        return;
    for (int32_t s = 0; sleep->strategies && s < sleep->n_strategies; s++)
        free(sleep->strategies[s].nights);
    FREE_ALL(sleep->strategies, sleep->reference, sleep);
}

void sp_reliability_free(sp_reliability *reliability)
{
    if (reliability)
        FREE_ALL(reliability->class_ece, reliability);
}

/* ---- all of it ---- */

static void strategy_free(int32_t K, sp_strategy_result *s)
{
    FREE_ALL(s->name, s->classes, s->confusion, s->undecoded_steps, s->illegal_pairs, s->transition_counts,
             s->transition_pairs, s->label_permutation.name_of, s->class_changes, s->entities.types,
             s->recordings);
    class_runs_free(K, s->class_runs);
    class_runs_free(1, s->error_runs.runs);
}

void sp_what_if_recording_free(sp_what_if_recording *recording)
{
    for (int64_t t = 0; recording->words && t < recording->n_steps; t++)
        free(recording->words[t]);
    FREE_ALL(recording->bytes, recording->words);
}

void sp_what_if_free(sp_what_if *what_if)
{
    for (int64_t i = 0; what_if && i < what_if->n_recordings; i++)
        sp_what_if_recording_free(&what_if->recordings[i]);
    if (what_if)
        FREE_ALL(what_if->why_not, what_if->model, what_if->log_prior, what_if->options, what_if->recordings,
                 what_if);
}

void sp_rule_costs_free(sp_rule_costs *costs)
{
    if (costs)
        FREE_ALL(costs->rules, costs->proposals, costs);
}

static void review_free(sp_review_result *review)
{
    if (review)
        FREE_ALL(review->list, review);
}

void sp_comparison_free(sp_comparison *c)
{
    if (!c)
        return;
    sp_comparison_free_texts(c, c->n_classes);
    free_strings(c->n_recordings, c->ids);
    free_strings(c->n_subjects, c->subjects);
    free_strings(c->n_entity_types, c->entity_types);
    collapsed_free(c->n_collapsed, c->collapsed);
    class_runs_free(c->n_classes, c->reference_runs);
    for (int32_t s = 0; s < c->n_strategies; s++)
        strategy_free(c->n_classes, &c->strategies[s]);
    sleep_free(c->sleep);
    raters_free(c->raters);
    for (int32_t r = 0; c->rules && r < c->n_rules; r++)
        FREE_ALL(c->rules[r].name, c->rules[r].text, c->rules[r].by);
    sp_traces_free(c);
    sp_illegal_places_free(c);
    sp_rule_costs_free(c->rule_costs);
    review_free(c->review);
    sp_what_if_free(c->what_if);
    for (int32_t i = 0; i < c->n_calibrations; i++)
        sp_reliability_free(c->calibrations[i].reliability);
    sp_reliability_free(c->reliability);
    for (int32_t i = 0; i < c->n_against; i++) {
        sp_reliability_free(c->against[i].reliability);
        FREE_ALL(c->against[i].name, c->against[i].file, c->against[i].scores);
    }
    FREE_ALL(c->against, c->steps, c->scored_steps, c->subject_of, c->subjects_place, c->mean_ranks,
             c->trimmed_steps, c->asked, c->cut_path_steps, c->cut_label_steps, c->forbidden,
             c->start_allowed, c->end_allowed, c->min_dwell, c->durations, c->rules, c->rule_violations,
             c->rule_places, c->run_places, c->reference_illegal_pairs, c->reference_transition_counts,
             c->reference_transition_pairs, c->strategies, c->comparisons, c->background, c);
}
