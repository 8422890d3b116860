"""Recordings from files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _hdf5
from ._errors import StatepathError, StatepathWarning, in_python
from ._hypnograms import entries_of, preset_of
from ._model import Model
from ._report import needs_library
from ._request import Classes, Kind, check_names, class_names, model_of, number_of_kind, with_options
from ._scores import KINDS, seconds_of

Progress = Callable[[str, int, int], object]


class InFile(TypedDict, total=False):
    """Where things are in a file, or in each of several; the program's options of the same names."""

    offsets: str | None
    lengths: str | None
    ids: str | None
    mask: str | None
    label_order: Literal["columns", "model"] | None
    trim_to_shortest: bool | None
    only: str | os.PathLike[str] | None
    unscored: Literal[-1, -100] | None
    comments: Literal["auto", "none", "hash"] | None
    header: bool | None
    groups: str | None
    epoch_seconds: float | None
    progress: Progress | None


class Recordings(Sequence[Any]):
    """Recordings that were read from files: what :func:`read` returns.

    A sequence of the recordings' scores (of their labels where there are no scores), and a mapping of what :func:`compare` takes:
    ``sp.compare(**recordings, model=...)``. :attr:`decoding` is what :func:`decode` takes.

    Attributes
    ----------
    scores : list of array or None
        [T, K] of each recording, float32 or float64 as stored (float16 is widened). Views of one array.
    labels : list of array of int32 or None
        [T] classes; -1 unscored.
    ids : list of str
    classes : tuple of str or None
        Names of the columns: the file's, else those of `model` or `classes`.
    lengths : array of int64
        [N] steps of each.
    segments, weights, mask : list of array or None
        [T], [T] and [T, K], as :func:`compare` takes them as `segments`, `weights` and `step_mask`.
    kind : str or None
        What the scores are.
    subjects : list of str or None
        Whose each recording is.
    epoch_seconds : float or None
        Length of a step.
    file : str
        What was read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np, statepath as sp
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.savez(folder / "door.npz", probs=[[0.9, 0.1], [0.4, 0.6], [0.6, 0.4]], labels=[0, 1, 1], classes=["closed", "open"])
    >>> door = sp.read(folder / "door.npz")
    >>> len(door), door[0].shape, door.keys()
    (1, (3, 2), ['scores', 'labels', 'ids', 'classes', 'label_order', 'kind', 'name'])
    >>> door.scores[0].dtype, door.labels[0], door.ids, door.classes, door.lengths, door.kind
    (dtype('float64'), array([0, 1, 1], dtype=int32), ['door'], ('closed', 'open'), array([3]), 'probs')
    >>> door.segments, door.weights, door.mask, door.subjects, door.epoch_seconds, pathlib.Path(door.file).name
    (None, None, None, None, None, 'door.npz')
    >>> sp.compare(**door, model=sp.Model(door.classes)).data["strategies"]["viterbi"]["accuracy"]
    0.6666666666666666
    >>> sp.decode(**door.decoding, model=sp.Model(door.classes))
    [array([0, 1, 0], dtype=int32)]
    """

    scores: list[NDArray[Any]] | None
    labels: list[NDArray[np.int32]] | None
    segments: list[NDArray[np.int64]] | None
    weights: list[NDArray[np.float64]] | None
    mask: list[NDArray[np.bool_]] | None
    ids: list[str]
    classes: tuple[str, ...] | None
    lengths: NDArray[np.int64]
    kind: Kind | None
    subjects: list[str] | None
    epoch_seconds: float | None
    file: str
    _about: str

    def __init__(self, made: Mapping[str, Any]) -> None:
        offsets = np.frombuffer(made["offsets"], np.int64)
        K = made["n_classes"]

        def parts(name: str, dtype: Any, width: int | None = None) -> list[NDArray[Any]] | None:
            if name not in made:
                return None
            whole = np.frombuffer(made[name], dtype) if len(made[name]) else np.empty(0, dtype)
            rows = whole if width is None else whole.reshape(int(offsets[-1]), width)
            return [rows[a:b] for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]

        self.scores = parts("scores", np.float64 if made["is_wide"] else np.float32, K)
        self.labels = parts("labels", np.int32)
        self.segments = parts("segments", np.int64)
        self.weights = parts("weights", np.float64)
        self.mask = parts("mask", np.bool_, K)
        self.ids = made["ids"]
        self.classes = None if made["classes"] is None else tuple(made["classes"])
        self.lengths = np.diff(offsets)
        self.kind = made["kind"]
        self.subjects = made["subjects"]
        self.epoch_seconds = made["epoch_seconds"] or None
        self.file = made["file"]
        self._about = self._taken(made)

    def _taken(self, made: Mapping[str, Any]) -> str:
        """What was taken for what, in one line."""
        many = f" in {made['n_files']} files" if made["n_files"] else ""
        what = [f"{len(self)} recording{'' if len(self) == 1 else 's'}{many}, {self.lengths.sum()} steps"]
        if self.scores is not None:
            place = f" from {made['scores_path']}" if made["scores_path"] else ""
            what.append(f"{self.kind}{place} ({made['type']}, {made['n_classes']} classes{'' if self.classes else ' without names'})")
        beside = {"labels": self.labels, "segments": self.segments, "weights": self.weights, "mask": self.mask, "subjects": self.subjects}
        there = [name for name, values in beside.items() if values is not None]
        if there:
            what.append("with " + ", ".join(there) if self.scores is not None else ", ".join(there))
        if self.epoch_seconds:
            what.append(f"{self.epoch_seconds:g} s a step")
        return f"Recordings: {self.file}: " + "; ".join(what)

    def __repr__(self) -> str:
        return self._about

    def _first(self) -> list[Any]:
        found = self.scores if self.scores is not None else self.labels
        return [] if found is None else found

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._first())

    def _arguments(self) -> dict[str, Any]:
        given = {
            "scores": self.scores,
            "labels": self.labels,
            "ids": self.ids,
            "classes": self.classes,
            "label_order": None if self.labels is None or self.scores is None or self.classes is None else "columns",
            "kind": self.kind,
            "segments": self.segments,
            "weights": self.weights,
            "step_mask": self.mask,
            "subjects": self.subjects,
            "epoch_seconds": self.epoch_seconds,
            "name": self.file,
        }
        return {k: v for k, v in given.items() if v is not None or k in ("scores", "labels")}

    def keys(self) -> list[str]:
        """The arguments of :func:`compare` that the files give."""
        return list(self._arguments())

    @property
    def decoding(self) -> dict[str, Any]:
        """The arguments of :func:`decode` that the files give. Labels are none of them: there they would be certain."""
        return {k: v for k, v in self._arguments().items() if k in ("scores", "kind", "classes", "segments", "step_mask", "epoch_seconds")}

    def __getitem__(self, i: Any) -> Any:
        """By a number: a recording's scores; by the name of an argument: that of all."""
        return self._arguments()[i] if isinstance(i, str) else self._first()[i]


@with_options(InFile)
def read(
    file: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    scores: str | None = None,
    labels: str | os.PathLike[str] | None = None,
    model: Model | str | None = None,
    classes: Classes | None = None,
    kind: Kind | None = None,
    transpose: bool = False,
    gaps: Literal["join", "break"] | None = None,
    codes: str | None = None,
    map: Mapping[Any, str | None] | str | None = None,
    **places: Unpack[InFile],
) -> Recordings:
    """Reads recordings as the program does: the same formats, found by what is in the files, by the same rules and checks.

    Formats: numpy's ``.npy`` and ``.npz``, tables of scores (CSV, TSV), MATLAB up to version 7 (save with ``-v7``), HDF5 by h5py; labels
    also as text, in columns of CoNLL and in hypnograms (EDF+, XML, Luna, U-Time, BIDS and others). Links to other HDF5 files are not followed.

    Parameters
    ----------
    file : path, or sequence of paths
        A file; a folder of files of one ending; a pattern (``"nights/{id}.npy"``); or several files. Each holds one recording or more.
    scores : str, optional
        The array of the scores in the file, ``{id}`` stands for the recording. Without: log_probs, probs, logits or scores; predictions,
        beside label_ids, as transformers' Trainer calls them; or the only array that can be.
    labels : str or path, optional
        A file of labels (or ``"file:/array"`` in it), a folder or a pattern (``"labels/{id}.txt"``), matched by id; or, where there is no
        file of that name, an array.
    model : Model or str, optional
        Whose classes labels are that are words or codes, or of another file. Needed where the file of scores names no classes.
    classes : sequence of str, mapping or path, optional
        The names of the columns, in place of `model`; as in :func:`decode`.
    kind : {"log_probs", "probs", "logits", "scores"}, optional
        What the scores are. Without: as the name of the array says, or its rows.
    transpose : bool
        Scores are stored [classes, steps].
    gaps : {"join", "break"}, optional
        What becomes of steps that take no part (special tokens and word pieces, whose label is -100): their neighbours become adjacent, or
        a new segment begins. Without, they may only end a row.
    codes, map
        What others' labels mean, as in :func:`statepath.sleep.read_hypnogram`.
    **places
        The arrays `offsets`, `lengths`, `ids` and `mask` in the file; `label_order`, "columns" or
        "model": what numbers in it are where the columns are in another order than the model; `trim_to_shortest`: where
        scores and labels are of different length, leave out the last steps of the longer; `only`: a file that
        lists the recordings that are meant; `unscored`: -100 where such labels are; `comments`: which lines of CoNLL's columns are none, as
        in :func:`statepath.nlp.read_conll`; `header`: whether the first line of a table names its columns; `groups`: the array that says
        whose each recording is, "none" or "prefix:C"; `epoch_seconds`: length of a step; `progress`: called as
        ``progress(what, done, total)``.

    Returns
    -------
    Recordings
        With all numbers in memory.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np, statepath as sp
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "nights").mkdir(), (folder / "stages").mkdir()
    (None, None)
    >>> for night in ("n1", "n2"):
    ...     np.save(folder / "nights" / f"{night}.npy", [[0.8, 0.1, 0.1, 0.0, 0.0], [0.1, 0.1, 0.8, 0.0, 0.0]])
    ...     _ = (folder / "stages" / f"{night}.txt").write_text("W\\nN2\\n")
    >>> nights = sp.read(folder / "nights", labels=folder / "stages" / "{id}.txt", model="sleep-aasm")
    >>> nights.ids, nights.kind, nights.labels[0], nights.classes
    (['n1', 'n2'], 'probs', array([0, 2], dtype=int32), ('Wake', 'N1', 'N2', 'N3', 'REM'))
    >>> sp.compare(**nights, model="sleep-aasm").data["strategies"]["argmax"]["accuracy"]
    1.0
    """
    check_names(places, InFile.__annotations__)
    library = needs_library()
    if not hasattr(library, "read_files"):
        raise StatepathError("this statepath was built without libdeflate: reading files is left out; install libdeflate, then the package again")
    if model is not None and classes is not None:
        raise StatepathError("model= and classes= both name the classes: give one of them")
    rules = Model(class_names(classes)) if classes is not None else None if model is None else model_of(model)
    several = [file] if isinstance(file, (str, os.PathLike)) else list(file)
    if not several:
        raise StatepathError("file is an empty sequence: there is nothing to read")
    first, *more = (_text(f, "file") for f in several)
    how: dict[str, Any] = {
        "scores": _text(scores, "scores"),
        "labels": _text(labels, "labels"),
        "kind": None if kind is None else KINDS[number_of_kind(kind)],
        "transpose": int(bool(transpose)),
        "gaps": _text(gaps, "gaps"),
        "codes": preset_of(codes),
        "map": entries_of(map),
    }
    for name in ("offsets", "lengths", "ids", "mask", "only", "groups", "comments"):
        how[name] = _text(places.get(name), name)
    how["trim_to_shortest"] = int(bool(places.get("trim_to_shortest")))
    how["label_order"] = places.get("label_order")
    if places.get("unscored") is not None:
        how["unscored"] = str(places["unscored"])
    if places.get("header") is not None:
        how["header"] = "yes" if places["header"] else "no"
    if places.get("epoch_seconds") is not None:
        how["epoch_seconds"] = seconds_of(places["epoch_seconds"])
    notices: list[str] = []
    try:
        made = library.read_files(first, how, None if rules is None else rules.to_json(), more, places.get("progress"), notices)
    except StatepathError:
        if _hdf5.kept.error is not None:
            raise _hdf5.kept.error from None
        raise
    finally:
        _hdf5.kept.clear()
    for sentence in notices:
        warnings.warn(in_python(sentence), StatepathWarning, stacklevel=2)
    return Recordings(made)


def _text(value: Any, name: str) -> str | None:
    """A text or a path as text; None is None."""
    if value is None:
        return None
    try:
        text = os.fsdecode(value)
    except TypeError:
        raise StatepathError(f"{name}={value!r}: a text is needed") from None
    if not text or "\0" in text:
        raise StatepathError(f"{name}={text!r}: a text without NUL characters is needed, and not an empty one")
    return text
