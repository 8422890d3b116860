"""Masked softmax, masked logits, leak, padding and causal masks; online decoding."""
import numpy as np
import pytest
from conftest import probabilities

import statepath as sp


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_masked_softmax(rng, dtype):
    x = rng.normal(size=(4, 6, 3)).astype(dtype)
    mask = rng.random(x.shape) < 0.6
    mask[..., 1] = True
    p = sp.masked_softmax(x, mask)
    expected = softmax(np.where(mask, x, -np.inf).astype(float))
    assert p.dtype == dtype and p.shape == x.shape and np.all(p[~mask] == 0)
    assert p == pytest.approx(expected, rel=1e-6)
    with np.errstate(divide="ignore"):
        assert sp.masked_softmax(x, mask, log=True) == pytest.approx(np.log(expected), rel=1e-5, abs=1e-6)
    wild = np.where(mask, x, np.nan)
    assert np.array_equal(sp.masked_softmax(wild, mask), p)
    assert sp.masked_softmax(x) == pytest.approx(softmax(x.astype(float)), rel=1e-6)
    assert sp.masked_softmax(x, mask[0, 0]).shape == x.shape
    assert sp.masked_softmax(x[0, 0], mask[0, 0]).shape == (3,)
    out = np.empty_like(x)
    assert sp.masked_softmax(x, mask, out=out) is out and np.array_equal(out, p)
    assert sp.masked_softmax(x, mask, out=x) is x and np.array_equal(x, p)
    with pytest.raises(sp.ScoresError) as caught:
        sp.masked_softmax(np.zeros((3, 2)), [[1, 0], [0, 0], [1, 1]])
    assert caught.value.step == 1
    assert sp.masked_softmax(np.zeros((2, 3), np.float16)).dtype == np.float32
    assert sp.masked_softmax(np.empty((0, 3))).shape == (0, 3)


def test_apply_logit_masking(rng, door):
    x = rng.normal(size=(2, 5, 3)).astype(np.float32)
    previous = rng.integers(-1, 3, size=(2, 5))
    masked = sp.apply_logit_masking(x, previous, door)
    allow = np.concatenate([door.allow, [[True] * 3]])
    assert np.array_equal(masked, np.where(allow[previous], x, np.float32(-np.inf)))
    assert np.array_equal(sp.apply_logit_masking(x, previous, door.allow), masked)
    for none in (-2, -100, -(2**40)):
        assert np.array_equal(sp.apply_logit_masking(x, np.where(previous < 0, none, previous), door), masked)
    assert sp.apply_logit_masking(x, previous, door, out=x) is x and np.array_equal(x, masked)


def test_leak(rng, door):
    p = probabilities(rng, 2, 6, 3)
    mask = rng.random(p.shape) < 0.7
    leak = sp.leak(p, mask)
    expected = (p * ~mask).sum(-1)
    assert leak.per_step == pytest.approx(expected, abs=1e-12)
    assert leak.mean == pytest.approx(expected.mean()) and leak.maximum == pytest.approx(expected.max()) and leak.n_steps == 12
    assert leak.worst == tuple(np.unravel_index(expected.argmax(), expected.shape))
    assert [leak.quantiles[q] for q in (0.5, 0.95, 0.99)] == pytest.approx(np.quantile(expected, [0.5, 0.95, 0.99]))
    path = sp.decode(p, door)
    by_model = sp.leak(p, door)
    allow, start = door.allow, np.array([True, False, True])
    expected = np.array([[(p[n, t] * ~(allow[path[n, t - 1]] if t else start)).sum() for t in range(6)] for n in range(2)])
    assert by_model.per_step == pytest.approx(expected, abs=1e-12)
    assert sp.leak(p, door, path).per_step == pytest.approx(expected, abs=1e-12)
    padded = sp.leak(p, door, lengths=[6, 2])
    assert np.isnan(padded.per_step[1, 2:]).all() and padded.n_steps == 8
    nothing = sp.leak(np.empty((0, 3)), door)
    assert nothing.worst is None and np.isnan(nothing.mean) and "nan" in repr(nothing)


def test_padding_and_causal():
    assert sp.padding_mask([2, 0, 3]).tolist() == [[True, True, False], [False] * 3, [True] * 3]
    assert sp.padding_mask([1], 4).shape == (1, 4) and sp.padding_mask([]).shape == (0, 0)
    additive = sp.padding_mask([1], 2, additive=True)
    assert additive.dtype == np.float32 and additive.tolist() == [[0, -np.inf]]
    assert np.array_equal(sp.causal_mask(5), np.tril(np.ones((5, 5), bool)))
    assert sp.causal_mask(0).shape == (0, 0)


@pytest.mark.parametrize("lag", [0, 1, 4, 50])
def test_online_is_the_strategy(rng, door, lag):
    p = probabilities(rng, 30, 3)
    expected = sp.decode(p, door, f"online:{lag}").tolist()
    online = sp.OnlineDecoder(door, lag)
    decided = [online.push(row) for row in p]
    assert decided[:lag] == [None] * min(lag, 30) and online.pending == min(lag, 30)
    assert [c for c in decided if c is not None] + online.finish() == expected
    assert list(online.stream(p)) == expected
    online.push(p[0])
    online.restart()
    assert online.pending == 0 and list(online.stream(p)) == expected
    assert list(sp.OnlineDecoder(door, lag).stream(np.log(p))) == expected


def test_online_options(rng):
    model = sp.Model(["a", "b"], log_weights=[[0.0, -1.0], [-1.0, 0.0]], prior=[0.9, 0.1])
    p = probabilities(rng, 25, 2)
    options = {"temperature": 1.5, "prior_weight": 0.5, "transition_weight": 2.0, "floor": 0.01}
    expected = sp.decode(p, model, "online:3", **options).tolist()
    assert list(sp.OnlineDecoder(model, 3, **options).stream(p)) == expected
    swapped = sp.OnlineDecoder(model, 3, classes=["b", "a"], **options).stream(p[:, ::-1])
    assert [1 - c for c in swapped] == expected
    gap = sp.OnlineDecoder(sp.Model(["a", "b"], {"a": ["a"], "b": ["b"]}), 0, kind="probs")
    assert gap.push([1.0, 0]) == 0
    with pytest.raises(sp.NoPathError):
        gap.push([0, 1.0])
    assert gap.push([0, 1.0], gap=True) == 1
    missing = sp.OnlineDecoder(model, 0, kind="probs", missing="uniform")
    assert missing.push([0.9, 0.1]) == 0 and missing.push([np.nan, np.nan]) == 0
