"""Rows that are not what they should be: the sentence says what they may be, and what it advises reads right.
One table, in every format of arrays, whether a name says what they are or not."""
import os
import re

import statepath_test as st
from statepath_test import h5py, np

K, T = 5, 40
rng = np.random.default_rng(11)
Z = rng.normal(size=(T, K)) * 2.5
E = np.exp(Z)
P = E / E.sum(1, keepdims=True)
BY_SUM = "write x / x.sum(-1, keepdims=True) instead (numpy)"
LOGITS = "are these logits? --kind logits applies the softmax, --kind scores uses them as they are"
COUNTS = np.array([rng.multinomial(200, row) for row in P]) + 1e-9 * P  # without ties
# What is written, and what is said of it; `instead` is tried.
FORMS = {
    "per cent": (99.99 * P, "per cent? write x / 100 instead (numpy)"),
    "a class left out": (.96 * P, "outside the tolerance of 0.03; a class left out, or rounded? " + BY_SUM),
    "log10": (np.log10(P), "10**x sums to 1: log10? write x * numpy.log(10) instead (numpy)"),
    "log2": (np.log2(P), "2**x sums to 1: log2? write x * numpy.log(2) instead (numpy)"),
    "NLL": (-np.log(P), "exp(-x) sums to 1: negative log-likelihoods? write -x instead (numpy)"),
    "-log10": (-np.log10(P), "10**-x sums to 1: negative log10? write x * -numpy.log(10) instead (numpy)"),
    "1-p": (1 - P, "1 - x sums to 1: probabilities of being wrong? write 1 - x instead (numpy)"),
    "odds": (P / (1 - P), "x / (1 + x) sums to 1: odds? write x / (1 + x) instead (numpy)"),
    "log-odds": (np.log(P / (1 - P)),
                 "1 / (1 + exp(-x)) sums to 1: log-odds? write 1 / (1 + numpy.exp(-x)) instead (numpy)"),
    "counts": (COUNTS, "all rows do: counts? " + BY_SUM),
    "sigmoid": (1 / (1 + np.exp(-Z)), "all lie in 0 to 1: a sigmoid for each class? " + BY_SUM),
    "wrong axis": (E / E.sum(0), "columns sum to 1, rows do not: softmax over the wrong axis? write "
                   "scipy.special.softmax(logits, axis=-1) instead"),
    "log-likelihoods": (Z - 40, "all are below 0, and no power of them sums to 1: log-likelihoods? --kind "
                        "scores uses them as they are, --kind logits applies the softmax"),
    "distances": (9 - Z + Z.max(),
                  LOGITS + "; of distances, where the least is best, write -x instead (numpy), as --kind "
                  "scores"),
    "logits": (Z, LOGITS),
}
OPTION, AGAIN = "--transpose reads it so", "write x.T instead (numpy)"
TURNED = {".npy": OPTION, ".npz": OPTION, ".csv": AGAIN, ".h5": AGAIN}
OR_TURNED = "; where it is [classes, steps], "


def words(k):
    return [st.STAGES[i] for i in k]


class TestRowForms(st.TestCase):
    def save(self, name, x, array="x"):
        ending = os.path.splitext(name)[1]
        if ending == ".npy":
            np.save(self.path(name), x)
        elif ending == ".npz":
            np.savez(self.path(name), **{array: x})
        elif ending == ".h5":
            self.h5(name, **{array: x})
        else:
            np.savetxt(self.path(name), x, delimiter=",", header=",".join(st.STAGES), fmt="%.17g")

    def decoded(self, file, *options, status=0):
        done = self.statepath("decode", file, "-m", "sleep-aasm", "-s", "argmax", "-o", "p.csv", "-f",
                              *options, status=status)
        path = self.read("p.csv").decode().splitlines()[1:] if not status else []
        return done.stderr if status else [line.split(",")[2] for line in path]

    def tried(self, said, what, x, file, *options):
        """What the sentence advises reads what the classifier decided."""
        best = words((COUNTS if what == "counts" else -x if what == "distances" else Z).argmax(1))
        again = "again" + os.path.splitext(file)[1]
        for kind in re.findall(r"--kind (\w+)", "" if what == "distances" else said):
            self.assertEqual(self.decoded(file, "--kind", kind, *options), best, (what, kind))
        for text in re.findall(r"write (.*?) instead", said.split(OR_TURNED)[0]):
            text = text.replace("scipy.special.softmax(logits, axis=-1)", "P")
            self.save(again, eval(text, {"x": x, "numpy": np, "P": P}))
            kind = ["--kind", "scores"] if what == "distances" else []
            self.assertEqual(self.decoded(again, *kind, *options), best, (what, text))

    def test_nameless(self):
        for what, (x, mend) in FORMS.items():
            low, high = x[0].min(), x[0].max()
            seen = "lies in %.6g to %.6g" % (low, high) if low < 0 else "sums to %.6g" % x[0].sum()
            for ending, turn in TURNED.items():
                with self.subTest(what + ending):
                    options = ["--scores", "/x"] if ending == ".h5" else []
                    self.save("s" + ending, x)
                    place = {".npz": " array x:", ".csv": " table:"}.get(ending, "")
                    begin = "s%s:%s no name says" % (ending, place)
                    if ending == ".h5":
                        begin = "s.h5: the name of dataset /x does not say"
                    said = self.decoded("s" + ending, *options, status=1)
                    self.assertEqual(said, "statepath: %s what it holds, and the first row %s: %s%s\n" % (
                        begin, seen, mend, OR_TURNED + turn if what == "wrong axis" else ""))
                    self.tried(said, what, x, "s" + ending, *options)

    def test_named(self):
        for what, (x, mend) in FORMS.items():
            for name in ("probs", "log_probs") if what != "wrong axis" else ():
                with self.subTest(what + " " + name):
                    self.save("s.h5", x, name)
                    said = self.decoded("s.h5", status=1)
                    self.assertRegex(said, r"recording s, step 0.* \(%s\): %s\n$" % (name, re.escape(mend)))

    def test_wrong_axis_of_a_name(self):
        x, mend = FORMS["wrong axis"]
        self.save("probs.npy", x)
        self.assertEqual(self.decoded("probs.npy", status=1),
                         "statepath: probs.npy: the first row sums to %.6g: %s%s%s\n" % (
                             x[0].sum(), mend, OR_TURNED, OPTION))
        self.save("s.h5", x, "probs")
        self.assertEqual(self.decoded("s.h5", status=1),
                         "statepath: s.h5: /probs, recording s, step 0: the row sums to %.6g, not 1 (probs): "
                         "%s\n" % (x[0].sum(), mend))

    def test_turned(self):
        for ending, mend in TURNED.items():
            with self.subTest(ending):
                options = ["--scores", "/x"] if ending == ".h5" else []
                if ending == ".csv":
                    np.savetxt(self.path("s.csv"), P.T, delimiter=",", fmt="%.17g")
                else:
                    self.save("s" + ending, P.T)
                said = self.decoded("s" + ending, *options, status=1)
                self.assertTrue(said.endswith("has shape [5, 40], and its columns are probabilities, not its "
                                              "rows: it is [classes, steps]; %s\n" % mend), said)
                if mend == OPTION:
                    self.assertEqual(self.decoded("s" + ending, "--transpose"), words(P.argmax(1)))
        self.save("s.h5", P.T, "probs")
        self.assertEqual(self.decoded("s.h5", status=1),
                         "statepath: s.h5 has 5 steps of 40 classes, model sleep-aasm has 5 classes: where it "
                         "is [classes, steps], %s\n" % AGAIN)


if __name__ == "__main__":
    st.main()
