"""Estimators for scikit-learn: one sample is one sequence, so cross-validation and searches take sequences apart, never steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GroupKFold, KFold, check_cv
from sklearn.utils.validation import check_is_fitted

from ._decode import decode
from ._errors import StatepathError
from ._evaluate import fit as _fit
from ._labels import Meaning, is_none, names_of_labels
from ._model import Model
from ._passes import marginals
from ._request import model_of
from ._scores import array_of, integers_of

__all__ = ["SequenceDecoder", "Stack", "cross_val_predict", "flatten"]


def _sequences(X: Any) -> list[Any]:
    """Recordings [T,K] of a list, an array of objects, or [N,T,K]."""
    if isinstance(X, np.ndarray) and X.dtype != object and X.ndim != 3:
        raise StatepathError(f"X has shape {X.shape}: a list of [T,K], or [N,T,K]; one sample is one sequence")
    return list(X)


def flatten(X: Any, lengths: Any = None) -> NDArray[Any]:
    """The steps of all sequences one after the other, for estimators whose sample is a step; scores, features, labels or paths.

    Parameters
    ----------
    X : array or list of arrays
        Padded [N,T,...], of which the first `lengths` [N] steps count; or a list of [T,...].
    lengths : sequence of int, optional
        Steps of each sequence. Without: all of them.

    Returns
    -------
    array [S,...]

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.sklearn import flatten
    >>> flatten(np.array([[1, 2, 3], [4, 5, 6]]), [2, 3]), flatten([[1, 2], [4, 5, 6]])
    (array([1, 2, 4, 5, 6]), array([1, 2, 4, 5, 6]))
    """
    sequences = [array_of(x, "X") for x in X] if isinstance(X, Iterable) and not isinstance(X, (str, bytes)) else []
    if not sequences or any(x.ndim < 1 for x in sequences):
        raise StatepathError("X must be sequences: an array [N,T,...], or a list of [T,...]")
    if len({x.shape[1:] for x in sequences}) > 1:
        raise StatepathError(f"X has sequences of different shapes: {sorted({x.shape[1:] for x in sequences})} after the steps")
    if lengths is None:
        return np.concatenate(sequences)
    n = integers_of(lengths, "lengths")
    if n.shape != (len(sequences),):
        raise StatepathError(f"lengths= has shape {n.shape}: {len(sequences)} sequences ask for ({len(sequences)},)")
    wrong = next((i for i, (x, t) in enumerate(zip(sequences, n.tolist(), strict=True)) if not 0 <= t <= len(x)), None)
    if wrong is not None:
        raise StatepathError(f"lengths[{wrong}] is {n[wrong]}, and X[{wrong}] has {len(sequences[wrong])} steps", recording=wrong)
    return np.concatenate([x[:t] for x, t in zip(sequences, n.tolist(), strict=True)])


def _labels(y: Any, rules: Model | None) -> list[NDArray[Any]]:
    """The labels of each sequence, as arrays; words are those of the rules, with None where there is none."""
    meaning = Meaning(()) if rules is None else Meaning(rules.classes, rules)
    names = np.array([*meaning.columns, None], object)

    def plain(t: NDArray[Any], name: str) -> NDArray[Any]:
        if t.dtype.kind not in "OUST":
            return t
        return np.array([None if is_none(v) else str(v) for v in t.tolist()], object) if rules is None else names[meaning.numbers(t, name)]

    return [plain(array_of(meaning.arrays(t, f"y[{n}]"), f"y[{n}]"), f"y[{n}]") for n, t in enumerate(y)]


def _rules_of(rules: Model | str | None) -> Model | None:
    return None if rules is None else model_of(rules)


def _known(labels: NDArray[Any]) -> NDArray[np.bool_]:
    return labels >= 0 if labels.dtype.kind in "iuf" else np.array([v is not None for v in labels.tolist()], bool)


class SequenceDecoder(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns how classes follow each other, and decodes scores by it.

    Parameters
    ----------
    rules : Model or str, optional
        What is forbidden stays forbidden.
    method, tune, smoothing, penalty, memory, inner_folds
        As in :func:`statepath.fit`; method "rules" learns nothing and decodes by `rules` as they are.
    strategy, kind, epoch_seconds, threads
        As in :func:`statepath.decode`.

    Attributes
    ----------
    model_ : Model
    classes_ : array
        What `predict` says: the labels that `fit` saw.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.sklearn import SequenceDecoder
    >>> rng = np.random.default_rng(1)
    >>> y = [np.repeat(rng.integers(0, 3, 9), 5) for _ in range(8)]
    >>> X = [rng.dirichlet(np.ones(3), len(t)) * 0.5 + 0.5 * np.eye(3)[t] for t in y]
    >>> decoder = SequenceDecoder(method="counts", kind="probs").fit(X, y)
    >>> decoder.score(X, y) > 0.9, decoder.predict_proba(X)[0].shape
    (True, (45, 3))
    >>> decoder.model_.classes, decoder.classes_.tolist(), decoder.n_features_in_, decoder.predict(X)[0].shape
    (('0', '1', '2'), [0, 1, 2], 3, (45,))
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> search = GridSearchCV(decoder, {"smoothing": [0.1, 1.0]}, cv=GroupKFold(2)).fit(X, y, groups=[0, 0, 1, 1, 2, 2, 3, 3])
    >>> sorted(search.best_params_)
    ['smoothing']
    """

    def __init__(
        self,
        rules: Model | str | None = None,
        *,
        method: str = "counts",
        strategy: str = "viterbi",
        kind: str | None = None,
        tune: str | None = None,
        smoothing: float = 0.5,
        penalty: float = 0.0,
        memory: int = 1,
        inner_folds: int = 3,
        epoch_seconds: float | None = None,
        threads: int = 0,
    ) -> None:
        self.rules = rules
        self.method = method
        self.strategy = strategy
        self.kind = kind
        self.tune = tune
        self.smoothing = smoothing
        self.penalty = penalty
        self.memory = memory
        self.inner_folds = inner_folds
        self.epoch_seconds = epoch_seconds
        self.threads = threads

    def fit(self, X: Any, y: Any, groups: Any = None) -> SequenceDecoder:
        """Learns from scores X (a list of [T,K]) and labels y (a list of [T]: columns from 0, or class names)."""
        sequences = _sequences(X)
        rules = _rules_of(self.rules)
        labels = _labels(y, rules)
        if not sequences or len(labels) != len(sequences):
            raise StatepathError(f"X has {len(sequences)} sequences, y has {len(labels)}")
        self.n_features_in_ = int(np.shape(sequences[0])[1])
        is_named = labels[0].dtype.kind in "OUS"
        if rules is not None:
            names = rules.classes
        elif is_named:
            names = names_of_labels(labels)
        else:
            names = tuple(str(k) for k in range(self.n_features_in_))
        self.classes_ = np.array(names) if is_named else np.arange(len(names))
        if self.method == "rules":
            if rules is None:
                raise StatepathError('method="rules" needs rules=')
            self.model_ = rules
            return self
        n = len(set(groups)) if groups is not None else len(sequences)
        tune: Any = self.tune if n >= 2 else "none"
        method: Any = self.method
        kind: Any = self.kind
        self.model_ = _fit(
            labels,
            sequences,
            rules=rules,
            classes=names,
            method=method,
            tune=tune,
            strategy="viterbi" if tune == "none" else self.strategy,  # what is tuned for
            smoothing=self.smoothing,
            penalty=self.penalty,
            memory=self.memory,
            folds=5 if tune == "none" else min(self.inner_folds, max(n, 2)),  # without tuning there are none
            groups=None if tune == "none" else groups,
            kind=kind,
            epoch_seconds=self.epoch_seconds,
            threads=self.threads,
            label_order="columns",  # of the names that are given above
        )
        return self

    def predict(self, X: Any) -> list[NDArray[Any]]:
        """The path of each sequence, in the words of `y`."""
        check_is_fitted(self, "model_")
        kind: Any = self.kind
        paths = decode(_sequences(X), self.model_, self.strategy, kind=kind, epoch_seconds=self.epoch_seconds, threads=self.threads)
        return [self.classes_[path] for path in paths]

    def predict_proba(self, X: Any) -> list[NDArray[np.float64]]:
        """p(class at a step | all steps, the model) of each sequence; of other folds by :func:`cross_val_predict`, not scikit-learn's."""
        check_is_fitted(self, "model_")
        kind: Any = self.kind
        out: list[NDArray[np.float64]] = marginals(_sequences(X), self.model_, kind=kind, epoch_seconds=self.epoch_seconds, threads=self.threads)
        return out

    def _words(self) -> Model:
        """Whose words the labels are."""
        return self.model_ if self.rules is None else model_of(self.rules)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy over all labelled steps; `sample_weight` is one number a sequence."""
        right = total = 0.0
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        for path, labels, w in zip(self.predict(X), y, weights, strict=True):
            t = _labels([labels], self._words())[0]
            known = _known(t)
            right += w * float(np.sum(path[known] == t[known]))
            total += w * float(np.sum(known))
        return float(right / total) if total else 0.0


class Stack(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of single steps, then a decoder that learns from probabilities which the classifier gave without having seen the step.

    Parameters
    ----------
    estimator : classifier with predict_proba
        Of one row a step.
    decoder : SequenceDecoder, optional
    cv : int
        Folds over sequences (or groups) that the probabilities for the decoder come from.

    Attributes
    ----------
    estimator_ : classifier, fitted on everything
    decoder_ : SequenceDecoder
    out_of_fold_ : list of array [T,K]
        What the decoder learnt from.
    classes_ : array

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from statepath.sklearn import Stack
    >>> rng = np.random.default_rng(1)
    >>> y = [np.repeat(rng.integers(0, 3, 9), 5) for _ in range(8)]
    >>> X = [rng.normal(np.eye(3)[t], 0.7) for t in y]
    >>> stack = Stack(LogisticRegression(), cv=4).fit(X, y)
    >>> steps = stack.estimator_.score(np.concatenate(X), np.concatenate(y))
    >>> bool(stack.score(X, y) > steps)
    True
    >>> stack.predict(X)[0].shape, stack.predict_proba(X)[0].shape, stack.out_of_fold_[0].shape, stack.classes_.tolist()
    ((45,), (45, 3), (45, 3), [0, 1, 2])
    >>> stack.decoder_.kind
    'probs'
    """

    def __init__(self, estimator: Any, decoder: SequenceDecoder | None = None, *, cv: int = 5) -> None:
        self.estimator = estimator
        self.decoder = decoder
        self.cv = cv

    def _rows(self, sequences: Sequence[Any], labels: Sequence[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        x, t = np.concatenate([np.asarray(s) for s in sequences]), np.concatenate(labels)
        known = _known(t)
        return x[known], t[known]

    def _probabilities(self, estimator: Any, sequence: Any) -> NDArray[np.float64]:
        """Columns as in classes_; 0 for classes that the estimator never saw."""
        p = np.zeros((len(sequence), len(self.classes_)))
        if len(sequence):
            p[:, np.searchsorted(self.classes_, estimator.classes_)] = estimator.predict_proba(np.asarray(sequence))
        return p

    def fit(self, X: Any, y: Any, groups: Any = None) -> Stack:
        """Fits both; groups are never parted between folds."""
        sequences, labels = list(X), _labels(y, None if self.decoder is None else _rules_of(self.decoder.rules))
        rows, targets = self._rows(sequences, labels)
        self.classes_ = np.unique(targets)
        self.n_features_in_ = int(rows.shape[1])
        n = len(set(groups)) if groups is not None else len(sequences)
        if n < 2:
            raise StatepathError("two sequences (or groups) at least are needed: the decoder learns from probabilities of steps that the classifier has not seen")
        folds = GroupKFold(min(self.cv, n)) if groups is not None else KFold(min(self.cv, n))
        self.out_of_fold_: list[Any] = [None] * len(sequences)
        for train, test in folds.split(np.zeros(len(sequences)), groups=groups):
            fitted = clone(self.estimator).fit(*self._rows([sequences[i] for i in train], [labels[i] for i in train]))
            for i in test:
                self.out_of_fold_[i] = self._probabilities(fitted, sequences[i])
        self.estimator_ = clone(self.estimator).fit(rows, targets)
        self.decoder_ = clone(self.decoder) if self.decoder is not None else SequenceDecoder()
        self.decoder_.set_params(kind="probs")
        rules = self.decoder_.rules
        if rules is None and labels[0].dtype.kind in "iuf":
            columns = [np.where(t >= 0, np.searchsorted(self.classes_, t), -1) for t in labels]
            self.decoder_.fit(self.out_of_fold_, columns, groups)
        else:
            self.decoder_.fit([self._ordered(p) for p in self.out_of_fold_], labels, groups)
        return self

    def _ordered(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Columns in the order of the rules' classes where labels are names."""
        rules = _rules_of(self.decoder_.rules)
        if rules is None or self.classes_.dtype.kind not in "OUS":
            return p
        names = rules.classes
        out = np.zeros((len(p), len(names)))
        out[:, [names.index(str(c)) for c in self.classes_]] = p
        return out

    def _scores(self, X: Any) -> list[NDArray[np.float64]]:
        check_is_fitted(self, "decoder_")
        return [self._ordered(self._probabilities(self.estimator_, s)) for s in X]

    def predict(self, X: Any) -> list[NDArray[Any]]:
        """The path of each sequence."""
        paths = self.decoder_.predict(self._scores(X))
        if self.decoder_.rules is None and self.classes_.dtype.kind in "iuf":
            return [self.classes_[path] for path in paths]
        return paths

    def predict_proba(self, X: Any) -> list[NDArray[np.float64]]:
        """p(class at a step | all steps) of each sequence."""
        return self.decoder_.predict_proba(self._scores(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy over all labelled steps."""
        return SequenceDecoder.score(self, X, y, sample_weight)

    def _words(self) -> Model:
        return self.decoder_._words()


def cross_val_predict(estimator: Any, X: Any, y: Any, *, groups: Any = None, cv: Any = None, method: str = "predict") -> list[Any]:
    """What an estimator of sequences says of each of them, fitted on the sequences of the other folds.

    ``sklearn.model_selection.cross_val_predict`` puts predictions into one array and encodes `y` for probabilities, so that sequences of
    different lengths, and probabilities of any, end there in an error.

    Parameters
    ----------
    estimator : SequenceDecoder, Stack, or a pipeline of one
    X, y : list
        As `fit` takes them.
    groups : sequence, optional
        Sequences of one group are never parted.
    cv : int, splitter or iterable, optional
        As scikit-learn's; without 5 folds, by `groups` where they are given.
    method : str
        "predict" or "predict_proba".

    Returns
    -------
    list
        One prediction a sequence, in the order of X.

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.sklearn import SequenceDecoder, cross_val_predict
    >>> rng = np.random.default_rng(1)
    >>> y = [np.repeat(rng.integers(0, 3, 9), n) for n in (4, 5, 6, 5, 4)]
    >>> X = [rng.dirichlet(np.ones(3), len(t)) for t in y]
    >>> [p.shape for p in cross_val_predict(SequenceDecoder(kind="probs"), X, y, cv=2, method="predict_proba")]
    [(36, 3), (45, 3), (54, 3), (45, 3), (36, 3)]
    """
    sequences, labels = list(X), list(y)
    if len(sequences) != len(labels):
        raise StatepathError(f"X has {len(sequences)} sequences, y has {len(labels)}")
    folds = GroupKFold() if cv is None and groups is not None else check_cv(cv)
    found: dict[int, Any] = {}
    for train, test in folds.split(np.zeros(len(sequences)), groups=groups):
        options = {} if groups is None else {"groups": [groups[i] for i in train]}
        fitted = clone(estimator).fit([sequences[i] for i in train], [labels[i] for i in train], **options)
        found |= dict(zip(test.tolist(), getattr(fitted, method)([sequences[i] for i in test]), strict=True))
    if len(found) != len(sequences):
        raise StatepathError(f"cv= leaves {len(sequences) - len(found)} of {len(sequences)} sequences out of every test fold")
    return [found[i] for i in range(len(sequences))]
