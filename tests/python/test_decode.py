"""decode(): shapes in and out, every argument, and what a path is."""
import inspect
import itertools
import warnings

import numpy as np
import pytest
from conftest import probabilities

import statepath as sp

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f4", ">f8", "float128", "int8", "uint16", "int64", "object"])
def test_types(rng, door, dtype):
    values = rng.integers(0, 9, size=(20, 3))
    expected = sp.decode(values.astype(float), door, kind="scores")
    given = values.astype(dtype)
    before = given.copy()
    path = sp.decode(given, door, kind="scores")
    assert path.dtype == np.int32 and path.tolist() == expected.tolist()
    assert np.array_equal(given, before)


@pytest.mark.parametrize("n_steps", [1, 7, 5000])
def test_memory_orders(rng, door, n_steps):
    p = probabilities(rng, n_steps, 3, dtype=np.float32)
    expected = sp.decode(p, door).tolist()
    wide = np.zeros((n_steps, 7), np.float32)
    wide[:, 1:6:2] = p[:, :]
    unaligned = np.frombuffer(b"x" + p.tobytes(), np.uint8)[1:].view(np.float32).reshape(p.shape)
    frozen = p.copy()
    frozen.flags.writeable = False
    for given in (np.asfortranarray(p), wide[:, 1:6:2], p[::-1][::-1], unaligned, frozen, p.tolist(), memoryview(p)):
        assert sp.decode(given, door).tolist() == expected


def test_no_copy_of_scores(rng, door):
    """Log probabilities and scores are decoded where they lie, and never changed."""
    for dtype in (np.float32, np.float64):
        x = np.log(probabilities(rng, 4000, 3)).astype(dtype)
        before = x.tobytes()
        for kind in (None, "log_probs", "scores", "probs"):
            given = np.exp(x) if kind == "probs" else x
            kept = given.tobytes()
            sp.decode(given, door, kind=kind, full=True)
            assert given.tobytes() == kept
        assert x.tobytes() == before
        batch = sp._scores.batch_of(x, 3)
        assert np.shares_memory(batch.rows, x)
        batch = sp._scores.batch_of(x.reshape(4, 1000, 3), 3)
        assert np.shares_memory(batch.rows, x)


def test_layouts_agree(rng, door):
    lengths = [7, 0, 12, 1]
    parts = [probabilities(rng, n, 3, dtype=np.float32) for n in lengths]
    alone = [sp.decode(p, door).tolist() for p in parts]
    packed = np.concatenate(parts)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    padded = np.full((4, 15, 3), np.nan, np.float32)
    shifted = padded.copy()
    for n, p in enumerate(parts):
        padded[n, : lengths[n]] = p
        shifted[n, 2 : 2 + lengths[n]] = p
    mask = np.arange(15) < np.array(lengths)[:, None]
    flat = sum(alone, [])
    assert [p.tolist() for p in sp.decode(parts, door)] == alone
    assert [p.tolist() for p in sp.decode(tuple(parts), door)] == alone
    assert sp.decode(packed, door, offsets=offsets).tolist() == flat
    assert sp.decode(packed, door, lengths=lengths).tolist() == flat
    by_length = sp.decode(padded, door, lengths=lengths)
    assert by_length.shape == (4, 15) and [row[:n].tolist() for row, n in zip(by_length, lengths)] == alone
    assert np.all(by_length[~mask] == -1)
    assert np.array_equal(sp.decode(padded, door, mask=mask), by_length)
    assert np.array_equal(sp.decode(padded, door, mask=mask.astype(np.int64)), by_length)
    assert np.array_equal(sp.decode(shifted, door, mask=np.roll(mask, 2, axis=1))[:, 2:], by_length[:, :-2])
    d = sp.decode(packed, door, offsets=offsets, full=True)
    assert len(d) == 4 and [p.tolist() for p in d] == alone and d[2].tolist() == alone[2] and d[-1].tolist() == alone[-1]
    assert sp.decode([], door) == []
    assert sp.decode(np.empty((0, 3)), door).shape == (0,)
    assert sp.decode(np.empty((0, 5, 3)), door).shape == (0, 5)
    assert sp.decode(np.empty((2, 0, 3)), door).shape == (2, 0)


def test_gaps(rng, door):
    p = probabilities(rng, 2, 8, 3)
    mask = np.ones((2, 8), bool)
    mask[1, 3:5] = False
    with pytest.raises(sp.StatepathError, match="hole in recording 1, before step 5") as caught:
        sp.decode(p, door, mask=mask)
    assert (caught.value.recording, caught.value.step) == (1, 5)
    joined = sp.decode(p, door, mask=mask, gaps="join")
    assert joined[1][mask[1]].tolist() == sp.decode(p[1][mask[1]], door).tolist()
    broken = sp.decode(p, door, mask=mask, gaps="break")
    assert broken[1][mask[1]].tolist() == sp.decode(p[1][mask[1]], door, segments=[0, 0, 0, 1, 1, 1]).tolist()
    assert np.all(joined[~mask] == -1)
    segments = np.zeros((2, 8), int)
    segments[1, 6:] = 9
    both = sp.decode(p, door, mask=mask, gaps="break", segments=segments)
    assert both[1][mask[1]].tolist() == sp.decode(p[1][mask[1]], door, segments=[0, 0, 0, 1, 2, 2]).tolist()


def test_frames(rng, door):
    p = probabilities(rng, 9, 3)
    index = pd.date_range("2026-01-01", periods=9, freq="30s")
    frame = pd.DataFrame(p, columns=["closed", "opening", "open"], index=index)
    expected = sp.decode(p, door).tolist()
    path = sp.decode(frame, door)
    assert isinstance(path, pd.Series) and path.index.equals(index) and path.tolist() == expected and path.dtype == np.int32
    swapped = frame[["open", "closed", "opening"]]
    by_name = sp.decode(swapped, door, full=True)
    assert by_name.classes == ("open", "closed", "opening")
    assert by_name.names() == [[door.classes[k] for k in expected]]
    numbered = pd.DataFrame(p)
    assert sp.decode(numbered, door).tolist() == expected
    many = sp.decode([frame, swapped], door)
    assert [type(s) for s in many] == [pd.Series, pd.Series] and many[1].tolist() == expected
    m = sp.marginals(swapped, door)
    assert isinstance(m, pd.DataFrame) and list(m.columns) == list(swapped.columns) and m.index.equals(index)
    with pytest.raises(sp.ModelError, match="shut"):
        sp.decode(frame.rename(columns={"closed": "shut"}), door)


def test_classes_are_aligned_by_name_and_alias(rng):
    model = sp.Model.load("sleep-aasm")
    p = probabilities(rng, 40, 5)
    order = [4, 2, 0, 3, 1]
    names = [("W", "N1", "N2", "N3", "R")[k] for k in order]
    d = sp.decode(p[:, order], model, classes=names, full=True)
    assert d.names() == sp.decode(p, model, full=True).names()


class Tensor:
    """Looks like a tensor of the CPU, as far as DLPack goes."""

    def __init__(self, array, **attributes):
        self.array = array
        self.__dict__.update(attributes)

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.__dict__.get("where", (1, 0))


def test_dlpack(rng, door):
    p = probabilities(rng, 50, 3, dtype=np.float32)
    assert sp.decode(Tensor(p), door).tolist() == sp.decode(p, door).tolist()
    assert np.shares_memory(sp._scores.array_of(Tensor(p), "scores"), p)
    with pytest.raises(sp.ScoresError, match=r"scores\.detach\(\)"):
        sp.decode(Tensor(p, requires_grad=True), door)
    with pytest.raises(sp.ScoresError, match="bfloat16.*astype"):
        sp.decode(Tensor(p, dtype="bfloat16"), door)
    with pytest.raises(sp.ScoresError, match="CPU"):
        sp.decode(Tensor(p, where=(2, 0)), door)


def test_torch(rng, door):
    torch = pytest.importorskip("torch")
    p = probabilities(rng, 50, 3, dtype=np.float32)
    t = torch.from_numpy(p)
    assert sp.decode(t, door).tolist() == sp.decode(p, door).tolist()
    assert sp.decode([t, t], door)[1].tolist() == sp.decode(p, door).tolist()
    with pytest.raises(sp.ScoresError, match=r"write scores\.detach\(\)"):
        sp.decode(t.clone().requires_grad_(), door)
    with pytest.raises(sp.ScoresError, match=r"write scores\.float\(\)"):
        sp.decode(t.bfloat16(), door)


def test_kinds(rng, door):
    p = probabilities(rng, 300, 3)
    expected = sp.decode(p, door, full=True)
    assert expected.kind == "probs"
    logs = sp.decode(np.log(p), door, full=True)
    assert logs.kind == "log_probs" and np.array_equal(logs.paths, expected.paths)
    logits = sp.decode(np.log(p) + 5, door, kind="logits", full=True)
    assert logits.kind == "logits" and np.array_equal(logits.paths, expected.paths)
    assert logits.scores[0] == pytest.approx(expected.scores[0], rel=1e-12)
    raw = sp.decode(np.log(p) + 5, door, kind="scores", full=True)
    assert raw.scores[0] == pytest.approx(expected.scores[0] + 5 * 300, rel=1e-12)
    with pytest.raises(sp.ScoresError, match='the first row .*kind="logits"'):
        sp.decode(np.log(p) + 5, door)
    late = p.copy()
    late[299] = 2
    with pytest.raises(sp.ScoresError, match="step 299: the row sums to 6, not 1") as caught:
        sp.decode(late, door)
    assert (caught.value.recording, caught.value.step) == (0, 299)


def test_step_mask_and_labels(rng, door):
    p = probabilities(rng, 2, 30, 3)
    free = sp.decode(p, door)
    mask = np.ones((2, 30, 3), bool)
    mask[0, 10, free[0, 10]] = False
    masked = sp.decode(p, door, step_mask=mask)
    assert masked[0, 10] != free[0, 10] and np.array_equal(masked[1], free[1])
    labels = np.full((2, 30), -1)
    labels[1, 5] = (free[1, 5] + 1) % 3
    held = sp.decode(p, door, labels=labels)
    assert held[1, 5] == labels[1, 5] and np.array_equal(held[0], free[0])
    names = np.full((2, 30), "", object)
    names[1, 5] = door.classes[labels[1, 5]]
    assert np.array_equal(sp.decode(p, door, labels=names), held)
    floats = np.where(labels < 0, np.nan, labels)
    assert np.array_equal(sp.decode(p, door, labels=floats), held)
    assert np.array_equal(sp.decode(list(p), door, labels=list(labels)), held)


def test_weights_of_scores(rng):
    model = sp.Model(["a", "b"], log_weights=[[0.0, -2.0], [-2.0, 0.0]], prior=[0.9, 0.1])
    p = probabilities(rng, 200, 2)
    base = sp.decode(p, model, full=True)
    hot = sp.decode(np.log(p) / 3, model, kind="scores", full=True)
    assert np.array_equal(sp.decode(p, model, temperature=3.0), hot.paths)
    heavy = sp.Model(["a", "b"], log_weights=[[0.0, -6.0], [-6.0, 0.0]])
    assert np.array_equal(sp.decode(p, model, transition_weight=3), sp.decode(p, heavy))
    scaled = np.log(p) - np.log([0.9, 0.1])
    assert np.array_equal(sp.decode(p, model, prior_weight=1.0), sp.decode(scaled, model, kind="scores"))
    assert np.array_equal(sp.decode(p, model, "argmax", prior_weight=1.0, temperature=2.0), p.argmax(1))  # as the classifier gave them
    own = model.with_(temperature=3.0)
    assert np.array_equal(sp.decode(p, own), hot.paths)
    assert np.array_equal(sp.decode(p, own, temperature=1.0), base.paths)
    assert np.array_equal(sp.decode(p[:5], own), sp.decode(p[:5], model, temperature=3))
    assert np.array_equal(sp.decode(p, model.with_(transition_weight=3)), sp.decode(p, heavy))


def test_missing_and_floor(door):
    p = np.array([[1.0, 0, 0], [np.nan] * 3, [0, 0, 1.0]])
    with pytest.raises(sp.ScoresError, match='recording 0, step 1, class 0: NaN; missing="uniform"') as caught:
        sp.decode(p, door)
    assert (caught.value.recording, caught.value.step, caught.value.class_) == (0, 1, 0)
    d = sp.decode(p, door, missing="uniform", full=True)
    assert d.paths.tolist() == [0, 1, 2] and d.missing == 1
    impossible = np.array([[1.0, 0, 0], [0, 0, 1.0]])
    with pytest.raises(sp.NoPathError):
        sp.decode(impossible, door)
    d = sp.decode(impossible, door, floor=1e-3, full=True)
    assert door.is_legal(d.paths) and d.floored == 4


def test_infeasible(door):
    bad = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, 0, 1.0]])
    good = np.array([[0, 0, 1.0]])
    with pytest.raises(sp.NoPathError) as caught:
        sp.decode([good, bad], door)
    e = caught.value
    assert (e.recording, e.step, e.class_, e.blocking) == (1, 1, 2, [("closed", "open")])
    d = sp.decode([good, bad], door, on_infeasible="mark", full=True)
    assert [p.tolist() for p in d] == [[2], [-1, -1, -1]] and d.status == ["ok", "no_path"]
    assert d.scores.tolist() == [0, -np.inf] and d.step.tolist() == [-1, 1] and d.names()[1] == ["", "", ""]
    d = sp.decode([good, bad], door, on_infeasible="relax", full=True)
    assert d.status == ["ok", "relaxed"] and d.n_broken.tolist() == [0, 1] and d[1].tolist() == [0, 1, 2] and d.violations[1].tolist() == [False, True, False]
    with pytest.raises(sp.NoPathError, match="every class is impossible at step 1"):
        sp.decode(np.array([[1.0, 0, 0], [0, 0, 0], [1.0, 0, 0]]), door)
    with pytest.raises(sp.NoPathError, match="no state reaches step 0") as caught:
        sp.decode(np.array([[0, 1.0, 0]]), door)
    assert caught.value.blocking == []
    with pytest.raises(sp.NoPathError, match="no state reaches step 0"):
        sp.decode(np.array([[0.2, 0.3, 0.5]]), door, labels=[1])


def test_names_of_recordings(rng, door, tmp_path):
    parts = [probabilities(rng, n, 3) for n in (4, 0, 6)]
    plain, named = sp.decode(parts, door, full=True), sp.decode(parts, door, full=True, ids=["ann", "", "=eve"])
    assert plain.ids == ["0", "1", "2"] and named.ids == ["ann", "", "=eve"] and plain.violations is None
    named.save(tmp_path / "p.csv")
    assert [line.split(",")[0] for line in (tmp_path / "p.csv").read_text().splitlines()[1:]] == ["ann"] * 4 + ["'=eve"] * 6
    named.save(tmp_path / "p.npz")
    assert np.load(tmp_path / "p.npz")["ids"].tolist() == named.ids and "<td>ann</td>" in named._repr_html_()
    for ids, word in ((["a"], "1 names and there are 3"), (["a", "a", "b"], "twice"), ("abc", "a list of 3 names"), (3, "a list of 3 names")):
        with pytest.raises(sp.StatepathError, match=word):
            sp.decode(parts, door, full=True, ids=ids)
    with pytest.raises(sp.StatepathError, match="full=True"):
        sp.decode(parts, door, ids=["a", "b", "c"])


def test_padded(rng, door):
    parts = [probabilities(rng, n, 3) for n in (4, 0, 6)]
    d = sp.decode(parts, door, full=True)
    rows = d.padded()
    assert rows.shape == (3, 6) and rows.dtype == np.int32 and (rows[1] == -1).all() and (rows[0, 4:] == -1).all()
    assert all(np.array_equal(row[: len(path)], path) for row, path in zip(rows, d)) and d.padded(-100)[1, 0] == -100
    assert sp.decode([], door, full=True).padded().shape == (0, 0)
    for fill in (0.5, "x", True, 2**31, None):
        with pytest.raises(sp.StatepathError, match="fill="):
            d.padded(fill)


def test_strategies_from_the_table(rng, door):
    p = probabilities(rng, 60, 3)
    for name, parameter, least, is_legal, _, _ in sp._core.strategies():
        text = name if parameter is None else f"{name}:{max(least, 8)}"
        path = sp.decode(p, door, text)
        assert path.shape == (60,) and (not is_legal or door.is_legal(path))
    assert np.array_equal(sp.decode(p, door, "argmax"), p.argmax(1))
    assert np.array_equal(sp.decode(p, door, "posterior"), sp.marginals(p, door).argmax(1))


def test_confidence_and_nbest(rng, door):
    parts = [probabilities(rng, n, 3) for n in (6, 3)]
    d = sp.decode(parts, door, full=True, confidence=True, n_best=4)
    for n, p in enumerate(parts):
        m = sp.marginals(p, door)
        assert d.confidence[n] == pytest.approx(m[np.arange(len(p)), d[n]], rel=1e-6)
        assert d.log_partition[n] == pytest.approx(sp.log_partition(p, door), rel=1e-12)
        paths, scores = d.nbest[n]
        assert np.array_equal(paths[0], d[n]) and scores[0] == d.scores[n] and np.all(np.diff(scores) <= 0)
        assert len({tuple(q) for q in paths}) == len(paths)
        assert scores == pytest.approx([sp.path_score(p, door, q) for q in paths], rel=1e-12)
        assert d.margin[n] == pytest.approx(scores[0] - scores[1], rel=1e-9)
    only = sp.decode(np.array([[1.0, 0, 0]]), door, full=True, n_best=3)
    assert len(only.nbest[0][0]) == 1


def test_draws(rng, door):
    """Allowed, as often as marginals say, the same by one seed whatever the threads and the number; recordings apart."""
    p = probabilities(rng, 30, 3)
    draws = sp.draw(p, door, 2000, seed=4)
    assert draws.shape == (2000, 30) and draws.dtype == np.int32 and all(door.is_legal(path) for path in draws[:100])
    shares, m = np.stack([(draws == k).mean(0) for k in range(3)], 1), sp.marginals(p, door)
    assert np.all(np.abs(shares - m) <= 5 * np.sqrt(m * (1 - m) / 2000) + 1e-3)
    assert np.array_equal(sp.draw(p, door, 10, seed=4, threads=2), draws[:10]) and not np.array_equal(sp.draw(p, door, 10), draws[:10])
    several = sp.draw([p, p, p[:5], p[:0]], door, 50, seed=4)
    assert [d.shape for d in several] == [(50, 30), (50, 30), (50, 5), (50, 0)]
    assert np.array_equal(several[0], draws[:50]) and not np.array_equal(several[1], several[0])
    padded = sp.draw(np.stack([p, p]), door, 50, seed=4, lengths=[30, 7])
    assert np.array_equal(padded[0], several[0]) and padded[1].shape == (50, 7)
    known = sp.draw(p, door, 50, labels=np.where(np.arange(30) == 3, sp.decode(p, door), -1))
    assert np.all(known[:, 3] == sp.decode(p, door)[3])
    with pytest.raises(sp.NoPathError, match="recording 1 .* step 1"):
        sp.draw([p, np.array([[1.0, 0, 0], [0, 0, 1.0]])], door)
    far = [sp.draw(p, door, 5, seed=seed) for seed in (0, 2**31, 2**32, 2**63, np.uint64(2**64 - 1))]
    assert all(not np.array_equal(a, b) for i, a in enumerate(far) for b in far[:i])
    with pytest.raises(sp.StatepathError, match="seed=18446744073709551616: a whole number from 0 to 18446744073709551615 is needed"):
        sp.draw(p, door, seed=2**64)
    for wrong in ({"n": 0}, {"n": -1}, {"n": 2.5}, {"seed": -1}, {"seed": 2**64}, {"seed": 1.0}, {"seed": True}, {"seed": "a"}):
        with pytest.raises(sp.StatepathError, match=next(iter(wrong))):
            sp.draw(p, door, **wrong)


def gains_of(p, model):
    """What each step is worth, by its definition and the weights of all paths."""
    n_steps, n_classes = p.shape
    paths = [q for q in itertools.product(range(n_classes), repeat=n_steps) if model.is_legal(q)]
    w = np.array([np.exp(sp.path_score(p, model, q)) for q in paths])
    w /= w.sum()
    q = np.array(paths)
    share = np.stack([[w[q[:, u] == k].sum() for k in range(n_classes)] for u in range(n_steps)])
    together = [[[[w[(q[:, t] == c) & (q[:, u] == k)].sum() for k in range(n_classes)] for c in range(n_classes)] for u in range(n_steps)] for t in range(n_steps)]
    return np.array(together).max(3).sum((1, 2)) - share.max(1).sum(), share


def test_review(rng, door):
    """By the definition; of all recordings together; whatever the threads."""
    p = [probabilities(rng, 6, 3) for _ in range(4)]
    gains, shares = zip(*(gains_of(x, door) for x in p), strict=True)
    found = sp.review(p, door, 0.5)
    assert len(found) == 12 and np.all(np.diff(found["gain"]) <= 0) and len({(int(r), int(t)) for r, t in zip(found["recording"], found["step"], strict=True)}) == 12
    first = found[0]
    assert first["gain"] == pytest.approx(np.max(gains), abs=1e-5) and (first["recording"], first["step"]) == np.unravel_index(np.argmax(gains), (4, 6))
    for row in found:
        share = shares[row["recording"]][row["step"]]
        assert row["likeliest"] == share.argmax() and row["probability"] == pytest.approx(share.max(), abs=1e-9)
    assert np.array_equal(sp.review(p, door, 5, threads=2), found[:5])
    for n in range(4):
        alone = sp.review(p[n], door, 1)[0]
        assert alone["gain"] == pytest.approx(gains[n].max(), abs=1e-5) and alone["recording"] == 0
    known = sp.review(p[0], door, 6, labels=np.where(np.arange(6) == alone["step"], sp.decode(p[0], door), -1))
    assert alone["step"] not in known["step"]
    assert len(sp.review(p[0][:0], door)) == 0
    with pytest.raises(sp.NoPathError, match="recording 1 .* step 1"):
        sp.review([p[0], np.array([[1.0, 0, 0], [0, 0, 1.0]])], door)
    for wrong in (0, -1, 0.0, 1.5, float("nan"), True, "2%", None):
        with pytest.raises(sp.StatepathError, match="share="):
            sp.review(p, door, wrong)


def test_marginals_sum_over_all_paths(rng, door):
    """Against the sum over all paths, written out."""
    e = rng.normal(size=(4, 3))
    weights = {}
    for n in range(3**4):
        path = tuple(n // 3**i % 3 for i in range(4))
        value = sp.path_score(e, door, list(path), kind="scores")
        if value > -np.inf:
            weights[path] = np.exp(value)
    total = sum(weights.values())
    expected = np.array([[sum(w for q, w in weights.items() if q[t] == k) / total for k in range(3)] for t in range(4)])
    assert sp.marginals(e, door, kind="scores") == pytest.approx(expected, abs=1e-12)
    assert sp.log_partition(e, door, kind="scores") == pytest.approx(np.log(total), rel=1e-12)
    with pytest.raises(sp.NoPathError, match="recording 1 .* step 1") as caught:
        sp.marginals([np.ones((1, 3)) / 3, np.array([[1.0, 0, 0], [0, 0, 1.0]])], door)
    assert caught.value.recording == 1
    assert sp.log_partition([np.array([[1.0, 0, 0], [0, 0, 1.0]])], door).tolist() == [-np.inf]
    padded = sp.marginals(np.stack([np.exp(e)] * 2), door.with_(start=None), kind="scores", lengths=[4, 2])
    assert padded.shape == (2, 4, 3) and np.all(padded[1, 2:] == 0)


def test_threads_and_batches_give_the_same_bytes(rng):
    model = sp.Model.load("sleep-strict")
    p = probabilities(rng, 300, 200, 5, dtype=np.float32)
    for strategy in ("viterbi", "greedy", "mea", "beam:3", "argmax"):
        one = sp.decode(p, model, strategy, threads=1, full=True)
        two = sp.decode(p, model, strategy, threads=2, full=True)
        alone = [sp.decode(r, model, strategy, full=True) for r in p[:20]]
        assert one.paths.tobytes() == two.paths.tobytes() and one.scores.tobytes() == two.scores.tobytes()
        assert [d.paths.tolist() for d in alone] == one.paths[:20].tolist()
        assert [d.scores[0] for d in alone] == one.scores[:20].tolist()


def test_a_long_run(rng):
    """What takes long goes on a thread of its own: the same answers, the same errors."""
    model = sp.Model([f"c{k}" for k in range(300)], log_weights=rng.normal(size=(300, 300)))
    x = rng.normal(size=(1200, 300))
    d = sp.decode(x, model, kind="scores", full=True)
    pieces = sp.ExactDecoder(model, kind="scores")
    assert d.paths.tolist() == list(pieces.stream(x)) and d.scores[0] == sp.path_score(x, model, d.paths, kind="scores")
    x[1199, 7] = np.nan
    with pytest.raises(sp.ScoresError, match="step 1199, class 7: NaN"):
        sp.decode(x, model, kind="scores")


def test_small_and_general_calls_agree(rng, door):
    """The short way of small arrays is the same decoder."""
    for n in (1, 2, 17, 500):
        p = probabilities(rng, n, 3)
        general = sp.decode([p], door)[0]
        for kind in (None, "probs"):
            assert np.array_equal(sp.decode(p, door, kind=kind), general)
            assert np.array_equal(sp.decode(p.astype(np.float32), door, kind=kind), sp.decode([p.astype(np.float32)], door)[0])


def test_no_warnings(rng, door):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sp.decode(np.array([[1.0, 0, 0], [0, 1.0, 0]]), door, full=True, confidence=True)
        sp.marginals(np.array([[1.0, 0, 0], [0, 1.0, 0]]), door)


def test_a_model_by_name(rng, tmp_path, monkeypatch, door):
    p = probabilities(rng, 10, 5)
    assert np.array_equal(sp.decode(p, "sleep-aasm"), sp.decode(p, sp.Model.load("sleep-aasm")))
    door.save(tmp_path / "sleep-aasm")
    monkeypatch.chdir(tmp_path)
    assert sp.decode(p[:, :3], "sleep-aasm", kind="scores").shape == (10,)  # the file of that name comes first
    door.save(tmp_path / "door.json")
    assert sp.decode(p[:, :3], tmp_path / "door.json", kind="scores").shape == (10,)


def test_a_class_that_comes_back():
    """100 steps take e^-2000 from b, more than a double holds, 100 give e^5000, 100 take e^-2000 again: b wins by e^1000."""
    e = np.zeros((300, 2))
    e[:100, 1], e[100:200, 1], e[200:, 1] = -20, 50, -20
    islands = sp.Model(["a", "b"], {"a": ["a"], "b": ["b"]})
    assert sp.log_partition(e, islands, kind="scores") == pytest.approx(1000, rel=1e-12)
    assert sp.marginals(e, islands, kind="scores").tolist() == [[0, 1]] * 300
    for strategy in ("viterbi", "posterior", "mea", "posterior-viterbi"):
        assert sp.decode(e, islands, strategy=strategy, kind="scores").tolist() == [1] * 300


def test_labels_that_break_the_model_fail_alone(rng):
    """One of three recordings has labels that no path can have; it alone has none, whatever forbids them."""
    e = [rng.normal(size=(5, 3)) for _ in range(3)]
    labels = [np.array(y) for y in ([0, -1, -1, 1, 1], [0, 2, 2, -1, -1], [0, -1, 1, 1, -1])]
    for model in (sp.Model(list("abc"), forbid={"a": ["c"]}), sp.Model(list("abc"), rules=["never a c"]),
                  sp.Model(list("abc"), durations={"a": {"min": 2}}, durations_at_ends="whole")):  # fmt: skip
        found = sp.decode(e, model, kind="scores", labels=labels, on_infeasible="mark", full=True)
        assert list(found.status) == ["ok", "no_path", "ok"]
        paths = list(found)
        assert np.all(paths[1] == -1) and all(np.all((y < 0) | (y == paths[n])) for n, y in enumerate(labels) if n != 1)
        with pytest.raises(sp.NoPathError, match=r"^recording 1 has no allowed path of finite score: no state reaches step 1"):
            sp.decode(e, model, kind="scores", labels=labels)


@pytest.mark.parametrize("function", [sp.decode, sp.draw, sp.review, sp.marginals, sp.log_partition, sp.path_score, sp.leak, sp.compare, sp.fit, sp.OnlineDecoder])
def test_help_spells_out_each_argument(function):
    given = inspect.signature(function).parameters
    assert {"kind", "missing", "floor"} <= given.keys() and given["missing"].default == "error"
    assert not any(p.kind is p.VAR_KEYWORD for p in given.values())
    assert ("labels" in given) == (function is not sp.OnlineDecoder) and ("lengths" in given) == (function is not sp.OnlineDecoder)


@pytest.mark.parametrize("function", [sp.decode, sp.draw, sp.review, sp.marginals, sp.leak, lambda *a, **o: sp.path_score(*a, [0, 0], **o), lambda *a, **o: sp.compare(a[0], [0, 0], a[1], **o),
                                      lambda *a, **o: sp.fit([0, 0], a[0], **o), lambda *a, **o: sp.OnlineDecoder(a[1], 2, **o)])  # fmt: skip
def test_unknown_argument(function):
    with pytest.raises(TypeError, match="unexpected keyword argument mising=: did you mean missing="):
        function(np.array([[0.5, 0.5], [0.5, 0.5]]), sp.Model(["a", "b"]), mising="uniform")
