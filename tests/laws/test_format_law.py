"""The law of formats: the same recordings, in every layout and every format (tests/support/formats.py),
through every door.

Each door says of a file what it says of the plainest one, packed in HDF5; and that is what numpy says. Cases
are drawn so that any two rows meet (formats.drawn()). All go through `compare`, which reads everything; those
of the contents in DOORS also through inspect, decode, fit, convert and evaluate, which read no other way.
What `convert` and `decode` write is read back.
The Python package and the library have the same law in tests/python/test_format_law.py and test_reading.c;
files of labels alone have theirs in test_label_law.py.
"""
import csv
import json
import os
import re
import shutil

import formats
import statepath_test as st
from statepath_test import h5py, np

MODEL = ["--model", "sleep-aasm", "--quiet"]
DOORS = ("labels", "one", "segments")
FIT = ["--rules", "sleep-aasm", "--method", "counts", "--tune", "none", "--quiet", "--force"]
# Of a result: what names the input and not the recordings in it.
NAMES = ("file", "bytes", "files", "labels_file", "labels_path", "subjects_from")
TYPES = ("i1", "<i2", ">i2", "i4", ">i8", "u1", "u2", ">u4", "u8", "f4", "f8", ">f2")


def words(options):
    return [word for name, value in options.items() for word in ("--" + name, value)]


def figures(report):
    """Those of a report's strategies that need neither scores nor names."""
    keys = ("accuracy", "confusion", "illegal", "transitions", "changes", "scored")
    return {name: {key: one[key] for key in keys} for name, one in report["strategies"].items()}


class TestFormatLaw(st.TestCase):
    def setUp(self):
        super().setUp()
        self.root = self.folder
        self.references = {}

    def reference(self, content):
        if content not in self.references:
            self.references[content] = formats.reference(content, self.root)
        return [self.references[content]], {}

    def here(self):
        """An empty folder for a case."""
        self.folder = os.path.join(self.root, "case")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)

    # ---- doors: each gives what is compared ----

    def compare(self, names, options):
        found = json.loads(self.statepath("compare", *names, *words(options), *MODEL, "--strategies",
                                          "argmax,viterbi", "--json", "-").stdout)
        del found["command"]
        for key in NAMES:
            found["input"].pop(key, None)
        return found

    def inspect(self, names, options):
        said = self.statepath("inspect", *names, *words(options), "--model", "sleep-aasm").stdout
        rows = dict(re.findall(r"(?m)^(\w[\w ]*?)  +(.*)$", said))
        rows["labels"] = re.findall(r" ([\d,]+)\b(?!:)", rows.get("labels", ""))
        return {key: rows.get(key) for key in ("recordings", "steps", "labels", "validity")}

    def decode(self, names, options):
        """(recording, class) of each step that takes part."""
        self.statepath("decode", *names, *words(options), *MODEL, "-o", "paths.csv", "--force")
        with open(self.path("paths.csv"), encoding="utf-8") as f:
            return [(row["recording"], row["label"]) for row in csv.DictReader(f) if row["label"] != "-1"]

    def fit(self, names, options):
        self.statepath("fit", *names, *words(options), *FIT, "-o", "model.json")
        with open(self.path("model.json"), encoding="utf-8") as f:
            return {key: value for key, value in json.load(f).items() if key != "source"}

    def convert(self, names, options):
        self.statepath("convert", *names, *words(options), *MODEL, "-o", "converted.h5", "--force")
        with h5py.File(self.path("converted.h5")) as f:
            found = {name: (f[name].asstr()[:] if name in ("ids",
                                                           "classes") else f[name][:]).tolist() for name in f}
        if "segments" in found:  # of any numbers: where one begins
            found["segments"] = np.flatnonzero(np.diff(found["segments"])).tolist()
        return found

    def evaluate(self, names, options):
        """The paths of the reference against the labels of these files."""
        self.statepath("decode", *self.reference("labels")[0], *MODEL, "-o", "p.h5", "--force")
        self.statepath("evaluate", "p.h5", "--labels", *names, *MODEL, "--json", "e.json", "--force")
        with open(self.path("e.json"), encoding="utf-8") as f:
            return json.load(f)["strategies"]

    def same(self, got, wanted, what):
        """Equal; of a dictionary the first key that is not is told."""
        if isinstance(wanted, dict) and isinstance(got, dict):
            self.assertEqual(sorted(got), sorted(wanted), what)
            for key in wanted:
                self.same(got[key], wanted[key], what + ": " + key)
        self.assertEqual(got, wanted, what)

    # ---- the law ----

    def test_references(self):
        """What numpy says of the recordings, of the plainest file."""
        for name, c in formats.CONTENTS.items():
            truth = formats.expected(c)
            scores, labels = truth[formats.kind_of(c)], truth.get("labels")
            found = self.compare(*self.reference(name))
            self.assertEqual((found["input"]["recordings"], found["input"]["steps"]),
                             (len(c.ids), len(scores)))
            allowed = np.where(truth["mask"], scores, -1) if "mask" in truth else scores
            if labels is not None:
                right = (allowed.astype("f4").argmax(1) == labels)[labels >= 0]
                self.assertEqual(found["input"]["scored_steps"], len(right))
                self.assertEqual(found["strategies"]["argmax"]["accuracy"], right.mean(), name)
        self.assertEqual(self.compare(*self.reference("subjects"))["input"]["subjects"], 2)
        self.assertEqual(self.compare(*self.reference("seconds"))["input"]["epoch_seconds"], 20)

    def test_contents_agree(self):
        """Names of the classes, words, other names of the recordings: no other figures. Columns in another
        order: the same, turned."""
        plain = self.compare(*self.reference("labels"))
        for other in ("names", "words", "numbered"):
            found = self.compare(*self.reference(other))
            for name in ("argmax", "viterbi"):
                self.same(figures(found)[name], figures(plain)[name], other)
            self.assertEqual((found["nll"], found["comparisons"]), (plain["nll"], plain["comparisons"]))
        turned = self.compare(*self.reference("columns"))["strategies"]["viterbi"]
        self.assertEqual(turned["accuracy"], plain["strategies"]["viterbi"]["accuracy"])
        confusion = np.array(plain["strategies"]["viterbi"]["confusion"])
        self.assertEqual(turned["confusion"], confusion[np.ix_(formats.TURNED, formats.TURNED)].tolist())

    def written(self, case):
        self.here()
        return formats.written(case, self.folder)

    def doors(self, case, given):
        doors = ["compare"]
        if case.content in DOORS and not ("holes" in case.layout and "csv" in case.format):
            doors += ["decode", "fit", "convert"] + ["inspect"] * ("apart" not in case.layout)
            doors += ["evaluate"] * (not given[1] and len(given[0]) == 1 and case.content == "labels")
        return doors

    def test_every_door(self):
        wanted, rows = {}, [set(), set(), set()]
        for case, given in formats.drawn(formats.CONTENTS, self.written):
            with self.subTest(case):
                for door in self.doors(case, given):
                    if (case.content, door) not in wanted:
                        wanted[case.content, door] = getattr(self, door)(*self.reference(case.content))
                    self.same(getattr(self, door)(*given), wanted[case.content, door],
                              "%s: %s" % (door, ": ".join(case)))
            for of_table, row in zip(rows, case):
                of_table.add(row)
        if not formats.LIGHT:  # "rows, empty words" and txt are of labels alone
            self.assertEqual(rows[0], set(formats.CONTENTS))
            self.assertEqual(set(formats.LAYOUTS) - rows[1], {"rows, empty words"})
            self.assertEqual(set(formats.FORMATS) - rows[2], {"txt"} | ({"mat"} if not formats.scipy else set()))
            self.assertEqual({door for content, door in wanted if content == "labels"},
                             {"compare", "decode", "fit", "convert", "inspect", "evaluate"})

    def test_types(self):
        """Numbers of every type mean the same in HDF5 and .npz."""
        c = formats.content("probs", "labels", "segments", "weights", "mask", ids=["n2"])
        arrays = formats.single(c).files["n2"]
        arrays["labels"] = np.maximum(arrays["labels"], 0)
        found = []
        for kind in TYPES:
            stored = {name: a if name == "probs" else a.astype(kind) for name, a in arrays.items()}
            for ending in ("h5", "npz"):
                self.here()
                (formats.write_h5 if ending == "h5"
                 else formats.FORMATS["npz"][1])(self.path("n2." + ending), stored)
                found.append(self.compare(["n2." + ending], {}))
                self.same(found[-1], found[0], kind + " in " + ending)

    def test_scores_of_every_type(self):
        """What converts to the same numbers is read as them: float16 and float32 as float32, of either
        byte order."""
        c = formats.content("labels", log_probs=lambda n: np.log(formats.MADE["probs"][n]).astype("f2"),
                            ids=["n2"])
        arrays = formats.single(c).files["n2"]
        found = []
        for kind in ("<f2", ">f2", "<f4", ">f4"):
            for ending in ("h5", "npz", "npy"):
                self.here()
                stored = dict(arrays, log_probs=arrays["log_probs"].astype(kind))
                if ending == "npy":
                    del stored["labels"]
                {"h5": formats.write_h5, "npz": formats.FORMATS["npz"][1],
                 "npy": formats.write_npy}[ending](self.path("n2." + ending), stored)
                found.append(self.compare(["n2." + ending],
                                          {})["strategies"] if ending != "npy"
                                          else self.decode(["n2.npy"], {}))
                self.same(found[-1], found[2 * (ending == "npy")], kind + " in " + ending)

    # ---- what is written is read back ----

    def test_paths_are_read_back(self):
        """Paths of two strategies, of one; of recordings with segments, with holes, of one recording: in
        every format they have the figures of the run itself, by labels beside them or in the file of the
        scores, and are the same decided classes."""
        for content, layout in (("segments", "packed"), ("labels", "rows, holes, -100"), ("one", "single")):
            self.here()
            names, options = formats.written(formats.Case(content, layout, "npz"), self.folder)
            given, labels = [*names, *words(options), *MODEL], ["--labels", *names, *words(options)]
            for ending in ("h5", "npz"):
                self.statepath("compare", *given, "--strategies", "argmax,viterbi", "-o", "both." + ending,
                               "--json", "r.json", "-f")
                with open(self.path("r.json"), encoding="utf-8") as f:
                    run = figures(json.load(f))
                for more in ([], labels):
                    self.same(self.judged("both." + ending, *more), run, "%s %s %s" % (content, ending, more))
            decided = None
            for ending in ("h5", "hdf5", "he5", "H5", "npz", "csv", "tsv") + ("npy",) * (content == "one"):
                file = "viterbi." + ending
                self.statepath("decode", *given, "-o", file, "-f")
                if content != "segments" or ending[0] in "hHn":  # tables keep no segments
                    self.same(self.judged(file, *labels), {"viterbi": run["viterbi"]},
                              "%s %s" % (content, ending))
                if not options:  # a table does not say which steps are holes, and which have no label
                    self.statepath("decode", file, "--label-confidence", "0.9", *MODEL, "-o", "decided.npz",
                                   "-f")
                    found = np.load(self.path("decided.npz"))["paths/viterbi"].tolist()
                    decided = decided or found
                    self.assertEqual(found, decided, (content, ending))

    def judged(self, file, *more):
        return figures(json.loads(self.statepath("evaluate", file, *more, *MODEL, "--json", "-").stdout))

    def test_paths_of_others(self):
        """A dataset, a group of them (each is a strategy), rows with lengths, a dataset a recording, many
        classes: said by --paths."""
        truth = formats.expected(formats.CONTENTS["labels"])["labels"]
        said = np.roll(np.maximum(truth, 0), 1)
        right, other = (float(np.mean((p == truth)[truth >= 0])) for p in (said, np.maximum(truth, 0)))
        packed = {"offsets": [0, 40, 65, 96], "ids": list(formats.LENGTHS), "labels": truth}
        parts = dict(zip(formats.LENGTHS, np.split(said, [40, 65])))
        rows = {"lengths": [40, 25, 31], "ids": list(formats.LENGTHS),
                "labels": formats.padded(formats.MADE["labels"], list(formats.LENGTHS), 40)}
        for arrays, place, wanted in (
                (packed | {"mine": said.astype("u1")}, "mine", {"mine": right}),
                (packed | {"deep/er/first": said.astype(">i4"),
                           "deep/er/second": np.maximum(truth, 0).astype("f4")}, "/deep/er",
                           {"first": right, "second": other}),
                (packed | {"deep/er/first": said, "deep/er/second": truth}, "/deep/er/first",
                 {"first": right}),
                (rows | {"preds/net": formats.padded(parts, list(parts), 40)}, "preds", {"net": right}),
                ({"recordings/%s/%s" % (i, name): a for i in parts for name,
                  a in (("pred_Net", parts[i]), ("labels", formats.MADE["labels"][i]))},
                 "/recordings/{id}/pred_Net", {"pred_Net": right})):
            with h5py.File(self.path("x.h5"), "w") as f:
                for name, a in arrays.items():
                    f[name] = a
            done = self.statepath("evaluate", "x.h5", "--paths", place, *MODEL, "--json", "-")
            self.assertEqual({name: one["accuracy"] for name,
                              one in json.loads(done.stdout)["strategies"].items()}, wanted, place)

    def test_types_of_paths(self):
        """int16, and int32 where there are more classes than it holds."""
        for K, kind in ((5, "<i2"), (33000, "<i4")):
            names = ["c%d" % k for k in range(K)]
            self.write("m.json", json.dumps({"statepath_model": 1, "classes": names,
                                             "allow": {name: [name] for name in names}}))
            np.save(self.path("x.npy"), np.eye(K, dtype="f4")[[K - 1] * 3])
            self.statepath("decode", "x.npy", "--kind", "scores", "-m", "m.json", "--strategies", "argmax",
                           "-o", "p.h5", "-f")
            with h5py.File(self.path("p.h5")) as f:
                self.assertEqual((f["paths/argmax"].dtype.str, f["paths/argmax"][:].tolist()),
                                 (kind, [K - 1] * 3))

    def test_several_files_are_written_as_one(self):
        """The same bytes, whether the recordings come in one file or each in its own; and a file for each
        of them."""
        self.here()
        one, _ = formats.written(formats.Case("labels", "packed", "npz"), self.folder)
        each, _ = formats.written(formats.Case("labels", "folder", "npz"), self.folder)
        for ending in ("csv", "tsv"):
            for names, out in ((one, "one"), (each, "each")):
                self.statepath("decode", *names, *MODEL, "-o", out + "." + ending)
            self.assertEqual(self.read("one." + ending), self.read("each." + ending))
        self.statepath("decode", *each, *MODEL, "-o", "p-{id}.csv")
        lines = self.read("one.csv").decode().splitlines()
        for i in formats.LENGTHS:
            self.assertEqual(self.read("p-%s.csv" % i).decode().splitlines(),
                             lines[:1] + [x for x in lines if x.startswith(i + ",")])


if __name__ == "__main__":
    st.main()
