"""Recordings in several files, beside what the law of formats reaches: files of several recordings, of which some lack something or cannot be
read, outputs of each, many files."""
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
    for key in ("file", "bytes", "files", "labels_file", "unread"):
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

    # ---- the same as one file ----

    def test_files_of_several_recordings(self):
        self.h5("a.h5", **self.packed(range(5)), ids=self.ids[:5], classes=STAGES, subjects=["a", "a", "b", "b", "c"])
        self.h5("b.h5", **self.packed(range(5, 11)), classes=STAGES, subjects=["c", "d", "d", "e", "e", "e"])
        self.h5("n12.h5", probs=self.probs[11], labels=self.labels[11], classes=STAGES)
        ids = ["a/n%d" % n for n in range(1, 6)] + ["b/%d" % n for n in range(6)] + ["n12"]
        self.h5("packed.h5", **self.packed(range(12)), ids=ids, classes=STAGES,
                subjects=["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "e", "n12"])
        self.assertEqual(results(self.result("a.h5", "b.h5", "n12.h5")).replace("dataset /subjects", ""),
                         results(self.result("packed.h5")).replace("dataset /subjects", ""))

    def test_natural_order(self):
        """Runs of digits are numbers of any length; all else, and names of equal numbers, by bytes."""
        ids = "N3 n n1 n1a n02 n2 n2b9 n2b10 n9 n10 n9999999999999999999 n100000000000000000000 \u00e9".split()
        os.mkdir(self.path("order"))
        names = ["order/%s.npy" % name for name in ids]
        for name in names:
            np.save(self.path(name), self.probs[0])
        for files in (["order/{id}.npy"], names, names[::-1]):
            self.statepath("decode", *files, *MODEL, "-o", "order.h5", "--force")
            with st.h5py.File(self.path("order.h5")) as f:
                self.assertEqual(f["ids"].asstr()[:].tolist(), ids)

    def test_labels_of_some(self):
        for n, name in enumerate(self.ids):
            beside = {} if n % 3 == 0 else {"labels": self.labels[n]}
            self.h5("scores/%s.h5" % name, probs=self.probs[n], **beside)
        packed = self.packed(range(12))
        packed["labels"] = np.concatenate([self.labels[n] if n % 3 else np.full(self.lengths[n], -1) for n in range(12)])
        self.h5("packed.h5", **packed, ids=self.ids)
        self.assertEqual(results(self.result("scores/{id}.h5")), results(self.result("packed.h5")))

    # ---- the other commands ----

    def test_paths_in_several_files(self):
        self.statepath("decode", "packed.h5", *MODEL, "-o", "paths.h5")
        with st.h5py.File(self.path("paths.h5")) as f:
            path = f["paths/viterbi"][:]
        os.mkdir(self.path("pred"))
        offsets = np.cumsum([0, *self.lengths])
        for n, name in enumerate(self.ids):
            np.save(self.path("pred/%s.npy" % name), path[offsets[n]:offsets[n + 1]])
        got = json.loads(self.result("pred", "--labels", "./labels", command="evaluate"))["strategies"]
        want = json.loads(self.result("paths.h5", "--labels", "./labels", command="evaluate"))["strategies"]
        self.assertEqual(list(got), ["paths"])
        self.assertEqual(got["paths"]["confusion"], want["viterbi"]["confusion"])
        # Files of decode themselves: strategies, scores and what became of the recordings are theirs.
        for n, name in enumerate(self.ids):
            self.h5("scores/%s.h5" % name, probs=self.probs[n], labels=self.labels[n])
            self.statepath("decode", "scores/%s.h5" % name, *MODEL, "-o", "pred/%s.h5" % name)
        got = json.loads(self.result("pred/{id}.h5", command="evaluate"))["strategies"]
        self.assertEqual(got, json.loads(self.result("paths.h5", command="evaluate"))["strategies"])

    def test_inspect(self):
        out = self.statepath("inspect", "scores").stdout
        self.assertIn("bytes in 12 files, from scores/n1.npy to scores/n12.npy\n", out)
        self.assertIn("layout      files\n", out)

    # ---- faults ----

    def test_faulty_files_are_left_out(self):
        """Each is named, by a sentence that says what is wrong with it; what comes out is what the other files give."""
        bad = self.probs[2].copy()
        bad[7, 1] = 7
        nan = self.probs[6].copy()
        nan[-1] = np.nan
        for name, probs in zip(self.ids, self.probs):
            if name not in ("n1", "n3", "n7", "n9", "n12"):
                np.save(self.path("good_%s.npy" % name), probs)
        want = json.loads(results(self.result("good_{id}.npy")))
        np.save(self.path("scores/n3.npy"), bad)  # seen when it is read
        np.save(self.path("scores/n7.npy"), nan)
        with open(self.path("scores/n12.npy"), "r+b") as f:  # when it is opened
            f.truncate(300)
        self.write("scores/n1.npy", "")
        self.write("scores/n9.npy", "this is no array\n" * 20)
        done = self.statepath("compare", "scores", *MODEL, "--json", "-", "--report", "r.html", "-o", "p.h5", status=3)
        got = json.loads(done.stdout)
        faults = {one["name"]: one["fault"] for one in got["input"]["files"] if "fault" in one}
        self.assertEqual(sorted(faults), ["scores/n%d.npy" % n for n in (1, 12, 3, 7, 9)])
        for name, fault in faults.items():
            told = fault
            for option in ("missing", "floor", "kind", "model", "rules"):
                told = told.replace("`%s`" % option, "--" + option)
            self.assertIn("statepath: %s; this file is left out\n" % told, done.stderr)
            self.assertIn(name.split("/")[1].split(".")[0], fault)
        self.assertIn("recording n3, step 7", faults["scores/n3.npy"])
        self.assertEqual(sum(one["recordings"] for one in got["input"]["files"]), 7)
        self.assertEqual(got["input"]["unread"], ["n1", "n3", "n7", "n9", "n12"])
        self.assertEqual(json.loads(results(done.stdout)), want)
        self.assertIn(b"5 of 12 files could not be read and are left out: scores/n1.npy", self.read("r.html"))
        status = [4 if name in ("n1", "n3", "n7", "n9", "n12") else 0 for name in self.ids]
        with st.h5py.File(self.path("p.h5")) as f:
            self.assertEqual(f["ids"].asstr()[:].tolist(), self.ids)
            self.assertEqual(f["status/viterbi"][:].tolist(), status)
            steps = np.diff(f["offsets"][:])
            self.assertEqual([steps[n] for n in (0, 2, 6, 8, 11)], [0, self.lengths[2], self.lengths[6], 0, 0])
            self.assertTrue((f["paths/viterbi"][:][np.repeat(status, steps) == 4] == -1).all())
        done = self.statepath("decode", "scores", *MODEL, "-o", "q.h5", status=3)
        self.assertEqual(done.stderr.count("is left out\n"), 5)
        with st.h5py.File(self.path("p.h5")) as a, st.h5py.File(self.path("q.h5")) as b:
            self.assertEqual(a["paths/viterbi"][:].tolist(), b["paths/viterbi"][:].tolist())
        self.statepath("decode", "scores", *MODEL, "-o", "r.h5", "--quiet", status=3, stderr="")

    # ---- a file of paths for each ----

    def test_paths_of_each(self):
        os.mkdir(self.path("out"))
        self.statepath("decode", "scores", *MODEL, "-o", "all.csv")
        self.statepath("decode", "scores", *MODEL, "-o", "out/{id}.csv", stdout="", stderr="wrote out/{id}.csv: 12 files\n")
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted("%s.csv" % name for name in self.ids))
        lines = self.read("all.csv").decode().splitlines()
        for name in self.ids:
            self.assertEqual(self.read("out/%s.csv" % name).decode().splitlines(),
                             lines[:1] + [line for line in lines if line.startswith(name + ",")])
        self.refuses("decode", "scores", *MODEL, "-o", "out/{id}.csv",
                     sentence="out/n1.csv: exists already; --force replaces such files, --skip-existing leaves them as they are")
        # Going on where it was stopped.
        kept = os.stat(self.path("out/n2.csv")).st_ino
        for name in ("n5", "n11"):
            os.remove(self.path("out/%s.csv" % name))
        self.write("out/n6.csv", "")
        go_on = ["decode", "scores/{id}.npy", *MODEL, "-o", "out/{id}.csv", "--skip-existing"]
        self.statepath(*go_on, stdout="", stderr="wrote out/{id}.csv: 3 files, and 9 were there\n")
        self.assertEqual(os.stat(self.path("out/n2.csv")).st_ino, kept)
        self.statepath(*go_on, stdout="", stderr="wrote out/{id}.csv: 0 files, and 12 were there\n")
        # An input that was changed since is said, and decoded again where that is allowed.
        np.save(self.path("scores/n4.npy"), self.probs[3][:5])
        os.utime(self.path("scores/n4.npy"), (4e9, 4e9))
        self.statepath(*go_on, status=3, stderr="statepath: scores/n4.npy: was changed after out/n4.csv was written; --force decodes it again; this "
                                                "file is left out\nwrote out/{id}.csv: 0 files, and 11 were there\n")
        self.statepath(*go_on, "--force", stderr="wrote out/{id}.csv: 1 files, and 11 were there\n")
        self.assertEqual(self.read("out/n4.csv").count(b"\n"), 6)

    def test_paths_of_each_with_a_faulty_file(self):
        os.mkdir(self.path("out"))
        self.write("scores/n3.npy", "no array\n" * 20)
        self.statepath("decode", "scores", *MODEL, "-o", "out/{id}.h5", status=3)
        self.assertEqual(len(os.listdir(self.path("out"))), 11)
        self.refuses("decode", "scores/n3.npy", *MODEL, "-o", "out/{id}.h5", sentence=self.statepath(
            "decode", "scores/n3.npy", *MODEL, "-o", "x.h5", status=1).stderr[len("statepath: "):-1])

    def test_paths_of_each_are_no_inputs(self):
        before = self.read("scores/n2.npy")
        self.h5("xn1.h5", probs=self.probs[0])
        self.h5("xxn1.h5", probs=self.probs[1])
        self.refuses("decode", "x{id}.h5", *MODEL, "-o", "{id}.h5", "--force", status=2,
                     sentence="xn1.h5: is an input, which is never written to; give the outputs other names")
        os.mkdir(self.path("third"))
        np.save(self.path("third/n1.npy"), self.probs[0])
        self.refuses("decode", "scores/n1.npy", "third/n1.npy", *MODEL, "-o", "{id}.csv", status=2,
                     sentence="scores/n1.npy and third/n1.npy would both be written to n1.csv; where the folder tells them apart name the inputs "
                              "with a pattern, such as '{id}/scores.npy'")
        self.refuses("decode", "scores", *MODEL, "-o", "paths.h5", "--skip-existing", status=2,
                     sentence="--skip-existing is for an output of each input: -o 'paths/{id}.h5'")
        self.refuses("decode", "scores", *MODEL, "-o", "{id}/{id}.h5", status=2,
                     sentence="{id}/{id}.h5: {id} stands for the recording once in a name")
        self.refuses("decode", "scores", *MODEL, "-o", "none/{id}.h5",
                     sentence="none/{id}.h5 cannot be written: folder none/: No such file or directory")
        self.assertEqual(self.read("scores/n2.npy"), before)

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
