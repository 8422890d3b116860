"""statepath.nlp without the packages that it works with: columns of CoNLL as the program reads and writes them, entities, words of several tokens."""
import json
import os
import re
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


PII = ["O"] + [letter + "-" + name for name in ("account", "address", "date", "email", "person", "phone", "secret", "url") for letter in "BIES"]


def plain_viterbi(scores, biases):
    """Paths [N,T] of scores [N,T,K]: a step of all sequences at a time; of equal scores the first class."""
    kind = {("O", "O"): 0, ("O", "B"): 1, ("O", "S"): 1, ("E", "O"): 2, ("S", "O"): 2, ("E", "B"): 3, ("E", "S"): 3, ("S", "B"): 3, ("S", "S"): 3}
    inside = {("B", "I"): 4, ("I", "I"): 4, ("B", "E"): 5, ("I", "E"): 5}
    weight = np.full((len(PII), len(PII)), -np.inf)
    for i, a in enumerate(PII):
        for j, b in enumerate(PII):
            which = kind.get((a[0], b[0]), inside.get((a[0], b[0])) if a[2:] == b[2:] else None)
            weight[i, j] = -np.inf if which is None else biases[which]
    value = np.where([tag[0] in "OBS" for tag in PII], scores[:, 0], -np.inf)
    back = np.zeros(scores.shape, np.int32)
    for t in range(1, scores.shape[1]):
        reach = value[:, :, None] + weight
        back[:, t] = reach.argmax(1)
        value = reach.max(1) + scores[:, t]
    path = np.zeros(scores.shape[:2], np.int32)
    path[:, -1] = np.where([tag[0] in "OES" for tag in PII], value, -np.inf).argmax(1)
    for t in range(scores.shape[1] - 1, 0, -1):
        path[:, t - 1] = back[np.arange(len(path)), t, path[:, t]]
    return path


def test_operating_points_against_plain_viterbi(tmp_path):
    """STATEPATH_LONG: 100,000 sequences."""
    rng = np.random.default_rng(8)
    keys = ["background_stay", "background_to_start", "end_to_background", "end_to_start", "inside_to_continue", "inside_to_end"]
    file = tmp_path / "viterbi_calibration.json"
    for _ in range(500 if os.environ.get("STATEPATH_LONG") else 5):
        biases = (rng.normal(size=6) * 2).round(3)
        file.write_text(json.dumps({"operating_points": {"default": {"biases": {"transition_bias_" + key: float(x) for key, x in zip(keys, biases, strict=True)}}}}))
        model = sp.Model.bio(PII, "BIOES", calibration=file)
        logits = rng.normal(size=(200, rng.integers(1, 40), len(PII))) * rng.choice([0.5, 2, 8])
        logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
        assert np.array_equal(sp.decode(logits, model, kind="log_probs"), plain_viterbi(logits, biases))



@pytest.mark.parametrize("seed", range(3))
def test_entities_are_those_of_the_program(program, tmp_path, seed):
    """Places, words, scores and posteriors, of a list, of padding, and of a path that was given."""
    rng = np.random.default_rng(seed)
    tags = ["O", *(f"{letter}-{kind}" for kind in ("PER", "LOC") for letter in "BIES")]
    model = sp.Model.bio(tags, "BIOES")
    lengths = rng.integers(1, 9, 12)
    probs = [rng.dirichlet([0.3] * len(tags), n) for n in lengths]
    texts = [" ".join(f"{'wé'[: 1 + t % 2]}{n}" for t in range(length)) for n, length in enumerate(lengths)]
    np.savez(tmp_path / "x.npz", probs=np.concatenate(probs), offsets=np.cumsum([0, *lengths]), classes=tags)
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    model.save(tmp_path / "m.json")
    subprocess.run([program, "decode", "x.npz", "-m", "m.json", "--text", "t.jsonl", "-o", "o.jsonl", "-q"], cwd=tmp_path, check=True)
    expected = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    found = nlp.entities(probs, model, text=texts)
    assert len(expected) > 5 and [{k: v for k, v in e.items() if not isinstance(v, float)} for e in found] == [
        {k: v for k, v in e.items() if not isinstance(v, float)} for e in expected
    ]
    for ours, other in zip(found, expected):
        assert list(ours) == list(other)
        assert ours["score"] == pytest.approx(other["score"], abs=1e-9) and ours["posterior"] == pytest.approx(other["posterior"], abs=1e-9)
    padded = np.zeros((12, 10, len(tags)))
    mask = np.zeros((12, 10), bool)
    for n, p in enumerate(probs):
        padded[n, 1 : 1 + len(p)], mask[n, 1 : 1 + len(p)] = p, True
    pairs = [[(0, 0), *((m.start(), m.end()) for m in re.finditer(r"\S+", text))] for text in texts]
    again = nlp.entities(padded, model, kind="probs", mask=mask, path=sp.decode(padded, model, kind="probs", mask=mask), text=texts, offset_mapping=pairs)
    assert [(e["recording"], e["type"], e["first"] - 1, e["text"], e["posterior"]) for e in again] == [(e["recording"], e["type"], e["first"], e["text"], e["posterior"]) for e in found]
    if (pandas := pytest.importorskip("pandas")) is not None:
        assert list(pandas.DataFrame(found).columns) == ["recording", "type", "first", "last", "start", "end", "text", "score", "posterior"]


def test_entities_end_with_their_last_word():
    """Pieces of a word that take no part belong to it, between others and at the end; what begins elsewhere does not."""
    logits, tags = np.zeros((1, 6, 3)), [1, 0, 2, 0, 1, 0]
    logits[0, np.arange(6), tags] = 5
    mask = np.array([[True, False, True, False, True, False]])
    pairs = [(0, 3), (3, 6), (7, 9), (10, 11), (12, 15), (15, 17), (0, 0)]
    found = nlp.entities(logits, sp.Model.bio(["O", "B-PER", "I-PER"]), mask=mask, gaps="join", kind="logits", text=["AnnaLi Bo , WeldOn"], offset_mapping=[pairs])
    assert [(e["first"], e["last"], e["text"]) for e in found] == [(0, 2, "AnnaLi Bo"), (4, 4, "WeldO")]


def test_faults_of_entities():
    probs, model = np.array([[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]), sp.Model.bio(["O", "B-PER", "I-PER"])
    for more, sentence in (({"text": "one"}, "has 1 words between blanks"), ({"text": ["a b", "c"]}, "is of 2 recordings, and there are 1"),
                           ({"text": "a b", "offset_mapping": [(0, 1)]}, "has 1 tokens"), ({"text": "a b", "offset_mapping": [(0, 1), (2, 9)]}, "no part of its text"),
                           ({"text": "a b", "offset_mapping": [(2, 3), (0, 1)]}, "before the token before it"), ({"offset_mapping": [(0, 1)]}, "text="),
                           ({"path": [0]}, "path")):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=sentence):
            nlp.entities(probs, model, **more)
    with pytest.raises(sp.StatepathError, match="no tags of entities"):
        nlp.entities(np.full((2, 5), 0.2), "sleep-aasm")


@pytest.mark.parametrize("how", ["mean", "middle"])
@pytest.mark.parametrize("kind", ["logits", "log_probs", "probs", "scores"])
def test_windows_are_joined(how, kind):
    """Against plain numpy, step by step."""
    rng = np.random.default_rng(5)
    lengths, starts, texts = [6, 6, 4, 3, 6], np.array([0, 3, 7, 0, 2]), [0, 0, 0, 4, 4]
    given = [rng.dirichlet([0.5] * 3, n) if kind == "probs" else rng.normal(0, 2, (n, 3)) for n in lengths]
    if kind == "log_probs":
        given = [w - np.logaddexp.reduce(w, axis=1, keepdims=True) for w in given]
    joined = nlp.join_windows(given, starts, how, kind=kind)
    assert [len(text) for text in joined] == [11, 8]
    for n, text in enumerate(joined):
        for t, row in enumerate(text):
            seen = [(abs(t - starts[w] - (lengths[w] - 1) / 2), given[w][t - starts[w]]) for w in ([0, 1, 2], [3, 4])[n] if 0 <= t - starts[w] < lengths[w]]
            if how == "middle":
                expected = min(seen, key=lambda one: one[0])[1]
            else:
                logs = [np.log(r) if kind == "probs" else r - np.logaddexp.reduce(r) if kind == "logits" else r for _, r in seen]
                expected = np.mean(logs, axis=0)
                expected = expected if kind == "scores" else expected - np.logaddexp.reduce(expected)
            np.testing.assert_allclose(row, expected, rtol=1e-12, atol=1e-12)
    if kind.endswith("probs"):
        for a, b in zip(joined, nlp.join_windows(given, starts, how, kind=None)):
            np.testing.assert_array_equal(a, b)
    for a, b in zip(joined, nlp.join_windows(given, starts, how, texts=texts, kind=kind)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("how", ["mean", "middle"])
@pytest.mark.parametrize("kind", ["logits", "log_probs", "probs", "scores"])
def test_windows_that_say_nothing_of_a_step(how, kind):
    rng = np.random.default_rng(6)
    rows = rng.dirichlet([1] * 3, (2, 4))
    a, b = rows if kind == "probs" else np.log(rows)
    a[3, 1] = b[0] = b[1, 2] = np.nan  # of step 2 one says something, of step 3 none, and of step 1 there is one
    (text,) = nlp.join_windows([a, b], [0, 2], how, kind=kind, missing="uniform")
    plain = [b[2], b[3]] if how == "middle" or kind == "scores" else [np.log(r) if kind == "probs" else r for r in b[2:]]
    first = a[:3] if how == "middle" or kind != "probs" else np.log(a[:3])
    np.testing.assert_allclose(text[[0, 1, 2, 4, 5]], [*first, *plain], rtol=0, atol=1e-12)
    assert np.isnan(text[3]).all()


@pytest.mark.parametrize("how", ["mean", "middle"])
@pytest.mark.parametrize("kind", ["logits", "log_probs", "probs", "scores"])
def test_windows_of_the_impossible(how, kind):
    """A step that a window holds for impossible stays so: no NaN comes of it."""
    nothing = [0.0, 0.0] if kind == "probs" else [-np.inf, -np.inf]
    (text,) = nlp.join_windows([[nothing, nothing]], [0], how, kind=kind)
    np.testing.assert_array_equal(text, [nothing, nothing] if how == "middle" else np.full((2, 2), -np.inf))


def test_faults_of_windows():
    windows = [np.zeros((4, 2)), np.zeros((4, 2))]
    for starts, more, sentence in (([0, 5], {}, "in no window"), ([1, 2], {}, "the steps before"), ([0, 2], {"texts": [1, 0]}, "text by text"), ([0], {}, "2 windows"),
                                   ([0, 1.5], {}, "starts= must be whole numbers"), ([0, 2], {"texts": [0, 0.5]}, "texts= must be whole numbers"),
                                   ([0, 2], {"how": "max"}, 'how='), ([0, 2], {"kind": "odds"}, "kind=")):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=sentence):
            nlp.join_windows(windows, starts, **more)
    with pytest.raises(sp.StatepathError, match="as many classes"):
        nlp.join_windows([np.zeros((4, 2)), np.zeros((4, 3))], [0, 2])
    for row, kind, sentence in (([0.9, 0.9], "probs", "recording 1, step 1: the row sums to 1.8, not 1"), ([1, 2], "log_probs", "exponentials to 10.1073, not 1"),
                                ([np.inf, 0], "logits", "infinity is no score"), ([0, np.nan], "scores", 'missing="uniform"')):  # fmt: skip
        for how in ("mean", "middle"):
            with pytest.raises(sp.StatepathError, match=sentence):
                fine = [0.5, 0.5] if kind == "probs" else np.log([0.5, 0.5])
                nlp.join_windows([[fine, fine], [fine, row]], [0, 1], how, kind=kind)
    with pytest.raises(sp.StatepathError, match="missing="):
        nlp.join_windows(windows, [0, 2], missing="none")
    with pytest.raises(sp.StatepathError, match="go forwards"):
        nlp.join_windows([*windows, windows[0]], [0, 2, 1])


def test_word_ids_do_not_go_back():
    with pytest.raises(sp.StatepathError, match="sentence 0, token 3: word 0 after word 1; word ids do not go back"):
        nlp.decode_logits(np.zeros((1, 4, 3)), id2label=ID2LABEL, word_ids=[[0, 1, None, 0]])
    with pytest.raises(sp.StatepathError, match="word_ids= must be whole numbers"):
        nlp.decode_logits(np.zeros((1, 4, 3)), id2label=ID2LABEL, word_ids=[[0, 0.5, 1, 1]])
    assert nlp.decode_logits(np.zeros((1, 4, 3)), id2label=ID2LABEL, word_ids=[[0, None, 2, 2]]) == [["O", "O"]]
