"""Labels of several scorers as soft labels: each counts its share."""
import json

import numpy as np

import statepath_test as st

CLASSES = ["a", "b", "c"]
N, T = 8, 60


class TestRaters(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        k, one = 0, []
        for _ in range(N * T):
            k = int(rng.integers(3)) if rng.random() < 0.1 else k
            one.append(k)
        one = np.array(one)
        two = np.where(rng.random(N * T) < 0.15, rng.integers(3, size=N * T), one)
        e = rng.normal(size=(N * T, 3)) + 2 * np.eye(3)[one]
        self.one, self.two = one, two
        self.scores = e - np.log(np.exp(e).sum(axis=1, keepdims=True))

    def data(self, name, more=(), **arrays):
        self.h5(name, log_probs=self.scores, offsets=np.arange(N + 1) * T, ids=["r%d" % i for i in range(N)], classes=CLASSES, **arrays, **dict(more))

    def fit(self, *files, name="m.json", options=("--method", "counts", "--features", "none")):
        self.statepath("fit", *files, "-o", name, "-f", *options)
        model = json.loads(self.read(name))
        return model["description"], {k: v for k, v in model.items() if k not in ("description", "source")}

    def test_counts_are_means_over_raters(self):
        self.data("d.h5", labels=self.one, labels_one=self.one, labels_two=self.two)
        said, model = self.fit("d.h5", options=("--method", "counts", "--tune", "none", "--features", "none", "--all-raters"))
        self.assertIn("on 960 labelled steps of 8 recordings, by 2 raters whose labels count 1/2 each", said)
        counts, starts = np.zeros((3, 3)), np.zeros(3)
        for labels in (self.one, self.two):
            for night in labels.reshape(N, T):
                np.add.at(counts, (night[:-1], night[1:]), 0.5)
                starts[night[0]] += 0.5
        want = (counts + 0.5) / (counts + 0.5).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model["probabilities"], want, rtol=1e-12)
        np.testing.assert_allclose([model["start"][c] for c in CLASSES], (starts + 0.5) / (starts + 0.5).sum(), rtol=1e-12)
        self.assertNotEqual(model, self.fit("d.h5", options=("--method", "counts", "--tune", "none", "--features", "none"))[1])

    def test_raters_who_agree_are_one(self):
        self.data("d.h5", labels=self.one, labels_one=self.one, labels_two=self.one, labels_three=self.one)
        plain, agreed = self.fit("d.h5")[1], self.fit("d.h5", options=("--method", "counts", "--features", "none", "--all-raters"))[1]
        np.testing.assert_allclose(agreed.pop("probabilities"), plain.pop("probabilities"), rtol=1e-12)
        for key in ("start", "prior"):
            np.testing.assert_allclose(list(agreed.pop(key).values()), list(plain.pop(key).values()), rtol=2e-3)
        self.assertEqual(agreed, plain)
        crf = ("--method", "crf", "--penalty", "3", "--tune", "none", "--features", "none")
        plain, agreed = self.fit("d.h5", options=crf)[1], self.fit("d.h5", options=(*crf, "--all-raters"))[1]
        np.testing.assert_allclose(agreed["log_weights"], plain["log_weights"], atol=2e-3)

    def test_without_a_reference(self):
        self.data("a.h5", labels_one=self.one, labels_two=np.where(np.arange(N * T) % 7, self.two, -1))
        self.data("b.h5")
        self.data("l.h5", labels_one=self.one, labels_two=np.where(np.arange(N * T) % 7, self.two, -1), labels=self.one)
        self.assertEqual(self.fit("b.h5", options=("--labels", "l.h5", "--method", "counts", "--features", "none", "--all-raters"))[1],
                         self.fit("a.h5", options=("--method", "counts", "--features", "none", "--all-raters"))[1])

    def test_copies_of_a_recording_are_not_parted(self):
        two = {"labels": self.one[:2 * T], "labels_x": self.one[:2 * T], "labels_y": self.two[:2 * T]}
        self.h5("d.h5", log_probs=self.scores[:2 * T], offsets=[0, T, 2 * T], ids=["r0", "r1"], classes=CLASSES, **two)
        self.assertIn("nothing was tuned: fewer than three labelled recordings (or groups)", self.fit("d.h5", options=("--all-raters",))[0])

    def test_each_fold_of_cv_learns_from_all(self):
        """With a fold a recording: its path is that of a model fitted to the others with all raters."""
        self.data("d.h5", labels=self.one, labels_one=self.one, labels_two=self.two)
        options = ("--method", "counts", "--tune", "none", "--features", "none", "--all-raters")
        self.write("free.json", json.dumps({"statepath_model": 1, "name": "free", "classes": CLASSES, "matrix": np.ones((3, 3), int).tolist()}))
        self.statepath("compare", "d.h5", "--model", "free.json", "--cv", str(N), "--strategies", "viterbi", *options, "-o", "cv.csv", "--json", "cv.json")
        rows = self.read("cv.csv").decode().split()[1:]
        for n in range(N):
            keep = np.arange(N * T) // T != n
            for name, which in ("rest.h5", keep), ("one.h5", ~keep):
                ids = ["r%d" % i for i in range(N) if (i == n) == (name == "one.h5")]
                self.h5(name, log_probs=self.scores[which], offsets=np.arange(len(ids) + 1) * T, ids=ids, classes=CLASSES, labels=self.one[which],
                        labels_one=self.one[which], labels_two=self.two[which])
            self.statepath("fit", "rest.h5", "-o", "rest.json", "-f", "--rules", "free.json", *options)
            self.statepath("decode", "one.h5", "--model", "rest.json", "-o", "one.csv", "-f")
            self.assertEqual([row for row in rows if row.startswith("r%d," % n)], self.read("one.csv").decode().split()[1:])
        result = json.loads(self.read("cv.json"))
        right = [row.split(",")[2] == CLASSES[k] for row, k in zip(rows, self.one)]
        self.assertEqual(result["strategies"]["viterbi"]["accuracy"], np.mean(right)) # judged by the one label

    def test_refused(self):
        self.data("d.h5", labels=self.one)
        self.refuses("fit", "d.h5", "-o", "q.json", "--all-raters", status=2,
                     sentence="--all-raters: d.h5 has no labels of several raters, datasets labels_X beside the labels")
        self.refuses("compare", "d.h5", "--model", "free.json", "--all-raters", status=2, sentence="--all-raters is of use with --cv only")
        self.data("e.h5", labels=self.one, labels_x=self.two)
        self.refuses("fit", "e.h5", "-o", "q.json", "--all-raters", "--method", "em", status=2,
                     sentence="--all-raters changes nothing where --method is em; leave it out")


if __name__ == "__main__":
    st.main()
