"""hmmlearn: decoding and posteriors of its fitted models.

``hmmlearn.decode(model, X)`` in place of ``model.decode(X)``; :func:`use` replaces the methods themselves. The numbers are the same; a
probability of 0 is exactly impossible, and ties go to the lowest state.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._decode import decode as _decode
from .._errors import StatepathError
from .._passes import log_partition, marginals
from ._models import logs, weighted

__all__ = ["decode", "predict", "score", "score_samples", "use"]


def _parts(hmm: Any, X: Any, lengths: Any) -> tuple[Any, NDArray[np.float64], list[int]]:
    rows = np.ascontiguousarray(hmm._compute_log_likelihood(np.asarray(X)), np.float64)
    n = [len(rows)] if lengths is None else [int(v) for v in lengths]
    if sum(n) != len(rows):
        raise ValueError(f"lengths array {n} doesn't sum to {len(rows)} samples")
    return weighted(logs(hmm.transmat_), logs(hmm.startprob_)), rows, n


def decode(hmm: Any, X: Any, lengths: Any = None, algorithm: str | None = None) -> tuple[float, NDArray[np.int64]]:
    """Log probability and states of the best path: "viterbi", or "map" for the best state of each step alone.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> from statepath.compat import hmmlearn
    >>> hmm = SimpleNamespace(  # what a fitted model of hmmlearn has
    ...     startprob_=np.array([0.6, 0.4]), transmat_=np.array([[0.7, 0.3], [0.4, 0.6]]), algorithm="viterbi",
    ...     _compute_log_likelihood=lambda X: np.log(np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]).T[X[:, 0]]))
    >>> logp, states = hmmlearn.decode(hmm, [[0], [1], [2]])
    >>> round(float(np.exp(logp)), 5), states
    (0.01512, array([0, 0, 1]))
    """
    how = algorithm or getattr(hmm, "algorithm", "viterbi")
    if how not in ("viterbi", "map"):
        raise StatepathError(f'algorithm="{how}": it is "viterbi" or "map"')
    model, rows, n = _parts(hmm, X, lengths)
    if how == "map":
        p = marginals(rows, model, kind="scores", lengths=n)
        return float(p.max(axis=1).sum()), p.argmax(axis=1)
    d = _decode(rows, model, full=True, kind="scores", lengths=n)
    return float(d.scores.sum()), np.asarray(d.paths).astype(np.int64)


def predict(hmm: Any, X: Any, lengths: Any = None) -> NDArray[np.int64]:
    """States of the best path.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> from statepath.compat import hmmlearn
    >>> hmm = SimpleNamespace(  # what a fitted model of hmmlearn has
    ...     startprob_=np.array([0.6, 0.4]), transmat_=np.array([[0.7, 0.3], [0.4, 0.6]]), algorithm="viterbi",
    ...     _compute_log_likelihood=lambda X: np.log(np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]).T[X[:, 0]]))
    >>> hmmlearn.predict(hmm, [[0], [1], [2]])
    array([0, 0, 1])
    """
    return decode(hmm, X, lengths)[1]


def score_samples(hmm: Any, X: Any, lengths: Any = None) -> tuple[float, NDArray[np.float64]]:
    """Log likelihood and posteriors [n_samples, n_components].

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> from statepath.compat import hmmlearn
    >>> hmm = SimpleNamespace(  # what a fitted model of hmmlearn has
    ...     startprob_=np.array([0.6, 0.4]), transmat_=np.array([[0.7, 0.3], [0.4, 0.6]]), algorithm="viterbi",
    ...     _compute_log_likelihood=lambda X: np.log(np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]).T[X[:, 0]]))
    >>> logp, posteriors = hmmlearn.score_samples(hmm, [[0], [1], [2]])
    >>> posteriors.round(2)
    array([[0.88, 0.12],
           [0.62, 0.38],
           [0.21, 0.79]])
    """
    model, rows, n = _parts(hmm, X, lengths)
    z = log_partition(rows, model, kind="scores", lengths=n)
    return float(np.sum(z)), marginals(rows, model, kind="scores", lengths=n)


def score(hmm: Any, X: Any, lengths: Any = None) -> float:
    """Log likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> from statepath.compat import hmmlearn
    >>> hmm = SimpleNamespace(  # what a fitted model of hmmlearn has
    ...     startprob_=np.array([0.6, 0.4]), transmat_=np.array([[0.7, 0.3], [0.4, 0.6]]), algorithm="viterbi",
    ...     _compute_log_likelihood=lambda X: np.log(np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]).T[X[:, 0]]))
    >>> round(float(np.exp(hmmlearn.score(hmm, [[0], [1], [2]]))), 5)
    0.03628
    """
    model, rows, n = _parts(hmm, X, lengths)
    return float(np.sum(log_partition(rows, model, kind="scores", lengths=n)))


def use() -> None:
    """From now on the models of hmmlearn decode, predict and score by statepath.

    Examples
    --------
    >>> from statepath.compat import hmmlearn
    >>> hmmlearn.use()  # doctest: +SKIP
    >>> hmm.predict(X)  # doctest: +SKIP
    """
    from hmmlearn import base, hmm

    first = getattr(base, "_AbstractHMM", base.BaseHMM)
    copies = [kind for kind in vars(hmm).values() if isinstance(kind, type) and issubclass(kind, first)]  # some hold its methods, wrapped
    for name, function in (("decode", decode), ("predict", predict), ("score", score), ("score_samples", score_samples)):
        original = vars(first)[name]
        for kind in {first, *copies}:
            if name in vars(kind) and inspect.unwrap(vars(kind)[name]) is original:
                setattr(kind, name, function)
