"""Tables that are refused, and the way out: the sentence says what was seen, where, and what to type; an
option that it names is tried, and reads the table right."""
import json
import re

import statepath_test as st
from statepath_test import np

K, T = 5, 12
rng = np.random.default_rng(3)
P = np.round(rng.dirichlet(np.ones(K), T), 6)
BEST = P.argmax(1)
WORDS = [st.STAGES[k] for k in BEST]
KNOWN = "known beside classes are recording, step (or epoch), label (or labels), segment and weight; "
OUT = "--classes Wake,N1,N2,N3,REM leaves it out"
R = 'names of rows, as R writes them? write them with write.csv(x, "FILE", row.names = FALSE)'
BLANKS = ("of several cells commas, tabs or semicolons part them, not blanks, such as in R "
          'write.csv(x, "FILE", row.names = FALSE)')
NO_CLASS = ("is no class of model sleep-aasm: write one of Wake, N1, N2, N3, REM, a number from 0 to 4 in "
            "this order, "
            "or -1 for none; --codes or --map reads the numbers and words of others")
TITLED = ("THIS: looks like a table in text below other lines, which is not read; the names of the columns "
          "must be "
          "its first line: tail -n +%d THIS > t_table.csv")
TWO_LINES = ("THIS: line 2 holds words and no scores, below the line that names the columns; one of the two "
             "is a "
             "title, or units: delete it")


def table(header, rows, sep=",", dec="."):
    lines = ([sep.join(header)] if header else []) + [
        sep.join(x if isinstance(x, str) else repr(float(x)).replace(".", dec) for x in row) for row in rows]
    return "\n".join(lines) + "\n"


def beside(name, cells, first=False):
    rows = [[c, *p] if first else [*p, c] for c, p in zip(cells, P)]
    return table([name, *st.STAGES] if first else [*st.STAGES, name], rows)


def column(at, name, cell, ways):
    return 'THIS: line 2, column %d (%s): it is no class of model sleep-aasm and holds "%s"; %s%s' % (
        at, name, cell, KNOWN, ways + OUT)


def both(name):
    return "--labels %s reads it as labels, --ids %s reads it as names of recordings, " % (name, name)


NUMBERS = ["%d" % k for k in BEST]
PLAIN = table(st.STAGES, P)
R_ROWS = [['"%d"' % (t + 1), *p] for t, p in enumerate(P)]
# A table of scores, and what is said of it.
SCORES = {
    "truth": (beside("truth", WORDS), column(6, "truth", WORDS[0], both("truth"))),
    "truth first": (beside("truth", WORDS, True), column(1, "truth", WORDS[0], both("truth"))),
    "numbers": (beside("y_true", NUMBERS), column(6, "y_true", NUMBERS[0], "--labels y_true reads it as "
                                                                           "labels, ")),
    "id": (beside("id", ["rec.edf"] * T), column(6, "id", "rec.edf", "--ids id reads it as names of "
                                                                     "recordings, ")),
    "confidence": (beside("confidence", ["0.93"] * T), column(6, "confidence", "0.93", "")),
    "nothing": (beside("note", [""] * T), column(6, "note", "", "")),
    "a blank in its name": (beside("my truth", NUMBERS),
                            column(6, "my truth", NUMBERS[0], "--labels 'my truth' reads it as labels, ")),
    "R": (table(st.STAGES, R_ROWS), "THIS: line 2 has 6 cells, the first line 5; " + R),
    "R, blanks": (table(['"%s"' % s for s in st.STAGES], R_ROWS, " "),
                  "THIS: line 2 has 6 cells, the first line 5; " + R),
    "a comma at the end": (",".join(st.STAGES) + "\n" + table(None, P).replace("\n", ",\n"),
                           "THIS: line 2 has 6 cells, the first line 5; the last one is empty: end the first "
                           "line with a delimiter too, or no line"),
    "Excel": (table(st.STAGES, P, ";", ","),
              'THIS: line 2, column 1 (Wake): "%s" is not a number; decimals follow a point, as in 0.5: '
              "tr , . < OLD > NEW" % repr(P[0, 0]).replace(".", ",")),
    "totals": (PLAIN + "Total,,,,\n",
               'THIS: line 14, column 1 (Wake): "Total" is not a number; a line of totals? delete it'),
    "totals, short": (PLAIN + "Totals,40\n", "THIS: line 14 has 2 cells, the first line 5; a line of totals? "
                                             "delete it"),
    "mean of rows with numbers": (table(["", *st.STAGES], [["%d" % t, *p] for t, p in enumerate(P)] +
                                        [["mean", *P.mean(0)]]),
                                  'THIS: line 14, column 1 (): "mean" follows row 11; a line of totals? '
                                  'delete it'),
    "totals of numbers": (table(st.STAGES, [*P, P.sum(0)]),
                          "THIS: table, recording t, step 12: the row sums to 12, not 1 (probs): the last "
                          "row alone is "
                          "so: a line of totals? leave it out"),
    "comment": ("# made by tool\n" + PLAIN, TITLED % 2),
    "comments": ("# made\n# by tool\n" + PLAIN, TITLED % 3),
    "title": ("Results of night 1\n" + PLAIN, TITLED % 2),
    "comment with commas": ("# made by tool, v2, x, y, z\n" + PLAIN, TWO_LINES),
    "title with commas": ("Results,,,,\n" + PLAIN, TWO_LINES),
    "units": (PLAIN.replace("\n", "\np,p,p,p,p\n", 1), TWO_LINES),
    "comment of other length": ("# made, by tool\n" + PLAIN, "THIS: line 2 has 5 cells, the first line 2; a "
                                                             "comment "
                                                             "before the names of the columns? delete it"),
}
STEPS = [[str(t), w] for t, w in enumerate(WORDS)]
LIST = "".join(w + "\n" for w in WORDS)
# Labels of their own, and what is said of them.
LABELS = {
    "another name": ("t.csv", table(["epochnr", "truth"], STEPS),
                     "THIS: line 1 names no column label, but epochnr, truth; --labels 'THIS:/truth' reads "
                     "it, and fit and new read it by --labels 'truth', and a first line recording,step,label "
                     "or recording,label is known"),
    "another name alone": ("t.csv", "truth\n" + LIST, 'THIS: line 1: label "truth" ' + NO_CLASS +
                           "; the name of a column? --labels 'THIS:/truth' reads it, and fit and new read it "
                           "by --labels 'truth'"),
    "comment": ("t.txt", "# scored by AB\n" + LIST, 'THIS: line 1: label "# scored by AB" ' + NO_CLASS +
                "; a comment? delete the line"),
    "comment with a comma": ("t.csv", "# scored, by AB\n" + table(["step", "label"], STEPS),
                             "THIS: line 1 names no column label, but scored, by AB; a comment? delete the "
                             "line, and a "
                             "first line recording,step,label or recording,label is known"),
    "R": ("t.csv", table(["step", "label"], [['"%d"' % t, *s] for t, s in enumerate(STEPS)]),
          "THIS: line 2 has 3 fields, the header 2; " + R),
    "R, blanks": ("t.csv", table(['"step"', '"label"'], STEPS, " "), "THIS: line 1: letters follow a closing "
                                                                     "quote; a "
                  "quote inside a cell is written twice; " + BLANKS),
    "blanks": ("t.txt", table(["step", "label"], STEPS, " "), 'THIS: line 1: label "step label" '
                                                              + NO_CLASS + "; " +
               BLANKS),
    "totals": ("t.csv", table(["step", "label"], STEPS) + "Total,12\n",
               'THIS: line 14: step "Total" is not a whole number from 0 on; a line of totals? delete it'),
    "totals of a list": ("t.txt", LIST + "Total: 12 epochs\n", 'THIS: line 13: label "Total: 12 epochs" '
                                                               + NO_CLASS +
                         "; a line of totals? delete it"),
    "totals, long": ("t.csv", table(["step", "label"], STEPS) + "Total,12,100%\n",
                     "THIS: line 14 has 3 fields, the header 2; a line of totals? delete it"),
    "no such column": ("t.csv:/truth", table(["step", "label"], STEPS),
                       "t.csv: --labels: no column is called truth; the first line names step, label"),
    "a list has no columns": ("t.txt:/truth", LIST, "t.txt: --labels: no column is called truth; the first "
                                                    "line names "
                                                    "no columns"),
}


class TestTableAdvice(st.TestCase):
    def compared(self, file, *options, status=0):
        return self.statepath("compare", file, *options, "-m", "sleep-aasm", "-s", "argmax", "--json", "-",
                              status=status)

    def options_of(self, said):
        return re.findall(r"--(labels|ids|classes) ('[^']*'|[\w,.:/]+)", said)

    def test_scores(self):
        for what, (text, sentence) in SCORES.items():
            with self.subTest(what):
                self.write("t.csv", text)
                self.refuses("decode", "t.csv", "-m", "sleep-aasm", "-s", "argmax", "-o", "p.csv", "-f",
                             sentence=sentence.replace("THIS", "t.csv"))
                for name, value in self.options_of(sentence):
                    if (name, value) == ("ids", "truth"):  # classes come back
                        continue
                    self.statepath("decode", "t.csv", "-m", "sleep-aasm", "-s", "argmax", "-o", "p.csv", "-f",
                                   "--" + name, value.strip("'"))
                    read = [line.split(",")[2] for line in self.read("p.csv").decode().splitlines()[1:]]
                    self.assertEqual(read, WORDS, (name, value))

    def test_chosen_columns(self):
        rows = [["n%d" % (t // 6), "x", *p, w] for t, (p, w) in enumerate(zip(P, WORDS))]
        counted = table(["night", "label", *"01234", "truth"], [[r[0], "?", *r[2:]] for r in rows])
        named = table(["night", "note", *st.STAGES, "truth"], rows)
        for what, text in {"named": named, "counted": counted}.items():
            with self.subTest(what):
                self.write("t.csv", text)
                classes = ",".join(st.STAGES) if what == "named" else "0,1,2,3,4"
                found = self.compared("t.csv", "--labels", "truth", "--ids", "night", "--classes",
                                      classes).stdout
                self.assertEqual(self.results_of(found), (2, 1.0))
                found = self.compared("t.csv", "--labels", "/truth", "--classes", classes).stdout
                self.assertEqual(self.results_of(found), (1, 1.0))
        for option, name in (("labels", "trueth"), ("ids", "ident"), ("classes", "RME")):
            self.refuses("compare", "t.csv", "--" + option, name, "-m", "sleep-aasm",
                         sentence="t.csv: --%s: no column is called %s; the first line names night, label, "
                                  "0, 1, 2, 3, "
                                  "4, truth" % (option, name) if option != "classes" else
                                  "t.csv: --classes: no column is called RME; the first line names night, "
                                  "label, 0, 1, "
                                  "2, 3, 4, truth")

    def test_chosen_are_used(self):
        """What an option chose is not among what was not used; a table of labels is read so by other "
          "commands."""
        rows = [["n%d" % (t // 6), *p, w] for t, (p, w) in enumerate(zip(P, WORDS))]
        self.write("t.csv", table(["night", *st.STAGES, "truth"], rows))
        np.savez(self.path("t.npz"), probs=P, offsets=[0, 6, 12], night=["n0", "n1"])
        for file in ("t.csv", "t.npz"):
            options = ["--ids", "night"] + (["--labels", "truth"] if file == "t.csv" else [])
            found = self.statepath("inspect", file, *options).stdout
            self.assertIn("recordings  2: n0, n1\n", found)
            self.assertNotIn("not used", found)
        self.write("l.csv", table(["night", "truth"], [["t", w] for w in WORDS]))
        self.statepath("decode", "t.csv", "--classes", ",".join(st.STAGES), "-m", "sleep-aasm", "-s",
                       "argmax", "-o", "p.h5")
        found = self.statepath("evaluate", "p.h5", "--labels", "l.csv:/truth", "--json", "-").stdout
        self.assertEqual(self.results_of(found), (1, 1.0))

    def results_of(self, text):
        report = json.loads(text)
        return report["input"]["recordings"], report["strategies"]["argmax"]["accuracy"]

    def test_labels(self):
        np.save(self.path("s.npy"), P)
        for what, (place, text, sentence) in LABELS.items():
            with self.subTest(what):
                file = place.split(":")[0]
                self.write(file, text)
                said = self.compared("s.npy", "--labels", place, status=1).stderr
                self.assertEqual(said, "statepath: %s\n" % sentence.replace("THIS", file))
                for name, value in self.options_of(sentence.replace("THIS", file)):
                    if ":" not in value:
                        self.statepath("fit", file, "--labels", value.strip("'"), "-r", "sleep-aasm", "-o",
                                       "f.json", "-f")
                        continue
                    found = self.compared("s.npy", "--" + name, value.strip("'")).stdout
                    self.assertEqual(self.results_of(found)[1], 1)

    def test_read(self):
        """What numpy and R write and is as clear as others' tables."""
        np.save(self.path("s.npy"), P)
        for text in ("# label\n" + LIST, "#label\n" + "".join(n + "\n" for n in NUMBERS),
                     "# recording,step,label\n" + "".join("s,%s,%s\n" % (t, w) for t, w in STEPS)):
            self.write("l.txt", text)
            self.assertEqual(self.results_of(self.compared("s.npy", "--labels", "l.txt").stdout)[1], 1)
        for header in ("# " + " ".join(st.STAGES), " ".join('"%s"' % s for s in st.STAGES)):
            self.write("t.csv", header + "\n" + table(None, P, " "))
            self.statepath("decode", "t.csv", "-m", "sleep-aasm", "-s", "argmax", "-o", "p.csv", "-f")
            read = [line.split(",")[2] for line in self.read("p.csv").decode().splitlines()[1:]]
            self.assertEqual(read, WORDS)


if __name__ == "__main__":
    st.main()
