"""Columns of tables, as pandas, YASA and R write them: rows in another order, columns in excess, a cell that is no number."""
import csv
import json
import random

import numpy as np

import statepath_test as st

CLASSES = ["Wake", "N1", "N2", "N3", "REM"]
T = 50


class TestTableColumns(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(11)
        self.true = np.repeat(rng.integers(0, 5, T // 5), 5)
        self.probs = rng.dirichlet([0.5] * 5, T) * 0.5
        self.probs[np.arange(T), self.true] += 0.5
        wrong = rng.random(T) < 0.3
        self.probs[wrong] = np.roll(self.probs[wrong], 1, axis=1)
        self.accuracy = float(np.mean(self.probs.argmax(1) == self.true))
        np.save(self.path("probs.npy"), self.probs)
        self.order = list(range(T))
        random.Random(5).shuffle(self.order)

    def write(self, name, header, rows):
        with open(self.path(name), "w", newline="") as f:
            csv.writer(f).writerows([header, *rows])

    def argmax(self, *words):
        self.statepath("compare", *words, "--model", "sleep-aasm", "--json", "r.json", "-f")
        with open(self.path("r.json")) as f:
            return json.load(f)["strategies"]["argmax"]["accuracy"]

    def test_labels_out_of_order(self):
        for header in (["Epoch", "Stage"], ["epoch", "labels"], ["step", "label"]):
            for base in (0, 1):
                with self.subTest(header=header, base=base):
                    self.write("l.csv", header, [(t + base, CLASSES[self.true[t]]) for t in self.order])
                    self.assertAlmostEqual(self.argmax("probs.npy", "--labels", "l.csv"), self.accuracy)
        self.write("l.csv", ["Epoch", "Stage"], [(0 if t == 1 else t, CLASSES[self.true[t]]) for t in self.order])
        said = self.statepath("compare", "probs.npy", "--model", "sleep-aasm", "--labels", "l.csv", status=1, stdout="").stderr
        self.assertRegex(said, r"l.csv: line \d+: recording l has step 0 on line \d+ already")

    def test_scores_out_of_order(self):
        for name in ("Epoch", "step"):
            self.write("s.csv", [name, *CLASSES, "labels"], [(t, *self.probs[t], CLASSES[self.true[t]]) for t in self.order])
            self.assertAlmostEqual(self.argmax("s.csv"), self.accuracy)
        for name in ("", "Unnamed: 0"):
            self.write("s.csv", [name, *CLASSES, "label"], [(t, *self.probs[t], CLASSES[self.true[t]]) for t in self.order])
            said = self.statepath("compare", "s.csv", "--model", "sleep-aasm", status=1, stdout="").stderr
            self.assertIn("the rows are out of order, or of several recordings; call the column step", said)
            self.write("s.csv", [name, *CLASSES, "label"], [(t, *self.probs[t], CLASSES[self.true[t]]) for t in range(T)])
            self.assertAlmostEqual(self.argmax("s.csv"), self.accuracy)

    def test_columns_in_excess(self):
        for name, cell in (("truth", "Wake"), ("id", "17"), ("confidence", "0.93"), ("obs", "N2")):
            with self.subTest(name=name):
                self.write("s.csv", [*CLASSES, name], [(*self.probs[t], cell) for t in range(T)])
                self.refuses("compare", "s.csv", "--model", "sleep-aasm",
                             sentence='s.csv: line 2, column 6 (%s): it is no class of model sleep-aasm and holds "%s"; known beside classes are '
                             "recording, step (or epoch), label (or labels), segment and weight: rename the column, or leave it out" % (name, cell))

    def test_a_fault_in_scores_is_the_answer(self):
        rows = [[*self.probs[t], CLASSES[self.true[t]]] for t in range(T)]
        rows[3][2] = "n.a."
        self.write("s.csv", [*CLASSES, "label"], rows)
        for words in ([], ["--label-confidence", ".9"]):
            self.refuses("compare", "s.csv", "--model", "sleep-aasm", *words, sentence='s.csv: line 5, column 3 (N2): "n.a." is not a number')

    def test_numbers_for_a_header(self):
        logits = np.log(self.probs)
        for base in (0, 1):
            self.write("s.csv", [str(base + k) for k in range(5)], logits.tolist())
            self.write("l.csv", ["label"], [[CLASSES[k]] for k in self.true])
            self.assertAlmostEqual(self.argmax("s.csv", "--kind", "logits", "--labels", "l.csv"), self.accuracy)

    def test_a_header_of_labels(self):
        """As pandas' Series.to_csv(index=False) writes them, the column's name is 0."""
        for labels in ([str(k) for k in self.true], [CLASSES[k] for k in self.true]):
            self.write("l.csv", ["0"], [[label] for label in labels])
            said = self.statepath("compare", "probs.npy", "--model", "sleep-aasm", "--labels", "l.csv", status=1, stdout="").stderr
            self.assertIn('the first line of l.csv, "0", may be a header, as pandas writes one: delete it, or write header=False', said)
            self.assertNotIn("trim", said)


st.main()
