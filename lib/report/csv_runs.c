/* Lines of the CSV about runs, changes of class, entities, and what changed by class and by place; see tables_runs.c. */
#include "report/csv_line.h"

#include <stdio.h>

static void add_bouts(const sp_comparison *c, sp_buffer *out, sp_csv_line line, const sp_bouts *bouts)
{
    for (int32_t k = 0; bouts && k < c->n_classes; k++) {
        const sp_bouts *one = &bouts[k];
        line.class = c->classes[k];
        sp_csv_count(out, line, "runs", one->count, one->steps);
        sp_csv_count(out, line, "isolated_runs", one->n_lengths && one->lengths[0].length == 1 ? one->lengths[0].count : 0,
                     one->count);
        sp_csv_value(out, line, "run_mean", &one->mean, one->count);
        sp_csv_value(out, line, "run_median", &one->median, one->count);
    }
}

static void add_boundaries(sp_buffer *out, sp_csv_line line, const sp_boundaries *b)
{
    for (int i = 0; i < SP_N_TOLERANCES; i++) {
        char key[32];
        snprintf(key, sizeof key, "boundary_recall_%d", i);
        sp_csv_value(out, line, key, &b->recall[i], b->reference);
        snprintf(key, sizeof key, "boundary_precision_%d", i);
        sp_csv_value(out, line, key, &b->precision[i], b->decoded);
    }
}

static void add_contexts(const sp_strategy_result *s, sp_buffer *out, sp_csv_line line)
{
    for (int i = 0; i < SP_N_CONTEXTS; i++) {
        char key[32];
        int64_t n = s->context_steps[i];
        sp_value accuracy = {.value = n ? (double)s->context_correct[i] / (double)n : 0, .undefined = n ? NULL : "no such step"};
        snprintf(key, sizeof key, "accuracy_%s", sp_context_name((sp_context)i));
        sp_csv_value(out, line, key, &accuracy, n);
    }
}

static void add_class_changes(const sp_comparison *c, const sp_strategy_result *s, sp_buffer *out, sp_csv_line line)
{
    for (int32_t k = 0; k < c->n_classes; k++) {
        const sp_changes *one = &s->class_changes[k];
        int64_t n = one->fixed + one->broken + one->wrong_to_wrong + one->same;
        line.class = c->classes[k];
        sp_csv_count(out, line, "fixed", one->fixed, n);
        sp_csv_count(out, line, "broken", one->broken, n);
        sp_csv_count(out, line, "wrong_to_wrong", one->wrong_to_wrong, n);
    }
}

static void add_entities(sp_buffer *out, sp_csv_line line, const char *prefix, const sp_entity_counts *e)
{
    char key[48];
    snprintf(key, sizeof key, "%s_correct", prefix);
    sp_csv_count(out, line, key, e->correct, e->reference);
    snprintf(key, sizeof key, "%s_precision", prefix);
    sp_csv_value(out, line, key, &e->precision, e->decoded);
    snprintf(key, sizeof key, "%s_recall", prefix);
    sp_csv_value(out, line, key, &e->recall, e->reference);
    snprintf(key, sizeof key, "%s_f1", prefix);
    sp_csv_value(out, line, key, &e->f1, e->reference + e->decoded);
}

void sp_csv_runs(sp_buffer *out, const sp_comparison *comparison)
{
    const sp_comparison *c = comparison;
    if (c->has_labels)
        add_bouts(c, out, (sp_csv_line){.strategy = "reference", .recording = "", .class = ""}, c->reference_bouts);
    for (int32_t i = 0; i < c->n_strategies; i++) {
        const sp_strategy_result *s = &c->strategies[i];
        sp_csv_line line = {.strategy = s->name, .recording = "", .class = ""};
        add_bouts(c, out, line, s->bouts);
        if (!s->has_agreement)
            continue;
        add_boundaries(out, line, &s->boundaries);
        sp_csv_value(out, line, "edit_score", &s->edit_score, s->edit_score_n);
        add_contexts(s, out, line);
        if (s->has_changes && s->class_changes)
            add_class_changes(c, s, out, line);
        if (!c->has_entities)
            continue;
        add_entities(out, line, "entity", &s->entities.pooled);
        add_entities(out, line, "entity_strict", &s->entities.strict);
        for (int32_t t = 0; t < c->n_entity_types; t++) {
            line.class = c->entity_types[t];
            add_entities(out, line, "entity", &s->entities.types[t]);
        }
    }
}
