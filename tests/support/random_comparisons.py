"""Random comparisons with all that figures depend on, for tests/laws: make_run() runs the program as RUNS
say."""

import itertools
import json
import subprocess

import h5py
import numpy as np

from figure_run import Run
from statepath_test import PROGRAM

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
SLEEP = {
    "forbid": {"Wake": ["N3", "REM"], "N1": ["N3"], "N3": ["N1", "REM"], "REM": ["N3"]},
    "start": ["Wake", "N1", "N2"],
    "end": ["Wake", "N1", "N2", "N3"],
}
BIO = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
BIOES = ["O", "B-x", "I-x", "E-x", "S-x", "B-y", "I-y", "E-y", "S-y"]
ABC = ["a", "b", "c"]
# To Markdown, to HTML, to LaTeX, to a spreadsheet.
HOSTILE = ["a|b*c_d--x", "<script>\"&amp;'", "{\\}%$#~^`[z]", "=1+1"]
NO_C_AFTER_A = {"forbid": {"a": ["c"]}}

# Classes, model, options of the program, options as the formulas know them, what the data have.
RUNS = {
    "nights": (
        STAGES,
        SLEEP,
        "--epoch-seconds 30 --weighted-kappa linear --margin 0.02 --collapse Deep=N2,N3"
        " --strategies argmax,greedy,viterbi,mea",
        {"epoch_seconds": 30, "weighted_kappa": "linear", "margin": 0.02},
        "segments weights subjects raters zeros",
    ),
    "relaxed": (
        STAGES,
        SLEEP,
        "--epoch-seconds 20 --weighted-kappa quadratic --wake-trim 2 --level 0.8 --seed 5"
        " --on-infeasible relax",
        dict(epoch_seconds=20, weighted_kappa="quadratic", wake_trim=2, level=0.8, seed=5)
        | {"relax": True},
        "segments zeros",
    ),
    "tags": (
        BIO,
        {"forbid": {"O": ["I-PER", "I-LOC"], "B-PER": ["I-LOC"]}, "start": ["O", "B-PER", "B-LOC"]},
        "",
        {},
        "segments short",
    ),
    "bioes": (BIOES, {"forbid": {}}, "", {}, "short"),
    "actions": (
        ["background", "pour", "stir"],
        {"forbid": {"pour": ["stir"]}},
        "--strategies argmax,viterbi --temperature 0.7",
        {"background": ["background"], "temperature": 0.7},
        "zeros",
    ),
    "rules": (
        ABC,
        {
            "forbid": {"b": ["c"]},
            "probabilities": [[0.6, 0.3, 0.1], [0.2, 0.8, 0], [0.3, 0.3, 0.4]],
            "min_dwell": {"b": 2},
            "rules": [
                {"name": "few", "rule": "at_most 2 runs of c"},
                {"name": "dear", "rule": "never a b a", "cost": 2},
            ],
        },
        "",
        {},
        "segments",
    ),
    "durations": (
        ABC,
        {"forbid": {}, "durations": {"a": {"min": 2, "max": 4}, "c": {"max": 3}}},
        "--epoch-seconds 1.5",
        {"epoch_seconds": 1.5},
        "segments",
    ),
    "whole": (
        ABC,
        NO_C_AFTER_A | {"durations": {"a": {"min": 2, "max": 4}}, "durations_at_ends": "whole"},
        "",
        {},
        "",
    ),
    "against": (
        ABC,
        NO_C_AFTER_A,
        "--strategies argmax,viterbi --against old=old.h5",
        {},
        "other subjects",
    ),
    "unlabelled": (ABC, NO_C_AFTER_A, "--epoch-seconds 2", {"epoch_seconds": 2}, "unlabelled segments"),
    "hostile": (
        HOSTILE,
        {"forbid": {HOSTILE[0]: [HOSTILE[1]], HOSTILE[2]: [HOSTILE[0]]}},
        "",
        {},
        "ids segments",
    ),
    "masked": (ABC, NO_C_AFTER_A, "", {}, "mask segments"),
    "paths": (ABC, NO_C_AFTER_A, "", {}, "paths segments"),
    "permuted": (ABC, NO_C_AFTER_A, "", {}, "paths permuted"),
    "swapped": (ABC, NO_C_AFTER_A, "", {}, "swapped long"),
    "shifted": (ABC, NO_C_AFTER_A, "", {}, "shifted long"),
}


def make(rng, classes, has):
    """Datasets: sticky labels that begin and end in class 0, scores that are right more often than not."""
    K, N = len(classes), 7
    lengths = rng.integers(1, 25, N) if "short" in has else rng.integers(4, 40, N)
    lengths[1:3] = 1, 30
    lengths[3:] += 300 if "long" in has else 0
    d = {"offsets": np.concatenate([[0], np.cumsum(lengths)])}
    S = d["offsets"][-1]
    y = np.concatenate([np.repeat(rng.integers(0, K, n), rng.integers(1, 5, n))[:n] for n in lengths])
    for a, b in itertools.pairwise(d["offsets"]):
        y[a : a + (b - a) // 5] = y[b - (b - a) // 6 : b] = 0
    y[d["offsets"][2] + 8 :][:14] = [0, 1] * 7  # changes so near that one of a path could answer to two
    sure = 4 if "long" in has else 0.5
    p = rng.dirichlet([0.4] * K, S) + sure * np.eye(K)[y] * rng.random((S, 1))
    y = np.roll(y, -2) if "shifted" in has else y
    p = p[:, [1, 0, *range(2, K)]] if "swapped" in has else p
    if "zeros" in has:  # impossible classes, and classes that are as probable as others
        p[rng.random((S, K)) < 0.15] = 0
        p[::7] = np.round(p[::7] * 2)
        p[p.sum(1) == 0] = 1
        p[d["offsets"][3] : d["offsets"][3] + 2] = np.eye(K)[[0, K - 1 if K == 3 else 3]]
    d["probs"] = p / p.sum(1, keepdims=True)
    if "unlabelled" not in has:
        d["labels"] = np.where(rng.random(S) < 0.1, -1, y)
    if "segments" in has:
        d["segments"] = np.concatenate([np.cumsum(rng.random(n) < 0.08) for n in lengths])
    if "mask" in has:
        d["mask"] = rng.random((S, K)) < 0.8
        d["mask"][np.arange(S), y] = True
    if "weights" in has:
        d["weights"] = rng.choice([0, 0.5, 1, 2.25], S)
    if "ids" in has:
        d["ids"] = [*HOSTILE, "-1", "@SUM(A1)", "''+a"]
    if "subjects" in has:
        d["subjects"] = ["ann", "bob", "cyd", "cyd", "s4", "s5", "s6"]
    if "raters" in has:
        for name in ("ada", "ben", "cai"):
            d["labels_" + name] = np.where(rng.random(S) < 0.3, rng.integers(-1, K, S), y)
    if "paths" in has:
        path = np.where(rng.random(S) < 0.2, rng.integers(0, K, S), y)
        path = (path + 1) % K if "permuted" in has else path
        path[d["offsets"][4] : d["offsets"][5]] = -1
        d["paths__x"] = path
        d["paths__argmax"] = np.where(rng.random(S) < 0.3, rng.integers(0, K, S), y)
    return d


def make_run(test, name, seed, *more):
    """The Run of a test case; the program writes r.json and what `more` asks for. run.words is its
    command, run.code its status, run.text what it prints."""
    classes, rules, words, options, has = RUNS[name]
    rng = np.random.default_rng([seed, sorted(RUNS).index(name)])
    d = make(rng, classes, has.split())
    model = {"statepath_model": 1, "name": "m", "classes": classes, **rules}
    test.write("m.json", json.dumps(model))
    others = {}
    if "other" in has:
        others["old"] = rng.dirichlet([1] * len(classes), len(d["probs"]))
        test.h5("old.h5", classes=classes, probs=others["old"], offsets=d["offsets"], labels=d["labels"])
    if "paths" in has:
        del d["probs"]
    test.h5("in.h5", classes=classes, **d)
    command = ["evaluate", "in.h5"] if "paths" in has else ["compare", "in.h5", "-o", "p.h5"]
    command += ["-m", "m.json", "--json", "r.json", "-f", *words.split(), *more]
    done = subprocess.run([PROGRAM, *command], cwd=test.folder, capture_output=True, text=True)
    test.assertIn(done.returncode, (0, 3), done.stderr)
    result, paths, status = json.loads(test.read("r.json")), {}, {}
    for other in others:
        two = ["--strategies", "argmax,viterbi"]
        test.statepath("compare", other + ".h5", "-o", "q.h5", "-m", "m.json", "-f", "-q", *two)
    for file, before in ("in.h5" if "paths" in has else "p.h5", ""), *(("q.h5", o + ".") for o in others):
        with h5py.File(test.path(file)) as f:
            paths |= {before + s: f["paths"][s][:].astype(int) for s in f["paths"]}
            status |= {before + s: f["status"][s][:] for s in f.get("status", ())}
    for s, path in paths.items():
        undecoded = [int(b > a and (path[a:b] < 0).all()) for a, b in itertools.pairwise(d["offsets"])]
        status.setdefault(s, np.array(undecoded))
    raters = {key[len("labels_") :]: d[key] for key in d if key.startswith("labels_")}
    given = {key: d.get(key) for key in ("segments", "weights", "subjects")}
    given["probs"] = d["probs"] * d.get("mask", 1) if "probs" in d else None
    run = Run(
        model,
        result,
        d.get("labels"),
        d["offsets"],
        paths,
        status,
        **given,
        others=others,
        raters=raters,
        options=options,
        background=options.get("background", ()),
    )
    run.ids = [str(i) for i in d.get("ids", range(run.N))]
    run.words, run.code, run.text = command, done.returncode, done.stdout
    return run
