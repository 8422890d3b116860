"""Files of other kinds and of other habits: each gets one sentence with what, where, and what to do."""
import io
import pickle
import zipfile

import numpy as np

import statepath_test as st

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
NAME = "; an array's name says what it holds: log_probs, probs, logits, scores or labels"
SCORES = "write the scores as .npy, .npz, CSV or HDF5; an array's name says what it holds: log_probs, probs, logits or scores"
rng = np.random.default_rng(3)
PROBS = rng.dirichlet([1] * 5, 20).round(4)
LABELS = rng.integers(0, 5, 20)


def saved(save, *arrays, **named):
    out = io.BytesIO()
    save(out, *arrays, **named)
    return out.getvalue()


def zipped(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def table(delimiter=",", point=".", end="\n", head=True):
    lines = [delimiter.join(STAGES)] * head + [delimiter.join(("%.4f" % p).replace(".", point) for p in row) for row in PROBS]
    return (end.join(lines) + end).encode()


NPY = saved(np.save, PROBS)
PANDAS = "save it as CSV, a column a class, for example with python3 -c \"import pandas; pandas.read_%s('%s').to_csv('x.csv', index=False)\""
LABELS_AS_TEXT = ("labels, one a line, are read where a model names their classes (--model or --rules M) and the name ends in .txt, .csv, "
                  ".tsv, .hyp or .eannot; scores are a table with a column a class")
WRONG = {
    "x.npy": (b"these are words\n", "looks like a text file, which is not read; " + LABELS_AS_TEXT),
    "empty.npy": (b"", "is empty; write it again"),
    "other.zip": (zipped(("readme", b"hi")), "looks like a zip archive, which is not read; " + SCORES),
    "x.xlsx": (zipped(("[Content_Types].xml", b""), ("xl/workbook.xml", b"")),
               "looks like an Excel workbook, which is not read; " + PANDAS % ("excel", "x.xlsx")),
    "x.xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
              "looks like an Excel workbook, which is not read; " + PANDAS % ("excel", "x.xls")),
    "x.parquet": (b"PAR1" + bytes(60), "looks like a Parquet file, which is not read; " + PANDAS % ("parquet", "x.parquet")),
    "x.feather": (b"ARROW1" + bytes(60), "looks like an Arrow file, which is not read; " + PANDAS % ("feather", "x.feather")),
    "x.rds": (b"\x1f\x8b\x08\0" + bytes(60),
              "looks like an R file, which is not read; in R: write.csv(readRDS('x.rds'), 'x.csv', row.names = FALSE), a column a class"),
    "x.RData": (b"RDX3\nX\n\0\0\0\3",
                "looks like an R file, which is not read; in R: write.csv(get(load('x.RData')), 'x.csv', row.names = FALSE), a column a class"),
    "x.csv.gz": (b"\x1f\x8b\x08\0" + bytes(60), "is gzip-compressed; unpack it with gunzip"),
    "x.pkl": (pickle.dumps({"probs": [1]}), "looks like a Python pickle, which is not read; convert it with python3 -c \"import numpy, pickle; x = "
              "pickle.load(open('x.pkl', 'rb')); numpy.savez('x.npz', **x) if isinstance(x, dict) else numpy.save('x.npy', x)\"" + NAME),
    "old.pt": (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.", "looks like a PyTorch file, which is not read; convert it with "
               "python3 -c \"import numpy, torch; x = torch.load('old.pt', map_location='cpu'); numpy.savez('old.npz', **{k: v.numpy() for k, v "
               "in (x if isinstance(x, dict) else {'logits': x}).items()})\"" + NAME),
    "x.tar": (b"probs.npy".ljust(257, b"\0") + b"ustar" + bytes(300), "is a tar archive; unpack it with tar -xf"),
    "utf16.csv": (table().decode().encode("utf-16"), "is text in UTF-16; write it as UTF-8, for example with iconv -f UTF-16 -t UTF-8"),
    "x.html": (b"<!DOCTYPE html>\n<html><body>404</body></html>", "is a web page; save the file that it speaks of"),
    "x.xml": (b"<?xml version='1.0'?><x/>", "line 1: is XML of x; hypnograms are read from NSRR's PSGAnnotation and Profusion's CMPStudyConfig"),
    "x.png": (b"\x89PNG\r\n\x1a\n" + bytes(60), "is of no kind that is read here; " + SCORES),
    "x.json": (b"[[0.1, 0.9]]", "looks like a JSON text, which is not read; " + SCORES),
    "cut.npy": (NPY[:300], "its header speaks of float64 [20, 5], 800 bytes, but 172 bytes follow it: it was cut short; write or copy it again"),
    "head.npy": (NPY[:40], "numpy's header is damaged or cut short (the file has 40 bytes); write it again with numpy.save"),
    "one-hot.npy": (saved(np.save, np.eye(5, dtype=int)[LABELS]), "holds int64, but scores must be float16, float32 or float64; write it again with "
                    ".astype('float32'), or where it is one-hot with .argmax(1), which are labels"),
    "bool.npy": (saved(np.save, np.eye(5)[LABELS] > 0), "holds bool, but scores must be float16, float32 or float64; write it again with "
                 ".astype('float32'), or where it is one-hot with .argmax(1), which are labels"),
    "complex.npy": (saved(np.save, PROBS.astype(complex)),
                    "holds values of numpy's type '<c16', which are not read; write it again with .astype('float32'), labels with .astype('int64')"),
    "object.npy": (saved(np.save, np.array([PROBS, None], object), allow_pickle=True), "holds Python objects, which are not read; write it again with "
                   ".astype('float32'), labels with .astype('int64'), texts with .astype(str)"),
    "fields.npy": (saved(np.save, np.zeros(3, [("a", "f8"), ("b", "i4")])),
                   "is an array of records with fields; write each field as an array of its own, with numpy.savez"),
    "turned.npy": (saved(np.save, np.ascontiguousarray(PROBS[:8].T)), None),
    "number.npy": (saved(np.save, np.float64(3)), "has shape [], but must have [steps, classes] or [recordings, steps, classes]; reshape it, or name "
                   "another array"),
    "commas.csv": (table(";", ","), "line 2, column 1 (Wake): \"%s\" is not a number; decimals follow a point, as in 0.5" % ("%.4f" % PROBS[0, 0]).replace(".", ",")),
    "bare.csv": (table(";", ",", head=False), None),
    "both.csv": (table(",", ","), "line 2 has 10 cells, the first line 5; decimals follow a point, as in 0.5, not a comma"),
    "old.csv": (table(end="\r"), "its lines end with CR alone, as no tool of today writes them; end them with LF"),
    "ragged.csv": (table() + b"0.1,0.9\n", "line 22 has 2 cells, the first line 5"),
    "missing.csv": (table() + b"NA,NA,NA,NA,NA\n", "line 22, column 1 (Wake): \"NA\" is not a number; a number that is missing is nan, or nothing"),
    "percent.csv": (b"Wake,N1\n50%,50%\n", "line 2, column 1 (Wake): \"50%\" is not a number; write 50% as 0.5"),
    "twice.csv": (b"Wake,Wake\n0.5,0.5\n", "line 1: two columns are called Wake"),
    "head.csv": (b"Wake,N1\n", "names its columns, but holds no line below them"),
}
RIGHT = {
    "order.npy": saved(np.save, np.asfortranarray(PROBS)),
    "big.npy": saved(np.save, PROBS.astype(">f8")),
    "order.npz": saved(np.savez, probs=np.asfortranarray(PROBS)),
    "nested.npz": zipped(("out/run1/probs.npy", NPY)),
    "second.npz": zipped(("readme.txt", b"hi"), ("probs.npy", NPY)),
    "mark.csv": b"\xef\xbb\xbf" + table(),
    "crlf.csv": table(end="\r\n"),
    "quoted.csv": b",".join(b'"%s"' % name.encode() for name in STAGES) + b"\n" + table(head=False),
    "semicolon.csv": table(";"),
    "tab.csv": table("\t"),
}


class TestWrongFiles(st.TestCase):
    def put(self, name, data):
        with open(self.path(name), "wb") as out:
            out.write(data)

    def test_each_gets_a_sentence(self):
        for name, (data, sentence) in WRONG.items():
            with self.subTest(name):
                self.put(name, data)
                if sentence:
                    self.refuses("compare", name, "-m", "sleep-aasm", sentence="%s: %s" % (name, sentence))
        said = self.statepath("compare", "bare.csv", "-m", "sleep-aasm", status=1).stderr
        self.assertIn("is not a number; decimals follow a point, as in 0.5", said)
        said = self.statepath("compare", "turned.npy", "-m", "sleep-aasm", status=1).stderr
        self.assertIn("it is [classes, steps]; --transpose reads it so" if "columns" in said else "sleep-aasm", said)

    def test_other_habits_are_read(self):
        self.put("x.npy", NPY)
        want = self.statepath("compare", "x.npy", "-m", "sleep-aasm", "-q").stdout.replace("x.npy", "")
        for name, data in RIGHT.items():
            with self.subTest(name):
                self.put(name, data)
                options = ["--kind", "probs"] if name.endswith("csv") else []
                got = self.statepath("compare", name, "-m", "sleep-aasm", "-q", *options).stdout.replace(name, "")
                self.assertEqual(got.split("\n")[1:], want.split("\n")[1:])

    def test_floats_of_no_name_beside_labels(self):
        """They may be the scores: the option that names them is said, not that there are none."""
        self.h5("x.h5", foo=PROBS, labels=LABELS)
        self.assertIn("it holds /foo float64 [20, 5], /labels int64 [20]; say where they are with --scores PATH, for example --scores '/foo'",
                      self.statepath("compare", "x.h5", "-m", "sleep-aasm", status=1).stderr)
        self.h5("y.h5", labels=LABELS)
        want = self.statepath("compare", "y.h5", "-m", "sleep-aasm", "--label-confidence", "0.9").stdout
        got = self.statepath("compare", "x.h5", "-m", "sleep-aasm", "--label-confidence", "0.9").stdout
        self.assertEqual(got.replace("x.h5", ""), want.replace("y.h5", ""))

    def test_signals_in_other_files(self):
        """Signals are HDF5: the command that makes a dataset of them, not one of scores."""
        self.put("x.npy", saved(np.save, np.zeros((4, 1, 8), "f4")))
        self.put("x.npz", saved(np.savez, a=np.zeros((4, 1, 8), "f4")))
        self.put("x.csv", table())
        for name, advice in (("x.npy", "a numpy .npy file; convert it with python3 -c \"import h5py, numpy; h5py.File('x.h5', 'w')['/signals'] = "
                                       "numpy.load('x.npy')\""),
                             ("x.npz", "a numpy .npz archive; convert it with python3 -c \"import h5py, numpy; h5py.File('x.h5', 'w')['/signals'] = "
                                       "numpy.load('x.npz')['NAME']\""),
                             ("x.csv", "a table in text (CSV or the like); write its numbers as dataset /signals of an HDF5 file, for example with h5py")):
            self.refuses("train", name, "-o", "o.h5", sentence="%s: is not an HDF5 file but looks like %s" % (name, advice))

    def test_folders(self):
        st.os.makedirs(self.path("nested/n1"))
        self.refuses("compare", "nested", "-m", "sleep-aasm",
                     sentence="nested: holds folders and no files of recordings; name these with a pattern, such as 'nested/{id}/scores.npy'")
        st.os.mkdir(self.path("none"))
        self.refuses("compare", "none", "-m", "sleep-aasm", sentence="none: this folder holds no files")
        st.os.mkdir(self.path("mixed"))
        self.put("mixed/a.npy", NPY)
        self.put("mixed/b.csv", table())
        self.refuses("compare", "mixed", "-m", "sleep-aasm",
                     sentence="mixed: this folder holds files *.npy and *.csv; name those that are meant with a pattern, such as 'mixed/{id}.npy'")


if __name__ == "__main__":
    st.main()
