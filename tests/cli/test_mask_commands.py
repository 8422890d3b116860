"""Masks as commands: the numbers of the lessons, laws against numpy, and what is said of bad input."""
import json

import h5py
import numpy as np

import statepath_test as st

ALLOW = np.array([[1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 1, 1, 1, 1], [0, 0, 1, 1, 0], [1, 0, 1, 0, 1]], bool)
LOGITS = np.array([[1.2355, -0.1710, -0.6606, -0.2050, -1.4690]])
MOVES = np.array([[1, 0, 1, 1, 0]], bool)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class TestLessons(st.TestCase):
    """What a lesson on masks shows, each by one command."""

    def test_moves(self):
        self.h5("moves.h5", logits=LOGITS, mask=MOVES)
        self.statepath("mask", "softmax", "moves.h5", stderr="", stdout="""\
moves.h5: masked softmax, by its own mask
      step    class0    class1    class2    class3    class4      leak
         0    0.7210         0    0.1083    0.1707         0    0.1836
""")
        self.statepath("mask", "softmax", "moves.h5", "--multiply", stderr="", stdout="""\
moves.h5: softmax of logits times mask, a mistake, by its own mask
      step    class0    class1    class2    class3    class4 forbidden
         0    0.5080    0.1477    0.0763    0.1203    0.1477    0.2954
on forbidden classes stays 0.2954 of the probability, the mean of all rows; at most 0.2954, at recording moves, step 0
""")
        self.statepath("mask", "apply", "moves.h5", stderr="", stdout="""\
moves.h5: masked scores, by its own mask
      step    class0    class1    class2    class3    class4
         0    1.2355      -inf   -0.6606    -0.205      -inf
""")
        self.statepath("mask", "softmax", "moves.h5", "--multiply", "-o", "wrong.h5", stderr="wrote wrong.h5\n",
                       stdout="on forbidden classes stays 0.2954 of the probability, the mean of all rows; at most 0.2954, at recording moves, step 0\n")
        np.testing.assert_allclose(self.arrays("wrong.h5")["probs"], softmax(LOGITS * MOVES), rtol=1e-14)

    def test_previous(self):
        self.h5("night.h5", logits=np.array([[2.1, -.5, 1.8, .3, -1.2]] * 3), before=np.array([2, -1, 0]), allow=ALLOW, hypnogram=np.array([0, 1, 2]),
                classes=st.STAGES)
        table = """\
night.h5: masked scores, by %s, given the class before in %s
      step      Wake        N1        N2        N3       REM
         0 %s
         1 %s
         2 %s
"""
        after_n2, free, after_wake = (" ".join("%9s" % x for x in row.split()) for row in
                                      ["-inf -0.5 1.8 0.3 -1.2", "2.1 -0.5 1.8 0.3 -1.2", "2.1 -0.5 -inf -inf -inf"])
        after_n1 = " ".join("%9s" % x for x in "2.1 -0.5 1.8 -inf -inf".split())
        for rules, name in [(["--matrix", "allow"], "matrix allow"), (["--model", "sleep-strict"], "model sleep-strict")]:
            self.statepath("mask", "apply", "night.h5", *rules, "--previous", "before", stderr="", stdout=table % (name, "before", after_n2, free, after_wake))
            done = self.statepath("mask", "apply", "night.h5", *rules, "--paths", "hypnogram", stderr="")
            self.assertEqual(done.stdout.splitlines()[3:], ["         1 " + after_wake, "         2 " + after_n1])
        leak = json.loads(self.statepath("mask", "leak", "night.h5", "--matrix", "allow", "--previous", "before", "--json", "-").stdout)
        p = softmax(np.array([2.1, -.5, 1.8, .3, -1.2]))
        self.assertEqual((leak["rows"], leak["left_out"]), (2, 1))
        self.assertAlmostEqual(leak["mean"], (p[0] + p[2:].sum()) / 2, places=14)

    def test_others_numbers(self):
        """Previous stages where REM is 5."""
        self.h5("night.h5", logits=np.zeros((2, 5)), before=np.array([5, 2]), classes=st.STAGES)
        self.statepath("mask", "apply", "night.h5", "-m", "sleep-strict", "--previous", "before", "--map", "0=Wake,1=N1,2=N2,3=N3,5=REM", "-o", "a.h5")
        np.testing.assert_array_equal(np.isfinite(self.arrays("a.h5")["logits"]), ALLOW[[4, 2]])


class TestLaws(st.TestCase):
    """On random data, what numpy computes in the plainest way."""

    def test_rows(self):
        rng = np.random.default_rng(4)
        for case in range(6):
            dtype, n, k = ["f4", "f8"][case % 2], int(rng.integers(1, 60)), int(rng.integers(2, 30))
            logits = rng.normal(0, [1, 5, 30][case % 3], (n, k)).astype(dtype)
            mask = rng.random((n, k)) < .5
            mask[np.arange(n), rng.integers(0, k, n)] = True
            offsets = np.array([0, n // 3, n // 3, n])
            self.h5("r.h5", logits=logits, mask=mask, offsets=offsets, other=~mask)
            expected = softmax(np.where(mask, logits.astype("f8"), -np.inf))
            self.statepath("mask", "softmax", "r.h5", "-o", "s.h5", "-f")
            self.statepath("mask", "apply", "r.h5", "-o", "a.h5", "-f")
            self.statepath("mask", "softmax", "r.h5", "--multiply", "-o", "m.h5", "-f")
            self.statepath("mask", "softmax", "a.h5", "--mask", "/keep", "-o", "x.h5", status=1)
            with h5py.File(self.path("s.h5")) as f:
                np.testing.assert_allclose(f["probs"][:], expected, rtol=1e-12 if dtype == "f8" else 2e-7, atol=1e-45)
                self.assertTrue((f["probs"][:][~mask] == 0).all())
                np.testing.assert_array_equal(f["offsets"][:], offsets)
            with h5py.File(self.path("a.h5")) as f:
                self.assertEqual(f["logits"].dtype, dtype)
                np.testing.assert_array_equal(f["logits"][:], np.where(mask, logits, -np.inf))
            np.testing.assert_allclose(self.arrays("m.h5")["probs"], softmax(logits.astype("f8") * mask), rtol=1e-12 if dtype == "f8" else 2e-7, atol=1e-45)
            leak = self.results("mask", "leak", "r.h5", "--mask", "/other")
            own = np.where(mask, softmax(logits.astype("f8")), 0).sum(1)  # the other mask forbids what this one allows
            self.assertAlmostEqual(leak["mean"], own.mean(), places=12)
            self.assertAlmostEqual(leak["maximum"], own.max(), places=12)
            for q, found in leak["quantiles"].items():
                self.assertAlmostEqual(found, np.quantile(own, float(q)), places=12)

    def test_rows_of_probabilities(self):
        probs = np.random.default_rng(5).dirichlet([.5] * 4, 9)
        mask = np.ones((9, 4), bool)
        mask[:, 2] = False
        self.h5("p.h5", probs=probs, mask=mask, classes=list("abcd"))
        self.statepath("mask", "apply", "p.h5", "-o", "a.h5")
        self.statepath("mask", "softmax", "p.h5", "-o", "s.h5")
        with h5py.File(self.path("a.h5")) as a, h5py.File(self.path("s.h5")) as s:
            np.testing.assert_allclose(a["scores"][:], np.where(mask, np.log(probs), -np.inf), rtol=1e-13)
            kept = np.where(mask, probs, 0)
            np.testing.assert_allclose(s["probs"][:], kept / kept.sum(1, keepdims=True), rtol=1e-12)

    def test_previous(self):
        rng = np.random.default_rng(6)
        for dataset in ("previous", "paths"):
            n, k = 50, 6
            logits, before, allow = rng.normal(size=(n, k)), rng.integers(-1, k, n), rng.random((k, k)) < .4
            if dataset == "previous":
                before[before < 0] = rng.choice([-1, -2, -100, -(2**40)], (before < 0).sum())
            allow |= np.eye(k, dtype=bool)
            offsets = np.array([0, 20, 50])
            self.h5("r.h5", logits=logits, before=before, allow=allow, offsets=offsets)
            self.statepath("mask", "apply", "r.h5", "--matrix", "allow", "--" + dataset, "before", "-o", "a.h5", "-f")
            previous = np.maximum(before, -1)
            if dataset == "paths":
                previous = np.r_[-1, before[:-1]]
                previous[offsets[:-1]] = -1
            with h5py.File(self.path("a.h5")) as f:
                np.testing.assert_array_equal(f["logits"][:], np.where((previous < 0)[:, None] | allow[previous], logits, -np.inf))
                self.assertNotIn("labels", f)

    def test_model_and_its_path(self):
        """A model alone: the mask follows the path that decode writes; what is left decodes to the same path again."""
        rng = np.random.default_rng(7)
        logits = rng.normal(0, 2, (80, 5))
        self.h5("n.h5", logits=logits, offsets=np.array([0, 30, 80]), classes=st.STAGES)
        self.statepath("decode", "n.h5", "-m", "sleep-strict", "-o", "p.h5")
        path = self.arrays("p.h5")["paths/viterbi"]
        self.statepath("mask", "apply", "n.h5", "-m", "sleep-strict", "-o", "a.h5")
        self.h5("with.h5", logits=logits, offsets=np.array([0, 30, 80]), classes=st.STAGES, path=path)
        self.statepath("mask", "apply", "with.h5", "-m", "sleep-strict", "--paths", "path", "-o", "b.h5")
        with h5py.File(self.path("a.h5")) as a, h5py.File(self.path("b.h5")) as b:
            np.testing.assert_array_equal(a["logits"][:], b["logits"][:])
            expected = np.where(ALLOW[np.r_[0, path[:-1]]], logits, -np.inf)
            inner = np.setdiff1d(np.arange(80), [0, 30])
            np.testing.assert_array_equal(a["logits"][:][inner], expected[inner])
            self.assertTrue(np.isfinite(a["logits"][:][np.arange(80), path]).all())
        one = json.loads(self.statepath("mask", "leak", "n.h5", "-m", "sleep-strict", "--json", "-").stdout)
        other = json.loads(self.statepath("mask", "leak", "with.h5", "-m", "sleep-strict", "--paths", "path", "--json", "-").stdout)
        self.assertEqual((one["rows"], one["leaking"], one["recording"], one["step"]), (other["rows"], other["leaking"], other["recording"], other["step"]))
        self.assertAlmostEqual(one["mean"], other["mean"], places=13)


class TestTables(st.TestCase):
    def test_many_rows(self):
        self.h5("m.h5", logits=np.zeros((90, 14)), mask=np.ones((90, 14), bool), offsets=np.array([0, 2, 90]), ids=["a", "b"])
        lines = self.statepath("mask", "softmax", "m.h5", stderr="").stdout.splitlines()
        self.assertEqual(len(lines), 23)
        self.assertEqual(lines[1].split(), ["recording", "step", *("class%d" % k for k in range(10)), "...", "leak"])
        self.assertEqual(lines[4].split(), ["b", "0"] + ["0.0714"] * 10 + ["...", "0"])
        self.assertEqual(lines[-1], "... 70 more rows; -o writes all")


class TestTrouble(st.TestCase):
    """One sentence, with the row."""

    def setUp(self):
        super().setUp()
        self.h5("moves.h5", logits=np.repeat(LOGITS, 4, 0), mask=np.array([[1, 0, 1, 1, 0]] * 2 + [[0] * 5] + [[1] * 5], bool), offsets=np.array([0, 1, 4]),
                before=np.array([0, 1, 5, 0]), fine=np.array([0, 1, 2, 3]), allow=ALLOW, dead=ALLOW & (np.arange(5) != 3)[:, None],
                square=np.ones((4, 4), bool), narrow=np.ones((4, 4), bool), odd=np.array([[1, 0, 2, 0, 1]] * 5))

    def test_rows(self):
        for words, status, sentence in [
            (["softmax", "moves.h5"], 1, "moves.h5: recording 1, step 1: row 1: the mask allows no class, so there is nothing to share the probability "
             "among; allow at least one class, or leave the row out"),
            (["apply", "moves.h5"], 1, "moves.h5: recording 1, step 1: row 1: the mask allows no class; allow at least one, or leave the row out"),
            (["apply", "moves.h5", "--previous", "before", "--matrix", "allow"], 1, "moves.h5: dataset /before, recording 1, step 1: label 5 is not one of the "
             "5 classes 0..4; unscored steps are -1, and --codes or --map reads others' numbers"),
            (["apply", "moves.h5", "--previous", "fine", "--matrix", "dead"], 1, "moves.h5: recording 1, row 2: the matrix lets nothing follow class 3; allow at "
             "least one class after it"),
            (["apply", "moves.h5", "--previous", "fine", "--matrix", "square"], 1, "moves.h5: dataset square must have shape [5, 5], a row and a column for each "
             "class of /logits"),
            (["apply", "moves.h5", "--previous", "fine", "--matrix", "odd"], 1, "moves.h5: dataset /odd, row 0, 2: 2 is neither 0 nor 1"),
            (["apply", "moves.h5", "--previous", "fine", "--matrix", "nowhere"], 1, "moves.h5: there is no dataset /nowhere; name another with --matrix"),
            (["apply", "moves.h5", "--mask", "narrow"], 1, None),
            (["apply", "moves.h5", "--previous", "fine"], 2, "the classes before are known, but not what may follow them: name a --model or a --matrix"),
            (["apply", "moves.h5", "--matrix", "allow"], 2, "--matrix says what may follow what, but not which class came before: name a dataset of them with "
             "--previous, or a path with --paths"),
            (["leak", "moves.h5", "--matrix", "allow", "-m", "sleep-strict"], 2, "--model and --matrix both say what may follow what; give one"),
            (["leak", "moves.h5", "--mask", "mask", "-m", "sleep-strict"], 2, "--mask names a mask, and --model or --matrix would make another one; give one"),
            (["leak", "moves.h5", "--previous", "fine", "--paths", "fine", "-m", "sleep-strict"], 2, "--previous and --paths both say which class came before; "
             "give one"),
            (["apply", "moves.h5", "--previous", "fine", "--matrix", "allow", "--codes", "yasa"], 2, "--codes and --map say what the numbers of --previous or "
             "--paths are in the classes of a --model; name both"),
            (["apply", "moves.h5", "--multiply"], 2, "mask apply takes no --multiply; `statepath mask --help` says what does"),
            (["leak", "moves.h5", "-o", "x.h5"], 2, "mask leak takes no --output; `statepath mask --help` says what does"),
        ]:
            with self.subTest(words=words):
                self.trouble(words, status, sentence)

    def trouble(self, words, status, sentence):
        for more in ([], ["-o", "out.h5"]):
            if more and words[0] == "leak":
                continue
            done = self.statepath("mask", *words, *more, status=status, stdout="")
            self.assertEqual(done.stderr.count("\n"), 1)
            if sentence:
                self.assertEqual(done.stderr, "statepath: %s\n" % sentence)
        self.assertNotIn("out.h5", self.files())


st.main()
