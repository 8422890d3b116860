"""Paired tests and intervals against SciPy, on random data. Skipped where it is not installed."""

import json
import os
import subprocess
import sys
import unittest

try:
    import numpy as np
    import scipy.stats
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TOOL = os.path.join(os.environ["STATEPATH_PEERS"], "statistics_tool")


def ask(questions):
    done = subprocess.run([TOOL], input=json.dumps(questions), capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


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

    def test_bootstrap(self):
        """BCa, of more than 128 units. SciPy draws other resamples, so ends agree but for chance: to a tenth of the interval's width."""
        rng = np.random.default_rng(24)
        for n in (129, 200):
            scored = rng.integers(50, 400, n)
            a = rng.binomial(scored, rng.beta(12, 3, n))
            b = np.clip(a - rng.poisson(rng.gamma(0.5, 6, n)) + 2, 0, scored)

            def difference(index):
                return (a[index].sum() - b[index].sum()) / scored[index].sum()

            peer = scipy.stats.bootstrap((np.arange(n),), difference, vectorized=False, method="BCa", n_resamples=9999,
                                         random_state=np.random.default_rng(5)).confidence_interval
            answer = ask([{"ask": "bootstrap", "a": a.tolist(), "b": b.tolist(), "scored": scored.tolist(), "resamples": 9999,
                           "level": 0.95}])[0]
            self.assertAlmostEqual(answer["difference"], difference(np.arange(n)), delta=1e-12)
            self.assertAlmostEqual(answer["ci"][0], peer.low, delta=0.1 * (peer.high - peer.low))
            self.assertAlmostEqual(answer["ci"][1], peer.high, delta=0.1 * (peer.high - peer.low))


if __name__ == "__main__":
    unittest.main()
