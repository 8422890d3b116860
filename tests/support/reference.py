"""The contract once more, in Python, by brute force: what tests/cli/test_contract.py holds the program to.

Nothing here follows the C sources. A recording is decoded by writing down all M^T paths of its states, their weights as the contract
adds them up, and picking from the list; so it is for a handful of states and steps. Scores on a grid of 1/8 make all sums exact, and
with them every tie. Ties go to the lowest state, the last step first: states stand in the order of class, age (the steps that a minimum
dwell or a duration counts; runs that may have begun before the recording or the gap last), then declaration. What rules remember
comes last, and is not known here: of equal paths under rules only the last step is. Durations weigh run by run, rules by their violations (rules_reference.py).

    rules = Rules(model, columns)            model as in its JSON, columns = class names in the order of the file
    every = Paths(rules, e, segments)        e [T,K] nats
    every.viterbi(), every.nbest(5), every.marginals() ...

Answers are Answer(status, path, score) with status "ok", "no_path" or "dead_end".
"""
import collections
import functools
import math

import numpy as np
from rules_reference import rule_of

INF = float("inf")
Answer = collections.namedtuple("Answer", "status path score step broken", defaults=(None, 0))


def log(x):
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(x, dtype=np.float64))


MOST = 400  # lengths of runs that are added up


def log_pmf(duration):
    """log p(1 .. MOST) of a duration in steps, as models/README.md says it."""
    n = np.arange(1, MOST + 1)
    inside = (n >= duration.get("min", 1)) & (n <= duration.get("max", INF))
    if "pmf" in duration:
        return log(np.append(duration["pmf"], np.zeros(MOST))[:MOST])
    if "poisson" in duration:
        extra = duration["poisson"]["mean"] - 1
        p = np.array([(d - 1) * math.log(extra) - extra - math.lgamma(d) for d in n])
    elif "negative_binomial" in duration:
        extra, size = duration["negative_binomial"]["mean"] - 1, duration["negative_binomial"]["dispersion"]
        p = np.array([math.lgamma(d - 1 + size) - math.lgamma(d) - math.lgamma(size) for d in n])
        p = p + size * math.log(size / (size + extra)) + (n - 1) * math.log(extra / (size + extra))
    else:
        return np.where(inside, 0.0, -INF)
    p = np.where(inside, p, -INF)
    return p - np.logaddexp.reduce(p)


def run_weights(duration):
    """What runs of 1 .. MOST steps weigh: whole ones, and those that are cut off."""
    whole = log_pmf(duration)
    if set(duration) <= {"min", "max"}:
        return whole, np.where(np.arange(1, MOST + 1) <= duration.get("max", INF), 0.0, -INF)
    return whole, np.logaddexp.accumulate(whole[::-1])[::-1]


class Rules:
    """A model for scores whose columns are `columns`: everything renumbered to their order."""

    def __init__(self, model, columns, transition_weight=None, seconds=None):
        names = {c: c for c in model["classes"]}
        for c, others in model.get("aliases", {}).items():
            for other in [others] if isinstance(others, str) else others:
                names[other] = c
        column = {names[c]: i for i, c in enumerate(columns)}
        self.n_classes = len(model["classes"])
        self.classes = [names[c] for c in columns]
        states = model.get("states") or {c: c for c in model["classes"]}
        self.states = list(states)
        index = {s: i for i, s in enumerate(self.states)}
        self.n_states = len(self.states)
        self.class_of = np.array([column[states[s]] for s in self.states])
        m = self.n_states
        allow = np.zeros((m, m), dtype=bool)
        if "allow" in model:
            for s, to in model["allow"].items():
                allow[index[s], [index[x] for x in to]] = True
        elif "forbid" in model:
            allow[:] = True
            for s, to in model["forbid"].items():
                allow[index[s], [index[x] for x in to]] = False
        else:
            allow = np.array(model["matrix"], dtype=bool)
        self.allow = allow
        weights = np.zeros((m, m))
        if "probabilities" in model:
            weights = log(np.array(model["probabilities"], dtype=np.float64))
        elif "log_weights" in model:
            weights = np.array([[-INF if w is None else w for w in row] for row in model["log_weights"]])
        if transition_weight is None:
            transition_weight = model.get("decoding", {}).get("transition_weight", 1)
        self.weight = np.where(allow, np.where(allow, weights, 0) * transition_weight, -INF)
        self.start = self._ends(model, "start", index)
        self.end = self._ends(model, "end", index)
        self.dwell = np.ones(m, dtype=int)
        for s, d in model.get("min_dwell", {}).items():
            self.dwell[index[s]] = d
        self.dwell_at_end = bool(model.get("min_dwell_at_end"))
        self.runs = {column[c]: run_weights(d) for c, d in model.get("durations", {}).items()}
        # longer runs of a class without a longest one are as old as these
        self.oldest = {column[c]: d.get("min", 1) if set(d) <= {"min"} else MOST for c, d in model.get("durations", {}).items()}
        for i in range(m):  # how the only state of a class with a duration stays is the duration's
            if self.class_of[i] in self.runs and (self.class_of == self.class_of[i]).sum() == 1:
                self.weight[i, i] = 0
        ends = model.get("durations_at_ends", "cut")
        self.cut = [(ends if isinstance(ends, str) else ends.get(side, "cut")) == "cut" for side in ("start", "end")]
        rules = [{"rule": r} if isinstance(r, str) else r for r in model.get("rules", [])]
        self.rules = [(rule_of(r["rule"], self.classes, r.get("at_gap") == "may", seconds),
                       INF if r.get("cost") is None else r["cost"]) for r in rules]
        self.prior = None
        if "prior" in model:
            prior = model["prior"]
            prior = prior if isinstance(prior, dict) else dict(zip(model["classes"], prior))
            self.prior = np.array([prior[c] for c in self.classes], dtype=np.float64)

    def _ends(self, model, key, index):
        out = np.zeros(self.n_states)
        if key in model:
            given = model[key]
            out[:] = -INF
            for s in given:
                out[index[s]] = 0 if isinstance(given, list) else log(given[s])
        if key + "_log_weights" in model:
            extra = np.full(self.n_states, -INF)
            for s, w in model[key + "_log_weights"].items():
                extra[index[s]] = -INF if w is None else w
            out = out + extra
        return out

    @functools.cached_property
    def legal(self):
        """[K,K]: some state of the first class may be followed by some state of the second."""
        out = np.zeros((self.n_classes, self.n_classes), dtype=bool)
        for i in range(self.n_states):
            for j in range(self.n_states):
                out[self.class_of[i], self.class_of[j]] |= self.allow[i, j]
        return out

    def legal_ends(self, which):
        out = np.zeros(self.n_classes, dtype=bool)
        for i in range(self.n_states):
            out[self.class_of[i]] |= which[i] > -INF
        return out

    def class_dwell(self):
        """[K]: the least dwell of the states of a class."""
        return np.array([min([self.dwell[i] for i in range(self.n_states) if self.class_of[i] == k], default=1) for k in range(self.n_classes)])


def prepare(kind, rows, *, floor=0, temperature=1, prior_weight=0, prior=None, mask=None, labels=None):
    """Scores as the file holds them to nats; a row with a NaN says nothing (--missing uniform)."""
    x = np.asarray(rows, dtype=np.float64)
    missing = np.isnan(x).any(axis=1)
    x = np.where(missing[:, None], 0, x)
    if kind == "probs":
        e = log(np.where(missing[:, None], 1, x))
    elif kind == "logits":
        top = x.max(axis=1, keepdims=True, initial=-INF)
        top = np.where(np.isinf(top), 0, top)
        total = np.exp(x - top).sum(axis=1, keepdims=True)
        e = np.where(np.isneginf(x), -INF, x - (top + np.log(np.where(total, total, 1))))
    else:
        e = x
    if floor and kind != "scores":
        e = np.maximum(e, np.log(floor))
    e = e / temperature
    if prior_weight:
        e = e - prior_weight * log(prior)
    e = np.where(missing[:, None], 0, e)
    if mask is not None:
        e = np.where(mask, e, -INF)
    if labels is not None:
        e = np.where((labels[:, None] >= 0) & (labels[:, None] != np.arange(x.shape[1])), -INF, e)
    return e


@functools.lru_cache(maxsize=64)
def sequences(n, length):
    """[n^length, length]: all sequences."""
    return np.indices((n,) * length).reshape(length, -1).T if length else np.zeros((1, 0), dtype=int)


class Paths:
    """All paths of states of one recording with their scores."""

    def __init__(self, rules, e, segments=None, own=None):
        """own: the scores as the classifier gave them, where a prior was taken off e."""
        self.rules, self.e = rules, np.asarray(e, dtype=np.float64)
        self.own = self.e if own is None else np.asarray(own, dtype=np.float64)
        self.length = len(self.e)
        self._classes = {}
        self.gap = np.zeros(self.length, dtype=bool)
        if segments is not None and self.length:
            self.gap[1:] = np.asarray(segments)[1:] != np.asarray(segments)[:-1]

    def _score(self, length, whole):
        """Codes of the class paths and scores of all state paths of the first `length` steps; `whole`: the end rules count."""
        r, e = self.rules, self.e
        p = sequences(r.n_states, length)
        c = r.class_of[p] if length else p
        score = np.zeros(len(p))
        if length:
            score = r.start[p[:, 0]] + e[0][c[:, 0]]
            run = np.ones(len(p), dtype=int)
            for t in range(1, length):
                same = p[:, t] == p[:, t - 1]
                if self.gap[t]:
                    run = np.ones(len(p), dtype=int)
                else:
                    score = score + r.weight[p[:, t - 1], p[:, t]]
                    score = np.where(same | (run >= r.dwell[p[:, t - 1]]), score, -INF)
                    run = np.where(same, run + 1, 1)
                score = score + e[t][c[:, t]]
            score = score + self._runs(c, length)
            if whole:
                score = score + r.end[p[:, -1]]
                if r.dwell_at_end:
                    score = np.where(run >= r.dwell[p[:, -1]], score, -INF)
        code = (c * r.n_classes ** np.arange(length)).sum(axis=1) if length else np.zeros(1, dtype=int)
        if whole and length and r.rules:
            score = score - self._costs(c, code, score)
        return c, code, score

    def _runs(self, c, length):
        """What the runs of class paths weigh. Beside a gap and at the ends they may be cut; one that goes on weighs as one that is cut."""
        r, total = self.rules, np.zeros(len(c))
        begin, begins_at_side = np.zeros(len(c), dtype=int), np.ones(len(c), dtype=bool)
        for t in range(length if r.runs else 0):
            at_side = t == length - 1 or self.gap[t + 1]
            ends = np.ones(len(c), dtype=bool) if at_side else c[:, t + 1] != c[:, t]
            is_cut = (begins_at_side & r.cut[0]) | (at_side and (r.cut[1] or length < self.length))
            for k, (whole, cut) in r.runs.items():
                hit = ends & (c[:, t] == k)
                total[hit] += np.where(is_cut, cut[t - begin], whole[t - begin])[hit]
            begin, begins_at_side = np.where(ends, t + 1, begin), np.where(ends, at_side, begins_at_side)
        return total

    def _states(self, p, starts):
        """[n,length] numbers that compare as the states of these paths do. starts: where a dwell begins anew."""
        r, n, length = self.rules, len(p), p.shape[1]
        c = r.class_of[p] if length else p
        out, dwell, run = np.zeros((n, length), dtype=np.int64), np.zeros(n, dtype=int), np.zeros(n, dtype=int)
        cut = np.zeros(n, dtype=bool)
        for t in range(length):
            new = np.ones(n, dtype=bool) if t == 0 or self.gap[t] else c[:, t] != c[:, t - 1]
            at_side = t == 0 or self.gap[t]
            dwell, run = np.where(starts[:, t], 1, dwell + 1), np.where(new, 1, run + 1)
            cut = np.where(new, at_side and r.cut[0], cut)
            age, is_cut = np.minimum(dwell, r.dwell[p[:, t]]), np.zeros(n, dtype=bool)
            for k, oldest in r.oldest.items():
                hit = c[:, t] == k
                age, is_cut = np.where(hit, np.minimum(run, oldest), age), np.where(hit, cut, is_cut)
            out[:, t] = ((c[:, t] * 2 + is_cut) * (MOST + 1) + age) * r.n_states + p[:, t]
        return out

    def _costs(self, c, code, score):
        """What violations of rules cost each path."""
        _, first, back = np.unique(code, return_index=True, return_inverse=True)
        gaps, costs = np.flatnonzero(self.gap).tolist(), np.zeros(len(first))
        alive = np.zeros(len(first), dtype=bool)
        np.logical_or.at(alive, back, score > -INF)
        for i in np.flatnonzero(alive):
            for rule, cost in self.rules.rules:
                n = rule.violations(c[first[i]].tolist(), gaps)
                costs[i] += n * cost if n else 0
        return costs[back]

    def classes(self, length=None, whole=True):
        if (length, whole) not in self._classes:
            self._classes[length, whole] = self._listed(length, whole)
        return self._classes[length, whole][:2]

    def is_first(self, path):
        """Is it the first in that order? Under rules: one that may be, by its last state."""
        every, scores = self.classes()
        last, at = self._classes[None, True][2], int(np.flatnonzero((every == path).all(axis=1))[0])
        return at == 0 or bool(self.rules.rules and scores[at] == scores[0] and last[at] == last[0])

    def _listed(self, length, whole):
        """Class paths [n,T] of finite score in order: the greatest score first, equals by the tie rule; their scores, and last states."""
        length = self.length if length is None else length
        c, code, score = self._score(length, whole)
        p = sequences(self.rules.n_states, length)
        starts = np.ones(p.shape, dtype=bool)
        starts[:, 1:] = (p[:, 1:] != p[:, :-1]) | self.gap[1:length]
        alive = np.flatnonzero(score > -INF)
        states = self._states(p[alive], starts[alive])
        order = np.lexsort((*states.T, -score[alive]))
        first = np.sort(np.unique(code[alive][order], return_index=True)[1])  # the best state path of each class path
        best = alive[order[first]]
        return c[best], score[best], states[order[first], -1:]

    @functools.cached_property
    def failure(self):
        """None, or the first step that no state reaches (the last one, where only the end rules fail)."""
        for length in range(1, self.length + 1):
            if not (self._score(length, False)[2] > -INF).any():
                return length - 1
        return None if len(self.classes()[0]) else self.length - 1

    def score(self, path):
        """Path score of a path in classes; -inf where it is not allowed."""
        c, s = self.classes()
        hit = (c == np.asarray(path)).all(axis=1)
        return s[hit][0] if hit.any() else -INF

    def _none(self):
        return Answer("no_path", [-1] * self.length, -INF, self.failure)

    def _stuck(self, t):
        return self._none() if self.failure is not None else Answer("dead_end", [-1] * self.length, -INF, t)

    def argmax(self):
        dead = np.flatnonzero(np.isneginf(self.e).all(axis=1))
        if len(dead):
            return Answer("no_path", [-1] * self.length, -INF, dead[0])
        path = list(self.own.argmax(axis=1)) if self.length else []
        return Answer("ok", path, self.score(path))

    def viterbi(self):
        if self.failure is not None:
            return self._none()
        c, s = self.classes()
        return Answer("ok", list(c[0]), s[0])

    def nbest(self, n):
        c, s = self.classes()
        return [(list(x), y) for x, y in zip(c[:n], s[:n])]

    def _prefix(self, length, decided, whole):
        """Best class path of the first `length` steps that begins with what is decided; None."""
        c, _ = self.classes(length, whole)
        agree = c[(c[:, :len(decided)] == np.array(decided, dtype=int)).all(axis=1)]
        return agree[0] if len(agree) else None

    def greedy(self):
        """Step by step, the class that the best partial path takes which agrees with everything chosen so far."""
        path = []
        for t in range(self.length):
            best = self._prefix(t + 1, path, whole=t == self.length - 1)
            if best is None:
                return self._stuck(t)
            path = list(best)
        return Answer("ok", path, self.score(path))

    def online(self, lag):
        path = []
        for t in range(self.length - lag):
            best = self._prefix(t + lag + 1, path, whole=False)
            if best is None:
                return self._stuck(None)
            path.append(best[t])
        best = self._prefix(self.length, path, whole=True)
        return self._stuck(None) if best is None else Answer("ok", list(best), self.score(best))

    def beam(self, width):
        """One state per class and no dwell only. Of partial paths into one class the best is kept, of these the `width` best."""
        r = self.rules
        beam = [((), 0.0)]
        for t in range(self.length):
            into = {}
            for path, score in beam:
                for k in range(r.n_states):
                    step = r.start[k] if t == 0 else 0 if self.gap[t] else r.weight[path[-1], k]
                    s = score + step + self.e[t, r.class_of[k]]
                    if s > -INF:
                        into.setdefault(k, []).append((-s, tuple(r.class_of[list(path[::-1])]), path + (k,)))
            ranked = sorted((min(options)[0], (r.class_of[k],) + min(options)[1], min(options)[2]) for k, options in into.items())
            beam = [(path, -s) for s, _, path in ranked[:width]]
            if not beam:
                return self._stuck(t)
        if not self.length:
            return Answer("ok", [], 0.0)
        ends = sorted((-(s + r.end[p[-1]]), tuple(r.class_of[list(p[::-1])])) for p, s in beam if s + r.end[p[-1]] > -INF)
        if not ends:
            return self._stuck(self.length - 1)
        path = list(ends[0][1][::-1])
        return Answer("ok", path, self.score(path))

    def marginals(self):
        """[T,K] and log Z, over state paths."""
        c, _, score = self._score(self.length, True)
        top = score.max()
        w = np.exp(score - top)
        out = np.zeros((self.length, self.rules.n_classes))
        for t in range(self.length):
            np.add.at(out[t], c[:, t], w)
        return out / w.sum(), top + np.log(w.sum())

    def by_marginals(self, value):
        """Allowed class paths in order of sum or product (value: identity or log) of marginals, and these sums."""
        m, _ = self.marginals()
        c, _ = self.classes()
        total = value(m)[np.arange(self.length), c].sum(axis=1)
        return c, total

    # ---- fewest broken rules ----

    def relaxed(self):
        """Fewest broken rules, then the best sum of what is left, then the tie rule: (path, broken)."""
        r = self.rules
        if not self.length:
            return [], 0
        p = sequences(r.n_states, self.length)
        c = r.class_of[p]
        broken, score = np.zeros(len(p), dtype=int), np.zeros(len(p))

        def add(term, also=False):
            nonlocal broken, score
            bad = np.isneginf(term) | also
            broken = broken + bad
            score = score + np.where(bad, 0, term)
            return bad

        add(r.start[p[:, 0]])
        add(self.e[0][c[:, 0]])
        run, starts = np.ones(len(p), dtype=int), np.ones(p.shape, dtype=bool)
        for t in range(1, self.length):
            same = p[:, t] == p[:, t - 1]
            if self.gap[t]:
                run = np.ones(len(p), dtype=int)
            else:
                bad = add(r.weight[p[:, t - 1], p[:, t]], ~same & (run < r.dwell[p[:, t - 1]]))
                starts[:, t] = ~same | bad
                run = np.where(starts[:, t], 1, run + 1)
            add(self.e[t][c[:, t]])
        add(r.end[p[:, -1]], (run < r.dwell[p[:, -1]]) if r.dwell_at_end else False)
        best = np.lexsort((*self._states(p, starts).T, -score, broken))[0]
        return list(c[best]), int(broken[best])


# ---- counting ----


def ceiling(rules, labels, segments=None):
    """Most steps at which an allowed path can agree with the labels; None where no path is allowed."""
    paths = Paths(rules, np.zeros((len(labels), rules.n_classes)), segments)
    c, _ = paths.classes()
    return int(((c == labels) & (labels >= 0)).sum(axis=1).max()) if len(c) else None


def transitions(rules, path, segments=None):
    """Counts of one recording: transitions, changes, illegal, pairs (Counter), illegal_start, illegal_end, short_runs."""
    path = np.asarray(path, dtype=int)
    gap = np.zeros(len(path), dtype=bool)
    if segments is not None and len(path):
        gap[1:] = np.asarray(segments)[1:] != np.asarray(segments)[:-1]
    out = collections.Counter()
    pairs = collections.Counter()
    legal = rules.legal
    for t in range(1, len(path)):
        if gap[t] or path[t] < 0 or path[t - 1] < 0:
            continue
        out["transitions"] += 1
        out["changes"] += path[t] != path[t - 1]
        if not legal[path[t - 1], path[t]]:
            out["illegal"] += 1
            pairs[rules.classes[path[t - 1]], rules.classes[path[t]]] += 1
    if len(path):
        out["illegal_start"] = int(path[0] >= 0 and not rules.legal_ends(rules.start)[path[0]])
        out["illegal_end"] = int(path[-1] >= 0 and not rules.legal_ends(rules.end)[path[-1]])
    # runs shorter than the dwell, unless cut off: by the end of the recording, a gap or an unscored neighbour
    dwell = rules.class_dwell()
    t = 0
    while t < len(path):
        u = t + 1
        while u < len(path) and path[u] == path[t] and not gap[u]:
            u += 1
        if path[t] >= 0 and u - t < dwell[path[t]]:
            cut = (u == len(path) and not rules.dwell_at_end) or (u < len(path) and (gap[u] or path[u] < 0))
            cut |= t > 0 and path[t - 1] < 0 and not gap[t]
            out["short_runs"] += not cut
        t = u
    return out, pairs


def agreement(truth, path, n):
    """The contract's figures for scored steps; path -1 = undecoded: wrong, in no column. None = undefined."""
    c = np.zeros((n, n), dtype=np.int64)
    for i, j in zip(truth, path):
        if j >= 0:
            c[i, j] += 1
    row = np.bincount(truth, minlength=n).astype(float)
    column, diagonal, total = c.sum(axis=0).astype(float), np.diag(c).astype(float), float(len(truth))

    def ratio(a, b):
        return a / b if b else None

    def mean(values):
        values = [v for v in values if v is not None]
        return sum(values) / len(values) if values else None

    recall = [ratio(diagonal[k], row[k]) for k in range(n)]
    precision = [ratio(diagonal[k], column[k]) for k in range(n)]
    f1 = [ratio(2 * diagonal[k], row[k] + column[k]) for k in range(n)]
    out = {"confusion": c.tolist(), "accuracy": ratio(diagonal.sum(), total), "balanced_accuracy": mean(recall), "macro_f1": mean(f1),
           "weighted_f1": ratio(sum(row[k] * f1[k] for k in range(n) if row[k]), total)}
    expected = (row * column).sum() / total**2 if total else None
    out["kappa"] = None if not total or expected == 1 else (out["accuracy"] - expected) / (1 - expected)
    lost = total - column.sum()
    a, b = total**2 - (row**2).sum(), total**2 - (column**2).sum() - lost**2
    if not total or (a == 0 and b == 0):
        out["mcc"] = None
    else:
        out["mcc"] = 0.0 if a == 0 or b == 0 else (total * diagonal.sum() - (row * column).sum()) / np.sqrt(a * b)
    out["classes"] = []
    for k in range(n):
        tp, fp, fn = diagonal[k], column[k] - diagonal[k], row[k] - diagonal[k]
        tn = total - tp - fp - fn
        chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / total**2 if total else 1
        out["classes"].append({"precision": precision[k], "recall": recall[k], "f1": f1[k], "specificity": ratio(tn, tn + fp),
                               "kappa": None if chance == 1 else ((tp + tn) / total - chance) / (1 - chance), "support": int(row[k])})
    return out
