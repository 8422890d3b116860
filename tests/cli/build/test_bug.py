"""The check that stays on: a program whose kernels are wrong on purpose (tests/faults) withholds what they find, and says so."""
import json
import os
import subprocess

import statepath_test as st
from statepath_test import h5py, np

FAULTY = os.environ["STATEPATH_FAULTY"]
STEPS = 43  # of the recordings that a fault spoils
CLASSES = ["Wake", "N1", "N2", "N3", "REM"]


class TestBug(st.TestCase):
    def make(self, lengths, n_classes=5, name="in.h5", labels=True):
        random = np.random.default_rng(7)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype("i8")
        scores = random.normal(size=(offsets[-1], n_classes))
        scores -= np.log(np.exp(scores).sum(1, keepdims=True))
        with h5py.File(self.path(name), "w") as out:
            data = out.create_dataset("log_probs", data=scores.astype("f4"))
            if n_classes == 5:
                data.attrs["classes"] = CLASSES
            out["offsets"] = offsets
            if labels:
                out["labels"] = random.integers(0, n_classes, offsets[-1])
        return offsets

    def faulty(self, fault, *arguments, status, env=None):
        environment = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", STATEPATH_FAULT=fault, **(env or {}))
        done = subprocess.run([FAULTY, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, "%s %s\n%s" % (fault, arguments, done.stderr))
        return done

    def check(self, fault, strategy, offsets, model="sleep-strict", spoiled=None, extra=(), env=None, in_values=True):
        """The recordings of STEPS steps are withheld, the others are what the sound program writes."""
        name = strategy.split(":")[0]
        done = None
        common = ["in.h5", "--model", model, "-s", strategy, "-f", *extra]
        self.statepath("decode", *common, "-o", "good.h5", env=env)
        with self.subTest(fault=fault, strategy=strategy):
            done = self.faulty(fault, "decode", *common, "-o", "bad.h5", "--quiet", status=1, env=env)
            self.assertIn("This is a bug of statepath, not of your data", done.stderr)
            self.assertIn("please report it at the project's issue tracker: statepath ", done.stderr)
            self.assertIn(strategy, done.stderr)
            self.assertIn("adds up to" if in_values else "breaks the model's rules", done.stderr)
            with h5py.File(self.path("good.h5")) as good, h5py.File(self.path("bad.h5")) as bad:
                self.assertEqual([n.decode() if isinstance(n, bytes) else n for n in bad["status"][name].attrs["names"]],
                                 ["ok", "no_path", "dead_end", "bug", "unread"])
                for n, (first, end) in enumerate(zip(offsets, offsets[1:])):
                    if spoiled if spoiled is not None else end - first == STEPS:
                        self.assertEqual(bad["status"][name][n], 3, (fault, strategy, n))
                        self.assertEqual(bad["path_scores"][name][n], -np.inf)
                        self.assertTrue((bad["paths"][name][first:end] == -1).all())
                    else:
                        self.assertEqual(bad["status"][name][n], good["status"][name][n])
                        self.assertEqual(bad["path_scores"][name][n], good["path_scores"][name][n])
                        self.assertTrue((bad["paths"][name][first:end] == good["paths"][name][first:end]).all())
        return done

    def test_lanes(self):
        offsets = self.make([STEPS, 44, 45] * 14)
        self.check("lanes", "viterbi", offsets)
        self.check("lanes", "mea", offsets)
        self.check("lanes", "posterior-viterbi", offsets)
        self.check("greedy-lanes", "greedy", offsets)

    def test_single_recordings(self):
        offsets = self.make([50, STEPS])
        self.check("single", "viterbi", offsets)
        for strategy in ("greedy", "beam:2", "online:3"):
            self.check("finish", strategy, offsets, extra=("--threads", "1"), in_values=False)
        self.check("beam", "beam:2", offsets, spoiled=True)

    def test_states_and_relaxed(self):
        a, b = [c + "-a" for c in CLASSES], [c + "-b" for c in CLASSES]

        def write_states(name, allow):
            self.write(name, json.dumps({"statepath_model": 1, "name": "s", "classes": CLASSES, "allow": allow, "start": a,
                                         "states": {c + end: c for c in CLASSES for end in ("-a", "-b")}}))

        write_states("tied.json", {s: a + b for s in a + b})  # two best paths of states for each path of classes
        write_states("two.json", {s: [s[:-1] + "b"] + [o for o in a if s[-1] == "b" and o[:-1] != s[:-1]] for s in a + b})
        self.check("lanes", "viterbi", self.make([STEPS, 44, 45] * 14), model="two.json")
        offsets = self.make([STEPS, 44])
        self.check("dense", "viterbi", offsets, model="tied.json")
        self.check("trace", "mea", offsets, model="tied.json")
        with h5py.File(self.path("in.h5"), "r+") as file:  # with a gap: by the plain kernel
            file["segments"] = np.arange(offsets[-1]) // 20
        self.check("trace", "viterbi", offsets, model="tied.json")
        offsets = self.make([STEPS, 44])
        # Relaxed: the number of broken rules is that of the recurrence, or the path is withheld.
        self.write("never.json", json.dumps({"statepath_model": 1, "name": "n", "classes": CLASSES, "min_dwell": {"N3": 40},
                                             "allow": {c: sorted({c, "N3"}) for c in CLASSES}, "start": ["Wake"], "end": ["Wake"]}))
        with h5py.File(self.path("in.h5"), "r+") as file:
            file["log_probs"][:, 0] = -np.inf
            scores = file["log_probs"][:]
            file["log_probs"][:] = scores - np.log(np.exp(scores).sum(1, keepdims=True))
        self.check("trace", "viterbi", offsets, model="never.json", extra=("--on-infeasible", "relax"))

    def test_many_classes(self):
        offsets = self.make([STEPS, 60], n_classes=40)
        names = ["class%d" % k for k in range(40)]
        self.write("many.json", json.dumps({"statepath_model": 1, "name": "m", "classes": names, "forbid": {names[0]: [names[1]]}}))
        self.check("dense", "viterbi", offsets, model="many.json")

    def test_n_best(self):
        offsets = self.make([STEPS, 44])
        self.check("nbest", "viterbi", offsets, extra=("--nbest", "3"))

    def test_all_layers(self):
        offsets = self.make([STEPS, 44, 45] * 14)
        done = self.faulty("lanes", "compare", "in.h5", "--model", "sleep-strict", "--strategies", "argmax,viterbi", "--json", "r.json",
                           "--csv", "r.csv", "--report", "r.html", "-o", "paths.h5", status=1)
        self.assertIn("viterbi: 14 of 42 nights could not be decoded", done.stderr)
        self.assertEqual(done.stderr.count("This is a bug of statepath"), 5)  # the first few are named
        report = json.loads(self.read("r.json"))
        undecoded = report["strategies"]["viterbi"]["undecoded"]
        self.assertEqual(len(undecoded), 14)
        statuses = {r["id"]: r["status"] for r in report["strategies"]["viterbi"]["per_recording"]}
        self.assertEqual({statuses[id] for id in undecoded}, {"bug"})
        self.assertEqual(report["strategies"]["argmax"]["undecoded"], [])
        # Whoever judges the file later is told too.
        self.statepath("evaluate", "paths.h5", "--model", "sleep-strict", "--json", "later.json", status=3)
        self.assertEqual(json.loads(self.read("later.json"))["strategies"]["viterbi"]["undecoded"], undecoded)


if __name__ == "__main__":
    st.main()
