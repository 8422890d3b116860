"""seqeval.metrics: scores of named entities, in seqeval's default mode, which reads as conlleval does, and in its strict mode.

Where it differs: L, U and M are read as E, S and I in the default mode too, where seqeval knows no such letters; `scheme` is a name such
as "IOB2" or seqeval's own class; `sample_weight` is not offered; :func:`statepath.evaluate` gives both readings with intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core

__all__ = ["accuracy_score", "classification_report", "f1_score", "get_entities", "precision_score", "recall_score"]

Entity = tuple[str, int, int]


def _flat(seq: Sequence[Any]) -> list[str]:
    """Sentences one after the other, an O between them."""
    if any(isinstance(s, (list, tuple, np.ndarray)) for s in seq):
        return [str(tag) for sentence in seq for tag in [*sentence, "O"]]
    return [str(tag) for tag in seq]


def get_entities(seq: Sequence[Any], suffix: bool = False) -> list[Entity]:
    """(type, first, last) of each entity.

    Examples
    --------
    >>> from statepath.compat import seqeval
    >>> seqeval.get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    return _core.tag_entities(_flat(seq), None, suffix)


def _scheme(y_true: Any, mode: str | None, scheme: Any, suffix: bool) -> str | None:
    """The scheme of a strict reading, or None."""
    if mode not in (None, "strict"):
        raise ValueError(f"mode={mode!r}: it is None or 'strict'")
    if mode is None:
        return None
    if scheme is None:
        return _core.tag_scheme(t[-1:] if suffix else t[:1] for s in y_true for t in s)
    return str(getattr(scheme, "__name__", scheme))


def _sets(y: Sequence[Any], scheme: str | None, suffix: bool) -> dict[str, set[tuple[int, int, int]]]:
    """Of each type, sentence and steps of its entities."""
    out: dict[str, set[tuple[int, int, int]]] = {}
    for n, sentence in enumerate([_flat(y)] if scheme is None else y):
        for kind, first, last in _core.tag_entities(sentence, scheme, suffix):
            out.setdefault(kind, set()).add((n, first, last))
    return out


def _ratio(a: float, b: float, zero_division: Any) -> float:
    return a / b if b else float(zero_division if zero_division in (0, 1) else 0)


Row = tuple[float, float, float, int]


def _row(right: int, found: int, there: int, zero_division: Any) -> Row:
    p, r = _ratio(right, found, zero_division), _ratio(right, there, zero_division)
    return p, r, 2 * p * r / (p + r) if p + r else 0.0, there


def _rows(y_true: Any, y_pred: Any, scheme: str | None, suffix: bool, zero_division: Any) -> tuple[dict[str, Row], dict[str, Row]]:
    """Of each type, and the averages."""
    if len(y_true) != len(y_pred) or any(np.ndim(a) == 1 and len(a) != len(b) for a, b in zip(y_true, y_pred, strict=True)):
        raise ValueError("Found input variables with inconsistent numbers of samples: y_true and y_pred differ in length")
    reference, decoded = _sets(y_true, scheme, suffix), _sets(y_pred, scheme, suffix)
    kinds = sorted(set(reference) | set(decoded))
    counts = {k: (len(reference.get(k, set()) & decoded.get(k, set())), len(decoded.get(k, set())), len(reference.get(k, set()))) for k in kinds}
    rows = {k: _row(*c, zero_division) for k, c in counts.items()}
    total = tuple(sum(c[i] for c in counts.values()) for i in range(3))
    there = total[2]
    averages = {"micro avg": _row(total[0], total[1], there, zero_division)}
    for name, weights in (("macro avg", [1] * len(rows)), ("weighted avg", [r[3] for r in rows.values()])):
        n = sum(weights)
        mean = [sum(w * r[i] for w, r in zip(weights, rows.values(), strict=True)) / n if n else 0.0 for i in range(3)]
        averages[name] = (mean[0], mean[1], mean[2], there)
    return rows, averages


def _score(i: int, y_true: Any, y_pred: Any, average: str | None, mode: Any, scheme: Any, suffix: bool, zero_division: Any, sample_weight: Any) -> Any:
    _refuse(sample_weight)
    # Of a figure seqeval reads strictly only where a scheme is given; of its report always.
    rows, averages = _rows(y_true, y_pred, _scheme(y_true, mode if scheme is not None else None, scheme, suffix), suffix, zero_division)
    if average is None:
        return np.array([r[i] for r in rows.values()])
    if average not in ("micro", "macro", "weighted"):
        raise ValueError(f"average={average!r}: it is None, 'micro', 'macro' or 'weighted'")
    return averages[f"{average} avg"][i]


def _refuse(sample_weight: Any) -> None:
    if sample_weight is not None:
        raise ValueError("sample_weight is not offered here; see statepath.evaluate()")


def f1_score(
    y_true: Any, y_pred: Any, *, average: str | None = "micro", suffix: bool = False, mode: Any = None, sample_weight: Any = None, zero_division: Any = "warn", scheme: Any = None
) -> Any:
    """F1 of entities.

    Examples
    --------
    >>> from statepath.compat.seqeval import f1_score
    >>> f1_score([["B-PER", "I-PER", "O"], ["B-LOC"]], [["B-PER", "I-PER", "O"], ["O"]])
    0.6666666666666666
    """
    return _score(2, y_true, y_pred, average, mode, scheme, suffix, zero_division, sample_weight)


def precision_score(
    y_true: Any, y_pred: Any, *, average: str | None = "micro", suffix: bool = False, mode: Any = None, sample_weight: Any = None, zero_division: Any = "warn", scheme: Any = None
) -> Any:
    """Share of the decoded entities that are right.

    Examples
    --------
    >>> from statepath.compat.seqeval import precision_score
    >>> precision_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    0.5
    """
    return _score(0, y_true, y_pred, average, mode, scheme, suffix, zero_division, sample_weight)


def recall_score(
    y_true: Any, y_pred: Any, *, average: str | None = "micro", suffix: bool = False, mode: Any = None, sample_weight: Any = None, zero_division: Any = "warn", scheme: Any = None
) -> Any:
    """Share of the reference's entities that are found.

    Examples
    --------
    >>> from statepath.compat.seqeval import recall_score
    >>> recall_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    1.0
    """
    return _score(1, y_true, y_pred, average, mode, scheme, suffix, zero_division, sample_weight)


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Share of the tags that are right.

    Examples
    --------
    >>> from statepath.compat.seqeval import accuracy_score
    >>> accuracy_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    0.5
    """
    pairs = [(a, b) for s, t in zip(y_true, y_pred, strict=True) for a, b in (zip(s, t, strict=True) if np.ndim(s) else [(s, t)])]
    return float(np.mean([bool(a == b) for a, b in pairs]))


def classification_report(
    y_true: Any,
    y_pred: Any,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: Any = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Any:
    """Precision, recall, F1 and support of each type, as text or as dictionaries.

    Examples
    --------
    >>> from statepath.compat.seqeval import classification_report
    >>> classification_report([["B-PER", "O"]], [["B-PER", "O"]], output_dict=True)["PER"]["f1-score"]
    1.0
    """
    _refuse(sample_weight)
    rows, averages = _rows(y_true, y_pred, _scheme(y_true, mode, scheme, suffix), suffix, zero_division)
    names = ("precision", "recall", "f1-score", "support")
    if output_dict:
        return {k: dict(zip(names, r, strict=True)) for k, r in (rows | averages).items()}
    width = max(len(k) for k in [*rows, *averages, " " * digits])
    text = " " * width + " " + "".join(f" {n:>9}" for n in names) + "\n\n"
    for group in (rows, averages):
        for k, r in group.items():
            text += f"{k:>{width}} " + "".join(f" {x:>9.{digits}f}" for x in r[:3]) + f" {r[3]:>9}\n"
        text += "\n" if group is rows else ""
    return text
