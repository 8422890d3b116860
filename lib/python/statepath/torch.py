"""Training under rules: a conditional random field for PyTorch, its loss, log partition and marginals with gradients, and masked cross entropy.

Forward and backward are the library's: float64 inside, on all processors, log sums that nothing under- or overflows, exact zeros where something is
forbidden. Tensors of a GPU go to the processor and back in one block each way; what that costs has not been measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

try:
    import torch
    from torch.autograd.function import once_differentiable
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError("statepath.torch needs PyTorch, which is not installed: pip install torch", name="torch") from None

from . import _core
from ._decode import decode
from ._errors import ModelError, NoPathError, ScoresError, StatepathError
from ._model import Model
from ._request import model_of

__all__ = ["CRF", "crf_loss", "log_partition", "marginals", "masked_cross_entropy"]

Reduction = Literal["none", "sum", "mean", "token_mean"]
_REDUCTIONS = ("none", "sum", "mean", "token_mean")


# ---- where the steps are ----


class _Steps:
    """Step t of row n is row first[n] + t * stride of the emissions [rows,K]."""

    def __init__(self, emissions: torch.Tensor, mask: Any, lengths: Any, batch_first: bool) -> None:
        shape = tuple(emissions.shape)
        if not emissions.is_floating_point():
            raise ScoresError(f"emissions are {emissions.dtype}: floating point numbers are needed")
        if emissions.dim() not in (2, 3) or shape[-1] < 1:
            raise ScoresError(f"emissions have shape {shape}: give [N,T,K] ([T,N,K] with batch_first=False), or packed [S,K] with lengths=")
        if mask is not None and lengths is not None:
            raise StatepathError("mask= and lengths= both say which steps are real: give one")
        self.shape, self.is_padded, self.batch_first = shape[:-1], emissions.dim() == 3, batch_first
        if self.is_padded:
            n, most = shape[:2] if batch_first else shape[1::-1]
            self.first = np.arange(n, dtype=np.int64) * (most if batch_first else 1)
            self.stride = 1 if batch_first else max(n, 1)
            self.length = _lengths(lengths, n, most) if lengths is not None else np.full(n, most, np.int64)
            if mask is not None:
                self.length = _prefixes(mask, self.shape, batch_first)
        else:
            if mask is not None:
                raise StatepathError("mask= belongs to padded emissions [N,T,K]; packed ones [S,K] have lengths=")
            self.length = np.array(shape[:1], np.int64) if lengths is None else _lengths(lengths, None, shape[0])
            if self.length.sum() != shape[0]:
                raise StatepathError(f"lengths= add up to {self.length.sum()}, and the emissions have {shape[0]} steps")
            self.first, self.stride = np.cumsum(self.length) - self.length, 1
        self.is_full = int(self.length.sum()) == int(np.prod(self.shape))


def _numbers(x: Any) -> NDArray[Any]:
    return np.asarray(x.detach().cpu() if isinstance(x, torch.Tensor) else x)


def _lengths(lengths: Any, n: int | None, most: int) -> NDArray[np.int64]:
    a = _numbers(lengths)
    if a.ndim != 1 or (n is not None and len(a) != n) or a.dtype.kind not in "iu":
        raise StatepathError(f"lengths= have shape {a.shape} and type {a.dtype}: a whole number of steps for each {'row' if n is None else f'of {n} rows'}")
    wrong = np.flatnonzero((a < 0) | (a > most))
    if len(wrong):
        raise StatepathError(f"lengths= of row {wrong[0]} is {a[wrong[0]]}: a number of steps from 0 to {most}", recording=int(wrong[0]))
    return np.ascontiguousarray(a, np.int64)


def _prefixes(mask: Any, shape: tuple[int, ...], batch_first: bool) -> NDArray[np.int64]:
    """The steps of each row of a mask that is true for the first of them."""
    m = _numbers(mask)
    if m.shape != shape:
        raise StatepathError(f"mask= has shape {m.shape}, not {shape}")
    if m.dtype.kind not in "biuf" or (m.dtype.kind != "b" and not np.all((m == 0) | (m == 1))):
        raise StatepathError("mask= must be true for real steps and false for padding (or 1 and 0)")
    m = (m != 0) if batch_first else (m != 0).T
    holes = np.argwhere(m[:, 1:] & ~m[:, :-1])
    if len(holes):
        n, step = int(holes[0][0]), int(holes[0][1])
        raise StatepathError(f"mask= of row {n} is false at step {step} and true after it: real steps come first, then padding", recording=n, step=step)
    found: NDArray[np.int64] = m.sum(1, dtype=np.int64)
    return found


# ---- the library's field ----


def _said(fault: NDArray[np.int64], e: torch.Tensor, steps: _Steps) -> Exception:
    """What is wrong with the first row that has a fault: kinds of lib/include/statepath/field.h."""
    n = int(np.flatnonzero(fault[:, 0])[0])
    kind, t, k = fault[n].tolist()
    is_end = t == steps.length[n]
    if kind == 1:
        value = e.reshape(-1, e.shape[-1])[steps.first[n] + t * steps.stride, k]
        return ScoresError(f"emissions of row {n}, step {t}, class {k} are {value}: finite numbers are needed, or -inf where a class is impossible", recording=n, step=t, class_=k)
    if kind == 2:
        why = "no class that is possible at its last step may end" if is_end else f"no class can be reached at step {t}"
        return NoPathError(f"row {n} has no allowed path of finite score: {why}", recording=n, step=t)
    if kind == 3:
        return StatepathError(f"tags of row {n}, step {t} are {k}, and there are classes 0 to {e.shape[-1] - 1}", recording=n, step=t)
    why = f"may not end with class {k}" if is_end else f"class {k} cannot be at step {t} (its emission, or the transition from the tag before, is -inf)"
    return StatepathError(f"tags of row {n} are impossible: {why}", recording=n, step=t, class_=k)


def _block(x: torch.Tensor) -> torch.Tensor:
    """One block in the processor's memory; x itself where it is one."""
    return x.detach().cpu().contiguous()


def _call(emissions: torch.Tensor, weights: Sequence[torch.Tensor], steps: _Steps, threads: int, out: dict[str, Any], **more: Any) -> NDArray[np.float64]:
    n = len(steps.length)
    out |= {"value": np.empty(n), "fault": np.empty((n, 3), np.int64)}
    inputs = {"scores": emissions.numpy(), "first": steps.first, "length": steps.length}
    inputs |= {name: w.double().numpy() for name, w in zip(("move", "start", "end"), weights, strict=True)}
    _core.field(inputs | more, steps.stride, threads, out, False)
    if out["fault"][:, 0].any():
        raise _said(out["fault"], emissions, steps)
    value: NDArray[np.float64] = out["value"]
    return value


def _gradients(ctx: Any, blocks: Sequence[torch.Tensor], like: Any, steps: _Steps, threads: int, **more: Any) -> tuple[NDArray[np.float64], list[Any]]:
    """The values, and gradients by emissions, transitions, start and end in their types and places; None where one is not wanted."""
    e, *weights = blocks
    k = e.shape[-1]
    wanted = ctx.needs_input_grad[:4]
    out: dict[str, Any] = {}
    if wanted[0]:
        out["by_scores"] = (torch.empty_like if steps.is_full else torch.zeros_like)(e).numpy()
    if any(wanted[1:]):
        out |= {"by_move": np.empty((k, k)), "by_start": np.empty(k), "by_end": np.empty(k)}
    value = _call(e, weights, steps, threads, out, **more)
    names = ("by_scores", "by_move", "by_start", "by_end")
    return value, [torch.from_numpy(out[name]).to(dtype=of[0], device=of[1]) if w else None for name, of, w in zip(names, like, wanted, strict=True)]


def _keep(ctx: Any, inputs: Sequence[torch.Tensor], steps: _Steps, threads: int) -> list[torch.Tensor]:
    blocks = [_block(x) for x in inputs]
    ctx.save_for_backward(*blocks)
    ctx.steps, ctx.threads, ctx.like = steps, threads, [(x.dtype, x.device) for x in inputs]
    return blocks


class _Loss(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """The sum of log Z - score of the tags by weights of the rows. These are known beforehand, so one pass gives the gradient too."""

    @staticmethod
    def forward(ctx: Any, emissions: Any, move: Any, start: Any, end: Any, steps: _Steps, tags: Any, threads: int, weight: NDArray[np.float64], has_gradient: bool) -> Any:
        inputs = (emissions, move, start, end)
        blocks, targets = [_block(x) for x in inputs], _block(tags).long().numpy()
        if has_gradient and any(ctx.needs_input_grad):
            value, found = _gradients(ctx, blocks, [(x.dtype, x.device) for x in inputs], steps, threads, targets=targets, weight=weight)
            ctx.save_for_backward(*found)
        else:
            value = _call(blocks[0], blocks[1:], steps, threads, {}, targets=targets)
        return torch.tensor(float(value @ weight), dtype=emissions.dtype, device=emissions.device)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator, unused-ignore]
    def backward(ctx: Any, by_loss: Any) -> Any:
        return (*[None if g is None else g * by_loss.to(g) for g in ctx.saved_tensors], *[None] * 5)


class _Value(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """log Z of each row, or log Z - score of its tags."""

    @staticmethod
    def forward(ctx: Any, emissions: Any, move: Any, start: Any, end: Any, steps: _Steps, tags: Any, threads: int) -> Any:
        e, *weights = _keep(ctx, (emissions, move, start, end), steps, threads)
        ctx.tags = None if tags is None else _block(tags).long().numpy()
        return torch.from_numpy(_call(e, weights, steps, threads, {}, targets=ctx.tags)).to(emissions)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator, unused-ignore]
    def backward(ctx: Any, by_value: Any) -> Any:
        weight = _block(by_value).double().numpy()
        return (*_gradients(ctx, ctx.saved_tensors, ctx.like, ctx.steps, ctx.threads, weight=weight, targets=ctx.tags)[1], *[None] * 3)


class _Marginals(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """p(class at a step | emissions): the gradient of log Z."""

    @staticmethod
    def forward(ctx: Any, emissions: Any, move: Any, start: Any, end: Any, steps: _Steps, threads: int) -> Any:
        e, *weights = _keep(ctx, (emissions, move, start, end), steps, threads)
        p = torch.zeros_like(e)
        _call(e, weights, steps, threads, {"by_scores": p.numpy()}, weight=np.ones(len(steps.length)))
        return p.to(emissions)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator, unused-ignore]
    def backward(ctx: Any, by_p: Any) -> Any:
        return (*_gradients(ctx, ctx.saved_tensors, ctx.like, ctx.steps, ctx.threads, along=_block(by_p).numpy())[1], None, None)


def _inputs(emissions: Any, transitions: Any, start: Any, end: Any, mask: Any, lengths: Any, batch_first: bool) -> tuple[list[torch.Tensor], _Steps]:
    """The four tensors, checked, and where the steps are."""
    e = torch.as_tensor(emissions)
    steps = _Steps(e, mask, lengths, batch_first)
    k = e.shape[-1]
    e = e if e.dtype in (torch.float32, torch.float64) else e.float()
    found = [e]
    for name, given, shape in (("transitions", transitions, (k, k)), ("start", start, (k,)), ("end", end, (k,))):
        w = torch.zeros(shape, dtype=e.dtype) if given is None else torch.as_tensor(given)
        if tuple(w.shape) != shape:
            raise StatepathError(f"{name} have shape {tuple(w.shape)}; emissions of {k} classes ask for {shape}")
        if not bool((w.detach() < torch.inf).all()):
            raise StatepathError(f"{name} hold NaN or +inf: log weights are finite, or -inf where forbidden")
        found.append(w)
    return found, steps


def _tags(tags: Any, steps: _Steps) -> torch.Tensor:
    t = torch.as_tensor(tags)
    if tuple(t.shape) != steps.shape:
        raise StatepathError(f"tags have shape {tuple(t.shape)}, and the emissions ask for {steps.shape}")
    if t.is_floating_point() or t.is_complex() or t.dtype == torch.bool:
        raise StatepathError(f"tags are {t.dtype}: whole numbers are needed")
    return t


def _check_reduction(reduction: Any) -> None:
    if reduction not in _REDUCTIONS:
        raise StatepathError(f"reduction={reduction!r}: it is one of {', '.join(_REDUCTIONS)}")


def log_partition(
    emissions: Any, transitions: Any, start: Any = None, end: Any = None, mask: Any = None, *, lengths: Any = None, batch_first: bool = True, threads: int = 0
) -> torch.Tensor:
    """Log of the summed weight of all allowed paths of each row, [N], with gradients by everything it is made of.

    Parameters
    ----------
    emissions : tensor [N,T,K], or packed [S,K]
        Log scores, -inf where a class is impossible. float32 or float64; others are made float32. What stands in the padding is not read.
    transitions : tensor [K,K]
        Log weights, rows = from, -inf where forbidden; so are `start` and `end` [K], 0 where they are not given.
    mask : tensor [N,T], optional
        True for real steps, which come first in each row.
    lengths : tensor [N], optional
        In its place the number of steps of each row; needed of packed emissions, where the rows stand one after the other.
    batch_first : bool
        Otherwise padded emissions are [T,N,K], and so are mask and tags.
    threads : int
        0: all processors. Their number changes no bit of the answer.

    Raises
    ------
    NoPathError
        Where a row has no allowed path; it names the row and the step.

    Examples
    --------
    >>> import torch
    >>> from statepath.torch import log_partition
    >>> emissions = torch.zeros(1, 3, 2, requires_grad=True)
    >>> z = log_partition(emissions, torch.tensor([[0.0, -torch.inf], [0.0, 0.0]]))
    >>> round(float(z.detach().exp()))                                      # 4 of 8 paths
    4
    >>> z.sum().backward()
    >>> emissions.grad
    tensor([[[0.2500, 0.7500],
             [0.5000, 0.5000],
             [0.7500, 0.2500]]])
    """
    inputs, steps = _inputs(emissions, transitions, start, end, mask, lengths, batch_first)
    z: torch.Tensor = _Value.apply(*inputs, steps, None, threads)
    return z


def crf_loss(
    emissions: Any,
    tags: Any,
    transitions: Any,
    start: Any = None,
    end: Any = None,
    mask: Any = None,
    *,
    lengths: Any = None,
    batch_first: bool = True,
    reduction: Reduction = "sum",
    threads: int = 0,
) -> torch.Tensor:
    """Negative log-likelihood of tags: log partition less the score of the tags.

    Parameters
    ----------
    tags : tensor of int [N,T], or packed [S]
        In the padding anything.
    reduction : {"sum", "mean", "token_mean", "none"}
        Of the rows: their sum, mean, sum by the number of steps, or each.

    The others are those of :func:`log_partition`. Tags that the weights forbid are an error that names the row: their loss would be infinite.

    Examples
    --------
    >>> import torch
    >>> from statepath.torch import crf_loss
    >>> crf_loss(torch.zeros(1, 3, 2), torch.tensor([[1, 1, 0]]), torch.tensor([[0.0, -torch.inf], [0.0, 0.0]]))
    tensor(1.3863)
    """
    _check_reduction(reduction)
    inputs, steps = _inputs(emissions, transitions, start, end, mask, lengths, batch_first)
    given, n = _tags(tags, steps), len(steps.length)
    if reduction == "none":
        each: torch.Tensor = _Value.apply(*inputs, steps, given, threads)
        return each
    parts = {"sum": 1, "mean": n, "token_mean": int(steps.length.sum())}[reduction]
    if not parts:
        raise StatepathError(f'reduction="{reduction}": there is nothing to take the mean of')
    loss: torch.Tensor = _Loss.apply(*inputs, steps, given, threads, np.full(n, 1 / parts), torch.is_grad_enabled())
    return loss


def marginals(
    emissions: Any, transitions: Any, start: Any = None, end: Any = None, mask: Any = None, *, lengths: Any = None, batch_first: bool = True, threads: int = 0
) -> torch.Tensor:
    """p(class at a step | all steps of its row) in the shape of the emissions, 0 in the padding, with gradients.

    Arguments are those of :func:`log_partition`.

    Examples
    --------
    >>> import torch
    >>> from statepath.torch import marginals
    >>> marginals(torch.zeros(1, 2, 2), torch.tensor([[0.0, -torch.inf], [0.0, 0.0]]))
    tensor([[[0.3333, 0.6667],
             [0.6667, 0.3333]]])
    """
    inputs, steps = _inputs(emissions, transitions, start, end, mask, lengths, batch_first)
    p: torch.Tensor = _Marginals.apply(*inputs, steps, threads)
    return p


# ---- rules ----


def _matrix(model: Any) -> NDArray[np.bool_]:
    """A bool matrix, rows = from."""
    a = _numbers(model)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or not a.size or not np.all((a == 0) | (a == 1)):
        raise ModelError(f"model has shape {a.shape} and type {a.dtype}: give a Model, its name, or a bool matrix [K,K], rows = from")
    found: NDArray[np.bool_] = a != 0
    return found


def _neighbours(model: Any) -> tuple[tuple[str, ...], list[NDArray[np.float64]], list[bool]]:
    """Names; log weights of transitions, starts and ends, -inf where forbidden; which of them the model has weights of."""
    if not isinstance(model, (Model, str)):
        allow = np.ones((model, model), bool) if isinstance(model, int) and not isinstance(model, bool) and model > 0 else _matrix(model)
        k = len(allow)
        return tuple(f"class{i}" for i in range(k)), [np.where(allow, 0.0, -np.inf), np.zeros(k), np.zeros(k)], [False] * 3
    found = model_of(model)
    if found.states != found.classes or found.min_dwell or found.durations or found.rules:
        raise ModelError(f'model "{found.name}" has states, durations or rules over more than two steps, and a CRF weighs neighbours alone: train without them, decode with them')
    ends = [np.zeros(found.n_classes) if e is None else np.array(e) for e in (found.start, found.end)]
    weights = found.log_weights
    has_weights = [weights is not None, *(bool(np.any(e[e > -np.inf] != 0)) for e in ends)]
    return found.classes, [np.where(found.allow, 0.0, -np.inf) if weights is None else np.array(weights), *ends], has_weights


# In which torchcrf has its parameters, and so optimizers have theirs.
_THEIR_ORDER = ("start_transitions", "end_transitions", "transitions")


class CRF(torch.nn.Module):  # type: ignore[misc, unused-ignore]  # where torch is not installed it is Any
    """A conditional random field that obeys rules exactly, after ``torchcrf.CRF``: its parameters, methods and signs, batch first.

    What the model forbids has weight -inf, and no number that training could move: `transitions`, `start_transitions` and `end_transitions` hold
    finite numbers everywhere, and each call puts -inf over those that a mask made of the model forbids. So the gradient there is exactly 0, and
    whatever an optimizer or weight decay does to the number behind it changes nothing. ``masked()`` gives the weights as they count.

    Parameters
    ----------
    model : Model, str, array of bool [K,K] or int
        Rules between neighbours, and starts and ends; of a Model with log weights, these are where training begins, otherwise small random numbers as in
        torchcrf. A number of classes allows everything.
    batch_first : bool
        Tensors are [N,T,...]; otherwise [T,N,...], as torchcrf has it by default.
    train_transitions, train_start, train_end : bool
        Otherwise these weights stay the model's, 0 where it has none.
    threads : int
        0: all processors.

    A state_dict of torchcrf.CRF loads here, and the other way round.

    Examples
    --------
    >>> import torch
    >>> from statepath.torch import CRF
    >>> crf = CRF("sleep-aasm")
    >>> emissions, tags = torch.randn(2, 4, 5), torch.tensor([[0, 1, 2, 2], [2, 2, 3, 0]])
    >>> mask = torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])
    >>> loss = -crf(emissions, tags, mask)                                  # crf.forward() gives the log-likelihood, as there
    >>> loss.backward()
    >>> crf.transitions.shape, crf.transitions.grad[0, 3], crf.masked()[0][0, 3]      # Wake -> N3 is forbidden
    (torch.Size([5, 5]), tensor(0.), tensor(-inf, grad_fn=<SelectBackward0>))
    >>> crf.start_transitions.shape, crf.end_transitions.shape
    (torch.Size([5]), torch.Size([5]))
    >>> [len(path) for path in crf.decode(emissions, mask)]
    [4, 3]
    >>> crf.marginals(emissions, mask).shape, crf.to_model()
    (torch.Size([2, 4, 5]), Model 'crf': 5 classes, 4 forbidden transitions)
    >>> CRF(3, train_start=False).reset_parameters()
    """

    transitions: torch.nn.Parameter
    start_transitions: torch.nn.Parameter
    end_transitions: torch.nn.Parameter

    def __init__(
        self,
        model: Model | str | Any,
        batch_first: bool = True,
        *,
        train_transitions: bool = True,
        train_start: bool = True,
        train_end: bool = True,
        threads: int = 0,
    ) -> None:
        super().__init__()
        self._classes, weights, self._has_weights = _neighbours(model)
        self.num_tags, self.batch_first, self._threads = len(self._classes), batch_first, threads
        self._trains = (train_transitions, train_start, train_end)
        for name, w, trains in sorted(zip(self._NAMES, weights, self._trains, strict=True), key=lambda row: _THEIR_ORDER.index(row[0])):
            self.register_parameter(name, torch.nn.Parameter(torch.zeros(w.shape), requires_grad=trains))
            given = torch.from_numpy(w)
            self.register_buffer("_forbids_" + name, given == -torch.inf, persistent=False)
            self.register_buffer("_first_" + name, given.nan_to_num(neginf=0.0).to(torch.get_default_dtype()), persistent=False)
        self.reset_parameters()

    _NAMES = ("transitions", "start_transitions", "end_transitions")

    def reset_parameters(self) -> None:
        """The weights that training begins with."""
        for name, has_weights, trains in zip(self._NAMES, self._has_weights, self._trains, strict=True):
            parameter = getattr(self, name)
            with torch.no_grad():
                parameter.copy_(getattr(self, "_first_" + name))
            if trains and not has_weights:
                torch.nn.init.uniform_(parameter, -0.1, 0.1)

    def masked(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Transitions [K,K], starts and ends [K] as they count: -inf where forbidden."""
        found = [getattr(self, name).masked_fill(getattr(self, "_forbids_" + name), -torch.inf) for name in self._NAMES]
        return found[0], found[1], found[2]

    def forward(self, emissions: torch.Tensor, tags: torch.Tensor, mask: torch.Tensor | None = None, reduction: Reduction = "sum") -> torch.Tensor:
        """The log-likelihood of the tags [N,T]: its sum, its mean of rows ("mean") or steps ("token_mean"), or that of each row ("none")."""
        self._check(emissions)
        return -crf_loss(emissions, tags, *self.masked(), mask, batch_first=self.batch_first, reduction=reduction, threads=self._threads)

    def decode(self, emissions: torch.Tensor, mask: torch.Tensor | None = None) -> list[list[int]]:
        """The best tags of each row, as lists; ties go to the lowest tag."""
        self._check(emissions)
        rows = _block(emissions if emissions.dtype in (torch.float32, torch.float64) else emissions.float())
        steps = _Steps(rows, mask, None, self.batch_first)
        rows = rows if self.batch_first else rows.transpose(0, 1).contiguous()
        d = decode(rows.numpy(), self.to_model(), full=True, kind="scores", lengths=steps.length, threads=self._threads)
        return [path.tolist() for path in d]

    def marginals(self, emissions: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """p(tag at a step | all steps), in the shape of the emissions."""
        self._check(emissions)
        return marginals(emissions, *self.masked(), mask, batch_first=self.batch_first, threads=self._threads)

    def to_model(self, name: str = "crf") -> Model:
        """The weights as a model, for :func:`statepath.decode`, files and the program."""
        move, start, end = (_block(w).double().numpy() for w in self.masked())
        return Model(self._classes, log_weights=move, start_log_weights=start, end_log_weights=end, name=name)

    def _check(self, emissions: torch.Tensor) -> None:
        if emissions.dim() != 3 or emissions.shape[2] != self.num_tags:
            where = "[N,T,K]" if self.batch_first else "[T,N,K]"
            raise ScoresError(f"emissions have shape {tuple(emissions.shape)}: {where} with K = {self.num_tags} classes is needed")

    def __repr__(self) -> str:
        return f"CRF(num_tags={self.num_tags}, batch_first={self.batch_first})"


def masked_cross_entropy(
    logits: torch.Tensor,
    targets: torch.Tensor,
    previous: torch.Tensor | None,
    model: Model | str | Any,
    *,
    ignore_index: int = -100,
    reduction: Literal["none", "sum", "mean"] = "mean",
) -> torch.Tensor:
    """Cross entropy of logits in which classes that may not follow the class before are -inf: a network learns to choose among what is possible.

    Parameters
    ----------
    logits : tensor [...,K]
    targets : tensor of int [...]
        `ignore_index` leaves a row out.
    previous : tensor of int [...], or None
        The class before each row, negative where there is none and everything is possible. None: rows [...,T] are sequences, so before each target
        is the one before it (after one that is left out everything is possible), and the model says with what they start, and end where nothing that
        takes part follows.
    model : Model, str or array of bool [K,K]

    A target that is itself impossible is an error that names its row, counted over all rows.

    Examples
    --------
    >>> import torch
    >>> from statepath.torch import masked_cross_entropy
    >>> masked_cross_entropy(torch.zeros(2, 2), torch.tensor([0, 1]), torch.tensor([0, 1]), [[True, False], [True, True]], reduction="sum")
    tensor(0.6931)
    """
    k = logits.shape[-1] if logits.dim() else 0
    if isinstance(model, (Model, str)):
        allow, start, end = model_of(model)._class_rules()
    else:
        allow = _matrix(model)
        start = end = np.ones(len(allow), bool)
    if len(allow) != k:
        raise ScoresError(f"logits have shape {tuple(logits.shape)} and the model has {len(allow)} classes")
    for name, given in (("targets", targets), ("previous", previous)):
        if given is not None and (tuple(given.shape) != tuple(logits.shape[:-1]) or given.is_floating_point()):
            raise StatepathError(f"{name} have shape {tuple(given.shape)} and type {given.dtype}; the logits ask for whole numbers {tuple(logits.shape[:-1])}")
    kept = targets != ignore_index
    _refuse(kept & ((targets < 0) | (targets >= k)), targets, f"targets are classes 0 to {k - 1}, or ignore_index={ignore_index}")
    before = targets.roll(1, -1).where(kept.roll(1, -1), -1) if previous is None else previous
    if previous is not None:
        _refuse(previous >= k, previous, f"previous are classes 0 to {k - 1}, or negative where there is none")
    rules = [torch.tensor(a, device=logits.device) for a in (allow, start, end)]
    possible = rules[0][before.clamp(min=0)] | (before < 0)[..., None]
    if previous is None and targets.dim() and targets.shape[-1]:
        possible[..., 0, :] = rules[1]
        last = kept & (kept.flip(-1).cumsum(-1).flip(-1) == 1)
        possible &= rules[2] | ~last[..., None]
    _refuse(kept & ~possible.gather(-1, targets.where(kept, 0)[..., None].long())[..., 0], targets, "the model does not allow this target there")
    hidden = logits.masked_fill(~(possible | ~kept[..., None]), -torch.inf)
    return torch.nn.functional.cross_entropy(hidden.reshape(-1, k), targets.reshape(-1).long(), ignore_index=ignore_index, reduction=reduction).reshape(
        targets.shape if reduction == "none" else ()
    )


def _refuse(wrong: torch.Tensor, values: torch.Tensor, why: str) -> None:
    rows = wrong.reshape(-1).nonzero()
    if len(rows):
        row = int(rows[0])
        raise StatepathError(f"row {row} has {int(values.reshape(-1)[row])}: {why}", recording=row)
