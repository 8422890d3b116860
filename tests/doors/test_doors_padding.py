"""Rows [N,T,K] are padded: lengths, flags or labels of -100 say where, or nothing is decoded."""

import json
import os

import h5py
import numpy as np

import statepath_test as st

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
LENGTHS = np.array([9, 7, 7, 5, 4])
NO_LENGTHS = "has shape [5, 10, 5], one row a recording, but nothing says how long each is; write a"


class TestPadding(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(0)
        with open(self.path("config.json"), "w") as f:
            json.dump({"id2label": dict(enumerate(NAMES))}, f)
        self.statepath("model", "new", "bio", "--types", "PER,LOC", "-o", "bio.json")
        true = rng.integers(0, 5, (5, 10))
        self.real = np.arange(10) < LENGTHS[:, None]
        self.logits = rng.normal(size=(5, 10, 5)) + 2 * np.eye(5)[true]
        self.minus = np.where(self.real, true, -1)
        self.words = np.where(self.real, np.array(NAMES)[true], "")
        self.options = ["--model", "bio.json", "--classes", "config.json"]

    def files(self, **arrays):
        np.savez(self.path("x.npz"), **arrays)
        with h5py.File(self.path("x.h5"), "w") as f:
            for name, values in arrays.items():
                f[name] = values.astype("S") if values.dtype.kind == "U" else values
        return ("x.npz", "x.h5")

    def compare(self, file, *words, **how):
        return self.statepath("compare", file, *self.options, *words, **how)

    def tokens(self, said):
        return int(said.stdout.split("sentences, ")[1].split(" tokens")[0])

    def test_whatever_the_array_is_called(self):
        probs = np.exp(self.logits)
        probs /= probs.sum(-1, keepdims=True)
        for name, values in (("logits", self.logits), ("predictions", self.logits), ("probs", probs)):
            for label in ("labels", "label_ids"):
                for padded in (self.minus, self.words, np.maximum(self.minus, 0)):
                    for file in self.files(**{name: values, label: padded}):
                        with self.subTest(file=file, name=name, label=label):
                            self.assertIn(NO_LENGTHS, self.compare(file, status=1, stdout="").stderr)
                hundred = np.where(self.real, self.minus, -100)
                for arrays in (
                    {label: hundred},
                    {label: self.minus, "lengths": LENGTHS},
                    {label: self.words, "lengths": LENGTHS},
                    {label: self.minus, "valid": self.real},
                    {label: self.minus, "attention_mask": self.real.astype(int)},
                ):
                    for file in self.files(**{name: values}, **arrays):
                        with self.subTest(file=file, name=name, arrays=sorted(arrays)):
                            self.assertEqual(self.tokens(self.compare(file)), LENGTHS.sum())

    def test_two_arrays(self):
        np.save(self.path("predictions.npy"), self.logits)
        np.save(self.path("minus.npy"), self.minus)
        np.save(self.path("hundred.npy"), np.where(self.real, self.minus, -100))
        np.save(self.path("full.npy"), np.maximum(self.minus, 0))
        words = ["--kind", "logits", "--labels"]
        said = self.compare("predictions.npy", *words, "minus.npy", status=1, stdout="").stderr
        self.assertIn(
            "minus.npy: row 0 ends without a label, and nothing says how long the rows of predictions.npy are",
            said,
        )
        self.assertEqual(
            self.tokens(self.compare("predictions.npy", *words, "hundred.npy", "--label-order", "columns")),
            LENGTHS.sum(),
        )
        self.assertEqual(
            self.tokens(self.compare("predictions.npy", *words, "full.npy", "--label-order", "columns")), 50
        )
        np.save(self.path("path.npy"), self.logits.argmax(-1))
        said = self.statepath(
            "evaluate", "path.npy", "--labels", "minus.npy", *self.options, status=1, stdout=""
        ).stderr
        self.assertIn("row 0 ends without a label", said)

    def test_words_alone(self):
        holes = self.words.copy()
        holes[1, 2] = ""
        for file in self.files(labels=self.words):
            self.statepath("decode", file, *self.options, "--label-confidence", ".9", "-o", "out.h5", "-f")
            with h5py.File(self.path("out.h5")) as f:
                self.assertEqual(f["offsets"][:].tolist(), [0, *np.cumsum(LENGTHS)])
        for file in self.files(labels=holes):
            said = self.statepath(
                "decode",
                file,
                *self.options,
                "--label-confidence",
                ".9",
                "-o",
                "out.h5",
                "-f",
                status=1,
                stdout="",
            ).stderr
            self.assertIn(
                "recording 1: step 2 is empty, and a later one is not; write a flag for each step", said
            )

    def test_gaps_with_nothing_to_join(self):
        np.save(self.path("predictions.npy"), self.logits)
        words = ["decode", "predictions.npy", *self.options, "--kind", "logits", "-o", "out.conll", "-f"]
        for option in (["--gaps", "join"], ["--gaps", "break"], ["--unscored", "-100"]):
            said = self.statepath(*words, *option, status=2, stdout="").stderr
            self.assertIn(
                "%s speaks of steps that take no part, and nothing here says which these are: --labels FILE"
                % option[0],
                said,
            )
        np.savez(
            self.path("full.npz"), logits=self.logits, labels=np.maximum(self.minus, 0), lengths=[10] * 5
        )
        said = self.compare("full.npz", "--gaps", "join").stderr
        self.assertIn("note: --gaps join has nothing to do: no label is -100", said)

    def test_decode_takes_a_file_of_labels(self):
        labels = np.where(self.real, self.minus, -100)
        labels[:, 0] = -100
        labels[2, 3] = -100
        np.save(self.path("predictions.npy"), self.logits)
        np.save(self.path("label_ids.npy"), labels)
        words = [
            "decode",
            "predictions.npy",
            *self.options,
            "--kind",
            "logits",
            "--strategy",
            "argmax",
            "-f",
            "--labels",
            "label_ids.npy",
            "--label-order",
            "columns",
            "-o",
        ]
        said = self.statepath(*words, "out.conll", status=1, stdout="").stderr
        self.assertIn(
            "takes no part (-100), and a later one does; --gaps join makes its neighbours adjacent", said
        )
        self.statepath(*words, "out.conll", "--gaps", "join")
        with open(self.path("out.conll")) as f:
            rows = [line.split() for line in f if line.strip() and not line.startswith("#")]
        self.assertEqual([row[-1] for row in rows], [NAMES[k] for k in self.logits.argmax(-1)[labels >= 0]])
        self.statepath(*words, "out.h5", "--gaps", "join")
        with h5py.File(self.path("out.h5")) as f:
            path = f["paths/argmax"][:]
        self.assertEqual(path[path >= 0].tolist(), self.logits.argmax(-1)[labels >= 0].tolist())

    def test_labels_of_each_file(self):
        """A file of labels for each input; none of them is written over."""
        os.makedirs(self.path("s"))
        os.makedirs(self.path("y"))
        for n in range(3):
            np.save(self.path("s/n%d.npy" % n), self.logits[n])
            np.save(self.path("y/n%d.npy" % n), np.full(10, 0))
        words = [
            "decode",
            "s/",
            *self.options,
            "--kind",
            "logits",
            "--labels",
            "y/{id}.npy",
            "--label-order",
            "columns",
            "--clamp",
            "-f",
            "-o",
        ]
        self.statepath(*words, "out-{id}.npy")
        for n in range(3):
            self.assertEqual(np.load(self.path("out-n%d.npy" % n)).tolist(), [0] * 10)
        self.assertIn(
            "is an input, which is never written to", self.statepath(*words, "y/{id}.npy", status=2).stderr
        )
        one = [
            "decode",
            "s/n0.npy",
            *self.options,
            "--kind",
            "logits",
            "--labels",
            "y/n0.npy",
            "--label-order",
            "columns",
            "-f",
            "-o",
            "y/n0.npy",
        ]
        self.assertIn(
            "is the file of labels, which is never written to", self.statepath(*one, status=2).stderr
        )
        os.remove(self.path("y/n1.npy"))
        self.assertIn(
            "y/n1.npy: there is no such file; this file is left out",
            self.statepath(*words, "out-{id}.npy", status=3).stderr,
        )

    def test_decode_with_labels_that_are_known(self):
        """--clamp keeps what another file says."""
        np.save(self.path("one.npy"), self.logits[0])
        known = np.full(10, -1)
        known[4] = 3
        np.save(self.path("known.npy"), known)
        self.statepath(
            "decode",
            "one.npy",
            *self.options,
            "--kind",
            "logits",
            "--labels",
            "known.npy",
            "--label-order",
            "columns",
            "--clamp",
            "-o",
            "out.npy",
        )
        self.assertEqual(np.load(self.path("out.npy"))[4], 3)


if __name__ == "__main__":
    st.main()
