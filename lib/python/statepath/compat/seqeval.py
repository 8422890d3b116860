"""seqeval.metrics: scores of named entities, in seqeval's default mode, which reads as conlleval does, and in its strict mode.

Where it differs: L, U and M are read as E, S and I in the default mode too, where seqeval knows no such letters; `scheme` is a name such
as "IOB2" or seqeval's own class; figures that are 0 / 0 are `zero_division` without a warning. `sample_weight` changes nothing, as in seqeval,
which takes and ignores it; here a warning says so. :func:`statepath.evaluate` gives both readings with intervals.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from .._errors import StatepathWarning

__all__ = [
    "accuracy_score",
    "classification_report",
    "f1_score",
    "get_entities",
    "performance_measure",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
]

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


def _row(right: int, found: int, there: int, zero_division: Any, beta: float) -> Row:
    p, r = _ratio(right, found, zero_division), _ratio(right, there, zero_division)
    if math.isinf(beta):
        return p, r, r, there
    below = beta**2 * p + r
    return p, r, (1 + beta**2) * p * r / below if below else 0.0, there


def _rows(y_true: Any, y_pred: Any, scheme: str | None, suffix: bool, zero_division: Any, beta: float = 1.0) -> tuple[dict[str, Row], dict[str, Row]]:
    """Of each type, and the averages."""
    if len(y_true) != len(y_pred) or any(np.ndim(a) == 1 and len(a) != len(b) for a, b in zip(y_true, y_pred, strict=True)):
        raise ValueError("Found input variables with inconsistent numbers of samples: y_true and y_pred differ in length")
    reference, decoded = _sets(y_true, scheme, suffix), _sets(y_pred, scheme, suffix)
    kinds = sorted(set(reference) | set(decoded))
    counts = {k: (len(reference.get(k, set()) & decoded.get(k, set())), len(decoded.get(k, set())), len(reference.get(k, set()))) for k in kinds}
    rows = {k: _row(*c, zero_division, beta) for k, c in counts.items()}
    total = tuple(sum(c[i] for c in counts.values()) for i in range(3))
    there = total[2]
    averages = {"micro avg": _row(total[0], total[1], there, zero_division, beta)}
    for name, weights in (("macro avg", [1] * len(rows)), ("weighted avg", [r[3] for r in rows.values()])):
        n = sum(weights)
        mean = [sum(w * r[i] for w, r in zip(weights, rows.values(), strict=True)) / n if n else 0.0 for i in range(3)]
        averages[name] = (mean[0], mean[1], mean[2], there)
    if there == 0:  # no weights
        none = _ratio(0, 0, zero_division)
        averages["weighted avg"] = (0.0 if total[1] else none, none, 0.0 if total[1] else none, there)
    return rows, averages


def _check_average(average: str | None) -> None:
    if average not in (None, "micro", "macro", "weighted"):
        raise ValueError(f"average={average!r}: it is None, 'micro', 'macro' or 'weighted'")


def _score(i: int, y_true: Any, y_pred: Any, average: str | None, mode: Any, scheme: Any, suffix: bool, zero_division: Any, sample_weight: Any) -> Any:
    _ignore(sample_weight, 4)
    _check_average(average)
    # Of a figure seqeval reads strictly only where a scheme is given; of its report always.
    rows, averages = _rows(y_true, y_pred, _scheme(y_true, mode if scheme is not None else None, scheme, suffix), suffix, zero_division)
    return np.array([r[i] for r in rows.values()]) if average is None else averages[f"{average} avg"][i]


def _ignore(sample_weight: Any, stacklevel: int = 3) -> None:
    if sample_weight is not None:
        warnings.warn("sample_weight= changes nothing: seqeval takes it and does not use it", StatepathWarning, stacklevel=stacklevel)


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    average: str | None = None,
    warn_for: Sequence[str] = ("precision", "recall", "f-score"),
    beta: float = 1.0,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    suffix: bool = False,
) -> Any:
    """Precision, recall, F-beta and support of each type, or averaged; `warn_for` changes nothing.

    Examples
    --------
    >>> from statepath.compat.seqeval import precision_recall_fscore_support
    >>> precision_recall_fscore_support([["B-PER", "O"]], [["B-PER", "B-LOC"]], average="micro", beta=2.0)
    (0.5, 1.0, 0.8333333333333334, 1)
    """
    _ignore(sample_weight)
    _check_average(average)
    if not beta >= 0:
        raise ValueError("beta should be >=0 in the F-beta score")
    rows, averages = _rows(y_true, y_pred, None, suffix, zero_division, beta)
    if average is not None:
        return averages[f"{average} avg"]
    return tuple(np.array([r[i] for r in rows.values()]) for i in range(4))


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """Counts of tags: TP are equal and not O, FP differ and are decoded as not O, FN are decoded as O and are not, TN are both O.

    Examples
    --------
    >>> from statepath.compat.seqeval import performance_measure
    >>> performance_measure([["O", "B-PER", "B-LOC"]], [["O", "B-PER", "O"]])
    {'TP': 1, 'FP': 0, 'FN': 1, 'TN': 1}
    """
    pairs = _pairs(y_true, y_pred)
    return {
        "TP": sum(a == b != "O" for a, b in pairs),
        "FP": sum(a != b != "O" for a, b in pairs),
        "FN": sum(a != b == "O" for a, b in pairs),
        "TN": sum(a == b == "O" for a, b in pairs),
    }


def _pairs(y_true: Any, y_pred: Any) -> list[tuple[Any, Any]]:
    """Tags side by side, of sentences or of one sentence."""
    try:
        return [(a, b) for s, t in zip(y_true, y_pred, strict=True) for a, b in (zip(s, t, strict=True) if np.ndim(s) else [(s, t)])]
    except ValueError:
        raise ValueError("Found input variables with inconsistent numbers of samples: y_true and y_pred differ in length") from None


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
    return float(np.mean([bool(a == b) for a, b in _pairs(y_true, y_pred)]))


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
    _ignore(sample_weight)
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
