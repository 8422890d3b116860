"""statepath.torch against autograd of a plain log-sum-exp over all paths, and against pytorch-crf. STATEPATH_LONG: 10,000 cases in place of 300."""
import os
import re

import numpy as np
import pytest

import statepath as sp

torch = pytest.importorskip("torch", reason="torch is not installed")

from statepath.torch import CRF, crf_loss, log_partition, marginals, masked_cross_entropy  # noqa: E402

CASES = 10_000 if os.environ.get("STATEPATH_LONG") else 300
INF = float("inf")


# ---- a plain one ----


def path_scores(e, move, start, end):
    """All paths of a row [T,K], and what each adds up to."""
    t, k = e.shape
    paths = torch.cartesian_prod(*[torch.arange(k)] * t).reshape(-1, t)
    steps = e[torch.arange(t), paths].sum(1) + move[paths[:, :-1], paths[:, 1:]].sum(1)
    return paths, steps + start[paths[:, 0]] + end[paths[:, -1]]


def plain_log_partition(*row):
    scores = path_scores(*row)[1]
    return torch.logsumexp(scores[scores > -INF], 0)


def plain_marginals(*row):
    paths, scores = path_scores(*row)
    paths, scores = paths[scores > -INF], scores[scores > -INF]
    return torch.einsum("p,ptk->tk", scores.softmax(0), torch.nn.functional.one_hot(paths, row[0].shape[1]).double())


def random_case(seed):
    """Rows of unlike length with at least one path each: emissions, weights, lengths, tags that are possible."""
    rng = np.random.default_rng(seed)
    k, n, most = int(rng.integers(1, 5)), int(rng.integers(1, 4)), int(rng.integers(1, 6))
    width = rng.choice([0.5, 3, 40, 1000])

    def weights(*shape, zeros):
        w = torch.from_numpy(rng.normal(size=shape) * width)
        return w.masked_fill(torch.from_numpy(rng.random(shape) < zeros), -INF).requires_grad_()

    while True:
        zeros = rng.choice([0, 0.3])
        e, move = weights(n, most, k, zeros=zeros / 3), weights(k, k, zeros=zeros)
        start, end = weights(k, zeros=zeros), weights(k, zeros=zeros)
        lengths = rng.integers(1, most + 1, n)
        tags = torch.full((n, most), -100)
        for i, t in enumerate(lengths):
            paths, scores = path_scores(e[i, :t], move, start, end)
            possible = paths[scores > -INF]
            if not len(possible):
                break
            tags[i, :t] = possible[rng.integers(len(possible))]
        else:
            return e, [move, start, end], lengths, tags, rng


def gradients(value, inputs):
    return [torch.zeros_like(x) if g is None else g for g, x in zip(torch.autograd.grad(value, inputs, retain_graph=True, allow_unused=True), inputs)]


def close(found, expected, tolerance=1e-9):
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)


def in_form(seed, e, lengths, tags):
    """The same rows padded, step first or packed: (emissions, tags, options, what makes rows of the answer)."""
    mask = torch.arange(e.shape[1]) < torch.as_tensor(lengths)[:, None]
    if seed % 3 == 0:
        return e, tags, {"mask": mask}, lambda x: x
    if seed % 3 == 1:
        return e.transpose(0, 1), tags.T, {"mask": mask.T, "batch_first": False}, lambda x: x.transpose(0, 1)

    def padded(x):
        return torch.zeros(e.shape, dtype=x.dtype).masked_scatter(mask[..., None], x)

    return e[mask], tags[mask], {"lengths": lengths}, padded


@pytest.mark.parametrize("part", range(10))
def test_against_autograd(part):
    for seed in range(part, CASES, 10):
        e, weights, lengths, tags, rng = random_case(seed)
        inputs = [e, *weights]
        rows = [(e[i, :t], *weights) for i, t in enumerate(lengths)]
        shaped, tags_, how, back = in_form(seed, e, lengths, tags)
        factors = torch.from_numpy(rng.normal(size=len(lengths)))

        plain = torch.stack([plain_log_partition(*row) for row in rows])
        expected = gradients((plain * factors).sum(), inputs)
        found = log_partition(shaped, *weights, **how)
        close([found], [plain], 1e-11)
        close(gradients((found * factors).sum(), inputs), expected)
        with torch.no_grad():
            as_floats = [x.float() for x in (shaped, *weights)]
            assert torch.equal(log_partition(*as_floats, **how), log_partition(*(x.double() for x in as_floats), **how).float())

        scores = torch.stack([e[i, range(t), tags[i, :t]].sum() + weights[0][tags[i, : t - 1], tags[i, 1:t]].sum() + weights[1][tags[i, 0]] + weights[2][tags[i, t - 1]]
                              for i, t in enumerate(lengths)])  # fmt: skip
        expected = gradients(((plain - scores) * factors).sum(), inputs)
        found = crf_loss(shaped, tags_, *weights, reduction="none", **how)
        close([found], [plain - scores], 1e-8)
        close(gradients((found * factors).sum(), inputs), expected)

        p = torch.stack([torch.nn.functional.pad(plain_marginals(*row), (0, 0, 0, e.shape[1] - t)) for t, row in zip(lengths, rows)])
        factors = torch.from_numpy(rng.normal(size=e.shape))
        expected = gradients((p * factors).sum(), inputs)
        found = back(marginals(shaped, *weights, **how))
        close([found], [p])
        close(gradients((found * factors).sum(), inputs), expected, 1e-7)


@pytest.mark.parametrize("k", [1, 3, 9])
def test_gradcheck(k):
    torch.manual_seed(k)
    inputs = [torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((3, 4, k), (k, k), (k,), (k,))]
    lengths, tags = torch.tensor([4, 1, 3]), torch.randint(0, k, (3, 4))
    assert torch.autograd.gradcheck(lambda *x: log_partition(*x, lengths=lengths), inputs)
    assert torch.autograd.gradcheck(lambda e, *x: crf_loss(e, tags, *x, lengths=lengths, reduction="mean"), inputs)
    assert torch.autograd.gradcheck(lambda *x: marginals(*x, lengths=lengths), inputs)


def test_threads_change_no_bit():
    torch.manual_seed(1)
    e, move = torch.randn(40, 60, 7, requires_grad=True), torch.randn(7, 7, requires_grad=True)
    found = []
    for threads in (1, 2, 5):
        z = log_partition(e, move, threads=threads)
        found.append([z, *torch.autograd.grad(z.sum(), [e, move])])
    assert all(torch.equal(a, b) for other in found[1:] for a, b in zip(found[0], other))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_on_a_gpu():
    torch.manual_seed(1)
    e, tags, crf = torch.randn(4, 6, 5), torch.randint(0, 5, (4, 6)), CRF(5)
    expected = crf(e, tags)
    crf.cuda()(e.cuda(), tags.cuda()).backward()
    assert crf.transitions.grad.is_cuda and torch.allclose(crf(e.cuda(), tags.cuda()).cpu(), expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_other_types(dtype):
    e = torch.randn(2, 3, 4).to(dtype).requires_grad_()
    z = log_partition(e, torch.zeros(4, 4))
    z.sum().backward()
    assert z.dtype == torch.float32 and e.grad.dtype == dtype


def test_emissions_that_change_before_the_gradient_are_found():
    e = torch.zeros(1, 2, 2, requires_grad=True) * 1
    z = log_partition(e, torch.zeros(2, 2))
    e += 1
    with pytest.raises(RuntimeError, match="inplace"):
        z.sum().backward()


def test_readme():
    """Its example, which doctest leaves alone where there is no torch."""
    from test_examples import readme_of

    with open(readme_of("lib", "python"), encoding="utf-8") as f:
        blocks = [block.split("```")[0] for block in f.read().split("```python\n")[1:]]
    (code,) = [block for block in blocks if "statepath.torch" in block]
    names = {}
    exec(code, names)
    assert all(names["model"].is_legal(path) for path in names["paths"])


# ---- what cannot be ----


def call(function=log_partition, e=None, move=None, **how):
    return function(torch.zeros(2, 3, 2) if e is None else e, torch.zeros(2, 2) if move is None else move, **how)


def loss(tags, **how):
    return crf_loss(torch.zeros(2, 3, 2), torch.as_tensor(tags), torch.tensor([[0.0, -INF], [0.0, 0.0]]), **how)


NAN = torch.zeros(2, 3, 2).index_fill(1, torch.tensor(2), float("nan"))
IMPOSSIBLE = torch.zeros(2, 3, 2).index_put((torch.tensor(1), torch.tensor(1)), torch.tensor(-INF))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: call(mask=torch.tensor([[1, 1, 1], [1, 0, 1]])), "mask= of row 1 is false at step 1 and true after it: real steps come first"),
        (lambda: call(mask=torch.ones(3, 2)), r"mask= has shape (3, 2), not (2, 3)"),
        (lambda: call(mask=torch.full((2, 3), -INF)), "mask= must be true for real steps"),
        (lambda: call(lengths=[3, 4]), "lengths= of row 1 is 4: a number of steps from 0 to 3"),
        (lambda: call(lengths=[3]), "lengths= have shape (1,)"),
        (lambda: call(lengths=[3, 3], mask=torch.ones(2, 3)), "give one"),
        (lambda: call(e=torch.zeros(5, 2), lengths=[3, 4]), "lengths= add up to 7, and the emissions have 5 steps"),
        (lambda: call(e=torch.zeros(5, 2), mask=torch.ones(5)), "packed ones [S,K] have lengths="),
        (lambda: call(e=torch.zeros(2)), "give [N,T,K]"),
        (lambda: call(e=torch.zeros(2, 3, 2, dtype=torch.int64)), "floating point"),
        (lambda: call(e=torch.zeros(2, 3, 4)), "transitions have shape (2, 2); emissions of 4 classes ask for (4, 4)"),
        (lambda: call(end=torch.zeros(3)), "end have shape (3,)"),
        (lambda: call(start=torch.tensor([0, float("nan")])), "start hold NaN or +inf"),
        (lambda: call(e=NAN), "emissions of row 0, step 2, class 0 are nan"),
        (lambda: call(e=IMPOSSIBLE), "row 1 has no allowed path of finite score: no class can be reached at step 1"),
        (lambda: call(marginals, end=torch.tensor([-INF, -INF])), "row 0 has no allowed path of finite score: no class that is possible at its last step may end"),
        (lambda: loss([[0, 0, 0], [0, 2, 0]]), "tags of row 1, step 1 are 2, and there are classes 0 to 1"),
        (lambda: loss([[0, 0, 0], [-1, 0, 0]]), "tags of row 1, step 0 are -1"),
        (lambda: loss([[1, 0, 0], [0, 0, 1]]), "tags of row 1 are impossible: class 1 cannot be at step 2"),
        (lambda: loss([[1, 1, 1], [1, 1, 0]], end=torch.tensor([-INF, 0])), "tags of row 1 are impossible: may not end with class 0"),
        (lambda: loss([[0, 0, 0]]), "tags have shape (1, 3), and the emissions ask for (2, 3)"),
        (lambda: loss([[0.0] * 3] * 2), "whole numbers"),
        (lambda: loss([[0] * 3] * 2, reduction="none at all"), "reduction='none at all': it is one of none, sum, mean, token_mean"),
        (lambda: CRF(2)(torch.zeros(2, 3, 4), torch.zeros(2, 3)), "[N,T,K] with K = 2 classes is needed"),
        (lambda: CRF(2, False).decode(torch.zeros(3, 2)), "[T,N,K] with K = 2 classes is needed"),
        (lambda: CRF(0), "give a Model, its name, or a bool matrix"),
        (lambda: CRF([[True, False]]), "bool matrix"),
        (lambda: CRF(sp.Model(["a", "b"], min_dwell=2)), "train without them, decode with them"),
        (lambda: CRF("sleep-asm"), "did you mean"),
    ],
)
def test_wrong_input(wrong, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        wrong()


def test_errors_name_places():
    with pytest.raises(sp.NoPathError) as error:
        call(e=IMPOSSIBLE)
    assert (error.value.recording, error.value.step) == (1, 1)
    with pytest.raises(sp.ScoresError) as error:
        call(e=NAN)
    assert (error.value.recording, error.value.step, error.value.class_) == (0, 2, 0)


def test_nothing():
    e = torch.zeros(0, 3, 2, requires_grad=True)
    z = log_partition(e, torch.zeros(2, 2))
    z.sum().backward()
    assert z.shape == (0,) and e.grad.shape == (0, 3, 2)
    assert log_partition(torch.zeros(2, 3, 2), torch.zeros(2, 2), lengths=[0, 1])[0] == 0
    with torch.no_grad():  # what stands in the padding is not read
        assert torch.isfinite(log_partition(NAN, torch.zeros(2, 2), lengths=[2, 2])).all()


# ---- CRF ----


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW])
def test_rules_survive_training(optimizer):
    torch.manual_seed(1)
    rules = sp.Model.load("sleep-strict")
    crf = CRF(rules)
    allow, start, _ = rules._class_rules()
    tags = torch.tensor([[0, 1, 2, 2, 4, 2], [0, 0, 1, 1, 2, 3]])
    emissions = torch.randn(2, 6, 5, requires_grad=True)
    steps = optimizer([emissions, *crf.parameters()], lr=0.5, weight_decay=0.1)
    before = crf(emissions, tags)
    for _ in range(5):
        steps.zero_grad()
        (-crf(emissions, tags)).backward()
        assert (crf.transitions.grad[~torch.tensor(allow)] == 0).all() and (crf.start_transitions.grad[~torch.tensor(start)] == 0).all()
        steps.step()
    move, first, _ = crf.masked()
    assert crf(emissions, tags) > before and all(torch.isfinite(p).all() for p in crf.parameters())
    assert ((move == -INF).numpy() == ~allow).all() and ((first == -INF).numpy() == ~start).all()
    assert all(rules.is_legal(path) for path in crf.decode(torch.randn(20, 30, 5) * 9))
    learnt = crf.to_model("learnt")
    assert learnt.forbidden == rules.forbidden and learnt.classes == rules.classes
    assert crf.decode(emissions) == sp.decode(emissions.detach().numpy(), learnt, kind="scores").tolist()


def test_fixed_weights():
    weighted = sp.Model(["a", "b"], log_weights=[[0.5, -np.inf], [-0.25, 1]], start_log_weights=[0.5, 0], end_log_weights=[0, 2])
    crf = CRF(weighted, train_transitions=False, train_end=False)
    assert [name for name, p in crf.named_parameters() if p.requires_grad] == ["start_transitions"]
    crf(torch.zeros(1, 2, 2), torch.tensor([[1, 0]])).backward()
    assert crf.transitions.grad is None and crf.start_transitions.grad is not None
    assert crf.to_model() == weighted.with_(name="crf")
    assert torch.equal(CRF(3, train_start=False).start_transitions, torch.zeros(3))
    assert not torch.equal(CRF(3).transitions, torch.zeros(3, 3)) and CRF(3).transitions.abs().max() <= 0.1
    moved = CRF(weighted).double()
    assert moved(torch.zeros(1, 2, 2, dtype=torch.float64), torch.tensor([[1, 0]])).dtype == torch.float64


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("reduction", ["sum", "mean", "token_mean", "none"])
@pytest.mark.filterwarnings("ignore:where received a uint8")
def test_as_pytorch_crf(batch_first, reduction):
    theirs = pytest.importorskip("torchcrf", reason="pytorch-crf is not installed").CRF(5, batch_first=batch_first).double()
    from statepath.compat.torchcrf import CRF as Alike

    ours, alike = CRF(5, batch_first).double(), Alike(5, batch_first=batch_first).double()
    for crf in (ours, alike):
        crf.load_state_dict(theirs.state_dict())
    theirs.load_state_dict(ours.state_dict())
    emissions, tags = torch.randn(4, 7, 5, dtype=torch.float64), torch.randint(0, 5, (4, 7))
    mask = torch.arange(7) < torch.tensor([7, 3, 1, 5])[:, None]
    if not batch_first:
        emissions, tags, mask = emissions.transpose(0, 1), tags.T, mask.T
    found = []
    for crf in (theirs, ours, alike):
        e = emissions.clone().requires_grad_()
        value = crf(e, tags, mask, reduction=reduction)
        value.sum().backward()
        found.append([value.detach(), e.grad, *(p.grad for p in crf.parameters())])
        assert crf.decode(emissions, mask) == theirs.decode(emissions, mask)
    for other in found[1:]:
        close(other, found[0], 1e-10)


# ---- masked cross entropy ----


def test_masked_cross_entropy():
    rng = np.random.default_rng(1)
    model = sp.Model.load("sleep-aasm")
    allow = model._class_rules()[0]
    for _ in range(50):
        logits = torch.from_numpy(rng.normal(size=(6, 5))).requires_grad_()
        previous = torch.from_numpy(rng.integers(-1, 5, 6))
        targets = torch.tensor([int(rng.choice(np.flatnonzero(allow[p]) if p >= 0 else 5)) for p in previous])
        targets[0] = -100
        found = masked_cross_entropy(logits, targets, previous, model)
        masked = sp.apply_logit_masking(logits.detach().numpy(), previous.numpy(), model)
        close([found], [torch.nn.functional.cross_entropy(torch.from_numpy(masked), targets)], 1e-12)
        found.backward()
        assert torch.isfinite(logits.grad).all() and (logits.grad.numpy()[1:][masked[1:] == -INF] == 0).all()
    assert masked_cross_entropy(logits, targets, previous, allow, reduction="none").shape == (6,)


def test_masked_cross_entropy_of_sequences():
    allow, start, end = [[True, False], [True, True]], ["b"], ["a"]
    model = sp.Model(["a", "b"], np.array(allow), start=start, end=end)
    zeros, half = torch.zeros(2, 3, 2), np.log(2)
    found = masked_cross_entropy(zeros, torch.tensor([[1, 1, 0], [1, 0, -100]]), None, model, reduction="none")
    # b may begin, both may follow it, a may end; nothing but a follows a.
    np.testing.assert_allclose(found, [[0, half, 0], [0, 0, 0]], atol=1e-7)
    with pytest.raises(sp.StatepathError, match="row 3 has 0: the model does not allow this target there"):
        masked_cross_entropy(zeros, torch.tensor([[1, 1, 0], [0, 0, 0]]), None, model)
    with pytest.raises(sp.StatepathError, match="row 5 has 1: "):
        masked_cross_entropy(zeros, torch.tensor([[1, 1, 0], [1, 1, 1]]), None, model)


@pytest.mark.parametrize(
    ("targets", "previous", "sentence"),
    [
        ([0, 1], [0, 0], "row 1 has 1: the model does not allow this target there"),
        ([0, 2], [0, 0], "row 1 has 2: targets are classes 0 to 1, or ignore_index=-100"),
        ([0, 0], [0, 2], "row 1 has 2: previous are classes 0 to 1"),
        ([0], [0, 0], r"targets have shape (1,)"),
        ([0, 0], [0.0, 0], "previous have shape (2,) and type torch.float32"),
    ],
)
def test_masked_cross_entropy_refuses(targets, previous, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        masked_cross_entropy(torch.zeros(2, 2), torch.tensor(targets), torch.tensor(previous), [[True, False], [True, True]])
    with pytest.raises(ValueError, match="the model has 5 classes"):
        masked_cross_entropy(torch.zeros(2, 2), torch.tensor([0, 0]), None, "sleep-aasm")
