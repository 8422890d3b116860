"""What the cells of a report's tables say, by the JSON: of each table a function that gives (cell, value)
for a row."""

import re

from figure_counts import ratio
from figure_places import found
from figures import ABSENT

# Words of a field stand for recordings and steps.
WORDS = {
    "night": "recording",
    "sentence": "recording",
    "video": "recording",
    "epoch": "step",
    "token": "step",
    "frame": "step",
}
WORD = re.compile(r"\b(%s)(s?)\b" % "|".join(WORDS), re.I)

SCORES = {
    "illegal": "illegal",
    "of transitions": "illegal_rate",
    "recordings with illegal": "recordings_with_illegal",
    "recordings": "recordings_with_illegal",
    "recordings impossible": lambda one, get, first: one.get("impossible", 0) if "relaxed" in one else None,
    "illegal starts": "illegal_start",
    "illegal ends": "illegal_end",
    "runs too short": "short_runs",
    "runs too long": "long_runs",
    "violations": "hard_violations",
    "priced violations": "priced_violations",
    "accuracy": "accuracy",
    "balanced": "balanced_accuracy",
    "kappa": "kappa",
    "MCC": "mcc",
    "macro F1": "macro_f1",
    "weighted F1": "weighted_f1",
    "linear kappa": "weighted_kappa",
    "quadratic kappa": "weighted_kappa",
    "mean accuracy": ("mean_accuracy", "sd_accuracy"),
    "mean kappa": ("mean_kappa", "sd_kappa"),
    "changes": "changes",
    "path score": "path_score",
    "regret per step": "regret",
    "rules broken": "rules_broken",
    "edit": "edit_score",
    "F1@10": "f1_at_10",
    "F1@25": "f1_at_25",
    "F1@50": "f1_at_50",
    "entity F1": "entity_f1",
}


def undecoded(one, get, first):
    return len(one["undecoded"]) if "undecoded" in one else None


def worst(one, get, first):
    return "{id}: {illegal}".format(**one["worst_recording"]) if "worst_recording" in one else None


def interval(one, get, first):
    return one.get("illegal_rate_ci") or one.get("illegal_rate_ci_undefined")


def longest(one, get, first):
    runs = one["error_runs"]
    return "%s, %d" % (runs["longest_recording"], runs["longest_step"] + first) if runs["count"] else None


# By what the title of a table with a row a strategy begins: the columns beside the scores.
BY_STRATEGY = {
    "": {"undecoded": undecoded},
    "Transitions that the model forbids": {"undecoded": undecoded},
    "Agreement with the reference": {},
    "Illegal transitions: how often": {
        "95 % interval": interval,
        "of changes": "illegal_per_change",
        "per hour": "illegal_per_hour",
        "worst recording": worst,
    },
    "Changes ": {
        "changes, of transitions": lambda one, get, first: ratio(one["changes"], one["transitions"]),
        "per hour": "changes_per_hour",
        "runs": "runs",
        "of one step": "isolated_runs",
        "share": "isolated_runs_share",
        "runs / reference": "runs_ratio",
    },
    "Steps that differ": {
        "fixed": "fixed",
        "broken": "broken",
        "net": lambda one, get, first: get("fixed") - get("broken"),
        "wrong to wrong": "wrong_to_wrong",
        "unchanged": "same",
    },
    "Steps that argmax has right": {
        "steps broken": "error_broken",
        "errors": "error_runs",
        "right class forbidden": "error_runs_forbidden",
        "consequences": "error_consequence_share",
        "mean length": "error_run_mean",
        "median": "error_run_median",
        "longest": "error_run_longest",
        "recording, step": longest,
        "dead ends": "dead_ends",
    },
    "Changes of class found": {
        "changes in the reference": "boundary_reference",
        "decoded": "boundary_decoded",
        "found at the step": "boundary_recall_0",
        "within 1": "boundary_recall_1",
        "within 2": "boundary_recall_2",
        "precision within 2": "boundary_precision_2",
        "edit score": "edit_score",
    },
    "Entities": {
        "in the reference": "entity_reference",
        "decoded": "entity_decoded",
        "right": "entity_correct",
        "precision": "entity_precision",
        "recall": "entity_recall",
        "F1": "entity_f1",
        "F1, well-formed only": "entity_strict_f1",
    },
}  # fmt: skip
METRICS = {
    "accuracy": "accuracy",
    "kappa": "kappa",
    "macro F1": "macro_f1",
    "illegal transitions": "illegal_rate",
    "entity F1": "entity_f1",
    "edit score": "edit_score",
    "F1@10": "f1_at_10",
    "F1@25": "f1_at_25",
    "F1@50": "f1_at_50",
}
CLASS = "support predicted precision recall F1 specificity NPV kappa PABAK bias"
PLACES = {
    "inside a run": "AAA",
    "last step of a run": "AAX",
    "first step of a run": "XAA",
    "run of one step": "XAX",
}
MEASURES = {
    "time in bed": "tib",
    "total sleep time": "tst",
    "sleep efficiency": "se",
    "sleep latency": "sol",
    "wake after sleep onset": "waso",
    "wake within sleep": "wake_within_sleep",
    "REM latency": "rem_latency",
    "sleep fragmentation": "sfi",
}
PROBABILITIES = {
    "negative log-likelihood": "nll",
    "Brier score": "brier",
    "expected calibration error": "ece",
    "calibration error": "ece",
    "maximum calibration error": "mce",
    "RMS calibration error": "rmsce",
    "classwise calibration error": "classwise_ece",
    "adaptive calibration error": "adaptive_ece",
}


def plain(text):
    return WORD.sub(
        lambda m: (WORDS[m[1].lower()].capitalize() if m[1][0].isupper() else WORDS[m[1]]) + m[2], text
    )


def is_shown(cell, value):
    """Does the cell say the value, rounded to the cell's decimals?"""
    if isinstance(value, (list, tuple)):  # an interval, or with its standard deviation
        parts = re.split(r" to | ± ", cell.removesuffix(" %"))
        unit = " %" if cell.endswith("%") else ""
        defined = [v for v in value if v not in (None, ABSENT)]
        return (
            len(parts) == len(defined) and all(is_shown(p + unit, v) for p, v in zip(parts, defined))
            if defined
            else cell == "–"
        )
    if value is None or value == ABSENT:
        return cell == "–"
    if isinstance(value, str):
        return cell == value
    number = re.fullmatch(r"(< )?([+-]?[\d,]+(?:\.(\d+))?)( %)?", cell)
    if not number:
        return False
    shown, value = float(number[2].replace(",", "")), value * (100 if number[4] else 1)
    return value < shown if number[1] else abs(shown - value) <= 0.5000001 * 10.0 ** -len(number[3] or "")


def of_strategy(title, head, row, run, owner_of):
    """A row of figures of a strategy, or of the reference."""
    begin = max((b for b in BY_STRATEGY if title.startswith(b) and (b or not title)), key=len)
    owner = owner_of[row[0]]
    one = owner.own
    for heading, cell in zip(head[1:], row[1:]):
        how = {**SCORES, **BY_STRATEGY[begin]}[re.sub(r"^\d+(\.\d+)? %", "95 %", heading)]
        if callable(how):
            yield cell, how(one, lambda key: found(owner, key), int(run.result.get("preset") == "sleep"))
        elif isinstance(how, tuple):
            yield cell, [found(owner, key) for key in how]
        else:
            yield cell, found(owner, how)


def of_pair(title, head, row, run, owner_of):
    a, b = row[0].split(" − ")
    name = (
        row[1]
        if title.startswith("No harm")
        else re.search("Difference in (%s)" % "|".join(METRICS), title)
    )
    metric = (
        "accuracy" if title.startswith("McNemar") else METRICS[name if isinstance(name, str) else name[1]]
    )
    (pair,) = [p for p in run.result["comparisons"] if (p["a"], p["b"], p["metric"]) == (a, b, metric)]
    scale = 100 if "points" in head else 1
    ci = [scale * end for end in pair["ci"]] if pair["ci"] else None
    if title.startswith("No harm"):
        yield from ((row[2], pair["difference"]), (row[3], ci and ci[0]))
        yield row[4], "–" if ci is None else "yes" if pair["non_inferior"] else "not shown"
    elif title.startswith("McNemar"):
        tests = [pair["mcnemar_cluster"], pair["bowker"], pair["stuart_maxwell"]]
        for at, test in zip((1, 4, 6), tests):
            chi2, _, df = row[at].partition(" (")
            yield from (
                (chi2, test["chi2"]),
                (df, "%d)" % test["df"] if df else ""),
                (row[at + 1], test["p"]),
            )
        yield row[3], pair["mcnemar"]["p_exact"]
    else:
        yield from ((row[1], scale * pair["difference"]), (row[2], ci))
        keys = dict(better="better", worse="worse", same="ties", p="p") | {
            "Holm p": "p_holm",
            "sign-flip p": "p_sign_flip",
        }
        yield from ((cell, pair[keys[heading]]) for heading, cell in zip(head[3:], row[3:]))


def of_class(title, head, row, run, owner_of):
    """A column a figure, a strategy or a figure of a strategy."""
    sides = {name: owner.own for name, owner in owner_of.items()}
    for heading, cell in zip(head[1:], row[1:]):
        name, _, what = heading.rpartition(" ")
        if heading == "model mean":  # of a distribution
            yield cell, None
        elif title.endswith(": each class against the rest"):
            yield cell, sides[title.partition(":")[0]]["classes"][row[0]][heading.lower()]
        elif title == "F1 by class":
            yield cell, (
                next(iter(run.result["strategies"].values()))["classes"][row[0]]["support"]
                if heading == "support"
                else sides[heading]["classes"][row[0]]["f1"]
            )
        elif title.startswith("Runs: how many"):
            yield cell, sides[name]["bouts"][row[0]]["count" if what == "runs" else "mean"]
        elif what in ("shorter", "longer"):
            yield cell, sides[name]["bouts"][row[0]]["too_short" if what == "shorter" else "too_long"]
        elif heading in ("least", "greatest"):
            yield cell, run.result["model"]["durations"][row[0]]["min" if heading == "least" else "max"]
        elif heading not in (
            "5 %",
            "median",
            "95 %",
            "model mean",
        ):  # of a distribution, which lengths have not
            yield cell, "unknown: " + heading


def of_matrix(title, head, row, run, owner_of):
    one = owner_of[head[0]].own
    counts = dict(zip(run.classes, one["confusion"]))[row[0]]
    counts = counts + [one["undecoded_steps"].get(row[0], 0)] * (head[-1] == "undecoded")
    yield from zip(row[1:], counts, strict=True)


def of_illegal_pair(title, head, row, run, owner_of):
    for side, cell in zip(head[1:], row[1:]):
        counts = {"%(from)s → %(to)s" % p: p["count"] for p in owner_of[side].own["illegal_pairs"]}
        yield cell, counts.get(row[0], 0)


def of_group(title, head, row, run, owner_of):
    (one,) = [c for c in run.result["collapsed"] if c["name"] == row[0]][:1]
    keys = {"accuracy": "accuracy", "kappa": "kappa", "MCC": "mcc", "macro F1": "macro_f1"}
    yield from ((cell, one["strategies"][row[1]][keys[h]]) for h, cell in zip(head[2:], row[2:]))


def of_place(title, head, row, run, owner_of):
    for name, cell in zip(head[1:], row[1:]):
        own = next(iter(run.result["strategies"].values())) if name == "steps" else owner_of[name].own
        counts = own["contexts"][PLACES[plain(row[0])]]
        yield cell, (
            counts["steps"]
            if name == "steps"
            else counts["correct"] / counts["steps"] if counts["steps"] else None
        )


def of_sleep(title, head, row, run, owner_of):
    name = re.sub(r" \(.*", "", row[0])
    measure, sleep = MEASURES.get(name, name.lower()), run.result["sleep"]
    for side, cell in zip(head[1:], row[1:]):
        own = sleep["reference"] if side == "reference" else sleep["strategies"].get(side)
        if side == "n":
            counts = sorted({s["agreement"][measure]["n"] for s in sleep["strategies"].values()})
            yield cell, " to ".join(map(str, counts[:: max(1, len(counts) - 1)]))
        elif "difference" in title.lower():
            own = own["agreement"][measure]
            yield re.sub(r" \(\d+\)$", "", cell), [
                own["bias"],
                None if own["sd"] is None else 1.96 * own["sd"],
            ]
        else:
            yield re.sub(r" \(\d+\)$", "", cell), [
                own["means"][measure]["mean"],
                own["means"][measure]["sd"],
            ]


def of_scorer(title, head, row, run, owner_of):
    scorers = run.result["scorers"]
    sides = {"scorer " + name: one for name, one in scorers["each"].items()} | scorers["strategies"]
    sides |= {"reference": scorers["reference"], "scorers with each other": scorers | {"with": {}}}
    for heading, cell in zip(head[1:], row[1:]):
        other = heading.removeprefix("kappa with ")
        own = sides[row[0]]
        yield cell, (
            own["with"].get(other, {}).get("kappa")
            if other != heading
            else own.get(heading.replace(" ", "_"))
        )


def of_probability(title, head, row, run, owner_of):
    r, is_pair = run.result, title.startswith("Calibration before")
    own = (
        r["calibrations"]["given" if row[0].startswith(("as given", "given")) else "decoded"]
        if is_pair
        else r["calibration"] | {"nll": r["nll"]}
    )
    for heading, cell in zip(head[1:], row[1:]) if is_pair else [(row[0], row[1])]:
        yield cell, own[PROBABILITIES.get(heading, heading)]


def of_rank(title, head, row, run, owner_of):
    yield row[1], run.result["friedman"]["mean_ranks"][row[0]]


def of_rule(title, head, row, run, owner_of):
    for at in range(3, len(row), 2):
        own = owner_of[head[at]].own["rules"][row[0]]
        yield from ((row[at], own["violations"]), (row[at + 1], own["recordings"]))


def of_rule_cost(title, head, row, run, owner_of):
    rules = run.result["rule_costs"]["rules"]
    (own,) = [one for one in rules if (one.get("rule") or "%(from)s → %(to)s" % one) == row[0]]
    values = dict(
        reference=own["reference"],
        argmax=own["argmax"],
        accuracy=100 * own["difference"],
        ceiling=own["mask_ceiling"],
    )
    values["changes lost, gained"] = "%d, %d" % (own["erased"], own["restored"])
    values["changes"] = None if own["changes_difference"] is None else 100 * own["changes_difference"]
    values["95 % interval"], values["changes, 95 % interval"] = (
        [100 * end for end in own[key]] if own[key] else None for key in ("interval", "changes_interval")
    )
    yield from ((cell, values[heading]) for heading, cell in zip(head[1:], row[1:]))


def of_proposal(title, head, row, run, owner_of):
    (own,) = [one for one in run.result["rule_costs"]["proposals"] if "%(from)s → %(to)s" % one == row[0]]
    yield from ((row[1], own["transitions"]), (row[2], own["rate_below"]))


def of_run_place(title, head, row, run, owner_of):
    keys = [
        [p["recording"], str(p["step"]), str(p["length"]), p["class"], "too " + p["too"], p["by"]]
        for p in run.result["run_places"]
    ]
    yield str(row in keys), "True"


# ---- of the page alone ----


def of_recording(title, head, row, run, owner_of):
    """Accuracy of a recording by each strategy, and what the last gains over the first in points."""
    rows = {
        name: {one["id"]: one for one in own["per_recording"]}
        for name, own in run.result["strategies"].items()
    }
    for heading, cell in zip(head[1:], row[1:]):
        if heading == "gain, points":
            a, b = (rows[name][row[0]]["accuracy"] for name in (head[1], head[2]))
            yield cell, 100 * (b - a)
        else:
            yield cell, rows[heading][row[0]]["accuracy"]


def of_bin(title, head, row, run, owner_of):
    bins = run.result["calibration"]["bins" if "width" in title else "adaptive_bins"]
    (one,) = [
        b for b in bins if row[0] == "%.3f to %.3f" % (b["low"], b["high"]) and is_shown(row[1], b["n"])
    ][:1]
    weight = [one["weight"]] if "weight" in head else []
    interval = [one["accuracy_low"], one["accuracy_high"]] if one["n"] else None
    yield from zip(row[1:], [one["n"], *weight, one["confidence"], one["accuracy"], interval], strict=True)


def of_kept(title, head, row, run, owner_of):
    points = [p for p in run.result["calibration"]["coverage"] if is_shown(row[1], p["n"])]
    yield from (
        (row[0], points[0]["share"]),
        (row[2], points[0]["confidence"]),
        (row[3], points[0]["accuracy"]),
    )


def of_class_error(title, head, row, run, owner_of):
    yield row[1], run.result["calibration"]["classes"][row[0]]["ece"]


def of_unit_differences(title, head, row, run, owner_of):
    a, b = row[0].split(" − ")
    (pair,) = [p for p in run.result["comparisons"] if (p["a"], p["b"], p["metric"]) == (a, b, "accuracy")]
    mean = [100 * v if v is not None else None for v in (pair["mean"], pair["sd"], pair["median"])]
    yield from zip(row[1:], [*mean, pair["rank_biserial"], pair["p_least"], pair["p_sign_flip"]])


def of_illegal_place(title, head, row, run, owner_of):
    first = int(run.result.get("preset") == "sleep")
    said = {(p["recording"], p["step"] + first): p for p in run.result["illegal_places"]}
    place = said[row[0], int(row[1].replace(",", ""))]
    sides = dict(zip(head[-len(place["said"]) :], row[-len(place["said"]) :]))
    for name, (before, now) in place["said"].items():
        if name in place["by"] and before is not None and now is not None:
            yield sides[name], "%s → %s" % (before, now)


PAGE_TABLES = [
    (r"Accuracy by recording", of_recording),
    (r"Bins of equal .*", of_bin),
    (r"Accuracy of the steps of greatest confidence", of_kept),
    (r"Calibration error by class", of_class_error),
    (r"Differences in accuracy over .*", of_unit_differences),
    (r"Illegal steps", of_illegal_place),
]

TABLES = [
    (r"|Transitions that the model .*|Agreement with the reference.*", of_strategy),
    (r"Illegal transitions: how often.*|Changes .*|Steps that .*|Entities.*", of_strategy),
    (r"Sleep.*|Difference from the reference.*", of_sleep),
    (r"Difference in .*|No harm.*|McNemar.*", of_pair),
    (r"All strategies at once.*", of_rank),
    (r"Illegal transitions,? by pair", of_illegal_pair),
    (r"Confusion .*", of_matrix),
    (r"F1 by class|.*: each class against the rest|Runs: how many.*|How long the model .*", of_class),
    (r"Fewer classes.*", of_group),
    (r"Accuracy by place.*", of_place),
    (r"Agreement with each scorer.*", of_scorer),
    (r"Probabilities .*|Calibration before and after", of_probability),
    (r"Rules over more than two steps.*", of_rule),
    (r"What each rule costs.*", of_rule_cost),
    (r"Allowed, but never seen.*", of_proposal),
    (r"Runs that are shorter or longer.*", of_run_place),
]  # fmt: skip
