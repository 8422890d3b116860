"""The law of tables: the same scores and labels in tables of text, whoever wrote them (pandas, R, numpy,
spreadsheets, by hand), are the same recordings; a cell of text means the same in scores, labels, paths
and events. Faulty tables are in test_faulty_texts.py."""
import csv
import io
import itertools
import json
import random

import formats
import statepath_test as st
from statepath_test import np

STAGES = formats.CLASSES
ONE = formats.expected(formats.CONTENTS["one"])
PROBS, TRUE = ONE["probs"].astype("f8"), ONE["labels"]
LOGITS = np.log(PROBS)
WORDS = [STAGES[k] if k >= 0 else "" for k in TRUE]
ALIASES = [{"Wake": "W", "REM": "R"}.get(word, word) for word in WORDS]
T = len(TRUE)
ORDER = list(range(T))
random.Random(5).shuffle(ORDER)
TURNED = [3, 1, 0, 4, 2]
NOTE = ("statepath: note: %s: its first line, the numbers of the columns, is taken for a header; --header no "
        "reads it as a step\n")


def table(columns, header=None, sep=",", end="\n", order=range(T)):
    """Columns of text or numbers; numbers as repr() writes them."""
    cells = [[repr(float(x)) if isinstance(x, np.floating) else str(x) for x in column] for column in columns]
    lines = [sep.join(header)] if header else []
    return end.join(lines + [sep.join(column[t] for column in cells) for t in order]) + end


def scores(x=PROBS, order=range(5)):
    return [x[:, k] for k in order]


def savetxt(x, **how):
    out = io.StringIO()
    np.savetxt(out, x, fmt="%.17g", **how)
    return out.getvalue()


STEPS, COUNT = list(range(T)), list(range(1, T + 1))
PANDAS = ["0", "1", "2", "3", "4"]
CLOCK = ["22:00:%02d" % t for t in STEPS]
# What is written, and options: all hold the scores of one recording, in the order of the model's classes but
# where a header says another.
SCORES = {
    **{"sep %r, end %r" % pair: (table(scores(), STAGES, *pair),
                                 []) for pair in itertools.product(",;\t", ("\n", "\r\n"))},
    "byte order mark": ("\ufeff" + table(scores(), STAGES), []),
    "all quoted": (table(scores(), ['"%s"' % name for name in STAGES]), []),
    "blanks, no header": (savetxt(PROBS), []),
    "numpy's header": (savetxt(PROBS, delimiter=",", header=",".join(STAGES)), []),
    "commas, no header": (savetxt(PROBS, delimiter=","), []),
    "no header, said": (table(scores()), ["--header", "no"]),
    "a header, said": (table(scores(), STAGES), ["--header", "yes"]),
    "index of pandas": (table([STEPS, *scores()], ["", *STAGES]), []),
    "index as pandas reads it": (table([STEPS, *scores()], ["Unnamed: 0", *STAGES]), []),
    "index of R": (table([['"%d"' % t for t in COUNT], *scores()], ["", *STAGES]), []),
    "index, numbers for names": (table([STEPS, *scores()], ["", *PANDAS]), []),
    "numbers for names": (table(scores(), PANDAS), []),
    "numbers for names, said": (table(scores(), PANDAS), ["--header", "yes"]),
    "numbers from 1": (table(scores(), list("12345")), ["--header", "yes"]),
    "logits": (table(scores(LOGITS), PANDAS), ["--kind", "logits"]),
    "logits from 1": (table(scores(LOGITS), list("12345")), ["--kind", "logits"]),
    "log probabilities": (table(scores(LOGITS), STAGES), ["--kind", "log_probs"]),
    "columns beside": (table([STEPS, CLOCK, ["N2"] * T, *scores()], ["Epoch", "Time", "Stage", *STAGES]), []),
    "columns turned": (table(scores(order=TURNED), [STAGES[k] for k in TURNED]), []),
    "steps in any order": (table([STEPS, *scores()], ["Epoch", *STAGES], order=ORDER), []),
    "steps from 1": (table([*scores(), COUNT], [*STAGES, "STEP"], order=ORDER), []),
}
# The same with labels in the table; labels of their own, beside the scores of "commas, no header".
LABELLED = {
    "names": table([*scores(), WORDS], [*STAGES, "label"]),
    "aliases": table([*scores(), ALIASES], [*STAGES, "labels"]),
    "numbers": table([TRUE, *scores()], ["LABEL", *STAGES]),
    "out of order": table([STEPS, *scores(), WORDS], ["step", *STAGES, "label"], order=ORDER),
    "named": table([["n2"] * T, *scores(), WORDS], ["Recording", *STAGES, "label"]),
}
LABELS = {
    "list.txt": table([[w or -1 for w in WORDS]]),
    "numbers.txt": table([[" %.1f " % k for k in TRUE]], end="\r\n"),
    "header.csv": table([TRUE], ["label"]),
    "quoted.csv": table([['"%s"' % w for w in WORDS]], ['"Stage"']),
    "epochs.csv": table([STEPS, WORDS], ["Epoch", "Stage"], order=ORDER),
    "from_1.csv": table([COUNT, ALIASES], ["epoch", "labels"], order=ORDER),
    "tabs.tsv": table([[30 * t for t in STEPS], ["30"] * T, WORDS], ["begin", "length", "stage"], sep="\t"),
    "named.csv": table([["n2"] * T, STEPS, TRUE, ["z"] * T], ["recording", "step", "label", "other"], sep=";",
                       order=ORDER),
    **{"list" + ending: table([[w or -1 for w in WORDS]]) for ending in (".hyp", ".eannot", ".TXT")},
    "odd.CSV": "\ufeff\nstep,other,stage,label\n\n" + table([STEPS, ['"y,\n""z"""'] * T, ["x"] * T,
                                                             WORDS]) + "\n",
    "bids.tsv": table([[30 * t for t in STEPS], ["30"] * T, [w or "n/a" for w in WORDS]],
                      ["onset", "duration", "stage"], sep="\t"),
}
# Names of classes that need care: a formula for a spreadsheet, delimiters and quotes inside, blanks around.
NAMES = ["-a", "b, c; d", 'e "f"', " g ", "=h\t1"]
CELLS = list(itertools.product(",;\t", ("", "\ufeff"), ("\n", "\r\n"), (csv.QUOTE_MINIMAL, csv.QUOTE_ALL),
                               (False, True)))


class TestTables(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("probs.csv", SCORES["commas, no header"][0])
        self.wanted = {"accuracy": float(np.mean((PROBS.argmax(1) == TRUE)[TRUE >= 0])), "steps": T}

    def path_of(self, file, *options):
        done = self.statepath("decode", file, "-m", "sleep-aasm", "--strategies", "argmax", "-o", "p.csv", "-f",
                              *options)
        return [line.split(",")[2] for line in self.read("p.csv").decode().splitlines()[1:]], done.stderr

    def judged(self, *words, model="sleep-aasm"):
        report = json.loads(self.statepath("compare", *words, "-m", model, "-s", "argmax", "--json",
                                           "-").stdout)
        return {"accuracy": report["strategies"]["argmax"]["accuracy"], "steps": report["input"]["steps"]}

    def test_scores(self):
        wanted = [STAGES[k] for k in PROBS.argmax(1)]
        for what, (text, options) in SCORES.items():
            with self.subTest(what):
                self.write("n2.csv", text)
                path, said = self.path_of("n2.csv", *options)
                self.assertEqual(path, wanted)
                is_guess = what in ("numbers for names", "logits", "logits from 1")
                self.assertEqual(said.replace("wrote p.csv\n", ""), NOTE % "n2.csv" if is_guess else "")

    def test_labels(self):
        for what, text in LABELLED.items():
            with self.subTest(what):
                self.write("n2.csv", text)
                self.assertEqual(self.judged("n2.csv"), self.wanted)
        for file, text in LABELS.items():
            with self.subTest(file):
                self.write(file, text.replace("n2,", "probs,").replace("n2;", "probs;"))
                self.assertEqual(self.judged("probs.csv", "--labels", file), self.wanted)

    def test_numbers(self):
        """Every number is the double that Python reads."""
        rng = np.random.default_rng(4)
        values = rng.normal(size=(4000, 5)) * 10.0 ** rng.integers(-30, 30, (4000, 5))
        values[7, 3] = -np.inf
        for form in ("%.17g", "%.15g", "%.9g", "%.3f", "%.4e", "%g"):
            np.savetxt(self.path("x.csv"), values, delimiter=",", fmt=form)
            lines = self.read("x.csv").decode().splitlines()
            read = np.array([[float(x) for x in line.split(",")] for line in lines])
            self.statepath("convert", "x.csv", "--kind", "scores", "-o", "x.h5", "-f", "-q")
            with st.h5py.File(self.path("x.h5")) as f:
                np.testing.assert_array_equal(f["scores"][:], read)

    def test_missing_numbers(self):
        for cells in ("," * 4, "nan,,NaN,,"):
            self.write("n2.csv", table(scores(), STAGES) + cells + "\n")
            self.assertIn("recording n2, step %d" % T,
                          self.statepath("compare", "n2.csv", "-m", "sleep-aasm", status=1).stderr)
            self.statepath("compare", "n2.csv", "-m", "sleep-aasm", "--missing", "uniform")

    def test_every_command_tells_of_a_header(self):
        self.write("x.csv", SCORES["logits"][0])
        self.write("l.txt", LABELS["list.txt"])
        for words in (("convert", "x.csv", "-o", "c.h5"),
                      ("fit", "x.csv", "--labels", "l.txt", "-r", "sleep-aasm", "-o", "m.json"),
                      ("fit", "x.csv", "--method", "em", "-r", "sleep-aasm", "-o", "e.json")):
            self.assertIn(NOTE % "x.csv", self.statepath(*words, "--kind", "logits").stderr, words)
            self.assertNotIn("note", self.statepath(*words, "--kind", "logits", "--header", "yes", "-f").stderr)
        for words, steps in (([], T), (["--header", "no"], T + 1)):
            said = self.statepath("inspect", "x.csv", "--kind", "logits", *words).stdout
            self.assertIn("steps       %d;" % steps, said)
            self.assertEqual("is taken for a header" in said, not words)

    def test_votes_and_names_that_are_numbers(self):
        """One-hot votes begin with 0,1 as well: an option says, or an index does; classes may be called by
        numbers."""
        self.write("two.json", '{"statepath_model": 1, "classes": ["a", "b"], "forbid": {}}')
        self.write("x.csv", ",0,1\n0,0,1\n1,1,0\n")
        decode = ("decode", "x.csv", "-o", "p.csv", "-f", "-m")
        self.statepath(*decode, "two.json")
        self.assertEqual(self.read("p.csv").decode().split()[1:], ["x,0,b", "x,1,a"])
        self.write("x.csv", "0,1\n0,1\n1,0\n")
        for option, steps in (("yes", ["x,0,b", "x,1,a"]), ("no", ["x,0,b", "x,1,b", "x,2,a"])):
            self.statepath(*decode, "two.json", "--header", option)
            self.assertEqual(self.read("p.csv").decode().split()[1:], steps)
        self.write("turned.json", '{"statepath_model": 1, "classes": ["1", "0"], "forbid": {}}')
        self.write("x.csv", "0,1\n.9,.1\n.2,.8\n")
        self.statepath(*decode, "turned.json")
        self.assertEqual(self.read("p.csv").decode().split()[1:], ["x,0,0", "x,1,1"])

    # ---- cells ----

    def cells(self, file, rows, sep=",", mark="", end="\n", quoting=csv.QUOTE_MINIMAL, escapes=False):
        """escapes: what a spreadsheet takes for a formula gets an apostrophe. Names with blanks at an end are
        quoted, as a reader may pass over blanks around a cell."""
        out = io.StringIO()
        writer = csv.writer(out, delimiter=sep, lineterminator=end, quoting=quoting)
        for row in rows:
            row = ["'" + str(c) if escapes and str(c)[0] in "=-" else str(c) for c in row]
            if quoting == csv.QUOTE_MINIMAL and any(c != c.strip() for c in row):
                out.write(sep.join('"%s"' % c.replace('"', '""') for c in row) + end)
            else:
                writer.writerow(row)
        self.write(file, mark + out.getvalue())

    def test_cells(self):
        """The same names in scores, labels and events, and in the paths that decode writes."""
        labels = [0, 1, 2, 3, 4, 0, 0, 2, 1, 3]
        probs = np.full((10, 5), 1 / 16) + .6875 * np.eye(5)[labels]
        self.write("m.json", json.dumps({"statepath_model": 1, "classes": NAMES, "forbid": {}}))
        right = {"accuracy": 1, "steps": 10}
        for variant in CELLS:
            with self.subTest(variant):
                self.cells("x.csv", [NAMES + ["label"]] + [[*row, NAMES[k]] for row, k in zip(probs, labels)],
                           *variant)
                self.cells("l.csv", [["recording", "step",
                                      "label"]] + [["x", t, NAMES[k]] for t, k in enumerate(labels)],
                                      *variant)
                self.cells("e.tsv", [["onset", "duration",
                                      "stage"]] + [[30 * t, 30, NAMES[k]] for t, k in enumerate(labels)],
                                      *variant)
                for words in (["x.csv"], ["x.csv", "--labels", "l.csv"], ["x.csv", "--labels", "e.tsv"]):
                    self.assertEqual(self.judged(*words, model="m.json"), right)
        for file in ("p.csv", "p.tsv"):
            self.statepath("decode", "x.csv", "-m", "m.json", "-o", file)
            self.assertEqual(self.judged("x.csv", "--labels", file, model="m.json"), right)

    def test_apostrophes(self):
        """Ids that begin as formulas: taken off in scores and labels, put before in paths."""
        self.write("x.csv", "recording,'-a,b,label\n'-night,.9,.1,'-a\n'-night,.2,.8,b\n\"'=x, 2\",.6,.4,b\n")
        self.write("l.csv", "recording,label\n'-night,'-a\n'-night,b\n\"'=x, 2\",b\n")
        self.write("m.json", '{"statepath_model": 1, "classes": ["-a", "b"], "forbid": {}}')
        for more in ([], ["--labels", "l.csv"]):
            self.assertEqual(self.judged("x.csv", *more, model="m.json"), {"accuracy": 2 / 3, "steps": 3})
        self.statepath("decode", "x.csv", "-m", "m.json", "-o", "p.csv")
        self.assertIn('"\'-night",0,"\'-a"', self.read("p.csv").decode())
        self.statepath("evaluate", "p.csv", "--labels", "l.csv", "-m", "m.json")
        # a line of a list that is no table is a label as it stands; free text of events may begin with a
        # quote
        self.write("x.csv", "-a,b\n.9,.1\n.2,.8\n")
        self.write("l.txt", "-a\r\nb\r\n")
        self.write("e.tsv", 'onset\tduration\tstage\n0\t30\t-a\n0\t1\t"x" said\n30\t30\t"b"\n')
        for file in ("l.txt", "e.tsv"):
            self.assertEqual(self.judged("x.csv", "--labels", file, model="m.json"),
                             {"accuracy": 1, "steps": 2})


if __name__ == "__main__":
    st.main()
