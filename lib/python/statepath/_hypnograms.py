"""Hypnograms in files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._decoded import Decoded
from ._errors import StatepathError
from ._labels import USUAL_EPOCH, Meaning
from ._model import Model
from ._request import model_of
from ._scores import file_name, seconds_of

STAGES = ("Wake", "N1", "N2", "N3", "REM")

_STAGES = Meaning(STAGES, model_of("sleep-aasm"), is_of_sleep=True)


def stage_of(name: Any) -> int:
    """Number of a stage by any of its usual names; -1 for others (unscored, artefact, movement)."""
    number = _STAGES.word(str(name))
    return number if 0 <= number < len(STAGES) else -1


@dataclass(frozen=True)
class Hypnogram:
    """A hypnogram with what its file says; what :func:`read_hypnogram` returns with ``full=True``.

    Attributes
    ----------
    labels : array of int32
        [T] the class of each step; -1 where the file has none.
    classes : tuple of str
        Their names.
    epoch_seconds : float
        Length of a step.
    remark : str or None
        What was passed over or taken for granted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from statepath.sleep import read_hypnogram
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "events.tsv"
    >>> _ = file.write_text("onset\\tduration\\ttrial_type\\n0\\t60\\tSleep stage W\\n60\\t30\\tSleep stage ?\\n70\\t10\\tsnoring\\n")
    >>> night = read_hypnogram(file, full=True)
    >>> night.labels, night.names(), night.epoch_seconds
    (array([ 0,  0, -1], dtype=int32), ['Wake', 'Wake', None], 30.0)
    >>> night.classes
    ('Wake', 'N1', 'N2', 'N3', 'REM')
    >>> night.remark
    'a step is taken for 30 s; 1 event that is no stage passed over: snoring'
    """

    labels: NDArray[np.int32]
    classes: tuple[str, ...]
    epoch_seconds: float
    remark: str | None

    def names(self) -> list[str | None]:
        """The name of each step's class; None where there is none."""
        return [self.classes[k] if k >= 0 else None for k in self.labels.tolist()]

    def _label_arrays(self) -> NDArray[np.object_]:
        return np.array(self.names(), object)


def path_of(x: Any, classes: Sequence[str] | None, epoch_seconds: float | None) -> tuple[NDArray[np.int32], tuple[str, ...], float]:
    """Numbers [T], names of classes and length of a step, of a Hypnogram, a Decoded of one recording, numbers, names, or a YASA hypnogram."""
    if isinstance(classes, (str, bytes)) or not isinstance(classes, (Iterable, type(None))):
        raise StatepathError(f"classes={classes!r}: a sequence of names is needed")
    names = STAGES if classes is None else tuple(str(c) for c in classes)
    if any("\0" in name for name in names):
        raise StatepathError("classes=: a name holds a NUL character")
    if isinstance(x, Hypnogram):
        names = x.classes if classes is None else names
        epoch_seconds = x.epoch_seconds if epoch_seconds is None else epoch_seconds
        x = x.labels
    elif isinstance(x, Decoded):
        if len(x) != 1:
            raise StatepathError(f"{len(x)} recordings were decoded; a hypnogram is one: give decoded[0], or another one of them")
        names = tuple(x.classes) if classes is None else names
        x = x[0]
    elif epoch_seconds is None and hasattr(x, "hypno") and hasattr(x, "freq"):
        import pandas as pd

        epoch_seconds = pd.Timedelta(x.freq).total_seconds()
    numbers = Meaning(names, Model(names), is_of_sleep=True).single(x, "path")
    return numbers, names, USUAL_EPOCH if epoch_seconds is None else seconds_of(epoch_seconds)


def preset_of(codes: Any) -> str | None:
    if codes is None or (isinstance(codes, str) and "\0" not in codes):
        return codes
    raise StatepathError(f'codes={codes!r}: the name of a coding is needed, such as "utime"; map= says what each code means')


def entries_of(given: Any) -> str | None:
    """A map as the library reads it."""
    if isinstance(given, Mapping):
        given = ",".join(f"{code}={'unscored' if name is None else name}" for code, name in given.items()) or "="
    if given is None or (isinstance(given, str) and "\0" not in given):
        return given
    raise StatepathError(f'map={given!r}: what each code means is needed: {{0: "Wake", 9: None}}')


def coded_stages(texts: Iterable[Any], codes: Any, map: Any) -> NDArray[np.int32]:
    """Numbers of stages by a coding, as :func:`read_hypnogram` reads events; -1 for what is unscored or no stage."""
    words = [str(text) for text in texts]
    if codes is None and map is None:
        return np.array([stage_of(word) for word in words], np.int32)
    rules = model_of("sleep-aasm")
    numbers = np.frombuffer(_core.coded_labels(words, rules._handle, preset_of(codes), entries_of(map)), np.int32)
    odd = next((w for w, k in zip(words, numbers.tolist(), strict=True) if k < -1 and w.lower().startswith(("sleep stage", "sleep_stage"))), None)
    if odd is not None:
        raise StatepathError(f'"{odd}" means no stage by codes={codes!r}; map= says what it means, None for unscored')
    return np.where(numbers < -1, np.int32(-1), numbers)


@overload
def read_hypnogram(
    file: str | os.PathLike[str],
    *,
    codes: str | None = None,
    epoch_seconds: float | None = None,
    map: Mapping[Any, str | None] | str | None = None,
    model: Model | str = "sleep-aasm",
    full: Literal[False] = False,
) -> NDArray[np.int32]: ...
@overload
def read_hypnogram(
    file: str | os.PathLike[str],
    *,
    codes: str | None = None,
    epoch_seconds: float | None = None,
    map: Mapping[Any, str | None] | str | None = None,
    model: Model | str = "sleep-aasm",
    full: Literal[True],
) -> Hypnogram: ...
def read_hypnogram(
    file: str | os.PathLike[str],
    *,
    codes: str | None = None,
    epoch_seconds: float | None = None,
    map: Mapping[Any, str | None] | str | None = None,
    model: Model | str = "sleep-aasm",
    full: bool = False,
) -> NDArray[np.int32] | Hypnogram:
    """The stages of a hypnogram in a file, as the program reads it: the same formats, the same rules for events, the same steps.

    Read are annotations of EDF+, XML of NSRR and Compumedics Profusion, Luna's ``.annot`` and ``.eannot``, U-Time's ``.ids``, tables of
    onset and duration (BIDS, MNE), hypnograms of visbrain, Elan, DREAMS, REMlogic, DOMINO and Zurich, and texts with a label a line.

    Parameters
    ----------
    file : path
    codes : str, optional
        The name of a coding that says what its numbers and words mean ("utime", "rk", ...: an unknown name is answered with all).
        Without: by the words and numbers of the format.
    epoch_seconds : float, optional
        Length of a step. Without: as the file says, else 30 s. A step takes the stage that covers most of it.
    map : mapping, optional
        What codes mean, before `codes`: names of classes, None for unscored.
    model : Model or str
        Whose classes the labels are; those of "sleep-aasm" are in the order of :data:`STAGES`.
    full : bool
        True: a :class:`Hypnogram`, with the length of a step and what was passed over.

    Returns
    -------
    labels : array of int32
        [T] classes from 0; -1 where the file has none.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from statepath.sleep import read_hypnogram
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "night.ids"
    >>> _ = file.write_text("0,60,W\\n60,30,N1\\n90,30,UNKNOWN\\n120,30,N2\\n")
    >>> read_hypnogram(file)
    array([ 0,  0,  1, -1,  2], dtype=int32)
    >>> read_hypnogram(file, codes="utime", map={"N2": "N1"}, epoch_seconds=15)
    array([ 0,  0,  0,  0,  1,  1, -1, -1,  1,  1], dtype=int32)
    """
    rules = model_of(model)
    wanted = 0.0 if epoch_seconds is None else seconds_of(epoch_seconds)
    labels, seconds, remark = _core.read_hypnogram(file_name(file), rules._handle, preset_of(codes), entries_of(map), wanted)
    found = np.frombuffer(labels, np.int32).copy()
    return Hypnogram(found, rules.classes, seconds or USUAL_EPOCH, remark or None) if full else found


def write_hypnogram(file: str | os.PathLike[str], path: Any, *, classes: Sequence[str] | None = None, epoch_seconds: float | None = None, force: bool = False) -> None:
    """Writes a path as a hypnogram that other programs read, by the ending of the name.

    ``.annot`` and ``.eannot`` are Luna's (a line a run, a line a step), ``.ids`` is U-Time's, ``.edf`` holds annotations of EDF+.

    Parameters
    ----------
    file : path
    path : array, list of names, Hypnogram, Decoded of one recording, or yasa.Hypnogram
        [T] classes from 0, -1 where there is none; or their names.
    classes : sequence of str, optional
        Names of the classes; without: those of `path` where it knows them, else :data:`STAGES`.
    epoch_seconds : float, optional
        Length of a step; without: that of a Hypnogram, else 30 s.
    force : bool
        Replaces a file that is there.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from statepath.sleep import write_hypnogram
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "night.annot"
    >>> write_hypnogram(file, [0, 0, 1, -1, 2])
    >>> print(file.read_text().expandtabs(10))
    class     instance  channel   start     stop      meta
    W         .         .         0         60        .
    N1        .         .         60        90        .
    ?         .         .         90        120       .
    N2        .         .         120       150       .
    <BLANKLINE>
    """
    numbers, names, seconds = path_of(path, classes, epoch_seconds)
    _core.write_hypnogram(file_name(file), numbers, names, seconds, bool(force))
