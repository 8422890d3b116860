"""Parts whose numbers were edited, or whose bytes were changed: one sentence, never a crash, and never other results."""
import json
import os
import random
import subprocess

import part_file
import statepath_test as st

np = st.np
LONG, LIGHT = (bool(os.environ.get("STATEPATH_" + name)) for name in ("LONG", "LIGHT"))
ENVIRONMENT = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", ASAN_OPTIONS="detect_leaks=0")  # HDF5 leaks over damaged files
TAGS, STAGES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"], ["Wake", "N1", "N2", "N3", "REM"]


def edits(numbers):
    """A list with one number changed, with fewer numbers, with more."""
    n, is_whole = len(numbers), numbers.dtype.kind == "i"
    values = [0, -1, 2**40, 2**62, -2**63] if is_whole else [0, -1, np.nan, np.inf, 1e300]
    for at in sorted({0, n // 2, n - 1}) if n else ():
        for value in values:
            edited = numbers.astype("i8" if is_whole else "f8")
            edited[at] = value
            yield "[%d] = %s" % (at, value), edited
    if n:
        yield "without the last", numbers[:-1]
        yield "none", numbers[:0]
    yield "one more", np.append(numbers, numbers[-1:] if n else numbers.dtype.type(1))


class TestDamagedParts(st.TestCase):
    def make(self, name, more=(), classes=STAGES, rules={}, **datasets):
        """P.h5 of five recordings, whose input is gone: the page is drawn from the part."""
        rng = np.random.default_rng(1)
        lengths = rng.integers(12, 40, 5)
        S = int(lengths.sum())
        labels = np.repeat(rng.integers(0, 5, S), 3)[:S].astype("i4")
        scores = rng.normal(0, 1, (S, 5)).astype("f4")
        scores[np.arange(S), labels] += 1.5
        scores[14:17], scores[14, 3], scores[15, 0] = -np.inf, 0, 0
        labels[rng.random(S) < 0.05] = -1
        self.h5("in.h5", scores=scores, labels=labels, offsets=np.append(0, np.cumsum(lengths)), classes=classes,
                subjects=np.array([b"a", b"a", b"b", b"c", b"c"]), **{key: value(rng, S) for key, value in datasets.items()})
        self.write("m.json", json.dumps({"statepath_model": 1, "classes": classes, "forbid": {classes[3]: [classes[0]], classes[0]: [classes[2]]}, **rules}))
        self.statepath("compare", "in.h5", "--model", "m.json", "--on-infeasible", "relax", *more, "--part", "P.h5")
        os.remove(self.path("in.h5"))

    def check_each_list(self):
        """Without a checksum of its own each is refused; with one it is checked number by number."""
        part = part_file.load(self.path("P.h5"))
        for name in part_file.LISTS:
            for i, (what, numbers) in enumerate(edits(part[name])):
                edited = dict(part, **{name: numbers})
                if i == 1:
                    part_file.save(self.path("P.h5"), edited, signed=False)
                    done = self.merge()
                    self.assertEqual((done.returncode, done.stderr), (1, "statepath: P.h5: its checksum is wrong; it is damaged: make it again\n"), (name, what))
                part_file.save(self.path("P.h5"), edited)
                done = self.merge()
                self.assertIn(done.returncode, (0, 1, 3), (name, what, done.stderr))
                said = [line for line in done.stderr.splitlines() if "the page draws paths without" not in line]
                if done.returncode == 1:
                    self.assertEqual(len(said), 1, (name, what, done.stderr))
                    self.assertRegex(said[0], r"^statepath: .*(damaged|another build|leave one of them out|--allow-missing)", (name, what))

    def merge(self):
        words = ["merge", "P.h5", "--report", "r.html", "--json", "r.json", "-o", "r.h5", "--force"]
        return subprocess.run([st.PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)

    def test_relaxed_nights(self):
        self.make("nights", ["--kind", "scores", "--wake-trim", "1"], segments=lambda rng, S: np.arange(S) // 20)
        self.check_each_list()

    def test_durations(self):
        self.make("nights", ["--kind", "scores"], rules={"durations": {STAGES[1]: {"min": 4, "max": 5}, STAGES[3]: {"pmf": [0, 1, 1]}}})
        self.assertGreater(len(part_file.load(self.path("P.h5"))["runs"]), 60)
        self.check_each_list()

    def test_tags(self):
        self.make("tags", ["--kind", "scores", "--scheme", "IOB2"], classes=TAGS)
        self.check_each_list()

    def test_flipped_bytes(self):
        """Whatever byte is changed: the results are the same, or there are none."""
        self.make("nights", ["--kind", "scores"])
        self.statepath("merge", "P.h5", "--json", "r.json", "-o", "r.h5")
        want, part = [self.read(name) for name in ("r.json", "r.h5")], self.read("P.h5")
        rng, n_refused = random.Random(1), 0
        for _ in range(4000 if LONG else 100 if LIGHT else 400):
            at = rng.randrange(len(part))
            with open(self.path("P.h5"), "wb") as f:
                f.write(part[:at] + bytes([part[at] ^ rng.randrange(1, 256)]) + part[at + 1:])
            done = subprocess.run([st.PROGRAM, "merge", "P.h5", "--json", "r.json", "-o", "r.h5", "--force"], cwd=self.folder, capture_output=True,
                                  text=True, timeout=300, env=ENVIRONMENT)
            self.assertIn(done.returncode, (0, 1), (at, done.stderr))
            n_refused += done.returncode
            if done.returncode == 0:
                self.assertTrue([self.read(name) for name in ("r.json", "r.h5")] == want, at)
            else:
                self.assertEqual(done.stderr.count("\n"), 1, (at, done.stderr))
        self.assertGreater(n_refused, 25 if LIGHT else 100)


if __name__ == "__main__":
    st.main()
