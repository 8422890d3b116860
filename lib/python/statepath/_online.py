"""OnlineDecoder, ExactDecoder: a class for each step while the recording goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn, Unpack

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._errors import NoPathError, ScoresError, StatepathError
from ._model import Model
from ._request import Nats, Request, check_names, model_of, with_options
from ._scores import numbers_of


class _Stream:
    """What both decoders of streams have."""

    _exact = False

    def _open(self, model: Model | str, lag: int | None, remaining: int | None, options: Nats) -> None:
        for name, value, least in (("lag", 0 if lag is None and self._exact else lag, 0), ("remaining", 1 if remaining is None else remaining, 1)):
            if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not least <= value < 2**30:
                raise StatepathError(f"{name}={value!r}: a number of steps from {least}")
        check_names(options, Nats.__annotations__)
        found = model_of(model)
        found._handle.check_stream()
        self._request = Request(np.empty((0, found.n_classes)), found, **options)
        self._lag = -1 if lag is None else int(lag)
        self._remaining = int(remaining or 0)
        self._kind = self._request.kind
        self._online: _core.Online | None = None
        self._n = 0
        if self._kind >= 0:
            self._begin()

    def _begin(self) -> _core.Online:
        self._online = _core.Online(self._request.chain, self._lag, self._remaining, self._exact, self._kind, self._request.options)
        return self._online

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"an {type(self).__name__} is in the middle of a stream and cannot be pickled; make one in each process")

    @property
    def model(self) -> Model:
        """The rules."""
        return self._request.model

    @property
    def pending(self) -> int:
        """Steps pushed and not yet decided."""
        return self._online.pending() if self._online else 0

    def _take(self, row: ArrayLike, gap: bool) -> Any:
        values = numbers_of(row, "row").astype(np.float64, copy=False)
        k = self._request.model.n_classes
        if values.shape != (k,):
            raise ScoresError(f"row has shape {values.shape}: {k} classes ask for ({k},)")
        online = self._online
        if online is None:
            self._kind = _core.kind_of(values.reshape(1, k))
            online = self._begin()
        try:
            decided = online.push(values, bool(gap))
        except ScoresError as error:
            raise ScoresError(str(error).replace("recording 0, step 0", f"step {self._n}"), step=self._n, class_=error.class_) from None
        except NoPathError as error:
            best = int(np.argmax(values)) if not np.all(np.isnan(values)) else -1
            raise type(error)(str(error), step=error.step, class_=best) from None
        self._n += 1
        return decided

    def finish(self) -> list[int]:
        """Ends the recording: the classes that were pending. Afterwards the decoder is as new."""
        rest = self._online.finish() if self._online else []
        self._n = 0
        return rest

    def restart(self) -> None:
        """Forgets everything that was pushed."""
        if self._online:
            self._online.restart()
        self._n = 0


class OnlineDecoder(_Stream):
    """Fixed-lag decoding: a step's class is decided once `lag` more steps have been seen, and never taken back.

    What comes out never breaks the model. The last `lag` steps are decided by :meth:`finish`. For one stream; not for several threads.

    Parameters
    ----------
    model : Model or str
    lag : int
        Steps to wait; 0 decides at once.
    kind : {"log_probs", "probs", "logits", "scores"}, optional
        What rows hold; without: log_probs or probs, as the first row shows.
    remaining : int, optional
        Each recording has so many steps: nothing is begun that the rules cannot end by then. Without it the end is known when it comes.
    classes : sequence of str, optional
        Names of a row's numbers, where they are not in the model's order.
    temperature, transition_weight, prior_weight, epoch_seconds, floor, missing
        As in :func:`decode`.

    Examples
    --------
    >>> import statepath as sp
    >>> model = sp.Model(["a", "b"], {"a": ["a", "b"], "b": ["b"]})
    >>> online = sp.OnlineDecoder(model, lag=1)
    >>> [online.push(row) for row in ([0.9, 0.1], [0.4, 0.6], [0.7, 0.3])]
    [None, 0, 0]
    >>> online.finish()
    [0]
    >>> list(online.stream([[0.9, 0.1], [0.4, 0.6]]))
    [0, 1]
    >>> online.push([0.2, 0.8]), online.pending, online.lag, online.model.classes
    (None, 1, 1, ('a', 'b'))
    >>> online.restart()
    >>> online.pending
    0
    """

    @with_options(Nats)
    def __init__(self, model: Model | str, lag: int, *, remaining: int | None = None, **options: Unpack[Nats]) -> None:
        self._open(model, lag, remaining, options)

    @property
    def lag(self) -> int:
        """Steps between a row and its class."""
        return self._lag

    def push(self, row: ArrayLike, *, gap: bool = False) -> int | None:
        """One more row [K]. The class of the step `lag` before it, None while there is none.

        Parameters
        ----------
        gap : bool
            The chain is broken before this step: any class may follow.

        Raises
        ------
        NoPathError, DeadEndError
            No allowed path reaches this step, or none that agrees with what has been decided. The step has not been taken.
        """
        decided: int | None = self._take(row, gap)
        return decided

    def stream(self, rows: Iterable[ArrayLike]) -> Iterator[int]:
        """The class of each row, as soon as it is decided; a whole recording."""
        for row in rows:
            decided = self.push(row)
            if decided is not None:
                yield decided
        yield from self.finish()

    def __repr__(self) -> str:
        return f"OnlineDecoder({self.model.name!r}, lag={self._lag}): {self._n} steps seen, {self.pending} pending"


class ExactDecoder(_Stream):
    """Viterbi's path of a recording that is still going on: a step is decided as soon as nothing to come can change it.

    What comes out, whatever pieces the recording comes in, is the path that :func:`decode` gives the whole, never revised. How long a step
    waits depends on the scores and the rules. For one stream; not for several threads.

    Parameters
    ----------
    model : Model or str
    lag : int, optional
        A step is decided at the latest when so many more have been seen, as :class:`OnlineDecoder` does it then; `forced` counts such steps.
    remaining, kind, classes, temperature, transition_weight, prior_weight, epoch_seconds, floor, missing
        As in :class:`OnlineDecoder`.

    Examples
    --------
    >>> import statepath as sp
    >>> model = sp.Model(["a", "b"], {"a": ["a", "b"], "b": ["b"]})
    >>> exact = sp.ExactDecoder(model)
    >>> [exact.push(row) for row in ([0.9, 0.1], [0.4, 0.6], [0.7, 0.3])]
    [[], [0], []]
    >>> exact.pending, exact.finish(), exact.forced
    (2, [0, 0], 0)
    >>> list(exact.stream([[0.9, 0.1], [0.4, 0.6]]))
    [0, 1]
    >>> exact.push([0.2, 0.8]), exact.lag, exact.model.classes
    ([], None, ('a', 'b'))
    >>> exact.restart()
    """

    _exact = True

    @with_options(Nats)
    def __init__(self, model: Model | str, lag: int | None = None, *, remaining: int | None = None, **options: Unpack[Nats]) -> None:
        self._open(model, lag, remaining, options)

    @property
    def lag(self) -> int | None:
        """Steps between a row and its class at most; None: any number."""
        return None if self._lag < 0 else self._lag

    @property
    def forced(self) -> int:
        """Steps of the recording at hand that were decided at the greatest lag, before all survivors agreed."""
        return self._online.forced() if self._online else 0

    def push(self, row: ArrayLike, *, gap: bool = False) -> list[int]:
        """One more row [K]. The classes of the steps that are decided now, in order: none, one or many.

        Parameters
        ----------
        gap : bool
            The chain is broken before this step: any class may follow.

        Raises
        ------
        NoPathError, DeadEndError
            No allowed path reaches this step, or none that agrees with what has been decided. The step has not been taken.
        """
        decided: list[int] = self._take(row, gap)
        return decided

    def stream(self, rows: Iterable[ArrayLike]) -> Iterator[int]:
        """The class of each row, as soon as it is certain; a whole recording."""
        for row in rows:
            yield from self.push(row)
        yield from self.finish()

    def __repr__(self) -> str:
        return f"ExactDecoder({self.model.name!r}): {self._n} steps seen, {self.pending} pending"
