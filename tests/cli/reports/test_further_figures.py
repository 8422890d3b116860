"""Figures beyond agreement, each formed again here from the written paths, the plainest way: how far errors run on, regret, weighted kappa,
absent classes, coarser classes, trimmed wake, Friedman, Cochran, Bowker, Stuart-Maxwell, the standard error of kappa, margins."""
import json
import os
import sys
import warnings

import h5py
import numpy as np
import statepath_test as st

try:
    import scipy.stats
    import sklearn.metrics as metrics
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
FORBID = {"Wake": ["N3", "REM"], "N1": ["N3"], "N3": ["N1", "REM"], "REM": ["N3"]}
STRATEGIES = ["argmax", "greedy", "viterbi", "mea"]


def make(seed, n=9, classes=5, absent=None, traps=0.0):
    """Sticky labels with wake at both ends, scores that are right most of the time, gaps, unscored steps, some impossible classes."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 90, n)
    lengths[:2] = 60, 1
    labels, scores, segments = [], [], []
    for length in lengths:
        y = np.repeat(rng.integers(0, classes, length), rng.integers(1, 7))[:length]
        if absent is not None:
            y[y == absent] = 0
        y[:length // 5] = 0
        y[length - length // 6:] = 0
        e = rng.normal(0, 1, (length, classes)) + 2.2 * np.eye(classes)[y]
        e[np.arange(length), rng.integers(0, classes, length)] = np.where(rng.random(length) < 0.15, -np.inf, 0.3)
        for t in np.flatnonzero(rng.random(length) < traps):  # N3 alone, which Wake, N1 and REM cannot reach
            e[t, [0, 1, 2, 4]] = -np.inf
        y = np.where(rng.random(length) < 0.06, -1, y)
        labels.append(y)
        scores.append(e)
        segments.append(np.cumsum(rng.random(length) < 0.03))
    return {"scores": np.concatenate(scores), "labels": np.concatenate(labels), "segments": np.concatenate(segments),
            "offsets": np.concatenate([[0], np.cumsum(lengths)]), "classes": STAGES[:classes]}


class TestFigures(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": STAGES, "forbid": FORBID}))

    def compare(self, data, *options, strategies=STRATEGIES, status=None, model="m.json"):
        self.h5("in.h5", **data)
        arguments = ["compare", "in.h5", "--model", model, "--kind", "scores", "--strategies", ",".join(strategies), "-o", "p.h5", "--json",
                     "r.json", "--csv", "r.csv", "--markdown", "r.md", "--latex", "r.tex", "--report", "r.html", "-f", *options]
        for code in (0, 3):  # 3: greedy met a dead end
            try:
                self.statepath(*arguments, status=code)
                break
            except AssertionError:
                if code == 3:
                    raise
        result = json.loads(self.read("r.json"))
        with h5py.File(self.path("p.h5")) as f:
            self.paths = {s: f["paths"][s][:].astype(int) for s in strategies}
            self.status = {s: f["status"][s][:].astype(int) for s in strategies}
        return result

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def recordings(self, data):
        o = data["offsets"]
        return [(i, slice(o[i], o[i + 1])) for i in range(len(o) - 1)]

    # ---- how far errors run on ----

    def error_runs(self, data, name):
        """One run a stretch; every broken step looked at by itself."""
        lengths, broken, forbidden, longest = [], 0, 0, (0, None, None)
        for r, part in self.recordings(data):
            y, a, p, g = data["labels"][part], self.paths["argmax"][part], self.paths[name][part], data["segments"][part]
            stretches, now = [], []
            for t in range(len(y)):
                differs = a[t] >= 0 and p[t] >= 0 and a[t] != p[t]
                if now and (not differs or g[t] != g[t - 1]):
                    stretches.append(now)
                    now = []
                if differs:
                    now = now + [t]
            stretches += [now] if now else []
            for steps in stretches:
                bad = [t for t in steps if y[t] >= 0 and a[t] == y[t] and p[t] != y[t]]
                broken += len(bad)
                if not bad:
                    continue
                first = bad[0]
                length = steps[-1] - first + 1
                lengths.append(length)
                if length > longest[0]:
                    longest = (length, str(r), first)
                if first > 0 and g[first] == g[first - 1] and p[first - 1] >= 0:
                    forbidden += STAGES[y[first]] in FORBID.get(STAGES[p[first - 1]], [])
        return {"broken": broken, "count": len(lengths), "consequences": broken - len(lengths), "forbidden": forbidden,
                "mean": np.mean(lengths) if lengths else None, "median": np.median(lengths) if lengths else None, "longest": longest[0],
                "longest_recording": longest[1], "longest_step": longest[2]}

    def test_paths_that_break_no_pair(self):
        """A door that opens in exactly two steps: every pair of argmax's is allowed, but one of its paths opens in three."""
        model = {"statepath_model": 1, "name": "two steps", "classes": ["shut", "opening", "open"],
                 "states": {"s": "shut", "a": "opening", "b": "opening", "o": "open"},
                 "matrix": [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 1]]}
        with open(self.path("two.json"), "w") as f:
            json.dump(model, f)
        path = np.array([0, 1, 1, 2, 0, 1, 1, 1, 2, 2])
        with h5py.File(self.path("two.h5"), "w") as f:
            f["log_probs"] = np.log(.1 + .7 * np.eye(3)[path])
            f["offsets"] = [0, 4, 10]
        done = self.statepath("compare", "two.h5", "-m", "two.json", "--json", "two-r.json")
        self.assertIn("argmax breaks no rule between neighbouring steps, yet the model as a whole allows its path in 1 of 2",
                      " ".join(done.stdout.split()))
        self.assertNotIn("viterbi breaks", done.stdout)
        argmax = json.loads(self.read("two-r.json"))["strategies"]["argmax"]
        self.assertEqual((argmax["illegal"], argmax["path_score"]), (0, None))

    def test_error_runs(self):
        seen, dead = 0, 0
        for seed in range(8):
            data = make(seed, traps=0.02 if seed % 2 else 0)
            result = self.compare(data)["strategies"]
            self.assertNotIn("error_runs", result["argmax"])
            for name in STRATEGIES[1:]:
                ours, expected = result[name]["error_runs"], self.error_runs(data, name)
                for key, value in expected.items():
                    if value is None:
                        self.assertIsNone(ours.get(key), (seed, name, key))
                    else:
                        self.assertEqual(ours[key], value, (seed, name, key))
                if ours["broken"]:
                    self.assertAlmostEqual(ours["consequence_share"], ours["consequences"] / ours["broken"], delta=1e-15)
                self.assertEqual(sum(n for _, n in ours["lengths"]), ours["count"])
                self.assertEqual(ours["dead_ends"], int(np.sum(self.status[name] == 2)))
                seen += ours["count"]
                dead += ours["dead_ends"]
        self.assertGreater(seen, 100)
        self.assertGreater(dead, 0)
        self.assertGreater(result["greedy"]["error_runs"]["count"], 0)

    # ---- regret ----

    def test_regret(self):
        for seed in (3, 4):
            data = make(seed)
            e = data["scores"]
            for relax in ([], ["--on-infeasible", "relax"]):
                result = self.compare(data, *relax)["strategies"]
                log_p = e - np.log(np.sum(np.exp(e), axis=1, keepdims=True))
                for name in STRATEGIES:
                    path = self.paths[name]
                    chosen = np.where(path >= 0, log_p[np.arange(len(path)), path], np.nan)
                    finite = np.isfinite(chosen)
                    self.assertEqual(result[name]["zero_probability_steps"], int(np.sum(np.isneginf(chosen))))
                    self.assertEqual(result[name]["regret_steps"], int(np.sum(finite)))
                    expected = np.mean(np.max(log_p, axis=1)[finite] - chosen[finite])
                    self.assertAlmostEqual(result[name]["regret"], expected, delta=1e-12)
                self.assertEqual(result["argmax"]["regret"], 0)
                self.assertGreater(result["viterbi"]["regret"], 0)

    # ---- agreement ----

    def pooled(self, data, name):
        """Labels and path of scored steps; an undecoded step is a class of its own."""
        scored = data["labels"] >= 0
        path = self.paths[name][scored]
        return data["labels"][scored], np.where(path < 0, len(STAGES), path)

    def test_weighted_kappa_and_its_standard_error(self):
        for seed in (5, 6, 7):
            data = make(seed)
            for weights in ("linear", "quadratic"):
                result = self.compare(data, "--weighted-kappa", weights)
                self.assertEqual(result["kappa_weights"], weights)
                for name in STRATEGIES:
                    y, p = self.pooled(data, name)
                    if np.any(p == len(STAGES)):
                        continue  # scikit-learn would take undecoded for the class after REM
                    self.assertAlmostEqual(result["strategies"][name]["weighted_kappa"],
                                           metrics.cohen_kappa_score(y, p, labels=range(5), weights=weights), delta=1e-12)
            for name in STRATEGIES:
                y, p = self.pooled(data, name)
                c = metrics.confusion_matrix(y, p, labels=range(6)) / len(y)
                row, column = c.sum(1), c.sum(0)
                po, pe = np.trace(c), row @ column
                k = (po - pe) / (1 - pe)
                i = np.arange(6)
                a = np.sum(np.diag(c) * (1 - (row + column) * (1 - k)) ** 2)
                off = c * (i[:, None] != i)
                b = (1 - k) ** 2 * np.sum(off * (column[:, None] + row[None, :]) ** 2)
                se = np.sqrt((a + b - (k - pe * (1 - k)) ** 2) / len(y)) / (1 - pe)
                self.assertAlmostEqual(result["strategies"][name]["kappa_se"], se, delta=1e-12)
        self.assertIn("quadratic kappa", self.text("r.md"))

    def test_the_published_standard_error_of_kappa(self):
        """Fleiss, Cohen and Everitt 1969, table 1: three classes, their kappa 0.429, standard error 0.054 of 200 subjects."""
        confusion = np.array([[106, 10, 4], [22, 28, 10], [2, 12, 6]])
        pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(confusion[i, j])]
        y, p = np.array(pairs).T
        data = {"scores": 4.0 * np.eye(3)[p], "labels": y, "offsets": [0, 100, 200], "classes": ["a", "b", "c"]}
        self.write("three.json", json.dumps({"statepath_model": 1, "name": "m", "classes": ["a", "b", "c"], "forbid": {}}))
        result = self.compare(data, strategies=["argmax"], model="three.json")["strategies"]["argmax"]
        self.assertAlmostEqual(result["kappa"], 0.429, delta=5e-4)
        self.assertAlmostEqual(result["kappa_se"], 0.054, delta=5e-4)

    def test_absent_classes(self):
        data = make(8, absent=3)
        data["scores"][:, 3] = -np.inf  # never predicted either
        expected = {}
        for word, value in (("zero", 0), ("one", 1), ("exclude", None)):
            result = self.compare(data, "--absent-class", word)
            self.assertEqual(result.get("absent_class"), None if value is None else word)
            for name in STRATEGIES:
                y, p = self.pooled(data, name)
                ours = result["strategies"][name]
                self.assertEqual(ours["macro_f1_classes"], 4)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    if value is not None:
                        for key, score in (("macro_f1", metrics.f1_score), ("macro_precision", metrics.precision_score),
                                           ("macro_recall", metrics.recall_score)):
                            self.assertAlmostEqual(ours[key], score(y, p, labels=range(5), average="macro", zero_division=value),
                                                   delta=1e-12, msg=(word, name, key))
                    self.assertAlmostEqual(ours["balanced_accuracy"], metrics.balanced_accuracy_score(y, p), delta=1e-12)
                expected.setdefault(name, {})[word] = ours["macro_f1"]
            for pair in result["comparisons"]:
                if pair["metric"] == "macro_f1":
                    d = result["strategies"][pair["a"]]["macro_f1"] - result["strategies"][pair["b"]]["macro_f1"]
                    self.assertAlmostEqual(pair["difference"], d, delta=1e-12)
        for name in STRATEGIES:
            self.assertAlmostEqual(expected[name]["one"], expected[name]["zero"] + 0.2, delta=1e-12)
            self.assertAlmostEqual(expected[name]["exclude"], expected[name]["zero"] * 5 / 4, delta=1e-12)
        self.assertIn("Macro F1 of argmax is over 4 of 5 classes.", self.text("r.md"))

    def test_coarser_classes(self):
        data = make(9)
        result = self.compare(data, "--collapse", " Deep = N2,N3 ;Other=Wake,REM", "--collapse", "Light=N1,N2")
        self.assertEqual([c["name"] for c in result["collapsed"]],
                         ["Wake / Light / N3 / REM", "Wake / NREM / REM", "Wake / Sleep", "Other / N1 / Deep", "Wake / Light / N3 / REM"])
        maps = [[0, 1, 1, 2, 3], [0, 1, 1, 1, 2], [0, 1, 1, 1, 1], [0, 1, 2, 2, 0], [0, 1, 1, 2, 3]]
        self.assertEqual(result["collapsed"][3]["groups"], {"Other": ["Wake", "REM"], "N1": ["N1"], "Deep": ["N2", "N3"]})
        self.assertEqual(result["collapsed"][0]["strategies"], result["collapsed"][4]["strategies"])
        for group, one in zip(maps, result["collapsed"]):
            n = max(group) + 1
            table = np.array(group + [n])
            for name in STRATEGIES:
                y, p = (table[v] for v in self.pooled(data, name))
                ours = one["strategies"][name]
                self.assertAlmostEqual(ours["accuracy"], np.mean(y == p), delta=1e-12)
                self.assertAlmostEqual(ours["kappa"], metrics.cohen_kappa_score(y, p), delta=1e-12)
                self.assertAlmostEqual(ours["mcc"], metrics.matthews_corrcoef(y, p), delta=1e-12)
                self.assertAlmostEqual(ours["macro_f1"], metrics.f1_score(y, p, labels=range(n), average="macro"), delta=1e-12)
        for text in (self.text("r.md"), self.text("r.tex"), self.text("r.html"), self.text("r.csv")):
            self.assertIn("Other / N1 / Deep", text)

    def test_wake_is_trimmed_by_the_reference(self):
        data = make(10)
        whole = self.compare(data, "--epoch-seconds", "30")
        for minutes in (0, 1.5, 1000):
            result = self.compare(data, "--epoch-seconds", "30", "--wake-trim", str(minutes))
            self.assertIn("Wake more than %g min before or after" % minutes, self.text("r.md"))
            kept, margin = data["labels"].copy(), int(minutes * 2)
            trimmed = []
            for _, part in self.recordings(data):
                sleep = np.flatnonzero(kept[part] > 0)
                out = np.zeros(len(kept[part]), bool)
                if len(sleep):
                    t = np.arange(len(out))
                    out = ((t < sleep[0] - margin) | (t > sleep[-1] + margin)) & (kept[part] >= 0)
                kept[part] = np.where(out, -1, kept[part])
                trimmed.append(int(out.sum()))
            self.assertEqual([r["trimmed"] for r in result["strategies"]["viterbi"]["per_recording"]], trimmed)
            self.assertEqual(result["trimmed_steps"], sum(trimmed))
            self.assertEqual(result["sleep"], whole["sleep"])
            self.assertEqual(result["strategies"]["viterbi"]["illegal_pairs"], whole["strategies"]["viterbi"]["illegal_pairs"])
            by_hand = self.compare({**data, "labels": kept}, "--epoch-seconds", "30")
            for key in ("comparisons", "nll", "calibration", "mask_ceiling", "reference", "collapsed"):
                self.assertEqual(result[key], by_hand[key], (minutes, key))
            for name in STRATEGIES:
                for key in ("accuracy", "kappa", "macro_f1", "confusion", "contexts", "bouts", "boundaries", "edit_score", "error_runs"):
                    if key in by_hand["strategies"][name]:
                        self.assertEqual(result["strategies"][name][key], by_hand["strategies"][name][key], (minutes, name, key))
            self.h5("labels.h5", **data)
            self.statepath("evaluate", "p.h5", "--labels", "labels.h5", "--json", "e.json", "-f", "--epoch-seconds", "30", "--wake-trim",
                           str(minutes), status=3 if any(np.any(s) for s in self.status.values()) else 0)
            judged = json.loads(self.read("e.json"))
            self.assertEqual(judged["trimmed_steps"], sum(trimmed))
            self.assertEqual([judged["nll_steps"], judged["nll"]], [result["nll_steps"], result["nll"]])
            self.assertEqual(judged["strategies"]["viterbi"]["confusion"], result["strategies"]["viterbi"]["confusion"])
            self.assertGreater(sum(trimmed), 10 if minutes < 1000 else -1)

    # ---- tests ----

    def test_over_all_strategies(self):
        for seed in (11, 12):
            data = make(seed)
            result = self.compare(data)
            rows, right = [], []
            for _, part in self.recordings(data):
                scored = data["labels"][part] >= 0
                if scored.any():
                    rows.append([np.mean((self.paths[s][part] == data["labels"][part])[scored]) for s in STRATEGIES])
            scored = data["labels"] >= 0
            right = np.array([(self.paths[s] == data["labels"])[scored] for s in STRATEGIES], float)
            rows = np.round(np.array(rows), 12)
            friedman = scipy.stats.friedmanchisquare(*rows.T)
            self.assertAlmostEqual(result["friedman"]["chi2"], friedman.statistic, delta=1e-9)
            self.assertAlmostEqual(result["friedman"]["p"], friedman.pvalue, delta=1e-12)
            ranks = np.mean([scipy.stats.rankdata(-row) for row in rows], axis=0)
            for name, rank in zip(STRATEGIES, ranks):
                self.assertAlmostEqual(result["friedman"]["mean_ranks"][name], rank, delta=1e-12)
            k, g, l = len(STRATEGIES), right.sum(1), right.sum(0)
            q = (k - 1) * (k * np.sum(g ** 2) - g.sum() ** 2) / (k * l.sum() - np.sum(l ** 2))
            self.assertAlmostEqual(result["cochran"]["chi2"], q, delta=1e-9)
            self.assertAlmostEqual(result["cochran"]["p"], scipy.stats.chi2.sf(q, k - 1), delta=1e-12)
        two = self.compare(data, strategies=STRATEGIES[:2])
        self.assertNotIn("friedman", two)

    def test_symmetry(self):
        checked = 0
        for seed in (13, 14):
            data = make(seed)
            result = self.compare(data)
            for pair in result["comparisons"]:
                if pair["metric"] != "accuracy":
                    self.assertNotIn("bowker", pair)
                    continue
                a, b = self.paths[pair["a"]], self.paths[pair["b"]]
                both = (a >= 0) & (b >= 0)
                n = metrics.confusion_matrix(a[both], b[both], labels=range(5)).astype(float)
                i, j = np.triu_indices(5, 1)
                some = n[i, j] + n[j, i] > 0
                bowker = np.sum(((n[i, j] - n[j, i]) ** 2)[some] / (n[i, j] + n[j, i])[some])
                m = int(np.sum(n.sum(0) + n.sum(1) > 0))
                self.assertEqual(pair["bowker"]["df"], m * (m - 1) // 2)
                self.assertAlmostEqual(pair["bowker"]["chi2"], bowker, delta=1e-9)
                self.assertAlmostEqual(pair["bowker"]["p"], scipy.stats.chi2.sf(bowker, m * (m - 1) // 2), delta=1e-12)
                d = n.sum(1) - n.sum(0)
                s = np.diag(n.sum(1) + n.sum(0)) - n - n.T
                rank = np.linalg.matrix_rank(s)
                maxwell = d @ np.linalg.pinv(s) @ d
                self.assertEqual(pair["stuart_maxwell"]["df"], rank)
                self.assertAlmostEqual(pair["stuart_maxwell"]["chi2"], maxwell, delta=1e-7 * max(1, maxwell))
                units = [np.sum((a[p] == data["labels"][p]) & (data["labels"][p] >= 0)) -
                         np.sum((b[p] == data["labels"][p]) & (data["labels"][p] >= 0)) for _, p in self.recordings(data)]
                units = np.array(units, float)
                self.assertAlmostEqual(pair["mcnemar_cluster"]["chi2"], units.sum() ** 2 / np.sum(units ** 2), delta=1e-12)
                self.assertEqual(pair["p_least"], 2.0 ** (1 - pair["better"] - pair["worse"]))
                checked += 1
        self.assertEqual(checked, 12)

    def test_margin(self):
        data = make(15)
        for margin in (0.0, 0.02, 0.5):
            result = self.compare(data, "--margin", str(margin))
            self.assertEqual(result["margin"], margin)
            for pair in result["comparisons"]:
                if pair["metric"] != "illegal_rate":
                    self.assertEqual(pair["non_inferior"], pair["ci"][0] > -margin)
        said = " ".join(self.statepath("compare", "in.h5", "--model", "m.json", "--kind", "scores", "--margin", "0.5", "--strategies",
                                       "argmax,viterbi").stdout.split())
        self.assertIn("viterbi loses no more than 50.00 percentage points of accuracy against argmax: the interval begins at", said)
        self.assertNotIn("non_inferior", self.compare(data)["comparisons"][0])

    def test_wrong_use(self):
        data = make(16)
        self.h5("in.h5", **data)
        self.h5("labels.h5", **{k: v for k, v in data.items() if k != "labels"})
        self.write("abc.json", json.dumps({"statepath_model": 1, "name": "m", "classes": ["a", "b", "c", "d", "e"], "forbid": {}}))
        self.h5("abc.h5", **{**data, "classes": ["a", "b", "c", "d", "e"]})
        for file, model, options, sentence in [
            ("in.h5", "m.json", ["--weighted-kappa", "cubic"],
             "--weighted-kappa cubic: it is linear or quadratic, and takes the classes to be in order"),
            ("in.h5", "m.json", ["--absent-class", "two"], "--absent-class two: it is exclude, zero or one"),
            ("in.h5", "m.json", ["--collapse", "Deep"], "--collapse 'Deep': write NAME=CLASS,CLASS; groups are separated by ';'"),
            ("in.h5", "m.json", ["--collapse", "Deep=N2,M3"], "--collapse: there is no class 'M3'; did you mean N3?"),
            ("in.h5", "m.json", ["--collapse", "A=N2;B=N1,N2"], "--collapse: class N2 is in two groups, A and B"),
            ("in.h5", "m.json", ["--collapse", "A=N2;A=N1"], "--collapse: two groups are called A"),
            ("in.h5", "m.json", ["--collapse", "REM=N2,N1"], "--collapse: group REM is called as a class that is not in it"),
            ("in.h5", "m.json", ["--collapse", "A=Wake,N1,N2,N3,REM"],
             "--collapse 'A=Wake,N1,N2,N3,REM': one class is left; at least two are needed"),
            ("in.h5", "m.json", ["--margin", "-1"],
             "--margin -1: the loss that would still be no harm, from 0 to 1, such as 0.01 for one percentage point"),
            ("in.h5", "m.json", ["--wake-trim", "-3"], "--wake-trim -3: minutes of wake kept before and after sleep, such as 30"),
            ("labels.h5", "m.json", ["--wake-trim", "3"], "--wake-trim needs labels: they say where sleep begins and ends"),
            ("abc.h5", "abc.json", ["--wake-trim", "3"],
             "--wake-trim is for sleep stages: it needs the classes Wake, N1, N2, N3 and REM (or names that `statepath model show "
             "sleep-aasm` knows)"),
        ]:
            self.refuses("compare", file, "--model", model, "--kind", "scores", *options, status=2, sentence=sentence)


st.main()
