"""Labels and paths in the codes of others; files of unequal length; what decode passes on to evaluate."""
import csv
import json

import h5py
import numpy as np

import statepath_test as st

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
MODEL = ["--model", "sleep-permissive"]
NSRR = np.array([0, 1, 2, 3, 5, 9])  # of our numbers, the last one of -1
POPS = np.array([0, 2, 3, 4, 1, 9])
SLEEPECG = np.array([5, 3, 2, 1, 4, 0])


def figures(result):
    """What does not depend on names of files."""
    return {name: {key: one[key] for key in ("accuracy", "kappa", "confusion", "transition_counts", "changes", "scored")}
            for name, one in result["strategies"].items()}


class TestCodes(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(8)
        self.labels = [np.repeat(rng.integers(0, 5, 8 + n), 6) for n in range(4)]
        for labels in self.labels:
            labels[rng.integers(0, len(labels), 3)] = -1
        self.offsets = np.cumsum([0] + [len(labels) for labels in self.labels])
        flat = np.concatenate(self.labels)
        probs = rng.dirichlet([.4] * 5, size=len(flat)) + np.where(flat >= 0, .8, 0)[:, None] * np.eye(5)[flat]
        self.probs = probs / probs.sum(1, keepdims=True)
        self.ids = ["n%d" % n for n in range(4)]
        common = dict(offsets=self.offsets, ids=self.ids)
        self.h5("night.h5", probs=self.probs, labels=flat, subjects=["a", "a", "b", "b"], classes=STAGES, **common)
        self.h5("nsrr.h5", probs=self.probs, labels=NSRR[flat], subjects=["a", "a", "b", "b"], classes=STAGES, **common)
        self.h5("labels.h5", labels=NSRR[flat].astype("u1"), **common)
        self.h5("floats.h5", labels=NSRR[flat].astype("f4"), **common)
        self.h5("padded.h5", labels=self.padded(NSRR), lengths=np.diff(self.offsets), ids=self.ids)
        self.flat = flat

    def padded(self, codes):
        out = np.full((4, max(map(len, self.labels))), 7)
        for n, labels in enumerate(self.labels):
            out[n, :len(labels)] = codes[labels]
        return out

    def result(self, *arguments, stderr="", status=0):
        done = self.statepath(*arguments, "--json", "-", stderr=stderr, status=status)
        return json.loads(done.stdout)

    # ---- compare, decode, fit ----

    def test_compare(self):
        ours = self.result("compare", "night.h5", *MODEL)
        theirs = self.result("compare", "nsrr.h5", *MODEL, "--codes", "nsrr")
        self.assertEqual(figures(ours), figures(theirs))
        self.assertEqual((ours["nll"], ours["reference"], ours["mask_ceiling"]), (theirs["nll"], theirs["reference"], theirs["mask_ceiling"]))
        self.assertEqual(theirs["input"]["label_codes"], "nsrr")
        self.assertNotIn("label_codes", ours["input"])
        mapped = self.result("compare", "nsrr.h5", *MODEL, "--map", "0=Wake,1=N1,2=N2,3=N3,5=REM,9=unscored")
        self.assertEqual(figures(ours), figures(mapped))
        self.write("lab.txt", "# of the lab\n0 = Wake\n1=N1\n2=N2\n3=N3\n5=REM\n9=unscored\n")
        self.assertEqual(self.result("compare", "nsrr.h5", *MODEL, "--map", "lab.txt")["input"]["label_codes"], "lab.txt")
        self.refuses("compare", "nsrr.h5", *MODEL, "--map", "lab.txt", "--csv", "lab.txt", "-f", status=2,
                     sentence="lab.txt: is the map of codes, which is never written to; give the output another name")
        self.refuses("compare", "nsrr.h5", *MODEL, sentence="nsrr.h5: dataset /labels, recording n0, step %d: label %d is not one of the 5 "
                     "classes 0..4; unscored steps are -1, and --codes or --map reads others' numbers" % self.first_above(4))
        # a map comes before its preset
        other = self.result("compare", "nsrr.h5", *MODEL, "--codes", "nsrr", "--map", "9=N3")
        self.assertEqual(other["input"]["scored_steps"], len(self.flat))

    def first_above(self, limit):
        codes = NSRR[self.labels[0]]
        step = int(np.flatnonzero(codes > limit)[0])
        return step, codes[step]

    def test_columns_in_another_order(self):
        """Labels are told in the columns' order; columns without names that may be in the codes' order are spoken of."""
        order = [0, 4, 1, 2, 3]
        self.h5("pops.h5", probs=self.probs[:, order], labels=POPS[self.flat], offsets=self.offsets, ids=self.ids,
                classes=[STAGES[k] for k in order])
        pops = self.result("compare", "pops.h5", *MODEL, "--codes", "pops")
        ours = self.result("compare", "night.h5", *MODEL)
        for name in ("argmax", "viterbi"):
            confusion = np.array(ours["strategies"][name]["confusion"])[np.ix_(order, order)]
            self.assertEqual(pops["strategies"][name]["confusion"], confusion.tolist())
        with h5py.File(self.path("pops.h5"), "r+") as f:
            del f.attrs["classes"]
        bare = self.result("compare", "pops.h5", *MODEL, "--codes", "pops",
                           stderr="statepath: note: the columns of pops.h5 have no names and are taken in the model's order, Wake first; labels "
                                  "by pops are in another order: if the columns are too, write their names as attribute classes\n"
                                  "statepath: warning: the classes may be named in another order than the labels: accuracy of argmax is "
                                  "%.4f, with other names it would be %.4f; check the order of the columns (attribute classes) and what "
                                  "the labels' numbers mean (--codes, --map)\n" % self.permuted_accuracy(order))
        self.assertLess(bare["strategies"]["argmax"]["accuracy"], .5)
        # and the figures themselves raise the suspicion
        self.assertEqual(bare["strategies"]["argmax"]["labels_may_be_permuted"]["names"],
                         {"Wake": "Wake", "N1": "REM", "N2": "N1", "N3": "N2", "REM": "N3"})

    def permuted_accuracy(self, order):
        scored = self.flat >= 0
        best = self.probs[:, order].argmax(1)
        return (best == self.flat)[scored].mean(), (np.array(order)[best] == self.flat)[scored].mean()

    def test_decode_and_fit(self):
        self.statepath("decode", "nsrr.h5", *MODEL, "--codes", "nsrr", "-o", "p.h5", "-q")
        self.statepath("decode", "night.h5", *MODEL, "-o", "q.h5", "-q")
        with h5py.File(self.path("p.h5")) as p, h5py.File(self.path("q.h5")) as q:
            for name in ("labels", "paths/viterbi", "subjects"):
                np.testing.assert_array_equal(p[name][:], q[name][:])
            np.testing.assert_array_equal(p["labels"][:], self.flat)
        for name, file, more in (("a", "night.h5", []), ("b", "nsrr.h5", ["--codes", "nsrr"])):
            self.statepath("fit", file, "--rules", "sleep-permissive", "--method", "counts", "--name", "x", "-o", name + ".json", "-q", *more)
        a, b = (json.loads(self.read(name + ".json")) for name in "ab")
        self.assertEqual(a["probabilities"], b["probabilities"])
        self.statepath("fit", "labels.h5", "--rules", "sleep-permissive", "--codes", "nsrr", "--method", "counts", "-o", "c.json", "-q")
        self.assertEqual(json.loads(self.read("c.json"))["classes"], STAGES)
        # cross-validation reads the labels on its own
        fold = ["--cv", "2", "--method", "counts", "--folds", "2", "-q"]
        self.assertEqual(figures(self.result("compare", "night.h5", *MODEL, *fold)),
                         figures(self.result("compare", "nsrr.h5", *MODEL, "--codes", "nsrr", *fold)))

    def test_where_there_is_nothing_to_read(self):
        fit = ["--rules", "sleep-permissive", "--method", "counts", "--name", "x", "-q", "-f"]
        self.h5("bare.h5", probs=self.probs, classes=STAGES)
        for option in ("--codes", "--map"):
            status = 2 if "codes" in option else 1
            for more in ([], ["--labels", "nsrr.h5"]):
                self.statepath("compare", "nsrr.h5", *MODEL, option, "bogus", *more, status=status, stdout="")
            self.statepath("fit", "nsrr.h5", option, "bogus", *fit, "-o", "m.json", status=status, stdout="")
        self.refuses("compare", "bare.h5", *MODEL, "--codes", "nsrr", status=2,
                     sentence="--codes and --map read labels, and bare.h5 has none; --labels PATH says where they are")

    # ---- evaluate ----

    def test_evaluate_paths_of_others(self):
        """Paths by one code against labels by another, in HDF5 and as lists."""
        rng = np.random.default_rng(2)
        path = np.where(rng.random(len(self.flat)) < .2, rng.integers(0, 5, len(self.flat)), np.maximum(self.flat, 0))
        self.h5("ours.h5", paths__x=path, labels=self.flat, offsets=self.offsets, ids=self.ids, classes=STAGES)
        expected = figures(self.result("evaluate", "ours.h5", *MODEL))["x"]
        # paths of a file that names its classes are told by these; codes read the labels
        got = self.result("evaluate", "ours.h5", *MODEL, "--labels", "labels.h5", "--codes", "nsrr")
        self.assertEqual(figures(got)["x"], expected)
        self.assertEqual((got["input"].get("path_codes"), got["input"]["label_codes"]), (None, "nsrr"))
        self.h5("beside.h5", paths__x=path, labels=NSRR[self.flat], offsets=self.offsets, ids=self.ids, classes=STAGES)
        got = self.result("evaluate", "beside.h5", *MODEL, "--codes", "nsrr")
        self.assertEqual(figures(got)["x"], expected)
        text = self.statepath("evaluate", "beside.h5", *MODEL, "--codes", "nsrr").stdout
        self.assertIn("Labels are read by the codes nsrr.\n", text)
        self.h5("x.h5", paths__x=SLEEPECG[path], offsets=self.offsets, ids=self.ids)
        # both in one file, or labels of a file that names no classes: the same codes, which is said for another file
        self.h5("both.h5", paths__x=SLEEPECG[path], labels=SLEEPECG[self.flat], offsets=self.offsets, ids=self.ids)
        self.assertEqual(figures(self.result("evaluate", "both.h5", *MODEL, "--codes", "sleepecg"))["x"], expected)
        self.h5("l.h5", labels=SLEEPECG[self.flat], offsets=self.offsets)
        note = ("statepath: the labels of %s are read by sleepecg, as the paths are; if they are coded otherwise, "
                "statepath.sleep.compare_hypnograms() of Python reads each by codes of its own\n")
        self.assertEqual(figures(self.result("evaluate", "x.h5", *MODEL, "--codes", "sleepecg", "--labels", "l.h5", stderr=note % "l.h5"))["x"],
                         expected)
        # a file that names its classes is read by them
        self.assertEqual(figures(self.result("evaluate", "x.h5", *MODEL, "--codes", "sleepecg", "--labels", "night.h5"))["x"], expected)
        # one recording, a label a line
        first = self.labels[0]
        self.write("pred.hyp", "".join("%d\n" % k for k in SLEEPECG[path[:len(first)]]))
        self.write("true.txt", "".join("%s\n" % (["W", "N1", "N2", "N3", "R", "?"][k]) for k in first))
        got = self.result("evaluate", "pred.hyp", *MODEL, "--codes", "sleepecg", "--labels", "true.txt", stderr=note % "true.txt")
        agree = (path[:len(first)] == first)[first >= 0]
        self.assertEqual(got["strategies"]["pred"]["accuracy"], agree.mean())
        self.assertEqual(got["input"]["scored_steps"], len(agree))

    # ---- unequal lengths ----

    def test_trim_to_shortest(self):
        self.statepath("decode", "night.h5", *MODEL, "-o", "p.h5", "-q")
        with h5py.File(self.path("p.h5")) as f:
            path = f["paths/viterbi"][:]
        cut = [5, 0, -4, 7]  # of the labels; below 0: the path is shorter
        parts = [labels[:len(labels) - c] if c >= 0 else np.append(labels, np.zeros(-c, int)) for labels, c in zip(self.labels, cut)]
        offsets = np.cumsum([0] + [len(part) for part in parts])
        probs = np.concatenate([np.vstack([self.probs[a:b], np.full((9, 5), .2)])[:len(part)]
                                for a, b, part in zip(self.offsets, self.offsets[1:], parts)])
        other = [np.where(part == 2, 3, part) for part in parts]
        self.h5("other.h5", labels=np.concatenate(parts), offsets=offsets, ids=self.ids, classes=STAGES, probs=probs,
                labels_ann=np.concatenate(parts), labels_bob=np.concatenate(other))
        self.write("other.csv", "recording,label\n" + "".join("n%d,%d\n" % (n, k) for n, part in enumerate(parts) for k in part))
        self.refuses("evaluate", "p.h5", "--labels", "other.h5",
                     sentence="p.h5 and other.h5 do not match; steps differ: n0 (48 and 43), n2 (60 and 64), n3 (66 and 59); see that both "
                              "begin at the same step, then --trim-to-shortest leaves out the last ones of the longer")
        keep = [(a, min(b - a, len(part))) for a, b, part in zip(self.offsets, self.offsets[1:], parts)]
        cut_path = np.concatenate([path[a:a + n] for a, n in keep])
        cut_labels = np.concatenate([part[:n] for part, (_, n) in zip(parts, keep)])
        cut_offsets = np.cumsum([0] + [n for _, n in keep])
        self.h5("cut.h5", paths__viterbi=cut_path, labels=cut_labels, offsets=cut_offsets, ids=self.ids, classes=STAGES)
        expected = self.result("evaluate", "cut.h5", *MODEL)
        for file in ("other.h5", "other.csv"):
            got = self.result("evaluate", "p.h5", "--labels", file, "--trim-to-shortest", "--groups", "none")
            self.assertEqual(figures(got), figures(expected), file)
            self.assertEqual(got["reference"], expected["reference"])
            self.assertEqual(got["trim_to_shortest"], {"recordings": 3, "path_steps": 12, "label_steps": 4})
            rows = got["strategies"]["viterbi"]["per_recording"]
            self.assertEqual([row.get("cut_path_steps", 0) for row in rows], [5, 0, 0, 7])
            self.assertEqual([row.get("cut_label_steps", 0) for row in rows], [0, 0, 4, 0])
            self.assertEqual([row["steps"] for row in rows], [n for _, n in keep])
            self.assertNotIn("path_score", got["strategies"]["viterbi"])  # they are of whole paths
        # likelihood and scorers speak of the same steps
        got = self.result("evaluate", "p.h5", "--labels", "other.h5", "--trim-to-shortest")
        truth, at = np.concatenate([part[:n] for part, (_, n) in zip(parts, keep)]), \
            np.concatenate([self.probs[a:a + n] for a, n in keep])
        scored = truth >= 0
        self.assertAlmostEqual(got["nll"], -np.log(at[scored, truth[scored]]).mean(), places=12)
        bob = np.concatenate([o[:n] for o, (_, n) in zip(other, keep)])
        both = (bob >= 0) & (cut_path >= 0)
        accuracy = got["scorers"]["strategies"]["viterbi"]["with"]["bob"]["accuracy"]
        self.assertAlmostEqual(accuracy, (bob == cut_path)[both].mean(), places=12)
        text = self.statepath("evaluate", "p.h5", "--labels", "other.h5", "--trim-to-shortest", "--csv", "r.csv", "-q").stdout
        self.assertIn("the last 12 epochs of the paths and 4 of the labels are left out, in 3 nights", " ".join(text.split()))
        rows = {(r["recording"], r["metric"]): r["value"] for r in csv.DictReader(self.read("r.csv").decode().splitlines())
                if r["strategy"] == "reference"}
        self.assertEqual((rows["n3", "cut_path_steps"], rows["n2", "cut_label_steps"]), ("7", "4"))
        self.refuses("evaluate", "p.h5", "--trim-to-shortest", status=2,
                     sentence="--trim-to-shortest needs --labels FILE: labels beside scores or paths are as long as these")

    # ---- subjects ----

    def test_decode_passes_subjects_on(self):
        self.statepath("decode", "night.h5", *MODEL, "-o", "p.h5", "-q")
        result = self.result("evaluate", "p.h5")
        self.assertEqual((result["input"]["subjects"], result["input"]["subjects_from"]), (2, "dataset /subjects"))
        with h5py.File(self.path("night.h5"), "r+") as f:
            del f["subjects"]
            f["subjects"] = ["a", "b"]
        done = self.statepath("decode", "night.h5", *MODEL, "-o", "q.h5")
        self.assertTrue(done.stderr.startswith("statepath: subjects are not passed on to the paths: night.h5: dataset /subjects "), done.stderr)
        with h5py.File(self.path("q.h5")) as f:
            self.assertNotIn("subjects", f)


st.main()
