/* THE table of figures: rows of a comparison, its reference and its strategies. Those of scores, raters and sleep stand in
 * figures_beside.c, the scopes in figure_scopes.c. */
#include "evaluate/figure_rows.h"

#include "evaluate/compared.h"
#include "evaluate/counts/margins.h"

/* ---- how pairs of strategies are compared by a figure: a column of its row ---- */

#define COMPARED(name) .compared = &by_##name
#define NOT_COMPARED(name) .compared = NULL
/* of: what a title says; scale, decimals: how a difference is shown. */
#define BY(key, name_, heading_, of, scale_, decimals_, ...)                                                 \
    static const sp_compared by_##key = {.name = name_,                                                      \
                                         .heading = heading_,                                                \
                                         .title = "Difference in " of ", paired over {recordings}",          \
                                         .title_subjects = "Difference in " of ", paired over subjects",     \
                                         .scale = scale_,                                                    \
                                         .decimals = decimals_,                                              \
                                         __VA_ARGS__}
#define SEQUENCE(work, what) .from = SP_FROM_SHARES, .works = 1 << SP_WORK_##work, .share = sp_share_of_##what

BY(accuracy, "accuracy", "Accuracy, in percentage points", "accuracy in percentage points", 100, 2,
   .from = SP_FROM_RIGHT_STEPS, .tests = SP_ALL_TESTS);
BY(kappa, "kappa", "Kappa", "kappa", 1, 4, .from = SP_FROM_MARGINS, .which = SP_MARGIN_KAPPA);
BY(macro_f1, "macro F1", "Macro F1", "macro F1", 1, 4, .from = SP_FROM_MARGINS, .which = SP_MARGIN_F1);
BY(illegal_rate, "illegal rate", "Illegal transitions, in percentage points of all",
   "illegal transitions, percentage points of all transitions", 100, 3, .from = SP_FROM_TRANSITIONS,
   .tests = SP_SIGN_FLIPS);
BY(edit_score, "edit score", "Edit score", "edit score", 1, 4, SEQUENCE(ACTIONS, edit));
BY(f1_at_10, "F1@10", "F1@10", "F1@10", 1, 4, SEQUENCE(ACTIONS, overlap_10));
BY(f1_at_25, "F1@25", "F1@25", "F1@25", 1, 4, SEQUENCE(ACTIONS, overlap_25));
BY(f1_at_50, "F1@50", "F1@50", "F1@50", 1, 4, SEQUENCE(ACTIONS, overlap_50));
BY(entity_f1, "entity F1", "Entity F1", "entity F1", 1, 4, SEQUENCE(TAGS, entities));

/* ---- rows that several scopes share ---- */

#define COUNTS(at, ...)                                                                                      \
    ROW("transitions", at.transitions, "transitions", 0, "neighbouring steps of one recording and segment",  \
        CSV, __VA_ARGS__),                                                                                   \
        ROW("changes", at.changes, "changes", 0, "transitions between two classes", CSV, __VA_ARGS__),       \
        ROW("illegal", at.illegal, "illegal", 0, "transitions that the model forbids", CSV, NONE,            \
            __VA_ARGS__)
#define RULES(at, ...)                                                                                       \
    COUNTS(at, __VA_ARGS__),                                                                                 \
        ROW("illegal_start", at.illegal_start, "illegal starts", 0,                                          \
            "recordings whose first class may not start", CSV, NONE, __VA_ARGS__),                           \
        ROW("illegal_end", at.illegal_end, "illegal ends", 0, "recordings whose last class may not end",     \
            CSV, NONE, __VA_ARGS__),                                                                         \
        ROW("short_runs", at.short_runs, "runs too short", 0,                                                \
            "runs shorter than the minimum dwell or the duration of their class allows", CSV, NONE,          \
            __VA_ARGS__)
#define LONG_RUNS(at, ...)                                                                                   \
    ROW("long_runs", at.long_runs, "runs too long", 0,                                                       \
        "runs longer than any length that their class's duration allows", CSV, NONE, __VA_ARGS__)
/* Of all rules over more steps. */
#define VIOLATIONS(at, if_hard, if_priced)                                                                   \
    ROW("hard_violations", at.hard, "violations", 0,                                                         \
        "violations of rules over more steps that no path of the model breaks", CSV, NONE, if_hard),         \
        ROW("priced_violations", at.priced, "priced violations", 0,                                          \
            "violations of rules over more steps that have a price", CSV, LESS, if_priced)
#define FREQUENCIES(at, counts, ...)                                                                         \
    ROW("illegal_per_change", at.illegal_per_change, "of changes", SP_PERCENT,                               \
        "illegal transitions / changes", CSV, N(HERE(counts.changes)), NONE, __VA_ARGS__),                   \
        ROW("illegal_per_hour", at.illegal_per_hour, "per hour", 3, "illegal transitions in an hour", CSV,   \
            N(HERE(counts.transitions)), LESS, __VA_ARGS__),                                                 \
        ROW("changes_per_hour", at.changes_per_hour, "per hour", 2, "changes of class in an hour", CSV,      \
            N(HERE(counts.transitions)), __VA_ARGS__),                                                       \
        ROW("runs", at.runs, "runs", 0, "runs of one class, inside stretches with a reference", CSV,         \
            N(HERE(counts.transitions)), __VA_ARGS__),                                                       \
        ROW("isolated_runs", at.isolated, "of one step", 0, "runs of one step", CSV, N(HERE(at.runs)),       \
            __VA_ARGS__),                                                                                    \
        ROW("isolated_runs_share", at.isolated_share, "share", SP_PERCENT, "isolated runs / runs", CSV,      \
            N(HERE(at.runs)), __VA_ARGS__)
#define CHANGES(at, prefix, ...)                                                                             \
    ROW("fixed", at.fixed, "fixed", 0, "steps that argmax has wrong and the strategy right", CSV, MORE,      \
        .json = prefix "fixed", __VA_ARGS__),                                                                \
        ROW("broken", at.worsened, "broken", 0, "steps that argmax has right and the strategy wrong", CSV,   \
            LESS, .json = prefix "broken", __VA_ARGS__),                                                     \
        ROW("wrong_to_wrong", at.wrong_to_wrong, "wrong to wrong", 0,                                        \
            "steps wrong in both, by other classes", CSV, .json = prefix "wrong_to_wrong", __VA_ARGS__),     \
        ROW("same", at.same, "unchanged", 0, "steps of the same class in both", .json = prefix "same",       \
            __VA_ARGS__)
#define ENTITY(key_, at, prefix, f1_compared, ...)                                                           \
    ROW(key_ "_reference", at.reference, "in the reference", 0, "entities of the reference",                 \
        .json = prefix "reference", __VA_ARGS__),                                                            \
        ROW(key_ "_decoded", at.decoded, "decoded", 0, "entities of the path", .json = prefix "decoded",     \
            __VA_ARGS__),                                                                                    \
        ROW(key_ "_correct", at.correct, "right", 0, "entities of the same steps and type in both", CSV,     \
            MORE, N(HERE(at.reference)), .json = prefix "correct", __VA_ARGS__),                             \
        ROW(key_ "_precision", at.precision, "precision", 4, "correct / decoded", CSV, MORE,                 \
            N(HERE(at.decoded)), .json = prefix "precision", __VA_ARGS__),                                   \
        ROW(key_ "_recall", at.recall, "recall", 4, "correct / reference", CSV, MORE, N(HERE(at.reference)), \
            .json = prefix "recall", __VA_ARGS__),                                                           \
        ROW(key_ "_f1", at.f1, "F1", 4, "2 correct / (reference + decoded)", CSV, MORE,                      \
            N(HERE(at.reference), HERE(at.decoded)), .json = prefix "f1", f1_compared, __VA_ARGS__)
#define BOUNDARY(w, text, found)                                                                             \
    ROW("boundary_matched_" #w, boundaries.matched[w], found, 0, "changes of the reference found " text,     \
        NEEDS(LABELS), MORE, .json = "boundaries.within_" #w ".matched"),                                    \
        ROW("boundary_recall_" #w, boundaries.recall[w], found, 3,                                           \
            "share of the reference's changes found " text, CSV, MORE, N(HERE(boundaries.reference)),        \
            NEEDS(LABELS), .json = "boundaries.within_" #w ".recall"),                                       \
        ROW("boundary_precision_" #w, boundaries.precision[w], "precision " found, 3,                        \
            "share of the path's changes found " text, CSV, MORE, N(HERE(boundaries.decoded)),               \
            NEEDS(LABELS), .json = "boundaries.within_" #w ".precision")
#define OVERLAP(i, percent)                                                                                  \
    ROW("f1_at_" #percent, segments.f1[i], "F1@" #percent, 4,                                                \
        "of segments whose intersection over union is at least 0." #percent ", pooled", CSV, MORE,           \
        N(HERE(segments.reference), HERE(segments.decoded)), NEEDS(LABELS), COMPARED(f1_at_##percent))
#define OVERLAPPING(i, percent)                                                                              \
    ROW("segments_matched_at_" #percent, segments.matched[i], "matched at 0." #percent, 0,                   \
        "segments of the reference that such a segment of the path has", MORE, NEEDS(LABELS),                \
        .json = "segments.matched_at_" #percent)
#define CHI2(key_, at, label_, definition_)                                                                  \
    ROW(key_ "_chi2", at.chi2, label_, 2, definition_, CSV, N(HERE(at.df)), NEEDS(TESTS),                    \
        .json = key_ ".chi2"),                                                                               \
        ROW(key_ "_df", at.df, "degrees of freedom", 0, "degrees of freedom of " key_, NEEDS(TESTS),         \
            .json = key_ ".df"),                                                                             \
        ROW(key_ "_p", at.p, "p", 3, "p of " key_, CSV, N(HERE(at.df)), NEEDS(TESTS), .json = key_ ".p")
#define AGREEMENT(csv, at, how, ...)                                                                         \
    ROW(csv "accuracy", at.accuracy, "accuracy", 4, "share of scored steps whose class is the reference's",  \
        CSV, MORE, N(HERE(at.scored)), .json = "accuracy", how(accuracy), __VA_ARGS__),                      \
        ROW(csv "kappa", at.kappa, "kappa", 4, "Cohen's kappa", CSV, MORE, N(HERE(at.scored)),               \
            .json = "kappa", how(kappa), __VA_ARGS__),                                                       \
        ROW(csv "mcc", at.mcc, "MCC", 4, "Matthews correlation of several classes", CSV, MORE,               \
            N(HERE(at.scored)), .json = "mcc", __VA_ARGS__),                                                 \
        ROW(csv "macro_f1", at.macro_f1, "macro F1", 4, "mean of F1 over the classes that have one", CSV,    \
            MORE, N(HERE(at.macro_f1_classes)), .json = "macro_f1", how(macro_f1), __VA_ARGS__),             \
        ROW(csv "macro_f1_classes", at.macro_f1_classes, "classes of macro F1", 0,                           \
            "classes that have an F1", .json = "macro_f1_classes", __VA_ARGS__)

/* ---- the rows, in the order of the JSON ---- */

#define OWN sp_comparison
static const sp_figure of_comparison[] = {
    ROW("command", command, "command", 0, "the command line", OPTIONAL),
    ROW("file", file, "file", 0, "base name of the input", .json = "input.file"),
    ROW("bytes", file_size, "bytes", 0, "size of the input", .json = "input.bytes"),
    ROW("recordings", n_recordings, "recordings", 0, "recordings of the input", .json = "input.recordings"),
    ROW("subjects", n_subjects, "subjects", 0, "subjects, where they are known", .json = "input.subjects",
        OPTIONAL),
    ROW("subjects_from", subjects_place, "subjects from", 0, "where the subjects are said",
        .json = "input.subjects_from", OPTIONAL),
    ROW("steps", n_steps, "steps", 0, "steps of all recordings", .json = "input.steps"),
    ROW("scored_steps", n_scored_steps, "scored steps", 0, "steps with a reference",
        .json = "input.scored_steps"),
    ROW("epoch_seconds", epoch_seconds, "seconds a step", 0, "length of a step",
        .json = "input.epoch_seconds", NEEDS(EPOCH)),
    ROW("epoch_assumed", epoch_is_assumed, "assumed", 0, "the length of a step is assumed",
        .json = "input.epoch_assumed", NEEDS(EPOCH)),
    ROW("path_codes", path_codes, "path codes", 0, "label coding of others' paths",
        .json = "input.path_codes", OPTIONAL),
    ROW("label_codes", label_codes, "label codes", 0, "label coding of the reference",
        .json = "input.label_codes", OPTIONAL),
    ROW("labels_file", labels_file, "file of labels", 0,
        "base name of the file of labels, where it is another one", .json = "input.labels_file", OPTIONAL),
    ROW("has_labels", has_labels, "has labels", 0, "there is a reference", .json = "input.has_labels"),
    ROW("model", model_name, "model", 0, "name of the model", .json = "model.name"),
    ROW("model_description", model_description, "description", 0, "what the model says of itself",
        .json = "model.description", OPTIONAL),
    ROW("model_source", model_source, "source", 0, "where the model's rules come from",
        .json = "model.source", OPTIONAL),
    ROW("fitted_on_input", fitted_on_input, "fitted on the input", 0,
        "the model was fitted on this very file", .json = "model.fitted_on_input", OPTIONAL),
    ROW("forbidden_count", forbidden_count, "forbidden transitions", 0,
        "pairs of classes that the model forbids", .json = "model.forbidden_count"),
    ROW("mask_ceiling", mask_ceiling, "mask ceiling", 4, "best accuracy that any allowed path could have",
        CSV, MORE, N(HERE(n_scored_steps)), NEEDS(LABELS)),
    ROW("mask_ceiling_infeasible", ceiling_infeasible, "without allowed path", 0,
        "recordings that no allowed path fits: 0 in it", NEEDS(LABELS)),
    ROW("nll", nll, "negative log-likelihood", 4, "of the reference, nats per step, from 0; before decoding",
        CSV, LESS, N(HERE(nll_steps)), NEEDS(NLL)),
    ROW("nll_steps", nll_steps, "steps of the likelihood", 0, "steps that the likelihood is over",
        NEEDS(NLL)),
    ROW("nll_impossible_steps", nll_impossible, "impossible steps", 0,
        "steps whose reference has probability 0", CSV, N(HERE(nll_steps)), NEEDS(NLL)),
    ROW("folds", n_folds, "folds", 0, "models of the cross-validation", OPTIONAL),
    ROW("other_metrics_left_out", other_metrics_left_out, "left out", 0,
        "why kappa and macro F1 are not compared", OPTIONAL),
    ROW("margin", margin, "margin", 4, "margin of non-inferiority", NEEDS(MARGIN)),
    ROW("cut_recordings", n_cut_recordings, "recordings cut", 0, "recordings cut to the shorter side",
        .json = "trim_to_shortest.recordings", NEEDS(LENGTH_TRIM)),
    ROW("cut_path_steps", n_cut_path_steps, "path steps cut", 0, "steps of the paths left out",
        .json = "trim_to_shortest.path_steps", NEEDS(LENGTH_TRIM)),
    ROW("cut_label_steps", n_cut_label_steps, "label steps cut", 0, "steps of the labels left out",
        .json = "trim_to_shortest.label_steps", NEEDS(LENGTH_TRIM)),
    ROW("argmax_ties", tie_steps, "ties", 0, "steps whose greatest score several classes share",
        .json = "argmax_ties.steps", N(HERE(n_steps)), NEEDS(TIES)),
    ROW("argmax_ties_scored", tie_scored_steps, "scored ties", 0, "ties with a reference", CSV,
        .json = "argmax_ties.scored", N(HERE(n_scored_steps)), NEEDS_BOTH(TIES, LABELS)),
    ROW("wake_trim_minutes", wake_trim_minutes, "wake trim", 0, "minutes of wake kept before and after sleep",
        NEEDS(WAKE_TRIM)),
    ROW("trimmed_steps", n_trimmed_steps, "steps trimmed", 0, "steps of wake left out of agreement",
        NEEDS(WAKE_TRIM)),
    ROW("level", level, "level", 2, "of all intervals", PLAIN),
    ROW("seed", seed, "seed", 0, "of the bootstrap", PLAIN),
};

static const sp_figure of_reference[] = {
    RULES(reference, NEEDS(LABELS)),
    LONG_RUNS(reference, NEEDS_BOTH(LABELS, DURATIONS)),
    VIOLATIONS(reference_violations, NEEDS_BOTH(LABELS, HARD_RULES), NEEDS_BOTH(LABELS, PRICED_RULES)),
    ROW("illegal_rate", reference_frequencies.illegal_per_transition, "of transitions", SP_PERCENT,
        "illegal transitions / transitions", CSV, N(HERE(reference.transitions)), NONE, NEEDS(LABELS)),
    FREQUENCIES(reference_frequencies, reference, NEEDS(LABELS)),
};
#undef OWN

#define OWN sp_strategy_result
static const sp_figure of_strategy[] = {
    ROW("scored", agreement.scored, "scored", 0, "steps with a reference", CSV, NEEDS(LABELS)),
    ROW("correct", agreement.correct, "correct", 0, "scored steps whose class is the reference's", CSV, MORE,
        NEEDS(LABELS)),
    AGREEMENT("", agreement, COMPARED, NEEDS(LABELS)),
    ROW("balanced_accuracy", agreement.balanced_accuracy, "balanced accuracy", 4,
        "mean recall over the reference's classes", CSV, MORE, N(HERE(agreement.macro_recall_classes)),
        NEEDS(LABELS)),
    ROW("macro_precision", agreement.macro_precision, "macro precision", 4,
        "mean precision over the classes that have one", CSV, MORE,
        N(HERE(agreement.macro_precision_classes)), NEEDS(LABELS)),
    ROW("macro_recall", agreement.macro_recall, "macro recall", 4,
        "mean recall over the classes that have one", CSV, MORE, N(HERE(agreement.macro_recall_classes)),
        NEEDS(LABELS)),
    ROW("macro_precision_classes", agreement.macro_precision_classes, "classes of macro precision", 0,
        "classes that have a precision", NEEDS(LABELS)),
    ROW("macro_recall_classes", agreement.macro_recall_classes, "classes of macro recall", 0,
        "classes that have a recall", NEEDS(LABELS)),
    ROW("weighted_f1", agreement.weighted_f1, "weighted F1", 4, "mean of F1 weighted by support", CSV, MORE,
        N(HERE(agreement.scored)), NEEDS(LABELS)),
    ROW("mean_accuracy", mean_accuracy, "mean accuracy", 3, "mean over recordings", CSV, MORE,
        SD(sd_accuracy), N(HERE(mean_accuracy_n)), NEEDS(LABELS)),
    ROW("sd_accuracy", sd_accuracy, "SD of accuracy", 3, "standard deviation over recordings", CSV,
        N(HERE(mean_accuracy_n)), NEEDS(LABELS)),
    ROW("mean_kappa", mean_kappa, "mean kappa", 3, "mean over recordings", CSV, MORE, SD(sd_kappa),
        N(HERE(mean_kappa_n)), NEEDS(LABELS)),
    ROW("sd_kappa", sd_kappa, "SD of kappa", 3, "standard deviation over recordings", CSV,
        N(HERE(mean_kappa_n)), NEEDS(LABELS)),
    ROW("kappa_se", kappa_se, "SE of kappa, were steps independent", 4,
        "standard error of kappa: steps taken as independent", CSV, N(HERE(agreement.scored)), NEEDS(LABELS)),
    ROW("weighted_kappa", weighted_kappa, "weighted kappa", 4,
        "kappa with weights of disagreement, classes in order", CSV, MORE, N(HERE(agreement.scored)),
        NEEDS_BOTH(LABELS, KAPPA_WEIGHTS)),
    RULES(counts, PLAIN),
    LONG_RUNS(counts, NEEDS(DURATIONS)),
    VIOLATIONS(violations, NEEDS(HARD_RULES), NEEDS(PRICED_RULES)),
    ROW("illegal_rate", illegal_rate.difference, "of transitions", SP_PERCENT,
        "illegal transitions / transitions", CSV, N(HERE(counts.transitions)),
        LOW_HIGH(illegal_rate.low, illegal_rate.high), NONE, COMPARED(illegal_rate)),
    FREQUENCIES(frequencies, counts, PLAIN),
    ROW("runs_ratio", frequencies.runs_ratio, "runs / reference", 3,
        "runs / runs of the reference: below 1 where smoother", CSV,
        N(COMPARISON(reference_frequencies.runs)), NEEDS(LABELS)),
    ROW("recordings_with_illegal", recordings_with_illegal, "recordings with any", 0,
        "recordings with an illegal transition", CSV, NONE),
    ROW("path_score", path_score, "path score", 1, "sum over the decoded recordings, nats", CSV, MORE,
        N(COMPARISON(n_recordings), HERE(n_undecoded)), .n_is_difference = true, NEEDS(PATH_SCORE)),
    ROW("undecoded", n_undecoded, "undecoded", 0, "recordings without a path", CSV, NONE, .json = ""),
    ROW("legal_by_construction", is_legal_by_construction, "legal by construction", 0,
        "the strategy cannot break a rule", PLAIN),
    ROW("relaxed", n_relaxed, "relaxed", 0, "recordings decoded by breaking rules", NONE),
    ROW("rules_broken", n_broken, "rules broken", 0, "rules broken in relaxed recordings", NONE),
    ROW("impossible", n_impossible, "impossible", 0,
        "recordings whose path the model (states, lengths, rules) gives no score", OPTIONAL),
    ROW("redirected", n_redirected, "redirected", 0,
        "steps whose best class greedy left, since the rules would leave no way to the end from it",
        OPTIONAL),
    ROW("permuted_accuracy", label_permutation.accuracy, "accuracy by other names", 4,
        "accuracy if the classes were named otherwise", CSV, MORE, N(HERE(agreement.scored)),
        .json = "labels_may_be_permuted.accuracy", NEEDS(PERMUTATION)),
    ROW("permuted_kappa", label_permutation.kappa, "kappa by other names", 4,
        "kappa if the classes were named otherwise", CSV, MORE, N(HERE(agreement.scored)),
        .json = "labels_may_be_permuted.kappa", NEEDS(PERMUTATION)),
    ROW("shift_steps", label_shift.steps, "lag that fits better", 0,
        "the label of step t fits the path's step t + this", .json = "labels_may_be_shifted.steps",
        NEEDS(SHIFT)),
    ROW("shift_better", label_shift.better, "stretches better at the lag", 0,
        "stretches of 50 steps that agree better at the lag", .json = "labels_may_be_shifted.better",
        NEEDS(SHIFT)),
    ROW("shift_worse", label_shift.worse, "stretches worse at the lag", 0,
        "stretches of 50 steps that agree less at the lag", .json = "labels_may_be_shifted.worse",
        NEEDS(SHIFT)),
    ROW("shift_accuracy", label_shift.accuracy, "accuracy at the lag", 4,
        "accuracy at the lag, of labels that have as many steps on both sides",
        .json = "labels_may_be_shifted.accuracy", NEEDS(SHIFT)),
    ROW("shift_accuracy_here", label_shift.accuracy_here, "accuracy without the lag", 4,
        "accuracy of the same labels as they stand", .json = "labels_may_be_shifted.accuracy_here",
        NEEDS(SHIFT)),
    ROW("shift_p", label_shift.p, "p of the lag", 4, "sign test of the stretches, times the number of lags",
        .json = "labels_may_be_shifted.p", NEEDS(SHIFT)),
    ROW("regret", regret, "regret per step", 4, "mean of max log p - log p(chosen), nats", CSV, LESS,
        N(HERE(regret_steps)), NEEDS(REGRET)),
    ROW("regret_steps", regret_steps, "steps of regret", 0, "steps that regret is over", NEEDS(REGRET)),
    ROW("zero_probability_steps", zero_steps, "steps of probability 0", 0,
        "steps whose chosen class has probability 0", CSV, NONE, N(HERE(regret_steps), HERE(zero_steps)),
        NEEDS(REGRET)),
    ROW("error_broken", error_runs.worsened, "steps broken", 0,
        "steps that argmax has right and the strategy wrong", .json = "error_runs.broken", LESS,
        NEEDS(ERROR_RUNS)),
    ROW("error_consequences", error_runs.consequences, "consequences", 0,
        "of them all but the first of their run", .json = "error_runs.consequences", LESS, NEEDS(ERROR_RUNS)),
    ROW("error_consequence_share", error_runs.consequence_share, "consequences", SP_PERCENT,
        "consequences / steps broken", CSV, N(HERE(error_runs.worsened)),
        .json = "error_runs.consequence_share", LESS, NEEDS(ERROR_RUNS)),
    FIGURE("error_runs", "errors", 0, "runs of an error that the strategy makes against argmax",
           BEHIND(error_runs.runs, sp_class_runs, count), CSV, LESS, N(HERE(error_runs.worsened)),
           .json = "error_runs.count", NEEDS(ERROR_RUNS)),
    ROW("error_runs_forbidden", error_runs.forbidden, "right class forbidden", 0,
        "of them begun where the right class may not follow", CSV, LESS,
        N(BEHIND(error_runs.runs, sp_class_runs, count)), .json = "error_runs.forbidden", NEEDS(ERROR_RUNS)),
    FIGURE("error_run_mean", "mean length", 2, "mean length of these runs in steps",
           BEHIND(error_runs.runs, sp_class_runs, mean), CSV, LESS,
           N(BEHIND(error_runs.runs, sp_class_runs, count)), .json = "error_runs.mean", NEEDS(ERROR_RUNS)),
    FIGURE("error_run_median", "median", 1, "median length of these runs in steps",
           BEHIND(error_runs.runs, sp_class_runs, median), CSV, LESS,
           N(BEHIND(error_runs.runs, sp_class_runs, count)), .json = "error_runs.median", NEEDS(ERROR_RUNS)),
    ROW("error_run_longest", error_runs.longest, "longest", 0, "steps of the longest of these runs", CSV,
        LESS, N(BEHIND(error_runs.runs, sp_class_runs, count)), .json = "error_runs.longest",
        NEEDS(ERROR_RUNS)),
    ROW("dead_ends", error_runs.dead_ends, "dead ends", 0, "recordings that ended in a dead end", NONE,
        .json = "error_runs.dead_ends", NEEDS(ERROR_RUNS)),
    CHANGES(changes, "changed_from_argmax.", NEEDS(ARGMAX)),
    ROW("boundary_reference", boundaries.reference, "changes in the reference", 0, "changes of the reference",
        .json = "boundaries.reference", NEEDS(LABELS)),
    ROW("boundary_decoded", boundaries.decoded, "decoded", 0, "changes of the path inside scored stretches",
        .json = "boundaries.decoded", NEEDS(LABELS)),
    BOUNDARY(0, "at the step", "found at the step"),
    BOUNDARY(1, "within 1 step", "within 1"),
    BOUNDARY(2, "within 2 steps", "within 2"),
    ROW("edit_score", edit_score, "edit score", 3,
        "1 - edit distance of the runs / the more runs, mean over recordings", CSV, MORE,
        N(HERE(edit_score_n)), NEEDS(LABELS), COMPARED(edit_score)),
    OVERLAP(0, 10),
    OVERLAP(1, 25),
    OVERLAP(2, 50),
    OVERLAPPING(0, 10),
    OVERLAPPING(1, 25),
    OVERLAPPING(2, 50),
    ROW("segments_reference", segments.reference, "segments of the reference", 0,
        "runs of the reference, background left out", NEEDS(LABELS), .json = "segments.reference"),
    ROW("segments_decoded", segments.decoded, "segments decoded", 0, "runs of the path, background left out",
        NEEDS(LABELS), .json = "segments.decoded"),
    ENTITY("entity", entities.pooled, "entities.", COMPARED(entity_f1), NEEDS_BOTH(LABELS, ENTITIES)),
    ENTITY("entity_strict", entities.strict, "entities.strict.", NOT_COMPARED(strict_f1),
           NEEDS_BOTH(LABELS, ENTITIES)),
};
#undef OWN

#define OWN sp_class_agreement
#define SCORED N(STRATEGY(agreement.scored))
static const sp_figure of_class[] = {
    ROW("support", support, "support", 0, "reference steps of the class", CSV, NEEDS(LABELS)),
    ROW("predicted", predicted, "predicted", 0, "scored steps decoded as the class", CSV, NEEDS(LABELS)),
    ROW("precision", precision, "precision", 3, "share of the predicted that is right", CSV, MORE,
        N(HERE(predicted)), NEEDS(LABELS)),
    ROW("recall", recall, "recall", 3, "share of the support that is found", CSV, MORE, N(HERE(support)),
        NEEDS(LABELS)),
    ROW("f1", f1, "F1", 3, "harmonic mean of precision and recall", CSV, MORE, SCORED, NEEDS(LABELS)),
    ROW("specificity", specificity, "specificity", 3,
        "share of the other classes' steps that are not predicted", CSV, MORE,
        N(STRATEGY(agreement.scored), HERE(support)), .n_is_difference = true, NEEDS(LABELS)),
    ROW("npv", npv, "NPV", 3, "share of the steps not predicted that are of other classes", CSV, MORE,
        N(STRATEGY(agreement.scored), HERE(predicted)), .n_is_difference = true, NEEDS(LABELS)),
    ROW("kappa", kappa, "kappa", 3, "of the class against the rest", CSV, MORE, SCORED, NEEDS(LABELS)),
    ROW("prevalence", prevalence, "prevalence", 3, "support / scored", CSV, SCORED, NEEDS(LABELS)),
    ROW("pabak", pabak, "PABAK", 3, "prevalence- and bias-adjusted kappa", CSV, MORE, SCORED, NEEDS(LABELS)),
    ROW("bias", bias, "bias", 3, "(false positives - false negatives) / scored", CSV, SCORED, NEEDS(LABELS)),
    ROW("prevalence_index", prevalence_index, "prevalence index", 3,
        "(true positives - true negatives) / scored", CSV, SCORED, NEEDS(LABELS)),
};
#undef OWN

#define OWN sp_strategy_changes
typedef struct sp_strategy_changes {
    sp_changes of;
} sp_strategy_changes;
static const sp_figure of_changes[] = {
    CHANGES(of, "", N(HERE(of.fixed), HERE(of.worsened), HERE(of.wrong_to_wrong), HERE(of.same)))};
#undef OWN

#define OWN sp_class_runs
static const sp_figure of_runs[] = {
    ROW("runs", count, "runs", 0, "runs of the class", CSV, N(HERE(steps)), .json = "count"),
    ROW("run_steps", steps, "steps", 0, "steps in these runs", .json = "steps"),
    ROW("isolated_runs", isolated, "of one step", 0, "runs of one step", CSV, N(HERE(count)),
        .json = "isolated"),
    ROW("run_mean", mean, "mean", 1, "mean length in steps", CSV, N(HERE(count)), .json = "mean"),
    ROW("run_median", median, "median", 1, "median length in steps", CSV, N(HERE(count)), .json = "median"),
    ROW("run_count_ratio", count_ratio, "runs / reference", 3, "runs / runs of the class in the reference",
        .json = "count_ratio", NEEDS(REFERENCE_RUNS)),
    ROW("runs_too_short", too_short, "too short", 0,
        "runs shorter than their class's duration or minimum dwell allows", CSV, NONE, N(HERE(count)),
        .json = "too_short", NEEDS(DURATIONS)),
    ROW("runs_too_long", too_long, "too long", 0,
        "runs longer than any length that their class's duration allows", CSV, NONE, N(HERE(count)),
        .json = "too_long", NEEDS(DURATIONS)),
};
#undef OWN

#define OWN sp_type_entities
typedef struct sp_type_entities {
    sp_entity_counts of;
} sp_type_entities;
static const sp_figure of_entities[] = {ENTITY("entity", of, "", NOT_COMPARED(f1), PLAIN)};
#undef OWN

#define OWN sp_recording_result
static const sp_figure of_recording[] = {
    ROW("scored", scored, "scored", 0, "steps with a reference", CSV, NEEDS(LABELS)),
    ROW("correct", correct, "correct", 0, "scored steps whose class is the reference's", MORE, NEEDS(LABELS)),
    ROW("accuracy", accuracy, "accuracy", 3, "correct / scored", CSV, MORE, N(HERE(scored)), NEEDS(LABELS)),
    ROW("kappa", kappa, "kappa", 3, "Cohen's kappa", CSV, MORE, N(HERE(scored)), NEEDS(LABELS)),
    COUNTS(counts, PLAIN),
    ROW("rules_broken", decoded.n_broken, "rules broken", 0, "rules broken by a relaxed path", OPTIONAL,
        NONE),
};
#undef OWN

#define OWN sp_pair_comparison
static const sp_figure of_pair[] = {
    ROW("difference", difference.difference, "difference", 4, "figure of a minus figure of b", PLAIN),
    ROW("wilcoxon_p", test.p, "p", 3, "Wilcoxon signed rank", CSV, N(HERE(test.better), HERE(test.worse)),
        .json = "p"),
    ROW("rank_biserial", test.rank_biserial, "rank-biserial", 3, "effect size of the signed rank test",
        NEEDS(TESTS)),
    ROW("p_holm", p_holm, "Holm p", 3, "p adjusted for all pairs", NEEDS(TESTS)),
    ROW("mcnemar_only_a", mcnemar.only_a, "only a", 0, "steps that only a has right",
        .json = "mcnemar.only_a", NEEDS(TESTS)),
    ROW("mcnemar_only_b", mcnemar.only_b, "only b", 0, "steps that only b has right",
        .json = "mcnemar.only_b", NEEDS(TESTS)),
    ROW("mcnemar_p_exact", mcnemar.exact, "exact p", 3, "exact McNemar, steps taken as independent",
        .json = "mcnemar.p_exact", NEEDS(TESTS)),
    ROW("mcnemar_p_mid", mcnemar.mid_p, "mid p", 3, "mid-p McNemar, steps taken as independent",
        .json = "mcnemar.p_mid", NEEDS(TESTS)),
    ROW("p_sign_flip", permutation.p, "sign-flip p", 3, "permutation test of the mean difference",
        NEEDS(SIGN_FLIP)),
    ROW("p_least", test.p_least, "least p", 3, "least p that so many units can give", NEEDS(TESTS)),
    CHI2("mcnemar_cluster", mcnemar_cluster, "clusters (df)", "McNemar's test over units"),
    CHI2("bowker", bowker, "Bowker (df)", "symmetry of the classes both say, steps taken as independent"),
    CHI2("stuart_maxwell", stuart_maxwell, "Stuart–Maxwell (df)",
         "equal shares of the classes, steps taken as independent"),
    ROW("mean", mean, "mean", 4, "mean of the units' differences", PLAIN),
    ROW("median", median, "median", 4, "median of the units' differences", PLAIN),
    ROW("sd", sd, "SD", 4, "standard deviation of the units' differences", PLAIN),
    ROW("n", difference.n, "n", 0, "units with scored steps", PLAIN),
    ROW("better", test.better, "better", 0, "units where a is better", PLAIN),
    ROW("worse", test.worse, "worse", 0, "units where a is worse", PLAIN),
    ROW("ties", test.ties, "same", 0, "units where both are the same", PLAIN),
    ROW("resamples", difference.n_resamples, "resamples", 0, "drawn for the interval", PLAIN),
};
#undef OWN

#define OWN sp_coarse_agreement
typedef struct sp_coarse_agreement {
    sp_agreement of;
} sp_coarse_agreement;
static const sp_figure of_collapsed[] = {
    AGREEMENT("collapsed_", of, NOT_COMPARED, PLAIN),
    ROW("collapsed_balanced_accuracy", of.balanced_accuracy, "balanced accuracy", 4,
        "mean recall over the reference's classes", MORE, .json = "balanced_accuracy"),
};
#undef OWN

/* ---- as lists ---- */

LIST(comparison);
LIST(reference);
LIST(strategy);
LIST(class);
LIST(changes);
LIST(runs);
LIST(entities);
LIST(recording);
LIST(pair);
LIST(collapsed);
