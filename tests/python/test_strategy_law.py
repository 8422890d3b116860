"""The law of strategies in Python: models, rules, durations and scores that are drawn together, against the
reference (tests/support/reference.py), which goes through all paths."""
import json
import math
import os
import random
import sys

import numpy as np
import pytest

import statepath as sp

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from random_contract import add_durations_and_rules, grid, random_model
from reference import Paths, Rules

MANY = int(os.environ.get("STATEPATH_RULES", "60" if os.environ.get("STATEPATH_LIGHT") else "250"))
LEGAL = ["greedy", "beam:2", "beam:200", "viterbi", "mea", "posterior-viterbi", "online:1", "online:9"]


def close(value):
    return pytest.approx(value, abs=1e-9)


def check_best(found, paths, where, is_exact):
    """Viterbi's path, the N best, log Z and confidence."""
    every, scores = paths.classes()
    assert found.scores[0] == close(scores[0]), where
    assert found.nbest[0][1] == close(scores[:4]), where
    if is_exact:
        best = [p.tolist() for p in found.nbest[0][0]]
        assert paths.is_first(found[0]) and best[0] == found[0].tolist(), where
        assert [paths.score(p) for p in best] == scores[:4].tolist() and len({tuple(p) for p in best}) == len(best), where
        assert paths.rules.rules or best == every[:4].tolist(), where
    assert paths.score(found[0]) == close(scores[0]), where
    marginals, log_z = paths.marginals()
    assert found.log_partition[0] == close(log_z), where
    assert found.confidence[0] == pytest.approx(marginals[np.arange(paths.length), found[0]], abs=1e-6), where


def check_strategy(text, path, paths, where, is_exact, is_plain):
    """A path of one of the others: allowed, and the best by what it goes by."""
    name = text.split(":")[0]
    if name == "posterior":
        marginals = paths.marginals()[0]
        assert (marginals[np.arange(paths.length), path] >= marginals.max(axis=1) - 1e-9).all(), where
        return
    assert paths.score(path) > -math.inf, where
    if name in ("mea", "posterior-viterbi"):
        with np.errstate(divide="ignore"):
            of, worth = paths.by_marginals(np.log if name != "mea" else np.asarray)
        assert worth[(of == path).all(axis=1)][0] >= worth.max() - 1e-6, where
    elif is_exact and text in ("beam:200", "online:9"):
        assert paths.is_first(path), where
    elif is_exact and is_plain:
        stepwise = {"greedy": paths.greedy, "beam:2": lambda: paths.beam(2), "online:1": lambda: paths.online(1)}
        expected = stepwise.get(text, paths.viterbi)()
        assert path.tolist() == [int(k) for k in expected.path], where


def check_case(seed):
    rng, chance = np.random.default_rng(seed), random.Random(seed)
    model = random_model(rng, plain=bool(rng.random() < 0.4))
    k, has_gaps = len(model["classes"]), rng.random() < 0.4
    add_durations_and_rules(rng, model, chance, has_gaps)
    length = int(rng.integers(1, {1: 7, 2: 7, 3: 6}.get(len(model.get("states", model["classes"])), 5)))
    columns = [str(c) for c in rng.permutation(model["classes"])]
    e = grid(rng, (length, k), 2, 0.1)
    segments = np.cumsum(rng.random(length) < 0.3) if has_gaps else None
    rules = Rules(model, columns, seconds=30)
    paths = Paths(rules, e / model.get("decoding", {}).get("temperature", 1), segments, own=e)
    where = f"seed {seed}: {json.dumps(model)}"
    how = {"kind": "scores", "classes": columns, "segments": segments, "epoch_seconds": 30,
           "on_infeasible": "mark", "full": True}  # fmt: skip
    try:
        built = sp.Model.from_json(json.dumps(model))
        found = sp.decode(e, built, confidence=True, n_best=4, **how)
    except sp.ModelError as error:
        if "durations" in model and "may neither start" in str(error):
            return "unusual"
        assert "rules" in model, where + str(error)
        if "empty stretch" not in str(error) and "no class is left" not in str(error):
            assert "no path can keep" in str(error) or "no path leads" in str(error), where + str(error)
            assert not len(paths.classes()[0]), where
        return "empty"
    is_exact = all(set(d) <= {"min", "max"} for d in model.get("durations", {}).values())
    is_plain = not {"states", "min_dwell", "durations", "rules"} & model.keys()
    if not len(paths.classes()[0]):
        assert found.status == ["no_path"] and (not is_plain or found.step[0] == paths.failure), where
        return "no path"
    check_best(found, paths, where, is_exact)
    for text in ["posterior", *LEGAL]:
        other = sp.decode(e, built, text, **how)
        if other.status == ["ok"]:
            check_strategy(text, other[0], paths, where + text, is_exact, is_plain)
        else:
            assert other.status == ["dead_end"] and text in ("greedy", "beam:2", "online:1"), where + text
    own = sp.decode(e, built, "argmax", **how)[0].tolist()
    assert own == paths.argmax().path or np.isneginf(e).all(axis=1).any(), where
    return "path"


def test_every_strategy():
    seen = [check_case(seed) for seed in range(MANY)]
    print({what: seen.count(what) for what in set(seen)})
    assert seen.count("path") > MANY // 3 and seen.count("no path") > MANY // 50 and seen.count("empty") > MANY // 100
