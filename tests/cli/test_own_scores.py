"""Argmax is of the scores as the classifier gave them: no temperature and no prior of the model or of options moves it, in no format, for
recordings of every length, in parts, and beside another classifier."""
import json

import statepath_test as st
from statepath_test import h5py, np

CLASSES = ["a", "b", "c", "d"]
MODEL = {"statepath_model": 1, "classes": CLASSES, "matrix": [[1, 1, 0, 1], [1, 1, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1]],
         "prior": [0.7, 0.2, 0.09, 0.01], "decoding": {"prior_weight": 0.8, "temperature": 3.7}}


class TestOwnScores(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("m.json", json.dumps(MODEL))
        self.write("plain.json", json.dumps({key: value for key, value in MODEL.items() if key != "decoding"}))
        draw = np.random.default_rng(6)
        self.scores = draw.normal(0, 1.5, (900, 4)).astype("f4")
        self.scores[5] = self.scores[5].max()  # a tie: the first class
        self.scores[6, 2:] = self.scores[6].max()
        self.scores[7, 3] = -np.inf
        self.scores[8] = np.nan  # says nothing: the first class
        self.labels = draw.integers(0, 4, 900)
        self.offsets = np.array([0, 300, 301, 900])
        with h5py.File(self.path("in.h5"), "w") as f:
            f["log_probs"], f["labels"], f["offsets"] = self.scores, self.labels, self.offsets
            f["classes"], f["ids"] = CLASSES, ["x", "y", "z"]
        self.best = np.where(np.isnan(self.scores).any(1), 0, np.where(np.isnan(self.scores), -np.inf, self.scores).argmax(1))

    def decoded(self, *words, model="m.json"):
        self.statepath("decode", "in.h5", "--kind", "scores", "-m", model, "-s", "argmax", "--missing", "uniform", "-o", "out.h5", "-f", "-q", *words)
        return self.arrays("out.h5")["paths/argmax"]

    def test_decode(self):
        for words in ((), ("--prior-weight", "2"), ("--temperature", "0.3"), ("--prior-weight", "-5", "--temperature", "40"), ("--on-infeasible", "relax")):
            np.testing.assert_array_equal(self.decoded(*words), self.best, str(words))
        np.testing.assert_array_equal(self.decoded("--prior-weight", "1.5", model="plain.json"), self.best)
        self.statepath("decode", "in.h5", "--kind", "scores", "-m", "m.json", "-s", "argmax,greedy,viterbi", "--missing", "uniform", "-o", "all.h5", "-q")
        with h5py.File(self.path("all.h5")) as f:
            np.testing.assert_array_equal(f["paths/argmax"][:], self.best)
            self.assertFalse((f["paths/viterbi"][:] == f["paths/argmax"][:]).all())

    def test_figures(self):
        scored = self.labels
        for words in (("in.h5",), ("in.h5", "--against", "old=in.h5")):
            self.statepath("compare", *words, "--kind", "scores", "-m", "m.json", "--missing", "uniform", "--json", "o.json", "-f", "-q")
            results = json.loads(self.read("o.json"))["strategies"]
            for name in [name for name in results if name.endswith("argmax")]:
                self.assertEqual(results[name]["accuracy"], float((self.best == scored).mean()), name)

    def test_what_is_before_decoding(self):
        """Likelihood, calibration and ties are of the classifier's scores too; what the scaled ones give stands beside them."""
        results = {}
        for model in ("m.json", "plain.json"):
            self.statepath("compare", "in.h5", "--against", "old=in.h5", "--kind", "scores", "-m", model, "--missing", "uniform", "--json", "o.json",
                           "-f", "-q")
            results[model] = json.loads(self.read("o.json"))
        plain, scaled = results["plain.json"], results["m.json"]
        self.assertEqual(scaled["argmax_ties"], plain["argmax_ties"])
        self.assertEqual(scaled["argmax_ties"]["steps"], 3)  # two ties, and a step that says nothing
        for before, after in ((plain, scaled), (plain["against"][0], scaled["against"][0])):
            self.assertAlmostEqual(after["nll"], before["nll"], places=12)
            for key in ("brier", "ece", "accuracy", "confidence"):
                self.assertAlmostEqual(after["calibration"][key], before["calibration"][key], places=12, msg=key)
        self.assertEqual(set(scaled["calibrations"]), {"given", "decoded"})
        self.assertAlmostEqual(scaled["calibrations"]["given"]["brier"], plain["calibration"]["brier"], places=12)
        self.assertNotAlmostEqual(scaled["calibrations"]["decoded"]["brier"], plain["calibration"]["brier"], places=3)


st.main()
