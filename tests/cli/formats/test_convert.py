"""statepath convert: recordings from any files, packed; what is said of it, and labels of other files, words and codes.
Every layout and format is in tests/laws/test_format_law.py."""
import json
import os

import numpy as np

import statepath_test as st

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
MODEL = ["--model", "sleep-aasm"]


def results(text):
    result = json.loads(text)
    result.pop("command", None)
    for key in ("file", "bytes", "files"):
        result["input"].pop(key, None)
    return json.dumps(result, indent=1).replace("array subjects", "").replace("dataset /subjects", "")


class TestConvert(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(17)
        self.lengths = [70, 1, 120]
        self.offsets = np.cumsum([0, *self.lengths])
        self.probs = rng.dirichlet([.5] * 5, size=191)
        self.labels = rng.integers(-1, 5, 191)
        self.beside = dict(probs=self.probs, labels=self.labels, offsets=self.offsets, ids=["a", "b", "c"], classes=STAGES,
                           subjects=["x", "y", "x"], weights=np.linspace(0, 1, 191), segments=np.arange(191) // 40,
                           mask=np.where(np.arange(5) == 0, True, rng.random((191, 5)) < .9), epoch_seconds=20.0)

    def compare(self, *names):
        return results(self.statepath("compare", *names, *MODEL, "--json", "-", stderr="").stdout)

    def test_everything_beside(self):
        np.savez_compressed(self.path("x.npz"), **self.beside)
        done = self.statepath("convert", "x.npz", "-o", "x.h5", stderr="wrote x.h5\n")
        self.assertEqual(done.stdout, "scores      probs, float64, as /probs (probabilities)\n"
                                      "recordings  3 of 191 steps\n"
                                      "ids         the file's own\n"
                                      "classes     5, named\n"
                                      "beside      labels segments weights mask \n")
        with st.h5py.File(self.path("x.h5")) as f:
            for name in ("probs", "labels", "offsets", "weights", "segments", "mask"):
                np.testing.assert_array_equal(f[name][:], self.beside[name])
            self.assertEqual([f["ids"].asstr()[:].tolist(), f["classes"].asstr()[:].tolist()], [["a", "b", "c"], STAGES])
        self.assertEqual(self.compare("x.h5"), self.compare("x.npz"))

    def test_labels_of_other_files(self):
        """Beside the scores as they would be compared with, whatever stood there before."""
        os.mkdir(self.path("nights"))
        os.mkdir(self.path("said"))
        for n, name in enumerate("abc"):
            part = slice(self.offsets[n], self.offsets[n + 1])
            np.save(self.path("nights/%s.npy" % name), self.probs[part])
            self.write("said/%s.txt" % name, "".join("%s\n" % (STAGES[k] if k >= 0 else "-1") for k in self.labels[part]))
        self.statepath("convert", "nights", "--labels", "said/{id}.txt", *MODEL, "-o", "x.h5", stderr="wrote x.h5\n")
        with st.h5py.File(self.path("x.h5")) as f:
            np.testing.assert_array_equal(f["labels"][:], self.labels)
            np.testing.assert_array_equal(f["probs"][:], self.probs)
            self.assertEqual(f["classes"].asstr()[:].tolist(), STAGES)
        np.savez(self.path("x.npz"), **dict(self.beside, labels=np.zeros(191, int)))
        self.statepath("convert", "x.npz", "--labels", "said", "-o", "y.h5", "-q")
        with st.h5py.File(self.path("y.h5")) as f:
            np.testing.assert_array_equal(f["labels"][:], self.labels)
            np.testing.assert_array_equal(f["weights"][:], self.beside["weights"])
        self.refuses("convert", "nights", "--labels", "said", "-o", "z.h5", status=2,
                     sentence="nights names no classes; --model M says which they are, for example sleep-aasm")
        os.rename(self.path("said/c.txt"), self.path("said/d.txt"))
        self.refuses("convert", "nights", "--labels", "said", *MODEL, "-o", "z.h5", sentence="nights and said do not match; only in nights: c; only in said: d")
        self.refuses("convert", "nights/a.npy", "--labels", "said/a.txt", *MODEL, "-o", "said/a.txt", "-f", status=2,
                     sentence="said/a.txt: is the file of labels, which is never written to; give the output another name")

    def test_codes_and_words(self):
        nsrr = np.array([0, 1, 2, 3, 5, 9])
        np.savez(self.path("x.npz"), probs=self.probs, labels=nsrr[self.labels])
        self.statepath("convert", "x.npz", "--codes", "nsrr", *MODEL, "-o", "x.h5", "-q", stdout="", stderr="")
        with st.h5py.File(self.path("x.h5")) as f:
            np.testing.assert_array_equal(f["labels"][:], self.labels)
        with open(self.path("x.csv"), "w", encoding="utf-8") as out:
            out.write("label,Wake,N1,N2,N3,REM\nW,1,0,0,0,0\nSleep stage R,0,0,0,0,1\n")
        self.statepath("convert", "x.csv", *MODEL, "-o", "y.h5")
        with st.h5py.File(self.path("y.h5")) as f:
            self.assertEqual(f["labels"][:].tolist(), [0, 4])

if __name__ == "__main__":
    st.main()
