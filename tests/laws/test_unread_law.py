"""Of several files one that cannot be read: whatever is wrong with it, wherever it stands and whatever is asked, the figures are those of
a run over the other files alone; it is named once, its recordings are listed and get the status unread, and the exit status is 3."""
import json
import os

import numpy as np

import statepath_test as st

K = 3
MODEL = {"statepath_model": 1, "name": "door", "classes": ["closed", "opening", "open"],
         "forbid": {"closed": ["open"], "open": ["opening"]}}
PLACES = {"first": 0, "middle": 2, "last": 4}
if os.environ.get("STATEPATH_LIGHT"):
    PLACES = {"middle": 2}
NAMES = ["r%d" % n for n in range(1, 6)]


def figures(text):
    """A JSON of results without what names the input."""
    result = json.loads(text)
    result.pop("command", None)
    for key in ("file", "bytes", "files", "labels_file", "unread", "unread_label_files"):
        result["input"].pop(key, None)
    return json.dumps(result, sort_keys=True)


class TestUnread(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(31)
        self.write("door.json", json.dumps(MODEL))
        self.rows, self.labels = [], []
        for _ in NAMES:  # two recordings a file
            steps = rng.integers(5, 40, 2)
            self.rows.append([np.log(rng.dirichlet([.6] * K, n)) for n in steps])
            self.labels.append([rng.integers(-1, K, n).astype(np.int32) for n in steps])

    def scores(self, name, n, **other):
        offsets = np.cumsum([0] + [len(x) for x in self.rows[n]])
        data = dict(log_probs=np.concatenate(self.rows[n]), labels=np.concatenate(self.labels[n]), offsets=offsets, ids=["a", "b"],
                    subjects=["s%d" % (n // 2)] * 2)
        self.h5(name, **{**data, **other})

    def make(self, folder):
        os.makedirs(self.path(folder))
        for n, name in enumerate(NAMES):
            self.scores("%s/%s.h5" % (folder, name), n)

    # ---- what can be wrong ----

    def spoil(self, fault, name, n):
        """Makes a file of scores faulty."""
        rows = np.concatenate(self.rows[n])
        if fault == "empty":
            self.write(name, "")
        elif fault == "no array":
            self.write(name, "this is no HDF5\n" * 40)
        elif fault == "truncated":
            with open(self.path(name), "r+b") as f:
                f.truncate(os.path.getsize(self.path(name)) // 2)
        elif fault == "NaN":  # in the last recording, so that the first was fine
            rows[-1, 1] = np.nan
            self.scores(name, n, log_probs=rows)
        elif fault == "no probabilities":
            rows[0, 0] = 3
            self.scores(name, n, log_probs=rows)
        elif fault == "type":
            self.h5(name, log_probs=np.array(["a", "b"], dtype="S1"))
        elif fault == "missing":
            self.h5(name, other=np.zeros((3, 7, 2, 2)))
        elif fault == "other K":
            self.scores(name, n, log_probs=np.log(np.full((len(rows), K + 1), 1 / (K + 1))))
        elif fault == "offsets":
            self.scores(name, n, offsets=[0, 7, 5])
        elif fault == "label":
            labels = np.concatenate(self.labels[n])
            labels[-1] = K + 4
            self.scores(name, n, labels=labels)

    FAULTS = ["empty", "no array", "truncated", "NaN", "no probabilities", "type", "missing", "other K", "offsets", "label"]

    def run_both(self, fault, place, command, *arguments, good, bad, n):
        """The same command over the good files alone, and over all."""
        want = self.statepath(command, *good, *arguments)
        got = self.statepath(command, *bad, *arguments, status=3)
        where = "%s, %s, %s" % (fault, place, command)
        self.assertEqual(got.stderr.count("; this file is left out\n"), 1, where + got.stderr)
        return want, got, where

    def test_scores(self):
        for fault in self.FAULTS:
            for place, n in PLACES.items():
                folder = "all-%s-%s" % (fault.replace(" ", "-"), place)
                self.make(folder)
                self.spoil(fault, "%s/%s.h5" % (folder, NAMES[n]), n)
                good = ["%s/%s.h5" % (folder, name) for i, name in enumerate(NAMES) if i != n]
                bad = ["%s/{id}.h5" % folder] if n else [folder]
                both = dict(good=good, bad=bad, n=n)
                want, got, where = self.run_both(fault, place, "compare", "--model", "door.json", "--json", "-", "--rule-costs", **both)
                self.assertEqual(figures(got.stdout), figures(want.stdout), where)
                unread = json.loads(got.stdout)["input"]["unread"]
                self.assertIn(unread, ([NAMES[n]], [NAMES[n] + "/a", NAMES[n] + "/b"]), where)
                faults = [one["name"] for one in json.loads(got.stdout)["input"]["files"] if "fault" in one]
                self.assertEqual(faults, ["%s/%s.h5" % (folder, NAMES[n])], where)
                fit = ["--rules", "door.json", "-o", "fitted.json", "--force", "--method", "counts", "--tune", "none"]
                models = []
                for files, status in ((good, 0), (bad, 3)):
                    self.statepath("fit", *files, *fit, status=status)
                    models.append({key: value for key, value in json.loads(self.read("fitted.json")).items() if key != "source"})
                self.assertEqual(*models, where)
                if fault == "label":  # decoding does not ask for labels
                    continue
                self.run_both(fault, place, "decode", "--model", "door.json", "-o", folder + ".h5", "--force",
                              **both)
                with st.h5py.File(self.path(folder + ".h5")) as f:
                    ids, status = f["ids"].asstr()[:].tolist(), f["status/viterbi"][:]
                    self.assertEqual([one for one, s in zip(ids, status) if s == 4], unread, where)
                    path = [f["paths/viterbi"][a:b] for a, b in zip(f["offsets"][:-1], f["offsets"][1:])]
                    self.assertTrue(all((one == -1).all() == (s == 4 or len(one) == 0) for one, s in zip(path, status)), where)
                if place != "middle":
                    continue
                # The paths of both say the same of the labels; what is unread stays so.
                self.statepath("decode", *good, "--model", "door.json", "-o", "good.h5", "--force")
                want = self.statepath("evaluate", "good.h5", "--json", "-")
                got = self.statepath("evaluate", folder + ".h5", "--json", "-", status=3)
                self.assertEqual(figures(got.stdout), figures(want.stdout), where)
                self.assertEqual(json.loads(got.stdout)["input"]["unread"], unread, where)

    def test_large_files(self):
        """A file that is larger than a block is read whole before anything of it counts."""
        rng = np.random.default_rng(5)
        rows = np.log(rng.dirichlet([.6] * K, 1_000_000)).astype(np.float32)
        labels = rng.integers(-1, K, len(rows)).astype(np.int8)
        offsets = np.arange(0, len(rows) + 1, 1000)
        ids = ["x%d" % i for i in range(len(offsets) - 1)]
        self.make("large")
        self.h5("large/r3.h5", log_probs=rows, labels=labels, offsets=offsets, ids=ids)
        whole = figures(self.statepath("compare", "large", "--model", "door.json", "--json", "-").stdout)
        rows[-1] = np.nan
        self.h5("large/r3.h5", log_probs=rows, labels=labels, offsets=offsets, ids=ids)
        good = ["large/%s.h5" % name for name in NAMES if name != "r3"]
        want, got, _ = self.run_both("NaN", "large", "compare", "--model", "door.json", "--json", "-", good=good, bad=["large"], n=2)
        self.assertEqual(figures(got.stdout), figures(want.stdout))
        self.assertNotEqual(figures(got.stdout), whole)
        self.assertEqual(len(json.loads(got.stdout)["input"]["unread"]), len(ids))

    # ---- labels, paths ----

    def test_labels(self):
        """Files of labels: beside scores in one file or several, beside paths."""
        for kind in ("txt", "npy"):
            for place, n in PLACES.items():
                names = ["one/%s.%s" % (name, kind) for name in NAMES]
                folder = "labels-%s-%s" % (kind, place)
                os.makedirs(self.path(folder + "/scores"))
                os.makedirs(self.path(folder + "/labels"))
                names = ["%s/labels/%s.%s" % (folder, name, kind) for name in NAMES]
                for i, name in enumerate(NAMES):
                    np.save(self.path("%s/scores/%s.npy" % (folder, name)), self.rows[i][0])
                    if kind == "npy":
                        np.save(self.path(names[i]), self.labels[i][0])
                    else:
                        words = MODEL["classes"] + ["-1"]
                        self.write(names[i], "".join(words[k] + "\n" for k in self.labels[i][0]))
                lengths = [len(one[0]) for one in self.rows]
                self.h5("%s.h5" % folder, log_probs=np.concatenate([one[0] for one in self.rows]),
                        offsets=np.cumsum([0] + lengths), ids=NAMES)
                only = [name for i, name in enumerate(NAMES) if i != n]
                self.write("only.txt", "".join(name + "\n" for name in only))
                labels = ["--labels", "%s/labels/{id}.%s" % (folder, kind), "--model", "door.json"]
                several = ["compare", "%s/scores" % folder, *labels, "--json", "-"]
                want = self.statepath(*several, "--only", "only.txt").stdout
                fit = ["fit", *several[1:4], "--rules", "door.json", "-o", "fitted.json", "--force", "--method", "counts", "--tune", "none"]
                self.statepath(*fit, "--only", "only.txt")
                fitted = json.loads(self.read("fitted.json"))
                if kind == "npy":
                    bad = self.labels[n][0].copy()
                    bad[-1] = K + 4
                    np.save(self.path(names[n]), bad)
                else:
                    self.write(names[n], "closed\nwindow\n")
                for command in (several, ["compare", folder + ".h5", *labels, "--json", "-"]):
                    got = self.statepath(*command, status=3)
                    self.assertEqual(figures(got.stdout), figures(want), command)
                    self.assertEqual(json.loads(got.stdout)["input"]["unread"], [NAMES[n]])
                    faults = json.loads(got.stdout)["input"]["unread_label_files"]
                    self.assertEqual([one["name"] for one in faults], [names[n]])
                    self.assertEqual(got.stderr.count("; this file is left out\n"), 1, got.stderr)
                    self.assertIn(os.path.basename(names[n]), got.stderr)
                self.statepath(*fit, status=3)
                model = json.loads(self.read("fitted.json"))
                self.assertEqual({**model, "source": ""}, {**fitted, "source": ""})
                self.statepath("decode", folder + ".h5", "--model", "door.json", "-o", "p.h5", "--force")
                got = self.statepath("evaluate", "p.h5", *labels, "--json", "-", status=3)
                self.assertEqual(json.loads(got.stdout)["input"]["unread"], [NAMES[n]])
                self.assertEqual(json.loads(got.stdout)["strategies"]["viterbi"]["confusion"],
                                 json.loads(want)["strategies"]["viterbi"]["confusion"])

    def test_paths(self):
        """Files of paths, each of one input."""
        self.make("in")
        os.makedirs(self.path("paths"))
        for place, n in PLACES.items():
            self.statepath("decode", "in", "--model", "door.json", "-o", "paths/{id}.h5", "--force")
            good = ["paths/%s.h5" % name for i, name in enumerate(NAMES) if i != n]
            for fault in ("empty", "truncated", "class"):
                name = "paths/%s.h5" % NAMES[n]
                if fault == "class":
                    self.statepath("decode", "in/%s.h5" % NAMES[n], "--model", "door.json", "-o", name, "--force")
                    with st.h5py.File(self.path(name), "r+") as f:
                        f["paths/viterbi"][-1] = K + 1
                else:
                    self.spoil(fault, name, n)
                want, got, where = self.run_both(fault, place, "evaluate", "--json", "-", good=good, bad=["paths"], n=n)
                self.assertEqual(figures(got.stdout), figures(want.stdout), where)

    # ---- what stays an error ----

    def test_errors_of_the_run(self):
        self.make("in")
        for n, name in enumerate(NAMES):
            self.spoil("other K", "in/%s.h5" % name, n)
        done = self.statepath("compare", "in", "--model", "door.json", status=1)
        self.assertIn("4 classes", done.stderr)
        self.assertNotIn("left out", done.stderr)
        for n, name in enumerate(NAMES):
            self.spoil("NaN", "in/%s.h5" % name, n)
        self.assertIn("recording b, step", self.statepath("compare", "in", "--model", "door.json", status=1).stderr.replace("r1/b", "b"))
        self.statepath("compare", "in/r1.h5", "--model", "door.json", status=1)


if __name__ == "__main__":
    st.main()
