"""The table of figures once more: FIGURES holds a formula for each row of `statepath help figures`.

A formula is an expression of other figures of the same owner, of what the owner has (an Owner: of which
strategy, class, recording, pair ... of which Run), of the run, and of the functions of figure_counts.py
and figure_tests.py; `o` is the owner. It gives a number, None where the figure is undefined (a division by
0 is), ABSENT where it is not there, UNSAID where this table does not speak of it.
tests/laws/test_figures.py compares.
"""

import numpy as np

import figure_counts
import figure_tests
from figure_counts import ABSENT
from figure_run import Run

UNSAID = "unsaid"


class Owner:
    """Whose a figure is: `own` is its object in the JSON, what else there is depends on the scope."""

    def __init__(self, run, scope, own, **more):
        self.run, self.scope, self.own, self.known = run, scope, own, {}
        self.__dict__.update(more)

    def __getitem__(self, name):
        if name == "o":
            return self
        if name in FIGURES.get(self.scope, ()):
            if name not in self.known:
                self.known[name] = self.formula(FIGURES[self.scope][name])
            return self.known[name]
        for place in (self, self.run):
            if hasattr(place, name):
                return getattr(place, name)
        raise KeyError(name)

    def formula(self, text):
        try:
            return eval(text, FUNCTIONS, self)
        except ZeroDivisionError:
            return None

    def metric_of(self, strategy, steps):
        """The figure by which a pair is compared, of some steps of one of its strategies."""
        run = self.run
        more = {"segments": run.segments, "background": run.background, "options": {}}
        some = Run(run.model, run.result, np.where(steps, run.labels, -1), run.offsets, {}, {}, **more)
        path, tags = (
            np.where(steps, run.paths[strategy], -1),
            "entities" in run.result["strategies"][strategy],
        )
        return Owner(some, "strategy", None, path=path, has_tags=tags)[self.metric]


def where(condition, **formulas):
    """Figures that are there only so."""
    return {key: "(%s) if %s else ABSENT" % (text, condition) for key, text in formulas.items()}


def each(keys, formula, **more):
    """The same formula, with % for the key, for several."""
    return {key: formula.replace("%", key) for key in keys.split()} | more


def entity(key, strict):
    counts = "entity_counts(o, %s)" % strict
    formulas = {
        "reference": counts + "[0]",
        "decoded": counts + "[1]",
        "correct": counts + "[2]",
        "precision": "%_correct / %_decoded",
        "recall": "%_correct / %_reference",
        "f1": "2 * %_correct / (%_reference + %_decoded)",
    }
    return where(
        "has_tags", **{key + "_" + name: text.replace("%", key) for name, text in formulas.items()}
    )


def chi2(key, test):
    formulas = {key + "_chi2": test + "[0]", key + "_df": test + "[1]", key + "_p": "tail(%s)" % test}
    return where("metric == 'accuracy'", **formulas)


AGREEMENT = "accuracy kappa mcc macro_f1 macro_f1_classes balanced_accuracy"
SHIFT = "steps better worse accuracy accuracy_here p"
CHANGES = "fixed broken wrong_to_wrong same"
COUNTS = {
    "transitions": "len(pairs(path))",
    "changes": "int((np.diff(pairs(path)) != 0).sum())",
    "illegal": "count_illegal(o)",
}
OF_RULES = {
    **COUNTS,
    **each("illegal_start illegal_end", "rule_counts(path)['%']"),
    "short_runs": "rule_counts(path)['short_runs'] + run.out_of_duration(path).count(False)",
    **where("'durations' in model", long_runs="run.out_of_duration(path).count(True)"),
    "hard_violations": "rule_violations(o, priced=False)",
    "priced_violations": "rule_violations(o, priced=True)",
    "illegal_rate": "illegal / transitions",
    "illegal_per_change": "illegal / changes",
    "illegal_per_hour": "illegal / (transitions * seconds / 3600) if seconds else None",
    "changes_per_hour": "changes / (transitions * seconds / 3600) if seconds else None",
    "runs": "len(run.runs(seen(path)))",
    "isolated_runs": "[n for _, n, _ in run.runs(run.seen(path))].count(1)",
    "isolated_runs_share": "isolated_runs / runs",
}
LIKELIHOOD = where(
    "has_labels and probs is not None",
    nll="likelihood(o)",
    nll_steps="len(of_reference(o)[0])",
    nll_impossible_steps="int((of_reference(o)[0] == 0).sum())",
)
# Names and texts, and what files say: other tests compare them.
TEXTS = """command file bytes subjects_from path_codes label_codes labels_file model model_description
           model_source fitted_on_input other_metrics_left_out folds cut_recordings cut_path_steps
           cut_label_steps"""
SOME_MODELS = "'durations' not in run.model and 'rules' not in run.model"  # of which this speaks

FIGURES = {
    "comparison": {
        **each(TEXTS, "UNSAID"),
        "recordings": "N",
        "subjects": "len(set(run.subjects)) if run.subjects is not None else ABSENT",
        "steps": "S",
        "scored_steps": "int(scored.sum())",
        **each("epoch_seconds margin", "options.get('%', ABSENT)"),
        **where("'epoch_seconds' in options", epoch_assumed="False"),
        "has_labels": "run.has_labels",
        "forbidden_count": "int((~rules.legal).sum())",
        **where(
            "has_labels",
            mask_ceiling="sum(v or 0 for v in ceiling()) / scored_steps if %s else UNSAID" % SOME_MODELS,
            mask_ceiling_infeasible="ceiling().count(None) if %s else UNSAID" % SOME_MODELS,
        ),
        **LIKELIHOOD,
        **where("probs is not None", argmax_ties="int(ties(o).sum())"),
        **where("probs is not None and has_labels", argmax_ties_scored="int((ties(o) & scored).sum())"),
        **where(
            "'wake_trim' in options",
            wake_trim_minutes="options['wake_trim']",
            trimmed_steps="int((labels != whole).sum())",
        ),
        "level": "options.get('level', 0.95)",
        "seed": "options.get('seed', 1)",
    },
    "reference": {
        **OF_RULES,
    },
    "strategy": {
        **where(
            "has_labels",
            **each(
                AGREEMENT + " scored correct macro_precision macro_recall weighted_f1"
                " macro_precision_classes macro_recall_classes", "by_steps(o)['%']"
            ),
            mean_accuracy="mean(recordings_of(o, 'accuracy'))",
            sd_accuracy="sd(recordings_of(o, 'accuracy'))",
            mean_kappa="mean(recordings_of(o, 'kappa'))",
            sd_kappa="sd(recordings_of(o, 'kappa'))",
            kappa_se="kappa_error(o)",
            weighted_kappa="kappa_of_weights(o) if 'weighted_kappa' in options else ABSENT",
        ),
        **OF_RULES,
        **where("has_labels", runs_ratio="runs / len(run.runs(labels))"),
        "recordings_with_illegal": "int((np.array(illegal_by_recording(o)) > 0).sum())",
        **where(
            "probs is not None", path_score="None if -np.inf in path_scores(o) else sum(path_scores(o))"
        ),
        "undecoded": "int((status[name] != 0).sum())",
        "legal_by_construction": "probs is not None and name != 'argmax' and 'relax' not in options",
        "relaxed": "int((np.array(rules_broken_in(o)) > 0).sum())",
        "rules_broken": "sum(rules_broken_in(o))",
        "impossible": "int(np.isinf(path_scores(o)).sum()) or ABSENT if probs is not None else ABSENT",
        "redirected": "UNSAID",  # by rules over more than two steps
        **where(
            "has_labels",
            permuted_accuracy="permuted(o, 'accuracy')",
            permuted_kappa="permuted(o, 'kappa')",
            **{"shift_" + key: "shifted(o, '%s')" % key for key in SHIFT.split()},
        ),
        **where(
            "probs is not None",
            regret="mean(regrets(o)[np.isfinite(regrets(o))])",
            regret_steps="int(np.isfinite(regrets(o)).sum())",
            zero_probability_steps="int(np.isinf(regrets(o)).sum())",
        ),
        **where(
            "has_labels and base is not None and base is not path",
            error_broken="sum(len(bad) for bad, _ in errors(o))",
            error_consequences="error_broken - error_runs",
            error_consequence_share="error_consequences / error_broken",
            error_runs="len(errors(o))",
            error_runs_forbidden="forbidden_errors(o)",
            error_run_mean="mean(error_lengths(o))",
            error_run_median="median(error_lengths(o))",
            error_run_longest="max(error_lengths(o), default=0)",
            dead_ends="int((status[name] == 2).sum())",
        ),
        **where("has_labels and base is not None", **each(CHANGES, "changed(o)['%']")),
        **where(
            "has_labels",
            boundary_reference="sum(map(len, changes_of(o, labels).values()))",
            boundary_decoded="sum(map(len, changes_of(o, path).values()))",
            **{"boundary_matched_%d" % w: "matched_changes(o, %d)" % w for w in range(3)},
            **{"boundary_recall_%d" % w: "boundary_matched_%d / boundary_reference" % w for w in range(3)},
            **{"boundary_precision_%d" % w: "boundary_matched_%d / boundary_decoded" % w for w in range(3)},
            edit_score="mean(edit_scores(o))",
            **{"segments_matched_at_%d" % i: "matched_segments(o, 0.%d)" % i for i in (10, 25, 50)},
            **{
                "f1_at_%d" % i: "2 * segments_matched_at_%d / (segments_reference + segments_decoded)" % i
                for i in (10, 25, 50)
            },
            segments_reference="len(segments_of(o, labels))",
            segments_decoded="len(segments_of(o, path))",
        ),
        **entity("entity", strict=False),
        **entity("entity_strict", strict=True),
    },
    "class of a strategy": each(
        "support predicted precision recall f1 specificity npv kappa prevalence pabak bias prevalence_index",
        "by_steps(o)['classes'][k]['%']",
    ),
    "another classifier": {**each("name file bytes scores", "UNSAID"), **LIKELIHOOD},
    "rule of a strategy": {
        "violations": "run.violations(path, rule)",
        "recordings": "run.violations(path, rule, recordings=True)",
    },
    "changed steps": each(CHANGES, "changed(o, labels == k)['%']"),
    "runs of a class": {
        "runs": "len(lengths)",
        "run_steps": "sum(lengths)",
        "isolated_runs": "lengths.count(1)",
        "run_mean": "mean(lengths)",
        "run_median": "median(lengths)",
        **where("in_reference is not None", run_count_ratio="len(lengths) / in_reference"),
        **where(
            "'durations' in model",
            runs_too_short="list(outside(path)).count((k, False))",
            runs_too_long="list(outside(path)).count((k, True))",
        ),
    },
    "type of entity": entity("entity", strict=False),
    "recording of a strategy": {
        **where("has_labels", **each("scored correct accuracy kappa", "recordings_of(o, '%')[n]")),
        **{key: text.replace("path", "only").replace("(o)", "(o, only)") for key, text in COUNTS.items()},
        "rules_broken": "rules_broken_in(o)[n] or ABSENT",
    },
    "pair of strategies": {
        "difference": "less(metric_of(a, np.ones(S, bool)), metric_of(b, np.ones(S, bool)))",
        **where(
            "metric == 'accuracy'",
            wilcoxon_p="signed_ranks(o)",
            rank_biserial="effect_size(o)",
            p_holm="holm(o)",
            mcnemar_only_a="discordant(o)[0]",
            mcnemar_only_b="discordant(o)[1]",
            mcnemar_p_exact="mcnemar_exact(o)",
            mcnemar_p_mid="mcnemar_mid(o)",
            p_least="2.0 ** (1 - np.count_nonzero(units(o))) if units(o).any() else None",
        ),
        **where("metric in ('accuracy', 'illegal_rate')", p_sign_flip="sign_flips(o)"),
        **chi2("mcnemar_cluster", "clusters(o)"),
        **chi2("bowker", "bowker_of(o)"),
        **chi2("stuart_maxwell", "stuart_maxwell_of(o)"),
        "mean": "figure_counts.mean(units(o))",
        "median": "figure_counts.median(units(o))",
        "sd": "figure_counts.sd(units(o))",
        "n": "len(all_units(o))",
        "better": "int((sign(o) * units(o) > 0).sum())",
        "worse": "int((sign(o) * units(o) < 0).sum())",
        "ties": "int((units(o) == 0).sum())",
        "resamples": "10000 if metric != 'illegal_rate' else UNSAID",  # some draws have no rate
    },
    "coarser classes": {
        "collapsed_" + key: "agreement(truth, path, n_groups)['%s']" % key for key in AGREEMENT.split()
    },
    "calibration": {
        "steps": "p.n",
        "impossible_steps": "p.n_impossible",
        "weighted": "bool((weights != 1).any())",
        "calibration_accuracy": "p.mean(p.right)",
        "confidence": "p.mean(p.top)",
        "brier": "p.mean(((p.p - np.eye(K)[p.y]) ** 2).sum(1))",
        "ece": "np.dot(*p.gaps(p.width))",
        "mce": "p.gaps(p.width)[1].max()",
        "rmsce": "np.sqrt(np.dot(p.gaps(p.width)[0], p.gaps(p.width)[1] ** 2))",
        "classwise_ece": "np.mean(list(map(p.classwise, range(K))))",
        "adaptive_ece": "np.dot(*p.gaps(p.mass))",
        "level": "result['level']",
    },
    "bin of confidence": {
        "low": "number / BINS if is_wide else UNSAID",
        "high": "(number + 1) / BINS if is_wide else UNSAID",
        "n": "int((index == number).sum())",
        "weight": "float(p.w[index == number].sum())",
        "confidence": "of_bin(o, p.top)",
        "accuracy": "of_bin(o, p.right)",
        "accuracy_low": "bin_interval(o, 0)",
        "accuracy_high": "bin_interval(o, 1)",
    },
    "steps of greatest confidence": {
        "share": "p.w[kept].sum() / p.w.sum()",
        "n": "int(kept.sum())",
        "confidence": "cell_edge(p.top[kept].min(), own['confidence'])",
        "accuracy": "np.average(p.right[kept], weights=p.w[kept])",
    },
    "scorers": {
        "scorers_mean_accuracy": "rater_pairs(o, 'accuracy')",
        "scorers_mean_kappa": "rater_pairs(o, 'kappa')",
        "fleiss_kappa": "fleiss_of(o)",
        "fleiss_steps": "all_raters(o).shape[1]",
    },
    "strategy against scorers": {
        "scorers_mean_accuracy": "with_raters(o, 'accuracy')",
        "scorers_mean_kappa": "with_raters(o, 'kappa')",
        "soft_agreement": "mean(soft(o))",
        "soft_steps": "len(soft(o))",
    },
    "strategy against one scorer": {
        "steps": "with_rater(o, path, votes)['scored']",
        **each("accuracy kappa", "with_rater(o, path, votes)['%']"),
    },
    "measure of sleep": {
        "mean": "figure_counts.mean(nights(o, path))",
        "sd": "figure_counts.sd(nights(o, path))",
        "n": "N - nights(o, path).count(None)",
    },
    "measure of sleep, difference": {
        "difference": "mean(night_differences(o))",
        "sd": "figure_counts.sd(night_differences(o))",
        "n": "len(night_differences(o))",
        "low": "limit(o, -1)",
        "high": "limit(o, 1)",
        **{key + "_low": "limit(o, %d, -1)" % of for key, of in (("bias", 0), ("low", -1), ("high", 1))},
        **{key + "_high": "limit(o, %d, 1)" % of for key, of in (("bias", 0), ("low", -1), ("high", 1))},
    },
}
FUNCTIONS = {**vars(figure_counts), **vars(figure_tests), "figure_counts": figure_counts, "UNSAID": UNSAID}


# ---- whose figures a run's JSON holds ----


def owners(run):
    r = run.result
    yield Owner(run, "comparison", r, probs=run.probs)
    if "reference" in r:
        yield Owner(run, "reference", r["reference"], path=run.labels)
        yield from of_runs(run, r["reference"], run.labels, None)
    if "calibration" in r:
        yield from of_calibration(run, r["calibration"], run.probs)
    if "calibrations" in r:
        scaled = np.exp(run.prepared())
        yield from of_calibration(run, r["calibrations"]["decoded"], scaled)
    for one in r.get("against", ()):
        yield Owner(run, "another classifier", one, probs=run.others[one["name"]])
        yield from of_calibration(run, one["calibration"], run.others[one["name"]])
    for name, one in r["strategies"].items():
        yield from of_strategy(run, name, one)
    tested = []
    for one in r.get("comparisons", ()):
        more = {"a": one["a"], "b": one["b"], "metric": one["metric"], "tested_pairs": tested}
        tested += [Owner(run, "pair of strategies", one, **more)] if one["metric"] == "accuracy" else []
    for one in r.get("comparisons", ()):
        more = {"a": one["a"], "b": one["b"], "metric": one["metric"], "tested_pairs": tested}
        yield Owner(run, "pair of strategies", one, **more)
    for one in r.get("collapsed", ()):
        group = {c: g for g, names in enumerate(one["groups"].values()) for c in names}
        group = np.array([group[c] for c in run.classes] + [-1])
        for name, own in one["strategies"].items():
            path, truth = group[run.paths[name][run.scored]], group[run.labels[run.scored]]
            yield Owner(run, "coarser classes", own, path=path, truth=truth, n_groups=len(one["groups"]))
    if "scorers" in r:
        yield from of_scorers(run, r["scorers"])
    if "sleep" in r:
        yield from of_sleep(run, r["sleep"], run.whole, "reference")
        for name in r["sleep"]["strategies"]:
            yield from of_sleep(run, r["sleep"]["strategies"], run.paths[name], name)


def of_strategy(run, name, one):
    classifier = name.rpartition(".")[0]
    base = run.paths.get((classifier + "." if classifier else "") + "argmax")
    more = {"path": run.paths[name], "base": base, "name": name, "has_tags": "entities" in one}
    if not classifier:  # of others the scores are not looked at but for their likelihood
        yield Owner(run, "strategy", one, **more)
    for k, c in enumerate(run.classes):
        if "classes" in one:
            yield Owner(run, "class of a strategy", one["classes"][c], k=k, **more)
        if "changed_from_argmax_by_class" in one:
            yield Owner(run, "changed steps", one["changed_from_argmax_by_class"][c], k=k, **more)
    yield from of_runs(run, one, run.paths[name], run.labels if run.has_labels else None)
    for rule in run.model.get("rules", ()):
        yield Owner(run, "rule of a strategy", one["rules"][rule["name"]], rule=rule, **more)
    for kind, own in one.get("entities", {}).get("types", {}).items():
        yield Owner(run, "type of entity", own, type=kind, **more)
    for n, own in enumerate(one["per_recording"]):
        only = np.where(run.recording == n, run.paths[name], -1)
        yield Owner(run, "recording of a strategy", own, n=n, only=only, **more)


def of_runs(run, one, path, reference):
    mine, theirs = ([] if x is None else run.runs(run.seen(x)) for x in (path, reference))
    for k, c in enumerate(run.classes):
        lengths = [int(n) for _, n, j in mine if j == k]
        in_reference = None if reference is None else [j for _, _, j in theirs].count(k)
        more = {"path": path, "k": k, "lengths": lengths, "in_reference": in_reference}
        yield Owner(run, "runs of a class", one["bouts"][c], **more)


def of_calibration(run, one, probs):
    p = figure_tests.Probabilities(run, probs)
    yield Owner(run, "calibration", one, p=p)
    for is_wide, key, index in ((True, "bins", p.width), (False, "adaptive_bins", p.mass)):
        for number, own in enumerate(one[key]):
            yield Owner(run, "bin of confidence", own, p=p, index=index, number=number, is_wide=is_wide)
    for own, kept in zip(one["coverage"], p.coverage(), strict=True):
        yield Owner(run, "steps of greatest confidence", own, p=p, kept=kept)


def of_scorers(run, scorers):
    yield Owner(run, "scorers", scorers)
    for name, row in {
        **scorers["strategies"],
        **scorers["each"],
        "reference": scorers["reference"],
    }.items():
        path = run.labels if name == "reference" else run.paths.get(name, run.raters.get(name))
        more = {"path": path, "name": name, "is_rater": name in run.raters}
        more["undecided_is_wrong"] = name in run.paths
        yield Owner(run, "strategy against scorers", row, **more)
        for other, own in row["with"].items():
            yield Owner(run, "strategy against one scorer", own, votes=run.raters[other], **more)


def of_sleep(run, sleep, path, name):
    for measure, own in sleep[name]["means"].items():
        yield Owner(run, "measure of sleep", own, path=path, measure=measure)
    for measure, own in sleep[name].get("agreement", {}).items():
        yield Owner(run, "measure of sleep, difference", own, path=path, measure=measure)
