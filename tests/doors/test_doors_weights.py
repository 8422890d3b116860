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

st.main()
