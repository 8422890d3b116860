"""seqeval.metrics: scores of named entities, in seqeval's default mode, which reads as conlleval does, and in its strict mode.

Where it differs: L, U and M are read as E, S and I in the default mode too, where seqeval knows no such letters; `scheme` is a name such
as "IOB2" or seqeval's own class. Figures that are 0 / 0 are `zero_division`, with the warnings of seqeval where that is "warn". `sample_weight`
changes nothing, as in seqeval, which takes and ignores it; here a warning says so. :func:`statepath.evaluate` gives both readings with
intervals.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
_LETTERS = frozenset("OBIESLUM")
_MARKS = frozenset(f"{letter}-" for letter in "BIESLUM")


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
    tags = _flat(seq)
    _warn_of_strange(tags, suffix)
    return _core.tag_entities(tags, None, suffix)


def _warn_of_strange(tags: Sequence[str], suffix: bool) -> None:
    """As seqeval warns of tags that are none of entities; L, U and M are known here."""
    for tag in dict.fromkeys(tags):
        if tag not in _LETTERS and (tag[-1:] if suffix else tag[:1]) + (tag[-2:-1] if suffix else tag[1:2]) not in _MARKS:
            warnings.warn(f"{tag} seems not to be NE tag.", UserWarning, stacklevel=_level_of_user())


def _level_of_user() -> int:
    """The level of the stack at which whoever called this module stands, for a warning of our caller."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_globals is globals():
        level, frame = level + 1, frame.f_back
    return level


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
    if scheme is None:
        _warn_of_strange(_flat(y), suffix)
    for n, sentence in enumerate([_flat(y)] if scheme is None else y):
        for kind, first, last in _core.tag_entities(sentence, scheme, suffix):
            out.setdefault(kind, set()).add((n, first, last))
    return out


class _Counts(NamedTuple):
    """Right, decoded and true entities of each type, whose names are sorted."""

    kinds: list[str]
    right: NDArray[np.int64]
    found: NDArray[np.int64]
    there: NDArray[np.int64]


def _counts(y_true: Any, y_pred: Any, scheme: str | None, suffix: bool) -> _Counts:
    if len(y_true) != len(y_pred) or any(np.ndim(a) == 1 and len(a) != len(b) for a, b in zip(y_true, y_pred, strict=True)):
        raise ValueError("Found input variables with inconsistent numbers of samples: y_true and y_pred differ in length")
    reference, decoded = _sets(y_true, scheme, suffix), _sets(y_pred, scheme, suffix)
    kinds = sorted(set(reference) | set(decoded))
    rows = [(len(reference.get(k, set()) & decoded.get(k, set())), len(decoded.get(k, set())), len(reference.get(k, set()))) for k in kinds]
    right, found, there = np.array(rows, np.int64).reshape(-1, 3).T
    return _Counts(kinds, right, found, there)


def _warn_undefined(figure: str, modifier: str, n: int) -> None:
    """As scikit-learn warns, by its class of warnings where it is installed."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning as kind
    except ModuleNotFoundError:
        kind = UserWarning
    where = "due to" if n == 1 else "in labels with"
    sentence = f"{figure} ill-defined and being set to 0.0 {where} no {modifier} samples. Use `zero_division` parameter to control this behavior."
    warnings.warn(sentence, kind, stacklevel=_level_of_user())


def _divided(a: NDArray[np.int64], b: NDArray[np.int64], figure: str, modifier: str, warn_for: Sequence[str], zero_division: Any) -> NDArray[np.float64]:
    """a / b; where b is 0 what `zero_division` says, with a warning where that is "warn"."""
    if np.any(b == 0) and zero_division == "warn" and figure in warn_for:
        _warn_undefined(f"{figure.title()} and F-score are" if "f-score" in warn_for else f"{figure.title()} is", modifier, len(b))
    return np.where(b == 0, 0.0 if zero_division in ("warn", 0) else 1.0, a / np.maximum(b, 1))


def _figures(
    counts: _Counts, average: str | None, zero_division: Any, beta: float = 1.0, warn_for: Sequence[str] = ("precision", "recall", "f-score")
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall, F and support: of each type, or their average."""
    _, right, found, there = counts
    if average == "micro":
        right, found, there = (np.array([x.sum()]) for x in (right, found, there))
    p = _divided(right, found, "precision", "predicted", warn_for, zero_division)
    r = _divided(right, there, "recall", "true", warn_for, zero_division)
    if zero_division == "warn" and tuple(warn_for) == ("f-score",) and np.any((found == 0) & (there == 0)):
        _warn_undefined("F-score is", "true nor predicted", len(there))
    if math.isinf(beta):
        f = r
    else:
        below = beta**2 * p + r
        f = (1 + beta**2) * p * r / np.where(below == 0, 1, below)
    if average is None:
        return p, r, f, there
    support = int(there.sum())
    if average == "weighted" and support == 0:  # no weights
        none = 0.0 if zero_division in ("warn", 0) else 1.0
        return 0.0 if found.sum() else none, none, 0.0 if found.sum() else none, 0
    weights = there if average == "weighted" else None
    precision, recall, f_score = (float(np.average(x, weights=weights)) for x in (p, r, f))  # of no type at all NaN, with a warning of numpy
    return precision, recall, f_score, support


def _check_average(average: str | None) -> None:
    if average not in (None, "micro", "macro", "weighted"):
        raise ValueError(f"average={average!r}: it is None, 'micro', 'macro' or 'weighted'")


def _score(i: int, y_true: Any, y_pred: Any, average: str | None, mode: Any, scheme: Any, suffix: bool, zero_division: Any, sample_weight: Any) -> Any:
    _ignore(sample_weight)
    _check_average(average)
    # Of a figure seqeval reads strictly only where a scheme is given; of its report always.
    counts = _counts(y_true, y_pred, _scheme(y_true, mode if scheme is not None else None, scheme, suffix), suffix)
    return _figures(counts, average, zero_division, warn_for=(("precision", "recall", "f-score")[i],))[i]


def _ignore(sample_weight: Any) -> None:
    if sample_weight is not None:
        warnings.warn("sample_weight= changes nothing: seqeval takes it and does not use it", StatepathWarning, stacklevel=_level_of_user())


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
    """Precision, recall, F-beta and support of each type, or averaged.

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
    return _figures(_counts(y_true, y_pred, None, suffix), average, zero_division, beta, warn_for)


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
    counts = _counts(y_true, y_pred, _scheme(y_true, mode, scheme, suffix), suffix)
    rows = dict(zip(counts.kinds, zip(*(x.tolist() for x in _figures(counts, None, zero_division)), strict=True), strict=True))
    averages = {f"{average} avg": _figures(counts, average, zero_division) for average in ("micro", "macro", "weighted")}
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
