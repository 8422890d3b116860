"""What the whole recording says: marginals, log partition, path scores, draws, steps worth a look."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._decode import _look_at, _outputs, _whole, no_path
from ._errors import StatepathError
from ._model import Model
from ._request import Options, Request, with_options
from ._scores import seed_of


@with_options(Options)
def marginals(scores: Any, model: Model | str, **options: Unpack[Options]) -> Any:
    """p(class at a step | all steps, the rules), by forward-backward, in the shape of the scores.

    Parameters
    ----------
    scores, model
        As in :func:`decode`.
    **options
        Those of :func:`decode` up to `threads` that say what the scores are.

    Returns
    -------
    array of float64, or what came in
        Rows sum to 1; 0 in padding. A class has exactly 0 where no allowed path passes through it.

    Raises
    ------
    NoPathError
        Where a recording has no allowed path.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> sp.marginals(np.array([[0.5, 0.5], [0.5, 0.5]]), sp.Model(["a", "b"], {"a": ["a"], "b": ["a", "b"]})).round(4)
    array([[0.3333, 0.6667],
           [0.6667, 0.3333]])
    """
    request = Request(scores, model, **options)
    m = np.empty((request.batch.n_steps, request.model.n_classes))
    z = np.empty(request.batch.n_recordings)
    request.kind, *_ = _core.forward_backward(request.chain, request.inputs, request.options, m, z)
    _raise_for_first(request, z)
    return request.batch.steps(m, 0.0)


@with_options(Options)
def log_partition(scores: Any, model: Model | str, **options: Unpack[Options]) -> Any:
    """Log of the summed weight of all allowed paths, in nats: exp(path score - log partition) is a path's posterior.

    Returns a number for one recording, an array [N] for several; -inf where there is no allowed path.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> model = sp.Model(["a", "b"], {"a": ["a"], "b": ["a", "b"]})
    >>> round(float(np.exp(sp.log_partition(np.array([[0.5, 0.5], [0.5, 0.5]]), model))), 6)  # 3 of 4 paths
    0.75
    """
    request = Request(scores, model, **options)
    return request.batch.recordings(_log_partitions(request))


@with_options(Options)
def draw(scores: Any, model: Model | str, n: int = 200, *, seed: int = 0, **options: Unpack[Options]) -> Any:
    """Paths drawn from the posterior: each by itself, with its probability given the scores and the rules. Exact.

    A figure of a recording, computed from each draw, has the spread that scores and rules leave it. Scores of networks are most often too
    sure, and so are intervals from draws.

    Parameters
    ----------
    scores, model
        As in :func:`decode`.
    n : int
        So many paths of each recording.
    seed : int
        From 0 to 2**64 - 1. The same seed gives the same paths, whatever `n` and `threads`.
    **options
        Those of :func:`decode` up to `threads` that say what the scores are.

    Returns
    -------
    draws : array of int32, or a list of them
        [n,T] of one recording; of several one for each, of the steps that take part.

    Raises
    ------
    NoPathError
        Where a recording has no allowed path.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> probs = np.random.default_rng(0).dirichlet([1, 1], 100)
    >>> draws = sp.draw(probs, sp.Model(["sleep", "wake"], {"sleep": ["sleep", "wake"], "wake": ["sleep", "wake"]}), 500)
    >>> draws.shape
    (500, 100)
    >>> low, high = np.quantile((draws == 0).sum(axis=1), [0.025, 0.975])  # steps of sleep
    >>> bool(low < (probs[:, 0]).sum() < high)
    True
    """
    request = Request(scores, model, **options)
    n, seed = _whole(n, "n"), seed_of(seed)
    if n == 0:
        raise StatepathError("n=0: ask for at least one draw")
    out = _outputs(request, 0, False, False)
    out |= {"n_draws": n, "seed": seed, "draws": np.empty((n, request.batch.n_steps), np.int32)}
    request.kind, n_failed, *_ = _core.decode(request.chain, request.inputs, request.options, "viterbi", False, out)
    if n_failed:
        _look_at(request, out, np.flatnonzero(out["status"]), "raise")
    offsets = request.batch.offsets
    parts = [out["draws"][:, a:b] for a, b in zip(offsets[:-1], offsets[1:], strict=True)]
    return parts[0] if request.batch.layout == "single" else parts


@with_options(Options)
def review(scores: Any, model: Model | str, share: float = 0.02, **options: Unpack[Options]) -> NDArray[Any]:
    """The steps whose true class would help most, the best first: what a human should look at.

    What a step is worth is the expected number of steps more, anywhere in its recording, whose likeliest class is the true one when
    somebody says what this step is, under the rules. Steps near each other tell the same: each one after the first is chosen as if the
    likeliest class of those before it had been confirmed.

    Networks are most often too sure, also of what is wrong. Steps are chosen better by a model whose probabilities are calibrated:
    ``sp.fit(..., tune="nll", strategy="posterior")``.

    Parameters
    ----------
    scores, model
        As in :func:`decode`.
    share : float or int
        Such a share of all steps (0.02), or so many steps (100; a whole number).
    **options
        Those of :func:`decode` up to `threads` that say what the scores are. With `labels` the steps that are known are certain, and the
        others are chosen given them.

    Returns
    -------
    array with the fields recording, step, likeliest, probability, gain
        `recording` counts from 0, `step` from 0 in its recording, of the steps that take part; `likeliest` class and its `probability` given
        all steps; `gain` in steps. Shorter where nothing more is gained. ``pandas.DataFrame(review)`` is a table of it.

    Raises
    ------
    NoPathError
        Where a recording has no allowed path.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> model = sp.Model(["a", "b"], {"a": ["a"], "b": ["a", "b"]})
    >>> sp.review(np.array([[0.1, 0.9], [0.5, 0.5], [0.9, 0.1]]), model, 1)["step"]  # b goes on to a at some step
    array([1])
    """
    request = Request(scores, model, **options)
    n = _count_of(share, request.batch.n_steps)
    found = {name: np.empty(n, dtype) for name, dtype in _REVIEW}
    n_found, (request.kind, n_failed, *_) = _core.review(request.chain, request.inputs, request.options, n, *found.values())
    if n_failed:
        _raise_for_first(request, _log_partitions(request))
    out = np.empty(n_found, _REVIEW)
    for name, values in found.items():
        out[name] = values[:n_found]
    return out


_REVIEW: list[tuple[str, Any]] = [("recording", np.int64), ("step", np.int64), ("likeliest", np.int32), ("probability", np.float64), ("gain", np.float64)]


def _count_of(share: Any, n_steps: int) -> int:
    """So many of the steps: a whole number of them, or a share."""
    if isinstance(share, (int, np.integer)) and not isinstance(share, bool):
        n = int(share)
    elif isinstance(share, (float, np.floating)) and 0 < share <= 1:
        n = math.ceil(float(share) * n_steps)
    else:
        n = 0
    if n < 1 and n_steps > 0:
        raise StatepathError(f"share={share!r}: a share of the steps above 0 and up to 1.0, such as 0.02, or a whole number of steps, at least 1")
    return min(n, n_steps)


def _log_partitions(request: Request) -> NDArray[np.float64]:
    z = np.empty(request.batch.n_recordings)
    _core.forward_backward(request.chain, request.inputs, request.options, None, z)
    return z


def _raise_for_first(request: Request, log_partitions: NDArray[np.float64]) -> None:
    """NoPathError for the first recording without allowed path."""
    failed = np.flatnonzero(log_partitions == -np.inf)
    if len(failed):
        n = int(failed[0])
        first, end = (int(request.batch.offsets[n + i]) for i in (0, 1))
        one = {k: v[first:end] if k != "offsets" else np.array([0, end - first], np.int64) for k, v in request.inputs.items()}
        out: dict[str, Any] = {"paths": np.empty(end - first, np.int32), "scores": np.empty(1), "status": np.empty(1, np.uint8)}
        out |= {"step": np.empty(1, np.int64), "n_broken": np.empty(1, np.int64)}
        _core.decode(request.chain, one, request.options, "viterbi", False, out)
        raise no_path(request, n, int(out["step"][0]), "no_path")


@with_options(Options)
def path_score(scores: Any, model: Model | str, path: Any, **options: Unpack[Options]) -> Any:
    """Path scores in nats: start, scores and log weights along the path, end; -inf where the model or the scores forbid it.

    Parameters
    ----------
    scores, model
        As in :func:`decode`.
    path
        Classes in the shape that :func:`decode` returns, numbers or names; of padding anything.

    Returns a number for one recording, an array [N] for several.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> model = sp.Model(["a", "b"], {"a": ["a"], "b": ["a", "b"]})
    >>> scores = np.array([[0.0, 2.0], [3.0, 0.0]])
    >>> sp.path_score(scores, model, [1, 0], kind="scores"), sp.path_score(scores, model, [0, 1], kind="scores")
    (5.0, -inf)
    """
    request = Request(scores, model, **options)
    p = request.path(path, "path")
    wrong = np.flatnonzero(p < 0)
    if len(wrong):
        n = int(np.searchsorted(request.batch.offsets, wrong[0], side="right")) - 1
        t = int(wrong[0] - request.batch.offsets[n])
        raise StatepathError(f"path: recording {n}, step {t} has no class", recording=n, step=t)
    out = np.empty(request.batch.n_recordings)
    _core.path_scores(request.chain, request.inputs, request.options, p, out)
    return request.batch.recordings(out)
