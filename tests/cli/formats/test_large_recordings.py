"""A recording is held in memory. One that does not fit is decoded by Viterbi block by block, with the path of the whole; whatever else is asked
says how much it takes, how much there is, and what helps. Files of any size are read in little."""
import json
import os
import resource
import subprocess
import sys

import h5py
import numpy as np

import statepath_test as st

MB = 1_000_000
THERE = 30 * MB  # RLIMIT_DATA
STEPS = 6_000_000
CLASSES = ["a", "b", "c"]
MODEL = {"statepath_model": 1, "name": "line", "classes": CLASSES, "allow": {"a": ["a", "b"], "b": ["a", "b", "c"], "c": ["b", "c"]},
         "min_dwell": {"b": 2}}


class TestLargeRecordings(st.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        random = np.random.default_rng(7)
        cls.scores = np.repeat(random.normal(0, 2, (STEPS // 4, 3)).astype("f2"), 4, axis=0)
        cls.labels = random.integers(-1, 3, STEPS).astype("i1")

    def setUp(self):
        super().setUp()
        self.write("line.json", json.dumps(MODEL))

    def make(self, name, scores=None, **more):
        """One recording before, and one after, the large one."""
        scores = self.scores if scores is None else scores
        few = scores[:5]
        with h5py.File(self.path(name), "w") as f:
            f["scores"] = np.concatenate([few, scores, few])
            f["labels"] = np.concatenate([self.labels[:5], self.labels, self.labels[:5]])
            f["offsets"] = np.cumsum([0, 5, len(scores), 5])
            f["ids"] = ["first", "large", "last"]
            f.attrs["classes"] = CLASSES
            for key, value in more.items():
                f[key] = value

    def within(self, *words, there=THERE):
        """Runs the program where it may take so many bytes."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (there, there))
        return subprocess.run([st.PROGRAM, *words], cwd=self.path("."), preexec_fn=limit, capture_output=True, text=True)

    def same(self, name, model="line.json", *words, status=0, there=THERE):
        """The paths in memory, and block by block: all datasets are the same."""
        command = ("decode", name, "-m", model, *words, "-f")
        self.statepath(*command, "-o", "whole.h5", status=status, stderr=None)
        done = self.within(*command, "-o", "blocks.h5", there=there)
        self.assertEqual(done.returncode, status, done.stderr)
        with h5py.File(self.path("whole.h5")) as a, h5py.File(self.path("blocks.h5")) as b:
            places = []
            a.visititems(lambda place, item: places.append(place) if isinstance(item, h5py.Dataset) else None)
            for place in places:
                if a[place].dtype.kind == "f":
                    np.testing.assert_allclose(a[place][:], b[place][:], rtol=1e-12, err_msg=place)
                else:
                    self.assertTrue(np.array_equal(a[place][:], b[place][:]), place)
        return done

    def test_ten_times_what_there_is(self):
        self.make("in.h5")
        done = self.within("compare", "in.h5", "-m", "line.json")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^statepath: recording large has 6,000,000 steps and takes [0-9]+ MB of memory, and there are [0-9]+ MB; "
                                      r"`?statepath decode`? by viterbi alone, into a file \.h5, holds a part of it at a time, or cut it at gaps into recordings of "
                                      r"their own\n$")
        self.same("in.h5")
        words = ("decode", "in.h5", "-m", "line.json")
        for more in (("-s", "posterior", "-o", "p.h5"), ("-s", "viterbi,argmax", "-o", "p.h5"), ("-o", "p.csv"), ("-o", "p.h5", "--confidence"),
                     ("-o", "p.h5", "--nbest", "2"), ("-o", "p.h5", "--draws", "2"), ("-o", "p.h5", "--on-infeasible", "relax")):
            done = self.within(*words, *more)
            self.assertEqual(done.returncode, 1, more)
            self.assertIn("recording large has 6,000,000 steps and takes ", done.stderr, more)
            self.assertFalse(os.path.exists(self.path(more[1] if more[0] == "-o" else more[3])))
        self.statepath(*words, "-s", "viterbi,argmax", "-o", "two.h5")
        done = self.within("evaluate", "two.h5")
        self.assertIn("recording large has 6,000,000 steps and takes ", done.stderr)

    def test_gaps_and_masks(self):
        segments = np.concatenate([np.zeros(5), np.arange(STEPS) // 100_001, np.zeros(5)]).astype("i4")
        self.make("in.h5", segments=segments)
        self.same("in.h5", "line.json", "--clamp", status=3)
        self.same("in.h5", "line.json", "--temperature", "2")

    def test_without_a_path(self):
        scores = self.scores.copy()
        scores[STEPS // 2] = -np.inf
        self.make("in.h5", scores)
        done = self.same("in.h5", status=3)
        self.assertIn("large has no allowed path of finite score: no state reaches step 3000000", done.stderr)
        with h5py.File(self.path("blocks.h5")) as f:
            self.assertEqual(f["status/viterbi"][:].tolist(), [0, 1, 0])

    def test_undecided_to_the_end(self):
        """Classes that never meet: no step is known before the last."""
        self.write("apart.json", json.dumps({"statepath_model": 1, "name": "apart", "classes": CLASSES, "allow": {c: [c] for c in CLASSES}}))
        self.make("in.h5")
        done = self.within("decode", "in.h5", "-m", "apart.json", "-o", "p.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("recording large has 6,000,000 steps and takes ", done.stderr)
        self.assertFalse(os.path.exists(self.path("p.h5")))

    def test_more_than_any_machine_has(self):
        with h5py.File(self.path("huge.h5"), "w") as f:  # nothing is stored
            f.create_dataset("log_probs", (10**11, 3), "f8", chunks=(1 << 20, 3))
            f.attrs["classes"] = CLASSES
        done = self.statepath("decode", "huge.h5", "-m", "line.json", "--nbest", "2", "-o", "p.h5", status=1)
        self.assertIn("recording huge has 100,000,000,000 steps and takes ", done.stderr)

    def test_many_recordings_in_little(self):
        """A file that is larger than what there is, of recordings that are not."""
        with h5py.File(self.path("many.h5"), "w") as f:
            f["scores"] = np.concatenate([self.scores, self.scores])
            f["offsets"] = np.arange(0, 2 * STEPS + 1, 1000)
            f.attrs["classes"] = CLASSES
        self.same("many.h5", there=64 * MB)


if __name__ == "__main__":
    if os.environ.get("STATEPATH_LIGHT"):
        print("skipped: test_large_recordings: sanitizers take more memory than is left to the program")
        sys.exit(77)
    st.main()
