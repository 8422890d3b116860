"""Arrays of transformers' Trainer, [N,T,K] and [N,T] with -100: read, decoded, compared, evaluated and fitted as their words."""

import json

import numpy as np
import pytest
import statepath as sp
from statepath import nlp

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
MODEL = sp.Model.bio(TAGS)


@pytest.fixture
def trainer():
    """[CLS] and [SEP], sub-words, padding."""
    rng = np.random.default_rng(4)
    labels = np.full((12, 16), -100)
    for row, length in zip(labels, rng.integers(6, 16, 12), strict=True):
        row[1 : length - 1] = np.where(rng.random(length - 2) < 0.3, -100, rng.integers(0, 5, length - 2))
        row[1] = 0
    logits = rng.normal(size=(12, 16, 5)).astype(np.float32)
    return logits, labels


def words_of(a, labels):
    return [r[y != -100] for r, y in zip(a, labels, strict=True)]


def figures(report):
    return {name: (s["entities"]["f1"], s["illegal"], s["accuracy"]) for name, s in report.data["strategies"].items()}


@pytest.mark.parametrize("gaps", ["join", "break"])
def test_figures_are_of_the_words(trainer, gaps):
    logits, labels = trainer
    real = labels != -100
    segments = None
    if gaps == "break":
        segments = words_of(np.cumsum(real & ~np.pad(real, ((0, 0), (1, 0)))[:, :-1], axis=1), labels)
    truth = words_of(labels, labels)
    expected = figures(sp.compare(words_of(logits, labels), truth, MODEL, kind="logits", segments=segments))
    assert figures(sp.compare(logits, labels, MODEL, kind="logits", gaps=gaps)) == expected
    assert figures(sp.compare(logits, labels, MODEL, kind="logits", gaps=gaps, mask=np.ones_like(real))) == expected
    assert sp.compare(logits, labels, MODEL, kind="logits", gaps=gaps, against={"b": logits}).data["strategies"]["b.viterbi"]["accuracy"] == expected["viterbi"][2]
    paths = sp.decode(logits, MODEL, kind="logits", mask=real, gaps=gaps)
    assert np.array_equal(paths == -1, ~real)
    assert figures(sp.evaluate(paths, labels, MODEL, gaps=gaps))["path"] == expected["viterbi"]
    if gaps == "join":
        assert np.array_equal(sp.fit(labels, gaps=gaps, rules=MODEL).log_weights, sp.fit(truth, rules=MODEL).log_weights)
    learnt = sp.fit(labels, logits, kind="logits", gaps=gaps, rules=MODEL)
    same = sp.fit(truth, words_of(logits, labels), kind="logits", segments=segments, rules=MODEL)
    assert np.array_equal(learnt.log_weights, same.log_weights)


def test_labels_of_decode(trainer):
    """They are certain where they are classes, and -100 takes no part."""
    logits, labels = trainer
    labels[labels > 0] = -1
    labels[:, 1] = 0
    path = sp.decode(logits, MODEL, kind="logits", labels=labels, gaps="join")
    assert np.array_equal(path == -1, labels == -100) and (path[labels == 0] == 0).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: sp.compare(x, y, MODEL, kind="logits"),
        lambda x, y: sp.decode(x, MODEL, kind="logits", labels=y),
        lambda x, y: sp.evaluate(x.argmax(2), y, MODEL),
        lambda x, y: sp.fit(y, x, kind="logits", rules=MODEL),
        lambda x, y: sp.fit(y, rules=MODEL),
    ],
)
def test_without_gaps(trainer, call):
    with pytest.raises(sp.ScoresError, match='labels= are -100 in recording 0, step 0, .*gaps="join" leaves such steps out .*gaps="break" begins') as said:
        call(*trainer)
    assert (said.value.recording, said.value.step) == (0, 0)
    with pytest.raises(sp.StatepathError, match='gaps="skip"'):
        sp.compare(*trainer, MODEL, kind="logits", gaps="skip")


def test_padding(trainer):
    logits, labels = trainer
    lengths = (labels != -100).sum(axis=1)
    kept = np.arange(16) < lengths[:, None]
    labels = np.where(kept, np.maximum(labels, 0), -100)
    expected = figures(sp.compare(logits, np.maximum(labels, 0), MODEL, kind="logits", lengths=lengths))
    assert figures(sp.compare(logits, labels, MODEL, kind="logits")) == expected
    assert figures(sp.compare(logits, labels, MODEL, kind="logits", lengths=np.minimum(lengths + 1, 16))) == expected
    assert np.array_equal(sp.fit(labels, rules=MODEL).log_weights, sp.fit([y[:n] for y, n in zip(labels, lengths, strict=True)], rules=MODEL).log_weights)


def test_class_names(trainer, tmp_path):
    logits, labels = trainer
    order = [3, 0, 4, 2, 1]
    names = [TAGS[k] for k in order]
    (tmp_path / "config.json").write_text(json.dumps({"id2label": {str(k): tag for k, tag in enumerate(names)}}))
    real = labels != -100
    expected = sp.decode(logits, MODEL, kind="logits", mask=real, gaps="join", full=True).names()
    for classes in (names, dict(enumerate(names)), {str(k): tag for k, tag in reversed(list(enumerate(names)))}, tmp_path / "config.json", str(tmp_path / "config.json")):
        assert sp.decode(logits[:, :, order], MODEL, kind="logits", mask=real, gaps="join", classes=classes, full=True).names() == expected
    assert nlp.decode_logits(logits[:, :, order], id2label=tmp_path / "config.json", labels=labels) == expected
    for wrong, said in (({0: "O", 7: "B-PER"}, "the numbers of the columns from 0"), ({"a": "O"}, "the numbers of the columns"), ("none.json", "there is no such file")):
        with pytest.raises(sp.StatepathError, match=said):
            sp.decode(logits, MODEL, kind="logits", classes=wrong)


def test_known_layouts_join(trainer):
    """compute_metrics() knows what -100 means."""
    logits, labels = trainer
    found = nlp.compute_metrics(dict(enumerate(TAGS)))((logits, labels))
    expected = figures(sp.compare(logits, labels, MODEL, kind="logits", gaps="join", on_infeasible="relax"))
    assert found["viterbi_f1"] == expected["viterbi"][0] and found["argmax_accuracy"] == expected["argmax"][2]
