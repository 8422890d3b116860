"""Files of numpy beside what the laws reach: archives of any names and of many members, a file that is cut short while it is read, and what
`inspect` says of arrays that are not used. Layouts are in tests/laws/test_format_law.py, faulty files in test_faulty_arrays.py."""
import io
import json
import os
import threading
import zipfile

import h5py
import numpy as np

import statepath_test as st

MODEL = ["--model", "sleep-aasm"]


class TestNpz(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(17)
        self.probs, self.labels = rng.dirichlet([.5] * 5, size=191), rng.integers(-1, 5, 191)

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

    def test_cut_short_meanwhile(self):
        """evaluate reads the model between the header of the paths and their values; here the file is cut in that moment."""
        np.save(self.path("a.npy"), np.tile(self.labels, 300))
        size = os.path.getsize(self.path("a.npy"))
        os.mkfifo(self.path("m.json"))
        with open(os.path.join(st.SOURCE, "models", "sleep-aasm.model.json"), encoding="utf-8") as shipped:
            text = shipped.read()

        def cut_then_answer():
            with open(self.path("m.json"), "w", encoding="utf-8") as pipe:  # opens when the program reads it
                os.truncate(self.path("a.npy"), size // 2)
                pipe.write(text)
        thread = threading.Thread(target=cut_then_answer)
        thread.start()
        done = self.statepath("evaluate", "a.npy", "--model", "m.json", status=1, stdout="")
        thread.join()
        self.assertRegex(done.stderr, "^statepath: a.npy: ends at byte %d, where values up to byte [0-9]+ are to be; it was cut short\n$" %
                         (size // 2))

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
