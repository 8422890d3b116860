"""Intervals of figures that `decode --draws` writes, against the same figures of the draws that it writes beside them."""
import h5py
import numpy as np

import statepath_test as st

STAGES = ["Wake", "N1", "N2", "N3", "REM"]


def runs(path, segments):
    return 1 + int(((np.diff(path) != 0) | (np.diff(segments) != 0)).sum())


def night(path, segments):
    """Minutes of half a minute a step, as the AASM's manual has them; NaN where there is none."""
    sleep = path > 0
    onset = int(np.argmax(sleep)) if sleep.any() else None
    rem = np.flatnonzero(path == 4)
    return {"tib": len(path) / 2, "tst": sleep.sum() / 2, "sol": onset / 2 if sleep.any() else np.nan, "n3": (path == 3).sum() / 2,
            "rem_latency": (rem[0] - onset) / 2 if len(rem) else np.nan,
            "awakenings": int((sleep[:-1] & ~sleep[1:] & (np.diff(segments) == 0)).sum()), "runs": runs(path, segments)}


class TestIntervals(st.TestCase):
    def check(self, f, offsets, segments, figures_of):
        """Each interval is that of the draws, and of the decoded path."""
        for n, (a, b) in enumerate(zip(offsets[:-1], offsets[1:])):
            of_draws = [figures_of(path, segments[a:b]) for path in f["draws"][:, a:b]]
            of_path = figures_of(f["paths/viterbi"][a:b], segments[a:b])
            for key, value in of_path.items():
                values = np.array([figures[key] for figures in of_draws], float)
                defined = values[~np.isnan(values)]
                ends = np.quantile(defined, [0.025, 0.975]) if len(defined) else [np.nan] * 2
                np.testing.assert_allclose(f["intervals/" + key][n], [value, *ends, len(defined) / len(values)], rtol=1e-12, err_msg="%s of %d" % (key, n))

    def test_nights(self):
        rng = np.random.default_rng(5)
        offsets = np.array([0, 200, 206, 400])
        segments = np.repeat([0, 1, 0, 3, 4], [150, 50, 6, 100, 94])
        truth = np.repeat(np.tile([0, 1, 2, 3, 2, 4], 17), 4)[:400]
        probs = rng.gamma(0.2 + 1.5 * np.eye(5)[truth]) + 1e-6
        probs[200:206, 4] = 1e-12  # hardly any draw of the second has REM
        probs[:, 4] *= 0.02
        self.h5("in.h5", probs=probs / probs.sum(axis=1, keepdims=True), offsets=offsets, segments=segments, classes=STAGES)
        self.statepath("decode", "in.h5", "-m", "sleep-aasm", "-o", "p.h5", "--draws", "60")
        with h5py.File(self.path("p.h5")) as f:
            self.check(f, offsets, segments, night)
            self.assertEqual(len(f["intervals"]), 15)
            self.assertEqual(f["intervals/rem_latency"].shape, (3, 4))
            self.assertTrue(np.isnan(f["intervals/rem_latency"][1, :3]).all() and f["intervals/rem_latency"][1, 3] == 0)
            low, high = f["intervals/tst"][0, 1:3]
            self.assertLess(low, high)
        self.statepath("decode", "in.h5", "-m", "sleep-aasm", "-o", "q.h5", "--draws", "60", "--epoch-seconds", "60")
        with h5py.File(self.path("p.h5")) as f, h5py.File(self.path("q.h5")) as g:
            np.testing.assert_allclose(g["intervals/tst"][:, :3], 2 * f["intervals/tst"][:, :3])

    def test_tags(self):
        rng = np.random.default_rng(6)
        probs = rng.dirichlet([0.7] * 3, 90)
        offsets = np.array([0, 40, 90])
        self.statepath("model", "new", "bio", "--types", "PER", "-o", "bio.json")
        self.h5("in.h5", probs=probs, offsets=offsets, classes=["O", "B-PER", "I-PER"])
        self.statepath("decode", "in.h5", "-m", "bio.json", "-o", "p.h5", "--draws", "41")
        with h5py.File(self.path("p.h5")) as f:
            self.check(f, offsets, np.zeros(90), lambda path, segments: {"entities": int((path == 1).sum()), "runs": runs(path, segments)})
            self.assertEqual(list(f["intervals"]), ["entities", "runs"])

    def test_no_path(self):
        probs = np.array([[1.0, 0, 0], [0, 0, 1], [1, 0, 0], [0.5, 0.5, 0]])
        self.h5("in.h5", probs=probs, offsets=[0, 2, 4], classes=["O", "B-PER", "I-PER"])
        self.statepath("model", "new", "bio", "--types", "PER", "-o", "bio.json")
        self.statepath("decode", "in.h5", "-m", "bio.json", "-o", "p.h5", "--draws", "5", status=3)
        with h5py.File(self.path("p.h5")) as f:
            self.assertTrue(np.isnan(f["intervals/runs"][0, :3]).all())
            self.assertEqual((f["intervals/runs"][0, 3], f["intervals/runs"][1, 3]), (0, 1))


if __name__ == "__main__":
    st.main()
