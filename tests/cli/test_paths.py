"""decode and compare: what is in the file of paths, as h5py reads it."""
import json

import h5py
import numpy as np

import statepath_test as st

MODEL = {"statepath_model": 1, "name": "abc", "classes": ["a", "b", "c"],
         "allow": {"a": ["a", "b"], "b": ["b", "c"], "c": ["c", "a"]}}


def log(*rows):
    with np.errstate(divide="ignore"):
        return np.log(np.array(rows, dtype=np.float64)).astype(np.float32)


class TestPaths(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("abc.json", json.dumps(MODEL))
        # n1: argmax is a c c, which is illegal; n2 is impossible: a must be followed by c; n3 has no steps
        self.scores = log([.8, .1, .1], [.05, .35, .6], [.05, .05, .9], [1, 0, 0], [0, 0, 1])
        self.h5("in.h5", log_probs=self.scores, offsets=np.array([0, 3, 5, 5]), ids=["n1", "n2", "n3"], classes=["a", "b", "c"],
                labels=np.array([0, 1, 2, 0, -1]))

    def test_decode(self):
        done = self.statepath("decode", "in.h5", "--model", "abc.json", "-o", "out.h5", status=3, stdout="")
        self.assertIn("viterbi: recording n2 has no allowed path of finite score: no state reaches step 1\n", done.stderr)
        self.assertIn("viterbi: 1 of 3 recordings could not be decoded; their paths are -1\n", done.stderr)
        with h5py.File(self.path("out.h5")) as f:
            self.assertEqual(f["paths/viterbi"].dtype, np.int16)
            self.assertEqual(f["paths/viterbi"][:].tolist(), [0, 1, 2, -1, -1])
            self.assertEqual(f["status/viterbi"].dtype, np.uint8)
            self.assertEqual(f["status/viterbi"][:].tolist(), [0, 1, 0])
            self.assertEqual([n if isinstance(n, str) else n.decode() for n in f["status/viterbi"].attrs["names"]], ["ok", "no_path", "dead_end", "bug", "unread"])
            scores = f["path_scores/viterbi"][:]
            e = self.scores.astype(np.float64)
            self.assertEqual(scores[0], (e[0, 0] + e[1, 1]) + e[2, 2])
            self.assertEqual(scores[1:].tolist(), [-np.inf, 0])
            self.assertEqual(f["offsets"][:].tolist(), [0, 3, 5, 5])
            self.assertEqual([i.decode() for i in f["ids"][:]], ["n1", "n2", "n3"])
            self.assertEqual([c.decode() for c in f["classes"][:]], ["a", "b", "c"])
            self.assertEqual(f["labels"][:].tolist(), [0, 1, 2, 0, -1])
            self.assertEqual(f.attrs["statepath_version"], "1.0.0")
            self.assertEqual(json.loads(f.attrs["model"])["name"], "abc")
            self.assertEqual(f.attrs["command"], "statepath decode in.h5 --model abc.json")

    def test_no_path_is_said_once_for_all_strategies(self):
        done = self.statepath("compare", "in.h5", "--model", "abc.json", "--strategies", "argmax,greedy,viterbi,mea", status=3)
        self.assertEqual(done.stderr.count("no allowed path"), 1, done.stderr)
        self.assertIn("statepath: recording n2 has no allowed path of finite score: no state reaches step 1\n", done.stderr)

    def test_greedy_walks_into_a_dead_end(self):
        # a is best at first; from a one cannot reach c at once; b, c is possible
        self.h5("dead.h5", log_probs=log([.6, .4, 0], [0, 0, 1]), classes=["a", "b", "c"])
        done = self.statepath("compare", "dead.h5", "--model", "abc.json", "-o", "out.h5", status=3)
        self.assertIn("greedy: recording dead: dead end at step 1, no allowed class has a finite score there\n", done.stderr)
        with h5py.File(self.path("out.h5")) as f:
            self.assertEqual(f["paths/greedy"][:].tolist(), [-1, -1])
            self.assertEqual(f["status/greedy"][:].tolist(), [2])
            self.assertEqual(f["paths/viterbi"][:].tolist(), [1, 2])
            self.assertEqual(f["paths/argmax"][:].tolist(), [0, 2])

    def test_relax_breaks_the_fewest_rules(self):
        self.statepath("decode", "in.h5", "--model", "abc.json", "-o", "out.h5", "--on-infeasible", "relax", status=0)
        with h5py.File(self.path("out.h5")) as f:
            # a, a takes an impossible class, a, c a forbidden transition: one rule each, equal scores, so the lower class
            self.assertEqual(f["paths/viterbi"][:].tolist(), [0, 1, 2, 0, 0])
            self.assertEqual(f["status/viterbi"][:].tolist(), [0, 0, 0])
            self.assertEqual(f["broken/viterbi"][:].tolist(), [0, 1, 0])
            self.assertEqual(f["broken_steps/viterbi"][:].tolist(), [0, 0, 0, 0, 1])

    def test_error_writes_nothing(self):
        self.statepath("decode", "in.h5", "--model", "abc.json", "-o", "out.h5", "--on-infeasible", "error", status=1, stdout="")
        self.assertEqual(self.files(), ["abc.json", "in.h5"])

    def test_existing_output_is_kept(self):
        self.write("out.h5", "precious")
        before = self.read("in.h5")
        self.refuses("decode", "in.h5", "--model", "abc.json", "-o", "out.h5", sentence="out.h5 exists and is kept; --force replaces it")
        self.assertEqual(self.read("out.h5"), b"precious")
        self.statepath("decode", "in.h5", "--model", "abc.json", "-o", "out.h5", "--force", status=3)
        self.assertEqual(self.read("in.h5"), before)
        self.statepath("decode", "in.h5", "--model", "abc.json", "-o", "in.h5", "--force", status=2, stdout="",
                       stderr="statepath: in.h5: is the input file, which is never written to; give the output another name\n")
        self.assertEqual(self.read("in.h5"), before)

    def test_an_empty_file_is_no_output(self):
        self.write("out.h5", "")
        self.write("r.json", "")
        self.statepath("compare", "in.h5", "--model", "abc.json", "-o", "out.h5", "--json", "r.json", status=3)
        self.assertTrue(self.read("r.json").startswith(b"{"))
        self.assertIn("paths/viterbi", self.arrays("out.h5"))

    def test_clamped_labels_that_break_the_model_fail_alone(self):
        """By its matrix, a rule, a duration, a step mask and an impossible score: one recording has no path, the others
        keep their labels."""
        labels = np.array([0, -1, -1, 1, 1, 0, 2, 2, -1, -1, 0, -1, 1, 1, -1])
        probs = np.random.default_rng(0).dirichlet([1] * 3, 15)
        zero, mask = probs.copy(), np.ones((15, 3), bool)
        zero[6], mask[6, 2] = [.5, .5, 0], False
        data = {"labels": labels, "offsets": np.array([0, 5, 10, 15]), "classes": ["a", "b", "c"], "ids": ["r0", "r1", "r2"]}
        self.h5("x.h5", probs=probs, **data)
        self.h5("zero.h5", probs=zero, **data)
        self.h5("mask.h5", probs=probs, mask=mask, **data)
        model = {"statepath_model": 1, "name": "m", "classes": ["a", "b", "c"], "forbid": {}}
        for name, keys in (("matrix", {"forbid": {"a": ["c"]}}), ("rule", {"rules": ["never a c"]}),
                           ("duration", {"durations": {"a": {"min": 2}}, "durations_at_ends": "whole"}), ("free", {})):
            self.write(name + ".json", json.dumps({**model, **keys}))
        for scores, rules in ("x", "matrix"), ("x", "rule"), ("x", "duration"), ("zero", "free"), ("mask", "free"):
            for strategy in "viterbi", "greedy", "mea", "posterior-viterbi":
                done = self.statepath("decode", scores + ".h5", "-m", rules + ".json", "-s", strategy, "--clamp", "-o", "out.h5", "-f", status=3)
                self.assertIn("recording r1 has no allowed path of finite score: no state reaches step 1\n", done.stderr)
                path = self.arrays("out.h5")["paths/" + strategy]
                self.assertEqual(path[5:10].tolist(), [-1] * 5, (scores, rules, strategy))
                kept = np.r_[0:5, 10:15][labels[np.r_[0:5, 10:15]] >= 0]
                self.assertEqual(path[kept].tolist(), labels[kept].tolist(), (scores, rules, strategy))
            self.statepath("compare", scores + ".h5", "-m", rules + ".json", "--clamp", "--json", "r.json", "-f", status=3)
            self.assertEqual(json.loads(self.read("r.json"))["strategies"]["viterbi"]["undecoded"], ["r1"])


st.main()
