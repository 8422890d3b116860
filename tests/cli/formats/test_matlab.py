"""MATLAB's files: version 7.3 (HDF5, transposed) and before; the same results as from HDF5."""
import json
import struct
import zlib

import h5py
import numpy as np

import statepath_test as st

try:
    import scipy.io
except ImportError:
    scipy = None

MODEL = ["--model", "sleep-aasm"]
STAGES = ["Wake", "N1", "N2", "N3", "REM"]
K, T = 5, 120


def results(text):
    result = json.loads(text)
    result.pop("command", None)
    for key in ("file", "bytes", "labels_file"):
        result["input"].pop(key, None)
    return result


def letters(text):
    return np.array([[ord(c) for c in text]], "u2")


class Matlab73:
    """A file as MATLAB 7.3 writes it: each matrix transposed, cells as references to #refs#."""

    def __init__(self, path):
        self.path, self.file, self.n = path, h5py.File(path, "w", userblock_size=512), 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()
        with open(self.path, "r+b") as out:
            out.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Sun Nov 22".ljust(116) + bytes(8) + b"\0\2IM")

    def put(self, name, value, kind=None):
        if isinstance(value, list):
            references = []
            for one in value:
                self.n += 1
                self.put("#refs#/%d" % self.n, one)
                references.append(self.file["#refs#/%d" % self.n].ref)
            self.file[name] = np.array([references], h5py.ref_dtype).T
            kind = "cell"
        elif isinstance(value, str):
            self.file[name] = letters(value).T
            kind = "char"
        else:
            value = np.atleast_2d(value)
            self.file[name] = value.T
            kind = kind or {"float64": "double", "float32": "single"}.get(str(value.dtype), str(value.dtype))
        self.file[name].attrs["MATLAB_class"] = np.bytes_(kind)


class Mat5:
    """Our own writer of the older form, where scipy is missing: doubles, texts and cells."""

    def __init__(self, path, order="<", compressed=False):
        self.path, self.order, self.compressed = path, order, compressed
        self.bytes = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack(order + "H", 0x100) + (b"IM" if order == "<" else b"MI")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with open(self.path, "wb") as out:
            out.write(self.bytes)

    def element(self, kind, data):
        return struct.pack(self.order + "II", kind, len(data)) + data + bytes(-len(data) % 8)

    def matrix(self, name, value):
        o = self.order
        if isinstance(value, list):
            kind, shape, body = 1, (1, len(value)), b"".join(self.matrix("", one) for one in value)
        elif isinstance(value, str):
            kind, shape, body = 4, (1, len(value)), self.element(4, np.array([ord(c) for c in value], o + "u2").tobytes())
        else:
            value = np.atleast_2d(value)
            is_float = value.dtype.kind == "f"
            kind, shape = 6 if is_float else 12, value.shape
            body = self.element(9 if is_float else 5, value.astype(o + ("f8" if is_float else "i4")).tobytes(order="F"))
        head = self.element(6, struct.pack(o + "II", kind, 0)) + self.element(5, struct.pack(o + "%di" % len(shape), *shape))
        return self.element(14, head + self.element(1, name.encode()) + body)

    def put(self, name, value):
        one = self.matrix(name, value)
        if self.compressed:
            packed = zlib.compress(one)
            one = struct.pack(self.order + "II", 15, len(packed)) + packed
        self.bytes += one


class TestMatlab(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        self.probs = rng.dirichlet([.5] * K, size=T)
        self.labels = rng.integers(0, K, T)
        self.h5("a.h5", probs=self.probs, labels=self.labels, classes=STAGES)
        self.want = self.compared("a.h5")

    def compared(self, name, *options):
        return results(self.statepath("compare", name, *MODEL, *options, "--json", "-").stdout)

    def writers(self):
        yield "7.3", Matlab73
        yield "5", Mat5
        yield "5, other order", lambda path: Mat5(path, order=">")
        yield "5, compressed", lambda path: Mat5(path, compressed=True)

    def test_matrices(self):
        for what, writer in self.writers():
            with self.subTest(what):
                with writer(self.path("a.mat")) as f:
                    f.put("probs", self.probs)
                    f.put("labels", self.labels.astype("i4")[:, None])
                    f.put("classes", STAGES)
                self.assertEqual(self.compared("a.mat"), self.want)

    def test_a_vector_lies_or_stands(self):
        for what, writer in self.writers():
            for turned in (self.labels[None, :], self.labels[:, None]):
                with writer(self.path("a.mat")) as f:
                    f.put("probs", self.probs)
                    f.put("labels", turned.astype("f8"))
                    f.put("classes", STAGES)
                self.assertEqual(self.compared("a.mat"), self.want)

    def test_words(self):
        for what, writer in self.writers():
            with self.subTest(what):
                with writer(self.path("a.mat")) as f:
                    f.put("probs", self.probs)
                    f.put("labels", [STAGES[k] for k in self.labels])
                    f.put("classes", STAGES)
                self.assertEqual(self.compared("a.mat"), self.want)

    def test_cells_are_recordings(self):
        cut = [0, 50, 51, T]
        pieces = list(zip(cut, cut[1:]))
        with h5py.File(self.path("g.h5"), "w") as f:
            f.attrs["classes"] = STAGES
            for n, (a, b) in enumerate(pieces):
                f["recordings/%d/probs" % (n + 1)], f["recordings/%d/labels" % (n + 1)] = self.probs[a:b], self.labels[a:b]
        want = self.compared("g.h5")
        for what, writer in self.writers():
            with self.subTest(what):
                with writer(self.path("a.mat")) as f:
                    f.put("probs", [self.probs[a:b] for a, b in pieces])
                    f.put("labels", [self.labels[a:b].astype("i4") for a, b in pieces])
                    f.put("classes", STAGES)
                self.assertEqual(self.compared("a.mat"), want)

    def test_other_names(self):
        for what, writer in self.writers():
            with writer(self.path("a.mat")) as f:
                f.put("S", [self.probs[:60], self.probs[60:]])
                f.put("Y", [self.labels[:60].astype("i4"), self.labels[60:].astype("i4")])
            got = self.compared("a.mat", "--scores", "S/{id}", "--labels", "Y/{id}", "--kind", "probs")
            self.assertEqual((got["input"]["recordings"], got["input"]["scored_steps"]), (2, T))
            self.assertEqual(got["strategies"]["argmax"]["accuracy"], self.want["strategies"]["argmax"]["accuracy"])

    def test_labels_that_count_from_1(self):
        """An error where one is K, a note where none is 0; `--map` reads them, and then nothing is noted."""
        names = "--map '1=Wake,2=N1,3=N2,4=N3,5=REM' reads"
        mapped = ["--map", "1=Wake,2=N1,3=N2,4=N3,5=REM"]
        few = np.where(self.labels == 4, 2, self.labels)
        for what, writer in self.writers():
            for kind in ("i4", "f8"):
                def write(labels, name="a.mat", **more):
                    with writer(self.path(name)) as f:
                        for key, value in more.items():
                            f.put(key, value)
                        f.put("labels", labels.astype(kind)[:, None])
                whole = dict(probs=self.probs, classes=STAGES)
                write(self.labels + 1, **whole)
                step = int(np.argmax(self.labels == 4))
                self.refuses("compare", "a.mat", *MODEL, "-q",
                             sentence="a.mat: %slabels, recording a, step %d: label 5 is not one of the 5 classes 0..4; unscored steps "
                                      "are -1, and --codes or --map reads others' numbers; MATLAB counts from 1: %s labels that do" % ("" if what == "7.3" else "array ", step, names))
                self.assertEqual(self.compared("a.mat", *mapped)["strategies"], self.want["strategies"])
                write(few + 1, **whole)
                note = "labels are 1 to 4 and never 0; they are taken to count from 0, but MATLAB counts from 1: %s them so\n" % names
                done = self.statepath("compare", "a.mat", *MODEL)
                self.assertIn("note: a.mat: " + note, done.stderr)
                self.assertNotIn("MATLAB", self.statepath("compare", "a.mat", *MODEL, *mapped).stderr)
                self.assertIn(note, self.statepath("inspect", "a.mat").stdout)
                write(few, **whole)
                self.assertNotIn("MATLAB", self.statepath("compare", "a.mat", *MODEL).stderr)
                write(few + 1, "l.mat")
                self.h5("s.h5", probs=self.probs, classes=STAGES)
                note = note.replace("1 to 4", "1 to %d" % (few.max() + 1))
                self.assertIn("note: l.mat: " + note, self.statepath("compare", "s.h5", "--labels", "l.mat", *MODEL).stderr)
                self.assertNotIn("MATLAB", self.statepath("compare", "s.h5", "--labels", "l.mat", *MODEL, *mapped).stderr)

    def test_written_by_scipy(self):
        if not scipy:
            print("skipped: scipy is not installed")
            return
        for compressed in (False, True):
            scipy.io.savemat(self.path("a.mat"), dict(probs=self.probs, labels=self.labels, classes=np.array(STAGES, object)),
                             do_compression=compressed)
            self.assertEqual(self.compared("a.mat"), self.want)
            scipy.io.savemat(self.path("a.mat"), dict(probs=self.probs, labels=np.array([STAGES[k] for k in self.labels], object),
                                                      classes=np.array(STAGES)), do_compression=compressed)
            self.assertEqual(self.compared("a.mat"), self.want)

    def test_faults(self):
        with Mat5(self.path("a.mat")) as f:
            f.put("probs", self.probs)
        whole = self.read("a.mat")
        said = set()
        for n in list(range(0, 300, 7)) + [len(whole) // 2, len(whole) - 8]:
            with open(self.path("cut.mat"), "wb") as out:
                out.write(whole[:n])
            said.add(self.statepath("compare", "cut.mat", *MODEL, status=1, stdout="").stderr.split(":")[2].strip())
        self.assertIn("byte 128", said)
        self.write("empty.mat", "")
        with Mat5(self.path("none.mat")) as f:
            pass
        self.refuses("compare", "none.mat", *MODEL, sentence="none.mat: holds no matrices of numbers, texts, or cells of these; "
                     "save(FILE, '-struct', 'NAME') saves the fields of a struct so")
        with Mat5(self.path("turned.mat")) as f:
            f.put("probs", self.probs.T[:, :50])
        self.assertIn("--transpose", self.statepath("compare", "turned.mat", *MODEL, status=1).stderr)
        self.assertIn("save it with -v7", self.statepath("compare", self.version_4(), *MODEL, status=1).stderr)

    def version_4(self):
        with open(self.path("four.mat"), "wb") as out:
            out.write(struct.pack("<5I", 0, T, K, 0, 6) + b"probs\0" + self.probs.tobytes(order="F"))
        return "four.mat"

    def test_changed_bytes(self):
        """Any byte may be wrong: a sentence or results, never a crash."""
        rng = np.random.default_rng(1)
        for what, writer in self.writers():
            with writer(self.path("a.mat")) as f:
                f.put("probs", self.probs[:9])
                f.put("labels", [STAGES[k] for k in self.labels[:9]])
            whole = self.read("a.mat")
            for _ in range(25):
                broken = bytearray(whole)
                for at in rng.integers(124 if what != "7.3" else 512, len(whole), 3):
                    broken[at] = rng.integers(256)
                with open(self.path("b.mat"), "wb") as out:
                    out.write(broken)
                done = st.subprocess.run([st.PROGRAM, "compare", "b.mat", *MODEL], cwd=self.folder, capture_output=True, timeout=60)
                self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr)

    def test_real(self):
        path = st.shared("formats", "mat", "50Salads_eval_DilatedTCN_L5_B2_1.mat")
        if not path:
            print("skipped: no real file of MATLAB")
            return
        classes = ["c%d" % k for k in range(10)]
        self.statepath("model", "new", "band", "--classes", ",".join(classes), "--step", "9", "-o", "m.json")
        out = self.statepath("compare", path, "--model", "m.json", "--scores", "S/{id}", "--labels", "Y/{id}", "--kind", "probs", "--json",
                             "-").stdout
        self.assertEqual(json.loads(out)["input"]["recordings"], 10)


if __name__ == "__main__":
    st.main()
