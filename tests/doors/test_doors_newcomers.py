"""The first hour of four people with files of their own: what they type, and the wrong turns.

Figures are as scikit-learn and seqeval have them. A fifth works in Python: tests/python/test_newcomer.py.
"""

import csv
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
try:
    from seqeval.metrics import f1_score as seqeval_f1
except ImportError:
    seqeval_f1 = None

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
SORTED = sorted(STAGES)
TAGS = ["B-LOC", "B-PER", "I-LOC", "I-PER", "O"]
ACTIONS = ["background", "pour", "stir", "cut"]


def scores_of(rng, truth, K, sharpness=0.25):
    return (rng.dirichlet(np.ones(K), len(truth)) * (1 - sharpness) + sharpness * np.eye(K)[truth]).astype(
        "f4"
    )


def runs_of(rng, K, n_runs, longest):
    return np.repeat(rng.integers(0, K, n_runs), rng.integers(1, longest, n_runs))


def changes(path):
    return np.flatnonzero(np.diff(path, prepend=-9))


def entities(tags):
    """(type, begin, end) as conlleval and seqeval read them: an I of another type begins one."""
    found, begin = set(), None
    for t, tag in enumerate([*tags, "O"]):
        if begin is not None and (tag[0] != "I" or tag[2:] != tags[begin][2:]):
            found.add((tags[begin][2:], begin, t))
            begin = None
        if tag != "O" and begin is None:
            begin = t
    return found


def entity_f1(true, said):
    pairs = [(entities(a), entities(b)) for a, b in zip(said, true)]
    f1 = 2 * sum(len(a & b) for a, b in pairs) / sum(len(a) + len(b) for a, b in pairs)
    if seqeval_f1:
        assert abs(f1 - seqeval_f1(true, said)) < 1e-12
    return f1


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


class TestTags(Newcomer):
    """What a Trainer leaves: .npz, two .npy, config.json with alphabetical tags."""

    def setUp(self):
        super().setUp()
        self.folders("run", "moved")
        N, T = 20, 14
        self.true = self.rng.integers(0, 5, (N, T))
        self.lengths = self.rng.integers(5, T + 1, N)
        self.labels = np.where(np.arange(T) < self.lengths[:, None], self.true, -100)
        self.labels[:, 0] = -100  # [CLS]
        self.labels[:, 4] = -100  # a piece of a word
        self.logits = self.rng.normal(size=(N, T, 5)) + 2 * np.eye(5)[self.true]
        for folder in ("run", "moved"):
            np.savez(self.path(folder + "/eval.npz"), predictions=self.logits, label_ids=self.labels)
            np.save(self.path(folder + "/predictions.npy"), self.logits)
            np.save(self.path(folder + "/label_ids.npy"), self.labels)
        self.write("run/config.json", json.dumps({"id2label": {str(k): tag for k, tag in enumerate(TAGS)}}))
        self.write("moved/names.json", json.dumps({"id2label": {str(k): tag for k, tag in enumerate(TAGS)}}))

    def words_of(self, numbers):
        return [[TAGS[k] for k, y in zip(row, labels) if y >= 0] for row, labels in zip(numbers, self.labels)]

    def test_first_hour(self):
        self.statepath("model", "new", "bio", "--types", "PER,LOC", "-o", "bio.json", "-q")
        self.turn(
            "run/eval.npz", "-m", "bio.json", "-q", sentence="--gaps join makes its neighbours adjacent"
        )
        self.turn(
            "moved/eval.npz",
            "-m",
            "bio.json",
            "--gaps",
            "join",
            sentence="--classes config.json of the network names them",
        )
        f1 = entity_f1(self.words_of(self.true), self.words_of(self.logits.argmax(2)))
        two = ["predictions.npy", "--kind", "logits", "--label-order", "columns", "--labels"]
        for words in (
            ["run/eval.npz"],
            ["moved/eval.npz", "--classes", "moved/names.json"],
            ["run/" + two[0], *two[1:], "run/label_ids.npy"],
            ["moved/" + two[0], *two[1:], "moved/label_ids.npy", "--classes", "moved/names.json"],
        ):
            found = self.compare(*words, "-m", "bio.json", "--gaps", "join")
            self.assertAlmostEqual(found["argmax"]["entities"]["f1"], f1, 12)
            self.assertEqual(found["viterbi"]["illegal"], 0)
        padded = np.where(self.labels < 0, -1, self.labels)
        np.savez(self.path("run/minus.npz"), logits=self.logits, labels=padded)
        self.turn("run/minus.npz", "-m", "bio.json", sentence="nothing says how long each is")
        self.turn(
            "run/predictions.npy",
            "-m",
            "bio.json",
            "--kind",
            "logits",
            "--gaps",
            "join",
            "-o",
            "t.conll",
            "-q",
            command="decode",
            sentence="--labels FILE, where they are -100",
            status=2,
        )
        self.statepath(
            "decode",
            "run/predictions.npy",
            "-m",
            "bio.json",
            "--kind",
            "logits",
            "--gaps",
            "join",
            "--labels",
            "run/label_ids.npy",
            "--label-order",
            "columns",
            "-o",
            "t.conll",
            "-q",
        )
        with open(self.path("t.conll"), encoding="utf-8") as f:
            sentences = [
                [line.split()[-1] for line in part.splitlines() if not line.startswith("#")]
                for part in f.read().strip().split("\n\n")
            ]
        f1 = entity_f1(self.words_of(self.true), sentences)
        self.assertAlmostEqual(
            self.compare("run/eval.npz", "-m", "bio.json", "--gaps", "join")["viterbi"]["entities"]["f1"],
            f1,
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


class TestStatistician(Newcomer):
    """Ten tables in the forms of pandas and R: the right figures, or a sentence that names the column."""

    def setUp(self):
        super().setUp()
        self.true = runs_of(self.rng, 5, 20, 9)
        self.probs = scores_of(self.rng, self.true, 5).astype(float)
        self.words = [STAGES[k] for k in self.true]

    def table(self, name, header, rows, delimiter=",", quoting=csv.QUOTE_MINIMAL, decimal="."):
        with open(self.path(name), "w", newline="", encoding="utf-8") as f:
            writer = csv.writer(f, delimiter=delimiter, quoting=quoting)
            if header:
                writer.writerow(header)
            for row in rows:
                writer.writerow([str(x).replace(".", decimal) if isinstance(x, float) else x for x in row])

    def right(self, *words, order=range(5)):
        found = self.compare(*words, "-m", "sleep-aasm")
        self.as_sklearn(found["argmax"], [self.true], [self.probs.argmax(1)], order)

    def test_first_hour(self):
        rows = [[*map(float, p), w] for p, w in zip(self.probs, self.words)]
        T = len(rows)
        self.table(
            "1.csv", ["", *STAGES, "label"], [[t, *row] for t, row in enumerate(rows)]
        )  # pandas: to_csv()
        self.right("1.csv")
        self.table(
            "2.csv",
            ["", *STAGES, "label"],
            [[str(t + 1), *row] for t, row in enumerate(rows)],
            quoting=csv.QUOTE_NONNUMERIC,
        )  # R: write.csv()
        self.right("2.csv")
        self.table("3.csv", [*STAGES, "label"], rows, delimiter=";", decimal=",")  # R: write.csv2()
        said = self.statepath("compare", "3.csv", "-m", "sleep-aasm", status=1, stdout="").stderr
        self.assertIn("3.csv: line 2, column 1 (Wake)", said)
        self.assertIn("decimals follow a point, as in 0.5", said)
        self.table(
            "4.tsv",
            [*SORTED, "label"],
            [[*(row[STAGES.index(name)] for name in SORTED), row[-1]] for row in rows],
            delimiter="\t",
        )
        self.right("4.tsv", order=[STAGES.index(name) for name in SORTED])
        order = self.rng.permutation(T)
        self.table(
            "5.csv", ["recording", "step", *STAGES, "label"], [["n1", int(t), *rows[t]] for t in order]
        )
        self.right("5.csv")
        self.table("6.csv", [1, 2, 3, 4, 5], [row[:-1] for row in rows])
        self.table("6-labels.csv", ["Epoch", "Stage"], [[int(t) + 1, self.words[t]] for t in order])
        self.right("6.csv", "--kind", "probs", "--labels", "6-labels.csv")
        self.table("7.csv", None, [row[:-1] for row in rows])
        self.table("7-labels.txt", None, [[w] for w in self.words])
        self.right("7.csv", "--kind", "probs", "--labels", "7-labels.txt")
        self.table("8.csv", ["truth", *STAGES], [[row[-1], *row[:-1]] for row in rows])
        self.turn("8.csv", "-m", "sleep-aasm", sentence="truth")
        self.table("9.csv", ["", *STAGES, "label"], [[int(t), *rows[t]] for t in order])
        self.turn("9.csv", "-m", "sleep-aasm", sentence="the rows are out of order")
        bad = [list(row) for row in rows]
        bad[3][2] = "x"
        self.table("10.csv", [*STAGES, "label"], bad)
        self.turn("10.csv", "-m", "sleep-aasm", sentence="10.csv: line 5, column 3 (N2)")
        self.turn(
            "10.csv", "-m", "sleep-aasm", "--label-confidence", ".9", sentence="10.csv: line 5, column 3 (N2)"
        )


if __name__ == "__main__":
    st.main()
