"""Archives of numpy: arrays called as HDF5's datasets give the same results, byte for byte; broken archives give one sentence."""
import io
import json
import os
import warnings
import zipfile

import h5py
import numpy as np

import statepath_test as st

MODEL = ["--model", "sleep-aasm"]
STAGES = ["Wake", "N1", "N2", "N3", "REM"]
K = 5


def results(text):
    result = json.loads(text)
    result.pop("command", None)
    for key in ("file", "bytes"):
        result["input"].pop(key, None)
    return json.dumps(result, indent=1).replace("dataset /subjects", "array subjects")


class TestNpz(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(17)
        self.lengths = np.array([70, 1, 0, 120])
        S = int(self.lengths.sum())
        self.probs = rng.dirichlet([.5] * K, size=S)
        self.labels = rng.integers(-1, K, S)
        self.offsets = np.cumsum([0, *self.lengths])
        self.ids = ["a", "b", "ä c", "d"]

    def compare(self, name, *options):
        return results(self.statepath("compare", name, *MODEL, "--json", "-", *options, stderr="").stdout)

    def same(self, **arrays):
        for save in (np.savez, np.savez_compressed):
            os.makedirs(self.path("npz"), exist_ok=True)
            save(self.path("npz/x.npz"), **arrays)
            self.h5("x.h5", **{key: [str(text) for text in value] if key in ("ids", "classes", "subjects") else value
                               for key, value in arrays.items()})
            self.assertEqual(self.compare("npz/x.npz"), self.compare("x.h5"))

    def test_layouts(self):
        self.same(probs=self.probs, labels=self.labels)
        self.same(probs=self.probs, labels=self.labels, offsets=self.offsets, ids=self.ids, classes=STAGES)
        self.same(log_probs=np.log(self.probs).astype("f4"), lengths=self.lengths, subjects=["x", "y", "y", "x"],
                  labels=self.labels.astype("i1"), weights=np.linspace(0, 2, len(self.labels)))
        self.same(probs=self.probs, offsets=self.offsets, segments=np.arange(len(self.labels)) // 30)
        padded = np.zeros((4, 120, K))
        labels = np.full((4, 120), -1)
        for n, length in enumerate(self.lengths):
            padded[n, :length] = self.probs[self.offsets[n]:self.offsets[n + 1]]
            labels[n, :length] = self.labels[self.offsets[n]:self.offsets[n + 1]]
        self.same(probs=padded, labels=labels, lengths=self.lengths)
        self.same(probs=padded, labels=labels, valid=np.arange(120) < self.lengths[:, None], ids=np.array([1, 2, 3, 4]))

    def test_masks(self):
        mask = np.random.default_rng(5).random(self.probs.shape) < .9
        mask[:, 0] = True
        self.same(probs=self.probs, mask=mask, offsets=self.offsets)
        self.same(probs=self.probs, mask=np.asfortranarray(mask), offsets=self.offsets)

    def test_an_array_for_each_recording(self):
        each = {"n%d" % (n + 9): self.probs[self.offsets[n]:self.offsets[n + 1]] for n in range(4)}
        self.h5("x.h5", probs=self.probs, offsets=self.offsets, ids=["n9", "n10", "n11", "n12"])
        np.savez(self.path("a.npz"), **each)
        self.assertEqual(self.compare("a.npz"), self.compare("x.h5"))
        np.savez_compressed(self.path("a.npz"), **{"night/%s/softmax" % name: one for name, one in each.items()}, other=np.zeros(3))
        self.assertEqual(self.compare("a.npz", "--scores", "/night/{id}/softmax"), self.compare("x.h5"))
        labels = {"%s/labels" % name: self.labels[self.offsets[n]:self.offsets[n + 1]] for n, name in enumerate(each)}
        np.savez(self.path("a.npz"), **{"%s/probs" % name: one for name, one in each.items()}, **labels)
        self.h5("x.h5", probs=self.probs, labels=self.labels, offsets=self.offsets, ids=["n9", "n10", "n11", "n12"])
        self.assertEqual(self.compare("a.npz"), self.compare("x.h5"))

    def test_names_in_latin_1(self):
        """Of paths, one array for each recording: the ids are the names."""
        np.savez(self.path("p.npz"), nX1=np.array([0, 1, 1]), nX2=np.array([1, 0]))
        with open(self.path("p.npz"), "rb") as f:
            data = f.read()
        self.assertEqual(data.count(b"nX"), 4)  # each name twice
        with open(self.path("p.npz"), "wb") as f:
            f.write(data.replace(b"nX", b"n\xe9"))
        self.assertRegex(self.statepath("inspect", "p.npz").stdout, "recordings +2\nsteps +5\n")
        done = self.statepath("evaluate", "p.npz", "--labels", "p.npz", "--model", "sleep-strict", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["input"]["recordings"], 2)
        self.assertIn("né2", done.stdout)

    def test_other_names(self):
        np.savez(self.path("a.npz"), softmax=self.probs, stages=self.labels, features=np.zeros((3, 4, 5)))
        self.h5("a.h5", softmax=self.probs, stages=self.labels)
        self.assertEqual(self.compare("a.npz", "--scores", "softmax", "--labels", "stages"),
                         self.compare("a.h5", "--scores", "softmax", "--labels", "stages"))
        np.savez(self.path("a.npz"), self.probs)
        self.h5("a.h5", probs=self.probs)
        self.assertEqual(self.compare("a.npz"), self.compare("a.h5"))

    def test_paths_and_labels(self):
        paths = np.maximum(self.labels, 0)
        np.savez(self.path("p.npz"), **{"paths/viterbi": paths, "paths/argmax": self.labels * 0}, offsets=self.offsets, ids=self.ids,
                 labels=self.labels, classes=STAGES)
        self.h5("p.h5", paths__viterbi=paths, paths__argmax=self.labels * 0, offsets=self.offsets, ids=self.ids, labels=self.labels)
        got, want = (json.loads(self.statepath("evaluate", name, *MODEL, "--json", "-").stdout)["strategies"] for name in ("p.npz", "p.h5"))
        for name in ("viterbi", "argmax"):
            self.assertEqual(got[name]["confusion"], want[name]["confusion"])
        np.savez(self.path("l.npz"), labels=self.labels, offsets=self.offsets, ids=self.ids)
        got = json.loads(self.statepath("evaluate", "p.npz", "--labels", "l.npz", *MODEL, "--json", "-").stdout)["strategies"]
        self.assertEqual(got["viterbi"]["confusion"], want["viterbi"]["confusion"])
        np.savez(self.path("l.npz"), n1=self.labels[:70], n2=self.labels[70:71])
        self.statepath("fit", "l.npz", "--rules", "sleep-permissive", "-o", "m.json")

    def test_zip64(self):
        """numpy writes sizes in fields of zip64; more than 65,535 members have their number there."""
        with zipfile.ZipFile(self.path("a.npz"), "w") as archive:
            for n in range(66000):
                one = io.BytesIO()
                np.save(one, self.probs[n % 7:n % 7 + 1].astype("f4"))
                archive.writestr("r%d.npy" % n, one.getvalue())
        self.statepath("decode", "a.npz", *MODEL, "-o", "x.h5")
        with st.h5py.File(self.path("x.h5")) as f:
            self.assertEqual(f["ids"].asstr()[[0, 1, 65999]].tolist(), ["r0", "r1", "r65999"])

    # ---- faults ----

    def refused(self, sentence, *options, status=1, command="compare", name="a.npz"):
        self.refuses(command, name, *MODEL, *options, sentence=sentence, status=status)

    def test_what_is_not_there(self):
        np.savez(self.path("a.npz"), x=np.zeros(3), y=np.zeros((2, 2), "i4"))
        self.refused("a.npz: has no array log_probs, probs, logits or scores, nor one array of floats [steps, classes]; say where the "
                     "scores are with --scores NAME; it holds x float64 [3], y int32 [2, 2]")
        self.refused("a.npz: there is no array z; it holds x float64 [3], y int32 [2, 2]", "--scores", "z")
        self.refused("a.npz: no array is called n{id}; it holds x float64 [3], y int32 [2, 2]", "--scores", "n{id}")
        np.savez(self.path("a.npz"), probs=self.probs, labels=self.labels[:-1])
        self.refused("a.npz: array labels: has shape [190], but must have shape [191] to go with the scores; write one for each step, or "
                     "name another array")
        np.savez(self.path("a.npz"), probs=self.probs, labels=np.eye(K)[self.labels])
        self.refused("a.npz: array labels: has shape [191, 5], but must have shape [191] to go with the scores; where it is one-hot write "
                     "the index of the class (argmax over the last axis)")
        np.savez(self.path("a.npz"), probs=self.probs, offsets=[0, 3, 2, 191])
        self.refused("a.npz: array offsets: goes down from 3 to 2 at value 2; it must ascend from 0 to 191")
        np.savez(self.path("a.npz"), probs=self.probs, offsets=[0, 190])
        self.refused("a.npz: array offsets: goes from 0 to 190, but array probs has 191 steps; it must begin with 0 and end with 191 (one value more than "
                     "there are recordings)")
        np.savez(self.path("a.npz"), probs=self.probs, offsets=[0, 70, 191], ids=["a", "a"])
        self.refused("a.npz: array ids: recordings 0 and 1 are both called 'a'; give each its own id")
        np.savez(self.path("a.npz"), probs=np.zeros((2, 3, K)))
        self.refused("a.npz: array probs: has shape [2, 3, 5], one row a recording, but nothing says how long each is; write an array "
                     "lengths [2] beside it (all 3 when nothing is padded), or name it with --lengths")
        np.savez(self.path("a.npz"), probs=self.probs, labels=np.where(np.arange(191) == 100, 7, 0), offsets=self.offsets)
        self.refused("a.npz: array labels, recording 3, step 29: label 7 is not one of the 5 classes 0..4; unscored steps are -1, and "
                     "--codes or --map reads others' numbers")
        np.savez(self.path("a.npz"), probs=self.probs, classes=STAGES[:4])
        self.refused("a.npz: array classes names 4 classes, but array probs has 5 columns; write one name for each column")
        np.savez(self.path("a.npz"), probs=self.probs, ids=np.array(["a", None], dtype=object))
        self.refused("a.npz: array ids: holds Python objects, which are not read; write it again with .astype('float32'), labels with "
                     ".astype('int64'), texts with .astype(str)")

    def broken(self, change, save=np.savez):
        """The sentence for an archive whose bytes were changed."""
        save(self.path("a.npz"), probs=self.probs)
        data = bytearray(self.read("a.npz"))
        data = change(data) or data
        with open(self.path("a.npz"), "wb") as out:
            out.write(data)
        done = self.statepath("compare", "a.npz", *MODEL, status=1, stdout="")
        self.assertEqual(done.stderr.count("\n"), 1)
        return done.stderr

    def test_broken_archives(self):
        def at(mark, offset, value):
            def change(data):
                place = data.rindex(mark) + offset
                data[place:place + len(value)] = value
            return change
        again = "the archive is damaged or cut short: write or copy it again\n"
        self.assertIn("the archive has no end record; " + again, self.broken(lambda data: data[:-1]))
        self.assertIn("the archive has no end record; " + again, self.broken(lambda data: data[:300]))
        self.assertIn("the end record names a directory that is not in the file; " + again,
                      self.broken(at(b"PK\5\6", 16, b"\xff\xff\xff\x7f")))
        self.assertIn("an entry of the directory should stand here; " + again, self.broken(at(b"PK\5\6", 16, b"\x05\0\0\0")))
        self.assertIn("a member should begin here; " + again, self.broken(at(b"PK\1\2", 42, b"\xff\xff\xff\x7f")))
        self.assertIn("a member begins here that is not whole; " + again, self.broken(at(b"PK\1\2", 42, b"\x07\0\0\0")))
        self.assertIn("a member begins here whose sizes do not go together; " + again, self.broken(at(b"PK\1\2", 24, b"\x07\0\0\0")))
        self.assertIn("an entry of the directory lacks its sizes; " + again, self.broken(at(b"PK\1\2", 20, b"\xff" * 8)))
        self.assertIn("array probs is encrypted", self.broken(at(b"PK\1\2", 8, b"\1\0")))
        self.assertIn("array probs is packed by method 12, which is not read", self.broken(at(b"PK\1\2", 10, b"\x0c\0")))

        def flip(data):
            data[600] ^= 1
        self.assertIn("array probs, byte ", self.broken(flip, np.savez_compressed))
        self.assertIn("cannot be unpacked; the archive is damaged", self.broken(flip, np.savez_compressed))
        self.assertIn("cannot be unpacked", self.broken(at(b"PK\1\2", 16, b"\0\0\0\0"), np.savez_compressed))
        self.assertIn("sizes do not go together", self.broken(at(b"PK\1\2", 24, b"\xf0\xff\xff\xff"), np.savez_compressed))

    def test_two_of_one_name(self):
        with zipfile.ZipFile(self.path("a.npz"), "w") as archive:
            one = io.BytesIO()
            np.save(one, self.probs)
            for _ in range(2):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    archive.writestr("probs.npy", one.getvalue())
        self.refused("a.npz: holds two arrays called probs; write it again with one of each name")

    def test_no_arrays(self):
        with zipfile.ZipFile(self.path("a.npz"), "w") as archive:
            archive.writestr("x.npy", b"not numpy's")
        self.refused("a.npz: array x has no whole header of numpy; write it again with numpy.savez")

    def test_inspect_says_what_is_not_used(self):
        probs = np.array([[.5, .5], [.25, .75], [1, 0]])
        arrays = dict(probs=probs, predictions=np.array([0, 1, 0]), features=np.zeros((3, 9)), volume=np.zeros((2, 2, 2, 2)), ids=np.array(["x"]))
        np.savez(self.path("a.npz"), **arrays)
        got = self.statepath("inspect", "a.npz").stdout
        self.assertIn("not used    array ", got)
        self.assertIn("array features float64 [3, 9]; --scores takes it\n", got)
        self.assertIn("array predictions int64 [3]; --labels takes it\n", got)
        self.assertIn("array volume float64 [2, 2, 2, 2]\n", got)
        self.assertNotIn("array ids", got)
        with h5py.File(self.path("a.h5"), "w") as f:
            for name, value in arrays.items():
                f[name] = value if name != "ids" else [b"x"]
            f["other/embedding"] = probs
        got = self.statepath("inspect", "a.h5").stdout
        self.assertIn("not used    dataset /features float64 [3, 9]; --scores takes it\n", got)
        self.assertIn("dataset /predictions int64 [3]; --labels takes it\n", got)
        self.assertIn("group /other\n", got)
        self.assertNotIn("/probs float64", got)

    def test_inspect_lists_attributes_and_columns(self):
        with st.h5py.File(self.path("a.h5"), "w") as f:
            f["probs"], f["labels"] = np.full((6, 2), .5), [0, 1, 0, 1, 0, -1]
            f.attrs.update(epoch_seconds=30, classes=["a", "b"], epoch_len=30.0, site="here")
            f["probs"].attrs["rates"] = [1, 2]
            f["labels"].attrs["scorer"] = "ann"
        got = self.statepath("inspect", "a.h5").stdout
        self.assertEqual(got[got.index("not used"):got.index("\nnumbers") + 1],
                         "not used    attribute epoch_len of / float64; --epoch-seconds takes it\n"
                         "            attribute site of / text\n"
                         "            attribute rates of /probs int64 [2]\n"
                         "            attribute scorer of /labels text\n")
        with st.h5py.File(self.path("g.h5"), "w") as f:
            for n in "ab":
                f[f"recordings/{n}/probs"] = np.full((6, 2), .5)
                f[f"recordings/{n}"].attrs["site"] = n
        self.assertIn("not used    attribute site of /recordings/{id} text; --groups takes it\n", self.statepath("inspect", "g.h5").stdout)
        self.write("t.csv", ",Time,Stage,a,b\n" + "".join("%d,%d,a,0.5,0.5\n" % (i, i) for i in range(6)))
        got = self.statepath("inspect", "t.csv").stdout
        self.assertEqual(got[got.index("not used"):got.index("\nnumbers") + 1],
                         "not used    a column without a name\n            column Time\n            column Stage; --labels t.csv takes it\n")
        self.write("m.json", '{"statepath_model": 1, "classes": ["a", "b"], "forbid": {}}')
        self.statepath("compare", "t.csv", "--labels", "t.csv", "-m", "m.json", "-q")  # it does


if __name__ == "__main__":
    st.main()
