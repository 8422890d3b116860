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
from ._entities import runs
from ._errors import BugError, DeadEndError, FileError, ModelError, NoPathError, ScoresError, StatepathError, StatepathWarning
from ._evaluate import compare, evaluate, fit
from ._masks import Leak, apply_logit_masking, causal_mask, leak, masked_softmax, padding_mask
from ._model import Model
from ._online import ExactDecoder, OnlineDecoder
from ._passes import draw, log_partition, marginals, path_score, review
from ._recordings import Recordings, read
from ._report import Report

__version__ = _core.version()

__all__ = [
    "BugError",
    "DeadEndError",
    "Decoded",
    "ExactDecoder",
    "FileError",
    "Leak",
    "Model",
    "ModelError",
    "NoPathError",
    "OnlineDecoder",
    "Recordings",
    "Report",
    "ScoresError",
    "StatepathError",
    "StatepathWarning",
    "__version__",
    "apply_logit_masking",
    "causal_mask",
    "compare",
    "decode",
    "draw",
    "evaluate",
    "fit",
    "leak",
    "log_partition",
    "marginals",
    "masked_softmax",
    "padding_mask",
    "path_score",
    "read",
    "review",
    "runs",
]
