"""Columns of CoNLL: read as labels and as paths, written by decode, and each fault with its line."""
import json

import numpy as np

import statepath_test as st

GOLD = """-DOCSTART- -X- O O

Rolf NNP B-PER B-PER
Weld\tNNP  I-PER I-PER
sings VBZ O O

# a comment of CoNLL-U
in IN O B-LOC
Nome NNP B-LOC I-LOC
"""
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


class TestConll(st.TestCase):
    def setUp(self):
        super().setUp()
        self.statepath("model", "new", "bio", "--types", "PER,LOC", "-o", "m.json", "-q")
        self.write("out.conll", GOLD)

    def evaluate(self, *arguments):
        return json.loads(self.statepath("evaluate", *arguments, "-m", "m.json", "--json", "-", "-q").stdout)

    def result(self, *arguments):
        """Without what names files."""
        report = self.evaluate(*arguments)
        return {k: v for k, v in report.items() if k not in ("input", "command", "labels")} | {
            "strategies": list(report["strategies"].values())}, report["input"]

    def test_gold_and_predicted(self):
        """The same figures as from HDF5."""
        ours, about = self.result("out.conll")
        self.assertEqual((about["recordings"], about["steps"]), (2, 5))
        self.h5("p.h5", paths__out=[1, 2, 0, 3, 4], labels=[1, 2, 0, 0, 3], offsets=[0, 3, 5], classes=TAGS)
        self.assertEqual(ours, self.result("p.h5")[0])
        self.assertEqual(ours["strategies"][0]["entities"]["f1"], 0.5)

    def test_other_columns(self):
        """The gold as the path: everything is right; and a file of labels with a column of its own."""
        ours, _ = self.result("out.conll", "--paths", "3", "--labels=-2")
        self.assertEqual(ours["strategies"][0]["accuracy"], 1)
        self.write("gold.bio", "\n".join(" ".join([*line.split()[:2], line.split()[2]]) if line and line[0] not in "-#" else ""
                                         for line in GOLD.split("\n")))
        one, _ = self.result("out.conll", "--labels", "gold.bio")
        two, _ = self.result("out.conll")
        self.assertEqual(one["strategies"][0]["confusion"], two["strategies"][0]["confusion"])
        three, _ = self.result("out.conll", "--labels", "out.conll:/3")
        self.assertEqual(three["strategies"][0]["confusion"], two["strategies"][0]["confusion"])

    def test_text_with_tags(self):
        """A .txt is one where all lines end with a tag; a list of labels stays a list."""
        self.write("out.txt", GOLD)
        self.assertEqual(self.result("out.txt")[0], self.result("out.conll")[0])
        self.write("list.txt", "O\nB-PER\nI-PER\n")
        self.assertEqual(self.result("list.txt")[1]["recordings"], 1)

    def test_decode_writes_tokens(self):
        """token, gold, predicted: from HDF5 and npz; without tokens gold and predicted, without gold the path."""
        scores = np.log(np.full((5, 5), .05) + .75 * np.eye(5)[[1, 2, 0, 0, 3]])
        tokens, labels = ["Rolf", "We ld", "sings", "in", "Nome"], [1, 2, 0, 0, -1]
        self.h5("s.h5", log_probs=scores, labels=labels, offsets=[0, 3, 5], tokens=[t.encode() for t in tokens], classes=TAGS)
        np.savez(self.path("s.npz"), log_probs=scores, labels=labels, offsets=[0, 3, 5], tokens=tokens, classes=TAGS)
        expected = "Rolf B-PER B-PER\nWe_ld I-PER I-PER\nsings O O\n\nin O O\nNome -1 B-LOC\n\n"
        for name in ("s.h5", "s.npz"):
            self.statepath("decode", name, "-m", "m.json", "-o", "o.conll", "-f", "-q")
            self.assertEqual(self.read("o.conll").decode(), expected)
        self.statepath("evaluate", "o.conll", "-m", "m.json", "-q", "--fail-if", "o.accuracy < 1")
        np.savez(self.path("n.npz"), log_probs=scores, offsets=[0, 3, 5], classes=TAGS)
        self.statepath("decode", "n.npz", "-m", "m.json", "-o", "o.conll", "-f", "-q")
        self.assertEqual(self.read("o.conll").decode(), "B-PER\nI-PER\nO\n\nO\nB-LOC\n\n")
        np.savez(self.path("bad.npz"), log_probs=scores, tokens=tokens[:4], classes=TAGS)
        self.refuses("decode", "bad.npz", "-m", "m.json", "-o", "o.conll", "-f",
                     sentence="bad.npz: array tokens has 4 tokens, but there are 5 steps; write one for each step")

    def test_rules_from_labels(self):
        """Classes are the tags that occur, O first."""
        model = json.loads(self.statepath("model", "new", "from-labels", "out.conll").stdout)
        self.assertEqual(model["classes"], ["O", "B-LOC", "B-PER", "I-LOC", "I-PER"])
        with open(self.path("latin.conll"), "wb") as out:  # Latin-1
            out.write(b"caf\xe9 B-caf\xe9\nx O\n")
        self.assertEqual(json.loads(self.statepath("model", "new", "from-labels", "latin.conll").stdout)["classes"], ["O", "B-caf\u00e9"])

    def test_faults(self):
        for text, sentence in (
                ("a O O\nb O\n", "bad.conll: line 2 has 2 columns, the lines before have 3; columns are parted by blanks or tabs, sentences by "
                                 "an empty line"),
                ("\n\n", "bad.conll: holds no token; write a token and its tag a line, an empty line after each sentence"),
                ("a O O\n\nb O X-Y\n", 'bad.conll: line 3, column 3: "X-Y" is no class of model bio; another column is named by its number')):
            self.write("bad.conll", text)
            self.refuses("evaluate", "bad.conll", "-m", "m.json", sentence=sentence)
        self.refuses("evaluate", "out.conll", "-m", "m.json", "--paths", "5", status=2,
                     sentence="out.conll: --paths 5: it is the number of a column, 1 to 4, or from the last one -1 to -4")


if __name__ == "__main__":
    st.main()
