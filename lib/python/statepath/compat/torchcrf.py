"""torchcrf.CRF that trains and decodes by statepath: ``from statepath.compat.torchcrf import CRF``. Needs pytorch-crf.

Where it differs: weights of -inf forbid exactly, in training too; ties go to the lowest tag; tags that are impossible, or none, and masks with holes
are errors. Rules, and without pytorch-crf: :class:`statepath.torch.CRF`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torchcrf import CRF as _CRF

from .._decode import decode
from .._model import Model
from .._passes import marginals
from ..torch import crf_loss

__all__ = ["CRF"]


def _inputs(crf: Any, emissions: Any, mask: Any) -> tuple[Any, Any, Model]:
    """Checked as there: shapes, and that the first step of each sequence is on."""
    _CRF._validate(crf, emissions, mask=mask)
    rows = emissions.detach().cpu().float()
    real = None if mask is None else mask.detach().cpu().bool()
    if not crf.batch_first:
        rows, real = rows.transpose(0, 1), None if real is None else real.transpose(0, 1)
    return rows.contiguous().numpy(), None if real is None else real.numpy(), Model.from_torchcrf(crf)


class CRF(_CRF):  # type: ignore[misc]
    """A conditional random field as there, trained and decoded here; with marginals and the N best.

    Examples
    --------
    >>> crf = CRF(3, batch_first=True)  # doctest: +SKIP
    >>> crf.decode(emissions, mask)  # doctest: +SKIP
    [[0, 2, 1], [1, 1]]
    """

    @torch.jit.ignore  # type: ignore[untyped-decorator]  # of a scripted module it is called as it is here
    def forward(self, emissions: torch.Tensor, tags: torch.Tensor, mask: torch.Tensor | None = None, reduction: str = "sum") -> torch.Tensor:
        """The log-likelihood of the tags."""
        _CRF._validate(self, emissions, tags=tags, mask=mask)
        if reduction not in ("none", "sum", "mean", "token_mean"):
            raise ValueError(f"invalid reduction: {reduction}")
        how: Any = reduction
        weights = (self.transitions, self.start_transitions, self.end_transitions)
        return -crf_loss(emissions, tags, *weights, mask, batch_first=self.batch_first, reduction=how)

    @torch.jit.ignore  # type: ignore[untyped-decorator]
    def decode(self, emissions: torch.Tensor, mask: torch.Tensor | None = None) -> list[list[int]]:
        """The best tags of each sequence."""
        rows, real, model = _inputs(self, emissions, mask)
        d = decode(rows, model, full=True, kind="scores", mask=real)
        return [path.tolist() for path in d]

    def decode_tensor(self, emissions: Any, mask: Any = None, fill: int = -1) -> Any:
        """The best tags as a tensor [batch, steps], `fill` in the padding."""
        rows, real, model = _inputs(self, emissions, mask)
        paths = decode(rows, model, kind="scores", mask=real)
        return torch.as_tensor(np.where(paths < 0, fill, paths)).long()

    def marginals(self, emissions: Any, mask: Any = None) -> Any:
        """p(tag | all steps) as a tensor [batch, steps, tags]."""
        rows, real, model = _inputs(self, emissions, mask)
        return torch.as_tensor(marginals(rows, model, kind="scores", mask=real))

    def n_best(self, emissions: Any, mask: Any = None, n: int = 2) -> list[tuple[list[list[int]], list[float]]]:
        """Of each sequence the n best paths and their scores."""
        rows, real, model = _inputs(self, emissions, mask)
        d = decode(rows, model, full=True, kind="scores", mask=real, n_best=n)
        return [(paths.tolist(), scores.tolist()) for paths, scores in d.nbest or []]
