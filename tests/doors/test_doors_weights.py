"""Weights as users bring them: any numbers that are not negative, of any size."""
import json

import numpy as np

import statepath_test as st

K = 5


class TestWeights(st.TestCase):
    def compare(self, weights):
        rng = np.random.default_rng(3)
        probs = np.full((len(weights), K), .05)
        probs[:, 0] = np.r_[.2, rng.uniform(.3, .9, len(weights) - 1)]  # the first step is the least confident
        probs[:, 1:] = (1 - probs[:, :1]) / (K - 1)
        np.savez(self.path("x.npz"), probs=probs, labels=rng.integers(0, K, len(weights)), weights=weights)
        done = self.statepath("compare", "x.npz", "--model", "sleep-aasm", "--json", "-", "--report", "x.html", "-f", "--quiet")
        return json.loads(done.stdout)["calibration"]["accuracy"]

    def test_one_step_outweighs_the_rest_or_weighs_nothing(self):
        ones = np.ones(3000)
        plain = self.compare(ones)
        for least in (1e-20, 1e-300):
            self.assertAlmostEqual(self.compare(np.r_[least, ones[1:]]), self.compare(np.r_[0, ones[1:]]), 12)
        for greatest in (1e20, 1e150):
            self.assertIn(round(self.compare(np.r_[greatest, ones[1:]]), 9), (0, 1))
        self.assertTrue(.1 < plain < .3)

    def test_weights_of_forty_decades(self):
        rng = np.random.default_rng(5)
        for _ in range(20):
            self.assertTrue(0 <= self.compare(10 ** rng.uniform(-20, 20, 3000)) <= 1)

    def test_weights_whose_sums_would_not_be_numbers(self):
        """Up to 1e290 they are counted; beyond, the sentence says what to do."""
        self.compare(np.r_[1e290, np.full(2999, 5e-324)])
        with self.assertRaises(AssertionError) as found:
            self.compare(np.r_[1e308, np.full(2999, 5e-324)])
        self.assertIn("weights, recording x, step 0: weight 1e+308 is more than 1e290; divide all weights by one number", str(found.exception))


st.main()
