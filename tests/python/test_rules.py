"""Rules over more than two steps: of single recordings, beside durations and gaps, and classes called like keywords.
What they make of paths is in test_strategy_law.py."""

import math
import re

import numpy as np
import pytest

import statepath as sp


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
