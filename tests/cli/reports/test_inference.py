"""Intervals and tests as options choose them, formed again here from the counts by recording that the JSON holds."""
import json

import numpy as np
import statepath_test as st

STAGES = ["Wake", "N1", "N2", "N3", "REM"]


def make(seed, n, low=40, high=90, noise=1.3):
    """Sticky labels, and scores that are right most of the time."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(low, high, n)
    labels = [np.repeat(rng.integers(0, 5, length), 4)[:length] for length in lengths]
    y = np.concatenate(labels)
    return {"scores": rng.normal(0, noise, (len(y), 5)) + 2.2 * np.eye(5)[y], "labels": y,
            "offsets": np.concatenate([[0], np.cumsum(lengths)]), "classes": STAGES}


class TestInference(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": STAGES,
                                         "forbid": {"Wake": ["N3", "REM"], "N1": ["N3"], "N3": ["N1", "REM"], "REM": ["N3"]}}))

    def compare(self, data, *options, strategies="argmax,posterior,viterbi"):
        self.h5("in.h5", **data)
        self.statepath("compare", "in.h5", "--model", "m.json", "--kind", "scores", "--strategies", strategies, "--json", "r.json",
                       "--csv", "r.csv", "--markdown", "r.md", "--report", "r.html", "-f", *options)
        return json.loads(self.read("r.json"))

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def units(self, result, pair, numerator, denominator):
        def rate(name):
            return np.array([r[numerator] / r[denominator] for r in result["strategies"][name]["per_recording"]])
        return np.round(rate(pair["a"]) - rate(pair["b"]), 12)  # so that what is equal on paper ties

    def test_studentised_is_shown(self):
        """Up to 128 recordings; above that BCa is."""
        few, many = self.compare(make(1, 25)), self.compare(make(4, 129, low=3, high=9))
        for result, shown, said in ((few, "studentised", "95 % studentised, bootstrap over nights"), (many, "bca", "95 % BCa, bootstrap over nights")):
            self.assertEqual(result["interval"], shown)
            self.compare(make(1, 25) if result is few else make(4, 129, low=3, high=9))
            self.assertIn(said, self.text("r.md"))
        self.assertTrue(all(pair["ci"][0] < pair["difference"] < pair["ci"][1] for pair in few["comparisons"] if pair["metric"] == "accuracy"))

    def test_the_least_p_in_words(self):
        result = self.compare(make(4, 5, noise=1.6), strategies="argmax,viterbi")
        pair = result["comparisons"][0]
        self.assertEqual(pair["ties"], 0)
        sentence = "with 5 nights the smallest p possible is 0.0625"
        self.assertEqual(pair["p_least_note"], sentence.replace("nights", "recordings"))
        self.assertIn(sentence, self.text("r.html"))
        self.assertIn(sentence, self.text("r.md"))
        printed = self.statepath("compare", "in.h5", "--model", "m.json", "--kind", "scores", "--strategies", "argmax,viterbi").stdout
        self.assertIn(sentence, " ".join(printed.split()))
        self.compare(make(4, 30), strategies="argmax,viterbi")  # enough recordings: nothing to say
        self.assertNotIn("the smallest p possible", self.text("r.md"))

    def test_sign_flips_of_illegal_rates(self):
        for n, method in ((9, "exact"), (26, "sampled")):
            result = self.compare(make(5, n))
            pair, = [p for p in result["comparisons"] if p["metric"] == "illegal_rate"]
            self.assertEqual((pair["a"], pair["b"]), ("posterior", "argmax"))
            d = self.units(result, pair, "illegal", "transitions")
            self.assertEqual(pair["p_sign_flip_method"], method)
            self.assertIsNone(pair["p"])
            if method == "sampled":
                signs = np.random.default_rng(6).choice((-1, 1), (40000, n))
                p = np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-12)
                self.assertAlmostEqual(pair["p_sign_flip"], p, delta=5 * np.sqrt(p * (1 - p) / 10000 + 1e-7))
            self.assertIn("illegal_rate_sign_flip_p", self.text("r.csv"))
            self.assertIn("sign-flip p", self.text("r.html"))

    def test_threads_change_nothing(self):
        data = make(7, 60)
        bytes_of = []
        for threads in ("1", "2", "5"):
            self.compare(data, "--threads", threads)
            text = self.text("r.json")
            bytes_of.append(text.replace("--threads " + threads, ""))
        self.assertEqual(len(set(bytes_of)), 1)

    def test_wrong_use(self):
        self.h5("in.h5", **make(8, 3))
        for options, sentence in [
        ]:
            self.refuses("compare", "in.h5", "--model", "m.json", "--kind", "scores", *options, status=2, sentence=sentence)


st.main()
