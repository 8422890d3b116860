"""decode of a recording too long for memory: piece by piece, with the answers of `compare`, which reads it whole."""
import json
import os

import h5py
import numpy as np

import statepath_test as st

K = 16
LONG = (64 << 20) // (8 * K) + 7  # the first that is too long, and some
MODEL = {"statepath_model": 1, "name": "ring", "classes": ["c%d" % k for k in range(K)],
         "allow": {"c%d" % k: ["c%d" % k, "c%d" % ((k + 1) % K)] for k in range(K)}}


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
        self.segments = (np.arange(steps) >= 300001).astype(np.int64)

    def make(self, **more):
        self.h5("in.h5", log_probs=self.scores, offsets=self.offsets, ids=["first", "long", "last"], classes=MODEL["classes"],
                labels=self.labels, **more)

    def same_as_whole(self, strategies, status):
        """Decodes by each strategy alone and by compare; the files must agree. Returns what was said by decode."""
        self.statepath("compare", "in.h5", "--model", "ring.json", "--strategies", ",".join(strategies), "-o", "whole.h5", "-f", status=status)
        said = []
        for name in strategies:
            done = self.statepath("decode", "in.h5", "--model", "ring.json", "--strategy", name, "-o", "pieces.h5", "-f",
                                  status=0 if name == "argmax" and status else status)
            said.append(done.stderr)
            with h5py.File(self.path("whole.h5")) as whole, h5py.File(self.path("pieces.h5")) as pieces:
                for place in ("paths/" + name, "status/" + name, "labels", "offsets") + (("segments",) if "segments" in whole else ()):
                    self.assertTrue(np.array_equal(whole[place][:], pieces[place][:]), "%s of %s" % (place, name))
                for a, b in zip(whole["path_scores/" + name][:], pieces["path_scores/" + name][:]):
                    self.assertTrue(a == b or abs(a - b) <= 1e-12 * abs(a), "%s: %r and %r" % (name, a, b))
        return said

    def test_same_as_in_memory(self):
        self.make()
        self.same_as_whole(["viterbi", "greedy", "argmax"], 0)

    def test_with_a_gap(self):
        self.make(segments=self.segments)
        self.same_as_whole(["viterbi", "greedy"], 0)

    def test_no_path(self):
        self.scores[100 + LONG - 5] = -np.inf
        self.scores[100 + LONG - 5, (self.classes[100 + LONG - 5] + 8) % K] = 0
        self.scores[100 + LONG - 6] = -np.inf
        self.scores[100 + LONG - 6, self.classes[100 + LONG - 6]] = 0
        self.make()
        said = self.same_as_whole(["viterbi", "greedy", "argmax"], 3)
        for name, text in zip(("viterbi", "greedy"), said):
            self.assertIn("%s: recording long has no allowed path of finite score: no state reaches step %d\n" % (name, LONG - 5), text)
        self.statepath("decode", "in.h5", "--model", "ring.json", "--on-infeasible", "error", "-o", "none.h5", status=1)
        self.assertFalse(os.path.exists(self.path("none.h5")))

    def test_what_cannot_be_read_is_named_by_its_step(self):
        self.scores[100 + 500000, 3] = np.nan
        self.make()
        done = self.statepath("decode", "in.h5", "--model", "ring.json", "-o", "none.h5", status=1)
        self.assertIn("recording long, step 500000", done.stderr)
        self.labels[100 + 500001] = 99
        self.make()
        done = self.statepath("decode", "in.h5", "--model", "ring.json", "-o", "none.h5", status=1)
        self.assertIn("recording long, step 500001", done.stderr)
        self.assertEqual([f for f in os.listdir(self.folder) if "none" in f], [])

    def test_other_layouts_hold_the_same(self):
        self.offsets = np.array([0, LONG])
        self.scores, self.labels = self.scores[100:100 + LONG], self.labels[100:100 + LONG]
        self.h5("in.h5", log_probs=self.scores[None], lengths=np.array([LONG - 3]), labels=self.labels[None], classes=MODEL["classes"])
        self.same_as_whole(["viterbi"], 0)
        with h5py.File(self.path("in.h5"), "w") as f:
            f.attrs["classes"] = MODEL["classes"]
            for n, part in (("n1", slice(LONG)), ("n2", slice(6000))):
                f.create_dataset("recordings/%s/log_probs" % n, data=self.scores[part], chunks=(5000, K))
            f["recordings/n2/labels"] = self.labels[:6000]
        self.same_as_whole(["viterbi"], 0)


st.main()
