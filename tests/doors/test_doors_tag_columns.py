"""Columns of tags, as a network's Trainer leaves them: config.json names them, or nothing is guessed.

Figures are by seqeval's definition.
"""

import json

import h5py
import numpy as np

import statepath_test as st

NAMES = ["B-LOC", "B-PER", "I-LOC", "I-PER", "O"]  # alphabetical: not the order of `model new bio`


def entities(tags):
    """(type, begin, end) of BIO tags; an I without its B begins one, as conlleval has it."""
    found, begin = set(), None
    for t, tag in enumerate([*tags, "O"]):
        if begin is not None and (tag[0] != "I" or tag[2:] != tags[begin][2:]):
            found.add((tags[begin][2:], begin, t))
            begin = None
        if tag != "O" and begin is None:
            begin = t
    return found


def entity_f1(said, true):
    pairs = [(entities(a), entities(b)) for a, b in zip(said, true)]
    right = sum(len(a & b) for a, b in pairs)
    return 2 * right / sum(len(a) + len(b) for a, b in pairs)


class TestTagColumns(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        true = rng.integers(0, 5, (12, 9))
        self.labels = true.copy()
        for n, length in enumerate(rng.integers(3, 10, 12)):
            self.labels[n, length:] = -100
        self.logits = rng.normal(size=(12, 9, 5)) + 2.5 * np.eye(5)[true]
        self.statepath("model", "new", "bio", "--types", "PER,LOC", "-o", "bio.json")
        rows = [np.flatnonzero(row >= 0) for row in self.labels]
        tags = lambda numbers: [[NAMES[k] for k in row[kept]] for row, kept in zip(numbers, rows)]
        self.f1 = entity_f1(tags(self.logits.argmax(-1)), tags(self.labels))

    def config(self, names, name="config.json"):
        with open(self.path(name), "w") as f:
            json.dump(
                {
                    "architectures": ["BertForTokenClassification"],
                    "id2label": {str(k): tag for k, tag in enumerate(names)},
                },
                f,
            )

    def files(self):
        np.savez(self.path("trainer.npz"), predictions=self.logits, label_ids=self.labels)
        np.savez(self.path("logits.npz"), logits=self.logits, labels=self.labels)
        np.savez(
            self.path("mask.npz"),
            logits=self.logits,
            labels=np.maximum(self.labels, 0),
            attention_mask=(self.labels >= 0).astype(int),
        )
        with h5py.File(self.path("trainer.h5"), "w") as f:
            f["predictions"], f["label_ids"] = self.logits, self.labels
        np.save(self.path("predictions.npy"), self.logits)
        np.save(self.path("label_ids.npy"), self.labels)
        two = ["predictions.npy", "--kind", "logits", "--labels", "label_ids.npy", "--label-order", "columns"]
        return [["trainer.npz"], ["logits.npz"], ["mask.npz"], ["trainer.h5"], two]

    def entity_f1(self, *words):
        self.statepath("compare", *words, "--model", "bio.json", "--json", "r.json", "-f")
        with open(self.path("r.json")) as f:
            return json.load(f)["strategies"]["argmax"]["entities"]["f1"]

    def test_refused_or_named(self):
        for words in self.files():
            with self.subTest(words=words):
                said = self.statepath("compare", *words, "--model", "bio.json", status=1, stdout="").stderr
                self.assertIn(
                    "its columns have no names, and tags are hardly ever in the order of model bio, O first; --classes "
                    "config.json of the",
                    said,
                )
                self.config(NAMES, "other.json")
                self.assertAlmostEqual(self.entity_f1(*words, "--classes", "other.json"), self.f1, 12)
                self.assertAlmostEqual(self.entity_f1(*words, "--classes", ",".join(NAMES)), self.f1, 12)

    def test_config_beside_it(self):
        words = self.files()
        self.config(NAMES)
        for one in words:
            with self.subTest(words=one):
                self.assertAlmostEqual(self.entity_f1(*one), self.f1, 12)
                said = self.statepath("compare", *one, "--model", "bio.json").stderr
                self.assertIn("the columns are named by config.json beside it", said)
        said = self.statepath("compare", *words[-1][:-2], "--model", "bio.json", status=1, stdout="").stderr
        self.assertIn("--label-order columns or model says which is meant", said)

    def test_fit_and_labels_alone(self):
        """Whoever learns from the scores needs the names; whoever reads the labels alone does not."""
        self.files()
        fit = ["fit", "trainer.npz", "--rules", "bio.json", "-f", "-o", "f.json"]
        self.assertIn("its columns have no names", self.statepath(*fit, status=1, stdout="").stderr)
        words = ["predictions.npy", "--kind", "logits", "--classes", ",".join(NAMES), "--label-order", "columns", "--labels"]
        self.assertAlmostEqual(self.entity_f1(*words, "trainer.npz"), self.f1, 12)
        self.config(NAMES)
        self.statepath(*fit)

    def test_config_of_something_else(self):
        words = self.files()
        for names in (NAMES[:-1], ["x", *NAMES]):
            self.config(names)
            for one in words:
                self.assertIn(
                    "its columns have no names",
                    self.statepath("compare", *one, "--model", "bio.json", status=1, stdout="").stderr,
                )
        self.config(["a", "b", "c", "d", "e"])
        self.assertIn(
            "a", self.statepath("compare", "trainer.npz", "--model", "bio.json", status=1, stdout="").stderr
        )

    def test_the_model_may_say_it(self):
        """Its own file names the columns where they are in its order; others than tags are not asked."""
        self.files()
        self.config(NAMES, "network.json")
        self.statepath("model", "new", "bio", "--id2label", "network.json", "-o", "own.json")
        self.statepath(
            "compare", "trainer.npz", "--model", "own.json", "--classes", "own.json", "--json", "r.json"
        )
        with open(self.path("r.json")) as f:
            self.assertAlmostEqual(json.load(f)["strategies"]["argmax"]["entities"]["f1"], self.f1, 12)
        self.statepath("model", "new", "band", "--classes", "a,b,c,d,e", "--step", "4", "-o", "band.json")
        self.statepath("compare", "trainer.npz", "--model", "band.json")


if __name__ == "__main__":
    st.main()
