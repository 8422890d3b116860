"""Rules over more than two steps against a plain reference (tests/support/rules_reference.py) and enumeration of all paths."""

import itertools
import math
import os
import random
import re
import sys

import numpy as np
import pytest

import statepath as sp

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from rules_reference import rule_of

NAMES = ["a", "B-x", "it's c", "d/e"]


def name(rng, k):
    if rng.random() < 0.5 or "'" in NAMES[k]:
        return "'" + NAMES[k].replace("'", "''") + "'"
    return NAMES[k]


def classes(rng, k):
    some = [name(rng, i) for i in rng.sample(range(k), rng.randint(1, min(2, k)))]
    if len(some) == 1 and rng.random() < 0.6:
        return some[0]
    return ("[^ " if len(some) < k and rng.random() < 0.3 else "[") + " ".join(some) + "]"


def expression(rng, k, depth):
    kind = rng.randrange(5) if depth else 0
    if kind <= 1:
        return "." if rng.random() < 0.2 else classes(rng, k)
    if kind == 2:
        return expression(rng, k, depth - 1) + rng.choice([" ", ", "]) + expression(rng, k, depth - 1)
    if kind == 3:
        return f"({expression(rng, k, depth - 1)} | {expression(rng, k, depth - 1)})"
    return f"({expression(rng, k, depth - 1)}){rng.choice(['*', '+', '?', '{2}', '{1,}', '{0,2}', '{30s,90s}'])}"


def text_of(rng, k):
    form = rng.randrange(10)
    start = f" from first {classes(rng, k)}" if rng.random() < 0.3 else ""
    if form < 2:
        return "never " + expression(rng, k, 3)
    if form < 4:
        return expression(rng, k, 4)
    if form < 7:
        word = rng.choice(["at_least", "at_most", "not_before", "not_after"])
        runs = "runs of " if word.startswith("at") and rng.random() < 0.4 else ""
        n = rng.choice(["0", "1", "2", "3"] if runs else ["0", "1", "2", "3", "60s", "1min"])
        return f"{word} {n} {runs}{classes(rng, k)}{start}"
    if form < 9:
        return f"every {classes(rng, k)} {rng.choice(['followed_by', 'preceded_by'])} {classes(rng, k)}"
    return f"{rng.choice(['first', 'last'])} {classes(rng, k)}"


def scored(scores, weights, start, end, gaps, rules, costs):
    """Every path with its score, best first: equals by the lowest class at the last step, then before it."""
    t, k = scores.shape
    out = []
    for path in itertools.product(range(k), repeat=t):
        value = start[path[0]] + end[path[-1]] + sum(scores[i, c] for i, c in enumerate(path))
        value += sum(weights[path[i - 1], path[i]] for i in range(1, t) if i not in gaps)
        if value == -math.inf:
            continue
        for rule, cost in zip(rules, costs, strict=True):
            n = rule.violations(path, gaps)
            value -= n * cost if n else 0
        if value > -math.inf:
            out.append((value, path))
    return sorted(out, key=lambda x: (-x[0], x[1][::-1]))


def one(seed):
    rng = random.Random(seed)
    k = rng.randint(2, 4)
    t = rng.randint(1, {2: 7, 3: 6, 4: 5}[k])
    names = NAMES[:k]
    has_gaps = rng.random() < 0.4
    gaps = [g for g in range(1, t) if has_gaps and rng.random() < 0.3]
    segments = np.cumsum([i in gaps for i in range(t)])
    weights = np.array([[-math.inf if rng.random() < 0.2 and i != j else float(rng.randint(-2, 1)) for j in range(k)] for i in range(k)])
    start = np.array([-math.inf if i and rng.random() < 0.2 else 0.0 for i in range(k)])
    end = np.array([-math.inf if i and rng.random() < 0.2 else 0.0 for i in range(k)])
    scores = np.array([[-math.inf if rng.random() < 0.05 else float(rng.randint(-3, 3)) for _ in range(k)] for _ in range(t)])
    rules, costs, given = [], [], []
    for _ in range(rng.randint(1, 2)):
        # A gap may hold anything: the reference tries short words, so expressions are left to the other meaning.
        text, cost = text_of(rng, k), rng.choice([math.inf, math.inf, 0.0, 1.0, 2.0])
        form = text.split()[0]
        may = rng.random() < 0.3 and (not gaps or form in ("never", "at_least", "at_most", "not_before", "not_after", "first", "last", "every"))
        rules.append(rule_of(text, names, may, 30))
        costs.append(cost)
        given.append({"rule": text, "cost": cost, "at_gap": "may" if may else "must"})
    where = f"seed {seed}: {given} gaps {gaps}"
    try:
        model = sp.Model(names, log_weights=weights, start_log_weights=dict(zip(names, start, strict=True)),
                         end_log_weights=dict(zip(names, end, strict=True)), rules=given)  # fmt: skip
        how = {"kind": "scores", "segments": segments, "epoch_seconds": 30, "on_infeasible": "mark", "full": True}
        found = sp.decode(scores, model, confidence=True, n_best=4, **how)
    except sp.ModelError as error:
        sentence = str(error)
        if "empty stretch" in sentence or "no class is left" in sentence:
            return "unusual"
        assert "no path can keep" in sentence or "no path leads" in sentence, where + sentence
        assert not scored(scores, weights, start, end, gaps, rules, costs), where
        return "empty"
    every = scored(scores, weights, start, end, gaps, rules, costs)
    if not every:
        assert found.status == ["no_path"], where
        return "no path"
    paths, values = found.nbest[0]
    assert list(found[0]) == list(every[0][1]) and found.scores[0] == pytest.approx(every[0][0], abs=1e-9), where
    assert [tuple(p) for p in paths] == [path for _, path in every[:4]], where
    assert values == pytest.approx([value for value, _ in every[:4]], abs=1e-9), where
    mass = np.array([math.exp(value - every[0][0]) for value, _ in every])
    assert found.log_partition[0] == pytest.approx(every[0][0] + math.log(mass.sum()), abs=1e-9), where
    sure = [sum(m for m, (_, path) in zip(mass, every, strict=True) if path[i] == every[0][1][i]) / mass.sum() for i in range(t)]
    assert found.confidence[0] == pytest.approx(sure, abs=1e-6), where
    possible = {path for _, path in every}
    for strategy in ("greedy", "mea", "posterior-viterbi", "beam:200", "online:9"):
        other = sp.decode(scores, model, strategy, **how)
        assert other.status == ["ok"] or (strategy == "greedy" and other.status == ["dead_end"]), where
        assert other.status != ["ok"] or tuple(other[0]) in possible, where
    return "path"


def test_random_rules():
    many = int(os.environ.get("STATEPATH_RULES", "400"))
    found = [one(seed) for seed in range(many)]
    print({what: found.count(what) for what in set(found)})
    assert found.count("path") > many // 3 and found.count("no path") > many // 50 and found.count("empty") > many // 50


def test_rules_of_recordings():
    pytest.importorskip("statepath._evaluation", reason="built without GSL")
    model = sp.Model(["a", "b", "c"])
    probs = {"r1": [[.8, .1, .1], [.1, .8, .1], [.6, .3, .1]], "r2": [[.1, .1, .8], [.2, .6, .2]]}
    labels = {"r1": ["a", "b", "a"], "r2": ["c", "b"]}
    for own in ({"r1": "never a b a; last [b c]"}, ["never a b a; last [b c]", ""]):
        report = sp.compare(probs, labels, model, ["argmax", "viterbi"], own_rules=own).data
        assert [report["strategies"][s]["rules"]["own"]["violations"] for s in ("argmax", "viterbi")] == [2, 0]
        assert report["reference"]["rules"]["own"] == {"violations": 2, "recordings": 1}
        assert report["mask_ceiling"] == pytest.approx(4 / 5)
    for own, sentence in (({"r9": "never a"}, "names recording 'r9', which is not there"), (["never a"], "has 1 names and there are 2 recordings"),
                          ({"r1": "never ("}, "the rules of recording r1: rule own: line 1, column 8: a class is expected, but the rule ends here")):
        with pytest.raises(sp.StatepathError, match=re.escape(sentence)):
            sp.compare(probs, labels, model, own_rules=own)
    with pytest.raises(sp.StatepathError, match="does not go with cv="):
        sp.compare(probs, labels, model, own_rules={}, cv=2)


def test_rules_of_a_class_with_a_duration():
    scores = np.tile([1.0, 0.0], (4, 1))
    once = sp.Model(["a", "b"], np.ones((2, 2)), durations={"a": {"max": 9}}, rules=["at_most 1 a"])
    path = sp.decode(scores, once, kind="scores")
    assert (path == 0).sum() == 1
    assert once.is_legal(path) and not once.is_legal([0, 0, 0, 0])
    priced = once.with_(rules=[{"rule": "never a", "cost": 0.25}])
    assert sp.path_score(scores, priced, [0, 0, 0, 0], kind="scores") == pytest.approx(3)


def test_score_across_a_gap_that_a_rule_forbids():
    first_only = sp.Model(["a", "b"], np.ones((2, 2)), rules=["b? a*"])
    score = sp.path_score(np.zeros((2, 2)), first_only, [0, 1], kind="scores", segments=[0, 1])
    assert score == -math.inf


@pytest.mark.parametrize("word", ["never", "at_least", "at_most", "not_before", "not_after", "first", "last", "every", "order", "runs", "of", "from"])
def test_classes_called_like_keywords(word):
    """In quotes they are classes; without, the sentence says how they are written."""
    p = np.array([[0.4, 0.6], [0.7, 0.3], [0.4, 0.6]])
    model = sp.Model([word, "b"], rules=[f"'{word}'{{2}} b"])
    assert sp.decode(p, model).tolist() == [0, 0, 1]
    if word not in ("runs", "of", "from"):
        with pytest.raises(sp.StatepathError, match=f"; {word} is a keyword here, and the class of that name stands in quotes: '{word}'"):
            sp.Model([word, "b"], rules=[f"{word}+ b"])
