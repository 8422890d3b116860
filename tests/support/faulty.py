"""What the tables of faulty files (tests/laws/test_faulty_*.py) share: a row says what stands in a file,
what reads it, and the one sentence that must come of it. Files are written by h5py, numpy and zipfile,
or are bytes."""
import io
import os
import shlex
import warnings
import zipfile
import zlib

import statepath_test as st
from statepath_test import h5py, np

MODEL = '{"statepath_model": 1, "classes": ["a", "b", "c"], "forbid": {}}'
INSPECT = "inspect THIS"
COMPARE = "compare THIS -m sleep-aasm"
DECODE = "decode THIS -m m.json -o out.h5"
EVALUATE = "evaluate THIS -m m.json"
rng = np.random.default_rng(3)
P3 = rng.dirichlet([1] * 3, 5).astype("f4")  # [5,3]
LP = np.log(P3)
ROWS = np.log(rng.dirichlet([1] * 3, (3, 4)).astype("f4"))  # [3,4,3]
P5 = rng.dirichlet([1] * 5, 30).round(4)  # [30,5]
P5 = P5 / P5.sum(1, keepdims=True)


def saved(save, *arrays, **named):
    out = io.BytesIO()
    save(out, *arrays, **named)
    return out.getvalue()


def zipped(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of two members of one name
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def spoiled(data, mark, offset, value):
    """Bytes with others in place of those after the last mark."""
    at = data.rindex(mark) + offset
    return data[:at] + value + data[at + len(value):]


NPY = saved(np.save, P5)
NPZ = saved(np.savez, probs=P5)
DEFLATED = saved(np.savez_compressed, probs=P5)


def hdf5(path, arrays):
    """{name: values, or a link; "place@name": an attribute of it}"""
    with h5py.File(path, "w") as f:
        for name, values in arrays.items():
            place, _, attribute = name.partition("@")
            if attribute:
                (f[place] if place else f).attrs[attribute] = values
            else:
                f[name] = values


def put(path, data):
    """Writes what a row says: bytes, text, an array, named arrays by the ending of the file; what can be
    called writes itself."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if callable(data):
        data(path)
    elif isinstance(data, dict):
        hdf5(path, data) if path.endswith("h5") else np.savez(path, **data)
    elif isinstance(data, np.ndarray) or np.isscalar(data) and not isinstance(data, (str, bytes)):
        np.save(path, data, allow_pickle=True)
    else:
        with open(path, "wb") as out:
            out.write(data.encode() if isinstance(data, str) else data)


# ---- HDF5 that h5py does not write by itself ----


def low_level(kind, shape=(4, 2), filter_=None):
    def write(path):
        with h5py.File(path, "w") as f:
            how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            if filter_:
                how.set_chunk((1, 2))
                how.set_filter(filter_, h5py.h5z.FLAG_OPTIONAL, ())
            h5py.h5d.create(f.id, b"log_probs", kind, h5py.h5s.create_simple(shape), how)
    return write


def bfloat16():
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_fields(15, 7, 8, 0, 7)
    kind.set_size(2)
    kind.set_ebias(127)
    return kind


def chunk(stored=None, place="log_probs", bad=None, **how):
    """A dataset of one chunk: stored as these bytes, or with bytes overwritten afterwards."""
    def write(path):
        with h5py.File(path, "w") as f:
            made = f.create_dataset(place, data=np.repeat(LP, 10, 0), chunks=(50, 3), **how)
            if stored is not None:
                made.id.write_direct_chunk((0, 0), stored, 0)
            info = made.id.get_chunk_info(0)
        if bad is not None:
            with open(path, "r+b") as f:
                f.seek(info.byte_offset + bad)
                f.write(b"\xff" * 8)
    return write


SHORT = zlib.compress(np.full((20, 3), -1, "f4").tobytes())  # whole, but of fewer values than the chunk has


def whole(libver=None, part=None, open_=False):
    """The bytes of a file: the first of them, or while it is open for writing."""
    def write(path):
        with h5py.File(path, "w", libver=libver) as f:
            f["log_probs"] = np.zeros((1000, 3), "f4")
            f.flush()
            with open(path, "rb") as now:
                data = now.read() if open_ else None
        if data is None:
            with open(path, "rb") as now:
                data = now.read()
        with open(path, "wb") as out:
            out.write(data[:part])
    return write


def enum(path):
    with h5py.File(path, "w") as f:
        f["log_probs"] = LP
        f.create_dataset("labels", data=np.zeros(5, "i1"),
                         dtype=h5py.enum_dtype({"quiet": 0, "loud": 1}, basetype="i1"))


class TestFaulty(st.TestCase):
    """`rows` of a table: (name, what stands in the file, command, sentence) with 2 for an exit status of
    wrong use. A name that ends with a slash is a folder, {file: what stands in it}. THIS stands for the
    name in commands and sentences; m.json is a model of a, b, c."""

    rows = ()

    def setUp(self):
        super().setUp()
        self.write("m.json", MODEL)
        self.write("sleep.txt", "Wake\nN1\nN2\n")

    def run_row(self, name, data, command):
        if name.endswith("/"):
            for file, one in data.items():
                put(self.path(name + file), one)
        elif data is not None:
            put(self.path(name), data)
        words = [word.replace("THIS", name.rstrip("/")) for word in shlex.split(command)]
        return words

    def table(self, rows):
        names = [row[0] for row in rows]
        self.assertEqual(len(names), len(set(names)), "a name stands there twice")
        for name, data, command, sentence, *status in rows:
            with self.subTest(name):
                words = self.run_row(name, data, command)
                self.refuses(*words, status=status[0] if status else 1,
                             sentence=sentence.replace("THIS", name.rstrip("/")))
        self.assertFalse([file for file in self.files() if file.startswith("out.")])
