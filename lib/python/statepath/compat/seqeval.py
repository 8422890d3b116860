"""seqeval.metrics: scores of named entities, as conlleval reads them (seqeval's default mode).

Where it differs: ``mode="strict"`` and `sample_weight` are not offered; :func:`statepath.evaluate` gives both readings with intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["accuracy_score", "classification_report", "f1_score", "get_entities", "precision_score", "recall_score"]

Entity = tuple[str, int, int]


def _flat(seq: Sequence[Any]) -> list[str]:
    """Sentences one after the other, an O between them."""
    if any(isinstance(s, (list, tuple, np.ndarray)) for s in seq):
        return [str(tag) for sentence in seq for tag in [*sentence, "O"]]
    return [str(tag) for tag in seq]


def _parts(tag: str, suffix: bool) -> tuple[str, str]:
    """Prefix and type; "_" where there is no type."""
    prefix, rest = (tag[-1:], tag[:-1]) if suffix else (tag[:1], tag[1:])
    kind = (rest.rsplit("-", 1)[0] if suffix else rest.split("-", 1)[-1]) or "_"
    return prefix, kind


def get_entities(seq: Sequence[Any], suffix: bool = False) -> list[Entity]:
    """(type, first, last) of each entity.

    Examples
    --------
    >>> from statepath.compat import seqeval
    >>> seqeval.get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    entities: list[Entity] = []
    before, kind_before, begin = "O", "", 0
    for t, tag in enumerate([*_flat(seq), "O"]):
        prefix, kind = _parts(tag, suffix)
        goes_on = before in "BI" and prefix in "IE" and kind == kind_before
        if before != "O" and not goes_on:
            entities.append((kind_before, begin, t - 1))
        if prefix != "O" and not goes_on:
            begin = t
        before, kind_before = prefix, kind
    return entities


def _sets(y: Sequence[Any], suffix: bool) -> dict[str, set[tuple[int, int]]]:
    out: dict[str, set[tuple[int, int]]] = {}
    for kind, first, last in get_entities(y, suffix):
        out.setdefault(kind, set()).add((first, last))
    return out


def _ratio(a: float, b: float, zero_division: Any) -> float:
    return a / b if b else float(zero_division if zero_division in (0, 1) else 0)


Row = tuple[float, float, float, int]


def _row(right: int, found: int, there: int, zero_division: Any) -> Row:
    p, r = _ratio(right, found, zero_division), _ratio(right, there, zero_division)
    return p, r, 2 * p * r / (p + r) if p + r else 0.0, there


def _rows(y_true: Any, y_pred: Any, suffix: bool, zero_division: Any) -> tuple[dict[str, Row], dict[str, Row]]:
    """Of each type, and the averages."""
    if len(y_true) != len(y_pred) or any(np.ndim(a) == 1 and len(a) != len(b) for a, b in zip(y_true, y_pred, strict=True)):
        raise ValueError("Found input variables with inconsistent numbers of samples: y_true and y_pred differ in length")
    reference, decoded = _sets(y_true, suffix), _sets(y_pred, suffix)
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


def _score(i: int, y_true: Any, y_pred: Any, average: str | None, suffix: bool, zero_division: Any, given: dict[str, Any]) -> Any:
    _refuse(given)
    rows, averages = _rows(y_true, y_pred, suffix, zero_division)
    if average is None:
        return np.array([r[i] for r in rows.values()])
    if average not in ("micro", "macro", "weighted"):
        raise ValueError(f"average={average!r}: it is None, 'micro', 'macro' or 'weighted'")
    return averages[f"{average} avg"][i]


def _refuse(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name}={value!r} is not offered here; see statepath.evaluate()")


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
    return _score(2, y_true, y_pred, average, suffix, zero_division, {"mode": mode, "sample_weight": sample_weight, "scheme": scheme})


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
    return _score(0, y_true, y_pred, average, suffix, zero_division, {"mode": mode, "sample_weight": sample_weight, "scheme": scheme})


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
    return _score(1, y_true, y_pred, average, suffix, zero_division, {"mode": mode, "sample_weight": sample_weight, "scheme": scheme})


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
    _refuse({"mode": mode, "sample_weight": sample_weight, "scheme": scheme})
    rows, averages = _rows(y_true, y_pred, suffix, zero_division)
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
