"""Entities as JSON lines: what the decoded path reads as, where that stands in the text, its score, and its posterior by enumeration of all paths."""
import itertools
import json

import numpy as np

import statepath_test as st

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
BIOES = ["O"] + [f"{letter}-{kind}" for kind in ("PER", "LOC") for letter in "BIES"]


def entities(tags, segments=None):
    """(type, first, last) as conlleval reads tags: written once more, chunk by chunk."""
    found, open_ = [], None
    for t, tag in enumerate([*tags, "O"]):
        letter, kind = (tag[0], tag[2:]) if tag != "O" else ("O", None)
        is_cut = segments is not None and 0 < t < len(tags) and segments[t] != segments[t - 1]
        if open_ and (is_cut or kind != open_[0] or letter in "BS" or tags[t - 1][0] in "ES"):
            found.append((open_[0], open_[1], t - 1))
            open_ = None
        if kind and not open_:
            open_ = (kind, t)
    return found


def follows(a, b, is_bioes):
    """In IOB2, or BIOES; None stands before the first and after the last."""
    ends = a is None or a == "O" or a[0] in "ES" or not is_bioes
    starts = b is None or b == "O" or b[0] in "BS"
    goes_on = a and b and a[0] in "BI" and b[0] in "IE" and a[2:] == b[2:]
    return bool(goes_on or (ends and starts))


def posteriors(log_probs, classes, segments=None):
    """Of each (type, first, last): the share of the weight of all legal paths that read so."""
    weights, total = {}, 0.0
    for path in itertools.product(range(len(classes)), repeat=len(log_probs)):
        tags = [classes[k] for k in path]
        if not all(follows(a, b, classes is BIOES) for a, b in zip([None, *tags], [*tags, None])):
            continue
        w = float(np.exp(sum(log_probs[t, k] for t, k in enumerate(path))))
        total += w
        for e in entities(tags, segments):
            weights[e] = weights.get(e, 0) + w
    return {e: w / total for e, w in weights.items()}


class TestSpans(st.TestCase):
    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(31)
        self.statepath("model", "new", "bio", "--types", "PER,LOC", "-o", "m.json", "-q")
        self.statepath("model", "new", "bioes", "--types", "PER,LOC", "-o", "bioes.json", "-q")

    def spans(self, name, *options, model="m.json", verb="decode", **more):
        self.statepath(verb, name, "-m", model, "-o", "s.jsonl", "-f", "-q", *options, **more)
        return [json.loads(line) for line in self.read("s.jsonl").decode().splitlines()]

    def decoded(self, name, *options, model="m.json"):
        """The path, from columns of CoNLL."""
        self.statepath("decode", name, "-m", model, "-o", "p.conll", "-f", "-q", *options, stderr=None)
        return [[line.split()[-1] for line in block.strip().splitlines()] for block in self.read("p.conll").decode().split("\n\n") if block.strip()]

    def random(self, lengths, classes, sharpness=1.5):
        return np.log(self.rng.dirichlet([.3 * sharpness] * len(classes), size=sum(lengths)) + 1e-9)

    def save(self, name, log_probs, lengths, classes=TAGS, **more):
        log_probs = log_probs - np.logaddexp.reduce(log_probs, axis=1, keepdims=True)
        np.savez(self.path(name), log_probs=log_probs, offsets=np.cumsum([0, *lengths]), classes=classes, **more)

    def test_against_the_path_and_all_paths(self):
        for classes, model, lengths in ((TAGS, "m.json", [5, 0, 6, 1, 4]), (BIOES, "bioes.json", [4, 1, 5])):
            log_probs = self.random(lengths, classes)
            self.save("x.npz", log_probs, lengths, classes, ids=[f"r{n}" for n in range(len(lengths))])
            lines, paths = self.spans("x.npz", model=model), iter(self.decoded("x.npz", model=model))
            expected, first = [], 0
            for n, length in enumerate(lengths):
                rows = log_probs[first:first + length] - np.logaddexp.reduce(log_probs[first:first + length], axis=1, keepdims=True)
                first += length
                if not length:
                    continue
                tags, known = next(paths), posteriors(rows, classes)
                for kind, a, b in entities(tags):
                    score = sum(rows[t, classes.index(tags[t])] for t in range(a, b + 1))
                    expected.append({"recording": f"r{n}", "type": kind, "first": a, "last": b, "score": score, "posterior": known[kind, a, b]})
            self.assertGreater(len(expected), 3)
            self.assertEqual([{k: v for k, v in line.items() if isinstance(v, (str, int))} for line in lines],
                             [{k: v for k, v in line.items() if isinstance(v, (str, int))} for line in expected])
            for line, other in zip(lines, expected):
                self.assertAlmostEqual(line["score"], other["score"], 6)
                self.assertAlmostEqual(line["posterior"], other["posterior"], 6)
                self.assertEqual(list(line), list(other))

    def sure(self, tags):
        return np.log(np.full((len(tags), len(TAGS)), .02) + .9 * np.eye(len(TAGS))[[TAGS.index(tag) for tag in tags]])

    def test_gaps(self):
        """No entity goes on across the border of segments, in the list and in the posterior."""
        log_probs, segments = self.sure(["B-PER", "I-PER", "B-PER", "O", "O"]), [0, 0, 1, 1, 2]
        log_probs[2, 2], log_probs[2, 1] = np.log(.5), np.log(.42)
        self.save("x.npz", log_probs, [5], segments=segments)
        lines = self.spans("x.npz")
        self.assertEqual([(line["first"], line["last"]) for line in lines], [(0, 1), (2, 2)])
        self.save("y.npz", log_probs, [5])
        self.assertEqual([(line["first"], line["last"]) for line in self.spans("y.npz")], [(0, 2)])

    def test_holes(self):
        """Steps that take no part count as places; their neighbours are joined, or parted."""
        log_probs = self.sure(["O", "B-LOC", "O", "I-LOC", "O", "B-PER"])
        self.save("x.npz", log_probs, [6], valid=np.array([0, 1, 0, 1, 1, 1], bool), tokens=list("abcdef"))
        self.assertEqual([(line["type"], line["first"], line["last"], line["text"]) for line in self.spans("x.npz", "--gaps", "join")],
                         [("LOC", 1, 3, "b c d"), ("PER", 5, 5, "f")])
        self.assertEqual([(line["type"], line["first"], line["last"]) for line in self.spans("x.npz", "--gaps", "break")][-1], ("PER", 5, 5))
        self.assertNotIn((1, 3), [(line["first"], line["last"]) for line in self.spans("x.npz", "--gaps", "break")])

    def test_no_path(self):
        """A recording without a path says so; a relaxed one is marked; one without entities has no line."""
        log_probs = self.sure(["O", "O", "I-PER", "I-PER"])
        log_probs[2:] = -np.inf
        log_probs[2:, 2] = 0
        log_probs[2, 2] = 0
        log_probs[:2, 1:] = -np.inf
        self.save("x.npz", log_probs, [2, 2], ids=["fine", "dead"])
        self.assertEqual(self.spans("x.npz", "--on-infeasible", "report", status=3), [{"recording": "dead", "status": "no_path", "step": 0}])
        (line,) = self.spans("x.npz", "--on-infeasible", "relax", stderr=None)
        self.assertEqual((line["recording"], line["type"], line["first"], line["last"], line["relaxed"]), ("dead", "PER", 0, 1, True))
        self.assertNotIn("posterior", line)

    def test_several_strategies(self):
        log_probs = self.sure(["O", "I-PER", "B-LOC"])
        log_probs[0, 1] = np.log(.4)
        self.save("x.npz", log_probs, [3], labels=[0, 0, 3])
        lines = self.spans("x.npz", "--strategies", "argmax,viterbi", verb="compare")
        self.assertEqual([(line["strategy"], line["type"], line["first"], line["last"]) for line in lines],
                         [("argmax", "PER", 1, 1), ("argmax", "LOC", 2, 2), ("viterbi", "PER", 0, 1), ("viterbi", "LOC", 2, 2)])
        known = posteriors(log_probs - np.logaddexp.reduce(log_probs, axis=1, keepdims=True), TAGS)
        self.assertAlmostEqual(lines[0]["posterior"], known["PER", 1, 1], 6)  # not of the illegal path, but of all that read so
        self.assertEqual(lines[1]["posterior"], lines[3]["posterior"])
        self.refuses("decode", "x.npz", "-m", "m.json", "-o", "s.jsonl", "-f", "--confidence", status=2,
                     sentence="--confidence is written in HDF5: -o PATHS.h5, not s.jsonl")

    def test_other_models(self):
        """Models of folds speak of no one posterior; rules of single recordings are those of the posterior."""
        log_probs = self.sure(["O", "B-PER", "I-PER", "O", "B-LOC", "O"] * 4)
        self.save("x.npz", log_probs, [6] * 4, labels=[0, 1, 2, 0, 3, 0] * 4)
        lines = self.spans("x.npz", "--strategies", "viterbi", "--cv", "2", "--method", "counts", verb="compare", stderr=None)
        self.assertGreater(len(lines), 4)
        self.assertTrue(all("score" in line and "posterior" not in line for line in lines))
        whole = self.spans("x.npz")
        self.assertEqual(len(whole), 8)
        ruled = self.spans("x.npz", "--rule", "never 'I-PER'")
        self.assertEqual({line["last"] for line in ruled if line["type"] == "PER"}, {1})

    def test_text(self):
        """Places count characters, as Python does, by words or by offset_mapping."""
        text = "Ānna  Weld, Nome"
        np.save(self.path("logits.npy"), self.sure(["B-PER", "I-PER", "B-LOC"]))
        self.write("text.txt", text)
        expected = [("PER", 0, 11, "Ānna  Weld,"), ("LOC", 12, 16, "Nome")]
        placed = lambda lines: [(line["type"], line["start"], line["end"], line["text"]) for line in lines]
        self.assertEqual(placed(self.spans("logits.npy", "--text", "text.txt")), expected)
        for name, start, end, piece in expected:
            self.assertEqual(text[start:end], piece)
        one = {"text": text, "offset_mapping": [[0, 4], [6, 10], [12, 16], [0, 0]]}
        for name, content in (("t.json", json.dumps(one)), ("l.json", json.dumps([one])), ("t.jsonl", json.dumps(one) + "\n")):
            self.write(name, content)
            self.assertEqual(placed(self.spans("logits.npy", "--text", name)), [("PER", 0, 10, "Ānna  Weld"), expected[1]])

    def test_one_command(self):
        """Logits of a model of 33 tags, its id2label and a text become entities, without a model made before."""
        kinds = ["account_number", "private_address", "private_date", "private_email", "private_person", "private_phone", "private_url", "secret"]
        classes = ["O"] + [f"{letter}-{kind}" for kind in kinds for letter in "BIES"]
        truth = ["O", "B-private_person", "E-private_person", "O", "B-private_phone", "I-private_phone", "E-private_phone", "O", "S-private_email"]
        text = "Dear José Weld , 555 12 34 or j@example.org"
        logits = self.rng.normal(size=(len(truth), 33)).astype("f4")
        logits[np.arange(len(truth)), [classes.index(tag) for tag in truth]] += 6
        logits[5, classes.index("O")] += 9  # the best one by itself, which BIOES forbids
        np.save(self.path("logits.npy"), logits)
        self.write("text.txt", text)
        names = {str(k): name for k, name in enumerate(classes)}
        self.write("id2label.json", json.dumps(names))
        self.write("config.json", json.dumps({"model_type": "x", "id2label": names, "label2id": {}}))
        for file in ("id2label.json", "config.json"):
            self.statepath("decode", "logits.npy", "-m", "bioes", "--classes", file, "--text", "text.txt", "-o", "o.jsonl", "-f", stderr="wrote o.jsonl\n")
            lines = [json.loads(line) for line in self.read("o.jsonl").decode().splitlines()]
            self.assertEqual([(line["type"], line["start"], line["end"], line["text"]) for line in lines],
                             [("private_person", 5, 14, "José Weld"), ("private_phone", 17, 26, "555 12 34"), ("private_email", 30, 43, "j@example.org")])
            self.assertTrue(all(0 < line["posterior"] < 1 and line["score"] < 0 for line in lines))
        self.statepath("model", "new", "bioes", "--id2label", "config.json", "-o", "pii.json")
        self.statepath("decode", "logits.npy", "-m", "pii.json", "--text", "text.txt", "-o", "p.jsonl")
        self.assertEqual(self.read("p.jsonl"), self.read("o.jsonl"))
        self.refuses("decode", "logits.npy", "-m", "bioes", "-o", "q.jsonl", status=2,
                     sentence="--model bioes is a scheme of tags; --classes names these: a list A,B,C or the config.json of the classifier. "
                     "`statepath model new bioes` makes a model of types")
        self.refuses("decode", "logits.npy", "-m", "bioes", "--classes", "cat,dog", "-o", "q.jsonl", status=2,
                     sentence="cat,dog: names no tag such as O or B-cat; `statepath model new bioes` makes tags of types")
        self.refuses("decode", "logits.npy", "-m", "bioes", "--classes", "O,B-X,I-X,E-X,S-X", "-o", "q.jsonl",
                     sentence="logits.npy: has 33 classes, and --classes O,B-X,I-X,E-X,S-X names 5")

    def test_pieces_of_words(self):
        """Pieces of a word that take no part belong to it, between others and at the end; what begins elsewhere does not."""
        log_probs = self.sure(["B-PER", "O", "I-PER", "O", "B-PER", "O"])
        for last in (0, 1):
            np.savez(self.path("x.npz"), logits=log_probs[None, :5 + last], valid=np.array([[1, 0, 1, 0, 1, 0]], bool)[:, :5 + last], classes=TAGS)
            self.write("t.json", json.dumps({"text": "AnnaLi Bo , WeldOn", "offset_mapping": [[0, 3], [3, 6], [7, 9], [10, 11], [12, 15], [15, 17], [0, 0]]}))
            lines = self.spans("x.npz", "--text", "t.json", "--gaps", "join")
            self.assertEqual([(line["first"], line["last"], line["text"]) for line in lines], [(0, 2, "AnnaLi Bo"), (4, 4, "WeldO")])

    def test_word_ids(self):
        """Words are decoded by their first tokens; ids that go back are an error; of padded rows and of packed ones."""
        log_probs = self.sure(["O", "B-PER", "O", "I-PER", "O", "O", "B-LOC", "O"])
        pairs = [[0, 0], [0, 3], [3, 6], [7, 9], [0, 0], [0, 0], [0, 4], [4, 6]]
        ids, texts = np.array([[-1, 0, 0, 1], [1, -1, 0, 0]]), ["AnnaLi Boer", "NomeNo"]
        self.write("t.jsonl", "".join(json.dumps({"text": text, "offset_mapping": rows}) + "\n" for text, rows in zip(texts, (pairs[:4], pairs[4:]))))
        ids[1] = [-1, -1, 0, 0]
        log_probs[4] = log_probs[0]
        np.savez(self.path("x.npz"), logits=log_probs.reshape(2, 4, -1), word_ids=ids, classes=TAGS)
        lines = self.spans("x.npz", "--gaps", "join", "--text", "t.jsonl")
        self.assertEqual([(line["recording"], line["first"], line["last"], line["text"]) for line in lines], [("0", 1, 3, "AnnaLi Bo"), ("1", 2, 2, "NomeNo")])
        np.savez(self.path("y.npz"), logits=log_probs, word_ids=ids.ravel(), offsets=[0, 4, 8], classes=TAGS)
        self.assertEqual([(line["recording"], line["first"], line["last"]) for line in self.spans("y.npz", "--gaps", "join")], [("0", 1, 3), ("1", 2, 2)])
        np.savez(self.path("w.npz"), logits=log_probs[:4], word_ids=ids[0], classes=TAGS)
        self.assertEqual([(line["first"], line["last"]) for line in self.spans("w.npz", "--gaps", "join")], [(1, 3)])
        np.savez(self.path("w.npz"), logits=log_probs[:4], word_ids=[-1, 1, 1, 0], classes=TAGS)
        self.refuses("decode", "w.npz", "-m", "m.json", "-o", "o.jsonl", "--gaps", "join",
                     sentence="w.npz: array word_ids, step 3: word 0 after word 1; word ids do not go back")
        ids[1] = [-1, 1, 0, 0]
        np.savez(self.path("z.npz"), logits=log_probs.reshape(2, 4, -1), word_ids=ids, classes=TAGS)
        self.refuses("decode", "z.npz", "-m", "m.json", "-o", "o.jsonl", "--gaps", "join",
                     sentence="z.npz: array word_ids, recording 1, step 2: word 0 after word 1; word ids do not go back")

    def test_texts_of_several(self):
        self.save("x.npz", np.concatenate([self.sure(["B-PER", "O"]), self.sure(["B-LOC"])]), [2, 1], ids=["a", "b"])
        for name, content in (("t.txt", "Ann sings\nNome\n"), ("t.jsonl", '{"id": "b", "text": "Nome"}\n{"id": "a", "text": "Ann sings"}\n')):
            self.write(name, content)
            self.assertEqual([(line["recording"], line["text"], line["start"]) for line in self.spans("x.npz", "--text", name)], [("a", "Ann", 0), ("b", "Nome", 0)])

    def test_faults(self):
        self.save("x.npz", np.concatenate([self.sure(["B-PER", "O"]), self.sure(["B-LOC"])]), [2, 1], ids=["a", "b"])
        for content, sentence in (
            ("Ann sings now\nNome\n", 't.txt: the text of a has 3 words between blanks, and the scores have 2 steps; say where in the text each step '
             'stands: a JSON file {"text": ..., "offset_mapping": [[0, 4], ...]}'),
            ("Ann sings\n", "t.txt: has 1 lines, and there are 2 recordings; write a line for each"),
            ("Ann sings\nNome\nX\n", "t.txt: has more lines than there are recordings, 2"),
        ):
            self.write("t.txt", content)
            self.refuses("decode", "x.npz", "-m", "m.json", "-o", "o.jsonl", "--text", "t.txt", sentence=sentence)
        for content, sentence in (
            ([{"id": "c", "text": "Ann sings"}], 't.json: id "c" is no recording of the scores, whose first is "a"'),
            ([{"text": "Ann sings"}], "t.json: has no text of recording b"),
            ([{"text": "Ann sings"}] * 2, 't.json: the text of b has 2 words between blanks, and the scores have 1 steps; say where in the text each '
             'step stands: a JSON file {"text": ..., "offset_mapping": [[0, 4], ...]}'),
            ([{"text": "Ann sings", "offset_mapping": [[0, 3]]}], "t.json: offset_mapping of a has 1 tokens, and the scores have 2 steps"),
            ([{"text": "Ann sings", "offset_mapping": [[0, 3], [4, 10]]}], "t.json: offset_mapping of a, token 1: [4, 10] is no part of its text of 9 characters"),
            ([{"text": "Ann sings", "offset_mapping": [[4, 9], [0, 3]]}], "t.json: offset_mapping of a, token 1: begins at 0, before the token before it"),
            ([{"text": "Ann sings", "offset_mapping": [[0, 3], [4, 9], [4, 9]]}], "t.json: offset_mapping of a has a token 2 in the text, and the scores have 2 steps"),
            ([{"text": "Ann sings", "offset_mapping": [[0, 3], 4]}], "t.json: offset_mapping of a, token 1: is no pair of whole numbers, such as [0, 4]"),
            ([{"tekst": "Ann sings"}], 't.json: an object {"text": "...", "offset_mapping": [[0, 4], ...]} is needed for each recording'),
            ([{"id": "a", "text": "Ann sings"}] * 2, "t.json: has two texts of recording a"),
            ([{"text": "Ann sings"}, {"text": "Nome"}, {"text": "X"}], "t.json: has more texts than there are recordings, 2"),
        ):
            self.write("t.json", json.dumps(content))
            self.refuses("decode", "x.npz", "-m", "m.json", "-o", "o.jsonl", "--text", "t.json", sentence=sentence)
        self.refuses("decode", "x.npz", "-m", "m.json", "-o", "o.h5", "--text", "t.json",
                     status=2, sentence="--text says where spans stand in it: -o SPANS.jsonl writes them")
        self.write("l.conll", "A B-PER\nB O\n\n")
        self.refuses("convert", "l.conll", "-o", "o.jsonl", status=2,
                     sentence="-o o.jsonl: .jsonl is not written here; end the name with .conll, or with .h5 .hdf5 .he5, or give it no ending: HDF5")

    def test_runs_where_classes_are_no_tags(self):
        """Their posteriors against all paths: with starts, and a gap, or runs of b that must last two steps unless the end cuts them off."""
        K, T = 3, 6
        allow = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
        for gap, dwell in (4, 1), (T, 2):
            model = {"statepath_model": 1, "name": "m", "classes": ["a", "b", "c"], "matrix": allow.tolist(), "start": ["a", "b"], "min_dwell": {"b": dwell}}
            self.write("m.json", json.dumps(model))
            e = self.rng.normal(size=(2, T, K))
            self.h5("x.h5", scores=e.reshape(-1, K), offsets=[0, T, 2 * T], ids=["r", "s"], segments=np.tile([0] * gap + [1] * (T - gap), 2))
            rows = self.spans("x.h5", "--kind", "scores")
            self.statepath("decode", "x.h5", "-m", "m.json", "-o", "o.csv", "-f", "--kind", "scores")
            paths = [line.split(",")[2] for line in self.read("o.csv").decode().split()[1:]]

            def runs(path):
                cuts = [t for t in range(T + 1) if t in (0, gap, T) or path[t] != path[t - 1]]
                return [(first, end - 1, path[first]) for first, end in zip(cuts, cuts[1:])]

            def is_legal(path):
                steps = all(t == gap or allow[path[t - 1], path[t]] for t in range(1, T))
                return steps and path[0] != 2 and all(k != 1 or last + 1 - first >= dwell or last == T - 1 for first, last, k in runs(path))

            every = [path for path in itertools.product(range(K), repeat=T) if is_legal(path)]
            for i, name in enumerate("rs"):
                weight = {path: np.exp(e[i][np.arange(T), path].sum()) for path in every}
                own = tuple("abc".index(k) for k in paths[i * T:][:T])
                self.assertEqual(own, max(weight, key=weight.get))
                found = [row for row in rows if row["recording"] == name]
                self.assertEqual([(row["first"], row["last"], "abc".index(row["class"])) for row in found], runs(own))
                for row, run in zip(found, runs(own)):
                    self.assertEqual(list(row), ["recording", "class", "first", "last", "score", "posterior"])
                    share = sum(w for path, w in weight.items() if run in runs(path)) / sum(weight.values())
                    self.assertAlmostEqual(row["posterior"], share, 12)
                    self.assertAlmostEqual(row["score"], e[i][np.arange(run[0], run[1] + 1), run[2]].sum(), 12)


if __name__ == "__main__":
    st.main()
