"""What few files have, and is read all the same or refused with one sentence."""
import json
import os

import h5py
import numpy as np

import statepath_test as st

N, T, K = 3, 20, 3
CLASSES = ["A", "B", "C"]
MODEL = {"statepath_model": 1, "name": "m", "classes": CLASSES, "forbid": {"A": ["C"]}}


class TestRareFiles(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("m.json", json.dumps(MODEL))
        rng = np.random.default_rng(5)
        self.probs = rng.dirichlet([.5] * K, N * T)
        self.labels = rng.integers(0, K, N * T)

    def npz(self, name, **arrays):
        np.savez(self.path(name), **arrays)

    def correct(self, *arguments, strategy="argmax"):
        done = self.statepath("compare", *arguments, "--model", "m.json", "--json", "-", "-q")
        return json.loads(done.stdout)["strategies"][strategy]["correct"]

    def grouped(self, **more):
        """An array of each recording: {"r0/probs": ..., "r0/labels": ...}."""
        out = {}
        for n in range(N):
            steps = slice(n * T, n * T + T)
            out["r%d/probs" % n], out["r%d/labels" % n] = self.probs[steps], self.labels[steps]
            out.update(("r%d/%s" % (n, name), a[steps]) for name, a in more.items())
        return out

    def expected(self):
        return int((self.probs.argmax(1) == self.labels).sum())

    def test_classes_is_a_number(self):
        self.npz("x.npz", probs=self.probs, labels=self.labels, classes=np.array([K]))
        self.assertEqual(self.correct("x.npz"), self.expected())

    def test_scores_in_a_group_that_is_named(self):
        night = {"night/probs": self.probs, "night/labels": self.labels}
        self.npz("x.npz", **night, **{"day/probs": self.probs[::-1]})
        self.assertEqual(self.correct("x.npz", "--scores", "night"), self.expected())

    def test_a_word_is_missing_in_the_middle(self):
        words = np.array(CLASSES)[self.labels].reshape(N, T).astype("U4")
        words[1, 4] = ""
        self.npz("x.npz", labels=words)
        done = self.statepath("fit", "x.npz", "--rules", "m.json", "-o", "f.json", status=1)
        self.assertIn("recording 1: step 4 is empty, and a later one is not; write a flag", done.stderr)

    def test_words_of_some_recordings(self):
        arrays = self.grouped()
        for n in range(N):
            arrays["r%d/labels" % n] = np.array(CLASSES)[arrays["r%d/labels" % n]]
        del arrays["r1/labels"]
        self.npz("x.npz", **arrays)
        correct = (self.probs.argmax(1) == self.labels).reshape(N, T).sum(1)
        self.assertEqual(self.correct("x.npz"), correct[0] + correct[2])

    def test_groups_without_labels(self):
        arrays = self.grouped()
        del arrays["r1/labels"]
        with h5py.File(self.path("x.h5"), "w") as f:
            for name, values in arrays.items():
                f[name] = values
        correct = (self.probs.argmax(1) == self.labels).reshape(N, T).sum(1)
        self.assertEqual(self.correct("x.h5"), correct[0] + correct[2])

    def test_a_label_of_no_class_in_a_group(self):
        with h5py.File(self.path("x.h5"), "w") as f:
            for name, values in self.grouped().items():
                f[name] = values
            f["r1/labels"][4] = 7
        done = self.statepath("compare", "x.h5", "--model", "m.json", status=1)
        self.assertIn("r1/labels, recording r1, step 4", done.stderr)

    def test_a_rater_of_some_files(self):
        os.mkdir(self.path("nights"))
        for n, raters in enumerate((["anna", "bob"], ["anna"])):
            with h5py.File(self.path("nights/n%d.h5" % n), "w") as f:
                f["probs"], f["labels"] = self.probs, self.labels
                for rater in raters:
                    f["labels_" + rater] = self.labels
        done = self.statepath("compare", "nights", "--model", "m.json", "--json", "-", "-q")
        scorers = json.loads(done.stdout)["scorers"]
        for name in ("anna", "bob"):
            self.assertIn(name, json.dumps(scorers))

    def test_steps_without_any_class_in_the_page(self):
        scores = np.log(np.tile(self.probs, (50, 1)))
        scores[600:900] = -np.inf
        self.npz("x.npz", log_probs=scores)
        self.statepath("compare", "x.npz", "--model", "m.json", "--on-infeasible", "relax",
                       "--report", "r.html", "-q")
        self.assertIn('class="hatched" height=', self.read("r.html").decode())

    def test_names_that_are_one_for_each_recording(self):
        self.npz("x.npz", **self.grouped(other=self.probs))
        said = self.statepath("inspect", "x.npz").stdout
        self.assertIn("{id}/other", said)

    def test_paths_of_one_recording_have_labels_beside_their_group(self):
        with h5py.File(self.path("p.h5"), "w") as file:
            file["paths/best"], file["labels"] = self.probs.argmax(1), self.labels
        done = self.statepath("evaluate", "p.h5", "--model", "m.json", "--json", "-", "-q")
        self.assertEqual(json.loads(done.stdout)["strategies"]["best"]["correct"], self.expected())

    def test_paths_in_a_folder_of_their_strategy(self):
        path = self.probs.argmax(1)
        self.npz("p.npz", **{"paths/best/r%d" % n: path[n * T:n * T + T] for n in range(N)})
        self.npz("l.npz", **{"labels/r%d" % n: self.labels[n * T:n * T + T] for n in range(N)})
        done = self.statepath("evaluate", "p.npz", "--paths", "paths/best/{id}",
                              "--labels", "l.npz", "--model", "m.json", "--json", "-", "-q")
        self.assertEqual(json.loads(done.stdout)["strategies"]["best"]["correct"], self.expected())

    def test_relaxed_paths_in_npz(self):
        scores = np.log(self.probs + 1e-9)
        scores[5] = -np.inf
        self.npz("x.npz", log_probs=scores, labels=self.labels)
        self.statepath("decode", "x.npz", "--model", "m.json", "--kind", "scores", "--scores", "log_probs",
                       "--on-infeasible", "relax", "-o", "p.npz", "-q")
        done = self.statepath("evaluate", "p.npz", "--labels", "x.npz", "--model", "m.json",
                              "--json", "-", "-q")
        self.assertEqual(json.loads(done.stdout)["strategies"]["viterbi"]["relaxed"], 1)

    def test_a_label_that_the_scores_call_impossible(self):
        probs = np.full((N * T, K), 1 / K)
        probs[7] = np.arange(K) != self.labels[7]
        probs[7] /= K - 1
        self.npz("x.npz", probs=probs, labels=self.labels)
        said = " ".join(self.statepath("compare", "x.npz", "--model", "m.json").stdout.split())
        self.assertIn("give 1 of 60 steps probability 0.", said)

    def test_texts_padded_with_blanks(self):
        text = h5py.h5t.C_S1.copy()
        text.set_size(6)
        text.set_strpad(h5py.h5t.STR_SPACEPAD)
        with h5py.File(self.path("x.h5"), "w") as f:
            f["probs"], f["labels"] = self.probs[:, ::-1], self.labels
            space = h5py.h5s.create_simple((K,))
            classes = h5py.h5d.create(f.id, b"classes", text, space)
            classes.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"C     ", b"B     ", b"A     "]), text)
        turned = self.probs[:, ::-1].argmax(1)
        self.assertEqual(self.correct("x.h5"), int((turned == self.labels).sum()))

    def test_outputs_without_a_name(self):
        self.npz("x.npz", probs=self.probs)
        os.mkdir(self.path("folder"))
        for status, name, sentence in ((2, "", "the name of the output file is empty"),
                                       (1, "folder/", "folder/ is a folder; name a file in it")):
            done = self.statepath("decode", "x.npz", "--model", "m.json", "-o", name, status=status)
            self.assertIn(sentence, done.stderr)

    def test_a_folder_beside_a_file(self):
        os.mkdir(self.path("b"))
        np.save(self.path("b/r.npy"), self.probs)
        np.save(self.path("a.npy"), self.probs)
        done = self.statepath("decode", "a.npy", "b", "--model", "m.json", "-o", "p.h5", status=1)
        self.assertIn("b: give either one folder, or one pattern with {id}, or files one by one", done.stderr)

    def test_json_after_blanks(self):
        self.write("x.json", " \n\t{\"probs\": [[1, 0, 0]]}")
        done = self.statepath("decode", "x.json", "--model", "m.json", "-o", "p.h5", status=1)
        self.assertIn("JSON", done.stderr)

    def test_outputs_of_each_without_a_name(self):
        self.npz("x.npz", probs=self.probs)
        self.refuses("decode", "x.npz", "--model", "m.json", "-o", "{id}/",
                     sentence="x/: is the name of a folder; give the name of a file")

    def test_options_of_labels_that_are_not_there(self):
        self.npz("x.npz", probs=self.probs)
        self.write("l.txt", "\n".join(np.array(CLASSES)[self.labels]) + "\n")
        self.statepath("decode", "x.npz", "--model", "m.json", "-o", "p.h5", "-q")
        self.refuses("evaluate", "p.h5", "--map", "7=a",
                     status=2, sentence="p.h5 names the classes of its paths, and has no labels that --codes or --map "
                     "could read; --labels PATH says where they are")
        self.refuses("evaluate", "p.h5", "--labels", "l.txt:/night",
                     sentence="l.txt: --labels: no column is called night; the first line names no columns")

    def test_rem_that_only_some_strategies_find(self):
        stages = ["Wake", "N1", "N2", "N3", "REM"]
        never = {"forbid": {stage: ["REM"] for stage in stages}, "start": stages[:4]}
        self.write("s.json", json.dumps({"statepath_model": 1, "name": "s", "classes": stages, **never}))
        labels = np.random.default_rng(6).integers(0, 5, (8, 100))
        self.npz("s.npz", probs=.1 + .5 * np.eye(5)[labels], labels=labels, lengths=np.full(8, 100))
        self.statepath("compare", "s.npz", "--model", "s.json", "--report", "r.html", "-q")
        page = self.read("r.html").decode()
        self.assertIn("Bland-Altman plot of viterbi, total sleep time", page)
        self.assertNotIn("Bland-Altman plot of viterbi, REM latency", page)

    def test_more_triangles_than_titles(self):
        self.write("n.json", json.dumps(dict(MODEL, forbid={"A": ["B", "C"], "B": ["C"]})))
        probs = np.random.default_rng(7).dirichlet([.5] * K, 20 * 500).reshape(20, 500, K)
        self.npz("x.npz", probs=probs, lengths=np.full(20, 500))
        self.statepath("compare", "x.npz", "--model", "n.json", "--report", "r.html", "-q",
                       "--draw", ",".join(map(str, range(20))))
        self.assertTrue("triangles have titles of their own" in self.read("r.html").decode())


st.main()
