"""The first hour of somebody who works in Python: frames, polars, scikit-learn, joblib, tensors.

Figures are as scikit-learn has them. Two others, with files, work in the shell: tests/doors/test_doors_newcomers.py.
"""

import numpy as np
import pytest

import statepath as sp

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn")
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix, f1_score  # noqa: E402

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
COLUMNS = [f"band{k}" for k in range(5)]


@pytest.fixture(scope="module")
def study():
    """Features of steps as frames, labels as series, a classifier, and its probabilities of nights it has not seen."""
    rng = np.random.default_rng(7)
    X, y = [], []
    for _ in range(10):
        truth = np.repeat(rng.choice([0, 1, 2, 3, 2, 4], 15), rng.integers(2, 9, 15))
        X.append(pd.DataFrame(rng.normal(np.eye(5)[truth], 0.8), columns=COLUMNS))
        y.append(pd.Series(np.array(STAGES)[truth]))
    forest = RandomForestClassifier(30, random_state=0).fit(pd.concat(X[:5]), pd.concat(y[:5]))
    probs = [forest.predict_proba(x) * 0.99 + 0.002 for x in X[5:]]
    return X, y, forest, probs


def as_sklearn(report, labels, said, classes, strategy="argmax"):
    true, said = np.concatenate(labels), np.concatenate(said)
    found = report.data["strategies"][strategy]
    assert found["accuracy"] == pytest.approx(accuracy_score(true, said), abs=1e-12)
    assert found["kappa"] == pytest.approx(cohen_kappa_score(true, said), abs=1e-12)
    assert found["macro_f1"] == pytest.approx(f1_score(true, said, average="macro"), abs=1e-12)
    assert np.array_equal(found["confusion"], confusion_matrix(true, said, labels=list(classes)))


def test_first_hour(study):
    _, y, forest, probs = study
    labels, classes = y[5:], list(forest.classes_)
    said = [forest.classes_[p.argmax(1)] for p in probs]
    with pytest.raises(sp.StatepathError, match="there is no model"):
        sp.compare(probs, labels, "sleep_aasm")
    report = sp.compare(probs, labels, "sleep-aasm", classes=classes)
    as_sklearn(report, labels, said, classes)
    frames = [pd.DataFrame(p, columns=classes, index=t.index) for p, t in zip(probs, labels, strict=True)]
    as_sklearn(sp.compare(frames, labels, "sleep-aasm"), labels, said, classes)
    paths = sp.decode(frames, "sleep-aasm")
    as_sklearn(
        sp.compare(frames, labels, "sleep-aasm"),
        labels,
        [np.array(classes)[p] for p in paths],
        classes,
        "viterbi",
    )
    # Wrong turns: numbers of one order, shuffled series, frames of other columns.
    numbers = [np.array([STAGES.index(w) for w in t]) for t in labels]
    with pytest.raises(sp.ScoresError, match='label_order="columns" or "model" says which is meant'):
        sp.compare(frames, numbers, "sleep-aasm")
    as_sklearn(sp.compare(frames, numbers, "sleep-aasm", label_order="model"), labels, said, classes)
    with pytest.raises(sp.ScoresError, match="indexes that differ"):
        sp.compare(frames, [t.sample(frac=1, random_state=0) for t in labels], "sleep-aasm")
    with pytest.raises(sp.StatepathError):
        sp.decode([f.rename(columns={"N1": "S1?"}) for f in frames], "sleep-aasm")


def test_polars(study):
    polars = pytest.importorskip("polars")
    _, y, forest, probs = study
    labels, classes = y[5:], list(forest.classes_)
    frames = [polars.DataFrame(p, schema=classes, orient="row") for p in probs]
    series = [polars.Series(t.tolist()) for t in labels]
    as_sklearn(
        sp.compare(frames, series, "sleep-aasm"),
        labels,
        [forest.classes_[p.argmax(1)] for p in probs],
        classes,
    )


def test_scikit_learn_and_joblib(study):
    joblib = pytest.importorskip("joblib")
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, GroupKFold

    from statepath.sklearn import SequenceDecoder, Stack

    X, y, forest, probs = study
    with pytest.raises(sp.StatepathError, match="classes= names the columns"):
        SequenceDecoder("sleep-aasm", kind="probs").fit(probs, y[5:])
    decoder = SequenceDecoder(
        "sleep-aasm", classes=forest.classes_, kind="probs", method="counts", tune="none"
    ).fit(probs, y[5:])
    said = decoder.predict(probs)
    assert decoder.score(probs, y[5:]) == pytest.approx(
        accuracy_score(np.concatenate(y[5:]), np.concatenate(said)), abs=1e-12
    )
    model = decoder.model_
    as_sklearn(
        sp.compare(probs, y[5:], model, classes=forest.classes_), y[5:], said, forest.classes_, "viterbi"
    )
    search = GridSearchCV(decoder, {"smoothing": [0.1, 1.0]}, cv=GroupKFold(2)).fit(
        probs, y[5:], groups=range(5)
    )
    assert search.best_score_ > 0.5
    stack = Stack(LogisticRegression(max_iter=500), SequenceDecoder("sleep-aasm"), cv=2).fit(X, y)
    assert stack.score(X, y) > 0.8
    turned = [x[COLUMNS[::-1]] for x in X]
    assert all(np.array_equal(a, b) for a, b in zip(stack.predict(X), stack.predict(turned), strict=True))
    alone = [sp.decode(p, "sleep-aasm", classes=forest.classes_) for p in probs]
    work = joblib.delayed(sp.decode)
    shared = joblib.Parallel(n_jobs=2)(work(p, "sleep-aasm", classes=forest.classes_) for p in probs)
    assert all(np.array_equal(a, b) for a, b in zip(alone, shared, strict=True))


def test_tensors(study):
    torch = pytest.importorskip("torch")
    _, y, forest, probs = study
    labels, classes = y[5:], list(forest.classes_)
    tensors = [torch.tensor(p, requires_grad=True) for p in probs]
    with pytest.raises(sp.ScoresError, match=r"\.detach\(\)"):
        sp.compare(tensors, labels, "sleep-aasm", classes=classes)
    report = sp.compare([t.detach() for t in tensors], labels, "sleep-aasm", classes=classes)
    as_sklearn(report, labels, [forest.classes_[p.argmax(1)] for p in probs], classes)


def test_padded(study):
    _, y, forest, probs = study
    labels, classes = y[5:], list(forest.classes_)
    lengths = [len(p) for p in probs]
    scores = np.full((5, max(lengths), 5), 0.2)
    words = np.full((5, max(lengths)), "", object)
    for n, (p, t) in enumerate(zip(probs, labels, strict=True)):
        scores[n, : len(p)], words[n, : len(p)] = p, t
    with pytest.raises(sp.ScoresError, match="ends without a label"):
        sp.compare(scores, words, "sleep-aasm", classes=classes)
    report = sp.compare(scores, words, "sleep-aasm", classes=classes, lengths=lengths)
    as_sklearn(report, labels, [forest.classes_[p.argmax(1)] for p in probs], classes)
