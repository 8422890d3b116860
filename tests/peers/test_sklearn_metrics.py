"""Agreement and paired tests against scikit-learn and SciPy, on random data. Skipped where they are not installed."""

import json
import os
import subprocess
import sys
import unittest
import warnings

try:
    import numpy as np
    import scipy.stats
    import sklearn.metrics as metrics
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TOOL = os.path.join(os.environ["STATEPATH_PEERS"], "statistics_tool")


def ask(questions):
    done = subprocess.run([TOOL], input=json.dumps(questions), capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def random_steps(rng, classes, n):
    """Reference and path over `classes` classes, of which some may not occur, and skewed."""
    weights = rng.dirichlet(np.full(classes, 0.7))
    truth = rng.choice(classes, n, p=weights)
    path = np.where(rng.random(n) < rng.uniform(0.2, 0.95), truth, rng.choice(classes, n, p=rng.dirichlet(np.full(classes, 0.7))))
    return truth, path


class Agreement(unittest.TestCase):
    def close(self, ours, theirs, what):
        if ours is None:
            self.fail(f"{what} is undefined, expected {theirs}")
        self.assertAlmostEqual(ours, theirs, delta=1e-10, msg=what)

    def check(self, classes, truth, path, answer):
        # An undecoded step (-1) is one more class of the path for scikit-learn.
        path = np.where(path < 0, classes, path)
        labels = list(range(classes))
        self.close(answer["accuracy"], metrics.accuracy_score(truth, path), "accuracy")
        self.close(answer["balanced_accuracy"], metrics.balanced_accuracy_score(truth, path), "balanced accuracy")
        kappa = metrics.cohen_kappa_score(truth, path)
        if np.isnan(kappa):
            self.assertIsNone(answer["kappa"])
        else:
            self.close(answer["kappa"], kappa, "kappa")
        if answer["mcc"] is None:  # scikit-learn says 0 where one class meets one class
            self.assertEqual((len(set(truth)), len(set(path))), (1, 1))
        else:
            self.close(answer["mcc"], metrics.matthews_corrcoef(truth, path), "MCC")
        precision, recall, f1, support = metrics.precision_recall_fscore_support(truth, path, labels=labels, zero_division=0)
        tables = metrics.multilabel_confusion_matrix(truth, path, labels=labels)
        defined = []
        for k, row in enumerate(answer["classes"]):
            predicted = int(np.sum(path == k))
            self.assertEqual(row["support"], support[k])
            self.assertEqual(row["predicted"], predicted)
            (tn, fp), (fn, _) = tables[k]
            expected = {
                "precision": precision[k] if predicted else None,
                "recall": recall[k] if support[k] else None,
                "f1": f1[k] if predicted or support[k] else None,
                "specificity": tn / (tn + fp) if tn + fp else None,
                "npv": tn / (tn + fn) if tn + fn else None,
                "prevalence": support[k] / len(truth),
            }
            one_against_rest = metrics.cohen_kappa_score(truth == k, path == k)
            expected["kappa"] = None if np.isnan(one_against_rest) else one_against_rest
            for name, value in expected.items():
                if value is None:
                    self.assertIsNone(row[name], f"{name} of class {k}")
                else:
                    self.close(row[name], value, f"{name} of class {k}")
            if expected["f1"] is not None:
                defined.append(k)
        self.assertEqual(answer["macro_f1_classes"], len(defined))
        self.close(answer["macro_f1"], metrics.f1_score(truth, path, labels=defined, average="macro", zero_division=0), "macro F1")
        self.close(answer["weighted_f1"], metrics.f1_score(truth, path, labels=labels, average="weighted", zero_division=0),
                   "weighted F1")

    def test_random(self):
        rng = np.random.default_rng(20)
        problems, questions = [], []
        for trial in range(400):
            classes = int(rng.integers(1, 9))
            truth, path = random_steps(rng, classes, int(rng.integers(1, 200)))
            if trial % 3 == 0:
                path = np.where(rng.random(len(path)) < 0.2, -1, path)
            confusion = np.zeros((classes, classes), int)
            np.add.at(confusion, (truth[path >= 0], path[path >= 0]), 1)
            undecoded = np.bincount(truth[path < 0], minlength=classes)
            problems.append((classes, truth, path))
            questions.append({"ask": "agreement", "confusion": confusion.tolist(), "undecoded": undecoded.tolist()})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for (classes, truth, path), answer in zip(problems, ask(questions)):
                self.check(classes, truth, path, answer)


class PairedTests(unittest.TestCase):
    def test_wilcoxon_without_ties(self):
        rng = np.random.default_rng(21)
        samples = [np.round(rng.normal(0.3, 1, n), 12) for n in (1, 2, 3, 5, 8, 13, 21, 34, 50)]
        for d, answer in zip(samples, ask([{"ask": "wilcoxon", "d": d.tolist()} for d in samples])):
            self.assertTrue(answer["exact"])
            self.assertAlmostEqual(answer["p"], scipy.stats.wilcoxon(d, mode="exact").pvalue, delta=1e-12)

    def test_wilcoxon_large_with_ties_and_zeros(self):
        rng = np.random.default_rng(22)
        samples = [rng.integers(-40, 43, 1500) / 7.0 for _ in range(5)]
        for d, answer in zip(samples, ask([{"ask": "wilcoxon", "d": d.tolist()} for d in samples])):
            self.assertFalse(answer["exact"])
            self.assertAlmostEqual(answer["p"], scipy.stats.wilcoxon(d, mode="approx", correction=False).pvalue, delta=1e-10)

    def test_wilcoxon_of_a_few_with_ties_and_zeros(self):
        """The exact distribution of the very mid-ranks, against SciPy's permutation test of their signed sum."""
        rng = np.random.default_rng(25)
        samples = [rng.integers(-4, 6, n) / 7.0 for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11) for _ in range(2)]
        questions = [{"ask": "wilcoxon", "d": d.tolist(), "pratt": pratt} for d in samples for pratt in (False, True)]
        for question, answer in zip(questions, ask(questions)):
            d = np.array(question["d"])
            d = d if question["pratt"] else d[d != 0]
            ranks = scipy.stats.rankdata(np.abs(d))
            if not np.any(d):
                self.assertIsNone(answer["p"])
                continue

            def signed_sum(signs, ranks=ranks):
                return np.sum(np.sign(signs) * ranks[np.abs(signs).astype(int) - 1])

            # Places 1..n carry the ranks, their signs are flipped; a difference of 0 adds nothing whatever its sign.
            places = np.where(d > 0, 1, -1) * np.arange(1, len(d) + 1)
            keep = d != 0
            peer = scipy.stats.permutation_test((places[keep],), signed_sum, permutation_type="samples", n_resamples=np.inf,
                                                vectorized=False)
            self.assertTrue(answer["exact"])
            self.assertAlmostEqual(answer["p"], min(1, peer.pvalue), delta=1e-12)
            self.assertEqual(answer["p_least"], 2.0 ** (1 - int(keep.sum())))

    def test_wilcoxon_large_with_ranked_zeros(self):
        rng = np.random.default_rng(26)
        samples = [rng.integers(-40, 43, 1500) / 7.0 for _ in range(5)] + [rng.integers(-2, 3, 4000) / 3.0]
        for d, answer in zip(samples, ask([{"ask": "wilcoxon", "d": d.tolist(), "pratt": True} for d in samples])):
            peer = scipy.stats.wilcoxon(d, zero_method="pratt", mode="approx", correction=False)
            self.assertFalse(answer["exact"])
            self.assertAlmostEqual(answer["p"], peer.pvalue, delta=1e-10)

    def test_sign_flip(self):
        rng = np.random.default_rng(23)
        samples = [np.round(rng.normal(0.2, 1, n), 2) for n in (2, 4, 7, 10)]
        for d, answer in zip(samples, ask([{"ask": "sign_flip", "d": d.tolist()} for d in samples])):
            peer = scipy.stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=False)
            self.assertTrue(answer["exact"])
            self.assertAlmostEqual(answer["p"], peer.pvalue, delta=1e-12)

    def test_mcnemar(self):
        tables = [(b, c) for b in (0, 1, 3, 10, 57, 400) for c in (1, 2, 10, 44, 390)]
        for (b, c), answer in zip(tables, ask([{"ask": "mcnemar", "b": b, "c": c} for b, c in tables])):
            exact = min(1.0, scipy.stats.binomtest(b, b + c).pvalue)
            self.assertAlmostEqual(answer["exact"], exact, delta=1e-9 * exact + 1e-300)
            self.assertAlmostEqual(answer["chi2_p"], scipy.stats.chi2.sf((b - c) ** 2 / (b + c), 1), delta=1e-12)

    def test_bootstrap(self):
        """SciPy draws other resamples, so ends agree but for chance: to a tenth of the interval's width."""
        rng = np.random.default_rng(24)
        for n in (12, 40):
            scored = rng.integers(50, 400, n)
            a = rng.binomial(scored, rng.beta(12, 3, n))
            b = np.clip(a - rng.poisson(rng.gamma(0.5, 6, n)) + 2, 0, scored)

            def difference(index):
                return (a[index].sum() - b[index].sum()) / scored[index].sum()

            peers = {kind: scipy.stats.bootstrap((np.arange(n),), difference, vectorized=False, method=kind, n_resamples=9999,
                                                 random_state=np.random.default_rng(5)).confidence_interval
                     for kind in ("BCa", "percentile")}
            answer = ask([{"ask": "bootstrap", "a": a.tolist(), "b": b.tolist(), "scored": scored.tolist(), "resamples": 9999,
                           "level": 0.95}])[0]
            self.assertAlmostEqual(answer["difference"], difference(np.arange(n)), delta=1e-12)
            for kind, peer in peers.items():
                width = peer.high - peer.low
                self.assertAlmostEqual(answer[kind.lower()][0], peer.low, delta=0.1 * width)
                self.assertAlmostEqual(answer[kind.lower()][1], peer.high, delta=0.1 * width)


if __name__ == "__main__":
    unittest.main()
