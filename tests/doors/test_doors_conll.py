"""Columns of CoNLL as shared tasks publish them: tokens that look like comments, comments that look like tokens.

The figures are seqeval's (1.2.2): seqeval.metrics.f1_score(gold, predicted) on the columns of the lines below, split at blanks.
"""
import json

import numpy as np

import statepath_test as st

# As WNUT-17 writes sentences: tabs, and "#" as a token of its own.
GOLD = [["I O", "love O", "# O", "iPhone B-product", "! O"],
        ["# B-group", "BlackLives I-group", "# I-group", "Matter I-group"],
        ["# O"],
        ["go O", "to O", "San B-location", "# I-location", "Jose I-location"],
        ["#nofilter O", "by O", "Kanye B-person"]]
PREDICTED = [["I O", "love O", "# O", "iPhone B-product", "! B-product"],
             ["# O", "BlackLives B-group", "# I-group", "Matter I-group"],
             ["# B-product"],
             ["go O", "to O", "San B-location", "# O", "Jose I-location"],
             ["#nofilter O", "by O", "Kanye B-person"]]
F1 = 0.36363636363636365  # of all 18 tokens
F1_WITHOUT = 0.888888888888889  # without the five "#"


def text(sentences, tab="\t"):
    return "".join("".join(line.replace(" ", tab) + "\n" for line in sentence) + "\n" for sentence in sentences)


class TestConll(st.TestCase):
    def setUp(self):
        super().setUp()
        self.statepath("model", "new", "bio", "--types", "product,group,location,person", "-o", "m.json", "-q")
        self.write("gold.conll", text(GOLD))
        self.write("p.conll", text(PREDICTED))

    def f1(self, *arguments, steps):
        report = json.loads(self.statepath("evaluate", *arguments, "-m", "m.json", "--json", "-", "-q").stdout)
        self.assertEqual(report["input"]["steps"], steps)
        return report["strategies"]["p"]["entities"]["f1"]

    def test_a_token_hash(self):
        """With tabs, with blanks, and both columns in one file: seqeval's figure."""
        self.assertAlmostEqual(self.f1("p.conll", "--labels", "gold.conll", steps=18), F1, 12)
        for name, sentences in (("p", PREDICTED), ("gold", GOLD)):
            self.write(name + ".conll", text(sentences, " "))
        self.assertAlmostEqual(self.f1("p.conll", "--labels", "gold.conll", steps=18), F1, 12)
        both = "".join("".join("%s %s\n" % (g, p.split()[1]) for g, p in zip(*pair)) + "\n" for pair in zip(GOLD, PREDICTED))
        self.write("p.txt", both)
        self.assertAlmostEqual(self.f1("p.txt", steps=18), F1, 12)
        for arguments in (("inspect", "gold.conll"), ("convert", "gold.conll", "-o", "out.conll")):
            self.assertNotIn("#", self.statepath(*arguments).stderr)
        self.assertEqual(self.read("out.conll").decode(), text(GOLD, " "))

    def test_several_columns_of_classes(self):
        """Paths of two strategies beside the labels: which column is which must be said, as the last two would be taken for labels and path."""
        columns = "".join("".join("%s %s %s\n" % (g, p.split()[1], g.split()[1]) for g, p in zip(*pair)) + "\n" for pair in zip(GOLD, PREDICTED))
        self.write("p.txt", columns)
        self.refuses("evaluate", "p.txt", "-m", "m.json", sentence="p.txt: columns 2, 3 and 4 all hold classes, so nothing says which are the labels and "
                     "which the path; --labels N and --paths N name their columns")
        self.assertAlmostEqual(self.f1("p.txt", "--labels", "2", "--paths", "3", steps=18), F1, 12)

    def test_a_gold_column_with_a_word_that_is_no_class(self):
        """Most of it are classes, so it is the labels, and the word an error: never a file without labels. Most tokens are no classes."""
        judge = ["evaluate", "p.txt", "-m", "m.json"]
        for word, options, said in (("X-person", (), "is no class of model bio; another column is named by its number"),
                                    ("Person", ("--map", "B-group=B-location"), "is neither a class of the model nor in --map")):
            self.write("p.txt", "a O O\nb B-person B-person\n\nc %s O\nd -1 O\n" % word)
            self.assertRegex(self.statepath(*judge, *options, status=1).stderr, 'p.txt: line 4, column 2: (label )?"%s" %s' % (word, said))
        self.statepath(*judge, "--labels", "3", "-q")
        self.write("p.txt", "O NN O\nB-person O B-person\nin IN O\nb -1 O\nd -1 O\n")
        self.assertIn("no labels", self.statepath(*judge).stdout)
        self.write("p.txt", "O O\nB-person B-person\n\nin O\nBonn O\n")
        self.assertIn("no labels", self.statepath(*judge).stdout)
        self.write("p.txt", "a PER O\nb O B-person\nc PER O\n")
        told = [*judge, "--map", "PER=B-person", "--json", "-", "-q"]
        self.assertEqual(json.loads(self.statepath(*told).stdout)["strategies"]["p"]["accuracy"], 0)

    def test_choices(self):
        """none takes all lines for tokens, hash none that begins with #; what was passed over is said by each command."""
        self.write("gold.conll", "# id 1\n" + text(GOLD))
        said = "statepath: note: %s: %d line%s with # %s passed over as %s; --comments none reads %s\n"
        one = said % ("gold.conll", 1, " that begins", "is", "a comment", "it as a token")
        seven = said % ("gold.conll", 7, "s that begin", "are", "comments", "them as tokens")
        judge = ["evaluate", "gold.conll", "-m", "m.json"]
        self.assertEqual(self.statepath(*judge).stderr, one)
        self.assertEqual(self.statepath(*judge, "--comments", "auto").stderr, one)
        self.assertEqual(self.statepath(*judge, "--comments", "hash").stderr, seven)
        self.refuses(*judge, "--comments", "none", sentence="gold.conll: line 2 has 2 columns, the lines before have 3; columns are parted "
                     "by blanks or tabs, sentences by an empty line")
        for arguments in (("convert", "gold.conll", "-o", "c.conll"), ("model", "new", "from-labels", "gold.conll", "-o", "n.json"),
                          ("decode", "gold.conll", "-m", "m.json", "--label-confidence", ".9", "-o", "d.conll"),
                          ("compare", "gold.conll", "-m", "m.json", "--label-confidence", ".9"),
                          ("fit", "gold.conll", "-o", "f.json")):
            self.assertIn(one, self.statepath(*arguments).stderr, arguments[0])
            self.assertIn(seven, self.statepath(*arguments, "--comments", "hash", "-f").stderr, arguments[0])
        self.assertIn("note        1 line that begins with # is passed over as a comment; --comments none", self.statepath("inspect", "gold.conll").stdout)
        self.write("gold.conll", text(GOLD))
        for file in ("gold", "p"):
            self.write(file + ".conll", self.read(file + ".conll").decode().replace("#nofilter", "nofilter"))
        self.assertAlmostEqual(self.f1("p.conll", "--labels", "gold.conll", "--comments", "hash", steps=13), F1_WITHOUT, 12)

    def test_comments_that_have_as_many_columns(self):
        """As MultiCoNER writes them, beside a token "#" and a step without a class."""
        self.write("p.conll", "# id 5239d808-f300\tdomain=en\n# _ _ O\nBonn _ _ B-location\n# _ _ -1\n\n# id 77\tdomain=en\nx _ _ O\n")
        done = self.statepath("evaluate", "p.conll", "-m", "m.json", "--json", "-")
        self.assertEqual(done.stderr, "statepath: note: p.conll: 2 lines that begin with # are passed over as comments; --comments none reads them as tokens\n")
        report = json.loads(done.stdout)
        self.assertEqual((report["input"]["recordings"], report["input"]["steps"]), (2, 4))

    def test_labels_that_are_no_tags(self):
        """Parts of speech: a comment of ten words is none of ten columns."""
        row = "%d\t%s\t_\t%s" + 6 * "\t_" + "\n"
        self.write("u.conll", "# text = one two three four five six seven\n" + row % (1, "#", "SYM") + row % (2, "one", "NUM"))
        done = self.statepath("model", "new", "from-labels", "u.conll", "--labels", "4", "-o", "-")
        self.assertEqual(sorted(json.loads(done.stdout)["classes"]), ["NUM", "SYM"])
        self.assertIn("1 line that begins with #", done.stderr)

    def test_other_tokens(self):
        """Of the same number, but not the same: the first line that differs is named, in both files."""
        self.write("gold.conll", text(GOLD).replace("San\t", "Santa\t").replace("by\t", "with\t"))
        sentence = ('p.conll: line 16 has the token "San", and gold.conll in its place, line 16, "Santa"; both must be tags of the same tokens; '
                    "a file without tokens is matched by place")
        for command in (["evaluate"], ["compare", "--label-confidence", ".9"]):
            self.refuses(*command, "p.conll", "--labels", "gold.conll", "-m", "m.json", sentence=sentence)
        self.write("tags.conll", "".join(line.split()[-1] + "\n" if line else "\n" for line in text(GOLD).split("\n")[:-1]))
        self.assertAlmostEqual(self.f1("p.conll", "--labels", "tags.conll", steps=18), F1, 12)
        self.write("gold.conll", "# a sentence\n" + text(GOLD)[:-len("Kanye\tB-person\n\n")] + "Kim\tB-person\n\n")
        self.assertIn('p.conll: line 22 has the token "Kanye", and gold.conll in its place, line 23, "Kim"',
                      self.statepath("evaluate", "p.conll", "--labels", "gold.conll", "-m", "m.json", status=1).stderr)

    def test_steps_without_a_class(self):
        """-1 is none in every file; -100 where --unscored says so, or --map."""
        labelled = ["a O", "b %s", "c B-person"]
        judge = ["evaluate", "p.conll", "--labels", "gold.conll", "-m", "m.json", "--json", "-", "-q"]
        for none, options in (("-1", ()), ("-100", ("--unscored", "-100")), ("-1", ("--unscored", "-100"))):
            self.write("gold.conll", text([labelled]) % none)
            self.write("p.conll", text([["a O", "b O", "c B-person"]]))
            figures = json.loads(self.statepath(*judge, *options).stdout)
            self.assertEqual((figures["input"]["steps"], figures["input"]["scored_steps"]), (3, 2))
            self.write("p.conll", "a O O\nb %s O\nc B-person B-person\n" % none)
            self.assertEqual(json.loads(self.statepath("evaluate", "p.conll", *judge[4:], *options).stdout)["input"]["scored_steps"], 2)
            self.statepath("fit", "gold.conll", "-o", "f.json", "-q", "-f", *options)
        self.write("gold.conll", text([labelled]) % "-100")
        self.write("p.conll", text([["a O", "b O", "c B-person"]]))
        sentence = "gold.conll: line 2, column 2: -100 is no class; unscored steps are -1, and -100 with --unscored -100"
        self.refuses(*judge[:-1], sentence=sentence)
        self.refuses("fit", "gold.conll", "-o", "f.json", "-f", sentence=sentence)
        self.refuses("convert", "gold.conll", "-o", "c.conll", "-f", sentence=sentence)
        self.refuses(*judge[:-1], "--unscored", "-100", "--gaps", "join", sentence="gold.conll: line 2, column 2: --gaps leaves out labels of -100 in "
                     "arrays alone, and this is a text; without it they are unscored")

    def test_labels_of_a_text(self):
        """Steps without a label in lists and tables: as in CoNLL."""
        np.save(self.path("x.npy"), np.full((3, 9), 1 / 9))
        for name, header in (("y.txt", ""), ("y.csv", "label\n")):
            self.write(name, header + "0\n-100\n2\n")
            judge = ["compare", "x.npy", "--labels", name, "-m", "m.json", "--json", "-", "-q"]
            self.assertIn('label "-100" is no class', self.statepath(*judge, status=1).stderr)
            self.assertIn("or -1 for none, and -100 with --unscored -100;", self.statepath(*judge, status=1).stderr)
            self.assertEqual(json.loads(self.statepath(*judge, "--unscored", "-100").stdout)["input"]["scored_steps"], 2)
            self.assertIn("--gaps leaves out labels of -100 in arrays alone", self.statepath(*judge, "--unscored", "-100", "--gaps", "break", status=1).stderr)

    def test_wrong_use(self):
        self.refuses("evaluate", "p.conll", "-m", "m.json", "--comments", "some", status=2,
                     sentence="--comments some: it is auto (lines that begin with # and a blank, and do not look like the others), none or hash "
                     "(all lines that begin with #)")
        np.save(self.path("x.npy"), np.full((3, 9), 1 / 9))
        self.refuses("compare", "x.npy", "-m", "m.json", "--comments", "none", status=2,
                     sentence="--comments speaks of columns of CoNLL, and x.npy is of another format")
        self.write("p.conll", "#a O\nb O\n#c O O\n")
        self.refuses("evaluate", "p.conll", "-m", "m.json", sentence="p.conll: line 3 has 3 columns, the lines before have 2; columns are parted by "
                     "blanks or tabs, sentences by an empty line; --comments hash passes over what begins with #")


st.main()
