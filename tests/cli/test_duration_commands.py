"""Durations from the command line: in steps and in time, the same model for every command, and what is said where they do not fit."""
import json

import h5py
import numpy as np

import statepath_test as st

LOGITS = np.random.default_rng(3).normal(size=(200, 3)) * 1.5


def runs(path):
    """(class, length) of each run."""
    edges = np.flatnonzero(np.diff(path)) + 1
    return [(int(path[a]), int(b - a)) for a, b in zip([0, *edges], [*edges, len(path)])]


class TestDurations(st.TestCase):
    def setUp(self):
        super().setUp()
        np.save(self.path("x.npy"), LOGITS - np.log(np.exp(LOGITS).sum(1, keepdims=True)))
        with h5py.File(self.path("x.h5"), "w") as f:
            f["r/logits"] = LOGITS
            f.attrs["epoch_seconds"] = 30.0
            f.attrs["classes"] = ["a", "b", "c"]

    def model(self, name, **keys):
        self.write(name, json.dumps({"statepath_model": 1, "name": "m", "classes": ["a", "b", "c"], "forbid": {}, **keys}))
        return name

    def decode(self, model, *arguments, file="x.npy", strategy="viterbi"):
        self.statepath("decode", file, "-m", model, "-s", strategy, "-o", "out.h5", "-f", "-q", *arguments, stdout="", stderr="")
        with h5py.File(self.path("out.h5")) as f:
            found = []
            f.visititems(lambda name, item: found.append(item[:]) if isinstance(item, h5py.Dataset) and item.shape == (200,) else None)
        return found[0]

    def test_lengths_are_kept(self):
        model = self.model("m.json", durations={"a": {"min": 3, "max": 6}, "b": {"pmf": [0, 0, 0, 1]}, "c": {"min": 2}})
        for strategy in ("greedy", "beam:40", "viterbi", "mea", "posterior-viterbi", "online:6"):
            found = runs(self.decode(model, "--on-infeasible", "report", strategy=strategy))
            self.assertGreater(len(found), 10)
            for k, length in found[1:-1]:
                self.assertTrue({0: 3 <= length <= 6, 1: length == 4, 2: length >= 2}[k], (strategy, k, length))
            for k, length in (found[0], found[-1]):
                self.assertLessEqual(length, {0: 6, 1: 4, 2: 200}[k])

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


st.main()
