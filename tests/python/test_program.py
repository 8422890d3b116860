"""The package and the program give the same paths and the same scores, bit for bit, whatever the shape, type and options."""
import json
import os
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statepath as sp

h5py = pytest.importorskip("h5py")

STRATEGIES = ["viterbi", "greedy", "argmax", "beam:2", "posterior", "mea", "posterior-viterbi", "online:3"]


def logs(rng, t, k, dtype, sharp):
    with np.errstate(divide="ignore"):
        x = rng.normal(size=(t, k)) * sharp
        x[rng.random((t, k)) < 0.1] = -np.inf
        top = x.max(1, keepdims=True, initial=-np.inf)
        x = np.where(top > -np.inf, x, 0)
        x = x - np.log(np.exp(x - x.max(1, keepdims=True, initial=-1e9)).sum(1, keepdims=True)) - x.max(1, keepdims=True, initial=-1e9)
        return x.astype(dtype)


def some_model(rng, k):
    names = [f"c{i}" for i in range(k)]
    allow = rng.random((k, k)) < 0.7
    allow[np.arange(k), (np.arange(k) + 1) % k] = True
    allow |= np.eye(k, dtype=bool)
    weights = np.where(allow, rng.normal(size=(k, k)), -np.inf) if rng.random() < 0.4 else None
    start = [n for n in names if rng.random() < 0.7] or None
    dwell = {names[0]: 2} if rng.random() < 0.3 else None
    return sp.Model(names, allow, log_weights=weights, start=start, min_dwell=dwell, name="some")


@st.composite
def cases(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return {
        "rng": rng,
        "k": draw(st.sampled_from([1, 2, 3, 5, 9, 20])),
        "lengths": draw(st.lists(st.integers(0, 40), min_size=1, max_size=6)),
        "dtype": draw(st.sampled_from([np.float16, np.float32, np.float64])),
        "kind": draw(st.sampled_from(["log_probs", "probs", "logits", "scores"])),
        "layout": draw(st.sampled_from(["list", "packed", "padded", "mask"])),
        "strategy": draw(st.sampled_from(STRATEGIES)),
        "infeasible": draw(st.sampled_from(["mark", "relax"])),
        "segments": draw(st.booleans()),
        "mask": draw(st.booleans()),
        "clamp": draw(st.booleans()),
        "threads": draw(st.sampled_from([1, 2])),
        "temperature": draw(st.sampled_from([None, 1.7])),
        "confidence": draw(st.booleans()),
    }


def padded(parts, width, fill):
    out = np.full((len(parts), width) + parts[0].shape[1:], fill, parts[0].dtype)
    for n, p in enumerate(parts):
        out[n, : len(p)] = p
    return out


def arranged(case, parts, fill):
    """The recordings' arrays in the layout of the case."""
    if case["layout"] == "list":
        return parts
    if case["layout"] == "packed":
        return np.concatenate(parts)
    return padded(parts, max(case["lengths"]) + 2, fill)


@settings(max_examples=int(os.environ.get("STATEPATH_EXAMPLES", "60")), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(case=cases())
def test_same_paths_and_scores(program, tmp_path_factory, case):
    rng, k, lengths = case["rng"], case["k"], case["lengths"]
    folder = tmp_path_factory.mktemp("case")
    parts = [logs(rng, t, k, np.float64, 2.0) for t in lengths]
    parts = [np.exp(p) if case["kind"] == "probs" else p for p in parts]
    parts = [p.astype(case["dtype"]) for p in parts]
    model = some_model(rng, k)
    model.save(folder / "model.json")
    words, options, beside = [], {}, {}
    if case["segments"]:
        beside["segments"] = [np.sort(rng.integers(0, 3, t)) for t in lengths]
        options["segments"] = arranged(case, beside["segments"], 0)
    if case["mask"]:
        beside["mask"] = [rng.random((t, k)) < 0.9 for t in lengths]
        options["step_mask"] = arranged(case, beside["mask"], False)
    if case["clamp"]:
        beside["labels"] = [np.where(rng.random(t) < 0.1, rng.integers(0, k, t), -1) for t in lengths]
        options["labels"] = arranged(case, beside["labels"], -1)
        words.append("--clamp")
    if case["temperature"]:
        options["temperature"] = case["temperature"]
        words += ["--temperature", str(case["temperature"])]
    if case["confidence"]:
        words.append("--confidence")
    with h5py.File(folder / "scores.h5", "w") as f:
        f[case["kind"]] = np.concatenate(parts)
        f["offsets"] = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        f.attrs["classes"] = list(model.classes)
        for name, values in beside.items():
            f[name] = np.concatenate(values)
    if case["layout"] == "padded":
        options["lengths"] = lengths
    elif case["layout"] == "packed":
        options["offsets"] = np.concatenate([[0], np.cumsum(lengths)])
    elif case["layout"] == "mask":
        options["mask"] = np.arange(max(lengths) + 2) < np.array(lengths)[:, None]
    scores = arranged(case, parts, np.nan)
    done = subprocess.run(
        [program, "decode", "scores.h5", "--model", "model.json", "--strategies", case["strategy"], "-o", "paths.h5", "--quiet",
         "--on-infeasible", "relax" if case["infeasible"] == "relax" else "report", *words],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode == 1:
        with pytest.raises(sp.StatepathError):
            sp.decode(scores, model, case["strategy"], kind=case["kind"], on_infeasible="mark", full=True, **options)
        return
    assert done.returncode in (0, 3), done.stderr
    ours = sp.decode(scores, model, case["strategy"], kind=case["kind"], on_infeasible=case["infeasible"], full=True, threads=case["threads"],
                     confidence=case["confidence"], **options)  # fmt: skip
    name = case["strategy"].partition(":")[0]
    with h5py.File(folder / "paths.h5") as f:
        assert np.array_equal(np.concatenate(list(ours)), f["paths"][name][:])
        assert ours.scores.tobytes() == f["path_scores"][name][:].tobytes()
        status = [("ok", "no_path", "dead_end", "bug")[s] for s in f["status"][name][:]]
        assert [("ok" if s == "relaxed" else s) for s in ours.status] == status
        if case["confidence"]:
            assert np.concatenate(ours.confidence).tobytes() == f["confidence"][name][:].tobytes()
        if case["infeasible"] == "relax":
            assert np.array_equal(ours.n_broken, f["broken"][name][:])


def tree(file):
    found = {}
    with h5py.File(file) as f:
        f.visititems(lambda name, item: found.update({name: item[()] if isinstance(item, h5py.Dataset) else None}))
        types = {name: f[name].dtype for name, value in found.items() if value is not None}
        return found, types, dict(f.attrs)


@pytest.mark.parametrize("strategy, words, options", [
    ("viterbi", [], {}),
    ("beam:3", ["--confidence"], {"confidence": True}),
    ("mea", ["--on-infeasible", "relax"], {"on_infeasible": "relax"}),
    ("viterbi", ["--nbest", "3", "--confidence", "--on-infeasible", "relax"], {"n_best": 3, "confidence": True, "on_infeasible": "relax"}),
])  # fmt: skip
def test_saved_as_the_program_writes(program, tmp_path, rng, strategy, words, options):
    lengths = [30, 1, 12]
    scores = np.concatenate([logs(rng, t, 5, np.float32, 1.0) for t in lengths])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    model = sp.Model.load("sleep-strict")
    with h5py.File(tmp_path / "scores.h5", "w") as f:
        f["log_probs"], f["offsets"] = scores, offsets
        f.attrs["classes"] = list(model.classes)
    subprocess.run([program, "decode", "scores.h5", "--model", "sleep-strict", "--strategies", strategy, "-o", "theirs.h5", "--quiet", *words], cwd=tmp_path)
    how = {"on_infeasible": "mark", **options}
    sp.decode(scores, model, strategy, kind="log_probs", offsets=offsets, full=True, **how).save(tmp_path / "ours.h5")
    (theirs, their_types, their_attributes), (ours, our_types, our_attributes) = tree(tmp_path / "theirs.h5"), tree(tmp_path / "ours.h5")
    assert set(ours) == set(theirs)
    for name, value in theirs.items():
        if value is not None:
            assert np.array_equal(ours[name], value, equal_nan=value.dtype.kind == "f"), name
            assert our_types[name] == their_types[name] or value.dtype.kind == "O", name
    assert json.loads(our_attributes["model"]) == json.loads(their_attributes["model"])
    assert set(our_attributes) == set(their_attributes)
    assert list(our_attributes["strategies"]) == list(their_attributes["strategies"])
    done = subprocess.run([program, "evaluate", "ours.h5", "--model", "sleep-strict"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr


def test_saved_otherwise(tmp_path, rng, door):
    p = rng.dirichlet([1, 1, 1], size=20)
    d = sp.decode(p, door, full=True, confidence=True)
    d.save(tmp_path / "p.csv")
    lines = (tmp_path / "p.csv").read_text().splitlines()
    assert lines[0] == "recording,step,label,confidence" and len(lines) == 21 and lines[1].startswith(f"0,0,{d.names()[0][0]},0.")
    d.save(tmp_path / "p.npz")
    with np.load(tmp_path / "p.npz") as f:
        assert np.array_equal(f["paths/viterbi"], d.paths) and list(f["classes"]) == list(d.classes)
    with pytest.raises(sp.FileError, match="force=True"):
        d.save(tmp_path / "p.csv")
    d.save(tmp_path / "p.csv", force=True)
    assert sorted(f.name for f in tmp_path.iterdir()) == ["p.csv", "p.npz"]


def test_draws_as_the_program_writes(program, tmp_path, rng):
    """One seed says them in both, also where recordings are decoded in several groups."""
    probs = rng.dirichlet([0.5] * 5, 3000)
    offsets = np.concatenate([np.arange(0, 3000, 7), [3000]])
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["probs"], f["offsets"] = probs, offsets
        f.attrs["classes"] = sp.Model.load("sleep-aasm").classes
    subprocess.run([program, "decode", tmp_path / "in.h5", "-m", "sleep-aasm", "-o", tmp_path / "out.h5", "--draws", "20", "--seed", "5", "-q"], check=True)
    with h5py.File(tmp_path / "out.h5") as f:
        written = f["draws"][:]
    assert np.array_equal(np.concatenate(sp.draw(probs, "sleep-aasm", 20, seed=5, offsets=offsets), axis=1), written)


def test_runs(tmp_path):
    """sp.runs() is `decode -o runs.jsonl`: shapes, a path from elsewhere, tags as classes."""
    rng = np.random.default_rng(8)
    model = sp.Model(["a", "b", "c"], np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], bool), min_dwell={"b": 2}, name="m")
    nights = [rng.normal(size=(t, 3)) for t in (20, 1, 35)]
    model.save(tmp_path / "m.json")
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f["scores"], f["offsets"], f["ids"] = np.concatenate(nights), np.cumsum([0, 20, 1, 35]), np.array(["r", "s", "t"], "S1")
    program = [os.environ.get("STATEPATH", "statepath"), "decode", "x.h5", "-m", "m.json", "-o", "o.jsonl", "-q"]
    subprocess.run(program, cwd=tmp_path, check=True)
    want = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert sp.runs(nights, model, kind="scores", ids=["r", "s", "t"]) == want
    packed = sp.runs(np.concatenate(nights), model, kind="scores", lengths=[20, 1, 35], ids=["r", "s", "t"])
    assert packed == want
    one = sp.runs(nights[0], model, kind="scores", path=sp.decode(nights[0], model, "greedy", kind="scores"))
    assert one and all(0 <= r["posterior"] <= 1 for r in one) and [r["first"] for r in one][1:] == [r["last"] + 1 for r in one][:-1]
    tags = sp.Model.bio(["O", "B-PER", "I-PER"])
    assert [r["class"] for r in sp.runs(np.eye(3)[[0, 1, 2, 2]] * 0.7 + 0.1, tags)] == ["O", "B-PER", "I-PER"]
    with pytest.raises(sp.StatepathError, match="no tags of entities"):
        sp.nlp.entities(nights[0], model, kind="scores")
