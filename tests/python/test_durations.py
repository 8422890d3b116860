"""Durations: how long a class lasts, as Python takes them, and what decoding makes of them."""
import copy
import datetime
import math
import pickle
import subprocess

import numpy as np
import pytest

import statepath as sp

STRATEGIES = ["viterbi", "greedy", "beam:3", "mea", "posterior-viterbi", "online:2"]  # whose paths are legal


def test_gap_cuts_runs():
    """Beside a gap, as at the ends, three steps of a class may be a piece of the four that it lasts."""
    model = sp.Model(["a", "b"], durations={"a": {"pmf": [0, 0, 0, 1]}})
    e = np.array([[3.0, 0.0]] * 3 + [[0.0, 5.0]] + [[3.0, 0.0]] * 3)
    assert sp.decode(e, model, kind="scores").tolist() == [0, 0, 0, 1, 0, 0, 0]
    inner = np.vstack([[[0.0, 9.0]], e, [[0.0, 9.0]]])
    assert sp.decode(inner, model, kind="scores").tolist() != [1, *[0] * 3, 1, *[0] * 3, 1]
    assert sp.decode(inner, model, kind="scores", segments=[0, *[1] * 3, 2, *[3] * 3, 4]).tolist() == [1, *[0] * 3, 1, *[0] * 3, 1]
    assert sp.decode(e, model.with_(durations_at_ends="whole"), kind="scores").tolist() in ([0, 0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0, 0])


# ---- what a model says, and where it goes ----

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
DURATIONS = {"N2": {"min": 3, "max": 40}, "N1": {"pmf": np.array([0.5, 0.3, 0.2])}, "REM": {"negative_binomial": {"mean": "12min", "dispersion": 2}}}
PLAIN = {"N1": {"pmf": [0.5, 0.3, 0.2]}, "N2": {"min": 3, "max": 40}, "REM": {"negative_binomial": {"mean": "720s", "dispersion": 2}}}


def night(rng, T=200):
    return rng.dirichlet(np.ones(5), T)


def test_it_says_what_was_declared():
    model = sp.Model(STAGES, durations=DURATIONS)
    assert model.durations == PLAIN and model.durations_at_ends == "cut"
    assert type(model.durations["N2"]["min"]) is int and type(model.durations["N1"]["pmf"]) is list
    assert repr(model) == "Model 'model': 5 classes, 0 forbidden transitions, durations of 3 classes"
    assert "durations of 1 class<" in sp.Model(["a"], durations={"a": {"max": 9}})._repr_html_()
    assert sp.Model(["a"]).durations == {} and sp.Model(["a"]).durations_at_ends == "cut"
    model.durations["N2"]["min"] = 9
    assert model.durations == PLAIN


@pytest.mark.parametrize("ends, said", [("cut", "cut"), ("whole", "whole"), ({"end": "whole"}, {"start": "cut", "end": "whole"}), ({"start": "whole", "end": "cut"},) * 2, ({}, "cut"),
                                        ({"start": "whole", "end": "whole"}, "whole"), (None, "cut")])  # fmt: skip
def test_ends(ends, said):
    model = sp.Model(STAGES, durations=DURATIONS, durations_at_ends=ends)
    assert model.durations_at_ends == said and sp.Model(STAGES, durations=model.durations, durations_at_ends=said) == model


def test_round_trips(tmp_path):
    model = sp.Model(STAGES, durations=DURATIONS, durations_at_ends="whole", name="lasts")
    model.save(tmp_path / "lasts.model.json")
    others = [sp.Model.load(tmp_path / "lasts.model.json"), sp.Model.from_json(model.to_json()), copy.copy(model), copy.deepcopy(model)]
    others += [pickle.loads(pickle.dumps(model)), sp.Model(STAGES, durations=PLAIN, durations_at_ends="whole", name="lasts"), model.with_(name="lasts")]
    for other in others:
        assert other == model and hash(other) == hash(model) and other.durations == PLAIN and other.durations_at_ends == "whole"
    assert model.with_(durations=None, durations_at_ends=None) == sp.Model(STAGES, name="lasts")
    assert model.with_(durations={"N3": {"min": 2}}).durations == {"N3": {"min": 2}} and model.with_(durations={}).durations == {}
    assert model != model.with_(durations_at_ends="cut") and model != model.with_(durations=PLAIN | {"N2": {"min": 4, "max": 40}})


@pytest.mark.parametrize("length, said", [(datetime.timedelta(seconds=90), "90s"), (np.timedelta64(90, "s"), "90s"), (np.timedelta64(1500, "ms"), "1.5s"), ("1.5h", "5400s"),
                                          (np.array(np.timedelta64(2, "m")), "120s"), (np.uint8(3), 3), (np.float32(4), 4), (np.array(5), 5), (6.0, 6)])  # fmt: skip
def test_lengths(length, said):
    assert sp.Model(["a", "b"], durations={"a": {"min": length}}).durations == {"a": {"min": said}}


def test_the_program_reads_it(program, tmp_path, rng):
    model = sp.Model(STAGES, durations=DURATIONS, name="lasts")
    model.save(tmp_path / "lasts.model.json")
    probs = night(rng)
    np.save(tmp_path / "night.npy", probs)
    words = [program, "decode", str(tmp_path / "night.npy"), "--model", str(tmp_path / "lasts.model.json"), "--kind", "probs", "--strategies", "viterbi", "--epoch-seconds", "30"]
    subprocess.run([*words, "-o", str(tmp_path / "paths.h5")], check=True, capture_output=True)
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "paths.h5") as f:
        theirs = f["paths/viterbi"][:]
    assert np.array_equal(theirs, sp.decode(probs, model, epoch_seconds=30))


# ---- errors ----

WRONG = [
    ({"durations": [("N2", 3)]}, r"durations=\[\('N2', 3\)\]: give a mapping of classes"),
    ({"durations": {"N2": [3, 40]}}, r"durations\['N2'\]=\[3, 40\]: give a mapping, as"),
    ({"durations": {"N2": 3}}, r"durations\['N2'\]=3: give a mapping"),
    ({"durations": {"N2": {}}}, r'durations\["N2"\]: needs an object'),
    ({"durations": {"N9": {"min": 3}}}, r'durations\["N9"\]: the model has no such class \(it has'),
    ({"durations": {"N2": {"mim": 3}}}, r'key "mim" is not known in N2 .*did you mean.*min'),
    ({"durations": {"N2": {"min": 3, "pmf": [1]}}}, r'durations\["N2"\]: needs one of'),
    ({"durations": {"N2": {"poisson": {"mean": 3, "spread": 3}}}}, r'key "spread" is not known in poisson'),
    ({"durations": {"N2": {"poisson": 3}}}, r'durations\["N2"\]: "poisson" needs an object of "mean"'),
    ({"durations": {"N2": {"min": 5, "max": 4}}}, r'the duration of "N2" has min 5 steps above max 4 steps'),
    ({"durations": {"N2": {"min": "5min", "max": "4min"}}}, r'the duration of "N2" has min 5 min above max 4 min'),
    ({"durations": {"N2": {"min": 0}}}, r'durations\["N2"\]: "min" needs a whole number of steps, as 3, or a time'),
    ({"durations": {"N2": {"min": 2.5}}}, r'durations\["N2"\]: "min" needs a whole number'),
    ({"durations": {"N2": {"min": True}}}, r'durations\["N2"\]: "min" needs a whole number'),
    ({"durations": {"N2": {"min": np.True_}}}, r'durations\["N2"\]: "min" needs a whole number'),
    ({"durations": {"N2": {"min": "3 weeks"}}}, r'durations\["N2"\]: "min" needs .* a time, as "90s"'),
    ({"durations": {"N2": {"max": np.inf}}}, r"durations\['N2'\]\['max'\]=inf: a finite number"),
    ({"durations": {"N2": {"max": 10**400}}}, r"durations\['N2'\]\['max'\]=inf: a finite number"),
    ({"durations": {"N2": {"max": datetime.timedelta(seconds=-3)}}}, r'durations\["N2"\]: "max" needs'),
    ({"durations": {"N2": {"max": np.timedelta64("NaT")}}}, r"durations\['N2'\]\['max'\] is not a time"),
    ({"durations": {"N2": {"max": np.timedelta64(3, "M")}}}, r"durations\['N2'\]\['max'\]=.*fixed length"),
    ({"durations": {"N2": {"max": object()}}}, r"durations\['N2'\]\['max'\] holds object, not numbers"),
    ({"durations": {"N2": {"pmf": [0.5, np.nan]}}}, r"durations\['N2'\]\['pmf'\]\[1\] is nan"),
    ({"durations": {"N2": {"pmf": [0.5, -0.5]}}}, r'durations\["N2"\]: "pmf" needs numbers of at least 0; length 2 has less'),
    ({"durations": {"N2": {"pmf": []}}}, r'durations\["N2"\]: "pmf" needs a list of 1 to'),
    ({"durations": {"N2": {"pmf": 3}}}, r'durations\["N2"\]: "pmf" needs a list of 1 to'),
    ({"durations": {"N2": {"pmf": np.zeros(3)}}}, r'the pmf of the duration of "N2" sums to 0; some length must be possible'),
    ({"durations": {"N2": {"pmf": np.ones((2, 2))}}}, r"durations\['N2'\]\['pmf'\] has shape \(2, 2\)"),
    ({"durations": {"N2": {"pmf": [[1.0], [1.0, 2.0]]}}}, r"durations\['N2'\]\['pmf'\]=\[\[1.0\], \[1.0, 2.0\]\]: a list of numbers"),
    ({"durations": {"N2": {"pmf": ["a"]}}}, r"durations\['N2'\]\['pmf'\] holds <U1, not numbers"),
    ({"durations": {"N2": {"pmf": [1j]}}}, r"durations\['N2'\]\['pmf'\] holds complex128, not numbers"),
    ({"durations": {"N2": {"log_normal": {"median": 20}}}}, r'durations\["N2"\]: "log_normal" needs an object of "median", a length, and "sigma"'),
    ({"durations": {"N2": {"log_normal": {"median": 20, "sigma": 0}}}}, r'the sigma of the duration of "N2" is 0'),
    ({"durations": {"N2": {"min": 70000}}}, r'the duration of "N2" reaches to 70000 steps'),
    ({"durations": {"N2": {"min": 70000}, "N1": {"min": "90s"}}}, r'the duration of "N2" reaches to 70000 steps'),
    ({"durations": {"N2": {"min": 2}}, "min_dwell": {"N2": 3}}, r'"N2" has both a duration and a min_dwell \(3 steps\)'),
    ({"durations": DURATIONS, "durations_at_ends": "hole"}, r"""durations_at_ends='hole': it is "cut" or "whole", or {"start": "whole\""""),
    ({"durations": DURATIONS, "durations_at_ends": True}, r"durations_at_ends=True: it is"),
    ({"durations": DURATIONS, "durations_at_ends": ["cut", "whole"]}, r"durations_at_ends=\['cut', 'whole'\]: it is"),
    ({"durations": DURATIONS, "durations_at_ends": {"begin": "cut"}}, r"durations_at_ends={'begin': 'cut'}: it is"),
    ({"durations": DURATIONS, "durations_at_ends": {"start": "open"}}, r"durations_at_ends={'start': 'open'}: it is"),
]  # fmt: skip


@pytest.mark.parametrize("given, sentence", WRONG)
def test_errors(given, sentence):
    with pytest.raises(sp.ModelError, match=sentence) as error:
        sp.Model(STAGES, **given)
    assert "<model>" not in str(error.value)
    with pytest.raises(sp.ModelError, match=sentence):
        sp.Model(STAGES).with_(**given)


# ---- lengths in time ----

TIMED = {"REM": {"min": "90s", "max": "5min"}, "Wake": {"log_normal": {"median": "2min", "sigma": 0.5}}}


def in_steps(seconds):
    return {"REM": {"min": round(90 / seconds), "max": round(300 / seconds)}, "Wake": {"log_normal": {"median": 120 / seconds, "sigma": 0.5}}}


@pytest.mark.parametrize("seconds", [30, 15.0, np.float32(10)])
def test_times_are_steps_of_that_length(rng, seconds):
    timed, plain = sp.Model(STAGES, durations=TIMED), sp.Model(STAGES, durations=in_steps(float(seconds)))
    nights = [night(rng, 120), night(rng, 90)]
    how = {"epoch_seconds": seconds}
    for strategy in STRATEGIES:
        for ours, theirs in zip(sp.decode(nights, timed, strategy, **how), sp.decode(nights, plain, strategy), strict=True):
            assert np.array_equal(ours, theirs) and timed.is_legal(ours, **how)
    assert np.array_equal(sp.marginals(nights[0], timed, **how), sp.marginals(nights[0], plain))
    assert np.array_equal(sp.log_partition(nights, timed, **how), sp.log_partition(nights, plain))
    path = sp.decode(nights[0], plain)
    assert sp.path_score(nights[0], timed, path, **how) == sp.path_score(nights[0], plain, path)
    assert sp.leak(nights[0], timed, **how).mean == sp.leak(nights[0], plain).mean
    ours, theirs = (sp.OnlineDecoder(m, 5, **more) for m, more in ((timed, how), (plain, {})))
    assert list(ours.stream(nights[1])) == list(theirs.stream(nights[1]))
    columns = ["REM", "N3", "N2", "N1", "Wake"]  # other columns are compiled by themselves
    assert np.array_equal(sp.decode(nights[0][:, ::-1], timed, classes=columns, **how), 4 - path)


def test_without_the_length_of_a_step(rng):
    timed, probs = sp.Model(STAGES, {"Wake": ["N1"], "N1": STAGES, "N2": STAGES, "N3": STAGES, "REM": STAGES}, durations=TIMED), night(rng)
    calls = [
        lambda: sp.decode(probs, timed), lambda: sp.decode([probs], timed, "greedy", full=True), lambda: sp.decode(probs, timed, transition_weight=2),
        lambda: sp.marginals(probs, timed), lambda: sp.log_partition(probs, timed), lambda: sp.path_score(probs, timed, [0] * 200), lambda: sp.leak(probs, timed),
        lambda: sp.OnlineDecoder(timed, 3), lambda: timed.is_legal(["Wake"] * 5),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(sp.ModelError, match=r'the .* of the duration of "(Wake|REM)" is a time, \d+ s, but .*; epoch_seconds= says it, or write the length in steps'):
            call()
    for wrong in (0, -1, math.nan, "x"):
        with pytest.raises(sp.StatepathError, match="epoch_seconds="):
            sp.decode(probs, timed, epoch_seconds=wrong)
        with pytest.raises(sp.StatepathError, match="epoch_seconds="):
            sp.decode(probs, "sleep-aasm", epoch_seconds=wrong)
    # What does not ask for it: staying may be allowed, whatever the matrix says.
    assert timed.forbidden == [("Wake", s) for s in ("N2", "N3", "REM")] and "durations of 2 classes" in repr(timed) and "Wake → N3" in timed._repr_html_()
    assert timed.violations(["Wake", "Wake", "N3"]) == [(0, 2, "Wake", "N3")] and timed.check() == []
    assert sp.apply_logit_masking(np.zeros((1, 5)), [0], timed).tolist() == [[0, 0, -np.inf, -np.inf, -np.inf]]
    assert pickle.loads(pickle.dumps(timed)) == timed
    with pytest.raises(sp.NoPathError):
        sp.decode(np.eye(5)[[0, 3, 0]], timed, epoch_seconds=30)


def test_no_length_that_is_both():
    model = sp.Model(["a", "b"], durations={"a": {"min": "100s", "max": 2}})
    assert model.is_legal(list("ab"), epoch_seconds=60)
    with pytest.raises(sp.ModelError, match='the duration of "a" is at least 10 and at most 2 steps'):
        model.is_legal(list("ab"), epoch_seconds=10)


def test_many_lengths_of_a_step(rng):
    """What is compiled is kept, and not without end."""
    timed, probs = sp.Model(STAGES, durations=TIMED), night(rng, 30)
    for seconds in [*range(5, 60), 5]:
        assert np.array_equal(sp.decode(probs, timed, epoch_seconds=seconds), sp.decode(probs, sp.Model(STAGES, durations=in_steps(seconds) | {"REM": TIMED["REM"]}), epoch_seconds=seconds))
    assert len(timed._chains) <= 16 and len(timed._settings) <= 16


def test_recordings_bring_it(rng, tmp_path):
    pytest.importorskip("statepath._evaluation", reason="built without GSL")
    timed, probs = sp.Model(STAGES, durations=TIMED), night(rng)
    np.savez(tmp_path / "night.npz", probs=probs, labels=probs.argmax(axis=1), classes=STAGES, epoch_seconds=20.0)
    read = sp.read(tmp_path / "night.npz", model=timed)
    paths = sp.decode(**read.decoding, model=timed)
    assert np.array_equal(paths[0], sp.decode(probs, timed, epoch_seconds=20)) and not np.array_equal(paths[0], sp.decode(probs, timed, epoch_seconds=45))
    assert sp.fit(read.labels, **read.decoding, method="counts", tune="none").classes == tuple(STAGES)
    report = sp.compare(**read, model=timed)
    assert report.data["strategies"]["viterbi"]["illegal"] == 0
    plain = sp.compare(**dict(**read), model=sp.Model(STAGES, durations=in_steps(20) | {"REM": {"min": 5, "max": 15}}))
    assert report.data["strategies"]["viterbi"]["accuracy"] == plain.data["strategies"]["viterbi"]["accuracy"]


def test_compared_and_evaluated(rng):
    pytest.importorskip("statepath._evaluation", reason="built without GSL")
    timed = sp.Model(STAGES, durations=TIMED)
    nights = {f"n{i}": night(rng, 60 + i) for i in range(3)}
    labels = {name: probs.argmax(axis=1) for name, probs in nights.items()}
    report = sp.compare(nights, labels, timed, ["argmax", "greedy", "viterbi", "mea"], epoch_seconds=30)
    paths = [sp.decode(probs, timed, epoch_seconds=30) for probs in nights.values()]
    right = np.concatenate(paths) == np.concatenate(list(labels.values()))
    assert report.data["strategies"]["viterbi"]["accuracy"] == pytest.approx(right.mean(), abs=1e-12)
    judged = sp.evaluate(paths, list(labels.values()), timed, epoch_seconds=30, ids=list(nights))
    assert judged.data["strategies"]["path"]["accuracy"] == report.data["strategies"]["viterbi"]["accuracy"]
    with pytest.raises(sp.ModelError, match=r'of the duration of "\w+" is a time.*epoch_seconds= says it'):
        sp.compare(nights, labels, timed)


# ---- what looks like others ----


def test_estimators(rng):
    pytest.importorskip("sklearn")
    pytest.importorskip("statepath._evaluation", reason="built without GSL")
    from statepath.sklearn import SequenceDecoder

    nights = [night(rng, 50) for _ in range(3)]
    labels = [probs.argmax(axis=1) for probs in nights]
    plain, timed = sp.Model(STAGES, durations=in_steps(30) | {"REM": {"min": 3, "max": 10}}), sp.Model(STAGES, durations=TIMED)
    ours = SequenceDecoder(plain, method="rules", kind="probs").fit(nights, labels)
    theirs = SequenceDecoder(timed, method="rules", kind="probs", epoch_seconds=30).fit(nights, labels)
    for a, b, probs in zip(ours.predict(nights), theirs.predict(nights), nights, strict=True):
        assert np.array_equal(a, b) and np.array_equal(a, sp.decode(probs, plain))
    assert np.array_equal(ours.predict_proba(nights)[0], theirs.predict_proba(nights)[0])
    with pytest.raises(sp.ModelError, match="epoch_seconds="):
        SequenceDecoder(timed, method="rules", kind="probs").fit(nights, labels).predict(nights)


def test_tags():
    from statepath import nlp

    rules = sp.Model.bio(["PER"]).with_(durations={"I-PER": {"max": 1}})
    logits = np.array([[[0.0, 3.0, 0.0], [0.0, 0.0, 3.0], [1.0, 0.0, 3.0]]])
    assert nlp.decode_logits(logits, id2label=dict(enumerate(rules.classes)), model=rules) == [["B-PER", "I-PER", "O"]]
