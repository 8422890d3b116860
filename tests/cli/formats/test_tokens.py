"""Predictions of transformers' Trainer for token classification: special tokens, pieces of words and
padding are -100. Saved by

    out = trainer.predict(dataset)
    np.savez("trainer.npz", predictions=out.predictions, label_ids=out.label_ids)

The figures are those of the words, as seqeval has them; columns of tags have names, or config.json beside
the file names them, or nothing is read. That flags, -100 and word ids mean the same in every layout is in
tests/laws/test_format_law.py.
"""
import csv
import json

import statepath_test as st
from statepath_test import h5py, np

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
N, T, K = 40, 30, len(TAGS)
NOBODY = -100
NO_NAMES = ("its columns have no names, and tags are hardly ever in the order of model bio, O first; "
            "--classes config.json of the")


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


class TestTokens(st.TestCase):
    def setUp(self):
        super().setUp()
        self.statepath("model", "new", "bio", "--types", "PER,LOC", "-o", "m.json", "-q")
        self.logits, self.labels = predictions()
        self.words = self.labels != NOBODY
        self.config(TAGS)
        np.savez(self.path("trainer.npz"), predictions=self.logits, label_ids=self.labels)
        np.savez(self.path("hf.npz"), logits=self.logits, labels=self.labels)
        np.save(self.path("x.npy"), self.logits)
        np.save(self.path("y.npy"), self.labels)
        with h5py.File(self.path("trainer.h5"), "w") as f:
            f["predictions"], f["label_ids"] = self.logits, self.labels
        self.by_hand(self.words)

    def config(self, tags, name="config.json"):
        """The configuration of the network, in the folder of what it said."""
        self.write(name, json.dumps({"architectures": ["BertForTokenClassification"], "vocab_size": 30522,
                                     "id2label": {str(k): tag for k, tag in enumerate(tags)}}))

    def by_hand(self, kept, **more):
        """The steps that take part, packed."""
        np.savez(self.path("hand.npz"), logits=self.logits[kept], labels=self.labels[kept],
                 lengths=kept.sum(1), **more)

    def figures(self, command, *words):
        report = json.loads(self.statepath(command, *words, "-m", "m.json", "--json", "-", "-q").stdout)
        return report["input"]["steps"], {name: (s["entities"]["f1"], s["illegal"], s["accuracy"]) for name,
                                          s in report["strategies"].items()}

    def hole(self, file, place):
        return ("%s: %s has a hole: step 0 of recording 0 takes no part (-100), and a later one does; --gaps "
                "join makes its neighbours "
                "adjacent, --gaps break begins a new segment after it" % (file, place))

    def test_same_figures_wherever_the_labels_lie(self):
        """Beside the scores, in a file of their own, in one that has scores too; named as Trainer names
        them or not."""
        hand = self.figures("compare", "hand.npz")
        self.assertEqual((hand[0], round(hand[1]["argmax"][0], 4)),
                         (self.words.sum(), .5642))  # as seqeval says of these words
        x = ["x.npy", "--kind", "logits", "--labels"]
        for words in (["trainer.npz"], ["trainer.h5"], ["hf.npz"], [*x, "y.npy"], [*x, "trainer.npz"],
                      [*x, "trainer.h5"], ["hf.npz", "--labels", "y.npy"]):
            self.assertEqual(self.figures("compare", *words, "--gaps", "join"), hand, words)
        for words in (["hf.npz", "--against", "b=trainer.npz"], [*x, "y.npy", "--against", "b=x.npy"]):
            rivals = self.figures("compare", *words, "--gaps", "join")[1]
            self.assertEqual({name[2:]: f for name, f in rivals.items() if name.startswith("b.")}, hand[1],
                             words)
        np.save(self.path("pred.npy"), self.logits.argmax(2))  # classes that others decided for every token
        steps, figures = self.figures("evaluate", "pred.npy", "--labels", "y.npy", "--gaps", "join")
        self.assertEqual((steps, figures["pred"][0]), (hand[0], hand[1]["argmax"][0]))
        models = []
        for words in (["hand.npz"], ["trainer.npz", "--gaps", "join"], [*x, "y.npy", "--gaps", "join"]):
            self.statepath("fit", *words, "--rules", "m.json", "-o", "f.json", "-f", "-q")
            models.append({k: v for k, v in json.loads(self.read("f.json")).items() if k != "source"})
        self.assertEqual(models[1:], models[:1] * 2)

    def test_segments(self):
        """`break`: nothing is required across a hole; the same as segments by hand."""
        begins = self.words & ~np.pad(self.words, ((0, 0), (1, 0)))[:, :-1]
        self.by_hand(self.words, segments=np.cumsum(begins, axis=1)[self.words])
        hand = self.figures("compare", "hand.npz")
        for words in (["trainer.npz"], ["x.npy", "--kind", "logits", "--labels", "y.npy"]):
            self.assertEqual(self.figures("compare", *words, "--gaps", "break"), hand, words)
        for out in ("p.h5", "p.npz"):
            self.statepath("compare", "trainer.npz", "-m", "m.json", "--gaps", "break", "-o", out, "-q")
            self.assertEqual(self.figures("evaluate", out), hand, out)
        said = self.statepath("decode", "trainer.npz", "-m", "m.json", "--gaps", "break", "-o",
                              "p.conll").stderr
        self.assertIn("note: columns of CoNLL have no segments: in p.conll the steps before and after a gap "
                      "are neighbours; .h5 keeps them apart", said)

    def test_without_gaps(self):
        """A sentence that names both choices, for every command that would count such steps."""
        for file, place in (("trainer.npz", "array label_ids"), ("trainer.h5", "dataset /label_ids")):
            for words in (["compare", file, "-m", "m.json"], ["decode", file, "-m", "m.json", "-o", "p.h5"],
                          ["fit", file, "--rules", "m.json", "-o", "f.json"]):
                self.refuses(*words, sentence=self.hole(file, place))
        alone = self.hole("y.npy", "the array")
        self.refuses("compare", "x.npy", "--kind", "logits", "--labels", "y.npy", "-m", "m.json", "-q",
                     sentence=alone)
        self.refuses("fit", "y.npy", "--rules", "m.json", "-o", "f.json", sentence=alone)
        self.statepath("decode", "trainer.npz", "-m", "m.json", "--gaps", "join", "-o", "p.csv", "-q")
        self.refuses("evaluate", "p.csv", "--labels", "y.npy", "-m", "m.json", sentence=alone)

    def test_padding(self):
        """-100 that only ends a row: no option is needed. Without any --gaps is said to do nothing."""
        kept = np.arange(T) < self.words.sum(1)[:, None]
        self.labels = np.where(kept, np.maximum(self.labels, 0), NOBODY)
        np.savez(self.path("trainer.npz"), predictions=self.logits, label_ids=self.labels)
        np.savez(self.path("probs.npz"),
                 predictions=np.exp(self.logits) / np.exp(self.logits).sum(2, keepdims=True),
                 label_ids=self.labels)
        np.save(self.path("y.npy"), self.labels)
        self.by_hand(kept)
        for words in (["trainer.npz"], ["probs.npz"], ["x.npy", "--kind", "logits", "--labels", "y.npy"]):
            self.assertEqual(self.figures("compare", *words), self.figures("compare", "hand.npz"), words)
        np.savez(self.path("full.npz"), logits=self.logits, labels=np.maximum(self.labels, 0),
                 lengths=[T] * N)
        self.assertIn("note: --gaps join has nothing to do: no label is -100",
                      self.statepath("compare", "full.npz", "-m", "m.json", "--gaps", "join").stderr)

    def test_holes_by_flags(self):
        """Paths have -1 in them, and no confidence; the rest is the path of the words. Of several files
        the same as of one."""
        for name in ("attention_mask", "valid"):
            for gaps in ("join", "break"):
                begins = np.cumsum(self.words & ~np.roll(self.words, 1, axis=1), axis=1)
                self.by_hand(self.words, **({"segments": begins[self.words]} if gaps == "break" else {}))
                self.statepath("decode", "hand.npz", "-m", "m.json", "-o", "hand.h5", "-f", "-q")
                np.savez(self.path("one.npz"), logits=self.logits, **{name: self.words},
                         ids=["a/%d" % n if n < 2 else "b/%d" % (n - 2) for n in range(N)])
                np.savez(self.path("a.npz"), logits=self.logits[:2], **{name: self.words[:2]})
                np.savez(self.path("b.npz"), logits=self.logits[2:], **{name: self.words[2:]})
                found = []
                for words in (["one.npz"], ["a.npz", "b.npz"]):
                    self.statepath("decode", *words, "-m", "m.json", "-o", "o.h5", "--gaps", gaps,
                                   "--confidence", "-f", "-q")
                    with h5py.File(self.path("o.h5")) as f, h5py.File(self.path("hand.h5")) as g:
                        path, ends = f["paths/viterbi"][:], f["offsets"][:]
                        flat = np.concatenate([row[:n] for row, n in zip(self.words, np.diff(ends))])
                        self.assertEqual(path[flat].tolist(), g["paths/viterbi"][:].tolist())
                        self.assertTrue((path[~flat] == -1).all())
                        np.testing.assert_array_equal(np.isnan(f["confidence/viterbi"][:]), ~flat)
                        found.append([path.tolist(), ends.tolist(), f["ids"].asstr()[:].tolist()])
                self.assertEqual(*found)

    def test_paths(self):
        """Judged again, paths have the figures that they had: by their own labels, and by labels with the
        holes."""
        expected = self.figures("compare", "hand.npz")
        for out in ("p.h5", "p.npz"):
            self.statepath("compare", "trainer.npz", "-m", "m.json", "--gaps", "join", "-o", out, "-q")
            for more in ([], ["--labels", "y.npy", "--gaps", "join"]):
                self.assertEqual(self.figures("evaluate", out, *more), expected, out)
        for out in ("d.csv", "d.conll", "d.h5"):
            self.statepath("decode", "trainer.npz", "-m", "m.json", "--gaps", "join", "-o", out, "-q")
            steps, figures = self.figures("evaluate", out, "--labels", "y.npy", "--gaps", "join")
            self.assertEqual((steps, *figures.values()), (expected[0], expected[1]["viterbi"]), out)
        self.assertEqual(self.figures("evaluate", "d.conll")[1]["d"], expected[1]["viterbi"])
        with open(self.path("d.csv"), encoding="utf-8") as f:
            self.assertEqual(sum(row["label"] != "-1" for row in csv.DictReader(f)), self.words.sum())
        pairs = [line.split() for line in self.read("d.conll").decode().split("\n") if line]
        self.assertEqual([TAGS.index(gold) for gold, _ in pairs], self.labels[self.words].tolist())

    def test_decode_takes_labels_of_another_file(self):
        """For what takes no part, and with --clamp for what is certain; a file of them for each input;
        none of them is written over."""
        decode = ["decode", "x.npy", "-m", "m.json", "--kind", "logits", "--strategies", "argmax", "-f",
                  "--labels", "y.npy", "-o"]
        self.assertIn("takes no part (-100), and a later one does",
                      self.statepath(*decode, "out.csv", status=1, stdout="").stderr)
        self.statepath(*decode, "out.csv", "--gaps", "join")
        with open(self.path("out.csv"), encoding="utf-8") as f:
            path = [row["label"] for row in csv.DictReader(f) if row["label"] != "-1"]
        self.assertEqual(path, [TAGS[k] for k in self.logits.argmax(-1)[self.words]])
        self.assertIn("is the file of labels, which is never written to",
                      self.statepath(*decode, "y.npy", "--gaps", "join", status=2).stderr)
        for n in range(3):
            for folder, array in (("s", self.logits[n]), ("l", np.full(T, 0))):
                st.os.makedirs(self.path(folder), exist_ok=True)
                np.save(self.path("%s/n%d.npy" % (folder, n)), array)
        each = ["decode", "s/", "-m", "m.json", "--classes", "config.json", "--kind", "logits", "--labels",
                "l/{id}.npy", "--label-order", "columns", "--clamp", "-f", "-o"]
        self.statepath(*each, "out-{id}.npy")
        self.assertEqual([np.load(self.path("out-n%d.npy" % n)).tolist() for n in range(3)], [[0] * T] * 3)
        self.assertIn("is an input, which is never written to",
                      self.statepath(*each, "l/{id}.npy", status=2).stderr)
        st.os.remove(self.path("l/n1.npy"))
        self.assertIn("l/n1.npy: there is no such file; this file is left out",
                      self.statepath(*each, "out-{id}.npy", status=3).stderr)

    # ---- names of the columns ----

    def test_columns_have_names(self):
        """Alphabetical tags, whose order is not the rules': named by config.json, by --classes, by the
        model, or refused."""
        order = sorted(TAGS)
        column = [TAGS.index(tag) for tag in order]
        labels = np.where(self.words, np.argsort(column)[np.maximum(self.labels, 0)], NOBODY)
        np.savez(self.path("other.npz"), predictions=self.logits[:, :, column], label_ids=labels)
        with h5py.File(self.path("other.h5"), "w") as f:
            f["predictions"], f["label_ids"] = self.logits[:, :, column], labels
        np.save(self.path("predictions.npy"), self.logits[:, :, column])
        np.save(self.path("label_ids.npy"), labels)
        two = ["predictions.npy", "--kind", "logits", "--labels", "label_ids.npy"]
        wanted = self.figures("compare", "hand.npz")
        given = (["other.npz"], ["other.h5"], [*two, "--label-order", "columns"])
        self.config(order, "network.json")
        for wrong in (None, order[:-1], ["x", *order]):
            st.os.remove(self.path("config.json"))
            if wrong:
                self.config(wrong)
            for words in given:
                self.assertIn(NO_NAMES, self.statepath("compare", *words, "--gaps", "join", "-m", "m.json",
                                                       status=1, stdout="").stderr)
            self.assertIn("its columns have no names",
                          self.statepath("fit", "other.npz", "--gaps", "join", "--rules", "m.json", "-o",
                                         "f.json", status=1).stderr)
            self.config(TAGS)
        self.config(order)
        for words in given:
            for names in ([], ["--classes", "network.json"], ["--classes", ",".join(order)]):
                self.assertEqual(self.figures("compare", *words, "--gaps", "join", *names), wanted,
                                 (words, names))
            self.assertIn("the columns are named by config.json beside it",
                          self.statepath("compare", *words, "--gaps", "join", "-m", "m.json").stderr)
        self.assertIn("--label-order columns or model says which is meant",
                      self.statepath("compare", *two, "--gaps", "join", "-m", "m.json", status=1).stderr)
        self.statepath("fit", "other.npz", "--gaps", "join", "--rules", "m.json", "-o", "f.json")
        self.statepath("decode", "other.npz", "--gaps", "join", "-m", "m.json", "-o", "p.h5", "-q")
        with h5py.File(self.path("p.h5")) as f:
            self.assertEqual(f["classes"].asstr()[:].tolist(), order)
        self.statepath("model", "new", "bio", "--id2label", "network.json", "-o", "own.json")
        self.statepath("compare", "other.npz", "--gaps", "join", "-m", "own.json", "--classes", "own.json")
        st.os.remove(self.path("config.json"))
        self.statepath("model", "new", "band", "--classes", "a,b,c,d,e", "--step", "4", "-o", "band.json")
        self.statepath("compare", "other.npz", "--gaps", "join", "-m",
                       "band.json")  # others than tags are not asked

    def test_names_that_are_none(self):
        for words, said in ((["--classes", "O,B-PER"],
                             "trainer.npz: has 5 classes, and --classes O,B-PER names 2"),
                            (["--classes", "none.json"], "none.json: there is no such file of classes")):
            self.refuses("compare", "trainer.npz", "--gaps", "join", *words, "-m", "m.json", sentence=said)
        self.statepath("decode", "trainer.npz", "--gaps", "join", "-m", "m.json", "-o", "p.h5", "-q")
        self.refuses("evaluate", "p.h5", "--classes", "a,b,c,d,e",
                     sentence="p.h5: names its classes itself, among them O, which --classes a,b,c,d,e does "
                              "not name; leave it out")
        for entries, said in (({"0": "O", "7": "B-X"},
                               '1:25: key "id2label": "7" is no number of a class; 2 classes are "0" to "1"'),
                              ({"0": "O", "1": "O"}, '1:25: key "id2label": O is class 0 already'),
                              ({"0": "O", "1": 3}, '1:25: key "id2label": class 1 has no name'),
                              ([], '1:2: key "id2label": an object of 1 to 10000 names of classes '
                                   'is needed, such as {"0": "O"}')):
            self.write("bad.json", json.dumps({"id2label": entries}))
            self.refuses("compare", "trainer.npz", "--gaps", "join", "--classes", "bad.json", "-m", "m.json",
                         sentence="bad.json:" + said)

    def test_labels_of_others(self):
        """Labels that end before the scores' last word, or go on after it; -100 where there are no rows."""
        self.labels[5] = 1
        np.save(self.path("y.npy"), self.labels)
        np.savez(self.path("short.npz"), logits=self.logits[:, :20], lengths=np.full(N, 20))
        for gaps, said in (("break",
                            "y.npy leaves out other steps than short.npz, which has not as many: --gaps "
                            "break needs the same steps in both"),
                           ("join", "short.npz and y.npy do not match; steps differ")):
            self.assertIn(said, self.statepath("compare", "short.npz", "--labels", "y.npy", "--gaps", gaps,
                                               "-m", "m.json", status=1).stderr)
        for ending in ("npz", "h5"):
            flat = {"log_probs": np.log(np.full((3, K), 1 / K)), "labels": [0, -100, -1]}
            np.savez(self.path("flat.npz"), **flat) if ending == "npz" else self.h5("flat.h5", **flat)
            for words, steps in (([], 3), (["--gaps", "break"], 2)):
                report = json.loads(self.statepath("compare", "flat." + ending, "-m", "m.json", "--unscored",
                                                   "-100", *words, "--json", "-", "-q").stdout)
                self.assertEqual((report["input"]["steps"], report["input"]["scored_steps"]), (steps, 1))

    def test_what_is_used_is_not_called_unused(self):
        arrays = {"probs": np.full((40, 3), 1 / 3), "word_ids": np.repeat(np.arange(20), 2),
                  "tokens": ["w%d" % t for t in range(40)], "windows": [0]}
        np.savez(self.path("x.npz"), **arrays)
        self.h5("x.h5", **arrays)
        for file in ("x.npz", "x.h5"):
            said = self.statepath("inspect", file, "--gaps", "join").stdout
            unused = "".join(line for line in said.splitlines() if "not used" in line)
            self.assertFalse([name for name in ("word_ids", "tokens", "windows") if name + " " in unused],
                             said)


if __name__ == "__main__":
    st.main()
