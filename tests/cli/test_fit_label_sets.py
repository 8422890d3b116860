#!/usr/bin/env python3
"""Codes of labels that stand for several classes: what fit learns from them, and what other commands say."""
import json

import numpy as np

import statepath_test as st

CLASSES = ["a", "b", "c", "d"]
RULES = ["--rules", "rules.json"]
N, T = 10, 80
COARSE = 9  # code of b or c
MAP = "0=a,1=b,2=c,3=d,9=b|c"
PLAIN = ["--features", "none"]
NOTE = "statepath: note: steps of 9 (b|c) are unscored: figures are of steps with one class; `statepath fit` learns from them\n"


class TestSets(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        truth = np.array([[.9, .1, 0, 0], [.05, .8, .15, 0], [0, .25, .7, .05], [.1, 0, 0, .9]])
        y = []
        for n in range(N):
            k = 0
            for _ in range(T):
                y.append(k)
                k = rng.choice(4, p=truth[k])
        self.fine = np.array(y)
        e = rng.normal(size=(N * T, 4)) + 1.5 * np.eye(4)[self.fine]
        self.scores = e - np.log(np.exp(e).sum(axis=1, keepdims=True))
        self.coarse = np.where((np.arange(N * T) >= 4 * T) & np.isin(self.fine, (1, 2)), COARSE, self.fine)
        self.n_coarse = int(np.sum(self.coarse == COARSE))
        self.common = dict(offsets=np.arange(N + 1) * T, ids=["r%d" % n for n in range(N)], classes=CLASSES)
        self.h5("fine.h5", log_probs=self.scores, labels=self.fine, **self.common)
        self.h5("d.h5", log_probs=self.scores, labels=self.coarse, **self.common)
        self.h5("dropped.h5", log_probs=self.scores, labels=np.where(self.coarse == COARSE, -1, self.coarse), **self.common)
        self.write("rules.json", json.dumps({"statepath_model": 1, "name": "rules", "classes": ["d", "c", "b", "a"],
                                             "forbid": {"a": ["c", "d"], "b": ["d"], "c": ["a"], "d": ["b", "c"]}}))

    def fit(self, *arguments, name="m.json"):
        said = self.statepath("fit", *arguments, "-o", name, "-f").stdout
        model = json.loads(self.read(name))
        return said, {key: value for key, value in model.items() if key != "source"}

    # ---- learning ----

    def test_they_are_learnt_from(self):
        said, model = self.fit("d.h5", *RULES, "--map", MAP, *PLAIN)
        first = "fitted by counts, smoothing 0.5, classes that the labels leave open by expectation-maximisation, on %d labelled steps and %d " \
                "that have several classes of 10 recordings, rules of rules" % (N * T - self.n_coarse, self.n_coarse)
        self.assertTrue(said.startswith(first), said)
        self.assertEqual(model["classes"], CLASSES)
        allow = model["allow"]
        self.assertTrue("c" not in allow["a"] and "d" not in allow["b"] and "a" not in allow["c"])

    def test_other_methods(self):
        self.assertIn("classes that the labels leave open", self.fit("d.h5", *RULES, "--map", MAP, *PLAIN)[0])
        said, _ = self.fit("d.h5", *RULES, "--map", MAP, "--method", "crf", "--penalty", "1", *PLAIN)
        self.assertTrue(said.startswith("fitted by crf, penalty 1, "), said)
        self.assertIn("labelled steps and %d that have several classes" % self.n_coarse, said)
        said, _ = self.fit("d.h5", *RULES, "--map", MAP, "--method", "em")
        self.assertIn("on the scores and labels of 10 recordings", said)
        said, _ = self.fit("d.h5", *RULES, "--map", MAP)
        self.assertIn("windows: not tried, because they are learnt from steps with one class, and whether a step has several depends on its class\n", said)

    def test_wherever_labels_are(self):
        """Beside the scores, in another file with its classes in another order, as words."""
        _, want = self.fit("d.h5", *RULES, "--map", MAP, *PLAIN)
        self.h5("bare.h5", log_probs=self.scores, **{k: v for k, v in self.common.items()})
        self.h5("l.h5", labels=self.coarse, offsets=self.common["offsets"], ids=self.common["ids"], classes=["c", "a", "d", "b"])
        self.assertEqual(self.fit("bare.h5", *RULES, "--labels", "l.h5", "--map", MAP, *PLAIN)[1], want)
        names = {COARSE: "B or C", **dict(enumerate(CLASSES))}
        self.write("l.csv", "recording,step,label\n" + "".join("r%d,%d,%s\n" % (i // T, i % T, names[k]) for i, k in enumerate(self.coarse)))
        self.assertEqual(self.fit("bare.h5", *RULES, "--labels", "l.csv", "--map", "B or C=c|b", *PLAIN)[1], want)
        self.write("map.txt", "# mine\n" + MAP.replace(",", "\n") + "\n")
        self.assertEqual(self.fit("d.h5", *RULES, "--map", "map.txt", *PLAIN)[1], want)
        alone = dict(labels=self.coarse, **self.common)
        self.h5("labels.h5", **alone)
        said, _ = self.fit("labels.h5", *RULES, "--map", MAP)
        self.assertTrue(said.startswith("fitted by counts, smoothing 0.5, classes that the labels leave open"), said)

    def test_a_map_with_several_whose_code_is_not_there(self):
        plain = self.fit("fine.h5", *RULES, "--method", "counts", *PLAIN)
        self.assertEqual(self.fit("fine.h5", *RULES, "--method", "counts", "--map", MAP, *PLAIN), plain)

    def test_sparse_labels(self):
        """Every fifth step has a label: what lies between is learnt from, too, where most labels stand alone."""
        line = "most labelled steps follow one without a label: those, too, are learnt from, with any class that the rules allow\n"
        for every, is_sparse in ((5, True), (1, False)):
            self.h5("s.h5", log_probs=self.scores, labels=np.where(np.arange(N * T) % every == 0, self.fine, -1), **self.common)
            for method in ("counts", "crf", "em"):
                said, _ = self.fit("s.h5", *RULES, "--method", method, *(PLAIN if method != "em" else ()))
                self.assertEqual(line in said, is_sparse and method != "em")
            self.assertNotIn(line, self.fit("s.h5", *RULES, "--memory", "2", *PLAIN)[0])

    def test_alone(self):
        self.h5("alone.h5", log_probs=self.scores, labels=np.where(self.coarse == COARSE, COARSE, -1), **self.common)
        why = "nothing was tuned: every labelled step has several classes, and figures are of steps with one"
        said, _ = self.fit("alone.h5", *RULES, "--map", MAP)
        self.assertIn("\n" + why + "\n", said)
        self.assertIn("; " + why + "; classes without a label, of which nothing is known: a, d\n", said)
        self.assertNotIn("plain settings", said)
        self.fit("alone.h5", *RULES, "--map", MAP, "--method", "em")
        self.refuses("fit", "alone.h5", *RULES, "--map", MAP, "--method", "crf", "-o", "x.json",
                     sentence="--method crf is judged beside the counts by steps with one class, and every labelled step has several; learn by "
                              "--method counts or em", status=2)

    def test_labels_that_break_the_rules(self):
        labels = self.coarse.copy()
        labels[-3:] = [3, COARSE, 3]  # d is followed by a and d, and follows c and d
        self.h5("broken.h5", log_probs=self.scores, labels=labels, **self.common)
        said, _ = self.fit("broken.h5", *RULES, "--map", MAP, *PLAIN)
        self.assertRegex(said, r"The labels break the rules \d+ times in 790 transitions; these were not learnt:\n(  . -> .  \d\n)?"
                               r"  of steps with several classes  1\n")

    # ---- figures ----

    def test_figures_are_of_steps_with_one_class(self):
        for command in (["compare", "d.h5"], ["compare", "d.h5", "--cv", "5", "--method", "counts", *PLAIN]):
            with_sets = self.statepath(*command, "--model", "rules.json", "--map", MAP, "--json", "-", stderr=NOTE).stdout
            without = self.statepath(*command, "--model", "rules.json", "--map", MAP.replace("b|c", "unscored"), "--json", "-", stderr="").stdout
            a, b = (json.loads(text)["strategies"]["argmax"] for text in (with_sets, without))
            self.assertEqual(a["scored"], N * T - self.n_coarse)
            self.assertEqual(a["confusion"], b["confusion"])
            viterbi = [json.loads(text)["strategies"]["viterbi"]["transition_counts"] for text in (with_sets, without)]
            (self.assertNotEqual if "--cv" in command else self.assertEqual)(*viterbi)  # the folds learn from them

    def test_evaluate_and_convert(self):
        self.statepath("decode", "dropped.h5", "--model", "rules.json", "-s", "viterbi", "-o", "p.h5")
        self.h5("l.h5", labels=self.coarse, **self.common)
        self.statepath("evaluate", "p.h5", "--model", "rules.json", "--labels", "l.h5", "--map", MAP, stderr=NOTE)
        self.statepath("convert", "d.h5", "--model", "rules.json", "--map", MAP, "-o", "out.h5", stderr=NOTE + "wrote out.h5\n")

    # ---- errors ----

    def test_errors(self):
        for text, sentence in (
                ("9=b|e", "--map: 9: model rules has no class e; write d, c, b, a, or unscored"),
                ("9=b|", "--map: 9: write the classes of which it is one with | between them: 'NREM=N1|N2|N3'"),
                ("9=b| b", "--map: 9: class b stands there twice"),
                ("9=a|b|c|d", "--map: 9: these are all classes of model rules; write '9=unscored'"),
                ("9=a|unscored", "--map: 9: model rules has no class unscored; write d, c, b, a, or unscored")):
            self.refuses("fit", "d.h5", *RULES, "--map", text, "-o", "x.json", sentence=sentence, status=2)
        self.h5("l.h5", labels=self.coarse, **self.common)
        self.refuses("decode", "l.h5", "--model", "rules.json", "--map", MAP, "--label-confidence", ".9", "-o", "x.h5",
                     sentence="--map: 9 (b|c) is several classes, and what was decided is one at each step", status=2)
        self.h5("bare.h5", labels=self.coarse)
        self.refuses("evaluate", "bare.h5", "--model", "rules.json", "--map", MAP, "--paths", "/labels",
                     sentence="--map: 9 (b|c) is several classes, and a path has one at each step", status=2)
        self.refuses("mask", "apply", "d.h5", "--model", "rules.json", "--previous", "/labels", "--map", MAP,
                     sentence="--map: 9 (b|c) is several classes, and the class before a step is one", status=2)


st.main()
