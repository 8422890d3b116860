"""Rules over more than two steps: beside durations and gaps, and classes called like keywords.
What they make of paths is in test_strategy_law.py."""

import math

import numpy as np
import pytest

import statepath as sp


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
