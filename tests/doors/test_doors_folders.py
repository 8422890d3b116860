"""Folders of files as tools write them, one a recording: many, and of any kind that is read alone."""
import json
import os
import re
import shlex
import subprocess

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

    def results(self, *arguments):
        return json.loads(self.statepath("compare", *arguments, "--json", "-", "-q").stdout)

    def videos(self, lengths=(100, 80, 120)):
        """Scores of videos [T,K], and labels."""
        rng = np.random.default_rng(6)
        probs = [rng.dirichlet([.5] * K, n) for n in lengths]
        return probs, [rng.integers(0, K, n) for n in lengths]

    def save_folder(self, folder, arrays):
        os.makedirs(self.path(folder))
        for n, one in enumerate(arrays):
            if one.ndim == 2:
                np.save(self.path("%s/v%d.npy" % (folder, n)), one)
            else:
                self.write("%s/v%d.txt" % (folder, n), "".join(STAGES[k] + "\n" for k in one))

    def refused(self, *arguments, status=1):
        return self.statepath("compare", *arguments, *MODEL, "-q", status=status, stdout="").stderr

    def test_folders_of_columns(self):
        for ending in ("conll", "bio"):
            os.mkdir(self.path(ending))
            for n in range(3):
                self.write("%s/d%d.%s" % (ending, n, ending), "He O\nmet O\nAda B-PER\n" + "\nBye O\n" * n)
            self.statepath("model", "new", "from-labels", ending, "-o", ending + ".json", "-f")
            self.assertIn("recordings  6", self.statepath("inspect", ending, "-m", ending + ".json").stdout)
        os.mkdir(self.path("none"))
        self.write("none/x.pdf", "")
        self.assertIn(" .mat ", self.refused("none"))

    def test_published_cells(self):
        """The sentence names the option that reads the scores; `inspect` then those of the labels."""
        path = st.shared("formats", "mat", "50Salads_eval_DilatedTCN_L5_B2_1.mat")
        if not path:
            print("skipped: no real file of MATLAB")
            return
        self.statepath("model", "new", "band", "--classes", ",".join("c%d" % k for k in range(10)), "--step", "9", "-o", "m.json")
        said = self.statepath("compare", path, "--model", "m.json", status=1).stderr
        scores = shlex.split(re.search(r"--scores 'S/\{id\}'", said).group())
        found = self.statepath("inspect", path, *scores).stdout
        labels = shlex.split(re.search(r"--labels 'Y/\{id\}'", found).group())
        self.assertIn("array P/{id} int64 [351]; --labels 'P/{id}' takes it\n", found)
        self.assertEqual(self.results(path, "--model", "m.json", *scores, *labels)["input"]["scored_steps"], 4223)

    def test_thirty_frames_beside_fifteen(self):
        """The command that the sentence names mends the labels, or the scores."""
        probs, labels = self.videos((100, 81, 120))
        self.save_folder("scores", probs)
        self.save_folder("labels", [np.repeat(y, 2)[:2 * len(y) - n % 2] for n, y in enumerate(labels)])
        said = self.refused("scores", "--labels", "labels")
        self.assertIn("every recording of labels has 2 times as many, as frames of 30 a second beside those of 15: keep every 2nd (awk", said)
        command = re.search(r"\((awk .*) FILE of a text", said).group(1)
        for n in range(3):
            name = self.path("labels/v%d.txt" % n)
            kept = subprocess.run("%s %s" % (command, name), shell=True, capture_output=True, text=True, check=True).stdout
            self.write(name, kept)
        self.assertEqual(self.results("scores", "--labels", "labels", *MODEL)["input"]["scored_steps"], 301)
        self.save_folder("fast", [np.repeat(p, 3, axis=0) for p in probs])
        self.assertIn("every recording of fast has 3 times as many", self.refused("fast", "--labels", "labels"))
        for n in range(3):
            name = self.path("fast/v%d.npy" % n)
            np.save(name, np.load(name)[::3])
        self.assertEqual(self.results("fast", "--labels", "labels", *MODEL)["input"]["scored_steps"], 301)

st.main()
