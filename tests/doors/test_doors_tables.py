"""Tables of scores as pandas writes them: DataFrame.to_csv() with and without the index, with and without the header.

pandas is not needed: `table` writes what pandas 2.2 wrote for pandas.DataFrame(x).to_csv(index=..., header=..., sep=...).
"""
import json

import numpy as np

import statepath_test as st

NOTE = "statepath: note: %s: its first line, the numbers of the columns, is taken for a header; --no-header reads it as a step\n"
UNSURE = ("%s: the first line, the numbers 0 to %d, may be a header or a step: no line below has a number that is not whole; --header says that it "
          "names the columns, --no-header that it is a step")


def table(x, index=True, header=True, sep=","):
    lines = [sep.join(([""] if index else []) + [str(k) for k in range(x.shape[1])])] if header else []
    lines += [sep.join(([str(t)] if index else []) + [repr(v.item()) for v in row]) for t, row in enumerate(x)]
    return "\n".join(lines) + "\n"


class TestTables(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(1)
        self.labels = rng.integers(0, 5, 40)
        self.logits = rng.normal(size=(40, 5)) + 2 * np.eye(5)[self.labels]
        self.probs = np.exp(self.logits) / np.exp(self.logits).sum(1, keepdims=True)
        self.write("labels.txt", "".join("%d\n" % k for k in self.labels))
        self.accuracy = np.mean(self.logits.argmax(1) == self.labels)

    def compare(self, *options):
        done = self.statepath("compare", "x.csv", "--labels", "labels.txt", "-m", "sleep-aasm", "--json", "-", *options)
        report = json.loads(done.stdout)
        self.assertEqual(report["input"]["steps"], 40)
        self.assertAlmostEqual(report["strategies"]["argmax"]["accuracy"], self.accuracy, 12)
        return done.stderr

    def test_logits_and_probabilities(self):
        for x, kind in ((self.logits, ["--kind", "logits"]), (self.probs, []), (np.log(self.probs), ["--kind", "log_probs"])):
            for sep in ",\t;":
                self.write("x.csv", table(x, index=False, sep=sep))
                self.assertEqual(self.compare(*kind), NOTE % "x.csv")
                self.assertEqual(self.compare(*kind, "--header"), "")
                self.write("x.csv", table(x, sep=sep))
                self.assertEqual(self.compare(*kind), "")
                self.write("x.csv", table(x, index=False, header=False, sep=sep))
                self.assertEqual(self.compare(*kind), "")
                self.assertEqual(self.compare(*kind, "--no-header"), "")

    def test_every_command(self):
        """The note is said, and 40 steps are read, wherever a table is."""
        self.write("x.csv", table(self.logits, index=False))
        for arguments in (("decode", "x.csv", "-m", "sleep-aasm", "-o", "p.h5"), ("convert", "x.csv", "-o", "c.h5"),
                          ("fit", "x.csv", "--labels", "labels.txt", "-r", "sleep-aasm", "-o", "m.json"), ("fit", "x.csv", "--method", "em", "-r", "sleep-aasm", "-o", "e.json"),
                          ("model", "audit", "sleep-aasm", "--data", "x.csv", "--reference", "labels.txt")):
            self.assertIn(NOTE % "x.csv", self.statepath(*arguments, "--kind", "logits").stderr, arguments)
            self.statepath(*arguments, "--kind", "logits", "--header", "-f")
        done = self.statepath("inspect", "x.csv", "--kind", "logits")
        self.assertIn("note        its first line, the numbers of the columns, is taken for a header", done.stdout)
        self.assertIn("steps       40;", done.stdout)
        self.assertIn("steps       41;", self.statepath("inspect", "x.csv", "--kind", "logits", "--no-header").stdout)
        self.statepath("mask", "leak", "x.csv", "--kind", "logits", "-m", "sleep-aasm", "--header")
        self.refuses("mask", "padding", "3,5", "--header", status=2, sentence="mask padding takes no --header; `statepath mask --help` says what does")

    def test_votes(self):
        """One-hot votes begin with 0,1 too: whole numbers alone do not tell, an option does."""
        votes = np.eye(2, dtype=int)[[1, 0, 1, 1]]
        self.write("m.json", json.dumps({"statepath_model": 1, "classes": ["a", "b"], "allow": {"a": ["a", "b"], "b": ["a", "b"]}}))
        arguments = ("decode", "x.csv", "-m", "m.json", "-o", "p.csv", "-f")
        for header in (False, True):
            self.write("x.csv", table(votes, index=False, header=header))
            self.refuses(*arguments, sentence=UNSURE % ("x.csv", 1))
            self.statepath(*arguments, "--header" if header else "--no-header")
            self.assertEqual(self.read("p.csv").decode().split()[1:], ["x,0,b", "x,1,a", "x,2,b", "x,3,b"])
        self.write("x.csv", table(votes))
        self.statepath(*arguments)
        self.assertEqual(self.read("p.csv").decode().split()[1:], ["x,0,b", "x,1,a", "x,2,b", "x,3,b"])
        self.write("x.csv", "0,1\n")
        self.refuses(*arguments, sentence=UNSURE % ("x.csv", 1))
        self.write("x.csv", "0,1\n0,1\n-inf,0\n")
        self.statepath(*arguments, "--kind", "scores")
        self.assertEqual(self.read("p.csv").decode().split()[1:], ["x,0,b", "x,1,b"])

    def test_names_that_are_numbers(self):
        """A model whose classes are called so: columns are told by their names."""
        self.write("m.json", json.dumps({"statepath_model": 1, "classes": ["1", "0"], "allow": {"0": ["0", "1"], "1": ["0", "1"]}}))
        self.write("x.csv", "0,1\n.9,.1\n.2,.8\n")
        self.statepath("decode", "x.csv", "-m", "m.json", "-o", "p.csv")
        self.assertEqual(self.read("p.csv").decode().split()[1:], ["x,0,0", "x,1,1"])

    def test_labels_have_no_header(self):
        """One column of labels begins with its first label."""
        self.write("labels.csv", "".join("%d\n" % k for k in self.labels))
        self.write("x.csv", table(self.probs))
        done = self.statepath("compare", "x.csv", "--reference", "labels.csv", "-m", "sleep-aasm", "--json", "-")
        self.assertAlmostEqual(json.loads(done.stdout)["strategies"]["argmax"]["accuracy"], self.accuracy, 12)

    def test_apostrophe(self):
        """What a spreadsheet would take for a formula has an apostrophe before it, in scores, labels and paths alike."""
        self.write("x.csv", "recording,'-a,b,label\n'-night,.9,.1,'-a\n'-night,.2,.8,b\n\"'=x, 2\",.6,.4,b\n")
        self.write("labels.csv", "recording,label\n'-night,'-a\n'-night,b\n\"'=x, 2\",b\n")
        self.write("m.json", json.dumps({"statepath_model": 1, "classes": ["-a", "b"], "allow": {"-a": ["b", "-a"], "b": ["-a", "b"]}}))
        wanted = [1.0, 1.0, 0.0]
        for more in ([], ["--labels", "labels.csv"]):
            done = self.statepath("compare", "x.csv", *more, "-m", "m.json", "-s", "argmax", "-o", "p.csv", "-f", "--json", "-")
            self.assertAlmostEqual(json.loads(done.stdout)["strategies"]["argmax"]["accuracy"], sum(wanted) / 3, 12)
        self.assertIn('"\'-night",0,"\'-a"', self.read("p.csv").decode())
        done = self.statepath("evaluate", "p.csv", "--reference", "labels.csv", "-m", "m.json", "--json", "-")
        self.assertIn('"accuracy": 0.66', done.stdout)

    def test_wrong_use(self):
        self.write("x.csv", table(self.probs, index=False))
        self.refuses("inspect", "x.csv", "--header", "--no-header", status=2, sentence="--header and --no-header say the opposite; leave one of them out")
        np.save(self.path("x.npy"), self.probs)
        for option in ("--header", "--no-header"):
            self.refuses("inspect", "x.npy", option, status=2, sentence=option + " speaks of tables of scores in text, and x.npy is of another format")
        self.write("x.csv", "W,N1\n.5,.5\n")
        self.refuses("inspect", "x.csv", "--no-header", sentence='x.csv: line 1, column 1: "W" is not a number')


st.main()
