"""allennlp.nn.util.viterbi_decode and allennlp's allowed_transitions.

Where it differs: observed tags are certain here (AllenNLP gives them a score of 100,000, the others what they have); forbidden is -inf, and
where no path is allowed NoPathError is raised; ties go to the lowest tag, the last step first (there as torch.topk has it); constraints over a
start tag and an end tag are rows of the matrix as there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._decode import decode
from .._errors import StatepathError
from .._model import Model
from .._scores import array_of
from ._models import weighted

__all__ = ["allowed_transitions", "viterbi_decode"]


def _like(values: Any, example: Any) -> Any:
    """As a tensor where a tensor came."""
    if type(example).__module__.startswith("torch"):
        import torch

        return torch.as_tensor(np.ascontiguousarray(values))
    return values


def _ends(allowed: Any, name: str, n: int) -> Any:
    if allowed is None:
        return None
    a = array_of(allowed, name).astype(np.float64)
    if a.shape != (n,):
        raise StatepathError(f"{name} has shape {a.shape}, not ({n},)")
    return a


def viterbi_decode(
    tag_sequence: Any,
    transition_matrix: Any,
    tag_observations: list[int] | None = None,
    allowed_start_transitions: Any = None,
    allowed_end_transitions: Any = None,
    top_k: int | None = None,
) -> Any:
    """The best tags of log scores [T,K] under log weights [K,K], and their score; with `top_k` lists of the best.

    Parameters
    ----------
    tag_sequence, transition_matrix : array or tensor
    tag_observations : list of int, optional
        Tags that are known; -1 where one is not.
    allowed_start_transitions, allowed_end_transitions : array or tensor [K], optional
        Log weights of starting and ending.
    top_k : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.compat import allennlp
    >>> path, score = allennlp.viterbi_decode(np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[0.0, 0.0], [-np.inf, 0.0]]))
    >>> path, float(score)
    ([0, 0], 2.0)
    """
    rows, weights = array_of(tag_sequence, "tag_sequence"), array_of(transition_matrix, "transition_matrix")
    n = rows.shape[-1]
    start = _ends(allowed_start_transitions, "allowed_start_transitions", n)
    end = _ends(allowed_end_transitions, "allowed_end_transitions", n)
    if top_k is not None and top_k < 1:
        raise ValueError("top_k must be either None or an integer >= 1")
    if tag_observations and len(tag_observations) != len(rows):
        raise StatepathError(f"tag_observations has {len(tag_observations)} tags, and there are {len(rows)} steps")
    labels = np.asarray(tag_observations) if tag_observations else None
    d = decode(rows, weighted(weights, start, end), full=True, kind="scores", labels=labels, n_best=top_k or 0)
    if top_k is None:
        return d[0].tolist(), _like(d.scores[0], tag_sequence)
    assert d.nbest is not None
    paths, scores = d.nbest[0]
    return [p.tolist() for p in paths], _like(scores, tag_sequence)


def allowed_transitions(constraint_type: str, labels: dict[int, str]) -> list[tuple[int, int]]:
    """Pairs (from, to) that a tagging scheme allows; the number of labels is the start tag, one more the end tag.

    Parameters
    ----------
    constraint_type : {"BIO", "BIOUL", "IOB1", "BMES"}
        BIOUL is BILOU in another order.
    labels : dict of int to str

    Examples
    --------
    >>> from statepath.compat import allennlp
    >>> sorted(allennlp.allowed_transitions("BIO", {0: "O", 1: "B-X", 2: "I-X"}))
    [(0, 0), (0, 1), (0, 4), (1, 0), (1, 1), (1, 2), (1, 4), (2, 0), (2, 1), (2, 2), (2, 4), (3, 0), (3, 1)]
    """
    schemes = ("BIO", "BIOUL", "IOB1", "BMES")
    if constraint_type not in schemes:
        raise StatepathError(f'constraint_type="{constraint_type}": it is one of {", ".join(schemes)}')
    model = Model.bio(labels.values(), constraint_type)  # type: ignore[arg-type]
    start, end = len(labels), len(labels) + 1
    numbers = list(labels)
    pairs = [(i, j) for i, row in zip(numbers, model.allow.tolist(), strict=True) for j, may in zip(numbers, row, strict=True) if may]
    first, last = (np.ones(len(numbers), bool) if weights is None else weights == 0 for weights in (model.start, model.end))
    pairs += [(start, i) for i, may in zip(numbers, first, strict=True) if may]
    return pairs + [(i, end) for i, may in zip(numbers, last, strict=True) if may]
