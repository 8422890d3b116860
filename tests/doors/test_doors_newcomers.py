"""The first hour of two people with files of their own: what they type, and the wrong turns.

Figures are as scikit-learn has them. A third works in Python: tests/python/test_newcomer.py; tokens of a network are in
tests/cli/formats/test_tokens.py, tables in tests/laws/test_table_law.py.
"""

import json
import os
import sys

import numpy as np

import statepath_test as st
from annotations import edf

try:
    from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix, f1_score
except ImportError:
    print("skipped: needs python3-sklearn")
    sys.exit(77)

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
SORTED = sorted(STAGES)
ACTIONS = ["background", "pour", "stir", "cut"]


def scores_of(rng, truth, K, sharpness=0.25):
    return (rng.dirichlet(np.ones(K), len(truth)) * (1 - sharpness) + sharpness * np.eye(K)[truth]).astype(
        "f4"
    )


def runs_of(rng, K, n_runs, longest):
    return np.repeat(rng.integers(0, K, n_runs), rng.integers(1, longest, n_runs))


def changes(path):
    return np.flatnonzero(np.diff(path, prepend=-9))


def edit_score(said, true):
    """Of segments, as MS-TCN's script has it; background is none."""

    def segments(path):
        return [int(path[t]) for t in changes(path) if ACTIONS[path[t]] != "background"]

    a, b = segments(said), segments(true)
    d = np.zeros((len(a) + 1, len(b) + 1))
    d[:, 0], d[0] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
    return 1 - d[-1, -1] / max(len(a), len(b), 1)


class Newcomer(st.TestCase):
    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(44)

    def folders(self, *names):
        for name in names:
            os.makedirs(self.path(name))

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def compare(self, *words):
        self.statepath("compare", *words, "--json", "r.json", "-f", "-q")
        with open(self.path("r.json"), encoding="utf-8") as f:
            return json.load(f)["strategies"]

    def turn(self, *words, sentence, status=1, command="compare"):
        """A wrong turn: one sentence that says how to go on, and nothing else."""
        done = self.statepath(command, *words, status=status, stdout="")
        self.assertIn(sentence, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def as_sklearn(self, found, true, said, order):
        """The figures of a strategy; its confusion matrix has the order of the columns."""
        true, said = np.concatenate(true), np.concatenate(said)
        known = true >= 0
        true, said = true[known], said[known]
        self.assertAlmostEqual(found["accuracy"], accuracy_score(true, said), 12)
        self.assertAlmostEqual(found["kappa"], cohen_kappa_score(true, said), 12)
        labels = sorted(set(true) | set(said))
        self.assertAlmostEqual(found["macro_f1"], f1_score(true, said, average="macro", labels=labels), 12)
        self.assertEqual(found["confusion"], confusion_matrix(true, said, labels=order).tolist())


class TestSleep(Newcomer):
    """Nights in .npy, hypnograms in EDF+."""

    def setUp(self):
        super().setUp()
        self.folders("nights", "hypnograms")
        words = [
            "Sleep stage W",
            "Sleep stage 1",
            "Sleep stage 2",
            "Sleep stage 3",
            "Sleep stage R",
            "Sleep stage ?",
        ]
        self.true, self.probs = [], []
        for n in range(4):
            true = runs_of(self.rng, 5, 30, 12)
            true[7:9] = -1
            self.true.append(true)
            self.probs.append(scores_of(self.rng, np.maximum(true, 0), 5))
            np.save(self.path("nights/n%d.npy" % n), self.probs[-1])
            starts = changes(true)
            ends = np.append(starts[1:], len(true))
            with open(self.path("hypnograms/n%d.edf" % n), "wb") as f:
                f.write(edf([(30 * int(b - a), words[true[a]]) for a, b in zip(starts, ends)]))

    def test_first_hour(self):
        self.turn(
            "nights/",
            sentence="--model is missing: a file, or a shipped model (`statepath model list`)",
            status=2,
        )
        self.turn("nights/", "-m", "sleep_aasm", sentence='did you mean "sleep-aasm"?')
        self.assertIn("4", self.statepath("inspect", "nights/").stdout)
        found = self.compare("nights/", "--labels", "hypnograms/{id}.edf", "-m", "sleep-aasm")
        self.as_sklearn(found["argmax"], self.true, [p.argmax(1) for p in self.probs], range(5))
        self.statepath("decode", "nights/", "-m", "sleep-aasm", "-o", "paths.h5", "-q")
        found = self.compare("nights/", "--labels", "hypnograms/{id}.edf", "-m", "sleep-aasm")
        import h5py

        with h5py.File(self.path("paths.h5")) as f:
            paths = np.split(f["paths/viterbi"][:], f["offsets"][1:-1])
        self.as_sklearn(found["viterbi"], self.true, paths, range(5))
        self.assertEqual(found["viterbi"]["illegal"], 0)

    def test_columns_of_a_classifier(self):
        """scikit-learn and YASA have columns in alphabetical order, and say so nowhere in a .npy."""
        order = [STAGES.index(name) for name in SORTED]
        self.folders("sorted", "words", "numbers")
        for n, (p, true) in enumerate(zip(self.probs, self.true)):
            np.save(self.path("sorted/n%d.npy" % n), p[:, order])
            self.write("words/n%d.txt" % n, "".join("%s\n" % [*STAGES, "?"][k] for k in true))
            np.save(self.path("numbers/n%d.npy" % n), np.append(np.argsort(order), -1)[true])
        words = ["sorted/", "-m", "sleep-aasm", "--classes", ",".join(SORTED), "--labels"]
        said = [p.argmax(1) for p in self.probs]
        accuracy = accuracy_score(
            np.concatenate(self.true)[np.concatenate(self.true) >= 0],
            np.concatenate(said)[np.concatenate(self.true) >= 0],
        )
        self.assertAlmostEqual(self.compare(*words, "words/{id}.txt")["argmax"]["accuracy"], accuracy, 12)
        self.turn(*words, "numbers/{id}.npy", sentence="--label-order columns or model says which is meant")
        self.assertAlmostEqual(
            self.compare(*words, "numbers/{id}.npy", "--label-order", "columns")["argmax"]["accuracy"],
            accuracy,
            12,
        )


class TestVideo(Newcomer):
    """MS-TCN's folders: scores [K,T], a mapping, ground truth by words, a bundle."""

    def setUp(self):
        super().setUp()
        self.folders("scores", "groundTruth", "splits")
        self.true, self.probs = [], []
        for n in range(5):
            true = runs_of(self.rng, 4, 12, 30)
            probs = scores_of(self.rng, true, 4)
            np.save(self.path("scores/v%d.npy" % n), probs.T)
            self.write("groundTruth/v%d.txt" % n, "".join(ACTIONS[k] + "\n" for k in true))
            self.true.append(true)
            self.probs.append(probs)
        self.write("mapping.txt", "".join("%d %s\n" % pair for pair in enumerate(ACTIONS)))
        self.write("splits/test.bundle", "v1.txt\nv3.txt\n")

    def test_first_hour(self):
        words = ["scores/", "--labels", "groundTruth/", "-m", "mapping.txt", "--only", "splits/test.bundle"]
        said = self.statepath("compare", *words, status=1, stdout="").stderr
        self.assertIn("--transpose", said)
        found = self.compare(*words, "--transpose")
        true, said = [self.true[n] for n in (1, 3)], [self.probs[n].argmax(1) for n in (1, 3)]
        self.as_sklearn(found["argmax"], true, said, range(4))
        mean = np.mean([edit_score(a, b) for a, b in zip(said, true)])
        self.assertAlmostEqual(found["argmax"]["edit_score"], mean, 12)


if __name__ == "__main__":
    st.main()
