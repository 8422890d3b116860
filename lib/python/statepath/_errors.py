"""Exceptions and warnings. The sentences are the library's: what is wrong, where, and what to do."""

from __future__ import annotations

import importlib
import re
from typing import Any

__all__ = [
    "BugError",
    "DeadEndError",
    "FileError",
    "ModelError",
    "NoPathError",
    "ScoresError",
    "StatepathError",
    "StatepathWarning",
]


_LINES = re.compile(r"\s*\n\s*")


class StatepathWarning(UserWarning):
    """Something that the user should know and that ends nothing.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np, statepath as sp
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", sp.StatepathWarning)
    ...     try:
    ...         sp.compare([[0.9, 0.1], [np.nan, np.nan]], [0, 1], sp.Model(["a", "b"]), "argmax", kind="probs", missing="uniform")
    ...     except sp.StatepathWarning as said:
    ...         print(said)
    1 step with NaN says nothing (missing="uniform")
    """


class StatepathError(ValueError):
    """An argument that cannot be used; the base of the other errors.

    Attributes
    ----------
    recording, step, class_ : int
        What the sentence speaks of, from 0; -1 where it speaks of none.

    Examples
    --------
    >>> import statepath as sp
    >>> try:
    ...     sp.decode([[0.2, 0.8]], sp.Model(["a", "b"]), "viterbo")
    ... except sp.StatepathError as error:
    ...     print(error)
    unknown strategy "viterbo": choose from argmax, greedy, beam:WIDTH, viterbi, posterior, mea, posterior-viterbi, online:LAG
    """

    def __init__(self, message: str, *, recording: int = -1, step: int = -1, class_: int = -1) -> None:
        super().__init__(_LINES.sub(" ", message))  # a value that is shown may have lines
        self.recording = recording
        self.step = step
        self.class_ = class_


class ScoresError(StatepathError):
    """Scores or labels that break a promise: NaN, +inf, rows that are not what `kind` says, another shape.

    Examples
    --------
    >>> import statepath as sp
    >>> try:
    ...     sp.decode([[0.2, 0.8], [float("nan"), 1.0]], sp.Model(["a", "b"]), kind="probs")
    ... except sp.ScoresError as error:
    ...     print(error)
    ...     print(error.recording, error.step, error.class_)
    recording 0, step 1, class 0: NaN; missing="uniform" treats such steps as saying nothing
    0 1 0
    """


class ModelError(StatepathError):
    """A model that contradicts itself, or whose classes are not those of the scores.

    Examples
    --------
    >>> import statepath as sp
    >>> try:
    ...     sp.Model(["closed", "open"], {"closed": ["closed", "opn"], "open": ["closed"]})
    ... except sp.ModelError as error:
    ...     print(error)
    key "allow", class "opn": the model has no such class (it has closed, open); did you mean "open"?
    """


class FileError(StatepathError, OSError):
    """A file that cannot be opened, read or written.

    Examples
    --------
    >>> import statepath as sp
    >>> try:
    ...     sp.Model.load("sleep-asm")
    ... except sp.FileError as error:
    ...     print(error)
    there is no model "sleep-asm": no file of that name here, and the shipped models are actions-coffee, entities-conll, membrane-helix, \
sleep-aasm, sleep-clinical, sleep-permissive, sleep-rodent, sleep-strict, sleep-textbook; did you mean "sleep-aasm"?
    """


class NoPathError(StatepathError):
    """No allowed path has a finite score.

    Attributes
    ----------
    recording, step : int
        The recording and its first step that no allowed path reaches.
    class_ : int
        The class of the greatest score at that step; -1 where none is possible.
    blocking : list of (str, str)
        Forbidden pairs of classes that are possible at the step before and at that step, the greatest scores first; at most ten.

    Examples
    --------
    >>> import statepath as sp
    >>> model = sp.Model(["a", "b"], {"a": ["a"], "b": ["b"]})
    >>> try:
    ...     sp.decode([[1.0, 0.0], [0.0, 1.0]], model)
    ... except sp.NoPathError as error:
    ...     print(error)
    ...     print(error.recording, error.step, error.class_, error.blocking)
    recording 0 has no allowed path of finite score: no state reaches step 1 (forbidden: a -> b); on_infeasible="relax" breaks the fewest \
rules, "mark" gives -1
    0 1 1 [('a', 'b')]
    """

    def __init__(
        self,
        message: str,
        *,
        recording: int = -1,
        step: int = -1,
        class_: int = -1,
        blocking: list[tuple[str, str]] | None = None,
    ) -> None:
        super().__init__(message, recording=recording, step=step, class_=class_)
        self.blocking = blocking or []


class DeadEndError(NoPathError):
    """A strategy that does not look ahead is stuck, though an allowed path exists: take viterbi.

    Examples
    --------
    >>> import statepath as sp
    >>> model = sp.Model(["a", "b"], {"a": ["a"], "b": ["a", "b"]})
    >>> try:
    ...     sp.decode([[0.9, 0.1], [0.0, 1.0]], model, "greedy")
    ... except sp.DeadEndError as error:
    ...     print(error)
    recording 0: dead end at step 1, no allowed class has a finite score there (forbidden: a -> b); another path exists: take "viterbi"
    >>> sp.decode([[0.9, 0.1], [0.0, 1.0]], model)
    array([1, 1], dtype=int32)
    """


class BugError(RuntimeError):
    """A path failed the library's check of itself: a bug of statepath, not of the data. Please report it.

    It is no StatepathError: who catches those for bad data does not hide it.

    Examples
    --------
    >>> import statepath as sp
    >>> issubclass(sp.BugError, sp.StatepathError), issubclass(sp.BugError, RuntimeError)
    (False, True)
    """


def needed(package: str, what: str) -> Any:
    """A package that statepath does without but for this."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] != package:
            raise
        raise StatepathError(f"{what} by {package}, which is not installed: pip install {package}") from None


# "`kind` logits" of the library is kind="logits" in Python; "`clamp`" are labels=.
_FIELD = re.compile(r"`(\w+)`(?: \"?(logits|scores|probs|log_probs|uniform|error|relax|mark|report|join|break|none|hash|yes|no)\b\"?| (-?[0-9.]+(?:e[-+]?\d+)?|-?inf|nan|X)\b| '([^']+)')?")
_PLACE = re.compile(r"recording (\d+), step \d+(?:, class (\d+))?: ")


def _argument(match: re.Match[str]) -> str:
    if match[1] == "header" and match[2]:
        return f"header={match[2] == 'yes'}"
    name = {"clamp": "labels", "for": "strategy"}.get(match[1], match[1])
    if match[2] or match[4]:
        return f'{name}="{match[2] or match[4]}"'
    return f"{name}={match[3]}" if match[3] else f"{name}="


def in_python(message: str) -> str:
    """The library's sentence with its fields as arguments."""
    return _FIELD.sub(_argument, message)


def from_library(status: str, message: str, step: int) -> Exception:
    """The exception of a status (statepath/status.h) and its sentence; called by the extension."""
    text = in_python(message)
    if status == "bug":
        return BugError(text)
    if status == "data":
        place = _PLACE.match(message)
        recording = int(place[1]) if place else -1
        class_ = int(place[2]) if place and place[2] else -1
        return ScoresError(text, recording=recording, step=step, class_=class_)
    kinds: dict[str, type[StatepathError]] = {
        "model": ModelError,
        "file": FileError,
        "no_path": NoPathError,
        "dead_end": DeadEndError,
    }
    return kinds.get(status, StatepathError)(text, step=step)
