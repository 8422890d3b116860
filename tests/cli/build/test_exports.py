"""Paths in other formats: decode -o out.csv, out.tsv, out.npz say what the HDF5 file says."""
import csv
import json
import os

import numpy as np

import statepath_test as st

MODEL = ["--model", "sleep-aasm"]


class TestExports(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(17)
        self.lengths = [70, 0, 1, 120]
        self.offsets = np.cumsum([0, *self.lengths])
        self.ids = ["n1", "empty", '=1, "x"', "ä"]
        self.labels = rng.integers(-1, 5, 191)
        probs = rng.dirichlet([.5] * 5, size=191)
        probs[70:71] = 0  # a recording without a path
        self.h5("in.h5", probs=probs, offsets=self.offsets, ids=self.ids, labels=self.labels, classes=st.STAGES)
        self.statepath("decode", "in.h5", *MODEL, "-o", "out.h5", status=3)

    def paths(self, name="viterbi", file="out.h5"):
        return self.arrays(file)["paths/" + name]

    def test_csv_and_tsv(self):
        for ending, delimiter in (("csv", ","), ("tsv", "\t")):
            done = self.statepath("decode", "in.h5", *MODEL, "-o", "out." + ending, status=3)
            self.assertTrue(done.stderr.endswith("wrote out.%s\n" % ending))
            with open(self.path("out." + ending), encoding="utf-8", newline="") as f:
                rows = list(csv.reader(f, delimiter=delimiter))
            names = [self.ids[n] for n in range(4) for _ in range(self.lengths[n])]
            steps = [t for n in self.lengths for t in range(n)]
            self.assertEqual(rows[0], ["recording", "step", "label"])
            self.assertEqual([row[0].lstrip("'") for row in rows[1:]], names)
            self.assertEqual([int(row[1]) for row in rows[1:]], steps)
            self.assertEqual([row[2] for row in rows[1:]], [st.STAGES[k] if k >= 0 else "-1" for k in self.paths()])

    def test_csv_is_read_back(self):
        self.h5("in.h5", probs=np.full((9, 5), .2), labels=np.arange(9) % 5, offsets=[0, 4, 9], ids=["a", "=b"])
        self.statepath("decode", "in.h5", *MODEL, "-o", "viterbi.csv")
        self.statepath("decode", "in.h5", *MODEL, "-o", "viterbi.h5")
        got, want = (json.loads(self.statepath("evaluate", name, "--labels", "in.h5", *MODEL, "--json", "-").stdout)["strategies"]["viterbi"]
                     for name in ("viterbi.csv", "viterbi.h5"))
        self.assertEqual(got["confusion"], want["confusion"])
        self.assertEqual([one["id"] for one in got["per_recording"]], ["a", "=b"])

    def test_several_strategies(self):
        self.statepath("compare", "in.h5", *MODEL, "-o", "all.csv", status=3)
        self.statepath("compare", "in.h5", *MODEL, "-o", "all.h5", status=3)
        with open(self.path("all.csv"), encoding="utf-8", newline="") as f:
            rows = list(csv.DictReader(f))
        for name in ("argmax", "greedy", "viterbi"):
            self.assertEqual([row[name] for row in rows], [st.STAGES[k] if k >= 0 else "-1" for k in self.paths(name, "all.h5")])

    def test_npz(self):
        self.statepath("compare", "in.h5", *MODEL, "-o", "all.npz", status=3)
        self.statepath("compare", "in.h5", *MODEL, "-o", "all.h5", status=3)
        with np.load(self.path("all.npz")) as z, st.h5py.File(self.path("all.h5")) as f:
            for name in ("argmax", "greedy", "viterbi"):
                for key in ("paths/", "path_scores/", "status/"):
                    np.testing.assert_array_equal(z[key + name], f[key + name][:])
            np.testing.assert_array_equal(z["offsets"], self.offsets)
            np.testing.assert_array_equal(z["labels"], self.labels)
            self.assertEqual((z["ids"].tolist(), z["classes"].tolist()), (self.ids, st.STAGES))
        got, want = (json.loads(self.statepath("evaluate", name, *MODEL, "--json", "-", status=3).stdout)["strategies"]
                     for name in ("all.npz", "all.h5"))
        for name in ("argmax", "greedy", "viterbi"):
            self.assertEqual(got[name]["confusion"], want[name]["confusion"])

    def test_what_is_left(self):
        self.assertEqual(self.files(), ["in.h5", "out.h5"])
        self.statepath("decode", "in.h5", *MODEL, "-o", "out.csv", status=3)
        before = self.read("out.csv")
        self.refuses("decode", "in.h5", *MODEL, "-o", "out.csv", sentence="out.csv exists and is kept; --force replaces it")
        self.statepath("decode", "in.h5", *MODEL, "-o", "out.csv", "--force", status=3)
        self.assertEqual(self.read("out.csv"), before)
        for ending in ("csv", "npz"):
            self.statepath("decode", "in.h5", *MODEL, "-o", "bad." + ending, "--on-infeasible", "error", status=1)
        self.assertEqual(self.files(), ["in.h5", "out.csv", "out.h5"])
        for option in (["--confidence"], ["--nbest", "2"]):
            self.refuses("decode", "in.h5", *MODEL, "-o", "x.npz", *option, status=2,
                         sentence="%s is written in HDF5: -o PATHS.h5, not x.npz" % option[0])
        os.mkdir(self.path("folder"))
        self.refuses("decode", "in.h5", *MODEL, "-o", "no/x.csv",
                     sentence="no/x.csv cannot be written: folder no/: No such file or directory")


if __name__ == "__main__":
    st.main()
