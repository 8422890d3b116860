/* Rules as tables, and what labels show often enough to be allowed. */
#include "statepath/learn.h"

#include "core/model/durations.h"
#include "core/model/edges.h"
#include "core/model/model.h"
#include "core/rules/rules.h"
#include "core/try.h"
#include "learn/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sp_status allocate(sp_rules *rules, int32_t n_classes, sp_error *err)
{
    size_t n = (size_t)n_classes;
    *rules = (sp_rules){.n_classes = n_classes};
    rules->allow = calloc(n * n, 1);
    rules->start = calloc(n, 1);
    rules->end = calloc(n, 1);
    rules->dwell = calloc(n, sizeof *rules->dwell);
    if (rules->allow && rules->start && rules->end && rules->dwell)
        return SP_OK;
    sp_rules_clear(rules);
    return sp_no_memory(err);
}

void sp_rules_clear(sp_rules *rules)
{
    free(rules->allow);
    free(rules->start);
    free(rules->end);
    free(rules->dwell);
    for (int32_t k = 0; rules->durations && k < rules->n_classes; k++)
        free(rules->durations[k].pmf);
    free(rules->durations);
    sp_model_free(rules->own);
    *rules = (sp_rules){0};
}

static void allow_all(sp_rules *rules)
{
    size_t n = (size_t)rules->n_classes;
    memset(rules->allow, 1, n * n);
    memset(rules->start, 1, n);
    memset(rules->end, 1, n);
    for (size_t k = 0; k < n; k++)
        rules->dwell[k] = 1;
}

/* from and to have one of these each. */
static bool copy_durations(int32_t K, const sp_duration *from, const int32_t *class_of_column,
                           sp_duration **to)
{
    sp_model source = {.n_classes = K, .durations = (sp_duration *)from}, target = {.n_classes = K};
    const bool is_done = sp_durations_copy(&source, class_of_column, &target);
    *to = target.durations;
    return is_done;
}

/* Rules over more steps, other names of the classes, and where that comes from. */
static bool copy_declared(const sp_model *declared, int32_t *class_of, sp_model *model)
{
    const char *const *names = (const char *const *)model->classes;
    free(model->source);
    model->source = declared->source ? strdup(declared->source) : NULL;
    return (!declared->source || model->source) &&
           sp_model_align(declared, model->n_classes, names, class_of, NULL) == SP_OK &&
           sp_rules_copy(declared, class_of, model);
}

static bool give_rest(const sp_rules *rules, sp_model *model)
{
    int32_t *class_of = malloc((size_t)model->n_classes * sizeof *class_of);
    model->whole_at_start = rules->whole_at_start;
    model->whole_at_end = rules->whole_at_end;
    const bool is_done = class_of &&
                         copy_durations(rules->n_classes, rules->durations, NULL, &model->durations) &&
                         (!rules->declared || copy_declared(rules->declared, class_of, model));
    free(class_of);
    return is_done;
}

sp_status sp_rules_new_model(const sp_rules *rules, const char *name, const char *const *classes,
                             sp_model **out, sp_error *err)
{
    sp_model *model = sp_model_new(name, rules->n_classes, classes);
    if (!model || !give_rest(rules, model)) {
        sp_model_free(model);
        return sp_no_memory(err);
    }
    *out = model;
    return SP_OK;
}

/* column_of_class [K]: where each class of the model stands among the columns. */
static void copy_model(sp_rules *rules, const sp_model *model, const int32_t *column_of_class)
{
    size_t n = (size_t)rules->n_classes;
    for (int32_t s = 0; s < model->n_states; s++) {
        size_t i = (size_t)column_of_class[sp_model_state_class(model, s)];
        for (int64_t e = model->row[s]; e < model->row[s + 1]; e++)
            rules->allow[i * n + (size_t)column_of_class[sp_model_state_class(model, model->to[e])]] = 1;
        rules->start[i] = !model->start || model->start[s] != -INFINITY;
        rules->end[i] = !model->end || model->end[s] != -INFINITY;
        rules->dwell[i] = model->min_dwell ? model->min_dwell[s] : 1;
    }
    rules->dwell_at_end = model->min_dwell_at_end;
    rules->whole_at_start = model->whole_at_start;
    rules->whole_at_end = model->whole_at_end;
}

bool sp_rules_hide_states(const sp_model *model)
{
    for (int32_t s = 0; model && s < model->n_states; s++)
        for (int32_t u = 0; u < s; u++)
            if (sp_model_state_class(model, u) == sp_model_state_class(model, s))
                return true;
    return false;
}

sp_status sp_rules_init(sp_rules *rules, const sp_model *model, int32_t n_classes, const char *const *classes,
                        sp_error *err)
{
    size_t n = (size_t)n_classes;
    int32_t *class_of_column = malloc(2 * n * sizeof *class_of_column);
    if (!class_of_column)
        return sp_no_memory(err);
    int32_t *column_of_class = class_of_column + n;
    sp_rules made = {0};
    sp_status status = SP_OK;
    TRY(allocate(&made, n_classes, err));
    if (model) {
        TRY(sp_model_align(model, n_classes, classes, class_of_column, err));
        for (int32_t k = 0; k < n_classes; k++)
            column_of_class[class_of_column[k]] = k;
        copy_model(&made, model, column_of_class);
        if (!copy_durations(n_classes, model->durations, class_of_column, &made.durations))
            TRY(sp_no_memory(err));
        made.declared = model;
        made.hidden = sp_rules_hide_states(model) ? model : NULL;
        for (size_t k = 0; k < n; k++) /* a class without a state: never allowed */
            made.dwell[k] = made.hidden || made.dwell[k] == 0 ? 1 : made.dwell[k];
    } else {
        allow_all(&made);
    }
    *rules = made;
    made = (sp_rules){0};
done:
    free(class_of_column);
    sp_rules_clear(&made);
    return status;
}

static double *sides(int32_t K, const uint8_t *allowed, bool *is_whole)
{
    double *made = malloc((size_t)K * sizeof *made);
    *is_whole &= made != NULL;
    for (int32_t k = 0; made && k < K; k++)
        made[k] = allowed[k] ? 0 : -INFINITY;
    return made;
}

sp_status sp_rules_hide(sp_rules *rules, const char *const *classes, sp_error *err)
{
    const int32_t K = rules->n_classes;
    sp_model *model = NULL;
    bool is_whole = true;
    sp_status status = SP_OK;
    if (rules->hidden)
        return SP_OK;
    TRY(sp_rules_new_model(rules, "rules", classes, &model, err));
    TRY(sp_model_set_matrix(model, rules->allow, NULL, err));
    model->start = sides(K, rules->start, &is_whole);
    model->end = sides(K, rules->end, &is_whole);
    model->start_is_list = model->end_is_list = true;
    model->min_dwell = malloc((size_t)K * sizeof *model->min_dwell);
    TRY(is_whole && model->min_dwell ? SP_OK : sp_no_memory(err));
    memcpy(model->min_dwell, rules->dwell, (size_t)K * sizeof *model->min_dwell);
    model->min_dwell_at_end = rules->dwell_at_end;
    rules->hidden = rules->own = model;
    model = NULL;
done:
    sp_model_free(model);
    return status;
}

sp_status sp_rules_from_labels(sp_rules *rules, const sp_training *training, int64_t min_count, sp_error *err)
{
    if (min_count < 1)
        return sp_fail(err, SP_EINVAL, "a transition seen at least %lld times: the least count is 1",
                       (long long)min_count);
    sp_label_counts counts = {0};
    sp_rules made = {0};
    size_t n = (size_t)training->batch.scores.n_classes;
    sp_status status = SP_OK;
    TRY(sp_label_counts_init(&counts, (int32_t)n, err));
    TRY(allocate(&made, (int32_t)n, err));
    for (int64_t r = 0; training->labels && r < training->batch.n_recordings; r++)
        if (sp_training_uses(training, r)) {
            sp_scores scores = sp_batch_recording(&training->batch, r);
            sp_label_counts_add(&counts, scores.n_steps, training->labels + training->batch.offsets[r],
                                scores.segments);
        }
    int64_t n_starts = 0, n_ends = 0;
    for (size_t k = 0; k < n; k++) {
        n_starts += counts.starts[k] >= min_count;
        n_ends += counts.ends[k] >= min_count;
    }
    for (size_t i = 0; i < n; i++) {
        bool is_seen = counts.steps[i] > 0;
        for (size_t j = 0; j < n; j++)
            made.allow[i * n + j] =
                i == j || !is_seen || counts.steps[j] == 0 || counts.transitions[i * n + j] >= min_count;
        made.start[i] = !n_starts || counts.starts[i] >= min_count;
        made.end[i] = !n_ends || counts.ends[i] >= min_count;
        made.dwell[i] = 1;
    }
    *rules = made;
done:
    sp_label_counts_clear(&counts);
    return status;
}
