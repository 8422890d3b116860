"""Which steps take part, and what the numbers are, is the same for the same arrays in HDF5 (h5py) and .npz (numpy)."""
import h5py
import numpy as np

import statepath_test as st

CLASSES = ["a", "b", "c"]


class TestStepFlags(st.TestCase):
    def setUp(self):
        super().setUp()
        self.statepath("model", "new", "band", "--classes", "a,b,c", "--step", "2", "-o", "m.json")
        self.probs = np.random.default_rng(2).dirichlet([0.4] * 3, 40)

    def both(self, **arrays):
        """The same arrays as .npz and as HDF5."""
        np.savez(self.path("x.npz"), **arrays)
        with h5py.File(self.path("x.h5"), "w") as f:
            for name, values in arrays.items():
                f[name] = values.astype("S") if values.dtype.kind == "U" else values
        return ("x.npz", "x.h5")

    def path_of(self, file, *words):
        self.statepath("decode", file, "--model", "m.json", "--strategy", "argmax", "-o", "out.h5", "-f", *words)
        with h5py.File(self.path("out.h5")) as f:
            return f["paths/argmax"][:].tolist()

    def same(self, expected, *words, **arrays):
        for file in self.both(**arrays):
            with self.subTest(file=file, arrays=sorted(arrays)):
                self.assertEqual(self.path_of(file, *words), expected)

    def test_packed(self):
        best = self.probs.argmax(1)
        word = np.repeat(np.arange(20), 2)
        self.same([int(k) if t % 2 == 0 else -1 for t, k in enumerate(best)], "--gaps", "join", probs=self.probs, word_ids=word)
        kept = np.arange(40) % 4 != 1
        expected = [int(k) if kept[t] else -1 for t, k in enumerate(best)]
        for name in ("valid", "attention_mask"):
            self.same(expected, "--gaps", "join", probs=self.probs, **{name: kept.astype(np.uint8)})

    def test_padded(self):
        rows, best = self.probs.reshape(4, 10, 3), self.probs.argmax(1).reshape(4, 10)
        length = np.array([10, 7, 3, 9])
        real = np.arange(10) < length[:, None]
        expected = best[real].tolist()
        for name in ("valid", "attention_mask"):
            self.same(expected, probs=rows, **{name: real.astype(np.int64)})
        self.same(expected, probs=rows, lengths=length)
        self.same(expected, probs=rows, lengths=length, valid=real)
        word = np.where(real, np.arange(10) // 2, -1)
        first = real & (np.arange(10) % 2 == 0)
        for file in self.both(probs=rows, word_ids=word):
            self.assertEqual([k for k in self.path_of(file, "--gaps", "join") if k >= 0], best[first].tolist())

    def test_flags_beyond_lengths(self):
        rows, length = self.probs.reshape(4, 10, 3), np.array([10, 7, 3, 9])
        valid = np.ones((4, 10), bool)
        for file in self.both(probs=rows, lengths=length, valid=valid):
            said = self.statepath("decode", file, "--model", "m.json", "-o", "out.h5", "-f", status=1, stdout="").stderr
            self.assertIn("recording 1: step 7 takes part, but the lengths say that it has 7 steps; leave one of both out", said)

    def test_used_arrays_are_not_called_unused(self):
        arrays = {"probs": self.probs, "word_ids": np.repeat(np.arange(20), 2), "tokens": np.array(["w%d" % t for t in range(40)]),
                  "windows": np.array([0])}
        for file in self.both(**arrays):
            said = self.statepath("inspect", file, "--gaps", "join").stdout
            for name in ("word_ids", "tokens", "windows"):
                self.assertNotIn(name + " ", "".join(line for line in said.splitlines() if "not used" in line), said)

    def test_logits_that_are_none(self):
        for rows, what, mend in ((self.probs, "probabilities: they lie in 0 to 1 and sum to 1", "--kind probs reads them so"),
                                 (100 * self.probs, "per cent: they lie in 0 to 100 and sum to 100", "divide them by 100 and call them probs")):
            for file in self.both(logits=rows):
                said = self.statepath("decode", file, "--model", "m.json", "-o", "out.h5", "-f", status=1, stdout="").stderr
                self.assertIn("is called logits, and its rows are %s; %s" % (what, mend), said)
                self.path_of(file, "--kind", "logits")
        self.same(self.probs.argmax(1).tolist(), logits=np.log(self.probs))
        one_hot = np.eye(3)[self.probs.argmax(1)] * 4
        self.same(self.probs.argmax(1).tolist(), logits=one_hot)


st.main()
