"""Parts (`--part`, `--shard`, `merge`): the bytes of one run, whatever it was cut into; parts that are there are kept; what does not
go together is named."""
import json
import os
import random
import re
import signal
import subprocess
import time

import part_file
import statepath_test as st

np, h5py = st.np, st.h5py
CLASSES = ["Wake", "N1", "N2", "N3", "REM"]
LONG = bool(os.environ.get("STATEPATH_LONG"))
THREADS = (2,) if os.environ.get("STATEPATH_LIGHT") else (1, 2)
OUTPUTS = ["--json", "r.json", "--csv", "r.csv", "--markdown", "r.md", "--report", "r.html"]
RESULTS = ["r.json", "r.csv", "r.md", "r.html"]


def recordings(seed, n, classes=5, low=3, high=90):
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        T = int(rng.integers(low, high))
        labels = np.repeat(rng.integers(0, classes, T // 4 + 1), 4)[:T]
        x = rng.normal(0, 1, (T, classes))
        x[np.arange(T), labels] += 1.5
        x -= np.log(np.exp(x).sum(1, keepdims=True))
        labels[rng.random(T) < 0.05] = -1
        out.append((x.astype("f4"), labels.astype("i4")))
    return out


def write(file, of, **more):
    with h5py.File(file, "w") as f:
        f["log_probs"] = np.concatenate([x for x, _ in of])
        f["labels"] = np.concatenate([y for _, y in of])
        f["offsets"] = np.cumsum([0] + [len(y) for _, y in of])
        f["log_probs"].attrs["classes"] = CLASSES
        for name, values in more.items():
            f[name] = values


class TestParts(st.TestCase):
    def setUp(self):
        super().setUp()
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)

    def statepath(self, *words, status=0, stderr=None):
        """What it writes to both streams."""
        done = super().statepath(*words, status=status, stderr=stderr)
        return done.stdout, done.stderr

    def put(self, name, data):
        with open(name, "wb") as out:
            out.write(data)

    def bytes_of(self, folder, names):
        return {name: self.read(os.path.join(folder, name)) for name in names}

    def run_in(self, folder, *words, **how):
        """Runs it with outputs in a folder, under the names that pages link to."""
        os.makedirs(folder, exist_ok=True)
        placed = [os.path.join(folder, w) if w in RESULTS + ["r.h5"] else w for w in words]
        return self.statepath(*placed, **how)

    def check_same(self, files, n_shards, command="compare", options=("--model", "sleep-strict"), with_paths=True, status=0, failing=()):
        outputs = OUTPUTS + (["-o", "r.h5"] if with_paths else [])
        names = RESULTS + (["r.h5"] if with_paths else [])
        out, _ = self.run_in("whole", command, *files, *options, *outputs, "--force", status=status)
        want = self.bytes_of("whole", names)
        for n in n_shards:
            for threads in THREADS:
                for i in range(1, n + 1):
                    self.statepath(command, *files, *options, "--shard", "%d/%d" % (i, n), "--part", "P-%i-of-%n.h5", "--force",
                                   "--threads", str(threads), status=0 if status == 0 or i not in failing else status)
                parts = ["P-%d-of-%d.h5" % (i, n) for i in range(1, n + 1)]
                random.Random(n).shuffle(parts)
                text, _ = self.run_in("merged", "merge", *parts, *outputs, "--force", "--threads", str(threads), status=status)
                self.assertEqual(text, out)
                for name, got in self.bytes_of("merged", names).items():
                    self.assertTrue(got == want[name], "%s of %d shards, %d threads" % (name, n, threads))

    def test_shards_of_one_file(self):
        write("in.h5", recordings(1, 23), subjects=np.array([b"s%d" % (i // 3) for i in range(23)]),
              segments=np.concatenate([np.arange(len(y)) // 20 for _, y in recordings(1, 23)]))
        self.check_same(["in.h5"], (1, 2, 3, 7, 16))

    def test_page_of_more_than_100_recordings(self):
        """One run draws all recordings where they have few steps; so does a merged page."""
        write("in.h5", recordings(7, 150, low=20, high=60))
        self.check_same(["in.h5"], (2,))

    def test_many_options(self):
        of = recordings(2, 9)
        S = sum(len(y) for _, y in of)
        write("in.h5", of, weights=np.random.default_rng(1).uniform(0, 2, S), ids=np.array([b"s%d_%d" % (i // 2, i) for i in range(9)]))
        self.check_same(["in.h5"], (3,), options=[
            "--model", "sleep-strict", "--strategies", "argmax,viterbi,beam:4,posterior,online:3", "--temperature", "1.5", "--wake-trim", "1",
            "--weighted-kappa", "linear", "--collapse", "Light=N1,N2; Deep=N3", "--margin", "0.01", "--nll-clip", "1e-6", "--bridge-unscored",
            "--seed", "7", "--level", "0.9", "--groups", "prefix:_"])

    def test_kinds_of_work(self):
        """What pairs of strategies are compared by follows from the kind of work: edit score and F1@k of actions, entities of tags."""
        for name, classes, options in (("actions.h5", ["background", "take", "open", "pour", "put"], ["--background", "background,put"]),
                                       ("tags.h5", ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"], ["--scheme", "IOB2"])):
            write(name, recordings(6, 11))
            with h5py.File(name, "a") as f:
                f["log_probs"].attrs["classes"] = classes
            self.write("m.json", json.dumps({"statepath_model": 1, "classes": classes, "forbid": {classes[0]: [classes[2]]}}))
            self.check_same([name], (1, 3), options=["--model", "m.json"] + options)
            self.assertIn(b"edit_score" if name == "actions.h5" else b"entity_f1", self.read("whole/r.json"))

    def test_scorers(self):
        of = recordings(3, 8)
        rng = np.random.default_rng(2)
        y = np.concatenate([y for _, y in of])
        others = {"labels_scorer%d" % i: np.where(rng.random(len(y)) < 0.2, rng.integers(0, 5, len(y)), y) for i in (1, 2, 3)}
        with h5py.File("in.h5", "w") as f:
            f["log_probs"] = np.concatenate([x for x, _ in of])
            f["offsets"] = np.cumsum([0] + [len(y) for _, y in of])
            f["labels"] = y
            f["log_probs"].attrs["classes"] = CLASSES
            for i, values in enumerate(others.values()):
                f["scorers/s%d" % i] = values
        self.check_same(["in.h5"], (3,))

    def test_recordings_without_a_path(self):
        of = recordings(4, 7)
        of[2][0][1, :] = -np.inf
        write("in.h5", of)
        self.check_same(["in.h5"], (4,), options=["--model", "sleep-strict", "--kind", "scores"], status=3, failing=(2,))

    def test_long_recordings(self):
        write("in.h5", recordings(5, 4, low=5000, high=9000))
        os.environ["STATEPATH_WHOLE_BYTES"] = "60000"
        try:
            self.check_same(["in.h5"], (2,))
        finally:
            del os.environ["STATEPATH_WHOLE_BYTES"]

    def test_empty_recordings_and_more_shards_than_recordings(self):
        of = recordings(6, 3)
        of.insert(1, (np.zeros((0, 5), "f4"), np.zeros(0, "i4")))
        write("in.h5", of)
        self.check_same(["in.h5"], (7,))

    def test_files_named_in_any_order_and_a_part_for_each(self):
        files = ["n10.h5", "n2.h5", "n1.h5"]
        for i, file in enumerate(files):
            write(file, recordings(10 + i, 1 + i))
        self.check_same(files, (2,))
        self.statepath("compare", "n2.h5", "n1.h5", "n10.h5", "--model", "sleep-strict", *OUTPUTS, "-o", "r.h5", status=0)
        self.assertIn(b'"statepath compare n1.h5 n2.h5 n10.h5 --model sleep-strict"', self.read("r.json"))
        for file in files:
            self.statepath("compare", file, "--model", "sleep-strict", "--part", file[:-3] + ".part.h5", status=0)
        self.run_in("merged", "merge", "n2.part.h5", "n10.part.h5", "n1.part.h5", *OUTPUTS, "-o", "r.h5", "--force", status=0)
        for name, got in self.bytes_of("merged", RESULTS + ["r.h5"]).items():
            self.assertTrue(got == self.read(name), name)

    def test_evaluate(self):
        write("in.h5", recordings(20, 9))
        self.statepath("decode", "in.h5", "--model", "sleep-strict", "-o", "paths.h5", status=0)
        self.check_same(["paths.h5"], (1, 3), command="evaluate", options=["--labels", "in.h5", "--model", "sleep-strict"], with_paths=False)

    def test_folds(self):
        """Each shard fits every n-th fold; the page draws recordings by the models that parts hold."""
        write("in.h5", recordings(24, 8, low=30), subjects=np.array([b"s%d" % (i // 2) for i in range(8)]))
        self.check_same(["in.h5"], (1, 2, 3), options=["--model", "sleep-strict", "--cv", "3"])
        part = part_file.load("P-2-of-3.h5")
        self.assertEqual(list(json.loads(part["header"])["folds"]), ["1"])
        self.assertEqual(set(part["folds"]), {1})
        count = ["compare", "in.h5", "--model", "sleep-strict", "--cv", "3", "--part", "P-%i-of-%n.h5", "--shard"]
        self.statepath(*count, "2/3", stderr="statepath: shard 2/3 is done: P-2-of-3.h5 is kept\n")
        self.statepath(*count, "2/3", "--penalty", "3", "--force")
        self.statepath("merge", "P-1-of-3.h5", "P-2-of-3.h5", "P-3-of-3.h5", status=1,
                       stderr="statepath: P-1-of-3.h5 and P-2-of-3.h5 do not go together: they were made with another --penalty\n")
        self.statepath("merge", "P-1-of-3.h5", "P-3-of-3.h5", "--allow-missing", "--report", "m.html")
        os.rename("in.h5", "gone.h5")
        self.statepath("merge", "P-1-of-3.h5", "P-3-of-3.h5", "--allow-missing", "--report", "n.html")
        part = part_file.load("P-3-of-3.h5")
        part["folds"][:] = 1
        part_file.save("P-3-of-3.h5", part)
        self.statepath("merge", "P-1-of-3.h5", "P-3-of-3.h5", "--allow-missing", status=1,
                       stderr="statepath: P-3-of-3.h5: recording 0 is of no fold; the file is damaged: make it again\n")

    def test_folds_of_several_files_and_options(self):
        for i in range(4):
            write("n%d.h5" % i, recordings(i, 2, low=30))
        self.check_same(["n3.h5", "n0.h5", "n1.h5", "n2.h5"], (2,), options=[
            "--model", "sleep-strict", "--cv", "2", "--method", "counts", "--tune", "kappa", "--for", "mea", "--rules", "seen", "-s", "argmax,mea,viterbi"])

    def test_decided_classes(self):
        of = recordings(25, 6, low=60)
        rng = np.random.default_rng(1)
        with h5py.File("truth.h5", "w") as f:
            f["labels"] = np.concatenate([y for _, y in of])
            f["offsets"] = np.cumsum([0] + [len(y) for _, y in of])
        with h5py.File("in.h5", "w") as f:
            y = np.concatenate([y for _, y in of])
            f["labels"] = np.where((rng.random(len(y)) < 0.2) | (y < 0), rng.integers(0, 5, len(y)), y)
            f["offsets"] = np.cumsum([0] + [len(y) for _, y in of])
        for how in (["--cv", "2"], ["--label-confidence", "0.8"]):
            self.check_same(["in.h5"], (2,), options=["--model", "sleep-strict", "--reference", "truth.h5", *how])

    def check_paths(self, words, n_shards, name="r.h5", status=0, failing=()):
        """`decode` in shards, merged: the file of paths of one run."""
        self.run_in("whole", "decode", *words, "-o", name, "--force", status=status)
        for n in n_shards:
            for i in range(1, n + 1):
                self.statepath("decode", *words, "--shard", "%d/%d" % (i, n), "--part", "D-%i-of-%n.h5", "--force",
                               status=status if i in failing else 0)
            parts = ["D-%d-of-%d.h5" % (i, n) for i in range(n, 0, -1)]
            _, err = self.statepath("merge", *parts, "-o", os.path.join("merged", name), "--force", status=status)
            self.assertEqual(err.splitlines()[-1], "wrote merged/" + name)
            self.assertTrue(self.read("merged/" + name) == self.read("whole/" + name), (n, name))

    def test_decode(self):
        of = recordings(21, 9)
        write("in.h5", of, subjects=np.array([b"s%d" % (i // 3) for i in range(9)]),
              segments=np.concatenate([np.arange(len(y)) // 20 for _, y in of]))
        os.makedirs("merged")
        os.makedirs("whole")
        model = ["--model", "sleep-strict"]
        self.check_paths(["in.h5", *model], (1, 2, 3, 7, 16))
        self.check_paths(["in.h5", *model, "--strategy", "argmax", "--temperature", "2", "--epoch-seconds", "10"], (2,))
        self.check_paths(["in.h5", *model], (2,), name="r.csv")
        for i in range(3):
            write("n%d.h5" % i, recordings(i, 2))
        self.check_paths(["n2.h5", "n0.h5", "n1.h5", *model], (3,))
        of[2][0][1, :] = -np.inf
        write("in.h5", of)
        self.check_paths(["in.h5", *model, "--kind", "scores"], (3,), status=3, failing=(1,))

    def test_relaxed(self):
        """Which steps of relaxed paths break a rule, of blocks, of chunks, and of recordings that have no path all the same."""
        of = recordings(26, 6, low=40)
        for i in (1, 4):
            of[i][0][20:23, :] = -np.inf
            of[i][0][20, 3] = of[i][0][21, 0] = 0 # N3, Wake
        write("in.h5", of)
        options = ["--model", "sleep-strict", "--kind", "scores", "--on-infeasible", "relax"]
        os.makedirs("merged")
        os.makedirs("whole")
        for whole_bytes in ("", "400"):
            os.environ["STATEPATH_WHOLE_BYTES"] = whole_bytes or "100000000"
            try:
                self.check_same(["in.h5"], (1, 3), options=options)
                self.check_paths(["in.h5", *options], (2,))
            finally:
                del os.environ["STATEPATH_WHOLE_BYTES"]
            with h5py.File("merged/r.h5") as f:
                self.assertGreater(f["broken/viterbi"][:].sum(), 1)

    def test_parts_of_decode_are_paths_alone(self):
        write("in.h5", recordings(22, 5))
        count = ["decode", "in.h5", "--model", "sleep-strict", "--part", "P.h5"]
        self.statepath(*count, stderr="statepath: wrote P.h5\n")
        self.statepath(*count, stderr="statepath: shard 1/1 is done: P.h5 is kept\n")
        self.statepath("merge", "P.h5", status=2, stderr="statepath: -o is missing: parts of decode are merged into a file of paths\n")
        self.statepath("merge", "P.h5", "-o", "r.h5", "--json", "r.json", status=2,
                       stderr="statepath: --json: parts of decode are merged into a file of paths alone\n")
        self.assertFalse(os.path.exists("r.h5"))
        self.statepath("compare", "in.h5", "--model", "sleep-strict", "-s", "viterbi", "--part", "C.h5")
        self.statepath("merge", "P.h5", "C.h5", "-o", "r.h5", status=1,
                       stderr="statepath: P.h5 and C.h5 do not go together: they were made by two commands\n")
        self.statepath(*count, "-o", "r.h5", status=2, stderr="statepath: -o does not go with --part: `statepath merge` writes the paths of all "
                                                              "parts\n")

    def test_labels_of_several_files(self):
        """A pattern or a folder of labels, each file of which is an input."""
        os.makedirs("labels")
        for name, (rows, labels) in zip(("n1", "n2", "n3"), recordings(7, 3)):
            np.save(name + ".npy", rows)
            with open("labels/%s.txt" % name, "w", encoding="utf-8") as f:
                f.write("".join("%s\n" % CLASSES[k] for k in labels))
        files, words = ["n1.npy", "n2.npy", "n3.npy"], ["--model", "sleep-strict", "--kind", "log_probs", "--labels"]
        for labels in ("labels/{id}.txt", "labels"):
            self.check_same(files, (2,), options=[*words, labels])
        count = ["compare", *files, *words, "labels/{id}.txt", "--part", "P.h5"]
        self.statepath(*count, stderr="statepath: wrote P.h5\n")
        self.statepath(*count, stderr="statepath: shard 1/1 is done: P.h5 is kept\n")
        os.utime("labels/n2.txt", ns=(0, 4000000000000000000))
        self.statepath(*count, stderr="statepath: P.h5: labels/{id}.txt has changed since it was counted; it is counted again\nstatepath: wrote P.h5\n")

    def test_gaps(self):
        """Paths have -1 where padding is: places that parts know too."""
        rng = np.random.default_rng(3)
        for name in ("in.h5", "n1.h5", "n2.h5", "n3.h5"):
            with h5py.File(name, "w") as f:
                f["logits"] = rng.normal(0, 1, (6, 20, 5))
                f["logits"].attrs["classes"] = CLASSES
                f["labels"] = rng.integers(0, 5, (6, 20))
                f["lengths"] = [20] * 6
                if name != "n3.h5":
                    f["valid"] = rng.random((6, 20)) < 0.8
        for gaps in ("join", "break"):
            words = ["--model", "sleep-strict", "--gaps", gaps]
            self.check_same(["in.h5"], (3,), options=words)
            names = "123" if gaps == "join" else "12"  # with break a file that has no hole has no segments either: that does not go together
            self.check_same(["n%s.h5" % i for i in names], (3,), options=words)
            for i in names:
                self.statepath("compare", "n%s.h5" % i, *words, "--part", "F%s.h5" % i, "--force")
            self.run_in("merged", "merge", *["F%s.h5" % i for i in names], *OUTPUTS, "-o", "r.h5", "--force")
            for name in [*RESULTS, "r.h5"]:
                self.assertTrue(self.read("merged/" + name) == self.read("whole/" + name), name)
        self.statepath("compare", "in.h5", *words, "--part", "P.h5")
        self.statepath("merge", "P.h5", "-o", "r.conll", status=2,
                       stderr="statepath: -o r.conll: parts do not hold the tokens of the steps; use `statepath decode`\n")
        part = part_file.load("P.h5")
        part["holes"][3] += 1
        part_file.save("P.h5", part)
        self.statepath("merge", "P.h5", "-o", "r.h5", status=1, stderr="statepath: P.h5: the holes of recording 0 are not what they should be; the "
                                                                       "file is damaged: make it again\n")

    def test_counts_alone(self):
        """Without steps figures are the same; the page draws nothing where the inputs are gone, and there are no paths."""
        write("in.h5", recordings(30, 8))
        model = ["--model", "sleep-strict"]
        self.statepath("compare", "in.h5", *model, "--json", "r.json", status=0)
        for i in (1, 2):
            self.statepath("compare", "in.h5", *model, "--shard", "%d/2" % i, "--part", "P%i.h5", "--part-steps", "none", status=0)
        self.assertEqual(len(part_file.load("P1.h5")["steps"]), 0)
        os.rename("in.h5", "gone.h5")
        self.statepath("merge", "P1.h5", "P2.h5", "--json", "m.json", "--report", "m.html", status=0,
                       stderr="statepath: the parts hold no steps, and the inputs are not there as they were counted: the page draws none\n"
                              "wrote m.json\nwrote m.html\n")
        self.assertEqual(self.read("r.json"), self.read("m.json"))
        self.statepath("merge", "P1.h5", "P2.h5", "-o", "m.h5", status=2, stderr="statepath: -o: P1.h5 holds no paths (--part-steps none)\n")

    def test_inputs_are_gone(self):
        write("in.h5", recordings(31, 8))
        model = ["--model", "sleep-strict"]
        self.statepath("compare", "in.h5", *model, "--json", "r.json", "-o", "r.h5", status=0)
        self.statepath("compare", "in.h5", *model, "--part", "P.h5", status=0)
        os.rename("in.h5", "gone.h5")
        self.statepath("merge", "P.h5", "--json", "m.json", "--report", "m.html", "-o", "m.h5", status=0,
                       stderr="statepath: the inputs are not there as they were counted: the page draws paths without probabilities\n"
                              "wrote m.h5\nwrote m.json\nwrote m.html\n")
        for a, b in (("r.json", "m.json"), ("r.h5", "m.h5")):
            self.assertTrue(self.read(a) == self.read(b), a)
        self.assertIn('class="track', self.read("m.html").decode())

    def test_kept_and_counted_again(self):
        write("in.h5", recordings(40, 6))
        count = ["compare", "in.h5", "--model", "sleep-strict", "--part", "P-%i-of-%n.h5", "--shard", "2/3"]
        self.statepath(*count, status=0, stderr="statepath: wrote P-2-of-3.h5\n")
        before = os.stat("P-2-of-3.h5")
        self.statepath(*count, status=0, stderr="statepath: shard 2/3 is done: P-2-of-3.h5 is kept\n")
        self.assertEqual(os.stat("P-2-of-3.h5").st_ino, before.st_ino)
        os.utime("in.h5", (1, 1))
        self.statepath(*count, status=0, stderr="statepath: P-2-of-3.h5: in.h5 has changed since it was counted; it is counted again\n"
                                                "statepath: wrote P-2-of-3.h5\n")
        self.statepath(*count, "--check-inputs", "--force", status=0, stderr="statepath: wrote P-2-of-3.h5\n")
        os.utime("in.h5", (2, 2))
        self.statepath(*count, "--check-inputs", status=0, stderr="statepath: shard 2/3 is done: P-2-of-3.h5 is kept\n")
        with h5py.File("in.h5", "r+") as f:
            f["labels"][3] = (f["labels"][3] + 1) % 5
        self.statepath(*count, "--check-inputs", status=0,
                       stderr="statepath: P-2-of-3.h5: in.h5 has changed since it was counted; it is counted again\n"
                              "statepath: wrote P-2-of-3.h5\n")
        self.statepath(*count, "--check-inputs", "--level", "0.9", status=1,
                       stderr="statepath: P-2-of-3.h5 exists and is kept: it is a part of another run (its options differ); --force "
                              "replaces it\n")

    def test_parts_of_other_runs_are_kept(self):
        """--check-inputs, or a changed input, replaces no part of another model, other options or another shard without --force."""
        write("in.h5", recordings(41, 6))
        count = lambda *words, **how: self.statepath("compare", "in.h5", "--part", "P%i.h5", *words, **how)
        count("--model", "sleep-strict", "--shard", "1/2")
        kept = self.read("P1.h5")
        said = "statepath: P1.h5 exists and is kept: it is a part of another run (its %s); --force replaces it\n"
        for change in (False, True):
            if change:
                os.utime("in.h5", (1, 1))
            for more in ([], ["--check-inputs"]):
                count("--model", "sleep-aasm", "--shard", "1/2", *more, status=1, stderr=said % "model differs")
                count("--model", "sleep-strict", "--shard", "1/2", "--level", "0.9", *more, status=1, stderr=said % "options differ")
                count("--model", "sleep-strict", "--shard", "1/3", *more, status=1, stderr=said % "shard differs")
                count("--model", "sleep-strict", "--shard", "1/2", "--part-steps", "none", *more, status=1, stderr=said % "steps differ")
                self.assertEqual(self.read("P1.h5"), kept)
        count("--model", "sleep-strict", "--shard", "1/2", "--check-inputs",
              stderr="statepath: P1.h5: only one of two runs had --check-inputs, so that in.h5 may have changed since; it is counted again\n"
                     "statepath: wrote P1.h5\n")
        count("--model", "sleep-strict", "--shard", "1/2", "--check-inputs", stderr="statepath: shard 1/2 is done: P1.h5 is kept\n")

    def test_undecoded_recordings_of_a_kept_part(self):
        of = recordings(4, 3)
        of[2][0][1, :] = -np.inf
        write("in.h5", of)
        for _ in range(2):
            self.statepath("compare", "in.h5", "--model", "sleep-strict", "--kind", "scores", "--part", "P.h5", status=3)

    def test_each_option_is_compared(self):
        """A part keeps every option that results depend on: one that is forgotten would let parts go together that do not."""
        kept = {row["name"] for row in json.loads(self.statepath("help", "options", status=0)[0]) if row["in_part"]}
        elsewhere = set("model seed part-steps strategy".split())  # members of their own
        refused = set("against at confidence draws join nbest own-rules review rule-costs skip-existing text tied widen-by windows".split())
        no_matter = set("check-inputs csv fail-if figures force help json latex markdown output part quiet report shard threads verbose version "
                        "what-if what-if-bytes".split())
        for command in ("compare", "decode", "evaluate"):
            asked = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", self.statepath(command, "--help", status=0)[0], re.M))
            self.assertEqual(asked - kept - elsewhere - refused - no_matter, set(), command)

    def make_parts(self):
        write("in.h5", recordings(50, 6))
        count = ["compare", "in.h5"]
        for i in (1, 2, 3):
            self.statepath(*count, "--model", "sleep-strict", "--shard", "%d/3" % i, "--part", "P%i.h5", status=0)
        return count

    def test_what_does_not_go_together(self):
        count = self.make_parts()
        merge = lambda *parts, **how: self.statepath("merge", *parts, status=1, **how)
        merge("P1.h5", "P3.h5", stderr="statepath: parts are missing: shards 2/3, with 1 of 6 recordings; name them too, or let --allow-missing "
                                       "leave them out\n")
        out, err = self.statepath("merge", "P1.h5", "P3.h5", "--allow-missing", "--json", "m.json", "--report", "m.html", "-q", "--force", status=0)
        self.assertEqual(json.loads(self.read("m.json"))["input"]["missing_parts"], "shards 2/3, with 1 of 6 recordings")
        self.assertIn(b"Parts are missing: shards 2/3, with 1 of 6 recordings.", self.read("m.html"))
        out, err = self.statepath("merge", "P1.h5", "P3.h5", "--allow-missing", status=0)
        self.assertEqual(err, "statepath: parts are missing: shards 2/3, with 1 of 6 recordings\n")
        self.assertIn("5 nights", out)
        merge("P1.h5", "P2.h5", "P3.h5", "P2.h5", stderr="statepath: recording 2 of in.h5 is in P2.h5 and in P2.h5; leave one of them out\n")
        self.statepath(*count, "--model", "sleep-strict", "--temperature", "2", "--shard", "2/3", "--part", "T%i.h5", status=0)
        merge("P1.h5", "T2.h5", "P3.h5", stderr="statepath: P1.h5 and T2.h5 do not go together: they were made with another --temperature\n")
        self.statepath(*count, "--model", "sleep-aasm", "--shard", "2/3", "--part", "M%i.h5", status=0)
        merge("P1.h5", "M2.h5", "P3.h5", stderr="statepath: P1.h5 and M2.h5 do not go together: their models differ\n")
        self.statepath(*count, "--model", "sleep-strict", "--part-steps", "none", "--shard", "2/3", "--part", "N%i.h5", status=0)
        merge("P1.h5", "N2.h5", "P3.h5", stderr="statepath: P1.h5 and N2.h5 do not go together: only one of them holds paths (--part-steps)\n")
        os.utime("in.h5", (5, 5))
        self.statepath(*count, "--model", "sleep-strict", "--shard", "2/3", "--part", "L%i.h5", status=0)
        merge("P1.h5", "L2.h5", "P3.h5", stderr="statepath: in.h5 has changed between P1.h5 and L2.h5; make both of the same file\n")

    def test_inputs_of_parts_are_no_outputs(self):
        """What a part names as its input is one of `merge`: scores, labels, model, rules, by whatever name, from another folder too."""
        os.makedirs("labels")
        os.makedirs("out")
        of = recordings(51, 3)
        write("in.h5", of, ids=np.array([b"n1", b"n2", b"n3"]))
        for name, (_, labels) in zip(("n1", "n2", "n3"), of):
            self.write("labels/%s.txt" % name, "".join("%s\n" % CLASSES[k] if k >= 0 else "-1\n" for k in labels))
        self.write("m.json", json.dumps({"statepath_model": 1, "classes": CLASSES, "forbid": {"N3": ["Wake"]}}))
        self.write("rules.json", json.dumps({"statepath_model": 1, "classes": CLASSES, "forbid": {"N3": ["Wake"]}}))
        os.symlink("in.h5", "link.h5")
        os.link("m.json", "hard.json")
        count = ["compare", "in.h5", "--model", "m.json", "--labels", "labels", "--cv", "2", "--rules", "rules.json"]
        for i in (1, 2):
            self.statepath(*count, "--shard", "%d/2" % i, "--part", "P%i.h5")
        is_input = "statepath: %s: is an input of the parts, which is never written to; give the output another name\n"
        by_another = "statepath: %s: is an input of the parts %s by another name, which is never written to; give the output another name\n"
        before = {name: self.read(name) for name in ("in.h5", "m.json", "rules.json", "labels/n2.txt")}
        for option, output, said in (("--json", "in.h5", is_input % "in.h5"), ("-o", "in.h5", is_input % "in.h5"),
                                     ("--report", "link.h5", by_another % ("link.h5", "in.h5")), ("--csv", "m.json", is_input % "m.json"),
                                     ("--json", "hard.json", by_another % ("hard.json", "m.json")), ("--json", "rules.json", is_input % "rules.json"),
                                     ("--markdown", "labels/n2.txt", is_input % "labels/n2.txt"),
                                     ("--json", "P2.h5", "statepath: P2.h5: is an input file, which is never written to; give the output another "
                                                         "name\n")):
            self.statepath("merge", "P2.h5" if output != "P2.h5" else "P1.h5", "P1.h5" if output != "P2.h5" else "P2.h5", option, output, "-f",
                           status=2, stderr=said)
        os.chdir("out")
        done = subprocess.run([st.PROGRAM, "merge", "../P1.h5", "../P2.h5", "--json", "../in.h5", "-f"], capture_output=True, text=True)
        os.chdir("..")
        self.assertEqual((done.returncode, done.stderr), (2, is_input % "../in.h5"))
        self.assertEqual({name: self.read(name) for name in before}, before)
        self.statepath("compare", "in.h5", "--model", "m.json", "--labels", "labels", "--cv", "2", "--rules", "rules.json", "--part", "rules.json", "-f",
                       status=2, stderr="statepath: rules.json: is an input, which is never written to; give the part another name\n")

    def test_damaged_parts(self):
        self.make_parts()
        merge = lambda *parts, **how: self.statepath("merge", *parts, status=1, **how)
        whole = self.read("P2.h5")
        self.put("P2.h5", whole[:len(whole) // 2])
        merge("P1.h5", "P2.h5", "P3.h5", stderr="statepath: P2.h5: is cut short, %d of %d bytes are there; copy or write it again\n"
              % (len(whole) // 2, len(whole)))
        merge("P1.h5", "in.h5", stderr="statepath: in.h5: is HDF5, but not what it is taken for: it has no attribute statepath_part\n")
        self.put("P2.h5", whole)
        part = part_file.load("P2.h5")
        version = json.loads(part["header"])["statepath"]
        part_file.edit_header("P2.h5", "statepath", "0.0.9")
        merge("P1.h5", "P2.h5", "P3.h5",
              stderr="statepath: P2.h5: was made by statepath 0.0.9, and this is %s; make all parts with one version\n" % version)
        self.put("P2.h5", whole)
        with h5py.File("P2.h5", "r+") as f:
            f.attrs["statepath_part"] = np.int32(99)
        merge("P1.h5", "P2.h5", "P3.h5", stderr="statepath: P2.h5: has version 99 of its format, this program reads 2; make it again\n")
        for name in ("sums", "recordings", "values", "margins", "steps", "origins", "run", "ids"):
            part_file.save("P2.h5", dict(part, **{name: part[name][:-1]}))
            _, err = self.statepath("merge", "P1.h5", "P2.h5", "P3.h5", "--report", "r.html", status=1)
            self.assertRegex(err, r"\Astatepath: P2\.h5: [^\n]*(damaged|missing|another build)[^\n]*\n\Z" if name != "origins"
                             else r"\Astatepath: [^\n]*\n\Z", name)
            if name == "ids":
                continue
            part_file.save("P2.h5", {key: value for key, value in part.items() if key != name})
            _, err = self.statepath("merge", "P1.h5", "P2.h5", "P3.h5", status=1)
            self.assertRegex(err, r"\Astatepath: P2\.h5: [^\n]*damaged[^\n]*\n\Z", name)
        self.put("P2.h5", whole)
        with h5py.File("P2.h5", "r+") as f:
            del f["bytes"]
        merge("P1.h5", "P2.h5", "P3.h5", stderr="statepath: P2.h5: dataset /bytes is missing; the file is damaged: make it again\n")
        with h5py.File("P2.h5", "r+") as f:
            f["bytes"] = np.zeros(300, "f4")
        merge("P1.h5", "P2.h5", "P3.h5", stderr="statepath: P2.h5: dataset /bytes is not a list of bytes; the file is damaged: make it again\n")

    def test_names_of_strategies(self):
        """A strategy has one name, which is short: other texts that mean it, or mean nothing, are of no part."""
        write("in.h5", recordings(50, 6))
        self.statepath("compare", "in.h5", "--model", "sleep-strict", "-s", "argmax,beam:4", "--part", "P.h5")
        whole = self.read("P.h5")
        for names in (["argmax", "beam:" + "0" * 10000 + "4"], ["argmax", "beam:04"], ["argmax", "argmax"], ["argmax", "?"]):
            self.put("P.h5", whole)
            part_file.edit_header("P.h5", "strategies", names)
            self.statepath("merge", "P.h5", "--report", "r.html", status=1,
                           stderr="statepath: P.h5: its strategies are not those of a run of this program; it is damaged: make it again\n")

    def test_wrong_use(self):
        write("in.h5", recordings(60, 3))
        def wrong(*words, stderr):
            self.statepath("compare", "in.h5", "--model", "sleep-strict", *words, status=2, stderr="statepath: " + stderr + "\n")
        wrong("--shard", "1/2", stderr="--shard, --part-steps and --check-inputs are of a part: --part 'P-%i-of-%n.h5' says where it is written")
        wrong("--part", "P.h5", "--shard", "1/2",
              stderr="--part P.h5: 2 shards would all write this file; put %i into its name, such as 'P-%i-of-%n.h5'")
        for text in ("0/2", "3/2", "1", "1/", "/2", "a/b", "1/2/3", "-1/2", "1/99999999999999999999"):
            wrong("--part", "P%i.h5", "--shard", text, stderr="--shard %s: it is i/n with i from 1 to n, such as 3/16, or auto" % text)
        wrong("--part", "P.h5", "--json", "r.json", stderr="--json does not go with --part: `statepath merge` makes results of all parts")
        wrong("--part", "P.h5", "-o", "r.h5", stderr="-o does not go with --part: `statepath merge` writes the paths of all parts")
        wrong("--part", "P%i.h5", "--cv", "2", "--shard", "1/3", stderr="--shard 1/3: a shard takes whole folds, and with --cv 2 there are 2")
        wrong("--part", "P.h5", "--part-steps", "some", stderr="--part-steps some: it is all or none")
        wrong("--part", "in.h5", "--force", stderr="in.h5: is an input, which is never written to; give the part another name")

    def test_schedulers(self):
        write("in.h5", recordings(70, 5))
        count = ["compare", "in.h5", "--model", "sleep-strict", "--shard", "auto"]

        def run(variables, *more, **how):
            kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(("SLURM_", "SGE_", "LSB_", "PBS_", "OMPI_", "PMI_"))}
            os.environ.update(variables)
            try:
                return self.statepath(*count, *(more or ("--part", "P-%i-of-%n.h5")), **how)
            finally:
                for name in variables:
                    del os.environ[name]
                os.environ.update(kept)
        array = "SLURM_ARRAY_TASK_"
        good = [({array + "ID": "7", array + "MIN": "5", array + "MAX": "8", array + "COUNT": "4"}, "3-of-4"),
                ({"SGE_TASK_ID": "2", "SGE_TASK_FIRST": "1", "SGE_TASK_LAST": "3", "SGE_TASK_STEPSIZE": "1"}, "2-of-3"),
                ({"SGE_TASK_ID": "undefined", "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}, "1-of-2"),
                ({"LSB_JOBINDEX": "3", "LSB_JOBINDEX_END": "3"}, "3-of-3"),
                ({"PBS_ARRAY_INDEX": "1", "PBS_ARRAY_COUNT": "6"}, "1-of-6"),
                ({"SLURM_PROCID": "63", "SLURM_NTASKS": "64"}, "64-of-64"),
                ({"PMI_RANK": "1", "PMI_SIZE": "5"}, "2-of-5")]
        for variables, name in good:
            run(variables, status=0, stderr="statepath: wrote P-%s.h5\n" % name)
        gaps = {array + "ID": "7", array + "MIN": "1", array + "MAX": "8", array + "COUNT": "4"}
        run(gaps, status=2, stderr="statepath: --shard auto: the ids of the Slurm array have gaps (SLURM_ARRAY_TASK_COUNT); number its tasks "
                                   "without gaps, such as 1-16, or write --shard i/n\n")
        run({"PBS_ARRAYID": "2"}, status=2, stderr="statepath: --shard auto: the PBS array says which task this is (PBS_ARRAYID), but not of "
                                                   "how many; write --shard i/n\n")
        run(good[5][0], "--part", "P.h5", status=2,
            stderr="statepath: --part P.h5: 64 shards would all write this file; put %i into its name, such as 'P-%i-of-%n.h5'\n")
        _, err = run({}, status=2)
        self.assertIn("--shard auto: this is no task", err)

    def test_killed(self):
        """Shards that are killed at any time: run again, nothing is lost, nothing comes twice."""
        write("in.h5", recordings(80, 400, low=200, high=900))
        model = ["--model", "sleep-strict"]
        self.run_in("whole", "compare", "in.h5", *model, *OUTPUTS, "-o", "r.h5", status=0)
        rng = random.Random(1)
        count = [st.PROGRAM, "compare", "in.h5", *model, "--part", "P-%i-of-%n.h5", "--quiet", "--shard"]
        started = time.time()
        subprocess.run(count + ["1/2"], check=True)
        usual = time.time() - started
        os.remove("P-1-of-2.h5")
        for _ in range(50 if LONG else 5):
            for i in (1, 2):
                one = subprocess.Popen(count + ["%d/2" % i])
                time.sleep(rng.random() * usual)
                one.send_signal(signal.SIGKILL)
                one.wait()
                subprocess.run(count + ["%d/2" % i], check=True)
            self.assertEqual(sorted(f for f in os.listdir(".") if "P-" in f), ["P-1-of-2.h5", "P-2-of-2.h5"])
            self.run_in("merged", "merge", "P-2-of-2.h5", "P-1-of-2.h5", *OUTPUTS, "-o", "r.h5", "--force", status=0)
            want = self.bytes_of("whole", RESULTS + ["r.h5"])
            for name, got in self.bytes_of("merged", RESULTS + ["r.h5"]).items():
                self.assertTrue(got == want[name], name)
            os.remove("P-1-of-2.h5")
            os.remove("P-2-of-2.h5")


if __name__ == "__main__":
    st.main()
