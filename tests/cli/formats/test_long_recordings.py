"""Recordings too long for memory go piece by piece, with the answers of those that are read whole.

STATEPATH_WHOLE_BYTES makes recordings of this test too long: what is decoded with it must be what is decoded without.
"""
import json
import os

import h5py
import numpy as np

import statepath_test as st

K = 16
LONG = 5003
PIECES = {"STATEPATH_WHOLE_BYTES": str(1000 * 8 * K)}  # recordings above 1000 steps; pieces of 500
MODEL = {"statepath_model": 1, "name": "ring", "classes": ["c%d" % k for k in range(K)],
         "allow": {"c%d" % k: ["c%d" % k, "c%d" % ((k + 1) % K)] for k in range(K)}}

TOLERANCE = {"confidence": 1e-5, "path_posteriors": 1e-6, "log_partition": 1e-9}  # float32; of scores that are large
EVERY = ["viterbi", "greedy", "argmax", "posterior", "mea", "posterior-viterbi", "beam:3", "online:20"]


class TestLongRecordings(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("ring.json", json.dumps(MODEL))
        random = np.random.default_rng(3)
        self.offsets = np.array([0, 100, 100 + LONG, 150 + LONG])
        steps = self.offsets[-1]
        self.classes = np.arange(steps) // 7 % K
        self.scores = random.standard_normal((steps, K))
        self.scores[np.arange(steps), self.classes] += 2
        self.scores -= np.log(np.exp(self.scores).sum(1, keepdims=True))
        self.labels = self.classes.copy()
        self.labels[::1000] = -1
        self.segments = (np.arange(steps) >= 2001).astype(np.int64)

    def make(self, **more):
        self.h5("in.h5", log_probs=self.scores, offsets=self.offsets, ids=["first", "long", "last"], classes=MODEL["classes"],
                labels=self.labels, **more)

    def same_as_whole(self, strategies, status, *words):
        """Decodes by each strategy alone, both ways; the files must agree. Returns what was said."""
        said = []
        for name in strategies:
            expected = 0 if name == "argmax" and status else status
            command = ("decode", "in.h5", "--model", "ring.json", "--strategies", name, "-f", *words)
            self.statepath(*command, "-o", "whole.h5", status=expected)
            said.append(self.statepath(*command, "-o", "pieces.h5", status=expected, env=PIECES).stderr)
            with h5py.File(self.path("whole.h5")) as whole, h5py.File(self.path("pieces.h5")) as pieces:
                places = []
                whole.visititems(lambda place, item: places.append(place) if isinstance(item, h5py.Dataset) else None)
                for place in places:
                    a, b = whole[place][:], pieces[place][:]
                    if a.dtype.kind == "f":
                        self.assertTrue(np.allclose(a, b, rtol=TOLERANCE.get(place.split("/")[0], 1e-12), atol=1e-12, equal_nan=True), "%s: %r and %r" % (place, a, b))
                    else:
                        self.assertTrue(np.array_equal(a, b), "%s of %s" % (place, name))
        return said

    def same_reports(self, *words, status=0):
        """compare both ways: every report byte for byte, and the paths."""
        kept = []
        for env in ({}, PIECES):
            self.statepath("compare", "in.h5", "--model", "ring.json", "--json", "r.json", "--csv", "r.csv", "--report", "r.html", "--markdown",
                           "r.md", "-o", "paths.h5", "-f", *words, status=status, env=env)
            kept.append([self.read(name) for name in ("r.json", "r.csv", "r.html", "r.md", "paths.h5")])
        for name, whole, pieces in zip(("json", "csv", "html", "md", "h5"), *kept):
            self.assertEqual(whole, pieces, name) if len(whole) < 100000 else self.assertTrue(whole == pieces, name)

    def test_same_as_in_memory(self):
        self.make()
        self.same_as_whole(["viterbi", "greedy", "argmax"], 0)

    def test_with_a_gap(self):
        self.make(segments=self.segments)
        self.same_as_whole(["viterbi", "greedy"], 0)

    def test_every_strategy(self):
        self.make(segments=self.segments)
        self.same_as_whole(EVERY, 0, "--confidence")

    def test_relaxed(self):
        self.scores[100 + 3000] = -np.inf
        self.scores[100 + 3000, (self.classes[3100] + 8) % K] = 0
        self.scores[100 + 2999] = -np.inf
        self.scores[100 + 2999, self.classes[3099]] = 0
        self.scores[100 + 4500] = -np.inf
        self.make()
        self.same_as_whole(EVERY, 0, "--on-infeasible", "relax")
        self.same_as_whole(["viterbi", "argmax", "greedy"], 0, "--on-infeasible", "relax", "--confidence")
        self.same_as_whole(["viterbi", "greedy"], 3, "--confidence")
        self.same_reports("--on-infeasible", "relax")

    def test_what_needs_all_in_memory_says_so(self):
        self.make()
        for option in ("--nbest", "--draws"):
            done = self.statepath("decode", "in.h5", "--model", "ring.json", option, "2", "-o", "p.h5", "-f", env=PIECES)
            self.assertIn("note: recording long has 5,003 steps, of which %s needs all in memory, at least 0.0 GB; without it memory is "
                          "bounded\n" % option, done.stderr)
        with h5py.File(self.path("huge.h5"), "w") as f:  # nothing is stored
            f.create_dataset("log_probs", (10**11, K), "f8", chunks=(1 << 20, K))
            f.attrs["classes"] = MODEL["classes"]
        done = self.statepath("decode", "huge.h5", "--model", "ring.json", "--nbest", "2", "-o", "p.h5", "-f", status=1)
        self.assertIn("recording huge has 100,000,000,000 steps, of which --nbest needs all in memory, at least 14000.0 GB", done.stderr)

    def test_no_room_for_paths(self):
        self.make()
        done = self.statepath("compare", "in.h5", "--model", "ring.json", env=dict(PIECES, TMPDIR=self.path("none")), status=1)
        self.assertIn("a temporary file in %s for the path of a long recording cannot be made" % self.path("none"), done.stderr)

    def test_compare_says_the_same(self):
        self.make()
        self.same_reports()
        self.make(segments=self.segments, weights=np.random.default_rng(1).random(len(self.labels)))
        self.same_reports("--temperature", "1.3", "--collapse", "low=c0,c1,c2,c3,c4,c5,c6,c7; high=c8,c9,c10,c11,c12,c13,c14,c15")
        self.make(labels_one=np.roll(self.labels, 1), labels_two=np.roll(self.labels, 5))
        self.same_reports("--strategies", "viterbi,argmax")
        self.make(mask=np.random.default_rng(2).random(self.scores.shape) < 0.99)
        self.same_reports("--clamp", status=3)

    def test_evaluate_says_the_same(self):
        beside = dict(labels_one=np.roll(self.labels, 1), labels_two=np.roll(self.labels, 5))
        self.make(segments=self.segments, weights=np.random.default_rng(1).random(len(self.labels)), **beside)
        self.statepath("compare", "in.h5", "--model", "ring.json", "--strategies", "argmax,viterbi", "-o", "paths.h5")
        codes = {"c%d" % k: K - k for k in range(K)}  # others' numbers of the classes
        with h5py.File(self.path("others.h5"), "w") as f:
            f["paths/a"] = np.where(self.labels < 0, 0, self.labels)
            f["offsets"] = self.offsets
            f.attrs["classes"] = ["c%d" % k for k in range(K)]
            f["true"] = np.where(self.labels < 0, -1, K - self.labels)
        everything = ("--json", "r.json", "--csv", "r.csv", "--report", "r.html")
        for words in (("paths.h5",), ("paths.h5", "--labels", "in.h5"),
                      ("others.h5", "--labels", "others.h5:/true", "--model", "ring.json", "--map",
                       ",".join("%d=%s" % (code, name) for name, code in codes.items()))):
            kept = []
            for env in ({}, {"STATEPATH_WHOLE_BYTES": "20000"}):
                self.statepath("evaluate", *words, "-f", *everything, env=env)
                kept.append([self.read(name) for name in everything[1::2]])
            self.assertTrue(kept[0] == kept[1], words)

    def test_compare_without_labels(self):
        self.h5("in.h5", probs=np.exp(self.scores), offsets=self.offsets, classes=MODEL["classes"])
        self.same_reports()

    def test_compare_of_nights(self):
        """Stages, wake that does not count, minimum dwells, subjects."""
        stages = ["Wake", "N1", "N2", "N3", "REM"]
        scores = self.scores[:, :5] - np.log(np.exp(self.scores[:, :5]).sum(1, keepdims=True))
        labels = self.labels // 3 % 6 - 1
        labels[100:500] = labels[4800:5103] = 0
        self.h5("in.h5", log_probs=scores.astype("f4"), offsets=self.offsets, labels=labels, classes=stages, subjects=["a", "b", "a"])
        with open(os.path.join(st.SOURCE, "models", "sleep-strict.model.json"), encoding="utf-8") as f:
            model = json.load(f)
        self.write("ring.json", json.dumps(model))
        self.same_reports("--wake-trim", "30")
        self.write("ring.json", json.dumps(dict(model, min_dwell={"N1": 2, "REM": 3})))
        self.same_reports("--wake-trim", "30", "--strategies", "argmax,greedy,viterbi,posterior")

    def test_no_path(self):
        self.scores[100 + LONG - 5] = -np.inf
        self.scores[100 + LONG - 5, (self.classes[100 + LONG - 5] + 8) % K] = 0
        self.scores[100 + LONG - 6] = -np.inf
        self.scores[100 + LONG - 6, self.classes[100 + LONG - 6]] = 0
        self.make()
        said = self.same_as_whole(["viterbi", "greedy", "argmax"], 3)
        for name, text in zip(("viterbi", "greedy"), said):
            self.assertIn("%s: recording long has no allowed path of finite score: no state reaches step %d\n" % (name, LONG - 5), text)
        self.same_reports(status=3)
        self.statepath("decode", "in.h5", "--model", "ring.json", "--on-infeasible", "error", "-o", "none.h5", status=1, env=PIECES)
        self.assertFalse(os.path.exists(self.path("none.h5")))

    def test_what_cannot_be_read_is_named_by_its_step(self):
        self.scores[100 + 3500, 3] = np.nan
        self.make()
        done = self.statepath("decode", "in.h5", "--model", "ring.json", "-o", "none.h5", status=1, env=PIECES)
        self.assertIn("recording long, step 3500", done.stderr)
        self.labels[100 + 3501] = 99
        self.make()
        done = self.statepath("decode", "in.h5", "--model", "ring.json", "-o", "none.h5", status=1, env=PIECES)
        self.assertIn("recording long, step 3501", done.stderr)
        self.assertEqual([f for f in os.listdir(self.folder) if "none" in f], [])

    def test_other_layouts_hold_the_same(self):
        self.offsets = np.array([0, LONG])
        self.scores, self.labels = self.scores[100:100 + LONG], self.labels[100:100 + LONG]
        self.h5("in.h5", log_probs=self.scores[None], lengths=np.array([LONG - 3]), labels=self.labels[None], classes=MODEL["classes"])
        self.same_as_whole(["viterbi"], 0)
        with h5py.File(self.path("in.h5"), "w") as f:
            f.attrs["classes"] = MODEL["classes"]
            for n, part in (("n1", slice(LONG)), ("n2", slice(600))):
                f.create_dataset("recordings/%s/log_probs" % n, data=self.scores[part], chunks=(300, K))
            f["recordings/n2/labels"] = self.labels[:600]
        self.same_as_whole(["viterbi"], 0)


st.main()
