"""Durations from the command line: in steps and in time, the same model for every command, and what is said where they do not fit."""
import json

import h5py
import numpy as np

import statepath_test as st

LOGITS = np.random.default_rng(3).normal(size=(200, 3)) * 1.5


class TestDurations(st.TestCase):
    def setUp(self):
        super().setUp()
        np.save(self.path("x.npy"), LOGITS - np.log(np.exp(LOGITS).sum(1, keepdims=True)))
        with h5py.File(self.path("x.h5"), "w") as f:
            f["r/logits"] = LOGITS
            f.attrs["epoch_seconds"] = 30.0
            f.attrs["classes"] = ["a", "b", "c"]

    def decode(self, model, *arguments, file="x.npy", strategy="viterbi"):
        self.statepath("decode", file, "-m", model, "-s", strategy, "-o", "out.h5", "-f", "-q", *arguments, stdout="", stderr="")
        return next(x for x in self.arrays("out.h5").values() if x.shape == (200,))

    def test_time_is_steps_of_the_file(self):
        steps = self.decode(self.model("steps.json", durations={"a": {"min": 3, "max": 6}, "b": {"negative_binomial": {"mean": 4, "dispersion": 2}}}))
        time = self.model("time.json", durations={"a": {"min": "90s", "max": "3min"}, "b": {"negative_binomial": {"mean": "2min", "dispersion": 2}}})
        np.testing.assert_array_equal(self.decode(time, file="x.h5"), steps)
        np.testing.assert_array_equal(self.decode(time, "--epoch-seconds", "30"), steps)
        self.assertFalse(np.array_equal(self.decode(time, "--epoch-seconds", "15"), steps))
        self.refuses("decode", "x.npy", "-m", "time.json", "-o", "none.h5",
                     sentence='model m: the min of the duration of "a" is a time, 90 s, but how long a step of the scores is is not known; '
                              "--epoch-seconds says it, or write the length in steps")

    def test_no_path_of_that_length(self):
        self.model("m.json", durations={k: {"min": 90, "max": 95} for k in "abc"}, durations_at_ends="whole")
        said = self.statepath("decode", "x.npy", "-m", "m.json", "-o", "none.h5", status=3).stderr
        self.assertIn("no path of 200 steps can keep the rules and the durations (a 90 to 95, b 90 to 95, c 90 to 95 steps); the next shorter length that can is 190; the next longer one is 270", said)

    def test_a_model_is_shown_as_it_was_written(self):
        model = self.model("m.json", durations={"a": {"min": 3, "max": "3min"}}, durations_at_ends={"start": "whole"})
        np.testing.assert_array_equal(self.decode(model, "--epoch-seconds", "30"), self.decode(model, file="x.h5"))
        with h5py.File(self.path("out.h5")) as f:
            kept = json.loads(f.attrs["model"])
        self.assertEqual(kept["durations"], {"a": {"min": 3, "max": "180s"}})
        self.assertEqual(kept["durations_at_ends"], {"start": "whole", "end": "cut"})

MIN, MAX = {0: 3, 1: 1, 2: 2}, {0: 6, 1: 2, 2: None}
RULES = {"a": {"min": 3, "max": 6}, "b": {"pmf": [0.5, 0.5, 0]}, "c": {"min": 2}}


def broken(path, segments, ends, scored=True):
    """(first step, length, class, too long) of each run that RULES do not allow, by the definition; -1 is no class."""
    found, T = [], len(path)
    gap = lambda t: t == 0 or t == T or segments[t] != segments[t - 1]
    first = 0
    for t in range(T):
        if not gap(t + 1) and path[t + 1] == path[t]:
            continue
        k, length = int(path[t]), t + 1 - first
        before, after = gap(first), gap(t + 1)
        cut = (before and ends["start"] == "cut") or (after and ends["end"] == "cut")
        cut |= (not before and path[first - 1] < 0) or (not after and path[t + 1] < 0)
        if k >= 0 and MAX[k] is not None and length > MAX[k]:
            found.append((first, length, k, True))
        elif k >= 0 and not cut and length < MIN[k]:
            found.append((first, length, k, False))
        first = t + 1
    return found


class TestSeen(st.TestCase):
    """What `model show`, figures, places and gates say of durations."""

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(7)
        self.offsets = np.array([0, 60, 61, 61, 400, 520])
        S = self.offsets[-1]
        labels = np.repeat(rng.integers(0, 3, S), rng.integers(1, 7, S))[:S]
        self.labels = np.where(rng.random(S) < 0.04, -1, labels).astype(np.int16)
        self.scores = rng.normal(size=(S, 3)) + 1.5 * np.eye(3)[labels]
        self.segments = np.cumsum(rng.random(S) < 0.03)
        with h5py.File(self.path("in.h5"), "w") as f:
            f["scores"], f["labels"], f["segments"], f["offsets"] = self.scores, self.labels, self.segments, self.offsets
            f["ids"] = ["r%d" % i for i in range(5)]
            f.attrs["classes"] = ["a", "b", "c"]
            f.attrs["epoch_seconds"] = 30.0

    def test_model_show(self):
        self.model("m.json", durations={"a": {"min": 3, "max": 40}, "b": {"pmf": [0, 0.5, 0.3, 0.2]},
                                        "c": {"negative_binomial": {"mean": "12min", "dispersion": 2}, "min": "1min"}}, durations_at_ends={"end": "whole"})
        lasts = lambda *words: [line for line in self.statepath("model", "show", "m.json", *words, stderr="").stdout.splitlines() if line.startswith("lasts")]
        said = ["lasts: a 3 to 40 steps, all lengths alike",
                "lasts: b probabilities of 4 lengths: 2 to 4 steps; 5 % 2, median 2, 95 % 4, mean 2.7 steps",
                "lasts: c negative binomial of mean 12 min and dispersion 2, at least 1 min: in steps with --epoch-seconds",
                "lasts: runs at the start of a recording or segment are cut, which may be pieces of longer ones, at its end whole"]
        self.assertEqual(lasts(), said)
        # of d - 1 negative binomial of mean 23 and size 2, without the length 1, added up by hand
        said[2] = ("lasts: c negative binomial of mean 12 min and dispersion 2, at least 1 min: 2 steps and more; 5 % 5, median 20, 95 % 57, mean 24.15 steps "
                   "(2.5 min, 10 min, 28.5 min, 12.1 min)")
        self.assertEqual(lasts("--epoch-seconds", "30"), said)

    def test_model_check(self):
        self.model("m.json", durations={"a": {"pmf": [0.5, 0.3]}, "b": {"log_normal": {"median": 20, "sigma": 3}}, "c": {"max": 4}})
        warnings = self.statepath("model", "check", "m.json").stderr.splitlines()
        self.assertEqual(len(warnings), 2)
        self.assertRegex(warnings[0], r'^statepath: warning: m.json:1:\d+: key "durations": the pmf of the duration of "a" sums to 0.8, so that each of its runs weighs -0.223 nats')
        self.assertRegex(warnings[1], 'of "b" has no end within 65536 steps')
        self.model("m.json", forbid={"c": ["a", "b"]}, durations={"c": {"max": 4}})
        self.assertIn('class "c" can never be left, and lasts no longer than its duration allows', self.statepath("model", "check", "m.json").stderr)
        self.model("m.json", durations={"a": {"min": "90s"}, "b": {"max": 1}, "c": {"poisson": {"mean": 3}}})
        self.statepath("model", "check", "m.json", stderr="")

    def test_lengths_beyond_all_numbers(self):
        for what in ({"max": "1e308h"}, {"min": "1e999s"}, {"poisson": {"mean": "1e400s"}}):
            self.model("m.json", durations={"a": what})
            self.assertIn("or a time, as", self.statepath("model", "check", "m.json", status=1).stderr)
        self.model("m.json", durations={"a": {"min": 10**18}})
        self.assertIn('the duration of "a" reaches to 1e+18 steps; lengths up to 65536 can be counted',
                      self.statepath("model", "show", "m.json").stdout)

    def test_runs_are_counted(self):
        for ends in ({"start": s, "end": e} for s in ("cut", "whole") for e in ("cut", "whole")):
            self.model("m.json", durations=RULES, durations_at_ends=ends)
            self.statepath("compare", "in.h5", "-m", "m.json", "-o", "p.h5", "--json", "r.json", "--csv", "r.csv", "-f", "-q", "--on-infeasible", "relax",
                           "--strategies", "argmax,viterbi")
            result, expected = self.json("r.json"), []
            paths = {name: self.arrays("p.h5")["paths/" + name] for name in ("argmax", "viterbi")}
            for name, path in [*paths.items(), ("reference", self.labels)]:
                all_found = []
                for r, (a, b) in enumerate(zip(self.offsets, self.offsets[1:])):
                    found = broken(path[a:b], self.segments[a:b], ends)
                    all_found += found
                    expected += [(r, first, list(paths).index(name) if name in paths else 2, length, "abc"[k], "long" if is_long else "short", name)
                                 for first, length, k, is_long in found]
                counts = result["reference"] if name == "reference" else result["strategies"][name]
                self.assertEqual((counts["short_runs"], counts["long_runs"]), (sum(not x[3] for x in all_found), sum(x[3] for x in all_found)))
                for k, c in enumerate("abc"):
                    of = counts["bouts"][c]
                    self.assertEqual((of["too_short"], of["too_long"]), tuple(sum(x[2] == k and x[3] == long for x in all_found) for long in (False, True)))
            self.assertGreater(len(expected), 100)
            self.assertEqual(result["strategies"]["viterbi"]["long_runs"], 0)
            places = [(int(p["recording"][1:]), p["step"], p["length"], p["class"], p["too"], p["by"]) for p in result["run_places"]]
            self.assertEqual(places, [(r, first, *rest) for r, first, _, *rest in sorted(expected)])
            self.assertEqual([p["seconds"] for p in result["run_places"]], [30 * p[1] for p in places])
            lines = [line.split(",") for line in self.read("r.csv").decode().splitlines()]
            self.assertEqual([(int(x[1][1:]), int(x[4]), int(x[5]), x[2], x[3][8:], x[0]) for x in lines if x[3].startswith("run_too_")], places)
            self.assertEqual(result["model"]["durations_at_ends"], ends)

    def test_what_people_see(self):
        self.model("m.json", durations=RULES)
        run = ["compare", "in.h5", "-m", "m.json", "--strategies", "argmax,viterbi"]
        text = " ".join(self.statepath(*run, "-q").stdout.split())
        self.assertRegex(text, r"The reference itself breaks the model: .*, \d+ runs? shorter than the model allows, \d+ runs? longer than the model allows")
        self.assertIn("How long the model lets a class last, in steps, and the runs that are shorter or longer", text)
        gate = self.statepath(*run, "-q", "--fail-if", "argmax.long_runs > 0", status=4)
        self.assertIn("long_runs", gate.stderr)
        self.statepath(*run, "-q", "--fail-if", "viterbi.long_runs > 0", "--fail-if", "viterbi.short_runs > 0")
        self.statepath(*run, "-q", "--markdown", "r.md", "--latex", "r.tex", "--report", "r.html")
        for name in ("r.md", "r.tex", "r.html"):
            self.assertIn("and the runs that are shorter or longer", self.read(name).decode(), name)
        page = self.read("r.html").decode()
        self.assertIn("<dt>Durations</dt><dd>a: 3 to 6 steps; b: probabilities of 3 lengths; c: at least 2 steps. First and last runs, and those beside a gap, may be pieces of longer ones</dd>", page)
        self.assertRegex(page, r'Where these runs are(?s:.)*?<a href="#night=r0&amp;t=\d+">see</a>')

    def test_lengths_beyond_all_recordings(self):
        """Their pictures are drawn: no shape has a negative width."""
        self.model("m.json", durations={"a": {"min": 900, "max": 901}, "b": {"min": 5000}, "c": {"pmf": [0] * 1999 + [1]}})
        self.statepath("compare", "in.h5", "-m", "m.json", "--strategies", "argmax", "--report", "r.html", "-q")
        page = self.read("r.html").decode()
        self.assertNotIn('="-', page.split('<h2 id="runs"')[1].split("<h2")[0])
        self.assertIn("a: 900 to 901 steps", page)

    def test_without_durations_nothing_of_it(self):
        self.model("m.json", min_dwell={"a": 2})
        text = self.statepath("compare", "in.h5", "-m", "m.json", "--strategies", "argmax,viterbi", "-q", "--json", "r.json", "--csv", "r.csv", "--report", "r.html",
                              "--verbose").stdout
        for what in (text, self.read("r.json").decode(), self.read("r.csv").decode()):
            for word in ("long_runs", "too_long", "run_places", "durations", "model mean", "lets a class last"):
                self.assertNotIn(word, what)
        self.statepath("compare", "in.h5", "-m", "m.json", "--fail-if", "argmax.long_runs > 0", "-q", status=4)


class TestLearnt(st.TestCase):
    """Durations that labels show: of rules, and of fitted models."""

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(5)
        rows = []
        for _ in range(10):  # a for 1 to 6 steps, b always for 5
            row = []
            while len(row) < 80:
                row += [0] * int(rng.integers(1, 7)) + [1] * 5
            rows.append(row[:80])
        y = np.concatenate(rows)
        e = 2 * rng.random((800, 2)) + .6 * np.eye(2)[y]
        self.data = {"log_probs": e - np.log(np.exp(e).sum(1, keepdims=True)), "labels": y, "offsets": np.arange(0, 801, 80), "classes": ["a", "b"],
                     "ids": ["r%d" % i for i in range(10)]}
        self.h5("d.h5", **self.data)
        self.y = y

    def test_rules_from_labels(self):
        self.write("l.txt", "a\na\nb\nb\nb\na\nb\nb\na\na\n")
        model = json.loads(self.statepath("model", "new", "from-labels", "l.txt", "--classes", "a,b", "--durations").stdout)
        self.assertEqual(model["durations"], {"a": {"negative_binomial": {"mean": 2, "dispersion": 1}},
                                              "b": {"negative_binomial": {"mean": 2.4, "dispersion": 1.633}}})
        self.assertNotIn("durations_at_ends", model)
        self.assertNotIn("durations", json.loads(self.statepath("model", "new", "from-labels", "l.txt", "--classes", "a,b").stdout))
        model = json.loads(self.statepath("model", "new", "from-labels", "d.h5", "--durations").stdout)
        pmf = model["durations"]["b"]["pmf"]
        self.assertGreater(pmf[4], .9)
        self.assertGreater(min(pmf), 0)
        self.assertGreaterEqual(len(pmf), 10)
        self.write("learnt.json", json.dumps(model))
        self.statepath("decode", "d.h5", "-m", "learnt.json", "-o", "p.h5", "-q")
        self.write("one.txt", "a\n" * 9)
        self.refuses("model", "new", "from-labels", "one.txt", "--classes", "a,b", "--durations", status=2,
                     sentence="--durations: no class has a run of which begin and end are seen, with lengths that can be tabled")

    def test_cross_validation_judges_the_whole_procedure(self):
        def accuracy(*words):
            said = self.statepath("compare", "d.h5", "-m", "free.json", "--cv", "2", "--strategies", "viterbi,mea", "--json", "-", *words).stdout
            return {s: r["accuracy"] for s, r in json.loads(said)["strategies"].items()}

        self.model("free.json", "ab")
        none = accuracy("--method", "counts")
        # Rules that say it themselves, in time: what is learnt by where nobody says is then counts.
        self.write("free.json", json.dumps({"statepath_model": 1, "name": "free", "classes": ["b", "a"], "forbid": {},
                                            "durations": {"b": {"min": "150s", "max": "150s"}}}))
        ruled = accuracy("--epoch-seconds", "30")
        self.assertEqual(ruled, accuracy("--method", "counts", "--epoch-seconds", "30"))
        self.assertGreater(ruled["viterbi"], none["viterbi"] + .02)
        for method in "crf", "em":
            self.assertGreater(accuracy("--method", method, "--epoch-seconds", "30")["viterbi"], none["viterbi"] + .02)
        self.statepath("fit", "d.h5", "-r", "free.json", "-o", "m.json", "--epoch-seconds", "30")
        self.assertEqual(self.json("m.json")["durations"], {"b": {"min": "150s", "max": "150s"}})
        self.statepath("compare", "d.h5", "-m", "m.json", "--epoch-seconds", "30", "--json", "r.json", "-q")


st.main()
