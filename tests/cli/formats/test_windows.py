"""Windows that overlap are joined to texts before they are decoded: against plain numpy, and each fault with its sentence."""
import json

import numpy as np

import statepath_test as st

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
K = len(TAGS)


def log_softmax(x):
    return x - np.logaddexp.reduce(x, axis=-1, keepdims=True)


def joined(rows, starts, how):
    """Rows of each text [T,K]: of windows (list of [T,K] in log-probabilities), and where each begins in its text."""
    texts = []
    for w, start in zip(rows, starts):
        if start == 0:
            texts.append([])
        for i, row in enumerate(w):
            while len(texts[-1]) <= start + i:
                texts[-1].append([])
            texts[-1][start + i].append((abs(i - (len(w) - 1) / 2), row))
    if how == "mean":
        return [log_softmax(np.array([np.mean([row for _, row in step], axis=0) for step in text])) for text in texts]
    return [np.array([min(step, key=lambda one: one[0])[1] for step in text]) for text in texts]


class TestWindows(st.TestCase):
    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(13)
        self.statepath("model", "new", "bio", "--types", "PER,LOC", "-o", "m.json", "-q")
        with open(self.path("config.json"), "w", encoding="utf-8") as f:  # of the network: its columns are in the order of the rules
            json.dump({"id2label": dict(enumerate(TAGS))}, f)

    def scores(self, lengths):
        return [self.rng.normal(0, 2, (n, K)) for n in lengths]

    def save(self, name, rows, **more):
        np.savez(self.path(name), logits=np.concatenate(rows), offsets=np.cumsum([0, *map(len, rows)]), classes=TAGS, **more)

    def paths(self, name, *options):
        self.statepath("decode", name, "-m", "m.json", "-o", "p.npz", "-f", "-q", *options)
        with np.load(self.path("p.npz")) as p:
            return {key: p[key] for key in p}

    def expect(self, texts):
        """What the joined rows decode to, given as they are."""
        np.savez(self.path("whole.npz"), log_probs=np.concatenate(texts), offsets=np.cumsum([0, *map(len, texts)]), classes=TAGS)
        return self.paths("whole.npz")

    def test_against_numpy(self):
        lengths, starts = [7, 7, 5, 4, 7, 7], [0, 4, 8, 0, 0, 6]
        rows = self.scores(lengths)
        for how in ("mean", "middle"):
            expected = self.expect(joined([log_softmax(r) for r in rows], starts, how))
            self.save("w.npz", rows, windows=starts, ids=list("abcdef"))
            self.h5("w.h5", logits=np.concatenate(rows), offsets=np.cumsum([0, *lengths]), classes=TAGS, windows=[[n // 3 + (n > 3), s] for n, s in enumerate(starts)])
            self.save("f.npz", rows, windows=np.asfortranarray([[n // 3 + (n > 3), s] for n, s in enumerate(starts)]))
            self.save("p.npz.npz", rows, places=starts)
            for name, *more in (("w.npz",), ("w.h5",), ("f.npz",), ("p.npz.npz", "--windows", "places")):
                got = self.paths(name, "--join", how, *more)
                np.testing.assert_array_equal(got["paths/viterbi"], expected["paths/viterbi"], f"{how} {name}")
                np.testing.assert_array_equal(got["offsets"], [0, 13, 17, 30])
                np.testing.assert_allclose(got["path_scores/viterbi"], expected["path_scores/viterbi"], rtol=1e-9)
            self.assertEqual(self.paths("w.npz", "--join", how)["ids"].tolist(), ["a", "d", "e"])

    def test_stride(self):
        """Rows [N,T,K] without a word of where they begin: so many steps after one another."""
        logits = self.rng.normal(0, 2, (3, 6, K))
        np.save(self.path("logits.npy"), logits)
        for how in ("mean", "middle"):
            got = self.paths("logits.npy", "--join", how, "--windows", "4")
            np.testing.assert_array_equal(got["paths/viterbi"], self.expect(joined(log_softmax(logits), [0, 4, 8], how))["paths/viterbi"])

    def test_scores_and_probs(self):
        """Raw scores are not normalised; what one window says is impossible is so."""
        rows = self.scores([4, 4])
        np.savez(self.path("s.npz"), scores=np.concatenate(rows), offsets=[0, 4, 8], classes=TAGS, windows=[0, 2])
        got = self.paths("s.npz", "--join", "mean")
        mean = np.concatenate([rows[0][:2], (rows[0][2:] + rows[1][:2]) / 2, rows[1][2:]])
        np.savez(self.path("t.npz"), scores=mean, classes=TAGS)
        np.testing.assert_allclose(got["path_scores/viterbi"], self.paths("t.npz")["path_scores/viterbi"], rtol=1e-12)
        probs = np.full((4, K), .2)
        probs[1] = [0, .6, .2, .1, .1]
        np.savez(self.path("p0.npz"), probs=probs, offsets=[0, 2, 4], classes=TAGS, windows=[0, 1])
        self.assertNotEqual(self.paths("p0.npz", "--join", "mean")["paths/viterbi"][1], 0)

    def test_rows_are_checked(self):
        """A window's row that is not what its kind says is named as where nothing is joined; a NaN says nothing, where that is asked for."""
        probs = np.full((8, K), .2)
        probs[5] *= 2
        np.savez(self.path("w.npz"), probs=probs, offsets=[0, 4, 8], classes=TAGS, windows=[0, 2], ids=["a", "b"])
        for how in ("mean", "middle"):
            self.refuses("decode", "w.npz", "-m", "m.json", "-o", "o.h5", "--join", how,
                         sentence="w.npz: probs, recording b, step 1: the row sums to 2, not 1 (probs): all lie "
                                  "in 0 to 1: a sigmoid for each class? write x / x.sum(-1, keepdims=True) instead (numpy)")
        rows = [log_softmax(r) for r in self.scores([4, 4])]
        rows[0][3, 2] = np.nan
        self.save("w.npz", rows, windows=[0, 2])
        for how in ("mean", "middle"):
            self.refuses("decode", "w.npz", "-m", "m.json", "-o", "o.h5", "--join", how,
                         sentence="w.npz: logits, recording 0, step 3, class I-PER: NaN; --missing uniform treats such steps as saying nothing")
            whole = joined([rows[0][:3], rows[1]], [0, 2], how) if how == "mean" else [np.concatenate([rows[0][:3], rows[1][1:]])]
            got, expected = self.paths("w.npz", "--join", how, "--missing", "uniform"), self.expect(whole)
            np.testing.assert_array_equal(got["paths/viterbi"], expected["paths/viterbi"])
            np.testing.assert_allclose(got["path_scores/viterbi"], expected["path_scores/viterbi"], rtol=1e-9)
        rows[1][1] = np.nan
        self.save("w.npz", rows, windows=[0, 2])
        rows[0][3] = 0
        got = self.paths("w.npz", "--join", "mean", "--missing", "uniform")
        np.savez(self.path("t.npz"), scores=np.concatenate(joined([rows[0][:3], rows[1][:1]], [0, 2], "mean") + [np.zeros((1, K)), rows[1][2:]]), classes=TAGS)
        np.testing.assert_array_equal(got["paths/viterbi"], self.paths("t.npz")["paths/viterbi"])

    def test_entities_and_labels(self):
        """Tokens, labels and entities are those of the text."""
        tags = np.array([0, 1, 2, 2, 0, 3])
        rows = [5 * np.eye(K)[tags[:4]], 5 * np.eye(K)[tags[2:]]]
        self.save("w.npz", rows, windows=[0, 2], labels=[0, 1, 2, -1, -1, 2, 0, 3], tokens=list("abcdcdef"), ids=["one", "two"])
        self.statepath("decode", "w.npz", "-m", "m.json", "--join", "middle", "-o", "o.conll", "-q")
        self.assertEqual(self.read("o.conll").decode(), "a O O\nb B-PER B-PER\nc I-PER I-PER\nd I-PER I-PER\ne O O\nf B-LOC B-LOC\n\n")
        self.write("t.txt", "a b cc d e f")
        self.statepath("decode", "w.npz", "-m", "m.json", "--join", "mean", "--text", "t.txt", "-o", "o.jsonl", "-q")
        lines = [json.loads(line) for line in self.read("o.jsonl").decode().splitlines()]
        self.assertEqual([(line["recording"], line["type"], line["first"], line["last"], line["text"]) for line in lines],
                         [("one", "PER", 1, 3, "b cc d"), ("one", "LOC", 5, 5, "f")])

    def refused(self, sentence, *options, status=1, lengths=(4, 4, 4), **more):
        self.save("w.npz", [np.zeros((n, K)) for n in lengths], **more)
        self.refuses("decode", "w.npz", "-m", "m.json", "-o", "o.h5", "--join", "mean", *options, status=status, sentence=sentence)

    def test_faults(self):
        self.refused("w.npz: window 2 begins at step 7, and those before it end before step 6: the steps between are in no window", windows=[0, 2, 7])
        self.refused("w.npz: window c begins at step 1, and the one before it at 2; windows go forwards", windows=[0, 2, 1], ids=list("abc"))
        self.refused("w.npz: window 0 begins at step 1 of its text, and is its first: the steps before are in no window", windows=[1, 2, 3])
        self.refused("w.npz: window 1 begins at step 3 of its text, and is its first: the steps before are in no window", windows=[[0, 0], [1, 3], [1, 5]])
        self.refused("w.npz: window 2 begins at step 2 of text 0, after windows of a later one; windows come text by text", windows=[[0, 0], [1, 0], [0, 2]])
        self.refused("w.npz: array windows must be whole numbers, of each of the 3 recordings the step of its text at which it begins, or [3,2], with the "
                     "text's number before it", windows=[0, 2])
        self.refused("w.npz does not say where the windows begin that --join joins: an array windows [N], the step of the text at which each begins; or "
                     "--windows 128: each 128 steps after the one before", status=2)
        self.refused("w.npz: window 1 begins at step 9, and those before it end before step 4: the steps between are in no window", "--windows", "9")
        self.refused("--join joins scores, and labels beside them; w.npz has segments, too", status=2, windows=[0, 2, 4], segments=np.zeros(12, int))
        self.refused("w.npz: window 1, step 0: its label is another than that of the window before for the same step", windows=[0, 2, 4],
                     labels=[0, 0, 1, 1, 2, 1, 0, 0, 0, 0, 0, 0])
        self.refuses("decode", "w.npz", "-m", "m.json", "-o", "o.h5", "--windows", "9", status=2,
                     sentence="--windows says where the windows begin that --join joins")


if __name__ == "__main__":
    st.main()
