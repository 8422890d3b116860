"""Numbers of labels in another file than the scores, where the columns stand in another order than the model's classes: no container and
no command guesses. Files are made by numpy, h5py, scipy and by hand, as scikit-learn and YASA order classes: by the alphabet."""
import json
import os

import h5py
import numpy as np

import statepath_test as st

try:
    from scipy.io import savemat
except ImportError:
    savemat = None

MODEL = ["Wake", "N1", "N2", "N3", "REM"]
COLUMNS = sorted(MODEL)  # N1 N2 N3 REM Wake
CLASS_OF_COLUMN = [MODEL.index(name) for name in COLUMNS]
COLUMN_OF_CLASS = [COLUMNS.index(name) for name in MODEL]
NIGHTS = {"n1": 60, "n2": 45}


def scores(rng):
    """Probabilities whose greatest is the true column in four of five steps, and the true columns."""
    true = np.repeat(rng.integers(0, 5, 30), 5)[: sum(NIGHTS.values())]
    probs = rng.dirichlet([0.5] * 5, len(true)) * 0.4
    best = np.where(rng.random(len(true)) < 0.8, true, rng.integers(0, 5, len(true)))
    probs[np.arange(len(true)), best] += 0.6
    return probs, true


class TestLabelOrder(st.TestCase):
    def setUp(self):
        super().setUp()
        self.probs, self.true = scores(np.random.default_rng(7))
        ends = np.cumsum([0, *NIGHTS.values()])
        with h5py.File(self.path("scores.h5"), "w") as f:
            f["probs"], f["offsets"], f["ids"] = self.probs, ends, list(NIGHTS)
            f.attrs["classes"] = COLUMNS
        self.accuracy = float(np.mean(self.probs.argmax(1) == self.true))

    def containers(self, numbers):
        """The labels as numbers in every container; the name of each file."""
        ends = np.cumsum([0, *NIGHTS.values()])
        made = []
        for night, a, b in zip(NIGHTS, ends[:-1], ends[1:]):
            for folder in ("txt", "npy"):
                os.makedirs(self.path(folder), exist_ok=True)
            np.savetxt(self.path(f"txt/{night}.txt"), numbers[a:b], fmt="%d")
            np.save(self.path(f"npy/{night}.npy"), numbers[a:b])
        made += ["txt/{id}.txt", "npy/{id}.npy"]
        rows = [(night, t, k) for night, a, b in zip(NIGHTS, ends[:-1], ends[1:]) for t, k in enumerate(numbers[a:b])]
        with open(self.path("l.csv"), "w") as f:
            f.write("recording,step,label\n" + "".join("%s,%d,%d\n" % row for row in rows))
        np.savez(self.path("l.npz"), labels=numbers, offsets=ends, ids=list(NIGHTS))
        with h5py.File(self.path("l.h5"), "w") as f:
            f["labels"], f["offsets"], f["ids"] = numbers, ends, list(NIGHTS)
        made += ["l.csv", "l.npz", "l.h5"]
        if savemat:
            savemat(self.path("l.mat"), {"labels": numbers.reshape(-1, 1), "offsets": ends.astype(np.int64)})
            made.append("l.mat")
        return made

    def compared(self, *options):
        self.statepath("compare", "scores.h5", "--model", "sleep-aasm", "--json", "r.json", "-f", *options)
        with open(self.path("r.json")) as f:
            return json.load(f)["strategies"]["argmax"]["accuracy"]

    def test_nothing_is_guessed(self):
        as_model = self.true  # what was meant as columns, read as classes of the model
        wrong = np.mean(self.probs.argmax(1) == np.array(COLUMN_OF_CLASS)[as_model])
        for file in self.containers(self.true):
            with self.subTest(file=file):
                said = self.statepath("compare", "scores.h5", "--model", "sleep-aasm", "--labels", file, status=1, stdout="").stderr
                self.assertIn("has numbers of classes and no names", said)
                self.assertIn("as the columns' order the labels agree with the best classes of the scores in %.2f of the steps, as the model's in %.2f; "
                              "--label-order columns or model says which is meant" % (self.accuracy, wrong), said)

    def test_either_reading(self):
        for file in self.containers(self.true):
            with self.subTest(file=file, order="columns"):
                self.assertAlmostEqual(self.compared("--labels", file, "--label-order", "columns"), self.accuracy)
        for file in self.containers(np.array(CLASS_OF_COLUMN)[self.true]):
            with self.subTest(file=file, order="model"):
                self.assertAlmostEqual(self.compared("--labels", file, "--label-order", "model"), self.accuracy)

    def test_names_need_no_order(self):
        names = np.array(COLUMNS)[self.true]
        np.savez(self.path("names.npz"), labels=names.astype("S"), offsets=np.cumsum([0, *NIGHTS.values()]), ids=list(NIGHTS))
        np.savez(self.path("classes.npz"), labels=np.array(CLASS_OF_COLUMN)[self.true], classes=MODEL,
                 offsets=np.cumsum([0, *NIGHTS.values()]), ids=list(NIGHTS))
        for file in ("names.npz", "classes.npz"):
            with self.subTest(file=file):
                self.assertAlmostEqual(self.compared("--labels", file), self.accuracy)
                said = self.statepath("compare", "scores.h5", "--model", "sleep-aasm", "--labels", file, "--label-order", "model").stderr
                self.assertIn("note: --label-order changes nothing: the labels are no bare numbers", said)

    def test_other_doors(self):
        files = self.containers(np.array(CLASS_OF_COLUMN)[self.true])
        self.statepath("decode", "scores.h5", "--model", "sleep-aasm", "-o", "paths.h5")
        for words in (["fit", "scores.h5", "--rules", "sleep-aasm", "--method", "counts", "-o", "m.json"], ["evaluate", "paths.h5", "--model", "sleep-aasm"],
                      ["convert", "scores.h5", "--model", "sleep-aasm", "-o", "c.h5"]):
            for file in files:
                with self.subTest(command=words[0], file=file):
                    said = self.statepath(*words, "-f" if "-o" in words else "--quiet", "--labels", file, status=1, stdout="").stderr
                    self.assertIn("--label-order columns or model says which is meant", said)
                    self.statepath(*words, "-f" if "-o" in words else "--quiet", "--labels", file, "--label-order", "model")
                    if words[0] == "convert":
                        with h5py.File(self.path("c.h5")) as f:
                            self.assertEqual(f["labels"][:].tolist(), self.true.tolist())

    def test_beside_the_scores_they_are_columns(self):
        np.savez(self.path("own.npz"), probs=self.probs, labels=self.true, classes=COLUMNS)
        self.statepath("compare", "own.npz", "--model", "sleep-aasm", "--json", "r.json")
        with open(self.path("r.json")) as f:
            self.assertAlmostEqual(json.load(f)["strategies"]["argmax"]["accuracy"], self.accuracy)
        self.refuses("compare", "own.npz", "--model", "sleep-aasm", "--label-order", "model",
                     status=2, sentence="--label-order is of labels in a file of their own, --labels FILE: those beside the scores are columns")


st.main()
