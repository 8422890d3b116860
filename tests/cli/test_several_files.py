"""Recordings in several files: folders, patterns, lists; the same results as packed in one HDF5 file."""
import json
import os
import resource

import numpy as np

import statepath_test as st

MODEL = ["--model", "sleep-aasm"]
STAGES = ["Wake", "N1", "N2", "N3", "REM"]
K = 5


def results(text):
    """A JSON of results without what names the input: its name and size, the command."""
    result = json.loads(text)
    result.pop("command", None)
    for key in ("file", "bytes", "files", "labels_file"):
        result["input"].pop(key, None)
    return json.dumps(result, indent=1)


class TestFiles(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(17)
        self.lengths = rng.integers(1, 120, 12)
        self.lengths[4] = 0
        self.ids = ["n%d" % n for n in range(1, 13)]
        self.probs = [rng.dirichlet([.5] * K, size=n) for n in self.lengths]
        self.labels = [rng.integers(-1, K, n) for n in self.lengths]
        for folder in ("scores", "labels"):
            os.mkdir(self.path(folder))
        for name, probs, labels in zip(self.ids, self.probs, self.labels):
            np.save(self.path("scores/%s.npy" % name), probs)
            np.save(self.path("labels/%s.npy" % name), labels)
        self.h5("packed.h5", **self.packed(range(12)), ids=self.ids)

    def packed(self, which):
        return dict(probs=np.concatenate([self.probs[n] for n in which]), labels=np.concatenate([self.labels[n] for n in which]),
                    offsets=np.cumsum([0] + [self.lengths[n] for n in which]))

    def result(self, *arguments, command="compare", **how):
        return self.statepath(command, *arguments, *MODEL, "--json", "-", **how).stdout

    def unlabelled(self):
        self.h5("bare.h5", **{key: value for key, value in self.packed(range(12)).items() if key != "labels"}, ids=self.ids)
        return results(self.result("bare.h5"))

    # ---- the same as one file ----

    def test_folder_pattern_and_list(self):
        want = self.unlabelled()
        for name in ("scores", "scores/", "scores/{id}.npy"):
            self.assertEqual(results(self.result(name, stderr="")), want)
        self.assertEqual(results(self.result(*["scores/%s.npy" % i for i in self.ids])), want)
        got = json.loads(self.result("scores"))["input"]
        self.assertEqual(got["files"][1], {"name": "scores/n2.npy", "recordings": 1, "steps": int(self.lengths[1])})
        self.assertEqual((got["file"], len(got["files"])), ("scores", 12))

    def test_ids_are_folders(self):
        for name, probs in zip(self.ids, self.probs):
            os.makedirs(self.path("nights/" + name))
            np.save(self.path("nights/%s/probs.npy" % name), probs)
        self.assertEqual(results(self.result("nights/{id}/probs.npy")), self.unlabelled())
        self.refuses("compare", "nights/n1/probs.npy", "nights/n2/probs.npy", *MODEL,
                     sentence="nights/n1/probs.npy and nights/n2/probs.npy both hold a recording probs; where the folder tells them apart "
                              "name them with a pattern, such as '{id}/scores.npy'")

    def test_files_of_several_recordings(self):
        self.h5("a.h5", **self.packed(range(5)), ids=self.ids[:5], classes=STAGES, subjects=["a", "a", "b", "b", "c"])
        self.h5("b.h5", **self.packed(range(5, 11)), classes=STAGES, subjects=["c", "d", "d", "e", "e", "e"])
        self.h5("n12.h5", probs=self.probs[11], labels=self.labels[11], classes=STAGES)
        ids = ["a/n%d" % n for n in range(1, 6)] + ["b/%d" % n for n in range(6)] + ["n12"]
        self.h5("packed.h5", **self.packed(range(12)), ids=ids, classes=STAGES,
                subjects=["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "e", "n12"])
        self.assertEqual(results(self.result("a.h5", "b.h5", "n12.h5")).replace("dataset /subjects", ""),
                         results(self.result("packed.h5")).replace("dataset /subjects", ""))

    def test_labels_of_some(self):
        for n, name in enumerate(self.ids):
            beside = {} if n % 3 == 0 else {"labels": self.labels[n]}
            self.h5("scores/%s.h5" % name, probs=self.probs[n], **beside)
        packed = self.packed(range(12))
        packed["labels"] = np.concatenate([self.labels[n] if n % 3 else np.full(self.lengths[n], -1) for n in range(12)])
        self.h5("packed.h5", **packed, ids=self.ids)
        self.assertEqual(results(self.result("scores/{id}.h5")), results(self.result("packed.h5")))

    def test_scorers(self):
        other = [np.where(np.arange(len(one)) % 4, one, 1) for one in self.labels]
        for n, name in enumerate(self.ids):
            beside = {} if n == 3 else {"labels_b": other[n]}
            self.h5("scores/%s.h5" % name, probs=self.probs[n], labels=self.labels[n], labels_a=self.labels[n], **beside)
        other[3] = np.full(self.lengths[3], -1)
        self.h5("packed.h5", **self.packed(range(12)), ids=self.ids, labels_a=np.concatenate(self.labels), labels_b=np.concatenate(other))
        self.assertEqual(results(self.result("scores/{id}.h5")), results(self.result("packed.h5")))

    def test_long_recordings(self):
        env = {"STATEPATH_WHOLE_BYTES": "800"}
        self.h5("bare.h5", **{key: value for key, value in self.packed(range(12)).items() if key != "labels"}, ids=self.ids)
        self.assertEqual(results(self.result("scores", env=env)), results(self.result("bare.h5", env=env)))

    def test_labels_in_files_of_their_own(self):
        want = results(self.result("packed.h5"))
        for labels in ("labels", "labels/{id}.npy"):
            self.assertEqual(results(self.result("scores", "--labels", labels)), want)
            self.assertEqual(results(self.result("scores/{id}.npy", "--reference", labels)), want)
        os.remove(self.path("labels/n7.npy"))
        self.refuses("compare", "scores", "--labels", "labels", *MODEL, sentence="scores and labels do not match; only in scores: n7")

    # ---- the other commands ----

    def test_decode(self):
        self.statepath("decode", "scores", *MODEL, "-o", "a.h5", "--confidence")
        self.statepath("decode", "packed.h5", *MODEL, "-o", "b.h5", "--confidence")
        with st.h5py.File(self.path("a.h5")) as a, st.h5py.File(self.path("b.h5")) as b:
            for name in ("paths/viterbi", "path_scores/viterbi", "confidence/viterbi", "offsets", "ids"):
                self.assertEqual(a[name][:].tolist(), b[name][:].tolist())

    def test_evaluate(self):
        self.statepath("decode", "packed.h5", *MODEL, "-o", "paths.h5")
        self.h5("labels.h5", labels=np.concatenate(self.labels), offsets=np.cumsum([0, *self.lengths]), ids=self.ids)
        want = results(self.result("paths.h5", "--labels", "labels.h5", command="evaluate"))
        for labels in ("labels", "labels/", "labels/{id}.npy"):
            self.assertEqual(results(self.result("paths.h5", "--labels", labels, command="evaluate", stderr="")), want)
        for name, labels in zip(self.ids, self.labels):
            self.write("labels/%s.txt" % name, "".join("%d\n" % label for label in labels) or "label\n")
        os.remove(self.path("labels/n5.txt"))  # of no steps: a text of no labels is none
        os.remove(self.path("labels/n5.npy"))
        self.refuses("evaluate", "paths.h5", "--labels", "labels/{id}.txt",
                     sentence="paths.h5 and labels/{id}.txt do not match; only in paths.h5: n5")

    def test_paths_in_several_files(self):
        self.statepath("decode", "packed.h5", *MODEL, "-o", "paths.h5")
        with st.h5py.File(self.path("paths.h5")) as f:
            path = f["paths/viterbi"][:]
        os.mkdir(self.path("pred"))
        offsets = np.cumsum([0, *self.lengths])
        for n, name in enumerate(self.ids):
            np.save(self.path("pred/%s.npy" % name), path[offsets[n]:offsets[n + 1]])
        got = json.loads(self.result("pred", "--labels", "labels", command="evaluate"))["strategies"]
        want = json.loads(self.result("paths.h5", "--labels", "labels", command="evaluate"))["strategies"]
        self.assertEqual(list(got), ["paths"])
        self.assertEqual(got["paths"]["confusion"], want["viterbi"]["confusion"])
        # Files of decode themselves: strategies, scores and what became of the recordings are theirs.
        for n, name in enumerate(self.ids):
            self.h5("scores/%s.h5" % name, probs=self.probs[n], labels=self.labels[n])
            self.statepath("decode", "scores/%s.h5" % name, *MODEL, "-o", "pred/%s.h5" % name)
        got = json.loads(self.result("pred/{id}.h5", command="evaluate"))["strategies"]
        self.assertEqual(got, json.loads(self.result("paths.h5", command="evaluate"))["strategies"])

    def test_fit(self):
        for n, name in enumerate(self.ids):
            self.h5("scores/%s.h5" % name, probs=self.probs[n], labels=self.labels[n], classes=STAGES)
        self.h5("packed.h5", **self.packed(range(12)), ids=self.ids, classes=STAGES)
        rules = ["--rules", "sleep-permissive", "--method", "counts", "--tune", "none"]
        self.statepath("fit", "scores/{id}.h5", *rules, "-o", "a.json")
        self.statepath("fit", "packed.h5", *rules, "-o", "b.json")
        self.assertEqual({**json.loads(self.read("a.json")), "source": 0}, {**json.loads(self.read("b.json")), "source": 0})

    def test_inspect(self):
        out = self.statepath("inspect", "scores").stdout
        self.assertIn("bytes in 12 files, from scores/n1.npy to scores/n12.npy\n", out)
        self.assertIn("layout      files\n", out)

    # ---- faults ----

    def test_names(self):
        os.mkdir(self.path("empty"))
        self.refuses("compare", "empty", *MODEL, sentence="empty: this folder holds no files")
        self.write("empty/notes.md", "x")
        self.refuses("compare", "empty", *MODEL,
                     sentence="empty: none of the 1 files in this folder is one of recordings (.h5, .npy, .npz, .csv, .txt)")
        self.refuses("compare", "scores/{id}.csv", *MODEL,
                     sentence="scores/{id}.csv: there are no files of such a name; {id} stands for the recording")
        self.refuses("compare", "{id}/{id}.npy", *MODEL, sentence="{id}/{id}.npy: {id} stands for the recording once in a name")
        self.refuses("compare", "scores", "labels", *MODEL,
                     sentence="scores: give either one folder, or one pattern with {id}, or files one by one")
        self.refuses("compare", "packed.h5", "scores", *MODEL,
                     sentence="scores: give either one folder, or one pattern with {id}, or files one by one")
        self.refuses("compare", "scores/n1.npy", "scores/n99.npy", *MODEL, sentence="scores/n99.npy: there is no such file")
        os.mkdir(self.path("both"))
        np.save(self.path("both/a.npy"), self.probs[0])
        np.save(self.path("both/b.npy"), self.probs[1])
        self.h5("both/c.h5", probs=self.probs[2])
        self.refuses("compare", "both", *MODEL,
                     sentence="both: this folder holds files *.npy and *.h5; name those that are meant with a pattern, such as "
                              "'both/{id}.npy'")

    def test_files_that_do_not_go_together(self):
        np.save(self.path("scores/n13.npy"), np.full((7, 4), .25))
        self.refuses("compare", "scores", *MODEL, sentence="scores/n13.npy: has 4 classes, but scores/n1.npy has 5; all files need the "
                                                           "same (--transpose reads arrays [classes, steps])")
        self.h5("a.h5", probs=self.probs[0], classes=STAGES)
        self.h5("b.h5", probs=self.probs[0], classes=STAGES[::-1])
        self.h5("c.h5", probs=self.probs[0])
        self.h5("d.h5", logits=self.probs[0], classes=STAGES)
        self.h5("e.h5", probs=self.probs[0], classes=STAGES, weights=np.ones(self.lengths[0]))
        self.refuses("compare", "a.h5", "b.h5", *MODEL, sentence="b.h5: class 0 is called 'REM', but 'Wake' in a.h5; all files need the same "
                                                                 "classes in the same order")
        self.refuses("compare", "a.h5", "c.h5", *MODEL, sentence="a.h5 names its classes, but c.h5 does not; name them in all files, or in "
                                                                 "none")
        self.refuses("compare", "a.h5", "d.h5", *MODEL, sentence="d.h5 holds logits, but a.h5 probs; say what all files are with --kind")
        self.refuses("compare", "a.h5", "e.h5", *MODEL, sentence="e.h5 has weights, but a.h5 has none; all files need the same")

    def test_fault_names_the_file(self):
        probs = self.probs[2].copy()
        probs[7, 1] = 7
        np.save(self.path("scores/n3.npy"), probs)
        done = self.statepath("compare", "scores", *MODEL, status=1)
        self.assertIn("recording n3, step 7", done.stderr)

    def test_inputs_are_not_written(self):
        before = self.read("scores/n3.npy")
        self.refuses("compare", "scores", *MODEL, "-o", "scores/n3.npy", "--force", status=2,
                     sentence="scores/n3.npy: is the input file, which is never written to; give the output another name")
        self.refuses("compare", "scores/n1.npy", "scores/n3.npy", *MODEL, "--json", "scores/../scores/n3.npy", "--force", status=2,
                     sentence="scores/../scores/n3.npy: is an input file scores/n3.npy by another name, which is never written to; give the "
                              "output another name")
        self.assertEqual(self.read("scores/n3.npy"), before)

    def test_many_files(self):
        """Four thousand files: few are open at a time, and the time goes with their number."""
        os.mkdir(self.path("many"))
        rng = np.random.default_rng(3)
        probs = rng.dirichlet([.5] * K, size=(4000, 3))
        for n in range(4000):
            np.save(self.path("many/n%d.npy" % n), probs[n])
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        done = self.statepath("decode", "many", *MODEL, "-o", "paths.h5")
        self.assertEqual(done.stderr, "wrote paths.h5\n")
        names = ["many/n%d.npy" % n for n in range(4000)]
        self.statepath("decode", *names, *MODEL, "-o", "list.h5")
        with st.h5py.File(self.path("paths.h5")) as a, st.h5py.File(self.path("list.h5")) as b:
            self.assertEqual(a["ids"].asstr()[:3].tolist(), ["n0", "n1", "n2"])
            self.assertEqual(a["paths/viterbi"][:].tolist(), b["paths/viterbi"][:].tolist())


if __name__ == "__main__":
    st.main()
