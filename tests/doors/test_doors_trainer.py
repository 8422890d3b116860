"""Predictions of transformers' Trainer for token classification: special tokens, sub-words and padding are -100. Saved by

    out = trainer.predict(dataset)
    np.savez("trainer.npz", predictions=out.predictions, label_ids=out.label_ids)

The figures are those of the words, wherever the labels lie and whatever the paths are written as.
"""
import csv
import json

import h5py
import numpy as np

import statepath_test as st

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
N, T, K = 40, 30, len(TAGS)
NOBODY = -100


def predictions():
    """[CLS], words of one piece or more, [SEP], padding; logits everywhere."""
    rng = np.random.default_rng(1)
    labels = np.full((N, T), NOBODY)
    logits = rng.normal(size=(N, T, K)).astype("f4")
    for n in range(N):
        t, length, last = 1, int(rng.integers(10, T - 1)), 0
        while t < length:
            goes_on = last and rng.random() < .5
            last = last + last % 2 if goes_on else int(rng.choice([0, 0, 0, 1, 3]))
            labels[n, t] = last
            logits[n, t, last] += 2
            t += 1
            while t < length and rng.random() < .35:
                t += 1
    return logits, labels


def entities(tags):
    """(type, first, last) as conlleval and seqeval read any tags: what is inside goes on only in its own type."""
    found, kind = [], None
    for i, tag in enumerate(tags):
        letter, _, now = TAGS[tag].partition("-")
        if letter == "O" or letter == "B" or now != kind:
            kind = None
        if letter != "O" and kind is None:
            found.append([now, i, i])
            kind = now
        elif kind is not None:
            found[-1][2] = i
    return {tuple(f) for f in found}


def entity_f1(truth, path):
    right = total = 0
    for y, p in zip(truth, path):
        a, b = entities(y), entities(p)
        right += 2 * len(a & b)
        total += len(a) + len(b)
    return right / total


class TestTrainer(st.TestCase):
    def setUp(self):
        super().setUp()
        self.statepath("model", "new", "bio", "--types", "PER,LOC", "-o", "m.json", "-q")
        self.logits, self.labels = predictions()
        self.words = self.labels != NOBODY
        truth = [y[w] for y, w in zip(self.labels, self.words)]
        path = [p[w] for p, w in zip(self.logits.argmax(2), self.words)]
        self.argmax = round(entity_f1(truth, path), 4)
        self.assertEqual(self.argmax, .5642)  # as seqeval says of these words
        self.config(TAGS)
        np.savez(self.path("trainer.npz"), predictions=self.logits, label_ids=self.labels)
        np.save(self.path("x.npy"), self.logits)
        np.save(self.path("y.npy"), self.labels)
        with h5py.File(self.path("trainer.h5"), "w") as f:
            f["predictions"], f["label_ids"] = self.logits, self.labels
        self.by_hand(self.words)

    def config(self, tags):
        """The configuration of the network, in the folder of what it said."""
        with open(self.path("config.json"), "w", encoding="utf-8") as f:
            json.dump({"architectures": ["BertForTokenClassification"], "id2label": {str(k): tag for k, tag in enumerate(tags)},
                       "label2id": {tag: k for k, tag in enumerate(tags)}, "vocab_size": 30522}, f)

    def by_hand(self, kept, segments=None):
        packed = {"logits": self.logits[kept], "labels": self.labels[kept], "lengths": kept.sum(1)}
        np.savez(self.path("hand.npz"), **packed, **({} if segments is None else {"segments": segments}))

    def figures(self, command, *words):
        report = json.loads(self.statepath(command, *words, "-m", "m.json", "--json", "-", "-q").stdout)
        return report["input"]["steps"], {name: (round(s["entities"]["f1"], 4), s["illegal"], s["accuracy"]) for name, s in report["strategies"].items()}

    def hole(self, file, place):
        return ("%s: %s has a hole: step 0 of recording 0 takes no part (-100), and a later one does; --gaps join makes its neighbours "
                "adjacent, --gaps break begins a new segment after it" % (file, place))

    def test_same_figures_wherever_the_labels_lie(self):
        """Beside the scores, in a file of their own, in one that has scores too; named as Trainer names them or not."""
        np.savez(self.path("hf.npz"), logits=self.logits, labels=self.labels)
        hand = self.figures("compare", "hand.npz")
        self.assertEqual((hand[0], hand[1]["argmax"][0]), (self.words.sum(), self.argmax))
        for words in (["trainer.npz"], ["trainer.h5"], ["hf.npz"], ["x.npy", "--kind", "logits", "--labels", "y.npy"],
                      ["x.npy", "--kind", "logits", "--labels", "trainer.npz"], ["x.npy", "--kind", "logits", "--labels", "trainer.h5"],
                      ["hf.npz", "--reference", "y.npy"]):
            self.assertEqual(self.figures("compare", *words, "--gaps", "join"), hand, words)
        for words in (["hf.npz", "--against", "b=trainer.npz"], ["x.npy", "--kind", "logits", "--labels", "y.npy", "--against", "b=x.npy"]):
            rivals = self.figures("compare", *words, "--gaps", "join")[1]
            self.assertEqual({name[2:]: f for name, f in rivals.items() if name.startswith("b.")}, hand[1], words)

    def test_segments(self):
        """`break`: nothing is required across a hole; the same as segments by hand."""
        begins = self.words & ~np.pad(self.words, ((0, 0), (1, 0)))[:, :-1]
        self.by_hand(self.words, np.cumsum(begins, axis=1)[self.words])
        hand = self.figures("compare", "hand.npz")
        for words in (["trainer.npz"], ["x.npy", "--kind", "logits", "--labels", "y.npy"]):
            self.assertEqual(self.figures("compare", *words, "--gaps", "break"), hand, words)
        for out in ("p.h5", "p.npz"):
            self.statepath("compare", "trainer.npz", "-m", "m.json", "--gaps", "break", "-o", out, "-q")
            self.assertEqual(self.figures("evaluate", out), hand, out)
        said = self.statepath("decode", "trainer.npz", "-m", "m.json", "--gaps", "break", "-o", "p.conll").stderr
        self.assertIn("note: columns of CoNLL have no segments: in p.conll the steps before and after a gap are neighbours; .h5 keeps them apart", said)

    def test_without_gaps(self):
        """A sentence that names both choices, for every command that would count such steps."""
        for file, place in (("trainer.npz", "array label_ids"), ("trainer.h5", "dataset /label_ids")):
            self.refuses("compare", file, "-m", "m.json", sentence=self.hole(file, place))
            self.refuses("decode", file, "-m", "m.json", "-o", "p.h5", sentence=self.hole(file, place))
            self.refuses("fit", file, "--rules", "m.json", "-o", "f.json", sentence=self.hole(file, place))
        alone = self.hole("y.npy", "the array")
        self.refuses("compare", "x.npy", "--kind", "logits", "--labels", "y.npy", "-m", "m.json", "-q", sentence=alone)
        self.refuses("fit", "y.npy", "--rules", "m.json", "-o", "f.json", sentence=alone)
        self.statepath("decode", "trainer.npz", "-m", "m.json", "--gaps", "join", "-o", "p.csv", "-q")
        self.refuses("evaluate", "p.csv", "--labels", "y.npy", "-m", "m.json", sentence=alone)

    def test_padding(self):
        """-100 that only ends a row: no option is needed."""
        lengths = self.words.sum(1)
        kept = np.arange(T) < lengths[:, None]
        self.labels = np.where(kept, np.maximum(self.labels, 0), NOBODY)
        np.savez(self.path("trainer.npz"), predictions=self.logits, label_ids=self.labels)
        np.save(self.path("y.npy"), self.labels)
        self.by_hand(kept)
        hand = self.figures("compare", "hand.npz")
        for words in (["trainer.npz"], ["x.npy", "--kind", "logits", "--labels", "y.npy"]):
            self.assertEqual(self.figures("compare", *words), hand, words)
        probs = np.exp(self.logits) / np.exp(self.logits).sum(2, keepdims=True)
        np.savez(self.path("probs.npz"), predictions=probs, label_ids=self.labels)
        self.assertEqual(self.figures("compare", "probs.npz"), hand)
        self.labels[3, 2] = NOBODY
        np.savez(self.path("trainer.npz"), predictions=self.logits, label_ids=self.labels)
        self.refuses("compare", "trainer.npz", "-m", "m.json",
                     sentence="trainer.npz: array label_ids has a hole: step 2 of recording 3 takes no part (-100), and a later one does; --gaps "
                              "join makes its neighbours adjacent, --gaps break begins a new segment after it")

    def test_paths(self):
        """Judged again, paths have the figures that they had: by their own labels, and by labels with the holes."""
        expected = self.figures("compare", "hand.npz")
        for out in ("p.h5", "p.npz"):
            self.statepath("compare", "trainer.npz", "-m", "m.json", "--gaps", "join", "-o", out, "-q")
            self.assertEqual(self.figures("evaluate", out), expected, out)
            self.assertEqual(self.figures("evaluate", out, "--labels", "y.npy", "--gaps", "join"), expected, out)
        for out in ("d.csv", "d.conll", "d.h5"):
            self.statepath("decode", "trainer.npz", "-m", "m.json", "--gaps", "join", "-o", out, "-q")
            steps, figures = self.figures("evaluate", out, "--labels", "y.npy", "--gaps", "join")
            self.assertEqual((steps, *figures.values()), (expected[0], expected[1]["viterbi"]), out)
        _, figures = self.figures("evaluate", "d.conll")
        self.assertEqual(figures["d"], expected[1]["viterbi"])
        with h5py.File(self.path("d.h5")) as f:
            rows = np.split(f["paths/viterbi"][:], f["offsets"][1:-1])
            self.assertEqual([(r >= 0).sum() for r in rows], self.words.sum(1).tolist())
            self.assertTrue(all((r[w[:len(r)]] >= 0).all() for r, w in zip(rows, self.words)))
        with open(self.path("d.csv"), encoding="utf-8") as f:
            self.assertEqual(sum(row["label"] != "-1" for row in csv.DictReader(f)), self.words.sum())
        pairs = [line.split() for line in self.read("d.conll").decode().split("\n") if line]
        self.assertEqual([TAGS.index(gold) for gold, _ in pairs], self.labels[self.words].tolist())

    def test_predictions_of_all_tokens(self):
        """Classes that others decided for every token, [N,T], and their labels."""
        np.save(self.path("pred.npy"), self.logits.argmax(2))
        steps, figures = self.figures("evaluate", "pred.npy", "--labels", "y.npy", "--gaps", "join")
        self.assertEqual((steps, figures["pred"][0]), (self.words.sum(), self.argmax))

    def test_parts(self):
        """Parts of the work, merged, are one run."""
        words = ["compare", "x.npy", "--kind", "logits", "--labels", "y.npy", "-m", "m.json", "--gaps", "join", "-q"]
        self.statepath(*words, "-o", "one.h5", "--json", "one.json")
        for i in (1, 2):
            self.statepath(*words, "--shard", f"{i}/2", "--part", "P-%i.h5")
        self.statepath("merge", "P-1.h5", "P-2.h5", "-o", "merged.h5", "--json", "merged.json", "-q")
        one, merged = (json.loads(self.read(name)) for name in ("one.json", "merged.json"))
        self.assertEqual(merged["strategies"], one["strategies"])
        self.assertEqual(merged["input"]["steps"], self.words.sum())
        self.assertEqual(self.figures("evaluate", "merged.h5"), self.figures("evaluate", "one.h5"))

    def test_fit(self):
        models = []
        for words in (["hand.npz"], ["trainer.npz", "--gaps", "join"], ["x.npy", "--kind", "logits", "--labels", "y.npy", "--gaps", "join"]):
            self.statepath("fit", *words, "--rules", "m.json", "-o", "f.json", "-f", "-q")
            model = json.loads(self.read("f.json"))
            models.append({k: v for k, v in model.items() if k != "source"})
        self.assertEqual(models[1], models[0])
        self.assertEqual(models[2], models[0])

    def test_class_names(self):
        """The tags of a model's configuration, whose order is not the rules'."""
        order = ["I-LOC", "O", "B-LOC", "I-PER", "B-PER"]
        column = [TAGS.index(tag) for tag in order]
        labels = np.where(self.words, np.argsort(column)[np.maximum(self.labels, 0)], NOBODY)
        np.savez(self.path("other.npz"), predictions=self.logits[:, :, column], label_ids=labels)
        expected = self.figures("compare", "trainer.npz", "--gaps", "join")
        self.config(order)
        self.assertEqual(self.figures("compare", "other.npz", "--gaps", "join", "--classes", "config.json"), expected)
        self.assertEqual(self.figures("compare", "other.npz", "--gaps", "join", "--classes", ",".join(order)), expected)
        self.assertEqual(self.figures("compare", "other.npz", "--gaps", "join"), expected)
        np.save(self.path("pred.npy"), self.logits[:, :, column].argmax(2))
        judged = self.figures("evaluate", "pred.npy", "--labels", "other.npz", "--gaps", "join", "--classes", "config.json", "--label-order", "columns")
        self.assertEqual(judged[1]["pred"], expected[1]["argmax"])
        self.statepath("decode", "other.npz", "--gaps", "join", "--classes", "config.json", "-m", "m.json", "-o", "p.h5", "-q")
        with h5py.File(self.path("p.h5")) as f:
            self.assertEqual([tag.decode() for tag in f["classes"][:]], order)
        self.refuses("compare", "other.npz", "--gaps", "join", "--classes", "O,B-PER", "-m", "m.json",
                     sentence="other.npz: has 5 classes, and --classes O,B-PER names 2")
        self.refuses("evaluate", "p.h5", "--classes", "a,b,c,d,e",
                     sentence="p.h5: names its classes itself, among them I-LOC, which --classes a,b,c,d,e does not name; leave it out")
        self.refuses("compare", "other.npz", "--gaps", "join", "--classes", "none.json", "-m", "m.json",
                     sentence="none.json: there is no such file of classes")
        for entries, said in (({"0": "O", "7": "B-X"}, '1:25: key "id2label": "7" is no number of a class; 2 classes are "0" to "1"'),
                              ({"0": "O", "1": "O"}, '1:25: key "id2label": O is class 0 already'),
                              ({"0": "O", "1": 3}, '1:25: key "id2label": class 1 has no name'),
                              ([], '1:2: key "id2label": an object of 1 to 10000 names of classes is needed')):
            with open(self.path("bad.json"), "w", encoding="utf-8") as f:
                json.dump({"id2label": entries}, f)
            self.refuses("compare", "other.npz", "--gaps", "join", "--classes", "bad.json", "-m", "m.json", sentence="bad.json:" + said)

    def test_sentences(self):
        """Labels that end before the scores' last word, or go on after it, are others' labels."""
        self.labels[5] = NOBODY
        self.labels[5, :T] = 1
        np.save(self.path("y.npy"), self.labels)
        np.savez(self.path("short.npz"), logits=self.logits[:, :20], lengths=np.full(N, 20))
        done = self.statepath("compare", "short.npz", "--labels", "y.npy", "--gaps", "break", "-m", "m.json", status=1)
        self.assertIn("y.npy leaves out other steps than short.npz, which has not as many: --gaps break needs the same steps in both", done.stderr)
        done = self.statepath("compare", "short.npz", "--labels", "y.npy", "--gaps", "join", "-m", "m.json", status=1)
        self.assertIn("short.npz and y.npy do not match; steps differ", done.stderr)


if __name__ == "__main__":
    st.main()
