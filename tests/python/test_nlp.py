"""statepath.nlp without the packages that it works with: columns of CoNLL as the program reads and writes them, entities, words of several tokens."""
import json
import subprocess

import numpy as np
import pytest

import statepath as sp
from statepath import nlp
from statepath.compat import seqeval

ID2LABEL = {0: "O", 1: "B-PER", 2: "I-PER"}


def sentences(rng, n=30):
    tags = np.array(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
    lengths = rng.integers(1, 9, n)
    return [[f"w{i}" for i in range(t)] for t in lengths], *([tags[rng.integers(0, 5, t)].tolist() for t in lengths] for _ in range(2))


def untidy(rng, tokens, tags, predicted):
    """The same file with tabs, carriage returns, comments, empty lines and a mark of UTF-8."""
    lines = ["-DOCSTART- -X- O", ""]
    for sentence in zip(tokens, tags, predicted):
        lines += ["# text = a comment"] * rng.integers(0, 2) + [rng.choice([" ", "\t", "  "]).join((w, "x", t, p)) for w, t, p in zip(*sentence)]
        lines += [rng.choice(["", " ", "\t"])] * rng.integers(1, 3)
    return ("\ufeff" + rng.choice(["\n", "\r\n"]).join(lines)).encode()


@pytest.mark.filterwarnings("ignore:.*passed over as comment")
@pytest.mark.parametrize("seed", range(4))
def test_conll_is_read_as_the_program_reads_it(program, tmp_path, seed):
    pytest.importorskip("statepath._evaluation", reason="built without GSL")
    rng = np.random.default_rng(seed)
    given = sentences(rng)
    (tmp_path / "a.conll").write_bytes(untidy(rng, *given))
    read = nlp.read_conll(tmp_path / "a.conll", predicted=-1)
    assert read == given
    model = sp.Model.bio(["PER", "LOC"])
    model.save(tmp_path / "m.json")
    subprocess.run([program, "evaluate", "a.conll", "--model", "m.json", "--json", "r.json", "-q"], cwd=tmp_path, check=True, capture_output=True)
    (theirs,) = json.loads((tmp_path / "r.json").read_text())["strategies"].values()
    (mine,) = sp.evaluate(read.predicted, read.tags, model).data["strategies"].values()
    for key in ("confusion", "accuracy", "entities", "illegal", "illegal_pairs"):
        assert mine[key] == theirs[key], key


def test_conll_goes_round(program, tmp_path):
    tokens, tags, predicted = sentences(np.random.default_rng(5))
    tags[0][0] = ""
    nlp.write_conll(tmp_path / "a.conll", predicted, tokens, tags=tags)
    assert nlp.read_conll(tmp_path / "a.conll", predicted=3) == (tokens, tags, predicted)
    assert nlp.read_conll(tmp_path / "a.conll", tag="2", predicted="-1") == (tokens, tags, predicted)
    assert nlp.read_conll(tmp_path / "a.conll", tag=-1) == (tokens, predicted, None)
    assert nlp.read_conll(tmp_path / "a.conll", tag=1).tokens == [[t or "-1" for t in s] for s in tags]
    probs = np.full((2, 3), 1 / 3)
    d = sp.decode([probs, probs[:1]], sp.Model.bio(["PER"]), full=True)
    nlp.write_conll(tmp_path / "b.conll", d, [["new york", ""], ["x"]])
    assert (tmp_path / "b.conll").read_text() == "new_york O\n_ O\n\nx O\n\n"
    (tmp_path / "c.bio").write_bytes(b"M\xfcller B-PER\n")
    latin = nlp.read_conll(tmp_path / "c.bio")
    nlp.write_conll(tmp_path / "d.bio", latin.tags, latin.tokens)
    assert (tmp_path / "d.bio").read_bytes() == b"M\xfcller B-PER\n\n"
    (tmp_path / "e.bio").write_text("O\nB-PER")
    assert nlp.read_conll(tmp_path / "e.bio") == (None, [["O", "B-PER"]], None)


def test_conll_comments(tmp_path):
    """A token "#" is one, as for the program; what is passed over is said."""
    file = tmp_path / "a.conll"
    for tab in "\t ":
        file.write_text(f"go{tab}O\n#{tab}B-PER\n#x{tab}O\n#{tab}-1\n")
        assert nlp.read_conll(file).tokens == [["go", "#", "#x", "#"]]
        with pytest.warns(sp.StatepathWarning, match='a.conll: 3 lines that begin with # are passed over as comments; comments="none" reads them as tokens'):
            assert nlp.read_conll(file, comments="hash").tokens == [["go"]]
    file.write_text("# id 5239\tdomain=en\n# _ _ O\nBonn _ _ B-LOC\n")
    with pytest.warns(sp.StatepathWarning, match="1 line that begins with # is passed over as a comment"):
        assert nlp.read_conll(file).tokens == [["#", "Bonn"]]
    assert nlp.read_conll(file, comments="none").tags == [["domain=en", "O", "B-LOC"]]
    file.write_text("Bonn B-LOC\n#x O O\n")
    with pytest.raises(sp.FileError, match='line 2 has 3 columns.*comments="hash"'):
        nlp.read_conll(file)
    with pytest.raises(sp.StatepathError, match='it is "auto", "none" or "hash"'):
        nlp.read_conll(file, comments="some")


def test_conll_faults(tmp_path):
    file = tmp_path / "a.conll"
    for text, word in (("", "holds no token"), ("\n# only this\n-DOCSTART- x\n", "holds no token"), ("a O\nb O O\n", "line 2 has 3 columns, the lines before have 2"),
                       ("a\0b O\n", "not a text file")):  # fmt: skip
        file.write_text(text)
        with pytest.raises(sp.FileError, match=word):
            nlp.read_conll(file)
    file.write_text("a O B-PER\n")
    for tag in (0, 4, -4, "x", 1.5, True):
        with pytest.raises(sp.StatepathError, match="tag=.*number of a column, 1 to 3"):
            nlp.read_conll(file, tag=tag)
    with pytest.raises(sp.StatepathError, match="predicted=7"):
        nlp.read_conll(file, predicted=7)
    file.write_text("O\n")
    with pytest.raises(sp.StatepathError, match="one column"):
        nlp.read_conll(file, predicted=1)
    with pytest.raises(sp.FileError, match="cannot be read"):
        nlp.read_conll(tmp_path / "nothing")
    with pytest.raises(sp.FileError, match="exists already"):
        nlp.write_conll(file, [["O"]], [["a"]])
    for decoded, tokens, word in (([["O"]], [["a", "b"]], r"decoded\[0\] has 1 steps and tokens\[0\] has 2"), ([], [["a"]], "decoded= has 0 sentences"),
                                  (["O"], [["a"]], "decoded= must be"), ([["O"]], "a", "tokens= must be")):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=word):
            nlp.write_conll(tmp_path / "new", decoded, tokens)
    assert not (tmp_path / "new").exists()


def test_spans_are_seqevals_entities():
    rng = np.random.default_rng(1)
    for _ in range(50):
        tags = rng.choice(["O", "B-A", "I-A", "B-B", "I-B", "E-A", "S-B"], 12).tolist()
        assert nlp.spans(tags) == [(kind, first, last + 1) for kind, first, last in seqeval.get_entities(tags)]
    assert nlp.spans(["I-A", "B-A", "I-B"], "IOB2") == [("A", 1, 2)] and nlp.spans([]) == []
    for path, scheme, word in (("B-A", None, "one sentence"), ([["B-A"]], None, "one sentence"), (3, None, "one sentence"), ([0, 1], None, "one sentence"),
                               (["B-A"], "IOB7", "IOB7"), (["E-A"], "IOB2", "E-A")):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=word):
            nlp.spans(path, scheme)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("how", ["first", "mean", "max"])
def test_words_of_several_tokens(how):
    rng = np.random.default_rng(2)
    logits = rng.normal(size=(6, 14, 3))
    word_ids, mask = [], np.ones((6, 14), int)
    for n in range(6):
        words = np.repeat(np.arange(14), rng.integers(1, 4, 14))[: 10 + n % 3]
        word_ids.append([None, *words.tolist(), *[None] * (13 - len(words))])
        mask[n, len(words) + 2 :] = 0
    labels = np.where(rng.random((6, 14)) < 0.2, -100, 0)
    expected = []
    for row, ids, label, real in zip(logits, word_ids, labels, mask):
        chain = []
        for word in sorted({w for w in ids if w is not None}):
            tokens = [t for t, w in enumerate(ids) if w == word and real[t]]
            if label[tokens[0]] == -100:
                continue
            p = softmax(row[tokens])
            chain.append(p[0] if how == "first" else p.mean(0) if how == "mean" else p[p.max(1).argmax()])
        expected.append(np.array(chain))
    d = nlp.decode_logits(logits, id2label=ID2LABEL, word_ids=word_ids, attention_mask=mask, labels=labels, subwords=how, full=True)
    truth = sp.decode(expected, sp.Model.bio(list(ID2LABEL.values())), kind="probs", full=True)
    assert d.names() == truth.names() and d.scores == pytest.approx(truth.scores)
    assert nlp.decode_logits(logits, id2label=ID2LABEL, word_ids=word_ids, attention_mask=mask, labels=labels, subwords=how) == d.names()


def test_faults_of_logits():
    logits = np.zeros((1, 2, 3))
    for more, word in (({"subwords": "last"}, "subwords='last'"), ({"subwords": "mean"}, "word_ids="), ({"word_ids": [[0]]}, "word_ids="),
                       ({"labels": [[0]]}, "labels= has shape"), ({"attention_mask": [1, 1]}, "attention_mask= has shape")):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=word):
            nlp.decode_logits(logits, id2label=ID2LABEL, **more)
    with pytest.raises(sp.StatepathError, match="shape"):
        nlp.decode_logits(logits[0], id2label=ID2LABEL)


def test_operating_points(tmp_path):
    file = tmp_path / "points.json"
    file.write_text('{"operating_points": {"default": {"biases": {"transition_bias_background_stay": -0.25, "transition_bias_inside_to_continue": 0.5}}, "b": {"biases": {}}}}')
    model = sp.Model.bio(["PER"], "BIOES", calibration=file)
    weights = model.log_weights
    assert weights is not None and weights[0].tolist() == [-0.25, 0, -np.inf, -np.inf, 0] and weights[1, 2] == 0.5
    other = sp.Model.bio(["PER"], "BIOES", calibration=file, point="b").log_weights
    assert other is not None and other[0, 0] == 0
    for point, scheme, sentence in (("c", "BIOES", "there is no operating point"), (None, "BIO", "say where an entity ends")):
        with pytest.raises(sp.StatepathError, match=sentence):
            sp.Model.bio(["PER"], scheme, calibration=file, point=point)
    with pytest.raises(sp.StatepathError, match="calibration= names the file"):
        sp.Model.bio(["PER"], "BIOES", point="b")
