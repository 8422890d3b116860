"""The rows of a comparison's CSV, from its JSON: rows_of(run) gives (strategy, recording, class, metric),
value, n, and the ends of the interval where there is one."""

import csv
import io
import re

import numpy as np

from figure_places import found
from figures import ABSENT, FIGURES, Owner

# What a figure is over, by figures of the same owner, of the strategy around it (scored) or of the run.
OVER = {
    "scored": "accuracy kappa mcc weighted_f1 kappa_se weighted_kappa permuted_accuracy permuted_kappa",
    "macro_f1_classes": "macro_f1",
    "macro_precision_classes": "macro_precision",
    "macro_recall_classes": "macro_recall balanced_accuracy",
    "transitions": "illegal_rate illegal_per_hour changes_per_hour runs",
    "changes": "illegal_per_change",
    "runs": "isolated_runs isolated_runs_share run_mean run_median",
    "boundary_reference": "boundary_recall_0 boundary_recall_1 boundary_recall_2",
    "boundary_decoded": "boundary_precision_0 boundary_precision_1 boundary_precision_2",
    "regret_steps": "regret",
    "error_runs": "error_runs_forbidden error_run_mean error_run_median error_run_longest",
    "entity_reference": "entity_correct entity_recall",
    "entity_decoded": "entity_precision",
    "predicted": "precision",
    "support": "recall",
    "nll_steps": "nll nll_impossible_steps",
}
OVER = {key: of for of, keys in OVER.items() for key in keys.split()}


def read(text):
    """{(strategy, recording, class, metric): rows}; an apostrophe before what a spreadsheet would compute
    is no part of a name."""
    rows = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        key = [
            re.sub(r"^'(?='*[-=+@\t])", "", row[k]) for k in ("strategy", "recording", "class", "metric")
        ]
        rows.setdefault(tuple(key), []).append(row)
    return rows


def figures(run, scope, own, at, prefix="", **more):
    """Those of an owner; `at` is (strategy, recording, class). Texts, and what stands in no CSV, are left
    to the reader of the rows."""
    owner = Owner(run, scope, own, **more)
    for key in FIGURES[scope]:
        value = found(owner, key)
        if value != ABSENT and not isinstance(value, (str, bool, list)):
            n = found(owner, OVER[key]) if key in OVER else ABSENT
            ends = own.get(key + "_ci") or [own.get(key + end, ABSENT) for end in ("_low", "_high")]
            yield (*at, prefix + key), value, n, *(ends if ABSENT not in ends else ())


def lists_of(run, name, one):
    """Transitions, runs, rules and classes of a strategy or the reference."""
    if "worst_recording" in one:
        yield (name, one["worst_recording"]["id"], "", "worst_recording"), one["worst_recording"][
            "illegal"
        ], one["illegal"]
    for pair in one["illegal_pairs"]:
        yield (name, "", "%(from)s -> %(to)s" % pair, "illegal"), pair["count"], ABSENT
    for a, counts in zip(run.classes, one["transition_counts"]):
        for b, count in zip(run.classes, counts):
            if count:
                yield (name, "", a + " -> " + b, "transition_count"), count, one["transitions"]
    for c, runs in one["bouts"].items():
        yield from figures(run, "runs of a class", runs, (name, "", c))
    for rule in run.model.get("rules", ()):
        at, path = "rule " + rule["name"], run.paths.get(name, run.labels)
        yield from figures(run, "rule of a strategy", one["rules"][rule["name"]], (name, "", at))
        for n, recording in enumerate(run.ids):
            if name == "reference" or not run.status[name][n]:
                times = run.violations(np.where(run.recording == n, path, -1), rule)
                yield (name, recording, at, "violations"), times, ABSENT
    for c, row in zip(run.classes, one.get("confusion", ())):
        for other, count in zip(run.classes, row):
            if count:
                yield (name, "", c, "decoded_as " + other), count, ABSENT
    for c, count in one.get("undecoded_steps", {}).items():
        yield (name, "", c, "undecoded_steps"), count, ABSENT


def of_strategy(run, name, one):
    more = {"name": name, "has_tags": "entities" in one}
    yield from figures(run, "strategy", one, (name, "", ""), **more)
    yield (name, "", "", "undecoded"), len(one["undecoded"]), ABSENT
    yield from lists_of(run, name, one)
    for c, own in one.get("classes", {}).items():
        yield from figures(run, "class of a strategy", own | {"scored": one["scored"]}, (name, "", c))
    for c, own in one.get("changed_from_argmax_by_class", {}).items():
        yield from figures(run, "changed steps", own, (name, "", c))
    for context, own in one.get("contexts", {}).items():
        value = own["correct"] / own["steps"] if own["steps"] else None
        yield (name, "", "", "accuracy_" + context), value, own["steps"]
    for kind, own in one.get("entities", {}).get("types", {}).items():
        yield from figures(run, "type of entity", own, (name, "", kind), type=kind)
    for own in one["per_recording"]:
        yield (name, own["id"], "", "steps"), own["steps"], ABSENT
        yield (name, own["id"], "", "decoded"), int(own["status"] == "ok"), ABSENT
        yield from figures(run, "recording of a strategy", own, (name, own["id"], ""))


def of_calibration(run, name, one):
    yield from figures(run, "calibration", one, (name, "", ""))
    for kind, key, scope in (
        ("bin", "bins", "bin of confidence"),
        ("adaptive_bin", "adaptive_bins", "bin of confidence"),
        ("coverage", "coverage", "steps of greatest confidence"),
    ):
        for i, own in enumerate(one[key]):
            yield from figures(run, scope, own, (name, "", ""), "%s_%d_" % (kind, i))
    for c, own in one["classes"].items():
        yield (name, "", c, "ece"), own["ece"], one["steps"]


def of_pair(run, pair):
    at = (pair["a"] + " - " + pair["b"], "", "")
    yield (*at, pair["metric"] + "_difference"), pair["difference"], pair["n"], *(
        pair["ci"] or (None, None)
    )
    if pair["metric"] == "accuracy":
        yield from figures(run, "pair of strategies", pair, at)
        yield (*at, "wilcoxon_p_holm"), pair["p_holm"], ABSENT
    if pair["metric"] == "illegal_rate":
        yield (*at, "illegal_rate_sign_flip_p"), pair["p_sign_flip"], pair["better"] + pair["worse"]


def of_sleep(run, name, one):
    for measure, own in one["means"].items():
        yield (name, "", "", "sleep_" + measure), own["mean"], own["n"]
        for night in one["nights"]:
            yield (name, night["id"], "", "sleep_" + measure), night[measure], 1
    for measure, own in one.get("agreement", {}).items():
        yield (name, "", "", "sleep_%s_difference" % measure), own["bias"], own["n"], own["low"], own[
            "high"
        ]


def of_scorer(run, name, one):
    yield from figures(run, "strategy against scorers", one, (name, "", ""))
    for other in run.raters:
        own = one["with"].get(other, {"accuracy": None, "kappa": None})
        for key in ("accuracy", "kappa"):
            yield (name, "", "", "%s_with %s" % (key, other)), own[key], own.get("steps", ABSENT)


def rows_of(run):
    r = run.result
    if "reference" in r:
        yield from figures(run, "reference", r["reference"], ("reference", "", ""))
        yield from lists_of(run, "reference", r["reference"])
    for row in figures(run, "comparison", r, ("reference", "", "")):
        if row[0][3] not in ("argmax_ties", "trimmed_steps"):  # of all, of each recording
            yield row
    for own in next(iter(r["strategies"].values()))["per_recording"] if "trimmed_steps" in r else ():
        yield ("reference", own["id"], "", "trimmed_steps"), own["trimmed"], own["steps"]
    if "calibration" in r:
        yield from of_calibration(run, "reference", r["calibration"])
    for one in r.get("against", ()):
        yield from figures(run, "another classifier", one, (one["name"], "", ""))
        yield from of_calibration(run, one["name"], one["calibration"])
    for name, one in r["strategies"].items():
        yield from of_strategy(run, name, one)
    for pair in r.get("comparisons", ()):
        yield from of_pair(run, pair)
    if "argmax_ties" in r:
        yield ("all", "", "", "argmax_ties"), r["argmax_ties"]["steps"], r["input"]["steps"]
    for test in ("friedman", "cochran"):
        for key in ("chi2", "p") if test in r else ():
            yield ("all", "", "", test + "_" + key), r[test][key], r[test]["df"]
    for name, rank in r.get("friedman", {}).get("mean_ranks", {}).items():
        yield (name, "", "", "mean_rank"), rank, ABSENT
    for one in r.get("collapsed", ()):
        for name, own in one["strategies"].items():
            yield from figures(run, "coarser classes", own, (name, "", one["name"]))
    for place in r.get("illegal_places", ()):
        for name in place["by"]:
            before, now = place["said"][name]
            yield (name, place["recording"], "%s -> %s" % (before or "", now), "illegal_step"), place[
                "step"
            ], ABSENT
    for place in r.get("run_places", ()):
        yield (place["by"], place["recording"], place["class"], "run_too_" + place["too"]), place[
            "step"
        ], place["length"]
    sleep = r.get("sleep", {"strategies": {}})
    for name, one in {
        **sleep["strategies"],
        **({"reference": sleep["reference"]} if "reference" in sleep else {}),
    }.items():
        yield from of_sleep(run, name, one)
    if "scorers" in r:
        scorers = r["scorers"]
        yield from figures(run, "scorers", scorers, ("scorers", "", ""))
        sides = {"scorer " + name: one for name, one in scorers["each"].items()} | scorers["strategies"]
        for name, one in {**sides, "reference": scorers["reference"]}.items():
            yield from of_scorer(run, name, one)
