"""How long a class lasts, as users write it: as the members of a model's JSON."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from datetime import timedelta
from numbers import Real
from typing import Any, Literal

import numpy as np

from ._errors import ModelError, ScoresError
from ._scores import array_of

Length = float | str | timedelta | np.timedelta64  # steps, or a time
Durations = Mapping[str, Mapping[str, Any]]
AtEnds = Literal["cut", "whole"] | Mapping[str, Literal["cut", "whole"]]

_FORMS = '{"min": 3, "max": 40}, {"pmf": [0.5, 0.5]} or {"negative_binomial": {"mean": 20, "dispersion": 2}}'


def durations_of(given: Any) -> dict[str, Any]:
    """`durations` of the JSON. What its keys are the reader of the JSON says."""
    if not isinstance(given, Mapping):
        raise ModelError(f'durations={reprlib.repr(given)}: give a mapping of classes to the lengths of their runs, as {{"N2": {{"min": 3, "max": 40}}}}')
    for name, one in given.items():
        if not isinstance(one, Mapping):
            raise ModelError(f"durations[{str(name)!r}]={reprlib.repr(one)}: give a mapping, as {_FORMS}")
    members: dict[str, Any] = _plain(given, "durations")
    return members


def _plain(value: Any, where: str) -> Any:
    """Mappings, texts, numbers and lists of numbers; None is what is not given."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v, f"{where}[{str(k)!r}]") for k, v in value.items() if v is not None}
    if isinstance(value, (str, bool)):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, timedelta):
        return _time(value.total_seconds(), where)
    if isinstance(value, np.timedelta64):
        return _time(_seconds(value, where), where)
    return _number(value, where) if isinstance(value, Real) else _numbers(value, where)


def _seconds(value: np.timedelta64, where: str) -> float:
    try:
        return float(value / np.timedelta64(1, "s"))
    except TypeError:  # months and years
        raise ModelError(f'{where}={value!r}: a time of fixed length is needed, as numpy.timedelta64(90, "s")') from None


def _time(seconds: float, where: str) -> str:
    if not math.isfinite(seconds):
        raise ModelError(f'{where} is not a time: a number of steps is needed, or a time, as "90s"')
    return f"{seconds!r}s"


def _number(value: Any, where: str) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ModelError(f"{where}={number}: a finite number is needed")
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _numbers(value: Any, where: str) -> Any:
    try:
        a = array_of(value, where)
    except ScoresError:
        raise ModelError(f"{where}={reprlib.repr(value)}: a list of numbers is needed") from None
    if a.ndim == 0 and a.dtype.kind in "bmiuf":
        return _plain(a[()] if a.dtype.kind != "b" else bool(a), where)
    if a.dtype.kind not in "biuf":
        raise ModelError(f"{where} holds {a.dtype}, not numbers")
    if a.ndim != 1:
        raise ModelError(f"{where} has shape {a.shape}: a list of numbers is needed, of the lengths 1, 2, ...")
    wrong = np.flatnonzero(~np.isfinite(a))
    if len(wrong):
        raise ModelError(f"{where}[{wrong[0]}] is {a[wrong[0]]}: the probability of a length is a finite number, at least 0")
    return a.astype(np.float64).tolist()


def ends_of(given: Any) -> str | dict[str, str]:
    """`durations_at_ends` of the JSON."""
    sides = given if isinstance(given, Mapping) else {"start": given, "end": given}
    if not set(sides) <= {"start", "end"} or not all(isinstance(word, str) and word in ("cut", "whole") for word in sides.values()):
        raise ModelError(f'durations_at_ends={reprlib.repr(given)}: it is "cut" or "whole", or {{"start": "whole", "end": "cut"}}')
    return {side: str(word) for side, word in sides.items()}


def is_timed(duration: Mapping[str, Any]) -> bool:
    """Is a length of it, as the JSON has it, a time?"""
    return any(isinstance(value, str) or (isinstance(value, Mapping) and is_timed(value)) for value in duration.values())
