"""Masks: classes that cannot occur, what a classifier puts on them, and steps that are padding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._decode import decode
from ._errors import ScoresError, StatepathError
from ._model import Model
from ._request import Options, Request, model_of, with_options
from ._scores import array_of, integers_of, numbers_of

_QUANTILES = (0.5, 0.95, 0.99)


def _rows(logits: Any, name: str) -> NDArray[Any]:
    a = numbers_of(logits, name)
    if a.ndim < 1 or a.shape[-1] < 1:
        raise ScoresError(f"{name} have shape {a.shape}: the last axis is the classes")
    return a


def _out_of(a: NDArray[Any], out: NDArray[Any] | None) -> NDArray[Any]:
    if out is None:
        return np.empty_like(a)
    if not isinstance(out, np.ndarray) or out.shape != a.shape or out.dtype != a.dtype or not out.flags.c_contiguous or not out.flags.writeable:
        raise StatepathError(f"out= must be a writable C-contiguous array of shape {a.shape} and type {a.dtype}")
    return out


def _mask_like(mask: Any, shape: tuple[int, ...], name: str) -> NDArray[np.uint8]:
    """A boolean mask, broadcast to the shape."""
    m = array_of(mask, name)
    if m.dtype.kind not in "biuf" or (m.dtype.kind == "f" and not np.all((m == 0) | (m == 1))):
        raise StatepathError(f"{name} must be true where a class is possible and false where it is not (or 1 and 0); an additive mask is 0 and -inf: write {name} == 0")
    try:
        return np.ascontiguousarray(np.broadcast_to(m != 0, shape)).view(np.uint8)
    except ValueError:
        raise StatepathError(f"{name} has shape {m.shape}, which does not fit {shape}") from None


def masked_softmax(logits: Any, mask: Any = None, *, log: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Softmax over the last axis in which forbidden classes get exactly 0 and the rest sum to 1.

    Parameters
    ----------
    logits : array [..., K]
        -inf is allowed. What stands at forbidden classes changes nothing, not even NaN.
    mask : array of bool, optional
        True where a class is possible; broadcast to the logits.
    log : bool
        Log probabilities, -inf where forbidden.
    out : array, optional
        For the result; may be the logits.

    Raises
    ------
    ScoresError
        A row that allows nothing, NaN or +inf where it is allowed.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> sp.masked_softmax(np.array([[0.0, 0.0, 5.0]]), [True, True, False])
    array([[0.5, 0.5, 0. ]])
    """
    a = _rows(logits, "logits")
    result = _out_of(a, out)
    m = None if mask is None else _mask_like(mask, a.shape, "mask")
    k = a.shape[-1]
    _core.masked_softmax(a.reshape(-1, k), None if m is None else m.reshape(-1, k), result.reshape(-1, k), bool(log))
    return result


def apply_logit_masking(logits: Any, previous: Any, model: Model | str | ArrayLike, *, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Logits with -inf for the classes that may not follow the class before.

    Parameters
    ----------
    logits : array [..., K]
    previous : array of int [...]
        The class before each row; negative where there is none, and everything is possible.
    model : Model, str or array of bool [K,K]
        The rules, or their matrix, rows = from.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> sp.apply_logit_masking(np.zeros((2, 2)), [0, -1], [[True, False], [True, True]])
    array([[  0., -inf],
           [  0.,   0.]])
    """
    a = _rows(logits, "logits")
    result = _out_of(a, out)
    k = a.shape[-1]
    before = integers_of(previous, "previous")
    if before.shape != a.shape[:-1]:
        raise StatepathError(f"previous has shape {before.shape}; the logits ask for {a.shape[:-1]}")
    wrong = np.flatnonzero(before >= k)
    if len(wrong):
        raise StatepathError(f"previous has class {before.flat[wrong[0]]} at row {wrong[0]}, and there are {k} classes; a negative one says that there is none")
    if isinstance(model, (Model, str)):
        found = model_of(model)
        matrix = found._class_rules()[0].view(np.uint8)
        if found.n_classes != k:
            raise ScoresError(f"logits have {k} classes and the model has {found.n_classes}")
    else:
        matrix = _mask_like(model, (k, k), "model")
    flat = np.ascontiguousarray(np.maximum(before, -1).reshape(-1), np.int32)
    _core.apply_logit_masking(a.reshape(-1, k), flat, np.ascontiguousarray(matrix), result.reshape(-1, k))
    return result


@dataclass(frozen=True)
class Leak:
    """Probability that a classifier without mask puts on what cannot occur; see :func:`leak`.

    Attributes
    ----------
    per_step : array of float, or what came in
        0 to 1; NaN where a step has none: padding, after a gap, where nothing is possible.
    mean, maximum : float
        Over the steps that have one; NaN without any.
    worst : (int, int) or None
        Recording and step of the maximum.
    quantiles : dict of float
        The 50th, 95th and 99th percentile.
    n_steps : int
        Steps that have a leak.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> sp.leak(np.array([[0.9, 0.1], [0.3, 0.7]]), np.array([[True, False], [True, True]]))
    Leak: mean 0.05, maximum 0.1 at recording 0, step 0; 2 steps
    >>> found = sp.leak(np.array([[0.9, 0.1], [0.3, 0.7]]), np.array([[True, False], [True, True]]))
    >>> found.per_step.round(3), round(found.mean, 3), round(found.maximum, 3), found.worst, found.n_steps
    (array([0.1, 0. ]), 0.05, 0.1, (0, 0), 2)
    >>> round(found.quantiles[0.5], 3)
    0.05
    """

    per_step: Any
    mean: float
    maximum: float
    worst: tuple[int, int] | None
    quantiles: dict[float, float]
    n_steps: int

    def __repr__(self) -> str:
        where = f" at recording {self.worst[0]}, step {self.worst[1]}" if self.worst else ""
        return f"Leak: mean {self.mean:.4g}, maximum {self.maximum:.4g}{where}; {self.n_steps:,} step{'' if self.n_steps == 1 else 's'}"


@with_options(Options)
def leak(scores: Any, mask_or_model: Any, path: Any = None, **options: Unpack[Options]) -> Leak:
    """The probability that scores put on what cannot occur: what a mask is worth.

    Parameters
    ----------
    scores
        As in :func:`decode`, not masked.
    mask_or_model : array of bool in the shape of the scores, Model or str
        A step mask; or the rules, which forbid classes after the class before.
    path : optional
        With a model, the path whose classes come before, in the shape that :func:`decode` returns; without: Viterbi's.
    **options
        As in :func:`marginals`.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> model = sp.Model(["a", "b"], {"a": ["a"], "b": ["a", "b"]})
    >>> sp.leak(np.array([[0.9, 0.1], [0.8, 0.2]]), model).per_step
    array([0. , 0.2])
    """
    is_model = isinstance(mask_or_model, (Model, str))
    if is_model:
        request = Request(scores, mask_or_model, **options)
        flat = _path_before(request, scores, path, options)
        mask = None
    else:
        if path is not None:
            raise StatepathError("path= goes with a model; a mask says by itself what cannot occur")
        request = Request(scores, _anything(scores, mask_or_model), **options)
        flat, mask = None, request._mask(mask_or_model)
    values = np.empty(request.batch.n_steps)
    _core.leak(request.chain, request.inputs, request.options, flat, mask, values)
    return _summary(request, values)


def _anything(scores: Any, mask: Any) -> Model:
    """A model of as many classes that allows everything."""
    shape = (array_of(mask[0], "mask_or_model") if isinstance(mask, (list, tuple)) and len(mask) else array_of(mask, "mask_or_model")).shape
    if isinstance(mask, (list, tuple)) and len(shape) == 1:  # rows of one recording
        shape = array_of(mask, "mask_or_model").shape
    if len(shape) < 2:
        raise StatepathError(f"mask_or_model is {type(mask).__name__} of shape {shape}: give a Model, its name, or a mask in the shape of the scores")
    if hasattr(scores, "columns"):
        return Model([str(c) for c in scores.columns], forbid={})
    return Model([f"class{k}" for k in range(shape[-1])], forbid={})


def _path_before(request: Request, scores: Any, path: Any, options: Any) -> NDArray[np.int32]:
    if path is None:
        path = decode(scores, request.model, on_infeasible="mark", **options)
    return request.path(path, "path")


def _summary(request: Request, values: NDArray[np.float64]) -> Leak:
    probabilities = np.array(_QUANTILES)
    quantiles = np.empty(len(_QUANTILES))
    mean, maximum, row, n = _core.leak_summary(values, probabilities, quantiles)
    per_step = request.batch.steps(np.where(values < 0, np.nan, values), np.nan)
    if n == 0:
        return Leak(per_step, np.nan, np.nan, None, dict.fromkeys(_QUANTILES, np.nan), 0)
    recording = int(np.searchsorted(request.batch.offsets, row, side="right")) - 1
    worst = (recording, int(row - request.batch.offsets[recording]))
    return Leak(per_step, mean, maximum, worst, dict(zip(_QUANTILES, quantiles.tolist(), strict=True)), n)


def _length(value: Any, name: str) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**31:
        raise StatepathError(f"{name}={value!r}: a number of steps from 0")
    return int(value)


def _shown(mask: NDArray[np.bool_], additive: bool) -> NDArray[Any]:
    return np.where(mask, np.float32(0), np.float32(-np.inf)) if additive else mask


def padding_mask(lengths: ArrayLike, T: int | None = None, *, additive: bool = False) -> NDArray[Any]:
    """[N,T], true for the real steps of padded recordings; or 0 and -inf, to be added to attention scores.

    Examples
    --------
    >>> import statepath as sp
    >>> sp.padding_mask([1, 3])
    array([[ True, False, False],
           [ True,  True,  True]])
    """
    n = integers_of(lengths, "lengths")
    if n.ndim != 1 or np.any(n < 0):
        raise StatepathError("lengths= are one number from 0 for each recording")
    steps = _length(T, "T") if T is not None else int(n.max(initial=0))
    if np.any(n > steps):
        raise StatepathError(f"lengths[{int(np.argmax(n > steps))}] is {n[np.argmax(n > steps)]}, more than T={steps}")
    return _shown(np.arange(steps) < n[:, None], additive)


def causal_mask(T: int, *, additive: bool = False) -> NDArray[Any]:
    """[T,T], true where step i may look at step j: itself and what came before; or 0 and -inf.

    Examples
    --------
    >>> import statepath as sp
    >>> sp.causal_mask(2, additive=True)
    array([[  0., -inf],
           [  0.,   0.]], dtype=float32)
    """
    steps = np.arange(_length(T, "T"))
    return _shown(steps <= steps[:, None], additive)
