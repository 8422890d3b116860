"""The law of labels in files of their own: numbers, words, floats and others' codes, in every layout and
format that can hold labels alone (LABELS of tests/support/formats.py), give what the same labels give
beside the scores.

Cases are drawn so that any two rows meet (formats.drawn()). All go through `compare --labels`; words, and
one recording, also through evaluate, fit, convert and decode. Numbers that could be of the columns or of the model are refused by each, with one sentence."""
import json
import os
import shutil

import formats
import statepath_test as st
from statepath_test import h5py, np

MODEL = ["--model", "sleep-aasm", "--quiet"]
FIT = ["--rules", "sleep-aasm", "--method", "counts", "--tune", "none", "--quiet", "--force", "-o", "m.json"]
KEYS = ("accuracy", "confusion", "illegal", "transitions", "changes", "scored")

# The layouts of labels without scores.
ALONE = {"single", "packed", "packed, lengths", "rows, lengths", "rows, valid", "rows, attention_mask",
         "rows, empty words", "groups", "groups of the root", "groups of names", "folder", "pattern", "folders"}


class TestLabelLaw(st.TestCase):
    def setUp(self):
        super().setUp()
        self.root, self.folder = self.folder, os.path.join(self.folder, "case")
        os.mkdir(self.folder)
        self.kept = {}
        # scores without labels, to which labels are given; the same with them, which say what must come of it
        for name, c in (("all", "labels"), ("one", "one")):
            content = formats.CONTENTS[c]
            formats.write_h5(os.path.join(self.root, name + ".h5"), formats.packed(content).files["x"])
            bare = content._replace(steps={"probs": content.steps["probs"]})
            formats.write_h5(os.path.join(self.root, name + "-bare.h5"), formats.packed(bare).files["x"])

    def written(self, case):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)
        return None if case.layout == "files" else formats.written(case, self.folder, formats.LABELS)

    def each(self, *contents):
        """(case, what is given after --labels, the scores) of each case of these contents that is drawn, which
        is written."""
        for case, given in formats.drawn(formats.LABELS, self.written):
            if case.content in contents:
                yield case, given[0][0], os.path.join(self.root,
                                                      "one" if len(formats.LABELS[case.content].ids) == 1
                                                      else "all")

    def figures(self, *words):
        found = json.loads(self.statepath(*words, *MODEL, "--json", "-").stdout)
        return {name: {key: one[key] for key in KEYS} for name, one in found["strategies"].items()}

    def codes(self, case):
        return ["--codes", "nsrr"] if case.content == "codes" else []

    def wanted(self, door, scores, call):
        """What the file gives that has both; asked once."""
        if (door, scores) not in self.kept:
            self.kept[door, scores] = call()
        return self.kept[door, scores]

    def test_compare(self):
        rows, n_refused = [set(), set(), set()], 0
        for case, labels, scores in self.each(*formats.LABELS):
            given = ["compare", scores + "-bare.h5", "--labels", labels, *self.codes(case), "--strategies",
                     "argmax,viterbi"]
            for of_table, row in zip(rows, case):
                of_table.add(row)
            is_hdf5 = case.format.startswith("h5")
            if case.content == "floats" and case.layout.startswith("rows") and not is_hdf5:
                self.assertIn(" [3, 40], scores by their shape; a label is the number of a class",
                              self.statepath(*given, *MODEL, status=1).stderr)
                n_refused += 1
                continue
            wanted = self.wanted("compare", scores,
                                 lambda: self.figures("compare", scores + ".h5", "--strategies",
                                                      "argmax,viterbi"))
            with self.subTest(case):
                self.assertEqual(self.figures(*given), wanted)
        if not formats.LIGHT:
            self.assertEqual(rows[0], set(formats.LABELS))
            self.assertEqual(rows[1], ALONE)
            self.assertEqual(set(formats.FORMATS) - rows[2], {"mat"} if not formats.scipy else set())
            self.assertGreater(n_refused, 0)

    def fitted(self, *words):
        self.statepath("fit", *words, *FIT)
        return {key: value for key, value in json.loads(self.read("m.json")).items() if key != "source"}

    def test_other_doors(self):
        def decided(file, *more):
            self.statepath("decode", file, "--label-confidence", "0.9", *more, *MODEL, "-o", "d.h5", "-f")
            with h5py.File(self.path("d.h5")) as f:
                return [k for k in f["paths/viterbi"][:].tolist() if k >= 0], f["ids"].asstr()[:].tolist()

        for case, labels, scores in self.each("words", "one"):
            both, bare = scores + ".h5", scores + "-bare.h5"
            with self.subTest(case):
                self.statepath("decode", both, *MODEL, "-o", "p.h5")
                self.assertEqual(self.figures("evaluate", "p.h5", "--labels", labels),
                                 self.wanted("evaluate", scores,
                                             lambda: self.figures("evaluate", "p.h5", "--labels", both)))
                fitted = self.wanted("fit", scores, lambda: self.fitted(both))
                self.assertEqual(self.fitted(bare, "--labels", labels), fitted)
                self.assertEqual(self.fitted(labels), fitted)
                self.statepath("convert", bare, "--labels", labels, *MODEL, "-o", "c.h5")
                c = formats.CONTENTS["one" if scores.endswith("one") else "labels"]
                with h5py.File(self.path("c.h5")) as f:
                    self.assertEqual(f["labels"][:].tolist(), formats.expected(c)["labels"].tolist())
                    self.assertEqual(f["probs"][:].tolist(), formats.expected(c)["probs"].tolist())
                formats.write_h5(self.path("l.h5"),
                                 formats.packed(c._replace(steps={"labels": c.steps["labels"]})).files["x"])
                self.assertEqual(decided(labels), self.wanted("decode", scores, lambda: decided("l.h5")))

    def test_enums(self):
        """Names of an enum are words, in any integer and order, stored in chunks or not; one called
        otherwise is told by a map."""
        c = formats.CONTENTS["one"]
        probs, labels = formats.expected(c)["probs"], formats.expected(c)["labels"]
        order = sorted(formats.CLASSES)
        numbers = np.append([order.index(name) for name in formats.CLASSES], -1)[labels]
        np.save(self.path("n2.npy"), probs)
        wanted = self.figures("compare", os.path.join(self.root, "one.h5"), "--strategies", "argmax,viterbi")
        for base, none in (("i1", -1), (">i8", -1), ("u2", 65535)):
            members = dict({name: k for k, name in enumerate(order)}, **({"?!": none} if none > 0 else {}))
            values, dtype = np.where(numbers < 0, none,
                                     numbers).astype(base), h5py.enum_dtype(members, basetype=base)
            more = ["--map", ",".join("%s=%s" % (n, n) for n in order) + ",?!=unscored"] if none > 0 else []
            for file, place in (("beside.h5", "labels"), ("labels.h5", "labels"), ("groups.h5", "n2/labels")):
                with h5py.File(self.path(file), "w") as f:
                    f.create_dataset(place, data=values, dtype=dtype,
                                     **({"chunks": (20,), "compression": "gzip"} if file == "labels.h5"
                                        else {}))
                    if file != "labels.h5":
                        f[place.replace("labels", "probs")] = probs
            os.replace(self.path("beside.h5"), self.path("n2.h5"))
            for words in (["n2.h5"], ["n2.npy", "--labels", "labels.h5"], ["groups.h5"]):
                self.assertEqual(self.figures("compare", *words, *more, "--strategies", "argmax,viterbi"),
                                 wanted, (base, words))

    def test_paths_and_raters_in_words(self):
        """They are read as labels are."""
        c = formats.CONTENTS["raters"]
        numbers, arrays = formats.packed(c).files["x"], dict(formats.packed(c).files["x"])
        for name in ("labels_A", "labels_B"):
            arrays[name] = np.array(formats.CLASSES)[arrays[name]]
        found = []
        for a in (numbers, arrays):
            formats.write_h5(self.path("x.h5"), a)
            formats.write_h5(self.path("p.h5"),
                             {"paths/mine": a["labels_A"], "labels": a["labels"], "offsets": a["offsets"]})
            done = self.statepath("compare", "x.h5", *MODEL, "--json", "-")
            found.append([json.loads(done.stdout)["scorers"], self.figures("evaluate", "p.h5")])
        self.assertEqual(*found)

    # ---- columns in another order than the model's classes ----

    def test_numbers_are_not_guessed(self):
        """Bare numbers in another file may be columns or classes of the model: refused until it is said
        which; words need not be told."""
        columns = formats.CONTENTS["columns"]
        both, bare = (os.path.join(self.root, name) for name in ("columns.h5", "columns-bare.h5"))
        formats.write_h5(both, formats.packed(columns).files["x"])
        unlabelled = columns._replace(steps={"probs": columns.steps["probs"]})
        formats.write_h5(bare, formats.packed(unlabelled).files["x"])
        wanted = self.figures("compare", both, "--strategies", "argmax")
        for case, labels, scores in self.each("numbers", "words"):
            if scores.endswith("one"):
                continue
            given = ["compare", bare, "--labels", labels, "--strategies", "argmax"]
            if case.content == "words":
                self.assertEqual(self.figures(*given), wanted)
                if case.layout == "packed":
                    said = self.statepath(*given, "-m", "sleep-aasm", "--label-order", "model").stderr
                    self.assertIn("note: --label-order changes nothing: the labels are no bare numbers", said)
                continue
            said = self.statepath(*given, *MODEL, status=1, stdout="").stderr
            self.assertRegex(said, "has numbers of classes and no names.* as the columns' order the labels "
                                   "agree with the best classes of the scores in "
                                   r"0\.\d\d of the steps, as the model's in 0\.\d\d; --label-order columns "
                                   r"or model says which is meant\n$")
            self.assertEqual(self.figures(*given, "--label-order", "model"), wanted)
            if case.layout in ("packed", "folder"):
                self.statepath("decode", bare, *MODEL, "-o", "p.h5")
                for words in (["fit", bare, *FIT], ["evaluate", "p.h5", *MODEL],
                              ["convert", bare, *MODEL, "-o", "c.h5", "-f"]):
                    said = self.statepath(*words, "--labels", labels, status=1, stdout="").stderr
                    self.assertIn("--label-order columns or model says which is meant", said)
                    self.statepath(*words, "--labels", labels, "--label-order", "model")
                with h5py.File(self.path("c.h5")) as f:
                    self.assertEqual(f["labels"][:].tolist(), formats.expected(columns)["labels"].tolist())
        truth = formats.expected(columns)
        np.save(self.path("k.npy"), truth["labels"][:40])
        np.savez(self.path("s.npz"), probs=truth["probs"][:40], classes=columns.whole["classes"])
        right = float(np.mean((truth["probs"].argmax(1) == truth["labels"])[:40][truth["labels"][:40] >= 0]))
        got = self.figures("compare", "s.npz", "--labels", "k.npy", "--label-order", "columns",
                           "--strategies", "argmax")
        self.assertEqual(got["argmax"]["accuracy"], right)
        self.refuses("compare", both, *MODEL, "--label-order", "model", status=2,
                     sentence="--label-order is of labels in a file of their own, --labels FILE: those "
                              "beside the scores are columns")


if __name__ == "__main__":
    st.main()
