"""Token classification: legal tags for the models of Hugging Face, metrics for their Trainer, entities, and columns of CoNLL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._conll import Conll, read_conll, write_conll
from ._decode import decode
from ._entities import entities, join_windows
from ._errors import StatepathError
from ._evaluate import compare
from ._masks import masked_softmax
from ._model import Model
from ._passes import marginals
from ._request import Classes, class_names
from ._scores import array_of, integers_of

__all__ = ["Conll", "compute_metrics", "decode_logits", "entities", "join_windows", "pipeline", "read_conll", "spans", "write_conll"]


def _model(id2label: Classes, scheme: str | None, model: Model | None) -> Model:
    if model is not None:
        return model
    tags = class_names(id2label)
    found: Any = scheme or _core.tag_scheme(tags)
    return Model.bio(tags, found)


def _words_of(word_ids: Any, shape: tuple[int, int]) -> NDArray[np.int64]:
    words = [[-1 if w is None else w for w in row] for row in word_ids]
    if len(words) != shape[0] or any(len(row) != shape[1] for row in words):
        raise StatepathError(f"word_ids= must have a number or None for each token of {shape}")
    found = integers_of(words, "word_ids").reshape(shape)
    for n, row in enumerate(found.tolist()):
        before = -1
        for t, word in enumerate(row):
            if 0 <= word < before:
                raise StatepathError(f"word_ids= of sentence {n}, token {t}: word {word} after word {before}; word ids do not go back")
            before = max(before, word)
    return found


def _real(shape: tuple[int, int], attention_mask: Any, labels: Any) -> NDArray[np.bool_]:
    """Tokens that are no padding, and labelled where labels are there."""
    real = np.ones(shape, bool)
    for given, name in ((attention_mask, "attention_mask"), (labels, "labels")):
        if given is None:
            continue
        a = array_of(given, name)
        if a.shape != shape:
            raise StatepathError(f"{name}= has shape {a.shape}, not {shape}")
        real &= a != -100 if name == "labels" else a.astype(bool)
    return real


def _joined(logits: NDArray[Any], group: NDArray[np.int64], how: str) -> NDArray[Any]:
    """One row a group of tokens, which are numbered [T] from 0: the mean of their probabilities, or the row of the surest one."""
    p = masked_softmax(logits)
    n = int(group.max(initial=-1)) + 1
    if how == "mean":
        sums = np.zeros((n, p.shape[1]))
        np.add.at(sums, group, p)
        sums /= sums.sum(axis=1, keepdims=True)
        return sums
    order = np.lexsort((np.arange(len(group)), -p.max(axis=1), group))
    return np.ascontiguousarray(logits[order[np.searchsorted(group[order], np.arange(n))]])


def decode_logits(
    logits: Any,
    *,
    id2label: Classes,
    attention_mask: Any = None,
    labels: Any = None,
    word_ids: Any = None,
    subwords: Literal["first", "mean", "max"] = "first",
    scheme: str | None = None,
    model: Model | None = None,
    strategy: str = "viterbi",
    full: bool = False,
) -> Any:
    """Legal tags of logits [N,T,K]: of each sentence the tags of its words.

    Padding (attention_mask), tokens labelled -100 and all but the first token of a word (word_ids, None for special tokens) are left out
    of the chain: what stands before and after them is adjacent.

    Parameters
    ----------
    logits : array [N,T,K]
    id2label : mapping, sequence of str or path
        The tag of each column, as the configuration of a model has it; or that file, config.json.
    attention_mask, labels : array [N,T], optional
    word_ids : list of lists, optional
        The word of each token, as fast tokenizers say it; None for special tokens. They do not go back.
    subwords : {"first", "mean", "max"}
        What a word of several tokens is decoded by: the logits of its first token, the mean of their probabilities, or the logits of the
        token whose greatest probability is the greatest; with `word_ids`. They are the pipeline's "first", "average" and "max". A word
        takes part where its first token does.
    scheme : str, optional
        "IOB2", "BIOES" and so on. Without: by the letters of the tags.
    model : Model, optional
        The rules, in place of a scheme's.
    strategy : str
        As in :func:`statepath.decode`.
    full : bool
        True: a :class:`statepath.Decoded`, with scores, status and more.

    Returns
    -------
    list of list of str, or Decoded

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.nlp import decode_logits
    >>> id2label = {0: "O", 1: "B-PER", 2: "I-PER"}
    >>> logits = np.array([[[9.0, 0, 0], [0, 0.9, 1.0], [0, 5.0, 0], [0, 0, 2.0], [9.0, 0, 0]]])
    >>> word_ids = [[None, 0, 0, 1, None]]
    >>> decode_logits(logits, id2label=id2label, word_ids=word_ids)
    [['B-PER', 'I-PER']]
    >>> decode_logits(logits, id2label=id2label, word_ids=word_ids, subwords="mean", full=True).scores.round(3)
    array([-0.607])
    """
    rows = array_of(logits, "logits")
    if rows.ndim != 3:
        raise StatepathError(f"logits have shape {rows.shape}: (sentences, tokens, tags) is needed")
    if subwords not in ("first", "mean", "max"):
        raise StatepathError(f'subwords={subwords!r}: it is "first", "mean" or "max"')
    if subwords != "first" and word_ids is None:
        raise StatepathError(f'subwords="{subwords}" needs word_ids=, which say whose tokens are')
    rules, tags = _model(id2label, scheme, model), class_names(id2label)
    real = _real(rows.shape[:2], attention_mask, labels)
    if word_ids is None:
        chains = [np.ascontiguousarray(r[m]) for r, m in zip(rows, real, strict=True)]
    else:
        words = _words_of(word_ids, rows.shape[:2])
        begins = words > np.maximum.accumulate(np.pad(words, ((0, 0), (1, 0)), constant_values=-1), axis=1)[:, :-1]
        word = np.cumsum(begins, axis=1) - 1  # of each token, from 0
        takes_part = words >= 0
        if attention_mask is not None:
            takes_part &= array_of(attention_mask, "attention_mask").astype(bool)
        chains = []
        for r, w, first, inside in zip(rows, word, begins & real, takes_part, strict=True):
            if subwords == "first":
                chains.append(np.ascontiguousarray(r[first]))
            else:
                kept = inside & np.isin(w, w[first])
                chains.append(_joined(r[kept], np.searchsorted(w[first], w[kept]), subwords))
    kind: Any = "probs" if subwords == "mean" else "logits"
    d = decode(chains, rules, strategy, kind=kind, classes=tags, full=True)
    return d if full else d.names()


def compute_metrics(id2label: Classes, strategies: Sequence[str] = ("argmax", "viterbi"), *, scheme: str | None = None) -> Callable[[Any], dict[str, float]]:
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
    tags = class_names(id2label)

    def metrics(prediction: Any) -> dict[str, float]:
        logits, labels = (prediction.predictions, prediction.label_ids) if hasattr(prediction, "predictions") else prediction
        rows, truth = array_of(logits[0] if isinstance(logits, tuple) else logits, "logits"), array_of(labels, "labels")
        real = truth != -100
        scores = [np.ascontiguousarray(r[m]) for r, m in zip(rows, real, strict=True)]
        report = compare(
            scores, [t[m] for t, m in zip(truth, real, strict=True)], rules, strategies, kind="logits", classes=tags, on_infeasible="relax", trace_steps=0, what_if="off"
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
    tags = class_names(id2label)
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


# ---- entities ----


def spans(path: Sequence[str], scheme: str | None = None) -> list[tuple[str, int, int]]:
    """The entities of a sentence's tags: (type, first, end), of which the tokens are ``tokens[first:end]``.

    ``statepath.compat.seqeval.get_entities`` gives the last token in place of the end, as seqeval does.

    Parameters
    ----------
    path : sequence of str
        Tags of one sentence.
    scheme : str, optional
        "IOB1", "IOB2", "IOE1", "IOE2", "BIOES", "BILOU" or "BMES": only entities that are correct in it. Without: as conlleval reads any
        tags, correct or not.

    Examples
    --------
    >>> from statepath.nlp import spans
    >>> spans(["B-PER", "I-PER", "O", "I-LOC"])
    [('PER', 0, 2), ('LOC', 3, 4)]
    >>> spans(["B-PER", "I-PER", "O", "I-LOC"], scheme="IOB2")
    [('PER', 0, 2)]
    """
    tags: list[Any] = list(path) if isinstance(path, Iterable) and not isinstance(path, (str, bytes)) else [None]
    if not all(isinstance(tag, str) for tag in tags):
        raise StatepathError("path: the tags of one sentence are needed, a list of texts")
    try:
        found = _core.tag_entities(tags, scheme, False)
    except StatepathError:
        raise
    except ValueError as error:
        raise StatepathError(str(error)) from None
    return [(kind, first, last + 1) for kind, first, last in found]
