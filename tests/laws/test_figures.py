"""Each row of the table of figures against its formula in numpy (tests/support/figures.py), over random
comparisons with all that figures depend on. A row without a formula, a formula that no run comes by and a
number that the JSON does not have are failures. What has a row in scikit-learn is asked there too."""

import itertools
import re
import sys
import warnings

import numpy as np

import statepath_test as st

try:
    import scipy.stats

    import figure_tests
    from figure_counts import illegal_by_recording
    from figures import ABSENT, FIGURES, UNSAID, Owner, owners
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(77)
from figure_places import found
from random_comparisons import RUNS, make_run


class TestFigures(st.TestCase):
    def same(self, value, expected, what, delta):
        plain = expected is None or isinstance(expected, (str, bool)) or value in (None, ABSENT)
        if plain or (isinstance(value, int) and not isinstance(expected, float)):
            self.assertEqual(value, expected, what)
        else:
            delta *= max(1, abs(float(expected)))
            self.assertAlmostEqual(value, float(expected), delta=delta, msg=what)

    def check(self, owner, what):
        what += ", %s %s: " % (
            owner.scope,
            [v for v in owner.__dict__.values() if isinstance(v, (int, str))],
        )
        for key in FIGURES[owner.scope]:
            expected, value = owner[key], found(owner, key)
            if expected == ABSENT and value is None:  # a pair that is not tested says so
                self.assertEqual(found(owner, key, "_undefined"), "only accuracy is tested", what + key)
            elif expected != UNSAID and (owner.scope, key) != (
                "strategy",
                "undecoded",
            ):  # the JSON lists them
                digits = 1e-7 if "sleep" in owner.scope else 1e-9  # as many has GSL's Student's t
                self.same(value, expected, what + key, digits)
                if value is None:
                    self.assertTrue(found(owner, key, "_undefined"), what + key)
                elif value != ABSENT:
                    self.seen.add((owner.scope, key))
        if owner.scope == "runs of a class":
            lengths = [n for n, count in owner.own["lengths"] for _ in range(count)]
            self.assertEqual(lengths, sorted(owner.lengths), what)

    def rows(self):
        """(scope, key) of `help figures`."""
        scope, rows = None, []
        for line in self.statepath("help", "figures").stdout.splitlines():
            begin, row = re.match(r"Of the ([\w ,]+?)(?:: .*)?$", line), re.match(r"  (\w+)(?: |$)", line)
            scope = begin[1] if begin else None if line[:1].strip() else scope
            if row and scope:
                rows.append((scope, row[1]))
        return rows

    def test_each_has_its_formula(self):
        formulas = [(scope, key) for scope, rows in FIGURES.items() for key in rows]
        self.assertEqual(sorted(self.rows()), sorted(formulas))

    def test_each_is_that_of_its_formula(self):
        self.seen = set()
        for seed, name in itertools.product((1, 2), sorted(RUNS.keys() - {"hostile"})):
            run = make_run(self, name, seed, "-q")
            for owner in owners(run):
                self.check(owner, name)
            self.lists(run, name)
            if seed == 1:
                self.conditions(run)
        said = {
            (scope, key)
            for scope, rows in FIGURES.items()
            for key, text in rows.items()
            if text != "UNSAID"
        }
        self.assertEqual(said - self.seen, {("strategy", "undecoded")})

    def conditions(self, run):
        """A condition that a figure is another than the JSON says never holds."""
        texts = [""]
        for owner in owners(run):
            before = {"comparison": "", "reference": "reference."}.get(owner.scope)
            if owner.scope in ("strategy", "class of a strategy"):
                of_class = 'classes."%s".' % run.classes[owner.k] if owner.scope != "strategy" else ""
                before = '"%s".%s' % (owner.name, of_class)
            for key in FIGURES[owner.scope] if before is not None else ():
                value = found(owner, key)
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    condition = "%s%s != %r" % (before, key, value)
                    texts += [""] if len(texts[-1]) > 3900 else []
                    texts[-1] += "; " + condition
        self.assertGreater(len("".join(texts)), 2000)
        for text in texts:
            self.statepath(*run.words, "--fail-if", text, status=run.code)
        self.statepath(*run.words, "--fail-if", condition.replace("!=", "=="), status=4)

    # ---- what has no row: matrices, lists of pairs, worst recordings, contexts, tests over all strategies ----

    def lists(self, run, name):
        sides = [(strategy, one, run.paths[strategy]) for strategy, one in run.result["strategies"].items()]
        sides += [("reference", run.result["reference"], run.labels)] if run.has_labels else []
        for side, one, path in sides:
            self.transitions(run, one, path, (name, side))
            if side != "reference" and run.has_labels:
                self.matrices(run, one, path, (name, side))
        if "friedman" in run.result:
            self.several(run)
        who = [side for side, _, _ in sides]
        places = [(int(p["recording"]), p["step"], who.index(p["by"])) for p in run.result.get("run_places", ())]
        self.assertEqual(places, sorted(places), name)
        for side, one in run.result.get("sleep", {}).get("strategies", {}).items():
            for n, night in enumerate(one["nights"]):
                for measure, value in figure_tests.night(run, run.paths[side], n).items():
                    self.same(night[measure], value, (name, side, n, measure), 1e-9)
        for pair in run.result.get("comparisons", ()):
            if pair["ci"] and "margin" in run.options and pair["metric"] != "illegal_rate":
                self.assertEqual(pair["non_inferior"], pair["ci"][0] > -run.options["margin"])

    def transitions(self, run, one, path, what):
        pairs, legal = run.pairs(path), run.rules.legal
        counts = np.zeros((run.K, run.K), int)
        np.add.at(counts, (pairs[:, 0], pairs[:, 1]), 1)
        self.assertEqual(one["transition_counts"], counts.tolist(), what)
        wrong = {
            (run.classes[i], run.classes[j]): counts[i, j] for i, j in zip(*np.nonzero(counts * ~legal))
        }
        self.assertEqual({(p["from"], p["to"]): p["count"] for p in one["illegal_pairs"]}, wrong, what)
        listed = [p["count"] for p in one["illegal_pairs"]]
        self.assertEqual(listed, sorted(listed, reverse=True), what)
        of = Owner(run, "", None, path=path)
        worst = illegal_by_recording(of)
        if max(worst):
            self.assertEqual(
                one["worst_recording"], {"id": str(np.argmax(worst)), "illegal": max(worst)}, what
            )

    def matrices(self, run, one, path, what):
        y, p = run.labels[run.scored], path[run.scored]
        confusion = np.zeros((run.K, run.K), int)
        np.add.at(confusion, (y[p >= 0], p[p >= 0]), 1)
        self.assertEqual(one["confusion"], confusion.tolist(), what)
        undecoded = {c: int(((y == k) & (p < 0)).sum()) for k, c in enumerate(run.classes)}
        self.assertEqual(one["undecoded_steps"], {c: n for c, n in undecoded.items() if n}, what)
        labels, after = run.labels, np.append(run.joined[1:], False)
        differs = (labels != np.roll(labels, 1)) & (labels >= 0) & (np.roll(labels, 1) >= 0) & run.joined
        ends = after & (labels >= 0) & (np.roll(labels, -1) >= 0) & (labels != np.roll(labels, -1))
        for context, begins, is_last in ("AAA", 0, 0), ("AAX", 0, 1), ("XAA", 1, 0), ("XAX", 1, 1):
            here = run.scored & (differs == bool(begins)) & (ends == bool(is_last))
            right = int((path == labels)[here].sum())
            own = one["contexts"][context]
            self.assertEqual((own["steps"], own["correct"]), (int(here.sum()), right), (what, context))

    def several(self, run):
        """Friedman's test over units, Cochran's over steps."""
        names, y = list(run.result["strategies"]), run.labels
        rows = {}
        for n in range(run.N):
            steps = (run.recording == n) & run.scored
            if steps.any():
                row = [np.mean((run.paths[s] == y)[steps]) for s in names]
                rows.setdefault(n if run.subjects is None else run.subjects[n], []).append(row)
        rows = np.round([np.mean(row, axis=0) for row in rows.values()], 12)
        ranks = np.array([scipy.stats.rankdata(-row) for row in rows])
        if (ranks == ranks[:, :1]).all():
            return
        friedman, found = scipy.stats.friedmanchisquare(*rows.T), run.result["friedman"]
        self.assertAlmostEqual(found["chi2"], friedman.statistic, places=9)
        self.assertAlmostEqual(found["p"], friedman.pvalue, places=9)
        np.testing.assert_allclose(list(found["mean_ranks"].values()), ranks.mean(axis=0))
        right = np.array([(run.paths[s] == y)[run.scored] for s in names], float)
        k, g, of_step = len(names), right.sum(1), right.sum(0)
        q = (k - 1) * (k * np.sum(g**2) - g.sum() ** 2) / (k * of_step.sum() - np.sum(of_step**2))
        self.assertAlmostEqual(run.result["cochran"]["chi2"], q, places=9)
        self.assertAlmostEqual(run.result["cochran"]["p"], scipy.stats.chi2.sf(q, k - 1), places=9)

    def test_scikit_learn_says_the_same(self):
        try:
            import sklearn.metrics as metrics
        except ImportError:
            self.skipTest("scikit-learn is not installed")
        warnings.simplefilter("ignore")
        peers = {
            "accuracy": metrics.accuracy_score,
            "balanced_accuracy": metrics.balanced_accuracy_score,
            "kappa": metrics.cohen_kappa_score,
            "mcc": metrics.matthews_corrcoef,
            "weighted_f1": lambda y, p: metrics.f1_score(y, p, average="weighted", zero_division=0),
            "macro_f1": lambda y, p: metrics.f1_score(y, p, labels=list({*y, *p} - {99}), average="macro"),
        }
        for name in ("nights", "tags", "rules"):
            run = make_run(self, name, 4, "-q")
            y = run.labels[run.scored]
            for strategy, one in run.result["strategies"].items():
                path = run.paths[strategy][run.scored]
                path = np.where(path < 0, 99, path)  # undecoded is one more class of the path
                for key, peer in peers.items():
                    self.assertAlmostEqual(one[key], peer(y, path), places=12, msg=(name, strategy, key))
            if name != "nights":
                likelihood = metrics.log_loss(y, run.probs[run.scored], labels=range(run.K))
                self.assertAlmostEqual(run.result["nll"], likelihood, places=12)


st.main()
