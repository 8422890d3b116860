"""What holds labels: truth values are no classes, and names of an enum are, by h5py, numpy and scipy."""

import json

import h5py
import numpy as np

import statepath_test as st

STAGES = ["Wake", "N1", "N2", "N3", "REM"]


class TestLabelTypes(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(0)
        self.true = np.repeat(rng.integers(0, 5, 10), 5)
        self.probs = rng.dirichlet(np.ones(5), 50) * 0.4 + 0.6 * np.eye(5)[self.true]
        np.save(self.path("probs.npy"), self.probs)

    def accuracy(self, *words):
        self.statepath("compare", *words, "--model", "sleep-aasm", "--json", "r.json", "-f")
        with open(self.path("r.json")) as f:
            return json.load(f)["strategies"]["argmax"]["accuracy"]

    def refused(self, *words):
        said = self.statepath("compare", *words, "--model", "sleep-aasm", status=1, stdout="").stderr
        self.assertIn(
            "true and false name no class; write the number of the class, or its name, for each step", said
        )

    def test_truth_values(self):
        import scipy.io

        flags = self.true > 0
        np.savez(self.path("x.npz"), probs=self.probs, labels=flags)
        scipy.io.savemat(self.path("x.mat"), {"probs": self.probs, "labels": flags})
        with h5py.File(self.path("x.h5"), "w") as f:
            f["probs"], f["labels"] = self.probs, flags
        with h5py.File(self.path("groups.h5"), "w") as f:
            for name in ("a", "b"):
                f[name + "/probs"], f[name + "/labels"] = self.probs, flags
        for file in ("x.npz", "x.mat", "x.h5"):
            self.refused(file)
        self.refused("groups.h5", "--scores", "{id}/probs", "--labels", "{id}/labels")
        np.save(self.path("flags.npy"), flags)
        self.refused("probs.npy", "--labels", "flags.npy")
        np.save(self.path("path.npy"), flags)
        self.assertIn(
            "true and false name no class",
            self.statepath("evaluate", "path.npy", "--model", "sleep-aasm", status=1, stdout="").stderr,
        )

    def test_enums(self):
        order = sorted(STAGES)
        numbers = np.array([order.index(STAGES[k]) for k in self.true], "i1")
        numbers[7] = -1
        kept = np.delete(np.arange(50), 7)
        right = np.mean(self.probs.argmax(1)[kept] == self.true[kept])
        for base, members in (
            ("i1", {name: k for k, name in enumerate(order)}),
            (">i8", {name: k for k, name in enumerate(order)}),
            ("u2", {name: 65535 if name == "?" else k for k, name in enumerate([*order, "?"])}),
        ):
            dtype = h5py.enum_dtype(members, basetype=base)
            values = np.where(numbers < 0, members.get("?", -1), numbers)
            with h5py.File(self.path("beside.h5"), "w") as f:
                f["probs"] = self.probs
                f.create_dataset("labels", data=values.astype(base), dtype=dtype)
            with h5py.File(self.path("other.h5"), "w") as f:
                f.create_dataset(
                    "labels", data=values.astype(base), dtype=dtype, chunks=(20,), compression="gzip"
                )
            with h5py.File(self.path("groups.h5"), "w") as f:
                f["a/probs"] = self.probs
                f.create_dataset("a/labels", data=values.astype(base), dtype=dtype)
            for words in (
                ["beside.h5"],
                ["probs.npy", "--labels", "other.h5"],
                ["groups.h5", "--scores", "{id}/probs", "--labels", "{id}/labels"],
            ):
                with self.subTest(base=base, words=words):
                    if "?" in members:
                        words += ["--map", ",".join("%s=%s" % (n, n) for n in STAGES) + ",?=unscored"]
                    self.assertEqual(self.accuracy(*words), right)

    def test_an_enum_of_unknown_names(self):
        with h5py.File(self.path("x.h5"), "w") as f:
            f["probs"] = self.probs
            f.create_dataset(
                "labels",
                data=(self.true > 0).astype("i1"),
                dtype=h5py.enum_dtype({"quiet": 0, "loud": 1}, basetype="i1"),
            )
        said = self.statepath("compare", "x.h5", "--model", "sleep-aasm", status=1, stdout="").stderr
        self.assertRegex(said, '"(quiet|loud)" is no class')


if __name__ == "__main__":
    st.main()
