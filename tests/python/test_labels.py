"""Labels mean the same at every door: numbers, names, aliases, hypnograms, annotations. Nothing unknown is walked."""
import re
import signal
from collections import UserList, deque
from types import SimpleNamespace

import numpy as np
import pytest
import statepath as sp
from statepath import sleep
from test_bad_input import Endless

pd = pytest.importorskip("pandas")
pytest.importorskip("statepath._evaluation", reason="built without GSL")

MODEL = sp.Model.load("sleep-aasm")
TRUTH = np.array([0, 0, 1, 2, -1, 3, 2, 4])
WORDS = ["W", "WAKE", "N1", "N2", None, "SWS", "S2", "R"]
PROBS = np.full((8, 5), 0.05) + 0.75 * np.eye(5)[np.where(TRUTH < 0, 2, TRUTH)]


class Hypnogram:
    """As yasa.Hypnogram of YASA 0.8: hypno is a Series of categories, an index of it is another hypnogram."""

    def __init__(self, values):
        self.hypno = pd.Series(pd.Categorical(values, ["WAKE", "N1", "N2", "N3", "REM", "ART", "UNS"]), name="Stage")
        self.n_stages, self.freq, self.start, self.proba = 5, "30s", None, None

    def __len__(self):
        return len(self.hypno)

    def __getitem__(self, key):
        key = slice(key, key + 1 or None) if isinstance(key, int) else key
        return Hypnogram(self.hypno[key].to_numpy())

    def as_int(self):
        return self.hypno.map({"WAKE": 0, "N1": 1, "N2": 2, "N3": 3, "REM": 4, "ART": -1, "UNS": -2}).astype("int16")


def hypnogram():
    return Hypnogram(["WAKE", "WAKE", "N1", "N2", "UNS", "N3", "N2", "REM"])


def annotations():
    """mne.Annotations of the published Sleep-EDF: runs, and words that are no stage."""
    return SimpleNamespace(onset=[0, 60, 90, 120, 150, 180, 210, 215], duration=[60, 30, 30, 30, 30, 30, 30, 5],
                           description=["Sleep stage W", "Sleep stage 1", "Sleep stage 2", "Sleep stage ?", "Sleep stage 4", "Sleep stage 2",
                                        "Sleep stage R", "Lights off@@EEG F4-A1"])  # fmt: skip


FORMS = {
    "words": WORDS,
    "words of numpy": np.array(["W", "WAKE", "N1", "N2", "", "SWS", "S2", "R"]),
    "bytes of HDF5": np.array([b"W", b"WAKE", b"N1", b"N2", b"", b"SWS", b"S2", b"R"]),
    "objects": np.array(WORDS, object),
    "words and NaN": [np.nan if w is None else w for w in WORDS],
    "words of the field": ["w", "Sleep stage W", "NREM1", "stage 2", "MT", "N4", "n2", "rem"],
    "unscored words": ["W", "W", "N1", "N2", "?", "N3", "N2", "REM"],
    "a Series": pd.Series(WORDS),
    "categories": pd.Series(pd.Categorical(WORDS)),
    "strings of pandas": pd.Series(WORDS, dtype="string"),
    "numbers": TRUTH,
    "numbers as text": TRUTH.astype(str),
    "floats": np.where(TRUTH < 0, np.nan, TRUTH),
    "nullable numbers": pd.Series(TRUTH, dtype="Int64").mask(TRUTH < 0),
    "a deque": deque(TRUTH.tolist()),
    "a UserList": UserList(TRUTH.tolist()),
    "a YASA hypnogram": hypnogram(),
    "a hypnogram": sleep.Hypnogram(TRUTH.astype(np.int32), sleep.STAGES, 30.0, None),
    "annotations": annotations(),
}


@pytest.fixture(autouse=True)
def no_hang():
    """What hangs ends in an error."""

    def end(*_):
        raise TimeoutError("this call does not end")

    signal.signal(signal.SIGALRM, end)
    signal.alarm(60)
    yield
    signal.alarm(0)


@pytest.mark.parametrize("form", FORMS)
def test_every_door_reads_it(form):
    given = FORMS[form]
    truth = sp.compare(PROBS, TRUTH, MODEL, "argmax").data
    assert sp.compare(PROBS, given, MODEL, "argmax").data == truth
    assert sp.compare([PROBS], [given], MODEL, "argmax").data == truth
    assert sp.compare({"0": PROBS}, {"0": given}, MODEL, "argmax").data == truth
    judged = sp.evaluate([TRUTH], [TRUTH], MODEL).data
    assert sp.evaluate([TRUTH], [given], MODEL).data == judged and sp.evaluate([given], [TRUTH], MODEL).data == judged
    assert sp.evaluate({"path": given}, given, MODEL).data["strategies"]["path"]["accuracy"] == 1
    learnt = {"rules": MODEL, "method": "counts", "tune": "none"}
    assert sp.fit([given], **learnt) == sp.fit([TRUTH], **learnt) == sp.fit([given], [PROBS], **learnt)
    assert sp.decode(PROBS, MODEL, labels=given).tolist() == sp.decode(PROBS, MODEL, labels=TRUTH).tolist()
    assert MODEL.violations(given) == MODEL.violations(TRUTH)


def test_the_padding_of_hugging_face_outside_of_its_layout():
    """-100 is known in labels [N,T] alone; in those of one recording, or in lists, every door refuses it, as the program does."""
    given = np.where(TRUTH < 0, -100, TRUTH)
    doors = [
        lambda x: sp.compare(PROBS, x, MODEL),
        lambda x: sp.compare([PROBS], [x], MODEL),
        lambda x: sp.evaluate(TRUTH, x, MODEL),
        lambda x: sp.fit([x], rules=MODEL, method="counts", tune="none"),
        lambda x: sp.Model.from_labels([x], classes=MODEL.classes),
        lambda x: sp.decode(PROBS, MODEL, labels=x),
    ]
    for door in doors:
        for form in (given, given.astype(str).astype(object), given.tolist()):
            with pytest.raises(sp.ScoresError, match=r'step 4: "?-100"? is none of the 5 classes .*: elsewhere write np.where\(labels == -100, -1, labels\)'):
                door(form)
    assert sp.compare(PROBS[None], given[None], MODEL, gaps="join").data["input"]["steps"] == len(TRUTH) - 1


@pytest.mark.parametrize("form", [form for form in FORMS if not any(word in form for word in ("number", "float", "deque", "UserList"))])
def test_words_mean_the_same_whatever_the_order_of_columns(form):
    order = [2, 4, 0, 3, 1]
    words = {"Wake": ["W", "WAKE"], "REM": ["R"], "N3": ["SWS"], "N2": ["S2"]}
    swapped = sp.Model([MODEL.classes[k] for k in order], aliases=words)
    assert sp.compare(PROBS[:, order], FORMS[form], swapped, "argmax").data["strategies"]["argmax"]["accuracy"] == 1


def test_legal_paths_in_other_words():
    assert MODEL.is_legal(["W", "R"]) is False and MODEL.is_legal(["WAKE", "S1", "S2", "SWS"])
    assert MODEL.is_legal(Hypnogram(["WAKE", "N1", "N2", "N3"])) and not MODEL.is_legal(hypnogram())
    assert sp.path_score(PROBS[:2], MODEL, ["W", "Wake"]) == sp.path_score(PROBS[:2], MODEL, [0, 0])
    assert sp.leak(PROBS, MODEL, ["W"] * 8).mean == sp.leak(PROBS, MODEL, [0] * 8).mean


def test_classes_of_scores_in_other_words():
    columns = ["R", "W", "S1", "S2", "SWS"]
    found = sp.compare(PROBS[:, [4, 0, 1, 2, 3]], WORDS, MODEL, "argmax", classes=columns)
    assert found.data["strategies"]["argmax"]["accuracy"] == 1
    learnt = sp.fit([WORDS], [PROBS[:, [4, 0, 1, 2, 3]]], rules=MODEL, classes=columns, method="counts", tune="none")
    assert learnt.allow.sum() == MODEL.allow.sum()


def test_decoded_paths_are_read_by_name():
    swapped = sp.decode([PROBS[:, ::-1], PROBS[:3, ::-1]], MODEL, full=True, classes=MODEL.classes[::-1])
    plain = sp.decode([PROBS, PROBS[:3]], MODEL, full=True)
    assert sp.evaluate(swapped, [TRUTH, TRUTH[:3]], MODEL).data == sp.evaluate(plain, [TRUTH, TRUTH[:3]], MODEL).data


@pytest.mark.parametrize("call", [
    lambda x: sp.compare(PROBS, x, MODEL),
    lambda x: sp.compare([PROBS], [x], MODEL),
    lambda x: sp.compare(x, TRUTH, MODEL),
    lambda x: sp.compare([x], [TRUTH], MODEL),
    lambda x: sp.compare(PROBS, TRUTH, MODEL, weights=x),
    lambda x: sp.compare(PROBS, TRUTH, MODEL, segments=x),
    lambda x: sp.compare(PROBS, TRUTH, MODEL, ids=x),
    lambda x: sp.compare(PROBS, TRUTH, MODEL, against={"b": x}),
    lambda x: sp.evaluate(x, TRUTH, MODEL),
    lambda x: sp.evaluate(TRUTH, x, MODEL),
    lambda x: sp.evaluate([[x]], [[x]], MODEL),
    lambda x: sp.fit(x, method="counts"),
    lambda x: sp.fit([x], method="counts"),
    lambda x: sp.Model.from_labels(x),
    lambda x: sp.Model.from_labels([x]),
    lambda x: sp.decode(x, MODEL),
    lambda x: sp.decode([x, x], MODEL),
    lambda x: sp.decode([[x, x]], MODEL),
    lambda x: sp.decode(PROBS, MODEL, labels=x),
    lambda x: sp.decode(PROBS, MODEL, step_mask=x),
    lambda x: sp.decode(PROBS[None], MODEL, lengths=x),
    lambda x: sp.masked_softmax(x),
    lambda x: sp.path_score(PROBS, MODEL, x),
    lambda x: MODEL.is_legal(x),
    lambda x: MODEL.violations([x]),
    lambda x: sp.Model(["a", "b"], x),
    lambda x: sp.Model(["a", "b"], start=x),
    lambda x: sp.Model(["a", "b"], min_dwell=x),
    lambda x: sleep.compare_hypnograms(x, x),
    lambda x: sleep.compare_hypnograms([x], [x]),
    lambda x: sleep.to_annotations(x),
    lambda x: sp.decode(PROBS, MODEL, classes=x),
    lambda x: sp.compare(PROBS, TRUTH, MODEL, classes=x),
])  # fmt: skip
def test_nothing_unknown_is_walked(call):
    with pytest.raises(sp.StatepathError) as found:
        call(Endless())
    assert "\n" not in str(found.value)


def test_the_sentence_says_what_to_write():
    with pytest.raises(sp.StatepathError, match="labels: an object of type Endless .* give an array or a list of what it holds"):
        sp.compare(PROBS, Endless(), MODEL)


def test_words_that_mean_nothing_are_refused_where_they_would_not_be_needed():
    for call in (lambda x: sp.compare([PROBS], [TRUTH], MODEL, gaps=x), lambda x: sp.decode(PROBS, MODEL, gaps=x), lambda x: sp.decode(PROBS[None], MODEL, gaps=x)):
        for word in ("bogus", object()):
            with pytest.raises(sp.StatepathError, match='gaps=".*": it is "join"'):
                call(word)
    with pytest.raises(sp.StatepathError, match="against= is of type list: a mapping of names to scores is needed"):
        sp.compare(PROBS, TRUTH, MODEL, against=[PROBS])


def test_a_file_is_read_first():
    for call in (lambda: sp.evaluate("p.npy", "y.npy", MODEL), lambda: sp.fit("y.npy"), lambda: sp.compare(PROBS, "y.npy", MODEL)):
        with pytest.raises(sp.ScoresError, match=r"labels are a text, 'y.npy': a file is read first, by statepath\.read\(file, model=...\)"):
            call()


def test_text_is_printed_as_text():
    door = sp.Model(["closed", "open"])
    for call in (lambda x: sp.compare(PROBS[:1, :2] * 1.25, x, door, kind="scores"), lambda x: sp.evaluate(x, [0], door), lambda x: sp.decode([[0.5, 0.5]], door, labels=x),
                 lambda x: sp.fit(x, rules=door), door.is_legal):  # fmt: skip
        for label in (np.array(["ajar"]), ["ajar"], np.array(["ajar"], object), pd.Series(["ajar"])):
            with pytest.raises(sp.StatepathError, match='"ajar" is none of the 2 classes closed, open') as found:
                call(label)
            assert "np." not in str(found.value)
        with pytest.raises(sp.StatepathError, match="7 is none of the 2 classes") as found:
            call(np.array([7]))
        assert "np." not in str(found.value)


def test_words_of_sleep_are_those_of_sleep_models_alone():
    with pytest.raises(sp.StatepathError, match="none of the 2 classes"):
        sp.evaluate(["a", "?"], ["a", "a"], sp.Model(["a", "b"]))
    with pytest.raises(sp.StatepathError, match='"NN2"'):
        sleep.compare_hypnograms(["W", "NN2"], ["W", "N2"])


def test_annotations_that_do_not_fit():
    long = SimpleNamespace(onset=[0], duration=[600], description=["Sleep stage W"])
    with pytest.raises(sp.StatepathError, match="20 steps of 30 s, and the scores have 8.*epoch_seconds="):
        sp.compare(PROBS, long, MODEL)
    assert sp.compare(PROBS, long, MODEL, "argmax", epoch_seconds=75).data["input"]["scored_steps"] == 8
    with pytest.raises(sp.StatepathError, match="none of their descriptions"):
        sp.compare(PROBS, SimpleNamespace(onset=[0], duration=[600], description=["spindle"]), MODEL)


def test_estimators_read_them():
    learn = pytest.importorskip("statepath.sklearn")
    X, y = [PROBS] * 4, [WORDS, hypnogram(), np.array(WORDS, object), pd.Series(WORDS)]
    for rules in (MODEL, "sleep-aasm"):
        learn.SequenceDecoder(rules, classes=MODEL.classes, method="counts", tune="none", kind="probs", strategy="mea").fit(X, y)
        decoder = learn.SequenceDecoder(rules, classes=MODEL.classes, method="counts", tune="none", kind="probs").fit(X, y)
        assert decoder.predict(X)[0].tolist() == [MODEL.classes[k] for k in sp.decode(PROBS, decoder.model_)] and decoder.score(X, y) == 1
    from sklearn.linear_model import LogisticRegression

    stack = learn.Stack(LogisticRegression(), learn.SequenceDecoder(MODEL, method="counts", tune="none"), cv=2).fit(X, y)
    assert stack.score(X, y) == 1 and set(stack.classes_) == set(MODEL.classes)


def test_codes():
    coded = np.array([0, 0, 1, 2, 9, 4, 2, 5])
    truth = sp.compare(PROBS, TRUTH, MODEL, "argmax").data
    assert sp.compare(PROBS, coded, MODEL, "argmax", codes="rk").data == truth
    assert sp.compare(PROBS, coded.astype(float), MODEL, "argmax", codes="rk").data == truth
    assert sp.evaluate(TRUTH, coded, MODEL, codes="rk").data["strategies"]["path"]["accuracy"] == 1
    assert sp.fit([coded], rules=MODEL, codes="rk", method="counts", tune="none") == sp.fit([TRUTH], rules=MODEL, method="counts", tune="none")
    door = sp.Model(["closed", "open"])
    assert sp.evaluate([0, 1, 1], [10, 20, 30], door, map={10: "closed", 20: "open", 30: None}).data["input"]["scored_steps"] == 2
    with pytest.raises(sp.StatepathError, match="step 2: 30 means no class"):
        sp.evaluate([0, 1, 1], [10, 20, 30], door, map={10: "closed", 20: "open"})
    with pytest.raises(sp.StatepathError, match="codes="):
        sp.compare(PROBS, coded, MODEL, codes="rechtschaffen")


def test_where_recordings_are():
    """lengths= acts for each form of labels, or is refused; what is said of scores is refused where there are none."""
    packed, padded = np.array([0, 1, 1, 0, 1]), np.array([[0, 1, 1], [0, 1, 0]])
    model = sp.Model(["a", "b"], {"a": ["a", "b"], "b": ["b"]})
    whole = sp.fit(packed, rules=model, tune="none", lengths=[3, 2])
    assert sp.fit(padded, rules=model, tune="none", lengths=[3, 2]) == whole
    assert sp.fit([packed[:3], packed[3:]], rules=model, tune="none") == whole
    assert sp.fit(padded, rules=model, tune="none") != whole  # b, a: one more transition
    figures = sp.evaluate(packed, packed, model, lengths=[3, 2]).data["strategies"]["path"]
    assert figures["illegal"] == 0 and figures["transitions"] == 3
    assert sp.evaluate(padded, padded, model, lengths=[3, 2]).data["strategies"]["path"] == figures
    with pytest.raises(sp.StatepathError, match="leave lengths= out"):
        sp.evaluate([[0, 1], [1]], [[0, 1], [1]], model, lengths=[2, 1])
    with pytest.raises(sp.StatepathError, match="leave lengths= out"):
        sp.fit([[0, 1], [1]], rules=model, lengths=[2, 1])
    for name, value in {"offsets": [0, 3, 5], "mask": padded == 0, "step_mask": padded == 0, "kind": "probs", "floor": 0.1, "missing": "uniform"}.items():
        with pytest.raises(sp.StatepathError, match=f"{name}= says how scores are read, and there are none"):
            sp.fit(packed, rules=model, **{name: value})


# ---- numbers, where the columns are in another order than the model ----

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
SORTED = sorted(STAGES)


def scored_by_the_alphabet():
    """Probabilities in sorted columns, as scikit-learn and YASA have them; the true columns, the same as classes of the model."""
    rng = np.random.default_rng(5)
    columns = np.repeat(rng.integers(0, 5, 30), 4)
    probs = rng.dirichlet([0.5] * 5, len(columns)) * 0.4
    probs[np.arange(len(columns)), np.where(rng.random(len(columns)) < 0.8, columns, 2)] += 0.6
    return probs, columns, np.array([STAGES.index(SORTED[k]) for k in columns])


def accuracy(*arguments, **options):
    return sp.compare(*arguments, "sleep-aasm", ["argmax"], **options).data["strategies"]["argmax"]["accuracy"]


def test_numbers_are_not_guessed():
    probs, columns, model = scored_by_the_alphabet()
    expected = np.mean(probs.argmax(1) == columns)
    wrong = np.mean(probs.argmax(1) == np.array([SORTED.index(STAGES[k]) for k in columns]))
    sentence = f"in {expected:.2f} of the steps, as the model's in {wrong:.2f}; label_order=\"columns\" or \"model\" says which is meant"
    for labels in (columns, columns.tolist(), [str(k) for k in columns]):
        with pytest.raises(sp.ScoresError, match=re.escape(sentence)):
            accuracy(probs, labels, classes=SORTED)
    assert accuracy(probs, columns, classes=SORTED, label_order="columns") == pytest.approx(expected)
    assert accuracy(probs, model, classes=SORTED, label_order="model") == pytest.approx(expected)
    assert accuracy(probs, [SORTED[k] for k in columns], classes=SORTED) == pytest.approx(expected)
    assert accuracy(probs[:, [SORTED.index(s) for s in STAGES]], model) == pytest.approx(expected)
    with pytest.raises(sp.StatepathError, match=r'label_order=\'rows\': it is "columns"'):
        accuracy(probs, columns, classes=SORTED, label_order="rows")


def test_numbers_of_other_doors():
    probs, columns, model = scored_by_the_alphabet()
    rules = sp.Model.load("sleep-aasm")
    with pytest.raises(sp.ScoresError, match="label_order="):
        sp.fit(columns, probs, rules=rules, classes=SORTED, method="counts", tune="none")
    learnt = [
        sp.fit(labels, probs, rules=rules, classes=SORTED, method="counts", tune="none", label_order=order)
        for labels, order in ((columns, "columns"), (model, "model"), ([SORTED[k] for k in columns], None))
    ]
    assert learnt[0].to_json() == learnt[1].to_json() == learnt[2].to_json()
    known = np.where(np.arange(len(columns)) % 7 == 0, columns, -1)
    with pytest.raises(sp.ScoresError, match="label_order="):
        sp.decode(probs, rules, classes=SORTED, labels=known)
    path = sp.decode(probs, rules, classes=SORTED, labels=known, label_order="columns", on_infeasible="relax")
    assert np.mean(path == columns) > 0.5
    # A path is in columns, as decode() gives it.
    assert sp.path_score(probs, rules, sp.decode(probs, rules, classes=SORTED), classes=SORTED) > -np.inf


def test_numbers_of_a_file(tmp_path):
    probs, columns, model = scored_by_the_alphabet()
    expected = np.mean(probs.argmax(1) == columns)
    np.savez(tmp_path / "own.npz", probs=probs, labels=columns, classes=SORTED)
    assert accuracy_of(sp.read(tmp_path / "own.npz")) == pytest.approx(expected)
    np.savez(tmp_path / "scores.npz", probs=probs, classes=SORTED)
    np.save(tmp_path / "labels.npy", model)
    with pytest.raises(sp.StatepathError, match="label_order= columns or model says which is meant"):
        sp.read(tmp_path / "scores.npz", labels=tmp_path / "labels.npy", model="sleep-aasm")
    night = sp.read(tmp_path / "scores.npz", labels=tmp_path / "labels.npy", model="sleep-aasm", label_order="model")
    assert night.labels[0].tolist() == columns.tolist() and accuracy_of(night) == pytest.approx(expected)


def accuracy_of(recordings):
    return sp.compare(**recordings, model="sleep-aasm").data["strategies"]["argmax"]["accuracy"]
