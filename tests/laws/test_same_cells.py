"""A report's tables hold the numbers of its JSON, cell by cell, in Markdown; LaTeX, the page and the
terminal have the same cells, and the CSV the same values; whatever the names are. A table that this does
not know is a failure."""

import csv
import io
import re
import sys

import statepath_test as st

try:
    from figures import ABSENT, FIGURES, owners
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(77)
import report_tables
from figure_counts import ratio
from figure_places import found
from random_comparisons import RUNS, make_run

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


class TestSameCells(st.TestCase):
    def of_strategy(self, title, head, row, run, owner_of):
        """A row of figures of a strategy, or of the reference."""
        begin = max((b for b in BY_STRATEGY if title.startswith(b) and (b or not title)), key=len)
        owner = owner_of[row[0]]
        one = owner.own
        for heading, cell in zip(head[1:], row[1:]):
            how = {**SCORES, **BY_STRATEGY[begin]}[re.sub(r"^\d+(\.\d+)? %", "95 %", heading)]
            if callable(how):
                yield cell, how(
                    one, lambda key: found(owner, key), int(run.result.get("preset") == "sleep")
                )
            elif isinstance(how, tuple):
                yield cell, [found(owner, key) for key in how]
            else:
                yield cell, found(owner, how)

    def of_pair(self, title, head, row, run, owner_of):
        a, b = row[0].split(" − ")
        name = (
            row[1]
            if title.startswith("No harm")
            else re.search("Difference in (%s)" % "|".join(METRICS), title)
        )
        metric = (
            "accuracy"
            if title.startswith("McNemar")
            else METRICS[name if isinstance(name, str) else name[1]]
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

    def of_class(self, title, head, row, run, owner_of):
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
                    next(iter(self.strategies.values()))["classes"][row[0]]["support"]
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

    def of_matrix(self, title, head, row, run, owner_of):
        one = owner_of[head[0]].own
        counts = dict(zip(run.classes, one["confusion"]))[row[0]]
        counts = counts + [one["undecoded_steps"].get(row[0], 0)] * (head[-1] == "undecoded")
        yield from zip(row[1:], counts, strict=True)

    def of_illegal_pair(self, title, head, row, run, owner_of):
        for side, cell in zip(head[1:], row[1:]):
            counts = {"%(from)s → %(to)s" % p: p["count"] for p in owner_of[side].own["illegal_pairs"]}
            yield cell, counts.get(row[0], 0)

    def of_group(self, title, head, row, run, owner_of):
        (one,) = [c for c in run.result["collapsed"] if c["name"] == row[0]][:1]
        keys = {"accuracy": "accuracy", "kappa": "kappa", "MCC": "mcc", "macro F1": "macro_f1"}
        yield from ((cell, one["strategies"][row[1]][keys[h]]) for h, cell in zip(head[2:], row[2:]))

    def of_place(self, title, head, row, run, owner_of):
        for name, cell in zip(head[1:], row[1:]):
            own = next(iter(self.strategies.values())) if name == "steps" else owner_of[name].own
            counts = own["contexts"][PLACES[plain(row[0])]]
            yield cell, (
                counts["steps"]
                if name == "steps"
                else counts["correct"] / counts["steps"] if counts["steps"] else None
            )

    def of_sleep(self, title, head, row, run, owner_of):
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

    def of_scorer(self, title, head, row, run, owner_of):
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

    def of_probability(self, title, head, row, run, owner_of):
        r, is_pair = run.result, title.startswith("Calibration before")
        own = (
            r["calibrations"]["given" if row[0].startswith(("as given", "given")) else "decoded"]
            if is_pair
            else r["calibration"] | {"nll": r["nll"]}
        )
        for heading, cell in zip(head[1:], row[1:]) if is_pair else [(row[0], row[1])]:
            yield cell, own[PROBABILITIES.get(heading, heading)]

    def of_rank(self, title, head, row, run, owner_of):
        yield row[1], run.result["friedman"]["mean_ranks"][row[0]]

    def of_rule(self, title, head, row, run, owner_of):
        for at in range(3, len(row), 2):
            own = owner_of[head[at]].own["rules"][row[0]]
            yield from ((row[at], own["violations"]), (row[at + 1], own["recordings"]))

    def of_rule_cost(self, title, head, row, run, owner_of):
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
            [100 * end for end in own[key]] if own[key] else None
            for key in ("interval", "changes_interval")
        )
        yield from ((cell, values[heading]) for heading, cell in zip(head[1:], row[1:]))

    def of_proposal(self, title, head, row, run, owner_of):
        (own,) = [
            one for one in run.result["rule_costs"]["proposals"] if "%(from)s → %(to)s" % one == row[0]
        ]
        yield from ((row[1], own["transitions"]), (row[2], own["rate_below"]))

    def of_run_place(self, title, head, row, run, owner_of):
        keys = [
            [p["recording"], str(p["step"]), str(p["length"]), p["class"], "too " + p["too"], p["by"]]
            for p in run.result["run_places"]
        ]
        yield str(row in keys), "True"

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

    def check_values(self, run, tables, what):
        """Each cell against the JSON."""
        owner_of = {
            getattr(o, "name", "reference"): o for o in owners(run) if o.scope in ("strategy", "reference")
        }
        self.strategies = run.result["strategies"]
        for name, one in self.strategies.items():
            owner_of.setdefault(name, type("Other", (), {"scope": "strategy", "own": one, "name": name}))
        for title, copies in tables.items():
            check = next((how for pattern, how in self.TABLES if re.fullmatch(pattern, plain(title))), None)
            self.assertIsNotNone(check, "a table that this law does not know: %s" % title)
            for head, rows in copies:
                self.assertTrue(rows, title)
                for row in rows:
                    self.assertEqual(len(row), len(head), (what, title, row))
                    for cell, value in check(
                        self, plain(title), [plain(h) for h in head], row, run, owner_of
                    ):
                        self.assertTrue(is_shown(cell, value), (what, title, head, row, cell, value))
                        self.n_cells += 1

    def check_same(self, tables, others, what):
        """Tables of one title have the same cells, where the other format has all rows and columns."""
        for title, copies in others.items():
            for (head, rows), (other_head, other_rows) in zip(tables.get(title, ()), copies):
                columns = [
                    other_head.index(h) for h in head if other_head.count(h) == 1 and head.count(h) == 1
                ]
                mine = [head.index(other_head[c]) for c in columns]
                self.assertGreater(len(columns), len(head) // 2, (what, title, head, other_head))
                for row, other in zip(rows, other_rows):
                    self.assertEqual([row[c] for c in mine], [other[c] for c in columns], (what, title))
                    self.n_cells += len(columns)

    def check_terminal(self, run, tables):
        lines = report_tables.terminal(run.text)
        for title, copies in tables.items():
            for head, rows in copies if title and title != "Calibration before and after" else ():
                for row in rows:
                    cells = [cell for cell in row if cell]
                    is_there = any(
                        all(c in line for c in cells[:1]) and set(cells[1:]) & set(line) for line in lines
                    )
                    self.assertTrue(is_there or "too" in row, (title, row))

    def check_csv(self, run, text):
        """Its rows are the figures of the JSON, all of those that it has of another owner of the scope."""
        rows = {}
        for row in csv.DictReader(io.StringIO(text, newline="")):
            key = tuple(
                re.sub(r"^'(?='*[-=+@\t])", "", row[k])
                for k in ("strategy", "recording", "class", "metric")
            )
            rows[key] = row["value"]
        missing, seen = set(), set()
        for owner in owners(run):
            for key in FIGURES[owner.scope]:
                at, value = self.csv_key(run, owner, key), found(owner, key)
                if at is None or value == ABSENT or isinstance(value, (str, bool, list)):
                    continue
                if at in rows:
                    seen.add((owner.scope, key))
                    self.assertEqual(float(rows[at]) if rows[at] else None, value, at)
                    self.n_cells += 1
                else:
                    missing.add((owner.scope, key))
        self.assertEqual(missing & seen, set())
        self.assertGreater(len(seen), 20)

    def csv_key(self, run, owner, key):
        name = getattr(owner, "name", "reference")
        if (
            owner.scope in ("comparison", "reference", "calibration")
            and "calibrations" not in run.result
            and not run.others
        ):
            return "all" if key == "argmax_ties" else "reference", "", "", key
        if owner.scope == "strategy":
            return name, "", "", key
        if owner.scope in ("class of a strategy", "changed steps"):
            return name, "", run.classes[owner.k], key
        if owner.scope == "type of entity":
            return name, "", owner.type, key
        if owner.scope == "recording of a strategy":
            return name, str(owner.own["id"]), "", key
        if owner.scope == "pair of strategies" and owner.metric == "accuracy":
            return owner.a + " - " + owner.b, "", "", "accuracy_difference" if key == "difference" else key
        if owner.scope == "strategy against scorers":
            return ("scorer " if owner.is_rater else "") + name, "", "", key
        return None

    FILES = ("--markdown", "r.md", "--latex", "r.tex", "--csv", "r.csv", "--report", "r.html", "-v")

    def check_run(self, run, what):
        self.n_cells = 0
        texts = {name: self.read("r." + name).decode() for name in ("md", "tex", "csv", "html")}
        tables = report_tables.markdown(texts["md"])
        self.check_values(run, tables, what)
        latex, page = report_tables.latex(texts["tex"]), report_tables.page(texts["html"])
        self.check_values(run, latex, what + ", LaTeX")
        self.check_same(tables, latex, what + ", LaTeX")
        self.check_same(tables, page, what + ", page")
        self.check_terminal(run, tables)
        self.check_csv(run, texts["csv"])
        self.assertGreater(self.n_cells, 200, what)
        for outside in ("http:", "https:", " src=", "@import", "<link", "<iframe", " style="):
            self.assertNotIn(outside, texts["html"].replace("http://www.w3.org/2000/svg", ""), what)
        for text in texts.values():
            self.assertNotRegex(text, r"(?<![\w/])-?nan(?![\w/])", what)

    def test_all_kinds_of_tables(self):
        for name in RUNS:
            more = ["--rule-costs"] if name in ("tags", "rules") else []
            self.check_run(make_run(self, name, 6, *self.FILES, *more), name)


st.main()
