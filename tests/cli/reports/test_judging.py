"""Gates, LaTeX, sleep statistics, scorers and CSV paths, as a user meets them."""
import csv
import json
import os

import h5py
import numpy as np

import statepath_test as st

STAGES = ["W", "N1", "N2", "N3", "R"]
MODEL = ["--model", "sleep-permissive"]


class TestJudging(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(3)
        self.labels = [np.repeat(rng.integers(0, 5, 12), 5) for _ in range(9)]
        self.labels[0][:] = 0  # a night awake
        self.labels[1][self.labels[1] == 4] = 2  # one without REM
        with h5py.File(self.path("night.h5"), "w") as f:
            f.attrs["classes"] = STAGES
            for n, labels in enumerate(self.labels):
                probs = rng.dirichlet([.3] * 5, size=len(labels)) + 1.2 * np.eye(5)[labels]
                g = f.create_group("recordings/n%d" % n)
                g["probs"] = probs / probs.sum(1, keepdims=True)
                g["labels"] = labels
                for who in ("ann", "bob", "cy"):
                    if who == "cy" and n == 4:
                        continue
                    other = np.where(rng.random(len(labels)) < .2, rng.integers(-1, 5, len(labels)), labels)
                    g["labels_" + who] = other
                g["labels_note"] = np.full(3, 1)  # something else of such a name
                g["labels_sure"] = rng.random(len(labels))

    def compare(self, *more, status=0, **kw):
        return self.statepath("compare", "night.h5", *MODEL, "-q", *more, status=status, **kw)

    # ---- gates ----

    def test_gate(self):
        self.compare("--fail-if", "viterbi.illegal > 0", stderr="")
        self.compare("--fail-if", "argmax.illegal < 1e9; viterbi.accuracy > 0", "--json", "r.json", status=4)
        result = json.loads(self.read("r.json"))["strategies"]  # written all the same
        done = self.compare("--fail-if", "viterbi.illegal > 0", "--fail-if", "viterbi.accuracy <= argmax.accuracy + 1", status=4)
        self.assertEqual(done.stderr, "statepath: --fail-if: viterbi.accuracy <= argmax.accuracy + 1 is true: viterbi.accuracy is %.10g, "
                                      "argmax.accuracy + 1 is %.10g\n" % (result["viterbi"]["accuracy"], result["argmax"]["accuracy"] + 1))
        self.compare("-o", "p.h5")
        self.statepath("evaluate", "p.h5", "-q", "--fail-if", "viterbi.accuracy > 0", status=4)
        self.statepath("evaluate", "p.h5", "-q", "--fail-if", "viterbi.classes.N1.f1 < 0", stderr="")

    def test_gate_is_checked_first(self):
        """A gate that cannot be read stops before anything is decoded or written."""
        for gate, sentence in [
            ("vitebi.accuracy < 1", '--fail-if: the gate at "vitebi.accuracy < 1": there is no such strategy or figure; the strategies are '
                                    "argmax, greedy, viterbi; beside them there are reference.illegal and the like, mask_ceiling, nll, "
                                    "recordings, steps, scored_steps"),
            ("viterbi.classes.N9.f1 < 1", '--fail-if: the gate at "N9.f1 < 1": there is no such class; the classes are Wake, N1, N2, N3, REM'),
            ("viterbi.accuracy", '--fail-if: the gate at "viterbi.accuracy": a gate is a comparison, as in viterbi.illegal > 0'),
            ("viterbi.accuracy <", "--fail-if: the gate ends too early: a number or a figure is missing, such as viterbi.accuracy"),
        ]:
            self.refuses("compare", "night.h5", *MODEL, "--fail-if", gate, "-o", "p.h5", "--json", "r.json", sentence=sentence, status=2)
        done = self.compare("--fail-if", "viterbi.acc < 1", status=2)
        self.assertIn("viterbi has no such figure; there are scored, correct, accuracy, kappa, ", done.stderr)
        self.assertEqual(self.files(), ["night.h5"])

    # ---- outputs ----

    def test_never_the_input(self):
        os.link(self.path("night.h5"), self.path("same.h5"))
        for option in ("--latex", "--report", "--json", "--csv", "--markdown"):
            self.refuses("compare", "night.h5", *MODEL, "-f", option, "same.h5", status=2,
                         sentence="same.h5: is the input file night.h5 by another name, which is never written to; give the output another name")

    # ---- sleep ----

    def test_sleep_statistics(self):
        self.compare("--json", "r.json", "--csv", "r.csv", "-o", "p.h5", "--epoch-seconds", "20")
        sleep = json.loads(self.read("r.json"))["sleep"]
        self.assertEqual((sleep["epoch_seconds"], sleep["epoch_assumed"]), (20, False))
        with h5py.File(self.path("p.h5")) as f:
            self.assertEqual(f.attrs["epoch_seconds"], 20)
        self.assertEqual(sleep["reference"]["nights"][0]["sol_undefined"], "no sleep")
        self.assertEqual(sleep["reference"]["nights"][1]["rem_latency_undefined"], "no REM")
        rows = {(r["strategy"], r["recording"], r["metric"]): r for r in csv.DictReader(self.read("r.csv").decode().splitlines())}
        self.assertEqual(float(rows["viterbi", "", "sleep_tst_difference"]["value"]),
                         sleep["strategies"]["viterbi"]["agreement"]["tst"]["bias"])
        self.assertEqual(float(rows["reference", "n3", "sleep_tst"]["value"]), sleep["reference"]["nights"][3]["tst"])
        # evaluate finds the length of a step in the file of paths
        self.statepath("evaluate", "p.h5", "-q", "--json", "e.json")
        self.assertEqual(json.loads(self.read("e.json"))["sleep"], sleep)

    def test_length_of_a_step(self):
        done = self.compare("--json", "a.json", "-v")
        self.assertIn("(epochs of 30 s, which is assumed: ", done.stdout)
        self.assertTrue(json.loads(self.read("a.json"))["sleep"]["epoch_assumed"])
        with h5py.File(self.path("night.h5"), "r+") as f:
            f.attrs["epoch_seconds"] = np.int16(10)
        self.compare("--json", "b.json")
        b = json.loads(self.read("b.json"))["sleep"]
        self.assertEqual((b["epoch_seconds"], b["epoch_assumed"]), (10, False))
        self.refuses("compare", "night.h5", *MODEL, "--epoch-seconds", "0", status=2,
                     sentence="--epoch-seconds 0: the length of a step is above 0")
        with h5py.File(self.path("night.h5"), "r+") as f:
            f.attrs["epoch_seconds"] = "thirty"
        self.refuses("compare", "night.h5", *MODEL, sentence="night.h5: attribute epoch_seconds of / is not one number above 0; "
                                                             "--epoch-seconds X says how long a step is")
        self.compare("--epoch-seconds", "15")
        self.h5("doors.h5", probs=np.array([[.6, .4], [.3, .7]]), classes=["shut", "open"])
        self.statepath("model", "new", "left-right", "--classes", "shut,open", "-o", "doors.json")
        self.statepath("compare", "doors.h5", "-m", "doors.json", "--json", "d.json", "-q")
        result = json.loads(self.read("d.json"))
        self.assertNotIn("sleep", result)
        self.assertNotIn("epoch_seconds", result["input"])
        self.assertEqual(result["strategies"]["argmax"]["changes_per_hour_undefined"], "the length of a step is not known")
        self.statepath("compare", "doors.h5", "-m", "doors.json", "--json", "d.json", "-qf", "--epoch-seconds", "10")
        result = json.loads(self.read("d.json"))
        self.assertNotIn("sleep", result)
        self.assertEqual(result["input"]["epoch_seconds"], 10)
        self.assertEqual(result["strategies"]["argmax"]["changes_per_hour"], 360)  # one change in ten seconds

    # ---- scorers ----

    def test_scorers(self):
        self.compare("--json", "r.json", "-o", "p.h5")
        scorers = json.loads(self.read("r.json"))["scorers"]
        self.assertEqual(scorers["names"], ["ann", "bob", "cy"])
        # evaluate with the labels' file finds the same
        self.statepath("evaluate", "p.h5", "--labels", "night.h5", "-q", "--json", "e.json")
        self.assertEqual(json.loads(self.read("e.json"))["scorers"], scorers)
        # one of them as the reference is no scorer any more
        self.compare("--labels", "/recordings/{id}/labels_ann", "--json", "s.json")
        self.assertEqual(json.loads(self.read("s.json"))["scorers"]["names"], ["bob", "cy"])

    def test_scorers_of_many_blocks(self):
        """Read beside scores that are read ahead: a scorer that says what the labels say must agree with them everywhere."""
        rng = np.random.default_rng(4)
        S = 1500000  # 30 MB of scores, of which some are read while others are decoded
        labels = rng.integers(0, 5, S).astype("i1")
        scores = rng.standard_normal((S, 5)).astype("f4")
        packed = dict(compression="lzf", chunks=(30000,))
        with h5py.File(self.path("many.h5"), "w") as f:
            f.attrs["classes"] = STAGES
            f.create_dataset("scores", data=scores, compression="lzf", chunks=(10000, 5))
            f["offsets"] = np.arange(0, S + 1, 1000)
            f.create_dataset("labels", data=labels, **packed)
            f.create_dataset("labels_ann", data=labels, **packed)
            f.create_dataset("labels_bob", data=(labels + 1) % 5, **packed)
        self.statepath("compare", "many.h5", *MODEL, "--strategies", "argmax", "-q", "--json", "r.json")
        result = json.loads(self.read("r.json"))
        of, right = result["scorers"]["strategies"]["argmax"]["with"], scores.argmax(1)
        self.assertEqual(of["ann"]["accuracy"], result["strategies"]["argmax"]["accuracy"])
        self.assertAlmostEqual(of["ann"]["accuracy"], (right == labels).mean(), places=12)
        self.assertAlmostEqual(of["bob"]["accuracy"], (right == (labels + 1) % 5).mean(), places=12)

    def test_scorer_with_an_unknown_label(self):
        with h5py.File(self.path("night.h5"), "r+") as f:
            f["recordings/n2/labels_bob"][7] = 9
        done = self.compare(status=1)
        self.assertIn("labels_bob", done.stderr)
        self.assertIn("n2", done.stderr)
        self.assertIn("step 7", done.stderr)

    def test_scorers_beside_packed_labels(self):
        labels = np.concatenate(self.labels)
        self.h5("packed.h5", probs=np.eye(5)[labels] * .9 + .02, labels=labels, labels_x=labels, labels_y=(labels + 1) % 5,
                offsets=np.arange(10) * 60, classes=STAGES)
        self.statepath("compare", "packed.h5", *MODEL, "-q", "--json", "r.json")
        scorers = json.loads(self.read("r.json"))["scorers"]
        self.assertEqual((scorers["strategies"]["argmax"]["with"]["x"]["accuracy"], scorers["mean_accuracy"]), (1, 0))

    # ---- CSV ----

    def write_csv(self, name, paths, order=None):
        lines = [("n%d" % n, t, STAGES[k]) for n, path in enumerate(paths) for t, k in enumerate(path)]
        if order is not None:
            lines = [lines[i] for i in order]
        with open(self.path(name), "w", newline="") as out:
            csv.writer(out).writerows([("recording", "step", "label")] + lines)
        return len(lines)

    def test_csv(self):
        self.compare("-o", "p.h5", "-s", "viterbi")
        with h5py.File(self.path("p.h5")) as f:
            offsets = f["offsets"][:]
            paths = [f["paths/viterbi"][a:b] for a, b in zip(offsets, offsets[1:])]
        n = self.write_csv("mine.csv", paths)
        self.write_csv("mixed.csv", paths, np.random.default_rng(1).permutation(n))
        self.statepath("evaluate", "p.h5", "--labels", "night.h5", *MODEL, "-q", "--json", "h5.json")
        for name in ("mine", "mixed"):
            self.statepath("evaluate", name + ".csv", "--labels", "night.h5", *MODEL, "-q", "--json", name + ".json", stderr="")
            ours, theirs = (json.loads(self.read(file))["strategies"] for file in ("h5.json", name + ".json"))
            self.assertEqual(list(theirs), [name])
            for key in ("accuracy", "kappa", "confusion", "illegal", "illegal_pairs", "bouts", "edit_score"):
                if name == "mine" or key in ("accuracy", "kappa", "confusion", "illegal"):
                    self.assertEqual(ours["viterbi"][key], theirs[name][key], key)
        # without labels legality alone is judged
        done = self.statepath("evaluate", "mine.csv", *MODEL, "-q")
        self.assertIn("no labels", done.stdout)
        self.refuses("evaluate", "mine.csv", sentence="--model is missing: a file, or a shipped model (`statepath model list`)", status=2)
        self.refuses("evaluate", "mine.csv", *MODEL, "--paths", "/x", status=2,
                     sentence="--paths, --offsets and --ids name datasets, and mine.csv is a text file")
        self.write("bad.csv", "recording,label\nn0,W\nn0,Stage 9\n")
        done = self.statepath("evaluate", "bad.csv", *MODEL, status=1, stdout="")
        self.assertTrue(done.stderr.startswith('statepath: bad.csv: line 3: label "Stage 9" is no class of model sleep-permissive: '))
        self.write("short.csv", "recording,label\n" + "".join("n%d,W\n" % n for n in range(9)))
        done = self.statepath("evaluate", "short.csv", "--labels", "night.h5", *MODEL, status=1, stdout="")
        self.assertIn("short.csv and night.h5 do not match; steps differ: n0 (1 and 60), n1 (1 and 60)", done.stderr)
        self.write("gap.csv", "recording,label\nn0,-1\n")
        self.statepath("evaluate", "gap.csv", *MODEL, "-q", status=3)
        self.refuses("evaluate", "mine.csv", *MODEL, "-f", "--csv", "mine.csv", status=2,
                     sentence="mine.csv: is the input file, which is never written to; give the output another name")


st.main()
