"""Schemes of tags: the models that `model new` makes of them, and how entities are read."""
import itertools
import json

import statepath_test as st

TYPES = ("x", "y")
LETTERS = {"iob1": "BI", "iob2": "BI", "ioe1": "IE", "ioe2": "IE", "bioes": "BIES", "bilou": "BILU", "bmes": "BMES"}


def chunks(T):
    """All ways to lay entities of two types over T steps: lists of (type, first, last)."""
    if T <= 0:
        return [[]]
    out = chunks(T - 1)
    return out + [rest + [(k, T - n, T - 1)] for n in range(1, T + 1) for rest in chunks(T - n) for k in TYPES]


def tags_of(scheme, T, entities):
    """The definition of each scheme, entity by entity."""
    tags = ["O"] * T
    for k, first, last in entities:
        before, after = ((k, last + 1) in [(e[0], e[1]) for e in entities], (k, first - 1) in [(e[0], e[2]) for e in entities])
        after, before = before, after
        for t in range(first, last + 1):
            letter = "I"
            if scheme == "iob2" or (scheme == "iob1" and before):
                letter = "B" if t == first else "I"
            elif scheme == "ioe2" or (scheme == "ioe1" and after):
                letter = "E" if t == last else "I"
            elif scheme in ("bioes", "bilou", "bmes"):
                letter = "S" if first == last else "B" if t == first else "E" if t == last else "I"
            letter = {"bilou": {"E": "L", "S": "U"}, "bmes": {"I": "M"}}.get(scheme, {}).get(letter, letter)
            tags[t] = letter + "-" + k
    return tuple(tags)


class TestSchemes(st.TestCase):
    def test_rules_are_what_the_schemes_can_write(self):
        """A model allows exactly the sequences that some entities are written as."""
        for scheme, letters in LETTERS.items():
            model = json.loads(self.statepath("model", "new", scheme, "--types", ",".join(TYPES)).stdout)
            self.assertEqual(model["classes"], ["O"] + [c + "-" + k for k in TYPES for c in letters])
            self.assertEqual(model["name"], "bio" if scheme == "iob2" else scheme)
            start, end = (model.get(key, model["classes"]) for key in ("start", "end"))
            for T in (1, 2, 3):
                written = {tags_of(scheme, T, e) for e in chunks(T)}
                legal = {s for s in itertools.product(model["classes"], repeat=T)
                         if s[0] in start and s[-1] in end and all(b in model["allow"][a] for a, b in zip(s, s[1:]))}
                self.assertEqual(legal, written, scheme)

    def test_other_names(self):
        self.assertEqual(self.statepath("model", "new", "iob2", "--types", "x").stdout, self.statepath("model", "new", "bio", "--types", "x").stdout)
        self.refuses("model", "new", "ioe3", "--types", "x", status=2,
                     sentence='"ioe3" is no kind of model; the kinds are bio, bioes, iob1, iob2, ioe1, ioe2, bilou, bmes, left-right, cycle, band or from-labels')

    def entities(self, scheme, reference, path, *more, status=0):
        """[correct, decoded, reference] of both readings."""
        self.write("ref.csv", "recording,label\n" + "".join("a,%s\n" % t for t in reference.split()))
        self.write("path.csv", "recording,label\n" + "".join("a,%s\n" % t for t in path.split()))
        kind = scheme.lower()
        self.statepath("model", "new", kind, "--types", "x,y", "-o", "m.json", "-f", "-q")
        self.statepath("evaluate", "path.csv", "--labels", "ref.csv", "-m", "m.json", "--json", "r.json", "-f", "-q", *more)
        e = json.loads(self.read("r.json"))["strategies"]["path"]["entities"]
        return [e[k] for k in ("correct", "decoded", "reference")], [e["strict"][k] for k in ("correct", "decoded", "reference")], e["scheme"]

    def test_readings(self):
        """Worked by hand; `scheme` is by the letters unless it is named."""
        for scheme, reference, path, default, strict in (
                ("iob1", "I-x I-x B-x I-y O", "I-x I-x I-x I-y O", [1, 2, 3], [1, 2, 3]),
                ("iob2", "B-x I-x O I-y B-y", "B-x I-x O B-y B-y", [3, 3, 3], [2, 3, 2]),
                ("ioe1", "I-x E-x I-x O I-y", "I-x I-x I-x O I-y", [1, 2, 3], [1, 2, 3]),
                ("ioe2", "I-x E-x E-x O E-y", "I-x I-x E-x O I-y", [1, 2, 3], [0, 1, 3]),
                ("bioes", "B-x I-x E-x S-y O", "B-x I-x I-x S-y O", [2, 2, 2], [1, 1, 2]),
                ("bilou", "B-x I-x L-x U-y O", "B-x I-x I-x U-y O", [2, 2, 2], [1, 1, 2]),
                ("bmes", "B-x M-x E-x S-y O", "B-x M-x M-x S-y O", [2, 2, 2], [1, 1, 2])):
            more = ["--scheme", scheme.upper()] if scheme in ("iob1", "ioe1") else []
            self.assertEqual(self.entities(scheme, reference, path, *more), (default, strict, scheme.upper()), scheme)

    def test_scheme_that_does_not_fit(self):
        self.entities("iob2", "O", "O")
        self.refuses("evaluate", "path.csv", "--labels", "ref.csv", "-m", "m.json", "--scheme", "IOE2", status=2,
                     sentence='tag "B-x" is none of the scheme IOE2: tags are O and I-X, E-X (--scheme names another scheme; special tokens are no classes)')
        self.refuses("evaluate", "path.csv", "--labels", "ref.csv", "-m", "m.json", "--scheme", "IOE3", status=2,
                     sentence='--scheme "IOE3": there are IOB1, IOB2 (or BIO), IOE1, IOE2, BIOES, BILOU, BMES')
        self.statepath("model", "new", "band", "--classes", "O,b", "-o", "m2.json")
        self.refuses("evaluate", "path.csv", "--labels", "ref.csv", "-m", "m2.json", "--scheme", "BIO", status=2,
                     sentence="--scheme: the classes are no tags of entities, such as O, B-PER and I-PER")


class TestConversion(st.TestCase):
    def test_each_to_each(self):
        """Every way to lay entities over four steps, in each scheme, converted to each other one."""
        def text(scheme):
            return "".join("".join("w%d %s\n" % (t, tag) for t, tag in enumerate(tags_of(scheme, 4, e))) + "\n" for e in chunks(4))
        for one in LETTERS:
            self.write("in.conll", text(one))
            for other in LETTERS:
                self.statepath("convert", "in.conll", "--scheme", other, "-o", "out.conll", "-f", "-q")
                self.assertEqual(self.read("out.conll").decode(), text(other), (one, other))
        self.statepath("convert", "in.conll", "-o", "out.conll", "-f", "-q")
        self.assertEqual(self.read("out.conll"), self.read("in.conll"))

    def test_faults(self):
        self.write("in.conll", "a O\n")
        self.write("other.conll", "a O\n")
        self.refuses("convert", "in.conll", "--labels", "other.conll", "-o", "o.conll", status=2,
                     sentence="-o o.conll takes the labels of in.conll itself, not those of --labels other.conll; convert that file")
        self.refuses("convert", "in.conll", "--scheme", "BIOES", "-o", "o.h5", status=2,
                     sentence="--scheme: tags are written in a scheme as columns of CoNLL: -o OUT.conll")
        self.write("in.conll", "a Wake\nb N1\n")
        self.refuses("convert", "in.conll", "--scheme", "BIOES", "-o", "o.conll", status=2,
                     sentence="--scheme: the classes of in.conll are no tags of entities, such as O, B-PER and I-PER")


if __name__ == "__main__":
    st.main()
