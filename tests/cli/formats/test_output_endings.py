"""What is written is what the name of the output says: HDF5, a format of its own, or a sentence."""
import os

import h5py
import numpy as np

import statepath_test as st

HDF5 = ".h5 .hdf5 .he5, or give it no ending: HDF5"


class TestOutputEndings(st.TestCase):
    def setUp(self):
        super().setUp()
        self.probs = np.random.default_rng(3).dirichlet([0.5] * 5, 40)
        np.save(self.path("night.npy"), self.probs)
        self.run = ["decode", "night.npy", "--kind", "probs", "--model", "sleep-aasm"]

    def test_other_endings_are_refused(self):
        for name in ("x.txt", "x.mat", "x.json", "x.parquet", "x.pt", "x.h5.bak", "x.NPYX"):
            with self.subTest(name=name):
                said = self.statepath(*self.run, "-o", name, status=2, stdout="").stderr
                self.assertIn("-o %s: %s is not written here; end the name with" % (name, name[name.rindex("."):]), said)
                self.assertIn(".npz", said)
                self.assertIn(HDF5, said)
                self.assertFalse(os.path.exists(self.path(name)))

    def test_hdf5(self):
        for name in ("x.h5", "x.hdf5", "x.he5", "x", "x.H5"):
            with self.subTest(name=name):
                self.statepath(*self.run, "-o", name)
                with h5py.File(self.path(name)) as f:
                    self.assertEqual(f["paths/viterbi"].shape, (40,))

    def test_npy(self):
        self.statepath(*self.run, "-o", "x.h5")
        self.statepath(*self.run, "-o", "x.npy")
        with h5py.File(self.path("x.h5")) as f:
            path = np.load(self.path("x.npy"))
            self.assertEqual((path.dtype, path.tolist()), (np.dtype(np.int32), f["paths/viterbi"][:].tolist()))
        self.statepath("evaluate", "x.npy", "--labels", "x.npy", "--model", "sleep-aasm")

    def test_what_npy_cannot_hold(self):
        self.refuses("compare", "night.npy", "--kind", "probs", "--model", "sleep-aasm", "-o", "x.npy", status=2,
                     sentence="-o x.npy: an .npy holds one array, and there are paths of 3 strategies; write .npz or .h5")
        np.savez(self.path("two.npz"), probs=self.probs, offsets=[0, 10, 40])
        self.refuses("decode", "two.npz", "--model", "sleep-aasm", "-o", "x.npy", status=2,
                     sentence="-o x.npy: an .npy holds the path of one recording, and there are 2; write .npz or .h5")
        np.savez(self.path("other.npz"), probs=self.probs, classes=["N1", "N2", "N3", "REM", "Wake"])
        self.refuses("decode", "other.npz", "--model", "sleep-aasm", "-o", "x.npy", status=2,
                     sentence="-o x.npy: its numbers would be columns of the scores, which are in another order than the model's classes, "
                     "and an .npy has no names to say so; write .npz, .csv or .h5")

    def test_other_commands(self):
        self.refuses("convert", "night.npy", "--kind", "probs", "-o", "x.npz", status=2,
                     sentence="-o x.npz: .npz is not written here; end the name with .conll, or with " + HDF5)
        self.refuses("simulate", os.path.join(st.SOURCE, "datasets/sleep-demo.recipe.json"), "-o", "x.npz", status=2,
                     sentence="-o x.npz: .npz is not written here; end the name with " + HDF5)


st.main()
