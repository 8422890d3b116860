"""Labels that say several classes for a step: boolean [T,K], true where it may be the class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._errors import ScoresError
from ._scores import array_of, column_names, columns_of

if TYPE_CHECKING:
    from ._scores import Batch


_DEEPEST = 3  # a list of [T,K]


def _looks(x: Any, depth: int = 0) -> tuple[int, bool]:
    """How many axes it has, and whether it is boolean, by its first value."""
    if isinstance(x, np.ndarray):
        return x.ndim, x.dtype == np.bool_
    if column_names(x) is not None:
        return 2, array_of(x, "labels").dtype == np.bool_
    if isinstance(x, (list, tuple)) and len(x) > 0 and depth < _DEEPEST:
        n_axes, is_boolean = _looks(x[0], depth + 1)
        return n_axes + 1, is_boolean
    return 0, isinstance(x, (bool, np.bool_))


class LabelSets:
    """Boolean labels in the forms of scores: [T,K], [N,T,K], a list of [T,K], or [S,K] with lengths."""

    def __init__(self, parts: list[Any], is_list: bool) -> None:
        self._frames = [columns_of(p) for p in parts]
        self._parts = [array_of(p, "labels") for p in parts]
        self._given = parts
        self._is_list = is_list
        wrong = next((n for n, p in enumerate(self._parts) if p.dtype != np.bool_ or (is_list and p.ndim != 2)), None)
        if wrong is not None:
            p = self._parts[wrong]
            raise ScoresError(
                f"labels[{wrong}] is {p.dtype} of shape {p.shape}, and labels[0] is boolean [T,K]: of all recordings give the class of each step, "
                "or of all which it may be",
                recording=wrong,
            )

    @staticmethod
    def of(labels: Any) -> LabelSets | None:
        """None: they are classes."""
        if isinstance(labels, Mapping):
            labels = list(labels.values())
        n_axes, is_boolean = _looks(labels)
        if not is_boolean or n_axes not in (2, 3):
            return None
        is_list = n_axes == 3 and isinstance(labels, (list, tuple))
        return LabelSets(list(labels) if is_list else [labels], is_list)

    @property
    def n_classes(self) -> int:
        return int(self._parts[0].shape[-1])

    def shape(self) -> Any:
        """Labels of single classes in the same form."""
        plain = [np.zeros(p.shape[:-1], np.int64) for p in self._parts]
        return plain if self._is_list else plain[0]

    def inputs(self, columns: Sequence[str], batch: Batch) -> dict[str, Any]:
        """What the library takes: labels [S], and where steps may have several classes, which set [S] and the sets [n,K]."""
        batch.check_indexes(self._given if self._is_list else self._given[0], "labels")
        n_classes = len(columns)
        parts = [self._in_order(n, columns) for n in range(len(self._parts))]
        rows = batch.rows if batch.rows.shape[1] == n_classes else np.broadcast_to(np.zeros((1, 1)), (batch.n_steps, n_classes))
        may = replace(batch, rows=rows).take(parts if self._is_list else parts[0], "labels", wide=True)
        n = may.sum(axis=1)
        several = (n > 1) & (n < n_classes)
        found: dict[str, Any] = {"labels": np.where(n == 1, may.argmax(axis=1), -1).astype(np.int32)}
        if several.any():
            sets, which = np.unique(may[several], axis=0, return_inverse=True)
            found["label_set"] = np.full(len(may), -1, np.int32)
            found["label_set"][several] = which.ravel()
            found["label_sets"] = np.ascontiguousarray(sets, np.uint8)
        return found

    def _in_order(self, n: int, columns: Sequence[str]) -> NDArray[np.bool_]:
        """Recording n in the order of the columns."""
        part, names = self._parts[n], self._frames[n]
        name = f"labels[{n}]" if self._is_list else "labels"
        if part.shape[-1] != len(columns):
            mend = f"; transpose: write {name}.T" if part.ndim == 2 and part.shape[0] == len(columns) else ""
            raise ScoresError(
                f"{name} are boolean of shape {part.shape}, and there are {len(columns)} classes, {', '.join(columns[:20])}: rows are steps, columns are "
                f"classes, true where the step may have the class{mend}"
            )
        if names is None or names == list(columns):
            return part
        if sorted(names) != sorted(columns):
            raise ScoresError(f"{name} have columns {', '.join(names[:20])}, and the classes are {', '.join(columns[:20])}")
        return part[:, [names.index(c) for c in columns]]


__all__ = ["LabelSets"]
