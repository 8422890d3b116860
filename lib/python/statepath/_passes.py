"""What the whole recording says: marginals, log partition, path scores."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._decode import no_path
from ._errors import StatepathError
from ._model import Model
from ._request import Options, Request, with_options


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
    z = np.empty(request.batch.n_recordings)
    _core.forward_backward(request.chain, request.inputs, request.options, None, z)
    return request.batch.recordings(z)


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
