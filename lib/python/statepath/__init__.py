"""statepath: the best sequence that the rules of a field allow, from any classifier's per-step scores.

>>> import numpy as np, statepath as sp
>>> probs = np.array([[0.8, 0.1, 0.1, 0.0, 0.0], [0.1, 0.1, 0.1, 0.7, 0.0], [0.0, 0.1, 0.9, 0.0, 0.0]])
>>> sp.decode(probs, "sleep-aasm")
array([0, 0, 2], dtype=int32)

Letters: T steps of a recording, S steps of all recordings together, N recordings, K classes, M states.
"""

from . import _core
from ._decode import decode
from ._decoded import Decoded
from ._errors import BugError, DeadEndError, FileError, ModelError, NoPathError, ScoresError, StatepathError, StatepathWarning
from ._model import Model

__version__ = _core.version()

__all__ = [
    "BugError",
    "DeadEndError",
    "Decoded",
    "FileError",
    "Model",
    "ModelError",
    "NoPathError",
    "ScoresError",
    "StatepathError",
    "StatepathWarning",
    "__version__",
    "decode",
]
