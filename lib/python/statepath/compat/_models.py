"""Numbered states with log weights as a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._model import Model


def logs(p: Any) -> NDArray[np.float64]:
    """Natural logs; exactly -inf of 0."""
    with np.errstate(divide="ignore"):
        out: NDArray[np.float64] = np.log(np.asarray(p, np.float64))
    return out


def weighted(log_transitions: Any, log_start: Any = None, log_end: Any = None) -> Model:
    """States 0, 1, ... with those log weights; None: 0."""
    weights = np.asarray(log_transitions, np.float64)
    names = [str(k) for k in range(len(weights))]
    ends: dict[str, Any] = {}
    for key, given in (("start_log_weights", log_start), ("end_log_weights", log_end)):
        if given is not None:
            ends[key] = np.asarray(given, np.float64)
    return Model(names, log_weights=weights, name="compat", **ends)
