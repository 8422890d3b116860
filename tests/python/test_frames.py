"""Frames and estimators name their columns and steps: the names decide, or an error does, never the place."""

import numpy as np
import pytest

import statepath as sp

pd = pytest.importorskip("pandas")
STAGES = ["Wake", "N1", "N2", "N3", "REM"]
SORTED = sorted(STAGES)
TO_SORTED = [STAGES.index(name) for name in SORTED]


@pytest.fixture(scope="module")
def nights():
    """Probabilities [T,5] of eight nights in the order of sleep-aasm, and the words of their labels."""
    rng = np.random.default_rng(3)
    probs, words = [], []
    for _ in range(8):
        truth = np.repeat(rng.choice([0, 1, 2, 3, 2, 4, 0], 12), 9)
        probs.append(rng.dirichlet(np.ones(5), len(truth)) * 0.65 + 0.35 * np.eye(5)[truth])
        words.append(np.array(STAGES)[truth])
    return probs, words


def counts(*arguments, **options):
    """What compare() counts of each strategy: nothing that has the order of the classes."""
    strategies = sp.compare(*arguments, **options).data["strategies"]
    return {
        name: {key: value for key, value in one.items() if isinstance(value, int) or key == "accuracy"}
        for name, one in strategies.items()
    }


def frame_of(library, probs, names):
    if library == "pandas":
        return pd.DataFrame(probs, columns=names)
    if library == "polars":
        return pytest.importorskip("polars").DataFrame(probs, schema=list(names), orient="row")
    return pytest.importorskip("pyarrow").table(
        {name: column for name, column in zip(names, probs.T, strict=True)}
    )


LIBRARIES = ["pandas", "polars", "pyarrow"]


# ---- columns ----


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_by_name(nights, library):
    probs, words = nights
    frames = [frame_of(library, p[:, TO_SORTED], SORTED) for p in probs]
    plain = counts(probs, words, "sleep-aasm", kind="probs")
    assert counts(frames, words, "sleep-aasm", kind="probs") == plain
    one = np.asarray(sp.decode(frames[0], "sleep-aasm", kind="probs"))
    assert [SORTED[k] for k in one] == [STAGES[k] for k in sp.decode(probs[0], "sleep-aasm", kind="probs")]
    packed = frame_of(library, np.concatenate(probs)[:, TO_SORTED], SORTED)
    lengths = [len(p) for p in probs]
    assert counts(packed, np.concatenate(words), "sleep-aasm", kind="probs", lengths=lengths) == plain


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_of_each_recording(nights, library):
    probs, words = nights
    frames = [
        frame_of(library, p[:, TO_SORTED] if n % 2 else p, SORTED if n % 2 else STAGES)
        for n, p in enumerate(probs)
    ]
    plain = counts(probs, words, "sleep-aasm", kind="probs")
    assert counts(frames, words, "sleep-aasm", kind="probs") == plain
    with pytest.raises(sp.ScoresError, match=r"scores\[1\] has other columns than scores\[0\]") as caught:
        sp.decode([frames[0], frame_of(library, probs[1], [*"abcde"])], "sleep-aasm")
    assert caught.value.recording == 1
    with pytest.raises(sp.ScoresError, match=r"scores\[1\] names its columns, and scores\[0\] does not"):
        sp.decode([probs[0], frames[1]], "sleep-aasm")
    rival = counts(probs, words, "sleep-aasm", ["argmax"], kind="probs", against={"b": frames})
    assert rival["b.argmax"]["accuracy"] == plain["argmax"]["accuracy"]


def test_marginals_keep_their_columns(nights):
    probs, _ = nights
    frames = [pd.DataFrame(probs[0], columns=STAGES), pd.DataFrame(probs[1][:, TO_SORTED], columns=SORTED)]
    second = sp.marginals(frames, "sleep-aasm", kind="probs")[1]
    assert np.allclose(second[STAGES].to_numpy(), sp.marginals(probs[1], "sleep-aasm", kind="probs"))


def test_columns_of_dask(nights):
    frames = pytest.importorskip("dask.dataframe")
    probs, words = nights
    frame = frames.from_pandas(pd.DataFrame(probs[0][:, TO_SORTED], columns=SORTED), npartitions=2)
    assert counts(frame, words[0], "sleep-aasm", kind="probs") == counts(probs[0], words[0], "sleep-aasm", kind="probs")
    path = sp.decode(frame, "sleep-aasm", kind="probs")
    assert [SORTED[k] for k in path] == [STAGES[k] for k in sp.decode(probs[0], "sleep-aasm", kind="probs")]


def test_names_that_only_count(nights):
    probs, _ = nights
    polars = pytest.importorskip("polars")
    assert np.array_equal(
        sp.decode(polars.DataFrame(probs[0]), "sleep-aasm"), sp.decode(probs[0], "sleep-aasm")
    )


def test_sets_of_labels_in_frames():
    polars = pytest.importorskip("polars")
    may = np.eye(3, dtype=bool)[[0, 0, 1, 2, 0, 0]]
    plain = sp.fit([may, may], classes=["a", "b", "c"])
    frame = polars.DataFrame(may[:, ::-1], schema=["c", "b", "a"], orient="row")
    assert sp.fit([frame, frame], classes=["a", "b", "c"]).to_json() == plain.to_json()


def test_labels_of_polars(nights):
    probs, words = nights
    polars = pytest.importorskip("polars")
    plain = counts(probs, words, "sleep-aasm", kind="probs")
    for dtype in (polars.String, polars.Categorical, polars.Enum(SORTED)):
        labels = [polars.Series(w.tolist()).cast(dtype) for w in words]
        assert counts(probs, labels, "sleep-aasm", kind="probs") == plain
    half = [polars.Series([*w[:-1].tolist(), None]) for w in words]
    steps = sp.compare(probs, half, "sleep-aasm", kind="probs").data["input"]
    assert steps["scored_steps"] == sum(map(len, words)) - len(words)


# ---- steps ----


def test_index_in_another_order(nights):
    probs, words = nights
    frame, labels = pd.DataFrame(probs[0], columns=STAGES), pd.Series(words[0])
    turned = labels.sample(frac=1, random_state=1)
    plain = counts(frame, labels, "sleep-aasm")
    for call in (
        lambda y: sp.compare(frame, y, "sleep-aasm"),
        lambda y: sp.compare([frame], [y], "sleep-aasm"),
        lambda y: sp.compare({"a": frame}, {"a": y}, "sleep-aasm"),
        lambda y: sp.compare(frame, y, "sleep-aasm", lengths=[len(y)]),
        lambda y: sp.compare(frame, labels, "sleep-aasm", weights=pd.Series(np.ones(len(y)), index=y.index)),
        lambda y: sp.compare(frame, labels, "sleep-aasm", against={"b": frame.loc[y.index]}),
        lambda y: sp.evaluate(labels, y, "sleep-aasm"),
        lambda y: sp.evaluate({"a": [labels], "b": [labels]}, [y], "sleep-aasm"),
        lambda y: sp.fit([y, y], [frame, frame], rules="sleep-aasm"),
    ):
        call(labels)
        with pytest.raises(
            sp.ScoresError, match=r"have indexes that differ, at step 0 .*reindex.*to_numpy\(\)"
        ):
            call(turned)
    assert counts(frame, turned.reindex(frame.index), "sleep-aasm") == plain
    assert counts(frame, turned.sort_index().to_numpy(), "sleep-aasm") == plain


def test_index_that_says_nothing(nights):
    probs, words = nights
    T = len(probs[0])
    times = pd.date_range("2024-01-01 23:00", periods=T, freq="30s")
    plain = counts(probs[0], words[0], "sleep-aasm")
    for index, other in (
        (None, times),
        (times, None),
        (times, times),
        (None, range(40, 40 + T)),
        (range(1, T + 1), None),
    ):
        frame, labels = pd.DataFrame(probs[0], columns=STAGES, index=index), pd.Series(words[0], index=other)
        assert counts(frame, labels, "sleep-aasm") == plain
    for index, other in (
        (times, times[::-1]),
        (times, range(40, 40 + T)),
        (range(1, T + 1), range(2, T + 2)),
    ):
        frame, labels = pd.DataFrame(probs[0], columns=STAGES, index=index), pd.Series(words[0], index=other)
        with pytest.raises(sp.ScoresError, match="indexes that differ"):
            sp.compare(frame, labels, "sleep-aasm")


# ---- estimators ----


def estimators():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    import statepath.sklearn

    return statepath.sklearn


def figures(decoder, X, y):
    decoder.fit(X, y)
    return decoder.score(X, y), [p.tolist() for p in decoder.predict(X)]


@pytest.mark.parametrize("rules", [None, "sleep-aasm"])
@pytest.mark.parametrize("method", ["counts", "crf", "rules"])
def test_decoder_columns(nights, rules, method):
    learn = estimators()
    probs, words = nights
    if method == "rules" and rules is None:
        pytest.skip("needs rules")
    ways = {"kind": "probs", "method": method, "tune": "none"}
    by_proba = [p[:, TO_SORTED] for p in probs]
    by_classifier = figures(learn.SequenceDecoder(rules, classes=np.array(SORTED), **ways), by_proba, words)
    assert by_classifier[0] > 0.8
    named = learn.SequenceDecoder(rules, classes=STAGES, **ways)
    assert np.isclose(figures(named, probs, words)[0], by_classifier[0], atol=0.002)
    assert named.classes_.tolist() == STAGES
    for library in LIBRARIES:
        frames = [frame_of(library, p, SORTED) for p in by_proba]
        decoder = learn.SequenceDecoder(rules, **ways)
        assert figures(decoder, frames, words) == by_classifier
        assert decoder.classes_.tolist() == SORTED
        turned = [frame_of(library, p, STAGES) for p in probs]
        assert [p.tolist() for p in decoder.predict(turned)] == by_classifier[1]
        assert np.allclose(decoder.predict_proba(turned)[0], decoder.predict_proba(frames)[0])
    if rules is None:
        decoder = learn.SequenceDecoder(**ways)
        assert figures(decoder, by_proba, words) == by_classifier and decoder.classes_.tolist() == SORTED
    else:
        with pytest.raises(
            sp.StatepathError,
            match=r"order of the rules .* agree with y in 0\.\d\d .*, in the sorted order in 0\.9\d; classes= names",
        ):
            learn.SequenceDecoder(rules, **ways).fit(by_proba, words)


def test_decoder_aliases(nights):
    learn = estimators()
    probs, words = nights
    short = {"Wake": "W", "REM": "R"}
    y = [[short.get(w, w) for w in night] for night in words]
    frames = [pd.DataFrame(p[:, TO_SORTED], columns=[short.get(w, w) for w in SORTED]) for p in probs]
    decoder = learn.SequenceDecoder("sleep-aasm", kind="probs").fit(frames, y)
    assert decoder.score(frames, y) > 0.8 and decoder.classes_.tolist() == SORTED


def test_decoder_numbers(nights):
    learn = estimators()
    probs, words = nights
    y = [np.array([STAGES.index(w) for w in night]) for night in words]
    plain = figures(learn.SequenceDecoder("sleep-aasm", kind="probs"), probs, y)
    assert plain[0] > 0.8
    ten = learn.SequenceDecoder(kind="probs")
    assert figures(ten, probs, [10 * t + 10 for t in y])[0] > 0.8 and ten.classes_.tolist() == [
        10,
        20,
        30,
        40,
        50,
    ]
    with pytest.raises(sp.StatepathError, match="give y as names"):
        learn.SequenceDecoder("sleep-aasm", kind="probs").fit(
            [pd.DataFrame(p[:, TO_SORTED], columns=SORTED) for p in probs], y
        )
    with pytest.raises(sp.StatepathError, match="X has 5 columns, and there are 2 classes"):
        learn.SequenceDecoder(sp.Model(["a", "b"]), kind="probs").fit(probs, y)


def test_decoder_index(nights):
    learn = estimators()
    probs, words = nights
    X, y = [pd.DataFrame(p, columns=STAGES) for p in probs], [pd.Series(w) for w in words]
    turned = [t.sample(frac=1, random_state=1) for t in y]
    for estimator in (learn.SequenceDecoder(kind="probs"), learn.Stack(None)):
        with pytest.raises(sp.ScoresError, match=r"y\[0\] and X\[0\] have indexes that differ"):
            estimator.fit(X, turned)
    fitted = learn.SequenceDecoder(kind="probs").fit(X, y)
    assert fitted.score(X, y) > 0.8
    with pytest.raises(sp.ScoresError, match=r"y\[0\] and X\[0\] have indexes that differ"):
        fitted.score(X, turned)


def test_stack_features_by_name(nights):
    learn = estimators()
    from sklearn.linear_model import LogisticRegression

    probs, words = nights
    features = [*"abcde"]
    X = [pd.DataFrame(p, columns=features) for p in probs]
    turned = [x[features[::-1]] for x in X]
    for decoder in (None, learn.SequenceDecoder("sleep-aasm")):
        stack = learn.Stack(LogisticRegression(), decoder, cv=2).fit(X, words)
        assert [p.tolist() for p in stack.predict(turned)] == [p.tolist() for p in stack.predict(X)]
        assert (
            learn.Stack(LogisticRegression(), decoder, cv=2).fit([X[0], *turned[1:]], words).score(X, words)
            == stack.score(X, words)
            > 0.8
        )
    assert np.array_equal(learn.flatten([X[0], turned[1]]), learn.flatten(X[:2]))


def test_decoder_of_predict_proba(nights):
    learn = estimators()
    from sklearn.ensemble import RandomForestClassifier

    probs, words = nights
    forest = RandomForestClassifier(20, random_state=0).fit(
        np.concatenate(probs[:4]), np.concatenate(words[:4])
    )
    X, y = [forest.predict_proba(p) * 0.95 + 0.01 for p in probs[4:]], words[4:]
    truth = sp.compare(X, y, "sleep-aasm", kind="probs", classes=forest.classes_).data["strategies"][
        "viterbi"
    ]["accuracy"]
    decoder = learn.SequenceDecoder("sleep-aasm", classes=forest.classes_, method="rules", kind="probs").fit(
        X, y
    )
    assert decoder.score(X, y) == pytest.approx(truth, abs=1e-12) and truth > 0.6


# ---- rows ----


@pytest.mark.parametrize("none", [-1, -1.0, np.nan, None, "", "names"])
def test_rows_that_may_be_padded(nights, none):
    probs, words = nights
    scores, names = np.stack(probs), np.stack(words)
    labels = np.array([[STAGES.index(w) for w in row] for row in words])
    if none == "names":
        labels, none = names.astype(object), None
    elif none in (None, ""):
        labels = names.astype(object)
    elif isinstance(none, float):
        labels = labels.astype(float)
    padded = labels.copy()
    padded[2, -3:] = none
    N, T = padded.shape
    for call in (
        lambda y, **how: sp.compare(scores, y, "sleep-aasm", kind="probs", **how),
        lambda y, **how: sp.fit(
            y, scores, rules="sleep-aasm", kind="probs", method="counts", tune="none", **how
        ),
        lambda y, **how: sp.evaluate(scores.argmax(-1), y, "sleep-aasm", **how),
    ):
        call(labels)
        with pytest.raises(
            sp.ScoresError, match=r"row 2 ends without a label, .*lengths=\[\d+\] \* 8"
        ) as caught:
            call(padded)
        assert caught.value.recording == 2
        call(padded, lengths=[T] * N)
    inside = labels.copy()
    inside[2, 3:5] = none
    assert sp.compare(scores, inside, "sleep-aasm", kind="probs").data["input"]["scored_steps"] == N * T - 2
