"""Arrays of numpy: the same results as from HDF5, whatever their type, order and byte order; and each fault with its sentence."""
import json
import os
import threading

import numpy as np

import statepath_test as st

MODEL = ["--model", "sleep-aasm"]
T, K = 950, 5


def results(text):
    """A JSON of results without the input's name and size and the command."""
    result = json.loads(text)
    result.pop("command", None)
    for key in ("file", "bytes", "file_size"):
        result["input"].pop(key, None)
    return json.dumps(result)


class TestNpy(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(17)
        self.probs = rng.dirichlet([.5] * K, size=T)
        self.labels = rng.integers(-1, K, T)

    def save(self, name, array, **how):
        np.save(self.path(name), array, **how)

    def figures(self, *arguments):
        return results(self.statepath("compare", *arguments, *MODEL, "--json", "-", stderr="").stdout)

    def same(self, name, array, *options, **datasets):
        """compare gives for the array what it gives for HDF5 with the same numbers."""
        self.h5("same.h5", **datasets)
        os.makedirs(self.path("h5"), exist_ok=True)
        os.replace(self.path("same.h5"), self.path("h5/%s.h5" % name.split(".")[0]))
        self.save(name, array)
        self.assertEqual(self.figures(name, *options), self.figures("h5/%s.h5" % name.split(".")[0]))

    # ---- scores ----

    def test_types_and_orders(self):
        logs = np.log(self.probs)
        self.same("a.npy", self.probs, probs=self.probs)
        self.same("b.npy", self.probs.astype("f4"), probs=self.probs.astype("f4"))
        self.same("c.npy", logs.astype("f2"), log_probs=logs.astype("f2"))
        self.same("d.npy", self.probs.astype(">f8"), probs=self.probs)
        self.same("e.npy", self.probs.astype(">f4"), probs=self.probs.astype("f4"))
        self.same("f.npy", np.asfortranarray(self.probs), probs=self.probs)
        self.same("g.npy", np.asfortranarray(logs.astype("f2")), log_probs=logs.astype("f2"))

    def test_what_the_name_says(self):
        x = np.random.default_rng(2).normal(size=(T, K))
        self.same("logits.npy", x, logits=x)
        self.same("x.npy", x, "--kind", "scores", scores=x)

    def test_several_recordings_in_one_array(self):
        self.same("a.npy", self.probs.reshape(10, 95, K), probs=self.probs.reshape(10, 95, K), lengths=[95] * 10)

    def test_transposed(self):
        self.same("a.npy", self.probs.T, "--transpose", probs=self.probs)
        self.same("b.npy", np.ascontiguousarray(self.probs.T), "--transpose", probs=self.probs)

    def test_empty(self):
        self.same("a.npy", np.zeros((0, K)), probs=np.zeros((0, K)))

    def test_long_recordings_are_read_in_pieces(self):
        for name, array in (("a.npy", self.probs), ("b.npy", np.asfortranarray(self.probs))):
            self.save(name, array)
            whole = self.figures(name)
            pieces = self.statepath("compare", name, *MODEL, "--json", "-", env={"STATEPATH_WHOLE_BYTES": "1000"}).stdout
            self.assertEqual(results(pieces), whole)

    def test_decode(self):
        self.save("n1.npy", self.probs)
        self.h5("n1.h5", probs=self.probs)
        self.statepath("decode", "n1.npy", *MODEL, "-o", "a.h5")
        self.statepath("decode", "n1.h5", *MODEL, "-o", "b.h5")
        with st.h5py.File(self.path("a.h5")) as a, st.h5py.File(self.path("b.h5")) as b:
            self.assertEqual(a["paths/viterbi"][:].tolist(), b["paths/viterbi"][:].tolist())

    def test_versions_of_the_header(self):
        for version in ((1, 0), (2, 0), (3, 0)):
            with open(self.path("a.npy"), "wb") as out:
                np.lib.format.write_array(out, self.probs, version=version)
            self.figures("a.npy")

    # ---- labels and paths ----

    def test_labels_and_paths(self):
        self.h5("n1.h5", labels=self.labels)
        paths = np.where(np.arange(T) % 3, np.maximum(self.labels, 0), 2)
        self.h5("pred.h5", paths__pred=paths)
        want = self.statepath("evaluate", "pred.h5", "--labels", "n1.h5", *MODEL, "--json", "-").stdout
        for kind in ("i8", "u1", "i2", ">i4", "f4"):
            self.save("pred.npy", paths.astype(kind))
            self.save("lab.npy", self.labels.astype(kind.replace("u", "i")))
            got = self.statepath("evaluate", "pred.npy", "--labels", "lab.npy", *MODEL, "--json", "-", stderr="").stdout
            self.assertEqual(json.loads(got)["strategies"]["pred"]["confusion"], json.loads(want)["strategies"]["pred"]["confusion"])

    def test_codes(self):
        self.save("pred.npy", np.array([0, 5, 5, 2]))
        self.save("lab.npy", np.array([0, 1, 9, 2]))
        got = self.statepath("evaluate", "pred.npy", "--labels", "lab.npy", *MODEL, "--codes", "nsrr", "--json", "-").stdout
        self.assertEqual(json.loads(got)["strategies"]["pred"]["confusion"][0], [1, 0, 0, 0, 0])
        self.save("lab.npy", np.array([0, 1, 77, 2]))
        done = self.statepath("evaluate", "pred.npy", "--labels", "lab.npy", *MODEL, "--codes", "nsrr", status=1)
        self.assertIn("lab.npy, recording lab, step 2: ", done.stderr)

    def test_fit(self):
        self.save("lab.npy", np.sort(self.labels[self.labels >= 0]))
        self.h5("lab.h5", labels=np.sort(self.labels[self.labels >= 0]), classes=["Wake", "N1", "N2", "N3", "REM"])
        a = self.statepath("fit", "lab.npy", "--rules", "sleep-permissive", "-o", "a.json").stdout
        b = self.statepath("fit", "lab.h5", "--rules", "sleep-permissive", "-o", "b.json").stdout
        self.assertEqual(a, b)
        self.assertEqual({**json.loads(self.read("a.json")), "source": 0}, {**json.loads(self.read("b.json")), "source": 0})
        self.save("lab.npy", np.array([0, 5]))
        self.refuses("fit", "lab.npy", "--rules", "sleep-permissive", "-o", "c.json",
                     sentence="lab.npy: recording lab has label 5, but the rules have classes 0..4; --codes or --map reads others' numbers")

    # ---- faults ----

    def refused(self, name, sentence, *options, status=1, command="compare"):
        self.refuses(command, name, *MODEL, *options, sentence=sentence, status=status)

    def test_shapes(self):
        self.save("a.npy", self.probs[:30].T)
        self.refused("a.npy", "a.npy: has shape [5, 30], and its columns are probabilities, not its rows: it is [classes, steps]; "
                              "--transpose reads it so")
        self.save("logits.npy", np.zeros((5, 30)))
        self.refused("logits.npy", "logits.npy has 5 steps of 30 classes, model sleep-aasm has 5 classes: where it is [classes, steps], "
                                   "--transpose reads it so")
        self.save("a.npy", self.probs[:, 0])
        self.refused("a.npy", "a.npy: has shape [950], but must have [steps, classes] or [recordings, steps, classes]; reshape it, or "
                              "name another array")
        self.save("a.npy", np.zeros((2, 2, 2, 2, 2)))
        self.refused("a.npy", "a.npy: has more than 4 dimensions; scores are [steps, classes]")
        self.save("a.npy", np.asfortranarray(self.probs.reshape(10, 95, K)))
        self.refused("a.npy", "a.npy: has three dimensions in Fortran's order; write it again with numpy.ascontiguousarray")
        self.save("a.npy", self.probs.reshape(10, 95, K))
        self.refused("a.npy", "a.npy: has shape [10, 95, 5]; --transpose is for arrays [classes, steps]; where the scores are "
                     "[recordings, classes, steps], write them again with .swapaxes(1, 2)", "--transpose", status=2)
        self.save("a.npy", np.zeros((3, 0)))
        self.refused("a.npy", "a.npy: has shape [3, 0]: its last axis, the classes, must have at least one")

    def test_words(self):
        """Labels that are words, in the order of the columns or not; codes of others too."""
        stages = np.array(["Wake", "N1", "N2", "N3", "REM"])
        turned = [3, 1, 0, 4, 2]
        words = np.where((np.arange(T) % 50 == 7) | (self.labels < 0), "", stages[self.labels])
        labels = np.where(words == "", -1, self.labels)
        self.h5("want.h5", probs=self.probs, labels=labels, classes=stages.tolist())
        want = self.statepath("compare", "want.h5", *MODEL, "--json", "-").stdout
        np.savez(self.path("a.npz"), probs=self.probs[:, turned], labels=words, classes=stages[turned])
        np.savez(self.path("b.npz"), probs=self.probs, labels=words.astype("S8"))
        np.savez_compressed(self.path("c.npz"), probs=self.probs, labels=words, classes=stages)
        self.save("only.npy", words)
        for arguments in (["a.npz"], ["b.npz"], ["c.npz"], ["want.h5", "--reference", "only.npy"]):
            got = json.loads(self.statepath("compare", *arguments, *MODEL, "--json", "-").stdout)
            for name in ("viterbi", "argmax"):
                self.assertEqual(got["strategies"][name]["accuracy"], json.loads(want)["strategies"][name]["accuracy"], arguments)
        np.savez(self.path("d.npz"), probs=self.probs, labels=np.array(["Sleep stage W", "Sleep stage 1", "Sleep stage 2", "Sleep stage 3",
                                                                      "Sleep stage R"])[self.labels])
        self.statepath("compare", "d.npz", *MODEL, "--codes", "sleep-edf", "--json", "-")
        np.savez(self.path("e.npz"), probs=self.probs, labels=np.where(np.arange(T) == 9, "Quark", stages[self.labels]))
        self.refused("e.npz", 'e.npz: array labels, recording e, step 9: label "Quark" is no class; write one of Wake, N1, N2, N3, REM, or '
                              "nothing for an unscored step; --codes or --map reads the words of others")
        # where scores are asked for, words are decided classes
        self.refused("only.npy", "only.npy" + st.DECIDED)
        self.statepath("decode", "only.npy", *MODEL, "--label-confidence", "0.8", "-o", "paths.h5")

    def test_kinds(self):
        self.save("a.npy", self.probs * 7)
        self.refused("a.npy", "a.npy: no name says what it holds, and its first row is neither probabilities nor log probabilities; say it "
                              "with --kind logits or --kind scores")
        self.save("a.npy", self.labels)
        self.refused("a.npy", "a.npy" + st.DECIDED)
        self.save("a.npy", np.zeros((T, K), "u1"))
        self.refused("a.npy", "a.npy: holds uint8, but scores must be float16, float32 or float64; write it again with .astype('float32'), "
                              "or where it is one-hot with .argmax(1), which are labels")
        self.save("a.npy", self.probs)
        self.refused("a.npy", "a.npy: is one array without names, so --scores probs finds nothing in it", "--scores", "probs", status=2)
        self.refused("a.npy", "a.npy: holds float64 [950, 5], scores by their shape; a class is the number of a class, one a step",
                     command="evaluate")
        self.h5("a.h5", probs=self.probs)
        self.refused("a.h5", "a.h5: --transpose is for arrays of .npy and .npz, and this is an HDF5 file", "--transpose", status=2)

    def test_values(self):
        probs = self.probs.copy()
        probs[7, 2] = np.nan
        self.save("a.npy", probs)
        done = self.statepath("compare", "a.npy", *MODEL, status=1)
        self.assertIn("a.npy: recording a, step 7, class 2", done.stderr)
        self.save("lab.npy", np.array([0, 1, 5]))
        self.save("pred.npy", np.array([0, 1, 2]))
        self.refused("pred.npy", "lab.npy: label 5, but model sleep-aasm has 5 classes; unscored steps are -1, and --label-codes or "
                                 "--label-map reads others' numbers", "--labels", "lab.npy", command="evaluate")
        self.save("lab.npy", np.array([0, -2, 1]))
        self.refused("pred.npy", "lab.npy, recording lab, step 1: label -2 is not the number of a class; unscored steps are -1", "--labels",
                     "lab.npy", command="evaluate")

    def test_types(self):
        meaning = "; write it again with .astype('float32'), labels with .astype('int64')"
        self.save("a.npy", self.probs.astype("c8"))
        self.refused("a.npy", "a.npy: holds values of numpy's type '<c8', which are not read" + meaning)
        self.save("a.npy", self.probs.astype("g"))
        self.refused("a.npy", "a.npy: holds values of numpy's type '<f16', which are not read" + meaning)
        self.save("a.npy", np.array([[1.0], None], dtype=object), allow_pickle=True)
        self.refused("a.npy", "a.npy: holds Python objects, which are not read" + meaning + ", texts with .astype(str)")
        self.save("a.npy", np.zeros(3, dtype=[("a", "f4"), ("b", "f4")]))
        self.refused("a.npy", "a.npy: is an array of records with fields; write each field as an array of its own, with numpy.savez")
        self.save("pred.npy", np.array(["N1", "N2"]))
        self.statepath("evaluate", "pred.npy", *MODEL)
        self.save("pred.npy", np.array(["N1", "X"]))
        self.refused("pred.npy", 'pred.npy, recording pred, step 1: label "X" is no class; write one of Wake, N1, N2, N3, REM, or nothing for '
                                 "an unscored step; --codes or --map reads the words of others", command="evaluate")

    def test_damaged_files(self):
        self.save("a.npy", self.probs)
        whole = self.read("a.npy")

        def damaged(data, sentence):
            with open(self.path("a.npy"), "wb") as out:
                out.write(data)
            self.refused("a.npy", "a.npy: " + sentence)
        damaged(whole[:-1], "its header speaks of float64 [950, 5], 38000 bytes, but 37999 bytes follow it: it was cut short; write or copy "
                            "it again")
        damaged(whole + b"x", "its header speaks of float64 [950, 5], 38000 bytes, but 38001 bytes follow it: it holds more than one "
                              "array, or was appended to; write one array a file, or use numpy.savez")
        damaged(whole[:50], "numpy's header is damaged or cut short (the file has 50 bytes); write it again with numpy.save")
        damaged(whole[:8], "numpy's header is damaged or cut short (the file has 8 bytes); write it again with numpy.save")
        damaged(whole[:6] + b"\x07" + whole[7:], "numpy's header is damaged or cut short (the file has 38128 bytes); write it again with "
                                                 "numpy.save")
        mend = " in numpy's header; the file is damaged: write it again with numpy.save"
        damaged(whole.replace(b"'descr'", b"'descx'"), "byte 19: descr, fortran_order or shape should stand" + mend)
        damaged(whole.replace(b"(950, 5)", b"(950; 5)"), "byte 64: a comma or the end of the shape should stand" + mend)
        damaged(whole.replace(b"False", b"Maybe"), "byte 44: True or False should stand" + mend)
        damaged(whole.replace(b"(950, 5), }", b"(950, 5),  "), "byte 128: a text between quotes should stand" + mend)
        huge = whole.replace(b"(950, 5), }      ", b"(9999999999, 5), }")[:len(whole)]
        damaged(huge, "its header speaks of float64 [9999999999, 5], 399999999960 bytes, but 38000 bytes follow it: it was cut short; "
                      "write or copy it again")

    def test_cut_short_meanwhile(self):
        """evaluate reads the model between the header of the paths and their values; here the file is cut in that moment."""
        self.save("a.npy", np.tile(self.labels, 60))
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


if __name__ == "__main__":
    st.main()
