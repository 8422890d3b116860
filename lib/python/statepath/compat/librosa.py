"""librosa.sequence: ``import statepath.compat.librosa as sequence`` in place of ``from librosa import sequence``.

Where it differs: librosa adds the smallest positive number to each probability, so that a path through an impossible state or transition
can win; here 0 is impossible, and where nothing else is left NoPathError is raised. `transition_min_prob`, which librosa has from 1.0 on, makes
smaller transition probabilities such zeros, which no path ever takes; without it there are no others than those of the matrix.
"""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .._decode import decode
from ._models import logs, weighted

__all__ = [
    "ParameterError",
    "transition_cycle",
    "transition_local",
    "transition_loop",
    "transition_uniform",
    "viterbi",
    "viterbi_binary",
    "viterbi_discriminative",
]


class ParameterError(ValueError):
    """An argument that cannot be used, as librosa calls it.

    Examples
    --------
    >>> from statepath.compat import librosa
    >>> try:
    ...     librosa.transition_uniform(0)
    ... except librosa.ParameterError as error:
    ...     print(error)
    n_states=0 must be a positive integer
    """


def _check_transition(transition: Any, n: int) -> NDArray[np.float64]:
    t = np.asarray(transition, np.float64)
    if t.shape != (n, n):
        raise ParameterError(f"transition.shape={t.shape}, must be (n_states, n_states)={(n, n)}")
    if np.any(t < 0) or not np.allclose(t.sum(axis=1), 1):
        raise ParameterError("invalid transition matrix: must be non-negative and sum to 1 on each row")
    return t


def _without_small(t: NDArray[np.float64], least: float | None) -> NDArray[np.float64]:
    """Transitions [n,n] below the least probability that is considered become impossible."""
    if least is None:
        return t
    if isinstance(least, bool) or not isinstance(least, (int, float, np.number)) or not 0 <= least < np.inf:
        raise ParameterError(f"transition_min_prob={least!r} must be a number from 0")
    kept = np.where(t >= least, t, 0.0)
    closed = np.flatnonzero(~kept.any(axis=0)) if least > 0 else np.empty(0)
    if len(closed):
        raise ParameterError(f"transition_min_prob={least} leaves no transition into state {closed[0]}: it must be smaller")
    return kept


def _check_distribution(p: Any, n: int, name: str) -> NDArray[np.float64]:
    if p is None:
        return np.full(n, 1 / n)
    a = np.asarray(p, np.float64)
    if a.shape != (n,) or np.any(a < 0) or not np.allclose(a.sum(), 1):
        raise ParameterError(f"invalid {name}: must be n_states={n} non-negative numbers that sum to 1")
    return a


def _check_probabilities(prob: Any, name: str) -> NDArray[Any]:
    p = np.asarray(prob)
    if p.ndim < 2:
        raise ParameterError(f"{name} has shape {p.shape}: (..., n_states, n_steps) is needed")
    if np.any(p < 0) or np.any(p > 1) or np.any(np.isnan(p)):
        raise ParameterError("invalid probability values: must be between 0 and 1")
    return p


def _search(scores: NDArray[np.float64], transition: NDArray[np.float64], p_init: NDArray[np.float64], return_logp: bool) -> Any:
    """scores [..., n_states, n_steps] in nats."""
    *lead, n, steps = scores.shape
    rows = np.ascontiguousarray(np.moveaxis(scores, -2, -1).reshape(-1, steps, n))
    d = decode(rows, weighted(logs(transition), logs(p_init)), full=True, kind="scores")
    states = np.asarray(d.paths).astype(np.uint16).reshape(*lead, steps)
    if not return_logp:
        return states
    return states, d.scores.reshape(lead) if lead else d.scores[0]


@overload
def viterbi(
    prob: NDArray[Any],
    transition: NDArray[Any],
    *,
    p_init: NDArray[Any] | None = None,
    return_logp: Literal[True],
    transition_min_prob: float | None = None,
) -> tuple[NDArray[np.uint16], Any]: ...
@overload
def viterbi(
    prob: NDArray[Any],
    transition: NDArray[Any],
    *,
    p_init: NDArray[Any] | None = None,
    return_logp: Literal[False] = False,
    transition_min_prob: float | None = None,
) -> NDArray[np.uint16]: ...
def viterbi(
    prob: NDArray[Any],
    transition: NDArray[Any],
    *,
    p_init: NDArray[Any] | None = None,
    return_logp: bool = False,
    transition_min_prob: float | None = None,
) -> Any:
    """The most likely states of likelihoods [..., n_states, n_steps].

    Transitions of probability below `transition_min_prob` are impossible, exactly; a state that none leads to is an error.

    Examples
    --------
    >>> import numpy as np
    >>> import statepath.compat.librosa as sequence
    >>> p_init = np.array([0.6, 0.4])
    >>> p_emit = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
    >>> p_trans = np.array([[0.7, 0.3], [0.4, 0.6]])
    >>> path, logp = sequence.viterbi(p_emit[:, [0, 1, 2]], p_trans, p_init=p_init, return_logp=True)
    >>> path, round(float(np.exp(logp)), 5)
    (array([0, 0, 1], dtype=uint16), 0.01512)
    >>> sequence.viterbi(p_emit, np.array([[0.7, 0.3], [0.2, 0.8]]), p_init=p_init, transition_min_prob=0.25)  # never from 1 to 0
    array([0, 0, 1], dtype=uint16)
    """
    p = _check_probabilities(prob, "prob")
    n = p.shape[-2]
    return _search(logs(p), _without_small(_check_transition(transition, n), transition_min_prob), _check_distribution(p_init, n, "p_init"), return_logp)


def viterbi_discriminative(
    prob: NDArray[Any],
    transition: NDArray[Any],
    *,
    p_state: NDArray[Any] | None = None,
    p_init: NDArray[Any] | None = None,
    return_logp: bool = False,
    transition_min_prob: float | None = None,
) -> Any:
    """The most likely states of posteriors [..., n_states, n_steps], which are divided by the states' frequencies.

    `transition_min_prob` is as in :func:`viterbi`.

    Examples
    --------
    >>> import numpy as np
    >>> import statepath.compat.librosa as sequence
    >>> sequence.viterbi_discriminative(np.array([[0.9, 0.4, 0.9], [0.1, 0.6, 0.1]]), sequence.transition_loop(2, 0.9))
    array([0, 0, 0], dtype=uint16)
    """
    p = _check_probabilities(prob, "prob")
    n = p.shape[-2]
    if not np.allclose(p.sum(axis=-2), 1):
        raise ParameterError("invalid probability values: each column must sum to 1")
    frequency = _check_distribution(p_state, n, "p_state")
    with np.errstate(invalid="ignore"):
        scores = logs(p) - logs(frequency)[:, np.newaxis]
    scores[np.isnan(scores)] = -np.inf
    return _search(scores, _without_small(_check_transition(transition, n), transition_min_prob), _check_distribution(p_init, n, "p_init"), return_logp)


def viterbi_binary(
    prob: NDArray[Any],
    transition: NDArray[Any],
    *,
    p_state: NDArray[Any] | None = None,
    p_init: NDArray[Any] | None = None,
    return_logp: bool = False,
    transition_min_prob: float | None = None,
) -> Any:
    """Each state for itself, on or off: prob [..., n_states, n_steps], transition [2,2] or [n_states,2,2].

    `transition_min_prob` is as in :func:`viterbi`.

    Examples
    --------
    >>> import numpy as np
    >>> import statepath.compat.librosa as sequence
    >>> sequence.viterbi_binary(np.array([[0.01, 0.95, 0.4, 0.9]]), sequence.transition_loop(2, 0.9))
    array([[0, 1, 1, 1]], dtype=uint16)
    """
    p = np.atleast_2d(_check_probabilities(np.atleast_2d(prob), "prob"))
    n = p.shape[-2]
    t = np.asarray(transition, np.float64)
    t = np.broadcast_to(t, (n, 2, 2)) if t.shape == (2, 2) else t
    if t.shape != (n, 2, 2):
        raise ParameterError(f"transition.shape={t.shape}, must be (2, 2) or (n_states, 2, 2)={(n, 2, 2)}")
    on = {}
    for name, given in (("p_state", p_state), ("p_init", p_init)):
        a = np.atleast_1d(np.full(n, 0.5) if given is None else np.asarray(given, np.float64))
        if a.shape != (n,) or np.any(a < 0) or np.any(a > 1):
            raise ParameterError(f"invalid {name}: must be n_states={n} numbers from 0 to 1")
        on[name] = a
    states = np.empty(p.shape, np.uint16)
    logp = np.empty(p.shape[:-1])
    for k in range(n):
        both = np.stack([1 - p[..., k, :], p[..., k, :]], axis=-2)
        ends = {name: np.array([1 - a[k], a[k]]) for name, a in on.items()}
        states[..., k, :], logp[..., k] = viterbi_discriminative(both, t[k], return_logp=True, transition_min_prob=transition_min_prob, **ends)
    return (states, logp) if return_logp else states


def _positive(n_states: int) -> int:
    if isinstance(n_states, bool) or not isinstance(n_states, (int, np.integer)) or n_states < 1:
        raise ParameterError(f"n_states={n_states} must be a positive integer")
    return int(n_states)


def transition_uniform(n_states: int) -> NDArray[np.float64]:
    """Every state after every state.

    Examples
    --------
    >>> from statepath.compat.librosa import transition_uniform
    >>> transition_uniform(2)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    n = _positive(n_states)
    return np.full((n, n), 1 / n)


def _per_state(n: int, prob: Any) -> NDArray[np.float64]:
    p = np.asarray(prob, np.float64)
    p = np.full(n, p) if p.ndim == 0 else p
    if p.shape != (n,):
        raise ParameterError(f"prob={prob} must have length equal to n_states={n}")
    if np.any(p < 0) or np.any(p > 1):
        raise ParameterError(f"prob={prob} must have values in the range [0, 1]")
    return p


def transition_loop(n_states: int, prob: Any) -> NDArray[np.float64]:
    """Staying has probability `prob`, the others share the rest.

    Examples
    --------
    >>> from statepath.compat.librosa import transition_loop
    >>> transition_loop(2, 0.75)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    n = _positive(n_states)
    if n < 2:
        raise ParameterError(f"n_states={n_states} must be at least 2")
    p = _per_state(n, prob)
    out = np.repeat(((1 - p) / (n - 1))[:, np.newaxis], n, axis=1)
    np.fill_diagonal(out, p)
    return out


def transition_cycle(n_states: int, prob: Any) -> NDArray[np.float64]:
    """Staying has probability `prob`, going to the next state the rest.

    Examples
    --------
    >>> from statepath.compat.librosa import transition_cycle
    >>> transition_cycle(3, 0.75)
    array([[0.75, 0.25, 0.  ],
           [0.  , 0.75, 0.25],
           [0.25, 0.  , 0.75]])
    """
    n = _positive(n_states)
    if n < 2:
        raise ParameterError(f"n_states={n_states} must be at least 2")
    p = _per_state(n, prob)
    return np.diag(p) + np.roll(np.diag(1 - p), 1, axis=1)


def transition_local(n_states: int, width: Any, *, window: Any = "triangle", wrap: bool = False) -> NDArray[np.float64]:
    """States near by, weighted by a window of `width` states; needs SciPy.

    Examples
    --------
    >>> from statepath.compat.librosa import transition_local
    >>> transition_local(3, 3, window="ones")
    array([[0.5       , 0.5       , 0.        ],
           [0.33333333, 0.33333333, 0.33333333],
           [0.        , 0.5       , 0.5       ]])
    """
    n = _positive(n_states)
    if n < 2:
        raise ParameterError(f"n_states={n_states} must be at least 2")
    widths = np.asarray(width, int)
    widths = np.full(n, widths) if widths.ndim == 0 else widths
    if widths.shape != (n,) or np.any(widths < 1):
        raise ParameterError(f"width={width} must be one positive integer, or one for each of the {n} states")
    out = np.zeros((n, n))
    for i, w in enumerate(widths.tolist()):
        if w > n:
            raise ParameterError(f"width={w} is more than the {n} states")
        to = (np.arange(w) + (n - w) // 2 + n // 2 + i + 1) % n  # the middle of an even window is as there
        out[i, to] = _window(window, w)
        if not wrap:
            out[i, np.abs(np.arange(n) - i) > w // 2] = 0
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def _window(window: Any, width: int) -> NDArray[np.float64]:
    if callable(window):
        return np.asarray(window(width), np.float64)
    if isinstance(window, (list, np.ndarray)):
        if len(window) != width:
            raise ParameterError(f"the window has {len(window)} values, not {width}")
        return np.asarray(window, np.float64)
    if window == "ones":
        return np.ones(width)
    from scipy.signal import get_window

    return np.asarray(get_window(window, width, fftbins=False), np.float64)
