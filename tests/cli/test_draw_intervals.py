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
    def check(self, f, offsets, segments, figures_of, labels=None):
        """Each interval is that of the draws, and of the decoded path."""
        for n, (a, b) in enumerate(zip(offsets[:-1], offsets[1:])):
            of_draws = [figures_of(path, segments[a:b]) for path in f["draws"][:, a:b]]
            of_path = figures_of(f["paths/viterbi"][a:b], segments[a:b])
            for key, value in of_path.items():
                values = np.array([figures[key] for figures in of_draws], float)
                defined = values[~np.isnan(values)]
                ends = np.quantile(defined, [0.025, 0.975]) if len(defined) else [np.nan] * 2
                np.testing.assert_allclose(f["intervals/" + key][n], [value, *ends, len(defined) / len(values), figures_of(labels[a:b], segments[a:b])[key] if labels is not None else np.nan], rtol=1e-12, err_msg="%s of %d" % (key, n))

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
            self.assertEqual(f["intervals/rem_latency"].shape, (3, 5))
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

    def nights(self, n, seed, labels=True):
        """n nights of which the scores know too little: offsets, labels."""
        rng = np.random.default_rng(seed)
        truth = np.concatenate([np.repeat(rng.integers(0, 5, 20), rng.integers(1, 15, 20)) for _ in range(n)])
        offsets = np.sort(rng.choice(np.arange(1, len(truth)), n - 1, replace=False))
        offsets = np.r_[0, offsets, len(truth)]
        probs = rng.gamma(0.3 + np.eye(5)[truth]) + 1e-5
        known = truth.copy()
        known[offsets[2] + 1] = -1  # a night that is not labelled throughout has no reference
        self.h5("n%d.h5" % seed, probs=probs / probs.sum(axis=1, keepdims=True), offsets=offsets, classes=STAGES, **({"labels": known} if labels else {}))
        return offsets, known

    def test_references_and_wider_intervals(self):
        offsets, labels = self.nights(30, 1)
        said = self.statepath("decode", "n1.h5", "-m", "sleep-permissive", "-o", "a.h5", "--draws", "50").stderr
        self.nights(8, 2, labels=False)
        quiet = self.statepath("decode", "n2.h5", "-m", "sleep-permissive", "-o", "b.h5", "--draws", "50").stderr
        self.assertNotIn("intervals", quiet)
        self.statepath("decode", "n2.h5", "-m", "sleep-permissive", "-o", "c.h5", "--draws", "50", "--widen-by", "a.h5")
        with h5py.File(self.path("a.h5")) as a, h5py.File(self.path("b.h5")) as b, h5py.File(self.path("c.h5")) as c:
            self.assertTrue(np.isnan(a["intervals/tst"][2, 4]) and np.isnan(b["intervals/tst"][:, 4]).all())
            for key in ("tst", "rem_latency", "awakenings", "runs"):
                _, low, high, _, reference = a["intervals/" + key][:].T
                for n in [0, 1, 29]:
                    expected = night(labels[offsets[n]:offsets[n + 1]], np.zeros(offsets[n + 1] - offsets[n]))[key]
                    np.testing.assert_allclose(reference[n], expected)
                misses = np.sort(np.maximum(low - reference, reference - high)[~np.isnan(low + reference)])
                wider = max(misses[int(np.ceil(0.95 * (len(misses) + 1) - 1e-9)) - 1], 0)
                held = "95 %% intervals of %s hold the reference in %d of %d" % (key, (misses <= 0).sum(), len(misses))
                self.assertIn(held + ("; %g wider on each side" % wider if wider else "\n"), " ".join(said.split(" ")))
                np.testing.assert_allclose(c["intervals/" + key][:, 1], np.maximum(b["intervals/" + key][:, 1] - wider, 0))
                np.testing.assert_allclose(c["intervals/" + key][:, 2], b["intervals/" + key][:, 2] + wider)
                np.testing.assert_array_equal(c["intervals/" + key][:, [0, 3]], b["intervals/" + key][:, [0, 3]])

    def test_labels_in_part(self):
        probs = np.full((20, 5), 0.2)
        self.h5("part.h5", probs=probs, labels=np.r_[np.zeros(19, int), -1], offsets=[0, 20], classes=STAGES)
        said = self.statepath("decode", "part.h5", "-m", "sleep-permissive", "-o", "p.h5", "--draws", "9").stderr
        self.assertIn("no recording has a label at every step: what intervals hold is not known\n", said)
        self.assertNotIn("hold the reference", said)

    def test_what_cannot_be_widened(self):
        self.nights(19, 3)
        self.statepath("decode", "n3.h5", "-m", "sleep-permissive", "-o", "few.h5", "--draws", "9")
        said = self.statepath("decode", "n3.h5", "-m", "sleep-permissive", "-o", "p.h5", "--draws", "9", "--widen-by", "few.h5").stderr
        self.assertIn("no intervals of tst: few.h5 has a reference for 18 of the 19 recordings that 95 % needs", said)
        self.assertNotIn("no recording has a label", said)
        other = self.statepath("decode", "n3.h5", "-m", "sleep-aasm", "-o", "o.h5", "--draws", "9", "--widen-by", "few.h5").stderr
        another = "few.h5 was decoded with another model: how wide its intervals must be may not hold here"
        self.assertTrue(another in other and another not in said)
        self.refuses("decode", "n3.h5", "-m", "sleep-permissive", "-o", "few.h5", "-f", "--draws", "9", "--widen-by", "few.h5", status=2,
                     sentence="few.h5: is what intervals are widened by, which is never written to; give the output another name")
        with h5py.File(self.path("p.h5")) as f:
            self.assertTrue(np.isnan(f["intervals/tst"][:, 1:3]).all() and not np.isnan(f["intervals/tst"][:, 0]).any())
        self.statepath("decode", "n3.h5", "-m", "sleep-permissive", "-o", "plain.h5")
        self.h5("old.h5", **{"intervals/tib": np.zeros((3, 4))})
        for file, sentence, status in (("plain.h5", "/intervals/tib", 1), ("missing.h5", "missing.h5", 1),
                                       ("old.h5", "old.h5: dataset /intervals/tib is not [N,5]; `statepath decode` with --draws writes it", 1)):
            said = self.statepath("decode", "n3.h5", "-m", "sleep-permissive", "-o", "q.h5", "--draws", "9", "--widen-by", file, status=status).stderr
            self.assertIn(sentence, said)
        self.refuses("decode", "n3.h5", "-m", "sleep-permissive", "-o", "q.h5", "--widen-by", "few.h5", status=2,
                     sentence="--widen-by says how wide the intervals of draws are: --draws N makes them")

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
