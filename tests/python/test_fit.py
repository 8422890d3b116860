"""fit() learns what the program learns. It takes boolean labels [T,K], true where a step may have the class."""

import json
import subprocess

import numpy as np
import pytest

import statepath as sp

pytest.importorskip("statepath._evaluation", reason="built without GSL")

CLASSES = ("a", "b", "c", "d")
K, N, T = 4, 8, 60
HOW = {"features": "none"}


@pytest.fixture(scope="module")
def made():
    """Labels, scores, boolean labels of one class each, and of two in every third step with b or c of all recordings but two."""
    rng = np.random.default_rng(3)
    labels, scores, exact, several = [], [], [], []
    for n in range(N):
        k, steps = 0, []
        for _ in range(T):
            k = int(rng.integers(K)) if rng.random() < 0.2 else k
            steps.append(k)
        y = np.array(steps)
        e = rng.normal(size=(T, K)) + 1.5 * np.eye(K)[y]
        may = np.eye(K, dtype=bool)[y]
        coarse = np.isin(y, (1, 2)) & (np.arange(T) % 3 == 0) & (n > 1)
        labels.append(np.where(coarse, 9, y))
        scores.append(e - np.log(np.exp(e).sum(axis=1, keepdims=True)))
        exact.append(may)
        several.append(np.where(coarse[:, None], [[False, True, True, False]], may))
    return labels, scores, exact, several


def test_one_true_class_is_that_class(made):
    labels, scores, exact, _ = made
    fine = [e.argmax(axis=1) for e in exact]
    assert sp.fit(exact, scores, classes=CLASSES, **HOW) == sp.fit(fine, scores, classes=CLASSES, **HOW)
    fine[0][:5] = -1
    exact = [exact[0].copy(), *exact[1:]]
    exact[0][:5] = [[True] * K, [False] * K, [True] * K, [False] * K, [True] * K]  # says nothing
    assert sp.fit(exact, scores, classes=CLASSES, **HOW) == sp.fit(fine, scores, classes=CLASSES, **HOW)
    assert sp.fit(exact, **HOW | {"features": "auto"}).classes == ("class0", "class1", "class2", "class3")


RULES = sp.Model(CLASSES, forbid={"a": ["c"]}, rules=["never b a b"], aliases={"a": "first"}, name="rules")
STATES = sp.Model(CLASSES, states={"a1": "a", "a2": "a", "b": "b", "c": "c", "d": "d"}, name="states")
LASTING = sp.Model(CLASSES, durations={"b": {"min": 1, "max": 30}}, name="lasting")
WAYS = [  # words of `statepath fit`, and the same as keywords
    ("--method counts", {"method": "counts"}),
    ("--method counts --tune none --smoothing 2", {"method": "counts", "tune": "none", "smoothing": 2.0}),
    ("--method counts --tune macro_f1 --folds 3", {"method": "counts", "tune": "macro_f1", "folds": 3}),
    ("--method counts --features windows", {"method": "counts", "features": "windows"}),
    ("--method crf --penalty 1", {"method": "crf", "penalty": 1.0}),
    ("--method crf --memory 2 --penalty 1", {"method": "crf", "memory": 2, "penalty": 1.0}),
    ("--method em", {"method": "em"}),
]


@pytest.mark.parametrize(
    ("data", "rules"),
    [("whole", RULES), ("whole", STATES), ("whole", LASTING), ("sparse", RULES), ("sets", RULES), ("gaps", RULES)],
    ids=lambda x: x if isinstance(x, str) else x.name,
)
@pytest.mark.parametrize("words, options", WAYS, ids=[words for words, _ in WAYS])
def test_as_the_program_learns(made, program, tmp_path, words, options, data, rules):
    """From one kind of labels under one kind of rules: the same model, or both refuse."""
    h5py = pytest.importorskip("h5py")
    labels, scores, exact, several = made
    is_labelled = np.arange(T) % (3 if data == "sparse" else 1) == 0
    given = [np.where(is_labelled, e.argmax(axis=1), -1) for e in exact]
    beside, more = ["--map", "0=a,1=b,2=c,3=d,9=b|c"] if data == "sets" else [], {}
    with h5py.File(tmp_path / "d.h5", "w") as f:
        f["log_probs"] = np.concatenate(scores)
        f["labels"] = np.concatenate(labels if data == "sets" else given)
        f["offsets"] = np.arange(N + 1) * T
        f.attrs["classes"] = CLASSES
        if data == "gaps":
            more["segments"] = [np.arange(T) // 17] * N
            f["segments"] = np.concatenate(more["segments"])
    rules.save(tmp_path / "rules.json")
    arguments = [program, "fit", "d.h5", "--rules", "rules.json", *words.split(), *beside, "-o", "m.json"]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True)
    if done.returncode:
        with pytest.raises(sp.StatepathError):
            sp.fit(several if data == "sets" else given, scores, rules=rules, **options, **more)
        return
    ours = json.loads(sp.fit(several if data == "sets" else given, scores, rules=rules, **options, **more).to_json())
    theirs = json.loads((tmp_path / "m.json").read_text())
    assert {**ours, "source": ""} == {**theirs, "source": ""}


def test_every_form_of_recordings(made):
    _, scores, _, several = made
    want = sp.fit(several, scores, classes=CLASSES, **HOW)
    lengths = [T] * N
    assert sp.fit(np.concatenate(several), np.concatenate(scores), classes=CLASSES, lengths=lengths, **HOW) == want
    assert sp.fit(np.stack(several), np.stack(scores), classes=CLASSES, **HOW) == want
    assert sp.fit(np.stack(several), np.stack(scores), classes=CLASSES, lengths=lengths, **HOW) == want
    assert sp.fit(dict(enumerate(several)), scores, classes=CLASSES, **HOW) == want
    alone = sp.fit(several, classes=CLASSES, tune="none")
    assert sp.fit(np.concatenate(several), classes=CLASSES, lengths=lengths, tune="none") == alone
    assert sp.fit(np.stack(several), classes=CLASSES, tune="none") == alone
    assert "that have several classes" in sp.fit(several[3].tolist(), classes=CLASSES, tune="none").description


def test_columns_of_frames_are_aligned_by_name(made):
    pd = pytest.importorskip("pandas")
    _, scores, _, several = made
    want = sp.fit(several, scores, classes=CLASSES, **HOW)
    order = ["d", "b", "a", "c"]
    frames = [pd.DataFrame(s, columns=list(CLASSES))[order] for s in several]
    assert sp.fit(frames, scores, classes=CLASSES, **HOW) == want
    frames[2] = frames[2].rename(columns={"d": "x"})
    with pytest.raises(sp.ScoresError, match=r"labels\[2\] have columns x, b, a, c, and the classes are a, b, c, d"):
        sp.fit(frames, scores, classes=CLASSES, **HOW)


def test_errors_say_what_to_do(made):
    labels, scores, exact, several = made
    for given, words in (
        (lambda: sp.fit([s.T for s in several], scores, classes=CLASSES), r"labels\[0\] are boolean of shape \(4, 60\), and there are 4 classes, a, b, c, d: "
         r"rows are steps, columns are classes, true where the step may have the class; transpose: write labels\[0\]\.T"),
        (lambda: sp.fit([s[:, :3] for s in several], scores, classes=CLASSES), r"labels\[0\] are boolean of shape \(60, 3\), and there are 4 classes"),
        (lambda: sp.fit(several[:7], scores, classes=CLASSES), "labels= has 7 recordings and scores have 8"),
        (lambda: sp.fit([*several[:7], several[7][:50]], scores, classes=CLASSES), r"labels\[7\] has shape \(50, 4\), not \(60, 4\)"),
        (lambda: sp.fit([*several[:7], labels[7]], scores, classes=CLASSES), r"labels\[7\] is int64 of shape \(60,\), and labels\[0\] is boolean \[T,K\]"),
        (lambda: sp.fit(several, scores, classes=CLASSES, codes="nsrr"), r"codes= and map= say which class a label is, and these are boolean \[T,K\]"),
        (lambda: sp.fit(labels, scores, classes=CLASSES, map={9: "b|c"}), r"map=: 9 \(b\|c\) is several classes, and a label here is one; fit\(\) takes boolean "),
    ):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=words):
            given()
