"""Labels and paths as users hold them, as numbers of classes: what every function takes for a label is said here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import ScoresError, StatepathError
from ._scores import array_of, integers_of, is_none

if TYPE_CHECKING:
    from ._model import Model
    from ._scores import Batch

USUAL_EPOCH = 30.0
_UNKNOWN = -2
_PADDING = -100
_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
_SHOWN = 20


# ---- what holds labels, as arrays ----


def _is_label(x: Any) -> bool:
    """A single label, no sequence of them."""
    return isinstance(x, (str, bytes)) or not (hasattr(x, "__len__") or hasattr(x, "_label_arrays") or _is_annotations(x))


def _yasa(hypnogram: Any) -> NDArray[np.object_]:
    """The words of a yasa.Hypnogram; None where it is unscored or an artefact."""
    words = array_of(hypnogram.hypno, "hypno").astype(object)
    words[np.isin(words.astype(str), ("UNS", "ART"))] = None
    return words


def _is_annotations(x: Any) -> bool:
    return all(hasattr(x, name) for name in ("onset", "duration", "description"))


def holds_annotations(x: Any) -> bool:
    """Annotations do not say how long the recording is."""
    return _is_annotations(x) or (isinstance(x, (list, tuple)) and len(x) > 0 and _is_annotations(x[0]))


def steps_of_annotations(annotations: Any, numbers: Any, epoch_seconds: float, n_steps: int | None = None, start: float = 0.0) -> NDArray[np.int32]:
    """The number of each step, of annotations that have a number each; -1 for none. Without `n_steps` to the end of the last that has one."""
    onset, duration = np.asarray(annotations.onset, np.float64) - start, np.asarray(annotations.duration, np.float64)
    first, last = np.rint(onset / epoch_seconds).astype(int), np.rint((onset + duration) / epoch_seconds).astype(int)
    known = [(a, b, k) for a, b, k in zip(first.tolist(), last.tolist(), np.asarray(numbers).tolist(), strict=True) if k >= 0]
    out = np.full(n_steps if n_steps is not None else max((b for _, b, _ in known), default=0), -1, np.int32)
    for a, b, k in known:
        out[max(a, 0) : max(b, 0)] = k
    return out


def names_of_labels(labels: Any) -> tuple[str, ...]:
    """Names of the classes that occur in labels: the words, sorted; of numbers class0, class1, ..."""
    listed = [v for part in (labels if isinstance(labels, list) else [labels]) for v in np.asarray(part, object).ravel().tolist()]
    strange = next((v for v in listed if not isinstance(v, (str, bytes, int, float, np.generic)) and not is_none(v)), None)
    if strange is not None:
        raise ScoresError(f"labels hold {type(strange).__name__}: numbers or names of classes are needed")
    seen = {v.decode("utf-8", "replace") if isinstance(v, bytes) else v for v in listed}
    seen = {v for v in seen if not is_none(v) and str(v) not in ("-1", "-1.0", str(_PADDING), f"{_PADDING}.0")}
    if not seen:
        raise StatepathError("no labelled step to learn from; all labels are -1")
    if all(isinstance(v, (int, float, np.number)) for v in seen):
        return tuple(f"class{k}" for k in range(int(max(seen)) + 1))
    return tuple(sorted(str(v) for v in seen))


def shown(label: Any) -> str:
    """A label in a sentence: text in quotes, whatever its type."""
    return f'"{label}"' if isinstance(label, str) else str(label)


# ---- what they mean ----


class Meaning:
    """What labels mean where the scores have these columns.

    Words are names of columns, classes and aliases of the model, words for stages where the model is of sleep. Numbers, also as text, are
    columns where these are in the order of the model; where they are in another order, `order` says whether they are columns or classes
    of the model, and without it they are an error. -1, None, NaN and "" are no label; -100 is none in labels [N,T], whose steps are taken
    out before. With `codes` or `map` all are read by that coding.
    """

    def __init__(
        self,
        columns: Sequence[str],
        model: Model | None = None,
        *,
        codes: str | None = None,
        map: str | None = None,
        epoch_seconds: float | None = None,
        is_of_sleep: bool | None = None,
        order: str | None = None,
    ) -> None:
        if order not in (None, "columns", "model"):
            raise StatepathError(f'label_order={order!r}: it is "columns" (of the scores) or "model" (the order of its classes)')
        self.order = order
        self.columns = tuple(columns)
        self.model = model
        self.coding = None if codes is None and map is None else (codes, map)
        self.epoch_seconds = USUAL_EPOCH if epoch_seconds is None else float(epoch_seconds)
        self._is_of_sleep = is_of_sleep
        self._words: dict[str, int] | None = None
        self._column_of_class: NDArray[np.int64] | None = None

    # -- single labels --

    def _columns_of(self, classes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Classes of the model as columns; numbers below 0 stay."""
        assert self.model is not None
        if self._column_of_class is None:
            order = self.model._column_classes(self.columns)
            self._column_of_class = np.arange(len(self.columns)) if order is None else np.argsort(order)
        return np.where(classes >= 0, self._column_of_class[classes], classes)

    def _table(self) -> dict[str, int]:
        if self._words is None:
            words = {name: k for k, name in enumerate(self.columns)}
            if self.model is not None:
                named = [*((name, k) for k, name in enumerate(self.model.classes)), *((a, k) for k, a in self.model._fields["aliases"])]
                columns = self._columns_of(np.array([k for _, k in named], np.int32)).tolist()
                for (name, _), column in zip(named, columns, strict=True):
                    words.setdefault(name, column)
            self._words = words
        return self._words

    def _coded(self, words: list[str], codes: str | None, map: str | None) -> list[int]:
        assert self.model is not None
        found: list[int] = self._columns_of(np.frombuffer(_core.coded_labels(words, self.model._handle, codes, map), np.int32)).tolist()
        return found

    def _knows_stages(self) -> bool:
        """Each class of the model is a stage of sleep, and all five are there."""
        if self._is_of_sleep is None:
            stages: set[int] = set()
            if self.model is not None and self.model.n_classes == 5:
                aasm = _core.model_load("sleep-aasm")
                stages = set(np.frombuffer(_core.coded_labels(list(self.model.classes), aasm, "words", None), np.int32).tolist())
            self._is_of_sleep = stages == set(range(5))
        return self._is_of_sleep

    def word(self, word: str) -> int:
        """The column that a word means; -1 for none, another number below 0 where it means nothing."""
        table, bare = self._table(), word.strip()
        if word in table or bare in table:
            return table.get(word, table.get(bare, _UNKNOWN))
        if not bare.isprintable():  # NUL, lone surrogates: no class is called so
            return _UNKNOWN
        if is_none(bare) or _core.unscored_words([bare], self.columns):
            return -1
        if _WHOLE.fullmatch(bare):
            return int(float(bare))
        return self._coded([bare], "words", None)[0] if self._knows_stages() else _UNKNOWN

    def _number(self, label: Any) -> int:
        if isinstance(label, bytes):
            label = label.decode("utf-8", "replace")
        if self.coding is not None:
            is_whole = isinstance(label, float) and label.is_integer()
            return -1 if is_none(label) else self._coded([str(int(label) if is_whole else label)], *self.coding)[0]
        if isinstance(label, str):
            return self.word(label)
        if is_none(label):
            return -1
        try:
            return int(label) if label == int(label) else _UNKNOWN
        except (TypeError, ValueError, OverflowError):
            return _UNKNOWN

    # -- the order of numbers --

    def _is_bare(self, label: Any) -> bool:
        """Is a label a number, which no name explains?"""
        if isinstance(label, (str, bytes)):
            word = label.decode("utf-8", "replace") if isinstance(label, bytes) else label
            return word.strip() not in self._table() and _WHOLE.fullmatch(word.strip()) is not None
        return not is_none(label)

    def _in_columns(self, found: NDArray[np.int64], labels: NDArray[Any], name: str, rows: NDArray[Any] | None) -> NDArray[np.int64]:
        """Numbers of labels as columns, where the columns are in another order than the classes of the model."""
        inside = (found >= 0) & (found < len(self.columns))
        if self.model is None or self.coding is not None or self.order == "columns" or self.columns == self.model.classes or not inside.any():
            return found
        if labels.dtype.kind not in "iuf":
            inside &= np.array([self._is_bare(label) for label in labels.tolist()], bool)
        as_model = np.where(inside, self._columns_of(np.where(inside, found, -1).astype(np.int32)), found)
        if self.order == "model" or not inside.any() or np.array_equal(as_model, found):
            return as_model
        agree = ""
        if rows is not None and rows.ndim == 2 and rows.shape[1] == len(self.columns):
            best = rows.argmax(axis=1)[inside]
            agree = (
                f": as the columns' order the labels agree with the best classes of the scores in {np.mean(found[inside] == best):.2f} of the steps, "
                f"as the model's in {np.mean(as_model[inside] == best):.2f}"
            )
        raise ScoresError(
            f"{name} are numbers of classes, and the columns of the scores ({self.columns[0]} first) are in another order than model "
            f'{self.model.name} ({self.model.classes[0]} first){agree}; label_order="columns" or "model" says which is meant'
        )

    # -- arrays --

    def numbers(
        self, labels: NDArray[Any], name: str = "labels", offsets: NDArray[np.int64] | None = None, rows: NDArray[Any] | None = None
    ) -> NDArray[np.int32]:
        """Columns [S] of labels [S], -1 for none. `offsets` [N+1] say where the recordings begin; `rows` are the scores, for a message."""
        if labels.dtype.kind in "iuf" and self.coding is None:
            found = integers_of(np.where(np.isnan(labels), -1, labels) if labels.dtype.kind == "f" else labels, name)
        elif labels.dtype.kind in "iufOUST":
            values = labels.tolist()
            try:
                known = {value: self._number(value) for value in set(values)}
            except TypeError:
                raise ScoresError(f"{name} hold {type(values[0]).__name__}: numbers or names of classes are needed") from None
            found = np.array([known[value] for value in values], np.int64)
        else:
            found = integers_of(labels, name)
        wrong = np.flatnonzero((found < -1) | (found >= len(self.columns)))
        if len(wrong):
            self._refuse(labels, int(wrong[0]), name, offsets)
        found = self._in_columns(found, labels, name, rows)
        return np.ascontiguousarray(found, np.int32)

    def _refuse(self, labels: NDArray[Any], at: int, name: str, offsets: NDArray[np.int64] | None) -> None:
        starts = np.array([0, len(labels)]) if offsets is None else offsets
        n = int(np.searchsorted(starts, at, side="right")) - 1
        step = at - int(starts[n])
        value = labels[at]
        known = ", ".join(self.columns[:_SHOWN]) + (", ..." if len(self.columns) > _SHOWN else "")
        what = f"is none of the {len(self.columns)} classes {known} (0 to {len(self.columns) - 1}); -1 where there is none"
        if str(value) in (str(_PADDING), f"{_PADDING}.0"):
            what += "; -100 is left out of labels [N,T] of scores [N,T,K]: elsewhere write np.where(labels == -100, -1, labels)"
        if self.coding is not None:
            codes = " with ".join(str(part) for part in self.coding if part is not None)
            what = f"means no class by {codes}, and the classes are {known}; map= says what it means, None for unscored"
        place = f"step {step}" if offsets is None else f"recording {n}, step {step}"
        raise ScoresError(f"{name}: {place}: {shown(value)} {what}", recording=n, step=step)

    def _steps(self, annotations: Any, name: str, n_steps: int | None) -> NDArray[np.int32]:
        words = [str(word) for word in annotations.description]
        numbers = np.array([self._number(word) for word in words], np.int64)
        odd = [w for w, k in zip(words, numbers, strict=True) if k < -1 and (k == -3 or w.lower().startswith(("sleep stage", "sleep_stage")))]
        if odd or not np.any((numbers >= 0) & (numbers < len(self.columns))):
            what = f"{shown(odd[0])} is" if odd else f"none of their descriptions ({', '.join(dict.fromkeys(words[:_SHOWN]))}) is"
            raise ScoresError(f"{name} are annotations, and {what} none of the classes {', '.join(self.columns[:_SHOWN])}")
        found = steps_of_annotations(annotations, np.where(numbers < len(self.columns), numbers, -1), self.epoch_seconds)
        if n_steps is None or len(found) == n_steps:
            return found
        if len(found) > n_steps:
            raise ScoresError(
                f"{name} are annotations of {len(found)} steps of {self.epoch_seconds:g} s, and the scores have {n_steps}: "
                "give epoch_seconds=, or cut them by statepath.sleep.from_annotations(annotations, n_steps=...)"
            )
        return np.pad(found, (0, n_steps - len(found)), constant_values=-1)

    def arrays(self, x: Any, name: str, lengths: Sequence[int] | None = None) -> Any:
        """Labels of any form as an array, or a list of arrays; `lengths` are the steps of the recordings where they are known.

        Lists stay lists of recordings. Read are hypnograms (ours and YASA's), MNE's annotations, and what numpy takes for an array.
        """
        if type(x) is np.ndarray:
            return x
        if isinstance(x, (str, bytes, os.PathLike)) and {".", "/", os.sep} & set(os.fsdecode(x)):
            raise ScoresError(f"{name} are a text, {os.fsdecode(x)!r}: a file is read first, by statepath.read(file, model=...)")
        if isinstance(x, Mapping):
            return self.arrays(list(x.values()), name, lengths)
        if hasattr(x, "_label_arrays"):
            return x._label_arrays()
        if hasattr(x, "hypno") and hasattr(x, "as_int"):
            return _yasa(x)
        if _is_annotations(x):
            return self._steps(x, name, lengths[0] if lengths is not None and len(lengths) == 1 else None)
        if not isinstance(x, (list, tuple)):
            return array_of(x, name)
        if all(_is_label(v) for v in {type(v): v for v in x}.values()):
            is_mixed = any(isinstance(v, str) for v in x) and not all(isinstance(v, str) for v in x)
            return np.array(x, object) if is_mixed else array_of(x, name)
        own = lengths if lengths is not None and len(lengths) == len(x) else [None] * len(x)
        return [self.arrays(v, f"{name}[{n}]", None if t is None else [int(t)]) for n, (v, t) in enumerate(zip(x, own, strict=True))]

    def of_batch(self, x: Any, batch: Batch, name: str) -> NDArray[np.int32]:
        """Columns [S] of labels in the shape of the batch."""
        batch.check_indexes(x, name)
        plain = self.arrays(x, name, np.diff(batch.offsets).tolist())
        return self.numbers(batch.take(plain, name), name, batch.offsets, batch.rows)

    def single(self, x: Any, name: str) -> NDArray[np.int32]:
        """Columns [T] of the labels of one recording."""
        a = array_of(self.arrays(x, name), name)
        if a.ndim != 1:
            raise StatepathError(f"{name} has shape {a.shape}: one recording is [T], a class for each step")
        return self.numbers(a, name)


__all__ = ["USUAL_EPOCH", "Meaning", "holds_annotations", "is_none", "names_of_labels", "shown", "steps_of_annotations"]
