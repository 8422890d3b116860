"""Options of single figures: wrong uses with their sentences, and what texts say beside the figures
(tests/laws/test_figures.py)."""

import json

import numpy as np

import statepath_test as st
from random_comparisons import ABC, NO_C_AFTER_A, SLEEP, STAGES, make, make_run

REFUSED = [
    (
        "in.h5",
        "--weighted-kappa cubic",
        "--weighted-kappa cubic: it is linear or quadratic, and takes the classes to be in order",
    ),
    ("in.h5", "--collapse Deep", "--collapse 'Deep': write NAME=CLASS,CLASS; groups are separated by ';'"),
    ("in.h5", "--collapse Deep=N2,M3", "--collapse: there is no class 'M3'; did you mean N3?"),
    ("in.h5", "--collapse A=N2;B=N1,N2", "--collapse: class N2 is in two groups, A and B"),
    ("in.h5", "--collapse A=N2;A=N1", "--collapse: two groups are called A"),
    ("in.h5", "--collapse REM=N2,N1", "--collapse: group REM is called as a class that is not in it"),
    (
        "in.h5",
        "--collapse A=Wake,N1,N2,N3,REM",
        "--collapse 'A=Wake,N1,N2,N3,REM': one class is left; at least two are needed",
    ),
    (
        "in.h5",
        "--margin -1",
        "--margin -1: the loss that would still be no harm, from 0 to 1, such as 0.01 for one percentage point",
    ),
    ("in.h5", "--wake-trim -3", "--wake-trim -3: minutes of wake kept before and after sleep, such as 30"),
    (
        "bare.h5",
        "--wake-trim 3",
        "--wake-trim judges by labels, and bare.h5 has none; --labels says where they are, or leave it out",
    ),
    (
        "abc.h5",
        "--wake-trim 3",
        "--wake-trim is for sleep stages: it needs the classes Wake, N1, N2, N3 and REM (or names that "
        "`statepath model show sleep-aasm` knows)",
    ),
]


class TestFigureOptions(st.TestCase):
    def said(self, run, *files):
        """The text and the files of a run, each as one line."""
        texts = [run.text, *(self.read(name).decode().replace("\\", "") for name in files)]
        return [" ".join(text.split()) for text in texts]

    def test_wrong_use(self):
        for name, classes, rules in (("in", STAGES, SLEEP), ("abc", ABC, NO_C_AFTER_A)):
            model = {"statepath_model": 1, "name": "m", "classes": classes, **rules}
            self.write(name + ".json", json.dumps(model))
            d = make(np.random.default_rng(1), classes, [])
            self.h5(name + ".h5", classes=classes, **d)
        d = make(np.random.default_rng(1), STAGES, ["unlabelled"])
        self.h5("bare.h5", classes=STAGES, **d)
        for file, option, sentence in REFUSED:
            model = "abc.json" if file == "abc.h5" else "in.json"
            words = ["compare", file, "--model", model, *option.split(" ", 1)]
            self.refuses(*words, status=2, sentence=sentence)

    def test_paths_that_break_no_pair(self):
        """A door that opens in exactly two steps: every pair of argmax's is allowed, but one of its paths
        opens in three."""
        model = {
            "statepath_model": 1,
            "name": "two steps",
            "classes": ["shut", "opening", "open"],
            "states": {"s": "shut", "a": "opening", "b": "opening", "o": "open"},
            "matrix": [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 1]],
        }
        self.write("two.json", json.dumps(model))
        path = np.array([0, 1, 1, 2, 0, 1, 1, 1, 2, 2])
        self.h5("two.h5", log_probs=np.log(0.1 + 0.7 * np.eye(3)[path]), offsets=[0, 4, 10])
        done = self.statepath("compare", "two.h5", "-m", "two.json", "--json", "r.json")
        self.assertIn(
            "argmax breaks no rule between neighbouring steps, yet the model as a whole allows its path in "
            "1 of 2",
            " ".join(done.stdout.split()),
        )
        self.assertNotIn("viterbi breaks", done.stdout)
        argmax = json.loads(self.read("r.json"))["strategies"]["argmax"]
        self.assertEqual((argmax["illegal"], argmax["path_score"]), (0, None))

    def test_groups_of_stages(self):
        files = "--markdown r.md --latex r.tex --report r.html --csv r.csv".split()
        run = make_run(self, "nights", 1, "--collapse", " Deep = N2,N3 ;Other=Wake,REM", *files)
        collapsed = run.result["collapsed"]
        names = ["Wake / Light / N3 / REM", "Wake / NREM / REM", "Wake / Sleep", "Wake / N1 / Deep / REM"]
        names += ["Other / N1 / Deep"]
        self.assertEqual([c["name"] for c in collapsed], names)
        groups = {"Other": ["Wake", "REM"], "N1": ["N1"], "Deep": ["N2", "N3"]}
        self.assertEqual(collapsed[4]["groups"], groups)
        for text in self.said(run, "r.md", "r.tex", "r.html", "r.csv"):
            self.assertIn("Other / N1 / Deep", text)

    def test_sentences(self):
        run = make_run(self, "actions", 1, "--markdown", "r.md")
        found, macro = run.result, run.result["strategies"]["argmax"]["macro_f1_classes"]
        self.assertEqual(macro, 3)
        for text in self.said(run, "r.md"):
            ties = (found["argmax_ties"]["steps"], found["argmax_ties"]["scored"])
            self.assertIn(
                "The greatest score of %d frames is that of several classes (%d with a reference): argmax "
                "takes the first of them." % ties,
                text,
            )
        run = make_run(self, "permuted", 1, "--markdown", "r.md")
        would, now = (run.result["strategies"]["x"][key] for key in ("labels_may_be_permuted", "accuracy"))
        self.assertEqual(would["names"], {"a": "c", "b": "a", "c": "b"})
        for text in self.said(run, "r.md"):
            self.assertIn(
                "The classes may be named in another order than the labels: x would agree far better if ",
                text,
            )
            self.assertIn("(accuracy %.4f instead of %.4f)" % (would["accuracy"], now), text)
        run = make_run(self, "relaxed", 1, "--margin", "0.5", "--markdown", "r.md")
        for text in self.said(run, "r.md"):
            self.assertIn("Wake more than 2 min before or after", text)
            self.assertIn(
                "viterbi loses no more than 50.00 percentage points of accuracy against argmax: the interval "
                "begins at",
                text,
            )


st.main()
