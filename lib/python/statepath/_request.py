"""The arguments that decoding, marginals, path scores and leak share, as the extension takes them."""

from __future__ import annotations

import difflib
import inspect
import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import StatepathError
from ._labels import Meaning
from ._model import Model
from ._scores import KINDS, Batch, array_of, batch_of, integers_of, number_of

Kind = Literal["log_probs", "probs", "logits", "scores"]
Missing = Literal["error", "uniform"]
Gaps = Literal["join", "break"]
F = TypeVar("F", bound=Callable[..., Any])


class Numbers(TypedDict, total=False):
    """What the numbers are."""

    kind: Kind | None
    floor: float | None
    missing: Missing


class Places(TypedDict, total=False):
    """Where the recordings are, and what is possible in them."""

    lengths: Any
    offsets: Any
    mask: Any
    gaps: Gaps | None
    step_mask: Any
    segments: Any
    threads: int


class Nats(Numbers, total=False):
    """How the numbers become nats."""

    classes: Sequence[str] | None
    temperature: float | None
    transition_weight: float | None
    prior_weight: float | None


class Reading(Places, Nats, total=False):
    """All that is said of scores."""


class Options(Reading, total=False):
    """What is known of the path, too; the arguments are those of decode()."""

    labels: Any


_USUAL: dict[str, Any] = dict.fromkeys(Options.__annotations__) | {"missing": "error", "threads": 0}


def with_options(known: Any) -> Callable[[F], F]:
    """In help() and inspect.signature() the arguments of a dictionary type stand one by one in place of ``**options``."""

    def spell_out(function: F) -> F:
        signature = inspect.signature(function)
        *own, _ = signature.parameters.values()
        one_by_one = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_USUAL.get(name), annotation=getattr(type_, "__forward_arg__", type_))
            for name, type_ in known.__annotations__.items()
        ]
        vars(function)["__signature__"] = signature.replace(parameters=[*own, *one_by_one])
        return function

    return spell_out


def check_names(options: Iterable[str], known: Iterable[str] = _USUAL) -> None:
    """TypeError for an argument that nobody knows."""
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"unexpected keyword argument {name}=" + (f": did you mean {near[0]}=?" if near else ""))


_shipped: dict[str, Model] = {}


def model_of(model: Any) -> Model:
    """A model, or its name or file."""
    if isinstance(model, Model):
        return model
    if isinstance(model, str) and os.sep not in model and not os.path.exists(model):
        if model not in _shipped:
            _shipped[model] = Model.load(model)
        return _shipped[model]
    if isinstance(model, (str, os.PathLike)):
        return Model.load(model)
    raise StatepathError(f"model is {type(model).__name__}: give a statepath.Model, or the name or file of one")


def number_of_kind(kind: Any) -> int:
    """Its number in the library; -1: to be told from the first row."""
    if kind is None:
        return -1
    try:
        return KINDS.index(kind)
    except ValueError:
        raise StatepathError(f'kind="{kind}": it is one of {", ".join(KINDS)}') from None


def _finite(value: Any, name: str) -> float:
    number = number_of(value, name)
    if not math.isfinite(number):
        raise StatepathError(f"{name}={number}: it must be finite")
    return number


class Request:
    """Scores with what stands beside them, and how they become nats."""

    batch: Batch
    model: Model
    chain: _core.Chain
    inputs: dict[str, Any]
    options: dict[str, Any]
    class_of_column: NDArray[np.int32] | None

    def __init__(
        self,
        scores: Any,
        model: Any,
        **options: Unpack[Options],
    ) -> None:
        check_names(options)
        given: dict[str, Any] = {**_USUAL, **options}
        self.model = model_of(model)
        self.batch = batch_of(scores, self.model.n_classes, **{k: given[k] for k in ("lengths", "offsets", "mask", "gaps")})
        self.class_of_column = self.model._column_classes(self._columns(given["classes"]))
        transition_weight = given["transition_weight"]
        if transition_weight is not None:
            _finite(transition_weight, "transition_weight")
        self.chain = self.model._chain(self.class_of_column, transition_weight)
        self.inputs = {"scores": self.batch.rows, "offsets": self.batch.offsets}
        self._take_segments(given["segments"])
        if given["step_mask"] is not None:
            self.inputs["mask"] = self._mask(given["step_mask"])
        if given["labels"] is not None:
            self.inputs["labels"] = self.path(given["labels"], "labels")
        self.options = {"kind": number_of_kind(given["kind"]), "clamp": given["labels"] is not None}
        self._take_numbers(given["temperature"], given["prior_weight"], given["floor"])
        missing, threads = given["missing"], given["threads"]
        if missing not in ("error", "uniform"):
            raise StatepathError(f'missing="{missing}": it is "error" or "uniform"')
        self.options["missing_uniform"] = missing == "uniform"
        if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 0 <= threads <= 4096:
            raise StatepathError(f"threads={threads!r}: a number from 0 (all processors) to 4096")
        self.options["threads"] = int(threads)

    def _columns(self, classes: Sequence[str] | None) -> list[str] | None:
        if classes is None:
            return self.batch.columns
        names = [str(c) for c in classes]
        if len(names) != self.model.n_classes:
            raise StatepathError(f"classes= has {len(names)} names and the scores have {self.model.n_classes} columns")
        return names

    @property
    def columns(self) -> tuple[str, ...]:
        """The model's name of each score column."""
        if self.class_of_column is None:
            return self.model.classes
        return tuple(self.model.classes[k] for k in self.class_of_column)

    def _take_segments(self, segments: Any) -> None:
        made = self.batch.segments
        if segments is not None:
            given = integers_of(self.batch.take(segments, "segments"), "segments")
            if made is not None:  # both: a new one wherever either changes
                changes = (np.diff(given, prepend=given[:1]) != 0) | (np.diff(made, prepend=made[:1]) != 0)
                given = np.cumsum(changes)
            made = given
        if made is not None:
            self.inputs["segments"] = np.ascontiguousarray(made, np.int64)

    def _mask(self, step_mask: Any) -> NDArray[np.uint8]:
        m = self.batch.take(step_mask, "step_mask", wide=True)
        if m.dtype.kind not in "biuf" or (m.dtype.kind == "f" and not np.all((m == 0) | (m == 1))):
            raise StatepathError("step_mask= must be true where a class is possible and false where it is not (or 1 and 0)")
        return np.ascontiguousarray(m != 0).view(np.uint8)

    def path(self, labels: Any, name: str) -> NDArray[np.int32]:
        """The column of each step, of labels or a path in the shape of the scores; -1 for none."""
        return Meaning(self.columns, self.model).of_batch(labels, self.batch, name)

    def _take_numbers(self, temperature: Any, prior_weight: Any, floor: Any) -> None:
        own = self.model._fields
        for name, given, usual in (("temperature", temperature, 1.0), ("prior_weight", prior_weight, 0.0)):
            value = own[name] if given is None else _finite(given, name)
            self.options[name] = usual if math.isnan(value) else value
        if floor is not None:
            if not 0 < _finite(floor, "floor") < 1:
                raise StatepathError(f"floor={floor}: the smallest probability must lie between 0 and 1")
            self.options["floor"] = float(floor)
        if self.options["prior_weight"] != 0:
            prior = self.model.prior
            if prior is None:
                raise StatepathError(f'prior_weight= needs class frequencies: model {self.model.name} has no "prior"; write model.with_(prior=...)')
            prior = prior if self.class_of_column is None else prior[self.class_of_column]
            with np.errstate(divide="ignore"):
                self.options["log_prior"] = np.log(prior)

    def row(self, recording: int, step: int) -> NDArray[np.float64]:
        """The scores of a step as they came, but what the step mask and the labels forbid is -inf; for messages."""
        t = int(self.batch.offsets[recording]) + step
        with np.errstate(divide="ignore"):
            row: NDArray[np.float64] = self.batch.rows[t].astype(np.float64)
            if self.options["kind"] == 1 or (self.options["kind"] == -1 and np.all(row >= 0) and row.max() > 0):
                row = np.log(row)
        if "mask" in self.inputs:
            row = np.where(self.inputs["mask"][t], row, -np.inf)
        if "labels" in self.inputs and self.inputs["labels"][t] >= 0:
            row = np.where(np.arange(len(row)) == self.inputs["labels"][t], row, -np.inf)
        return row


__all__ = ["Gaps", "Kind", "Missing", "Nats", "Numbers", "Options", "Places", "Reading", "Request", "array_of", "check_names", "model_of", "number_of_kind", "with_options"]
