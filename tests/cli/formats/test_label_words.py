"""Labels of HDF5 that are words: the same results as from their numbers, by names of classes, aliases and codes."""
import json

import statepath_test as st

np, h5py = st.np, st.h5py
STAGES = ["Wake", "N1", "N2", "N3", "REM"]
OFFSETS = [0, 40, 41, 90]


class TestLabelWords(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        self.probs = rng.dirichlet([0.4] * 5, OFFSETS[-1]).astype("f4")
        self.labels = np.where(rng.random(OFFSETS[-1]) < 0.1, -1, rng.integers(0, 5, OFFSETS[-1]))
        self.want = self.compared(self.labels)

    def compared(self, labels, *options, status=0, where="labels", **more):
        self.h5("in.h5", probs=self.probs, offsets=OFFSETS, classes=STAGES, **{where: labels}, **more)
        done = self.statepath("compare", "in.h5", "-m", "sleep-strict", "--json", "-", "-q", *options, status=status)
        if status:
            return done.stderr
        result = json.loads(done.stdout)
        for key in ("bytes", "labels_path"):
            result["input"].pop(key, None)
        result.pop("command")
        return result

    def words(self, names, unscored=""):
        return [names[k] if k >= 0 else unscored for k in self.labels]

    def test_names_of_classes(self):
        for texts in (self.words(STAGES), self.words(STAGES, "-1"), np.array([w.encode() for w in self.words(STAGES)]),
                      np.array([w.encode() for w in self.words(STAGES, "-1")], "S9")):
            self.assertEqual(self.compared(texts), self.want)

    def test_another_place_and_pieces(self):
        self.assertEqual(self.compared(self.words(STAGES), "--labels", "/said/by", where="said__by"), self.want)
        self.h5("in.h5", probs=self.probs, offsets=OFFSETS, classes=STAGES, labels=self.words(STAGES))
        whole = self.statepath("compare", "in.h5", "-m", "sleep-strict", "--json", "-", "-q").stdout
        pieces = self.statepath("compare", "in.h5", "-m", "sleep-strict", "--json", "-", "-q", env={"STATEPATH_WHOLE_BYTES": "400"}).stdout
        self.assertEqual(json.loads(pieces)["reference"]["transitions"], json.loads(whole)["reference"]["transitions"])

    def test_aliases_and_codes(self):
        self.assertEqual(self.compared(self.words(["W", "N1", "N2", "N3", "R"]))["strategies"], self.want["strategies"])
        letters = self.words(list("abcde"), "?")
        got = self.compared(letters, "--map", "a=Wake,b=N1,c=N2,d=N3,e=REM,?=unscored")
        self.assertEqual(got["strategies"], self.want["strategies"])

    def test_faults(self):
        words = self.words(STAGES)
        words[41] = "N7"
        self.assertIn('in.h5: dataset /labels, recording 2, step 0: label "N7" is no class', self.compared(words, status=1))
        self.assertIn("in.h5: dataset /labels has 89 labels, but there are 90 steps", self.compared(words[:-1], status=1))


if __name__ == "__main__":
    st.main()
