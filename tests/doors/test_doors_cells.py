"""One meaning of a cell of text at every door: scores, labels, paths and events, whoever wrote the table.

Names of classes that need care (a formula for a spreadsheet, delimiters and quotes inside, blanks around), quoted or not, with and without byte order mark,
ends of lines of either kind, commas, semicolons and tabs: the same classes everywhere."""
import csv
import io
import itertools
import json

import numpy as np

import statepath_test as st

NAMES = ["-a", "b, c; d", 'e "f"', " g ", "=h\t1"]
PLAIN = ["-a", "b", "c", "d", "e"]
LABELS = [0, 1, 2, 3, 4, 0, 0, 2, 1, 3]
VARIANTS = list(itertools.product(",;\t", ("", "\ufeff"), ("\n", "\r\n"), (csv.QUOTE_MINIMAL, csv.QUOTE_ALL), (False, True)))


class TestCells(st.TestCase):
    def setUp(self):
        super().setUp()
        self.scores = np.full((len(LABELS), 5), 1 / 16)
        self.scores[np.arange(len(LABELS)), LABELS] = .75
        for file, names in (("m.json", NAMES), ("plain.json", PLAIN)):
            self.write(file, json.dumps({"statepath_model": 1, "classes": names, "forbid": {}}))

    def table(self, file, rows, sep=",", mark="", end="\n", quoting=csv.QUOTE_MINIMAL, escapes=False):
        """Rows as Python's csv writes them; escapes: what a spreadsheet takes for a formula gets an apostrophe, as statepath's own tables have it."""
        out = io.StringIO()
        # names with blanks at an end are quoted, as a reader may pass over blanks around a cell
        writer = csv.writer(out, delimiter=sep, lineterminator=end, quoting=quoting)
        for row in rows:
            cells = ["'" + str(c) if escapes and str(c)[0] in "=-" and str(c) != "-1" else str(c) for c in row]
            if quoting == csv.QUOTE_MINIMAL and any(c != c.strip() for c in cells):
                out.write(sep.join('"%s"' % c.replace('"', '""') for c in cells) + end)
            else:
                writer.writerow(cells)
        self.write(file, mark + out.getvalue())

    def accuracy(self, *arguments, model="m.json"):
        report = json.loads(self.statepath("compare", *arguments, "-m", model, "--json", "-").stdout)
        self.assertEqual(report["input"]["steps"], len(LABELS), arguments)
        return report["strategies"]["argmax"]["accuracy"]

    def test_scores_labels_and_events(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                self.table("x.csv", [NAMES + ["label"]] + [[*row, NAMES[k]] for row, k in zip(self.scores, LABELS)], *variant)
                self.assertEqual(self.accuracy("x.csv"), 1)
                self.table("l.csv", [["recording", "step", "label"]] + [["x", t, NAMES[k]] for t, k in enumerate(LABELS)], *variant)
                self.assertEqual(self.accuracy("x.csv", "--labels", "l.csv"), 1)
                self.table("e.tsv", [["onset", "duration", "stage"]] + [[30 * t, 30, NAMES[k]] for t, k in enumerate(LABELS)], *variant)
                self.assertEqual(self.accuracy("x.csv", "--labels", "e.tsv"), 1)

    def test_lists(self):
        """A column without a header: in files of spreadsheets its lines are cells; elsewhere a line is a label as it stands."""
        self.table("x.csv", [PLAIN] + [[*row] for row in self.scores])
        for mark, end in itertools.product(("", "\ufeff"), ("\n", "\r\n")):
            lines = [PLAIN[k] for k in LABELS]
            self.write("l.txt", mark + end.join(lines) + end)
            self.write("l.csv", mark + end.join('"%s"' % ("'" + k if k == "-a" else k) for k in lines) + end)
            self.write("l.conll", mark + "".join("t%d%s%s%s" % (t, "\t" if t % 2 else "  ", k, end) for t, k in enumerate(lines)))
            for file in ("l.txt", "l.csv"):
                self.assertEqual(self.accuracy("x.csv", "--labels", file, model="plain.json"), 1, file)
            self.statepath("inspect", "l.conll", "-m", "plain.json")

    def test_back(self):
        """What decode writes is read as the same classes."""
        self.table("x.csv", [NAMES] + [[*row] for row in self.scores])
        for file in ("p.csv", "p.tsv"):
            self.statepath("decode", "x.csv", "-m", "m.json", "-o", file)
            self.assertEqual(self.accuracy("x.csv", "--labels", file), 1)

    def test_faults(self):
        """The same sentence for the same fault."""
        good = "-a,b,c,d,e,label\n.2,.2,.2,.2,.2,b\n"
        for cell, fault in (('"b', "a quoted cell does not end; close it with \""),
                            ('"b"c', "letters follow a closing quote; a quote inside a cell is written twice")):
            self.write("x.csv", good + ".2,.2,.2,.2,.2,%s\n" % cell)
            self.refuses("compare", "x.csv", "-m", "plain.json", sentence="x.csv: line 3, column 6 (label): " + fault)
            self.write("l.csv", "recording,label\nx,b\nx,%s\n" % cell)
            self.refuses("evaluate", "l.csv", "--labels", "l.csv", "-m", "plain.json", sentence="l.csv: line 3: " + fault)
        # free text of a table of events may begin with a quote
        self.write("x.csv", "-a,b,c,d,e\n" + ".2,.2,.2,.2,.2\n" * 2)
        self.write("e.tsv", 'onset\tduration\tstage\n0\t30\tb\n0\t1\t"x" said\n30\t30\t"c"\n')
        self.statepath("compare", "x.csv", "--labels", "e.tsv", "-m", "plain.json")
