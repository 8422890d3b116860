"""compare_part(), Part and merge(): counting on many machines or processes, finishing on one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Unpack

from ._errors import FileError, ScoresError, StatepathError
from ._evaluate import _TRACE_STEPS, Comparing, Progress, _inputs, _unpack, _warn, comparing
from ._model import Model
from ._report import Report, needs_library
from ._request import Classes, Kind, Places, Request, check_names, with_options
from ._files import write_whole
from ._scores import file_name


class Drawing(Places, total=False):
    """What the scores are that a page draws."""

    kind: Kind | None
    classes: Classes | None


class Part:
    """What :func:`compare_part` has counted: bytes, without scores. Parts add up, in any order, and are pickled.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> rng = np.random.default_rng(1)
    >>> nights = {name: rng.dirichlet(np.ones(5), 100) for name in ("ann", "ben", "eve")}
    >>> labels = {name: night.argmax(axis=1) for name, night in nights.items()}
    >>> parts = [sp.compare_part({name: nights[name]}, labels, "sleep-aasm") for name in nights]
    >>> parts[0] + parts[1]
    Part: 2 recordings, 200 steps
    >>> (parts[2] + parts[0]).recordings, parts[1].steps
    (['eve', 'ann'], 100)
    >>> import pickle
    >>> pickle.loads(pickle.dumps(sum(parts))) == sum(parts)
    True
    >>> sum(parts).report()
    Report: 3 recordings, 300 steps; argmax, greedy, viterbi
    >>> parts[0] + parts[0]
    Traceback (most recent call last):
    ...
    statepath._errors.StatepathError: recording ann is in both parts
    """

    __slots__ = ("_blocks", "_known")
    _blocks: tuple[bytes, ...]
    _known: tuple[dict[str, None], int] | None

    def __init__(self) -> None:
        raise StatepathError("parts are made by compare_part()")

    @classmethod
    def _made(cls, blocks: tuple[bytes, ...], known: tuple[dict[str, None], int] | None = None) -> Part:
        self = cls.__new__(cls)
        self._blocks, self._known = blocks, known
        return self

    def _look(self) -> tuple[dict[str, None], int]:
        if self._known is None:
            found = [_asked(needs_library().look_part, block) for block in self._blocks]
            self._known = {name: None for names, _, _ in found for name in names}, sum(steps for _, steps, _ in found)
        return self._known

    @property
    def recordings(self) -> list[str]:
        """Their ids."""
        return list(self._look()[0])

    @property
    def steps(self) -> int:
        """How many steps they have together."""
        return self._look()[1]

    def __add__(self, other: object) -> Part:
        if isinstance(other, int) and other == 0:  # what sum() begins with
            return self
        if not isinstance(other, Part):
            return NotImplemented
        (few, _), (many, _) = sorted((self._look(), other._look()), key=lambda known: len(known[0]))
        twice = next((name for name in few if name in many), None)
        if twice is not None:
            raise StatepathError(f"recording {twice} is in both parts")
        return Part._made(self._blocks + other._blocks, (self._look()[0] | other._look()[0], self.steps + other.steps))

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and sorted(self._blocks) == sorted(other._blocks)

    def __hash__(self) -> int:
        return hash(frozenset(self._blocks))

    def report(self) -> Report:
        """The report of this part alone: ``merge(part)``."""
        return merge(self)

    def save(self, file: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the part into a file that :meth:`load` and :func:`merge` read, on whatever machine; an existing one is replaced only with `force`.

        Examples
        --------
        >>> import numpy as np, pathlib, statepath as sp, tempfile
        >>> part = sp.compare_part({"ann": np.full((9, 5), 0.2)}, {"ann": np.zeros(9, int)}, "sleep-aasm")
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "ann.part"
        >>> part.save(file)
        >>> sp.Part.load(file) == part, sp.merge([file]).data == part.report().data
        (True, True)
        """

        def write(name: str) -> None:
            with open(name, "wb") as stream:
                stream.write(_MAGIC)
                for block in self._blocks:
                    stream.write(len(block).to_bytes(8, "little"))
                    stream.write(block)

        write_whole(os.fsdecode(file_name(file)), write, force)

    @staticmethod
    def load(file: str | os.PathLike[str]) -> Part:
        """Reads a part that :meth:`save` wrote; what is damaged or something else is an error.

        Examples
        --------
        >>> import pathlib, statepath as sp, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "ann.part"
        >>> sp.compare_part({"ann": [[0.9, 0.1], [0.2, 0.8]]}, {"ann": [0, 1]}, sp.Model(["a", "b"])).save(file)
        >>> sp.Part.load(file)
        Part: 1 recording, 2 steps
        """
        name = os.fsdecode(file_name(file))
        try:
            with open(name, "rb") as stream:
                part = Part._made(_blocks_of(stream.read(), name))
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise FileError(f"{name}: cannot be read ({error.strerror or error})") from None
        try:
            part._look()
        except StatepathError as error:
            raise FileError(f"{name}: {error}") from None
        return part

    def __reduce__(self) -> tuple[Any, ...]:
        return Part._made, (self._blocks,)

    def __repr__(self) -> str:
        n = len(self._look()[0])
        return f"Part: {n:,} recording{'' if n == 1 else 's'}, {self.steps:,} step{'' if self.steps == 1 else 's'}"


_MAGIC = b"statepath parts 1\n"  # then of each block its length, 8 bytes, the lowest first, and its bytes


def _blocks_of(data: bytes, name: str) -> tuple[bytes, ...]:
    if data.startswith(b"\x89HDF"):
        raise FileError(f"{name}: is a part of the program, which it merges by itself: statepath merge")
    if not data.startswith(_MAGIC):
        raise FileError(f"{name}: is no part; Part.save() writes them")
    blocks, at = [], len(_MAGIC)
    while at < len(data):
        end = at + 8 + int.from_bytes(data[at : at + 8], "little")
        if end > len(data):
            raise FileError(f"{name}: ends within a part: it was not written or copied to its end")
        blocks.append(data[at + 8 : end])
        at = end
    return tuple(blocks)


def _part_of(given: Any) -> Part:
    if isinstance(given, (str, os.PathLike)):
        return Part.load(given)
    if not isinstance(given, Part):
        raise StatepathError(f"parts: a {type(given).__name__} is no Part; compare_part() makes them")
    return given


def _asked(function: Any, *arguments: Any) -> Any:
    """What is wrong with parts is not wrong with scores."""
    try:
        return function(*arguments)
    except ScoresError as error:
        raise StatepathError(str(error)) from None


@with_options(Comparing)
def compare_part(
    scores: Any,
    labels: Any,
    model: Model | str,
    strategies: Sequence[str] | str | None = None,
    *,
    shard: tuple[int, int] | str | None = None,
    part_steps: Literal["all", "none"] = "all",
    ids: Sequence[str] | None = None,
    subjects: Sequence[Any] | None = None,
    weights: Any = None,
    on_infeasible: Literal["report", "relax", "raise"] = "report",
    name: str = "scores",
    progress: Progress | None = None,
    **options: Unpack[Comparing],
) -> Part:
    """Counts what :func:`compare` needs of some recordings; :func:`merge` makes the report of all parts.

    Parameters
    ----------
    scores, labels, model, strategies, subjects, weights, on_infeasible, progress, **options
        As in :func:`compare`; all parts must be made with the same ones. Without `rule_costs` and `draws`.
    shard : (i, n) or str, optional
        Count only the i-th of n ranges of the recordings, i from 1 to n, balanced by steps. "auto": as the variables of the scheduler say.
    part_steps : {"all", "none"}
        "none": the part holds no labels and paths, and the page draws no steps.
    ids : sequence of str, optional
        Names of the recordings; of all parts each names one. Needed unless `scores` is a mapping, or all parts are shards of the same recordings.
    name : str
        What the report calls the scores of all parts.

    Returns
    -------
    Part

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> rng = np.random.default_rng(1)
    >>> nights = [rng.dirichlet(np.ones(5), 100) for _ in range(4)]
    >>> labels = [night.argmax(axis=1) for night in nights]
    >>> parts = [sp.compare_part(nights, labels, "sleep-aasm", shard=(i, 2)) for i in (1, 2)]
    >>> parts
    [Part: 2 recordings, 200 steps, Part: 2 recordings, 200 steps]
    >>> sp.merge(parts).to_json() == sp.compare(nights, labels, "sleep-aasm").to_json()
    True
    """
    library = needs_library()
    request, _, inputs, how = comparing(scores, labels, model, strategies, ids, subjects, weights, on_infeasible, name, options)
    how["part_steps"] = part_steps
    if shard is not None:
        if not isinstance(shard, (str, tuple, list)):
            raise StatepathError(f"shard={shard!r}: (i, n) is needed, the i-th of n ranges")
        how["shard"] = shard if isinstance(shard, str) else "/".join(str(number) for number in shard)
    notices: list[str] = []
    block = library.compare_part(request.model.to_json(), inputs, how, progress, notices)
    _warn(notices)
    return Part._made((block,))


@with_options(Drawing)
def merge(
    parts: Iterable[Part | str | os.PathLike[str]] | Part | str | os.PathLike[str],
    scores: Any = None,
    *,
    ids: Sequence[str] | None = None,
    allow_missing: bool = False,
    trace_steps: int = _TRACE_STEPS,
    progress: Progress | None = None,
    **options: Unpack[Drawing],
) -> Report:
    """The report of all parts: what :func:`compare` makes of all their recordings, whatever the order of the parts.

    Recordings stand in the order in which they were given where all parts are shards of the same ones, else in the natural order of their
    ids. All figures are those of :func:`compare`, bit for bit; so is the page, where it is given the scores.

    Parameters
    ----------
    parts : iterable of Part or of the names of files that :meth:`Part.save` wrote; or one of them
    scores, ids : optional
        The scores of all recordings, as in :func:`compare_part`: the page draws probabilities of a few of them, and decodes them itself. Without
        them it draws the paths that the parts hold.
    allow_missing : bool
        Shards that are missing are named in the report; otherwise they are an error.
    trace_steps : int
        How many steps the page draws at most.
    progress, **options
        As in :func:`compare`.

    Returns
    -------
    Report

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> rng = np.random.default_rng(1)
    >>> nights = {f"night{i}": rng.dirichlet(np.ones(5), 100) for i in range(12)}
    >>> labels = {name: night.argmax(axis=1) for name, night in nights.items()}
    >>> report = sp.merge(sp.compare_part({name: nights[name]}, labels, "sleep-aasm") for name in reversed(nights))
    >>> report
    Report: 12 recordings, 1,200 steps; argmax, greedy, viterbi
    >>> report.data == sp.compare(nights, labels, "sleep-aasm").data
    True
    """
    library = needs_library()
    check_names(options, Drawing.__annotations__)
    given = [parts] if isinstance(parts, (Part, str, os.PathLike)) else list(parts)
    blocks = [block for part in given for block in _part_of(part)._blocks]
    inputs = None
    if scores is not None and blocks:
        scores, _, ids = _unpack(scores, None, ids)
        inputs = _inputs(Request(scores, Model.from_json(_asked(library.look_part, blocks[0])[2])._of_any_step(), **options), ids, None, "scores")
    notices: list[str] = []
    how = {"allow_missing": int(bool(allow_missing)), "trace_steps": trace_steps, "what_if_bytes": -1, "threads": options.get("threads", 0)}
    made = _asked(library.merge, blocks, inputs, how, progress, notices)
    _warn(notices)
    return Report._made(made)
