"""Several classifiers of the same recordings: learnt and decoded by beside=."""

import json

import numpy as np
import pytest

import statepath as sp

K, N, T = 3, 10, 90


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(5)
    labels, a, b = [], [], []
    for _ in range(N):
        k, night = 0, []
        for _ in range(T):
            k = int(rng.integers(K)) if rng.random() < 0.05 else k
            night.append(k)
        labels.append(np.array(night))
        for scores in (a, b):
            e = rng.normal(size=(T, K)) * 1.5 + 2 * np.eye(K)[night]
            scores.append(e - np.log(np.exp(e).sum(axis=1, keepdims=True)))
    return labels, a, b


def fitted(made, **options):
    labels, a, b = made
    return sp.fit(labels, a, beside=[b], classes=["x", "y", "z"], method="counts", features="none", **options)


def test_fit_and_decode(made):
    labels, a, b = made
    model = fitted(made)
    assert list(model.fusion) == ["scores", "beside1"] and sum(model.fusion.values()) == pytest.approx(1)
    assert "fusion of 2 classifiers" in repr(model) and "scores fused (scores 0.5, beside1 0.5)" in model.description
    u, v = model.fusion.values()
    plain = sp.Model.from_json(json.dumps({k: w for k, w in json.loads(model.to_json()).items() if k != "fusion"}))
    assert plain.fusion is None
    want = [u * x + v * y for x, y in zip(a, b)]
    for strategy in ("viterbi", "argmax", "mea"):
        got = sp.decode(a, model, strategy, beside=[b])
        assert all(np.array_equal(p, q) for p, q in zip(got, sp.decode(want, plain, strategy, kind="scores")))
    path = sp.decode(a, model, beside=[b])
    one = sp.decode(np.exp(a[0]).astype(np.float32), model, beside=[b[0]], full=True)
    assert np.array_equal(one.paths, path[0])
    np.testing.assert_allclose(sp.marginals(a[0], model, beside=[b[0]]), sp.marginals(want[0], plain, kind="scores"), rtol=1e-9)
    assert (np.concatenate(path) == np.concatenate(labels)).mean() > (np.concatenate(sp.decode(a, plain)) == np.concatenate(labels)).mean()


def test_shapes(made):
    labels, a, b = made
    model = fitted(made)
    want = np.concatenate(sp.decode(a, model, beside=[b]))
    packed = sp.decode(np.concatenate(a), model, lengths=[T] * N, beside=[np.concatenate(b)])
    padded = sp.decode(np.stack(a), model, lengths=[T] * N, beside=[np.stack(b)])
    assert np.array_equal(packed, want) and np.array_equal(padded.ravel(), want)
    pd = pytest.importorskip("pandas")
    frames = [pd.DataFrame(a[0], columns=["x", "y", "z"]), pd.DataFrame(b[0][:, [2, 0, 1]], columns=["z", "x", "y"])]
    assert np.array_equal(sp.decode(frames[0], model, beside=[frames[1]]).to_numpy(), want[:T])
    with pytest.raises(sp.StatepathError, match="does not name its columns"):
        sp.decode(frames[0], model, beside=[b[0]])


def test_compare(made):
    labels, a, b = made
    model = fitted(made)
    report = sp.compare(a, labels, model, beside=[b])
    path = np.concatenate(sp.decode(a, model, beside=[b]))
    assert report.data["strategies"]["viterbi"]["accuracy"] == pytest.approx((path == np.concatenate(labels)).mean())


def test_floor_and_weights(made):
    labels, a, b = made
    model = json.loads(fitted(made).to_json())
    zeros = np.exp(b[0])
    zeros[4] = [0, 1, 0]
    model["fusion"] = [{"name": "a", "weight": 0.7}, {"name": "b", "weight": 0.3}]
    fused = sp.Model.from_json(json.dumps(model))
    assert sp.decode(a[0], fused, "argmax", beside=[zeros])[4] == 1
    plain = sp.Model.from_json(json.dumps({k: v for k, v in model.items() if k != "fusion"}))
    want = np.maximum(0.7 * a[0], 0.7 * np.log(0.01)) + 0.3 * np.log(np.maximum(zeros, 0.01))
    assert np.array_equal(sp.decode(a[0], fused, beside=[zeros], floor=0.01), sp.decode(want, plain, kind="scores"))
    model["fusion"][1]["weight"] = 0
    zeros[:] = [1, 0, 0]
    assert np.array_equal(sp.decode(a[0], sp.Model.from_json(json.dumps(model)), "argmax", beside=[zeros]), a[0].argmax(axis=1))


def test_refused(made):
    labels, a, b = made
    model = fitted(made)
    with pytest.raises(sp.StatepathError, match=r"fuses the scores of 2 classifiers \(scores, beside1\), and there is 1"):
        sp.decode(a, model)
    with pytest.raises(sp.StatepathError, match="and there are 3"):
        sp.decode(a, model, beside=[b, b])
    with pytest.raises(sp.StatepathError, match="decodes the scores of one classifier, and there are 2; fit of all of them learns a fusion"):
        sp.decode(a[0], sp.Model(["x", "y", "z"]), beside=[b[0]])
    with pytest.raises(sp.StatepathError, match=r"beside\[0\] has recordings of"):
        sp.decode(a[0], model, beside=[b[0][:-1]])
    with pytest.raises(sp.StatepathError, match="beside= is of type ndarray"):
        sp.decode(a[0], model, beside=b[0])
    with pytest.raises(sp.StatepathError, match=r"beside\[0\].*step 3"):
        broken = b[0].copy()
        broken[3] = np.nan
        sp.decode(a[0], model, beside=[broken])
    with pytest.raises(sp.StatepathError, match="cv= with beside="):
        sp.compare(a, labels, model, beside=[b], cv=2)
    with pytest.raises(sp.StatepathError, match="beside= says how scores are read, and there are none"):
        sp.fit(labels, beside=[b])
    with pytest.raises(sp.StatepathError, match="learnt from scores and labels"):
        sp.fit(None, a, beside=[b], classes=["x", "y", "z"])
    with pytest.raises(sp.StatepathError, match="a stream has those of one"):
        sp.OnlineDecoder(model, 3)
