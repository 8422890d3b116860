"""Intervals of kappa, macro F1 and illegal rate, as `statepath compare` writes them, against SciPy's bootstrap on files made here; and where
calibration is absent. Skipped where SciPy and scikit-learn are not installed."""

import json
import re
import sys

import statepath_test as st

try:
    import h5py
    import numpy as np
    import scipy.stats
    import sklearn.metrics as metrics
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

CLASSES = ["a", "b", "c", "d"]
MODEL = {"statepath_model": 1, "name": "four", "classes": CLASSES, "forbid": {"a": ["d"], "c": ["a"]}}


class Intervals(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("four.json", json.dumps(MODEL))

    def compare(self, *more, status=0, **datasets):
        self.h5("in.h5", classes=CLASSES, **datasets)
        self.statepath("compare", "in.h5", "-m", "four.json", "--json", "out.json", "--csv", "out.csv", "-f", "-q", *more, status=status)
        with open(self.path("out.json"), encoding="utf-8") as f:
            return json.load(f)

    def close(self, ours, theirs, what, delta=1e-10):
        self.assertIsNotNone(ours, what)
        self.assertAlmostEqual(ours, theirs, delta=delta, msg=what)

    def random(self, rng, n, sharpness):
        logits = rng.normal(size=(n, len(CLASSES))) * sharpness
        p = np.exp(logits - logits.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        labels = np.array([rng.choice(len(CLASSES), p=q) for q in p])
        return p, labels

    def test_absent(self):
        rng = np.random.default_rng(34)
        p, labels = self.random(rng, 50, 1)
        self.assertNotIn("calibration", self.compare(probs=p))
        self.assertNotIn("calibration", self.compare("--clamp", status=3, probs=p, labels=labels))  # the scores are then the labels
        none = self.compare(probs=p, labels=np.full(50, -1))["calibration"]
        self.assertIsNone(none["ece"])
        self.assertEqual(none["ece_undefined"], "no scored steps")

    # ---- intervals ----

    def nights(self, rng, n):
        """Recordings of unequal difficulty, so that the bootstrap over them has something to see."""
        lengths = rng.integers(60, 200, n)
        p, labels = [], []
        for length in lengths:
            y = np.repeat(rng.integers(0, 4, length), rng.integers(1, 6, length))[:length]
            logits = rng.normal(size=(length, 4)) + rng.uniform(0.5, 2.5) * np.eye(4)[y]
            e = np.exp(logits)
            p.append(e / e.sum(1, keepdims=True))
            labels.append(y)
        return np.concatenate(p), np.concatenate(labels), np.concatenate([[0], np.cumsum(lengths)])

    def check_interval(self, ours, statistic, n, level=0.95):
        peer = scipy.stats.bootstrap((np.arange(n),), statistic, vectorized=False, method="BCa", n_resamples=2000,
                                     confidence_level=level, random_state=np.random.default_rng(5)).confidence_interval
        width = peer.high - peer.low
        self.assertAlmostEqual(ours[0], peer.low, delta=0.13 * width)
        self.assertAlmostEqual(ours[1], peer.high, delta=0.13 * width)

    def test_intervals(self):
        rng = np.random.default_rng(35)
        n = 24
        p, labels, offsets = self.nights(rng, n)
        labels[offsets[3]:offsets[3] + 9] = -1
        for level in (0.95, 0.8):
            ours = self.compare("-s", "argmax,posterior,viterbi", "-o", "paths.h5", "--level", str(level), probs=p, labels=labels,
                                offsets=offsets)
            self.assertEqual(ours["level"], level)
            with h5py.File(self.path("paths.h5")) as f:
                paths = {name: f["paths"][name][:] for name in f["paths"]}
            rows = [np.arange(offsets[i], offsets[i + 1]) for i in range(n)]

            at = [r[labels[r] >= 0] for r in rows]
            matrix = {name: np.array([metrics.confusion_matrix(labels[r], path[r], labels=range(4)) for r in at])
                      for name, path in paths.items()}

            def kappa(name, index):
                c = matrix[name][index].sum(0)
                chance = (c.sum(0) * c.sum(1)).sum() / c.sum() ** 2
                return (np.trace(c) / c.sum() - chance) / (1 - chance)

            def macro(name, index):
                c = matrix[name][index].sum(0)
                both = c.sum(0) + c.sum(1)
                return (2 * np.diag(c)[both > 0] / both[both > 0]).mean()

            whole = np.concatenate(at)
            for name, path in paths.items():  # the two above are right
                self.close(kappa(name, np.arange(n)), metrics.cohen_kappa_score(labels[whole], path[whole]), name)
                self.close(macro(name, np.arange(n)), metrics.f1_score(labels[whole], path[whole], average="macro"), name)

            forbidden = {(0, 3), (2, 0)}
            illegal = {name: np.array([sum((a, b) in forbidden for a, b in zip(path[r], path[r][1:])) for r in rows])
                       for name, path in paths.items()}
            pairs = np.diff(offsets) - 1

            def rate(name, index):
                return illegal[name][index].sum() / pairs[index].sum()

            functions = {"kappa": kappa, "macro_f1": macro, "illegal_rate": rate}
            found = [(c["a"], c["b"], c["metric"]) for c in ours["comparisons"]]
            argmax_pairs = [("posterior", "argmax"), ("viterbi", "argmax"), ("viterbi", "posterior")]
            self.assertEqual(found, [(a, b, m) for m in ("accuracy", "kappa", "macro_f1") for a, b in argmax_pairs] +
                             [("posterior", "argmax", "illegal_rate")])
            for c in ours["comparisons"][3:]:
                f = functions[c["metric"]]

                def difference(index, f=f, c=c):
                    return f(c["a"], index) - f(c["b"], index)

                self.close(c["difference"], difference(np.arange(n)), str(c), 1e-12)
                self.assertEqual(c["n"], n)
                self.assertEqual((c["p"], c["p_undefined"]), (None, "only accuracy is tested"))
                self.check_interval(c["ci"], difference, n, level)
                d = np.array([difference(np.array([i])) for i in range(n)])
                self.close(c["mean"], d.mean(), "mean")
                self.close(c["median"], np.median(d), "median")
                self.close(c["sd"], d.std(ddof=1), "sd")
                sign = -1 if c["metric"] == "illegal_rate" else 1
                self.assertEqual((c["better"], c["worse"], c["ties"]),
                                 ((sign * d > 0).sum(), (sign * d < 0).sum(), (d == 0).sum()))
            argmax = ours["strategies"]["argmax"]
            self.close(argmax["illegal_rate"], rate("argmax", np.arange(n)), "illegal rate")
            self.check_interval(argmax["illegal_rate_ci"], lambda index: rate("argmax", index), n, level)
            viterbi = ours["strategies"]["viterbi"]
            self.assertEqual((viterbi["illegal_rate"], viterbi["illegal_rate_ci"], viterbi["illegal_rate_ci_undefined"]),
                             (0, None, "0 by construction"))

    def test_level(self):
        rng = np.random.default_rng(36)
        p, labels, offsets = self.nights(rng, 9)
        ours = self.compare("--level", "0.995", "--report", "r.html", "--markdown", "r.md", probs=p, labels=labels, offsets=offsets)
        self.assertEqual((ours["level"], ours["calibration"]["level"]), (0.995, 0.995))
        for name in ("r.html", "r.md"):
            text = self.read(name).decode()
            self.assertIn("99.5 %", text)
            self.assertFalse(re.findall(r"(?<![\d.])95 % (?:BCa|interval|Wilson|band)", text))
        for level in ("95", "0", "1", "-0.5", "nan"):
            sentence = f"--level {level}: a number between 0 and 1; 0.95, the default, gives 95 % intervals"
            if level != "nan":
                self.refuses("compare", "in.h5", "-m", "four.json", "--level", level, sentence=sentence, status=2)

    def test_one_recording(self):
        rng = np.random.default_rng(37)
        p, labels = self.random(rng, 300, 1)
        for c in self.compare(probs=p, labels=labels)["comparisons"]:
            self.assertEqual((c["ci"], c["ci_undefined"]), (None, "one recording"))

    def test_kappa_undefined_in_draws(self):
        """Recordings of one class: a draw of one alone has no kappa. Two of them, and half of the draws are such."""
        p = np.tile([0.97, 0.01, 0.01, 0.01], (20, 1))
        p[10:] = p[10:, [1, 0, 2, 3]]
        ours = self.compare(probs=p, labels=np.repeat([0, 1], 10), offsets=np.array([0, 10, 20]))
        kappa = [c for c in ours["comparisons"] if c["metric"] == "kappa"][0]
        self.assertEqual((kappa["ci"], kappa["ci_undefined"]), (None, "undefined in more than a tenth of the resamples"))


if __name__ == "__main__":
    st.main()
