"""seqlearn._decode and seqlearn.evaluation: ties go to the lowest class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._decode import decode
from .._errors import StatepathError
from ._models import weighted

__all__ = ["bestfirst", "bio_f_score", "viterbi", "whole_sequence_accuracy"]


def _search(score: Any, trans_score: Any, b_trans: Any, init: Any, final: Any, strategy: str) -> NDArray[np.intp]:
    if trans_score is not None:
        raise StatepathError("trans_score= (features of transitions) are not decoded: give None")
    rows = np.array(score, np.float64)
    if rows.size == 0:
        return np.empty(0, np.intp)
    path: NDArray[np.intp] = decode(rows, weighted(b_trans, init, final), strategy, kind="scores").astype(np.intp)
    return path


def viterbi(score: Any, trans_score: Any, b_trans: Any, init: Any, final: Any) -> NDArray[np.intp]:
    """The best path of scores [n_samples, n_classes]; `trans_score` (features of transitions) must be None.

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.compat import seqlearn
    >>> seqlearn.viterbi(np.array([[1.0, 0.0], [0.0, 0.5], [1.0, 0.0]]), None, np.array([[0.0, -1.0], [-1.0, 0.0]]), np.zeros(2), np.zeros(2))
    array([0, 0, 0])
    """
    return _search(score, trans_score, b_trans, init, final, "viterbi")


def bestfirst(score: Any, trans_score: Any, b_trans: Any, init: Any, final: Any) -> NDArray[np.intp]:
    """The path of greedy search.

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.compat import seqlearn
    >>> seqlearn.bestfirst(np.array([[0.1, 0.0], [0.0, 1.0]]), None, np.array([[0.0, -9.0], [0.0, 0.0]]), np.zeros(2), np.zeros(2))
    array([0, 0])
    """
    return _search(score, trans_score, b_trans, init, final, "greedy")


def _spans(tags: Any) -> set[tuple[int, int, str]]:
    """What each B begins, up to the next: where, how many tags but O, and the B with its type."""
    texts = [str(tag) for tag in tags]
    begins = [t for t, tag in enumerate(texts) if tag.startswith("B")]
    ends = [*begins[1:], len(texts)]
    return {(a, sum(tag != "O" for tag in texts[a:b]), texts[a]) for a, b in zip(begins, ends, strict=True)}


def bio_f_score(y_true: Any, y_pred: Any) -> float:
    """F1 of spans, which end before the next B or O.

    Examples
    --------
    >>> from statepath.compat import seqlearn
    >>> seqlearn.bio_f_score(list("OBIO"), list("OBIO")), seqlearn.bio_f_score(list("OBIO"), list("OBOO"))
    (1.0, 0.0)
    """
    if len(y_true) != len(y_pred):
        raise ValueError("y_true and y_pred differ in length")
    reference, found = _spans(y_true), _spans(y_pred)
    return 2 * len(reference & found) / max(1, len(reference) + len(found))


def whole_sequence_accuracy(y_true: Any, y_pred: Any, lengths: Any) -> float:
    """Share of sequences that are right at every step.

    Examples
    --------
    >>> from statepath.compat import seqlearn
    >>> seqlearn.whole_sequence_accuracy([0, 1, 1], [0, 1, 0], [2, 1])
    0.5
    """
    same = np.array([a == b for a, b in zip(y_true, y_pred, strict=True)], bool)  # texts hold a letter a step
    ends = np.cumsum(np.asarray(lengths, np.int64))
    return float(np.mean([bool(same[end - n : end].all()) for end, n in zip(ends.tolist(), list(lengths), strict=True)]))
