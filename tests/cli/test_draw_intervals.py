"""Intervals of figures that `decode --draws` writes, against the same figures of the draws that it writes beside them; and those that `compare --draws`
shows, which are the same."""
import csv
import json
import math
import re

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


class TestCase(st.TestCase):
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


class TestIntervals(TestCase):
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



class TestCompared(TestCase):
    def compare(self, *words, status=0):
        """The intervals of the JSON, by figure; rows of the CSV; the page's section; what stands on the terminal."""
        run = self.statepath("compare", *words, "--json", "r.json", "--csv", "r.csv", "--report", "r.html", "--markdown", "r.md", "-f", status=status)
        with open(self.path("r.json")) as f:
            made = json.load(f)["intervals"]
        with open(self.path("r.csv"), newline="") as f:
            rows = {(row["strategy"], row["recording"], row["metric"]): row for row in csv.DictReader(f) if row["metric"].startswith("drawn_")}
        with open(self.path("r.html"), encoding="utf-8") as f:
            page = f.read()
        with open(self.path("r.md"), encoding="utf-8") as f:
            self.assertIn("### Intervals of figures over paths drawn from the posterior\n", f.read())
        section = page[page.index('id="intervals"'):page.index('id="methods"')]
        return made, {figure["figure"]: figure for figure in made["figures"]}, rows, section, run.stdout

    @staticmethod
    def columns(figure):
        """[N,5] as in /intervals."""
        return np.array([[np.nan if row.get(key) is None else row[key] for key in ("decoded", "low", "high", "defined", "reference")] for row in figure["recordings"]])

    @staticmethod
    def at_least(k, n, p):
        return sum(math.comb(n, i) * p**i * (1 - p)**(n - i) for i in range(k, n + 1))

    def test_the_same_as_decode(self):
        """JSON, CSV and the file of paths have the same numbers, of the path of the strategy that is legal by construction; the coverage is theirs."""
        self.nights(30, 1)
        made, figures, rows, section, said = self.compare("n1.h5", "-m", "sleep-permissive", "--strategies", "argmax,greedy,mea,viterbi", "--draws", "50", "--seed", "3", "-o", "c.h5")
        self.assertEqual({key: made[key] for key in ("strategy", "draws", "seed", "level", "widened")}, {"strategy": "mea", "draws": 50, "seed": 3, "level": 0.95, "widened": False})
        self.statepath("decode", "n1.h5", "-m", "sleep-permissive", "--strategies", "mea", "-o", "d.h5", "--draws", "50", "--seed", "3")
        with h5py.File(self.path("c.h5")) as c, h5py.File(self.path("d.h5")) as d:
            np.testing.assert_array_equal(c["draws"][:], d["draws"][:])
            self.assertEqual(set(figures), set(d["intervals"]))
            for key, figure in figures.items():
                np.testing.assert_array_equal(c["intervals/" + key][:], d["intervals/" + key][:])
                np.testing.assert_array_equal(self.columns(figure), d["intervals/" + key][:])
            of_draws = np.array([[night(path, np.zeros(len(path)))["n3"] for path in d["draws"][:, a:b]] for a, b in zip(d["offsets"][:-1], d["offsets"][1:])])
        np.testing.assert_allclose(self.columns(figures["n3"])[:, 1:3], np.quantile(of_draws, [0.025, 0.975], axis=1).T, rtol=1e-15)
        for key, figure in figures.items():
            decoded, low, high, _, reference = self.columns(figure).T
            known = ~np.isnan(low + reference)
            self.assertEqual((figure["references"], figure["held"]), (known.sum(), ((low <= reference) & (reference <= high))[known].sum()))
            np.testing.assert_allclose(figure["width"], np.nanmean(high - low))
            misses = np.sort(np.maximum(low - reference, reference - high)[known])
            np.testing.assert_allclose(figure["lacking"], max(misses[math.ceil(0.95 * (len(misses) + 1) - 1e-9) - 1], 0))
            k, n, (least, most) = figure["held"], figure["references"], figure["share_interval"]
            self.assertAlmostEqual(figure["share"], k / n)
            self.assertAlmostEqual(self.at_least(k, n, least), 0.025 if k else 1)
            self.assertAlmostEqual(1 - self.at_least(k + 1, n, most), 0.025 if k < n else 1)
            row = rows["mea", "", "drawn_%s_held" % key]
            self.assertEqual([float(row[name]) for name in ("value", "n", "low", "high")], [figure["share"], n, least, most])
            for r, recording in enumerate(figure["recordings"]):
                row = rows["mea", recording["id"], "drawn_" + key]
                expected = [recording[name] for name in ("decoded", "low", "high")] + [recording["reference"]]
                written = [row["value"], row["low"], row["high"], rows["reference", recording["id"], "drawn_" + key]["value"]]
                self.assertEqual([float(text) if text else None for text in written], expected)
            sentence = "The 95 %% intervals of %s hold the reference in %d of %d nights (%.0f %%; exact 95 %% interval %.0f to %.0f %%)" % (
                figure["name"], k, n, 100 * k / n, 100 * least, 100 * most)
            self.assertIn(sentence + (": clearly less often than they say.</p>" if most < 0.95 else ".</p>"), section)
        below = sum(figure["share_interval"][1] < 0.95 for figure in figures.values())
        self.assertGreater(below, 1)
        note = "of %d figures the references lie within clearly less often than that: --widen-by KNOWN.h5, with paths and draws of other labelled nights, makes intervals as wide as they have to be" % below
        self.assertIn(note, section)
        self.assertIn(note, " ".join(said.split()))
        self.assertRegex(said, "REM latency, min +%d +[0-9.]+ +%d of %d " % ((~np.isnan(self.columns(figures["rem_latency"])[:, 1])).sum(), figures["rem_latency"]["held"], figures["rem_latency"]["references"]))

    def test_level_and_defaults(self):
        """Without a seed the draws are those of `decode` without one; the level is that of all intervals."""
        self.nights(6, 2)
        _, narrow, _, section, _ = self.compare("n2.h5", "-m", "sleep-permissive", "--draws", "40", "--level", ".8")
        self.assertIn("The 80 % intervals of total sleep time hold", section)
        self.statepath("decode", "n2.h5", "-m", "sleep-permissive", "-o", "d.h5", "--draws", "40")
        with h5py.File(self.path("d.h5")) as d:
            of_draws = np.array([[(path > 0).sum() / 2 for path in d["draws"][:, a:b]] for a, b in zip(d["offsets"][:-1], d["offsets"][1:])])
        np.testing.assert_allclose(self.columns(narrow["tst"])[:, 1:3], np.quantile(of_draws, [0.1, 0.9], axis=1).T, rtol=1e-15)

    def test_wider(self):
        """By what another model's paths lacked: the same as decode makes of it."""
        self.nights(30, 1)
        self.nights(8, 2)
        self.statepath("decode", "n1.h5", "-m", "sleep-aasm", "-o", "known.h5", "--draws", "50")
        words = ("n2.h5", "-m", "sleep-permissive", "--draws", "50", "--widen-by", "known.h5")
        self.statepath("decode", *words, "-o", "d.h5")
        made, figures, _, section, said = self.compare(*words)
        self.assertTrue(made["widened"])
        with h5py.File(self.path("d.h5")) as d, h5py.File(self.path("known.h5")) as known:
            for key, figure in figures.items():
                np.testing.assert_array_equal(self.columns(figure), d["intervals/" + key][:])
                _, low, high, _, reference = known["intervals/" + key][:].T
                misses = np.sort(np.maximum(low - reference, reference - high)[~np.isnan(low + reference)])
                np.testing.assert_allclose(figure["widening"], max(misses[math.ceil(0.95 * (len(misses) + 1) - 1e-9) - 1], 0))
        self.assertIn("each side was then made wider by what intervals of other, labelled data lacked", section)
        self.statepath("decode", "n2.h5", "-m", "sleep-permissive", "-o", "few.h5", "--draws", "9")
        _, figures, rows, section, _ = self.compare(*words[:-1], "few.h5")
        self.assertEqual(figures["tst"]["widening_undefined"], "too few references to widen by")
        self.assertTrue(all(recording["low"] is None and recording["high"] is None and recording["decoded"] is not None for recording in figures["tst"]["recordings"]))
        self.assertEqual((figures["tst"]["width"], figures["tst"]["references"], figures["tst"]["share"], figures["tst"]["lacking"]), (None, 0, None, None))
        self.assertEqual(rows["viterbi", "0", "drawn_tst"]["low"], "")
        self.assertIn("no night with an interval has a label at every epoch, so how often they hold the reference is not known", section)

    def test_tags_actions_and_one_recording(self):
        rng = np.random.default_rng(6)
        probs, labels = rng.dirichlet([0.7] * 3, 90), np.resize([0, 0, 1, 2], 90)
        self.statepath("model", "new", "bio", "--types", "PER", "-o", "bio.json")
        self.h5("tags.h5", probs=probs, labels=labels, offsets=[0, 40, 90], classes=["O", "B-PER", "I-PER"])
        _, figures, _, section, _ = self.compare("tags.h5", "-m", "bio.json", "--draws", "41")
        self.assertEqual((list(figures), figures["entities"]["references"]), (["entities", "runs"], 2))
        self.assertIn("intervals of entities hold the reference in", section)
        self.write("actions.json", json.dumps({"statepath_model": 1, "name": "a", "classes": ["background", "a", "b"], "matrix": [[1] * 3] * 3}))
        self.h5("one.h5", probs=probs, labels=labels, offsets=[0, 90], classes=["background", "a", "b"])
        _, figures, _, section, said = self.compare("one.h5", "-m", "actions.json", "--draws", "41")
        self.assertEqual((list(figures), figures["runs"]["references"], figures["runs"]["share_interval"], figures["runs"]["share_interval_undefined"]), (["runs"], 1, None, "one recording"))
        self.assertRegex(section, r"hold the reference in [01] of 1 video \((0|100) %\)[.]</p>")
        self.h5("plain.h5", probs=probs, offsets=[0, 90], classes=["background", "a", "b"])
        _, figures, rows, section, said = self.compare("plain.h5", "-m", "actions.json", "--draws", "41")
        self.assertEqual(set(figures["runs"]), {"figure", "name", "width", "recordings"})
        self.assertEqual(set(figures["runs"]["recordings"][0]), {"id", "low", "high", "decoded", "defined"})
        self.assertEqual(list(rows), [("viterbi", "0", "drawn_runs")])
        self.assertNotIn("hold the reference in", section)

    def test_no_path(self):
        probs = np.array([[1.0, 0, 0], [0, 0, 1], [1, 0, 0], [0.5, 0.5, 0]])
        self.statepath("model", "new", "bio", "--types", "PER", "-o", "bio.json")
        self.h5("in.h5", probs=probs, labels=[0, 0, 0, 1], offsets=[0, 2, 4], classes=["O", "B-PER", "I-PER"])
        _, figures, _, section, _ = self.compare("in.h5", "-m", "bio.json", "--draws", "5", status=3)
        self.assertEqual(figures["entities"]["recordings"][0], {"id": "0", "low": None, "high": None, "decoded": None, "defined": 0, "reference": 0})
        self.assertEqual((figures["runs"]["references"], figures["runs"]["recordings"][1]["reference"]), (1, 2))
        self.h5("none.h5", probs=probs[:2], labels=[0, 0], offsets=[0, 2], classes=["O", "B-PER", "I-PER"])
        _, figures, _, section, _ = self.compare("none.h5", "-m", "bio.json", "--draws", "5", status=3)
        self.assertEqual((figures["runs"]["width"], figures["runs"]["references"], figures["runs"]["share_undefined"]), (None, 0, "no reference"))
        self.assertIn("how often they hold the reference is not known", section)

    def test_many_recordings(self):
        """The page shows the first, and says so; the JSON has all."""
        rng = np.random.default_rng(8)
        n = 2000
        self.h5("many.h5", probs=rng.dirichlet([0.5] * 5, 4 * n), labels=rng.integers(0, 5, 4 * n), offsets=np.arange(0, 4 * n + 1, 4), classes=STAGES)
        _, figures, _, section, _ = self.compare("many.h5", "-m", "sleep-permissive", "--draws", "20", "--what-if", "off")
        self.assertEqual(len(figures["tst"]["recordings"]), n)
        self.assertEqual(len(re.findall('<td class="strip">', section)), 15 * 60)
        self.assertIn("The first 60 of 2,000 nights; JSON and CSV list all.", section)
        self.assertLess(len(section[:section.index('id="probabilities"')]), 500000)

    def test_beside_other_classifiers(self):
        """The first classifier's, whatever the others are called."""
        self.nights(6, 2)
        _, alone, *_ = self.compare("n2.h5", "-m", "sleep-aasm", "--draws", "20")
        made, beside, *_ = self.compare("n2.h5", "-m", "sleep-aasm", "--draws", "20", "--against", "old=n2.h5")
        self.assertEqual((alone, made["strategy"]), (beside, "viterbi"))

    def test_what_does_not_go_together(self):
        self.nights(6, 2)
        refuse = lambda *words, sentence, **how: self.refuses("compare", "n2.h5", "-m", "sleep-aasm", "--draws", "9", *words, sentence=sentence, status=2, **how)
        refuse(sentence="--draws give intervals: -o PATHS.h5 (of `compare` also --report, --json or --csv) says where")
        refuse("--json", "r.json", "--strategies", "argmax,greedy",
               sentence="--draws stand beside a path that obeys the rules, and no strategy makes such; --strategies viterbi does")
        refuse("--json", "r.json", "--widen-by", "n2.h5", "--level", ".9",
               sentence="--widen-by does not go with --level: what it knows is how wide intervals of 95 % have to be")
        refuse("--json", "r.json", "--seed", str(2**64), sentence="--seed 18446744073709551616: a whole number from 0 to 18446744073709551615")
        refuse("-o", "p.h5", "--level", ".9", sentence="--draws in p.h5 have intervals of 95 %; leave --level or -o out")
        refuse("-o", "p.csv", sentence="--draws is written in HDF5: -o PATHS.h5, not p.csv")


if __name__ == "__main__":
    st.main()
