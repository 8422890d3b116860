/* One strategy as JSON: its figures, what its runs and transitions are, and recording by recording. */
#include "evaluate/evaluate.h"
#include "report/tables/tables.h"
#include "report/write/json_tree.h"

void sp_json_runs(sp_json object, const sp_comparison *c, const sp_strategy_result *s)
{
    const sp_class_runs *runs = s ? s->class_runs : c->reference_runs;
    if (!runs)
        return;
    const sp_json classes = sp_json_object(object, "bouts");
    for (int32_t k = 0; k < c->n_classes; k++) {
        const sp_json one = sp_json_named(classes, c->classes[k]);
        sp_json_figures(one, SP_OF_RUNS, &runs[k], s, c);
        sp_json_lengths(one, "lengths", &runs[k]);
    }
}

/* Pairs of illegal transitions, the recording with most, and all transitions: [K][K], rows from, or a list of pairs where there are
 * too many classes for a matrix. */
void sp_json_transitions(sp_json object, const sp_comparison *c, const sp_strategy_result *s)
{
    const sp_frequencies *f = s ? &s->frequencies : &c->reference_frequencies;
    const int64_t *counts = s ? s->transition_counts : c->reference_transition_counts;
    const sp_pair_count *pairs = s ? s->transition_pairs : c->reference_transition_pairs;
    sp_json_pairs(object, "illegal_pairs", c, s ? s->illegal_pairs : c->reference_illegal_pairs,
                  s ? s->n_illegal_pairs : c->n_reference_illegal_pairs, true);
    if (f->worst_recording >= 0) {
        const sp_json worst = sp_json_object(object, "worst_recording");
        sp_json_text(worst, "id", c->ids[f->worst_recording]);
        sp_json_count(worst, "illegal", f->worst_illegal);
    }
    if (counts)
        sp_json_matrix(object, "transition_counts", (size_t)c->n_classes, counts);
    else if (pairs)
        sp_json_pairs(object, "transition_pairs", c, pairs,
                      s ? s->n_transition_pairs : c->n_reference_transition_pairs, true);
}

static void add_agreement(sp_json object, const sp_comparison *c, const sp_strategy_result *s)
{
    sp_json_text(object, "kappa_se_note", "assumes independent steps, which they are not: too small");
    sp_json_matrix(object, "confusion", (size_t)c->n_classes, s->confusion);
    const sp_json undecoded = sp_json_object(object, "undecoded_steps");
    for (int32_t k = 0; s->undecoded_steps && k < c->n_classes; k++)
        if (s->undecoded_steps[k])
            sp_json_set_named(undecoded, c->classes[k], json_integer(s->undecoded_steps[k]));
    const sp_json classes = sp_json_object(object, "classes");
    for (int32_t k = 0; k < c->n_classes; k++)
        sp_json_figures(sp_json_named(classes, c->classes[k]), SP_OF_CLASS, &s->classes[k], s, c);
}

/* What was changed from argmax by class, and by place in the reference's runs. */
static void add_changes(sp_json object, const sp_comparison *c, const sp_strategy_result *s)
{
    if (s->has_changes && s->class_changes) {
        const sp_json classes = sp_json_object(object, "changed_from_argmax_by_class");
        for (int32_t k = 0; k < c->n_classes; k++)
            sp_json_figures(sp_json_named(classes, c->classes[k]), SP_OF_CHANGES, &s->class_changes[k], s, c);
    }
    if (!s->has_agreement)
        return;
    const sp_json places = sp_json_object(object, "contexts");
    for (int i = 0; i < SP_N_CONTEXTS; i++) {
        const sp_json place = sp_json_object(places, sp_context_name((sp_context)i));
        sp_json_count(place, "steps", s->context_steps[i]);
        sp_json_count(place, "correct", s->context_correct[i]);
        if (s->has_changes)
            sp_json_figures(sp_json_object(place, "changed_from_argmax"), SP_OF_CHANGES,
                            &s->context_changes[i], s, c);
    }
}

/* What objects made of figures hold beside them: error_runs, labels_may_be_permuted, entities. */
static void add_nested(sp_json object, const sp_comparison *c, const sp_strategy_result *s)
{
    const sp_error_runs *e = &s->error_runs;
    if (e->runs) {
        const sp_json errors = sp_json_get(object, "error_runs");
        if (e->runs->count) {
            sp_json_text(errors, "longest_recording", c->ids[e->longest_recording]);
            sp_json_count(errors, "longest_step", e->longest_step);
        }
        sp_json_lengths(errors, "lengths", e->runs);
    }
    if (s->label_permutation.is_suspect) {
        const sp_json names = sp_json_object(sp_json_get(object, "labels_may_be_permuted"), "names");
        for (int32_t k = 0; k < c->n_classes; k++)
            sp_json_set_named(names, c->classes[k],
                              sp_json_clean(c->classes[s->label_permutation.name_of[k]]));
    }
    if (s->has_agreement && c->has_entities) {
        const sp_json entities = sp_json_get(object, "entities"), types = sp_json_object(entities, "types");
        for (int32_t i = 0; i < c->n_entity_types; i++)
            sp_json_figures(sp_json_named(types, c->entity_types[i]), SP_OF_ENTITIES, &s->entities.types[i],
                            s, c);
        sp_json_text(entities, "scheme", c->entity_scheme);
    }
}

void sp_json_rules(sp_json object, const sp_comparison *c, int32_t who)
{
    const sp_json rules = c->n_rules > 0 ? sp_json_object(object, "rules") : object;
    for (int32_t r = 0; r < c->n_rules; r++)
        sp_json_figures(sp_json_named(rules, c->rules[r].name), SP_OF_RULE, &c->rules[r].by[who], NULL, c);
}

/* Violations of one recording, by rule. */
static void add_violations(sp_json object, const sp_comparison *c, int32_t who, int64_t recording)
{
    const sp_json rules = c->n_rules > 0 ? sp_json_object(object, "rules") : object;
    for (int32_t r = 0; r < c->n_rules; r++)
        sp_json_set_named(rules, c->rules[r].name, json_integer(sp_rule_violations_in(c, recording, r, who)));
}

/* An item of per_recording. */
static json_t *recording_object(const void *whole, const void *part, int64_t r, bool *failed)
{
    const sp_comparison *c = whole;
    const sp_strategy_result *s = part;
    const sp_recording_result *recording = &s->recordings[r];
    const sp_json object = sp_json_root(failed);
    sp_json_text(object, "id", c->ids[r]);
    if (c->subject_of)
        sp_json_text(object, "subject", c->subjects[c->subject_of[r]]);
    sp_json_count(object, "steps", c->steps[r]);
    if (c->trimmed_steps)
        sp_json_count(object, "trimmed", c->trimmed_steps[r]);
    if (c->cut_path_steps && c->cut_path_steps[r])
        sp_json_count(object, "cut_path_steps", c->cut_path_steps[r]);
    if (c->cut_label_steps && c->cut_label_steps[r])
        sp_json_count(object, "cut_label_steps", c->cut_label_steps[r]);
    sp_json_figures(object, SP_OF_RECORDING, recording, s, c);
    sp_json_text(object, "status", sp_status_name(recording->decoded.status));
    if (recording->decoded.status != SP_OK)
        sp_json_count(object, "step", recording->decoded.step);
    else
        add_violations(object, c, (int32_t)(s - c->strategies), r);
    if (s->has_path_score)
        sp_json_score(object, "path_score", recording->decoded.score);
    return object.at;
}

/* per_recording is left to `list`. */
void sp_json_strategy(sp_json object, const sp_comparison *c, const sp_strategy_result *s, sp_json_list *list)
{
    sp_json_figures(object, SP_OF_STRATEGY, s, s, c);
    sp_json_interval(object, "illegal_rate_ci", s->illegal_rate.low, s->illegal_rate.high);
    add_nested(object, c, s);
    if (s->has_agreement)
        add_agreement(object, c, s);
    sp_json_transitions(object, c, s);
    add_changes(object, c, s);
    sp_json_runs(object, c, s);
    sp_json_rules(object, c, (int32_t)(s - c->strategies));
    const sp_json undecoded = sp_json_array(object, "undecoded");
    for (int64_t r = 0; r < c->n_recordings; r++)
        if (s->recordings[r].decoded.status != SP_OK)
            sp_json_text(undecoded, NULL, c->ids[r]);
    *list =
        (sp_json_list){sp_json_array(object, "per_recording").at, c->n_recordings, recording_object, c, s};
}
