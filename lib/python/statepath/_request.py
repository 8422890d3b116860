"""The arguments that decoding, marginals, path scores and leak share, as the extension takes them."""

from __future__ import annotations

import difflib
import inspect
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import StatepathError
from ._labels import Meaning
from ._model import Model, _names
from ._scores import KINDS, Batch, array_of, batch_of, integers_of, number_of, seconds_of, without_ignored

Kind = Literal["log_probs", "probs", "logits", "scores"]
Missing = Literal["error", "uniform"]
Gaps = Literal["join", "break"]
Classes = Sequence[str] | Mapping[Any, str] | str | os.PathLike[str]
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

    classes: Classes | None
    temperature: float | None
    transition_weight: float | None
    prior_weight: float | None
    epoch_seconds: float | None


class Reading(Places, Nats, total=False):
    """All that is said of scores."""


class Options(Reading, total=False):
    """What is known of the path, too; the arguments are those of decode()."""

    labels: Any
    label_order: Literal["columns", "model"] | None


_BESIDE = (set(Places.__annotations__) - {"threads"}) | {"labels", "label_order", "classes"}  # what belongs to the scores of a call
_MOST_SETTINGS = 16
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


def class_names(classes: Classes) -> list[str]:
    """Names of columns: a sequence of them, a mapping of their numbers to names such as id2label, or a file that Model.load() knows."""
    if isinstance(classes, (str, os.PathLike)):
        if not os.path.exists(classes):
            raise StatepathError(f"classes={os.fspath(classes)!r}: there is no such file; names are given as a sequence of them")
        return list(Model.load(classes).classes)
    if not isinstance(classes, Mapping):
        return _names(classes)
    try:
        names = {int(k): str(name) for k, name in classes.items()}
    except (TypeError, ValueError):
        names = {}
    if not names or len(names) != len(classes) or sorted(names) != list(range(len(names))):
        raise StatepathError(f"classes= is a mapping of {', '.join(str(k) for k in list(classes)[:5])}: the numbers of the columns from 0 are needed, such as id2label has")
    return [names[k] for k in range(len(names))]


_shipped: dict[str, Model] = {}


def model_of(model: Any) -> Model:
    """A model, or its name or file."""
    if isinstance(model, Model):
        return model
    if isinstance(model, str) and os.sep not in model and "\0" not in model and not os.access(model, os.F_OK):
        if model not in _shipped:
            _shipped[model] = Model.load(model)
        return _shipped[model]
    if isinstance(model, (str, os.PathLike)):
        return Model.load(model)
    raise StatepathError(f"model is {type(model).__name__}: give a statepath.Model, or the name or file of one")


def is_uniform(missing: str) -> bool:
    """What missing= asks for: does a step with a NaN say nothing?"""
    if missing not in ("error", "uniform"):
        raise StatepathError(f'missing="{missing}": it is "error" or "uniform"')
    return missing == "uniform"


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


class Settings:
    """How numbers become nats under a model: what of the options does not depend on the scores. Resolved once."""

    __slots__ = ("chain", "class_of_column", "options")

    def __init__(self, model: Model, columns: tuple[str, ...] | None, given: Mapping[str, Any]) -> None:
        self.class_of_column = model._column_classes(columns)
        transition_weight = given.get("transition_weight")
        if transition_weight is not None:
            _finite(transition_weight, "transition_weight")
        seconds = given.get("epoch_seconds")
        if self.class_of_column is None and transition_weight is None:
            self.chain = model._compiled(seconds)
        else:
            step = 0.0 if seconds is None else seconds_of(seconds)
            self.chain = model._handle.chain(self.class_of_column, model._transition_weight(transition_weight), step)
        threads = given.get("threads", 0)
        if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 0 <= threads <= 4096:
            raise StatepathError(f"threads={threads!r}: a number from 0 (all processors) to 4096")
        self.options: dict[str, Any] = {"kind": number_of_kind(given.get("kind")), "missing_uniform": is_uniform(given.get("missing", "error")), "threads": int(threads)}
        self._take_numbers(model, given.get("temperature"), given.get("prior_weight"), given.get("floor"))
        if model._fields["windows"]:
            self.options["windows"] = model._handle
            if self.class_of_column is not None:
                self.options["class_of_column"] = np.ascontiguousarray(self.class_of_column, np.int32).tobytes()

    def _take_numbers(self, model: Model, temperature: Any, prior_weight: Any, floor: Any) -> None:
        own = model._fields
        for name, given, usual in (("temperature", temperature, 1.0), ("prior_weight", prior_weight, 0.0), ("floor", floor, 0.0)):
            value = own[name] if given is None else _finite(given, name)
            self.options[name] = usual if math.isnan(value) else value
        if floor is not None and not 0 < self.options["floor"] < 1:
            raise StatepathError(f"floor={floor}: the smallest probability must lie between 0 and 1")
        if self.options["prior_weight"] != 0:
            prior = model.prior
            if prior is None:
                raise StatepathError(f'prior_weight= needs class frequencies: model {model.name} has no "prior"; write model.with_(prior=...)')
            prior = prior if self.class_of_column is None else prior[self.class_of_column]
            with np.errstate(divide="ignore"):
                self.options["log_prior"] = np.log(prior)


def _settings_of(model: Model, columns: tuple[str, ...] | None, given: Mapping[str, Any]) -> Settings:
    """Kept by the model, for the calls that come with the same options."""
    key = (columns, *given.items(), *map(type, given.values())) if given else columns
    try:
        found: Settings | None = model._settings.get(key)
    except TypeError:  # an array of one number, say
        return Settings(model, columns, given)
    if found is None:
        found = Settings(model, columns, given)
        if len(model._settings) >= _MOST_SETTINGS:
            model._settings.clear()
        model._settings[key] = found
    return found


class Request:
    """Scores with what stands beside them, and how they become nats."""

    __slots__ = ("batch", "class_of_column", "chain", "inputs", "kind", "model", "options")

    batch: Batch
    model: Model
    chain: _core.Chain
    inputs: dict[str, Any]
    kind: int  # -1: to be told from the first row
    options: Mapping[str, Any]
    class_of_column: NDArray[np.int32] | None

    def __init__(
        self,
        scores: Any,
        model: Any,
        **options: Unpack[Options],
    ) -> None:
        self.model = model = model_of(model)
        beside: dict[str, Any] = {}
        if options:
            check_names(options)
            beside = {name: options.pop(name) for name in _BESIDE.intersection(options)}  # type: ignore[misc]
            if "labels" in beside:
                beside = without_ignored(scores, beside["labels"], beside)
        get = beside.get
        self.batch = batch_of(scores, model.n_classes, lengths=get("lengths"), offsets=get("offsets"), mask=get("mask"), gaps=get("gaps"))
        settings = _settings_of(model, self._columns(get("classes")), options)
        self.class_of_column, self.chain, self.options = settings.class_of_column, settings.chain, settings.options
        self.kind = self.options["kind"]
        self.inputs = {"scores": self.batch.rows, "offsets": self.batch.offsets}
        self._take_segments(get("segments"))
        if get("step_mask") is not None:
            self.inputs["mask"] = self._mask(beside["step_mask"])
        if get("labels") is not None:
            meaning = Meaning(self.columns, self.model, order=get("label_order"))
            self.inputs["labels"] = meaning.of_batch(beside["labels"], self.batch, "labels")

    def _columns(self, classes: Classes | None) -> tuple[str, ...] | None:
        if classes is None:
            return None if self.batch.columns is None else tuple(self.batch.columns)
        names = tuple(class_names(classes))
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
        made = self.batch.with_segments(segments)
        if made is not None:
            self.inputs["segments"] = made

    def _mask(self, step_mask: Any) -> NDArray[np.uint8]:
        m = self.batch.take(step_mask, "step_mask", wide=True)
        if m.dtype.kind not in "biuf" or (m.dtype.kind == "f" and not np.all((m == 0) | (m == 1))):
            raise StatepathError("step_mask= must be true where a class is possible and false where it is not (or 1 and 0)")
        return np.ascontiguousarray(m != 0).view(np.uint8)

    def path(self, labels: Any, name: str) -> NDArray[np.int32]:
        """The column of each step of a path in the shape of the scores, whose numbers are columns; -1 for none."""
        return Meaning(self.columns, self.model, order="columns").of_batch(labels, self.batch, name)

    def row(self, recording: int, step: int) -> NDArray[np.float64]:
        """The scores of a step as they came, but what the step mask and the labels forbid is -inf; for messages."""
        t = int(self.batch.offsets[recording]) + step
        with np.errstate(divide="ignore"):
            row: NDArray[np.float64] = self.batch.rows[t].astype(np.float64)
            if self.kind == 1 or (self.kind == -1 and np.all(row >= 0) and row.max() > 0):
                row = np.log(row)
        if "mask" in self.inputs:
            row = np.where(self.inputs["mask"][t], row, -np.inf)
        if "labels" in self.inputs and self.inputs["labels"][t] >= 0:
            row = np.where(np.arange(len(row)) == self.inputs["labels"][t], row, -np.inf)
        return row


__all__ = ["Classes", "Gaps", "Kind", "Missing", "Nats", "Numbers", "Options", "Places", "Reading", "Request", "array_of", "check_names", "class_names", "is_uniform", "model_of", "number_of_kind", "with_options"]
