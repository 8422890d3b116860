"""Subjects: found in the file or named by --groups, they are the clusters of the bootstrap, the units of the tests and never parted between
folds. Expected values are formed here from the JSON's own recordings."""
import json

import h5py
import numpy as np
import statepath_test as st

CLASSES = ["a", "b", "c"]
SUBJECT = ["ann", "bob", "ann", "cy", "bob", "dee", "ann", "dee"]


def make(n=8, seed=5):
    rng = np.random.default_rng(seed)
    probs, labels, lengths = [], [], rng.integers(20, 60, n)
    for length in lengths:
        y = np.repeat(rng.integers(0, 3, length), 4)[:length]
        p = rng.dirichlet(np.ones(3), length) + 0.8 * np.eye(3)[y] * rng.random((length, 1))
        probs.append(p / p.sum(1, keepdims=True))
        labels.append(y)
    return {"probs": np.concatenate(probs).astype("f4"), "labels": np.concatenate(labels), "classes": CLASSES,
            "offsets": np.concatenate([[0], np.cumsum(lengths)]), "ids": ["%s_%d" % (s, i) for i, s in enumerate(SUBJECT[:n])]}


class TestSubjects(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": CLASSES, "forbid": {"a": ["c"]}}))
        self.data = make()
        self.h5("plain.h5", **self.data)
        self.h5("subjects.h5", subjects=SUBJECT, **self.data)
        self.h5("numbers.h5", who=[3, 9, 3, 4, 9, 1, 3, 1], **self.data)
        offsets = self.data["offsets"]
        with h5py.File(self.path("groups.h5"), "w") as f:
            f["classes"] = CLASSES
            for i, name in enumerate(self.data["ids"]):
                g = f.create_group("recordings/n%d" % i)
                g["probs"] = self.data["probs"][offsets[i]:offsets[i + 1]]
                g["labels"] = self.data["labels"][offsets[i]:offsets[i + 1]]
                g.attrs["subject"] = SUBJECT[i]
                g["person"] = name.split("_")[0]

    def compare(self, file, *options):
        return json.loads(self.statepath("compare", file, "--model", "m.json", "--json", "-", *options).stdout)

    def test_the_bootstrap_draws_subjects(self):
        """One recording a subject, each the sum of a subject's: the interval must be the same. The rows are put together here."""
        order = sorted(range(8), key=lambda i: (SUBJECT.index(SUBJECT[i]), i))
        offsets = self.data["offsets"]
        parts = [np.arange(offsets[i], offsets[i + 1]) for i in order]
        segments = np.repeat(np.arange(8), [len(p) for p in parts])
        index = np.concatenate(parts)
        ends = np.cumsum([sum(len(parts[j]) for j in range(8) if SUBJECT[order[j]] == s) for s in ("ann", "bob", "cy", "dee")])
        self.h5("joined.h5", probs=self.data["probs"][index], labels=self.data["labels"][index], segments=segments, classes=CLASSES,
                offsets=np.concatenate([[0], ends]), ids=["ann", "bob", "cy", "dee"])
        together, joined = self.compare("subjects.h5"), self.compare("joined.h5")
        checked = 0
        for a, b in zip(together["comparisons"], joined["comparisons"]):
            self.assertEqual(a["metric"], b["metric"])
            self.assertEqual(a["ci"], b["ci"])
            checked += a["ci"] is not None
        self.assertGreater(checked, 4)
        self.assertEqual(together["strategies"]["argmax"]["illegal_rate_ci"], joined["strategies"]["argmax"]["illegal_rate_ci"])

    def test_every_way_to_say_it(self):
        def strip(r):
            return [{k: v for k, v in c.items()} for c in r["comparisons"]]
        expected = strip(self.compare("subjects.h5"))
        for file, options, place in [("plain.h5", ["--groups", "prefix:_"], "ids up to the first '_'"),
                                     ("numbers.h5", ["--groups", "/who"], "dataset /who"), ("numbers.h5", ["--groups", "who"], "dataset /who"),
                                     ("groups.h5", [], "subject of each recording"),
                                     ("groups.h5", ["--groups", "person"], "person of each recording"),
                                     ("groups.h5", ["--groups", "/recordings/{id}/person"], "/recordings/{id}/person of each recording")]:
            result = self.compare(file, *options)
            self.assertEqual(strip(result), expected, (file, options))
            self.assertEqual(result["input"]["subjects_from"], place)
        alone = self.compare("subjects.h5", "--groups", "none")
        self.assertNotIn("subjects", alone["input"])
        self.assertEqual(alone["comparisons"][0]["unit"], "recording")
        self.assertEqual(alone["comparisons"], self.compare("plain.h5")["comparisons"])

    def test_paths_keep_them(self):
        expected = self.compare("subjects.h5", "-o", "p.h5")["comparisons"]
        with h5py.File(self.path("p.h5")) as f:
            self.assertEqual([s.decode() for s in f["subjects"]], SUBJECT)
        for options in ([], ["--labels", "subjects.h5"], ["--groups", "prefix:_"], ["--labels", "plain.h5"]):
            result = json.loads(self.statepath("evaluate", "p.h5", "--json", "-", *options).stdout)
            self.assertEqual([c["ci"] for c in result["comparisons"][:3]], [c["ci"] for c in expected[:3]], options)
            self.assertEqual(result["comparisons"][0]["unit"], "subject")

    def test_said_in_words(self):
        result = self.compare("subjects.h5")
        self.assertEqual((result["input"]["subjects"], result["input"]["subjects_from"]), (4, "dataset /subjects"))
        self.assertEqual([r["subject"] for r in result["strategies"]["argmax"]["per_recording"]], SUBJECT)
        self.assertEqual({(pair["unit"], pair["n"]) for pair in result["comparisons"]}, {("subject", 4)})
        said = self.statepath("compare", "subjects.h5", "--model", "m.json").stdout
        self.assertTrue(said.startswith("subjects.h5: 4 subjects, 8 recordings, "), said)
        self.assertIn("Intervals and tests are over 4 subjects (dataset /subjects)", said)
        self.assertIn("Only 4 subjects: neither intervals nor p say much", said)
        self.assertIn("bootstrap over subjects; p: Wilcoxon signed rank", said)
        self.assertIn("paired over subjects", said)
        said = self.statepath("compare", "plain.h5", "--model", "m.json").stdout
        self.assertNotIn("subject", said)
        self.assertNotIn("neither intervals nor p", said)

    def test_one_subject_has_no_interval(self):
        self.h5("one.h5", subjects=["x"] * 8, **self.data)
        result = self.compare("one.h5")
        for pair in result["comparisons"]:
            self.assertIsNone(pair["ci"])
            self.assertEqual(pair["ci_undefined"], "one subject")
        self.assertEqual(result["comparisons"][0]["sd_undefined"], "one subject")
        self.assertIn("One subject: differences have no interval", self.statepath("compare", "one.h5", "--model", "m.json").stdout)

    def test_folds_keep_them_together(self):
        by_id = self.compare("plain.h5", "--groups", "prefix:_", "--cv", "3")["strategies"]["viterbi"]["per_recording"]
        found = self.compare("subjects.h5", "--cv", "3")["strategies"]["viterbi"]["per_recording"]
        self.assertEqual([r["correct"] for r in by_id], [r["correct"] for r in found])
        self.refuses("compare", "subjects.h5", "--model", "m.json", "--cv", "5", status=2,
                     sentence="4 recordings that are not to be parted (groups) cannot be shared out into 5 folds; ask for at most 4")
        self.statepath("compare", "subjects.h5", "--model", "m.json", "--cv", "5", "--groups", "none")

    def test_wrong_use(self):
        self.h5("short.h5", subjects=SUBJECT[:5], **self.data)
        self.h5("empty.h5", subjects=["", *SUBJECT[1:]], **self.data)
        with h5py.File(self.path("groups.h5"), "a") as f:
            del f["recordings/n3"].attrs["subject"]
        nameless = {k: v for k, v in self.data.items() if k != "ids"}
        self.h5("nameless.h5", **nameless)
        for arguments, status, sentence in [
            (["short.h5"], 1, "short.h5: dataset /subjects names the subjects of 5 recordings, but there are 8; write one for each, or "
                              "leave them aside with --groups none"),
            (["empty.h5"], 1, "empty.h5: dataset /subjects: the subject of recording ann_0 has no name; give it one, or leave them aside "
                              "with --groups none"),
            (["groups.h5"], 1, "groups.h5: recording n3 has no attribute or dataset subject that names its subject; write it for every "
                               "recording, or leave subjects aside with --groups none"),
            (["plain.h5", "--groups", "people"], 1,
             "plain.h5: there is no dataset /people; --groups names the dataset of the subjects"),
            (["plain.h5", "--groups", "prefix:"], 2,
             "--groups prefix:: write prefix:C with one character C; recordings whose ids are equal up to the first C then belong together, "
             "for example --groups prefix:_ for s1_00, s1_01"),
            (["nameless.h5", "--groups", "prefix:_"], 2,
             "--groups prefix:_: the recordings of nameless.h5 have no ids; --ids PATH says where they are"),
        ]:
            self.refuses("compare", arguments[0], "--model", "m.json", *arguments[1:], status=status, sentence=sentence)
        self.write("p.csv", "recording,step,label\nx_1,0,a\nx_2,0,b\n")
        self.refuses("evaluate", "p.csv", "--model", "m.json", "--groups", "people", status=2,
                     sentence="--groups people: p.csv has nothing beside its steps but the recordings' names; write prefix:C, for example "
                              "--groups prefix:_ for s1_00, s1_01")


st.main()
