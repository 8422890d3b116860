"""fit() takes boolean labels [T,K]: true where a step may have the class."""

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


def test_several_are_learnt_from_as_the_program_learns(made, program, tmp_path):
    h5py = pytest.importorskip("h5py")
    labels, scores, _, several = made
    with h5py.File(tmp_path / "d.h5", "w") as f:
        f["log_probs"], f["labels"] = np.concatenate(scores), np.concatenate(labels)
        f["offsets"] = np.arange(N + 1) * T
        f.attrs["classes"] = CLASSES
    (tmp_path / "rules.json").write_text(sp.Model(CLASSES, name="rules").to_json())
    words = ["fit", "d.h5", "--rules", "rules.json", "--map", "0=a,1=b,2=c,3=d,9=b|c", "--features", "none", "-o", "m.json"]
    subprocess.run([program, *words], cwd=tmp_path, check=True, capture_output=True)
    ours = sp.fit(several, scores, rules=sp.Model(CLASSES, name="rules"), **HOW)
    theirs = json.loads((tmp_path / "m.json").read_text())
    assert " that have several classes of 8 recordings" in ours.description == theirs["description"]
    assert json.loads(ours.to_json())["probabilities"] == theirs["probabilities"]


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


def test_sets_alone(made):
    _, scores, _, several = made
    coarse = [np.where(s[:, 1:2] | s[:, 2:3], [[False, True, True, False]], False) for s in several]
    model = sp.fit(coarse, scores, classes=CLASSES, **HOW)
    assert model.description.startswith("fitted by counts")
    assert "nothing was tuned: every labelled step has several classes, and figures are of steps with one" in model.description
    with pytest.raises(sp.StatepathError, match="learn by method= counts or em"):
        sp.fit(coarse, scores, classes=CLASSES, method="crf", **HOW)


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
