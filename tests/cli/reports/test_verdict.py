"""What is said first: which strategy leads, and what more accuracy was bought with."""
import json
import re

import numpy as np

import statepath_test as st

CLASSES = [b"a", b"b"]


class TestVerdict(st.TestCase):
    def setUp(self):
        super().setUp()
        # Of 20 steps 18 are a and 2 are b. The classifier says b too early and too late, but finds every run; a minimum dwell erases them.
        labels = np.tile([0] * 9 + [1] * 2 + [0] * 9, 40)
        b = np.tile([-5.0] * 6 + [0.5] * 8 + [-5.0] * 6, 40)
        scores = np.stack([np.zeros(len(b)), b], axis=1)
        self.h5("in.h5", scores=scores, labels=labels.astype(np.int8), offsets=np.arange(0, 801, 80), classes=CLASSES)
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": ["a", "b"], "forbid": {}, "min_dwell": {"b": 9}}))

    def compare(self, *options):
        out = self.statepath("compare", "in.h5", "--model", "m.json", "--report", "r.html", "--json", "r.json", "--markdown", "r.md", "-f", "-q",
                             *options).stdout
        return out, self.read("r.html").decode(), json.loads(self.read("r.json"))

    def test_accuracy_that_was_bought_is_said_first(self):
        out, page, _ = self.compare()
        price = ("viterbi's accuracy of 0.9000 (argmax 0.7000) is bought with segments: edit score 0.1111 (argmax 1.0000), and with classes: "
                 "kappa 0.0000 (argmax 0.2857), macro F1 0.4737 (argmax 0.6000).")
        self.assertEqual(" ".join(out.split("\n\n")[0].split("\n", 2)[2].split()), price)
        headline = re.search(r'<p class="headline">(.*?)</p>', page).group(1)
        self.assertTrue(headline.endswith(price.replace("'", "&#39;")), headline)
        self.assertIn(price, self.read("r.md").decode().split("| strategy")[0].replace("\\", ""))

    def test_the_option_that_keeps_the_figure_is_named_where_models_were_fitted(self):
        rng = np.random.default_rng(4)
        labels = np.repeat((rng.random(600) < 0.12).astype(int), 2)
        e = np.log(np.stack([0.6 - 0.25 * labels, 0.4 + 0.25 * labels], axis=1)) + rng.normal(size=(1200, 2)) * 0.9
        self.h5("cv.h5", log_probs=e - np.log(np.exp(e).sum(axis=1, keepdims=True)), labels=labels, offsets=np.arange(0, 1201, 100), classes=CLASSES)
        self.write("free.json", json.dumps({"statepath_model": 1, "name": "m", "classes": ["a", "b"], "forbid": {}}))
        out = " ".join(self.statepath("compare", "cv.h5", "--model", "free.json", "--cv", "4", "--method", "counts", "--features", "none").stdout.split())
        bought = re.search(r"viterbi's accuracy of 0\.\d+ \(argmax 0\.\d+\) is bought with .*?(edit|kappa|macro).*?\.(?=\d{4}\)[;.])", out)
        self.assertIsNotNone(bought, out[:400])
        self.assertRegex(out, r"; fit with tune=(edit|kappa|macro_f1) to keep that figure\.")

    def test_nothing_is_said_where_nothing_was_bought(self):
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": ["a", "b"], "forbid": {}}))
        out, page, _ = self.compare()
        self.assertNotIn("bought", out + page)

    def test_the_first_legal_strategy_that_was_named_leads(self):
        for names, leads in (("argmax,greedy,viterbi", "viterbi"), ("argmax,mea,viterbi", "mea"), ("viterbi,argmax,mea", "viterbi"),
                             ("argmax,greedy", "greedy"), ("argmax,posterior,beam:2,viterbi", "beam:2")):
            headline = re.search(r'<p class="headline">(\S+)', self.compare("--strategies", names)[1]).group(1)
            self.assertEqual(headline, leads, names)

    def test_greedy_is_not_usual_with_learnt_weights(self):
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": ["a", "b"], "forbid": {}}))
        self.assertEqual(list(self.compare()[2]["strategies"]), ["argmax", "greedy", "viterbi"])
        self.assertEqual(list(self.compare("--cv", "2")[2]["strategies"]), ["argmax", "viterbi"])
        self.assertEqual(list(self.compare("--cv", "2", "--strategies", "greedy,argmax")[2]["strategies"]), ["greedy", "argmax"])


if __name__ == "__main__":
    st.main()
