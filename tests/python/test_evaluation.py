"""compare(), evaluate() and fit() say what the program says of the same data, to the byte; bad input is one sentence."""
import copy
import json
import pickle
import re
import subprocess
import threading

import numpy as np
import pytest
from conftest import probabilities

import statepath as sp

h5py = pytest.importorskip("h5py")
pytest.importorskip("statepath._evaluation", reason="built without GSL")

def data(rng, n=6, dtype=np.float32):
    lengths = rng.integers(20, 90, n)
    labels, scores = [], []
    for t in lengths:
        y = np.repeat(rng.integers(0, 5, t), 4)[:t].astype(np.int32)
        p = rng.gamma(0.3 + 1.5 * np.eye(5)[y]) + 1e-4
        labels.append(np.where(rng.random(t) < 0.05, -1, y).astype(np.int32))
        scores.append((p / p.sum(1, keepdims=True)).astype(dtype))
    return scores, labels


def write(file, scores, labels, ids):
    with h5py.File(file, "w") as f:
        f["probs"] = np.concatenate(scores)
        f["labels"] = np.concatenate(labels)
        f["offsets"] = np.concatenate([[0], np.cumsum([len(s) for s in scores])]).astype(np.int64)
        f.create_dataset("ids", data=ids, dtype=h5py.string_dtype())
        f.attrs["classes"] = ["Wake", "N1", "N2", "N3", "REM"]


def without_file(text):
    found = json.loads(text)
    for key in ("command",):
        found.pop(key, None)
    for key in ("file", "bytes", "files", "size"):
        found["input"].pop(key, None)
    return json.dumps(found, sort_keys=False)


def test_words_for_unscored_steps():
    """The field's words, where the classes are stages of sleep and nowhere else."""
    words = ["Wake", "?", "unscored", "MT", "N2", "Sleep stage ?", "", None]
    numbers = [0, -1, -1, -1, 2, -1, -1, -1]
    probs = np.random.default_rng(7).dirichlet(np.ones(5), len(words))
    for given in (words, np.array(words, object)):
        assert sp.compare(probs, given, "sleep-aasm").data["strategies"] == sp.compare(probs, numbers, "sleep-aasm").data["strategies"]
        assert sp.evaluate(numbers, given, "sleep-aasm").data["strategies"] == sp.evaluate(numbers, numbers, "sleep-aasm").data["strategies"]
        assert sp.decode(probs, "sleep-aasm", labels=given).tolist() == sp.decode(probs, "sleep-aasm", labels=numbers).tolist()
    for word in ("snoring", "a\0b", "\ud800"):
        with pytest.raises(sp.ScoresError):
            sp.compare(probs[:1], [word], "sleep-aasm")
    with pytest.raises(sp.ScoresError, match="MT.* is none of the 5 classes"):
        sp.compare(probs[:1], ["MT"], sp.Model.band(list("abcde")))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("model", ["sleep-strict", "sleep-aasm"])
def test_compare_is_the_programs(program, tmp_path, seed, model):
    scores, labels = data(np.random.default_rng(seed))
    ids = [f"r{i}" for i in range(len(scores))]
    write(tmp_path / "s.h5", scores, labels, ids)
    subprocess.run([program, "compare", "s.h5", "--model", model, "--strategies", "argmax,viterbi,mea", "--json", "r.json", "--csv", "r.csv", "-q"],
                   cwd=tmp_path, check=True, capture_output=True)
    report = sp.compare(scores, labels, model, ["argmax", "viterbi", "mea"], ids=ids, kind="probs")
    assert without_file(report.to_json()) == without_file((tmp_path / "r.json").read_text())
    report.save(tmp_path / "mine.csv")
    assert (tmp_path / "mine.csv").read_bytes() == (tmp_path / "r.csv").read_bytes()


@pytest.mark.parametrize("subjects", [None, ["a", "b", "b", "c", "c", "c", "d", "d"]])
def test_cross_validation_is_the_programs(program, tmp_path, subjects):
    scores, labels = data(np.random.default_rng(3), 8)
    ids = [f"r{i}" for i in range(len(scores))]
    write(tmp_path / "s.h5", scores, labels, ids)
    if subjects:
        with h5py.File(tmp_path / "s.h5", "a") as f:
            f.create_dataset("subjects", data=subjects, dtype=h5py.string_dtype())
    subprocess.run([program, "compare", "s.h5", "--model", "sleep-aasm", "--cv", "3", "--json", "r.json", "-q"], cwd=tmp_path, check=True, capture_output=True)
    seen = []
    report = sp.compare(scores, labels, "sleep-aasm", ids=ids, subjects=subjects, kind="probs", cv=3, progress=lambda *a: seen.append(a[0]))
    theirs = json.loads(without_file((tmp_path / "r.json").read_text()))
    mine = json.loads(without_file(report.to_json()))
    for one in (mine, theirs):
        one["input"].pop("subjects_from", None)
    assert mine == theirs and len(set(seen)) > 1


def test_what_does_not_go_with_cross_validation():
    scores, labels = data(np.random.default_rng(4))
    for more, word in (({"cv": 1}, "cv=1"), ({"cv": 2.5}, "cv=2.5"), ({"cv": 100}, "folds"), ({"cv": 2, "temperature": 2.0}, "temperature="),
                       ({"cv": 2, "against": {"b": scores}}, "against=")):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=word) as found:
            sp.compare(scores, labels, "sleep-aasm", kind="probs", **more)
        assert "`" not in str(found.value)
    with pytest.raises(sp.StatepathError, match="cv="):
        sp.compare(scores, None, "sleep-aasm", kind="probs", cv=2)


def test_evaluate_agrees_with_compare():
    scores, labels = data(np.random.default_rng(3))
    compared = sp.compare(scores, labels, "sleep-aasm", ["viterbi"])
    judged = sp.evaluate({"viterbi": sp.decode(scores, "sleep-aasm")}, labels, "sleep-aasm")
    for key in ("accuracy", "kappa", "illegal", "confusion", "changes", "macro_f1"):
        assert judged.data["strategies"]["viterbi"][key] == compared.data["strategies"]["viterbi"][key]


def test_shapes_and_names_of_labels_make_no_difference():
    scores, labels = data(np.random.default_rng(4))
    names = np.array(["Wake", "N1", "N2", "N3", "REM", ""], object)
    expected = sp.compare(scores, labels, "sleep-aasm", ["viterbi"]).to_json()
    assert sp.compare(scores, [names[y] for y in labels], "sleep-aasm", ["viterbi"]).to_json() == expected
    assert sp.compare(np.concatenate(scores), np.concatenate(labels), "sleep-aasm", ["viterbi"], lengths=[len(y) for y in labels]).to_json() == expected
    assert sp.compare({str(i): s for i, s in enumerate(scores)}, {str(i): y for i, y in enumerate(labels)}, "sleep-aasm", ["viterbi"]).to_json() == expected
    floats = [np.where(y < 0, np.nan, y) for y in labels]
    assert sp.compare(scores, floats, "sleep-aasm", ["viterbi"]).to_json() == expected


def test_names_of_paths():
    scores, labels = data(np.random.default_rng(4))
    paths = {"viterbi": sp.decode(scores, "sleep-aasm"), "argmax": [s.argmax(1) for s in scores]}
    expected = sp.evaluate(paths, labels, "sleep-aasm").to_json()
    assert sp.evaluate(list(paths.values()), labels, "sleep-aasm", names=list(paths)).to_json() == expected
    one = sp.evaluate({"mine": paths["viterbi"]}, labels, "sleep-aasm").to_json()
    assert sp.evaluate([paths["viterbi"]], labels, "sleep-aasm", names=["mine"]).to_json() == one
    assert sp.evaluate(paths["viterbi"], labels, "sleep-aasm", names="mine").to_json() == one
    assert sp.evaluate(np.array([[0, 1], [1, 1]]), [0, 1], sp.Model(["a", "b"]), names=("x", "y")).strategies == ["x", "y"]
    for given, names, word in ((paths, ["a", "b"], "a mapping has its own"), (list(paths.values()), ["a"], "names= has 1 names and paths= is a list of 2"),
                               (list(paths.values()), ["a", "a"], "twice"), (paths["viterbi"], 3, "names=3"), ([], [], "empty")):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=word):
            sp.evaluate(given, labels, "sleep-aasm", names=names)


def test_against_another_classifier():
    scores, labels = data(np.random.default_rng(5))
    worse = [np.full_like(s, 0.2) for s in scores]
    report = sp.compare(scores, labels, "sleep-aasm", ["argmax", "viterbi"], against={"flat": worse})
    assert report.strategies == ["argmax", "viterbi", "flat.argmax", "flat.viterbi"]
    report.check("viterbi.accuracy > flat.viterbi.accuracy")


def test_tables():
    scores, labels = data(np.random.default_rng(6))
    report = sp.compare(scores, labels, "sleep-strict", subjects=["a", "a", "b", "b", "c", "c"])
    assert len(report.recordings) == 3 * len(scores)
    assert {"a", "b", "metric", "difference", "low", "high", "p"} <= set(report.pairs.columns)
    frame = report.frame
    assert frame[(frame.strategy == "viterbi") & (frame.metric == "accuracy") & frame.recording.isna()].value.iloc[0] == report.data["strategies"]["viterbi"]["accuracy"]
    assert report.confusion("viterbi").to_numpy().sum() == report.data["input"]["scored_steps"]
    assert report.illegal("argmax")["count"].sum() == report.data["strategies"]["argmax"]["illegal"]
    assert "<table>" in report._repr_html_() and "iframe" in report.show()._repr_html_() and "viterbi" in str(report)


def test_checks():
    report = sp.evaluate([0, 1, 1], [0, 1, 0], sp.Model(["a", "b"]))
    report.check("path.accuracy < 0.7; path.illegal == 0")
    with pytest.raises(AssertionError, match="path.accuracy is 0.66"):
        report.check("path.illegal == 0; path.accuracy > 0.7")
    with pytest.raises(sp.StatepathError, match="accuracy"):
        report.check("path.acuracy > 0.7")
    with pytest.raises(sp.StatepathError):
        report.check(3)


def test_reports_are_pickled(tmp_path):
    scores, labels = data(np.random.default_rng(6), 2)
    report = sp.compare(scores, labels, "sleep-aasm", ids=["ann", "ben"])
    for other in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report), copy.copy(report)):
        assert other.data == report.data and other.to_json() == report.to_json() and str(other) == str(report) and repr(other) == repr(report)
        assert other.table() == report.table() and other.show()._repr_html_() == report.show()._repr_html_()
        other.check("viterbi.illegal == 0")
        for condition in ("viterbi.accuracy < argmax.accuracy", "viterbi.classes.N1.f1 > 2; reference.illegal < 0", "argmax.acuracy > 0", "viterbi.entity_f1 > 0"):
            said = []
            for one in (report, other):
                with pytest.raises((AssertionError, sp.StatepathError)) as found:
                    one.check(condition)
                said.append((type(found.value), str(found.value)))
            assert said[0] == said[1]
        for ending in ("html", "json", "csv", "md", "tex"):
            other.save(tmp_path / f"other.{ending}", force=True), report.save(tmp_path / f"report.{ending}", force=True)
            assert (tmp_path / f"other.{ending}").read_bytes() == (tmp_path / f"report.{ending}").read_bytes()
    judged = sp.evaluate([0, 1, 1], [0, 1, 0], sp.Model(["a", "b"]))
    assert pickle.loads(pickle.dumps(judged)).data == judged.data


def test_files(tmp_path):
    report = sp.evaluate([0, 1, 1], [0, 1, 0], sp.Model(["a", "b"]))
    report.save(tmp_path / "r.json")
    with pytest.raises(sp.FileError):
        report.save(tmp_path / "r.json")
    report.save(tmp_path / "r.json", force=True)
    assert json.loads((tmp_path / "r.json").read_text()) == report.data
    with pytest.raises(sp.StatepathError, match=r"\.html"):
        report.save(tmp_path / "r.pdf")


def test_fit_keeps_the_rules_and_repeats_itself(program, tmp_path):
    scores, labels = data(np.random.default_rng(7))
    seen = []
    model = sp.fit(labels, scores, rules="sleep-aasm", method="counts", kind="probs", progress=lambda *a: seen.append(a))
    assert model == sp.fit(labels, scores, rules="sleep-aasm", method="counts", kind="probs", threads=1)
    assert model.forbidden == sp.Model.load("sleep-aasm").forbidden
    write(tmp_path / "s.h5", scores, labels, [str(i) for i in range(len(scores))])
    subprocess.run([program, "fit", "s.h5", "--rules", "sleep-aasm", "--method", "counts", "-o", "m.json"], cwd=tmp_path, check=True, capture_output=True)
    theirs = json.loads((tmp_path / "m.json").read_text())
    mine = json.loads(model.to_json())
    for key in ("source", "description"):
        theirs.pop(key, None), mine.pop(key, None)
    assert mine == theirs


@pytest.mark.parametrize("how", [{}, {"method": "counts"}, {"method": "em"}, {"memory": 2}, {"features": "windows"}, {"tune": "none"}])
def test_fit_keeps_rules_and_names(how):
    """Rules over more steps, with prices, and aliases."""
    scores, labels = data(np.random.default_rng(8))
    model = sp.fit(labels, scores, rules="sleep-clinical", kind="probs", epoch_seconds=30, **how)
    rules = json.loads(sp.Model.load("sleep-clinical").to_json())
    fitted = json.loads(model.to_json())
    assert fitted["rules"] == rules["rules"]
    names = {a for more in rules["aliases"].values() for a in more} | set(rules["aliases"])
    assert names <= {a for more in fitted["aliases"].values() for a in more} | set(fitted["classes"])


def test_models_of_folds_keep_rules():
    """None of them breaks a hard rule by Viterbi, though argmax does."""
    scores, labels = data(np.random.default_rng(8))
    report = sp.compare(scores, labels, "sleep-clinical", kind="probs", epoch_seconds=30, cv=3, strategies=["argmax", "viterbi"])
    assert sum(found["violations"] for found in report.data["strategies"]["argmax"]["rules"].values()) > 0
    assert all(found["violations"] == 0 for found in report.data["strategies"]["viterbi"]["rules"].values())


def test_fit_by_costs_and_by_what_the_classes_are():
    rng = np.random.default_rng(0)
    y = [np.repeat(rng.integers(0, 3, 12), 6) for _ in range(6)]
    p = [rng.dirichlet([1, 1, 1], len(x)) + 0.3 * np.eye(3)[x] for x in y]
    p = [x / x.sum(1, keepdims=True) for x in p]
    how = {"classes": ["background", "pour", "stir"], "method": "counts"}
    assert "; segments with viterbi" in json.loads(sp.fit(y, p, **how).to_json())["description"]
    assert "; accuracy with viterbi" in json.loads(sp.fit(y, p, tune="accuracy", **how).to_json())["description"]
    text = json.loads(sp.fit(y, p, costs={("pour", "stir"): 3, ("pour", "background"): 2.5}, **how).to_json())["description"]
    assert "; cost with viterbi" in text and " -" not in text.split("settings ")[1]
    for wrong in ({("pour", "far"): 1}, {"pour": 1}, {("pour", "stir"): -1}, {("pour", "stir"): "much"}, 3):
        with pytest.raises(sp.StatepathError, match="cost"):
            sp.fit(y, p, costs=wrong, **how)
    with pytest.raises(sp.StatepathError, match="tune"):
        sp.fit(y, p, costs={("pour", "stir"): 3}, tune="kappa", **how)


def test_fit_learns_durations_and_keeps_those_of_rules():
    rng = np.random.default_rng(8)
    labels = [np.concatenate([[0] * int(rng.integers(1, 7)) + [1] * 5 for _ in range(12)])[:60] for _ in range(8)]
    scores = [2 * rng.random((60, 2)) + 0.6 * np.eye(2)[y] for y in labels]
    rules = sp.Model(["a", "b"], durations={"b": {"min": "150s", "max": "150s"}})
    model = sp.fit(labels, scores, rules=rules, kind="scores", epoch_seconds=30)  # by counts, as nobody says by what
    assert json.loads(model.to_json())["durations"] == {"b": {"min": "150s", "max": "150s"}}
    with pytest.raises(sp.StatepathError, match="is a time, 150 s"):
        sp.fit(labels, scores, rules=rules, kind="scores")
    field = sp.fit(labels, scores, rules=rules, kind="scores", method="crf", penalty=30, epoch_seconds=30)
    assert json.loads(field.to_json())["durations"] == {"b": {"min": "150s", "max": "150s"}}


def test_fit_learns_several_states_of_a_class():
    """Short and long runs of b; half of the labels taken away change little."""
    rng = np.random.default_rng(3)
    labels = [np.concatenate([[0] * 4 + [1] * (20 if rng.random() < 0.5 else 1) for _ in range(40)]) for _ in range(6)]
    rules = sp.Model(["a", "b"], states={"a": "a", "b1": "b", "b2": "b"}, allow=np.ones((3, 3), bool))
    stays = []
    for share in 0, 0.5:
        partial = [np.where(rng.random(len(y)) < share, -1, y) for y in labels]
        model = json.loads(sp.fit(partial, rules=rules).to_json())
        assert list(model["states"]) == ["a", "b1", "b2"] and "states by expectation-maximisation" in model["description"]
        stays.append([model["probabilities"][i][i] for i in range(3)])
    assert stays[0][1] < 0.1 and stays[0][2] > 0.85
    assert np.allclose(stays[0], stays[1], atol=0.1)


def test_windows_are_learnt_and_applied_whatever_the_order_of_columns(program, tmp_path):
    rng = np.random.default_rng(9)
    labels = [np.repeat(rng.integers(3, size=12), 10) for _ in range(12)]
    scores = [rng.normal(size=(120, 3)) * 1.5 + np.eye(3)[[0, 2, 1]][y] for y in labels]  # b and c are taken for each other
    model = sp.fit(labels, scores, classes=["a", "b", "c"], kind="logits", method="counts")
    windows = json.loads(model.to_json())["windows"]
    assert "windows over neighbouring steps" in repr(model)
    assert "windows" not in json.loads(sp.fit(labels, scores, classes=["a", "b", "c"], kind="logits", method="counts", features="none").to_json())
    rows = np.concatenate([np.asarray(s, dtype=float) for s in scores[:1]])
    p = np.exp(rows) / np.exp(rows).sum(axis=1, keepdims=True)
    u = np.concatenate([np.maximum(np.log(p), windows["floor"]), p], axis=1)
    z = windows["scale"] * u[:, :3] + np.array(windows["bias"])
    for t in range(len(z)):
        for w in windows["of"]:
            before, after = u[max(0, t - w["steps"]) : t], u[t + 1 : t + 1 + w["steps"]]
            z[t] += (before.mean(axis=0) if len(before) else u[t]) @ w["before"] + (after.mean(axis=0) if len(after) else u[t]) @ w["after"]
    plain = sp.Model.from_json(json.dumps({k: v for k, v in json.loads(model.to_json()).items() if k != "windows"}))
    wanted = sp.decode(z, plain, kind="logits")
    assert np.mean(wanted == labels[0]) > 0.5
    for dtype in (np.float64, np.float32):
        got = sp.decode(scores[0].astype(dtype), model, kind="logits")
        assert np.mean(got == wanted) > (0.97 if dtype is np.float32 else 0.9999)
    turned = sp.decode(scores[0][:, [2, 0, 1]], model, kind="logits", classes=["c", "a", "b"])
    assert np.array_equal(np.array([2, 0, 1])[turned], wanted)
    assert np.array_equal(sp.decode(scores[0], model, kind="logits", strategy="argmax"), scores[0].argmax(axis=1))
    assert model.with_(temperature=None) == model or "windows" in json.loads(model.with_(temperature=2).to_json())
    with pytest.raises(sp.StatepathError, match="weighs the 54 steps after each"):
        sp.OnlineDecoder(model, 3)
    with pytest.raises(sp.StatepathError, match="features= windows: there are no two labelled recordings"):
        sp.fit(labels[:1], scores[:1], classes=["a", "b", "c"], kind="logits", method="counts", features="windows")


def test_a_floor_is_learnt_where_exact_zeros_leave_recordings_without_a_path():
    rng = np.random.default_rng(10)
    rules = sp.Model(["a", "b", "c"], forbid={"a": ["c"], "c": ["a"]})
    labels = [np.tile([0, 0, 0, 1, 1, 2, 2, 1], 8) for _ in range(10)]
    scores = []
    for y in labels:
        p = rng.dirichlet([1, 1, 1], size=len(y)) + 2 * np.eye(3)[y]
        scores.append(p / p.sum(axis=1, keepdims=True))
    for p in scores[:4]:  # sure of what the rules forbid
        p[8:11] = np.eye(3)[[0, 2, 0]]
    model = sp.fit(labels, scores, rules=rules, kind="probs", method="counts", features="none")
    floor = json.loads(model.to_json())["decoding"]["floor"]
    assert 0 < floor < 0.1 and "(without that 4 recordings held out have no path)" in repr(model) + json.loads(model.to_json())["description"]
    paths = sp.decode(scores, model, kind="probs")
    assert all(rules.is_legal(path) for path in paths)
    plain = model.with_(floor=None)
    for path, p in zip(paths, scores, strict=True):
        assert np.array_equal(path, sp.decode(np.log(np.maximum(p, floor)), plain, kind="scores"))
    assert np.array_equal(sp.decode(scores[0], plain, kind="probs", floor=floor), paths[0])
    assert rules.is_legal(sp.decode(scores[0], model, kind="probs", floor=1e-300))
    with pytest.raises(sp.NoPathError):
        sp.decode(scores[0], plain, kind="probs")
    with pytest.raises(sp.StatepathError, match=f"floor={floor:g}: these are scores"):
        sp.decode(np.log(scores[9]), model, kind="scores")
    assert "floor" not in json.loads(sp.fit(labels, scores[4:] + scores[4:8], rules=rules, kind="probs").to_json()).get("decoding", {})


BAD = [
    (lambda: sp.compare([[0.5, 0.5]], [0, 1], sp.Model(["a", "b"])), "labels"),
    (lambda: sp.compare([[0.5, 0.5]], [7], sp.Model(["a", "b"])), "classes"),
    (lambda: sp.compare([[0.5, 0.5]], ["c"], sp.Model(["a", "b"])), "classes"),
    (lambda: sp.compare([[0.5, np.nan]], [0], sp.Model(["a", "b"]), kind="probs"), "NaN"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b", "c"])), "classes"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), ["viterbo"]), "viterbo"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), []), "strategies"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), level=2), "level"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), level="x"), "level"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), ids=["x", "y"]), "ids"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), weights=[1, 2]), "weights"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), preset="no"), "preset"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), on_infeasible="no"), "on_infeasible"),
    (lambda: sp.compare([[0.5, 0.5]], [0], 3), "model"),
    (lambda: sp.compare(np.array([[object()]]), [0], sp.Model(["a"])), "objects"),
    (lambda: sp.evaluate([0, 1], [0], sp.Model(["a", "b"])), "paths"),
    (lambda: sp.evaluate({}, [0], sp.Model(["a", "b"])), "paths"),
    (lambda: sp.evaluate([5], [0], sp.Model(["a", "b"])), "paths"),
    (lambda: sp.evaluate([0.5], [0], sp.Model(["a", "b"])), "whole"),
    (lambda: sp.fit(None), "labels"),
    (lambda: sp.fit([-1, -1]), "labelled"),
    (lambda: sp.fit(["a", "b"], rules=sp.Model(["x", "y"])), "classes"),
    (lambda: sp.fit(["a", "b"], method="magic"), "method"),
    (lambda: sp.fit(["a", "b"], method="crf"), "scores"),
    (lambda: sp.fit(["a", "b"], smoothing="x"), "smoothing"),
    (lambda: sp.fit(["a", "b"], folds=-1), "folds"),
    (lambda: sp.fit(["a", "b"], method=3), "^method=3: a text is needed$"),
    (lambda: sp.fit(["a", "b"], name=3), "^name=3: a text is needed$"),
    *((lambda key=key, value=value: sp.evaluate([0, 1], [0, 1], sp.Model(["a", "b"]), **{key: value}), rf"^{key}={re.escape(repr(value))}: a text is needed$")
      for key, value in (("preset", 1), ("background", [1, 2]), ("weighted_kappa", {}),
                         ("name", 3))),  # fmt: skip
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), background=3), "^background=3: a text is needed$"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), name=3), "^name=3: a text is needed$"),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), strategies=3), "^strategies=3: "),
    (lambda: sp.compare([[0.5, 0.5]], [0], sp.Model(["a", "b"]), background="a\0b"), "NUL"),
]


@pytest.mark.parametrize("case", BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_input_is_one_sentence(case):
    call, word = case
    with pytest.raises(ValueError, match=word) as found:
        call()
    assert "\n" not in str(found.value) and "`" not in str(found.value)


def test_an_exception_of_progress_ends_the_call():
    scores, labels = data(np.random.default_rng(8))

    def stop(what, done, total):
        raise KeyError(what)

    with pytest.raises(KeyError):
        sp.compare(scores, labels, "sleep-aasm", progress=stop)


def test_threads_do_not_meet():
    scores, labels = data(np.random.default_rng(9))
    expected, found = sp.compare(scores, labels, "sleep-aasm").to_json(), []
    threads = [threading.Thread(target=lambda: found.append(sp.compare(scores, labels, "sleep-aasm").to_json())) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [expected] * 4


def test_sentences_name_options_as_python_has_them(tmp_path):
    scores, labels = data(np.random.default_rng(3))
    report = sp.compare(scores, labels, "sleep-aasm", kind="probs", margin=0.01, wake_trim=30,)
    for ending in ("md", "html"):
        report.save(tmp_path / f"r.{ending}")
        text = (tmp_path / f"r.{ending}").read_text()
        assert "wake_trim=" in text.replace("\\_", "_") and "margin=" in text, ending
        assert not re.search(r"--[a-z]+-?[a-z]+[ )<]", re.sub(r"(?s)<(style|script).*?</\1>", "", text)), ending


def test_weights_are_numbers_that_can_be_added():
    scores, labels = probabilities(np.random.default_rng(4), 50, 5), np.zeros(50, int)
    for bad in (1e291, -1.0, np.nan, np.inf):
        weights = np.ones(50)
        weights[7] = bad
        with pytest.raises(sp.StatepathError, match="at step 7 of all: weights are numbers from 0 to 1e290"):
            sp.compare([scores], [labels], "sleep-aasm", weights=[weights])
    weights[7] = 1e290
    assert np.isfinite(sp.compare([scores], [labels], "sleep-aasm", weights=[weights]).data["strategies"]["argmax"]["accuracy"])


def test_seeds():
    """A number where readers of JSON hold it, else its digits."""
    scores, labels = data(np.random.default_rng(12), n=5)
    for seed in (2**31, 2**63, 2**64 - 1):
        far = sp.compare(scores, labels, "sleep-aasm", ["argmax", "viterbi"], seed=seed)
        assert far.data["seed"] == (seed if seed < 2**63 else str(seed))
    for seed in (-1, 2**64):
        sentence = "seed=%d: a whole number from 0 to 18446744073709551615 is needed" % seed
        with pytest.raises(sp.StatepathError, match=sentence):
            sp.compare(scores, labels, "sleep-aasm", seed=seed)
