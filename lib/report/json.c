/* Results as the contract of results words them. The tree is jansson's, which refuses NaN and bad UTF-8; the layout is ours,
 * because jansson puts every number of a matrix on a line of its own and writes 0.87760000000000005 for 0.8776.
 *
 * Beyond the contract, all additive (laid out by hand: clang-format would run the lines together): */
/* clang-format off */
/*   input: bytes, classes (names as in the file), has_labels, subjects, subjects_from
 *     (where subjects are known: how many, and where they are said), epoch_seconds, epoch_assumed (where a step's length is
 *     known), path_codes, label_codes (--codes, --map: what the numbers of others' steps were read as);   command, seed, level (of all intervals), interval (bca or
 *     percentile: what ci and illegal_rate_ci are), zeros (wilcox or pratt: what the signed rank test does with differences of 0)
 *   model: description, source, start, end (classes; absent where all may), min_dwell (class -> steps, those above 1)
 *   nll (mean negative log-likelihood of the reference, nats per step, weighted), nll_steps, nll_impossible_steps
 *   nll_clip, nll_clipped (--nll-clip: probabilities of the reference raised to at least nll_clip, over all steps)
 *   argmax_ties.steps, .scored (steps whose best class is not unique: the first is taken; of them with a reference)
 *   trim_to_shortest: recordings, path_steps, label_steps (--trim-to-shortest: what was cut);   bridge_unscored (--bridge-unscored)
 *   calibration (of the prepared scores, the same for every strategy; keys as in reliability.h, bins with Wilson intervals)
 *   reference: changes, illegal_start, illegal_end, short_runs, bouts, illegal_rate and the other frequencies of a strategy,
 *     transition_counts, bridged_transitions (of its transitions, those across unscored steps);   mask_ceiling_infeasible (recordings without allowed path)
 *   strategies.*: scored, correct, undecoded_steps (by reference class, those above 0), macro_precision, macro_recall,
 *     macro_f1_classes, macro_precision_classes, macro_recall_classes (over how many), mean_accuracy, sd_accuracy, mean_kappa, sd_kappa (over recordings), legal_by_construction, relaxed,
 *     rules_broken, changed_from_argmax.same, changed_from_argmax_by_class, contexts, boundaries, edit_score,
 *     bouts (lengths: [length, count]), entities, illegal_rate, illegal_rate_ci
 *     classes.*: predicted, npv, prevalence, pabak, bias, prevalence_index;   bouts.*: isolated (runs of one step)
 *     illegal_rate (per transition), illegal_per_change, illegal_per_hour, changes_per_hour (null where a step's length is not
 *     known), worst_recording (id, illegal), runs, isolated_runs (of one step), isolated_runs_share, runs_ratio (to the reference)
 *     transition_counts ([K][K] all transitions, from row to column; above 100 classes transition_pairs: from, to, count)
 *     labels_may_be_permuted (only where suspicious: names, what the reference calls each class; accuracy and kappa under them)
 *     kappa_se (assumes independent steps), weighted_kappa
 *     regret, regret_steps, zero_probability_steps
 *     error_runs (not of argmax): broken, consequences, consequence_share, count, forbidden, mean, median, longest,
 *     longest_recording, longest_step, dead_ends, lengths
 *     per_recording.*: subject, trimmed (steps of wake left out), cut_path_steps, cut_label_steps (above 0), correct, transitions, changes, status, step, rules_broken, path_score
 *   comparisons: after accuracy, which alone has all tests, the same pairs with metric kappa, macro_f1, illegal_rate (not where a
 *     strategy is legal by construction; p_sign_flip alone); ci_bca, ci_percentile; rank_biserial, p_method (exact, normal
 *     approximation), p_holm, p_sign_flip, p_sign_flip_method (exact, sampled), p_least (least p that so many units can give),
 *     p_least_note (the same in words), mcnemar, mcnemar_cluster, bowker, stuart_maxwell, non_inferior (with --margin), mean, median, sd (of the units'
 *     differences), unit (recording, or subject where they are known), n, better, worse, ties, resamples;   other_metrics_left_out (why kappa and macro F1 are not compared)
 *   friedman (chi2, df, p, unit, mean_ranks), cochran: with three strategies and more
 *   collapsed: name, groups (name -> classes), strategies.* (accuracy, balanced_accuracy, kappa, mcc, macro_f1, macro_f1_classes,
 *     confusion);   kappa_weights, absent_class, margin, wake_trim_minutes, trimmed_steps: where asked for
 *   sleep (where the classes are sleep stages): epoch_seconds, epoch_assumed; reference and strategies.* with means (mean, sd, n)
 *     and nights (id and each measure), strategies.*.agreement (bias, sd, low, high, n); minutes, se in per cent, sfi per hour
 *   scorers (where the file has labels_*): names, mean_accuracy, mean_kappa, fleiss_kappa, fleiss_steps; reference, strategies.*
 *     and each.* with mean_accuracy, mean_kappa, soft_agreement, soft_steps, with.* (steps, accuracy, kappa)
 *
 * Time is left out: the same input gives the same bytes. */
/* clang-format on */
#include "report/json_tree.h"
#include "report/tables.h"
#include "statepath/report.h"

#include <stdlib.h>
#include <string.h>

static json_t *class_list(const sp_comparison *c, const uint8_t *is_in, bool *failed)
{
    json_t *list = json_array();
    for (int32_t k = 0; k < c->n_classes; k++)
        if (is_in[k])
            sp_json_append(list, sp_json_text(c->classes[k], failed), failed);
    return list;
}

static bool is_all(const uint8_t *flags, int32_t n)
{
    for (int32_t k = 0; k < n; k++)
        if (!flags[k])
            return false;
    return true;
}

static json_t *pair_list(const sp_comparison *c, const sp_pair_count *pairs, int64_t n, bool with_count, bool *failed)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++) {
        json_t *from = sp_json_text(c->classes[pairs[i].from], failed), *to = sp_json_text(c->classes[pairs[i].to], failed);
        json_t *pair = with_count ? json_object() : json_array();
        if (with_count) {
            sp_json_set(pair, "from", from, failed);
            sp_json_set(pair, "to", to, failed);
            sp_json_set(pair, "count", json_integer(pairs[i].count), failed);
        } else {
            sp_json_append(pair, from, failed);
            sp_json_append(pair, to, failed);
        }
        sp_json_append(list, pair, failed);
    }
    return list;
}

static json_t *input_object(const sp_comparison *c, bool *failed)
{
    json_t *input = json_object(), *classes = json_array();
    sp_json_set(input, "file", c->file ? sp_json_text(c->file, failed) : json_null(), failed);
    sp_json_set(input, "bytes", json_integer(c->file_size), failed);
    sp_json_set(input, "recordings", json_integer(c->n_recordings), failed);
    if (c->n_subjects)
        sp_json_set(input, "subjects", json_integer(c->n_subjects), failed);
    if (c->subjects_place)
        sp_json_set(input, "subjects_from", sp_json_text(c->subjects_place, failed), failed);
    sp_json_set(input, "steps", json_integer(c->n_steps), failed);
    sp_json_set(input, "scored_steps", json_integer(c->n_scored_steps), failed);
    if (c->epoch_seconds > 0) {
        sp_json_set(input, "epoch_seconds", json_real(c->epoch_seconds), failed);
        sp_json_set(input, "epoch_assumed", json_boolean(c->epoch_is_assumed), failed);
    }
    if (c->path_codes)
        sp_json_set(input, "path_codes", sp_json_text(c->path_codes, failed), failed);
    if (c->label_codes)
        sp_json_set(input, "label_codes", sp_json_text(c->label_codes, failed), failed);
    sp_json_set(input, "has_labels", json_boolean(c->has_labels), failed);
    for (int32_t k = 0; c->input_classes && k < c->n_classes; k++)
        sp_json_append(classes, sp_json_text(c->input_classes[k], failed), failed);
    sp_json_set(input, "classes", classes, failed);
    return input;
}

static json_t *model_object(const sp_comparison *c, bool *failed)
{
    json_t *model = json_object(), *classes = json_array(), *dwell = json_object();
    sp_json_set(model, "name", c->model_name ? sp_json_text(c->model_name, failed) : json_null(), failed);
    if (c->model_description)
        sp_json_set(model, "description", sp_json_text(c->model_description, failed), failed);
    if (c->model_source)
        sp_json_set(model, "source", sp_json_text(c->model_source, failed), failed);
    for (int32_t k = 0; k < c->n_classes; k++)
        sp_json_append(classes, sp_json_text(c->classes[k], failed), failed);
    if (c->fitted_on_input)
        sp_json_set(model, "fitted_on_input", json_true(), failed);
    sp_json_set(model, "classes", classes, failed);
    sp_json_set(model, "forbidden", pair_list(c, c->forbidden, c->n_forbidden, false, failed), failed);
    sp_json_set(model, "forbidden_count", json_integer(c->forbidden_count), failed);
    if (c->start_allowed && !is_all(c->start_allowed, c->n_classes))
        sp_json_set(model, "start", class_list(c, c->start_allowed, failed), failed);
    if (c->end_allowed && !is_all(c->end_allowed, c->n_classes))
        sp_json_set(model, "end", class_list(c, c->end_allowed, failed), failed);
    for (int32_t k = 0; c->min_dwell && k < c->n_classes; k++)
        if (c->min_dwell[k] > 1)
            sp_json_set_named(dwell, c->classes[k], json_integer(c->min_dwell[k]), failed);
    if (json_object_size(dwell))
        sp_json_set(model, "min_dwell", dwell, failed);
    else
        json_decref(dwell);
    return model;
}

static json_t *reference_object(const sp_comparison *c, bool *failed)
{
    json_t *reference = json_object();
    sp_json_set(reference, "transitions", json_integer(c->reference.transitions), failed);
    sp_json_set(reference, "changes", json_integer(c->reference.changes), failed);
    sp_json_set(reference, "illegal", json_integer(c->reference.illegal), failed);
    sp_json_set(reference, "illegal_start", json_integer(c->reference.illegal_start), failed);
    sp_json_set(reference, "illegal_end", json_integer(c->reference.illegal_end), failed);
    sp_json_set(reference, "short_runs", json_integer(c->reference.short_runs), failed);
    sp_json_set(reference, "illegal_pairs", pair_list(c, c->reference_illegal_pairs, c->n_reference_illegal_pairs, true, failed),
                failed);
    sp_json_set_reference(reference, c, failed);
    if (c->reference_bouts)
        sp_json_set(reference, "bouts", sp_json_reference_bouts(c, failed), failed);
    return reference;
}

static void set_agreement(json_t *object, const sp_comparison *c, const sp_strategy_result *s, bool *failed)
{
    const sp_agreement *a = &s->agreement;
    size_t n_classes = (size_t)c->n_classes;
    sp_json_set(object, "scored", json_integer(a->scored), failed);
    sp_json_set(object, "correct", json_integer(a->correct), failed);
    sp_json_set_value(object, "accuracy", &a->accuracy, failed);
    sp_json_set_value(object, "balanced_accuracy", &a->balanced_accuracy, failed);
    sp_json_set_value(object, "kappa", &a->kappa, failed);
    sp_json_set_value(object, "mcc", &a->mcc, failed);
    sp_json_set_value(object, "macro_precision", &a->macro_precision, failed);
    sp_json_set_value(object, "macro_recall", &a->macro_recall, failed);
    sp_json_set_value(object, "macro_f1", &a->macro_f1, failed);
    sp_json_set(object, "macro_f1_classes", json_integer(a->macro_f1_classes), failed);
    sp_json_set(object, "macro_precision_classes", json_integer(a->macro_precision_classes), failed);
    sp_json_set(object, "macro_recall_classes", json_integer(a->macro_recall_classes), failed);
    sp_json_set_value(object, "weighted_f1", &a->weighted_f1, failed);
    sp_json_set_value(object, "mean_accuracy", &s->mean_accuracy, failed);
    sp_json_set_value(object, "sd_accuracy", &s->sd_accuracy, failed);
    sp_json_set_value(object, "mean_kappa", &s->mean_kappa, failed);
    sp_json_set_value(object, "sd_kappa", &s->sd_kappa, failed);
    json_t *matrix = json_array(), *classes = json_object(), *undecoded = json_object();
    for (size_t i = 0; i < n_classes; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < n_classes; j++)
            sp_json_append(row, json_integer(s->confusion[i * n_classes + j]), failed);
        sp_json_append(matrix, row, failed);
    }
    for (size_t i = 0; i < n_classes; i++) {
        const sp_class_agreement *k = &s->classes[i];
        json_t *class = json_object();
        sp_json_set_value(class, "precision", &k->precision, failed);
        sp_json_set_value(class, "recall", &k->recall, failed);
        sp_json_set_value(class, "f1", &k->f1, failed);
        sp_json_set_value(class, "specificity", &k->specificity, failed);
        sp_json_set_value(class, "kappa", &k->kappa, failed);
        sp_json_set_value(class, "npv", &k->npv, failed);
        sp_json_set_value(class, "prevalence", &k->prevalence, failed);
        sp_json_set_value(class, "pabak", &k->pabak, failed);
        sp_json_set_value(class, "bias", &k->bias, failed);
        sp_json_set_value(class, "prevalence_index", &k->prevalence_index, failed);
        sp_json_set(class, "support", json_integer(k->support), failed);
        sp_json_set(class, "predicted", json_integer(k->predicted), failed);
        sp_json_set_named(classes, c->classes[i], class, failed);
        if (s->undecoded_steps && s->undecoded_steps[i])
            sp_json_set_named(undecoded, c->classes[i], json_integer(s->undecoded_steps[i]), failed);
    }
    sp_json_set(object, "confusion", matrix, failed);
    sp_json_set(object, "undecoded_steps", undecoded, failed);
    sp_json_set(object, "classes", classes, failed);
}

/* An item of per_recording. */
static json_t *recording_object(const sp_comparison *c, const sp_strategy_result *s, int64_t r, bool *failed)
{
    const sp_recording_result *recording = &s->recordings[r];
    json_t *object = json_object();
    sp_json_set(object, "id", sp_json_text(c->ids[r], failed), failed);
    if (c->subject_of)
        sp_json_set(object, "subject", sp_json_text(c->subjects[c->subject_of[r]], failed), failed);
    sp_json_set(object, "steps", json_integer(c->steps[r]), failed);
    if (c->trimmed_steps)
        sp_json_set(object, "trimmed", json_integer(c->trimmed_steps[r]), failed);
    if (c->cut_path_steps && c->cut_path_steps[r])
        sp_json_set(object, "cut_path_steps", json_integer(c->cut_path_steps[r]), failed);
    if (c->cut_label_steps && c->cut_label_steps[r])
        sp_json_set(object, "cut_label_steps", json_integer(c->cut_label_steps[r]), failed);
    if (c->has_labels) {
        sp_json_set(object, "scored", json_integer(recording->scored), failed);
        sp_json_set(object, "correct", json_integer(recording->correct), failed);
        sp_json_set_value(object, "accuracy", &recording->accuracy, failed);
        sp_json_set_value(object, "kappa", &recording->kappa, failed);
    }
    sp_json_set(object, "transitions", json_integer(recording->counts.transitions), failed);
    sp_json_set(object, "changes", json_integer(recording->counts.changes), failed);
    sp_json_set(object, "illegal", json_integer(recording->counts.illegal), failed);
    sp_json_set(object, "status", json_string(sp_status_name(recording->decoded.status)), failed);
    if (recording->decoded.status != SP_OK)
        sp_json_set(object, "step", json_integer(recording->decoded.step), failed);
    if (recording->decoded.n_broken)
        sp_json_set(object, "rules_broken", json_integer(recording->decoded.n_broken), failed);
    if (s->has_path_score)
        sp_json_set_score(object, "path_score", recording->decoded.score, failed);
    return object;
}

/* per_recording is left to `list`. */
static json_t *strategy_object(const sp_comparison *c, const sp_strategy_result *s, sp_json_list *list, bool *failed)
{
    json_t *object = json_object(), *undecoded = json_array(), *recordings = json_array();
    if (s->has_agreement)
        set_agreement(object, c, s, failed);
    sp_json_set(object, "transitions", json_integer(s->counts.transitions), failed);
    sp_json_set(object, "changes", json_integer(s->counts.changes), failed);
    sp_json_set(object, "illegal", json_integer(s->counts.illegal), failed);
    sp_json_set(object, "illegal_start", json_integer(s->counts.illegal_start), failed);
    sp_json_set(object, "illegal_end", json_integer(s->counts.illegal_end), failed);
    sp_json_set(object, "short_runs", json_integer(s->counts.short_runs), failed);
    sp_json_set(object, "illegal_pairs", pair_list(c, s->illegal_pairs, s->n_illegal_pairs, true, failed), failed);
    sp_json_set(object, "recordings_with_illegal", json_integer(s->recordings_with_illegal), failed);
    sp_json_set_value(object, "illegal_rate", &s->illegal_rate.difference, failed);
    sp_json_set_interval(object, "illegal_rate_ci", s->illegal_rate.low, s->illegal_rate.high, failed);
    if (s->has_path_score)
        sp_json_set_value(object, "path_score", &s->path_score, failed);
    for (int64_t r = 0; r < c->n_recordings; r++) {
        if (s->recordings[r].decoded.status != SP_OK)
            sp_json_append(undecoded, sp_json_text(c->ids[r], failed), failed);
    }
    sp_json_set(object, "undecoded", undecoded, failed);
    sp_json_set(object, "legal_by_construction", json_boolean(s->is_legal_by_construction), failed);
    sp_json_set(object, "relaxed", json_integer(s->n_relaxed), failed);
    sp_json_set(object, "rules_broken", json_integer(s->n_broken), failed);
    *list = (sp_json_list){.place = recordings, .n = c->n_recordings, .item = recording_object, .comparison = c, .strategy = s};
    sp_json_set(object, "per_recording", recordings, failed);
    sp_json_set_more(object, c, s, failed);
    sp_json_set_runs(object, c, s, failed);
    return object;
}

static json_t *comparison_object(const sp_comparison *c, const sp_pair_comparison *pair, bool *failed)
{
    const sp_difference *d = &pair->difference;
    json_t *object = json_object();
    sp_json_set(object, "a", sp_json_text(c->strategies[pair->a].name, failed), failed);
    sp_json_set(object, "b", sp_json_text(c->strategies[pair->b].name, failed), failed);
    sp_json_set(object, "metric", sp_json_text(pair->metric, failed), failed);
    sp_json_set_value(object, "difference", &d->difference, failed);
    sp_json_set_interval(object, "ci", d->low, d->high, failed);
    sp_json_set_interval(object, "ci_bca", d->bca[0], d->bca[1], failed);
    sp_json_set_interval(object, "ci_percentile", d->percentile[0], d->percentile[1], failed);
    bool is_tested = !strcmp(pair->metric, "accuracy");
    sp_json_set_value(object, "p", &pair->test.p, failed);
    json_t *mcnemar = is_tested ? json_object() : NULL;
    if (is_tested) {
        sp_json_set_value(object, "rank_biserial", &pair->test.rank_biserial, failed);
        sp_json_set_value(object, "p_holm", &pair->p_holm, failed);
        sp_json_set(mcnemar, "only_a", json_integer(pair->mcnemar.only_a), failed);
        sp_json_set(mcnemar, "only_b", json_integer(pair->mcnemar.only_b), failed);
        sp_json_set_value(mcnemar, "p_exact", &pair->mcnemar.exact, failed);
        sp_json_set_value(mcnemar, "p_mid", &pair->mcnemar.mid_p, failed);
        sp_json_set(mcnemar, "note", json_string("descriptive: takes steps as independent, which they are not"), failed);
        sp_json_set(object, "mcnemar", mcnemar, failed);
    }
    sp_json_set_pair_tests(object, c, pair, failed);
    sp_json_set_value(object, "mean", &pair->mean, failed);
    sp_json_set_value(object, "median", &pair->median, failed);
    sp_json_set_value(object, "sd", &pair->sd, failed);
    sp_json_set(object, "unit", json_string(sp_unit_name(c, 1)), failed);
    sp_json_set(object, "n", json_integer(d->n), failed);
    sp_json_set(object, "better", json_integer(pair->test.better), failed);
    sp_json_set(object, "worse", json_integer(pair->test.worse), failed);
    sp_json_set(object, "ties", json_integer(pair->test.ties), failed);
    sp_json_set(object, "resamples", json_integer(d->n_resamples), failed);
    return object;
}

static void write_all(const sp_comparison *c, sp_buffer *text)
{
    bool failed = false;
    sp_json_list *lists = calloc((size_t)c->n_strategies + 1, sizeof *lists);
    if (!lists) {
        text->failed = true;
        return;
    }
    json_t *root = json_object(), *strategies = json_object(), *comparisons = json_array();
    sp_json_set(root, "statepath", json_string(sp_version()), &failed);
    if (c->command)
        sp_json_set(root, "command", sp_json_text(c->command, &failed), &failed);
    sp_json_set(root, "input", input_object(c, &failed), &failed);
    sp_json_set(root, "model", model_object(c, &failed), &failed);
    if (c->has_labels) {
        sp_json_set(root, "reference", reference_object(c, &failed), &failed);
        sp_json_set_value(root, "mask_ceiling", &c->mask_ceiling, &failed);
        sp_json_set(root, "mask_ceiling_infeasible", json_integer(c->ceiling_infeasible), &failed);
    }
    if (c->has_nll) {
        sp_json_set_value(root, "nll", &c->nll, &failed);
        sp_json_set(root, "nll_steps", json_integer(c->nll_steps), &failed);
        sp_json_set(root, "nll_impossible_steps", json_integer(c->nll_impossible), &failed);
        if (c->nll_clip > 0) {
            sp_json_set(root, "nll_clip", json_real(c->nll_clip), &failed);
            sp_json_set_value(root, "nll_clipped", &c->nll_clipped, &failed);
        }
    }
    if (c->reliability)
        sp_json_set(root, "calibration", sp_json_calibration(c, &failed), &failed);
    if (c->n_calibrations)
        sp_json_set(root, "calibrations", sp_json_calibrations(c, &failed), &failed);
    if (c->n_folds)
        sp_json_set(root, "folds", json_integer(c->n_folds), &failed);
    for (int32_t s = 0; s < c->n_strategies; s++)
        sp_json_set_named(strategies, c->strategies[s].name, strategy_object(c, &c->strategies[s], &lists[s], &failed), &failed);
    sp_json_set(root, "strategies", strategies, &failed);
    for (int32_t i = 0; i < c->n_comparisons; i++)
        sp_json_append(comparisons, comparison_object(c, &c->comparisons[i], &failed), &failed);
    sp_json_set(root, "comparisons", comparisons, &failed);
    sp_json_set_tests(root, c, &failed);
    sp_json_set_people(root, c, &failed);
    if (c->other_metrics_left_out)
        sp_json_set(root, "other_metrics_left_out", json_string(c->other_metrics_left_out), &failed);
    sp_json_set(root, "level", json_real(c->level), &failed);
    sp_json_set(root, "interval", json_string(sp_interval_key(c->interval)), &failed);
    sp_json_set(root, "zeros", json_string(sp_zeros_key(c->zeros)), &failed);
    sp_json_set(root, "seed", json_integer((json_int_t)c->seed), &failed);
    sp_json_write_lists(root, lists, c->n_strategies, text, &failed);
    json_decref(root);
    free(lists);
    text->failed |= failed;
}

sp_status sp_report_json(const sp_comparison *comparison, char **out, sp_error *err)
{
    sp_buffer text = {0};
    write_all(comparison, &text);
    return sp_buffer_finish(&text, out, err);
}

sp_status sp_report_json_to(const sp_comparison *comparison, sp_report_sink *sink, void *arg, sp_error *err)
{
    sp_buffer_sink to = {.call = sink, .arg = arg, .status = SP_OK};
    sp_buffer text = {.sink = &to};
    write_all(comparison, &text);
    return sp_buffer_end(&text, err);
}
