"""Folders of files as tools write them, one a recording: many, and of any kind that is read alone."""
import os

import numpy as np

import statepath_test as st

K = 5
STAGES = ["Wake", "N1", "N2", "N3", "REM"]
MODEL = ["--model", "sleep-aasm"]


class TestFolders(st.TestCase):
    def test_many_texts_of_labels(self):
        """Labels of several thousand files take no memory beside what is compared of them."""
        N, T = 4000, 200
        probs = np.random.default_rng(5).dirichlet([.5] * K, T).astype("f4")
        text = "".join(STAGES[k] + "\n" for k in probs.argmax(1))
        for folder in ("scores", "labels"):
            os.mkdir(self.path(folder))
        for n in range(N):
            np.save(self.path("scores/n%d.npy" % n), probs)
            self.write("labels/n%d.txt" % n, text)
        self.h5("labels.h5", labels=np.tile(probs.argmax(1), N), offsets=np.arange(N + 1) * T, ids=["n%d" % n for n in range(N)])
        one, each = (self.memory("compare", "scores", "--labels", labels, *MODEL, "-q")[1] for labels in ("labels.h5", "labels"))
        self.assertLess(each - one, N * 2000 / 2 ** 20)


st.main()
