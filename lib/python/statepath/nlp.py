"""Token classification: legal tags for the models of Hugging Face, and metrics for their Trainer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._decode import decode
from ._errors import StatepathError
from ._evaluate import compare
from ._model import Model
from ._passes import marginals
from ._scores import array_of

__all__ = ["compute_metrics", "decode_logits", "pipeline"]


def _tags(id2label: Mapping[Any, str]) -> list[str]:
    return [id2label[k] for k in sorted(id2label, key=int)]


def _model(id2label: Mapping[Any, str], scheme: str | None, model: Model | None) -> Model:
    if model is not None:
        return model
    tags = _tags(id2label)
    found: Any = scheme or _core.tag_scheme(tags)
    return Model.bio(tags, found)


def _real(n: int, steps: int, attention_mask: Any, labels: Any, word_ids: Any) -> NDArray[np.bool_]:
    """Tokens that belong to the chain: the first of each word, no padding, no special token."""
    real = np.ones((n, steps), bool)
    if attention_mask is not None:
        real &= array_of(attention_mask, "attention_mask").astype(bool)
    if labels is not None:
        real &= array_of(labels, "labels") != -100
    if word_ids is not None:
        words = np.array([[-1 if w is None else w for w in row] for row in word_ids])
        if words.shape != (n, steps):
            raise StatepathError(f"word_ids have shape {words.shape}, not {(n, steps)}")
        real &= (words >= 0) & np.pad(words[:, 1:] != words[:, :-1], ((0, 0), (1, 0)), constant_values=True)
    return real


def decode_logits(
    logits: Any,
    *,
    id2label: Mapping[Any, str],
    attention_mask: Any = None,
    labels: Any = None,
    word_ids: Any = None,
    scheme: str | None = None,
    model: Model | None = None,
    strategy: str = "viterbi",
) -> list[list[str]]:
    """Legal tags of logits [N,T,K]: of each sentence the tags of its words.

    Padding (attention_mask), tokens labelled -100 and all but the first token of a word (word_ids, None for special tokens) are left out
    of the chain: what stands before and after them is adjacent.

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.nlp import decode_logits
    >>> id2label = {0: "O", 1: "B-PER", 2: "I-PER"}
    >>> logits = np.array([[[9.0, 0, 0], [0, 0.9, 1.0], [0, 5.0, 0], [0, 0, 2.0], [9.0, 0, 0]]])
    >>> decode_logits(logits, id2label=id2label, word_ids=[[None, 0, 0, 1, None]])
    [['B-PER', 'I-PER']]
    """
    rows = array_of(logits, "logits")
    if rows.ndim != 3:
        raise StatepathError(f"logits have shape {rows.shape}: (sentences, tokens, tags) is needed")
    rules = _model(id2label, scheme, model)
    real = _real(rows.shape[0], rows.shape[1], attention_mask, labels, word_ids)
    d = decode([np.ascontiguousarray(r[m]) for r, m in zip(rows, real, strict=True)], rules, strategy, kind="logits", classes=_tags(id2label), full=True)
    return d.names()


def compute_metrics(id2label: Mapping[Any, str], strategies: Sequence[str] = ("argmax", "viterbi"), *, scheme: str | None = None) -> Callable[[Any], dict[str, float]]:
    """For ``transformers.Trainer(compute_metrics=...)``: accuracy, entity F1 and illegal transitions, by each strategy.

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.nlp import compute_metrics
    >>> metrics = compute_metrics({0: "O", 1: "B-PER", 2: "I-PER"})
    >>> found = metrics((np.array([[[9.0, 0, 0], [0, 0.9, 1.0], [0, 0, 5.0]]]), np.array([[-100, 1, 2]])))
    >>> found["argmax_illegal"], found["viterbi_illegal"], found["viterbi_accuracy"]
    (1.0, 0.0, 1.0)
    """
    rules = _model(id2label, scheme, None)
    tags = _tags(id2label)

    def metrics(prediction: Any) -> dict[str, float]:
        logits, labels = (prediction.predictions, prediction.label_ids) if hasattr(prediction, "predictions") else prediction
        rows, truth = array_of(logits[0] if isinstance(logits, tuple) else logits, "logits"), array_of(labels, "labels")
        real = truth != -100
        scores = [np.ascontiguousarray(r[m]) for r, m in zip(rows, real, strict=True)]
        report = compare(
            scores, [t[m] for t, m in zip(truth, real, strict=True)], rules, strategies, kind="logits", classes=tags, on_infeasible="relax", trace_steps=0, what_if_bytes=0
        )
        out: dict[str, float] = {}
        for name, s in report.data["strategies"].items():
            found = {"accuracy": s.get("accuracy"), "illegal": s["illegal"] + s["illegal_start"] + s["illegal_end"]}
            entities = s.get("entities") or {}
            found |= {key: entities.get(key) for key in ("precision", "recall", "f1")}
            out |= {f"{name}_{key}": float(v) for key, v in found.items() if v is not None}
        return out

    return metrics


def pipeline(task_pipeline: Any, model: Model | None = None, strategy: str = "viterbi") -> Any:
    """Makes a token-classification pipeline legal: tags by decoding, scores that are marginals given the rules.

    The pipeline itself is changed and returned. Tags are those of its model; special tokens, and tokens that are not the first of their
    word, are left out of the chain and take what their word has.

    Examples
    --------
    >>> from statepath.nlp import pipeline
    >>> ner = pipeline(transformers.pipeline("token-classification", model=name))  # doctest: +SKIP
    """
    id2label = task_pipeline.model.config.id2label
    rules = _model(id2label, None, model)
    tags = _tags(id2label)
    gather = task_pipeline.gather_pre_entities

    def legal(sentence: str, input_ids: Any, scores: Any, offset_mapping: Any, special_tokens_mask: Any, *rest: Any, **more: Any) -> Any:
        rows = np.array(scores, np.float64)
        inside = np.asarray(special_tokens_mask) == 0
        entities = gather(sentence, input_ids, rows, offset_mapping, special_tokens_mask, *rest, **more)
        first = np.flatnonzero(inside)
        if len(entities) != len(first):
            raise StatepathError("the pipeline splits its tokens in a way that is not known here")
        begins = np.array([not e["is_subword"] for e in entities], bool)
        if len(begins) == 0:
            return entities
        begins[0] = True
        chain = np.ascontiguousarray(rows[first[begins]])
        chain /= chain.sum(axis=1, keepdims=True)
        path = decode(chain, rules, strategy, kind="probs", classes=tags)
        p = marginals(chain, rules, kind="probs", classes=tags)
        word = np.cumsum(begins) - 1
        for e, w in zip(entities, word.tolist(), strict=True):
            # The greatest of a row is the tag that is said; its value is the marginal.
            e["scores"] = np.where(np.arange(len(tags)) == path[w], np.maximum(p[w], np.finfo(float).tiny), 0.0)
        return entities

    task_pipeline.gather_pre_entities = legal
    return task_pipeline
