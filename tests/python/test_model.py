"""Model: every way to make one, what it says of itself, and that it does not change."""
import copy
import json
import pickle
import subprocess

import numpy as np
import pytest

import statepath as sp


def shown(program, *words):
    return subprocess.run([program, "model", *words], check=True, capture_output=True, text=True).stdout


def test_shapes_are_the_programs(program):
    """Made here and by the program: the same JSON."""
    classes = ["a", "b", "c", "d"]
    for words, model in [
        (["bio", "--types", "PER,LOC"], sp.Model.bio(["PER", "LOC"])),
        (["bioes", "--types", "PER,LOC"], sp.Model.bio(["PER", "LOC"], "BIOES")),
        *(([s.lower(), "--types", "PER,LOC"], sp.Model.bio(["PER", "LOC"], s)) for s in ("IOB1", "IOB2", "IOE1", "IOE2", "BILOU", "BMES")),
        (["left-right", "--classes", "a,b,c,d"], sp.Model.left_right(classes)),
        (["left-right", "--classes", "a,b,c,d", "--step", "2"], sp.Model.left_right(classes, 2)),
        (["cycle", "--classes", "a,b,c,d"], sp.Model.cycle(classes)),
        (["band", "--classes", "a,b,c,d", "--step", "2"], sp.Model.band(classes, 2)),
    ]:
        theirs = json.loads(shown(program, "new", *words))
        ours = json.loads(model.to_json())
        assert ours == theirs, words


@pytest.mark.parametrize("name", sp.Model.shipped())
def test_shipped(program, name):
    model = sp.Model.load(name)
    assert f"{name}: {model.n_classes} classes" in shown(program, "show", name)
    assert sp.Model.from_json(model.to_json()) == model and model.name == name and model.check() == []


SEQUENCES = {
    "BIO": (["O B-P I-P O B-P B-P", "B-P I-P I-P"], ["I-P O", "O I-P", "B-P I-L"]),
    "IOB1": (["O I-P B-P I-P", "I-P I-L"], ["O B-P", "I-L B-P", "B-P I-P"]),
    "IOB2": (["O B-P I-P O B-P B-P"], ["I-P O"]),
    "IOE1": (["I-P E-P I-P", "E-P I-P O I-L", "I-P I-L"], ["E-P O", "I-P E-P", "E-P I-L"]),
    "IOE2": (["I-P E-P E-P O E-L", "E-P"], ["I-P O", "I-P", "I-P E-L", "I-P I-L"]),
    "BMES": (["S-P O B-P E-P", "B-P M-P E-P B-L E-L"], ["B-P O", "M-P E-P", "B-P"]),
    "BIOES": (["S-P O B-P E-P", "B-P I-P E-P B-L E-L"], ["B-P O", "E-P I-P", "B-P", "B-P E-L", "I-P E-P"]),
    "BILOU": (["U-P O B-P L-P", "B-P I-P L-P"], ["B-P O", "B-P U-P", "O L-P", "B-P I-P"]),
}


@pytest.mark.parametrize("scheme", SEQUENCES)
def test_tags(scheme):
    model = sp.Model.bio(["P", "L"], scheme)
    legal, illegal = SEQUENCES[scheme]
    for text in legal:
        assert model.is_legal(text.split()), text
    for text in illegal:
        assert not model.is_legal(text.split()), text
    shuffled = list(reversed(model.classes))
    again = sp.Model.bio(shuffled, scheme)
    assert again.classes == tuple(shuffled) and set(again.forbidden) == set(model.forbidden)


def test_arguments():
    model = sp.Model(
        ["a", "b"],
        states={"a1": "a", "a2": "a", "b": "b"},
        log_weights=[[0.5, -1, -np.inf], [-np.inf, 0, -2], [0, -np.inf, 0]],
        start=["a1"],
        end=[False, False, True],
        min_dwell={"b": 2},
        prior={"a": 0.25, "b": 0.75},
        aliases={"a": "alpha", "b": ["beta", "B"]},
        temperature=2,
        name="both",
        description="A sentence.",
        source="a book",
    )
    assert (model.n_classes, model.n_states, model.states) == (2, 3, ("a1", "a2", "b"))
    assert model.log_weights.tolist() == [[0.5, -1, -np.inf], [-np.inf, 0, -2], [0, -np.inf, 0]]
    assert model.allow.tolist() == [[True, True, False], [False, True, True], [True, False, True]]
    assert model.start.tolist() == [0, -np.inf, -np.inf] and model.end.tolist() == [-np.inf, -np.inf, 0]
    assert model.min_dwell == {"b": 2} and model.prior.tolist() == [0.25, 0.75]
    assert (model.name, model.description, model.source) == ("both", "A sentence.", "a book")
    assert model.forbidden == []  # a class may follow where one of its states may
    assert model.is_legal(["a", "alpha", "beta", "b"]) and not model.is_legal(["a", "b", "b"]) and not model.is_legal(["b", "b"])
    for array in (model.allow, model.log_weights, model.start, model.prior):
        with pytest.raises(ValueError):
            array[...] = 0


def test_weights_give_the_rules():
    weights = np.array([[0.0, -np.inf], [-1.0, 0.0]])
    assert sp.Model(["a", "b"], log_weights=weights).forbidden == [("a", "b")]
    assert sp.Model(["a", "b"], probabilities=[[1, 0], [0.5, 0.5]]).forbidden == [("a", "b")]
    assert sp.Model(["a", "b"], [[1, 0], [1, 1]]) == sp.Model(["a", "b"], np.array([[True, False], [True, True]]))
    assert sp.Model(["a", "b"], forbid={"a": ["b"]}).forbidden == [("a", "b")]
    assert sp.Model(["a", "b"], forbid=[[0, 1], [0, 0]]).forbidden == [("a", "b")]
    assert sp.Model(["a", "b"]).forbidden == []
    precise = np.random.default_rng(0).normal(size=(4, 4)) * 1e-7
    assert np.array_equal(sp.Model(list("abcd"), log_weights=precise).log_weights, precise)


@pytest.mark.parametrize("smoothing", [0, 0.5])
def test_probabilities_from_labels(rng, smoothing):
    pytest.importorskip("statepath._evaluation", reason="built without GSL")
    labels = [np.repeat([0, 1, 2, 0, 2], rng.integers(1, 9, 5)) for _ in range(3)]  # never 1 after 2
    rules = sp.Model.from_labels(labels, ["x", "y", "z"])
    model = sp.Model.from_labels(labels, ["x", "y", "z"], probabilities=True, smoothing=smoothing)
    assert model.forbidden == rules.forbidden and model.forbidden and model.name == rules.name
    pairs = np.zeros((3, 3))
    for path in labels:
        np.add.at(pairs, (path[:-1], path[1:]), 1)
    expected = np.where(rules.allow, pairs + smoothing, 0)
    assert np.exp(model.log_weights) == pytest.approx(expected / expected.sum(1, keepdims=True))
    flat = sp.Model.from_labels(np.concatenate(labels), ["x", "y", "z"], lengths=[len(path) for path in labels], probabilities=True, smoothing=smoothing)
    assert flat == model
    assert model == sp.fit(labels, rules=rules, method="counts", tune="none", smoothing=smoothing, name=rules.name)
    for more, word in (({"smoothing": 1}, "goes with probabilities=True"), ({"smoothing": -1, "probabilities": True}, "from 0 on"),
                       ({"smoothing": "x", "probabilities": True}, "a number is needed")):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=word):
            sp.Model.from_labels(labels, **more)


def test_from_labels(program, tmp_path, rng):
    model = sp.Model.from_labels([["a", "a", "b", None, "c"], ["b", "a"]])
    assert model.classes == ("a", "b", "c")
    assert model.allow.tolist() == [[True, True, False], [True, True, False], [False, False, True]]
    assert np.array_equal(model.start, [0, 0, -np.inf])
    assert sp.Model.from_labels([0, 1, 1, -1, 0], ["x", "y"]).forbidden == [("y", "x")]
    assert sp.Model.from_labels(np.array([[0, 1], [1, 0]])).classes == ("class0", "class1")
    assert sp.Model.from_labels([0, 1, 1, 0], lengths=[2, 2]).allow.all()
    h5py = pytest.importorskip("h5py")
    labels = rng.integers(-1, 4, size=60)
    with h5py.File(tmp_path / "labels.h5", "w") as f:
        f["labels"], f["offsets"] = labels, [0, 30, 60]
        f.attrs["classes"] = list("abcd")
    made = json.loads(shown(program, "new", "from-labels", str(tmp_path / "labels.h5")))
    ours = sp.Model.from_labels(labels, list("abcd"), lengths=[30, 30])
    theirs = sp.Model.from_json(json.dumps(made))
    assert np.array_equal(ours.allow, theirs.allow) and np.array_equal(ours.start, theirs.start)
    assert ours.prior == pytest.approx(theirs.prior, rel=1e-15)


def test_from_hmm_and_crf(rng):
    transmat = rng.dirichlet([1, 1, 1], size=3)
    hmm = sp.Model.from_hmm([0.5, 0.5, 0], transmat)
    assert np.exp(hmm.log_weights) == pytest.approx(transmat, rel=1e-14) and hmm.start[2] == -np.inf
    e = rng.normal(size=(30, 3))
    d = sp.decode(e, hmm, kind="scores", full=True)
    with np.errstate(divide="ignore"):
        delta = np.log([0.5, 0.5, 0]) + e[0]
    for row in e[1:]:
        delta = (delta[:, None] + np.log(transmat)).max(0) + row
    assert d.scores[0] == pytest.approx(delta.max(), rel=1e-12)


def test_violations():
    model = sp.Model(["a", "b"], {"a": ["a", "b"], "b": ["b"]}, start=["a"], end=["b"])
    assert model.violations(["b", "a", "a"]) == [(0, 0, None, "b"), (0, 1, "b", "a"), (0, 2, "a", None)]
    assert model.violations([[0, 1], [1, 0]]) == [(1, 0, None, "b"), (1, 1, "b", "a"), (1, 1, "a", None)]
    assert model.violations([0, 1, 0, 1], lengths=[2, 2]) == [] and model.violations(["a", "", "b"]) == []
    assert not model.is_legal([0, -1, 1]) and model.is_legal([])
    stays = sp.Model(["a", "b"], min_dwell={"a": 2})
    assert stays.is_legal(list("aabba")) and not stays.is_legal(list("bab"))


def test_does_not_change():
    model = sp.Model(["a", "b"])
    with pytest.raises(AttributeError, match=r"model.with_\(name="):
        model.name = "other"
    with pytest.raises(AttributeError):
        del model.name
    with pytest.raises(AttributeError):
        model.anything = 1


def test_with():
    model = sp.Model.load("sleep-aasm")
    mine = model.with_(min_dwell={"N1": 2}, name="mine", temperature=1.5)
    assert mine.min_dwell == {"N1": 2} and mine.name == "mine" and mine.forbidden == model.forbidden and mine != model
    assert model.min_dwell == {}
    other = mine.with_(allow=np.eye(5, dtype=bool) | np.eye(5, k=1, dtype=bool), transition_weight=2.0)
    assert len(other.forbidden) == 16 and other.min_dwell == {"N1": 2} and other._fields["temperature"] == 1.5
    assert mine.with_(min_dwell=None, temperature=None, name="sleep-aasm") == model


def test_equal_hash_pickle():
    model = sp.Model.bio(["PER"])
    again = sp.Model.bio(["PER"])
    assert model == again and hash(model) == hash(again) and model != sp.Model.bio(["LOC"]) and model != 3
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(model, protocol)) == model
    assert copy.copy(model) == model and copy.deepcopy(model) == model and {model: 1}[again] == 1
    assert b'"classes"' in pickle.dumps(model)


def test_files(tmp_path):
    model = sp.Model.bio(["PER"])
    file = tmp_path / "tags.model.json"
    model.save(file)
    assert sp.Model.load(file) == model and sp.Model.load(str(file)) == model
    with pytest.raises(sp.FileError, match="exist|force"):
        model.save(file)
    model.save(file, force=True)
    assert list(tmp_path.iterdir()) == [file]


def test_shown():
    html = sp.Model.load("sleep-aasm")._repr_html_()
    assert "Wake → N3" in html and "✓" in html
    odd = sp.Model(["<b>", "&"], {"<b>": ["&"], "&": ["<b>"]}, name="<i>")._repr_html_()
    assert "<i>" not in odd and "&lt;b&gt; → &lt;b&gt;" in odd
    pytest.importorskip("pandas")
    frame = sp.Model(["a", "b"], log_weights=[[0, -np.inf], [-1, 0]]).to_frame()
    assert list(frame.columns) == ["a", "b"] and frame.loc["b", "a"] == -1
