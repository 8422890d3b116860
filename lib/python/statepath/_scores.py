"""What users hold, as the extension takes it: rows [S,K], offsets [N+1], and the way back to the shape that came in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import ScoresError, StatepathError

_FLOATS = {np.dtype(np.float32), np.dtype(np.float64)}  # of this machine's byte order
KINDS = ("log_probs", "probs", "logits", "scores")
_NO_LABEL = ("", "nan", "none", "<na>", "nat")


# ---- one array ----


def column_names(x: Any) -> list[Any] | None:
    """The columns' names of a data frame: of pandas, polars, Arrow, dask, or in their likeness. None: it is none."""
    if type(x) is np.ndarray:
        return None
    names = getattr(x, "column_names", None)  # pyarrow.Table, whose `columns` are the columns themselves
    if isinstance(names, (list, tuple)):
        return list(names)
    return list(x.columns) if hasattr(x, "columns") and (hasattr(x, "to_numpy") or hasattr(x, "__array__")) else None


def index_of(x: Any) -> Any:
    """The index of pandas' frames and series; None: there is none."""
    return x.index if type(x) is not np.ndarray and hasattr(x, "iloc") and hasattr(x, "to_numpy") else None


def _is_numbered(index: Any) -> bool:
    """Does an index only count the steps from 0?"""
    return index.nlevels == 1 and np.array_equal(np.asarray(index), np.arange(len(index)))


def indexes_of(x: Any, is_list: bool) -> list[Any]:
    """The index of each recording of a list, or of the whole; empty: there are none."""
    found = [index_of(item) for item in x] if is_list else [index_of(x)]
    return [] if all(index is None for index in found) else found


def check_index(index: Any, other: Any, name: str, of: str) -> None:
    """Steps are matched by their place: indexes must not say otherwise. One that only counts says nothing beside other values."""
    if index is None or other is None or len(index) != len(other) or index.equals(other):
        return
    if _is_numbered(index) != _is_numbered(other) and set(index) != set(other):
        return
    step = next((i for i, (a, b) in enumerate(zip(index, other, strict=True)) if a != b), None)
    if step is not None:
        raise ScoresError(
            f"{name} and {of} have indexes that differ, at step {step} {other[step]!r} and {index[step]!r}: bring both "
            f"into one order, as {name}.reindex({of}.index) does, or write {name}.to_numpy() where steps match by place",
            step=step,
        )


def _refuse_tensor(x: Any, name: str) -> None:
    """Tensors that cannot be looked at from here, with the line to write."""
    if getattr(x, "requires_grad", False):
        raise ScoresError(f"{name} require a gradient, which decoding cannot give back: write {name}.detach()")
    device = getattr(x, "device", None)
    if str(getattr(device, "type", "cpu")) == "meta":
        raise ScoresError(f"{name} are on the device meta: a shape without numbers; give a tensor that was computed")
    where = str(getattr(device, "type", "cpu"))
    if where != "cpu" and type(x).__module__.startswith("torch"):
        raise ScoresError(f"{name} are on the device {device}: write {name}.cpu()")
    if "bfloat16" in str(getattr(x, "dtype", "")):
        line = f"{name}.float()" if type(x).__module__.startswith("torch") else f'{name}.astype("float32")'
        raise ScoresError(f"{name} are bfloat16, which numpy does not know: write {line}")
    if getattr(x, "is_sparse", False) is True:
        raise ScoresError(f"{name} are a sparse tensor: write {name}.to_dense()")


def _from_dlpack(x: Any, name: str) -> NDArray[Any]:
    _refuse_tensor(x, name)
    kind = x.__dlpack_device__()[0] if hasattr(x, "__dlpack_device__") else 1
    if int(kind) not in (1, 3, 11):  # CPU, and memory of the CPU that CUDA or ROCm has pinned
        raise ScoresError(f"{name} are not in the CPU's memory: write numpy.asarray(jax.device_get({name})), or the like")
    try:
        return np.from_dlpack(x)
    except (BufferError, TypeError, RuntimeError, ValueError, AttributeError):
        return np.asarray(x)


_ARRAYS = ("__array__", "__array_interface__", "__array_struct__", "__dlpack__")


def _is_array(x: Any) -> bool:
    """Something that numpy takes as it is, without an index."""
    if any(hasattr(x, name) for name in _ARRAYS):
        return True
    try:
        memoryview(x)
    except TypeError:
        return False
    return True


def _listed(x: Any, name: str) -> Any:
    """Sequences as lists, so that numpy walks nothing unknown: an index of it may give another such thing, for ever."""
    if isinstance(x, (list, tuple)):
        if any(hasattr(t, "__getitem__") and not issubclass(t, (str, bytes, Mapping, np.generic)) for t in set(map(type, x))):
            return [_inside(v, name) for v in x]
        return x
    if isinstance(x, Sequence) and not isinstance(x, (str, bytes)) and not _is_array(x):
        return _listed([x[i] for i in range(len(x))], name)
    return _inside(x, name)


def _inside(x: Any, name: str) -> Any:
    """The same of an item of a sequence: one that is no list is not walked."""
    if isinstance(x, (list, tuple)):
        return _listed(x, name)
    if hasattr(type(x), "__getitem__") and not isinstance(x, (str, bytes, Mapping, np.generic)) and not _is_array(x):
        what = type(x).__name__
        raise ScoresError(f"{name}: an object of type {what} is neither an array nor a list, and no data that are known here: give an array or a list of what it holds")
    return x


def array_of(x: Any, name: str) -> NDArray[Any]:
    """Anything as a numpy array of numbers, without a copy where that can be done; the type is not looked at yet."""
    if type(x) is np.ndarray:
        return x
    if isinstance(x, np.ma.MaskedArray):
        raise ScoresError(f'{name} are a masked array: write {name}.filled(numpy.nan) with missing="uniform", or give the mask as mask= or step_mask=')
    if column_names(x) is not None and hasattr(x, "to_numpy"):
        return np.asarray(x.to_numpy())
    if not isinstance(x, (np.ndarray, list, tuple)) and hasattr(x, "__dlpack__"):
        return _from_dlpack(x, name)
    _refuse_tensor(x, name)
    x = _listed(x, name)
    try:
        return np.asarray(x)
    except (ValueError, TypeError) as error:
        raise ScoresError(f"{name} cannot be read as an array ({error}); recordings of different lengths are given as a list of arrays [T,K]") from None


def numbers_of(x: Any, name: str) -> NDArray[Any]:
    """The array as float32 or float64 of this machine's byte order, C-contiguous and aligned; a copy only where it is not so already."""
    a = array_of(x, name)
    flags = a.flags
    if a.dtype in _FLOATS and flags.c_contiguous and flags.aligned:
        return a
    if a.dtype != np.float32 and a.dtype != np.float64:
        a = _as_float(a, name)
    return np.require(a, a.dtype.newbyteorder("="), ["C", "A"])


def _as_float(a: NDArray[Any], name: str) -> NDArray[Any]:
    if a.dtype.kind == "f":
        return a.astype(np.float32 if a.dtype.itemsize <= 2 else np.float64)
    if a.dtype.kind in "iu":
        return a.astype(np.float64)
    if a.dtype.kind == "O" and a.size and all(isinstance(v, (int, float, np.number)) for v in a.flat):
        return a.astype(np.float64)
    if a.size == 0:
        return a.astype(np.float64)
    what = {"O": "Python objects", "b": "true and false", "c": "complex numbers", "U": "text", "S": "text"}.get(a.dtype.kind, a.dtype.name)
    raise ScoresError(f"{name} hold {what} (dtype {a.dtype}): numbers are needed, float32 or float64")


def integers_of(x: Any, name: str) -> NDArray[np.int64]:
    """Whole numbers, of whatever type."""
    a = array_of(x, name)
    if a.dtype.kind in "iu" or a.size == 0:
        return a.astype(np.int64)
    if a.dtype.kind == "f" and bool(np.all(np.isfinite(a))) and bool(np.all(a == np.floor(a))):
        return a.astype(np.int64)
    raise StatepathError(f"{name}= must be whole numbers, not {a.dtype}")


def seed_of(value: Any) -> int:
    """What C takes for a seed."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**64:
        raise StatepathError(f"seed={value!r}: a whole number from 0 to {2**64 - 1} is needed")
    return int(value)


def number_of(value: Any, name: str) -> float:
    """One number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise StatepathError(f"{name}={value!r}: a number is needed") from None


def seconds_of(epoch_seconds: Any) -> float:
    """The length of a step, checked."""
    try:
        seconds = float(epoch_seconds)
    except (TypeError, ValueError):
        raise StatepathError(f"epoch_seconds={epoch_seconds!r}: a number of seconds is needed") from None
    if not 1e-9 <= seconds <= 1e9:
        raise StatepathError(f"epoch_seconds={epoch_seconds}: the length of a step is above 0, and below 31 years")
    return seconds


def file_name(file: Any) -> str | bytes:
    """The name of a file as the extension takes it."""
    try:
        name: str | bytes = os.fspath(file)
        os.fsencode(name)
    except (TypeError, UnicodeError):
        raise StatepathError(f"file={file!r}: the name of a file is needed") from None
    if "\0" in os.fsdecode(name):
        raise StatepathError("file=: its name holds a NUL character")
    return name


def texts_of(x: Any, n: int, name: str) -> list[str] | None:
    """A text for each recording."""
    if x is None:
        return None
    if isinstance(x, (str, bytes)) or not isinstance(x, Iterable):
        raise StatepathError(f"{name}={x!r}: a list of {n} names is needed, one a recording")
    out = [str(v) for v in x]
    if len(out) != n:
        raise StatepathError(f"{name}= has {len(out)} names and there are {n} recordings")
    return out


def ids_of(ids: Any, n: int) -> list[str]:
    """Names of the recordings; without: their numbers from 0."""
    out = texts_of(ids, n, "ids") or [str(i) for i in range(n)]
    if len(set(out)) != n:
        raise StatepathError("ids= names a recording twice")
    return out


# ---- layouts ----


@dataclass(slots=True)
class Batch:
    """Recordings one after the other.

    rows [S,K], offsets [N+1]. `real` [N,T] says which places of a padded batch are steps. `frames` are those of pandas that came, with the
    columns in the order of `columns`; `indexes` those of each recording, or one of all, where there are any.
    """

    rows: NDArray[Any]
    offsets: NDArray[np.int64]
    layout: str  # "single", "packed", "padded", "list"
    real: NDArray[np.bool_] | None = None  # None: all
    shape: tuple[int, ...] = ()  # (N, T) of padded
    segments: NDArray[np.int64] | None = None  # made by gaps="break"
    columns: list[str] | None = None
    frames: list[Any] = field(default_factory=list)
    indexes: list[Any] = field(default_factory=list)
    what: str = "scores"  # whose the indexes are

    @property
    def n_recordings(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_steps(self) -> int:
        return int(self.rows.shape[0])

    # -- out --

    def steps(self, values: NDArray[Any], fill: Any) -> Any:
        """Values [S] or [S,...] of each step in the shape that came in."""
        if self.layout == "packed" or (self.layout == "single" and not self.frames):
            return values
        if self.layout == "padded":
            if self.real is None:
                return values.reshape(self.shape + values.shape[1:])
            out = np.full(self.shape + values.shape[1:], fill, values.dtype)
            out[self.real] = values
            return out
        parts = [self._dressed(n, values[self.offsets[n] : self.offsets[n + 1]]) for n in range(self.n_recordings)]
        return parts[0] if self.layout == "single" else parts

    def _dressed(self, n: int, values: NDArray[Any]) -> Any:
        """A recording's values as what the recording was: an array, a Series or a data frame."""
        if not self.frames or self.frames[n] is None:
            return values
        frame = self.frames[n]
        make = frame._constructor_sliced if values.ndim == 1 else frame._constructor
        names = {"name": "path"} if values.ndim == 1 else {"columns": frame.columns}
        return make(values, index=frame.index, **names)

    def recordings(self, values: NDArray[Any]) -> Any:
        """Values [N] of each recording: one number where one recording came."""
        return values[0].item() if self.layout == "single" else values

    # -- in --

    def with_segments(self, segments: Any) -> NDArray[np.int64] | None:
        """Segments [S] that are given, and those that gaps="break" made: a new one wherever either changes."""
        given = None if segments is None else integers_of(self.take(segments, "segments"), "segments")
        made = self.segments
        if given is not None and made is not None:
            made = np.cumsum((np.diff(given, prepend=given[:1]) != 0) | (np.diff(made, prepend=made[:1]) != 0))
        elif given is not None:
            made = given
        return None if made is None else np.ascontiguousarray(made, np.int64)

    def check_indexes(self, x: Any, name: str) -> None:
        """Are the steps of what stands beside the scores in their order, where both have an index?"""
        if self.layout == "list" and isinstance(x, (list, tuple)):
            for n, (index, item) in enumerate(zip(self.indexes, x, strict=False)):
                check_index(index, index_of(item), f"{name}[{n}]", f"{self.what}[{n}]")
        elif self.layout != "list" and self.indexes:
            check_index(self.indexes[0], index_of(x), name, self.what)

    def take(self, x: Any, name: str, *, wide: bool = False) -> NDArray[Any]:
        """What stands beside the scores, in their shape (with K where `wide`), as [S] or [S,K]."""
        self.check_indexes(x, name)
        tail = (self.rows.shape[1],) if wide else ()
        if self.layout == "list" and isinstance(x, (list, tuple)):
            if len(x) != self.n_recordings:
                raise StatepathError(f"{name}= has {len(x)} recordings and scores have {self.n_recordings}")
            parts = [array_of(p, f"{name}[{n}]") for n, p in enumerate(x)]
            for n, part in enumerate(parts):
                expected = (int(self.offsets[n + 1] - self.offsets[n]), *tail)
                if part.shape != expected:
                    raise StatepathError(f"{name}[{n}] has shape {part.shape}, not {expected}")
            return np.concatenate(parts) if parts else np.empty((0, *tail), np.int64)
        a = array_of(x, name)
        if self.layout == "padded":
            if a.shape == self.shape + tail:
                return a.reshape((-1, *tail)) if self.real is None else a[self.real]
            expected = self.shape + tail
        else:
            expected = (self.n_steps, *tail)
            if a.shape == expected and self.layout != "list":
                return a
        what = f"a list of {self.n_recordings} arrays" if self.layout == "list" else f"shape {expected}"
        raise StatepathError(f"{name}= has shape {a.shape}; the scores ask for {what}")


def _check_classes(shape: tuple[int, ...], n_classes: int, name: str) -> None:
    """The last axis is the classes; where another one has their number, it says how to swap them."""
    if shape[-1] == n_classes:
        return
    if len(shape) == 2 and shape[0] == n_classes:
        raise ScoresError(f"{name} have shape {shape}, and the model has {n_classes} classes: rows are steps, columns are classes; transpose: write {name}.T")
    if len(shape) == 3 and shape[1] == n_classes:
        raise ScoresError(f"{name} have shape {shape}, and the model has {n_classes} classes: the last axis is the classes; transpose: write numpy.swapaxes({name}, 1, 2)")
    raise ScoresError(f"{name} have {shape[-1]} classes (shape {shape}) and the model has {n_classes}: take a model of the same classes")


def columns_of(x: Any) -> list[str] | None:
    """The names of a frame's columns; None where it has none, or they are only numbered, as pandas and polars do."""
    columns = column_names(x)
    if columns is None or columns == list(range(len(columns))) or columns == [f"column_{k}" for k in range(len(columns))]:
        return None
    return [str(c) for c in columns]


def order_of_columns(x: Any, columns: Sequence[str] | None, name: str, first: str, recording: int = -1) -> list[int] | None:
    """Where each of `columns`, those of `first`, stands in a frame; None: as they are. An array goes by their order."""
    own = columns_of(x)
    if own is None or (columns is not None and own == list(columns)):
        return None
    if columns is None:
        what = f"{name} names its columns, and {first} does not: name those of all, or of none"
        raise ScoresError(what, recording=recording)
    if sorted(own) != sorted(columns) or len(set(own)) != len(own):
        what = f"{name} has other columns than {first}: {', '.join(own[:10])}, not {', '.join(columns[:10])}"
        raise ScoresError(what, recording=recording)
    return [own.index(c) for c in columns]


def _single(x: Any, n_classes: int, name: str, order: list[int] | None) -> NDArray[Any]:
    raw = array_of(x, name)
    if raw.ndim != 2:
        raise ScoresError(f"{name} have shape {raw.shape}: a recording is [T,K], steps by classes")
    _check_classes(raw.shape, n_classes, name)
    return numbers_of(raw if order is None else raw[:, order], name)


def _is_list_of_recordings(x: Any) -> bool:
    """A list of arrays [T,K], not an array written as a list of lists of numbers."""
    if not isinstance(x, (list, tuple)):
        return False
    if not x:
        return True
    first = x[0]
    if isinstance(first, (list, tuple)):
        return bool(first) and (isinstance(first[0], (list, tuple)) or getattr(first[0], "ndim", 0) == 1)
    return getattr(first, "ndim", 0) == 2 or column_names(first) is not None


def _list(x: Sequence[Any], n_classes: int) -> Batch:
    arrays: list[NDArray[Any]] = []
    frames: list[Any] = []
    columns = columns_of(x[0]) if x else None
    for n, item in enumerate(x):
        order = order_of_columns(item, columns, f"scores[{n}]", "scores[0]", n)
        arrays.append(_single(item, n_classes, f"scores[{n}]", order))
        is_indexed = column_names(item) is not None and index_of(item) is not None
        frames.append(None if not is_indexed else item if order is None else item.iloc[:, order])
    lengths = np.array([len(a) for a in arrays], np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    if len(arrays) == 1:
        rows = arrays[0]
    else:
        rows = np.concatenate(arrays) if arrays else np.empty((0, n_classes))
    return Batch(rows, offsets, "list", columns=columns, frames=frames, indexes=indexes_of(x, True))


def _whole(a: NDArray[np.int64], name: str, low: int, high: int, what: str) -> None:
    wrong = np.flatnonzero((a < low) | (a > high))
    if len(wrong):
        raise StatepathError(f"{name}[{wrong[0]}] is {a[wrong[0]]}: {what}", recording=int(wrong[0]))


def _packed(a: NDArray[Any], lengths: Any, offsets: Any) -> Batch:
    if offsets is not None:
        o = integers_of(offsets, "offsets")
        if o.ndim != 1 or len(o) < 1 or o[0] != 0 or o[-1] != len(a) or np.any(np.diff(o) < 0):
            raise StatepathError(f"offsets= must ascend from 0 to the {len(a)} steps of the scores, one more than there are recordings")
        return Batch(a, o, "packed")
    n = integers_of(lengths, "lengths")
    if n.ndim != 1:
        raise StatepathError(f"lengths= has shape {n.shape}: one number for each recording")
    _whole(n, "lengths", 0, len(a), "a number of steps")
    if n.sum() != len(a):
        raise StatepathError(f"lengths= add up to {n.sum()}, and scores have {len(a)} rows")
    return Batch(a, np.concatenate([np.zeros(1, np.int64), np.cumsum(n)]), "packed")


def real_steps(shape: tuple[int, int], lengths: Any, mask: Any) -> NDArray[np.bool_] | None:
    """Which places of a padded batch are steps; None: all."""
    if lengths is not None:
        n = integers_of(lengths, "lengths")
        if n.shape != shape[:1]:
            raise StatepathError(f"lengths= has shape {n.shape}; {shape[0]} recordings ask for ({shape[0]},)")
        _whole(n, "lengths", 0, shape[1], f"a number of steps from 0 to {shape[1]}")
        return np.arange(shape[1]) < n[:, None]
    if mask is None:
        return None
    m = array_of(mask, "mask")
    if m.shape != shape:
        hint = "; classes that cannot occur at a step are given as step_mask=" if m.ndim == 3 else ""
        raise StatepathError(f"mask= has shape {m.shape}, not {shape}{hint}")
    if m.dtype.kind not in "biuf" or (m.dtype.kind != "b" and not np.all((m == 0) | (m == 1))):
        raise StatepathError("mask= must be true for real steps and false for padding (or 1 and 0); an additive mask is 0 and -inf: write mask == 0")
    return m.astype(bool)


def check_gaps(gaps: Any) -> None:
    if gaps is not None and not (isinstance(gaps, str) and gaps in ("join", "break")):
        raise StatepathError(f'gaps="{gaps}": it is "join" (the neighbours of a hole become adjacent) or "break" (a new segment begins)')


def join_or_break(real: NDArray[np.bool_], gaps: str | None) -> NDArray[np.int64] | None:
    """Looks for holes between real steps. Segments [S] where gaps="break"."""
    check_gaps(gaps)
    begins = real & ~np.pad(real, ((0, 0), (1, 0)))[:, :-1]
    runs = np.cumsum(begins, axis=1)
    if runs.shape[1] == 0 or not np.any(runs[:, -1] > 1):
        return None
    if gaps is None:
        n = int(np.flatnonzero(runs[:, -1] > 1)[0])
        step = int(np.flatnonzero(begins[n])[1])
        raise StatepathError(
            f'mask= has a hole in recording {n}, before step {step}: gaps="join" makes its neighbours adjacent, gaps="break" begins a new segment after it',
            recording=n,
            step=step,
        )
    segments: NDArray[np.int64] = runs[real].astype(np.int64)
    return segments if gaps == "break" else None


def _is_plain(labels: Any) -> bool:
    """An array or lists of numbers: no hypnogram, no annotations."""
    if isinstance(labels, (list, tuple)):
        return all(_is_plain(item) for item in {type(v): v for v in labels}.values())
    return not any(hasattr(labels, name) for name in ("hypno", "description", "_label_arrays"))


def is_none(label: Any) -> bool:
    """Does it say that a step has no label?"""
    return label is None or str(label).strip().lower() in _NO_LABEL


def check_ends(labels: NDArray[Any]) -> None:
    """Does a row of labels [N,T], of which nothing says how long it is, end in a step without a label? It may be padded there."""
    if labels.size == 0:
        return
    last = labels[:, -1]
    if labels.dtype.kind in "iu":
        none = last < 0
    elif labels.dtype.kind == "f":
        none = np.isnan(last) | (last < 0)
    else:
        none = np.array([is_none(v) or str(v).strip() == "-1" for v in last.tolist()], bool)
    if none.any():
        n, (N, T) = int(np.flatnonzero(none)[0]), labels.shape
        raise ScoresError(
            f"labels: row {n} ends without a label, and nothing says how long the rows are: lengths= or mask= does "
            f"(lengths=[{T}] * {N} where all are steps), or -100 where a row is padded",
            recording=n,
        )


def without_ignored(scores: Any, labels: Any, options: Mapping[str, Any], *, are_scored: bool = False) -> dict[str, Any]:
    """The options of scores [N,T,K], with a mask that leaves out the steps whose label, of labels [N,T], is -100.

    At the end of a row they are padding. Elsewhere `gaps` says what becomes of them; without it that is an error. are_scored: figures are made
    of the labels, so that rows must say how long they are.
    """
    check_gaps(options.get("gaps"))
    given = [options.get(name) for name in ("lengths", "mask", "offsets")]
    if labels is None or not _is_plain(labels) or _is_list_of_recordings(scores) or sum(x is not None for x in given) > 1:
        return dict(options)
    shape = tuple(getattr(scores, "shape", ()))
    if len(shape) != 3:
        return dict(options)
    a = array_of(labels, "labels")
    kept = None if a.shape != shape[:2] else labelled(a, real_steps(a.shape, *given[:2]), options.get("gaps"))
    if are_scored and kept is None and a.shape == shape[:2] and all(x is None for x in given):
        check_ends(a)
    return dict(options) if kept is None else {**options, "lengths": None, "mask": kept}


def labelled(labels: NDArray[Any], real: NDArray[np.bool_] | None, gaps: str | None) -> NDArray[np.bool_] | None:
    """The steps [N,T] whose label is not -100, of those that are real (None: all); None where no label is -100."""
    if labels.dtype.kind not in "iufO":
        return None
    ignored = np.asarray(labels == -100, bool)
    if real is not None:
        ignored &= real
    if not ignored.any():
        return None
    kept = ~ignored if real is None else real & ~ignored
    goes_on = np.cumsum(kept[:, ::-1], axis=1)[:, ::-1] > 0
    holes = np.argwhere(ignored & goes_on)
    if gaps is None and len(holes):
        n, step = holes[0].tolist()
        raise ScoresError(
            f"labels= are -100 in recording {n}, step {step}, before a step that takes part: gaps=\"join\" leaves such steps out and makes their "
            f'neighbours adjacent, gaps="break" begins a new segment after them; -1 is a step that is decoded, and not scored',
            recording=n,
            step=step,
        )
    return kept


def _padded(a: NDArray[Any], lengths: Any, mask: Any, gaps: str | None) -> Batch:
    shape = (int(a.shape[0]), int(a.shape[1]))
    real = real_steps(shape, lengths, mask)
    if real is None or bool(real.all()):
        offsets = np.arange(shape[0] + 1, dtype=np.int64) * shape[1]
        return Batch(a.reshape(-1, a.shape[2]), offsets, "padded", shape=shape)
    segments = join_or_break(real, gaps)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(real.sum(axis=1), dtype=np.int64)])
    return Batch(np.ascontiguousarray(a[real]), offsets, "padded", real=real, shape=shape, segments=segments)


def batch_of(scores: Any, n_classes: int, *, lengths: Any = None, offsets: Any = None, mask: Any = None, gaps: str | None = None) -> Batch:
    """Scores of any shape as a batch; an error says which shape is meant."""
    if (lengths is not None) + (offsets is not None) + (mask is not None) > 1:
        raise StatepathError("one of lengths=, offsets= and mask= says where the recordings are")
    check_gaps(gaps)
    is_plain = type(scores) is np.ndarray  # nothing to be told apart: most calls, and small ones cost little but these questions
    if not is_plain and _is_list_of_recordings(scores):
        if lengths is not None or offsets is not None or mask is not None:
            raise StatepathError("a list of recordings says itself how long they are: leave lengths=, offsets= and mask= out")
        return _list(scores, n_classes)
    if not is_plain and (isinstance(scores, (str, bytes)) or hasattr(scores, "__fspath__")):
        raise ScoresError(
            f"scores are a text, {os.fsdecode(scores)!r}: a file is read first, recordings = statepath.read(file, model=...), "
            "then statepath.decode(**recordings.decoding, model=...) or statepath.compare(**recordings, model=...)"
        )
    index = None if is_plain else index_of(scores)
    raw = scores if is_plain else array_of(scores, "scores")
    if raw.ndim not in (2, 3):
        raise ScoresError(f"scores have shape {raw.shape}: give [T,K], [N,T,K], a list of [T,K], or [S,K] with lengths= or offsets=")
    if raw.shape[-1] != n_classes:
        _check_classes(raw.shape, n_classes, "scores")
    a = numbers_of(raw, "scores")
    if raw.ndim == 3:
        if offsets is not None:
            raise StatepathError("offsets= belong to packed scores [S,K]; for [N,T,K] give lengths= or mask=")
        return _padded(a, lengths, mask, gaps)
    if mask is not None:
        raise StatepathError("mask= belongs to padded scores [N,T,K]; classes that cannot occur at a step are given as step_mask=")
    if lengths is not None or offsets is not None:
        batch = _packed(a, lengths, offsets)
    else:
        batch = Batch(a, np.array([0, len(a)], np.int64), "single", frames=[] if index is None else [scores])
    batch.columns = None if is_plain else columns_of(scores)
    batch.indexes = [] if index is None else [index]
    return batch
