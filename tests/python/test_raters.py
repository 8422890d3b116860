"""Labels of several scorers: raters= of fit() is --all-raters of the program."""

import json
import os
import subprocess

import numpy as np
import pytest

import statepath as sp

h5py = pytest.importorskip("h5py")

NAMES, N, T = ["a", "b", "c"], 8, 60


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(4)
    k, one = 0, []
    for _ in range(N * T):
        k = int(rng.integers(3)) if rng.random() < 0.1 else k
        one.append(k)
    one = np.array(one)
    two = np.where(rng.random(N * T) < 0.15, rng.integers(-1, 3, size=N * T), one)
    e = rng.normal(size=(N * T, 3)) + 2 * np.eye(3)[one]
    return one, two, e - np.log(np.exp(e).sum(axis=1, keepdims=True))


def plain(model):
    return {key: value for key, value in json.loads(model.to_json()).items() if key not in ("source", "name")}


@pytest.mark.parametrize("options", [{"method": "counts"}, {"method": "crf", "penalty": 3.0, "tune": "none"}, {"method": "counts", "groups": [0, 0, 1, 1, 2, 2, 3, 3]}])
def test_as_the_program(made, options, tmp_path):
    one, two, scores = made
    with h5py.File(tmp_path / "d.h5", "w") as f:
        f["log_probs"], f["labels_one"], f["labels_two"], f["offsets"], f["classes"] = scores, one, two, np.arange(N + 1) * T, np.array(NAMES, "S1")
        f["ids"] = np.array([f"r{i}" for i in range(N)], "S2")
        if "groups" in options:
            f["subjects"] = np.array([str(g) for g in options["groups"]], "S1")
    words = [word for key, value in options.items() if key != "groups" for word in (f"--{key}", str(value))]
    subprocess.run([os.environ.get("STATEPATH", "statepath"), "fit", "d.h5", "-o", "m.json", "--all-raters", "--features", "none", *words], cwd=tmp_path, check=True, capture_output=True)
    by_raters = sp.fit(None, np.split(scores, N), raters={"one": np.split(one, N), "two": np.split(two, N)}, kind="log_probs", classes=NAMES, features="none", **options)
    assert plain(by_raters) == plain(sp.Model.load(tmp_path / "m.json"))
    assert "by 2 raters whose labels count 1/2 each" in by_raters.description


def test_of_labels_alone(made):
    one, two, _ = made
    words = [[np.array(NAMES)[part] for part in np.split(labels, N)] for labels in (one, np.where(two < 0, one, two))]
    model = sp.fit(None, raters=words, method="counts", smoothing=0.5)
    counts = np.zeros((3, 3))
    for labels in words:
        for night in labels:
            k = np.searchsorted(NAMES, night)
            np.add.at(counts, (k[:-1], k[1:]), 0.5)
    assert model.classes == tuple(NAMES)
    np.testing.assert_allclose(np.exp(model.log_weights), (counts + 0.5) / (counts + 0.5).sum(axis=1, keepdims=True))


def test_refused(made):
    one, two, scores = made
    raters = [one, two]
    for arguments, said in [
        ({"labels": one, "raters": raters}, "labels= is the one label of each step, raters= are those of several scorers: give one of them"),
        ({"labels": None, "raters": []}, "raters= is empty: the labels of several scorers are needed, each in the form of labels"),
        ({"labels": None, "raters": raters, "method": "em"}, "raters= changes nothing where method= is em; leave it out"),
        ({"labels": None, "raters": [np.eye(3, dtype=bool)[one]]}, "raters= are classes, one for each step; boolean [T,K] is for labels="),
        ({"labels": None, "raters": [one, two[1:]]}, r"raters\[1\]"),
    ]:
        with pytest.raises(sp.StatepathError, match=said.replace("[T,K]", r"\[T,K\]") if "[T" in said else said):
            sp.fit(scores=scores, classes=NAMES, **arguments)
