"""torbi.from_probabilities: probabilities of 0 are exactly impossible, and ties go to the lowest state. Everything runs on the CPU.

``transition[i, j]`` is the probability of state i after state j, columns = from, as torbi's kernels for CPU and GPU read it. (Its own
``torbi.reference`` gives the matrix to librosa, which reads rows = from; it agrees with the kernels where the matrix is symmetric.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._decode import decode
from .._errors import StatepathError
from .._scores import array_of
from ._models import logs, weighted

__all__ = ["from_probabilities"]


def from_probabilities(
    observation: Any,
    batch_frames: Any = None,
    transition: Any = None,
    initial: Any = None,
    log_probs: bool = False,
    gpu: int | None = None,
    num_threads: int | None = 1,
) -> Any:
    """The best states [batch, frames] of observations [batch, frames, states]; a tensor where a tensor came.

    Parameters
    ----------
    observation, batch_frames, transition, initial, log_probs, num_threads
        As there: of `transition` [states, states] rows are the states that are entered, columns those that are left. Without `transition`
        and `initial` everything is equally likely. None threads: all processors.
    gpu : None
        There is no decoding on a GPU: None is needed.

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.compat import torbi
    >>> torbi.from_probabilities(np.array([[[0.9, 0.1], [0.4, 0.6]]]), transition=np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([[0, 0]], dtype=int32)
    >>> only_up = np.array([[0.5, 0.0], [0.5, 1.0]])  # from 0 to 1, never back
    >>> torbi.from_probabilities(np.array([[[0.1, 0.9], [0.9, 0.1]]]), transition=only_up)
    array([[1, 1]], dtype=int32)
    """
    if gpu is not None:
        raise StatepathError(f"gpu={gpu}: decoding runs on the CPU; leave gpu out")
    o = array_of(observation, "observation")
    if o.ndim != 3:
        raise StatepathError(f"observation has shape {o.shape}: (batch, frames, states) is needed")
    n = o.shape[2]

    def nats(p: Any, shape: tuple[int, ...], name: str) -> Any:
        if p is None:
            return np.full(shape, -np.log(n))
        a = array_of(p, name)
        return a.astype(np.float64) if log_probs else logs(a)

    model = weighted(nats(transition, (n, n), "transition").T, nats(initial, (n,), "initial"))
    frames = None if batch_frames is None else array_of(batch_frames, "batch_frames")
    rows = o if log_probs else logs(o)
    paths = decode(rows, model, kind="scores", lengths=frames, threads=num_threads or 0)
    if frames is not None:
        paths[np.arange(o.shape[1]) >= frames[:, None]] = 0
    if type(observation).__module__.startswith("torch"):
        import torch

        return torch.as_tensor(paths)
    return paths
