"""Hugging Face's layout: logits, labels with -100, attention_mask; holes that are joined or cut; the same results as packed by hand."""
import json

import h5py
import numpy as np

import statepath_test as st

N, T, K = 12, 14, 5


class TestHuggingFace(st.TestCase):
    def setUp(self):
        super().setUp()
        self.statepath("model", "new", "bio", "--types", "A,B", "-o", "m.json", "-q")
        with open(self.path("config.json"), "w", encoding="utf-8") as f:  # of the network: its columns are in the order of the rules
            json.dump({"id2label": dict(enumerate(["O", "B-A", "I-A", "B-B", "I-B"]))}, f)
        rng = np.random.default_rng(8)
        self.logits = rng.normal(size=(N, T, K)).astype("f4") * 2
        self.labels = np.full((N, T), -100)
        self.attention = np.zeros((N, T), int)
        for n, length in enumerate(rng.integers(4, T + 1, N)):
            self.attention[n, :length] = 1
            self.labels[n, 1:length - 1] = np.where(rng.random(length - 2) < .3, -100, rng.integers(0, K, length - 2))
        self.labels[:, 1] = 0
        self.arrays = {"logits": self.logits, "labels": self.labels, "attention_mask": self.attention}
        self.files("hf", **self.arrays)

    def files(self, name, **arrays):
        np.savez(self.path(name + ".npz"), **arrays)
        with h5py.File(self.path(name + ".h5"), "w") as f:
            for key, values in arrays.items():
                f[key] = values

    def by_hand(self, kept, breaks=False):
        """The steps that take part, packed."""
        segment = np.cumsum(kept & ~np.roll(kept, 1, axis=1), axis=1)
        more = {"segments": segment[kept]} if breaks else {}
        self.files("hand", logits=self.logits[kept], labels=np.where(self.labels == -100, -1, self.labels)[kept],
                   offsets=np.append(0, np.cumsum(kept.sum(1))), **more)

    def result(self, *arguments):
        report = json.loads(self.statepath("compare", *arguments, "-m", "m.json", "--json", "-", "-q").stdout)
        for key in ("file", "bytes"):
            report["input"].pop(key)
        report.pop("command", None)
        return report

    def same(self, name, *options):
        for ending in (".npz", ".h5"):
            self.assertEqual(self.result(name + ending, *options), self.result("hand.h5"))

    def test_without_gaps(self):
        """-100 that only ends a row is padding, whether attention_mask goes on or not; elsewhere it is a hole."""
        for ending, what in ((".npz", "array labels"), (".h5", "dataset /labels")):
            for name in ("hf", "bare"):
                self.files("bare", logits=self.logits, labels=self.labels)
                self.refuses("compare", name + ending, "-m", "m.json",
                             sentence="%s%s: %s has a hole: step 0 of recording 0 takes no part (-100), and a later one does; --gaps join makes "
                                      "its neighbours adjacent, --gaps break begins a new segment after it" % (name, ending, what))
        last = self.attention.sum(1) - 1
        kept = np.arange(T) < last[:, None]
        labels = np.where(kept, np.maximum(self.labels, 0), -100)
        self.labels = labels
        self.by_hand(kept)
        self.files("hf", logits=self.logits, labels=labels, attention_mask=self.attention)
        self.files("bare", logits=self.logits, labels=labels)
        self.files("probs", probs=np.exp(self.logits) / np.exp(self.logits).sum(2, keepdims=True), labels=labels)
        for name in ("hf", "bare"):
            self.same(name)
        for ending in (".npz", ".h5"):
            self.assertEqual(self.result("probs" + ending)["input"]["scored_steps"], kept.sum())

    def test_join_and_break(self):
        words = self.labels != -100
        self.by_hand(words)
        self.same("hf", "--gaps", "join")
        self.files("bare", logits=self.logits, labels=self.labels)
        self.same("bare", "--gaps", "join")
        self.by_hand(words, breaks=True)
        self.same("hf", "--gaps", "break")

    def test_hole(self):
        """In attention_mask, and in valid."""
        kept = self.attention == 1
        kept[:, 2] = False
        kept[3, 0] = False
        for name, kind in (("attention_mask", "logits"), ("valid", "scores")):
            self.files("hole", **{kind: self.logits, name: kept})
            for ending, what in ((".npz", "array"), (".h5", "dataset")):
                self.refuses("compare", "hole" + ending, "-m", "m.json",
                             sentence="hole%s: %s %s has a hole: step 2 of recording 0 takes no part, and a later one does; --gaps join makes "
                                      "its neighbours adjacent, --gaps break begins a new segment after it" % (
                                          ending, what, name if ending == ".npz" else "/" + name))
            paths = {}
            for gaps in ("join", "break"):
                segment = np.cumsum(kept & ~np.roll(kept, 1, axis=1), axis=1)
                packed = {kind: self.logits[kept], "offsets": np.append(0, np.cumsum(kept.sum(1)))}
                self.files("packed", **packed, **({"segments": segment[kept]} if gaps == "break" else {}))
                self.statepath("decode", "packed.h5", "-m", "m.json", "-o", "packed.out.h5", "-f", "-q")
                for ending in (".npz", ".h5"):
                    self.statepath("decode", "hole" + ending, "-m", "m.json", "-o", "o.h5", "--gaps", gaps, "--confidence", "-f", "-q")
                    with h5py.File(self.path("o.h5")) as f, h5py.File(self.path("packed.out.h5")) as g:
                        path, offsets = f["paths/viterbi"][:], f["offsets"][:]
                        lengths = [np.flatnonzero(k)[-1] + 1 for k in kept]
                        flat = np.concatenate([k[:n] for k, n in zip(kept, lengths)])
                        np.testing.assert_array_equal(np.diff(offsets), lengths)
                        np.testing.assert_array_equal(path[~flat], -1)
                        np.testing.assert_array_equal(path[flat], g["paths/viterbi"][:])
                        np.testing.assert_array_equal(np.isnan(f["confidence/viterbi"][:]), ~flat)
                    paths[gaps] = path.tolist()
            self.assertNotEqual(paths["join"], paths["break"])

    def test_holes_of_several_files(self):
        """Paths and figures of several files are those of one, whatever they are written as: -1 in holes, as long as the input."""
        kept = self.attention == 1
        kept[2:, 2] = False
        self.labels[:2] = np.where(kept[:2], 0, -100)
        ends = [0, 2, 4, 7, N]  # the first file has no holes
        for ending in ("npz", "h5"):
            for i, (a, b) in enumerate(zip(ends, ends[1:])):
                self.files(f"part{i}", logits=self.logits[a:b], labels=self.labels[a:b], attention_mask=kept[a:b])
            ids = [f"part{i}/{n}" for i, (a, b) in enumerate(zip(ends, ends[1:])) for n in range(b - a)]
            self.files("one", logits=self.logits, labels=self.labels, attention_mask=kept, ids=np.array(ids, "S"))
            several = [f"part{i}.{ending}" for i in range(4)]
            for gaps in ("join", "break"):
                options = ["-m", "m.json", "--gaps", gaps, "-f", "-q"]
                one, all = self.result("one.npz", "--gaps", gaps), self.result(*several, "--gaps", gaps)
                self.assertEqual(sum(file["steps"] for file in all["input"]["files"]), one["input"]["steps"])
                self.assertEqual(all["strategies"], one["strategies"])
                for out in ("h5", "npz", "csv", "conll"):
                    self.statepath("decode", "one.npz", "-o", "one.out." + out, *options)
                    self.statepath("decode", *several, "-o", "all.out." + out, *options)
                with h5py.File(self.path("one.out.h5")) as f, h5py.File(self.path("all.out.h5")) as g:
                    for name in ("paths/viterbi", "path_scores/viterbi", "offsets", "labels"):
                        np.testing.assert_array_equal(f[name][:], g[name][:])
                    self.assertTrue((f["paths/viterbi"][:] == -1).any())
                f, g = np.load(self.path("one.out.npz")), np.load(self.path("all.out.npz"))
                for name in ("paths/viterbi", "path_scores/viterbi", "offsets", "labels"):
                    np.testing.assert_array_equal(f[name], g[name])
                for out in ("csv", "conll"):
                    self.assertEqual(self.read("all.out." + out), self.read("one.out." + out))
                self.assertEqual(self.evaluated("all.out.h5"), self.evaluated("one.out.h5"))
        self.assertIn("part1.h5: dataset /attention_mask has a hole: step 2 of recording 0 takes no part, and a later one does; "
                      "--gaps join makes its neighbours adjacent, --gaps break begins a new segment after it",
                      self.statepath("compare", *several, "-m", "m.json", status=3).stderr)

    def evaluated(self, file):
        return json.loads(self.statepath("evaluate", file, "-m", "m.json", "--json", "-", "-q").stdout)["strategies"]

    def test_minus_100(self):
        """Elsewhere it is an error that names the option; other negative labels stay errors."""
        flat = {"log_probs": np.log(np.full((3, K), 1 / K)), "labels": [0, -100, -1]}
        self.files("other", **flat)
        for ending in (".npz", ".h5"):
            done = self.statepath("compare", "other" + ending, "-m", "m.json", status=1)
            self.assertIn("label -100 is not one of the 5 classes 0..4; unscored steps are -1, and -100 with --unscored -100", done.stderr)
            report = self.result("other" + ending, "--unscored", "-100")
            self.assertEqual(report["input"]["scored_steps"], 1)
            segmented = self.result("other" + ending, "--unscored", "-100", "--gaps", "break")
            self.assertEqual((segmented["input"]["steps"], segmented["input"]["scored_steps"]), (2, 1))
        self.labels[0, 1] = -7
        self.files("hf", **self.arrays)
        for ending in (".npz", ".h5"):
            done = self.statepath("compare", "hf" + ending, "-m", "m.json", "--gaps", "join", status=1)
            self.assertIn("label -7 is not one of the 5 classes", done.stderr)
        self.refuses("compare", "hf.npz", "-m", "m.json", "--unscored", "-5", status=2,
                     sentence="--unscored -5: it is -100, or -1, which is unscored always; --map 'N=unscored' names others")
        self.refuses("compare", "hf.npz", "-m", "m.json", "--gaps", "leave", status=2,
                     sentence="--gaps leave: it is join (the neighbours of a hole become adjacent) or break (a new segment begins after it)")


if __name__ == "__main__":
    st.main()
