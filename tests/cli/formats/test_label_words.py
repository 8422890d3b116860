"""Labels of HDF5 that are words: the same results as from their numbers, by names of classes, aliases and codes, in each layout
in which numbers are read."""
import json

import statepath_test as st

np, h5py = st.np, st.h5py
STAGES = ["Wake", "N1", "N2", "N3", "REM"]
OFFSETS = [0, 40, 41, 90]


class TestLabelWords(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        self.probs = rng.dirichlet([0.4] * 5, OFFSETS[-1]).astype("f4")
        self.labels = np.where(rng.random(OFFSETS[-1]) < 0.1, -1, rng.integers(0, 5, OFFSETS[-1]))
        self.want = self.compared(self.labels)

    def compared(self, labels, *options, status=0, where="labels", **more):
        self.h5("in.h5", probs=self.probs, offsets=OFFSETS, classes=STAGES, **{where: labels}, **more)
        done = self.statepath("compare", "in.h5", "-m", "sleep-strict", "--json", "-", "-q", *options, status=status)
        if status:
            return done.stderr
        result = json.loads(done.stdout)
        for key in ("bytes", "labels_path"):
            result["input"].pop(key, None)
        result.pop("command")
        return result

    def words(self, names, unscored=""):
        return [names[k] if k >= 0 else unscored for k in self.labels]

    def test_names_of_classes(self):
        for texts in (self.words(STAGES), self.words(STAGES, "-1"), np.array([w.encode() for w in self.words(STAGES)]),
                      np.array([w.encode() for w in self.words(STAGES, "-1")], "S9")):
            self.assertEqual(self.compared(texts), self.want)

    def test_another_place_and_pieces(self):
        self.assertEqual(self.compared(self.words(STAGES), "--labels", "/said/by", where="said__by"), self.want)
        self.h5("in.h5", probs=self.probs, offsets=OFFSETS, classes=STAGES, labels=self.words(STAGES))
        whole = self.statepath("compare", "in.h5", "-m", "sleep-strict", "--json", "-", "-q").stdout
        pieces = self.statepath("compare", "in.h5", "-m", "sleep-strict", "--json", "-", "-q", env={"STATEPATH_WHOLE_BYTES": "400"}).stdout
        self.assertEqual(json.loads(pieces)["reference"]["transitions"], json.loads(whole)["reference"]["transitions"])

    def test_aliases_and_codes(self):
        self.assertEqual(self.compared(self.words(["W", "N1", "N2", "N3", "R"]))["strategies"], self.want["strategies"])
        letters = self.words(list("abcde"), "?")
        got = self.compared(letters, "--map", "a=Wake,b=N1,c=N2,d=N3,e=REM,?=unscored")
        self.assertEqual(got["strategies"], self.want["strategies"])

    def test_faults(self):
        words = self.words(STAGES)
        words[41] = "N7"
        self.assertIn('in.h5: dataset /labels, recording 2, step 0: label "N7" is no class', self.compared(words, status=1))
        self.assertIn("in.h5: dataset /labels has shape [89], but must have shape [90] to go with /probs", self.compared(words[:-1], status=1))


IDS = ["n10", "n2", "n1"]


def strings(words):
    """As h5py writes them: of variable length, and of fixed length."""
    return np.array(words, object), np.array([w.encode() for w in np.ravel(words)], "S8").reshape(np.shape(words))


class TestLayouts(st.TestCase):
    """Scores in scores.h5; labels, as numbers and as words, beside them or in a file of their own."""

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(5)
        self.probs = rng.dirichlet([0.4] * 5, OFFSETS[-1]).astype("f4")
        self.labels = rng.integers(0, 5, OFFSETS[-1])
        self.labels[[3, 60, 89]] = -1
        self.words = np.array([STAGES[k] if k >= 0 else "-1" for k in self.labels], object)

    def each(self, values):
        return [values[a:b] for a, b in zip(OFFSETS, OFFSETS[1:])]

    def padded(self, values, fill):
        out = np.full((3, 49) + values.shape[1:], fill, values.dtype)
        for row, part in zip(out, self.each(values)):
            row[: len(part)] = part
        return out

    def groups(self, name, scores, labels, of=str):
        with h5py.File(self.path(name), "w") as f:
            f["classes"] = STAGES
            for i, (id, part) in enumerate(zip(IDS, self.each(self.probs))):
                if scores:
                    f[of(f"recordings/{id}/probs")] = part
                if labels is not None and labels[i] is not None:
                    f[of(f"recordings/{id}/labels")] = labels[i]

    def compared(self, file, *options):
        done = self.statepath("compare", file, "-m", "sleep-strict", "--json", "-", "-q", *options)
        return json.loads(done.stdout)["strategies"]

    def same_strategies(self, made, *options, file="in.h5"):
        """made(labels) writes the file(s): words give what numbers give."""
        wants_numbers, wants_words = made
        wants_numbers()
        want = self.compared(file, *options)
        for strategy in want.values():
            self.assertIsNotNone(strategy["accuracy"])
        for write in wants_words:
            write()
            self.assertEqual(self.compared(file, *options), want)

    def test_padded_with_lengths(self):
        def write(labels, **more):
            return lambda: self.h5("in.h5", probs=self.padded(self.probs, 0.2), lengths=np.diff(OFFSETS), classes=STAGES, labels=labels)
        self.same_strategies((write(self.padded(self.labels, -1)), [write(v) for v in strings(self.padded(self.words, ""))]))

    def test_one_group_a_recording(self):
        def write(labels):
            return lambda: self.groups("in.h5", True, labels)
        variable, fixed = strings(self.words)
        self.same_strategies((write(self.each(self.labels)), [write(self.each(variable)), write(self.each(fixed))]))
        missing = [self.each(self.labels)[0], None, self.each(self.labels)[2]]
        words = [self.each(variable)[0], None, self.each(fixed)[2]]
        self.same_strategies((write(missing), [write(words)]))

    def test_labels_by_the_id_of_the_recording(self):
        def write(labels):
            def do():
                self.h5("in.h5", **{f"probs__{id}": p for id, p in zip(IDS, self.each(self.probs))},
                        **{f"labels__{id}": p for id, p in zip(IDS, self.each(labels))})
                with h5py.File(self.path("in.h5"), "r+") as f:
                    f["classes"] = STAGES
            return do
        self.same_strategies((write(self.labels), [write(v) for v in strings(self.words)]), "--scores", "/probs/{id}")

    def alone(self, write, numbers, words):
        """In labels.h5, the scores elsewhere."""
        self.h5("in.h5", probs=self.probs, offsets=OFFSETS, ids=IDS, classes=STAGES)
        self.same_strategies((write(numbers), [write(v) for v in words]), "--labels", "labels.h5")

    def test_packed_alone(self):
        self.alone(lambda v: lambda: self.h5("labels.h5", labels=v, offsets=OFFSETS, ids=IDS), self.labels, strings(self.words))

    def test_padded_alone(self):
        def with_lengths(v):
            return lambda: self.h5("labels.h5", labels=v, lengths=np.diff(OFFSETS), ids=IDS)

        def by_empty_words(v):
            return lambda: self.h5("labels.h5", labels=v, ids=IDS, **({} if v.dtype.kind in "OSU" else {"lengths": np.diff(OFFSETS)}))
        numbers, words = self.padded(self.labels, -1), strings(self.padded(self.words, ""))
        self.alone(with_lengths, numbers, words)
        self.alone(by_empty_words, numbers, words)

    def test_groups_alone(self):
        def write(values):
            return lambda: self.groups("labels.h5", False, self.each(values))
        self.alone(write, self.labels, strings(self.words))

    def test_single_alone(self):
        def write(values):
            return lambda: self.h5("labels.h5", labels=values)
        self.h5("in.h5", probs=self.probs, classes=STAGES)
        self.same_strategies((write(self.labels), [write(v) for v in strings(self.words)]), "--labels", "labels.h5")

    def test_paths_and_scorers(self):
        def paths(values):
            return lambda: self.h5("in.h5", paths__mine=values, labels=self.labels, offsets=OFFSETS, ids=IDS, classes=STAGES)

        def judged():
            return json.loads(self.statepath("evaluate", "in.h5", "-m", "sleep-strict", "--json", "-", "-q").stdout)["strategies"]
        numbers = np.where(self.labels < 0, 0, self.labels)[::-1]
        paths(numbers)()
        want = judged()
        for values in strings(np.array([STAGES[k] for k in numbers], object)):
            paths(values)()
            self.assertEqual(judged(), want)
        other = np.where(self.labels < 0, 1, self.labels)

        def scorers(values):
            return lambda: self.h5("in.h5", probs=self.probs, labels=self.labels, labels_b=values, offsets=OFFSETS, classes=STAGES)

        def agreed():
            return json.loads(self.statepath("compare", "in.h5", "-m", "sleep-strict", "--json", "-", "-q").stdout)["scorers"]
        scorers(other)()
        want = agreed()
        for values in strings(np.array([STAGES[k] for k in other], object)):
            scorers(values)()
            self.assertEqual(agreed(), want)

    def refused(self, file, *options):
        return self.statepath("compare", file, "-m", "sleep-strict", "-q", *options, status=1).stderr

    def test_unknown_words_are_named_with_their_place(self):
        words = self.words.copy()
        words[41] = "N7"
        says = 'recording %s, step 0: label "N7" is no class; write one of Wake, N1, N2, N3, REM'
        self.h5("in.h5", probs=self.padded(self.probs, 0.2), lengths=np.diff(OFFSETS), ids=IDS, classes=STAGES,
                labels=self.padded(words, ""))
        self.assertIn("in.h5: dataset /labels, " + says % "n1", self.refused("in.h5"))
        self.groups("in.h5", True, self.each(words))
        self.assertIn("in.h5: dataset /recordings/n1/labels, " + says % "n1", self.refused("in.h5"))
        self.groups("labels.h5", False, self.each(words))
        self.groups("in.h5", True, None)
        self.assertIn("labels.h5: dataset /recordings/n1/labels, " + says % "n1", self.refused("in.h5", "--labels", "labels.h5"))

    def test_shapes_that_do_not_fit(self):
        self.h5("in.h5", probs=self.padded(self.probs, 0.2), lengths=np.diff(OFFSETS), classes=STAGES, labels=self.words)
        self.assertIn("in.h5: dataset /labels has shape [90], but must have shape [3, 49] to go with /probs", self.refused("in.h5"))
        each = self.each(self.words)
        self.groups("in.h5", True, [each[0], each[1], each[2][1:]])
        self.assertIn("in.h5: dataset /recordings/n1/labels has shape [48], but must have shape [49]", self.refused("in.h5"))
        self.groups("in.h5", True, [self.each(self.labels)[0], each[1], each[2]])
        self.assertIn("in.h5: dataset /recordings/n10/labels holds no text, but recording n1 has labels that are words; write all as "
                      "words, or all as numbers", self.refused("in.h5"))
        self.groups("in.h5", True, [each[0], each[1], self.each(self.labels)[2]])
        self.assertIn("in.h5: dataset /recordings/n2/labels holds text, which cannot be read as numbers here", self.refused("in.h5"))


if __name__ == "__main__":
    st.main()
