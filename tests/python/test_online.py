"""Streams whose steps are decided as soon as they are certain, against the whole decode."""

import numpy as np
import pytest

import statepath as sp

LETTERS = ["a", "b", "c"]


def models():
    stay = np.log(np.full((3, 3), 0.1) + 0.7 * np.eye(3))
    yield sp.Model(LETTERS, {"a": ["a", "b"], "b": LETTERS, "c": ["b", "c"]})
    yield sp.Model(LETTERS, log_weights=stay)
    yield sp.Model(LETTERS, log_weights=stay, rules=["never a b a"], min_dwell={"c": 3})


@pytest.mark.parametrize("model", list(models()), ids=["allow", "weights", "rules"])
def test_exact_is_the_whole_decode(model):
    rng = np.random.default_rng(4)
    for n in (0, 1, 7, 300):
        scores = rng.normal(size=(n, 3))
        if n == 0:
            assert list(sp.ExactDecoder(model, kind="scores").stream(scores)) == []
            continue
        gaps = np.sort(rng.choice(n, n // 50, replace=False)) if n > 50 else []
        segments = np.cumsum(np.isin(np.arange(n), gaps))
        expected = list(sp.decode(scores, model, kind="scores", segments=segments))
        exact, bounded, fixed = (sp.ExactDecoder(model, kind="scores"), sp.ExactDecoder(model, 3, kind="scores"), sp.OnlineDecoder(model, 3, kind="scores"))
        paths = [[], [], []]
        for t, row in enumerate(scores):
            gap = t > 0 and segments[t] != segments[t - 1]
            paths[0] += exact.push(row, gap=gap)
            paths[1] += bounded.push(row, gap=gap)
            k = fixed.push(row, gap=gap)
            paths[2] += [] if k is None else [k]
            assert exact.pending == t + 1 - len(paths[0]) and bounded.pending <= 3
        forced = bounded.forced
        for path, decoder in zip(paths, (exact, bounded, fixed), strict=True):
            path += decoder.finish()
        assert paths[0] == expected and paths[1] == paths[2] and exact.forced == 0
        assert paths[1] == expected or forced > 0


def test_bad_input():
    model = next(models())
    for lag in (-1, -2, 1.5, True):
        with pytest.raises(sp.StatepathError, match=f"lag={lag}"):
            sp.ExactDecoder(model, lag)  # type: ignore[arg-type]
    with pytest.raises(sp.StatepathError, match="remaining=0"):
        sp.ExactDecoder(model, remaining=0)
    with pytest.raises(sp.ScoresError, match="row has shape"):
        sp.ExactDecoder(model, kind="scores").push([1.0])
    one = sp.ExactDecoder(sp.Model(["a", "b"], {"a": ["a"], "b": ["b"]}), kind="log_probs")
    assert one.push([0.0, -np.inf]) == [0]
    with pytest.raises(sp.NoPathError):
        one.push([-np.inf, 0.0])
    assert one.push([0.0, -np.inf]) == [0]


def test_remaining():
    model = sp.Model(LETTERS, {"a": ["a", "b"], "b": ["b", "c"], "c": ["c"]}, end=["c"])
    rows = [[0.8, 0.1, 0.1]] * 4
    with pytest.raises(sp.NoPathError):
        list(sp.OnlineDecoder(model, 0, kind="probs").stream(rows))
    assert list(sp.OnlineDecoder(model, 0, kind="probs", remaining=4).stream(rows)) == [0, 0, 1, 2]
    assert list(sp.ExactDecoder(model, kind="probs", remaining=4).stream(rows)) == list(sp.decode(rows, model, kind="probs"))
