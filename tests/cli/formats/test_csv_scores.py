"""Scores in tables of text: a column a class. The same results as from HDF5; each fault with its line and column."""
import json
import os

import numpy as np

import statepath_test as st

MODEL = ["--model", "sleep-aasm"]
STAGES = ["Wake", "N1", "N2", "N3", "REM"]
K = 5


def results(text):
    result = json.loads(text)
    result.pop("command", None)
    for key in ("file", "bytes"):
        result["input"].pop(key, None)
    return json.dumps(result, indent=1)


class TestCsv(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(17)
        self.lengths = [70, 1, 120]
        self.offsets = np.cumsum([0, *self.lengths])
        self.probs = rng.dirichlet([.5] * K, size=191)
        self.labels = rng.integers(-1, K, 191)
        self.ids = ["n1", 'a, "b"', "ä"]

    def compare(self, name, *options):
        return results(self.statepath("compare", name, *MODEL, "--json", "-", *options, stderr="").stdout)

    def table(self, name, columns, rows, delimiter=",", end="\n"):
        def cell(x):
            text = repr(float(x)) if isinstance(x, (float, np.floating)) else str(x)
            return '"%s"' % text.replace('"', '""') if any(c in text for c in ',"\n') else text
        with open(self.path(name), "w", encoding="utf-8", newline="") as out:
            for row in ([columns] if columns else []) + list(rows):
                out.write(delimiter.join(cell(x) for x in row) + end)

    def recordings(self):
        return [name for name, n in zip(self.ids, self.lengths) for _ in range(n)]

    def test_one_recording(self):
        self.h5("h5.h5", probs=self.probs, classes=STAGES)
        os.rename(self.path("h5.h5"), self.path("n1.h5"))
        want = self.compare("n1.h5")
        for delimiter in ",\t;":
            for end in "\n", "\r\n":
                self.table("n1.csv", STAGES, self.probs, delimiter, end)
                self.assertEqual(self.compare("n1.csv"), want)
        self.table("n1.csv", ["Epoch", "Time", "Stage"] + STAGES, [[t, "22:00:%d" % t, "N2", *row] for t, row in enumerate(self.probs)])
        self.assertEqual(self.compare("n1.csv"), want)
        self.table("n1.csv", [""] + STAGES, [[t, *row] for t, row in enumerate(self.probs)])  # pandas' to_csv()
        self.assertEqual(self.compare("n1.csv"), want)
        np.savetxt(self.path("n1.csv"), self.probs, delimiter=",", header=",".join(STAGES), fmt="%.17g")
        self.assertEqual(self.compare("n1.csv"), want)
        order = [3, 1, 0, 4, 2]
        self.table("n1.csv", [STAGES[k] for k in order], self.probs[:, order])
        self.h5("n1.h5", probs=self.probs[:, order], classes=[STAGES[k] for k in order])
        self.assertEqual(self.compare("n1.csv"), self.compare("n1.h5"))

    def test_without_names(self):
        self.h5("n1.h5", probs=self.probs)
        want = self.compare("n1.h5")
        np.savetxt(self.path("n1.txt"), self.probs, fmt="%.17g")
        self.assertEqual(self.compare("n1.txt"), want)
        np.savetxt(self.path("n1.csv"), self.probs, delimiter=",", fmt="%.17g")
        self.assertEqual(self.compare("n1.csv"), want)

    def test_numbers(self):
        """Every number is the double that Python reads."""
        rng = np.random.default_rng(4)
        values = rng.normal(size=(4000, 5)) * 10.0 ** rng.integers(-30, 30, (4000, 5))
        values[7, 3] = -np.inf
        for form in ("%.17g", "%.15g", "%.9g", "%.3f", "%.4e", "%g"):
            np.savetxt(self.path("scores.csv"), values, delimiter=",", fmt=form)
            with open(self.path("scores.csv"), encoding="utf-8") as lines:
                read = np.array([[float(x) for x in line.split(",")] for line in lines])
            self.h5("scores.h5", scores=read)
            self.assertEqual(self.compare("scores.csv"), self.compare("scores.h5"))

    def test_recordings_and_labels(self):
        words = [STAGES[label] if label >= 0 else "" for label in self.labels]
        self.h5("x.h5", probs=self.probs, labels=self.labels, offsets=self.offsets, ids=self.ids, classes=STAGES)
        want = self.compare("x.h5")
        rows = list(zip(self.recordings(), self.labels, words, self.probs))
        self.table("x.csv", ["recording", "label"] + STAGES, [[name, label, *row] for name, label, _, row in rows])
        self.assertEqual(self.compare("x.csv"), want)
        steps = [t for n in self.lengths for t in range(1, n + 1)]
        self.table("x.csv", STAGES + ["step", "LABEL", "Recording"], [[*row, t, word, name] for (name, _, word, row), t in zip(rows, steps)])
        self.assertEqual(self.compare("x.csv"), want)
        aliases = ["W" if word == "Wake" else "R" if word == "REM" else word for word in words]
        self.table("x.csv", ["recording", "label"] + STAGES, [[name, a, *row] for (name, _, _, row), a in zip(rows, aliases)])
        self.assertEqual(self.compare("x.csv"), want)
        segments, weights = np.arange(191) // 50, np.linspace(0, 1, 191)
        self.h5("x.h5", probs=self.probs, segments=segments, weights=weights, labels=self.labels, classes=STAGES)
        self.table("x.csv", ["segment", "weight", "label"] + STAGES, [[*one, *row] for *one, row in zip(segments, weights, self.labels, self.probs)])
        self.assertEqual(self.compare("x.csv"), self.compare("x.h5"))

    def test_codes(self):
        nsrr = np.array([0, 1, 2, 3, 5, 9])
        self.h5("x.h5", probs=self.probs, labels=nsrr[self.labels], classes=STAGES)
        self.table("x.csv", ["label"] + STAGES, [[label, *row] for label, row in zip(nsrr[self.labels], self.probs)])
        self.assertEqual(self.compare("x.csv", "--codes", "nsrr"), self.compare("x.h5", "--codes", "nsrr"))

    def test_missing_values(self):
        self.table("x.csv", STAGES, [["", "", "", "", ""], *self.probs])
        done = self.statepath("compare", "x.csv", *MODEL, status=1)
        self.assertIn("recording x, step 0", done.stderr)
        self.statepath("compare", "x.csv", *MODEL, "--missing", "uniform")
        self.table("probs.csv", STAGES, [*self.probs, ["nan", "", "NaN", "", ""]])
        self.statepath("compare", "probs.csv", *MODEL, "--missing", "uniform")

    def test_several_files_and_fit(self):
        os.mkdir(self.path("nights"))
        for n, name in enumerate("abc"):
            part = slice(self.offsets[n], self.offsets[n + 1])
            self.table("nights/%s.csv" % name, ["label"] + STAGES, [[label, *row] for label, row in zip(self.labels[part], self.probs[part])])
        self.h5("x.h5", probs=self.probs, labels=self.labels, offsets=self.offsets, ids=["a", "b", "c"], classes=STAGES)
        got, want = json.loads(self.compare("nights")), json.loads(self.compare("x.h5"))
        got["input"].pop("files")
        self.assertEqual(got, want)
        for name in ("x.h5", "nights"):
            self.statepath("fit", name, "--rules", "sleep-permissive", "--method", "counts", "-o", name[0] + ".json")
        self.assertEqual({**json.loads(self.read("x.json")), "source": 0}, {**json.loads(self.read("n.json")), "source": 0})

    # ---- faults ----

    def test_is_not_transposed(self):
        self.table("a.csv", STAGES, self.probs)
        self.refuses("compare", "a.csv", *MODEL, "--transpose", status=2,
                     sentence="a.csv: --transpose is for arrays of .npy and .npz, and this is a table of text")

    def refused(self, text, sentence, name="a.csv", status=1):
        self.write(name, text)
        self.refuses("compare", name, *MODEL, sentence=sentence, status=status)

    def test_faults(self):
        head = "Wake,N1,N2,N3,REM\n"
        row = "0.2,0.2,0.2,0.2,0.2\n"
        self.refused(head + row + "0.2,x,0.2,0.2,0.2\n", 'a.csv: line 3, column 2 (N1): "x" is not a number')
        self.refused(row + row + "0.2,0.2,0.2,0.2,0.2e\n", 'a.csv: line 3, column 5: "0.2e" is not a number')
        self.refused(head.replace(",", ";") + row.replace(",", ";").replace(".", ","),
                     'a.csv: line 2, column 1 (Wake): "0,2" is not a number; decimals follow a point, as in 0.5')
        self.refused(head + row + "\n" + "0.2,0.2\n", "a.csv: line 4 has 2 cells, the first line 5")
        self.refused(head + row + row.strip() + ",\n", "a.csv: line 3 has 6 cells, the first line 5")
        self.refused(head + '0.2,"0.2,0.2\n', 'a.csv: line 2, column 2 (N1): a quoted cell does not end; close it with "')
        self.refused(head + '0.2,"0.2"x,0.2\n', 'a.csv: line 2, column 2 (N1): letters follow a closing quote; a quote inside a cell is written '
                                               'twice')
        self.refused(head.replace("N2", "N1") + row, "a.csv: line 1: two columns are called N1")
        self.refused("step,Epoch," + head + row, "a.csv: line 1: columns 1 (step) and 2 (Epoch) say the same thing; leave one out")
        self.refused(head, "a.csv: names its columns, but holds no line below them")
        self.refused("recording,label\na,0\n", "a.csv" + st.DECIDED)
        self.refused("label," + head + "X7," + row, 'a.csv: line 2, column 1 (label): "X7" is no class; write the name of a column, its '
                                                    'number from 0, or -1 for none')
        self.refused("label," + head + "7," + row, "a.csv: labels, recording a, step 0: label 7 is not one of the 5 classes 0..4; "
                                                   "unscored steps are -1, and --codes or --map reads others' numbers")
        self.refused("recording," + head + "a," + row + "b," + row + "a," + row,
                     "a.csv: line 4: recording a comes back after another; its lines must follow one another")
        self.refused("recording," + head + "," + row, "a.csv: line 2, column 1 (recording): a recording without a name")
        self.refused("step," + head + "0," + row + "2," + row, "a.csv: line 3: the table has step 2, but only 2 lines; it needs each step "
                                                               "from 0 on once")
        self.refused("Epoch," + head + "1," + row + "0," + row + "1," + row, "a.csv: line 4: the table has step 1 on line 2 already")
        self.refused("step," + head + "7," + row, "a.csv: line 2: the first step of the table is 7; steps count from 0 or 1")
        self.refused("step," + head + "-1," + row, "a.csv: line 2, column 1 (step): a step below 0; steps count from 0 or 1")
        self.refused("," + head + "0," + row + "2," + row + "1," + row,
                     "a.csv: line 4, column 1 (): row 1 follows row 2: the rows are out of order, or of several recordings; call the column step "
                     "to have them put in order, name recordings in a column recording, or leave it out")
        self.refused("step," + head + "0.5," + row, 'a.csv: line 2, column 1 (step): "0.5" is not a whole number')
        self.refused(head + "1,2,3,4,5\n", "a.csv: table: no name says what it holds, and its first row is neither probabilities nor "
                                           "log probabilities; say it with --kind logits or --kind scores")


if __name__ == "__main__":
    st.main()
