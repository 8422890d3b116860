"""Calibration, and intervals of kappa, macro F1 and illegal rate, as `statepath compare` writes them, against numpy, scikit-learn and
SciPy on files made here. Skipped where they are not installed."""

import json
import re
import sys
import unittest

import statepath_test as st

try:
    import h5py
    import numpy as np
    import scipy.stats
    import sklearn.metrics as metrics
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

BINS = 15
CLASSES = ["a", "b", "c", "d"]
MODEL = {"statepath_model": 1, "name": "four", "classes": CLASSES, "forbid": {"a": ["d"], "c": ["a"]}}


def wilson(right, n, level=0.95):
    z = scipy.stats.norm.ppf((1 + level) / 2)
    p = right / n
    middle, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0, (middle - half) / (1 + z * z / n)), min(1, (middle + half) / (1 + z * z / n))


def doubt_cell(doubt):
    """256 equal cells an octave, (1/2,1], (1/4,1/2], ...; as the documentation says."""
    if doubt <= 0:
        return 40 * 256 - 1
    octave = int(np.floor(-np.log2(doubt)))
    return min(octave * 256 + int((1 - doubt * 2.0 ** octave) * 512), 40 * 256 - 1)


class Calibration(st.TestCase):
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

    def check_bins(self, bins, index, conf, right, w, what):
        self.assertEqual(sum(b["n"] for b in bins), len(conf))
        for b, row in enumerate(bins):
            at = index == b
            self.assertEqual(row["n"], int(at.sum()), f"{what} bin {b}")
            if not at.any():
                self.assertIsNone(row["accuracy"])
                continue
            self.close(row["weight"], w[at].sum(), f"{what} weight {b}")
            self.close(row["confidence"], np.average(conf[at], weights=w[at]), f"{what} confidence {b}")
            self.close(row["accuracy"], np.average(right[at], weights=w[at]), f"{what} accuracy {b}")
            n = w[at].sum() ** 2 / (w[at] ** 2).sum()
            low, high = wilson(row["accuracy"] * n, n)
            self.close(row["accuracy_low"], low, f"{what} low {b}", 1e-9)
            self.close(row["accuracy_high"], high, f"{what} high {b}", 1e-9)

    def check(self, ours, p, labels, w=None):
        """p [S,K] sums to 1; rows of zeros have no possible class."""
        counted = (labels >= 0) & (p.sum(1) > 0)
        w = np.ones(len(p)) if w is None else w
        counted &= w > 0
        p, y, w = p[counted], labels[counted], w[counted]
        W, top, conf = w.sum(), p.argmax(1), p.max(1)
        right = (top == y).astype(float)
        self.assertEqual(ours["steps"], len(p))
        self.close(ours["accuracy"], metrics.accuracy_score(y, top, sample_weight=w), "accuracy")
        self.close(ours["confidence"], np.average(conf, weights=w), "confidence")
        onehot = np.eye(len(CLASSES))[y]
        self.close(ours["brier"], np.average(((p - onehot) ** 2).sum(1), weights=w), "Brier")
        one_against_rest = sum(metrics.brier_score_loss((y == k).astype(int), p[:, k], sample_weight=w, pos_label=1)
                               for k in range(len(CLASSES)))
        self.close(ours["brier"], one_against_rest, "Brier of scikit-learn")
        edges = np.arange(BINS + 1) / BINS
        index = np.clip(np.digitize(conf, edges) - 1, 0, BINS - 1)
        self.check_bins(ours["bins"], index, conf, right, w, "equal width")
        gaps = [(w[index == b].sum() / W, abs(np.average((right - conf)[index == b], weights=w[index == b]))) for b in set(index)]
        self.close(ours["ece"], sum(s * g for s, g in gaps), "ECE")
        self.close(ours["mce"], max(g for _, g in gaps), "MCE")
        self.close(ours["rmsce"], np.sqrt(sum(s * g * g for s, g in gaps)), "RMSCE")
        total = 0
        for k, name in enumerate(CLASSES):
            index = np.clip(np.digitize(p[:, k], edges) - 1, 0, BINS - 1)
            ece = sum(abs((w * (onehot[:, k] - p[:, k]))[index == b].sum()) for b in range(BINS)) / W
            self.close(ours["classes"][name]["ece"], ece, "ECE of class " + name)
            total += ece / len(CLASSES)
        self.close(ours["classwise_ece"], total, "classwise ECE")
        self.check_histogram(ours, p, conf, right, w)

    def check_histogram(self, ours, p, conf, right, w):
        # What is not the top class, summed: 1 - conf would round.
        others = np.sort(p, axis=1)[:, :-1].sum(1)
        cells = np.array([doubt_cell(d) for d in others])
        W, before, bins = w.sum(), 0.0, {}
        for cell in np.unique(cells):
            mass = w[cells == cell].sum()
            bins.setdefault(min(int((before + mass / 2) / W * BINS), BINS - 1), []).append(cell)
            before += mass
        index = np.full(len(conf), -1)
        for b, used in enumerate(bins.values()):
            index[np.isin(cells, used)] = b
        self.check_bins(ours["adaptive_bins"], index, conf, right, w, "equal mass")
        ace = sum(abs((w * (right - conf))[index == b].sum()) for b in range(len(bins))) / W
        self.close(ours["adaptive_ece"], ace, "adaptive ECE")
        points, kept = [], 0.0
        for cell in sorted(set(cells), reverse=True):
            at = cells >= cell
            last = kept
            kept = w[at].sum() / W
            if at.all() or np.floor(kept * 20 + 1e-9) > np.floor(last * 20 + 1e-9):
                points.append((kept, int(at.sum()), np.average(right[at], weights=w[at])))
        self.assertEqual(len(ours["coverage"]), len(points))
        for ours_point, (share, n, accuracy) in zip(ours["coverage"], points):
            self.close(ours_point["share"], share, "share")
            self.assertEqual(ours_point["n"], n)
            self.close(ours_point["accuracy"], accuracy, "accuracy of those kept")
            least = np.sort(conf)[::-1][n - 1]
            self.assertLessEqual(ours_point["confidence"], least + 1e-12)
            self.assertGreaterEqual(ours_point["confidence"], least - 0.002)

    def random(self, rng, n, sharpness):
        logits = rng.normal(size=(n, len(CLASSES))) * sharpness
        p = np.exp(logits - logits.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        labels = np.array([rng.choice(len(CLASSES), p=q) for q in p])
        return p, labels

    def test_random(self):
        rng = np.random.default_rng(31)
        for trial, (n, sharpness) in enumerate([(1, 1), (7, 2), (200, 0.1), (900, 1), (2500, 3), (2500, 12), (2500, 60)]):
            p, labels = self.random(rng, n, sharpness)
            labels = np.where(rng.random(n) < 0.1, -1, labels) if n > 7 else labels
            offsets = np.array([0, n // 3, n])
            weights = rng.choice([0, 0.5, 1, 2.25], n) if trial % 2 else None
            more = {} if weights is None else {"weights": weights}
            with np.errstate(divide="ignore"):
                ours = self.compare(log_probs=np.log(p), labels=labels, offsets=offsets, **more)
            if (labels >= 0).any() and (weights is None or weights[labels >= 0].any()):
                with self.subTest(trial=trial):
                    self.assertEqual(ours["calibration"]["weighted"], weights is not None)
                    self.check(ours["calibration"], p, labels, weights)
                    counted = (labels >= 0) & ((weights > 0) if weights is not None else True)
                    nll = metrics.log_loss(labels[counted], p[counted], labels=range(4), eps=1e-300,
                                           sample_weight=None if weights is None else weights[counted])
                    if ours["nll"] is not None:
                        self.close(ours["nll"], nll, "NLL", 1e-9 * max(1, nll))

    def test_mask_and_impossible_steps(self):
        """With a step mask the probabilities are those of the masked softmax."""
        rng = np.random.default_rng(32)
        p, labels = self.random(rng, 400, 2)
        mask = rng.random(p.shape) < 0.8
        mask[np.arange(400), labels] = True
        p[17] = 0  # a step on which no class is possible
        masked = p * mask
        with np.errstate(invalid="ignore"):
            masked = np.nan_to_num(masked / masked.sum(1, keepdims=True))
        ours = self.compare("--on-infeasible", "relax", probs=p, labels=labels, mask=mask)
        self.assertEqual(ours["calibration"]["impossible_steps"], 1)
        self.check(ours["calibration"], masked, labels)

    def test_calibrated_and_not(self):
        rng = np.random.default_rng(33)
        p, labels = self.random(rng, 20000, 1.5)
        self.assertLess(self.compare(probs=p, labels=labels)["calibration"]["ece"], 0.015)
        found = self.compare("--temperature", "0.3", probs=p, labels=labels)
        self.assertGreater(found["calibrations"]["decoded"]["ece"], 0.1)
        cooled = p ** (1 / 0.3)
        cooled /= cooled.sum(1, keepdims=True)
        self.check(found["calibrations"]["decoded"], cooled, labels)
        self.check(found["calibration"], p, labels)

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
